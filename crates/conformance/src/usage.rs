//! What every store of what users use must do.

use futures::future::join_all;
use jiff::Timestamp;
use run::log::{Log, Status, Wait};
use run::usage::{Day, Usage, UsageStore};

use crate::story::{Story, USER, at};

/// A store of what users use, which is the log of their runs.
pub trait Metered: Log + UsageStore {}

impl<S: Log + UsageStore> Metered for S {}

/// The day on which stories begin.
fn first_day() -> Day {
    Day::of(at(0))
}

fn next_day() -> Day {
    Day::of(first_day().end())
}

/// Creates a run at an instant, and has it spend what its second entry says: 20 tokens and 14 millionths of a dollar.
async fn spend(store: &impl Metered, user: &str, run: &str, created_at: Timestamp) -> Story {
    let mut story = Story { user: user.into(), ..Story::new(run) };
    let mut create = story.create(Some("nobody"));
    create.at = created_at;
    store.append(create).await.unwrap();
    // It goes on for days.
    let mut more = story.say("more", Wait::Durable);
    more.at = next_day().end();
    store.append(more).await.unwrap();
    story
}

async fn usage(store: &impl Metered, user: &str, day: Day) -> (u64, u64, u64, u64) {
    let Usage { runs, tokens, cost_usd_micros, uploaded_bytes } =
        store.usage(user, day).await.unwrap();
    (runs, tokens, cost_usd_micros, uploaded_bytes)
}

pub async fn a_day_counts_the_runs_that_were_created_on_it_and_what_they_spent(
    store: &impl Metered,
) {
    assert_eq!(usage(store, USER, first_day()).await, (0, 0, 0, 0));
    let second = jiff::SignedDuration::from_secs(1);
    for (run, created_at) in [
        ("before", first_day().begin() - second),
        ("first", first_day().begin()),
        ("last", first_day().end() - second),
        ("after", first_day().end()),
    ] {
        spend(store, USER, run, created_at).await;
    }
    assert_eq!(usage(store, USER, first_day()).await, (2, 40, 28, 0));
    assert_eq!(usage(store, USER, next_day()).await, (1, 20, 14, 0));
}

pub async fn a_run_that_was_removed_counts_on_its_day_as_before(store: &impl Metered) {
    for run in ["a", "b", "c"] {
        let mut story = spend(store, USER, run, at(0)).await;
        store.append(story.turn("done", Status::Completed, Wait::Durable)).await.unwrap();
    }
    assert!(store.add_upload(USER, first_day(), 7, None).await.unwrap());
    let before = usage(store, USER, first_day()).await;
    assert_eq!(before, (3, 90, 63, 7));
    for run in ["a", "b"] {
        store.remove(USER, run).await.unwrap();
        assert_eq!(usage(store, USER, first_day()).await, before);
    }
    // What was removed is not counted twice, and one that takes its id counts as another.
    assert!(store.remove(USER, "a").await.is_err());
    spend(store, USER, "a", at(60)).await;
    assert_eq!(usage(store, USER, first_day()).await, (4, 110, 77, 7));
    assert_eq!(usage(store, USER, next_day()).await, (0, 0, 0, 0));
}

pub async fn uploads_are_added_up_to_the_limit_and_no_further(store: &impl Metered) {
    let add = async |day, bytes, limit| store.add_upload(USER, day, bytes, limit).await.unwrap();
    assert!(!add(first_day(), 11, Some(10)).await, "nothing was uploaded yet");
    assert!(add(first_day(), 6, Some(10)).await);
    assert!(!add(first_day(), 5, Some(10)).await);
    assert!(add(first_day(), 4, Some(10)).await, "what fits exactly");
    assert!(!add(first_day(), 1, Some(10)).await);
    assert_eq!(usage(store, USER, first_day()).await, (0, 0, 0, 10));
    assert!(add(next_day(), 10, Some(10)).await, "another day");
    assert!(add(first_day(), 1 << 40, None).await, "there is no limit any more");
    assert_eq!(usage(store, USER, first_day()).await, (0, 0, 0, 10 + (1 << 40)));
}

pub async fn of_many_uploads_at_once_no_more_are_added_than_fit(store: &impl Metered) {
    let uploads = (0..40).map(|_| store.add_upload(USER, first_day(), 3, Some(50)));
    let added = join_all(uploads).await;
    assert_eq!(added.into_iter().filter(|added| *added == Ok(true)).count(), 16);
    assert_eq!(usage(store, USER, first_day()).await, (0, 0, 0, 48));
}

pub async fn one_user_s_use_is_not_another_s(store: &impl Metered) {
    let strange = "eve\0' OR 1 --";
    spend(store, USER, "r", at(0)).await;
    spend(store, strange, "r", at(0)).await;
    spend(store, strange, "s", at(0)).await;
    assert!(store.add_upload(strange, first_day(), 5, Some(5)).await.unwrap());
    assert!(store.add_upload(USER, first_day(), 4, Some(5)).await.unwrap());
    assert_eq!(usage(store, USER, first_day()).await, (1, 20, 14, 4));
    assert_eq!(usage(store, strange, first_day()).await, (2, 40, 28, 5));
    assert_eq!(usage(store, "", first_day()).await, (0, 0, 0, 0));
}
