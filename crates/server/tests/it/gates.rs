//! Where a run waits for a person: one is heard, whoever else speaks learns what became of it, and nothing is done twice.

use std::collections::BTreeMap;

use futures::future::join_all;
use run::plan::Plan;
use serde_json::{Value, json};

use crate::contract::{GET, POST, PUT, Set, Told};
use crate::stage::{Stage, plan};

/// Starts a run that proposes a plan; returns its id and its gate.
async fn proposed(set: &Set) -> (String, Value) {
    let run = set.start("planned", "Look").await;
    let state = set.stage.until_status(&run, "waiting").await;
    (run, state["gates"][0].clone())
}

async fn at(set: &Set, run: &str, what: &str, body: Value) -> Told {
    let method = if what == "plan" { PUT } else { POST };
    set.call(method, &format!("/api/runs/{run}/{what}"), Some(body)).await
}

fn titled(title: &str) -> Plan {
    Plan { title: title.into(), ..plan() }
}

/// Returns what somebody saw who looked at a gate.
fn seen(gate: &Value) -> Value {
    json!({ "revision": gate["revision"], "plan_hash": gate["plan_hash"] })
}

fn edit(gate: &Value, plan: &Plan) -> Value {
    let mut body = seen(gate);
    body["plan"] = serde_json::to_value(plan).unwrap();
    body
}

fn executions(stage: &Stage, run: &str) -> usize {
    stage.done().iter().filter(|line| **line == format!("{run} executed")).count()
}

// proves: C11
#[tokio::test(flavor = "multi_thread")]
async fn a_question_is_answered_before_and_after_a_restart() {
    let set = Set::up().await;
    let run = set.start("greet", "Hello").await;
    set.stage.until_status(&run, "waiting").await;
    let told = at(&set, &run, "answer", json!({ "answer": "  Ada " })).await;
    assert_eq!(told.status, 200);
    set.stage.until(&run, |state| state["gates"][0]["gate"] == "town").await;
    let Set { stage, contract } = set;
    let stage = Stage::over(stage.stop().await, Default::default()).await;
    let set = Set { stage, contract };
    let state = set.stage.until_status(&run, "waiting").await;
    assert_eq!(state["gates"][0]["question"], "Where do you live?", "it asks the same as before");
    let told = at(&set, &run, "answer", json!({ "gate": "town", "answer": "London" })).await;
    assert_eq!(told.status, 200);
    set.stage.until_status(&run, "completed").await;
    let result = set.get(&format!("/api/runs/{run}/result")).await;
    assert_eq!(result["answer"], "Hello, Ada of London!");
}

// proves: C11
#[tokio::test(flavor = "multi_thread")]
async fn a_plan_is_approved_after_a_restart_as_it_was_seen_before() {
    let set = Set::up().await;
    let (run, gate) = proposed(&set).await;
    let told = at(&set, &run, "plan", edit(&gate, &titled("Look behind"))).await;
    let plan = told.body["plan"].clone();
    let Set { stage, contract } = set;
    let stage = Stage::over(stage.kill().await, Default::default()).await;
    let set = Set { stage, contract };
    let state = set.get(&format!("/api/runs/{run}")).await;
    assert_eq!(state["plan"], plan);
    assert_eq!(at(&set, &run, "approve", seen(&plan)).await.status, 200);
    set.stage.until_status(&run, "completed").await;
    let result = set.get(&format!("/api/runs/{run}/result")).await;
    assert_eq!(result["answer"], "did: Look behind");
    assert_eq!(executions(&set.stage, &run), 1);
}

// proves: C11
#[tokio::test(flavor = "multi_thread")]
async fn a_second_answer_and_one_for_another_gate_are_refused() {
    let set = Set::up().await;
    let run = set.start("greet", "Hello").await;
    set.stage.until_status(&run, "waiting").await;
    let told = at(&set, &run, "answer", json!({ "gate": "town", "answer": "London" })).await;
    assert_eq!((told.status, told.kind()), (409, "conflict"), "that gate is not open yet");
    for empty in ["", "  \n"] {
        let told = at(&set, &run, "answer", json!({ "answer": empty })).await;
        assert_eq!((told.status, told.kind()), (422, "invalid"));
    }
    for (what, body) in [("approve", json!({})), ("reject", json!({}))] {
        let told = at(&set, &run, what, body).await;
        assert_eq!(
            (told.status, told.kind()),
            (422, "invalid"),
            "asks for an answer, not for the approval of a plan"
        );
    }
    let named = json!({ "gate": "name", "answer": "Ada" });
    let all = join_all((0..20).map(|_| at(&set, &run, "answer", named.clone()))).await;
    assert_eq!(all.iter().filter(|told| told.status == 200).count(), 1, "one is heard");
    let refused: Vec<&Told> = all.iter().filter(|told| told.status != 200).collect();
    assert!(refused.iter().all(|told| (told.status, told.kind()) == (409, "conflict")));
    set.stage.until(&run, |state| state["gates"][0]["gate"] == "town").await;
    at(&set, &run, "answer", json!({ "answer": "London" })).await;
    set.stage.until_status(&run, "completed").await;
    let told = at(&set, &run, "answer", json!({ "answer": "Paris" })).await;
    assert_eq!((told.status, told.kind()), (409, "conflict"), "it asks nothing any more");
}

