//! A report as the values that the template takes: dictionaries, arrays, texts and numbers, never code.

use render::{Alignment, Block, Document, Figure, Line, List, Note, Notes, Picture, Table};
use typst::foundations::{Array, Bytes, Dict, Value};

use crate::coverage::Coverage;
use crate::footnotes::Footnotes;
use crate::line::{LONGEST_WORD, LineWriter, Place};
use crate::size::Size;
use crate::table::{self, Layout};
use crate::write::Settings;

/// How deep lists and quotations are set within each other. What is nested deeper is set at this depth.
const DEEPEST: usize = 8;
/// How far a list or a quotation is moved in, in points.
const INDENT: f64 = 18.0;
/// A row with a cell of more lines than this may be broken across pages; any other stands on one.
const MOST_CELL_LINES: usize = 24;
/// How many letters of code stand on a line.
const LONGEST_CODE: usize = 84;
/// The colour of what a figure is drawn in.
const INK: &str = "#1a1a1a";

/// A report as values, and what must be known of it.
pub(crate) struct Data {
    pub(crate) report: Dict,
    pub(crate) coverage: Coverage,
}

/// Returns a report as values.
pub(crate) fn describe(document: &Document, settings: &Settings) -> Data {
    let footnotes = Footnotes::of(&document.blocks);
    let lines = LineWriter { coverage: Coverage::default(), footnotes };
    let (width, height) = settings.paper.room();
    let mut describer = Describer { lines, width, turned: height, levels: Levels::default() };
    let title = document.title.as_ref().map_or(settings.title.clone(), Line::plain);
    let title = describer.lines.coverage.check(&render::one_line(&title));
    let heading = describer.lines.write_text(&title, LONGEST_WORD);
    let blocks = describer.blocks(&document.blocks, 0);
    let notes = describer.footnotes();
    let has_contents = needs_contents(document);
    let is_missing = !describer.lines.coverage.missing.is_empty();
    let boxes = is_missing.then(|| string(crate::boxes::FAMILY)).into_iter().collect();
    let report = dictionary([
        ("boxes", Value::Array(boxes)),
        ("paper", string(settings.paper.name())),
        ("language", string(&settings.language)),
        ("title", string(&title)),
        ("running", string(&running(&title, width))),
        ("heading", Value::Array(heading)),
        ("contents", Value::Bool(has_contents)),
        ("blocks", Value::Array(blocks)),
        ("notes", Value::Dict(notes)),
    ]);
    Data { report, coverage: describer.lines.coverage }
}

/// Returns as much of the title as there is room for above a page.
fn running(title: &str, room: f64) -> String {
    const SIZE: f64 = 8.5;
    let mut taken = 0.0;
    let fits = |(_, letter): &(usize, char)| {
        taken += crate::measure::width(letter.encode_utf8(&mut [0; 4]), false) * SIZE;
        taken <= room * 0.94
    };
    let end = title.char_indices().take_while(fits).map(|(at, c)| at + c.len_utf8()).last();
    match title.get(..end.unwrap_or_default()) {
        Some(cut) if cut.len() < title.len() => format!("{}…", cut.trim_end()),
        _ => title.to_owned(),
    }
}

/// Returns whether a report is so long that its contents are listed.
fn needs_contents(document: &Document) -> bool {
    const FEWEST_HEADINGS: usize = 5;
    const FEWEST_LETTERS: usize = 12_000;
    let is_heading = |block: &&Block| matches!(block, Block::Heading { .. } | Block::Fold { .. });
    document.blocks.iter().filter(is_heading).count() >= FEWEST_HEADINGS
        && Size::of(document).letters >= FEWEST_LETTERS
}

struct Describer<'a> {
    lines: LineWriter<'a>,
    /// The room for text on a page and on a turned page, in points.
    width: f64,
    turned: f64,
    levels: Levels,
}

impl<'a> Describer<'a> {
    fn blocks(&mut self, blocks: &'a [Block], depth: usize) -> Array {
        let mut described = Array::new();
        for block in blocks {
            self.block(&mut described, block, depth);
        }
        described
    }

    fn block(&mut self, described: &mut Array, block: &'a Block, depth: usize) {
        match block {
            Block::Heading { level, line } => self.heading(described, *level, line, depth),
            Block::Paragraph(line) => {
                let line = self.lines.write(line, Place::Body, LONGEST_WORD);
                push(described, "paragraph", [("line", Value::Array(line))]);
            }
            Block::Hanging(lines) => {
                let lines = lines.iter().map(|line| self.body(line)).collect();
                push(described, "hanging", [("lines", Value::Array(lines))]);
            }
            Block::List(list) => self.list(described, list, depth),
            Block::Table(table) => self.table(described, table, depth),
            Block::Quote(blocks) if depth >= DEEPEST => {
                blocks.iter().for_each(|block| self.block(described, block, depth));
            }
            Block::Quote(blocks) => {
                let blocks = self.blocks(blocks, depth + 1);
                push(described, "quote", [("blocks", Value::Array(blocks))]);
            }
            Block::Code { text, .. } => {
                let text = self.lines.coverage.check(&text.replace('\t', "    "));
                let text = wrap_code(text.trim_end_matches('\n'));
                push(described, "code", [("text", string(&text))]);
            }
            Block::Picture(picture) => self.picture(described, picture, depth),
            Block::Notes(notes) => self.notes(described, notes, depth),
            Block::Fold { title, blocks } => {
                self.heading(described, 3, title, depth);
                blocks.iter().for_each(|block| self.block(described, block, depth));
            }
            Block::Rule => push(described, "rule", []),
        }
    }

