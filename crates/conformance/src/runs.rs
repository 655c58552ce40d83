//! What every log must do with the runs' rows: list them, hand them to workers, make one for each key.

use futures::future::join_all;
use run::entry::Hash;
use run::log::{Append, Fence, Listing, Log, LogError, NewRun, RequestKey, Status, Wait};

use crate::log::{created, fenced, ids, no_such};
use crate::story::{Story, USER, at, said};

/// Creates a run of this method and question, so many milliseconds after the others began.
async fn dated(log: &dyn Log, user: &str, run: &str, new: (&str, &str), milli: i64) -> Story {
    let mut story = Story { user: user.into(), ..Story::new(run) };
    let mut append = story.create(None);
    append.at = jiff::Timestamp::from_millisecond(1_767_225_600_000 + milli).unwrap();
    let (method, question) = (new.0.to_owned(), new.1.to_owned());
    append.fence = Fence::New(NewRun { method, question, owner: None, key: None, at_most: None });
    log.append(append).await.unwrap();
    story
}

pub async fn a_list_shows_the_runs_that_it_is_asked_for(log: &dyn Log, owner: &str) {
    let runs = [
        ("a", "ask", "How do gulls feed?"),
        ("b", "hypothesize", "Why do GULLS drum?"),
        ("c", "ask", "Straße oder Weg?"),
        ("d", "ask", "ΌΔΟΣ, 100% of it_"),
        ("e", "hypothesize", ""),
        ("f", "ask", "nul\0gulls after"),
    ];
    for (number, (run, method, question)) in (0..).zip(runs) {
        dated(log, USER, run, (method, question), number).await;
    }
    dated(log, "eve", "hers", ("ask", "How do gulls feed?"), 99).await;
    for (run, status) in [("b", Status::Waiting), ("c", Status::Completed)] {
        let attempt = log.claim(USER, run, owner).await.unwrap();
        let mut story = Story { attempt, ..Story::new(run) };
        story.seal(said("once upon a time"));
        log.append(story.turn("on", status, Wait::Durable)).await.unwrap();
    }
    log.claim(USER, "d", owner).await.unwrap();

    let all = Listing::default;
    let text = |text: &str| Listing { text: Some(text.into()), ..all() };
    let status = |status| Listing { status: Some(status), ..all() };
    let method = |method: &str| Listing { method: Some(method.into()), ..all() };
    let before = |run: &str| Listing { before: Some(run.into()), ..all() };
    let cases: Vec<(Listing, &str)> = vec![
        (all(), "fedcba"),
        (status(Status::Queued), "fea"),
        (status(Status::Running), "d"),
        (status(Status::Waiting), "b"),
        (status(Status::Completed), "c"),
        (status(Status::Partial), ""),
        (status(Status::Cancelled), ""),
        (method("ask"), "fdca"),
        (method("hypothesize"), "eb"),
        (method("ASK"), ""),
        (method("a' OR '1'='1"), ""),
        (text("gulls"), "fba"),
        (text("GuLLs"), "fba"),
        (text("strasse"), "c"),
        (text("οδος"), ""),
        (text("όδος"), "d"),
        (text("100%"), "d"),
        (text("%"), "d"),
        (text("_"), "d"),
        (text("it_"), "d"),
        (text("' OR 1 --"), ""),
        (text(""), "fedcba"),
        (text("\0gulls"), "f"),
        (before("d"), "cba"),
        (before("a"), ""),
        (Listing { method: Some("ask".into()), ..before("d") }, "ca"),
        (Listing { status: Some(Status::Queued), ..text("gulls") }, "fa"),
        (
            Listing {
                status: Some(Status::Queued),
                method: Some("ask".into()),
                before: Some("f".into()),
                ..text("gulls")
            },
            "a",
        ),
        (Listing { limit: 2, ..all() }, "fe"),
        (Listing { limit: 2, offset: 1, ..method("ask") }, "dc"),
        (Listing { offset: 1, ..before("d") }, "ba"),
        (Listing { limit: 0, ..text("gulls") }, ""),
    ];
    for (listing, expected) in cases {
        assert_eq!(ids(log.list(USER, &listing).await.unwrap()).concat(), expected, "{listing:?}");
    }
    // Her run is none that his list goes on from, and his is none of hers.
    for (user, run) in [(USER, "never"), (USER, ""), (USER, "hers"), ("eve", "a"), ("", "a")] {
        assert_eq!(log.list(user, &before(run)).await, Err(no_such(run)));
    }
    assert_eq!(ids(log.list("eve", &text("gulls")).await.unwrap()), ["hers"]);
    assert_eq!(ids(log.list("nobody", &text("gulls")).await.unwrap()), Vec::<String>::new());
}

