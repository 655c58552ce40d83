//! Whole projects from small files of every format, and from the same files broken in every way.

use rust_xlsxwriter::{ExcelDateTime, Format as Look, Formula, Workbook};

use super::*;
use crate::study::{Data, Given, Study, Top, Value};
#[cfg(feature = "spss")]
use crate::study::{Kind, Missing};

mod broken;

fn file(name: &str, bytes: impl Into<Vec<u8>>) -> File {
    File { name: name.to_owned(), bytes: bytes.into() }
}

fn one(files: &[File]) -> Study {
    let mut project = project(files).unwrap();
    assert_eq!(project.studies.len(), 1);
    project.studies.remove(0)
}

fn wrong(files: &[File]) -> String {
    project(files).unwrap_err().to_string()
}

/// Writes what a study's questions are, one a line.
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
    let project = project(&files).unwrap();
    insta::assert_snapshot!(project.studies.iter().map(told).collect::<Vec<_>>().join("\n\n"));
}

#[test]
fn what_is_wrong_in_survey_toml_is_told_with_its_place() {
    let with = |toml: &str| wrong(&[file("survey.toml", toml), file("a.csv", DATA)]);
    let study = "[[study]]\nid = \"A\"\nfile = \"a.csv\"\n";
    for (toml, expected) in [
        ("x = 1".to_owned(), "survey.toml, line 1: unknown field `x`"),
        (" ".to_owned(), "survey.toml, the file: it names no study"),
        (study.replace("a.csv", "b.csv"), "b.csv is needed by survey.toml"),
        (study.replace('A', "A B"), "\"A B\" is no id"),
        (format!("{study}{study}"), "two studies are called A (a.csv and a.csv)"),
        (
            format!("{study}weight = \"q99\""),
            "study A, weight: a.csv has no column of numbers called \"q99\"",
        ),
        (format!("{study}segments = [\"open\"]"), "a.csv has no question \"open\" with answers"),
        (
            format!("{study}[study.questions.q99]\ntext = \"?\""),
            "question q99: a.csv has no such question; its questions are",
        ),
        (
            format!("{study}[study.questions.gender]\nnets = [{{label = \"x\", answers = [7]}}]"),
            "the net \"x\" holds \"7\"",
        ),
        (format!("{study}[study.questions.open]\nkind = \"scale\""), "its data cannot be scale"),
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
        study.notes.iter().any(|note| note.starts_with("1 cells of q2 hold texts")),
        "{:?}",
        study.notes
    );
}

// proves: B9
#[test]
fn a_sheet_is_read_with_the_codebook_beside_it() {
    let mut workbook = Workbook::new();
    let sheet = workbook.add_worksheet();
    let day = Look::new().set_num_format("yyyy-mm-dd");
    for (column, name) in ["id", "q1", "ok", "day", "q8", "mixed", "id"].iter().enumerate() {
        sheet.write(2, column as u16, *name).unwrap();
    }
    for row in 0..3_u32 {
        sheet.write(row + 3 + row / 2, 0, f64::from(row) + 1.0).unwrap();
        sheet.write(row + 3 + row / 2, 1, f64::from(row % 2) + 1.0).unwrap();
        sheet.write(row + 3 + row / 2, 2, row == 1).unwrap();
        sheet
            .write_with_format(
                row + 3 + row / 2,
                3,
                ExcelDateTime::from_ymd(2026, 5, 30 + row as u8 % 2).unwrap(),
                &day,
            )
            .unwrap();
        sheet.write(row + 3 + row / 2, 4, ["1;3", "", "2"][row as usize]).unwrap();
    }
    sheet.write(3, 5, "x").unwrap();
    sheet.write(4, 5, 7).unwrap();
    sheet.write(4, 1, Formula::new("=NA()").set_result("#N/A")).unwrap();
    let words = workbook.add_worksheet().set_name("Codebook").unwrap();
    let lines = [
        ["variable", "label", "type", "values"],
        ["q1", "Buy?", "single", "1=Yes|2=No"],
        ["q8", "Why?", "multi", "1=a|2=b|3=c"],
    ];
    for (row, line) in lines.iter().enumerate() {
        for (column, cell) in line.iter().enumerate() {
            words.write(row as u32, column as u16, *cell).unwrap();
        }
    }
    let study = one(&[file("x.xlsx", workbook.save_to_buffer().unwrap())]);
    insta::assert_snapshot!(told(&study));
    assert_eq!(study.columns[3].data.text(1), Some("2026-05-31"));
    assert_eq!(
        (study.columns[5].data.text(0), study.columns[5].data.text(1)),
        (Some("x"), Some("7"))
    );
    assert_eq!((study.columns[2].answer(0), study.columns[2].answer(1)), (Some(0.0), Some(1.0)));
}

