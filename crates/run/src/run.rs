//! The engine of a run: the calls of a method, and what makes each call a step.
//!
//! A step is looked up in the log first. A recorded value is returned unchanged; otherwise the step is executed, with an entry before
//! and one after, within the budget, and stopped when someone cancels. So a method contains none of that, and resuming a run means
//! calling its method again.
//!
//! # The log
//!
//! - `Entry { seq, at, event, hash }`; the hash covers the previous one and the entry's canonical JSON (RFC 8785), so a changed past
//!   shows. `runs show` reports whether the log is intact, and a run with a damaged log does not go on.
//! - **Steps are found by name**: scope, agent, count (`explore/critic #2`). A recorded step called with other input is `Diverged` and
//!   refused, except in a fork, which diverges at the first such step.
//! - **Before the program ends** `World::pause` pauses runs: a step that would begin waits until parallel steps have ended, and then
//!   the run returns to the queue.
//! - A call lost with its process is charged with its reservation.
//!
//! # Gates, cancel, budget
//!
//! `run.ask` returns the answer if the log has it; otherwise it appends `asked` and the method unwinds with `Stop::Waiting`. Nothing
//! is held while a person thinks. Answering is a compare-and-set. `run.propose` asks for the approval of a plan in the same way, and
//! returns the revision that was approved: an edit is a `revised` entry, an approval names the revision and the hash of the plan that
//! was seen, and a rejection ends the run. A caller that loses the compare-and-set gets an error with the current state of the gate.
//! Cancelling races every port: the future is dropped, the connection closes. The budget reserves a bound for the tokens of the prompt
//! (`run::tokens`) and the longest reply, or a shorter one of at least usual length if no more is free, settles with the provider's
//! count, and holds back what the synthesis and its reading usually need for as long as the budget can pay for it
//! (`docs/decisions/budgets.md`). A stage that no longer fits is extractive, with a warning, and the run goes on.

mod agreed;
mod gates;
mod looked_up;
mod past;
mod startups;

use std::future::Future;
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures::future::BoxFuture;
use jiff::{SignedDuration, Timestamp};
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::sync::{Notify, watch};
use tokio::time::Instant;

use crate::asking::Call;
use crate::budget::{CapMet, Granted, HeldBack, Need, Share, Spend, Usage};
use crate::entry::{Asking, Entry, Event, Fault, Hash, Origin};
use crate::error::PortError;
use crate::evidence::{Evidence, Numbered, Passage};
use crate::journal::{Journal, Recorded};
use crate::listener::Signal;
use crate::log::{Append, Fence, LogError, Status, Wait};
use crate::prompt::{Agent, PromptError};
use crate::settings::{Mode, Settings};
use crate::tokens::most_tokens_of_prose;
use crate::work::Deliverable;
use crate::world::{Reach, World};
use agreed::Agreed;

/// The result of a method's call: a value, or the reason to stop.
pub type Result<T> = std::result::Result<T, Stop>;

/// Why a method stops before its end.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Stop {
    #[error("waiting for an answer at '{gate}'")]
    Waiting { gate: String },
    #[error("cancelled by {by}")]
    Cancelled { by: String },
    #[error("{cap} at step '{step}'")]
    Budget { step: String, cap: CapMet },
    /// The step failed twice.
    #[error("step '{stage}' failed: {message}")]
    Stage { stage: String, message: String, retry_attempted: bool },
    #[error(
        "step '{step}' had different input in the log, so this version cannot continue the run. Fork it instead: `quaestio \
         runs fork`"
    )]
    Diverged { step: String },
    #[error("step '{step}' is not in the log, and a replay runs nothing new")]
    NotRecorded { step: String },
    #[error(
        "step '{step}' was not started, because the program is shutting down; resume the run to continue"
    )]
    Paused { step: String },
    #[error(transparent)]
    Log(#[from] LogError),
}

