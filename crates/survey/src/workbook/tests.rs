use std::io::Cursor;

use calamine::{Data, Reader, Xlsx};

use super::*;
use crate::table::{Cell, Heading, RowKind};
use crate::text::example;

fn read(bytes: &[u8]) -> Xlsx<Cursor<&[u8]>> {
    Xlsx::new(Cursor::new(bytes)).unwrap()
}

/// The cells of a sheet, by row and column.
fn cells(bytes: &[u8], sheet: &str) -> impl Fn(u32, u32) -> Data {
    let range = read(bytes).worksheet_range(sheet).unwrap();
    move |row, column| range.get_value((row, column)).cloned().unwrap_or(Data::Empty)
}

fn text(words: &str) -> Data {
    Data::String(words.into())
}

// proves: F6
#[test]
fn values_are_numbers_and_letters_stand_beside_them() {
    let table = example::table();
    let bytes = workbook(std::slice::from_ref(&table), "Tables", &[]).unwrap();
    let cell = cells(&bytes, "W2 Q5");
    assert_eq!(
        cell(0, 0),
        text("W2 · Q5: All in all, how satisfied are you with the city's buses?")
    );
    assert_eq!((cell(2, 3), cell(3, 3), cell(4, 3)), (text("Gender"), text("Female"), text("A")));
    // Bases, with the marks of low ones.
    for (row, label) in
        [(5, "Respondents"), (6, "Base: answered"), (7, "Weighted base"), (8, "Effective base")]
    {
        assert_eq!(cell(row, 0), text(label));
    }
    assert_eq!((cell(5, 1), cell(6, 1)), (Data::Float(1254.0), Data::Float(1250.0)));
    assert_eq!((cell(7, 1), cell(8, 1)), (Data::Float(1250.0 * 1.01), Data::Float(1250.0 * 0.93)));
    assert_eq!((cell(6, 8), cell(6, 10)), (text("*"), text("**")));
    for (row, line) in (9..).zip(&table.rows) {
        assert_eq!(cell(row, 0), text(&line.label));
        for (place, shown) in line.cells.iter().enumerate() {
            let at = 1 + 2 * place as u32;
            let factor = if line.kind == RowKind::Nps { 100.0 } else { 1.0 };
            let value = shown.value.map_or(text("**"), |value| Data::Float(value * factor));
            assert_eq!(cell(row, at), value);
            let letters = if shown.letters.is_empty() { Data::Empty } else { text(&shown.letters) };
            assert_eq!(cell(row, at + 1), letters);
        }
    }
    let last = 9 + table.rows.len() as u32;
    assert_eq!(cell(last + 1, 0), text("Weighted respondents"));
    assert_eq!(cell(last + 2, 1), Data::Float(61.5));
    let footer = last + 2 + 6 + 1;
    for (row, sentence) in (footer..).zip(&table.footer) {
        assert_eq!(cell(row, 0), text(sentence));
    }
}

// proves: F6
#[test]
fn the_index_links_to_every_table_and_every_table_back() {
    let first = example::table();
    let second = Table { question: "Q6".into(), ..example::table() };
    let notes = ["Weights were trimmed.".to_owned()];
    let bytes = workbook(&[first, second], "City buses", &notes).unwrap();
    assert_eq!(read(&bytes).sheet_names(), ["Index", "W2 Q5", "W2 Q6"]);
    let cell = cells(&bytes, "Index");
    assert_eq!((cell(0, 0), cell(1, 0)), (text("City buses"), text(&notes[0])));
    assert_eq!(
        (cell(4, 0), cell(5, 2), cell(5, 5)),
        (text("W2 Q5"), text("Q6"), Data::Float(1250.0))
    );
    let index = part(&bytes, "xl/worksheets/sheet1.xml");
    assert!(index.contains(r#"location="'W2 Q5'!A1""#), "{index}");
    let sheet = part(&bytes, "xl/worksheets/sheet3.xml");
    assert!(sheet.contains(r#"location="Index!A1""#) || sheet.contains(r#"location="'Index'!A1""#));
    // Headings and all respondents stay in view.
    assert!(sheet.contains(r#"<pane xSplit="3" ySplit="5" topLeftCell="D6""#), "{sheet}");
    let styles = part(&bytes, "xl/styles.xml");
    assert!(styles.contains(r#"indent="1""#), "members stand in from their net");
    assert!(styles.contains(r#"formatCode="+0;-0;0""#) && styles.contains("#,##0.0"), "{styles}");
    assert!(sheet.contains("fitToWidth") || sheet.contains("fitToPage"), "{sheet}");
}

/// A part of the workbook.
fn part(bytes: &[u8], name: &str) -> String {
    use std::io::Read;
    let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).unwrap();
    let mut text = String::new();
    archive.by_name(name).unwrap().read_to_string(&mut text).unwrap();
    text
}

// proves: F6
#[test]
fn no_text_becomes_a_formula_or_markup() {
    let nasty = [
        "=1+1",
        "+cmd|' /C calc'!A0",
        "@SUM(A1)",
        "-2+3",
        "\t=1",
        "</t><f>1</f>",
        "_x0041_",
        "a\u{0}b\u{b}",
    ];
    for words in nasty {
        let mut table = example::table();
        table.text = words.into();
        table.rows[0].label = words.into();
        table.columns[1].label = words.into();
        table.columns[1].group = words.into();
        table.footer = vec![words.into()];
        let bytes = workbook(&[table], words, &[words.to_owned()]).unwrap();
        let expected = text(&crate::text::one_line(words));
        let index = cells(&bytes, "Index");
        assert_eq!((index(0, 0), index(1, 0)), (expected.clone(), expected.clone()));
        let cell = cells(&bytes, "W2 Q5");
        assert_eq!(
            (cell(9, 0), cell(3, 3), cell(2, 3)),
            (expected.clone(), expected.clone(), expected)
        );
        for sheet in ["xl/worksheets/sheet1.xml", "xl/worksheets/sheet2.xml"] {
            assert!(!part(&bytes, sheet).contains("<f>"), "{words}");
        }
    }
}

// proves: F6
#[test]
fn the_same_tables_are_the_same_bytes() {
    let tables = [example::table()];
    let made = || workbook(&tables, "Tables", &[]).unwrap();
    assert_eq!(made(), made());
    assert!(part(&made(), "docProps/core.xml").contains("2000-01-01T00:00:00Z"));
}

// proves: F6
#[test]
fn what_no_sheet_holds_is_refused_by_name() {
    let mut wide = example::table();
    wide.columns = vec![wide.columns[1].clone(); 8192];
    let error = workbook(&[wide], "", &[]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the table of Q5 in W2 has 16385 columns; a sheet can have 16384. Choose fewer or shorter questions for the banner"
    );
    let mut long = example::table();
    let mut row = long.rows[0].clone();
    row.cells.clear();
    long.rows = vec![row; MOST_ROWS - 10];
    assert!(matches!(workbook(&[long], "", &[]), Err(WorkbookError::TooLong { .. })));
}

#[test]
fn a_table_without_columns_or_with_too_few_cells_is_written_as_it_is() {
    let mut table = example::table();
    table.rows[0].cells.truncate(1);
    table.rows[1].cells.push(Cell::default());
    table.rows[2].cells[0].value = Some(f64::INFINITY);
    let empty = Table { columns: Vec::<Heading>::new(), rows: vec![], ..example::table() };
    let bytes = workbook(&[table, empty], "", &[]).unwrap();
    assert_eq!(read(&bytes).sheet_names().len(), 3);
    assert_eq!(cells(&bytes, "W2 Q5")(11, 1), text("–"));
}
