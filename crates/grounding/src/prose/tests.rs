use proptest::prelude::*;

use super::*;
use crate::address::cited;

fn read(text: &str) -> Prose {
    let spans: Vec<Range<usize>> = cited(text).into_iter().map(|one| one.span).collect();
    Prose::of(text, &spans)
}

fn check(text: &str, expected: &[(&str, usize)]) {
    let prose = read(text);
    let found: Vec<(String, usize)> =
        prose.claims().map(|(_, piece)| (piece.in_context(), piece.citations.len())).collect();
    let expected: Vec<(String, usize)> =
        expected.iter().map(|(words, count)| ((*words).to_owned(), *count)).collect();
    assert_eq!(found, expected, "{text:?}");
}

// proves: C4, C13
#[test]
fn prose_is_split_into_what_it_claims_with_what_each_cites() {
    check(
        "They come twice a day [1.2]. They follow the moon [1.3], and the sun [2.1-2].",
        &[("They come twice a day.", 1), ("They follow the moon, and the sun.", 2)],
    );
    check(
        "It rose.[1.2] It fell. [1.3][1.4] Then it stopped",
        &[("It rose.", 1), ("It fell.", 2), ("Then it stopped", 0)],
    );
    check(
        "**How it goes.** A *standby* is built [1.1]: see `pg_dump`.",
        &[("A standby is built: see pg_dump.", 1)],
    );
    check(
        "Before the upgrade:\n\n- *Schema.* Copy it [1.1].\n- Keys: find them\n  all [1.2]\n  [1.3]",
        &[("Copy it.", 1), ("Keys: find them all", 2)],
    );
    // A citation in a column's head is not part of its text.
    check("| Port | Depth [1.1] |\n|---|---|\n| Brest | 6 m [1.2] |", &[("Brest – Depth: 6 m", 1)]);
    // A label before a conclusion claims nothing.
    check("- [ ] All: → rehearse it [1.1].", &[("rehearse it.", 1)]);
    check("涨潮每天两次[1.2]。它跟随月亮[1.3]。", &[("涨潮每天两次。", 1), ("它跟随月亮。", 1)]);
    check("> It is so [1.1].\n> And so [1.2].", &[("It is so.", 1), ("And so.", 1)]);
}

// proves: C13
#[test]
fn a_citation_alone_is_a_piece_that_stands_for_its_statements() {
    let prose = read("[1.2] [1.3-4]\n\nIt rose [1.5].");
    let found: Vec<(&str, usize)> =
        prose.claims().map(|(_, piece)| (piece.words.as_str(), piece.citations.len())).collect();
    assert_eq!(found, [("", 1), ("", 1), ("It rose.", 1)]);
    let printed = prose.print(|index| match index {
        0 => Fate::Replace { words: "Tides\ncome.".into(), marks: "[1]".into() },
        1 => Fate::Replace { words: "They go.".into(), marks: "[2]".into() },
        _ => Fate::Cut,
    });
    assert_eq!(printed.text, "Tides come. [1] They go. [2]");
}

// proves: C13
#[test]
fn a_frame_that_is_cut_leaves_what_it_framed() {
    let prose = read("## Songs\n\n**Lie.** It rose [1.5].\n\nThese:\n\n- It fell [1.6].");
    let printed =
        prose.print(|index| if prose.pieces[index].is_claim() { keep("[1]") } else { Fate::Cut });
    assert_eq!(printed.text, "It rose. [1]\n\n- It fell. [1]");
}

// proves: C13
#[test]
fn conclusions_begin_with_an_arrow() {
    let prose = read(
        "It rose [1.1]. → So plan for more. Slots as above; → a rehearsal tells.\n\n→ *All* in all, wait.",
    );
    let found: Vec<(&str, bool)> =
        prose.claims().map(|(_, piece)| (piece.words.as_str(), piece.is_conclusion())).collect();
    assert_eq!(
        found,
        [
            ("It rose.", false),
            ("So plan for more.", true),
            ("Slots as above;", false),
            ("a rehearsal tells.", true),
            ("All in all, wait.", true),
        ]
    );
}

// proves: C13
#[test]
fn a_box_to_be_ticked_is_the_mark_of_its_item() {
    let prose = read("- [ ] → Rehearse it.\n- [x] It rose [1.1].\n- [ ] It fell [1.2].\n- [ ] ");
    let found: Vec<(&str, bool)> =
        prose.claims().map(|(_, piece)| (piece.words.as_str(), piece.is_conclusion())).collect();
    assert_eq!(found, [("Rehearse it.", true), ("It rose.", false), ("It fell.", false)]);
    let printed = prose.print(|index| match &*prose.pieces[index].words {
        "It fell." => Fate::Replace { words: "It stood.".into(), marks: "[2]".into() },
        "Rehearse it." => Fate::Keep { marks: "[1]".into(), is_conclusion: true },
        _ => keep("[1]"),
    });
    let text = "- [ ] → Rehearse it. [1]\n- [x] It rose. [1]\n- [ ] It stood. [2]";
    assert_eq!(printed.text.trim_end(), text);
}

