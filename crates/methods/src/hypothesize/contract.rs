//! What a result must satisfy: the published schema and the rules that no schema can express.

use std::collections::BTreeSet;

use serde_json::Value;

use run::ledger::Claim;

use super::bradley_terry::ROUNDING;
use super::pairwise;
use super::payload::{Comparison, Complete, Dimension, Hypothesis, Origin, Payload, Winner};
use super::summa::{self, FEWEST_OBJECTIONS};
use crate::published::{self, Kept};

/// Maximum number of violations that are reported.
const MOST_TOLD: usize = 20;

/// Returns the JSON Schema (2020-12) of the method's results, whole or partial.
pub fn schema() -> Value {
    published::schema_of::<Payload>()
}

/// Returns the violations in a result; empty if it passes.
pub(crate) fn violations(complete: &Complete, ledger: &[Claim]) -> Vec<String> {
    let mut wrong = against_the_schema(complete);
    let shown: BTreeSet<u32> =
        ledger.iter().flat_map(|claim| &claim.citations).filter_map(|one| one.number).collect();
    ids(complete, &mut wrong);
    marks(complete, &shown, &mut wrong);
    for hypothesis in &complete.hypotheses {
        objections(hypothesis, &mut wrong);
        comparisons(complete, hypothesis, &mut wrong);
        citations(complete, hypothesis, ledger, &mut wrong);
    }
    rendering(complete, &shown, &mut wrong);
    wrong.truncate(MOST_TOLD);
    wrong
}

fn against_the_schema(complete: &Complete) -> Vec<String> {
    static VALIDATOR: Kept = Kept::new();
    published::violations(complete, &VALIDATOR)
}

/// Checks that ids are unique and that the ranking lists the hypotheses by their overall scores.
fn ids(complete: &Complete, wrong: &mut Vec<String>) {
    let ids: Vec<&str> = complete.hypotheses.iter().map(|one| one.id.as_str()).collect();
    let distinct: BTreeSet<&str> = ids.iter().copied().collect();
    if distinct.len() < ids.len() {
        wrong.push("two hypotheses have the same id".into());
    }
    if ids != complete.ranked_hypothesis_ids {
        wrong.push(
            "ranked_hypothesis_ids differ from the ids of the hypotheses in their order".into(),
        );
    }
    let overall = |one: &Hypothesis| one.scores.map(|scores| scores.overall);
    for (hypothesis, rank) in complete.hypotheses.iter().zip(1..) {
        if hypothesis.rank != Some(rank) {
            wrong.push(format!("{} is at rank {rank} but gives another", hypothesis.id));
        }
    }
    for pair in complete.hypotheses.windows(2) {
        if let [one, other] = pair
            && overall(one) < overall(other).map(|score| score - ROUNDING)
        {
            wrong.push(format!("{} ranks above {} with a lower score", one.id, other.id));
        }
    }
    let known = |id: &String| distinct.contains(id.as_str());
    if !known(&complete.ranking.leader.hypothesis_id)
        || !complete.ranking.groups.iter().flatten().all(known)
    {
        wrong.push("the ranking names an unknown hypothesis".into());
    }
}

/// Checks that marks belong to citations that are shown.
fn marks(complete: &Complete, shown: &BTreeSet<u32>, wrong: &mut Vec<String>) {
    let findings = complete.literature.findings.iter().flat_map(|finding| &finding.citations);
    let objections = complete.hypotheses.iter().flat_map(|one| &one.objections);
    let objections = objections.flat_map(|objection| &objection.citations);
    for mark in findings.chain(objections).filter(|mark| !shown.contains(mark)) {
        wrong.push(format!("there is no citation [{mark}]"));
    }
}

/// Checks that objections and replies are numbered alike, from 1, and that there are enough of them.
fn objections(hypothesis: &Hypothesis, wrong: &mut Vec<String>) {
    let Hypothesis { id, objections, replies, .. } = hypothesis;
    let objected = objections.iter().map(|one| one.number);
    let replied = replies.iter().map(|one| one.objection_number);
    if !objected.eq(1..=objections.len() as u32) || !replied.eq(1..=objections.len() as u32) {
        wrong.push(format!("the objections and replies of {id} are not numbered alike"));
    }
    if objections.len() < FEWEST_OBJECTIONS {
        wrong.push(format!("{id} has fewer than {FEWEST_OBJECTIONS} objections"));
    }
}

