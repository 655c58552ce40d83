use super::*;

fn check(text: &str, expected: &str) {
    assert_eq!(parse(text, &Bounds::default()).unwrap().text, expected, "{text}");
}

// proves: A6
#[test]
fn the_header_is_metadata_and_attributes_are_resolved() {
    let parsed = parse(
        "= The {what}\n:lang: en\nAnn Lee <ann@example.org>\nv1.2, 2024-03-09: Spring\n:what: sea\n:ver: 3\n\nIt is {ver}, not {unknown}.\nMore +\nlines.\n\n== Tides\n\nOld\n~~~\n\nifdef::ver[]\nSeen.\nendif::[]\nifdef::other[]\nHidden.\nendif::[]\n// comment\n",
        &Bounds::default(),
    )
    .unwrap();
    let metadata: Vec<String> =
        parsed.metadata.iter().map(|(key, value)| format!("{key}={value}")).collect();
    assert_eq!(metadata, ["author=Ann Lee", "date=2024-03-09", "lang=en", "version=1.2"]);
    assert_eq!(
        parsed.text,
        "# The sea\n\nIt is 3, not {unknown}. More\nlines.\n\n## Tides\n\n### Old\n\nSeen."
    );
}

// proves: A6
#[test]
fn lists_keep_their_depth() {
    check(
        "* a\n  b\n** c\n+\nMore.\n* d\n\n. one\n.. two\n. three\n\n-a::\n--all::\n    All of it.\n+\nAnd more.\nterm:: meaning\n",
        "- a b\n  - c\n\nMore.\n\n- d\n  1. one\n    1. two\n  2. three\n\n-a, --all\n: All of it.\n\nAnd more.\n\nterm\n: meaning",
    );
}

// proves: A6
#[test]
fn macros_and_quotes_are_their_words() {
    check(
        "A *b* _c_ `d` a_b_c 2*3 https://x.org[the site] link:y[z] linkgit:git-log[1] <<a,the part>> kbd:[Ctrl]footnote:[A note.] `+{x}+` and **f**oo (C).\n\nimage::x.png[The sea, 200]\n\ninclude::other.adoc[]\n",
        "A b c d a_b_c 2*3 the site z git-log(1) the part Ctrl[1] {x} and foo ©.\n\nA note.\n\nThe sea\n\n(includes other.adoc)",
    );
}

// proves: A6
#[test]
fn blocks_keep_their_form() {
    check(
        "NOTE: Mind it.\n\n[WARNING]\n====\nTake\ncare.\n\nMore.\n====\n\n.The code\n[source,python]\n----\nx = 1 <1>\n----\n<1> A number.\n\n literal\n   text\n\n____\nSo it is.\n____\n\n////\nhidden\n////\n",
        "Note: Mind it.\n\nWarning: Take care.\n\nMore.\n\nThe code\n\n```python\nx = 1\n```\n\n1. A number.\n\n```\nliteral\n  text\n```\n\nSo it is.",
    );
}

// proves: A6
#[test]
fn tables_have_their_columns() {
    check(
        "[cols=\"1,2\",options=\"header\"]\n|===\n|x |y\n\n|1\n|a b\n2+|both\n|===\n\n|===\n|p |q\n\n|r |s\n|===\n",
        "| x | y |\n| --- | --- |\n| 1 | a b |\n| both |  |\n\n| p | q |\n| --- | --- |\n| r | s |",
    );
}

// proves: A6
#[test]
fn a_line_of_letters_and_marks_begins_no_table() {
    check("é===\n\n日==========\n\nx\n", "é===\n\n日==========\n\nx");
}

// proves: A6
#[test]
fn names_of_attributes_may_have_blanks() {
    check(":man version: 3\n= T\n\nIt is {manversion}.\n\n:a-b c: 1\nx\n", "# T\n\nIt is 3.\n\nx");
}
