//! One call of an agent, from its input to its typed reply.
//!
//! An unusable reply is returned to the model once, with the error; if that fails too, the whole call is made once more. Every try is
//! in the log, so none is repeated.

use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::budget::{CapMet, Need, Price, Share, Spend, Usage};
use crate::draft::{Draft, ProseDraft};
use crate::entry::{Asking, Event, Fault, Hash, Origin};
use crate::error::PortError;
use crate::evidence::{Numbered, fenced, fenced_statements, fenced_text};
use crate::journal::{Failure, Recorded};
use crate::ledger::one_line;
use crate::listener::Signal;
use crate::model::{ChatReply, ChatRequest, Model, ReplySchema, Speaker, Turn, Words};
use crate::prompt::{Agent, Prompt};
use crate::run::{Result, Run, Stop, read_back};
use crate::schema;
use crate::settings::Mode;
use crate::tokens::{most_tokens, most_tokens_of_prose};
use crate::world::Reach;
use text::tolerant;

/// The form of reply that an agent is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// One JSON object that fits the reply's schema.
    Object,
    /// Prose, from which the program parses the reply's type.
    Prose,
}

/// The typed reply of an agent.
pub trait Reply: Serialize + DeserializeOwned + JsonSchema + Send + 'static {
    /// The form to ask for.
    const FORM: Form = Form::Object;

    /// The key of the strings to show while they are written; `None` shows no draft.
    const DRAFT: Option<&'static str> = None;

    /// The key of the strings that are code, in which a tab is a tab and not a lost backslash.
    const CODE: Option<&'static str> = None;

    /// Parses a reply that is not a JSON object; `None` if it is unreadable. [`Reply::check`] applies to the result as well.
    fn plain(_text: &str) -> Option<Self> {
        None
    }

    /// Parses a JSON object that came instead of prose; `None` if it is unreadable.
    fn from_object(_value: &serde_json::Value) -> Option<Self> {
        None
    }

    /// Checks what the types cannot express. The error is shown to the model.
    fn check(&self) -> std::result::Result<(), String> {
        Ok(())
    }
}

/// A builder for a call of an agent.
pub struct Call<'a> {
    run: &'a Run,
    agent: Agent,
    given: String,
    /// The text after the evidence.
    again: String,
    evidence: &'a [Numbered],
    /// Whether the evidence is shown as statements with addresses.
    in_statements: bool,
    share: Share,
    /// Whether to fall back on the extractive reply if every reply of the model is unusable.
    outlives_unusable: bool,
    /// Whether other calls of the agent use the same share, which their caller releases.
    is_one_of_several: bool,
    /// The index of the model to ask among those of its tier, from 0.
    model: usize,
}

/// Adds a text under its heading to a page.
fn put(page: &mut String, name: &str, text: &str) {
    const MARKS: usize = "## \n\n\n".len();
    page.reserve_exact(name.len() + text.len() + MARKS);
    for part in ["## ", name, "\n", text, "\n\n"] {
        page.push_str(part);
    }
}

