//! Workflows: whatever is asked of them in whatever order, by whomever, they go as the reference machine does.

use std::collections::BTreeMap;
use std::sync::Arc;

use proptest::prelude::*;
use reqwest::Method;
use run::Event;
use run::entry::Hash;
use run::plan::Plan;
use serde_json::{Value, json};

use crate::contract::{Contract, GET, POST, PUT, Set, Told};
use crate::home::Kept;
use crate::patience::until;
use crate::stage::{ALICE, BOB, Stage, Wanted, plan};

/// What somebody says of the plan that they have before them.
#[derive(Debug, Clone, Copy)]
enum Sight {
    Latest,
    /// The revision before the latest, or one that nobody wrote.
    Stale,
    WrongHash,
    Unsaid,
    Half,
}

#[derive(Debug, Clone)]
enum Answers {
    All,
    /// Those of these questions; the rest is passed by.
    Some(Vec<usize>),
    /// In a list without ids.
    Listed(usize),
    /// One of a question that there is not.
    Wrong,
}

#[derive(Debug, Clone)]
enum Step {
    Start {
        clarify: bool,
        plan: bool,
    },
    Answer(usize, Answers),
    Edit(usize, Sight, String),
    Approve(usize, Sight),
    Reject(usize),
    Cancel(usize),
    Get(usize),
    /// What is at work comes to its end.
    Finish,
    Restart {
        kill: bool,
    },
}

/// What a workflow is, by the rules alone.
#[derive(Debug, Clone)]
struct Reference {
    id: String,
    phase: &'static str,
    wants_plan: bool,
    asked: bool,
    answers: BTreeMap<String, String>,
    revisions: Vec<Plan>,
    plan_state: &'static str,
    /// How often its step has begun: after each restart anew.
    begun: usize,
}

impl Reference {
    fn started(id: String, clarify: bool, wants_plan: bool) -> Reference {
        let mut reference = Reference {
            id,
            phase: "clarify",
            wants_plan,
            asked: clarify,
            answers: BTreeMap::new(),
            revisions: vec![],
            plan_state: "proposed",
            begun: 0,
        };
        if !clarify {
            reference.answered();
        }
        reference
    }

    fn answered(&mut self) {
        if self.wants_plan {
            self.phase = "plan";
            self.revisions.push(plan());
        } else {
            self.phase = "execute";
        }
    }

    fn check(&self, state: &Value) {
        assert_eq!(state["workflow_id"], self.id);
        assert_eq!(state["phase"], self.phase, "{state}");
        let ids: Vec<&str> = state["clarifying_questions"]
            .as_array()
            .unwrap()
            .iter()
            .map(|question| question["id"].as_str().unwrap())
            .collect();
        assert_eq!(ids, if self.asked { vec!["q1", "q2", "q3"] } else { vec![] });
        assert_eq!(state["user_answers"], json!(self.answers));
        match self.revisions.last() {
            None => assert_eq!(state["plan"], Value::Null),
            Some(plan) => {
                let shown = &state["plan"];
                assert_eq!(
                    (&shown["title"], &shown["revision"], &shown["plan_hash"], &shown["state"]),
                    (
                        &json!(plan.title),
                        &json!(self.revisions.len()),
                        &json!(plan.hash()),
                        &json!(self.plan_state)
                    )
                );
            }
        }
        let done = match self.phase {
            "completed" => {
                let told = match self.asked {
                    false => String::new(),
                    true => {
                        let said = |id: &str| self.answers[id].clone();
                        format!("{} / {} / {}", said("q1"), said("q2"), said("q3"))
                    }
                };
                let title = self.revisions.last().map_or(plan().title, |plan| plan.title.clone());
                json!({ "answer": format!("{told}: {title}"), "claims": [] })
            }
            _ => Value::Null,
        };
        assert_eq!(state["results"], done);
        assert_eq!((&state["error"], &state["startup_context"]), (&Value::Null, &Value::Null));
    }
}

/// What was said and done in a log; what an attempt does again after a restart is left out while it is working.
type Record = Vec<(u64, Hash)>;

/// The workflows of alice, and their references.
struct Pair {
    stage: Option<Stage>,
    contract: Contract,
    /// Reads what stands in the folder, whatever the server says.
    kept: Kept,
    all: Vec<Reference>,
}

