//! What is counted and added up, and what is said twice.

use run::ledger::{Claim, Verdict};
use serde_json::Value;

use super::Finding;
use super::shape::{Counts, Mode, Part, ResultFile, Status};

/// What sums of prices may differ by, in US dollars.
const ROUNDING: f64 = 1e-6;

pub(super) fn check(file: &ResultFile, result: &Value, findings: &mut Vec<Finding>) {
    let delivered = file.deliverable.as_ref();
    if delivered.is_some_and(|delivered| delivered.claims.is_some()) {
        check_counts(file, findings);
    }
    check_usage(file, findings);
    if file.status == Status::Completed {
        check_copies(result, findings);
        if delivered.is_none() {
            findings.push(Finding::new(
                "/deliverable",
                "the run is completed, but delivers \
                nothing",
            ));
        } else if delivered.is_some_and(|delivered| delivered.claims.is_none()) {
            findings.push(Finding::new("/deliverable", "the run is completed, but has no claims"));
        }
    }
    if file.error.is_some() != (file.status == Status::Partial) {
        let what = "a partial result must have an error, and no other result may";
        findings.push(Finding::new("/error", what));
    }
}

/// Checks that the counts are those of the ledger.
fn check_counts(file: &ResultFile, findings: &mut Vec<Finding>) {
    let claims = file.claims();
    let count = |verdict: Verdict| {
        claims.iter().filter(|claim: &&Claim| claim.verdict == verdict).count() as u64
    };
    let Counts { quoted, recomputed, supported, inferred, unread, unsupported, verified } =
        file.grounding;
    let counted = [
        (Verdict::Quoted, quoted),
        (Verdict::Recomputed, Some(recomputed)),
        (Verdict::Supported, supported),
        (Verdict::Inferred, inferred),
        (Verdict::Unread, unread),
        (Verdict::Unsupported, Some(unsupported)),
        (Verdict::Verified, verified),
    ];
    for (verdict, said) in counted {
        let (said, due) = (said.unwrap_or_default(), count(verdict));
        // Of runs of former versions only what they knew is counted.
        let is_counted = !file.is_former()
            || matches!(verdict, Verdict::Verified | Verdict::Recomputed | Verdict::Unsupported);
        if is_counted && said != due {
            let name = verdict.name();
            let what = format!("it counts {said} claims as {name}, but the claims have {due}");
            findings.push(Finding::new(format!("/grounding/{name}"), what));
        }
    }
}

/// Checks that no part used more than the whole, and that nobody was asked offline.
fn check_usage(file: &ResultFile, findings: &mut Vec<Finding>) {
    let usage = &file.usage;
    let whole = [usage.tokens.input_tokens, usage.tokens.cached_tokens, usage.tokens.output_tokens];
    let sum = |parts: &[&Part]| {
        let add = |sum: u64, more: u64| sum.saturating_add(more);
        parts.iter().fold(([0; 3], 0, 0.0), |(tokens, calls, cost), part| {
            let one = part.tokens;
            let used = [one.input_tokens, one.cached_tokens, one.output_tokens];
            let [a, b, c] = tokens;
            let [d, e, f] = used;
            ([add(a, d), add(b, e), add(c, f)], add(calls, part.calls), cost + part.cost_usd)
        })
    };
    let by_agent: Vec<&Part> = usage.by_agent.iter().collect();
    let reading: Vec<&Part> = usage.reading.iter().collect();
    for (name, parts) in [("by_agent", by_agent), ("reading", reading)] {
        let (tokens, calls, cost) = sum(&parts);
        let is_more = tokens.iter().zip(&whole).any(|(part, whole)| part > whole);
        if is_more || calls > usage.calls || cost > file.cost_usd + ROUNDING {
            let what = "its parts used more than the run";
            findings.push(Finding::new(format!("/usage/{name}"), what));
        }
    }
    if usage.lost_calls > usage.calls {
        findings.push(Finding::new("/usage/lost_calls", "more calls were lost than were made"));
    }
    if file.cost_usd < 0.0 {
        findings.push(Finding::new("/cost_usd", "it is below zero"));
    }
    let is_free = usage.calls == 0 && whole.iter().all(|tokens| *tokens == 0);
    if is_free && file.cost_usd > ROUNDING {
        findings.push(Finding::new("/cost_usd", "it is not zero, but no model was asked"));
    }
    let is_offline = file.mode == Some(Mode::Offline);
    if is_offline && (usage.calls > 0 || whole.iter().any(|tokens| *tokens > 0)) {
        findings.push(Finding::new("/usage", "the mode is offline, but a model was asked"));
    }
}

/// Checks that what stands beside the deliverable is what stands in it.
fn check_copies(result: &Value, findings: &mut Vec<Finding>) {
    for key in ["answer", "strategy", "assumptions"] {
        let within = result.get("deliverable").and_then(|deliverable| deliverable.get(key));
        if let Some(within) = within
            && result.get(key) != Some(within)
        {
            let what = format!("it differs from /deliverable/{key}");
            findings.push(Finding::new(format!("/{key}"), what));
        }
    }
}
