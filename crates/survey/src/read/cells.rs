//! Cells of text, and the numbers they hold.

pub(super) use crate::compact::{Numbers, Texts};

/// Returns the number that a text holds; `None` if it is anything else. `comma`: the decimal separator is a comma.
///
/// Names of numbers (`nan`, `inf`) and numbers with separated thousands give `None`.
pub(super) fn parse_number(text: &str, comma: bool) -> Option<f64> {
    let text = text.trim();
    // Nearly all values of a survey are short whole numbers.
    if (1..=9).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit()) {
        let whole = text.bytes().fold(0_u32, |sum, byte| sum * 10 + u32::from(byte - b'0'));
        return Some(f64::from(whole));
    }
    let plain = |text: &str| {
        let like =
            |byte: u8| byte.is_ascii_digit() || matches!(byte, b'+' | b'-' | b'.' | b'e' | b'E');
        let digits = text.bytes().any(|byte| byte.is_ascii_digit());
        let parsed: Option<f64> = (digits && text.bytes().all(like)).then(|| text.parse().ok())?;
        parsed.filter(|number| number.is_finite())
    };
    if comma && text.contains(',') {
        if text.contains('.') {
            return None;
        }
        return plain(&text.replacen(',', ".", 1));
    }
    plain(text)
}

/// Returns whether a text stands for no value where numbers are expected, as statistics programs write it.
pub(super) fn is_nothing(text: &str) -> bool {
    const NOTHING: [&str; 9] = ["na", "n/a", "nan", "null", "#null!", "#n/a", ".", "-", "none"];
    text.is_empty() || NOTHING.iter().any(|one| text.eq_ignore_ascii_case(one))
}

/// Returns whether a text is a date, or a date and a time: `2026-05-31`, `31/05/2026 17:40`, `31.5.2026`.
pub(super) fn is_date(text: &str) -> bool {
    let date = text.trim().split(['T', ' ']).next().unwrap_or_default();
    let parts: Vec<&str> = date.split(['-', '/', '.']).collect();
    let [first, second, third] = parts.as_slice() else { return false };
    let whole = |part: &str, lengths: std::ops::RangeInclusive<usize>| {
        lengths.contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit())
    };
    whole(second, 1..=2)
        && ((whole(first, 4..=4) && whole(third, 1..=2))
            || (whole(first, 1..=2) && whole(third, 4..=4)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::study::Data;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn numbers_that_arrive_one_by_one_are_kept_as_those_given_at_once(
            numbers in proptest::collection::vec(prop_oneof![
                Just(f64::NAN), (-300_i32..300).prop_map(f64::from), any::<f64>()
            ], 0..600)
        ) {
            let mut kept = Numbers::default();
            for &number in &numbers {
                match number {
                    0.0..=9.0 if number.fract() == 0.0 && number.is_sign_positive() => kept.push_digit(number as u8),
                    _ => kept.push(number),
                }
            }
            prop_assert_eq!(kept.len(), numbers.len());
            let kept = kept.finish();
            for (row, number) in numbers.iter().enumerate() {
                let expected = (!number.is_nan()).then(|| number.to_bits());
                prop_assert_eq!(kept.number(row).map(f64::to_bits), expected);
            }
            let once = Data::numbers(numbers);
            prop_assert_eq!(std::mem::discriminant(&kept), std::mem::discriminant(&once));
        }

        #[test]
        fn a_number_is_read_as_it_is_written(value in any::<f64>().prop_filter("finite", |one| one.is_finite())) {
            prop_assert_eq!(parse_number(&value.to_string(), false).map(f64::to_bits), Some(value.to_bits()));
            let comma = value.to_string().replace('.', ",");
            prop_assert_eq!(parse_number(&comma, true).map(f64::to_bits), Some(value.to_bits()));
        }

        #[test]
        fn any_text_is_a_number_or_none(text in ".*") {
            let _ = parse_number(&text, true);
            let _ = is_date(&text);
        }
    }

    #[test]
    fn names_of_numbers_and_thousands_are_no_numbers() {
        for text in
            ["nan", "inf", "-Infinity", "1,234,5", "1.234,5", "", "e", "1e999", "0x10", "1_000"]
        {
            assert_eq!(parse_number(text, true), None, "{text}");
        }
        assert_eq!(parse_number(" 007 ", false), Some(7.0));
        assert_eq!(parse_number("-9", false), Some(-9.0));
    }

    #[test]
    fn dates_are_told_from_other_texts() {
        for text in [
            "2026-05-31",
            "31/05/2026 17:40",
            "1.5.2026",
            "2015-02-13 17:10:50.000",
            "2020-01-01T00:00:00Z",
        ] {
            assert!(is_date(text), "{text}");
        }
        for text in ["1-2", "18-24", "1.2.3", "May 2026", "", "2026-05"] {
            assert!(!is_date(text), "{text}");
        }
    }
}
