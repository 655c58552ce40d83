//! Runs that wait for a person, in a conversation.

use run::plan::Plan;
use serde_json::{Value, json};

use super::{body, chat, content, list_runs};
use crate::patience::within;
use crate::stage::{Stage, answer, plan};

/// A conversation, as a front end keeps it.
struct Talk<'a> {
    stage: &'a Stage,
    model: &'a str,
    messages: Vec<Value>,
}

impl Talk<'_> {
    async fn say(&mut self, text: &str) -> String {
        self.messages.push(json!({ "role": "user", "content": text }));
        let body = json!({ "model": self.model, "messages": self.messages });
        let said = content(&chat(self.stage, &body).await).to_owned();
        self.messages.push(json!({ "role": "assistant", "content": said }));
        said
    }
}

// proves: F4, W1
#[tokio::test]
async fn a_run_that_waits_asks_in_the_chat_and_the_next_message_answers_it() {
    let stage = Stage::open().await;
    let mut talk = Talk { stage: &stage, model: "quaestio/greet", messages: vec![] };
    let asked = talk.say("Hello").await;
    assert!(
        asked.contains("What is your name?") && asked.contains("waits for your answer ("),
        "{asked}"
    );
    let asked = talk.say("Ada").await;
    assert!(asked.contains("Where do you live?"), "{asked}");
    let told = talk.say("London").await;
    assert!(told.contains("Hello, Ada of London!"), "{told}");
    assert_eq!(list_runs(&stage).await.len(), 1);
    // Sent again, as on a click on "regenerate", nothing is answered twice and nothing new is started.
    talk.messages.truncate(4);
    let told = talk.say("Paris").await;
    assert!(told.contains("Hello, Ada of London!"), "{told}");
    assert_eq!(list_runs(&stage).await.len(), 1);
    // A conversation goes on with a run of its own.
    talk.say("And you?").await;
    assert_eq!(list_runs(&stage).await.len(), 2);

    let mut all = Talk { stage: &stage, model: "quaestio/market", messages: vec![] };
    let body = json!({ "model": "quaestio/market", "quaestio": { "clarify": true },
        "messages": [{ "role": "user", "content": "Tea" }] });
    let asked = content(&chat(&stage, &body).await).to_owned();
    assert!(asked.contains("1. **Who buys?** because of q1"), "{asked}");
    all.messages =
        vec![body["messages"][0].clone(), json!({ "role": "assistant", "content": asked })];
    let asked = all.say("1. Law firms\n3: Texas").await;
    assert!(asked.contains("What?") && !asked.contains("Where?"), "{asked}");
    let told = all.say("skip").await;
    assert!(told.contains("Law firms /  / Texas"), "{told}");
}

// proves: F4, W3
#[tokio::test]
async fn a_plan_is_shown_edited_approved_and_rejected_in_words() {
    let stage = Stage::open().await;
    let mut talk = Talk { stage: &stage, model: "quaestio/planned", messages: vec![] };
    let asked = talk.say("Look").await;
    assert!(asked.contains("Look around") && asked.contains("approval of revision 1 ("), "{asked}");
    let asked = talk.say("Hm, what is that?").await;
    assert!(asked.contains("nothing was done") && asked.contains("Look around"), "{asked}");
    let mut edited = serde_json::to_value(plan()).unwrap();
    edited["title"] = "Look twice".into();
    let asked = talk.say(&format!("```json\n{edited}\n```")).await;
    assert!(asked.contains("Look twice") && asked.contains("approval of revision 2 ("), "{asked}");
    edited["steps"] = json!([]);
    let asked = talk.say(&edited.to_string()).await;
    assert!(
        asked.contains("That plan is not valid") && asked.contains("approval of revision 2 ("),
        "{asked}"
    );
    // What was shown before the edit cannot be approved any more.
    let late = Talk { messages: talk.messages[..4].to_vec(), ..Talk { stage: &stage, ..talk } };
    let mut late = Talk { model: "quaestio/planned", ..late };
    let whole = late.messages.clone();
    let asked = late.say("approve").await;
    assert!(
        asked.contains("changed in the meantime") && asked.contains("approval of revision 2 ("),
        "{asked}"
    );
    let told = late.say("Approve.").await;
    assert!(told.contains("did: Look twice"), "{told}");
    assert_eq!(whole.len(), 4);

    let mut other = Talk { stage: &stage, model: "planned", messages: vec![] };
    other.say("Look").await;
    let told = other.say("Reject: too dear").await;
    assert!(told.contains("cancelled"), "{told}");
    let mut other = Talk { stage: &stage, model: "greet", messages: vec![] };
    other.say("Hello").await;
    let told = other.say("cancel").await;
    assert!(told.contains("cancelled"), "{told}");
}

