//! What is ordered: datasets, documents, arms; and what an evaluation leaves.

use fakes::FakeModel;
use serde_json::{Value, json};

use super::*;

// proves: A8, C18
#[test]
fn the_example_is_evaluated_offline_with_one_command() {
    let stand = Stand::new();
    let told = evaluated(&stand, &example(), &["--format", "json"]);
    assert_eq!(told.code, 0, "{told:?}");
    let report = told.json();
    assert_eq!((arms(&report), &report["mode"]), (vec!["rag", "direct"], &json!("offline")));
    assert_eq!(report["cases"].as_array().unwrap().len(), 19);
    assert_eq!(report["judge"], Value::Null, "nobody judged, and nobody is said to have");
    let of = |arm: &str, metric: &str| {
        let arms = report["arms"].as_array().unwrap();
        let arm = arms.iter().find(|one| one["name"] == arm).unwrap();
        arm["means"][metric]["value"].as_f64()
    };
    assert!(of("rag", "recall_at_5").unwrap() > 0.9, "{report:#}");
    assert!(of("rag", "expected").unwrap() > of("direct", "expected").unwrap(), "{report:#}");
    assert!(of("direct", "recall_at_5").is_none(), "what retrieves nothing has no recall");

    let id = report["id"].as_str().unwrap();
    let stored: Value = serde_json::from_str(&file(&stand, id, "report.json")).unwrap();
    assert_eq!(stored, report);
    let lines: Vec<Value> = file(&stand, id, "cases.jsonl")
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(lines.len(), 19);
    let documents = lines[0]["arms"][0]["observation"]["retrieved"].as_array().unwrap();
    assert!(documents.contains(&json!("history/broad-street-outbreak-1854.md")), "{documents:?}");
    let manifest: Value = serde_json::from_str(&file(&stand, id, "manifest.json")).unwrap();
    assert_eq!(manifest["state"], "completed");
    assert_eq!(manifest["runs"].as_array().unwrap().len(), 38);
    assert_eq!(manifest["dataset"]["digest"], report["dataset"]["digest"]);

    // Every line of the manifest is a run like any other.
    let run = manifest["runs"][0]["run"].as_str().unwrap();
    assert_eq!(stand.run(&["runs", "replay", run]).code, 0);
    let shown = stand.run(&["eval", "show", "last"]);
    assert_eq!(shown.out, file(&stand, id, "report.md"));
    assert!(shown.out.contains("rag") && shown.out.contains("direct"));
    let page = stand.run(&["eval", "show", id, "--format", "html"]);
    assert_eq!(page.out, file(&stand, id, "report.html"));
    assert!(page.out.contains("</html>") && !page.out.contains("<script src"));
    let listed = stand.run(&["eval", "list"]).out;
    assert!(listed.contains(id) && listed.contains("completed"), "{listed}");
}

// proves: C18
#[test]
fn the_control_is_an_arm_of_every_evaluation_and_is_there_once() {
    let server = FakeModel::start(model(sensible));
    let stand = Stand::with_model(&server.base_url());
    let dataset = questions(&stand, 2);
    for (asked, expected) in [
        (vec![], vec!["rag", "direct"]),
        (vec!["--strategy", "direct"], vec!["direct"]),
        (vec!["--strategy", "direct,rag"], vec!["rag", "direct"]),
    ] {
        let told = evaluated(
            &stand,
            &dataset,
            &[&asked[..], &["--no-judge", "--format", "json"]].concat(),
        );
        assert_eq!(told.code, 0, "{told:?}");
        let report = told.json();
        assert_eq!(arms(&report), expected);
        let controls = report["arms"].as_array().unwrap().iter();
        assert_eq!(controls.filter(|arm| arm["control"] == true).count(), 1);
        assert_eq!(report["comparisons"].as_array().unwrap().len(), expected.len() - 1);
        assert_eq!(report["judge"], Value::Null);
    }
    let alone = server.seen().iter().filter(|seen| role(seen) == Role::Alone).count();
    assert_eq!(alone, 2, "the model alone is asked once for each question");
}

