//! A DOCX becomes Markdown: headings, lists, tables and notes of the last accepted version.
//!
//! Deleted and hidden text, comments, tables of contents, headers and footers are left out. There are no page numbers: Word lays pages out
//! anew each time it shows the file.

use std::collections::{BTreeMap, HashMap};

use crate::archive::{Archive, resolved};
use crate::writer::tidy;
use crate::xml::{Element, Node, parse as parse_xml};
use crate::{Bounds, Fault, Parsed, Writer};

const DOCX: &str = "DOCX";
/// How deep notes and text boxes may be nested.
const DEEPEST_NOTE: usize = 16;
/// The most columns that a cell may span.
const WIDEST_CELL: usize = 64;

/// Returns what a DOCX says.
pub(crate) fn parse(bytes: &[u8], bounds: &Bounds) -> Result<Parsed, Fault> {
    let mut archive = Archive::open(bytes, DOCX, bounds)?;
    let top = related(&mut archive, "")?;
    let main = top.get("officeDocument").cloned().unwrap_or_else(|| "word/document.xml".to_owned());
    let body = parse_xml(&archive.needed(&main)?, DOCX)?;
    let Some(body) = body.child("body") else {
        return Err(Fault::NotReadYet { format: "this kind of Office file".to_owned() });
    };
    let parts = related(&mut archive, &main)?;
    let mut part = |kind: &str| -> Result<Option<Element>, Fault> {
        let Some(name) = parts.get(kind) else { return Ok(None) };
        archive.file(name)?.map(|bytes| parse_xml(&bytes, DOCX)).transpose()
    };
    let styles = part("styles")?.map(|styles| Style::all(&styles)).unwrap_or_default();
    let numbering = part("numbering")?.map(|lists| Numbering::of(&lists)).unwrap_or_default();
    let footnotes = part("footnotes")?;
    let endnotes = part("endnotes")?;
    let mut metadata = BTreeMap::new();
    let mut title = None;
    let core = top.get("core-properties").cloned();
    if let Some(core) = archive.file(core.as_deref().unwrap_or("docProps/core.xml"))? {
        // Broken metadata does not make the document unreadable.
        if let Ok(core) = parse_xml(&core, DOCX) {
            let said = |name: &str| {
                core.child(name).map(|it| tidy(&it.text())).filter(|it| !it.is_empty())
            };
            title = said("title");
            metadata.extend(said("creator").map(|author| ("author".to_owned(), author)));
            let created = said("created").and_then(|at| at.get(..10).map(str::to_owned));
            metadata.extend(created.map(|created| ("created".to_owned(), created)));
        }
    }
    let title_style = body.elements().any(|p| style_of(p).is_some_and(|id| is_title(&styles, id)));
    let mut page = Page {
        styles: &styles,
        numbering: &numbering,
        footnotes: notes(footnotes.as_ref()),
        endnotes: notes(endnotes.as_ref()),
        shift: usize::from(title_style),
        text: Writer::new(bounds.text_bytes),
        counts: HashMap::new(),
        aside: Vec::new(),
        within: 0,
    };
    page.blocks(body);
    Ok(Parsed { title, text: page.text.finish(), metadata, ..Parsed::default() })
}

/// Returns the parts related to `from`, keyed by the last segment of the relationship type, which strict and transitional files share.
fn related(archive: &mut Archive, from: &str) -> Result<HashMap<String, String>, Fault> {
    let (folder, file) = from.rsplit_once('/').unwrap_or(("", from));
    let name = if folder.is_empty() {
        format!("_rels/{file}.rels")
    } else {
        format!("{folder}/_rels/{file}.rels")
    };
    let Some(bytes) = archive.file(&name)? else { return Ok(HashMap::new()) };
    let mut found = HashMap::new();
    for relation in parse_xml(&bytes, DOCX)?.elements() {
        let outside = relation.attribute("TargetMode") == Some("External");
        let kind = relation.attribute("Type").and_then(|kind| kind.rsplit('/').next());
        if let (Some(kind), Some(target), false) = (kind, relation.attribute("Target"), outside) {
            found.entry(kind.to_owned()).or_insert_with(|| resolved(from, target));
        }
    }
    Ok(found)
}

