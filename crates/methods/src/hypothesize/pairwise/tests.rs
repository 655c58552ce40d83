use proptest::prelude::*;

use super::super::payload::MissingPair;
use super::*;

fn ids(n: usize) -> Vec<String> {
    (1..=n).map(|number| format!("H{number}")).collect()
}

fn rules() -> Rules {
    let weights = ByDimension::of(|_| 1.0);
    Rules { weights, rounds: 1, alpha: 0.05, resamples: 400 }
}

fn said(a: &str, b: &str, winner: &str) -> Record {
    let [a, b, winner] = [a, b, winner].map(str::to_owned);
    Record {
        hypothesis_a_id: a,
        hypothesis_b_id: b,
        winner_novelty: winner.clone(),
        winner_plausibility: winner.clone(),
        winner_testability: winner.clone(),
        winner_impact: winner.clone(),
        winner_grounding: winner,
        reason: String::new(),
    }
}

/// A judge that always prefers the one with the lower number.
fn steadfast(n: usize, rounds: u32) -> Vec<Comparison> {
    let ids = ids(n);
    let records = [Order::InOrder, Order::Reversed].map(|order| {
        let prefer = |(a, b): (String, String)| {
            let number = |id: &str| id[1..].parse::<usize>().unwrap();
            said(&a, &b, if number(&a) < number(&b) { "a" } else { "b" })
        };
        asked(&ids, order).into_iter().map(prefer).collect::<Vec<_>>()
    });
    let [first, second] = &records;
    let calls: Vec<Call<'_>> = (1..=rounds)
        .flat_map(|round| {
            [
                Call { order: Order::InOrder, round, records: first },
                Call { order: Order::Reversed, round, records: second },
            ]
        })
        .collect();
    let (comparisons, coverage) = normalised(&calls, &ids);
    assert_eq!(coverage.judged, coverage.expected);
    comparisons
}

#[test]
fn a_reversed_call_shows_the_other_one_first_and_begins_at_the_end() {
    let pair = |a: &str, b: &str| (a.to_owned(), b.to_owned());
    let expected = [pair("H1", "H2"), pair("H1", "H3"), pair("H2", "H3")];
    assert_eq!(asked(&ids(3), Order::InOrder), expected);
    let expected = [pair("H3", "H2"), pair("H3", "H1"), pair("H2", "H1")];
    assert_eq!(asked(&ids(3), Order::Reversed), expected);
    assert!(asked(&ids(1), Order::InOrder).is_empty());
}

// proves: H5
#[test]
fn records_are_put_in_order_and_what_is_ignored_is_counted() {
    let in_order = [
        said(" h2", "H1 ", "A"),
        said("H1", "H2", "b"),
        said("H1", "H9", "a"),
        said("H3", "h3", "a"),
        said("H1", "H3", "neither"),
    ];
    let reversed = [said("H3", "H2", "h2"), said("H2", "H1", "Draw")];
    let calls = [
        Call { order: Order::InOrder, round: 1, records: &in_order },
        Call { order: Order::Reversed, round: 1, records: &reversed },
    ];
    let (comparisons, coverage) = normalised(&calls, &ids(3));
    let seen: Vec<(&str, &str, Winner, bool)> = comparisons
        .iter()
        .map(|one| {
            let (a, b) = (one.hypothesis_a_id.as_str(), one.hypothesis_b_id.as_str());
            (a, b, one.winner_impact, one.judged)
        })
        .collect();
    let expected = [
        ("H1", "H2", Winner::B, true),
        ("H1", "H3", Winner::Tie, true),
        ("H2", "H3", Winner::Tie, false),
        ("H3", "H2", Winner::B, true),
        ("H3", "H1", Winner::Tie, false),
        ("H2", "H1", Winner::Tie, true),
    ];
    assert_eq!(seen, expected);
    let missing = |a: &str, b: &str| MissingPair {
        hypothesis_a_id: a.into(),
        hypothesis_b_id: b.into(),
        round: 1,
    };
    let expected = PairCoverage {
        expected: 6,
        judged: 4,
        missing: vec![missing("H2", "H3"), missing("H3", "H1")],
        unreadable_winners: 5,
        doubled: 1,
        foreign: 1,
        self_paired: 1,
    };
    assert_eq!(coverage, expected);
}

