//! Comparison of two evaluations, over the cases that both have.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::bootstrap::{self, Bounds};
use crate::dataset::Case;
use crate::observation::FOREIGN;
use crate::report::{
    ArmLine, CaseLine, DatasetLine, Difference, Group, JudgeReport, Mean, MetricLine, Report,
    ReportJudge,
};

#[cfg(test)]
mod tests;

/// The format version of a stored comparison.
pub const VERSION: u32 = 1;

/// A comparison of two evaluations. Differences are the second less the first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ComparedReports {
    pub version: u32,
    pub first: Side,
    pub second: Side,
    /// The metrics that both have under any of the arms, in display order.
    pub metrics: Vec<MetricLine>,
    pub arms: Vec<ComparedArms>,
    /// The settings that differ: by name, the value in the first and in the second, or `None` if it was not set.
    pub changed: BTreeMap<String, [Option<String>; 2]>,
    /// The cases of both.
    pub cases: Vec<ComparedCase>,
    pub notes: Vec<String>,
}

/// One of the two evaluations.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Side {
    pub id: String,
    pub created_at: Timestamp,
    pub dataset: DatasetLine,
    /// `model` or `offline`.
    pub mode: String,
    /// The number of cases that the other does not have.
    pub only_here: u64,
}

/// An arm of the first paired with an arm of the second.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ComparedArms {
    pub first: String,
    pub second: String,
    /// The means of both over the shared cases, by the metric's key.
    pub means: BTreeMap<String, [Mean; 2]>,
    pub differences: BTreeMap<String, Difference>,
}

/// A case that both have.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ComparedCase {
    /// As the second has it.
    pub case: Case,
    /// The results in the first and in the second, in the order of the arms.
    pub arms: Vec<[ArmLine; 2]>,
}

/// Why two evaluations cannot be compared.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum CompareError {
    #[error(
        "{first} and {second} have no case in common: no case has the same id and question in both. Compare evaluations of \
         the same dataset"
    )]
    NoSharedCase { first: String, second: String },
    #[error(
        "{first} (arms: {of_first}) and {second} (arms: {of_second}) have no arm in common; name one of each"
    )]
    NoSharedArm { first: String, of_first: String, second: String, of_second: String },
    #[error("{report} has no arm '{arm}'; its arms are {there}")]
    NoArm { report: String, arm: String, there: String },
}

/// Compares two evaluations: the arms of the same name, or the two named arms.
///
/// # Errors
/// If they share no case (by id and equal question), or no arm.
pub fn compare(
    first: &Report,
    second: &Report,
    named: Option<(&str, &str)>,
) -> Result<ComparedReports, CompareError> {
    let arms = match_arms(first, second, named)?;
    let theirs: HashMap<&str, &CaseLine> =
        first.cases.iter().map(|line| (line.case.id.as_str(), line)).collect();
    let mut shared: Vec<(&CaseLine, &CaseLine)> = Vec::new();
    let mut otherwise = 0_u64;
    for line in &second.cases {
        match theirs.get(line.case.id.as_str()) {
            Some(known) if known.case.question == line.case.question => shared.push((known, line)),
            Some(_) => otherwise += 1,
            None => {}
        }
    }
    if shared.is_empty() {
        let (first, second) = (first.id.clone(), second.id.clone());
        return Err(CompareError::NoSharedCase { first, second });
    }
    let judges = compare_judges(first.judge.as_ref(), second.judge.as_ref());
    let of_reports = judges_of_reports(first.report_judge.as_ref(), second.report_judge.as_ref());
    let table: Vec<MetricLine> = second
        .metrics
        .iter()
        .filter(|line| first.metrics.iter().any(|known| known.key == line.key))
        .filter(|line| line.group != Group::Judge || judges.is_worth_it)
        .filter(|line| line.group != Group::Reports || of_reports.is_worth_it)
        .cloned()
        .collect();
    let compared: Vec<ComparedArms> =
        arms.iter().map(|names| compared(*names, &shared, &table)).collect();
    let has = |key: &str| compared.iter().any(|arms| arms.differences.contains_key(key));
    let metrics = table.into_iter().filter(|line| has(&line.key)).collect();
    let mut notes = write_notes((first, second), &shared, otherwise);
    notes.extend(changed_reports(&arms, first, second));
    notes.extend(judges.notes);
    notes.extend(of_reports.notes);
    let cases = shared.iter().map(|(known, line)| ComparedCase {
        case: line.case.clone(),
        arms: arms
            .iter()
            .filter_map(|(one, other)| Some([arm(known, one)?.clone(), arm(line, other)?.clone()]))
            .collect(),
    });
    Ok(ComparedReports {
        version: VERSION,
        first: side(first, shared.len()),
        second: side(second, shared.len()),
        metrics,
        arms: compared,
        changed: changed(first, second),
        cases: cases.collect(),
        notes,
    })
}

