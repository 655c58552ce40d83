//! Raised text, words and sentences across pages, heads and feet, and pages drawn in no order.

use super::*;

/// Returns instructions that write at a place with this size.
fn at(size: f64, x: f64, y: f64, text: &str) -> String {
    format!("BT /F {size} Tf {x} {y} Td ({text}) Tj ET\n")
}

/// Returns a line of parts: their sizes, how far they are raised, and their text. A letter is half as wide as it is high.
fn line(parts: &[(f64, f64, &str)]) -> String {
    let mut x = 50.0;
    let parts = parts.iter().map(|(size, raised, text)| {
        let written = at(*size, x, 700.0 + raised, text);
        x += size / 2.0 * text.len() as f64;
        written
    });
    parts.collect()
}

fn text_of(content: String) -> String {
    opened(&drawn(&[content], "")).unwrap().text
}

/// Text that a page shows: its size, how far it is raised, and the text.
type Shown = (f64, f64, &'static str);

// proves: A6
#[test]
fn raised_and_lowered_text_keeps_its_meaning() {
    let cases: [(&[Shown], &str); 13] = [
        (&[(10.0, 0.0, "about 10"), (7.0, 3.6, "6"), (10.0, 0.0, " cells")], "about 10⁶ cells"),
        (&[(10.0, 0.0, "of 10"), (7.0, 3.6, "-3"), (10.0, 0.0, " m")], "of 10⁻³ m"),
        (
            &[(10.0, 0.0, "by Ann Smith"), (7.0, 3.6, "1,2"), (10.0, 0.0, " and others")],
            "by Ann Smith¹,² and others",
        ),
        (
            &[(10.0, 0.0, "by Ann Smith"), (7.0, 3.6, "1,*"), (10.0, 0.0, " and others")],
            "by Ann Smith¹,* and others",
        ),
        (&[(7.0, 3.6, "1"), (10.0, 0.0, "University of Tea")], "¹University of Tea"),
        (&[(10.0, 0.0, "was said."), (7.0, 3.6, "12"), (10.0, 0.0, " Then")], "was said.¹² Then"),
        (&[(10.0, 0.0, "much H"), (7.0, -1.5, "2"), (10.0, 0.0, "O in it")], "much H2O in it"),
        (&[(10.0, 0.0, "so log"), (7.0, -1.5, "2"), (10.0, 0.0, "8 is 3")], "so log₂8 is 3"),
        (&[(10.0, 0.0, "on the 4"), (7.0, 3.6, "th"), (10.0, 0.0, " of May")], "on the 4th of May"),
        (&[(10.0, 0.0, "with L"), (7.0, 2.1, "A"), (10.0, 0.0, "TeX set")], "with LATeX set"),
        (
            &[
                (10.0, 0.0, "add 3"),
                (7.0, 3.9, "1"),
                (10.0, 0.0, "/"),
                (7.0, 0.0, "2"),
                (10.0, 0.0, " cups"),
            ],
            "add 3 1/2 cups",
        ),
        // Small capitals and an initial.
        (
            &[(10.0, 0.0, "the U"), (7.0, 0.0, "NITED 12"), (10.0, 0.0, " nations")],
            "the UNITED 12 nations",
        ),
        (
            &[(28.0, 0.0, "W"), (10.0, 0.0, "e asked 12 adults about it")],
            "We asked 12 adults about it",
        ),
    ];
    for (parts, expected) in cases {
        assert_eq!(text_of(line(parts)), expected);
    }
    let stacked = line(&[(10.0, 0.0, "we drink "), (7.0, 3.9, "1")])
        + &at(7.0, 95.0, 696.5, "2")
        + &at(10.0, 100.0, 700.0, "of it");
    assert_eq!(text_of(stacked), "we drink 1/2 of it");
}

// proves: A6
#[test]
fn a_word_and_a_sentence_go_on_behind_the_notes_at_the_foot_of_a_page() {
    let note = write(7, 50, 60, "1 The mayor was asked twice.");
    let first = lines(
        50,
        740,
        &["We asked adults all over the country what they like to drink, for exam-"],
    ) + &note;
    let second =
        lines(50, 740, &["ple tea or coffee, and most of them said tea.", "Coffee came second."]);
    let document = opened(&drawn(&[first, second], "")).unwrap();
    assert_eq!(
        document.text,
        "1 The mayor was asked twice.\n\nWe asked adults all over the country what they like to drink, for example tea or coffee, and most of them said tea. Coffee came second."
    );
    let start = document.text.find("example").unwrap();
    let pages = |range: std::ops::Range<usize>| -> Vec<u32> {
        document.pages_of(range).iter().map(|it| it.number).collect()
    };
    assert_eq!((pages(start..start + 3), pages(start + 9..start + 14)), (vec![1], vec![2]));

    // Where a picture's words in the same size stand between, only the word is joined.
    let first = lines(
        50,
        740,
        &["We asked adults all over the country what they like to drink, for exam-"],
    ) + &lines(50, 500, &["Figure 1. What they drink."]);
    let second = lines(
        50,
        740,
        &["ple tea, from a well-", "known shop. Nobody buys tea in a well-known bank."],
    );
    let text = opened(&drawn(&[first, second], "")).unwrap().text;
    assert_eq!(
        text,
        "We asked adults all over the country what they like to drink, for example\n\nFigure 1. What they drink.\n\ntea, from a well-known shop. Nobody buys tea in a well-known bank."
    );
}

// proves: A6
#[test]
fn heads_of_parts_and_lines_beside_a_page_are_no_text_of_it() {
    let page = |number: u32| {
        // The heads of left and right pages differ, and change with the chapter.
        let head = match (number % 2, number <= 6) {
            (0, _) => format!("{number} THE TEA JOURNAL"),
            (_, true) => format!("1. FIRST CHAPTER {number}"),
            (_, false) => format!("2. SECOND CHAPTER {number}"),
        };
        let week = format!("In week {} there were many deaths from cholera.", number * 7 % 53);
        let beside =
            "BT /F 8 Tf 0 1 -1 0 20 300 Tm (Downloaded from tea.example by a guest) Tj ET\n";
        write(8, 50, 780, &head)
            + &lines(50, 740, &[&week, "More of them than a year before."])
            + beside
    };
    let pages: Vec<String> = (1..=12).map(page).collect();
    let text = opened(&drawn(&pages, "")).unwrap().text;
    assert_eq!(text.matches("deaths from cholera").count(), 12);
    for word in ["JOURNAL", "CHAPTER", "Downloaded"] {
        assert!(!text.contains(word), "{word}: {text}");
    }
}

// proves: A6
#[test]
fn what_a_file_says_is_a_head_or_a_foot_is_no_text_of_its_page() {
    let head = |text: &str| {
        format!(
            "/Artifact <</Type /Pagination /Subtype /Header>> BDC {}EMC\n",
            write(10, 50, 740, text)
        )
    };
    let pages = [
        head("A head") + &lines(50, 720, &FIRST),
        head("Another head") + "/Artifact BMC " + &lines(50, 720, &["This is no head."]) + "EMC\n",
    ];
    let text = opened(&drawn(&pages, "")).unwrap().text;
    assert!(
        !text.contains("head We") && !text.contains("A head") && !text.contains("Another"),
        "{text}"
    );
    assert!(text.contains("This is no head."), "{text}");
    // Where nothing else is said, it stays.
    assert_eq!(opened(&drawn(&[head("All there is here")], "")).unwrap().text, "All there is here");
}

// proves: A6
#[test]
fn a_form_whose_parts_are_drawn_in_no_order_is_read_by_rows() {
    let rows = ["Ordinary income", "Net rental income", "Guaranteed payments", "Interest income"];
    let all: Vec<&str> = rows.iter().copied().cycle().take(16).collect();
    let y = |row: usize| 700 - 20 * row as u32;
    let labels: String =
        all.iter().enumerate().map(|(row, it)| write(10, 80, y(row), it)).collect();
    let numbers: String =
        (0..16).map(|row| write(10, 60, y(row), &format!("{}a", row + 1))).collect();
    let text = text_of(labels + &numbers);
    assert!(
        text.contains("3a | Guaranteed payments") && text.contains("16a | Interest income"),
        "{text}"
    );
}

// proves: A6
#[test]
fn a_hyphen_at_the_end_of_a_line_goes_only_within_a_word() {
    let of = |first: &str, second: &str| text_of(lines(50, 700, &[first, second]));
    assert_eq!(
        of("They were ill with COVID-", "19 for weeks."),
        "They were ill with COVID-19 for weeks."
    );
    assert_eq!(of("It is about non-", "European tea."), "It is about non-European tea.");
    assert_eq!(
        of("They compared pre-", "and post-war tea."),
        "They compared pre- and post-war tea."
    );
    assert_eq!(of("It was a won-", "derful tea."), "It was a wonderful tea.");
    assert_eq!(
        of("It is a well-", "known, well-known tea."),
        "It is a well-known, well-known tea."
    );
}
