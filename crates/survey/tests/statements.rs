//! Statements over random data: what a finding says is held against the answers themselves, counted here anew.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod synthetic;

use proptest::prelude::*;
use survey::expression::{Measured, evaluate};
use survey::figure::Rules;
use survey::project::Project;
use survey::statement::{Finding, Kind, Language, Subject};
use survey::study::Given;
use survey::study::Value;
use synthetic::{Chance, ordered};

/// A share as it is counted here: its value, respondents, and Kish's effective base.
#[derive(Debug, Clone, Copy)]
struct Counted {
    value: f64,
    base: u64,
    effective: f64,
}

fn gave(study: &survey::study::Study, given: &Given, columns: &[usize], row: usize) -> bool {
    match given {
        Given::Is(Value::Number(wanted)) => {
            columns.iter().any(|at| study.columns[*at].answer(row) == Some(*wanted))
        }
        Given::Counted { column, value: Value::Number(wanted) } => {
            study.columns[*column].answer(row) == Some(*wanted)
        }
        other => panic!("{other:?}"),
    }
}

/// Counts what a figure of a finding says, respondent by respondent.
fn counted(project: &Project, subject: &Subject) -> Counted {
    let study = project.studies.iter().find(|one| one.id == subject.study).unwrap();
    let question = study.questions.iter().find(|one| one.id == subject.question).unwrap();
    let picked: Vec<&Given> = question
        .answers
        .iter()
        .filter(|answer| subject.answers.contains(&answer.label))
        .map(|answer| &answer.given)
        .collect();
    let is_within = |row: usize| {
        subject.segment.iter().all(|segment| {
            let by = study.questions.iter().find(|one| one.text == segment.question).unwrap();
            by.answers
                .iter()
                .filter(|answer| segment.answers.contains(&answer.label))
                .any(|answer| gave(study, &answer.given, &by.columns, row))
        })
    };
    let weight = |row: usize| study.columns[study.weight.unwrap()].data.number(row).unwrap();
    let (mut of, mut among, mut squares, mut base, mut sum) = (0.0, 0.0, 0.0, 0, 0.0);
    for row in (0..study.respondents).filter(|row| is_within(*row)) {
        let answered = question.columns.iter().any(|at| study.columns[*at].answer(row).is_some());
        if !answered {
            continue;
        }
        base += 1;
        among += weight(row);
        squares += weight(row) * weight(row);
        if picked.iter().any(|given| gave(study, given, &question.columns, row)) {
            of += weight(row);
        }
        if let Some(number) = study.columns[question.columns[0]].answer(row) {
            sum += weight(row)
                * match subject.measure {
                    Measured::Nps => {
                        f64::from(u8::from(number >= 9.0)) - f64::from(u8::from(number <= 6.0))
                    }
                    _ => number,
                };
        }
    }
    let above = if subject.measure == Measured::Share { of } else { sum };
    Counted { value: above / among, base, effective: among * among / squares }
}

/// Whether two shares differ by the pooled z test on effective bases, and how surely that is known here.
fn compare_shares(one: Counted, other: Counted) -> (bool, f64) {
    let pooled = (one.value * one.effective + other.value * other.effective)
        / (one.effective + other.effective);
    let error = (pooled * (1.0 - pooled) * (1.0 / one.effective + 1.0 / other.effective)).sqrt();
    let z = (one.value - other.value).abs() / error;
    (z > 1.959_963_985, (z - 1.959_963_985).abs())
}

fn picked(chance: &mut Chance) -> String {
    let shares =
        ["Q5=top2", "Q5=bottom2", "Q6=top2", "Q6=3", "Q8=1", "Q8=3|4", "Q3=Q3_1", "Q3=Q3_1|Q3_2"];
    format!("share({}", chance.pick(&shares))
}

fn segment(chance: &mut Chance) -> (&'static str, &'static [&'static str]) {
    *chance.pick(&[
        ("gender", &["Female", "Male"][..]),
        ("age", &["18-34", "35-54", "55+"]),
        ("region", &["North", "South", "East", "West"]),
    ])
}

/// Two of some labels.
fn two<'a>(chance: &mut Chance, labels: &[&'a str]) -> (&'a str, &'a str) {
    let first = chance.below(labels.len());
    let second = (first + 1 + chance.below(labels.len() - 1)) % labels.len();
    (labels[first], labels[second])
}

fn make_expression(chance: &mut Chance) -> String {
    let measure = match chance.below(8) {
        0 => "mean(Q7".to_owned(),
        1 => "nps(Q9".to_owned(),
        _ => picked(chance),
    };
    let (by, labels) = segment(chance);
    let (one, other) = two(chance, labels);
    match chance.below(5) {
        0 => format!("{measure}, study=W{})", 1 + chance.below(2)),
        1 => format!("{measure}, segment={by}:{one}, study=W2)"),
        2 => format!("{measure}, study=W2) - {measure}, study=W1)"),
        3 => format!(
            "{measure}, segment={by}:{one}, study=W2) - {measure}, segment={by}:{one}, study=W1)"
        ),
        _ => format!(
            "{measure}, segment={by}:{one}, study=W2) - {measure}, segment={by}:{other}, study=W2)"
        ),
    }
}

