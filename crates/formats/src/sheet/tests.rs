use proptest::prelude::*;

use crate::archive::tests::zipped;
use crate::{Bounds, Fault, Parsed};

use super::*;

const TYPES: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";

/// Returns an XLSX of sheets, each with its name, its state and its XML within `<worksheet>`.
fn book(sheets: &[(&str, &str, &str)], others: &[(&str, &str)]) -> Vec<u8> {
    let mut files: Vec<(String, String)> = Vec::new();
    let (mut list, mut relations) = (String::new(), String::new());
    for (index, (name, state, xml)) in sheets.iter().enumerate() {
        list.push_str(&format!("<sheet name=\"{name}\" state=\"{state}\" r:id=\"s{index}\"/>"));
        relations.push_str(&format!("<Relationship Id=\"s{index}\" Type=\"{TYPES}/worksheet\" Target=\"worksheets/s{index}.xml\"/>"));
        files
            .push((format!("xl/worksheets/s{index}.xml"), format!("<worksheet>{xml}</worksheet>")));
    }
    for part in ["sharedStrings", "styles"] {
        relations.push_str(&format!(
            "<Relationship Id=\"{part}\" Type=\"{TYPES}/{part}\" Target=\"{part}.xml\"/>"
        ));
    }
    let strings = "<sst><si><t>Port</t></si><si><r><t>Met</t></r><r><t>res</t></r><rPh><t>no</t></rPh></si><si><t>Brest</t></si><si><t>Dover</t></si></sst>";
    let styles = "<styleSheet><numFmts><numFmt numFmtId=\"164\" formatCode=\"#,##0.0 &quot;m&quot;\"/></numFmts>\
                  <cellXfs><xf numFmtId=\"0\"/><xf numFmtId=\"164\"/><xf numFmtId=\"14\"/><xf numFmtId=\"9\"/></cellXfs></styleSheet>";
    files.extend([
        ("_rels/.rels".to_owned(), format!("<Relationships><Relationship Id=\"a\" Type=\"{TYPES}/officeDocument\" Target=\"xl/workbook.xml\"/></Relationships>")),
        ("xl/workbook.xml".to_owned(), format!("<workbook><sheets>{list}</sheets></workbook>")),
        ("xl/_rels/workbook.xml.rels".to_owned(), format!("<Relationships>{relations}</Relationships>")),
        ("xl/sharedStrings.xml".to_owned(), strings.to_owned()),
        ("xl/styles.xml".to_owned(), styles.to_owned()),
        ("docProps/core.xml".to_owned(), "<p><title>Tides</title><creator>Ada</creator><created>2024-01-31T10:00:00Z</created></p>".to_owned()),
    ]);
    files.retain(|(name, _)| others.iter().all(|(other, _)| other != name));
    files.extend(others.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())));
    let files: Vec<(&str, &str)> =
        files.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    zipped(&files)
}

fn read_book(xml: &str) -> String {
    xlsx::parse(&book(&[("Tides", "visible", xml)], &[]), &Bounds::default()).unwrap().text
}

const PORTS: &str = "<cols><col min=\"6\" max=\"6\" hidden=\"1\"/></cols><sheetData>\
    <row r=\"1\"><c r=\"A1\" t=\"inlineStr\"><is><t>Tides of the west</t></is></c></row>\
    <row r=\"3\"><c r=\"A3\" t=\"s\"><v>0</v></c><c r=\"B3\" t=\"s\"><v>1</v></c><c r=\"C3\" t=\"str\"><f>X()</f><v>Seen</v></c><c r=\"D3\" t=\"str\"><v>Share</v></c><c r=\"E3\" t=\"str\"><v>Open</v></c></row>\
    <row r=\"4\"><c r=\"A4\" t=\"s\"><v>2</v></c><c r=\"B4\" s=\"1\"><v>6.9</v></c><c r=\"C4\" s=\"2\"><v>45322</v></c><c r=\"D4\" s=\"3\"><v>0.25</v></c><c r=\"E4\" t=\"b\"><v>1</v></c><c r=\"F4\"><v>99</v></c></row>\
    <row r=\"5\" hidden=\"1\"><c r=\"A5\"><v>77</v></c></row>\
    <row r=\"6\"><c r=\"B6\" s=\"1\"><v>1234.5</v></c><c r=\"D6\" t=\"e\"><v>#N/A</v></c></row>\
    <row r=\"9\"><c r=\"A9\" t=\"s\"><v>3</v></c><c r=\"B9\"><v>1</v></c></row>\
    <row r=\"10\"><c r=\"A10\"><v>2</v></c><c r=\"B10\"><v>3</v></c></row>\
    </sheetData><mergeCells><mergeCell ref=\"A4:A6\"/></mergeCells>";

