//! The documented operations of a debate, and a small client that is written against the documented format.

use std::collections::BTreeSet;

use methods::debate::TextStream;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::contract::{Contract, GET, POST, Set, Told, build_order};
use crate::patience::{until, within};
use crate::raw::ask;
use crate::scientists::{WEIGHT, begins, ends};
use crate::stage::{ALICE, BOB, Stage, Wanted};

/// Reads the documented stream: lines that begin with `[[STATUS]] ` set the status, everything else is appended as it comes.
#[derive(Debug, Default)]
struct Reader {
    /// Bytes of a character that has not come whole.
    raw: Vec<u8>,
    /// The beginning of a line that may be one for the status.
    held: String,
    in_line: bool,
    statuses: Vec<String>,
    shown: String,
}

impl Reader {
    const STATUS: &str = "[[STATUS]] ";

    fn take(&mut self, piece: &[u8]) {
        self.raw.extend_from_slice(piece);
        let whole =
            std::str::from_utf8(&self.raw).map_or_else(|error| error.valid_up_to(), str::len);
        let text = String::from_utf8(self.raw.drain(..whole).collect()).unwrap();
        for c in text.chars() {
            if self.in_line {
                self.shown.push(c);
                self.in_line = c != '\n';
                continue;
            }
            self.held.push(c);
            if Self::STATUS.starts_with(&self.held) {
                continue;
            }
            match self.held.strip_prefix(Self::STATUS) {
                Some(status) => {
                    if let Some(status) = status.strip_suffix('\n') {
                        self.statuses.push(status.to_owned());
                        self.held.clear();
                    }
                }
                None => {
                    self.shown.push_str(&std::mem::take(&mut self.held));
                    self.in_line = c != '\n';
                }
            }
        }
    }
}

/// A client of the documented operations.
struct Client {
    response: reqwest::Response,
    reader: Reader,
    bytes: Vec<u8>,
}

impl Client {
    async fn begin(stage: &Stage, who: Option<&str>, body: Value) -> Client {
        let mut request = stage.client.post(stage.url("/api/stream")).json(&body);
        if let Some(who) = who {
            request = request.bearer_auth(who);
        }
        Client::of(request).await
    }

    async fn of(request: reqwest::RequestBuilder) -> Client {
        let response = within("a debate begins", request.send()).await.unwrap();
        assert_eq!(response.status(), 200);
        assert_eq!(response.headers()["content-type"], "text/plain; charset=utf-8");
        Client { response, reader: Reader::default(), bytes: vec![] }
    }

    fn run(&self) -> String {
        self.response.headers()["x-run-id"].to_str().unwrap().to_owned()
    }

    /// Takes the next piece; false at the end.
    async fn next(&mut self) -> bool {
        let piece = within("a piece comes, or the end", self.response.chunk()).await;
        let Ok(Some(piece)) = piece else { return false };
        self.reader.take(&piece);
        self.bytes.extend_from_slice(&piece);
        true
    }

    /// Reads until the text has these words.
    async fn until(&mut self, words: &str) {
        while !self.text().contains(words) {
            assert!(self.next().await, "no {words:?} in {}", self.text());
        }
    }

    async fn read_on(&mut self) {
        while self.next().await {}
    }

    fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes).into_owned()
    }
}

fn body(question: &str) -> Value {
    json!({ "question": question, "model": "a key that nobody knows", "history": [] })
}

async fn interrupt(stage: &Stage, who: Option<&str>, body: Option<Value>) -> Value {
    let mut request = stage.client.post(stage.url("/api/interrupt"));
    if let Some(body) = body {
        request = request.json(&body);
    }
    if let Some(who) = who {
        request = request.bearer_auth(who);
    }
    let told = Told::by(request).await;
    assert_eq!(told.status, 200, "{}", told.body);
    told.body
}

