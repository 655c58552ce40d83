//! The strategy `deep` from the command line: without a model, with one, over sources, and with a person who is asked.

use fakes::{FakeModel, Say, Seen, statements};
use serde_json::{Value, json};

use crate::outside::{self, Outside};
use crate::stand::{QUESTION, Stand, examples};
use fakes::scholar::wanted;

/// Two companies that say different things of themselves.
fn companies(stand: &Stand) -> String {
    for (name, millions) in [("acme", 5), ("globex", 7)] {
        let said = format!(
            "# Report of {name}\n\nRevenue of {name} in 2023 was {millions} million dollars.\n"
        );
        stand.file(&format!("docs/{name}/report.md"), said);
    }
    stand.path("docs").display().to_string()
}

const REVENUE: &str = "What was the revenue in 2023?";

// proves: A4, A5, C10
#[test]
fn without_a_model_the_example_is_answered_with_plan_and_blackboard_to_be_seen() {
    let stand = Stand::new();
    let question = format!("{QUESTION} How many deaths does John Snow's table add up to?");
    let docs = examples();
    let args = ["deep", &question, "--docs", docs.to_str().unwrap(), "--own-documents"];
    let told = stand.run(&args);
    assert_eq!(told.code, 0, "{told:?}");
    for part in [
        "8 September 1854",
        "616 deaths",
        "## Plan",
        "`documents-1` (search your documents): ",
        "## Evidence found",
        "(quoted)",
    ] {
        assert!(told.out.contains(part), "{part}: {}", told.out);
    }
    let result = stand.run(&["runs", "export", "last", "--format", "json"]).json();
    let deliverable = &result["deliverable"];
    for field in ["id", "type", "inputs", "after"] {
        assert!(deliverable["plan"][0].get(field).is_some(), "{field}");
    }
    assert!(
        deliverable["budgets"]["max_steps"].is_u64()
            && deliverable["budgets"]["max_questions"].is_u64()
    );
    let board = &deliverable["blackboard"];
    for field in ["evidence_id", "type", "text", "source_uri", "score", "timestamp", "provenance"] {
        assert!(board["evidence"][0].get(field).is_some(), "{field}");
    }
    let html = stand.run(&["runs", "export", "last", "--format", "html"]).out;
    assert!(html.contains(">Evidence found</h2>"), "{html}");
    let again = stand.run(&["runs", "replay", "last", "--format", "json"]).json();
    assert_eq!(again, result);
}

// proves: A10, C10
#[test]
fn without_a_model_a_report_quotes_the_documents_under_each_question() {
    let stand = Stand::new();
    let docs = examples();
    let docs = docs.to_str().unwrap();
    let question =
        "How did the Soho outbreak end? Compare the pump, the brewery and the workhouse: deaths.";
    let args = ["deep", question, "--docs", docs, "--own-documents", "--depth", "quick"];
    let told = stand.run(&args);
    assert_eq!(told.code, 0, "{told:?}");
    for part in [
        "## How did the Soho outbreak end?",
        "## the brewery: deaths",
        "## How it was researched",
        "Depth quick: ",
        "(quoted)",
    ] {
        assert!(told.out.contains(part), "{part}: {}", told.out);
    }
    let result = stand.run(&["runs", "export", "last", "--format", "json"]).json();
    let claims = result["deliverable"]["claims"].as_array().unwrap();
    assert!(claims.len() > 5 && claims.iter().all(|claim| claim["verdict"] == "quoted"));
    let report = &result["deliverable"]["report"];
    assert_eq!(report["questions"].as_array().unwrap().len(), 4);
    assert!(report["words"].as_u64().unwrap() <= 700, "{}", report["words"]);
    let again = stand.run(&["runs", "replay", "last", "--format", "json"]).json();
    assert_eq!(again, result);
    let html = stand.run(&["runs", "export", "last", "--format", "html"]).out;
    assert!(html.contains("How it was researched</h2>"), "{html}");
}

