//! What each setting means: the comments of the file of defaults.

use std::collections::BTreeMap;

use super::layers::DEFAULTS;

/// The settings that most people need.
pub(crate) const ESSENTIAL: [&str; 12] = [
    "models.main",
    "models.light",
    "models.base_url",
    "embedder.model",
    "sources.asked",
    "sources.contact",
    "sources.web.engine",
    "corpus.language",
    "budget.max_cost_usd",
    "profile",
    "data_dir",
    "server.listen",
];

/// Tables of the defaults that are no settings of their own.
const LAYERS: [&str; 2] = ["versions", "profiles"];

/// Returns the meaning of every setting that has a default, by its key.
///
/// A comment holds for the settings right below it, up to the next comment or an empty line. The comment of a table holds for those of its
/// settings that have none, and for those of the next table beside it.
pub(crate) fn read_meanings() -> BTreeMap<String, String> {
    let mut meanings = BTreeMap::new();
    let (mut table, mut of_table) = (String::new(), String::new());
    let (mut comment, mut group) = (String::new(), String::new());
    for line in DEFAULTS.lines() {
        if let Some(text) = line.strip_prefix('#') {
            if !comment.is_empty() {
                comment.push(' ');
            }
            comment.push_str(text.trim());
        } else if let Some(name) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
            if LAYERS.contains(&name.split('.').next().unwrap_or_default()) {
                break;
            }
            let parent = |name: &str| name.rsplit_once('.').map(|(parent, _)| parent.to_owned());
            let is_beside = parent(name).is_some() && parent(name) == parent(&table);
            if !comment.is_empty() || !is_beside {
                of_table = std::mem::take(&mut comment);
            }
            name.clone_into(&mut table);
            group.clear();
        } else if let Some((name, _)) = line.split_once(" = ") {
            if !comment.is_empty() {
                group = std::mem::take(&mut comment);
            }
            let meaning = if group.is_empty() { &of_table } else { &group };
            let key = if table.is_empty() { name.to_owned() } else { format!("{table}.{name}") };
            meanings.insert(key, meaning.clone());
        } else {
            comment.clear();
            group.clear();
        }
    }
    meanings
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Files, Layers};

    // proves: C8
    #[test]
    fn every_setting_has_a_meaning_and_every_meaning_is_of_a_setting() {
        let layers = Layers::read(&Files::default(), false, vec![]).unwrap();
        let keys: Vec<String> = layers.origins().into_iter().map(|origin| origin.key).collect();
        let meanings = read_meanings();
        for key in &keys {
            assert!(meanings.get(key).is_some_and(|text| text.len() > 12), "{key}: {meanings:#?}");
        }
        for key in meanings.keys().map(String::as_str).chain(ESSENTIAL) {
            assert!(keys.iter().any(|known| known == key), "{key}");
        }
        assert!(meanings["corpus.smallest_chunk_tokens"].starts_with("The shortest passage"));
        assert!(meanings["ask.report.standard.words"].starts_with("Longest report"));
    }
}