impl Pair {
    async fn up() -> Pair {
        let stage = Stage::with(Wanted::with_users()).await;
        stage.go(0);
        let contract = Contract::of(&stage).await;
        let kept = stage.folder.open().await;
        Pair { stage: Some(stage), contract, kept, all: vec![] }
    }

    fn stage(&self) -> &Stage {
        self.stage.as_ref().unwrap()
    }

    async fn call(&self, who: &str, method: Method, target: &str, body: Option<&Value>) -> Told {
        let stage = self.stage();
        let mut request = stage.client.request(method.clone(), stage.url(target)).bearer_auth(who);
        if let Some(body) = body {
            request = request.json(body);
        }
        self.contract.send(method, target, request).await
    }

    async fn records(&self) -> Vec<Record> {
        let mut records = Vec::new();
        for one in &self.all {
            let entries = self.kept.log.entries("alice", &one.id, 0).await.unwrap();
            let kept = entries.iter().filter(|entry| {
                let is_work = matches!(
                    entry.event,
                    Event::Called { .. }
                        | Event::Returned { .. }
                        | Event::Failed { .. }
                        | Event::Resumed { .. }
                );
                one.phase != "execute" || !is_work
            });
            records.push(kept.map(|entry| (entry.seq, entry.hash)).collect());
        }
        records
    }

    fn lines(&self, number: usize, what: &str) -> usize {
        let line = format!("{} {what}", self.all[number].id);
        self.stage().done().iter().filter(|done| **done == line).count()
    }

    /// Waits until what should be at work is.
    async fn at_work(&self) {
        for (number, one) in self.all.iter().enumerate() {
            until("its step has begun", async || {
                let begun = self.lines(number, "begun");
                if begun >= one.begun { Ok(()) } else { Err(begun) }
            })
            .await;
            assert_eq!(self.lines(number, "begun"), one.begun, "nothing begins on its own");
        }
    }

    /// Does as the step says, and holds what comes of it against the reference.
    async fn take(&mut self, step: &Step, by_owner: bool) {
        let who = if by_owner { ALICE } else { BOB };
        match step {
            Step::Start { clarify, plan } if by_owner && self.all.len() < 3 => {
                let rests = *clarify || *plan;
                let body = json!({ "user_message": "Explore", "clarify": clarify, "plan": plan });
                let target = format!("/api/workflows?wait={}", if rests { 60 } else { 0 });
                let told = self.call(who, POST, &target, Some(&body)).await;
                assert_eq!(told.status, 201, "{}", told.body);
                let id = told.text("/workflow_id");
                let reference = Reference::started(id, *clarify, *plan);
                reference.check(&told.body);
                self.all.push(reference);
                self.entered(self.all.len() - 1).await;
            }
            Step::Start { .. } => {}
            Step::Finish => {
                self.stage().go(1);
                for number in 0..self.all.len() {
                    if self.all[number].phase == "execute" {
                        self.all[number].phase = "completed";
                        let target = format!("/api/workflows/{}?wait=60", self.all[number].id);
                        let told = self.call(ALICE, GET, &target, None).await;
                        self.all[number].check(&told.body);
                    }
                }
                self.stage().go(0);
            }
            Step::Restart { kill } => {
                let stage = self.stage.take().unwrap();
                let folder: Arc<_> = if *kill { stage.kill().await } else { stage.stop().await };
                self.stage = Some(Stage::over(folder, Wanted::with_users()).await);
                for one in &mut self.all {
                    one.begun += usize::from(one.phase == "execute");
                }
                self.at_work().await;
            }
            Step::Answer(number, _)
            | Step::Edit(number, ..)
            | Step::Approve(number, _)
            | Step::Reject(number)
            | Step::Cancel(number)
            | Step::Get(number) => {
                if self.all.is_empty() {
                    return;
                }
                let number = number % self.all.len();
                self.say(step, number, who).await;
            }
        }
    }

