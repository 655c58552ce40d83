//! `quaestio serve`: the program itself behind its HTTP server.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use fakes::{FakeModel, Say};
use serde_json::{Value, json};

use crate::stand::{QUESTION, Stand, examples, honest};

/// A server on a data folder, gone when it is dropped.
pub(crate) struct Served {
    child: Child,
    address: String,
}

impl Served {
    pub(crate) fn on(stand: &Stand, args: &[&str]) -> Served {
        let mut all = vec!["serve", "--listen", "127.0.0.1:0"];
        all.extend(args);
        let mut child = stand.command(&all).stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim().rsplit('/').next().unwrap().to_owned();
        Served { child, address }
    }

    /// Returns where it listens, as `host:port`.
    pub(crate) fn address(&self) -> &str {
        &self.address
    }

    /// Sends a request; returns its status and the stream behind its headers.
    pub(crate) fn send(
        &self,
        head: &str,
        media_type: &str,
        body: &[u8],
    ) -> (u16, BufReader<TcpStream>) {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let told = format!(
            "{head} HTTP/1.1\r\nhost: {}\r\nconnection: close\r\ncontent-type: {media_type}\r\ncontent-length: {}\r\n\r\n",
            self.address,
            body.len()
        );
        stream.write_all(told.as_bytes()).unwrap();
        stream.write_all(body).unwrap();
        let mut stream = BufReader::new(stream);
        let mut status = String::new();
        stream.read_line(&mut status).unwrap();
        let status = status.split(' ').nth(1).unwrap().parse().unwrap();
        let mut line = String::new();
        while line != "\r\n" {
            line.clear();
            assert!(stream.read_line(&mut line).unwrap() > 0, "the headers have no end");
        }
        (status, stream)
    }

    pub(crate) fn text(&self, head: &str, media_type: &str, body: &[u8]) -> (u16, String) {
        let (status, mut stream) = self.send(head, media_type, body);
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        (status, text)
    }

    /// Returns what the system says of the server's memory, in bytes: `VmRSS:` for what it has, `VmHWM:` for the most it had.
    #[cfg(target_os = "linux")]
    pub(crate) fn memory(&self, figure: &str) -> usize {
        let told = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let line = told.lines().find_map(|line| line.strip_prefix(figure)).unwrap();
        line.trim().trim_end_matches(" kB").parse::<usize>().unwrap() * 1024
    }

    pub(crate) fn get(&self, path: &str) -> Value {
        let (status, text) = self.text(&format!("GET {path}"), "text/plain", b"");
        assert_eq!(status, 200, "{path}: {text}");
        serde_json::from_str(&text).unwrap()
    }

    pub(crate) fn post(&self, path: &str, body: &Value) -> (u16, Value) {
        let body = body.to_string();
        let (status, text) =
            self.text(&format!("POST {path}"), "application/json", body.as_bytes());
        (status, serde_json::from_str(&text).unwrap_or(Value::String(text)))
    }

    pub(crate) fn patch(&self, path: &str, body: &Value) -> (u16, Value) {
        let body = body.to_string();
        let (status, text) =
            self.text(&format!("PATCH {path}"), "application/json", body.as_bytes());
        (status, serde_json::from_str(&text).unwrap_or(Value::String(text)))
    }