pub async fn a_list_that_goes_on_from_a_run_shows_each_run_once(log: &dyn Log, _: &str) {
    for number in 0..30 {
        dated(log, USER, &format!("r{number:02}"), ("ask", "Which?"), number / 4).await;
    }
    let listing = Listing { text: Some("which".into()), limit: 4, ..Listing::default() };
    let mut shown = Vec::new();
    let mut next = Some(listing.clone());
    while let Some(listing) = next.take() {
        let page = ids(log.list(USER, &listing).await.unwrap());
        // More come while somebody reads on.
        for number in 0..3 {
            let run = format!("new-{}-{number}", shown.len());
            dated(log, USER, &run, ("ask", "Which?"), 1_000 + shown.len() as i64).await;
        }
        next = page.last().map(|last| Listing { before: Some(last.clone()), ..listing });
        shown.extend(page);
    }
    let expected: Vec<String> = (0..30).rev().map(|number| format!("r{number:02}")).collect();
    assert_eq!(shown, expected);
}

pub async fn what_a_worker_may_take_up_is_what_nobody_works_on(log: &dyn Log, owner: &str) {
    assert_eq!(log.unfinished(10).await.unwrap(), []);
    for (milli, user, run) in [(5, USER, "queued"), (1, "eve", "queued"), (9, USER, "last")] {
        dated(log, user, run, ("ask", "Which?"), milli).await;
    }
    let created = async |run: &str, milli: i64, owner: &str| {
        let mut story = Story::new(run);
        let mut append = story.create(Some(owner));
        append.at = jiff::Timestamp::from_millisecond(1_767_225_600_000 + milli).unwrap();
        log.append(append).await.unwrap();
        story
    };
    created("held", 0, owner).await;
    created("left behind", 3, "nobody who lives").await;
    for (number, status) in
        [Status::Waiting, Status::Completed, Status::Partial, Status::Cancelled].iter().enumerate()
    {
        let mut story = created(status.name(), number as i64, owner).await;
        log.append(story.turn("on", *status, Wait::Durable)).await.unwrap();
    }
    let mut handed_back = created("handed back", 7, owner).await;
    log.append(handed_back.turn("later", Status::Queued, Wait::Durable)).await.unwrap();

    let pair = |user: &str, run: &str| (user.to_owned(), run.to_owned());
    let all = [
        pair("eve", "queued"),
        pair(USER, "queued"),
        pair(USER, "last"),
        pair(USER, "left behind"),
        pair(USER, "handed back"),
    ];
    for limit in 0..7 {
        let found = log.unfinished(limit).await.unwrap();
        assert_eq!(found, all[..all.len().min(limit as usize)]);
    }
    // All that it names may be claimed, and then it names none.
    for (user, run) in &all {
        log.claim(user, run, owner).await.unwrap();
    }
    assert_eq!(log.unfinished(u32::MAX).await.unwrap(), []);
    log.append(handed_back.clone().turn("stale", Status::Queued, Wait::Durable)).await.unwrap_err();
    handed_back.attempt = 2;
    log.append(handed_back.turn("asking", Status::Waiting, Wait::Durable)).await.unwrap();
    log.append(handed_back.answer("blue", Status::Waiting, Status::Queued)).await.unwrap();
    assert_eq!(log.unfinished(10).await.unwrap(), [pair(USER, "handed back")]);
}

fn with_key(run: &str, user: &str, key: &str, request: &str) -> Append {
    let mut append = Story { user: user.into(), ..Story::new(run) }.create(None);
    if let Fence::New(new) = &mut append.fence {
        new.key = Some(RequestKey { key: key.into(), request: Hash::of(request.as_bytes()) });
    }
    append
}

