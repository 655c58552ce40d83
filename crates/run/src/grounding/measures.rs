//! Numbers, dates, percentages and units: what is read from a text, and what of a claim its quote does not say.
//!
//! A measure is read whole, with its sign, bound ("more than"), range, magnitude and unit, and agrees only with a measure
//! that says the same. So the 15 of "10–15 %" is no 15, and 5 mg is not 5 g.

use std::collections::HashSet;
use std::ops::Range;

use super::Fault;
use super::fold::is_word;
use super::quote::is_han_numeral;
use crate::analysis::{Language, is_stop_word, terms, words};

/// A measure and where it stands in the folded text.
#[derive(Debug)]
pub(super) struct Measure {
    pub(super) at: Range<usize>,
    what: What,
}

#[derive(Clone, Debug, PartialEq)]
enum What {
    Number(Number),
    Date(Date),
    /// A word or sign that must occur as it is: `half`, `²`, `三百`.
    Literal(String),
}

#[derive(Clone, Debug, PartialEq)]
struct Number {
    /// Normalised: `>=3500000`, `10-15`, `-5`, `10:30`, `5#` for the fifth.
    value: String,
    unit: String,
    /// The stems of what is counted, for numbers without a unit: `large` and `gull` in "12 large gulls".
    counted: Vec<String>,
    role: Role,
}

/// What four plain digits stand for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    Year,
    Count,
    Either,
}

#[derive(Clone, Debug, PartialEq)]
struct Date {
    /// `after`, `until` and their like, as [`BOUNDS`] writes them.
    bound: &'static str,
    day: Option<String>,
    month: usize,
    year: Option<String>,
}

impl Measure {
    /// What it measures, and what it says: `kg` and `5 kg`. Years and dates are `time`.
    pub(super) fn sort_and_value(&self) -> (String, String) {
        match &self.what {
            What::Number(number) if number.role != Role::Count => {
                ("time".to_owned(), number.value.clone())
            }
            What::Number(number) => {
                (format!("number {}", number.unit), format!("{} {}", number.value, number.unit))
            }
            What::Date(date) => {
                ("time".to_owned(), format!("{:?} {} {:?}", date.year, date.month, date.day))
            }
            What::Literal(word) => ("literal".to_owned(), word.clone()),
        }
    }
}

/// Returns a fault for every measure of `claim` that `quote` does not say. Both are folded.
///
/// What is counted may also be named by the `section`.
pub(super) fn faults(claim: &str, quote: &str, section: &str) -> Vec<Fault> {
    let said = scan(quote);
    let stems: HashSet<String> =
        [quote, section].iter().flat_map(|text| terms(text, Language::English)).collect();
    scan(claim)
        .into_iter()
        .filter_map(|measure| {
            let as_written = || claim.get(measure.at.clone()).unwrap_or_default().trim().to_owned();
            match &measure.what {
                What::Number(number) => missing(number, as_written(), &said, &stems),
                What::Date(date) => (!said.iter().any(|other| other.what.says(date)))
                    .then(|| Fault::NumberAbsent { number: as_written() }),
                What::Literal(_) => (!said.iter().any(|other| other.what == measure.what))
                    .then(|| Fault::NumberAbsent { number: as_written() }),
            }
        })
        .collect()
}

fn missing(
    number: &Number,
    written: String,
    said: &[Measure],
    stems: &HashSet<String>,
) -> Option<Fault> {
    let of_date = |measure: &Measure| matches!(&measure.what, What::Date(date) if date.year.as_ref().is_some_and(|year| format!("{}{year}", date.bound) == number.value));
    if number.unit.is_empty() && number.role != Role::Count && said.iter().any(of_date) {
        return None;
    }
    let numbers = said.iter().filter_map(|measure| {
        if let What::Number(other) = &measure.what { Some(other) } else { None }
    });
    let roles = |other: &Number| {
        number.role == other.role || number.role == Role::Either || other.role == Role::Either
    };
    let same: Vec<&Number> =
        numbers.clone().filter(|other| other.value == number.value && roles(other)).collect();
    let Some(first) = same.first() else { return Some(Fault::NumberAbsent { number: written }) };
    let fitting: Vec<&Number> =
        same.iter().copied().filter(|other| other.unit == number.unit).collect();
    if fitting.is_empty() {
        let found = if first.unit.is_empty() { "no unit".to_owned() } else { first.unit.clone() };
        return Some(Fault::UnitDiffers { number: written, found });
    }
    if number.role != Role::Count {
        return None;
    }
    // "15 gulls" is not said by "12 gulls and 15 terns", nor "15 puffins" by "15 gulls".
    let noun = number.counted.first();
    let elsewhere = noun.is_some()
        && numbers.clone().any(|other| other.role == Role::Count && other.counted.first() == noun);
    let swapped = elsewhere && !fitting.iter().any(|other| other.counted.first() == noun);
    let unknown = noun.is_some() && !number.counted.iter().any(|stem| stems.contains(stem));
    (swapped || unknown).then_some(Fault::NumberAbsent { number: written })
}

fn is_year(value: &str) -> bool {
    value.len() == 4
        && value.bytes().all(|b| b.is_ascii_digit())
        && ("1000".."2200").contains(&value)
}

impl What {
    fn says(&self, date: &Date) -> bool {
        let What::Date(other) = self else { return false };
        let fits =
            |asked: &Option<String>, given: &Option<String>| asked.is_none() || asked == given;
        other.month == date.month
            && other.bound == date.bound
            && fits(&date.day, &other.day)
            && fits(&date.year, &other.year)
    }
}

/// Reads every measure of a folded text, in order.
pub(super) fn scan(text: &str) -> Vec<Measure> {
    let mut found: Vec<Measure> = Vec::new();
    let mut at = 0;
    while let Some(character) = text.get(at..).and_then(|rest| rest.chars().next()) {
        if !is_word(character) {
            at += character.len_utf8();
            continue;
        }
        let before = found.last().map_or(0, |measure| measure.at.end);
        match read(text, at, before) {
            Some(mut measure) => {
                if let What::Date(date) = &mut measure.what
                    && let Some((_, bound)) =
                        text.get(..measure.at.start).map(|left| bound_before(left, before))
                {
                    date.bound = bound;
                }
                at = measure.at.end.max(at + character.len_utf8());
                found.push(measure);
            }
            None => at += token(text, at).len(),
        }
    }
    found
}

