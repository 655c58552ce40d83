//! The fate of every field that a service sends: a table, and a check of it.

use std::collections::BTreeSet;

use serde_json::Value;

/// The fate of a field.
pub(crate) enum Fate {
    /// It is kept in this field of the paper or hit.
    Kept(&'static str),
    /// It is kept in this field unless the predicate holds for the item, for this reason.
    KeptUnless(&'static str, fn(&Value) -> bool, &'static str),
    /// It is dropped, for this reason.
    Dropped(&'static str),
}

/// Paths of fields, such as `authors[].name`, with their fates; `affiliations.*` covers everything below it.
pub(crate) type Table = &'static [(&'static str, Fate)];

/// Checks that the table lists every field of `item`, and that every kept, non-empty field is in `read`, which was parsed from it.
/// Returns the rows that were met.
pub(crate) fn check(table: Table, item: &Value, read: &Value) -> BTreeSet<&'static str> {
    let mut met = BTreeSet::new();
    for (path, value) in leaves(item) {
        let row = table.iter().find(|(known, _)| speaks_of(known, &path));
        let Some((known, fate)) = row else {
            let above = [".", "["].map(|sign| format!("{path}{sign}"));
            let opened = |row: &&str| above.iter().any(|above| row.starts_with(above));
            let none = table.iter().map(|(known, _)| known).find(|known| opened(known));
            assert!(is_empty(value) && none.is_some(), "the table does not know {path}: {value}");
            continue;
        };
        met.insert(*known);
        let (field, why_not) = match fate {
            Fate::Kept(field) => (*field, ""),
            Fate::KeptUnless(field, unless, why) => (*field, if unless(item) { *why } else { "" }),
            Fate::Dropped(why) => {
                assert!(why.len() > 10, "{known} is dropped without a reason");
                continue;
            }
        };
        if is_empty(value) || !why_not.is_empty() {
            continue;
        }
        let kept = read.pointer(&format!("/{}", field.replace('.', "/")));
        let lost = kept.is_none_or(|kept| is_empty(kept) || kept == "other");
        assert!(!lost, "{path} is lost: {value} is not in {field} of {read}");
    }
    met
}

/// Returns the rows of a table that were not met.
pub(crate) fn unmet(table: Table, met: &BTreeSet<&'static str>) -> Vec<&'static str> {
    table.iter().map(|(known, _)| *known).filter(|known| !met.contains(known)).collect()
}

fn speaks_of(known: &str, path: &str) -> bool {
    match known.strip_suffix(".*") {
        Some(above) => path
            .strip_prefix(above)
            .is_some_and(|below| below.is_empty() || below.starts_with(['.', '['])),
        None => known == path,
    }
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.trim().is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(members) => members.is_empty(),
        _ => false,
    }
}

/// Returns every leaf value with its path.
fn leaves(value: &Value) -> Vec<(String, &Value)> {
    fn walk<'a>(path: &str, value: &'a Value, found: &mut Vec<(String, &'a Value)>) {
        match value {
            Value::Array(items) if !items.is_empty() => {
                items.iter().for_each(|item| walk(&format!("{path}[]"), item, found));
            }
            Value::Object(members) if !members.is_empty() => {
                for (name, member) in members {
                    let below =
                        if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
                    walk(&below, member, found);
                }
            }
            _ if path.is_empty() && is_empty(value) => {}
            _ => found.push((path.to_owned(), value)),
        }
    }
    let mut found = Vec::new();
    walk("", value, &mut found);
    found
}

#[test]
#[should_panic(expected = "the table does not know b.c")]
fn a_field_that_the_table_lacks_is_noticed() {
    check(
        &[("a", Fate::Dropped("of no use here"))],
        &serde_json::json!({"a": 1, "b": {"c": 2}}),
        &Value::Null,
    );
}

#[test]
#[should_panic(expected = "a is lost")]
fn a_field_that_is_lost_is_noticed() {
    check(
        &[("a", Fate::Kept("title"))],
        &serde_json::json!({"a": "x"}),
        &serde_json::json!({"title": ""}),
    );
}
