//! Glyphs become lines, lines become paragraphs, headings and tables.
//!
//! Glyphs are taken in the order of the file, which is nearly always the order of reading, columns included. Everything is measured
//! along and across the direction in which a line is written, so a page that lies on its side reads like any other.

use std::collections::{HashMap, HashSet};

use crate::plain;

/// One or a few characters and where they stand.
pub(super) struct Glyph<'a> {
    pub(super) text: &'a str,
    pub(super) x: f64,
    pub(super) y: f64,
    /// The direction of writing, of any length.
    pub(super) along: (f64, f64),
    /// The size of the font, in the page's own units.
    pub(super) size: f64,
    /// From the beginning of this glyph to where the next one would stand.
    pub(super) advance: f64,
}

/// Glyphs on one base line, in the order of the file.
#[derive(Debug, Clone)]
struct Line {
    text: String,
    /// Where each cell begins and ends: in bytes of the text, and along the line. Wide gaps part cells.
    cells: Vec<Cell>,
    along: (f64, f64),
    left: f64,
    right: f64,
    /// The distance of the base line from the origin, growing downwards.
    down: f64,
    size: f64,
    /// The characters of each size, to find the one that counts.
    sizes: Vec<(f64, usize)>,
    /// Where the last glyph ends, white space included.
    end: f64,
}

#[derive(Debug, Clone, Copy)]
struct Cell {
    start: usize,
    left: f64,
    right: f64,
}

/// The lines of a page.
#[derive(Debug)]
pub(super) struct PageLines {
    pub(super) number: u32,
    lines: Vec<Line>,
    at_word: bool,
}

/// How far apart words are at least, in font sizes.
const WORD_GAP: f64 = 0.1;
/// How far apart the cells of a table are at least, in font sizes.
const CELL_GAP: f64 = 1.0;

impl PageLines {
    pub(super) fn new(number: u32) -> Self {
        Self { number, lines: Vec::new(), at_word: true }
    }

    pub(super) fn bytes(&self) -> usize {
        self.lines.iter().map(|line| line.text.len()).sum()
    }

    pub(super) fn begin_word(&mut self) {
        self.at_word = true;
    }

    pub(super) fn add(&mut self, glyph: &Glyph) {
        let at_word = std::mem::replace(&mut self.at_word, false);
        let length = glyph.along.0.hypot(glyph.along.1);
        let (dx, dy) = (glyph.along.0 / length, glyph.along.1 / length);
        let at = glyph.x * dx + glyph.y * dy;
        let down = glyph.x * dy - glyph.y * dx;
        let measured = [at, down, glyph.size, glyph.advance].iter().all(|value| value.is_finite());
        if !measured {
            return;
        }
        let follows =
            self.lines.last().is_some_and(|line| line.takes(at, down, glyph.size, (dx, dy)));
        if !follows {
            self.lines.push(Line {
                text: String::new(),
                cells: Vec::new(),
                along: (dx, dy),
                left: at,
                right: at,
                down,
                size: glyph.size,
                sizes: Vec::new(),
                end: at,
            });
        }
        if let Some(line) = self.lines.last_mut() {
            line.add(glyph, at, down, at_word);
        }
    }
}

impl Line {
    fn takes(&self, at: f64, down: f64, size: f64, (dx, dy): (f64, f64)) -> bool {
        let scale = size.max(self.size);
        let drop = (down - self.down).abs();
        let gap = at - self.end;
        let turned = self.along.0 * dx + self.along.1 * dy < 0.98;
        let near =
            drop <= 0.5 * scale || drop <= 0.9 * scale && (-0.1..2.0).contains(&(gap / scale));
        !turned && near && gap > -2.0 * scale
    }