/// Returns the letters and digits at `at`; a name with a number behind a hyphen (`COVID-19`) is one.
fn token(text: &str, at: usize) -> &str {
    let rest = text.get(at..).unwrap_or_default();
    let end = rest.find(|c: char| !is_word(c)).unwrap_or(rest.len());
    let word = rest.get(..end).unwrap_or_default();
    let hyphened = rest
        .get(end..)
        .and_then(|after| after.strip_prefix('-'))
        .filter(|after| after.starts_with(|c: char| c.is_ascii_digit()));
    match hyphened {
        Some(after) if word.contains(char::is_uppercase) => {
            let more = after.find(|c: char| !is_word(c)).unwrap_or(after.len());
            rest.get(..end + 1 + more).unwrap_or_default()
        }
        _ => word,
    }
}

fn read(text: &str, at: usize, floor: usize) -> Option<Measure> {
    let rest = text.get(at..)?;
    let first = rest.chars().next()?;
    if first.is_ascii_digit() {
        return iso_date(text, at)
            .or_else(|| day_first(text, at))
            .or_else(|| number(text, at, floor));
    }
    if first.is_numeric() || is_han_numeral(first) {
        let end = rest
            .find(|c: char| c.is_ascii() || !(c.is_numeric() || is_han_numeral(c)))
            .unwrap_or(rest.len());
        return Some(Measure {
            at: at..at + end,
            what: What::Literal(rest.get(..end)?.to_owned()),
        });
    }
    let word = token(text, at);
    if is_month_token(word)
        && let Some(date) = month_first(text, at)
    {
        return Some(date);
    }
    let lower = word.to_lowercase();
    if lower == "per" {
        let below = token(text.get(at + word.len()..)?.trim_start_matches(' '), 0).to_lowercase();
        return Some(Measure {
            at: at..at + word.len(),
            what: What::Literal(format!("per {below}")),
        });
    }
    if word_number(&lower).is_some() || magnitude(&lower).is_some() {
        return number(text, at, floor);
    }
    let literal = rows(LITERALS)
        .find(|(forms, _)| forms.split(' ').any(|form| form == lower))
        .map(|(_, canonical)| canonical)?;
    Some(Measure { at: at..at + word.len(), what: What::Literal(literal.to_owned()) })
}

/// Words that stand for a number, an order or a season and must occur, each with the one form it is compared by.
const LITERALS: &str = "\
    half halves = half; halved halving halve = halve; thirds = thirds; quarter quarters = quarter; twice = twice; thrice = thrice; \
    double doubled doubles doubling = double; triple tripled triples tripling = triple; \
    quadruple quadrupled quadruples quadrupling = quadruple; hundreds = hundreds; thousands = thousands; millions = millions; \
    billions = billions; dozens = dozens; tenths fifths sixths eighths = part; first = first; second = second; \
    summer summers = summer; winter winters = winter; autumn autumns = autumn; daily = daily; weekly = weekly; monthly = monthly; hourly = hourly; yearly annual annually = yearly; zwei = zwei; drei = drei; vier = vier; fünf = fünf; \
    sechs = sechs; sieben = sieben; acht = acht; neun = neun; zehn = zehn; elf = elf; zwölf = zwölf; zwanzig = zwanzig; \
    hundert = hundert; tausend = tausend; deux = deux; trois = trois; quatre = quatre; cinq = cinq; sept = sept; huit = huit; \
    neuf = neuf; dix = dix; onze = onze; douze = douze; vingt = vingt; mille = mille; dos = dos; tres = tres; cuatro = cuatro; \
    cinco = cinco; seis = seis; siete = siete; ocho = ocho; nueve = nueve; diez = diez; doce = doce; veinte = veinte; cien = cien; \
    mil = mil";

/// Words that multiply the number before them by a power of ten.
const MAGNITUDES: &str = "hundred = 2; thousand = 3; million = 6; mn = 6; billion = 9; bn = 9; trillion = 12; lakh = 5; crore = 7";

/// Number words in order from 0; 1 is missing, since "one" is rarely a number.
const SMALL: &str = "zero - two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen \
    eighteen nineteen";

/// Tens from 20.
const TENS: &str = "twenty thirty forty fifty sixty seventy eighty ninety";

/// Ordinals from the first.
const ORDINALS: &str =
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth";

fn magnitude(lower: &str) -> Option<i32> {
    rows(MAGNITUDES).find(|(name, _)| *name == lower).and_then(|(_, places)| places.parse().ok())
}

/// Returns the value a single word stands for; an ordinal ends in `#`.
fn word_number(lower: &str) -> Option<String> {
    let place = |list: &str| list.split_whitespace().position(|word| word == lower);
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
        return word_number(stem).map(|value| value + "x");
    }
    place(ORDINALS).filter(|index| *index >= 2).map(|index| format!("{}#", index + 1))
}