/// Checks that comparisons are of this hypothesis and another existing one, and that its scores follow from them.
fn comparisons(complete: &Complete, hypothesis: &Hypothesis, wrong: &mut Vec<String>) {
    let id = &hypothesis.id;
    let (Some(record), Some(scores)) = (&hypothesis.pairwise_record, &hypothesis.scores) else {
        wrong.push(format!("{id} was not ranked"));
        return;
    };
    let known = |id: &str| complete.hypotheses.iter().any(|one| one.id == id);
    for comparison in &record.comparisons {
        let (a, b) = (&comparison.hypothesis_a_id, &comparison.hypothesis_b_id);
        if a == b || !known(a) || !known(b) || (a != id && b != id) {
            wrong.push(format!("the record of {id} holds a comparison of {a} with {b}"));
        }
    }
    for dimension in Dimension::ALL {
        let winner = |one: &Comparison| (one.winner(dimension), one.hypothesis_a_id == *id);
        let won = |one: &&Comparison| matches!(winner(one), (Winner::A, true) | (Winner::B, false));
        let wins = record.comparisons.iter().filter(won).count();
        let ties = record.comparisons.iter().filter(|one| winner(one).0 == Winner::Tie).count();
        let points = wins as f64 + ties as f64 / 2.0;
        if wins != *record.wins_by_dimension.get(dimension) as usize
            || (points - record.points_by_dimension.get(dimension)).abs() > ROUNDING
        {
            wrong.push(format!("{id} miscounts its {} wins", dimension.name()));
        }
    }
    let same = |one: &Comparison, other: &Comparison| {
        (&one.hypothesis_a_id, &one.hypothesis_b_id, one.round)
            == (&other.hypothesis_a_id, &other.hypothesis_b_id, other.round)
    };
    let elsewhere = complete.hypotheses.iter().filter(|other| other.id != *id);
    let elsewhere: Vec<&Comparison> = elsewhere
        .filter_map(|other| other.pairwise_record.as_ref())
        .flat_map(|record| &record.comparisons)
        .collect();
    for comparison in &record.comparisons {
        let told: Vec<_> = elsewhere.iter().filter(|other| same(comparison, other)).collect();
        if told.len() != 1 || told.iter().any(|other| **other != comparison) {
            let (a, b) = (&comparison.hypothesis_a_id, &comparison.hypothesis_b_id);
            wrong.push(format!("the records of {a} and {b} differ in what was judged of them"));
        }
    }
    let due = pairwise::compute_scores(&record.comparisons, id, &complete.ranking.weights);
    let differs = |one: f64, other: f64| (one - other).abs() > ROUNDING;
    let pairs = Dimension::ALL.map(|dimension| (scores.of(dimension), due.of(dimension)));
    if differs(scores.overall, due.overall) || pairs.into_iter().any(|(one, due)| differs(one, due))
    {
        wrong.push(format!("the scores of {id} do not follow from its comparisons"));
    }
}

/// Checks that citations are retrieved works, that those that count hold and are in the ledger, and that those that the program supplied do
/// not count.
fn citations(
    complete: &Complete,
    hypothesis: &Hypothesis,
    ledger: &[Claim],
    wrong: &mut Vec<String>,
) {
    let id = &hypothesis.id;
    let retrieved: BTreeSet<&str> =
        complete.retrieval.papers.iter().map(|paper| paper.paper_id.as_str()).collect();
    let mut supporting = 0;
    let mut places = BTreeSet::new();
    for citation in &hypothesis.citations {
        let paper = &citation.paper_id;
        if !retrieved.contains(paper.as_str()) {
            wrong.push(format!("{id} cites {paper}, which was not retrieved"));
        }
        let holds = citation.verdict.holds();
        if !holds && citation.number.is_some() {
            wrong.push(format!("{id} shows a mark for {paper}, which no quote bears out"));
        }
        if holds && !places.insert((paper, citation.number)) {
            wrong.push(format!("{id} cites the same place of {paper} twice"));
        }
        if citation.origin == Origin::Fallback && (holds || citation.number.is_some()) {
            wrong.push(format!("{id} counts {paper}, which the program supplied, as support"));
        }
        let entered = ledger.iter().flat_map(|claim| &claim.citations).any(|entry| {
            entry.verdict.holds()
                && entry.number == citation.number
                && entry.source_uri == *paper
                && entry.quote == citation.quote
        });
        if holds && !entered {
            wrong.push(format!("{id} cites {paper} with a quote that is not in the ledger"));
        }
        supporting += u32::from(holds && citation.origin != Origin::Fallback);
    }
    if supporting != hypothesis.supporting_citations {
        wrong.push(format!("{id} miscounts its supporting citations"));
    }
}

/// Checks that the rendering is one *quaestio* for each of the best, with marks of existing citations.
fn rendering(complete: &Complete, shown: &BTreeSet<u32>, wrong: &mut Vec<String>) {
    let blocks = (complete.top as usize).min(complete.hypotheses.len());
    wrong.extend(summa::faults(&complete.summa_rendering, blocks));
    let sentences = summa::marked_sentences(&complete.summa_rendering);
    let foreign: BTreeSet<u32> = sentences
        .iter()
        .flat_map(|sentence| &sentence.marks)
        .filter(|mark| !shown.contains(mark))
        .copied()
        .collect();
    for mark in foreign {
        wrong.push(format!("the Summa cites [{mark}], but there is no such citation"));
    }
}

#[cfg(test)]
mod tests;
