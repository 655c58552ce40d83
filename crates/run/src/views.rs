//! Views of a run: folds over its entries.

mod addressed;
mod execution;
mod gates;
mod labels;
pub mod spans;
mod workflow;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::Timestamp;
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::budget::{Usage, dollars};
use crate::entry::{Entry, Event, Outcome};
use crate::evidence::Numbered;
use crate::journal::milliseconds;
use crate::ledger::{Citation, Claim, Grounding, Layout};
use crate::settings::{Mode, Settings};
use crate::sources::Bibliography;
use papers::Paper;

pub use addressed::{Addressed, addressed};
pub use execution::{Amendment, Carried, CarriedState, Execution, execution};
pub use gates::{Gate, PlanState, Planned, Proposal, open_gates, plan};
pub use labels::{labels, labels_of_result};
pub use render::Labels;
pub use workflow::{
    ClarifyingQuestion, EndedEarly, Phase, WorkflowPlan, WorkflowState, phase, workflow,
};

/// Returns the status of the run by its log.
pub fn status(entries: &[Entry]) -> crate::log::Status {
    use crate::log::Status;
    let last = entries.iter().fold(Status::Queued, |status, entry| match entry.event {
        Event::Asked { .. } => Status::Waiting,
        Event::Answered { .. }
        | Event::Approved { .. }
        | Event::Forked { .. }
        | Event::Started { .. } => Status::Queued,
        Event::Finished { .. } => Status::Completed,
        Event::Stopped { .. } => Status::Partial,
        Event::Cancelled { .. } | Event::Rejected { .. } => Status::Cancelled,
        Event::Said { .. }
        | Event::Cited { .. }
        | Event::Refused { .. }
        | Event::Revised { .. } => status,
        Event::Called { .. }
        | Event::Returned { .. }
        | Event::Failed { .. }
        | Event::Resumed { .. } => Status::Running,
    });
    if last.is_final() || open_gates(entries).is_empty() { last } else { Status::Waiting }
}

/// The start of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Start<'a> {
    pub method: &'a str,
    pub version: u32,
    pub question: &'a str,
    pub settings: &'a Settings,
    pub user: &'a str,
}

/// Returns the start of the run; `None` if the log does not begin with it.
pub fn start(entries: &[Entry]) -> Option<Start<'_>> {
    match &entries.first()?.event {
        Event::Started { method, version, question, settings, user } => {
            Some(Start { method, version: *version, question, settings, user })
        }
        _ => None,
    }
}

/// The prompt of the second readers, who check claims against their sources.
const READER_PROMPT: &str = "ledger/reader";

/// The usage and cost of a run so far.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct Cost {
    #[serde(flatten)]
    pub usage: Usage,
    /// The number of model calls, including lost ones.
    pub calls: u64,
    /// Calls that ended without a reply, cut off or lost with their process; they are charged with their reservations.
    pub lost_calls: u64,
    #[serde(skip)]
    pub cost_usd_micros: u64,
    /// The part of it for second readers; `None` if there were none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reading: Option<Reading>,
}

/// The usage and cost of second readers.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct Reading {
    #[serde(flatten)]
    pub usage: Usage,
    pub cost_usd: f64,
}

/// Returns the usage of the run. In a fork the copied steps are not charged again.
pub fn cost(entries: &[Entry]) -> Cost {
    let mut cost = Cost::default();
    let mut open: BTreeMap<&str, u64> = BTreeMap::new();
    let mut readings: BTreeSet<&str> = BTreeSet::new();
    let mut read_micros = 0;
    for entry in entries {
        match &entry.event {
            Event::Forked { .. } => {
                read_micros = 0;
                cost = Cost::default();
                open.clear();
            }
            Event::Called { step, asking: Some(asking), reserved, .. }
                if asking.model != "offline" =>
            {
                cost.calls += 1;
                if asking.prompt == READER_PROMPT {
                    readings.insert(step);
                }
                if let Some(lost) = open.insert(step, reserved.cost_usd_micros) {
                    cost.cost_usd_micros += lost;
                    cost.lost_calls += 1;
                }
            }
            Event::Returned { step, usage, cost_usd_micros, .. }
            | Event::Failed { step, usage, cost_usd_micros, .. } => {
                open.remove(step.as_str());
                cost.usage += *usage;
                cost.cost_usd_micros += cost_usd_micros;
                if readings.contains(step.as_str()) {
                    read_micros += cost_usd_micros;
                    let reading = cost.reading.get_or_insert_default();
                    reading.usage += *usage;
                    reading.cost_usd = dollars(read_micros);
                }
            }
            _ => {}
        }
    }
    cost.lost_calls += open.len() as u64;
    cost.cost_usd_micros += open.values().sum::<u64>();
    cost
}

