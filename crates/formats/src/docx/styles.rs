//! The styles of a DOCX, as far as they decide what is read: headings, titles, lists and hidden text.

use std::collections::HashMap;

use crate::Script;
use crate::ooxml::is_on;
use crate::xml::{Element, Node};

/// The properties that a style gives its paragraphs.
#[derive(Default)]
pub(super) struct Style {
    /// In lower case. Word stores the English names of its built-in styles, whatever its language.
    pub(super) name: String,
    based_on: Option<String>,
    /// 1 for the highest.
    outline: Option<usize>,
    pub(super) list: List,
    /// Whether its text is hidden.
    hidden: Option<bool>,
    script: Option<Script>,
    bold: Option<bool>,
    /// Whether it sets the first rows of tables off.
    first_row: Option<bool>,
    /// Whether its text is struck through.
    struck: Option<bool>,
}

/// The size of usual letters, in half points; smaller ones that are moved are raised or lowered.
const USUAL_SIZE: i32 = 24;

pub(super) type Styles = HashMap<String, Style>;

impl Style {
    pub(super) fn all(part: &Element) -> Styles {
        let of = |style: &Element| {
            let value = |name: &str| style.child(name).and_then(|it| it.attribute("val"));
            let own = style.child("pPr");
            Style {
                name: value("name").unwrap_or_default().to_lowercase(),
                based_on: value("basedOn").map(str::to_owned),
                outline: own.and_then(outline),
                list: own.map(list_of).unwrap_or_default(),
                hidden: style.child("rPr").and_then(vanish),
                script: style.child("rPr").and_then(script),
                bold: style.child("rPr").and_then(bold),
                first_row: first_row(style),
                struck: style.child("rPr").and_then(line_through),
            }
        };
        let styles = part.elements().filter(|it| &*it.name == "style");
        styles.filter_map(|it| Some((it.attribute("styleId")?.to_owned(), of(it)))).collect()
    }
}