// proves: C11
#[tokio::test(flavor = "multi_thread")]
async fn a_plan_is_edited_revision_by_revision_and_only_the_last_is_approved() {
    let set = Set::up().await;
    let (run, gate) = proposed(&set).await;
    assert_eq!(gate["revision"], 1);
    let told = at(&set, &run, "plan", edit(&gate, &titled("Look behind"))).await;
    assert_eq!((told.status, &told.body["gates"][0]["revision"]), (200, &json!(2)));
    let second = told.body["gates"][0].clone();
    assert_eq!(second["plan"]["title"], "Look behind");
    let same = at(&set, &run, "plan", edit(&second, &titled("Look behind"))).await;
    assert_eq!(same.body["gates"][0]["revision"], 2, "the same plan is no new revision");
    let mut wrong_hash = seen(&second);
    wrong_hash["plan_hash"] = gate["plan_hash"].clone();
    for (what, body) in [
        ("approve", seen(&gate)),
        ("approve", wrong_hash),
        ("plan", edit(&gate, &titled("Look ahead"))),
    ] {
        let told = at(&set, &run, what, body).await;
        assert_eq!((told.status, told.kind()), (409, "stale"), "{what}: {}", told.body);
    }
    for half in [json!({ "revision": 2 }), json!({ "plan_hash": second["plan_hash"] })] {
        assert_eq!(at(&set, &run, "approve", half).await.status, 422);
    }
    for wrong in [Plan::default(), titled(" "), Plan { steps: vec![], ..plan() }] {
        let told = at(&set, &run, "plan", edit(&second, &wrong)).await;
        assert_eq!((told.status, told.kind()), (422, "invalid"), "{}", told.body);
    }
    let told = at(&set, &run, "answer", json!({ "answer": "Yes" })).await;
    assert_eq!((told.status, told.kind()), (422, "invalid"), "a plan is approved, not answered");
    let told = at(&set, &run, "approve", json!({ "gate": "another" })).await;
    assert_eq!((told.status, told.kind()), (409, "conflict"));
    assert_eq!(set.get(&format!("/api/runs/{run}")).await["status"], "waiting");
    assert_eq!(set.stage.done(), Vec::<String>::new(), "nothing is executed that was not approved");
    assert_eq!(at(&set, &run, "approve", seen(&second)).await.status, 200);
    set.stage.until_status(&run, "completed").await;
    let result = set.get(&format!("/api/runs/{run}/result")).await;
    assert_eq!(result["answer"], "did: Look behind");
    let told = at(&set, &run, "approve", seen(&second)).await;
    assert_eq!((told.status, told.kind()), (409, "conflict"), "it was approved already");
    assert_eq!(executions(&set.stage, &run), 1);
}

// proves: C11
#[tokio::test(flavor = "multi_thread")]
async fn of_edits_that_come_at_once_each_follows_from_one_that_was_seen() {
    let set = Set::up().await;
    let (run, gate) = proposed(&set).await;
    let plans: Vec<Plan> = (0..20).map(|number| titled(&format!("Plan {number}"))).collect();
    let all = join_all(plans.iter().map(|plan| at(&set, &run, "plan", edit(&gate, plan)))).await;
    let mut statuses: BTreeMap<(u16, &str), u32> = BTreeMap::new();
    for told in &all {
        *statuses.entry((told.status, told.kind())).or_default() += 1;
    }
    assert_eq!(statuses, [((200, ""), 1), ((409, "stale"), 19)].into());
    assert_eq!(set.get(&format!("/api/runs/{run}")).await["plan"]["revision"], 2);
}

// proves: C11
#[tokio::test(flavor = "multi_thread")]
async fn a_hundred_approvals_at_once_are_one_execution() {
    let set = Set::up().await;
    let (run, gate) = proposed(&set).await;
    let approvals = (0..100).map(|number| match number % 2 {
        0 => at(&set, &run, "approve", seen(&gate)),
        _ => at(&set, &run, "approve", json!({})),
    });
    let all = join_all(approvals).await;
    assert_eq!(all.iter().filter(|told| told.status == 200).count(), 1);
    assert!(all.iter().all(|told| matches!(told.status, 200 | 409)));
    set.stage.until_status(&run, "completed").await;
    assert_eq!(executions(&set.stage, &run), 1);
    let events = set.call(GET, &format!("/api/runs/{run}/events"), None).await;
    let text = String::from_utf8(events.bytes).unwrap();
    assert_eq!(text.matches("\"event\":\"approved\"").count(), 1);
}

