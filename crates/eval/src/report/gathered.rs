//! Builds a report from the gathered results.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use jiff::Timestamp;
use run::entry::Hash;
use run::log::Status;

use super::{
    Arm, ArmLine, CaseLine, Comparison, DatasetLine, Difference, Group, JudgeReport, Judged,
    JudgedPair, JudgedReports, Mean, MetricLine, MetricUnit, Preferred, Report, ReportJudge,
    Scored, SideBySide, VERSION,
};
use crate::bootstrap::{self, Bounds};
use crate::dataset::{Case, Dataset};
use crate::observation::{CONTROL, Observation, not_begun};
use crate::{agreement, metrics};

#[cfg(test)]
mod tests;

/// The input of a report.
#[derive(Debug, Clone)]
pub struct Gathered<'a> {
    /// The id of the evaluation.
    pub id: String,
    pub created_at: Timestamp,
    pub dataset: &'a Dataset,
    /// The cases to ask, in their order; all of the dataset's, or some of them.
    pub cases: &'a [Case],
    /// The number of documents in the corpus, or in the collection that was asked.
    pub documents: u64,
    /// `model` or `offline`.
    pub mode: String,
    pub parameters: BTreeMap<String, String>,
    /// In the order in which they were given. The one named [`CONTROL`] is the control.
    pub arms: Vec<ArmOf>,
    /// Observations of any case under any arm; a case without one was not started.
    pub observations: &'a [Observation],
    /// `None` without a judge.
    pub judged: Option<&'a Judged>,
    /// `None` without a judge of reports.
    pub judged_reports: Option<&'a JudgedReports>,
    /// The cutoff ranks of retrieval metrics: [`metrics::CUTOFFS`].
    pub cutoffs: &'a [u32],
    /// Further notes for the reader.
    pub notes: Vec<String>,
}

/// An arm without results.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArmOf {
    pub name: String,
    pub method: String,
    /// The digest of the order that every case was given, without the question.
    pub settings: Hash,
}

impl Report {
    /// Builds the report of an evaluation. The same runs and judgements, in any order, make the same report.
    pub fn of(gathered: Gathered<'_>) -> Report {
        let mut asked = gathered.arms.clone();
        asked.sort_by_key(|arm| arm.name == CONTROL);
        let cases = lines(&gathered, &asked);
        let columns = Columns::of(&cases);
        let criteria = collect_criteria(gathered.judged);
        let table = metrics::table(gathered.cutoffs, &criteria);
        let shows_texts = has_reports(&cases);
        let table: Vec<MetricLine> = table
            .into_iter()
            .filter(|line| line.group != Group::Text || shows_texts)
            .filter(|line| columns.tells(line))
            .collect();
        let arms: Vec<Arm> =
            asked.iter().map(|arm| arm_of(arm, &cases, &columns, &table)).collect();
        let comparisons = asked
            .iter()
            .filter(|arm| arm.name != CONTROL && asked.iter().any(|arm| arm.name == CONTROL))
            .map(|arm| Comparison {
                arm: arm.name.clone(),
                against: CONTROL.to_owned(),
                differences: columns.differences((&arm.name, CONTROL), &table),
                preferred: gathered.judged.and_then(|judged| preferred(&judged.pairs, &arm.name)),
            })
            .collect();
        let mut notes = write_notes(&gathered, &arms);
        notes.extend(of_the_runs(&cases, gathered.cutoffs));
        let Gathered { id, created_at, dataset, documents, mode, parameters, .. } = gathered;
        Report {
            version: VERSION,
            id,
            created_at,
            dataset: DatasetLine {
                name: dataset.name.clone(),
                digest: dataset.digest,
                cases: cases.len() as u64,
                documents,
            },
            mode,
            parameters,
            arms,
            metrics: table,
            comparisons,
            judge: gathered.judged.map(judge),
            report_judge: gathered.judged_reports.map(report_judge),
            cases,
            notes,
        }
    }
}

/// Returns the cases with their results under every arm.
fn lines(gathered: &Gathered<'_>, arms: &[ArmOf]) -> Vec<CaseLine> {
    let observations: HashMap<(&str, &str), &Observation> = gathered
        .observations
        .iter()
        .map(|one| ((one.case.as_str(), one.arm.as_str()), one))
        .collect();
    let mut scores: HashMap<(&str, &str), Vec<&Scored>> = HashMap::new();
    for one in gathered.judged.iter().flat_map(|judged| &judged.scores) {
        scores.entry((&one.case, &one.arm)).or_default().push(one);
    }
    let mut reports: BTreeMap<&str, Vec<SideBySide>> = BTreeMap::new();
    for one in gathered.judged_reports.iter().flat_map(|judged| &judged.pairs) {
        reports.entry(&one.case).or_default().push(one.clone());
    }
    for pairs in reports.values_mut() {
        pairs.sort_by(|one, other| {
            let key = |one: &SideBySide| (one.arm.clone(), one.round, !one.arm_first);
            key(one).cmp(&key(other))
        });
    }
    let line = |case: &Case| {
        let reports = reports.get(case.id.as_str()).cloned().unwrap_or_default();
        let arms = arms.iter().map(|arm| {
            let key = (case.id.as_str(), arm.name.as_str());
            let observation = observations.get(&key).map_or_else(
                || not_begun(&case.id, &arm.name),
                |observation| (*observation).clone(),
            );
            let mut metrics = metrics::of(case, &observation, gathered.cutoffs);
            let mut scores = scores.get(&key).cloned().unwrap_or_default();
            scores.sort_by_key(|one| one.round);
            metrics.extend(metrics::of_the_judge(scores.into_iter()));
            let own: Vec<&SideBySide> = reports
                .iter()
                .filter(|one| one.arm == arm.name && one.against == CONTROL)
                .collect();
            metrics.extend(metrics::beside_the_control(&own));
            ArmLine { observation, metrics }
        });
        let arms = arms.collect();
        CaseLine { case: case.clone(), arms, reports }
    };
    gathered.cases.iter().map(line).collect()
}

