//! Numbers as a spreadsheet shows them under a number format such as `#,##0.00 "kg"` or `yyyy-mm-dd`.
//!
//! Dates come out as ISO 8601, so that they read the same in every language.

use super::date::date;
use super::fraction;
use super::grid::Kind;

/// The digits that a number without a format has.
const GENERAL_DIGITS: usize = 11;
/// The most decimals that a format may ask for.
const MOST_DECIMALS: usize = 30;

/// Returns what is shown of `value` under the format `code`, and its kind. `from_1904` says which day is the first.
pub(crate) fn shown(value: f64, code: &str, from_1904: bool) -> (String, Kind) {
    if !value.is_finite() {
        return (value.to_string(), Kind::Error);
    }
    let section = Section::of(value, code);
    if let Some(parts) = section.date_parts() {
        return match date(value, &parts, section.second_decimals(), from_1904) {
            Some(date) => (date, Kind::Date),
            None => (general(value), Kind::Number(value)),
        };
    }
    (section.number(value), Kind::Number(value))
}

/// Returns a number without a format, as `General` shows it: at most eleven digits, but whole numbers in full, since they may be keys.
pub(crate) fn general(value: f64) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    let size = value.abs();
    if value.fract() == 0.0 && size < 1e21 {
        let sign = if value < 0.0 { "-" } else { "" };
        return format!("{sign}{}", rounded(size, 0));
    }
    if !(1e-9..1e15).contains(&size) {
        return format!("{value:e}");
    }
    let whole = if size >= 1.0 { format!("{:.0}", size.trunc()).len() } else { 0 };
    let decimals = GENERAL_DIGITS.saturating_sub(whole).max(2);
    trimmed_decimals(&format!("{value:.decimals$}"))
}