/// Returns the body of a conversation whose answer `asked`, and to which the user says `text`.
fn reply(model: &str, asked: &str, text: &str) -> Value {
    json!({ "model": model, "messages": [
        { "role": "user", "content": "Tea" }, { "role": "assistant", "content": asked },
        { "role": "user", "content": text },
    ]})
}

async fn read_state(stage: &Stage, run: &str) -> Value {
    stage.get(&format!("/api/runs/{run}")).await.1
}

fn run_of(completion: &Value) -> String {
    completion["quaestio"]["run_id"].as_str().unwrap().to_owned()
}

/// Edits the plan that a run proposes, as another client does.
async fn edit_elsewhere(stage: &Stage, run: &str, title: &str) {
    let gate = read_state(stage, run).await["gates"][0].clone();
    let plan = Plan { title: title.into(), ..plan() };
    let edited =
        json!({ "plan": plan, "revision": gate["revision"], "plan_hash": gate["plan_hash"] });
    let target = stage.url(&format!("/api/runs/{run}/plan"));
    let (status, told) = answer(stage.client.put(target).json(&edited)).await;
    assert_eq!(status, 200, "{told}");
}

// proves: F4, W1, W3, C11
#[tokio::test]
async fn a_message_that_is_sent_again_answers_once_and_approves_nothing_unseen() {
    let stage = Stage::open().await;
    for format in ["text", "json_object"] {
        let mut first = body("quaestio/market", "Tea");
        first["quaestio"] = json!({ "clarify": true, "plan": true });
        first["response_format"] = json!({ "type": format });
        let asked = chat(&stage, &first).await;
        let run = run_of(&asked);
        let mut again = reply("quaestio/market", content(&asked), "yes");
        again["response_format"] = first["response_format"].clone();
        for _ in 0..4 {
            let told = chat(&stage, &again).await;
            assert_eq!(
                (run_of(&told), &told["quaestio"]["status"]),
                (run.clone(), &"waiting".into())
            );
            let state = read_state(&stage, &run).await;
            let open: Vec<&str> = state["gates"]
                .as_array()
                .unwrap()
                .iter()
                .map(|gate| gate["gate"].as_str().unwrap())
                .collect();
            assert_eq!(open, ["q2", "q3"]);
            assert!(!content(&told).contains("in the meantime"), "{told}");
        }
        // Something else in the same place is not for the next question.
        let mut other = again.clone();
        other["messages"][2]["content"] = "Law firms".into();
        let told = chat(&stage, &other).await;
        assert!(content(&told).contains("changed in the meantime"), "{told}");
        assert_eq!(read_state(&stage, &run).await["gates"].as_array().unwrap().len(), 2);
    }
    assert_eq!(list_runs(&stage).await.len(), 2);
}

