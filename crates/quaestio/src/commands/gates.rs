//! What a run asks of a person, on the command line: answers, plans, approvals.

mod terminal;

pub(super) use terminal::read_line;

use std::path::Path;

use serde::Deserialize;
use serde_json::{Value, json};

use run::Plan;
use run::entry::Hash;
use run::log::Status;
use run::views::{self, Gate, PlanState, Proposal};
use run::work::{self, AnswerError, Seen};

use super::CliContext;
use super::beforehand::Beforehand;
use super::delivery::Delivery;
use super::runs::{equipped, told_of};
use crate::failure::{Exit, Failure};
use crate::output;

pub(super) async fn answer(
    context: &CliContext<'_>,
    run: &str,
    gate: Option<&str>,
    answer: Option<&str>,
    said: &Beforehand,
    delivery: &Delivery,
) -> Result<Exit, Failure> {
    let (world, user) = (context.worker.world(), &context.config.user);
    match &said.answers {
        Some(answers) if answers.in_turn => {
            let entries = context.entries(run).await?;
            context.take_answers(run, &entries, answers).await?;
        }
        Some(answers) => work::answer_all(world, user, run, &answers.by_gate, user).await?,
        None => {}
    }
    if let Some(answer) = answer {
        work::answer(world, user, run, gate, answer, user).await?;
    }
    let rest = Beforehand { answers: None, ..said.clone() };
    go_on(context, run, &rest, delivery).await
}

pub(super) async fn approve(
    context: &CliContext<'_>,
    run: &str,
    gate: Option<&str>,
    seen: Option<Seen>,
    delivery: &Delivery,
) -> Result<Exit, Failure> {
    let (world, user) = (context.worker.world(), &context.config.user);
    let approved = work::approve(world, user, run, gate, seen, user).await?;
    context.note(&format!("approved: {approved}"));
    go_on(context, run, &Beforehand::default(), delivery).await
}

pub(super) async fn reject(
    context: &CliContext<'_>,
    run: &str,
    gate: Option<&str>,
    reason: &str,
    json: bool,
) -> Result<Exit, Failure> {
    let (world, user) = (context.worker.world(), &context.config.user);
    work::reject(world, user, run, gate, reason, user).await?;
    told_of(context, run, "cancelled", Status::Cancelled.name(), json);
    Ok(Exit::Done)
}

/// Continues a run after an answer or approval, unless it waits for more.
async fn go_on(
    context: &CliContext<'_>,
    run: &str,
    said: &Beforehand,
    delivery: &Delivery,
) -> Result<Exit, Failure> {
    let user = &context.config.user;
    let status = context.database.log.summary(user, run).await?.status;
    if status.is_final() || (status == Status::Waiting && *said == Beforehand::default()) {
        return context.deliver(run, delivery).await;
    }
    let (world, method) = equipped(context, run).await?;
    let status = match status {
        Status::Waiting => status,
        _ => context.go_on(&world, &method, run).await?,
    };
    context.conclude(&world, run, status, said, delivery).await
}

/// A plan from a file: alone, or as `runs plan --json` prints it, in which case the revision that was edited counts.
#[derive(Deserialize)]
struct Edited {
    plan: Plan,
    revision: Option<u32>,
    plan_hash: Option<Hash>,
}

fn edited(path: &Path) -> Result<Edited, Failure> {
    let hint = "edit the output of `quaestio runs plan RUN --json`";
    let wrong = |why: String| Failure::usage(format!("{}: {why}", path.display()), hint);
    let text = std::fs::read_to_string(path).map_err(|error| wrong(error.to_string()))?;
    let value: Value = serde_json::from_str(&text).map_err(|error| wrong(error.to_string()))?;
    let read = if value.get("plan").is_some() {
        serde_json::from_value(value)
    } else {
        let alone = serde_json::from_value(value);
        alone.map(|plan| Edited { plan, revision: None, plan_hash: None })
    };
    read.map_err(|error| wrong(format!("this is not a plan: {error}")))
}

pub(super) async fn plan(
    context: &CliContext<'_>,
    run: &str,
    gate: Option<&str>,
    edit: Option<&Path>,
    as_json: bool,
) -> Result<Exit, Failure> {
    let (world, user) = (context.worker.world(), &context.config.user);
    if let Some(path) = edit {
        let Edited { plan, revision, plan_hash } = edited(path)?;
        let entries = context.entries(run).await?;
        let latest = proposed(run, &entries, gate)?;
        let at = latest.as_ref().map(|(gate, _)| *gate).or(gate);
        let latest = latest.map(|(_, proposal)| Seen::from(proposal));
        let latest = latest.unwrap_or(Seen { revision: 0, plan_hash: plan.hash() });
        let seen = Seen {
            revision: revision.unwrap_or(latest.revision),
            plan_hash: plan_hash.unwrap_or(latest.plan_hash),
        };
        let saved = work::revise(world, user, run, at, seen, plan, user).await;
        let saved = saved.map_err(|error| match error {
            AnswerError::NothingAsked { .. }
            | AnswerError::NoSuchGate { .. }
            | AnswerError::NoPlan { .. } => no_plan(run),
            error => error.into(),
        })?;
        context.note(&format!("saved: {saved}"));
    }
    let entries = context.entries(run).await?;
    let (gate, proposal, state) = match (proposed(run, &entries, gate)?, views::plan(&entries)) {
        (Some((gate, proposal)), _) => (gate, proposal, PlanState::Proposed),
        // A plan that was decided on is shown as well.
        (None, Some(planned)) if gate.is_none_or(|gate| gate == planned.gate) => {
            (planned.gate, planned.proposal, planned.state)
        }
        (None, _) => return Err(no_plan(run)),
    };
    if as_json {
        let Proposal { plan, revision, plan_hash } = proposal;
        let page = json!({
            "run_id": run, "gate": gate, "state": state,
            "revision": revision, "plan_hash": plan_hash, "plan": plan,
        });
        context.face.out.line(&output::json(&page));
    } else {
        context.face.out.put(&run::grounding::clean(&page(&proposal, state)));
    }
    Ok(Exit::Done)
}