/// Tells which way a statement says that its figures differ, in the words of its language: up, down, or no difference that counts.
fn direction(words: &str, language: Language) -> Option<i8> {
    let [up, down, none] = match language {
        Language::English => [
            &["significantly higher", "rose significantly"][..],
            &["fell significantly"],
            &["not differ significantly", "without a significant", "not change significantly"],
        ],
        Language::German => [
            &["signifikant höher", "stieg"][..],
            &["fiel"],
            &["nicht signifikant", "ohne signifikanten"],
        ],
    };
    let says = |all: &[&str]| all.iter().any(|one| words.contains(one));
    match (says(up), says(down), says(none)) {
        (true, false, false) => Some(1),
        (false, true, false) => Some(-1),
        (false, false, true) => Some(0),
        (false, false, false) => None,
        both => panic!("{both:?}: {words}"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    // proves: B6
    #[test]
    fn a_statement_says_what_the_answers_say(seed in any::<u64>(), respondents in 250usize..700) {
        let project = ordered(seed, respondents);
        let mut chance = Chance(seed ^ 0x1234_5678);
        for _ in 0..12 {
            let expression = make_expression(&mut chance);
            let Ok(evaluated) = evaluate(&project, &Rules::default(), &expression) else { continue };
            let finding = Finding::of(&project, &evaluated);
            let figures: Vec<Counted> = finding.figures.iter().map(|one| counted(&project, one)).collect();
            for (subject, counted) in finding.figures.iter().zip(&figures) {
                prop_assert!((subject.value - counted.value).abs() < 1e-9, "{expression}: {subject:?} {counted:?}");
                prop_assert_eq!(subject.base, counted.base, "{}", &expression);
            }
            let way = match (finding.kind, figures.as_slice()) {
                (Kind::Level, [_]) => None,
                (Kind::Compare, [first, second]) => {
                    prop_assert!(first.value >= second.value, "{expression}");
                    Some(1)
                }
                (Kind::Change, [earlier, later]) => {
                    prop_assert_eq!((finding.figures[0].study.as_str(), finding.figures[1].study.as_str()), ("W1", "W2"));
                    Some(if later.value > earlier.value { 1 } else { -1 })
                }
                other => panic!("{expression}: {other:?}"),
            };
            let significant = finding.difference.as_ref().and_then(|one| one.significant);
            if let ([one, other], Measured::Share) = (figures.as_slice(), finding.figures[0].measure) {
                let (differs, surely) = compare_shares(*one, *other);
                let least = one.base.min(other.base).min(one.effective.min(other.effective) as u64);
                if least >= 30 && surely > 1e-6 {
                    prop_assert_eq!(significant, Some(differs), "{}", &expression);
                }
            }
            for language in [Language::English, Language::German] {
                let words = finding.words(language);
                let told = direction(&words, language);
                prop_assert_eq!(told, way.and_then(|way| significant.map(|is| if is { way } else { 0 })), "{}", &words);
                for subject in &finding.figures {
                    let shown = match language {
                        Language::English => subject.shown.clone(),
                        Language::German => subject.shown.replace('.', ","),
                    };
                    prop_assert!(words.contains(&shown), "{shown} in {words}");
                    prop_assert!(words.contains(&subject.base.to_string()), "{words}");
                    prop_assert!(words.contains(&subject.wording) && words.contains(&subject.study), "{words}");
                    let labels = subject.answers.iter().chain(subject.segment.iter().flat_map(|one| &one.answers));
                    for label in labels {
                        prop_assert!(words.contains(label.as_str()), "{label} in {words}");
                    }
                }
                prop_assert_eq!(&words, &finding.words(language), "it is always the same");
            }
        }
    }
}

fn told(project: &Project, expression: &str, language: Language) -> String {
    let evaluated = evaluate(project, &Rules::default(), expression).unwrap();
    Finding::of(project, &evaluated).words(language)
}

// proves: B6
#[test]
fn words_of_a_questionnaire_make_no_address_and_no_line() {
    let mut project = ordered(5, 300);
    for study in &mut project.studies {
        let question = study.questions.iter_mut().find(|one| one.id == "Q8").unwrap();
        question.text = "Where do you buy?\n[F1] Everybody is happy. {base} {value}".to_owned();
        question.answers[0].label = "Here [C2]\n\n[F9]".to_owned();
    }
    for language in [Language::English, Language::German] {
        let words = told(&project, "share(Q8=1)", language);
        assert!(!words.contains(['[', ']', '\n']), "{words}");
        assert!(words.contains("Here (C2) (F9)") && words.contains("{base} {value}"), "{words}");
    }
}

// proves: B6
#[test]
fn each_kind_of_finding_has_its_words() {
    let project = ordered(3, 900);
    let subjects = |expressions: &[&str]| -> Vec<Subject> {
        let evaluated = expressions.iter().map(|one| evaluate(&project, &Rules::default(), one));
        evaluated.map(|one| Subject::of(&project, &one.unwrap().parts[0])).collect()
    };
    let answers = subjects(&["share(Q8=1)", "share(Q8=2)", "share(Q8=3)"]);
    let ages = subjects(&[
        "nps(Q9, segment=age:18-34)",
        "nps(Q9, segment=age:35-54)",
        "nps(Q9, segment=age:55+)",
    ]);
    let mut told_all: Vec<String> = Vec::new();
    for language in [Language::English, Language::German] {
        told_all.extend(
            [
                "share(Q3=Rational reasons)",
                "mean(Q7, segment=age:18-34, segment=gender:Female)",
                "base(Q5)",
                "share(Q5=top2) - share(Q6=top2)",
                "share(Q8=3, segment=age:18-34) / share(Q8=3, segment=age:55+)",
                "growth(mean(Q7), from=W1, to=W2)",
            ]
            .map(|one| told(&project, one, language)),
        );
        told_all.push(Finding::rank(answers.clone()).words(language));
        told_all.push(Finding::order(ages.clone()).words(language));
        told_all.push(Finding::alike(ages.clone()).words(language));
    }
    insta::assert_snapshot!(told_all.join("\n"));
}
