//! What two runs were asked, and what they were started with.

use std::collections::{BTreeMap, BTreeSet};

use run::library::of_run;
use serde_json::{Value, json};

use super::{Change, Origin, Side};

/// Compares question, method, version, models and settings. What only a log says is compared where both sides have one.
pub(super) fn compare(from: &Side<'_>, to: &Side<'_>, remarks: &mut Vec<String>) -> Vec<Change> {
    let mut changes = Vec::new();
    let mut put = |what: &str, from: Value, to: Value| {
        if from != to {
            changes.push(Change { what: what.to_owned(), from, to });
        }
    };
    for key in ["question", "method", "strategy", "status", "mode"] {
        let value = |side: &Side<'_>| side.result.get(key).cloned().unwrap_or_default();
        put(key, value(from), value(to));
    }
    let models = |side: &Side<'_>| leaves("models", side.result.get("models"));
    compare_leaves(&models(from), &models(to), &mut put);
    match (from.origin, to.origin) {
        (Some(earlier), Some(later)) => {
            put("method version", json!(earlier.version), json!(later.version));
            let has_same_method = from.text("method") == to.text("method");
            let settings =
                |side: &Side<'_>, origin| collect_settings(side, origin, has_same_method);
            compare_leaves(&settings(from, earlier), &settings(to, later), &mut put);
        }
        (None, None) => {}
        _ => remarks.push(
            "Settings and method versions were not compared: a result file does not contain them."
                .into(),
        ),
    }
    changes
}

fn compare_leaves(
    from: &BTreeMap<String, Value>,
    to: &BTreeMap<String, Value>,
    put: &mut impl FnMut(&str, Value, Value),
) {
    let keys: BTreeSet<&String> = from.keys().chain(to.keys()).collect();
    for key in keys {
        let value = |side: &BTreeMap<String, Value>| side.get(key).cloned().unwrap_or_default();
        put(key, value(from), value(to));
    }
}

/// Returns the settings of a run by key, without what its result says, and, if `has_own` is set, with its method's own.
fn collect_settings(side: &Side<'_>, origin: Origin<'_>, has_own: bool) -> BTreeMap<String, Value> {
    let mut settings = json!(origin.settings);
    let mut options = Value::Null;
    if let Some(settings) = settings.as_object_mut() {
        settings.remove("models");
        options = settings.remove("options").unwrap_or_default();
    }
    let mut found = leaves("", Some(&settings));
    if has_own {
        // The rules of a method are what the configuration says of it.
        let rules = options.as_object_mut().and_then(|options| {
            options.remove("strategy");
            options.remove("rules")
        });
        found.extend(leaves(side.text("method"), Some(&options)));
        found.extend(leaves(side.text("method"), rules.as_ref()));
    }
    // What was read for a run alone has the name of the run, which is always another one.
    let own = Value::from(of_run(side.text("run_id")));
    for value in found.values_mut().filter(|value| **value == own) {
        *value = Value::from("the run's own");
    }
    found
}

/// Returns the values of an object that are no objects, each by the path of its keys.
fn leaves(at: &str, value: Option<&Value>) -> BTreeMap<String, Value> {
    let mut found = BTreeMap::new();
    let mut open: Vec<(String, &Value)> =
        value.map(|value| (at.to_owned(), value)).into_iter().collect();
    while let Some((at, value)) = open.pop() {
        match value {
            Value::Object(fields) => open.extend(fields.iter().map(|(key, value)| {
                let path = if at.is_empty() { key.clone() } else { format!("{at}.{key}") };
                (path, value)
            })),
            // A field that is absent is as one that is null.
            Value::Null => {}
            leaf => drop(found.insert(at, leaf.clone())),
        }
    }
    found
}
