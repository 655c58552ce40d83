//! Decides whether a claim repeats its statement word for word.

use crate::fold::{LineEnd, fold};
use crate::marks::set_apart;

/// Returns whether a claim repeats a statement word for word, apart from typography, the initial capital and the brackets around references
/// of the statement's own, which an answer sets apart from its marks.
///
/// Part of a statement is not a quote: the rest may negate it, doubt it or make it conditional, which only a reader can tell.
pub fn is_verbatim(claim: &str, statement: &str) -> bool {
    let (claim, statement) = (folded(claim), folded(statement));
    let whole = bare(&claim);
    if whole.is_empty() {
        return false;
    }
    alike(whole, bare(&statement))
}

fn folded(text: &str) -> String {
    fold(&set_apart(text), LineEnd::Joined).text
}

/// Strips list marks, quotation marks and full stops from both ends.
fn bare(text: &str) -> &str {
    let edge = |c: char| {
        c.is_whitespace()
            || matches!(c, '"' | '\'' | '.' | ';' | ',' | ':' | '。' | '．' | '>' | '|' | '*' | '•')
    };
    let inner = text.trim_matches(edge);
    inner.strip_prefix("- ").unwrap_or(inner)
}

/// Returns whether two folded texts are the same apart from the initial capital.
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
    fn references_of_the_source_may_be_set_apart_and_not_left_out() {
        let statement = "Gulls eat fish,[2] crabs [12, 13] and waste.[7a]";
        check("Gulls eat fish,‹2› crabs ‹12, 13› and waste.‹7a›", statement, true);
        check(statement, statement, true);
        check("Gulls eat fish,‹3› crabs ‹12, 13› and waste.‹7a›", statement, false);
        check("Gulls eat fish, crabs and waste.", statement, false);
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
    fn a_part_is_no_quote_whatever_is_left_out() {
        for (claim, statement) in [
            ("The index is rebuilt.", "The index is rebuilt; the log of the server is kept."),
            ("The plan is cheap.", "The plan is cheap - at least on paper."),
            (
                "Then ships would vanish.",
                "Suppose that the earth is flat; then ships would vanish.",
            ),
            ("Tempering halves it.", "According to Sato, tempering halves it."),
            ("Large objects are copied.", "Large objects are copied (unless they are linked)."),
            ("索引被重建", "索引被重建；日志不保留"),
        ] {
            check(claim, statement, false);
        }
    }
}
