//! The *quaestiones*, sentence by sentence held against the evidence.

use std::collections::BTreeSet;

use run::evidence::Numbered;
use run::ledger::{self, Claim, Verdict, Written};

use super::MOST_TOLD;
use crate::hypothesize::candidates::{beginning, without_verdicts};
use crate::hypothesize::payload::Origin;
use crate::hypothesize::summa;
use crate::hypothesize::unbacked;
use crate::nearest::quoted;

/// Marked sentences, and marks of one, that are checked at most.
const MOST_SENTENCES: usize = 200;
const MOST_MARKS: usize = 8;

/// A text of *quaestiones* and what its marked sentences rest on.
#[derive(Debug, Clone)]
pub(in crate::hypothesize) struct Rendering {
    /// With marks that are numbers of the evidence.
    pub(super) text: String,
    pub(super) origin: Origin,
    /// The sentences that carry marks, in their order.
    pub(super) claims: Vec<Claim>,
    /// Marks that name no evidence of the run.
    pub(super) foreign: Vec<u32>,
    /// Sentences that name a source without a mark, and are shown as unsupported.
    named: u32,
}

impl Rendering {
    /// Holds a text against the evidence; `known` are the claims that were checked before it was written.
    pub(super) fn of(
        text: &str,
        origin: Origin,
        evidence: &[Numbered],
        known: &[&Claim],
    ) -> Rendering {
        let text = run::grounding::clean(text);
        let mut named = 0;
        let text = match origin {
            Origin::Model => {
                let marked = |line: &str| {
                    let (line, count) = unbacked::marked(&without_verdicts(line));
                    named += count;
                    line
                };
                text.lines().map(marked).collect::<Vec<_>>().join("\n")
            }
            Origin::Extractive | Origin::Fallback => text,
        };
        let passage = |mark: u32| evidence.iter().find(|one| one.number == mark);
        let mut foreign = Vec::new();
        let mut claims = Vec::new();
        for (index, sentence) in summa::marked_sentences(&text).into_iter().enumerate() {
            foreign.extend(sentence.marks.iter().filter(|mark| passage(**mark).is_none()));
            // What is more than anybody checks holds nothing up.
            let marks = if index < MOST_SENTENCES { sentence.marks.as_slice() } else { &[] };
            let cited = marks.iter().take(MOST_MARKS).filter_map(|mark| passage(*mark));
            let citations = cited.map(|one| quoted(&sentence.text, one, known)).collect();
            let written = Written { text: sentence.text.clone(), citations };
            let entered = ledger::enter(&[written], evidence).into_iter().next();
            let text = sentence.text;
            let silent = || Claim {
                text,
                verdict: Verdict::Unsupported,
                citations: vec![],
                ..Claim::default()
            };
            claims.push(entered.unwrap_or_else(silent));
        }
        Rendering { text, origin, claims, foreign, named }
    }

    /// Returns what does not hold, as its writer is told it: marked sentences that their passages do not bear out, and such as name a
    /// source without a mark.
    pub(super) fn unborne(&self) -> Vec<String> {
        let failed = self.claims.iter().filter(|claim| claim.verdict == Verdict::Unsupported);
        let mut told: Vec<String> = failed
            .take(MOST_TOLD)
            .map(|claim| {
                let faults = claim.citations.iter().flat_map(|one| &one.faults);
                let faults: BTreeSet<&str> = faults.map(String::as_str).collect();
                let faults: Vec<&str> = faults.into_iter().collect();
                format!("\"{}\": {}", beginning(&claim.text, 200), faults.join("; "))
            })
            .collect();
        if self.named > 0 {
            told.push(format!("sentences that name a source without a mark: {}", self.named));
        }
        told
    }
}
