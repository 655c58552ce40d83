//! What each command and environment shows.

use super::accents::{accented, symbol};
use super::reader::{Reader, is_condition};
use super::{Item, List, Macro, Page};
use crate::writer::tidy;

/// The most macros that a file may define.
const MOST_MACROS: usize = 5000;

/// Commands that show nothing, with the number of their arguments in braces.
const SILENT: &[(&str, usize)] = &[
    ("label", 1),
    ("ref", 1),
    ("eqref", 1),
    ("pageref", 1),
    ("cref", 1),
    ("Cref", 1),
    ("autoref", 1),
    ("nameref", 1),
    ("vref", 1),
    ("index", 1),
    ("glossary", 1),
    ("vspace", 1),
    ("hspace", 1),
    ("addvspace", 1),
    ("vskip", 0),
    ("hskip", 0),
    ("setlength", 2),
    ("addtolength", 2),
    ("setcounter", 2),
    ("addtocounter", 2),
    ("stepcounter", 1),
    ("refstepcounter", 1),
    ("newcounter", 1),
    ("newlength", 1),
    ("newsavebox", 1),
    ("usepackage", 1),
    ("RequirePackage", 1),
    ("documentclass", 1),
    ("documentstyle", 1),
    ("pagestyle", 1),
    ("thispagestyle", 1),
    ("pagenumbering", 1),
    ("bibliographystyle", 1),
    ("bibliography", 1),
    ("addbibresource", 1),
    ("hypersetup", 1),
    ("lstset", 1),
    ("graphicspath", 1),
    ("geometry", 1),
    ("color", 1),
    ("definecolor", 3),
    ("fontsize", 2),
    ("selectlanguage", 1),
    ("hyphenation", 1),
    ("addcontentsline", 3),
    ("addtocontents", 2),
    ("markboth", 2),
    ("markright", 1),
    ("newtheoremstyle", 9),
    ("theoremstyle", 1),
    ("numberwithin", 2),
    ("PassOptionsToPackage", 2),
    ("usetikzlibrary", 1),
    ("tikzset", 1),
    ("includegraphics", 1),
    ("rule", 2),
    ("phantom", 1),
    ("hphantom", 1),
    ("vphantom", 1),
    ("cline", 1),
    ("cmidrule", 1),
    ("nocite", 1),
    ("AtBeginDocument", 1),
    ("AtEndDocument", 1),
    ("enlargethispage", 1),
    ("pdfbookmark", 2),
    ("setmainfont", 1),
    ("setsansfont", 1),
    ("setmonofont", 1),
    ("captionsetup", 1),
    ("fancyhead", 1),
    ("fancyfoot", 1),
    ("pagecolor", 1),
    ("usefont", 4),
    ("fontfamily", 1),
    ("fontseries", 1),
    ("fontshape", 1),
    ("linespread", 1),
    ("allowdisplaybreaks", 0),
    ("setstretch", 1),
    ("arraystretch", 0),
    ("titleformat", 5),
    ("titlespacing", 4),
    ("sisetup", 1),
    ("newcolumntype", 2),
    ("CheckSum", 1),
    ("DoNotIndex", 1),
    ("ProvidesPackage", 1),
    ("ProvidesFile", 1),
    ("NeedsTeXFormat", 1),
    ("bookmarksetup", 1),
    ("todo", 1),
    ("hyperbaseurl", 1),
    ("eject", 0),
    ("protect", 0),
    ("noindent", 0),
    ("penalty", 0),
    ("settowidth", 2),
    ("usebeamerfont", 1),
    ("usetheme", 1),
    ("setbeamertemplate", 1),
    ("DeclareUnicodeCharacter", 2),
    ("makeatletter", 0),
    ("changenotsign", 0),
    ("ChangesTable", 0),
    ("EnableCrossrefs", 0),
    ("CodelineIndex", 0),
];

/// Lengths, which are set by what follows them.
const LENGTHS: &[&str] = &[
    "vskip",
    "hskip",
    "parindent",
    "parskip",
    "baselineskip",
    "hsize",
    "vsize",
    "textwidth",
    "textheight",
    "topmargin",
    "oddsidemargin",
    "evensidemargin",
    "topskip",
    "leftskip",
    "rightskip",
    "tabcolsep",
    "arrayrulewidth",
    "columnsep",
    "leftmargin",
    "itemsep",
    "topsep",
    "parsep",
    "labelsep",
    "fboxsep",
    "fboxrule",
    "unitlength",
    "abovedisplayskip",
    "belowdisplayskip",
    "hoffset",
    "voffset",
    "linewidth",
    "columnwidth",
    "penalty",
    "widowpenalty",
    "clubpenalty",
    "tolerance",
    "hangindent",
    "hangafter",
    "pretolerance",
    "lineskip",
    "emergencystretch",
];

