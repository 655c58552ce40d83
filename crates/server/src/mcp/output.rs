//! A run as the result of a tool.

use ::app::ExportOrder;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;

use rmcp::model::{CallToolResult, ContentBlock, Resource};
use run::budget::dollars;
use run::entry::{Entry, Event, Outcome};
use run::ledger::Citation;
use run::log::Status;
use run::plan::Plan;
use run::views::{self, Gate, Labels};
use schemars::JsonSchema;
use serde::Serialize;

use super::resources::encode;
use crate::api::OpenGate;
use crate::problem::Problem;
use crate::state::App;

/// The format of the report.
const MARKDOWN: &str = "md";

/// Where a run stands, with its report once it has ended.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(super) struct RunOutput {
    run_id: String,
    method: String,
    question: String,
    /// `queued`, `running`, `waiting` for a person, `completed`, `partial` or `cancelled`.
    status: &'static str,
    /// What to do next; none where there is nothing to do.
    next: Option<String>,
    /// What a person is asked, where the run waits.
    gates: Vec<OpenGate>,
    /// What it came to: `answered`, `not_enough_evidence` or `not_reached`; none before the end.
    outcome: Option<&'static str>,
    /// The report in Markdown, its marks leading to `citations`; none before the end.
    report: Option<String>,
    citations: Vec<Cited>,
    /// How many sentences stand in the report, by verdict.
    verdicts: BTreeMap<&'static str, u64>,
    /// What a reader of the report should know.
    warnings: Vec<String>,
    /// Why it ended before its report was whole, or cannot go on here.
    problem: Option<String>,
    tokens: u64,
    cost_usd: f64,
}

/// A source that the report cites.
#[derive(Debug, Clone, Serialize, JsonSchema)]
struct Cited {
    /// Its mark in the report, such as `7a`: source 7, the first statement that is cited of it.
    label: String,
    /// Its number in the result as JSON.
    number: u32,
    title: String,
    section: String,
    page: Option<u32>,
    source_uri: String,
    /// The words of the source.
    quote: String,
    verdict: &'static str,
    /// Where it leads in the run, for `passage`.
    address: Option<String>,
}

/// What is needed to tell of a run.
pub(super) struct Told {
    pub(super) entries: Vec<Entry>,
    output: RunOutput,
    links: Vec<Resource>,
}

impl Told {
    /// Returns the gates where the run waits.
    pub(super) fn gates(&self) -> Vec<Gate<'_>> {
        views::open_gates(&self.entries)
    }

    /// Returns the result of a tool: for a reader, and as data.
    pub(super) fn result(self) -> CallToolResult {
        let Told { output, links, .. } = self;
        let mut content = vec![ContentBlock::text(output.text())];
        content.extend(links.into_iter().map(ContentBlock::resource_link));
        let mut result = CallToolResult::success(content);
        result.structured_content = serde_json::to_value(&output).ok();
        result
    }
}

/// Reads where a run stands.
pub(super) async fn tell(app: &App, user: &str, run: &str) -> Result<Told, Problem> {
    let summary = app.log.summary(user, run).await?;
    let entries = app.log.entries(user, run, 0).await?;
    let hindrance = app.queue.hindrance(user, run).filter(|_| !summary.status.is_final());
    let report = match summary.status.is_final() {
        false => None,
        true => {
            let backend = Arc::clone(&app.backend);
            let export = backend.export(run, &entries, &ExportOrder::of(MARKDOWN)).await?;
            Some(String::from_utf8_lossy(&export.bytes).into_owned())
        }
    };
    let ledger = views::ledger(&entries);
    let cited = views::citations(ledger);
    let mut verdicts = BTreeMap::new();
    for claim in ledger.iter().filter(|claim| claim.shown.is_some()) {
        *verdicts.entry(claim.verdict.name()).or_default() += 1;
    }
    let (warnings, stopped) = match entries.last().map(|entry| &entry.event) {
        Some(Event::Finished { warnings, .. }) => (warnings.clone(), None),
        Some(Event::Stopped { partial, stage, reason, .. }) => {
            let warnings = partial.as_ref().map(|partial| partial.warnings.clone());
            (warnings.unwrap_or_default(), Some(format!("stopped at {stage}: {reason}")))
        }
        _ => (vec![], None),
    };
    let gates: Vec<OpenGate> = views::open_gates(&entries).iter().map(OpenGate::of).collect();
    let labels = views::labels(&entries);
    let links = list_links(run, summary.status, &cited, &labels);
    let output = RunOutput {
        run_id: run.to_owned(),
        method: summary.method,
        question: summary.question,
        status: summary.status.name(),
        next: next(summary.status, &gates, hindrance.is_some()),
        gates,
        outcome: views::outcome(&entries).map(name_outcome),
        report,
        citations: cited.into_iter().filter_map(|one| Cited::of(one, &labels)).collect(),
        verdicts,
        warnings,
        problem: hindrance.or(stopped),
        tokens: summary.tokens,
        cost_usd: dollars(summary.cost_usd_micros),
    };
    Ok(Told { entries, output, links })
}

