//! Whole projects from small files of every format, and from the same files broken in every way.

use super::*;
use crate::study::{Data, Given, Study, Top, Value};

mod broken;
mod formats;
mod wide;

fn file(name: &str, bytes: impl Into<Vec<u8>>) -> File {
    File { name: name.to_owned(), bytes: bytes.into() }
}

fn one(files: &[File]) -> Study {
    let mut project = read_project(files).unwrap();
    assert_eq!(project.studies.len(), 1);
    project.studies.remove(0)
}

fn wrong(files: &[File]) -> String {
    read_project(files).unwrap_err().to_string()
}

/// Writes a study's questions, one per line.
fn told(study: &Study) -> String {
    let mut lines = vec![format!(
        "{} {:?}: {} respondents, weight {:?}, segments {:?}",
        study.id,
        study.title,
        study.respondents,
        study.weight.map(|place| study.columns[place].name.as_str()),
        study.segments.iter().map(|place| study.questions[*place].id.as_str()).collect::<Vec<_>>(),
    )];
    for question in &study.questions {
        let answers: Vec<String> = question
            .answers
            .iter()
            .map(|answer| match answer.score {
                Some(score) => format!("{}={} ({score})", answer.code, answer.label),
                None => format!("{}={}", answer.code, answer.label),
            })
            .collect();
        let top = if question.top == Top::Lowest { " lowest" } else { "" };
        let grid = question.grid.as_ref().map(|grid| format!(" [{}: {}]", grid.id, grid.text));
        lines.push(format!(
            "{} {}{top} {:?}{}: {}",
            question.id,
            question.kind.name(),
            question.text,
            grid.unwrap_or_default(),
            answers.join(", ")
        ));
        for net in &question.nets {
            lines.push(format!("  net {}: {:?}", net.label, net.answers));
        }
    }
    lines.extend(study.notes.iter().map(|note| format!("note: {note}")));
    lines.join("\n")
}

pub(super) const TRIPLE_S: &str = r#"<?xml version="1.0" encoding="ISO-8859-1"?>
<!DOCTYPE sss PUBLIC "-//Triple-S//DTD Survey Interchange v1.2//EN" "sss_v12.dtd">
<sss version="2.0"><survey><title>Exit<br/>survey &amp; more</title><record ident="A" skip="1">
<variable ident="1" type="quantity" use="serial"><name>no</name><label>Number</label><position start="1" finish="2"/></variable>
<variable ident="2" type="single"><name>Q1</name><label><text xml:lang="en">Visits</text><text xml:lang="de">Besuche</text></label>
  <position start="3"/><values><value code="1">First</value><value code="2">Again</value></values></variable>
<variable ident="3" type="multiple"><name>Q2</name><label>Seen</label><position start="4" finish="7"/>
  <values><value code="1">Castle</value><value code="2">Caf&#233;</value><value code="4">Other</value></values></variable>
<variable ident="4" type="multiple"><name>Q3</name><label>Best two</label><position start="8" finish="11"/><spread subfields="2"/>
  <values><value code="1">Castle</value><value code="12">Park</value></values></variable>
<variable ident="5" type="quantity"><name>Q4</name><label>Miles</label><position start="12" finish="14"/>
  <values><range from="0" to="500"/><value code="999">Not stated</value></values></variable>
<variable ident="6" type="logical"><name>Q5</name><label>Again?</label><position start="15"/></variable>
<variable ident="7" type="date"><name>day</name><label>Day</label><position start="16" finish="23"/></variable>
<variable ident="8" type="single" format="literal"><name>Q6</name><label>Region</label><position start="24" finish="24"/>
  <values><value code="N">North</value><value code="S">South</value></values></variable>
<variable ident="9" type="quantity" use="weight"><name>w</name><label>Weight</label><position start="25" finish="27"/></variable>
<variable ident="10" type="character"><name>Q7</name><label>Remarks</label><position start="28" finish="40"/></variable>
</record></survey></sss>"#;
pub(super) const COLUMNS: &str = "a line to be skipped\n\
    0111101 112 10120260531N1.5gut\n\
    022    0000999020260601S0.5schön, groß\n\
    0310001  1    x20260602N1.0\n";

