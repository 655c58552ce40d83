use std::collections::BTreeSet;

use proptest::prelude::*;
use run::Reply;

use super::*;
use crate::agreement;
use crate::judge::{Judgement, Said, Subject};
use crate::metrics;
use crate::observation::{Observation, not_begun};
use crate::report::SideBySide;

/// Criteria with these weights in each dimension, named by their position among the four.
fn criteria(weights: [(f64, &[f64]); 4]) -> Criteria {
    let mut dimension = 0;
    let [comprehensiveness, insight, instruction_following, readability] =
        weights.map(|(weight, own)| {
            dimension += 1;
            let criterion = |(at, weight): (usize, &f64)| Criterion {
                name: format!("{dimension}{}", ["a", "b", "c", "d", "e", "f"][at]),
                looks_for: "it is there".into(),
                weight: *weight,
            };
            Weighed { weight, criteria: own.iter().enumerate().map(criterion).collect() }
        });
    let reason = String::new();
    Criteria { reason, comprehensiveness, insight, instruction_following, readability }
}

fn plain() -> Criteria {
    criteria([(40.0, &[3.0, 1.0]), (30.0, &[1.0, 1.0]), (20.0, &[1.0, 1.0]), (10.0, &[1.0, 1.0])])
}

fn marks(scores: &[(f64, f64)]) -> Marks {
    let mark = |(number, (first, second)): (u32, &(f64, f64))| Mark {
        criterion: number,
        reason: "r".into(),
        first: *first,
        second: *second,
    };
    Marks { scores: (1..).zip(scores).map(mark).collect() }
}

// proves: A8, A10
#[test]
fn scores_are_put_together_by_weights_and_held_against_the_reference() {
    let criteria = plain().normalised();
    let scores = [8.0, 4.0, 6.0, 6.0, 5.0, 5.0, 10.0, 10.0].map(|score| (score, 5.0));
    let compared = Compared::of(&criteria, &marks(&scores)).unwrap();
    // 3/4 · 8 + 1/4 · 4, and then 0.4 · 7 + 0.3 · 6 + 0.2 · 5 + 0.1 · 10.
    assert_eq!((compared.first["comprehensiveness"], compared.first["readability"]), (7.0, 10.0));
    assert!((compared.first[OVERALL] - 6.6).abs() < 1e-9, "{compared:?}");
    assert!((compared.second[OVERALL] - 5.0).abs() < 1e-9);
    let relative = compared.relative(true);
    assert!((relative[OVERALL] - 6.6 / 11.6).abs() < 1e-9, "{relative:?}");
    assert!((relative["insight"] - 6.0 / 11.0).abs() < 1e-9);
    assert_eq!(relative.len(), 5);
    let shares: f64 = compared.scores.iter().map(|one| one.weight).sum();
    assert!((shares - 1.0).abs() < 1e-9);
}

#[test]
fn two_reports_that_are_worth_nothing_are_worth_the_same() {
    assert_eq!(relative(0.0, 0.0), 0.5);
    assert_eq!((relative(3.0, 0.0), relative(0.0, 3.0)), (1.0, 0.0));
}

/// The weights of a dimension and of its criteria, at least one of them above 0.
fn weights() -> impl Strategy<Value = (f64, Vec<f64>)> {
    let own = prop::collection::vec(0.0..=100.0_f64, 2..=5);
    (0.01..=100.0_f64, own.prop_filter("all weigh nothing", |own| own.iter().sum::<f64>() > 0.0))
}

proptest! {
    // proves: A8, A10
    #[test]
    fn a_relative_score_lies_between_0_and_1_and_is_the_rest_of_the_other_sides(
        all in [weights(), weights(), weights(), weights()],
        scores in prop::collection::vec((0.0..=10.0_f64, 0.0..=10.0_f64), 20),
    ) {
        let given = criteria(all.each_ref().map(|(weight, own)| (*weight, own.as_slice())));
        prop_assert_eq!(given.check(), Ok(()));
        let criteria = given.normalised();
        let sum: f64 = criteria.dimensions().iter().map(|(_, one)| one.weight).sum();
        prop_assert!((sum - 1.0).abs() < 1e-9);
        for (_, weighed) in criteria.dimensions() {
            let sum: f64 = weighed.criteria.iter().map(|one| one.weight).sum();
            prop_assert!((sum - 1.0).abs() < 1e-9);
        }
        let compared = Compared::of(&criteria, &marks(&scores)).unwrap();
        let turned: Vec<(f64, f64)> = scores.iter().map(|(first, second)| (*second, *first)).collect();
        let turned = Compared::of(&criteria, &marks(&turned)).unwrap();
        for (key, own) in compared.relative(true) {
            prop_assert!((0.0..=1.0).contains(&own), "{} {}", key, own);
            prop_assert!((own + compared.relative(false)[&key] - 1.0).abs() < 1e-9);
            prop_assert!((own + turned.relative(true)[&key] - 1.0).abs() < 1e-9);
        }
    }
}

