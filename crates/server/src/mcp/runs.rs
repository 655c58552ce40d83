//! The tools that order runs, wait for them, and pass on what a person says.

use std::time::Duration;

use methods::ask::Strategy;
use methods::order::Order;
use rmcp::RoleServer;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CreateTaskResult, ElicitRequest, ElicitRequestParams,
    ElicitResult, ElicitationAction, ElicitationSchema, EnumSchema, InputRequest, InputRequests,
    InputRequiredResult, PrimitiveSchemaDefinition, ProgressNotificationParam, ProtocolVersion,
    StringSchema,
};
use rmcp::service::RequestContext;
use run::log::{LogError, Status};
use run::views::Gate;
use run::work::{self, AnswerError, Seen};
use serde_json::Value;
use tokio::time::Instant;

use super::calls::Call;
use super::output::{describe, tell};
use super::tools::{AnswerInput, ApproveInput, CancelInput, LONGEST_WAIT, StatusInput, WAIT};
use super::{Face, Who, read_arguments, tasks};
use crate::desk;
use crate::feed::Piece;
use crate::problem::{Kind, Problem};
use crate::progress::word_entry;
use crate::state::App;

/// How often a waiting call checks whether the run cannot go on here.
const TICK: Duration = Duration::from_secs(1);

/// The names of the two fields of a form, and of the choices for a plan.
const ANSWER: &str = "answer";
const DECISION: &str = "decision";
const APPROVE: &str = "approve";
const REJECT: &str = "reject";

/// What a call has to do with the run that it waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Binding {
    /// It has ordered or answered the run: cancelling it cancels the run.
    Acts,
    /// It looks on: cancelling it leaves the run alone.
    Looks,
}

/// Why a wait is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Rest {
    /// The run has ended, cannot go on here, or the time is up.
    Told,
    /// A person is asked.
    Asked,
    /// Nobody waits any more.
    Left,
}

impl Face {
    /// Orders a run and waits for it; with answers to what it asked before, goes on with that one.
    pub(super) async fn order(
        &self,
        user: &str,
        method: &str,
        strategy: Option<Strategy>,
        request: CallToolRequestParams,
        context: &RequestContext<RoleServer>,
        call: &Call,
    ) -> Result<CallToolResponse, Problem> {
        let mut arguments = request.arguments.unwrap_or_default();
        let wait = match arguments.remove("wait_seconds") {
            None | Some(Value::Null) => WAIT,
            Some(wait) => wait.as_u64().ok_or_else(wrong_wait)?,
        };
        let wait = check_wait(wait)?;
        if let Some(held) = &request.request_state {
            // It is the run's id, which leads nobody but its user anywhere.
            let mut binding = Binding::Looks;
            for (key, reply) in request.input_responses.unwrap_or_default() {
                if take_reply(&self.app, user, held, &key, read_reply(&key, reply)?).await? {
                    binding = Binding::Acts;
                }
            }
            if binding == Binding::Acts {
                call.has_started(user, held);
            }
            return self.attend(user, held, wait, binding, context).await;
        }
        for name in ["method", "strategy"] {
            if arguments.contains_key(name) && (name == "method" || strategy.is_some()) {
                return Err(Problem::invalid(
                    format!("the tool '{}' sets '{name}' itself", request.name),
                    "leave it out",
                ));
            }
        }
        arguments.insert("method".into(), method.into());
        arguments.entry("question").or_insert_with(|| "".into());
        if let Some(strategy) = strategy {
            arguments.insert("strategy".into(), strategy.name().into());
        }
        let order: Order = read_arguments(Some(arguments))?;
        let run = desk::start(&self.app, user, None, &order).await?.run;
        if call.has_started(user, &run) {
            self.stop(user, &run).await;
        }
        if context.client_capabilities().is_some_and(|client| client.supports_tasks()) {
            let task = tasks::begun(&self.app, user, &run).await?;
            return Ok(CreateTaskResult::new(task).into());
        }
        self.attend(user, &run, wait, Binding::Acts, context).await
    }