fn trimmed_decimals(number: &str) -> String {
    if !number.contains('.') {
        return number.to_owned();
    }
    number.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Returns digits in groups of three: `1,234,567`.
pub(crate) fn grouped(digits: &str) -> String {
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A part of a number format.
#[derive(Debug, Clone, PartialEq)]
enum Token {
    /// A placeholder of a digit: `0`, `#` or `?`.
    Digit(char),
    Point,
    Comma,
    Percent,
    /// `E+` or `E-`.
    Exponent,
    Slash,
    /// A letter of a date, in lower case, with the length of its run.
    Date(char, usize),
    /// A duration in hours, minutes or seconds, in upper case: `[h]`.
    Elapsed(char),
    Words(String),
    General,
    /// `@`, where a text goes.
    Text,
}

/// The section of a number format that applies to a value.
#[derive(Debug, Default)]
struct Section {
    tokens: Vec<Token>,
    /// Whether the format itself says that the value is negative.
    is_for_negative: bool,
}

impl Section {
    fn of(value: f64, code: &str) -> Self {
        let sections = split_sections(code);
        let index = match sections.len() {
            0 | 1 => 0,
            2 => usize::from(value < 0.0),
            _ if value < 0.0 => 1,
            _ if value == 0.0 => 2,
            _ => 0,
        };
        let conditions: Vec<Option<bool>> =
            sections.iter().map(|section| condition(section, value)).collect();
        let is_conditional = conditions.iter().any(Option::is_some);
        let index = if is_conditional {
            // The first whose condition holds, else the first without one.
            let holds = conditions.iter().position(|it| *it == Some(true));
            holds.or_else(|| conditions.iter().position(Option::is_none)).unwrap_or(0)
        } else {
            index
        };
        let code = sections.get(index).map(String::as_str).unwrap_or_default();
        Self { tokens: tokens(code), is_for_negative: index == 1 && !is_conditional }
    }

    /// Returns the letters of a date or time format, or `None` if it is a number's.
    fn date_parts(&self) -> Option<Vec<(char, usize)>> {
        let mut parts = Vec::new();
        for token in &self.tokens {
            match token {
                Token::Date(letter, run) => parts.push((*letter, *run)),
                Token::Elapsed(letter) => parts.push((*letter, 1)),
                Token::General => return None,
                _ => {}
            }
        }
        (!parts.is_empty()).then_some(parts)
    }

    /// Returns how many decimals the seconds of a time have: `mm:ss.00`.
    fn second_decimals(&self) -> usize {
        let point = self.tokens.windows(2).position(|pair| {
            matches!(pair[0], Token::Date('s', _) | Token::Elapsed('S')) && pair[1] == Token::Point
        });
        let after = point.map_or(0, |at| at + 2);
        let digits = self.tokens.iter().skip(after);
        digits.take_while(|token| **token == Token::Digit('0')).count().min(6)
            * usize::from(after > 0)
    }

    fn number(&self, value: f64) -> String {
        let has = |token: &Token| self.tokens.contains(token);
        let digits = self.tokens.iter().filter(|token| matches!(token, Token::Digit(_))).count();
        if has(&Token::General) || has(&Token::Text) || self.tokens.is_empty() {
            let number = general(if self.is_for_negative { value.abs() } else { value });
            return self.around(&number, value);
        }
        if digits == 0 {
            return self.around("", value);
        }
        if has(&Token::Slash) {
            return self.around(&self.fraction(value.abs()), value);
        }
        let mut scaled = value.abs();
        for token in &self.tokens {
            if *token == Token::Percent {
                scaled *= 100.0;
            }
        }
        for _ in 0..self.trailing_commas() {
            scaled /= 1000.0;
        }
        let number =
            if has(&Token::Exponent) { self.scientific(scaled) } else { self.fixed(scaled) };
        self.around(&number, value)
    }

    /// Returns the placeholders before and after the decimal point.
    fn placeholders(&self) -> (Vec<char>, Vec<char>) {
        let (mut before, mut after, mut is_after) = (Vec::new(), Vec::new(), false);
        for token in &self.tokens {
            match token {
                Token::Point => is_after = true,
                Token::Exponent => break,
                Token::Digit(digit) if is_after => after.push(*digit),
                Token::Digit(digit) => before.push(*digit),
                _ => {}
            }
        }
        after.truncate(MOST_DECIMALS);
        (before, after)
    }

    /// Returns a number with a fraction: `# ?/?` shows 1.25 as `1 1/4`, `?/?` as `5/4`.
    fn fraction(&self, value: f64) -> String {
        let is_digit = |token: &Token| matches!(token, Token::Digit(_));
        let slash = self.tokens.iter().position(|token| *token == Token::Slash);
        let (before, after) = self.tokens.split_at(slash.unwrap_or(0));
        let groups = before.split(|token| !is_digit(token)).filter(|run| !run.is_empty()).count();
        let digits = after.iter().skip(1).map_while(|token| match token {
            Token::Digit(digit) => Some(*digit),
            _ => None,
        });
        fraction::shown(value, groups > 1, &digits.collect::<String>())
    }

    fn trailing_commas(&self) -> usize {
        let last = self.tokens.iter().rposition(|token| matches!(token, Token::Digit(_)));
        let after = last.map_or(0, |last| last + 1);
        self.tokens[after..].iter().take_while(|token| **token == Token::Comma).count()
    }

    fn fixed(&self, scaled: f64) -> String {
        let (before, after) = self.placeholders();
        let text = rounded(scaled, after.len());
        let (whole, decimals) = text.split_once('.').unwrap_or((&text, ""));
        let mut decimals = decimals.to_owned();
        let least = after.iter().rposition(|digit| *digit == '0').map_or(0, |at| at + 1);
        while decimals.len() > least && decimals.ends_with('0') {
            decimals.pop();
        }
        let zeros = before.iter().filter(|digit| **digit == '0').count();
        let whole = if whole == "0" && zeros == 0 && !decimals.is_empty() { "" } else { whole };
        let whole = format!("{}{whole}", "0".repeat(zeros.saturating_sub(whole.len()).min(40)));
        let is_grouped = self
            .tokens
            .windows(2)
            .any(|pair| pair[0] == Token::Comma && matches!(pair[1], Token::Digit(_)));
        let whole = if is_grouped { grouped(&whole) } else { self.interspersed(&whole) };
        if decimals.is_empty() { whole } else { format!("{whole}.{decimals}") }
    }

    /// Sets the words of a format between digits: `000-0000`.
    fn interspersed(&self, whole: &str) -> String {
        let first = self.tokens.iter().position(|token| matches!(token, Token::Digit(_)));
        let end = self.tokens.iter().position(|token| *token == Token::Point);
        let end = end.unwrap_or(self.tokens.len());
        let last = self.tokens[..end].iter().rposition(|token| matches!(token, Token::Digit(_)));
        let (Some(first), Some(last)) = (first, last) else { return whole.to_owned() };
        if first > last {
            return whole.to_owned();
        }
        let mut digits: Vec<char> = whole.chars().collect();
        let mut backwards: Vec<String> = Vec::new();
        for token in self.tokens[first..=last].iter().rev() {
            match token {
                Token::Digit(_) => backwards.extend(digits.pop().map(String::from)),
                Token::Words(words) => backwards.push(words.clone()),
                _ => {}
            }
        }
        let rest: String = digits.into_iter().collect();
        backwards.push(rest);
        backwards.reverse();
        backwards.concat()
    }

    fn scientific(&self, scaled: f64) -> String {
        let decimals = self.placeholders().1.len();
        let text = format!("{scaled:.decimals$e}");
        match text.split_once('e') {
            Some((number, exponent)) => {
                let sign = if exponent.starts_with('-') { "-" } else { "+" };
                format!("{number}E{sign}{:0>2}", exponent.trim_start_matches('-'))
            }
            None => text,
        }
    }

    /// Returns a number with the words of the format before and behind it.
    fn around(&self, number: &str, value: f64) -> String {
        let is_digit = |token: &Token| {
            matches!(
                token,
                Token::Digit(_) | Token::General | Token::Text | Token::Point | Token::Exponent
            )
        };
        let first = self.tokens.iter().position(is_digit).unwrap_or(self.tokens.len());
        let last = self.tokens.iter().rposition(is_digit).map_or(first, |last| last + 1);
        let words = |tokens: &[Token]| -> String {
            let said = tokens.iter().map(|token| match token {
                Token::Words(words) => words.as_str(),
                Token::Percent => "%",
                _ => "",
            });
            said.collect()
        };
        let is_zero = !number.bytes().any(|byte| byte.is_ascii_digit() && byte != b'0');
        let has_sign = number.starts_with('-');
        let sign =
            if value < 0.0 && !self.is_for_negative && !has_sign && !is_zero { "-" } else { "" };
        format!("{sign}{}{number}{}", words(&self.tokens[..first]), words(&self.tokens[last..]))
    }
}

/// Returns a number of 0 or more with `decimals` decimal places, as spreadsheets round: of its first 15 digits, halves upwards.
fn rounded(value: f64, decimals: usize) -> String {
    let written = format!("{value:.14e}");
    let parts = written
        .split_once('e')
        .and_then(|(digits, exponent)| Some((digits, exponent.parse::<i32>().ok()?)));
    let Some((digits, exponent)) = parts.filter(|_| value.is_finite()) else {
        return format!("{value:.decimals$}");
    };
    let mut digits: Vec<u8> =
        digits.bytes().filter(u8::is_ascii_digit).map(|it| it - b'0').collect();
    // Where the point stands, counted in digits; with fewer digits than that, zeros follow.
    let mut point = exponent + 1;
    while point < 0 {
        digits.insert(0, 0);
        point += 1;
        if digits.len() > decimals + 20 {
            break;
        }
    }
    let mut point = usize::try_from(point).unwrap_or(0);
    let kept = point + decimals;
    let is_up = digits.get(kept).is_some_and(|digit| *digit >= 5);
    digits.resize(kept, 0);
    if is_up {
        let nines = digits.iter().rev().take_while(|digit| **digit == 9).count();
        let from = digits.len() - nines;
        digits[from..].fill(0);
        match from.checked_sub(1) {
            Some(last) => digits[last] += 1,
            None => {
                digits.insert(0, 1);
                point += 1;
            }
        }
    }
    let text: String = digits.iter().map(|digit| char::from(b'0' + digit)).collect();
    let (whole, decimals) = text.split_at(point.min(text.len()));
    let whole = whole.trim_start_matches('0');
    let whole = if whole.is_empty() { "0" } else { whole };
    if decimals.is_empty() { whole.to_owned() } else { format!("{whole}.{decimals}") }
}

/// Returns whether the condition of a section of a format holds, such as `[<=9999999]`; `None` if it has none.
fn condition(section: &str, value: f64) -> Option<bool> {
    let within = section.split('[').skip(1).filter_map(|rest| rest.split(']').next());
    within.into_iter().find_map(|said| {
        let limit = said.trim_start_matches(['<', '>', '=']);
        let sign = &said[..said.len() - limit.len()];
        let limit: f64 = limit.trim().parse().ok()?;
        Some(match sign {
            "<" => value < limit,
            "<=" => value <= limit,
            ">" => value > limit,
            ">=" => value >= limit,
            "=" => value == limit,
            "<>" => value != limit,
            _ => return None,
        })
    })
}

/// Returns the sections of a number format, which semicolons separate.
fn split_sections(code: &str) -> Vec<String> {
    let mut found = vec![String::new()];
    let (mut is_quoted, mut is_escaped) = (false, false);
    for c in code.chars() {
        let is_literal = is_quoted || is_escaped;
        is_escaped = !is_literal && matches!(c, '\\' | '_' | '*');
        if c == '"' && (is_quoted || !is_literal) {
            is_quoted = !is_quoted;
        }
        if c == ';' && !is_literal {
            found.push(String::new());
        } else if let Some(last) = found.last_mut() {
            last.push(c);
        }
    }
    found
}

fn tokens(code: &str) -> Vec<Token> {
    let mut found: Vec<Token> = Vec::new();
    let say = |found: &mut Vec<Token>, words: &str| match found.last_mut() {
        Some(Token::Words(before)) => before.push_str(words),
        _ => found.push(Token::Words(words.to_owned())),
    };
    let mut rest = code;
    while let Some(c) = rest.chars().next() {
        let lower = rest.get(..7).map(str::to_ascii_lowercase);
        if lower.as_deref() == Some("general") {
            found.push(Token::General);
            rest = &rest[7..];
            continue;
        }
        if let Some(mark) =
            ["AM/PM", "am/pm", "A/P", "a/p"].iter().find(|mark| rest.starts_with(**mark))
        {
            found.push(Token::Date('a', 1));
            rest = &rest[mark.len()..];
            continue;
        }
        let after = &rest[c.len_utf8()..];
        rest = after;
        match c {
            '0' | '#' | '?' => found.push(Token::Digit(c)),
            // A denominator that the format says: `# ?/16`.
            '1'..='9' if matches!(found.last(), Some(Token::Slash | Token::Digit('1'..='9'))) => {
                found.push(Token::Digit(c));
            }
            '.' => found.push(Token::Point),
            ',' => found.push(Token::Comma),
            '%' => found.push(Token::Percent),
            '/' => found.push(Token::Slash),
            '@' => found.push(Token::Text),
            'E' if after.starts_with(['+', '-']) => {
                found.push(Token::Exponent);
                rest = &after[1..];
            }
            '"' => {
                let end = after.find('"').unwrap_or(after.len());
                say(&mut found, &after[..end]);
                rest = after.get(end + 1..).unwrap_or_default();
            }
            '\\' | '_' | '*' => {
                let next = after.chars().next();
                rest = &after[next.map_or(0, char::len_utf8)..];
                match next {
                    Some(next) if c == '\\' => say(&mut found, next.encode_utf8(&mut [0; 4])),
                    // What fills the room of a sign keeps it from its number.
                    Some(_)
                        if c == '*'
                            && matches!(found.last(), Some(Token::Words(words)) if words.ends_with('-')) =>
                        {}
                    Some(_) => say(&mut found, " "),
                    None => {}
                }
            }
            '[' => {
                let end = after.find(']').unwrap_or(after.len());
                let within = &after[..end];
                rest = after.get(end + 1..).unwrap_or_default();
                let is_elapsed = !within.is_empty()
                    && within.chars().all(|c| matches!(c, 'h' | 'H' | 'm' | 'M' | 's' | 'S'));
                if let Some(letter) = within.chars().next().filter(|_| is_elapsed) {
                    found.push(Token::Elapsed(letter.to_ascii_uppercase()));
                } else if let Some(symbol) = within.strip_prefix('$') {
                    say(&mut found, symbol.split('-').next().unwrap_or_default());
                }
            }
            'd' | 'D' | 'm' | 'M' | 'y' | 'Y' | 'h' | 'H' | 's' | 'S' => {
                let letter = c.to_ascii_lowercase();
                match found.last_mut() {
                    Some(Token::Date(before, run)) if *before == letter => *run += 1,
                    _ => found.push(Token::Date(letter, 1)),
                }
            }
            other => say(&mut found, other.encode_utf8(&mut [0; 4])),
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    // proves: A6
    #[test]
    fn numbers_are_shown_as_their_format_says() {
        let check = |value: f64, code: &str, expected: &str| {
            assert_eq!(shown(value, code, false).0.trim(), expected, "{value} {code}");
        };
        check(0.1 + 0.2, "General", "0.3");
        check(1234567.0, "General", "1234567");
        check(-2.5, "", "-2.5");
        check(1234.5, "#,##0.00", "1,234.50");
        // Halves go up, as spreadsheets show them.
        for (value, code, expected) in [
            (2.5, "0", "3"),
            (-2.5, "0", "-3"),
            (1234.5, "#,##0", "1,235"),
            (0.125, "0.00", "0.13"),
            (1.005, "0.00", "1.01"),
            (10.075, "0.00", "10.08"),
            (0.125, "0%", "13%"),
            (0.0525, "0.0%", "5.3%"),
            (79.25, "#,##0.0", "79.3"),
            (9.999, "0.00", "10.00"),
            (0.0004, "0.00", "0.00"),
            (0.5, "0", "1"),
            (1e20, "0", "100000000000000000000"),
        ] {
            check(value, code, expected);
        }
        check(0.256, "0%", "26%");
        check(0.256, "0.0 %", "25.6 %");
        check(-1234.0, "#,##0;(#,##0)", "(1,234)");
        check(-1234.0, "#,##0", "-1,234");
        check(0.0, "0;-0;\"none\"", "none");
        check(12.0, "0 \"kg\"", "12 kg");
        check(1234.5, "[$€-407] #,##0.00", "€ 1,234.50");
        check(7.0, "000", "007");
        check(5551234.0, "000\\-0000", "555-1234");
        check(12345.0, "0.00E+00", "1.23E+04");
        check(1_500_000.0, "#,##0,", "1,500");
        check(0.5, "#.##", ".5");
        check(0.5, "# ?/?", "1/2");
        check(1.25, "# ?/?", "1 1/4");
        check(-3.3434, "# ??/??", "-3 34/99");
        check(2.99, "# ?/8", "3");
        check(1.375, "# ?/8\" in\"", "1 3/8 in");
        check(1.25, "?/?", "5/4");
        check(4.0, "# ?/?", "4");
        check(5551234.0, "[<=9999999]###-####;(###) ###-####", "555-1234");
        check(2125551234.0, "[<=9999999]###-####;(###) ###-####", "(212) 555-1234");
        check(4_915_112_345_678.0, "General", "4915112345678");
        check(1_234_567_890_123_456.0, "General", "1234567890123460");
        check(-1e18, "", "-1000000000000000000");
        check(0.75, "[h]:mm", "18:00");
        check(1.5, "[h]:mm", "36:00");
        check(0.0625, "[mm]:ss", "90:00");
        check(0.003_819_444, "mm:ss", "05:30");
        check(0.003_821_759, "mm:ss.0", "05:30.2");
        check(45_322.0, "d\". \"mmm\\ yyyy", "2024-01-31");
        check(-12.5, "_-* #,##0.00\\ \"€\"_-;-* #,##0.00\\ \"€\"_-", "-12.50 €");
        check(1234.0, "_($* #,##0_);_($* (#,##0);_($* \"-\"_);_(@_)", "$ 1,234");
        check(45322.0, "m/d/yy", "2024-01-31");
        check(45322.5625, "d.m.yyyy h:mm", "2024-01-31 13:30");
        check(45322.0, "mmm\\-yy", "2024-01");
        check(0.5, "h:mm AM/PM", "12:00");
        check(1.5, "[h]:mm:ss", "36:00:00");
        check(1.0, "yyyy-mm-dd", "1900-01-01");
        check(-1.0, "yyyy-mm-dd", "-1");
        check(43860.0, "[Red]General", "43860");
        assert_eq!(shown(43860.0, "yyyy-mm-dd", true).0, "2024-01-31");
        assert_eq!(shown(45322.0, "mm-dd-yy", false).1, Kind::Date);
    }

    proptest::proptest! {
        #![proptest_config(proptest::prelude::ProptestConfig { failure_persistence: None, ..Default::default() })]

        #[test]
        fn any_value_under_any_format_is_shown(value in proptest::num::f64::ANY, code in "[0#?.,%E+;@\\\\\"_*\\[\\]$hdmysGeneral/é -]{0,24}") {
            shown(value, &code, false);
            shown(value % 3e6, &code, true);
        }
    }
}
