//! A plausible evaluation of a few questions about cholera.

use std::collections::BTreeMap;

use eval::dataset::{Case, Dataset};
use eval::observation::{CONTROL, Observation, not_begun};
use eval::report::{
    ArmOf, CriterionScore, Gathered, Judged, JudgedPair, JudgedReports, Preference, Report, Scored,
    SideBySide,
};
use jiff::Timestamp;
use run::entry::Hash;
use run::log::Status;

const QUESTIONS: [(&str, &str, &str); 8] = [
    (
        "On what date was the handle of the Broad Street pump removed?",
        "8 September 1854",
        "history/broad-street.md",
    ),
    ("How many deaths does John Snow's table add up to?", "616", "history/broad-street.md"),
    (
        "How many people died of cholera in London in 1848 and 1849?",
        "14,137",
        "history/london.html",
    ),
    (
        "Who saw the bacterium under the microscope in 1854?",
        "Filippo Pacini",
        "medicine/bacterium.md",
    ),
    (
        "How long after taking in contaminated water do symptoms appear?",
        "12 hours to 5 days",
        "medicine/disease.html",
    ),
    ("By how much is the roadmap to reduce deaths by 2030?", "90 %", "medicine/vaccines.txt"),
    ("How many days did the sewer bill take to become law?", "18 days", "history/great-stink.md"),
    ("What does one dose of the vaccine cost?", "", ""),
];

pub(super) fn sample_dataset() -> Dataset {
    let case = |(number, (question, answer, source)): (usize, &(&str, &str, &str))| {
        let some = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
        Case {
            id: format!("c{}", number + 1),
            question: (*question).into(),
            answers: some(answer).into_iter().collect(),
            expects: some(answer).into_iter().collect(),
            relevant: some(source).into_iter().map(|source| (source, 1)).collect(),
            answerable: Some(!answer.is_empty()),
            rubric: if number == 0 {
                "The year alone is not enough.".into()
            } else {
                String::new()
            },
        }
    };
    let cases = QUESTIONS.iter().enumerate().map(case).collect();
    Dataset::of(
        "cholera-questions".into(),
        cases,
        vec![],
        vec!["the key `hint` is ignored (first on line 2)".into()],
    )
}

/// Arms, each with how many of the questions it answers correctly, and how long an answer takes.
const ARMS: [(&str, usize, u64); 3] = [("rag", 7, 2_100), ("deep", 6, 9_400), (CONTROL, 2, 900)];

pub(super) fn sample_observations(dataset: &Dataset) -> Vec<Observation> {
    let mut all = Vec::new();
    for (number, case) in dataset.cases.iter().enumerate() {
        for (arm, right, milliseconds) in ARMS {
            all.push(observed(number, case, arm, right, milliseconds));
        }
    }
    all
}

fn observed(number: usize, case: &Case, arm: &str, right: usize, milliseconds: u64) -> Observation {
    let grounded = arm != CONTROL;
    let more = number as u64 * 130;
    let one = Observation {
        run: format!("01990000-0000-7000-8000-00000000000{number}"),
        status: Some(Status::Completed),
        milliseconds: milliseconds + more,
        calls: 1 + u64::from(arm == "deep") * 3,
        lost_calls: 0,
        input_tokens: milliseconds / 2 + more,
        output_tokens: 80,
        cost_usd_micros: milliseconds + more,
        ..not_begun(&case.id, arm)
    };
    if arm == "deep" && number == 6 {
        let error = Some("writer #1: the model did not answer".to_owned());
        return Observation { status: Some(Status::Partial), error, ..one };
    }
    if arm == CONTROL && number == 6 {
        return not_begun(&case.id, arm);
    }
    let retrieved = grounded.then(|| {
        let source =
            case.relevant.keys().next().cloned().unwrap_or_else(|| "medicine/vaccines.txt".into());
        if number % 3 == 1 {
            vec!["index.md".into(), source]
        } else {
            vec![source, "index.md".into()]
        }
    });
    let Some(answer) = case.answers.first() else {
        let answered = Some(!grounded);
        let answer = if grounded { String::new() } else { "About two dollars.".into() };
        return Observation { answered, answer, retrieved, sentences: u64::from(!grounded), ..one };
    };
    let is_right = number < right;
    let answer =
        if is_right { format!("It was {answer}.") } else { "It was about 500.".to_owned() };
    let claims = if grounded { 2 } else { 0 };
    Observation {
        answered: Some(true),
        answer,
        cited: retrieved.iter().flatten().take(1).cloned().collect(),
        retrieved,
        claims,
        supported_claims: claims.saturating_sub(u64::from(number == 2)),
        citations: claims,
        holding_citations: claims.saturating_sub(u64::from(number == 2)),
        sentences: 1,
        cited_sentences: u64::from(grounded),
        cached: number == 0 && grounded,
        ..one
    }
}

