//! What the scientists say without a model: sentences of the evidence, word for word, and verdicts by rule.

use std::collections::BTreeSet;

use run::analysis::{Language, terms};
use run::evidence::{EvidenceKind, Numbered};
use run::extract;
use run::ledger::{Quoted, Written};
use run::sandbox::Trial;

use super::payload::{Agreement, Answer, Turn, Validation, Viability};
use super::replies::{Discussion, Proposal, Review};

/// The least share of the question's words that a sentence has with its heading; with less it is not about the question.
const CLOSE: f64 = 0.4;
/// Sentences of evidence in a response.
const SENTENCES: usize = 5;

/// Returns what the optimist says: what of the evidence bears on the question most closely. Code is not proposed without a model.
pub(super) fn proposal(question: &str, evidence: &[Numbered], turns: &[Turn]) -> Proposal {
    let synthesis = unsaid(question, evidence, turns);
    let conclusion = match synthesis.is_empty() {
        false => {
            "The evidence synthesis is what the evidence says most closely to the question; no model weighed it."
        }
        true => {
            "The evidence of this turn says nothing close to the question that was not said before."
        }
    };
    Proposal {
        discussion: Discussion { synthesis, ..Discussion::default() },
        agreement: Agreement::Disagree,
        viability: Viability::NotViable,
        conclusion: conclusion.into(),
        ..Proposal::default()
    }
}

/// Returns what the pessimist says: what else the evidence has on the question, and a verdict by what was run. Without a model nothing is
/// found viable.
pub(super) fn review(
    question: &str,
    evidence: &[Numbered],
    turns: &[Turn],
    trial: Option<&Trial>,
) -> Review {
    let validation = match trial {
        Some(trial) if trial.passed() => Validation::Pass,
        Some(trial) if trial.failed() => Validation::Fail,
        _ => Validation::NotApplicable,
    };
    let synthesis = unsaid(question, evidence, turns);
    Review {
        discussion: Discussion { synthesis, ..Discussion::default() },
        agreement: Agreement::Disagree,
        viability: Some(Viability::NotViable),
        validation: Some(validation),
        answer: Some(Answer::Unverified),
        verification_reason: "Without a model nobody weighed the evidence against the proposal."
            .into(),
        conclusion: "Nothing is verified: this review was made by rule, from the evidence alone."
            .into(),
    }
}

/// Returns the sentences of the evidence nearest to the question that no turn has said yet.
fn unsaid(question: &str, evidence: &[Numbered], turns: &[Turn]) -> Vec<Written> {
    let said: BTreeSet<&str> =
        turns.iter().flat_map(|turn| &turn.synthesis).map(|one| one.text.as_str()).collect();
    let evidence: Vec<&Numbered> =
        evidence.iter().filter(|one| one.evidence.kind != EvidenceKind::Execution).collect();
    let texts: Vec<&str> = evidence.iter().map(|one| one.evidence.text.as_str()).collect();
    let most = SENTENCES + said.len();
    let picked = extract::answer_sentences(question, &texts, Language::English, most);
    let asked: Vec<(String, f64)> =
        terms(question, Language::English).into_iter().map(|term| (term, 1.0)).collect();
    let written = picked.iter().filter_map(|pick| {
        let source = evidence.get(pick.passage)?;
        let quote = source.evidence.text.get(pick.span.clone())?.to_owned();
        let heading = &source.evidence.provenance.place.section;
        let said_of_it = terms(&format!("{heading}\n{quote}"), Language::English);
        if extract::coverage(&asked, &[said_of_it]) < CLOSE {
            return None;
        }
        let text = crate::grounded::docket::plain(&quote);
        let citations = vec![Quoted { evidence: source.number, quote }];
        (!said.contains(text.as_str())).then_some(Written { text, citations, ..Written::default() })
    });
    written.take(SENTENCES).collect()
}
