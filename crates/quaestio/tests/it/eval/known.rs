//! Nothing is asked twice: after a kill, after an interrupt, and in the next evaluation.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use fakes::{FakeModel, Say};

use super::*;
use crate::stand::{examples, read_output};

/// A server that answers until its `last`th request, which it leaves hanging until it is let go.
fn hanging(last: usize) -> (FakeModel, Arc<AtomicUsize>) {
    let hangs_at = Arc::new(AtomicUsize::new(last));
    let at = Arc::clone(&hangs_at);
    let answers = model(sensible);
    let server = FakeModel::start(move |seen| {
        if seen.number == at.load(Ordering::SeqCst) { Say::Hang } else { answers(seen) }
    });
    (server, hangs_at)
}

/// How often each prompt was asked, in the order in which it was first asked.
fn asked(server: &FakeModel, from: usize) -> BTreeMap<String, usize> {
    let mut asked = BTreeMap::new();
    for seen in server.seen().iter().filter(|seen| seen.number >= from) {
        *asked.entry(seen.prompt()).or_default() += 1;
    }
    asked
}

// proves: A8, C1
#[test]
fn an_evaluation_that_was_killed_goes_on_and_asks_nothing_again() {
    // In the middle of the answers, and in the middle of the judging, whatever is known from before.
    for (last, fresh) in [(3, false), (12, false), (12, true)] {
        let (server, _) = hanging(last);
        let stand = Stand::with_model(&server.base_url());
        let dataset = questions(&stand, 3);
        let docs = examples();
        let more = if fresh { &["--fresh"][..] } else { &[] };
        let args = [
            "eval",
            dataset.to_str().unwrap(),
            "--docs",
            docs.to_str().unwrap(),
            "--concurrency",
            "1",
            "--format",
            "json",
        ];
        let args = [&args[..], more].concat();
        let mut child =
            stand.command(&args).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        assert!(server.wait(|server| server.seen().len() >= last), "the model is asked");
        child.kill().unwrap();
        child.wait().unwrap();
        let before = stand.run(&["eval", "list", "--json"]).json();
        assert_eq!((before.as_array().unwrap().len(), &before[0]["state"]), (1, &json!("begun")));
        stand.run(&["eval", "show", "last"]).fails(1, "no evaluations");

        let whole = stand.run(&args);
        assert_eq!(whole.code, 0, "{whole:?}");
        let report = whole.json();
        assert_eq!(report["id"], before[0]["id"], "the same evaluation goes on");
        assert!(
            observations(&report).values().all(|one| one["cached"] == false),
            "they are its own"
        );
        let twice: Vec<usize> =
            asked(&server, 1).into_values().filter(|times| *times > 1).collect();
        assert_eq!(twice, [2], "only the call that was lost with its process is made again");
        // Two answers to each question, each scored, and the pair in both orders, in two rounds.
        assert_eq!(asked(&server, 1).len(), 3 * (2 + 2 * (2 + 2)));
        assert_eq!(stand.run(&["eval", "list", "--json"]).json().as_array().unwrap().len(), 1);
    }
}

