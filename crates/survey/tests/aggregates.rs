//! Figures computed again from their tables alone.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod synthetic;

use proptest::prelude::*;
use survey::aggregate::{Counts, Recomputed, Tabled, tabulate};
use survey::expression::evaluate;
use survey::figure::{Rules, Test};
use synthetic::build_project;

const PARTS: [&str; 18] = [
    "share(Q5=top2",
    "share(Q5=bottom2, segment=gender:Female",
    "share(Q5=4, segment=age:18-34",
    "share(Q3=Price|Quality",
    "share(Q3=Quality, segment=gender:Male, weight=none",
    "share(Q8=1|3",
    "mean(Q5",
    "mean(Q5, segment=gender:Female",
    "mean(Q7",
    "mean(Q7, segment=age:18-34|35-54",
    "sd(Q7",
    "sd(Q5",
    "median(Q5",
    "nps(Q9",
    "nps(Q9, segment=gender:Male",
    "base(Q5",
    "weighted_base(Q7",
    "effective_base(Q9, segment=gender:Female",
];

fn tell(tabled: &Tabled, rules: &Rules) -> Recomputed {
    // As somebody gets it who has the file alone.
    let json = serde_json::to_string(tabled).unwrap();
    let read: Tabled = serde_json::from_str(&json).unwrap();
    assert_eq!(read, *tabled);
    read.evaluate(rules).unwrap()
}

fn is_near(one: f64, other: f64) -> bool {
    (one - other).abs() <= 1e-9 * one.abs().max(1.0)
}

fn assert_recomputed(expression: &str, rules: &Rules) {
    let project = build_project();
    let Ok(evaluated) = evaluate(&project, rules, expression) else { return };
    let tabled = tabulate(&project, rules, expression).unwrap();
    let again = tell(&tabled, rules);
    assert!(tabled.is_of_its_expression(), "{expression}: {tabled:?}");
    let p = evaluated.comparison.as_ref().and_then(|one| one.p);
    assert!(again.p.zip(p).is_none_or(|(one, other)| is_near(one, other)), "{expression}");
    assert_eq!(again.p.is_some(), p.is_some(), "{expression}");
    assert_eq!(tabled.expression, evaluated.expression);
    assert_eq!(again.shown, evaluated.text, "{expression}");
    assert!(is_near(again.value, evaluated.value), "{expression}: {again:?}");
    let bases: Vec<u64> = evaluated.parts.iter().map(|part| part.figure.base.unweighted).collect();
    assert_eq!(again.bases.iter().map(|base| base.unweighted).collect::<Vec<_>>(), bases);
    let interval = match evaluated.parts.as_slice() {
        [one] => one.figure.interval,
        _ => evaluated.comparison.as_ref().and_then(|one| one.interval),
    };
    match (again.interval, interval) {
        (None, None) => {}
        (Some((low, high)), Some((other_low, other_high))) => {
            assert!(is_near(low, other_low) && is_near(high, other_high), "{expression}");
        }
        other => panic!("{expression}: {other:?}"),
    }
    let significant = evaluated.comparison.as_ref().and_then(|one| one.p.map(|_| one.significant));
    assert_eq!(again.significant, significant, "{expression}");
}

// proves: B5, C14
#[test]
fn every_figure_comes_out_of_its_table_again() {
    for test in [Test::EffectiveBase, Test::Linearised, Test::UnweightedBase] {
        let rules = Rules { test, least_base: 2, low_base: 50, ..Rules::default() };
        for part in PARTS {
            for study in ["W1", "W2"] {
                assert_recomputed(&format!("{part}, study={study})"), &rules);
            }
            assert_recomputed(&format!("change({part}), from=W1, to=W2)"), &rules);
            assert_recomputed(&format!("growth({part}), from=W1, to=W2)"), &rules);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 150, ..ProptestConfig::default() })]

    // proves: B5, C14
    #[test]
    fn so_does_every_comparison_of_two(
        one in 0..PARTS.len(), other in 0..PARTS.len(), studies in 0..4_usize, over in any::<bool>(), test in 0..3_usize,
    ) {
        let study = |bit: usize| if studies & bit == 0 { "W1" } else { "W2" };
        let sign = if over { '/' } else { '-' };
        let expression =
            format!("{}, study={}) {sign} {}, study={})", PARTS[one], study(1), PARTS[other], study(2));
        let test = [Test::EffectiveBase, Test::Linearised, Test::UnweightedBase][test];
        assert_recomputed(&expression, &Rules { test, least_base: 2, low_base: 50, ..Rules::default() });
    }
}

// proves: C14
#[test]
fn a_table_has_no_row_for_a_respondent() {
    let project = build_project();
    let rules = Rules::default();
    for part in PARTS {
        let tabled = tabulate(&project, &rules, &format!("{part}, study=W1)")).unwrap();
        match &tabled.tables[0].counts {
            Counts::Cells(cells) => assert!(cells.len() <= 11, "{part}: {}", cells.len()),
            Counts::Moments(_) => assert!(part.contains("Q7"), "{part}"),
        }
    }
    let of_numbers = tabulate(&project, &rules, "median(Q7, study=W1)").unwrap();
    assert_eq!(of_numbers.evaluate(&rules), None, "nothing but every number tells their median");
}
