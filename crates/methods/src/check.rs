//! Checks any text against documents: every sentence gets a verdict, its statements, and what is wrong with it.
//!
//! The method splits the text into sentences, looks up in a collection what they cite, and checks them against it by program. With a model,
//! a second reader reads the rest; without one, the result is what a program can know.

mod citations;
mod lines;
mod marked;
mod payload;
pub(crate) mod report;

use run::evidence::Numbered;
use run::ledger::{Claim, Shown, Verdict};
use run::material::{Material, Place};
use run::{Deliverable, Mode, Outcome, Result, Run, Stop};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::Calls;
use crate::grounded::entry::{Entry, Form, Kind};
use crate::grounded::{self, binding, reading};

pub use marked::{Marked, marked};
pub use payload::Sentence;

/// The options of a run of `check`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Options {
    /// The collection that the text is checked against.
    pub collection: String,
    /// The text: Markdown, plain text, or JSON lines, one object a line.
    pub text: String,
}

/// A sentence of the text, before it is checked.
#[derive(Debug, Clone, Default, PartialEq)]
struct Read {
    /// The id of its JSON line, or the line's number if it has none; empty in Markdown.
    id: String,
    /// What it says; for a cell, with its row and column.
    claim: String,
    /// What is checked; for a cell, the cell alone.
    words: String,
    form: Form,
    is_conclusion: bool,
    cites: Vec<run::consult::Cited>,
    /// The indices of the sentences that it rests on.
    basis: Vec<usize>,
    /// The indices of the other sentences that cite in its paragraph, if it cites too.
    around: Vec<usize>,
    /// Its byte range in the text.
    span: Option<(usize, usize)>,
}

pub(crate) async fn perform(run: &Run) -> Result<Deliverable> {
    let options: Options = run.options()?;
    check(run, &options).await
}

/// Checks a text against the documents of a collection.
pub async fn check(run: &Run, options: &Options) -> Result<Deliverable> {
    let read = read_sentences(&options.text)?;
    run.say(format!("{} sentences", read.len()));
    let wanted: Vec<run::consult::Wanted> = read.iter().map(wanted).collect();
    let found = run.consult(&options.collection, &wanted).await?;
    let evidence = run.cite(found.passages)?;
    let material = Material::of(&evidence);
    let mut entries: Vec<Entry> = read
        .iter()
        .zip(found.claims)
        .map(|(one, answered)| entry(one, answered, &evidence))
        .collect();
    for entry in entries.iter_mut().filter(|entry| entry.kind != Kind::Conclusion) {
        binding::hold_against(entry, &material, "");
    }
    if run.mode() == Mode::Model {
        reading::read(run, &mut entries, 0, &material, "").await?;
    } else {
        leave_unread(&mut entries, &material);
    }
    Ok(delivered(run, &read, &entries, &material))
}

/// Reads the sentences of a text.
fn read_sentences(text: &str) -> Result<Vec<Read>> {
    let read = if lines::is_lines(text) {
        lines::parse_lines(text)
    } else {
        Ok(citations::parse_text(text))
    };
    let refused =
        |message: String| Stop::Stage { stage: "read".into(), message, retry_attempted: false };
    let read = read.map_err(refused)?;
    if read.is_empty() {
        return Err(refused("the text contains no sentence to check".into()));
    }
    Ok(read)
}

fn wanted(read: &Read) -> run::consult::Wanted {
    // A conclusion that cites nothing rests on what stands around it.
    let cites = read.cites.clone();
    let claim =
        if read.is_conclusion && cites.is_empty() { String::new() } else { read.claim.clone() };
    run::consult::Wanted { claim, cites }
}