    /// Reads a run's stream to its end.
    pub(crate) fn follow(&self, run: &str) {
        let (status, stream) = self.send(&format!("GET /api/runs/{run}/events"), "text/plain", b"");
        assert_eq!(status, 200);
        let ended = stream.lines().map(Result::unwrap).any(|line| line.starts_with("event: end"));
        assert!(ended, "the stream of {run} has no end");
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

// proves: F2, A6, S1
#[test]
fn a_question_over_an_uploaded_file_is_answered_with_marks_that_lead_to_its_spans() {
    let stand = Stand::new();
    let served = Served::on(&stand, &["--quiet"]);
    let file = std::fs::read(examples().join("history/broad-street-outbreak-1854.md")).unwrap();
    let (status, told) = served.text(
        "POST /api/collections/notes/documents?name=..%2F..%2Foutbreak.md",
        "application/octet-stream",
        &file,
    );
    assert_eq!(status, 201, "{told}");
    let uploaded: Value = serde_json::from_str(&told).unwrap();
    assert_eq!(uploaded["document"]["path"], "outbreak.md");
    let document = uploaded["document"]["document_id"].as_str().unwrap();

    let order = json!({"method": "ask", "question": QUESTION, "collection": "notes"});
    let (status, run) = served.post("/api/runs", &order);
    assert_eq!(status, 201, "{run}");
    let run = run["run_id"].as_str().unwrap();
    served.follow(run);
    let report = served.get(&format!("/api/runs/{run}/report"));
    let html = report["html"].as_str().unwrap();
    assert!(
        html.contains(&format!("class=\"cite\" href=\"#/documents/{document}?start=")),
        "{html}"
    );
    let text = String::from_utf8(file).unwrap();
    let result = served.get(&format!("/api/runs/{run}/result"));
    for citation in result["citations"].as_array().unwrap() {
        let at = |key: &str| citation[key].as_u64().unwrap() as usize;
        assert_eq!(text.get(at("start")..at("end")), citation["quote"].as_str());
    }

    // The command line prints what the server exports, while it serves.
    let (status, exported) =
        served.text(&format!("GET /api/runs/{run}/export?format=json"), "text/plain", b"");
    let exported_result = stand.run(&["runs", "export", run]).out;
    assert_eq!((status, exported.as_str()), (200, exported_result.as_str()));
    // What upload and run left behind lies where it belongs.
    let mut left: Vec<String> = std::fs::read_dir(stand.data())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    left.retain(|name| !name.starts_with("quaestio.db") && !name.contains("owner"));
    left.sort();
    assert!(left.iter().all(|name| ["uploads", "cache"].contains(&&**name)), "{left:?}");
    // Files of a run that a server worked on are made when they are asked for.
    let artifacts = stand.run(&["runs", "artifacts", run]);
    assert_eq!(artifacts.code, 0, "{artifacts:?}");
    let answer = std::path::Path::new(artifacts.out.trim()).join("result.json");
    assert_eq!(std::fs::read_to_string(answer).unwrap(), exported_result);
    // A folder of the server's own, empty, and the lock that says that it lives.
    for entry in std::fs::read_dir(stand.path("data/uploads")).unwrap() {
        let path = entry.unwrap().path();
        let is_lock = path.extension().is_some_and(|ending| ending == "lock");
        assert!(is_lock || std::fs::read_dir(&path).unwrap().next().is_none(), "{path:?}");
    }
}

// proves: F3
#[test]
fn every_example_runs_at_once_on_material_of_the_program() {
    let stand = Stand::new();
    let served = Served::on(&stand, &["--quiet", "--no-network"]);
    let list = served.get("/api/examples");
    let names = ["pump", "bus", "contracts"];
    for (example, name) in list["examples"].as_array().unwrap().iter().zip(names) {
        assert_eq!(example["name"], name);
        let (status, taken) = served.post("/api/examples", &json!({ "name": name }));
        assert_eq!((status, &taken), (201, example));
        let (status, taken) = served.post("/api/examples", &json!({ "name": name }));
        assert_eq!((status, &taken), (200, example), "it is there already");
        let (status, run) = served.post("/api/runs", &example["order"]);
        assert_eq!(status, 201, "{run}");
        let run = run["run_id"].as_str().unwrap();
        // A market analysis shows its plan first.
        if name == "contracts" {
            let (_, stream) =
                served.send(&format!("GET /api/runs/{run}/events"), "text/plain", b"");
            assert!(stream.lines().map(Result::unwrap).any(|line| line.contains("\"asked\"")));
            let state = served.get(&format!("/api/runs/{run}"));
            assert_eq!(state["gates"][0]["gate"], "plan");
            let (status, told) = served.post(&format!("/api/runs/{run}/approve"), &json!({}));
            assert_eq!(status, 200, "{told}");
        }
        served.follow(run);
        let state = served.get(&format!("/api/runs/{run}"));
        assert_eq!(
            (&state["status"], &state["outcome"]),
            (&json!("completed"), &json!("answered")),
            "{name}"
        );
        assert_eq!((&state["mode"], &state["cost_usd"]), (&json!("offline"), &json!(0.0)));
        let result = served.get(&format!("/api/runs/{run}/result"));
        assert!(!result["citations"].as_array().unwrap().is_empty(), "{name}");
    }
    assert_eq!(list["examples"].as_array().unwrap().len(), names.len());
}

// proves: F2
#[test]
fn what_the_command_line_refuses_the_server_refuses_in_words_of_its_own() {
    let stand = Stand::new();
    let served = Served::on(&stand, &["--quiet"]);
    let order = json!({"method": "ask", "question": "q", "sources": ["arxiv"]});
    let (status, problem) = served.post("/api/runs", &order);
    assert_eq!(status, 422, "{problem}");
    assert_eq!(problem["detail"], "sources work only with the strategies 'search' and 'deep'");
    let order = json!({"method": "ask", "question": "q", "base_url": "http://127.0.0.1:1"});
    assert_eq!(served.post("/api/runs", &order).0, 422);
    assert!(served.get("/api/runs")["runs"].as_array().unwrap().is_empty());
}

// proves: F2, A1
#[test]
fn an_order_names_its_strategy_by_name_or_number() {
    let stand = Stand::new();
    let served = Served::on(&stand, &["--quiet"]);
    let order = json!({"method": "ask", "question": "q", "strategy": "v001", "offline": true});
    let (status, run) = served.post("/api/runs", &order);
    assert_eq!(status, 201, "{run}");
    let run = run["run_id"].as_str().unwrap();
    served.follow(run);
    assert_eq!(served.get(&format!("/api/runs/{run}/result"))["strategy"], "direct");
    let order = json!({"method": "ask", "question": "q", "strategy": "v005"});
    assert_eq!(served.post("/api/runs", &order).0, 422);
    let shown = served.get("/openapi.json")["components"]["schemas"].to_string();
    assert!(shown.contains("\"v001\"") && shown.contains("\"v004\""), "{shown}");
}

// proves: F2, A4
#[test]
fn an_order_is_planned_over_a_collection_alone_with_nobody_asked() {
    let stand = Stand::new();
    let served = Served::on(&stand, &["--quiet"]);
    served.upload("history/broad-street-outbreak-1854.md");
    let order = json!({"method": "ask", "question": QUESTION, "strategy": "v004", "collection": "notes",
        "sources": [], "max_questions": 0, "offline": true});
    let (status, run) = served.post("/api/runs", &order);
    assert_eq!(status, 201, "{run}");
    let run = run["run_id"].as_str().unwrap();
    served.follow(run);
    let result = served.get(&format!("/api/runs/{run}/result"));
    assert_eq!((&result["strategy"], &result["status"]), (&json!("deep"), &json!("completed")));
    assert!(result["answer"].as_str().unwrap().contains("8 September 1854"), "{result}");
    assert_eq!(result["deliverable"]["budgets"]["max_questions"], 0);
    for (wrong, says) in [
        (
            json!({"method": "ask", "question": "q", "strategy": "deep", "sources": []}),
            "nothing to search",
        ),
        (
            json!({"method": "ask", "question": "q", "strategy": "deep", "max_questions": 11}),
            "max_questions must be at most 10",
        ),
        (
            json!({"method": "ask", "question": "q", "strategy": "rag", "max_questions": 1}),
            "the strategy 'deep'",
        ),
        (
            json!({"method": "debate", "question": "q", "max_questions": 1}),
            "does not accept max_questions",
        ),
        (
            json!({"method": "ask", "question": "q", "strategy": "deep", "collection": "none"}),
            "no collection",
        ),
    ] {
        let (status, problem) = served.post("/api/runs", &wrong);
        assert!(status == 422 && problem.to_string().contains(says), "{problem}");
    }
    let strategies = served.get("/api/settings")["methods"][0]["strategies"].clone();
    let deep = strategies.as_array().unwrap().iter().find(|one| one["name"] == "deep").unwrap();
    assert_eq!((&deep["is_planned"], &deep["asks_sources"]), (&json!(true), &json!(true)));
}

// proves: F2, A3
#[test]
fn an_order_names_the_company_that_its_question_is_about() {
    let stand = Stand::new();
    let served = Served::on(&stand, &["--quiet"]);
    served.upload("history/broad-street-outbreak-1854.md");
    let ask = |company: &str| {
        let order = json!({"method": "ask", "question": QUESTION, "collection": "notes", "company": company});
        let (status, run) = served.post("/api/runs", &order);
        assert_eq!(status, 201, "{run}");
        let run = run["run_id"].as_str().unwrap();
        served.follow(run);
        served.get(&format!("/api/runs/{run}/result"))
    };
    let result = ask("Lambeth");
    assert_eq!(result["deliverable"]["company"], "Lambeth");
    assert_eq!(result["citations"], json!([]), "no document is about it");
    for wrong in [
        json!({"method": "ask", "question": "q", "company": " "}),
        json!({"method": "ask", "question": "q", "company": "a", "where": {"company": "b"}}),
        json!({"method": "debate", "question": "q", "company": "a"}),
    ] {
        assert_eq!(served.post("/api/runs", &wrong).0, 422, "{wrong}");
    }
    let fields = served.get("/api/settings")["methods"][0]["fields"].to_string();
    assert!(fields.contains("company"), "{fields}");
}

// proves: F8
#[test]
fn a_server_that_anybody_could_reach_or_nobody_does_not_start() {
    let stand = Stand::new();
    let tokens = stand.file("tokens", "# nobody yet\n");
    let tokens = format!("server.tokens={}", tokens.display());
    stand.run(&["serve", "--listen", "0.0.0.0:0"]).fails(2, "no user tokens are configured");
    stand.run(&["serve", "--set", &tokens]).fails(2, "there is no token in");
    stand
        .run(&["serve", "--set", "server.tokens=/nowhere"])
        .fails(2, "could not read the tokens in /nowhere");
    stand.run(&["serve", "--set", "server.listen=localhost"]).fails(2, "server.listen must be");
    stand.run(&["serve", "--set", "server.hosts=https://a.org"]).fails(2, "server.hosts must be");
    stand
        .run(&["serve", "--set", "server.max_running=10001"])
        .fails(2, "server.max_running must be");
    stand.file("quaestio.toml", "[server]\nlisten = \"0.0.0.0:8400\"\n");
    stand.run(&["serve"]).fails(2, "may not set server.listen");
}

// proves: F8
#[test]
fn a_token_is_shown_nowhere() {
    let stand = Stand::new().variable("QUAESTIO_TOKENS", "alice:canary-canary-canary");
    for args in
        [&["config", "show"][..], &["config", "show", "--json"], &["doctor", "--no-network"]]
    {
        let told = stand.run(args);
        assert!(!told.out.contains("canary") && !told.err.contains("canary"), "{told:?}");
    }
    let served = Served::on(&stand, &["--quiet"]);
    let (status, told) = served.text("GET /api/runs", "text/plain", b"");
    assert_eq!(status, 401, "{told}");
    let (status, told) = served.post("/api/session", &json!({"token": "canary-canary-canarz"}));
    assert!(status == 401 && !told.to_string().contains("canary"), "{status} {told}");
    assert_eq!(served.post("/api/session", &json!({"token": "canary-canary-canary"})).0, 204);
}

impl Served {
    /// Starts a run; returns its id.
    pub(crate) fn ask(&self, question: &str) -> String {
        let order = json!({"method": "ask", "question": question, "collection": "notes"});
        let (status, run) = self.post("/api/runs", &order);
        assert_eq!(status, 201, "{run}");
        run["run_id"].as_str().unwrap().to_owned()
    }

    pub(crate) fn upload(&self, path: &str) {
        let file = std::fs::read(examples().join(path)).unwrap();
        let name = path.rsplit('/').next().unwrap();
        let head = format!("POST /api/collections/notes/documents?name={name}");
        let (status, told) = self.text(&head, "application/octet-stream", &file);
        assert_eq!(status, 201, "{told}");
    }

    /// Returns how often each step of a run was called.
    fn calls(&self, run: &str) -> BTreeMap<String, usize> {
        let state = self.get(&format!("/api/runs/{run}"));
        assert_eq!(state["status"], "completed", "{state}");
        assert_eq!(state["log"]["intact"], true);
        let mut calls = BTreeMap::new();
        for step in state["steps"].as_array().unwrap() {
            *calls.entry(step["step"].as_str().unwrap().to_owned()).or_default() += 1;
        }
        calls
    }
}

// proves: C1, S1
#[test]
fn fifty_runs_in_flight_outlive_their_server_and_repeat_nothing_but_the_calls_that_were_lost() {
    const RUNS: usize = 50;
    let is_back = Arc::new(AtomicBool::new(false));
    let back = Arc::clone(&is_back);
    // Every second run is answered; the others wait for a reply until the server is gone.
    let model = FakeModel::start(move |seen| {
        let prompt = seen.prompt();
        let behind = prompt.split_once(QUESTION).map_or("", |(_, behind)| behind);
        let waits = behind.chars().take_while(|c| *c == '?').count() % 2 == 0;
        if waits && !back.load(Ordering::SeqCst) { Say::Hang } else { honest(seen) }
    });
    let stand = Stand::with_model(&model.base_url());
    let served = Served::on(&stand, &["--quiet"]);
    served.upload("history/broad-street-outbreak-1854.md");
    let runs: Vec<String> =
        (0..RUNS).map(|number| served.ask(&format!("{QUESTION}{}", "?".repeat(number)))).collect();
    assert!(
        model.wait(|model| model.seen().len() == RUNS),
        "{} runs have asked the model",
        model.seen().len()
    );
    for run in runs.iter().skip(1).step_by(2) {
        served.follow(run);
    }
    // As hard as it gets: SIGKILL.
    drop(served);
    is_back.store(true, Ordering::SeqCst);
    let served = Served::on(&stand, &["--quiet"]);
    for (number, run) in runs.iter().enumerate() {
        served.follow(run);
        let writer = if number % 2 == 0 { 2 } else { 1 };
        let calls = served.calls(run);
        assert_eq!(calls["writer #1"], writer, "{run}: {calls:?}");
        assert!(calls.iter().all(|(step, &count)| step == "writer #1" || count == 1), "{calls:?}");
    }
    assert_eq!(model.seen().len(), RUNS + RUNS / 2, "only the calls that were lost came again");
}

// proves: C1, S1
#[test]
fn runs_that_a_server_has_taken_in_are_done_whenever_it_dies() {
    let model = FakeModel::start(honest);
    let stand = Stand::with_model(&model.base_url());
    let mut served = Served::on(&stand, &["--quiet", "--set", "server.max_running=3"]);
    served.upload("history/broad-street-outbreak-1854.md");
    let mut runs = Vec::new();
    for generation in 0..4 {
        // Some wait in the queue, some are on their way, some have ended.
        runs.extend(
            (0..8).map(|number| {
                served.ask(&format!("{QUESTION}{}", "?".repeat(generation + number)))
            }),
        );
        drop(served);
        served = Served::on(&stand, &["--quiet", "--set", "server.max_running=3"]);
    }
    for run in &runs {
        served.follow(run);
        let calls = served.calls(run);
        assert!(calls.contains_key("retrieve #1") && calls.contains_key("writer #1"), "{calls:?}");
    }
    let listed = served.get("/api/runs?status=completed&limit=100");
    assert_eq!(listed["runs"].as_array().unwrap().len(), runs.len(), "each once");
}

// proves: C1, F2
#[cfg(unix)]
#[test]
fn a_server_that_is_asked_to_stop_is_not_ready_and_lets_the_call_under_way_end() {
    let may_answer = Arc::new(AtomicBool::new(false));
    let allowed = Arc::clone(&may_answer);
    let model = FakeModel::start(move |seen| {
        while !allowed.load(Ordering::SeqCst) {
            std::thread::sleep(Duration::from_millis(5));
        }
        honest(seen)
    });
    let stand = Stand::with_model(&model.base_url());
    let mut served = Served::on(&stand, &["--quiet", "--set", "server.drain_seconds=600"]);
    served.upload("history/broad-street-outbreak-1854.md");
    let run = served.ask(QUESTION);
    assert!(model.wait(|model| model.seen().len() == 1), "the model is asked");
    let ready = || served.text("GET /health/ready", "text/plain", b"").0;
    assert_eq!(ready(), 200);
    let id = served.child.id().to_string();
    assert!(std::process::Command::new("kill").args(["-TERM", &id]).status().unwrap().success());
    let began = Instant::now();
    while ready() != 503 {
        assert!(began.elapsed() < Duration::from_secs(60), "it is still ready");
    }
    // It lives, and a new run is stored for whoever works on it next.
    assert_eq!(served.text("GET /health/live", "text/plain", b"").0, 200);
    let late = served.ask(&format!("{QUESTION}?"));
    assert_eq!(served.get(&format!("/api/runs/{late}"))["status"], "queued");
    may_answer.store(true, Ordering::SeqCst);
    assert!(served.child.wait().unwrap().success());
    let served = Served::on(&stand, &["--quiet"]);
    for run in [&run, &late] {
        served.follow(run);
        assert_eq!(served.calls(run)["writer #1"], 1, "no call is made again");
    }
}

// proves: C6, C8, F8
#[test]
fn a_daily_quota_holds_for_the_server_and_not_for_commands() {
    let stand = Stand::new();
    // What a command starts counts for its user, and is refused to nobody.
    assert_eq!(stand.ask(QUESTION, &[]).code, 0);
    let quotas = ["--quiet", "--set", "quotas.runs_per_day=2", "--set", "quotas.bytes_per_day=9"];
    let served = Served::on(&stand, &quotas);
    let order = json!({"method": "ask", "question": QUESTION, "collection": "notes"});
    let upload = |text: &[u8]| {
        let head = "POST /api/collections/notes/documents?name=a.txt";
        served.text(head, "application/octet-stream", text)
    };
    assert_eq!(upload(b"123456789").0, 201);
    let (status, told) = upload(b"1");
    assert_eq!(status, 429, "{told}");
    assert!(told.contains("the limit of 9 uploaded bytes a day is reached"), "{told}");
    let (status, run) = served.post("/api/runs", &order);
    assert_eq!(status, 201, "{run}");
    let (status, refused) = served.post("/api/runs", &order);
    assert_eq!(status, 429, "{refused}");
    assert_eq!((&refused["quota"]["limit"], &refused["quota"]["used"]), (&json!(2.0), &json!(2.0)));
    assert_eq!(stand.ask(QUESTION, &["--set", "quotas.runs_per_day=1"]).code, 0);
    for (wrong, says) in [
        (
            "quotas.cost_usd_per_day=-1",
            "quotas.cost_usd_per_day must be 0 or an amount in US dollars",
        ),
        ("quotas.runs_per_day=-1", "quotas.runs_per_day"),
        ("quotas.runs_per_hour=1", "there is no setting quotas.runs_per_hour"),
    ] {
        stand.run(&["serve", "--set", wrong]).fails(2, says);
    }
}

// proves: C1
#[cfg(unix)]
#[test]
fn a_server_whose_database_is_gone_is_not_ready_and_names_no_folder_of_the_machine() {
    let stand = Stand::new();
    let served = Served::on(&stand, &[]);
    let get = |target: &str| served.text(&format!("GET {target}"), "application/json", b"");
    assert_eq!(get("/health/ready").0, 200);
    std::fs::remove_file(stand.data().join("quaestio.db")).unwrap();
    for (target, wanted) in [("/health/ready", 503), ("/api/runs", 500), ("/api/collections", 500)]
    {
        let (status, text) = get(target);
        assert_eq!(status, wanted, "{target}: {text}");
        assert!(text.contains("deleted or replaced"), "{target}: {text}");
        assert!(!text.contains(stand.data().to_str().unwrap()), "{target}: {text}");
    }
}

// proves: F8
#[cfg(unix)]
#[test]
fn a_hangup_has_the_tokens_read_again_and_a_slip_changes_nothing() {
    let stand = Stand::new();
    let file = stand.file("tokens", "alice first-token-0123456789\n");
    let served =
        Served::on(&stand, &["--quiet", "--set", &format!("server.tokens={}", file.display())]);
    let signs_in = |token: &str| served.post("/api/session", &json!({ "token": token })).0 == 204;
    let hang_up = || {
        let id = served.child.id().to_string();
        assert!(std::process::Command::new("kill").args(["-HUP", &id]).status().unwrap().success());
    };
    assert!(signs_in("first-token-0123456789"));
    std::fs::write(&file, "alice second-token-0123456789\n").unwrap();
    hang_up();
    let began = std::time::Instant::now();
    while !signs_in("second-token-0123456789") {
        assert!(began.elapsed() < std::time::Duration::from_secs(30), "they are not read again");
        std::thread::sleep(std::time::Duration::from_secs(1));
    }
    assert!(!signs_in("first-token-0123456789"));
    std::fs::write(&file, "alice short\n").unwrap();
    hang_up();
    assert!(signs_in("second-token-0123456789"), "what cannot be read changes nothing");
}