pub async fn a_key_makes_one_run_of_its_user(log: &dyn Log, owner: &str) {
    let all = join_all((0..100).map(|number| {
        let request = format!("request {}", number % 3);
        log.append(with_key(&format!("r{number}"), USER, "k", &request))
    }));
    let all = all.await;
    let first = all.iter().position(Result::is_ok).unwrap();
    let run = format!("r{first}");
    let taken = LogError::KeyTaken { key: "k".into(), run: run.clone() };
    assert!(all.iter().enumerate().all(|(number, came)| match came {
        Ok(()) => number == first,
        Err(error) => *error == taken,
    }));
    assert_eq!(ids(log.list(USER, &Listing::default()).await.unwrap()), [run.as_str()]);
    let request = Hash::of(format!("request {}", first % 3).as_bytes());
    assert_eq!(log.keyed(USER, "k").await.unwrap(), Some((run.clone(), request)));
    let other = format!("r{}", (first + 1) % 100);
    assert_eq!(log.entries(USER, &other, 0).await, Err(no_such(&other)));

    // Under an id that is there, with a key that is not, it is the id that stands in the way.
    assert_eq!(log.append(with_key(&run, USER, "free", "x")).await, fenced(&run));
    assert_eq!(log.keyed(USER, "free").await.unwrap(), None);
    // A key stays taken when its run has ended.
    let attempt = log.claim(USER, &run, owner).await.unwrap();
    let mut story = Story { attempt, ..Story::new(&run) };
    story.seal(said("once upon a time"));
    log.append(story.turn("the end", Status::Completed, Wait::Durable)).await.unwrap();
    assert_eq!(log.append(with_key("late", USER, "k", "x")).await, Err(taken));

    // Another user's key of that name is another key; any text may be one.
    assert_eq!(log.keyed("eve", "k").await.unwrap(), None);
    log.append(with_key(&run, "eve", "k", "hers")).await.unwrap();
    assert_eq!(log.keyed(USER, "k").await.unwrap().unwrap().1, request);
    assert_eq!(log.keyed("eve", "k").await.unwrap().unwrap().1, Hash::of(b"hers"));
    for (number, key) in ["", "K", "k ", "k\0", "%", "' OR 1 --", "\u{1F600}"].iter().enumerate() {
        assert_eq!(log.keyed(USER, key).await.unwrap(), None, "{key:?}");
        log.append(with_key(&format!("any-{number}"), USER, key, "x")).await.unwrap();
        assert_eq!(log.keyed(USER, key).await.unwrap().unwrap().0, format!("any-{number}"));
    }
    // Runs without one are not in each other's way.
    created(log, "plain", None).await;
    created(log, "as plain", None).await;
}

pub async fn a_run_that_is_asked_to_stop_says_so_until_it_has(log: &dyn Log, owner: &str) {
    let mut story = created(log, "r", Some(owner)).await;
    let stopping = async |run: &str| {
        let row = log.summary(USER, run).await.unwrap();
        let listed = log.list(USER, &Listing::default()).await.unwrap();
        let listed = listed.into_iter().find(|one| one.run_id == run).unwrap();
        assert_eq!(listed, row);
        row.stopping
    };
    assert!(!stopping("r").await);
    log.request_cancel(USER, "r", "ada").await.unwrap();
    assert!(stopping("r").await);
    log.append(story.say("two", Wait::Durable)).await.unwrap();
    assert!(stopping("r").await);
    log.append(story.turn("stopped", Status::Cancelled, Wait::Durable)).await.unwrap();
    assert!(!stopping("r").await);

    // Whoever came to a question instead waits, and is asked anew to stop.
    let mut story = created(log, "w", Some(owner)).await;
    log.request_cancel(USER, "w", "ada").await.unwrap();
    log.append(story.turn("asking", Status::Waiting, Wait::Durable)).await.unwrap();
    assert!(!stopping("w").await);
    log.append(story.answer("blue", Status::Waiting, Status::Queued)).await.unwrap();
    log.claim(USER, "w", owner).await.unwrap();
    assert!(!stopping("w").await);
}

