//! Claims, and what they cite.

use std::collections::{BTreeMap, BTreeSet};

use grounding::check::is_verbatim;
use render::Document;
use run::ledger::{Citation, Claim, Verdict};
use run::views;
use serde_json::Value;

use super::shape::ResultFile;
use super::{Finding, located};

/// Checks citations, claims and references against each other.
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
            // These number what holds while they print it.
            let is_numbered = matches!(file.method.as_str(), "ask" | "check") && file.is_whole();
            if is_numbered && citation.verdict.holds() && citation.number.is_none() {
                let what = format!("it is {}, but has no number", citation.verdict.name());
                findings.push(Finding::new(&at, what));
            }
        }
        check_verdict(&at, claim, findings);
        check_basis(&at, claim, claims, findings);
    }
    if file.deliverable.as_ref().is_some_and(|delivered| delivered.claims.is_some()) {
        check_shown(file, findings);
    }
    check_sources(file, findings);
    for (index, reference) in file.references.iter().enumerate() {
        let at = format!("/references/{index}/numbers");
        if reference.numbers.is_empty() {
            findings.push(Finding::new(&at, "it belongs to no citation"));
        }
        // Others may be of the same work under another address.
        let first = reference.numbers.first().and_then(|number| known.get(number));
        if first.is_some_and(|first| first.source_uri != reference.source_uri) {
            let at = format!("/references/{index}/source_uri");
            findings.push(Finding::new(at, "it differs from that of its first citation"));
        }
        for number in reference.numbers.iter().filter(|number| !known.contains_key(number)) {
            findings.push(Finding::new(&at, format!("there is no citation [{number}]")));
        }
    }
}

/// Checks that the citations that are shown are those of the claims, field by field.
fn check_shown(file: &ResultFile, findings: &mut Vec<Finding>) {
    let due = views::citations(file.claims());
    for (index, shown) in file.citations.iter().enumerate() {
        let Some(number) = shown.number else { continue };
        let Some(due) = due.iter().find(|due| due.number == shown.number) else {
            findings.push(Finding::new("/citations", format!("no claim cites [{number}]")));
            continue;
        };
        let fields = [
            ("evidence_id", shown.evidence_id != due.evidence_id),
            ("source_uri", shown.source_uri != due.source_uri),
            ("title", shown.title != due.title),
            ("section", shown.section != due.section),
            ("page", shown.page != due.page),
            ("quote", shown.quote != due.quote),
            ("start", shown.start != due.start),
            ("end", shown.end != due.end),
            ("source_sha256", shown.source_sha256 != due.source_sha256),
            ("verdict", shown.verdict != due.verdict),
            ("faults", shown.faults != due.faults),
            ("address", shown.address != due.address),
        ];
        for (field, _) in fields.iter().filter(|(_, differs)| *differs) {
            let what = format!("its {field} differs from that of [{number}] in the claims");
            findings.push(Finding::new(format!("/citations/{index}"), what));
        }
    }
}

/// Checks that each passage is of one source with one digest.
fn check_sources(file: &ResultFile, findings: &mut Vec<Finding>) {
    let mut known: BTreeMap<&str, (&str, &str)> = BTreeMap::new();
    let claimed = located(file.claims()).flat_map(|(at, claim)| {
        let citations = claim.citations.iter().enumerate();
        citations.map(move |(index, citation)| (format!("{at}/citations/{index}"), citation))
    });
    for (at, citation) in claimed {
        let digest = citation.source_sha256.as_str();
        let is_digest = digest.len() == 64
            && digest.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        if citation.number.is_some() && !is_digest {
            let what = "it is not a SHA-256 in hexadecimal digits";
            findings.push(Finding::new(format!("{at}/source_sha256"), what));
        }
        let source = (citation.source_uri.as_str(), digest);
        if *known.entry(&citation.evidence_id).or_insert(source) != source {
            let what = "the same passage has a different source or digest earlier";
            findings.push(Finding::new(format!("{at}/evidence_id"), what));
        }
    }
}