// proves: A8
#[test]
fn weights_of_which_no_whole_can_be_made_go_back_to_who_gave_them() {
    assert_eq!(plain().check(), Ok(()));
    let two: &[f64] = &[1.0, 1.0];
    let of = |weight, own| criteria([(weight, own), (1.0, two), (1.0, two), (1.0, two)]);
    for (wrong, says) in [
        (of(f64::NAN, two), "a weight of the four dimensions is NaN, and must be 0 to 100"),
        (of(-1.0, two), "a weight of the four dimensions is -1, and must be 0 to 100"),
        (of(f64::INFINITY, two), "must be 0 to 100"),
        (of(1.0, &[0.0, 0.0]), "the weights of the criteria of `comprehensiveness` are all 0"),
        (of(1.0, &[2.0, -2.0]), "a weight of the criteria of `comprehensiveness` is -2"),
        (of(1.0, &[1.0]), "`comprehensiveness` has 1 criteria, and must have 2 to 5"),
        (of(1.0, &[1.0; 6]), "has 6 criteria"),
        (criteria([(0.0, two); 4]), "the weights of the four dimensions are all 0"),
    ] {
        let error = wrong.check().unwrap_err();
        assert!(error.contains(says), "{error}");
    }
    let mut nameless = plain();
    nameless.insight.criteria[1].name = " ".into();
    let error = nameless.check().unwrap_err();
    assert!(error.contains("criterion 2 of `insight`"), "{error}");
    // A dimension may weigh nothing in a task.
    assert_eq!(of(0.0, two).check(), Ok(()));
}

// proves: A8
#[test]
fn scores_that_are_none_go_back_and_criteria_that_were_left_out_are_named() {
    assert_eq!(marks(&[(0.0, 10.0)]).check(), Ok(()));
    for wrong in [-0.5, 10.5, f64::NAN] {
        let error = marks(&[(1.0, 1.0), (wrong, 1.0)]).check().unwrap_err();
        assert!(error.contains("`first` of criterion 2"), "{error}");
    }
    let mut twice = marks(&[(1.0, 1.0), (2.0, 2.0)]);
    twice.scores[1].criterion = 1;
    assert!(twice.check().unwrap_err().contains("criterion 1 is scored twice"));
    let error = Compared::of(&plain(), &marks(&[(1.0, 1.0); 6])).unwrap_err();
    assert_eq!(error, "no scores were given for the criteria 7, 8");
}

// proves: A8
#[test]
fn every_round_shows_all_criteria_under_the_same_numbers_and_no_weight() {
    let criteria = plain();
    let lists: Vec<String> = (1..=4).map(|round| criteria.listed(round)).collect();
    let lines = |list: &str| list.lines().map(str::to_owned).collect::<BTreeSet<String>>();
    assert!(lists[0].starts_with("1. 1a (comprehensiveness): it is there\n2. 1b"), "{}", lists[0]);
    assert!(lists[1].starts_with("3. 2a (insight)"), "{}", lists[1]);
    for list in &lists {
        assert_eq!(lines(list), lines(&lists[0]));
        assert!(!list.contains("40") && !list.contains("0.4"), "{list}");
    }
}

// proves: A8
#[test]
fn replies_are_bounded_and_reasons_come_before_what_they_decide() {
    for schema in [run::schema::of::<Criteria>(), run::schema::of::<Marks>()] {
        let text = schema.schema.to_string();
        let count = |key: &str| text.matches(key).count();
        assert_eq!(count("\"type\":\"array\""), count("\"maxItems\""), "{text}");
        assert_eq!(count("\"type\":\"string\""), count("\"maxLength\""), "{text}");
    }
    let criteria = &run::schema::of::<Criteria>().schema;
    assert_eq!(criteria["required"][0], "reason");
    assert_eq!(criteria["properties"]["insight"]["required"][1], "weight");
    let mark = &run::schema::of::<Marks>().schema["properties"]["scores"]["items"];
    assert_eq!(mark["required"], serde_json::json!(["criterion", "reason", "first", "second"]));
}

#[test]
fn the_prompts_that_ship_can_be_read_and_name_every_dimension() {
    let criteria = run::prompt::Prompt::read(CRITERIA.text).unwrap();
    for dimension in Dimension::ALL {
        assert!(criteria.text.contains(&format!("- `{}`: ", dimension.name())), "{dimension:?}");
    }
    assert!(run::prompt::Prompt::read(JUDGE.text).unwrap().text.contains("has earned nothing"));
}

