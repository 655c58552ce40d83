//! What a run asks of people, at the command line: answers, plans, approvals.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;
use serde_json::{Value, json};

use run::Plan;
use run::entry::Hash;
use run::ports::{Log, Status};
use run::views::{self, Gate, PlanState, Proposal};
use run::work::{self, AnswerError, Seen};

use super::Desk;
use super::runs::equipped;
use super::said::Said as Beforehand;
use crate::cli::Format;
use crate::failure::{Exit, Failure};
use crate::operations::Engine;
use crate::render;

pub(super) async fn answer(
    desk: &Desk<'_>,
    run: &str,
    gate: Option<&str>,
    answer: Option<&str>,
    said: &Beforehand,
    format: Format,
) -> Result<Exit, Failure> {
    let engine = desk.engine(None)?;
    let Engine { world, user, .. } = &engine;
    if let Some(answers) = &said.answers {
        work::answer_all(world, user, run, answers, user).await?;
    }
    if let Some(answer) = answer {
        let said = work::answer(world, user, run, gate, answer, user).await;
        placed(&engine, run, work::ANSWER_QUESTIONS, said).await?;
    }
    let rest = Beforehand { answers: None, ..said.clone() };
    go_on(desk, &engine, run, &rest, format).await
}

pub(super) async fn approve(
    desk: &Desk<'_>,
    run: &str,
    gate: Option<&str>,
    seen: Option<Seen>,
    format: Format,
) -> Result<Exit, Failure> {
    let engine = desk.engine(None)?;
    let Engine { world, user, .. } = &engine;
    let approved = work::approve(world, user, run, gate, seen, user).await;
    let approved = placed(&engine, run, "approve_plan", approved).await?;
    desk.note(&format!("approved: {approved}"));
    go_on(desk, &engine, run, &Beforehand::default(), format).await
}

pub(super) async fn reject(
    desk: &Desk<'_>,
    run: &str,
    gate: Option<&str>,
    reason: &str,
) -> Result<Exit, Failure> {
    let engine = desk.engine(None)?;
    let Engine { world, user, .. } = &engine;
    let rejected = work::reject(world, user, run, gate, reason, user).await;
    placed(&engine, run, "reject_plan", rejected).await?;
    desk.face.out.line(&format!("{run} cancelled"));
    Ok(Exit::Done)
}

/// Tells of an operation that does not fit the phase of a run which of the two is wrong.
async fn placed<T>(
    engine: &Engine,
    run: &str,
    operation: &'static str,
    said: Result<T, AnswerError>,
) -> Result<T, AnswerError> {
    match said {
        Ok(said) => Ok(said),
        Err(error) => {
            let Engine { world, user, .. } = engine;
            // Phases are those of a workflow; a method that asks by itself has gates alone.
            let entries = world.log.entries(user, run, 0).await.unwrap_or_default();
            let start = views::start(&entries);
            if start.is_none_or(|start| start.settings.workflow.is_none()) {
                return Err(error);
            }
            Err(work::out_of_phase(world, user, run, operation, error).await)
        }
    }
}

/// Goes on with a run at which something was said, unless it waits for more.
async fn go_on(
    desk: &Desk<'_>,
    engine: &Engine,
    run: &str,
    said: &Beforehand,
    format: Format,
) -> Result<Exit, Failure> {
    let status = desk.store.summary(&engine.user, run).await?.status;
    if status.is_final() || (status == Status::Waiting && *said == Beforehand::default()) {
        return desk.print(engine, run, format).await;
    }
    let engine = equipped(desk, run).await?;
    let status = match status {
        Status::Waiting => status,
        _ => engine.go_on(run, |text| desk.note(text)).await?,
    };
    desk.conclude(&engine, run, status, said, format).await
}

/// A plan as it comes from a file: alone, or as `runs plan --json` prints it, and then the revision that was edited counts.
#[derive(Deserialize)]
struct Edited {
    plan: Plan,
    revision: Option<u32>,
    plan_hash: Option<Hash>,
}

fn edited(path: &Path) -> Result<Edited, Failure> {
    let hint = "`quaestio runs plan RUN --json` prints what to edit";
    let wrong = |why: String| Failure::usage(format!("{}: {why}", path.display()), hint);
    let text = std::fs::read_to_string(path).map_err(|error| wrong(error.to_string()))?;
    let value: Value = serde_json::from_str(&text).map_err(|error| wrong(error.to_string()))?;
    let read = if value.get("plan").is_some() {
        serde_json::from_value(value)
    } else {
        let alone = serde_json::from_value(value);
        alone.map(|plan| Edited { plan, revision: None, plan_hash: None })
    };
    read.map_err(|error| wrong(format!("this is no plan: {error}")))
}

