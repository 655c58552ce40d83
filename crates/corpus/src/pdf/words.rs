//! Whether a text looks like one: words that hold together, in letters that are known.

/// The percentage of the other engine's words that must be there.
const WORDS_PERCENT: usize = 60;
/// The percentage of words that may have at most two letters; more means that words fell apart.
const SHORT_PERCENT: usize = 40;
/// The percentage of characters that may be unknown.
const UNKNOWN_PERCENT: usize = 2;

/// How plausible the words of a text look.
pub(super) struct Words {
    pub(super) all: usize,
    short: usize,
    characters: usize,
    unknown: usize,
}

impl Words {
    pub(super) fn of(text: &str) -> Self {
        let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        let (mut all, mut short) = (0, 0);
        for word in words {
            all += 1;
            let letters = word.chars().all(char::is_alphabetic) && word.chars().count() <= 2;
            // Scripts without spaces between words have no short words.
            short += usize::from(letters && word.chars().all(|c| c < '\u{2e80}'));
        }
        let unknown = text.chars().filter(|c| *c == '\u{fffd}').count();
        Self { all, short, characters: text.chars().count(), unknown }
    }

    /// Returns whether these words look so wrong that the other engine's are used.
    pub(super) fn worse_than(&self, other: &Self) -> bool {
        let fell_apart = |words: &Self| words.short * 100 > words.all * SHORT_PERCENT;
        let unknown = |words: &Self| words.unknown * 100 > words.characters * UNKNOWN_PERCENT;
        self.all * 100 < other.all * WORDS_PERCENT
            || other.all > 0 && fell_apart(self) && !fell_apart(other)
            || other.all > 0 && unknown(self) && !unknown(other)
    }
}

/// Returns whether the text of a page is more than a page number or a stamp on a picture.
pub(super) fn counts(text: &str) -> bool {
    /// The fewest words and letters.
    const WORDS: usize = 3;
    const LETTERS: usize = 12;
    let lower = text.trim_start().to_lowercase();
    let stamp = ["scanned with ", "scanned by ", "digitized by ", "digitised by "];
    if stamp.iter().any(|stamp| lower.starts_with(stamp)) && text.split_whitespace().count() <= 6 {
        return false;
    }
    let mut words = 0;
    let mut letters = 0;
    for word in text.split(|c: char| !c.is_alphanumeric()) {
        let found = word.chars().filter(|c| c.is_alphabetic()).count();
        // Scripts without spaces between words have few, and long ones.
        let dense = word.chars().any(|c| c >= '\u{2e80}');
        words += if dense { found } else { usize::from(found >= 2) };
        letters += if dense { 4 * found } else { found };
        if words >= WORDS && letters >= LETTERS {
            return true;
        }
    }
    false
}

/// Signs that stand in formulas and programs, and in the place of letters where a font does not say what its signs are.
fn is_odd(c: char) -> bool {
    "<>\\^~`|{}#$%*@=+_[]\u{fffd}".contains(c)
        || ('\u{e000}'..='\u{f8ff}').contains(&c)
        || c.is_control()
}

fn is_word(token: &str) -> bool {
    let token = token.trim_matches(|c: char| !c.is_alphanumeric());
    let vowel = |c: char| "aeiouyAEIOUY".contains(c) || !c.is_ascii();
    token.chars().count() >= 2
        && token.chars().all(|c| c.is_alphabetic() || "'’-".contains(c))
        && token.chars().any(vowel)
}

/// Returns whether a short text, such as a heading, is no language: the codes of a font that does not say what its signs are.
pub(super) fn is_garbled_line(text: &str) -> bool {
    let mut kinds: Vec<char> = Vec::new();
    let (mut odd, mut all) = (0_usize, 0_usize);
    for c in text.chars().filter(|c| !c.is_whitespace()) {
        all += 1;
        if is_odd(c) {
            odd += 1;
            if !kinds.contains(&c) {
                kinds.push(c);
            }
        }
    }
    let tokens = text.split_whitespace().count();
    let words = text.split_whitespace().filter(|token| is_word(token)).count();
    kinds.len() >= 3 && odd * 5 >= all && words * 2 < tokens
}

/// Returns whether the text of a page is no language.
pub(super) fn is_garbled(text: &str) -> bool {
    /// The fewest characters from which this can be told.
    const CHARACTERS: usize = 80;
    let (mut letters, mut odd, mut vowels, mut foreign) = (0_usize, 0_usize, 0_usize, 0_usize);
    for c in text.chars() {
        letters += usize::from(c.is_alphabetic());
        vowels += usize::from("aeiouyAEIOUY".contains(c));
        odd += usize::from(is_odd(c) && !matches!(c, '\n' | '\t' | '\r'));
        foreign += usize::from(c.is_alphabetic() && !c.is_ascii());
    }
    if letters + odd < CHARACTERS || foreign * 5 > letters {
        return false;
    }
    let tokens = text
        .split_whitespace()
        .filter(|token| token.chars().any(|c| c.is_alphabetic() || is_odd(c)));
    let (mut all, mut words) = (0_usize, 0_usize);
    for token in tokens {
        all += 1;
        words += usize::from(is_word(token));
    }
    // Programs and formulas hold more words than that.
    let few_words = words * 20 < all;
    few_words && (odd * 100 > (letters + odd) * 30 || vowels * 10 < letters)
}
