//! How the ranking performs when the truth is known: simulated judges, asked many times.

use rand_core::{Rng, SeedableRng};
use rand_pcg::Pcg64;

use super::super::bradley_terry::{Pair, intervals, told_apart};
use super::super::payload::{ByDimension, Comparison, Winner};
use super::tests::build_ids;

const ALPHA: f64 = 0.05;

/// How the judgements of a pair correlate across the five dimensions.
#[derive(Debug, Clone, Copy)]
enum Dimensions {
    /// Each dimension is judged independently.
    Apart,
    /// One preference sets all dimensions of a judgement.
    Halo,
    /// Each dimension independently; two in five are ties.
    WithTies,
    /// One preference sets all dimensions, and the judge keeps it in both orders and all rounds.
    MadeUp,
}

/// Asks a judge about every pair in both orders; `chance(i, j)` is the probability that it prefers `i` to `j`.
fn asked(
    n: usize,
    rounds: usize,
    dimensions: Dimensions,
    random: &mut Pcg64,
    chance: impl Fn(usize, usize) -> f64,
) -> Vec<Pair> {
    let ids = build_ids(n);
    let mut comparisons = Vec::new();
    for (a, b) in (0..n).flat_map(|a| (a + 1..n).map(move |b| (a, b))) {
        let made_up = winners(dimensions, random, chance(a, b));
        for order in 0..2 * rounds {
            let winners = match dimensions {
                Dimensions::MadeUp => made_up,
                _ => winners(dimensions, random, chance(a, b)),
            };
            let round = order as u32 / 2 + 1;
            comparisons.push(if order % 2 == 0 {
                comparison(&ids[a], &ids[b], round, winners)
            } else {
                comparison(&ids[b], &ids[a], round, winners.map(super::turned))
            });
        }
    }
    super::tally_pairs(&comparisons, &ids, &ByDimension::of(|_| 1.0))
}

/// Judges one pair in one order: `A` is preferred with probability `chance`.
fn winners(dimensions: Dimensions, random: &mut Pcg64, chance: f64) -> [Winner; 5] {
    let mut preferred = || if unit(random) < chance { Winner::A } else { Winner::B };
    match dimensions {
        Dimensions::Halo | Dimensions::MadeUp => [preferred(); 5],
        Dimensions::Apart => [(); 5].map(|()| preferred()),
        Dimensions::WithTies => {
            let winners = [(); 5].map(|()| preferred());
            winners.map(|winner| if unit(random) < 0.4 { Winner::Tie } else { winner })
        }
    }
}

fn comparison(a: &str, b: &str, round: u32, winners: [Winner; 5]) -> Comparison {
    let [novelty, plausibility, testability, impact, grounding] = winners;
    Comparison {
        hypothesis_a_id: a.into(),
        hypothesis_b_id: b.into(),
        round,
        winner_novelty: novelty,
        winner_plausibility: plausibility,
        winner_testability: testability,
        winner_impact: impact,
        winner_grounding: grounding,
        judged: true,
    }
}

/// The formula of the scores, computed in another way.
fn scores(pairs: &[Pair], n: usize) -> Vec<f64> {
    let share = |one: &Pair, index: usize| match index {
        _ if one.a == index => Some(one.share),
        _ if one.b == index => Some(1.0 - one.share),
        _ => None,
    };
    let sum = |index| pairs.iter().filter_map(|one| share(one, index)).sum::<f64>();
    (0..n).map(|index| 1.0 + 4.0 * sum(index) / (n - 1) as f64).collect()
}

