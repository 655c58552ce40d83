//! What the scientists say without a model: sentences of the evidence, word for word, and verdicts by rule.

use std::collections::BTreeSet;

use run::evidence::{EvidenceKind, Numbered};
use run::ledger::{Quoted, Written};
use run::sandbox::Trial;
use text::{Language, sentences, terms};

use super::payload::{Agreement, Answer, Turn, Validation, Viability};
use super::replies::{Discussion, Proposal, Review};

/// Minimum share of the question's words that a sentence must have, together with its heading, to be about the question.
const CLOSE: f64 = 0.4;
/// Sentences of evidence in a response.
const SENTENCES: usize = 5;

/// Returns the optimist's reply: the evidence most relevant to the question. Without a model, no code is proposed.
pub(super) fn proposal(question: &str, evidence: &[Numbered], turns: &[Turn]) -> Proposal {
    let synthesis = unsaid(question, evidence, turns);
    let conclusion = match synthesis.is_empty() {
        false => {
            "The synthesis quotes the sentences closest to the question; no model weighed them."
        }
        true => "The evidence of this turn adds nothing close to the question.",
    };
    Proposal {
        discussion: Discussion { synthesis, ..Discussion::default() },
        agreement: Agreement::Disagree,
        viability: Viability::NotViable,
        conclusion: conclusion.into(),
        ..Proposal::default()
    }
}

/// Returns the pessimist's reply: further evidence on the question, and a verdict from the execution. Without a model, nothing is found
/// viable.
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
        verification_reason:
            "No model is configured, so nobody weighed the evidence against the proposal.".into(),
        conclusion: "Nothing is verified: this review was made by rule, without a model.".into(),
    }
}

/// Returns the sentences of the evidence that are nearest to the question and have not been said. After the first cycle, it leaves out
/// sentences that paraphrase earlier ones or are less near than the median of the first turn; otherwise a debate would go on with ever
/// weaker evidence.
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
    let later = Later::of(turns, &asked, &texts);
    let written = picked.iter().filter_map(|pick| {
        let source = evidence.get(pick.passage)?;
        let quote = source.evidence.text.get(pick.span.clone())?.to_owned();
        let heading = &source.evidence.provenance.place.section;
        let said_of_it = terms(&format!("{heading}\n{quote}"), Language::English);
        let adds = later.as_ref().is_none_or(|later| later.is_worth_saying(&quote));
        if !adds || extract::coverage(&asked, &[said_of_it]) < CLOSE {
            return None;
        }
        let text = crate::grounded::docket::plain(&quote);
        let citations = vec![Quoted { evidence: source.number, quote }];
        (!said.contains(text.as_str())).then_some(Written { text, citations, ..Written::default() })
    });
    written.take(SENTENCES).collect()
}

/// The threshold for sentences after the first cycle.
struct Later {
    /// The words of the question with weights; words that are rare in the evidence weigh more.
    weights: Vec<(String, f64)>,
    /// The median nearness of the first turn's sentences to the question.
    floor: f64,
    said: Vec<Vec<String>>,
}

impl Later {
    fn of(turns: &[Turn], asked: &[(String, f64)], texts: &[&str]) -> Option<Later> {
        let [first, _, ..] = turns else { return None };
        let in_sentences: Vec<Vec<String>> = texts
            .iter()
            .flat_map(|text| sentences(text).into_iter().filter_map(|span| text.get(span)))
            .map(|sentence| terms(sentence, Language::English))
            .collect();
        let weigh = |(term, _): &(String, f64)| {
            let holding = in_sentences.iter().filter(|sentence| sentence.contains(term)).count();
            (term.clone(), (1.0 + in_sentences.len() as f64 / (1.0 + holding as f64)).ln())
        };
        let said = turns.iter().flat_map(|turn| &turn.synthesis);
        let mut later = Later {
            weights: asked.iter().map(weigh).collect(),
            floor: 0.0,
            said: said.map(|one| terms(&one.text, Language::English)).collect(),
        };
        let near =
            first.synthesis.iter().map(|one| later.nearness(&terms(&one.text, Language::English)));
        let mut near: Vec<f64> = near.collect();
        near.sort_by(f64::total_cmp);
        later.floor = near.get(near.len() / 2).copied().unwrap_or_default();
        Some(later)
    }

    fn nearness(&self, sentence: &[String]) -> f64 {
        extract::coverage(&self.weights, &[sentence.to_vec()])
    }

    fn is_worth_saying(&self, sentence: &str) -> bool {
        /// Cosine similarity from which a sentence counts as a paraphrase.
        const SAME: f64 = 0.6;
        let sentence = terms(sentence, Language::English);
        let is_new = self.said.iter().all(|said| extract::compute_cosine(said, &sentence) < SAME);
        is_new && self.nearness(&sentence) >= self.floor
    }
}