    fn add(&mut self, glyph: &Glyph, at: f64, down: f64, at_word: bool) {
        let blank = glyph.text.chars().all(char::is_whitespace);
        if !blank {
            if self.text.is_empty() {
                self.left = at;
            }
            let gap = at - self.end;
            if at_word && gap > WORD_GAP * glyph.size {
                self.space();
            }
            if self.cells.is_empty() || at - self.right > CELL_GAP * glyph.size.max(self.size) {
                self.space();
                self.cells.push(Cell { start: self.text.len(), left: at, right: at });
            }
        }
        let before = self.text.len();
        for c in glyph.text.chars() {
            match c {
                '\u{ad}' => self.text.push('-'),
                c if c.is_whitespace() => self.space(),
                c if c.is_control() || matches!(c, '\u{200b}' | '\u{feff}') => {}
                c => match ligature(c) {
                    Some(letters) => self.text.push_str(letters),
                    None => self.text.push(c),
                },
            }
        }
        self.end = at + glyph.advance;
        if blank || self.text.len() == before {
            return;
        }
        self.left = self.left.min(at);
        self.right = self.right.max(self.end);
        if let Some(cell) = self.cells.last_mut() {
            cell.right = cell.right.max(self.end);
        }
        if glyph.size > self.size * 1.1 {
            // What came before was raised or lowered.
            self.down = down;
        }
        let alike = |(size, _): &(f64, usize)| (size - glyph.size).abs() < 0.05 * size;
        if let Some(at) = self.sizes.iter().position(alike) {
            self.sizes[at].1 += 1;
        } else if self.sizes.len() < 16 {
            self.sizes.push((glyph.size, 1));
        }
        let most = self.sizes.iter().max_by_key(|(_, count)| *count);
        self.size = most.map_or(self.size, |(size, _)| *size);
    }

    fn space(&mut self) {
        if !self.text.is_empty() && !self.text.ends_with(' ') {
            self.text.push(' ');
        }
    }

    fn words(&self) -> &str {
        self.text.trim()
    }
}

fn ligature(c: char) -> Option<&'static str> {
    Some(match c {
        'ﬀ' => "ff",
        'ﬁ' => "fi",
        'ﬂ' => "fl",
        'ﬃ' => "ffi",
        'ﬄ' => "ffl",
        'ﬅ' | 'ﬆ' => "st",
        _ => return None,
    })
}

/// A stretch of a document that stands by itself.
#[derive(Debug, PartialEq)]
pub(super) struct Block {
    pub(super) kind: Kind,
    pub(super) text: String,
    /// The number of the page on which it begins.
    pub(super) page: u32,
    /// Where further pages begin within its text.
    pub(super) breaks: Vec<(usize, u32)>,
}

#[derive(Debug, PartialEq)]
pub(super) enum Kind {
    /// 1 for the highest.
    Heading(usize),
    Paragraph,
    Item,
    Table(Vec<Vec<String>>),
}

impl Block {
    fn new(kind: Kind, page: u32, text: String) -> Self {
        Self { kind, text, page, breaks: Vec::new() }
    }
    pub(super) fn heading(page: u32, level: usize, text: String) -> Self {
        Self::new(Kind::Heading(level), page, text)
    }
    pub(super) fn paragraph(page: u32, text: String) -> Self {
        Self::new(Kind::Paragraph, page, text)
    }
    pub(super) fn item(page: u32, text: String) -> Self {
        Self::new(Kind::Item, page, text)
    }
    pub(super) fn table(page: u32, rows: Vec<Vec<String>>) -> Self {
        Self::new(Kind::Table(rows), page, String::new())
    }

    pub(super) fn pages(&self) -> impl Iterator<Item = u32> {
        std::iter::once(self.page).chain(self.breaks.iter().map(|(_, page)| *page))
    }

    pub(super) fn say(&self, to: &mut String) {
        to.push_str(&self.text);
        if let Kind::Table(rows) = &self.kind {
            for cell in rows.iter().flatten() {
                to.push_str(cell);
                to.push(' ');
            }
        }
    }

    pub(super) fn bytes(&self) -> usize {
        let cells = match &self.kind {
            Kind::Table(rows) => rows.iter().flatten().map(|cell| cell.len() + 3).sum(),
            _ => 0,
        };
        self.text.len() + cells
    }

    pub(super) fn holds_text(&self) -> bool {
        let mut text = String::new();
        self.say(&mut text);
        !text.trim().is_empty()
    }
}