// proves: A8, C7
#[cfg(unix)]
#[test]
fn an_interrupt_ends_in_good_order_and_the_same_command_goes_on() {
    let (server, _) = hanging(3);
    let stand = Stand::with_model(&server.base_url());
    let dataset = questions(&stand, 3);
    let docs = examples();
    let args = [
        "eval",
        dataset.to_str().unwrap(),
        "--docs",
        docs.to_str().unwrap(),
        "--concurrency",
        "1",
        "--no-judge",
    ];
    let child = stand.command(&args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    assert!(server.wait(|server| server.seen().len() >= 3));
    let id = child.id().to_string();
    assert!(std::process::Command::new("kill").args(["-INT", &id]).status().unwrap().success());
    let stopped = read_output(&child.wait_with_output().unwrap());
    assert_eq!(stopped.code, 6, "{stopped:?}");
    assert!(stopped.err.contains("run the same command to resume"), "{stopped:?}");
    assert!(server.wait(|server| server.dropped() == 1), "the connection is closed");
    assert_eq!(stopped.out, "");
    let runs = stand.run(&["runs", "list", "--all", "--json"]).json();
    let open = runs.as_array().unwrap().iter().filter(|run| run["status"] == "running").count();
    assert_eq!(open, 0, "nothing is left half done: {runs}");

    let whole = stand.run(&[&args[..], &["--format", "json"]].concat());
    assert_eq!(whole.code, 0, "{whole:?}");
    assert_eq!(asked(&server, 1).values().filter(|times| **times > 1).count(), 1);
    assert_eq!(asked(&server, 1).len(), 6);
}

// proves: A8
#[test]
fn what_an_earlier_evaluation_asked_is_not_asked_again_and_fresh_asks_anew() {
    let server = FakeModel::start(model(sensible));
    let stand = Stand::with_model(&server.base_url());
    let dataset = questions(&stand, 3);
    let all = |more: &[&str]| {
        let told = evaluated(&stand, &dataset, &[more, &["--format", "json"]].concat());
        assert_eq!(told.code, 0, "{told:?}");
        told.json()
    };
    let first = all(&[]);
    let made = server.seen().len();
    let second = all(&[]);
    assert_eq!(server.seen().len(), made, "nothing is paid for again");
    assert_ne!(first["id"], second["id"]);
    assert!(observations(&second).values().all(|one| one["cached"] == true));
    assert_eq!(first["arms"], second["arms"]);
    assert_eq!(first["judge"]["scores"], second["judge"]["scores"]);

    // A new case is asked, the others are known; the documents lie elsewhere, and are the same.
    let copy = stand.path("copy");
    let mut copies = std::process::Command::new("cp");
    copies.args(["-r", examples().to_str().unwrap(), copy.to_str().unwrap()]);
    assert!(copies.status().unwrap().success());
    questions(&stand, 4);
    let more = stand.run(&[
        "eval",
        dataset.to_str().unwrap(),
        "--docs",
        "copy",
        "--no-judge",
        "--format",
        "json",
    ]);
    assert_eq!(more.code, 0, "{more:?}");
    let asked = |from: usize| -> BTreeSet<(Role, String)> {
        let question =
            |seen: &Seen| skip_instructions(seen).lines().nth(2).unwrap_or_default().to_owned();
        let of = |seen: &Seen| (role(seen), question(seen));
        server.seen().iter().filter(|seen| seen.number > from).map(of).collect()
    };
    assert_eq!(asked(made).len(), 2, "the writer and the model alone, and of the new question");
    // Other documents are another question.
    let before = server.seen().len();
    stand.file("copy/history/more.md", "# More\n\nThe parish of St James kept the pump locked.\n");
    stand.run(&[
        "eval",
        dataset.to_str().unwrap(),
        "--docs",
        "copy",
        "--no-judge",
        "--strategy",
        "rag",
    ]);
    let roles: Vec<Role> = asked(before).into_iter().map(|(role, _)| role).collect();
    assert_eq!(roles, [Role::Writer; 4], "the model alone reads no documents");
    // So are other settings.
    let before = server.seen().len();
    evaluated(&stand, &dataset, &["--no-judge", "--set", "ask.top_k=7"]);
    assert_eq!(asked(before).len(), 8);

    for _ in 0..2 {
        let before = server.seen().len();
        let fresh = all(&["--fresh", "--no-judge"]);
        assert_eq!(asked(before).len(), 8);
        assert!(observations(&fresh).values().all(|one| one["cached"] == false));
    }
    let before = server.seen().len();
    // What was asked anew is what is known from then on.
    let newest = all(&["--no-judge"]);
    let run = |report: &Value| observations(report)[&("a01".into(), "rag".into())]["run"].clone();
    assert_ne!(run(&newest), run(&first));
    assert_eq!(server.seen().len(), before);
}

// proves: A8
#[test]
fn another_document_in_the_collection_is_another_question() {
    let stand = Stand::new();
    let docs = examples();
    let ingest = |path: &str| {
        let told = stand.run(&["ingest", path, "--collection", "kb"]);
        assert_eq!(told.code, 0, "{told:?}");
    };
    ingest(docs.to_str().unwrap());
    let dataset = questions(&stand, 2);
    let known = || {
        let args = ["eval", dataset.to_str().unwrap(), "--collection", "kb", "--format", "json"];
        let told = stand.run(&args);
        assert_eq!(told.code, 0, "{told:?}");
        let all = observations(&told.json());
        all.into_values().filter(|one| one["cached"] == true).count()
    };
    assert_eq!([known(), known()], [0, 4]);
    ingest(
        stand.file("more/soho.md", "# Soho\n\nSoho is a part of Westminster.\n").to_str().unwrap(),
    );
    assert_eq!(known(), 2, "the model alone reads no documents");
}

// proves: A8
#[test]
fn a_run_that_came_to_no_end_is_told_and_tried_again() {
    let broken = Arc::new(AtomicUsize::new(1));
    let is_broken = Arc::clone(&broken);
    let answers = model(sensible);
    let server = FakeModel::start(move |seen| match role(seen) {
        Role::Alone if is_broken.load(Ordering::SeqCst) == 1 => Say::text("no JSON at all"),
        _ => answers(seen),
    });
    let stand = Stand::with_model(&server.base_url());
    let dataset = questions(&stand, 2);
    let first = evaluated(&stand, &dataset, &["--no-judge", "--format", "json"]);
    assert_eq!(first.code, 4, "{first:?}");
    let report = first.json();
    let alone = &observations(&report)[&("a01".into(), "direct".into())];
    assert_eq!(alone["status"], "partial");
    assert!(alone["error"].as_str().unwrap().contains("answerer"), "{alone}");
    assert_eq!(report["arms"][1]["failed"], 2);

    broken.store(0, Ordering::SeqCst);
    let before = server.seen().len();
    let second = evaluated(&stand, &dataset, &["--no-judge", "--format", "json"]);
    assert_eq!(second.code, 0, "{second:?}");
    assert_eq!(server.seen().len(), before + 2, "only what failed is asked again");
    let second = observations(&second.json());
    assert_eq!(second[&("a01".into(), "rag".into())]["cached"], true);
    assert_eq!(second[&("a01".into(), "direct".into())]["cached"], false);
}
