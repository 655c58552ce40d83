//! What the agents reply without a model: sentences of the papers, word for word, and verdicts by rules over their words.

use std::collections::BTreeSet;

use extract::{Bm25, answer_sentences, compute_cosine};
use papers::in_turn;
use run::evidence::Numbered;
use run::ledger::{Quoted, Written};
use text::{Language, sentences, terms, words};

use super::candidates::Candidate;
use super::pairwise::{Order, Record, asked};
use super::payload::{ByDimension, Dimension};
use super::replies::{
    Contested, Critique, Framing, Generated, Judgements, Proposed, Review, Survey,
};

/// Maximum number of sentences in a survey.
const FINDINGS: usize = 6;
/// Maximum number of sentences from one work.
const OF_A_WORK: usize = 4;
/// A sentence with fewer words than this says too little to be contested.
const FEW_WORDS: usize = 8;
/// Words by which a paper reports a finding.
const FINDING: &str = "show shows showed shown find finds found suggest suggests suggested demonstrate demonstrates demonstrated \
    indicate indicates indicated reveal reveals revealed improve improves improved reduce reduces reduced increase increases \
    increased predict predicts predicted explain explains explained cause causes caused because lead leads hypothesise \
    hypothesize conclude concludes concluded associated depends";
/// Words by which a paper states its aim.
const AIM: &str = "examine examines examined present presents presented propose proposes proposed investigate investigates \
    investigated introduce introduces introduced study studied paper aim aims aimed review reviews explore explores performed";
/// Words that mark a sentence as an objection.
const CONTRARY: &str = "however but although though not no nor neither without limited unclear fail fails failed contrary \
    whereas despite unlike little lack lacks instead rather cannot only weak weaker worse";

/// A sentence of the evidence.
#[derive(Clone, Copy)]
struct Sentence<'a> {
    source: &'a Numbered,
    text: &'a str,
}

impl Sentence<'_> {
    fn quoted(self) -> Vec<Quoted> {
        vec![Quoted { evidence: self.source.number, quote: self.text.to_owned() }]
    }

    fn written(self) -> Written {
        Written { text: self.text.to_owned(), citations: self.quoted(), ..Written::default() }
    }

    fn is_heading(self) -> bool {
        let title = &self.source.evidence.provenance.place.title;
        self.text.starts_with('#') || self.text.trim() == title.trim()
    }

    fn holds_one_of(self, list: &str) -> bool {
        words(self.text)
            .any(|(_, word)| list.split_whitespace().any(|one| word.eq_ignore_ascii_case(one)))
    }
}

/// Frames the problem in the question's own words.
pub(super) fn framed(question: &str) -> Framing {
    let mut seen = BTreeSet::new();
    let key_terms: Vec<String> = words(question)
        .map(|(_, word)| word.to_lowercase())
        .filter(|word| !terms(word, Language::English).is_empty() && seen.insert(word.clone()))
        .collect();
    Framing {
        restatement: question.to_owned(),
        refined_query: key_terms.join(" "),
        key_terms,
        ..Framing::default()
    }
}

/// Returns sentences relevant to the question: the best of each work first, then the second best of each. Within a work, sentences that
/// report a finding come first, and those that state an aim or an objection last.
fn best<'a>(question: &str, evidence: &'a [Numbered], most: usize) -> Vec<Sentence<'a>> {
    let mut works: Vec<(&str, Vec<&Numbered>)> = Vec::new();
    for one in evidence {
        let uri = one.evidence.source_uri.as_str();
        match works.iter_mut().find(|(known, _)| *known == uri) {
            Some((_, passages)) => passages.push(one),
            None => works.push((uri, vec![one])),
        }
    }
    let mut chosen =
        in_turn(works.into_iter().map(|(_, passages)| best_of(question, &passages)).collect());
    let mut said = BTreeSet::new();
    chosen.retain(|sentence: &Sentence<'_>| said.insert(sentence.text));
    chosen.truncate(most);
    chosen
}

fn best_of<'a>(question: &str, passages: &[&'a Numbered]) -> Vec<Sentence<'a>> {
    let texts: Vec<&str> = passages.iter().map(|one| one.evidence.text.as_str()).collect();
    let mut picked = answer_sentences(question, &texts, Language::English, OF_A_WORK);
    picked.sort_by(|one, other| other.score.total_cmp(&one.score));
    let sentences = picked.into_iter().filter_map(|pick| {
        let source = *passages.get(pick.passage)?;
        Some(Sentence { source, text: source.evidence.text.get(pick.span)? })
    });
    let mut sentences: Vec<Sentence<'_>> = sentences.collect();
    sentences.sort_by_key(|sentence| {
        let is_short = words(sentence.text).count() < FEW_WORDS;
        let says = |list| sentence.holds_one_of(list);
        (is_short, says(CONTRARY), says(AIM), !says(FINDING))
    });
    sentences
}

/// Returns the survey: the evidence sentences that best answer the question.
pub(super) fn surveyed(question: &str, evidence: &[Numbered]) -> Survey {
    let found = best(question, evidence, FINDINGS);
    Survey { findings: found.into_iter().map(Sentence::written).collect(), gaps: vec![] }
}

/// Returns the papers' findings as hypotheses.
pub(super) fn generated(question: &str, evidence: &[Numbered], wanted: usize) -> Generated {
    let found = best(question, evidence, wanted);
    Generated { hypotheses: found.into_iter().map(proposed).collect() }
}