/// Reads the number at `at`, and looks back as far as `floor` for what belongs to it.
fn number(text: &str, at: usize, floor: usize) -> Option<Measure> {
    let (mut value, mut end) = value(text, at)?;
    let (mut start, sign, money) = prefix(text, at, floor);
    if money.is_some()
        && let Some(letter) = text.get(end..)?.chars().next()
    {
        let places = match letter {
            'k' | 'K' => 3,
            'm' | 'M' => 6,
            'b' | 'B' => 9,
            _ => 0,
        };
        if places > 0 && !text.get(end + 1..)?.starts_with(is_word) {
            value = shift(&value, places);
            end += 1;
        }
    }
    let mut unit = money.unwrap_or_default();
    end += read_unit(text.get(end..)?, &mut unit);
    while let Some((separator, next)) = range_separator(text, end, text.get(floor..start)?) {
        let Some((other, after)) = self::value(text, next) else { break };
        let mut other_unit = String::new();
        end = after + read_unit(text.get(after..)?, &mut other_unit);
        if !unit.is_empty() && !other_unit.is_empty() && unit != other_unit {
            value.push_str(&unit);
        }
        if unit.is_empty() || !other_unit.is_empty() {
            unit = other_unit;
        }
        // The magnitude behind a range belongs to both ends: "3–5 million".
        value = format!("{}{separator}{other}", shifted_like(&value, text.get(next..after)?));
    }
    let rest = text.get(end..)?;
    if rest.starts_with(is_word) && !rest.starts_with(crate::analysis::is_unspaced) {
        return None;
    }
    let mut bound = String::new();
    const BEHIND: &str = "or more = >=; or greater = >=; or higher = >=; or over = >=; and above = >=; and over = >=; or older = >=; \
        or less = <=; or fewer = <=; or lower = <=; or under = <=; and below = <=; and under = <=; or younger = <=; at least = >=; at most = <=";
    let next = rest.strip_prefix(' ').unwrap_or_default();
    if let Some((phrase, sign)) = rows(BEHIND).find(|(phrase, _)| {
        next.strip_prefix(phrase).is_some_and(|after| !after.starts_with(is_word))
    }) {
        bound.push_str(sign);
        end += 1 + phrase.len();
    }
    if rest.starts_with('+') && !rest.chars().nth(1).is_some_and(is_word) {
        bound.push_str(">=");
        end += 1;
    }
    let (from, words) = bound_before(text.get(..start)?, floor);
    start = from;
    bound.push_str(words);
    let counted =
        if unit.is_empty() || unit == "%" { counted(text.get(end..)?) } else { Vec::new() };
    let role = if text.get(at..end) == Some(value.as_str()) && is_year(&value) {
        role(text, at, end)
    } else {
        Role::Count
    };
    let value = format!("{bound}{sign}{value}");
    Some(Measure { at: start..end, what: What::Number(Number { value, unit, counted, role }) })
}

/// Reads digits or number words with their magnitude; returns the normalised value and where it ends.
fn value(text: &str, at: usize) -> Option<(String, usize)> {
    let rest = text.get(at..)?;
    let (mut value, mut end) =
        if rest.starts_with(|c: char| c.is_ascii_digit()) { digits(rest)? } else { spelled(rest)? };
    if !rest.starts_with(|c: char| c.is_ascii_digit()) {
        return Some((value, at + end));
    }
    let raised = rest
        .get(end..)?
        .chars()
        .take_while(|c| !c.is_ascii() && c.is_numeric())
        .map(char::len_utf8)
        .sum::<usize>();
    value.push_str(rest.get(end..end + raised)?);
    end += raised;
    if let Some((exponent, length)) = power_of_ten(rest.get(end..)?) {
        value = shift(&value, exponent);
        end += length;
    }
    loop {
        let after = rest.get(end..)?;
        let attached = [('k', 3), ('M', 6), ('B', 9)]
            .iter()
            .find_map(|(letter, places)| Some((after.strip_prefix(*letter)?, *places)))
            .filter(|(more, _)| !more.starts_with(is_word) && !more.starts_with('/'));
        if let Some((more, places)) = attached {
            value = shift(&value, places);
            end = rest.len() - more.len();
            continue;
        }
        let gap = after.strip_prefix([' ', '-']).unwrap_or(after);
        let word = token(gap, 0);
        let lower = word.to_lowercase();
        if let Some(exponent) = magnitude(&lower) {
            value = shift(&value, exponent);
        } else if lower == "dozen" {
            value = value
                .parse::<u64>()
                .ok()
                .and_then(|count| count.checked_mul(12))
                .map_or(value.clone() + "dozen", |count| count.to_string());
        } else {
            return Some((value, at + end));
        }
        end = rest.len() - gap.len() + word.len();
    }
}

/// Reads `1,000.50`, `1.5e6`, `21st`, `1990s`.
fn digits(rest: &str) -> Option<(String, usize)> {
    let mut end = 0;
    for (index, character) in rest.char_indices() {
        let next_is_digit = || {
            rest.get(index + character.len_utf8()..)
                .is_some_and(|after| after.starts_with(|c: char| c.is_ascii_digit()))
        };
        let grouped = character == ' ' && group_follows(rest, index);
        if character.is_ascii_digit()
            || matches!(character, '.' | ',' | '\'') && next_is_digit()
            || grouped
        {
            end = index + 1;
        } else {
            break;
        }
    }
    let mut value = decimal(rest.get(..end)?);
    let after = rest.get(end..)?;
    let letters: String = after.chars().take_while(|c| is_word(*c)).collect();
    if matches!(letters.as_str(), "st" | "nd" | "rd" | "th") {
        value.push('#');
        end += 2;
    } else if letters == "s" && value.len() >= 2 {
        value.push('s');
        end += 1;
    } else if let Some(exponent) = after.strip_prefix(['e', 'E']) {
        let signed = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
        let length = signed.bytes().take_while(u8::is_ascii_digit).count();
        let whole = exponent.len() - signed.len() + length;
        if length > 0
            && let Some(power) =
                exponent.get(..whole).and_then(|digits| digits.trim_start_matches('+').parse().ok())
        {
            value = shift(&value, power);
            end += 1 + whole;
        }
    }
    Some((value, end))
}

/// Tells whether exactly three digits follow a space, and at most three stand before it: `12 000`.
fn group_follows(rest: &str, space: usize) -> bool {
    let before = rest
        .get(..space)
        .unwrap_or_default()
        .rsplit(|c: char| !c.is_ascii_digit())
        .next()
        .unwrap_or_default();
    let whole = rest
        .get(..space)
        .is_some_and(|text| !text.contains(['.', ',', '\'']) && !text.starts_with('0'));
    let after = rest.get(space + 1..).unwrap_or_default();
    let count = after.bytes().take_while(u8::is_ascii_digit).count();
    whole && (1..=3).contains(&before.len()) && count == 3
}

