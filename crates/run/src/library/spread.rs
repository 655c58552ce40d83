//! Passages of several documents: one that has much to say does not take all places.

use std::collections::{HashMap, VecDeque};

use crate::evidence::Passage;

/// The passages of a document that come where their scores put them.
const AT_ONCE: usize = 2;
/// The share of a passage's score from which on one of another document goes before it, if it is the third of its document or later.
/// Below that, there is nothing else of use. Measured in `docs/decisions/retrieval.md`.
const OF_USE: f64 = 0.7;

/// Orders passages, best first, so that from the third on those of a document wait behind others of use; keeps the first `top_k`.
pub(super) fn spread(passages: Vec<Passage>, top_k: usize) -> Vec<Passage> {
    let mut taken: HashMap<String, usize> = HashMap::new();
    let mut order: Vec<Passage> = Vec::with_capacity(passages.len());
    let mut waiting: VecDeque<Passage> = VecDeque::new();
    for passage in passages {
        while let Some(first) = waiting.pop_front_if(|first| passage.score < first.score * OF_USE) {
            order.push(first);
        }
        let of_document = taken.entry(passage.place.document_id.clone()).or_default();
        *of_document += 1;
        if *of_document <= AT_ONCE {
            order.push(passage);
        } else {
            waiting.push_back(passage);
        }
    }
    order.extend(waiting);
    order.truncate(top_k);
    order
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::Place;

    fn passages(scores: &[(&str, f64)]) -> Vec<Passage> {
        let passage = |(document, score): &(&str, f64)| Passage {
            text: String::new(),
            source_uri: (*document).to_owned(),
            kind: Default::default(),
            chunk_id: String::new(),
            score: *score,
            metadata: Default::default(),
            work: None,
            place: Place {
                document_id: (*document).to_owned(),
                title: String::new(),
                section: String::new(),
                start: 0,
                end: 0,
                source_sha256: String::new(),
                pages: Vec::new(),
            },
        };
        scores.iter().map(passage).collect()
    }

    fn order(scores: &[(&str, f64)], top_k: usize) -> Vec<(String, f64)> {
        spread(passages(scores), top_k)
            .into_iter()
            .map(|passage| (passage.source_uri, passage.score))
            .collect()
    }

    // proves: A3
    #[test]
    fn one_document_does_not_take_all_places() {
        let scores = [("a", 9.0), ("a", 8.0), ("a", 7.0), ("a", 6.0), ("b", 5.5), ("c", 5.0)];
        let four = order(&scores, 4);
        assert_eq!(
            four,
            [("a".into(), 9.0), ("a".into(), 8.0), ("b".into(), 5.5), ("c".into(), 5.0)]
        );
    }

    // proves: A3
    #[test]
    fn it_does_where_there_is_nothing_else_of_use() {
        let scores = [("a", 9.0), ("a", 8.0), ("a", 7.0), ("a", 6.0), ("b", 2.0), ("c", 1.0)];
        let four: Vec<f64> = order(&scores, 4).into_iter().map(|(_, score)| score).collect();
        assert_eq!(four, [9.0, 8.0, 7.0, 6.0]);
        let alone = [("a", 3.0), ("a", 2.0), ("a", 1.0)];
        assert_eq!(order(&alone, 3).len(), 3);
    }
}
