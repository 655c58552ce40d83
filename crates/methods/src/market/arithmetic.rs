//! Arithmetic over named figures: parsing, evaluation and formatting.
//!
//! An expression has numbers (`1,200`, `0.5`), percentages (`30 %`), names, `+ - * /` and parentheses. It is evaluated in double precision,
//! which keeps 15 digits; a value that is not finite or exceeds [`LARGEST`] is an error.
//!
//! ```
//! use methods::market::arithmetic::parse;
//!
//! let expression = parse("lawyers * 30% * (price - 200)")?;
//! let value = expression.value(&|name| match name {
//!     "lawyers" => Some(1000.0),
//!     "price" => Some(1200.0),
//!     _ => None,
//! })?;
//! assert!((value - 300_000.0).abs() < 1e-6);
//! assert_eq!(expression.to_string(), "lawyers * 30% * (price - 200)");
//! # Ok::<(), methods::market::arithmetic::Wrong>(())
//! ```

#[cfg(test)]
mod tests;

use std::fmt;

/// Maximum number of characters in an expression.
pub const LONGEST: usize = 2_000;
/// Maximum nesting depth of parentheses and signs.
pub const DEEPEST: usize = 50;
/// Maximum number of numbers and names in an expression.
pub const MOST_OPERANDS: usize = 200;
/// Largest absolute value of a figure, in any unit.
pub const LARGEST: f64 = 1e18;

/// A parsed expression.
#[derive(Debug, Clone, PartialEq)]
pub enum Expression {
    /// Zero or more, finite.
    Number(f64),
    /// The number before the sign: 30 for `30%`.
    Percent(f64),
    /// In lower case.
    Name(String),
    Negative(Box<Expression>),
    Joined(Box<Expression>, Operator, Box<Expression>),
}

/// An operator that joins two expressions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operator {
    Plus,
    Minus,
    Times,
    Over,
}

/// The reason an expression cannot be parsed or evaluated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wrong {
    TooLong,
    TooDeep,
    TooManyOperands,
    Empty,
    /// The unexpected text, and the number of its first character, from 1.
    Unexpected {
        what: String,
        at: usize,
    },
    /// The expression ends where a number or a name is expected.
    Unfinished,
    Unknown {
        name: String,
    },
    DividedByZero,
    TooLarge,
}

impl std::error::Error for Wrong {}

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Wrong::TooLong => write!(f, "it is longer than {LONGEST} characters"),
            Wrong::TooDeep => write!(f, "it is nested more than {DEEPEST} deep"),
            Wrong::TooManyOperands => {
                write!(f, "it has more than {MOST_OPERANDS} numbers and names")
            }
            Wrong::Empty => write!(f, "it is empty"),
            Wrong::Unexpected { what, at } => write!(
                f,
                "unexpected '{what}' at character {at}; write only numbers, names, + - * / and parentheses"
            ),
            Wrong::Unfinished => write!(f, "it ends where a number or a name is expected"),
            Wrong::Unknown { name } => {
                write!(f, "'{name}' is neither an input nor an earlier step")
            }
            Wrong::DividedByZero => write!(f, "it divides by zero"),
            Wrong::TooLarge => write!(f, "its result is above {LARGEST:e}"),
        }
    }
}

/// Parses an expression, in time linear in its length.
pub fn parse(text: &str) -> Result<Expression, Wrong> {
    if text.chars().nth(LONGEST).is_some() {
        return Err(Wrong::TooLong);
    }
    let mut reader = Reader { signs: signs(text)?, at: 0, operands: 0 };
    if reader.signs.is_empty() {
        return Err(Wrong::Empty);
    }
    let expression = reader.sum(0)?;
    match reader.signs.get(reader.at) {
        None => Ok(expression),
        Some((sign, at)) => Err(unexpected(sign, *at)),
    }
}

impl Expression {
    /// Evaluates the expression with the values of its names.
    pub fn value(&self, named: &dyn Fn(&str) -> Option<f64>) -> Result<f64, Wrong> {
        let value = match self {
            Expression::Number(number) => *number,
            Expression::Percent(number) => number / 100.0,
            Expression::Name(name) => {
                named(name).ok_or_else(|| Wrong::Unknown { name: name.clone() })?
            }
            Expression::Negative(inner) => -inner.value(named)?,
            Expression::Joined(one, operator, other) => {
                let (one, other) = (one.value(named)?, other.value(named)?);
                match operator {
                    Operator::Plus => one + other,
                    Operator::Minus => one - other,
                    Operator::Times => one * other,
                    Operator::Over if other == 0.0 => return Err(Wrong::DividedByZero),
                    Operator::Over => one / other,
                }
            }
        };
        if value.is_finite() && value.abs() <= LARGEST {
            // Normalises -0 to 0.
            Ok(value + 0.0)
        } else {
            Err(Wrong::TooLarge)
        }
    }

