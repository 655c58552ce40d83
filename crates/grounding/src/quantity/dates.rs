//! Dates and times of day: `12 March 2011`, `2011-03-12`, `March 2011`, `2011年3月12日`, `08:45`, `5 pm`.

use super::{Date, Quantity, Reading, first_word};
use crate::fold::is_word;

/// Month names by number, in lower case.
const MONTHS: [&str; 12] = [
    "january jan januar januari janvier enero gennaio janeiro jänner",
    "february feb februar februari février febrero febbraio fevereiro",
    "march mar märz mars maart marzo março",
    "april apr avril abril aprile",
    "may mai mei mayo maggio maio maj",
    "june jun juni juin junio giugno junho",
    "july jul juli juillet julio luglio julho",
    "august aug augusti augustus août agosto",
    "september sep sept septembre septiembre settembre setembro",
    "october oct oktober octobre octubre ottobre outubro okt",
    "november nov novembre noviembre novembro",
    "december dec dezember dez décembre diciembre dicembre dezembro",
];

/// Reads the date or time of day at `at`.
pub(super) fn read(text: &str, at: usize) -> Option<Quantity> {
    let rest = text.get(at..)?;
    let (readings, length) = if rest.starts_with(|c: char| c.is_ascii_digit()) {
        numeric(rest)
            .or_else(|| eastern(rest))
            .or_else(|| day_first(rest))
            .or_else(|| clock(text, at))?
    } else {
        month_first(text, at)?
    };
    let is_rounded = super::words::says_rounded(text.get(..at)?, "");
    Some(Quantity { at: at..at + length, readings, is_rounded, is_told: true })
}

fn date(year: Option<i32>, month: Option<u32>, day: Option<u32>) -> Reading {
    Reading::Date(Date { year, month, day })
}

type Found = (Vec<Reading>, usize);

/// Reads `2011-03-12`, `2011/03/12`, `12.03.2011` and `3/12/2011`, which may be in March or December.
fn numeric(rest: &str) -> Option<Found> {
    let parts = |sign: char| -> Option<([u32; 3], [usize; 3], usize)> {
        let mut values = [0; 3];
        let mut lengths = [0; 3];
        let mut end = 0;
        for index in 0..3 {
            let digits = rest.get(end..)?.bytes().take_while(u8::is_ascii_digit).count();
            values[index] = rest.get(end..end + digits)?.parse().ok()?;
            lengths[index] = digits;
            end += digits;
            if index < 2 {
                end += rest.get(end..)?.starts_with(sign).then_some(1)?;
            }
        }
        let after = rest.get(end..)?;
        let free = !after.starts_with(is_word)
            && !after
                .strip_prefix(sign)
                .is_some_and(|more| more.starts_with(|c: char| c.is_ascii_digit()));
        free.then_some((values, lengths, end))
    };
    let valid = |year: u32, month: u32, day: u32| {
        let fits = (1..=12).contains(&month) && (1..=31).contains(&day);
        fits.then(|| date(i32::try_from(year).ok(), Some(month), Some(day)))
    };
    for sign in ['-', '/', '.'] {
        let Some(([a, b, c], lengths, end)) = parts(sign) else { continue };
        let readings: Vec<Reading> = match lengths {
            [4, 1..=2, 1..=2] => valid(a, b, c).into_iter().collect(),
            [1..=2, 1..=2, 4] if sign == '/' => {
                valid(c, b, a).into_iter().chain(valid(c, a, b)).collect()
            }
            [1..=2, 1..=2, 4] => valid(c, b, a).into_iter().collect(),
            _ => continue,
        };
        if !readings.is_empty() {
            return Some((readings, end));
        }
    }
    None
}

/// Reads `2011年3月12日`, `3月12日`, `2011년 3월`.
fn eastern(rest: &str) -> Option<Found> {
    let mut end = 0;
    let mut read = |limit: usize, marks: [char; 2]| -> Option<u32> {
        let after = rest.get(end..)?;
        let gap = after.len() - after.trim_start_matches(' ').len();
        let digits = after.get(gap..)?.bytes().take_while(u8::is_ascii_digit).count();
        let value = after.get(gap..gap + digits)?.parse().ok().filter(|_| digits <= limit)?;
        let behind = after.get(gap + digits..)?;
        let mark = behind.chars().next().filter(|sign| marks.contains(sign))?;
        // Durations such as "3 months" and "5 years" have another character after it.
        let next = behind.get(mark.len_utf8()..)?.chars().next();
        if matches!(next, Some('间' | '間')) {
            return None;
        }
        end += gap + digits + mark.len_utf8();
        Some(value)
    };
    let year = read(4, ['年', '년']).filter(|year| *year >= 1000);
    let month = read(2, ['月', '월']).filter(|month| (1..=12).contains(month));
    let day = month.and_then(|_| read(2, ['日', '일'])).filter(|day| (1..=31).contains(day));
    (year.is_some() || month.is_some())
        .then(|| (vec![date(year.and_then(|year| i32::try_from(year).ok()), month, day)], end))
}