/// Returns whether any answer is a report: it has sections, or its run marks it as one.
///
/// For answers of a sentence or two, word counts and reading ease say nothing and only lengthen the page.
fn has_reports(cases: &[CaseLine]) -> bool {
    let has = |line: &ArmLine| {
        line.observation.research.is_some()
            || line.metrics.get("sections").is_some_and(|it| *it > 0.0)
    };
    cases.iter().flat_map(|line| &line.arms).any(has)
}

/// The values of every metric under every arm, by case.
pub(crate) struct Columns<'a> {
    rows: Vec<BTreeMap<&'a str, &'a BTreeMap<String, f64>>>,
}

impl<'a> Columns<'a> {
    pub(crate) fn of(cases: &'a [CaseLine]) -> Columns<'a> {
        let row = |line: &'a CaseLine| {
            line.arms.iter().map(|arm| (arm.observation.arm.as_str(), &arm.metrics)).collect()
        };
        Columns { rows: cases.iter().map(row).collect() }
    }

    fn value(row: &BTreeMap<&str, &BTreeMap<String, f64>>, arm: &str, key: &str) -> Option<f64> {
        row.get(arm)?.get(key).copied()
    }

    fn values(&self, arm: &str, key: &str) -> Vec<f64> {
        self.rows.iter().filter_map(|row| Self::value(row, arm, key)).collect()
    }

    /// Returns whether a metric is worth showing: any arm has it and, if it is a count, any value exceeds 0. This hides calls without a
    /// model and citations of arms that never cite.
    fn tells(&self, line: &MetricLine) -> bool {
        let mut values =
            self.rows.iter().flat_map(BTreeMap::values).filter_map(|row| row.get(&line.key));
        match line.unit {
            MetricUnit::Tokens | MetricUnit::Count | MetricUnit::Usd | MetricUnit::Words => {
                values.any(|value| *value > 0.0)
            }
            _ => values.next().is_some(),
        }
    }

    pub(crate) fn means(&self, arm: &str, table: &[MetricLine]) -> BTreeMap<String, Mean> {
        let mean = |line: &MetricLine| {
            let values = self.values(arm, &line.key);
            let mean = match line.group {
                Group::Reports => bootstrap::leaning(&values),
                _ => bootstrap::mean(&values, Bounds::of(line.unit)),
            };
            Some((line.key.clone(), mean?))
        };
        table.iter().filter_map(mean).collect()
    }

    fn differences(
        &self,
        (one, other): (&str, &str),
        table: &[MetricLine],
    ) -> BTreeMap<String, Difference> {
        let difference = |line: &MetricLine| {
            let pair =
                |row| Self::value(row, one, &line.key).zip(Self::value(row, other, &line.key));
            let pairs: Vec<(f64, f64)> = self.rows.iter().filter_map(pair).collect();
            Some((line.key.clone(), bootstrap::difference(&pairs, Bounds::of(line.unit))?))
        };
        table.iter().filter_map(difference).collect()
    }
}

fn arm_of(arm: &ArmOf, cases: &[CaseLine], columns: &Columns<'_>, table: &[MetricLine]) -> Arm {
    let ArmOf { name, method, settings } = arm.clone();
    let own = cases.iter().flat_map(|line| &line.arms).filter(|line| line.observation.arm == name);
    let (mut completed, mut failed, mut not_run) = (0, 0, 0);
    for line in own {
        match line.observation.status {
            Some(Status::Completed) => completed += 1,
            Some(_) => failed += 1,
            None => not_run += 1,
        }
    }
    let means = columns.means(&name, table);
    Arm { control: name == CONTROL, name, method, settings, means, completed, failed, not_run }
}

fn collect_criteria(judged: Option<&Judged>) -> Vec<String> {
    let scores = judged.iter().flat_map(|judged| &judged.scores);
    let criteria: BTreeSet<&String> = scores.flat_map(|one| one.scores.keys()).collect();
    criteria.into_iter().cloned().collect()
}

