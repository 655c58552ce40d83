//! The Model Context Protocol over HTTP: messages as they go over the wire, from clients with sessions and from those without.

use futures::StreamExt;
use futures::future::join_all;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use reqwest::{RequestBuilder, Response};
use serde_json::{Map, Value, json};

use crate::patience::{PATIENCE, until, within};
use crate::stage::{ALICE, BOB, Stage, Wanted, answer};

const SESSION: &str = "mcp-session-id";
/// A version with sessions, and the first without.
const LEGACY: &str = "2025-06-18";
const MODERN: &str = "2026-07-28";

/// A client of one user, with a session of its own.
struct Client<'a> {
    stage: &'a Stage,
    token: Option<&'static str>,
    session: String,
}

fn message(id: u32, method: &str, params: impl Into<Value>) -> Value {
    let params: Value = params.into();
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
}

fn post(stage: &Stage, token: Option<&str>, body: &Value) -> RequestBuilder {
    let accepted = "application/json, text/event-stream";
    let request = stage.client.post(stage.url("/mcp")).header("accept", accepted).json(body);
    match token {
        Some(token) => request.bearer_auth(token),
        None => request,
    }
}

/// Returns every message of a response.
async fn read_messages(response: Response) -> Vec<Value> {
    let text = within("the response has ended", response.text()).await.unwrap();
    if let Ok(message) = serde_json::from_str(&text) {
        return vec![message];
    }
    let data = text.lines().filter_map(|line| line.strip_prefix("data:"));
    data.filter_map(|data| serde_json::from_str(data).ok()).collect()
}

/// Returns the answer among messages, which is the last.
async fn answered(request: RequestBuilder) -> Value {
    let response = within("there is a response", request.timeout(PATIENCE).send()).await.unwrap();
    let status = response.status();
    let mut messages = read_messages(response).await;
    messages.pop().unwrap_or_else(|| panic!("{status} without a message"))
}

impl<'a> Client<'a> {
    async fn of(stage: &'a Stage, token: Option<&'static str>) -> Client<'a> {
        let hello = json!({
            "protocolVersion": LEGACY, "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}
        });
        let response = post(stage, token, &message(0, "initialize", hello)).send().await.unwrap();
        assert_eq!(response.status(), 200);
        let session = response.headers()[SESSION].to_str().unwrap().to_owned();
        let told = read_messages(response).await.pop().unwrap();
        assert_eq!(told["result"]["protocolVersion"], LEGACY, "{told}");
        assert_eq!(told["result"]["serverInfo"]["name"], "quaestio");
        Client { stage, token, session }
    }

    fn request(&self, body: &Value) -> RequestBuilder {
        post(self.stage, self.token, body)
            .header(SESSION, &self.session)
            .header("mcp-protocol-version", LEGACY)
    }

    async fn ask(&self, method: &str, params: Value) -> Value {
        answered(self.request(&message(1, method, params))).await
    }

    async fn call(&self, tool: &str, arguments: Value) -> Value {
        let told = self.ask("tools/call", json!({"name": tool, "arguments": arguments})).await;
        assert!(told["error"].is_null(), "{told}");
        told["result"].clone()
    }
}

/// A request of a client without sessions, which says in each what it can.
fn modern(stage: &Stage, method: &str, mut params: Value, can: &Value) -> RequestBuilder {
    let name = params["name"].as_str().or(params["taskId"].as_str()).map(str::to_owned);
    let said = json!({
        "io.modelcontextprotocol/protocolVersion": MODERN,
        "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": can,
    });
    for (key, value) in said.as_object().unwrap() {
        params["_meta"][key] = value.clone();
    }
    let request = post(stage, None, &message(1, method, params))
        .header("mcp-protocol-version", MODERN)
        .header("mcp-method", method);
    match name {
        Some(name) => request.header("mcp-name", name),
        None => request,
    }
}

fn forms() -> Value {
    json!({"elicitation": {"form": {}}})
}

