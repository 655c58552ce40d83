//! `quaestio runs list` and `runs show`.

use std::collections::BTreeSet;

use run::budget::dollars;
use run::grounding::clean;
use run::log::{Listing as Asked, Log, LogError, RunSummary, Status};
use run::views::{self, PlanState};
use serde_json::{Value, json};

use super::{CliContext, gates, started};
use crate::failure::{Exit, Failure};
use crate::listing::{self, Listing};
use crate::names::is_of_evaluation;
use crate::output;

/// The state of a run whose process is gone, in words.
const INTERRUPTED: &str = "interrupted";

/// How many runs are read at a time.
const LOT: u32 = 200;

/// Which runs are listed.
pub(super) struct Wanted {
    pub(super) limit: u32,
    pub(super) offset: u32,
    /// Whether the runs of evaluations are among them.
    pub(super) all: bool,
}

/// Returns the newest runs, those of evaluations left out.
pub(super) async fn everyday(
    log: &dyn Log,
    user: &str,
    offset: u32,
    limit: u32,
) -> Result<Vec<RunSummary>, LogError> {
    let wanted = (offset as usize).saturating_add(limit as usize);
    let mut found: Vec<RunSummary> = Vec::new();
    let mut before = None;
    while found.len() < wanted {
        let asked = Asked { limit: LOT.max(limit), before, ..Asked::default() };
        let lot = log.list(user, &asked).await?;
        before = lot.last().map(|run| run.run_id.clone());
        let is_last = lot.len() < asked.limit as usize;
        found.extend(lot.into_iter().filter(|run| !is_of_evaluation(&run.run_id)));
        if is_last {
            break;
        }
    }
    Ok(found.into_iter().skip(offset as usize).take(limit as usize).collect())
}

pub(super) async fn list(
    context: &CliContext<'_>,
    wanted: &Wanted,
    json: bool,
) -> Result<Exit, Failure> {
    let (log, user) = (&*context.database.log, &context.config.user);
    let &Wanted { limit, offset, all } = wanted;
    let runs = match all {
        true => log.list(user, &Asked { limit, offset, ..Asked::default() }).await?,
        false => everyday(log, user, offset, limit).await?,
    };
    let abandoned = find_abandoned(context, runs.iter()).await?;
    let is_interrupted = |run: &RunSummary| abandoned.contains(&run.run_id);
    if json {
        let lines: Vec<Value> = runs
            .iter()
            .map(|run| {
                let mut line = json!(run);
                line["cost_usd"] = json!(dollars(run.cost_usd_micros));
                line["interrupted"] = json!(is_interrupted(run));
                line
            })
            .collect();
        context.face.out.line(&output::json(&lines));
        return Ok(Exit::Done);
    }
    if runs.is_empty() {
        context.note("no runs yet; start one with `quaestio ask`");
    }
    let mut table = Listing::new(["Run", "Status", "Started", "Cost#", "Method", "Question"]);
    for run in &runs {
        let state = if is_interrupted(run) { INTERRUPTED } else { run.status.name() };
        table.row([
            run.run_id.clone(),
            state.to_owned(),
            listing::time(run.created_at),
            format!("${:.4}", dollars(run.cost_usd_micros)),
            run.method.clone(),
            run.title.clone().unwrap_or_else(|| run.question.clone()),
        ]);
    }
    table.write(&context.face.out);
    if let Some(run) = runs.iter().find(|run| is_interrupted(run)) {
        context.note(&format!("resume an interrupted run: quaestio runs resume {}", run.run_id));
    }
    Ok(Exit::Done)
}

/// Returns those of the runs that no living process works on, though one had begun to.
async fn find_abandoned<'r>(
    context: &CliContext<'_>,
    runs: impl Iterator<Item = &'r RunSummary>,
) -> Result<BTreeSet<String>, Failure> {
    let running = runs.filter(|run| run.status == Status::Running);
    let running: BTreeSet<&str> = running.map(|run| run.run_id.as_str()).collect();
    if running.is_empty() {
        return Ok(BTreeSet::new());
    }
    let free = context.database.log.unfinished(u32::MAX).await?.into_iter();
    let own = free.filter(|(user, _)| *user == context.config.user).map(|(_, run)| run);
    Ok(own.filter(|run| running.contains(run.as_str())).collect())
}

