//! Stop means stop: the connection to the model drops, and what was gathered stands.

use std::process::Stdio;
use std::time::{Duration, Instant};

use fakes::{FakeModel, Say};
use serde_json::json;

use crate::stand::{QUESTION, Stand, examples, read_output};

// proves: C7
#[test]
fn a_run_is_cancelled_from_another_process_in_the_middle_of_a_generation() {
    for stream in ["true", "false"] {
        let server = FakeModel::start(|_| Say::Hang);
        let stand =
            Stand::with_model(&server.base_url()).variable("QUAESTIO_MODELS__STREAM", stream);
        let docs = examples();
        let mut command =
            stand.command(&["ask", QUESTION, "--docs", docs.to_str().unwrap(), "--format", "json"]);
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        assert!(server.wait(|server| !server.seen().is_empty()), "the model is asked");
        let asked = Instant::now();
        let cancelled = stand.run(&["runs", "cancel", "last"]);
        assert_eq!(cancelled.code, 0, "{cancelled:?}");
        let told = read_output(&child.wait_with_output().unwrap());
        assert_eq!(told.code, 6, "{told:?}");
        assert!(asked.elapsed() < Duration::from_secs(10), "it took {:?}", asked.elapsed());
        assert!(server.wait(|server| server.dropped() == 1), "the connection is closed");
        assert_eq!(server.seen().len(), 1, "no later call");
        let result = told.json();
        assert_eq!(result["status"], "cancelled");
        assert!(result["deliverable"]["stage_outputs"]["retrieve #1"]["passages"].is_array());
        let list = stand.run(&["runs", "list", "--json"]).json();
        assert_eq!(list[0]["status"], json!("cancelled"));
        stand.run(&["runs", "cancel", "last"]).fails(1, "already cancelled");
    }
}

// proves: C7
#[cfg(unix)]
#[test]
fn an_interrupt_at_the_terminal_ends_the_run_in_good_order() {
    let server = FakeModel::start(|_| Say::Hang);
    let stand = Stand::with_model(&server.base_url());
    let docs = examples();
    let mut command = stand.command(&["ask", QUESTION, "--docs", docs.to_str().unwrap()]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    assert!(server.wait(|server| !server.seen().is_empty()));
    let killed = std::process::Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status()
        .unwrap();
    assert!(killed.success());
    let told = read_output(&child.wait_with_output().unwrap());
    assert_eq!(told.code, 6, "{told:?}");
    assert!(server.wait(|server| server.dropped() == 1));
    // What was done is kept, and the command that goes on from there does.
    assert!(told.err.contains("stopped; 2 finished steps are kept"), "{told:?}");
    let (_, command) = told.err.split_once("continue from there: quaestio ").unwrap();
    let (before, step) = command.trim().split_once(" --from ").unwrap();
    assert_eq!(step, "'writer #1'");
    let mut args: Vec<&str> = before.split(' ').collect();
    args.extend(["--from", step.trim_matches('\''), "--no-model"]);
    let forked = stand.run(&args);
    assert_eq!(forked.code, 0, "{forked:?}");
    assert!(forked.out.contains("8 September 1854"), "{forked:?}");
}

// proves: C1, C7
#[test]
fn a_run_whose_process_was_killed_can_be_cancelled_or_resumed_at_once() {
    let server =
        FakeModel::start(
            |seen| if seen.number <= 2 { Say::Hang } else { crate::stand::honest(seen) },
        );
    let stand = Stand::with_model(&server.base_url());
    let docs = examples();
    for calls in 1..=2 {
        let mut command = stand.command(&["ask", QUESTION, "--docs", docs.to_str().unwrap()]);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        assert!(server.wait(|server| server.seen().len() == calls));
        if calls == 1 {
            stand.run(&["runs", "resume", "last"]).fails(1, "being worked on");
        }
        // Somebody works on it; then nobody does.
        let living = stand.run(&["runs", "list", "--json"]).json()[0].clone();
        assert_eq!((&living["status"], &living["interrupted"]), (&json!("running"), &json!(false)));
        assert!(!stand.run(&["runs", "show", "last"]).out.contains("interrupted"));
        child.kill().unwrap();
        child.wait().unwrap();
        let dead = stand.run(&["runs", "list", "--format", "json"]).json()[0].clone();
        assert_eq!((&dead["status"], &dead["interrupted"]), (&json!("running"), &json!(true)));
        let run = dead["run_id"].as_str().unwrap();
        let listed = stand.run(&["runs", "list"]);
        assert!(listed.out.contains("interrupted"), "{listed:?}");
        assert!(listed.err.contains(&format!("quaestio runs resume {run}")), "{listed:?}");
        let shown = stand.run(&["runs", "show", run]);
        assert!(shown.out.contains("status: interrupted"), "{shown:?}");
        assert!(shown.out.contains(&format!("quaestio runs resume {run}")), "{shown:?}");
        if calls == 1 {
            let cancelled = stand.run(&["runs", "cancel", "last"]);
            assert_eq!(cancelled.code, 0, "{cancelled:?}");
            assert!(cancelled.out.contains("cancelled"), "{cancelled:?}");
        }
    }
    let told = stand.run(&["runs", "resume", "last", "--format", "json"]);
    assert_eq!(told.code, 0, "{told:?}");
    assert_eq!(server.seen().len(), 3, "the call in flight is made once more");
    let result = told.json();
    assert_eq!(result["usage"]["lost_calls"], 1);
    assert!(result["warnings"][0].as_str().unwrap().contains("without a reply"), "{result}");
}
