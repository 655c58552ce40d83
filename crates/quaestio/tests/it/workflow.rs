//! Clarify, plan, approve, and only then execute: at a terminal, in scripts, and across kills.

use fakes::{FakeModel, Say, Seen};
use serde_json::{Value, json};

use crate::stand::{QUESTION, Stand, examples, honest};
use crate::terminal::Terminal;

/// A stand with the example documents in a collection of their own.
fn library() -> Stand {
    with_documents(Stand::new())
}

fn with_documents(stand: Stand) -> Stand {
    let docs = examples();
    let told = stand.run(&["ingest", docs.to_str().unwrap(), "--no-model"]);
    assert_eq!(told.code, 0, "{told:?}");
    stand
}

fn run_id(stand: &Stand) -> String {
    stand.run(&["runs", "list", "--json"]).json()[0]["run_id"].as_str().unwrap().to_owned()
}

/// The method of the run, its phase as the steps tell it, and how many entries there are.
fn read_entries(stand: &Stand, run: &str) -> Vec<Value> {
    let lines = stand.run(&["runs", "events", run]).out;
    lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The names of the steps that were called.
fn called(stand: &Stand, run: &str) -> Vec<String> {
    let called = read_entries(stand, run).into_iter().filter(|entry| entry["event"] == "called");
    called.map(|entry| entry["step"].as_str().unwrap().to_owned()).collect()
}

// proves: W1, W6, C11
#[test]
fn at_a_terminal_a_question_becomes_an_approved_plan_and_an_answer_though_the_program_is_killed_at_every_gate()
 {
    let stand = library();
    let mut asked = Terminal::run(stand.command(&["ask", QUESTION, "--clarify", "--plan"]));
    asked.wait_for("Which country or region");
    asked.wait_for("> ");
    asked.kill();

    let resume = || Terminal::run(stand.command(&["runs", "resume", "last", "--format", "md"]));
    let mut again = resume();
    again.wait_for("Which country or region");
    again.type_line("London");
    again.wait_for("What will you use the answer for?");
    again.kill();

    let mut once_more = resume();
    once_more.wait_for("What will you use the answer for?");
    once_more.type_line("-");
    once_more.wait_for("Plan, proposed. Revision 1");
    once_more.wait_for("Where: London");
    once_more.kill();
    let run = run_id(&stand);
    assert!(called(&stand, &run).iter().all(|step| !step.starts_with("retrieve")));

    let mut last = resume();
    last.wait_for("Plan, proposed. Revision 1");
    last.type_line("y");
    last.wait_for("8 September 1854");
    last.wait_for("Plan and execution");
    assert!(last.end().success(), "{}", last.screen);
    let steps = called(&stand, &run);
    let count = |name: &str| steps.iter().filter(|step| step.starts_with(name)).count();
    assert_eq!((count("clarifier"), count("planner"), count("writer")), (1, 1, 1), "{steps:?}");
}

// proves: W2, W6, C10
#[test]
fn a_script_answers_and_approves_what_is_printed_and_without_a_word_nothing_is_approved() {
    let stand = library();
    let waits = stand.run(&["ask", QUESTION, "--clarify", "--plan"]);
    waits.fails(5, "asks at gate 'q1'");
    let run = run_id(&stand);
    let answers = stand.file("answers.json", r#"["", "teaching"]"#);
    let answers = answers.to_str().unwrap();
    let wrong = stand.file("wrong.json", r#"{"q7": "x"}"#);
    let before = read_entries(&stand, &run).len();
    let told = stand.run(&["runs", "answer", &run, "--answers", wrong.to_str().unwrap()]);
    told.fails(1, "no open question 'q7'; open: q1, q2");
    assert_eq!(read_entries(&stand, &run).len(), before);

    // An array with one answer too many: those that are asked for are taken.
    let many = stand.file("many.json", r#"["", "teaching", "Texas"]"#);
    let many = many.to_str().unwrap();
    let told = stand.run(&["runs", "answer", &run, "--answers", many]);
    told.fails(5, "proposes a plan");
    assert!(told.err.contains("not asked: q3"), "{}", told.err);
    let told = read_entries(&stand, &run);
    let said = |gate: &str| {
        let said = told.iter().find(|entry| entry["event"] == "answered" && entry["gate"] == gate);
        said.map(|entry| entry["answer"].as_str().unwrap().to_owned())
    };
    assert_eq!((said("q1").as_deref(), said("q2").as_deref()), (Some(""), Some("teaching")));
    let again = stand.run(&["runs", "answer", &run, "--answers", many]);
    again.fails(1, "'answer_questions' is not possible in phase");
    assert!(!again.err.contains("> teaching"), "what was not written is not told: {}", again.err);
    stand.run(&["runs", "resume", &run]).fails(1, "waiting");
    let done = stand.run(&["runs", "resume", &run, "--yes", "--format", "json"]);
    assert_eq!(done.code, 0, "{done:?}");
    assert!(done.err.contains("Plan, proposed. Revision 1"), "{}", done.err);
    let result = done.json();
    let plan = &result["plan"];
    assert_eq!(plan["revision"], 1);
    let states: Vec<&Value> =
        plan["steps"].as_array().unwrap().iter().map(|step| &step["state"]).collect();
    assert_eq!(states, ["done", "done"]);

    // The same in one go.
    let args = ["ask", QUESTION, "--clarify", "--plan", "--yes", "--answers", answers];
    let told = stand.run(&args);
    assert_eq!(told.code, 0, "{told:?}");
    // The second time there is a history, and the plan says so.
    assert!(told.err.contains("(1 earlier run)"), "{}", told.err);
    assert!(done.err.contains("no history yet"), "{}", done.err);

    // Where a run is started or resumed, names that it does not ask for are ignored as well.
    let named = stand.file("named.json", r#"{"q2": "teaching", "q7": "x"}"#);
    let named = named.to_str().unwrap();
    let told = stand.run(&["ask", QUESTION, "--clarify", "--answers", named]);
    assert_eq!(told.code, 0, "{told:?}");
    let [note, line] = ["not asked: q7", "> teaching"].map(|said| told.err.find(said).unwrap());
    assert!(note < line, "{}", told.err);
    stand.run(&["ask", QUESTION, "--clarify"]).fails(5, "asks at gate 'q1'");
    stand.run(&["runs", "answer", "last", "London", "--gate", "q1"]).fails(5, "gate 'q2'");
    let told = stand.run(&["runs", "resume", "last", "--answers", many]);
    assert_eq!(told.code, 0, "{told:?}");
    for line in ["answered already: q1", "not asked: q3", "> teaching"] {
        assert!(told.err.contains(line), "{line}: {}", told.err);
    }
}

/// A model server whose light model clarifies and plans, and whose main model answers.
fn two_models() -> (FakeModel, Stand) {
    let server = FakeModel::start(|seen: &Seen| {
        let prompt = seen.prompt();
        if prompt.contains("find out what the request leaves open") {
            Say::json(&json!({"questions": [
                {"question": "Which outbreak?", "context": "There were several."},
                {"question": "Whose account?", "context": "They differ."},
            ]}))
        } else if prompt.contains("Write the plan of the research") {
            Say::json(&json!({
                "title": "The pump handle, 1854",
                "steps": [{"agent_role": "retriever", "name": "Look up", "description": "Finds the vestry's decision."}],
                "search_terms": ["pump handle removed 1854"],
                "geographical_scope": "London",
                "focus_areas": ["the vestry"],
            }))
        } else {
            honest(seen)
        }
    });
    let stand =
        Stand::with_model(&server.base_url()).variable("QUAESTIO_LIGHT_MODEL", "fake/light");
    (server, with_documents(stand))
}

fn asked_of(server: &FakeModel, model: &str) -> usize {
    server.seen().iter().filter(|seen| seen.model() == model).count()
}

// proves: W3, W4, W6
#[test]
fn no_main_model_is_asked_before_the_approval_and_the_agents_hear_what_was_agreed() {
    let (server, stand) = two_models();
    let answers = stand.file("answers.json", r#"{"q1": "the one of 1854", "q2": "the vestry's"}"#);
    let answers = answers.to_str().unwrap();
    let told = stand.run(&["ask", QUESTION, "--clarify", "--plan", "--answers", answers]);
    told.fails(5, "proposes a plan at gate 'plan'");
    assert_eq!((asked_of(&server, "light"), asked_of(&server, "model")), (2, 0));
    let run = run_id(&stand);
    let plan = stand.run(&["runs", "plan", &run, "--json"]).json();
    assert_eq!(plan["plan"]["steps"][0]["description"], "Finds the vestry's decision.");
    assert_eq!(plan["plan"]["steps"][1]["agent_role"], "writer");
    let cost = plan["plan"]["estimated_cost"].as_str().unwrap();
    assert!(cost.starts_with("estimated at ") && cost.contains("no history yet"), "{cost}");

    let told = stand.run(&["runs", "approve", &run, "--format", "json"]);
    assert_eq!(told.code, 0, "{told:?}");
    assert!(asked_of(&server, "model") > 0);
    let seen = server.seen();
    let writer = seen.iter().find(|seen| seen.model() == "model").unwrap().prompt();
    for told in [
        "- Which outbreak?: the one of 1854",
        "- Where: London",
        "- What to look at above all: the vestry",
        "- What to search for: pump handle removed 1854",
        "## Your part of the approved plan",
    ] {
        assert!(writer.contains(told), "'{told}' is not in {writer}");
    }
    assert!(called(&stand, &run).contains(&"retrieve #2".to_owned()), "the term is looked up");
}

// proves: W3
#[test]
fn a_plan_is_approved_once_as_it_is_and_by_its_owner_and_a_refusal_spends_nothing() {
    let (server, stand) = two_models();
    let start = || {
        stand.run(&["ask", QUESTION, "--plan"]).fails(5, "proposes a plan");
        let run = run_id(&stand);
        let plan = stand.run(&["runs", "plan", &run, "--json"]).json();
        (run, plan)
    };
    let (run, first) = start();
    let seen = |plan: &Value| {
        (plan["revision"].to_string(), plan["plan_hash"].as_str().unwrap().to_owned())
    };
    let approve = |run: &str, (revision, hash): &(String, String)| {
        stand.run(&["runs", "approve", run, "--revision", revision, "--plan-hash", hash])
    };
    let mut edited = first.clone();
    edited["plan"]["search_terms"] = json!(["vestry minutes"]);
    let file = stand.file("edited.json", edited.to_string());
    let saved = stand.run(&["runs", "plan", &run, "--edit", file.to_str().unwrap(), "--json"]);
    let second = saved.json();
    assert_eq!(second["revision"], 2);
    let spent = (asked_of(&server, "model"), read_entries(&stand, &run).len());
    // What somebody saw before it was edited, another hash under the right number, and somebody else.
    approve(&run, &seen(&first)).fails(1, "is at revision 2");
    let (_, other_hash) = seen(&first);
    approve(&run, &("2".to_owned(), other_hash)).fails(1, "Read it again before you approve it");
    stand.run(&["runs", "plan", &run, "--edit", file.to_str().unwrap()]).fails(1, "revision 2");
    let mut foreign = stand.command(&["runs", "approve", &run]);
    let foreign = crate::stand::read_output(&foreign.env("QUAESTIO_USER", "eve").output().unwrap());
    foreign.fails(1, "no run");
    assert_eq!((asked_of(&server, "model"), read_entries(&stand, &run).len()), spent);

    assert_eq!(approve(&run, &seen(&second)).code, 0);
    let spent = (server.seen().len(), read_entries(&stand, &run).len());
    approve(&run, &seen(&second)).fails(1, "is not possible in phase");
    stand.run(&["runs", "reject", &run]).fails(1, "is not possible in phase");
    let edited = stand.file("settled.json", stand.run(&["runs", "plan", &run, "--json"]).out);
    stand
        .run(&["runs", "plan", &run, "--edit", edited.to_str().unwrap()])
        .fails(1, "'edit_plan' is not possible in phase 'completed'");
    assert_eq!((server.seen().len(), read_entries(&stand, &run).len()), spent);
    assert!(called(&stand, &run).contains(&"retrieve #2".to_owned()));

    let (rejected, plan) = start();
    assert_eq!(stand.run(&["runs", "reject", &rejected, "--reason", "too wide"]).code, 0);
    let spent = (server.seen().len(), read_entries(&stand, &rejected).len());
    approve(&rejected, &seen(&plan)).fails(1, "is not possible in phase");
    assert_eq!((server.seen().len(), read_entries(&stand, &rejected).len()), spent);
}

// proves: W3
#[test]
fn a_step_that_the_approved_plan_lacks_is_not_done_before_it_is_approved_as_well() {
    let stand = library();
    stand.run(&["ask", QUESTION, "--plan"]).fails(5, "proposes a plan");
    let run = run_id(&stand);
    let mut plan = stand.run(&["runs", "plan", &run, "--json"]).json();
    plan["plan"]["steps"].as_array_mut().unwrap().retain(|step| step["agent_role"] != "writer");
    let file = stand.file("edited.json", plan.to_string());
    assert_eq!(stand.run(&["runs", "plan", &run, "--edit", file.to_str().unwrap()]).code, 0);
    stand.run(&["runs", "approve", &run]).fails(5, "gate 'amendment-writer'");
    assert!(called(&stand, &run).iter().all(|step| !step.starts_with("retrieve")));
    let told = stand.run(&["runs", "approve", &run, "--format", "json"]);
    assert_eq!(told.code, 0, "{told:?}");
    let amendments = &told.json()["plan"]["amendments"];
    assert_eq!(amendments[0]["roles"], json!(["writer"]));
    // Every step that was done lies within a step of the plan.
    let within: Vec<Value> = read_entries(&stand, &run)
        .into_iter()
        .filter(|entry| {
            entry["event"] == "called"
                && entry["step"] != "planner #1"
                && entry["step"] != "past runs #1"
        })
        .map(|entry| entry["within"].clone())
        .collect();
    assert!(
        !within.is_empty() && within.iter().all(|role| role == "retriever" || role == "writer"),
        "{within:?}"
    );
}

// proves: C15, W6
#[test]
fn a_run_that_was_planned_replays_byte_for_byte_without_its_model() {
    let (server, stand) = two_models();
    let args = ["ask", QUESTION, "--plan", "--yes", "--format", "json"];
    assert_eq!(stand.run(&args).code, 0);
    let calls = server.seen().len();
    let told = stand.run(&["runs", "replay", "last", "--format", "json"]);
    assert_eq!(told.code, 0, "{told:?}");
    assert_eq!(server.seen().len(), calls);
}

const MARKET: &str = "I want to explore the market for contract review software";

fn market_documents() -> String {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/market");
    folder.canonicalize().unwrap().to_str().unwrap().to_owned()
}

// proves: W1, W2, W4, C10, C11
#[test]
fn at_a_terminal_a_message_becomes_a_cited_market_analysis_though_the_program_is_killed_at_every_gate()
 {
    let stand = Stand::new();
    let docs = market_documents();
    let args = ["market", MARKET, "--docs", &docs, "--own-documents", "--no-model"];
    let mut asked = Terminal::run(stand.command(&args));
    asked.wait_for("Who is to buy it");
    asked.wait_for("> ");
    asked.kill();
    let again = ["runs", "resume", "last", "--no-model", "--format", "md"];
    let resume = || Terminal::run(stand.command(&again));
    for (question, answer) in [
        ("Who is to buy it", "law firms"),
        ("Which product", "contract review for small firms"),
        ("Which country or region", "Texas"),
    ] {
        let mut at_it = resume();
        at_it.wait_for(question);
        at_it.wait_for("> ");
        at_it.type_line(answer);
        at_it.wait_for(if answer == "Texas" { "Plan, proposed" } else { "> " });
        at_it.kill();
    }
    let run = run_id(&stand);
    assert!(called(&stand, &run).iter().all(|step| !step.contains("retrieve")));
    let mut last = resume();
    last.wait_for("Where: Texas");
    last.type_line("y");
    last.wait_for("3,840 firms × $5,200 per firm = $19.97 million");
    last.wait_for("| Lexfold");
    last.wait_for("Plan and execution");
    assert!(last.end().success(), "{}", last.screen);

    let result = stand.run(&["runs", "export", &run]).json();
    assert_eq!(result["status"], "completed");
    let rows = result["deliverable"]["competitors"]["rows"].as_array().unwrap();
    let cell = |name: &str, column: &str| {
        let is_it = |row: &&Value| row["name"]["text"].as_str().unwrap().starts_with(name);
        let row = rows.iter().find(is_it).unwrap();
        row[column]["text"].as_str().unwrap_or_default().to_owned()
    };
    for (name, column, said) in [
        ("Lexfold", "pricing", "Lexfold charges $3,600 a year for each firm."),
        ("Clausewright", "pricing", "Clausewright charges $14,000 a year for each firm."),
        ("Lexfold", "customers", "sells to firms with fewer than ten lawyers."),
        ("Redline Harbor", "offering", "offers the review of leases alone."),
        (
            "Redline Harbor",
            "customers",
            "Its customers are property lawyers in Houston and Dallas.",
        ),
        ("Clausewright", "offering", "runs in a large firm's own data centre."),
        ("Redline Harbor", "pricing", ""),
    ] {
        assert!(cell(name, column).contains(said), "{rows:#?}");
        assert_eq!(cell(name, column).is_empty(), said.is_empty(), "{rows:#?}");
    }
    let grounding = &result["grounding"];
    assert!(grounding["quoted"].as_u64() > Some(5) && grounding["recomputed"].as_u64() >= Some(2));
    assert!(result["plan"]["steps"].as_array().unwrap().iter().all(|step| step["state"] == "done"));
    for citation in result["citations"].as_array().unwrap() {
        let uri = citation["source_uri"].as_str().unwrap();
        if let Some((_, file)) = uri.rsplit_once('/').filter(|_| uri.starts_with("doc://")) {
            let text = std::fs::read_to_string(format!("{docs}/{file}")).unwrap();
            assert!(text.contains(citation["quote"].as_str().unwrap()), "{citation}");
        }
    }
    // What it learned can be kept, and the next analysis begins with it without asking.
    assert_eq!(stand.run(&["contexts", "add", "--from-run", &run, "--id", "review"]).code, 0);
    let next = stand.run(&[
        "market",
        "The market for lease review",
        "--docs",
        &docs,
        "--own-documents",
        "--no-model",
    ]);
    next.fails(5, "asks at gate 'q1'");
    let entries = read_entries(&stand, &run_id(&stand));
    let startup =
        entries.iter().find(|entry| entry["step"] == "startup #1" && entry["event"] == "returned");
    assert_eq!(startup.unwrap()["value"]["id"], "review");
    // One that ends teaches it what it learned, which is shown with its sources and taken back whole.
    let context = || stand.run(&["contexts", "show", "review", "--json"]).json();
    let before = context();
    let answers = stand.file("answers.json", r#"["law firms", "lease review", "Texas"]"#);
    let told = stand.run(&[
        "market",
        "The market for contract review software among property lawyers",
        "--docs",
        &docs,
        "--own-documents",
        "--no-model",
        "--yes",
        "--answers",
        answers.to_str().unwrap(),
    ]);
    assert_eq!(told.code, 0, "{told:?}");
    let (taught, run) = (context(), run_id(&stand));
    let lesson = &taught["metadata"]["learned"][0];
    assert_eq!(lesson["run_id"], json!(run), "{taught:#}");
    assert!(lesson["sources"][0].as_str().unwrap().starts_with("doc://"), "{lesson:#}");
    assert!(!lesson["found"][0].as_str().unwrap().contains('['), "{lesson:#}");
    let terms = |context: &Value| context["search_terms"].as_array().unwrap().len();
    assert!(terms(&taught) > terms(&before), "{taught:#}");
    let page = stand.run(&["contexts", "show", "review"]).out;
    assert!(page.contains(&format!("learned from run {run}")) && page.contains("  source: doc://"));
    assert_eq!(stand.run(&["runs", "replay", &run]).code, 0, "a replay teaches nothing");
    assert_eq!(context(), taught);
    assert_eq!(stand.run(&["contexts", "undo", "review"]).code, 0);
    let plain = |mut context: Value| {
        context.as_object_mut().unwrap().remove("last_accessed");
        context
    };
    assert_eq!(plain(context()), plain(before));
    stand.run(&["contexts", "undo", "review"]).fails(2, "no analysis has added anything");
}

// proves: W4
#[test]
fn a_market_analysis_does_not_begin_without_the_approval_of_its_plan() {
    let stand = Stand::new();
    let docs = market_documents();
    let args = ["market", MARKET, "--docs", &docs, "--own-documents", "--no-clarify"];
    let waits = stand.run(&args);
    waits.fails(5, "proposes a plan at gate 'plan'");
    assert_eq!(called(&stand, &run_id(&stand)), ["startups #1", "planner #1", "past runs #1"]);
    // One's own setting lets it begin at once.
    let own = stand.variable("QUAESTIO_WORKFLOW__ENABLE_WORKFLOW_APPROVAL", "false");
    let at_once = own.run(&["market", MARKET, "--docs", &docs, "--own-documents"]);
    assert_eq!(at_once.code, 0, "{at_once:?}");
    assert!(!at_once.out.contains("Plan and execution"));
}

// proves: W4, C12
#[test]
fn a_market_analysis_that_began_at_once_is_not_forked_past_an_approval_that_is_wanted_by_now() {
    let stand = Stand::new();
    let docs = market_documents();
    let setting = "QUAESTIO_WORKFLOW__ENABLE_WORKFLOW_APPROVAL";
    let args = ["market", MARKET, "--docs", &docs, "--own-documents", "--format", "json"];
    let began = stand.command(&args).env(setting, "false").output().unwrap();
    let first = crate::stand::read_output(&began).json()["run_id"].as_str().unwrap().to_owned();
    let forked = |from: &str, approval: &str| {
        let narrowed = ["--from", from, "--set", "market.passages=2", "--format", "json"];
        let args = [&["runs", "fork", &first], &narrowed[..]].concat();
        crate::stand::read_output(&stand.command(&args).env(setting, approval).output().unwrap())
    };
    // Where nobody wants an approval the fork goes on from any step, with its own settings.
    let at_once = forked("editor", "false");
    assert_eq!(at_once.code, 0, "{at_once:?}");
    let started = read_entries(&stand, at_once.json()["run_id"].as_str().unwrap()).remove(0);
    assert_eq!(started["settings"]["options"]["rules"]["passages"], 2);

    let runs = || stand.run(&["runs", "list", "--json"]).json().as_array().unwrap().len();
    let before = runs();
    forked("editor", "true").fails(2, "needs an approved plan");
    assert_eq!(runs(), before);
    let waits = forked("market_sizing", "true");
    waits.fails(5, "proposes a plan at gate 'plan'");
    let fork = run_id(&stand);
    assert!(called(&stand, &fork).iter().all(|step| !step.contains('/')));
    let done = stand.run(&["runs", "resume", &fork, "--yes", "--format", "json"]);
    assert_eq!(done.code, 0, "{done:?}");
    let done = done.json();
    assert!(done["plan"]["steps"].as_array().unwrap().iter().all(|step| step["state"] == "done"));
}

// proves: W4, C13
#[test]
fn through_a_model_the_crew_writes_a_cited_analysis_after_the_approval_and_the_program_computes() {
    let server = FakeModel::start(fakes::crew);
    let stand =
        Stand::with_model(&server.base_url()).variable("QUAESTIO_LIGHT_MODEL", "fake/light");
    let docs = market_documents();
    let args = ["market", MARKET, "--docs", &docs, "--own-documents"];
    let mut asked = Terminal::run(stand.command(&args));
    asked.wait_for("Who buys?");
    asked.type_line("law firms");
    asked.wait_for("Plan, proposed");
    asked.wait_for("400000 tokens");
    assert_eq!((asked_of(&server, "light"), asked_of(&server, "model")), (2, 0));
    asked.kill();
    let again = ["runs", "resume", "last", "--format", "md"];
    let mut last = Terminal::run(stand.command(&again));
    last.wait_for("Plan, proposed");
    last.type_line("y");
    last.wait_for("3,840 firms × $5,200 per firm = $19.97 million");
    assert!(last.end().success(), "{}", last.screen);
    assert!(last.screen.contains("charges $3,600 a year for each firm"), "{}", last.screen);
    assert!(!last.screen.contains("= $25 million"));
    let read = server.seen().iter().filter(|seen| fakes::is_reader(seen)).count();
    assert_eq!(asked_of(&server, "light") - read, 2, "nothing was asked again after the kill");
}