/// Returns the pairs of arms to compare.
fn match_arms<'r>(
    first: &'r Report,
    second: &'r Report,
    named: Option<(&str, &str)>,
) -> Result<Vec<(&'r str, &'r str)>, CompareError> {
    let names = |report: &Report| {
        report.arms.iter().map(|arm| arm.name.clone()).collect::<Vec<_>>().join(", ")
    };
    let find = |report: &'r Report, name: &str| {
        let arm = report.arms.iter().find(|arm| arm.name == name);
        arm.map(|arm| arm.name.as_str()).ok_or_else(|| CompareError::NoArm {
            report: report.id.clone(),
            arm: name.to_owned(),
            there: names(report),
        })
    };
    if let Some((one, other)) = named {
        return Ok(vec![(find(first, one)?, find(second, other)?)]);
    }
    let same = second.arms.iter().filter_map(|arm| {
        let known = first.arms.iter().find(|known| known.name == arm.name)?;
        Some((known.name.as_str(), arm.name.as_str()))
    });
    let same: Vec<(&str, &str)> = same.collect();
    if same.is_empty() {
        return Err(CompareError::NoSharedArm {
            first: first.id.clone(),
            of_first: names(first),
            second: second.id.clone(),
            of_second: names(second),
        });
    }
    Ok(same)
}

fn arm<'c>(line: &'c CaseLine, name: &str) -> Option<&'c ArmLine> {
    line.arms.iter().find(|arm| arm.observation.arm == name)
}

fn compared(
    (one, other): (&str, &str),
    shared: &[(&CaseLine, &CaseLine)],
    table: &[MetricLine],
) -> ComparedArms {
    let mut arms = ComparedArms {
        first: one.to_owned(),
        second: other.to_owned(),
        means: BTreeMap::new(),
        differences: BTreeMap::new(),
    };
    for line in table {
        let value = |case: &CaseLine, name: &str| arm(case, name)?.metrics.get(&line.key).copied();
        let pairs: Vec<(f64, f64)> = shared
            .iter()
            .filter_map(|(known, line)| value(line, other).zip(value(known, one)))
            .collect();
        let bounds = Bounds::of(line.unit);
        let (seconds, firsts): (Vec<f64>, Vec<f64>) = pairs.iter().copied().unzip();
        let means = bootstrap::mean(&firsts, bounds).zip(bootstrap::mean(&seconds, bounds));
        let Some(((first, second), difference)) = means.zip(bootstrap::difference(&pairs, bounds))
        else {
            continue;
        };
        arms.means.insert(line.key.clone(), [first, second]);
        arms.differences.insert(line.key.clone(), difference);
    }
    arms
}

fn side(report: &Report, shared: usize) -> Side {
    Side {
        id: report.id.clone(),
        created_at: report.created_at,
        dataset: report.dataset.clone(),
        mode: report.mode.clone(),
        only_here: (report.cases.len().saturating_sub(shared)) as u64,
    }
}

fn changed(first: &Report, second: &Report) -> BTreeMap<String, [Option<String>; 2]> {
    let keys: BTreeSet<&String> = first.parameters.keys().chain(second.parameters.keys()).collect();
    keys.into_iter()
        .filter_map(|key| {
            let values = [first, second].map(|report| report.parameters.get(key).cloned());
            let [one, other] = &values;
            (one != other).then(|| (key.clone(), values))
        })
        .collect()
}