pub(super) async fn plan(
    desk: &Desk<'_>,
    run: &str,
    gate: Option<&str>,
    edit: Option<&Path>,
    as_json: bool,
) -> Result<Exit, Failure> {
    let engine = desk.engine(None)?;
    let Engine { world, user, .. } = &engine;
    if let Some(path) = edit {
        let Edited { plan, revision, plan_hash } = edited(path)?;
        let entries = engine.entries(run).await?;
        let latest = proposed(run, &entries, gate)?;
        let seen = Seen {
            revision: revision.unwrap_or(latest.1.revision),
            plan_hash: plan_hash.unwrap_or(latest.1.plan_hash),
        };
        let saved = work::revise(world, user, run, Some(latest.0), seen, plan, user).await?;
        desk.note(&format!("saved: {saved}"));
    }
    let entries = engine.entries(run).await?;
    let (gate, proposal, state) = match (proposed(run, &entries, gate), views::plan(&entries)) {
        (Ok((gate, proposal)), _) => (gate, proposal, PlanState::Proposed),
        // What is settled shows as well.
        (Err(_), Some(planned)) if gate.is_none_or(|gate| gate == planned.gate) => {
            (planned.gate, planned.proposal, planned.state)
        }
        (Err(error), _) => return Err(error),
    };
    if as_json {
        let Proposal { plan, revision, plan_hash } = proposal;
        let page = json!({
            "run_id": run, "gate": gate, "state": state,
            "revision": revision, "plan_hash": plan_hash, "plan": plan,
        });
        desk.face.out.line(&render::json(&page));
    } else {
        desk.face.out.put(&run::grounding::clean(&page(&proposal, state)));
    }
    Ok(Exit::Done)
}

/// Returns the plan that waits for approval, and at which gate.
fn proposed<'e>(
    run: &str,
    entries: &'e [run::Entry],
    gate: Option<&str>,
) -> Result<(&'e str, Proposal<'e>), Failure> {
    let open = views::open_gates(entries);
    let plans = open.iter().filter_map(|gate| gate.plan.map(|plan| (gate.name, plan)));
    let plans: Vec<_> = plans.filter(|(name, _)| gate.is_none_or(|gate| gate == *name)).collect();
    match plans.as_slice() {
        [plan] => Ok(*plan),
        [] => Err(Failure::new(format!("run {run} proposes no plan"), "")),
        several => {
            let names: Vec<_> = several.iter().map(|(name, _)| *name).collect();
            let (run, open) = (run.to_owned(), names.join(", "));
            Err(AnswerError::WhichGate { run, open }.into())
        }
    }
}

/// Writes a plan as Markdown.
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

/// Returns how to say something at an open gate.
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

/// What a person at the terminal says of a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Said {
    Yes,
    No,
    /// Not now; the run goes on waiting.
    Later,
    Unclear,
}

impl Said {
    fn of(line: &str) -> Said {
        match line.trim().to_lowercase().as_str() {
            "" => Said::Later,
            "y" | "yes" => Said::Yes,
            "n" | "no" => Said::No,
            _ => Said::Unclear,
        }
    }
}

