//! The traces of all methods: one tree for each run, and nothing in it of what was asked, found and answered.

use std::collections::BTreeSet;

use run::Mode;
use run::entry::{Entry, Event};
use run::views::spans::{Attribute, Span, Texts, spans};
use serde_json::{Value, json};

use crate::{brief, deep, hijacked};

/// The logs of runs of all methods, some of them with texts that want to get everywhere.
fn logs() -> Vec<(&'static str, Vec<Entry>)> {
    let hijacked = ["ask", "market", "hypothesize", "debate"].map(|method| {
        let (texts, lies) = hijacked::poisoned(0);
        (method, hijacked::performed(method, texts, lies))
    });
    let by_rule = brief::performed(brief::QUESTION, Mode::Offline, &json!({}), |_| String::new());
    // The model of this one says nothing that is of use.
    let useless = brief::performed(brief::QUESTION, Mode::Model, &json!({}), |_| {
        "I would rather speak of the weather.".to_owned()
    });
    let others = [
        ("brief", by_rule),
        ("brief", useless),
        ("deep", deep::performed_by_a_planner()),
        ("report", deep::report::performed()),
    ];
    hijacked.into_iter().chain(others).collect()
}

const WITHHELD: Texts<'static> = Texts::Withheld { scopes: methods::SCOPES };

/// Collects the texts of a value that say something: not the names of steps, prompts and models.
fn collect(key: &str, value: &Value, texts: &mut BTreeSet<String>) {
    const NAMES: [&str; 9] =
        ["step", "stage", "prompt", "event", "model", "hash", "prompt_hash", "version", "method"];
    match value {
        Value::String(text) if !NAMES.contains(&key) => {
            texts.extend(Some(text.clone()).filter(|text| text.contains(' ') && text.len() > 12));
        }
        Value::Array(items) => items.iter().for_each(|item| collect(key, item, texts)),
        Value::Object(fields) => {
            fields.iter().for_each(|(key, value)| collect(key, value, texts));
        }
        _ => {}
    }
}

/// Returns everything that a collector would see of spans.
fn shown(spans: &[Span]) -> String {
    format!("{spans:?}").replace("\\\"", "\"")
}

// proves: F7
#[test]
fn no_trace_holds_a_text_of_its_run_whatever_the_method() {
    for (method, entries) in logs() {
        let mut texts = BTreeSet::new();
        for entry in &entries {
            collect("", &serde_json::to_value(entry).unwrap(), &mut texts);
        }
        assert!(texts.len() > 10, "{method}: {texts:?}");
        let trace = shown(&spans("r1", "local", &entries, WITHHELD));
        for text in &texts {
            // A sentence, and any three words of it in a row.
            let words: Vec<&str> = text.split_whitespace().collect();
            let parts = words.windows(3).map(|words| words.join(" "));
            for part in parts.chain([text.clone()]).filter(|part| part.len() > 12) {
                assert!(!trace.contains(&part), "{method}: '{part}' is in the trace");
            }
        }
        let whole = shown(&spans("r1", "local", &entries, Texts::Included));
        assert!(whole.len() > trace.len(), "{method}");
    }
}

// proves: F7
#[test]
fn scopes_are_shown_by_name_unless_a_planner_or_a_source_named_them() {
    let (mut named, mut missing) = (BTreeSet::new(), BTreeSet::new());
    for (method, entries) in logs() {
        let mut texts = BTreeSet::new();
        for entry in &entries {
            if let Event::Returned { value, .. } = &entry.event {
                texts.insert(value.to_string());
            }
        }
        for span in spans("r1", "local", &entries, Texts::Included) {
            let Some(Attribute::Text(step)) = span.attributes.get("quaestio.step") else {
                continue;
            };
            let mut scopes: Vec<&str> = step.split('/').collect();
            scopes.pop();
            for scope in scopes {
                let name = scope.trim_end_matches(|c: char| c.is_ascii_digit() || c == '-');
                if methods::SCOPES.contains(&name) {
                    named.insert(name.to_owned());
                    continue;
                }
                if !texts.iter().any(|text| text.contains(scope)) {
                    missing.insert(format!("{method}: {scope}"));
                }
            }
        }
    }
    assert!(missing.is_empty(), "methods::SCOPES lacks {missing:?}");
    assert!(named.len() > 15, "{named:?}");
}

// proves: F7
#[test]
fn every_trace_is_one_tree_whose_steps_and_calls_are_those_of_the_log() {
    for (method, entries) in logs() {
        let trace = spans("r1", "local", &entries, WITHHELD);
        let (root, below) = trace.split_first().unwrap();
        assert_eq!(root.parent, None);
        for span in below {
            let parent = trace.iter().find(|one| Some(one.span_id) == span.parent).unwrap();
            assert!(parent.start <= span.start && span.end <= parent.end, "{method}: {span:?}");
        }
        let steps: BTreeSet<&str> = entries
            .iter()
            .filter_map(|entry| match &entry.event {
                Event::Called { step, .. }
                | Event::Returned { step, .. }
                | Event::Failed { step, .. }
                | Event::Refused { step, .. } => Some(step.as_str()),
                _ => None,
            })
            .collect();
        let calls = entries.iter().filter(|entry| {
            matches!(&entry.event, Event::Called { asking: Some(asking), .. } if asking.model != "offline")
        });
        let count =
            |name: &str| below.iter().filter(|span| span.attributes.contains_key(name)).count();
        assert_eq!(count("quaestio.step"), steps.len(), "{method}");
        assert_eq!(count("gen_ai.request.model"), calls.count(), "{method}");
    }
}
