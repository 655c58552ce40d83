//! Reports as PDF through the program.

use crate::stand::{QUESTION, Stand, examples};

fn answered() -> Stand {
    let stand = Stand::new();
    let told = stand.run(&["ask", QUESTION, "--docs", examples().to_str().unwrap()]);
    assert_eq!(told.code, 0, "{told:?}");
    stand
}

// proves: F6
#[cfg(feature = "pdf")]
#[test]
fn a_result_is_exported_as_pdf_on_the_paper_that_is_asked_for() {
    let stand = answered();
    let export = |name: &str, more: &[&str]| {
        let path = stand.path(name);
        let told = stand
            .run(&[&["runs", "export", "last", "--output", path.to_str().unwrap()], more].concat());
        assert_eq!(told.code, 0, "{told:?}");
        assert!(told.err.contains(name) && !told.err.contains("note:"), "{told:?}");
        std::fs::read(path).unwrap()
    };
    let usual = export("report.pdf", &[]);
    assert!(usual.starts_with(b"%PDF-1.7"));
    assert!(usual == export("again.pdf", &["--paper", "a4", "--format", "pdf"]));
    assert!(usual != export("letter.pdf", &["--paper", "letter"]));
    stand
        .run(&["runs", "export", "last", "--format", "pdf"])
        .fails(2, "pdf is not text and cannot be printed");
    // A folder of everything has it, and a result that is a file becomes one.
    let folder = stand.path("all/");
    let told = stand.run(&["runs", "export", "last", "--output", folder.to_str().unwrap()]);
    assert!(told.code == 0 && folder.join("report.pdf").is_file(), "{told:?}");
    let result = folder.join("result.json");
    let rendered = stand.path("rendered.pdf");
    let (result, rendered) = (result.to_str().unwrap(), rendered.to_str().unwrap());
    let told = stand.run(&["render", result, "--output", rendered]);
    assert_eq!(told.code, 0, "{told:?}");
    assert!(std::fs::read(rendered).unwrap().starts_with(b"%PDF-1.7"));
}

// proves: F6
#[cfg(not(feature = "pdf"))]
#[test]
fn a_program_without_pdf_says_how_to_build_it() {
    let stand = answered();
    let path = stand.path("report.pdf");
    let told = stand.run(&["runs", "export", "last", "--output", path.to_str().unwrap()]);
    told.fails(2, "build of Quaestio cannot write PDF");
    assert!(told.err.contains("--features pdf") && told.err.contains("docx"), "{told:?}");
}
