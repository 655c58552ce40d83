//! Enters an agent's statements, and records what does not hold.

use std::collections::BTreeMap;

use ::grounding::check::Shown;
use run::Mode;
use run::evidence::Numbered;
use run::ledger::{Claim, Verdict, Written};

use super::payload::{Judgement, Statement};
use super::replies::Advice;
use crate::grounded::docket::{Docket, Judged, Sentence, plain};
use crate::grounded::free::remarks;

/// The input of a section's agent.
pub(super) struct SectionInput<'a> {
    pub(super) question: &'a str,
    /// The words of the search's subject.
    pub(super) subject: &'a [String],
    pub(super) evidence: &'a [Numbered],
    /// Everything that the agent was shown.
    pub(super) shown: Shown,
    /// The claims of earlier sections, by the ids of their statements.
    pub(super) known: BTreeMap<String, Claim>,
    /// The number of the next statement.
    pub(super) next: u32,
    /// Maximum number of entries taken from each list of a reply.
    pub(super) most: usize,
    pub(super) mode: Mode,
}

/// The outcome of a reply.
pub(super) struct Entered<T> {
    pub(super) section: T,
    pub(super) claims: Vec<(String, Claim)>,
    pub(super) failed: Vec<Claim>,
    /// The violations to report to the agent.
    pub(super) violations: Vec<String>,
}

impl<T> Entered<T> {
    /// Returns whether this is at least as good as the outcome of an earlier reply.
    pub(super) fn stands_beside(&self, earlier: &Entered<T>) -> bool {
        let merit = |one: &Entered<T>| one.claims.len() as i64 - one.violations.len() as i64;
        merit(self) >= merit(earlier)
    }
}

/// Enters the statements of one reply.
pub(super) struct Clerk<'a, 'd> {
    section_input: &'a SectionInput<'a>,
    docket: &'a mut Docket<'d>,
    claims: Vec<(String, Claim)>,
    failed: Vec<Claim>,
    violations: Vec<String>,
}

impl<'a, 'd> Clerk<'a, 'd> {
    pub(super) fn at(
        section_input: &'a SectionInput<'a>,
        docket: &'a mut Docket<'d>,
    ) -> Clerk<'a, 'd> {
        Clerk {
            section_input,
            docket,
            claims: Vec::new(),
            failed: Vec::new(),
            violations: Vec::new(),
        }
    }

    pub(super) fn done<T>(self, section: T) -> Entered<T> {
        let Clerk { claims, failed, violations, .. } = self;
        Entered { section, claims, failed, violations }
    }

    pub(super) fn section_input(&self) -> &'a SectionInput<'a> {
        self.section_input
    }

    pub(super) fn object(&mut self, violation: impl Into<String>) {
        self.violations.push(format!("- {}", violation.into()));
    }

    /// Assigns an id to a claim that holds.
    pub(super) fn admit(&mut self, claim: Claim, text: &str) -> Statement {
        let id = format!("c{}", self.section_input.next + self.claims.len() as u32);
        let (text, verdict) = (text.to_owned(), claim.verdict);
        self.claims.push((id.clone(), claim));
        Statement { id, text, verdict }
    }

    /// Returns the outcome of a sentence; `None` if it is empty, does not hold, or has not been judged yet.
    pub(super) fn holding(&mut self, sentence: &Sentence) -> Option<Judged> {
        let judged =
            (!sentence.words.is_empty()).then(|| self.docket.judged(sentence)).flatten()?;
        if judged.holds() {
            return Some(judged);
        }
        self.failed.push(judged.claim);
        None
    }

    /// Enters a sentence; `None` if it does not hold.
    pub(super) fn state(&mut self, sentence: &Sentence) -> Option<Statement> {
        let Judged { claim, words } = self.holding(sentence)?;
        Some(self.admit(claim, &words))
    }

    /// Enters sentences, skipping duplicates.
    pub(super) fn states(&mut self, written: &[Written]) -> Vec<Statement> {
        let mut texts: Vec<String> = Vec::new();
        let mut statements: Vec<Statement> = Vec::new();
        for one in written.iter().take(self.section_input.most) {
            let text = plain(&one.text);
            if !texts.contains(&text) {
                texts.push(text);
                statements.extend(self.state(&Sentence::of(one)));
            }
        }
        statements
    }

    /// Returns the claim of a statement in this section or an earlier one.
    pub(super) fn claim(&self, id: &str) -> Option<&Claim> {
        let own = self.claims.iter().find(|(known, _)| known == id).map(|(_, claim)| claim);
        own.or_else(|| self.section_input.known.get(id))
    }

    /// Enters conclusions from statements of earlier sections.
    pub(super) fn judgements(&mut self, advice: &[Advice]) -> Vec<Judgement> {
        let mut taken: Vec<Judgement> = Vec::new();
        for one in advice.iter().take(self.section_input.most) {
            let text = plain(&one.text);
            if text.is_empty() || taken.iter().any(|known| known.text == text) {
                continue;
            }
            let Some((statement, rests_on)) = self.concluded(&text, &one.rests_on) else {
                continue;
            };
            let Statement { id, text, verdict } = statement;
            taken.push(Judgement { id, text, verdict: Some(verdict), rests_on });
        }
        taken
    }

    /// Enters a sentence that rests on statements; `None` if it rests on none, or does not follow from them.
    pub(super) fn concluded(
        &mut self,
        text: &str,
        rests_on: &[String],
    ) -> Option<(Statement, Vec<String>)> {
        let rests_on = self.rests_on(rests_on);
        if rests_on.is_empty() {
            self.object(format!("\"{text}\" rests on no statement of an earlier section"));
            return None;
        }
        let basis: Vec<Claim> = rests_on.iter().filter_map(|id| self.claim(id)).cloned().collect();
        // A repeated statement keeps its claim.
        let again = basis.iter().find(|claim| claim.text == text).cloned();
        let (claim, words) = match again {
            Some(claim) => (claim, text.to_owned()),
            None => {
                let assumed = basis.iter().find_map(assumption).map(str::to_owned);
                let Judged { mut claim, mut words } =
                    self.holding(&Sentence::from_claims(text, basis))?;
                // A conclusion from a computed figure keeps the figure's assumptions.
                if let Some(assumed) = assumed {
                    words.push_str(&assumed);
                    claim.text.push_str(&assumed);
                }
                (claim, words)
            }
        };
        Some((self.admit(claim, &words), rests_on))
    }

    /// Returns those ids that belong to a statement, without duplicates.
    pub(super) fn rests_on(&self, ids: &[String]) -> Vec<String> {
        /// Maximum number of ids considered.
        const MOST: usize = 12;
        let mut known: Vec<String> = Vec::new();
        for id in ids.iter().take(MOST) {
            let id = id.trim().trim_matches(['[', ']']).to_lowercase();
            if self.claim(&id).is_some() && !known.contains(&id) {
                known.push(id);
            }
        }
        known
    }

    /// Takes the agent's own remarks, which are checked only for figures from elsewhere.
    pub(super) fn remarks(&self, said: &[String]) -> Vec<String> {
        remarks(said, &self.section_input.shown, self.section_input.most)
    }
}

/// Returns the suffix of a computed figure that states its assumptions, with its leading space.
fn assumption(claim: &Claim) -> Option<&str> {
    let computed = (claim.verdict == Verdict::Recomputed).then_some(claim.text.as_str())?;
    [" (assumed: ", " (on assumptions alone)"]
        .iter()
        .find_map(|label| computed.rfind(label).and_then(|at| computed.get(at..)))
}
