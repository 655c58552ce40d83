//! The state from a run's log, in which a method that is called again finds its steps.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use serde_json::Value;

use crate::budget::{Account, CapMet, Spend};
use crate::entry::{Ask, Entry, Event, Fault, Hash, Head, Origin};
use crate::evidence::Numbered;
use crate::log::Sealed;
use crate::plan::Plan;
use crate::work::Deliverable;

/// A failed try of a step, as logged.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Failure {
    pub(crate) fault: Fault,
    pub(crate) error: String,
    pub(crate) reply: Option<String>,
}

/// What the log holds on a step.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Recorded {
    Value {
        value: Value,
        origin: Origin,
        /// The failed tries before it.
        failures: Vec<Failure>,
    },
    /// The budget did not allow it.
    Refused(CapMet),
    /// No value yet, only these failed tries.
    Failures(Vec<Failure>),
}

#[derive(Default)]
struct Step {
    input: Hash,
    value: Option<(Value, Origin)>,
    failures: Vec<Failure>,
    refused: Option<CapMet>,
}

/// Returns the time at work between an entry and the next one; zero if the run was idle between them.
pub(crate) fn worked_between(one: &Entry, next: &Entry) -> Duration {
    let idle = matches!(
        next.event,
        Event::Resumed { .. }
            | Event::Answered { .. }
            | Event::Revised { .. }
            | Event::Approved { .. }
            | Event::Rejected { .. }
            | Event::Forked { .. }
            | Event::Cancelled { .. }
    );
    if idle {
        return Duration::ZERO;
    }
    Duration::try_from(next.at.duration_since(one.at)).unwrap_or_default()
}

/// Returns each entry with the time at work up to it.
pub(crate) fn at_work(entries: &[Entry]) -> impl Iterator<Item = (&Entry, Duration)> {
    let before = std::iter::once(None).chain(entries.iter().map(Some));
    entries.iter().zip(before).scan(Duration::ZERO, |worked, (entry, before)| {
        *worked += before.map_or(Duration::ZERO, |before| worked_between(before, entry));
        Some((entry, *worked))
    })
}

/// Returns the time at work from the first entry of each part of a run to its last, in milliseconds. `part` maps an event to its part.
pub(crate) fn spans<'e, P: Ord>(
    entries: &'e [Entry],
    mut part: impl FnMut(&'e Event) -> Option<P>,
) -> BTreeMap<P, u64> {
    let mut spans: BTreeMap<P, (Duration, Duration)> = BTreeMap::new();
    for (entry, worked) in at_work(entries) {
        if let Some(part) = part(&entry.event) {
            spans.entry(part).or_insert((worked, worked)).1 = worked;
        }
    }
    let taken = |(from, to): (Duration, Duration)| milliseconds(to.saturating_sub(from));
    spans.into_iter().map(|(part, span)| (part, taken(span))).collect()
}

pub(crate) fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// A run's past and its account, kept while a worker has the run.
#[derive(Default)]
pub(crate) struct Journal {
    head: Head,
    steps: HashMap<String, Step>,
    said: BTreeMap<String, u32>,
    forked: bool,
    /// The number of uses of each name in this attempt.
    pub(crate) counters: HashMap<String, u32>,
    pub(crate) answers: HashMap<String, String>,
    pub(crate) asked: HashMap<String, Ask>,
    /// The plans at each gate, by revision.
    plans: HashMap<String, BTreeMap<u32, Plan>>,
    /// The approved plans.
    pub(crate) approved: HashMap<String, Plan>,
    /// The last approved plan, which may be an amendment: it governs what may be done.
    pub(crate) in_force: Option<Plan>,
    /// Who rejected the plan at each gate.
    pub(crate) rejected: HashMap<String, String>,
    pub(crate) cited: Vec<Numbered>,
    pub(crate) warnings: Vec<String>,
    /// The partial result if the run ends early.
    pub(crate) kept: Option<Deliverable>,
    pub(crate) account: Account,
    /// Steps of this attempt that were called and have not returned.
    pub(crate) under_way: BTreeSet<String>,
    /// Time at work in earlier attempts.
    pub(crate) worked: Duration,
}

impl Journal {
    /// Folds the entries of a run.
    pub(crate) fn of(entries: &[Entry]) -> Journal {
        let mut journal = Journal::default();
        let mut open: HashMap<&str, Spend> = HashMap::new();
        let mut last: Option<&Entry> = None;
        for entry in entries {
            journal.head = Head { seq: entry.seq, hash: entry.hash };
            journal.worked += last.map_or(Duration::ZERO, |last| worked_between(last, entry));
            last = Some(entry);
            let spent = journal.read(&entry.event, &mut open);
            journal.account.spent = journal.account.spent + spent;
        }
        for lost in open.into_values() {
            journal.account.spent = journal.account.spent + lost;
        }
        journal
    }

