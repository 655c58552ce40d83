//! Figures as people write them, `$1.2 billion` and `30 %`, and their units.

use std::ops::Range;

use text::{Language, terms};

use super::arithmetic::{LARGEST, grouped, number};

/// A figure as read.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Figure {
    /// The value including its magnitude: 1,200,000,000 for "1.2 billion"; 30 for "30 %".
    pub(super) value: f64,
    /// Half a unit of its last digit: 0.05 billion for "1.2 billion".
    pub(super) half_digit: f64,
    pub(super) kind: Kind,
    /// The text after it: `per lawyer`.
    pub(super) rest: String,
}

/// The kind of a figure, by its signs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// The ISO code of its currency.
    Money(&'static str),
    Percent,
    Plain,
}

/// Signs and codes of currencies, with the ISO code. If two share a prefix, the longer comes first.
const CURRENCIES: [(&str, &str); 12] = [
    ("us$", "USD"),
    ("usd", "USD"),
    ("eur", "EUR"),
    ("gbp", "GBP"),
    ("jpy", "JPY"),
    ("chf", "CHF"),
    ("inr", "INR"),
    ("$", "USD"),
    ("€", "EUR"),
    ("£", "GBP"),
    ("¥", "JPY"),
    ("₹", "INR"),
];
/// Names of currencies in a unit.
const NAMES: [(&str, &str); 8] = [
    ("us dollars", "USD"),
    ("dollars", "USD"),
    ("dollar", "USD"),
    ("euros", "EUR"),
    ("euro", "EUR"),
    ("pounds", "GBP"),
    ("yen", "JPY"),
    ("rupees", "INR"),
];
const MAGNITUDES: [(&str, f64); 11] = [
    ("thousand", 1e3),
    ("million", 1e6),
    ("billion", 1e9),
    ("trillion", 1e12),
    ("k", 1e3),
    ("mn", 1e6),
    ("m", 1e6),
    ("bn", 1e9),
    ("b", 1e9),
    ("tn", 1e12),
    ("t", 1e12),
];

/// Reads a text that is a single figure, with or without a unit after it.
pub(super) fn read(text: &str) -> Option<Figure> {
    let (figure, rest) = beginning(text.trim())?;
    // A range, or a second figure, is not a single figure.
    let joined = rest.starts_with(['-', '–', '—', '/', '+', '*']);
    if joined || rest.chars().any(char::is_numeric) {
        return None;
    }
    Some(Figure { rest: rest.trim().to_owned(), ..figure })
}

/// Returns the figures in a sentence with their spans. Numbers joined to others, as in a range, are left out.
pub(super) fn scan(sentence: &str) -> Vec<(Figure, Range<usize>)> {
    let mut found = Vec::new();
    let (mut until, mut before) = (0, None);
    for (at, c) in sentence.char_indices() {
        let begins = c.is_ascii_digit() || matches!(c, '$' | '€' | '£' | '¥' | '₹');
        let is_free = !before.is_some_and(|c: char| c.is_alphanumeric() || "-–—.,/".contains(c));
        before = Some(c);
        if at < until || !begins || !is_free {
            continue;
        }
        let rest = sentence.get(at..).unwrap_or_default();
        // A comma or point after a figure belongs to the sentence.
        let numeric = |c: char| c.is_ascii_digit() || matches!(c, '.' | ',');
        let digits = rest.find(|c: char| c.is_ascii_digit()).unwrap_or(0);
        let after = rest.get(digits..).unwrap_or_default();
        let run = after.get(..after.find(|c| !numeric(c)).unwrap_or(after.len()));
        let run = run.unwrap_or_default();
        let cut = digits + run.trim_end_matches(['.', ',']).len();
        let ends = run.ends_with(['.', ',']);
        let read =
            if ends { beginning(rest.get(..cut).unwrap_or_default()) } else { beginning(rest) };
        let Some((figure, left)) = read else { continue };
        let end = if ends { at + cut } else { at + rest.len() - left.len() };
        until = end;
        let behind = sentence.get(end..).unwrap_or_default();
        if !behind.starts_with(['-', '–', '—', '/']) {
            found.push((figure, at..end));
        }
    }
    found
}