/// Writes a number one way: no separators, no idle zeros. What could be read two ways stays as it is.
fn decimal(written: &str) -> String {
    let plain = written.replace([' ', '\''], "");
    let groups = |by: char| {
        let mut parts = plain.split(by);
        let first = parts.next().unwrap_or_default();
        (1..=3).contains(&first.len())
            && !first.starts_with('0')
            && parts.all(|part| part.len() == 3)
    };
    let (commas, points) = (plain.matches(',').count(), plain.matches('.').count());
    let plain = match (commas, points) {
        (0, 0) => return plain,
        (_, 0) if groups(',') => return plain.replace(',', ""),
        (1, 0) => plain.replace(',', "."),
        (0, 1) => {
            let ambiguous = groups('.');
            if ambiguous {
                return plain;
            }
            plain
        }
        (0, _) if groups('.') => return plain.replace('.', ""),
        (_, 1)
            if plain.rfind(',') < plain.find('.')
                && plain.split('.').next().is_some_and(|whole| thousands(whole, ',')) =>
        {
            plain.replace(',', "")
        }
        (1, _)
            if plain.rfind('.') < plain.find(',')
                && plain.split(',').next().is_some_and(|whole| thousands(whole, '.')) =>
        {
            plain.replace('.', "").replace(',', ".")
        }
        _ => return plain,
    };
    // "3.10" may be a version, so only a fraction of nothing but zeros goes.
    plain
        .split_once('.')
        .filter(|(_, fraction)| fraction.bytes().all(|b| b == b'0'))
        .map_or(plain.clone(), |(whole, _)| whole.to_owned())
}

fn thousands(whole: &str, by: char) -> bool {
    let mut parts = whole.split(by);
    parts.next().is_some_and(|first| (1..=3).contains(&first.len()))
        && parts.all(|part| part.len() == 3)
}

/// Moves the decimal point `places` to the right.
fn shift(value: &str, places: i32) -> String {
    let (whole, fraction) = value.split_once('.').unwrap_or((value, ""));
    let numeric =
        !whole.is_empty() && (whole.bytes().chain(fraction.bytes())).all(|b| b.is_ascii_digit());
    if !numeric || places.abs() > 60 {
        return format!("{value}e{places}");
    }
    let point = i32::try_from(whole.len()).unwrap_or(0) + places;
    let mut digits = format!("{whole}{fraction}");
    let length = i32::try_from(digits.len()).unwrap_or(0);
    if point <= 0 {
        digits = "0".repeat(usize::try_from(1 - point).unwrap_or(0)) + &digits;
    } else if point > length {
        digits.push_str(&"0".repeat(usize::try_from(point - length).unwrap_or(0)));
    }
    let cut = usize::try_from(point.max(1)).unwrap_or(1);
    let (whole, fraction) = digits.split_at_checked(cut).unwrap_or((&digits, ""));
    let (whole, fraction) = (whole.trim_start_matches('0'), fraction.trim_end_matches('0'));
    let whole = if whole.is_empty() { "0" } else { whole };
    if fraction.is_empty() { whole.to_owned() } else { format!("{whole}.{fraction}") }
}

/// Reads `× 10⁵` and `x 10^-5`.
fn power_of_ten(rest: &str) -> Option<(i32, usize)> {
    let inner = rest
        .trim_start_matches(' ')
        .strip_prefix(['×', 'x', '*', '·'])?
        .trim_start_matches(' ')
        .strip_prefix("10")?;
    let marked = inner.strip_prefix('^').unwrap_or(inner);
    let mut exponent = String::new();
    let mut length = 0;
    for character in marked.chars() {
        match character {
            '-' | '⁻' => exponent.push('-'),
            '0'..='9' if marked.len() < inner.len() => exponent.push(character),
            _ => exponent.push(
                "⁰¹²³⁴⁵⁶⁷⁸⁹"
                    .chars()
                    .zip('0'..='9')
                    .find(|(raised, _)| *raised == character)
                    .map(|(_, digit)| digit)
                    .filter(|_| marked.len() == inner.len())?,
            ),
        }
        length += character.len_utf8();
        let after = marked.get(length..)?;
        if !after.starts_with(|c: char| c.is_numeric()) && exponent != "-" {
            break;
        }
    }
    Some((exponent.parse().ok()?, rest.len() - marked.len() + length))
}

/// Reads `twenty-one`, `two hundred and fifty thousand`, `a dozen`.
fn spelled(rest: &str) -> Option<(String, usize)> {
    let (mut total, mut group, mut end, mut ceiling) = (0u64, 0u64, 0, u64::MAX);
    let mut ordinal = "";
    loop {
        let after = rest.get(end..)?;
        let gap = if end == 0 { after } else { after.strip_prefix([' ', '-']).unwrap_or(after) };
        let gap = if end > 0 && (group % 100 == 0) {
            gap.strip_prefix("and ").unwrap_or(gap)
        } else {
            gap
        };
        let word = token(gap, 0);
        let lower = word.to_lowercase();
        let inside = |value: u64| {
            group == 0
                || (value < 10 && group % 10 == 0 && group % 100 >= 20)
                || (value < 100 && group % 100 == 0)
        };
        if word.is_empty() || !ordinal.is_empty() {
            break;
        } else if let Some(places) = magnitude(&lower) {
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
            let small = match lower.as_str() {
                "one" if end > 0 => Some("1".to_owned()),
                "first" if end > 0 => Some("1#".to_owned()),
                "second" if end > 0 => Some("2#".to_owned()),
                _ => word_number(&lower).filter(|_| lower != "dozen"),
            };
            let Some(small) = small else { break };
            if small.ends_with('x') {
                return (end == 0).then_some((small, word.len()));
            }
            let Some(value) = small
                .trim_end_matches('#')
                .parse()
                .ok()
                .filter(|value| inside(*value) && (end == 0 || *value > 0))
            else {
                break;
            };
            group += value;
            ordinal = if small.ends_with('#') { "#" } else { "" };
        }
        end = rest.len() - gap.len() + word.len();
    }
    (end > 0).then(|| (format!("{}{ordinal}", total + group), end))
}

