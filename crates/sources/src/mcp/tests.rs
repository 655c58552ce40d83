//! A server that is a real program or speaks over a real socket, well-behaved and hostile.

use std::path::PathBuf;
use std::time::Duration;

use fakes::mcp::{ARGUMENT, Mcp, ORDER, TOOL};
use papers::Source;
use serde_json::{Map, Value, json};
use tempfile::TempDir;

use run::error::PortError;
use run::sources::{Outcome, Query, Served, Sources};
use transport::Secret;

use super::{McpEndpoint, McpServer, McpTool};
use crate::Outside;
use crate::client::tests::server::{Say, Seen, Server};
use crate::services::{Endpoint, Services};
use crate::settings::{Network, Settings};

const FACT: &str = "The Brightwater gauge recorded a surge of 3.42 metres.";

fn build_outside(server: McpServer) -> Outside {
    let own = Endpoint::default;
    let services = Services {
        arxiv: own(),
        crossref: own(),
        semantic_scholar: own(),
        openalex: own(),
        web: None,
        servers: vec![server],
        stand_in: true,
    };
    Outside::new(Settings::default(), services, None).unwrap()
}

fn build_server(endpoint: McpEndpoint) -> McpServer {
    let arguments = Map::from_iter([("limit".to_owned(), json!(5))]);
    McpServer {
        name: "wiki".parse().unwrap(),
        endpoint,
        tools: vec![McpTool { name: TOOL.into(), query: ARGUMENT.into(), arguments }],
        timeout: Duration::from_secs(60),
        bytes: 1 << 20,
        spacing: Duration::ZERO,
    }
}

async fn ask(outside: &Outside, query: &str) -> Served {
    outside.texts(&["wiki".parse().unwrap()], &Query::new(query, 8)).await.unwrap()
}

/// Returns why the only server did not answer.
fn why_not(served: &Served) -> String {
    assert!(served.texts.is_empty(), "{served:?}");
    let [answer] = served.answers.as_slice() else { panic!("{served:?}") };
    assert_eq!(answer.source, Source::Mcp("wiki".parse().unwrap()));
    answer.outcome.why_not().unwrap()
}

/// A program that is started, and the messages that it got.
struct Program {
    folder: TempDir,
    server: McpServer,
}

impl Program {
    fn new(mcp: &Mcp) -> Program {
        let folder = tempfile::tempdir().unwrap();
        let script = folder.path().join("server.sh");
        std::fs::write(&script, mcp.program()).unwrap();
        let text = |path: PathBuf| path.to_str().unwrap().to_owned();
        let args = vec![text(script), text(folder.path().join("log"))];
        let endpoint = McpEndpoint::Program { command: "sh".into(), args, variables: Vec::new() };
        Program { folder, server: build_server(endpoint) }
    }

