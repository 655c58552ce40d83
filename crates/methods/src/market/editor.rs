//! The summary: sentences that rest on statements which hold already, each held against them again.

use run::evidence::Numbered;
use run::grounding::{Passage, check};
use run::ledger::{Claim, Quoted, Verdict, Written, enter};

use super::clerk::{Clerk, line, numbers};
use super::payload::Conclusion;
use super::replies::{Advice, Edited};

/// What the editor's text came to.
pub(super) struct Summed {
    pub(super) title: String,
    pub(super) summary: Vec<Conclusion>,
    pub(super) open_questions: Vec<String>,
}

/// Enters the summary.
pub(super) fn entered(reply: &Edited, most: usize, clerk: &mut Clerk<'_>) -> Summed {
    /// Characters of a title, at most.
    const LONGEST_TITLE: usize = 200;
    let mut summary: Vec<Conclusion> = Vec::new();
    for Advice { text, rests_on } in reply.summary.iter().take(most) {
        let text = line(text);
        if text.is_empty() || summary.iter().any(|known| known.statement.text == text) {
            continue;
        }
        let rests_on = clerk.rests_on(rests_on);
        if rests_on.is_empty() {
            clerk.object(format!("\"{text}\" rests on no statement"));
            continue;
        }
        let claim = {
            let claims: Vec<&Claim> = rests_on.iter().filter_map(|id| clerk.claim(id)).collect();
            held_against(&text, &claims, clerk.desk().evidence)
        };
        if claim.verdict == Verdict::Unsupported {
            clerk.refuse(claim);
        } else {
            let text = claim.text.clone();
            if summary.iter().all(|known| !known.statement.text.starts_with(&text)) {
                summary.push(Conclusion { statement: clerk.admit(claim, &text), rests_on });
            }
        }
    }
    let title: String = line(&reply.title).chars().take(LONGEST_TITLE).collect();
    // A title says no number that nothing bears out.
    let shown = summary.iter().map(|one| one.statement.text.as_str());
    let said = shown.chain([clerk.desk().question]).flat_map(numbers).collect();
    let title = if numbers(&title).is_subset(&said) { title } else { String::new() };
    Summed { title, summary, open_questions: clerk.remarks(&reply.open_questions) }
}

/// Holds a sentence against the quotes of the statements that it rests on, or finds the computed figure that it means.
fn held_against(text: &str, claims: &[&Claim], evidence: &[Numbered]) -> Claim {
    let number =
        |id: &str| evidence.iter().find(|one| one.evidence.evidence_id == id).map(|one| one.number);
    let verified = claims.iter().filter(|claim| claim.verdict == Verdict::Verified);
    let citations = verified
        .flat_map(|claim| &claim.citations)
        .filter(|one| one.verdict == Verdict::Verified)
        .filter_map(|one| {
            Some(Quoted { evidence: number(&one.evidence_id)?, quote: one.quote.clone() })
        });
    let written = Written { text: text.to_owned(), citations: citations.collect() };
    let entered = enter(std::slice::from_ref(&written), evidence).into_iter().next();
    if let Some(claim) = entered.as_ref().filter(|claim| claim.verdict == Verdict::Verified) {
        return claim.clone();
    }
    for claim in claims.iter().filter(|claim| claim.verdict == Verdict::Recomputed) {
        let passage = Passage { text: &claim.text, section: "", is_title: false };
        if check(text, &passage, &claim.text).verified() {
            // Whatever the editor makes of a figure, what was computed is told as it was computed.
            return (*claim).clone();
        }
    }
    entered.unwrap_or_else(|| Claim {
        text: text.to_owned(),
        verdict: Verdict::Unsupported,
        citations: vec![],
        ..Claim::default()
    })
}
