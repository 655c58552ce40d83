//! Lines as the template takes them: arrays of runs, each a dictionary.
//!
//! Strong text within emphasis and so on becomes runs one after another, so that no depth is left.

use render::{Cited, Extent, Inline, Line};
use typst::foundations::{Array, Dict, Value};

use crate::coverage::Coverage;
use crate::footnotes::Footnotes;
use crate::measure;

/// Where a line stands, which decides what its citations become.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// The first citation of a number is its footnote.
    Body,
    /// Citations lead to footnotes and are none themselves: in notes, and of whole sources.
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
                Inline::Mark { cited, shown, extent } => {
                    let place = match (extent, place) {
                        (Extent::Source, Place::Body) => Place::Note,
                        _ => place,
                    };
                    self.push_mark(runs, cited, shown, place, style);
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
        cited: &[Cited],
        shown: &str,
        place: Place,
        style: Style,
    ) {
        if let [one] = cited {
            runs.push(self.footnotes.cite(one.number, shown, place));
            return;
        }
        for (index, one) in cited.iter().enumerate() {
            runs.push(run("text", if index == 0 { "[" } else { ", " }, style));
            runs.push(self.footnotes.cite(one.number, &one.label, place));
        }
        runs.push(run("text", "]", style));
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