fn forms_and_tasks() -> Value {
    json!({"elicitation": {"form": {}}, "extensions": {"io.modelcontextprotocol/tasks": {}}})
}

fn run_of(result: &Value) -> String {
    result["structuredContent"]["run_id"].as_str().unwrap_or_else(|| panic!("{result}")).to_owned()
}

// proves: F4
#[tokio::test(flavor = "multi_thread")]
async fn a_method_is_a_tool_whose_call_returns_the_report() {
    let stage = Stage::open().await;
    let client = Client::of(&stage, None).await;
    let tools = client.ask("tools/list", json!({})).await;
    let tools = tools["result"]["tools"].as_array().unwrap();
    for name in [
        "steps",
        "greet",
        "market",
        "search",
        "passage",
        "run_status",
        "answer",
        "approve",
        "cancel",
    ] {
        assert!(tools.iter().any(|tool| tool["name"] == name), "{name}");
    }
    let result = client.call("steps", json!({"question": "2"})).await;
    let told = &result["structuredContent"];
    assert_eq!((&told["status"], &told["outcome"]), (&json!("completed"), &json!("answered")));
    assert_eq!(result["isError"], false);
    let run = run_of(&result);
    let links: Vec<&Value> = result["content"].as_array().unwrap().iter().skip(1).collect();
    assert_eq!(links[0]["uri"], format!("run://{run}"));
    let read = client.ask("resources/read", json!({"uri": format!("run://{run}")})).await;
    assert_eq!(read["result"]["contents"][0]["text"], told["report"]);
    let list = client.ask("resources/list", json!({})).await;
    assert_eq!(list["result"]["resources"][0]["uri"], format!("run://{run}"));
    let prompts = client.ask("prompts/list", json!({})).await;
    assert!(
        prompts["result"]["prompts"].as_array().unwrap().iter().any(|one| one["name"] == "greet")
    );
    let prompt = json!({"name": "greet", "arguments": {"question": "Who?"}});
    let prompt = client.ask("prompts/get", prompt).await;
    let text = prompt["result"]["messages"][0]["content"]["text"].as_str().unwrap();
    assert!(text.contains("`greet`") && text.contains("Who?"), "{text}");
}

// proves: F4
#[tokio::test(flavor = "multi_thread")]
async fn a_call_that_is_not_waited_for_leaves_a_run_that_can_be_looked_at() {
    let stage = Stage::open().await;
    stage.go(1);
    let client = Client::of(&stage, None).await;
    let result = client.call("steps", json!({"question": "2", "wait_seconds": 0})).await;
    let told = &result["structuredContent"];
    assert!(["queued", "running"].contains(&told["status"].as_str().unwrap()), "{told}");
    assert!(told["next"].as_str().unwrap().contains("run_status"), "{told}");
    let run = run_of(&result);
    stage.go(2);
    let waited = client.call("run_status", json!({"run_id": run, "wait_seconds": 60})).await;
    assert_eq!(waited["structuredContent"]["status"], "completed");
    for wrong in [
        json!({"question": "2", "wait_seconds": 3601}),
        json!({"question": "2", "wait_seconds": "x"}),
        json!({"question": "2", "method": "greet"}),
        json!({"question": 7}),
        json!({"base_url": "http://127.0.0.1"}),
    ] {
        let refused = client.call("steps", wrong.clone()).await;
        assert_eq!(refused["isError"], true, "{wrong}");
        assert!(!refused["content"][0]["text"].as_str().unwrap().is_empty());
    }
    let runs = stage.get("/api/runs").await.1;
    assert_eq!(runs["runs"].as_array().unwrap().len(), 1, "what is refused starts nothing");
}

