//! Statistics of a real survey, compared with R's package survey and with SPSS, whose numbers lie in the folder named by `QUAESTIO_TEST_DATA`.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::path::{Path, PathBuf};

use serde_json::Value as Json;
use survey::adjust::{benjamini_hochberg, holm};
use survey::figure::{Condition, Measure, Rules, Spec, Test, Weighting};
use survey::project::Project;
use survey::read::{File, read_project};
use survey::study::{Answer, Given, Kind, Question, Top, Value};
use survey::table::{RowKind, banner};

fn folder() -> PathBuf {
    let data = std::env::var("QUAESTIO_TEST_DATA").expect("QUAESTIO_TEST_DATA names a folder");
    Path::new(&data).join("survey")
}

fn text(path: &str) -> String {
    std::fs::read_to_string(folder().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Returns the survey, with a question for each of its columns.
fn mariposa() -> Project {
    let bytes = std::fs::read(folder().join("mariposa/survey_data.sav")).unwrap();
    let mut project = read_project(&[File { name: "survey_data.sav".into(), bytes }]).unwrap();
    let study = &mut project.studies[0];
    study.weight = study.column("sampling_weight");
    study.questions = (0..study.columns.len())
        .map(|place| {
            let name = study.columns[place].name.clone();
            // Attitudes are scales from 1 to 5; what divides respondents has at most five groups.
            let kind = match name.as_str() {
                "age" | "income" | "sampling_weight" | "id" => Kind::Numeric,
                "gender" | "region" | "education" | "employment" | "interview_mode" => Kind::Single,
                _ => Kind::Scale,
            };
            let answers = 1..=if kind == Kind::Numeric { 0 } else { 5_u8 };
            Question {
                text: name.clone(),
                id: name,
                kind,
                columns: vec![place],
                answers: answers.map(f64::from).map(answer).collect(),
                nets: vec![],
                grid: None,
                top: Top::Highest,
            }
        })
        .collect();
    project
}

fn answer(value: f64) -> Answer {
    Answer {
        code: value.to_string(),
        label: value.to_string(),
        score: Some(value),
        given: Given::Is(Value::Number(value)),
    }
}

/// Returns a number of R's, which has 13 digits.
#[track_caller]
fn number(json: &Json) -> f64 {
    json.as_f64().unwrap_or_else(|| panic!("{json} is no number"))
}

#[track_caller]
fn near(one: f64, other: &Json) {
    let other = number(other);
    assert!((one - other).abs() <= 1e-9 * other.abs(), "{one} is not {other}");
}

fn expected() -> Json {
    serde_json::from_str(&text("expected/r_survey_mariposa.json")).unwrap()
}

const TAYLOR: Test = Test::Linearised;

// proves: B5
#[test]
fn tables_are_those_of_rs_survey() {
    let (project, expected) = (mariposa(), expected());
    let study = &project.studies[0];
    let mut seen = 0;
    for (name, table) in expected.as_object().unwrap() {
        let Some((question, segment)) = name.split_once("__") else { continue };
        seen += 1;
        let [question, segment] = [question, segment].map(|id| study.question(id).unwrap());
        let rules = Rules { least_base: 1, test: TAYLOR, ..Rules::default() };
        let made = banner(&project, 0, question, &[segment], Weighting::Study, &rules).unwrap();
        let cell = |kind: RowKind, label: &str, column: usize| {
            let row = made.rows.iter().find(|row| row.kind == kind && row.label.starts_with(label));
            row.unwrap().cells[column].clone()
        };
        for (column, r) in table["columns"].as_object().unwrap() {
            let place: usize = column.parse().unwrap();
            let base = made.columns[place].base;
            near(base.unweighted as f64, &r["unweighted_base"]);
            near(base.weighted, &r["weighted_base"]);
            near(base.effective, &r["effective_base"]);
            for (answer, share) in r["col_prop"].as_object().unwrap() {
                let cell = cell(RowKind::Answer, answer, place);
                near(cell.value.unwrap(), share);
                near(cell.count.unwrap(), &r["counts_weighted"][answer]);
            }
            near(cell(RowKind::Mean, "", place).value.unwrap(), &r["mean"]);
            near(cell(RowKind::Sd, "", place).value.unwrap(), &r["sd_spss"]);
            near(cell(RowKind::Boxed, "Top", place).value.unwrap(), &r["t2b"]);
            near(cell(RowKind::Boxed, "Bottom", place).value.unwrap(), &r["b2b"]);
            near(cell(RowKind::Se, "", place).value.unwrap(), &table["svymean_se"][place - 1]);
        }
        let unweighted =
            banner(&project, 0, question, &[segment], Weighting::Nobody, &rules).unwrap();
        let counts = &table["columns"]["1"]["counts_unweighted"];
        for row in unweighted.rows.iter().filter(|row| row.kind == RowKind::Answer) {
            near(row.cells[1].count.unwrap(), &counts[&row.label]);
        }

        let found = project.association(0, question, segment, Weighting::Study).unwrap();
        let corrected = found.rao_scott.unwrap();
        near(found.base.unweighted as f64, &table["n"]);
        near(found.base.effective, &table["kish_total"]);
        near(found.chi_square, &table["rao_scott_chisq"]["X2"]);
        near(corrected.p_first_order, &table["rao_scott_chisq"]["p"]);
        near(corrected.f, &table["rao_scott_F"]["F"]);
        near(corrected.degrees, &table["rao_scott_F"]["ndf"]);
        near(corrected.degrees_below, &table["rao_scott_F"]["ddf"]);
        near(corrected.p, &table["rao_scott_F"]["p"]);
        let plain = project.association(0, question, segment, Weighting::Nobody).unwrap();
        near(plain.chi_square, &table["unweighted_chisq"]["X2"]);
        near(plain.degrees, &table["unweighted_chisq"]["df"]);
        near(plain.p_effective, &table["unweighted_chisq"]["p"]);
    }
    assert_eq!(seen, 15);
}

fn mean_by(project: &Project, question: &str, segment: &str, answer: usize) -> Spec {
    let study = &project.studies[0];
    Spec {
        study: 0,
        question: study.question(question).unwrap(),
        measure: Measure::Mean,
        segment: vec![Condition {
            question: study.question(segment).unwrap(),
            answers: vec![answer],
        }],
        weighting: Weighting::Study,
    }
}

// proves: B5
#[test]
fn tests_and_intervals_are_those_of_rs_survey() {
    let (project, expected) = (mariposa(), expected());
    let [one, other] =
        [0, 1].map(|region| mean_by(&project, "life_satisfaction", "region", region));
    let rules = Rules { test: TAYLOR, ..Rules::default() };
    let found = project.compare(&other, &one, &rules).unwrap();
    let r = &expected["ttest_region"];
    // What R computes from a difference of means near to each other has fewer digits than the means.
    let off = found.difference - number(&r["svy"]["diff"]);
    assert!(off.abs() < 1e-12, "{off}");
    let off = found.difference / found.error.unwrap() / number(&r["svy"]["t"]) - 1.0;
    assert!(off.abs() < 1e-9, "{off}");
    near(found.p.unwrap(), &r["svy"]["p"]);
    let nobody = |spec: &Spec| Spec { weighting: Weighting::Nobody, ..spec.clone() };
    let found = project.compare(&nobody(&one), &nobody(&other), &Rules::default()).unwrap();
    near(found.p.unwrap(), &r["welch"]["p"]);

    let share = Spec { measure: Measure::Share(vec![3, 4]), segment: vec![], ..one };
    let figure = project.figure(&share, &rules).unwrap();
    let r = &expected["ciprop_logit"];
    near(figure.value, &r["p"]);
    near(figure.interval.unwrap().0, &r["lo"]);
    near(figure.interval.unwrap().1, &r["hi"]);
}

// proves: B5
#[test]
fn p_values_are_adjusted_as_r_adjusts_them() {
    let expected = &expected()["padjust"];
    let values = |name: &str| -> Vec<Option<f64>> {
        expected[name].as_array().unwrap().iter().map(Json::as_f64).collect()
    };
    for (found, name) in [(holm(&values("p")), "holm"), (benjamini_hochberg(&values("p")), "bh")] {
        for (found, expected) in found.into_iter().zip(values(name)) {
            assert_eq!(found.is_some(), expected.is_some());
            let off = found.unwrap_or(1.0) / expected.unwrap_or(1.0) - 1.0;
            assert!(off.abs() < 1e-9, "{name}: {off}");
        }
    }
}

/// Returns the numbers of the first line that begins with `begin`, after the line that is `test`.
fn spss(output: &str, test: &str, begin: &str) -> Vec<String> {
    let mut lines = output.lines().skip_while(|line| !line.contains(test));
    let line = lines.find(|line| line.trim_start().starts_with(begin)).unwrap();
    line.split_whitespace()
        .map(|word| word.replacen("-.", "-0.", 1))
        .map(|word| if word.starts_with('.') { format!("0{word}") } else { word })
        .filter(|word| word.parse::<f64>().is_ok())
        .collect()
}

/// Holds a number against one that was printed with fewer digits.
#[track_caller]
fn printed(value: f64, printed: &str) {
    let digits = printed.split_once('.').map_or(0, |(_, digits)| digits.len());
    let rounding = 0.5000001 * 10.0_f64.powi(-(digits as i32));
    assert!(
        (value - printed.parse::<f64>().unwrap()).abs() <= rounding,
        "{value} is not {printed}"
    );
}

// proves: B5
#[test]
fn means_medians_and_deviations_are_those_of_spss() {
    let project = mariposa();
    let output = text("mariposa/weighted_statistics_output.txt");
    let figure = |question: &str, measure: Measure, weighting: Weighting| {
        let question = project.studies[0].question(question).unwrap();
        let spec = Spec { study: 0, question, measure, segment: vec![], weighting };
        project.figure(&spec, &Rules::default()).unwrap()
    };
    for (described, counted, weighting) in
        [("Test 1a", "Test 1b", Weighting::Nobody), ("Test 2a", "Test 2b", Weighting::Study)]
    {
        let line = spss(&output, described, "Age in");
        // N, range, minimum, maximum, mean, its error, deviation.
        printed(figure("age", Measure::WeightedBase, weighting).value, &line[0]);
        printed(figure("age", Measure::Mean, weighting).value, &line[4]);
        printed(figure("age", Measure::Sd, weighting).value, &line[6]);
        let line = spss(&output, counted, "Median");
        printed(figure("age", Measure::Median, weighting).value, &line[0]);
        printed(figure("income", Measure::Median, weighting).value, &line[1]);
        let line = spss(&output, described, "Monthly");
        printed(figure("income", Measure::WeightedBase, weighting).value, &line[0]);
        printed(figure("income", Measure::Mean, weighting).value, &line[4]);
    }
}

// proves: B5
#[test]
fn the_t_test_without_equal_variances_is_that_of_spss() {
    let project = mariposa();
    let output = text("mariposa/t_test_output.txt");
    let [men, women] = [0, 1].map(|gender| Spec {
        weighting: Weighting::Nobody,
        ..mean_by(&project, "income", "gender", gender)
    });
    let found = project.compare(&men, &women, &Rules::default()).unwrap();
    // t, degrees, one-sided p, two-sided p, difference, its error, its interval.
    let line = spss(&output, "Test 1c", "income (EUR)");
    printed(found.difference / found.error.unwrap(), &line[0]);
    printed(found.p.unwrap(), &line[3]);
    printed(found.difference, &line[4]);
    printed(found.error.unwrap(), &line[5]);
    printed(found.interval.unwrap().0, &line[6]);
    printed(found.interval.unwrap().1, &line[7]);
}