// proves: A10
#[test]
fn a_report_is_gone_on_from_and_brought_up_to_date() {
    let stand = Stand::new();
    let write = |name: &str, text: &str| stand.file(&format!("docs/{name}.md"), text);
    write("quay", "# The quay\n\nThe quay of Brest was built in 1861. It is 420 metres long.\n");
    write(
        "lock",
        "# The lock\n\nThe lock of Brest was opened in 1899. Its gates weigh 31 tonnes.\n",
    );
    let docs = stand.path("docs").display().to_string();
    assert_eq!(stand.run(&["ingest", &docs, "--collection", "port"]).code, 0);
    let question = "When was the quay of Brest built? When was the lock of Brest opened?";
    let told = stand.run(&["deep", question, "--collection", "port", "--own-documents"]);
    assert_eq!(told.code, 0, "{told:?}");
    let first = stand.run(&["runs", "export", "last", "--format", "json"]).json();
    let first = first["run_id"].as_str().unwrap();

    // The collection is the one that the report was over.
    let told = stand.run(&["deep", "--continue", first, "How heavy are the gates of the lock?"]);
    assert_eq!(told.code, 0, "{told:?}");
    for part in ["31 tonnes", &*format!("It continues run {first}.")] {
        assert!(told.out.contains(part), "{part}: {}", told.out);
    }
    assert!(told.err.contains("passages of the earlier report"), "{told:?}");

    write("quay", "# The quay\n\nThe quay of Brest was built in 1864. It is 420 metres long.\n");
    assert_eq!(stand.run(&["ingest", &docs, "--collection", "port"]).code, 0);
    let told = stand.run(&["deep", "--continue", first, "--refresh"]);
    assert_eq!(told.code, 0, "{told:?}");
    let gone =
        "No longer in their sources:\n\n- \"The quay of Brest was built in 1861.\" (The quay)";
    for part in ["## What changed since ", gone, "built in 1864. [1]"] {
        assert!(told.out.contains(part), "{part}: {}", told.out);
    }
    let result = stand.run(&["runs", "export", "last", "--format", "json"]).json();
    assert_eq!(result["question"], question);
    let again = stand.run(&["runs", "replay", "last", "--format", "json"]).json();
    assert_eq!(again, result);
}

// proves: A10
#[test]
fn what_nothing_can_go_on_from_is_told() {
    let stand = Stand::new();
    for (args, code, why) in [
        (&["deep", "--continue", "last", "x"][..], 1, "there are no runs yet"),
        (&["deep", "--continue", "last"], 2, "--continue needs a question"),
        (&["ask", "x", "--continue", "last", "--strategy", "rag"], 1, "there are no runs yet"),
        (&["deep"], 2, "<QUESTION>"),
    ] {
        stand.run(args).fails(code, why);
    }
    let question = "What is said of penguins?";
    let docs = examples().display().to_string();
    let told = stand.run(&["deep", question, "--docs", &docs, "--own-documents"]);
    assert_eq!(told.code, 3, "{told:?}");
    stand.run(&["deep", "--continue", "last", "x"]).fails(2, "found no answer");
    stand
        .run(&["ask", "x", "--continue", "last"])
        .fails(2, "--continue works only with the strategy");
}

// proves: A10
#[test]
fn how_far_a_report_goes_is_said_of_no_other_strategy_and_within_bounds() {
    let stand = Stand::new();
    let told = stand.run(&["ask", QUESTION, "--strategy", "rag", "--depth", "quick"]);
    assert_eq!(told.code, 2, "{told:?}");
    assert!(told.err.contains("--depth works only with the strategy deep"), "{told:?}");
    let told = stand.run(&["deep", QUESTION, "--words", "20"]);
    assert_eq!(told.code, 2, "{told:?}");
    let told = stand.run(&["deep", QUESTION, "--set", "ask.report.quick.rounds=0"]);
    assert_eq!(told.code, 2, "{told:?}");
    assert!(told.err.contains("ask.report.quick.rounds must be 1 to 6"), "{told:?}");
}

// proves: A4, C11
#[test]
fn a_question_is_asked_where_the_evidence_is_of_several_companies_and_the_answer_decides() {
    let stand = Stand::new();
    let docs = companies(&stand);
    let told = stand.run(&["deep", REVENUE, "--docs", &docs, "--own-documents"]);
    assert_eq!(told.code, 5, "{told:?}");
    assert!(told.err.contains("Which do you mean? (acme, globex)"), "{told:?}");
    let told = stand.run(&["runs", "answer", "last", "Globex"]);
    assert_eq!(told.code, 0, "{told:?}");
    assert!(
        told.out.starts_with("Revenue of globex in 2023 was 7 million dollars. [1]"),
        "{told:?}"
    );
    assert!(told.out.contains("answered: Globex") && !told.out.contains("5 million"), "{told:?}");
}

// proves: A4
#[test]
fn where_nobody_is_to_be_asked_both_are_told_and_the_difference_is_named() {
    let stand = Stand::new();
    let docs = companies(&stand);
    let args = ["deep", REVENUE, "--docs", &docs, "--own-documents", "--max-questions", "0"];
    let told = stand.run(&args);
    assert_eq!(told.code, 0, "{told:?}");
    assert!(told.out.contains("## Where sources differ"), "{told:?}");
    assert!(
        told.out.contains(
            "sources are about different companies: \"Revenue of acme in 2023 was 5 million dollars.\""
        ),
        "{told:?}"
    );
    // Whoever names the company is asked nothing.
    let told = stand.run(&[
        "deep",
        "What was the revenue of Acme in 2023?",
        "--docs",
        &docs,
        "--own-documents",
    ]);
    assert_eq!(told.code, 0, "{told:?}");
}

fn plan(tasks: &Value) -> Say {
    Say::json(&json!({"plan": tasks, "budgets": {"max_steps": 6, "max_questions": 1}}))
}

