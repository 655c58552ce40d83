//! Many who write at once, and some who are killed at it.

use std::sync::Barrier;
use std::thread;

use run::entry::verify;
use run::log::{Listing, Log, Status, Wait};
use store::Store;

use crate::child::Process;
use conformance::story::{Story, USER, lines};

const LINES: u64 = 40;

/// Writes a run from its beginning to its end.
pub(crate) async fn write(log: &dyn Log, run: &str) {
    let mut story = Story::new(run);
    log.append(story.create(None)).await.unwrap();
    story.attempt = log.claim(USER, run, "a writer").await.unwrap();
    for number in 0..LINES {
        if number % 2 == 0 {
            drop(log.append(story.say(&number.to_string(), Wait::Soon)));
        } else {
            log.append(story.say(&number.to_string(), Wait::Durable)).await.unwrap();
        }
    }
    log.append(story.turn("the end", Status::Completed, Wait::Durable)).await.unwrap();
}

fn alone() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().build().unwrap()
}

// proves: C1, S1, S3
#[test]
fn fifty_writers_open_one_file_at_once_and_none_meets_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let processes: Vec<Process> = (0..4)
        .map(|number| Process::play(&format!("write process-{number}"), folder.path()))
        .collect();
    thread::scope(|scope| {
        let writers: Vec<_> = (0..46)
            .map(|number| {
                let folder = folder.path();
                scope.spawn(move || {
                    let store = Store::open(folder).unwrap();
                    alone().block_on(write(&store, &format!("thread-{number}")));
                })
            })
            .collect();
        for writer in writers {
            writer.join().unwrap();
        }
    });
    for process in processes {
        assert!(process.ends_well());
    }
    let store = Store::open(folder.path()).unwrap();
    alone().block_on(async {
        let rows = store.list(USER, &Listing::default()).await.unwrap();
        assert_eq!(rows.len(), 50);
        for row in rows {
            assert_eq!(row.status, Status::Completed);
            let entries = store.entries(USER, &row.run_id, 0).await.unwrap();
            assert!(verify(&entries).is_ok());
            let said = lines(&entries);
            let expected: Vec<String> = (0..LINES).map(|number| number.to_string()).collect();
            assert_eq!(said[1..=LINES as usize], expected, "{}", row.run_id);
            assert_eq!(said.len() as u64, LINES + 2);
        }
        store.check().await.unwrap();
    });
}

// proves: S1
#[test]
fn a_new_folder_may_be_opened_and_left_by_many_at_once() {
    for _ in 0..20 {
        let folder = tempfile::tempdir().unwrap();
        let start = Barrier::new(16);
        thread::scope(|scope| {
            for number in 0..16 {
                let (folder, start) = (folder.path(), &start);
                scope.spawn(move || {
                    start.wait();
                    for time in 0..3 {
                        let store = Store::open(folder).unwrap();
                        let mut story = Story::new(&format!("{number}-{time}"));
                        alone().block_on(store.append(story.create(None))).unwrap();
                    }
                });
            }
        });
        let store = Store::open(folder.path()).unwrap();
        assert_eq!(alone().block_on(store.list(USER, &Listing::default())).unwrap().len(), 48);
    }
}

// proves: C1
#[tokio::test(flavor = "multi_thread")]
async fn a_writer_killed_at_any_moment_loses_no_acknowledged_entry() {
    let folder = tempfile::tempdir().unwrap();
    let mut lost_in_flight = 0;
    for kill in 0..20_u64 {
        let run = format!("r{kill}");
        let mut process = Process::play(&format!("append {run}"), folder.path());
        let mut acknowledged = 1;
        for _ in 0..=(kill * 7) % 23 {
            acknowledged = process.hear().unwrap().parse().unwrap();
        }
        // So that the kill meets it at work and not at the print.
        thread::sleep(std::time::Duration::from_micros(kill * 311));
        if let Some(last) = process.kill().last() {
            acknowledged = last.parse::<u64>().unwrap();
        }
        let store = Store::open(folder.path()).unwrap();
        let entries = store.entries(USER, &run, 0).await.unwrap();
        let head = verify(&entries).unwrap();
        assert!(head.seq >= acknowledged, "{run} ends at {}, {acknowledged} was told", head.seq);
        lost_in_flight += u64::from(head.seq > acknowledged);

        // And it goes on at once, from where it stands.
        let attempt = store.claim(USER, &run, store.owner()).await.unwrap();
        let mut story = Story { head, attempt, ..Story::new(&run) };
        store.append(story.turn("the end", Status::Completed, Wait::Durable)).await.unwrap();
    }
    println!("{lost_in_flight} of 20 kills met entries that were stored and not yet acknowledged");
    Store::open(folder.path()).unwrap().check().await.unwrap();
}
