use std::path::Path;

use proptest::prelude::*;
use unicode_normalization::UnicodeNormalization;

use super::*;

mod beside;
mod damaged;
mod hostile;
mod reading;

/// Returns a PDF with one page for each of `contents`, which are drawing instructions; font `/F` is Helvetica.
pub(crate) fn drawn(contents: &[String], more: &str) -> Vec<u8> {
    let mut objects: Vec<String> = Vec::new();
    let kids: Vec<String> =
        (0..contents.len()).map(|index| format!("{} 0 R", 4 + 2 * index)).collect();
    objects.push("<< /Type /Catalog /Pages 2 0 R >>".to_owned());
    objects.push(format!("<< /Type /Pages /Kids [{}] /Count {} >>", kids.join(" "), kids.len()));
    let widths = vec!["500"; 224].join(" ");
    objects.push(format!(
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding /FirstChar 32 /LastChar 255 /Widths [{widths}] >>"
    ));
    for (index, content) in contents.iter().enumerate() {
        objects.push(format!(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Resources << /Font << /F 3 0 R >> {more} >> /Contents {} 0 R >>",
            5 + 2 * index
        ));
        objects.push(format!("<< /Length {} >>\nstream\n{content}\nendstream", content.len()));
    }
    if more.contains("XObject") {
        let number = objects.len() + 1;
        assert!(more.contains(&format!("{number} 0 R")), "the picture is object {number}");
        objects.push("<< /Type /XObject /Subtype /Image /Width 1 /Height 1 /ColorSpace /DeviceGray /BitsPerComponent 8 /Length 1 >>\nstream\nx\nendstream".to_owned());
    }
    assembled(&objects)
}

