//! What stands in a line.

use std::collections::BTreeSet;

use grounding::marks;

use crate::labels::Labels;

/// A piece of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Inline {
    /// Anybody's text, on one line.
    Text(String),
    /// A character that no format may take for markup.
    Literal(char),
    Strong(Line),
    Emphasis(Line),
    Code(String),
    /// A citation: what it cites, and how it is written.
    Mark {
        cited: Vec<Cited>,
        shown: String,
        extent: Extent,
    },
    Sign(Sign),
    /// Marks of this number lead here, unless they have a note. Nothing is shown.
    Anchor(u32),
    /// A line break that a writer keeps.
    Break,
    /// A line break of the source that is no more than a space.
    SoftBreak,
}

/// What a citation cites.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cited {
    pub number: u32,
    /// What a reader sees for the number: the number itself, unless the document was given labels.
    pub label: String,
}

impl From<u32> for Cited {
    fn from(number: u32) -> Cited {
        Cited { number, label: number.to_string() }
    }
}

/// How much of a source a citation stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    Statements,
    /// The whole source of the statements that it names, as in a list of references.
    Source,
}

/// What stands behind a sentence that was checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sign {
    pub sign: &'static str,
    /// The name of the verdict.
    pub verdict: &'static str,
    /// What the verdict says, in words.
    pub says: &'static str,
}

/// Inlines in reading order, built from left to right.
///
/// ```
/// let line = render::Line::new().strong("Stage.").text(" market sizing");
/// assert_eq!(line.plain(), "Stage. market sizing");
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Line(pub Vec<Inline>);

impl Line {
    pub fn new() -> Line {
        Line::default()
    }

    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|one| matches!(one, Inline::Text(text) if text.trim().is_empty()))
    }

    /// Adds text. White space becomes single spaces; characters that leave no trace on a screen go.
    #[must_use]
    pub fn text(mut self, text: impl AsRef<str>) -> Line {
        let text = text.as_ref();
        let mut line = one_line(text);
        if !line.is_empty() && text.starts_with(char::is_whitespace) {
            line.insert(0, ' ');
        }
        if text.ends_with(char::is_whitespace) {
            line.push(' ');
        }
        self.push_text(&line);
        self
    }

    /// Adds text whose marks were checked: they become citations.
    #[must_use]
    pub fn marked(mut self, text: &str) -> Line {
        let text = one_line(text);
        let mut from = 0;
        for mark in marks::marks(&text) {
            let Some(shown) = text.get(mark.span.clone()).filter(|shown| is_plain(shown)) else {
                continue;
            };
            self.push_text(text.get(from..mark.span.start).unwrap_or_default());
            self.push_mark_as(mark.numbers, shown.to_owned());
            from = mark.span.end;
        }
        self.push_text(text.get(from..).unwrap_or_default());
        self
    }

    /// Adds a citation of one number, such as `[3]`.
    #[must_use]
    pub fn mark(mut self, number: u32) -> Line {
        self.push_mark_as(vec![number], format!("[{number}]"));
        self
    }

    /// Adds a citation for each number, a space before each.
    #[must_use]
    pub fn marks(self, numbers: &[u32]) -> Line {
        numbers.iter().fold(self, |line, number| line.text(" ").mark(*number))
    }

    /// Adds a citation of the source of some statements: with labels `[7]` for `7a` and `7b`, without them `[3, 4]`.
    #[must_use]
    pub fn mark_source(mut self, numbers: &[u32]) -> Line {
        let cited: Vec<Cited> = numbers.iter().copied().map(Cited::from).collect();
        self.0.push(Inline::Mark { shown: write_mark(&cited), cited, extent: Extent::Source });
        self
    }

    #[must_use]
    pub fn strong(mut self, line: impl Into<Line>) -> Line {
        self.0.push(Inline::Strong(line.into()));
        self
    }

    #[must_use]
    pub fn emphasis(mut self, line: impl Into<Line>) -> Line {
        self.0.push(Inline::Emphasis(line.into()));
        self
    }

    #[must_use]
    pub fn code(mut self, text: &str) -> Line {
        self.0.push(Inline::Code(one_line(text)));
        self
    }

    #[must_use]
    pub fn sign(mut self, sign: Sign) -> Line {
        self.0.push(Inline::Sign(sign));
        self
    }

    /// Adds a place that marks of a number lead to.
    #[must_use]
    pub fn anchor(mut self, number: u32) -> Line {
        self.0.push(Inline::Anchor(number));
        self
    }

    #[must_use]
    pub fn literal(mut self, character: char) -> Line {
        self.0.push(Inline::Literal(character));
        self
    }

    #[must_use]
    pub fn line_break(mut self) -> Line {
        self.0.push(Inline::Break);
        self
    }

    #[must_use]
    pub fn then(mut self, line: Line) -> Line {
        for inline in line.0 {
            match inline {
                Inline::Text(text) => self.push_text(&text),
                other => self.0.push(other),
            }
        }
        self
    }

    /// Returns lines as one, with a line break between them.
    pub fn broken<L: Into<Line>>(lines: impl IntoIterator<Item = L>) -> Line {
        Line::join(lines, &Line(vec![Inline::Break]))
    }

    /// Returns lines as one, with another between them.
    pub fn join<L: Into<Line>>(lines: impl IntoIterator<Item = L>, between: &Line) -> Line {
        let lines = lines.into_iter().map(Into::into);
        let join = |all: Line, line: Line| all.then(between.clone()).then(line);
        lines.reduce(join).unwrap_or_default()
    }

    /// Returns the words of a line, its citations left out.
    pub fn plain(&self) -> String {
        let plain = |inline: &Inline| match inline {
            Inline::Text(text) | Inline::Code(text) => text.clone(),
            Inline::Literal(character) => character.to_string(),
            Inline::Strong(line) | Inline::Emphasis(line) => line.plain(),
            Inline::Mark { .. } | Inline::Sign(_) | Inline::Anchor(_) => String::new(),
            Inline::Break | Inline::SoftBreak => " ".to_owned(),
        };
        let plain: String = self.0.iter().map(plain).collect();
        plain.trim().to_owned()
    }

    /// Visits what stands in the line; what holds other inlines is not visited itself.
    pub(crate) fn visit(&mut self, visit: &mut impl FnMut(&mut Inline)) {
        for inline in &mut self.0 {
            match inline {
                Inline::Strong(line) | Inline::Emphasis(line) => line.visit(visit),
                inline => visit(inline),
            }
        }
    }

    /// Collects the numbers of the citations in the line.
    pub(crate) fn collect_numbers(&self, found: &mut BTreeSet<u32>) {
        for inline in &self.0 {
            match inline {
                Inline::Mark { cited, .. } => found.extend(cited.iter().map(|one| one.number)),
                Inline::Strong(line) | Inline::Emphasis(line) => line.collect_numbers(found),
                _ => {}
            }
        }
    }

    /// Adds a citation of statements as it is written.
    pub(crate) fn push_mark_as(&mut self, numbers: Vec<u32>, shown: String) {
        let cited = numbers.into_iter().map(Cited::from).collect();
        self.0.push(Inline::Mark { cited, shown, extent: Extent::Statements });
    }

    /// Adds text that is on one line; text after text is one text.
    pub(crate) fn push_text(&mut self, text: &str) {
        match self.0.last_mut() {
            _ if text.is_empty() => {}
            Some(Inline::Text(before)) => before.push_str(text),
            _ => self.0.push(Inline::Text(text.to_owned())),
        }
    }
}

