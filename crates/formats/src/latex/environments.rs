//! What each environment shows.

use super::reader::Reader;
use super::{Item, List, Page};

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

/// Returns whether many classes define an environment of this name for theorems and the like.
pub(super) fn is_usual_theorem(name: &str) -> bool {
    THEOREMS.contains(&name)
}

fn capitalized(name: &str) -> String {
    let mut letters = name.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

impl Page {
    pub(super) fn item(&mut self, reader: &mut Reader) {
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
            .map(|label| self.unmarked(&label))
            .filter(|label| label.chars().any(char::is_alphanumeric) || list == List::Terms);
        let mark = match (label, list) {
            (Some(label), _) => label,
            (None, List::Numbers(count)) => format!("{count}."),
            (None, List::Terms) => String::new(),
            (None, _) => "-".to_owned(),
        };
        self.quoted = Some(Item { list, depth, mark });
    }

    pub(super) fn begin(&mut self, environment: &str, reader: &mut Reader) {
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
                let math = self.math(&math);
                self.open.push_str(&math);
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
                // It may stand before the command that prints both.
                if self.titles.left > 0 {
                    self.write_title_block();
                }
                self.text.heading(2 - self.top, "Abstract");
            }
            "frame" => {
                self.close();
                if reader.peek() == Some('[') {
                    reader.optional();
                }
                if reader.peek() == Some('{') {
                    let title = reader.argument();
                    self.heading(3 - self.top, &title, "");
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
    pub(super) fn theorem(&mut self, name: &str, reader: &mut Reader) {
        let printed = self.theorems.get(name).map(|theorem| theorem.printed.clone());
        let printed = printed.or_else(|| is_usual_theorem(name).then(|| capitalized(name)));
        self.close();
        let option = if reader.peek() == Some('[') { reader.optional() } else { None };
        if let Some(printed) = printed {
            let mut printed = self.unmarked(&printed);
            if let Some(number) = reader.label_ahead().and_then(|label| self.shown_number(label)) {
                printed = format!("{printed} {number}");
            }
            let option =
                option.map(|option| self.unmarked(&option)).filter(|option| !option.is_empty());
            let option = option.map_or(String::new(), |option| format!(" ({option})"));
            self.open = format!("{printed}{option}. ");
        } else {
            self.expect_arguments(name, reader);
        }
    }

    pub(super) fn end(&mut self, environment: &str) {
        let name = environment.trim_end_matches('*');
        self.close();
        self.quoted = None;
        if name == "frontmatter" {
            self.titles.left = self.titles.left.saturating_sub(1);
            self.write_title_block();
        }
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