// proves: C11
#[tokio::test(flavor = "multi_thread")]
async fn a_rejected_plan_is_never_executed() {
    let set = Set::up().await;
    let (run, gate) = proposed(&set).await;
    let told = at(&set, &run, "reject", json!({ "reason": "too dear" })).await;
    assert_eq!((told.status, &told.body["status"]), (200, &json!("cancelled")));
    assert_eq!(told.body["plan"]["state"], "rejected");
    assert_eq!(set.stage.done(), [format!("{run} ended")], "the program hears of it");
    for (what, body) in [
        ("approve", seen(&gate)),
        ("approve", json!({})),
        ("reject", json!({})),
        ("plan", edit(&gate, &titled("Again"))),
        ("answer", json!({ "answer": "Yes" })),
        ("cancel", json!({})),
    ] {
        let told = at(&set, &run, what, body).await;
        assert_eq!((told.status, told.kind()), (409, "conflict"), "{what}: {}", told.body);
    }
    let Set { stage, contract } = set;
    let stage = Stage::over(stage.stop().await, Default::default()).await;
    let set = Set { stage, contract };
    // Another plan is executed meanwhile, so the workers had their chance.
    let (other, _) = proposed(&set).await;
    at(&set, &other, "approve", json!({})).await;
    set.stage.until_status(&other, "completed").await;
    assert_eq!(executions(&set.stage, &run), 0);
    assert_eq!(set.get(&format!("/api/runs/{run}")).await["status"], "cancelled");
}

// proves: C11
#[tokio::test(flavor = "multi_thread")]
async fn of_approvals_and_rejections_at_once_one_decides() {
    let set = Set::up().await;
    for _ in 0..5 {
        let (run, _) = proposed(&set).await;
        let all = join_all((0..20).map(|number| {
            at(&set, &run, if number % 2 == 0 { "approve" } else { "reject" }, json!({}))
        }))
        .await;
        assert_eq!(all.iter().filter(|told| told.status == 200).count(), 1);
        let approved = all.iter().step_by(2).any(|told| told.status == 200);
        let ended = if approved { "completed" } else { "cancelled" };
        set.stage.until_status(&run, ended).await;
        assert_eq!(executions(&set.stage, &run), usize::from(approved));
    }
}

// proves: C11, W1
#[tokio::test(flavor = "multi_thread")]
async fn out_of_phase_an_error_names_the_operation_and_the_phase_of_a_workflow() {
    let set = Set::up().await;
    let wanted = json!({ "method": "market", "question": "AI", "clarify": true, "plan": true });
    let run = set.call(POST, "/api/runs", Some(wanted)).await.text("/run_id");
    let refused = async |what: &str, body: Value, operation: &str, phase: &str| {
        let told = at(&set, &run, what, body).await;
        assert_eq!((told.status, told.kind()), (409, "conflict"), "{what}: {}", told.body);
        let detail = told.text("/detail");
        for name in [operation, phase] {
            assert!(detail.contains(&format!("'{name}'")), "{what}: {detail}");
        }
    };
    set.stage.until(&run, |state| state["gates"].as_array().unwrap().len() == 3).await;
    for (what, operation) in [("approve", "approve_plan"), ("reject", "reject_plan")] {
        refused(what, json!({}), operation, "clarify").await;
    }
    for gate in ["q1", "q2", "q3"] {
        let answer = json!({ "gate": gate, "answer": "Texas" });
        assert_eq!(at(&set, &run, "answer", answer).await.status, 200);
    }
    set.stage.until(&run, |state| state["gates"][0]["gate"] == "plan").await;
    let answer = json!({ "answer": "Yes" });
    refused("answer", answer.clone(), "answer_questions", "plan").await;
    // In its phase an error keeps its own words.
    let told = at(&set, &run, "approve", json!({ "gate": "another" })).await;
    assert!(told.text("/detail").contains("no open question 'another'"), "{}", told.body);
    assert_eq!(at(&set, &run, "reject", json!({})).await.status, 200);
    refused("approve", json!({}), "approve_plan", "cancelled").await;
    refused("reject", json!({}), "reject_plan", "cancelled").await;
    refused("answer", answer, "answer_questions", "cancelled").await;

    // A method that asks by itself has no phases.
    let run = set.start("greet", "Hello").await;
    set.stage.until_status(&run, "waiting").await;
    let told = at(&set, &run, "approve", json!({})).await;
    assert!(
        told.text("/detail").contains("asks for an answer, not for the approval of a plan"),
        "{}",
        told.body
    );
}