/// The usage and cost of one agent's calls.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct AgentCost {
    pub agent: String,
    /// The calls that returned, with any reply.
    pub calls: u64,
    #[serde(flatten)]
    pub usage: Usage,
    pub cost_usd: f64,
}

/// Returns the usage of each agent that called a model, in the order of their first calls. In a fork the copied steps are not charged
/// again.
pub fn cost_by_agent(entries: &[Entry]) -> Vec<AgentCost> {
    let mut agents: Vec<(AgentCost, u64)> = Vec::new();
    let mut speaking: BTreeMap<&str, usize> = BTreeMap::new();
    for entry in entries {
        match &entry.event {
            Event::Forked { .. } => {
                agents.clear();
                speaking.clear();
            }
            Event::Called { step, asking: Some(asking), .. } if asking.model != "offline" => {
                let name = asking.prompt.rsplit('/').next().unwrap_or_default();
                let known = agents.iter().position(|(one, _)| one.agent == name);
                let index = known.unwrap_or_else(|| {
                    agents.push((AgentCost { agent: name.into(), ..AgentCost::default() }, 0));
                    agents.len() - 1
                });
                speaking.insert(step, index);
            }
            Event::Returned { step, usage, cost_usd_micros, .. }
            | Event::Failed { step, usage, cost_usd_micros, .. } => {
                let index = speaking.remove(step.as_str());
                if let Some((agent, micros)) = index.and_then(|index| agents.get_mut(index)) {
                    agent.calls += 1;
                    agent.usage += *usage;
                    *micros += cost_usd_micros;
                    agent.cost_usd = dollars(*micros);
                }
            }
            _ => {}
        }
    }
    agents.into_iter().map(|(agent, _)| agent).filter(|agent| agent.calls > 0).collect()
}

/// Returns the evidence of the run, in the order of its numbers.
pub fn evidence(entries: &[Entry]) -> Vec<Numbered> {
    let cited = entries.iter().filter_map(|entry| match &entry.event {
        Event::Cited { number, evidence } => {
            Some(Numbered { number: *number, evidence: Arc::clone(evidence) })
        }
        _ => None,
    });
    cited.collect()
}

/// Returns the values of the steps that returned, by step.
pub fn stage_outputs(entries: &[Entry]) -> Map<String, Value> {
    let mut outputs = Map::new();
    for entry in entries {
        if let Event::Returned { step, value, .. } = &entry.event {
            outputs.insert(step.clone(), value.clone());
        }
    }
    outputs
}

/// Returns the ledger of an ended run; empty before.
pub fn ledger(entries: &[Entry]) -> &[Claim] {
    let ended = entries.iter().rev().find_map(|entry| match &entry.event {
        Event::Finished { ledger, .. } => Some(ledger.as_slice()),
        Event::Stopped { partial, .. } | Event::Cancelled { partial, .. } => {
            partial.as_ref().map(|partial| partial.ledger.as_slice())
        }
        _ => None,
    });
    ended.unwrap_or_default()
}

/// Returns the citations that are shown, in the order of their numbers: exactly what the deliverable cites.
pub fn citations(ledger: &[Claim]) -> Vec<&Citation> {
    let shown = ledger
        .iter()
        .flat_map(|claim| &claim.citations)
        .filter(|citation| citation.number.is_some());
    let by_number: BTreeMap<Option<u32>, &Citation> =
        shown.map(|citation| (citation.number, citation)).collect();
    by_number.into_values().collect()
}

/// A work that the deliverable cites.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Reference {
    /// Its marks in the deliverable, in order.
    pub numbers: Vec<u32>,
    pub source_uri: String,
    pub work: Paper,
    /// As the bibliography writes it.
    pub text: String,
}