    fn body(&mut self, line: &Line) -> Value {
        Value::Array(self.lines.write(line, Place::Body, LONGEST_WORD))
    }

    /// Adds a heading, within a list or a quotation a strong line: the outline has none of those.
    fn heading(&mut self, described: &mut Array, level: u8, line: &Line, depth: usize) {
        if line.is_empty() {
            return;
        }
        let line = Value::Array(self.lines.write(line, Place::Head, LONGEST_WORD));
        if depth > 0 {
            push(described, "subheading", [("line", line)]);
        } else {
            let level = Value::Int(self.levels.enter(level));
            push(described, "heading", [("line", line), ("level", level)]);
        }
    }

    fn list(&mut self, described: &mut Array, list: &'a List, depth: usize) {
        if depth >= DEEPEST {
            for item in &list.items {
                item.iter().for_each(|block| self.block(described, block, depth));
            }
            return;
        }
        let items = list.items.iter().map(|item| Value::Array(self.blocks(item, depth + 1)));
        let items = items.collect();
        // A number that no list begins with would be an error: it is beyond what a reader counts to.
        let start = list
            .start
            .map_or(Value::None, |start| Value::Int(start.min(u64::from(u32::MAX)) as i64));
        push(
            described,
            "list",
            [
                ("items", Value::Array(items)),
                ("start", start),
                ("tight", Value::Bool(list.is_tight)),
            ],
        );
    }

    fn table(&mut self, described: &mut Array, table: &Table, depth: usize) {
        if table.columns.is_empty() {
            return;
        }
        // Only what stands in no list and no quotation can have a page of its own.
        let room = self.width - INDENT * depth as f64;
        let turned = (depth == 0).then_some(self.turned);
        let alignments = table::align(table);
        for layout in table::plan(table, room, turned) {
            let set = self.table_part(table, &layout, &alignments);
            if !layout.is_turned {
                described.extend(set);
                continue;
            }
            // The heading of a table goes with it to the page that is turned.
            let mut blocks = Array::new();
            if described.iter().last().is_some_and(|last| is_kind(last, "heading")) {
                blocks.extend(described.pop());
            }
            blocks.extend(set);
            push(described, "turned", [("blocks", Value::Array(blocks))]);
        }
    }

    /// Returns the block of a table, or of a part of one.
    fn table_part(&mut self, table: &Table, layout: &Layout, alignments: &[Alignment]) -> Array {
        let Layout { columns, widths, size, is_squeezed, .. } = layout;
        let columns: Vec<(usize, f64)> =
            columns.iter().copied().zip(widths.iter().copied()).collect();
        let letters = |width: f64| table::letters(width, *size);
        let longest = |width: f64| if *is_squeezed { letters(width) } else { usize::MAX };
        let empty = Line::new();
        let heads = columns.iter().map(|(index, width)| {
            let line = table.columns.get(*index).map_or(&empty, |(line, _)| line);
            Value::Array(self.lines.write(line, Place::Head, longest(*width)))
        });
        let heads: Array = heads.collect();
        let rows = table.rows.iter().map(|row| {
            let cell = |index: usize| row.get(index).unwrap_or(&empty);
            let is_long = columns.iter().any(|(index, width)| {
                cell(*index).plain().len() / letters(*width) > MOST_CELL_LINES
            });
            let cells = columns.iter().map(|(index, width)| {
                Value::Array(self.lines.write(cell(*index), Place::Body, longest(*width)))
            });
            let cells = Value::Array(cells.collect());
            Value::Dict(dictionary([("cells", cells), ("long", Value::Bool(is_long))]))
        });
        let rows: Array = rows.collect();
        let name = |(index, _): &(usize, f64)| match alignments.get(*index) {
            Some(Alignment::Right) => string("right"),
            Some(Alignment::Centre) => string("center"),
            Some(Alignment::Left) | None => string("left"),
        };
        let names: Array = columns.iter().map(name).collect();
        let widths: Array = columns.iter().map(|(_, width)| Value::Float(*width)).collect();
        let mut set = Array::new();
        push(
            &mut set,
            "table",
            [
                ("widths", Value::Array(widths)),
                ("aligns", Value::Array(names)),
                ("size", Value::Float(*size)),
                ("heads", Value::Array(heads)),
                ("rows", Value::Array(rows)),
            ],
        );
        set
    }

