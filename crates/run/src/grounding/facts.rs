//! Which numbers, dates, names and directions a text says together.

use std::collections::HashSet;

use super::lexicon::listed;
use super::measures;
use super::names::{bare, is_name, tokens, unmeasured};
use super::polarity::direction;

/// A number, date, name or direction that a clause joins to others.
struct Fact {
    clause: usize,
    sort: String,
    value: String,
}

/// Tells whether the claim joins what the quote keeps apart: "the B747 carries 525" by "the A380 carries 525; the B747 carries 416".
///
/// Two facts are kept apart if no clause of the quote has both, and a clause with one has another of the same sort as the other.
pub(super) fn misjoined(claim: &str, quote: &str) -> bool {
    let (given, asked) = (facts(quote), facts(claim));
    let clauses = |fact: &Fact| -> HashSet<usize> {
        given.iter().filter(|other| same(other, fact)).map(|other| other.clause).collect()
    };
    let apart = |one: &Fact, two: &Fact, among: &[&Fact]| {
        let (ones, twos) = (clauses(one), clauses(two));
        let rival = |other: &Fact| {
            ones.contains(&other.clause)
                && other.sort == two.sort
                && !among.iter().any(|fact| same(fact, other))
        };
        !twos.is_empty() && ones.is_disjoint(&twos) && given.iter().any(rival)
    };
    let torn = |among: &[&Fact]| {
        let pairs = among.iter().flat_map(|one| among.iter().map(move |two| (*one, *two)));
        pairs.filter(|(one, two)| one.sort != two.sort).any(|(one, two)| apart(one, two, among))
    };
    let whole: Vec<&Fact> = asked.iter().collect();
    let last = asked.last().map_or(0, |fact| fact.clause);
    let one_clause =
        |clause| asked.iter().filter(|fact| fact.clause == clause).collect::<Vec<&Fact>>();
    torn(&whole) || (0..=last).any(|clause| torn(&one_clause(clause)))
}

fn same(one: &Fact, other: &Fact) -> bool {
    one.sort == other.sort && one.value == other.value
}

/// Reads the facts of a folded text, in order, with the clause each is in.
fn facts(text: &str) -> Vec<Fact> {
    const CUTS: &[&str] = &["and or but while whereas although though however because who which"];
    let measures = measures::scan(text);
    let measured = |at: usize| measures.iter().any(|measure| measure.at.contains(&at));
    let mark = |(at, c): &(usize, char)| {
        ".,;:!?".contains(*c)
            && text.get(at + 1..).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
    };
    let marks = text.char_indices().filter(mark).map(|(at, _)| at);
    // "between 3 and 5 May" and "in 1990 and 2010" join; the clause goes on.
    let joins = |at: usize, token: &str| {
        measures.iter().any(|measure| measure.at.end + 1 == at)
            && measures.iter().any(|measure| measure.at.start == at + token.len() + 1)
    };
    let conjunctions = tokens(text)
        .filter(|(at, token)| listed(CUTS, &token.to_lowercase()) && !joins(*at, token))
        .map(|(at, _)| at);
    let cuts: Vec<usize> = marks.chain(conjunctions).filter(|at| !measured(*at)).collect();
    let clause = |at: usize| cuts.iter().filter(|cut| **cut < at).count();
    let numbers = measures.iter().map(|measure| {
        let (sort, value) = measure.sort_and_value();
        (measure.at.start, sort, value)
    });
    let words = unmeasured(text, &measures).filter_map(|(at, token)| {
        match direction(&token.to_lowercase()) {
            Some((row, side)) => Some((at, format!("direction {row}"), side.to_string())),
            None => is_name(token).then(|| (at, "name".to_owned(), bare(token).to_lowercase())),
        }
    });
    let mut found: Vec<(usize, String, String)> = numbers.chain(words).collect();
    found.sort();
    found.into_iter().map(|(at, sort, value)| Fact { clause: clause(at), sort, value }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    // proves: C4, C13
    #[test]
    fn facts_stay_in_the_clauses_the_quote_puts_them_in() {
        let check = |claim: &str, quote: &str, expected: bool| {
            assert_eq!(misjoined(claim, quote), expected, "{claim:?}");
        };
        let planes = "The A380 carries 525 people; the B747 carries 416";
        check("The A380 carries 525 people.", planes, false);
        check("The A380 carries 525 and the B747 416.", planes, false);
        check("The B747 carries 525 people.", planes, true);
        check("The B747, it is said, carries 525 people.", planes, true);
        check("Sales were down 5% in Q1.", "Sales were up 5% in Q1 and down 3% in Q2", true);
    }
}
