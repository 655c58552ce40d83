//! The numbers and letters that stand before the items of a list.

/// How the items of a list are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Numeral {
    Decimal,
    /// At least two digits.
    Padded,
    Ordinal,
    LowerRoman,
    UpperRoman,
    /// a to z, then aa, bb, cc.
    LowerLetter,
    UpperLetter,
    /// a to z, then aa, ab, ac.
    LowerColumn,
    UpperColumn,
}

impl Numeral {
    /// Returns the numeral that Word calls `name`; other scripts than these become digits. `None` for lists without numbers.
    pub(crate) fn of_word(name: &str) -> Option<Numeral> {
        Some(match name {
            "bullet" | "none" => return None,
            "decimalZero" => Numeral::Padded,
            "ordinal" => Numeral::Ordinal,
            "lowerRoman" => Numeral::LowerRoman,
            "upperRoman" => Numeral::UpperRoman,
            "lowerLetter" => Numeral::LowerLetter,
            "upperLetter" => Numeral::UpperLetter,
            _ => Numeral::Decimal,
        })
    }

    /// Returns `number` as it prints.
    pub(crate) fn write(self, number: u64) -> String {
        match self {
            Numeral::Decimal => number.to_string(),
            Numeral::Padded => format!("{number:02}"),
            Numeral::Ordinal => {
                let ending = match (number % 100, number % 10) {
                    (11..=13, _) => "th",
                    (_, 1) => "st",
                    (_, 2) => "nd",
                    (_, 3) => "rd",
                    _ => "th",
                };
                format!("{number}{ending}")
            }
            Numeral::LowerRoman => roman(number).to_lowercase(),
            Numeral::UpperRoman => roman(number),
            Numeral::LowerLetter => repeated(number).to_lowercase(),
            Numeral::UpperLetter => repeated(number),
            Numeral::LowerColumn => column(number).to_lowercase(),
            Numeral::UpperColumn => column(number),
        }
    }
}

fn roman(number: u64) -> String {
    const VALUES: [(u64, &str); 13] = [
        (1000, "M"),
        (900, "CM"),
        (500, "D"),
        (400, "CD"),
        (100, "C"),
        (90, "XC"),
        (50, "L"),
        (40, "XL"),
        (10, "X"),
        (9, "IX"),
        (5, "V"),
        (4, "IV"),
        (1, "I"),
    ];
    if !(1..=4999).contains(&number) {
        return number.to_string();
    }
    let mut left = number;
    let mut written = String::new();
    for (value, letters) in VALUES {
        while left >= value {
            written.push_str(letters);
            left -= value;
        }
    }
    written
}

fn letter(index: u64) -> char {
    char::from(b'A' + u8::try_from(index % 26).unwrap_or_default())
}

fn repeated(number: u64) -> String {
    match number.checked_sub(1) {
        Some(index) if index < 26 * 30 => {
            let times = usize::try_from(index / 26 + 1).unwrap_or(1);
            letter(index).to_string().repeat(times)
        }
        _ => number.to_string(),
    }
}

fn column(number: u64) -> String {
    let mut letters = Vec::new();
    let mut left = number;
    while let Some(index) = left.checked_sub(1) {
        letters.push(letter(index));
        left = index / 26;
    }
    if letters.is_empty() { number.to_string() } else { letters.into_iter().rev().collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    // proves: A6
    #[test]
    fn numerals_are_written_as_lists_show_them() {
        let written = |numeral: Numeral, numbers: &[u64]| -> Vec<String> {
            numbers.iter().map(|number| numeral.write(*number)).collect()
        };
        assert_eq!(written(Numeral::LowerRoman, &[1, 4, 1999, 0]), ["i", "iv", "mcmxcix", "0"]);
        assert_eq!(
            written(Numeral::UpperLetter, &[1, 26, 27, 0, 9999]),
            ["A", "Z", "AA", "0", "9999"]
        );
        assert_eq!(written(Numeral::LowerLetter, &[28, 53]), ["bb", "aaa"]);
        assert_eq!(written(Numeral::LowerColumn, &[28, 703, u64::MAX])[..2], ["ab", "aaa"]);
        assert_eq!(written(Numeral::Ordinal, &[1, 12, 22, 103]), ["1st", "12th", "22nd", "103rd"]);
        assert_eq!(written(Numeral::Padded, &[7, 70]), ["07", "70"]);
    }
}