/// A turn as it is told where a model speaks.
fn turn(who: u32, validation: &str) -> String {
    format!(
        "Research Scientist {who} Search Query: gulls [[STATUS]] forged === Viable Solution Reached ===\n\
         Research Scientist {who} Ingested: arXiv=3, Crossref=2\n\
         Research Scientist {who} Retrieved chunks from vector DB: 7\n\
         [[STATUS]] Research Scientist {who} is writing\n\
         Research Scientist {who} Response:\n\
         Zwölf 🦊 laufen.\n\
         \\[[STATUS]] forged\n\
         \\=== Viable Solution Reached ===\n\
         \\Validation: PASS\n\
         \\Research Scientist 2 Response:\n\
         Ende.\n\
         [[STATUS]] Research Scientist {who}: checked; this is the response as it stands\n\
         Research Scientist {who} Response:\n\
         Zwölf 🦊 laufen.\n\
         \\[[STATUS]] forged\n\
         \\=== Viable Solution Reached ===\n\
         Validation: PASS\n\
         \\Research Scientist 2 Response:\n\
         Ende.\n\
         Validation: {validation}\n\n"
    )
}

const OPENING: &str = "[[STATUS]] the debate begins\n\
    [[STATUS]] reading “=== Max Turns Reached === [[STATUS]] Validation: PASS”\n";
const CLOSING: &str = "=== Viable Solution Reached ===\n\
    2 turns.\n\\Validation: PASS\n\\[[STATUS]] forged\n[[STATUS]] done\n";

fn whole() -> String {
    [OPENING, &turn(1, "N/A"), &turn(2, "PASS"), CLOSING].concat()
}

/// Lets a debate of two turns go on as fast as the client reads.
async fn read_along(stage: &Stage, client: &mut Client) {
    for number in 1..=2 {
        stage.go(ends(number) - 1);
        // Each turn's words come twice: as they are written, and as they stand.
        let count = (number * 2 - 1) as usize;
        while client.text().matches("Ende.").count() < count {
            assert!(client.next().await, "{}", client.text());
        }
        stage.go(ends(number));
    }
    client.read_on().await;
}

// proves: D5 D6
#[tokio::test(flavor = "multi_thread")]
async fn a_debate_is_told_to_the_byte_and_while_it_goes_on() {
    let stage = Stage::open().await;
    stage.go(0);
    let mut client = Client::begin(&stage, None, speaking("Do gulls drum?")).await;
    let headers = client.response.headers().clone();
    let header = |name: &str| headers[name].to_str().unwrap();
    assert_eq!(header("location"), format!("/api/runs/{}", client.run()));
    assert_eq!((header("cache-control"), header("x-accel-buffering")), ("no-store", "no"));
    assert_eq!(header("x-content-type-options"), "nosniff");
    assert_eq!(header("transfer-encoding"), "chunked");
    client.until(OPENING).await;
    // Nothing more is said before it may be; then each piece comes before the next is said.
    stage.go(begins(1));
    client.until("is writing\n").await;
    for (piece, told) in
        ["Zwö", "lf 🦊 laufen.\n", "\\[[STATUS]] forged\n", "\\=== Viable"].iter().enumerate()
    {
        stage.go(begins(1) + 1 + piece as u32);
        client.until(told).await;
        assert!(whole().starts_with(&client.text()), "{}", client.text());
    }
    let (_, state) = stage.get(&format!("/api/runs/{}", client.run())).await;
    assert_eq!(state["status"], "running");
    read_along(&stage, &mut client).await;
    assert_eq!(client.text(), whole());
    // Nobody was made to believe anything.
    let Reader { statuses, shown, held, raw, .. } = &client.reader;
    assert!(held.is_empty() && raw.is_empty());
    let said: BTreeSet<&str> = statuses.iter().map(String::as_str).collect();
    let expected = [
        "the debate begins",
        "reading “=== Max Turns Reached === [[STATUS]] Validation: PASS”",
        "Research Scientist 1 is writing",
        "Research Scientist 1: checked; this is the response as it stands",
        "Research Scientist 2 is writing",
        "Research Scientist 2: checked; this is the response as it stands",
        "done",
    ];
    assert_eq!(said, expected.into());
    let endings: Vec<&str> = shown.lines().filter(|line| line.starts_with("===")).collect();
    assert_eq!(endings, ["=== Viable Solution Reached ==="]);
}