pub(super) const DATA: &str = "id,gender,q5,q8_1,q8_2,q9,q7_1,q7_2,open,w\n\
    1,1,5,1,0,1;3,1,4,good value,1.5\n2,2,98,0,0,,2,5,\"too, dear\",0\n3,1,1,1,1,2,5,5,,-2\n4,2,2,,,3;2,3,3,nice,1\n";
pub(super) const CODEBOOK: &str = "variable,label,type,values,missing,top,role,set,grid\n\
    id,,,,,,id,,\ngender,Gender,single,1=Male|2=Female,,,segment,,\n\
    q5,Satisfied?,scale,1=Very satisfied|2=Satisfied|3=Neither|4=Dissatisfied|5=Very dissatisfied,98,,,,\n\
    q8_1,Brand A,multi,,,,,Q8: Brands known,\nq8_2,Brand B,multi,,,,,Q8,\n\
    q9,Why?,multi,1=Price|2=Place|3=Taste,,,,,\n\
    q7_1,Price,scale,1=Not important at all|5=Very important,,,,,Q7: How important is it?\n\
    q7_2,Place,scale,1=Not important at all|5=Very important,,,,,Q7\n\
    open,Anything else?,open,,,,,,\nw,,,,,,weight,,\n";

// proves: B9
#[test]
fn a_csv_with_a_codebook_is_a_study() {
    let study = one(&[file("a/w1.csv", DATA), file("a/w1.codebook.csv", CODEBOOK)]);
    insta::assert_snapshot!(told(&study));
    let nine = study.questions.iter().find(|question| question.id == "q9").unwrap();
    let Given::Counted { column, value } = &nine.answers[2].given else { panic!("{nine:?}") };
    assert_eq!((value, study.columns[*column].name.as_str()), (&Value::Number(1.0), "q9_3"));
    let marks: Vec<Option<f64>> = (0..4).map(|row| study.columns[*column].answer(row)).collect();
    assert_eq!(marks, [Some(1.0), None, Some(0.0), Some(1.0)]);
}

// proves: B9 B5
#[test]
fn a_scale_that_an_export_numbered_anew_is_scored_as_it_was_asked() {
    let labels: Vec<String> = (0..11)
        .map(|point| match point {
            0 => "1=0 - Not at all likely".to_owned(),
            10 => "11=10 - Extremely likely".to_owned(),
            point => format!("{}={point}", point + 1),
        })
        .collect();
    let codebook = format!(
        "variable,label,type,values,missing\nQ9,How likely are you to recommend us?,,{}|12=Don't know,\nQ10,How many people live in your household?,,1=1|2=2|3=3|4=4|5=5,\n",
        labels.join("|")
    );
    let data: String = (0..60).map(|row| format!("{},{}\n", row % 12 + 1, row % 5 + 1)).collect();
    let study = one(&[file("w.csv", format!("Q9,Q10\n{data}")), file("w.codebook.csv", codebook)]);
    let asked = &study.questions[0];
    let scores: Vec<Option<f64>> = asked.answers.iter().map(|answer| answer.score).collect();
    let printed = (0..11).map(|point| Some(f64::from(point))).chain([None]);
    assert_eq!(scores, printed.collect::<Vec<_>>());
    assert_eq!((asked.answers[0].code.as_str(), asked.is_nps()), ("1", true));
    assert_eq!(study.questions[1].kind, crate::study::Kind::Single);
    assert!(
        study
            .notes
            .iter()
            .any(|note| note.starts_with("labels begin") && note.contains("Q9 (0 to 10)")),
        "{:?}",
        study.notes
    );
}

