//! Definitions of macros and theorems, and what the preamble states.

use super::labels::is_reference;
use super::reader::Reader;
use super::silent::SILENT;
use super::{Macro, Page, Theorem};

/// The most macros that a file may define.
const MOST_MACROS: usize = 5000;

impl Theorem {
    /// Reads the definition of an environment after its command; returns the environment and what it is.
    pub(super) fn read(reader: &mut Reader) -> Option<(String, Theorem)> {
        let environment = reader.argument();
        let counted_with = reader.optional();
        let printed = reader.argument();
        let within = reader.optional();
        let theorem = Theorem { printed, counted_with, within };
        (!environment.is_empty()).then_some((environment, theorem))
    }
}

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
                if let Some((environment, theorem)) = Theorem::read(reader)
                    && self.theorems.len() < MOST_MACROS
                {
                    self.theorems.insert(environment, theorem);
                }
            }
            "NewDocumentCommand"
            | "RenewDocumentCommand"
            | "ProvideDocumentCommand"
            | "DeclareDocumentCommand" => {
                let (defined, arguments) = (reader.argument(), reader.argument());
                let body = reader.argument();
                if let Some((arguments, default)) = signature(&arguments) {
                    self.add_macro(&defined, Macro { arguments, default, body });
                }
            }
            _ => return self.flag(name, reader) || self.state_part(name, reader),
        }
        true
    }

    pub(super) fn add_macro(&mut self, defined: &str, found: Macro) {
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

    /// Expands a macro that the file defines; returns whether there is one.
    pub(super) fn expand(&mut self, name: &str, reader: &mut Reader) -> bool {
        let Some(found) = self.macros.get(name).cloned() else { return false };
        let mut values: Vec<String> = Vec::new();
        if let Some(default) = &found.default {
            values.push(reader.optional().unwrap_or_else(|| default.clone()));
        }
        while values.len() < found.arguments {
            values.push(reader.argument());
        }
        let mut body = String::with_capacity(found.body.len());
        let mut letters = found.body.chars().peekable();
        while let Some(c) = letters.next().filter(|_| body.len() <= self.expanded) {
            let digit = (c == '#').then(|| letters.peek().and_then(|c| c.to_digit(10))).flatten();
            match digit {
                Some(digit) => {
                    letters.next();
                    let index = (digit as usize).saturating_sub(1);
                    body.push_str(values.get(index).map_or("", String::as_str));
                }
                None => body.push(c),
            }
        }
        // The blank after the arguments does not belong to the command that the body ends with.
        if ends_with_command(&body) && reader.peek().is_some_and(char::is_whitespace) {
            body.push_str("{}");
        }
        if self.expansions > 0 {
            self.expansions -= 1;
            self.insert(&body, reader);
        }
        true
    }

    /// Puts a text before what is read next, as long as that stays within limits.
    pub(super) fn insert(&mut self, text: &str, reader: &mut Reader) {
        if self.expanded > text.len() {
            self.expanded -= text.len();
            // The command that it ends with does not go on in what follows.
            if ends_with_command(text) && reader.peek().is_some_and(|c| c.is_ascii_alphabetic()) {
                reader.push(" ");
            }
            reader.push(text);
        }
    }
}
/// Returns whether a text ends with a command whose name is a word.
fn ends_with_command(text: &str) -> bool {
    let before = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    before.len() < text.len() && before.ends_with('\\')
}

/// Returns how many arguments `m O{1} m` are, and the value of the first if it is left out; others are not known.
fn signature(arguments: &str) -> Option<(usize, Option<String>)> {
    let mut reader = Reader::new(arguments);
    let (mut count, mut default) = (0, None);
    while let Some(kind) = reader.next() {
        match kind {
            'm' => count += 1,
            'o' if count == 0 => (count, default) = (1, Some(String::new())),
            'O' if count == 0 => (count, default) = (1, Some(reader.argument())),
            ' ' | '+' | '\n' => {}
            _ => return None,
        }
    }
    (count <= 9).then_some((count, default))
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
    ) || is_reference(name)
        || SILENT.iter().any(|(known, _)| *known == name)
}
