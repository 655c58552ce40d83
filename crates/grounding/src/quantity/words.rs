//! Numbers in words and in Chinese and Japanese numerals, and the words beside a number that qualify it.

use std::borrow::Cow;
use std::ops::Range;

use text2num::{Language, Token, find_numbers};

use super::{Number, Quantity, Reading, first_word, units};
use crate::fold::is_word;

/// A word in the form that the parser of number words takes.
struct Word<'a> {
    at: Range<usize>,
    text: &'a str,
    lower: String,
    /// Whether anything but a space or a hyphen separates it from the previous word.
    is_apart: bool,
}

impl Token for &Word<'_> {
    fn text(&self) -> Cow<'_, str> {
        Cow::Borrowed(self.text)
    }

    fn text_lowercase(&self) -> Cow<'_, str> {
        Cow::Borrowed(&self.lower)
    }

    fn nt_separated(&self, _: &Self) -> bool {
        self.is_apart
    }

    fn not_a_number_part(&self) -> bool {
        self.text.contains(|c: char| c.is_numeric())
    }
}

/// Reads the numbers that a folded text spells out, in order.
pub(super) fn spelled(text: &str) -> Vec<Quantity> {
    let words = split_words(text);
    if !words.iter().any(|word| word.text.contains(char::is_alphabetic)) {
        return Vec::new();
    }
    let mut found: Vec<Quantity> = Vec::new();
    shares(text, &words, &mut found);
    let languages = choose_languages(text);
    for language in &languages {
        for number in find_numbers(words.iter(), language, 0.0) {
            let Some((first, last)) =
                words.get(number.start).zip(words.get(number.end.wrapping_sub(1)))
            else {
                continue;
            };
            let value = Value { value: number.value, is_rank: number.is_ordinal };
            let at = first.at.start..last.at.end;
            // The O of O'Connor is not a zero.
            if at.len() == 1 {
                continue;
            }
            if found.iter().any(|known| known.at.start < at.end && at.start < known.at.end) {
                continue;
            }
            let is_one =
                number.end - number.start == 1 && number.value <= 1.0 && first.lower != "zero"
                    || number.is_ordinal && number.value <= 2.0;
            // "Near-zero downtime" states no number.
            let is_compound = number.value == 0.0
                && (text.get(..at.start).is_some_and(|left| left.ends_with('-'))
                    || text.get(at.end..).is_some_and(|rest| rest.starts_with('-')));
            found.extend(quantity(text, at, value, !is_one && !is_compound));
        }
    }
    articles(text, &words, &mut found);
    found.sort_by_key(|quantity| quantity.at.start);
    found
}

/// The value of number words.
#[derive(Clone, Copy)]
struct Value {
    value: f64,
    is_rank: bool,
}

fn split_words(text: &str) -> Vec<Word<'_>> {
    let mut found = Vec::new();
    let mut last = 0;
    let mut from = 0;
    while let Some(start) = text.get(from..).and_then(|rest| rest.find(is_word)).map(|at| from + at)
    {
        let word = first_word(text.get(start..).unwrap_or_default());
        let gap = text.get(last..start).unwrap_or_default();
        let is_apart = !matches!(gap, " " | "-" | "");
        let at = start..start + word.len();
        found.push(Word { at: at.clone(), text: word, lower: word.to_lowercase(), is_apart });
        (last, from) = (at.end, at.end);
    }
    found
}

/// Returns the language in which number words are read: that of the text if it is supported, otherwise English.
fn choose_languages(text: &str) -> Vec<Language> {
    use text::Language as Known;
    let other = match text::guess(text) {
        Known::German => Language::german(),
        Known::French => Language::french(),
        Known::Spanish => Language::spanish(),
        Known::Italian => Language::italian(),
        Known::Portuguese => Language::portugese(),
        Known::Dutch => Language::dutch(),
        Known::Swedish => Language::danish(),
        _ => return vec![Language::english()],
    };
    vec![other]
}