/// The append that creates a run of a method of which its user may have so many at work.
fn limited(run: &str, user: &str, method: &str, at_most: u32, owner: Option<&str>) -> Append {
    let mut append = Story { user: user.into(), ..Story::new(run) }.create(owner);
    if let Fence::New(new) = &mut append.fence {
        (new.method, new.at_most) = (method.to_owned(), Some(at_most));
    }
    append
}

fn too_many(run: &str, limit: u32) -> Result<(), LogError> {
    Err(LogError::TooMany { method: "debate".into(), run: run.into(), limit })
}

/// Creates many at once; returns those that came to be, and checks that the others were told one of them.
pub async fn at_once(log: &dyn Log, user: &str, part: &str, limit: u32) -> Vec<String> {
    let run = |number: usize| format!("{part}-{number}");
    let all = (0..100).map(|number| log.append(limited(&run(number), user, "debate", limit, None)));
    let all = join_all(all).await;
    let mut won = Vec::new();
    for (number, came) in all.into_iter().enumerate() {
        match came {
            Ok(()) => won.push(run(number)),
            Err(LogError::TooMany { run, limit: told, .. }) => {
                assert_eq!(told, limit);
                log.summary(user, &run).await.unwrap();
            }
            Err(other) => panic!("{other}"),
        }
    }
    won
}

pub async fn a_user_has_no_more_runs_of_a_method_at_work_than_are_allowed(
    log: &dyn Log,
    owner: &str,
) {
    let new = |run: &str, limit| log.append(limited(run, USER, "debate", limit, None));
    for (limit, number) in [(1, 1), (3, 3), (0, 1)] {
        let user = format!("user {limit}");
        let won = at_once(log, &user, "r", limit.max(1)).await;
        assert_eq!(won.len(), number, "{limit}");
        let listed = ids(log.list(&user, &Listing::default()).await.unwrap());
        assert_eq!(listed.len(), number, "nothing of the others was stored");
    }

    // In the queue, and held.
    new("a", 1).await.unwrap();
    assert_eq!(new("b", 1).await, too_many("a", 1));
    assert_eq!(new("b", 0).await, too_many("a", 1));
    assert_eq!(log.entries(USER, "b", 0).await, Err(no_such("b")));
    let attempt = log.claim(USER, "a", owner).await.unwrap();
    assert_eq!(new("b", 1).await, too_many("a", 1));
    log.request_cancel(USER, "a", "ada").await.unwrap();
    assert_eq!(new("b", 1).await, too_many("a", 1), "it has not stopped yet");
    // Where more are allowed there is room, and who was there first is named.
    new("b", 2).await.unwrap();
    assert_eq!(new("c", 2).await, too_many("a", 2));
    assert_eq!(new("c", 1).await, too_many("a", 1));

    // Another method, another user and no limit are not in the way.
    log.append(limited("other", USER, "ask", 1, None)).await.unwrap();
    log.append(limited("hers", "eve", "debate", 1, None)).await.unwrap();
    created(log, "plain", None).await;

    // Whoever waits for a person, or has ended, is not at work.
    let mut first = Story { attempt, ..Story::new("a") };
    first.seal(said("once upon a time"));
    log.append(first.turn("asking", Status::Waiting, Wait::Durable)).await.unwrap();
    assert_eq!(new("c", 1).await, too_many("b", 1));
    let attempt = log.claim(USER, "b", owner).await.unwrap();
    let mut second = Story { attempt, ..Story::new("b") };
    second.seal(said("once upon a time"));
    log.append(second.turn("the end", Status::Completed, Wait::Durable)).await.unwrap();
    // Nor is what its worker left behind.
    let left = limited("left", USER, "debate", 1, Some("nobody who lives"));
    log.append(left).await.unwrap();
    new("c", 1).await.unwrap();
    assert_eq!(new("d", 1).await, too_many("c", 1));
    // It is taken up without being counted anew; then it counts, and it was made before the other.
    log.claim(USER, "left", owner).await.unwrap();
    assert_eq!(new("d", 2).await, too_many("left", 2));
    log.append(first.answer("blue", Status::Waiting, Status::Queued)).await.unwrap();
    assert_eq!(new("d", 3).await, too_many("a", 3));

    // An id that is there, and a key that was used, stand in the way before that.
    assert_eq!(new("c", 1).await, fenced("c"));
    let keyed = |run: &str| {
        let mut append = limited(run, "kim", "debate", 1, None);
        if let Fence::New(new) = &mut append.fence {
            new.key = Some(RequestKey { key: "k".into(), request: Hash::of(b"x") });
        }
        append
    };
    log.append(keyed("k1")).await.unwrap();
    let taken = LogError::KeyTaken { key: "k".into(), run: "k1".into() };
    assert_eq!(log.append(keyed("k2")).await, Err(taken));
    // What is refused leaves what comes with it.
    let refused = limited("k3", "kim", "debate", 1, None);
    let mut other = Story { user: "kim".into(), ..Story::new("k4") };
    let (refused, stored) = join_all([log.append(refused), log.append(other.create(None))])
        .await
        .into_iter()
        .fold((0, 0), |(refused, stored), came| match came {
            Err(LogError::TooMany { .. }) => (refused + 1, stored),
            came => (refused, stored + u32::from(came.is_ok())),
        });
    assert_eq!((refused, stored), (1, 1));
}

