//! Lines as runs of text, with their marks.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use render::{Cited, Extent, Inline, Line, Link, Note};

use crate::marks::{Fate, Marks, Place, anchor, bookmark, source};
use crate::xml::{Xml, escape};

/// A part of the document that is being written, with what it links to.
#[derive(Debug, Default)]
pub(crate) struct Part {
    pub(crate) xml: Xml,
    /// Addresses on the web, the first of them `link1`.
    pub(crate) links: Vec<String>,
}

impl Part {
    /// Returns the id by which the part knows an address.
    fn relate(&mut self, link: &Link) -> String {
        let known = self.links.iter().position(|known| known == link.as_str());
        let index = known.unwrap_or_else(|| {
            self.links.push(link.as_str().to_owned());
            self.links.len() - 1
        });
        format!("link{}", index + 1)
    }
}

/// What Word is told to be the mark of a footnote; the mark that is seen follows as text. LibreOffice (25.2) repeats a mark before its note.
const UNSEEN: &str = "\u{200b}";
const RAISED: &str = "<w:vertAlign w:val=\"superscript\"/>";

/// How a run of text is set.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Look {
    is_bold: bool,
    is_italic: bool,
    is_raised: bool,
    style: Option<&'static str>,
}

impl Look {
    fn styled(self, style: &'static str) -> Look {
        Look { style: Some(style), ..self }
    }

    fn properties(self) -> String {
        let mut properties = String::new();
        if let Some(style) = self.style {
            let _ = write!(properties, "<w:rStyle w:val=\"{style}\"/>");
        }
        properties.push_str(if self.is_bold { "<w:b/><w:bCs/>" } else { "" });
        properties.push_str(if self.is_italic { "<w:i/><w:iCs/>" } else { "" });
        properties.push_str(if self.is_raised { RAISED } else { "" });
        match properties.as_str() {
            "" => properties,
            some => format!("<w:rPr>{some}</w:rPr>"),
        }
    }
}

/// Lines of a report as they become runs, footnotes and links.
#[derive(Debug)]
pub(crate) struct Setter<'a> {
    pub(crate) marks: Marks<'a>,
    pub(crate) body: Part,
    pub(crate) footnotes: Part,
    /// The names of the bookmarks until now: each leads to one place.
    bookmarks: BTreeSet<String>,
}

