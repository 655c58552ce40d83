//! Claims, what they cite, and where they are shown.

use std::collections::{BTreeMap, BTreeSet};

use render::Document;
use run::ledger::{Citation, Claim, Verdict, without_marks};

use super::shape::ResultFile;
use super::{Finding, located};

/// Checks citations, claims and references against each other, and the places of claims in the answer.
pub(super) fn check(file: &ResultFile, findings: &mut Vec<Finding>) {
    let known = number_citations(&file.citations, findings);
    for (index, citation) in file.citations.iter().enumerate() {
        check_span(&format!("/citations/{index}"), citation, file, findings);
    }
    let claims = file.claims();
    for (at, claim) in located(claims) {
        for (index, citation) in claim.citations.iter().enumerate() {
            let at = format!("{at}/citations/{index}");
            check_span(&at, citation, file, findings);
            check_number(&at, citation, &known, findings);
        }
        check_verdict(&at, claim, findings);
        check_basis(&at, claim, claims, findings);
        // Another text is what `check` was given, and it is not in the file.
        if let (Some(answer), false) = (&file.answer, file.method == "check") {
            check_place(&at, claim, answer, findings);
        }
    }
    if file.deliverable.as_ref().is_some_and(|delivered| delivered.claims.is_some()) {
        let cited: BTreeSet<u32> = claims.iter().flat_map(Claim::numbers).collect();
        for number in known.keys().filter(|number| !cited.contains(number)) {
            findings.push(Finding::new("/citations", format!("no claim cites [{number}]")));
        }
    }
    for (index, reference) in file.references.iter().enumerate() {
        let at = format!("/references/{index}/numbers");
        if reference.numbers.is_empty() {
            findings.push(Finding::new(&at, "it stands for no citation"));
        }
        for number in reference.numbers.iter().filter(|number| !known.contains_key(number)) {
            findings.push(Finding::new(&at, format!("there is no citation [{number}]")));
        }
    }
}

/// Checks that every mark of the report leads to a citation.
pub(super) fn check_marks(file: &ResultFile, report: &Document, findings: &mut Vec<Finding>) {
    let known: BTreeSet<u32> = file.citations.iter().filter_map(|one| one.number).collect();
    for number in report.numbers().difference(&known) {
        let what = format!("the report shows [{number}], and there is no such citation");
        findings.push(Finding::new("/citations", what));
    }
}

/// Returns the citations by number; they are numbered from 1, in order, each once.
fn number_citations<'a>(
    citations: &'a [Citation],
    findings: &mut Vec<Finding>,
) -> BTreeMap<u32, &'a Citation> {
    let mut known = BTreeMap::new();
    let mut last = 0;
    for (index, citation) in citations.iter().enumerate() {
        let at = format!("/citations/{index}/number");
        match citation.number {
            None => findings.push(Finding::new(at, "it has no number")),
            Some(number) if number <= last => {
                let what = format!("[{number}] stands behind [{last}]; numbers count up from 1");
                findings.push(Finding::new(at, what));
            }
            Some(number) => {
                last = number;
                known.insert(number, citation);
            }
        }
    }
    known
}

/// Checks that a numbered citation is the one that stands under its number.
fn check_number(
    at: &str,
    citation: &Citation,
    known: &BTreeMap<u32, &Citation>,
    findings: &mut Vec<Finding>,
) {
    let Some(number) = citation.number else { return };
    let place = |one: &Citation| {
        let Citation { evidence_id, source_uri, quote, start, end, source_sha256, .. } = one;
        (
            evidence_id.clone(),
            source_uri.clone(),
            quote.clone(),
            *start,
            *end,
            source_sha256.clone(),
        )
    };
    let what = match known.get(&number) {
        None => format!("there is no citation [{number}]"),
        Some(shown) if place(shown) != place(citation) => {
            format!("it is not what stands under [{number}] in /citations")
        }
        Some(_) if !citation.verdict.holds() => {
            format!(
                "[{number}] is {}, and what does not hold has no number",
                citation.verdict.name()
            )
        }
        Some(_) => return,
    };
    findings.push(Finding::new(format!("{at}/number"), what));
}