    /// Sends what a step says to a workflow.
    async fn say(&mut self, step: &Step, number: usize, who: &str) {
        let before = self.records().await;
        let reference = self.all[number].clone();
        let (method, target, body) = request(step, &reference);
        let told = self.call(who, method, &target, body.as_ref()).await;
        let what = format!("{step:?} in {reference:?}: {} {}", told.status, told.body);
        let mut next = reference.clone();
        let expected = match (who, step) {
            // What cannot be read is refused before anybody looks for the workflow.
            (BOB, Step::Approve(_, Sight::Half)) => Some((422, "invalid", vec![])),
            (BOB, _) => Some((404, "not-found", vec![])),
            _ => next.take(step),
        };
        let Some((status, kind, named)) = expected else {
            assert!(matches!(told.status, 200 | 202), "{what}");
            let entered = next.phase == "execute" && reference.phase != "execute";
            self.all[number] = next;
            if entered {
                self.entered(number).await;
            }
            if matches!(step, Step::Cancel(_)) {
                self.gone(number).await;
            }
            let target = format!("/api/workflows/{}", reference.id);
            let state = self.call(ALICE, GET, &target, None).await;
            self.all[number].check(&state.body);
            let is_state = !matches!(step, Step::Edit(..) | Step::Cancel(_));
            if is_state {
                assert_eq!(told.body, state.body, "{what}");
            }
            return;
        };
        assert_eq!((told.status, told.kind()), (status, kind), "{what}");
        let detail = told.text("/detail");
        for name in named {
            assert!(detail.contains(&name), "{detail} does not name {name}");
        }
        assert_eq!(self.records().await, before, "it was refused, and changed something: {what}");
    }

    /// Notes that a workflow is at work.
    async fn entered(&mut self, number: usize) {
        if self.all[number].phase == "execute" {
            self.all[number].begun += 1;
        }
        self.at_work().await;
    }

    /// Waits until a workflow that was cancelled at work has heard of it.
    async fn gone(&self, number: usize) {
        let target = format!("/api/workflows/{}?wait=60", self.all[number].id);
        let told = self.call(ALICE, GET, &target, None).await;
        assert_eq!(told.text("/phase"), "cancelled");
    }
}

/// Returns the request of a step.
fn request(step: &Step, one: &Reference) -> (Method, String, Option<Value>) {
    let at = |what: &str| format!("/api/workflows/{}/{what}", one.id);
    let sight = |sight: Sight| {
        let latest = one.revisions.len();
        let hash = one.revisions.last().map_or(Hash::default(), Plan::hash);
        match sight {
            Sight::Latest => json!({ "revision": latest, "plan_hash": hash }),
            Sight::Stale => {
                let before = latest.checked_sub(2).map(|index| one.revisions[index].hash());
                let hash = before.unwrap_or(hash);
                json!({ "revision": latest.saturating_sub(1), "plan_hash": hash })
            }
            Sight::WrongHash => {
                json!({ "revision": latest, "plan_hash": Hash::of(b"another plan") })
            }
            Sight::Unsaid => json!({}),
            Sight::Half => json!({ "revision": latest }),
        }
    };
    match step {
        Step::Answer(_, answers) => {
            let answers = match answers {
                Answers::All => json!({ "q1": "one", "q2": " two ", "q3": "three" }),
                Answers::Some(some) => {
                    let said = some.iter().map(|number| (format!("q{}", number + 1), "said"));
                    json!(said.collect::<BTreeMap<_, _>>())
                }
                Answers::Listed(count) => {
                    let listed = (0..*count).map(|number| match number % 2 {
                        0 => json!("said"),
                        _ => json!({ "answer": "said" }),
                    });
                    json!(listed.collect::<Vec<_>>())
                }
                Answers::Wrong => json!({ "q1": "one", "q4": "four" }),
            };
            let wait = if one.wants_plan { 60 } else { 0 };
            let target = at(&format!("answer_questions?wait={wait}"));
            (POST, target, Some(json!({ "answers": answers })))
        }
        Step::Edit(_, seen, title) => {
            let mut body = match seen {
                Sight::Unsaid | Sight::Half => sight(Sight::Latest),
                seen => sight(*seen),
            };
            body["plan"] = json!(Plan { title: title.clone(), ..plan() });
            (PUT, format!("/api/runs/{}/plan", one.id), Some(body))
        }
        Step::Approve(_, seen) => (POST, at("approve_plan"), Some(sight(*seen))),
        Step::Reject(_) => (POST, at("reject_plan"), Some(json!({ "reason": "too dear" }))),
        Step::Cancel(_) => (POST, format!("/api/runs/{}/cancel", one.id), Some(json!({}))),
        _ => (GET, format!("/api/workflows/{}", one.id), None),
    }
}