/// Returns the blocks of a document's pages in the order of reading.
pub(super) fn blocks(mut pages: Vec<PageLines>) -> Vec<Block> {
    for page in &mut pages {
        page.lines.retain(|line| !line.words().is_empty());
    }
    drop_running_lines(&mut pages);
    let vocabulary = vocabulary(&pages);
    let body = body_size(&pages);
    let mut found: Vec<Draft> = Vec::new();
    for page in &pages {
        let tables = tables(&page.lines);
        let leading = leading(&page.lines);
        let edges = Edges::of(&page.lines);
        let mut at = 0;
        let mut before: Option<&Line> = None;
        while let Some(line) = page.lines.get(at) {
            if let Some(table) = tables.iter().find(|table| table.start == at) {
                let rows = page.lines[table.clone()].iter().map(cells).collect();
                found.push(Draft::of(Block::table(page.number, rows), line, 0));
                at = table.end;
                before = None;
                continue;
            }
            let goes_on = match before {
                Some(before) => continues(before, line, leading, &edges),
                None => false,
            };
            let open = found.last_mut().filter(|open| !matches!(open.block.kind, Kind::Table(_)));
            match open {
                Some(open) if goes_on => open.take(line, page.number, &vocabulary),
                _ => {
                    let kind = if opens_item(line.words()) { Kind::Item } else { Kind::Paragraph };
                    let block = Block::new(kind, page.number, line.words().to_owned());
                    found.push(Draft::of(block, line, 1));
                }
            }
            before = Some(line);
            at += 1;
        }
    }
    let mut found = mended(found, body, &vocabulary);
    name_headings(&mut found, body);
    found.into_iter().map(|draft| draft.block).collect()
}

/// A block and how it looks.
struct Draft {
    block: Block,
    size: f64,
    lines: usize,
}

impl Draft {
    fn of(block: Block, line: &Line, lines: usize) -> Self {
        Self { block, size: line.size, lines }
    }

    fn take(&mut self, line: &Line, page: u32, vocabulary: &HashSet<String>) {
        self.append(line.words(), page, vocabulary);
        self.lines += 1;
    }

    fn append(&mut self, words: &str, page: u32, vocabulary: &HashSet<String>) {
        let at = join(&mut self.block.text, words, |word| vocabulary.contains(word));
        let last = self.block.pages().last().unwrap_or(self.block.page);
        if page > last {
            self.block.breaks.push((at, page));
        }
    }
}

/// Appends a line to a paragraph, mends a word that was cut in two, and returns where the line begins.
///
/// `known` tells whether a word, in lower case, stands in the document elsewhere. A hyphen stays where only the word with it does.
pub(super) fn join(text: &mut String, line: &str, known: impl Fn(&str) -> bool) -> usize {
    let next: String = line.chars().take_while(|c| c.is_alphanumeric() || *c == '-').collect();
    let letters = next.starts_with(char::is_lowercase);
    let cut =
        text.strip_suffix(['-', '\u{2010}']).filter(|rest| rest.ends_with(char::is_alphabetic));
    if let Some(rest) = cut.filter(|_| letters) {
        let word_start = rest.rfind(|c: char| !c.is_alphanumeric() && c != '-');
        let word_start =
            word_start.map_or(0, |at| at + rest[at..].chars().next().map_or(1, char::len_utf8));
        let word = rest[word_start..].to_lowercase();
        let next = next.to_lowercase();
        let compound = !known(&format!("{word}{next}"))
            && (word.contains('-') || known(&format!("{word}-{next}")));
        if !compound {
            text.truncate(rest.len());
        }
    } else if !text.is_empty() {
        text.push(' ');
    }
    let start = text.len();
    text.push_str(line);
    start
}

/// Returns the words of all lines in lower case, those that a line end may have cut left out.
fn vocabulary(pages: &[PageLines]) -> HashSet<String> {
    let mut found = HashSet::new();
    for line in pages.iter().flat_map(|page| &page.lines) {
        for word in line.text.split_whitespace() {
            let word = word.trim_matches(|c: char| !c.is_alphanumeric() && c != '-');
            if !word.is_empty() && !word.ends_with('-') && word.len() < 60 {
                found.insert(word.to_lowercase());
            }
        }
    }
    found
}

/// How often a line must come back at the edge of pages to be a running header or footer.
const RUNNING_PAGES: usize = 3;
/// How often a page number alone must.
const NUMBERED_PAGES: usize = 2;
/// How many rows a running header or footer has at most.
const RUNNING_ROWS: usize = 3;
/// How much wider than the leading the gap between two lines is where they do not belong together.
const APART: f64 = 1.25;

