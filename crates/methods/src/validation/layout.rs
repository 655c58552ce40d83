//! Whether a result is laid out as today or as in a former version. It is one or the other: what is left out of the one cannot be excused
//! by a field of the other.

use run::Methods;
use run::ledger::{Layout, Verdict};

use super::shape::{Mode, ResultFile};
use super::{Finding, located};

pub(super) fn check(methods: &Methods, file: &ResultFile, findings: &mut Vec<Finding>) {
    let method = file.method.as_str();
    if methods.find(method).is_none() && !(method.is_empty() && file.is_former()) {
        findings.push(Finding::new("/method", format!("there is no method \"{method}\"")));
    }
    match file.is_former() {
        true => check_former(file, findings),
        false => check_present(file, findings),
    }
}

/// Checks that nothing in a result of a former version is of today.
fn check_former(file: &ResultFile, findings: &mut Vec<Finding>) {
    /// A version of which every method was older than its verdicts of today, if it ever was.
    const FIRST: u32 = 0;
    if !file.method.is_empty() && Layout::of(&file.method, FIRST) != Layout::Rules {
        let what = format!("no version of {} counted what is verified", file.method);
        findings.push(Finding::new("/grounding/verified", what));
    }
    for (at, claim) in located(file.claims()) {
        let is_known = |verdict: Verdict| {
            matches!(verdict, Verdict::Verified | Verdict::Recomputed | Verdict::Unsupported)
        };
        if !is_known(claim.verdict) {
            let what = format!(
                "it is {}, which former versions with this layout did not have",
                claim.verdict.name()
            );
            findings.push(Finding::new(format!("{at}/verdict"), what));
        }
    }
    if !file.usage.by_agent.is_empty() {
        let what = "former versions with this layout did not list usage by agent";
        findings.push(Finding::new("/usage/by_agent", what));
    }
}

/// Checks that a result of today has all that every one has, and nothing of former versions.
fn check_present(file: &ResultFile, findings: &mut Vec<Finding>) {
    if file.grounding.verified.is_some() {
        let what = "only former versions counted it, and without the counts beside it";
        findings.push(Finding::new("/grounding/verified", what));
    }
    // Those that are unread are counted only if there are any.
    let counts = file.grounding.present().into_iter().filter(|(name, _)| *name != "unread");
    for (name, _) in counts.filter(|(_, count)| count.is_none()) {
        findings.push(Finding::new("/grounding", format!("the count of {name} is missing")));
    }
    match (file.mode, file.models.is_some()) {
        (Some(Mode::Model), false) => {
            findings.push(Finding::new("/mode", "the mode is model, but no models are named"));
        }
        (Some(Mode::Offline), true) => {
            findings.push(Finding::new("/mode", "the mode is offline, but models are named"));
        }
        _ => {}
    }
}
