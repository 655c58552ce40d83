//! A report in MLflow's terms: parameters, metrics, tags and the dataset, each within MLflow's limits.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::observation::CONTROL;
use crate::report::{Arm, Comparison, Report, ReportJudge};

use super::{ARM, EVALUATION};

/// The most that one request may log.
pub(super) const PARAMS_AT_ONCE: usize = 100;
pub(super) const TAGS_AT_ONCE: usize = 100;
pub(super) const METRICS_AT_ONCE: usize = 1_000;

/// MLflow's limits, in characters.
const LONGEST_KEY: usize = 250;
const LONGEST_PARAM: usize = 6_000;
const LONGEST_TAG: usize = 5_000;
const LONGEST_DATASET_NAME: usize = 500;
const LONGEST_DIGEST: usize = 36;

/// The parameters and metrics logged in a run.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Rows {
    pub(super) params: BTreeMap<String, String>,
    pub(super) metrics: BTreeMap<String, f64>,
}

impl Rows {
    fn param(&mut self, name: &str, value: &str) {
        self.params.insert(key(name), cut(value, LONGEST_PARAM));
    }

    /// Adds a figure; one that is not finite is left out.
    fn metric(&mut self, name: &str, value: f64) {
        if value.is_finite() {
            self.metrics.insert(key(name), value);
        }
    }

    fn interval(&mut self, name: &str, value: f64, low: f64, high: f64) {
        self.metric(name, value);
        self.metric(&format!("{name}_low"), low);
        self.metric(&format!("{name}_high"), high);
    }

    fn setting(report: &Report) -> Rows {
        let mut rows = Rows::default();
        rows.param("mode", &report.mode);
        rows.param("dataset", &report.dataset.name);
        rows.param("dataset_digest", &report.dataset.digest.to_string());
        for (name, value) in &report.parameters {
            rows.param(name, value);
        }
        rows
    }
}

/// Returns what applies to all arms, and the agreement of the judge.
pub(super) fn of_evaluation(report: &Report) -> Rows {
    let mut rows = Rows::setting(report);
    rows.metric("cases", report.dataset.cases as f64);
    rows.metric("documents", report.dataset.documents as f64);
    let Some(judge) = &report.judge else { return rows };
    rows.param("judge.model", &judge.model);
    rows.param("judge.rubric", &judge.rubric);
    rows.param("judge.rubric_version", &judge.rubric_version.to_string());
    rows.param("judge.rounds", &judge.rounds.to_string());
    for (name, agreement) in
        [("judge_score_agreement", judge.scores), ("judge_preference_agreement", judge.preferences)]
    {
        if let Some((agreement, alpha)) = agreement.and_then(|it| Some((it, it.alpha?))) {
            rows.interval(name, alpha, agreement.low, agreement.high);
        }
    }
    if let Some(first) = judge.first_preferred {
        rows.interval("judge_first_preferred", first.value, first.low, first.high);
    }
    rows.metric("judge_is_noise", f64::from(u8::from(judge.is_noise)));
    rows.metric("judge_calls", judge.calls as f64);
    rows.metric("judge_cost_usd", judge.cost_usd_micros as f64 / 1e6);
    if let Some(of_reports) = &report.report_judge {
        judge_of_reports(&mut rows, of_reports);
    }
    rows
}

fn judge_of_reports(rows: &mut Rows, of_reports: &ReportJudge) {
    let ReportJudge { judge, criteria, criteria_version, .. } = of_reports;
    rows.param("report_judge.model", &judge.model);
    rows.param("report_judge.criteria", criteria);
    rows.param("report_judge.criteria_version", &criteria_version.to_string());
    rows.param("report_judge.rubric", &judge.rubric);
    rows.param("report_judge.rubric_version", &judge.rubric_version.to_string());
    rows.metric("report_judge_is_noise", f64::from(u8::from(judge.is_noise)));
    rows.metric("report_judge_calls", judge.calls as f64);
    rows.metric("report_judge_cost_usd", judge.cost_usd_micros as f64 / 1e6);
}

/// Returns the results of an arm: its means, and its differences from the control.
pub(super) fn of_arm(report: &Report, arm: &Arm) -> Rows {
    let mut rows = Rows::setting(report);
    rows.param("arm", &arm.name);
    rows.param("method", &arm.method);
    rows.param("control", if arm.control { "true" } else { "false" });
    rows.param("settings", &arm.settings.to_string());
    for (name, mean) in &arm.means {
        rows.interval(name, mean.value, mean.low, mean.high);
    }
    rows.metric("cases_completed", arm.completed as f64);
    rows.metric("cases_failed", arm.failed as f64);
    rows.metric("cases_not_run", arm.not_run as f64);
    for comparison in report.comparisons.iter().filter(|comparison| comparison.arm == arm.name) {
        compare(&mut rows, comparison);
    }
    rows
}

