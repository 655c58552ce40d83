//! Definitions of macros and theorems, and what the preamble states.

use super::commands::is_known;
use super::reader::Reader;
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
}

/// Returns the names of authors, without where they work.
pub(super) fn reader_authors(authors: &str) -> String {
    let authors = authors.replace("\\and", ", ").replace("\\AND", ", ").replace("\\And", ", ");
    let names: Vec<&str> = authors
        .split(", ")
        .map(|author| author.split("\\\\").next().unwrap_or(author).trim())
        .filter(|name| !name.is_empty())
        .collect();
    names.join(", ")
}