fn proposed(sentence: Sentence<'_>) -> Proposed {
    Proposed {
        title: sentence.source.evidence.provenance.place.title.clone(),
        statement: sentence.text.to_owned(),
        support: vec![sentence.written()],
        ..Proposed::default()
    }
}

/// Objects to each hypothesis with contrary sentences of other papers, nearest first.
pub(super) fn criticised(candidates: &[Candidate], evidence: &[Numbered]) -> Critique {
    const OBJECTIONS: usize = 3;
    let contrary: Vec<Sentence<'_>> = evidence
        .iter()
        .flat_map(|source| {
            let text = &source.evidence.text;
            sentences(text)
                .into_iter()
                .filter_map(move |span| Some(Sentence { source, text: text.get(span)?.trim() }))
        })
        .filter(|sentence| !sentence.is_heading() && sentence.holds_one_of(CONTRARY))
        .collect();
    let said: Vec<Vec<String>> =
        contrary.iter().map(|sentence| terms(sentence.text, Language::English)).collect();
    let index = Bm25::new(&said);
    let review = |candidate: &Candidate| {
        let own: Vec<&str> = sources(candidate);
        let scores = index.scores(&terms(&candidate.statement, Language::English));
        let mut near: Vec<(f64, Sentence<'_>)> = scores
            .into_iter()
            .zip(contrary.iter().copied())
            .filter(|(score, sentence)| {
                *score > 0.0 && !own.contains(&sentence.source.evidence.source_uri.as_str())
            })
            .collect();
        near.sort_by(|(one, _), (other, _)| other.total_cmp(one));
        let objections = near.into_iter().take(OBJECTIONS).map(|(_, sentence)| Contested {
            objection: sentence.text.to_owned(),
            citations: sentence.quoted(),
            ..Contested::default()
        });
        Review {
            hypothesis_id: candidate.id.clone(),
            objections: objections.collect(),
            ..Review::default()
        }
    };
    Critique { reviews: candidates.iter().map(review).collect() }
}

/// Returns the sources that a hypothesis cites.
fn sources(candidate: &Candidate) -> Vec<&str> {
    let citations = candidate.support.iter().flat_map(|claim| &claim.citations);
    citations.map(|citation| citation.source_uri.as_str()).collect()
}

/// Judges every pair by rules; see [`measured`].
pub(super) fn judged(
    question: &str,
    candidates: &[Candidate],
    evidence: &[Numbered],
    order: Order,
) -> Judgements {
    let ids: Vec<String> = candidates.iter().map(|candidate| candidate.id.clone()).collect();
    let measured: Vec<ByDimension<f64>> =
        candidates.iter().map(|candidate| measured(question, candidate, evidence)).collect();
    let of = |id: &str| ids.iter().position(|known| known == id).and_then(|at| measured.get(at));
    let compare = |(a, b): (String, String)| {
        let winner = |dimension: Dimension| {
            let (one, other) = (*of(&a)?.get(dimension), *of(&b)?.get(dimension));
            Some(better(one, other).to_owned())
        };
        let winner = |dimension| winner(dimension).unwrap_or_default();
        Record {
            winner_novelty: winner(Dimension::Novelty),
            winner_plausibility: winner(Dimension::Plausibility),
            winner_testability: winner(Dimension::Testability),
            winner_impact: winner(Dimension::Impact),
            winner_grounding: winner(Dimension::Grounding),
            reason: "by rules over the texts".into(),
            hypothesis_a_id: a.clone(),
            hypothesis_b_id: b.clone(),
        }
    };
    Judgements { comparisons: asked(&ids, order).into_iter().map(compare).collect() }
}

/// Returns the better one, or a tie if the values differ by at most a twentieth of the greater one.
fn better(one: f64, other: f64) -> &'static str {
    const TELLING: f64 = 0.05;
    if (one - other).abs() <= TELLING * one.abs().max(other.abs()) {
        "tie"
    } else if one > other {
        "a"
    } else {
        "b"
    }
}

/// Measures a hypothesis by its words and citations; greater is better.
fn measured(question: &str, candidate: &Candidate, evidence: &[Numbered]) -> ByDimension<f64> {
    let own = sources(candidate);
    let said = terms(&candidate.statement, Language::English);
    let others: Vec<f64> = evidence
        .iter()
        .filter(|one| !own.contains(&one.evidence.source_uri.as_str()))
        .map(|one| compute_cosine(&said, &terms(&one.evidence.text, Language::English)))
        .collect();
    let closest = others.iter().copied().fold(0.0, f64::max);
    let numbers = words(&candidate.statement)
        .filter(|(_, word)| word.starts_with(|c: char| c.is_ascii_digit()))
        .count();
    let cited = evidence
        .iter()
        .filter(|one| own.contains(&one.evidence.source_uri.as_str()))
        .filter_map(|one| one.evidence.provenance.work.as_ref()?.citation_count)
        .max()
        .unwrap_or(0);
    ByDimension {
        // 1 minus the highest cosine with another paper.
        novelty: 1.0 - closest,
        // The mean cosine with other papers.
        plausibility: others.iter().sum::<f64>() / others.len().max(1) as f64,
        // The number of figures that it states, which can be measured again.
        testability: numbers as f64,
        // The highest citation count of the works it rests on, as a logarithm.
        impact: (1.0 + cited as f64).ln(),
        // The cosine with the question, plus a tenth for each citation that holds.
        grounding: compute_cosine(&said, &terms(question, Language::English))
            + candidate.supporting().len() as f64 / 10.0,
    }
}
