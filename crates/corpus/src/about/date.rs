//! Dates as people and programs write them.

use papers::Date;

/// How much of a text is parsed, in bytes.
const LONGEST: usize = 100;
/// The years accepted for a work.
const YEARS: std::ops::RangeInclusive<i64> = 1400..=2199;

const MONTHS: [&str; 12] =
    ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/// Reads a date: `2024-05-08T12:00:00Z`, `2024/5/8`, `20240508`, `May 8, 2024`, `Wed, 08 May 2024`, `8.5.2024`, `2024`.
///
/// For `05/08/2024` only the year is certain, and only the year is returned.
pub(crate) fn date(text: &str) -> Option<Date> {
    let text = text.trim();
    let text = &text[..text.floor_char_boundary(LONGEST)];
    let date = begins_with_year(text).or_else(|| named_month(text)).or_else(|| year_last(text))?;
    YEARS.contains(&i64::from(date.year)).then_some(date)
}

fn begins_with_year(text: &str) -> Option<Date> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    match digits {
        4 => {
            let end = text.find(|c: char| !c.is_ascii_digit() && !"-/.".contains(c));
            let parts = text[..end.unwrap_or(text.len())].split(['-', '/', '.']);
            Date::of_parts(&parts.take(3).map_while(|part| part.parse().ok()).collect::<Vec<_>>())
        }
        // With or without the time of day.
        8 | 12 | 14 => {
            let part = |from: usize, to: usize| text[from..to].parse().ok();
            Date::of_parts(&[part(0, 4)?, part(4, 6)?, part(6, 8)?])
        }
        _ => None,
    }
}

/// Reads a date with a named month: the day is next to the month, the year anywhere.
fn named_month(text: &str) -> Option<Date> {
    let words: Vec<&str> =
        text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let (at, month) = words.iter().enumerate().find_map(|(at, word)| Some((at, month(word)?)))?;
    let year = words.iter().filter(|word| word.len() == 4).find_map(|word| word.parse().ok())?;
    let before = at.checked_sub(1).and_then(|at| day(words.get(at)?));
    let day = before.or_else(|| day(words.get(at + 1)?));
    let parts = [Some(year), Some(month), day];
    Date::of_parts(&parts.into_iter().map_while(|part| part).collect::<Vec<_>>())
}

fn month(word: &str) -> Option<i64> {
    let word = word.to_lowercase();
    let full = [
        "january",
        "february",
        "march",
        "april",
        "may",
        "june",
        "july",
        "august",
        "september",
        "october",
        "november",
        "december",
    ];
    let is = |(short, full): &(&str, &str)| {
        word == *short || word == *full || word == "sept" && *short == "sep"
    };
    let place = MONTHS.into_iter().zip(full).position(|names| is(&names))?;
    i64::try_from(place).ok().map(|place| place + 1)
}

fn day(word: &&str) -> Option<i64> {
    let number = word.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let ending = &word[number.len()..];
    let known = ["", "st", "nd", "rd", "th"].contains(&ending);
    number.parse().ok().filter(|day| known && (1..=31).contains(day))
}

/// Reads a date that ends with its year.
fn year_last(text: &str) -> Option<Date> {
    let end = text.find(|c: char| !c.is_ascii_digit() && !"/.-".contains(c)).unwrap_or(text.len());
    let separator = text[..end].chars().find(|c| !c.is_ascii_digit())?;
    let mut parts = text[..end].split(separator);
    let (one, two, year) = (parts.next()?, parts.next()?, parts.next()?);
    if year.len() != 4 || parts.next().is_some() {
        return None;
    }
    let (one, two, year): (i64, i64, i64) =
        (one.parse().ok()?, two.parse().ok()?, year.parse().ok()?);
    Date::of_parts(&match () {
        () if separator == '.' || one > 12 || one == two => vec![year, two, one],
        () if two > 12 => vec![year, one, two],
        () => vec![year],
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    // proves: A2
    #[test]
    fn a_date_is_read_as_far_as_it_is_sure() {
        for (text, expected) in [
            ("2024-05-08T12:00:00Z", "2024-05-08"),
            ("2016-02-01 01:28:49", "2016-02-01"),
            ("2024/5/8", "2024-05-08"),
            ("2020/05/22", "2020-05-22"),
            ("20240508", "2024-05-08"),
            ("20240508120000", "2024-05-08"),
            ("2024-05", "2024-05"),
            ("2024", "2024"),
            ("2024-13-08", "2024"),
            ("May 8, 2024", "2024-05-08"),
            ("Published on May 8th, 2024 at 11:30", "2024-05-08"),
            ("8 May 2024", "2024-05-08"),
            ("Wed, 08 May 2024 12:00:00 GMT", "2024-05-08"),
            ("Sept. 2023", "2023-09"),
            ("08.05.2024", "2024-05-08"),
            ("13/05/2024", "2024-05-13"),
            ("05/13/2024", "2024-05-13"),
            ("05/08/2024", "2024"),
            ("05/05/2024", "2024-05-05"),
        ] {
            assert_eq!(
                date(text).map(|date| date.to_string()).as_deref(),
                Some(expected),
                "{text}"
            );
        }
        for text in
            ["", "spring", "yesterday", "0000/00/00", "12:30", "3 days ago", "1.2.3", "9999"]
        {
            assert_eq!(date(text), None, "{text}");
        }
    }

    proptest! {
        // proves: A2
        #[test]
        fn any_text_gives_a_date_that_reads_as_itself_or_none(
            text in "\\PC{0,40}|[0-9/.-]{0,12}|[0-9]{1,2} (May|Dec) [0-9]{4}",
        ) {
            if let Some(found) = date(&text) {
                prop_assert_eq!(date(&found.to_string()), Some(found));
            }
        }
    }
}
