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
        "# Abstract\n\nShort.\n\n# One\n\nIn the North sea, 50% of x² [lee, bo, p. 2]. naïve café — “so”\n\nA note.\n\nNext page.\n\na = b"
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

// proves: A6
#[test]
fn references_are_numbers_that_what_they_refer_to_shows() {
    let text = "\\newtheorem{thm}{Theorem}[section]\n\\newtheorem{lem}[thm]{Lemma}\n\\section*{Preface}\n\\section{Sea}\\label{sea} See Section~\\ref{moon}, \\autoref{fig}, \\cref{tides,big}, \\eqref{eq}, \\ref{gone} on page \\pageref{sea} and Lemma~\\ref{low}.\n\\begin{figure}\\caption{High \\emph{water}}\\label{fig}\\end{figure}\n\\subsection{Not referred to}\n\\section{Moon}\n\\label{moon}\n\\subsection{Tides}\\label{tides}\n\\begin{thm}\\label{big} So.\\end{thm}\n\\begin{lem}[Lee]\\label{low} Thus.\\end{lem}\n\\begin{align} a &= b \\\\ c &= \\alpha^2 \\label{eq} \\end{align}\n\\input{more}\n\\section{Lost}\\label{lost} \\ref{lost}";
    check(
        text,
        "# Preface\n\n# Sea\n\nSee Section 2, Figure 1, section 2.1, theorem 2.1, (2), [gone] on page [sea] and Lemma 2.2.\n\nFigure 1: High water\n\n## Not referred to\n\n# 2 Moon\n\n## 2.1 Tides\n\nTheorem 2.1. So.\n\nLemma 2.2 (Lee). Thus.\n\na = b\n\nc = α² (2)\n\n(includes more)\n\n# Lost\n\n[lost]",
    );
}

// proves: A6
#[test]
fn simple_mathematics_is_text_with_the_macros_of_the_file() {
    check(
        "\\newcommand{\\km}[1]{#1\\,\\mathrm{km}^2}\nAbout $\\km{10^6}$ and \\(\\vec{x}_1\\), the 4\\textsuperscript{th}: $\\begin{array}{c}a\\end{array}$.",
        "About 10⁶ km² and x\u{20d7}1, the 4th: \\begin{array}{c}a\\end{array}.",
    );
}

// proves: A6
#[test]
fn cells_that_cover_others_and_heads_of_several_rows_are_read() {
    check(
        "\\begin{tabular}{lcc}\\toprule\n\\multirow{2}{*}{Port} & \\multicolumn{2}{c}{Tide} \\\\ \\cmidrule(lr){2-3}\n & High & Low \\\\ \\midrule\nBrest & 6.9 & 1.2 \\\\ \\bottomrule\n\\end{tabular}\n\nA note\\footnote{\\begin{tabular}{ll} a & b \\\\ c & d \\end{tabular}}.",
        "| Port | Tide High | Tide Low |\n| --- | --- | --- |\n| Brest | 6.9 | 1.2 |\n\nA note.\n\na, b; c, d",
    );
}

// proves: A6
#[test]
fn documents_that_a_text_shows_do_not_end_it() {
    let shown = "\\begin{lstlisting}\n\\documentclass{x}\n\\begin{document}\nHi\n\\end{document}\n\\end{lstlisting}";
    let code = "```\n\\documentclass{x}\n\\begin{document}\nHi\n\\end{document}\n```";
    check(
        &format!(
            "\\documentclass{{article}}\n\\begin{{filecontents}}{{a.tex}}\n\\begin{{document}}\n\\end{{filecontents}}\n\\begin{{document}}\nOne.\n\n{shown}\n\nUse \\verb|\\end{{document}}|.\n\\end{{document}}\nno {shown} no"
        ),
        &format!("One.\n\n{code}\n\nUse \\end{{document}}."),
    );
    // A manual may show the end of a document alone, and a chapter may show a whole one.
    let end = "\\begin{verbatim}\n\\end{document}\n\\end{verbatim}";
    check(
        &format!("\\begin{{document}}\nOne.\n{end}\nTwo.\n\\end{{document}}\nno"),
        "One.\n\n```\n\\end{document}\n```\n\nTwo.",
    );
    check(
        &format!("\\section{{Sea}}\nOne.\n{shown}\nTwo."),
        &format!("# Sea\n\nOne.\n\n{code}\n\nTwo."),
    );
}

// proves: A6
#[test]
fn what_is_set_for_commands_of_which_nothing_is_known_does_not_show() {
    for (text, expected) in [
        ("\\job{Clerk}{Oslo}{\\it 2019}, so.", "Clerk Oslo 2019, so."),
        (
            "\\affiliation{organization=Sea School, address line=1 Quay, city={Brest}}",
            "Sea School, 1 Quay, Brest",
        ),
        ("\\boxed*{0.5cm}{wide}{.4\\textwidth} and \\mark{5cm}.", "wide and 5cm."),
        (
            "\\newacronym{sl}{SL}{sea level}\\setbeamercolor{title}{fg=red}\\newthought{So} it rose.",
            "So it rose.",
        ),
        ("\\textsc{a}{b}, {c}{d}, \\know{x=1}.", "ab, cd, x=1."),
        (
            "\\tableofcontents[depth=1]\\includesvg[width=3cm]{moon}\\unit[5]{km}, \\si{\\metre}.",
            "5 km, metre.",
        ),
    ] {
        check(text, expected);
    }
    let slides = "\\documentclass{beamer}\\begin{document}\\only<2->{High} \\textbf<1>{low} a <b>\\end{document}";
    check(slides, "High low a <b>");
    let deep = "\\new{\\setx{\\job{a}{k=".repeat(20_000);
    assert!(parse(&deep, &Bounds::default()).is_ok());
}
