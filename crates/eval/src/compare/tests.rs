use run::entry::Hash;
use run::log::Status;

use super::*;
use crate::dataset::Dataset;
use crate::observation::{Observation, not_begun};
use crate::report::{ArmOf, Gathered, Judged, Scored};

/// An evaluation in which each arm is right in its first N cases.
fn build_report(id: &str, cases: std::ops::Range<usize>, arms: &[(&str, usize)]) -> Report {
    let case = |number: usize| Case {
        id: format!("c{number:02}"),
        question: format!("What of {number}?"),
        answers: vec!["right".into()],
        ..Case::default()
    };
    let dataset = Dataset::of("few".into(), cases.clone().map(case).collect(), vec![], vec![]);
    let observed = |number: usize, arm: &str, right: usize| Observation {
        run: "r".into(),
        status: Some(Status::Completed),
        answered: Some(true),
        answer: if number < right { "right" } else { "wrong" }.into(),
        ..not_begun(&format!("c{number:02}"), arm)
    };
    let observations: Vec<Observation> = cases
        .flat_map(|number| arms.iter().map(move |(arm, right)| observed(number, arm, *right)))
        .collect();
    let arm = |(name, _): &(&str, usize)| ArmOf {
        name: (*name).into(),
        method: "ask".into(),
        settings: Hash::default(),
    };
    Report::of(Gathered {
        id: id.into(),
        created_at: Timestamp::UNIX_EPOCH,
        dataset: &dataset,
        cases: &dataset.cases,
        documents: 3,
        mode: "model".into(),
        parameters: BTreeMap::from([("model".into(), id.into()), ("top_k".into(), "8".into())]),
        arms: arms.iter().map(arm).collect(),
        observations: &observations,
        judged: None,
        judged_reports: None,
        cutoffs: &[10],
        notes: vec![],
    })
}

// proves: A8
#[test]
fn two_evaluations_are_compared_over_the_cases_that_both_have() {
    let first = build_report("e1", 0..12, &[("rag", 4), ("direct", 2)]);
    let second = build_report("e2", 2..20, &[("direct", 2), ("rag", 19), ("deep", 9)]);
    let both = compare(&first, &second, None).unwrap();
    assert_eq!(both.cases.len(), 10);
    assert_eq!((both.first.only_here, both.second.only_here), (2, 8));
    let names: Vec<&str> = both.arms.iter().map(|arms| arms.first.as_str()).collect();
    assert_eq!(names, ["rag", "direct"]);
    let rag = &both.arms[0];
    let [before, after] = rag.means["exact_match"];
    assert_eq!((before.value, after.value, after.of), (0.2, 1.0, 10), "over the shared cases");
    let difference = rag.differences["exact_match"];
    assert!((difference.value - 0.8).abs() < 1e-12 && difference.low > 0.0, "{difference:?}");
    assert_eq!(both.arms[1].differences["exact_match"].value, 0.0);
    assert_eq!(
        both.changed,
        BTreeMap::from([("model".into(), [Some("e1".into()), Some("e2".into())])])
    );
    assert!(
        both.notes[0].starts_with("The datasets differ (few and few). The 10 cases"),
        "{:?}",
        both.notes
    );

    let back = compare(&second, &first, None).unwrap();
    let turned = back.arms[0].differences["exact_match"];
    assert_eq!(
        [turned.value, turned.low, turned.high],
        [-difference.value, -difference.high, -difference.low]
    );
    let json = serde_json::to_string(&both).unwrap();
    assert_eq!(serde_json::from_str::<ComparedReports>(&json).unwrap(), both);
}

#[test]
fn a_named_arm_of_each_is_compared_alone() {
    let first = build_report("e1", 0..8, &[("rag", 4), ("direct", 2)]);
    let second = build_report("e2", 0..8, &[("deep", 8)]);
    let both = compare(&first, &second, Some(("rag", "deep"))).unwrap();
    assert_eq!(both.arms.len(), 1);
    assert_eq!((&*both.arms[0].first, &*both.arms[0].second), ("rag", "deep"));
    assert_eq!(both.arms[0].differences["exact_match"].value, 0.5);
    assert_eq!(both.notes, Vec::<String>::new());
    let told = |named| compare(&first, &second, named).unwrap_err().to_string();
    assert_eq!(told(Some(("rag", "rag"))), "e2 has no arm 'rag'; its arms are deep");
    assert_eq!(
        told(None),
        "e1 (arms: rag, direct) and e2 (arms: deep) have no arm in common; name one of each"
    );
}

