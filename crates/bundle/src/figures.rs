//! The figures of a brief, and the aggregated tables that they come out of.

use std::collections::{BTreeMap, BTreeSet};

use methods::brief::Options;
use run::Event;
use run::canonical::canonical;
use run::entry::Entry;
use run::views;
use serde::Deserialize as _;
use serde_json::Value;
use survey::aggregate::{self, Recomputed, Tabled};
use survey::figure::Rules;
use survey::project::Project;

/// What two evaluations of one expression may differ by, relative to the larger or to 1.
const ROUNDING: f64 = 1e-9;

/// The tables of a brief.
#[derive(Debug, Clone, PartialEq)]
pub struct Figures {
    /// One for each expression, sorted by it.
    pub tabled: Vec<Tabled>,
    /// Banner tables for people, as a workbook.
    pub workbook: Option<Vec<u8>>,
}

impl Figures {
    pub(crate) fn bytes(&self) -> Vec<u8> {
        canonical(&self.tabled)
    }
}

/// Returns the expressions of all figures that a run evaluated or tells, each once; empty for a run that is no brief.
pub fn expressions(entries: &[Entry]) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    if is_brief(entries) {
        each_figure(entries, &mut |figure| {
            found.insert(figure.expression.to_owned());
        });
    }
    found
}

fn is_brief(entries: &[Entry]) -> bool {
    views::start(entries).is_some_and(|start| start.method == "brief")
}

/// Tabulates all figures of a brief.
///
/// # Errors
///
/// If the rules of the run cannot be read, or the studies do not have what an expression names.
pub fn tabulate(project: &Project, entries: &[Entry]) -> Result<Vec<Tabled>, String> {
    let rules = read_rules(entries)?;
    let all = expressions(entries);
    let tabled = all.iter().map(|expression| {
        aggregate::tabulate(project, &rules, expression)
            .map_err(|error| format!("{expression}: {error}"))
    });
    tabled.collect()
}

fn read_rules(entries: &[Entry]) -> Result<Rules, String> {
    let start = views::start(entries).ok_or("the log does not say how the run was started")?;
    let options = Options::deserialize(&start.settings.options);
    options.map(|options| options.rules.figures).map_err(|error| error.to_string())
}

/// A figure as some JSON tells it.
struct Told<'a> {
    expression: &'a str,
    value: f64,
    fields: &'a serde_json::Map<String, Value>,
}

/// Calls `take` for each figure that the run's steps returned, or that its deliverable tells.
fn each_figure<'a>(entries: &'a [Entry], take: &mut impl FnMut(Told<'a>)) {
    for entry in entries {
        match &entry.event {
            Event::Returned { value, .. } => walk(value, take),
            Event::Finished { deliverable, .. } => walk(deliverable, take),
            Event::Stopped { partial: Some(partial), .. }
            | Event::Cancelled { partial: Some(partial), .. } => walk(&partial.deliverable, take),
            _ => {}
        }
    }
}

fn walk<'a>(value: &'a Value, take: &mut impl FnMut(Told<'a>)) {
    match value {
        Value::Object(fields) => {
            let expression = fields.get("expression").and_then(Value::as_str);
            let number = fields.get("value").and_then(Value::as_f64);
            if let (Some(expression), Some(value)) = (expression, number) {
                take(Told { expression, value, fields });
            }
            fields.values().for_each(|field| walk(field, take));
        }
        Value::Array(items) => items.iter().for_each(|item| walk(item, take)),
        _ => {}
    }
}

/// How many figures there are, and what is wrong with them.
#[derive(Debug, Default)]
pub(crate) struct Held {
    pub(crate) figures: usize,
    pub(crate) tables: usize,
    /// Expressions whose tables do not tell them, such as the median of an income.
    pub(crate) beyond: BTreeSet<String>,
    pub(crate) findings: Vec<String>,
}

/// Computes every figure of a brief again from the tables of `figures.json`.
pub(crate) fn check(entries: &[Entry], tables: &[u8]) -> Held {
    let wrong = |what: String| Held { findings: vec![what], ..Held::default() };
    let tabled: Vec<Tabled> = match serde_json::from_slice(tables) {
        Ok(tabled) => tabled,
        Err(error) => return wrong(format!("the tables cannot be read: {error}")),
    };
    if canonical(&tabled) != tables {
        return wrong("the tables are not in canonical JSON".into());
    }
    let rules = match read_rules(entries) {
        Ok(rules) => rules,
        Err(error) => return wrong(format!("the rules of the figures cannot be read: {error}")),
    };
    let mut held = Held { tables: tabled.len(), ..Held::default() };
    let mut known: BTreeMap<&str, Option<Recomputed>> = BTreeMap::new();
    for one in &tabled {
        if known.insert(&one.expression, one.evaluate(&rules)).is_some() {
            held.findings.push(format!("there are two tables for {}", one.expression));
        }
    }
    let mut told = BTreeSet::new();
    each_figure(entries, &mut |figure| {
        held.figures += 1;
        told.insert(figure.expression);
        match known.get(figure.expression) {
            None => held.findings.push(format!("there is no table for {}", figure.expression)),
            Some(None) => {
                held.beyond.insert(figure.expression.to_owned());
            }
            Some(Some(recomputed)) => compare(&figure, recomputed, &mut held.findings),
        }
    });
    for expression in known.keys().filter(|expression| !told.contains(*expression)) {
        held.findings.push(format!("no figure comes out of the table for {expression}"));
    }
    held
}

fn compare(told: &Told<'_>, again: &Recomputed, findings: &mut Vec<String>) {
    let mut wrong = |what: &str, told_as: String, is: String| {
        findings.push(format!("{}: its {what} is told as {told_as}, and is {is}", told.expression));
    };
    if !is_near(told.value, again.value) {
        wrong("value", told.value.to_string(), again.value.to_string());
    }
    // A field that is not there tells nothing.
    let field = |key: &str| told.fields.get(key).filter(|value| !value.is_null());
    if let Some(shown) = field("shown").and_then(Value::as_str)
        && shown != again.shown
    {
        wrong("text", format!("\"{shown}\""), format!("\"{}\"", again.shown));
    }
    if let Some(interval) = field("interval").and_then(read_pair) {
        let is_same = again
            .interval
            .is_some_and(|(low, high)| is_near(interval.0, low) && is_near(interval.1, high));
        if !is_same {
            wrong("interval", format!("{interval:?}"), format!("{:?}", again.interval));
        }
    }
    let bases: Vec<u64> = again.bases.iter().map(|base| base.unweighted).collect();
    let told_bases: Option<Vec<u64>> = field("bases")
        .and_then(Value::as_array)
        .map(|bases| bases.iter().filter_map(Value::as_u64).collect());
    let told_base = field("base").and_then(Value::as_u64).map(|base| vec![base]);
    if let Some(told_bases) = told_bases.or(told_base)
        && told_bases != bases
    {
        wrong("base", format!("{told_bases:?}"), format!("{bases:?}"));
    }
    for (key, is) in [("low_base", Some(again.low_base)), ("significant", again.significant)] {
        if let Some(told_as) = field(key).and_then(Value::as_bool)
            && Some(told_as) != is
        {
            wrong(key, told_as.to_string(), format!("{is:?}"));
        }
    }
}

fn read_pair(value: &Value) -> Option<(f64, f64)> {
    match value.as_array()?.as_slice() {
        [low, high] => Some((low.as_f64()?, high.as_f64()?)),
        _ => None,
    }
}

fn is_near(one: f64, other: f64) -> bool {
    (one - other).abs() <= ROUNDING * one.abs().max(other.abs()).max(1.0)
}
