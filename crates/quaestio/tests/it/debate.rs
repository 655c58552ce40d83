//! `quaestio debate`: what it is given, what it is set to, and what a reader gets.

use fakes::{FakeModel, Say};
use serde_json::Value;

use crate::outside::Outside;
use crate::stand::{Stand, examples};
use crate::terminal::Terminal;

const QUESTION: &str = "Was the handle of the Broad Street pump removed in time?";

/// The arguments of a debate over the example documents alone.
fn over_documents<'a>(docs: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    [&["debate", QUESTION, "--docs", docs, "--own-documents"], more].concat()
}

fn origin(stand: &Stand, key: &str) -> (Value, Value) {
    let shown = stand.run(&["config", "show", "--json"]).json();
    let lines = shown.as_array().unwrap();
    let line = lines.iter().find(|line| line["key"] == key).unwrap();
    (line["value"].clone(), line["origin"].clone())
}

// proves: D8
#[test]
fn the_names_of_the_document_set_the_debate_and_are_told_as_the_origin() {
    let stand = Stand::new()
        .variable("DEBATE_MAX_TURNS", "2")
        .variable("ARXIV_MAX_RESULTS", "3")
        .variable("ARXIV_DOWNLOAD_PDFS", "on")
        .variable("EMBEDDING_DEVICE", "cuda")
        .variable("USE_8BIT", "1")
        .variable("QUAESTIO_DEBATE__PASSAGES", "5");
    for (key, value, layer) in [
        ("debate.max_turns", "2", "environment DEBATE_MAX_TURNS"),
        ("debate.arxiv_results", "3", "environment ARXIV_MAX_RESULTS"),
        ("debate.full_text", "true", "environment ARXIV_DOWNLOAD_PDFS"),
        ("debate.passages", "5", "environment QUAESTIO_DEBATE__PASSAGES"),
        ("debate.crossref_results", "5", "defaults"),
    ] {
        assert_eq!(origin(&stand, key), (value.into(), layer.into()), "{key}");
    }
    let shown = stand.run(&["config", "show"]);
    let doctor = stand.run(&["doctor", "--no-network"]);
    for told in [&shown.err, &doctor.out] {
        assert!(told.contains("warning: EMBEDDING_DEVICE=cuda"), "{told}");
        assert!(told.contains("note: USE_8BIT=1"), "{told}");
    }
    for (name, value) in [("DEBATE_MAX_TURNS", "0"), ("ARXIV_DOWNLOAD_PDFS", "perhaps")] {
        let told = Stand::new().variable(name, value).run(&["debate", QUESTION]);
        told.fails(2, &format!("environment {name}"));
    }
}

