//! What every log must do.

use std::time::{Duration, Instant};

use futures::future::join_all;
use run::entry::{Head, verify};
use run::log::{
    Append, CancelRequest, Fence, Listing, Log, LogError, NewRun, RunSummary, Status, Wait,
};

use crate::story::{Story, USER, at, lines, said};

pub async fn created(log: &dyn Log, run: &str, owner: Option<&str>) -> Story {
    let mut story = Story::new(run);
    log.append(story.create(owner)).await.unwrap();
    story
}

pub fn fenced(run: &str) -> Result<(), LogError> {
    Err(LogError::Fenced { run: run.into() })
}

pub fn no_such(run: &str) -> LogError {
    LogError::NoSuchRun { run: run.into() }
}

async fn said_in(log: &dyn Log, run: &str) -> Vec<String> {
    let entries = log.entries(USER, run, 0).await.unwrap();
    assert!(verify(&entries).is_ok());
    lines(&entries)
}

pub async fn what_is_appended_reads_back_equal(log: &dyn Log, owner: &str) {
    let mut story = Story::new("r");
    let first = story.create(Some(owner));
    let rest: Vec<_> = ["naïve \u{1F600}", "\0\u{7f}\u{2028}", ""]
        .into_iter()
        .map(|line| story.seal(said(line)))
        .collect();
    let mut sealed = first.entries.clone();
    sealed.extend(rest.clone());
    log.append(first).await.unwrap();
    log.append(story.append(rest, Status::Running, Fence::Attempt(1), Wait::Durable))
        .await
        .unwrap();
    let entries = log.entries(USER, "r", 0).await.unwrap();
    assert_eq!(verify(&entries), Ok(story.head));
    for (entry, sealed) in entries.iter().zip(&sealed) {
        assert_eq!((entry.seq, entry.hash), (sealed.seq, sealed.hash));
        assert_eq!(entry.body(), sealed.body);
    }
    for after in 0..=4 {
        assert_eq!(log.entries(USER, "r", after).await.unwrap(), entries[after as usize..]);
    }
    for after in [5, i64::MAX as u64, u64::MAX] {
        assert_eq!(log.entries(USER, "r", after).await.unwrap(), []);
    }
}

pub async fn the_row_says_what_the_last_append_said(log: &dyn Log, owner: &str) {
    let mut story = created(log, "r", Some(owner)).await;
    log.append(story.say("two", Wait::Durable)).await.unwrap();
    let row = log.summary(USER, "r").await.unwrap();
    assert_eq!((row.run_id.as_str(), row.method.as_str()), ("r", "ask"));
    assert_eq!(row.question, "How do gulls feed?");
    assert_eq!((row.status, row.entries), (Status::Running, 2));
    assert_eq!((row.tokens, row.cost_usd_micros), (20, 14));
    assert_eq!((row.created_at, row.updated_at), (at(1), at(2)));

    // An append may carry no entry and still move the run.
    log.append(story.append(vec![], Status::Waiting, Fence::Attempt(1), Wait::Durable))
        .await
        .unwrap();
    let row = log.summary(USER, "r").await.unwrap();
    assert_eq!((row.status, row.entries), (Status::Waiting, 2));

    log.append(story.answer("blue", Status::Waiting, Status::Queued)).await.unwrap();
    let row = log.summary(USER, "r").await.unwrap();
    assert_eq!((row.status, row.entries), (Status::Queued, 3));
    assert_eq!((row.tokens, row.cost_usd_micros, row.updated_at), (30, 21, at(3)));
}

