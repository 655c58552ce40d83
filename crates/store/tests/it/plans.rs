//! Plans from their proposal to what is done by them, on real files.

use run::budget::Budget;
use run::entry::Hash;
use run::log::{Log, LogError, RequestKey, Status, Wait};
use run::views::{self, PlanState};
use run::work::{self, NewFork, NewStart};
use run::{Ask, Event, Method, Plan, PlanStep};
use serde_json::json;
use tokio::sync::watch;

use crate::planned::{
    PLANNED, approved, build_start, kinds, opened, plan, proposal, replay_run, seen, started,
    worked,
};
use conformance::story::{Story, USER};

// proves: W3, C1, C11
#[tokio::test]
async fn what_was_approved_days_later_elsewhere_is_what_is_done() {
    let folder = tempfile::tempdir().unwrap();
    let (first, edited, last) = (plan("spring tides"), plan("neap tides"), plan("tidal bores"));
    {
        let (store, world) = opened(folder.path());
        assert_eq!(started(&world, &store, &PLANNED, &first).await, Status::Waiting);
        let row = store.summary(USER, "r").await.unwrap();
        assert_eq!((row.status, row.stopping), (Status::Waiting, false));
    }
    {
        let (store, world) = opened(folder.path());
        let entries = store.entries(USER, "r", 0).await.unwrap();
        let gates = views::open_gates(&entries);
        let proposed = gates[0].plan.unwrap();
        assert_eq!((gates.len(), gates[0].name), (1, "plan"));
        assert_eq!((proposed.plan, proposed.revision), (&first, 1));
        let gate = Some("plan");
        let second = work::revise(&world, USER, "r", gate, proposed.into(), edited.clone(), USER);
        assert_eq!(second.await.unwrap(), seen(2, &edited));
        let seen_now = seen(2, &edited);
        let third = work::revise(&world, USER, "r", None, seen_now, last.clone(), "eve").await;
        assert_eq!(third.unwrap(), seen(3, &last));
        assert_eq!(store.summary(USER, "r").await.unwrap().status, Status::Waiting);
        let entries = store.entries(USER, "r", 0).await.unwrap();
        assert_eq!(views::plan(&entries).unwrap().state, PlanState::Proposed);
        assert_eq!(views::open_gates(&entries)[0].plan.unwrap().plan, &last);
        assert_eq!(views::status(&entries), Status::Waiting);
        // Nobody takes it up while it waits.
        let waits = LogError::NotOpen { run: "r".into(), status: "waiting" };
        assert_eq!(store.claim(USER, "r", store.owner()).await, Err(waits));
        assert_eq!(store.unfinished(10).await.unwrap(), []);
    }
    {
        let (store, world) = opened(folder.path());
        let approval = work::approve(&world, USER, "r", None, Some(seen(3, &last)), USER).await;
        assert_eq!(approval.unwrap(), seen(3, &last));
        assert_eq!(store.unfinished(10).await.unwrap(), [(USER.into(), "r".into())]);
        let entries = store.entries(USER, "r", 0).await.unwrap();
        assert_eq!(views::status(&entries), Status::Queued);
    }
    let (store, world) = opened(folder.path());
    assert_eq!(worked(&world, &store, &PLANNED, "r").await, Status::Completed);
    let entries = store.entries(USER, "r", 0).await.unwrap();
    assert_eq!(
        kinds(&entries).join(" "),
        "started called returned asked revised revised approved resumed called returned finished"
    );
    assert_eq!(approved(&entries), Some((3, &last)));
    let outputs = views::stage_outputs(&entries);
    assert_eq!(outputs["research #1"], "tides and tidal bores");
    let Event::Finished { deliverable, .. } = &entries.last().unwrap().event else { panic!() };
    assert_eq!(deliverable["plan"], json!(last));
    let replayed = replay_run(&world, &store, &PLANNED, "r").await;
    assert!(replayed.same, "to the byte");
    assert_eq!(replayed.entries, entries);
    // A replay asks nobody: what is not in the log is said to be missing, and the log stays as it is.
    let cut = work::replay(&world, &PLANNED, "r", &entries[..3]).await;
    assert_eq!(cut, Err(run::Stop::NotRecorded { step: "plan".into() }));
    assert_eq!(store.entries(USER, "r", 0).await.unwrap(), entries);
}

