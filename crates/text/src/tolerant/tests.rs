use proptest::prelude::*;
use serde_json::json;

use super::*;

/// Replies as models write them, the JSON that was meant, and how it must have been read: as it is, repaired, or cut.
const MEANT: &[(Way, &str, &str)] = &[
    (Way::AsIs, r#"{"text": "a", "viable": true}"#, r#"{"text": "a", "viable": true}"#),
    (Way::AsIs, "\u{feff}{\"a\": 1}", r#"{"a": 1}"#),
    (Way::AsIs, "  \n\t{\"a\": 1}\n\n", r#"{"a": 1}"#),
    (Way::AsIs, "{\"a\": 1, \"a\": 1}", r#"{"a": 1}"#),
    (Way::AsIs, "[{\"q\": 1}, {\"q\": 2}]", r#"[{"q": 1}, {"q": 2}]"#),
    // fences
    (Way::AsIs, "```json\n{\"a\": 1}\n```", r#"{"a": 1}"#),
    (Way::AsIs, "```\n{\"a\": 1}\n```\n", r#"{"a": 1}"#),
    (Way::AsIs, "```JSON\r\n{\"a\": 1}\r\n```", r#"{"a": 1}"#),
    (Way::AsIs, "~~~json\n{\"a\": 1}\n~~~", r#"{"a": 1}"#),
    (Way::AsIs, "````json\n{\"a\": 1}\n````", r#"{"a": 1}"#),
    (Way::AsIs, "```json\n{\"a\": 1}", r#"{"a": 1}"#),
    (Way::AsIs, "```json {\"a\": 1} ```", r#"{"a": 1}"#),
    (Way::AsIs, "json\n{\"a\": 1}", r#"{"a": 1}"#),
    (Way::AsIs, "```json\n[1, 2]\n```", "[1, 2]"),
    (
        Way::AsIs,
        "Here you are:\n```json\n[{\"a\": 1}, {\"a\": 2}]\n```\nAnything else?",
        r#"[{"a": 1}, {"a": 2}]"#,
    ),
    (
        Way::AsIs,
        "```json\n{\"code\": \"```python\\nx = {}\\n```\"}\n```",
        r#"{"code": "```python\nx = {}\n```"}"#,
    ),
    // prose
    (Way::AsIs, "Sure! Here is the JSON:\n\n{\"a\": 1}", r#"{"a": 1}"#),
    (Way::AsIs, "{\"a\": 1}\n\nLet me know if you need more.", r#"{"a": 1}"#),
    (Way::AsIs, "As [1] and [2] say, the set {x : x > 0} is open: {\"a\": 1}.", r#"{"a": 1}"#),
    (Way::AsIs, "Since \\frac{a}{b} holds {see below}: {\"a\": 1}", r#"{"a": 1}"#),
    (Way::AsIs, "[1] supports it.\n{\"a\": 1}", r#"{"a": 1}"#),
    (Way::AsIs, "The list: [{\"a\": 1}]", r#"{"a": 1}"#),
    (Way::AsIs, "{\"a\": 1}\nAs I said:\n```json\n{\"a\":1}\n```", r#"{"a": 1}"#),
    (Way::AsIs, "{{\"a\": 1}}", r#"{"a": 1}"#),
    (Way::AsIs, "{\"a\": 1}}", r#"{"a": 1}"#),
    // reasoning
    (Way::AsIs, "<think>\nI could say {\"a\": 0}.\n</think>\n\n{\"a\": 1}", r#"{"a": 1}"#),
    (Way::AsIs, "<think></think>```json\n{\"a\": 1}\n```", r#"{"a": 1}"#),
    (Way::AsIs, "<THINKING>hm {</THINKING>{\"a\": 1}", r#"{"a": 1}"#),
    (Way::AsIs, "The user wants a. So be it.\n</think>\n{\"a\": 1}", r#"{"a": 1}"#),
    (Way::AsIs, "Perhaps {\"a\": 0}? No.\n</think>\n\n```json\n{\"a\": 1}\n```", r#"{"a": 1}"#),
    (Way::AsIs, "[THINK]first {\"a\": 0}[/THINK]{\"a\": 1}", r#"{"a": 1}"#),
    (Way::AsIs, "◁think▷so {\"a\": 0}◁/think▷{\"a\": 1}", r#"{"a": 1}"#),
    (
        Way::AsIs,
        "<|channel|>analysis<|message|>so {\"a\": 0}<|end|><|start|>assistant<|channel|>final<|message|>{\"a\": 1}",
        r#"{"a": 1}"#,
    ),
    (
        Way::Repaired,
        "Here: {\"a\": \"they write </think> a lot\",}",
        r#"{"a": "they write </think> a lot"}"#,
    ),
    // commas
    (Way::Repaired, "{\"a\": [1, 2,], \"b\": 3,}", r#"{"a": [1, 2], "b": 3}"#),
    (Way::Repaired, "{\"a\": \"x\"\n \"b\": 2}", r#"{"a": "x", "b": 2}"#),
    (Way::Repaired, "{\"a\": 1 \"b\": {\"c\": 2} \"d\": 3}", r#"{"a": 1, "b": {"c": 2}, "d": 3}"#),
    (Way::Repaired, "{\"a\": [{\"b\": 1} {\"b\": 2}]}", r#"{"a": [{"b": 1}, {"b": 2}]}"#),
    (Way::Repaired, "{\"a\": [\"x\"\n\"y\"]}", r#"{"a": ["x", "y"]}"#),
    // quotation marks
    (Way::Repaired, "{'a': 'b', 'c': [1, 'd']}", r#"{"a": "b", "c": [1, "d"]}"#),
    (
        Way::Repaired,
        "{a: 1, b_c: \"x\", $d: null, e-f: 2}",
        r#"{"a": 1, "b_c": "x", "$d": null, "e-f": 2}"#,
    ),
    (Way::Repaired, "{1: \"one\", 2: \"two\"}", r#"{"1": "one", "2": "two"}"#),
    (
        Way::Repaired,
        "{'a': 'it\\'s', 'b': \"it's\", 'c': 'say \"hi\"'}",
        r#"{"a": "it's", "b": "it's", "c": "say \"hi\""}"#,
    ),
    (Way::Repaired, "{'a': 'the dog's tail isn't long'}", r#"{"a": "the dog's tail isn't long"}"#),
    (Way::Repaired, "{“a”: “b”, “c”: “say “hi” to me”}", r#"{"a": "b", "c": "say “hi” to me"}"#),
    (Way::Repaired, "{‘a’: ‘don’t’}", r#"{"a": "don’t"}"#),
    (Way::AsIs, "So: {\"a\": \"“b” and ‘c’\"}", r#"{"a": "“b” and ‘c’"}"#),
    (
        Way::Repaired,
        "{\"code\": \"\"\"def f():\n    return \"x\"\n\"\"\"}",
        r#"{"code": "def f():\n    return \"x\"\n"}"#,
    ),
    (Way::Repaired, "{\"code\": `let x = \"y\";\n`}", r#"{"code": "let x = \"y\";\n"}"#),
    // literals and numbers
    (Way::Repaired, "{'a': True, 'b': False, 'c': None}", r#"{"a": true, "b": false, "c": null}"#),
    (
        Way::Repaired,
        "{\"a\": +1, \"b\": .5, \"c\": -.5, \"d\": 5.}",
        r#"{"a": 1, "b": 0.5, "c": -0.5, "d": 5}"#,
    ),
    (
        Way::AsIs,
        "x {\"a\": -0.25e-3, \"b\": 18446744073709551615}",
        r#"{"a": -0.25e-3, "b": 18446744073709551615}"#,
    ),
    // comments
    (Way::Repaired, "{\"a\": 1, // the first\n \"b\": /* two */ 2}", r#"{"a": 1, "b": 2}"#),
    (Way::Repaired, "{ # note\n \"a\": 1 # more {\"a\": 2}\n}", r#"{"a": 1}"#),
    (Way::AsIs, "See {\"url\": \"https://a.b/c#d\"}", r#"{"url": "https://a.b/c#d"}"#),
    // within a text
    (Way::Repaired, "{\"a\": \"line one\nline two\tend\"}", r#"{"a": "line one\nline two\tend"}"#),
    (
        Way::Repaired,
        r#"{"a": "\(x\) and \alpha, don\'t"}"#,
        r#"{"a": "\\(x\\) and \\alpha, don\\'t"}"#,
    ),
    (Way::Repaired, r#"{"a": "C:\Users\x41"}"#, r#"{"a": "C:\\Users\\x41"}"#),
    (Way::Repaired, r#"{"a": "\ud83d and \u12"}"#, r#"{"a": "\\ud83d and \\u12"}"#),
    (Way::AsIs, r#"x {"a": "\ud83d\ude00 \u00e9"}"#, r#"{"a": "😀 é"}"#),
    (Way::Repaired, r#""{\"a\": \"b\"}""#, r#"{"a": "b"}"#),
    // brackets
    (Way::Repaired, "{\"a\": [{\"b\": 1}, {\"b\": 2}}", r#"{"a": [{"b": 1}, {"b": 2}]}"#),
    (Way::Repaired, "```json\n{\"a\": [1, {\"b\": 2]\n}\n```", r#"{"a": [1, {"b": 2}]}"#),
    // cuts
    (Way::Cut, "{\"a\": \"the answer is fo", r#"{"a": "the answer is fo"}"#),
    (Way::Cut, "{\"a\": \"x\", \"b", r#"{"a": "x"}"#),
    (Way::Cut, "{\"a\": \"x\", \"b\"", r#"{"a": "x"}"#),
    (Way::Cut, "{\"a\": \"x\", \"b\":", r#"{"a": "x"}"#),
    (Way::Cut, "{\"a\": \"x\", \"b\": tr", r#"{"a": "x"}"#),
    (Way::Cut, "{\"a\": \"x\", \"score\": 1", r#"{"a": "x"}"#),
    (Way::Cut, "{\"a\": \"x\", \"score\": 1\n```", r#"{"a": "x", "score": 1}"#),
    (Way::Cut, "{\"a\": \"x\", \"b\": [1, 2, 3", r#"{"a": "x", "b": [1, 2]}"#),
    (
        Way::Cut,
        "{\"a\": \"x\", \"b\": [{\"c\": \"d\"}, {\"c\": \"e",
        r#"{"a": "x", "b": [{"c": "d"}, {"c": "e"}]}"#,
    ),
    (Way::Cut, "{\"a\": \"x\\", r#"{"a": "x"}"#),
    (Way::Cut, "{\"a\": \"x\\u00e", r#"{"a": "x"}"#),
    (Way::Cut, "{\"a\": \"x\\ud83d\\ude", r#"{"a": "x"}"#),
    (Way::Cut, "```json\n{\"a\": \"x\", \"b\": {\"c\": [", r#"{"a": "x", "b": {"c": []}}"#),
    (Way::Cut, "```json\n{\"a\": [1, 2\n```\nThat is all.", r#"{"a": [1, 2]}"#),
    (Way::Cut, "```json\n{\"a\":", "{}"),
    (Way::Cut, "[{\"a\": 1}, {\"a\": 2", r#"[{"a": 1}, {}]"#),
    (Way::Cut, "<think>x</think>{\"a\": true", r#"{"a": true}"#),
];

#[derive(Debug, Clone, Copy, PartialEq)]
enum Way {
    AsIs,
    Repaired,
    Cut,
}

// proves: C3
#[test]
fn what_a_model_meant_is_read_from_what_it_wrote() {
    for &(way, reply, meant) in MEANT {
        let read = read(reply).unwrap_or_else(|error| panic!("{reply}\n{error}"));
        assert_eq!(read.value, serde_json::from_str::<Value>(meant).unwrap(), "{reply}");
        assert_eq!(read.truncated, way == Way::Cut, "{reply}");
        assert!(
            way == Way::Cut || read.repaired == (way == Way::Repaired),
            "{reply}: repaired is {}",
            read.repaired
        );
    }
}

/// Replies that must be requested again, with words from the reason.
const REFUSED: &[(&str, &str)] = &[
    ("", "is empty"),
    (" \n\u{feff}\u{a0} ", "is empty"),
    (
        "I am sorry, I cannot do that.",
        "no JSON object stands in the reply, which begins \"I am sorry,",
    ),
    ("42", "no JSON object"),
    ("null", "no JSON object"),
    ("\"a text\"", "no JSON object"),
    ("\"\\\"twice\\\"\"", "no JSON object"),
    ("See [1] and [2, 3].", "no JSON object"),
    ("Numbers: [1, 2, 3]", "no JSON object"),
    ("<!DOCTYPE html>\n<html><script>{\"a\": 1}</script></html>", "HTML page"),
    ("<html><body>502 Bad Gateway</body></html>", "HTML page"),
    // two different objects: no choice is made
    ("{\"a\": 1}\n{\"a\": 2}", "2 JSON objects that differ"),
    (
        "The paper says {\"verdict\": \"accept\"}.\n```json\n{\"verdict\": \"reject\"}\n```",
        "2 JSON objects that differ",
    ),
    (
        "```json\n{\"verdict\": \"reject\"}\n```\nThe paper says {'verdict': 'accept'}",
        "2 JSON objects that differ",
    ),
    ("{\"a\": 1} {\"a\": 1} {\"a\": 2} {\"a\": 3}", "3 JSON objects that differ"),
    ("{\"a\": 1} and then {\"a\": \"cut", "2 JSON objects that differ"),
    ("Here: [{\"a\": 1}, {\"a\": 2}]", "2 JSON objects that differ"),
    ("{\"a\": 1}\nThe page reads </think>{\"a\": 2}", "2 JSON objects that differ"),
    ("I quote </think>{\"a\": 2} and mean </think>{\"a\": 1}", "2 JSON objects that differ"),
    ("Mine: {\"a\": 1}. It reads </think>{\"a\": 2}, as said.", "2 JSON objects that differ"),
    ("<think>it says </think>{\"a\": 2} so</think>{\"a\": 1}", "2 JSON objects that differ"),
    ("```json\n[1]\n```\n{\"a\": 1}", "2 JSON objects that differ"),
    ("<think>so {\"a\": 1} would", "no JSON object"),
    // the inside of a broken object is not the reply
    ("{\"a\": @, \"b\": {\"c\": 1}}", "column 7: a value belongs where '@' stands"),
    ("{\"a\": [{\"c\": 1}, @]}", "a value belongs where '@' stands"),
    ("[{\"c\": 1}, @]", "a value belongs where '@' stands"),
    ("{\"a\" {\"c\": 1}}", "the key \"a\" is not followed by a colon"),
    ("{'x', {'c': 1}}", "the key \"x\" is not followed by a colon"),
    ("{\"x {c:1} y", "ends before its first value"),
    ("{\"x {c:1} y\" @", "is not followed by a colon"),
    ("Well: {\"a\": yes} or {\"a\": 1}", "the value \"yes\" stands without quotation marks"),
    (
        "\"a\": 1, \"b\": {\"c\": 1}}",
        "line 1, column 1: the opening brace of the object is missing",
    ),
    ("```json\n\"a\": {\"c\": 1}\n}\n```", "the opening brace of the object is missing"),
    (
        "{\"a\": {\"c\": 1}}, \"b\": 2}",
        "column 15: the object is closed here, and goes on after it",
    ),
    // an ambiguous reply is rejected
    ("{\"a\": 1, \"a\": 2}", "line 1, column 10: the key \"a\" stands twice with different values"),
    ("{\"b\": {\"a\": 1, 'a': 2}}", "the key \"a\" stands twice"),
    ("{\"a\": NaN}", "NaN has no JSON value"),
    ("{\"a\": -Infinity}", "\"-Infinity\" is no number of JSON"),
    ("{\"a\": undefined}", "undefined has no JSON value"),
    ("{\"a\": 007}", "\"007\" is no number of JSON"),
    ("{\"a\": 12px}", "\"12px\" is no number of JSON"),
    ("{\"a\": 1e999}", "is no number of JSON"),
    ("{\"a\": [1 000]}", "a comma or a closing bracket belongs"),
    ("{\"a\": [\"x\" \"y\"]}", "a comma or a closing bracket belongs"),
    ("{\"a\": [1,, 2]}", "a value belongs where ',' stands"),
    ("{\"a\": [1, 2}, \"b\": 3}", "stands"),
    ("{\"a\": , \"b\": 1}", "a value belongs where ',' stands"),
    ("{\"a\": \"he said \"no\" to me\"}", "belongs where 'n' stands"),
    ("{\n  \"a\": \"he said \" \"no\" to me\"\n}", "line 2, column 18: after this value a comma"),
    ("{", "ends before its first value"),
    ("{\"a", "ends before its first value"),
];

// proves: C3
#[test]
fn what_cannot_be_read_in_one_way_only_is_refused() {
    for &(reply, reason) in REFUSED {
        match read(reply) {
            Ok(read) => panic!("{reply}\nread as {read:?}"),
            Err(error) => assert!(error.to_string().contains(reason), "{reply}\n{error}"),
        }
    }
}

// proves: C3
#[test]
fn deep_nesting_is_refused_and_does_no_harm() {
    for open in
        ["[", "{\"a\":", "{a:[", "{\"a\":[{'b':", "```\n[[", "x {\"a\": [[", "{", "{{\"a\":", "{a"]
    {
        let _ = read(&open.repeat(100_000));
    }
    assert_eq!(read(&"[".repeat(1000)), Err(Unreadable::TooDeep));
    assert_eq!(read(&"{\"a\":".repeat(1000)), Err(Unreadable::TooDeep));
    let deepest = format!("{}{}", "[".repeat(128), "]".repeat(128));
    assert!(read(&deepest).is_ok());
}

// proves: C3
#[test]
fn no_mark_repeated_makes_reading_slow() {
    let marks = [
        "{",
        "{{a",
        "{\"",
        "{'",
        "{“",
        "{„",
        "{a ",
        "{/*",
        "{//",
        "{#",
        "{a/*",
        "{a:",
        "{```",
        "{a```",
        "```\n[",
        "```\n[0 ",
        "```\n[1,“",
        "```\n[\"",
        "'",
        "\"",
        "\\",
        "{\"a\":'",
        "<think>",
        "<think></think>",
        "</think>",
        "◁",
        "[",
        "[1,",
        "]",
        "}",
        " ",
        "{}",
        "{\"a\":1}",
        "{x:x}",
        "{}}",
        "~~~",
        "` ",
        "{'a':' ",
        "{\"a\":\"\\ud83d",
        "\n```",
        "{a:0,",
        "[[]",
        "{'a':'b' ",
        "{},'",
        "{}, \"",
        "{},\u{201e}",
        "```\n\"",
        "{}   ",
    ];
    for mark in marks {
        for prefix in ["", "{\"a\":", "{\"a\": \"", "{'a': '", "[", "say ", "<think>"] {
            let _ = read(&format!("{prefix}{}", mark.repeat(20_000 / mark.len())));
        }
    }
}

// proves: C3
#[test]
fn an_eaten_backslash_is_pointed_at() {
    let value = read(r#"{"ok": "a\nb", "a/b": {"c~d": ["x", "\theta", {"e": "\frac"}]}, "n": 1}"#)
        .unwrap()
        .value;
    assert_eq!(suspicious_controls(&value), ["/a~1b/c~0d/1", "/a~1b/c~0d/2/e"]);
    assert_eq!(suspicious_controls(&json!("a\u{7f}")), [""]);
    assert!(suspicious_controls(&json!({"a": ["b", "c\nd"]})).is_empty());
}

fn any_text() -> impl Strategy<Value = String> {
    prop_oneof!["[a-z ]{0,8}", "[{}\\[\\]\"'`~:,\\\\/<>a1 \n\t“”‘’😀é#*-]{0,12}", any::<String>()]
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        any_text().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::btree_map(any_text(), inner, 0..5)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

fn any_object() -> impl Strategy<Value = Value> {
    prop::collection::btree_map(any_text(), any_json(), 1..5)
        .prop_map(|members| Value::Object(members.into_iter().collect()))
}

fn written(value: &Value, pretty: bool) -> String {
    if pretty { serde_json::to_string_pretty(value).unwrap() } else { value.to_string() }
}

/// Returns whether `part` holds only what `whole` says.
fn says_no_more(part: &Value, whole: &Value) -> bool {
    match (part, whole) {
        (Value::String(part), Value::String(whole)) => whole.starts_with(part.as_str()),
        (Value::Array(part), Value::Array(whole)) => {
            part.len() <= whole.len()
                && part.iter().zip(whole).all(|(part, whole)| says_no_more(part, whole))
        }
        (Value::Object(part), Value::Object(whole)) => part
            .iter()
            .all(|(key, part)| whole.get(key).is_some_and(|whole| says_no_more(part, whole))),
        _ => part == whole,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(400) })]

    // proves: C3
    #[test]
    fn any_json_reads_back_equal_from_its_wrapping(value in any_json(), pretty: bool, wrapping in 0..6_usize) {
        let text = written(&value, pretty);
        let reply = match wrapping {
            0 => text,
            1 => format!("```json\n{text}\n```"),
            2 => format!("Here you are, as [1] asks:\n\n~~~\n{text}\n~~~\nThat's all."),
            3 => format!("<think>or rather {{\"a\": 1}}</think>\n{text}"),
            4 => format!("```\n{text}"),
            _ => format!("\u{feff}\u{a0}{text}\n"),
        };
        match read(&reply) {
            // A bare string is not a reply, but may hold one.
            _ if value.is_string() => {}
            Ok(read) => prop_assert_eq!(read, Read { value, repaired: false, truncated: false }),
            Err(error) => prop_assert!(!matches!(value, Value::Object(_)) && (!value.is_array() || wrapping == 5), "{}\n{}", reply, error),
        }
    }

    // proves: C3
    #[test]
    fn the_mending_reader_agrees_with_the_strict_one(value in any_object(), pretty: bool) {
        let text = format!("Well: {}", written(&value, pretty));
        prop_assert_eq!(read(&text), Ok(Read { value, repaired: false, truncated: false }));
    }

    // proves: C3
    #[test]
    fn a_reply_cut_anywhere_says_no_more_than_the_whole(value in any_object(), pretty: bool, cut in any::<prop::sample::Index>()) {
        let text = written(&value, pretty);
        let cuts: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
        if let Ok(read) = read(&text[..*cut.get(&cuts)]) {
            prop_assert!(read.truncated);
            prop_assert!(says_no_more(&read.value, &value), "{}", read.value);
        }
    }

    // proves: C3
    #[test]
    fn a_changed_reply_never_panics(value in any_json(), changes in prop::collection::vec((any::<prop::sample::Index>(), 0..3_u8, any::<u8>()), 1..8)) {
        let mut bytes = written(&value, false).into_bytes();
        for (index, change, byte) in changes {
            let at = index.index(bytes.len() + 1);
            match change {
                0 => bytes.insert(at, byte),
                1 if at < bytes.len() => bytes[at] = byte,
                _ if at < bytes.len() => drop(bytes.remove(at)),
                _ => {}
            }
        }
        if let Ok(read) = read(&String::from_utf8_lossy(&bytes)) {
            suspicious_controls(&read.value);
        }
    }

    // proves: C3
    #[test]
    fn no_text_at_all_panics(text in any_text(), more: String) {
        let _ = read(&text);
        let _ = read(&format!("{{\"a\": {text}"));
        let _ = read(&format!("{{\"a\": \"{text}{more}"));
        let _ = read(&format!("{text}{{{more}"));
    }
}