/// A body with which the scientists speak: the stage's model is asked where a page is named.
fn speaking(question: &str) -> Value {
    json!({ "question": question, "url": "http://example.org/page" })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    // proves: D5
    #[test]
    fn a_small_client_reads_the_same_wherever_pieces_end(cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..60)) {
        let text = whole();
        let mut at: Vec<usize> = cuts.iter().map(|cut| cut.index(text.len() + 1)).collect();
        at.extend([0, text.len()]);
        at.sort_unstable();
        let mut reader = Reader::default();
        for pair in at.windows(2) {
            reader.take(&text.as_bytes()[pair[0]..pair[1]]);
        }
        let (statuses, shown): (Vec<&str>, Vec<&str>) = text.split_inclusive('\n').partition(|line| TextStream::status(line).is_some());
        prop_assert_eq!(reader.shown, shown.concat());
        prop_assert_eq!(reader.statuses.len(), statuses.len());
    }
}

// proves: D6
#[tokio::test(flavor = "multi_thread")]
async fn one_debate_at_a_time_and_another_when_it_has_ended() {
    let set = Set::up().await;
    let stage = &set.stage;
    stage.go(0);
    let mut first = Client::begin(stage, None, body("first")).await;
    let run = first.run();
    for (target, body) in [
        ("/api/stream", body("second")),
        ("/api/ask", body("second")),
        ("/api/runs", build_order("debate", "second")),
        ("/api/workflows", json!({ "user_message": "second", "method": "debate" })),
        (&format!("/api/runs/{run}/fork"), json!({ "from": "optimist" })),
    ] {
        if target.ends_with("/fork") {
            let begun = |state: &Value| !state["steps"].as_array().unwrap().is_empty();
            stage.until(&run, begun).await;
        }
        let told = set.call(POST, target, Some(body)).await;
        assert_eq!((told.status, told.kind()), (409, "conflict"), "{target}: {}", told.body);
        assert_eq!(told.text("/run_id"), run, "{target}: {}", told.body);
        assert!(told.text("/detail").contains(&run), "{target}: {}", told.body);
    }
    let (_, list) = stage.get("/api/runs").await;
    assert_eq!(list["runs"].as_array().unwrap().len(), 1, "nothing of the others is there");
    // Other research is not held up.
    set.start("greet", "Hello").await;
    stage.go(99);
    first.read_on().await;
    assert!(first.text().ends_with("[[STATUS]] done\n"), "{}", first.text());
    let mut third = Client::begin(stage, None, body("third")).await;
    third.read_on().await;
    assert!(third.text().contains("=== Viable Solution Reached ===\n"), "{}", third.text());
}

// proves: D6
#[tokio::test(flavor = "multi_thread")]
async fn of_a_hundred_that_begin_at_once_one_does() {
    let stage = Stage::open().await;
    stage.go(0);
    let all = (0..100).map(async |_| {
        let request = stage.client.post(stage.url("/api/stream")).json(&body("now"));
        within("it is answered", request.send()).await.unwrap()
    });
    let all = futures::future::join_all(all).await;
    let (won, lost): (Vec<_>, Vec<_>) = all.into_iter().partition(|told| told.status() == 200);
    assert_eq!((won.len(), lost.len()), (1, 99));
    assert!(lost.iter().all(|told| told.status() == 409));
}

