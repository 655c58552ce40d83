//! Rebuilds an abstract from the index of its words: `{"Large": [0], "models": [2, 7], …}`.

use serde_json::{Map, Value};

/// The most words of an abstract; words at later positions are cut, so that an index cannot demand unlimited memory.
const WORDS: usize = 20_000;
/// The most bytes of an abstract, since a long word may occur in many places.
const BYTES: usize = 1 << 20;

/// Puts the words in order; returns `None` if there are none. A position without a word is skipped, and of two words at one position the
/// first is used.
pub(super) fn rebuilt(index: &Map<String, Value>) -> Option<String> {
    let mut places: Vec<(u64, &str)> = Vec::new();
    for (word, at) in index {
        let numbers = at.as_array().map_or(&[][..], Vec::as_slice).iter().filter_map(Value::as_u64);
        let within = numbers.filter(|at| *at < WORDS as u64).take(WORDS);
        places.extend(within.map(|at| (at, word.as_str())));
    }
    places.sort_unstable();
    places.dedup_by_key(|(at, _)| *at);
    let mut text = String::new();
    for (_, word) in places {
        if text.len() + word.len() > BYTES {
            break;
        }
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(word);
    }
    Some(text).filter(|text| !text.trim().is_empty())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn of(index: &Value) -> Option<String> {
        rebuilt(index.as_object().unwrap())
    }

    #[test]
    fn words_stand_where_the_index_puts_them() {
        let index = json!({"the": [2, 0], "end,": [3], "beginning": [1], "fin": [9]});
        assert_eq!(of(&index).as_deref(), Some("the beginning the end, fin"));
        assert_eq!(of(&json!({})), None);
        assert_eq!(of(&json!({"a": "0", "b": [null, -1, 1.5, "x", {}], "c": {}})), None);
    }

    #[test]
    fn a_hostile_index_asks_for_no_memory() {
        let far = json!({"a": [0], "b": [1_u64 << 40], "c": [u64::MAX]});
        assert_eq!(of(&far).as_deref(), Some("a"));
        let long = "x".repeat(100_000);
        let places: Vec<u32> = (0..20_000).collect();
        let many = json!({ long: places });
        assert!(of(&many).unwrap().len() <= BYTES + WORDS);
    }

    proptest! {
        #[test]
        fn an_abstract_comes_back_from_its_index(words in prop::collection::vec("[a-z<>,.]{1,4}", 1..60)) {
            let mut index = Map::new();
            for (at, word) in words.iter().enumerate() {
                let places = index.entry(word.clone()).or_insert_with(|| json!([]));
                places.as_array_mut().unwrap().push(json!(at));
            }
            prop_assert_eq!(rebuilt(&index), Some(words.join(" ")));
        }
    }
}
