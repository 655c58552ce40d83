//! Damaged files of the markup languages.

use proptest::prelude::*;

use crate::{Bounds, Fault, Format, parse_named};

/// A small file of each format with most of what it can say.
const FILES: &[(Format, &str, &str)] = &[
    (
        Format::Rst,
        "a.rst",
        "=====\nTitle\n=====\n:Author: A\n\nA *b* ``c`` :ref:`d <e>` |f| [1]_ g_::\n\n  code\n\n.. |f| replace:: x\n.. [1] note\n\n* a\n\n  #. b\n\nterm\n  meaning\n\n-a, --all  text\n\n+---+---+\n| a | b |\n+===+===+\n| c | d |\n+---+---+\n\n=== ===\na   b\n=== ===\n1   2\n=== ===\n\n.. list-table::\n\n   * - a\n     - b\n\n.. csv-table::\n   :header: a, b\n\n   1, \"2\"\n\n.. note:: x\n\n   y\n\n.. function:: f(x)\n              g(x)\n   :module: m\n\n   z\n\n| line\n| block\n\n.. glossary::\n\n   a\n     b\n",
    ),
    (
        Format::AsciiDoc,
        "a.adoc",
        "= Title {x}\nAnn Lee <a@b.org>\nv1.0, 2024-03-09\n:x: y\n\nA *b* _c_ `d` {x} https://e.org[f] <<g,h>> footnote:[i] \"`j`\" [[k]] ((l)) a -- b\n\n* a\n** b\n+\nc\n\nterm:: meaning\n\n[cols=\"1,2*\",options=\"header\"]\n|===\n|a 2+|b\n.2+|c |d\na|e\n|===\n\n[NOTE]\n====\nx\n====\n\n[source,c]\n----\nx <1>\n----\n<1> y\n\nifdef::x[]\nz\nendif::[]\nOld\n---\n\n++++\n<table><tr><td>a</table>\n++++\n",
    ),
    (
        Format::Org,
        "a.org",
        "#+TITLE: T\n#+DATE: <2024-03-09>\n* TODO [#A] a :b:\n:X:\ny\n:END:\nA *b* /c/ =d= [[e][f]] [fn:1] [fn:: g] <2024-03-09 Sat> \\alpha{} {{{m(x)}}} @@h:i@@\n- a\n  1. [@3] b\n- c :: d\n| a | b |\n|---+---|\n| c | d |\n#+begin_src c\nx\n#+end_src\n#+begin_quote\ny\n#+end_quote\n[fn:1] z\n* COMMENT w\n",
    ),
    (
        Format::Latex,
        "a.tex",
        "\\documentclass{article}\n\\newcommand{\\m}[2][x]{#1 #2 \\m{#1}}\n\\def\\n#1{#1#1}\n\\newtheorem{t}{T}\n\\title{a}\\author{b \\and c}\n\\begin{document}\nA \\m{b} \\n{c} \\'e \\textbf{d} $e$ \\verb|f| \\cite[g]{h}\\footnote{i} ``j''---% k\n\\section{l}\n\\begin{itemize}\\item m\\begin{description}\\item[n] o\\end{description}\\end{itemize}\n\\begin{tabular}{lr}a & \\multicolumn{2}{c}{b} \\\\[2pt] \\hline c & d\\end{tabular}\n\\[ x \\label{y} \\]\n\\begin{verbatim}\n%\n\\end{verbatim}\n\\begin{t}[p] q\\end{t}\n\\begin{equation}r\\end{equation}\n\\end{document}\n",
    ),
    (
        Format::Notebook,
        "a.ipynb",
        "{\"nbformat\": 4, \"metadata\": {\"title\": \"a\"}, \"cells\": [{\"cell_type\": \"markdown\", \"source\": [\"# a\\n\", \"![b](data:image/png;base64,A)\"]}, {\"cell_type\": \"code\", \"source\": \"x\", \"outputs\": [{\"output_type\": \"stream\", \"text\": \"\\u001b[1my\\r\"}, {\"output_type\": \"display_data\", \"data\": {\"text/html\": \"<table><tr><td>1<td alt=2></table><!-- x\"}}]}]}",
    ),
    (
        Format::Code,
        "a.py",
        "\"\"\"Doc.\"\"\"\n# c\nclass A(B):\n    '''D\n\n    - e\n    >>> f\n    '''\n\n    def g(self,\n          h): return 1\n\nx = \"\"\"\ndef no():\n\"\"\"\n",
    ),
    (
        Format::Code,
        "a.java",
        "/** A {@code b} <p>c */\npublic class D {\n  /* e\n   * f */\n  @Override\n  int g(int h) {\n    // i\n  }\n}\n",
    ),
];