/// The properties that a style gives its paragraphs.
#[derive(Default)]
struct Style {
    /// In lower case. Word stores the English names of its built-in styles, whatever its language.
    name: String,
    based_on: Option<String>,
    /// 1 for the highest.
    outline: Option<usize>,
    list: Option<(String, usize)>,
}

type Styles = HashMap<String, Style>;

impl Style {
    fn all(part: &Element) -> Styles {
        let of = |style: &Element| {
            let value = |name: &str| style.child(name).and_then(|it| it.attribute("val"));
            let own = style.child("pPr");
            Style {
                name: value("name").unwrap_or_default().to_lowercase(),
                based_on: value("basedOn").map(str::to_owned),
                outline: own.and_then(outline),
                list: own.and_then(list),
            }
        };
        let styles = part.elements().filter(|it| &*it.name == "style");
        styles.filter_map(|it| Some((it.attribute("styleId")?.to_owned(), of(it)))).collect()
    }
}

/// Follows a style's chain of bases until `ask` returns an answer.
fn inherited<T>(styles: &Styles, id: &str, ask: impl Fn(&Style) -> Option<T>) -> Option<T> {
    let mut id = id;
    for _ in 0..16 {
        let style = styles.get(id)?;
        if let Some(answer) = ask(style) {
            return Some(answer);
        }
        id = style.based_on.as_deref()?;
    }
    None
}

fn outline(properties: &Element) -> Option<usize> {
    let level: usize = properties.child("outlineLvl")?.attribute("val")?.parse().ok()?;
    (level < 9).then_some(level + 1)
}

fn list(properties: &Element) -> Option<(String, usize)> {
    let list = properties.child("numPr")?;
    let value = |name: &str| list.child(name).and_then(|it| it.attribute("val"));
    let level = value("ilvl").and_then(|level| level.parse().ok()).unwrap_or(0);
    Some((value("numId")?.to_owned(), level))
}

fn style_of(paragraph: &Element) -> Option<&str> {
    paragraph.child("pPr")?.child("pStyle")?.attribute("val")
}

fn is_title(styles: &Styles, id: &str) -> bool {
    styles.get(id).map_or(id.eq_ignore_ascii_case("title"), |style| style.name == "title")
}

/// Returns the heading level that a style gives, 1 for the highest.
fn heading(styles: &Styles, id: &str) -> Option<usize> {
    let named = |name: &str| -> Option<usize> {
        let level = name.strip_prefix("heading")?.trim().parse().ok()?;
        (1..=9).contains(&level).then_some(level)
    };
    if !styles.contains_key(id) {
        return named(&id.to_lowercase());
    }
    inherited(styles, id, |style| style.outline.or_else(|| named(&style.name)))
}

/// How the items of lists are marked.
#[derive(Default)]
struct Numbering {
    /// For each level of a list, the number of its first item, if its items are numbered.
    levels: HashMap<(String, usize), Option<u64>>,
}

impl Numbering {
    fn of(part: &Element) -> Self {
        let mut shapes: HashMap<&str, Vec<(usize, Option<u64>)>> = HashMap::new();
        for shape in part.elements().filter(|it| &*it.name == "abstractNum") {
            let Some(id) = shape.attribute("abstractNumId") else { continue };
            for level in shape.elements().filter(|it| &*it.name == "lvl") {
                let value = |name: &str| level.child(name).and_then(|it| it.attribute("val"));
                let depth = level.attribute("ilvl").and_then(|depth| depth.parse().ok());
                let plain = matches!(value("numFmt"), Some("bullet" | "none"));
                let first = value("start").and_then(|start| start.parse().ok()).unwrap_or(1);
                let first = (!plain).then_some(first);
                shapes.entry(id).or_default().push((depth.unwrap_or(0), first));
            }
        }
        let mut levels = HashMap::new();
        for list in part.elements().filter(|it| &*it.name == "num") {
            let shape = list.child("abstractNumId").and_then(|it| it.attribute("val"));
            let (Some(id), Some(shape)) = (list.attribute("numId"), shape) else { continue };
            for (depth, first) in shapes.get(shape).into_iter().flatten() {
                levels.insert((id.to_owned(), *depth), *first);
            }
        }
        Self { levels }
    }
}

