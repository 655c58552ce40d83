//! Irregular files: each is refused clearly or handled as documented, and none ends the program.

use std::io::{Cursor, Read, Write};
use std::sync::Arc;

use ::parquet::data_type::Int32Type;
use ::parquet::file::writer::SerializedFileWriter;
use ::parquet::schema::parser::parse_message_type;
use proptest::prelude::*;
use rust_xlsxwriter::Workbook;

use super::*;
use crate::project::Project;

/// Asserts the invariants of a project.
fn hold(project: &Project) {
    for study in &project.studies {
        for column in &study.columns {
            assert_eq!(column.data.len(), study.respondents, "{}", column.name);
            if let Data::Few { values, index } = &column.data {
                let known = |place: &u8| *place == u8::MAX || usize::from(*place) < values.len();
                assert!(index.iter().all(known));
            }
        }
        for question in &study.questions {
            assert!(question.columns.iter().all(|place| *place < study.columns.len()));
            for answer in &question.answers {
                if let Given::Counted { column, .. } = answer.given {
                    assert!(column < study.columns.len());
                }
            }
        }
        assert!(study.segments.iter().all(|place| *place < study.questions.len()));
        assert!(study.weight.is_none_or(|place| place < study.columns.len()));
        let mut ids: Vec<String> =
            study.questions.iter().map(|question| question.id.to_lowercase()).collect();
        ids.sort();
        let all = ids.len();
        ids.dedup();
        assert_eq!(ids.len(), all, "{ids:?}");
    }
}