fn no_plan(run: &str) -> Failure {
    Failure::new(format!("run {run} proposes no plan"), "")
}

/// Returns the plan that waits for approval and its gate; `None` if no plan waits.
fn proposed<'e>(
    run: &str,
    entries: &'e [run::Entry],
    gate: Option<&str>,
) -> Result<Option<(&'e str, Proposal<'e>)>, AnswerError> {
    let open = views::open_gates(entries);
    let plans = open.iter().filter_map(|gate| gate.plan.map(|plan| (gate.name, plan)));
    let plans: Vec<_> = plans.filter(|(name, _)| gate.is_none_or(|gate| gate == *name)).collect();
    match plans.as_slice() {
        [plan] => Ok(Some(*plan)),
        [] => Ok(None),
        several => {
            let names: Vec<_> = several.iter().map(|(name, _)| *name).collect();
            let (run, open) = (run.to_owned(), names.join(", "));
            Err(AnswerError::WhichGate { run, open })
        }
    }
}

/// Returns a plan as Markdown.
pub(super) fn page(proposal: &Proposal<'_>, state: PlanState) -> String {
    let Proposal { plan, revision, plan_hash } = proposal;
    let line = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let state = match state {
        PlanState::Proposed => "proposed",
        PlanState::Approved => "approved",
        PlanState::Rejected => "rejected",
    };
    let mut page = format!(
        "# {}\n\nPlan, {state}. Revision {revision}, hash {plan_hash}\n\n",
        line(&plan.title)
    );
    for (number, step) in (1..).zip(&plan.steps) {
        let about = [&step.agent_role, &step.estimated_duration].map(|text| line(text));
        let about: Vec<_> = about.into_iter().filter(|text| !text.is_empty()).collect();
        page.push_str(&format!("{number}. **{}**", line(&step.name)));
        if !about.is_empty() {
            page.push_str(&format!(" ({})", about.join(", ")));
        }
        if !step.description.trim().is_empty() {
            page.push_str(&format!(": {}", line(&step.description)));
        }
        page.push('\n');
    }
    page.push('\n');
    let rest = [
        ("Search terms", plan.search_terms.join("; ")),
        ("Where", plan.geographical_scope.clone()),
        ("Focus", plan.focus_areas.join("; ")),
        ("Duration", plan.estimated_duration.clone()),
        ("Cost", plan.estimated_cost.clone()),
    ];
    for (name, text) in rest {
        if !text.trim().is_empty() {
            page.push_str(&format!("- {name}: {}\n", line(&text)));
        }
    }
    page
}

/// Returns what an open gate asks, and the commands that answer it.
pub(super) fn invitation(run: &str, gate: &Gate<'_>) -> String {
    let Gate { name, ask, plan } = gate;
    match plan {
        None => format!(
            "run {run} asks at gate '{name}': {}\nanswer with: quaestio runs answer {run} --gate {name} TEXT",
            ask.question
        ),
        Some(Proposal { revision, plan_hash, .. }) => format!(
            "run {run} proposes a plan at gate '{name}': {}\nsee it with: quaestio runs plan {run} --gate {name}\napprove it with: quaestio runs approve {run} --gate {name} --revision {revision} --plan-hash {plan_hash}",
            ask.question
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use run::PlanStep;

    #[test]
    fn a_plan_reads_as_a_list_and_its_texts_stay_on_their_lines() {
        let plan = Plan {
            title: "Tides\n# Approved".into(),
            steps: vec![
                PlanStep {
                    name: "Search".into(),
                    description: "Find\n2. **Pay**".into(),
                    agent_role: "scout".into(),
                    estimated_duration: String::new(),
                },
                PlanStep { name: "Read".into(), ..PlanStep::default() },
            ],
            search_terms: vec!["neap".into(), "spring tide".into()],
            estimated_cost: "$0.02".into(),
            ..Plan::default()
        };
        let proposal = Proposal { plan: &plan, revision: 3, plan_hash: plan.hash() };
        let expected = format!(
            "# Tides # Approved\n\nPlan, proposed. Revision 3, hash {}\n\n1. **Search** (scout): Find 2. **Pay**\n2. **Read**\n\n- Search terms: neap; spring tide\n- Cost: $0.02\n",
            plan.hash()
        );
        assert_eq!(page(&proposal, PlanState::Proposed), expected);
    }
}
