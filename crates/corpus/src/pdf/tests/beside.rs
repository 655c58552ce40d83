//! Forms, notes, scans and fonts that do not say what their signs are.

use super::*;

/// Returns a form: a page with these instructions, and these fields and notes on it.
fn form(content: &str, annotations: &[&str], catalog: &str) -> Vec<u8> {
    let numbers: Vec<String> =
        (0..annotations.len()).map(|index| format!("{} 0 R", 6 + index)).collect();
    let list = numbers.join(" ");
    let mut objects = vec![
        format!("<< /Type /Catalog /Pages 2 0 R {catalog} >>").replace("FIELDS", &list),
        "<< /Type /Pages /Kids [4 0 R] /Count 1 >>".to_owned(),
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>"
            .to_owned(),
        format!(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Resources << /Font << /F 3 0 R >> >> /Contents 5 0 R /Annots [{list}] >>"
        ),
        format!("<< /Length {} >>\nstream\n{content}\nendstream", content.len()),
    ];
    objects.extend(annotations.iter().map(|&it| it.to_owned()));
    assembled(&objects)
}

const FORM: &str = "/AcroForm << /Fields [FIELDS] >>";

// proves: A6
#[test]
fn what_was_filled_into_a_form_stands_beside_its_label() {
    let page = write(10, 50, 700, "First name")
        + &write(10, 300, 700, "Last name:")
        + &write(10, 50, 680, "Country ________________")
        + &write(10, 70, 660, "I drink tea")
        + &write(10, 170, 660, "I drink coffee")
        + &write(10, 50, 630, "Remarks of the guest");
    let fields = [
        "<< /Type /Annot /Subtype /Widget /FT /Tx /T (a1) /V (Ann) /Rect [120 695 280 710] >>",
        "<< /Type /Annot /Subtype /Widget /FT /Tx /T (a2) /V <FEFF004200F6006C006C> /Rect [360 695 560 710] >>",
        "<< /Type /Annot /Subtype /Widget /FT /Ch /T (c) /Opt [[(fr) (France)] [(it) (Italy)]] /V (it) /Rect [92 676 220 692] >>",
        "<< /Type /Annot /Subtype /Widget /FT /Btn /T (t) /V /Yes /AS /Yes /Rect [50 656 62 668] >>",
        "<< /Type /Annot /Subtype /Widget /FT /Btn /T (k) /V /Off /AS /Off /Rect [150 656 162 668] >>",
        "<< /Type /Annot /Subtype /Widget /FT /Tx /T (r) /Ff 4096 /V (No sugar.) /Rect [50 590 500 626] >>",
        "<< /Type /Annot /Subtype /Widget /FT /Tx /T (x) /TU (Number of cups) /V (7) /Rect [50 100 90 120] >>",
        "<< /Type /Annot /Subtype /Widget /FT /Tx /T (secret) /Ff 8192 /V (tea) /Rect [50 60 90 80] >>",
        "<< /Type /Annot /Subtype /Widget /FT /Tx /F 2 /T (hidden) /V (unseen) /Rect [50 40 90 55] >>",
    ];
    let document = opened(&form(&page, &fields, FORM)).unwrap();
    assert_eq!(
        document.text,
        "First name: Ann Last name: Böll\n\nCountry: Italy\n\n☒ I drink tea ☐ I drink coffee\n\nRemarks of the guest: No sugar.\n\nNumber of cups: 7"
    );
}

// proves: A6
#[test]
fn a_form_with_nothing_else_on_it_is_no_empty_file() {
    let fields =
        ["<< /Type /Annot /Subtype /Widget /FT /Tx /T (Drink) /V (Tea) /Rect [0 0 9 9] >>"];
    assert_eq!(opened(&form(" ", &fields, FORM)).unwrap().text, "Drink: Tea");
}

// proves: A6
#[test]
fn a_form_that_cannot_be_read_says_so() {
    let page =
        lines(50, 700, &["Please wait. If this message is not replaced, get another program."]);
    let said = opened(&form(&page, &[], "/AcroForm << /Fields [] /XFA (x) >>")).unwrap_err();
    assert!(said.to_string().contains("XFA form"), "{said}");
}

// proves: A6
#[test]
fn notes_stand_after_the_text_of_their_page_with_who_wrote_them() {
    let notes = [
        "<< /Type /Annot /Subtype /Highlight /T (Ann) /Contents (Is this so?) /Rect [50 600 300 712] >>",
        "<< /Type /Annot /Subtype /Text /Contents (See page 3.) /Rect [50 600 70 620] >>",
        "<< /Type /Annot /Subtype /FreeText /Contents (Approved by the club) /Rect [50 600 70 620] >>",
        "<< /Type /Annot /Subtype /Popup /Contents (Popup) /Rect [50 600 70 620] >>",
        "<< /Type /Annot /Subtype /Link /Contents (Link) /Rect [50 600 70 620] >>",
    ];
    let text = opened(&form(&lines(50, 700, &FIRST), &notes, "")).unwrap().text;
    let after = text.split_once("brands of tea.").unwrap().1;
    assert_eq!(
        after,
        "\n\nComment on marked text by Ann: Is this so?\n\nComment: See page 3.\n\nApproved by the club"
    );
}

// proves: A6
#[test]
fn pages_without_text_are_counted_and_a_little_text_is_read() {
    let picture = "/XObject << /I 8 0 R >>";
    let both =
        drawn(&["/I Do\n".to_owned(), write(10, 50, 700, "Tea is a drink of leaves")], picture);
    let document = opened(&both).unwrap();
    assert_eq!(document.text, "Tea is a drink of leaves");
    assert_eq!(document.metadata["pages_without_text"], "1");
    let stamp = "/I Do ".to_owned() + &write(8, 50, 20, "Scanned with CamScanner");
    let scan = drawn(&[stamp], "/XObject << /I 6 0 R >>");
    assert_eq!(opened(&scan).unwrap_err(), ReadError::Scanned);
}

// proves: A6
#[test]
fn a_font_that_does_not_say_what_its_signs_are_gives_no_headings_and_no_pages() {
    let garbled = "KA>29:92># L\\\\<ID2#";
    let page = write(18, 50, 740, garbled) + &lines(50, 700, &FIRST);
    let document = opened(&drawn(&[page], "")).unwrap();
    assert!(!document.text.starts_with("# "), "{}", document.text);
    assert_eq!(document.title, "a");
    let lost = drawn(&[lines(50, 700, &[garbled; 8]), lines(50, 700, &FIRST)], "");
    let document = opened(&lost).unwrap();
    assert!(document.text.starts_with("We asked 1,204 adults"), "{}", document.text);
    assert_eq!(document.metadata["pages_garbled"], "1");
    assert_eq!(
        opened(&drawn(&[lines(50, 700, &[garbled; 8])], "")).unwrap_err(),
        ReadError::Scanned
    );
}

// proves: A6
#[test]
fn a_file_with_a_junk_title_is_called_by_the_largest_words_of_its_first_page() {
    let page = write(9, 50, 780, "Draft of the club")
        + &write(20, 50, 740, "The tea study*")
        + &write(14, 50, 715, "March 9, 2018")
        + &lines(50, 680, &FIRST);
    let document = opened(&drawn(&[page], "")).unwrap();
    assert_eq!(document.title, "The tea study");
}
