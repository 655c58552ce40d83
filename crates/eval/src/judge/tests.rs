use std::collections::BTreeSet;

use super::*;
use crate::dataset::Case;

fn shown(text: &str) -> Shown {
    Shown { text: text.into(), quotes: vec![] }
}

fn asked_of(arms: &[&str], rounds: u32) -> Vec<Asked> {
    let answers: Vec<(String, Shown)> =
        arms.iter().map(|arm| ((*arm).to_owned(), shown(&format!("by {arm}")))).collect();
    let case = Case { id: "a".into(), question: "q".into(), ..Case::default() };
    asked(&case, &answers, "direct", rounds)
}

// proves: A8, C18
#[test]
fn every_answer_is_scored_and_every_pair_is_shown_in_both_orders_in_every_round() {
    let all = asked_of(&["rag", "search", "direct"], 2);
    let count = |of: &dyn Fn(&Asked) -> bool| all.iter().filter(|one| of(one)).count();
    assert_eq!(count(&|one| matches!(one.subject, Subject::Answer { .. })), 3 * 2);
    assert_eq!(count(&|one| matches!(one.subject, Subject::Pair { arm_first: true, .. })), 2 * 2);
    assert_eq!(count(&|one| matches!(one.subject, Subject::Pair { arm_first: false, .. })), 2 * 2);
    for one in &all {
        let (Subject::Pair { arm, arm_first, .. }, Judged::Pair { first, second }) =
            (&one.subject, &one.options.judged)
        else {
            continue;
        };
        let (own, other) = if *arm_first { (first, second) } else { (second, first) };
        assert_eq!((own.text.clone(), other.text.as_str()), (format!("by {arm}"), "by direct"));
    }
    // Each is a judgement of its own: none is asked for twice.
    let names: BTreeSet<String> =
        all.iter().map(|one| serde_json::to_string(&one.options).unwrap()).collect();
    assert_eq!(names.len(), all.len());
}

#[test]
fn the_control_alone_is_scored_and_compared_with_nobody() {
    assert_eq!(asked_of(&["direct"], 2).len(), 2);
    assert!(asked_of(&[], 2).is_empty());
    // Without an answer of the control there is no pair.
    assert_eq!(asked_of(&["rag"], 1).len(), 1);
}

// proves: A8
#[test]
fn a_score_that_the_rubric_does_not_have_goes_back_to_the_judge() {
    let scores = |clarity| Scores {
        reason: String::new(),
        correctness: 5,
        completeness: 1,
        support: 3,
        clarity,
    };
    assert_eq!(scores(5).check(), Ok(()));
    for wrong in [0, 6, 255] {
        let error = scores(wrong).check().unwrap_err();
        assert!(error.contains("`clarity`") && error.contains("1 to 5"), "{error}");
    }
}

#[test]
fn the_rubric_that_ships_can_be_read_and_names_every_criterion() {
    let prompt = run::prompt::Prompt::read(JUDGE.text).unwrap();
    for criterion in Criterion::ALL {
        assert!(prompt.text.contains(&format!("- `{}`: 1: ", criterion.name())), "{criterion:?}");
    }
}

// proves: A8
#[test]
fn what_was_said_is_gathered_and_a_run_that_serves_twice_is_paid_once() {
    let judgement = |subject, said| Judgement {
        case: "a".into(),
        run: "r".into(),
        cached: false,
        round: 1,
        subject,
        said,
        cost_usd_micros: 7,
        calls: 1,
        error: None,
    };
    let pair = |arm_first| Subject::Pair { arm: "rag".into(), against: "direct".into(), arm_first };
    let first = Choice { reason: String::new(), preferred: Place::First };
    let judged = gathered(
        &[
            judgement(pair(true), Some(Said::Choice(first.clone()))),
            judgement(pair(false), Some(Said::Choice(first))),
            judgement(Subject::Answer { arm: "rag".into() }, None),
        ],
        "fake/m",
        1,
        2,
    );
    assert_eq!((judged.cost_usd_micros, judged.calls), (7, 1));
    let orders: Vec<_> = judged.pairs.iter().map(|one| (one.arm_first, one.preferred)).collect();
    let first = crate::report::Preference::First;
    assert_eq!(orders, [(true, first), (false, first)]);
    // A judgement without a result is no score.
    assert!(judged.scores.is_empty());
}