/// Reads the sign and currency before a number: where it begins, the sign, the currency.
fn prefix(text: &str, at: usize, floor: usize) -> (usize, &'static str, Option<String>) {
    let left = text.get(floor..at).unwrap_or_default();
    let (left, money) = match currency(left) {
        Some((length, name)) => {
            (left.get(..left.len() - length).unwrap_or_default(), Some(name.to_owned()))
        }
        None => (left, None),
    };
    let free = |rest: &str| !rest.ends_with(is_word) && !rest.ends_with('-');
    let (mut left, mut sign) = match left.strip_suffix('-') {
        Some(rest) if free(rest) => (rest, "-"),
        _ => match ["minus ", "negative "]
            .iter()
            .find_map(|word| left.strip_suffix(word))
            .filter(|rest| free(rest))
        {
            Some(rest) => (rest, "-"),
            None => (left, ""),
        },
    };
    const MARKS: [(&str, &str); 10] = [
        ("<=", "<="),
        (">=", ">="),
        ("≤", "<="),
        ("≥", ">="),
        ("<", "<"),
        (">", ">"),
        ("±", "±"),
        ("+/-", "±"),
        (".", "."),
        ("+", "+"),
    ];
    for (mark, canonical) in MARKS {
        let before = if matches!(mark, "." | "+") { left } else { left.trim_end_matches(' ') };
        if let Some(rest) =
            before.strip_suffix(mark).filter(|rest| !matches!(mark, "." | "+") || free(rest))
        {
            left = rest;
            sign = match (canonical, sign) {
                ("<=", "-") => "<=-",
                (">=", "-") => ">=-",
                ("<", "-") => "<-",
                (">", "-") => ">-",
                ("+", _) => "",
                _ => canonical,
            };
            break;
        }
    }
    (floor + left.len(), sign, money)
}

/// Words that make a number a bound, longest first.
const BOUNDS: &str = "\
    no fewer than = >=; no less than = >=; not less than = >=; no more than = <=; not more than = <=; at least = >=; \
    a minimum of = >=; at most = <=; up to = <=; a maximum of = <=; more than = >; greater than = >; higher than = >; \
    larger than = >; over = >; above = >; exceeding = >; less than = <; fewer than = <; lower than = <; under = <; \
    below = <; before = before; prior to = before; after = after; until = until; till = until; since = since; \
    within = within; every = every; each = every";

fn bound_before(left: &str, floor: usize) -> (usize, &'static str) {
    let none = (left.len(), "");
    let Some(near) = left.strip_suffix(' ').or_else(|| left.strip_suffix(" a ")) else {
        return none;
    };
    let found = rows(BOUNDS).find_map(|(phrase, bound)| {
        let start = near.len().checked_sub(phrase.len()).filter(|start| *start >= floor)?;
        let written = near.get(start..)?;
        let free = !near.get(..start)?.ends_with(is_word);
        (free && written.eq_ignore_ascii_case(phrase)).then_some((start, bound))
    });
    found.unwrap_or(none)
}

/// Returns the sign that joins the number ending at `end` to the next, and where that begins.
fn range_separator<'a>(text: &'a str, end: usize, before: &str) -> Option<(&'a str, usize)> {
    let rest = text.get(end..)?;
    let digit = |after: &str| {
        after.trim_start_matches(['$', '€', '£']).starts_with(|c: char| c.is_ascii_digit())
    };
    for separator in ["-", "/", ":", "×", "^", "·"] {
        if let Some(after) = rest.strip_prefix(separator).filter(|after| digit(after)) {
            return Some((
                rest.get(..separator.len())?,
                text.len() - after.trim_start_matches(['$', '€', '£']).len(),
            ));
        }
    }
    let between = before.trim_end().to_lowercase().ends_with("between");
    let joints = [
        (" - ", "-", true),
        (" to ", "-", true),
        (" and ", "-", between),
        (" of ", "of", true),
        (" out of ", "of", true),
    ];
    for (separator, joined, joins) in joints {
        if let Some(after) = rest.strip_prefix(separator).filter(|_| joins) {
            let after_money = after.trim_start_matches(['$', '€', '£']);
            let word = token(after_money, 0).to_lowercase();
            if digit(after) || word_number(&word).is_some_and(|value| !value.ends_with(['#', 'x']))
            {
                return Some((joined, text.len() - after_money.len()));
            }
        }
    }
    None
}

/// Gives the first end of a range the magnitude its second end was written with.
fn shifted_like(first: &str, written: &str) -> String {
    match written.rsplit([' ', '-']).next().and_then(|word| magnitude(&word.to_lowercase())) {
        Some(places) if first.len() <= 5 && !first.contains(['-', ':', '/']) => {
            shift(first, places)
        }
        _ => first.to_owned(),
    }
}

fn read_unit(rest: &str, name: &mut String) -> usize {
    match unit(rest) {
        Some((length, read)) => {
            if name.is_empty() {
                *name = read;
            } else {
                name.push(' ');
                name.push_str(&read);
            }
            length
        }
        None => 0,
    }
}

/// Returns the stems of the words of content close behind a number.
fn counted(rest: &str) -> Vec<String> {
    let reach = rest.char_indices().nth(80).map_or(rest.len(), |(end, _)| end);
    let close = rest.get(..reach).unwrap_or_default();
    let clause = close.split(['.', ',', ';', ':', '(', ')', '?', '!']).next().unwrap_or_default();
    let near = words(clause).map(|(_, word)| word).take(3);
    let content = near.filter(|word| {
        !is_stop_word(word, Language::English) && !word.contains(|c: char| c.is_numeric())
    });
    content.flat_map(|word| terms(word, Language::English)).collect()
}

/// Tells a year from a count by the word before and the word behind.
fn role(text: &str, at: usize, end: usize) -> Role {
    const PLACED: &str = " in since until till by during from after before between circa c around early late mid of through year and to ";
    let last = text
        .get(..at)
        .and_then(|left| left.trim_end().rsplit([' ', '-', '(']).next())
        .unwrap_or_default()
        .to_lowercase();
    let placed = PLACED.contains(&format!(" {last} "));
    let next = text
        .get(end..)
        .and_then(|right| right.strip_prefix(' '))
        .map_or("", |right| token(right, 0));
    let follows = next.starts_with(char::is_lowercase) && !is_stop_word(next, Language::English);
    match (placed, follows) {
        (true, false) => Role::Year,
        (false, true) => Role::Count,
        _ => Role::Either,
    }
}

/// Month names by number; the English abbreviations come last.
const MONTHS: [&str; 12] = [
    "january januar janvier enero gennaio janeiro jan",
    "february februar février febrero febbraio fevereiro feb",
    "march märz mars marzo março mar",
    "april avril abril aprile apr",
    "may mai mayo maggio maio",
    "june juni juin junio giugno junho jun",
    "july juli juillet julio luglio julho jul",
    "august août agosto aug",
    "september septembre septiembre settembre setembro sept sep",
    "october oktober octobre octubre ottobre outubro oct",
    "november novembre noviembre novembro nov",
    "december dezember décembre diciembre dicembre dezembro dec",
];