/// Returns the number whose words are at `at`, with the unit or fraction that follows.
fn quantity(text: &str, at: Range<usize>, value: Value, is_told: bool) -> Option<Quantity> {
    let after = text.get(at.end..)?;
    let mut end = at.end;
    let mut number = Number::plain(value.value, 1.0);
    if let Some((half, length)) = and_a_half(after) {
        number = Number::plain(number.value + half, 0.5);
        end += length;
    }
    let written = text.get(at.clone())?;
    let mut readings = Vec::new();
    if value.is_rank {
        // "A third" is a rank or a share.
        readings.extend(share_of_rank(value.value).map(|share| share_number(share, None)));
    } else if let Some((unit, length)) = units::read(text.get(end..)?) {
        // A rank takes no unit: "the second" is never a time.
        number.unit = Some(unit);
        end += length;
    }
    let (end, below) = below_zero(text, end);
    if below || says_minus(text.get(..at.start)?) {
        number.value = -number.value;
    }
    readings.insert(0, Reading::Number(number));
    let is_rounded = says_rounded(text.get(..at.start)?, text.get(end..)?);
    let is_told = is_told && !written.is_empty();
    Some(Quantity { at: at.start..end, readings, is_rounded, is_told })
}

/// Reads the " and a half" after a number.
fn and_a_half(after: &str) -> Option<(f64, usize)> {
    const HALVES: [&str; 5] = [" and a half", "-and-a-half", " et demi", " et demie", " y medio"];
    let half = HALVES.iter().find(|half| after.to_lowercase().starts_with(**half))?;
    (!after.get(half.len()..)?.starts_with(is_word)).then_some((0.5, half.len()))
}

/// Returns the share that a rank may name: a third, a quarter.
fn share_of_rank(rank: f64) -> Option<f64> {
    (3.0..=100.0).contains(&rank).then(|| 1.0 / rank)
}

fn share_number(share: f64, unit: Option<units::Unit>) -> Reading {
    let unit = unit.or_else(|| Some(units::Unit::derived("share")));
    Reading::Number(Number { value: share, step: 0.01, unit, is_share: true, has_plus: false })
}

/// Words for shares, with the number of parts in the whole.
const PARTS: &[(&str, f64)] = &[
    (
        "half halves hälfte halb halbe halben halber moitié demi demie mitad medio media metà mezzo mezza helft metade meio meia halva halvt",
        2.0,
    ),
    ("third thirds drittel tiers tercio tercios terzo terzi derde terço terços tredjedel", 3.0),
    (
        "quarter quarters viertel quart quarts cuarto cuartos quarto quarti kwart quartos fjärdedel",
        4.0,
    ),
    ("fifth fifths fünftel cinquième cinquièmes quinto quintos quinti", 5.0),
    ("sixth sixths sechstel", 6.0),
    ("eighth eighths achtel", 8.0),
    ("tenth tenths zehntel dixième dixièmes décimo décimos", 10.0),
];

/// Words for multiples.
const MULTIPLES: &[(&str, f64)] = &[
    ("twice doubled doubling twofold zweimal doppelt verdoppelt doublé doblado", 2.0),
    ("thrice tripled tripling trebled threefold dreifach verdreifacht triplé triplicado", 3.0),
    ("quadrupled quadrupling fourfold vierfach vervierfacht quadruplé cuadruplicado", 4.0),
    ("fivefold fünffach", 5.0),
    ("sixfold", 6.0),
    ("sevenfold", 7.0),
    ("eightfold", 8.0),
    ("tenfold zehnfach", 10.0),
];