// proves: A8
#[test]
fn a_folder_with_a_corpus_of_its_own_is_evaluated_over_that() {
    let stand = Stand::new();
    stand.file("tea/corpus.jsonl", concat!(
        r#"{"_id": "d1", "title": "Green tea", "text": "Green tea is grown in the hills of Shizuoka. It is steamed after picking."}"#, "\n",
        r#"{"_id": "d/2 x", "title": "Black tea", "text": "Black tea is grown in Assam. It is withered and rolled."}"#, "\n",
        r#"{"_id": "d3", "title": "Coffee", "text": "Coffee is roasted in Trieste. The harbour brings the beans."}"#, "\n",
    ));
    stand.file(
        "tea/queries.jsonl",
        concat!(
            r#"{"_id": "q1", "text": "Where is green tea grown?"}"#,
            "\n",
            r#"{"_id": "q2", "text": "Where is black tea grown?"}"#,
            "\n",
            r#"{"_id": "q3", "text": "Where is coffee roasted?"}"#,
            "\n",
        ),
    );
    stand.file("tea/qrels/train.tsv", "query-id\tcorpus-id\tscore\nq3\td3\t1\n");
    stand.file("tea/qrels/test.tsv", "query-id\tcorpus-id\tscore\nq1\td1\t1\nq2\td/2 x\t2\n");
    let told = stand.run(&["eval", "tea", "--split", "test", "--format", "json"]);
    assert_eq!(told.code, 0, "{told:?}");
    let report = told.json();
    assert_eq!(
        (&report["dataset"]["cases"], &report["dataset"]["documents"]),
        (&json!(2), &json!(3))
    );
    assert_eq!(report["arms"][0]["means"]["ndcg_at_10"]["value"], 1.0, "{report:#}");
    let retrieved = &observations(&report)[&("q2".into(), "rag".into())]["retrieved"][0];
    assert_eq!(retrieved, "d/2 x");
    // The corpus is taken in once.
    let all = stand.run(&["eval", "tea", "--format", "json"]);
    assert!(!all.err.contains("documents read"), "{all:?}");
    assert_eq!(all.json()["dataset"]["cases"], 3);
    stand.run(&["eval", "tea", "--docs", "tea"]).fails(2, "brings its own documents");
}

// proves: A4, A8
#[test]
fn a_strategy_that_could_ask_a_person_asks_nobody() {
    let stand = Stand::new();
    let dataset = questions(&stand, 2);
    let args = ["--strategy", "v004,rag", "--own-documents", "--format", "json"];
    let told = evaluated(&stand, &dataset, &args);
    assert_eq!(told.code, 0, "{told:?}");
    let report = told.json();
    assert_eq!(arms(&report), ["deep", "rag", "direct"]);
    let all = observations(&report);
    assert_eq!(all[&("a01".into(), "deep".into())]["status"], "completed");
    assert!(!stand.run(&["runs", "list", "--all", "--json"]).out.contains("\"waiting\""));
}