/// Environments whose content is code.
const CODE: &[&str] = &[
    "verbatim",
    "Verbatim",
    "lstlisting",
    "minted",
    "alltt",
    "BVerbatim",
    "LVerbatim",
    "semiverbatim",
];
/// Environments whose content is displayed mathematics.
const MATH: &[&str] = &[
    "equation",
    "align",
    "gather",
    "multline",
    "eqnarray",
    "displaymath",
    "math",
    "flalign",
    "alignat",
    "dmath",
    "empheq",
];
/// Environments that are pictures or belong to the machinery.
const HIDDEN: &[&str] = &[
    "tikzpicture",
    "picture",
    "comment",
    "filecontents",
    "pgfpicture",
    "pspicture",
    "CCSXML",
    "tikzcd",
    "asy",
    "axis",
];
/// Theorem-like environments that many classes define.
const THEOREMS: &[&str] = &[
    "theorem",
    "lemma",
    "proposition",
    "corollary",
    "definition",
    "example",
    "remark",
    "proof",
    "claim",
    "conjecture",
    "note",
    "exercise",
    "axiom",
    "problem",
    "solution",
    "notation",
    "observation",
    "fact",
    "assumption",
    "property",
    "question",
];

impl Page {
    /// Takes in a definition or a statement of the preamble; returns whether `name` is one.
    pub(super) fn define(&mut self, name: &str, reader: &mut Reader) -> bool {
        match name {
            "newcommand" | "renewcommand" | "providecommand" | "DeclareRobustCommand" => {
                let defined = reader.argument();
                let arguments =
                    reader.optional().and_then(|count| count.trim().parse().ok()).unwrap_or(0);
                let default = reader.optional();
                let body = reader.argument();
                self.add_macro(
                    &defined,
                    Macro { arguments: usize::min(arguments, 9), default, body },
                );
            }
            "def" | "gdef" | "edef" | "xdef" => {
                let defined = reader.argument();
                let mut arguments = 0;
                let mut is_simple = true;
                while let Some(c) = reader.peek().filter(|c| *c != '{') {
                    is_simple &= c == '#' || c.is_ascii_digit() || c.is_whitespace();
                    arguments += usize::from(c == '#');
                    reader.next();
                }
                let body = reader.argument();
                if is_simple && arguments <= 9 {
                    self.add_macro(&defined, Macro { arguments, default: None, body });
                }
            }
            "let" => {
                reader.argument();
                reader.skip("=");
                reader.argument();
            }
            "DeclareMathOperator" | "newenvironment" | "renewenvironment" => {
                reader.argument();
                if name.ends_with("environment") {
                    reader.optional();
                    reader.optional();
                    reader.argument();
                }
                reader.argument();
            }
            "newtheorem" => {
                let environment = reader.argument();
                reader.optional();
                let printed = reader.argument();
                reader.optional();
                if self.theorems.len() < MOST_MACROS {
                    self.theorems.insert(environment, printed);
                }
            }
            "title" => {
                reader.optional();
                let title = reader.argument();
                self.state("title", &title);
            }
            "author" => {
                reader.optional();
                let authors = reader.argument();
                let authors = reader_authors(&authors);
                self.state("author", &authors);
            }
            "date" => {
                let date = reader.argument();
                self.state("date", &date);
            }
            "keywords" | "subject" => {
                let words = reader.argument();
                self.state(name, &words);
            }
            _ => return false,
        }
        true
    }

    fn add_macro(&mut self, defined: &str, found: Macro) {
        let name = defined.trim().trim_start_matches('\\').trim_end_matches('*').trim();
        // What the class prints stays as it is read here.
        if self.macros.len() < MOST_MACROS
            && !name.is_empty()
            && !name.contains('\\')
            && !is_known(name)
        {
            self.macros.insert(name.to_owned(), found);
        }
    }

