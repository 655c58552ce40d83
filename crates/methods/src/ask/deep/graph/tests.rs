use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

fn limits() -> Limits {
    let budgets = Budgets { max_steps: 6, max_questions: 2 };
    Limits { kinds: TaskKind::ALL.into(), budgets }
}

fn parse_graph(plan: &Value) -> Result<Graph, String> {
    let draft: Drafted = serde_json::from_value(plan.clone()).unwrap();
    Graph::of(&draft, &limits()).map_err(|faults| faults.join("\n"))
}

fn after<'a>(graph: &'a Graph, id: &str) -> &'a [String] {
    &graph.tasks.iter().find(|task| task.id == id).unwrap().after
}

// proves: A4
#[test]
fn the_documented_plan_is_read_with_the_order_that_it_means() {
    let graph = parse_graph(&json!({
        "plan": [
            {"id": "step-1", "type": "retrieve_rag", "inputs": {"query": "q"}},
            {"id": "step-2", "type": "search_web", "inputs": {"query": "q"}, "when": "if recall low"},
            {"id": "step-3", "type": "ask_user", "inputs": {"question": "which?", "assumption": "Both."}, "when": "if ambiguity blocks synthesis"},
            {"id": "step-4", "type": "synthesize"}
        ],
        "budgets": {"max_steps": 6, "max_questions": 2}
    }))
    .unwrap();
    assert!(after(&graph, "step-1").is_empty());
    assert_eq!(after(&graph, "step-2"), ["step-1"]);
    assert_eq!(after(&graph, "step-3"), ["step-1", "step-2"]);
    assert_eq!(after(&graph, "step-4"), ["step-1", "step-2", "step-3"]);
    let written = serde_json::to_value(&graph).unwrap();
    assert_eq!(written["plan"][1]["when"], "recall_low");
    assert_eq!(written["plan"][1]["type"], "search_web");
}

// proves: A4
#[test]
fn everything_that_is_wrong_with_a_plan_is_told_at_once() {
    let retrieve = |id: &str, after: &[&str]| json!({"id": id, "type": "retrieve_rag", "inputs": {"query": "q"}, "after": after});
    let end = json!({"id": "z", "type": "synthesize"});
    for (plan, told) in [
        (
            json!([retrieve("a", &["b"]), retrieve("b", &["a"]), end]),
            "wait for each other: a, b, z",
        ),
        (json!([{"id": "a", "type": "browse"}, end]), "unknown type 'browse'"),
        (json!([retrieve("a", &[])]), "comes to no answer"),
        (json!([retrieve("a", &["z"]), end]), "comes after the synthesis"),
        (json!([end, {"id": "y", "type": "synthesize"}]), "several tasks of type synthesize"),
        (json!([end]), "no task looks for evidence"),
        (json!([retrieve("a", &["x"]), end]), "'x', which the plan does not have"),
        (json!([retrieve("a", &[]), retrieve("a", &[]), end]), "the same id"),
        (json!([retrieve("../a", &[]), end]), "is not a valid id"),
        (json!([retrieve("a", &["a"]), end]), "comes after itself"),
        (json!([{"id": "a", "type": "retrieve_rag"}, end]), "no inputs.query"),
        (
            json!([{"id": "a", "type": "ask_user", "inputs": {"question": "?"}}, end]),
            "inputs.assumption",
        ),
        (
            json!([{"id": "a", "type": "retrieve_rag", "inputs": {"query": "q"}, "when": "at night"}, end]),
            "unknown condition 'at night'",
        ),
        (json!([{"id": "z", "type": "synthesize", "when": "recall_low"}]), "always made"),
        (
            json!([
                retrieve("a", &[]),
                retrieve("b", &[]),
                retrieve("c", &[]),
                retrieve("d", &[]),
                retrieve("e", &[]),
                retrieve("f", &[]),
                end
            ]),
            "7 tasks are more than the budget of 6",
        ),
    ] {
        let fault = parse_graph(&json!({"plan": plan})).unwrap_err();
        assert!(fault.contains(told), "{told}: {fault}");
    }
    let over =
        parse_graph(&json!({"plan": [end], "budgets": {"max_steps": 60, "max_questions": 9}}));
    assert_eq!(over.unwrap_err().lines().count(), 3, "both budgets, and nothing to look for");
}