#[test]
fn calls_that_were_never_made_are_missing_pairs() {
    let records = [said("H1", "H2", "a")];
    let calls = [Call { order: Order::InOrder, round: 2, records: &records }];
    let (comparisons, coverage) = normalised(&calls, &ids(2));
    let judged: Vec<bool> = comparisons.iter().map(|one| one.judged).collect();
    assert_eq!(judged, [false, false, true, false]);
    assert_eq!((coverage.expected, coverage.judged, coverage.missing.len()), (4, 1, 3));
    let (comparisons, coverage) = normalised(&[], &ids(3));
    assert_eq!((comparisons.len(), coverage.expected, coverage.missing.len()), (6, 6, 6));
}

#[test]
fn a_record_is_read_whatever_is_null_or_missing() {
    let read = r#"{"hypothesis_a_id": "H1", "winner_novelty": null, "more": [1]}"#;
    let record: Record = serde_json::from_str(read).unwrap();
    assert_eq!((record.hypothesis_a_id.as_str(), record.winner_novelty.as_str()), ("H1", ""));
    let schema = serde_json::to_value(schemars::schema_for!(Record)).unwrap();
    let winner = &schema["properties"]["winner_impact"];
    assert_eq!(winner["enum"], serde_json::json!(["a", "b", "tie"]));
    assert!(winner["description"].as_str().unwrap().contains("more would follow"));
    assert_eq!(schema["description"], "The judgement of one pair.");
}

#[test]
fn rules_that_cannot_be_kept_are_refused_and_say_what_would_do() {
    assert_eq!(rules().check(), Ok(()));
    let refused = |change: fn(&mut Rules)| {
        let mut rules = rules();
        change(&mut rules);
        rules.check().unwrap_err()
    };
    assert!(refused(|rules| rules.weights.impact = -1.0).contains("impact is -1"));
    assert!(refused(|rules| rules.weights.impact = f64::NAN).contains("impact is NaN"));
    assert!(refused(|rules| rules.weights = ByDimension::default()).contains("all weights"));
    assert!(refused(|rules| rules.rounds = 0).contains("1 to 5"));
    assert!(refused(|rules| rules.rounds = 6).contains("1 to 5"));
    assert!(refused(|rules| rules.alpha = 0.0).contains("at most 0.5"));
    assert!(refused(|rules| rules.alpha = f64::NAN).contains("at most 0.5"));
    assert!(refused(|rules| rules.resamples = 99).contains("100 to 100000"));
}

// proves: H5
#[test]
fn a_judge_that_never_wavers_is_ranked_as_it_judges_and_all_is_finite() {
    let (standings, ranking) = rank(&steadfast(5, 3), PairCoverage::default(), &ids(5), &rules());
    let order: Vec<&str> = standings.iter().map(|one| one.id.as_str()).collect();
    assert_eq!(order, ["H1", "H2", "H3", "H4", "H5"]);
    let overall: Vec<f64> = standings.iter().map(|one| one.scores.overall).collect();
    assert_eq!(overall, [5.0, 4.0, 3.0, 2.0, 1.0]);
    assert!(standings.windows(2).all(|two| two[0].strength > two[1].strength + 0.5));
    assert!(standings.iter().all(|one| one.strength.is_finite()));
    assert_eq!(standings[0].record.wins_by_dimension.novelty, 24);
    assert_eq!(ranking.rounds, 3);
    assert_eq!(ranking.leader.hypothesis_id, "H1");
    let bias = PositionBias { compared: 150, reversed: 0, first_won: 0.5 };
    assert_eq!(ranking.position_bias, bias);
}