/// Reads the figure at the beginning of a text; returns it with the rest.
fn beginning(text: &str) -> Option<(Figure, &str)> {
    let (negative, text) = match text.strip_prefix(['-', '−']) {
        Some(rest) => (true, rest.trim_start()),
        None => (false, text),
    };
    let (currency, text) = currency_before(text);
    let digits = text.find(|c: char| !matches!(c, '0'..='9' | '.' | ',')).unwrap_or(text.len());
    let (written, rest) = text.split_at_checked(digits)?;
    let written_value = number(written)?;
    let (magnitude, rest) = parse_magnitude(rest);
    let (kind, rest) = match (currency, percent(rest)) {
        (Some(code), None) => (Kind::Money(code), rest),
        (None, Some(rest)) => (Kind::Percent, rest),
        (Some(_), Some(_)) => return None,
        (None, None) => match currency_behind(rest) {
            Some((code, rest)) => (Kind::Money(code), rest),
            None => (Kind::Plain, rest),
        },
    };
    if rest.starts_with(char::is_alphanumeric) {
        return None;
    }
    let value = written_value * magnitude * if negative { -1.0 } else { 1.0 };
    let figure = Figure {
        value: value + 0.0,
        half_digit: half_digit(written) * magnitude,
        kind,
        rest: String::new(),
    };
    (value.abs() <= LARGEST).then_some((figure, rest))
}

fn currency_before(text: &str) -> (Option<&'static str>, &str) {
    for (sign, code) in CURRENCIES {
        if let Some((before, rest)) = text.split_at_checked(sign.len())
            && before.eq_ignore_ascii_case(sign)
        {
            return (Some(code), rest.trim_start());
        }
    }
    (None, text)
}

fn currency_behind(rest: &str) -> Option<(&'static str, &str)> {
    let rest = rest.trim_start();
    CURRENCIES.iter().chain(&NAMES).find_map(|(sign, code)| {
        let (before, after) = rest.split_at_checked(sign.len())?;
        let ends = !after.starts_with(char::is_alphanumeric);
        (ends && before.eq_ignore_ascii_case(sign)).then_some((*code, after))
    })
}

fn parse_magnitude(rest: &str) -> (f64, &str) {
    let near = rest.trim_start();
    for (word, factor) in MAGNITUDES {
        if let Some((before, after)) = near.split_at_checked(word.len())
            && before.eq_ignore_ascii_case(word)
            && !after.starts_with(char::is_alphanumeric)
            // "5 m" may be metres, but "5m" is millions.
            && (word.len() > 1 || near.len() == rest.len())
        {
            return (factor, after);
        }
    }
    (1.0, rest)
}

fn percent(rest: &str) -> Option<&str> {
    let near = rest.trim_start();
    ["%", "percent", "per cent"].iter().find_map(|sign| near.strip_prefix(sign))
}

/// Returns half a unit of the last significant digit. Trailing zeros of a whole number are insignificant, except within its first two
/// digits.
fn half_digit(written: &str) -> f64 {
    if let Some((_, decimals)) = written.split_once('.') {
        return 0.5 * 10_f64.powi(-i32::try_from(decimals.len()).unwrap_or(i32::MAX));
    }
    let digits: String = written.chars().filter(char::is_ascii_digit).collect();
    let digits = digits.trim_start_matches('0');
    let zeros = digits.len() - digits.trim_end_matches('0').len();
    let silent = zeros.min(digits.len().saturating_sub(2));
    0.5 * 10_f64.powi(i32::try_from(silent).unwrap_or(0))
}

