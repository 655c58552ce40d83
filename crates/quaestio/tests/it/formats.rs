//! PDF, DOCX and EPUB through the program, and what becomes of files that break their readers.

use crate::stand::{Stand, examples};

/// A PDF of one page with this text, as small as one can be.
pub(crate) fn pdf(text: &str) -> String {
    let stream = format!("BT /F1 12 Tf 72 720 Td ({text}) Tj ET");
    let objects = [
        "<</Type/Catalog/Pages 2 0 R>>".to_owned(),
        "<</Type/Pages/Kids[3 0 R]/Count 1>>".to_owned(),
        "<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>"
            .to_owned(),
        format!("<</Length {}>>\nstream\n{stream}\nendstream", stream.len()),
        "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>".to_owned(),
    ];
    let mut file = "%PDF-1.4\n".to_owned();
    let mut offsets = Vec::new();
    for (number, object) in (1..).zip(objects) {
        offsets.push(file.len());
        file.push_str(&format!("{number} 0 obj\n{object}\nendobj\n"));
    }
    let table = file.len();
    file.push_str("xref\n0 6\n0000000000 65535 f \n");
    for offset in offsets {
        file.push_str(&format!("{offset:010} 00000 n \n"));
    }
    file.push_str(&format!("trailer\n<</Size 6/Root 1 0 R>>\nstartxref\n{table}\n%%EOF\n"));
    file
}

// proves: A6, C13
#[test]
fn a_citation_of_a_pdf_names_its_page() {
    let stand = Stand::new();
    let docs = examples().parent().unwrap().join("cholera-more");
    let docs = docs.to_str().unwrap();
    let ask = |question: &str, format: &str| {
        stand.run(&["ask", question, "--docs", docs, "--format", format])
    };
    let told = ask("When did cholera kill more than 1,500 people in Newcastle upon Tyne?", "json");
    assert_eq!(told.code, 0, "{told:?}");
    let answer = told.json();
    let citation = &answer["citations"][0];
    assert_eq!((&citation["page"], &citation["verdict"]), (&2.into(), &"quoted".into()));
    assert!(citation["quote"].as_str().unwrap().contains("autumn of 1853"), "{citation}");
    // The span stands in the stored text, page or not.
    let (id, start, end) = (
        stand.rows("SELECT id FROM documents WHERE path LIKE '%.pdf'"),
        citation["start"].as_u64().unwrap(),
        citation["end"].as_u64().unwrap(),
    );
    let id = id[0].trim_start_matches("Text(\"").trim_end_matches("\")").to_owned();
    let shown = stand.run(&["documents", "show", &id, "--span", &format!("{start}..{end}")]).out;
    assert_eq!(shown.trim_end(), citation["quote"].as_str().unwrap());
    let told =
        ask("Who was the first person in Britain whose death from cholera was recognised?", "md");
    // Two statements of one source: it is named once, and each has its page.
    assert!(told.out.contains("cholera-outside-london.pdf\n\n- [1a] "), "{told:?}");
    assert!(told.out.contains("\n  page 1, bytes"), "{told:?}");
    let told = ask("In which village was William Farr born?", "md");
    assert!(
        told.out.contains("Kenley")
            && told.out.contains("farr-and-elevation.docx\n")
            && !told.out.contains("page 1"),
        "{told:?}"
    );
}

// proves: A6
#[test]
fn a_file_that_breaks_its_reader_costs_only_itself() {
    let stand = Stand::new();
    stand.file("docs/good.pdf", pdf("The lighthouse was lit in 1811."));
    stand.file("docs/cut.pdf", &pdf("This one was cut short somewhere.")[..180]);
    stand.file("docs/empty.docx", b"PK\x03\x04 not an archive at all");
    stand.file("docs/locked.pdf", {
        let text = pdf("secret");
        let locked = "/Encrypt<</Filter/Standard/V 1/R 2/O<00>/U<00>/P -4>>/Root 1 0 R";
        text.replace("/Root 1 0 R", locked).into_bytes()
    });
    let told = stand.run(&["ingest", "docs"]);
    assert_eq!(told.code, 4, "{told:?}");
    assert!(told.out.contains("1 added"), "{told:?}");
    for part in ["cut.pdf: the PDF is damaged", "empty.docx: ", "locked.pdf: the PDF is encrypted"]
    {
        assert!(told.err.contains(part), "{part} is not in {told:?}");
    }
    let told = stand.run(&["ask", "When was the lighthouse lit?"]);
    assert!(told.out.contains("1811") && told.out.contains("good.pdf, page 1"), "{told:?}");
}