fn notes(part: Option<&Element>) -> HashMap<&str, &Element> {
    let notes = part.into_iter().flat_map(Element::elements);
    let own = notes.filter(|note| {
        !matches!(
            note.attribute("type"),
            Some("separator" | "continuationSeparator" | "continuationNotice")
        )
    });
    own.filter_map(|note| Some((note.attribute("id")?, note))).collect()
}

/// The text being written.
struct Page<'a> {
    styles: &'a Styles,
    numbering: &'a Numbering,
    footnotes: HashMap<&'a str, &'a Element>,
    endnotes: HashMap<&'a str, &'a Element>,
    /// How far headings move down because a title stands above them.
    shift: usize,
    text: Writer,
    counts: HashMap<(String, usize), u64>,
    /// Text boxes and notes of the open paragraph, which are written after it.
    aside: Vec<&'a Element>,
    /// How many text boxes and notes enclose what is being written.
    within: usize,
}

impl<'a> Page<'a> {
    fn blocks(&mut self, parent: &'a Element) {
        for element in parent.elements() {
            if self.text.is_full() {
                return;
            }
            match &*element.name {
                "p" => self.paragraph(element),
                "tbl" => self.table(element),
                "AlternateContent" => {
                    let before = self.text.len();
                    let options = ["Choice", "Fallback"].into_iter();
                    for option in options.filter_map(|name| element.child(name)) {
                        if self.text.len() == before {
                            self.blocks(option);
                        }
                    }
                }
                "del" | "moveFrom" | "sectPr" | "sdtPr" | "sdtEndPr" => {}
                _ => self.blocks(element),
            }
        }
    }

    fn paragraph(&mut self, paragraph: &'a Element) {
        let mut words = String::new();
        self.inline(paragraph, &mut words);
        let aside = std::mem::take(&mut self.aside);
        let style = style_of(paragraph);
        let name = style.and_then(|id| self.styles.get(id)).map_or("", |style| style.name.as_str());
        if !name.starts_with("toc ") {
            self.write(paragraph, style, &words);
        }
        self.set_aside(aside);
    }

    /// Writes what was set aside from a paragraph or table, down to a fixed depth of notes within notes.
    fn set_aside(&mut self, aside: Vec<&'a Element>) {
        if self.within < DEEPEST_NOTE {
            self.within += 1;
            for element in aside {
                self.blocks(element);
            }
            self.within -= 1;
        }
    }

    fn write(&mut self, paragraph: &Element, style: Option<&str>, words: &str) {
        if words.trim().is_empty() {
            return;
        }
        let own = paragraph.child("pPr");
        let level = own.and_then(outline).or_else(|| heading(self.styles, style?));
        let title = style.is_some_and(|id| is_title(self.styles, id));
        let level = if title { Some(1) } else { level.map(|level| level + self.shift) };
        if let Some(level) = level {
            return self.text.heading(level.min(6), words);
        }
        let list =
            own.and_then(list).or_else(|| inherited(self.styles, style?, |it| it.list.clone()));
        match list.filter(|(id, _)| id != "0") {
            Some(list) => {
                let mark = self.mark(&list);
                self.text.item(list.1, &mark, words);
            }
            None => self.text.paragraph(words),
        }
    }

    /// Returns the marker of the next item of a list.
    fn mark(&mut self, list: &(String, usize)) -> String {
        let Some(Some(first)) = self.numbering.levels.get(list) else { return "-".to_owned() };
        // An item restarts the numbering of the levels under it.
        self.counts.retain(|(id, level), _| *id != list.0 || *level <= list.1);
        let count = self.counts.entry(list.clone()).or_insert(*first);
        *count = count.saturating_add(1);
        format!("{}.", *count - 1)
    }

