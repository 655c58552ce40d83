use super::*;

fn check(text: &str, expected: &str) {
    assert_eq!(parse(text, &Bounds::default()).unwrap().text, expected, "{text}");
}

// proves: A6
#[test]
fn sections_are_levelled_by_first_use() {
    check(
        "=====\nTides\n=====\n\nSea\n===\n\nA *b* ``c``.\nd\n\nMoon\n----\n\nSun\n===\n\n----\n\nEnd.\n",
        "# Tides\n\n## Sea\n\nA b c. d\n\n### Moon\n\n## Sun\n\nEnd.",
    );
}

// proves: A6
#[test]
fn the_fields_below_the_title_are_metadata() {
    let parsed = parse(
        "Ti\n==\n\nSub\n---\n\n:Author: A. Lee\n:Date: March 9, 2024\n:orphan:\n\nText.\n\n:x: y\n",
        &Bounds::default(),
    )
    .unwrap();
    assert_eq!(parsed.text, "# Ti\n\n## Sub\n\nText.\n\n- x: y");
    let metadata: Vec<String> =
        parsed.metadata.iter().map(|(key, value)| format!("{key}={value}")).collect();
    assert_eq!(metadata, ["author=A. Lee", "date=2024-03-09"]);
}

// proves: A6
#[test]
fn lists_keep_their_marks_and_depth() {
    check(
        "* a\n  b\n\n  * c\n\n* d::\n\n    x = 1\n\n#. one\n#. two\n\nterm\n  What it is.\n\n  More.\n\n-a, --all  All of it.\n--by=X     By X.\n",
        "- a b\n  - c\n- d:\n\n```\nx = 1\n```\n\n1. one\n2. two\n\nterm\n: What it is.\n\nMore.\n\n-a, --all\n: All of it.\n\n--by=X\n: By X.",
    );
}

// proves: A6
#[test]
fn roles_references_and_substitutions_are_their_words() {
    check(
        ".. |v| replace:: 3.1\n\nSee :ref:`the sea <x>`, :class:`~pkg.Name` (:PEP:`8`), `a <http://b>`_, `c`_, d_, [1]_ and |v|. 2*3*4 a_b\\*.\n\n.. [1] A note.\n.. _x: y\n.. a comment\n",
        "See the sea, Name (PEP 8), a, c, d, [1] and 3.1. 2*3*4 a_b*.\n\n[1] A note.",
    );
}

// proves: A6
#[test]
fn directives_show_what_a_reader_sees() {
    check(
        ".. toctree::\n   :maxdepth: 2\n\n   a\n\n.. note:: Mind\n   it.\n\n   More.\n\n.. code-block:: python\n   :linenos:\n\n   def f():\n       pass\n\n.. image:: x.png\n   :alt: The sea\n\n.. versionadded:: 3.2\n   It works.\n\n.. function:: f(x)\n              g(x)\n   :module: m\n\n   Does it.\n\n.. raw:: html\n\n   <br>\n",
        "Note: Mind it.\n\nMore.\n\n```python\ndef f():\n    pass\n```\n\nThe sea\n\nNew in version 3.2: It works.\n\nf(x), g(x)\n: Does it.",
    );
}

// proves: A6
#[test]
fn tables_have_their_head_row() {
    check(
        "+---+-----+\n| a | b   |\n+===+=====+\n| 1 | two |\n|   | 2   |\n+---+-----+\n\n===  ===\nx    y\n===  ===\n1    a\n2    b\n===  ===\n\n.. csv-table:: T\n   :header: p, q\n\n   1, \"2, 3\"\n\n.. list-table::\n   :header-rows: 1\n\n   * - h\n     - i\n   * - j\n     - k\n       l\n",
        "| a | b |\n| --- | --- |\n| 1 | two 2 |\n\n| x | y |\n| --- | --- |\n| 1 | a |\n| 2 | b |\n\nT\n\n| p | q |\n| --- | --- |\n| 1 | 2, 3 |\n\n| h | i |\n| --- | --- |\n| j | k l |",
    );
}

// proves: A6
#[test]
fn deep_nesting_ends() {
    let text: String = (0..400).map(|n| format!("{}- x\n\n", " ".repeat(2 * n))).collect();
    assert!(parse(&text, &Bounds::default()).unwrap().text.len() < 10_000);
}

// proves: A6
#[test]
fn a_field_may_begin_with_a_directive() {
    check("Text.\n\n:de: .. class:: language-de\n\n    \"Tee\"\n", "Text.\n\n- de\n\n\"Tee\"");
}