// proves: F4, W1, W3, C11
#[tokio::test]
async fn a_response_is_answered_once_and_its_plan_approved_as_shown() {
    let stage = Stage::open().await;
    let say = async |model: &str, text: &str, previous: Option<&str>| {
        let body = json!({ "model": model, "input": text, "previous_response_id": previous });
        let (status, response) = stage.post("/v1/responses", body).await;
        assert_eq!(status, 200, "{response}");
        (response["id"].as_str().unwrap().to_owned(), response)
    };
    let (first, _) = say("greet", "Hello", None).await;
    let mut ids = vec![];
    for _ in 0..4 {
        let (id, told) = say("greet", "Ada", Some(&first)).await;
        assert!(told["output"].to_string().contains("Where do you live?"), "{told}");
        assert!(!told["output"].to_string().contains("in the meantime"), "{told}");
        assert_ne!(id, first);
        ids.push(id);
    }
    let (_, told) = say("greet", "Grace", Some(&first)).await;
    assert!(told["output"].to_string().contains("changed in the meantime"), "{told}");
    let (last, told) = say("greet", "London", Some(&ids[3])).await;
    assert!(told["output"].to_string().contains("Hello, Ada of London!"), "{told}");
    // What was looked at after an answer is named as what it shows.
    let (_, looked) = stage.get(&format!("/v1/responses/{first}")).await;
    assert_eq!(looked["status"], "completed");
    assert_ne!(looked["id"], first.as_str());
    let (status, _) = stage.get(&format!("/v1/responses/{last}")).await;
    assert_eq!(status, 200);
    for wrong in [format!("{first}.999"), format!("{first}."), format!("{first}.+1")] {
        assert_eq!(stage.get(&format!("/v1/responses/{wrong}")).await.0, 404, "{wrong}");
    }
    assert_eq!(list_runs(&stage).await.len(), 1);

    let (shown, _) = say("planned", "Look", None).await;
    let run = shown.strip_prefix("resp_").unwrap().to_owned();
    edit_elsewhere(&stage, &run, "Something else").await;
    let (now, told) = say("planned", "approve", Some(&shown)).await;
    let text = told["output"].to_string();
    assert!(text.contains("changed in the meantime") && text.contains("Something else"), "{told}");
    assert_eq!(read_state(&stage, &run).await["status"], "waiting");
    for _ in 0..2 {
        let (_, told) = say("planned", "approve", Some(&now)).await;
        assert!(told["output"].to_string().contains("did: Something else"), "{told}");
    }
    assert_eq!(list_runs(&stage).await.len(), 2);
}

// proves: F4, W3
#[tokio::test]
async fn a_plan_that_was_changed_elsewhere_is_neither_approved_nor_rejected_nor_edited() {
    let stage = Stage::open().await;
    let edited = serde_json::to_string(&plan()).unwrap();
    for format in ["text", "json_object"] {
        for said in ["approve", "yes", "reject: too dear", "cancel", &edited] {
            let mut first = body("planned", "Look");
            first["response_format"] = json!({ "type": format });
            let asked = chat(&stage, &first).await;
            let run = run_of(&asked);
            edit_elsewhere(&stage, &run, "Something else").await;
            let mut late = reply("planned", content(&asked), said);
            late["response_format"] = first["response_format"].clone();
            let told = chat(&stage, &late).await;
            assert!(content(&told).contains("changed in the meantime"), "{told}");
            let state = read_state(&stage, &run).await;
            assert_eq!(
                (&state["status"], &state["gates"][0]["revision"]),
                (&"waiting".into(), &2.into())
            );
            let mut next = reply("planned", content(&told), "approve");
            next["response_format"] = first["response_format"].clone();
            let told = chat(&stage, &next).await;
            assert!(content(&told).contains("did: Something else"), "{told}");
        }
    }
}

// proves: F4
#[tokio::test]
async fn an_answer_is_found_behind_empty_messages_and_before_a_clients_remarks() {
    let stage = Stage::open().await;
    let asked = chat(&stage, &body("greet", "Hello")).await;
    let (run, text) = (run_of(&asked), content(&asked));
    let silent = json!({ "model": "greet", "messages": [
        { "role": "user", "content": "Hello" }, { "role": "assistant", "content": text },
        { "role": "assistant", "content": null, "tool_calls": [] }, { "role": "user", "content": "Ada" },
    ]});
    let told = chat(&stage, &silent).await;
    assert_eq!(run_of(&told), run);
    assert!(content(&told).contains("Where do you live?"), "{told}");
    let remarked = format!("{}\n\n[Stopped]", content(&told));
    let told = chat(&stage, &reply("greet", &remarked, "London")).await;
    assert!(content(&told).contains("Hello, Ada of London!"), "{told}");
    assert_eq!(list_runs(&stage).await.len(), 1);
}

