//! Numbers in digits, with sign, separators, magnitude and unit.

use super::units;
use super::{Number, Quantity, Reading, first_word, words};
use crate::fold::is_word;

/// A token that begins with a digit.
pub(super) enum Read {
    Number(Quantity),
    /// Part of a name instead of a number; it ends here.
    Name(usize),
}

/// Reads the number that begins at `at`.
pub(super) fn read(text: &str, at: usize) -> Read {
    let rest = text.get(at..).unwrap_or_default();
    let Some((mut values, mut end)) = plain(rest) else { return Read::Name(at + name(rest)) };
    let is_fraction = has_leading_point(text, at);
    if is_fraction {
        let places = rest.bytes().take_while(u8::is_ascii_digit).count();
        scale(&mut values, -i32::try_from(places).unwrap_or_default());
    }
    let behind = |end: usize| rest.get(end..).unwrap_or_default();
    if let Some(power) = exponent(behind(end)) {
        scale(&mut values, power.0);
        end += power.1;
    } else if let Some((power, length)) = raised(behind(end)) {
        values = powers(&values, power);
        end += length;
    }
    let left = text.get(..at - usize::from(is_fraction)).unwrap_or_default();
    let (start, sign) = find_sign(left);
    let has_plus = sign == Some('+') || words::says_plus(text.get(..start).unwrap_or_default());
    let is_minus = sign == Some('-');
    let (start, money) = units::currency_before(left, start);
    let (places, length) = magnitude(behind(end), money.is_some());
    scale(&mut values, places);
    end += length;
    if let Some(length) = ordinal(behind(end)) {
        end += length;
    }
    let unit = units::decade(rest, end).or_else(|| units::read(behind(end)));
    let is_metres = first_word(behind(end)) == "m" && behind(end).starts_with("m ");
    if let Some((_, length)) = &unit {
        end += length;
    } else if behind(end).starts_with(is_word) && !behind(end).starts_with(text::is_unspaced) {
        return Read::Name(at + name(rest));
    }
    let unit = match (money, unit) {
        (Some(money), Some((unit, _))) => Some(money.per(&unit)),
        (Some(money), None) => Some(money),
        (None, unit) => unit.map(|(unit, _)| unit),
    };
    let end = at + end;
    let (end, below) = words::below_zero(text, end);
    let negative = is_minus || below || words::says_minus(text.get(..start).unwrap_or_default());
    let number = |(value, step): (f64, f64)| Number {
        value: if negative { -value } else { value },
        unit: unit.clone(),
        has_plus,
        ..Number::plain(value, step)
    };
    // "1.5m people" is a million and a half.
    let millions: Vec<(f64, f64)> = if is_metres {
        values.iter().map(|(value, step)| (value * 1e6, step * 1e6)).collect()
    } else {
        vec![]
    };
    let mut readings: Vec<Reading> = values.into_iter().map(number).map(Reading::Number).collect();
    let plain = |(value, step)| Reading::Number(Number::plain(value, step));
    readings.extend(millions.into_iter().map(plain));
    readings.extend(short_year(text, at, rest, unit.is_none()));
    let is_rounded = words::says_rounded(text.get(..start).unwrap_or_default(), behind(end - at));
    Read::Number(Quantity { at: start..end, readings, is_rounded, is_told: true })
}

/// Reads digits with their separators: returns the possible values, each with the value of its last digit, and their length.
///
/// Returns `None` if the digits are part of a name, such as a version with two points.
fn plain(rest: &str) -> Option<(Vec<(f64, f64)>, usize)> {
    let mut end = 0;
    while let Some(next) = rest.get(end..).and_then(|rest| rest.chars().next()) {
        let goes_on = |length: usize| {
            end > 0
                && rest
                    .get(end + length..)
                    .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
        };
        match next {
            '0'..='9' => end += 1,
            ',' | '.' | '\'' if goes_on(1) => end += 1,
            ' ' if goes_on(1) && is_group(rest, end) => end += 1,
            _ => break,
        }
    }
    let written = rest.get(..end)?;
    let next = rest.get(end..).and_then(|rest| rest.chars().next());
    if let Some(share) = next.and_then(fraction) {
        let length = next.map_or(0, char::len_utf8);
        let whole: f64 = if written.is_empty() { 0.0 } else { written.parse().ok()? };
        return Some((vec![(whole + share, 0.01)], end + length));
    }
    if written.is_empty() {
        return None;
    }
    Some((values(written)?, end))
}

/// Returns whether exactly three digits follow the space at `at`, and one to three precede it: `12 000`.
fn is_group(rest: &str, at: usize) -> bool {
    let before = rest.get(..at).unwrap_or_default();
    let first = before.split(' ').next().unwrap_or_default();
    let after = rest.get(at + 1..).unwrap_or_default();
    let digits = after.bytes().take_while(u8::is_ascii_digit).count();
    (1..=3).contains(&first.len())
        && first.bytes().all(|byte| byte.is_ascii_digit())
        && !first.starts_with('0')
        && digits == 3
        && !after.get(3..).is_some_and(|rest| rest.starts_with(is_word))
}

