//! The bibliography: references in a citation style, and files for reference managers.
//!
//! A [`Paper`] becomes an [`Item`], the form in which citation styles know a work. Its texts are normalised, an archived style formats
//! them, and the errors of the style's engine are corrected. No model is involved: a reference says what the work's sources deposited.
//!
//! The reference of a retracted work ends in "(Retracted)", in every style. APA 7 (section 10.1, "Retracted journal article") has
//! "(Retraction published …)", but no source says when and where the retraction was published.

mod bibtex;
mod csl_json;
mod item;
mod normalise;
mod ris;
mod style;
mod tidy;
mod write;

use std::collections::HashMap;
use std::fmt;

use papers::Paper;
use run::sources::Bibliography;

pub use bibtex::bibtex;
pub use csl_json::csl_json;
pub use item::{Item, Name};
pub use ris::ris;
pub use style::{NoStyle, styles};

/// A citation style that formats references.
///
/// Names of journals and series stay as deposited. References begin with their text: numbering is up to the caller.
#[derive(Clone)]
pub struct Csl {
    style: style::Named,
}

impl Csl {
    /// Returns the archived style with that name; [`styles`] lists them all.
    pub fn named(style: &str) -> Result<Csl, NoStyle> {
        style::named(style).map(|style| Csl { style })
    }

    /// Returns the reference of each item, in order.
    ///
    /// If a style distinguishes works of the same authors and year, as APA does by "2020a" and "2020b", it does so among these items.
    /// Equal items are one work.
    pub fn items(&self, items: &[Item]) -> Vec<String> {
        if items.is_empty() {
            return Vec::new();
        }
        let items: Vec<Item> = items.iter().map(normalise::normalised).collect();
        let mut works: Vec<Item> = Vec::new();
        let mut known: HashMap<String, usize> = HashMap::new();
        let places: Vec<usize> = (items.into_iter())
            .map(|item| {
                let item = Item { id: String::new(), ..item };
                let key = serde_json::to_string(&item).unwrap_or_default();
                *known.entry(key).or_insert_with(|| {
                    works.push(item);
                    works.len() - 1
                })
            })
            .collect();
        let references = write::references(self.style.style(), &works);
        places.iter().filter_map(|place| references.get(*place).cloned()).collect()
    }
}

impl fmt::Debug for Csl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Csl").field("style", &self.style.name).finish()
    }
}

impl Bibliography for Csl {
    fn references(&self, works: &[&Paper]) -> Vec<String> {
        let items: Vec<Item> = works.iter().map(|work| Item::of(work, "")).collect();
        let references = self.items(&items).into_iter();
        references
            .zip(&items)
            .map(|(text, item)| write::without_lone_retrieved(text, item))
            .collect()
    }
}

#[cfg(all(test, feature = "recorded"))]
mod recorded;
#[cfg(test)]
mod tests;