impl<'a> Call<'a> {
    /// Begins a call without the briefing on what was agreed with the user.
    pub(crate) fn apart(run: &'a Run, agent: Agent) -> Call<'a> {
        Call {
            run,
            agent,
            given: String::new(),
            again: String::new(),
            evidence: &[],
            in_statements: false,
            share: Share::Ordinary,
            outlives_unusable: false,
            is_one_of_several: false,
            model: 0,
        }
    }

    pub(crate) fn new(run: &'a Run, agent: Agent) -> Call<'a> {
        let call = Call::apart(run, agent);
        let briefing = run.briefing(agent.name).into_iter();
        briefing.fold(call, |call, (name, text)| call.given(name, text))
    }

    /// Gives the agent `text` under the heading `name`.
    ///
    /// Pass a text by value if it is no longer needed: a run may wait for its reply for a long time.
    #[must_use]
    pub fn given(mut self, name: &str, text: impl AsRef<str>) -> Self {
        put(&mut self.given, name, text.as_ref());
        self
    }

    /// Gives the agent `text` under the heading `name`, fenced and labelled as data: what other agents wrote, or sources say.
    #[must_use]
    pub fn showing(self, name: &str, text: impl AsRef<str>) -> Self {
        let text = text.as_ref();
        let fenced = fenced_text(text, &self.given);
        self.given(name, fenced)
    }

    /// Gives the agent the faults of an earlier reply, fenced and at the end. So a prompt that asks again begins like the first one,
    /// and a provider's prompt cache still matches.
    #[must_use]
    pub fn again(mut self, name: &str, text: impl AsRef<str>) -> Self {
        let fenced = fenced_text(text.as_ref(), &self.given);
        put(&mut self.again, name, &fenced);
        self
    }

    /// Gives the agent evidence: numbered, fenced and labelled as untrusted data.
    #[must_use]
    pub fn citing(mut self, evidence: &'a [Numbered]) -> Self {
        self.evidence = evidence;
        self
    }

    /// Gives the agent evidence as statements, each after its address: numbered, fenced and labelled as untrusted data.
    #[must_use]
    pub fn citing_statements(mut self, evidence: &'a [Numbered]) -> Self {
        self.evidence = evidence;
        self.in_statements = true;
        self
    }

    /// Lets the call use the share of the budget that is held back for its agent.
    #[must_use]
    pub fn as_synthesis(mut self) -> Self {
        self.share = Share::Synthesis(self.agent.name);
        self
    }

    /// Falls back on the extractive reply if every reply of the model is unusable: the findings still deserve an answer.
    #[must_use]
    pub fn even_if_unusable(self) -> Self {
        Call { outlives_unusable: true, ..self }
    }

    /// Lets the call use a share that several calls of its agent have in common; [`Run::release`] releases it.
    #[must_use]
    pub fn as_part_of_synthesis(self) -> Self {
        Call { is_one_of_several: true, ..self.as_synthesis() }
    }

    /// Asks one of several models of the tier, by its index from 0.
    #[must_use]
    pub fn by_reader(self, model: usize) -> Self {
        Call { model, ..self }
    }

    /// Adds the reply without a model: a plain, extractive, deterministic function.
    pub fn offline<R: Reply, F: FnOnce() -> R>(self, speak: F) -> CallOffline<'a, F> {
        CallOffline { call: self, speak }
    }

    /// Returns the agent's reply. Fails without a model.
    pub async fn reply<R: Reply>(mut self) -> Result<R> {
        let page = self.page::<R>()?;
        let reply = match self.run.recorded(&page.step, page.input)? {
            Recorded::Value { value, .. } => read_back(&page.step, value),
            Recorded::Refused(cap) => Err(Stop::Budget { step: page.step, cap }),
            Recorded::Failures(mut failures) => self.live(&page, &mut failures).await,
        };
        self.made();
        reply
    }

    /// Builds everything that defines the call; the given texts move into it.
    fn page<R: Reply>(&mut self) -> Result<Page> {
        let prompt = self.run.shared.world.prompts.of(&self.agent)?;
        let step = self.run.next(self.agent.name);
        let mut user = std::mem::take(&mut self.given);
        if !self.evidence.is_empty() {
            let fenced = if self.in_statements {
                fenced_statements(self.evidence, &user)
            } else {
                fenced(self.evidence, &user)
            };
            user.push_str("## Evidence\n");
            user.push_str(&fenced);
        }
        if !self.again.is_empty() {
            user.truncate(user.trim_end().len());
            user.push_str("\n\n");
            user.push_str(&self.again);
        }
        let schema = (R::FORM == Form::Object).then(schema::of::<R>);
        let of_schema = schema.as_ref().map_or(&[][..], |schema| &schema.hash.0);
        let parts = [self.agent.prompt.as_bytes(), &prompt.hash.0, user.as_bytes(), of_schema];
        let input = Hash::of_parts(&parts);
        Ok(Page { step, prompt, user: user.into(), schema, input })
    }

    /// Releases the synthesis's share once the synthesis has ended, with or without a reply.
    fn made(&self) {
        if self.share != Share::Ordinary && !self.is_one_of_several {
            self.run.release(&self.agent);
        }
    }

    /// Asks the model until a reply is usable or no try is left; `failures` are the failed tries.
    async fn live<R: Reply>(&self, page: &Page, failures: &mut Vec<Failure>) -> Result<R> {
        loop {
            let Some(mut request) = self.request(page, failures) else {
                let message = failures.last().map(|last| told(last, failures.len()));
                let message = message.unwrap_or_default();
                return Err(Stop::Stage {
                    stage: page.step.clone(),
                    message,
                    retry_attempted: true,
                });
            };
            let model = self.model(page)?;
            let price = model.price();
            let asking = self.asking(page, model.id());
            let need = request.need(price);
            let granted =
                self.run.begin(&page.step, page.input, Some(asking), &need, self.share).await?;
            let reserved = granted.spend;
            request.max_tokens = granted.reply_tokens;
            // Pinned and passed by reference: moving it would copy it, and reserve space for it, at each level.
            let asked = pin!(self.ask::<R>(page, &request, model));
            let answered = self.run.racing(&page.step, page.input, reserved, asked).await?;
            let usage = match &answered {
                Ok(reply) => reply.usage,
                // No one counted the tokens generated before it broke off: assume all of them.
                Err(error) if may_be_billed(error) => request.most(),
                Err(_) => Usage::default(),
            };
            let cost_usd_micros = price.map_or(0, |price| price.cost_usd_micros(usage));
            let spent = Spend { tokens: usage.total(), cost_usd_micros };
            let step = page.step.clone();
            let (fault, error, reply) = match answered {
                Ok(reply) => match understand::<R>(&reply, failures.len() + 1 == TRIES) {
                    Ok((value, typed)) => {
                        let origin = Origin::Model;
                        let event = Event::Returned { step, origin, value, usage, cost_usd_micros };
                        self.run.end(reserved, spent, event);
                        return Ok(typed);
                    }
                    Err(error) => (Fault::Malformed, error, Some(reply.text)),
                },
                Err(error) => (Fault::Unreachable, error.to_string(), None),
            };
            failures.push(Failure { fault, error: error.clone(), reply: reply.clone() });
            let attempt = failures.len() as u32;
            let event =
                Event::Failed { step, attempt, fault, error, reply, usage, cost_usd_micros };
            self.run.end(reserved, spent, event);
        }
    }

    /// Returns the log's record of the model and the prompt.
    fn asking(&self, page: &Page, model: &str) -> Asking {
        Asking {
            model: model.to_owned(),
            prompt: self.agent.prompt.to_owned(),
            prompt_version: page.prompt.version,
            prompt_hash: page.prompt.hash,
        }
    }

    fn model(&self, page: &Page) -> Result<&Arc<dyn Model>> {
        let world = &self.run.shared.world;
        if let Some(models) = &world.models {
            return Ok(models.at(page.prompt.tier, self.model));
        }
        if world.reach == Reach::Recorded {
            return Err(Stop::NotRecorded { step: page.step.clone() });
        }
        let message =
            format!("the agent '{}' needs a model. Choose one with `--model`", self.agent.name);
        Err(Stop::Stage { stage: page.step.clone(), message, retry_attempted: false })
    }

    /// Returns the next try after `failures`, or `None` if no try is left.
    ///
    /// First the call, then one repair of a malformed reply, then the call once more with the error.
    fn request(&self, page: &Page, failures: &[Failure]) -> Option<ChatRequest> {
        let mut turns = vec![Turn { speaker: Speaker::User, text: Arc::clone(&page.user) }];
        match failures {
            [] => {}
            [Failure { fault: Fault::Malformed, error, reply }] => {
                turns.push(Turn {
                    speaker: Speaker::Model,
                    text: reply.as_deref().unwrap_or_default().into(),
                });
                turns.push(Turn {
                    speaker: Speaker::User,
                    text: again(error, page.schema.as_deref()).into(),
                });
            }
            [Failure { fault: Fault::Unreachable, .. }] => {}
            [Failure { fault: Fault::Malformed, .. }, last] => {
                let failed = again(&last.error, page.schema.as_deref());
                let text = format!("{}## An earlier attempt failed\n{failed}\n", page.user);
                turns[0].text = text.into();
            }
            _ => return None,
        }
        let world = &self.run.shared.world;
        Some(ChatRequest {
            system: Arc::clone(&page.prompt.text),
            turns,
            schema: page.schema.clone(),
            temperature: page.prompt.temperature,
            max_tokens: page.prompt.max_tokens,
            streamed: world.stream,
            deadline: world.call_deadline,
        })
    }

    async fn ask<R: Reply>(
        &self,
        page: &Page,
        request: &ChatRequest,
        model: &Arc<dyn Model>,
    ) -> std::result::Result<ChatReply, PortError> {
        let draft = match (R::FORM, R::DRAFT) {
            (Form::Prose, _) => Shown::Prose(ProseDraft::default()),
            (Form::Object, Some(key)) => Shown::Texts(Draft::new(key)),
            (Form::Object, None) => return model.chat(request, &()).await,
        };
        let words = Live { run: self.run, step: &page.step, draft: Mutex::new(draft) };
        model.chat(request, &words).await
    }
}

/// What a draft shows of a reply.
enum Shown {
    Texts(Draft),
    Prose(ProseDraft),
}

impl Shown {
    fn push(&mut self, piece: &str) -> String {
        match self {
            Shown::Texts(draft) => draft.push(piece),
            Shown::Prose(draft) => draft.push(piece),
        }
    }
}

/// Passes the readable words of a reply on to the run's listener.
struct Live<'a> {
    run: &'a Run,
    step: &'a str,
    draft: Mutex<Shown>,
}

