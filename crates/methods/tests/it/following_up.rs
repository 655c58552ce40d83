//! A question that follows up on a conversation, before any method.

use std::sync::Arc;

use run::entry::Event;
use run::settings::Remark;
use run::{Deliverable, Method, Mode, Outcome, Run};
use serde_json::json;

use crate::stage::{Stage, always_yes, ending};

/// Answers with the question that it is asked.
async fn echo(run: &Run) -> run::Result<Deliverable> {
    let fields = [("answer".to_owned(), run.question().into())].into_iter().collect();
    Ok(Deliverable { outcome: Outcome::Answered, fields, ledger: vec![] })
}

fn history() -> Vec<Remark> {
    let remark = |role: &str, content: &str| Remark { role: role.into(), content: content.into() };
    vec![remark("user", "How many died of cholera in 1854?"), remark("assistant", "616 did.")]
}

/// Returns the question that a method gets, the warnings, and how often the model was asked.
fn asked(
    history: Vec<Remark>,
    question: &str,
    mode: Mode,
    reply: &str,
) -> (String, Vec<String>, usize) {
    let reply = reply.to_owned();
    let stage =
        Stage { abstracts: vec![], says: Arc::new(move |_| reply.clone()), reads: always_yes() };
    let method = methods::workflow::layered(Method::new("echo", 1, |run| Box::pin(echo(run))));
    let entries = stage.perform_after(history, &method, question, mode);
    let called = entries.iter().filter(|entry| matches!(entry.event, Event::Called { .. })).count();
    match ending(&entries) {
        Event::Finished { deliverable, warnings, .. } => {
            (deliverable["answer"].as_str().unwrap().to_owned(), warnings.clone(), called)
        }
        other => panic!("{other:?}"),
    }
}

// proves: F4
#[test]
fn a_follow_up_is_worded_so_that_it_stands_alone_and_the_result_says_how() {
    let whole = "How many died of cholera in 1866?";
    let reply = json!({ "question": whole }).to_string();
    let (question, warnings, called) = asked(history(), "And in 1866?", Mode::Model, &reply);
    assert_eq!((question.as_str(), called), (whole, 1));
    assert!(warnings[0].ends_with(&format!("understood as: {whole}")), "{warnings:?}");

    let (question, warnings, _) = asked(history(), whole, Mode::Model, &reply);
    assert_eq!((question.as_str(), warnings.len()), (whole, 0), "it stands alone as it is");
}

// proves: F4
#[test]
fn without_a_conversation_nobody_is_asked_and_without_a_model_the_result_says_what_was_not_used() {
    let (question, warnings, called) = asked(vec![], "And in 1866?", Mode::Model, "");
    assert_eq!((question.as_str(), warnings.len(), called), ("And in 1866?", 0, 0));
    let (question, warnings, _) = asked(history(), "And in 1866?", Mode::Offline, "");
    assert_eq!(question, "And in 1866?");
    assert!(
        warnings[0].contains("was not used, and the question was taken as it is: understanding a follow-up needs a model"),
        "{warnings:?}"
    );
    let (question, warnings, _) =
        asked(history(), "And in 1866?", Mode::Model, "{\"question\": \" \"}");
    assert_eq!(question, "And in 1866?");
    assert!(
        warnings[0].contains(
            "was not used, and the question was taken as it is: step 'rewriter #1' failed"
        ),
        "{warnings:?}"
    );
}
