//! Cells as they arrive, kept in the form that takes least memory.

use std::collections::HashMap;

use crate::study::{Data, NO_TEXT, NO_VALUE};

/// Numbers of a column, one for each respondent.
#[derive(Debug, Default)]
pub(super) struct Numbers {
    values: Vec<f64>,
    index: Vec<u8>,
    /// Where there are more different ones than an index can tell.
    many: Option<Vec<f64>>,
}

impl Numbers {
    /// Adds a number; NaN is none.
    pub(super) fn push(&mut self, number: f64) {
        if let Some(many) = &mut self.many {
            many.push(number);
            return;
        }
        if number.is_nan() {
            self.index.push(NO_VALUE);
            return;
        }
        // Bits, so that no value is taken for another one.
        let known = self.values.iter().position(|known| known.to_bits() == number.to_bits());
        let place = known.unwrap_or(self.values.len());
        match u8::try_from(place) {
            Ok(place) if place < NO_VALUE => {
                if known.is_none() {
                    self.values.push(number);
                }
                self.index.push(place);
            }
            _ => {
                let values = std::mem::take(&mut self.values);
                let index = std::mem::take(&mut self.index);
                let mut many: Vec<f64> = index
                    .into_iter()
                    .map(|place| values.get(usize::from(place)).copied().unwrap_or(f64::NAN))
                    .collect();
                many.push(number);
                self.many = Some(many);
            }
        }
    }

    pub(super) fn len(&self) -> usize {
        self.many.as_ref().map_or(self.index.len(), Vec::len)
    }

    /// Adds respondents without a number until there are `rows`.
    pub(super) fn fill(&mut self, rows: usize) {
        match &mut self.many {
            Some(many) if many.len() < rows => many.resize(rows, f64::NAN),
            None if self.index.len() < rows => self.index.resize(rows, NO_VALUE),
            Some(_) | None => {}
        }
    }

    pub(super) fn finish(self) -> Data {
        match self.many {
            Some(many) => Data::Numbers(many),
            None => Data::Few { values: self.values, index: self.index },
        }
    }
}

/// Texts of a column, one for each respondent.
#[derive(Debug, Default)]
pub(super) struct Texts {
    known: HashMap<Box<str>, u32>,
    texts: Vec<String>,
    index: Vec<u32>,
}

impl Texts {
    /// Adds a text; an empty one is none.
    pub(super) fn push(&mut self, text: &str) {
        if text.is_empty() {
            self.index.push(NO_TEXT);
        } else if let Some(&place) = self.known.get(text) {
            self.index.push(place);
        } else {
            let place = u32::try_from(self.texts.len()).unwrap_or(NO_TEXT);
            self.known.insert(text.into(), place);
            self.texts.push(text.to_owned());
            self.index.push(place);
        }
    }

    pub(super) fn len(&self) -> usize {
        self.index.len()
    }

    /// Adds respondents without a text until there are `rows`.
    pub(super) fn fill(&mut self, rows: usize) {
        if self.index.len() < rows {
            self.index.resize(rows, NO_TEXT);
        }
    }

    pub(super) fn finish(self) -> Data {
        Data::Texts { texts: self.texts, index: self.index }
    }
}

/// Returns the number that a text is; none where it is something else. `comma`: decimals stand behind a comma.
///
/// Names of numbers (`nan`, `inf`) are none, nor are numbers with separated thousands.
pub(super) fn number(text: &str, comma: bool) -> Option<f64> {
    let text = text.trim();
    // Short whole numbers are nearly all there is in a survey.
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

/// Tells whether a text stands for no value where numbers are expected: what statistics programs write there.
pub(super) fn is_nothing(text: &str) -> bool {
    const NOTHING: [&str; 9] = ["na", "n/a", "nan", "null", "#null!", "#n/a", ".", "-", "none"];
    text.is_empty() || NOTHING.iter().any(|one| text.eq_ignore_ascii_case(one))
}

/// Tells whether a text is a date, or a date and a time: `2026-05-31`, `31/05/2026 17:40`, `31.5.2026`.
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
                kept.push(number);
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
            prop_assert_eq!(number(&value.to_string(), false).map(f64::to_bits), Some(value.to_bits()));
            let comma = value.to_string().replace('.', ",");
            prop_assert_eq!(number(&comma, true).map(f64::to_bits), Some(value.to_bits()));
        }

        #[test]
        fn any_text_is_a_number_or_none(text in ".*") {
            let _ = number(&text, true);
            let _ = is_date(&text);
        }
    }

    #[test]
    fn names_of_numbers_and_thousands_are_no_numbers() {
        for text in
            ["nan", "inf", "-Infinity", "1,234,5", "1.234,5", "", "e", "1e999", "0x10", "1_000"]
        {
            assert_eq!(number(text, true), None, "{text}");
        }
        assert_eq!(number(" 007 ", false), Some(7.0));
        assert_eq!(number("-9", false), Some(-9.0));
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
