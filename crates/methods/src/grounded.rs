//! Turns prose that cites into an answer in which every sentence is accounted for.
//!
//! Each claim is bound to the statements that it cites and checked against them by program; a second reader reads the rest. What does not
//! hold goes back to the writer once, with a sentence on what is wrong. What fails again is replaced by its statement, quoted, if that
//! answers the question, and is cut otherwise. A second turn never puts a claim that holds at risk.
//!
//! # How it is made
//!
//! - **`methods::grounded`** takes every writer's prose to the ledger: `binding`, `reading` (the second reader: batches, concurrent calls,
//!   what it says and what the program makes of it), `mending` (one turn, then the statement instead of the claim, or nothing), `printing`.
//! - **`methods::check`** builds the same ledger for any text.
//! - Before a writer is asked, budget is held back for the reader's calls over its reply (`hold_back_calls`), each at its own price. A call
//!   that only other calls' reservations block waits for them.
//! - **`grounded::docket`** does the same for replies that are objects. A method enters a reply with an ordinary function, which asks the
//!   docket for the outcome of a sentence and gets `None` for one that is not judged yet. Those are judged together and the reply is
//!   entered again, so a conclusion is judged once its basis is known, and no method knows about batches. What fails is mended like prose:
//!   a numbered list of sentences, in one turn.
//! - **`grounded::free`** handles words that state nothing from the sources: conjectures, arguments, remarks.
//! - **`methods::calibration`** shows a model the claims of `crates/methods/calibration/` as a run shows its own. The
//!   result is kept in the data folder (`readers.json`) and stands in the first entry of every run started with that
//!   reader.

pub(crate) mod binding;
pub(crate) mod docket;
pub(crate) mod entry;
pub(crate) mod free;
mod mending;
mod printing;
mod prose;
pub(crate) mod reading;

use std::collections::{BTreeMap, BTreeSet};

use ::grounding::prose::Prose as Read;

use run::evidence::Numbered;
use run::ledger::{Claim, Unsupported};
use run::material::Material;
use run::settings::Calibration;
use run::{Call, Mode, Result, Run};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub(crate) use printing::{Marks, Printer, checked_claim, quoted, shown_places};
pub use prose::Prose;
pub(crate) use reading::{
    READER, calls as reader_calls, hold_back, hold_back_for_synthesis, hold_back_now,
};

use entry::Entry;

/// Who read, and how well they read as far as somebody measured it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SecondReader {
    /// `provider/name`; of several, with a comma between them.
    pub model: String,
    /// In words.
    pub calibration: String,
    /// By model; those that nobody calibrated are missing.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub figures: BTreeMap<String, Calibration>,
}

/// Returns the second reader, and what is known of how well it reads; `None` if no model was asked.
pub(crate) fn reader(run: &Run) -> Option<SecondReader> {
    let models = run.settings().models.as_ref()?;
    let names = models.all_readers();
    let told = |name: &&str| match models.calibrations.get(*name) {
        Some(calibration) => calibration.told(),
        None => "not calibrated".to_owned(),
    };
    let calibration = match names.as_slice() {
        [one] => told(one),
        several => several
            .iter()
            .map(|name| format!("{name}: {}", told(name)))
            .collect::<Vec<_>>()
            .join("; "),
    };
    let figures = models.calibrations.clone();
    Some(SecondReader { model: names.join(", "), calibration, figures })
}

/// Returns a count with its noun, singular or plural.
pub(crate) fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// Returns a warning about claims that did not hold. `done`: what became of them, as in "cut from the answer".
pub(crate) fn describe_failed(failed: usize, done: &str, listed_under: &str) -> String {
    let (claims, them) = match failed {
        1 => ("1 claim, which was".to_owned(), "it"),
        many => (format!("{many} claims, which were"), "them"),
    };
    format!(
        "the cited sources do not bear out {claims} {done}; the JSON result lists {them} under {listed_under}"
    )
}

