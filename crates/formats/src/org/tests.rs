use super::*;

fn check(text: &str, expected: &str) {
    assert_eq!(parse(text, &Bounds::default()).unwrap().text, expected, "{text}");
}

// proves: A6
#[test]
fn settings_are_metadata_and_headlines_are_headings() {
    let parsed = parse(
        "#+TITLE: The /sea/\n#+AUTHOR: A. Lee\n#+DATE: <2024-03-09 Sat>\n#+OPTIONS: toc:nil\n\n* TODO [#A] Tides :x:y:\n  SCHEDULED: <2024-03-10 Sun>\n:PROPERTIES:\n:ID: 1\n:END:\nText\n  goes on.\n# comment\n** COMMENT Not here\nno\n*** nor\n** Here\n",
        &Bounds::default(),
    )
    .unwrap();
    assert_eq!(parsed.title.as_deref(), Some("The sea"));
    let metadata: Vec<String> =
        parsed.metadata.iter().map(|(key, value)| format!("{key}={value}")).collect();
    assert_eq!(metadata, ["author=A. Lee", "date=2024-03-09", "tags=x, y"]);
    assert_eq!(
        parsed.text,
        "# TODO Tides\n\nSCHEDULED: 2024-03-10 Sun\n\nText goes on.\n\n## Here"
    );
}

// proves: A6
#[test]
fn inline_markup_is_left_out() {
    check(
        "See [[http://x][the *sea*]], [[id:1]], *bold*, /it/, =a*b=, ~c~, 2*3*4, a_b and \\alpha{}[fn:1] or[fn:: Noted.] [2024-03-09 Sat 10:00].\n\n[fn:1] A note\nof two lines.\n",
        "See the sea, id:1, bold, it, a*b, c, 2*3*4, a_b and α[1] or 2024-03-09 Sat 10:00.\n\nNoted.\n\n[1] A note of two lines.",
    );
}

// proves: A6
#[test]
fn lists_tables_and_blocks_keep_their_form() {
    check(
        "- a\n  goes on\n  - [X] b\n    1. c\n- term :: What it is\n\n| x | y |\n|---+---|\n| 1 | 2 |\n#+TBLFM: $1=2\n\n#+CAPTION: The code\n#+begin_src sh :results none\n  ,* echo\n#+end_src\n\n#+BEGIN_QUOTE\nSo it is.\n#+END_QUOTE\n: fixed\n#+begin_export html\n<br>\n#+end_export\n",
        "- a goes on\n  - [X] b\n    1. c\n\nterm\n: What it is\n\n| x | y |\n| --- | --- |\n| 1 | 2 |\n\nThe code\n\n```sh\n* echo\n```\n\nSo it is.\n\n```\nfixed\n```",
    );
}

// proves: A6
#[test]
fn tags_are_metadata_once_and_those_of_what_is_left_out_are_not() {
    let parsed = parse(
        "#+FILETAGS: :sea:\n* Tea :home:sea:\n* :alone:\n* Secret :me:noexport:\n",
        &Bounds::default(),
    )
    .unwrap();
    assert_eq!(parsed.metadata["tags"], "sea, home, alone");
}
