//! Results as Word documents.

use std::fs;

use serde_json::Value;

use crate::stand::{QUESTION, Stand};

// proves: F6
#[test]
fn a_report_is_exported_as_a_word_document_that_can_be_read_again() {
    let stand = Stand::new();
    let json = stand.ask(QUESTION, &["--format", "json"]).out;
    let result: Value = serde_json::from_str(&json).unwrap();
    let folder = stand.path("documents");
    fs::create_dir(&folder).unwrap();
    let report = folder.join("report.docx");
    let path = report.to_str().unwrap();
    let exported = stand.run(&["runs", "export", "last", "--output", path]);
    assert_eq!((exported.code, exported.out.as_str()), (0, ""), "{exported:?}");
    let first = fs::read(&report).unwrap();
    assert!(first.starts_with(b"PK"));
    stand.run(&["runs", "export", "last", "--format", "docx", "--output", path]);
    assert_eq!(first, fs::read(&report).unwrap(), "the same run is the same file");
    // A source of its own: the quote is found in the footnote, as in any document.
    let quote = result["citations"][0]["quote"].as_str().unwrap();
    let ingested = stand.run(&["ingest", folder.to_str().unwrap(), "--collection", "made"]);
    assert_eq!(ingested.code, 0, "{ingested:?}");
    let again = stand.run(&["ask", QUESTION, "--collection", "made"]);
    assert!(again.code == 0 && again.out.contains(quote), "{quote}\n{again:?}");
}

// proves: F6, F9
#[test]
fn a_word_document_is_made_of_a_result_that_is_a_file_and_is_not_printed() {
    let stand = Stand::new();
    let json = stand.ask(QUESTION, &["--format", "json"]).out;
    let file = stand.file("result.json", json);
    let (file, made) = (file.to_str().unwrap(), stand.path("made.docx"));
    let rendered = stand.run(&["render", file, "--output", made.to_str().unwrap()]);
    assert_eq!((rendered.code, rendered.out.as_str()), (0, ""), "{rendered:?}");
    assert!(fs::read(&made).unwrap().starts_with(b"PK"));
    let printed = stand.path("report.md");
    stand.run(&["render", file, "--output", printed.to_str().unwrap()]);
    assert_eq!(fs::read_to_string(printed).unwrap(), stand.run(&["render", file]).out);
    stand
        .run(&["render", file, "--format", "docx"])
        .fails(2, "docx is not text and cannot be printed");
    stand
        .run(&["runs", "export", "last", "--format", "docx"])
        .fails(2, "docx is not text and cannot be printed");
    let folder = stand.path("folder/");
    stand
        .run(&["render", file, "--output", folder.to_str().unwrap()])
        .fails(2, "must name a file here, not a folder");
    let odd = stand.path("made.odt");
    stand
        .run(&["render", file, "--output", odd.to_str().unwrap()])
        .fails(2, "its ending is not a known format");
    let tables = stand.path("made.xlsx");
    stand
        .run(&["render", file, "--output", tables.to_str().unwrap()])
        .fails(2, "the data of the run");
}