impl From<PromptError> for Stop {
    fn from(error: PromptError) -> Stop {
        Stop::Stage {
            stage: error.prompt.clone(),
            message: error.to_string(),
            retry_attempted: false,
        }
    }
}

/// A run as its method sees it. Cheap to clone; a clone from [`Run::scope`] names its steps separately.
#[derive(Clone)]
pub struct Run {
    pub(crate) shared: Arc<Shared>,
    scope: String,
    agreed: Option<Arc<Agreed>>,
    /// The question in other words.
    reworded: Option<Arc<str>>,
}

pub(crate) struct Shared {
    pub(crate) id: String,
    pub(crate) user: String,
    pub(crate) question: String,
    pub(crate) settings: Settings,
    pub(crate) world: World,
    attempt: u32,
    journal: Mutex<Journal>,
    /// Notified whenever a reservation is settled.
    settled: Notify,
    cancelled: watch::Receiver<Option<String>>,
    began: Instant,
}

impl Run {
    /// Returns the run described by the entries, ready for its method to be called.
    pub(crate) fn over(
        world: World,
        id: &str,
        attempt: u32,
        entries: &[Entry],
        cancelled: watch::Receiver<Option<String>>,
    ) -> std::result::Result<Run, LogError> {
        let Some(Entry { event: Event::Started { question, settings, user, .. }, .. }) =
            entries.first()
        else {
            return Err(LogError::NoSuchRun { run: id.to_owned() });
        };
        let shared = Shared {
            id: id.to_owned(),
            user: user.clone(),
            question: question.clone(),
            settings: settings.clone(),
            journal: Mutex::new(Journal::of(entries)),
            settled: Notify::new(),
            world,
            attempt,
            cancelled,
            began: Instant::now(),
        };
        Ok(Run { shared: Arc::new(shared), scope: String::new(), agreed: None, reworded: None })
    }

    pub fn id(&self) -> &str {
        &self.shared.id
    }

    /// Returns the question, as it was asked or as [`Run::asking`] words it.
    pub fn question(&self) -> &str {
        self.reworded.as_deref().unwrap_or(&self.shared.question)
    }

    /// Returns the same run with its question in other words.
    #[must_use]
    pub fn asking(&self, question: impl Into<Arc<str>>) -> Run {
        Run { reworded: Some(question.into()), ..self.clone() }
    }

    pub fn mode(&self) -> Mode {
        self.shared.settings.mode()
    }

    /// Returns the method's own options with which the run was started.
    pub fn options<T: DeserializeOwned>(&self) -> Result<T> {
        T::deserialize(&self.shared.settings.options).map_err(|error| Stop::Stage {
            stage: "options".into(),
            message: format!("could not read the options of the run: {error}"),
            retry_attempted: false,
        })
    }

    /// Returns the settings with which the run was started.
    pub fn settings(&self) -> &Settings {
        &self.shared.settings
    }

    /// Returns the cap on the run's steps; `None` if there is none.
    pub fn max_steps(&self) -> Option<u64> {
        self.shared.settings.budget.max_steps
    }

    /// Returns the same run with its steps named `<scope>/…`, so that parallel branches need no order.
    pub fn scope(&self, name: &str) -> Run {
        let scope =
            if self.scope.is_empty() { name.to_owned() } else { format!("{}/{name}", self.scope) };
        Run { scope, ..self.clone() }
    }

