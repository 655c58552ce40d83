//! The *quaestiones*, checked sentence by sentence against the evidence.

use std::collections::BTreeMap;

use ::grounding::address::cited;
use ::grounding::check::Shown;
use run::evidence::Numbered;
use run::ledger::Claim;
use run::material::Material;
use run::{Call, Mode, Result, Run};

use crate::grounded::docket::{Docket, Judged, Sentence, mend, settle};
use crate::grounded::free::conjecture;
use crate::hypothesize::payload::Origin;
use crate::hypothesize::summa;

/// Maximum number of marked sentences that are checked.
const MOST_SENTENCES: usize = 200;

/// A text of *quaestiones*, and what its marked sentences rest on.
#[derive(Debug, Clone)]
pub(in crate::hypothesize) struct Rendering {
    /// Its marks are numbered separately, from 1, each for the addresses of one citation.
    pub(super) text: String,
    pub(super) origin: Origin,
    /// The outcomes of the marked sentences, in order.
    pub(super) judged: Vec<Judged>,
    /// Addresses that do not exist.
    pub(super) foreign: Vec<String>,
}

/// The context that a text of *quaestiones* is checked against.
pub(in crate::hypothesize) struct ClaimCheck<'a> {
    pub(in crate::hypothesize) run: &'a Run,
    pub(in crate::hypothesize) question: &'a str,
    pub(in crate::hypothesize) evidence: &'a [Numbered],
    /// Everything that the composer was shown.
    pub(in crate::hypothesize) shown: Shown,
    /// The claims judged before the text was written.
    pub(in crate::hypothesize) known: Vec<Claim>,
}

impl Rendering {
    /// Judges the sentences of a text that cite. What does not hold goes back to the composer once. A sentence without citations is
    /// argument.
    ///
    /// `call` begins a call of the composer.
    pub(in crate::hypothesize) async fn of<'c>(
        text: &str,
        origin: Origin,
        claim_check: &ClaimCheck<'_>,
        call: &(dyn Fn() -> Call<'c> + Sync),
    ) -> Result<Rendering> {
        let text = run::grounding::clean(text);
        let (text, cites) = numbered(&text);
        let text = match origin {
            Origin::Model => argued(&text, &claim_check.shown),
            Origin::Extractive | Origin::Fallback => text,
        };
        let material = Material::of(claim_check.evidence);
        let mode =
            if origin == Origin::Extractive { Mode::Offline } else { claim_check.run.mode() };
        let sentences: Vec<Sentence> = summa::marked_sentences(&text)
            .into_iter()
            .take(MOST_SENTENCES)
            .map(|one| Sentence {
                words: one.text,
                cites: one
                    .marks
                    .iter()
                    .filter_map(|mark| cites.get(mark))
                    .flatten()
                    .cloned()
                    .collect(),
                ..Sentence::default()
            })
            .collect();
        let mut docket =
            Docket::new(&material, claim_check.question, mode).knowing(claim_check.known.clone());
        let enter = |docket: &mut Docket<'_>| -> Vec<Judged> {
            sentences.iter().map(|one| docket.judged(one).unwrap_or_default()).collect()
        };
        settle(claim_check.run, &mut docket, enter).await?;
        if origin == Origin::Model {
            mend(claim_check.run, &mut docket, call).await?;
        }
        let judged = settle(claim_check.run, &mut docket, enter).await?;
        let is_foreign = |cite: &&String| {
            let found = cited(&format!("[{cite}]"));
            let mut addresses = found.iter().flat_map(|one| &one.addresses);
            !addresses.all(|address| material.place(*address, "a").is_ok())
        };
        let foreign = cites.values().flatten().filter(is_foreign).cloned().collect();
        Ok(Rendering { text, origin, judged, foreign })
    }

    /// Returns the number of its sentences that do not hold.
    pub(super) fn unborne(&self) -> usize {
        self.judged.iter().filter(|one| !one.holds()).count()
    }

    /// Returns the claims of its sentences.
    pub(super) fn claims(&self) -> Vec<Claim> {
        self.judged.iter().map(|one| one.claim.clone()).collect()
    }
}

/// Returns a text with a number instead of each citation, and the addresses that each number stands for.
fn numbered(text: &str) -> (String, BTreeMap<u32, Vec<String>>) {
    let mut cites: BTreeMap<u32, Vec<String>> = BTreeMap::new();
    let mut page = String::with_capacity(text.len());
    let mut from = 0;
    for (citation, number) in cited(text).into_iter().zip(1..) {
        page.push_str(text.get(from..citation.span.start).unwrap_or_default());
        page.push_str(&format!("[{number}]"));
        from = citation.span.end;
        let addresses = citation.addresses.iter().map(ToString::to_string);
        cites.insert(number, addresses.collect());
    }
    page.push_str(text.get(from..).unwrap_or_default());
    (page, cites)
}

/// Returns a text in which sentences that name a source without citing are marked.
fn argued(text: &str, shown: &Shown) -> String {
    let uncited = |text: &str| {
        let words = text.trim();
        match text.split_once(words) {
            Some((lead, trail)) if words.contains(char::is_alphanumeric) => {
                format!("{lead}{}{trail}", conjecture(words, shown))
            }
            _ => text.to_owned(),
        }
    };
    let line = |line: &str| {
        let mut page = String::with_capacity(line.len());
        let mut from = 0;
        for cited in summa::marked_sentences(line) {
            page.push_str(&uncited(line.get(from..cited.span.start).unwrap_or_default()));
            page.push_str(line.get(cited.span.clone()).unwrap_or_default());
            from = cited.span.end;
        }
        page.push_str(&uncited(line.get(from..).unwrap_or_default()));
        page
    };
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    // proves: H3, H7
    #[test]
    fn what_cites_nothing_is_held_to_the_same_beside_what_cites() {
        let shown = Shown::of(["It rose by 3 m."]);
        let marked = |text: &str| argued(text, &shown);
        assert_eq!(
            marked(
                "I answer that it was shown, see https://x.example/a. It rose by 3 m [1]. See 10.1234/ab, too."
            ),
            "I answer that it was shown, see https://x.example/a. [unsupported] It rose by 3 m [1]. See 10.1234/ab, too. [unsupported]"
        );
        let argument =
            "It rose by 3 m [1]. So it may rise again.\n\n  Reply to Objection 1. Perhaps [2].";
        assert_eq!(marked(argument), argument);
    }
}
