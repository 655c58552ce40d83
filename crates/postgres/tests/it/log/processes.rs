//! Several processes on one database: each handle that is opened is one, as far as the database can tell.

use std::time::{Duration, Instant};

use conformance::log::{created, fenced};
use conformance::story::{Story, USER, lines};
use futures::StreamExt;
use futures::future::join_all;
use futures::stream::BoxStream;
use postgres::Postgres;
use run::database::Storage;
use run::entry::{Hash, verify};
use run::log::{Append, Fence, Listing, Log, LogError, RequestKey, Status, Wait};
use run::news::{DraftWords, News, NewsEvent};

use conformance::server::{Database, connect};

async fn open_many(count: usize) -> (Vec<Postgres>, Database) {
    let database = Database::make().await;
    let opened = join_all((0..count).map(|_| Postgres::open(&database.url))).await;
    (opened.into_iter().map(Result::unwrap).collect(), database)
}

async fn open_two() -> (Postgres, Postgres, Database) {
    let database = Database::make().await;
    let open = || Postgres::open(&database.url);
    (open().await.unwrap(), open().await.unwrap(), database)
}

/// Lets the lease of a process expire.
async fn expire(database: &Database, process: &Postgres) {
    let client = connect(&database.url).await;
    let statement =
        "UPDATE owners SET lease_until = clock_timestamp() - interval '1 second' WHERE name = $1";
    assert_eq!(client.execute(statement, &[&process.owner()]).await.unwrap(), 1);
}

async fn owners(database: &Database) -> Vec<String> {
    let rows = connect(&database.url).await.query("SELECT name FROM owners", &[]).await.unwrap();
    rows.iter().map(|row| row.get(0)).collect()
}

fn busy(run: &str, holder: &Postgres) -> Result<u32, LogError> {
    Err(LogError::Busy { run: run.into(), owner: holder.owner().into() })
}

fn pair(run: &str) -> (String, String) {
    (USER.to_owned(), run.to_owned())
}

