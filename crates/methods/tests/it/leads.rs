//! Items of a list whose meaning depends on what leads into them.

use std::sync::Arc;

use fakes::Judgement;
use run::entry::Event;

use crate::stage::{Stage, ending, rag};

const QUESTION: &str = "What is told of the harbour of Brest?";
const SOURCE: &str = "Much is told of the harbour of Brest. It is not true that:\n\n\
    - The harbour of Brest freezes in May.\n- Its pilots sleep at sea.\n- 40 ships wait there each day.";

fn write(sentence: &'static str) -> String {
    let stage = Stage {
        abstracts: vec![SOURCE.into()],
        says: Arc::new(move |_| sentence.to_owned()),
        reads: Arc::new(|exhibit| {
            let is_denied = exhibit.leads.iter().any(|lead| lead.contains("not true"));
            match is_denied && !exhibit.claim.contains("not true") {
                true => Judgement::Contradicted,
                false => Judgement::Supported,
            }
        }),
    };
    match ending(&stage.perform("ask", QUESTION, rag())) {
        Event::Finished { deliverable, .. } => {
            deliverable["answer"].as_str().unwrap_or_default().to_owned()
        }
        other => panic!("{other:?}"),
    }
}

// proves: C4, C13
#[test]
fn an_item_does_not_stand_without_what_leads_into_it() {
    // Word for word, and in words of the writer's own.
    for sentence in [
        "The harbour of Brest freezes in May [1.3].",
        "In May ice closes the harbour of Brest [1.3].",
    ] {
        let answer = write(sentence);
        assert_eq!(
            answer, "It is not true that: The harbour of Brest freezes in May. [1]",
            "{sentence}"
        );
    }
    // What is said with it is the reader's to judge, numbers of either may be used.
    for sentence in [
        "It is not true that the harbour of Brest freezes in May",
        "It is not true that 40 ships wait in the harbour of Brest each day",
    ] {
        let at = if sentence.contains("40") { "[1.5]" } else { "[1.3]" };
        let written: &'static str = format!("{sentence} {at}.").leak();
        assert_eq!(write(written), format!("{sentence}. [1]"));
    }
}
