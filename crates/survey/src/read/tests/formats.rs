//! Every format, from small files made here.

use rust_xlsxwriter::{ExcelDateTime, Format as Look, Formula, Workbook};

use super::*;
#[cfg(feature = "spss")]
use crate::study::{Kind, Missing};

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
    let zstd = include_bytes!("../../../tests/fixtures/zstd.parquet").as_slice();
    let snappy = include_bytes!("../../../tests/fixtures/snappy.parquet").as_slice();
    let none = include_bytes!("../../../tests/fixtures/none.parquet").as_slice();
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
    let plain = include_bytes!("../../../tests/fixtures/small.sav").as_slice();
    let packed = include_bytes!("../../../tests/fixtures/packed.sav").as_slice();
    let blocks = include_bytes!("../../../tests/fixtures/small.zsav").as_slice();
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

// proves: B9
#[cfg(feature = "spss")]
#[test]
fn what_an_spss_file_calls_nominal_is_no_scale_whatever_its_labels_say() {
    let mut bytes = include_bytes!("../../../tests/fixtures/small.sav").to_vec();
    let head: Vec<u8> = [7_i32, 11, 4].iter().flat_map(|whole| whole.to_le_bytes()).collect();
    let measures = bytes.windows(head.len()).position(|one| one == head).unwrap() + 16;
    // Three numbers per variable, the first of which is its measure; q5 is the third variable.
    assert_eq!(bytes[measures + 24], 2, "q5 is ordinal in the fixture");
    bytes[measures + 24] = 1;
    let study = one(&[file("w.sav", bytes.clone())]);
    let q5 = study.question("q5").unwrap();
    assert_eq!(study.questions[q5].kind, Kind::Single);
    assert!(study.questions[q5].answers.iter().all(|answer| answer.score.is_none()));
    let note = "the file marks q5 as nominal, so its labels are not a scale";
    assert!(study.notes.iter().any(|one| one.starts_with(note)), "{:?}", study.notes);
    // A user who knows better can say so.
    let toml = "[[study]]\nid = \"W\"\nfile = \"w.sav\"\n[study.questions.q5]\nkind = \"scale\"\n";
    let study = one(&[file("w.sav", bytes), file("survey.toml", toml)]);
    assert_eq!(study.questions[q5].kind, Kind::Scale);
    assert!(!study.notes.iter().any(|one| one.contains("nominal")), "{:?}", study.notes);
}

/// Returns an SPSS file with records of sets before its data, and with its last column as its weight.
#[cfg(feature = "spss")]
fn with_sets(sets: &[(i32, &str)]) -> Vec<u8> {
    let mut bytes = include_bytes!("../../../tests/fixtures/small.sav").to_vec();
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
#[test]
fn a_portable_file_is_refused_with_a_way_out() {
    let told = wrong(&[file("wave.POR", b"ASCII SPSS PORT FILE".to_vec())]);
    assert!(told.contains("wave.POR") && told.contains("PSPP and save it as .sav"), "{told}");
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
        wrong(&[file("w.sav", include_bytes!("../../../tests/fixtures/small.sav").as_slice())]);
    assert!(
        error.contains("built without SPSS files; build it with the feature spss, or export"),
        "{error}"
    );
}

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
    let project = read_project(&files).unwrap();
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
