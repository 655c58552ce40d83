use super::super::payload::MissingPair;
use super::*;

pub(super) fn build_ids(n: usize) -> Vec<String> {
    (1..=n).map(|number| format!("H{number}")).collect()
}

pub(super) fn build_rules() -> Rules {
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
    let ids = build_ids(n);
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
    assert_eq!(asked(&build_ids(3), Order::InOrder), expected);
    let expected = [pair("H3", "H2"), pair("H3", "H1"), pair("H2", "H1")];
    assert_eq!(asked(&build_ids(3), Order::Reversed), expected);
    assert!(asked(&build_ids(1), Order::InOrder).is_empty());
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
    let (comparisons, coverage) = normalised(&calls, &build_ids(3));
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
    let (comparisons, coverage) = normalised(&calls, &build_ids(2));
    let judged: Vec<bool> = comparisons.iter().map(|one| one.judged).collect();
    assert_eq!(judged, [false, false, true, false]);
    assert_eq!((coverage.expected, coverage.judged, coverage.missing.len()), (4, 1, 3));
    let (comparisons, coverage) = normalised(&[], &build_ids(3));
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
    assert_eq!(build_rules().check(), Ok(()));
    let refused = |change: fn(&mut Rules)| {
        let mut rules = build_rules();
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
    let (standings, ranking) =
        rank(&steadfast(5, 3), PairCoverage::default(), &build_ids(5), &build_rules());
    let order: Vec<&str> = standings.iter().map(|one| one.id.as_str()).collect();
    assert_eq!(order, ["H1", "H2", "H3", "H4", "H5"]);
    let overall: Vec<f64> = standings.iter().map(|one| one.scores.overall).collect();
    assert_eq!(overall, [5.0, 4.0, 3.0, 2.0, 1.0]);
    assert!(standings.windows(2).all(|two| two[0].strength > two[1].strength + 0.25));
    assert!(standings.iter().all(|one| one.strength.is_finite()));
    assert_eq!(standings[0].record.wins_by_dimension.novelty, 24);
    assert_eq!(ranking.rounds, 3);
    assert_eq!(ranking.leader.hypothesis_id, "H1");
    let bias = PositionBias { compared: 150, reversed: 0, first_won: 0.5 };
    assert_eq!(ranking.position_bias, bias);
}

// proves: H5
#[test]
fn what_a_judge_says_again_word_for_word_changes_no_number_but_the_counts() {
    let ranked = |rounds| {
        rank(&steadfast(5, rounds), PairCoverage::default(), &build_ids(5), &build_rules())
    };
    let ((once, ranking), (thrice, again)) = (ranked(1), ranked(3));
    for (one, other) in once.iter().zip(&thrice) {
        assert_eq!((one.scores, one.interval), (other.scores, other.interval));
        assert!((one.strength - other.strength).abs() < 1e-9);
    }
    // A perfect order of five, or any other in which the first is one win ahead of the second.
    assert!(!ranking.leader.significant && ranking.leader.p_value > 0.3);
    assert_eq!((ranking.leader, ranking.groups), (again.leader, again.groups));
    assert_eq!(ranking.critical_difference, again.critical_difference);
}

// proves: H5
#[test]
fn a_judge_that_always_takes_the_first_one_gives_everybody_the_same() {
    let ids = build_ids(4);
    let first = |order| -> Vec<Record> {
        asked(&ids, order).iter().map(|(a, b)| said(a, b, "a")).collect()
    };
    let (one, other) = (first(Order::InOrder), first(Order::Reversed));
    let calls = [
        Call { order: Order::InOrder, round: 1, records: &one },
        Call { order: Order::Reversed, round: 1, records: &other },
    ];
    let (comparisons, coverage) = normalised(&calls, &ids);
    let (standings, ranking) = rank(&comparisons, coverage, &ids, &build_rules());
    assert!(standings.iter().all(|one| one.scores.overall == 3.0 && one.strength.abs() < 1e-12));
    assert_eq!(standings[0].id, "H1");
    assert_eq!((ranking.leader.p_value, ranking.leader.significant), (1.0, false));
    assert_eq!(ranking.groups, std::slice::from_ref(&ids));
    let bias = PositionBias { compared: 30, reversed: 30, first_won: 1.0 };
    assert_eq!(ranking.position_bias, bias);
}

#[test]
fn none_or_one_hypothesis_is_ranked_too() {
    let (standings, ranking) = rank(&[], PairCoverage::default(), &[], &build_rules());
    assert!(standings.is_empty() && ranking.groups.is_empty());
    let (standings, ranking) = rank(&[], PairCoverage::default(), &build_ids(1), &build_rules());
    let scores = standings[0].scores;
    assert_eq!((scores.novelty, scores.overall, standings[0].strength), (3.0, 3.0, 0.0));
    assert_eq!(ranking.groups, [build_ids(1)]);
    assert_eq!((ranking.leader.p_value, ranking.rounds), (1.0, 1));
    let coverage = normalised(&[], &build_ids(1)).1;
    assert_eq!((coverage.expected, coverage.missing.len()), (0, 0));
}

#[test]
fn weights_of_any_size_leave_scores_on_their_scale() {
    let comparisons = steadfast(3, 1);
    for weight in [f64::MAX, f64::MIN_POSITIVE, 0.0, f64::NAN, -1.0] {
        let scores = compute_scores(&comparisons, "H2", &ByDimension::of(|_| weight));
        assert!((scores.overall - 3.0).abs() < 1e-12, "{weight}: {}", scores.overall);
    }
}
