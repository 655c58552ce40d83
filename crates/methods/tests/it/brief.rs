//! Briefs over the example survey: without a model, and with models that say anything.

use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use serde_json::{Value, json};

use methods::brief::payload::Brief;
use run::Mode;
use run::entry::{Entry, Event, Hash};
use run::files::{FileRef, Files};
use run::ledger::Verdict;
use run::ports::PortError;

use crate::stage::Stage;

const QUESTION: &str = "How satisfied are passengers with the buses, and who is not?";

/// The files of the example survey.
struct Shelf(Vec<(FileRef, Vec<u8>)>);

impl Shelf {
    fn of_the_example() -> Shelf {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/survey");
        let names =
            ["survey.toml", "wave1.csv", "wave1.codebook.csv", "wave2.csv", "wave2.codebook.csv"];
        let files = names.map(|name| {
            let bytes = std::fs::read(folder.join(name)).unwrap();
            let sha256 = Hash::of(&bytes).to_string();
            (FileRef { name: name.into(), sha256, bytes: bytes.len() as u64 }, bytes)
        });
        Shelf(files.into())
    }

    fn refs(&self) -> Vec<FileRef> {
        self.0.iter().map(|(file, _)| file.clone()).collect()
    }
}

#[async_trait]
impl Files for Shelf {
    async fn read(&self, _: &str, file: &FileRef) -> Result<Vec<u8>, PortError> {
        let found = self.0.iter().find(|(known, _)| known == file);
        found
            .map(|(_, bytes)| bytes.clone())
            .ok_or(PortError::Invalid { what: "no such file".into() })
    }
}

fn options(files: &[FileRef], more: &Value) -> Value {
    let mut options = json!({
        "files": files, "loop": "pipeline",
        "rules": {
            "max_explore_iters": 4, "max_refine_iters": 3, "max_iterations": 4, "tool_rounds": 2, "tool_calls": 8,
            "questions_found": 6, "most_findings": 8, "most_words": 300, "least_score": 8,
            "figures": survey::figure::Rules::default(),
        },
    });
    for (key, value) in more.as_object().unwrap() {
        match options["rules"].get(key) {
            Some(_) => options["rules"][key] = value.clone(),
            None => options[key] = value.clone(),
        }
    }
    options
}

fn performed(
    question: &str,
    mode: Mode,
    more: &Value,
    says: impl Fn(&str) -> String + Send + Sync + 'static,
) -> Vec<Entry> {
    let shelf = Shelf::of_the_example();
    let options = options(&shelf.refs(), more);
    let methods = methods::all();
    let stage = Stage { abstracts: vec![], says: Arc::new(says) };
    let method = methods.find("brief").unwrap();
    stage.perform_in(method, question, options, mode, |world| world.files = Some(Arc::new(shelf)))
}

fn delivered(entries: &[Entry]) -> Brief {
    let last = entries.last().unwrap();
    let Event::Finished { deliverable, .. } = &last.event else { panic!("{last:#?}") };
    serde_json::from_value(deliverable.clone()).unwrap()
}

fn offline(question: &str, more: &Value) -> Brief {
    delivered(&performed(question, Mode::Offline, more, |_| String::new()))
}

// proves: B4, B5, B6
#[test]
fn without_a_model_every_sentence_by_rule_checks_out() {
    for question in [
        QUESTION,
        "Would people recommend the buses?",
        "What do people spend on tickets?",
        "Why do people take the bus, and where do they buy tickets?",
        "Who has heard of the night line?",
        "Give me a summary of the main findings.",
        "Where do people buy their tickets?",
        "What is the age of the passengers, and which gender?",
    ] {
        let brief = offline(question, &json!({}));
        for record in &brief.history {
            assert_eq!(
                record.details.get("not_held").unwrap_or(&json!([])),
                &json!([]),
                "{record:#?}"
            );
        }
        assert!(brief.pipeline_stats.findings_what > 0, "{question}");
        assert_eq!(brief.pipeline_stats.sentences_cut, 0, "{brief:#?}");
        assert!(brief.pipeline_stats.words < 300);
        let facts = brief.statements.iter().filter(|one| !one.figures.is_empty());
        assert!(facts.clone().count() > 1, "{question}");
        for fact in facts {
            assert_eq!(fact.verdict, Some(Verdict::Recomputed));
        }
    }
}

// proves: B4
#[test]
fn a_query_that_no_question_is_about_is_told_so() {
    let entries =
        performed("Tell me about quantum chromodynamics.", Mode::Offline, &json!({}), |_| {
            String::new()
        });
    let Event::Finished { outcome, .. } = &entries.last().unwrap().event else { panic!() };
    assert_eq!(*outcome, run::Outcome::NotEnoughEvidence);
    let brief = delivered(&entries);
    assert!(brief.finding_bank.is_empty());
    assert_eq!(brief.data_gaps[0].text, "No question of these studies has a word of this query.");
}