/// Reads `12 March 2011`, `the 3rd of May`, `12.-14. März 2011`, `12 de marzo de 2011`.
fn day_first(rest: &str) -> Option<Found> {
    let (first, mut end) = day(rest)?;
    let mut days = vec![first];
    end += usize::from(rest.get(end..)?.starts_with('.'));
    let joint = [" - ", "-", " to ", " and ", " bis ", " und "]
        .iter()
        .find_map(|joint| rest.get(end..)?.strip_prefix(joint));
    if let Some((last, length)) = joint.and_then(day)
        && let Some(after) = joint
    {
        let behind = after.get(length..)?.strip_prefix('.').unwrap_or(after.get(length..)?);
        let name = first_word(without_of(behind.strip_prefix([' ', '-'])?));
        if parse_month(name).is_some() {
            days.push(last);
            end = rest.len() - behind.len();
        }
    }
    let after = without_of(rest.get(end..)?.strip_prefix([' ', '-'])?);
    let name = first_word(after);
    let month = parse_month(name).filter(|_| is_written_as_month(name))?;
    end = rest.len() - after.len() + name.len();
    let (year, length) = trailing_year(rest.get(end..)?).unzip();
    let readings = days.into_iter().map(|day| date(year, Some(month), Some(day))).collect();
    Some((readings, end + length.unwrap_or(0)))
}

/// Reads `March 12, 2011`, `March 2011`, and a month alone.
fn month_first(text: &str, at: usize) -> Option<Found> {
    let rest = text.get(at..)?;
    let name = first_word(rest);
    let month = parse_month(name).filter(|_| is_written_as_month(name))?;
    let after = rest.get(name.len()..)?;
    if let Some((year, length)) = trailing_year(after) {
        return Some((vec![date(Some(year), Some(month), None)], name.len() + length));
    }
    let dotted = after.strip_prefix('.').unwrap_or(after);
    if let Some((first, length)) = dotted.strip_prefix(' ').and_then(day) {
        let mut end = rest.len() - dotted.len() + 1 + length;
        let (year, length) = trailing_year(rest.get(end..)?).unzip();
        end += length.unwrap_or(0);
        // "March 30 people came" counts people.
        let is_day = year.is_some()
            || rest.get(end..)?.starts_with([',', '.', ';', ')', '-'])
            || rest.get(end..)?.trim().is_empty()
            || !rest.get(end..)?.trim_start().starts_with(char::is_alphabetic);
        if is_day {
            return Some((vec![date(year, Some(month), Some(first))], end));
        }
    }
    // A short name alone is often something else, as are "May" and "March" at the beginning of a sentence.
    let opens = text.get(..at)?.trim_end().ends_with(['.', ':', '!', '?']) || at == 0;
    let whole = name.chars().count() > 4
        || matches!(
            name,
            "May"
                | "June"
                | "July"
                | "Juni"
                | "Juli"
                | "März"
                | "Mai"
                | "mars"
                | "juin"
                | "août"
                | "mayo"
                | "Juin"
        );
    let ambiguous = matches!(name, "May" | "March" | "Mars" | "Mai" | "August");
    (whole && !(opens && ambiguous)).then(|| (vec![date(None, Some(month), None)], name.len()))
}