pub async fn entries_that_do_not_follow_are_refused_and_nothing_is_stored(
    log: &dyn Log,
    owner: &str,
) {
    let mut story = created(log, "r", Some(owner)).await;
    log.append(story.say("two", Wait::Durable)).await.unwrap();
    let before = (log.entries(USER, "r", 0).await.unwrap(), log.summary(USER, "r").await.unwrap());

    let after = |seqs: &[u64], fence: Fence| {
        let mut entries = Vec::new();
        for seq in seqs {
            let mut story = story.clone();
            story.head = Head { seq: seq - 1, hash: story.head.hash };
            entries.push(story.seal(said("forged")));
        }
        story.append(entries, Status::Completed, fence, Wait::Durable)
    };
    let mut refused = Vec::new();
    for seqs in [&[1][..], &[2], &[4], &[3, 5], &[3, 3], &[3, 4, 6], &[4, 3], &[u64::MAX]] {
        refused.push(after(seqs, Fence::Attempt(1)));
    }
    for attempt in [0, 2, u32::MAX] {
        refused.push(after(&[3], Fence::Attempt(attempt)));
        refused.push(after(&[], Fence::Attempt(attempt)));
    }
    for status in [Status::Queued, Status::Running, Status::Waiting, Status::Completed] {
        refused.push(after(&[3], Fence::Idle(status)));
    }
    refused.push(Append { user: "eve".into(), ..after(&[3], Fence::Attempt(1)) });
    refused.push(Append { user: "eve".into(), ..after(&[], Fence::Attempt(1)) });
    for append in refused {
        let what = format!("{append:?}");
        assert_eq!(log.append(append).await, fenced("r"), "{what}");
    }
    let strange = Append { run: "never".into(), ..after(&[3], Fence::Attempt(1)) };
    assert_eq!(log.append(strange).await, fenced("never"));

    let now = (log.entries(USER, "r", 0).await.unwrap(), log.summary(USER, "r").await.unwrap());
    assert_eq!(now, before);
    assert_eq!(log.entries("eve", "r", 0).await, Err(no_such("r")));
    log.append(story.say("three", Wait::Durable)).await.unwrap();
}

pub async fn a_run_is_created_once_and_from_its_first_entry(log: &dyn Log, owner: &str) {
    let mut story = created(log, "r", Some(owner)).await;
    assert_eq!(log.append(Story::new("r").create(Some(owner))).await, fenced("r"));
    assert_eq!(log.append(Story::new("r").create(None)).await, fenced("r"));
    log.append(story.say("two", Wait::Durable)).await.unwrap();

    let new = NewRun {
        method: "ask".into(),
        question: String::new(),
        owner: None,
        key: None,
        at_most: None,
    };
    let mut late = Story::new("late");
    late.seal(said("lost"));
    let second = late.seal(said("second"));
    let late = late.append(vec![second], Status::Queued, Fence::New(new), Wait::Durable);
    assert_eq!(log.append(late).await, fenced("late"));
    assert_eq!(log.summary(USER, "late").await, Err(no_such("late")));

    // Another user's run of the same name is another run.
    let mut other = Story { user: "eve".into(), ..Story::new("r") };
    log.append(other.create(Some(owner))).await.unwrap();
    assert_eq!(log.summary("eve", "r").await.unwrap().entries, 1);
    assert_eq!(log.summary(USER, "r").await.unwrap().entries, 2);
}

pub async fn an_attempt_that_was_overtaken_writes_no_more(log: &dyn Log, owner: &str) {
    let mut first = created(log, "r", Some(owner)).await;
    log.append(first.turn("asking", Status::Waiting, Wait::Durable)).await.unwrap();
    // Between the attempts the run is held by nobody.
    assert_eq!(log.append(first.clone().say("late", Wait::Durable)).await, fenced("r"));
    log.append(first.answer("blue", Status::Waiting, Status::Queued)).await.unwrap();
    assert_eq!(log.append(first.clone().say("late", Wait::Durable)).await, fenced("r"));
    assert_eq!(log.claim(USER, "r", owner).await, Ok(2));
    let mut second = Story { attempt: 2, ..first.clone() };
    assert_eq!(log.append(first.say("late", Wait::Durable)).await, fenced("r"));
    log.append(second.say("on we go", Wait::Durable)).await.unwrap();
    assert_eq!(said_in(log, "r").await, ["once upon a time", "asking", "blue", "on we go"]);
}