/// Returns a PDF of these objects, of which the first is the catalog.
fn assembled(objects: &[String]) -> Vec<u8> {
    let mut file = "%PDF-1.4\n".to_owned();
    let mut places = Vec::new();
    for (index, object) in objects.iter().enumerate() {
        places.push(file.len());
        file.push_str(&format!("{} 0 obj\n{object}\nendobj\n", index + 1));
    }
    let start = file.len();
    file.push_str(&format!("xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1));
    for place in places {
        file.push_str(&format!("{place:010} 00000 n \n"));
    }
    file.push_str(&format!(
        "trailer\n<< /Size {} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n",
        objects.len() + 1
    ));
    file.into_bytes()
}

/// Returns instructions that write `text` with its baseline at this position.
fn write(size: u32, x: u32, y: u32, text: &str) -> String {
    format!("BT /F {size} Tf {x} {y} Td ({text}) Tj ET\n")
}

/// Returns instructions that write lines under each other, 14 points apart.
fn lines(x: u32, from: u32, lines: &[&str]) -> String {
    let places = lines.iter().zip(0..);
    places.map(|(line, index)| write(10, x, from - 14 * index, line)).collect()
}

fn opened(bytes: &[u8]) -> Result<Document, ReadError> {
    crate::read(Path::new("a.pdf"), bytes, &Limits::default())
}

const FIRST: [&str; 4] = [
    "We asked 1,204 adults all over the country what they like to",
    "drink in the morning, and most of them said that they drink tea. Coff-",
    "ee came second. In a well-known town the mayor drinks only well-",
    "known brands of tea.",
];

// proves: A6
#[test]
fn lines_become_paragraphs_and_pages_are_known() {
    let head =
        |page: u32| write(8, 250, 780, "The Tea Journal") + &write(8, 300, 20, &page.to_string());
    let second =
        ["Nobody asked the children, because children are not yet", "allowed to drink tea at the"];
    let third = ["club, where the rules are very old and very strict about it.", "End of it."];
    let pages = [
        head(1)
            + &write(18, 50, 740, "The tea study")
            + &write(14, 50, 700, "Method")
            + &lines(50, 670, &FIRST),
        head(2) + &lines(50, 740, &second),
        head(3) + &lines(50, 740, &third),
    ];
    let document = opened(&drawn(&pages, "")).unwrap();
    let expected = "# The tea study\n\n## Method\n\nWe asked 1,204 adults all over the country what they like to drink in the morning, and most of them said that they drink tea. Coffee came second. In a well-known town the mayor drinks only well-known brands of tea.\n\nNobody asked the children, because children are not yet allowed to drink tea at the club, where the rules are very old and very strict about it. End of it.";
    assert_eq!(document.text, expected);
    assert_eq!(document.title, "The tea study");
    assert_eq!(document.sections[0].path, ["The tea study", "Method"]);
    assert_eq!(
        (document.format, document.metadata["engine"].as_str()),
        (Format::Pdf, "pdf-extract")
    );
    let page_at = |words: &str| {
        let start = document.text.find(words).unwrap();
        document.pages_of(start..start + words.len()).iter().map(|it| it.number).collect::<Vec<_>>()
    };
    assert_eq!(page_at("We asked"), [1]);
    assert_eq!(page_at("allowed to drink tea at the club, where"), [2, 3]);
    assert_eq!(page_at("End of it."), [3]);
    assert_eq!(document.pages.len(), 3);
}

/// Returns the sentences about weeks that `text` holds, of the 120 that [`weeks`] writes.
fn weeks_in(text: &str) -> usize {
    let sentence = |week: u32| {
        format!("In week {week} there were {} deaths from cholera.", week * 37 % 101 + 3)
    };
    (1..=120).filter(|week| text.contains(&sentence(*week))).count()
}

/// Returns four pages of thirty lines each, one per week, `leading` points apart, with each page's `head` and `foot` around them.
fn weeks(leading: u32, head: impl Fn(u32) -> String, foot: impl Fn(u32) -> String) -> Vec<String> {
    let page = |page: u32| {
        let line = |line: u32| {
            let week = page * 30 + line + 1;
            let deaths = week * 37 % 101 + 3;
            let text = format!("In week {week} there were {deaths} deaths from cholera.");
            write(10, 50, 740 - leading * line, &text)
        };
        write(8, 50, 780, &head(page + 1))
            + &(0..30).map(line).collect::<String>()
            + &write(8, 300, 10, &foot(page + 1))
    };
    (0..4).map(page).collect()
}

// proves: A6
#[test]
fn lines_that_differ_in_their_numbers_are_no_running_lines() {
    let none = |_| String::new();
    for leading in [12, 14, 20] {
        let text = opened(&drawn(&weeks(leading, none, none), "")).unwrap().text;
        assert_eq!(weeks_in(&text), 120, "{leading} points apart: {text}");
    }
}

// proves: A6
#[test]
fn running_headers_and_page_numbers_go_and_the_lines_beside_them_stay() {
    let head = |page: u32| format!("The Cholera Journal 1849, page {} of 50", page + 31);
    for foot in [|page: u32| (page + 31).to_string(), |page| format!("- {page} -")] {
        let text = opened(&drawn(&weeks(14, head, foot), "")).unwrap().text;
        assert_eq!(weeks_in(&text), 120);
        let rest = text.replace("In week", "").replace("deaths from cholera.", "");
        assert!(!rest.contains("Journal") && !rest.contains('-'), "{rest}");
        assert_eq!(text.split_whitespace().count(), 120 * 9, "{text}");
    }
}

// proves: A6
#[test]
fn what_stands_apart_stays_unless_it_counts_pages_or_never_changes() {
    let deaths =
        |page: u32| format!("In this month {} people died.", [31, 54, 18, 90][page as usize - 1]);
    let text = opened(&drawn(&weeks(14, |_| "Broad Street".to_owned(), deaths), "")).unwrap().text;
    for page in 1..=4 {
        assert!(text.contains(&deaths(page)), "{text}");
    }
    assert!(!text.contains("Broad Street"), "{text}");
}

// proves: A6
#[test]
fn a_line_that_comes_back_stays_where_it_belongs_to_the_body() {
    let first = ["Nobody in the street drank from the pump any more."; 2];
    let pages: Vec<String> = (0..4)
        .map(|page| {
            let rest = ["Then they did", "It was so", "The vicar knew", "Who could say"][page];
            lines(50, 740, &first) + &lines(50, 712, &[rest; 20])
        })
        .collect();
    let text = opened(&drawn(&pages, "")).unwrap().text;
    assert_eq!(text.matches(first[0]).count(), 8, "{text}");
    let titled: Vec<String> = (1..=4)
        .map(|week| write(14, 50, 740, &format!("Week {week}")) + &lines(50, 700, &FIRST))
        .collect();
    let text = opened(&drawn(&titled, "")).unwrap().text;
    for week in 1..=4 {
        assert!(text.contains(&format!("# Week {week}")), "{text}");
    }
}

// proves: A6
#[test]
fn two_columns_are_read_one_after_the_other() {
    let left = [
        "The left column speaks of tea and",
        "goes on for three whole lines and",
        "ends in the middle of a",
    ];
    let right = ["sentence that the right column", "brings to its end."];
    let page = lines(50, 700, &left) + &lines(320, 700, &right);
    let text = opened(&drawn(&[page], "")).unwrap().text;
    assert_eq!(
        text,
        "The left column speaks of tea and goes on for three whole lines and ends in the middle of a sentence that the right column brings to its end."
    );
}

// proves: A6
#[test]
fn rows_of_cells_are_a_table() {
    let rows = [["Drink", "Share"], ["Tea", "54 %"], ["Coffee", "31 %"], ["Milk", "2 %"]];
    let mut page = lines(50, 700, &["Here are the results of the whole study, for all to see."]);
    for (row, index) in rows.iter().zip(0..) {
        page += &write(10, 50, 660 - 16 * index, row[0]);
        page += &write(10, 200, 660 - 16 * index, row[1]);
    }
    let text = opened(&drawn(&[page], "")).unwrap().text;
    assert!(
        text.ends_with(
            "| Drink | Share |\n| --- | --- |\n| Tea | 54 % |\n| Coffee | 31 % |\n| Milk | 2 % |"
        ),
        "{text}"
    );
}

// proves: A6
#[test]
fn a_row_may_lack_cells_and_go_on_in_the_next_line() {
    let rows = [
        ["", "Share", "Place"],
        ["Tea", "54 %", "at home"],
        ["", "", "and at work"],
        ["Coffee", "31 %", "at work"],
        ["Water", "", "anywhere"],
        ["Milk", "2 %", "nowhere"],
    ];
    let mut page = lines(50, 700, &["Here are the results of the whole study, for all to see."]);
    for (row, at) in rows.iter().zip([0, 20, 32, 52, 72, 92]) {
        for (cell, x) in row.iter().zip([50, 200, 300]).filter(|(cell, _)| !cell.is_empty()) {
            page += &write(10, x, 660 - at, cell);
        }
    }
    let text = opened(&drawn(&[page], "")).unwrap().text;
    assert!(
        text.ends_with("|  | Share | Place |\n| --- | --- | --- |\n| Tea | 54 % | at home and at work |\n| Coffee | 31 % | at work |\n| Water |  | anywhere |\n| Milk | 2 % | nowhere |"),
        "{text}"
    );
}

// proves: A6
#[test]
fn cells_with_borders_are_a_table_whatever_the_order_of_their_words() {
    let columns =
        [vec!["Drink", "Tea", "Cof-|fee"], vec!["What they say", "It warms the|hands", "None"]];
    let mut page = lines(50, 700, &["Here are the results of the whole study, for all to see."]);
    page += "50 600 300 75 re S 50 650 m 350 650 l S 50 625 m 350 625 l S 130 600 0.5 75 re f\n";
    for (column, x) in columns.iter().zip([55, 135]) {
        for (cell, y) in column.iter().zip([660, 639, 614]) {
            for (line, down) in cell.split('|').zip([0, 11]) {
                page += &write(8, x, y - down, line);
            }
        }
    }
    page += &lines(50, 560, &["And this stands below the table."]);
    let text = opened(&drawn(&[page], "")).unwrap().text;
    assert!(
        text.contains("|  |  |\n| --- | --- |\n| Drink | What they say |\n| Tea | It warms the hands |\n| Coffee | None |\n\nAnd this"),
        "{text}"
    );
}

// proves: A6
#[test]
fn hebrew_is_read_from_the_right_whichever_way_it_is_drawn() {
    let said = "שתו תה (12 ליום) tea house!";
    let seen: Vec<char> = "!tea house (םויל 12) הת ותש".chars().collect();
    let read = |from_left: bool| {
        let mut page = layout::PageLines::new(1);
        let places = seen.iter().zip(0..);
        let mut glyphs: Vec<(char, i32)> = places.map(|(c, at)| (*c, 50 + 6 * at)).collect();
        if !from_left {
            let start = glyphs.len() - 7;
            glyphs = glyphs.split_off(start);
            glyphs.reverse();
        }
        for (c, x) in glyphs {
            let text = c.to_string();
            let (x, size) = (f64::from(x), 10.0);
            page.add(&layout::Glyph {
                text: &text,
                x,
                y: 0.0,
                along: (1.0, 0.0),
                size,
                advance: 6.0,
            });
        }
        layout::blocks(vec![page]).remove(0).text
    };
    assert_eq!(read(true), said);
    assert_eq!(read(false), "שתו תה");
}

#[test]
fn what_looks_like_markdown_in_a_pdf_stays_text() {
    let page = lines(50, 700, &["# is no heading here, but the sign of a number, and so on."]);
    let document = opened(&drawn(&[page], "")).unwrap();
    assert!(document.text.starts_with("\\# is no heading"));
    assert_eq!(document.sections.len(), 1);
}

// proves: A6
#[test]
fn scans_empty_and_damaged_files_are_named() {
    let picture = "/XObject << /I 6 0 R >>";
    let scan = drawn(&["600 0 0 800 0 0 cm /I Do\n".to_owned()], picture);
    assert_eq!(opened(&scan).unwrap_err(), ReadError::Scanned);
    let stamped = drawn(&["/I Do ".to_owned() + &write(8, 50, 20, "page 1")], picture);
    assert_eq!(opened(&stamped).unwrap_err(), ReadError::Scanned);
    assert_eq!(opened(&drawn(&[" ".to_owned()], "")).unwrap_err(), ReadError::Empty);
    let short = opened(&drawn(&[write(10, 50, 700, "Tea.")], "")).unwrap();
    assert_eq!(short.text, "Tea.");
    let whole = drawn(&[lines(50, 700, &FIRST)], "");
    let damaged = ReadError::Damaged { format: "PDF".to_owned() };
    assert_eq!(opened(&whole[..200]).unwrap_err(), damaged);
    assert_eq!(opened(b"%PDF-1.7").unwrap_err(), damaged);
}

#[test]
fn more_text_than_allowed_is_refused() {
    let file = drawn(&[lines(50, 700, &FIRST)], "");
    let limits = Limits { text_bytes: 50, ..Limits::default() };
    let said = crate::read(Path::new("a.pdf"), &file, &limits);
    assert!(matches!(said, Err(ReadError::TooLarge { limit: 50, .. })), "{said:?}");
}

#[test]
fn a_word_cut_in_two_is_mended_as_the_document_writes_it() {
    let joined = |before: &str, after: &str, known: &[&str]| {
        let mut text = before.to_owned();
        layout::join(&mut text, after, |word| known.contains(&word));
        text
    };
    assert_eq!(joined("some cof-", "fee.", &[]), "some coffee.");
    assert_eq!(joined("a well-", "known town", &["well-known"]), "a well-known town");
    assert_eq!(joined("state-of-the-", "art", &[]), "state-of-the-art");
    assert_eq!(joined("the years 1850-", "1860", &[]), "the years 1850- 1860");
    assert_eq!(joined("Anglo-", "Saxon", &[]), "Anglo-Saxon");
}

#[test]
fn titles_that_programs_write_are_no_titles() {
    let machine = [
        "Microsoft Word - tea.doc",
        "paper.tex",
        "about:blank",
        "Untitled",
        "untitled-2",
        "Slide 1",
        "paper_final.dvi",
        "layout.indd",
        "20190412",
        "tea_study_v2",
        "PowerPoint Presentation",
        "Document1",
        "KA>29:92># L\\<ID2#",
    ];
    for title in machine {
        assert_eq!(title::sensible(title), None);
    }
    for title in ["The tea study", "Document management in 1850", "紅茶", "Slides of tea"] {
        assert_eq!(title::sensible(title).as_deref(), Some(title));
    }
    assert_eq!(title::sensible(" The tea\nstudy "), Some("The tea study".to_owned()));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    // proves: A6
    #[test]
    fn a_pdf_changed_anywhere_gives_a_document_or_an_error(
        changes in prop::collection::vec((0_usize..3000, any::<u8>()), 1..12),
        cut in prop::option::of(0_usize..3000),
    ) {
        let mut file = drawn(&[write(18, 50, 740, "The tea study") + &lines(50, 700, &FIRST), lines(50, 700, &FIRST)], "");
        for (at, byte) in changes {
            let at = at % file.len();
            file[at] = byte;
        }
        file.truncate(cut.unwrap_or(file.len()));
        if let Ok(document) = opened(&file) {
            prop_assert!(!document.text.trim().is_empty());
            prop_assert!(document.pages.windows(2).all(|two| two[0].start <= two[1].start));
            prop_assert!(document.pages.iter().all(|page| document.text.is_char_boundary(page.start)));
        }
    }

    // proves: A6
    #[test]
    fn any_places_and_words_give_blocks_that_hold_all_words(
        glyphs in prop::collection::vec(
            ("[a-z.\\-# |é]{1,4}", -50.0..700.0_f64, -50.0..900.0_f64, 0.0..30.0_f64, 0..4_u8), 0..150),
    ) {
        let mut page = layout::PageLines::new(1);
        let mut given = String::new();
        for (text, x, y, size, turn) in &glyphs {
            page.begin_word();
            let along = [(1.0, 0.0), (0.0, 1.0), (1.0, 0.0), (0.0, 0.0)][usize::from(*turn)];
            page.add(&layout::Glyph { text, x: *x, y: *y, along, size: *size, advance: 5.0 });
            if *turn < 3 {
                given.push_str(text);
            }
        }
        let blocks = layout::blocks(vec![page]);
        let written = write::markdown(&blocks, &[1, 2]);
        let letters = |text: &str| {
            // Raised letters have signs of their own.
            let plain = text.nfkc().flat_map(char::to_lowercase);
            let mut found: Vec<char> = plain.filter(|c| c.is_alphabetic()).collect();
            found.sort_unstable();
            found
        };
        prop_assert_eq!(letters(&given), letters(&written.text));
        prop_assert_eq!(written.pages.len(), 2);
    }
}
