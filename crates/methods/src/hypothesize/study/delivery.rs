//! From what was gathered to the deliverable: the claims in reading order, and everything that refers to them.

use std::collections::BTreeSet;

use run::evidence::Numbered;
use run::ledger::{self, Claim, Verdict};

use super::{Rendering, Study};
use crate::grounded::free::UNSUPPORTED;
use crate::hypothesize::candidates::{Candidate, contested, nearest};
use crate::hypothesize::literature::names;
use crate::hypothesize::payload::{
    Citation, Complete, Failed, Finding, Hypothesis, Literature, Objection, Origin, Partial, Reply,
};
use crate::hypothesize::summa;

impl Study<'_> {
    pub(super) fn complete(&self) -> Option<(Complete, Vec<Claim>)> {
        let (gathered, ledger) = self.gathered();
        let complete = Complete {
            question: gathered.question,
            domain: gathered.domain,
            objective: gathered.objective,
            hypotheses: gathered.hypotheses,
            ranked_hypothesis_ids: gathered.ranked_hypothesis_ids,
            ranking: gathered.ranking?,
            diversity: gathered.diversity,
            literature: gathered.literature?,
            retrieval: gathered.retrieval?,
            summa_rendering: gathered.summa_rendering?,
            summa_origin: gathered.summa_origin?,
            top: self.top() as u32,
            reader: gathered.reader,
            stage_outputs: gathered.stage_outputs,
        };
        Some((complete, ledger))
    }

    pub(super) fn partial(&self, error: Failed) -> (Partial, Vec<Claim>) {
        let (gathered, ledger) = self.gathered();
        (Partial { error, ..gathered }, ledger)
    }

    /// Assembles everything: the claims in reading order, numbered, and what refers to them.
    pub(super) fn gathered(&self) -> (Partial, Vec<Claim>) {
        let mut book = Book::default();
        let findings = self.survey.as_ref().map(|(findings, _)| book.enter(findings));
        // Candidates that the critic has not reviewed get the supplied objections.
        let mut candidates = self.candidates.clone();
        contested(&mut candidates);
        // The positions of the claims behind each objection.
        let places: Vec<Vec<Option<usize>>> = candidates
            .iter()
            .map(|candidate| {
                book.enter(&candidate.support);
                book.enter(&candidate.refused);
                let backings = candidate.contests.iter().map(|contest| contest.backing.as_ref());
                backings.map(|backing| backing.map(|claim| book.enter_one(claim))).collect()
            })
            .collect();
        let sentences = self.rendering.as_ref().map(|rendering| book.enter(&rendering.claims()));
        ledger::number(&mut book.claims);
        let summa = |rendering: &Rendering, places: Vec<usize>| {
            let claims = book.at(&places);
            summa::remarked(&rendering.text, |index| {
                let judged = rendering.judged.get(index as usize);
                match (claims.get(index as usize), judged) {
                    (Some(claim), Some(judged)) if judged.holds() => {
                        (Some(judged.words.clone()), shown(claim))
                    }
                    _ => (None, UNSUPPORTED.to_owned()),
                }
            })
        };
        let hypotheses: Vec<Hypothesis> = candidates
            .iter()
            .zip(&places)
            .map(|(candidate, places)| self.hypothesis(candidate, places, &book))
            .collect();
        let ranked = self.ranking.is_some();
        let partial = Partial {
            question: self.question.to_owned(),
            domain: self.domain.clone(),
            objective: self.objective.clone(),
            ranked_hypothesis_ids: hypotheses
                .iter()
                .filter(|_| ranked)
                .map(|one| one.id.clone())
                .collect(),
            hypotheses,
            ranking: self.ranking.clone(),
            diversity: self.diversity.clone(),
            literature: self.survey.as_ref().zip(findings).map(|((_, gaps), place)| Literature {
                findings: book
                    .at(&place)
                    .into_iter()
                    .filter(|claim| claim.verdict.holds())
                    .map(|claim| Finding {
                        text: claim.text.clone(),
                        citations: numbers(claim),
                        verdict: Some(claim.verdict),
                    })
                    .collect(),
                gaps: gaps.clone(),
            }),
            retrieval: self.retrieval.clone(),
            summa_rendering: self
                .rendering
                .as_ref()
                .zip(sentences)
                .map(|(one, place)| summa(one, place)),
            summa_origin: self.rendering.as_ref().map(|rendering| rendering.origin),
            reader: self.reader.clone(),
            stage_outputs: self.outputs.clone(),
            error: Failed { stage: String::new(), message: String::new(), retry_attempted: false },
        };
        (partial, book.claims)
    }

    fn hypothesis(
        &self,
        candidate: &Candidate,
        places: &[Option<usize>],
        book: &Book,
    ) -> Hypothesis {
        let mut citations: Vec<Citation> = candidate
            .supporting()
            .into_iter()
            .filter_map(|(claim, citation)| {
                let evidence = self.cited(citation)?;
                Some(Citation {
                    number: book.number(citation),
                    claim: claim.text.clone(),
                    quote: citation.quote.clone(),
                    verdict: citation.verdict,
                    origin: candidate.origin,
                    ..work_of(evidence)
                })
            })
            .collect();
        let supporting_citations = citations.len() as u32;
        if citations.is_empty() {
            citations.extend(nearest(&candidate.core(), &self.evidence).map(work_of));
        }
        let contests = candidate.contests.iter().zip(places).zip(1..);
        let (objections, replies) = contests
            .map(|((contest, place), number)| {
                let backing = place.and_then(|place| book.claims.get(place));
                let citations = backing.map(numbers).unwrap_or_default();
                let text = contest.objection.clone();
                let origin = contest.objection_origin;
                let verdict = backing.map(|claim| claim.verdict);
                let objection = Objection { number, text, citations, verdict, origin };
                let text = contest.reply.clone();
                (objection, Reply { objection_number: number, text, origin: contest.reply_origin })
            })
            .unzip();
        let standing = candidate.standing.as_ref();
        Hypothesis {
            id: candidate.id.clone(),
            title: candidate.title.clone(),
            statement: candidate.statement.clone(),
            first_statement: candidate.proposed.as_ref().map(|(statement, _)| statement.clone()),
            mechanism: candidate.mechanism.clone(),
            novelty_rationale: candidate.novelty.clone(),
            plausibility_rationale: candidate.plausibility.clone(),
            testability_rationale: candidate.testability.clone(),
            impact_rationale: candidate.impact.clone(),
            falsifiable_predictions: candidate.predictions.clone(),
            minimal_experiments: candidate.experiments.clone(),
            objections,
            replies,
            citations,
            supporting_citations,
            origin: candidate.origin,
            fallbacks: candidate.fallbacks.iter().map(|&field| field.to_owned()).collect(),
            rank: standing.map(|one| one.rank),
            scores: standing.map(|one| one.scores),
            interval: standing.map(|one| one.interval),
            strength: standing.map(|one| one.strength),
            pairwise_record: standing.map(|one| one.record.clone()),
        }
    }
}

