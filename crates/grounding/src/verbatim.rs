//! Whether a claim is its statement, word for word.

use crate::fold::{LineEnd, fold, is_word};

/// Tells whether a claim says a statement word for word: alike up to typography, or one of its clauses whose neighbours hold neither
/// a negation nor a condition.
pub(crate) fn is_verbatim(claim: &str, statement: &str) -> bool {
    let (claim, statement) = (folded(claim), folded(statement));
    let whole = bare(&claim);
    if whole.is_empty() {
        return false;
    }
    alike(whole, bare(&statement)) || clauses(&statement).any(|clause| alike(whole, bare(clause)))
}

fn folded(text: &str) -> String {
    fold(text, LineEnd::Joined).text
}

/// Takes list marks, quotation marks and stops off the ends.
fn bare(text: &str) -> &str {
    let edge = |c: char| {
        c.is_whitespace()
            || matches!(c, '"' | '\'' | '.' | ';' | ',' | ':' | '。' | '．' | '>' | '|' | '*' | '•')
    };
    let inner = text.trim_matches(edge);
    inner.strip_prefix("- ").unwrap_or(inner)
}

/// Tells whether two folded texts are the same but for the capital that they begin with.
fn alike(one: &str, other: &str) -> bool {
    let split = |text: &str| -> Option<(String, String)> {
        let first = text.chars().next()?;
        Some((first.to_lowercase().collect(), text.get(first.len_utf8()..)?.to_owned()))
    };
    match (split(one), split(other)) {
        (Some((a, one)), Some((b, other))) => a == b && one == other,
        _ => false,
    }
}

/// Returns the clauses of a statement, between semicolons, dashes and brackets, which can stand alone.
///
/// None where a part that would be left out may change what is said, which only words tell: where the statement is in a language whose
/// words of negation and condition are not known here, there are none.
fn clauses(statement: &str) -> impl Iterator<Item = &str> {
    let parts: Vec<&str> = statement
        .split(';')
        .flat_map(|part| part.split(" - "))
        .flat_map(|part| part.split(['(', ')']))
        .filter(|part| part.chars().any(is_word))
        .collect();
    let is_known = text::guess(statement) != text::Language::Other
        && text::guess(statement) != text::Language::Russian;
    let free: Vec<bool> = parts.iter().map(|part| !restricts(part)).collect();
    let count = parts.len();
    parts.into_iter().enumerate().filter_map(move |(index, part)| {
        let others_are_free =
            free.iter().enumerate().all(|(other, is_free)| other == index || *is_free);
        (is_known && count > 1 && others_are_free).then_some(part)
    })
}

/// Words that deny, restrict, doubt or set a condition. They only ever keep a claim from being called a quote.
const RESTRICTING: &str = " not no never none neither nor nobody nothing nowhere without cannot unless if only except when whenever until \
    while provided assuming although though but however hardly barely scarcely rarely seldom may might could would should must perhaps \
    probably possibly likely unlikely seems appears allegedly reportedly supposedly suggests former formerly instead rather otherwise than \
    against deny denies denied false wrong myth doubt doubtful uncertain \
    nicht kein keine keinen keiner keines nie niemals nichts niemand ohne weder noch wenn falls sofern nur außer es-sei-denn solange bis \
    obwohl aber jedoch kaum selten kann könnte dürfte vielleicht wohl vermutlich möglicherweise sondern statt sonst \
    ne pas jamais rien aucun aucune personne sans ni si seulement sauf quand lorsque tant jusque bien mais cependant rarement peut pourrait \
    peut-être probablement sinon \
    no nunca jamás nada nadie ningún ninguna sin ni solo sólo salvo excepto cuando hasta aunque pero apenas puede podría quizás tal-vez \
    probablemente sino \
    non mai niente nulla nessuno senza né se solo soltanto tranne quando finché sebbene ma però forse può potrebbe \
    não nunca nada ninguém nenhum sem nem se apenas só exceto quando até embora mas talvez pode poderia \
    niet geen nooit niets niemand zonder tenzij als alleen behalve wanneer totdat hoewel maar misschien kan zou \
    inte ingen inget aldrig utan om endast bara förutom när tills men kanske kan skulle ";

fn restricts(part: &str) -> bool {
    part.split(|c: char| !is_word(c) && c != '\'' && c != '-').filter(|word| !word.is_empty()).any(
        |word| {
            let word = word.to_lowercase();
            word.ends_with("n't") || RESTRICTING.contains(&format!(" {word} "))
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(claim: &str, statement: &str, holds: bool) {
        assert_eq!(is_verbatim(claim, statement), holds, "{claim:?} of {statement:?}");
    }

    // proves: C4, C20
    #[test]
    fn typography_changes_nothing() {
        let statement = "you should read the **major** release notes of all “intervening” versions";
        check(
            "You should read the major release notes of all \"intervening\" versions.",
            statement,
            true,
        );
        check("- The gulls’ eggs — two to four", "the gulls' eggs - two to four.", true);
        check("Gulls eat fish", "Gulls eat  \nfish.", true);
        check("鸥吃鱼", "鸥吃鱼。", true);
    }

    // proves: C4, C20
    #[test]
    fn any_other_word_order_letter_or_sign_does() {
        let statement = "The trial was not stopped, and the drug is safe in mice.";
        for claim in [
            "The trial was stopped, and the drug is safe in mice.",
            "The drug is safe in mice.",
            "The trial was not stopped, and the drug is safe.",
            "the drug is safe in mice, and the trial was not stopped.",
            "The Trial was not stopped, and the drug is safe in mice.",
            "The trial was not stopped and the drug is safe in mice.",
            "",
            ".",
        ] {
            check(claim, statement, false);
        }
        check("Keep 5 of them", "Keep -5 of them", false);
    }

    // proves: C4, C20
    #[test]
    fn a_clause_stands_alone_where_nothing_that_is_left_out_denies_or_restricts() {
        check(
            "The index is rebuilt.",
            "The index is rebuilt; the log of the server is kept.",
            true,
        );
        check(
            "the log of the server is kept",
            "The index is rebuilt; the log of the server is kept.",
            true,
        );
        check(
            "Large objects are copied.",
            "Large objects are copied (see the chapter on them).",
            true,
        );
        check("The index is rebuilt.", "The index is rebuilt; the log of it is not kept.", false);
        check(
            "The old cluster can be used",
            "The old cluster can be used (unless it was linked).",
            false,
        );
        check("The index is rebuilt.", "The index is rebuilt, and the log is kept.", false);
        check("索引被重建", "索引被重建；日志不保留", false);
        check("the plan works", "It is false; the plan works", false);
    }
}
