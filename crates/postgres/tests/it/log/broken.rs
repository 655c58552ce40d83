//! Connections break, at the worst moments: no completed call is lost, and none is stored twice.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use conformance::log::{created, fenced, no_such};
use conformance::story::{Story, USER, lines};
use futures::future::{join, join_all};
use postgres::Postgres;
use run::entry::verify;
use run::log::{Fence, Log, LogError, Status, Wait};

use conformance::proxy::{Cut, Proxy};
use conformance::server::{Database, connect};

const CUTS: [&[Cut]; 5] = [
    &[Cut::Before],
    &[Cut::During],
    &[Cut::After],
    &[Cut::Before, Cut::After],
    &[Cut::During, Cut::During, Cut::After],
];

async fn open_behind_a_proxy() -> (Postgres, Proxy, Database) {
    let database = Database::make().await;
    let proxy = Proxy::start(&database.url);
    (Postgres::open(&proxy.url).await.unwrap(), proxy, database)
}

// proves: C1, S2
#[tokio::test(flavor = "multi_thread")]
async fn an_append_whose_commit_breaks_is_stored_once() {
    let (log, proxy, _database) = open_behind_a_proxy().await;
    for (number, cuts) in CUTS.into_iter().enumerate() {
        let run = format!("r{number}");
        let cut = || proxy.cut_commits(cuts);
        cut();
        let mut story = created(&log, &run, Some(log.owner())).await;
        cut();
        log.append(story.say("two", Wait::Durable)).await.unwrap();
        // Nothing but the row tells whether this one is stored.
        cut();
        log.append(story.append(vec![], Status::Waiting, Fence::Attempt(1), Wait::Durable))
            .await
            .unwrap();
        cut();
        log.append(story.answer("blue", Status::Waiting, Status::Queued)).await.unwrap();
        story.attempt = log.claim(USER, &run, log.owner()).await.unwrap();
        cut();
        drop(log.append(story.say("soon", Wait::Soon)));
        log.append(story.turn("the end", Status::Completed, Wait::Durable)).await.unwrap();
        assert_eq!(proxy.cuts_to_come(), 0);
        let entries = log.entries(USER, &run, 0).await.unwrap();
        let expected = ["once upon a time", "two", "blue", "soon", "the end"];
        assert_eq!(lines(&entries), expected, "{cuts:?}");
        assert_eq!(verify(&entries), Ok(story.head));
    }
}

// proves: C11, S2
#[tokio::test(flavor = "multi_thread")]
async fn a_claim_whose_commit_breaks_is_one_attempt() {
    let (log, proxy, database) = open_behind_a_proxy().await;
    let other = Postgres::open(&database.url).await.unwrap();
    for (number, cuts) in CUTS.into_iter().enumerate() {
        let run = format!("r{number}");
        let mut story = created(&log, &run, None).await;
        proxy.cut_commits(cuts);
        let (claimed, others) =
            join(log.claim(USER, &run, log.owner()), other.claim(USER, &run, other.owner())).await;
        let busy = |owner: &str| Err(LogError::Busy { run: run.clone(), owner: owner.into() });
        match claimed {
            Ok(1) => {
                assert_eq!(others, busy(log.owner()));
                log.append(story.say("two", Wait::Durable)).await.unwrap();
                assert_eq!(proxy.cuts_to_come(), 0);
            }
            lost => {
                assert_eq!((lost, others), (busy(other.owner()), Ok(1)), "{cuts:?}");
                other.append(story.say("two", Wait::Durable)).await.unwrap();
                // What was not used up concerns the next ones.
                while proxy.cuts_to_come() > 0 {
                    let _ = log.renew(log.owner()).await;
                    created(&log, &format!("{run}-{}", proxy.cuts_to_come()), None).await;
                }
            }
        }
        assert_eq!(log.summary(USER, &run).await.unwrap().entries, 2);
    }
}

// proves: S2
#[tokio::test(flavor = "multi_thread")]
async fn a_removal_whose_commit_breaks_is_a_removal() {
    let (log, proxy, _database) = open_behind_a_proxy().await;
    for cuts in CUTS {
        created(&log, "r", None).await;
        proxy.cut_commits(cuts);
        assert_eq!(log.remove(USER, "r").await, Ok(()), "{cuts:?}");
        assert_eq!(log.remove(USER, "r").await, Err(no_such("r")));
    }
}

