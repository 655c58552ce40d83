//! A method that asks a person: nothing is held while they think, and the answer may come from anywhere.

use std::path::Path;
use std::sync::Arc;

use run::log::{Log, Status};
use run::work::{AnswerError, NewStart};
use run::world::{Clock, World};
use run::{Ask, Deliverable, Method, Methods, Outcome, Plan, PlanStep, Run, Settings, work};
use serde_json::{Value, json};
use store::Store;
use tokio::sync::watch;

use quaestio::Exit;

use crate::in_process::run_command;

const GREET: Method = Method::new("greet", 1, |run| Box::pin(greet(run)));

/// Asks twice, one after the other.
async fn greet(run: &Run) -> run::Result<Deliverable> {
    let ask = |question: &str| Ask { question: question.into(), ..Ask::default() };
    let name = run.ask("name", ask("What is your name?")).await?;
    let town = run.ask("town", ask("Where do you live?")).await?;
    let answer = format!("Hello, {name} of {town}!");
    let fields = [("answer".to_owned(), answer.into())].into_iter().collect();
    Ok(Deliverable { outcome: Outcome::Answered, fields, ledger: vec![] })
}

const TRAVEL: Method = Method::new("travel", 1, |run| Box::pin(travel(run)));

/// Proposes where to go, and goes where it is sent.
async fn travel(run: &Run) -> run::Result<Deliverable> {
    let plan = Plan {
        title: "To the sea".into(),
        steps: vec![PlanStep {
            name: "Pack".into(),
            agent_role: "I".into(),
            ..PlanStep::default()
        }],
        search_terms: vec!["tides".into()],
        ..Plan::default()
    };
    let ask = Ask { question: "Shall we?".into(), plan: Some(Box::new(plan)), ..Ask::default() };
    let plan = run.propose("plan", ask).await?;
    let fields = [("answer".to_owned(), plan.title.into())].into_iter().collect();
    Ok(Deliverable { outcome: Outcome::Answered, fields, ledger: vec![] })
}

struct Now;

impl Clock for Now {
    fn now(&self) -> jiff::Timestamp {
        jiff::Timestamp::now()
    }
}

fn build_world(store: &Store) -> World {
    World::of(Arc::new(store.clone()), Arc::new(Now))
}

async fn start(folder: &Path, budget: run::budget::Budget) -> Status {
    begin(folder, &GREET, "greeting-1", budget).await
}

async fn begin(folder: &Path, method: &Method, run: &str, budget: run::budget::Budget) -> Status {
    let store = Store::open(folder).unwrap();
    let new = NewStart {
        run: run.into(),
        user: "local".into(),
        question: "Greet me".into(),
        settings: Settings { budget, ..Settings::default() },
        owner: Some(store.owner().to_owned()),
        key: None,
        at_most: None,
    };
    let (_cancel, cancelled) = watch::channel(None);
    work::start_and_work(&build_world(&store), method, new, cancelled).await.unwrap()
}

/// Runs the program's own command in this process, with the method that asks.
fn quaestio(folder: &Path, args: &[&str]) -> (Exit, String, String) {
    let common = ["--data-dir", folder.to_str().unwrap(), "--no-model"];
    run_command(Methods::new([GREET, TRAVEL]), &[&common, args].concat())
}