// proves: B9
#[test]
fn parquet_is_read_however_it_is_packed() {
    let zstd = include_bytes!("../../tests/fixtures/zstd.parquet").as_slice();
    let snappy = include_bytes!("../../tests/fixtures/snappy.parquet").as_slice();
    let none = include_bytes!("../../tests/fixtures/none.parquet").as_slice();
    for bytes in [zstd, snappy, none] {
        let study = one(&[file("p.parquet", bytes)]);
        let number = |name: &str| -> Vec<Option<f64>> {
            let column = &study.columns[study.column(name).unwrap()];
            (0..study.respondents).map(|row| column.data.number(row)).collect()
        };
        let text = |name: &str, row: usize| {
            study.columns[study.column(name).unwrap()].data.text(row).map(str::to_owned)
        };
        assert_eq!(number("id"), [Some(1.0), Some(2.0), Some(3.0), None]);
        assert_eq!(number("score"), [Some(0.1), None, Some(2.5), Some(-1.0)]);
        assert_eq!(number("price"), [Some(1.25), None, Some(-3.5), Some(0.0)]);
        assert_eq!(number("ok"), [Some(1.0), Some(0.0), None, Some(1.0)]);
        assert_eq!((text("q1", 1), text("q1", 2)), (Some("no".into()), None));
        assert_eq!(
            (text("day", 0), text("day", 2)),
            (Some("2026-05-31".into()), Some("1969-12-31".into()))
        );
        assert_eq!(text("at", 3), Some("2026-05-31 17:40:00".into()));
        assert!(
            study
                .notes
                .iter()
                .any(|note| note.contains("only flat columns") && note.contains("tags"))
        );
    }
}

#[cfg(feature = "spss")]
// proves: B9
#[test]
fn spss_files_are_read_however_they_are_packed() {
    let plain = include_bytes!("../../tests/fixtures/small.sav").as_slice();
    let packed = include_bytes!("../../tests/fixtures/packed.sav").as_slice();
    let blocks = include_bytes!("../../tests/fixtures/small.zsav").as_slice();
    for (name, bytes) in [("w.sav", plain), ("w.sav", packed), ("w.zsav", blocks)] {
        let study = one(&[file(name, bytes)]);
        insta::assert_snapshot!("spss", told(&study));
        let q5 = &study.columns[2];
        assert_eq!(q5.missing, [Missing::Range(900.0, 999.0), Missing::Value(Value::Number(98.0))]);
        assert_eq!(
            (0..6).map(|row| q5.answer(row)).collect::<Vec<_>>(),
            [Some(1.0), Some(5.0), None, Some(3.0), None, Some(2.0)]
        );
        assert_eq!(
            (study.columns[3].data.text(0), study.columns[3].data.text(2)),
            (Some("Köln"), None)
        );
        // 31 May 2026, in seconds since 14 October 1582.
        assert_eq!(study.columns[4].data.number(0), Some(13_999_564_800.0));
        assert!(matches!(study.columns[1].data, Data::Few { .. }));
    }
}

/// Returns an SPSS file with records of sets before its data, and with its last column as its weight.
#[cfg(feature = "spss")]
fn with_sets(sets: &[(i32, &str)]) -> Vec<u8> {
    let mut bytes = include_bytes!("../../tests/fixtures/small.sav").to_vec();
    let end =
        bytes.windows(8).position(|one| one == [999_i32.to_le_bytes(), [0; 4]].concat()).unwrap();
    let mut records = Vec::new();
    for (kind, set) in sets {
        for whole in [7, *kind, 1, set.len() as i32] {
            records.extend(whole.to_le_bytes());
        }
        records.extend(set.as_bytes());
    }
    bytes.splice(end..end, records);
    bytes[76] = 6;
    bytes
}

// proves: B9
#[cfg(feature = "spss")]
#[test]
fn sets_of_both_records_and_the_weight_come_from_an_spss_file() {
    let old = (7, "$brands=D1 1 6 Brands GENDER Q5\n$cities=C 0  CITY\n");
    let new = (19, "$why=E 1 1 2 3 Why gender q5\n");
    for sets in [&[old, new][..], &[new, old]] {
        let study = one(&[file("w.sav", with_sets(sets))]);
        assert_eq!(study.weight.map(|place| study.columns[place].name.as_str()), Some("wgt"));
        let mut found: Vec<(&str, &str, usize)> = study
            .questions
            .iter()
            .filter(|question| question.kind == Kind::Multi)
            .map(|question| (question.id.as_str(), question.text.as_str(), question.answers.len()))
            .collect();
        found.sort_unstable();
        assert_eq!(found, [("brands", "Brands", 2), ("cities", "cities", 2), ("why", "Why", 2)]);
        let brands = study.questions.iter().find(|question| question.id == "brands").unwrap();
        assert!(matches!(
            &brands.answers[0].given,
            Given::Counted { value: Value::Number(1.0), .. }
        ));
        assert!(!study.notes.iter().any(|note| note.contains("taken for the weight")));
    }
}

// proves: B9
#[cfg(feature = "spss")]
#[test]
fn an_spss_file_of_a_big_endian_machine_is_refused_with_a_way_out() {
    let mut bytes = with_sets(&[]);
    bytes[64..68].reverse();
    assert!(
        wrong(&[file("w.sav", bytes)])
            .contains("big-endian machine; open it in SPSS or PSPP and save it again")
    );
}

