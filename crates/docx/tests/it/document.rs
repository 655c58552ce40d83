use docx::{Meta, Paper};
use render::{
    Block, Document, Figure, Labels, Line, Link, List, Note, NotedSource, Picture, Table,
};

use crate::reading::{Parts, written};

fn note(number: u32, words: &str, link: Option<&str>) -> NotedSource {
    let lines = vec![
        Line::new().mark(number).text(" Lawyers"),
        format!("\"{words}\"").into(),
        format!("https://example.org/{number}, bytes 1..2 (quoted)").into(),
    ];
    Note { number, lines, listed: vec![], link: link.and_then(Link::read) }.into()
}

/// Returns style and text of every paragraph, a line each.
fn read_shown(parts: &Parts) -> Vec<String> {
    parts.paragraphs().iter().map(|one| format!("{}: {}", one.style, one.text)).collect()
}

// proves: F6
#[test]
fn a_mark_is_a_footnote_once_and_leads_there_from_then_on() {
    let mut report = Document { title: Some("Lawyers".into()), blocks: vec![] };
    report.heading(Line::from("Counted").marks(&[1]));
    report.paragraph(Line::from("There are many.").marks(&[1]).text(" So says").marked("[1, 2]"));
    report.paragraph(Line::from("Nobody counted [7] them.").mark(9));
    report.notes(
        "Sources",
        vec![
            note(1, "Many.", Some("https://example.org/1#:~:text=Many")),
            note(2, "More.", None),
            note(3, "Unread.", Some("https://example.org/3")),
        ],
    );
    let parts = written(&report);
    parts.check();
    assert_eq!(
        read_shown(&parts),
        [
            "Title: Lawyers",
            "Heading1: Counted {note_1:[1]}",
            "BodyText: There are many. {1}{source_1:[1]} So says{note_1:[1]}{2}{source_2:[2]}",
            "BodyText: Nobody counted [7] them.[9]",
            "Heading1: Sources",
            "Bibliography: [3] Lawyers\n\"Unread.\"\n{:https://example.org/3}, bytes 1..2 (quoted)",
        ]
    );
    let footnotes = parts.footnotes();
    assert_eq!(
        footnotes["1"],
        "[1] Lawyers — \"Many.\" — {:https://example.org/1}, bytes 1..2 (quoted)"
    );
    assert_eq!(
        footnotes["2"],
        "[2] Lawyers — \"More.\" — https://example.org/2, bytes 1..2 (quoted)"
    );
    assert_eq!(footnotes.len(), 2);
    let links = parts.text("word/_rels/footnotes.xml.rels");
    assert!(links.contains("Target=\"https://example.org/1#:~:text=Many\" TargetMode"), "{links}");
}

// proves: F3, F6
#[test]
fn marks_and_footnotes_have_the_labels_of_the_report() {
    let mut report = Document { title: Some("Lawyers".into()), blocks: vec![] };
    report
        .paragraph(Line::from("There are many.").marks(&[1, 2]).text(" So says").marked("[1, 3]"));
    report.notes("Sources", [1, 2, 3].map(|number| note(number, "Many.", None)).into());
    report.paragraph(Line::new().mark_source(&[1, 3]).text(" Lawyers of Texas."));
    report.label(&Labels::of([(1, "a"), (2, "b"), (3, "a")]));
    let parts = written(&report);
    parts.check();
    assert_eq!(
        read_shown(&parts),
        [
            "Title: Lawyers",
            "BodyText: There are many. {1}{source_1:[1a]} {2}{source_2:[2]} So says{note_1:[1a]}{3}{source_3:[1b]}",
            "BodyText: {note_1:[1]} Lawyers of Texas.",
        ]
    );
    let begin =
        |id: &str, label: &str| parts.footnotes()[id].starts_with(&format!("[{label}] Lawyers"));
    assert!(begin("1", "1a") && begin("2", "2") && begin("3", "1b"), "{:?}", parts.footnotes());
}