/// Returns the cited works, each once, in the order of their first marks. The user's own files are not among them.
pub fn references(entries: &[Entry], bibliography: &dyn Bibliography) -> Vec<Reference> {
    let mut references = cited_works(entries);
    let works: Vec<&Paper> = references.iter().map(|reference| &reference.work).collect();
    let texts = bibliography.references(&works);
    for (reference, text) in references.iter_mut().zip(texts) {
        reference.text = text;
    }
    references
}

/// Returns the cited works without their texts.
fn cited_works(entries: &[Entry]) -> Vec<Reference> {
    let numbered = evidence(entries);
    let mut references: Vec<Reference> = Vec::new();
    for Citation { number, evidence_id, .. } in citations(ledger(entries)) {
        let Some(number) = *number else { continue };
        let cited = numbered.iter().map(|one| &one.evidence);
        let Some(cited) = cited.into_iter().find(|one| one.evidence_id == *evidence_id) else {
            continue;
        };
        let Some(work) = &cited.provenance.work else { continue };
        let same = |known: &&mut Reference| {
            let (one, other) = (&known.work.ids, &work.ids);
            known.source_uri == cited.source_uri
                || known.work == **work
                || (one.doi.is_some() && one.doi == other.doi)
                || (one.arxiv.is_some() && one.arxiv == other.arxiv)
        };
        match references.iter_mut().find(same) {
            Some(known) => known.numbers.push(number),
            None => references.push(Reference {
                numbers: vec![number],
                source_uri: cited.source_uri.clone(),
                work: (**work).clone(),
                text: String::new(),
            }),
        }
    }
    references
}

/// Returns the outcome of a finished run.
pub fn outcome(entries: &[Entry]) -> Option<Outcome> {
    entries.iter().rev().find_map(|entry| match entry.event {
        Event::Finished { outcome, .. } => Some(outcome),
        _ => None,
    })
}

/// Returns the fields of a finished run's deliverable.
pub fn deliverable(entries: &[Entry]) -> Option<&Value> {
    entries.iter().rev().find_map(|entry| match &entry.event {
        Event::Finished { deliverable, .. } => Some(deliverable),
        _ => None,
    })
}

/// A line of the timeline.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StepLine {
    pub step: String,
    pub model: Option<String>,
    pub started_at: Timestamp,
    /// `None` while it runs, and if the clock was set back meanwhile.
    pub milliseconds: Option<u64>,
    pub state: StepState,
    /// The part of the approved plan that it belongs to: the `agent_role` of a plan step; `None` without a plan.
    pub within: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum StepState {
    Running,
    Done,
    Failed,
}

/// Returns one line per call, in the order of the calls.
pub fn timeline(entries: &[Entry]) -> Vec<StepLine> {
    let mut lines: Vec<StepLine> = Vec::new();
    let end = |lines: &mut Vec<StepLine>, name: &str, at: Timestamp, state| {
        if let Some(line) = lines.iter_mut().rev().find(|line| line.step == name) {
            line.milliseconds = std::time::Duration::try_from(at.duration_since(line.started_at))
                .ok()
                .map(milliseconds);
            line.state = state;
        }
    };
    for entry in entries {
        match &entry.event {
            Event::Called { step, asking, within, .. } => lines.push(StepLine {
                step: step.clone(),
                model: asking.as_ref().map(|asking| asking.model.clone()),
                started_at: entry.at,
                milliseconds: None,
                state: StepState::Running,
                within: within.clone(),
            }),
            Event::Returned { step, .. } => end(&mut lines, step, entry.at, StepState::Done),
            Event::Failed { step, .. } => end(&mut lines, step, entry.at, StepState::Failed),
            _ => {}
        }
    }
    lines
}

/// Returns the citations with what a reader sees for their numbers.
fn label_citations(citations: &[&Citation], labels: &Labels) -> Value {
    let label = |citation: &&Citation| {
        let mut fields = json!(citation);
        if let (Value::Object(fields), Some(number)) = (&mut fields, citation.number) {
            fields.insert("label".into(), labels.find(number).to_string().into());
        }
        fields
    };
    citations.iter().map(label).collect()
}

