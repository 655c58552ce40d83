use survey::expression::evaluate;
use survey::figure::{Correction, FigureError, Measure, Rules, Spec, Test, Weighting};
use survey::project::Project;
use survey::table::banner;

use crate::study::*;

/// 200 respondents in two groups of 100; 60 and 40 of them say 1. A second question overlaps the groups.
fn two_groups() -> Project {
    let q = (0..200).map(|row| if row % 100 < if row < 100 { 60 } else { 40 } { 1.0 } else { 2.0 });
    build_project(
        vec![
            column("q", q),
            column("group", (0..200).map(|row| if row < 100 { 1.0 } else { 2.0 })),
            column("other", (0..200).map(|row| if row % 4 == 0 { 1.0 } else { 2.0 })),
        ],
        vec![
            scale("Q", 0, &[1.0, 2.0]),
            single("GROUP", 1, &[1.0, 2.0]),
            single("OTHER", 2, &[1.0, 2.0]),
        ],
        None,
    )
}

fn share(group: usize) -> Spec {
    within(of(0, Measure::Share(vec![0])), 1, &[group])
}

// proves: B5
#[test]
fn two_segments_are_tested_with_the_pooled_share() {
    let found = two_groups().compare(&share(0), &share(1), &Rules::default()).unwrap();
    near(found.difference, 0.2);
    let z = 0.2 / (0.5_f64 * 0.5 * 0.02).sqrt();
    near(found.p.unwrap(), survey::distributions::normal_two_sided(z));
    near(found.error.unwrap(), (0.6_f64 * 0.4 * 0.02).sqrt());
    assert!(found.significant);
    assert_eq!(found.told, "pooled z test on Kish's effective base");
}

// proves: B5
#[test]
fn a_segment_against_everybody_tells_what_it_tells_against_the_rest() {
    // The overlap formula of a part and its whole is the test of the part and the rest: the difference shrinks as its error does.
    let (project, everybody) = (two_groups(), of(0, Measure::Share(vec![0])));
    let rest = project.compare(&share(0), &share(1), &Rules::default()).unwrap();
    let whole = project.compare(&share(0), &everybody, &Rules::default()).unwrap();
    near(whole.difference, rest.difference / 2.0);
    near(whole.p.unwrap(), rest.p.unwrap());
    assert!(whole.told.ends_with("with common respondents"));
}

// proves: B5
#[test]
fn two_answers_of_the_same_people_have_the_variance_of_one_sample() {
    let (one, other) = (of(0, Measure::Share(vec![0])), of(0, Measure::Share(vec![1])));
    let project = build_project(
        vec![column("q", (0..100).map(|row| f64::from(row % 5)))],
        vec![single("Q", 0, &[0.0, 1.0])],
        None,
    );
    let unequal = project.compare(
        &Spec { measure: Measure::Share(vec![0, 1]), ..one.clone() },
        &other,
        &Rules::default(),
    );
    near(unequal.unwrap().error.unwrap(), (0.2_f64 * 0.8 / 100.0).sqrt());
    let found = project.compare(&one, &other, &Rules::default()).unwrap();
    near(found.error.unwrap(), (0.4_f64 / 100.0).sqrt());
    near(found.p.unwrap(), 1.0);
}

// proves: B5
#[test]
fn means_of_the_same_people_are_tested_as_pairs() {
    let project = build_project(
        vec![
            column("a", (0..40).map(|row| f64::from(row % 7))),
            column("b", (0..40).map(|row| f64::from(row % 3 + row % 7))),
        ],
        vec![numeric("A", 0), numeric("B", 1)],
        None,
    );
    let found =
        project.compare(&of(0, Measure::Mean), &of(1, Measure::Mean), &Rules::default()).unwrap();
    let apart: Vec<f64> = (0..40).map(|row| -f64::from(row % 3)).collect();
    let mean = apart.iter().sum::<f64>() / 40.0;
    let spread: f64 = apart.iter().map(|one| (one - mean).powi(2)).sum();
    let error = (spread / 39.0 / 40.0).sqrt();
    near(found.difference, mean);
    near(found.error.unwrap(), error);
    near(found.p.unwrap(), survey::distributions::t_two_sided(mean / error, 39.0));
}

