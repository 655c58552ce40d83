//! Canonical JSON (RFC 8785): one value, one text.
//!
//! Stored, hashed and compared JSON always has this form: keys in the order of their UTF-16 units, no white space, numbers as
//! ECMAScript writes them.

use std::io::Write as _;

use serde::Serialize;
use serde_json::{Map, Number, Value};

/// Integers beyond this one are not exact as RFC 8785's doubles.
const EXACT: u64 = 1 << 53;

/// Returns the canonical JSON of `value`.
pub fn canonical(value: &impl Serialize) -> Vec<u8> {
    let value = serde_json::to_value(value)
        .expect("our own types hold no map with keys that are not strings");
    let mut text = Vec::with_capacity(1_024);
    write(&value, &mut text);
    text
}

fn write(value: &Value, text: &mut Vec<u8>) {
    match value {
        Value::Null => text.extend_from_slice(b"null"),
        Value::Bool(true) => text.extend_from_slice(b"true"),
        Value::Bool(false) => text.extend_from_slice(b"false"),
        Value::Number(number) => write_number(number, text),
        Value::String(string) => write_string(string, text),
        Value::Array(items) => {
            text.push(b'[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    text.push(b',');
                }
                write(item, text);
            }
            text.push(b']');
        }
        Value::Object(fields) => write_object(fields, text),
    }
}

fn write_object(fields: &Map<String, Value>, text: &mut Vec<u8>) {
    // UTF-8 and UTF-16 order ASCII alike, and a map keeps its keys in UTF-8 order or in insertion order.
    if fields.keys().all(|key| key.is_ascii()) && fields.keys().is_sorted() {
        return write_fields(fields.iter(), text);
    }
    let mut fields: Vec<(&String, &Value)> = fields.iter().collect();
    fields.sort_unstable_by(|(a, _), (b, _)| a.encode_utf16().cmp(b.encode_utf16()));
    write_fields(fields.into_iter(), text);
}

fn write_fields<'a>(fields: impl Iterator<Item = (&'a String, &'a Value)>, text: &mut Vec<u8>) {
    text.push(b'{');
    for (index, (key, value)) in fields.enumerate() {
        if index > 0 {
            text.push(b',');
        }
        write_string(key, text);
        text.push(b':');
        write(value, text);
    }
    text.push(b'}');
}

fn write_string(string: &str, text: &mut Vec<u8>) {
    let is_plain = |byte: u8| byte >= b' ' && byte != b'"' && byte != b'\\';
    if string.bytes().all(is_plain) {
        text.push(b'"');
        text.extend_from_slice(string.as_bytes());
        return text.push(b'"');
    }
    // serde_json escapes exactly what RFC 8785 escapes, and in the same way.
    serde_json::to_writer(&mut *text, string).expect("a vector takes what is written to it");
}

fn write_number(number: &Number, text: &mut Vec<u8>) {
    let exact = number.as_u64().is_some_and(|n| n <= EXACT)
        || number.as_i64().is_some_and(|n| n.unsigned_abs() <= EXACT);
    if exact {
        write!(text, "{number}").expect("a vector takes what is written to it");
    } else if let Some(double) = number.as_f64() {
        text.extend_from_slice(ryu_js::Buffer::new().format(double).as_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn canonical_text(value: &Value) -> String {
        String::from_utf8(canonical(value)).unwrap()
    }

    // proves: C5
    #[test]
    fn the_examples_of_the_standard_come_out_as_it_prints_them() {
        let value = json!({
            "numbers": [333_333_333.333_333_3, 1e30, 4.50, 2e-3, 0.000_000_000_000_000_000_000_000_001],
            "string": "\u{20ac}$\u{f}\nA'B\"\\\\\"/",
            "literals": [null, true, false]
        });
        assert_eq!(
            canonical_text(&value),
            "{\"literals\":[null,true,false],\"numbers\":[333333333.3333333,1e+30,4.5,0.002,1e-27],\
             \"string\":\"\u{20ac}$\\u000f\\nA'B\\\"\\\\\\\\\\\"/\"}"
        );
        let keys = json!({"\u{20ac}": 1, "\r": 2, "\u{fb33}": 3, "1": 4, "\u{1f600}": 5, "\u{80}": 6, "\u{f6}": 7});
        assert_eq!(
            canonical_text(&keys),
            "{\"\\r\":2,\"1\":4,\"\u{80}\":6,\"\u{f6}\":7,\"\u{20ac}\":1,\"\u{1f600}\":5,\"\u{fb33}\":3}"
        );
    }

    fn any_json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            (-(1_i64 << 53)..(1_i64 << 53)).prop_map(Value::from),
            any::<f64>().prop_filter("finite", |n| n.is_finite()).prop_map(Value::from),
            any::<String>().prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 64, 6, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
                prop::collection::btree_map(any::<String>(), inner, 0..6)
                    .prop_map(|fields| Value::from(Map::from_iter(fields))),
            ]
        })
    }

    proptest! {
        #[test]
        fn a_library_for_the_standard_says_the_same(value in any_json()) {
            let expected = serde_json_canonicalizer::to_string(&value).unwrap();
            prop_assert_eq!(canonical_text(&value), expected);
        }

        #[test]
        fn canonical_text_reads_back_to_the_same_text(value in any_json()) {
            let once = canonical_text(&value);
            let read: Value = serde_json::from_str(&once).unwrap();
            prop_assert_eq!(canonical_text(&read), once);
        }
    }
}
