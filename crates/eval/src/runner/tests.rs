use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use jiff::Timestamp;
use run::Outcome;
use run::entry::Head;
use run::settings::ModelChoice;
use serde_json::json;

use super::*;

/// Runs that end at once, at the cost of their method.
#[derive(Default)]
struct Bench {
    /// What a run spends, as far as its budget allows; 100 tokens and 1,000 micro-dollars by default.
    costs: Option<Spend>,
    /// The runs that ended, by their key.
    ended: Mutex<BTreeMap<String, Done>>,
    begun: Mutex<BTreeMap<String, (Budget, Spend)>>,
    /// The performed runs in order, with their budgets.
    performed: Mutex<Vec<(String, String, Budget)>>,
    /// Stop after this many runs.
    stop_after: Option<usize>,
    /// Whether drawing up criteria fails.
    has_no_criteria: bool,
    at_work: AtomicUsize,
    most_at_work: AtomicUsize,
}

fn entry(event: Event) -> Entry {
    Entry::seal(&Head::default(), Timestamp::UNIX_EPOCH, event).0
}

#[async_trait]
impl Runs for Bench {
    async fn find(&self, wanted: &Wanted) -> Result<Found, Fault> {
        let key = wanted.key.to_string();
        if let Some(done) = self.ended.lock().unwrap().get(&key) {
            return Ok(Found::Ended(Done {
                cached: true,
                spent: Spend::default(),
                ..done.clone()
            }));
        }
        let begun = self.begun.lock().unwrap().get(&key).copied();
        Ok(begun.map_or(Found::Nothing, |(budget, spent)| Found::Begun { budget, spent }))
    }

    async fn perform(&self, wanted: &Wanted, budget: Budget) -> Result<Done, Fault> {
        let at_work = self.at_work.fetch_add(1, Ordering::SeqCst) + 1;
        self.most_at_work.fetch_max(at_work, Ordering::SeqCst);
        tokio::task::yield_now().await;
        self.at_work.fetch_sub(1, Ordering::SeqCst);
        let mut performed = self.performed.lock().unwrap();
        performed.push((wanted.method.clone(), wanted.question.clone(), budget));
        let costs = self.costs.unwrap_or(Spend { tokens: 100, cost_usd_micros: 1_000 });
        let tokens = budget.max_tokens.unwrap_or(u64::MAX);
        let money = budget.max_cost_usd_micros.unwrap_or(u64::MAX);
        let mut entries = Vec::new();
        let fits = costs.tokens <= tokens && costs.cost_usd_micros <= money;
        if !fits {
            let cap = CapMet::Tokens { cap: tokens, needed: costs.tokens, left: tokens };
            let step = "writer #1".to_owned();
            entries.push(entry(Event::Refused { step, input: wanted.key, cap, within: None }));
        }
        let deliverable = match wanted.method.as_str() {
            judge::NAME if wanted.settings.options["judged"].get("pair").is_some() => {
                json!({"choice": {"reason": "", "preferred": "first"}})
            }
            judge::NAME => {
                json!({"scores": {"correctness": 4, "completeness": 4, "support": 4, "clarity": 4}})
            }
            report_judge::NAME if wanted.settings.options.get("pair").is_some() => {
                json!({"compared": {"first": {"overall": 6.0}, "second": {"overall": 4.0}, "scores": []}})
            }
            report_judge::NAME if self.has_no_criteria => json!({}),
            report_judge::NAME => {
                let weighed = json!({"criteria": [], "weight": 0.25});
                let criteria: BTreeMap<_, _> =
                    report_judge::Dimension::ALL.map(|one| (one.name(), weighed.clone())).into();
                json!({"criteria": criteria})
            }
            _ => json!({"answer": "yes"}),
        };
        let (outcome, ledger, warnings) = (Outcome::Answered, vec![], vec![]);
        entries.push(entry(Event::Finished { outcome, deliverable, ledger, warnings }));
        let done = Done {
            run: format!("r{}", performed.len()),
            status: Status::Completed,
            cached: false,
            entries,
            spent: if fits { costs } else { Spend::default() },
        };
        if fits {
            self.ended.lock().unwrap().insert(wanted.key.to_string(), done.clone());
        }
        Ok(done)
    }

