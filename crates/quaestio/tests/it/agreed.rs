//! Other methods under the layer: what was approved is what is searched for and done, and startups that come and go.

use fakes::{FakeModel, Say, Seen};
use serde_json::{Value, json};

use crate::outside::Outside;
use crate::papers::{self, Papers};
use crate::stand::{QUESTION, Stand, examples, honest};
use fakes::scholar::scholar;

fn read_entries(stand: &Stand) -> Vec<Value> {
    let lines = stand.run(&["runs", "events", "last"]).out;
    lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// What comes before a method.
const BEFORE: [&str; 5] = ["startups", "startup", "clarifier", "planner", "past runs"];

/// Checks that every step of the method lies within a step of the plan, and that each of these roles had some.
fn all_within(stand: &Stand, roles: &[&str]) {
    let entries = read_entries(stand);
    let called: Vec<&Value> = entries.iter().filter(|entry| entry["event"] == "called").collect();
    let own = called.iter().filter(|entry| {
        let step = entry["step"].as_str().unwrap();
        !BEFORE.contains(&step.rsplit_once(" #").unwrap().0)
    });
    let own: Vec<&str> = own
        .map(|entry| {
            entry["within"].as_str().unwrap_or_else(|| panic!("{entry} is outside of the plan"))
        })
        .collect();
    for role in roles {
        assert!(own.contains(role), "nothing was done by {role}: {own:?}");
    }
    assert!(own.iter().all(|role| roles.contains(role)), "{own:?}");
    assert!(entries.iter().all(|entry| !entry["gate"].to_string().contains("amendment")));
}

/// Plans as it is told to, and is honest otherwise.
fn planner(terms: &'static [&'static str]) -> impl Fn(&Seen) -> Say + Send + Sync {
    move |seen| match seen.body["response_format"]["json_schema"]["name"].as_str() {
        Some("Questions") => Say::json(&json!({"questions": []})),
        Some("PlanDraft") => Say::json(&json!({"title": "A plan", "search_terms": terms})),
        // Whoever is asked for queries makes up what nobody approved.
        Some("Queries") => Say::json(&json!({"queries": ["nobody approved this"]})),
        _ => honest(seen),
    }
}

/// What the services outside were asked for.
fn join_queries(outside: &Outside) -> String {
    let seen = outside.server.seen();
    let paths: Vec<String> =
        seen.iter().map(|seen| seen.path.replace(['+', '_'], " ").replace("%20", " ")).collect();
    paths.join("\n")
}

// proves: W3, W6
#[test]
fn a_search_asks_for_the_approved_terms_and_for_nothing_else() {
    let question = crate::outside::QUESTION;
    for (edited, asked_for) in [(None, "surge gauge"), (Some(json!([])), "How many metres")] {
        let outside = Outside::start();
        let model = FakeModel::start(planner(&["surge gauge", "Brightwater storm"]));
        let stand = outside
            .stand()
            .variable("QUAESTIO_MODEL", "fake/model")
            .variable("QUAESTIO_BASE_URL", &model.base_url())
            .variable("QUAESTIO_MODELS__RETRY_DELAY_MS", "1");
        stand.run(&["ask", question, "--strategy", "search", "--plan"]).fails(5, "proposes a plan");
        assert!(outside.server.seen().is_empty(), "nothing is asked before the approval");
        if let Some(terms) = &edited {
            let mut plan = stand.run(&["runs", "plan", "last", "--json"]).json();
            plan["plan"]["search_terms"] = terms.clone();
            let file = stand.file("edited.json", plan.to_string());
            stand.run(&["runs", "plan", "last", "--edit", file.to_str().unwrap()]);
        }
        let told = stand.run(&["runs", "approve", "last"]);
        assert!([0, 3, 4].contains(&told.code), "{told:?}");
        let queries = join_queries(&outside);
        assert!(queries.contains(asked_for), "{queries}");
        assert!(!queries.contains("nobody"), "{queries}");
        assert_eq!(queries.contains("Brightwater storm"), edited.is_none(), "{queries}");
        all_within(&stand, &["searcher", "reader", "retriever", "writer"]);
    }
}

