use super::*;
use crate::observation::Research;
use crate::report::{Group, Preference};

fn case(id: &str) -> Case {
    Case {
        id: id.into(),
        question: format!("What of {id}?"),
        answers: vec!["right".into()],
        answerable: Some(true),
        ..Case::default()
    }
}

fn observed(case: &str, arm: &str, answer: &str) -> Observation {
    Observation {
        run: format!("{case}-{arm}"),
        status: Some(Status::Completed),
        answered: Some(true),
        answer: answer.into(),
        sentences: 1,
        milliseconds: 100,
        calls: 1,
        lost_calls: 0,
        input_tokens: 50,
        ..not_begun(case, arm)
    }
}

fn build_dataset(cases: usize) -> Dataset {
    let cases = (1..=cases).map(|number| case(&format!("c{number:02}"))).collect();
    Dataset::of("few".into(), cases, vec![], vec!["the key `x` is ignored".into()])
}

fn arm(name: &str) -> ArmOf {
    ArmOf { name: name.into(), method: "ask".into(), settings: Hash::default() }
}

fn gathered<'a>(
    dataset: &'a Dataset,
    observations: &'a [Observation],
    judged: Option<&'a Judged>,
) -> Gathered<'a> {
    Gathered {
        id: "e1".into(),
        created_at: Timestamp::UNIX_EPOCH,
        dataset,
        cases: &dataset.cases,
        documents: 3,
        mode: "model".into(),
        parameters: BTreeMap::new(),
        arms: vec![arm(CONTROL), arm("rag")],
        observations,
        judged,
        judged_reports: None,
        cutoffs: &[10],
        notes: vec!["The cap was reached.".into()],
    }
}

/// `rag` is right in eight of ten cases, the control in one; one run of `rag` failed and one case was not run under the control.
fn observations() -> Vec<Observation> {
    let mut all = Vec::new();
    for number in 1..=10 {
        let id = format!("c{number:02}");
        let mut rag = observed(&id, "rag", if number <= 8 { "Right." } else { "Wrong." });
        if number == 10 {
            rag = Observation {
                status: Some(Status::Partial),
                answered: None,
                error: Some("writer".into()),
                ..rag
            };
        }
        all.push(rag);
        if number < 10 {
            all.push(observed(&id, CONTROL, if number == 1 { "right" } else { "no" }));
        }
    }
    all
}

// proves: A8, C18
#[test]
fn every_arm_is_held_against_the_control_over_the_cases_that_both_have() {
    let (dataset, observations) = (build_dataset(10), observations());
    let report = Report::of(gathered(&dataset, &observations, None));
    let [rag, control] = report.arms.as_slice() else { panic!("{:?}", report.arms) };
    assert!(!rag.control && control.control, "the control is the last");
    assert_eq!((rag.completed, rag.failed, rag.not_run), (9, 1, 0));
    assert_eq!((control.completed, control.failed, control.not_run), (9, 0, 1));
    let mean = &rag.means["exact_match"];
    assert_eq!((mean.of, mean.value), (9, 8.0 / 9.0));
    let [Comparison { arm, against, differences, preferred }] = report.comparisons.as_slice()
    else {
        panic!("{:?}", report.comparisons)
    };
    assert_eq!((&**arm, &**against, preferred), ("rag", CONTROL, &None));
    let difference = &differences["exact_match"];
    assert_eq!((difference.of, difference.value), (9, 7.0 / 9.0));
    assert!(difference.is_told_apart());
    assert!(!differences["milliseconds"].is_told_apart(), "nine times the same");
    assert_eq!(report.cases.len(), 10);
    assert_eq!(report.cases[9].arms[1].observation.status, None);
    let keys: Vec<&str> = report.metrics.iter().map(|line| line.key.as_str()).collect();
    assert!(
        keys.contains(&"tokens") && !keys.contains(&"cost_usd"),
        "nothing had a price: {keys:?}"
    );
    assert!(!keys.contains(&"ndcg_at_10"), "nothing was searched");
    assert_eq!(
        report.notes,
        [
            "1 of 10 cases have no result under rag; figures about answers are computed from the others.",
            "1 of 10 cases were not run under direct; its figures are computed from the others.",
            "Dataset: the key `x` is ignored.",
            "The cap was reached.",
        ]
    );
}

// proves: A8
#[test]
fn the_order_of_what_was_gathered_does_not_matter() {
    let (dataset, mut observations) = (build_dataset(10), observations());
    let mut judged =
        build_judged(
            10,
            |_, arm_first| if arm_first { Preference::First } else { Preference::Second },
        );
    let report = Report::of(gathered(&dataset, &observations, Some(&judged)));
    observations.reverse();
    judged.scores.reverse();
    judged.pairs.reverse();
    assert_eq!(Report::of(gathered(&dataset, &observations, Some(&judged))), report);
    let json = serde_json::to_string(&report).unwrap();
    assert_eq!(serde_json::from_str::<Report>(&json).unwrap(), report, "it reads back as it was");
}