// proves: F4
#[tokio::test(flavor = "multi_thread")]
async fn what_a_run_asks_is_the_result_of_a_client_that_cannot_ask() {
    let stage = Stage::open().await;
    let client = Client::of(&stage, None).await;
    let asked = client.call("greet", json!({"question": "Hello"})).await;
    let told = &asked["structuredContent"];
    assert_eq!(told["status"], "waiting");
    assert_eq!(told["gates"][0]["question"], "What is your name?");
    assert!(asked["content"][0]["text"].as_str().unwrap().contains("What is your name?"));
    let run = run_of(&asked);
    let next = client.call("answer", json!({"run_id": run, "answer": " Ada "})).await;
    assert_eq!(next["structuredContent"]["gates"][0]["gate"], "town");
    let done =
        client.call("answer", json!({"run_id": run, "gate": "town", "answer": "London"})).await;
    assert_eq!(done["structuredContent"]["status"], "completed");
    let late = client.call("answer", json!({"run_id": run, "answer": "x"})).await;
    assert_eq!(late["isError"], true);

    let proposed = client.call("planned", json!({"question": "Look"})).await;
    let gate = &proposed["structuredContent"]["gates"][0];
    assert_eq!(gate["plan"]["title"], "Look around");
    let run = run_of(&proposed);
    let other = json!({"run_id": run, "revision": 1, "plan_hash": "0".repeat(64)});
    assert_eq!(client.call("approve", other).await["isError"], true);
    let seen = json!({"run_id": run, "revision": gate["revision"], "plan_hash": gate["plan_hash"]});
    let done = client.call("approve", seen).await;
    assert_eq!(done["structuredContent"]["status"], "completed", "{done}");

    let proposed = client.call("planned", json!({"question": "Look"})).await;
    let ended = client.call("cancel", json!({"run_id": run_of(&proposed)})).await;
    assert_eq!(ended["structuredContent"]["status"], "cancelled");
}

// proves: F4
#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_can_ask_is_asked_by_the_result_of_its_call() {
    let stage = Stage::open().await;
    let call = |extra: Value| {
        let mut params = json!({"name": "planned", "arguments": {"question": "Look"}});
        params.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
        modern(&stage, "tools/call", params, &forms())
    };
    let asked = answered(call(json!({}))).await["result"].clone();
    assert_eq!(asked["resultType"], "input_required", "{asked}");
    let requests = asked["inputRequests"].as_object().unwrap();
    let (key, request) = requests.iter().next().unwrap();
    assert!(key.starts_with("plan@1:"), "{key}");
    assert!(request["params"]["message"].as_str().unwrap().contains("Look around"));
    let run = asked["requestState"].as_str().unwrap();

    // Whoever did not see this plan does not approve it.
    let reply = |key: &str, action: &str, content: Value| {
        let reply = json!({"action": action, "content": content});
        json!({"requestState": run, "inputResponses": {key: reply}})
    };
    let approve = json!({"decision": "approve"});
    let stale = format!("plan@1:{}", "0".repeat(64));
    let refused = answered(call(reply(&stale, "accept", approve.clone()))).await;
    assert_eq!(refused["result"]["isError"], true, "{refused}");
    let declined = answered(call(reply(key, "decline", Value::Null))).await;
    assert_eq!(declined["result"]["resultType"], "input_required", "{declined}");
    let done = answered(call(reply(key, "accept", approve))).await;
    assert_eq!(done["result"]["structuredContent"]["status"], "completed", "{done}");
    assert_eq!(done["result"]["structuredContent"]["run_id"], run);
    let runs = stage.get("/api/runs").await.1;
    assert_eq!(runs["runs"].as_array().unwrap().len(), 1, "the same run each time");
}

