//! CSL-JSON, which Zotero and other reference managers read.

use papers::Paper;

use super::bibtex::keys;
use super::item::Item;

/// Returns papers as a list of CSL-JSON items, on several lines; their ids are the keys that [`bibtex`](super::bibtex()) gives them.
pub fn csl_json(papers: &[Paper]) -> String {
    let items: Vec<Item> =
        papers.iter().zip(keys(papers)).map(|(paper, key)| Item::of(paper, &key)).collect();
    // Texts, lists and numbers are all that an item has, and JSON holds each of them.
    serde_json::to_string_pretty(&items).unwrap_or_default()
}
