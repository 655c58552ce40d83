//! The styles of a DOCX, as far as they decide what is read: headings, titles, lists and hidden text.

use std::collections::HashMap;

use crate::Script;
use crate::ooxml::is_on;
use crate::xml::Element;

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

/// Returns whether a run is struck through.
pub(super) fn is_struck(run: &Element) -> bool {
    let own = run.child("rPr");
    let has = |name| own.and_then(|own| own.child(name)).is_some_and(|it| is_on(Some(it)));
    has("strike") || has("dstrike")
}

/// Sets the words from `start` on between the marks of what is struck through, together with struck words before them.
pub(super) fn strike(words: &mut String, start: usize) {
    const MARK: &str = "~~";
    if !words.get(start..).is_some_and(|struck| struck.contains(char::is_alphanumeric)) {
        return;
    }
    match words.get(..start).and_then(|before| before.strip_suffix(MARK)) {
        Some(before) => words.replace_range(before.len()..start, ""),
        None => words.insert_str(start, MARK),
    }
    words.push_str(MARK);
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
