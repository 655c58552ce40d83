//! Words that add to a figure what no figure says.
//!
//! "A record", "the remainder", "a score": each tells more than the figure beside it, of another time, other people, or a size of a difference, and
//! nothing here can evaluate it. They are refused, unless the question or a label uses the word itself.

use std::collections::BTreeSet;

use super::sentence::Sentence;

/// Words, and phrases of words, each told apart by a bar.
const RIDERS: &str = "record|records|decade|decades|last quarter|will fall|will rise|will grow|will drop|will be|nearly nobody|almost nobody|\
    almost everyone|almost everybody|nearly everyone|virtually|overwhelming|best|worst|a gap|gender gap|age gap|divide|by chance|for chance|\
    margin of error|noise|negligible|agree|agrees|agreed|makes no difference|is small|is large|is big|is huge|is tiny|and so did|nowhere else|nobody else|no one else|\
    remainder|the other|of them|of whom|\
    of these|far from|anything but|according to|every second|every third|every fourth|every tenth|only one|a score|dozen|handful|million|millions|thousand|\
    thousands|daily|frequent|occasional|regulars|heavy|commuter|commuters|tourist|tourists|considered|\
    excellent|losing|one another";

pub(super) fn check(sentence: &Sentence<'_>, asked: &BTreeSet<String>, faults: &mut Vec<String>) {
    let said = |at: usize, word: &str| {
        sentence.free(at)
            && sentence.word(at) == word
            && !sentence.tokens.get(at).is_some_and(|one| asked.contains(&one.stem))
    };
    for phrase in RIDERS.split('|') {
        let words: Vec<&str> = phrase.split_whitespace().collect();
        let stands =
            |at: usize| words.iter().enumerate().all(|(place, word)| said(at + place, word));
        if (0..sentence.tokens.len()).any(stands) {
            faults.push(format!(
                "'{phrase}' tells what no figure says: leave it out, or give the figure that says it."
            ));
        }
    }
}
