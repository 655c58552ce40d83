//! A method that proposes a plan, and what it takes to work with it on real files.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use jiff::Timestamp;
use run::entry::{Hash, verify};
use run::log::{Log, LogError, Status};
use run::views::{self, PlanState};
use run::work::{self, AnswerError, NewStart, Replayed, Seen};
use run::world::{Clock, World};
use run::{Ask, Deliverable, Entry, Event, Method, Outcome, Plan, PlanStep, Run, Settings};
use serde_json::json;
use store::Store;
use tokio::sync::watch;

use conformance::story::USER;

/// Proposes the plan that stands in its options, and does what was approved.
pub(crate) const PLANNED: Method = Method::new("planned", 1, |run| Box::pin(planned(run)));

async fn planned(run: &Run) -> run::Result<Deliverable> {
    run.step("look around", &run.question(), async || Ok("a harbour".to_owned())).await?;
    let plan = run.propose("plan", proposal(run.options()?)).await?;
    let found = run.step("research", &plan, async || Ok(plan.search_terms.join(" and "))).await?;
    let fields = [("answer".to_owned(), json!(found)), ("plan".to_owned(), json!(plan))];
    Ok(Deliverable {
        outcome: Outcome::Answered,
        fields: fields.into_iter().collect(),
        ledger: vec![],
    })
}

pub(crate) fn proposal(plan: Plan) -> Ask {
    Ask { question: "Is this what you want?".into(), plan: Some(Box::new(plan)), ..Ask::default() }
}

pub(crate) fn plan(title: &str) -> Plan {
    Plan {
        title: title.into(),
        steps: vec![PlanStep { name: "Search".into(), ..PlanStep::default() }],
        search_terms: vec!["tides".into(), title.into()],
        ..Plan::default()
    }
}

/// Goes on by a second with every look.
struct Ticking(AtomicI64);

impl Clock for Ticking {
    fn now(&self) -> Timestamp {
        Timestamp::from_second(1_800_000_000 + self.0.fetch_add(1, Ordering::Relaxed)).unwrap()
    }
}

pub(crate) fn build_world(store: &Store) -> World {
    World::of(Arc::new(store.clone()), Arc::new(Ticking(AtomicI64::new(0))))
}

pub(crate) fn opened(folder: &Path) -> (Store, World) {
    let store = Store::open(folder).unwrap();
    let world = build_world(&store);
    (store, world)
}

pub(crate) fn build_start(run: &str, plan: &Plan, owner: Option<&str>) -> NewStart {
    NewStart {
        run: run.into(),
        user: USER.into(),
        question: "How high is the tide?".into(),
        settings: Settings { options: json!(plan), ..Settings::default() },
        owner: owner.map(str::to_owned),
        key: None,
        at_most: None,
    }
}

pub(crate) async fn started(world: &World, store: &Store, method: &Method, plan: &Plan) -> Status {
    let (_cancel, never) = watch::channel(None);
    work::start_and_work(world, method, build_start("r", plan, Some(store.owner())), never)
        .await
        .unwrap()
}

/// Takes the run up as a worker does.
pub(crate) async fn worked(world: &World, store: &Store, method: &Method, run: &str) -> Status {
    let attempt = store.claim(USER, run, store.owner()).await.unwrap();
    let (_cancel, never) = watch::channel(None);
    work::work(world, method, USER, run, attempt, never).await.unwrap()
}

pub(crate) async fn replay_run(
    world: &World,
    store: &Store,
    method: &Method,
    run: &str,
) -> Replayed {
    let entries = store.entries(USER, run, 0).await.unwrap();
    work::replay(world, method, run, &entries).await.unwrap()
}

pub(crate) fn seen(revision: u32, plan: &Plan) -> Seen {
    Seen { revision, plan_hash: plan.hash() }
}

pub(crate) fn kinds(entries: &[Entry]) -> Vec<String> {
    let kind = |entry: &Entry| serde_json::to_value(entry).unwrap()["event"].to_string();
    entries.iter().map(|entry| kind(entry).replace('"', "")).collect()
}

/// Checks what holds of every log in which a plan was approved: once, and what stood there under that number.
pub(crate) fn approved(entries: &[Entry]) -> Option<(u32, &Plan)> {
    assert!(verify(entries).is_ok());
    let approvals: Vec<(u32, Hash)> = entries
        .iter()
        .filter_map(|entry| match &entry.event {
            Event::Approved { revision, plan_hash, .. } => Some((*revision, *plan_hash)),
            _ => None,
        })
        .collect();
    assert!(approvals.len() <= 1, "{approvals:?}");
    let (revision, plan_hash) = approvals.first()?;
    let planned = views::plan(entries).unwrap();
    assert_eq!(planned.state, PlanState::Approved);
    assert_eq!((planned.proposal.revision, planned.proposal.plan_hash), (*revision, *plan_hash));
    assert_eq!(planned.proposal.plan.hash(), *plan_hash);
    Some((*revision, planned.proposal.plan))
}

/// What came of it, in a word.
pub(crate) fn word(error: &AnswerError) -> &'static str {
    match error {
        AnswerError::NothingAsked { .. } => "nothing asked",
        AnswerError::NoSuchGate { .. } => "no such gate",
        AnswerError::WhichGate { .. } => "which gate",
        AnswerError::PlanAsked { .. } => "plan asked",
        AnswerError::NoPlan { .. } => "no plan",
        AnswerError::Stale { .. } => "stale",
        AnswerError::WrongPlan { .. } => "wrong plan",
        AnswerError::LongAnswer { .. } => "long answer",
        AnswerError::StillWorking { .. } => "still working",
        AnswerError::WrongPhase { .. } => "wrong phase",
        AnswerError::Log(LogError::NoSuchRun { .. }) => "no such run",
        AnswerError::Log(_) => "log",
    }
}