fn month(word: &str) -> Option<usize> {
    let lower = word.to_lowercase();
    MONTHS
        .iter()
        .position(|names| names.split(' ').any(|name| name == lower))
        .map(|index| index + 1)
}

fn is_month_token(word: &str) -> bool {
    month(word).is_some()
        && (word.starts_with(char::is_uppercase)
            || !matches!(word, "may" | "march" | "mar" | "dec" | "sep" | "mars"))
}

/// Reads one or two digits that can be a day, with `st`, `nd`, `rd`, `th` or a full stop.
fn day(rest: &str) -> Option<(String, usize)> {
    let length = rest.bytes().take_while(u8::is_ascii_digit).count();
    let number: u8 = rest.get(..length).filter(|_| length <= 2)?.parse().ok()?;
    let after = rest.get(length..)?;
    let suffix = ["st", "nd", "rd", "th"]
        .iter()
        .find(|suffix| after.starts_with(**suffix))
        .map_or(0, |suffix| suffix.len());
    let free = !after.get(suffix..)?.starts_with(is_word);
    ((1..=31).contains(&number) && free).then(|| (number.to_string(), length + suffix))
}

fn year(rest: &str) -> Option<(String, usize)> {
    let written = rest.get(..4)?;
    let free = !rest.get(4..)?.starts_with(is_word) && !after_point(rest.get(4..)?);
    (is_year(written) && free).then(|| (written.to_owned(), 4))
}

fn after_point(rest: &str) -> bool {
    rest.strip_prefix(['.', ','])
        .is_some_and(|after| after.starts_with(|c: char| c.is_ascii_digit()))
}

fn iso_date(text: &str, at: usize) -> Option<Measure> {
    let rest = text.get(at..)?;
    let mut parts = rest.get(..10)?.split('-');
    let (year, month, day) = (parts.next()?, parts.next()?, parts.next()?);
    let digits = |part: &str, length: usize| {
        part.len() == length && part.bytes().all(|b| b.is_ascii_digit())
    };
    if !digits(year, 4)
        || !digits(month, 2)
        || !digits(day, 2)
        || rest.get(10..)?.starts_with(is_word)
    {
        return None;
    }
    let month = month.parse().ok().filter(|month| (1..=12).contains(month))?;
    let date = Date {
        bound: "",
        day: Some(day.trim_start_matches('0').to_owned()),
        month,
        year: Some(year.to_owned()),
    };
    Some(Measure { at: at..at + 10, what: What::Date(date) })
}

/// Reads `12 March 2011`, `the 3rd of May`, `12.-14. März 2011`, `12 de marzo de 2011`.
fn day_first(text: &str, at: usize) -> Option<Measure> {
    let rest = text.get(at..)?;
    let (mut first, mut end) = day(rest)?;
    end += usize::from(rest.get(end..)?.starts_with('.'));
    if let Some(after) = rest.get(end..)?.trim_start_matches(' ').strip_prefix('-') {
        let after = after.trim_start_matches(' ');
        let (second, length) = day(after)?;
        first = format!("{first}-{second}");
        end = rest.len() - after.len() + length;
        end += usize::from(rest.get(end..)?.starts_with('.'));
    }
    let after = rest.get(end..)?.strip_prefix([' ', '-'])?;
    let after = ["of ", "de "].iter().find_map(|word| after.strip_prefix(word)).unwrap_or(after);
    let name = token(after, 0);
    let month = month(name).filter(|_| is_month_token(name) || name == "mars")?;
    end = rest.len() - after.len() + name.len();
    let (year, length) = trailing_year(rest.get(end..)?).unzip();
    let date = Date { bound: "", day: Some(first), month, year };
    Some(Measure { at: at..at + end + length.unwrap_or(0), what: What::Date(date) })
}

fn trailing_year(rest: &str) -> Option<(String, usize)> {
    let after = rest.strip_prefix('.').unwrap_or(rest);
    let after = after.strip_prefix(',').unwrap_or(after);
    let after = after.strip_prefix([' ', '-'])?;
    let after = ["of ", "de "].iter().find_map(|word| after.strip_prefix(word)).unwrap_or(after);
    year(after).map(|(year, length)| (year, rest.len() - after.len() + length))
}

/// Reads `March 12, 2011`, `March 2011`, and a month alone behind a preposition.
fn month_first(text: &str, at: usize) -> Option<Measure> {
    let rest = text.get(at..)?;
    let name = token(text, at);
    let month = month(name)?;
    let mut end = name.len();
    let measure = |day, year, end: usize| {
        Some(Measure { at: at..at + end, what: What::Date(Date { bound: "", day, month, year }) })
    };
    if let Some((year, length)) = trailing_year(rest.get(end..)?) {
        return measure(None, Some(year), end + length);
    }
    let after = rest.get(end..)?;
    let after = after.strip_prefix('.').unwrap_or(after);
    if let Some((mut first, length)) = after.strip_prefix(' ').and_then(day) {
        end = rest.len() - after.len() + 1 + length;
        if let Some((second, length)) = rest.get(end..)?.strip_prefix('-').and_then(day) {
            first = format!("{first}-{second}");
            end += 1 + length;
        }
        let (year, length) = trailing_year(rest.get(end..)?).unzip();
        return measure(Some(first), year, end + length.unwrap_or(0));
    }
    let before = text.get(..at)?.trim_end().rsplit(' ').next()?.to_lowercase();
    let placed = "in since until till by of during from to through last early late mid each every between before after around this next and";
    let whole = name.chars().count() > 4 || matches!(name, "May" | "June" | "July");
    (whole && placed.split(' ').any(|word| word == before))
        .then(|| measure(None, None, end))
        .flatten()
}

