//! The clauses of a text, and the clause that a quote was cut from.

use std::ops::Range;

use super::OPEN;
use super::negation::{is_excepted, negates, negations};
use crate::analysis::sentences;
use crate::grounding::fold::is_word;
use crate::grounding::lexicon::listed;
use crate::grounding::quote::Found;

/// Returns what stands around the quote in its clause, folded: the text before it and the text after it.
pub(super) fn surroundings<'a>(passage: &str, found: &'a Found) -> (String, &'a str) {
    let sentences = sentences(passage);
    let text = &found.folded.text;
    let holding =
        |at: usize| sentences.iter().position(|sentence| sentence.start <= at && at < sentence.end);
    let first = holding(found.span.start);
    let start = first
        .and_then(|index| sentences.get(index))
        .map_or(found.span.start, |sentence| sentence.start);
    let end = holding(found.span.end.saturating_sub(1))
        .and_then(|index| sentences.get(index))
        .map_or(found.span.end, |sentence| sentence.end);
    let before = text.get(found.folded.after(start)..found.at.start).unwrap_or_default();
    let after = text.get(found.at.end..found.folded.after(end)).unwrap_or_default();
    let quote = found.text();
    let clause = before.get(clause_start(before, quote)..).unwrap_or_default();
    let lead = first.map_or("", |index| lead_in(passage, &sentences, index));
    (format!("{lead} {clause}"), after.get(..clause_end(after)).unwrap_or_default())
}

/// Cuts a text at the marks and conjunctions that end a clause.
pub(in crate::grounding) fn clauses(text: &str) -> impl Iterator<Item = &str> {
    text.split(['.', ',', ';', ':', '!', '?', '，', '。', '；', '：', '、', '！', '？'])
        .flat_map(|piece| piece.split(" - "))
        .flat_map(|piece| {
            split_words(
                piece,
                &["but", "while", "whereas", "although", "though", "however", "because"],
            )
        })
}

/// Cuts a clause where it goes on with a second part, whose words may be denied apart.
pub(super) fn parts(clause: &str) -> Vec<&str> {
    split_words(clause, &["and", "or", "who", "which"])
}

/// Cuts a text before each of the words `cuts`.
fn split_words<'a>(text: &'a str, cuts: &[&str]) -> Vec<&'a str> {
    let mut found = Vec::new();
    let (mut from, mut at, mut last) = (0, 0, "");
    for word in text.split(' ') {
        // "anything but" and "all but" take back what went before.
        let kept = word == "but" && is_excepted(&last.to_lowercase());
        last = word;
        if !kept && cuts.iter().any(|cut| word.eq_ignore_ascii_case(cut)) {
            found.extend(text.get(from..at));
            from = at;
        }
        at += word.len() + 1;
    }
    found.extend(text.get(from..));
    found
}

/// Returns the lower-case words of a text with inner apostrophes and hyphens; single letters in a row are read as one word.
pub(super) fn spoken(text: &str) -> Vec<String> {
    let words = text
        .split(|c: char| !(is_word(c) || matches!(c, '\'' | '-')))
        .map(|word| word.trim_matches(|c| !is_word(c)).to_lowercase())
        .filter(|word| !word.is_empty());
    let mut found: Vec<String> = Vec::new();
    let mut spelled = String::new();
    for word in words {
        if word.chars().count() == 1 {
            spelled.push_str(&word);
        } else {
            let letters = word.split('-').all(|part| part.chars().count() == 1);
            found.extend(Some(std::mem::take(&mut spelled)).filter(|letters| !letters.is_empty()));
            found.push(if letters { word.replace('-', "") } else { word });
        }
    }
    found.extend(Some(spelled).filter(|letters| !letters.is_empty()));
    found
}

/// Returns where the clause begins that the quote goes on with.
///
/// A comma, colon or dash begins one only before something that can be a subject, and never where a negation hangs over it, as
/// in "it is not, in our view, effective".
fn clause_start(before: &str, quote: &str) -> usize {
    let mut start = 0;
    let mut hangs = false;
    let mut aside = false;
    for (at, mark) in before.char_indices() {
        let next = at + mark.len_utf8();
        let left = before.get(start..at).unwrap_or_default();
        let rest = before.get(next..).unwrap_or_default();
        let wide = mark.len_utf8() > 1;
        let begins = match mark {
            ';' | '；' | '。' => true,
            ',' | ':' | '-' | '，' | '：' if wide || rest.is_empty() || rest.starts_with(' ') => {
                let subject = begins_with_subject(rest, quote);
                hangs |= hangs_over(left, aside);
                aside |= !subject;
                subject && !hangs || wide
            }
            ' ' => {
                let word = rest.split(' ').next().unwrap_or_default();
                let last = before.get(..at).and_then(|left| left.rsplit(' ').next());
                matches!(word, "but" | "while" | "whereas" | "although")
                    && !is_excepted(&last.unwrap_or_default().to_lowercase())
            }
            _ => false,
        };
        if begins {
            (start, hangs, aside) = (next, false, false);
        }
    }
    start
}

