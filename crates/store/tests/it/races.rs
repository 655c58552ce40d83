//! Many who say something at one gate at the same time.

use std::sync::Arc;

use async_trait::async_trait;
use futures::future::{BoxFuture, join_all};
use run::Entry;
use run::entry::Hash;
use run::log::{Append, CancelRequest, Listing, Log, LogError, RunSummary, Status};
use run::work::{self, AnswerError};
use run::world::World;
use store::Store;
use tokio::sync::{Barrier, watch};

use crate::child::Process;
use crate::planned::{PLANNED, approved, build_start, opened, plan, seen, started, word};
use conformance::runs::at_once;
use conformance::story::USER;

// proves: W3, C11, S1
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_a_thousand_approvals_at_once_one_is_heard_and_the_others_know_why_not() {
    let folder = tempfile::tempdir().unwrap();
    let (store, world) = opened(folder.path());
    started(&world, &store, &PLANNED, &plan("spring tides")).await;
    // Through four stores; nobody writes before all have looked.
    let all = Arc::new(Barrier::new(1_000));
    let at_once = || {
        let (store, world) = opened(folder.path());
        World { log: Arc::new(AtOnce { store, all: Arc::clone(&all) }), ..world }
    };
    let worlds: Vec<World> = (0..4).map(|_| at_once()).collect();
    let current = seen(1, &plan("spring tides"));
    let approvals = (0..1_000).map(|number| {
        let world = worlds[number % 4].clone();
        let (gate, given) =
            ([None, Some("plan")][number / 4 % 2], [None, Some(current)][number / 8 % 2]);
        tokio::spawn(async move {
            work::approve(&world, USER, "r", gate, given, &format!("person {number}")).await
        })
    });
    let mut heard = 0;
    for approval in approvals.collect::<Vec<_>>() {
        match approval.await.unwrap() {
            Ok(approved) => {
                assert_eq!(approved, current);
                heard += 1;
            }
            Err(error) => assert_eq!(error, AnswerError::NothingAsked { run: "r".into() }),
        }
    }
    assert_eq!(heard, 1);
    assert_eq!(approved(&store.entries(USER, "r", 0).await.unwrap()).unwrap().0, 1);
    assert_eq!(store.summary(USER, "r").await.unwrap().status, Status::Queued);
}

// proves: W3, C11
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn nobody_approves_what_somebody_else_has_just_changed() {
    let folder = tempfile::tempdir().unwrap();
    let (store, world) = opened(folder.path());
    let first = plan("first");
    let (mut edits_won, mut approvals_won) = (0, 0);
    for round in 0..30 {
        let run = format!("r{round}");
        let (_cancel, never) = watch::channel(None);
        let start = build_start(&run, &first, Some(store.owner()));
        work::start_and_work(&world, &PLANNED, start, never).await.unwrap();
        let current = seen(1, &first);
        let said = (0..12).map(|number| {
            let (world, run) = (world.clone(), run.clone());
            tokio::spawn(async move {
                if (number + round) % 3 == 0 {
                    let edited = plan(&format!("edit {number}"));
                    let edit = work::revise(&world, USER, &run, None, current, edited, USER).await;
                    (true, edit.map(|seen| seen.revision))
                } else {
                    let approval = work::approve(&world, USER, &run, None, Some(current), USER);
                    (false, approval.await.map(|seen| seen.revision))
                }
            })
        });
        let said: Vec<_> = said.collect();
        let said: Vec<_> = join_all(said).await.into_iter().map(Result::unwrap).collect();
        let entries = store.entries(USER, &run, 0).await.unwrap();
        // All saw revision 1, so one of them all is heard: an edit, or an approval.
        let heard: Vec<_> = said.iter().filter(|(_, came)| came.is_ok()).collect();
        assert_eq!(heard.len(), 1, "{said:?}");
        let approval = approved(&entries);
        for (_, came) in &said {
            let Err(error) = came else { continue };
            let reason = if approval.is_some() { "nothing asked" } else { "stale" };
            assert_eq!(word(error), reason, "{error}");
        }
        match heard[0] {
            (true, Ok(2)) => {
                edits_won += 1;
                assert_eq!(approval, None);
            }
            (false, Ok(1)) => {
                approvals_won += 1;
                assert_eq!(approval, Some((1, &first)));
            }
            other => panic!("{other:?}"),
        }
    }
    println!("{edits_won} edits and {approvals_won} approvals were the first");
}

// proves: W3
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn an_approval_of_the_latest_is_of_one_that_was_there() {
    let folder = tempfile::tempdir().unwrap();
    let (store, world) = opened(folder.path());
    started(&world, &store, &PLANNED, &plan("0")).await;
    let editor = {
        let world = world.clone();
        tokio::spawn(async move {
            let mut current = seen(1, &plan("0"));
            for number in 1.. {
                let next = plan(&number.to_string());
                match work::revise(&world, USER, "r", None, current, next, USER).await {
                    Ok(saved) => current = saved,
                    Err(error) => return (current, error),
                }
            }
            unreachable!("nobody approves")
        })
    };
    while store.summary(USER, "r").await.unwrap().entries < 12 {
        tokio::task::yield_now().await;
    }
    let heard = work::approve(&world, USER, "r", None, None, USER).await.unwrap();
    let (last, refused) = editor.await.unwrap();
    assert_eq!(refused, AnswerError::NothingAsked { run: "r".into() });
    assert_eq!(last, heard, "it is the one that was saved last");
    let entries = store.entries(USER, "r", 0).await.unwrap();
    assert_eq!(approved(&entries).unwrap().0, heard.revision);
}