// proves: A8
#[test]
fn what_shares_no_case_is_refused() {
    let [first, mut second] = [0..6, 6..12].map(|cases| build_report("e", cases, &[("rag", 4)]));
    let error = compare(&first, &second, None).unwrap_err();
    assert!(error.to_string().starts_with("e and e have no case in common"), "{error}");
    second = build_report("e", 0..6, &[("rag", 4)]);
    second.cases[0].case.question = "Another?".into();
    second.cases[1].case.answers = vec!["known now".into()];
    let both = compare(&first, &second, None).unwrap();
    assert_eq!(both.cases.len(), 5);
    let told = both.notes.join("\n");
    assert!(told.contains("1 cases have the same id but a different question"), "{told}");
    assert!(told.contains("For 1 cases the two have different answers"), "{told}");
    assert!(told.contains("fewer than six cases"), "{told}");
}

#[test]
fn other_judges_are_not_compared() {
    let judged = |model: &str| {
        let mut report = build_report("e", 0..8, &[("rag", 4)]);
        let scores: Vec<Scored> = (0..8)
            .map(|number| Scored {
                case: format!("c{number:02}"),
                arm: "rag".into(),
                round: 1,
                scores: BTreeMap::from([("clarity".into(), 4.0)]),
                run: String::new(),
            })
            .collect();
        let judged = Judged { model: model.into(), scores, ..Judged::default() };
        let dataset = Dataset::of(
            "few".into(),
            report.cases.iter().map(|line| line.case.clone()).collect(),
            vec![],
            vec![],
        );
        let observations: Vec<Observation> = report
            .cases
            .iter()
            .flat_map(|line| &line.arms)
            .map(|arm| arm.observation.clone())
            .collect();
        report = Report::of(Gathered {
            id: "e".into(),
            created_at: Timestamp::UNIX_EPOCH,
            dataset: &dataset,
            cases: &dataset.cases,
            documents: 3,
            mode: "model".into(),
            parameters: BTreeMap::new(),
            arms: vec![ArmOf {
                name: "rag".into(),
                method: "ask".into(),
                settings: Hash::default(),
            }],
            observations: &observations,
            judged: Some(&judged),
            judged_reports: None,
            cutoffs: &[10],
            notes: vec![],
        });
        report
    };
    let same = compare(&judged("a/b"), &judged("a/b"), None).unwrap();
    assert!(!same.metrics.iter().any(|line| line.group == Group::Judge), "it is noise");
    assert!(
        same.notes.iter().any(|note| note.contains("cannot be distinguished from noise")),
        "{:?}",
        same.notes
    );
    let other = compare(&judged("a/b"), &judged("a/c"), None).unwrap();
    assert!(!other.metrics.iter().any(|line| line.group == Group::Judge));
    assert!(
        other.notes.iter().any(|note| note.starts_with("The judges differ (a/b, rubric")),
        "{:?}",
        other.notes
    );
}

// proves: A8
#[test]
fn scores_of_reports_are_compared_where_the_same_judge_drew_up_criteria_by_the_same_prompt() {
    let judge = |model: &str, criteria_version, is_noise| ReportJudge {
        judge: JudgeReport {
            model: model.into(),
            rubric: "eval/report_judge".into(),
            rubric_version: 1,
            rounds: 2,
            scores: None,
            preferences: None,
            first_preferred: None,
            verdict: String::new(),
            is_noise,
            cost_usd_micros: 0,
            calls: 0,
        },
        criteria: "eval/report_criteria".into(),
        criteria_version,
        orders: None,
    };
    let one = judge("a/b", 1, false);
    for (other, says) in [
        (judge("a/b", 1, false), None),
        (judge("a/c", 1, false), Some("On reports: The judges differ")),
        (judge("a/b", 2, false), Some("come from different prompts")),
        (judge("a/b", 1, true), Some("On reports: In at least one of the two, the judge")),
    ] {
        let told = judges_of_reports(Some(&one), Some(&other));
        assert_eq!((told.is_worth_it, told.notes.is_empty()), (says.is_none(), says.is_none()));
        let note = told.notes.concat();
        assert!(says.is_none_or(|says| note.contains(says)), "{note}");
    }
    let none = judges_of_reports(Some(&one), None);
    assert!(!none.is_worth_it && none.notes.is_empty());
}

// proves: A8
#[test]
fn changed_reports_of_another_program_are_told() {
    let named = |id: &str, bytes: &[u8]| {
        let mut report = build_report(id, 0..6, &[("other", 4), ("direct", 2)]);
        (report.arms[0].method, report.arms[0].settings) = (FOREIGN.into(), Hash::of(bytes));
        report
    };
    let notes = |second| compare(&named("e1", b"one"), &second, None).unwrap().notes.join(" ");
    assert!(notes(named("e2", b"two")).contains("The reports of other are not the same files"));
    assert!(!notes(named("e2", b"one")).contains("not the same files"));
}