fn compare(rows: &mut Rows, comparison: &Comparison) {
    let against = &comparison.against;
    for (name, difference) in &comparison.differences {
        let name = format!("{name}_less_{against}");
        rows.interval(&name, difference.value, difference.low, difference.high);
    }
    let Some(preferred) = &comparison.preferred else { return };
    let name = format!("preferred_to_{against}");
    rows.interval(&name, preferred.share.value, preferred.share.low, preferred.share.high);
    rows.metric(&format!("{name}_wins"), preferred.wins as f64);
    rows.metric(&format!("{name}_losses"), preferred.losses as f64);
    rows.metric(&format!("{name}_ties"), preferred.ties as f64);
}

/// Returns the tags of the evaluation's run.
pub(super) fn evaluation_tags(report: &Report) -> BTreeMap<String, String> {
    let mut tags = common_tags(report);
    let verdict = report.judge.as_ref().map(|judge| judge.verdict.clone());
    let notes: Vec<String> = report.notes.iter().cloned().chain(verdict).collect();
    if !notes.is_empty() {
        // MLflow shows this above a run, as Markdown.
        let notes: Vec<String> = notes.iter().map(|note| format!("- {note}")).collect();
        tags.insert("mlflow.note.content".into(), cut(&notes.join("\n"), LONGEST_TAG));
    }
    tags
}

/// Returns the tags of an arm's run.
pub(super) fn arm_tags(report: &Report, arm: &Arm, parent: &str) -> BTreeMap<String, String> {
    let mut tags = common_tags(report);
    tags.insert("mlflow.parentRunId".into(), parent.to_owned());
    tags.insert(ARM.into(), cut(&arm.name, LONGEST_TAG));
    tags.insert("quaestio.method".into(), cut(&arm.method, LONGEST_TAG));
    tags.insert("quaestio.control".into(), (arm.name == CONTROL || arm.control).to_string());
    let lines = report.cases.iter().flat_map(|case| &case.arms);
    let runs = lines.map(|line| &line.observation).filter(|seen| seen.arm == arm.name);
    let mut listed = String::new();
    for run in runs.map(|seen| seen.run.as_str()).filter(|run| !run.is_empty()) {
        // As many as fit; the files name them all.
        if listed.len() + run.len() < LONGEST_TAG {
            listed.push_str(if listed.is_empty() { "" } else { " " });
            listed.push_str(run);
        }
    }
    tags.insert("quaestio.runs".into(), listed);
    tags
}

fn common_tags(report: &Report) -> BTreeMap<String, String> {
    let tags = [
        (EVALUATION, report.id.clone()),
        ("quaestio.version", env!("CARGO_PKG_VERSION").to_owned()),
        ("quaestio.mode", report.mode.clone()),
        ("quaestio.dataset", report.dataset.name.clone()),
        ("quaestio.dataset_digest", report.dataset.digest.to_string()),
        ("mlflow.source.name", "quaestio".to_owned()),
        ("mlflow.source.type", "LOCAL".to_owned()),
    ];
    tags.into_iter().map(|(name, value)| (name.to_owned(), cut(&value, LONGEST_TAG))).collect()
}

/// Returns the dataset as an input of a run.
pub(super) fn dataset(report: &Report) -> Value {
    let dataset = &report.dataset;
    let digest = dataset.digest.to_string();
    let source = json!({ "name": dataset.name, "digest": digest }).to_string();
    let profile = json!({ "cases": dataset.cases, "documents": dataset.documents }).to_string();
    let short: String = digest.chars().take(LONGEST_DIGEST).collect();
    json!({
        "tags": [{ "key": "mlflow.data.context", "value": "evaluation" }],
        "dataset": {
            "name": cut(&dataset.name, LONGEST_DATASET_NAME),
            "digest": short,
            "source_type": "local",
            "source": source,
            "profile": profile,
        },
    })
}

/// Returns keys and values in MLflow's list form.
pub(super) fn listed(pairs: &BTreeMap<String, String>) -> Vec<Value> {
    pairs.iter().map(|(key, value)| json!({ "key": key, "value": value })).collect()
}

/// Returns a name in the form MLflow accepts: letters, digits and `_-. :/`, and no path that leads elsewhere.
pub(super) fn key(name: &str) -> String {
    let fits = |letter: char| letter.is_ascii_alphanumeric() || "_-. :".contains(letter);
    let name: String =
        name.chars().take(LONGEST_KEY).map(|it| if fits(it) { it } else { '_' }).collect();
    // Some of MLflow's stores use it as a file name.
    if name.trim_matches(['.', ' ']).is_empty() {
        format!("_{name}").replace('.', "_")
    } else {
        name
    }
}

/// Truncates a text that is too long, and marks the cut.
fn cut(text: &str, longest: usize) -> String {
    if text.chars().count() <= longest {
        return text.to_owned();
    }
    text.chars().take(longest.saturating_sub(1)).chain(['…']).collect()
}