impl Words for Live<'_> {
    fn hear(&self, piece: &str) {
        let text = self.draft.lock().unwrap_or_else(PoisonError::into_inner).push(piece);
        if !text.is_empty() {
            let signal = Signal::Words { step: self.step, text: &text };
            self.run.shared.world.listener.hear(self.run.id(), signal);
        }
    }
}

/// A call that also has a reply without a model.
pub struct CallOffline<'a, F> {
    call: Call<'a>,
    speak: F,
}

impl<F> CallOffline<'_, F> {
    /// Returns the model's reply, or the extractive one if there is no model.
    pub async fn reply<R: Reply>(self) -> Result<R>
    where
        F: FnOnce() -> R,
    {
        self.reply_and_mode().await.map(|(reply, _)| reply)
    }

    /// Returns the model's reply, or the extractive one if there is no model, with its mode.
    ///
    /// The reply is also extractive, with a warning, if the budget does not allow the model: a run that meets its cap still delivers.
    /// The same holds for a call with [`Call::even_if_unusable`] whose model gives no usable reply.
    pub async fn reply_and_mode<R: Reply>(self) -> Result<(R, Mode)>
    where
        F: FnOnce() -> R,
    {
        let CallOffline { mut call, speak } = self;
        let page = call.page::<R>()?;
        let mut failures = Vec::new();
        let live = match call.run.recorded(&page.step, page.input)? {
            Recorded::Value { value, origin, failures } => {
                call.made();
                let mode = if origin == Origin::Offline { Mode::Offline } else { Mode::Model };
                if mode == Mode::Offline && call.run.mode() == Mode::Model {
                    call.run.warn(call.without_model(&failures));
                }
                return Ok((read_back(&page.step, value)?, mode));
            }
            Recorded::Refused(cap) => Err(Stop::Budget { step: page.step.clone(), cap }),
            Recorded::Failures(_) if call.run.mode() == Mode::Offline => {
                call.made();
                return Ok((call.extractive(&page, speak()).await?, Mode::Offline));
            }
            Recorded::Failures(tries) => {
                failures = tries;
                call.live(&page, &mut failures).await
            }
        };
        call.made();
        match live {
            Ok(reply) => Ok((reply, Mode::Model)),
            Err(stop) if call.goes_without(&stop, &failures) => {
                Ok((call.extractive(&page, speak()).await?, Mode::Offline))
            }
            Err(stop) => Err(stop),
        }
    }
}

