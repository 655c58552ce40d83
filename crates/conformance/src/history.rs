//! What every store of what users make of their runs must do.

use run::entry::Hash;
use run::history::{History, Labelling, MOST_SHARES, Share, Shared};
use run::log::{Fence, Listing, Log, LogError, RunSummary, Status, Wait};

use crate::story::{Story, USER, at};

/// A database that keeps runs and what users make of them.
pub trait Kept: Log + History {}

impl<D: Log + History> Kept for D {}

fn no_such(run: &str) -> LogError {
    LogError::NoSuchRun { run: run.into() }
}

/// Stores a run with this question that has ended.
async fn ended(kept: &impl Kept, user: &str, run: &str, question: &str) {
    let mut story = Story { user: user.into(), ..Story::new(run) };
    let mut created = story.create(None);
    created.status = Status::Completed;
    if let Fence::New(new) = &mut created.fence {
        new.question = question.into();
    }
    created.wait = Wait::Durable;
    kept.append(created).await.unwrap();
}

async fn list(kept: &impl Kept, user: &str, listing: Listing) -> Vec<RunSummary> {
    kept.list(user, &listing).await.unwrap()
}

async fn found(kept: &impl Kept, user: &str, text: &str) -> Vec<String> {
    let listing = Listing { text: Some(text.into()), ..Listing::default() };
    list(kept, user, listing).await.into_iter().map(|run| run.run_id).collect()
}

fn titled(title: &str) -> Labelling {
    Labelling { title: Some(title.into()), pinned: None }
}

fn pinned(pinned: bool) -> Labelling {
    Labelling { title: None, pinned: Some(pinned) }
}

fn link(id: &str, second: u64) -> Share {
    Share { id: id.into(), secret: Hash::of(id.as_bytes()), created_at: at(second) }
}

pub async fn a_title_and_a_pin_are_the_row_s_and_not_the_log_s(kept: &impl Kept) {
    ended(kept, USER, "a", "How do gulls feed?").await;
    ended(kept, USER, "b", "Where do terns nest?").await;
    let log = kept.entries(USER, "a", 0).await.unwrap();
    let before = kept.summary(USER, "a").await.unwrap();
    assert_eq!((&before.title, before.pinned), (&None, false));
    kept.label(USER, "a", &titled("Für Möwen\0")).await.unwrap();
    kept.label(USER, "a", &pinned(true)).await.unwrap();
    let after = kept.summary(USER, "a").await.unwrap();
    let title = Some("Für Möwen\0".to_owned());
    assert_eq!(after, RunSummary { title, pinned: true, ..before.clone() });
    assert_eq!(kept.entries(USER, "a", 0).await.unwrap(), log);
    let ids = async |pinned: Option<bool>, status: Option<Status>| {
        let listing = Listing { pinned, status, ..Listing::default() };
        let runs = list(kept, USER, listing).await;
        runs.into_iter().map(|run| run.run_id).collect::<String>()
    };
    assert_eq!(ids(None, None).await, "ba");
    assert_eq!(ids(Some(true), None).await, "a");
    assert_eq!(ids(Some(false), Some(Status::Completed)).await, "b");
    assert_eq!(ids(Some(true), Some(Status::Queued)).await, "");
    kept.label(USER, "a", &pinned(false)).await.unwrap();
    kept.label(USER, "a", &titled("")).await.unwrap();
    assert_eq!(kept.summary(USER, "a").await.unwrap(), before);
    assert_eq!(kept.label("eve", "a", &titled("hers")).await, Err(no_such("a")));
    assert_eq!(kept.summary(USER, "a").await.unwrap().title, None);
}

