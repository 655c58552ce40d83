//! Enters what an agent states, and notes what does not hold.

use std::collections::{BTreeMap, BTreeSet};

use run::evidence::Numbered;
use run::ledger::{self, Claim, Verdict, Written};
use run::{Mode, grounding};

use super::payload::{Judgement, Statement};
use super::replies::Advice;
pub(super) use crate::opinion::{line, numbers};

/// What lies before an agent.
pub(super) struct Desk<'a> {
    pub(super) question: &'a str,
    /// What the search was about, in words.
    pub(super) subject: &'a [String],
    pub(super) evidence: &'a [Numbered],
    /// The statements of the sections before, by id.
    pub(super) known: BTreeMap<String, Claim>,
    /// The number of the next statement.
    pub(super) next: u32,
    /// Entries taken of each list of a reply.
    pub(super) most: usize,
    pub(super) mode: Mode,
}

/// What came of a reply.
pub(super) struct Entered<T> {
    pub(super) section: T,
    pub(super) claims: Vec<(String, Claim)>,
    pub(super) failed: Vec<Claim>,
    /// What the agent is told.
    pub(super) violations: Vec<String>,
}

impl<T> Entered<T> {
    /// Tells whether this is at least as good as what came of an earlier reply.
    pub(super) fn stands_beside(&self, earlier: &Entered<T>) -> bool {
        let merit = |one: &Entered<T>| one.claims.len() as i64 - one.violations.len() as i64;
        merit(self) >= merit(earlier)
    }
}

/// Who enters the statements of one reply.
pub(super) struct Clerk<'a> {
    desk: &'a Desk<'a>,
    claims: Vec<(String, Claim)>,
    failed: Vec<Claim>,
    violations: Vec<String>,
}

impl<'a> Clerk<'a> {
    pub(super) fn at(desk: &'a Desk<'a>) -> Clerk<'a> {
        Clerk { desk, claims: Vec::new(), failed: Vec::new(), violations: Vec::new() }
    }

    pub(super) fn done<T>(self, section: T) -> Entered<T> {
        let Clerk { claims, failed, violations, .. } = self;
        Entered { section, claims, failed, violations }
    }

    pub(super) fn desk(&self) -> &'a Desk<'a> {
        self.desk
    }

    pub(super) fn object(&mut self, violation: impl Into<String>) {
        self.violations.push(format!("- {}", violation.into()));
    }

    /// Gives a claim that holds its id.
    pub(super) fn admit(&mut self, claim: Claim, text: &str) -> Statement {
        let id = format!("c{}", self.desk.next + self.claims.len() as u32);
        let (text, verdict) = (text.to_owned(), claim.verdict);
        self.claims.push((id.clone(), claim));
        Statement { id, text, verdict }
    }

    /// Notes a claim that does not hold.
    pub(super) fn refuse(&mut self, claim: Claim) {
        let told = ledger::violations(std::slice::from_ref(&claim));
        if !told.is_empty() {
            self.violations.push(told.trim_end().to_owned());
        }
        self.failed.push(claim);
    }

    /// Enters a sentence; none where it does not hold.
    pub(super) fn state(&mut self, written: &Written) -> Option<Statement> {
        let claim = self.check(written)?;
        if claim.verdict == Verdict::Verified {
            let text = claim.text.clone();
            return Some(self.admit(claim, &text));
        }
        self.refuse(claim);
        None
    }

    /// Enters sentences, each once.
    pub(super) fn states(&mut self, written: &[Written]) -> Vec<Statement> {
        let mut statements: Vec<Statement> = Vec::new();
        for one in written.iter().take(self.desk.most) {
            let text = ledger::one_line(&ledger::without_marks(&grounding::clean(&one.text)));
            if !statements.iter().any(|known| known.text == text) {
                statements.extend(self.state(one));
            }
        }
        statements
    }

    /// Holds a sentence against the evidence; none for an empty one.
    pub(super) fn check(&self, written: &Written) -> Option<Claim> {
        ledger::enter(std::slice::from_ref(written), self.desk.evidence).into_iter().next()
    }

    /// Returns the claims of statements, of this section or those before.
    pub(super) fn claim(&self, id: &str) -> Option<&Claim> {
        let own = self.claims.iter().find(|(known, _)| known == id).map(|(_, claim)| claim);
        own.or_else(|| self.desk.known.get(id))
    }

    /// Takes judgements that rest on statements of the sections before, and say no number that these do not say.
    pub(super) fn judgements(&mut self, advice: &[Advice]) -> Vec<Judgement> {
        let mut taken: Vec<Judgement> = Vec::new();
        for one in advice.iter().take(self.desk.most) {
            let text = line(&one.text);
            if text.is_empty() || taken.iter().any(|known| known.text == text) {
                continue;
            }
            let rests_on = self.rests_on(&one.rests_on);
            if rests_on.is_empty() {
                self.object(format!("\"{text}\" rests on no statement of an earlier section"));
                continue;
            }
            let claims = rests_on.iter().filter_map(|id| self.claim(id));
            let said: BTreeSet<String> = claims.flat_map(|claim| numbers(&claim.text)).collect();
            let foreign: Vec<String> = numbers(&text).difference(&said).cloned().collect();
            if foreign.is_empty() {
                taken.push(Judgement { text, rests_on });
            } else {
                let foreign = foreign.join(", ");
                self.object(format!(
                    "\"{text}\" says {foreign}, and the statements that it rests on do not"
                ));
            }
        }
        taken
    }

    /// Returns the ids among these that are of a statement, each once.
    pub(super) fn rests_on(&self, ids: &[String]) -> Vec<String> {
        /// A sentence that names more of them rests on none in particular.
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

    /// Takes the agent's own remarks, which nothing checks.
    pub(super) fn remarks(&self, said: &[String]) -> Vec<String> {
        let read = self.desk.evidence.iter().map(|one| one.evidence.text.as_str());
        let known: BTreeSet<String> = read.chain([self.desk.question]).flat_map(numbers).collect();
        let mut remarks: Vec<String> = Vec::new();
        for remark in said.iter().map(|remark| line(remark)) {
            // Nothing checks a remark: it says no number that nobody has said.
            let invented = !numbers(&remark).is_subset(&known);
            if !remark.is_empty()
                && !invented
                && !remarks.contains(&remark)
                && remarks.len() < self.desk.most
            {
                remarks.push(remark);
            }
        }
        remarks
    }
}