    /// Writes what a command shows.
    pub(super) fn command(&mut self, name: &str, reader: &mut Reader) {
        if self.expand(name, reader) || self.define(name, reader) {
            return;
        }
        if let Some(symbol) = symbol(name) {
            self.open.push_str(symbol);
            reader.skip("{}");
            return;
        }
        if accented(name, "a").is_some() {
            let letter = reader.argument();
            let letter = letter.trim().trim_start_matches('\\').to_owned();
            match accented(name, &letter) {
                Some(letter) => self.open.push_str(&letter),
                None => self.open.push_str(&letter),
            }
            return;
        }
        match name {
            "begin" => {
                let environment = reader.argument();
                self.begin(environment.trim(), reader);
            }
            "end" => {
                let environment = reader.argument();
                self.end(environment.trim());
            }
            "part" | "chapter" | "section" | "subsection" | "subsubsection" | "paragraph"
            | "subparagraph" | "minisec" | "frametitle" => {
                reader.optional();
                let title = reader.argument();
                let level = match name {
                    "part" | "chapter" => 1,
                    "section" => 2 - self.top,
                    "subsection" | "frametitle" => 3 - self.top,
                    "subsubsection" => 4 - self.top,
                    _ => 5 - self.top,
                };
                self.heading(level, &title);
            }
            "item" => self.item(reader),
            "bibitem" => {
                let label = reader.optional();
                let key = reader.argument();
                self.close();
                let depth = self.lists.len().saturating_sub(1);
                let label = label.map(|label| self.words(&label)).filter(|label| !label.is_empty());
                self.quoted = Some(Item {
                    list: List::Works,
                    depth,
                    mark: format!("[{}]", label.unwrap_or(key)),
                });
            }
            "footnote" | "footnotetext" | "thanks" | "endnote" | "marginpar" => {
                reader.optional();
                let note = reader.argument();
                let words = self.words(&note);
                if !words.is_empty() {
                    self.notes.push(words);
                }
            }
            "caption" | "captionof" => {
                reader.optional();
                let mut caption = reader.argument();
                if name == "captionof" {
                    caption = reader.argument();
                }
                self.close();
                let words = self.words(&caption);
                self.text.paragraph(&words);
            }
            "href" => {
                reader.argument();
                let words = reader.argument();
                let words = self.words(&words);
                self.open.push_str(&words);
            }
            "url" | "path" | "nolinkurl" => {
                let address = reader.argument();
                self.open.push_str(&address.replace('\\', ""));
            }
            "verb" | "lstinline" | "mintinline" => {
                if name == "lstinline" && reader.peek() == Some('[') {
                    reader.optional();
                }
                if name == "mintinline" {
                    reader.argument();
                }
                if let Some(mark) = reader.next() {
                    let end = if mark == '{' { "}".to_owned() } else { mark.to_string() };
                    let code = reader.until(&end);
                    self.open.push_str(&code);
                }
            }
            "(" => {
                let math = reader.until("\\)");
                self.open.push_str(&tidy(&math));
            }
            "[" => {
                let math = reader.until("\\]");
                self.display(&math);
            }
            "\\" | "newline" | "linebreak" | "cr" | "tabularnewline" => {
                reader.skip("*");
                if reader.peek() == Some('[') {
                    reader.optional();
                }
                self.open.push(' ');
            }
            "par" | "bigskip" | "medskip" | "smallskip" | "newpage" | "clearpage" | "maketitle"
            | "tableofcontents" | "hrule" => self.close(),
            "input" | "include" | "subfile" | "lstinputlisting" | "verbatiminput" => {
                reader.optional();
                let file = reader.argument();
                self.close();
                self.text.paragraph(&format!("(includes {})", tidy(&file)));
            }
            "textcolor" | "colorbox" | "foreignlanguage" | "hyperlink" | "hyperref"
            | "texorpdfstring" | "raisebox" | "parbox" | "resizebox" | "scalebox"
            | "hypertarget" | "makebox" | "framebox" | "adjustbox" => {
                // The first argument is no text; with `hyperref` it stands in brackets.
                if matches!(name, "texorpdfstring") {
                    let words = reader.argument();
                    reader.argument();
                    reader.push(&words);
                    return;
                }
                reader.optional();
                reader.optional();
                if !matches!(name, "hyperref" | "makebox" | "framebox") {
                    reader.argument();
                }
                if name == "resizebox" {
                    reader.argument();
                }
            }
            "multicolumn" | "multirow" => {
                reader.argument();
                reader.argument();
            }
            "ensuremath" => {
                let math = reader.argument();
                self.open.push_str(&tidy(&math));
            }
            "SI" | "qty" => {
                reader.optional();
                let (number, unit) = (reader.argument(), reader.argument());
                self.open.push_str(&format!("{number} {}", unit.replace('\\', " ").trim()));
            }
            "hbox" | "vbox" | "vtop" | "kern" | "moveright" | "raise" | "lower" => {
                let _ = reader.skip("to") || reader.skip("spread");
                reader.skip_dimension();
            }
            name if LENGTHS.contains(&name) => reader.skip_dimension(),
            "newif" => drop(reader.argument()),
            "csname" => drop(reader.until("\\endcsname")),
            "ifthenelse" => {
                reader.argument();
                reader.argument();
                let otherwise = reader.argument();
                self.insert(&otherwise, reader);
            }
            "tikz" => {
                reader.optional();
                if reader.braced().is_none() {
                    reader.until(";");
                }
            }
            name if is_condition(name) && self.expanded > 0 => {
                // What is not known does not hold.
                if let Some((first, second)) = reader.branches() {
                    self.insert(if name == "iftrue" { &first } else { &second }, reader);
                } else {
                    self.expanded = 0;
                }
            }
            "expandafter" | "relax" | "begingroup" | "endgroup" => {}
            name if is_citation(name) => {
                let (before, after) = (reader.optional(), reader.optional());
                let keys = reader.argument();
                let keys: Vec<&str> = keys.split(',').map(str::trim).collect();
                let note =
                    after.or(before).map(|note| self.words(&note)).filter(|note| !note.is_empty());
                let note = note.map_or(String::new(), |note| format!(", {note}"));
                self.open.push_str(&format!("[{}{note}]", keys.join(", ")));
            }
            name => self.other(name, reader),
        }
    }

