//! CSL-JSON, which Zotero and other reference managers read.

use papers::Paper;

use super::bibtex::keys;
use super::item::Item;

/// Returns papers as an indented list of CSL-JSON items; their ids are the keys from [`bibtex`](super::bibtex()).
pub fn csl_json(papers: &[Paper]) -> String {
    let items: Vec<Item> =
        papers.iter().zip(keys(papers)).map(|(paper, key)| Item::of(paper, &key)).collect();
    // An item holds only texts, lists and numbers, so serialising cannot fail.
    serde_json::to_string_pretty(&items).unwrap_or_default()
}
