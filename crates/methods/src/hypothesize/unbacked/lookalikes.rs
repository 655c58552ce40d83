//! What looks like a reference mark and is none.
//!
//! Prompts number the evidence, so models write `[evidence 1]` and the like, which no program looks up and a reader takes for a
//! citation. Brackets of chemistry and mathematics look much the same; where neither form nor neighbours tell them apart, the
//! sentence is taken to cite.

use std::ops::Range;

use run::analysis::{Language, is_stop_word};
use run::marks::{folded, marks};

/// Something that looks like a reference mark.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Lookalike {
    /// Bytes into the text.
    pub(super) span: Range<usize>,
    /// Whether it is one only where nothing but a full stop follows in its sentence.
    only_at_the_end: bool,
}

impl Lookalike {
    /// Tells whether it looks like a mark in the sentence that ends at `end`.
    pub(super) fn counts(&self, text: &str, end: usize) -> bool {
        let closes = |c: char| c.is_whitespace() || ".!?…。！？,;:\"'”’»*_)".contains(c);
        !self.only_at_the_end
            || text.get(self.span.end..end).is_some_and(|behind| behind.chars().all(closes))
    }
}

/// Characters between brackets that are looked at: longer brackets hold words.
const LONGEST: usize = 100;

/// Returns what looks like a reference mark in `text`, in the order of its ends.
pub(super) fn found(text: &str) -> Vec<Lookalike> {
    let marks = marks(text);
    let is_mark = |span: &Range<usize>| {
        let behind = marks.partition_point(|mark| mark.span.end <= span.start);
        marks.get(behind).is_some_and(|mark| mark.span.start < span.end)
    };
    let mut found = Vec::new();
    for (at, character) in text.char_indices() {
        let one = match folded(character) {
            '[' => bracket(text, at, ']').filter(|span| !is_mark(span) && square(text, span)),
            '(' => {
                let round = bracket(text, at, ')');
                if let Some(span) = round.clone().filter(|span| ends_a_sentence(text, span)) {
                    found.push(Lookalike { span, only_at_the_end: true });
                }
                round.filter(|span| in_words(&inside(text, span), NUMBERED))
            }
            '{' => bracket(text, at, '}').filter(|span| curly(text, span)),
            '<' => bracket(text, at, '>').filter(|span| angle(text, span)),
            '^' => caret(text, at),
            _ if is_raised(character) => raised(text, at),
            _ => None,
        };
        found.extend(one.map(|span| Lookalike { span, only_at_the_end: false }));
    }
    found.sort_by_key(|one| one.span.end);
    found
}

/// Returns the bracket that opens at `at`, if it is short and none of its kind opens within it.
fn bracket(text: &str, at: usize, close: char) -> Option<Range<usize>> {
    let rest = text.get(at..)?;
    let open = folded(rest.chars().next()?);
    for (length, character) in rest.char_indices().skip(1).take(LONGEST) {
        let character_read = folded(character);
        if character_read == close {
            return Some(at..at + length + character.len_utf8());
        }
        if character_read == open {
            return None;
        }
    }
    None
}

/// What stands between the brackets, as a mark is read.
fn inside(text: &str, span: &Range<usize>) -> String {
    let mut inside = text.get(span.clone()).unwrap_or_default().chars();
    inside.next();
    inside.next_back();
    inside.map(folded).collect()
}

/// What a model calls its evidence, with a number.
const NUMBERED: &str = "evidence evidences source sources ref refs reference references citation citations \
    cite cites cited citing passage passages excerpt snippet";
/// In square brackets these name one as well.
const WORKS: &str = "paper papers article articles study studies doc docs document documents abstract \
    quote item items footnote note fn bibliography literature";
/// Alone in square brackets these stand for a source that is yet to be found.
const PLACES: &str = "ref refs reference citation citations cite source sources ibid";
/// These stand between numbers, or before them.
const BETWEEN: &str = "and or to through see also cf p pp page pages no nr";
/// These stand behind the number of a source.
const PARTS: &str = "fig figs figure figures table tables section sec chapter ch abstract eq";

/// Numbers that are written out; they count beside one of the words above only.
const WRITTEN: &str = "one two three four five six seven eight nine ten i ii iii iv v";

fn is_in(list: &str, word: &str) -> bool {
    list.split(' ').any(|one| one == word)
}

/// Tells whether `content`, or what stands before its first comma or colon, holds one of `nouns`, a number, and nothing but such words.
fn in_words(content: &str, nouns: &str) -> bool {
    let lower = content.to_lowercase();
    let number = |word: &str| is_number(word) || is_in(WRITTEN, word);
    let named = |word: &str| is_in(nouns, word);
    let glued = |word: &str| {
        let name = word.trim_end_matches(char::is_numeric);
        name.len() < word.len() && named(name)
    };
    let known = |word: &str| {
        named(word) || glued(word) || number(word) || is_in(BETWEEN, word) || lettered(word)
    };
    let refers = |text: &str| {
        let words = || text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        words().any(|word| number(word) || glued(word))
            && words().any(|word| named(word) || glued(word))
            && words().all(known)
    };
    refers(&lower) || lower.split([',', ';', ':', '|', '(']).next().is_some_and(refers)
}

