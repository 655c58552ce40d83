//! Figures with the aggregated tables that they come out of: with these they are computed again, without anybody's answers.
//!
//! A table counts respondents by what is measured of them. It has no row for a respondent, and of a question whose answers are numbers of
//! many kinds, such as an income, it has sums alone.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::expression::resolving::{Asked, Resolved, resolve};
use crate::expression::{
    Call, Expression, Measured, Operator, Trend, Unit, Wrong, evaluate, parse,
};
use crate::figure::compute::{Basis, part, told};
use crate::figure::difference::{Shared, difference};
use crate::figure::sample::Sample;
use crate::figure::uncertainty::{Measured as Tested, Part, level};
use crate::figure::{Base, Figure, Level, Measure, Rules};
use crate::project::Project;
use crate::study::Kind;
use crate::weighted::{Count, Moments, median};

/// A figure and its tables.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tabled {
    /// In its canonical form.
    pub expression: String,
    pub unit: Unit,
    pub join: Join,
    /// One table, or the two whose figures are joined: of a growth the later first.
    pub tables: Vec<Table>,
    /// What the comparison of two rests on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comparison: Option<Compared>,
}

/// How the figures of the tables make the value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Join {
    /// There is one.
    One,
    /// The first less the second.
    Difference,
    /// The first over the second.
    Ratio,
    /// Their difference over the second.
    Growth,
}

/// The respondents of one figure, counted by what is measured of them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Table {
    /// In its canonical form.
    pub expression: String,
    /// The title of the study, and the words of the question.
    pub study: String,
    pub question: String,
    pub measure: Measured,
    /// The labels of the answers that a share counts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub answers: Vec<String>,
    pub counts: Counts,
    /// Respondents of the whole study, which linearised variances count.
    pub whole: f64,
}

/// How many respondents there are of each value.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Counts {
    /// By value, ascending. A share has 1 for who gave a counted answer and 0 for the others; NPS 1, 0 and -1.
    Cells(Vec<Cell>),
    /// Of numbers of many kinds: their moments.
    Moments(Moments),
}

/// Respondents with the same value.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cell {
    pub value: f64,
    #[serde(flatten)]
    pub count: Count,
}

/// What a comparison rests on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Compared {
    /// Nothing was tested, and why.
    Untested(String),
    /// Tested. `common`: the sums over respondents who are in both tables.
    Tested { common: Option<Common> },
}

/// The sums over respondents who are in both tables of a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Common(Shared);

/// A figure as its tables give it.
#[derive(Debug, Clone, PartialEq)]
pub struct Recomputed {
    pub value: f64,
    /// The value as people read it, such as `61.9 %`.
    pub shown: String,
    /// The confidence interval; of two figures that of their difference.
    pub interval: Option<(f64, f64)>,
    pub bases: Vec<Base>,
    /// Whether any base is low.
    pub low_base: bool,
    /// Whether two figures differ significantly; none where nothing was tested.
    pub significant: Option<bool>,
    /// The probability of a difference as large if there is none, not corrected for other tests.
    pub p: Option<f64>,
}

/// Tabulates the figure of an expression.
///
/// # Errors
///
/// As [`evaluate`].
pub fn tabulate(project: &Project, rules: &Rules, text: &str) -> Result<Tabled, Wrong> {
    let evaluated = evaluate(project, rules, text)?;
    let (join, asked) = match resolve(project, &parse(text)?)? {
        Resolved::One(asked) => (Join::One, vec![asked]),
        Resolved::Difference(one, other) => (Join::Difference, vec![one, other]),
        Resolved::Ratio(one, other) => (Join::Ratio, vec![one, other]),
        Resolved::Growth(later, earlier, _) => (Join::Growth, vec![later, earlier]),
    };
    let comparison = match asked.as_slice() {
        [one, other] => {
            project.basis(&one.spec, &other.spec, rules).ok().map(|basis| match basis {
                Basis::Untested { why, .. } => Compared::Untested(why),
                Basis::Tested { shared, .. } => Compared::Tested { common: shared.map(Common) },
            })
        }
        _ => None,
    };
    let tables = asked.iter().zip(&evaluated.parts);
    let tables = tables.map(|(asked, part)| count(project, rules, asked, &part.answers));
    Ok(Tabled {
        tables: tables.collect::<Result<_, Wrong>>()?,
        expression: evaluated.expression,
        unit: evaluated.unit,
        join,
        comparison,
    })
}

fn count(
    project: &Project,
    rules: &Rules,
    asked: &Asked,
    answers: &[String],
) -> Result<Table, Wrong> {
    let sample = Sample::of(project, &asked.spec)?;
    let is_number = sample.question.kind == Kind::Numeric;
    let is_of_numbers =
        matches!(asked.spec.measure, Measure::Mean | Measure::Median | Measure::Sd) && is_number;
    let counts = if is_of_numbers {
        Counts::Moments(sample.moments())
    } else {
        let mut cells: BTreeMap<u64, Cell> = BTreeMap::new();
        for (value, weight) in sample.values() {
            let count = Count::default();
            // There is no negative zero among codes and scores.
            let cell = cells.entry((value + 0.0).to_bits()).or_insert(Cell { value, count });
            cell.count.add(weight);
        }
        let mut cells = Vec::from_iter(cells.into_values());
        cells.sort_by(|one, other| one.value.total_cmp(&other.value));
        Counts::Cells(cells)
    };
    let whole = match asked.spec.measure.measured() {
        Some(measured) => part(&sample, Moments::default(), measured, rules).whole,
        None => 0.0,
    };
    Ok(Table {
        expression: asked.call.to_string(),
        study: sample.study.title.clone(),
        question: sample.question.words(),
        measure: asked.call.measure,
        answers: answers.to_vec(),
        // Without the linearised variance the size of the sample is that of the table.
        whole: if whole > 0.0 { whole } else { counts.moments().count.respondents },
        counts,
    })
}

