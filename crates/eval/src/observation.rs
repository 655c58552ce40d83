//! The outcome of a case under an arm, from the log of its run or from another program's report.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use run::entry::{Entry, Event, Outcome};
use run::ledger::{Claim, Verdict, without_marks};
use run::library::Found;
use run::log::Status;
use run::past::{PastRun, Prices};
use run::{stages, views};
use serde::{Deserialize, Serialize};

#[cfg(test)]
mod tests;

/// The control arm: the model alone. Every evaluation has it, since a method must be worth its cost.
pub const CONTROL: &str = "direct";

/// The method name of an arm whose answers come from another program.
pub const FOREIGN: &str = "report";

/// Returns whether no call was lost, the usual case.
fn is_none_lost(lost: &u64) -> bool {
    *lost == 0
}

/// The outcome of one case under one arm.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Observation {
    pub case: String,
    /// The name of the arm.
    pub arm: String,
    /// Its run; empty if none was started.
    pub run: String,
    /// Whether another program wrote it: nothing of it was checked, and neither its time nor its cost is known.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub foreign: bool,
    /// The state of the run; `None` if none was started.
    #[serde(default)]
    pub status: Option<Status>,
    /// Whether the run was reused: an earlier evaluation asked the same.
    #[serde(default)]
    pub cached: bool,
    /// Whether the run answered, if it finished; an abstention ("not enough evidence") is not an answer.
    #[serde(default)]
    pub answered: Option<bool>,
    /// The text of the answer without citation marks; empty for an abstention.
    #[serde(default)]
    pub answer: String,
    /// The distinct documents that its first retrieval found, best first; `None` if nothing was retrieved.
    #[serde(default)]
    pub retrieved: Option<Vec<String>>,
    /// The distinct documents that the answer cites.
    #[serde(default)]
    pub cited: Vec<String>,
    /// The writer's claims, and those of them that hold.
    #[serde(default)]
    pub claims: u64,
    #[serde(default)]
    pub supported_claims: u64,
    /// The number of claims by verdict; empty in evaluations that predate the five verdicts.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub verdicts: BTreeMap<String, u64>,
    /// The writer's citations, and those of them that hold.
    #[serde(default)]
    pub citations: u64,
    // The alias is its name before there were five verdicts.
    #[serde(default, alias = "verified_citations")]
    pub holding_citations: u64,
    /// Sentences of the answer as shown, and those of them with a citation that holds.
    #[serde(default)]
    pub sentences: u64,
    #[serde(default)]
    pub cited_sentences: u64,
    /// Marks in the answer as shown, of citations that hold; a mark of two numbers counts twice. 0 in evaluations that predate this count.
    #[serde(default)]
    pub marks: u64,
    /// The research behind a report; `None` if the answer is not a report.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub research: Option<Research>,
    /// Time at work.
    #[serde(default)]
    pub milliseconds: u64,
    #[serde(default)]
    pub calls: u64,
    /// The calls lost with their process or cut off: they count at the most they may have cost.
    #[serde(default, skip_serializing_if = "is_none_lost")]
    pub lost_calls: u64,
    #[serde(default)]
    pub input_tokens: u64,
    #[serde(default)]
    pub output_tokens: u64,
    #[serde(default)]
    pub cost_usd_micros: u64,
    /// Why there is no result, if so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// The research behind a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Research {
    /// The number of questions it was to answer.
    pub questions: u64,
    /// The number of those that were answered; `None` without a model to judge this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answered_questions: Option<u64>,
    /// The number of distinct documents read for it.
    pub sources_read: u64,
}

