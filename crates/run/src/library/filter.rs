//! The filter of a search: metadata that a document must have.

use std::collections::{BTreeMap, BTreeSet};

use text::fold_case;

/// The keys whose values are lists, with commas or semicolons between their items: those that readers write so, and their usual names
/// in the front matter of notes and pages. The value of any other is one: `Acme, Inc.`, `1,000`.
const LISTS: [&str; 16] = [
    "alias",
    "aliases",
    "author",
    "authors",
    "categories",
    "collections",
    "editor",
    "editors",
    "keywords",
    "labels",
    "links",
    "subjects",
    "tag",
    "tags",
    "to",
    "topics",
];

/// Metadata values that a document must have, whatever their case. Of a key that has a list, such as `tags`, one item is enough: `green`
/// passes a document with the tags `fruit, green`.
#[derive(Debug, Clone)]
pub struct Filter {
    wanted: Vec<(String, String)>,
}

impl Filter {
    /// Returns the filter; `None` if it lets everything pass.
    pub fn of(wanted: &BTreeMap<String, String>) -> Option<Filter> {
        let fold = |(key, value): (&String, &String)| (fold_case(key), fold_case(value.trim()));
        let wanted: Vec<(String, String)> = wanted.iter().map(fold).collect();
        (!wanted.is_empty()).then_some(Filter { wanted })
    }

    /// Returns whether a document with this metadata passes.
    pub fn passes(&self, metadata: &BTreeMap<String, String>) -> bool {
        self.wanted.iter().all(|(key, value)| {
            metadata.iter().any(|(of, found)| {
                fold_case(of) == *key
                    && (fold_case(found.trim()) == *value
                        || items(key, found).any(|one| fold_case(one) == *value))
            })
        })
    }
}

/// Returns the items of a value: itself, unless its key (folded) has lists.
fn items<'a>(key: &str, value: &'a str) -> impl Iterator<Item = &'a str> {
    let is_list = LISTS.contains(&key);
    value
        .split(move |c| is_list && matches!(c, ',' | ';'))
        .map(str::trim)
        .filter(|item| !item.is_empty())
}

/// The values of a filter's keys among the documents of a collection.
#[derive(Debug)]
pub struct Values {
    /// The keys as they were given, by their folded form.
    keys: BTreeMap<String, String>,
    seen: BTreeMap<String, BTreeSet<String>>,
}

impl Values {
    /// The values of a key that are told.
    const MOST: usize = 20;

    pub fn of(filter: &BTreeMap<String, String>) -> Values {
        let keys = filter.keys().map(|key| (fold_case(key), key.clone())).collect();
        let seen = filter.keys().map(|key| (key.clone(), BTreeSet::new())).collect();
        Values { keys, seen }
    }

    /// Takes the values of a document.
    pub fn take(&mut self, metadata: &BTreeMap<String, String>) {
        for (key, value) in metadata {
            let key = fold_case(key);
            let Some(seen) = self.keys.get(&key).and_then(|key| self.seen.get_mut(key)) else {
                continue;
            };
            seen.extend(items(&key, value).map(str::to_owned));
            while seen.len() > Values::MOST {
                seen.pop_last();
            }
        }
    }

    /// Returns the first values of each key, in order.
    pub fn told(self) -> BTreeMap<String, Vec<String>> {
        self.seen.into_iter().map(|(key, seen)| (key, seen.into_iter().collect())).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn metadata(tags: &str) -> BTreeMap<String, String> {
        BTreeMap::from([("tags".to_owned(), tags.to_owned())])
    }

    // proves: A6
    #[test]
    fn a_value_is_found_alone_and_in_a_list() {
        let filter = Filter::of(&BTreeMap::from([("Tags".into(), "GREEN".into())])).unwrap();
        for passes in ["green", "fruit, Green", "a; green; b", "fruit,green"] {
            assert!(filter.passes(&metadata(passes)), "{passes}");
        }
        for fails in ["", "greenish", "fruit green"] {
            assert!(!filter.passes(&metadata(fails)), "{fails}");
        }
        // A value with a comma is still found as a whole.
        let whole = Filter::of(&BTreeMap::from([("tags".into(), "Acme, Inc.".into())])).unwrap();
        assert!(whole.passes(&metadata("acme, inc.")));
        assert!(Filter::of(&BTreeMap::new()).is_none());
    }

    // proves: A6
    #[test]
    fn only_keys_of_lists_have_items() {
        let of = |key: &str, value: &str| BTreeMap::from([(key.to_owned(), value.to_owned())]);
        for (key, value, wanted, is_found) in [
            ("company", "Acme, Inc.", "Inc.", false),
            ("company", "Acme, Inc.", "acme, inc.", true),
            ("n", "1,000", "000", false),
            ("author", "Niko Tinbergen; Ada Gull", "ada gull", true),
            ("Keywords", "tide, gulls", "gulls", true),
        ] {
            let filter = Filter::of(&of(key, wanted)).unwrap();
            assert_eq!(filter.passes(&of(key, value)), is_found, "{key}={wanted}");
        }
        let mut values = Values::of(&of("company", "none"));
        values.take(&of("Company", "Acme, Inc."));
        assert_eq!(values.told()["company"], ["Acme, Inc."]);
    }
}