fn observed(answer: &str) -> Observation {
    Observation { answered: Some(true), answer: answer.into(), ..not_begun("a", "rag") }
}

// proves: A10
#[test]
fn a_report_is_shown_whole_up_to_a_limit_and_said_to_be_cut_beyond() {
    let whole = "ä".repeat(REPORT_CHARS);
    let shown = Shown::of(&observed(&whole));
    assert_eq!((shown.text == whole, shown.is_cut), (true, false));
    let shown = Shown::of(&observed(&format!("{whole}ä")));
    assert_eq!((shown.text == whole, shown.is_cut), (true, true));
    let none = Shown::of(&Observation { answered: Some(false), ..observed("ignored") });
    assert!(none.text.starts_with("There is not enough evidence"), "{none:?}");
}

fn report(text: &str) -> (String, Shown) {
    (text.to_owned(), Shown { text: format!("by {text}"), is_cut: false })
}

// proves: A8, C18
#[test]
fn every_report_is_shown_beside_the_controls_in_both_orders_in_every_round() {
    let reports = [report("deep"), report("other"), report("direct")];
    let all = pairs(&reports, "direct", 2);
    assert_eq!(all.len(), 2 * 2 * 2);
    for Pair { subject, first, second, .. } in &all {
        let Subject::Reports { arm, against, arm_first } = subject else { panic!("{subject:?}") };
        let (own, other) = if *arm_first { (first, second) } else { (second, first) };
        assert_eq!((&*own.text, &*other.text), (&*format!("by {arm}"), &*format!("by {against}")));
    }
    assert!(pairs(&reports[..2], "direct", 2).is_empty(), "there is nothing to hold them against");
    assert!(pairs(&reports[2..], "direct", 2).is_empty());
}

/// A judge's scores in both orders over `cases` cases; `scores` gives those of a case for the arm's report shown first and shown last.
fn judged(cases: usize, scores: impl Fn(usize) -> [(f64, f64); 2]) -> Vec<SideBySide> {
    let mut judgements = Vec::new();
    for case in 0..cases {
        for (arm_first, pair) in [true, false].into_iter().zip(scores(case)) {
            let (arm, against) = ("deep".to_owned(), "direct".to_owned());
            let subject = Subject::Reports { arm, against, arm_first };
            let compared = Compared::of(&plain().normalised(), &marks(&[pair; 8])).unwrap();
            let run = format!("r{case}{arm_first}");
            let said = Some(Said::Compared(compared));
            let none = Judgement::not_begun(&format!("c{case}"), 1, subject);
            judgements.push(Judgement { said, run, calls: 1, cost_usd_micros: 5, ..none });
        }
    }
    let all = gathered(&judgements, "fake/m", [1, 1], 1);
    assert_eq!((all.calls, all.pairs.len()), (2 * cases as u64, 2 * cases));
    all.pairs
}

// proves: A8
#[test]
fn a_judge_that_favours_the_first_place_comes_out_even_and_is_told_as_such() {
    let pairs = judged(8, |_| [(9.0, 6.0), (9.0, 6.0)]);
    let own: Vec<&SideBySide> = pairs.iter().filter(|one| one.case == "c0").collect();
    let figures = metrics::beside_the_control(&own);
    assert!((figures["report_quality"] - 0.5).abs() < 1e-9, "{figures:?}");
    assert_eq!(figures.len(), 5);
    let orders = agreement::of_orders(&pairs).unwrap();
    assert!((orders.difference.value - 0.2).abs() < 1e-9, "{orders:?}");
    assert_eq!((orders.turned.value, orders.pairs), (1.0, 8));
    let preferences = agreement::preferences_of(&pairs);
    assert_eq!(agreement::first_preferred(&preferences).unwrap().value, 1.0);
    let alpha = agreement::of_preferences(&preferences).unwrap().alpha.unwrap();
    assert!(alpha < 0.0, "{alpha}");
}

// proves: A8
#[test]
fn a_judge_that_looks_at_the_reports_agrees_with_itself_in_both_orders() {
    let pairs = judged(8, |case| {
        let own = if case < 5 { 9.0 } else { 3.0 };
        [(own, 6.0), (6.0, own)]
    });
    let own: Vec<&SideBySide> = pairs.iter().filter(|one| one.case == "c0").collect();
    assert!((metrics::beside_the_control(&own)["report_quality"] - 0.6).abs() < 1e-9);
    assert!(metrics::beside_the_control(&own[..1]).is_empty(), "the place may have decided it");
    let orders = agreement::of_orders(&pairs).unwrap();
    assert!(orders.difference.value < 1e-9 && orders.turned.value == 0.0, "{orders:?}");
    let alpha = agreement::of_preferences(&agreement::preferences_of(&pairs)).unwrap().alpha;
    assert_eq!(alpha, Some(1.0));
}
