//! Look-alike letters and marks, and text that Markdown would hide.

use unicode_normalization::char::is_combining_mark;
use unicode_script::{Script, UnicodeScript};

use crate::fold::{is_ignorable, is_word};

/// Returns a word of a claim that does not read as it is written, unless its source uses it too.
///
/// `nоt` with a Cyrillic о, a word struck through, a word with an invisible character in it, a comment: all hide from a reader what the
/// claim says.
pub(crate) fn disguised(claim: &str, context: &str) -> Option<String> {
    let known = |word: &&str| !context.contains(*word);
    markup(claim, context)
        .or_else(|| split(claim).filter(known).find(|word| is_disguised(word)).map(str::to_owned))
}

/// Returns the words of a text, including odd and invisible characters inside them.
fn split(text: &str) -> impl Iterator<Item = &str> {
    let within = |c: char| is_word(c) || is_ignorable(c) || is_odd(c);
    text.split(move |c| !within(c)).filter(|word| !word.is_empty())
}

fn is_disguised(word: &str) -> bool {
    let mut scripts: Vec<Script> = word
        .chars()
        .map(|c| c.script())
        .filter(|script| !matches!(script, Script::Common | Script::Inherited | Script::Unknown))
        .map(eastern)
        .collect();
    scripts.sort_by_key(|script| script.short_name());
    scripts.dedup();
    let is_latin = scripts.contains(&Script::Latin);
    // Joiners belong to the spelling of other scripts; between Latin letters they hide something.
    let inner = word.trim_matches(is_ignorable);
    let hides = is_latin && inner.chars().any(|c| is_ignorable(c) && c != '\u{ad}');
    let mixed = scripts.len() > 1 && !is_symbol(word);
    mixed || hides || word.chars().any(is_odd) || is_latin && word.chars().any(is_overlay)
}

/// Returns whether a word is a symbol of mixed scripts, such as `μm`, `kΩ` and `α2A`: short, with Greek among Latin.
fn is_symbol(word: &str) -> bool {
    let greek = word.chars().filter(|c| c.script() == Script::Greek).count();
    let others = word.chars().any(|c| {
        !matches!(c.script(), Script::Greek | Script::Latin | Script::Common | Script::Inherited)
    });
    let looks_latin = word.contains([
        'ο', 'Ο', 'α', 'ν', 'ι', 'ρ', 'Α', 'Β', 'Ε', 'Ζ', 'Η', 'Ι', 'Κ', 'Μ', 'Ν', 'Ρ', 'Τ', 'Υ',
        'Χ',
    ]);
    greek == 1 && !others && (!looks_latin || word.chars().count() <= 2)
}

/// Merges scripts that one language mixes.
fn eastern(script: Script) -> Script {
    match script {
        Script::Hiragana | Script::Katakana | Script::Hangul | Script::Bopomofo => Script::Han,
        other => other,
    }
}

/// Returns whether a character is a Latin letter that no ordinary spelling uses, or a letter in a circle or square.
fn is_odd(c: char) -> bool {
    matches!(c, '\u{180}'..='\u{2af}' | '\u{1d00}'..='\u{1dbf}' | '\u{2c60}'..='\u{2c7f}' | '\u{a720}'..='\u{a7ff}'
        | '\u{ab30}'..='\u{ab6f}' | '\u{10780}'..='\u{107ba}' | '\u{24b6}'..='\u{24e9}' | '\u{1f110}'..='\u{1f189}')
        && !matches!(
            c,
            'Ș' | 'ș' | 'Ț' | 'ț' | 'Ơ' | 'ơ' | 'Ư' | 'ư' | 'ə' | 'Ə' | 'ɛ' | 'Ɛ' | 'ɔ' | 'Ɔ'
        )
}

/// Returns whether a mark strikes through or overlays a letter, which no spelling does.
fn is_overlay(c: char) -> bool {
    is_combining_mark(c)
        && matches!(c, '\u{334}'..='\u{338}' | '\u{20d2}' | '\u{20d3}' | '\u{20e5}'..='\u{20ef}' | '\u{489}')
}

/// Returns markup that hides text when the claim is shown as Markdown or HTML, and that its source does not contain.
fn markup(claim: &str, context: &str) -> Option<String> {
    const MARKS: [&str; 4] = ["~~", "<!--", "&#", "]: "];
    let mark = MARKS.into_iter().find(|mark| claim.contains(mark) && !context.contains(mark));
    let tag = claim.split('<').skip(1).find(|after| {
        let name = after.strip_prefix('/').unwrap_or(after);
        name.starts_with(|c: char| c.is_ascii_alphabetic()) && after.contains('>')
    });
    mark.map(str::to_owned).or_else(|| {
        let tag = tag?.split('>').next()?;
        let whole = format!("<{tag}>");
        (!context.contains(&whole)).then_some(whole)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    // proves: C4
    #[test]
    fn letters_and_marks_that_hide_are_found() {
        let context = "Niko Tinbergen watched herring gulls and an α-helix in <b>.";
        for claim in [
            "gulls do nоt eat",
            "gulls do n\u{336}o\u{336}t\u{336} eat",
            "gulls do 🄽🄾🅃 eat",
            "gulls do n\u{200b}ot eat",
            "gulls do ~~not~~ eat",
            "gulls <!-- not --> eat",
            "gulls do ɴot eat",
            "gulls do <i>not</i> eat",
        ] {
            assert!(disguised(claim, context).is_some(), "{claim:?}");
        }
        for claim in [
            "gulls do not eat an α-helix of 5 μm and 3 kΩ",
            "a naïve café in Łódź",
            "чайки не едят",
            "海鸥はカモメ",
            "x < 5 and y > 3 in <b>",
            "می\u{200c}خواهم",
            "Hà Nội và Ơ",
        ] {
            assert_eq!(disguised(claim, context), None, "{claim:?}");
        }
    }
}
