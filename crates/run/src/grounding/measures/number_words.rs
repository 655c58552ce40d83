//! Numbers in words: `twenty-one`, `two hundred and fifty thousand`, `third`, `threefold`, and words like `half` that must occur.

use super::token;
use crate::grounding::lexicon::{listed, named};

/// Number words in order from 0.
const SMALL: &str = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen \
    fifteen sixteen seventeen eighteen nineteen";

/// Tens from 20.
const TENS: &str = "twenty thirty forty fifty sixty seventy eighty ninety";

/// Ordinals from the first.
const ORDINALS: &str =
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth";

/// Words that multiply the number before them by a power of ten.
const MAGNITUDES: [(&str, i32); 9] = [
    ("hundred", 2),
    ("thousand", 3),
    ("million", 6),
    ("mn", 6),
    ("billion", 9),
    ("bn", 9),
    ("trillion", 12),
    ("lakh", 5),
    ("crore", 7),
];

/// Words that stand for a number, an order or a season and must occur. The first of a row is what they are compared by.
const LITERALS: &[&str] = &[
    // Parts and multiples.
    "half halves",
    "halve halved halving",
    "thirds",
    "quarter quarters",
    "tenths fifths sixths eighths",
    "twice",
    "thrice",
    "double doubled doubles doubling",
    "triple tripled triples tripling",
    "quadruple quadrupled quadruples quadrupling",
    // How many, and which.
    "hundreds",
    "thousands",
    "millions",
    "billions",
    "dozens",
    "first",
    "second",
    // When, and how often.
    "summer summers",
    "winter winters",
    "autumn autumns",
    "hourly",
    "daily",
    "weekly",
    "monthly",
    "yearly annual annually",
];

/// Number words of German, French and Spanish, each compared by itself.
const FOREIGN: &[&str] = &[
    "zwei drei vier fünf sechs sieben acht neun zehn elf zwölf zwanzig hundert tausend",
    "deux trois quatre cinq sept huit neuf dix onze douze vingt mille",
    "dos tres cuatro cinco seis siete ocho nueve diez doce veinte cien mil",
];

/// Returns what a lower-case word that must occur is compared by.
pub(super) fn literal(lower: &str) -> Option<String> {
    named(LITERALS, |word| word == lower)
        .or_else(|| listed(FOREIGN, lower).then_some(lower))
        .map(str::to_owned)
}

/// Returns the power of ten of a lower-case word.
pub(super) fn magnitude(lower: &str) -> Option<i32> {
    MAGNITUDES.iter().find(|(name, _)| *name == lower).map(|(_, places)| *places)
}

/// Returns the value a single lower-case word stands for; an ordinal ends in `#`, a multiple in `x`.
///
/// "one", "first" and "second" are rarely numbers, and stand for none here.
pub(super) fn value(lower: &str) -> Option<String> {
    let place = |list: &str| list.split(' ').position(|word| word == lower);
    if let Some(value) = place(SMALL) {
        return (value != 1).then(|| value.to_string());
    }
    if let Some(index) = place(TENS) {
        return Some(((index + 2) * 10).to_string());
    }
    if lower == "dozen" {
        return Some("12".to_owned());
    }
    if let Some(stem) = lower.strip_suffix("fold").filter(|stem| !stem.is_empty()) {
        return value(stem).map(|value| value + "x");
    }
    place(ORDINALS).filter(|index| *index >= 2).map(|index| format!("{}#", index + 1))
}

/// Reads `twenty-one`, `two hundred and fifty thousand`, `a dozen`: the value, and its length.
pub(super) fn read(rest: &str) -> Option<(String, usize)> {
    let (mut total, mut group, mut end, mut ceiling) = (0u64, 0u64, 0, u64::MAX);
    let mut ordinal = "";
    while ordinal.is_empty() {
        let gap = gap(rest.get(end..)?, end, group);
        let word = token(gap);
        let lower = word.to_lowercase();
        if let Some(places) = magnitude(&lower) {
            let factor = 10u64.pow(places.unsigned_abs());
            if factor == 100 && group < 100 {
                group = group.max(1) * 100;
            } else if factor > 100 && factor < ceiling {
                total = total.checked_add(group.max(1).checked_mul(factor)?)?;
                (group, ceiling) = (0, factor);
            } else {
                break;
            }
        } else if lower == "dozen" && group < 100 && total == 0 {
            group = group.max(1) * 12;
            end = rest.len() - gap.len() + word.len();
            break;
        } else {
            let Some(small) = inner(&lower, end) else { break };
            if small.ends_with('x') {
                return (end == 0).then_some((small, word.len()));
            }
            let fits = |value: &u64| fits(*value, group) && (end == 0 || *value > 0);
            let Some(value) = small.trim_end_matches('#').parse().ok().filter(fits) else { break };
            group += value;
            ordinal = if small.ends_with('#') { "#" } else { "" };
        }
        end = rest.len() - gap.len() + word.len();
    }
    (end > 0).then(|| (format!("{}{ordinal}", total + group), end))
}

/// Skips what joins the words of one number: a space, a hyphen, and "and" behind hundreds.
fn gap(after: &str, end: usize, group: u64) -> &str {
    if end == 0 {
        return after;
    }
    let gap = after.strip_prefix([' ', '-']).unwrap_or(after);
    if group.is_multiple_of(100) { gap.strip_prefix("and ").unwrap_or(gap) } else { gap }
}

/// Returns the value of a word of a number; behind another word "one" and "first" are numbers too.
fn inner(lower: &str, end: usize) -> Option<String> {
    match lower {
        "one" if end > 0 => Some("1".to_owned()),
        "first" if end > 0 => Some("1#".to_owned()),
        "second" if end > 0 => Some("2#".to_owned()),
        "dozen" => None,
        _ => value(lower),
    }
}

/// Tells whether `value` may be added to what has been read since the last magnitude: 1 to 20, 20 to 300.
fn fits(value: u64, group: u64) -> bool {
    group == 0
        || value < 10 && group.is_multiple_of(10) && group % 100 >= 20
        || value < 100 && group.is_multiple_of(100)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, value: &str, length: usize) {
        assert_eq!(read(text), Some((value.to_owned(), length)), "{text:?}");
    }

    #[test]
    fn the_words_of_one_number_are_read_together() {
        check("two hundred and fifty thousand nests", "250000", 30);
        check("twenty-first century", "21#", 12);
        check("Two Dozen", "24", 9);
        check("threefold", "3x", 9);
        check("million", "1000000", 7);
        check("twenty thirty", "20", 6);
        check("five million, six", "5000000", 12);
        assert_eq!(read("one hundred"), None);
        assert_eq!(read("gulls"), None);
    }

    #[test]
    fn words_that_must_occur_are_compared_by_one_form() {
        assert_eq!(literal("annually").as_deref(), Some("yearly"));
        assert_eq!(literal("fünf").as_deref(), Some("fünf"));
        assert_eq!(literal("third"), None);
    }
}
