//! Competitors, customers, strategy: what of an agent's reply holds.

use run::analysis::{Language, terms};
use run::ledger::{Claim, Verdict, Written};

use super::clerk::{Clerk, line, numbers};
use super::payload::{Competitor, Competitors, Customers, Segment, Statement, Strategy};
use super::replies::{Advised, Compared, Described, Group, Row};

/// Characters of a name, at most.
const LONGEST_NAME: usize = 120;

/// Enters the table: a row for each name that a quote names, a cell for each text that a quote says of it.
pub(super) fn competitors(reply: &Compared, clerk: &mut Clerk<'_>) -> Competitors {
    let mut rows: Vec<Competitor> = Vec::new();
    for row in reply.competitors.iter().take(clerk.desk().most) {
        let name = name_of(&row.name.text);
        if name.is_empty() || rows.iter().any(|known| known.name.text.eq_ignore_ascii_case(&name)) {
            continue;
        }
        let Row { name: written, offering, customers, pricing, position } = row;
        let Some(shown) = cell(&name, &name, written, clerk) else { continue };
        let mut beside = |written: &Written| {
            let text = line(&written.text);
            if text.is_empty() {
                return None;
            }
            cell(&name, &text, written, clerk)
        };
        rows.push(Competitor {
            name: shown,
            offering: beside(offering),
            customers: beside(customers),
            pricing: beside(pricing),
            position: beside(position),
        });
    }
    Competitors { rows, gaps: clerk.remarks(&reply.gaps) }
}

/// Enters a cell: its quote says it, of this competitor.
fn cell(name: &str, text: &str, written: &Written, clerk: &mut Clerk<'_>) -> Option<Statement> {
    let claimed = if text == name { name.to_owned() } else { format!("{name}: {text}") };
    let claim = clerk.check(&Written { text: claimed, citations: written.citations.clone() })?;
    let claim = naming(claim, name);
    if claim.verdict == Verdict::Verified {
        return Some(clerk.admit(claim, text));
    }
    clerk.refuse(claim);
    None
}

/// Lets those citations hold alone whose quote or heading names the competitor.
fn naming(mut claim: Claim, name: &str) -> Claim {
    let own = terms(name, Language::English);
    for citation in &mut claim.citations {
        let said = terms(&format!("{} {}", citation.section, citation.quote), Language::English);
        if citation.verdict == Verdict::Verified && !own.iter().all(|term| said.contains(term)) {
            citation.verdict = Verdict::Unsupported;
            citation.faults.push(format!("neither the quote nor its section names \"{name}\""));
        }
    }
    let holds = claim.citations.iter().any(|one| one.verdict == Verdict::Verified);
    claim.verdict = if holds { Verdict::Verified } else { Verdict::Unsupported };
    claim
}

/// Enters the segments; one of which nothing holds is left out.
pub(super) fn customers(reply: &Described, clerk: &mut Clerk<'_>) -> Customers {
    let mut segments: Vec<Segment> = Vec::new();
    for Group { name, claims, needs } in reply.segments.iter().take(clerk.desk().most) {
        let (claims, needs) = (clerk.states(claims), clerk.states(needs));
        if claims.is_empty() && needs.is_empty() {
            continue;
        }
        let name = name_of(name);
        let said = claims.iter().chain(&needs).flat_map(|one| numbers(&one.text));
        let said: std::collections::BTreeSet<String> = said.collect();
        let named = !name.is_empty() && numbers(&name).is_subset(&said);
        let number = segments.len() + 1;
        let name = if named { name } else { format!("Segment {number}") };
        segments.push(Segment { name, claims, needs });
    }
    Customers { segments, gaps: clerk.remarks(&reply.gaps) }
}

/// Enters risks that sources state, and judgements that rest on statements.
pub(super) fn strategy(reply: &Advised, clerk: &mut Clerk<'_>) -> Strategy {
    let risks = clerk.states(&reply.risks);
    let recommendations = clerk.judgements(&reply.recommendations);
    let judged_risks = clerk.judgements(&reply.judged_risks);
    Strategy { recommendations, risks, judged_risks, gaps: clerk.remarks(&reply.gaps) }
}

fn name_of(text: &str) -> String {
    line(text).chars().take(LONGEST_NAME).collect::<String>().trim().to_owned()
}
