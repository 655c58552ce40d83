//! Workers over real SQLite, as processes that share a data folder.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::path::Path;
use std::sync::{Arc, Mutex};

use app::Worker;
use run::log::{LogError, Status};
use run::work::{self, NewStart, Stopping};
use run::world::{Clock, World};
use run::{Ask, Deliverable, Method, Outcome, Run, Settings, Stop};
use store::Store;
use tokio::sync::Notify;

static GOES_ON: Notify = Notify::const_new();

const SLOW: Method = Method::new("slow", 1, |run| Box::pin(slow(run)));

async fn slow(run: &Run) -> run::Result<Deliverable> {
    run.ask("name", Ask { question: "Your name?".into(), ..Ask::default() }).await?;
    run.step("think", &(), async || {
        GOES_ON.notified().await;
        Ok(())
    })
    .await?;
    run.ask("town", Ask { question: "Your town?".into(), ..Ask::default() }).await?;
    Ok(Deliverable { outcome: Outcome::Answered, fields: Default::default(), ledger: vec![] })
}

struct Now;

impl Clock for Now {
    fn now(&self) -> jiff::Timestamp {
        jiff::Timestamp::now()
    }
}

/// A process of its own on the data folder.
fn worker(folder: &Path) -> Arc<Worker> {
    let store = Store::open(folder).unwrap();
    let owner = store.owner().to_owned();
    Worker::new(World::of(Arc::new(store), Arc::new(Now)), owner)
}

fn new(run: &str, at_most: Option<u32>) -> NewStart {
    NewStart {
        run: run.into(),
        user: "ada".into(),
        question: "Who?".into(),
        settings: Settings::default(),
        owner: None,
        key: None,
        at_most,
    }
}

async fn start(worker: &Arc<Worker>, method: &Method, new: NewStart) -> run::Result<Status> {
    worker.start(worker.world(), method, new).await
}

async fn resume(worker: &Arc<Worker>) -> run::Result<Status> {
    worker.resume(worker.world(), &SLOW, "ada", "r").await
}

async fn answer(worker: &Worker, answer: &str) {
    work::answer(worker.world(), "ada", "r", None, answer, "ada").await.unwrap();
}

/// Goes on with the run, and tells who had taken it up meanwhile.
async fn see_through(worker: &Arc<Worker>) -> (Status, Vec<String>) {
    let taken = Mutex::new(Vec::new());
    let hear = |owner: &str| taken.lock().unwrap().push(owner.to_owned());
    let status = worker.see_through(worker.world(), &SLOW, ("ada", "r"), hear).await;
    (status.unwrap(), taken.into_inner().unwrap())
}

// proves: C11, S1
#[tokio::test]
async fn a_run_that_another_process_took_up_is_followed_until_it_waits_or_ends() {
    let folder = tempfile::tempdir().unwrap();
    let (server, here) = (worker(folder.path()), worker(folder.path()));
    assert_eq!(start(&server, &SLOW, new("r", None)).await.unwrap(), Status::Waiting);
    answer(&here, "Ada").await;
    let working = tokio::spawn({
        let server = Arc::clone(&server);
        async move { resume(&server).await.unwrap() }
    });
    while here.world().log.summary("ada", "r").await.unwrap().status != Status::Running {
        tokio::task::yield_now().await;
    }
    for other in [&here, &server] {
        let refused = resume(other).await.unwrap_err();
        assert!(matches!(refused, Stop::Log(LogError::Busy { .. })), "{refused}");
    }
    let following = tokio::spawn({
        let here = Arc::clone(&here);
        async move { see_through(&here).await }
    });
    tokio::task::yield_now().await;
    assert!(!following.is_finished());
    GOES_ON.notify_one();
    assert_eq!(working.await.unwrap(), Status::Waiting);
    let (status, taken) = following.await.unwrap();
    assert_eq!(status, Status::Waiting, "the second question is asked");
    assert!(taken.len() <= 1 && taken.iter().all(|owner| owner == server.owner()), "{taken:?}");
    // Where it waits or has ended there is nothing to go on with.
    assert_eq!(see_through(&here).await, (Status::Waiting, vec![]));

    // A process that dies leaves its run to whoever follows it.
    answer(&here, "London").await;
    let dead = "nobody who lives";
    assert_eq!(here.world().log.claim("ada", "r", dead).await, Ok(3));
    assert_eq!(see_through(&here).await, (Status::Completed, vec![]));
    assert_eq!(see_through(&server).await, (Status::Completed, vec![]));
}

// proves: D6
#[tokio::test]
async fn a_run_beyond_its_limit_is_refused_and_holds_nothing_up() {
    let folder = tempfile::tempdir().unwrap();
    let debate = Method { name: "debate", ..SLOW };
    let here = worker(folder.path());
    work::submit(here.world(), &debate, new("first", None)).await.unwrap();
    let refused = start(&here, &debate, new("second", Some(1))).await.unwrap_err();
    assert!(matches!(refused, Stop::Log(LogError::TooMany { .. })), "{refused}");
    // Other research is not held up, and when the first has ended there is room.
    assert_eq!(start(&here, &SLOW, new("r", None)).await.unwrap(), Status::Waiting);
    let stopped = work::stop(here.world(), "ada", "first", here.owner(), "ada").await;
    assert_eq!(stopped, Ok(Stopping::Cancelled));
    assert_eq!(start(&here, &debate, new("second", Some(1))).await.unwrap(), Status::Waiting);
    assert_eq!(here.count(), 0);
}

// proves: C7
#[tokio::test]
async fn whoever_asks_anywhere_stops_what_is_worked_on_here() {
    let folder = tempfile::tempdir().unwrap();
    let (here, elsewhere) = (worker(folder.path()), worker(folder.path()));
    assert_eq!(start(&here, &SLOW, new("r", None)).await.unwrap(), Status::Waiting);
    answer(&here, "Ada").await;
    let working = tokio::spawn({
        let here = Arc::clone(&here);
        async move {
            tokio::select! {
                ended = resume(&here) => ended,
                never = here.tend() => match never {},
            }
        }
    });
    while here.world().log.summary("ada", "r").await.unwrap().status != Status::Running {
        tokio::task::yield_now().await;
    }
    let asked = work::stop(elsewhere.world(), "ada", "r", elsewhere.owner(), "bob").await;
    assert_eq!(asked, Ok(Stopping::Asked));
    assert_eq!(working.await.unwrap(), Ok(Status::Cancelled));
    // What is begun later is stopped too, where everything is.
    here.stop_all("ada");
    assert_eq!(start(&here, &SLOW, new("later", None)).await, Ok(Status::Cancelled));
    assert!(!here.stop("ada", "later", "ada"), "nobody works on it any more");
}