/// Returns a unit normalised for comparison and computation: `USD/lawyer/year`, `%`, `lawyer`.
pub(super) fn unit(written: &str) -> String {
    let written = run::ledger::one_line(&run::grounding::clean(written)).to_lowercase();
    let written =
        written.replace(" per ", "/").replace(" a year", "/year").replace("annually", "/year");
    let part = |part: &str| {
        let part = part.trim();
        if matches!(part, "%" | "percent" | "per cent" | "percentage") {
            return "%".to_owned();
        }
        match currency(part) {
            Some(code) => code.to_owned(),
            None => terms(part, Language::English).join(" "),
        }
    };
    let parts: Vec<String> = written.split('/').map(part).filter(|part| !part.is_empty()).collect();
    parts.join("/")
}

/// Returns the code of the currency whose sign, code or name this lower-case text is.
pub(super) fn currency(written: &str) -> Option<&'static str> {
    CURRENCIES.iter().chain(&NAMES).find(|(sign, _)| *sign == written).map(|(_, code)| *code)
}

/// Returns the currency at the beginning of a unit.
fn currency_of(written: &str) -> Option<&'static str> {
    let compared = unit(written);
    let first = compared.split('/').next().unwrap_or_default();
    CURRENCIES.iter().find(|(_, code)| *code == first).map(|(_, code)| *code)
}

/// Returns whether values in this unit are percentages.
pub(super) fn is_percent(written: &str) -> bool {
    unit(written) == "%"
}

/// Formats a value in its unit for readers: `$43.2 million per year`, `30 %`, `120,000 lawyers`.
pub(super) fn shown(value: f64, written_unit: &str) -> String {
    let magnitudes = [(1e12, " trillion"), (1e9, " billion"), (1e6, " million")];
    let large = magnitudes.into_iter().find(|(least, _)| value.abs() >= *least * 0.99995);
    let digits = match large {
        Some((least, word)) => format!("{}{word}", grouped(rounded(value / least, 4))),
        None => grouped(rounded(value, if value.abs() >= 1000.0 { 7 } else { 4 })),
    };
    with_unit(&digits, written_unit)
}

/// Returns a figure as it was written, with the parts of its unit that the text does not state.
pub(super) fn as_written(figure: &Figure, written: &str, written_unit: &str) -> String {
    let written = run::ledger::one_line(&run::grounding::clean(written));
    match figure.kind {
        _ if !figure.rest.is_empty() => written,
        Kind::Percent => written,
        Kind::Money(_) => format!("{written}{}", behind_first(written_unit)),
        Kind::Plain => with_unit(&written, written_unit),
    }
}

fn with_unit(digits: &str, written_unit: &str) -> String {
    let written = run::ledger::one_line(&run::grounding::clean(written_unit));
    if is_percent(&written) {
        return format!("{digits} %");
    }
    let rest = behind_first(&written);
    match currency_of(&written) {
        Some("USD") => match digits.strip_prefix('−') {
            Some(digits) => format!("−${digits}{rest}"),
            None => format!("${digits}{rest}"),
        },
        Some(code) => format!("{code} {digits}{rest}"),
        None if written.is_empty() => digits.to_owned(),
        None => format!("{digits} {}", written.replace('/', " per ").trim_start()),
    }
}

/// Returns the parts of a unit after the first, in words: ` per year` for `USD/year`.
fn behind_first(written_unit: &str) -> String {
    let written = written_unit.replace(" per ", "/");
    let parts: Vec<&str> = written.split('/').skip(1).map(str::trim).collect();
    parts.iter().filter(|part| !part.is_empty()).map(|part| format!(" per {part}")).collect()
}

