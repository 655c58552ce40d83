//! Numbers in digits, written one way: `1,000.50`, `1.5e6`, `21st`, `1990s`, `3 × 10⁵`, `40k`.

use super::{number_words, token};
use crate::grounding::fold::is_word;

/// Reads digits with the magnitude behind them; returns the normalised value and its length.
///
/// Raised digits stay as they are: `10²` is no 102. An ordinal ends in `#`, a decade in `s`.
pub(super) fn read(rest: &str) -> Option<(String, usize)> {
    let (mut value, mut end) = plain(rest)?;
    let after = rest.get(end..)?;
    let raised = after.find(|c: char| c.is_ascii() || !c.is_numeric()).unwrap_or(after.len());
    value.push_str(after.get(..raised)?);
    end += raised;
    if let Some((exponent, length)) = power_of_ten(rest.get(end..)?) {
        value = shift(&value, exponent);
        end += length;
    }
    loop {
        let after = rest.get(end..)?;
        if let Some(places) = attached(after) {
            value = shift(&value, places);
            end += 1;
            continue;
        }
        let gap = after.strip_prefix([' ', '-']).unwrap_or(after);
        let word = token(gap);
        let lower = word.to_lowercase();
        if let Some(places) = number_words::magnitude(&lower) {
            value = shift(&value, places);
        } else if lower == "dozen" {
            let dozens = value.parse::<u64>().ok().and_then(|count| count.checked_mul(12));
            value = dozens.map_or_else(|| value.clone() + "dozen", |count| count.to_string());
        } else {
            return Some((value, end));
        }
        end = rest.len() - gap.len() + word.len();
    }
}

/// Returns the places that the letter of `40k` or `340M` shifts by.
fn attached(after: &str) -> Option<i32> {
    let letters = [('k', 3), ('M', 6), ('B', 9)];
    let (more, places) = letters
        .iter()
        .find_map(|(letter, places)| Some((after.strip_prefix(*letter)?, *places)))?;
    (!more.starts_with(is_word) && !more.starts_with('/')).then_some(places)
}

/// Reads `1,000.50`, `1.5e6`, `21st`, `1990s`.
fn plain(rest: &str) -> Option<(String, usize)> {
    let mut end = 0;
    for (index, character) in rest.char_indices() {
        let next_is_digit = || {
            rest.get(index + character.len_utf8()..)
                .is_some_and(|after| after.starts_with(|c: char| c.is_ascii_digit()))
        };
        if character.is_ascii_digit()
            || matches!(character, '.' | ',' | '\'') && next_is_digit()
            || character == ' ' && group_follows(rest, index)
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
    } else if let Some((power, length)) = exponent(after) {
        value = shift(&value, power);
        end += length;
    }
    Some((value, end))
}

/// Reads the `e6` of `1.5e6`.
fn exponent(after: &str) -> Option<(i32, usize)> {
    let signed = after.strip_prefix(['e', 'E'])?;
    let digits = signed.strip_prefix(['+', '-']).unwrap_or(signed);
    let count = digits.bytes().take_while(u8::is_ascii_digit).count();
    let length = signed.len() - digits.len() + count;
    let power = signed.get(..length)?.trim_start_matches('+').parse().ok()?;
    Some((power, 1 + length))
}

/// Tells whether exactly three digits follow a space, and at most three stand before it: `12 000`.
fn group_follows(rest: &str, space: usize) -> bool {
    let before = rest.get(..space).unwrap_or_default();
    let group = before.rsplit(|c: char| !c.is_ascii_digit()).next().unwrap_or_default();
    let whole = !before.contains(['.', ',', '\'']) && !before.starts_with('0');
    let after = rest.get(space + 1..).unwrap_or_default();
    let count = after.bytes().take_while(u8::is_ascii_digit).count();
    whole && (1..=3).contains(&group.len()) && count == 3
}

