//! Where claims stand in the answer, and which marks stand there.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use run::ledger::{Claim, without_marks};
use run::marks::marks;
use serde_json::Value;

use super::ledger::holds_words;
use super::shape::{Mode, ResultFile};
use super::{Finding, located};

pub(super) fn check(file: &ResultFile, result: &Value, findings: &mut Vec<Finding>) {
    // Another text is what `check` was given, and it is not in the file.
    let Some(answer) = file.answer.as_deref().filter(|_| file.method != "check") else { return };
    for (at, claim) in located(file.claims()) {
        check_place(&at, claim, answer, findings);
    }
    if file.method != "ask" || !file.is_whole() {
        return;
    }
    let strategy = result.pointer("/deliverable/strategy").and_then(Value::as_str);
    let is_plain = strategy == Some("rag");
    if is_plain {
        check_whole(file, result, findings);
    }
    check_marks(file, answer, is_plain && file.mode == Some(Mode::Offline), findings);
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
                "bytes {}–{} are not a span of the answer, which has {} bytes",
                shown.start,
                shown.end,
                answer.len()
            );
            findings.push(Finding::new(at, what));
        }
        Some(stretch) if !holds_words(&without_marks(stretch), &claim.text) => {
            findings.push(Finding::new(at, "the answer has different text there"));
        }
        Some(_) => {}
    }
}

/// Checks that every claim that holds is shown, and that the answer is said to be grounded if there is any.
fn check_whole(file: &ResultFile, result: &Value, findings: &mut Vec<Finding>) {
    for (at, claim) in located(file.claims()) {
        if claim.verdict.holds() && claim.shown.is_none() {
            findings.push(Finding::new(at, "it passed the check, but is nowhere in the answer"));
        }
    }
    let holds = file.claims().iter().any(|claim| claim.verdict.holds());
    let grounded = result.pointer("/deliverable/grounded").and_then(Value::as_bool);
    if grounded.is_some_and(|grounded| grounded != holds) {
        let what = match holds {
            true => "a claim passed the check, but the answer is marked as not grounded",
            false => "no claim passed the check, but the answer is marked as grounded",
        };
        findings.push(Finding::new("/deliverable/grounded", what));
    }
}

/// A stretch of the answer with the claims that stand there.
#[derive(Default)]
struct Stretch {
    /// The pointer of the first of them.
    at: String,
    /// What they cite.
    numbers: BTreeSet<u32>,
    /// What looks like a mark in the words that they quote.
    quoted: BTreeSet<u32>,
}

/// Checks that marks stand where claims do, that they are those of the claims, and that claims do not overlap. Several claims may stand in
/// the same place: those of a sentence that was mended.
///
/// Code has no marks and may look as if it had, so what has a backquote is checked for less. `is_quoted`: the answer is quotes and nothing
/// else.
fn check_marks(file: &ResultFile, answer: &str, is_quoted: bool, findings: &mut Vec<Finding>) {
    let mut stretches: BTreeMap<(usize, usize), Stretch> = BTreeMap::new();
    for (at, claim) in located(file.claims()) {
        let Some(span) = span_of(claim).filter(|span| answer.get(span.clone()).is_some()) else {
            continue;
        };
        let stretch = stretches.entry((span.start, span.end)).or_default();
        if stretch.at.is_empty() {
            stretch.at = format!("{at}/shown");
        }
        stretch.numbers.extend(claim.numbers());
        stretch.quoted.extend(claim.citations.iter().flat_map(|one| numbers_in(&one.quote)));
    }
    let has_claims = file.claims().iter().any(|claim| claim.verdict.holds());
    let mut told = 0;
    for ((start, end), Stretch { at, numbers, quoted }) in &stretches {
        if *start < told {
            findings.push(Finding::new(at, "it overlaps another claim"));
        }
        check_between(answer.get(told..*start), is_quoted && has_claims, findings);
        told = told.max(*end);
        let text = answer.get(*start..*end).unwrap_or_default();
        let marked = numbers_in(text);
        let has_code = text.contains('`');
        for number in numbers.difference(&marked).filter(|_| !has_code) {
            let what =
                format!("the answer does not show [{number}] there, although the claim cites it");
            findings.push(Finding::new(at, what));
        }
        let is_foreign = |number: &&u32| !numbers.contains(*number) && !quoted.contains(*number);
        for number in marked.iter().filter(is_foreign).filter(|_| !has_code) {
            let what =
                format!("the answer shows [{number}] there, although the claim does not cite it");
            findings.push(Finding::new(at, what));
        }
    }
    check_between(answer.get(told..), is_quoted && has_claims, findings);
}

/// Checks the text of the answer before, between and after claims.
fn check_between(text: Option<&str>, is_quoted: bool, findings: &mut Vec<Finding>) {
    let text = text.unwrap_or_default();
    if is_quoted && !text.trim().is_empty() {
        findings.push(Finding::new("/answer", "it contains a sentence that is not a claim"));
    }
    for number in numbers_in(text).iter().filter(|_| !text.contains('`')) {
        let what = format!("it shows [{number}] where there is no claim");
        findings.push(Finding::new("/answer", what));
    }
}

fn numbers_in(text: &str) -> BTreeSet<u32> {
    marks(text).into_iter().flat_map(|mark| mark.numbers).collect()
}

/// Returns the bytes of the answer at which a claim is shown.
fn span_of(claim: &Claim) -> Option<Range<usize>> {
    let shown = claim.shown?;
    Some(usize::try_from(shown.start).ok()?..usize::try_from(shown.end).ok()?)
}