fn changed(file: &str, changes: &[(u8, usize, usize)]) -> Vec<u8> {
    let mut bytes = file.as_bytes().to_vec();
    for (kind, at, length) in changes {
        if bytes.is_empty() {
            break;
        }
        let at = at % bytes.len();
        let end = (at + length).min(bytes.len());
        match kind % 4 {
            0 => bytes[at] = (length % 256) as u8,
            1 => drop(bytes.drain(at..end)),
            2 => {
                let part = bytes[at..end].repeat(20);
                bytes.splice(at..at, part);
            }
            _ => {
                let part: Vec<u8> = bytes[at..end].iter().rev().copied().collect();
                bytes.splice(at..end, part);
            }
        }
    }
    bytes
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() })]

    // proves: A6
    #[test]
    fn a_damaged_file_gives_text_or_a_fault(changes in proptest::collection::vec((0_u8..4, 0_usize..2000, 0_usize..60), 1..8)) {
        for (format, name, file) in FILES {
            match parse_named(*format, name, &changed(file, &changes), &Bounds::default()) {
                Ok(parsed) => prop_assert!(parsed.text.len() < 8_000_000),
                Err(fault) => prop_assert!(matches!(fault, Fault::Damaged { .. }), "{fault}"),
            }
        }
    }

    // proves: A6
    #[test]
    fn lines_of_letters_beyond_ascii_and_marks_are_read(lines in "(é|日|ß|\u{301}|🌊|[a-z1]|[ \t\n]|[|=+*_~^`'\"#<>()\\[\\]{}.,:;!?@%$/\\\\-]{1,6}|=====|::|\\.\\. |#\\+|begin_){0,60}") {
        for (format, name, _) in FILES {
            let _ = parse_named(*format, name, lines.as_bytes(), &Bounds::default());
        }
        for format in [Format::Mail, Format::Html, Format::Yaml, Format::Bibtex, Format::Ris, Format::Subtitles, Format::Xml] {
            let _ = parse_named(format, "a", lines.as_bytes(), &Bounds::default());
        }
    }
}

// proves: A6
#[test]
fn marks_without_an_end_take_linear_time() {
    let starts = [
        "*",
        "_",
        "`",
        "[",
        "[[",
        "<<",
        "((",
        "{",
        "{{{",
        "|",
        "``",
        "$",
        "\\begin{a}",
        "\\textbf{",
        "\\footnote{",
        "$$",
        "+++",
        ":a:`",
        "[fn:",
        "\\[",
        "image:",
        "* a\n",
        "- ",
        "/*\n",
        "\"\"\"\n",
        ".. a::\n",
        "====\n",
        "a::\n",
        "|===\n",
        "\\def\\a{",
        "@@",
        "<!--",
        "|a\n",
    ];
    for (format, name, _) in FILES {
        for start in starts {
            let bytes = start.repeat(3000);
            let before = std::time::Instant::now();
            let _ = parse_named(*format, name, bytes.as_bytes(), &Bounds::default());
            assert!(before.elapsed().as_secs() < 30, "{name}: {start}");
        }
    }
}
