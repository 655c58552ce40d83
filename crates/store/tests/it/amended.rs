//! A method that would do more than its approved plan has: nothing of it is done before it is approved as well.

use run::log::{Log, Status};
use run::views::{self, CarriedState};
use run::work::{self, NewFork, Seen};
use run::{Deliverable, Event, Method, Outcome, Plan, PlanStep, Refined, Run, Stage};
use serde_json::json;

use crate::planned::{build_start, opened, plan, proposal, replay_run, started, worked};
use conformance::story::USER;

const ROLES: [&str; 4] = ["look", "rest", "read", "write"];

/// Does its four steps, whatever the plan has.
const LOOKS: Method = Method::new("looks", 1, |run| Box::pin(looks(run)));

async fn looks(run: &Run) -> run::Result<Deliverable> {
    let plan = run.propose("plan", proposal(run.options()?)).await?;
    let stage = |role: &'static str, steps: &'static [&'static str]| Stage {
        role,
        name: role,
        description: "",
        steps,
        optional: false,
    };
    // Nobody has a stage for the step 'write'.
    let stages = vec![stage("look", &["look"]), stage("rest", &["rest"]), stage("read", &["read"])];
    let run = run.agreed(Refined::default(), Some((plan, stages)));
    for role in ROLES {
        run.step(role, &(), async || Ok(role.to_owned())).await?;
    }
    Ok(Deliverable { outcome: Outcome::Answered, fields: Default::default(), ledger: vec![] })
}

fn of(roles: &[&str]) -> Plan {
    let step = |role: &&str| PlanStep {
        name: (*role).into(),
        agent_role: (*role).into(),
        ..PlanStep::default()
    };
    Plan { steps: roles.iter().map(step).collect(), ..plan("tides") }
}

/// The steps that were called, each with whose part of the plan it was.
fn called(entries: &[run::Entry]) -> Vec<(String, Option<String>)> {
    let called = entries.iter().filter_map(|entry| match &entry.event {
        Event::Called { step, within, .. } => Some((step.clone(), within.clone())),
        _ => None,
    });
    called.collect()
}

fn within(role: &str) -> (String, Option<String>) {
    (format!("{role} #1"), Some(role.to_owned()))
}

