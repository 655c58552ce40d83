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
    each_object(entries, &mut |fields| {
        let expression = fields.get("expression").and_then(Value::as_str);
        let number = fields.get("value").and_then(Value::as_f64);
        if let (Some(expression), Some(value)) = (expression, number) {
            take(Told { expression, value, fields });
        }
    });
}

/// Calls `take` for each JSON object that the run's steps returned, or that its deliverable holds.
pub(crate) fn each_object<'a>(
    entries: &'a [Entry],
    take: &mut impl FnMut(&'a serde_json::Map<String, Value>),
) {
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

fn walk<'a>(value: &'a Value, take: &mut impl FnMut(&'a serde_json::Map<String, Value>)) {
    match value {
        Value::Object(fields) => {
            take(fields);
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
        Err(error) => return wrong(format!("could not read the tables: {error}")),
    };
    if canonical(&tabled) != tables {
        return wrong("the tables are not in canonical JSON".into());
    }
    let rules = match read_rules(entries) {
        Ok(rules) => rules,
        Err(error) => return wrong(format!("could not read the rules of the figures: {error}")),
    };
    let mut held = Held { tables: tabled.len(), ..Held::default() };
    let mut known: BTreeMap<&str, (&Tabled, Option<Recomputed>)> = BTreeMap::new();
    for one in &tabled {
        if known.insert(&one.expression, (one, one.evaluate(&rules))).is_some() {
            held.findings.push(format!("there are two tables for {}", one.expression));
        }
        if !one.is_of_its_expression() {
            held.findings
                .push(format!("the tables of {} are about something else", one.expression));
        }
    }
    let mut told = BTreeSet::new();
    each_figure(entries, &mut |figure| {
        held.figures += 1;
        told.insert(figure.expression);
        match known.get(figure.expression) {
            None => held.findings.push(format!("there is no table for {}", figure.expression)),
            Some((tabled, recomputed)) => {
                compare_words(&figure, tabled, &mut held.findings);
                match recomputed {
                    Some(recomputed) => compare(&figure, recomputed, &mut held.findings),
                    None => {
                        held.beyond.insert(figure.expression.to_owned());
                    }
                }
            }
        }
    });
    let evaluated = |expression: &str| known.get(expression).and_then(|(_, again)| again.as_ref());
    each_object(entries, &mut |fields| compare_difference(fields, evaluated, &mut held.findings));
    for expression in known.keys().filter(|expression| !told.contains(*expression)) {
        held.findings.push(format!("no figure can be computed from the table for {expression}"));
    }
    held
}

/// Checks that a figure is said to be of what its table counts.
fn compare_words(told: &Told<'_>, tabled: &Tabled, findings: &mut Vec<String>) {
    let [table] = tabled.tables.as_slice() else { return };
    let text = |key: &str| told.fields.get(key).and_then(Value::as_str);
    let answers = told.fields.get("answers").and_then(Value::as_array);
    let answers: Option<Vec<&str>> =
        answers.map(|answers| answers.iter().filter_map(Value::as_str).collect());
    let is_other = text("wording").is_some_and(|words| words != table.question)
        || text("study_title").is_some_and(|title| title != table.study)
        || answers.is_some_and(|answers| answers != table.answers);
    if is_other {
        findings
            .push(format!("{}: its table is about another question or answer", told.expression));
    }
}

/// Checks the difference that a finding tells, and the probability that a comparison rests on.
fn compare_difference<'a>(
    fields: &serde_json::Map<String, Value>,
    evaluated: impl Fn(&str) -> Option<&'a Recomputed>,
    findings: &mut Vec<String>,
) {
    let expression =
        |value: &Value| value.get("expression").and_then(Value::as_str).map(str::to_owned);
    if let (Some(figure), Some(p)) = (fields.get("figure"), fields.get("p").and_then(Value::as_f64))
    {
        let named = expression(figure);
        let again = named.as_deref().and_then(&evaluated).and_then(|again| again.p);
        if again.is_none_or(|again| !is_near(again, p)) {
            findings.push(format!("{named:?}: its p is given as {p}, but is {again:?}"));
        }
    }
    let Some(difference) = fields.get("difference").filter(|one| one.is_object()) else { return };
    let figures = fields.get("figures").and_then(Value::as_array);
    let values: Vec<f64> = figures
        .into_iter()
        .flatten()
        .filter_map(|figure| Some(evaluated(&expression(figure)?)?.value))
        .collect();
    let told = difference.get("value").and_then(Value::as_f64);
    let (Some(told), [first, .., last]) = (told, values.as_slice()) else { return };
    let apart = (last - first).abs();
    let unit = difference.get("unit").cloned().unwrap_or_default();
    let unit = survey::expression::Unit::deserialize(&unit).unwrap_or_default();
    let shown = difference.get("shown").and_then(Value::as_str).unwrap_or_default();
    let is_shown = [told, told.abs(), -told].iter().any(|value| unit.shown(*value) == shown);
    // A ratio and a growth are no differences.
    let is_apart =
        matches!(unit, survey::expression::Unit::Ratio | survey::expression::Unit::Growth)
            || is_near(told.abs(), apart);
    if !is_apart || !is_shown {
        findings.push(format!("a difference is given as {told} ({shown}), but is {apart}"));
    }
}

fn compare(told: &Told<'_>, again: &Recomputed, findings: &mut Vec<String>) {
    let mut wrong = |what: &str, told_as: String, is: String| {
        findings
            .push(format!("{}: its {what} is given as {told_as}, but is {is}", told.expression));
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
