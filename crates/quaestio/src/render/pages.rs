//! The report of a method as it is written: Markdown in which every text of others stands on a line of its own making.

use std::fmt::Write as _;

use super::plain::{block, ends_in_escape, inline, one_line};

/// Returns the title of a report.
pub(super) fn render_title(text: &str, plain: fn(&str) -> String) -> String {
    let title = inline(text, plain);
    // Some viewers take what stands in braces at the end of a heading for its attributes.
    match title.strip_suffix('}') {
        Some(before) if !ends_in_escape(before) => format!("{before}\\}}"),
        _ => title,
    }
}

/// Markdown as it grows, each part with an empty line before it.
pub(super) struct Page {
    pub(super) text: String,
    /// Writes texts of others.
    pub(super) plain: fn(&str) -> String,
    /// Writes texts whose marks the method checked and numbered.
    pub(super) marked: fn(&str) -> String,
}

impl Page {
    pub(super) fn new(plain: fn(&str) -> String, marked: fn(&str) -> String) -> Page {
        Page { text: String::new(), plain, marked }
    }

    /// Returns a text of others as it may stand inside a line.
    pub(super) fn inline(&self, text: &str) -> String {
        inline(text, self.plain)
    }

    /// The same for a text whose marks the method checked and numbered.
    pub(super) fn marked(&self, text: &str) -> String {
        inline(text, self.marked)
    }

    /// Returns a text of others as it may begin a paragraph or an item.
    pub(super) fn block(&self, text: &str) -> String {
        block(text, self.plain)
    }

    /// Returns a text of others as it may stand in a cell: no bar of its own ends it.
    pub(super) fn cell(&self, text: &str) -> String {
        let line = one_line(text);
        let pieces = line.split('|').map(|piece| {
            let mut piece = (self.plain)(piece);
            if ends_in_escape(&piece) {
                piece.push('\\');
            }
            piece
        });
        pieces.collect::<Vec<_>>().join("&#124;")
    }

    pub(super) fn heading(&mut self, heading: &str) {
        let _ = writeln!(self.text, "\n## {heading}");
    }

    pub(super) fn subheading(&mut self, heading: &str) {
        let _ = writeln!(self.text, "\n### {heading}");
    }

    pub(super) fn paragraph(&mut self, text: &str) {
        if !text.is_empty() {
            let _ = writeln!(self.text, "\n{text}");
        }
    }

    pub(super) fn items(&mut self, items: impl IntoIterator<Item = String>) {
        for (index, item) in items.into_iter().enumerate() {
            let before = if index == 0 { "\n" } else { "" };
            let _ = writeln!(self.text, "{before}- {item}");
        }
    }

    /// Writes somebody's words as a quotation, on one line.
    pub(super) fn quotation(&mut self, text: &str) {
        let quoted = self.block(text);
        if !quoted.is_empty() {
            let _ = writeln!(self.text, "\n> {quoted}");
        }
    }

    /// Writes lines of others as they stand. No fence of theirs ends them.
    pub(super) fn code(&mut self, code: &str, language: &str) {
        // What nobody sees goes first: taken out later, it would bring together what it kept apart.
        let code = run::grounding::clean(code);
        let longest = code.split(|c| c != '`').map(str::len).max().unwrap_or_default();
        let fence = "`".repeat((longest + 1).max(3));
        let code = code.trim_end_matches('\n');
        let _ = writeln!(self.text, "\n{fence}{language}\n{code}\n{fence}");
    }

    /// Writes which stage failed, why, what came back before it, and what can be done.
    pub(super) fn went_wrong(&mut self, wrong: &WentWrong<'_>) {
        self.heading("What went wrong");
        let (stage, message) = (self.inline(wrong.stage), self.inline(wrong.message));
        self.paragraph(&format!("**Stage.** {stage}"));
        self.paragraph(&format!("**Why.** {message}"));
        self.paragraph(match wrong.retry_attempted {
            true => "It was tried once more and failed again.",
            false => "It was not tried again.",
        });
        self.paragraph(&wrong.came_back);
        self.paragraph(
            "What to do: a fork from the stage that failed keeps what came back before it and asks only from there on, \
             with another model or other settings if need be.",
        );
    }
}

/// How a run ended before its end.
pub(super) struct WentWrong<'a> {
    pub(super) stage: &'a str,
    pub(super) message: &'a str,
    pub(super) retry_attempted: bool,
    /// What came back before, in a paragraph; empty where nothing did.
    pub(super) came_back: String,
}