// proves: D8
#[test]
fn a_model_that_somebody_serves_is_asked_at_the_base_url_by_its_whole_name() {
    let nowhere = Stand::new().variable("MODEL_ID", "Qwen/Qwen3-8B").run(&["debate", QUESTION]);
    nowhere.fails(2, "no base URL is set");
    assert!(nowhere.err.contains("llama-server") && nowhere.err.contains("vllm serve"));
    let server = FakeModel::start(|_| Say::text(r#"{"answer": "ready"}"#));
    let stand = Stand::new()
        .variable("MODEL_ID", "Qwen/Qwen3-8B")
        .variable("QUAESTIO_BASE_URL", &server.base_url());
    let told = stand.run(&["doctor", "--no-network"]);
    assert_eq!(told.code, 0, "{told:?}");
    assert_eq!(server.seen().pop().unwrap().body["model"], "Qwen/Qwen3-8B");
}

// proves: D6
#[test]
fn what_a_debate_cannot_be_given_is_one_clear_error() {
    let stand = Stand::new();
    let wrong = |args: &[&str], what: &str| {
        stand.run(&[&["debate", QUESTION], args].concat()).fails(2, what);
    };
    wrong(&["--url", "https://en.wikipedia.org/wiki/Cholera"], "cannot be used as evidence");
    wrong(&["--url", "file:///etc/passwd"], "http:// or https://");
    wrong(&["--source", "web"], "a debate cannot use");
    wrong(&["--max-turns", "0"], "0 is not in 1..=50");
    wrong(&["--collection", "nowhere"], "there is no collection 'nowhere'");
    wrong(&["--history", "nowhere.json"], "--history nowhere.json");
    stand.file("history.json", r#"{"role": "user"}"#);
    wrong(&["--history", "history.json"], "this is not a conversation");
    let many = format!("[{}]", vec![r#"{"role": "user", "content": "x"}"#; 201].join(","));
    stand.file("history.json", many);
    wrong(&["--history", "history.json"], "has 201 messages");
    stand.run(&["debate", " "]).fails(2, "the question is empty");
    stand.run(&["debate", QUESTION, "--set", "debate.turns=1"]).fails(2, "no setting debate.turns");
}

// proves: D3, D5
#[test]
fn without_a_model_a_debate_quotes_the_documents_and_is_labelled() {
    let docs = examples();
    let docs = docs.to_str().unwrap();
    let stand = Stand::new();
    stand.file("history.json", r#"[{"role": "user", "content": "Mind the dates."}]"#);
    let more = ["--max-turns", "1", "--history", "history.json"];
    let told = stand.run(&over_documents(docs, &more));
    assert!([0, 4].contains(&told.code), "{told:?}");
    for part in [
        "# Was the handle of the Broad Street pump removed in time?",
        "**No viable solution** after 1 cycle of at most 1",
        "Offline: no model was asked. The scientists only quote what was found",
        "## Cycle 1: Research Scientist 1 proposes",
        "## Cycle 1: Research Scientist 2 reviews",
        "- Viability: NOT_VIABLE",
        "## Sources",
    ] {
        assert!(told.out.contains(part), "{part} in {told:?}");
    }
    let result = stand.run(&["runs", "export", "last", "--format", "json"]).json();
    assert_eq!((&result["mode"], &result["method"]), (&"offline".into(), &"debate".into()));
    assert_eq!(result["deliverable"]["max_turns"], 1);
    let replayed = stand.run(&["runs", "replay", "last"]);
    assert_eq!(replayed.code, 0, "{replayed:?}");
}

// proves: D5
#[test]
fn at_a_terminal_the_debate_is_told_as_it_comes() {
    let docs = examples();
    let docs = docs.to_str().unwrap();
    let stand = Stand::new();
    let mut terminal = Terminal::run(stand.command(&over_documents(docs, &["--max-turns", "1"])));
    terminal.wait_for("Research Scientist 1 Search Query: ");
    terminal.wait_for("Research Scientist 1 Ingested: arXiv=0, Crossref=0");
    terminal.wait_for("Research Scientist 1 Retrieved chunks from vector DB: ");
    terminal.wait_for("Research Scientist 1 Response:");
    terminal.wait_for("Research Scientist 2 Response:");
    terminal.wait_for("=== Max Turns Reached ===");
    terminal.wait_for("save the report: quaestio runs export");
    terminal.end();
    assert!(!terminal.screen.contains("[[STATUS]]"), "{}", terminal.screen);
    assert!(!terminal.screen.contains("## Cycle 1"), "{}", terminal.screen);
}

// proves: D2
#[test]
fn papers_are_read_into_a_corpus_that_the_next_debate_finds() {
    let outside = Outside::start();
    let stand = outside.stand();
    let question = crate::outside::QUESTION;
    let told = stand.run(&["debate", question, "--max-turns", "1", "--format", "json"]);
    assert!([0, 4].contains(&told.code), "{told:?}");
    let first = &told.json()["deliverable"]["turns"][0];
    let counts = first["ingested"]["arxiv"].as_u64().zip(first["ingested"]["crossref"].as_u64());
    assert!(counts.is_some_and(|(arxiv, crossref)| arxiv + crossref > 0), "{first}");
    assert!(outside.asked().iter().any(|path| path.starts_with("/v1/arxiv/")));
    assert!(outside.asked().iter().all(|path| !path.starts_with("/v1/searx/")));
    let shown = stand.run(&["collections", "show", "papers", "--json"]);
    assert_eq!(shown.code, 0, "{shown:?}");
    let asked = outside.asked().len();
    let again = stand.run(&["debate", question, "--max-turns", "1", "--own-documents"]);
    assert!([0, 4].contains(&again.code), "{again:?}");
    assert_eq!(outside.asked().len(), asked, "nobody is asked");
    assert!(again.out.contains("3.42 metres"), "{}", again.out);
}

#[test]
fn what_a_debate_would_cost_is_told_before_it_costs_anything() {
    let server = FakeModel::start(|_| Say::error(500, "nobody should ask"));
    let stand = Stand::with_model(&server.base_url());
    let told = stand.run(&["debate", QUESTION, "--estimate", "--format", "json"]);
    assert_eq!(told.code, 0, "{told:?}");
    let estimate = told.json();
    assert!(estimate["expected"]["tokens"].as_u64().unwrap() > 10_000, "{estimate}");
    assert!(server.seen().is_empty());
}