/// Symbols, in the case they are written in, then words in lower case; the first of each row is the name.
const UNITS: &str = "\
    % percent pct; ‰ permille; pp; m metre metres meter meters; km kilometre kilometres kilometer kilometers kms; cm \
    centimetre centimetres centimeter centimeters; mm millimetre millimetres millimeter millimeters; μm micrometre \
    micrometres micrometer micrometers micron microns um; nm nanometre nanometres nanometer nanometers; ft foot feet; \
    inch inches; yd yard yards; mi mile miles; ly light-years light-year; au; g gram grams gramme grammes; kg \
    kilogram kilograms kilogramme kilogrammes kilo kilos; mg milligram milligrams; μg mcg microgram micrograms ug; ng \
    nanogram nanograms; t tonne tonnes; ton tons; lb lbs pound pounds; oz ounce ounces; l L litre litres liter \
    liters; ml mL millilitre millilitres milliliter milliliters; dl dL decilitre decilitres deciliter deciliters; μl \
    μL microlitre microlitres microliter microliters; gallon gallons; pint pints; ha hectare hectares; acre acres; m² \
    m2; km² km2; cm² cm2; mm² mm2; m³ m3; km³ km3; cm³ cm3; ft² ft2; ft³ ft3; s sec secs second seconds; ms \
    millisecond milliseconds; μs microsecond microseconds; ns nanosecond nanoseconds; min mins minute minutes; h hr \
    hrs hour hours; day days; week weeks; fortnight fortnights; month months; year years yr yrs; decade decades; \
    century centuries; millennium millennia; bit bits; byte bytes; kB KB kilobyte kilobytes; MB megabyte megabytes; \
    GB gigabyte gigabytes; TB terabyte terabytes; PB petabyte petabytes; KiB; MiB; GiB; TiB; kbps kbit; Mbps Mbit; \
    Gbps Gbit; °C celsius centigrade; °F fahrenheit; K kelvin kelvins; ° degree degrees deg; km/h kph kmh; mi/h mph; \
    knot knots kn; J joule joules; kJ kilojoule kilojoules; MJ; GJ; cal calorie calories; kcal kilocalorie \
    kilocalories; W watt watts; kW kilowatt kilowatts; MW megawatt megawatts; GW gigawatt gigawatts; TW terawatt \
    terawatts; mW milliwatt milliwatts; Wh; kWh kilowatt-hours kilowatt-hour; MWh; GWh; TWh; eV; keV; MeV; GeV; TeV; \
    Hz hertz; kHz kilohertz; MHz megahertz; GHz gigahertz; V volt volts; mV millivolt millivolts; kV kilovolt \
    kilovolts; A amp amps ampere amperes; mA milliamp milliamps; Ω ohm ohms; Pa pascal pascals; hPa; kPa kilopascal \
    kilopascals; MPa; GPa; bar bars; mbar millibar millibars; psi; atm; mmHg; N newton newtons; kN; mol; mmol; μmol; \
    nmol; M; mM; μM; nM; ppm; ppb; dB decibel decibels; Bq becquerel becquerels; Sv sievert sieverts; mSv; Gy; lux; \
    px pixel pixels; IU; kDa; Da; bp; kb; rpm; am; pm; x times fold -fold; dollar dollars; cent cents; euro euros EUR; gbp \
    GBP; usd USD; yen JPY; chf CHF; franc francs; rupee rupees INR; rouble roubles ruble rubles; yuan CNY; peso \
    pesos; mark marks";

/// Currency signs and codes that may stand before a number, longest first.
const CURRENCIES: &str = "\
    US$ = usd; A$ = aud; C$ = cad; NZ$ = nzd; HK$ = hkd; R$ = brl; USD = usd; EUR = euro; GBP = gbp; JPY = yen; CHF = \
    chf; INR = rupee; $ = dollar; € = euro; £ = gbp; ¥ = yen; ₹ = rupee; ₽ = rouble; ₩ = won; ₪ = shekel";

/// Returns the length and name of the currency that `left` ends with, the space behind it included.
fn currency(left: &str) -> Option<(usize, &'static str)> {
    let near = left.strip_suffix(' ').unwrap_or(left);
    let (sign, name) = rows(CURRENCIES).find(|(sign, _)| near.ends_with(sign))?;
    let free = !near.strip_suffix(sign)?.ends_with(is_word);
    free.then_some((left.len() - near.len() + sign.len(), name))
}

/// What may follow "a" in "5 mg a day".
const TIMES: &str = " second minute hour day night week month year decade ";

/// Reads the unit that stands behind a number: its length with the space before it, and its name.
///
/// `per` and `/` go on: "5 mg per day" has the unit `mg/day`.
fn unit(rest: &str) -> Option<(usize, String)> {
    let (mut length, mut name) = match simple(rest) {
        Some((length, name)) => (length, name),
        None => (0, String::new()),
    };
    loop {
        let after = rest.get(length..)?;
        let each =
            [" a ", " an ", " each ", " every "].iter().find_map(|word| after.strip_prefix(word));
        let each = each.filter(|below| TIMES.contains(&format!(" {} ", token(below, 0))));
        let per =
            after.strip_prefix(" per ").or_else(|| after.strip_prefix('/').filter(|_| length > 0));
        let Some(below) = per.or(each).filter(|below| below.starts_with(char::is_alphabetic))
        else {
            break;
        };
        let word = below.split(|c: char| !is_word(c)).next()?;
        let (used, read) = simple(below)
            .unwrap_or_else(|| (word.len(), word.trim_end_matches('s').to_lowercase()));
        name = format!("{name}/{read}");
        length = rest.len() - below.len() + used;
    }
    (length > 0).then_some((length, name))
}

/// Reads a table of `key = value; key = value`.
fn rows(table: &'static str) -> impl Iterator<Item = (&'static str, &'static str)> {
    table.split("; ").filter_map(|row| row.split_once(" = "))
}