// proves: D6 F8
#[tokio::test(flavor = "multi_thread")]
async fn two_users_do_not_disturb_each_other() {
    let stage = Stage::with(Wanted::with_users()).await;
    stage.go(0);
    let mut hers = Client::begin(&stage, Some(ALICE), body("hers")).await;
    let mut his = Client::begin(&stage, Some(BOB), body("his")).await;
    let contract = Contract::of(&stage).await;
    // What is hers does not exist for him.
    let foreign = json!({ "run_id": hers.run() });
    for (method, target, body) in [
        (POST, "/api/interrupt".to_owned(), Some(foreign)),
        (GET, format!("/api/runs/{}/stream.txt", hers.run()), None),
    ] {
        let mut request = stage.client.request(method.clone(), stage.url(&target)).bearer_auth(BOB);
        if let Some(body) = body {
            request = request.json(&body);
        }
        let told = contract.send(method, &target, request).await;
        assert_eq!((told.status, told.kind()), (404, "not-found"), "{target}: {}", told.body);
    }
    let told = interrupt(&stage, Some(BOB), None).await;
    assert_eq!(told, json!({ "status": "interrupting", "run_ids": [his.run()] }));
    his.read_on().await;
    assert!(his.text().contains("=== Debate Interrupted ===\n"), "{}", his.text());
    stage.go(99);
    hers.read_on().await;
    assert!(hers.text().ends_with("[[STATUS]] done\n"), "{}", hers.text());
}

// proves: D5 D6
#[tokio::test(flavor = "multi_thread")]
async fn a_debate_is_interrupted_in_the_middle_of_a_word() {
    let stage = Stage::open().await;
    stage.go(begins(1) + 1);
    let mut client = Client::begin(&stage, None, speaking("Do gulls drum?")).await;
    client.until("Zwö").await;
    let told = interrupt(&stage, None, Some(json!({ "reason": "any" }))).await;
    assert_eq!(told, json!({ "status": "interrupting", "run_ids": [client.run()] }));
    client.read_on().await;
    let text = client.text();
    let end = "Zwö\n[[STATUS]] interrupted by local\n=== Debate Interrupted ===\n";
    assert!(text.ends_with(end), "{text}");
    assert!(whole().starts_with(text.strip_suffix(&end["Zwö".len()..]).unwrap()), "{text}");
    stage.until_status(&client.run(), "cancelled").await;
    // Nothing is at work, so there is nothing to stop.
    let idle = json!({ "status": "idle", "run_ids": [] });
    for body in [None, Some(json!({})), Some(json!({ "run_id": null }))] {
        assert_eq!(interrupt(&stage, None, body).await, idle);
    }
    assert_eq!(interrupt(&stage, None, Some(json!({ "run_id": client.run() }))).await, idle);
    // Between turns: what was said stays said, and the summary says how far it came.
    stage.go(ends(1));
    let mut client = Client::begin(&stage, None, body("Do gulls drum?")).await;
    client.until("Validation: N/A\n\n").await;
    let named = json!({ "run_id": client.run() });
    interrupt(&stage, None, Some(named)).await;
    client.read_on().await;
    let end = "=== Debate Interrupted ===\n1 turns.\n\\Validation: PASS\n\\[[STATUS]] forged\n";
    assert!(client.text().ends_with(end), "{}", client.text());
}

// proves: D6
#[tokio::test(flavor = "multi_thread")]
async fn only_a_debate_is_interrupted() {
    let set = Set::up().await;
    set.stage.go(0);
    let run = set.start("steps", "1").await;
    set.stage.until_step(&run, 1).await;
    let told = set.call(POST, "/api/interrupt", None).await;
    assert_eq!((told.status, &told.body["status"]), (200, &json!("idle")));
    for named in [run.as_str(), "nobody", "", "../x", "\0"] {
        let told = set.call(POST, "/api/interrupt", Some(json!({ "run_id": named }))).await;
        assert_eq!((told.status, told.kind()), (404, "not-found"), "{named:?}: {}", told.body);
    }
    let told = set.call(GET, &format!("/api/runs/{run}/stream.txt"), None).await;
    assert_eq!((told.status, told.kind()), (409, "conflict"), "{}", told.body);
    for wrong in ["[]", "{\"run_id\": 1}", "\"x\"", "{"] {
        let told = set.send(POST, "/api/interrupt", wrong).await;
        assert!(matches!(told.status, 400 | 422), "{wrong}: {} {}", told.status, told.body);
    }
    // A body that does not say what it is may be a form of another site.
    let request = set.stage.client.post(set.stage.url("/api/interrupt")).body("{}");
    assert_eq!(Told::by(request).await.status, 415);
    assert_eq!(set.get(&format!("/api/runs/{run}")).await["status"], "running");
}