/// A status, a kind of problem, and what its text must name.
type Refusal = (u16, &'static str, Vec<String>);

impl Reference {
    /// Goes where a step of the owner leads; where it is not to be taken, says how it is refused.
    fn take(&mut self, step: &Step) -> Option<Refusal> {
        let out_of_phase = |operation: &str| {
            let names = vec![format!("'{operation}'"), format!("'{}'", self.phase)];
            Some((409, "conflict", names))
        };
        match step {
            Step::Answer(..) if self.phase != "clarify" => out_of_phase("answer_questions"),
            Step::Answer(_, Answers::Wrong) => {
                Some((422, "invalid", vec!["q4".into(), "q1, q2, q3".into()]))
            }
            Step::Answer(_, answers) => {
                let said = |number: usize| match answers {
                    Answers::All => ["one", "two", "three"][number],
                    Answers::Some(some) if some.contains(&number) => "said",
                    Answers::Listed(count) if number < *count => "said",
                    _ => "",
                };
                self.answers =
                    (0..3).map(|n| (format!("q{}", n + 1), said(n).to_owned())).collect();
                self.answered();
                None
            }
            Step::Approve(_, Sight::Half) => Some((422, "invalid", vec!["plan_hash".into()])),
            Step::Approve(..) if self.phase != "plan" => out_of_phase("approve_plan"),
            Step::Edit(..) if self.phase != "plan" => out_of_phase("edit_plan"),
            Step::Reject(_) if self.phase != "plan" => out_of_phase("reject_plan"),
            Step::Approve(_, Sight::Stale | Sight::WrongHash)
            | Step::Edit(_, Sight::Stale | Sight::WrongHash, _) => {
                let current = format!("revision {}", self.revisions.len());
                Some((409, "stale", vec![current]))
            }
            Step::Approve(..) => {
                (self.phase, self.plan_state) = ("execute", "approved");
                None
            }
            Step::Edit(_, _, title) => {
                let edited = Plan { title: title.clone(), ..plan() };
                if self.revisions.last() != Some(&edited) {
                    self.revisions.push(edited);
                }
                None
            }
            Step::Reject(_) => {
                (self.phase, self.plan_state) = ("cancelled", "rejected");
                None
            }
            Step::Cancel(_) if matches!(self.phase, "completed" | "cancelled") => {
                out_of_phase("cancel").map(|(status, kind, _)| {
                    (status, kind, vec!["'cancel'".into(), self.phase.to_owned()])
                })
            }
            Step::Cancel(_) => {
                self.phase = "cancelled";
                None
            }
            _ => None,
        }
    }
}

fn any_step() -> impl Strategy<Value = Step> {
    let number = 0_usize..3;
    let sight = prop_oneof![
        3 => Just(Sight::Latest),
        1 => Just(Sight::Stale),
        1 => Just(Sight::WrongHash),
        1 => Just(Sight::Unsaid),
        1 => Just(Sight::Half),
    ];
    let answers = prop_oneof![
        2 => Just(Answers::All),
        1 => prop::collection::vec(0_usize..3, 0..3).prop_map(Answers::Some),
        1 => (0_usize..4).prop_map(Answers::Listed),
        1 => Just(Answers::Wrong),
    ];
    prop_oneof![
        3 => (any::<bool>(), prop::bool::weighted(0.8))
            .prop_map(|(clarify, plan)| Step::Start { clarify, plan }),
        4 => (number.clone(), answers).prop_map(|(number, answers)| Step::Answer(number, answers)),
        4 => (number.clone(), sight.clone(), "[A-C]")
            .prop_map(|(number, sight, title)| Step::Edit(number, sight, title)),
        4 => (number.clone(), sight).prop_map(|(number, sight)| Step::Approve(number, sight)),
        1 => number.clone().prop_map(Step::Reject),
        1 => number.clone().prop_map(Step::Cancel),
        2 => number.prop_map(Step::Get),
        1 => Just(Step::Finish),
        2 => any::<bool>().prop_map(|kill| Step::Restart { kill }),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None, cases: 8, max_shrink_iters: 200, ..ProptestConfig::default()
    })]

    // proves: W1, W3, W7, F8
    #[test]
    fn any_sequence_of_calls_goes_as_the_reference_machine_does(
        steps in prop::collection::vec((any_step(), prop::bool::weighted(0.85)), 40..70),
        first in any::<bool>(),
    ) {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        runtime.block_on(async {
            let mut pair = Pair::up().await;
            pair.take(&Step::Start { clarify: first, plan: true }, true).await;
            for (step, by_owner) in &steps {
                pair.take(step, *by_owner).await;
            }
            for number in 0..pair.all.len() {
                pair.take(&Step::Get(number), true).await;
            }
            pair.take(&Step::Finish, true).await;
            for (number, one) in pair.all.iter().enumerate() {
                let is_done = usize::from(one.phase == "completed");
                prop_assert_eq!(pair.lines(number, "executed"), is_done, "{:?}", one);
                let approved = one.plan_state == "approved" || !one.wants_plan;
                prop_assert!(approved || pair.lines(number, "begun") == 0, "{:?}", one);
            }
            Ok(())
        })?;
    }
}

