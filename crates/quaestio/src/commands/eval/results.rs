//! The results of an evaluation: its report and its files.

use std::collections::BTreeMap;

use eval::judge::{self, Judgement, Subject};
use eval::metrics;
use eval::observation::FOREIGN;
use eval::report::{ArmOf, Gathered, Report};
use eval::report_judge::{self, REPORT_CHARS};
use eval::runner::{Evaluated, Evaluation, ForeignArm};
use run::budget::dollars;
use serde_json::{Value, json};

use super::super::CliContext;
use super::folder::{Folder, Manifest, REPORT, RunEntry};
use super::judges::Judge;
use super::plan::Plan;
use super::show;
use crate::cli::Format;
use crate::config::Config;
use crate::failure::Failure;
use crate::output;

/// The files of an evaluation besides its manifest.
pub(super) const CASES: &str = "cases.jsonl";
pub(super) const MARKDOWN: &str = "report.md";
pub(super) const PAGE: &str = "report.html";

/// Returns the size of an evaluation in words.
pub(super) fn size(evaluation: &Evaluation) -> String {
    let Evaluation { cases, arms, foreign, judging, report_judging, .. } = evaluation;
    let foreign = foreign.iter().map(|arm| arm.name.as_str());
    let names: Vec<&str> = foreign.chain(arms.iter().map(|arm| arm.name.as_str())).collect();
    let judged = judging.as_ref().map_or_else(
        || "no judge".to_owned(),
        |judging| format!("judged {} times in each order", judging.rounds),
    );
    let of_reports = if report_judging.is_some() { ", reports by criteria as well" } else { "" };
    format!("{} cases under {}, {judged}{of_reports}", cases.len(), names.join(", "))
}

/// Returns in words how far an evaluation came.
pub(super) fn done(evaluated: &Evaluated) -> String {
    let Evaluated { observations, judgements, .. } = evaluated;
    let answers = observations.iter().filter(|one| !one.is_not_run()).count();
    let judged = judgements.iter().filter(|one| one.said.is_some()).count();
    format!("{answers} of {} answers and {judged} judgements are there", observations.len())
}

/// Returns the outcome for the manifest.
pub(super) fn outcome(evaluated: &Evaluated) -> Value {
    let Evaluated { observations, judgements, spent, .. } = evaluated;
    json!({
        "answers": observations.len(),
        "judgements": judgements.len(),
        "not_run": evaluated.not_run(),
        "failed": observations.iter().filter(|one| !one.run.is_empty() && one.error.is_some()).count(),
        "cached": observations.iter().filter(|one| one.cached).count(),
        "tokens": spent.tokens,
        "cost_usd": dollars(spent.cost_usd_micros),
    })
}

/// Returns the runs that the evaluation is based on, then those that it began in vain.
pub(super) fn runs(evaluated: &Evaluated, folder: &Folder) -> Vec<RunEntry> {
    let answers = evaluated.observations.iter().map(|one| RunEntry {
        run: one.run.clone(),
        case: one.case.clone(),
        purpose: one.arm.clone(),
    });
    let judgements = evaluated.judgements.iter().map(|one| RunEntry {
        run: one.run.clone(),
        case: one.case.clone(),
        purpose: one.subject.method().to_owned(),
    });
    let mut runs: Vec<RunEntry> =
        answers.chain(judgements).filter(|entry| !entry.run.is_empty()).collect();
    let begun = folder.begun().into_iter();
    let in_vain = begun.filter(|entry| runs.iter().all(|known| known.run != entry.run));
    let in_vain: Vec<RunEntry> = in_vain.collect();
    runs.extend(in_vain);
    runs
}

/// Writes the files of the evaluation.
pub(super) fn write(
    plan: &Plan,
    folder: &Folder,
    manifest: &Manifest,
    evaluated: &Evaluated,
    report: &Report,
) -> Result<(), Failure> {
    folder.write(REPORT, show::rendered(report, Format::Json).as_bytes())?;
    folder.write(MARKDOWN, show::rendered(report, Format::Md).as_bytes())?;
    folder.write(PAGE, show::rendered(report, Format::Html).as_bytes())?;
    folder.write(CASES, cases(plan, evaluated).as_bytes())?;
    folder.write_manifest(manifest)
}

/// Returns a line for each case: what was asked, what each arm answered from which documents, and what was judged.
fn cases(plan: &Plan, evaluated: &Evaluated) -> String {
    let mut page = String::new();
    for case in &plan.cases {
        let observations = evaluated.observations.iter().filter(|one| one.case == case.id);
        let judgements: Vec<&Judgement> =
            evaluated.judgements.iter().filter(|one| one.case == case.id).collect();
        let arms: Vec<Value> = observations
            .map(|observation| {
                let is_of = |one: &&&Judgement| {
                    matches!(&one.subject, Subject::Answer { arm } if *arm == observation.arm)
                };
                let scores: Vec<&&Judgement> = judgements.iter().filter(is_of).collect();
                json!({ "arm": observation.arm, "observation": observation, "judgements": scores })
            })
            .collect();
        let is_pair = |one: &&&Judgement| matches!(one.subject, Subject::Pair { .. });
        let pairs: Vec<&&Judgement> = judgements.iter().filter(is_pair).collect();
        let is_of_reports = |one: &&&Judgement| one.subject.is_of_reports();
        let reports: Vec<&&Judgement> = judgements.iter().filter(is_of_reports).collect();
        let line = json!({ "case": case, "arms": arms, "pairs": pairs, "reports": reports });
        page.push_str(&output::json_line(&line));
        page.push('\n');
    }
    page
}