/// Follows a style's chain of bases until `ask` returns an answer.
pub(super) fn inherited<T>(
    styles: &Styles,
    id: &str,
    ask: impl Fn(&Style) -> Option<T>,
) -> Option<T> {
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

pub(super) fn outline(properties: &Element) -> Option<usize> {
    let level: usize = properties.child("outlineLvl")?.attribute("val")?.parse().ok()?;
    (level < 9).then_some(level + 1)
}

/// The list that paragraphs belong to and their level in it, as far as given.
#[derive(Default, Clone)]
pub(super) struct List {
    pub(super) id: Option<String>,
    pub(super) level: Option<usize>,
}

pub(super) fn list_of(properties: &Element) -> List {
    let Some(list) = properties.child("numPr") else { return List::default() };
    let value = |name: &str| list.child(name).and_then(|it| it.attribute("val"));
    List {
        id: value("numId").map(str::to_owned),
        level: value("ilvl").and_then(|level| level.parse().ok()),
    }
}

/// Returns whether properties of a run hide it; `None` if they do not say.
fn vanish(properties: &Element) -> Option<bool> {
    properties.child("vanish").map(|it| is_on(Some(it)))
}

/// Returns whether a run is hidden by itself or by its style.
pub(super) fn hidden(styles: &Styles, run: &Element) -> bool {
    let Some(own) = run.child("rPr") else { return false };
    let style = || own.child("rStyle")?.attribute("val");
    vanish(own).or_else(|| inherited(styles, style()?, |it| it.hidden)).unwrap_or(false)
}

/// Returns whether properties of a run make it bold; `None` if they do not say.
fn bold(properties: &Element) -> Option<bool> {
    properties.child("b").map(|it| is_on(Some(it)))
}

/// Returns whether a style of tables makes the words of first rows bold or shades them; `None` if it does not say.
fn first_row(style: &Element) -> Option<bool> {
    let is_first =
        |it: &&Element| &*it.name == "tblStylePr" && it.attribute("type") == Some("firstRow");
    let own = style.elements().find(is_first)?;
    let is_bold = own.child("rPr").and_then(bold).unwrap_or(false);
    Some(is_bold || own.child("tcPr").is_some_and(is_shaded))
}

/// Returns whether properties of a cell give it a colour.
fn is_shaded(properties: &Element) -> bool {
    let fill = properties.child("shd").and_then(|it| it.attribute("fill"));
    fill.is_some_and(|fill| !matches!(&*fill.to_ascii_lowercase(), "" | "auto" | "ffffff"))
}

/// Returns whether the style of a table sets its first row off, and the table asks for that.
pub(super) fn sets_first_row_off(styles: &Styles, table: &Element) -> bool {
    let Some(own) = table.child("tblPr") else { return false };
    let look = own.child("tblLook");
    let named = look.and_then(|it| it.attribute("firstRow"));
    let bits = look.and_then(|it| u32::from_str_radix(it.attribute("val")?, 16).ok());
    let is_asked = match named {
        Some(named) => matches!(named, "1" | "true" | "on"),
        None => bits.is_some_and(|bits| bits & 0x20 != 0),
    };
    let style = || own.child("tblStyle")?.attribute("val");
    is_asked && style().and_then(|id| inherited(styles, id, |it| it.first_row)).unwrap_or(false)
}

/// Returns whether all words in a row are bold, or all its cells are shaded.
pub(super) fn is_set_off(styles: &Styles, row: &Element) -> bool {
    let mut cells = row.all("tcPr").into_iter().peekable();
    cells.peek().is_some() && cells.all(is_shaded) || is_bold(styles, row, false)
}

/// Returns whether all words in an element are bold, if their paragraph is so or not.
fn is_bold(styles: &Styles, element: &Element, outer: bool) -> bool {
    element.children.iter().all(|node| match node {
        Node::Text(words) => outer || words.trim().is_empty(),
        Node::Element(within) => {
            let style = |list: &str, name: &str| within.child(list)?.child(name)?.attribute("val");
            let of_style = |id: &str| inherited(styles, id, |it| it.bold);
            let own = match &*within.name {
                "p" => style("pPr", "pStyle").and_then(of_style),
                "r" => within
                    .child("rPr")
                    .and_then(bold)
                    .or_else(|| style("rPr", "rStyle").and_then(of_style)),
                _ => None,
            };
            is_bold(styles, within, own.unwrap_or(outer))
        }
    })
}

/// Returns whether properties of a run strike it through; `None` if they do not say.
fn line_through(properties: &Element) -> Option<bool> {
    let said = |name| properties.child(name).map(|it| is_on(Some(it)));
    match (said("strike"), said("dstrike")) {
        (None, None) => None,
        (once, twice) => Some(once.unwrap_or(false) || twice.unwrap_or(false)),
    }
}

/// Returns whether a run is struck through by itself, by its style, or else as its paragraph is.
pub(super) fn is_struck(styles: &Styles, run: &Element, paragraph: bool) -> bool {
    let Some(own) = run.child("rPr") else { return paragraph };
    let style = || own.child("rStyle")?.attribute("val");
    line_through(own).or_else(|| inherited(styles, style()?, |it| it.struck)).unwrap_or(paragraph)
}

/// Returns whether a paragraph style strikes its text through.
pub(super) fn strikes(styles: &Styles, id: &str) -> bool {
    inherited(styles, id, |it| it.struck).unwrap_or(false)
}

/// Returns where properties of a run set it; `None` if they do not say.
fn script(properties: &Element) -> Option<Script> {
    let value = |name: &str| properties.child(name)?.attribute("val");
    match value("vertAlign") {
        Some("superscript") => return Some(Script::Super),
        Some("subscript") => return Some(Script::Sub),
        Some(_) => return Some(Script::Line),
        None => {}
    }
    // Other programs move small letters, by half points.
    let moved: i32 = value("position")?.parse().ok()?;
    let size: i32 = value("sz")?.parse().ok().filter(|size| *size < USUAL_SIZE)?;
    match (size > 0, moved.signum()) {
        (true, 1) => Some(Script::Super),
        (true, -1) => Some(Script::Sub),
        _ => None,
    }
}

/// Returns whether a run is raised or lowered by itself or by its style.
pub(super) fn script_of(styles: &Styles, run: &Element) -> Script {
    let Some(own) = run.child("rPr") else { return Script::Line };
    let style = || own.child("rStyle")?.attribute("val");
    script(own).or_else(|| inherited(styles, style()?, |it| it.script)).unwrap_or_default()
}

/// Returns whether a paragraph style hides its text.
pub(super) fn hides(styles: &Styles, id: &str) -> bool {
    inherited(styles, id, |it| it.hidden).unwrap_or(false)
}

pub(super) fn style_of(paragraph: &Element) -> Option<&str> {
    paragraph.child("pPr")?.child("pStyle")?.attribute("val")
}

/// Returns whether a paragraph belongs to a table of contents: it has the style of an entry, and leads to a page or stands beside others.
pub(super) fn is_entry(
    styles: &Styles,
    paragraph: &Element,
    neighbours: [Option<&Element>; 2],
) -> bool {
    let name = |it: &Element| style_of(it).and_then(|id| styles.get(id)).map(|style| &*style.name);
    let of_contents = |it: &Element| name(it).is_some_and(|name| name.starts_with("toc "));
    let is_beside = |it: &Element| of_contents(it) && !it.text().trim().is_empty();
    of_contents(paragraph)
        && (name(paragraph) == Some("toc heading")
            || leads_to_page(paragraph)
            || neighbours.into_iter().flatten().any(is_beside))
}

/// Returns whether a paragraph has a link, a field, or a tab, as an entry has before its page number.
fn leads_to_page(paragraph: &Element) -> bool {
    let mut open: Vec<&Element> = paragraph.elements().filter(|it| &*it.name != "pPr").collect();
    while let Some(element) = open.pop() {
        if matches!(&*element.name, "tab" | "ptab" | "hyperlink" | "instrText" | "fldSimple") {
            return true;
        }
        open.extend(element.elements());
    }
    false
}

pub(super) fn is_title(styles: &Styles, id: &str) -> bool {
    styles.get(id).map_or(id.eq_ignore_ascii_case("title"), |style| style.name == "title")
}

/// Returns the heading level that a style gives, 1 for the highest.
pub(super) fn heading(styles: &Styles, id: &str) -> Option<usize> {
    let named = |name: &str| -> Option<usize> {
        let level = name.strip_prefix("heading")?.trim().parse().ok()?;
        (1..=9).contains(&level).then_some(level)
    };
    if !styles.contains_key(id) {
        return named(&id.to_lowercase());
    }
    inherited(styles, id, |style| style.outline.or_else(|| named(&style.name)))
}