    fn answer(&self, done: &Done) -> String {
        // Every arm answers differently.
        format!("{} says so.", done.run)
    }

    fn is_stopping(&self) -> bool {
        let performed = self.performed.lock().unwrap().len();
        self.stop_after.is_some_and(|after| performed >= after)
    }
}

const RUN: Spend = Spend { tokens: 1_000, cost_usd_micros: 10_000 };

fn arm(name: &str) -> Arm {
    let models = ModelChoice::of("fake/m");
    let budget = Budget {
        max_tokens: Some(RUN.tokens),
        max_cost_usd_micros: Some(RUN.cost_usd_micros),
        ..Budget::default()
    };
    let settings = Settings { models: Some(models), budget, ..Settings::default() };
    let (name, method) = (name.to_owned(), name.to_owned());
    let decides = Hash::of(name.as_bytes());
    Arm { name, method, settings, decides, needs: Spend { tokens: 50, cost_usd_micros: 500 } }
}

fn case(question: &str) -> Case {
    Case { id: "c".into(), question: question.into(), ..Case::default() }
}

fn evaluation(cases: usize, judged: bool, caps: Caps) -> Evaluation {
    let case = |number: usize| Case {
        id: format!("c{number}"),
        question: format!("q{number}"),
        ..Case::default()
    };
    let judging = judged.then(|| Judging {
        settings: arm("judge").settings,
        rounds: 2,
        decides: Hash::of(b"judge"),
        needs: Spend::default(),
    });
    Evaluation {
        cases: (1..=cases).map(case).collect(),
        arms: vec![arm("rag"), arm("direct")],
        foreign: vec![],
        judging,
        report_judging: None,
        concurrency: 1,
        caps,
        spent: Spend::default(),
    }
}

fn evaluated(evaluation: &Evaluation, bench: &Bench) -> Evaluated {
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = runtime.enable_time().build().unwrap();
    runtime.block_on(evaluate(evaluation, bench, &|_| ())).unwrap()
}

fn performed(bench: &Bench) -> Vec<(String, String)> {
    let performed = bench.performed.lock().unwrap();
    performed.iter().map(|(method, question, _)| (method.clone(), question.clone())).collect()
}

// proves: A8, C18
#[test]
fn cases_are_worked_on_in_their_order_and_each_is_judged_before_the_next_begins() {
    let bench = Bench::default();
    let all = evaluated(&evaluation(2, true, Caps::default()), &bench);
    let order: Vec<String> = performed(&bench).into_iter().map(|(method, q)| method + &q).collect();
    // Two answers and two orders, in two rounds.
    let of_a_case = |q: &str| {
        let judged = std::iter::repeat_n(format!("judge{q}"), 8);
        [format!("rag{q}"), format!("direct{q}")].into_iter().chain(judged).collect::<Vec<_>>()
    };
    assert_eq!(order, [of_a_case("q1"), of_a_case("q2")].concat());
    let names: Vec<_> = all.observations.iter().map(|one| (&*one.case, &*one.arm)).collect();
    assert_eq!(names, [("c1", "rag"), ("c1", "direct"), ("c2", "rag"), ("c2", "direct")]);
    assert_eq!((all.judgements.len(), all.not_run()), (16, 0));
    assert_eq!(all.spent, Spend { tokens: 2_000, cost_usd_micros: 20_000 });
}

// proves: A8
#[test]
fn reports_of_other_programs_are_judged_like_answers_and_nothing_of_them_is_run() {
    let report = observation::of_report("c1", "other", "It is so [1].", &["a.md".to_owned()]);
    let reports = BTreeMap::from([("c1".to_owned(), report.clone())]);
    let decides = Hash::of(b"It is so [1].");
    let foreign = vec![ForeignArm { name: "other".into(), decides, reports }];
    let plan = Evaluation { foreign, ..evaluation(2, true, Caps::default()) };
    let bench = Bench::default();
    let all = evaluated(&plan, &bench);
    let runs = performed(&bench).into_iter().filter(|(method, _)| method != "judge").count();
    assert_eq!(runs, 4, "two arms to two questions");
    assert_eq!(all.observations[0], report);
    let of = |case: &str| {
        let judged = all.judgements.iter().filter(|one| one.case == case);
        judged.filter(|one| one.subject.arm() == Some("other")).count()
    };
    // In two rounds: the answer alone, and the pair in both orders.
    assert_eq!((of("c1"), of("c2")), (2 * 3, 0));
    // A case without a report is not unfinished work.
    let none = all.observations.iter().find(|one| one.case == "c2" && one.arm == "other").unwrap();
    assert_eq!((none.status, &none.error, all.not_run()), (None, &None, 0));
}

