//! Applies marks: paragraphs and breaks, superscripts and subscripts, formulas.

use std::collections::HashMap;

use super::cut::Piece;
use super::is_unwanted;

/// The deepest nesting of scripts that is marked.
const DEEPEST_SCRIPT: usize = 4;
/// The most elements open at the same time; any more are ignored.
const DEEPEST: usize = 64;

/// Returns the pieces as plain text.
pub(super) fn written(pieces: &[Piece<'_>]) -> String {
    let marked = pieces.iter().any(|piece| !matches!(piece, Piece::Text(_)));
    let last_closed = find_closings(pieces);
    let mut page = Page { marked, ..Page::default() };
    let mut index = 0;
    while let Some(piece) = pieces.get(index) {
        index += 1;
        match piece {
            Piece::Text(text) => page.say(text),
            Piece::Open(name) => {
                page.space(name);
                // An element that is never closed has no content.
                if last_closed.get(name.as_str()).is_none_or(|last| *last < index) {
                    continue;
                }
                if page.is_silent(name) {
                    let ends =
                        |piece: &Piece| matches!(piece, Piece::Close(other) if other == name);
                    let rest = pieces.get(index..).unwrap_or_default();
                    index += rest.iter().position(ends).map_or(0, |end| end + 1);
                } else {
                    page.open(name);
                }
            }
            Piece::Close(name) => {
                page.close(name);
                if !matches!(name.as_str(), "br" | "break") {
                    page.space(name);
                }
            }
            Piece::Empty(name) => page.space(name),
        }
    }
    page.text
}

/// Returns the index of the last closing mark of each name.
fn find_closings<'a>(pieces: &'a [Piece<'_>]) -> HashMap<&'a str, usize> {
    let closed = pieces.iter().enumerate().filter_map(|(index, piece)| match piece {
        Piece::Close(name) => Some((name.as_str(), index)),
        _ => None,
    });
    closed.collect()
}

#[derive(Default)]
struct Page {
    text: String,
    /// Whether there are marks, in which case white space does not show paragraphs.
    marked: bool,
    pending: Space,
    /// The open elements that affect how their content is written.
    open: Vec<Element>,
}

/// The separator before the next word.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Space {
    #[default]
    None,
    /// A line break beside an inline mark, mostly from the layout of the source.
    Layout,
    One,
    Line,
    Paragraph,
}

struct Element {
    name: String,
    /// The position where its content begins.
    from: usize,
    /// Its role in the surrounding element.
    script: Option<Script>,
    /// The number of elements in it so far.
    children: usize,
    in_math: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Script {
    Raised,
    Lowered,
    Numerator,
    Denominator,
}

impl Page {
    /// Returns whether an element's content is not for readers, or repeats a formula already given in TeX.
    fn is_silent(&self, name: &str) -> bool {
        match name {
            "script" | "style" | "head" | "annotation" | "annotation-xml" | "mphantom" => true,
            "math" => self
                .open
                .last()
                .is_some_and(|open| open.name == "alternatives" && open.from < self.text.len()),
            _ => false,
        }
    }

    fn say(&mut self, text: &str) {
        let text = match self.open.last() {
            Some(open) if open.in_math && open.name != "mtext" => text.trim(),
            _ => text,
        };
        let mut rest = text;
        while !rest.is_empty() {
            let (white, after) =
                rest.split_at(rest.find(|c: char| !c.is_whitespace()).unwrap_or(rest.len()));
            if !white.is_empty() {
                let beside_a_mark = after.is_empty() || rest.len() == text.len();
                let space = match white.matches('\n').count() {
                    2.. if !self.marked => Space::Paragraph,
                    1.. if self.marked && beside_a_mark => Space::Layout,
                    _ => Space::One,
                };
                self.pending = self.pending.max(space);
            }
            let (word, after) =
                after.split_at(after.find(char::is_whitespace).unwrap_or(after.len()));
            self.word(word);
            rest = after;
        }
    }

    fn word(&mut self, word: &str) {
        if word.chars().all(is_unwanted) {
            return;
        }
        let beside_a_bracket =
            self.text.ends_with(['(', '[']) || word.starts_with([')', ']', ',', '.', ';', ':']);
        match self.pending {
            _ if self.text.is_empty() => {}
            Space::None => {}
            Space::Layout if beside_a_bracket => {}
            Space::Layout | Space::One => self.text.push(' '),
            Space::Line => self.text.push('\n'),
            Space::Paragraph => self.text.push_str("\n\n"),
        }
        self.pending = Space::None;
        if word.contains(is_unwanted) {
            self.text.extend(word.chars().filter(|c| !is_unwanted(*c)));
        } else {
            self.text.push_str(word);
        }
    }

    fn open(&mut self, name: &str) {
        let mut script = match name {
            "sup" => Some(Script::Raised),
            "sub" | "inf" => Some(Script::Lowered),
            _ => None,
        };
        let mut in_math = name == "math";
        if let Some(parent) = self.open.last_mut() {
            in_math |= parent.in_math;
            if parent.name == "alternatives" && name == "tex-math" {
                let twice = self.text.split_off(parent.from.min(self.text.len()));
                if twice.starts_with(char::is_whitespace) {
                    self.pending = self.pending.max(Space::One);
                }
            }
            script = script.or(match (parent.name.as_str(), parent.children) {
                ("msup" | "mover", 1) | ("msubsup" | "munderover", 2) => Some(Script::Raised),
                ("msub" | "munder" | "msubsup" | "munderover", 1) => Some(Script::Lowered),
                ("mfrac", 0) => Some(Script::Numerator),
                ("mfrac", 1) => Some(Script::Denominator),
                _ => None,
            });
            parent.children += 1;
        }
        let telling = in_math || script.is_some() || matches!(name, "alternatives" | "tex-math");
        if !telling || self.open.len() >= DEEPEST {
            return;
        }
        if name == "msqrt" {
            self.word("√");
        }
        if self.open.iter().filter(|open| open.script.is_some()).count() >= DEEPEST_SCRIPT {
            script = None;
        }
        let from = self.text.len();
        self.open.push(Element { name: name.to_owned(), from, script, children: 0, in_math });
    }

    fn close(&mut self, name: &str) {
        let Some(index) = self.open.iter().rposition(|open| open.name == name) else { return };
        self.open.truncate(index + 1);
        let Some(element) = self.open.pop() else { return };
        let (before, content) = self.text.split_at(element.from.min(self.text.len()));
        let said = content.trim_start();
        let white = element.from + (content.len() - said.len());
        let changed = match element.script {
            Some(script) => scripted(script, before.chars().next_back(), said, element.in_math),
            None if name == "tex-math" => document(said).map(str::to_owned),
            None => None,
        };
        if let Some(changed) = changed {
            self.text.truncate(white);
            self.text.push_str(&changed);
        }
    }

    /// Records the separator that a mark puts between words.
    fn space(&mut self, name: &str) {
        let space = match name {
            "br" | "break" if self.pending >= Space::Line => Space::Paragraph,
            "br" | "break" | "li" | "list-item" | "tr" | "dt" | "dd" | "def-item"
            | "verse-line" => Space::Line,
            "p" | "sec" | "section" | "title" | "div" | "h1" | "h2" | "h3" | "h4" | "h5" | "h6"
            | "abstract" | "trans-abstract" | "list" | "ul" | "ol" | "dl" | "def-list"
            | "disp-quote" | "blockquote" | "disp-formula" | "table" | "pre" | "hr" | "fig"
            | "verse-group" | "body" | "header" | "footer" | "main" => Space::Paragraph,
            "td" | "th" | "label" | "caption" => Space::One,
            _ => return,
        };
        self.pending = self.pending.max(space);
    }
}

/// Formats a script after `before`; returns `None` if it stays as it is.
fn scripted(script: Script, before: Option<char>, content: &str, in_math: bool) -> Option<String> {
    /// Endings that join a word without a mark: 19th, 2nd, 1er.
    const ENDINGS: &str = "th st nd rd e er re es ème o a os as TM SM ® ™";
    let simple = content.chars().all(char::is_alphanumeric);
    let grouped = if simple || !in_math { content.to_owned() } else { format!("({content})") };
    let after_a_word = before.is_some_and(|c| c.is_alphanumeric() || matches!(c, ')' | ']' | '}'));
    match script {
        _ if content.is_empty() => None,
        Script::Numerator => (!simple).then_some(grouped),
        Script::Denominator => Some(format!("/{grouped}")),
        Script::Raised => mapped(content, RAISED).or_else(|| {
            let ending = !in_math && ENDINGS.split(' ').any(|ending| ending == content);
            (after_a_word && !ending).then(|| format!("^{grouped}"))
        }),
        Script::Lowered => mapped(content, LOWERED).or_else(|| {
            let named = in_math || content.starts_with(char::is_alphabetic);
            (after_a_word && named).then(|| format!("_{grouped}"))
        }),
    }
}

const PLAIN: &str = "0123456789+-−–=()";
const RAISED: &str = "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁻⁼⁽⁾";
const LOWERED: &str = "₀₁₂₃₄₅₆₇₈₉₊₋₋₋₌₍₎";

fn mapped(content: &str, into: &str) -> Option<String> {
    let one = |c: char| match PLAIN.chars().zip(into.chars()).find(|(plain, _)| *plain == c) {
        Some((_, script)) => Some(script),
        None if c == 'n' && into == RAISED => Some('ⁿ'),
        None => None,
    };
    content.chars().map(one).collect()
}

/// Returns the formula of a whole TeX document.
fn document(tex: &str) -> Option<&str> {
    let (_, rest) = tex.split_once("\\begin{document}")?;
    Some(rest.split_once("\\end{document}").map_or(rest, |(formula, _)| formula).trim())
}