fn judge(judged: &Judged) -> JudgeReport {
    let scores = agreement::of_scores(&judged.scores);
    let preferences = agreement::of_preferences(&judged.pairs);
    let first_preferred = agreement::first_preferred(&judged.pairs);
    let (verdict, is_noise) =
        agreement::verdict(scores.as_ref(), preferences.as_ref(), first_preferred.as_ref());
    JudgeReport {
        model: judged.model.clone(),
        rubric: judged.rubric.clone(),
        rubric_version: judged.rubric_version,
        rounds: judged.rounds,
        scores,
        preferences,
        first_preferred,
        verdict,
        is_noise,
        cost_usd_micros: judged.cost_usd_micros,
        calls: judged.calls,
    }
}

fn report_judge(judged: &JudgedReports) -> ReportJudge {
    let JudgedReports { pairs, criteria, criteria_version, .. } = judged;
    ReportJudge {
        judge: judge(&Judged {
            model: judged.model.clone(),
            rubric: judged.rubric.clone(),
            rubric_version: judged.rubric_version,
            rounds: judged.rounds,
            scores: vec![],
            pairs: agreement::preferences_of(pairs),
            cost_usd_micros: judged.cost_usd_micros,
            calls: judged.calls,
        }),
        criteria: criteria.clone(),
        criteria_version: *criteria_version,
        orders: agreement::of_orders(pairs),
    }
}

/// Returns how often an arm was preferred to the control. A case that was shown in only one order is skipped.
fn preferred(pairs: &[JudgedPair], arm: &str) -> Option<Preferred> {
    let mut cases: BTreeMap<&str, [Vec<f64>; 2]> = BTreeMap::new();
    for one in pairs.iter().filter(|one| one.arm == arm && one.against == CONTROL) {
        let [first, last] = cases.entry(&one.case).or_default();
        if one.arm_first { first } else { last }.push(agreement::leaning(one));
    }
    let (mut wins, mut losses, mut ties) = (0, 0, 0);
    let mut shares = Vec::new();
    for [first, last] in cases.values() {
        let Some((first, last)) = metrics::mean(first).zip(metrics::mean(last)) else { continue };
        let lean = first + last;
        let (count, share) = if lean > 0.0 {
            (&mut wins, 1.0)
        } else if lean < 0.0 {
            (&mut losses, 0.0)
        } else {
            (&mut ties, 0.5)
        };
        *count += 1;
        shares.push(share);
    }
    let share = bootstrap::leaning(&shares)?;
    Some(Preferred { wins, losses, ties, share })
}

/// Returns notes from the runs: calls counted at their worst case, searches that found fewer documents than a cutoff.
fn of_the_runs(cases: &[CaseLine], cutoffs: &[u32]) -> Vec<String> {
    let observations = || cases.iter().flat_map(|line| &line.arms).map(|arm| &arm.observation);
    let mut notes = Vec::new();
    let lost: u64 = observations().map(|one| one.lost_calls).sum();
    if lost > 0 {
        notes.push(format!(
            "{lost} calls were lost or interrupted and are counted at the most they may have cost. The true number and cost \
             are lower."
        ));
    }
    let most = observations().filter_map(|one| Some(one.retrieved.as_ref()?.len())).max();
    let deepest = cutoffs.iter().max().copied();
    if let (Some(most), Some(deepest)) = (most, deepest)
        && (most as u64) < u64::from(deepest)
    {
        notes.push(format!(
            "No search returned more than {most} documents (`ask.top_k`), so figures at {deepest} are computed from these."
        ));
    }
    notes
}

/// Returns what a reader must know to interpret the figures.
fn write_notes(gathered: &Gathered<'_>, arms: &[Arm]) -> Vec<String> {
    let mut notes = Vec::new();
    let (asked, all) = (gathered.cases.len(), gathered.dataset.cases.len());
    if asked < all {
        notes.push(format!("Only {asked} of the dataset's {all} cases were selected."));
    }
    for arm in arms {
        let name = &arm.name;
        if arm.not_run > 0 {
            notes.push(format!(
                "{} of {asked} cases were not run under {name}; its figures are computed from the others.",
                arm.not_run
            ));
        }
        if arm.failed > 0 {
            notes.push(format!(
                "{} of {asked} cases have no result under {name}; figures about answers are computed from the others.",
                arm.failed
            ));
        }
    }
    if gathered.mode == "offline" && arms.iter().any(|arm| arm.control) {
        notes.push(format!(
            "No model was asked, so the control ({CONTROL}) could not answer any case. Figures for it, and differences from \
             it, say nothing about a model."
        ));
    }
    if !arms.iter().any(|arm| arm.control) {
        notes.push(format!(
            "The control ({CONTROL}) is not one of the arms, so nothing is compared."
        ));
    }
    if (1..6).contains(&asked) {
        notes.push(
            "With fewer than six cases, no difference can be distinguished from chance.".to_owned(),
        );
    }
    notes.extend(gathered.dataset.notes.iter().map(|note| format!("Dataset: {note}.")));
    notes.extend(gathered.notes.iter().cloned());
    notes
}
