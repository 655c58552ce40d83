//! The parts of a document: headings, paragraphs, items and tables.

/// A self-contained stretch of a document.
#[derive(Debug, PartialEq)]
pub(in crate::pdf) struct Block {
    pub(in crate::pdf) kind: Kind,
    pub(in crate::pdf) text: String,
    /// The number of the page on which it begins.
    pub(in crate::pdf) page: u32,
    /// The byte offsets in its text at which further pages begin, with their numbers.
    pub(in crate::pdf) breaks: Vec<(usize, u32)>,
}

#[derive(Debug, PartialEq)]
pub(in crate::pdf) enum Kind {
    /// 1 for the highest.
    Heading(usize),
    Paragraph,
    Item,
    Table(Vec<Vec<String>>),
}

impl Block {
    pub(super) fn new(kind: Kind, page: u32, text: String) -> Self {
        Self { kind, text, page, breaks: Vec::new() }
    }
    pub(in crate::pdf) fn heading(page: u32, level: usize, text: String) -> Self {
        Self::new(Kind::Heading(level), page, text)
    }
    pub(in crate::pdf) fn paragraph(page: u32, text: String) -> Self {
        Self::new(Kind::Paragraph, page, text)
    }
    pub(in crate::pdf) fn item(page: u32, text: String) -> Self {
        Self::new(Kind::Item, page, text)
    }
    pub(in crate::pdf) fn table(page: u32, rows: Vec<Vec<String>>) -> Self {
        Self::new(Kind::Table(rows), page, String::new())
    }

    pub(in crate::pdf) fn pages(&self) -> impl Iterator<Item = u32> {
        std::iter::once(self.page).chain(self.breaks.iter().map(|(_, page)| *page))
    }

    pub(in crate::pdf) fn say(&self, to: &mut String) {
        to.push_str(&self.text);
        if let Kind::Table(rows) = &self.kind {
            for cell in rows.iter().flatten() {
                to.push_str(cell);
                to.push(' ');
            }
        }
    }

    pub(in crate::pdf) fn bytes(&self) -> usize {
        let cells = match &self.kind {
            Kind::Table(rows) => rows.iter().flatten().map(|cell| cell.len() + 3).sum(),
            _ => 0,
        };
        self.text.len() + cells
    }

    pub(in crate::pdf) fn holds_text(&self) -> bool {
        let mut text = String::new();
        self.say(&mut text);
        !text.trim().is_empty()
    }
}

/// Puts blocks of one page where that page ends, or before what goes on from it to the next.
pub(in crate::pdf) fn insert(blocks: &mut Vec<Block>, page: u32, more: Vec<Block>) {
    let at = blocks.iter().position(|block| block.pages().any(|number| number > page));
    let at = at.unwrap_or(blocks.len());
    blocks.splice(at..at, more);
}