pub async fn of_a_thousand_answers_one_is_taken(log: &dyn Log, owner: &str) {
    let mut story = created(log, "r", Some(owner)).await;
    log.append(story.turn("asking", Status::Waiting, Wait::Durable)).await.unwrap();
    let answers = (0..1_000).map(|number| {
        log.append(story.clone().answer(
            &format!("answer {number}"),
            Status::Waiting,
            Status::Queued,
        ))
    });
    let taken = join_all(answers).await;
    assert_eq!(taken.iter().filter(|taken| taken.is_ok()).count(), 1);
    assert_eq!(taken.iter().filter(|taken| **taken == fenced("r")).count(), 999);
    assert_eq!(log.summary(USER, "r").await.unwrap().entries, 3);
}

pub async fn of_many_claims_at_once_one_gets_the_run(log: &dyn Log, owner: &str) {
    created(log, "r", None).await;
    let claims = join_all((0..50).map(|_| log.claim(USER, "r", owner))).await;
    let busy = Err(LogError::Busy { run: "r".into(), owner: owner.into() });
    assert_eq!(claims.iter().filter(|claim| **claim == Ok(1)).count(), 1);
    assert_eq!(claims.iter().filter(|claim| **claim == busy).count(), 49);
}

pub async fn a_run_can_be_taken_up_only_while_it_is_open_and_nobody_holds_it(
    log: &dyn Log,
    owner: &str,
) {
    assert_eq!(log.claim(USER, "r", owner).await, Err(no_such("r")));
    let mut story = created(log, "r", Some(owner)).await;
    let busy = Err(LogError::Busy { run: "r".into(), owner: owner.into() });
    assert_eq!(log.claim(USER, "r", owner).await, busy);
    assert_eq!(log.claim(USER, "r", "somebody else").await, busy);

    // Given back by whoever holds it, and by nobody else.
    log.release(USER, "r", "somebody else").await.unwrap();
    log.release("eve", "r", owner).await.unwrap();
    assert_eq!(log.claim(USER, "r", owner).await, busy);
    log.release(USER, "r", owner).await.unwrap();
    assert_eq!(log.summary(USER, "r").await.unwrap().status, Status::Queued);
    let late = log.append(story.clone().say("late", Wait::Durable)).await;
    assert_eq!(late, Err(LogError::Fenced { run: "r".into() }));
    assert_eq!(log.claim(USER, "r", owner).await, Ok(2));
    story.attempt = 2;

    // Handed back to the queue, it is held by nobody.
    log.append(story.turn("later", Status::Queued, Wait::Durable)).await.unwrap();
    assert_eq!(log.claim(USER, "r", "nobody who lives").await, Ok(3));
    assert_eq!(log.summary(USER, "r").await.unwrap().status, Status::Running);
    // That owner is not there, so another may have it at once.
    assert_eq!(log.claim(USER, "r", owner).await, Ok(4));

    story.attempt = 4;
    log.append(story.turn("asking", Status::Waiting, Wait::Durable)).await.unwrap();
    let not_open = |status| Err(LogError::NotOpen { run: "r".into(), status });
    assert_eq!(log.claim(USER, "r", owner).await, not_open("waiting"));
    log.append(story.answer("stop", Status::Waiting, Status::Cancelled)).await.unwrap();
    assert_eq!(log.claim(USER, "r", owner).await, not_open("cancelled"));
    for (run, status) in [("c", Status::Completed), ("p", Status::Partial)] {
        let mut story = created(log, run, Some(owner)).await;
        log.append(story.turn("the end", status, Wait::Durable)).await.unwrap();
        let not_open = LogError::NotOpen { run: run.into(), status: status.name() };
        assert_eq!(log.claim(USER, run, owner).await, Err(not_open));
    }
}