// proves: D6, S1
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_eight_hundred_starts_at_once_by_threads_and_processes_as_many_win_as_are_allowed() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    let mut processes: Vec<Process> =
        (0..4).map(|number| Process::play(&format!("debate p{number}"), folder.path())).collect();
    for process in &mut processes {
        assert_eq!(process.hear().unwrap(), "ready");
    }
    processes.iter_mut().for_each(Process::go_on);
    let here = (0..4).map(|number| {
        let store = Store::open(folder.path()).unwrap();
        tokio::spawn(async move { at_once(&store, USER, &format!("t{number}"), 3).await })
    });
    let mut won = Vec::new();
    for one in here.collect::<Vec<_>>() {
        won.extend(one.await.unwrap());
    }
    for process in &mut processes {
        while let Some(run) = process.hear().filter(|said| said != "that is all") {
            won.push(run);
        }
    }
    assert_eq!(won.len(), 3, "{won:?}");
    let mut listed: Vec<String> = store
        .list(USER, &Listing::default())
        .await
        .unwrap()
        .into_iter()
        .map(|row| row.run_id)
        .collect();
    won.sort();
    listed.sort();
    assert_eq!(listed, won, "and nothing of the others was stored");
}

// proves: D6
#[tokio::test]
async fn the_run_of_a_process_that_was_killed_keeps_nobody_out() {
    let folder = tempfile::tempdir().unwrap();
    let (store, world) = opened(folder.path());
    let mut process = Process::play("hold theirs", folder.path());
    process.hear().unwrap();
    let start = |run: &str| work::NewStart {
        at_most: Some(1),
        ..build_start(run, &plan("spring tides"), Some(store.owner()))
    };
    let method = run::Method { name: "ask", ..PLANNED };
    let (_cancel, never) = watch::channel(None);
    let refused = work::start_and_work(&world, &method, start("mine"), never.clone()).await;
    let theirs = LogError::TooMany { method: "ask".into(), run: "theirs".into(), limit: 1 };
    assert_eq!(refused.unwrap_err(), run::Stop::Log(theirs), "it says so before it begins");
    process.kill();
    let came = work::start_and_work(&world, &method, start("mine"), never).await.unwrap();
    assert_eq!(came, Status::Waiting);
}

/// A log to which nobody appends before everybody wants to.
struct AtOnce {
    store: Store,
    all: Arc<Barrier>,
}

#[async_trait]
impl Log for AtOnce {
    fn append(&self, append: Append) -> BoxFuture<'static, Result<(), LogError>> {
        let (store, all) = (self.store.clone(), Arc::clone(&self.all));
        Box::pin(async move {
            all.wait().await;
            store.append(append).await
        })
    }
    async fn page(
        &self,
        user: &str,
        run: &str,
        after: u64,
        most: u32,
    ) -> Result<Vec<Entry>, LogError> {
        self.store.page(user, run, after, most).await
    }
    async fn summary(&self, user: &str, run: &str) -> Result<RunSummary, LogError> {
        self.store.summary(user, run).await
    }
    async fn list(&self, _: &str, _: &Listing) -> Result<Vec<RunSummary>, LogError> {
        unreachable!("nobody lists runs")
    }
    async fn unfinished(&self, _: u32) -> Result<Vec<(String, String)>, LogError> {
        unreachable!("nobody looks for work")
    }
    async fn keyed(&self, _: &str, _: &str) -> Result<Option<(String, Hash)>, LogError> {
        unreachable!("nobody has a key")
    }
    async fn find(&self, _: &str, _: &str) -> Result<Vec<String>, LogError> {
        unreachable!("nobody looks for runs")
    }
    async fn claim(&self, _: &str, _: &str, _: &str) -> Result<u32, LogError> {
        unreachable!("nobody takes it up")
    }
    async fn release(&self, _: &str, _: &str, _: &str) -> Result<(), LogError> {
        unreachable!("nobody gives a run back")
    }
    async fn request_cancel(&self, _: &str, _: &str, _: &str) -> Result<(), LogError> {
        unreachable!("nobody cancels it")
    }
    async fn cancel_requests(&self, _: &str) -> Result<Vec<CancelRequest>, LogError> {
        unreachable!("nobody works on it")
    }
    async fn renew(&self, _: &str) -> Result<(), LogError> {
        unreachable!("nobody works on it")
    }
    async fn remove(&self, _: &str, _: &str) -> Result<(), LogError> {
        unreachable!("nobody removes it")
    }
    async fn ended_before(
        &self,
        _: Option<&str>,
        _: jiff::Timestamp,
        _: u32,
    ) -> Result<Vec<(String, String)>, LogError> {
        unreachable!("nobody looks for old runs")
    }
}
