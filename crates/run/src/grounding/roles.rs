//! Who does what to whom, and which of two: roles that a claim swaps, and alternatives of which it drops one.

use std::collections::HashSet;

use super::lexicon::listed;
use super::polarity::{clauses, direction};
use super::quote::Found;
use crate::analysis::{Analyzer, Language, terms, words};

/// Stems of verbs, and of nouns, on whose two sides the parts differ.
const RELATIONS: &[&str] = &[
    "caus lead led result produc induc trigger provok generat creat drive drove driven shape",
    "increas decreas reduc lower rais boost improv worsen affect influenc alter chang modul regul",
    "prevent protect inhibit suppress block activ enhanc stimul promot infect kill eat ate eaten bite bit hunt",
    "predict explain determin depend deriv preced follow replac succeed outperform exceed surpass",
    "defeat beat attack invad conquer critic criticis accus sue acquir bought teach taught orbit own rule",
    "risk odd hazard incid before after",
];

/// Tells whether the claim has on one side of a verb what the quote has on the other: "stress causes pain" by "pain causes stress".
pub(super) fn reversed(claim: &str, quote: &str) -> bool {
    let given: Vec<Relation> = clauses(quote).flat_map(relations).take(MOST_COMPARED).collect();
    clauses(claim).flat_map(relations).take(MOST_COMPARED).any(|asked| {
        let mut same = given.iter().filter(|relation| relation.stem == asked.stem).peekable();
        same.peek().is_some() && same.all(|relation| asked.turns(relation))
    })
}

/// A verb of [`RELATIONS`] and the stems on its sides, in one clause.
struct Relation {
    stem: String,
    /// As in "was caused by": who acts stands behind the verb.
    passive: bool,
    left: HashSet<String>,
    right: HashSet<String>,
}

impl Relation {
    fn turns(&self, given: &Relation) -> bool {
        let meet = |one: &HashSet<String>, two: &HashSet<String>| !one.is_disjoint(two);
        let crossed = meet(&self.left, &given.right) && meet(&self.right, &given.left);
        let straight = meet(&self.left, &given.left) && meet(&self.right, &given.right);
        if self.passive == given.passive { crossed } else { straight && !crossed }
    }
}

/// Relations of a clause that are read, at most, so that a long clause costs no more than its length.
const MOST_RELATIONS: usize = 8;
/// Relations of a text that are held against those of another.
const MOST_COMPARED: usize = 128;

fn relations(clause: &str) -> Vec<Relation> {
    let spoken: Vec<(usize, &str)> = words(clause).collect();
    let mut analyzer = Analyzer::new(Language::English);
    let mut found = Vec::new();
    for (index, (at, word)) in spoken.iter().enumerate() {
        let stem = analyzer.terms(word).concat();
        let stem = if matches!(*word, "before" | "after") { (*word).to_owned() } else { stem };
        if stem.is_empty() || !listed(RELATIONS, &stem) {
            continue;
        }
        let mut side = |text: Option<&str>| {
            let stems = analyzer.terms(text.unwrap_or_default()).into_iter();
            stems.filter(|other| *other != stem).collect::<HashSet<String>>()
        };
        let (left, right) = (side(clause.get(..*at)), side(clause.get(at + word.len()..)));
        let behind = spoken.get(index + 1..).unwrap_or_default();
        let by = behind.iter().take(4).position(|(_, word)| *word == "by");
        let acts = by.and_then(|by| behind.get(by + 1));
        let passive = acts.is_some_and(|(_, word)| !word.starts_with(|c: char| c.is_numeric()));
        found.push(Relation {
            left: left.difference(&right).cloned().collect(),
            right: right.difference(&left).cloned().collect(),
            stem,
            passive,
        });
        if found.len() == MOST_RELATIONS {
            break;
        }
    }
    found
}

/// Pairs of which a source that names both with an "or" decides for neither.
const EITHER: [(&[&str], &[&str]); 3] = [
    (
        &["cause causes"],
        &["consequence consequences effect effects result marker symptom sign correlate"],
    ),
    (&["benefit benefits"], &["harm harms risk risks"]),
    (&["chance"], &["skill design"]),
];

