//! Standard error as JSON, an object a line, for what collects logs.

use std::io::Read;
use std::process::Stdio;

use serde_json::Value;

use crate::stand::{QUESTION, Stand, Told};

fn json() -> Stand {
    Stand::new().variable("QUAESTIO_LOG__FORMAT", "json")
}

/// Reads every line, each of which must be an object with the same fields.
fn parse_lines(err: &str) -> Vec<Value> {
    let read = |line: &str| {
        let value: Value = serde_json::from_str(line).unwrap_or_else(|_| panic!("'{line}'"));
        let at = value["at"].as_str().unwrap();
        assert!(at.parse::<jiff::Timestamp>().is_ok(), "{line}");
        assert!(["info", "warning", "error"].contains(&value["level"].as_str().unwrap()), "{line}");
        assert!(!value["event"].as_str().unwrap().is_empty(), "{line}");
        assert!(!value["message"].as_str().unwrap().is_empty(), "{line}");
        value
    };
    err.lines().map(read).collect()
}

fn events(said: &Told) -> Vec<String> {
    let lines = parse_lines(&said.err);
    lines.iter().map(|line| line["event"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_command_tells_each_step_with_its_run_and_its_result_is_as_ever() {
    let stand = json();
    let said = stand.ask(QUESTION, &[]);
    assert_eq!(said.code, 0, "{said:?}");
    assert!(said.out.contains("8 September 1854"), "{said:?}");
    let lines = parse_lines(&said.err);
    let run = stand.run(&["runs", "list", "--json"]).json()[0]["run_id"].clone();
    let of_run: Vec<&str> = lines
        .iter()
        .filter(|line| line["run"] == run)
        .map(|line| line["event"].as_str().unwrap())
        .collect();
    assert!(of_run.starts_with(&["started"]) && of_run.contains(&"finished"), "{lines:#?}");
    let retrieved = |line: &Value| line["event"] == "called" && line["message"] == "retrieve #1";
    assert!(lines.iter().any(retrieved), "{lines:#?}");
}

#[test]
fn whatever_goes_wrong_is_one_line_too() {
    let usage = json().run(&["ask", "--no-such-flag"]);
    assert_eq!((usage.code, parse_lines(&usage.err).len()), (2, 1), "{usage:?}");
    assert_eq!(parse_lines(&usage.err)[0]["level"], "error");
    // A configuration that cannot be read is told as the environment wants it.
    let broken = json().variable("QUAESTIO_ASK__TOP_K", "many").run(&["runs", "list"]);
    assert_eq!((broken.code, events(&broken)), (2, vec!["error".to_owned()]), "{broken:?}");
    let message = parse_lines(&broken.err)[0]["message"].as_str().unwrap().to_owned();
    assert!(message.contains("ask.top_k") && message.contains("help:"), "{message}");
    let wrong = Stand::new().variable("QUAESTIO_LOG__FORMAT", "xml").run(&["runs", "list"]);
    wrong.fails(2, "log.format");
}

#[test]
fn the_file_and_the_command_line_say_so_as_well() {
    let said = Stand::new().ask(QUESTION, &["--set", "log.format=json"]);
    assert!(parse_lines(&said.err).iter().any(|line| line["event"] == "finished"));
    let file = Stand::new();
    let path = file.file("own.toml", "[log]\nformat = \"json\"\n");
    let said = file.run(&["--config", path.to_str().unwrap(), "runs", "show", "nothing"]);
    assert_eq!(events(&said), ["error"], "{said:?}");
    let said = Stand::new().ask(QUESTION, &[]);
    assert!(
        said.err.starts_with("run ") || said.err.contains("\nrun "),
        "text stays text: {said:?}"
    );
}

/// A server whose standard error is read when it has ended.
fn served(stand: &Stand, requests: &[(&str, &str)]) -> String {
    use std::io::{BufRead, BufReader, Write};
    let mut command = stand.command(&["serve", "--listen", "127.0.0.1:0"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut first = String::new();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    out.read_line(&mut first).unwrap();
    let address = first.trim().rsplit('/').next().unwrap().to_owned();
    for (head, body) in requests {
        let mut stream = std::net::TcpStream::connect(&address).unwrap();
        let length = body.len();
        let told = format!(
            "{head} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\nauthorization: Bearer canary-token\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n{body}"
        );
        stream.write_all(told.as_bytes()).unwrap();
        stream.read_to_end(&mut Vec::new()).unwrap();
    }
    let stopped = std::process::Command::new("kill").arg(child.id().to_string()).status();
    assert!(stopped.unwrap().success());
    let mut err = String::new();
    child.stderr.take().unwrap().read_to_string(&mut err).unwrap();
    child.wait().unwrap();
    err
}

// proves: C17
#[test]
fn a_server_tells_of_requests_and_of_nothing_that_was_in_them() {
    let requests = [
        ("GET /api/collections?q=canary-query", ""),
        ("POST /api/runs", r#"{"question": "canary-question", "nonsense": "canary-body"}"#),
        ("GET /nothing/canary-path", ""),
    ];
    let err = served(&json(), &requests);
    let lines = parse_lines(&err);
    let told: Vec<&Value> = lines.iter().filter(|line| line["event"] == "request").collect();
    assert_eq!(told.len(), 3, "{err}");
    assert_eq!(
        (&told[0]["method"], &told[0]["path"]),
        (&"GET".into(), &"/api/collections".into()),
        "{err}"
    );
    assert_eq!((&told[2]["path"], &told[2]["status"]), (&"other".into(), &404.into()), "{err}");
    assert!(told.iter().all(|line| line["milliseconds"].is_u64()), "{err}");
    assert!(!err.contains("canary"), "{err}");
    let plain = served(&Stand::new(), &requests);
    assert!(!plain.contains("/api/collections"), "people are not told of requests: {plain}");
}