    /// Returns the names in the expression in reading order, without duplicates.
    pub fn names(&self) -> Vec<&str> {
        fn collect<'a>(expression: &'a Expression, names: &mut Vec<&'a str>) {
            match expression {
                Expression::Number(_) | Expression::Percent(_) => {}
                Expression::Name(name) if names.contains(&name.as_str()) => {}
                Expression::Name(name) => names.push(name),
                Expression::Negative(inner) => collect(inner, names),
                Expression::Joined(one, _, other) => {
                    collect(one, names);
                    collect(other, names);
                }
            }
        }
        let mut names = Vec::new();
        collect(self, &mut names);
        names
    }

    /// Formats the expression for readers, with `×` and `÷`, and each name as `shown` returns it.
    pub fn shown(&self, shown: &dyn Fn(&str) -> String) -> String {
        self.written(&|number| grouped(number), shown, [" + ", " − ", " × ", " ÷ "], " %", "−")
    }

    fn written(
        &self,
        number: &dyn Fn(f64) -> String,
        name: &dyn Fn(&str) -> String,
        operators: [&str; 4],
        percent: &str,
        negative: &str,
    ) -> String {
        let inner = |one: &Expression| one.written(number, name, operators, percent, negative);
        let within = |one: &Expression, least: u8| {
            if one.strength() < least { format!("({})", inner(one)) } else { inner(one) }
        };
        match self {
            Expression::Number(value) => number(*value),
            Expression::Percent(value) => format!("{}{percent}", number(*value)),
            Expression::Name(known) => name(known),
            Expression::Negative(one) => format!("{negative}{}", within(one, 3)),
            Expression::Joined(one, operator, other) => {
                let sign = operators.get(*operator as usize).copied().unwrap_or_default();
                let own = operator.strength();
                format!("{}{sign}{}", within(one, own), within(other, own + 1))
            }
        }
    }

    fn strength(&self) -> u8 {
        match self {
            Expression::Joined(_, operator, _) => operator.strength(),
            _ => 3,
        }
    }
}

/// The output parses to the same expression.
impl fmt::Display for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = |value: f64| format!("{value}");
        let name = |known: &str| known.to_owned();
        f.write_str(&self.written(&number, &name, [" + ", " - ", " * ", " / "], "%", "-"))
    }
}

impl Operator {
    fn strength(self) -> u8 {
        match self {
            Operator::Plus | Operator::Minus => 1,
            Operator::Times | Operator::Over => 2,
        }
    }
}

/// Returns a number with commas between its thousands, and all its decimals.
pub(super) fn grouped(number: f64) -> String {
    let written = format!("{}", number.abs());
    let (whole, decimals) = match written.split_once('.') {
        Some((whole, decimals)) => (whole, format!(".{decimals}")),
        None => (written.as_str(), String::new()),
    };
    let mut digits = String::with_capacity(whole.len() * 4 / 3);
    for (index, digit) in whole.chars().enumerate() {
        if index > 0 && (whole.len() - index).is_multiple_of(3) {
            digits.push(',');
        }
        digits.push(digit);
    }
    let sign = if number < 0.0 { "−" } else { "" };
    format!("{sign}{digits}{decimals}")
}

#[derive(Debug, Clone, PartialEq)]
enum Sign {
    Number(f64),
    Name(String),
    Operator(Operator),
    Percent,
    Open,
    Close,
}

impl fmt::Display for Sign {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Sign::Number(number) => write!(f, "{number}"),
            Sign::Name(name) => f.write_str(name),
            Sign::Operator(Operator::Plus) => f.write_str("+"),
            Sign::Operator(Operator::Minus) => f.write_str("-"),
            Sign::Operator(Operator::Times) => f.write_str("*"),
            Sign::Operator(Operator::Over) => f.write_str("/"),
            Sign::Percent => f.write_str("%"),
            Sign::Open => f.write_str("("),
            Sign::Close => f.write_str(")"),
        }
    }
}

fn unexpected(what: &impl fmt::Display, at: usize) -> Wrong {
    Wrong::Unexpected { what: what.to_string(), at }
}