    /// Handles a command without a meaning of its own here: its arguments in braces are read as text.
    fn other(&mut self, name: &str, reader: &mut Reader) {
        let silent = SILENT.iter().find(|(known, _)| *known == name).map(|(_, count)| *count);
        if let Some(count) = silent {
            for _ in 0..2 {
                if reader.peek() == Some('[') {
                    reader.optional();
                }
            }
            for _ in 0..count {
                if reader.braced().is_none() {
                    break;
                }
                if reader.peek() == Some('[') {
                    reader.optional();
                }
            }
            return;
        }
        if reader.peek() == Some('[') && !reader.ahead().starts_with("[ ") {
            reader.optional();
        }
    }

    fn item(&mut self, reader: &mut Reader) {
        self.close();
        let label = if reader.peek() == Some('[') { reader.optional() } else { None };
        let depth = self.lists.len().saturating_sub(1);
        let list = match self.lists.last_mut() {
            Some(List::Numbers(count)) => {
                if label.is_none() {
                    *count += 1;
                }
                List::Numbers(*count)
            }
            Some(list) => *list,
            None => List::Bullets,
        };
        let label = label
            .map(|label| self.words(&label))
            .filter(|label| label.chars().any(char::is_alphanumeric) || list == List::Terms);
        let mark = match (label, list) {
            (Some(label), _) => label,
            (None, List::Numbers(count)) => format!("{count}."),
            (None, List::Terms) => String::new(),
            (None, _) => "-".to_owned(),
        };
        self.quoted = Some(Item { list, depth, mark });
    }