    /// Applies one event; returns the spend that it settled.
    fn read<'a>(&mut self, event: &'a Event, open: &mut HashMap<&'a str, Spend>) -> Spend {
        match event {
            Event::Forked { .. } => {
                self.forked = true;
                self.account = Account::default();
                self.worked = Duration::ZERO;
                open.clear();
            }
            Event::Called { step, input, reserved, .. } => {
                // A call lost with its process is charged with its reservation; its repetition is not another step.
                let lost = open.insert(step, *reserved);
                self.account.steps += u64::from(lost.is_none());
                let known = self.steps.entry(step.clone()).or_default();
                if known.input != *input {
                    *known = Step { input: *input, ..Step::default() };
                }
                return lost.unwrap_or_default();
            }
            Event::Returned { step, origin, value, usage, cost_usd_micros } => {
                open.remove(step.as_str());
                if let Some(known) = self.steps.get_mut(step) {
                    known.value = Some((value.clone(), *origin));
                }
                return Spend { tokens: usage.total(), cost_usd_micros: *cost_usd_micros };
            }
            Event::Failed { step, fault, error, reply, usage, cost_usd_micros, .. } => {
                open.remove(step.as_str());
                if let Some(known) = self.steps.get_mut(step) {
                    known.failures.push(Failure {
                        fault: *fault,
                        error: error.clone(),
                        reply: reply.clone(),
                    });
                }
                return Spend { tokens: usage.total(), cost_usd_micros: *cost_usd_micros };
            }
            Event::Refused { step, input, cap, .. } => {
                let known = self.steps.entry(step.clone()).or_default();
                if known.input != *input {
                    *known = Step { input: *input, ..Step::default() };
                }
                known.refused = Some(cap.clone());
            }
            Event::Cited { number, evidence } => {
                self.cited.push(Numbered { number: *number, evidence: Arc::clone(evidence) });
            }
            Event::Asked { gate, ask } => {
                self.asked.insert(gate.clone(), ask.clone());
                match &ask.plan {
                    // A plan is not a question: its approval is the person's own decision and does not count as one.
                    Some(plan) => {
                        self.plans.entry(gate.clone()).or_default().insert(1, (**plan).clone());
                    }
                    None => self.account.questions += 1,
                }
            }
            Event::Answered { gate, answer, .. } => {
                self.answers.insert(gate.clone(), answer.clone());
            }
            Event::Revised { gate, revision, plan, .. } => {
                self.plans.entry(gate.clone()).or_default().insert(*revision, (**plan).clone());
            }
            Event::Approved { gate, revision, .. } => {
                if let Some(plan) = self.plans.get(gate).and_then(|plans| plans.get(revision)) {
                    self.approved.insert(gate.clone(), plan.clone());
                    self.in_force = Some(plan.clone());
                }
            }
            Event::Rejected { gate, by, .. } => {
                self.rejected.insert(gate.clone(), by.clone());
            }
            Event::Said { line } => *self.said.entry(line.clone()).or_default() += 1,
            Event::Started { .. }
            | Event::Resumed { .. }
            | Event::Finished { .. }
            | Event::Stopped { .. }
            | Event::Cancelled { .. } => {}
        }
        Spend::default()
    }

    /// Returns what is known of `step`, or an error if it was recorded with other input.
    ///
    /// In a fork such a step is simply unknown: there the fork diverges.
    pub(crate) fn lookup(&mut self, step: &str, input: Hash) -> Result<Recorded, ()> {
        let Some(known) = self.steps.get(step) else { return Ok(Recorded::Failures(Vec::new())) };
        if known.input != input {
            if self.forked {
                self.steps.remove(step);
                return Ok(Recorded::Failures(Vec::new()));
            }
            return Err(());
        }
        Ok(match (&known.value, &known.refused) {
            (Some((value, origin)), _) => Recorded::Value {
                value: value.clone(),
                origin: *origin,
                failures: known.failures.clone(),
            },
            (None, Some(cap)) => Recorded::Refused(cap.clone()),
            (None, None) => Recorded::Failures(known.failures.clone()),
        })
    }

    /// Returns whether the gate was asked. In a fork a different question at the gate counts as not asked: the fork diverges, and the
    /// old answer belongs to another question.
    pub(crate) fn was_asked(&mut self, gate: &str, ask: &Ask) -> bool {
        let same = self.asked.get(gate).is_some_and(|asked| asked == ask);
        if same || !self.forked {
            return self.asked.contains_key(gate);
        }
        self.asked.remove(gate);
        self.answers.remove(gate);
        self.plans.remove(gate);
        self.approved.remove(gate);
        self.rejected.remove(gate);
        false
    }

    /// Returns whether an earlier attempt logged the line, and crosses it off.
    pub(crate) fn already_said(&mut self, line: &str) -> bool {
        match self.said.get_mut(line) {
            Some(count) if *count > 0 => {
                *count -= 1;
                true
            }
            _ => false,
        }
    }

    /// Seals the event as the next entry.
    pub(crate) fn seal(&mut self, at: Timestamp, event: Event) -> (Entry, Sealed) {
        let (entry, body) = Entry::seal(&self.head, at, event);
        self.head = Head { seq: entry.seq, hash: entry.hash };
        let sealed = Sealed { seq: entry.seq, hash: entry.hash, body };
        (entry, sealed)
    }
}
