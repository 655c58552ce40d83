use proptest::prelude::*;
use survey::figure::{FigureError, Level, Measure, Rules, Weighting};
use survey::table::banner;
use survey::weighted::{Count, median};

use crate::study::*;

/// Five respondents: one without a weight, one who did not answer.
fn five() -> survey::project::Project {
    build_project(
        vec![
            missing(column("q", [1.0, 2.0, 5.0, 9.0, 3.0]), 9.0),
            column("w", [1.0, 2.0, 3.0, 4.0, 0.0]),
            column("age", [20.0, 30.0, 40.0, 50.0, 60.0]),
            column("m1", [1.0, 0.0, NONE, NONE, 1.0]),
            column("m2", [1.0, 1.0, 0.0, NONE, 1.0]),
            column("c1", [1.0, 2.0, 2.0, NONE, 1.0]),
            column("c2", [NONE, 1.0, 2.0, NONE, 2.0]),
        ],
        vec![
            scale("Q", 0, &[1.0, 2.0, 3.0, 4.0, 5.0]),
            numeric("AGE", 2),
            dichotomies("M", &[3, 4]),
            categories("C", &[5, 6], &[1.0, 2.0]),
            single("S", 0, &[1.0, 2.0, 3.0, 4.0, 5.0]),
        ],
        Some(1),
    )
}

fn value(question: usize, measure: Measure) -> f64 {
    five().figure(&of(question, measure), &small()).expect("a figure of five respondents").value
}

// proves: B5
#[test]
fn a_figure_rests_on_those_who_answered_and_weigh_something() {
    let project = five();
    let figure = project.figure(&of(0, Measure::Share(vec![3, 4])), &small()).unwrap();
    near(figure.value, 0.5);
    assert_eq!(figure.base.unweighted, 3);
    near(figure.base.weighted, 6.0);
    near(figure.base.effective, 36.0 / 14.0);
    near(figure.error.unwrap(), (0.25 / (36.0 / 14.0_f64)).sqrt());
    near(value(0, Measure::Mean), (1.0 + 4.0 + 15.0) / 6.0);
    near(value(0, Measure::Base), 3.0);
    near(value(0, Measure::WeightedBase), 6.0);
    near(value(0, Measure::EffectiveBase), 36.0 / 14.0);
    let mean: f64 = 20.0 / 6.0;
    let spread = (1.0 - mean).powi(2) + 2.0 * (2.0 - mean).powi(2) + 3.0 * (5.0 - mean).powi(2);
    near(value(0, Measure::Sd), (spread / 5.0).sqrt());
    // Half of the weight is at 2 and below: the middle between 2 and 5.
    near(value(0, Measure::Median), 3.5);
    near(value(1, Measure::Median), 40.0);
    near(value(1, Measure::Mean), 40.0);

    let unweighted = survey::figure::Spec { weighting: Weighting::Nobody, ..of(0, Measure::Mean) };
    near(project.figure(&unweighted, &small()).unwrap().value, 11.0 / 4.0);
}

// proves: B5
#[test]
fn the_base_of_several_answers_is_whoever_answered_any_column() {
    near(value(2, Measure::Base), 3.0);
    near(value(2, Measure::Share(vec![0])), 1.0 / 6.0);
    near(value(2, Measure::Share(vec![1])), 3.0 / 6.0);
    near(value(2, Measure::Share(vec![0, 1])), 3.0 / 6.0);
    near(value(3, Measure::Share(vec![0])), 3.0 / 6.0);
    near(value(3, Measure::Share(vec![1])), 5.0 / 6.0);
}

// proves: B5
#[test]
fn promoters_less_detractors_are_of_all_who_answered() {
    let scores: Vec<f64> = (0..=10).map(f64::from).collect();
    let project =
        build_project(vec![column("nps", scores.clone())], vec![scale("N", 0, &scores)], None);
    let figure = project.figure(&of(0, Measure::Nps), &small()).unwrap();
    near(figure.value, (2.0 - 7.0) / 11.0);
    let share: f64 = 9.0 / 11.0;
    near(figure.error.unwrap(), ((share - figure.value * figure.value) / 11.0).sqrt());
}

