//! What an address of a run leads to.

use std::ops::Range;
use std::sync::Arc;

use ::grounding::address::{self, Address};
use ::grounding::statement::Source;

use crate::entry::{Entry, Event};
use crate::evidence::Evidence;

/// A piece of evidence, and the statements in it that an address names.
#[derive(Debug, Clone, PartialEq)]
pub struct Addressed {
    /// The number of the evidence in its run.
    pub number: u32,
    pub evidence: Arc<Evidence>,
    /// The statements, in bytes of the evidence's text; the whole text if the address names a passage or a figure.
    pub span: Range<usize>,
}

/// Returns what an address such as `3.4`, `[3.4-6]`, `3` or `F2` leads to in a run; `None` if it is no address, or leads nowhere.
pub fn addressed(entries: &[Entry], address: &str) -> Option<Addressed> {
    let written = format!("[{}]", address.trim().trim_start_matches('[').trim_end_matches(']'));
    let [cited] = &*address::cited(&written) else { return None };
    let [address] = &*cited.addresses else { return None };
    if cited.span != (0..written.len()) {
        return None;
    }
    let (number, statements) = match *address {
        Address::Statements { passage, first, last } => (passage, Some((first, last))),
        Address::Passage(number) | Address::Figure(number) => (number, None),
        Address::Claim(_) => return None,
    };
    let evidence = entries.iter().find_map(|entry| match &entry.event {
        Event::Cited { number: known, evidence } if *known == number => Some(Arc::clone(evidence)),
        _ => None,
    })?;
    let span = match statements {
        None => 0..evidence.text.len(),
        Some((first, last)) => {
            let index = |number: u32| usize::try_from(number.checked_sub(1)?).ok();
            Source::of(&evidence.text).span(index(first)?, index(last)?)?
        }
    };
    Some(Addressed { number, evidence, span })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entry::Head;
    use crate::evidence::tests::evidence;

    // proves: F4
    #[test]
    fn an_address_leads_to_its_statements_and_any_other_text_nowhere() {
        let text = "The moon pulls. The sea rises. The sun helps.";
        let cited = evidence(3, "Tides", "Neap", text);
        let event = Event::Cited { number: 3, evidence: cited.evidence };
        let (entry, _) = Entry::seal(&Head::default(), jiff::Timestamp::UNIX_EPOCH, event);
        let entries = [entry];
        let found = |address: &str| {
            addressed(&entries, address).map(|one| one.evidence.text[one.span].to_owned())
        };
        assert_eq!(found("[3.2]").as_deref(), Some("The sea rises."));
        assert_eq!(found("3.2-3").as_deref(), Some("The sea rises. The sun helps."));
        assert_eq!(found(" 3 ").as_deref(), Some(text));
        for wrong in ["", "3.0", "3.4", "4.1", "x", "[3.1], [3.2]", "C1", "3.1]x[", "-1"] {
            assert_eq!(found(wrong), None, "{wrong}");
        }
    }
}
