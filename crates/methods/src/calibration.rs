//! Measures how well a model reads: it is shown the claims that ship with the program, each with what it cites, like the claims of a run.
//!
//! The claims are about nine invented documents in three languages. For each, a reader sees what it would see in a run, the statements with
//! their surroundings, and nothing of what is expected.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use ::grounding::check::{Context, Gazetteer, check};
use ::grounding::locate::Finder;
use ::grounding::statement::Source;
use run::Reply;
use run::entry::Hash;
use run::error::PortError;
use run::evidence::fenced_text;
use run::model::{ChatRequest, Model, Speaker, Turn};
use run::prompt::{PromptError, Prompts};
use run::settings::Calibration;
use serde::{Deserialize, Serialize};
use text::tolerant;

use crate::grounded::READER;
use crate::grounded::entry::Kind;
use crate::grounded::reading::{Exhibit, Outcome, Readings, of_batch, page, size_batches};

const CLAIMS: &str = include_str!("../calibration/claims.jsonl");
const DOCUMENTS: [(&str, &str); 9] = [
    ("de-garten", include_str!("../calibration/de-garten.md")),
    ("de-labor", include_str!("../calibration/de-labor.md")),
    ("de-mitteilung", include_str!("../calibration/de-mitteilung.md")),
    ("en-ferry", include_str!("../calibration/en-ferry.md")),
    ("en-meadow", include_str!("../calibration/en-meadow.md")),
    ("en-pump", include_str!("../calibration/en-pump.md")),
    ("en-trial", include_str!("../calibration/en-trial.md")),
    ("es-autobus", include_str!("../calibration/es-autobus.md")),
    ("es-mercado", include_str!("../calibration/es-mercado.md")),
];

/// Whether a claim holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Label {
    Supported,
    Follows,
    Refuse,
}

/// A labelled claim.
#[derive(Debug, Clone, Deserialize)]
struct Pair {
    id: String,
    document: String,
    quotes: Vec<String>,
    claim: String,
    label: Label,
    kind: String,
}

/// A claim whose reading contradicts its label.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Misread {
    pub id: String,
    pub kind: String,
    pub claim: String,
    /// Whether the reader let it pass.
    pub passed: bool,
}

/// The result of a measurement.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Measured {
    pub calibration: Calibration,
    /// The calibration for each language of the set.
    pub languages: BTreeMap<String, Calibration>,
    pub misread: Vec<Misread>,
}