// proves: F6
#[test]
fn a_note_stands_in_a_heading_only_where_nothing_else_has_its_mark_and_never_in_the_head_of_a_table()
 {
    let mut report = Document::default();
    report.heading(Line::from("First").marks(&[1]));
    let mut table = Table::with(["A"]);
    table.columns[0].0 = Line::from("Head").marks(&[1, 2]);
    table.row([Line::from("cell").marks(&[1])]);
    report.table(table);
    report.notes("Sources", vec![note(1, "a", None), note(2, "b", None)]);
    let parts = written(&report);
    parts.check();
    let shown = read_shown(&parts);
    assert_eq!(shown[1], "Heading1: First {note_1:[1]}");
    assert_eq!(shown[2], "TableHead: Head {note_1:[1]} {note_2:[2]}");
    assert_eq!(shown[3], "TableText: cell {1}{source_1:[1]}");
    assert!(shown.iter().any(|one| one.starts_with("Bibliography: [2] Lawyers")), "{shown:?}");
    report.blocks.truncate(1);
    report.notes("Sources", vec![note(1, "a", None)]);
    assert_eq!(written(&report).paragraphs()[1].text, "First {1}{source_1:[1]}");
}

// proves: F6
#[test]
fn marks_of_figures_lead_to_their_headings() {
    let mut report = Document::default();
    report.paragraph(Line::from("It fell.").marks(&[1]));
    report.subheading(Line::new().anchor(1).text("Figure 1"));
    let parts = written(&report);
    assert_eq!(parts.paragraphs()[1].text, "It fell. {figure_1:[1]}");
    assert!(parts.text("word/document.xml").contains("w:name=\"figure_1\""));
}

// proves: F6
#[test]
fn every_block_has_a_style_of_its_own() {
    let mut report = Document::default();
    report.blocks.push(Block::Heading { level: 1, line: "The title".into() });
    report.heading("Section");
    report.subheading("Part");
    report.paragraph("Text");
    report.items(["a"]);
    let nested = Block::List(List {
        start: Some(3),
        is_tight: false,
        items: vec![vec![Block::Paragraph("three".into())], vec![]],
    });
    let items = vec![vec![Block::Paragraph("b".into()), Block::Paragraph("more".into()), nested]];
    report.blocks.push(Block::List(List { start: None, is_tight: false, items }));
    report.quotation("Quoted");
    report.code("a\n\tb", "py");
    report.blocks.push(Block::Fold { title: "Fold".into(), blocks: vec![] });
    report.blocks.push(Block::Rule);
    let parts = written(&report);
    parts.check();
    assert_eq!(
        read_shown(&parts),
        [
            "Title: The title",
            "Heading1: Section",
            "Heading2: Part",
            "BodyText: Text",
            "ListBullet: a",
            "ListBullet: b",
            "ListContinue: more",
            "ListNumber: three",
            "ListNumber: ",
            "Quote: Quoted",
            "Code: a\n\tb",
            "Heading2: Fold",
            "Rule: ",
        ]
    );
    let styles = parts.text("word/styles.xml");
    for one in parts.paragraphs() {
        assert!(styles.contains(&format!("w:styleId=\"{}\"", one.style)), "{}", one.style);
    }
    let numbering = parts.text("word/numbering.xml");
    assert_eq!(numbering.matches("<w:num ").count(), 3);
    assert!(numbering.contains("<w:lvlOverride w:ilvl=\"1\"><w:startOverride w:val=\"3\"/>"));
}

// proves: F6
#[test]
fn a_table_is_a_table_whose_head_is_repeated() {
    let mut report = Document::default();
    let mut table = Table::with(["Name", "Price#"]);
    table.row(["Harvey".into(), "$ 40".into()]);
    table.row(["Robin".into()]);
    table.row(["One".into(), "too".into(), "many".into()]);
    report.table(table);
    let parts = written(&report);
    parts.check();
    let xml = parts.text("word/document.xml");
    assert_eq!(xml.matches("<w:tblHeader/>").count(), 1);
    assert_eq!(xml.matches("<w:tc>").count(), 12);
    assert_eq!(xml.matches("<w:gridCol ").count(), 3);
    assert_eq!(xml.matches("<w:jc w:val=\"right\"/>").count(), 4);
}

