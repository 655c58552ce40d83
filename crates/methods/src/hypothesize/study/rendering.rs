//! The *quaestiones*, sentence by sentence held against the evidence.

use std::collections::BTreeSet;

use run::evidence::Numbered;
use run::ledger::{self, Claim, Quoted, Verdict, Written};

use super::UNSUPPORTED;
use crate::hypothesize::candidates::beginning;
use crate::hypothesize::payload::Origin;
use crate::hypothesize::{summa, unbacked};

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
        let text = match origin {
            Origin::Model => {
                let lines: Vec<String> =
                    text.lines().map(|line| unbacked::marked(line).0).collect();
                lines.join("\n")
            }
            Origin::Extractive | Origin::Fallback => text,
        };
        let passage = |mark: u32| evidence.iter().find(|one| one.number == mark);
        let mut foreign = Vec::new();
        let mut claims = Vec::new();
        for sentence in summa::marked_sentences(&text) {
            foreign.extend(sentence.marks.iter().filter(|mark| passage(**mark).is_none()));
            let cited = sentence.marks.iter().filter_map(|mark| passage(*mark));
            let citations = cited.map(|one| quoted(&sentence.text, one, known)).collect();
            let written = Written { text: sentence.text.clone(), citations };
            let entered = ledger::enter(&[written], evidence).into_iter().next();
            let text = sentence.text;
            let silent = || Claim { text, verdict: Verdict::Unsupported, citations: vec![] };
            claims.push(entered.unwrap_or_else(silent));
        }
        Rendering { text, origin, claims, foreign }
    }

    /// Returns what does not hold, as its writer is told it: marked sentences that their passages do not bear out, and such as name a
    /// source without a mark.
    pub(super) fn unborne(&self) -> Vec<String> {
        let failed = self.claims.iter().filter(|claim| claim.verdict == Verdict::Unsupported);
        let mut told: Vec<String> = failed
            .map(|claim| {
                let faults = claim.citations.iter().flat_map(|one| &one.faults);
                let faults: BTreeSet<&str> = faults.map(String::as_str).collect();
                let faults: Vec<&str> = faults.into_iter().collect();
                format!("\"{}\": {}", beginning(&claim.text, 200), faults.join("; "))
            })
            .collect();
        let named = self.text.matches(UNSUPPORTED.trim()).count();
        if named > 0 {
            told.push(format!("{named} sentences name a source without a mark"));
        }
        told
    }
}

/// Returns the words of a passage that bear the sentence out; where none do, the first that were quoted from it.
fn quoted(sentence: &str, passage: &Numbered, known: &[&Claim]) -> Quoted {
    let citations = known.iter().flat_map(|claim| &claim.citations);
    let before = citations.filter(|one| {
        one.verdict == Verdict::Verified && one.evidence_id == passage.evidence.evidence_id
    });
    let text = &passage.evidence.text;
    let sentences = run::analysis::sentences(text);
    let quotes: Vec<&str> = before
        .map(|citation| citation.quote.as_str())
        .chain(sentences.into_iter().filter_map(|span| text.get(span)))
        .collect();
    let quote = |quote: &str| Quoted { evidence: passage.number, quote: quote.to_owned() };
    let holds = |one: &&&str| {
        let written = Written { text: sentence.to_owned(), citations: vec![quote(one)] };
        let entered = ledger::enter(&[written], std::slice::from_ref(passage));
        entered.iter().any(|claim| claim.verdict == Verdict::Verified)
    };
    quote(quotes.iter().find(holds).or(quotes.first()).copied().unwrap_or_default())
}
