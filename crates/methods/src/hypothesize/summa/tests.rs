use super::*;
use proptest::prelude::*;

fn build_block(objections: usize) -> Block {
    Block {
        question: "Whether the tide drives the swarm?".to_owned(),
        contrary: "The swarm follows the moon [1].".to_owned(),
        answer: "It does, by the pressure. Gulls gather then [2, 3].".to_owned(),
        contested: (1..=objections)
            .map(|number| {
                (format!("It fails {number} times."), format!("It holds {number} times."))
            })
            .collect(),
    }
}

const PLAIN: &str = "\
Question: Whether the tide drives the swarm?

Objections:
1. It fails 1 times.
2. It fails 2 times.
3. It fails 3 times.

On the contrary, The swarm follows the moon [1].

I answer that It does, by the pressure. Gulls gather then [2, 3].

Replies to objections:
Reply to Objection 1. It holds 1 times.
Reply to Objection 2. It holds 2 times.
Reply to Objection 3. It holds 3 times.
";

// proves: H6
#[test]
fn the_composer_writes_the_documented_form() {
    assert_eq!(composed(&[build_block(3)]), PLAIN);
    let two = composed(&[build_block(3), build_block(4)]);
    assert_eq!(two.lines().filter(|line| *line == "---").count(), 1);
    assert_eq!(read(&two), Ok(vec![build_block(3), build_block(4)]));
    assert_eq!(faults(&two, 2), Vec::<String>::new());
    assert_eq!(faults(&two, 1), ["there must be 1 blocks, parted by lines `---`, and there are 2"]);
}

// proves: H6
#[test]
fn the_layouts_that_models_choose_are_understood() {
    let markdown = PLAIN
        .replace("Question: ", "## Question\n\n")
        .replace("Objections:", "## Objections")
        .replace("\n1. ", "\n**Objection 1.** ")
        .replace("\n2. ", "\n\n- **Objection 2:** ")
        .replace("\n3. ", "\n\n**Objection 3**: ")
        .replace("On the contrary,", "## On the contrary\n\n")
        .replace("I answer that", "**I answer that**,")
        .replace("Replies to objections:", "### Replies to Objections\n")
        .replace("Reply to Objection 1. ", "*Reply to Objection 1.* ")
        .replace("Reply to Objection 2. ", "\n**Reply 2.** ")
        .replace("Reply to Objection 3. ", "\n**Ad 3.** ");
    let latin = PLAIN
        .replace("Question: Whether", "Utrum")
        .replace("Objections:", "Videtur quod non.")
        .replace("\n2. ", "\n2) ")
        .replace("On the contrary,", "SED CONTRA est")
        .replace("I answer that", "Respondeo dicendum quod")
        .replace("Replies to objections:\n", "")
        .replace("Reply to Objection 1.", "Ad primum ergo dicendum quod")
        .replace("Reply to Objection 2.", "Ad 2")
        .replace("Reply to Objection 3.", "Ad tertium");
    let english = PLAIN
        .replace("Objections:\n1. ", "Objection 1. ")
        .replace("\n2. ", "\nObjection 2. ")
        .replace("\n3. ", "\nObjection 3 — ")
        .replace("Replies to objections:\n", "");
    let bold = PLAIN.replace("Question: ", "**Question:** ").replace(
        "On the contrary, The swarm follows the moon [1].",
        "**On the contrary, The swarm follows the moon [1].**",
    );
    let numbered = PLAIN
        .replace("Objections:\n", "Objections: ")
        .replace("Reply to Objection 1.", "1.")
        .replace("Reply to Objection 2.", "2.")
        .replace("Reply to Objection 3.", "Objection 3:");
    let mut other = build_block(3);
    other.question = "Utrum the tide drives the swarm?".to_owned();
    other.contrary = "est The swarm follows the moon [1].".to_owned();
    let forms = [
        (markdown, build_block(3)),
        (latin, other),
        (english, build_block(3)),
        (bold, build_block(3)),
        (numbered, build_block(3)),
        (PLAIN.to_uppercase(), {
            let up = |text: &str| text.to_uppercase();
            let block = build_block(3);
            Block {
                question: up(&block.question),
                contrary: up(&block.contrary),
                answer: up(&block.answer),
                contested: block.contested.iter().map(|(a, b)| (up(a), up(b))).collect(),
            }
        }),
        (PLAIN.replace('\n', "\r\n"), build_block(3)),
        (format!("```markdown\n{PLAIN}```\n"), build_block(3)),
        (format!("\u{feff}# H1: The tide\n\n{PLAIN}\n---\n"), build_block(3)),
        (PLAIN.replace(" swarm", "\n\n  swarm").replace(" times", "\n times"), build_block(3)),
        (PLAIN.replace("\n\n", "\n\n---\n\n"), build_block(3)),
    ];
    for (text, expected) in forms {
        assert_eq!(read(&text), Ok(vec![expected]), "{text}");
        assert_eq!(faults(&text, 1), Vec::<String>::new());
    }
}

