//! Lists and the labels of their items, which count on from list to list.

use super::super::lists::Counter;
use super::Page;
use crate::writer::tidy;
use crate::xml::Element;

/// An open list.
pub(super) struct Open<'a> {
    style: Option<&'a str>,
    counter: Counter,
}

impl<'a> Page<'a> {
    pub(super) fn list(&mut self, list: &'a Element, outer: Option<&mut Open<'a>>) {
        let style = list.attribute("style-name").filter(|name| !name.is_empty());
        let inherited = outer.as_ref().and_then(|outer| outer.style);
        let mut own = Open { style: style.or(inherited), counter: Counter::default() };
        // A nested list counts on the level below that of the list around it.
        let shared = outer.as_ref().is_some_and(|outer| style.is_none() || style == outer.style);
        let continued = list.attribute("continue-list");
        let goes_on = list.attribute("continue-numbering") == Some("true");
        if let Some(outer) = outer.as_ref().filter(|_| shared) {
            own.counter = outer.counter.clone();
        } else if let Some(before) = continued.and_then(|id| self.closed.get(id)) {
            own.counter = before.clone();
        } else if let Some(before) =
            own.style.filter(|_| goes_on).and_then(|name| self.closed.get(name))
        {
            own.counter = before.clone();
        }
        for item in list.elements() {
            let numbered = match &*item.name {
                "list-item" => true,
                "list-header" => false,
                _ => continue,
            };
            self.item(item, numbered, &mut own);
        }
        let names = [list.attribute("id"), own.style];
        for name in names.into_iter().flatten() {
            self.closed.insert(name, own.counter.clone());
        }
        if let Some(outer) = outer.filter(|_| shared) {
            outer.counter = own.counter;
        }
    }

    fn item(&mut self, item: &'a Element, numbered: bool, list: &mut Open<'a>) {
        let depth = self.depth;
        let first = item.elements().find(|it| matches!(&*it.name, "p" | "h" | "list" | "table"));
        // An item that only holds a deeper list has no label.
        // In the list of headings, a heading is numbered by its own level.
        let outline = list.style == Some("Outline");
        self.outlined = numbered && outline;
        let labelled = numbered && !outline && first.is_none_or(|first| &*first.name != "list");
        if labelled {
            let set = item.attribute("start-value").and_then(|it| it.parse().ok());
            let style = list.style.and_then(|name| self.styles.list(name));
            let counted =
                style.map(|style| list.counter.label(style, depth, set)).unwrap_or_default();
            let said = item.child("number").map(|it| tidy(&it.text()));
            self.label = Some(said.unwrap_or(counted));
        }
        self.depth += 1;
        for element in item.elements() {
            match &*element.name {
                "list" => self.list(element, Some(list)),
                "number" => {}
                _ => self.block(element),
            }
        }
        self.depth = depth;
        self.label = None;
        self.outlined = false;
    }
}