// proves: F6
#[test]
fn a_figure_is_a_picture_in_two_formats_that_says_what_it_shows() {
    let svg = "<svg role=\"img\" viewBox=\"0 0 90 40\" width=\"90\" height=\"40\" fill=\"none\" stroke=\"currentColor\" font-size=\"12\">\n\
               <title>Bars &amp; more</title><desc>a: 1</desc><rect x=\"0\" y=\"0\" width=\"9\" height=\"9\"/>\
               <text x=\"20\" y=\"20\" fill=\"currentColor\" stroke=\"none\">Letters</text></svg>";
    let figure = Figure {
        title: "Satisfied".into(),
        measure: "top 2".into(),
        svg: svg.into(),
        key: "n: respondents.".into(),
        values: None,
    };
    let broken = Figure { svg: "<svg".into(), title: "Broken".into(), ..Figure::default() };
    let mut report = Document::default();
    report.picture(Picture { figures: vec![figure, broken], ..Picture::default() });
    let parts = written(&report);
    parts.check();
    assert_eq!(
        read_shown(&parts)[1..],
        [
            "Caption: Satisfied top 2",
            "Figure: ",
            "FigureKey: n: respondents.",
            "Caption: Broken",
            "Figure: "
        ]
    );
    let png = &parts.0["word/media/figure1.png"];
    assert!(png.starts_with(b"\x89PNG"));
    let drawn = resvg::tiny_skia::Pixmap::decode_png(png).unwrap();
    assert_eq!((drawn.width(), drawn.height()), (270, 120));
    let is_dark = |x: u32, y: u32| drawn.pixel(x, y).is_some_and(|pixel| pixel.red() < 128);
    let letters = (60..150).flat_map(|x| (20..70).map(move |y| (x, y)));
    assert!(letters.filter(|(x, y)| is_dark(*x, *y)).count() > 200, "letters are drawn");
    let svg = parts.text("word/media/figure1.svg");
    assert!(svg.starts_with("<svg xmlns=") && !svg.contains("currentColor"), "{svg}");
    let xml = parts.text("word/document.xml");
    assert!(xml.contains("descr=\"Bars &amp; more. a: 1\""), "{xml}");
    assert!(xml.contains("<a:blip r:embed=\"png1\">") && xml.contains("r:embed=\"svg1\""));
}

// proves: F6
#[test]
fn a_long_report_begins_with_a_table_of_contents_and_a_short_one_does_not() {
    let mut report = Document { title: Some("Long".into()), blocks: vec![] };
    for section in 0..6 {
        report.heading(format!("Section {section}"));
        report.paragraph("many words ".repeat(200));
    }
    let parts = written(&report);
    parts.check();
    let xml = parts.text("word/document.xml");
    assert!(xml.contains(" TOC \\o &quot;1-2&quot; \\h \\z \\u "), "{xml}");
    let entries: Vec<String> = parts
        .paragraphs()
        .into_iter()
        .filter(|one| one.style == "TOC1")
        .map(|one| one.text)
        .collect();
    assert_eq!(entries.len(), 6);
    assert_eq!(entries[5], "{_Toc00000006:Section 5}");
    assert!(xml.contains("w:name=\"_Toc00000006\""));
    for section in 0..6 {
        report.blocks.insert(3 * section + 1, Block::Heading { level: 3, line: "As ever".into() });
    }
    let repeated = written(&report);
    repeated.check();
    assert!(repeated.paragraphs().iter().all(|one| one.style != "TOC2"), "headings that repeat");
    report.blocks.truncate(4);
    assert!(!written(&report).text("word/document.xml").contains("instrText"));
}

// proves: F6
#[test]
fn a_document_says_what_it_is_and_is_the_same_each_time() {
    let mut report = Document::default();
    report.paragraph("Text");
    let meta = Meta {
        title: "A <b> & c".into(),
        language: "de".into(),
        created_at: Some("2026-11-27T12:00:00Z".into()),
        paper: Paper::Letter,
        ..Meta::default()
    };
    let file = docx::write(&report, &meta).unwrap();
    assert_eq!(file, docx::write(&report, &meta).unwrap());
    let parts = Parts::of(&file);
    parts.check();
    let core = parts.text("docProps/core.xml");
    assert!(core.contains("<dc:title>A &lt;b&gt; &amp; c</dc:title>"), "{core}");
    assert!(core.contains(">2026-11-27T12:00:00Z</dcterms:created>"), "{core}");
    assert!(parts.text("word/styles.xml").contains("<w:lang w:val=\"de-DE\""));
    assert!(parts.text("word/document.xml").contains("<w:pgSz w:w=\"12240\" w:h=\"15840\"/>"));
    assert!(parts.text("word/header1.xml").contains("A &lt;b&gt; &amp; c"));
    assert!(parts.text("word/footer1.xml").contains("PAGE"));
}