impl Call<'_> {
    /// Returns whether the call goes on without its model after `stop`, and adds a warning if so.
    fn goes_without(&self, stop: &Stop, failures: &[Failure]) -> bool {
        let is_synthesis = self.share != Share::Ordinary;
        let goes = match stop {
            Stop::Budget { cap: CapMet::Tokens { .. } | CapMet::Cost { .. }, .. } => true,
            Stop::Budget { .. } => is_synthesis,
            Stop::Stage { .. } => self.outlives_unusable && is_unusable(failures),
            _ => false,
        };
        // A replay makes nothing that is not in the log.
        let goes = goes && self.run.shared.world.reach == Reach::Live;
        if goes {
            self.run.warn(self.without_model(failures));
        }
        goes
    }

    /// Returns the warning that a call goes on without its model.
    fn without_model(&self, failures: &[Failure]) -> String {
        let name = self.agent.name;
        if is_unusable(failures) {
            return format!(
                "no usable reply from the model for the agent '{name}', so its part was made without a model, from quotes"
            );
        }
        format!(
            "the budget left no model call for the agent '{name}', so its part was made without a model, from quotes"
        )
    }

    async fn extractive<R: Reply>(&self, page: &Page, reply: R) -> Result<R> {
        let within = self.run.within(&page.step).await?;
        let unreadable = |error: serde_json::Error| Stop::Stage {
            stage: page.step.clone(),
            message: error.to_string(),
            retry_attempted: false,
        };
        let value = serde_json::to_value(&reply).map_err(unreadable)?;
        let asking = self.asking(page, "offline");
        let step = page.step.clone();
        self.run.note(vec![
            Event::Called {
                step: step.clone(),
                input: page.input,
                asking: Some(asking),
                reserved: Spend::default(),
                within,
            },
            Event::Returned {
                step,
                origin: Origin::Offline,
                value,
                usage: Usage::default(),
                cost_usd_micros: 0,
            },
        ]);
        Ok(reply)
    }
}