    /// Appends the text of a paragraph to `words`, a line break as a newline.
    fn inline(&mut self, parent: &'a Element, words: &mut String) {
        for element in parent.elements() {
            match &*element.name {
                "t" => {
                    for child in &element.children {
                        if let Node::Text(text) = child {
                            words.push_str(&text.replace('\n', " "));
                        }
                    }
                }
                "tab" | "ptab" => words.push(' '),
                "br" | "cr" => words.push('\n'),
                "noBreakHyphen" => words.push('-'),
                "r" if hidden(element) => {}
                "AlternateContent" => {
                    let before = (words.len(), self.aside.len());
                    let options = ["Choice", "Fallback"].into_iter();
                    for option in options.filter_map(|name| element.child(name)) {
                        if (words.len(), self.aside.len()) == before {
                            self.inline(option, words);
                        }
                    }
                }
                "txbxContent" => self.aside.push(element),
                // Each note is written once, so that a note that refers to itself ends.
                "footnoteReference" => {
                    let id = element.attribute("id").unwrap_or_default();
                    self.aside.extend(self.footnotes.remove(id));
                }
                "endnoteReference" => {
                    let id = element.attribute("id").unwrap_or_default();
                    self.aside.extend(self.endnotes.remove(id));
                }
                "del" | "moveFrom" | "delText" | "instrText" | "delInstrText" | "pPr" | "rPr"
                | "sectPr" | "sdtPr" | "ctrlPr" => {}
                _ => self.inline(element, words),
            }
        }
    }

    fn table(&mut self, table: &'a Element) {
        let mut aside = Vec::new();
        let mut rows: Vec<Vec<String>> = Vec::new();
        let all: Vec<Vec<&'a Element>> =
            rows_of(table).into_iter().map(|row| held(row, "tc")).collect();
        if let [row] = all.as_slice()
            && let [cell] = row.as_slice()
        {
            // A frame around some paragraphs.
            return self.blocks(cell);
        }
        for row in all {
            let mut cells = Vec::new();
            for cell in row {
                let own = cell.child("tcPr");
                let merged = own.and_then(|own| own.child("vMerge"));
                let goes_on = merged.is_some_and(|it| it.attribute("val") != Some("restart"));
                let mut words = String::new();
                if !goes_on {
                    self.cell(cell, &mut words);
                }
                aside.append(&mut self.aside);
                cells.push(tidy(&words));
                let span =
                    own.and_then(|own| own.child("gridSpan")?.attribute("val")?.parse().ok());
                let more = span.unwrap_or(1_usize).clamp(1, WIDEST_CELL) - 1;
                cells.extend(std::iter::repeat_n(String::new(), more));
            }
            if cells.iter().any(|cell| !cell.is_empty()) {
                rows.push(cells);
            }
        }
        self.text.table(&rows);
        self.set_aside(aside);
    }

    /// Appends everything in a cell on one line, including nested tables.
    fn cell(&mut self, parent: &'a Element, words: &mut String) {
        for element in parent.elements() {
            match &*element.name {
                "p" => {
                    words.push(' ');
                    self.inline(element, words);
                }
                "del" | "moveFrom" | "tcPr" | "tblPr" | "trPr" | "sdtPr" => {}
                _ => self.cell(element, words),
            }
        }
    }
}

/// Returns the rows of a table that were not deleted.
fn rows_of(table: &Element) -> Vec<&Element> {
    let mut rows = held(table, "tr");
    rows.retain(|row| row.child("trPr").is_none_or(|own| own.child("del").is_none()));
    rows
}

/// Returns the elements with this name in `parent` and in its mere wrappers.
fn held<'a>(parent: &'a Element, name: &str) -> Vec<&'a Element> {
    let mut found = Vec::new();
    for element in parent.elements() {
        match &*element.name {
            own if own == name => found.push(element),
            "sdt" | "sdtContent" | "customXml" | "ins" | "moveTo" => {
                found.extend(held(element, name));
            }
            _ => {}
        }
    }
    found
}

fn hidden(run: &Element) -> bool {
    let vanish = run.child("rPr").and_then(|own| own.child("vanish"));
    vanish.is_some_and(|it| !matches!(it.attribute("val"), Some("0" | "false" | "off")))
}

#[cfg(test)]
mod tests;
