use proptest::prelude::*;

use super::*;

fn won(a: usize, b: usize) -> Judgement {
    Judgement { a, b, share: 1.0 }
}

/// Everybody beats all who come later, so often.
fn sweep(n: usize, times: usize) -> Vec<Judgement> {
    let pairs = (0..n).flat_map(|a| (a + 1..n).map(move |b| won(a, b)));
    pairs.flat_map(|one| std::iter::repeat_n(one, times)).collect()
}

/// Returns how far the wins that the strengths let expect are from those that were seen.
fn misfit(judgements: &[Judgement], n: usize) -> f64 {
    let strengths = strengths(judgements, n);
    let chance = |a: usize, b: usize| 1.0 / (1.0 + (strengths[b] - strengths[a]).exp());
    let misfit = |one: usize| {
        let others = (0..n).filter(|other| *other != one);
        let added: f64 = others.map(|other| 0.5 - chance(one, other)).sum();
        let judged = judgements.iter().map(|each| match one {
            _ if each.a == one => each.share - chance(one, each.b),
            _ if each.b == one => 1.0 - each.share - chance(one, each.a),
            _ => 0.0,
        });
        (added + judged.sum::<f64>()).abs()
    };
    (0..n).map(misfit).fold(0.0, f64::max)
}

// proves: H5
#[test]
fn of_two_the_strengths_are_the_logarithm_of_their_odds() {
    let judgements = [won(0, 1), won(0, 1), won(1, 0), won(0, 1)];
    let strengths = strengths(&judgements, 2);
    let odds: f64 = 3.5 / 1.5;
    assert!((strengths[0] - odds.ln() / 2.0).abs() < 1e-10);
    assert!((strengths[1] + odds.ln() / 2.0).abs() < 1e-10);
}

// proves: H5
#[test]
fn whoever_won_everything_has_a_finite_strength() {
    for (n, times) in [(2, 1), (5, 2), (8, 10), (12, 10)] {
        let judgements = sweep(n, times);
        let strengths = strengths(&judgements, n);
        assert!(strengths.windows(2).all(|two| two[0] > two[1]), "{strengths:?}");
        assert!(strengths.iter().all(|one| one.abs() < 30.0), "{strengths:?}");
        assert!(strengths.iter().sum::<f64>().abs() < 1e-9);
        assert!(misfit(&judgements, n) < 1e-8, "{n}, {times}: {}", misfit(&judgements, n));
    }
}

// proves: H5
#[test]
fn few_judgements_are_turned_round_in_every_way() {
    // Six for the same one of two: only all and none of 64 patterns put somebody as far ahead.
    let apart = told_apart(&sweep(2, 6), 2, 0.05, 0);
    assert_eq!((apart.p_value, apart.leader), (2.0 / 64.0, 0));
    // The next lower range is that of five to one.
    assert!((apart.critical_difference - 4.0 * 4.0 / 6.0).abs() < 1e-12);
    assert_eq!(apart.groups, [[0], [1]]);
    let apart = told_apart(&sweep(2, 4), 2, 0.05, 0);
    assert_eq!((apart.p_value, apart.critical_difference), (0.125, 4.0));
    assert_eq!(apart.groups, [[0, 1]]);
}

#[test]
fn without_draws_nothing_is_told_apart() {
    let apart = told_apart(&sweep(8, 2), 8, 0.05, 0);
    assert_eq!((apart.p_value, apart.critical_difference), (1.0, 4.0));
    assert_eq!(apart.groups.len(), 1);
    let intervals = intervals(&sweep(2, 2), 2, 0.05, 0);
    assert_eq!(intervals[0], Interval { low: 5.0, high: 5.0 });
}

// proves: H5
#[test]
fn a_group_ends_where_the_scores_are_too_far_apart_and_none_is_within_another() {
    let ranked = [(4, 5.0), (1, 4.5), (2, 4.0), (0, 2.0), (3, 1.5)];
    assert_eq!(groups(&ranked, 0.5), [vec![4, 1], vec![1, 2], vec![0, 3]]);
    assert_eq!(groups(&ranked, 1.0), [vec![4, 1, 2], vec![0, 3]]);
    assert_eq!(groups(&ranked, 0.0), [[4], [1], [2], [0], [3]]);
    assert_eq!(groups(&ranked, 4.0), [[4, 1, 2, 0, 3]]);
}

#[test]
fn nobody_one_and_nothing_judged_have_no_significant_leader() {
    for n in [0, 1, 3] {
        let apart = told_apart(&[], n, 0.05, 100);
        assert_eq!((apart.p_value, apart.leader), (1.0, 0));
        assert_eq!(apart.groups.len(), n.min(1));
        assert_eq!(strengths(&[], n), vec![0.0; n]);
        let middle = Interval { low: 3.0, high: 3.0 };
        assert_eq!(intervals(&[], n, 0.05, 100), vec![middle; n]);
    }
}

#[test]
fn judgements_of_nobody_or_of_no_share_count_for_nothing() {
    let nan = Judgement { a: 0, b: 1, share: f64::NAN };
    let judgements = [won(0, 7), won(7, 8), won(1, 1), nan];
    assert_eq!(scores(&judgements, 2), [3.0, 3.0]);
    assert_eq!(strengths(&judgements, 2), [0.0, 0.0]);
}

fn any_judgements() -> impl Strategy<Value = Vec<Judgement>> {
    let one = (0..6_usize, 0..5_usize, 0..=10_u8);
    let judgement = |(a, step, tenths): (usize, usize, u8)| Judgement {
        a,
        b: (a + step + 1) % 6,
        share: f64::from(tenths) / 10.0,
    };
    prop::collection::vec(one.prop_map(judgement), 0..60)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    // proves: H5
    #[test]
    fn the_wins_to_be_expected_are_those_that_were_seen(judgements in any_judgements()) {
        prop_assert!(misfit(&judgements, 6) < 1e-8);
    }

    // proves: H5
    #[test]
    fn every_number_stands_on_its_scale_and_the_interval_around_its_score(
        judgements in any_judgements(),
        alpha in 0.001..0.5_f64,
    ) {
        let apart = told_apart(&judgements, 6, alpha, 100);
        prop_assert!(apart.p_value > 0.0 && apart.p_value <= 1.0);
        prop_assert!((0.0..=4.0).contains(&apart.critical_difference));
        let scores = scores(&judgements, 6);
        prop_assert!(scores.iter().all(|score| *score <= scores[apart.leader] + 1e-9));
        for (interval, score) in intervals(&judgements, 6, alpha, 100).iter().zip(&scores) {
            prop_assert!(1.0 <= interval.low && interval.high <= 5.0);
            prop_assert!(interval.low <= score + 1e-9 && score - 1e-9 <= interval.high);
        }
    }
}
