//! The styles of an OpenDocument file, as far as they decide what is read: hidden text, titles and lists.

use std::collections::{HashMap, HashSet};

use crate::Script;
use crate::xml::{Element, Node};

use super::lists::ListStyle;

/// What styles say.
#[derive(Default)]
pub(super) struct Styles<'a> {
    /// The styles of text that is not shown.
    hidden: HashSet<&'a str>,
    /// Where the styles of raised and lowered text set it.
    scripts: HashMap<&'a str, Script>,
    /// The styles of bold text.
    bold: HashSet<&'a str>,
    /// Whether styles strike text through, as far as they say.
    struck: HashMap<&'a str, bool>,
    /// The style that a style is based on.
    parents: HashMap<&'a str, &'a str>,
    lists: HashMap<&'a str, ListStyle>,
    /// How headings are numbered.
    pub(super) outline: ListStyle,
    /// The list style of a paragraph style; empty for one that takes itself out of the outline's numbering.
    list_of: HashMap<&'a str, &'a str>,
}

impl<'a> Styles<'a> {
    /// Returns the styles in all parts of a file.
    pub(super) fn of(parts: &'a [Element]) -> Self {
        let mut found = Self::default();
        let groups = parts
            .iter()
            .flat_map(Element::elements)
            .filter(|it| matches!(&*it.name, "styles" | "automatic-styles"));
        for style in groups.flat_map(Element::elements) {
            match &*style.name {
                "style" => found.add(style),
                "list-style" => {
                    let name = style.attribute("name").unwrap_or_default();
                    found.lists.insert(name, ListStyle::of(style));
                }
                "outline-style" => found.outline = ListStyle::of(style),
                _ => {}
            }
        }
        found
    }

    fn add(&mut self, style: &'a Element) {
        let Some(name) = style.attribute("name") else { return };
        if let Some(parent) = style.attribute("parent-style-name") {
            self.parents.insert(name, parent);
        }
        if let Some(list) = style.attribute("list-style-name") {
            self.list_of.insert(name, list);
        }
        let of_text = style.elements().filter(|it| &*it.name == "text-properties");
        if of_text.clone().any(|it| it.attribute("font-weight") == Some("bold")) {
            self.bold.insert(name);
        }
        if let Some(place) = of_text.clone().find_map(|it| it.attribute("text-position")) {
            self.scripts.insert(name, script(place));
        }
        if let Some(is_struck) =
            of_text.into_iter().find_map(|it| line_through(|name| it.attribute(name)))
        {
            self.struck.insert(name, is_struck);
        }
        let mut own = style.elements();
        let hidden = own.any(|it| match &*it.name {
            "text-properties" | "section-properties" => it.attribute("display") == Some("none"),
            "drawing-page-properties" => it.attribute("visibility") == Some("hidden"),
            _ => false,
        });
        if hidden {
            self.hidden.insert(name);
        }
    }

    /// Returns what `ask` finds first along the chain of a style and its bases.
    fn inherited<T>(&self, name: &'a str, ask: impl Fn(&'a str) -> Option<T>) -> Option<T> {
        let mut name = name;
        for _ in 0..16 {
            if let Some(answer) = ask(name) {
                return Some(answer);
            }
            name = self.parents.get(name)?;
        }
        None
    }

    /// Returns whether `element` has a style that is not shown.
    pub(super) fn hide(&self, element: &'a Element) -> bool {
        let Some(style) = element.attribute("style-name") else { return false };
        self.inherited(style, |name| self.hidden.contains(name).then_some(())).is_some()
    }

    /// Returns whether all words in `element` are bold, or have the style of the heads of tables.
    pub(super) fn set_off(&self, element: &'a Element) -> bool {
        let is_own = |name: &str| name == "Table_20_Heading" || self.bold.contains(name);
        let style = element.attribute("style-name");
        let is_bold = matches!(&*element.name, "p" | "h" | "span")
            && style.is_some_and(|style| {
                self.inherited(style, |it| is_own(it).then_some(())).is_some()
            });
        is_bold
            || element.children.iter().all(|node| match node {
                Node::Text(words) => words.trim().is_empty(),
                Node::Element(within) => self.set_off(within),
            })
    }

    /// Returns where the style of a span sets its text; `None` if it does not say.
    pub(super) fn script(&self, span: &'a Element) -> Option<Script> {
        let style = span.attribute("style-name")?;
        self.inherited(style, |name| self.scripts.get(name).copied())
    }

    /// Returns whether the style of a span or paragraph strikes its text through; `None` if it does not say.
    pub(super) fn struck(&self, element: &'a Element) -> Option<bool> {
        let style = element.attribute("style-name")?;
        self.inherited(style, |name| self.struck.get(name).copied())
    }

    /// Returns whether a paragraph has the style of the document's title.
    pub(super) fn is_title(&self, paragraph: &'a Element) -> bool {
        let Some(style) = paragraph.attribute("style-name") else { return false };
        self.inherited(style, |name| (name == "Title").then_some(())).is_some()
    }

    pub(super) fn list(&self, name: &str) -> Option<&ListStyle> {
        self.lists.get(name)
    }

    /// Returns the list style that the style of a paragraph names.
    pub(super) fn list_of(&self, paragraph: &'a Element) -> Option<&'a str> {
        let style = paragraph.attribute("style-name")?;
        self.inherited(style, |name| self.list_of.get(name).copied())
    }
}

/// Returns whether properties of text, asked by their names, strike it through; `None` if they do not say.
pub(crate) fn line_through<V: AsRef<str>>(property: impl Fn(&str) -> Option<V>) -> Option<bool> {
    let names = ["text-line-through-type", "text-line-through-style"];
    let mut said = names.into_iter().filter_map(property).peekable();
    said.peek().is_some().then(|| said.any(|line| line.as_ref() != "none"))
}

/// Returns where text stands whose position is `place`: `super 58%`, `-33% 58%`.
pub(crate) fn script(place: &str) -> Script {
    match place.split(' ').next().unwrap_or_default() {
        "super" => Script::Super,
        "sub" => Script::Sub,
        raised => match raised.trim_end_matches('%').parse::<f64>() {
            Ok(percent) if percent > 0.0 => Script::Super,
            Ok(percent) if percent < 0.0 => Script::Sub,
            _ => Script::Line,
        },
    }
}