// proves: W3
#[tokio::test]
async fn each_step_beyond_the_plan_waits_for_its_own_approval_and_what_was_approved_last_holds() {
    let folder = tempfile::tempdir().unwrap();
    let (store, world) = opened(folder.path());
    assert_eq!(started(&world, &store, &LOOKS, &of(&["look", "read"])).await, Status::Waiting);
    work::approve(&world, USER, "r", None, None, USER).await.unwrap();
    assert_eq!(worked(&world, &store, &LOOKS, "r").await, Status::Waiting);
    let entries = store.entries(USER, "r", 0).await.unwrap();
    assert_eq!(called(&entries), [within("look")]);

    // The amendment is edited: what is taken out there is not done either.
    let open = views::open_gates(&entries);
    assert_eq!(open[0].name, "amendment-rest");
    let proposed = open[0].plan.unwrap();
    assert_eq!(proposed.plan, &of(&["look", "read", "rest"]));
    work::revise(&world, USER, "r", None, Seen::from(proposed), of(&["look", "rest"]), USER)
        .await
        .unwrap();
    work::approve(&world, USER, "r", None, None, USER).await.unwrap();
    assert_eq!(worked(&world, &store, &LOOKS, "r").await, Status::Waiting);
    let entries = store.entries(USER, "r", 0).await.unwrap();
    assert_eq!(called(&entries), [within("look"), within("rest")]);

    // Each further one is added to what was approved last.
    for (gate, roles) in [
        ("amendment-read", vec!["look", "rest", "read"]),
        ("amendment-write", vec!["look", "rest", "read", "write"]),
    ] {
        let entries = store.entries(USER, "r", 0).await.unwrap();
        let open = views::open_gates(&entries);
        assert_eq!((open[0].name, open[0].plan.unwrap().plan), (gate, &of(&roles)));
        work::approve(&world, USER, "r", None, None, USER).await.unwrap();
        let status = worked(&world, &store, &LOOKS, "r").await;
        assert_eq!(status == Status::Completed, gate == "amendment-write");
    }
    let entries = store.entries(USER, "r", 0).await.unwrap();
    assert_eq!(called(&entries), ROLES.map(within));
    let execution = views::execution(&entries).unwrap();
    assert!(execution.steps.iter().all(|step| step.state == CarriedState::Done));
    let added: Vec<_> = execution.amendments.iter().map(|one| one.roles.clone()).collect();
    assert_eq!(added, [vec!["rest"], vec!["read"], vec!["write"]]);
    assert!(replay_run(&world, &store, &LOOKS, "r").await.same);

    // A fork keeps what was approved before its step, and waits again for what came after.
    let settings = build_start("", &of(&["look", "read"]), None).settings;
    let (run, step) = ("fork".to_owned(), "rest".to_owned());
    let (user, from) = (USER.to_owned(), "r".to_owned());
    let fork = NewFork {
        run,
        user,
        from,
        step,
        version: None,
        settings,
        owner: None,
        key: None,
        at_most: None,
    };
    work::fork(&world, fork).await.unwrap();
    assert_eq!(worked(&world, &store, &LOOKS, "fork").await, Status::Waiting);
    let entries = store.entries(USER, "fork", 0).await.unwrap();
    assert_eq!(called(&entries), [within("look"), within("rest")]);
    assert_eq!(views::open_gates(&entries)[0].name, "amendment-read");
}

// proves: W3
#[tokio::test]
async fn an_amendment_that_leaves_the_step_out_or_is_rejected_ends_the_run_without_it() {
    let folder = tempfile::tempdir().unwrap();
    let (store, world) = opened(folder.path());
    for reject in [true, false] {
        let run = if reject { "rejected" } else { "emptied" };
        let (_cancel, never) = tokio::sync::watch::channel(None);
        let new = build_start(run, &of(&["look"]), Some(store.owner()));
        work::start_and_work(&world, &LOOKS, new, never).await.unwrap();
        work::approve(&world, USER, run, None, None, USER).await.unwrap();
        assert_eq!(worked(&world, &store, &LOOKS, run).await, Status::Waiting);
        if reject {
            work::reject(&world, USER, run, None, "", USER).await.unwrap();
        } else {
            let entries = store.entries(USER, run, 0).await.unwrap();
            let seen = Seen::from(views::open_gates(&entries)[0].plan.unwrap());
            work::revise(&world, USER, run, None, seen, of(&["look"]), USER).await.unwrap();
            work::approve(&world, USER, run, None, None, USER).await.unwrap();
            assert_eq!(worked(&world, &store, &LOOKS, run).await, Status::Partial);
        }
        let entries = store.entries(USER, run, 0).await.unwrap();
        assert_eq!(called(&entries), [within("look")]);
        let ended = if reject { Status::Cancelled } else { Status::Partial };
        assert_eq!(views::status(&entries), ended);
        if let Event::Stopped { reason, .. } = &entries.last().unwrap().event {
            assert_eq!(
                reason,
                &json!(
                    "the approved plan has no step for 'rest', and the method cannot continue without it"
                )
            );
        }
    }
}

/// Asks what stands in its options, and says what was answered.
const ASKS: Method = Method::new("asks", 1, |run| Box::pin(asks(run)));

async fn asks(run: &Run) -> run::Result<Deliverable> {
    let plan: Plan = run.options()?;
    run.step("think", &plan.title, async || Ok(plan.title.clone())).await?;
    let ask = run::Ask { question: plan.title.clone(), ..run::Ask::default() };
    let answer = run.ask("q1", ask).await?;
    let said = run.step("say", &answer, async || Ok(answer.clone())).await?;
    let fields = [("answer".to_owned(), json!(said))].into_iter().collect();
    Ok(Deliverable { outcome: Outcome::Answered, fields, ledger: vec![] })
}

