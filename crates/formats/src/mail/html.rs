//! The HTML of a message as blocks: headings, paragraphs, quotes, lists and tables.
//!
//! Mail is laid out by tables within tables, so only a table whose cells are short and plain counts as one; of any other the cells are
//! written one after the other. Tags are taken as they come: no tree is built, and nothing depends on whether they are closed.

mod tags;

use tags::{Tag, Token, tokens};

use super::plain::{self, Flow};
use crate::{Writer, tidy};

/// How deep tables may be nested; the content of deeper ones belongs to the cell around them.
const DEEPEST_TABLE: usize = 32;
/// The most letters in a cell of a table that is not a layout.
const LONGEST_CELL: usize = 400;

/// A piece of the message.
#[derive(Debug, Clone)]
enum Block {
    Heading(usize, String),
    Paragraph { quoted: usize, words: String },
    Item { depth: usize, mark: String, words: String },
    Table(Vec<Vec<String>>),
    Plain(String),
}

/// A table whose end has not come yet.
#[derive(Default)]
struct Table {
    rows: Vec<Vec<Vec<Block>>>,
    has_head: bool,
}

/// Writes a message's HTML below a heading of `level`.
pub(super) fn write(html: &str, level: usize, page: &mut Writer) {
    let mut reading = Reading::default();
    for token in tokens(html) {
        match token {
            Token::Text(text) => reading.say(&text),
            Token::Tag(tag) => reading.tag(&tag),
        }
    }
    reading.flush();
    while !reading.tables.is_empty() {
        reading.end_table();
    }
    for block in reading.blocks {
        if page.is_full() {
            return;
        }
        match block {
            Block::Heading(own, words) => page.heading(level + own, &words),
            Block::Paragraph { quoted: 0, words } => page.paragraph(&words),
            Block::Paragraph { quoted, words } => page.quote(quoted - 1, &words),
            Block::Item { depth, mark, words } => page.item(depth, &mark, &words),
            Block::Table(rows) => page.table(&rows),
            Block::Plain(text) => plain::write(&text, Flow::default(), level, page),
        }
    }
}

/// Returns the words of a short piece of HTML on one line.
pub(crate) fn words(html: &str) -> String {
    let mut words = String::new();
    for token in tokens(html) {
        match token {
            Token::Text(text) => words.push_str(&text),
            Token::Tag(tag) if tag.is_inline() => {}
            Token::Tag(_) => words.push(' '),
        }
    }
    tidy(&words)
}

#[derive(Default)]
struct Reading {
    blocks: Vec<Block>,
    tables: Vec<Table>,
    /// The words of the open block; a line break is a newline.
    words: String,
    heading: Option<usize>,
    quoted: usize,
    /// For each open list, the number of its next item, if its items are numbered.
    lists: Vec<Option<u64>>,
    /// The mark of the list item whose words come next.
    mark: Option<String>,
    /// How many preformatted elements are open.
    preformatted: usize,
    /// The element that is not shown, and how many of its name are open within.
    hidden: Option<(String, usize)>,
}

impl Reading {
    fn say(&mut self, text: &str) {
        if self.hidden.is_some() {
            return;
        }
        let seen = |c: &char| {
            !matches!(c, '\u{200b}'..='\u{200f}' | '\u{feff}' | '\u{ad}' | '\u{34f}' | '\u{2060}')
        };
        if self.preformatted > 0 {
            self.words.extend(text.chars().filter(seen));
        } else {
            let spaced = text.chars().filter(seen).map(|c| if c.is_whitespace() { ' ' } else { c });
            self.words.extend(spaced);
        }
    }

