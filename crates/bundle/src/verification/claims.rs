//! Claims, the passages that they cite, and the quotes that stand there.

use std::collections::BTreeMap;

use grounding::address::{Address, cited};
use grounding::check::{Context, Fault, Ground, check};
use grounding::derive::evaluate;
use run::evidence::{Evidence, Numbered};
use run::ledger::{Citation, Claim, Verdict};
use run::material::{Material, Place};
use run::views;

use serde_json::Value;

use super::sources::Texts;
use super::{Case, Check};
use crate::figures;

/// Checks that passages have their own ids, and stand in their sources where the log says.
pub(super) fn check_evidence(case: &Case<'_>, texts: &Texts<'_>) -> Check {
    let mut findings = Vec::new();
    let (mut found, mut whole) = (0, 0);
    let all = views::evidence(&case.entries);
    for Numbered { number, evidence } in &all {
        let place = &evidence.provenance.place;
        if evidence.identify() != evidence.evidence_id {
            findings.push(format!("passage {number} has the id of another passage"));
        }
        if let Some(text) = texts.get(place.source_sha256.as_str()) {
            match slice(text, place.start, place.end) == Some(evidence.text.as_str()) {
                true => found += 1,
                false => findings.push(format!(
                    "passage {number} is not at bytes {}–{} of {}",
                    place.start, place.end, evidence.source_uri
                )),
            }
        } else if evidence.is_whole() {
            whole += 1;
        }
    }
    // What retrieval returned, whether or not it became evidence.
    figures::each_object(&case.entries, &mut |fields| {
        let place = fields.get("place").or_else(|| fields.get("provenance"));
        let text = fields.get("text").and_then(Value::as_str);
        let (Some(place), Some(said)) = (place, text) else { return };
        let number = |key: &str| place.get(key).and_then(Value::as_u64);
        let digest = place.get("source_sha256").and_then(Value::as_str);
        let source = digest.and_then(|digest| texts.get(digest));
        if let (Some(source), Some(start), Some(end)) = (source, number("start"), number("end"))
            && slice(source, start, end) != Some(said)
        {
            findings.push(format!("a search result is not at its place in the source: \"{said}\""));
        }
    });
    let told = format!(
        "{found} of {} are in their sources, and {whole} are their whole source",
        all.len()
    );
    Check::of("passages", told, findings)
}

fn slice(text: &str, start: u64, end: u64) -> Option<&str> {
    text.get(usize::try_from(start).ok()?..usize::try_from(end).ok()?)
}

/// Checks that every quote stands at its span and is what its address names.
pub(super) fn check_quotes(case: &Case<'_>, texts: &Texts<'_>) -> Check {
    let all = views::evidence(&case.entries);
    let by_id: BTreeMap<&str, &Evidence> =
        all.iter().map(|one| (one.evidence.evidence_id.as_str(), &*one.evidence)).collect();
    let material = Material::of(&all);
    let mut findings = Vec::new();
    let (mut quotes, mut in_sources) = (0, 0);
    for (index, claim) in case.claims().iter().enumerate() {
        for citation in &claim.citations {
            let mut wrong = |what: &str| {
                findings.push(format!("claim {}, \"{}\": {what}", index + 1, citation.quote));
            };
            let (Some(start), Some(end)) = (citation.start, citation.end) else {
                if claim.verdict.holds() {
                    wrong("it passed the check, but its quote has no place");
                }
                continue;
            };
            let Some(evidence) = by_id.get(citation.evidence_id.as_str()) else {
                wrong("its passage is not in the log");
                continue;
            };
            quotes += 1;
            let place = &evidence.provenance.place;
            let within = (start.checked_sub(place.start), end.checked_sub(place.start));
            let stands = match within {
                (Some(start), Some(end)) => slice(&evidence.text, start, end),
                _ => None,
            };
            if stands != Some(citation.quote.as_str()) {
                wrong("it is not at its place in the passage");
            }
            if place.source_sha256 != citation.source_sha256
                || evidence.source_uri != citation.source_uri
            {
                wrong("it is from another source than its passage");
            }
            if is_addressed_otherwise(citation, &material) {
                wrong("it differs from the text at its address");
            }
            if let Some(text) = texts.get(citation.source_sha256.as_str()) {
                in_sources += 1;
                if slice(text, start, end) != Some(citation.quote.as_str()) {
                    wrong("it is not at its place in the source");
                }
            }
        }
    }
    let told = format!(
        "{quotes} cited quotes, each at its place; {in_sources} of them in the text of the source itself"
    );
    Check::of("quotes", told, findings)
}

/// Returns whether the address of a citation names something else; false for citations of former versions, which have none.
fn is_addressed_otherwise(citation: &Citation, material: &Material<'_>) -> bool {
    if citation.address.is_none() {
        return false;
    }
    let place = place_of(citation, material);
    let made = place
        .and_then(|place| material.citation(place, citation.number, citation.verdict))
        .map(|made| Citation { faults: citation.faults.clone(), ..made });
    made.as_ref() != Some(citation)
}

fn place_of(citation: &Citation, material: &Material<'_>) -> Option<Place> {
    let address = citation.address.as_deref()?;
    let found = cited(&format!("[{address}]")).into_iter().flat_map(|one| one.addresses);
    let [address @ (Address::Statements { .. } | Address::Figure(_))] = Vec::from_iter(found)[..]
    else {
        return None;
    };
    material.place(address, "").ok()
}

/// Checks the numbers of claims again, where the method itself could not be performed again.
pub(super) fn check_words(case: &Case<'_>) -> Check {
    let all = views::evidence(&case.entries);
    let material = Material::of(&all);
    let question = views::start(&case.entries).map(|start| start.question).unwrap_or_default();
    let claims = case.claims();
    let mut findings = Vec::new();
    let mut checked = 0;
    for (index, claim) in claims.iter().enumerate() {
        if claim.verdict != Verdict::Supported {
            continue;
        }
        checked += 1;
        let grounds = grounds_of(claim, claims, &material);
        let context = Context { grounds: &grounds, question, gazetteer: &material.gazetteer };
        let derived = |number: &str| {
            claim.derivations.iter().any(|one| {
                one.number.trim().eq_ignore_ascii_case(number)
                    && evaluate(one, &claim.text, &context).is_ok()
            })
        };
        for fault in check(&claim.text, &context).faults {
            let is_of_number = match &fault {
                Fault::NumberAbsent { number } => !derived(number),
                Fault::UnitDiffers { .. } | Fault::Disguised { .. } => true,
                _ => false,
            };
            if is_of_number {
                findings.push(format!("claim {}, \"{}\": {fault}", index + 1, claim.text));
            }
        }
    }
    Check::of(
        "numbers",
        format!("the numbers and names of {checked} supported claims are in what they cite"),
        findings,
    )
}

/// Returns what a claim rests on: the statements that it cites, and the claims with theirs.
fn grounds_of(claim: &Claim, all: &[Claim], material: &Material<'_>) -> Vec<Ground> {
    let of = |claim: &Claim| -> Vec<Ground> {
        let places = claim.citations.iter().filter_map(|one| place_of(one, material));
        places.filter_map(|place| material.ground(place)).collect()
    };
    let mut grounds = of(claim);
    for number in &claim.rests_on {
        let index = usize::try_from(*number).ok().and_then(|number| number.checked_sub(1));
        let Some(basis) = index.and_then(|index| all.get(index)) else { continue };
        let said = grounding::check::Cited { text: basis.text.clone(), head: String::new() };
        grounds.push(Ground { statements: vec![said], is_claim: true, ..Ground::default() });
        grounds.extend(of(basis));
    }
    grounds
}