/// Returns the possible values of digits with separators.
fn values(written: &str) -> Option<Vec<(f64, f64)>> {
    let written = written.replace([' ', '\''], "");
    let count = |sign: char| written.matches(sign).count();
    let grouped = |sign: char| {
        let mut groups = written.split(sign);
        let first = groups.next().unwrap_or_default();
        (1..=3).contains(&first.len())
            && !first.starts_with('0')
            && groups.all(|group| group.len() == 3)
    };
    let parsed = |text: String| -> Option<(f64, f64)> {
        let places = text.split_once('.').map_or(0, |(_, fraction)| fraction.len());
        let step = 10f64.powi(-i32::try_from(places).ok()?);
        Some((text.parse().ok()?, step))
    };
    let without = |sign: char| written.replace(sign, "");
    Some(match (count(','), count('.')) {
        (0, 0) => vec![parsed(written.clone())?],
        (_, 0) if grouped(',') => {
            let mut readings = vec![parsed(without(','))?];
            // No one writes three zero decimals after a comma: 1,000 MW is not one megawatt.
            if count(',') == 1 && !written.ends_with(",000") {
                readings.push(parsed(written.replace(',', "."))?);
            }
            readings
        }
        (1, 0) => vec![parsed(written.replace(',', "."))?],
        (0, 1) if grouped('.') => vec![parsed(written.clone())?, parsed(without('.'))?],
        (0, 1) => vec![parsed(written.clone())?],
        (0, _) if grouped('.') => vec![parsed(without('.'))?],
        (_, 1) if written.rfind(',') < written.find('.') => vec![parsed(without(','))?],
        (1, _) if written.rfind('.') < written.find(',') => {
            vec![parsed(without('.').replace(',', "."))?]
        }
        _ => return None,
    })
}

/// Returns the value of a fraction sign such as `½`.
pub(super) fn fraction(sign: char) -> Option<f64> {
    Some(match sign {
        '½' => 1.0 / 2.0,
        '⅓' => 1.0 / 3.0,
        '⅔' => 2.0 / 3.0,
        '¼' => 1.0 / 4.0,
        '¾' => 3.0 / 4.0,
        '⅕' => 1.0 / 5.0,
        '⅖' => 2.0 / 5.0,
        '⅗' => 3.0 / 5.0,
        '⅘' => 4.0 / 5.0,
        '⅙' => 1.0 / 6.0,
        '⅛' => 1.0 / 8.0,
        '⅜' => 3.0 / 8.0,
        '⅝' => 5.0 / 8.0,
        '⅞' => 7.0 / 8.0,
        _ => return None,
    })
}

/// Moves the decimal point of every value.
fn scale(values: &mut [(f64, f64)], places: i32) {
    for (value, step) in values.iter_mut().filter(|_| places != 0) {
        *value *= 10f64.powi(places);
        *step *= 10f64.powi(places);
    }
}

/// Reads `e6`, `× 10⁵` and `x 10^-5`: the power of ten and the length.
fn exponent(after: &str) -> Option<(i32, usize)> {
    if let Some(digits) = after.strip_prefix(['e', 'E']) {
        let unsigned = digits.strip_prefix(['+', '-']).unwrap_or(digits);
        let count = unsigned.bytes().take_while(u8::is_ascii_digit).count();
        let length = digits.len() - unsigned.len() + count;
        let free = !unsigned.get(count..)?.starts_with(is_word);
        let power = digits.get(..length)?.trim_start_matches('+').parse().ok()?;
        return (count > 0 && count < 3 && free).then_some((power, 1 + length));
    }
    let inner = after.trim_start_matches(' ').strip_prefix(['×', 'x', '*', '·'])?;
    let written = inner.trim_start_matches(' ').strip_prefix("10")?;
    let (power, length) = raised(written).filter(|(power, _)| power.abs() < 100)?;
    Some((power, after.len() - written.len() + length))
}

/// Reads what stands raised behind a number, `⁵`, `⁻³`, `^6`, `^-6` or `^(-6)`: the whole number and the length.
fn raised(after: &str) -> Option<(i32, usize)> {
    if let Some(marked) = after.strip_prefix('^') {
        let (open, inner, close) = match marked.strip_prefix(['(', '{']) {
            Some(inner) => (1, inner, inner.find([')', '}'])?),
            None => (0, marked, sign_and_digits(marked)),
        };
        let written = inner.get(..close)?;
        let is_word_behind = inner.get(close..)?.starts_with(is_word);
        let power = written.parse().ok().filter(|_| !is_word_behind)?;
        return Some((power, 1 + close + 2 * open));
    }
    let digit = |c: char| match c {
        '⁺' => Some('+'),
        '⁻' => Some('-'),
        c => text::raised_digit(c),
    };
    let length = after.find(|c| digit(c).is_none()).unwrap_or(after.len());
    let (written, behind) = after.split_at_checked(length)?;
    let power = written.chars().filter_map(digit).collect::<String>().parse().ok()?;
    (!behind.starts_with(is_word)).then_some((power, length))
}