/// The ledger while it is filled: every claim once, however often it is made.
#[derive(Default)]
struct Book {
    claims: Vec<Claim>,
}

impl Book {
    fn enter(&mut self, claims: &[Claim]) -> Vec<usize> {
        claims.iter().map(|claim| self.enter_one(claim)).collect()
    }

    fn enter_one(&mut self, claim: &Claim) -> usize {
        self.claims.iter().position(|known| known == claim).unwrap_or_else(|| {
            self.claims.push(claim.clone());
            self.claims.len() - 1
        })
    }

    /// Returns the mark of a citation.
    fn number(&self, citation: &ledger::Citation) -> Option<u32> {
        let place = |one: &ledger::Citation| (one.evidence_id.clone(), one.start, one.end);
        let mut entered = self.claims.iter().flat_map(|claim| &claim.citations);
        entered.find(|one| one.number.is_some() && place(one) == place(citation))?.number
    }

    fn at(&self, places: &[usize]) -> Vec<&Claim> {
        places.iter().filter_map(|place| self.claims.get(*place)).collect()
    }
}

/// Returns the marks of a claim, as shown to a reader.
fn numbers(claim: &Claim) -> Vec<u32> {
    let numbers: BTreeSet<u32> = claim.citations.iter().filter_map(|one| one.number).collect();
    numbers.into_iter().collect()
}

fn shown(claim: &Claim) -> String {
    numbers(claim).iter().map(|number| format!(" [{number}]")).collect()
}

/// Returns the work that a passage comes from, as a citation that supports nothing.
fn work_of(evidence: &Numbered) -> Citation {
    let provenance = &evidence.evidence.provenance;
    let work = provenance.work.as_deref();
    let title = work.map(|work| ledger::one_line(&work.title)).filter(|title| !title.is_empty());
    Citation {
        paper_id: evidence.evidence.source_uri.clone(),
        doi: work.and_then(|work| work.ids.doi.clone()),
        title: title.unwrap_or_else(|| provenance.place.title.clone()),
        authors: work.map(names).unwrap_or_default(),
        year: work.and_then(|work| work.published.as_ref()).map(|date| date.year),
        number: None,
        claim: String::new(),
        quote: String::new(),
        verdict: Verdict::Unsupported,
        origin: Origin::Fallback,
    }
}
