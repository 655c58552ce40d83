//! What people say at gates: each thing in each state.

use run::entry::{Hash, verify};
use run::log::{Fence, Log, Status, Wait};
use run::views;
use run::work::{self, AnswerError, NewStart, Seen};
use run::world::World;
use run::{Ask, Deliverable, Event, Method, Outcome, Plan, Run};
use serde_json::json;
use store::Store;
use tokio::sync::{Notify, watch};

use crate::planned::{
    PLANNED, build_start, kinds, opened, plan, proposal, replay_run, seen, started, word, worked,
};
use conformance::story::{Story, USER};

/// Proposes a plan and asks, both at once.
const BOTH: Method = Method::new("both", 1, |run| Box::pin(both(run)));

async fn both(run: &Run) -> run::Result<Deliverable> {
    let asked = Ask { question: "Which town?".into(), ..Ask::default() };
    let place = run.scope("place");
    let (plan, town) =
        tokio::join!(run.propose("plan", proposal(run.options()?)), place.ask("town", asked));
    let fields = [("answer".to_owned(), json!(format!("{} in {}", plan?.title, town?)))];
    Ok(Deliverable {
        outcome: Outcome::Answered,
        fields: fields.into_iter().collect(),
        ledger: vec![],
    })
}

/// What somebody tries at a gate.
#[derive(Debug, Clone, Copy)]
enum Try {
    Answer,
    Revise(u32),
    Approve(Option<u32>),
    Reject,
}

async fn attempt(
    world: &World,
    user: &str,
    run: &str,
    gate: Option<&str>,
    what: Try,
) -> Result<(), AnswerError> {
    // The titles are the revisions' numbers.
    let seen = |revision: u32| seen(revision, &plan(&revision.to_string()));
    match what {
        Try::Answer => work::answer(world, user, run, gate, "yes", user).await,
        Try::Revise(revision) => {
            let new = plan("edited");
            work::revise(world, user, run, gate, seen(revision), new, user).await.map(drop)
        }
        Try::Approve(revision) => {
            work::approve(world, user, run, gate, revision.map(seen), user).await.map(drop)
        }
        Try::Reject => work::reject(world, user, run, gate, "too dear", user).await,
    }
}

fn asked(gate: &str, first: Option<u32>) -> Event {
    let plan = first.map(|number| Box::new(plan(&number.to_string())));
    Event::Asked {
        gate: gate.into(),
        ask: Ask { question: "Well?".into(), plan, ..Ask::default() },
    }
}

fn revised(revision: u32) -> Event {
    let plan = Box::new(plan(&revision.to_string()));
    Event::Revised { gate: "plan".into(), revision, plan, by: USER.into() }
}

fn approval(revision: u32) -> Event {
    let plan_hash = plan(&revision.to_string()).hash();
    Event::Approved { gate: "plan".into(), revision, plan_hash, by: USER.into() }
}

fn ended(kind: &str) -> Vec<Event> {
    let by = USER.to_owned();
    let reason = "too dear".to_owned();
    let cancelled = Event::Cancelled { by: by.clone(), partial: None };
    match kind {
        "rejected" => vec![Event::Rejected { gate: "plan".into(), reason, by }, cancelled],
        _ => vec![cancelled],
    }
}

/// Writes a run that stands there after these events.
async fn standing(store: &Store, run: &str, events: Vec<Event>, status: Status) {
    let mut story = Story::new(run);
    store.append(story.create(Some(store.owner()))).await.unwrap();
    let sealed: Vec<_> = events.into_iter().map(|event| story.seal(event)).collect();
    let fence = Fence::Attempt(1);
    store.append(story.append(sealed, status, fence, Wait::Durable)).await.unwrap();
}

