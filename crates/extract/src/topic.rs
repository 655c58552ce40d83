//! The topic of a question: its words without those that only ask.

use std::collections::BTreeSet;

use super::overlap::share;
use text::{Language, terms};

/// Words that ask for something.
const ASKING: &str = "describe explain discuss define give list name state outline identify summarise summarize \
    tell show find please possible example examples definition definitions";

/// Asking words that may also be the thing asked for: the names of his children.
const EITHER: &str = "name list state";

/// More such words, and words that occur in questions about anything. In a text they relate to the words next to them.
const ANYTHING: &str = "compare comparison contrast design evaluate assess analyse analyze overview strength strengths weakness \
    weaknesses advantage advantages disadvantage disadvantages pros cons difference differences similarities details \
    background summary brief briefly recommend suggest question answer know think say said mean meaning meant understand learn \
    like want need help get got make made take took go went come came put keep use used work works happen happened \
    become became let try look seem thing things way ways kind kinds sort type types part parts point points reason reasons fact \
    facts story idea ideas issue role time times long far big large small tall fast quickly slowly soon best better \
    good bad main important different really actually exactly also today currently nowadays ever usually typically many much \
    lot people person year years day days number amount size effective able available allowed cause causes caused affect \
    effect lead";

/// The weight of a word that occurs only in a near form: *growth* for *grow*.
pub(super) const NEAR: f64 = 0.7;

/// Groups of words with the same meaning. A question seldom uses the words of the text that answers it.
const ALIKE: &[&str] = &[
    "delete remove erase drop discard",
    "folder directory",
    "show display print list see",
    "stop abort cancel halt terminate quit",
    "limit maximum max upper",
    "undo revert reset restore",
    "begin start launch",
    "end finish complete",
    "fast speed performance quick",
    "error fail failure problem",
    "make create build generate",
    "phone telephone mobile",
    "email mail e-mail",
    "price cost fee charge rate",
    "repair fix mend",
    "job task work",
    "allow permit enable",
    "forbid prohibit disallow",
    "change modify alter edit update set",
    "big large size",
    "send transmit",
    "get fetch retrieve obtain return",
    "save store keep",
    "check verify test",
    "choose select pick",
    "find search look locate",
    "combine merge join",
    "split divide separate",
    "copy duplicate clone",
    "turn switch",
    "disable off",
    "buy purchase order",
    "pay payment",
    "rent lease",
    "boss manager head lead",
    "doctor physician",
    "car vehicle",
    "kid child",
    "meeting appointment",
    "happen occur",
    "need require",
    "value setting",
    "old age",
    "long length duration",
    "wide width",
    "tall high height",
    "heavy weight weigh",
    "deep depth",
    "temporary temp",
    "protect guard secure",
    "avoid prevent",
    "quit leave exit",
    "run execute invoke",
    "write author",
    "write output",
    "ignore skip",
    "argument parameter option",
    "config configuration setting",
    "number count",
    "user account",
    "hide invisible conceal",
    "arrive arrival",
    "open opening",
    "found establish",
    "invent create design",
    "located lie stand",
    "born birth",
    "die death",
];

/// Returns the stems of a word's near-synonyms.
pub(super) fn alike(term: &str, language: Language) -> Vec<String> {
    if language != Language::English {
        return vec![];
    }
    let groups = ALIKE
        .iter()
        .map(|group| terms(group, language))
        .filter(|group| group.iter().any(|one| one == term));
    groups.flatten().filter(|one| one != term).collect()
}

/// Returns whether one of two words is part of the other, as in languages with compound words.
pub(super) fn is_part(one: &str, other: &str) -> bool {
    /// Shorter words are part of many others.
    const SHORTEST: usize = 4;
    let (short, long) = if one.len() <= other.len() { (one, other) } else { (other, one) };
    short.chars().count() >= SHORTEST && long.contains(short)
}

/// Returns the terms a question is about, in order, without the words that only ask; all of them if nothing else is left.
pub(super) fn subject(question: &str, language: Language) -> Vec<String> {
    let asked = terms(question, language);
    let asking = if language == Language::English { terms(ASKING, language) } else { Vec::new() };
    let subject: Vec<String> =
        asked.iter().filter(|term| !asking.contains(term)).cloned().collect();
    if subject.is_empty() { asked } else { subject }
}

/// Returns the terms that a question is about, with their weights: not *explain* or *strengths*, nor words that occur in questions about
/// anything. All of them if nothing else is left.
pub fn topic(asked: Vec<(String, f64)>, language: Language) -> Vec<(String, f64)> {
    if language != Language::English {
        return asked;
    }
    let mut set_aside: BTreeSet<String> = terms(ASKING, language).into_iter().collect();
    set_aside.extend(terms(ANYTHING, language));
    for either in terms(EITHER, language) {
        set_aside.remove(&either);
    }
    let is_topic = |(term, _): &&(String, f64)| !set_aside.contains(term);
    let topic: Vec<(String, f64)> = asked.iter().filter(is_topic).cloned().collect();
    if topic.is_empty() { asked } else { topic }
}

/// Returns the share, 0 to 1, of the weight of the query's terms that occur in the passages found, as [`coverage`](super::coverage)
/// does, but a term that occurs only in a near form counts for most of its weight.
pub fn bearing(query: &[(String, f64)], found: &[Vec<String>]) -> f64 {
    share(
        query,
        found,
        |term, found| {
            if found.iter().any(|other| are_near(term, other)) { NEAR } else { 0.0 }
        },
    )
}

/// Returns whether two stems are probably forms of one word that stemming keeps apart: one begins with the other, or nearly.
pub(super) fn are_near(one: &str, other: &str) -> bool {
    let (short, long) = if one.len() <= other.len() { (one, other) } else { (other, one) };
    let letters = |word: &str| word.chars().all(char::is_alphabetic);
    if !letters(short) || !letters(long) {
        return false;
    }
    let (shorter, longer) = (short.chars().count(), long.chars().count());
    let common = short.chars().zip(long.chars()).take_while(|(a, b)| a == b).count();
    let begins = common == shorter && common >= 4 && longer - common <= 3;
    let nearly = common >= 5 && common * 10 >= longer * 7;
    begins || nearly
}

#[cfg(test)]
mod tests {
    use super::super::tests::{close, list};
    use super::*;

    fn weighted(question: &str) -> Vec<(String, f64)> {
        terms(question, Language::English).into_iter().map(|term| (term, 1.0)).collect()
    }

    // proves: C10
    #[test]
    fn what_asks_is_no_topic_unless_nothing_else_is_left() {
        let topic = |question: &str| -> Vec<String> {
            topic(weighted(question), Language::English).into_iter().map(|(term, _)| term).collect()
        };
        assert_eq!(topic("What are the strengths and weaknesses of gulls?"), ["gull"]);
        assert_eq!(topic("How fast can giant kelp grow in a day?"), ["giant", "kelp", "grow"]);
        assert_eq!(topic("Explain the difference!"), ["explain", "differ"]);
    }

    // proves: C10
    #[test]
    fn a_near_form_of_a_word_counts_for_most_of_it() {
        let grow = weighted("grow kelp");
        close(
            &[
                bearing(&grow, &[list("growth kelp")]),
                bearing(&grow, &[list("grow"), list("kelp")]),
                bearing(&grow, &[list("group help")]),
                bearing(&weighted("diagnose"), &[list("diagnosi")]),
                bearing(&weighted("1854"), &[list("18547")]),
                bearing(&[], &[list("a")]),
            ],
            &[0.85, 1.0, 0.0, 0.7, 0.0, 0.0],
        );
    }
}
