//! `quaestio mcp`: the program as a client of the Model Context Protocol starts it.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use serde_json::{Value, json};

use crate::stand::{QUESTION, Stand, examples};

/// A program that was started, with its two ends.
struct Started {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Started {
    fn on(stand: &Stand) -> Started {
        let mut child = stand
            .command(&["mcp"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let (input, output) = (child.stdin.take(), child.stdout.take().unwrap());
        Started { child, input, output: BufReader::new(output) }
    }

    fn send(&mut self, line: &[u8]) {
        let input = self.input.as_mut().unwrap();
        input.write_all(line).unwrap();
        input.write_all(b"\n").unwrap();
        input.flush().unwrap();
    }

    fn read(&mut self) -> Value {
        let mut line = String::new();
        assert!(self.output.read_line(&mut line).unwrap() > 0, "the program is gone");
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"))
    }

    /// Sends a request and reads up to its answer.
    fn ask(&mut self, id: u32, method: &str, params: &Value) -> Value {
        let request = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        self.send(request.to_string().as_bytes());
        loop {
            let told = self.read();
            if told["id"] == id {
                return told;
            }
        }
    }

    fn open(&mut self) {
        let hello = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
        let told = self.ask(1, "initialize", &hello);
        assert_eq!(told["result"]["serverInfo"]["name"], "quaestio", "{told}");
        self.send(br#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
    }

    /// Closes the client's end; returns the exit code and what was said on the side.
    fn close(mut self) -> (Option<i32>, String) {
        drop(self.input.take());
        let ended = self.child.wait_with_output().unwrap();
        (ended.status.code(), String::from_utf8_lossy(&ended.stderr).into_owned())
    }
}

// proves: F4
#[test]
fn a_client_orders_research_over_standard_input_and_output() {
    let stand = Stand::new();
    let docs = examples();
    let taken = stand.run(&["ingest", docs.to_str().unwrap(), "--collection", "cholera"]);
    assert_eq!(taken.code, 0, "{taken:?}");
    let mut started = Started::on(&stand);
    started.open();
    let arguments = json!({"question": QUESTION, "collection": "cholera"});
    let told = started.ask(2, "tools/call", &json!({"name": "ask", "arguments": arguments}));
    let run = told["result"]["structuredContent"].clone();
    assert_eq!(run["status"], "completed", "{told}");
    assert!(run["report"].as_str().unwrap().contains("8 September 1854"), "{run}");
    let (code, said) = started.close();
    assert_eq!((code, said.as_str()), (Some(0), ""), "it ends with its client, and is silent");
    let shown = stand.run(&["runs", "export", run["run_id"].as_str().unwrap(), "--format", "md"]);
    assert_eq!(shown.out.trim_end(), run["report"].as_str().unwrap().trim_end());
}

/// Lines that are no messages, or not what their method takes.
fn malformed() -> Vec<Vec<u8>> {
    let odd = [
        json!(null),
        json!(0),
        json!("\u{feff}"),
        json!(true),
        json!(-1),
        json!(1.5),
        json!(u64::MAX),
        json!(""),
        json!("\u{0}"),
        json!("🦊"),
        json!([]),
        json!([[[]]]),
        json!({}),
        json!({"a": {"b": null}}),
        json!("x".repeat(5_000)),
    ];
    let base = [
        json!({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": "ask", "arguments": {"question": "q"}}}),
        json!({"jsonrpc": "2.0", "id": 7, "method": "tools/list", "params": {"cursor": "x"}}),
        json!({"jsonrpc": "2.0", "id": 7, "method": "resources/read", "params": {"uri": "run://x"}}),
        json!({"jsonrpc": "2.0", "id": 7, "method": "prompts/get", "params": {"name": "ask", "arguments": {"question": "q"}}}),
        json!({"jsonrpc": "2.0", "id": 7, "method": "tasks/get", "params": {"taskId": "x"}}),
        json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 3}}),
        json!({"jsonrpc": "2.0", "id": 7, "result": {}}),
        json!({"jsonrpc": "2.0", "id": 7, "method": "no/such"}),
    ];
    let mut lines: Vec<Vec<u8>> =
        vec![b"\xff\xfe\x00".to_vec(), vec![b'['; 50_000], vec![b' '; 100]];
    for message in &base {
        let text = message.to_string();
        lines.extend((1..text.len()).map(|end| text.as_bytes()[..end].to_vec()));
        for value in &odd {
            let fields = [
                "/jsonrpc",
                "/id",
                "/method",
                "/params",
                "/params/name",
                "/params/arguments",
                "/params/uri",
            ];
            for field in fields {
                let mut wrong = message.clone();
                // A call that would be right orders nothing here.
                if let Some(place) = wrong.pointer_mut(field) {
                    *place = value.clone();
                    lines.push(wrong.to_string().into_bytes());
                }
            }
        }
    }
    lines
}

// proves: F4
#[test]
fn a_thousand_malformed_lines_before_and_after_the_greeting_break_nothing() {
    let stand = Stand::new();
    let lines = malformed();
    assert!(lines.len() > 1_000, "{}", lines.len());
    let mut started = Started::on(&stand);
    let mut codes = BTreeSet::new();
    for is_open in [false, true] {
        if is_open {
            started.open();
        }
        for some in lines.chunks(20) {
            for line in some {
                started.send(line);
            }
            // Answers are read up to that of a good message, so that no pipe is ever full.
            started.send(br#"{"jsonrpc":"2.0","id":"good","method":"ping"}"#);
            loop {
                let told = started.read();
                if told["id"] == "good" {
                    assert!(told["result"].is_object(), "{told}");
                    break;
                }
                codes.extend(told["error"]["code"].as_i64());
            }
        }
    }
    let known = [-32700, -32600, -32601, -32602, -32603, -32002, -32021, -32022];
    assert!(codes.iter().all(|code| known.contains(code)), "{codes:?}");
    for usual in [-32700, -32600, -32601, -32602] {
        assert!(codes.contains(&usual), "{usual} of {codes:?}");
    }
    let told = started.ask(9, "tools/list", &json!({}));
    assert!(told["result"]["tools"].is_array());
    let (code, said) = started.close();
    assert_eq!(code, Some(0), "{said}");
}

// proves: F4
#[test]
fn a_client_that_does_not_read_cannot_keep_the_program_alive() {
    let stand = Stand::new();
    let mut started = Started::on(&stand);
    started.open();
    // More than a pipe holds.
    for id in 0..20 {
        let list = json!({"jsonrpc": "2.0", "id": id, "method": "tools/list"});
        started.send(list.to_string().as_bytes());
    }
    drop(started.input.take());
    let until = std::time::Instant::now() + std::time::Duration::from_secs(60);
    let code = loop {
        if let Some(status) = started.child.try_wait().unwrap() {
            break status.code();
        }
        assert!(std::time::Instant::now() < until, "it waits for a client that is gone");
        std::thread::sleep(std::time::Duration::from_millis(20));
    };
    assert_eq!(code, Some(0));
}