// proves: A4
#[test]
fn what_there_is_nothing_for_is_refused_by_its_name() {
    let kinds = BTreeSet::from([TaskKind::RetrieveRag, TaskKind::Synthesize]);
    let draft: Drafted = serde_json::from_value(json!({"plan": [
        {"id": "a", "type": "search_web", "inputs": {"query": "q"}}, {"id": "z", "type": "synthesize"}
    ]}))
    .unwrap();
    let faults = Graph::of(&draft, &Limits { kinds, ..limits() }).unwrap_err();
    assert!(faults[0].contains("nothing here; there are: retrieve_rag, synthesize"), "{faults:?}");
}

// proves: A4
#[test]
fn tasks_that_are_added_come_before_the_synthesis_and_only_look_for_evidence() {
    let first = parse_graph(&json!({"plan": [
        {"id": "a", "type": "retrieve_rag", "inputs": {"query": "q"}}, {"id": "z", "type": "synthesize"}
    ]}))
    .unwrap();
    let task = |id: &str, kind: &str| DraftedTask {
        id: id.into(),
        kind: kind.into(),
        inputs: Inputs { query: "r".into(), ..Inputs::default() },
        ..DraftedTask::default()
    };
    let more = first.extended(&[task("b", "search_scholarly")], &limits()).unwrap();
    assert_eq!(after(&more, "z"), ["a", "b"]);
    assert_eq!(more.tasks[1].id, "b");
    assert_eq!(more.budgets, first.budgets);
    let refused = first.extended(&[task("b", "synthesize")], &limits()).unwrap_err();
    assert!(refused[0].contains("only what looks for evidence"), "{refused:?}");
    assert!(first.extended(&[task("a", "retrieve_rag")], &limits()).is_err());
}

fn any_draft() -> impl Strategy<Value = Drafted> {
    let id = prop_oneof![Just("a"), Just("b"), Just("c"), Just("d"), Just("é"), Just("")];
    let kind = prop_oneof![
        Just("retrieve_rag"),
        Just("search_web"),
        Just("ask_user"),
        Just("synthesize"),
        Just("fly")
    ];
    let when =
        proptest::option::of(prop_oneof![Just("recall_low"), Just("missing(x)"), Just("maybe")]);
    let task = (id.clone(), kind, when, proptest::collection::vec(id, 0..3)).prop_map(
        |(id, kind, when, after)| DraftedTask {
            id: id.into(),
            kind: kind.into(),
            inputs: Inputs { query: "q".into(), question: "q".into(), assumption: "s".into() },
            when: when.map(str::to_owned),
            after: after.into_iter().map(str::to_owned).collect(),
        },
    );
    let budgets = (proptest::option::of(0_u32..9), proptest::option::of(0_u32..4))
        .prop_map(|(max_steps, max_questions)| DraftedBudgets { max_steps, max_questions });
    (proptest::collection::vec(task, 0..7), budgets).prop_map(|(plan, budgets)| Drafted {
        plan,
        budgets,
        ..Drafted::default()
    })
}

proptest! {
    // proves: A4
    #[test]
    fn a_draft_is_refused_with_reasons_or_can_be_carried_out_to_its_end(draft in any_draft()) {
        match Graph::of(&draft, &limits()) {
            Err(faults) => prop_assert!(!faults.is_empty()),
            Ok(graph) => {
                prop_assert!(graph.tasks.len() <= graph.budgets.max_steps as usize);
                let mut settled: BTreeSet<&str> = BTreeSet::new();
                let mut last = "";
                while settled.len() < graph.tasks.len() {
                    let ready = graph.tasks.iter().find(|task| {
                        !settled.contains(task.id.as_str())
                            && task.after.iter().all(|id| settled.contains(id.as_str()))
                    });
                    let ready = ready.expect("something is ready until all are settled");
                    settled.insert(&ready.id);
                    last = &ready.id;
                }
                prop_assert_eq!(graph.synthesis().map(|task| task.id.as_str()), Some(last));
            }
        }
    }
}