/// Returns two rounds of judgements by a judge that prefers what is right, in either order, or by one that prefers what it sees first.
pub(super) fn judged(dataset: &Dataset, is_sensible: bool) -> Judged {
    let mut judged = Judged {
        model: "openai/judge-1".into(),
        rubric: "answers".into(),
        rubric_version: 1,
        rounds: 2,
        cost_usd_micros: 41_200,
        calls: 72,
        ..Judged::default()
    };
    for (number, case) in dataset.cases.iter().enumerate() {
        for round in 1..=2 {
            for (arm, right, _) in ARMS {
                let score = if !is_sensible {
                    1 + (number * 7 + round as usize * 3 + right) % 5
                } else if number < right {
                    5
                } else {
                    2
                };
                let scores = ["clarity", "correctness"]
                    .map(|criterion| (criterion.to_owned(), score as f64));
                judged.scores.push(Scored {
                    case: case.id.clone(),
                    arm: arm.into(),
                    round,
                    scores: scores.into(),
                    run: String::new(),
                });
            }
            for (arm, right, _) in &ARMS[..2] {
                for arm_first in [true, false] {
                    let preferred = match (is_sensible, number < *right, number < 2) {
                        (false, ..) => Preference::First,
                        (true, true, false) if arm_first => Preference::First,
                        (true, true, false) => Preference::Second,
                        (true, ..) => Preference::Tie,
                    };
                    let (arm, against, case) =
                        ((*arm).to_owned(), CONTROL.to_owned(), case.id.clone());
                    judged.pairs.push(JudgedPair {
                        case,
                        arm,
                        against,
                        round,
                        arm_first,
                        preferred,
                        run: String::new(),
                    });
                }
            }
        }
    }
    judged
}

/// Returns the judgements of a judge of reports on `deep`, whose first six are better, in either order.
fn judged_reports(dataset: &Dataset) -> JudgedReports {
    let mut judged = JudgedReports {
        model: "openai/judge-1".into(),
        criteria: "criteria".into(),
        criteria_version: 1,
        rubric: "reports".into(),
        rubric_version: 1,
        rounds: 1,
        cost_usd_micros: 88_000,
        calls: 21,
        ..JudgedReports::default()
    };
    for (number, case) in dataset.cases.iter().enumerate().filter(|(number, _)| *number != 6) {
        for arm_first in [true, false] {
            let (own, other) =
                if number < 6 { (8.0, 4.0 + number as f64 / 2.0) } else { (3.0, 6.0) };
            let scores = [("insight", 0.6), ("readability", 0.4)].map(|(dimension, weight)| {
                CriterionScore {
                    criterion: format!("What {dimension} is"),
                    dimension: dimension.into(),
                    weight,
                    reason: "The first report | says why.".into(),
                    arm: own,
                    against: other,
                }
            });
            let figures = ["overall", "insight", "readability"]
                .map(|key| (key.to_owned(), own / (own + other)));
            judged.pairs.push(SideBySide {
                case: case.id.clone(),
                arm: "deep".into(),
                against: CONTROL.into(),
                round: 1,
                arm_first,
                relative: figures.into(),
                scores: scores.into(),
                run: String::new(),
            });
        }
    }
    judged
}

pub(super) fn report(id: &str, mode: &str, judged: Option<&Judged>, arms: usize) -> Report {
    let dataset = sample_dataset();
    let mut observations = sample_observations(&dataset);
    if mode == "offline" {
        for one in observations.iter_mut().filter(|one| one.arm == CONTROL) {
            let status = one.status;
            *one = Observation {
                status,
                answered: status.map(|_| false),
                milliseconds: 1,
                run: one.run.clone(),
                ..not_begun(&one.case, CONTROL)
            };
        }
        for one in &mut observations {
            (one.calls, one.input_tokens, one.output_tokens, one.cost_usd_micros) = (0, 0, 0, 0);
        }
    }
    let reports = (judged.is_some() && arms > 1).then(|| judged_reports(&dataset));
    let chosen = ARMS[..arms].iter().chain(&ARMS[2..]);
    let arm = |(name, ..): &(&str, usize, u64)| ArmOf {
        name: (*name).into(),
        method: "ask".into(),
        settings: Hash::default(),
    };
    Report::of(Gathered {
        id: id.into(),
        created_at: Timestamp::UNIX_EPOCH,
        dataset: &dataset,
        cases: &dataset.cases,
        documents: 12,
        mode: mode.into(),
        parameters: BTreeMap::from([
            ("model.main".into(), "openai/writer-1".into()),
            ("ask.top_k".into(), "8".into()),
        ]),
        arms: chosen.map(arm).collect(),
        observations: &observations,
        judged,
        judged_reports: reports.as_ref(),
        cutoffs: &[1, 10],
        notes: vec!["The cap of $0.50 was reached.".into()],
    })
}