fn unit(random: &mut Pcg64) -> f64 {
    (random.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
}

fn coin(_: usize, _: usize) -> f64 {
    0.5
}

/// A judge with a strict order, to which it keeps in a share `kept` of its judgements.
fn ladder(kept: f64) -> impl Fn(usize, usize) -> f64 {
    move |i, j| if i < j { kept } else { 1.0 - kept }
}

/// A judge that knows the best one and tosses a coin for the others.
fn favourite(kept: f64) -> impl Fn(usize, usize) -> f64 {
    move |i, _| if i == 0 { kept } else { 0.5 }
}

/// A judge to whom the best two are equal, with the others in strict order below.
fn two_best(kept: f64) -> impl Fn(usize, usize) -> f64 {
    move |i, j| if (i, j) == (0, 1) { 0.5 } else { ladder(kept)(i, j) }
}

/// A Bradley-Terry judge with strengths a `step` apart.
fn spaced(step: f64) -> impl Fn(usize, usize) -> f64 {
    move |i, j| 1.0 / (1.0 + ((i as f64 - j as f64) * step).exp())
}

/// The number of trials with each finding.
#[derive(Debug, PartialEq)]
struct Found {
    /// A significant leader.
    leaders: usize,
    /// Any two told apart.
    pairs: usize,
    /// The first told apart from the second.
    alone: usize,
}

fn found(trials: usize, draws: u32, n: usize, mut ask: impl FnMut() -> Vec<Pair>) -> Found {
    let mut found = Found { leaders: 0, pairs: 0, alone: 0 };
    for _ in 0..trials {
        let apart = told_apart(&ask(), n, ALPHA, draws);
        found.leaders += usize::from(apart.p_value <= ALPHA);
        found.pairs += usize::from(apart.groups.len() > 1);
        found.alone += usize::from(apart.groups[0].len() == 1);
    }
    found
}

/// Fails if a coin produces a result in more than alpha of 1,000 trials.
fn tosses(dimensions: Dimensions, rounds: usize) {
    for n in [3, 5, 8] {
        let mut random = Pcg64::seed_from_u64(n as u64);
        let ask = || asked(n, rounds, dimensions, &mut random, coin);
        let Found { leaders, pairs, .. } = found(1_000, 199, n, ask);
        let asked = format!("{dimensions:?}, {n} in {rounds}");
        assert!(leaders <= 50, "{asked}: {leaders} significant leaders");
        assert!(pairs <= 50, "{asked}: {pairs} times two were told apart");
    }
}

// proves: H5
#[test]
fn a_coin_for_each_dimension_makes_no_winner_more_often_than_alpha() {
    tosses(Dimensions::Apart, 1);
}

// proves: H5
#[test]
fn one_coin_for_all_dimensions_makes_no_winner_more_often_than_alpha() {
    tosses(Dimensions::Halo, 1);
}

// proves: H5
#[test]
fn a_coin_that_stands_on_its_edge_makes_no_winner_more_often_than_alpha() {
    tosses(Dimensions::WithTies, 1);
}

// proves: H5
#[test]
fn one_coin_for_a_pair_in_both_orders_makes_no_winner_more_often_than_alpha() {
    tosses(Dimensions::MadeUp, 1);
}

// proves: H5
#[test]
fn one_coin_for_a_pair_in_all_rounds_makes_no_winner_more_often_than_alpha() {
    tosses(Dimensions::MadeUp, 3);
}

// proves: H5
#[test]
fn a_judge_with_a_clear_opinion_is_believed_where_there_are_enough_hypotheses() {
    let mut random = Pcg64::seed_from_u64(11);
    let ask = || asked(8, 2, Dimensions::Halo, &mut random, favourite(1.0));
    let Found { leaders, .. } = found(100, 399, 8, ask);
    assert!(leaders >= 80, "{leaders} of 100");
    let ask = || asked(8, 1, Dimensions::MadeUp, &mut random, ladder(1.0));
    let Found { leaders, pairs, .. } = found(20, 399, 8, ask);
    assert_eq!((leaders, pairs), (0, 20), "an order has two ends, and its first is one win ahead");
}

// proves: H5
#[test]
fn of_five_hypotheses_no_leader_is_significant_where_the_judge_says_the_same_again() {
    for kept in [0.75, 1.0] {
        let mut random = Pcg64::seed_from_u64(14);
        let ask = || asked(5, 3, Dimensions::MadeUp, &mut random, favourite(kept));
        assert_eq!(found(50, 0, 5, ask), Found { leaders: 0, pairs: 0, alone: 0 });
    }
}

// proves: H5
#[test]
fn the_best_two_are_seldom_told_apart_where_they_are_equally_good() {
    for kept in [0.75, 0.9] {
        let mut random = Pcg64::seed_from_u64(13);
        let ask = || asked(5, 2, Dimensions::Halo, &mut random, two_best(kept));
        let Found { alone, .. } = found(200, 199, 5, ask);
        assert!(alone <= 10, "{kept}: {alone} of 200");
    }
}

/// Returns how often the intervals contain the expected score, and how often the score of a judge asked again.
fn covered(
    trials: usize,
    n: usize,
    rounds: usize,
    dimensions: Dimensions,
    step: f64,
) -> (f64, f64) {
    let mut random = Pcg64::seed_from_u64(5);
    let (mut expected, mut again) = (0, 0);
    for _ in 0..trials {
        let judgements = asked(n, rounds, dimensions, &mut random, spaced(step));
        let others = scores(&asked(n, rounds, dimensions, &mut random, spaced(step)), n);
        for (index, interval) in intervals(&judgements, n, ALPHA, 399).iter().enumerate() {
            let met = (0..n).filter(|other| *other != index);
            let mean = met.map(|other| spaced(step)(index, other)).sum::<f64>() / (n - 1) as f64;
            let within = |score: f64| interval.low - 1e-9 <= score && score <= interval.high + 1e-9;
            expected += usize::from(within(1.0 + 4.0 * mean));
            again += usize::from(within(others[index]));
        }
    }
    let all = (trials * n) as f64;
    (f64::from(expected as u32) / all, f64::from(again as u32) / all)
}

// proves: H5
#[test]
fn intervals_hold_the_score_that_a_judge_gives_in_the_long_run() {
    for (n, step) in [(3, 0.5), (5, 0.5), (5, 2.0), (8, 2.0)] {
        let (expected, _) = covered(40, n, 2, Dimensions::MadeUp, step);
        assert!(expected > 0.93, "{n}, {step}: {expected}");
        let (expected, _) = covered(40, n, 2, Dimensions::Halo, step);
        assert!(expected > 0.98, "{n}, {step}: {expected}");
        let (expected, _) = covered(40, n, 2, Dimensions::Apart, step);
        assert!(expected > 0.98, "{n}, {step}: {expected}");
    }
}

// proves: H5
#[test]
#[ignore = "takes minutes: prints the figures of docs/decisions/ranking.md"]
fn how_often_a_judge_is_believed_is_measured() {
    const TRIALS: usize = 500;
    let percent = |count: usize| 100.0 * count as f64 / TRIALS as f64;
    let print = |name: &str, chance: &dyn Fn(usize, usize) -> f64, dimensions: Dimensions| {
        let mut random = Pcg64::seed_from_u64(3);
        let mut rates = Vec::new();
        for n in [3, 4, 5, 6, 8] {
            for rounds in [1, 3] {
                let ask = || asked(n, rounds, dimensions, &mut random, chance);
                let Found { leaders, pairs, alone } = found(TRIALS, 399, n, ask);
                println!(
                    "{name}, {dimensions:?}, {n} in {rounds}: leader {:.1} %, pairs {:.1} %, alone {:.1} %",
                    percent(leaders),
                    percent(pairs),
                    percent(alone)
                );
                rates.push(leaders.max(pairs));
            }
        }
        rates
    };
    for dimensions in
        [Dimensions::Apart, Dimensions::Halo, Dimensions::WithTies, Dimensions::MadeUp]
    {
        let rates = print("coin", &coin, dimensions);
        // Three standard errors above alpha.
        let most = TRIALS as f64 * (ALPHA + 3.0 * (ALPHA * (1.0 - ALPHA) / TRIALS as f64).sqrt());
        assert!(rates.iter().all(|rate| (*rate as f64) < most), "{rates:?}");
    }
    for kept in [1.0, 0.9, 0.75] {
        for dimensions in [Dimensions::MadeUp, Dimensions::Halo] {
            print(&format!("favourite {kept}"), &favourite(kept), dimensions);
            print(&format!("ladder {kept}"), &ladder(kept), dimensions);
            print(&format!("two best {kept}"), &two_best(kept), dimensions);
        }
    }
}

// proves: H5
#[test]
#[ignore = "takes minutes: prints the figures of docs/decisions/ranking.md"]
fn how_often_the_intervals_hold_is_measured() {
    for dimensions in [Dimensions::MadeUp, Dimensions::Halo, Dimensions::Apart] {
        for (n, step) in [3, 5, 8].into_iter().flat_map(|n| [0.0, 0.5, 2.0].map(|step| (n, step))) {
            for rounds in [1, 3] {
                let (expected, again) = covered(150, n, rounds, dimensions, step);
                assert!(expected > 0.9, "{dimensions:?}, {n}, {step}, {rounds}: {expected}");
                println!(
                    "intervals, {dimensions:?}, {n} a step of {step}, in {rounds}: {:.1} %, again {:.1} %",
                    100.0 * expected,
                    100.0 * again
                );
            }
        }
    }
}
