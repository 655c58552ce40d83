//! Citations made to deceive the check, and honest ones: none of the first may be verified, all of the second must be.

mod falsified;
mod headings;
mod honest;
mod misquoted;
mod misused;
mod passages;
mod retold;

use std::collections::HashSet;

use run::grounding::{Passage, check};

/// A claim, the passage it cites, and what it says stands there.
type Case = (&'static str, &'static str, Passage<'static>, &'static str);

// proves: C4, C13
#[test]
fn not_one_citation_made_to_deceive_is_verified() {
    let mut cases: Vec<(&str, String, Passage<'_>, String)> = misquoted::shifted();
    cases.extend(
        falsified::falsified()
            .into_iter()
            .map(|(family, claim, passage, quote)| (family, claim, passage, quote.to_owned())),
    );
    let written = misquoted::MISQUOTED.iter().chain(misused::MISUSED).chain(retold::EXCHANGED);
    cases.extend(written.map(|(family, claim, passage, quote)| {
        (*family, (*claim).to_owned(), *passage, (*quote).to_owned())
    }));
    let distinct: HashSet<(&str, &str, &str)> = cases
        .iter()
        .map(|(_, claim, passage, quote)| (claim.as_str(), passage.section, quote.as_str()))
        .collect();
    assert!(distinct.len() >= 240, "{} distinct cases", distinct.len());
    let offenders: Vec<String> = cases
        .iter()
        .filter(|(_, claim, passage, quote)| check(claim, passage, quote).verified())
        .map(|(family, claim, _, quote)| format!("{family}: {claim:?} by {quote:?}"))
        .collect();
    assert!(offenders.is_empty(), "verified, and should not be:\n{}", offenders.join("\n"));
}

// proves: C4, C13
#[test]
fn every_honest_citation_is_verified() {
    let faithful = honest::FAITHFUL
        .into_iter()
        .map(|(claim, passage, quote)| ("faithful", claim, passage, quote));
    let cases: Vec<Case> =
        faithful.chain(honest::HONEST.iter().chain(retold::RETOLD).copied()).collect();
    assert!(cases.len() >= 60, "{} cases", cases.len());
    let refused: Vec<String> = cases
        .iter()
        .filter(|(_, claim, passage, quote)| !check(claim, passage, quote).verified())
        .map(|(family, claim, passage, quote)| {
            format!("{family}: {claim:?} by {quote:?}: {:?}", check(claim, passage, quote).faults)
        })
        .collect();
    assert!(refused.is_empty(), "refused, and should not be:\n{}", refused.join("\n"));
}