pub async fn appends_keep_the_order_of_the_calls(log: &dyn Log, owner: &str) {
    let mut stories = Vec::new();
    for run in ["a", "b", "c"] {
        stories.push(created(log, run, Some(owner)).await);
    }
    for number in 0..300 {
        for story in &mut stories {
            let wait = if number % 7 == 3 { Wait::Durable } else { Wait::Soon };
            // Nobody polls this future.
            drop(log.append(story.say(&number.to_string(), wait)));
        }
    }
    for story in &mut stories {
        log.append(story.say("end", Wait::Durable)).await.unwrap();
    }
    for run in ["a", "b", "c"] {
        let said = said_in(log, run).await;
        assert_eq!(said.len(), 302);
        assert!(said[1..301].iter().enumerate().all(|(number, line)| *line == number.to_string()));
    }
}

pub async fn what_nobody_waits_for_is_stored_within_moments(log: &dyn Log, owner: &str) {
    let mut story = created(log, "r", Some(owner)).await;
    let called = Instant::now();
    drop(log.append(story.say("soon", Wait::Soon)));
    while log.summary(USER, "r").await.unwrap().entries < 2 {
        assert!(called.elapsed() < Duration::from_secs(2), "it lingers too long");
        tokio::task::yield_now().await;
    }
}

pub async fn what_was_called_before_a_durable_append_is_stored_with_it(log: &dyn Log, owner: &str) {
    let mut quiet = created(log, "quiet", Some(owner)).await;
    let mut loud = created(log, "loud", Some(owner)).await;
    for round in 0..50 {
        drop(log.append(quiet.say("soon", Wait::Soon)));
        log.append(loud.say("durable", Wait::Durable)).await.unwrap();
        assert_eq!(log.summary(USER, "quiet").await.unwrap().entries, round + 2);
    }
}

pub async fn an_attempt_that_lost_an_append_writes_no_more(log: &dyn Log, owner: &str) {
    let mut story = created(log, "r", Some(owner)).await;
    let mut gap = story.clone();
    gap.seal(said("never sent"));
    drop(log.append(gap.say("after a gap", Wait::Soon)));
    // These would be right by themselves.
    assert_eq!(log.append(story.clone().say("two", Wait::Durable)).await, fenced("r"));
    let close = story.append(vec![], Status::Completed, Fence::Attempt(1), Wait::Durable);
    assert_eq!(log.append(close).await, fenced("r"));
    assert_eq!(said_in(log, "r").await, ["once upon a time"]);
    assert_eq!(log.summary(USER, "r").await.unwrap().status, Status::Running);

    // A neighbour of the same name, and the run itself in other hands, are not concerned.
    let mut other = Story { user: "eve".into(), ..Story::new("r") };
    log.append(other.create(Some(owner))).await.unwrap();
    log.append(other.say("two", Wait::Durable)).await.unwrap();
    let mut waiting = created(log, "w", Some(owner)).await;
    log.append(waiting.turn("asking", Status::Waiting, Wait::Durable)).await.unwrap();
    drop(log.append(waiting.clone().say("too late", Wait::Soon)));
    log.append(waiting.answer("blue", Status::Waiting, Status::Queued)).await.unwrap();
    waiting.attempt = log.claim(USER, "w", owner).await.unwrap();
    log.append(waiting.say("thanks", Wait::Durable)).await.unwrap();
    story.attempt = 2;
    assert_eq!(log.append(story.say("two", Wait::Durable)).await, fenced("r"));
}

pub async fn an_append_that_is_refused_leaves_its_neighbours(log: &dyn Log, owner: &str) {
    let mut stories = Vec::new();
    for number in 0..60 {
        stories.push(created(log, &format!("r{number}"), Some(owner)).await);
    }
    let appends: Vec<Append> = stories
        .iter_mut()
        .enumerate()
        .map(|(number, story)| {
            let mut append = story.say("two", Wait::Durable);
            match number % 6 {
                1 => append.entries[0].seq += 1,
                3 => append.fence = Fence::Attempt(9),
                // No text, so no log can take it.
                5 => append.entries[0].body = vec![0xff, 0xfe],
                _ => {}
            }
            append
        })
        .collect();
    let done = join_all(appends.into_iter().map(|append| log.append(append))).await;
    for (number, done) in done.into_iter().enumerate() {
        assert_eq!(done.is_ok(), number % 2 == 0, "{number}: {done:?}");
        let row = log.summary(USER, &format!("r{number}")).await.unwrap();
        assert_eq!(row.entries, if number % 2 == 0 { 2 } else { 1 }, "{number}");
    }
}