fn name_outcome(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Answered => "answered",
        Outcome::NotEnoughEvidence => "not_enough_evidence",
        Outcome::NotReached => "not_reached",
    }
}

fn next(status: Status, gates: &[OpenGate], is_hindered: bool) -> Option<String> {
    match status {
        Status::Waiting if gates.iter().any(|gate| gate.plan.is_some()) => Some(
            "show the plan to your user; call approve with the gate's revision and plan_hash if they agree, or cancel".into(),
        ),
        Status::Waiting => Some("ask your user, and call answer with what they say".into()),
        Status::Queued | Status::Running if !is_hindered => {
            Some("call run_status with this run_id and a wait_seconds of 50".into())
        }
        _ => None,
    }
}

/// Returns links to the report and to what it cites, each once.
fn list_links(run: &str, status: Status, cited: &[&Citation], labels: &Labels) -> Vec<Resource> {
    if !status.is_final() {
        return vec![];
    }
    let report = Resource::new(format!("run://{run}"), format!("Report of run {run}"));
    let mut links = vec![report.with_mime_type("text/markdown")];
    for citation in cited {
        let Some(uri) = address_of(&citation.source_uri) else { continue };
        if links.iter().any(|known| known.uri == uri) {
            continue;
        }
        let name = if citation.title.is_empty() { uri.clone() } else { citation.title.clone() };
        let number = labels.find(citation.number.unwrap_or_default()).source;
        links.push(Resource::new(uri, name).with_description(format!("cited as [{number}]")));
    }
    links
}

/// Returns where the source of evidence can be read; `None` for what has no place of its own.
pub(super) fn address_of(source_uri: &str) -> Option<String> {
    let scheme = source_uri.split_once(':').map(|(scheme, _)| scheme);
    match scheme {
        Some("http" | "https") => Some(source_uri.to_owned()),
        Some("doc" | "survey") => Some(encode(source_uri)),
        Some("doi") => Some(format!("https://doi.org/{}", source_uri.get(4..)?)),
        Some("arxiv") => Some(format!("https://arxiv.org/abs/{}", source_uri.get(6..)?)),
        _ => None,
    }
}

impl Cited {
    fn of(citation: &Citation, labels: &Labels) -> Option<Cited> {
        Some(Cited {
            label: labels.find(citation.number?).to_string(),
            number: citation.number?,
            title: citation.title.clone(),
            section: citation.section.clone(),
            page: citation.page,
            source_uri: citation.source_uri.clone(),
            quote: citation.quote.clone(),
            verdict: citation.verdict.name(),
            address: citation.address.clone(),
        })
    }
}

impl RunOutput {
    /// Returns it for a reader: the report, or where the run stands.
    fn text(&self) -> String {
        let RunOutput { run_id, status, .. } = self;
        let mut text = match &self.report {
            Some(report) => format!("{}\n\nrun {run_id}: {status}", report.trim_end()),
            None => format!("run {run_id}: {status}"),
        };
        for gate in &self.gates {
            let _ = write!(text, "\n\n{} (gate '{}')", gate.question, gate.gate);
            if !gate.context.is_empty() {
                let _ = write!(text, "\n{}", gate.context);
            }
            if let Some(plan) = &gate.plan {
                let _ = write!(text, "\n\n{}", describe(plan));
            }
        }
        for line in self.problem.iter().chain(&self.next) {
            let _ = write!(text, "\n{line}");
        }
        text
    }
}

/// Returns a plan for a reader.
pub(super) fn describe(plan: &Plan) -> String {
    let mut text = plan.title.clone();
    for (number, step) in (1..).zip(&plan.steps) {
        let _ = write!(text, "\n{number}. {}", step.name);
        if !step.description.is_empty() {
            let _ = write!(text, ": {}", step.description);
        }
    }
    text
}