/// Returns a value rounded to `digits` significant digits.
fn rounded(value: f64, digits: i32) -> f64 {
    if value == 0.0 || !value.is_finite() {
        return 0.0;
    }
    let places = digits - 1 - value.abs().log10().floor() as i32;
    let written = format!("{:.*}", usize::try_from(places.max(0)).unwrap_or(0), value);
    written.parse().unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    // proves: W4
    #[test]
    fn figures_are_read_as_people_write_them() {
        for (text, value, kind, rest) in [
            ("120,000 lawyers", 120_000.0, Kind::Plain, "lawyers"),
            ("$1.2 billion", 1.2e9, Kind::Money("USD"), ""),
            ("US$ 5m", 5e6, Kind::Money("USD"), ""),
            ("€3,5", f64::NAN, Kind::Plain, ""),
            ("30%", 30.0, Kind::Percent, ""),
            ("30 per cent of firms", 30.0, Kind::Percent, "of firms"),
            ("-4.5 million euros", -4.5e6, Kind::Money("EUR"), ""),
            ("$1,200 per lawyer per year", 1200.0, Kind::Money("USD"), "per lawyer per year"),
            ("10-15", f64::NAN, Kind::Plain, ""),
            ("12 of 15", f64::NAN, Kind::Plain, ""),
            ("many", f64::NAN, Kind::Plain, ""),
            ("5 m", 5.0, Kind::Plain, "m"),
            ("2e99", f64::NAN, Kind::Plain, ""),
            ("9,999,999,999 billion", f64::NAN, Kind::Plain, ""),
        ] {
            let figure = read(text);
            if value.is_nan() {
                assert_eq!(figure, None, "{text}");
                continue;
            }
            let read = figure.unwrap();
            assert!((read.value - value).abs() < 1e-6 * value.abs(), "{text}");
            assert_eq!((read.kind, read.rest.as_str()), (kind, rest), "{text}");
        }
    }

    // proves: W4
    #[test]
    fn units_are_one_however_they_are_written() {
        for same in [["USD/year", "dollars per year"], ["lawyers", "Lawyer"], ["%", "percent"]] {
            assert_eq!(unit(same[0]), unit(same[1]));
        }
        assert_ne!(unit("USD"), unit("USD/year"));
        assert_ne!(unit("USD"), unit("EUR"));
    }

    #[test]
    fn figures_are_found_in_a_sentence() {
        let sentence =
            "In 2023, 120,000 lawyers paid $1.2 billion, 30% more than in 2019, and 10-15 left.";
        let found: Vec<&str> =
            scan(sentence).into_iter().map(|(_, span)| sentence.get(span).unwrap()).collect();
        assert_eq!(found, ["2023", "120,000", "$1.2 billion", "30%", "2019"]);
    }

    #[test]
    fn a_value_is_shown_in_its_unit() {
        for (value, unit, written) in [
            (43_200_000.0, "USD", "$43.2 million"),
            (43_200_000.0, "USD/year", "$43.2 million per year"),
            (36_000.0, "lawyers", "36,000 lawyers"),
            (30.0, "%", "30 %"),
            (1_234_567_890.0, "EUR", "EUR 1.235 billion"),
            (0.012_345, "USD", "$0.01235"),
            (999_999.99, "USD", "$1 million"),
            (-5.0, "USD", "−$5"),
            (12.5, "", "12.5"),
            (0.0, "firms", "0 firms"),
        ] {
            assert_eq!(shown(value, unit), written);
        }
        let figure = read("$1,200").unwrap();
        assert_eq!(as_written(&figure, "$1,200", "USD/lawyer"), "$1,200 per lawyer");
    }

    #[test]
    fn a_rounded_figure_says_how_far_it_goes() {
        for (text, half) in
            [("43.2 million", 50_000.0), ("43,200,000", 50_000.0), ("100", 5.0), ("7", 0.5)]
        {
            let figure = read(text).unwrap();
            assert!((figure.half_digit - half).abs() < 1e-6, "{text} {}", figure.half_digit);
        }
    }

    proptest! {
        #[test]
        fn any_text_is_a_figure_or_none(text in "(?s)(.|[0-9$€%.,]| million| per ){0,30}", value in -1e18_f64..1e18) {
            for (_, span) in scan(&text) {
                prop_assert!(text.get(span).is_some());
            }
            prop_assert!(read(&text).is_none_or(|figure| figure.value.is_finite()));
            unit(&text);
            shown(value, &text);
        }
    }
}