/// Takes out what stands at the top or foot of most pages, apart from the rest: headers, footers, page numbers.
fn drop_running_lines(pages: &mut [PageLines]) {
    let body = body_size(pages);
    let margins: Vec<Vec<Margin>> = pages.iter().map(|page| margins(&page.lines, body)).collect();
    let mut seen: HashMap<Mark, usize> = HashMap::new();
    for (page, margins) in pages.iter().zip(&margins) {
        let lines = margins.iter().flat_map(|margin| margin.rows.iter().flatten());
        let marks: HashSet<Mark> =
            lines.flat_map(|at| marks(page.lines[*at].words(), page.number)).collect();
        for mark in marks {
            *seen.entry(mark).or_default() += 1;
        }
    }
    let half = pages.len().div_ceil(2);
    let runs = |mark: &Mark| {
        let least = if mark.is_page_number() { NUMBERED_PAGES } else { RUNNING_PAGES };
        seen.get(mark).is_some_and(|times| *times >= half.max(least))
    };
    for (page, margins) in pages.iter_mut().zip(margins) {
        let running = |at: &usize| marks(page.lines[*at].words(), page.number).iter().any(runs);
        let mut dropped: HashSet<usize> = HashSet::new();
        for margin in margins {
            let rows = margin.rows.iter().take_while(|row| row.iter().any(running));
            let rows = rows.count();
            // A line that runs on into the body is one of the body.
            let apart = margin.ends.iter().rev().find(|end| **end <= rows).copied().unwrap_or(0);
            dropped.extend(margin.rows[..apart].iter().flatten().filter(|at| running(at)));
        }
        let mut at = 0;
        page.lines.retain(|_| {
            at += 1;
            !dropped.contains(&(at - 1))
        });
    }
}

/// What may be the header or the footer of a page.
struct Margin {
    /// The indexes of the lines of each row, from the edge of the page inwards.
    rows: Vec<Vec<usize>>,
    /// How many of the rows stand apart from those behind them, for each gap that is wide enough.
    ends: Vec<usize>,
}

/// Returns what may be the header and the footer of a page of these lines; `body` is the size of most text.
fn margins(lines: &[Line], body: f64) -> Vec<Margin> {
    let mut order: Vec<usize> = (0..lines.len()).collect();
    order.sort_by(|a, b| lines[*a].down.total_cmp(&lines[*b].down));
    let same_row = |a: &usize, b: &usize| {
        let size = lines[*a].size.max(lines[*b].size);
        lines[*b].down - lines[*a].down <= 0.5 * size
    };
    let mut rows: Vec<&[usize]> = order.chunk_by(same_row).collect();
    let usual = leading(lines).unwrap_or(1.3 * body).max(body);
    // The next row lies below or above.
    let gap = |row: &[usize], next: &[usize]| match (row, next) {
        ([first, ..], [next_first, ..]) => {
            let last = row.last().unwrap_or(first);
            let next_last = next.last().unwrap_or(next_first);
            let below = lines[*next_first].down - lines[*last].down;
            below.max(lines[*first].down - lines[*next_last].down)
        }
        _ => 0.0,
    };
    let mut found = Vec::new();
    for _ in 0..2 {
        let mut margin = Margin { rows: Vec::new(), ends: Vec::new() };
        for (row, next) in rows.iter().zip(rows.iter().skip(1).map(Some).chain([None])) {
            // What is set larger than the body says what it is about.
            let large = |at: &usize| lines[*at].size >= LARGE * body;
            if margin.rows.len() == RUNNING_ROWS || row.iter().any(large) {
                break;
            }
            margin.rows.push(row.to_vec());
            let apart = next.is_none_or(|next| gap(row, next) > APART * usual);
            if apart {
                margin.ends.push(margin.rows.len());
            }
        }
        margin.rows.truncate(margin.ends.last().copied().unwrap_or(0));
        found.push(margin);
        rows.reverse();
    }
    found
}

/// What a running line has in common with those of other pages.
#[derive(PartialEq, Eq, Hash)]
enum Mark {
    /// All of it.
    Same(String),
    /// What stands before and after a number, and how much larger this is than the number of the page.
    Numbered { before: String, after: String, ahead: i64 },
}

impl Mark {
    fn is_page_number(&self) -> bool {
        matches!(self, Self::Numbered { before, after, .. } if before.is_empty() && after.is_empty())
    }
}