impl From<&str> for Line {
    fn from(text: &str) -> Line {
        Line::new().text(text)
    }
}

impl From<String> for Line {
    fn from(text: String) -> Line {
        Line::new().text(text)
    }
}

impl From<&String> for Line {
    fn from(text: &String) -> Line {
        Line::new().text(text)
    }
}

impl Inline {
    /// Gives a citation the labels of its numbers.
    pub(crate) fn label(&mut self, labels: &Labels) {
        let Inline::Mark { cited, shown, extent } = self else { return };
        let mut is_changed = false;
        for one in cited.iter_mut() {
            let label = labels.find(one.number);
            let label = match extent {
                Extent::Statements => label.to_string(),
                Extent::Source => label.source.to_string(),
            };
            is_changed |= label != one.label;
            one.label = label;
        }
        if *extent == Extent::Source {
            let mut known = BTreeSet::new();
            let several = cited.len();
            // The first statement of a source stands for all of it.
            cited.retain(|one| known.insert(one.label.clone()));
            is_changed |= cited.len() < several;
        }
        // As somebody wrote it otherwise: `[1-3]`.
        if is_changed {
            *shown = write_mark(cited);
        }
    }
}

/// Returns a citation as the program writes it.
fn write_mark(cited: &[Cited]) -> String {
    let labels: Vec<&str> = cited.iter().map(|one| one.label.as_str()).collect();
    format!("[{}]", labels.join(", "))
}

/// Returns whether a mark is written with nothing but ASCII digits, square brackets, commas and spaces.
fn is_plain(mark: &str) -> bool {
    mark.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'[' | b']' | b',' | b' '))
}

/// Returns a text on one line, without characters that leave no trace on a screen.
pub fn one_line(text: &str) -> String {
    let words = text.split_whitespace().map(grounding::fold::clean);
    let words: Vec<String> = words.filter(|word| !word.is_empty()).collect();
    words.join(" ")
}
