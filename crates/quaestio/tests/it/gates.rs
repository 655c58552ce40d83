//! A method that asks a person: nothing is held while they think, and the answer may come from anywhere.

use std::path::Path;
use std::sync::{Arc, Mutex};

use run::ports::{Clock, Log, Reach, Silence, Status, World};
use run::work::{AnswerError, NewStart};
use run::{Ask, Deliverable, Method, Methods, Outcome, Run, Settings, work};
use store::Store;
use tokio::sync::watch;

use quaestio::{Exit, Face, Sink};

const GREET: Method = Method { name: "greet", version: 1, perform: |run| Box::pin(greet(run)) };

/// Asks twice, one after the other.
async fn greet(run: &Run) -> run::Result<Deliverable> {
    let ask = |question: &str| Ask { question: question.into(), ..Ask::default() };
    let name = run.ask("name", ask("What is your name?")).await?;
    let town = run.ask("town", ask("Where do you live?")).await?;
    let answer = format!("Hello, {name} of {town}!");
    let fields = [("answer".to_owned(), answer.into())].into_iter().collect();
    Ok(Deliverable { outcome: Outcome::Answered, fields, ledger: vec![] })
}

struct Now;

impl Clock for Now {
    fn now(&self) -> jiff::Timestamp {
        jiff::Timestamp::now()
    }
}

fn world(store: &Store) -> World {
    World {
        log: Arc::new(store.clone()),
        clock: Arc::new(Now),
        models: None,
        library: None,
        embedder: None,
        sources: None,
        intake: None,
        prompts: Arc::default(),
        listener: Arc::new(Silence),
        reach: Reach::Live,
        stream: false,
        call_deadline: run::CALL_DEADLINE,
    }
}

async fn start(folder: &Path, budget: run::budget::Budget) -> Status {
    let store = Store::open(folder).unwrap();
    let new = NewStart {
        run: "greeting-1".into(),
        user: "local".into(),
        question: "Greet me".into(),
        settings: Settings { budget, ..Settings::default() },
        owner: Some(store.owner().to_owned()),
        key: None,
    };
    let (_cancel, cancelled) = watch::channel(None);
    work::start_and_work(&world(&store), &GREET, new, cancelled).await.unwrap()
}

/// Runs the program's own command in this process, with the method that asks.
fn quaestio(folder: &Path, args: &[&str]) -> (Exit, String, String) {
    #[derive(Clone, Default)]
    struct Page(Arc<Mutex<Vec<u8>>>);
    impl std::io::Write for Page {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let (out, err) = (Page::default(), Page::default());
    let face = Face { out: Sink::new(out.clone()), err: Sink::new(err.clone()), terminal: false };
    let mut all = vec!["quaestio", "--data-dir", folder.to_str().unwrap(), "--no-model"];
    all.extend(args);
    let exit = quaestio::main(all, Methods::new([GREET]), &face);
    let text = |page: &Page| String::from_utf8(page.0.lock().unwrap().clone()).unwrap();
    (exit, text(&out), text(&err))
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
    assert!(err.contains("no open gate 'name'"), "{err}");

    let (exit, out, err) =
        quaestio(folder.path(), &["runs", "answer", "last", "London", "--format", "json"]);
    assert_eq!(exit, Exit::Done, "{err}");
    let result: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(result["answer"], "Hello, Ada of London!");
    let (exit, _, err) = quaestio(folder.path(), &["runs", "answer", "last", "Paris"]);
    assert_eq!(exit, Exit::Failed);
    assert!(err.contains("asks nothing"), "{err}");
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
        let world = world(&store);
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
                Err(
                    AnswerError::Log(_)
                    | AnswerError::NothingAsked { .. }
                    | AnswerError::NoSuchGate { .. },
                ) => {}
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
    assert!(out.contains("cap of 1 questions"), "{out}");
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