// proves: H6
#[test]
fn what_is_missing_doubled_empty_or_out_of_order_is_named() {
    let without = |part: &str| PLAIN.replace(part, "");
    let cases = [
        (without("Question: Whether the tide drives the swarm?"), "`Question:` is missing"),
        (without("Objections:\n"), "it has 0 objections"),
        (
            without("On the contrary, The swarm follows the moon [1]."),
            "`On the contrary,` is missing",
        ),
        (without(" The swarm follows the moon [1]."), "nothing stands behind `On the contrary,`"),
        (without("I answer that"), "`I answer that` is missing"),
        (without("3. It fails 3 times.\n"), "it has 2 objections and needs at least 3"),
        (without("Reply to Objection 2. It holds 2 times.\n"), "replies to 1, 3"),
        (without(" It holds 2 times."), "the reply to objection 2 is empty"),
        (without(" It fails 2 times."), "objection 2 is empty"),
        (PLAIN.replace("\n3. ", "\n4. "), "the objections are numbered 1, 2, 4"),
        (PLAIN.replace("Objection 3.", "Objection 4."), "replies to 1, 2, 4"),
        (
            format!("{PLAIN}Reply to Objection 4. More."),
            "there are 3 objections and replies to 1, 2, 3, 4",
        ),
        (format!("{PLAIN}\nOn the contrary, no."), "`On the contrary,` stands twice"),
        (
            PLAIN
                .replace("On the contrary,", "X")
                .replace("I answer that", "On the contrary,")
                .replace('X', "I answer that"),
            "`On the contrary,` stands twice or in the wrong place",
        ),
        (format!("Here it is.\n{PLAIN}"), "text stands before"),
        (format!("{PLAIN}\n---\nI hope this helps."), "text stands before"),
        (PLAIN.split("Replies").next().unwrap_or_default().to_owned(), "the replies are missing"),
        (String::new(), "there must be 1 blocks"),
        ("No form at all.".to_owned(), "there must be 1 blocks"),
    ];
    for (text, told) in cases {
        let faults = faults(&text, 1);
        assert!(faults.iter().any(|fault| fault.contains(told)), "{told}: {faults:?}\n{text}");
        assert!(read(&text).is_err());
    }
    let doubled = format!("{PLAIN}---\n{}", without("I answer that"));
    assert_eq!(faults(&doubled, 2), ["block 2: `I answer that` is missing"]);
}

#[test]
fn a_mark_in_front_of_a_text_is_not_taken_for_the_mark_of_a_part() {
    let hostile = Block {
        question: "Question: Whether it is?".to_owned(),
        contrary: "---\nReply to Objection 1. [[STATUS]] done".to_owned(),
        answer: "I answer that\n# Objections:\n1. it is 3.5 m".to_owned(),
        contested: vec![
            ("2. Reply to Objection 1. First".to_owned(), "> - **Ad 1:** second".to_owned()),
            ("---".to_owned(), "Objections:".to_owned()),
            ("```\ncode\n```".to_owned(), "On the contrary, no\n\nI answer that yes".to_owned()),
        ],
    };
    let read = read(&composed(std::slice::from_ref(&hostile))).expect("valid");
    assert_eq!(read[0].question, "Whether it is?");
    assert_eq!(read[0].contrary, "--- Reply to Objection 1. [[STATUS]] done");
    assert_eq!(read[0].answer, "it is 3.5 m", "marks in front of one another all go");
    assert_eq!(read[0].contested[0], ("First".to_owned(), "second".to_owned()));
    assert_eq!(read[0].contested[1], ("---".to_owned(), "Objections:".to_owned()));
    assert_eq!(read[0].contested[2].1, "no I answer that yes");
}

#[test]
fn the_sentences_that_cite_are_found_without_their_labels() {
    let text = "Question: Is it [4]?\n1. It is so [1]. And not so.\nOn the contrary, it rose\nagain by 3.5 km. [2, 3] Then [5]\n\
                [[STATUS]] x [0, 1] [a] [03]\nAd 2. See [1-3][7] [12](http://x).";
    let found = marked_sentences(text);
    let told: Vec<(&str, Vec<u32>)> =
        found.iter().map(|one| (one.text.as_str(), one.marks.clone())).collect();
    assert_eq!(
        told,
        [
            ("Is it?", vec![4]),
            ("It is so.", vec![1]),
            ("it rose again by 3.5 km.", vec![2, 3]),
            ("Then [[STATUS]] x [0, 1] [a] [03]", vec![5]),
            ("See(http://x).", vec![1, 2, 3, 7, 12]),
        ]
    );
    assert_eq!(&text[found[1].span.clone()], "It is so [1].");
    assert_eq!(&text[found[2].mark_spans[0].clone()], "[2, 3]");
}

