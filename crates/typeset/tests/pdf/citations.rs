use render::{Document, Labels, Line, Table};

use crate::read::{Leads, Parsed, copy_text, note, write};

/// A report that cites 7 and 3 in text, 7 again on another page, and never 9.
fn report() -> Document {
    let mut report = Document::default();
    report.heading("Deaths in Soho");
    report.paragraph(Line::from("The handle was removed on 8 September 1854.").marks(&[7]));
    report.paragraph(Line::from("Both say so").marked("[7, 3]").text("."));
    let mut table = Table::with(["Street", "Deaths# of 7"]);
    for row in 0..70 {
        table.row([Line::from(format!("Street {row}")), Line::from(format!("{row}"))]);
    }
    report.table(table);
    report.paragraph(Line::from("It ended.").marks(&[7, 12]));
    report.notes("Sources", [3, 7, 9].map(note).into());
    report
}

// proves: F6
#[test]
fn the_first_mark_of_a_number_is_its_footnote_and_later_ones_lead_to_it() {
    let pdf = write(&report());
    let text = copy_text(&pdf.bytes);
    let pages: Vec<&str> = text.split('\u{c}').collect();
    assert!(pages.len() > 2, "{text}");
    let (first, rest) = (pages[0], pages[1..].concat());
    // The numbers are the report's: 7 is cited first, and is 7 still.
    assert!(first.contains("1854. [7]"), "{first}");
    for number in [7, 3] {
        let quote = format!("The quote of number {number}.");
        let place = format!("https://example.org/{number}, bytes 1..20 (quoted)");
        assert!(first.contains(&quote) && first.contains(&place), "{first}");
        assert!(!rest.contains(&quote), "{rest}");
    }
    let links = Parsed::of(&pdf).links();
    let within = |page: usize| links[page].iter().filter(|lead| matches!(lead, Leads::Within(_)));
    // Two marks of 7, one of 3, and the two notes that lead back.
    assert_eq!(within(0).count(), 5, "{links:?}");
    // From the last page a mark of 7 leads to its footnote on the first; 12 has no note, and is text.
    let last = within(links.len() - 1).filter(|lead| **lead == Leads::Within(1));
    assert_eq!(last.count(), 1, "{links:?}");
    let outside: Vec<&Leads> =
        links[0].iter().filter(|lead| matches!(lead, Leads::To(_))).collect();
    for number in [7, 3] {
        assert!(
            outside.contains(&&Leads::To(format!("https://example.org/{number}"))),
            "{links:?}"
        );
    }
}

// proves: F6
#[test]
fn notes_that_no_mark_refers_to_stay_under_their_title() {
    let pdf = write(&report());
    let text = copy_text(&pdf.bytes);
    let (_, sources) = text.rsplit_once("Sources").unwrap();
    assert!(
        sources.contains("[9] Section 9") && sources.contains("The quote of number 9."),
        "{text}"
    );
    assert!(!sources.contains("The quote of number 3."), "{text}");
    let mut cited = report();
    cited.paragraph(Line::from("And this.").marks(&[9]));
    assert!(!copy_text(&write(&cited).bytes).contains("Sources"));
}

// proves: F3, F6
#[test]
fn marks_and_footnotes_have_the_labels_of_the_report() {
    let mut labelled = report();
    labelled.paragraph(Line::new().mark_source(&[3, 7]).text(" The history of Soho."));
    labelled.label(&Labels::of([(3, "a"), (7, "a"), (9, "b")]));
    let text = copy_text(&write(&labelled).bytes);
    for shown in [
        "1854. [1b]",
        "Both say so[1b, 1a].",
        "[1a] Section 3",
        "[1b] Section 7",
        "[2] Section 9",
        "[1] The history of Soho.",
    ] {
        assert!(text.contains(shown), "{shown}: {text}");
    }
}

// proves: F6
#[test]
fn each_footnote_is_tagged_as_a_note() {
    let parsed = Parsed::of(&write(&report()));
    assert_eq!(parsed.count_tags("Note"), 2);
}

// proves: F6
#[test]
fn a_mark_leads_to_the_row_that_it_stands_for() {
    let mut report = Document::default();
    report.paragraph(Line::from("62.8 % are content.").marks(&[4]));
    let mut table = Table::with(["Number", "Figure#"]);
    table.row([Line::new().anchor(4).mark(4), "62.8 %".into()]);
    report.table(table);
    let links = Parsed::of(&write(&report)).links();
    assert_eq!(links, [vec![Leads::Within(1), Leads::Within(1)]]);
}