// proves: C13
#[test]
fn a_step_that_is_cut_leaves_no_hole_in_the_numbers() {
    let printed = |text: &str| {
        let prose = read(text);
        let is_false = |index: usize| prose.pieces[index].words.contains("sings");
        prose.print(|index| if is_false(index) { Fate::Cut } else { keep("") }).text
    };
    assert_eq!(
        printed(
            "1. It stops [1.1].\n2. It sings [1.2].\n3. It goes [1.3].\n   - On foot [1.4].\n   - It sings [1.5].\n4. It ends [1.6]."
        ),
        "1. It stops.\n2. It goes.\n   - On foot.\n3. It ends."
    );
    // Another list starts over, and equal numbers stay equal.
    assert_eq!(
        printed(
            "5) It sings [1.1].\n6) It goes [1.2].\n\nThen it rests [1.3].\n\n1. It sings [1.4].\n1. It stops [1.5].\n1. It ends [1.6]."
        ),
        "5) It goes.\n\nThen it rests.\n\n1. It stops.\n1. It ends."
    );
}

// proves: C13
#[test]
fn every_cell_is_a_claim_with_its_row_and_column() {
    check(
        "| | replication | dump |\n|---|---|---|\n| downtime | seconds [1.1] | → hours |\n| way back | – | yes [1.2] |",
        &[
            ("downtime – replication: seconds", 1),
            ("downtime – dump: hours", 0),
            ("way back – dump: yes", 1),
        ],
    );
}

fn keep(marks: &str) -> Fate {
    Fate::Keep { marks: marks.into(), is_conclusion: false }
}

// proves: C4, C13
#[test]
fn what_holds_is_printed_as_it_was_written_and_frames_go_with_what_they_framed() {
    let text = "# Tides\n\nThey come [1.1]. They sing [1.2].\n\n## Moon\n\nIt sings [1.3].\n\n## Ports\n\nThese count:\n\n\
        1. **Brest** has 6 m [1.4].\n2. Cork sings [1.5].\n\n| Port | Metres | Songs |\n|---|---|---|\n| Brest | 6 [1.6] | 9 [1.7] |\n| Cork | 3 [1.8] | 1 |\n\n```\ntide --now\n```\n";
    let prose = read(text);
    let printed = prose.print(|index| {
        let words = &prose.pieces[index].words;
        match words.as_str() {
            "They come." => keep("[1] [2]"),
            "Brest has 6 m." => keep("[3]"),
            "6" => Fate::Replace { words: "6.9 | or so".into(), marks: "[4]".into() },
            "tide --now" => keep(""),
            _ if !prose.pieces[index].is_claim() => keep(""),
            _ => Fate::Cut,
        }
    });
    let expected = "# Tides\n\nThey come. [1] [2]\n\n## Ports\n\nThese count:\n\n1. **Brest** has 6 m. [3]\n\n\
        | Port | Metres | Songs |\n|---|---|---|\n| Brest | 6.9 \\| or so [4] | – |\n\n```\ntide --now\n```";
    assert_eq!(printed.text, expected);
    let shown: Vec<&str> =
        printed.spans.iter().flatten().map(|span| &printed.text[span.clone()]).collect();
    assert_eq!(
        shown,
        [
            "They come. [1] [2]",
            "**Brest** has 6 m. [3]",
            "6.9 \\| or so [4]",
            "```\ntide --now\n```"
        ]
    );
    assert_eq!(prose.print(|_| Fate::Cut).text, "");
}

#[test]
fn a_conclusion_is_shown_as_one_whether_or_not_it_was_marked() {
    let prose = read("→ So plan. So wait.");
    let printed = prose.print(|_| Fate::Keep { marks: String::new(), is_conclusion: true });
    assert_eq!(printed.text, "→ So plan. → So wait.");
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    // proves: C13
    #[test]
    fn any_prose_can_be_read_and_printed(text in "(?s)(.|[-#|*> \n.:!?→]|[a-z0-9]|\\[1\\.2\\]|\\| a |\\*\\*b\\*\\* ){0,80}", cut: u64) {
        let prose = read(&text);
        let mut last = 0;
        for piece in &prose.pieces {
            prop_assert!(piece.span.start >= last && text.get(piece.span.clone()).is_some(), "{:?}", prose.pieces);
            last = piece.span.end;
        }
        let printed = prose.print(|index| if cut >> (index % 64) & 1 == 0 { keep("[1]") } else { Fate::Cut });
        for span in printed.spans.iter().flatten() {
            prop_assert!(printed.text.get(span.clone()).is_some());
        }
    }

    // proves: C13
    #[test]
    fn every_citation_belongs_to_one_piece_of_a_paragraph(words in prop::collection::vec("[A-Z][a-z]{2,6}( [a-z]{2,6}){1,5} gulls", 1..6), cites in prop::collection::vec(0usize..3, 6)) {
        let mut text = String::new();
        for (words, count) in words.iter().zip(&cites) {
            text.push_str(words);
            for number in 0..*count {
                text.push_str(&format!(" [1.{}]", number + 1));
            }
            text.push_str(". ");
        }
        let prose = read(&text);
        let found: Vec<usize> = prose.claims().map(|(_, piece)| piece.citations.len()).collect();
        let expected: Vec<usize> = words.iter().zip(&cites).map(|(_, count)| *count).collect();
        prop_assert_eq!(found, expected);
    }
}