    fn got(&self) -> Vec<Value> {
        let log = std::fs::read_to_string(self.folder.path().join("log")).unwrap_or_default();
        log.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// Returns the methods of the messages that it got.
    fn asked(&self) -> Vec<String> {
        let got = self.got().into_iter();
        got.filter_map(|message| message["method"].as_str().map(str::to_owned)).collect()
    }
}

/// All that a server is sent for a query.
const PLANNED: [&str; 3] = ["initialize", "notifications/initialized", "tools/call"];

// proves: F5
#[tokio::test]
async fn a_program_gets_the_query_and_nothing_else_and_its_texts_are_its_own() {
    let program = Program::new(&Mcp::text(FACT));
    let outside = build_outside(program.server.clone());
    let served = ask(&outside, "surge").await;
    assert_eq!(served.answers[0].outcome, Outcome::Found(1), "{served:?}");
    assert_eq!(served.texts[0].text, FACT);
    assert!(served.texts[0].source_uri.starts_with("mcp://wiki/search/"));
    assert_eq!(program.asked(), PLANNED);
    let call = program.got().pop().unwrap();
    let arguments = json!({ARGUMENT: "surge", "limit": 5});
    assert_eq!(call["params"], json!({"name": TOOL, "arguments": arguments}));
}

// proves: F5
#[tokio::test]
async fn a_program_sees_no_variable_that_it_was_not_given() {
    let folder = tempfile::tempdir().unwrap();
    let seen = folder.path().join("seen");
    let endpoint = McpEndpoint::Program {
        command: "sh".into(),
        args: vec!["-c".into(), format!("env > {}", seen.display())],
        variables: vec![("WIKI_TOKEN".into(), Some(Secret::from("canary-1".to_owned())))],
    };
    let why = why_not(&ask(&build_outside(build_server(endpoint)), "surge").await);
    assert!(why.contains("ended before it answered"), "{why}");
    let seen = std::fs::read_to_string(seen).unwrap();
    let names = seen.lines().filter_map(|line| Some(line.split_once('=')?.0));
    let own = ["PWD", "SHLVL", "OLDPWD", "_"];
    let names: Vec<&str> = names.filter(|name| !own.contains(name)).collect();
    assert!(names.iter().all(|name| ["PATH", "HOME", "WIKI_TOKEN"].contains(name)), "{names:?}");
    assert!(names.contains(&"WIKI_TOKEN"));
}

// proves: F5
#[tokio::test]
async fn a_hostile_program_costs_one_warning_and_gets_no_further_call() {
    let cases = [
        (
            Mcp::FloodsOneLine,
            "more than the limit of 1048576 bytes; raise `mcp.wiki.bytes` to read it",
        ),
        (Mcp::Chatters, "more than 1000 messages"),
        (Mcp::Dies, "ended before it answered"),
        (Mcp::ReturnsWrongly(json!([ORDER])), "a result of tools/call of another form"),
        (Mcp::ReturnsWrongly(json!({"content": 7})), "a result of tools/call of another form"),
        (Mcp::ReturnsWrongly(json!({"content": [{"type": "text", "text": {}}]})), "another form"),
        (Mcp::Reports(ORDER.into()), "reports a failure of its tool search: IMPORTANT"),
    ];
    for (mcp, what) in cases {
        let program = Program::new(&mcp);
        let outside = build_outside(program.server.clone());
        let first = why_not(&ask(&outside, "surge").await);
        assert!(first.contains(what), "{mcp:?}: {first}");
        assert!(first.chars().count() < 700, "{first}");
        // The next query of the same run has the same reason, which is one warning.
        assert_eq!(why_not(&ask(&outside, "another").await), first);
        let asked = program.asked();
        assert!(asked.iter().all(|method| PLANNED.contains(&method.as_str())), "{asked:?}");
        assert_eq!(asked.len(), if matches!(mcp, Mcp::Reports(_)) { 6 } else { 3 }, "{mcp:?}");
    }
}

// proves: F5
#[tokio::test]
async fn a_program_that_hangs_is_ended_with_all_that_it_started() {
    let mut program = Program::new(&Mcp::Hangs);
    program.server.timeout = Duration::from_secs(2);
    let outside = build_outside(program.server.clone());
    let (one, other) = tokio::join!(ask(&outside, "surge"), ask(&outside, "another"));
    assert_eq!(
        why_not(&one),
        "the MCP server wiki did not answer within 2 s; raise mcp.NAME.seconds to wait longer"
    );
    assert_eq!(why_not(&other), why_not(&one));
    assert_eq!(program.asked(), PLANNED, "the second query did not start it again");
    let child = std::fs::read_to_string(program.folder.path().join("log.pid")).unwrap();
    let child = PathBuf::from(format!("/proc/{}/stat", child.trim()));
    for _ in 0..500 {
        // Somebody may still have to note its end.
        let stat = std::fs::read_to_string(&child).unwrap_or_default();
        if stat.is_empty() || stat.contains(") Z ") {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("what the program started still runs");
}

// proves: F5
#[tokio::test]
async fn what_a_server_asks_of_its_client_is_refused() {
    let program = Program::new(&Mcp::AsksBack(FACT.into()));
    let served = ask(&build_outside(program.server.clone()), "surge").await;
    assert_eq!(served.texts[0].text, FACT, "{served:?}");
    let got = program.got();
    let answer = |id: &str| got.iter().find(|message| message["id"] == id).unwrap();
    for id in ["s1", "s2"] {
        assert_eq!(answer(id)["error"]["code"], -32601);
    }
    assert_eq!(answer("s3")["result"], json!({}));
}

// proves: F5
#[tokio::test]
async fn a_program_that_is_not_there_is_named() {
    let command = "no-such-program-of-quaestio".to_owned();
    let endpoint = McpEndpoint::Program { command, args: vec![], variables: vec![] };
    let why = why_not(&ask(&build_outside(build_server(endpoint)), "surge").await);
    assert!(why.contains("could not start the program no-such-program-of-quaestio"), "{why}");
}

fn json_reply(body: &Value) -> Say {
    Say::status(
        200,
        &[("content-type", "application/json"), ("mcp-session-id", "session-1")],
        &body.to_string(),
    )
}

/// Starts a server over HTTP that answers a call by `called`, and everything else as it should.
fn over_http(called: impl Fn(&Seen) -> Say + Send + Sync + 'static) -> (Server, Outside) {
    let server = Server::start(move |seen| {
        let message: Value = serde_json::from_str(&seen.body).unwrap_or_default();
        if message["method"] == "tools/call" {
            return called(seen);
        }
        match Mcp::text(FACT).reply(&message) {
            Some(reply) => json_reply(&reply),
            None => Say::status(202, &[], ""),
        }
    });
    let url = server.url("/mcp").parse().unwrap();
    let token = Some(("WIKI_TOKEN".to_owned(), Some(Secret::from("canary-1".to_owned()))));
    let outside = build_outside(build_server(McpEndpoint::Address { url, token }));
    (server, outside)
}

fn answered(seen: &Seen) -> Value {
    Mcp::text(FACT).reply(&serde_json::from_str(&seen.body).unwrap()).unwrap()
}

// proves: F5
#[tokio::test]
async fn an_address_answers_with_json_or_with_events() {
    let whole = over_http(|seen| json_reply(&answered(seen)));
    let events = over_http(|seen| {
        let notification = fakes::mcp::notification();
        let asked = &fakes::mcp::questions()[0];
        let body = format!(
            ": hello\n\ndata: {notification}\n\nevent: message\ndata: {asked}\n\ndata: {}\n\n",
            answered(seen)
        );
        Say::status(200, &[("content-type", "text/event-stream")], &body)
    });
    for (server, outside) in [&whole, &events] {
        let served = ask(outside, "surge").await;
        assert_eq!(served.texts[0].text, FACT, "{served:?}");
        let seen = server.seen();
        let methods: Vec<&str> = seen.iter().map(|one| one.method.as_str()).collect();
        assert_eq!(methods.last(), Some(&"DELETE"), "{methods:?}");
        for one in &seen {
            assert_eq!(one.header("authorization"), Some("Bearer canary-1"));
            assert_eq!(one.path, "/mcp");
        }
        for one in &seen[1..] {
            assert_eq!(one.header("mcp-session-id"), Some("session-1"));
            assert_eq!(one.header("mcp-protocol-version"), Some("2025-06-18"));
        }
    }
}

// proves: F5
#[tokio::test]
async fn a_hostile_address_costs_one_warning_and_gets_no_further_request() {
    let canary = Server::start(|_| Say::json("{}"));
    let inside = canary.url("/latest/meta-data/");
    let events = "HTTP/1.1 200 X\r\ncontent-type: text/event-stream\r\n\r\n";
    let notification = fakes::mcp::notification();
    let endless = Say::Pieces {
        head: events,
        piece: format!("data: {notification}\n\n").into_bytes(),
        pause: Duration::ZERO,
    };
    let no_line = Say::Pieces { head: events, piece: vec![b'a'; 1 << 16], pause: Duration::ZERO };
    let body =
        format!("{{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{{\"content\":\"canary-1 {ORDER}\"}}}}");
    let cases = [
        (Say::redirect(307, &inside), "a redirect to 127.0.0.1, which is not followed"),
        (Say::redirect(302, &inside), "which is not followed"),
        (endless, "more than 1000 messages"),
        (no_line, "more than the limit of 1048576 bytes"),
        (
            Say::raw(
                "HTTP/1.1 200 X\r\ncontent-type: application/json\r\ncontent-length: 1000000000\r\n\r\n{",
            ),
            "the connection broke",
        ),
        (
            Say::html(&format!("<html><title>{ORDER}</title>")),
            "neither JSON nor a stream of events",
        ),
        (Say::json(&body), "a result of tools/call of another form"),
        (Say::json("[1, 2"), "no message of JSON-RPC"),
        (
            Say::json(
                r#"{"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"canary-1 is wrong"}}"#,
            ),
            "*** is wrong",
        ),
        (Say::status(401, &[], "canary-1"), "status 401"),
        (Say::Reset(vec![]), "broke"),
    ];
    for (say, what) in cases {
        let (server, outside) = over_http(move |_| say.clone());
        let why = why_not(&ask(&outside, "surge").await);
        assert!(why.contains(what), "{what}: {why}");
        assert!(!why.contains("canary-1"), "{why}");
        assert_eq!(why_not(&ask(&outside, "another").await), why);
        assert!(server.seen().iter().all(|seen| seen.path == "/mcp"));
        assert_eq!(canary.connections(), 0);
    }
}

// proves: F5
#[tokio::test]
async fn a_text_that_repeats_the_token_is_not_taken() {
    let (_, outside) = over_http(|seen| {
        let message = serde_json::from_str(&seen.body).unwrap();
        json_reply(&Mcp::text("your token is canary-1").reply(&message).unwrap())
    });
    let why = why_not(&ask(&outside, "surge").await);
    assert!(why.contains("its answer contains the API key"), "{why}");
}

// proves: F5
#[tokio::test]
async fn a_trial_tells_who_answers_and_what_is_lacking() {
    let mut program = Program::new(&Mcp::text(FACT));
    let more = McpTool { name: "look_up".into(), ..program.server.tools[0].clone() };
    program.server.tools.push(more);
    let trial =
        build_outside(program.server.clone()).try_server(program.server.name).await.unwrap();
    assert_eq!(
        (trial.calls_itself.as_str(), trial.lacking),
        ("fake wiki 1.0", vec!["look_up".into()])
    );
    assert!(!program.asked().contains(&"tools/call".to_owned()));
}

// proves: F5
#[tokio::test]
async fn a_server_without_a_place_or_its_variable_is_known_before_a_run() {
    let url = "http://127.0.0.1:9/mcp".parse().unwrap();
    let token = Some(("WIKI_TOKEN".to_owned(), None));
    let outside = build_outside(build_server(McpEndpoint::Address { url, token }));
    let lacks = |name: &str| outside.ready(&[name.parse().unwrap()]).unwrap_err().to_string();
    assert!(lacks("mcp:wiki").contains("needs the environment variable WIKI_TOKEN"));
    assert!(lacks("mcp:other").contains("no MCP server is called other"));
    let why = why_not(&ask(&outside, "surge").await);
    assert!(why.contains("WIKI_TOKEN"), "{why}");
    assert!(matches!(
        outside.try_server("other".parse().unwrap()).await,
        Err(PortError::Invalid { .. })
    ));
}

// proves: F5
#[tokio::test]
async fn the_same_query_is_answered_from_the_cache_and_without_a_network_from_nowhere_else() {
    let folder = tempfile::tempdir().unwrap();
    let program = Program::new(&Mcp::text(FACT));
    let build = |network| {
        let memory = std::sync::Arc::new(crate::FolderMemory::open(folder.path()).unwrap());
        let own = Endpoint::default;
        let services = Services {
            arxiv: own(),
            crossref: own(),
            semantic_scholar: own(),
            openalex: own(),
            web: None,
            servers: vec![program.server.clone()],
            stand_in: true,
        };
        let settings = Settings { network, ..Settings::default() };
        Outside::new(settings, services, Some(memory)).unwrap()
    };
    let first = ask(&build(Network::Usual), "surge").await;
    assert_eq!(ask(&build(Network::Usual), "surge").await, first);
    let cached = build(Network::Cached);
    assert!(why_not(&ask(&cached, "another").await).contains("not in the cache"));
    assert_eq!(ask(&cached, "surge").await, first, "one that is kept is found all the same");
    assert_eq!(program.asked(), PLANNED, "it was started once");
}