/// Why a model could not be measured.
#[derive(Debug, thiserror::Error)]
pub enum CalibrationError {
    #[error(transparent)]
    Port(#[from] PortError),
    #[error(transparent)]
    Prompt(#[from] PromptError),
    #[error("the model's replies are not usable: {0}")]
    Unusable(String),
}

/// Returns the number of claims in the set, and the number of calls that read them.
pub fn size() -> (usize, usize) {
    let exhibits: Vec<Exhibit> = load_pairs().iter().map(|(_, exhibit)| exhibit.clone()).collect();
    (exhibits.len(), size_batches(&exhibits).len())
}

/// Has a model read all claims of the set. Calls `heard` after each reply with the number of replies so far.
pub async fn measure(
    model: &dyn Model,
    prompts: &Prompts,
    deadline: Duration,
    mut heard: impl FnMut(usize),
) -> Result<Measured, CalibrationError> {
    let prompt = prompts.of(&READER)?;
    let pairs = load_pairs();
    let exhibits: Vec<Exhibit> = pairs.iter().map(|(_, exhibit)| exhibit.clone()).collect();
    let mut outcomes: Vec<Outcome> = Vec::with_capacity(exhibits.len());
    for (number, count) in size_batches(&exhibits).into_iter().enumerate() {
        let batch = exhibits.get(outcomes.len()..outcomes.len() + count).unwrap_or_default();
        let shown = fenced_text(&page(batch), "");
        let request = ChatRequest {
            system: Arc::clone(&prompt.text),
            turns: vec![Turn {
                speaker: Speaker::User,
                text: format!("## Claims and what they cite\n{shown}\n\n").into(),
            }],
            schema: Some(run::schema::of::<Readings>()),
            temperature: prompt.temperature,
            max_tokens: prompt.max_tokens,
            streamed: false,
            deadline,
        };
        let readings = read(model, &request).await?;
        outcomes.extend(of_batch(readings, batch, "", &Gazetteer::default()));
        heard(number + 1);
    }
    Ok(measured(pairs.into_iter().map(|(pair, _)| pair).zip(outcomes)))
}

/// Asks for readings, and once more if the reply is unusable.
async fn read(model: &dyn Model, request: &ChatRequest) -> Result<Readings, CalibrationError> {
    let mut wrong = String::new();
    for _ in 0..2 {
        let reply = model.chat(request, &()).await?;
        let readings = tolerant::read(&reply.text)
            .map_err(|error| error.to_string())
            .and_then(|read| {
                serde_json::from_value::<Readings>(read.value).map_err(|error| error.to_string())
            })
            .and_then(|readings| readings.check().map(|()| readings));
        match readings {
            Ok(readings) if !reply.cut_off => return Ok(readings),
            Ok(_) => wrong = "it was cut off".into(),
            Err(error) => wrong = error,
        }
    }
    Err(CalibrationError::Unusable(wrong))
}

/// Returns the digest of the set: the documents, the claims, and the reader's prompt. Figures for another set say nothing about how well a
/// model reads this one.
pub fn set() -> String {
    let documents = DOCUMENTS.iter().map(|(_, text)| text.as_bytes());
    let parts: Vec<&[u8]> = documents.chain([CLAIMS.as_bytes(), READER.text.as_bytes()]).collect();
    Hash::of_parts(&parts).to_string().chars().take(12).collect()
}

fn measured(read: impl Iterator<Item = (Pair, Outcome)>) -> Measured {
    let none = || Calibration {
        set: set(),
        false_claims: 0,
        false_passes: 0,
        true_claims: 0,
        false_refusals: 0,
    };
    let mut all = none();
    let mut languages: BTreeMap<String, Calibration> = BTreeMap::new();
    let mut misread = Vec::new();
    for (pair, outcome) in read {
        let passed = outcome.verdict.holds();
        let language = pair.id.split('-').next().unwrap_or_default().to_owned();
        for calibration in [&mut all, languages.entry(language).or_insert_with(none)] {
            if pair.label == Label::Refuse {
                calibration.false_claims += 1;
                calibration.false_passes += u32::from(passed);
            } else {
                calibration.true_claims += 1;
                calibration.false_refusals += u32::from(!passed);
            }
        }
        if passed == (pair.label == Label::Refuse) {
            let Pair { id, kind, claim, .. } = pair;
            misread.push(Misread { id, kind, claim, passed });
        }
    }
    Measured { calibration: all, languages, misread }
}

/// Returns the claims of the set with what a reader is shown of each.
fn load_pairs() -> Vec<(Pair, Exhibit)> {
    let sources: BTreeMap<&str, Source<'_>> =
        DOCUMENTS.iter().map(|(name, text)| (*name, Source::of(text))).collect();
    let lines = CLAIMS.lines().filter_map(|line| serde_json::from_str::<Pair>(line).ok());
    let exhibit = |pair: Pair| {
        let source = sources.get(pair.document.as_str())?;
        let finder = Finder::of(source);
        let runs = pair.quotes.iter().flat_map(|quote| finder.locate(quote));
        let grounds: Vec<_> = runs.filter_map(|(first, last)| source.ground(first, last)).collect();
        let gazetteer = Gazetteer::default();
        let context = Context { grounds: &grounds, question: "", gazetteer: &gazetteer };
        let faults = check(&pair.claim, &context).faults;
        let exhibit = Exhibit {
            claim: pair.claim.clone(),
            kind: Kind::Cited,
            is_cell: false,
            grounds,
            basis: vec![],
            faults,
            asked: vec![],
        };
        Some((pair, exhibit))
    };
    lines.filter_map(exhibit).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    // proves: C20
    #[test]
    fn the_set_can_be_told_apart_by_reading_alone() {
        let pairs = load_pairs();
        assert_eq!(pairs.len(), CLAIMS.lines().count(), "every line is read");
        let of = |label| pairs.iter().filter(|(pair, _)| pair.label == label).count();
        assert!(pairs.len() >= 120 && of(Label::Refuse) >= 60 && of(Label::Supported) >= 60);
        let languages: std::collections::BTreeSet<&str> =
            pairs.iter().map(|(pair, _)| pair.id.split('-').next().unwrap()).collect();
        assert_eq!(languages.len(), 3);
        for (pair, exhibit) in &pairs {
            assert!(!exhibit.grounds.is_empty(), "{}: its quotes stand in its document", pair.id);
        }
        // Claims that the program refutes by itself say nothing about a reader.
        let caught: Vec<&str> = pairs
            .iter()
            .filter(|(_, exhibit)| !exhibit.faults.is_empty())
            .map(|(pair, _)| pair.id.as_str())
            .collect();
        assert!(caught.len() * 50 <= pairs.len(), "{caught:?}");
    }
}