// proves: F4
#[tokio::test(flavor = "multi_thread")]
async fn a_run_is_a_task_that_outlives_its_server() {
    let stage = Stage::open().await;
    let params = json!({"name": "greet", "arguments": {"question": "Hello"}});
    let task = answered(modern(&stage, "tools/call", params, &forms_and_tasks())).await;
    let run = task["result"]["taskId"].as_str().unwrap_or_else(|| panic!("{task}")).to_owned();
    assert_eq!(task["result"]["resultType"], "task");
    stage.until_status(&run, "waiting").await;
    let stage = Stage::over(stage.kill().await, Wanted::default()).await;
    let at = |method: &'static str, mut params: Value| {
        params["taskId"] = run.clone().into();
        modern(&stage, method, params, &forms_and_tasks())
    };
    for (gate, said) in [("name", "Ada"), ("town", "London")] {
        let asked = until("the task asks", async || {
            let told = answered(at("tasks/get", json!({}))).await["result"].clone();
            if told["inputRequests"][gate].is_object() { Ok(told) } else { Err(told) }
        })
        .await;
        assert_eq!(asked["status"], "input_required");
        let reply = json!({"action": "accept", "content": {"answer": said}});
        let taken = answered(at("tasks/update", json!({"inputResponses": {gate: reply}}))).await;
        assert!(taken["error"].is_null(), "{taken}");
    }
    let done = until("the task is done", async || {
        let told = answered(at("tasks/get", json!({}))).await["result"].clone();
        if told["status"] == "completed" { Ok(told) } else { Err(told) }
    })
    .await;
    assert_eq!(done["result"]["structuredContent"]["run_id"], run);

    let params = json!({"name": "planned", "arguments": {"question": "Look"}});
    let task = answered(modern(&stage, "tools/call", params, &forms_and_tasks())).await;
    let run = task["result"]["taskId"].as_str().unwrap();
    let cancel = modern(&stage, "tasks/cancel", json!({"taskId": run}), &forms_and_tasks());
    assert!(answered(cancel).await["error"].is_null());
    stage.until_status(run, "cancelled").await;
    let without = modern(&stage, "tasks/get", json!({"taskId": run}), &forms());
    assert_eq!(
        answered(without).await["error"]["code"],
        -32021,
        "it has not said that it knows tasks"
    );
}

// proves: F4
#[tokio::test(flavor = "multi_thread")]
async fn cancelling_a_call_cancels_its_run_and_a_lost_connection_only_where_the_protocol_says_so() {
    let stage = Stage::open().await;
    stage.go(0);
    let running = async |text: &str| {
        until("the run runs", async || {
            let runs = stage.get("/api/runs").await.1;
            let found = runs["runs"].as_array().unwrap().iter().find(|run| run["question"] == text);
            let found = found.filter(|run| run["status"] == "running");
            found.map(|run| run["run_id"].as_str().unwrap().to_owned()).ok_or(runs.clone())
        })
        .await
    };
    let call = |question: &str| json!({"name": "steps", "arguments": {"question": question, "wait_seconds": 600}});
    let client = Client::of(&stage, None).await;
    let sent = tokio::spawn(client.request(&message(7, "tools/call", call("1"))).send());
    let run = running("1").await;
    let note = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 7, "reason": "enough"}});
    assert_eq!(client.request(&note).send().await.unwrap().status(), 202);
    stage.until_status(&run, "cancelled").await;
    drop(sent);

    let sent = tokio::spawn(client.request(&message(8, "tools/call", call("2"))).send());
    let kept = running("2").await;
    sent.abort();
    let _ = sent.await;
    let sent = tokio::spawn(modern(&stage, "tools/call", call("3"), &json!({})).send());
    let run = running("3").await;
    sent.abort();
    let _ = sent.await;
    stage.until_status(&run, "cancelled").await;
    assert_eq!(stage.get(&format!("/api/runs/{kept}")).await.1["status"], "running");

    // Whoever only looks leaves it alone.
    let streams = async |wanted: u32| {
        until(&format!("{wanted} streams are open"), async || {
            let text = stage.client.get(stage.url("/metrics")).send().await.unwrap();
            let text = text.text().await.unwrap();
            let line = text.lines().find(|line| line.starts_with("quaestio_streams "));
            match line.and_then(|line| line.rsplit(' ').next()?.parse::<u32>().ok()) {
                Some(open) if open == wanted => Ok(()),
                other => Err(other),
            }
        })
        .await;
    };
    streams(0).await;
    let look = json!({"name": "run_status", "arguments": {"run_id": kept, "wait_seconds": 600}});
    let state = json!({"name": "steps", "arguments": {"question": "2"}, "requestState": kept});
    for mut params in [look, state] {
        // An answer begins with its first message, and progress is one.
        params["_meta"] = json!({"progressToken": "p"});
        let request = modern(&stage, "tools/call", params, &json!({}));
        let sent = tokio::spawn(async move {
            let response = request.send().await.unwrap();
            std::future::pending::<()>().await;
            drop(response);
        });
        streams(1).await;
        sent.abort();
        let _ = sent.await;
        streams(0).await;
        assert_eq!(stage.get(&format!("/api/runs/{kept}")).await.1["status"], "running");
    }
}