/// Tells whether the claim has one of two alternatives that the quote's sentence leaves open, or joins by "and" what it parts by "or".
pub(super) fn chosen(claim: &str, found: &Found) -> bool {
    let sentence = lower(sentence(found));
    let asked = lower(claim);
    let stem = |word: &str| terms(word, Language::English).concat();
    let claimed: HashSet<String> = terms(claim, Language::English).into_iter().collect();
    let offered = asked.iter().any(|word| word == "or");
    let or = sentence.iter().enumerate().filter(|(_, word)| *word == "or").take(MOST_RELATIONS);
    for (at, _) in or {
        let before = sentence.get(..at).unwrap_or_default();
        let behind = sentence.get(at + 1..).unwrap_or_default();
        let content = |word: &&String| !stem(word).is_empty();
        let one = before.iter().rev().take(3).find(content);
        let two = behind.iter().take(3).find(content);
        let (Some(one), Some(two)) = (one, two) else { continue };
        let open = before.iter().rev().take(8).any(|word| listed(&["either whether"], word))
            || EITHER.iter().any(|(left, right)| {
                listed(left, one) && listed(right, two) || listed(right, one) && listed(left, two)
            })
            || matches!(
                (direction(one), direction(two)),
                (Some((row, side)), Some((other, away))) if row == other && side != away
            );
        let (first, second) = (stem(one), stem(two));
        let has = (claimed.contains(&first), claimed.contains(&second));
        if open && !offered && (has.0 || has.1) {
            return true;
        }
        let joins = |words: &[String]| match words {
            [left, and, right] => {
                let ends = (stem(left), stem(right));
                and == "and"
                    && (ends == (first.clone(), second.clone())
                        || ends == (second.clone(), first.clone()))
            }
            _ => false,
        };
        if has.0 && has.1 && asked.windows(3).any(joins) && !sentence.windows(3).any(joins) {
            return true;
        }
    }
    false
}

/// Returns the quote, and what stands before and behind it where an "or" joins them, folded.
fn sentence(found: &Found) -> &str {
    let text = &found.folded.text;
    let before = text.get(..found.at.start).unwrap_or_default();
    let after = text.get(found.at.end..).unwrap_or_default();
    let near = before.rfind(['.', ',', ';', ':', '!', '?']).map_or(0, |at| at + 1);
    let near = before.get(near..).unwrap_or_default();
    let open = near.split(' ').rev().take(5).any(|word| matches!(word, "or" | "either"));
    let start = if open { near.len() } else { 0 };
    let goes_on = after.trim_start().starts_with("or ");
    let end = if goes_on { after.find(['.', ',', ';', ':']).unwrap_or(after.len()) } else { 0 };
    text.get(found.at.start - start..found.at.end + end).unwrap_or_default()
}

fn lower(text: &str) -> Vec<String> {
    words(text).map(|(_, word)| word.to_lowercase()).collect()
}

#[cfg(test)]
mod tests {
    use super::super::quote;
    use super::*;

    // proves: C4, C13
    #[test]
    fn who_acts_and_who_is_acted_on_do_not_change_places() {
        for (claim, quote, expected) in [
            ("Pain causes stress", "Stress causes pain", true),
            ("Stress causes pain", "Stress causes pain in adults", false),
            ("Stress is caused by pain", "Pain causes stress", false),
            ("Pain is caused by stress", "Pain causes stress", true),
            ("Pain causes stress", "Pain is caused by stress", true),
            ("Stress causes pain", "Pain is caused by stress", false),
            ("In adults the drug reduced fever", "The drug reduced fever in adults", false),
            ("Sales were reduced by 5 in May", "Sales were reduced in May by 5", false),
            ("Strokes had a lower risk of naps", "Naps had a lower risk of strokes", true),
            ("The risk of strokes was lower", "Naps had a lower risk of strokes", false),
            ("Gulls sing", "Terns sing", false),
        ] {
            assert_eq!(reversed(claim, quote), expected, "{claim:?} by {quote:?}");
        }
    }

    // proves: C4, C13
    #[test]
    fn what_the_source_leaves_open_is_not_chosen() {
        let text = "The leak is a cause or consequence of the fire. It was either rust or frost that \
            split the pipe. Aspirin or codeine helped. Tea or coffee was drunk.";
        for (claim, cited, expected) in [
            ("The leak is the cause of the fire", "a cause or consequence of the fire", true),
            ("The leak is a cause", "The leak is a cause", true),
            ("The leak is a consequence or cause", "a cause or consequence of the fire", false),
            ("Rust split the pipe", "either rust or frost that split the pipe", true),
            ("Aspirin and codeine helped", "Aspirin or codeine helped", true),
            ("Tea was drunk", "Tea or coffee was drunk", false),
        ] {
            let found = quote::find(text, cited).unwrap();
            assert_eq!(chosen(claim, &found), expected, "{claim:?} by {cited:?}");
        }
    }
}