// proves: B9 B5
#[test]
fn numbers_that_look_like_codes_for_no_answer_are_noted_and_kept() {
    let rows = |cells: &dyn Fn(usize) -> String| -> String { (0..60).map(cells).collect() };
    let noted = |header: &str, codebook: &str, cells: &dyn Fn(usize) -> String| {
        let data = file("w.csv", format!("{header}\n{}", rows(cells)));
        let codebook =
            file("w.codebook.csv", format!("variable,label,type,values,missing\n{codebook}"));
        let study = one(&[data, codebook]);
        let is_said = |note: &&String| note.contains("for no answer and count");
        let notes: Vec<String> = study.notes.iter().filter(is_said).cloned().collect();
        assert_eq!(study.columns[0].answer(0), study.columns[0].data.number(0));
        notes.join("\n")
    };
    let spend = |row: usize| match row {
        row if row % 7 == 0 => "9999\n".to_owned(),
        row => format!("{}.5\n", row * 8),
    };
    assert_eq!(
        noted("spend", "spend,How much did you spend?,,,\n", &spend),
        "spend contains 9999 9 times, which looks like a code for no answer and counts as an answer; declare it as missing if it is one"
    );
    assert_eq!(noted("spend", "spend,,,,9999\n", &|row| spend(row + 1)), "");
    let rated = |row: usize| match row {
        3 => "99\n".to_owned(),
        4 | 5 => "-9\n".to_owned(),
        row => format!("{}\n", row % 5 + 1),
    };
    assert_eq!(
        noted("q", "q,,,,\n", &rated),
        "q contains -9 2 times, 99 once, which look like codes for no answer and count as answers; declare them as missing if they are"
    );
    // One respondent is 99 years old, some are 9, and below 0 there is more.
    assert_eq!(
        noted("age", "age,,,,\n", &|row| format!("{}\n", if row == 1 { 99 } else { row + 25 })),
        ""
    );
    assert_eq!(noted("n", "n,,,,\n", &|row| format!("{}\n", row % 30)), "");
    assert_eq!(noted("n", "n,,,,\n", &|row| format!("{}\n", row as i32 - 30)), "");
}

// proves: B9
#[test]
fn neighbours_with_a_text_each_or_nothing_are_a_set() {
    let study = |texts: [&str; 4], often: usize| {
        let cell = |row: usize, place: usize| match (row + place) % often {
            0 => texts[place],
            _ => "",
        };
        let line = |row: usize| {
            format!("{},{},{},,{}\n", cell(row, 0), cell(row, 1), cell(row, 2), cell(row, 3))
        };
        let data: String = (0..12).map(line).collect();
        one(&[file("w.csv", format!("Q5_1,Q5_2,Q5_3,Q5_4,Q5_5\n{data}"))])
    };
    let ways = study(["Email", "Phone", "Post", "Shop"], 3);
    assert_eq!(ways.questions.len(), 1);
    let set = &ways.questions[0];
    assert_eq!((set.id.as_str(), set.kind), ("Q5", crate::study::Kind::Multi));
    let labels: Vec<&str> = set.answers.iter().map(|answer| answer.label.as_str()).collect();
    assert_eq!(labels, ["Email", "Phone", "Post", "Shop"]);
    let Given::Counted { column: 1, value } = &set.answers[1].given else { panic!("{set:?}") };
    assert_eq!(*value, Value::Text("Phone".into()));
    assert!(
        ways.notes
            .iter()
            .any(|note| note
                .starts_with("4 columns (Q5_1 and its neighbours) contain one text each")),
        "{:?}",
        ways.notes
    );
    let marks = study(["x"; 4], 3);
    assert_eq!(marks.questions[0].answers[3].label, "Q5_5");
    // Respondents' own words occur once.
    assert!(study(["no idea", "none", "good bus", "too dear"], 12).questions.len() != 1);
}