// proves: A6
#[test]
fn a_sheet_is_its_tables_as_they_are_shown() {
    let notes = format!(
        "<Relationships><Relationship Id=\"c\" Type=\"{TYPES}/comments\" Target=\"../comments1.xml\"/></Relationships>"
    );
    let comments = "<comments><commentList><comment ref=\"B4\"><text><r><t>At spring</t></r><r><t> tide.</t></r></text></comment></commentList></comments>";
    let bytes = book(
        &[
            ("Tides", "visible", PORTS),
            ("Old", "hidden", "<sheetData><row><c t=\"str\"><v>secret</v></c></row></sheetData>"),
        ],
        &[("xl/worksheets/_rels/s0.xml.rels", &notes), ("xl/comments1.xml", comments)],
    );
    let Parsed { title, text, metadata, .. } = xlsx::parse(&bytes, &Bounds::default()).unwrap();
    assert_eq!(
        text,
        "# Tides\n\nTides of the west\n\n\
         | Port | Metres | Seen | Share | Open |\n| --- | --- | --- | --- | --- |\n\
         | Brest | 6.9 m | 2024-01-31 | 25% | TRUE |\n| Brest | 1,234.5 m |  | #N/A |  |\n\n\
         - Note on B4: At spring tide.\n\n\
         | A | B |\n| --- | --- |\n| Dover | 1 |\n| 2 | 3 |\n\n\
         Hidden and left out here: 1 row and 1 column.\n\n\
         # Hidden sheet\n\nHidden and left out here is the sheet Old."
    );
    assert_eq!(title.as_deref(), Some("Tides"));
    assert_eq!(
        (
            metadata["author"].as_str(),
            metadata["created"].as_str(),
            metadata["hidden sheets"].as_str()
        ),
        ("Ada", "2024-01-31", "Old")
    );
    assert_eq!(
        metadata["left_out"],
        "1 hidden row of the sheet Tides; 1 hidden column of the sheet Tides; the hidden sheet Old"
    );
}

// proves: A6
#[test]
fn a_form_has_no_head_and_a_merged_row_names_those_below() {
    let row = |number: usize, cells: &[&str]| {
        let cells: String = cells
            .iter()
            .zip(["A", "B", "C"])
            .map(|(text, column)| format!("<c r=\"{column}{number}\" t=\"str\"><v>{text}</v></c>"))
            .collect();
        format!("<row r=\"{number}\">{cells}</row>")
    };
    let form = row(1, &["Tenant", "Mara Quint"]) + &row(2, &["Landlord", "Otto Fenn"]);
    assert_eq!(
        read_book(&format!("<sheetData>{form}</sheetData>")),
        "# Tides\n\n|  |  |\n| --- | --- |\n| Tenant | Mara Quint |\n| Landlord | Otto Fenn |"
    );
    let rows = [
        row(1, &["Age", "Share", "Count"]),
        row(2, &["Men"]),
        row(3, &["18–24", "54 %", "61"]),
        row(4, &["Women"]),
        row(5, &["18–24", "56 %", "60"]),
    ];
    let merges = "<mergeCells><mergeCell ref=\"A2:C2\"/><mergeCell ref=\"A4:C4\"/></mergeCells>";
    assert_eq!(
        read_book(&format!("<sheetData>{}</sheetData>{merges}", rows.concat())),
        "# Tides\n\n|  | Age | Share | Count |\n| --- | --- | --- | --- |\n| Men | 18–24 | 54 % | 61 |\n| Women | 18–24 | 56 % | 60 |"
    );
}

// proves: A6
#[test]
fn two_head_rows_are_joined() {
    let cell = |at: &str, text: &str| format!("<c r=\"{at}\" t=\"str\"><v>{text}</v></c>");
    let xml = format!(
        "<sheetData><row r=\"1\">{}{}</row><row r=\"2\">{}{}{}</row><row r=\"3\">{}<c r=\"B3\"><v>1</v></c><c r=\"C3\"><v>2</v></c></row></sheetData>\
         <mergeCells><mergeCell ref=\"A1:A2\"/><mergeCell ref=\"B1:C1\"/></mergeCells>",
        cell("A1", "Port"),
        cell("B1", "Tide"),
        cell("A2", ""),
        cell("B2", "High"),
        cell("C2", "Low"),
        cell("A3", "Brest")
    );
    assert_eq!(
        read_book(&xml),
        "# Tides\n\n| Port | Tide High | Tide Low |\n| --- | --- | --- |\n| Brest | 1 | 2 |"
    );
}