/// Returns whether no try is left and no reply was usable.
fn is_unusable(failures: &[Failure]) -> bool {
    failures.len() >= TRIES && failures.iter().all(|one| one.fault == Fault::Malformed)
}

/// Returns what went wrong in `tries` tries, for the user.
fn told(last: &Failure, tries: usize) -> String {
    match last.fault {
        Fault::Malformed => format!(
            "the model gave no usable reply in {tries} tries; about the last one: {}",
            last.error
        ),
        Fault::Unreachable => last.error.clone(),
    }
}

struct Page {
    step: String,
    prompt: Arc<Prompt>,
    user: Arc<str>,
    /// `None` if prose is asked for.
    schema: Option<Arc<ReplySchema>>,
    input: Hash,
}

impl ChatRequest {
    /// Returns what answering may spend.
    fn need(&self, price: Option<Price>) -> Need {
        Need { prompt_tokens: self.prompt_tokens(), reply_tokens: self.max_tokens, price }
    }

    /// Returns the most that answering can use.
    fn most(&self) -> Usage {
        let (input_tokens, output_tokens) = (self.prompt_tokens(), self.max_tokens.into());
        Usage { input_tokens, cached_tokens: 0, output_tokens }
    }

    /// Returns an upper bound for the tokens that the model will read.
    pub fn prompt_tokens(&self) -> u64 {
        /// The most that a chat template adds to each turn.
        const TEMPLATE: u64 = 16;
        let turns: u64 = self.turns.iter().map(|turn| most_tokens(&turn.text) + TEMPLATE).sum();
        let schema = self.schema.as_ref();
        let schema = schema.map_or(0, |schema| most_tokens_of_prose(schema.most_bytes()));
        most_tokens(&self.system) + TEMPLATE + turns + schema
    }
}

/// Returns whether a call that failed with this error may still have been billed.
fn may_be_billed(error: &PortError) -> bool {
    match error {
        PortError::TimedOut { .. } | PortError::Malformed { .. } => true,
        PortError::Refused { status, .. } => *status < 400,
        PortError::Unreachable { .. }
        | PortError::Limited { .. }
        | PortError::Failed { .. }
        | PortError::Invalid { .. }
        | PortError::Store { .. }
        | PortError::DiskFull { .. } => false,
    }
}