// proves: C1, C11
#[test]
fn a_gate_unwinds_and_the_answer_comes_days_later_from_another_process() {
    let folder = tempfile::tempdir().unwrap();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    assert_eq!(
        runtime.block_on(start(folder.path(), run::budget::Budget::default())),
        Status::Waiting
    );

    let (exit, _, err) = quaestio(folder.path(), &["runs", "resume", "greeting-1"]);
    assert_eq!(exit, Exit::Failed, "{err}");
    assert!(err.contains("waiting") && err.contains("runs answer"), "{err}");

    let (exit, _, err) = quaestio(folder.path(), &["runs", "answer", "greeting-1", "Ada"]);
    assert_eq!(exit, Exit::Waiting, "the second question is asked now: {err}");
    assert!(err.contains("Where do you live?"), "{err}");

    let (exit, _, err) =
        quaestio(folder.path(), &["runs", "answer", "greeting-1", "Eve", "--gate", "name"]);
    assert_eq!(exit, Exit::Failed, "a second answer is refused");
    assert!(err.contains("no open question 'name'"), "{err}");

    let (exit, out, err) =
        quaestio(folder.path(), &["runs", "answer", "last", "London", "--format", "json"]);
    assert_eq!(exit, Exit::Done, "{err}");
    let result: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(result["answer"], "Hello, Ada of London!");
    let (exit, _, err) = quaestio(folder.path(), &["runs", "answer", "last", "Paris"]);
    assert_eq!(exit, Exit::Failed);
    assert!(err.contains("has no open question"), "{err}");
    let (exit, ..) = quaestio(folder.path(), &["runs", "replay", "last"]);
    assert_eq!(exit, Exit::Done);
}

// proves: C11
#[test]
fn of_a_thousand_answers_at_once_one_counts() {
    let folder = tempfile::tempdir().unwrap();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        start(folder.path(), run::budget::Budget::default()).await;
        let store = Store::open(folder.path()).unwrap();
        let world = build_world(&store);
        let answers = (0..1_000).map(|number| {
            let world = world.clone();
            tokio::spawn(async move {
                work::answer(
                    &world,
                    "local",
                    "greeting-1",
                    Some("name"),
                    &format!("name {number}"),
                    "local",
                )
                .await
            })
        });
        let mut taken = 0;
        for answer in answers.collect::<Vec<_>>() {
            match answer.await.unwrap() {
                Ok(()) => taken += 1,
                Err(AnswerError::NothingAsked { .. }) => {}
                Err(other) => panic!("{other}"),
            }
        }
        assert_eq!(taken, 1);
        let entries = store.entries("local", "greeting-1", 0).await.unwrap();
        let answered = entries
            .iter()
            .filter(|entry| matches!(entry.event, run::Event::Answered { .. }))
            .count();
        assert_eq!(answered, 1);
    });
}

// proves: C6
#[test]
fn questions_are_capped_too() {
    let folder = tempfile::tempdir().unwrap();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let budget = run::budget::Budget { max_questions: Some(1), ..Default::default() };
    assert_eq!(runtime.block_on(start(folder.path(), budget)), Status::Waiting);
    let (exit, out, _) =
        quaestio(folder.path(), &["runs", "answer", "last", "Ada", "--format", "json"]);
    assert_eq!(exit, Exit::Partial);
    assert!(out.contains("limit of 1 questions"), "{out}");
}

// proves: C7
#[test]
fn a_run_that_waits_can_be_cancelled() {
    let folder = tempfile::tempdir().unwrap();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(start(folder.path(), run::budget::Budget::default()));
    let (exit, out, _) = quaestio(folder.path(), &["runs", "cancel", "last"]);
    assert_eq!((exit, out.contains("cancelled")), (Exit::Done, true));
    let (exit, _, err) = quaestio(folder.path(), &["runs", "answer", "last", "Ada"]);
    assert_eq!(exit, Exit::Failed, "{err}");
}

/// Begins a run that proposes a plan.
fn proposed(folder: &Path, run: &str) {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let status = runtime.block_on(begin(folder, &TRAVEL, run, run::budget::Budget::default()));
    assert_eq!(status, Status::Waiting);
}

fn json(out: &str) -> Value {
    serde_json::from_str(out).unwrap_or_else(|error| panic!("{error}: {out}"))
}

