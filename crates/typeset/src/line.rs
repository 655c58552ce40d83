//! Lines as the template takes them: arrays of runs, each a dictionary.
//!
//! Strong text within emphasis and so on becomes runs one after another, so that no depth is left.

use render::{Inline, Line};
use typst::foundations::{Array, Dict, Value};

use crate::coverage::Coverage;
use crate::footnotes::Footnotes;
use crate::measure;

/// Where a line stands, which decides what its citations become.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// The first citation of a number is its footnote.
    Body,
    /// Citations lead to footnotes and are none themselves.
    Note,
    /// Citations are text: what is set again on every page may hold no link.
    Head,
}

/// How a run is set.
#[derive(Debug, Clone, Copy, Default)]
struct Style {
    is_strong: bool,
    is_emphasis: bool,
}

/// Writes lines, and keeps what must be known of all of them.
pub(crate) struct LineWriter<'a> {
    pub(crate) coverage: Coverage,
    pub(crate) footnotes: Footnotes<'a>,
}

/// How many letters a word may have before it may be broken, where a line is about as broad as the page.
pub(crate) const LONGEST_WORD: usize = 30;

impl LineWriter<'_> {
    /// Writes a line whose words may be broken when they have more than `longest` letters.
    pub(crate) fn write(&mut self, line: &Line, place: Place, longest: usize) -> Array {
        let mut runs = Array::new();
        self.collect(&mut runs, line, place, longest, Style::default());
        runs
    }

    /// Writes a text of the program's or anybody's.
    pub(crate) fn write_text(&mut self, text: &str, longest: usize) -> Array {
        let mut runs = Array::new();
        self.push_text(&mut runs, "text", text, longest, Style::default());
        runs
    }

    fn collect(
        &mut self,
        runs: &mut Array,
        line: &Line,
        place: Place,
        longest: usize,
        style: Style,
    ) {
        for inline in &line.0 {
            match inline {
                Inline::Text(text) => self.push_text(runs, "text", text, longest, style),
                Inline::Literal(character) => {
                    self.push_text(
                        runs,
                        "text",
                        character.encode_utf8(&mut [0; 4]),
                        longest,
                        style,
                    );
                }
                Inline::Code(text) => self.push_text(runs, "code", text, longest, style),
                Inline::Strong(line) => {
                    let style = Style { is_strong: true, ..style };
                    self.collect(runs, line, place, longest, style);
                }
                Inline::Emphasis(line) => {
                    let style = Style { is_emphasis: true, ..style };
                    self.collect(runs, line, place, longest, style);
                }
                Inline::Sign(sign) => self.push_text(runs, "text", sign.sign, longest, style),
                Inline::Mark { numbers, shown } => {
                    self.push_mark(runs, numbers, shown, place, style);
                }
                Inline::Anchor(number) => runs.extend(self.footnotes.anchor(*number, place)),
                Inline::Break => runs.push(run("break", "", style)),
                Inline::SoftBreak => runs.push(run("text", " ", style)),
            }
        }
    }

    fn push_text(
        &mut self,
        runs: &mut Array,
        kind: &'static str,
        text: &str,
        longest: usize,
        style: Style,
    ) {
        let text = self.coverage.check(text);
        for (index, piece) in measure::cut_long_words(&text, longest).into_iter().enumerate() {
            if index > 0 {
                runs.push(run("gap", "", style));
            }
            runs.push(run(kind, piece, style));
        }
    }

    /// Adds a citation. Of several numbers each is one, what stands between them is text.
    fn push_mark(
        &mut self,
        runs: &mut Array,
        numbers: &[u32],
        shown: &str,
        place: Place,
        style: Style,
    ) {
        if let [number] = numbers {
            runs.push(self.footnotes.cite(*number, shown, place));
            return;
        }
        for (text, number) in split_mark(shown) {
            if !text.is_empty() {
                runs.push(run("text", text, style));
            }
            if let Some((number, shown)) = number {
                runs.push(self.footnotes.cite(number, shown, place));
            }
        }
    }
}

/// Returns a run of text or code, or what takes the place of one.
fn run(kind: &str, text: &str, style: Style) -> Value {
    let mut run = Dict::new();
    run.insert("kind".into(), Value::Str(kind.into()));
    run.insert("text".into(), Value::Str(text.into()));
    run.insert("strong".into(), Value::Bool(style.is_strong));
    run.insert("emph".into(), Value::Bool(style.is_emphasis));
    Value::Dict(run)
}

/// Splits a citation of several numbers into texts, each with the number behind it.
fn split_mark(shown: &str) -> Vec<(&str, Option<(u32, &str)>)> {
    let mut parts = Vec::new();
    let mut rest = shown;
    while let Some(start) = rest.find(|c: char| c.is_ascii_digit()) {
        let (text, behind) = rest.split_at(start);
        let end = behind.find(|c: char| !c.is_ascii_digit()).unwrap_or(behind.len());
        let (number, behind) = behind.split_at(end);
        parts.push((text, number.parse().ok().map(|parsed| (parsed, number))));
        rest = behind;
    }
    parts.push((rest, None));
    parts
}