/// Checks that a citation is called as its report calls it; results of former versions say nothing of it.
pub(super) fn check_labels(result: &Value, findings: &mut Vec<Finding>) {
    let labels = views::labels_of_result(result);
    let citations = result.get("citations").and_then(Value::as_array);
    for (index, citation) in citations.into_iter().flatten().enumerate() {
        let number = citation.get("number").and_then(Value::as_u64);
        let number = number.and_then(|number| u32::try_from(number).ok());
        if let (Some(told), Some(number)) = (citation.get("label"), number) {
            let due = labels.find(number).to_string();
            if told.as_str() != Some(&due) {
                let what = format!("the report shows [{due}] for [{number}]");
                findings.push(Finding::new(format!("/citations/{index}/label"), what));
            }
        }
    }
}

/// Checks that every mark of the report leads to a citation.
pub(super) fn check_marks(file: &ResultFile, report: &Document, findings: &mut Vec<Finding>) {
    let known: BTreeSet<u32> = file.citations.iter().filter_map(|one| one.number).collect();
    for number in report.numbers().difference(&known) {
        let what = format!("the report shows [{number}], but there is no such citation");
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
                let what = format!("[{number}] follows [{last}]; numbers must count up from 1");
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
            format!("it differs from [{number}] in /citations")
        }
        Some(_) if !citation.verdict.holds() => {
            format!(
                "[{number}] is {}, and only claims that passed the check have numbers",
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
        _ => "its span has no end".into(),
    };
    findings.push(Finding::new(at, what));
}

fn check_verdict(at: &str, claim: &Claim, findings: &mut Vec<Finding>) {
    let at = format!("{at}/verdict");
    let name = claim.verdict.name();
    if matches!(claim.verdict, Verdict::Quoted | Verdict::Supported) && claim.citations.is_empty() {
        findings.push(Finding::new(&at, format!("it is {name}, but cites nothing")));
    }
    if claim.verdict.holds() && !claim.faults.is_empty() {
        findings.push(Finding::new(&at, format!("it is {name}, but has faults")));
    }
    if claim.verdict == Verdict::Quoted && !claim.citations.is_empty() && !is_quoted(claim) {
        findings
            .push(Finding::new(&at, "it is marked as quoted, but its quotes have different text"));
    }
}

/// Returns whether a claim says what it quotes. One that cites a single statement says all of it, as the checks decided it; one that cites
/// several may say one of them, or what is left of several sentences.
fn is_quoted(claim: &Claim) -> bool {
    let line = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let quotes: Vec<&str> = claim.citations.iter().map(|one| one.quote.as_str()).collect();
    let whole = quotes.join(" ");
    if line(&whole) == line(&claim.text)
        || is_verbatim(&claim.text, &whole)
        || quotes.iter().any(|quote| is_verbatim(&claim.text, quote))
    {
        return true;
    }
    let is_single = match claim.citations.as_slice() {
        [one] => one.address.as_deref().is_some_and(|address| !address.contains('-')),
        _ => false,
    };
    !is_single && holds_in_order(&whole, &claim.text)
}

/// Checks that a claim rests on other claims of the ledger, which hold where it does.
fn check_basis(at: &str, claim: &Claim, claims: &[Claim], findings: &mut Vec<Finding>) {
    for number in &claim.rests_on {
        let index = usize::try_from(*number).ok().and_then(|number| number.checked_sub(1));
        let what = match index.and_then(|index| claims.get(index)) {
            None => format!("there is no claim {number}; they count from 1"),
            Some(basis) if std::ptr::eq(basis, claim) => "it rests on itself".into(),
            Some(basis) if claim.verdict.holds() && !basis.verdict.holds() => {
                format!("it passed the check, but claim {number}, on which it rests, did not")
            }
            Some(_) => continue,
        };
        findings.push(Finding::new(format!("{at}/rests_on"), what));
    }
}

/// Returns whether a text holds all words of a claim, in their order. Of a cell it need not hold the row and the column, which stand before a
/// colon; and it may hold more, such as the sentences beside a claim that was mended.
pub(super) fn holds_words(text: &str, claim: &str) -> bool {
    holds_in_order(text, claim)
        || claim.split_once(": ").is_some_and(|(_, cell)| holds_in_order(text, cell))
}

fn holds_in_order(text: &str, claim: &str) -> bool {
    let words = |text: &str| -> Vec<String> {
        let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        words.map(str::to_lowercase).collect()
    };
    let held = words(text);
    let mut held = held.iter();
    words(claim).iter().all(|word| held.any(|other| other == word))
}
