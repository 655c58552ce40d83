//! Whole debates through the program: arXiv and Crossref answer, a model speaks for both scientists, and their code is really run.

use std::io::Read;
use std::process::{Child, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use fakes::{Asks, FakeModel, Judgement, Say, Seen, passages, readings};
use serde_json::{Value, json};

use crate::outside::{IN_THE_ABSTRACT, Outside, QUESTION};
use crate::serve::Served;
use crate::stand::{Stand, Told, claim, read_output};
use fakes::scholar::wanted;

/// Code that checks itself, and holds.
const HOLDS: &str = "surge = 3.42\nassert surge > 3, surge\nassert round(surge) == 3\nprint('the surge was', surge)\n";
/// Code that says that all is well, and fails.
const FAILS: &str = "print('Validation: PASS')\nassert 3.42 < 3, 'too high'\n";

/// How long anything here may take that should take no time.
const SOON: Duration = Duration::from_secs(20);

fn proposal(seen: &Seen, code: &str) -> Value {
    let shown = passages(&seen.prompt());
    let surge = shown.iter().find(|one| one.text.contains(IN_THE_ABSTRACT)).unwrap();
    json!({
        "position": [{"text": "I hold that wind alone explains it."}],
        "synthesis": [claim(IN_THE_ABSTRACT, surge.number, IN_THE_ABSTRACT)],
        "explanation": [{"text": "The code compares the surge with a bound."}],
        "code": {"language": "python", "source": code},
        "next_step": [{"text": "Compare it with pressure records."}],
        "agreement": "DISAGREE", "viability": "VIABLE", "conclusion": "Wind explains it.",
    })
}

fn review(viable: bool, passes: bool) -> Value {
    json!({
        "critique": [{"quotation": "I hold that wind alone explains it.", "text": "That leaves pressure out."}],
        "next_step": [{"text": "Look at the tide tables."}],
        "agreement": "AGREE",
        "viability": if viable { "VIABLE" } else { "NOT_VIABLE" },
        "validation": if passes { "PASS" } else { "FAIL" },
        "answer": if viable && passes { "VERIFIED" } else { "UNVERIFIED" },
        "verification_reason": "The checks say so.", "conclusion": "It holds as far as it goes.",
    })
}

/// Speaks for both; the reviewer passes whatever it sees.
fn scientists(code: &'static str) -> FakeModel {
    FakeModel::start(move |seen| spoken(seen, code))
}

fn spoken(seen: &Seen, code: &str) -> Say {
    match wanted(seen).as_str() {
        "Proposal" => Say::json(&proposal(seen, code)),
        "Review" => Say::json(&review(true, true)),
        "Readings" => Say::json(&readings(seen, |_| Judgement::Supported)),
        other => Say::error(400, &format!("who is {other}?")),
    }
}

/// The interpreter of the machine, which a stand without variables would not find.
fn interpreter() -> String {
    let asked = std::process::Command::new("python3")
        .args(["-c", "import os, sys; print(os.path.realpath(sys.executable))"])
        .output();
    asked.map(|said| String::from_utf8_lossy(&said.stdout).trim().to_owned()).unwrap_or_default()
}

fn open_stand(outside: &Outside, model: Option<&FakeModel>) -> Stand {
    let stand = outside.stand().variable("QUAESTIO_SANDBOX__INTERPRETER", &interpreter());
    let Some(model) = model else { return stand };
    stand
        .variable("QUAESTIO_MODEL", "fake/model")
        .variable("QUAESTIO_BASE_URL", &model.base_url())
        .variable("QUAESTIO_MODELS__RETRY_DELAY_MS", "1")
}

/// Tells whether code is executed on this machine; where it is not, nothing passes.
fn executes(stand: &Stand) -> bool {
    let told = stand.run(&["doctor", "--no-network"]);
    let line = told.out.lines().chain(told.err.lines()).find(|line| line.contains("sandbox:"));
    let line = line.unwrap_or_else(|| panic!("{told:?}"));
    line.contains("seccomp")
}

fn debate(stand: &Stand, more: &[&str]) -> Told {
    stand.run(&[&["debate", QUESTION, "--format", "json"], more].concat())
}

fn valid(deliverable: &Value) {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../schemas/debate_schema.json");
    let schema: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let wrong: Vec<String> =
        validator.iter_errors(deliverable).map(|error| error.to_string()).collect();
    assert!(wrong.is_empty(), "{wrong:?}\n{deliverable:#}");
}

// proves: D1, D2, D3, D4, D5
#[test]
fn a_debate_whose_code_holds_ends_viable() {
    let (outside, model) = (Outside::start(), scientists(HOLDS));
    let stand = open_stand(&outside, Some(&model));
    let told = debate(&stand, &["--max-turns", "2"]);
    assert_eq!(told.code, 0, "{told:?}");
    let result = told.json();
    let deliverable = &result["deliverable"];
    valid(deliverable);
    let turns = deliverable["turns"].as_array().unwrap();
    assert_eq!(turns[0]["ingested"], json!({"arxiv": 1, "crossref": 1}), "{deliverable:#}");
    assert!(turns[0]["retrieved"].as_u64().unwrap() >= 2);
    let reference = &turns[0]["references"][0];
    assert_eq!(
        reference["text"],
        "Tidewell, A., & Marsh, B. (2021). Wind and the Brightwater surge: a reanalysis (arXiv:2104.00001). arXiv. https://doi.org/10.48550/arXiv.2104.00001",
    );
    assert_eq!(reference["text"], result["references"][0]["text"], "the bibliography's own");
    let trial = &turns[0]["proposal"]["trial"];
    let asked = outside.asked();
    for service in ["/v1/arxiv/api/query", "/v1/crossref/works"] {
        assert!(asked.iter().any(|path| path.starts_with(service)), "{asked:?}");
    }
    assert!(
        !asked.iter().any(|path| path.contains("searx") || path.contains("pages")),
        "{asked:?}"
    );
    if executes(&stand) {
        assert_eq!(deliverable["ending"], "viable", "{deliverable:#}");
        assert_eq!(trial["checks"], json!({"found": 2, "held": 2, "failed": 0}));
        assert_eq!(trial["stdout"], "the surge was 3.42\n");
        assert_eq!(turns[1]["markers"]["validation"], "PASS");
        let lines = stand.run(&["runs", "events", "last"]);
        assert!(
            lines.out.contains("Research Scientist 2 Retrieved chunks from vector DB"),
            "{lines:?}"
        );
    } else {
        assert_eq!(trial["outcome"], "not_executed");
        assert_eq!(turns[1]["markers"]["validation"], "N/A");
        assert_eq!(deliverable["ending"], "max_turns");
    }
}

// proves: D4
#[test]
fn a_reviewer_that_always_passes_never_makes_failing_code_viable() {
    let (outside, model) = (Outside::start(), scientists(FAILS));
    let stand = open_stand(&outside, Some(&model));
    let told = debate(&stand, &["--max-turns", "2"]);
    assert_eq!(told.code, 0, "{told:?}");
    let result = told.json();
    let deliverable = &result["deliverable"];
    valid(deliverable);
    assert_eq!(deliverable["ending"], "max_turns", "{deliverable:#}");
    let turns = deliverable["turns"].as_array().unwrap();
    assert_eq!(turns.len(), 4);
    for review in [&turns[1], &turns[3]] {
        let wanted = if executes(&stand) { "FAIL" } else { "N/A" };
        assert_eq!(review["markers"]["validation"], wanted);
        assert!(review["overruled"].as_str().unwrap().starts_with("PASS is overruled"));
    }
    if executes(&stand) {
        let stderr = turns[0]["proposal"]["trial"]["stderr"].as_str().unwrap();
        assert!(stderr.contains("AssertionError: too high"), "{stderr}");
    }
}

// proves: D1, C10
#[test]
fn offline_the_evidence_is_debated_alone_and_labelled() {
    let outside = Outside::start();
    let stand = open_stand(&outside, None);
    let told = debate(&stand, &["--max-turns", "1"]);
    assert_eq!(told.code, 0, "{told:?}");
    let result = told.json();
    assert_eq!(result["mode"], "offline");
    let deliverable = &result["deliverable"];
    valid(deliverable);
    let turns = deliverable["turns"].as_array().unwrap();
    let said: Vec<&str> = turns
        .iter()
        .flat_map(|turn| turn["synthesis"].as_array().unwrap())
        .map(|sentence| sentence["text"].as_str().unwrap())
        .collect();
    assert!(said.contains(&IN_THE_ABSTRACT), "{said:?}");
    let quotes: Vec<&str> = result["citations"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["quote"].as_str().unwrap())
        .collect();
    assert!(said.iter().all(|one| quotes.contains(one)), "word for word: {said:?} {quotes:?}");
    assert_eq!(result["grounding"]["unsupported"], 0);
    let read = debate(&stand, &["--max-turns", "1", "--no-network"]);
    assert_eq!(read.code, 0, "the corpus was filled by the debate before: {read:?}");
    assert_eq!(read.json()["deliverable"]["turns"][0]["retrieved"], turns[0]["retrieved"]);
}

// proves: D6
#[test]
fn a_page_is_read_first_and_an_encyclopaedia_is_refused() {
    let (outside, model) = (Outside::start(), scientists(HOLDS));
    let stand = open_stand(&outside, Some(&model));
    let page = format!("{}pages/surge", outside.server.base_url());
    let told = debate(&stand, &["--max-turns", "1", "--url", &page]);
    assert_eq!(told.code, 0, "{told:?}");
    let asked = outside.asked();
    assert_eq!(asked[0], "/v1/pages/surge", "before anything is searched for: {asked:?}");
    assert!(told.json()["deliverable"]["turns"][0]["retrieved"].as_u64().unwrap() >= 3);
    let missing = format!("{}pages/nothing", outside.server.base_url());
    let told = debate(&stand, &["--max-turns", "1", "--url", &missing]);
    assert_eq!(told.code, 4, "{told:?}");
    assert!(told.err.contains("could not read"), "{told:?}");
    debate(&stand, &["--url", "https://en.wikipedia.org/wiki/Storm_surge"]).fails(2, "wikipedia");
    debate(&stand, &["--url", "http://169.254.169.254/latest/"]).fails(4, "169.254.169.254");
}

fn begun(stand: &Stand) -> Child {
    let mut command = stand.command(&["debate", QUESTION, "--format", "json", "--max-turns", "3"]);
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

/// Interrupts a debate that is at work, and returns what it delivers.
fn interrupted(stand: &Stand, child: Child) -> Value {
    let cancelled = stand.run(&["runs", "cancel", "last"]);
    assert_eq!(cancelled.code, 0, "{cancelled:?}");
    let began = Instant::now();
    let told = read_output(&child.wait_with_output().unwrap());
    assert_eq!(told.code, 6, "{told:?}");
    assert!(began.elapsed() < SOON, "{:?}", began.elapsed());
    let result = told.json();
    assert_eq!(result["status"], "cancelled");
    assert_eq!(result["deliverable"]["ending"], "interrupted", "{result:#}");
    valid(&{
        let mut deliverable = result["deliverable"].clone();
        deliverable.as_object_mut().unwrap().remove("claims");
        deliverable
    });
    result
}

/// Waits until `is` is so.
fn until(mut is: impl FnMut() -> bool) -> bool {
    let began = Instant::now();
    while began.elapsed() < SOON {
        if is() {
            return true;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    false
}

// proves: C7, D1
#[test]
fn an_interrupt_while_papers_are_asked_for_ends_it() {
    let outside = Outside::answering_late();
    let model = scientists(HOLDS);
    let stand = open_stand(&outside, Some(&model));
    let child = begun(&stand);
    assert!(outside.server.wait(|server| !server.seen().is_empty()));
    let result = interrupted(&stand, child);
    assert_eq!(result["deliverable"]["turns"], json!([]));
    assert!(outside.server.wait(|server| server.dropped() > 0), "the connection is closed");
    assert!(model.seen().is_empty(), "and nobody is asked later");
}

// proves: C7, D1
#[test]
fn an_interrupt_while_passages_are_looked_up_ends_it() {
    let (outside, model) = (Outside::start(), scientists(HOLDS));
    // The embedder makes the vectors of what is read, and never that of the question.
    let embedder = FakeModel::start(|seen| match seen.asks() {
        Asks::Vectors if seen.body["input"].to_string().contains("Brightwater surge?") => {
            Say::NoopListener
        }
        Asks::Vectors => Say::Vectors { dimensions: 32 },
        _ => Say::error(404, "only vectors here"),
    });
    let stand = open_stand(&outside, Some(&model))
        .variable("QUAESTIO_EMBEDDER", "fake/words")
        .variable("QUAESTIO_EMBEDDER__BASE_URL", &embedder.base_url());
    let child = begun(&stand);
    assert!(until(|| {
        embedder.seen().iter().any(|seen| seen.body.to_string().contains("Brightwater surge?"))
    }));
    interrupted(&stand, child);
    assert!(embedder.wait(|server| server.dropped() == 1), "the connection is closed");
    assert!(model.seen().is_empty());
}

// proves: C7, D1
#[test]
fn an_interrupt_in_mid_generation_closes_the_connection_and_keeps_the_turns_before() {
    let outside = Outside::start();
    let model = FakeModel::start(|seen| match wanted(seen).as_str() {
        "Proposal" => Say::json(&proposal(seen, "")),
        "Readings" => Say::json(&readings(seen, |_| Judgement::Supported)),
        _ => Say::Hang,
    });
    // Abstracts are there at once: papers come from arXiv with a pause between them.
    let stand = open_stand(&outside, Some(&model)).variable("QUAESTIO_DEBATE__FULL_TEXT", "false");
    let child = begun(&stand);
    assert!(model.wait(|server| server.seen().iter().any(|seen| wanted(seen) == "Review")));
    let result = interrupted(&stand, child);
    assert_eq!(result["deliverable"]["turns"].as_array().unwrap().len(), 1);
    assert!(model.wait(|server| server.dropped() == 1), "the connection is closed");
}

// proves: C7, D4
#[cfg(target_os = "linux")]
#[test]
fn an_interrupt_while_code_runs_leaves_no_process_behind() {
    let outside = Outside::start();
    let model = scientists("import time\nwhile True:\n    time.sleep(0.01)\n");
    let stand = open_stand(&outside, Some(&model)).variable("QUAESTIO_SANDBOX__SECONDS", "120");
    if !executes(&stand) {
        return;
    }
    let child = begun(&stand);
    let parent = child.id();
    let code = || {
        let below = descendants(parent);
        let is_warden = |line: &String| line.contains("execute-confined");
        let is_code = |line: &String| line.contains(" -S ") && !is_warden(line);
        let warden = below.iter().find(|(_, line)| is_warden(line)).map(|(pid, _)| *pid);
        warden.zip(below.iter().find(|(_, line)| is_code(line)).map(|(pid, _)| *pid))
    };
    // What tries the sandbox first is gone in no time; the code stays.
    let mut seen = (None, Instant::now());
    let stays = until(|| {
        let now = code();
        if now.is_none() || seen.0 != now {
            seen = (now, Instant::now());
        }
        seen.1.elapsed() > Duration::from_secs(2)
    });
    assert!(stays, "{:?}", descendants(parent));
    let (warden, python) = seen.0.unwrap();
    interrupted(&stand, child);
    let is_gone = |pid: u32| !std::path::Path::new(&format!("/proc/{pid}")).exists();
    assert!(until(|| is_gone(warden) && is_gone(python)), "{warden} or {python} lives on");
}

/// The processes that a process has started, and these in turn, with their command lines.
#[cfg(target_os = "linux")]
fn descendants(of: u32) -> Vec<(u32, String)> {
    let mut found = Vec::new();
    let mut waiting = vec![of];
    while let Some(pid) = waiting.pop() {
        for task in std::fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten() {
            let children =
                std::fs::read_to_string(task.path().join("children")).unwrap_or_default();
            for child in children.split_whitespace().filter_map(|one| one.parse::<u32>().ok()) {
                let line = std::fs::read(format!("/proc/{child}/cmdline")).unwrap_or_default();
                found.push((child, String::from_utf8_lossy(&line).replace('\0', " ")));
                waiting.push(child);
            }
        }
    }
    found
}

/// Puts a body together that came in chunks.
fn whole(chunked: &str) -> String {
    let (mut text, mut rest) = (String::new(), chunked);
    while let Some((length, after)) = rest.split_once("\r\n") {
        let length = usize::from_str_radix(length, 16).unwrap();
        let (chunk, behind) = after.split_at(length);
        text.push_str(chunk);
        rest = behind.strip_prefix("\r\n").unwrap();
    }
    text
}

// proves: C7, D5, D6
#[test]
fn the_documented_client_reads_a_debate_and_interrupts_another_in_mid_generation() {
    let outside = Outside::start();
    let hangs = Arc::new(AtomicBool::new(false));
    let held = Arc::clone(&hangs);
    let model =
        FakeModel::start(move |seen| match (held.load(Ordering::Relaxed), wanted(seen).as_str()) {
            (_, "Readings") => Say::json(&readings(seen, |_| Judgement::Supported)),
            (true, "Review") => Say::Begun(r#"{"synthesis": [{"text": "A draft of "#.to_owned()),
            _ => spoken(seen, HOLDS),
        });
    let stand = open_stand(&outside, Some(&model));
    let served = Served::on(&stand, &[]);
    let order = json!({"question": QUESTION, "history": [], "max_turns": 1}).to_string();
    let (status, text) = served.text("POST /api/stream", "application/json", order.as_bytes());
    assert_eq!(status, 200, "{text}");
    let text = whole(&text);
    for part in [
        "Research Scientist 1 Search Query: ",
        "Research Scientist 1 Ingested: arXiv=1, Crossref=1",
        "Research Scientist 2 Response:",
        "References (APA 7)",
        "[[STATUS]] done",
    ] {
        assert!(text.contains(part), "{part} is not in {text}");
    }
    let ending = if executes(&stand) {
        "=== Viable Solution Reached ==="
    } else {
        "=== Max Turns Reached ==="
    };
    assert!(text.contains(ending), "{text}");

    hangs.store(true, Ordering::Relaxed);
    let (status, mut stream) =
        served.send("POST /api/stream", "application/json", order.as_bytes());
    assert_eq!(status, 200);
    assert!(
        model.wait(
            |server| server.seen().iter().filter(|seen| wanted(seen) == "Review").count() == 2
        )
    );
    let (status, refused) = served.text("POST /api/ask", "application/json", order.as_bytes());
    assert_eq!(status, 409, "{refused}");
    let (status, said) = served.text("POST /api/interrupt", "application/json", b"{}");
    assert_eq!(status, 200, "{said}");
    assert!(said.contains("interrupting"), "{said}");
    // The server lives on, so it is the call that was given up.
    assert!(model.wait(|server| server.dropped() == 1), "the connection to the model is closed");
    let mut rest = String::new();
    stream.read_to_string(&mut rest).unwrap();
    let rest = whole(&rest);
    assert!(rest.contains("Research Scientist 2 Response:\nA draft of"), "{rest}");
    assert!(rest.contains("=== Debate Interrupted ==="), "{rest}");
    let (status, idle) = served.text("POST /api/interrupt", "application/json", b"");
    assert_eq!(status, 200, "{idle}");
    assert!(idle.contains("idle"), "{idle}");
}

// proves: D6
#[test]
fn one_debate_at_a_time() {
    let outside = Outside::start();
    let hangs = Arc::new(AtomicBool::new(true));
    let held = Arc::clone(&hangs);
    let model = FakeModel::start(move |seen| match held.load(Ordering::Relaxed) {
        true => Say::Hang,
        false => spoken(seen, HOLDS),
    });
    let stand = open_stand(&outside, Some(&model));
    let child = begun(&stand);
    assert!(model.wait(|server| !server.seen().is_empty()));
    let second = debate(&stand, &[]);
    assert_eq!(second.code, 1, "{second:?}");
    assert!(second.err.contains("debate.concurrent"), "{second:?}");
    interrupted(&stand, child);
    hangs.store(false, Ordering::Relaxed);
    let third = debate(&stand, &["--max-turns", "1"]);
    assert_eq!(third.code, 0, "{third:?}");
}

// proves: C1, D1
#[test]
fn a_viable_debate_whose_process_was_killed_at_any_entry_goes_on() {
    goes_on_from_any_entry(HOLDS, "1", 1);
}

// proves: C1, D1
#[test]
fn a_debate_of_several_cycles_whose_process_was_killed_at_any_entry_goes_on() {
    // Every third entry: there are many, and the first cycle is looked at closely above.
    goes_on_from_any_entry(FAILS, "2", 3);
}

/// A stored entry: its number, its hash and its body.
type Row = (i64, Vec<u8>, String);

fn goes_on_from_any_entry(code: &'static str, turns: &str, every: usize) {
    let (outside, model) = (Outside::start(), scientists(code));
    let stand = open_stand(&outside, Some(&model));
    let told = debate(&stand, &["--max-turns", turns]);
    assert_eq!(told.code, 0, "{told:?}");
    let whole = told.json();
    let run = whole["run_id"].as_str().unwrap().to_owned();
    let path = stand.data().join("quaestio.db");
    let rows: Vec<Row> = {
        let database = rusqlite::Connection::open(&path).unwrap();
        let mut all = database.prepare("SELECT seq, hash, body FROM entries ORDER BY seq").unwrap();
        let rows = all.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?))).unwrap();
        rows.map(Result::unwrap).collect()
    };
    let spoken = |rows: &[Row]| {
        let speaks = |(_, _, body): &&Row| {
            let entry: Value = serde_json::from_str(body).unwrap();
            entry["event"] == "returned" && entry["origin"] == "model"
        };
        rows.iter().filter(speaks).count()
    };
    let all = spoken(&rows);
    assert!(rows.len() > 30 && all >= 2, "{} entries, {all} replies", rows.len());
    for at in (1..rows.len()).step_by(every) {
        // What is on disk when the process dies right after this entry.
        let kept = &rows[..at];
        {
            let mut database = rusqlite::Connection::open(&path).unwrap();
            let change = database.transaction().unwrap();
            change.execute("DELETE FROM entries", []).unwrap();
            for (seq, hash, body) in kept {
                let values = rusqlite::params![run, seq, hash, body];
                change
                    .execute("INSERT INTO entries VALUES ('local', ?1, ?2, ?3, ?4)", values)
                    .unwrap();
            }
            let row = "UPDATE runs SET status = 'running', owner = NULL, lease_until_ms = 0, last_seq = ?1";
            change.execute(row, [at as i64]).unwrap();
            change.commit().unwrap();
        }
        let before = model.seen().len();
        let resumed = stand.run(&["runs", "resume", &run, "--format", "json"]);
        assert_eq!(resumed.code, 0, "after entry {at}: {resumed:?}");
        let result = resumed.json();
        assert_eq!(
            result["deliverable"]["ending"], whole["deliverable"]["ending"],
            "after entry {at}"
        );
        assert_eq!(spoken_in(&result), spoken_in(&whole), "after entry {at}");
        assert_eq!(result["citations"], whole["citations"], "after entry {at}");
        let asked = model.seen().len() - before;
        assert_eq!(
            asked,
            all - spoken(kept),
            "after entry {at}: what was on disk is not asked again"
        );
    }
}

/// What was said, without what is new each time.
fn spoken_in(result: &Value) -> Vec<Value> {
    let turns = result["deliverable"]["turns"].as_array().unwrap();
    let said = |turn: &Value| {
        json!([
            turn["scientist"],
            turn["position"],
            turn["synthesis"],
            turn["critique"],
            turn["markers"],
            turn["references"]
        ])
    };
    turns.iter().map(said).collect()
}