/// Plans a search that is needed only where the documents lack something, and writes from whatever is found.
fn planner(seen: &Seen) -> Say {
    let prompt = seen.prompt();
    match wanted(seen).as_str() {
        "Drafted" if prompt.contains("Your earlier plan") => Say::json(&json!({"plan": []})),
        "Drafted" => plan(&json!([
            {"id": "own", "type": "retrieve_rag", "inputs": {"query": "Brightwater surge"}},
            {"id": "papers", "type": "search_scholarly", "inputs": {"query": "Brightwater surge metres"}, "when": "if recall low"},
            {"id": "web", "type": "search_web", "inputs": {"query": "Brightwater surge"}, "when": "missing(sunflower seeds)"},
            {"id": "quiet", "type": "search_web", "inputs": {"query": "x"}, "when": "contradiction"},
            {"id": "which", "type": "ask_user", "inputs": {"question": "Which surge?", "assumption": "The surge of 2021 is meant."}, "when": "if ambiguity blocks synthesis"},
            {"id": "answer", "type": "synthesize"}
        ])),
        "Assessment" => {
            Say::json(&json!({"blocks": false, "assumption": "The latest surge is meant."}))
        }
        "" => {
            let found = statements(&prompt).into_iter().filter(|one| one.text.contains("metres"));
            let said: Vec<String> =
                found.map(|one| format!("{} [{}]", one.text, one.address)).collect();
            Say::text(format!("{}\n\nOpen: Who measured it?", said.join(" ")))
        }
        other => Say::Error { status: 400, message: format!("who is {other}?"), headers: vec![] },
    }
}

// proves: A2, A4, C13
#[test]
fn a_planned_search_goes_outside_only_where_its_condition_holds() {
    let model = FakeModel::start(planner);
    let outside = Outside::start();
    let stand = outside
        .stand()
        .variable("QUAESTIO_MODEL", "fake/model")
        .variable("QUAESTIO_BASE_URL", &model.base_url());
    let docs = examples();
    let told = stand.run(&[
        "deep",
        outside::QUESTION,
        "--docs",
        docs.to_str().unwrap(),
        "--format",
        "json",
    ]);
    assert_eq!(told.code, 0, "{told:?}");
    let result = told.json();
    let states: Vec<(&str, &str)> = result["deliverable"]["blackboard"]["tasks"]
        .as_array()
        .unwrap()
        .iter()
        .map(|task| (task["id"].as_str().unwrap(), task["state"].as_str().unwrap()))
        .collect();
    for expected in [
        ("own", "done"),
        ("papers", "done"),
        ("web", "done"),
        ("quiet", "skipped"),
        ("which", "assumed"),
    ] {
        assert!(states.contains(&expected), "{expected:?}: {states:?}");
    }
    assert_eq!(result["assumptions"], json!(["The latest surge is meant."]));
    assert!(result["answer"].as_str().unwrap().contains("3.42 metres"), "{result}");
    let cited: Vec<&str> = result["citations"]
        .as_array()
        .unwrap()
        .iter()
        .map(|citation| citation["source_uri"].as_str().unwrap())
        .collect();
    assert!(cited.contains(&"arxiv:2104.00001"), "{cited:?}");
    assert!(result["references"].as_array().is_some_and(|works| !works.is_empty()));
    assert!(
        result["deliverable"]["open_questions"]
            .as_array()
            .unwrap()
            .contains(&json!("Who measured it?"))
    );
}

// proves: A4, W6
#[test]
fn the_plan_layer_comes_before_it_and_its_search_terms_are_what_is_looked_for() {
    let stand = Stand::new();
    let docs = examples();
    let told = stand.run(&[
        "deep",
        QUESTION,
        "--docs",
        docs.to_str().unwrap(),
        "--own-documents",
        "--plan",
        "--yes",
    ]);
    assert_eq!(told.code, 0, "{told:?}");
    for part in [
        "## Plan and execution",
        "(deep_planner): done",
        "(retriever): done",
        "(synthesizer): done",
    ] {
        assert!(told.out.contains(part), "{part}: {told:?}");
    }
}

// proves: A4, C1
#[test]
fn a_plan_that_is_no_plan_is_repaired_once_and_then_made_by_rule() {
    let model = FakeModel::start(|seen| match wanted(seen).as_str() {
        "Drafted" => plan(&json!([{"id": "fly", "type": "fly_to_the_moon"}])),
        _ => crate::stand::honest(seen),
    });
    let stand = Stand::with_model(&model.base_url());
    let docs = examples();
    let told = stand.run(&["deep", QUESTION, "--docs", docs.to_str().unwrap(), "--own-documents"]);
    assert_eq!(told.code, 0, "{told:?}");
    assert!(
        told.out.contains("the plan was made by rule: the planner's own plan is not valid"),
        "{told:?}"
    );
    let planners = model.seen().into_iter().filter(|seen| wanted(seen) == "Drafted").count();
    assert_eq!(planners, 2, "once, and once more");
    let second = model.seen().into_iter().rfind(|seen| wanted(seen) == "Drafted").unwrap();
    assert!(second.prompt().contains("unknown type 'fly_to_the_moon'"), "{}", second.prompt());
}