// proves: A6
#[test]
fn groups_above_few_columns_belong_to_the_head() {
    let cell = |at: &str, text: &str| format!("<c r=\"{at}\" t=\"str\"><v>{text}</v></c>");
    let row =
        |number: usize, cells: &[String]| format!("<row r=\"{number}\">{}</row>", cells.concat());
    let names = ["A2", "B2", "C2", "D2", "E2"].map(|at| cell(at, &format!("n{at}")));
    let numbers = ["A3", "B3", "C3", "D3", "E3"].map(|at| format!("<c r=\"{at}\"><v>1</v></c>"));
    let xml = format!(
        "<sheetData>{}{}{}</sheetData><mergeCells><mergeCell ref=\"D1:E1\"/></mergeCells>",
        row(1, &[cell("B1", "Now"), cell("D1", "Later")]),
        row(2, &names),
        row(3, &numbers)
    );
    assert!(
        read_book(&xml).starts_with("# Tides\n\n| nA2 | Now nB2 | nC2 | Later nD2 | Later nE2 |\n"),
        "{}",
        read_book(&xml)
    );
}

// proves: A6
#[test]
fn a_sheet_that_claims_all_cells_costs_what_it_has() {
    let xml = "<dimension ref=\"A1:XFD1048576\"/><sheetData><row r=\"1\"><c r=\"A1\"><v>1</v></c></row>\
               <row r=\"1048576\"><c r=\"XFD1048576\"><v>2</v></c></row><row r=\"9999999999\"><c r=\"ZZZ9\"><v>3</v></c></row></sheetData>\
               <mergeCells><mergeCell ref=\"A1:XFD1048576\"/></mergeCells>";
    assert_eq!(read_book(xml), "# Tides\n\n1\n\n| A | XFD |\n| --- | --- |\n| 1 | 2 |");
}

// proves: A6
#[test]
fn a_file_of_separated_values_is_a_table_with_its_title_above() {
    let read = |text: &str| csv::parse(text.as_bytes(), b',', &Bounds::default()).unwrap().text;
    assert_eq!(
        read(
            "Export of 31.1.2024;;\r\n;;\r\nPort;Height;Note\r\nBrest;6,9;\"high;\nwest\"\r\nDover;5,1\r\n"
        ),
        "Export of 31.1.2024\n\n| Port | Height | Note |\n| --- | --- | --- |\n| Brest | 6,9 | high; west |\n| Dover | 5,1 |  |"
    );
    assert_eq!(read("a|b\n1|2\n"), "| a | b |\n| --- | --- |\n| 1 | 2 |");
    assert_eq!(read("sep=;\na;b\n1;2\n"), "| a | b |\n| --- | --- |\n| 1 | 2 |");
    assert_eq!(read("1,2\n3,4\n"), "| A | B |\n| --- | --- |\n| 1 | 2 |\n| 3 | 4 |");
    let open = format!("a,b\n1,\"open\n{}", "2,3\n".repeat(5_000));
    assert!(read(&open).contains("| 2 | 3 |"));
    assert_eq!(read(""), "");
}

// proves: A6
#[test]
fn each_part_of_a_long_table_has_its_head_and_a_very_long_one_is_summarized() {
    let mut text = String::from("port,metres,seen\n");
    for row in 0..2_500 {
        text.push_str(&format!("Port {},{},2024-01-{:02}\n", row % 7, row % 10, row % 28 + 1));
    }
    let read = csv::parse(text.as_bytes(), b',', &Bounds::default()).unwrap().text;
    assert!(read.starts_with(
        "Of this table, 2,500 rows and 3 columns were read. Only the first 2,000 rows follow below; the other 500 rows are left out. \
         The summary of its columns counts all rows that were read.\n\n# Summary of the columns\n\n\
         - port: 2,500 texts, 0 blank, 7 distinct; most often Port 0 (358)"
    ));
    assert!(
        read.contains("\n- metres: 2,500 numbers, 0 blank, 10 distinct; from 0 to 9; most often")
    );
    assert!(read.contains(
        "\n- seen: 2,500 dates, 0 blank, 28 distinct; from 2024-01-01 to 2024-01-28; most often"
    ));
    let parts: Vec<&str> = read.split("\n\n# Rows ").skip(1).collect();
    assert!(parts.len() > 50);
    for part in parts {
        assert!(
            part.contains("\n\n| port | metres | seen |\n| --- | --- | --- |\n")
                && part.len() < 1000,
            "{part}"
        );
    }
    assert!(read.contains("# Rows 2–") && !read.contains("2,003"));
}