/// Reads `08:45`, `8.45 am`, `5 pm`, `17:46:03`.
fn clock(text: &str, at: usize) -> Option<Found> {
    let rest = text.get(at..)?;
    let count = rest.bytes().take_while(u8::is_ascii_digit).count();
    let hour: u32 =
        rest.get(..count).filter(|_| count <= 2)?.parse().ok().filter(|hour| *hour <= 24)?;
    let minutes = |sign: char| -> Option<(u32, usize)> {
        let after = rest.get(count..)?.strip_prefix(sign)?;
        let digits = after.bytes().take_while(u8::is_ascii_digit).count();
        let minutes = after.get(..2).filter(|_| digits == 2)?.parse().ok()?;
        (minutes < 60).then_some((minutes, count + 3))
    };
    let (minute, mut end) = match minutes(':') {
        Some((minute, end)) => (Some(minute), end),
        None => match minutes('.') {
            Some((minute, end)) if half_of_day(rest.get(end..)?).is_some() => (Some(minute), end),
            _ => (None, count),
        },
    };
    // Seconds, or a ratio of three: `1:10:20`.
    if let Some(after) = rest.get(end..)?.strip_prefix(':') {
        let digits = after.bytes().take_while(u8::is_ascii_digit).count();
        end += (digits == 2).then_some(3)?;
    }
    let half = half_of_day(rest.get(end..)?);
    if minute.is_none() && half.is_none() || half.is_some() && hour > 12 {
        return None;
    }
    let (is_afternoon, length) = half.unzip();
    end += length.unwrap_or(0);
    if rest.get(end..)?.starts_with(is_word) && !rest.get(end..)?.starts_with(text::is_unspaced) {
        return None;
    }
    let hour = match is_afternoon {
        Some(true) => hour % 12 + 12,
        Some(false) => hour % 12,
        None => hour,
    };
    let is_half = is_afternoon.is_none() && (1..=12).contains(&hour) && count == 1;
    let reading = Reading::Clock { minutes: hour * 60 + minute.unwrap_or(0), is_half };
    Some((vec![reading], end))
}

/// Reads `am` and `p.m.`: returns whether it is the second half of the day, and the length.
fn half_of_day(after: &str) -> Option<(bool, usize)> {
    let gap = after.strip_prefix(' ').unwrap_or(after);
    let used = after.len() - gap.len();
    for (written, is_afternoon) in [("a.m.", false), ("p.m.", true), ("am", false), ("pm", true)] {
        let lower = gap.get(..written.len()).map(str::to_lowercase);
        if lower.as_deref() == Some(written) && !gap.get(written.len()..)?.starts_with(is_word) {
            return Some((is_afternoon, used + written.len()));
        }
    }
    None
}

/// Returns the number of a month.
fn parse_month(word: &str) -> Option<u32> {
    let lower = word.to_lowercase();
    let index = MONTHS.iter().position(|names| names.split(' ').any(|name| name == lower))?;
    u32::try_from(index + 1).ok()
}

/// Returns whether a word is written as a month's name: lower-case `may` and `march` are other words.
fn is_written_as_month(word: &str) -> bool {
    word.starts_with(char::is_uppercase)
        || !matches!(
            word,
            "may"
                | "march"
                | "mar"
                | "dec"
                | "sep"
                | "jan"
                | "nov"
                | "mai"
                | "mei"
                | "maj"
                | "oct"
                | "abril"
                | "avril"
                | "agosto"
                | "marzo"
                | "maio"
                | "maggio"
                | "aug"
                | "feb"
                | "apr"
                | "jun"
                | "jul"
                | "okt"
                | "dez"
        )
        || matches!(word, "abril" | "avril" | "agosto" | "marzo" | "maggio" | "mai")
}

/// Reads one or two digits that may be a day, with `st`, `nd`, `rd` or `th`.
fn day(rest: &str) -> Option<(u32, usize)> {
    let length = rest.bytes().take_while(u8::is_ascii_digit).count();
    let number: u32 = rest.get(..length).filter(|_| length <= 2)?.parse().ok()?;
    let after = rest.get(length..)?;
    let suffix = ["st", "nd", "rd", "th", "er"].iter().find(|suffix| after.starts_with(**suffix));
    let suffix = suffix.map_or(0, |suffix| suffix.len());
    let free = !after.get(suffix..)?.starts_with(is_word);
    ((1..=31).contains(&number) && free).then_some((number, length + suffix))
}

/// Reads the year after a day or month: ` 2011`, `, 2011`, ` de 2011`.
fn trailing_year(rest: &str) -> Option<(i32, usize)> {
    let after = rest.strip_prefix('.').unwrap_or(rest);
    let after = after.strip_prefix(',').unwrap_or(after);
    let after = without_of(after.strip_prefix([' ', '-'])?);
    let written = after.get(..4).filter(|year| year.bytes().all(|byte| byte.is_ascii_digit()))?;
    let year: i32 = written.parse().ok().filter(|year| (1000..2200).contains(year))?;
    let behind = after.get(4..)?;
    let goes_on = behind.strip_prefix(['.', ',']).unwrap_or_default();
    let free = !behind.starts_with(is_word) && !goes_on.starts_with(|c: char| c.is_ascii_digit());
    free.then(|| (year, rest.len() - after.len() + 4))
}

fn without_of(after: &str) -> &str {
    ["of ", "de ", "del ", "di "].iter().find_map(|word| after.strip_prefix(word)).unwrap_or(after)
}
