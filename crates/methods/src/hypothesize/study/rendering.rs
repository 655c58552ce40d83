//! The *quaestiones*, sentence by sentence held against the evidence.

use std::collections::BTreeSet;

use run::analysis::{Language, terms};
use run::evidence::Numbered;
use run::extract::cosine;
use run::ledger::{self, Claim, Quoted, Verdict, Written};

use super::MOST_TOLD;
use crate::hypothesize::candidates::{beginning, without_verdicts};
use crate::hypothesize::payload::Origin;
use crate::hypothesize::summa;
use crate::hypothesize::unbacked;

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
            let silent = || Claim { text, verdict: Verdict::Unsupported, citations: vec![] };
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

/// Returns the words of a passage that a sentence is held against: those nearest to it, quoted before or a sentence of the passage.
///
/// One and no more: among many quotes some would let nearly any sentence pass.
fn quoted(sentence: &str, passage: &Numbered, known: &[&Claim]) -> Quoted {
    let citations = known.iter().flat_map(|claim| &claim.citations);
    let before = citations.filter(|one| {
        one.verdict == Verdict::Verified && one.evidence_id == passage.evidence.evidence_id
    });
    let text = &passage.evidence.text;
    let sentences = run::analysis::sentences(text);
    let quotes = before
        .map(|citation| citation.quote.as_str())
        .chain(sentences.into_iter().filter_map(|span| text.get(span)));
    let said = terms(sentence, Language::English);
    let near = |quote: &str| cosine(&said, &terms(quote, Language::English));
    let nearest = quotes
        .map(|quote| (near(quote), quote))
        .reduce(|best, next| if next.0 > best.0 { next } else { best });
    let quote = nearest.map(|(_, quote)| quote.to_owned()).unwrap_or_default();
    Quoted { evidence: passage.number, quote }
}