// proves: A6
#[test]
fn what_a_sheet_keeps_of_another_file_is_no_sheet() {
    let cache = "<table:table table:name=\"'file:///home/ada/a.ods'#$Sheet1\" table:style-name=\"ta2\"><table:table-source/>\
                 <table:table-row><table:table-cell><text:p>old</text:p></table:table-cell></table:table-row></table:table></office:spreadsheet>";
    let content = CONTENT.replace("</office:spreadsheet>", cache);
    let parsed = ods::parse(&zipped(&[("content.xml", &content)]), &Bounds::default()).unwrap();
    assert!(parsed.text.ends_with("left out here is the sheet Old."), "{}", parsed.text);
    assert!(!parsed.metadata["left_out"].contains("ada"));
}

const CONTENT: &str = "<office:document-content><office:automatic-styles><style:style style:name=\"ta2\"><style:table-properties table:display=\"false\"/></style:style></office:automatic-styles>\
    <office:body><office:spreadsheet><table:table table:name=\"Tides\" table:style-name=\"ta1\"><table:table-column table:number-columns-repeated=\"16384\"/>\
    <table:table-row><table:table-cell><text:p>Port</text:p></table:table-cell><table:table-cell><text:p>Metres</text:p></table:table-cell><table:table-cell><text:p>Seen</text:p></table:table-cell></table:table-row>\
    <table:table-row><table:table-cell table:number-rows-spanned=\"2\"><office:annotation><dc:creator>Ada</dc:creator><text:p>In the west.</text:p></office:annotation><text:p>Brest<text:s/>harbour</text:p></table:table-cell>\
    <table:table-cell office:value-type=\"percentage\" office:value=\"0.069\"><text:p>6.9%</text:p></table:table-cell>\
    <table:table-cell office:value-type=\"date\" office:date-value=\"2024-01-31\"><text:p>31.01.24</text:p></table:table-cell></table:table-row>\
    <table:table-row><table:covered-table-cell/><table:table-cell office:value-type=\"float\" office:value=\"5\"><text:p>5</text:p></table:table-cell></table:table-row>\
    <table:table-row table:visibility=\"filter\"><table:table-cell><text:p>gone</text:p></table:table-cell></table:table-row>\
    <table:table-row table:number-rows-repeated=\"1048571\"><table:table-cell table:number-columns-repeated=\"16384\"/></table:table-row>\
    </table:table><table:table table:name=\"Old\" table:style-name=\"ta2\"><table:table-row><table:table-cell><text:p>secret</text:p></table:table-cell></table:table-row></table:table>\
    </office:spreadsheet></office:body></office:document-content>";

// proves: A6
#[test]
fn an_ods_says_what_its_cells_show() {
    let bytes = zipped(&[
        ("content.xml", CONTENT),
        (
            "meta.xml",
            "<office:document-meta><office:meta><dc:title>T</dc:title></office:meta></office:document-meta>",
        ),
    ]);
    let parsed = ods::parse(&bytes, &Bounds::default()).unwrap();
    assert_eq!(
        parsed.text,
        "# Tides\n\n| Port | Metres | Seen |\n| --- | --- | --- |\n| Brest harbour | 6.9% | 2024-01-31 |\n| Brest harbour | 5 |  |\n\n\
         - Note on A2: In the west.\n\nHidden and left out here: 1 row.\n\n# Hidden sheet\n\nHidden and left out here is the sheet Old."
    );
    assert_eq!(parsed.title.as_deref(), Some("T"));
    let left_out = "1 hidden row of the sheet Tides; the hidden sheet Old";
    assert_eq!(parsed.metadata["left_out"], left_out);
    let locked =
        zipped(&[("META-INF/manifest.xml", "<m><encryption-data/></m>"), ("content.xml", "x")]);
    assert!(matches!(ods::parse(&locked, &Bounds::default()), Err(Fault::Encrypted { .. })));
}