// proves: W3, C11, F8
#[tokio::test(start_paused = true)]
async fn every_thing_that_can_be_said_at_a_gate_is_taken_or_refused_for_its_reason() {
    let folder = tempfile::tempdir().unwrap();
    let (store, world) = opened(folder.path());
    let waiting = Status::Waiting;
    let cancelled = Status::Cancelled;
    let states: Vec<(&str, Vec<Event>, Status)> = vec![
        ("proposed", vec![asked("plan", Some(1))], waiting),
        ("edited", vec![asked("plan", Some(1)), revised(2)], waiting),
        ("approved", vec![asked("plan", Some(1)), revised(2), approval(2)], Status::Queued),
        ("at work", vec![asked("plan", Some(1)), approval(1)], Status::Running),
        ("rejected", [vec![asked("plan", Some(1))], ended("rejected")].concat(), cancelled),
        ("cancelled", [vec![asked("plan", Some(1))], ended("cancelled")].concat(), cancelled),
        ("asks", vec![asked("plan", None)], waiting),
        ("not yet asked", vec![], Status::Running),
        // It died, or has another branch at work, before it came to wait.
        ("not yet waiting", vec![asked("plan", Some(1))], Status::Running),
    ];
    let all = [
        Try::Answer,
        Try::Revise(1),
        Try::Revise(2),
        Try::Approve(None),
        Try::Approve(Some(1)),
        Try::Approve(Some(2)),
        Try::Reject,
    ];
    // For each state what comes of: an answer, edits of revision 1 and 2, approvals of any, of 1 and of 2, a rejection.
    let expected = |state: &str| match state {
        "proposed" => ["plan asked", "waiting", "stale", "queued", "queued", "stale", "cancelled"],
        "edited" => ["plan asked", "stale", "waiting", "queued", "stale", "queued", "cancelled"],
        "asks" => ["queued", "no plan", "no plan", "no plan", "no plan", "no plan", "no plan"],
        "not yet waiting" => {
            let busy = "still working";
            ["plan asked", busy, "stale", busy, busy, "stale", busy]
        }
        _ => ["nothing asked"; 7],
    };
    for (state, events, status) in states {
        for (number, (what, expected)) in all.into_iter().zip(expected(state)).enumerate() {
            for gate in [None, Some("plan")] {
                let run = format!("{state} {number} {gate:?}");
                standing(&store, &run, events.clone(), status).await;
                let before = store.entries(USER, &run, 0).await.unwrap();
                let stranger = attempt(&world, "eve", &run, gate, what).await.unwrap_err();
                assert_eq!(word(&stranger), "no such run");
                let elsewhere = attempt(&world, USER, &run, Some("plam"), what).await.unwrap_err();
                let none = views::open_gates(&before).is_empty();
                let missing = if none { "nothing asked" } else { "no such gate" };
                assert_eq!(word(&elsewhere), missing, "{run}");

                let came = attempt(&world, USER, &run, gate, what).await;
                let now = store.entries(USER, &run, 0).await.unwrap();
                let row = store.summary(USER, &run).await.unwrap();
                match came {
                    Ok(()) => {
                        assert_eq!(row.status.name(), expected, "{run}: {what:?}");
                        assert_eq!(views::status(&now), row.status, "{run}: {what:?}");
                        let added = if matches!(what, Try::Reject) { 2 } else { 1 };
                        assert_eq!(now.len(), before.len() + added);
                        assert!(verify(&now).is_ok());
                    }
                    Err(error) => {
                        assert_eq!(word(&error), expected, "{run}: {what:?}: {error}");
                        assert_eq!((now, row.status), (before, status), "nothing is written");
                    }
                }
            }
        }
    }
}

// proves: W3
#[tokio::test]
async fn what_is_stale_names_what_is_there_and_what_was_given() {
    let folder = tempfile::tempdir().unwrap();
    let (store, world) = opened(folder.path());
    started(&world, &store, &PLANNED, &plan("spring tides")).await;
    let (current, other) = (seen(1, &plan("spring tides")), plan("neap tides").hash());
    // Neither the number nor the hash is enough alone.
    let wrong = [
        Seen { plan_hash: other, ..current },
        Seen { revision: 2, ..current },
        Seen { revision: 0, ..current },
        Seen { revision: u32::MAX, plan_hash: Hash::default() },
    ];
    for given in wrong {
        let expected = AnswerError::Stale { run: "r".into(), gate: "plan".into(), current, given };
        let edit = work::revise(&world, USER, "r", None, given, plan("mine"), USER).await;
        assert_eq!(edit, Err(expected.clone()));
        let told = expected.to_string();
        let parts = [format!("revision {} ({})", given.revision, given.plan_hash)];
        assert!(parts.iter().all(|part| told.contains(part)) && told.contains("revision 1 ("));
        let approval = work::approve(&world, USER, "r", None, Some(given), USER).await;
        assert_eq!(approval, Err(expected));
    }
    // Saving what stands there already is no edit, and what is no plan is not saved.
    let same = work::revise(&world, USER, "r", None, current, plan("spring tides"), USER).await;
    assert_eq!(same, Ok(current));
    let empty = work::revise(&world, USER, "r", None, current, Plan::default(), USER).await;
    assert_eq!(empty, Err(AnswerError::WrongPlan { what: "it has no title".into() }));
    assert_eq!(kinds(&store.entries(USER, "r", 0).await.unwrap()).last().unwrap(), "asked");
    assert_eq!(work::approve(&world, USER, "r", None, Some(current), USER).await, Ok(current));
}