/// Returns the marks of a line at the edge of a page, none where it is too long for a running line.
fn marks(words: &str, page: u32) -> Vec<Mark> {
    /// Of how many numbers one may be that of the page; each costs a copy of the line.
    const NUMBERS: usize = 8;
    if words.len() > 160 {
        return Vec::new();
    }
    let mut found = vec![Mark::Same(words.to_owned())];
    let mut at = 0;
    for part in words.split_inclusive(|c: char| !c.is_ascii_digit()) {
        let digits = part.trim_end_matches(|c: char| !c.is_ascii_digit());
        let end = at + digits.len();
        if let Ok(number) = digits.parse::<u32>()
            && found.len() <= NUMBERS
        {
            found.push(Mark::Numbered {
                before: words[..at].to_owned(),
                after: words[end..].to_owned(),
                ahead: i64::from(number) - i64::from(page),
            });
        }
        at += part.len();
    }
    found
}

/// Returns the size in which most of the document is set.
fn body_size(pages: &[PageLines]) -> f64 {
    let mut sizes: HashMap<i64, usize> = HashMap::new();
    for line in pages.iter().flat_map(|page| &page.lines) {
        *sizes.entry((line.size * 4.0).round() as i64).or_default() += line.text.len();
    }
    let most = sizes.into_iter().max_by_key(|(size, count)| (*count, *size));
    most.map_or(0.0, |(size, _)| size as f64 / 4.0)
}

/// Returns the usual distance of two lines of a page, none where there are too few.
fn leading(lines: &[Line]) -> Option<f64> {
    let mut drops: Vec<f64> = lines
        .windows(2)
        .filter(|pair| pair[1].left < pair[0].right && pair[0].left < pair[1].right)
        .map(|pair| (pair[1].down - pair[0].down, pair[0].size.max(pair[1].size)))
        .filter(|(drop, size)| (0.7..2.6).contains(&(drop / size)))
        .map(|(drop, _)| drop)
        .collect();
    drops.sort_by(f64::total_cmp);
    // The lower third: gaps between paragraphs are wider, never narrower.
    drops.get(drops.len() / 3).copied()
}

/// Where the lines of a page begin and end, by column.
struct Edges {
    rights: Vec<(f64, f64)>,
}

impl Edges {
    fn of(lines: &[Line]) -> Self {
        Self { rights: lines.iter().map(|line| (line.left, line.right)).collect() }
    }

    /// Returns how far to the right the column of `line` reaches.
    fn right(&self, line: &Line) -> f64 {
        let near = |left: f64| (left - line.left).abs() < 3.0 * line.size;
        let same = self.rights.iter().filter(|(left, _)| near(*left)).map(|(_, right)| *right);
        same.fold(line.right, f64::max)
    }
}

/// Tells whether `line` goes on with the paragraph of the line before it.
fn continues(before: &Line, line: &Line, leading: Option<f64>, edges: &Edges) -> bool {
    let size = before.size.max(line.size);
    let drop = line.down - before.down;
    let turned = before.along.0 * line.along.0 + before.along.1 * line.along.1 < 0.98;
    let alike = (before.size - line.size).abs() <= 0.1 * size || line.words().chars().count() <= 2;
    let usual = leading.unwrap_or(1.3 * size).max(size);
    if turned || !alike || drop <= -0.5 * size || drop > APART * usual {
        return false;
    }
    let apart = line.left >= before.right + size || before.left >= line.right + size;
    if apart || before.cells.len() > 2 && line.cells.len() > 2 {
        return false;
    }
    let words = before.words();
    let ended = words.ends_with(['.', '?', '!', ':', '"', '”', '’', ')']);
    if opens_item(line.words()) && (ended || opens_item(words) || words.ends_with([';', ','])) {
        return false;
    }
    let indented = line.left - before.left;
    if ended && (0.7..6.0).contains(&(indented / size)) && !opens_item(words) {
        return false;
    }
    let right = edges.right(before);
    let width = right - before.left;
    let short = right - before.right > 0.2 * width.max(8.0 * size);
    !(short && (ended || plain::numbered(words).is_some()))
}