// proves: W1
#[tokio::test(flavor = "multi_thread")]
async fn a_start_is_of_the_market_method_with_questions_and_a_plan_unless_it_says_otherwise() {
    let set = Set::up().await;
    let start = async |target: &str, body: Value| set.call(POST, target, Some(body)).await;
    let told = start("/api/workflows", json!({ "user_message": "I want to explore AI" })).await;
    assert_eq!(told.status, 201);
    assert_eq!(
        told.body["clarifying_questions"][2],
        json!({ "id": "q3", "question": "Where?", "context": "because of q3" })
    );
    let run = set.get(&format!("/api/runs/{}", told.text("/workflow_id"))).await;
    assert_eq!(
        (&run["method"], &run["question"]),
        (&json!("market"), &json!("I want to explore AI"))
    );
    let told = start(
        "/api/workflows",
        json!({ "user_message": "x", "user_id": "local", "startup": "lex", "clarify": null }),
    )
    .await;
    assert_eq!(
        (told.status, &told.body["startup_context"]["id"], &told.body["phase"]),
        (201, &json!("lex"), &json!("clarify"))
    );
    let body = json!({ "user_message": "2", "method": "steps", "clarify": false, "plan": false });
    let told = start("/api/workflows?wait=60", body).await;
    assert_eq!((told.text("/phase"), told.status), ("completed".to_owned(), 201));
    for (target, body, status, named) in [
        ("/api/workflows", json!({ "question": "x" }), 422, "user_message"),
        ("/api/workflows", json!({ "user_message": "x", "question": "y" }), 422, "question"),
        ("/api/workflows", json!({ "user_message": "x", "hurry": 1 }), 422, "hurry"),
        ("/api/workflows", json!({ "user_message": " " }), 422, "empty"),
        ("/api/workflows", json!({ "user_message": "x", "method": "no" }), 422, "'no'"),
        ("/api/workflows", json!({ "user_message": "x", "user_id": "eve" }), 403, "'eve'"),
        ("/api/workflows?wait=601", json!({ "user_message": "x" }), 422, "600"),
        ("/api/workflows?wait=-1", json!({ "user_message": "x" }), 422, "wait"),
    ] {
        let told = start(target, body.clone()).await;
        assert_eq!(told.status, status, "{body}: {}", told.body);
        assert!(told.text("/detail").contains(named), "{}", told.body);
    }
    assert_eq!(set.get("/api/runs").await["runs"].as_array().unwrap().len(), 3);
}