    fn picture(&mut self, described: &mut Array, picture: &'a Picture, depth: usize) {
        if picture.figures.is_empty() {
            picture.instead.iter().for_each(|block| self.block(described, block, depth));
            return;
        }
        self.heading(described, 2, &Line::from(&picture.heading), depth);
        if !picture.words.is_empty() {
            let line = self.lines.write(&Line::from(&picture.words), Place::Body, LONGEST_WORD);
            push(described, "paragraph", [("line", Value::Array(line))]);
        }
        let room = self.width - INDENT * depth as f64;
        for figure in &picture.figures {
            self.figure(described, figure, room);
        }
    }

    fn figure(&mut self, described: &mut Array, figure: &Figure, room: f64) {
        // A pixel of a page is three quarters of a point.
        const POINTS: f64 = 0.75;
        let svg = self.lines.coverage.check(&figure.standalone(INK, fonts::SANS_FAMILY));
        let (width, _) = figure.size().unwrap_or((room / POINTS, 0.0));
        let caption = match (figure.title.as_str(), figure.measure.as_str()) {
            ("", _) => String::new(),
            (title, "") => title.to_owned(),
            (title, measure) => format!("{title} ({measure})"),
        };
        let alternative = self.lines.coverage.check(&render::one_line(&figure.description()));
        let alternative = if alternative.is_empty() { "A chart" } else { &alternative };
        let caption = self.lines.write_text(&render::one_line(&caption), LONGEST_WORD);
        let key = self.lines.write_text(&render::one_line(&figure.key), LONGEST_WORD);
        push(
            described,
            "figure",
            [
                ("svg", Value::Bytes(Bytes::from_string(svg))),
                ("alt", string(alternative)),
                ("width", Value::Float((width * POINTS).min(room))),
                ("caption", Value::Array(caption)),
                ("key", Value::Array(key)),
            ],
        );
    }

    /// Adds the notes that no running text cites as a section; those that are cited are footnotes.
    fn notes(&mut self, described: &mut Array, notes: &'a Notes, depth: usize) {
        let uncited = self.lines.footnotes.uncited(notes);
        if uncited.is_empty() {
            return;
        }
        self.heading(described, 2, &notes.title, depth);
        for note in uncited {
            let is_target = self.lines.footnotes.is_target(note);
            let mut described_note = self.note(note);
            if is_target {
                described_note.insert("number".into(), string(&note.number.to_string()));
            }
            described_note.insert("kind".into(), string("note"));
            described.push(Value::Dict(described_note));
        }
    }

    fn footnotes(&mut self) -> Dict {
        let mut notes = Dict::new();
        for (number, note) in self.lines.footnotes.footnotes() {
            let note = self.note(note);
            notes.insert(number.to_string().as_str().into(), Value::Dict(note));
        }
        notes
    }

    fn note(&mut self, note: &Note) -> Dict {
        let lines = note.lines.iter();
        let lines =
            lines.map(|line| Value::Array(self.lines.write(line, Place::Note, LONGEST_WORD)));
        let lines = Value::Array(lines.collect());
        // Archives of PDF set a limit to the length of an address.
        const LONGEST_LINK: usize = 2_000;
        let link = note.link.as_ref().map(render::Link::as_str);
        let link = link.filter(|link| link.len() <= LONGEST_LINK).map_or(Value::None, string);
        dictionary([("lines", lines), ("link", link)])
    }
}

/// The levels of headings without gaps: the first is 1, and none is more than one below that before it.
#[derive(Debug, Default)]
struct Levels {
    /// The levels that the report gave the headings around the last one, itself included.
    open: Vec<u8>,
}

impl Levels {
    fn enter(&mut self, level: u8) -> i64 {
        self.open.retain(|open| *open < level);
        self.open.push(level);
        i64::try_from(self.open.len()).unwrap_or(i64::MAX)
    }
}

/// Returns code in which no word is longer than a line.
fn wrap_code(code: &str) -> String {
    let lines = code.split('\n');
    let lines: Vec<String> =
        lines.map(|line| crate::measure::cut_long_words(line, LONGEST_CODE).join("\n")).collect();
    lines.join("\n")
}

fn push<const N: usize>(described: &mut Array, kind: &str, fields: [(&str, Value); N]) {
    let mut block = dictionary(fields);
    block.insert("kind".into(), string(kind));
    described.push(Value::Dict(block));
}

fn is_kind(block: &Value, kind: &str) -> bool {
    matches!(block, Value::Dict(block) if block.get("kind").is_ok_and(|value| *value == string(kind)))
}

fn dictionary<const N: usize>(fields: [(&str, Value); N]) -> Dict {
    fields.into_iter().map(|(name, value)| (name.into(), value)).collect()
}

fn string(text: &str) -> Value {
    Value::Str(text.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_of_headings_have_no_gaps() {
        let mut levels = Levels::default();
        let entered: Vec<i64> = [3, 2, 4, 6, 3, 2, 1, 2].map(|level| levels.enter(level)).into();
        assert_eq!(entered, [1, 1, 2, 3, 2, 1, 1, 2]);
    }
}