/// Checks that the span of a citation is as long as its quote.
fn check_span(at: &str, citation: &Citation, file: &ResultFile, findings: &mut Vec<Finding>) {
    let what = match (citation.start, citation.end) {
        (None, None) if !citation.verdict.holds() => return,
        (Some(start), Some(end)) => match end.checked_sub(start) {
            None => format!("its span ends at {end}, before it begins at {start}"),
            Some(length) if length != citation.quote.len() as u64 && !file.is_former() => {
                format!("its span has {length} bytes, its quote {}", citation.quote.len())
            }
            Some(_) => return,
        },
        _ => "its span lacks an end".into(),
    };
    findings.push(Finding::new(at, what));
}

fn check_verdict(at: &str, claim: &Claim, findings: &mut Vec<Finding>) {
    let at = format!("{at}/verdict");
    let name = claim.verdict.name();
    if matches!(claim.verdict, Verdict::Quoted | Verdict::Supported) && claim.citations.is_empty() {
        findings.push(Finding::new(&at, format!("it is {name}, and cites nothing")));
    }
    if claim.verdict.holds() && !claim.faults.is_empty() {
        findings.push(Finding::new(&at, format!("it is {name}, and has faults")));
    }
    if claim.verdict == Verdict::Quoted && !claim.citations.is_empty() {
        let quotes: Vec<&str> = claim.citations.iter().map(|one| one.quote.as_str()).collect();
        if !holds_words(&quotes.join(" "), &claim.text) {
            findings.push(Finding::new(&at, "it is quoted, and its quotes say something else"));
        }
    }
}

/// Checks that a claim rests on other claims of the ledger, which hold where it does.
fn check_basis(at: &str, claim: &Claim, claims: &[Claim], findings: &mut Vec<Finding>) {
    for number in &claim.rests_on {
        let index = usize::try_from(*number).ok().and_then(|number| number.checked_sub(1));
        let what = match index.and_then(|index| claims.get(index)) {
            None => format!("there is no claim {number}; they count from 1"),
            Some(basis) if std::ptr::eq(basis, claim) => "it rests on itself".into(),
            Some(basis) if claim.verdict.holds() && !basis.verdict.holds() => {
                format!("it holds, and claim {number}, on which it rests, does not")
            }
            Some(_) => continue,
        };
        findings.push(Finding::new(format!("{at}/rests_on"), what));
    }
}

/// Checks that a claim stands in the answer where it says.
fn check_place(at: &str, claim: &Claim, answer: &str, findings: &mut Vec<Finding>) {
    let Some(shown) = claim.shown else { return };
    let at = format!("{at}/shown");
    let (start, end) = (usize::try_from(shown.start), usize::try_from(shown.end));
    let stretch = match (start, end) {
        (Ok(start), Ok(end)) => answer.get(start..end),
        _ => None,
    };
    match stretch {
        None => {
            let what = format!(
                "bytes {}..{} are no span of the answer, which has {} bytes",
                shown.start,
                shown.end,
                answer.len()
            );
            findings.push(Finding::new(at, what));
        }
        Some(stretch) if !holds_words(&without_marks(stretch), &claim.text) => {
            findings.push(Finding::new(at, "the answer says something else there"));
        }
        Some(_) => {}
    }
}

/// Returns whether a text holds all words of a claim, in their order. Of a cell it need not hold the row and the column, which stand before a
/// colon; and it may hold more, such as the sentences beside a claim that was mended.
fn holds_words(text: &str, claim: &str) -> bool {
    let words = |text: &str| -> Vec<String> {
        let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        words.map(str::to_lowercase).collect()
    };
    let held = words(text);
    let is_held = |part: &str| {
        let mut held = held.iter();
        words(part).iter().all(|word| held.any(|other| other == word))
    };
    is_held(claim) || claim.split_once(": ").is_some_and(|(_, cell)| is_held(cell))
}
