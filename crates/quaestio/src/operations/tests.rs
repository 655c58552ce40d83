use std::path::Path;
use std::sync::{Arc, Mutex};

use run::ports::Clock;
use run::{Ask, Deliverable, Outcome, Run};
use store::Store;
use tokio::sync::Notify;

use super::*;

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
fn engine(folder: &Path) -> Arc<Engine> {
    let store = Store::open(folder).unwrap();
    let owner = store.owner().to_owned();
    let world = World::of(Arc::new(store), Arc::new(Now));
    Arc::new(Engine {
        world,
        methods: Methods::new([SLOW]),
        user: "ada".into(),
        owner,
        debates: None,
    })
}

async fn answered(engine: &Engine, answer: &str) {
    work::answer(&engine.world, "ada", "r", None, answer, "ada").await.unwrap();
}

/// Goes on with the run, and tells what was said meanwhile.
async fn gone_on(engine: &Engine) -> (Status, Vec<String>) {
    let said = Mutex::new(Vec::new());
    let status = engine.go_on("r", |text| said.lock().unwrap().push(text.to_owned())).await;
    (status.unwrap(), said.into_inner().unwrap())
}

// proves: C11, S1
#[tokio::test]
async fn a_run_that_another_process_took_up_is_followed_until_it_waits_or_ends() {
    let folder = tempfile::tempdir().unwrap();
    let (server, here) = (engine(folder.path()), engine(folder.path()));
    let settings = Settings::default();
    assert_eq!(server.start("slow", "r", "Who?", settings).await.unwrap(), Status::Waiting);
    answered(&here, "Ada").await;
    let working = tokio::spawn({
        let server = Arc::clone(&server);
        async move { server.resume("r").await.unwrap() }
    });
    while here.world.log.summary("ada", "r").await.unwrap().status != Status::Running {
        tokio::task::yield_now().await;
    }
    assert!(here.resume("r").await.is_err(), "who wants to work on it alone is refused");
    let following = tokio::spawn({
        let here = Arc::clone(&here);
        async move { gone_on(&here).await }
    });
    tokio::task::yield_now().await;
    assert!(!following.is_finished());
    GOES_ON.notify_one();
    assert_eq!(working.await.unwrap(), Status::Waiting);
    let (status, said) = following.await.unwrap();
    assert_eq!(status, Status::Waiting, "the second question is asked");
    assert!(said.len() <= 1 && said.iter().all(|line| line.starts_with(&server.owner)), "{said:?}");
    // Where it waits or has ended there is nothing to go on with.
    assert_eq!(gone_on(&here).await, (Status::Waiting, vec![]));

    // A process that dies leaves its run to whoever follows it.
    answered(&here, "London").await;
    let dead = "nobody who lives";
    assert_eq!(here.world.log.claim("ada", "r", dead).await, Ok(3));
    assert_eq!(gone_on(&here).await, (Status::Completed, vec![]));
    assert_eq!(gone_on(&server).await, (Status::Completed, vec![]));
}

// proves: D6
#[tokio::test]
async fn a_debate_beside_another_is_refused_with_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let debate = Method { name: DEBATE, ..SLOW };
    let here = Arc::try_unwrap(engine(folder.path())).ok().unwrap();
    let here = Engine { methods: Methods::new([debate, SLOW]), debates: Some(1), ..here };
    let queued = NewStart {
        run: "first".into(),
        user: "ada".into(),
        question: "Who?".into(),
        settings: Settings::default(),
        owner: None,
        key: None,
        at_most: None,
    };
    work::submit(&here.world, &debate, queued).await.unwrap();
    let settings = Settings::default;
    let refused = here.start(DEBATE, "second", "Who?", settings()).await.unwrap_err();
    assert!(refused.what.contains("run first of debate is at work"), "{refused}");
    assert!(refused.hint.contains("quaestio runs cancel first"), "{refused}");
    // Other research is not held up, and when the first has ended there is room.
    assert_eq!(here.start("slow", "r", "Who?", settings()).await.unwrap(), Status::Waiting);
    here.cancel("first", "ada").await.unwrap();
    let second = here.start(DEBATE, "second", "Who?", settings()).await.unwrap();
    assert_eq!(second, Status::Waiting);
}