pub async fn runs_are_listed_newest_first_in_pages(log: &dyn Log, owner: &str) {
    // The clock may be set back: the newest run is the one that was made last.
    let millis = [0, 1, 10, 100, 999, 1_000, 123, 120, 500];
    for milli in millis {
        let mut story = Story::new(&format!("r{milli:04}"));
        let mut append = story.create(Some(owner));
        append.at = jiff::Timestamp::from_millisecond(1_767_225_600_000 + milli).unwrap();
        log.append(append).await.unwrap();
    }
    let mut other = Story { user: "eve".into(), ..Story::new("hers") };
    log.append(other.create(None)).await.unwrap();
    let all = ids(log.list(USER, &Listing::default()).await.unwrap());
    let expected =
        ["r0500", "r0120", "r0123", "r1000", "r0999", "r0100", "r0010", "r0001", "r0000"];
    assert_eq!(all, expected);
    for offset in 0..10_u32 {
        let page =
            ids(log.list(USER, &Listing { limit: 4, offset, ..Listing::default() }).await.unwrap());
        assert_eq!(
            page,
            expected.iter().skip(offset as usize).take(4).copied().collect::<Vec<_>>()
        );
    }
    assert_eq!(log.list(USER, &Listing { limit: 0, ..Listing::default() }).await.unwrap(), []);
    assert_eq!(
        log.list(USER, &Listing { limit: u32::MAX, offset: u32::MAX, ..Listing::default() })
            .await
            .unwrap(),
        []
    );
    assert_eq!(ids(log.list("eve", &Listing::default()).await.unwrap()), ["hers"]);
    assert_eq!(log.list("nobody", &Listing::default()).await.unwrap(), []);
}

pub fn ids(rows: Vec<RunSummary>) -> Vec<String> {
    rows.into_iter().map(|row| row.run_id).collect()
}

pub async fn runs_are_found_by_how_their_ids_begin(log: &dyn Log, owner: &str) {
    for run in ["ab", "abc", "ABD", "a%c", "a_c", "äb", "b'; DROP TABLE runs; --"] {
        created(log, run, Some(owner)).await;
    }
    for number in 0..15 {
        created(log, &format!("many-{number:02}"), None).await;
    }
    let mut other = Story { user: "eve".into(), ..Story::new("abroad") };
    log.append(other.create(None)).await.unwrap();
    let cases: &[(&str, &[&str])] = &[
        ("ab", &["ab", "abc"]),
        ("abc", &["abc"]),
        ("AB", &["ABD"]),
        ("a%", &["a%c"]),
        ("a_", &["a_c"]),
        ("%", &[]),
        ("ä", &["äb"]),
        ("b'", &["b'; DROP TABLE runs; --"]),
        ("abcd", &[]),
        ("ab\0", &[]),
        ("\u{10FFFF}", &[]),
    ];
    for (prefix, expected) in cases {
        assert_eq!(log.find(USER, prefix).await.unwrap(), *expected, "{prefix:?}");
    }
    assert_eq!(log.find(USER, "many").await.unwrap().len(), 10);
    assert_eq!(log.find(USER, "").await.unwrap().len(), 10);
}

pub async fn the_run_of_another_user_is_not_there(log: &dyn Log, owner: &str) {
    let mut story = created(log, "r", Some(owner)).await;
    log.append(story.say("two", Wait::Durable)).await.unwrap();
    for user in ["eve", "", "ADA", "ada ", "ada\0", "%"] {
        for after in [0, 1, 2, 9] {
            assert_eq!(log.entries(user, "r", after).await, Err(no_such("r")));
        }
        assert_eq!(log.summary(user, "r").await, Err(no_such("r")));
        assert_eq!(log.claim(user, "r", owner).await, Err(no_such("r")));
        assert_eq!(log.request_cancel(user, "r", user).await, Err(no_such("r")));
        assert_eq!(log.list(user, &Listing::default()).await.unwrap(), []);
        assert_eq!(log.find(user, "r").await.unwrap(), Vec::<String>::new());
        let append = Append { user: user.into(), ..story.clone().say("mine", Wait::Durable) };
        assert_eq!(log.append(append).await, fenced("r"));
    }
    assert_eq!(log.cancel_requests(owner).await.unwrap(), []);
    assert_eq!(log.summary(USER, "r").await.unwrap().entries, 2);
}

