//! What a reader sees for the marks of a result: one number for each source, a letter for each statement of it.

use std::collections::BTreeMap;

use render::Labels;
use serde_json::Value;

use super::{citations, cited_works, ledger};
use crate::entry::Entry;

/// A source as it is counted.
#[derive(PartialEq)]
enum Source<'a> {
    /// A work, under whatever address it was read, by its place among the references.
    Work(usize),
    /// A document or page.
    At(&'a str),
    /// A figure is its own source, as the report shows each by itself. So is what says of no source.
    Itself(u32),
}

/// Returns the labels of the citations of a run.
pub fn labels(entries: &[Entry]) -> Labels {
    let works = cited_works(entries);
    let shown = citations(ledger(entries));
    let shown = shown.iter().filter_map(|one| Some((one.number?, one.source_uri.as_str())));
    label(shown, works.iter().map(|work| work.numbers.clone()))
}

/// Returns the labels of the citations of a result, which need not carry them.
pub fn labels_of_result(result: &Value) -> Labels {
    let list = |key: &str| result.get(key).and_then(Value::as_array).into_iter().flatten();
    let read = |number: &Value| number.as_u64().and_then(|number| u32::try_from(number).ok());
    let shown = list("citations").filter_map(|citation| {
        let uri = citation.get("source_uri").and_then(Value::as_str).unwrap_or_default();
        Some((citation.get("number").and_then(read)?, uri))
    });
    let works = list("references").map(|reference| {
        let numbers = reference.get("numbers").and_then(Value::as_array);
        numbers.into_iter().flatten().filter_map(read).collect()
    });
    label(shown, works)
}

/// Returns labels of citations, each given as its number and its source's address. `works`: the numbers that cite each work.
fn label<'a>(
    shown: impl Iterator<Item = (u32, &'a str)>,
    works: impl Iterator<Item = Vec<u32>>,
) -> Labels {
    let mut work_of: BTreeMap<u32, usize> = BTreeMap::new();
    for (index, numbers) in works.enumerate() {
        for number in numbers {
            work_of.entry(number).or_insert(index);
        }
    }
    let shown: Vec<(u32, &str)> = shown.collect();
    let mut work_at: BTreeMap<&str, usize> = BTreeMap::new();
    for (number, uri) in &shown {
        if let Some(work) = work_of.get(number) {
            work_at.entry(uri).or_insert(*work);
        }
    }
    let find_source = |number: u32, uri: &'a str| {
        if uri.is_empty() || uri.starts_with("survey:") {
            return Source::Itself(number);
        }
        let work = work_of.get(&number).or_else(|| work_at.get(uri));
        work.map_or(Source::At(uri), |work| Source::Work(*work))
    };
    Labels::of(shown.into_iter().map(|(number, uri)| (number, find_source(number, uri))))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn find(labels: &Labels, numbers: impl IntoIterator<Item = u32>) -> Vec<String> {
        numbers.into_iter().map(|number| labels.find(number).to_string()).collect()
    }

    // proves: F3
    #[test]
    fn a_source_is_a_work_or_an_address_and_a_figure_is_one_by_itself() {
        let citation = |number: u32, uri: &str| json!({ "number": number, "source_uri": uri });
        let result = json!({
            "citations": [
                citation(1, "doi:10.1/a"), citation(2, "doc://notes/b.md"), citation(3, "https://arxiv.org/abs/1"),
                citation(4, "survey://W1/Q5"), citation(5, "survey://W1/Q5"), citation(6, "doc://notes/b.md"),
                citation(7, ""), citation(8, ""), citation(9, "doi:10.1/a"),
            ],
            // The same paper in a journal and on a server of preprints.
            "references": [{ "numbers": [1, 3] }],
        });
        assert_eq!(
            find(&labels_of_result(&result), 1..=9),
            ["1a", "2a", "1b", "3", "4", "2b", "5", "6", "1c"]
        );
        assert_eq!(find(&labels_of_result(&json!(null)), [3]), ["3"]);
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        // proves: F3
        #[test]
        fn numbers_and_labels_are_one_to_one_whatever_a_result_says(
            cited in prop::collection::btree_map(1..60_u32, 0..6_usize, 0..40),
            works in prop::collection::vec(prop::collection::vec(0..70_u32, 0..5), 0..4),
        ) {
            const SOURCES: [&str; 6] = ["doi:10.1/a", "https://a.example", "doc://a", "survey://a", "", "arxiv:1"];
            let citations: Vec<Value> = cited
                .iter()
                .map(|(number, source)| json!({ "number": number, "source_uri": SOURCES[*source] }))
                .collect();
            let works: Vec<Value> = works.iter().map(|numbers| json!({ "numbers": numbers })).collect();
            let result = json!({ "citations": citations, "references": works });
            let labels = labels_of_result(&result);
            let mut all = find(&labels, cited.keys().copied());
            all.sort();
            all.dedup();
            prop_assert_eq!(all.len(), cited.len());
        }
    }
}
