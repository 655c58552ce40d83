//! Dates: `12 March 2011`, `March 12, 2011`, `2011-03-12`, `March 2011`, `in March`.

use super::{bounds, token};
use crate::grounding::fold::is_word;
use crate::grounding::lexicon::listed;

#[derive(Debug)]
pub(super) struct Date {
    /// `after`, `until` and their like; empty where the date is meant as it stands.
    pub(super) bound: &'static str,
    /// `12`, or `12-14` for the 12th to the 14th.
    pub(super) day: Option<String>,
    /// 1 to 12.
    pub(super) month: usize,
    pub(super) year: Option<String>,
}

impl Date {
    fn new(day: Option<String>, month: usize, year: Option<String>) -> Date {
        Date { bound: "", day, month, year }
    }

    /// Tells whether this date says all that `other` says.
    pub(super) fn says(&self, other: &Date) -> bool {
        let fits =
            |given: &Option<String>, asked: &Option<String>| asked.is_none() || given == asked;
        self.month == other.month
            && self.bound == other.bound
            && fits(&self.day, &other.day)
            && fits(&self.year, &other.year)
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

/// Words before a month that stands alone.
const PLACING: &[&str] = &[
    "in since until till by during from to through before between after around",
    "of early mid late next last this each every and",
];

/// Reads the date at `at`, and its bound no further back than `floor`; returns where the date ends.
pub(super) fn read(text: &str, at: usize, floor: usize) -> Option<(Date, usize)> {
    let (left, rest) = text.split_at_checked(at)?;
    let (date, length) =
        iso(rest).or_else(|| day_first(rest)).or_else(|| month_first(left, rest))?;
    let (_, bound) = bounds::before(left, floor);
    Some((Date { bound, ..date }, at + length))
}

/// Tells whether four digits can be a year, 1000 to 2199.
pub(super) fn is_year(value: &str) -> bool {
    value.len() == 4
        && value.bytes().all(|b| b.is_ascii_digit())
        && ("1000".."2200").contains(&value)
}

/// Reads `2011-03-12`.
fn iso(rest: &str) -> Option<(Date, usize)> {
    let mut parts = rest.get(..10)?.split('-');
    let mut digits = |length: usize| {
        let part = parts.next()?;
        (part.len() == length && part.bytes().all(|b| b.is_ascii_digit())).then_some(part)
    };
    let (year, month, day) = (digits(4)?, digits(2)?, digits(2)?);
    let month = month.parse().ok().filter(|month| (1..=12).contains(month))?;
    let date =
        Date::new(Some(day.trim_start_matches('0').to_owned()), month, Some(year.to_owned()));
    (!rest.get(10..)?.starts_with(is_word)).then_some((date, 10))
}

/// Reads `12 March 2011`, `the 3rd of May`, `12.-14. März 2011`, `12 de marzo de 2011`.
fn day_first(rest: &str) -> Option<(Date, usize)> {
    let (mut days, mut end) = day(rest)?;
    end += usize::from(rest.get(end..)?.starts_with('.'));
    if let Some(after) = rest.get(end..)?.trim_start_matches(' ').strip_prefix('-') {
        let after = after.trim_start_matches(' ');
        let (last, length) = day(after)?;
        days = format!("{days}-{last}");
        end = rest.len() - after.len() + length;
        end += usize::from(rest.get(end..)?.starts_with('.'));
    }
    let after = without_of(rest.get(end..)?.strip_prefix([' ', '-'])?);
    let name = token(after);
    let month = month(name).filter(|_| is_written_as_month(name) || name == "mars")?;
    end = rest.len() - after.len() + name.len();
    let (year, length) = trailing_year(rest.get(end..)?).unzip();
    Some((Date::new(Some(days), month, year), end + length.unwrap_or(0)))
}

/// Reads `March 12, 2011`, `March 2011`, and a month alone where the text to its `left` places something in it.
fn month_first(left: &str, rest: &str) -> Option<(Date, usize)> {
    let name = token(rest);
    let month = month(name).filter(|_| is_written_as_month(name))?;
    let after = rest.get(name.len()..)?;
    if let Some((year, length)) = trailing_year(after) {
        return Some((Date::new(None, month, Some(year)), name.len() + length));
    }
    let after = after.strip_prefix('.').unwrap_or(after);
    if let Some((mut days, length)) = after.strip_prefix(' ').and_then(day) {
        let mut end = rest.len() - after.len() + 1 + length;
        if let Some((last, length)) = rest.get(end..)?.strip_prefix('-').and_then(day) {
            days = format!("{days}-{last}");
            end += 1 + length;
        }
        let (year, length) = trailing_year(rest.get(end..)?).unzip();
        return Some((Date::new(Some(days), month, year), end + length.unwrap_or(0)));
    }
    let before = left.trim_end().rsplit(' ').next()?.to_lowercase();
    let whole = name.chars().count() > 4 || matches!(name, "May" | "June" | "July");
    (whole && listed(PLACING, &before)).then(|| (Date::new(None, month, None), name.len()))
}

/// Returns the number of a month, 1 to 12.
fn month(word: &str) -> Option<usize> {
    let lower = word.to_lowercase();
    MONTHS.iter().position(|names| listed(&[names], &lower)).map(|index| index + 1)
}

/// Tells whether a month's name is written so that it is no other word: `may` and `march` are.
fn is_written_as_month(word: &str) -> bool {
    word.starts_with(char::is_uppercase)
        || !matches!(word, "may" | "march" | "mar" | "dec" | "sep" | "mars")
}

/// Reads one or two digits that can be a day, with `st`, `nd`, `rd` or `th`.
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

/// Reads the year behind a day or month: ` 2011`, `, 2011`, ` de 2011`.
fn trailing_year(rest: &str) -> Option<(String, usize)> {
    let after = rest.strip_prefix('.').unwrap_or(rest);
    let after = after.strip_prefix(',').unwrap_or(after);
    let after = without_of(after.strip_prefix([' ', '-'])?);
    let year = after.get(..4).filter(|written| is_year(written))?;
    let behind = after.get(4..)?;
    let goes_on = behind.strip_prefix(['.', ',']).unwrap_or_default();
    let free = !behind.starts_with(is_word) && !goes_on.starts_with(|c: char| c.is_ascii_digit());
    free.then(|| (year.to_owned(), rest.len() - after.len() + 4))
}

fn without_of(after: &str) -> &str {
    ["of ", "de "].iter().find_map(|word| after.strip_prefix(word)).unwrap_or(after)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Option<(&str, usize, &str)>) {
        let at = text.find(|c: char| c.is_ascii_digit() || c.is_uppercase()).unwrap();
        let date = read(text, at, 0).map(|(date, _)| date);
        let found = date.as_ref().map(|date| {
            let part = |part: &Option<String>| part.clone().unwrap_or_default();
            (part(&date.day), date.month, part(&date.year))
        });
        let expected = expected.map(|(day, month, year)| (day.to_owned(), month, year.to_owned()));
        assert_eq!(found, expected, "{text:?}");
    }

    #[test]
    fn a_date_is_the_same_in_every_order() {
        check("2011-03-12", Some(("12", 3, "2011")));
        check("12 March 2011", Some(("12", 3, "2011")));
        check("March 12th, 2011", Some(("12", 3, "2011")));
        check("12 de marzo de 2011", Some(("12", 3, "2011")));
        check("12.-14. März 2011", Some(("12-14", 3, "2011")));
        check("Mar. 2011", Some(("", 3, "2011")));
        check("in May", Some(("", 5, "")));
    }

    #[test]
    fn what_only_looks_like_a_date_is_none() {
        check("2011-13-12", None);
        check("32 March", None);
        check("12 gulls", None);
        check("gulls May", None);
        check("5 may", None);
    }

    #[test]
    fn a_bound_before_the_date_is_part_of_it() {
        assert_eq!(read("prior to 12 March", 9, 0).unwrap().0.bound, "before");
        assert_eq!(read("on 12 March", 3, 0).unwrap().0.bound, "");
    }
}
