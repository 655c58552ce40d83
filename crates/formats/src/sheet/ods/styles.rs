//! The styles of an ODS, as far as they decide what is read: hidden sheets, and text that is raised, lowered or struck through.

use std::collections::{HashMap, HashSet};

use quick_xml::events::BytesStart;

use super::super::stream::attribute;
use crate::Script;
use crate::odt::{line_through, script};

/// What styles say, by their names.
#[derive(Default)]
pub(super) struct Styles {
    /// The style whose properties are read.
    open: String,
    /// The table styles that hide their sheets.
    hiding: HashSet<String>,
    scripts: HashMap<String, Script>,
    struck: HashMap<String, bool>,
    /// The style that a style is based on.
    parents: HashMap<String, String>,
}

impl Styles {
    /// Follows the start of an element; those that are no styles are ignored.
    pub(super) fn follow(&mut self, start: &BytesStart) {
        match start.local_name().as_ref() {
            "style" => {
                self.open = attribute(start, "name").unwrap_or_default();
                let parent = attribute(start, "parent-style-name");
                self.parents.extend(parent.map(|parent| (self.open.clone(), parent)));
            }
            "default-style" => self.open.clear(),
            "table-properties" if attribute(start, "display").as_deref() == Some("false") => {
                self.hiding.insert(self.open.clone());
            }
            "text-properties" if !self.open.is_empty() => {
                let place = attribute(start, "text-position");
                self.scripts.extend(place.map(|place| (self.open.clone(), script(&place))));
                let is_struck = line_through(|name| attribute(start, name));
                self.struck.extend(is_struck.map(|is_struck| (self.open.clone(), is_struck)));
            }
            _ => {}
        }
    }

    pub(super) fn hides(&self, style: &str) -> bool {
        self.hiding.contains(style)
    }

    /// Returns where a style sets its text; `None` if it does not say.
    pub(super) fn script(&self, style: &str) -> Option<Script> {
        self.scripts.get(style).copied()
    }

    /// Returns whether a style strikes its text through; `None` if neither it nor one that it is based on says so.
    pub(super) fn struck(&self, style: &str) -> Option<bool> {
        let mut style = style;
        for _ in 0..16 {
            if let Some(is_struck) = self.struck.get(style) {
                return Some(*is_struck);
            }
            style = self.parents.get(style)?;
        }
        None
    }
}
