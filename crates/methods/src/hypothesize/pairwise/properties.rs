//! The ranking is sound whatever a judge writes.

use proptest::prelude::*;

use super::tests::{build_ids, build_rules};
use super::*;

fn any_id() -> impl Strategy<Value = String> {
    prop_oneof![
        8 => (1..6_usize).prop_map(|number| format!("H{number}")),
        2 => (1..9_usize).prop_map(|number| format!(" h{number}\n")),
        1 => ".{0,8}",
        1 => Just("H1".repeat(2_000)),
    ]
}

fn any_winner() -> impl Strategy<Value = String> {
    prop_oneof![
        6 => prop::sample::select(vec!["a", "b", "tie", "A", " B ", "draw", "equal", "both", "H2"])
            .prop_map(str::to_owned),
        1 => ".{0,8}",
        1 => Just("a".repeat(5_000)),
    ]
}

fn any_record() -> impl Strategy<Value = Record> {
    let winners = prop::array::uniform5(any_winner());
    (any_id(), any_id(), winners, ".{0,20}").prop_map(|(a, b, winners, reason)| {
        let [novelty, plausibility, testability, impact, grounding] = winners;
        Record {
            hypothesis_a_id: a,
            hypothesis_b_id: b,
            winner_novelty: novelty,
            winner_plausibility: plausibility,
            winner_testability: testability,
            winner_impact: impact,
            winner_grounding: grounding,
            reason,
        }
    })
}

fn any_calls() -> impl Strategy<Value = Vec<(bool, u32, Vec<Record>)>> {
    let call = (any::<bool>(), 1..4_u32, prop::collection::vec(any_record(), 0..40));
    prop::collection::vec(call, 0..6)
}

fn build_calls(given: &[(bool, u32, Vec<Record>)]) -> Vec<Call<'_>> {
    let order = |reversed| if reversed { Order::Reversed } else { Order::InOrder };
    let call = |(reversed, round, records)| Call { order: order(reversed), round, records };
    given
        .iter()
        .map(|(reversed, round, records)| call((*reversed, *round, records.as_slice())))
        .collect()
}

fn any_weights() -> impl Strategy<Value = ByDimension<f64>> {
    let weight = prop_oneof![1 => Just(0.0), 4 => 0.01..10.0_f64, 1 => Just(1e300)];
    prop::array::uniform5(weight).prop_map(|weights| {
        let mut weights = weights.into_iter();
        ByDimension::of(|_| weights.next().unwrap())
    })
}

