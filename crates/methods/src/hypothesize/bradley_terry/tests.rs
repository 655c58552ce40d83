use proptest::prelude::*;

use super::*;

fn won(a: usize, b: usize) -> Pair {
    Pair { a, b, share: 1.0, judgements: 2.0 }
}

/// Every hypothesis beats all later ones.
fn sweep(n: usize) -> Vec<Pair> {
    (0..n).flat_map(|a| (a + 1..n).map(move |b| won(a, b))).collect()
}

/// The first beats all others; the others each beat the same number of the rest, as far as possible.
fn favourite(n: usize) -> Vec<Pair> {
    let others = n - 1;
    let beaten = |a: usize| (1..=others / 2).map(move |step| (a, 1 + (a - 1 + step) % others));
    let mut met: Vec<(usize, usize)> = (1..n).map(|other| (0, other)).collect();
    for (a, b) in (1..n).flat_map(beaten) {
        if !met.contains(&(b, a)) {
            met.push((a, b));
        }
    }
    met.into_iter().map(|(a, b)| won(a, b)).collect()
}

/// Returns the difference between the wins expected from the strengths and those observed.
fn misfit(pairs: &[Pair], n: usize) -> f64 {
    let strengths = fit_strengths(pairs, n);
    let chance = |a: usize, b: usize| 1.0 / (1.0 + (strengths[b] - strengths[a]).exp());
    let misfit = |one: usize| {
        let others = (0..n).filter(|other| *other != one);
        let added: f64 = others.map(|other| 0.5 - chance(one, other)).sum();
        let judged = pairs.iter().map(|each| match one {
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
fn of_two_the_strengths_are_the_logarithm_of_their_odds_however_often_they_were_judged() {
    for judgements in [1.0, 4.0] {
        let strengths = fit_strengths(&[Pair { a: 0, b: 1, share: 0.75, judgements }], 2);
        let odds: f64 = 1.25 / 0.75;
        assert!((strengths[0] - odds.ln() / 2.0).abs() < 1e-10);
        assert!((strengths[1] + odds.ln() / 2.0).abs() < 1e-10);
    }
}

// proves: H5
#[test]
fn whoever_won_everything_has_a_finite_strength() {
    for n in [2, 5, 8, 12] {
        let pairs = sweep(n);
        let strengths = fit_strengths(&pairs, n);
        assert!(strengths.windows(2).all(|two| two[0] > two[1]), "{strengths:?}");
        assert!(strengths.iter().all(|one| one.abs() < 30.0), "{strengths:?}");
        assert!(strengths.iter().sum::<f64>().abs() < 1e-9);
        assert!(misfit(&pairs, n) < 1e-8, "{n}: {}", misfit(&pairs, n));
    }
}

// proves: H5
#[test]
fn the_pairs_of_few_are_turned_round_in_every_way() {
    // Of the 8 patterns of three, all but the two cycles are a perfect order.
    let apart = told_apart(&sweep(3), 3, 0.05, 0);
    assert_eq!((apart.p_value, apart.critical_difference), (6.0 / 8.0, 4.0));
    // Of the 64 patterns of four, eight have one above a cycle.
    let apart = told_apart(&favourite(4), 4, 0.05, 0);
    assert_eq!((apart.p_value, apart.critical_difference), (8.0 / 64.0, 4.0));
    // Of the 1,024 patterns of five, 120 have one above two and two, and 40 one above a cycle above the last.
    let apart = told_apart(&favourite(5), 5, 0.05, 0);
    assert_eq!((apart.p_value, apart.critical_difference), (160.0 / 1024.0, 4.0));
    assert_eq!(apart.groups, [[0, 1, 2, 3, 4]]);
    // At a higher alpha it is enough: in 160 of them, the first and the last are as far apart as possible.
    let apart = told_apart(&sweep(5), 5, 0.2, 0);
    assert_eq!(apart.critical_difference, 3.0);
    assert_eq!(apart.groups, [vec![0, 1, 2, 3], vec![1, 2, 3, 4]]);
}

// proves: H5
#[test]
fn with_enough_hypotheses_a_favourite_is_significant_and_an_order_has_two_ends() {
    let apart = told_apart(&favourite(8), 8, 0.05, 1_999);
    assert!(apart.p_value < 0.02, "{}", apart.p_value);
    let apart = told_apart(&sweep(8), 8, 0.05, 1_999);
    assert!(apart.p_value > 0.2, "one win ahead is what a coin does: {}", apart.p_value);
    assert!(apart.groups.len() > 1, "{apart:?}");
}

#[test]
fn without_draws_nothing_is_told_apart() {
    let apart = told_apart(&sweep(8), 8, 0.05, 0);
    assert_eq!((apart.p_value, apart.critical_difference), (1.0, 4.0));
    assert_eq!(apart.groups.len(), 1);
    let intervals = intervals(&sweep(2), 2, 0.05, 0);
    assert_eq!(intervals[0], Interval { low: 5.0, high: 5.0 });
}

// proves: H5
#[test]
fn an_interval_is_wide_among_few_and_narrower_among_more() {
    let at = intervals(&sweep(3), 3, 0.05, 1_999);
    assert_eq!(at, vec![Interval { low: 1.0, high: 5.0 }; 3]);
    let at = intervals(&sweep(5), 5, 0.05, 1_999);
    assert_eq!(
        (at[0], at[4]),
        (Interval { low: 2.0, high: 5.0 }, Interval { low: 1.0, high: 4.0 })
    );
    let at = intervals(&sweep(12), 12, 0.05, 1_999);
    assert!(at[0].low > 2.5 && at[11].high < 3.5, "{at:?}");
}

// proves: H5
#[test]
fn a_group_ends_where_the_scores_are_too_far_apart_and_none_is_within_another() {
    let ranked = [(4, 5.0), (1, 4.5), (2, 4.0), (0, 2.0), (3, 1.5)];
    assert_eq!(find_groups(&ranked, 0.5), [vec![4, 1], vec![1, 2], vec![0, 3]]);
    assert_eq!(find_groups(&ranked, 1.0), [vec![4, 1, 2], vec![0, 3]]);
    assert_eq!(find_groups(&ranked, 0.0), [[4], [1], [2], [0], [3]]);
    assert_eq!(find_groups(&ranked, 4.0), [[4, 1, 2, 0, 3]]);
}

#[test]
fn nobody_one_and_nothing_judged_have_no_significant_leader() {
    for n in [0, 1, 3] {
        let apart = told_apart(&[], n, 0.05, 100);
        assert_eq!(apart.p_value, 1.0);
        assert_eq!(apart.groups.len(), n.min(1));
        assert_eq!(fit_strengths(&[], n), vec![0.0; n]);
        let middle = Interval { low: 3.0, high: 3.0 };
        assert_eq!(intervals(&[], n, 0.05, 100), vec![middle; n]);
    }
}

#[test]
fn pairs_of_nobody_or_of_no_share_count_for_nothing() {
    let nan = Pair { share: f64::NAN, ..won(0, 1) };
    let pairs = [won(0, 7), won(7, 8), won(1, 1), nan];
    assert_eq!(Tally::of(&pairs, 2).observed(), [3.0, 3.0]);
    assert_eq!(fit_strengths(&pairs, 2), [0.0, 0.0]);
}

fn any_pairs() -> impl Strategy<Value = Vec<Pair>> {
    let one = (0..6_usize, 0..5_usize, 0..=10_u8, 1..4_u8);
    let pair = |(a, step, tenths, judgements): (usize, usize, u8, u8)| Pair {
        a,
        b: (a + step + 1) % 6,
        share: f64::from(tenths) / 10.0,
        judgements: f64::from(judgements),
    };
    prop::collection::vec(one.prop_map(pair), 0..30)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    // proves: H5
    #[test]
    fn the_wins_to_be_expected_are_those_that_were_seen(pairs in any_pairs()) {
        prop_assert!(misfit(&pairs, 6) < 1e-8);
    }

    // proves: H5
    #[test]
    fn every_number_stands_on_its_scale_and_the_interval_around_its_score(
        pairs in any_pairs(),
        alpha in 0.001..0.5_f64,
    ) {
        let apart = told_apart(&pairs, 6, alpha, 100);
        prop_assert!(apart.p_value > 0.0 && apart.p_value <= 1.0);
        prop_assert!((0.0..=4.0).contains(&apart.critical_difference));
        let scores = Tally::of(&pairs, 6).observed();
        let first = scores[apart.groups[0][0]];
        prop_assert!(scores.iter().all(|score| *score <= first + 1e-9));
        for (interval, score) in intervals(&pairs, 6, alpha, 100).iter().zip(&scores) {
            prop_assert!(1.0 <= interval.low && interval.high <= 5.0);
            prop_assert!(interval.low <= score + 1e-9 && score - 1e-9 <= interval.high);
        }
    }
}