/// Whether two judges' scores can be compared, and the notes about them.
struct Judges {
    is_worth_it: bool,
    notes: Vec<String>,
}

fn compare_judges(first: Option<&JudgeReport>, second: Option<&JudgeReport>) -> Judges {
    let (Some(first), Some(second)) = (first, second) else {
        return Judges { is_worth_it: false, notes: Vec::new() };
    };
    let who = |judge: &JudgeReport| {
        format!("{}, rubric {} version {}", judge.model, judge.rubric, judge.rubric_version)
    };
    if who(first) != who(second) {
        let note = format!(
            "The judges differ ({}; and {}), so their scores are not compared.",
            who(first),
            who(second)
        );
        return Judges { is_worth_it: false, notes: vec![note] };
    }
    let noisy = first.is_noise || second.is_noise;
    let note = "In at least one of the two, the judge's scores cannot be distinguished from noise, so they are not compared.";
    Judges { is_worth_it: !noisy, notes: noisy.then(|| note.to_owned()).into_iter().collect() }
}

/// Compares judges of reports, whose criteria have a prompt of their own.
fn judges_of_reports(first: Option<&ReportJudge>, second: Option<&ReportJudge>) -> Judges {
    let criteria = |judge: &ReportJudge| (judge.criteria.clone(), judge.criteria_version);
    let alike = first.map(criteria) == second.map(criteria);
    let told = compare_judges(first.map(|one| &one.judge), second.map(|one| &one.judge));
    let both = first.is_some() && second.is_some();
    let otherwise = (both && !alike).then(|| {
        "The criteria for reports come from different prompts, so scores of reports are not compared.".to_owned()
    });
    let notes = told.notes.into_iter().map(|note| format!("On reports: {note}"));
    Judges { is_worth_it: told.is_worth_it && alike, notes: notes.chain(otherwise).collect() }
}

/// Returns notes on the reports of other programs that differ: their files decide what an arm is.
fn changed_reports(names: &[(&str, &str)], first: &Report, second: &Report) -> Vec<String> {
    let digest = |report: &Report, name: &str| {
        let arm = report.arms.iter().find(|arm| arm.name == name && arm.method == FOREIGN);
        arm.map(|arm| arm.settings)
    };
    let note = |(one, other): &(&str, &str)| {
        let (known, new) = digest(first, one).zip(digest(second, other))?;
        let what = if one == other { (*one).to_owned() } else { format!("{one} and {other}") };
        (known != new).then(|| format!("The reports of {what} are not the same files in the two."))
    };
    names.iter().filter_map(note).collect()
}

fn write_notes(
    (first, second): (&Report, &Report),
    shared: &[(&CaseLine, &CaseLine)],
    otherwise: u64,
) -> Vec<String> {
    let mut notes = Vec::new();
    if first.dataset.digest != second.dataset.digest {
        notes.push(format!(
            "The datasets differ ({} and {}). The {} cases that both have, by id and question, are compared.",
            first.dataset.name,
            second.dataset.name,
            shared.len()
        ));
    }
    if otherwise > 0 {
        notes.push(format!(
            "{otherwise} cases have the same id but a different question; they are left out."
        ));
    }
    let known_otherwise = shared.iter().filter(|(known, line)| known.case != line.case).count();
    if known_otherwise > 0 {
        notes.push(format!(
            "For {known_otherwise} cases the two have different answers, relevant documents or rubrics, and their figures \
             depend on these."
        ));
    }
    if first.dataset.documents != second.dataset.documents {
        notes.push(format!(
            "The documents differ: {} in the first, {} in the second.",
            first.dataset.documents, second.dataset.documents
        ));
    }
    if first.mode != second.mode {
        notes.push(format!(
            "The first ran in mode {}, the second in mode {}.",
            first.mode, second.mode
        ));
    }
    if shared.len() < 6 {
        notes.push(
            "With fewer than six cases, no difference can be distinguished from chance.".to_owned(),
        );
    }
    notes
}