// proves: F4, F8
#[tokio::test]
async fn a_word_to_no_run_and_a_wrong_order_start_and_answer_nothing() {
    let stage = Stage::open().await;
    let gone = "Run `20260101-gone` waits for your approval of revision 1 (4).";
    for wanted in [
        body("planned", "approve"),
        body("planned", "Cancel."),
        body("planned", "skip"),
        body("planned", "reject: too dear"),
        reply("planned", "No marker here.", "Approve!"),
        reply("planned", gone, "approve"),
        reply("planned", gone, "yes"),
    ] {
        let (status, error) = stage.post("/v1/chat/completions", wanted.clone()).await;
        assert_eq!(
            (status, &error["error"]["code"]),
            (400, &"nothing_waits".into()),
            "{wanted}: {error}"
        );
    }
    let (status, error) =
        stage.post("/v1/responses", json!({ "model": "planned", "input": "approve" })).await;
    assert_eq!((status, &error["error"]["code"]), (400, &"nothing_waits".into()), "{error}");
    assert!(list_runs(&stage).await.is_empty());

    let asked = chat(&stage, &body("planned", "Look")).await;
    let mut wrong = reply("planned", content(&asked), "approve");
    wrong["quaestio"] = json!({ "budget": { "max_cost_usd": "nonsense" } });
    let (status, error) = stage.post("/v1/chat/completions", wrong).await;
    assert_eq!((status, &error["error"]["param"]), (400, &"quaestio".into()), "{error}");
    assert_eq!(read_state(&stage, &run_of(&asked)).await["status"], "waiting");
}

/// Sends a request, reads its stream until something is told of the run, and closes the connection.
async fn look_and_close(stage: &Stage, mut wanted: Value, key: Option<&str>) -> String {
    wanted["stream"] = true.into();
    let request = stage.client.post(stage.url("/v1/chat/completions")).json(&wanted);
    let request = key.iter().fold(request, |request, key| request.header("idempotency-key", *key));
    let mut response = request.send().await.unwrap();
    assert_eq!(response.status(), 200);
    let run = response.headers()["x-run-id"].to_str().unwrap().to_owned();
    within("a piece is there", response.chunk()).await.unwrap();
    run
}

/// Stops another run: whatever stops a run when a connection is closed is heard by then.
async fn stop_another(stage: &Stage) {
    let other = stage.start("steps", "3").await;
    stage.post(&format!("/api/runs/{other}/cancel"), Value::Null).await;
    stage.until_status(&other, "cancelled").await;
}

// proves: F4, R6
#[tokio::test]
async fn a_connection_that_gave_a_run_nothing_stops_nothing_when_it_is_closed() {
    let stage = Stage::open().await;
    // A look through an old marker.
    stage.go(1);
    let run = stage.start("steps", "3").await;
    stage.until_step(&run, 2).await;
    let old = format!("Run `{run}` waits for your answer (1).");
    assert_eq!(look_and_close(&stage, reply("steps", &old, "hello"), None).await, run);
    stop_another(&stage).await;
    assert_eq!(read_state(&stage, &run).await["status"], "running");
    stage.go(9);
    stage.until_status(&run, "completed").await;

    // An answer that is sent again.
    stage.go(0);
    let mut first = body("market", "Tea");
    first["quaestio"] = json!({ "plan": true });
    let asked = chat(&stage, &first).await;
    let run = run_of(&asked);
    let again = reply("market", content(&asked), "approve");
    let mut kept = again.clone();
    kept["quaestio"] = json!({ "detach": true });
    assert_eq!(look_and_close(&stage, kept, None).await, run);
    stage.until_status(&run, "running").await;
    assert_eq!(look_and_close(&stage, again, None).await, run);
    stop_another(&stage).await;
    assert_eq!(read_state(&stage, &run).await["status"], "running");
    stage.go(9);
    stage.until_status(&run, "completed").await;

    // A request that is sent again when its connection broke.
    stage.go(0);
    let wanted = body("steps", "2");
    let run = look_and_close(&stage, wanted.clone(), Some("once")).await;
    stage.until_step(&run, 1).await;
    stop_another(&stage).await;
    assert_eq!(read_state(&stage, &run).await["status"], "running");
    stage.go(9);
    let target = stage.url("/v1/chat/completions");
    let request = stage.client.post(target).json(&wanted).header("idempotency-key", "once");
    let (status, told) = answer(request).await;
    assert_eq!((status, run_of(&told)), (200, run));
    assert_eq!(told["quaestio"]["status"], "completed");

    // Whoever has answered stops what goes on by it.
    stage.go(0);
    let asked = chat(&stage, &first).await;
    let run = look_and_close(&stage, reply("market", content(&asked), "approve"), None).await;
    stage.until_status(&run, "cancelled").await;
}
