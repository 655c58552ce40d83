use proptest::prelude::*;

use super::*;

/// Texts that are one mark, with its numbers.
const MARKS: &[(&str, &[u32])] = &[
    ("[1]", &[1]),
    ("[ 12 ]", &[12]),
    ("[1, 2]", &[1, 2]),
    ("[1; 2]", &[1, 2]),
    ("[1,\n2]", &[1, 2]),
    ("[1\r\n;\u{a0}2\t]", &[1, 2]),
    ("[1 2]", &[1, 2]),
    ("[2, 2]", &[2, 2]),
    ("[1,]", &[1]),
    ("[1-3]", &[1, 2, 3]),
    ("[1–3]", &[1, 2, 3]),
    ("[1 — 3, 7]", &[1, 2, 3, 7]),
    ("[1‑2]", &[1, 2]),
    ("[7-5]", &[7, 5]),
    ("[3-3]", &[3]),
    ("[^4]", &[4]),
    ("[^4, ^5]", &[4, 5]),
    ("【1】", &[1]),
    ("［1］", &[1]),
    ("［１，２］", &[1, 2]),
    ("[１]", &[1]),
    ("[𝟏]", &[1]),
    ("〔1、2〕", &[1, 2]),
    ("[1】", &[1]),
    ("[[1]]", &[1]),
    ("[[1-3]]", &[1, 2, 3]),
    ("[1[2]3]", &[1, 2, 3]),
    ("[0, [2], 1-99]", &[2, 1, 99]),
    ("[99999999999]", &[u32::MAX]),
    ("[2019]", &[2019]),
];

/// Texts without a mark.
const NONE: &[&str] = &[
    "",
    "[",
    "]",
    "[]",
    "[,]",
    "[-]",
    "[^]",
    "[a]",
    "[sic]",
    "[the bees]",
    "[[STATUS]]",
    "[Ca2+]",
    "[13C]",
    "[0]",
    "[0, 1]",
    "[03]",
    "[-1, 1]",
    "[1.5]",
    "[1/2]",
    "[1a]",
    "[1 and 2]",
    "[evidence 1]",
    "[1-21]",
    "[1-]",
    "[1--3]",
    "[1-2-3]",
    "(1)",
    "{1}",
    "<1>",
    "[10⁵]",
    "[¹]",
    "[1",
    "1]",
    "[1)",
    "[[]1]",
    "[unsupported]",
    "]1[",
];

// proves: C4
#[test]
fn a_mark_is_numbers_in_square_brackets_of_any_width() {
    for (text, numbers) in MARKS {
        let padded = format!("It rose {text}. Then [it] fell");
        let span = 8..8 + text.len();
        assert_eq!(marks(&padded), [Mark { span, numbers: numbers.to_vec() }], "{text}");
        assert_eq!(without_marks(&padded), "It rose. Then [it] fell", "{text}");
    }
    for text in NONE {
        assert_eq!(marks(text), [], "{text}");
        assert_eq!(without_marks(text), *text);
    }
}

// proves: C4
#[test]
fn the_widest_range_has_twenty_numbers_and_no_list_grows_beyond_its_text() {
    assert_eq!(marks("[1-20]")[0].numbers.len(), 20);
    assert_eq!(marks("[1-4000000000]"), []);
    assert_eq!(marks("[4000000000-4000000019]")[0].numbers.len(), 20);
    let many = format!("[{}]", "1-20,".repeat(20_000));
    assert_eq!(marks(&many)[0].numbers.len(), 400_000);
}

// proves: C4
#[test]
fn marks_side_by_side_are_marks_each() {
    let found: Vec<Vec<u32>> =
        marks("A [1][2], [x [3] y] [4").into_iter().map(|mark| mark.numbers).collect();
    assert_eq!(found, [[1], [2], [3]]);
}

/// These would take minutes in quadratic time.
// proves: C4
#[test]
fn hostile_texts_are_read_in_linear_time() {
    let n = 100_000;
    let half = |open: &str, close: &str| open.repeat(n / 2) + &close.repeat(n / 2);
    for text in [
        "[1,".repeat(n),
        "[".repeat(n),
        "]".repeat(n),
        "[1]".repeat(n),
        half("[", "]"),
        half("[1,", "]"),
        half("[", "1]"),
        "[".repeat(n) + "1" + &"]".repeat(n),
        half("[[1]", "]"),
        format!("[{}]", "1".repeat(n)),
        format!("[{}x", "1-".repeat(n)),
        format!("[{}]", "[1]x".repeat(n)),
        format!("[{}", "[1],".repeat(n)),
    ] {
        let bare = without_marks(&text);
        assert_eq!(marks(&bare), []);
    }
}

fn texts() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        proptest::sample::select(MARKS).prop_map(|(text, _)| text.to_owned()),
        proptest::sample::select(NONE).prop_map(str::to_owned),
        "[\\[\\]【】［］0-3,;^–\\- \n]{0,12}",
        "(?s).{0,6}",
        "[a-z .]{0,4}",
    ];
    proptest::collection::vec(piece, 0..8).prop_map(|pieces| pieces.concat())
}

proptest! {
    // proves: C4
    #[test]
    fn what_is_left_without_marks_holds_none_nor_does_any_beginning_of_it(text in texts(), cut in any::<prop::sample::Index>()) {
        let found = marks(&text);
        let mut last = 0;
        for mark in &found {
            prop_assert!(mark.span.start >= last && !mark.numbers.is_empty() && !mark.numbers.contains(&0));
            prop_assert!(text.get(mark.span.clone()).is_some());
            last = mark.span.end;
        }
        let bare = without_marks(&text);
        prop_assert_eq!(marks(&bare), vec![], "{:?}", bare);
        prop_assert_eq!(without_marks(&bare), bare.clone());
        let line = bare.split_whitespace().collect::<Vec<_>>().join(" ");
        prop_assert_eq!(marks(&line), vec![], "{:?}", line);
        let beginning: String = line.chars().take(cut.index(line.chars().count() + 1)).collect();
        prop_assert_eq!(marks(&beginning), vec![], "{:?}", beginning);
        let letters = |text: &str| text.chars().filter(|c| c.is_alphabetic()).collect::<String>();
        prop_assert_eq!(letters(&bare), letters(&text));
        let apart = set_apart(&text);
        prop_assert!(text.contains('`') || marks(&apart).is_empty(), "{:?}", apart);
        prop_assert_eq!(apart.chars().count(), text.chars().count());
    }
}

#[test]
fn marks_that_a_writer_typed_are_taken_out_and_other_brackets_stay() {
    for (given, kept) in [
        ("It rose [1].", "It rose."),
        ("It rose [1, 2] and fell [3]", "It rose and fell"),
        ("It rose [1;\n2].", "It rose."),
        ("It rose [1]and fell", "It rose and fell"),
        ("On [0, 1] it rose", "On [0, 1] it rose"),
        ("An array [x] of [sic] 3", "An array [x] of [sic] 3"),
        ("open [12", "open [12"),
    ] {
        assert_eq!(without_marks(given), kept);
    }
}