// proves: F4
#[tokio::test(flavor = "multi_thread")]
async fn progress_is_told_to_who_wants_it() {
    let stage = Stage::open().await;
    let client = Client::of(&stage, None).await;
    let call =
        json!({"name": "steps", "arguments": {"question": "2"}, "_meta": {"progressToken": "p"}});
    let response = client.request(&message(3, "tools/call", call)).send().await.unwrap();
    let told = read_messages(response).await;
    let progress: Vec<&Value> =
        told.iter().filter(|one| one["method"] == "notifications/progress").collect();
    let said: Vec<&str> =
        progress.iter().filter_map(|one| one["params"]["message"].as_str()).collect();
    assert!(said.contains(&"step 2 of 2 is done"), "{said:?}");
    let numbers: Vec<f64> =
        progress.iter().filter_map(|one| one["params"]["progress"].as_f64()).collect();
    assert!(numbers.is_sorted_by(|one, next| one < next), "{numbers:?}");
    assert_eq!(told.last().unwrap()["id"], 3);
}

// proves: F4, F8
#[tokio::test(flavor = "multi_thread")]
async fn nobody_sees_the_runs_or_the_session_of_another_user() {
    let stage = Stage::with(Wanted::with_users()).await;
    let hello = message(0, "initialize", json!({}));
    assert_eq!(post(&stage, None, &hello).send().await.unwrap().status(), 401);
    assert_eq!(
        post(&stage, Some("wrong-token-0123456789"), &hello).send().await.unwrap().status(),
        401
    );
    let foreign = post(&stage, Some(ALICE), &hello).header("host", "evil.example");
    assert_eq!(foreign.send().await.unwrap().status(), 403);
    let foreign = post(&stage, Some(ALICE), &hello).header("origin", "http://evil.example");
    assert_eq!(foreign.send().await.unwrap().status(), 403);

    let alice = Client::of(&stage, Some(ALICE)).await;
    let bob = Client::of(&stage, Some(BOB)).await;
    let run = run_of(&alice.call("greet", json!({"question": "Hello"})).await);
    for (tool, arguments) in [
        ("run_status", json!({"run_id": run})),
        ("answer", json!({"run_id": run, "answer": "Bob"})),
        ("cancel", json!({"run_id": run})),
        ("passage", json!({"run_id": run, "mark": 1})),
    ] {
        let refused = bob.call(tool, arguments).await;
        assert_eq!(refused["isError"], true, "{tool}");
        assert!(
            refused["content"][0]["text"].as_str().unwrap().contains("there is no run"),
            "{refused}"
        );
    }
    let read = bob.ask("resources/read", json!({"uri": format!("run://{run}")})).await;
    assert_eq!(read["error"]["code"], -32002, "{read}");
    assert_eq!(bob.ask("resources/list", json!({})).await["result"]["resources"], json!([]));
    let stolen = Client { stage: &stage, token: Some(BOB), session: alice.session.clone() };
    let (status, _) = answer(stolen.request(&message(1, "tools/list", json!({})))).await;
    assert_eq!(status, 404);
    let told = alice.call("run_status", json!({"run_id": run})).await;
    assert_eq!(told["structuredContent"]["status"], "waiting");
}