pub async fn a_run_is_found_by_its_title_and_by_what_it_came_to(kept: &impl Kept) {
    ended(kept, USER, "a", "How do gulls feed?").await;
    ended(kept, USER, "b", "Where do terns nest?").await;
    ended(kept, "eve", "a", "What does the Straße cost?").await;
    let pair = |user: &str, run: &str| (user.to_owned(), run.to_owned());
    let mut without = kept.without_text(9).await.unwrap();
    without.sort();
    assert_eq!(without, [pair(USER, "a"), pair(USER, "b"), pair("eve", "a")]);
    assert_eq!(kept.without_text(1).await.unwrap().len(), 1);
    kept.keep_text(USER, "a", "At sea.\nThey dive for HERRING in the \"cold\" Straße\0 of Dover.")
        .await
        .unwrap();
    kept.keep_text("eve", "a", "").await.unwrap();
    kept.keep_text(USER, "gone", "A run that was removed.").await.unwrap();
    assert_eq!(kept.without_text(9).await.unwrap(), [pair(USER, "b")]);
    for text in ["herring", "GULLS", "strasse", "\"cold\"", "sea."] {
        assert_eq!(found(kept, USER, text).await, ["a"], "{text}");
    }
    assert_eq!(found(kept, "eve", "herring").await, Vec::<String>::new());
    assert_eq!(found(kept, "eve", "strasse").await, ["a"]);
    let listing = Listing { text: Some("for herring".into()), ..Listing::default() };
    let runs = list(kept, USER, listing).await;
    let snippet = runs[0].snippet.as_deref().unwrap();
    assert!(snippet.contains("dive for HERRING in"), "{snippet}");
    let listing = Listing { text: Some("gulls".into()), ..Listing::default() };
    assert_eq!(list(kept, USER, listing).await[0].snippet, None, "its question holds it");
    // Whatever else a list is narrowed down to.
    let narrowed = Listing {
        text: Some("herring".into()),
        status: Some(Status::Completed),
        method: Some("ask".into()),
        pinned: Some(false),
        ..Listing::default()
    };
    assert_eq!(list(kept, USER, narrowed).await.len(), 1);

    kept.label(USER, "b", &titled("Herring gulls")).await.unwrap();
    assert_eq!(found(kept, USER, "herring").await, ["b", "a"]);
    assert_eq!(found(kept, USER, "terns").await, ["b"]);
    kept.keep_text(USER, "a", "Something else.").await.unwrap();
    assert_eq!(found(kept, USER, "herring").await, ["b"]);
    assert_eq!(found(kept, USER, "something").await, ["a"]);
    kept.remove(USER, "a").await.unwrap();
    assert_eq!(found(kept, USER, "something").await, Vec::<String>::new());
}

pub async fn a_link_leads_to_one_run_until_it_is_ended(kept: &impl Kept) {
    ended(kept, USER, "a", "How do gulls feed?").await;
    ended(kept, "eve", "a", "hers").await;
    let (one, other) = (link("one", 1), link("other", 2));
    assert_eq!(kept.shares(USER, "a").await.unwrap(), []);
    assert_eq!(kept.add_share(USER, "a", &other).await, Ok(true));
    assert_eq!(kept.add_share(USER, "a", &one).await, Ok(true));
    assert_eq!(kept.shares(USER, "a").await.unwrap(), [one.clone(), other.clone()]);
    assert_eq!(kept.shares("eve", "a").await.unwrap(), []);
    let leads = Shared { user: USER.into(), run: "a".into(), secret: one.secret };
    assert_eq!(kept.shared("one").await.unwrap(), Some(leads));
    assert_eq!(kept.shared("none").await.unwrap(), None);
    for (user, run) in [("eve", "b"), (USER, "b")] {
        assert_eq!(kept.shares(user, run).await, Err(no_such("b")));
        assert_eq!(kept.add_share(user, run, &link("third", 3)).await, Err(no_such("b")));
    }
    // Nobody ends a link of somebody else.
    assert_eq!(kept.remove_share("eve", "a", "one").await, Ok(false));
    assert_eq!(kept.remove_share(USER, "a", "one").await, Ok(true));
    assert_eq!(kept.remove_share(USER, "a", "one").await, Ok(false));
    assert_eq!(kept.shared("one").await.unwrap(), None);
    for number in 1..MOST_SHARES {
        let share = link(&format!("more-{number}"), 9);
        assert_eq!(kept.add_share(USER, "a", &share).await, Ok(true));
    }
    assert_eq!(kept.add_share(USER, "a", &link("too-many", 9)).await, Ok(false));
    assert_eq!(kept.shared("too-many").await.unwrap(), None);
    // It ends with the run, and does not lead to another of the same name.
    kept.remove(USER, "a").await.unwrap();
    assert_eq!(kept.shared("other").await.unwrap(), None);
    ended(kept, USER, "a", "another").await;
    assert_eq!(kept.shares(USER, "a").await.unwrap(), []);
}
