//! Headings of prose whose sentences are mended.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use fakes::Judgement;
use run::entry::{Entry, Event};

use crate::stage::{Stage, ending, rag};

const QUESTION: &str = "How is the harbour of Brest dredged?";
const SOURCE: &str = "The harbour of Brest is dredged in May. It takes 9 days. Boats wait outside.";

/// Writes a section whose only sentence is false, and mends it so; the reader knows what is true.
fn performed(mended: &'static str) -> Vec<Entry> {
    let turns = AtomicUsize::new(0);
    let says = move |_: &str| match turns.fetch_add(1, Ordering::SeqCst) {
        0 => "## When the harbour is dredged\n\nIt is dredged whenever the mayor likes [1.1].\n\n\
              ## How long it takes\n\nIt is over in 9 days [1.2]."
            .to_owned(),
        _ => format!("1. {mended}"),
    };
    let stage = Stage {
        abstracts: vec![SOURCE.into()],
        says: Arc::new(says),
        reads: Arc::new(|exhibit| {
            let knows_when = exhibit.statements.iter().any(|one| one.contains("May"));
            match &*exhibit.claim {
                "When the harbour is dredged" if !knows_when => Judgement::Unrelated,
                claim if claim.contains("mayor") => Judgement::Partly(claim.to_owned()),
                _ => Judgement::Supported,
            }
        }),
    };
    stage.perform("ask", QUESTION, rag())
}

fn read_answer(entries: &[Entry]) -> String {
    match ending(entries) {
        Event::Finished { deliverable, .. } => {
            deliverable["answer"].as_str().unwrap_or_default().to_owned()
        }
        other => panic!("{other:?}"),
    }
}

// proves: C4, A10
#[test]
fn a_heading_stands_again_once_what_is_below_it_was_mended() {
    let answer = read_answer(&performed("They dredge it in May [1.1]."));
    assert_eq!(
        answer,
        "## When the harbour is dredged\n\nThey dredge it in May. [1]\n\n\
         ## How long it takes\n\nIt is over in 9 days. [2]"
    );
}

// proves: C4, A10
#[test]
fn a_heading_over_a_statement_in_the_place_of_a_sentence_is_read_again_too() {
    let answer = read_answer(&performed("It is dredged as the mayor says [1.1]."));
    assert!(
        answer.starts_with(
            "## When the harbour is dredged\n\nThe harbour of Brest is dredged in May."
        ),
        "{answer}"
    );
}
