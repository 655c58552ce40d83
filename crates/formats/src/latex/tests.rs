use super::*;

fn check(text: &str, expected: &str) {
    assert_eq!(parse(text, &Bounds::default()).unwrap().text, expected, "{text}");
}

// proves: A6
#[test]
fn a_document_is_its_sections_and_words() {
    let source = "% comment\n\\documentclass[12pt]{article}\n\\usepackage{x}\n\\newcommand{\\sea}[1]{the \\emph{#1} sea}\n\\title{Tides}\n\\author{Ann Lee\\thanks{Here} \\and Bo\\\\Kiel}\n\\date{March 9, 2024}\n\\begin{document}\n\\maketitle\n\\begin{abstract}\nShort.\n\\end{abstract}\n\\section{One}\\label{s}\nIn \\sea{North}, 50\\% of $x^2$ \\cite[p.~2]{lee,bo}.\\footnote{A note.} na\\\"{\\i}ve caf\\'e --- ``so'' % gone\n\nNext~page.\n\\[ a &= b \\label{e} \\]\n\\end{document}\nno";
    let parsed = parse(source, &Bounds::default()).unwrap();
    assert!(recognize(source));
    assert_eq!(parsed.title.as_deref(), Some("Tides"));
    let metadata: Vec<String> =
        parsed.metadata.iter().map(|(key, value)| format!("{key}={value}")).collect();
    assert_eq!(metadata, ["author=Ann Lee, Bo", "date=2024-03-09"]);
    assert_eq!(
        parsed.text,
        "# Abstract\n\nShort.\n\n# One\n\nIn the North sea, 50% of x^2 [lee, bo, p. 2]. naïve café — “so”\n\nA note.\n\nNext page.\n\na = b"
    );
}

// proves: A6
#[test]
fn lists_tables_and_environments_keep_their_form() {
    check(
        "\\begin{itemize}\n\\item a\n\\begin{enumerate}\\item b\\item c\\end{enumerate}\n\\item d\n\\end{itemize}\n\\begin{description}\\item[term] What it is.\\end{description}\n\\begin{table}[h]\\caption{The table}\n\\begin{tabular}{l|r}\\hline\nx & y \\\\ \\hline\n1 & \\multicolumn{1}{c}{two} \\\\\n\\end{tabular}\\end{table}\n\\begin{verbatim}\n50% \\x\n\\end{verbatim}\n\\begin{theorem}[Lee] So.\\end{theorem}\n\\begin{thebibliography}{9}\\bibitem{lee} Lee, 2020.\\end{thebibliography}",
        "- a\n  1. b\n  2. c\n- d\n\nterm\n: What it is.\n\nThe table\n\n| x | y |\n| --- | --- |\n| 1 | two |\n\n```\n50% \\x\n```\n\nTheorem (Lee). So.\n\n# References\n\n- [lee] Lee, 2020.",
    );
}

// proves: A6
#[test]
fn macros_that_call_themselves_end() {
    check(
        "\\def\\x{\\x\\x y}\\x\n\nEnd.",
        &parse("\\def\\x{\\x\\x y}\\x\n\nEnd.", &Bounds::default()).unwrap().text,
    );
    let deep = "\\textbf{\\footnote{".repeat(5000);
    assert!(parse(&deep, &Bounds::default()).is_ok());
}

#[test]
fn prose_about_commands_is_no_document() {
    assert!(!recognize("Write \\documentclass{article} first.\n\\begin{document}\n"));
    assert!(recognize("\\begin{document}\nHi\n\\end{document}"));
}

// proves: A6
#[test]
fn lengths_and_redefined_links_show_nothing() {
    check(
        "\\let\\oldhref\\href\n\\renewcommand{\\href}[2]{\\oldhref{#1}{#2}\\footnote{#1}}\n\\vskip 1in plus 2pt\n\\parindent=0pt\nSee \\href{http://a}{the \\hbox to 2cm{sea}}.",
        "See the sea.",
    );
}

// proves: A6
#[test]
fn conditions_show_one_branch() {
    check(
        "\\newif\\ifdraft A\\ifdraft draft \\ifx\\a\\b no\\else no\\fi\\else{} b\\fi, \\iffalse c\\fi \\iftrue d\\fi \\ifcsname x\\endcsname e\\else f\\fi. \\ifmissing g.",
        "A b, d f. g.",
    );
}

// proves: A6
#[test]
fn characters_by_number_and_shorthands_are_letters() {
    check("\\usepackage[ngerman]{babel}gr\"u\"se \\char'134 cal \\char\"26.", "grüße \\cal &.");
}