/// Writes a number one way: no separators, no idle zeros. What could be read two ways stays as it is.
fn decimal(written: &str) -> String {
    let plain = written.replace([' ', '\''], "");
    let (commas, points) = (plain.matches(',').count(), plain.matches('.').count());
    let grouped_by = |sign: char| !plain.starts_with('0') && is_grouped(&plain, sign);
    let grouped_before = |last: char, sign: char| {
        plain.rfind(sign) < plain.find(last)
            && plain.split(last).next().is_some_and(|whole| is_grouped(whole, sign))
    };
    let number = match (commas, points) {
        (0, 0) => return plain,
        (_, 0) if grouped_by(',') => return plain.replace(',', ""),
        (1, 0) => plain.replace(',', "."),
        // "1.000" is a thousand or one.
        (0, 1) if grouped_by('.') => return plain,
        (0, 1) => plain,
        (0, _) if grouped_by('.') => return plain.replace('.', ""),
        (_, 1) if grouped_before('.', ',') => plain.replace(',', ""),
        (1, _) if grouped_before(',', '.') => plain.replace('.', "").replace(',', "."),
        _ => return plain,
    };
    // "3.10" may be a version, so only a fraction of nothing but zeros goes.
    match number.split_once('.') {
        Some((whole, fraction)) if fraction.bytes().all(|b| b == b'0') => whole.to_owned(),
        _ => number,
    }
}

/// Tells whether `sign` sets groups of three digits apart.
fn is_grouped(number: &str, sign: char) -> bool {
    let mut groups = number.split(sign);
    groups.next().is_some_and(|first| (1..=3).contains(&first.len()))
        && groups.all(|group| group.len() == 3)
}

/// Moves the decimal point `places` to the right.
pub(super) fn shift(value: &str, places: i32) -> String {
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

/// Reads `× 10⁵` and `x 10^-5`: the exponent, and the length of it all.
fn power_of_ten(rest: &str) -> Option<(i32, usize)> {
    const RAISED: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    let inner = rest
        .trim_start_matches(' ')
        .strip_prefix(['×', 'x', '*', '·'])?
        .trim_start_matches(' ')
        .strip_prefix("10")?;
    let marked = inner.strip_prefix('^');
    let written = marked.unwrap_or(inner);
    let mut exponent = String::new();
    let mut length = 0;
    for character in written.chars() {
        exponent.push(match character {
            '-' | '⁻' => '-',
            '0'..='9' if marked.is_some() => character,
            _ if marked.is_some() => return None,
            _ => RAISED.into_iter().zip('0'..='9').find(|(raised, _)| *raised == character)?.1,
        });
        length += character.len_utf8();
        let after = written.get(length..)?;
        if !after.starts_with(|c: char| c.is_numeric()) && exponent != "-" {
            break;
        }
    }
    Some((exponent.parse().ok()?, rest.len() - written.len() + length))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, value: &str, length: usize) {
        assert_eq!(read(text), Some((value.to_owned(), length)), "{text:?}");
    }

    #[test]
    fn one_number_has_one_spelling() {
        check("1,000.50 m", "1000.50", 8);
        check("12 000", "12000", 6);
        check("1.000.000,0", "1000000", 11);
        check("40.0", "40", 4);
        check("1.5e6", "1500000", 5);
        check("3 × 10⁵ cells", "300000", "3 × 10⁵".len());
        check("5 x 10^-3", "0.005", 9);
        check("340M", "340000000", 4);
        check("3 dozen", "36", 7);
    }

    #[test]
    fn what_can_be_read_two_ways_stays() {
        check("1.000", "1.000", 5);
        check("3.10", "3.10", 4);
        check("1,00,000", "1,00,000", 8);
        check("10²", "10²", "10²".len());
        check("21st", "21#", 4);
        check("1990s", "1990s", 5);
    }

    #[test]
    fn a_shift_moves_the_point_and_leaves_no_idle_zero() {
        assert_eq!(shift("2.97", 9), "2970000000");
        assert_eq!(shift("1.5", -2), "0.015");
        assert_eq!(shift("0.50", 1), "5");
        assert_eq!(shift("10-15", 3), "10-15e3");
    }
}