/// Returns the message to a model whose reply is unusable, in three lines at most.
fn again(error: &str, schema: Option<&ReplySchema>) -> String {
    /// The maximum number of characters of an error.
    const LONGEST: usize = 300;
    let error: String = one_line(error).chars().take(LONGEST).collect();
    match schema {
        None => format!(
            "Your reply cannot be used: {error}.\nReturn the whole text again, corrected, and nothing else."
        ),
        Some(schema) => format!(
            "Your reply cannot be used: {error}.\nReturn the whole object again, corrected, and nothing else. Its shape, with one item of each list:\n{}",
            schema::build_example(&schema.schema)
        ),
    }
}

const CUT_OFF: &str = "the reply was cut off before its end; be briefer";

/// A call, its repair, and the whole once more.
const TRIES: usize = 3;

/// Reads a reply: tolerantly as JSON, then strictly as `R`, then by the rules of `R`.
fn understand<R: Reply>(
    reply: &ChatReply,
    is_last: bool,
) -> std::result::Result<(serde_json::Value, R), String> {
    if R::FORM == Form::Prose {
        return understand_prose(reply, is_last);
    }
    let read = match tolerant::read(&reply.text) {
        Ok(read) => read,
        Err(_) if reply.cut_off => return Err(CUT_OFF.into()),
        // Broken JSON is requested again; only a reply without any JSON counts as plain text.
        Err(error @ tolerant::Unreadable::NoJson { .. }) => {
            return checked(R::plain(&reply.text).ok_or_else(|| error.to_string())?);
        }
        Err(error) => return Err(error.to_string()),
    };
    if reply.cut_off || read.truncated {
        return Err(CUT_OFF.into());
    }
    let is_code = |pointer: &str| {
        R::CODE.is_some_and(|key| pointer.rsplit('/').next().is_some_and(|last| last == key))
    };
    let suspicious = tolerant::suspicious_controls(&read.value);
    if let Some(pointer) = suspicious.iter().find(|pointer| !is_code(pointer)) {
        return Err(format!(
            "the text at {pointer} holds a control character: write a backslash as \\\\ in JSON"
        ));
    }
    let mut value = read.value;
    without_nulls(&mut value);
    let typed: R = serde_json::from_value(value)
        .map_err(|error| format!("the object does not fit its schema: {error}"))?;
    checked(typed)
}

/// Reads prose, or an object that came instead of it. A reply that was cut off is requested again; the last one is taken up to its
/// last sentence.
fn understand_prose<R: Reply>(
    reply: &ChatReply,
    is_last: bool,
) -> std::result::Result<(serde_json::Value, R), String> {
    let text = tolerant::prose(&reply.text);
    if text.is_empty() {
        return Err(if reply.cut_off { CUT_OFF.into() } else { "the reply is empty".into() });
    }
    if tolerant::is_object(&text) {
        let read = tolerant::read(&reply.text).ok();
        let truncated = read.as_ref().is_some_and(|read| read.truncated);
        if (reply.cut_off || truncated) && !is_last {
            return Err(CUT_OFF.into());
        }
        if let Some(typed) = read.and_then(|read| R::from_object(&read.value)) {
            return checked(typed);
        }
        if !is_last {
            return Err("the reply is JSON where prose was asked for".into());
        }
    }
    if reply.cut_off && !is_last {
        return Err(CUT_OFF.into());
    }
    let text = if reply.cut_off { tolerant::up_to_last_sentence(&text) } else { &text };
    checked(R::plain(text).ok_or("the reply says nothing")?)
}

/// Removes nulls: a null member counts as missing.
fn without_nulls(value: &mut serde_json::Value) {
    match value {
        serde_json::Value::Object(members) => {
            members.retain(|_, member| !member.is_null());
            members.values_mut().for_each(without_nulls);
        }
        serde_json::Value::Array(items) => {
            items.retain(|item| !item.is_null());
            items.iter_mut().for_each(without_nulls);
        }
        _ => {}
    }
}

fn checked<R: Reply>(typed: R) -> std::result::Result<(serde_json::Value, R), String> {
    typed.check()?;
    // Drops whatever the type does not know: a reply cannot smuggle anything into the log.
    let value = serde_json::to_value(&typed).map_err(|error| error.to_string())?;
    Ok((value, typed))
}

/// The default deadline of one model call.
pub const CALL_DEADLINE: Duration = Duration::from_hours(1);

#[cfg(test)]
mod tests;