    fn tag(&mut self, tag: &Tag) {
        let name = tag.name.as_str();
        if let Some((hidden, open)) = &mut self.hidden {
            if hidden == name {
                *open = if tag.is_end { open.saturating_sub(1) } else { *open + 1 };
                if *open == 0 {
                    self.hidden = None;
                }
            }
            return;
        }
        if !tag.is_end && tag.is_hidden() && !tag.is_void() {
            self.hidden = Some((name.to_owned(), 1));
            return;
        }
        match name {
            "br" => self.words.push('\n'),
            "img" => {
                let alt = tidy(tag.attribute("alt"));
                if !is_file_name(&alt) {
                    self.words.push(' ');
                    self.words.push_str(&alt);
                    self.words.push(' ');
                }
            }
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => {
                self.flush();
                let level = name[1..].parse().unwrap_or(1);
                self.heading = (!tag.is_end).then_some(level);
            }
            "blockquote" => {
                self.flush();
                self.quoted =
                    if tag.is_end { self.quoted.saturating_sub(1) } else { self.quoted + 1 };
            }
            "ul" | "ol" | "menu" | "dir" => {
                self.flush();
                if tag.is_end {
                    self.lists.pop();
                } else {
                    let first = tag.attribute("start").parse().unwrap_or(1);
                    self.lists.push((name == "ol").then_some(first));
                }
            }
            "li" => {
                self.flush();
                self.mark = (!tag.is_end).then(|| match self.lists.last_mut() {
                    Some(Some(number)) => {
                        *number = number.saturating_add(1);
                        format!("{}.", *number - 1)
                    }
                    _ => "-".to_owned(),
                });
            }
            "pre" | "listing" | "xmp" => {
                self.flush();
                self.preformatted = if tag.is_end {
                    self.preformatted.saturating_sub(1)
                } else {
                    self.preformatted + 1
                };
            }
            "table" if tag.is_end => {
                self.flush();
                self.end_table();
            }
            "table" => {
                self.flush();
                if self.tables.len() < DEEPEST_TABLE {
                    self.tables.push(Table::default());
                }
            }
            "tr" if !tag.is_end => {
                self.flush();
                if let Some(table) = self.tables.last_mut() {
                    table.rows.push(Vec::new());
                }
            }
            "td" | "th" if !tag.is_end => {
                self.flush();
                if let Some(table) = self.tables.last_mut() {
                    table.has_head |= name == "th" && table.rows.len() <= 1;
                    if table.rows.is_empty() {
                        table.rows.push(Vec::new());
                    }
                    if let Some(row) = table.rows.last_mut() {
                        row.push(Vec::new());
                    }
                }
            }
            "p" | "div" | "tr" | "td" | "th" | "hr" | "dt" | "dd" | "dl" | "center" | "address"
            | "section" | "article" | "header" | "footer" | "tbody" | "thead" | "tfoot"
            | "caption" | "body" | "fieldset" | "form" | "figure" | "figcaption" | "main"
            | "aside" | "nav" => self.flush(),
            _ => {}
        }
    }

    /// Ends the open block.
    fn flush(&mut self) {
        let words = std::mem::take(&mut self.words);
        if words.trim().is_empty() {
            return;
        }
        if self.preformatted > 0 && self.quoted == 0 {
            return self.push(Block::Plain(words));
        }
        if let Some(level) = self.heading {
            return self.push(Block::Heading(level, words));
        }
        // Two line breaks end a paragraph.
        let mut paragraph = String::new();
        for line in words.split('\n').map(tidy).chain([String::new()]) {
            if line.is_empty() {
                let words = std::mem::take(&mut paragraph);
                if !words.is_empty() {
                    self.paragraph(words);
                }
            } else {
                if !paragraph.is_empty() {
                    paragraph.push('\n');
                }
                paragraph.push_str(&line);
            }
        }
    }

    fn paragraph(&mut self, words: String) {
        let quoted = self.quoted;
        match self.mark.take() {
            Some(mark) if quoted == 0 => {
                let depth = self.lists.len().saturating_sub(1);
                let words = words.replace('\n', " ");
                self.push(Block::Item { depth, mark, words });
            }
            Some(mark) => {
                let words = format!("{mark} {words}");
                self.push(Block::Paragraph { quoted, words });
            }
            None => self.push(Block::Paragraph { quoted, words }),
        }
    }

    fn push(&mut self, block: Block) {
        let cell = self.tables.last_mut().and_then(|table| table.rows.last_mut()?.last_mut());
        cell.unwrap_or(&mut self.blocks).push(block);
    }

