//! The strategy `deep` beside a simple sequential reference: the same plans, failures, conditions, budgets and kills, the same blackboard.

mod reference;
pub(crate) mod report;
mod world;

use std::collections::BTreeSet;

use proptest::prelude::*;
use run::entry::{Entry, Event};
use run::views;
use serde_json::{Value, json};

use reference::Reference;
use world::{Killed, Scene};

/// The question: four words, each of which is looked for by some of the tasks.
const QUESTION: &str = "alpha bravo charlie delta";

/// What a query finds: its words, if it does not fail and is not empty.
const QUERIES: [&str; 10] = [
    "alpha",
    "bravo charlie",
    "delta",
    "charlie",
    "alpha bravo charlie fails",
    "delta finds nothing",
    // Two documents that differ in a figure, and two companies that do.
    "clash five",
    "clash seven",
    "acme",
    "globex",
];

fn any_when() -> impl Strategy<Value = Option<&'static str>> {
    prop_oneof![
        3 => Just(None),
        1 => Just(Some("recall_low")),
        1 => Just(Some("if sources disagree")),
        1 => Just(Some("ambiguity")),
        1 => Just(Some("missing(delta)")),
        1 => Just(Some("charlie is missing")),
    ]
}

/// The log of a run whose planner names its tasks after what they look for.
pub(crate) fn performed_by_a_planner() -> Vec<Entry> {
    let plan = Plan {
        first: json!({"plan": [
            {"id": "find-alpha-bravo", "type": "retrieve_rag", "inputs": {"query": "alpha"}},
            {"id": "look-for-charlie", "type": "search_scholarly", "inputs": {"query": "charlie"}},
            {"id": "ask-the-reader", "type": "ask_user", "inputs": {"question": "BLOCKS?", "assumption": "Both of them."}},
            {"id": "end", "type": "synthesize"}
        ]}),
        again: json!({"plan": []}),
        answers: vec!["acme"],
    };
    Scene::of(&plan).performed(&[])
}

/// A task that looks for evidence or asks; it may come after any of those before it.
fn any_task(index: usize, ids: &'static str) -> impl Strategy<Value = Value> {
    let kind = prop_oneof![
        4 => Just("retrieve_rag"),
        2 => Just("search_scholarly"),
        1 => Just("search_web"),
        2 => Just("ask_user"),
    ];
    let query = proptest::sample::select(QUERIES.to_vec());
    let question = prop_oneof![Just("BLOCKS?"), Just("whatever?")];
    let after = proptest::collection::vec(0..index.max(1), 0..3);
    (kind, query, question, any_when(), after).prop_map(
        move |(kind, query, question, when, after)| {
            let mut task = json!({"id": format!("{ids}{index}"), "type": kind, "inputs": {}});
            if kind == "ask_user" {
                task["inputs"] =
                    json!({"question": question, "assumption": format!("Assumed {ids}{index}.")});
            } else {
                task["inputs"] = json!({"query": query});
            }
            if let Some(when) = when {
                task["when"] = json!(when);
            }
            if index > 0 && ids == "t" {
                task["after"] = after.iter().map(|before| format!("t{before}")).collect();
            }
            task
        },
    )
}

#[derive(Debug, Clone)]
struct Plan {
    /// As the planner says it, first and when asked again.
    first: Value,
    again: Value,
    /// What a person answers, question by question.
    answers: Vec<&'static str>,
}