/// Waits until something in the background is done.
async fn until<F: Future<Output = bool>>(is_done: impl Fn() -> F) {
    let began = Instant::now();
    while !is_done().await {
        assert!(began.elapsed() < Duration::from_secs(10), "it is not done in time");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

// proves: S2
#[tokio::test(flavor = "multi_thread")]
async fn what_one_process_stores_all_see_and_go_on_with() {
    let (one, two, _database) = open_two().await;
    let mut story = created(&one, "r", Some(one.owner())).await;
    one.append(story.say("two", Wait::Durable)).await.unwrap();
    assert_eq!(two.summary(USER, "r").await.unwrap().entries, 2);
    assert_eq!(two.claim(USER, "r", two.owner()).await, busy("r", &one));
    two.request_cancel(USER, "r", "ada").await.unwrap();
    assert_eq!(one.cancel_requests(one.owner()).await.unwrap().len(), 1);
    assert_eq!(two.cancel_requests(two.owner()).await.unwrap(), []);

    one.append(story.turn("asking", Status::Waiting, Wait::Durable)).await.unwrap();
    two.append(story.answer("blue", Status::Waiting, Status::Queued)).await.unwrap();
    assert_eq!(one.unfinished(9).await.unwrap(), [pair("r")]);
    story.attempt = two.claim(USER, "r", two.owner()).await.unwrap();
    assert_eq!(one.unfinished(9).await.unwrap(), []);
    assert_eq!(one.remove(USER, "r").await, busy("r", &two).map(|_| ()));
    two.append(story.turn("the end", Status::Completed, Wait::Durable)).await.unwrap();
    let entries = one.entries(USER, "r", 0).await.unwrap();
    assert_eq!(lines(&entries), ["once upon a time", "two", "asking", "blue", "the end"]);
    assert_eq!(verify(&entries), Ok(story.head));
    one.remove(USER, "r").await.unwrap();
    assert_eq!(two.list(USER, &Listing::default()).await.unwrap(), []);
}

// proves: C11, S2
#[tokio::test(flavor = "multi_thread")]
async fn of_many_claims_by_many_processes_one_gets_each_run() {
    let (processes, _database) = open_many(8).await;
    for round in 0..20 {
        let run = format!("r{round}");
        created(&processes[0], &run, None).await;
        let claims = processes
            .iter()
            .flat_map(|process| (0..3).map(|_| process.claim(USER, &run, process.owner())));
        let claims = join_all(claims).await;
        let winner = claims.iter().position(|claim| *claim == Ok(1)).unwrap();
        let told = busy(&run, &processes[winner / 3]);
        let others = claims.iter().enumerate().filter(|(number, _)| *number != winner);
        assert!(others.into_iter().all(|(_, claim)| *claim == told), "{claims:?}");
    }
}

// proves: C1, S2
#[tokio::test(flavor = "multi_thread")]
async fn a_run_is_taken_over_when_the_lease_of_its_worker_expires() {
    let (one, two, database) = open_two().await;
    let mut first = created(&one, "r", Some(one.owner())).await;
    let mut kept = created(&one, "kept", Some(one.owner())).await;
    assert_eq!(two.unfinished(9).await.unwrap(), []);
    expire(&database, &one).await;
    assert_eq!(two.unfinished(9).await.unwrap(), [pair("r"), pair("kept")]);
    assert_eq!(two.claim(USER, "r", two.owner()).await, Ok(2));

    // The first one was stopped for a while. It goes on, and does not know.
    let mut second = Story { attempt: 2, ..first.clone() };
    drop(one.append(first.clone().say("too late", Wait::Soon)));
    assert_eq!(one.append(first.say("too late", Wait::Durable)).await, fenced("r"));
    one.release(USER, "r", one.owner()).await.unwrap();
    assert_eq!(one.claim(USER, "r", one.owner()).await, busy("r", &two));
    two.append(second.say("on we go", Wait::Durable)).await.unwrap();
    let said = lines(&two.entries(USER, "r", 0).await.unwrap());
    assert_eq!(said, ["once upon a time", "on we go"]);

    // What nobody has taken meanwhile it keeps: its claim above was a sign of life.
    assert_eq!(two.claim(USER, "kept", two.owner()).await, busy("kept", &one));
    one.append(kept.say("two", Wait::Durable)).await.unwrap();
}

// proves: C1, S2
#[tokio::test(flavor = "multi_thread")]
async fn a_lease_is_renewed_by_whoever_has_one_and_made_for_nobody_else() {
    let (one, two, database) = open_two().await;
    assert_eq!(owners(&database).await, Vec::<String>::new());
    created(&one, "queued", None).await;
    created(&one, "left", Some("nobody who lives")).await;
    assert_eq!(owners(&database).await, Vec::<String>::new(), "it holds nothing yet");
    created(&one, "r", Some(one.owner())).await;
    for renewed in [one.owner(), one.owner(), "nobody who lives"] {
        expire(&database, &one).await;
        one.renew(renewed).await.unwrap();
    }
    assert_eq!(owners(&database).await, [one.owner()]);
    assert_eq!(two.unfinished(9).await.unwrap(), [pair("queued"), pair("left"), pair("r")]);
    one.renew(one.owner()).await.unwrap();
    assert_eq!(two.claim(USER, "r", two.owner()).await, busy("r", &one));

    // What died long ago is cleared away.
    let client = connect(&database.url).await;
    let dead = "INSERT INTO owners SELECT 'dead ' || n, clock_timestamp() - interval '1 day' FROM generate_series(1, 9) AS n";
    client.execute(dead, &[]).await.unwrap();
    two.renew(two.owner()).await.unwrap();
    assert_eq!(owners(&database).await.len(), 2);
}

// proves: C1, S2
#[tokio::test(flavor = "multi_thread")]
async fn the_runs_of_a_process_that_ends_in_order_are_free_at_once() {
    let (one, two, database) = open_two().await;
    let mut story = created(&one, "r", Some(one.owner())).await;
    drop(one.append(story.say("soon", Wait::Soon)));
    one.close().await.unwrap();
    assert_eq!(two.claim(USER, "r", two.owner()).await, Ok(2));
    assert_eq!(two.summary(USER, "r").await.unwrap().entries, 2);
    drop(one);

    // Without a word of farewell, what it had queued is stored all the same.
    story.attempt = 2;
    for number in 0..1_000 {
        drop(two.append(story.say(&number.to_string(), Wait::Soon)));
    }
    drop(two);
    until(async || owners(&database).await.is_empty()).await;
    let three = Postgres::open(&database.url).await.unwrap();
    assert_eq!(verify(&three.entries(USER, "r", 0).await.unwrap()), Ok(story.head));
    assert_eq!(three.claim(USER, "r", three.owner()).await, Ok(3));
}

/// Creates runs of a user through many processes at once, each changed by `change`; returns what came of it.
async fn create_everywhere(
    processes: &[Postgres],
    user: &str,
    change: impl Fn(&mut Append),
) -> Vec<Result<(), LogError>> {
    let appends = (0..25 * processes.len()).map(|number| {
        let mut append =
            Story { user: user.into(), ..Story::new(&format!("r{number}")) }.create(None);
        change(&mut append);
        processes[number % processes.len()].append(append)
    });
    join_all(appends).await
}

// proves: C11, S2, S3
#[tokio::test(flavor = "multi_thread")]
async fn a_limit_holds_for_all_processes_together() {
    let (processes, _database) = open_many(4).await;
    for round in 0..10 {
        let user = format!("user {round}");
        let came = create_everywhere(&processes, &user, |append| {
            if let Fence::New(new) = &mut append.fence {
                new.at_most = Some(3);
            }
        });
        let (won, refused): (Vec<_>, Vec<_>) = came.await.into_iter().partition(Result::is_ok);
        assert_eq!(won.len(), 3);
        let is_limit =
            |came: &Result<(), LogError>| matches!(came, Err(LogError::TooMany { limit: 3, .. }));
        assert!(refused.iter().all(is_limit), "{refused:?}");
        assert_eq!(processes[0].list(&user, &Listing::default()).await.unwrap().len(), 3);
    }
}

// proves: C11, S2
#[tokio::test(flavor = "multi_thread")]
async fn a_key_makes_one_run_whatever_process_the_request_reaches() {
    let (processes, _database) = open_many(4).await;
    for round in 0..10 {
        let user = format!("user {round}");
        let came = create_everywhere(&processes, &user, |append| {
            if let Fence::New(new) = &mut append.fence {
                new.key = Some(RequestKey { key: "k".into(), request: Hash::of(b"x") });
            }
        });
        let (won, refused): (Vec<_>, Vec<_>) = came.await.into_iter().partition(Result::is_ok);
        assert_eq!(won.len(), 1);
        let (run, _) = processes[1].keyed(&user, "k").await.unwrap().unwrap();
        let taken = Err(LogError::KeyTaken { key: "k".into(), run });
        assert!(refused.iter().all(|came| *came == taken), "{refused:?}");
    }
}

// proves: S2
#[tokio::test]
async fn processes_that_write_the_same_runs_in_different_orders_do_not_block_each_other() {
    let (one, two, _database) = open_two().await;
    for round in 0..3 {
        let mut stories = Vec::new();
        for number in 0..10 {
            let mut story = created(&one, &format!("{round}-{number}"), Some(one.owner())).await;
            one.append(story.turn("asking", Status::Waiting, Wait::Durable)).await.unwrap();
            stories.push(story);
        }
        let answer = |process: &Postgres, story: &Story| {
            process.append(story.clone().answer("blue", Status::Waiting, Status::Queued))
        };
        let forwards = join_all(stories.iter().map(|story| answer(&one, story)));
        let backwards = join_all(stories.iter().rev().map(|story| answer(&two, story)));
        let (forwards, backwards) = futures::future::join(forwards, backwards).await;
        for (number, (one, two)) in forwards.iter().zip(backwards.iter().rev()).enumerate() {
            let refused = fenced(&format!("{round}-{number}"));
            assert!(one.is_ok() && *two == refused || two.is_ok() && *one == refused);
        }
    }
}

// proves: S1, S2
#[tokio::test(flavor = "multi_thread")]
async fn hundreds_of_runs_through_several_processes_keep_their_chains() {
    const RUNS: usize = 200;
    const LINES: usize = 20;
    let (processes, _database) = open_many(4).await;
    let write = async |number: usize| {
        let process = &processes[number % processes.len()];
        let mut story = created(process, &format!("r{number}"), Some(process.owner())).await;
        for line in 1..LINES {
            drop(process.append(story.say(&format!("soon {line}"), Wait::Soon)));
            process.append(story.say(&format!("now {line}"), Wait::Durable)).await.unwrap();
        }
        process.append(story.turn("the end", Status::Completed, Wait::Durable)).await.unwrap();
        story.head
    };
    let heads = join_all((0..RUNS).map(write)).await;
    let read = |number: usize| {
        let process = &processes[(number + 1) % processes.len()];
        async move { process.entries(USER, &format!("r{number}"), 0).await.unwrap() }
    };
    for (entries, head) in join_all((0..RUNS).map(read)).await.iter().zip(heads) {
        assert_eq!(entries.len(), 2 * LINES);
        assert_eq!(verify(entries), Ok(head));
    }
}

// proves: S2
#[test]
fn a_log_that_one_runtime_opened_serves_another() {
    let runtime = || tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let (first, second) = (runtime(), runtime());
    let (one, _two, _database) = first.block_on(open_two());
    // Appends can be queued from where there is none.
    let mut story = Story::new("r");
    let began = one.append(story.create(Some(one.owner())));
    second.block_on(async {
        began.await.unwrap();
        one.append(story.say("two", Wait::Durable)).await.unwrap();
        assert_eq!(one.summary(USER, "r").await.unwrap().entries, 2);
    });
    drop(second);
    first.block_on(async {
        assert_eq!(lines(&one.entries(USER, "r", 0).await.unwrap()).len(), 2);
        one.close().await.unwrap();
    });
}

// proves: S2, S3
#[tokio::test(flavor = "multi_thread")]
async fn the_store_counts_what_has_not_ended_and_leaves_nothing_when_it_tries_to_write() {
    let (one, _two, database) = open_two().await;
    assert_eq!(Storage::tally(&one).await.unwrap(), run::database::Tally::default());
    for (run, owner) in [("q1", None), ("q2", None), ("r", Some(one.owner()))] {
        created(&one, run, owner).await;
    }
    for (run, status) in [("w", Status::Waiting), ("c", Status::Completed)] {
        let mut story = created(&one, run, Some(one.owner())).await;
        one.append(story.turn("on", status, Wait::Durable)).await.unwrap();
    }
    let tally = one.tally().await.unwrap();
    assert_eq!((tally.queued, tally.running, tally.waiting), (2, 1, 1));
    assert_eq!(tally.oldest_queued_at, Some(conformance::story::at(1)));
    one.writable().await.unwrap();
    assert_eq!(owners(&database).await, [one.owner()]);
    assert!(one.bytes().await.unwrap() > 0);
    assert!(Storage::check(&one).await.unwrap().contains("PostgreSQL"));
}

// proves: S2, F2
#[tokio::test(flavor = "multi_thread")]
async fn what_one_process_does_another_hears_at_once_also_after_its_connection_broke() {
    let database = Database::make().await;
    let one = Postgres::open(&database.url).await.unwrap();
    let two = Postgres::open(&database.url).await.unwrap();
    let mut news = two.news();
    // Whoever is not listening yet misses what is told.
    let mut number = 0;
    for round in 0..2 {
        let began = Instant::now();
        let heard = loop {
            number += 1;
            let run = format!("r{number}");
            one.append(Story::new(&run).create(None)).await.unwrap();
            match tokio::time::timeout(Duration::from_millis(500), news.next()).await {
                Ok(heard) => break heard.unwrap(),
                Err(_) => assert!(began.elapsed() < Duration::from_secs(20), "{round}"),
            }
        };
        assert_eq!(heard.user, USER);
        assert_eq!(heard.event, NewsEvent::Changed(Status::Queued));
        // The listener alone is idle at its own statement.
        let client = connect(&database.url).await;
        let ended = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                      WHERE datname = current_database() AND query LIKE 'LISTEN%'";
        assert_eq!(client.query(ended, &[]).await.unwrap().len(), 1);
    }
}

// proves: S2, F2
#[tokio::test(flavor = "multi_thread")]
async fn words_of_drafts_that_one_process_tells_another_hears_in_order() {
    let (one, two, _database) = open_two().await;
    let mut news = two.news();
    let tell = |event| one.tell(News { user: USER.into(), run: "r".into(), event });
    // Whoever is not listening yet misses what is told.
    let began = Instant::now();
    let is_listening = async |news: &mut BoxStream<'_, News>| {
        let heard = tokio::time::timeout(Duration::from_millis(500), news.next()).await;
        heard.is_ok_and(|heard| heard.is_some())
    };
    while !is_listening(&mut news).await {
        assert!(began.elapsed() < Duration::from_secs(20));
        tell(NewsEvent::Followed { lacks: true });
    }
    let words = (0..200).map(|number| format!("Wort {number}, ")).collect::<Vec<_>>();
    let mut offset = 0;
    for text in &words {
        let (step, after) = ("write #1".to_owned(), 7);
        tell(NewsEvent::Drafted(DraftWords { step, after, offset, text: text.clone() }));
        offset += text.len();
    }
    let mut told = String::new();
    while told.len() < offset {
        let heard = tokio::time::timeout(Duration::from_secs(20), news.next()).await;
        if let NewsEvent::Drafted(words) = heard.unwrap().unwrap().event {
            assert_eq!(words.offset, told.len());
            told.push_str(&words.text);
        }
    }
    assert_eq!(told, words.concat());
}