/// Returns the length of a whole number with its sign at the start of `text`.
fn sign_and_digits(text: &str) -> usize {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let digits = unsigned.bytes().take_while(u8::is_ascii_digit).count();
    text.len() - unsigned.len() + digits
}

/// Returns what numbers with something raised behind them can mean: `10³` is a thousand, `2011³` a year with a note.
fn powers(values: &[(f64, f64)], power: i32) -> Vec<(f64, f64)> {
    let is_noted = |value: f64| power > 0 && (power == 1 || value > 10.0 || value.fract() != 0.0);
    let noted = values.iter().copied().filter(|(value, _)| is_noted(*value));
    let raised = values.iter().map(|(value, _)| (value.powi(power), value.powi(power)));
    raised.filter(|(value, _)| value.is_finite()).chain(noted).collect()
}

/// Reads the magnitude after a number, as a power of ten and a length: `1.2-million`, `5 Mio.`, `340M`, `$5m`, `3万`.
fn magnitude(after: &str, is_money: bool) -> (i32, usize) {
    let gap = after.strip_prefix([' ', '-']).unwrap_or(after);
    let word = first_word(gap);
    if let Some(places) = words::magnitude(word) {
        return (places, after.len() - gap.len() + word.len());
    }
    if let Some((places, length)) = words::unspaced_magnitude(gap) {
        return (places, after.len() - gap.len() + length);
    }
    let attached = first_word(after);
    let places = match attached {
        "k" | "K" if is_money || attached == "k" => 3,
        "M" | "Mn" | "mn" => 6,
        "m" if is_money => 6,
        "bn" | "Bn" | "B" if is_money || attached != "B" => 9,
        _ => return (0, 0),
    };
    (places, attached.len())
}

/// Returns the length of the suffix that makes a number a rank: `21st`, `3ème`, `4º`.
fn ordinal(after: &str) -> Option<usize> {
    let word = first_word(after);
    let is_rank = matches!(
        word,
        "st" | "nd" | "rd" | "th" | "er" | "ère" | "e" | "ème" | "º" | "ª" | "ste" | "de"
    );
    is_rank.then_some(word.len())
}

/// Returns the start of a number with its sign, and the sign, if there is one.
fn find_sign(left: &str) -> (usize, Option<char>) {
    let Some(before) = left.strip_suffix(['-', '+']) else { return (left.len(), None) };
    let opens =
        before.chars().next_back().is_none_or(|c| c.is_whitespace() || "([|/\"<>=~".contains(c));
    if opens { (before.len(), left.chars().next_back()) } else { (left.len(), None) }
}

/// Returns whether the digits at `at` are a fraction without its leading zero: `.72`.
fn has_leading_point(text: &str, at: usize) -> bool {
    let before = text.get(..at).and_then(|left| left.strip_suffix('.'));
    before.is_some_and(|before| {
        before.chars().next_back().is_none_or(|c| c.is_whitespace() || "([|<>=~-+".contains(c))
    })
}

/// Reads the 12 of "2011-12" as 2012 as well.
fn short_year(text: &str, at: usize, rest: &str, no_unit: bool) -> Option<Reading> {
    let digits = rest.get(..2).filter(|two| two.bytes().all(|byte| byte.is_ascii_digit()))?;
    if !no_unit || rest.get(2..)?.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let before = text.get(..at)?.strip_suffix(['-', '/'])?;
    let year = before.get(before.len().checked_sub(4)?..)?;
    let left = before.get(..before.len() - 4)?;
    let free = !left.strip_suffix("FY").unwrap_or(left).ends_with(is_word);
    let year: u32 = year.parse().ok().filter(|year| free && (1000..2200).contains(year))?;
    let short: u32 = digits.parse().ok().filter(|short| *short > year % 100)?;
    Some(Reading::Number(Number::plain(f64::from(year / 100 * 100 + short), 1.0)))
}

/// Returns the length of a name that begins with digits: letters, digits and the signs between them.
fn name(rest: &str) -> usize {
    let inner = |c: char| is_word(c) || matches!(c, '.' | '-' | '_' | '/' | ':' | ',');
    let written = rest.get(..rest.find(|c| !inner(c)).unwrap_or(rest.len())).unwrap_or_default();
    written.trim_end_matches(|c: char| !is_word(c)).len().max(1)
}
