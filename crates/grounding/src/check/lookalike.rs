//! Numbers that a source gives for a name that only resembles the claim's: what happened in 2018 to Aspen Hill, attributed to Aspen Road.

use super::Fault;
use crate::fold::is_word;
use crate::names::tokens;
use crate::quantity::{Borne, Known, Quantity};

/// Returns a fault if every statement with a number of the claim names a look-alike of one of the claim's names, and not that name.
pub(super) fn number_of_another(
    claim: &str,
    quantities: &[Quantity],
    statements: &[(String, Vec<Quantity>)],
) -> Option<Fault> {
    let in_claim = names(claim);
    let in_statements: Vec<Vec<Vec<&str>>> =
        statements.iter().map(|(text, _)| names(text)).collect();
    let has = |names: &[Vec<&str>], name: &[&str]| {
        names.iter().any(|known| known.windows(name.len()).any(|words| words == name))
    };
    for name in &in_claim {
        let rival = in_statements.iter().flatten().find(|other| {
            is_lookalike(name, other) && !has(&in_claim, other) && !has(&in_claim, last(other))
        });
        let Some(rival) = rival else { continue };
        for quantity in quantities.iter().filter(|quantity| quantity.is_told) {
            let bearing: Vec<&Vec<Vec<&str>>> = statements
                .iter()
                .zip(&in_statements)
                .filter(|((_, given), _)| {
                    let mut known = Known::default();
                    known.add(given.clone());
                    known.bears_out(quantity) == Borne::Out
                })
                .map(|(_, names)| names)
                .collect();
            let of_rival = |names: &&Vec<Vec<&str>>| has(names, rival) && !has(names, name);
            if !bearing.is_empty() && bearing.iter().all(of_rival) {
                return Some(Fault::NumberOfAnother {
                    number: claim.get(quantity.at.clone()).unwrap_or_default().to_owned(),
                    name: name.join(" "),
                    found: rival.join(" "),
                });
            }
        }
    }
    None
}

fn last<'a, 'b>(name: &'b [&'a str]) -> &'b [&'a str] {
    name.get(name.len().saturating_sub(1)..).unwrap_or_default()
}

/// Returns the names in a folded text: runs of capitalised words, and single words of letters and digits.
fn names(text: &str) -> Vec<Vec<&str>> {
    let mut found: Vec<Vec<&str>> = Vec::new();
    let mut end = None;
    for (at, token) in tokens(text) {
        let word = token.strip_suffix("'s").unwrap_or(token);
        let is_name = word.starts_with(char::is_uppercase);
        if is_name {
            let follows = end.is_some_and(|end| text.get(end..at) == Some(" "));
            match found.last_mut() {
                Some(name) if follows => name.push(word),
                _ => found.push(vec![word]),
            }
            end = Some(at + token.len());
        }
    }
    // "On Skomer" at the beginning of a sentence names Skomer.
    let language = text::guess(text);
    for name in &mut found {
        if name.first().is_some_and(|word| text::is_stop_word(&word.to_lowercase(), language)) {
            name.remove(0);
        }
    }
    found.retain(|name| name.len() > 1 || name.iter().all(|word| is_code(word)));
    found
}

/// Returns whether a word is a code that ends in a digit: `E1`.
fn is_code(word: &str) -> bool {
    word.ends_with(|c: char| c.is_ascii_digit()) && word.chars().all(is_word)
}

/// Returns whether two names share all but one word, or the letters before their digits.
fn is_lookalike(one: &[&str], other: &[&str]) -> bool {
    match (one, other) {
        ([one], [other]) => {
            let stem = |word: &str| word.trim_end_matches(|c: char| c.is_ascii_digit()).to_owned();
            one != other && is_code(one) && is_code(other) && stem(one) == stem(other)
        }
        _ if one.len() == other.len() => {
            one.iter().zip(other).filter(|(one, other)| one != other).count() == 1
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::quantity::scan;

    fn check(claim: &str, statements: &[&str], expected: Option<(&str, &str)>) {
        let statements: Vec<(String, Vec<Quantity>)> =
            statements.iter().map(|text| ((*text).to_owned(), scan(text))).collect();
        let found = number_of_another(claim, &scan(claim), &statements);
        let found = found.map(|fault| match fault {
            Fault::NumberOfAnother { name, found, .. } => (name, found),
            other => panic!("{other}"),
        });
        let expected = expected.map(|(one, other)| (one.to_owned(), other.to_owned()));
        assert_eq!(found, expected, "{claim:?}");
    }

    // proves: C4, C20
    #[test]
    fn a_number_of_a_look_alike_is_found_and_what_speaks_of_both_is_left_to_reading() {
        let statements =
            ["Aspen Road moved its start to 08:30 in 2019.", "Aspen Hill closed in 2018."];
        check(
            "The closure of Aspen Road came in 2018.",
            &statements,
            Some(("Aspen Road", "Aspen Hill")),
        );
        check(
            "The school Aspen Hill moved in 2019.",
            &statements,
            Some(("Aspen Hill", "Aspen Road")),
        );
        check("The school Aspen Hill closed in 2018.", &statements, None);
        check("Unlike Aspen Road, Aspen Hill closed in 2018.", &statements, None);
        check("Trench D held 5 pots.", &["Trench C held 5 pots, Trench D none."], None);
        let rows = ["| E1 | 81.3 % |", "| E2 | 90.4 % |"];
        check("E1 cells kept 90.4 %.", &rows, Some(("E1", "E2")));
        check("E1 cells kept 81.3 %, E2 cells 90.4 %.", &rows, None);
    }
}