impl Counts {
    fn moments(&self) -> Moments {
        match self {
            Counts::Cells(cells) => {
                let values: Vec<(f64, Count)> =
                    cells.iter().map(|cell| (cell.value, cell.count)).collect();
                Moments::of(&values)
            }
            Counts::Moments(moments) => *moments,
        }
    }

    fn median(&self) -> Option<f64> {
        match self {
            Counts::Cells(cells) => {
                let mut values = cells.iter().map(|cell| (cell.value, cell.count.weight)).collect();
                median(&mut values)
            }
            Counts::Moments(_) => None,
        }
    }
}

impl Table {
    fn tested(&self) -> Option<Tested> {
        match self.measure {
            Measured::Share => Some(Tested::Share),
            Measured::Nps => Some(Tested::Nps),
            Measured::Mean => Some(Tested::Mean),
            _ => None,
        }
    }

    fn part(&self, measured: Tested) -> Part {
        Part { moments: self.counts.moments(), measured, whole: self.whole }
    }

    /// Returns the figure; `None` if the table does not tell it, as the median of numbers of many kinds.
    fn figure(&self, rules: &Rules) -> Option<Figure> {
        if let Some(measured) = self.tested() {
            return Some(self.part(measured).figure(rules));
        }
        let moments = self.counts.moments();
        let base = moments.count.base();
        let value = match self.measure {
            Measured::Median => self.counts.median()?,
            Measured::Sd => moments.deviation()?,
            Measured::WeightedBase => base.weighted,
            Measured::EffectiveBase => base.effective,
            _ => moments.count.respondents,
        };
        Some(Figure { value, base, error: None, interval: None, level: level(&base, rules) })
    }
}

impl Tabled {
    /// Returns whether its tables are those that its expression names.
    pub fn is_of_its_expression(&self) -> bool {
        let Ok(expression) = parse(&self.expression) else { return false };
        let calls = match &expression {
            Expression::Figure(call) => vec![call.clone()],
            Expression::Joined(one, _, other) => match (&**one, &**other) {
                (Expression::Figure(one), Expression::Figure(other)) => {
                    vec![one.clone(), other.clone()]
                }
                _ => return false,
            },
            Expression::Trend { of, from, to, .. } => {
                let of_study = |study: &String| Call { study: Some(study.clone()), ..of.clone() };
                vec![of_study(to), of_study(from)]
            }
        };
        let join = match &expression {
            Expression::Figure(_) => Join::One,
            Expression::Joined(_, Operator::Over, _) => Join::Ratio,
            Expression::Joined(..) | Expression::Trend { kind: Trend::Change, .. } => {
                Join::Difference
            }
            Expression::Trend { kind: Trend::Growth, .. } => Join::Growth,
        };
        let is_named = |(call, table): (&Call, &Table)| {
            call.to_string() == table.expression && call.measure == table.measure
        };
        expression.to_string() == self.expression
            && join == self.join
            && calls.len() == self.tables.len()
            && calls.iter().zip(&self.tables).all(is_named)
    }

    /// Computes the figure again; `None` if its tables do not tell it.
    pub fn evaluate(&self, rules: &Rules) -> Option<Recomputed> {
        let figures = self.tables.iter().map(|table| table.figure(rules));
        let figures = figures.collect::<Option<Vec<Figure>>>()?;
        let value = match (self.join, figures.as_slice()) {
            (Join::One, [one]) => one.value,
            (Join::Difference, [one, other]) => one.value - other.value,
            (Join::Ratio, [one, other]) => one.value / other.value,
            (Join::Growth, [one, other]) => (one.value - other.value) / other.value,
            _ => return None,
        };
        let compared = match (self.tables.as_slice(), &self.comparison) {
            ([one, other], Some(Compared::Tested { common })) => {
                let (one, other) = (one.part(one.tested()?), other.part(other.tested()?));
                let shared = common.map(|Common(shared)| shared);
                let found = difference(&one, &other, shared.as_ref(), rules);
                Some(told(found, one.measured, shared.as_ref(), rules))
            }
            _ => None,
        };
        let interval = match figures.as_slice() {
            [one] => one.interval,
            _ => compared.as_ref().and_then(|one| one.interval),
        };
        Some(Recomputed {
            value,
            shown: self.unit.shown(value),
            interval,
            bases: figures.iter().map(|figure| figure.base).collect(),
            low_base: figures.iter().any(|figure| figure.level != Level::Fine),
            significant: compared.as_ref().and_then(|one| one.p.map(|_| one.significant)),
            p: compared.and_then(|one| one.p),
        })
    }
}
