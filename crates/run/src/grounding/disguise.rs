//! Letters and marks that only look like the ones they stand for, and what Markdown would hide.

use std::collections::HashSet;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;
use unicode_script::{Script, UnicodeScript};

use super::fold::is_word;
use super::measures;
use super::names::{tokens, unmeasured};
use super::polarity::is_negation;
use super::{Fault, Written};

/// Returns a fault for every word of the claim in letters that its source does not use.
///
/// `nоt` with a Cyrillic о, a Latin letter from a phonetic alphabet and a word struck through all hide what a reader sees.
pub(super) fn foreign(claim: &str, written: &Written<'_>) -> Vec<Fault> {
    let source = format!("{}\n{}", written.quote, written.section);
    let scripts: HashSet<Script> = source.chars().map(|c| c.script()).collect();
    let known: HashSet<&str> = tokens(&source).map(|(_, token)| token).collect();
    let mut found: Vec<Fault> = unmeasured(claim, &measures::scan(claim))
        .filter(|(_, token)| !known.contains(token) && looks_foreign(token, &scripts))
        .map(|(_, token)| Fault::ForeignScript { word: token.to_owned() })
        .collect();
    let sign = signs(claim).find(|sign| !source.contains(*sign));
    found.extend(sign.map(|sign| Fault::ForeignScript { word: sign.to_string() }));
    found.extend(spelled_out(claim).map(|word| Fault::ForeignScript { word }));
    found
}

/// Returns a negation written with its letters apart: `n.o.t`.
fn spelled_out(claim: &str) -> Option<String> {
    let mut letters = String::new();
    for word in claim.split(|c: char| !is_word(c)).filter(|word| !word.is_empty()).chain(["."]) {
        if word.chars().nth(1).is_none() && word != "." {
            letters.push_str(&word.to_lowercase());
        } else if letters.len() > 1 && is_negation(&letters) {
            return Some(letters);
        } else {
            letters.clear();
        }
    }
    None
}

/// Returns the signs of a claim that can stand for a letter or for "not": pictures, arrows, relations, marks inside a word.
fn signs(claim: &str) -> impl Iterator<Item = char> {
    let characters: Vec<char> = claim.chars().collect();
    let is_sign = |c: char| {
        matches!(c, '\u{2190}'..='\u{23ff}' | '\u{2460}'..='\u{2bff}' | '\u{1f000}'..='\u{1faff}' | '¬' | '<' | '>' | '=')
            && c != '−'
    };
    let stands_in = |c: char| !is_word(c) && !c.is_whitespace() && !".,-'\"/:;&()".contains(c);
    let triples = characters.windows(3).filter_map(|w| match w {
        [left, sign, right]
            if left.is_alphabetic() && right.is_alphabetic() && stands_in(*sign) =>
        {
            Some(*sign)
        }
        _ => None,
    });
    let inside: Vec<char> = triples.collect();
    characters.into_iter().filter(move |c| is_sign(*c)).chain(inside)
}

/// Returns a fault where the claim, as Markdown shows it, may not read as it is written: struck out, in a comment, an entity.
pub(super) fn hidden(claim: &str, passage: &str) -> Option<Fault> {
    const MARKS: [&str; 8] = ["~~", "<!", "</", "](", "][", "]:", "&#", "\\"];
    let written = |mark: &str| claim.contains(mark) && !passage.contains(mark);
    let tag = |after: &str| after.starts_with(|c: char| c.is_ascii_alphabetic());
    let entity = claim.split('&').skip(1).any(|after| {
        after.find(';').is_some_and(|end| end < 12 && tag(after)) && !after.starts_with(' ')
    });
    let tagged = claim.split('<').skip(1).any(tag);
    let mark = MARKS.into_iter().find(|mark| written(mark));
    let word = mark.or(entity.then_some("&")).or(tagged.then_some("<"))?;
    Some(Fault::ForeignScript { word: word.to_owned() })
}

fn looks_foreign(word: &str, scripts: &HashSet<Script>) -> bool {
    use Script::{Common, Han, Hiragana, Inherited, Katakana};
    let own: HashSet<Script> = word
        .chars()
        .map(|c| c.script())
        .filter(|script| !matches!(script, Common | Inherited))
        .map(|script| if matches!(script, Hiragana | Katakana) { Han } else { script })
        .collect();
    let japanese = scripts.contains(&Hiragana) || scripts.contains(&Katakana);
    let absent = |script: &Script| !(scripts.contains(script) || *script == Han && japanese);
    own.len() > 1 || own.iter().any(absent) || is_disguised(word)
}

/// Tells whether a Latin word has marks laid over it, letters no ordinary spelling uses, or accents that hide a negation.
fn is_disguised(word: &str) -> bool {
    let latin = word.chars().any(|c| c.script() == Script::Latin);
    let odd = |c: char| {
        is_combining_mark(c)
            || c.script() == Script::Latin
                && matches!(c, '\u{180}'..='\u{2af}' | '\u{1d00}'..='\u{1dbf}' | '\u{2c60}'..='\u{2c7f}' | '\u{a720}'..='\u{a7ff}' | '\u{ab30}'..='\u{ab6f}' | '\u{10780}'..='\u{107ba}')
    };
    let skeleton: String = word
        .nfd()
        .filter(|c| !is_combining_mark(*c))
        .map(|c| match c {
            'ı' => 'i',
            'ø' => 'o',
            'ŧ' => 't',
            'ŉ' => 'n',
            'ħ' => 'h',
            _ => c,
        })
        .collect();
    let accented =
        skeleton != word.nfd().collect::<String>() && is_negation(&skeleton.to_lowercase());
    latin && (word.chars().any(odd) || accented)
}

#[cfg(test)]
mod tests {
    use super::*;

    // proves: C4, C13
    #[test]
    fn letters_of_another_script_are_foreign() {
        let quote = "Niko Tinbergen watched herring gulls and an α-helix.";
        let written = Written { quote, section: "Herring gull > Ringing in Wales", passage: quote };
        let check = |claim: &str, expected: usize| {
            assert_eq!(foreign(claim, &written).len(), expected, "{claim:?}");
        };
        check("gulls do not eat an α-helix of 5 μm", 0);
        check("gulls do nоt eat", 1);
        check("gulls do nọt eat", 1);
        check("gulls do n\u{336}o\u{336}t\u{336} eat", 1);
        check("чайки eat", 1);
        check("gulls do 🅽🅾🆃 eat", 1);
        check("a naïve café", 0);
    }
}