// proves: B5
#[test]
fn what_cannot_be_tested_says_why() {
    let mut project = two_groups();
    project.studies[0].columns.push(column("w", (0..200).map(|row| f64::from(row % 3 + 1))));
    let told = |one: &Spec, other: &Spec, rules: &Rules| {
        let found = project.compare(one, other, rules).unwrap();
        assert_eq!((found.p, found.significant), (None, false));
        found.told
    };
    let rules = Rules::default();
    let medians = |group| within(of(0, Measure::Median), 1, &[group]);
    let nobody = within(of(0, Measure::Share(vec![0, 1])), 1, &[0]);
    let everybody = of(0, Measure::Share(vec![0, 1]));
    insta::assert_snapshot!([
        told(&medians(0), &medians(1), &rules),
        told(&share(0), &share(1), &Rules { least_base: 101, ..rules }),
        told(&share(0), &share(0), &rules),
        told(&nobody, &everybody, &rules),
        told(&share(0), &Spec { weighting: Weighting::Column(3), ..share(1) }, &rules),
    ].join("\n"), @r"
    not tested: there is no test for a median
    not tested: a base is below 101 respondents
    not tested: both are the same answers of the same respondents
    not tested: all answers are the same
    not tested: the same study is weighed in two ways
    ");
}

/// Two groups of 50: all of the first say 1 (and 5 on a scale), and so do this many of the second.
fn all_or_few(few: usize) -> Project {
    let first = move |row: usize| row < 50 + few;
    build_project(
        vec![
            column("q", (0..100).map(move |row| if first(row) { 1.0 } else { 2.0 })),
            column("group", (0..100).map(|row| if row < 50 { 1.0 } else { 2.0 })),
            column("n", (0..100).map(move |row| if first(row) { 5.0 } else { 3.0 })),
            column("m", (0..100).map(move |row| if first(row) { 6.0 } else { 4.0 })),
        ],
        vec![
            single("Q", 0, &[1.0, 2.0]),
            single("GROUP", 1, &[1.0, 2.0]),
            numeric("N", 2),
            numeric("M", 3),
        ],
        None,
    )
}

// proves: B5
#[test]
fn everybody_against_nobody_is_tested_as_everybody_against_few() {
    let rules = Rules::default();
    let compared =
        |few: usize, rules: &Rules| all_or_few(few).compare(&share(0), &share(1), rules).unwrap();
    for test in [Test::EffectiveBase, Test::UnweightedBase] {
        let [nobody, few] = [0, 1].map(|few| compared(few, &Rules { test, ..rules }));
        near(nobody.p.unwrap(), survey::distributions::normal_two_sided(10.0));
        assert!(nobody.significant && few.significant);
        assert!(nobody.p < few.p, "one against 100 % is less than nobody against 100 %");
        assert_eq!((nobody.error, nobody.interval), (None, None));
        assert!(nobody.told.starts_with("pooled z test"), "{}", nobody.told);
        let table = banner(&all_or_few(0), 0, 0, &[1], Weighting::Study, &Rules { test, ..rules });
        let rows = table.unwrap().rows;
        assert_eq!((&*rows[0].cells[1].letters, &*rows[1].cells[2].letters), ("B", "A"));
    }
    let linearised = Rules { test: Test::Linearised, ..rules };
    let untested = compared(0, &linearised);
    assert_eq!((untested.p, untested.significant), (None, false));
    assert_eq!(untested.told, "not tested: all answers are the same, so there is nothing to test");
    assert!(compared(1, &linearised).p.is_some());
    let footer = |few: usize, question: usize, rules: &Rules| {
        banner(&all_or_few(few), 0, question, &[1], Weighting::Study, rules).unwrap().footer
    };
    let said = |footer: Vec<String>| {
        footer.iter().any(|line| line.contains("all answers within each are the same"))
    };
    assert!(said(footer(0, 0, &linearised)) && !said(footer(1, 0, &linearised)));
    assert!(!said(footer(0, 0, &rules)));
    // Means have no pooled variance.
    assert!(said(footer(0, 2, &rules)) && !said(footer(1, 2, &rules)));
    // Everybody differs by the same, which is not nobody.
    let pairs = all_or_few(1).compare(&of(2, Measure::Mean), &of(3, Measure::Mean), &rules);
    assert!(pairs.unwrap().told.contains("so there is nothing to test"));
}

// proves: B5
#[test]
fn weights_too_uneven_for_a_test_are_told_as_such() {
    // 40 respondents are in both segments; one more in each outweighs them all.
    let heavy = |row: usize| row >= 40;
    let within_one =
        |heavy: usize| (0..42).map(move |row| if row < 40 || row == heavy { 1.0 } else { 2.0 });
    let project = build_project(
        vec![
            column("q", (0..42).map(|row| if row % 2 == 0 { 1.0 } else { 2.0 })),
            column("a", within_one(40)),
            column("b", within_one(41)),
            column("w", (0..42).map(|row| if heavy(row) { 1000.0 } else { 1.0 })),
        ],
        vec![scale("Q", 0, &[1.0, 2.0]), single("A", 1, &[1.0, 2.0]), single("B", 2, &[1.0, 2.0])],
        Some(3),
    );
    let share = |question| within(of(0, Measure::Share(vec![0])), question, &[0]);
    let found = project.compare(&share(1), &share(2), &small()).unwrap();
    assert_eq!((found.p, found.significant), (None, false));
    assert_eq!(found.told, "not tested: weights are too uneven");
    let found = project.compare(&share(1), &share(2), &Rules::default()).unwrap();
    assert_eq!(found.told, "not tested: an effective base is below 30 respondents");
    // Counted as heads, they can be tested.
    let heads = |question| Spec { weighting: Weighting::Nobody, ..share(question) };
    assert!(project.compare(&heads(1), &heads(2), &Rules::default()).unwrap().p.is_some());
}

// proves: B5
#[test]
fn a_trend_corrects_its_changes_together() {
    let wave = |id: &str, share: u32| {
        let q = (0..400).map(|row| if row % 100 < share { 1.0 } else { 2.0 });
        study(id, vec![column("q", q)], vec![single("Q", 0, &[1.0, 2.0])], None)
    };
    let project = Project {
        studies: vec![wave("W1", 40), wave("W2", 47), wave("W3", 60)],
        ..Project::default()
    };
    let specs: Vec<Spec> =
        (0..3).map(|study| Spec { study, ..of(0, Measure::Share(vec![0])) }).collect();
    let rules = Rules { correction: Correction::Holm, ..Rules::default() };
    let points = project.trend(&specs, &rules).unwrap();
    assert_eq!(points[0].change, None);
    let raw = project.compare(&specs[1], &specs[0], &rules).unwrap();
    let changes: Vec<_> = points.iter().filter_map(|point| point.change.as_ref()).collect();
    near(changes[0].difference, 0.07);
    assert!(raw.significant);
    near(changes[0].p.unwrap(), raw.p.unwrap());
    let raw = project.compare(&specs[2], &specs[1], &rules).unwrap();
    near(changes[1].p.unwrap(), raw.p.unwrap() * 2.0);
    insta::assert_snapshot!(changes[1].told, @"pooled z test on Kish's effective base, corrected by Holm over 2 changes");
    let plain = project.trend(&specs, &Rules::default()).unwrap();
    near(plain[2].change.as_ref().unwrap().p.unwrap(), raw.p.unwrap());
}

/// A wave whose scale has this many points, and whose single question has these codes and labels.
fn wave(id: &str, points: u32, answers: &[(f64, &str)]) -> survey::study::Study {
    let codes: Vec<f64> = answers.iter().map(|(code, _)| *code).collect();
    let mut shop = single("SHOP", 1, &codes);
    for (answer, (_, label)) in shop.answers.iter_mut().zip(answers) {
        answer.label = (*label).to_owned();
    }
    let scores: Vec<f64> = (1..=points).map(f64::from).collect();
    let columns = vec![
        column("q", (0..400).map(|row| f64::from(row % points + 1))),
        column("shop", (0..400).map(|row| codes[row % codes.len()])),
        column("hours", (0..400).map(|row| f64::from(row % 50) + 0.5)),
    ];
    study(id, columns, vec![scale("Q", 0, &scores), shop, numeric("HOURS", 2)], None)
}

const SHOPS: [(f64, &str); 3] = [(1.0, "Market"), (2.0, "Online"), (3.0, "Other")];

// proves: B5 B9
#[test]
fn studies_that_ask_with_different_scales_are_not_compared() {
    let rules = Rules::default();
    let told = |project: &Project, measure: &Measure| {
        let [later, earlier] = [1, 0].map(|study| Spec { study, ..of(0, measure.clone()) });
        project.compare(&later, &earlier, &rules).unwrap()
    };
    let waves = |points: u32| Project {
        studies: vec![wave("W1", 5, &SHOPS), wave("W2", points, &SHOPS)],
        ..Project::default()
    };
    let mut turned = waves(5);
    turned.studies[1].questions[0].top = survey::study::Top::Lowest;
    for project in [waves(7), turned] {
        for measure in [Measure::Mean, Measure::Median, Measure::Sd, Measure::Share(vec![3, 4])] {
            let found = told(&project, &measure);
            assert_eq!((found.p, found.significant), (None, false));
            assert_eq!(found.told, "not tested: the two studies ask with different scales");
        }
        // How many answered can be compared, however they were asked.
        assert_eq!(told(&project, &Measure::Base).difference, 0.0);
        assert!(told(&project, &Measure::Base).told.ends_with("no test for a base"));
        let specs: Vec<Spec> = (0..2).map(|study| Spec { study, ..of(0, Measure::Mean) }).collect();
        let trend = project.trend(&specs, &rules).unwrap();
        assert!(trend[1].change.as_ref().unwrap().told.ends_with("different scales"));
        for text in [
            "change(mean(Q), from=W1, to=W2)",
            "growth(mean(Q), from=W1, to=W2)",
            "change(share(Q=top2), from=W1, to=W2)",
            "median(Q, study=W2) - median(Q, study=W1)",
            "mean(Q, study=W2) / mean(Q, study=W1)",
        ] {
            let wrong = evaluate(&project, &rules, text).unwrap_err().to_string();
            assert!(wrong.contains("ask with different scales"), "{text}: {wrong}");
        }
        evaluate(&project, &rules, "change(mean(HOURS), from=W1, to=W2)").unwrap();
        evaluate(&project, &rules, "change(base(Q), from=W1, to=W2)").unwrap();
    }
    assert!(told(&waves(5), &Measure::Mean).p.is_some());
    assert!(told(&waves(5), &Measure::Share(vec![3, 4])).p.is_some());
    evaluate(&waves(5), &rules, "change(share(Q=top2), from=W1, to=W2)").unwrap();
    let wrong = evaluate(&waves(5), &rules, "share(Q=5, study=W2) - share(Q=1, study=W1)");
    assert!(wrong.unwrap_err().to_string().contains("other answers behind the shares"));
}

// proves: B5 B9
#[test]
fn shares_of_two_studies_are_compared_where_the_same_answers_stand_behind_them() {
    let rules = Rules::default();
    let change = |later: &[(f64, &str)], text: &str| {
        let studies = vec![wave("W1", 5, &SHOPS), wave("W2", 5, later)];
        evaluate(&Project { studies, ..Project::default() }, &rules, text)
            .map(|found| found.comparison.unwrap())
    };
    let online = "change(share(SHOP=Online), from=W1, to=W2)";
    let second = "change(share(SHOP=2), from=W1, to=W2)";
    // The code has moved on, and the label tells.
    let moved = [(1.0, "Market"), (2.0, "Catalogue"), (3.0, "Online"), (4.0, "Other")];
    assert!(change(&moved, online).unwrap().p.is_some());
    let wrong = change(&moved, second).unwrap_err().to_string();
    assert!(wrong.contains("other answers behind the shares"), "{wrong}");
    // The words have changed, and the code tells.
    let reworded = [(1.0, "Market"), (2.0, "On the internet"), (3.0, "Other")];
    assert!(change(&reworded, second).unwrap().p.is_some());
}

// proves: B5
#[test]
fn questions_that_hang_together_are_found() {
    let project = two_groups();
    let found = project.association(0, 0, 1, Weighting::Study).unwrap();
    assert_eq!((found.base.unweighted, found.degrees), (200, 1.0));
    near(found.chi_square, 8.0);
    near(found.strength, 0.2);
    // One degree of freedom: the test of two shares.
    let shares = project.compare(&share(0), &share(1), &Rules::default()).unwrap();
    near(found.p_effective, shares.p.unwrap());
    assert!(matches!(
        project.association(0, 0, 9, Weighting::Study),
        Err(FigureError::NoQuestion { number: 10, .. })
    ));
}