    /// Begins a call of `agent`.
    pub fn agent(&self, agent: &Agent) -> Call<'_> {
        Call::new(self, *agent)
    }

    /// Begins a call of `agent` without the question, the plan or the user's answers: it judges only what it is shown.
    pub fn agent_apart(&self, agent: &Agent) -> Call<'_> {
        Call::apart(self, *agent)
    }

    /// Holds back enough of the budget for `agent` to answer a prompt of `prompt_bytes` at the end, replacing the share held back for
    /// it before.
    pub fn hold_back(&self, agent: &Agent, prompt_bytes: usize) -> Result<()> {
        self.hold_back_calls(agent.name, agent, prompt_bytes, &[0], 1)
    }

    /// Holds back enough of the budget as `share` for `steps` steps and a call of each of `models`, counted from 0 in the tier of
    /// `agent`, with a prompt of `prompt_bytes` each. Replaces what was held back as that share before.
    pub fn hold_back_calls(
        &self,
        share: &'static str,
        agent: &Agent,
        prompt_bytes: usize,
        models: &[usize],
        steps: usize,
    ) -> Result<()> {
        if let Some(all) = &self.shared.world.models {
            let prompt = self.shared.world.prompts.of(agent)?;
            let told = self.briefing(agent.name);
            let told: usize = told.iter().map(|(name, text)| name.len() + text.len()).sum();
            let prompt_tokens = most_tokens_of_prose(prompt_bytes + told);
            let spend = models.iter().map(|model| {
                let price = all.at(prompt.tier, *model).price();
                Need { prompt_tokens, reply_tokens: prompt.max_tokens, price }.usual()
            });
            let spend = spend.fold(Spend::default(), |sum, one| sum + one);
            let part = HeldBack { spend, steps: steps as u64 };
            self.journal().account.held_back.insert(share, part);
        }
        Ok(())
    }

    /// Returns how many usual calls of `agent` with a prompt of `prompt_bytes` the run's caps pay for; infinite if there are none.
    /// Past spending does not count: a run that is taken up again must get the same result.
    pub fn affordable(&self, agent: &Agent, prompt_bytes: usize) -> Result<f64> {
        let Some(models) = &self.shared.world.models else { return Ok(f64::INFINITY) };
        let prompt = self.shared.world.prompts.of(agent)?;
        let price = models.at(prompt.tier, 0).price();
        let prompt_tokens = most_tokens_of_prose(prompt_bytes);
        let one = Need { prompt_tokens, reply_tokens: prompt.max_tokens, price }.usual();
        let budget = &self.shared.settings.budget;
        let of = |cap: Option<u64>, one: u64| match cap {
            Some(cap) if one > 0 => cap as f64 / one as f64,
            _ => f64::INFINITY,
        };
        let tokens = of(budget.max_tokens, one.tokens);
        let cost = of(budget.max_cost_usd_micros, one.cost_usd_micros);
        Ok(tokens.min(cost).min(of(budget.max_steps, 1)))
    }

    /// Releases the share held back for `agent`: it has made all its calls.
    pub fn release(&self, agent: &Agent) {
        self.release_share(agent.name);
    }

    /// Releases the budget held back as `share`.
    pub fn release_share(&self, share: &'static str) {
        self.journal().account.held_back.remove(share);
    }

    /// Adds a status line to the log.
    pub fn say(&self, line: impl Into<String>) {
        let line = line.into();
        let mut journal = self.journal();
        if !journal.already_said(&line) && self.shared.world.reach == Reach::Live {
            self.enqueue(&mut journal, vec![Event::Said { line }]);
        }
    }

    /// Adds a warning for the reader of the deliverable.
    pub fn warn(&self, warning: impl Into<String>) {
        let warning = warning.into();
        let mut journal = self.journal();
        if !journal.warnings.contains(&warning) {
            journal.warnings.push(warning);
        }
    }

    /// Saves the result so far, replacing the previous one: if the run ends early, it delivers this.
    pub fn keep(&self, so_far: Deliverable) {
        self.journal().kept = Some(so_far);
    }

    /// Adds passages to the run as evidence, numbered from 1 throughout the run.
    pub fn cite(&self, passages: Vec<Passage>) -> Result<Vec<Numbered>> {
        let mut journal = self.journal();
        let now = self.shared.world.clock.now();
        let mut cited = Vec::new();
        let mut events = Vec::new();
        for passage in passages {
            let evidence = Arc::new(Evidence::from_passage(passage, now));
            let known = journal
                .cited
                .iter()
                .find(|known| known.evidence.evidence_id == evidence.evidence_id);
            if let Some(known) = known {
                cited.push(known.clone());
                continue;
            }
            self.only_live("cite")?;
            let number = journal.cited.len() as u32 + 1;
            events.push(Event::Cited { number, evidence: Arc::clone(&evidence) });
            let numbered = Numbered { number, evidence };
            journal.cited.push(numbered.clone());
            cited.push(numbered);
        }
        if !events.is_empty() {
            self.enqueue(&mut journal, events);
        }
        Ok(cited)
    }

    /// Executes `work` as the step `name`, retries it once, and never repeats it once its value is in the log.
    pub async fn step<T, F>(
        &self,
        name: &str,
        input: &impl Serialize,
        mut work: impl FnMut() -> F,
    ) -> Result<T>
    where
        T: Serialize + DeserializeOwned,
        F: Future<Output = std::result::Result<T, PortError>>,
    {
        let step = self.next(name);
        let input = Hash::of_json(input);
        let mut failed = match self.recorded(&step, input)? {
            Recorded::Value { value, .. } => return read_back(&step, value),
            Recorded::Refused(cap) => return Err(Stop::Budget { step, cap }),
            Recorded::Failures(failures) => match failures.as_slice() {
                [_, .., last] => {
                    return Err(Stop::Stage {
                        stage: step,
                        message: last.error.clone(),
                        retry_attempted: true,
                    });
                }
                failures => failures.len() as u32,
            },
        };
        loop {
            let Granted { spend: reserved, .. } =
                self.begin(&step, input, None, &Need::default(), Share::Ordinary).await?;
            let (usage, cost_usd_micros) = (Usage::default(), 0);
            let doing = pin!(work());
            let error = match self.racing(&step, input, reserved, doing).await? {
                Ok(value) => {
                    let logged =
                        serde_json::to_value(&value).map_err(|error| unreadable(&step, &error))?;
                    let (step, origin) = (step, Origin::Port);
                    let event =
                        Event::Returned { step, origin, value: logged, usage, cost_usd_micros };
                    self.end(reserved, Spend::default(), event);
                    return Ok(value);
                }
                Err(error) => error.to_string(),
            };
            failed += 1;
            let event = Event::Failed {
                step: step.clone(),
                attempt: failed,
                fault: Fault::Unreachable,
                error: error.clone(),
                reply: None,
                usage,
                cost_usd_micros,
            };
            self.end(reserved, Spend::default(), event);
            if failed >= 2 {
                return Err(Stop::Stage { stage: step, message: error, retry_attempted: true });
            }
        }
    }

    /// Returns the name of the next step called `name` in this scope: `scope/name #2`.
    pub(crate) fn next(&self, name: &str) -> String {
        let name = self.name(name);
        let mut journal = self.journal();
        let count = journal.counters.entry(name.clone()).or_default();
        *count += 1;
        format!("{name} #{count}")
    }

    fn name(&self, name: &str) -> String {
        if self.scope.is_empty() { name.to_owned() } else { format!("{}/{name}", self.scope) }
    }

    /// Returns what the log holds on the step.
    pub(crate) fn recorded(&self, step: &str, input: Hash) -> Result<Recorded> {
        let mut journal = self.journal();
        let recorded =
            journal.lookup(step, input).map_err(|()| Stop::Diverged { step: step.to_owned() })?;
        if let Recorded::Failures(failures) = &recorded
            && failures.is_empty()
        {
            self.only_live(step)?;
        }
        if let Recorded::Failures(_) = &recorded {
            self.not_cancelled()?;
        }
        Ok(recorded)
    }

    pub(crate) fn only_live(&self, step: &str) -> Result<()> {
        match self.shared.world.reach {
            Reach::Live => Ok(()),
            Reach::Recorded => Err(Stop::NotRecorded { step: step.to_owned() }),
        }
    }

    fn not_cancelled(&self) -> Result<()> {
        match self.shared.cancelled.borrow().clone() {
            Some(by) => Err(Stop::Cancelled { by }),
            None => Ok(()),
        }
    }

    /// Reserves what the step may spend and logs that it is about to be called; returns what it was granted.
    ///
    /// If only the reservations of calls under way stand against it, it waits until one of them has returned.
    pub(crate) async fn begin(
        &self,
        step: &str,
        input: Hash,
        asking: Option<Asking>,
        need: &Need,
        share: Share,
    ) -> Result<Granted> {
        self.not_cancelled()?;
        self.only_live(step)?;
        let within = self.within(step).await?;
        let (granted, since, written) = loop {
            let settled = self.shared.settled.notified();
            // Parallel steps under way end first: if dropped, they would be paid for again.
            if self.shared.world.pause.is_wanted() {
                if self.journal().under_way.is_empty() {
                    return Err(Stop::Paused { step: step.to_owned() });
                }
            } else {
                let mut journal = self.journal();
                let budget = &self.shared.settings.budget;
                let allowed = self.wall_left(&journal);
                match allowed.and_then(|_| journal.account.reserve(budget, need, share)) {
                    Ok(Some(granted)) => {
                        let (step, reserved) = (step.to_owned(), granted.spend);
                        journal.under_way.insert(step.clone());
                        let event = Event::Called { step, input, asking, reserved, within };
                        let since = self.shared.world.clock.now();
                        let written =
                            self.append(&mut journal, vec![event], Status::Running, Wait::Durable);
                        break (granted, since, written);
                    }
                    Ok(None) => {}
                    Err(cap) => return Err(self.refuse(&mut journal, step, input, cap, within)),
                }
            }
            self.racing(step, input, Spend::default(), settled).await?;
        };
        self.hold(since, written).await?;
        Ok(granted)
    }

    /// Waits until what was appended at `since` is stored; after a long wait, until this attempt still holds the run.
    ///
    /// A process that is paused after its entry was stored may be taken over before it wakes, and the step done by another attempt.
    async fn hold(
        &self,
        since: Timestamp,
        written: impl Future<Output = std::result::Result<(), LogError>>,
    ) -> std::result::Result<(), LogError> {
        /// Shorter than any lease lasts after it was renewed.
        const MOMENT: SignedDuration = SignedDuration::from_secs(5);
        written.await?;
        if self.shared.world.clock.now().duration_since(since) < MOMENT {
            return Ok(());
        }
        let held = self.append(&mut self.journal(), vec![], Status::Running, Wait::Durable);
        held.await
    }

    /// Logs that the budget did not allow the step, so that a replay knows it too.
    fn refuse(
        &self,
        journal: &mut Journal,
        step: &str,
        input: Hash,
        cap: CapMet,
        within: Option<String>,
    ) -> Stop {
        let event = Event::Refused { step: step.to_owned(), input, cap: cap.clone(), within };
        self.enqueue(journal, vec![event]);
        Stop::Budget { step: step.to_owned(), cap }
    }

    /// Settles the reservation and logs how the step ended.
    pub(crate) fn end(&self, reserved: Spend, spent: Spend, event: Event) {
        let mut journal = self.journal();
        journal.account.settle(reserved, spent);
        if let Event::Returned { step, .. } | Event::Failed { step, .. } = &event {
            journal.under_way.remove(step);
        }
        self.shared.settled.notify_waiters();
        self.enqueue(&mut journal, vec![event]);
    }

    /// Logs a step that spends nothing and makes no external call.
    pub(crate) fn note(&self, events: Vec<Event>) {
        let mut journal = self.journal();
        journal.account.steps += 1;
        self.enqueue(&mut journal, events);
    }

    /// Waits for `work`, but no longer than the budget's time, and not at all once the run is cancelled.
    ///
    /// The loser of the race is dropped: a call to a model closes its connection. Its reservation counts as spent.
    pub(crate) async fn racing<T>(
        &self,
        step: &str,
        input: Hash,
        reserved: Spend,
        work: impl Future<Output = T>,
    ) -> Result<T> {
        let mut cancelled = self.shared.cancelled.clone();
        let left = self.wall_left(&self.journal()).unwrap_or_default();
        let lost = tokio::select! {
            biased;
            Ok(by) = cancelled.wait_for(Option::is_some) => {
                Stop::Cancelled { by: by.clone().unwrap_or_default() }
            }
            done = work => return Ok(done),
            () = tokio::time::sleep(left) => {
                let cap = self.shared.settings.budget.max_wall_seconds.unwrap_or(u64::MAX);
                // The `called` entry names the part of the plan.
                self.refuse(&mut self.journal(), step, input, CapMet::WallTime { cap }, None)
            }
        };
        let mut journal = self.journal();
        journal.account.settle(reserved, reserved);
        journal.under_way.remove(step);
        drop(journal);
        self.shared.settled.notify_waiters();
        Err(lost)
    }

    fn wall_left(&self, journal: &Journal) -> std::result::Result<Duration, CapMet> {
        const LONG: Duration = Duration::from_secs(365 * 86_400);
        let Some(cap) = self.shared.settings.budget.max_wall_seconds else { return Ok(LONG) };
        let worked = journal.worked + self.shared.began.elapsed();
        match Duration::from_secs(cap).checked_sub(worked) {
            Some(left) if !left.is_zero() => Ok(left.min(LONG)),
            _ => Err(CapMet::WallTime { cap }),
        }
    }

    /// Appends the events that end this attempt, and waits for the disk.
    pub(crate) async fn close(
        &self,
        events: Vec<Event>,
        status: Status,
    ) -> std::result::Result<(), LogError> {
        let written = self.append(&mut self.journal(), events, status, Wait::Durable);
        written.await
    }

    /// Logs that this attempt has begun.
    pub(crate) fn resumed(&self) {
        let event = Event::Resumed { attempt: self.shared.attempt };
        self.enqueue(&mut self.journal(), vec![event]);
    }

    /// Adds events to the log of a run that goes on, without waiting: a loss shows at the next durable append.
    fn enqueue(&self, journal: &mut Journal, events: Vec<Event>) {
        drop(self.append(journal, events, Status::Running, Wait::Soon));
    }

    /// Seals the events and queues them for the log, in the order of the journal's lock.
    fn append(
        &self,
        journal: &mut Journal,
        events: Vec<Event>,
        status: Status,
        wait: Wait,
    ) -> BoxFuture<'static, std::result::Result<(), LogError>> {
        let Shared { world, id, user, .. } = &*self.shared;
        let at = world.clock.now();
        let mut entries = Vec::with_capacity(events.len());
        for event in events {
            let (entry, sealed) = journal.seal(at, event);
            world.listener.hear(id, Signal::Entry(&entry));
            entries.push(sealed);
        }
        world.log.append(Append {
            user: user.clone(),
            run: id.clone(),
            entries,
            at,
            status,
            spent: journal.account.spent,
            fence: Fence::Attempt(self.shared.attempt),
            wait,
        })
    }

    pub(crate) fn journal(&self) -> MutexGuard<'_, Journal> {
        self.shared.journal.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Deserializes a recorded value to the type that the method expects.
pub(crate) fn read_back<T: DeserializeOwned>(step: &str, value: serde_json::Value) -> Result<T> {
    serde_json::from_value(value).map_err(|error| unreadable(step, &error))
}

fn unreadable(step: &str, error: &serde_json::Error) -> Stop {
    Stop::Stage {
        stage: step.to_owned(),
        message: format!("could not read the recorded value: {error}"),
        retry_attempted: false,
    }
}