// proves: W1, W3
#[tokio::test(flavor = "multi_thread")]
async fn an_answer_is_for_a_question_that_is_open_and_for_one_alone() {
    let set = Set::up().await;
    let told = set.call(POST, "/api/workflows", Some(json!({ "user_message": "x" }))).await;
    let id = told.text("/workflow_id");
    let answer = async |answers: Value| {
        let target = format!("/api/workflows/{id}/answer_questions");
        set.call(POST, &target, Some(json!({ "answers": answers }))).await
    };
    for (answers, named) in [
        (json!({ "q9": "x" }), "q1, q2, q3"),
        (json!(["a", "b", "c", "d"]), "'q4'"),
        (json!([{ "id": "q2", "answer": "a" }, "b"]), "'q2'"),
        (json!({ "q1": 1 }), "texts by the id"),
        (json!("firms"), "texts by the id"),
    ] {
        let told = answer(answers).await;
        assert_eq!((told.status, told.kind()), (422, "invalid"), "{}", told.body);
        assert!(told.text("/detail").contains(named), "{}", told.body);
    }
    let told =
        answer(json!([{ "id": "q3", "answer": "Texas" }, null, { "id": "q1", "answer": "Firms" }]))
            .await;
    assert_eq!((told.status, told.text("/phase")), (200, "plan".to_owned()), "{}", told.body);
    assert_eq!(told.body["user_answers"], json!({ "q1": "Firms", "q2": "", "q3": "Texas" }));
    let mut bodies = Vec::new();
    for what in ["answer_questions", "approve_plan", "reject_plan"] {
        let mut body = json!({ "user_id": "eve" });
        if what == "answer_questions" {
            body["answers"] = json!({});
        }
        let target = format!("/api/workflows/{id}/{what}");
        let told = set.call(POST, &target, Some(body)).await;
        assert_eq!((told.status, told.kind()), (403, "forbidden"));
        bodies.push(told.text("/detail"));
    }
    assert!(bodies.iter().all(|detail| detail.contains("'eve'")), "{bodies:?}");
    let target = format!("/api/workflows/{id}/approve_plan");
    let told = set.call(POST, &target, Some(json!({ "gate": "another" }))).await;
    assert_eq!(told.status, 409);
    assert!(told.text("/detail").contains("open: plan"), "{}", told.body);
    assert_eq!(set.get(&format!("/api/workflows/{id}")).await["phase"], "plan");
}

// proves: W1, C11
#[tokio::test(flavor = "multi_thread")]
async fn of_answers_that_come_at_once_those_of_one_person_are_taken_whole() {
    let set = Set::up().await;
    let told = set.call(POST, "/api/workflows", Some(json!({ "user_message": "x" }))).await;
    let target = format!("/api/workflows/{}/answer_questions?wait=0", told.text("/workflow_id"));
    let all = futures::future::join_all((0..20).map(|number| {
        let said = format!("person {number}");
        let body = json!({ "answers": { "q1": said, "q2": said, "q3": said } });
        set.call(POST, &target, Some(body))
    }))
    .await;
    let heard: Vec<&Told> = all.iter().filter(|told| told.status == 200).collect();
    let [heard] = heard.as_slice() else { panic!("{} were heard", heard.len()) };
    let answers = heard.body["user_answers"].as_object().unwrap();
    assert_eq!(answers.len(), 3);
    assert!(answers.values().all(|said| *said == answers["q1"]), "{answers:?}");
    for refused in all.iter().filter(|told| told.status != 200) {
        assert_eq!((refused.status, refused.kind()), (409, "conflict"));
        assert!(refused.text("/detail").contains("'answer_questions'"), "{}", refused.body);
    }
}

// proves: W7
#[tokio::test(flavor = "multi_thread")]
async fn one_key_starts_one_workflow_however_often_it_is_sent() {
    let set = Set::up().await;
    let start = async |message: &str| {
        let request = set.stage.client.post(set.stage.url("/api/workflows"));
        let request =
            request.header("Idempotency-Key", "k").json(&json!({ "user_message": message }));
        set.contract.send(POST, "/api/workflows", request).await
    };
    let all = futures::future::join_all((0..10).map(|_| start("Explore"))).await;
    assert_eq!(all.iter().filter(|told| told.status == 201).count(), 1);
    let mut states: Vec<&Value> = all.iter().map(|told| &told.body).collect();
    states.dedup();
    assert_eq!((states.len(), &states[0]["phase"]), (1, &json!("clarify")));
    assert_eq!(start("Explore").await.status, 200);
    assert_eq!(start("Something else").await.status, 422);
}

// proves: W7
#[tokio::test(flavor = "multi_thread")]
async fn whoever_waits_is_told_when_the_server_stops() {
    let set = Set::up().await;
    set.stage.go(0);
    let body = json!({ "user_message": "x", "clarify": false, "plan": false });
    let told = set.call(POST, "/api/workflows?wait=0", Some(body)).await;
    let target = format!("/api/workflows/{}?wait=120", told.text("/workflow_id"));
    let waiting = tokio::spawn(Told::by(set.stage.client.get(set.stage.url(&target))));
    let told = set.call(GET, "/api/runs", None).await;
    assert_eq!(told.status, 200);
    drop(set.stage.stop().await);
    let told = waiting.await.unwrap();
    assert_eq!((told.status, told.text("/phase")), (200, "execute".to_owned()));
}