#[test]
fn what_cannot_be_told_says_why() {
    let project = five();
    let error = |question, measure| project.figure(&of(question, measure), &small()).unwrap_err();
    insta::assert_snapshot!([
        error(9, Measure::Base),
        error(0, Measure::Share(vec![7])),
        error(0, Measure::Share(vec![])),
        error(1, Measure::Share(vec![0])),
        error(2, Measure::Mean),
        error(4, Measure::Mean),
        error(0, Measure::Nps),
        project.figure(&within(of(0, Measure::Mean), 1, &[0]), &small()).unwrap_err(),
        project.figure(&within(of(0, Measure::Mean), 0, &[3]), &small()).unwrap_err(),
        project.compare(&of(0, Measure::Mean), &of(0, Measure::Sd), &small()).unwrap_err(),
        project.figure(&survey::figure::Spec { study: 3, ..of(0, Measure::Base) }, &small()).unwrap_err(),
        project.figure(&survey::figure::Spec { weighting: Weighting::Column(9), ..of(0, Measure::Base) }, &small()).unwrap_err(),
    ].map(|error: FigureError| error.to_string()).join("\n"), @r"
    study W1 has no question number 10
    question Q has no answer number 8
    no answer to question Q is named: name at least one
    question AGE is numeric and lists no answers, so it has no shares
    question M is multi and has no mean: mean needs a scale or a numeric question
    question S is single and has no mean: mean needs a scale or a numeric question
    question Q has no NPS: it needs a scale of whole numbers from 0 to 10 whose top is 10
    question AGE is numeric and cannot divide respondents into segments
    none of the respondents counted answered question Q
    a mean and a standard deviation are not the same kind of figure: compare like with like
    the project has no study number 4
    study W1 has no column number 10
    ");
}

#[test]
fn a_base_tells_how_far_it_carries() {
    let build_project = |respondents: usize| {
        build_project(vec![column("q", vec![1.0; respondents])], vec![single("Q", 0, &[1.0])], None)
    };
    for (respondents, level) in
        [(29, Level::TooLow), (30, Level::Low), (99, Level::Low), (100, Level::Fine)]
    {
        let figure = build_project(respondents)
            .figure(&of(0, Measure::Share(vec![0])), &Rules::default())
            .unwrap();
        assert_eq!(figure.level, level, "{respondents}");
    }
    let nobody =
        build_project(30).figure(&within(of(0, Measure::Base), 0, &[0]), &small()).unwrap();
    near(nobody.value, 30.0);
}

// proves: B5
#[test]
fn a_base_carries_no_further_than_its_effective_one() {
    // A few weigh so much more than the rest that they speak for all.
    let build_project = |heavy: usize, weight: f64| {
        let weights = (0..400).map(move |row| if row < heavy { weight } else { 1.0 });
        build_project(
            vec![column("q", (0..400).map(|row| f64::from(row % 2))), column("w", weights)],
            vec![single("Q", 0, &[0.0, 1.0])],
            Some(1),
        )
    };
    let share = of(0, Measure::Share(vec![0]));
    for (heavy, weight, effective, level) in [
        (0, 1.0, 400, Level::Fine),
        (400, 0.7, 400, Level::Fine),
        (60, 40.0, 78, Level::Low),
        (19, 1000.0, 20, Level::TooLow),
    ] {
        let figure = build_project(heavy, weight).figure(&share, &Rules::default()).unwrap();
        assert_eq!((figure.base.unweighted, figure.base.carrying()), (400, effective));
        assert_eq!(figure.level, level, "{heavy}");
        let table =
            banner(&build_project(heavy, weight), 0, 0, &[], Weighting::Study, &Rules::default());
        let table = table.unwrap();
        assert_eq!(table.columns[0].level, level);
        assert_eq!(table.rows[0].cells[0].value.is_none(), level == Level::TooLow);
        let named = table.footer.iter().any(|line| line.contains("or effective base, below"));
        assert_eq!(named, level != Level::Fine);
    }
}

// proves: B5
#[test]
fn nobody_is_lost_or_counted_twice_in_a_large_study() {
    for respondents in [2_047, 2_048, 2_049, 5_000] {
        let project = build_project(
            vec![
                column("q", (0..respondents).map(f64::from)),
                column("b", (0..respondents).map(|row| f64::from(row % 3))),
            ],
            vec![numeric("Q", 0), single("B", 1, &[0.0, 1.0, 2.0])],
            None,
        );
        let rows = || (0..respondents).filter(|row| row % 3 == 1).map(f64::from);
        let spec = within(of(0, Measure::Mean), 1, &[1]);
        let figure = project.figure(&spec, &small()).unwrap();
        assert_eq!(figure.base.unweighted, rows().count() as u64);
        near(figure.value, rows().sum::<f64>() / rows().count() as f64);
        let both = project.compare(&spec, &of(0, Measure::Mean), &small()).unwrap();
        near(both.difference, figure.value - f64::from(respondents - 1) / 2.0);
    }
}

proptest! {
    // proves: B5
    #[test]
    fn the_effective_base_knows_no_scale_and_no_more_than_its_respondents(
        weights in proptest::collection::vec(0.01..100.0_f64, 1..50), scale in 0.001..1000.0_f64
    ) {
        let count = |scale: f64| {
            let mut count = Count::default();
            weights.iter().for_each(|weight| count.add(weight * scale));
            count
        };
        let (one, other) = (count(1.0).effective(), count(scale).effective());
        prop_assert!((one - other).abs() <= 1e-9 * one);
        prop_assert!(one <= weights.len() as f64 + 1e-9);
        prop_assert!(one >= 1.0 - 1e-9);
    }

    // proves: B5
    #[test]
    fn a_median_has_at_most_half_of_the_weight_on_either_side(
        values in proptest::collection::vec((-5..5_i32, 1..9_i32), 1..40)
    ) {
        let mut weighed: Vec<(f64, f64)> =
            values.iter().map(|(value, weight)| (f64::from(*value), f64::from(*weight))).collect();
        let whole: f64 = weighed.iter().map(|(_, weight)| weight).sum();
        let middle = median(&mut weighed).unwrap();
        let side = |on: fn(&f64, &f64) -> bool| -> f64 {
            weighed.iter().filter(|(value, _)| on(value, &middle)).map(|(_, weight)| weight).sum()
        };
        prop_assert!(side(f64::lt) <= whole / 2.0 && side(f64::gt) <= whole / 2.0);

        // Whoever has a weight of 3 is as three of weight 1.
        let mut repeated: Vec<(f64, f64)> = values
            .iter()
            .flat_map(|(value, weight)| (0..*weight).map(|_| (f64::from(*value), 1.0)))
            .collect();
        prop_assert_eq!(median(&mut repeated), Some(middle));
    }
}
