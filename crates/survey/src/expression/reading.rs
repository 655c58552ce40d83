//! From a text to an expression.

use super::{Call, Expression, Measured, Operator, Picked, Picking, Trend, Weighed, Wrong};

/// The most characters of an expression.
pub const LONGEST: usize = 2_000;
/// The deepest nesting of parentheses.
pub const DEEPEST: usize = 20;
/// The most figures of an expression.
pub const MOST_FIGURES: usize = 20;

/// Characters that end an unquoted name.
pub(super) const MARKS: &str = ",()|=:\"";

/// Parses an expression, in time linear in its length.
pub fn parse(text: &str) -> Result<Expression, Wrong> {
    if text.chars().nth(LONGEST).is_some() {
        return Err(Wrong::TooLong);
    }
    if text.trim().is_empty() {
        return Err(Wrong::Empty);
    }
    let mut reader = Reader { signs: text.chars().collect(), at: 0, figures: 0 };
    let expression = reader.sum(0)?;
    match reader.peek() {
        None => Ok(expression),
        Some(_) => Err(reader.unexpected("an operator or the end")),
    }
}

/// Returns the box that a name stands for, such as `top2` or `Bottom 2 box`; `None` for any other name.
pub(super) fn box_of(name: &str) -> Option<Picked> {
    let bare: String = name
        .chars()
        .filter(|sign| !sign.is_whitespace() && !matches!(sign, '-' | '_'))
        .collect::<String>()
        .to_lowercase();
    let (top, rest) = match bare.strip_prefix("top") {
        Some(rest) => (true, rest),
        None => (false, bare.strip_prefix("bottom")?),
    };
    let points = rest.strip_suffix("box").unwrap_or(rest);
    if points.is_empty() {
        return (rest == "box").then_some(Picked::Box { top, points: 1 });
    }
    if points.len() > 2 || !points.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    points.parse().ok().filter(|points| *points > 0).map(|points| Picked::Box { top, points })
}

struct Reader {
    signs: Vec<char>,
    at: usize,
    figures: usize,
}

/// What follows a comma within parentheses.
enum Setting {
    Segment(Picking),
    Study(String),
    Weight(Weighed),
}

impl Reader {
    fn peek(&mut self) -> Option<char> {
        while self.signs.get(self.at).is_some_and(|sign| sign.is_whitespace()) {
            self.at += 1;
        }
        self.signs.get(self.at).copied()
    }

    fn take(&mut self, wanted: char) -> bool {
        let there = self.peek() == Some(wanted);
        if there {
            self.at += 1;
        }
        there
    }

    fn due(&mut self, wanted: char, told: &'static str) -> Result<(), Wrong> {
        if self.take(wanted) { Ok(()) } else { Err(self.unexpected(told)) }
    }

    fn unexpected(&mut self, due: &'static str) -> Wrong {
        let found = match self.peek() {
            None => "the end".to_owned(),
            Some(sign) => format!("'{sign}'"),
        };
        Wrong::Unexpected { found, at: self.at + 1, due }
    }

    fn sum(&mut self, depth: usize) -> Result<Expression, Wrong> {
        let mut one = self.term(depth)?;
        loop {
            let operator = match self.peek() {
                Some('+') => Operator::Plus,
                Some('-' | '−' | '–') => Operator::Minus,
                _ => return Ok(one),
            };
            self.at += 1;
            one = Expression::Joined(Box::new(one), operator, Box::new(self.term(depth)?));
        }
    }

    fn term(&mut self, depth: usize) -> Result<Expression, Wrong> {
        let mut one = self.atom(depth)?;
        while self.take('/') || self.take('÷') {
            one = Expression::Joined(Box::new(one), Operator::Over, Box::new(self.atom(depth)?));
        }
        Ok(one)
    }

    fn atom(&mut self, depth: usize) -> Result<Expression, Wrong> {
        if depth >= DEEPEST {
            return Err(Wrong::TooDeep);
        }
        if self.take('(') {
            let inner = self.sum(depth + 1)?;
            self.due(')', "')'")?;
            return Ok(inner);
        }
        self.figures += 1;
        if self.figures > MOST_FIGURES {
            return Err(Wrong::TooMany);
        }
        let name = self.word()?;
        let trend = match name.as_str() {
            "change" => Trend::Change,
            "growth" => Trend::Growth,
            _ => return Ok(Expression::Figure(self.call(&name)?)),
        };
        self.due('(', "'('")?;
        let name = self.word()?;
        let of = self.call(&name)?;
        let (mut from, mut to) = (None, None);
        while self.take(',') {
            let setting = self.word()?;
            self.due('=', "'='")?;
            let (place, name) = match setting.as_str() {
                "from" => (&mut from, "from"),
                "to" => (&mut to, "to"),
                _ => return Err(Wrong::NoSetting { name: setting }),
            };
            if place.is_some() {
                return Err(Wrong::Twice { name });
            }
            *place = Some(self.name("the id of a study")?.0);
        }
        match (from, to) {
            (Some(from), Some(to)) => {
                self.due(')', "',' or ')'")?;
                Ok(Expression::Trend { kind: trend, of, from, to })
            }
            (None, _) => Err(self.unexpected("', from=…' with a study")),
            (_, None) => Err(self.unexpected("', to=…' with a study")),
        }
    }