fn any_plan() -> impl Strategy<Value = Plan> {
    let tasks = (1_usize..7)
        .prop_flat_map(|many| (0..many).map(|index| any_task(index, "t")).collect::<Vec<_>>());
    let more = (0_usize..4)
        .prop_flat_map(|many| (0..many).map(|index| any_task(index, "m")).collect::<Vec<_>>());
    let looks = |tasks: &Vec<Value>| tasks.iter().any(|task| task["type"] != "ask_user");
    let tasks = tasks.prop_filter("a plan looks for evidence", looks);
    let answers = proptest::collection::vec(prop_oneof![Just("acme"), Just("")], 3);
    (tasks, more, 0_u32..3, 0_u32..3, answers).prop_map(
        |(mut plan, more, spare, questions, answers)| {
            plan.push(json!({"id": "end", "type": "synthesize"}));
            let steps = plan.len() as u32 + spare;
            let budgets = json!({"max_steps": steps, "max_questions": questions});
            let more: Vec<Value> =
                more.into_iter().filter(|task| task["type"] != "ask_user").collect();
            Plan {
                first: json!({"plan": plan, "budgets": budgets}),
                again: json!({"plan": more}),
                answers,
            }
        },
    )
}

/// What both must agree on of the blackboard: each task with its state and what it brought.
fn board(deliverable: &Value) -> Vec<(String, String, Vec<String>)> {
    let board = &deliverable["blackboard"];
    let of = |number: &Value| {
        let numbered = board["evidence"].as_array().unwrap().iter();
        let mut found = numbered.filter(|one| one["number"] == *number);
        found.next().unwrap()["source_uri"].as_str().unwrap().to_owned()
    };
    let task = |task: &Value| {
        let text = |key: &str| task[key].as_str().unwrap().to_owned();
        (text("id"), text("state"), task["evidence"].as_array().unwrap().iter().map(of).collect())
    };
    board["tasks"].as_array().unwrap().iter().map(task).collect()
}

/// Returns the steps that were called, each once.
fn called(entries: &[Entry]) -> BTreeSet<&str> {
    let called = entries.iter().filter_map(|entry| match &entry.event {
        Event::Called { step, .. } => Some(step.as_str()),
        _ => None,
    });
    called.collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 250, ..ProptestConfig::default() })]

    // proves: A4
    #[test]
    fn any_plan_comes_to_the_blackboard_of_a_sequential_reference_however_often_it_is_killed(
        plan in any_plan(),
        kills in proptest::collection::vec(1_u64..60, 0..4),
    ) {
        let expected = Reference::of(&plan, QUESTION).carried_out();
        let scene = Scene::of(&plan);
        let entries = scene.performed(&kills);
        let Some(Event::Finished { deliverable, .. }) = entries.last().map(|entry| &entry.event)
        else {
            return Err(TestCaseError::fail(format!("it did not end: {:?}", entries.last())));
        };
        prop_assert_eq!(board(deliverable), expected.board, "{}", plan.first);
        let asked = entries.iter().filter(|entry| matches!(entry.event, Event::Asked { .. }));
        prop_assert_eq!(asked.count(), expected.asked, "{}", plan.first);
        let steps = deliverable["budgets"]["max_steps"].as_u64().unwrap();
        let done = board(deliverable).into_iter().filter(|(_, state, _)| state != "skipped" && state != "refused");
        prop_assert!((done.count() as u64) < steps, "the synthesis is left a step");
        prop_assert!(scene.replays(&entries));
    }

    // proves: A4, C6, C16
    #[test]
    fn no_budget_of_the_run_is_exceeded_and_an_answer_is_written_all_the_same(
        plan in any_plan(),
        max_steps in 4_u64..30,
        max_tokens in 30_000_u64..200_000,
        kill in 1_u64..40,
    ) {
        let scene = Scene::of(&plan).capped(max_steps, max_tokens);
        let entries = scene.performed(&[kill]);
        let finished = matches!(entries.last().map(|entry| &entry.event), Some(Event::Finished { .. }));
        prop_assert!(finished, "{:?}", entries.last());
        let steps = called(&entries);
        prop_assert!(steps.len() as u64 <= max_steps, "{} of {max_steps}", steps.len());
        let usage = views::cost(&entries).usage;
        prop_assert!(usage.total() <= max_tokens, "{} of {max_tokens}", usage.total());
    }
}

