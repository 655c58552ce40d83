//! From an expression to its text, which parses to the same expression.

use std::fmt::{self, Display};

use super::reading::{MARKS, box_of};
use super::{Call, Expression, Measured, Operator, Picked, Trend, Weighed};

impl Measured {
    const ALL: [(&'static str, Measured); 8] = [
        ("share", Measured::Share),
        ("mean", Measured::Mean),
        ("median", Measured::Median),
        ("sd", Measured::Sd),
        ("nps", Measured::Nps),
        ("base", Measured::Base),
        ("weighted_base", Measured::WeightedBase),
        ("effective_base", Measured::EffectiveBase),
    ];

    pub(super) fn of(name: &str) -> Option<Measured> {
        Self::ALL.iter().find(|(known, _)| *known == name).map(|(_, measure)| *measure)
    }

    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(_, known)| *known == self).map_or("", |(name, _)| name)
    }
}

impl Trend {
    pub fn name(self) -> &'static str {
        match self {
            Trend::Change => "change",
            Trend::Growth => "growth",
        }
    }
}

impl fmt::Display for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Expression::Figure(call) => call.fmt(f),
            Expression::Trend { kind, of, from, to } => {
                write!(f, "{}({of}, from={}, to={})", kind.name(), name(from), name(to))
            }
            Expression::Joined(one, operator, other) => {
                let sign = match operator {
                    Operator::Plus => " + ",
                    Operator::Minus => " - ",
                    Operator::Over => " / ",
                };
                let own = strength(self);
                within(f, one, strength(one) < own)?;
                f.write_str(sign)?;
                within(f, other, strength(other) <= own)
            }
        }
    }
}

fn strength(expression: &Expression) -> u8 {
    match expression {
        Expression::Joined(_, Operator::Plus | Operator::Minus, _) => 0,
        Expression::Joined(_, Operator::Over, _) => 1,
        Expression::Figure(_) | Expression::Trend { .. } => 2,
    }
}

fn within(f: &mut fmt::Formatter<'_>, inner: &Expression, parentheses: bool) -> fmt::Result {
    if parentheses { write!(f, "({inner})") } else { inner.fmt(f) }
}

impl fmt::Display for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}({}", self.measure.name(), name(&self.question))?;
        if !self.answers.is_empty() {
            write!(f, "={}", picked(&self.answers))?;
        }
        for segment in &self.segment {
            f.write_str(", segment=")?;
            if let Some(question) = &segment.question {
                write!(f, "{}:", name(question))?;
            }
            f.write_str(&picked(&segment.answers))?;
        }
        if let Some(study) = &self.study {
            write!(f, ", study={}", name(study))?;
        }
        match &self.weight {
            None => {}
            Some(Weighed::Nobody) => f.write_str(", weight=none")?,
            Some(Weighed::By(column)) if column.eq_ignore_ascii_case("none") => {
                write!(f, ", weight={}", quoted(column))?;
            }
            Some(Weighed::By(column)) => write!(f, ", weight={}", name(column))?,
        }
        f.write_str(")")
    }
}

pub(super) fn picked(answers: &[Picked]) -> String {
    let written: Vec<String> = answers
        .iter()
        .map(|answer| match answer {
            Picked::Named(one) if box_of(one).is_some() => quoted(one),
            Picked::Named(one) => name(one),
            Picked::Box { top: true, points } => format!("top{points}"),
            Picked::Box { top: false, points } => format!("bottom{points}"),
        })
        .collect();
    written.join("|")
}

/// Returns a name, quoted if it must be.
pub(super) fn name(name: &str) -> String {
    let bare = !name.is_empty() && name.trim() == name && !name.contains(|c| MARKS.contains(c));
    if bare { name.to_owned() } else { quoted(name) }
}

fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('\\', "\\\\").replace('"', "\\\""))
}