    /// Reads the name of a measure or a setting, in lower case.
    fn word(&mut self) -> Result<String, Wrong> {
        self.peek();
        let from = self.at;
        while self.signs.get(self.at).is_some_and(|sign| sign.is_alphanumeric() || *sign == '_') {
            self.at += 1;
        }
        match self.signs.get(from..self.at) {
            Some(signs) if !signs.is_empty() => Ok(signs.iter().collect::<String>().to_lowercase()),
            _ => Err(self.unexpected("a name such as share")),
        }
    }

    fn call(&mut self, name: &str) -> Result<Call, Wrong> {
        let measure =
            Measured::of(name).ok_or_else(|| Wrong::NoMeasure { name: name.to_owned() })?;
        self.due('(', "'('")?;
        let question = self.name("the id of a question")?.0;
        let answers = if self.take('=') { self.picked()? } else { Vec::new() };
        let mut call =
            Call { measure, question, answers, segment: vec![], study: None, weight: None };
        while self.take(',') {
            match self.setting()? {
                Setting::Segment(segment) => call.segment.push(segment),
                Setting::Study(_) if call.study.is_some() => {
                    return Err(Wrong::Twice { name: "study" });
                }
                Setting::Study(study) => call.study = Some(study),
                Setting::Weight(_) if call.weight.is_some() => {
                    return Err(Wrong::Twice { name: "weight" });
                }
                Setting::Weight(weight) => call.weight = Some(weight),
            }
        }
        self.due(')', "',' or ')'")?;
        Ok(call)
    }

    fn setting(&mut self) -> Result<Setting, Wrong> {
        let name = self.word()?;
        self.due('=', "'='")?;
        match name.as_str() {
            "segment" => {
                let before = self.at;
                let (first, _) = self.name("a segment")?;
                if self.take(':') {
                    let answers = self.picked()?;
                    return Ok(Setting::Segment(Picking { question: Some(first), answers }));
                }
                self.at = before;
                Ok(Setting::Segment(Picking { question: None, answers: self.picked()? }))
            }
            "study" => Ok(Setting::Study(self.name("the id of a study")?.0)),
            "weight" => {
                let (name, quoted) = self.name("none, or the name of a column")?;
                let nobody = !quoted && name.eq_ignore_ascii_case("none");
                Ok(Setting::Weight(if nobody { Weighed::Nobody } else { Weighed::By(name) }))
            }
            _ => Err(Wrong::NoSetting { name }),
        }
    }

    fn picked(&mut self) -> Result<Vec<Picked>, Wrong> {
        let mut picked = Vec::new();
        loop {
            let (name, quoted) = self.name("an answer")?;
            let boxed = if quoted { None } else { box_of(&name) };
            picked.push(boxed.unwrap_or(Picked::Named(name)));
            if !self.take('|') {
                return Ok(picked);
            }
        }
    }

    /// Reads a name, and whether it was quoted.
    fn name(&mut self, due: &'static str) -> Result<(String, bool), Wrong> {
        if self.take('"') {
            return Ok((self.quoted()?, true));
        }
        self.peek();
        let from = self.at;
        while self.signs.get(self.at).is_some_and(|sign| !MARKS.contains(*sign)) {
            self.at += 1;
        }
        let name: String = self.signs.get(from..self.at).unwrap_or_default().iter().collect();
        let name = name.trim_end();
        if name.is_empty() { Err(self.unexpected(due)) } else { Ok((name.to_owned(), false)) }
    }

    fn quoted(&mut self) -> Result<String, Wrong> {
        let mut name = String::new();
        loop {
            let sign = self.signs.get(self.at).copied();
            self.at += 1;
            match sign {
                None => return Err(self.unexpected("a closing quotation mark")),
                Some('"') => return Ok(name),
                Some('\\') => match self.signs.get(self.at) {
                    Some(&next @ ('"' | '\\')) => {
                        name.push(next);
                        self.at += 1;
                    }
                    _ => name.push('\\'),
                },
                Some(sign) => name.push(sign),
            }
        }
    }
}