// proves: A8, C13
#[test]
fn what_is_no_evaluation_is_one_clear_error() {
    let stand = Stand::new();
    stand.file("not.jsonl", "question: what?\n");
    stand.file(
        "twice.jsonl",
        "{\"id\": \"a\", \"question\": \"q\"}\n{\"id\": \"a\", \"question\": \"r\"}\n",
    );
    stand.file("none.jsonl", "{\"id\": \"a\"}\n");
    stand.file("empty.jsonl", "\n");
    stand.file("fine.jsonl", "{\"question\": \"Where is Soho?\"}\n");
    stand.file("folder/readme.txt", "does not support datasets");
    stand.file("report.json", "{\"version\": 1}");
    for (args, what) in [
        (&["not.jsonl"][..], "not.jsonl, line 1"),
        (&["twice.jsonl"], "'a'"),
        (&["none.jsonl"], "`question`"),
        (&["empty.jsonl"], "contains no question"),
        (&["nowhere.jsonl"], "nowhere.jsonl"),
        (&["folder"], "corpus.jsonl"),
        (&["fine.jsonl"], "no documents"),
        (&["fine.jsonl", "--strategy", "rag"], "the strategy 'rag' needs documents"),
        (&["fine.jsonl", "--docs", "nowhere"], "nowhere"),
        (&["fine.jsonl", "--collection", "nowhere"], "no collection 'nowhere'"),
        (&["fine.jsonl", "--collection", "../x"], "is not a valid name"),
        (&["fine.jsonl", "--split", "test", "--docs", "folder"], "no split"),
        (&["fine.jsonl", "--split", "tset"], "tset"),
        (&["fine.jsonl", "--method", "ask"], "strategies"),
        (&["fine.jsonl", "--method", "judge"], "no method 'judge'"),
        (&["fine.jsonl", "--method", "brief"], "brief"),
        (&["fine.jsonl", "--docs", "folder", "--concurrency", "0"], "eval.concurrency"),
        (&["fine.jsonl", "--docs", "folder", "--judge-rounds", "9"], "eval.judge_rounds"),
        (&["fine.jsonl", "--docs", "folder", "--max-cost", "0"], "allows nothing"),
        (&["fine.jsonl", "--docs", "folder", "--name", "a/b"], "is not a valid name"),
        (&["fine.jsonl", "--docs", "folder", "--mlflow", "not a url"], "not a url"),
        (&["fine.jsonl", "--limit", "0"], "--limit"),
        (&["fine.jsonl", "--docs", "folder", "--passages", "8"], "--retrieval"),
        (&["show", "report.json"], "not the report of an evaluation"),
        (&["compare", "nowhere/report.json", "report.json"], "nowhere/report.json"),
    ] {
        let told = stand.run(&[&["eval"], args].concat());
        told.fails(2, what);
        assert_eq!(told.out, "", "{args:?}");
    }
    stand.run(&["eval", "show", "last"]).fails(1, "no evaluations yet");
    stand.run(&["eval", "show", "nowhere"]).fails(1, "no evaluation 'nowhere'");
    // Nothing of it was begun.
    assert!(!stand.data().join("artifacts/evals").exists());
    assert_eq!(stand.run(&["runs", "list", "--all", "--json"]).json(), json!([]));
}

// proves: A8
#[test]
fn two_evaluations_are_compared_over_the_cases_that_both_have() {
    let stand = Stand::new();
    let dataset = questions(&stand, 8);
    for (name, top_k) in [("one", "1"), ("two", "8")] {
        let set = format!("ask.top_k={top_k}");
        let told = evaluated(&stand, &dataset, &["--name", name, "--set", &set]);
        assert_eq!(told.code, 0, "{told:?}");
    }
    let compared = stand.run(&["eval", "compare", "one", "last", "--format", "json"]);
    assert_eq!(compared.code, 0, "{compared:?}");
    let compared = compared.json();
    assert_eq!(
        (&compared["first"]["id"], &compared["second"]["id"]),
        (&json!("one"), &json!("two"))
    );
    assert_eq!(compared["cases"].as_array().unwrap().len(), 8);
    assert_eq!(compared["changed"]["ask.top_k"], json!(["1", "8"]));
    let rag =
        compared["arms"].as_array().unwrap().iter().find(|arm| arm["first"] == "rag").unwrap();
    assert_eq!(rag["differences"]["recall_at_5"]["of"], 8, "{compared:#}");
    // A file is as good as a name.
    let path = folder(&stand, "one").join("report.json");
    let told = stand.run(&[
        "eval",
        "compare",
        path.to_str().unwrap(),
        "two",
        "--output",
        "c.html",
        "--format",
        "html",
    ]);
    assert_eq!((told.code, told.out.as_str()), (0, ""), "{told:?}");
    assert!(std::fs::read_to_string(stand.path("c.html")).unwrap().contains("</html>"));

    stand.run(&["eval", "compare", "one", "two", "--arms", "rag,deep"]).fails(2, "deep");
    stand.file("other.jsonl", "{\"id\": \"x\", \"question\": \"Who was Koch?\"}\n");
    evaluated(&stand, &stand.path("other.jsonl"), &["--name", "other"]);
    stand.run(&["eval", "compare", "one", "other"]).fails(2, "have no case in common");
    let taken = evaluated(&stand, &stand.path("other.jsonl"), &["--name", "one"]);
    taken.fails(2, "the evaluation 'one' exists already, with another dataset");
}
