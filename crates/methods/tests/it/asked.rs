//! What the asker gave: a number of the question is nobody's invention, and no statement's word either.

use std::sync::Arc;

use fakes::{Exhibit, Judgement};
use run::entry::Event;
use run::ledger::{Claim, Verdict};

use crate::stage::{Stage, always_yes, ending, rag};

const QUESTION: &str = "How many slots do our twelve databases need, and is a lag of 90 s usual?";
const SOURCE: &str =
    "Each database needs one slot. Two more are kept for backups. A lag of 4 s is usual.";

fn claims(sentences: &str) -> Vec<Claim> {
    let sentences = sentences.to_owned();
    let stage = Stage {
        abstracts: vec![SOURCE.into()],
        says: Arc::new(move |_| sentences.clone()),
        reads: always_yes(),
    };
    let entries = stage.perform("ask", QUESTION, rag());
    match ending(&entries) {
        Event::Finished { ledger, .. } => ledger.clone(),
        other => panic!("{other:?}"),
    }
}

// proves: C4, C20
#[test]
fn a_number_of_the_question_may_be_applied_and_is_inferred() {
    let found =
        claims("Your twelve databases need one slot each [1.1]. Each needs one slot [1.1].");
    let verdicts: Vec<(Verdict, usize)> =
        found.iter().map(|claim| (claim.verdict, claim.derivations.len())).collect();
    assert_eq!(verdicts, [(Verdict::Inferred, 1), (Verdict::Supported, 0)], "{found:?}");
    assert_eq!(found[0].derivations[0].expression, "asked(twelve)");
}

// proves: C4, C20
#[test]
fn a_number_that_the_question_suggests_is_never_said_to_be_supported() {
    let found = claims("A lag of 90 s is usual [1.3]. Eleven databases need one slot each [1.1].");
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(found.iter().all(|claim| claim.verdict != Verdict::Supported), "{found:?}");
    assert!(!found.iter().any(|claim| claim.text.contains("Eleven") && claim.verdict.holds()));
}

// proves: C20
#[test]
fn a_reader_is_told_which_numbers_the_asker_gave() {
    let told = Arc::new(std::sync::Mutex::new(Vec::<Exhibit>::new()));
    let heard = Arc::clone(&told);
    let stage = Stage {
        abstracts: vec![SOURCE.into()],
        says: Arc::new(|_| "Your twelve databases need 14 slots: twelve and two [1.1-2].".into()),
        reads: Arc::new(move |exhibit| {
            heard.lock().unwrap().push(exhibit.clone());
            Judgement::Unrelated
        }),
    };
    drop(stage.perform("ask", QUESTION, rag()));
    let told = told.lock().unwrap();
    assert_eq!(told[0].missing, ["twelve", "14"]);
    assert_eq!(told[0].asked, ["twelve"]);
}