impl Desk<'_> {
    /// Says what was said beforehand, and asks the person at the terminal for the rest, for as long as the run has questions; then
    /// prints what came of it.
    pub(super) async fn conclude(
        &self,
        engine: &Engine,
        run: &str,
        mut status: Status,
        said: &Beforehand,
        format: Format,
    ) -> Result<Exit, Failure> {
        let mut answers = said.answers.as_ref();
        while status == Status::Waiting {
            let entries = engine.entries(run).await?;
            let open = views::open_gates(&entries);
            let Some(gate) = open.first() else { break };
            let heard = match (gate.plan, answers.take()) {
                (Some(proposal), kept) => {
                    answers = kept;
                    self.take_approval(engine, run, gate, proposal, said.yes).await
                }
                (None, Some(answers)) => self.take_answers(engine, run, &open, answers).await,
                (None, None) if self.face.terminal => self.ask_for_answer(engine, run, &open).await,
                (None, None) => Ok(false),
            };
            match heard {
                Ok(true) => {}
                Ok(false) => break,
                // Somebody elsewhere was faster; what they said counts.
                Err(error @ AnswerError::Stale { .. }) => self.note(&error.to_string()),
                Err(
                    error @ (AnswerError::NothingAsked { .. } | AnswerError::NoSuchGate { .. }),
                ) => {
                    self.note(&error.to_string());
                }
                Err(error) => return Err(error.into()),
            }
            status = self.store.summary(&engine.user, run).await?.status;
            if matches!(status, Status::Queued | Status::Running) {
                status = engine.go_on(run, |text| self.note(text)).await?;
            }
        }
        self.print(engine, run, format).await
    }

    /// Answers everything that is asked now as it was answered beforehand.
    async fn take_answers(
        &self,
        engine: &Engine,
        run: &str,
        open: &[Gate<'_>],
        answers: &BTreeMap<String, String>,
    ) -> Result<bool, AnswerError> {
        for gate in open {
            let answer = answers.get(gate.name).map_or("", |answer| answer.trim());
            let told = if answer.is_empty() { "(passed by)" } else { answer };
            let line = format!("{}: {}\n> {told}", gate.name, gate.ask.question);
            self.note(&run::grounding::clean(&line));
        }
        let Engine { world, user, .. } = engine;
        work::answer_all(world, user, run, answers, user).await?;
        Ok(true)
    }

    /// Takes an answer from the terminal; tells whether there was one.
    async fn ask_for_answer(
        &self,
        engine: &Engine,
        run: &str,
        open: &[Gate<'_>],
    ) -> Result<bool, AnswerError> {
        let Some(gate) = open.first() else { return Ok(false) };
        let mut asked = gate.ask.question.clone();
        if !gate.ask.context.is_empty() {
            asked.push_str(&format!("\n  ({})", gate.ask.context));
        }
        if open.len() > 1 {
            asked.push_str(&format!("\n  {} more after this one", open.len() - 1));
        }
        self.face.err.put(&run::grounding::clean(&format!(
            "{asked}\n  - passes it by; Enter leaves the run waiting\n> "
        )));
        let Some(answer) = typed().await else { return Ok(false) };
        let answer = match answer.trim() {
            "" => return Ok(false),
            "-" => "",
            answer => answer,
        };
        let Engine { world, user, .. } = engine;
        work::answer(world, user, run, Some(gate.name), answer, user).await?;
        Ok(true)
    }

    /// Approves a plan that is printed, where that was said beforehand; else asks whoever sits at the terminal.
    async fn take_approval(
        &self,
        engine: &Engine,
        run: &str,
        gate: &Gate<'_>,
        proposal: Proposal<'_>,
        yes: bool,
    ) -> Result<bool, AnswerError> {
        if yes {
            self.face.err.put(&run::grounding::clean(&page(&proposal, PlanState::Proposed)));
            let Engine { world, user, .. } = engine;
            let seen = Some(proposal.into());
            work::approve(world, user, run, Some(gate.name), seen, user).await?;
            self.note("approved: --yes");
            return Ok(true);
        }
        if !self.face.terminal {
            return Ok(false);
        }
        self.ask_for_approval(engine, run, gate, proposal).await
    }

    /// Shows a plan and takes its approval or rejection from the terminal; tells whether there was one.
    async fn ask_for_approval(
        &self,
        engine: &Engine,
        run: &str,
        gate: &Gate<'_>,
        proposal: Proposal<'_>,
    ) -> Result<bool, AnswerError> {
        let shown = format!("{}\n{}\n", page(&proposal, PlanState::Proposed), gate.ask.question);
        self.face.err.put(&run::grounding::clean(&shown));
        let Engine { world, user, .. } = engine;
        loop {
            self.face.err.put(&format!(
                "y approves it, n rejects it and ends the run; Enter leaves it (`quaestio runs plan {run} --edit FILE.json` changes it)\n> "
            ));
            let Some(line) = typed().await else { return Ok(false) };
            match Said::of(&line) {
                Said::Yes => {
                    let seen = Some(proposal.into());
                    work::approve(world, user, run, Some(gate.name), seen, user).await?;
                    return Ok(true);
                }
                Said::No => {
                    work::reject(world, user, run, Some(gate.name), "", user).await?;
                    return Ok(true);
                }
                Said::Later => return Ok(false),
                Said::Unclear => {}
            }
        }
    }
}

/// Returns a line from standard input; none where an interrupt comes first. It is empty where there is nobody to type.
async fn typed() -> Option<String> {
    let asked = tokio::task::spawn_blocking(|| {
        let mut line = String::new();
        std::io::stdin().read_line(&mut line).map(|_| line)
    });
    tokio::select! {
        Ok(Ok(line)) = asked => Some(line),
        // Nobody answers now; the run goes on waiting.
        _ = tokio::signal::ctrl_c() => None,
        else => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use run::PlanStep;

    #[test]
    fn only_a_clear_word_approves_or_rejects() {
        for (line, said) in [
            ("y\n", Said::Yes),
            (" YES \r\n", Said::Yes),
            ("n", Said::No),
            ("No\n", Said::No),
            ("\n", Said::Later),
            ("", Said::Later),
            ("yn", Said::Unclear),
            ("maybe", Said::Unclear),
            ("yes, but", Said::Unclear),
        ] {
            assert_eq!(Said::of(line), said, "{line:?}");
        }
    }

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