/// Two rounds of scores, 4 or 5 by case for `rag` and two less for the control, and of pairs in both orders.
fn build_judged(cases: usize, prefers: impl Fn(usize, bool) -> Preference) -> Judged {
    let mut judged = Judged {
        model: "a/b".into(),
        rubric: "answers".into(),
        rubric_version: 1,
        rounds: 2,
        ..Judged::default()
    };
    for (number, round) in (1..=cases).flat_map(|number| [(number, 1), (number, 2)]) {
        let case = format!("c{number:02}");
        for (arm, less) in [("rag", 0), (CONTROL, 2)] {
            let score = (4 + number % 2 - less) as f64;
            let scores = BTreeMap::from([("clarity".into(), score), ("support".into(), score)]);
            judged.scores.push(Scored {
                case: case.clone(),
                arm: arm.into(),
                round,
                scores,
                run: String::new(),
            });
        }
        for arm_first in [true, false] {
            let preferred = prefers(number, arm_first);
            let (arm, against) = ("rag".into(), CONTROL.into());
            judged.pairs.push(JudgedPair {
                case: case.clone(),
                arm,
                against,
                round,
                arm_first,
                preferred,
                run: String::new(),
            });
        }
    }
    judged
}

// proves: A8
#[test]
fn a_judge_is_told_with_what_its_word_is_worth() {
    let (dataset, observations) = (build_dataset(10), observations());
    // The arm wins seven, loses one, ties one; in the last, whichever is shown first wins.
    let judged = build_judged(10, |number, arm_first| match (number, arm_first) {
        (1..=7, true) | (8, false) | (10, _) => Preference::First,
        (9, _) => Preference::Tie,
        _ => Preference::Second,
    });
    let report = Report::of(gathered(&dataset, &observations, Some(&judged)));
    let preferred = report.comparisons[0].preferred.unwrap();
    assert_eq!(
        (preferred.wins, preferred.losses, preferred.ties, preferred.share.value),
        (7, 1, 2, 0.8)
    );
    let judge = report.judge.as_ref().unwrap();
    assert!(!judge.is_noise, "{}", judge.verdict);
    assert_eq!(judge.scores.unwrap().alpha, Some(1.0));
    assert_eq!(judge.scores.unwrap().units, 20);
    assert_eq!(report.arms[0].means["judge"].value, 4.5);
    assert_eq!(report.comparisons[0].differences["judge_support"].value, 2.0);
    let keys: Vec<&str> = report
        .metrics
        .iter()
        .filter(|line| line.group == Group::Judge)
        .map(|line| &*line.key)
        .collect();
    assert_eq!(keys, ["judge", "judge_clarity", "judge_support"]);

    let always_first = self::build_judged(10, |_, _| Preference::First);
    let report = Report::of(gathered(&dataset, &observations, Some(&always_first)));
    assert!(report.judge.unwrap().is_noise);
    assert_eq!(report.comparisons[0].preferred.unwrap().ties, 10);
}

// proves: A8
#[test]
fn texts_are_described_where_any_answer_is_a_report() {
    let dataset = build_dataset(2);
    let keys = |answer: &str, research| {
        let mut observations =
            vec![observed("c01", "rag", "right"), observed("c01", CONTROL, answer)];
        observations[1].research = research;
        let report = Report::of(gathered(&dataset, &observations, None));
        assert!(
            report.cases[0].arms[0].metrics.contains_key("words"),
            "they are kept all the same"
        );
        let texts = report.metrics.into_iter().filter(|line| line.group == Group::Text);
        texts.map(|line| line.key).collect::<Vec<String>>()
    };
    assert!(keys("It is right.", None).is_empty());
    assert_eq!(keys("# Why\n\nIt is right.", None), ["words", "sections", "reading_ease"]);
    let research = Research { questions: 2, answered_questions: Some(0), sources_read: 3 };
    let told = keys("It is right.", Some(research));
    assert_eq!(told, ["words", "sub_questions_answered", "sources_read", "reading_ease"]);
}

#[test]
fn few_cases_and_no_model_are_told() {
    let (dataset, observations) = (build_dataset(3), observations());
    let few = Gathered {
        mode: "offline".into(),
        cases: &dataset.cases[..2],
        arms: vec![arm("rag"), arm(CONTROL)],
        ..gathered(&dataset, &observations, None)
    };
    let told = Report::of(few).notes.join("\n");
    for note in [
        "2 of the dataset's 3 cases",
        "the control (direct) could not answer any case",
        "fewer than six cases",
    ] {
        assert!(told.contains(note), "{note} in {told}");
    }
    let none = Report::of(Gathered { arms: vec![arm("rag")], ..gathered(&dataset, &[], None) });
    assert!(
        none.comparisons.is_empty()
            && none.notes.iter().any(|note| note.contains("is not one of the arms"))
    );
    assert_eq!(none.arms[0].not_run, 3);
    assert!(none.metrics.is_empty());
}