/// Returns the result in the form that every method prints.
///
/// The fields `answer`, `strategy` and `assumptions` of a deliverable also appear beside it. `bibliography` writes its references.
pub fn envelope(run_id: &str, entries: &[Entry], bibliography: &dyn Bibliography) -> Value {
    let mut page = Map::new();
    let mut put = |key: &str, value: Value| page.insert(key.to_owned(), value);
    put("run_id", run_id.into());
    if let Some(begun) = start(entries) {
        put("method", begun.method.into());
        put("mode", json!(begun.settings.mode()));
        put("question", begun.question.into());
        if begun.settings.mode() == Mode::Model {
            put("models", json!(begun.settings.models));
        }
    }
    let claims = ledger(entries);
    put("status", json!(status(entries)));
    let layout =
        start(entries).map_or(Layout::Rules, |start| Layout::of(start.method, start.version));
    // Runs of former layouts are shown as before.
    let shown = match layout {
        Layout::Verdicts => label_citations(&citations(claims), &labels(entries)),
        Layout::Rules => json!(citations(claims)),
    };
    put("citations", shown);
    let cited = references(entries, bibliography);
    if !cited.is_empty() {
        put("references", json!(cited));
    }
    put("grounding", json!(Grounding::of(claims, layout)));
    if let Some(planned) = execution(entries) {
        put("plan", json!(planned));
    }
    let spent = cost(entries);
    let mut usage = json!(spent);
    let by_agent = if layout == Layout::Verdicts { cost_by_agent(entries) } else { vec![] };
    if let (Value::Object(usage), false) = (&mut usage, by_agent.is_empty()) {
        usage.insert("by_agent".into(), json!(by_agent));
    }
    put("usage", usage);
    put("cost_usd", json!(dollars(spent.cost_usd_micros)));
    let mut warnings: Vec<String> = Vec::new();
    if spent.lost_calls > 0 {
        warnings.push(format!(
            "{} model calls ended without a reply; they are counted at the most they may have used",
            spent.lost_calls
        ));
    }
    match entries.last().map(|entry| &entry.event) {
        Some(Event::Finished { deliverable, warnings: told, .. }) => {
            warnings.extend(told.iter().cloned());
            let mut deliverable = deliverable.clone();
            if let Value::Object(fields) = &mut deliverable {
                fields.insert("claims".into(), json!(claims));
                for key in ["answer", "strategy", "assumptions"] {
                    if let Some(value) = fields.get(key) {
                        put(key, value.clone());
                    }
                }
            }
            put("deliverable", deliverable);
        }
        Some(last) => {
            if let Some(strategy) =
                start(entries).and_then(|start| start.settings.options.get("strategy"))
            {
                put("answer", Value::Null);
                put("strategy", strategy.clone());
                put("assumptions", json!([]));
            }
            let mut deliverable = Map::new();
            if let Event::Stopped { partial: Some(partial), .. }
            | Event::Cancelled { partial: Some(partial), .. } = last
            {
                warnings.extend(partial.warnings.iter().cloned());
                if let Value::Object(fields) = &partial.deliverable {
                    deliverable = fields.clone();
                    deliverable.insert("claims".into(), json!(claims));
                }
            }
            deliverable
                .entry("stage_outputs")
                .or_insert_with(|| Value::Object(stage_outputs(entries)));
            put("deliverable", Value::Object(deliverable));
            if let Event::Stopped { stage, reason, retry_attempted, .. } = last {
                put(
                    "error",
                    json!({ "stage": stage, "message": reason, "retry_attempted": retry_attempted }),
                );
            }
        }
        None => {}
    }
    put("warnings", json!(warnings));
    // Through the canonical form, so that a result read from the log is identical to the byte.
    serde_json::from_slice(&crate::canonical::canonical(&page)).unwrap_or(Value::Object(page))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entry::Head;
    use crate::evidence::tests::evidence as passage;
    use crate::ledger::{self, Verdict};
    use crate::material::{Material, Place};
    use papers::Ids;

    fn log(events: Vec<Event>) -> Vec<Entry> {
        let mut head = Head::default();
        let seal = |event| {
            let (entry, _) = Entry::seal(&head, Timestamp::UNIX_EPOCH, event);
            head = Head { seq: entry.seq, hash: entry.hash };
            entry
        };
        events.into_iter().map(seal).collect()
    }

    // proves: C5
    #[test]
    fn a_step_during_which_the_clock_was_set_back_has_no_duration() {
        let called = |step: &str| Event::Called {
            step: step.into(),
            input: crate::entry::Hash::default(),
            asking: None,
            reserved: Default::default(),
            within: None,
        };
        let returned = |step: &str| Event::Returned {
            step: step.into(),
            origin: crate::entry::Origin::Port,
            value: Value::Null,
            usage: Default::default(),
            cost_usd_micros: 0,
        };
        let events = [("a", 172_800, 0), ("b", 10, 12)]
            .into_iter()
            .flat_map(|(step, from, to)| [(called(step), from), (returned(step), to)]);
        let mut head = Head::default();
        let entries: Vec<Entry> = events
            .map(|(event, second)| {
                let at = Timestamp::from_second(second).unwrap();
                let (entry, _) = Entry::seal(&head, at, event);
                head = Head { seq: entry.seq, hash: entry.hash };
                entry
            })
            .collect();
        let took: Vec<_> = timeline(&entries).iter().map(|line| line.milliseconds).collect();
        assert_eq!(took, [None, Some(2_000)]);
    }

    fn cited(number: u32, uri: &str, text: &str, work: Option<&str>) -> Numbered {
        let mut cited = passage(number, "Tides", "Neap", text);
        let evidence = Arc::make_mut(&mut cited.evidence);
        evidence.evidence_id = format!("e{number}");
        evidence.source_uri = uri.into();
        evidence.provenance.work = work.map(|title| {
            let ids = Ids { doi: Some(uri.into()), ..Ids::default() };
            Box::new(Paper { title: title.into(), ids, ..Paper::default() })
        });
        cited
    }

    /// Writes titles only.
    impl Bibliography for () {
        fn references(&self, works: &[&Paper]) -> Vec<String> {
            works.iter().map(|work| work.title.clone()).collect()
        }
    }

    // proves: F6
    #[test]
    fn exactly_the_works_that_are_cited_are_listed_once_each() {
        let sources = [
            cited(1, "doi:10.1000/a", "The moon pulls the sea.", Some("On the moon")),
            cited(2, "doi:10.1000/b", "Nobody quotes this.", Some("On nothing")),
            cited(3, "doc://kb/notes.md", "The harbour lies in the north.", None),
            // The same work under another name.
            cited(4, "doi:10.1000/a", "The sun pulls the sea as well.", Some("On the moon")),
            // A work without any identifier, and a file of it.
            cited(5, "doc://kb/lee.md", "Lee counted the tides.", Some("On counting")),
            cited(6, "doc://kb/lee/paper.pdf", "There were 705 in a year.", Some("On counting")),
        ];
        let mut sources = sources;
        Arc::make_mut(&mut sources[3].evidence).source_uri = "arxiv:2001.00001".into();
        for source in &mut sources[4..] {
            let work = &mut Arc::make_mut(&mut source.evidence).provenance.work;
            work.as_mut().unwrap().ids = Ids::default();
        }
        let material = Material::of(&sources);
        let claim = |evidence: u32, verdict: Verdict| {
            let place = Place { evidence, first: 1, last: 1 };
            let citations = vec![material.citation(place, None, verdict).unwrap()];
            Claim { verdict, citations, ..Claim::default() }
        };
        let mut ledger = vec![
            claim(1, Verdict::Quoted),
            claim(3, Verdict::Supported),
            claim(4, Verdict::Quoted),
            claim(2, Verdict::Unsupported),
            claim(5, Verdict::Quoted),
            claim(6, Verdict::Quoted),
        ];
        ledger::number(&mut ledger);
        let mut events: Vec<Event> = sources
            .into_iter()
            .map(|Numbered { number, evidence }| Event::Cited { number, evidence })
            .collect();
        events.push(Event::Finished {
            outcome: Outcome::Answered,
            deliverable: json!({}),
            ledger,
            warnings: vec![],
        });
        let cited = references(&log(events), &());
        assert_eq!(cited.len(), 2, "the user's file is none, and nothing unsupported is cited");
        assert_eq!((&cited[0].numbers[..], &cited[1].numbers[..]), (&[1, 3][..], &[4, 5][..]));
        assert_eq!((&*cited[0].source_uri, &*cited[0].text), ("doi:10.1000/a", "On the moon"));
    }
}