// proves: C1, S2
#[tokio::test]
async fn what_was_refused_is_not_taken_for_stored_because_a_commit_broke() {
    let (log, proxy, _database) = open_behind_a_proxy().await;
    let mut story = created(&log, "r", Some(log.owner())).await;
    let mut other = created(&log, "other", Some(log.owner())).await;
    let again = story.clone().say("two", Wait::Durable);
    log.append(story.say("two", Wait::Durable)).await.unwrap();
    // Both are part of the same commit, which is done although nobody hears of it.
    proxy.cut_commits(&[Cut::After]);
    let stored = log.append(other.say("two", Wait::Durable));
    let refused = log.append(again);
    assert_eq!(join(stored, refused).await, (Ok(()), fenced("r")));
    assert_eq!(proxy.cuts_to_come(), 0);
}

/// Writes many runs through `log` while something goes on breaking the connections.
async fn write_many(log: &Arc<Postgres>) {
    let write = |number: usize| {
        let log = Arc::clone(log);
        tokio::spawn(async move {
            let mut story = created(&*log, &format!("r{number}"), Some(log.owner())).await;
            for line in 0..40 {
                drop(log.append(story.say(&format!("soon {line}"), Wait::Soon)));
                log.append(story.say(&format!("now {line}"), Wait::Durable)).await.unwrap();
                log.renew(log.owner()).await.unwrap();
            }
            story
        })
    };
    let stories: Vec<Story> =
        join_all((0..20).map(write)).await.into_iter().map(Result::unwrap).collect();
    for story in stories {
        let entries = log.entries(USER, &story.run, 0).await.unwrap();
        assert_eq!(entries.len(), 81);
        assert_eq!(verify(&entries), Ok(story.head));
    }
}

/// Runs `break_them` again and again while `work` is under way.
async fn meanwhile<T>(work: impl Future<Output = T>, break_them: impl AsyncFn()) -> T {
    let is_done = AtomicBool::new(false);
    let breaking = async {
        while !is_done.load(Ordering::SeqCst) {
            break_them().await;
            tokio::time::sleep(Duration::from_millis(40)).await;
        }
    };
    let work = async {
        let done = work.await;
        is_done.store(true, Ordering::SeqCst);
        done
    };
    join(work, breaking).await.0
}

// proves: C1, S1, S2
#[tokio::test(flavor = "multi_thread")]
async fn connections_that_break_again_and_again_lose_nothing() {
    let (log, proxy, _database) = open_behind_a_proxy().await;
    let log = Arc::new(log);
    meanwhile(write_many(&log), async || proxy.cut_all()).await;
}

// proves: C1, S1, S2
#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_ends_every_session_again_and_again_loses_nothing() {
    let database = Database::make().await;
    let log = Arc::new(Postgres::open(&database.url).await.unwrap());
    let client = connect(&database.url).await;
    let end_all = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                    WHERE datname = current_database() AND pid <> pg_backend_pid()";
    let end_all = async || {
        client.query(end_all, &[]).await.unwrap();
    };
    meanwhile(write_many(&log), end_all).await;
}

// proves: S2, C1
#[tokio::test(flavor = "multi_thread")]
async fn after_an_outage_a_process_leaves_the_runs_of_others_to_them_until_they_can_have_renewed_their_leases()
 {
    let (log, proxy, database) = open_behind_a_proxy().await;
    let other = Postgres::open(&database.url).await.unwrap();
    created(&other, "held", Some(other.owner())).await;
    created(&other, "queued", None).await;
    let ended = "UPDATE owners SET lease_until = clock_timestamp() - interval '1 second'";
    connect(&database.url).await.batch_execute(ended).await.unwrap();
    let runs = async || {
        let found = log.unfinished(10).await.unwrap();
        found.into_iter().map(|(_, run)| run).collect::<Vec<_>>()
    };
    assert_eq!(runs().await, ["held", "queued"]);
    proxy.cut_commits(&[Cut::Before]);
    created(&log, "own", Some(log.owner())).await;
    assert_eq!(runs().await, ["queued"]);
    assert_eq!(other.unfinished(10).await.unwrap().len(), 2, "it never lost the database");
}