fn opens_item(words: &str) -> bool {
    if words.starts_with(['•', '▪', '●', '◦', '‣', '■', '–', '\u{f0b7}']) {
        return true;
    }
    let Some((mark, rest)) = words.split_once(' ') else { return false };
    if rest.is_empty() || mark.len() > 5 {
        return false;
    }
    let inner = mark.strip_suffix(')').or(mark.strip_suffix(']'));
    let inner = inner.or(mark.strip_suffix('.')).map(|inner| inner.trim_start_matches(['(', '[']));
    mark == "-"
        || inner.is_some_and(|inner| {
            !inner.is_empty() && inner.len() <= 3 && inner.bytes().all(|byte| byte.is_ascii_digit())
        })
}

/// Brings together what a page break, a column break or a footnote parted.
fn mended(found: Vec<Draft>, body: f64, vocabulary: &HashSet<String>) -> Vec<Draft> {
    /// How many notes may stand between the parts of a paragraph.
    const BETWEEN: usize = 8;
    let mut whole: Vec<Draft> = Vec::with_capacity(found.len());
    for draft in found {
        let text = &draft.block.text;
        let resumes = matches!(draft.block.kind, Kind::Paragraph)
            && draft.size > 0.95 * body
            && text.starts_with(char::is_lowercase)
            && draft.size < 1.1 * body;
        let open = whole.iter().rev().take(BETWEEN).position(|before| {
            let same = (before.size - draft.size).abs() <= 0.05 * draft.size;
            same && !matches!(before.block.kind, Kind::Table(_))
        });
        let open = open.map(|back| whole.len() - 1 - back).filter(|_| resumes);
        let between_is_smaller = |open: usize| {
            whole[open + 1..].iter().all(|note| {
                note.size < 0.95 * draft.size || matches!(note.block.kind, Kind::Table(_))
            })
        };
        let goes_on = open.filter(|open| {
            let text = &whole[*open].block.text;
            let last = text.chars().last().unwrap_or('.');
            (last.is_alphanumeric() || ",;-–".contains(last))
                && text.split_whitespace().count() > 4
                && between_is_smaller(*open)
        });
        match goes_on {
            // Pages must come in order, so what stands between may not lie on a later page than the rest.
            Some(open) if open + 1 == whole.len() => {
                let page = draft.block.page;
                whole[open].append(&draft.block.text, page, vocabulary);
                whole[open].lines += draft.lines;
            }
            Some(open)
                if whole[open + 1..].iter().all(|note| note.block.page >= draft.block.page) =>
            {
                let page = draft.block.page;
                whole[open].append(&draft.block.text, page, vocabulary);
                whole[open].lines += draft.lines;
            }
            _ => whole.push(draft),
        }
    }
    whole
}

/// How much larger than the body a heading is set at least.
const LARGE: f64 = 1.12;
/// How long a heading may be, in characters.
const HEADING_CHARACTERS: usize = 160;

/// Makes headings of the blocks that are set larger, and of lines that are numbered or in capitals.
fn name_headings(found: &mut Vec<Draft>, body: f64) {
    join_title(found, body);
    let large = |draft: &Draft| {
        let text = &draft.block.text;
        matches!(draft.block.kind, Kind::Paragraph | Kind::Item)
            && draft.size >= LARGE * body
            && draft.lines <= 3
            && text.chars().count() <= HEADING_CHARACTERS
            && text.chars().filter(|c| c.is_alphabetic()).count() >= 3
            && !text.ends_with(['.', ',', ';', ':'])
            && !text.contains(['@', '{', '=', '∗', '†', '‡', '¶'])
    };
    let listed = runs_of_large(found, large);
    let large = |at: usize, draft: &Draft| large(draft) && !listed.contains(&at);
    let mut sizes: Vec<f64> =
        found.iter().enumerate().filter(|(at, it)| large(*at, it)).map(|(_, it)| it.size).collect();
    sizes.sort_by(|a, b| b.total_cmp(a));
    sizes.dedup_by(|a, b| (*a - *b).abs() <= 0.04 * *b);
    for at in 0..found.len() {
        let draft = &found[at];
        let text = draft.block.text.as_str();
        let level = if large(at, draft) {
            sizes.iter().position(|size| draft.size >= 0.96 * size).map(|index| index + 1)
        } else if draft.lines == 1
            && matches!(draft.block.kind, Kind::Paragraph | Kind::Item)
            && draft.size > 0.95 * body
            && text.chars().count() <= 80
            && !text.ends_with(['.', ',', ';', ':', '?', '!'])
        {
            let neighbour = |other: Option<&Draft>| {
                other.is_some_and(|it| plain::numbered(&it.block.text).is_some() && it.lines == 1)
            };
            let listed = neighbour(found.get(at + 1))
                || neighbour(at.checked_sub(1).and_then(|at| found.get(at)));
            let numbered = plain::numbered(text).filter(|_| !listed);
            let words = found
                .get(at + 1)
                .is_some_and(|next| next.block.text.split_whitespace().count() > 8);
            let capitals = (words && plain::capitals(text)).then_some(1);
            numbered.or(capitals).map(|level| level + usize::from(!sizes.is_empty()))
        } else {
            None
        };
        if let Some(level) = level {
            found[at].block.kind = Kind::Heading(level.min(6));
        }
    }
}