/// Tells whether the text up to the quote, or else the quote, begins with a word that can open a clause of its own.
fn begins_with_subject(rest: &str, quote: &str) -> bool {
    const SUBJECTS: &[&str] = &[
        "the a an this these those there some many most all both each",
        "it they he she we its their his her our",
        "but and so yet while whereas although though however",
    ];
    let word = rest
        .split(' ')
        .find(|word| !word.is_empty())
        .or_else(|| quote.split(' ').next())
        .unwrap_or_default();
    listed(SUBJECTS, &word.to_lowercase()) || word.starts_with(char::is_uppercase)
}

/// Tells whether what stands `left` of a mark reaches beyond it: it ends in a negation, leaves something open, or denies what
/// an aside only interrupts.
fn hangs_over(left: &str, aside: bool) -> bool {
    let words = spoken(left);
    let last_negates = words.len().checked_sub(1).is_some_and(|last| negates(&words, last, false));
    last_negates
        || aside && negations(&words, false) > 0
        || words.iter().any(|word| listed(OPEN, word))
}

/// Returns where the clause ends that the quote is followed by; a question is one to its end.
fn clause_end(after: &str) -> usize {
    const CUTS: &[&str] = &["and but while whereas although though because who which that or so"];
    if after.ends_with('?') {
        return after.len();
    }
    let mark = after
        .find([',', ';', ':', '，', '；', '。'])
        .or_else(|| after.find(" - "))
        .unwrap_or(after.len());
    let clause = after.get(..mark).unwrap_or_default();
    let words = clause.split(' ').take_while(|word| !listed(CUTS, word));
    words.map(|word| word.len() + 1).sum::<usize>().min(mark)
}

/// Returns the line that introduces the list a sentence is in, if it ends with a colon: "None of these helps:".
fn lead_in<'a>(passage: &'a str, sentences: &[Range<usize>], index: usize) -> &'a str {
    let in_list = |range: &Range<usize>| {
        let line = passage
            .get(..range.start)
            .and_then(|left| left.rsplit('\n').next())
            .unwrap_or_default();
        line.trim_end().ends_with(['-', '*', '+', '•', '.', ')', '|'])
            && !line.contains(char::is_alphabetic)
    };
    let mut before = sentences.get(..=index).unwrap_or_default().iter().rev();
    let own = before.next();
    if !own.is_some_and(in_list) {
        return "";
    }
    let lead = before
        .find(|range| !in_list(range))
        .and_then(|range| passage.get(range.clone()))
        .unwrap_or_default();
    if lead.ends_with([':', '：']) { lead } else { "" }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grounding::quote;

    #[test]
    fn a_text_is_cut_into_clauses_and_these_into_parts() {
        let found: Vec<&str> = clauses("Gulls eat fish, but not grass. All but one left").collect();
        assert_eq!(found, ["Gulls eat fish", " ", "but not grass", " All but one left"]);
        assert_eq!(parts("fish and crabs who swim"), ["fish ", "and crabs ", "who swim"]);
    }

    #[test]
    fn letters_set_apart_are_one_word() {
        assert_eq!(
            spoken("He did n o t, n-o-t 'see' it"),
            ["he", "did", "not", "not", "see", "it"]
        );
    }

    #[test]
    fn around_a_quote_stands_the_rest_of_its_clause() {
        let check = |passage: &str, quote: &str, before: &str, after: &str| {
            let found = quote::find(passage, quote).unwrap();
            let (left, right) = surroundings(passage, &found);
            assert_eq!((left.trim(), right.trim()), (before, after), "{quote:?}");
        };
        let text = "It rains. Though cheap, the drug is safe in adults and works; it is not, in our view, the cure.";
        check(text, "is safe in adults", "the drug", "");
        check(text, "in our view", "it is not,", "");
        check(text, "view, the cure", "it is not, in our", ".");
        check("None helps:\n- rest and sleep\n", "rest and sleep", "None helps:", "");
    }
}