fn is_number(word: &str) -> bool {
    word.chars().all(char::is_numeric) && word.chars().count() <= 4
}

/// `1a`, but not an isotope: `13C`.
fn lettered(word: &str) -> bool {
    let digits = word.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let letters = word.get(digits.len()..).unwrap_or_default();
    letters.len() == 1
        && !digits.is_empty()
        && digits.len() <= 3
        && is_number(digits)
        && !"BCDFHIKNOPSUVWY".contains(letters)
}

/// `E1`, `S12`, but no molecule and no protein.
fn keyed(word: &str) -> bool {
    const OTHERS: &str = "P4 S8 S2 C60 C70 D2 p53 p21";
    let mut characters = word.chars();
    let letter = characters.next().is_some_and(|c| "ERSPDCLQerspdclq".contains(c));
    let number = characters.as_str();
    letter
        && (1..=3).contains(&number.chars().count())
        && number.chars().all(char::is_numeric)
        && !is_in(OTHERS, word)
}

/// Tells whether square brackets that are no mark look like one.
fn square(text: &str, span: &Range<usize>) -> bool {
    let content = inside(text, span);
    let lower = content.trim().trim_end_matches('.').to_lowercase();
    if is_in(PLACES, &lower) || in_words(&content, NUMBERED) || in_words(&content, WORKS) {
        return true;
    }
    let words: Vec<&str> =
        content.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let Some(first) = words.first() else { return false };
    // `E-1`, `S 2`.
    let apart = |word: &str| {
        let mut pairs = words.windows(2);
        word.len() == 1
            && pairs.any(|pair| matches!(pair, [key, number] if *key == word && keyed(&format!("{key}{number}"))))
    };
    let starts_with_one = is_number(first) || lettered(first) || keyed(first);
    let known = |word: &&str| {
        let lower = word.to_lowercase();
        is_number(word)
            || lettered(word)
            || keyed(word)
            || apart(word)
            || is_in(BETWEEN, &lower)
            || starts_with_one && is_in(PARTS, &lower)
    };
    let numbered = words.iter().any(|word| is_number(word) || lettered(word) || keyed(word));
    numbered && words.iter().all(known) && !is_mathematical(text, span, &content, &words)
}

/// Intervals, vectors, decimals, years, quantities, locants.
fn is_mathematical(text: &str, span: &Range<usize>, content: &str, words: &[&str]) -> bool {
    let spaceless: String = content.chars().filter(|c| !c.is_whitespace()).collect();
    let characters: Vec<char> = spaceless.chars().collect();
    let signed = spaceless.starts_with(['-', '+'])
        || spaceless.contains(",-")
        || spaceless.contains(";-")
        || spaceless.contains(",+");
    let decimal = characters
        .windows(3)
        .any(|three| matches!(three, [a, '.', b] if a.is_ascii_digit() && b.is_ascii_digit()));
    let mixed = characters
        .windows(2)
        .any(|two| matches!(two, [a, b] if a.is_ascii_digit() && is_raised(*b)));
    let zero = words.iter().any(|word| word.chars().all(|c| c == '0'));
    let years = words.iter().all(|word| word.len() == 4 && is_number(word));
    let quantity = content.contains(|c: char| "%‰°$€£=<>≤≥≈~±×∞µ√*·".contains(c));
    let before = text.get(..span.start).and_then(|text| text.chars().next_back());
    let behind = text.get(span.end..).unwrap_or_default();
    let letter = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    let locant = letter(before) && letter(behind.chars().next());
    let adds = content.contains('+') && {
        let next: String = behind.chars().take(16).collect::<String>().to_lowercase();
        next.starts_with('-') || ["cyclo", "annul", "photo"].iter().any(|it| next.contains(it))
    };
    signed || decimal || mixed || zero || years || quantity || locant || adds
}

/// Whether brackets hold nothing but a list of numbers from 1 to 99, as marks have them.
fn is_list(content: &str) -> bool {
    let numbers = content.split([',', ';', '-', '&']).map(str::trim);
    content.len() <= LONGEST
        && numbers.clone().count() <= 20
        && numbers.into_iter().all(|number| {
            let number = number.strip_prefix('^').unwrap_or(number);
            (1..=2).contains(&number.len())
                && number.bytes().all(|byte| byte.is_ascii_digit())
                && !number.starts_with('0')
        })
}

/// The word before `at`, and whether white space parts them.
fn word_before(text: &str, at: usize) -> (&str, bool) {
    let before = text.get(..at).unwrap_or_default();
    let near = before.trim_end();
    let start = near
        .char_indices()
        .rev()
        .take(LONGEST)
        .take_while(|(_, c)| !c.is_whitespace())
        .last()
        .map_or(near.len(), |(start, _)| start);
    (near.get(start..).unwrap_or_default(), near.len() < before.len())
}