fn simple(rest: &str) -> Option<(usize, String)> {
    const PHRASES: &str = "\
    percentage points = pp; percentage point = pp; percent points = pp; per cent = %; % ci = %ci; % confidence = %ci; a.m. = am; p.m. = pm; per mille = ‰; degrees celsius \
    = °C; degrees fahrenheit = °F; degrees centigrade = °C; degree celsius = °C; degrees c = °C; degrees f = °F; ° c \
    = °C; ° f = °F; nautical miles = nmi; light years = ly; us dollars = usd; basis points = bp; pounds sterling = \
    gbp; square = ²; cubic = ³";
    let gap = rest.strip_prefix([' ', '-']).unwrap_or(rest);
    let lead = rest.len() - gap.len();
    for (phrase, name) in rows(PHRASES) {
        let written =
            gap.get(..phrase.len()).filter(|written| written.eq_ignore_ascii_case(phrase));
        let Some(after) = written
            .and_then(|_| gap.get(phrase.len()..))
            .filter(|after| !after.starts_with(is_word))
        else {
            continue;
        };
        if !matches!(name, "²" | "³") {
            return Some((lead + phrase.len(), name.to_owned()));
        }
        let (length, base) = simple(after)?;
        return Some((lead + phrase.len() + length, base + name));
    }
    if gap.starts_with(['%', '‰']) {
        let length = gap.chars().next()?.len_utf8();
        return Some((lead + length, gap.get(..length)?.to_owned()));
    }
    if let Some(after) =
        gap.strip_prefix('€').filter(|after| !after.starts_with(|c: char| c.is_ascii_digit()))
    {
        return Some((rest.len() - after.len(), "euro".to_owned()));
    }
    let degree = gap.strip_prefix('°').map_or(0, |_| '°'.len_utf8());
    let letters = gap.get(degree..)?;
    let end = letters.find(|c: char| !is_word(c)).unwrap_or(letters.len());
    let written = gap.get(..degree + end).filter(|written| !written.is_empty())?;
    let lower = written.to_lowercase();
    let row = UNITS.split("; ").find(|row| {
        row.split(' ').any(|form| {
            form == written
                || form.len() > 3 && form.chars().all(|c| c.is_lowercase()) && form == lower
        })
    })?;
    Some((lead + written.len(), row.split(' ').next()?.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(claim: &str, quote: &str, agrees: bool) {
        let faults = faults(claim, quote, "");
        assert_eq!(
            faults.is_empty(),
            agrees,
            "{claim:?} by {quote:?}: {faults:?} {:?}",
            scan(claim)
        );
    }

    // proves: C4, C13
    #[test]
    fn the_same_measure_agrees_however_it_is_written() {
        for (claim, quote) in [
            ("40.0 of them", "40 of them"),
            ("40 per cent of birds", "40% of birds"),
            ("1,000 nests", "1000 nests"),
            ("3.5 million nests", "3,500,000 nests"),
            ("twenty-one eggs", "21 eggs"),
            ("two hundred and fifty", "250"),
            ("two dozen", "24"),
            ("in the 21st century", "in the twenty-first century"),
            ("on 12 March 2011", "on March 12th, 2011"),
            ("on 2011-03-12", "on 12 March 2011 at noon"),
            ("in 2011", "on 12 March 2011"),
            ("in March 2011", "on 12 Mar. 2011"),
            ("10 to 15%", "10-15 %"),
            ("between 10 and 15 kg", "10-15 kilograms"),
            ("$5m was paid", "$5 million was paid"),
            ("5 km/h", "5 kilometres per hour"),
            ("3 × 10⁵ cells", "300,000 cells"),
            ("more than 500 birds", "over 500 birds"),
            ("5-year plan", "plan of 5 years"),
            ("-5 °C", "-5 degrees Celsius"),
            ("one bird", "a bird"),
            ("two thousand five hundred and one", "2,501"),
            ("one hundred and five", "105"),
            ("minus 5 °C", "-5 °C"),
            ("5 or more", "at least 5"),
            ("340M parameters", "340 million parameters"),
            ("£40 per day", "£40 a day"),
            ("three to five thousand", "3,000-5,000"),
        ] {
            check(claim, quote, true);
        }
    }

    // proves: C4, C13
    #[test]
    fn another_measure_does_not() {
        for (claim, quote) in [
            ("15 %", "10-15 %"),
            ("5 mg", "5 g"),
            ("5 mg", "5"),
            ("5 gulls", "5 kg"),
            ("40", "40%"),
            ("102 cells", "10² cells"),
            ("1 gull", "1 000 gulls"),
            ("5 million", "5 billion"),
            ("5", "-5"),
            ("5 gulls", "the 5th gull"),
            ("500 birds", "more than 500 birds"),
            ("p < 0.05", "p > 0.05"),
            ("12 April 2011", "12 March 2011"),
            ("5 March 2011", "12 March and 5 April 2011"),
            ("12 gulls", "12 March"),
            ("12 avril 2011", "12 mars 2011"),
            ("in 2012", "in 2011"),
            ("1990", "the 1990s"),
            ("half of them", "all of them"),
            ("twice as many", "as many"),
            ("15 gulls", "12 gulls and 15 terns"),
            ("1½ hours", "1 hours"),
            ("٣ birds", "3 birds"),
            ("三百只海鸥", "两百只海鸥"),
            ("$5", "€5"),
            ("5 mg per day", "5 mg per week"),
            ("1 gull", "1.000 gulls"),
            ("10:30", "10:45"),
            ("threefold", "fourfold"),
            ("5 gulls", "one hundred and five gulls"),
            ("2,000", "two thousand five hundred"),
            ("minus 5 °C", "5 °C"),
            ("5", "5 or more"),
            ("version 3.1", "version 3.10"),
            ("10 am", "10 p.m."),
            ("until 1958", "in 1958"),
            ("after 12 March 2011", "on 12 March 2011"),
            ("1958 pairs in 1240", "1,240 pairs in 1958"),
            ("15 puffins", "15 gulls"),
            ("15 deaths per day", "15 deaths"),
            ("15 of 12 samples", "12 of 15 samples"),
            ("£40 a week", "£40 a day"),
            ("the first gull", "the gull"),
            ("zwei Möwen", "drei Möwen"),
        ] {
            check(claim, quote, false);
        }
    }

    proptest! {
        #[test]
        fn any_text_can_be_scanned(text in "(?s)(.|[0-9a-z., %$-]|two|hundred|million|March|to| ){0,30}") {
            let mut last = 0;
            for measure in scan(&text) {
                prop_assert!(measure.at.start >= last && text.get(measure.at.clone()).is_some_and(|slice| !slice.is_empty()));
                last = measure.at.end;
            }
        }

        #[test]
        fn a_number_agrees_with_itself_and_no_other(a in 0u32..5_000_000, b in 0u32..5_000_000) {
            let (claim, same, other) = (format!("{a} nests"), format!("{a} nests"), format!("{b} nests"));
            prop_assert!(faults(&claim, &same, "").is_empty());
            prop_assert_eq!(faults(&claim, &other, "").is_empty(), a == b);
        }
    }
}