// proves: A8, A10
#[test]
fn criteria_are_drawn_up_once_for_a_case_and_every_report_is_scored_by_them_in_both_orders() {
    let judging = evaluation(0, true, Caps::default()).judging;
    let plan = Evaluation {
        arms: vec![arm("rag"), arm("deep"), arm("direct")],
        report_judging: judging,
        ..evaluation(2, false, Caps::default())
    };
    let bench = Bench::default();
    let all = evaluated(&plan, &bench);
    let count = |of: &dyn Fn(&Subject) -> bool| {
        all.judgements.iter().filter(|one| of(&one.subject)).count()
    };
    assert_eq!(count(&|one| *one == Subject::Criteria), 2);
    // Two arms, two orders, two rounds, two cases.
    assert_eq!(count(&|one| matches!(one, Subject::Reports { .. })), 16);
    assert_eq!(all.judgements.len(), 18);
    assert_eq!(all.not_run(), 0);
    let runs: BTreeSet<&str> = all.judgements.iter().map(|one| &*one.run).collect();
    assert_eq!(runs.len(), 18, "each is a run of its own");
    // Nothing is asked again, and no criteria are drawn up without a pair to compare.
    let made = performed(&bench).len();
    assert!(evaluated(&plan, &bench).judgements.iter().all(|one| one.cached));
    assert_eq!(performed(&bench).len(), made);
    let alone = Evaluation { arms: vec![arm("direct")], ..plan.clone() };
    assert!(evaluated(&alone, &Bench::default()).judgements.is_empty());

    let bench = Bench { has_no_criteria: true, ..Bench::default() };
    let all = evaluated(&plan, &bench);
    assert_eq!((all.judgements.len(), all.not_run()), (18, 16));
    assert!(all.judgements.iter().all(|one| one.error.is_some()));
    let judged = performed(&bench).into_iter().filter(|(method, _)| method == report_judge::NAME);
    assert_eq!(judged.count(), 2, "no report is judged without criteria");
}

// proves: A8
#[test]
fn what_was_done_before_is_not_done_again() {
    let (plan, bench) = (evaluation(3, true, Caps::default()), Bench::default());
    let first = evaluated(&plan, &bench);
    let made = performed(&bench).len();
    let second = evaluated(&plan, &bench);
    assert_eq!(performed(&bench).len(), made);
    assert!(second.observations.iter().all(|one| one.cached));
    assert!(second.judgements.iter().all(|one| one.cached));
    assert_eq!(second.spent, Spend::default());
    let said =
        |all: &Evaluated| all.judgements.iter().map(|one| one.said.clone()).collect::<Vec<_>>();
    assert_eq!(said(&first), said(&second));
}

// proves: A8
#[test]
fn an_evaluation_that_is_stopped_begins_nothing_more_and_goes_on_later() {
    let plan = evaluation(3, false, Caps::default());
    let stopped = Bench { stop_after: Some(2), ..Bench::default() };
    let first = evaluated(&plan, &stopped);
    assert!(first.stopped);
    assert_eq!((performed(&stopped).len(), first.not_run()), (2, 4));
    let bench =
        Bench { ended: Mutex::new(stopped.ended.into_inner().unwrap()), ..Bench::default() };
    let second = evaluated(&plan, &bench);
    assert_eq!((performed(&bench).len(), second.not_run(), second.stopped), (4, 0, false));
}