/// `(1)` and `(1, 2)` behind a word that carries a statement.
fn ends_a_sentence(text: &str, span: &Range<usize>) -> bool {
    /// Behind these a number is that of something else.
    const COUNTED: &str = "eq eqs equation equations fig figs figure figures table tables section sections step \
        steps phase phases stage type types class case cases hypothesis hypotheses objection \
        reply prediction point points pair position level group groups question model option \
        rule theorem lemma condition order";
    if !is_list(&inside(text, span)) {
        return false;
    }
    let (word, apart) = word_before(text, span.start);
    let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
    // A function of its argument, or the state of an atom.
    let applied = !apart && bare.chars().count() <= 3;
    bare.chars().next_back().is_some_and(char::is_alphabetic)
        && !applied
        && !bare.chars().any(char::is_numeric)
        && !is_stop_word(bare, Language::English)
        && !is_in(COUNTED, &bare.to_lowercase())
}

/// `{1}`, but neither `x_{1}` nor `the set {1, 2}`.
fn curly(text: &str, span: &Range<usize>) -> bool {
    let content = inside(text, span);
    if in_words(&content, NUMBERED) {
        return true;
    }
    let (word, apart) = word_before(text, span.start);
    let formula = word.contains(['\\', '_', '^', '}', '=', '∈', '|', '{', '$'])
        || !apart && word.chars().filter(|c| c.is_alphabetic()).count() < 3;
    let set = ["set", "sets", "values", "in", "from", "of"].contains(&word.to_lowercase().as_str());
    is_list(&content) && !formula && !set && !word.is_empty()
}

/// `<1>`, `<sup>1</sup>`, `<ref>`, but no less-than.
fn angle(text: &str, span: &Range<usize>) -> bool {
    let content = inside(text, span);
    let lower = content.to_lowercase();
    let tag = lower.split([' ', '=', '/']).next().unwrap_or_default();
    if ["ref", "cite", "citation", "source"].contains(&tag) || in_words(&content, NUMBERED) {
        return true;
    }
    if tag == "sup" {
        let raised = text.get(span.end..).unwrap_or_default();
        let list: String = raised.chars().take(LONGEST).take_while(|c| *c != '<').collect();
        return is_list(&list) && behind_a_word(text, span.start);
    }
    is_list(&content) && !content.starts_with(' ')
}

fn is_raised(character: char) -> bool {
    matches!(character, '¹' | '²' | '³' | '⁰' | '⁴'..='⁹')
}

/// A run of raised digits behind a word or a stop, but no power, charge or isotope.
fn raised(text: &str, at: usize) -> Option<Range<usize>> {
    let before = text.get(..at)?.chars().next_back();
    if before.is_some_and(|c| is_raised(c) || matches!(c, '⁺' | '⁻' | '⁽')) {
        return None;
    }
    let rest = text.get(at..)?;
    let part = |c: char| is_raised(c) || ",;-–".contains(c);
    let digits: String = rest.chars().take(LONGEST).take_while(|c| part(*c)).collect();
    let run = digits.trim_end_matches(|c| !is_raised(c));
    let next = rest.get(run.len()..)?.chars().next();
    let goes_on =
        next.is_some_and(|c| c.is_alphanumeric() || matches!(c, '⁺' | '⁻' | '⁽' | '/' | '·'));
    (!goes_on && behind_a_word(text, at)).then(|| at..at + run.len())
}

/// `bees^1`, but no power.
fn caret(text: &str, at: usize) -> Option<Range<usize>> {
    let rest = text.get(at + 1..)?;
    let digits = rest.bytes().take(LONGEST).take_while(u8::is_ascii_digit).count();
    let next = rest.get(digits..)?.chars().next();
    let goes_on = next.is_some_and(char::is_alphanumeric);
    ((1..=2).contains(&digits) && !goes_on && behind_a_word(text, at)).then(|| at..at + 1 + digits)
}

/// Tells whether a word stands before `at` that has no powers: not a quantity, a unit or a function.
fn behind_a_word(text: &str, at: usize) -> bool {
    const POWERS: &str = "sin cos tan cot sec csc sinh cosh tanh log exp min max rad bar mol lux atm ohm meter \
        meters metre metres centimeter centimeters centimetre centimetres kilometer \
        kilometers kilometre kilometres inch inches foot feet mile miles yard yards second \
        seconds chi";
    let (word, apart) = word_before(text, at);
    // Behind a bracket or an operator stands a power.
    let bare = word.trim_end_matches(|c: char| ".,;:!?\"'”’»".contains(c));
    let stopped = bare.len() < word.len();
    let letters = bare.rsplit(|c: char| !c.is_alphabetic() && c != '-' && c != '\'').next();
    let letters = letters.unwrap_or_default();
    let small = letters.chars().skip(1).all(|c| c.is_lowercase() || matches!(c, '-' | '\''));
    let long = letters.chars().count() >= 3 || (stopped || apart) && letters.chars().count() >= 2;
    long && small && !is_in(POWERS, &letters.to_lowercase())
}