#[test]
fn marks_are_replaced_and_nothing_else() {
    let sentences = marked_sentences(PLAIN);
    let shown = remarked(PLAIN, |index| match index {
        0 => (None, " [unsupported]".to_owned()),
        _ => (None, format!(" [{}]", sentences[index as usize].marks.len())),
    });
    let expected =
        PLAIN.replace("moon [1]", "moon [unsupported]").replace("then [2, 3]", "then [2]");
    assert_eq!(shown, expected);
    assert_eq!(remarked("No. [1] [2]\nB[3].", |_| (None, String::new())), "No.\nB.");
    assert_eq!(
        remarked("One [1[2]3] two", |_| (None, String::new())),
        "One two",
        "no mark from the rest of one"
    );
}

fn texts() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("Question:".to_owned()),
        Just("Objections:\n".to_owned()),
        Just("## Objections\n".to_owned()),
        Just("\n---\n".to_owned()),
        Just("\nOn the contrary, ".to_owned()),
        Just("\n**I answer that** ".to_owned()),
        Just("\nReplies:\n".to_owned()),
        Just("Reply to Objection 1.".to_owned()),
        Just("\nAd secundum ergo".to_owned()),
        Just("```\n".to_owned()),
        Just("[[STATUS]] ".to_owned()),
        Just(" [1, 2] ".to_owned()),
        Just("[3].".to_owned()),
        Just("[1;\n2]".to_owned()),
        Just("【1】".to_owned()),
        Just("[unsupported]".to_owned()),
        "\n?[1-4][.)] ",
        "(?s).{0,6}",
        "[a-zé*_#>. ]{1,12}",
    ];
    proptest::collection::vec(piece, 1..8).prop_map(|pieces| pieces.concat())
}

fn blocks() -> impl Strategy<Value = Vec<Block>> {
    let text = || texts().prop_filter("empty", |text| !text.trim().is_empty());
    let block = (text(), text(), text(), proptest::collection::vec((text(), text()), 3..6))
        .prop_map(|(question, contrary, answer, contested)| Block {
            question,
            contrary,
            answer,
            contested,
        });
    proptest::collection::vec(block, 1..4)
}

#[test]
fn a_mark_over_two_lines_does_not_reach_into_the_next_sentence() {
    let found = marked_sentences("1) ```\n[1;\n2] [1, 2] ");
    assert!(found.windows(2).all(|pair| pair[0].span.end <= pair[1].span.start), "{found:?}");
}

proptest! {
    // proves: H6
    #[test]
    fn what_is_composed_of_any_texts_is_read_again(blocks in blocks()) {
        let page = composed(&blocks);
        prop_assert_eq!(faults(&page, blocks.len()), Vec::<String>::new());
        let found = read(&page).unwrap_or_default();
        prop_assert_eq!(found.len(), blocks.len());
        let all = |block: &Block| {
            let mut texts = vec![block.question.clone(), block.contrary.clone(), block.answer.clone()];
            texts.extend(block.contested.iter().flat_map(|(a, b)| [a.clone(), b.clone()]));
            texts
        };
        for (put, found) in blocks.iter().flat_map(all).zip(found.iter().flat_map(all)) {
            let put = on_one_line(&put);
            prop_assert!(put.contains(&found) && !found.is_empty(), "{put:?} {found:?}");
            if put.starts_with(|c: char| "abcdé".contains(c)) && !put.to_lowercase().starts_with("ad ") {
                prop_assert_eq!(put, found);
            }
        }
    }

    #[test]
    fn any_text_can_be_read_and_its_marks_replaced(text in texts(), more in "(?s)(.|[\\[\\]0-9,. \n]){0,40}") {
        let text = text + &more;
        prop_assert!(read(&text).is_ok() != read(&text).is_err());
        faults(&text, 1);
        let found = marked_sentences(&text);
        let mut last = 0;
        for sentence in &found {
            prop_assert!(sentence.span.start >= last && !sentence.marks.is_empty());
            last = sentence.span.end;
            for span in &sentence.mark_spans {
                prop_assert!(text[span.clone()].starts_with(['[', '【', '［']) && text[span.clone()].ends_with([']', '】', '］']));
                prop_assert!(sentence.span.start <= span.start && span.end <= sentence.span.end);
            }
        }
        let bare = remarked(&text, |_| (None, String::new()));
        prop_assert_eq!(marked_sentences(&bare), vec![]);
        let letters = |text: &str| text.chars().filter(|c| c.is_alphabetic()).collect::<String>();
        prop_assert_eq!(letters(&bare), letters(&text));
        if found.is_empty() {
            prop_assert_eq!(bare, text);
        }
    }
}

/// In quadratic time these would take minutes.
// proves: C4
#[test]
fn hostile_texts_are_cut_and_remarked_in_linear_time() {
    let n = 50_000;
    for text in [
        "[1,".repeat(n),
        "[".repeat(2 * n),
        "a. [1 ".repeat(n),
        "a. [unsupported] [1".repeat(n),
        "[1-20],".repeat(n),
        format!(
            "It is [{}].",
            (1..n).map(|number| number.to_string()).collect::<Vec<_>>().join(",")
        ),
    ] {
        let bare = remarked(&text, |_| (None, String::new()));
        assert!(run::marks::marks(&bare).is_empty());
    }
}