    fn end_table(&mut self) {
        let Some(table) = self.tables.pop() else { return };
        match cells(&table) {
            Some(rows) => self.push(Block::Table(rows)),
            None => {
                for block in table.rows.into_iter().flatten().flatten() {
                    self.push(block);
                }
            }
        }
    }
}

/// Returns whether a picture is described by no more than the name of its file.
fn is_file_name(alt: &str) -> bool {
    let end = alt.rsplit_once('.').map_or("", |(_, end)| end).to_ascii_lowercase();
    matches!(end.as_str(), "png" | "jpg" | "jpeg" | "gif" | "svg" | "webp" | "bmp")
}

/// Returns the cells of a table that is not a layout, under a blank head row if it has none.
fn cells(table: &Table) -> Option<Vec<Vec<String>>> {
    let mut rows: Vec<Vec<String>> = Vec::new();
    for row in &table.rows {
        let mut cells = Vec::new();
        for cell in row {
            let mut words = String::new();
            for block in cell {
                let Block::Paragraph { quoted: 0, words: part } = block else { return None };
                words.push_str(part);
                words.push(' ');
            }
            if words.len() > LONGEST_CELL {
                return None;
            }
            cells.push(tidy(&words));
        }
        if cells.iter().any(|cell| !cell.is_empty()) {
            rows.push(cells);
        }
    }
    let full = |row: &&Vec<String>| row.iter().filter(|cell| !cell.is_empty()).count() >= 2;
    let count = rows.iter().filter(full).count();
    if rows.len() < 2 || count * 2 < rows.len() {
        return None;
    }
    // Columns that only make room.
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let said = |column: &usize| {
        rows.iter().any(|row| row.get(*column).is_some_and(|cell| !cell.is_empty()))
    };
    let kept: Vec<usize> = (0..columns).filter(said).collect();
    // A row of hundreds of cells beside short ones would be filled up to its length in each.
    if kept.len() * rows.len() > 4 * rows.iter().map(Vec::len).sum::<usize>() + 64 {
        return None;
    }
    let mut shown: Vec<Vec<String>> = Vec::new();
    if !table.has_head {
        shown.push(vec![String::new(); kept.len()]);
    }
    for row in &rows {
        shown.push(
            kept.iter().map(|column| row.get(*column).cloned().unwrap_or_default()).collect(),
        );
    }
    Some(shown)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(html: &str, expected: &str) {
        let mut page = Writer::new(100_000);
        write(html, 1, &mut page);
        assert_eq!(page.finish(), expected, "{html}");
    }

    // proves: A6
    #[test]
    fn what_a_reader_sees_is_written_as_blocks() {
        check(
            "<html><head><title>x</title><style>p{}</style></head><body><div style='display:none'>pre<div>view</div></div><h1>Tides &amp; Moon</h1><p>They come<br>twice <b>a</b> day.<br><br>See <a href='u'>the table</a>.</p><ul><li>one<li><p>two</p><ol start=3><li>x</ol></ul><blockquote>He <i>said</i>.<blockquote>So.</blockquote></blockquote><img src=x alt='A map'><img alt=a1.png><script>a<b</script><!-- c --> end",
            "## Tides & Moon\n\nThey come\ntwice a day.\n\nSee the table.\n\n- one\n- two\n  3. x\n\n> He said.\n\n> > So.\n\nA map end",
        );
    }

    // proves: A6
    #[test]
    fn a_table_is_one_only_if_it_is_no_layout() {
        check(
            "<table><tr><td><p>Dear Ann,</p><table><tr><th>Port<th>Metres<tr><td>Brest<td>6.9</table></td><td></td></tr></table>",
            "Dear Ann,\n\n| Port | Metres |\n| --- | --- |\n| Brest | 6.9 |",
        );
        check(
            "<table><tr><td>Total</td><td> </td><td>5</td></tr><tr><td>Tax</td><td></td><td>1</td></tr></table>",
            "|  |  |\n| --- | --- |\n| Total | 5 |\n| Tax | 1 |",
        );
        check("<table><tr><td>One<td>Two</table>", "One\n\nTwo");
    }

    // proves: A6
    #[test]
    fn preformatted_text_is_read_as_plain_mail() {
        check("<pre>a\n\n- b\n- c</pre>", "a\n\n- b\n- c");
    }
}