// proves: B9 B5
#[test]
fn what_is_said_of_a_weight_is_said_where_it_weighs() {
    use crate::figure::Weighting;
    let data: String = (0..40)
        .map(|row| format!("{},{},{}\n", row % 2, f64::from(row % 4) * 0.5, f64::from(row % 5)))
        .collect();
    let study = one(&[file("w.csv", format!("gender,wgt,wgt_2\n{data}"))]);
    let said = |weighting: Weighting, words: &str| {
        study.notes_for(weighting).iter().any(|note| note.contains(words))
    };
    assert_eq!(study.notes_for(Weighting::Study), study.notes);
    for (weighting, own, other) in [
        (Weighting::Study, true, false),
        (Weighting::Column(1), true, false),
        (Weighting::Nobody, false, false),
        (Weighting::Column(2), false, true),
    ] {
        assert_eq!(said(weighting, "wgt was read as the weight"), own);
        assert_eq!(said(weighting, "weighted by wgt: 10 with a zero weight"), own);
        assert_eq!(said(weighting, "weighted by wgt_2: 8 with a zero weight"), other);
        assert!(said(weighting, "segments were chosen"));
    }
    // Weights that add up to a population are reported, but need a declaration.
    let data: String = (0..40).map(|row| format!("{},{}\n", row % 2, 1200 + row)).collect();
    let study = one(&[file("w.csv", format!("gender,weight\n{data}"))]);
    assert_eq!(study.weight, None);
    assert!(
        study.notes.iter().any(|note| note
            .starts_with("weight is named like a weight, but its mean is 1219.5, far from 1")),
        "{:?}",
        study.notes
    );
}

// proves: B9
#[test]
fn survey_toml_orders_the_waves_and_says_what_questions_are() {
    let toml = r#"
        [[study]]
        id = "W2"
        file = "b.csv"
        title = "Second"
        weight = "none"
        segments = ["gender"]
        [study.questions.q5]
        text = "How satisfied?"
        kind = "scale"
        top = "lowest"
        nets = [{ label = "Content", answers = [1, 2] }]
        [[study.multi]]
        id = "Q8"
        text = "Brands"
        columns = ["q8_1", "q8_2"]
        counted = 1
        [[study.grid]]
        id = "Q7"
        text = "How important?"
        columns = ["q7_1", "q7_2"]
        [[study]]
        id = "W1"
        file = "data/w1.csv"
        codebook = "words.csv"
    "#;
    let files = [
        file("p/survey.toml", toml),
        file("p/data/w1.csv", DATA),
        file("p/words.csv", CODEBOOK),
        file("p/b.csv", DATA),
        file("p/unused.csv", DATA),
    ];
    let project = read_project(&files).unwrap();
    insta::assert_snapshot!(project.studies.iter().map(told).collect::<Vec<_>>().join("\n\n"));
}

#[test]
fn what_is_wrong_in_survey_toml_is_told_with_its_place() {
    let with = |toml: &str| wrong(&[file("survey.toml", toml), file("a.csv", DATA)]);
    let study = "[[study]]\nid = \"A\"\nfile = \"a.csv\"\n";
    for (toml, expected) in [
        ("x = 1".to_owned(), "survey.toml, line 1: unknown field `x`"),
        (" ".to_owned(), "survey.toml, the file: it lists no study"),
        (study.replace("a.csv", "b.csv"), "b.csv is missing, and survey.toml needs it"),
        (study.replace('A', "A B"), "\"A B\" is not a valid id"),
        (format!("{study}{study}"), "two studies have the id A (a.csv and a.csv)"),
        (
            format!("{study}weight = \"q99\""),
            "study A, weight: a.csv has no numeric column called \"q99\"",
        ),
        (format!("{study}segments = [\"open\"]"), "a.csv has no question \"open\" with answers"),
        (
            format!("{study}[study.questions.q99]\ntext = \"?\""),
            "question q99: a.csv has no such question; its questions are",
        ),
        (
            format!("{study}[study.questions.gender]\nnets = [{{label = \"x\", answers = [7]}}]"),
            "the net \"x\" contains \"7\", which is not an answer",
        ),
        (format!("{study}[study.questions.open]\nkind = \"scale\""), "its data do not fit scale"),
        (
            format!("{study}[[study.multi]]\nid = \"Q8\"\ncolumns = [\"q77\"]"),
            "multi Q8: a.csv has no column \"q77\"",
        ),
        (
            format!("{study}[[study.grid]]\nid = \"Q8\"\ncolumns = [\"q77\"]"),
            "grid Q8: a.csv has no column \"q77\"",
        ),
    ] {
        let error = with(&toml);
        assert!(error.contains(expected), "{error}\nnot {expected}");
    }
}