pub async fn whoever_works_on_a_run_hears_that_it_should_stop(log: &dyn Log, owner: &str) {
    let mut story = created(log, "r", Some(owner)).await;
    created(log, "other", Some(owner)).await;
    created(log, "elsewhere", Some("somebody else")).await;
    assert_eq!(log.cancel_requests(owner).await.unwrap(), []);
    log.request_cancel(USER, "r", "ada").await.unwrap();
    log.request_cancel(USER, "elsewhere", "ada").await.unwrap();
    let asked = vec![CancelRequest { user: USER.into(), run: "r".into(), by: "ada".into() }];
    assert_eq!(log.cancel_requests(owner).await.unwrap(), asked);
    // The request does not stand in the worker's way.
    log.append(story.say("two", Wait::Durable)).await.unwrap();
    assert_eq!(log.cancel_requests(owner).await.unwrap(), asked);
    log.append(story.turn("stopped", Status::Cancelled, Wait::Durable)).await.unwrap();
    assert_eq!(log.cancel_requests(owner).await.unwrap(), []);
    let not_open = |run: &str, status| Err(LogError::NotOpen { run: run.into(), status });
    assert_eq!(log.request_cancel(USER, "r", "ada").await, not_open("r", "cancelled"));
    created(log, "queued", None).await;
    assert_eq!(log.request_cancel(USER, "queued", "ada").await, not_open("queued", "queued"));
}

pub async fn a_request_to_stop_outlives_a_worker_that_died_before_it_heard(
    log: &dyn Log,
    owner: &str,
) {
    created(log, "r", Some("nobody who lives")).await;
    log.request_cancel(USER, "r", "ada").await.unwrap();
    assert_eq!(log.claim(USER, "r", owner).await, Ok(2));
    assert_eq!(
        log.cancel_requests(owner).await.unwrap(),
        [CancelRequest { user: USER.into(), run: "r".into(), by: "ada".into() }]
    );

    // A worker that came to a question instead has ended its attempt, and an answer asks to go on.
    let mut story = created(log, "w", Some(owner)).await;
    log.request_cancel(USER, "w", "ada").await.unwrap();
    log.append(story.turn("asking", Status::Waiting, Wait::Durable)).await.unwrap();
    log.append(story.answer("blue", Status::Waiting, Status::Queued)).await.unwrap();
    assert_eq!(log.claim(USER, "w", owner).await, Ok(2));
    assert_eq!(log.cancel_requests(owner).await.unwrap().len(), 1, "that of the other run");
}

pub async fn a_renewed_run_stays_held(log: &dyn Log, owner: &str) {
    let mut story = created(log, "r", Some(owner)).await;
    log.renew(owner).await.unwrap();
    log.renew("nobody").await.unwrap();
    let busy = Err(LogError::Busy { run: "r".into(), owner: owner.into() });
    assert_eq!(log.claim(USER, "r", owner).await, busy);
    log.append(story.turn("asking", Status::Waiting, Wait::Durable)).await.unwrap();
    log.renew(owner).await.unwrap();
    assert_eq!(log.summary(USER, "r").await.unwrap().status, Status::Waiting);
}

pub async fn a_thousand_readers_at_once_are_all_answered(log: &dyn Log, owner: &str) {
    created(log, "r", Some(owner)).await;
    let reads = (0..1_000).map(|_| log.entries(USER, "r", 0));
    assert!(join_all(reads).await.into_iter().all(|read| read.is_ok_and(|read| read.len() == 1)));
}