// proves: W3, C11
#[test]
fn a_plan_is_shown_edited_and_approved_as_it_was_seen() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    proposed(data, "trip-1");
    let (exit, out, _) = quaestio(data, &["runs", "plan", "last"]);
    assert_eq!(exit, Exit::Done);
    assert!(out.starts_with("# To the sea\n\nPlan, proposed. Revision 1, hash "), "{out}");
    assert!(out.contains("1. **Pack** (I)\n") && out.contains("- Search terms: tides\n"), "{out}");
    let (_, out, _) = quaestio(data, &["runs", "show", "last"]);
    assert!(out.contains("waits at gate 'plan': Shall we?") && out.contains("To the sea"), "{out}");

    // An answer is no approval.
    let (exit, _, err) = quaestio(data, &["runs", "answer", "last", "yes"]);
    assert_eq!(exit, Exit::Failed);
    assert!(err.contains("asks you to approve a plan") && err.contains("runs plan"), "{err}");

    let (_, first, _) = quaestio(data, &["runs", "plan", "last", "--json"]);
    let first = json(&first);
    assert_eq!((&first["revision"], &first["state"]), (&json!(1), &json!("proposed")));
    let file = data.join("plan.json");
    let edit = |plan: &Value| {
        std::fs::write(&file, plan.to_string()).unwrap();
        quaestio(data, &["runs", "plan", "last", "--edit", file.to_str().unwrap(), "--json"])
    };
    let mut edited = first.clone();
    edited["plan"]["title"] = json!("To the mountains");
    let (exit, out, err) = edit(&edited);
    assert_eq!(exit, Exit::Done, "{err}");
    let second = json(&out);
    assert_eq!((&second["revision"], &second["plan"]), (&json!(2), &edited["plan"]));
    assert_ne!(second["plan_hash"], first["plan_hash"]);
    // The file still names the revision that it was made from.
    let (exit, _, err) = edit(&edited);
    assert_eq!(exit, Exit::Failed);
    assert!(err.contains("is at revision 2 (") && err.contains("not at revision 1 ("), "{err}");
    // A plan alone is one of the latest.
    let (exit, out, err) = edit(&json!({"title": "Home", "steps": [{"name": "Stay"}]}));
    assert_eq!((exit, &json(&out)["revision"]), (Exit::Done, &json!(3)), "{err}");

    let seen = |page: &Value| {
        let text = |key: &str| page[key].to_string().replace('"', "");
        [text("revision"), text("plan_hash")]
    };
    let approve = |page: &Value| {
        let [revision, hash] = seen(page);
        let named = ["--revision", &*revision, "--plan-hash", &*hash, "--format", "json"];
        quaestio(data, &[&["runs", "approve", "last", "--gate", "plan"][..], &named].concat())
    };
    for stale in [&first, &second] {
        let (exit, _, err) = approve(stale);
        assert_eq!(exit, Exit::Failed);
        assert!(err.contains("at revision 3 (") && err.contains("runs plan"), "{err}");
    }
    let (exit, out, err) = approve(&json(&out));
    assert_eq!(exit, Exit::Done, "{err}");
    assert_eq!(json(&out)["answer"], "Home");
    let (exit, ..) = quaestio(data, &["runs", "replay", "last"]);
    assert_eq!(exit, Exit::Done);
    // What was approved still shows, and nothing more is to be approved.
    let (_, out, _) = quaestio(data, &["runs", "plan", "last"]);
    assert!(out.contains("Plan, approved. Revision 3"), "{out}");
    for late in [&["approve", "last"][..], &["reject", "last"], &["answer", "last", "yes"]] {
        let (exit, _, err) = quaestio(data, &[&["runs"], late].concat());
        assert_eq!(exit, Exit::Failed);
        assert!(err.contains("has no open question"), "{err}");
    }
    let (exit, _, err) = edit(&json!({"title": "Away", "steps": [{"name": "Go"}]}));
    assert_eq!(exit, Exit::Failed);
    assert!(err.contains("proposes no plan"), "{err}");
}