/// Splits a text into tokens, each with the number of its first character.
fn signs(text: &str) -> Result<Vec<(Sign, usize)>, Wrong> {
    let mut found = Vec::new();
    let mut rest = text.chars().enumerate().map(|(index, c)| (c, index + 1)).peekable();
    while let Some((c, at)) = rest.next() {
        let mut run = |more: fn(char) -> bool| {
            let mut word = String::from(c);
            while let Some((next, _)) = rest.next_if(|(next, _)| more(*next)) {
                word.push(next);
            }
            word
        };
        let sign = match c {
            c if c.is_whitespace() => continue,
            '+' => Sign::Operator(Operator::Plus),
            '-' | '−' | '–' => Sign::Operator(Operator::Minus),
            '*' | '×' | '·' => Sign::Operator(Operator::Times),
            '/' | '÷' => Sign::Operator(Operator::Over),
            '%' => Sign::Percent,
            '(' => Sign::Open,
            ')' => Sign::Close,
            '0'..='9' | '.' => {
                let written = run(|c| c.is_ascii_digit() || matches!(c, '.' | ','));
                Sign::Number(number(&written).ok_or_else(|| unexpected(&written, at))?)
            }
            'a'..='z' | 'A'..='Z' | '_' => {
                Sign::Name(run(|c| c.is_ascii_alphanumeric() || c == '_').to_ascii_lowercase())
            }
            other if other.is_control() => return Err(unexpected(&other.escape_default(), at)),
            other => return Err(unexpected(&other, at)),
        };
        found.push((sign, at));
    }
    Ok(found)
}

/// Reads digits with optional decimals after a point and optional commas between the thousands; `None` for a value beyond [`LARGEST`].
pub(super) fn number(written: &str) -> Option<f64> {
    let (whole, decimals) = written.split_once('.').unwrap_or((written, ""));
    let mut groups = whole.split(',');
    let first = groups.next()?;
    let is_grouped = groups.clone().next().is_some();
    let well_grouped =
        (!is_grouped || (1..=3).contains(&first.len())) && groups.all(|group| group.len() == 3);
    let digits: String = whole.chars().filter(|c| *c != ',').collect();
    let all_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if !well_grouped || !all_digits(&digits) || !all_digits(decimals) {
        return None;
    }
    if digits.is_empty() && decimals.is_empty() || written.ends_with('.') {
        return None;
    }
    let value: f64 = format!("0{digits}.{decimals}0").parse().ok()?;
    (value <= LARGEST).then_some(value)
}

struct Reader {
    signs: Vec<(Sign, usize)>,
    at: usize,
    operands: usize,
}

impl Reader {
    fn next(&mut self) -> Option<(Sign, usize)> {
        let next = self.signs.get(self.at).cloned();
        self.at += 1;
        next
    }

    fn operator(&mut self, strength: u8) -> Option<Operator> {
        match self.signs.get(self.at) {
            Some((Sign::Operator(operator), _)) if operator.strength() == strength => {
                self.at += 1;
                Some(*operator)
            }
            _ => None,
        }
    }

    fn sum(&mut self, depth: usize) -> Result<Expression, Wrong> {
        let mut left = self.product(depth)?;
        while let Some(operator) = self.operator(1) {
            let right = self.product(depth)?;
            left = Expression::Joined(Box::new(left), operator, Box::new(right));
        }
        Ok(left)
    }

    fn product(&mut self, depth: usize) -> Result<Expression, Wrong> {
        let mut left = self.operand(depth)?;
        while let Some(operator) = self.operator(2) {
            let right = self.operand(depth)?;
            left = Expression::Joined(Box::new(left), operator, Box::new(right));
        }
        Ok(left)
    }

    fn operand(&mut self, depth: usize) -> Result<Expression, Wrong> {
        if depth > DEEPEST {
            return Err(Wrong::TooDeep);
        }
        self.operands += 1;
        if self.operands > MOST_OPERANDS {
            return Err(Wrong::TooManyOperands);
        }
        match self.next().ok_or(Wrong::Unfinished)? {
            (Sign::Number(number), _) => {
                if self.signs.get(self.at).is_some_and(|(sign, _)| *sign == Sign::Percent) {
                    self.at += 1;
                    return Ok(Expression::Percent(number));
                }
                Ok(Expression::Number(number))
            }
            (Sign::Name(name), _) => Ok(Expression::Name(name)),
            (Sign::Operator(Operator::Minus), _) => {
                Ok(Expression::Negative(Box::new(self.operand(depth + 1)?)))
            }
            (Sign::Open, _) => {
                let inner = self.sum(depth + 1)?;
                match self.next() {
                    Some((Sign::Close, _)) => Ok(inner),
                    Some((sign, at)) => Err(unexpected(&sign, at)),
                    None => Err(Wrong::Unfinished),
                }
            }
            (sign, at) => Err(unexpected(&sign, at)),
        }
    }
}