/// Folds the log of a case's run under an arm.
///
/// `answer_text` is the run's answer as shown, with its citation marks; it counts only if the run answered.
pub fn of(case: &str, arm: &str, run: &str, entries: &[Entry], answer_text: &str) -> Observation {
    let status = views::status(entries);
    let answered = views::outcome(entries).map(|outcome| outcome == Outcome::Answered);
    let shown = if answered == Some(true) { answer_text } else { "" };
    let ledger = views::ledger(entries);
    let given: Vec<Verdict> =
        ledger.iter().flat_map(|claim| &claim.citations).map(|citation| citation.verdict).collect();
    let numbered = views::citations(ledger);
    let holding = numbered.iter().filter_map(|citation| citation.number).collect();
    let Counted { sentences, cited_sentences, marks } = counted(shown, &holding);
    let cost = views::cost(entries);
    Observation {
        run: run.to_owned(),
        status: Some(status),
        answered,
        answer: without_marks(&shown.replace(" [unsupported]", "")),
        retrieved: retrieved(entries),
        cited: once(numbered.iter().map(|citation| citation.source_uri.as_str())),
        claims: ledger.len() as u64,
        supported_claims: ledger.iter().filter(|claim| claim.verdict.holds()).count() as u64,
        citations: given.len() as u64,
        verdicts: verdicts(ledger),
        holding_citations: given.iter().filter(|one| one.holds()).count() as u64,
        sentences,
        cited_sentences,
        marks,
        research: research(entries),
        milliseconds: PastRun::of(entries, &[], Prices::default()).milliseconds,
        calls: cost.calls,
        lost_calls: cost.lost_calls,
        input_tokens: cost.usage.input_tokens,
        output_tokens: cost.usage.output_tokens,
        cost_usd_micros: cost.cost_usd_micros,
        error: error(entries, status),
        ..not_begun(case, arm)
    }
}

/// Returns the number of claims by verdict.
fn verdicts(ledger: &[Claim]) -> BTreeMap<String, u64> {
    let mut counted: BTreeMap<String, u64> = BTreeMap::new();
    for claim in ledger {
        *counted.entry(claim.verdict.name().to_owned()).or_default() += 1;
    }
    counted
}

/// Returns the observation of a case that was not run under an arm.
pub fn not_begun(case: &str, arm: &str) -> Observation {
    Observation {
        case: case.to_owned(),
        arm: arm.to_owned(),
        run: String::new(),
        foreign: false,
        status: None,
        cached: false,
        answered: None,
        answer: String::new(),
        retrieved: None,
        cited: Vec::new(),
        claims: 0,
        supported_claims: 0,
        citations: 0,
        verdicts: BTreeMap::new(),
        holding_citations: 0,
        sentences: 0,
        cited_sentences: 0,
        marks: 0,
        research: None,
        milliseconds: 0,
        calls: 0,
        lost_calls: 0,
        input_tokens: 0,
        output_tokens: 0,
        cost_usd_micros: 0,
        error: None,
    }
}

/// Returns the observation of a report that another program made.
///
/// `text` has marks `[1]`, `[2]` and so on for `sources`. They count as given: whether they hold was not checked. A text without words is
/// an abstention.
pub fn of_report(case: &str, arm: &str, text: &str, sources: &[String]) -> Observation {
    let known = (1..=u32::try_from(sources.len()).unwrap_or(u32::MAX)).collect();
    let Counted { sentences, cited_sentences, marks } = counted(text, &known);
    Observation {
        foreign: true,
        status: Some(Status::Completed),
        answered: Some(sentences > 0),
        answer: without_marks(text),
        cited: once(sources.iter().map(String::as_str)),
        sentences,
        cited_sentences,
        marks,
        ..not_begun(case, arm)
    }
}

impl Observation {
    /// Returns whether it was to be run here and was not started.
    pub fn is_not_run(&self) -> bool {
        self.run.is_empty() && !self.foreign
    }
}

/// Returns a document's name as used in datasets: a file's path below the ingested folder, or else its source URI.
pub fn document(source_uri: &str) -> &str {
    let path = source_uri.strip_prefix("doc://").and_then(|rest| rest.split_once('/'));
    path.map_or(source_uri, |(_, path)| path)
}