// proves: W3, C7, C11
#[test]
fn a_rejected_plan_ends_its_run() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    proposed(data, "trip-1");
    let (exit, out, _) = quaestio(data, &["runs", "reject", "last", "--reason", "too far"]);
    assert_eq!((exit, &*out), (Exit::Done, "trip-1 cancelled\n"));
    let (_, events, _) = quaestio(data, &["runs", "events", "last"]);
    assert!(events.contains(r#""reason":"too far""#), "{events}");
    let (exit, out, _) = quaestio(data, &["runs", "plan", "last", "--json"]);
    assert_eq!((exit, &json(&out)["state"]), (Exit::Done, &json!("rejected")));
    let (exit, ..) = quaestio(data, &["runs", "resume", "last"]);
    assert_eq!(exit, Exit::Failed);
    // A run without a plan has none to show, to approve or to reject.
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(start(data, run::budget::Budget::default()));
    for command in ["plan", "approve", "reject"] {
        let (exit, _, err) = quaestio(data, &["runs", command, "greeting-1"]);
        assert_eq!(exit, Exit::Failed, "{err}");
        assert!(
            (err.contains("no plan") || err.contains("not for the approval of a plan"))
                && !err.contains("panicked"),
            "{err}"
        );
    }
}

// proves: W3
#[test]
fn a_file_that_holds_no_plan_is_named_and_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    proposed(data, "trip-1");
    let file = data.join("plan.json");
    let long = json!({"title": "x".repeat(4_001), "steps": [{"name": "Go"}]}).to_string();
    for (text, exit, told) in [
        ("", Exit::Usage, "EOF"),
        ("[1]", Exit::Usage, "this is not a plan"),
        ("{\"title\": \"a\", \"colour\": 1}", Exit::Usage, "unknown field `colour`"),
        ("{\"plan\": \"a\"}", Exit::Usage, "this is not a plan"),
        ("{}", Exit::Failed, "it has no title"),
        ("{\"title\": \"a\"}", Exit::Failed, "it has 0 steps"),
        (&long, Exit::Failed, "title has 4001 characters"),
    ] {
        std::fs::write(&file, text).unwrap();
        let path = file.to_str().unwrap();
        let (came, out, err) = quaestio(data, &["runs", "plan", "last", "--edit", path]);
        assert_eq!((came, &*out), (exit, ""), "{text}: {err}");
        assert!(err.contains(told), "{text}: {err}");
    }
    let (exit, _, err) = quaestio(data, &["runs", "plan", "last", "--edit", "nowhere.json"]);
    assert_eq!((exit, err.contains("nowhere.json")), (Exit::Usage, true), "{err}");
    for half in [["--revision", "1"], ["--plan-hash", "beef"]] {
        let (exit, ..) = quaestio(data, &[&["runs", "approve", "last"][..], &half].concat());
        assert_eq!(exit, Exit::Usage);
    }
    let (_, out, _) = quaestio(data, &["runs", "plan", "last", "--json"]);
    assert_eq!(json(&out)["revision"], 1);
}

// proves: C11, S1
#[test]
fn whoever_approves_gets_the_result_though_another_process_takes_the_run_up() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    let done = Arc::new(std::sync::atomic::AtomicBool::new(false));
    // Takes up whatever is there, as a server does.
    let server = std::thread::spawn({
        let (data, done) = (data.to_owned(), Arc::clone(&done));
        move || {
            let runtime = tokio::runtime::Runtime::new().unwrap();
            runtime.block_on(async {
                let store = Store::open(&data).unwrap();
                let world = build_world(&store);
                let mut taken = 0;
                while !done.load(std::sync::atomic::Ordering::Relaxed) {
                    for (user, run) in store.unfinished(10).await.unwrap() {
                        let Ok(attempt) = store.claim(&user, &run, store.owner()).await else {
                            continue;
                        };
                        taken += 1;
                        let (_cancel, never) = watch::channel(None);
                        work::work(&world, &TRAVEL, &user, &run, attempt, never).await.unwrap();
                    }
                    tokio::task::yield_now().await;
                }
                taken
            })
        }
    });
    for number in 0..12 {
        let run = format!("trip-{number}");
        proposed(data, &run);
        let (exit, out, err) = quaestio(data, &["runs", "approve", &run, "--format", "json"]);
        assert_eq!(exit, Exit::Done, "{err}");
        assert_eq!(json(&out)["answer"], "To the sea", "{err}");
    }
    done.store(true, std::sync::atomic::Ordering::Relaxed);
    println!("another process took up {} of 12 runs", server.join().unwrap());
}
