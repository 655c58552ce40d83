//! Pieces of styled text, and the escape sequences that they become.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use anstyle::{AnsiColor, Color, Style};
use unicode_width::UnicodeWidthStr as _;

use crate::line::{Inline, Line};
use crate::link::Link;

/// A text in one style that leads to one place, if to any.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Piece {
    pub(super) text: String,
    pub(super) style: Style,
    pub(super) link: Option<String>,
}

/// A line, or what becomes several.
pub(super) type Row = Vec<Piece>;
pub(super) type Rows = Vec<Row>;

const MARK: Style = Style::new().fg_color(Some(Color::Ansi(AnsiColor::Cyan)));
const CODE: Style = Style::new().fg_color(Some(Color::Ansi(AnsiColor::Magenta)));

/// Returns a text that leads nowhere, without control characters.
pub(super) fn plain(text: &str, style: Style) -> Piece {
    Piece { text: text.chars().filter(|c| !c.is_control()).collect(), style, link: None }
}

/// Returns the columns of a text.
pub(super) fn width_of(text: &str) -> usize {
    text.width()
}

pub(super) fn row_width(row: &[Piece]) -> usize {
    row.iter().map(|piece| width_of(&piece.text)).sum()
}

/// Makes lines of a document into pieces.
pub(super) struct Painter<'a> {
    /// The addresses of texts.
    pub(super) places: &'a BTreeMap<String, String>,
}

impl Painter<'_> {
    /// Returns a line as pieces in a style. A break that is kept is a piece `"\n"`.
    pub(super) fn paint(&self, line: &Line, style: Style) -> Row {
        let mut row = Row::new();
        self.add(&mut row, line, style);
        row
    }

    fn add(&self, row: &mut Row, line: &Line, style: Style) {
        for inline in &line.0 {
            match inline {
                Inline::Text(text) => self.add_text(row, text, style),
                Inline::Literal(character) => row.push(plain(&character.to_string(), style)),
                Inline::Strong(line) => self.add(row, line, style.bold()),
                Inline::Emphasis(line) => self.add(row, line, style.italic()),
                Inline::Code(text) => row.push(plain(text, over(CODE, style))),
                Inline::Mark { shown, .. } => row.push(plain(shown, over(MARK, style))),
                Inline::Sign(sign) => row.push(plain(sign.sign, of_verdict(sign.verdict))),
                Inline::Anchor(_) => {}
                Inline::Break => row.push(Piece { text: "\n".into(), style, link: None }),
                Inline::SoftBreak => row.push(plain(" ", style)),
            }
        }
    }

    /// Adds a text; addresses and known places in it become links.
    fn add_text(&self, row: &mut Row, text: &str, style: Style) {
        let mut rest = text;
        while let Some((at, shown, target)) = self.first_link(rest) {
            row.push(plain(rest.get(..at).unwrap_or_default(), style));
            let style = style.underline();
            row.push(Piece { link: Some(target), ..plain(shown, style) });
            rest = rest.get(at + shown.len()..).unwrap_or_default();
        }
        row.push(plain(rest, style));
    }

    /// Returns the first text that leads somewhere: where it begins, and where it leads.
    fn first_link<'t>(&self, text: &'t str) -> Option<(usize, &'t str, String)> {
        let web = ["https://", "http://"].iter().filter_map(|scheme| text.find(scheme)).min();
        let web = web.and_then(|at| {
            let shown = text.get(at..)?.split_whitespace().next()?;
            let shown = shown.trim_end_matches(['.', ',', ';', ':', ')', ']', '"', '\'', '>', '”']);
            Some((at, shown, Link::read(shown)?.as_str().to_owned()))
        });
        let known = self.places.iter().filter_map(|(shown, target)| {
            let at = text.find(shown.as_str())?;
            let shown = text.get(at..at + shown.len())?;
            Some((at, shown, printable(target)?))
        });
        // Of two that begin in one place the longer one counts.
        known.chain(web).min_by_key(|(at, shown, _)| (*at, usize::MAX - shown.len()))
    }
}

/// Returns the target if no terminal can take a part of it for a command.
fn printable(target: &str) -> Option<String> {
    let is_plain = |byte: u8| byte.is_ascii_graphic();
    (!target.is_empty() && target.bytes().all(is_plain)).then(|| target.to_owned())
}

/// Returns a colour with the effects of the style around it.
fn over(colour: Style, around: Style) -> Style {
    around.fg_color(colour.get_fg_color())
}

/// Returns how the sign of a verdict is shown.
fn of_verdict(verdict: &str) -> Style {
    let colour = match verdict {
        "quoted" | "recomputed" => AnsiColor::Green,
        "supported" => AnsiColor::Blue,
        "inferred" => AnsiColor::Yellow,
        _ => AnsiColor::Red,
    };
    Style::new().bold().fg_color(Some(Color::Ansi(colour)))
}

/// Writes a row with its escape sequences and without spaces at its end.
pub(super) fn write_row(page: &mut String, row: &[Piece]) {
    let end = row.iter().rposition(|piece| !piece.text.trim_end().is_empty());
    let Some(end) = end else { return };
    let mut current = Style::new();
    for (index, piece) in row.iter().take(end + 1).enumerate() {
        let text = if index == end { piece.text.trim_end() } else { piece.text.as_str() };
        if text.is_empty() {
            continue;
        }
        if piece.style != current {
            if current != Style::new() {
                let _ = write!(page, "{}", anstyle::Reset.render());
            }
            let _ = write!(page, "{}", piece.style.render());
            current = piece.style;
        }
        match &piece.link {
            Some(target) => {
                let _ = write!(page, "\u{1b}]8;;{target}\u{1b}\\{text}\u{1b}]8;;\u{1b}\\");
            }
            None => page.push_str(text),
        }
    }
    if current != Style::new() {
        let _ = write!(page, "{}", anstyle::Reset.render());
    }
}