// proves: W3, C2, C11
#[tokio::test]
async fn a_run_cut_anywhere_after_its_approval_does_what_was_approved() {
    let folder = tempfile::tempdir().unwrap();
    let (store, world) = opened(folder.path());
    started(&world, &store, &PLANNED, &plan("spring tides")).await;
    let edited = plan("neap tides");
    let first = seen(1, &plan("spring tides"));
    work::revise(&world, USER, "r", None, first, edited.clone(), USER).await.unwrap();
    work::approve(&world, USER, "r", None, None, USER).await.unwrap();
    assert_eq!(worked(&world, &store, &PLANNED, "r").await, Status::Completed);
    let whole = store.entries(USER, "r", 0).await.unwrap();
    let approval = kinds(&whole).iter().position(|kind| kind == "approved").unwrap();
    for cut in approval + 1..whole.len() {
        // The same run, as far as a process got before it died.
        let run = format!("cut-{cut}");
        let mut story = Story::new(&run);
        let create = story.clone().create(Some("nobody who lives"));
        let sealed: Vec<_> =
            whole[..cut].iter().map(|entry| story.seal(entry.event.clone())).collect();
        let append = story.append(sealed, Status::Running, create.fence, Wait::Durable);
        store.append(append).await.unwrap();
        assert_eq!(worked(&world, &store, &PLANNED, &run).await, Status::Completed, "{run}");
        let entries = store.entries(USER, &run, 0).await.unwrap();
        assert_eq!(approved(&entries), Some((2, &edited)));
        assert_eq!(views::stage_outputs(&entries), views::stage_outputs(&whole), "{run}");
        assert!(replay_run(&world, &store, &PLANNED, &run).await.same, "{run}");
    }
}

// proves: W3, C7, C11
#[tokio::test]
async fn a_rejection_ends_the_run_and_says_why() {
    let folder = tempfile::tempdir().unwrap();
    let (store, world) = opened(folder.path());
    started(&world, &store, &PLANNED, &plan("spring tides")).await;
    work::reject(&world, USER, "r", None, "too dear", "ada").await.unwrap();
    let entries = store.entries(USER, "r", 0).await.unwrap();
    assert_eq!(kinds(&entries)[3..], ["asked", "rejected", "cancelled"]);
    assert!(matches!(
        &entries[4].event,
        Event::Rejected { gate, reason, by } if gate == "plan" && reason == "too dear" && by == "ada"
    ));
    assert_eq!(views::plan(&entries).unwrap().state, PlanState::Rejected);
    // What was done before still shows.
    assert_eq!(views::stage_outputs(&entries)["look around #1"], "a harbour");
    assert_eq!(store.summary(USER, "r").await.unwrap().status, Status::Cancelled);
    let ended = LogError::NotOpen { run: "r".into(), status: "cancelled" };
    assert_eq!(store.claim(USER, "r", store.owner()).await, Err(ended));
    assert_eq!(store.unfinished(10).await.unwrap(), []);
    // A replay comes to the same end.
    let stop = work::replay(&world, &PLANNED, "r", &entries).await.unwrap_err();
    assert_eq!(stop, run::Stop::Cancelled { by: "ada".into() });
}

// proves: W3, C6
#[tokio::test]
async fn a_plan_that_cannot_be_proposed_stops_the_run_and_names_what_is_wrong() {
    let folder = tempfile::tempdir().unwrap();
    let (store, world) = opened(folder.path());
    let nameless = Plan { steps: vec![PlanStep::default()], ..plan("spring tides") };
    assert_eq!(started(&world, &store, &PLANNED, &nameless).await, Status::Partial);
    let entries = store.entries(USER, "r", 0).await.unwrap();
    let Event::Stopped { stage, reason, .. } = &entries.last().unwrap().event else { panic!() };
    assert_eq!(stage, "plan");
    assert_eq!(reason, "could not propose the plan: its step 1 has no name");
    assert!(replay_run(&world, &store, &PLANNED, "r").await.same);

    // It is no question, and counts as none.
    let (_cancel, never) = watch::channel(None);
    let mut capped = build_start("capped", &plan("spring tides"), Some(store.owner()));
    capped.settings.budget = Budget { max_questions: Some(0), ..Budget::default() };
    let came = work::start_and_work(&world, &PLANNED, capped, never).await.unwrap();
    assert_eq!(came, Status::Waiting);

    /// Mixes up what is asked with what is proposed.
    const MIXED: Method = Method::new("mixed", 1, |run| {
        Box::pin(async {
            let plain = Ask { question: "Well?".into(), ..Ask::default() };
            let wrong = run.ask("asked", proposal(plan("any"))).await.unwrap_err();
            assert!(wrong.to_string().contains("step 'asked' failed: a plan is proposed"));
            Err(run.propose("proposed", plain).await.unwrap_err())
        })
    });
    let (_cancel, never) = watch::channel(None);
    let mixed = build_start("mixed", &plan("any"), Some(store.owner()));
    let came = work::start_and_work(&world, &MIXED, mixed, never).await.unwrap();
    assert_eq!(came, Status::Partial);
    let entries = store.entries(USER, "mixed", 0).await.unwrap();
    let Event::Stopped { stage, reason, .. } = &entries.last().unwrap().event else { panic!() };
    assert_eq!((&**stage, reason.contains("none is given")), ("proposed", true), "{reason}");
}