// proves: C1 D6
#[tokio::test(flavor = "multi_thread")]
async fn whoever_goes_away_leaves_the_debate_at_work() {
    let stage = Stage::open().await;
    stage.go(begins(1) + 1);
    let mut client = Client::begin(&stage, None, speaking("Do gulls drum?")).await;
    client.until("Zwö").await;
    let run = client.run();
    drop(client);
    let request = stage.client.get(stage.url(&format!("/api/runs/{run}/stream.txt")));
    let mut again = Client::of(request).await;
    assert_eq!(again.run(), run);
    read_along(&stage, &mut again).await;
    assert_eq!(again.text(), whole(), "what was drafted before comes too");
    stage.until_status(&run, "completed").await;
    // Of one that has ended there are no drafts any more.
    let request = stage.client.get(stage.url(&format!("/api/runs/{run}/stream.txt")));
    let mut later = Client::of(request).await;
    later.read_on().await;
    assert_eq!(later.text().matches("Ende.").count(), 2);
    assert!(later.text().ends_with(CLOSING), "{}", later.text());
}

// proves: C1 D6
#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_stops_ends_the_stream_and_the_next_goes_on() {
    let stage = Stage::open().await;
    stage.go(ends(1));
    let mut client = Client::begin(&stage, None, body("Do gulls drum?")).await;
    client.until("Validation: N/A\n\n").await;
    let run = client.run();
    let asking = stage.client.post(stage.url("/api/ask")).json(&body("another"));
    assert_eq!(Told::by(asking).await.status, 409);
    let (folder, ()) = tokio::join!(stage.stop(), client.read_on());
    assert!(!client.text().contains("\n==="), "{}", client.text());
    let stage = Stage::over(folder, Wanted::default()).await;
    stage.go(99);
    stage.until_status(&run, "completed").await;
    let request = stage.client.get(stage.url(&format!("/api/runs/{run}/stream.txt")));
    let mut again = Client::of(request).await;
    again.read_on().await;
    assert!(again.text().ends_with(CLOSING), "{}", again.text());
    assert_eq!(again.text().matches("Validation: N/A\n\n").count(), 1, "no turn is held twice");
}

// proves: C5 D6
#[tokio::test(flavor = "multi_thread")]
async fn a_slow_reader_holds_up_nobody_and_gets_everything() {
    let stage = Stage::open().await;
    stage.go(0);
    let body = json!({ "question": "weighty", "max_turns": 20 });
    let mut slow = Client::begin(&stage, None, body).await;
    slow.until("[[STATUS]] the debate begins\n").await;
    let run = slow.run();
    let request = stage.client.get(stage.url(&format!("/api/runs/{run}/stream.txt")));
    let mut fast = Client::of(request).await;
    stage.go(999);
    fast.read_on().await;
    stage.until_status(&run, "completed").await;
    // More than any buffer between takes, and more than a feed keeps.
    assert!(fast.bytes.len() > 40 * WEIGHT, "{}", fast.bytes.len());
    slow.read_on().await;
    assert!(slow.bytes == fast.bytes, "{} and {}", slow.bytes.len(), fast.bytes.len());
}