// proves: W6
#[test]
fn hypotheses_come_after_questions_and_a_plan_as_well() {
    let papers = Papers::start();
    let model = FakeModel::start(|seen: &Seen| {
        match seen.body["response_format"]["json_schema"]["name"].as_str() {
            Some("Questions") => {
                Say::json(&json!({"questions": [{"question": "Which bees?", "context": ""}]}))
            }
            Some("PlanDraft") => {
                Say::json(&json!({"title": "Bees", "search_terms": ["varroa autumn"]}))
            }
            _ => scholar(seen),
        }
    });
    let stand = papers.at(Stand::with_model(&model.base_url()));
    let answers = stand.file("answers.json", r#"["honey bees"]"#);
    let answers = answers.to_str().unwrap();
    let args =
        ["hypothesize", papers::QUESTION, "--clarify", "--plan", "--yes", "--answers", answers];
    let told = stand.run(&args);
    assert_eq!(told.code, 0, "{told:?}");
    let queries = papers.queries();
    assert!(queries.iter().any(|query| query.contains("varroa")), "{queries:?}");
    assert!(queries.iter().all(|query| !query.contains("overwintering")), "{queries:?}");
    assert!(model.seen().iter().any(|seen| seen.prompt().contains("- Which bees?: honey bees")));
    let described = "hypothesize: Proposes testable hypotheses from the literature";
    let asks = |seen: &Seen| seen.body["response_format"]["json_schema"]["name"] == "Questions";
    let told = |seen: &Seen| seen.prompt().contains(described);
    assert!(
        model.seen().iter().any(|seen| asks(seen) && told(seen)),
        "the clarifier knows what for"
    );
    all_within(
        &stand,
        &[
            "problem_framer",
            "retrieval",
            "literature_scout",
            "hypothesis_generator",
            "critic",
            "ranker",
            "summa_composer",
        ],
    );
    let replayed = stand.run(&["runs", "replay", "last"]);
    assert_eq!(replayed.code, 0, "{replayed:?}");
}

// proves: C6, C16
#[test]
fn more_terms_than_the_budget_has_steps_for_cost_terms_and_not_the_answer() {
    const TERMS: [&str; 8] =
        ["pump", "handle", "Broad Street", "cholera", "Soho", "Snow", "water", "well"];
    let model = FakeModel::start(planner(&TERMS));
    let stand = Stand::with_model(&model.base_url());
    stand.run(&["ingest", examples().to_str().unwrap(), "--no-model"]);
    let told = stand.run(&["ask", QUESTION, "--plan", "--yes", "--max-steps", "9"]);
    assert_eq!(told.code, 0, "{told:?}");
    assert!(told.out.contains("some search terms were not searched"), "{}", told.out);
    all_within(&stand, &["retriever", "writer"]);
}

// proves: W2, W5
#[test]
fn a_startup_tells_its_place_and_terms_and_may_be_removed_while_its_question_waits() {
    let model = FakeModel::start(planner(&["any"]));
    let stand = Stand::with_model(&model.base_url());
    stand.run(&["ingest", examples().to_str().unwrap(), "--no-model"]);
    let add = |name: &str| {
        let args = [
            "contexts",
            "add",
            "--name",
            name,
            "--where",
            "Bavaria",
            "--search-term",
            "vertragspruefung",
        ];
        assert_eq!(stand.run(&args).code, 0);
    };
    add("Lex");
    let begin = ["market", "A market", "--collection", "default", "--own-documents"];
    stand.run(&begin).fails(5, "proposes a plan");
    let prompts: Vec<String> = model.seen().iter().map(Seen::prompt).collect();
    assert_eq!(prompts.len(), 2);
    for prompt in prompts {
        assert!(prompt.contains("Bavaria") && prompt.contains("vertragspruefung"), "{prompt}");
    }

    add("Pax");
    stand.run(&begin).fails(5, "Which startup is this about");
    assert_eq!(stand.run(&["contexts", "remove", "lex"]).code, 0);
    let answer = stand.run(&["runs", "answer", "last", "lex", "--gate", "q1"]);
    answer.fails(5, "proposes a plan");
    let startup = read_entries(&stand)
        .into_iter()
        .find(|entry| entry["event"] == "returned" && entry["step"] == "startup #1");
    assert_eq!(startup.unwrap()["value"]["id"], "lex");
}