// proves: F4
#[tokio::test(flavor = "multi_thread")]
async fn a_user_has_so_many_sessions_and_the_oldest_makes_room() {
    let stage = Stage::open().await;
    let first = Client::of(&stage, None).await;
    for _ in 0..64 {
        Client::of(&stage, None).await;
    }
    let (status, _) = answer(first.request(&message(1, "tools/list", json!({})))).await;
    assert_eq!(status, 404);
    let last = Client::of(&stage, None).await;
    let ended = stage.client.delete(stage.url("/mcp")).header(SESSION, &last.session);
    assert!(ended.send().await.unwrap().status().is_success());
    let (status, _) = answer(last.request(&message(1, "tools/list", json!({})))).await;
    assert_eq!(status, 404);
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(|number| json!(number)),
        "\\PC{0,12}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map("[a-z_]{1,8}", inner, 0..4)
                .prop_map(|fields| Value::Object(fields.into_iter().collect::<Map<_, _>>())),
        ]
    })
}

/// Messages that are none, or not what their method takes.
pub(crate) fn malformed() -> impl Strategy<Value = Vec<u8>> {
    let methods = prop::sample::select(vec![
        "initialize",
        "ping",
        "tools/call",
        "tools/list",
        "resources/read",
        "prompts/get",
        "tasks/get",
        "tasks/update",
        "completion/complete",
        "no/such",
        "",
        "notifications/cancelled",
    ]);
    let wrong = (methods, any_json(), any_json(), any::<bool>()).prop_map(
        |(method, params, id, is_named)| {
            let mut message = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
            if is_named {
                message["params"] = json!({"name": "steps", "arguments": params, "uri": "run://x", "taskId": params});
            }
            message.to_string().into_bytes()
        },
    );
    let cut = (any_json(), 0..40_usize).prop_map(|(value, at)| {
        let text = message(1, "tools/call", value).to_string().into_bytes();
        text[..text.len().saturating_sub(at + 1)].to_vec()
    });
    let noise = prop::collection::vec(any::<u8>(), 0..80);
    prop_oneof![4 => wrong, 2 => cut, 1 => noise, 1 => any_json().prop_map(|value| value.to_string().into_bytes())]
}

// proves: F4
#[tokio::test(flavor = "multi_thread")]
async fn a_thousand_malformed_messages_are_answered_by_errors_that_fit_and_break_nothing() {
    let stage = Stage::open().await;
    stage.go(0);
    let client = Client::of(&stage, None).await;
    let mut runner = TestRunner::deterministic();
    let many: Vec<Vec<u8>> =
        (0..1_000).map(|_| malformed().new_tree(&mut runner).unwrap().current()).collect();
    let mut codes = std::collections::BTreeSet::new();
    for some in many.chunks(50) {
        let sent = some.iter().map(async |bytes| {
            let request = client.request(&Value::Null).body(bytes.clone()).timeout(PATIENCE);
            let response = request.send().await.unwrap();
            assert!(response.status().as_u16() < 500, "{}", String::from_utf8_lossy(bytes));
            // A stream may stay open for a call that waits; its first message will do.
            let mut text = String::new();
            let mut stream = response.bytes_stream();
            while let Some(Ok(piece)) = stream.next().await {
                text.push_str(&String::from_utf8_lossy(&piece));
                if text.contains("\"jsonrpc\"") && text.ends_with('\n') {
                    break;
                }
            }
            let data = text.lines().filter_map(|line| line.strip_prefix("data:")).chain([&*text]);
            data.filter_map(|data| serde_json::from_str::<Value>(data).ok()).next_back()
        });
        for told in join_all(sent).await.into_iter().flatten() {
            if let Some(code) = told["error"]["code"].as_i64() {
                codes.insert(code);
            }
        }
    }
    let known = [-32700, -32600, -32601, -32602, -32002, -32021, -32022];
    assert!(codes.iter().all(|code| known.contains(code)), "{codes:?}");
    for usual in [-32700, -32600, -32601, -32602] {
        assert!(codes.contains(&usual), "{usual} of {codes:?}");
    }
    stage.go(u32::MAX);
    let result = client.call("steps", json!({"question": "1"})).await;
    assert_eq!(result["structuredContent"]["status"], "completed");
}