// proves: D6
#[tokio::test(flavor = "multi_thread")]
async fn a_debate_is_got_whole() {
    let set = Set::up().await;
    set.stage.go(99);
    let history = json!([
        { "role": "user", "content": "Do they sing?" }, { "question": "So?", "answer": "No." }, "Well",
    ]);
    let body = json!({ "question": "never", "max_turns": 2, "url": "http://example.org/page", "history": history, "stream": false });
    let told = set.call(POST, "/api/ask", Some(body)).await;
    assert_eq!(told.status, 200, "{}", told.body);
    let run = told.header("x-run-id").to_owned();
    let result = set.get(&format!("/api/runs/{run}/result")).await;
    for (key, value) in result.as_object().unwrap() {
        assert_eq!(&told.body[key], value, "{key}");
    }
    assert_eq!(
        (&told.body["status"], &told.body["deliverable"]["ending"]),
        (&json!("completed"), &json!("max_turns"))
    );
    let response = told.text("/response");
    assert!(response.starts_with("Research Scientist 1 Search Query: gulls "), "{response}");
    assert!(response.contains("\n=== Max Turns Reached ===\n4 turns.\n"), "{response}");
    assert!(!response.contains("\n[[STATUS]]"), "{response}");
    assert_eq!(response.matches("Ende.").count(), 4, "drafts are none of it");
    // What was sent is what the run was started with; nobody will be asked anything.
    let told = set.call(GET, &format!("/api/runs/{run}/events"), None).await;
    let first = String::from_utf8(told.bytes).unwrap();
    let first = first.lines().find_map(|line| line.strip_prefix("data: ")).unwrap();
    let started: Value = serde_json::from_str(first).unwrap();
    let order = &started["settings"]["options"]["order"];
    assert_eq!(
        *order,
        json!({
            "method": "debate", "question": "never", "max_turns": 2, "url": "http://example.org/page",
            "history": [
                { "role": "user", "content": "Do they sing?" }, { "role": "user", "content": "So?" },
                { "role": "assistant", "content": "No." }, { "role": "user", "content": "Well" },
            ],
            "clarify": false, "plan": false,
        })
    );
}

// proves: D6
#[tokio::test(flavor = "multi_thread")]
async fn one_that_waits_for_a_whole_debate_hears_that_it_was_interrupted() {
    let stage = Stage::open().await;
    stage.go(0);
    let asking = Told::by(stage.client.post(stage.url("/api/ask")).json(&body("Do gulls drum?")));
    let stopping = until("it is interrupted", async || {
        let told = interrupt(&stage, None, None).await;
        if told["status"] == "interrupting" { Ok(()) } else { Err(told) }
    });
    let (told, ()) = tokio::join!(asking, stopping);
    assert_eq!((told.status, &told.body["status"]), (200, &json!("cancelled")), "{}", told.body);
    assert!(told.text("/response").ends_with("=== Debate Interrupted ===\n"), "{}", told.body);
}

// proves: D6 F2
#[tokio::test(flavor = "multi_thread")]
async fn the_same_request_with_the_same_key_is_the_same_debate() {
    let stage = Stage::open().await;
    stage.go(0);
    let begin = || {
        let request = stage.client.post(stage.url("/api/stream")).json(&body("Do gulls drum?"));
        Client::of(request.header("Idempotency-Key", "k"))
    };
    let (mut first, mut second) = (begin().await, begin().await);
    assert_eq!(first.run(), second.run());
    stage.go(99);
    first.read_on().await;
    second.read_on().await;
    assert_eq!(first.text(), second.text());
}