fn read(files: &[File]) {
    match read_project(files) {
        Ok(project) => hold(&project),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

fn spreadsheet() -> Vec<u8> {
    let mut workbook = Workbook::new();
    let sheet = workbook.add_worksheet();
    for (row, line) in DATA.lines().enumerate() {
        for (column, cell) in line.split(',').enumerate() {
            match cell.parse::<f64>() {
                Ok(number) => sheet.write(row as u32, column as u16, number).unwrap(),
                Err(_) => sheet.write(row as u32, column as u16, cell).unwrap(),
            };
        }
    }
    workbook.save_to_buffer().unwrap()
}

/// Returns a workbook with the texts of its files changed.
fn repacked(workbook: &[u8], change: impl Fn(&str, String) -> String) -> Vec<u8> {
    let mut archive = zip::ZipArchive::new(Cursor::new(workbook)).unwrap();
    let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for place in 0..archive.len() {
        let mut entry = archive.by_index(place).unwrap();
        let mut text = String::new();
        entry.read_to_string(&mut text).unwrap();
        writer.start_file(entry.name(), zip::write::SimpleFileOptions::default()).unwrap();
        writer.write_all(change(entry.name(), text).as_bytes()).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

/// Projects of every format; the last file of each is the one to break.
fn projects() -> Vec<Vec<File>> {
    let parquet = include_bytes!("../../../tests/fixtures/snappy.parquet").as_slice();
    let sav = include_bytes!("../../../tests/fixtures/small.sav").as_slice();
    let packed = include_bytes!("../../../tests/fixtures/packed.sav").as_slice();
    let zsav = include_bytes!("../../../tests/fixtures/small.zsav").as_slice();
    let json = r#"{"columns": {"q5": {"type": "single", "text": {"en-GB": "x"}, "values": [{"value": 1, "text": "a"}]}}}"#;
    let toml = "[[study]]\nid = \"A\"\nfile = \"w.csv\"\n[study.questions.q5]\nnets = [{label = \"x\", answers = [1]}]\n";
    vec![
        vec![file("w.csv", DATA)],
        vec![file("w.csv", DATA), file("w.codebook.csv", CODEBOOK)],
        vec![file("w.csv", DATA), file("w.json", json)],
        vec![file("w.csv", DATA), file("survey.toml", toml)],
        vec![file("w.xlsx", spreadsheet())],
        vec![file("w.parquet", parquet)],
        vec![file("w.sav", sav)],
        vec![file("w.sav", packed)],
        vec![file("w.zsav", zsav)],
        vec![file("t.asc", COLUMNS), file("t.sss", TRIPLE_S)],
        vec![file("t.sss", TRIPLE_S), file("t.asc", COLUMNS)],
    ]
}

fn break_last(mut files: Vec<File>, change: impl FnOnce(&mut Vec<u8>)) -> Vec<File> {
    if let Some(last) = files.last_mut() {
        change(&mut last.bytes);
    }
    files
}

// proves: B9
#[test]
fn a_file_that_is_cut_off_anywhere_is_refused_or_read() {
    for files in projects() {
        let length = files.last().unwrap().bytes.len();
        for keep in (0..length).step_by(1 + length / 150) {
            read(&break_last(files.clone(), |bytes| bytes.truncate(keep)));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    // proves: B9
    #[test]
    fn a_file_with_changed_bytes_is_refused_or_read(
        which in 0_usize..11,
        changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8),
        whole in proptest::collection::vec((any::<prop::sample::Index>(), prop_oneof![Just(-1_i32), Just(i32::MAX), Just(i32::MIN), any::<i32>()]), 0..2),
    ) {
        let files = projects().swap_remove(which);
        read(&break_last(files, |bytes| {
            for (place, byte) in changes {
                let place = place.index(bytes.len());
                bytes[place] = byte;
            }
            for (place, number) in whole {
                let place = place.index(bytes.len()) / 4 * 4;
                for (target, byte) in bytes.iter_mut().skip(place).zip(number.to_le_bytes()) {
                    *target = byte;
                }
            }
        }));
    }

    #[test]
    fn any_bytes_are_refused_or_read(
        bytes in proptest::collection::vec(any::<u8>(), 0..300),
        name in prop::sample::select(vec!["a.csv", "a.sav", "a.zsav", "a.xlsx", "a.parquet", "a.sss", "survey.toml"]),
        sign in prop::sample::select(vec![&b""[..], b"$FL2", b"PK\x03\x04", b"PAR1", b"<sss>"]),
    ) {
        read(&[file(name, [sign, bytes.as_slice()].concat()), file("a.asc", "1")]);
    }

    #[test]
    fn any_table_is_read_as_it_stands(
        rows in proptest::collection::vec(proptest::collection::vec("[0-9a-z ,;\"\n]{0,6}", 3), 1..12)
    ) {
        let mut writer = ::csv::Writer::from_writer(Vec::new());
        writer.write_record(["a", "b", "c"]).unwrap();
        for row in &rows {
            writer.write_record(row).unwrap();
        }
        let words = "variable,type\na,open\nb,open\nc,open\n";
        let study = one(&[file("t.csv", writer.into_inner().unwrap()), file("t.codebook.csv", words)]);
        prop_assert_eq!(study.respondents, rows.len());
        for (row, cells) in rows.iter().enumerate() {
            for (column, cell) in cells.iter().enumerate() {
                prop_assert_eq!(study.columns[column].data.text(row).unwrap_or_default(), cell.trim());
            }
        }
    }
}

// proves: B9
#[test]
fn files_that_are_not_what_they_say_are_refused_with_a_way_out() {
    let sav = include_bytes!("../../../tests/fixtures/small.sav").as_slice();
    for (files, expected) in [
        (vec![], "there is no data file among them"),
        (vec![file("notes.txt", "x")], "there is no data file among them"),
        (vec![file("a.csv", "")], "a.csv is empty"),
        (
            vec![file("a.csv", "PK\x03\x04..")],
            "a.csv is not CSV, although its name says so: it begins like an Excel file",
        ),
        (vec![file("a.csv", sav)], "it begins like an SPSS file. Rename it to match its format"),
        (vec![file("a.sav", DATA)], "a.sav is not an SPSS file, although its name says so"),
        (
            vec![file("a.xlsx", b"\xd0\xcf\x11\xe0....".as_slice())],
            "it begins like an old or locked Excel file",
        ),
        (vec![file("a.parquet", "hello")], "a.parquet is not a Parquet file"),
        (vec![file("a.sss", TRIPLE_S)], "a.asc is missing, and a.sss needs it"),
        (vec![file("a.asc", COLUMNS)], "a.sss is missing, and a.asc needs it"),
        (vec![file("a.sss", "<html/>")], "its first element is \"html\""),
        (
            vec![file("a.csv", "a,b\n1,\"2\n3,4\n5,6\n")],
            "a quotation mark is opened in line 2 and never closed",
        ),
        (
            vec![file("a.csv", "a,b,c\n1,\"2,3\n4,5,6\n7,8,9\n1,2\",3\n5,5,5\n")],
            "a quotation mark is opened in line 2 and closed only in line 5",
        ),
        (
            vec![file("a.csv", "a;b\n1;2,5,7\n3;4,5,8\n".replace(';', "|").replacen('|', ",", 1))],
            "every line has more cells than the header when split at ','",
        ),
        (vec![file("a.csv", "a,b\n1,2\0\n")], "a.csv is not text, although its name says so"),
    ] {
        let error = wrong(&files);
        assert!(error.contains(expected), "{error}\nnot {expected}");
    }
}

// proves: B9
#[cfg(feature = "spss")]
#[test]
fn an_spss_file_with_fewer_respondents_than_promised_is_refused() {
    let mut bytes = include_bytes!("../../../tests/fixtures/small.sav").to_vec();
    bytes.truncate(bytes.len() - 30);
    let error = wrong(&[file("a.sav", bytes)]);
    assert!(error.contains("its header says 6 respondents, but it contains 5"), "{error}");
}

// proves: B9
#[cfg(feature = "spss")]
#[test]
fn rows_beyond_those_that_an_spss_file_promises_are_left_out_and_counted() {
    let mut bytes = include_bytes!("../../../tests/fixtures/small.sav").to_vec();
    bytes[80..84].copy_from_slice(&5_i32.to_le_bytes());
    let study = one(&[file("a.sav", bytes)]);
    assert_eq!(study.respondents, 5);
    let told = "rows of a.sav beyond the 5 respondents given in its header were left out: 1";
    assert!(study.notes.iter().any(|note| note == told), "{:?}", study.notes);
}

// proves: B9
#[test]
fn a_workbook_cannot_make_more_room_than_it_fills() {
    let texts = |change: fn(String) -> String| {
        repacked(&spreadsheet(), |name, text| match name.ends_with("sharedStrings.xml") {
            true => change(text),
            false => text,
        })
    };
    let many = texts(|text| text.replacen("uniqueCount=\"", "uniqueCount=\"4000000", 1));
    let error = wrong(&[file("a.xlsx", many)]);
    assert!(error.contains("its table of texts says that it contains 4000000"), "{error}");
    let long = texts(|text| text.replacen("</t>", &format!("{}</t>", "x".repeat(200_000)), 1));
    let error = wrong(&[file("a.xlsx", long)]);
    assert!(error.contains("the limit in Excel is 131068"), "{error}");
    let mut workbook = Workbook::new();
    workbook.add_worksheet().write(0, 0, "q1").unwrap();
    workbook.add_worksheet().set_name("codebook").unwrap().write(3, 16_000, "x").unwrap();
    let error = wrong(&[file("a.xlsx", workbook.save_to_buffer().unwrap())]);
    assert!(error.contains("sheet codebook, row 4: a cell is in column 16001"), "{error}");
}

// proves: B9
#[test]
fn formulas_whose_results_were_not_stored_are_noted() {
    let mut workbook = Workbook::new();
    let sheet = workbook.add_worksheet();
    for (row, (q1, weight)) in [("q1", "w"), ("1", "=1/2"), ("2", "=3/2")].into_iter().enumerate() {
        sheet.write(row as u32, 0, q1).unwrap();
        match weight.starts_with('=') {
            true => sheet.write_formula(row as u32, 1, weight).unwrap(),
            false => sheet.write(row as u32, 1, weight).unwrap(),
        };
    }
    let bytes = repacked(&workbook.save_to_buffer().unwrap(), |name, text| {
        if name.contains("worksheets/") { text.replace("<v>0</v></c>", "</c>") } else { text }
    });
    let study = one(&[file("a.xlsx", bytes)]);
    let told = "w contains formulas without results; open a.xlsx in Excel and save it";
    assert!(study.notes.iter().any(|note| note == told), "{:?}", study.notes);
}

// proves: B9
#[test]
fn a_description_cannot_make_more_columns_than_a_survey_has() {
    let variable = r#"<variable ident="1" type="multiple"><name>b</name><label>b</label>
        <position start="1" finish="9000000"/><spread subfields="9000000"/></variable>"#;
    let description = format!(
        "<sss version=\"2.0\"><survey><record ident=\"A\">{variable}</record></survey></sss>"
    );
    let error = wrong(&[file("a.sss", description), file("a.asc", "1\n2\n")]);
    assert!(error.contains("unpacks to more than 100000 columns"), "{error}");
}

// proves: B9
#[test]
fn subfields_are_as_wide_as_their_position_says_however_short_a_line_is() {
    let variable = r#"<variable ident="1" type="multiple"><name>b</name><label>Brands</label>
        <position start="1" finish="6"/><spread subfields="3"/><values>
        <value code="1">One</value><value code="2">Two</value><value code="12">Twelve</value></values></variable>"#;
    let description = format!(
        "<sss version=\"2.0\"><survey><record ident=\"A\">{variable}</record></survey></sss>"
    );
    let read = |data: &str| {
        let study = one(&[file("a.sss", description.clone()), file("a.asc", data)]);
        study.columns.into_iter().map(|column| column.data).collect::<Vec<_>>()
    };
    assert_eq!(read("12\n1 2\n"), read("12    \n1 2   \n"));
    assert_eq!(read("12\n1 2\n")[0].number(0), Some(12.0));
}

// proves: B9
#[test]
fn whole_numbers_without_a_sign_are_read_as_such() {
    let schema = parse_message_type("message s { required int32 spend (INTEGER(32, false)); }");
    let mut writer =
        SerializedFileWriter::new(Vec::new(), Arc::new(schema.unwrap()), Arc::default()).unwrap();
    let mut group = writer.next_row_group().unwrap();
    let mut column = group.next_column().unwrap().unwrap();
    let values = [3_000_000_000_u32, 7].map(u32::cast_signed);
    column.typed::<Int32Type>().write_batch(&values, None, None).unwrap();
    column.close().unwrap();
    group.close().unwrap();
    let study = one(&[file("a.parquet", writer.into_inner().unwrap())]);
    let spend = |row| study.columns[0].data.number(row);
    assert_eq!((spend(0), spend(1)), (Some(3e9), Some(7.0)));
}

// proves: B9
#[test]
fn a_separator_that_could_divide_thousands_is_noted() {
    let notes = |text: &str| one(&[file("a.csv", text)]).notes.join("; ");
    let told = "x (1.200)";
    assert!(notes("g;x\n1;1.200\n2;900\n").contains(told));
    assert!(!notes("g;x\n1;1.200\n2;0.9\n").contains(told), "other decimals say what it is");
    assert!(!notes("g,x\n1,1.200\n2,900\n").contains(told), "between commas it is a point");
    let study = one(&[file("a.csv", "sep=;\r\ng;x\r\n1;2,5\r\n2;3\r\n")]);
    assert_eq!(study.columns[1].data.number(0), Some(2.5));
}

// proves: B9
#[test]
fn weights_that_cannot_be_added_up_are_refused() {
    for weight in ["1e308", "1e-320", "1e-200"] {
        let words = "variable,role\nw,weight\n";
        let data = format!("q,w\n1,{weight}\n2,{weight}\n1,{weight}\n");
        let error = wrong(&[file("a.csv", data), file("a.codebook.csv", words)]);
        assert!(
            error.contains("a.csv, weight w: its weights are too large or too small"),
            "{error}"
        );
    }
}

// proves: B9
#[test]
fn ten_thousand_columns_are_ordinary_work() {
    let names: Vec<String> = (0..10_000).map(|number| format!("q{number}_x")).collect();
    let row = |number: usize| vec![(number % 5 + 1).to_string(); 10_000].join(",");
    let mut text = names.join(",");
    for number in 0..20 {
        text += "\n";
        text += &row(number);
    }
    let study = one(&[file("wide.csv", text)]);
    assert_eq!(
        (study.columns.len(), study.questions.len(), study.respondents),
        (10_000, 10_000, 20)
    );
}

// proves: B9
#[test]
fn what_is_odd_in_a_table_is_treated_and_noted() {
    let data = "q1,q1,,empty,w\n1,2,3,,1\n1,2\n2,1,3,,0,9\n1,1,1,,-1\n2,2,2,,\n";
    let words = "variable,label,values,role\nq1,Buy?,1=Yes,\nw,,,weight\nq9,Gone,,\n";
    let study = one(&[file("a.csv", data), file("a.codebook.csv", words)]);
    insta::assert_snapshot!(told(&study));
}

#[test]
fn a_record_too_long_takes_none_with_it_where_carriage_returns_end_lines() {
    let project = read_project(&[file("w.csv", "id,q1\ra,1\rb,2,3\rc,4\r")]).unwrap();
    hold(&project);
    assert_eq!(project.studies[0].respondents, 2);
}

#[test]
fn bytes_that_claim_to_unfold_without_end_are_refused() {
    // A header of many columns, and many short lines: more cells than the file can honestly hold.
    let text = vec!["a"; 60_000].join(",") + &"\n1,1".repeat(60_000);
    let error = wrong(&[file("a.csv", text)]);
    assert!(error.contains("unpacks to more than"), "{error}");
}