// proves: A8
#[test]
fn the_cap_holds_whatever_it_is_and_what_was_not_run_is_told_as_not_run() {
    for concurrency in [1, 4] {
        for cap in [0, 49, 99, 100, 250, 999, 1_000, 1_001, 2_345, 100_000] {
            let caps = Caps { max_tokens: Some(cap), max_cost_usd_micros: None };
            let plan = Evaluation { concurrency, ..evaluation(5, true, caps) };
            let bench = Bench::default();
            let all = evaluated(&plan, &bench);
            assert!(all.spent.tokens <= cap, "{all:?}");
            // Exactly as much was done as the cap allows.
            let whole = 100 * (5 * 2 + 5 * 8);
            assert_eq!(all.spent.tokens, (cap / 100 * 100).min(whole), "cap {cap}");
            for one in &all.observations {
                assert_eq!(one.run.is_empty(), one.status.is_none());
                assert_eq!(one.run.is_empty(), one.error.is_some());
            }
            for (_, _, budget) in bench.performed.lock().unwrap().iter() {
                assert!(budget.max_tokens.is_some_and(|most| most <= RUN.tokens && most <= cap));
                assert_eq!(budget.max_cost_usd_micros, Some(RUN.cost_usd_micros));
            }
        }
    }
}

// proves: A8
#[test]
fn what_was_spent_before_the_interruption_counts() {
    let caps = Caps { max_tokens: None, max_cost_usd_micros: Some(5_000) };
    let before = Spend { tokens: 1, cost_usd_micros: 3_500 };
    let plan = Evaluation { spent: before, ..evaluation(5, false, caps) };
    let bench = Bench::default();
    let all = evaluated(&plan, &bench);
    assert_eq!(all.spent.cost_usd_micros, 4_500);
    assert_eq!(all.not_run(), 9);
}

// proves: A8
#[test]
fn a_run_that_was_begun_goes_on_within_its_own_budget_or_not_at_all() {
    let caps = Caps { max_tokens: Some(700), max_cost_usd_micros: None };
    let plan = evaluation(1, false, caps);
    let key = plan.arms[0].wanted(&case("q1")).key.to_string();
    for (spent, goes_on) in [(400, true), (200, false)] {
        let bench = Bench::default();
        let spent = Spend { tokens: spent, cost_usd_micros: 0 };
        let budget = plan.arms[0].settings.budget;
        bench.begun.lock().unwrap().insert(key.clone(), (budget, spent));
        let all = evaluated(&plan, &bench);
        assert_eq!(all.observations[0].run.is_empty(), !goes_on, "{all:?}");
    }
}

// proves: A8
#[test]
fn a_run_whose_answer_the_cap_made_poorer_is_no_answer() {
    // Less is left than the run spends, but more than a usual run needs: it is started once, not for every case.
    let caps = Caps { max_tokens: Some(90), max_cost_usd_micros: None };
    let bench = Bench::default();
    let all = evaluated(&evaluation(3, false, caps), &bench);
    assert_eq!(all.not_run(), 6);
    assert_eq!(performed(&bench).len(), 2, "once for each arm");
    assert!(all.observations[0].error.as_ref().unwrap().contains("run r1"), "{all:?}");
}

// proves: A8
#[test]
fn where_nobody_is_paid_no_cap_keeps_a_run_back() {
    let caps = Caps { max_tokens: Some(0), max_cost_usd_micros: Some(0) };
    let mut plan = evaluation(3, false, caps);
    for arm in &mut plan.arms {
        arm.settings.models = None;
    }
    let bench = Bench { costs: Some(Spend::default()), ..Bench::default() };
    assert_eq!(evaluated(&plan, &bench).not_run(), 0);
}

#[test]
fn as_many_cases_are_worked_on_at_a_time_as_is_said() {
    let plan = Evaluation { concurrency: 3, ..evaluation(9, true, Caps::default()) };
    let bench = Bench::default();
    evaluated(&plan, &bench);
    assert_eq!(bench.most_at_work.load(Ordering::SeqCst), 3);
    let unlike: BTreeSet<(String, String)> = performed(&bench).into_iter().collect();
    assert_eq!(unlike.len(), 9 * 3);
}

// proves: A8
#[test]
fn the_key_of_a_run_is_made_from_what_decides_its_outcome() {
    let one = arm("rag");
    let other = Arm { decides: Hash::of(b"other documents"), ..one.clone() };
    assert_eq!(
        one.wanted(&case("q")).key,
        Arm { name: "renamed".into(), ..one.clone() }.wanted(&case("q")).key
    );
    assert_ne!(one.wanted(&case("q")).key, one.wanted(&case("q2")).key);
    assert_ne!(one.wanted(&case("q")).key, other.wanted(&case("q")).key);
}