// proves: W3, C11
#[tokio::test(flavor = "multi_thread")]
async fn a_plan_and_a_question_wait_side_by_side() {
    let folder = tempfile::tempdir().unwrap();
    let (store, world) = opened(folder.path());
    for round in 0..10 {
        let run = format!("r{round}");
        let (_cancel, never) = watch::channel(None);
        let start = build_start(&run, &plan("spring tides"), Some(store.owner()));
        let came = work::start_and_work(&world, &BOTH, start, never).await.unwrap();
        assert_eq!(came, Status::Waiting);
        // Without a name the only gate of the kind is meant; with a name of the other kind it is said.
        let (user, at_plan, at_town) = (USER, Some("plan"), Some("place/town"));
        let unfit = work::answer(&world, user, &run, at_plan, "Brest", user).await.unwrap_err();
        assert_eq!(word(&unfit), "plan asked");
        let unfit = work::approve(&world, user, &run, at_town, None, user).await.unwrap_err();
        assert_eq!(word(&unfit), "no plan");
        // Two people at two gates do not get in each other's way.
        let (answer, approval) = tokio::join!(
            work::answer(&world, user, &run, None, "Brest", user),
            work::approve(&world, user, &run, None, None, user)
        );
        answer.unwrap();
        approval.unwrap();
        assert_eq!(store.summary(user, &run).await.unwrap().status, Status::Queued);
        assert_eq!(worked(&world, &store, &BOTH, &run).await, Status::Completed);
        assert!(replay_run(&world, &store, &BOTH, &run).await.same);
    }
    // One of two is not enough to go on.
    started(&world, &store, &BOTH, &plan("spring tides")).await;
    work::approve(&world, USER, "r", None, None, USER).await.unwrap();
    assert_eq!(store.summary(USER, "r").await.unwrap().status, Status::Waiting);
    assert_eq!(views::status(&store.entries(USER, "r", 0).await.unwrap()), Status::Waiting);
    let nothing = work::approve(&world, USER, "r", None, None, USER).await.unwrap_err();
    assert_eq!(word(&nothing), "no plan");
    work::answer(&world, USER, "r", None, "Brest", USER).await.unwrap();
    assert_eq!(store.summary(USER, "r").await.unwrap().status, Status::Queued);

    let two = vec![asked("plan", Some(1)), asked("other", Some(1)), asked("word", None)];
    standing(&store, "two", two, Status::Waiting).await;
    let which = work::approve(&world, USER, "two", None, None, USER).await.unwrap_err();
    assert_eq!(which, AnswerError::WhichGate { run: "two".into(), open: "plan, other".into() });
    work::reject(&world, USER, "two", Some("other"), "", USER).await.unwrap();
    let entries = store.entries(USER, "two", 0).await.unwrap();
    assert!(views::open_gates(&entries).is_empty());
}

static RELEASED: Notify = Notify::const_new();

/// Asks while another branch is at work.
const HURRIED: Method = Method::new("hurried", 1, |run| Box::pin(hurried(run)));

async fn hurried(run: &Run) -> run::Result<Deliverable> {
    let slow = run.step("slow", &(), async || {
        RELEASED.notified().await;
        Ok(())
    });
    let (slow, plan) = tokio::join!(slow, run.propose("plan", proposal(run.options()?)));
    slow?;
    let fields = [("answer".to_owned(), json!(plan?.title))].into_iter().collect();
    Ok(Deliverable { outcome: Outcome::Answered, fields, ledger: vec![] })
}

// proves: C11
#[tokio::test(flavor = "multi_thread")]
async fn whoever_approves_before_the_run_has_come_to_rest_is_heard_when_it_has() {
    let folder = tempfile::tempdir().unwrap();
    let (store, world) = opened(folder.path());
    let working = tokio::spawn({
        let (store, world) = (store.clone(), world.clone());
        async move { started(&world, &store, &HURRIED, &plan("spring tides")).await }
    });
    let is_asked = || async {
        let entries = store.entries(USER, "r", 0).await.unwrap_or_default();
        !views::open_gates(&entries).is_empty()
    };
    while !is_asked().await {
        tokio::task::yield_now().await;
    }
    let approval = tokio::spawn({
        let world = world.clone();
        async move { work::approve(&world, USER, "r", None, None, USER).await }
    });
    tokio::task::yield_now().await;
    RELEASED.notify_one();
    assert_eq!(working.await.unwrap(), Status::Waiting);
    approval.await.unwrap().unwrap();
    assert_eq!(worked(&world, &store, &HURRIED, "r").await, Status::Completed);
}

// proves: C1, C5, W3
#[tokio::test]
async fn an_approval_without_its_plan_lets_nothing_pass() {
    let folder = tempfile::tempdir().unwrap();
    let (store, world) = opened(folder.path());
    // Such a log nobody here writes: its approval names a revision that it does not hold.
    let mut story = Story::new("r");
    let create = story.clone().create(Some(store.owner()));
    let events = [started_event(), asked("plan", Some(1)), approval(7)];
    let sealed = events.into_iter().map(|event| story.seal(event)).collect();
    store.append(story.append(sealed, Status::Queued, create.fence, Wait::Durable)).await.unwrap();
    assert_eq!(worked(&world, &store, &PLANNED, "r").await, Status::Waiting);
}

fn started_event() -> Event {
    let NewStart { question, settings, user, .. } = build_start("r", &plan("1"), None);
    Event::Started { method: "planned".into(), version: 1, question, settings, user }
}