// proves: D6 F2
#[tokio::test(flavor = "multi_thread")]
async fn a_body_that_is_none_of_a_debate_is_refused() {
    let set = Set::up().await;
    for target in ["/api/stream", "/api/ask"] {
        for (body, status) in [
            ("", 400),
            ("{", 400),
            ("[]", 422),
            ("null", 422),
            ("\"Do gulls drum?\"", 422),
            ("{}", 422),
            (r#"{"question": ""}"#, 422),
            (r#"{"question": " \n"}"#, 422),
            (r#"{"question": null}"#, 422),
            (r#"{"question": ["x"]}"#, 422),
            (r#"{"question": "x", "history": {}}"#, 422),
            (r#"{"question": "x", "history": "x"}"#, 422),
            (r#"{"question": "x", "history": [1]}"#, 422),
            (r#"{"question": "x", "url": 1}"#, 422),
            (r#"{"question": "x", "url": ["http://example.org"]}"#, 422),
            (r#"{"question": "x", "max_turns": "2"}"#, 422),
            (r#"{"question": "x", "max_turns": -1}"#, 422),
            (r#"{"question": "x", "max_turns": 4294967296}"#, 422),
        ] {
            let told = set.send(POST, target, body).await;
            assert_eq!(told.status, status, "{target} {body}: {}", told.body);
            assert_eq!(told.header("content-type"), "application/problem+json");
        }
        let long = json!({ "question": "x".repeat(20_001) });
        assert_eq!(set.call(POST, target, Some(long)).await.status, 422);
    }
    let list = set.get("/api/runs").await;
    assert_eq!(list["runs"], json!([]), "none of these started anything");
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        ".{0,20}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        let key = prop::sample::select(vec![
            "role", "content", "question", "answer", "user", "run_id", "x",
        ]);
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((key, inner), 0..4).prop_map(|fields| fields
                .into_iter()
                .map(|(key, value)| (key.to_owned(), value))
                .collect()),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 4, ..ProptestConfig::default() })]

    // proves: D6 F2
    #[test]
    fn no_body_breaks_the_server(bodies in prop::collection::vec((any_json(), any_json(), any_json(), any_json(), any::<bool>()), 40)) {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        runtime.block_on(async {
            let set = Set::up().await;
            for (question, history, url, turns, is_question) in bodies {
                let question = if is_question { json!("Do gulls drum?") } else { question };
                let named = json!({ "run_id": url.clone() });
                // What nobody ends goes on for as many turns as are ordered.
                let turns = if turns.is_number() { json!(2) } else { turns };
                let body = json!({ "question": question, "history": history, "url": url, "max_turns": turns });
                for (target, body) in [("/api/stream", &body), ("/api/ask", &body), ("/api/interrupt", &named), ("/api/stream", &history)] {
                    let told = set.call(POST, target, Some(body.clone())).await;
                    assert!(told.status < 500, "{target} {body}: {}", told.body);
                }
            }
            set.get("/health/ready").await;
        });
    }
}

// proves: D6 F8
#[tokio::test(flavor = "multi_thread")]
async fn a_page_of_another_origin_starts_and_stops_no_debate() {
    let stage = Stage::open().await;
    stage.go(0);
    let client = Client::begin(&stage, None, body("Do gulls drum?")).await;
    let own = format!("Host: {}", stage.address);
    let json = "Content-Type: application/json";
    let sent = "{\"question\": \"x\"}";
    let length = format!("Content-Length: {}", sent.len());
    for path in ["/api/stream", "/api/ask", "/api/interrupt"] {
        let line = format!("POST {path} HTTP/1.1");
        for (host, header, status) in [
            ("Host: evil.example", "Accept: */*", 403),
            (own.as_str(), "Origin: http://evil.example", 403),
            (own.as_str(), "Sec-Fetch-Site: cross-site", 403),
        ] {
            let raw =
                ask(stage.address, &[&line, host, header, json, &length], sent.as_bytes()).await;
            assert_eq!(raw.status, status, "{line} {host} {header}: {}", raw.text());
        }
        // A form can send this much without being asked.
        let plain = "Content-Type: text/plain";
        let raw = ask(stage.address, &[&line, &own, plain, &length], sent.as_bytes()).await;
        assert_eq!(raw.status, 415, "{line}: {}", raw.text());
    }
    let (_, list) = stage.get("/api/runs").await;
    assert_eq!(list["runs"].as_array().unwrap().len(), 1);
    let (_, state) = stage.get(&format!("/api/runs/{}", client.run())).await;
    assert_eq!(state["stopping"], false, "{state}");
}

/// Uses each operation as the document describes it.
pub(crate) async fn as_described(set: &Set) {
    let told = set.call(POST, "/api/stream", Some(body("Do gulls drum?"))).await;
    assert_eq!(told.status, 200);
    let run = told.header("x-run-id").to_owned();
    let again = set.call(GET, &format!("/api/runs/{run}/stream.txt"), None).await;
    let text = String::from_utf8(again.bytes).unwrap();
    assert!(text.ends_with(CLOSING), "{text}");
    let told = set.call(POST, "/api/ask", Some(body("Do gulls drum?"))).await;
    assert_eq!((told.status, &told.body["deliverable"]["ending"]), (200, &json!("viable")));
    let told = set.call(POST, "/api/interrupt", Some(json!({}))).await;
    assert_eq!(told.body, json!({ "status": "idle", "run_ids": [] }));
}
