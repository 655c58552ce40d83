use survey::figure::{Correction, FigureError, Measure, Rules, Spec, Weighting};
use survey::project::Project;

use crate::study::*;

/// 200 respondents in two groups of 100; 60 and 40 of them say 1. A second question overlaps the groups.
fn two_groups() -> Project {
    let q = (0..200).map(|row| if row % 100 < if row < 100 { 60 } else { 40 } { 1.0 } else { 2.0 });
    project(
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
    let project = project(
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
    let project = project(
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
    not tested: nobody differs from anybody
    not tested: the same study is weighed in two ways
    ");
}

// proves: B5
#[test]
fn a_trend_corrects_its_changes_together() {
    let wave = |id: &str, share: u32| {
        let q = (0..400).map(|row| if row % 100 < share { 1.0 } else { 2.0 });
        study(id, vec![column("q", q)], vec![single("Q", 0, &[1.0, 2.0])], None)
    };
    let project = Project { studies: vec![wave("W1", 40), wave("W2", 47), wave("W3", 60)] };
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
