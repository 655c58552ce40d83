//! Questions as people write them, over the example documents: what is refused that is answered there, and what is answered that is not.

use std::fs;

use fakes::FakeModel;
use serde_json::Value;

use crate::stand::{Stand, examples, honest};

/// A stand that has the documents that the questions are about as the collection `kb`.
fn with_documents(stand: Stand) -> Stand {
    let root = examples().join("..");
    let folders = ["cholera", "cholera-more", "market"].map(|name| root.join(name));
    let mut args = vec!["ingest"];
    args.extend(folders.iter().map(|folder| folder.to_str().unwrap()));
    args.extend(["--collection", "kb"]);
    assert_eq!(stand.run(&args).code, 0);
    stand
}

/// A question of the set.
struct Asked {
    id: String,
    text: String,
    answerable: bool,
}

fn questions() -> Vec<Asked> {
    let lines = fs::read_to_string(examples().join("../natural-questions.jsonl")).unwrap();
    let read = |line: &str| {
        let one: Value = serde_json::from_str(line).unwrap();
        let text = |key: &str| one[key].as_str().unwrap().to_owned();
        Asked { id: text("id"), text: text("question"), answerable: text("kind") != "unanswered" }
    };
    lines.lines().map(read).collect()
}

fn ask(stand: &Stand, question: &str) -> crate::stand::Told {
    stand.run(&["ask", question, "--collection", "kb", "--format", "json"])
}

fn gaps(told: &crate::stand::Told) -> String {
    told.json()["deliverable"]["gaps"].to_string()
}

// proves: A3, C10
#[test]
fn questions_as_people_write_them_are_answered_or_shown_what_is_closest_and_foreign_ones_refused() {
    let stand = with_documents(Stand::new());
    let (mut answered, mut listed, mut dropped, mut answerable) = (0, 0, 0, 0);
    let (mut foreign, mut foreign_answered) = (0, 0);
    for Asked { id, text, answerable: is_answerable } in questions() {
        let told = ask(&stand, &text);
        assert!([0, 3].contains(&told.code), "{told:?}");
        if is_answerable {
            answerable += 1;
            answered += u32::from(told.code == 0);
            dropped += u32::from(told.code == 3 && gaps(&told).contains("close enough"));
            let is_closest = told.json()["deliverable"]["closest"].is_array();
            listed += u32::from(told.code == 3 && is_closest);
        } else if id.starts_with('f') {
            foreign += 1;
            foreign_answered += u32::from(told.code == 0);
        }
    }
    assert!(answerable >= 30 && foreign >= 20);
    assert!(dropped * 100 <= answerable * 20, "{dropped} of {answerable} dropped");
    // What does not stand out is no answer; what comes closest is shown all the same.
    assert!(answered * 100 >= answerable * 42, "{answered} of {answerable} answered");
    assert!((answered + listed) * 100 >= answerable * 95, "{listed} of {answerable} listed");
    assert!(foreign_answered * 20 <= foreign, "{foreign_answered} of {foreign} answered");
}

// proves: A3
#[test]
fn before_a_model_comes_what_shares_a_word_with_the_question_s_subject() {
    let server = FakeModel::start(honest);
    let stand = with_documents(Stand::with_model(&server.base_url()));
    // Those that are answered in other words than they are asked in.
    for question in [
        "Who was patient zero on Broad Street?",
        "How do doctors diagnose cholera?",
        "How long after exposure do you get ill?",
        "Explain how oral rehydration works and how many lives it saved.",
    ] {
        let before = server.seen().len();
        let told = ask(&stand, question);
        assert!(!gaps(&told).contains("close enough"), "{question}: {told:?}");
        assert!(server.seen().len() > before, "{question}");
    }
    for question in ["How do I reset my router password?", "What is the capital of Mongolia?"] {
        let before = server.seen().len();
        assert_eq!(ask(&stand, question).code, 3, "{question}");
        assert_eq!(server.seen().len(), before, "{question}");
    }
}

// proves: A3, C10
#[test]
fn a_question_in_other_forms_of_the_words_is_answered_from_a_single_statement() {
    let stand = Stand::new();
    stand.file(
        "docs/kelp.md",
        "# Giant kelp\n\n## Growth\n\nIn good light a frond can lengthen by about half a metre in a single day.\n\n\
         ## Range\n\nIt stands in cold water along rocky coasts.\n",
    );
    let docs = stand.path("docs");
    let args = ["ask", "How fast can giant kelp grow in a day?", "--docs", docs.to_str().unwrap()];
    let told = stand.run(&args);
    assert_eq!(told.code, 0, "{told:?}");
    assert!(told.out.contains("half a metre"), "{told:?}");
}