#[test]
fn a_csv_alone_is_understood_by_its_names_and_values() {
    let mut data =
        "serial;Gender;age;satisfaction_rating;brand_1;brand_2;brand_3;city;comment;weight;when\n"
            .to_owned();
    for row in 0..40 {
        let (gender, age, rating) = (["m", "f"][row % 2], 18 + row, row % 5 + 1);
        let (one, two) = (row % 2, (row + 1) % 3 / 2);
        data += &format!(
            "{};{gender};{age};{rating};{one};{two};0;{};remark {row};{},5;2026-05-{:02}\n",
            row + 1000,
            ["Bonn", "Ulm", "NA"][row % 3],
            row % 2,
            row % 28 + 1
        );
    }
    insta::assert_snapshot!(told(&one(&[file("w.csv", data)])));
}

// proves: B9
#[test]
fn texts_of_labels_are_read_as_their_codes() {
    let data = "q1,q2\nYes,5\nno,Don't know\n,three\n2,1\n";
    let words = "variable,label,type,values,missing\nq1,Buy?,single,1=Yes|2=No,\nq2,Rate,scale,1=Bad|5=Good|98=Don't know,98\n";
    let study = one(&[file("a.csv", data), file("a.codebook.csv", words)]);
    let column =
        |place: usize| (0..4).map(|row| study.columns[place].answer(row)).collect::<Vec<_>>();
    assert_eq!(column(0), [Some(1.0), Some(2.0), None, Some(2.0)]);
    assert_eq!(column(1), [Some(5.0), None, None, Some(1.0)]);
    assert_eq!(study.questions[1].answers.len(), 5);
    assert!(
        study.notes.iter().any(|note| note.starts_with("1 cells of q2 contain text")),
        "{:?}",
        study.notes
    );
}

// proves: B9
#[test]
fn studies_that_nothing_orders_stand_in_the_order_of_their_files() {
    let order = |files: &[File]| {
        let project = read_project(files).unwrap();
        let ids: Vec<String> = project.studies.iter().map(|study| study.id.clone()).collect();
        let notes: Vec<String> = project
            .studies
            .into_iter()
            .flat_map(|study| study.notes)
            .filter(|note| note.contains("gives the order of the studies"))
            .collect();
        (ids.join(" "), notes)
    };
    let (before, after) = (file("z2024.csv", DATA), file("a2025.csv", DATA));
    let (ids, notes) = order(&[before.clone(), after.clone()]);
    assert_eq!(ids, "z2024 a2025");
    assert_eq!(
        notes,
        [
            "no survey.toml gives the order of the studies, so this order is used: z2024.csv, a2025.csv"
        ]
    );
    assert_eq!(order(&[after.clone(), before.clone()]).0, "a2025 z2024");
    // One study has no order, and survey.toml has its own.
    assert!(order(std::slice::from_ref(&before)).1.is_empty());
    let toml = "[[study]]\nid = \"B\"\nfile = \"a2025.csv\"\n[[study]]\nid = \"A\"\nfile = \"z2024.csv\"\n";
    let (ids, notes) = order(&[before, after, file("survey.toml", toml)]);
    assert_eq!((ids.as_str(), notes.len()), ("B A", 0));
}

