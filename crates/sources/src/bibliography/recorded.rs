//! Compares the references of recorded works with those of another engine.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde_json::Value;

use super::{Csl, Item};

/// Works whose reference differs from the expected one, and the style's rule that causes it.
///
/// The expected references have journal names in title case; ours keep them as deposited.
const DIFFERS: [(&str, &str); 2] = [
    ("e09_no_date", "source-website: container-title has text-case=\"title\": 'Example site'"),
    (
        "e20_hyphen_given",
        "source-serial: container-title has text-case=\"title\": 'Les Temps modernes'",
    ),
];

fn read<T: serde::de::DeserializeOwned>(name: &str) -> T {
    let folder = std::env::var("QUAESTIO_TEST_DATA").expect("QUAESTIO_TEST_DATA names the folder");
    let text = std::fs::read_to_string(PathBuf::from(folder).join("citations").join(name))
        .expect("it lies there");
    serde_json::from_str(&text).expect("it is what SOURCES.md says")
}

#[derive(serde::Deserialize)]
struct Expected {
    bib: String,
}

// proves: D3
#[test]
fn recorded_works_have_the_references_of_another_engine() {
    let items: Vec<Item> = read("items.json");
    let expected: BTreeMap<String, Expected> = read("apa7_expected.json");
    assert_eq!((items.len(), expected.len()), (68, 68));

    let style = Csl::named("apa").expect("there is one");
    let mut different = Vec::new();
    for item in &items {
        let reference = style.items(std::slice::from_ref(item)).remove(0);
        if reference != expected[&item.id].bib {
            different.push(item.id.as_str());
            println!("{}\n  ours     {reference}\n  expected {}", item.id, expected[&item.id].bib);
        }
    }
    assert_eq!(different, DIFFERS.map(|(id, _)| id), "{DIFFERS:#?}");
}

/// Mutates one place of a work: inserts another work's value, a piece of a text, or a text that looks like something else.
fn mutated(item: &mut Value, items: &[Value], next: &mut impl FnMut(usize) -> usize) {
    const TEXTS: [&str; 16] = [
        "",
        " ",
        "-",
        "--",
        "?",
        "\u{0}",
        "<i>",
        "\"'",
        "99999999999999999999",
        "-2147483648",
        "0",
        "²–x",
        "IV & 3, 7-",
        "é\u{301}",
        "de la",
        "{}",
    ];
    let Value::Object(fields) = item else { return };
    let keys: Vec<String> = fields.keys().cloned().collect();
    let key = keys[next(keys.len())].clone();
    let other = items[next(items.len())].as_object().expect("items are objects");
    let donor = other.values().nth(next(other.len())).expect("it has fields").clone();
    let value = fields.get_mut(&key).expect("it is one of the keys");
    match (next(5), value) {
        (0, value) => *value = donor,
        (1, value) => *value = Value::from(TEXTS[next(TEXTS.len())]),
        (2, Value::String(text)) => {
            let cut = text.char_indices().map(|(at, _)| at).nth(next(text.len().max(1)));
            text.insert_str(cut.unwrap_or(0), TEXTS[next(TEXTS.len())]);
        }
        (3, Value::Array(names)) if !names.is_empty() => {
            let name = next(names.len());
            mutated(&mut names[name], items, next);
        }
        (_, Value::String(text)) => {
            *text = text.chars().skip(next(8)).step_by(1 + next(2)).collect();
        }
        (_, value) => {
            *value = serde_json::json!({"date-parts": [[next(12_000), next(16), next(40)]]});
        }
    }
}

// proves: D3
#[test]
fn ten_thousand_mutations_of_recorded_works_have_references_of_one_line() {
    let items: Vec<Value> = read("items.json");
    let style = Csl::named("apa").expect("there is one");
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % below.max(1) as u64) as usize
    };
    for round in 0..10_000 {
        let mut item = items[round % items.len()].clone();
        for _ in 0..=next(4) {
            mutated(&mut item, &items, &mut next);
        }
        let read: Item = serde_json::from_value(item.clone()).expect("anything is read");
        let references = style.items(&[read]);
        let plain = |text: &String| !text.contains(|c: char| c.is_control());
        assert!(references.len() == 1 && references.iter().all(plain), "{item}");
    }
}
