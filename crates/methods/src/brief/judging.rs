//! Checks the agents' sentences against the statements that they name.

use ::grounding::check::Shown;
use run::ledger::{Claim, Verdict};

use super::state::PipelineState;
use super::statements::Named;
use crate::grounded::docket::{Docket, Sentence, plain};
use crate::grounded::free::is_more;

/// A sentence as an agent wrote it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Spoken<'a> {
    pub(super) text: &'a str,
    pub(super) rests_on: &'a [String],
    /// Whether its writer marked it as their own judgement.
    pub(super) is_judgement: bool,
    /// Whether it is a conclusion from statements rather than a restatement of them.
    pub(super) concludes: bool,
}

/// The outcome of checking a sentence.
#[derive(Debug, Clone)]
pub(super) enum Outcome {
    /// It is supported: the claim, and the words to show.
    Holds(Claim, String),
    /// It is the writer's own judgement and claims to be no more.
    Judgement,
    /// It does not hold: the claim, and the reason.
    Fails(Claim, String),
}

impl Outcome {
    /// Returns the sentence with the reason it does not hold, if it fails.
    pub(super) fn fault(&self) -> Option<String> {
        match self {
            Outcome::Fails(claim, why) => Some(format!("\"{}\": {why}", claim.text)),
            Outcome::Holds(..) | Outcome::Judgement => None,
        }
    }
}

impl PipelineState<'_> {
    /// Returns the outcome of a sentence; `None` if it has not been judged yet.
    pub(super) fn judged(
        &self,
        spoken: Spoken<'_>,
        shown: &Shown,
        docket: &mut Docket<'_>,
    ) -> Option<Outcome> {
        let words = plain(spoken.text);
        let named = Named::of(spoken.text, spoken.rests_on);
        // A conclusion from figures is no fact, however well it follows.
        let may_be = |claim: &&Claim| spoken.concludes || claim.verdict != Verdict::Inferred;
        let mut known = self.claims.values().filter(may_be);
        if let Some(claim) = known.find(|claim| claim.text == words) {
            return Some(Outcome::Holds(claim.clone(), words));
        }
        if let Some(claim) = self.concluded_before(&words, &named).filter(|_| spoken.concludes) {
            return Some(Outcome::Holds(claim.clone(), words));
        }
        let claims: Vec<&Claim> =
            named.findings.iter().filter_map(|id| self.claims.get(id)).collect();
        let names_nothing = claims.is_empty() && named.figures.is_empty();
        let rests_on_remarks =
            names_nothing && !(named.findings.is_empty() && named.gaps.is_empty());
        if spoken.is_judgement || rests_on_remarks {
            return Some(match is_more(&words, shown) {
                None => Outcome::Judgement,
                Some(why) => Outcome::Fails(unsupported(&words), why),
            });
        }
        let mut sentence = Sentence { words, cites: named.cites(), ..Sentence::default() };
        if spoken.concludes {
            // A sentence that names nothing must follow from all findings.
            let basis: Vec<&Claim> =
                if names_nothing { self.claims.values().collect() } else { claims };
            sentence.basis = basis.into_iter().cloned().collect();
            sentence.is_conclusion = true;
        } else {
            let numbers = claims.iter().flat_map(|claim| self.statements.numbers(claim));
            for cite in numbers.map(|number| format!("F{number}")) {
                if !sentence.cites.contains(&cite) {
                    sentence.cites.push(cite);
                }
            }
        }
        let judged = docket.judged(&sentence)?;
        if judged.holds() {
            return Some(Outcome::Holds(judged.claim, judged.words));
        }
        let faults = judged.claim.faults.iter().map(ToString::to_string);
        let why = faults.collect::<Vec<String>>().join("; ");
        Some(Outcome::Fails(judged.claim, why))
    }

    /// Returns the same conclusion from the same findings if it held in an earlier draft.
    fn concluded_before(&self, words: &str, named: &Named) -> Option<&Claim> {
        let draft = self.draft.as_ref().filter(|_| named.figures.is_empty())?;
        let said = draft.statements.iter().find(|one| one.text == words)?;
        let is_same = said.rests_on.iter().eq(named.findings.iter().chain(&named.gaps));
        let mut held = draft.ledger.iter().filter(|claim| claim.verdict == Verdict::Inferred);
        held.find(|claim| is_same && claim.text == words)
    }
}

/// Returns a sentence that does not hold, as the ledger stores it.
fn unsupported(text: &str) -> Claim {
    Claim { text: text.to_owned(), verdict: Verdict::Unsupported, ..Claim::default() }
}