/// Returns a text without addresses and marks.
pub(crate) fn without_citations(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut from = 0;
    for cited in ::grounding::address::cited(text) {
        kept.push_str(text.get(from..cited.span.start).unwrap_or_default().trim_end());
        from = cited.span.end;
    }
    kept.push_str(text.get(from..).unwrap_or_default());
    run::ledger::without_marks(&kept)
}

/// The context in which prose is grounded.
pub(crate) struct Subject<'a> {
    pub(crate) run: &'a Run,
    pub(crate) question: &'a str,
    pub(crate) evidence: &'a [Numbered],
    /// Whether a statement, with the headings above it, speaks to the question.
    pub(crate) answers: &'a (dyn Fn(&str) -> bool + Sync),
    /// Begins a call of the writer, with the evidence.
    pub(crate) call: &'a (dyn Fn() -> Call<'a> + Sync),
    pub(crate) unsupported: Unsupported,
}

/// Grounded prose.
#[derive(Debug, Default)]
pub(crate) struct Grounded {
    /// The text as printed, with marks `[n]`.
    pub(crate) text: String,
    pub(crate) ledger: Vec<Claim>,
    /// Whether any of it holds.
    pub(crate) holds: bool,
}

/// Grounds a writer's prose. If a model's prose makes claims and none of them holds, `quotes` replaces it if that holds.
pub(crate) async fn ground(
    subject: &Subject<'_>,
    prose: &Prose,
    quotes: impl Fn() -> Prose,
) -> Result<Grounded> {
    let grounded = of_prose(subject, prose).await?;
    let is_model = subject.run.mode() == Mode::Model;
    if grounded.holds || !is_model || grounded.ledger.is_empty() {
        return Ok(grounded);
    }
    let quoted = of_prose(subject, &quotes()).await?;
    if !quoted.holds {
        return Ok(grounded);
    }
    subject.run.warn(
        "no sentence of the model passed the check, so the answer quotes the sources instead",
    );
    let ledger = grounded.ledger.into_iter().chain(quoted.ledger).collect();
    Ok(Grounded { ledger, ..quoted })
}

async fn of_prose(subject: &Subject<'_>, prose: &Prose) -> Result<Grounded> {
    let checked = check(subject, prose).await?;
    if subject.run.mode() == Mode::Model {
        subject.run.release(&READER);
    }
    let material = Material::of(subject.evidence);
    Ok(printing::print(subject.unsupported, &checked.read, &checked.entries, &material))
}

/// Prose whose sentences were judged, before it is printed.
pub(crate) struct Checked {
    read: Read,
    pub(crate) entries: Vec<Entry>,
}

impl Checked {
    /// Returns whether any of it holds or was replaced.
    pub(crate) fn holds(&self) -> bool {
        self.entries.iter().any(|entry| entry.holds() || entry.instead.is_some())
    }

    /// Adds it to the printed text, under its own heading if that holds, else under the one given.
    pub(crate) fn print(
        &self,
        printer: &mut Printer<'_>,
        heading: Option<&str>,
        cut: &BTreeSet<usize>,
    ) {
        printer.add(heading, &self.read, &self.entries, cut);
    }
}

/// Judges each sentence of a writer's prose. What does not hold goes back to its writer once; what fails again is replaced by its statement
/// if that is to the point.
pub(crate) async fn check(subject: &Subject<'_>, prose: &Prose) -> Result<Checked> {
    let material = Material::of(subject.evidence);
    let read = Read::of(&prose.text, &prose.citation_spans());
    let mut entries = binding::bind(&read, prose, &material, subject.question);
    if subject.run.mode() == Mode::Model {
        reading::read(subject.run, &mut entries, 0, &material, subject.question).await?;
        if entries.iter().any(Entry::fails) {
            let Subject { run, question, call, .. } = *subject;
            mending::mend(run, question, call, &mut entries, &material).await?;
        }
    }
    mending::replace_by_quotes(subject, &mut entries, &material);
    if subject.run.mode() == Mode::Model {
        mending::read_headings_again(subject, &read, &mut entries, &material).await?;
    }
    Ok(Checked { read, entries })
}