pub(super) async fn show(context: &CliContext<'_>, run: &str, json: bool) -> Result<Exit, Failure> {
    let summary = context.database.log.summary(&context.config.user, run).await?;
    let entries = context.entries(run).await?;
    let start = started(run, &entries)?;
    let cost = views::cost(&entries);
    let is_interrupted = !find_abandoned(context, std::iter::once(&summary)).await?.is_empty();
    let intact = run::work::intact(run, &entries);
    if json {
        let gates: Vec<Value> = views::open_gates(&entries)
            .iter()
            .map(|gate| json!({ "gate": gate.name, "question": gate.ask.question, "has_plan": gate.plan.is_some() }))
            .collect();
        let mut page = json!(summary);
        page["interrupted"] = json!(is_interrupted);
        page["method_version"] = json!(start.version);
        page["cost_usd"] = json!(dollars(cost.cost_usd_micros));
        page["usage"] = json!(cost);
        page["log"] =
            json!(intact.as_ref().map_or_else(ToString::to_string, |()| "intact".to_owned()));
        page["steps"] = json!(views::timeline(&entries));
        page["claims"] = json!(views::ledger(&entries));
        page["waits_for"] = json!(gates);
        context.face.out.line(&output::json(&page));
        return Ok(Exit::Done);
    }
    let state = if is_interrupted { INTERRUPTED } else { summary.status.name() };
    let out = &context.face.out;
    out.put(&clean(&format!(
        "run {run}\nmethod {} (version {})\nquestion: {}\n",
        start.method, start.version, start.question
    )));
    let shown = listing::styled(out.is_styled(), listing::of_state(state), state);
    out.line(&format!("status: {shown}"));
    let now = context.worker.world().clock.now();
    let mut page = format!(
        "started: {} ({})\nentries: {}\ncalls: {}  tokens: {} in ({} cached), {} out  cost: ${:.6}\n",
        listing::time(summary.created_at),
        listing::age(summary.created_at, now),
        entries.len(),
        cost.calls,
        cost.usage.input_tokens,
        cost.usage.cached_tokens,
        cost.usage.output_tokens,
        dollars(cost.cost_usd_micros)
    );
    let intact = intact.map_or_else(|error| error.to_string(), |()| "intact".to_owned());
    page.push_str(&format!("log: {intact}\n\nsteps:\n"));
    for line in views::timeline(&entries) {
        let took = line.milliseconds.map_or_else(|| "-".to_owned(), |ms| format!("{ms} ms"));
        let (state, model) = (name_of(&line.state), line.model.unwrap_or_default());
        page.push_str(format!("  {}  {state}  {took}  {model}", line.step).trim_end());
        page.push('\n');
    }
    let ledger = views::ledger(&entries);
    if !ledger.is_empty() {
        page.push_str("\nclaims:\n");
    }
    for claim in ledger {
        let verdict = name_of(&claim.verdict);
        page.push_str(&format!("  {verdict}: {}\n", claim.text.replace('\n', " ")));
        for citation in &claim.citations {
            let faults = if citation.faults.is_empty() {
                String::new()
            } else {
                format!(" ({})", citation.faults.join("; "))
            };
            page.push_str(&format!(
                "    \"{}\" {}{faults}\n",
                citation.quote.replace('\n', " "),
                citation.source_uri
            ));
        }
    }
    for gate in views::open_gates(&entries) {
        page.push_str(&format!("\nwaits at gate '{}': {}\n", gate.name, gate.ask.question));
        if let Some(plan) = gate.plan {
            page.push_str(&gates::page(&plan, PlanState::Proposed));
        }
    }
    if is_interrupted {
        page.push_str(&format!(
            "\nits process ended before the run did; resume it with: quaestio runs resume {run}\n"
        ));
    }
    out.put(&clean(&page));
    Ok(Exit::Done)
}

/// Returns the name that something has in JSON.
fn name_of(value: &impl serde::Serialize) -> String {
    let value = serde_json::to_value(value).unwrap_or_default();
    value.as_str().unwrap_or_default().to_owned()
}