// proves: A6
#[test]
fn cells_that_are_repeated_without_end_are_cut() {
    let content = CONTENT.replace("16384\"/>\n", "").replace(
        "<table:table-row table:number-rows-repeated=\"1048571\"><table:table-cell table:number-columns-repeated=\"16384\"/>",
        "<table:table-row table:number-rows-repeated=\"4000000000\"><table:table-cell table:number-columns-repeated=\"4000000000\"><text:p>x</text:p></table:table-cell>",
    );
    let parsed = ods::parse(&zipped(&[("content.xml", &content)]), &Bounds::default()).unwrap();
    assert!(parsed.text.len() < 16 << 20);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn damaged_files_are_read_or_refused(
        format in 0..3_usize,
        cuts in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0..4_u8), 1..12),
    ) {
        let mut text = [PORTS, CONTENT, "a;b\n1;\"x\ny\"\n\n2;3;4\n"][format].as_bytes().to_vec();
        for (at, byte, what) in cuts {
            let at = at.index(text.len());
            match what {
                0 => text[at] = byte,
                1 => text.insert(at, byte),
                2 => if text.len() > 1 { text.remove(at); },
                _ => { let part = text[at..(at + 40).min(text.len())].to_vec(); text.splice(at..at, part); }
            }
        }
        let bounds = Bounds::default();
        let lossy = String::from_utf8_lossy(&text);
        let _ = match format {
            0 => xlsx::parse(&book(&[("Tides", "visible", &lossy)], &[]), &bounds),
            1 => ods::parse(&zipped(&[("content.xml", &lossy)]), &bounds),
            _ => csv::parse(&text, b',', &bounds),
        };
    }

    #[test]
    fn damaged_archives_are_read_or_refused(at in any::<prop::sample::Index>(), byte in any::<u8>()) {
        let mut bytes = book(&[("Tides", "visible", PORTS)], &[]);
        let at = at.index(bytes.len());
        bytes[at] = byte;
        let _ = xlsx::parse(&bytes, &Bounds::default());
    }
}

// proves: A6
#[test]
fn formulas_without_a_result_are_told() {
    let cell = |at: &str, inner: &str| format!("<c r=\"{at}\">{inner}</c>");
    let blank = "<f>SUM(A1:A2)</f><v></v>";
    let rows = |cells: &[String]| {
        let rows = cells.chunks(2).enumerate();
        let rows =
            rows.map(|(index, row)| format!("<row r=\"{}\">{}</row>", index + 1, row.concat()));
        format!("<sheetData>{}</sheetData>", rows.collect::<String>())
    };
    let some = rows(&[
        "<c r=\"A1\" t=\"str\"><v>Port</v></c>".to_owned(),
        "<c r=\"B1\" t=\"str\"><f>X()</f><v></v></c>".to_owned(),
        cell("A2", "<v>12345678901234567</v>"),
        cell("B2", blank),
        cell("A3", "<v>2</v>"),
        cell("B3", "<f>A3</f>"),
        cell("A4", "<f>A3</f><v>2</v>"),
    ]);
    let parsed = xlsx::parse(&book(&[("Tides", "visible", &some)], &[]), &Bounds::default());
    let parsed = parsed.unwrap();
    assert_eq!(
        parsed.text,
        "# Tides\n\n2 cells have a formula and no stored result, and are blank here: B2, B3. Open the file in a spreadsheet program and \
         save it there to have the results read.\n\n| Port |\n| --- |\n| 12345678901234567 |\n| 2 |\n| 2 |"
    );
    assert_eq!(parsed.metadata["formulas without result"], "2");
    // Nothing was computed yet.
    let zeros = rows(&[cell("A1", "<f>1+1</f><v>0</v>"), cell("B1", "<f>2+2</f><v>0</v>")]);
    let workbook = "<workbook><sheets><sheet name=\"Tides\" r:id=\"s0\"/></sheets><calcPr fullCalcOnLoad=\"1\"/></workbook>";
    let bytes = book(&[("Tides", "visible", &zeros)], &[("xl/workbook.xml", workbook)]);
    let text = xlsx::parse(&bytes, &Bounds::default()).unwrap().text;
    assert!(text.contains("The stored result of all 2 formulas of this file is 0"), "{text}");
    assert!(!read_book(&zeros).contains("stored"));
    let ods = CONTENT.replace(
        "<table:table-cell office:value-type=\"float\" office:value=\"5\"><text:p>5</text:p></table:table-cell>",
        "<table:table-cell table:formula=\"of:=1\"/>",
    );
    let text = ods::parse(&zipped(&[("content.xml", &ods)]), &Bounds::default()).unwrap().text;
    assert!(text.contains("1 cell has a formula and no stored result, and is blank here: B3."));
}
