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
        "Ann Lee\n\nBo, Kiel\n\nMarch 9, 2024\n\nHere\n\n# Abstract\n\nShort.\n\n# One\n\nIn the North sea, 50% of x² [lee, bo, p. 2]. naïve café — “so”\n\nA note.\n\nNext page.\n\na = b"
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
        ("\\boxed*{0.5cm}{été.png}{wide}{.4\\textwidth} and \\mark{5cm}.", "wide and 5cm."),
        (
            "\\newacronym{sl}{SL}{sea level}\\setbeamercolor{title}{fg=red}\\newthought{So} it rose.",
            "So it rose.",
        ),
        (
            "\\newgeometry{scale=.8}\\shopsetup{cols=one}\\begin{piece}{Lee}{Gale}{} Sea\\end{piece}",
            "Lee Gale Sea",
        ),
        ("\\subfigure[][High.]{\\DescribeMacro{\\cref} so}.", "High. \\cref so."),
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

// proves: A6
#[test]
fn the_title_block_shows_where_it_is_printed() {
    for (text, expected) in [
        (
            "\\title{Tides\\thanks{First draft.}}\\subtitle{A survey}\\author{Ann Lee\\inst{1}\\\\ Sea School\\\\ \\email{a@sea.no} \\and Bo}\\institute{Brest}\\date{\\today}\\begin{document}Before. \\maketitle After.\\end{document}",
            "Before.\n\nA survey\n\nAnn Lee¹, Sea School, a@sea.no\n\nBo\n\nBrest\n\nFirst draft.\n\nAfter.",
        ),
        (
            "\\begin{document}\\begin{frontmatter}\\title{T}\\author[a]{Ann}\\ead{a@b}\\affiliation[a]{organization=Sea School, city={Brest}}\\begin{abstract}High.\\end{abstract}\\end{frontmatter}\\address{1 Quay}\\email{b@c}\\keywords{sea, tide} Low. Write to \\email{c@d}.\\end{document}",
            "Ann\n\na@b\n\nSea School, Brest\n\n# Abstract\n\nHigh.\n\n1 Quay\n\nb@c\n\nKeywords: sea, tide\n\nLow. Write to c@d.",
        ),
        (
            "\\begin{document}\\maketitle[title=Tides, subtitle={High, low}] Text. \\title{Two}\\address{Brest}\\end{document}",
            "Tides, High, low\n\nText.\n\nBrest",
        ),
        (
            "\\begin{document}\\author{Ann}\\department{Tides}\\makehousetitle\\part Show it.\\section{One}\\end{document}",
            "Ann\n\nTides\n\nShow it.\n\n# One",
        ),
    ] {
        check(text, expected);
    }
}

// proves: A6
#[test]
fn assignments_show_nothing() {
    for (text, expected) in [
        (
            "\\righthyphenmin=2 One. \\hyphenpenalty 10000 Two. \\looseness=-1 Three.",
            "One. Two. Three.",
        ),
        (
            "\\XeTeXlinebreakskip=0em plus .1em minus \\x One. \\advance\\count0 by -1 Two.",
            "One. Two.",
        ),
        (
            "\\count1=5\\everypar={hidden}\\catcode`\\@=11 One. \\font\\big=cmr10 at 12pt Two.",
            "One. Two.",
        ),
        (
            "\\setbox0=\\hbox to 2cm{hidden}\\vrule width 1pt height 2pt One. \\penalty100. Two",
            "One. . Two",
        ),
        (
            "\\typeout{hidden}\\typein=five plus 5 of \\parindent=0pt plus sea",
            "=five plus 5 of plus sea",
        ),
    ] {
        check(text, expected);
    }
}

// proves: A6
#[test]
fn entries_of_glossaries_show_in_full_once() {
    check(
        "\\newacronym[x=y]{sl}{SL}{sea level}\\newglossaryentry{tide}{name={tide}, description={What rises, and falls}}\\begin{document}The \\gls{sl}, \\gls{sl}, \\acrlong{sl} and \\acrfull{sl}: \\Glspl{tide}, \\gls{tide}[less], \\gls{gone}.\\printglossaries\\end{document}",
        "The sea level (SL), SL, sea level and sea level (SL): Tides, tideless, gone.\n\n# Glossary\n\nSL\n: sea level\n\ntide\n: What rises, and falls",
    );
    check(
        "\\ac{SL}, \\acp{SL} and \\acs{hw}; \\nomenclature[a]{$h$}{height}so. \\begin{acronym}\\acro{SL}{sea level}\\acro{hw}[HW]{high water}\\end{acronym}\\printnomenclature",
        "sea level (SL), SLs and HW; so.\n\nSL\n: sea level\n\nHW\n: high water\n\n# Nomenclature\n\nh\n: height",
    );
    let deep = format!("\\newacronym{{a}}{{{0}}}{{{0}}}\\gls{{a}}", "\\gls{a}".repeat(2000));
    assert!(parse(&deep, &Bounds::default()).is_ok());
}

// proves: A6
#[test]
fn flags_numbers_and_words_decide_conditions() {
    for (text, expected) in [
        (
            "\\newif\\ifdraft\\drafttrue\\begin{document}\\ifdraft A\\else B\\fi\\draftfalse\\ifdraft C\\else D\\fi\\end{document}",
            "AD",
        ),
        (
            "\\ifnum1<2 yes\\else no\\fi, \\ifnum 3=-3 yes\\else no\\fi, \\ifnum\\x>1 yes\\else no\\fi.",
            "yes, no, no.",
        ),
        (
            "\\newtoggle{t}\\toggletrue{t}\\iftoggle{t}{A}{B}\\ifstrempty{}{C}{D}\\ifthenelse{\\equal{a}{b}}{E}{F}\\nottoggle{t}{G}{H}",
            "ACFH",
        ),
        (
            "\\NewDocumentCommand{\\sea}{O{North} m}{the #1 #2}\\sea{sea}, \\sea[Red]{coast}",
            "the North sea, the Red coast",
        ),
    ] {
        check(text, expected);
    }
}

// proves: A6
#[test]
fn words_stay_apart_and_notes_of_editions_are_notes() {
    check(
        "\\newcommand{\\x}[1]{#1\\relax}\\newcommand{\\y}{tide\\xspace}\\x{a} b \\y rises, \\y. \\textlangle c\\textrangle{} d",
        "a b tide rises, tide. ⟨c⟩ d",
    );
    check(
        "\\pstart\\edtext{prima}{\\lemma{p}\\Afootnote{critical}} secunda\\footnoteB{familiar}.\\ledsidenote{side}\\pend\\pstart Tertia\\pend",
        "prima secunda.\n\ncritical\n\nfamiliar\n\nside\n\nTertia",
    );
}