/// Words for groups: their size, and whether it is approximate.
const GROUPS: &[(&str, f64, bool)] = &[
    ("dozen dutzend dozijn docena dozzina dúzia dussin", 12.0, false),
    ("douzaine", 12.0, true),
    ("dizaine decena", 10.0, true),
    ("quinzaine", 15.0, true),
    ("vingtaine veintena", 20.0, true),
    ("trentaine treintena", 30.0, true),
    ("quarantaine", 40.0, true),
    ("cinquantaine", 50.0, true),
    ("soixantaine", 60.0, true),
    ("centaine centenar", 100.0, true),
];

/// Reads "a dozen", "two dozen" and "half a dozen".
fn group(text: &str, words: &[Word<'_>], index: usize) -> Option<Quantity> {
    let word = words.get(index)?;
    let (_, size, is_about) = GROUPS.iter().find(|(list, _, _)| listed(list, &word.lower))?;
    let before = |back: usize| index.checked_sub(back).and_then(|at| words.get(at));
    let near = before(1).filter(|_| !word.is_apart);
    let count = near.and_then(|near| small(&near.lower));
    let is_half = count == Some(1.0)
        && near.is_some_and(|near| !near.is_apart)
        && before(2).is_some_and(|half| listed(PARTS[0].0, &half.lower));
    let start = match (is_half, count) {
        (true, _) => before(2)?.at.start,
        (false, Some(_)) => near?.at.start,
        _ => word.at.start,
    };
    let value = size * if is_half { 0.5 } else { count.unwrap_or(1.0) };
    let at = start..word.at.end;
    let is_rounded =
        *is_about || says_rounded(text.get(..start)?, text.get(at.end..).unwrap_or_default());
    let readings = vec![Reading::Number(Number::plain(value, 1.0))];
    Some(Quantity { at, readings, is_rounded, is_told: true })
}

/// Words that say that something is or becomes half as much.
const HALVED: &str = "halved halving halves halbiert halbierte dimezzato";

fn listed(list: &str, word: &str) -> bool {
    list.split(' ').any(|one| one == word)
}

/// Reads shares: `half`, `three quarters of an hour`, `two thirds`, `one in five`, and multiples: `twice`.
fn shares(text: &str, words: &[Word<'_>], found: &mut Vec<Quantity>) {
    for index in 0..words.len() {
        found.extend(group(text, words, index));
        found.extend(quarter_of_a_year(words, index));
    }
    let is_free = |at: &Range<usize>, found: &[Quantity]| {
        !found.iter().any(|known| known.at.start < at.end && at.start < known.at.end)
    };
    let mut index = 0;
    while let Some(word) = words.get(index) {
        if !is_free(&word.at, found) {
            index += 1;
            continue;
        }
        let (quantity, used) = match one_in(text, words, index) {
            Some((share, used)) => (Some(told(text, words, index, used, share)), used),
            None => share(text, words, index),
        };
        index += used.max(1);
        let multiple = || MULTIPLES.iter().find(|(list, _)| listed(list, &word.lower));
        let halved = || listed(HALVED, &word.lower).then_some(0.5);
        found.extend(quantity.or_else(|| {
            let (value, is_share) = multiple()
                .map(|(_, times)| (*times, false))
                .or_else(|| halved().map(|half| (half, true)))?;
            let reading = if is_share {
                share_number(value, None)
            } else {
                let unit = Some(units::Unit::derived("times"));
                Reading::Number(Number { unit, ..Number::plain(value, 1.0) })
            };
            let is_rounded = says_rounded(text.get(..word.at.start)?, text.get(word.at.end..)?);
            Some(Quantity {
                at: word.at.clone(),
                readings: vec![reading],
                is_rounded,
                is_told: true,
            })
        }));
    }
}

/// Reads "Q3" as a third quarter as well. It is a name, so no source need support it.
fn quarter_of_a_year(words: &[Word<'_>], index: usize) -> Option<Quantity> {
    let word = words.get(index)?;
    let digit = word.text.strip_prefix(['Q', 'q'])?;
    let rank = digit.parse::<f64>().ok().filter(|rank| (1.0..=4.0).contains(rank))?;
    let readings = vec![Reading::Number(Number::plain(rank, 1.0)), share_number(0.25, None)];
    Some(Quantity { at: word.at.clone(), readings, is_rounded: false, is_told: false })
}

/// Reads a share in words at `index`; returns it with the number of words it takes.
fn share(text: &str, words: &[Word<'_>], index: usize) -> (Option<Quantity>, usize) {
    let Some(word) = words.get(index) else { return (None, 0) };
    let parts = |word: &Word<'_>| {
        PARTS.iter().find(|(list, _)| listed(list, &word.lower)).map(|(_, parts)| *parts)
    };
    if let Some(next) = words.get(index + 1).filter(|next| !next.is_apart)
        && let Some(count) = small(&word.lower)
        && let Some(whole) = parts(next)
        && count < whole + 1.0
        && (count > 1.0 || next.lower != "half")
    {
        return (Some(told(text, words, index, 2, count / whole)), 2);
    }
    match parts(word) {
        // "The third" is read elsewhere, as a rank that may be a share.
        Some(whole) if whole == 2.0 || whole == 4.0 => {
            (Some(told(text, words, index, 1, 1.0 / whole)), 1)
        }
        _ => (None, 0),
    }
}

/// Reads "one in five", "3 out of 10" and "two passengers in five"; returns the share and the number of words it takes.
fn one_in(text: &str, words: &[Word<'_>], index: usize) -> Option<(f64, usize)> {
    let number = |word: &Word<'_>| small(&word.lower).or_else(|| word.text.parse().ok());
    let part = number(words.get(index)?)?;
    // A noun may stand between part and whole.
    let at = whole_behind(words, index + 1).or_else(|| whole_behind(words, index + 2))?;
    let (whole, used) = (words.get(at)?, at + 1 - index);
    let parts = number(whole).filter(|parts| part < *parts && *parts <= 10.0 && !whole.is_apart)?;
    // "Two in 5 km" is not a share.
    let after = text.get(whole.at.end..)?;
    units::read(after).is_none().then_some((part / parts, used))
}

/// Returns the index of the whole of a share, whose joint begins at `joint`.
fn whole_behind(words: &[Word<'_>], joint: usize) -> Option<usize> {
    const JOINTS: &[&str] = &["in", "von", "sur", "de", "su", "op", "i", "em"];
    let word = words.get(joint).filter(|word| !word.is_apart)?;
    if word.lower == "out" && words.get(joint + 1)?.lower == "of" {
        Some(joint + 2)
    } else {
        listed(&JOINTS.join(" "), &word.lower).then_some(joint + 1)
    }
}

/// Returns the share in the `count` words from `index` on, with the unit it applies to: "half an hour", "half a million".
fn told(text: &str, words: &[Word<'_>], index: usize, count: usize, share: f64) -> Quantity {
    let start = words.get(index).map_or(0, |word| word.at.start);
    let mut end = words.get(index + count - 1).map_or(start, |word| word.at.end);
    let after = text.get(end..).unwrap_or_default();
    const OF: [&str; 8] = [" of an", " of a", " of one", " an", " a", " d'", " de", ""];
    let lower = after.to_lowercase();
    let mut number = None;
    for of in OF {
        let below = lower.starts_with(of).then(|| after.get(of.len()..)).flatten();
        // "Four of five apps" does not mean percentage points.
        let ends = |below: &&str| !of.ends_with(char::is_alphabetic) || !below.starts_with(is_word);
        // "Half a year" and "a quarter of a year" take the unit; "two thirds a year ago" says when.
        let is_bare = matches!(of, " an" | " a") && share != 0.5;
        let Some(below) = below.filter(ends).filter(|_| !is_bare) else { continue };
        if let Some((unit, length)) = units::read(below).filter(|(_, length)| *length > 0)
            && !of.is_empty()
        {
            end += of.len() + length;
            number = Some(Number {
                value: share,
                step: 0.01,
                unit: Some(unit),
                is_share: false,
                has_plus: false,
            });
            break;
        }
        let word = first_word(below.strip_prefix(' ').unwrap_or(below));
        if let Some(places) = magnitude(word).filter(|_| !of.is_empty()) {
            end += of.len() + 1 + word.len();
            number = Some(Number::plain(share * 10f64.powi(places), 1.0));
            break;
        }
    }
    let is_time = number.is_some() && units::says_when(text.get(end..).unwrap_or_default());
    let mut readings: Vec<Reading> = number.map(Reading::Number).into_iter().collect();
    if readings.is_empty() || is_time {
        readings.push(share_number(share, None));
    }
    let is_rounded =
        says_rounded(text.get(..start).unwrap_or_default(), text.get(end..).unwrap_or_default());
    Quantity { at: start..end, readings, is_rounded, is_told: true }
}

/// Small numbers used in shares.
const SMALL: &[(&str, f64)] = &[
    ("one a an ein eine einer un une una uno um uma een en", 1.0),
    ("two zwei deux dos due dois duas twee två", 2.0),
    ("three drei trois tres tre três drie", 3.0),
    ("four vier quatre cuatro quattro quatro", 4.0),
    ("five fünf cinq cinco cinque vijf", 5.0),
    ("six sechs sei seis zes", 6.0),
    ("seven sieben sept siete sette sete zeven", 7.0),
    ("eight acht huit ocho otto oito", 8.0),
    ("nine neun neuf nueve nove negen", 9.0),
    ("ten zehn dix diez dieci dez tien", 10.0),
];

fn small(lower: &str) -> Option<f64> {
    SMALL.iter().find(|(list, _)| listed(list, lower)).map(|(_, value)| *value)
}

/// Reads "a day" and "an hour" as 1 of the unit, so that a claim may write the 1. No source need support it.
fn articles(text: &str, words: &[Word<'_>], found: &mut Vec<Quantity>) {
    for word in words {
        let is_article =
            matches!(&*word.lower, "a" | "an" | "ein" | "eine" | "einen" | "un" | "une" | "una");
        if !is_article || found.iter().any(|known| known.at.contains(&word.at.start)) {
            continue;
        }
        let after = text.get(word.at.end..).unwrap_or_default();
        let Some((unit, length)) = units::read(after) else { continue };
        let half = after.get(length..).and_then(and_a_half);
        let at = word.at.start..word.at.end + length + half.map_or(0, |(_, length)| length);
        if half.is_some() {
            // "An hour and a half" is not a half of anything.
            found.retain(|known| known.at.end <= at.start || at.end <= known.at.start);
        }
        if found.iter().any(|known| known.at.start < at.end && at.start < known.at.end) {
            continue;
        }
        let value = 1.0 + half.map_or(0.0, |(half, _)| half);
        let number = Number { unit: Some(unit), ..Number::plain(value, 1.0) };
        let readings = vec![Reading::Number(number)];
        found.push(Quantity { at, readings, is_rounded: false, is_told: half.is_some() });
    }
}

/// Words that multiply the number before them by a power of ten.
const MAGNITUDES: &[(&str, i32)] = &[
    ("hundred hundreds hundert", 2),
    ("thousand tausend mille mil mila duizend tusen thousands", 3),
    ("lakh lakhs", 5),
    (
        "million millions Mio millionen million's millón millones milione milioni milhão milhões miljoen miljoner",
        6,
    ),
    ("crore crores", 7),
    ("billion billions milliarde milliarden milliard milliards mrd miliardo miliardi miljard", 9),
    ("trillion trillions billionen", 12),
];

/// Returns the power of ten that a word stands for.
pub(super) fn magnitude(word: &str) -> Option<i32> {
    let lower = word.to_lowercase();
    MAGNITUDES
        .iter()
        .find(|(list, _)| listed(&list.to_lowercase(), &lower))
        .map(|(_, places)| *places)
}

/// Returns the power of ten and the length of the character after a number: `3万`.
pub(super) fn unspaced_magnitude(after: &str) -> Option<(i32, usize)> {
    let sign = after.chars().next()?;
    let places = multiplier(sign)?;
    Some((places, sign.len_utf8()))
}

fn multiplier(sign: char) -> Option<i32> {
    Some(match sign {
        '十' => 1,
        '百' => 2,
        '千' => 3,
        '万' | '萬' | '만' => 4,
        '亿' | '億' | '억' => 8,
        '兆' | '조' => 12,
        _ => return None,
    })
}

fn numeral(sign: char) -> Option<u32> {
    Some(match sign {
        '〇' | '零' => 0,
        '一' => 1,
        '二' | '两' | '兩' => 2,
        '三' => 3,
        '四' => 4,
        '五' => 5,
        '六' => 6,
        '七' => 7,
        '八' => 8,
        '九' => 9,
        _ => return None,
    })
}

/// Returns whether a character is a Chinese or Japanese numeral.
pub(super) fn is_numeral(sign: char) -> bool {
    numeral(sign).is_some() || multiplier(sign).is_some()
}

/// Reads a number in Chinese or Japanese numerals at `at`: `三千二百万`, `二〇二〇`, `百分之五`.
///
/// A single numeral is part of many words, so no source need support it.
pub(super) fn numerals(text: &str, at: usize) -> Option<Quantity> {
    let rest = text.get(at..)?;
    let (rest, lead, is_percent) = match rest.strip_prefix("百分之") {
        Some(after) => (after, "百分之".len(), true),
        None => (rest, 0, false),
    };
    let length: usize = rest.chars().take_while(|sign| is_numeral(*sign)).map(char::len_utf8).sum();
    let written = rest.get(..length).filter(|written| !written.is_empty())?;
    let value = worth(written)?;
    let count = written.chars().count();
    let mut end = at + lead + length;
    let unit = if is_percent {
        units::read("%").map(|(unit, _)| unit)
    } else {
        units::read(text.get(end..)?).map(|(unit, length)| {
            end += length;
            unit
        })
    };
    let is_told = is_percent
        || unit.is_some()
        || count > 1 && !matches!(written, "千万" | "万一" | "百万" | "一一");
    let readings = vec![Reading::Number(Number { unit, ..Number::plain(value, 1.0) })];
    Some(Quantity { at: at..end, readings, is_rounded: says_rounded(text.get(..at)?, ""), is_told })
}

/// Returns the value of numerals.
fn worth(written: &str) -> Option<f64> {
    if !written.chars().any(|sign| multiplier(sign).is_some()) {
        let digits: Option<String> = written
            .chars()
            .map(|sign| numeral(sign).and_then(|digit| char::from_digit(digit, 10)))
            .collect();
        return digits?.parse().ok();
    }
    let (mut total, mut group, mut digit) = (0.0, 0.0, 0.0);
    for sign in written.chars() {
        if let Some(value) = numeral(sign) {
            digit = f64::from(value);
        } else if let Some(places) = multiplier(sign) {
            if places < 4 {
                group += if digit == 0.0 { 1.0 } else { digit } * 10f64.powi(places);
            } else {
                let sum = group + digit;
                total += if sum == 0.0 { 1.0 } else { sum } * 10f64.powi(places);
                group = 0.0;
            }
            digit = 0.0;
        }
    }
    Some(total + group + digit)
}

/// Words before a number that mark it as inexact.
const ROUNDED: &str = "about around roughly approximately approx almost nearly some circa ca c over under above below nearly just \
    estimated close barely scarcely more less fewer etwa rund ungefähr zirka knapp gut fast nahezu beinahe über unter mehr weniger \
    environ quelque presque près plus moins autour unos unas aproximadamente cerca casi alrededor más menos circa quasi intorno più \
    meno aproximadamente quase mais menos ongeveer bijna zowat ruim omkring nästan drygt ungefär around";

/// The number of preceding words that may belong to a number: "about", "just over", "close to the".
const REACH: usize = 3;

/// Returns whether the words around a number mark it as inexact.
pub(super) fn says_rounded(left: &str, right: &str) -> bool {
    let near = left.trim_end();
    if near.ends_with(['~', '≈', '±', '約', '约', '近']) || near.ends_with("大约") {
        return true;
    }
    let clause = near.rsplit([',', ';', '.', ':', '(']).next().unwrap_or_default();
    let before = clause.rsplit(|c: char| !is_word(c)).filter(|word| !word.is_empty()).take(REACH);
    let behind = right.trim_start().to_lowercase();
    before.map(str::to_lowercase).any(|word| listed(ROUNDED, &word))
        || behind.starts_with("or so")
        || behind.starts_with("左右")
}

/// Words that say that the true value is more than the number.
const MORE: &str = "more over above beyond past plus upward upwards least minimum excess exceed exceeds exceeded exceeding surpass \
    surpasses surpassed surpassing pass passes passed passing top tops topped topping cross crosses crossed crossing clear clears \
    cleared broke breaks beat beats odd counting change north greater higher larger longer bigger older further well \
    mehr über übersteigt überstieg übersteigen überschreitet überschritt überschritten übertrifft übertraf mindestens minimum \
    wenigstens ab gut jenseits höher größer länger älter \
    plus dépasse dépassent dépassé dépassait excède supérieur supérieure supérieurs minimum delà passé \
    más supera superan superó superaron superior mayor mínimo excede rebasa \
    più oltre supera superano superato superiore minimo maggiore \
    mais acima ultrapassa ultrapassou superou maior mínimo \
    meer boven minstens minimaal ruim hoger groter langer overtreft overschrijdt \
    mer över minst drygt högre större längre överstiger";

/// Words that say that it is less.
const LESS: &str = "less fewer under below most maximum within almost nearly short shy barely scarcely cap caps capped lower smaller \
    shorter younger until up tops spare approaches approaching \
    weniger unter höchstens maximal bis knapp fast nahezu beinahe annähernd kleiner kürzer jünger niedriger \
    moins jusqu presque inférieur inférieure inférieurs maximum plafonne quelque dessous \
    menos hasta casi inferior menor máximo apenas \
    meno quasi fino inferiore massimo minore \
    quase até abaixo \
    minder onder hoogstens maximaal bijna tot lager kleiner korter \
    mindre färre högst nästan knappt lägre kortare";

/// Words that allow both directions: "no more than", "longer than".
const DENIED: &str = "no not none never neither nobody nor without hardly kein keine keiner keinen keinem nicht nie niemand kaum ohne \
    aucun aucune ne pas jamais ningún ninguna nunca nadie sin nessun nessuna nessuno non mai senza nenhum nenhuma não sem geen niet \
    nooit zonder ingen inget inte aldrig utan";
const COMPARED: &str = "than als dan än bound limit limits threshold";

/// Words right before a number that say that the result is near it.
const CLOSE: &str = "nearly almost just barely scarcely close shy roughly approximately about around knapp fast nahezu beinahe \
    annähernd gut etwa rund ungefähr presque environ quasi casi apenas aproximadamente quase circa bijna ruim ongeveer nästan drygt \
    knappt ungefär";

/// The directions in which a claim's words allow the result to differ from its number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Bound {
    pub(crate) is_more: bool,
    pub(crate) is_less: bool,
    /// Whether the result is close to the number.
    pub(crate) is_close: bool,
}

/// Returns the bounds that the words around a number express in one of the supported languages: "fewer than 600", "600 at most". The
/// whole clause is searched, since a verb may express the bound.
///
/// Words that only mark a number as inexact allow both directions, as does any text in another language.
pub(crate) fn bound(text: &str, at: &Range<usize>) -> Bound {
    /// The number of words after a number that belong to it.
    const BEHIND: usize = 4;
    const ENDS: [char; 6] = [',', ';', '.', ':', '(', ')'];
    let left = text.get(..at.start).unwrap_or_default();
    let right = text.get(at.end..).unwrap_or_default();
    if matches!(text::guess(text), text::Language::Other | text::Language::Russian) {
        return Bound { is_more: true, is_less: true, is_close: false };
    }
    let is_plus =
        right.starts_with('+') || text.get(at.clone()).is_some_and(|it| it.ends_with('+'));
    // A separator before a digit, as in a decimal, does not end a clause.
    let is_end = |text: &str, at: usize, sign: char| {
        let after = text.get(at + sign.len_utf8()..).unwrap_or_default();
        ENDS.contains(&sign) && !after.starts_with(|c: char| c.is_ascii_digit())
    };
    let begin = left.char_indices().rev().find(|(at, sign)| is_end(text, *at, *sign));
    let before = left.get(begin.map_or(0, |(at, sign)| at + sign.len_utf8())..);
    let end = right.char_indices().find(|(at, sign)| is_end(right, *at, *sign));
    let behind = right.get(..end.map_or(right.len(), |(at, _)| at)).unwrap_or_default();
    let split = |text: &str| -> Vec<String> {
        let words = text.split(|c: char| !is_word(c)).filter(|word| !word.is_empty());
        words.map(str::to_lowercase).collect()
    };
    let mut words = split(before.unwrap_or_default());
    let is_close = words.iter().rev().take(REACH).any(|word| listed(CLOSE, word));
    words.extend(split(behind).into_iter().take(BEHIND));
    let says = |list: &str| words.iter().any(|word| listed(list, word));
    let (is_more, is_less) = (says(MORE) || is_plus, says(LESS));
    let says_either = || says(COMPARED) || says_rounded(left, right);
    let is_open = says(DENIED) || !(is_more || is_less) && says_either();
    Bound { is_more: is_more || is_open, is_less: is_less || is_open, is_close }
}

/// Returns whether the word before a number is a minus.
pub(super) fn says_minus(left: &str) -> bool {
    matches!(
        &*last_word(left),
        "minus" | "negative" | "moins" | "menos" | "meno" | "零下" | "マイナス"
    )
}

/// Returns whether "plus" right before a number is its sign, not an addition: "a shift of plus 12 mV", not "five plus 12".
pub(super) fn says_plus(left: &str) -> bool {
    let before = left.trim_end();
    let word = last_word(before);
    let is_sum = || {
        before.get(..before.len() - word.len()).is_some_and(|left| {
            left.trim_end().ends_with(|c: char| c.is_ascii_digit())
                || small(&last_word(left)).is_some()
        })
    };
    word == "plus" && !is_sum()
}

/// Returns the last word of a text, in lower case.
fn last_word(left: &str) -> String {
    let word = left.trim_end().rsplit(|c: char| !is_word(c)).next().unwrap_or_default();
    word.to_lowercase()
}

/// Reads the "below zero" after a number that ends at `end`; returns where the number then ends, and whether it is below zero.
pub(super) fn below_zero(text: &str, end: usize) -> (usize, bool) {
    const BELOW: [&str; 8] = [
        "degrees below zero",
        "below zero",
        "degrees below freezing",
        "below freezing",
        "grad unter null",
        "unter null",
        "bajo cero",
        "sous zéro",
    ];
    let after = text.get(end..).unwrap_or_default();
    let gap = after.strip_prefix(' ').unwrap_or(after);
    let lower = gap.to_lowercase();
    match BELOW.iter().find(|words| lower.starts_with(**words)) {
        Some(words) => (end + (after.len() - gap.len()) + words.len(), true),
        None => (end, false),
    }
}