// proves: A4
#[test]
fn a_plan_that_does_not_hold_goes_back_once_and_then_the_rule_plans() {
    let sound = json!({"plan": [
        {"id": "a", "type": "retrieve_rag", "inputs": {"query": "alpha"}}, {"id": "end", "type": "synthesize"}
    ]});
    let cyclic = json!({"plan": [
        {"id": "a", "type": "retrieve_rag", "inputs": {"query": "alpha"}, "after": ["b"]},
        {"id": "b", "type": "retrieve_rag", "inputs": {"query": "alpha"}, "after": ["a"]},
        {"id": "end", "type": "synthesize"}
    ]});
    for (second, by_rule) in [(&sound, false), (&cyclic, true)] {
        let plan = Plan { first: cyclic.clone(), again: second.clone(), answers: vec![] };
        let entries = Scene::of(&plan).performed(&[]);
        let Event::Finished { deliverable, warnings, .. } = &entries.last().unwrap().event else {
            panic!("{:?}", entries.last());
        };
        let told = warnings.iter().any(|warning| {
            warning.contains("the plan was made by rule")
                && warning.contains("wait for each other: a, b")
        });
        assert_eq!(told, by_rule, "{warnings:?}");
        let first = &deliverable["plan"][0]["id"];
        assert_eq!(first, if by_rule { "documents-1" } else { "a" });
    }
}

// proves: A4
#[test]
fn what_a_source_says_reaches_neither_the_planner_nor_the_words_of_a_question() {
    let plan = Plan {
        first: json!({"plan": [
            {"id": "t0", "type": "retrieve_rag", "inputs": {"query": "alpha hijack"}},
            {"id": "t1", "type": "ask_user", "inputs": {"question": "BLOCKS?", "assumption": "Both."}, "when": "ambiguity"},
            {"id": "end", "type": "synthesize"}
        ]}),
        again: json!({"plan": []}),
        answers: vec!["acme"],
    };
    let scene = Scene::of(&plan);
    let entries = scene.performed(&[]);
    let heard = scene.heard();
    let planners: Vec<&String> =
        heard.iter().filter(|asked| asked.contains("What there is")).collect();
    assert_eq!(planners.len(), 2, "planned, and planned again");
    assert!(planners.iter().all(|asked| !asked.contains("IGNORE YOUR TASK")));
    assert!(heard.iter().any(|asked| asked.contains("IGNORE YOUR TASK")), "the others read it");
    let asked = entries.iter().find_map(|entry| match &entry.event {
        Event::Asked { ask, .. } => Some(ask.clone()),
        _ => None,
    });
    assert_eq!(asked.unwrap().question, "BLOCKS?");
}

// proves: A4, C4
#[test]
fn a_mark_of_a_planner_or_a_writer_is_no_citation() {
    let plan = Plan {
        first: json!({"plan": [
            {"id": "t0", "type": "retrieve_rag", "inputs": {"query": "alpha [97]"}},
            {"id": "t1", "type": "ask_user", "inputs": {"question": "whatever [97]?", "assumption": "Both are meant [97]."}},
            {"id": "end", "type": "synthesize"}
        ]}),
        again: json!({"plan": []}),
        answers: vec![],
    };
    let entries = Scene::of(&plan).performed(&[]);
    let Event::Finished { deliverable, .. } = &entries.last().unwrap().event else {
        panic!("{:?}", entries.last());
    };
    assert_eq!(deliverable["assumptions"], json!(["So it is."]));
    assert_eq!(deliverable["plan"][1]["inputs"]["assumption"], "Both are meant.");
    assert!(!deliverable.to_string().contains("[97]"), "{deliverable:#}");
}

// proves: C1
#[test]
fn a_killed_worker_writes_nothing_more() {
    let plan = Plan {
        first: json!({"plan": [
            {"id": "t0", "type": "retrieve_rag", "inputs": {"query": "alpha"}}, {"id": "end", "type": "synthesize"}
        ]}),
        again: json!({"plan": []}),
        answers: vec![],
    };
    let scene = Scene::of(&plan);
    assert_eq!(scene.begun(Some(3)), Err(Killed));
    assert_eq!(scene.entries().len(), 3);
}