// proves: W3, C3
#[tokio::test]
async fn a_fork_keeps_the_approval_that_came_before_its_step() {
    let folder = tempfile::tempdir().unwrap();
    let (store, world) = opened(folder.path());
    let edited = plan("neap tides");
    started(&world, &store, &PLANNED, &plan("spring tides")).await;
    let first = seen(1, &plan("spring tides"));
    work::revise(&world, USER, "r", None, first, edited.clone(), USER).await.unwrap();
    work::approve(&world, USER, "r", None, None, USER).await.unwrap();
    worked(&world, &store, &PLANNED, "r").await;
    let settings = build_start("", &plan("spring tides"), None).settings;
    let fork = |run: &str, step: &str| NewFork {
        run: run.into(),
        user: USER.into(),
        from: "r".into(),
        step: step.into(),
        version: None,
        settings: settings.clone(),
        owner: None,
        key: None,
        at_most: None,
    };
    work::fork(&world, fork("after", "research")).await.unwrap();
    assert_eq!(worked(&world, &store, &PLANNED, "after").await, Status::Completed);
    let entries = store.entries(USER, "after", 0).await.unwrap();
    assert_eq!(approved(&entries), Some((2, &edited)));
    assert_eq!(views::stage_outputs(&entries)["research #1"], "tides and neap tides");
    assert!(replay_run(&world, &store, &PLANNED, "after").await.same);

    // Before it, the plan is proposed anew.
    work::fork(&world, fork("before", "look around")).await.unwrap();
    assert_eq!(worked(&world, &store, &PLANNED, "before").await, Status::Waiting);
    let entries = store.entries(USER, "before", 0).await.unwrap();
    let gates = views::open_gates(&entries);
    assert_eq!(gates[0].plan.unwrap().plan, &plan("spring tides"));
    assert_eq!(gates[0].plan.unwrap().revision, 1);
}

// proves: F2, F8
#[tokio::test]
async fn a_run_is_submitted_once_for_each_key_and_done_by_whoever_takes_it_up() {
    let folder = tempfile::tempdir().unwrap();
    let (store, world) = opened(folder.path());
    let key = || RequestKey { key: "k".into(), request: Hash::of(b"what was asked for") };
    // Whoever it names, it is left to the queue.
    let start = |run: &str, user: &str| NewStart {
        user: user.into(),
        key: Some(key()),
        ..build_start(run, &plan("spring tides"), Some("somebody"))
    };
    work::submit(&world, &PLANNED, start("r", USER)).await.unwrap();
    let row = store.summary(USER, "r").await.unwrap();
    assert_eq!((row.status, row.entries, &*row.method), (Status::Queued, 1, "planned"));
    let taken = LogError::KeyTaken { key: "k".into(), run: "r".into() };
    assert_eq!(work::submit(&world, &PLANNED, start("again", USER)).await, Err(taken));
    assert!(store.summary(USER, "again").await.is_err());
    assert_eq!(store.keyed(USER, "k").await.unwrap(), Some(("r".into(), key().request)));
    work::submit(&world, &PLANNED, start("r", "eve")).await.unwrap();
    assert_eq!(
        store.unfinished(10).await.unwrap(),
        [(USER.into(), "r".into()), ("eve".into(), "r".into())]
    );
    assert_eq!(worked(&world, &store, &PLANNED, "r").await, Status::Waiting);
    // A plain submission needs no key.
    work::submit(&world, &PLANNED, build_start("plain", &plan("any"), None)).await.unwrap();
    assert_eq!(store.unfinished(10).await.unwrap().len(), 2);
}