// proves: C12, C11
#[tokio::test]
async fn a_fork_that_asks_another_question_does_not_take_the_old_answer_for_it() {
    let folder = tempfile::tempdir().unwrap();
    let (store, world) = opened(folder.path());
    started(&world, &store, &ASKS, &plan("Which tide?")).await;
    work::answer(&world, USER, "r", None, "neap", USER).await.unwrap();
    assert_eq!(worked(&world, &store, &ASKS, "r").await, Status::Completed);
    for (title, expected) in [("Which tide?", Status::Completed), ("Which sea?", Status::Waiting)] {
        let run = title.replace([' ', '?'], "");
        let settings = build_start("", &plan(title), None).settings;
        let (from, step) = ("r".to_owned(), "say".to_owned());
        let (run_id, user) = (run.clone(), USER.to_owned());
        let fork = NewFork {
            run: run_id,
            user,
            from,
            step,
            version: None,
            settings,
            owner: None,
            key: None,
            at_most: None,
        };
        work::fork(&world, fork).await.unwrap();
        assert_eq!(worked(&world, &store, &ASKS, &run).await, expected, "{title}");
    }
    let entries = store.entries(USER, "Whichsea", 0).await.unwrap();
    assert_eq!(views::open_gates(&entries)[0].ask.question, "Which sea?");
    work::answer(&world, USER, "Whichsea", None, "the North Sea", USER).await.unwrap();
    assert_eq!(worked(&world, &store, &ASKS, "Whichsea").await, Status::Completed);
    assert!(replay_run(&world, &store, &ASKS, "Whichsea").await.same);
}

// proves: W1, W3
#[tokio::test]
async fn an_edit_that_binds_no_step_and_an_answer_that_nobody_writes_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let (store, world) = opened(folder.path());
    let (_cancel, never) = tokio::sync::watch::channel(None);
    let mut planned = build_start("r", &of(&["look", "read"]), Some(store.owner()));
    let startup = run::settings::Startup::None;
    let workflow = run::settings::Workflow {
        clarify: false,
        plan: true,
        questions: 3,
        startup,
        expected: None,
    };
    planned.settings.workflow = Some(workflow);
    work::start_and_work(&world, &LOOKS, planned, never).await.unwrap();
    let seen = Seen { revision: 1, plan_hash: of(&["look", "read"]).hash() };
    for (roles, told) in [
        (
            vec!["look", "reads"],
            "its step 2 is for the unknown role 'reads'; the roles are: look, read",
        ),
        (vec!["look ", "read"], "its step 1 is for the unknown role 'look '"),
        (vec!["look", "read", "look"], "its steps 1 and 3 are both for 'look'; keep one"),
    ] {
        let edit = work::revise(&world, USER, "r", None, seen, of(&roles), USER).await;
        let refused = edit.unwrap_err().to_string();
        assert!(refused.contains(told), "{refused}");
    }
    work::revise(&world, USER, "r", None, seen, of(&["read"]), USER).await.unwrap();

    let (_cancel, never) = tokio::sync::watch::channel(None);
    let new = build_start("asked", &plan("Which tide?"), Some(store.owner()));
    work::start_and_work(&world, &ASKS, new, never).await.unwrap();
    let long = "ß".repeat(4_001);
    let refused = work::answer(&world, USER, "asked", None, &long, USER).await.unwrap_err();
    assert!(refused.to_string().contains("has 4001 characters"), "{refused}");
    let all = [("q1".to_owned(), long)].into();
    assert!(work::answer_all(&world, USER, "asked", &all, USER).await.is_err());
    work::answer(&world, USER, "asked", None, &"ß".repeat(4_000), USER).await.unwrap();
}