#[cfg(not(feature = "spss"))]
#[test]
fn without_its_feature_an_spss_file_is_refused_with_a_way_out() {
    let error =
        wrong(&[file("w.sav", include_bytes!("../../tests/fixtures/small.sav").as_slice())]);
    assert!(
        error.contains("built without SPSS files; build it with the feature spss, or export"),
        "{error}"
    );
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

// proves: B9
#[test]
fn triple_s_is_read_from_fixed_columns_in_an_old_encoding() {
    let latin = |text: &str| text.chars().map(|letter| letter as u8).collect::<Vec<u8>>();
    let study = one(&[file("t.sss", latin(TRIPLE_S)), file("t.asc", latin(COLUMNS))]);
    insta::assert_snapshot!(told(&study));
    let column = |name: &str| &study.columns[study.column(name).unwrap()];
    let numbers = |name: &str| (0..3).map(|row| column(name).answer(row)).collect::<Vec<_>>();
    assert_eq!(numbers("Q2_4"), [Some(1.0), None, Some(1.0)]);
    assert_eq!(numbers("Q3_2"), [Some(12.0), None, Some(1.0)]);
    assert_eq!(numbers("Q4"), [Some(10.0), None, None]);
    assert_eq!(numbers("w"), [Some(1.5), Some(0.5), Some(1.0)]);
    assert_eq!(column("Q7").data.text(1), Some("schön, groß"));
    let wide: Vec<u8> =
        [0xfeff].into_iter().chain(TRIPLE_S.encode_utf16()).flat_map(u16::to_le_bytes).collect();
    let mut same = one(&[file("t.sss", wide), file("t.asc", COLUMNS)]);
    same.origin.clone_from(&study.origin);
    same.notes.clone_from(&study.notes);
    assert_eq!(same, study);
}

// proves: B9
#[test]
fn triple_s_is_read_from_csv() {
    let variable = |ident: u32, kind: &str, inner: &str| {
        format!(
            "<variable ident=\"{ident}\" type=\"{kind}\"><name>Q{ident}</name><label>L{ident}</label>{inner}</variable>"
        )
    };
    let values = "<values><value code=\"1\">a</value><value code=\"2\">b</value></values>";
    let description = format!(
        "<sss version=\"2.0\"><survey><record ident=\"A\" format=\"csv\" skip=\"1\" href=\"d.csv\">{}{}{}{}</record></survey></sss>",
        variable(1, "single", &format!("<position start=\"1\"/>{values}")),
        variable(2, "multiple", &format!("<position start=\"2\"/>{values}")),
        variable(
            3,
            "multiple",
            &format!("<position start=\"3\" finish=\"4\"/><spread subfields=\"2\"/>{values}")
        ),
        variable(4, "character", "<position start=\"5\"/>"),
    );
    let data = "Q1,Q2,Q3.1,Q3.2,Q4\n1,\"10\",2,1,\"a, b\"\n2,01,1,,\n";
    let study = one(&[file("f/t.xml", description), file("f/d.csv", data)]);
    insta::assert_snapshot!(told(&study));
    assert_eq!(study.columns[study.column("Q2_2").unwrap()].data.number(1), Some(1.0));
}

// proves: B9
#[test]
fn the_levels_of_a_hierarchy_are_studies_with_what_their_parents_say() {
    let level = |ident: &str, variables: &str| {
        format!(
            "<sss version=\"2.0\"><survey><record ident=\"{ident}\">{variables}</record></survey></sss>"
        )
    };
    let id = |name: &str, at: &str| {
        format!(
            "<variable ident=\"{at}\" type=\"quantity\"><name>{name}</name><label/><position start=\"{at}\"/></variable>"
        )
    };
    let region = "<variable ident=\"9\" type=\"single\"><name>region</name><label>Region</label><position start=\"2\"/>\
        <values><value code=\"1\">North</value><value code=\"2\">South</value></values></variable>";
    let files = [
        file(
            "h.sss",
            "<sss version=\"2.0\"><hierarchy><level ident=\"H\" href=\"house.sss\"/>\
            <level ident=\"P\" href=\"person.sss\"><parent level=\"H\" linkvar=\"hid\" ordered=\"yes\"/></level></hierarchy></sss>",
        ),
        file("house.sss", level("H", &(id("hid", "1") + region))),
        file("house.asc", "11\n22\n"),
        file("person.sss", level("P", &(id("hid", "1") + &id("age", "2")))),
        file("person.asc", "15\n16\n27\n38\n"),
    ];
    let project = project(&files).unwrap();
    assert_eq!(
        project.studies.iter().map(|study| study.id.as_str()).collect::<Vec<_>>(),
        ["H", "P"]
    );
    let persons = &project.studies[1];
    let region = &persons.columns[persons.column("region").unwrap()];
    assert_eq!(
        (0..4).map(|row| region.answer(row)).collect::<Vec<_>>(),
        [Some(1.0), Some(1.0), Some(2.0), None]
    );
    insta::assert_debug_snapshot!(persons.notes);
}