/// Returns the documents that the first document search found.
fn retrieved(entries: &[Entry]) -> Option<Vec<String>> {
    let first = entries.iter().find_map(|entry| match &entry.event {
        Event::Returned { step, value, .. } if stages::own_name(step) == "retrieve" => Some(value),
        _ => None,
    })?;
    let found = Found::deserialize(first).ok()?;
    Some(once(found.passages.iter().map(|passage| passage.source_uri.as_str())))
}

fn once<'u>(uris: impl Iterator<Item = &'u str>) -> Vec<String> {
    let mut seen = HashSet::new();
    uris.map(document).filter(|name| seen.insert(*name)).map(str::to_owned).collect()
}

/// Returns the research that a run's result records for a report.
fn research(entries: &[Entry]) -> Option<Research> {
    /// The part of a result that is read here, in the form that `deep` writes.
    #[derive(Deserialize)]
    struct Told {
        questions: Vec<Asked>,
        sources_read: u64,
    }
    #[derive(Deserialize)]
    struct Asked {
        answered: bool,
    }
    let Event::Finished { deliverable, .. } = &entries.last()?.event else { return None };
    let Told { questions, sources_read } = Told::deserialize(deliverable.get("report")?).ok()?;
    let is_judged = views::start(entries).is_some_and(|start| start.settings.models.is_some());
    let answered = questions.iter().filter(|asked| asked.answered).count() as u64;
    Some(Research {
        questions: questions.len() as u64,
        answered_questions: is_judged.then_some(answered),
        sources_read,
    })
}

/// The counts of a text with citation marks.
#[derive(Debug, PartialEq, Eq)]
struct Counted {
    sentences: u64,
    /// Sentences with a mark of a citation that holds, within or right after them.
    cited_sentences: u64,
    marks: u64,
}

fn counted(text: &str, holding: &BTreeSet<u32>) -> Counted {
    let mut plain = String::with_capacity(text.len());
    let mut cited_at = Vec::new();
    let (mut from, mut marks) = (0, 0);
    for mark in run::marks::marks(text) {
        plain.push_str(text.get(from..mark.span.start).unwrap_or_default());
        from = mark.span.end;
        let numbers = mark.numbers.iter().filter(|number| holding.contains(number)).count() as u64;
        marks += numbers;
        if numbers > 0 {
            cited_at.push(plain.trim_end().len());
        }
    }
    plain.push_str(text.get(from..).unwrap_or_default());
    let headings: BTreeSet<usize> = text::split_blocks(&plain)
        .into_iter()
        .filter(|block| matches!(block.kind, text::Kind::Heading(_)))
        .map(|block| block.span.start)
        .collect();
    // A heading makes no claim that needs a citation.
    let of_words = |range: &std::ops::Range<usize>| {
        !headings.contains(&range.start)
            && plain.get(range.clone()).is_some_and(|it| it.contains(char::is_alphanumeric))
    };
    let sentences: Vec<_> = text::sentences(&plain).into_iter().filter(of_words).collect();
    let cited: BTreeSet<usize> = cited_at
        .into_iter()
        .filter_map(|at| sentences.partition_point(|sentence| sentence.start < at).checked_sub(1))
        .collect();
    let [sentences, cited_sentences] = [sentences.len(), cited.len()].map(|number| number as u64);
    Counted { sentences, cited_sentences, marks }
}

/// Returns why there is no result, if so.
fn error(entries: &[Entry], status: Status) -> Option<String> {
    match (entries.last().map(|entry| &entry.event), status) {
        (_, Status::Completed) => None,
        (Some(Event::Stopped { stage, reason, .. }), _) => Some(format!("{stage}: {reason}")),
        (_, Status::Cancelled) => Some("it was cancelled".into()),
        (_, Status::Waiting) => {
            let gates: Vec<&str> =
                views::open_gates(entries).iter().map(|gate| gate.name).collect();
            Some(format!("it waits for a person at {}", gates.join(", ")))
        }
        _ => Some("it has not finished".into()),
    }
}
