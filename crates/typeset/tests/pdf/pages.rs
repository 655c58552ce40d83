use render::{Alignment, Block, Document, Figure, Line, Picture, Table};
use typeset::{PaperSize, Settings};

use crate::read::{Parsed, copy_text, pdftotext, settings, write};

fn long_report() -> Document {
    let mut report = Document::default();
    for section in 0..8 {
        report.heading(format!("Section {section}"));
        for part in 0..2 {
            report.subheading(format!("Part {section}.{part}"));
            report.paragraph(
                "The water of the pump was bad, and few who drank of it lived. ".repeat(40),
            );
        }
    }
    report
}

// proves: F6
#[test]
fn pages_have_a_number_a_running_title_bookmarks_and_their_properties() {
    let pdf = write(&long_report());
    let text = pdftotext(&pdf.bytes, &["-layout"]);
    let pages: Vec<&str> = text.trim_end_matches('\u{c}').split('\u{c}').collect();
    assert_eq!(pages.len(), pdf.pages);
    for (index, page) in pages.iter().enumerate() {
        let number = format!("{} / {}", index + 1, pages.len());
        assert!(page.trim_end().ends_with(&number), "{page}");
        assert!(page.trim_start().starts_with("What ended the outbreak?"), "{page}");
    }
    assert!(pages[0].contains("Contents"), "{}", pages[0]);
    let parsed = Parsed::of(&pdf);
    let outline = parsed.outline();
    assert_eq!(
        outline[..3],
        [(1, "Section 0".into()), (2, "Part 0.0".into()), (2, "Part 0.1".into())]
    );
    assert_eq!(outline.len(), 8 * 3);
    assert_eq!(parsed.language(), "en");
    assert!(parsed.is_tagged());
    let metadata = parsed.metadata();
    for said in [
        "What ended the outbreak?",
        "2026-03-09",
        "pdfaid:part>2",
        "pdfaid:conformance>A",
        "pdfuaid:part>1",
    ] {
        assert!(metadata.contains(said), "{said}: {metadata}");
    }
}

// proves: F6
#[test]
fn a_short_report_has_no_contents() {
    let mut report = Document::default();
    report.heading("One");
    report.paragraph("A sentence.");
    let pdf = write(&report);
    assert_eq!((pdf.pages, pdf.warnings.as_slice()), (1, [].as_slice()));
    assert!(!copy_text(&pdf.bytes).contains("Contents"));
}

// proves: F6
#[test]
fn the_same_report_is_the_same_file() {
    let (one, other) = (write(&long_report()), write(&long_report()));
    assert!(one.bytes == other.bytes);
    let dated = Settings { date: None, ..settings() };
    let undated = typeset::write(&long_report(), &dated).unwrap();
    assert!(undated.warnings.is_empty(), "{:?}", undated.warnings);
    assert!(!Parsed::of(&undated).metadata().contains("pdfaid:part"));
    assert!(Parsed::of(&undated).metadata().contains("pdfuaid:part>1"));
}

// proves: F6
#[test]
fn paper_is_a4_or_letter() {
    let size = |paper| {
        let pdf = typeset::write(&long_report(), &Settings { paper, ..settings() }).unwrap();
        Parsed::of(&pdf).size()
    };
    assert_eq!((size(PaperSize::A4), size(PaperSize::Letter)), ((595, 842), (612, 792)));
}

// proves: F6
#[test]
fn a_table_repeats_its_head_and_breaks_between_rows() {
    let mut report = Document::default();
    let mut table = Table::with(["Street", "Deaths", "What was said of the water there"]);
    for row in 0..120 {
        let said = "It was clear to look at, and nobody complained of its taste, which was better than that of others.";
        table.row([
            Line::from(format!("Street-{row}")),
            format!("{}", row * 37).into(),
            said.into(),
        ]);
    }
    report.table(table);
    let text = copy_text(&write(&report).bytes);
    let pages: Vec<&str> = text.trim_end_matches('\u{c}').split('\u{c}').collect();
    assert!(pages.len() > 2);
    for page in &pages {
        assert_eq!(page.matches("What was said of the water there").count(), 1, "{page}");
        // No row begins on one page and ends on the next.
        assert_eq!(
            page.matches("It was clear").count(),
            page.matches("of others.").count(),
            "{page}"
        );
    }
    assert!((0..120).all(|row| text.contains(&format!("Street-{row}\n"))), "{text}");
}

// proves: F6
#[test]
fn nothing_of_a_broad_table_is_lost() {
    for columns in [9, 14, 30] {
        let mut report = Document::default();
        report.heading("Broad");
        let head = |column| (Line::from(format!("Head{column}")), Alignment::Left);
        let mut table = Table { columns: (0..columns).map(head).collect(), rows: vec![] };
        for row in 0..4 {
            table.row((0..columns).map(|column| Line::from(format!("cell{row}x{column}"))));
        }
        report.table(table);
        let pdf = write(&report);
        let text = pdftotext(&pdf.bytes, &[]);
        let words: Vec<&str> = text.split_whitespace().collect();
        for column in 0..columns {
            assert!(words.contains(&format!("Head{column}").as_str()), "{columns}: {text}");
            assert!(
                (0..4).all(|row| words.contains(&format!("cell{row}x{column}").as_str())),
                "{text}"
            );
        }
    }
}

// proves: F6
#[test]
fn a_chart_is_drawn_in_lines_and_says_what_it_shows() {
    let svg = "<svg width=\"200\" height=\"60\" stroke=\"currentColor\"><title>Bars &amp; lines</title><desc>a: 1</desc>\
               <rect x=\"10\" y=\"10\" width=\"90\" height=\"9\"/><text x=\"10\" y=\"50\">Größe ≈ 9</text></svg>";
    let figure = Figure {
        title: "Satisfaction".into(),
        measure: "mean".into(),
        svg: svg.into(),
        key: "Grey is last year.".into(),
        values: None,
    };
    let mut report = Document::default();
    let instead = vec![Block::Paragraph("Instead of it.".into())];
    report.picture(Picture {
        heading: "Charts".into(),
        words: String::new(),
        figures: vec![figure],
        instead,
    });
    let pdf = write(&report);
    assert!(pdf.warnings.is_empty(), "{:?}", pdf.warnings);
    let text = copy_text(&pdf.bytes);
    for said in ["Charts", "Satisfaction (mean)", "Größe ≈ 9", "Grey is last year."] {
        assert!(text.contains(said), "{said}: {text}");
    }
    assert!(!text.contains("Instead of it."), "{text}");
    let parsed = Parsed::of(&pdf);
    assert_eq!(parsed.alternative_texts(), ["Bars & lines. a: 1"]);
    assert!(
        !pdf.bytes
            .windows(15)
            .any(|at| at == b"/Subtype /Image" || at.starts_with(b"/Subtype/Image"))
    );
}

// proves: F6
#[test]
fn letters_without_a_glyph_are_named_and_can_be_copied() {
    let mut report = Document::default();
    report.heading("Greek Ελληνικά, Cyrillic Русский, 東京 and कि");
    report.paragraph("They died in 東京, it is said.");
    let pdf = write(&report);
    let [letters] = pdf.warnings.as_slice() else { panic!("{:?}", pdf.warnings) };
    assert!(
        letters.contains("क") && letters.contains("京 東") && !letters.contains('λ'),
        "{letters}"
    );
    let text = copy_text(&pdf.bytes);
    assert!(text.contains("They died in 東京, it is said.") && text.contains("Ελληνικά"), "{text}");
    assert!(Parsed::of(&pdf).metadata().contains("pdfaid:conformance>A"));
}