    pub(super) async fn status(
        &self,
        user: &str,
        request: CallToolRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, Problem> {
        let input: StatusInput = read_arguments(request.arguments)?;
        let wait = check_wait(input.wait_seconds)?;
        self.app.log.summary(user, &input.run_id).await?;
        self.wait(user, &input.run_id, wait, Binding::Looks, context).await;
        Ok(tell(&self.app, user, &input.run_id).await?.result().into())
    }

    pub(super) async fn answer(
        &self,
        user: &str,
        request: CallToolRequestParams,
        context: &RequestContext<RoleServer>,
        call: &Call,
    ) -> Result<CallToolResponse, Problem> {
        let input: AnswerInput = read_arguments(request.arguments)?;
        let wait = check_wait(input.wait_seconds.unwrap_or(WAIT))?;
        let (run, gate) = (&input.run_id, input.gate.as_deref());
        self.say(user, run, gate, &input.answer).await?;
        call.has_started(user, run);
        self.attend(user, run, wait, Binding::Acts, context).await
    }

    pub(super) async fn approve(
        &self,
        user: &str,
        request: CallToolRequestParams,
        context: &RequestContext<RoleServer>,
        call: &Call,
    ) -> Result<CallToolResponse, Problem> {
        let input: ApproveInput = read_arguments(request.arguments)?;
        let wait = check_wait(input.wait_seconds.unwrap_or(WAIT))?;
        let seen = read_seen(input.revision, &input.plan_hash)?;
        let run = &input.run_id;
        work::approve(self.app.world(), user, run, input.gate.as_deref(), Some(seen), user).await?;
        self.app.heard(user, run);
        call.has_started(user, run);
        self.attend(user, run, wait, Binding::Acts, context).await
    }

    pub(super) async fn cancel(
        &self,
        user: &str,
        request: CallToolRequestParams,
    ) -> Result<CallToolResponse, Problem> {
        let CancelInput { run_id } = read_arguments(request.arguments)?;
        if let Some(status) = desk::stop(&self.app, user, &run_id).await? {
            let detail = format!("run {run_id} is already {}", status.name());
            return Err(Problem::new(Kind::Conflict, detail, ""));
        }
        Ok(tell(&self.app, user, &run_id).await?.result().into())
    }

    /// Stops a run whose call was cancelled.
    pub(super) async fn stop(&self, user: &str, run: &str) {
        // A run that has ended meanwhile cannot be stopped, and nobody waits to hear it.
        let _ = desk::stop(&self.app, user, run).await;
    }

    async fn say(
        &self,
        user: &str,
        run: &str,
        gate: Option<&str>,
        answer: &str,
    ) -> Result<(), Problem> {
        let said = answer.trim();
        if said.is_empty() {
            return Err(Problem::invalid(
                "the answer is empty",
                "write something, or cancel the run",
            ));
        }
        work::answer(self.app.world(), user, run, gate, said, user).await?;
        self.app.heard(user, run);
        Ok(())
    }

    /// Waits for a run, asks the client's user what it asks, and returns how it stands.
    async fn attend(
        &self,
        user: &str,
        run: &str,
        wait: Duration,
        mut binding: Binding,
        context: &RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, Problem> {
        loop {
            let rest = self.wait(user, run, wait, binding, context).await;
            let told = tell(&self.app, user, run).await?;
            if rest != Rest::Asked || !can_ask(context) {
                return Ok(told.result().into());
            }
            if asks_by_result(context) {
                return Ok(ask_by_result(run, &told.gates()).into());
            }
            let gates = told.gates();
            let mut is_answered = false;
            for gate in &gates {
                let Some(reply) = ask(context, gate).await else { break };
                is_answered |= take_reply(&self.app, user, run, &key_of(gate), reply).await?;
            }
            if !is_answered {
                return Ok(told.result().into());
            }
            binding = Binding::Acts;
        }
    }

    /// Waits until the run has ended or asks something, and tells its progress.
    async fn wait(
        &self,
        user: &str,
        run: &str,
        wait: Duration,
        binding: Binding,
        context: &RequestContext<RoleServer>,
    ) -> Rest {
        let app: &App = &self.app;
        // Without room for another stream, nobody waits.
        let Ok(_place) = app.streams.take(user) else { return Rest::Told };
        let until = Instant::now() + wait;
        // What was said just now is in the log; a state from before would say that the run still waits.
        let from = app.log.summary(user, run).await.map_or(0, |summary| summary.entries);
        let token = context.meta.get_progress_token();
        let mut follower = app.feeds.follower(user, run, 0);
        let mut tick = tokio::time::interval(TICK);
        loop {
            let piece = tokio::select! {
                piece = follower.next() => piece,
                () = context.ct.cancelled() => {
                    if binding == Binding::Acts {
                        self.leave(user, run, context).await;
                    }
                    return Rest::Left;
                }
                () = tokio::time::sleep_until(until) => return Rest::Told,
                _ = tick.tick() => match app.queue.hindrance(user, run) {
                    Some(_) => return Rest::Told,
                    None => continue,
                },
            };
            match piece {
                Some(Piece::Entry(told)) => {
                    let Some((token, entry)) = token.clone().zip(told.entry()) else { continue };
                    let Some(message) = word_entry(&entry) else { continue };
                    let progress = ProgressNotificationParam::new(token, entry.seq as f64)
                        .with_message(message);
                    // A client that does not hear it misses nothing else.
                    let _ = context.peer.notify_progress(progress).await;
                }
                Some(Piece::State(summary))
                    if summary.status == Status::Waiting && summary.entries >= from =>
                {
                    return Rest::Asked;
                }
                Some(Piece::End(_)) => return Rest::Told,
                Some(Piece::State(_) | Piece::Words(_) | Piece::Alive) => {}
                None => return Rest::Left,
            }
        }
    }

    /// Stops the run of a call that is over, where the protocol says that a closed connection cancels.
    async fn leave(&self, user: &str, run: &str, context: &RequestContext<RoleServer>) {
        let cancels = matches!(self.who, Who::Sender)
            && context
                .protocol_version()
                .is_some_and(|version| version >= ProtocolVersion::V_2026_07_28);
        if cancels && !self.app.feeds.is_closing() {
            self.stop(user, run).await;
        }
    }
}

/// Passes on what a client's user said to a gate; returns whether they said something.
///
/// A gate that somebody has answered meanwhile is no error: the run goes on either way.
pub(super) async fn take_reply(
    app: &App,
    user: &str,
    run: &str,
    key: &str,
    reply: ElicitResult,
) -> Result<bool, Problem> {
    if reply.action != ElicitationAction::Accept {
        return Ok(false);
    }
    let field = |name: &str| {
        let value = reply.content.as_ref().and_then(|content| content.get(name));
        value.and_then(Value::as_str).unwrap_or_default().trim()
    };
    let (gate, seen) = read_key(key);
    let done = match (seen, field(DECISION)) {
        (Some(seen), APPROVE) => {
            work::approve(app.world(), user, run, Some(gate), Some(seen), user).await.map(drop)
        }
        (Some(_), REJECT) => {
            let rejected = work::reject(app.world(), user, run, Some(gate), "", user).await;
            if rejected.is_ok() {
                app.ended(user, run, Status::Cancelled).await;
            }
            rejected
        }
        (Some(_), _) => return Ok(false),
        (None, _) => match field(ANSWER) {
            "" => return Ok(false),
            answer => work::answer(app.world(), user, run, Some(gate), answer, user).await,
        },
    };
    if let Err(error) = done
        && !is_settled(&error)
    {
        return Err(error.into());
    }
    app.heard(user, run);
    Ok(true)
}

/// Returns whether a gate was refused because it is not open any more.
fn is_settled(error: &AnswerError) -> bool {
    matches!(
        error,
        AnswerError::NothingAsked { .. }
            | AnswerError::NoSuchGate { .. }
            | AnswerError::WrongPhase { .. }
            | AnswerError::Log(LogError::NotOpen { .. })
    )
}

fn wrong_wait() -> Problem {
    Problem::invalid(format!("wait_seconds must be a number from 0 to {LONGEST_WAIT}"), "")
}

fn check_wait(seconds: u64) -> Result<Duration, Problem> {
    match seconds <= LONGEST_WAIT {
        true => Ok(Duration::from_secs(seconds)),
        false => Err(wrong_wait()),
    }
}

fn read_seen(revision: u32, plan_hash: &str) -> Result<Seen, Problem> {
    let hash = Value::from(plan_hash);
    let plan_hash = serde_json::from_value(hash).map_err(|_| {
        Problem::invalid("plan_hash must have 64 hexadecimal digits", "copy it from the gate")
    })?;
    Ok(Seen { revision, plan_hash })
}

/// Returns whether the client can ask its user by a form.
fn can_ask(context: &RequestContext<RoleServer>) -> bool {
    let client = context.client_capabilities();
    client.and_then(|client| client.elicitation).is_some_and(|can| {
        // Clients of former versions name neither way, and mean forms.
        can.form.is_some() || can.url.is_none()
    })
}

/// Returns whether the client is asked by the result of its call, as from 2026-07-28 on, and not by a request of ours.
fn asks_by_result(context: &RequestContext<RoleServer>) -> bool {
    context.protocol_version().is_some_and(|version| version >= ProtocolVersion::V_2026_07_28)
}

/// Returns what a gate asks as a form: a line of text, or a choice about the plan.
pub(super) fn form(gate: &Gate<'_>) -> ElicitRequestParams {
    let mut message = gate.ask.question.clone();
    if !gate.ask.context.is_empty() {
        message = format!("{message}\n\n{}", gate.ask.context);
    }
    let (name, field) = match gate.plan {
        None => {
            (ANSWER, PrimitiveSchemaDefinition::String(StringSchema::new().title("Your answer")))
        }
        Some(proposal) => {
            message = format!("{message}\n\n{}", describe(proposal.plan));
            let choices = EnumSchema::builder(vec![APPROVE.into(), REJECT.into()]);
            let choice = choices.title("Approve this plan?").build();
            (DECISION, PrimitiveSchemaDefinition::Enum(choice))
        }
    };
    let requested_schema = ElicitationSchema::new([(name.to_owned(), field)].into())
        .with_required(vec![name.to_owned()]);
    ElicitRequestParams::FormElicitationParams { meta: None, message, requested_schema }
}

/// Asks the client's user; `None` if there is no reply.
async fn ask(context: &RequestContext<RoleServer>, gate: &Gate<'_>) -> Option<ElicitResult> {
    tokio::select! {
        reply = context.peer.create_elicitation(form(gate)) => reply.ok(),
        () = context.ct.cancelled() => None,
    }
}

/// Returns the result that asks the client's user what the gates ask.
fn ask_by_result(run: &str, gates: &[Gate<'_>]) -> InputRequiredResult {
    InputRequiredResult::new(Some(requests(gates)), Some(run.to_owned()))
}

/// Returns what the gates ask as requests to the client, by their keys.
pub(super) fn requests(gates: &[Gate<'_>]) -> InputRequests {
    let ask =
        |gate: &Gate<'_>| (key_of(gate), InputRequest::Elicitation(ElicitRequest::new(form(gate))));
    gates.iter().map(ask).collect()
}

/// Reads a client's reply.
pub(super) fn read_reply(key: &str, reply: Value) -> Result<ElicitResult, Problem> {
    serde_json::from_value(reply).map_err(|_| {
        let key: String = run::grounding::clean(key).chars().take(80).collect();
        Problem::invalid(format!("the reply to '{key}' cannot be read"), "")
    })
}

/// Returns the key of a gate's request. That of a plan holds the revision and the hash that are shown, so that no other is approved.
fn key_of(gate: &Gate<'_>) -> String {
    match gate.plan {
        None => gate.name.to_owned(),
        Some(plan) => format!("{}@{}:{}", gate.name, plan.revision, plan.plan_hash),
    }
}

/// Returns the gate of a key, and the plan that was shown there.
fn read_key(key: &str) -> (&str, Option<Seen>) {
    let plan = key.rsplit_once('@').and_then(|(gate, shown)| {
        let (revision, hash) = shown.split_once(':')?;
        Some((gate, read_seen(revision.parse().ok()?, hash).ok()?))
    });
    plan.map_or((key, None), |(gate, seen)| (gate, Some(seen)))
}