/// Builds the report.
pub(super) fn reported(
    context: &CliContext<'_>,
    plan: &Plan,
    manifest: &Manifest,
    evaluated: &Evaluated,
) -> Report {
    let judged = plan.judge.as_ref().map(|judge| {
        let Judge { model, rubric_version, judging, .. } = judge;
        judge::gathered(&evaluated.judgements, model, *rubric_version, judging.rounds)
    });
    let judged_reports = plan.report_judge.as_ref().map(|of_reports| {
        let Judge { model, rubric_version, judging, .. } = &of_reports.judge;
        let versions = [of_reports.criteria_version, *rubric_version];
        report_judge::gathered(&evaluated.judgements, model, versions, judging.rounds)
    });
    let is_offline = plan.arms.iter().all(|made| made.arm.settings.models.is_none());
    let arms = plan.arms.iter().map(|made| ArmOf {
        name: made.arm.name.clone(),
        method: made.arm.method.clone(),
        settings: made.arm.decides,
    });
    let arms = arms.chain(plan.foreign.iter().map(|arm| ArmOf {
        name: arm.name.clone(),
        method: FOREIGN.to_owned(),
        settings: arm.decides,
    }));
    Report::of(Gathered {
        id: manifest.id.clone(),
        created_at: manifest.created_at,
        dataset: &plan.dataset,
        cases: &plan.cases,
        documents: plan.documents.map_or(0, |(_, number)| number),
        mode: if is_offline { "offline" } else { "model" }.to_owned(),
        parameters: parameters(&context.config, plan),
        arms: arms.collect(),
        observations: &evaluated.observations,
        judged: judged.as_ref(),
        judged_reports: judged_reports.as_ref(),
        cutoffs: &metrics::CUTOFFS,
        notes: [unchecked(plan), unsaid(evaluated), cut(plan, evaluated), capped(evaluated)]
            .concat(),
    })
}

/// Returns notes on what is not known of reports that other programs made.
fn unchecked(plan: &Plan) -> Vec<String> {
    let line = |arm: &ForeignArm| {
        format!(
            "The reports of {} were made by another program: nothing of them was checked, so they have no figures of claims, and their citations count as they are given.",
            arm.name
        )
    };
    plan.foreign.iter().map(line).collect()
}

/// Returns notes on how many judgements failed, and why.
fn unsaid(evaluated: &Evaluated) -> Vec<String> {
    let mut why: BTreeMap<&str, u64> = BTreeMap::new();
    for judgement in evaluated.judgements.iter().filter(|one| one.said.is_none()) {
        *why.entry(judgement.error.as_deref().unwrap_or("no word")).or_default() += 1;
    }
    let all = evaluated.judgements.len();
    let line = |(why, number)| format!("{number} of {all} judgements are not there: {why}");
    why.into_iter().map(line).collect()
}

/// Returns notes on the arms whose reports were too long for the judge to be shown whole.
fn cut(plan: &Plan, evaluated: &Evaluated) -> Vec<String> {
    if plan.report_judge.is_none() {
        return vec![];
    }
    let mut arms: BTreeMap<&str, u64> = BTreeMap::new();
    for one in evaluated.observations.iter().filter(|one| report_judge::Shown::of(one).is_cut) {
        *arms.entry(&one.arm).or_default() += 1;
    }
    let line = |(arm, number)| {
        format!(
            "{number} reports of {arm} were cut for the judge of reports, which was told so: it saw their first {REPORT_CHARS} characters."
        )
    };
    arms.into_iter().map(line).collect()
}

/// Returns notes on the arms whose answers were limited by a run's own caps.
fn capped(evaluated: &Evaluated) -> Vec<String> {
    let mut arms: BTreeMap<&str, u64> = BTreeMap::new();
    for one in evaluated.observations.iter().filter(|one| evaluated.capped.contains(&one.run)) {
        *arms.entry(&one.arm).or_default() += 1;
    }
    let line = |(arm, number)| {
        format!(
            "{number} answers of {arm} are poorer than they would be: budget.max_cost_usd or budget.max_tokens did not allow a run all that it wanted to ask."
        )
    };
    arms.into_iter().map(line).collect()
}

/// Returns the settings that all arms share, by the keys of the configuration.
fn parameters(config: &Config, plan: &Plan) -> BTreeMap<String, String> {
    let Config { models, embedder, ask, budget, eval, .. } = config;
    let budget = budget.budget();
    let cap = |cap: Option<u64>| cap.map_or_else(|| "none".to_owned(), |cap| cap.to_string());
    let usd = |cap: Option<u64>| {
        cap.map_or_else(|| "none".to_owned(), |micros| dollars(micros).to_string())
    };
    let word = |value: Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let mut parameters: Vec<(&str, String)> = vec![
        ("models.main", models.main.clone()),
        ("models.light", models.light.clone()),
        ("embedder.model", embedder.model.clone()),
        ("ask.retrieval", word(json!(ask.retrieval))),
        ("ask.top_k", ask.top_k.to_string()),
        ("ask.context_tokens", ask.context_tokens.to_string()),
        ("budget.max_cost_usd", usd(budget.max_cost_usd_micros)),
        ("budget.max_tokens", cap(budget.max_tokens)),
        ("eval.max_cost_usd", usd(plan.caps.max_cost_usd_micros)),
        ("eval.max_tokens", cap(plan.caps.max_tokens)),
        ("eval.judge_rounds", eval.judge_rounds.to_string()),
        ("eval.concurrency", eval.concurrency.to_string()),
    ];
    if let Some(place) = &plan.place {
        parameters.push(("collection", place.collection().to_owned()));
    }
    if let Some((digest, _)) = plan.documents {
        parameters.push(("documents", digest.to_string()));
    }
    let said = parameters.into_iter().filter(|(_, value)| !value.is_empty());
    said.map(|(key, value)| (key.to_owned(), value)).collect()
}