// proves: B9
#[test]
fn segments_that_nobody_declared_are_noted() {
    let noted = |words: &str| -> Vec<String> {
        let study = one(&[file("w.csv", DATA), file("w.codebook.csv", words)]);
        study.notes.into_iter().filter(|note| note.contains("segments")).collect()
    };
    assert!(noted(CODEBOOK).is_empty());
    assert_eq!(
        noted(&CODEBOOK.replace("segment", "")),
        ["segments were chosen by their names: gender. To choose others, name them in survey.toml"]
    );
    let data = DATA.replacen("gender", "q1", 1);
    let words = CODEBOOK.replace("segment", "").replace("gender,Gender", "q1,Which?");
    let study = one(&[file("w.csv", data), file("w.codebook.csv", words)]);
    assert!(
        study.notes.contains(
            &"no question is named like a segment, so all single-answer questions with 2 to 8 answers are segments: q1. To choose others, name them in survey.toml".to_owned()
        ),
        "{:?}",
        study.notes
    );
}

// proves: B9
#[test]
fn codes_that_no_label_explains_are_counted_in_a_note() {
    let data = "q1,q2,q3,q4\n1,1,a,7\n2,3,b,7\n9,9,c,8\n9,5,c,8\n98,98,,9\n";
    let words = "variable,label,type,values,missing\n\
        q1,Buy?,single,1=Yes|2=No,98\nq2,Rate,scale,1=Very bad|5=Very good,98\n\
        q3,Which?,single,a=First|b=Second,\nq4,Own,single,,\n";
    let study = one(&[file("a.csv", data), file("a.codebook.csv", words)]);
    let notes: Vec<&String> =
        study.notes.iter().filter(|note| note.starts_with("some answers")).collect();
    let end = ". They count as answers; declare them as missing in a codebook if they are not";
    assert_eq!(
        notes,
        [
            &format!("some answers to q1 have no label: 9 (2 respondents){end}"),
            &format!("some answers to q2 have no label: 9 (1 respondent){end}"),
            &format!("some answers to q3 have no label: c (2 respondents){end}"),
        ]
    );
    // A point between the labelled ends of a scale is explained, and a question without labels has none to miss.
    let many: Vec<String> = (1..=12).map(|number| format!("v{number}")).collect();
    let rows = ["1", "2", "3"].map(|value| [value; 12].join(","));
    let words: String =
        many.iter().map(|name| format!("{name},{name},single,1=Yes|2=No\n")).collect();
    let data = format!("{}\n{}\n", many.join(","), rows.join("\n"));
    let words = format!("variable,label,type,values\n{words}");
    let study = one(&[file("a.csv", data), file("a.codebook.csv", words)]);
    let notes: Vec<&String> =
        study.notes.iter().filter(|note| note.contains("answers to")).collect();
    assert_eq!(notes.len(), 10, "{notes:?}");
    assert_eq!(notes[9], "nor some answers to 3 more questions: v10, v11, v12");
}

// proves: B9
#[test]
fn the_examples_of_the_documentation_are_read() {
    let page = include_str!("../../../../docs/manual/surveys.md");
    let example = |language: &str| {
        let (_, rest) = page.split_once(&format!("```{language}\n")).unwrap();
        rest.split_once("```").unwrap().0
    };
    let data = "id,wgt,gender,q5,q7_1,q7_2,q8_1,q8_2,q9\n1,1,1,1,2,5,1,0,1;3\n2,1,2,4,1,3,0,1,2\n3,1,1,98,5,5,0,0,\n";
    let words = example("csv");
    let study = one(&[file("w.csv", data), file("w.codebook.csv", words)]);
    insta::assert_snapshot!(told(&study));
    let data = "wgt,gender,region,Q5,q8_1,q8_2,q7_1,q7_2\n1,1,1,1,1,0,1,2\n1,2,2,5,0,1,2,1\n2,1,1,2,1,1,2,2\n";
    let words = "variable,label,values\ngender,Gender,1=Female|2=Male\n";
    let described = [
        file("wave1.csv", data),
        file("codebook.csv", words),
        file("survey.toml", example("toml")),
    ];
    insta::assert_snapshot!(told(&one(&described)));
    for column in codebook::COLUMNS {
        assert!(page.contains(&format!("\n| `{column}` | ")), "{column}");
    }
}