/// The formula of the contract, computed from the raw comparisons in another way.
fn recomputed(comparisons: &[Comparison], id: &str, weights: &ByDimension<f64>) -> [f64; 6] {
    let (mut judgements, mut points) = (0, [0.0; 5]);
    for one in comparisons {
        let winners = [
            one.winner_novelty,
            one.winner_plausibility,
            one.winner_testability,
            one.winner_impact,
            one.winner_grounding,
        ];
        let own = if one.hypothesis_a_id == id {
            Winner::A
        } else if one.hypothesis_b_id == id {
            Winner::B
        } else {
            continue;
        };
        judgements += 1;
        for (points, winner) in points.iter_mut().zip(winners) {
            *points += if winner == own {
                1.0
            } else if winner == Winner::Tie {
                0.5
            } else {
                0.0
            };
        }
    }
    let scores = points.map(|points| 1.0 + 4.0 * points / f64::from(judgements));
    let weights = [
        weights.novelty,
        weights.plausibility,
        weights.testability,
        weights.impact,
        weights.grounding,
    ];
    let sum: f64 = weights.iter().sum();
    let overall = scores.iter().zip(weights).map(|(score, weight)| score * (weight / sum)).sum();
    [scores[0], scores[1], scores[2], scores[3], scores[4], overall]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    // proves: H5
    #[test]
    fn any_records_normalise_to_every_pair_in_both_orders_once(given in any_calls(), n in 0..6_usize) {
        let ids = build_ids(n);
        let calls = build_calls(&given);
        let rounds = given.iter().map(|(_, round, _)| *round).max().unwrap_or(1);
        let (comparisons, coverage) = normalised(&calls, &ids);
        let mut seen: Vec<(u32, &str, &str)> = comparisons
            .iter()
            .map(|one| (one.round, one.hypothesis_a_id.as_str(), one.hypothesis_b_id.as_str()))
            .collect();
        seen.sort_unstable();
        let mut expected = Vec::new();
        for round in 1..=rounds {
            for a in &ids {
                expected.extend(ids.iter().filter(|b| *b != a).map(|b| (round, a.as_str(), b.as_str())));
            }
        }
        expected.sort_unstable();
        prop_assert_eq!(seen, expected);

        let records: usize = given.iter().map(|(_, _, records)| records.len()).sum();
        let ignored = coverage.doubled + coverage.foreign + coverage.self_paired;
        prop_assert_eq!((coverage.judged + ignored) as usize, records);
        prop_assert_eq!(coverage.judged as usize + coverage.missing.len(), coverage.expected as usize);
        prop_assert!(coverage.unreadable_winners <= 5 * coverage.judged);
        let ties = |one: &Comparison| Dimension::ALL.iter().all(|each| one.winner(*each) == Winner::Tie);
        prop_assert!(comparisons.iter().all(|one| one.judged || ties(one)));
    }

    // proves: H5, H7
    #[test]
    fn scores_are_what_the_formula_makes_of_the_raw_comparisons(
        given in any_calls(),
        n in 2..6_usize,
        weights in any_weights(),
    ) {
        let rules = Rules { weights, resamples: 100, ..build_rules() };
        prop_assume!(rules.check().is_ok());
        let ids = build_ids(n);
        let (comparisons, coverage) = normalised(&build_calls(&given), &ids);
        let (standings, ranking) = rank(&comparisons, coverage, &ids, &rules);
        for one in &standings {
            let scores = one.scores;
            let [novelty, plausibility, testability, impact, grounding, overall] =
                recomputed(&comparisons, &one.id, &weights);
            let pairs = [
                (scores.novelty, novelty),
                (scores.plausibility, plausibility),
                (scores.testability, testability),
                (scores.impact, impact),
                (scores.grounding, grounding),
                (scores.overall, overall),
            ];
            for (given, expected) in pairs {
                prop_assert!((given - expected).abs() < 1e-9, "{given} is not {expected}");
                prop_assert!((1.0..=5.0).contains(&given));
            }
            prop_assert!(one.strength.is_finite());
            let Interval { low, high } = one.interval;
            prop_assert!(1.0 <= low && low <= overall + 1e-9 && overall <= high + 1e-9 && high <= 5.0);
        }
        let ranks: Vec<u32> = standings.iter().map(|one| one.rank).collect();
        prop_assert_eq!(ranks, (1..=n as u32).collect::<Vec<u32>>());
        let falling = standings.windows(2).all(|two| two[0].scores.overall >= two[1].scores.overall - 1e-9);
        prop_assert!(falling);
        let p_value = ranking.leader.p_value;
        prop_assert!(p_value > 0.0 && p_value <= 1.0);
        prop_assert!((0.0..=4.0).contains(&ranking.critical_difference));
        // Each rank is in a group, and each group is a contiguous part of the ranked list.
        let ranked: Vec<&String> = standings.iter().map(|one| &one.id).collect();
        for group in &ranking.groups {
            let first = ranked.iter().position(|id| **id == group[0]).unwrap();
            let stretch: Vec<&String> = ranked[first..first + group.len()].to_vec();
            prop_assert_eq!(group.iter().collect::<Vec<_>>(), stretch);
        }
        prop_assert!(ids.iter().all(|id| ranking.groups.iter().any(|group| group.contains(id))));
    }

    // proves: H5
    #[test]
    fn other_names_in_another_order_change_no_score(
        given in any_calls(),
        shuffled in Just((0..5_usize).collect::<Vec<_>>()).prop_shuffle(),
    ) {
        let ids = build_ids(5);
        let (comparisons, coverage) = normalised(&build_calls(&given), &ids);
        let renamed = |id: &str| {
            let index = ids.iter().position(|one| one == id).unwrap();
            format!("X{}", shuffled[index])
        };
        let other_ids: Vec<String> = (0..5).map(|number| format!("X{number}")).collect();
        let mut others: Vec<Comparison> = comparisons
            .iter()
            .map(|one| Comparison {
                hypothesis_a_id: renamed(&one.hypothesis_a_id),
                hypothesis_b_id: renamed(&one.hypothesis_b_id),
                ..one.clone()
            })
            .collect();
        others.reverse();
        let (standings, ranking) = rank(&comparisons, coverage.clone(), &ids, &build_rules());
        let (other_standings, other_ranking) = rank(&others, coverage, &other_ids, &build_rules());
        for one in &standings {
            let other = other_standings.iter().find(|other| other.id == renamed(&one.id)).unwrap();
            prop_assert!((one.scores.overall - other.scores.overall).abs() < 1e-9);
            prop_assert!((one.scores.impact - other.scores.impact).abs() < 1e-9);
            prop_assert!((one.strength - other.strength).abs() < 1e-9);
        }
        prop_assert_eq!(ranking.position_bias, other_ranking.position_bias);
        // Without ties, the random draws are for the same ranks.
        let differ = standings.windows(2).all(|two| two[0].scores.overall > two[1].scores.overall + 1e-6);
        if differ {
            prop_assert!((ranking.leader.p_value - other_ranking.leader.p_value).abs() < 1e-12);
            prop_assert!((ranking.critical_difference - other_ranking.critical_difference).abs() < 1e-9);
        }
    }

    #[test]
    fn any_json_object_of_texts_is_a_record(given in any_record()) {
        let written = serde_json::to_string(&given).unwrap();
        prop_assert_eq!(serde_json::from_str::<Record>(&written).unwrap(), given);
    }
}