pub async fn a_run_is_removed_unless_somebody_holds_it(log: &dyn Log, owner: &str) {
    let mut story = created(log, "r", Some(owner)).await;
    dated(log, USER, "other", ("ask", "How do gulls feed?"), 1).await;
    dated(log, "eve", "r", ("ask", "How do gulls feed?"), 1).await;
    let busy = LogError::Busy { run: "r".into(), owner: owner.into() };
    assert_eq!(log.remove(USER, "r").await, Err(busy));
    log.append(story.turn("the end", Status::Completed, Wait::Durable)).await.unwrap();
    assert_eq!(log.remove(USER, "r").await, Ok(()));
    assert_eq!(log.remove(USER, "r").await, Err(no_such("r")));
    assert_eq!(log.remove("kim", "other").await, Err(no_such("other")));
    assert_eq!(log.entries(USER, "r", 0).await, Err(no_such("r")));
    let text = Listing { text: Some("gulls".into()), ..Listing::default() };
    assert_eq!(ids(log.list(USER, &text).await.unwrap()), ["other"]);
    assert_eq!(ids(log.list("eve", &text).await.unwrap()), ["r"]);
    // Nobody holds what its worker left behind, nor what waits in the queue.
    created(log, "left", Some("nobody who lives")).await;
    for run in ["left", "other"] {
        assert_eq!(log.remove(USER, run).await, Ok(()), "{run}");
    }
    // The id is free again, and what stood there before is not in the way.
    created(log, "r", None).await;
    assert_eq!(log.entries(USER, "r", 0).await.unwrap().len(), 1);
    assert_eq!(ids(log.list(USER, &text).await.unwrap()), ["r"]);
}

pub async fn what_has_ended_is_found_by_when_it_did(log: &dyn Log, owner: &str) {
    for (run, user, ended, status) in [
        ("late", USER, 30, Status::Completed),
        ("early", USER, 10, Status::Partial),
        ("hers", "eve", 20, Status::Cancelled),
        ("waits", USER, 1, Status::Waiting),
    ] {
        let mut story = Story { user: user.into(), ..Story::new(run) };
        log.append(story.create(Some(owner))).await.unwrap();
        let mut end = story.turn("the end", status, Wait::Durable);
        end.at = at(ended);
        log.append(end).await.unwrap();
    }
    let pair = |user: &str, run: &str| (user.to_owned(), run.to_owned());
    let all = [pair(USER, "early"), pair("eve", "hers"), pair(USER, "late")];
    for (before, limit, found) in [
        (10, 9, &all[..0]),
        (11, 9, &all[..1]),
        (30, 9, &all[..2]),
        (99, 9, &all[..]),
        (99, 2, &all[..2]),
    ] {
        assert_eq!(log.ended_before(None, at(before), limit).await.unwrap(), found, "{before}");
    }
    assert_eq!(log.ended_before(Some("eve"), at(99), 9).await.unwrap(), all[1..2]);
}