impl<'a> Setter<'a> {
    pub(crate) fn new(marks: Marks<'a>) -> Setter<'a> {
        Setter {
            marks,
            body: Part::default(),
            footnotes: Part::default(),
            bookmarks: BTreeSet::new(),
        }
    }

    /// Adds the runs of a line to the body.
    ///
    /// A mark in the text is raised. One that begins a line names it, as in a list of references.
    pub(crate) fn line(&mut self, line: &Line, place: Place) {
        if let Some((first @ Inline::Mark { .. }, rest)) = line.0.split_first() {
            self.mark(first, place, Look::default().styled("FootnoteReference"));
            return self.inlines(&Line(rest.to_vec()), place, Look::default());
        }
        self.inlines(line, place, Look::default());
    }

    fn inlines(&mut self, line: &Line, place: Place, look: Look) {
        for inline in &line.0 {
            match inline {
                Inline::Strong(line) => self.inlines(line, place, Look { is_bold: true, ..look }),
                Inline::Emphasis(line) => {
                    self.inlines(line, place, Look { is_italic: true, ..look });
                }
                Inline::Mark { .. } => {
                    // The style of the note's own mark, or LibreOffice shows that mark twice.
                    let look = Look { is_raised: true, ..look.styled("FootnoteReference") };
                    self.mark(inline, place, look);
                }
                Inline::Anchor(number) => self.body_bookmark(&anchor(*number)),
                other => set_plain(&mut self.body.xml, other, look),
            }
        }
    }

    /// Writes a citation: a footnote or a link for each number, or the citation as it stands if none leads anywhere.
    fn mark(&mut self, mark: &Inline, place: Place, look: Look) {
        let Inline::Mark { cited, shown, extent } = mark else { return };
        if !cited.iter().any(|one| self.marks.leads(one.number)) {
            return set_text(&mut self.body.xml, shown, look);
        }
        let place = match extent {
            Extent::Statements => place,
            Extent::Source => Place::Leading,
        };
        for one in cited {
            self.cite(one, place, look);
        }
    }

    fn cite(&mut self, Cited { number, label }: &Cited, place: Place, look: Look) {
        let (number, shown) = (*number, format!("[{label}]"));
        match self.marks.settle(number, place) {
            Fate::Plain => set_text(&mut self.body.xml, &shown, look),
            Fate::Link(bookmark) => {
                self.body.xml.put(format!("<w:hyperlink w:anchor=\"{bookmark}\" w:history=\"1\">"));
                set_text(&mut self.body.xml, &shown, look);
                self.body.xml.put("</w:hyperlink>");
            }
            Fate::Footnote(id, note) => {
                self.body_bookmark(&bookmark(number));
                let (properties, source) = (look.properties(), source(number));
                self.body.xml.put(format!(
                    "<w:r>{properties}<w:footnoteReference w:customMarkFollows=\"1\" w:id=\"{id}\"/><w:t>{UNSEEN}</w:t></w:r>\
                     <w:hyperlink w:anchor=\"{source}\" w:history=\"1\">"
                ));
                set_text(&mut self.body.xml, &shown, look);
                self.body.xml.put("</w:hyperlink>");
                self.footnote(id, note, &shown);
            }
        }
    }

    /// Writes a footnote: the mark that leads to it, then the lines of the note in one paragraph.
    fn footnote(&mut self, id: u32, note: &Note, shown: &str) {
        let mark = Look::default().styled("FootnoteReference");
        let place = self.bookmark(&source(note.number));
        let xml = &mut self.footnotes.xml;
        xml.put(format!(
            "<w:footnote w:id=\"{id}\"><w:p><w:pPr><w:pStyle w:val=\"FootnoteText\"/></w:pPr>{place}"
        ));
        set_text(xml, UNSEEN, mark);
        set_text(xml, shown, mark);
        set_text(xml, " ", Look::default());
        let mut is_first = true;
        for (index, line) in note.lines.iter().enumerate() {
            let line = if index == 0 { without_mark(line, note.number) } else { line.clone() };
            if line.is_empty() {
                continue;
            }
            if !std::mem::take(&mut is_first) {
                set_text(&mut self.footnotes.xml, " — ", Look::default());
            }
            let link = note.link.as_ref().filter(|_| index + 1 == note.lines.len());
            set_noted(&mut self.footnotes, &line, link);
        }
        self.footnotes.xml.put("</w:p></w:footnote>");
    }

    /// Adds a note to the body, where no mark leads to a footnote: a hanging paragraph's content.
    pub(crate) fn noted(&mut self, note: &Note) {
        self.body_bookmark(&bookmark(note.number));
        for (index, line) in note.lines.iter().enumerate() {
            if index > 0 {
                self.body.xml.put("<w:r><w:br/></w:r>");
            }
            let link = note.link.as_ref().filter(|_| index + 1 == note.lines.len());
            set_noted(&mut self.body, line, link);
        }
    }

    /// Adds a place of the body that can be led to.
    pub(crate) fn body_bookmark(&mut self, name: &str) {
        let place = self.bookmark(name);
        self.body.xml.put(place);
    }

    /// Returns a place that can be led to; empty if there is one of that name.
    fn bookmark(&mut self, name: &str) -> String {
        let id = self.bookmarks.len();
        match self.bookmarks.insert(name.to_owned()) {
            true => format!(
                "<w:bookmarkStart w:id=\"{id}\" w:name=\"{name}\"/><w:bookmarkEnd w:id=\"{id}\"/>"
            ),
            false => String::new(),
        }
    }
}

/// Returns the first line of a note without the mark it begins with.
fn without_mark(line: &Line, number: u32) -> Line {
    let mut line = line.clone();
    if matches!(line.0.first(), Some(Inline::Mark { cited, .. }) if matches!(cited.as_slice(), [one] if one.number == number))
    {
        line.0.remove(0);
    }
    if let Some(Inline::Text(text)) = line.0.first_mut() {
        *text = text.trim_start().to_owned();
    }
    line
}

/// Writes a line of a note, in which marks lead nowhere. A link is put on the line's first word, its source.
fn set_noted(part: &mut Part, line: &Line, link: Option<&Link>) {
    let Some(link) = link else { return set_inlines(&mut part.xml, line, Look::default()) };
    let Some((Inline::Text(text), rest)) = line.0.split_first() else {
        return set_inlines(&mut part.xml, line, Look::default());
    };
    let end = text.find(char::is_whitespace).unwrap_or(text.len());
    let (source, behind) = text.split_at(end);
    let bare = source.trim_end_matches(',');
    let comma = source.get(bare.len()..).unwrap_or_default();
    let id = part.relate(link);
    part.xml.put(format!("<w:hyperlink r:id=\"{id}\" w:history=\"1\">"));
    set_text(&mut part.xml, bare, Look::default().styled("Hyperlink"));
    part.xml.put("</w:hyperlink>");
    set_text(&mut part.xml, &format!("{comma}{behind}"), Look::default());
    rest.iter().for_each(|inline| set_inline(&mut part.xml, inline, Look::default()));
}

fn set_inlines(xml: &mut Xml, line: &Line, look: Look) {
    line.0.iter().for_each(|inline| set_inline(xml, inline, look));
}

fn set_inline(xml: &mut Xml, inline: &Inline, look: Look) {
    match inline {
        Inline::Strong(line) => set_inlines(xml, line, Look { is_bold: true, ..look }),
        Inline::Emphasis(line) => set_inlines(xml, line, Look { is_italic: true, ..look }),
        Inline::Mark { shown, .. } => set_text(xml, shown, look.styled("FootnoteReference")),
        other => set_plain(xml, other, look),
    }
}

/// Writes an inline that leads nowhere and holds no other.
fn set_plain(xml: &mut Xml, inline: &Inline, look: Look) {
    match inline {
        Inline::Text(text) => set_text(xml, text, look),
        Inline::Literal(character) => set_text(xml, &character.to_string(), look),
        Inline::Code(text) => set_text(xml, text, look.styled("CodeChar")),
        Inline::Sign(sign) => set_text(xml, sign.sign, look.styled("Verdict")),
        Inline::Break => xml.put("<w:r><w:br/></w:r>"),
        Inline::SoftBreak => set_text(xml, " ", look),
        Inline::Strong(_) | Inline::Emphasis(_) | Inline::Mark { .. } | Inline::Anchor(_) => {}
    }
}

/// Writes a run of text, unless it is empty.
pub(crate) fn set_text(xml: &mut Xml, text: &str, look: Look) {
    if !text.is_empty() {
        let (properties, text) = (look.properties(), escape(text));
        xml.put(format!("<w:r>{properties}<w:t xml:space=\"preserve\">{text}</w:t></w:r>"));
    }
}
