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
                "it is {}, which no version said that counted what is verified",
                claim.verdict.name()
            );
            findings.push(Finding::new(format!("{at}/verdict"), what));
        }
    }
    if !file.usage.by_agent.is_empty() {
        let what = "no version said what each agent used that counted what is verified";
        findings.push(Finding::new("/usage/by_agent", what));
    }
}

/// Checks that a result of today has all that every one has, and nothing of former versions.
fn check_present(file: &ResultFile, findings: &mut Vec<Finding>) {
    if file.grounding.verified.is_some() {
        let what =
            "only former versions counted it, and they counted nothing that stands beside it";
        findings.push(Finding::new("/grounding/verified", what));
    }
    // Those that are unread are counted only if there are any.
    let counts = file.grounding.present().into_iter().filter(|(name, _)| *name != "unread");
    for (name, _) in counts.filter(|(_, count)| count.is_none()) {
        findings.push(Finding::new("/grounding", format!("it does not count what is {name}")));
    }
    match (file.mode, file.models.is_some()) {
        (Some(Mode::Model), false) => {
            findings.push(Finding::new("/mode", "it is model, and no models are named"));
        }
        (Some(Mode::Offline), true) => {
            findings.push(Finding::new("/mode", "it is offline, and models are named"));
        }
        _ => {}
    }
}