    fn begin(&mut self, environment: &str, reader: &mut Reader) {
        let name = environment.trim_end_matches('*');
        if CODE.contains(&name) {
            self.close();
            let mut body = reader.environment(environment);
            let mut language = String::new();
            if name == "lstlisting" || name == "minted" || name == "Verbatim" {
                let mut inner = Reader::new(&body);
                let options = inner.ahead().starts_with('[').then(|| inner.optional()).flatten();
                if let Some(options) = options {
                    language = options
                        .split("language=")
                        .nth(1)
                        .and_then(|rest| rest.split([',', ']']).next())
                        .unwrap_or_default()
                        .trim_matches(['{', '}', ' '])
                        .to_lowercase();
                }
                if name == "minted" {
                    language = inner.argument();
                }
                body = inner.until("\u{0}");
            }
            return self.text.code(&language, &body);
        }
        if HIDDEN.contains(&name) {
            reader.environment(environment);
            return;
        }
        if MATH.contains(&name) {
            let mut math = reader.environment(environment);
            if name == "alignat" {
                math = math.splitn(2, '}').last().unwrap_or_default().to_owned();
            }
            if name == "math" {
                self.open.push_str(&tidy(&math));
                return;
            }
            return self.display(&math);
        }
        if matches!(
            name,
            "tabular"
                | "tabularx"
                | "longtable"
                | "tabulary"
                | "array"
                | "tabu"
                | "longtabu"
                | "supertabular"
                | "xltabular"
                | "tblr"
        ) {
            let body = reader.environment(environment);
            return self.table(name, &body);
        }
        match name {
            "itemize" | "enumerate" | "description" | "list" | "compactitem" | "compactenum"
            | "trivlist" | "thebibliography" | "labeling" | "inparaenum" | "tasks" => {
                self.close();
                // An item whose first words are a list has none of its own.
                self.quoted = None;
                if reader.peek() == Some('[') {
                    reader.optional();
                }
                if matches!(name, "list" | "thebibliography" | "labeling") {
                    reader.argument();
                }
                if name == "list" {
                    reader.argument();
                }
                self.lists.push(match name {
                    "enumerate" | "compactenum" | "inparaenum" => List::Numbers(0),
                    "description" | "labeling" => List::Terms,
                    "thebibliography" => List::Works,
                    _ => List::Bullets,
                });
                if name == "thebibliography" {
                    self.lists.clear();
                    self.lists.push(List::Works);
                    self.text.heading(2 - self.top, "References");
                }
            }
            "abstract" => {
                self.close();
                self.text.heading(2 - self.top, "Abstract");
            }
            "frame" => {
                self.close();
                if reader.peek() == Some('[') {
                    reader.optional();
                }
                if reader.peek() == Some('{') {
                    let title = reader.argument();
                    self.heading(3 - self.top, &title);
                }
            }
            "figure" | "table" | "wrapfigure" | "minipage" | "multicols" | "subfigure"
            | "wraptable" | "sidewaystable" | "adjustwidth" | "spacing" | "tcolorbox"
            | "mdframed" | "columns" | "column" | "block" | "adjustbox" | "threeparttable" => {
                self.close();
                for _ in 0..3 {
                    if reader.peek() == Some('[') {
                        reader.optional();
                    }
                }
                let count = match name {
                    "wrapfigure" | "wraptable" | "adjustwidth" => 2,
                    "minipage" | "multicols" | "subfigure" | "spacing" | "column" | "adjustbox" => {
                        1
                    }
                    _ => 0,
                };
                for _ in 0..count {
                    reader.braced();
                }
            }
            name => self.theorem(name, reader),
        }
    }

    /// Begins a theorem, or an environment without a meaning of its own here.
    fn theorem(&mut self, name: &str, reader: &mut Reader) {
        let printed = self.theorems.get(name).cloned();
        let printed = printed.or_else(|| {
            let mut letters = name.chars();
            let first = letters.next()?;
            THEOREMS.contains(&name).then(|| first.to_uppercase().chain(letters).collect())
        });
        self.close();
        let option = if reader.peek() == Some('[') { reader.optional() } else { None };
        if let Some(printed) = printed {
            let printed = self.words(&printed);
            let option =
                option.map(|option| self.words(&option)).filter(|option| !option.is_empty());
            let option = option.map_or(String::new(), |option| format!(" ({option})"));
            self.open = format!("{printed}{option}. ");
        }
    }

    fn end(&mut self, environment: &str) {
        let name = environment.trim_end_matches('*');
        self.close();
        self.quoted = None;
        let is_list = matches!(
            name,
            "itemize"
                | "enumerate"
                | "description"
                | "list"
                | "compactitem"
                | "compactenum"
                | "trivlist"
                | "thebibliography"
                | "labeling"
                | "inparaenum"
                | "tasks"
        );
        if is_list {
            self.lists.pop();
        }
    }
}

/// Returns the names of authors, without where they work.
fn reader_authors(authors: &str) -> String {
    let authors = authors.replace("\\and", ", ").replace("\\AND", ", ").replace("\\And", ", ");
    let names: Vec<&str> = authors
        .split(", ")
        .map(|author| author.split("\\\\").next().unwrap_or(author).trim())
        .filter(|name| !name.is_empty())
        .collect();
    names.join(", ")
}

fn is_citation(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    name.contains("cite") && !name.starts_with("no") && name.len() <= 14
}

/// Returns whether a command is read here in a way that no definition of the file changes.
fn is_known(name: &str) -> bool {
    matches!(
        name,
        "part"
            | "chapter"
            | "section"
            | "subsection"
            | "subsubsection"
            | "paragraph"
            | "item"
            | "begin"
            | "end"
            | "footnote"
            | "caption"
            | "maketitle"
            | "par"
            | "emph"
            | "textbf"
            | "href"
            | "url"
            | "title"
            | "author"
            | "date"
            | "hyperlink"
            | "hyperref"
            | "textcolor"
            | "input"
            | "include"
            | "bibitem"
            | "verb"
            | "newcommand"
            | "def"
            | "cite"
            | "citep"
            | "citet"
            | "thanks"
    ) || SILENT.iter().any(|(known, _)| *known == name)
}