fn entry(read: &Read, answered: run::consult::Answered, evidence: &[Numbered]) -> Entry {
    let mut places: Vec<Place> = Vec::new();
    for found in answered.places {
        let Some(passage) = evidence.get(found.passage) else { continue };
        places.push(Place { evidence: passage.number, first: found.first, last: found.last });
    }
    let kind = if read.is_conclusion {
        Kind::Conclusion
    } else if read.cites.is_empty() {
        Kind::Uncited
    } else {
        Kind::Cited
    };
    // A citation that is not found in its document is a fault, whatever else is cited.
    let mut faults = answered.faults;
    if kind == Kind::Uncited && places.is_empty() {
        faults.push(grounding::check::Fault::CitesNothing);
    }
    Entry {
        claim: read.claim.clone(),
        words: read.words.clone(),
        kind,
        form: read.form,
        places,
        basis: read.basis.clone(),
        around: read.around.clone(),
        faults,
        ..Entry::default()
    }
}

/// Marks what passes the checks by program as unread. Before that, drops failed claims from the basis of each conclusion and checks it
/// against the rest.
fn leave_unread(entries: &mut [Entry], material: &Material<'_>) {
    let concluded: Vec<usize> = entries
        .iter()
        .enumerate()
        .filter(|(_, entry)| entry.kind == Kind::Conclusion)
        .map(|(index, _)| index)
        .collect();
    let standing = |entry: &Entry| entry.holds() || entry.faults.is_empty();
    for index in concluded {
        let Some(entry) = entries.get(index) else { continue };
        let mut entry = entry.clone();
        entry.basis.retain(|basis| entries.get(*basis).is_some_and(standing));
        entry.faults = binding::conclusion_faults(&entry, entries, material, "");
        if let Some(place) = entries.get_mut(index) {
            *place = entry;
        }
    }
    for entry in entries.iter_mut().filter(|entry| !entry.holds() && entry.faults.is_empty()) {
        entry.verdict = Verdict::Unread;
    }
}

fn delivered(run: &Run, read: &[Read], entries: &[Entry], material: &Material<'_>) -> Deliverable {
    let mut marks = grounded::Marks::default();
    let mut ledger: Vec<Claim> = Vec::new();
    for (one, entry) in read.iter().zip(entries) {
        let shown = one.span.map(|(start, end)| Shown { start: start as u64, end: end as u64 });
        ledger.push(grounded::checked_claim(entry, &mut marks, material, shown));
    }
    let numbered = |(index, one): (usize, &Read)| match &*one.id {
        "" => (index + 1).to_string(),
        id => id.to_owned(),
    };
    let ids: Vec<String> = read.iter().enumerate().map(numbered).collect();
    let sentences: Vec<Sentence> =
        ids.iter().zip(&ledger).map(|(id, claim)| Sentence::of(id, claim, &ids)).collect();
    let is_clean = ledger.iter().all(|claim| claim.verdict != Verdict::Unsupported);
    let outcome = if is_clean { Outcome::Answered } else { Outcome::NotEnoughEvidence };
    let mut fields = serde_json::Map::new();
    fields.insert("sentences".into(), json!(sentences));
    if let Some(reader) = grounded::reader(run) {
        fields.insert("reader".into(), json!(reader));
    }
    Deliverable { outcome, fields, ledger }
}

/// Returns the agents that a check of `text` calls, and how often at most.
pub fn calls(text: &str) -> Vec<Calls> {
    const TRIES: u32 = 3;
    let tokens = u32::try_from(text::count_tokens(text)).unwrap_or(u32::MAX);
    vec![reading::calls(tokens, tokens, TRIES)]
}

/// Checks that a text can be read; returns what is wrong with the first line that cannot.
pub fn sound(text: &str) -> std::result::Result<(), String> {
    match read_sentences(text) {
        Ok(_) => Ok(()),
        Err(Stop::Stage { message, .. }) => Err(message),
        Err(other) => Err(other.to_string()),
    }
}

/// Returns the stages of a check.
pub fn stages(_: &Value) -> Vec<run::Stage> {
    vec![run::Stage {
        role: "checker",
        name: "Check",
        description: "Looks up what each sentence cites, and checks the sentence against it.",
        steps: &["*"],
        optional: false,
    }]
}