// proves: H5
#[test]
fn a_judge_that_always_takes_the_first_one_gives_everybody_the_same() {
    let ids = ids(4);
    let first = |order| -> Vec<Record> {
        asked(&ids, order).iter().map(|(a, b)| said(a, b, "a")).collect()
    };
    let (one, other) = (first(Order::InOrder), first(Order::Reversed));
    let calls = [
        Call { order: Order::InOrder, round: 1, records: &one },
        Call { order: Order::Reversed, round: 1, records: &other },
    ];
    let (comparisons, coverage) = normalised(&calls, &ids);
    let (standings, ranking) = rank(&comparisons, coverage, &ids, &rules());
    assert!(standings.iter().all(|one| one.scores.overall == 3.0 && one.strength.abs() < 1e-12));
    assert_eq!(standings[0].id, "H1");
    assert_eq!((ranking.leader.p_value, ranking.leader.significant), (1.0, false));
    assert_eq!(ranking.groups, std::slice::from_ref(&ids));
    let bias = PositionBias { compared: 30, reversed: 30, first_won: 1.0 };
    assert_eq!(ranking.position_bias, bias);
}

#[test]
fn none_or_one_hypothesis_is_ranked_too() {
    let (standings, ranking) = rank(&[], PairCoverage::default(), &[], &rules());
    assert!(standings.is_empty() && ranking.groups.is_empty());
    let (standings, ranking) = rank(&[], PairCoverage::default(), &ids(1), &rules());
    let scores = standings[0].scores;
    assert_eq!((scores.novelty, scores.overall, standings[0].strength), (3.0, 3.0, 0.0));
    assert_eq!(ranking.groups, [ids(1)]);
    assert_eq!((ranking.leader.p_value, ranking.rounds), (1.0, 1));
    let coverage = normalised(&[], &ids(1)).1;
    assert_eq!((coverage.expected, coverage.missing.len()), (0, 0));
}

#[test]
fn weights_of_any_size_leave_scores_on_their_scale() {
    let comparisons = steadfast(3, 1);
    for weight in [f64::MAX, f64::MIN_POSITIVE, 0.0, f64::NAN, -1.0] {
        let scores = scores(&comparisons, "H2", &ByDimension::of(|_| weight));
        assert!((scores.overall - 3.0).abs() < 1e-12, "{weight}: {}", scores.overall);
    }
}

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

fn calls(given: &[(bool, u32, Vec<Record>)]) -> Vec<Call<'_>> {
    let call = |(reversed, round, records): &'_ (bool, u32, Vec<Record>)| {
        (if *reversed { Order::Reversed } else { Order::InOrder }, *round, records.len())
    };
    given
        .iter()
        .map(|one| {
            let (order, round, _) = call(one);
            Call { order, round, records: &one.2 }
        })
        .collect()
}

fn any_weights() -> impl Strategy<Value = ByDimension<f64>> {
    let weight = prop_oneof![1 => Just(0.0), 4 => 0.01..10.0_f64, 1 => Just(1e300)];
    prop::array::uniform5(weight).prop_map(|weights| {
        let mut weights = weights.into_iter();
        ByDimension::of(|_| weights.next().unwrap())
    })
}

/// The formula as the contract states it, worked out from the raw comparisons in another way.
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
        let ids = ids(n);
        let calls = calls(&given);
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
        let rules = Rules { weights, resamples: 100, ..rules() };
        prop_assume!(rules.check().is_ok());
        let ids = ids(n);
        let (comparisons, coverage) = normalised(&calls(&given), &ids);
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
        // Each rank stands in a group, and each group is a stretch of the ranked list.
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
        let ids = ids(5);
        let (comparisons, coverage) = normalised(&calls(&given), &ids);
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
        let (standings, ranking) = rank(&comparisons, coverage.clone(), &ids, &rules());
        let (other_standings, other_ranking) = rank(&others, coverage, &other_ids, &rules());
        for one in &standings {
            let other = other_standings.iter().find(|other| other.id == renamed(&one.id)).unwrap();
            prop_assert!((one.scores.overall - other.scores.overall).abs() < 1e-9);
            prop_assert!((one.scores.impact - other.scores.impact).abs() < 1e-9);
            prop_assert!((one.strength - other.strength).abs() < 1e-9);
        }
        prop_assert_eq!(ranking.position_bias, other_ranking.position_bias);
        // Without equals the lots are drawn for the same ranks.
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