/// Returns the blocks that stand among many of their size with nothing between: the words of a drawing, not headings.
fn runs_of_large(found: &[Draft], large: impl Fn(&Draft) -> bool) -> HashSet<usize> {
    /// How many headings may follow each other.
    const IN_A_ROW: usize = 3;
    let mut listed = HashSet::new();
    let mut start = 0;
    for run in found.chunk_by(|a, b| large(a) == large(b)) {
        let end = start + run.len();
        if run.len() > IN_A_ROW && large(&run[0]) {
            // At the top of a document stand its title, who wrote it and when, and its first heading.
            let drawn = if start == 0 { 1..end - 1 } else { start..end };
            listed.extend(drawn);
        }
        start = end;
    }
    listed
}

/// Makes one block of a title whose lines stand far apart.
fn join_title(found: &mut Vec<Draft>, body: f64) {
    let Some(first) = found.first().filter(|first| first.size >= 1.3 * body) else { return };
    let (size, page) = (first.size, first.block.page);
    let same = |it: &Draft| {
        (it.size - size).abs() <= 0.02 * size
            && it.block.page == page
            && it.lines == 1
            && plain::numbered(&it.block.text).is_none()
            && matches!(it.block.kind, Kind::Paragraph)
    };
    let lines = found.iter().take_while(|it| same(it)).count();
    let words: Vec<String> = found.iter().take(lines).map(|it| it.block.text.clone()).collect();
    if (2..=3).contains(&lines) {
        found.drain(1..lines);
        if let Some(first) = found.first_mut() {
            first.block.text = words.join(" ");
            first.lines = lines;
        }
    }
}

/// How many rows a table has at least.
const ROWS: usize = 3;
/// How many characters a cell has at most, on average.
const CELL_CHARACTERS: usize = 40;

/// Returns the runs of lines that are rows of a table: equally many cells, one under the other.
fn tables(lines: &[Line]) -> Vec<std::ops::Range<usize>> {
    let mut found = Vec::new();
    let mut start = 0;
    while start < lines.len() {
        let mut end = start + 1;
        while end < lines.len()
            && lines[start].cells.len() >= 2
            && beneath(&lines[end - 1], &lines[end])
        {
            end += 1;
        }
        let rows = &lines[start..end];
        let (cells, characters) = rows.iter().fold((0, 0), |(cells, characters), row| {
            (cells + row.cells.len(), characters + row.words().chars().count())
        });
        if rows.len() >= ROWS && characters <= cells * CELL_CHARACTERS {
            found.push(start..end);
        }
        start = end;
    }
    found
}

fn beneath(above: &Line, below: &Line) -> bool {
    let size = above.size.max(below.size);
    let drop = below.down - above.down;
    let near = |a: f64, b: f64| (a - b).abs() <= 1.5 * size;
    above.cells.len() == below.cells.len()
        && (0.5..4.0).contains(&(drop / size))
        && above.cells.iter().zip(&below.cells).all(|(a, b)| {
            near(a.left, b.left)
                || near(a.right, b.right)
                || near(f64::midpoint(a.left, a.right), f64::midpoint(b.left, b.right))
        })
}

fn cells(line: &Line) -> Vec<String> {
    let ends = line.cells.iter().skip(1).map(|cell| cell.start).chain([line.text.len()]);
    let parts = line.cells.iter().zip(ends).map(|(cell, end)| line.text.get(cell.start..end));
    parts.map(|part| part.unwrap_or_default().trim().to_owned()).collect()
}
