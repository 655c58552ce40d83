//! Words that add to a figure what no figure says.
//!
//! "A record", "in both waves", "hardly moved", "the remainder", "older passengers": each tells more than the figure beside it, of another time, other
//! people, or a size of a difference, and nothing here can evaluate it. They are refused, unless the question or a label uses the word itself.

use std::collections::BTreeSet;

use super::sentence::Sentence;

/// Words, and phrases of words, each told apart by a bar.
const RIDERS: &str = "record|records|all time|ever before|for years|decade|decades|last year|last month|last quarter|years ago|every month|every week|every year|\
    for the first time|once again|will fall|will rise|will grow|will drop|will be|fall further|rise further|nearly nobody|almost nobody|\
    almost everyone|almost everybody|nearly everyone|virtually|overwhelming|best|worst|a gap|gender gap|age gap|divide|by chance|for chance|\
    margin of error|noise|negligible|agree|agrees|agreed|makes no difference|is small|is large|is big|is huge|is tiny|stayed put|stays put|\
    held at|all ages|all age groups|all groups|every group|every other group|every segment|all segments|and so did|nowhere else|nobody else|no one else|\
    remainder|the rest|the other|the others|of them|of whom|\
    of these|far from|anything but|according to|every second|every third|every fourth|every tenth|only one|a score|dozen|handful|million|millions|thousand|\
    thousands|daily|frequent|occasional|regulars|heavy|commuter|commuters|tourist|tourists|considered|\
    excellent|losing|one another";

/// What is told of several studies, which takes figures of several.
const WAVES: &str =
    "in both|in each|in every|in either|both waves|each wave|every wave|either wave";

pub(super) fn check(sentence: &Sentence<'_>, asked: &BTreeSet<String>, faults: &mut Vec<String>) {
    let studies: BTreeSet<usize> =
        sentence.parts.iter().map(|part| part.asked.spec.study).collect();
    let waves = Some(WAVES).filter(|_| studies.len() < 2);
    for phrase in RIDERS.split('|').chain(waves.into_iter().flat_map(|one| one.split('|'))) {
        let words: Vec<&str> = phrase.split_whitespace().collect();
        let stands = |at: usize| {
            words.iter().enumerate().all(|(place, word)| {
                sentence.free(at + place)
                    && sentence.word(at + place) == *word
                    && !sentence.tokens.get(at + place).is_some_and(|one| asked.contains(&one.stem))
            })
        };
        if (0..sentence.tokens.len()).any(stands) {
            faults.push(format!(
                "'{phrase}' tells what no figure says: leave it out, or give the figure that says it."
            ));
        }
    }
}
