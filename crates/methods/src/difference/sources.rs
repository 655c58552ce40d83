//! Which sources two results cite.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::{Side, SourceChange, SourceChanges, SourceState};
use crate::report::{list, text};

/// A source that a result cites.
struct Cited<'a> {
    title: &'a str,
    digests: BTreeSet<&'a str>,
}

/// Compares the sources that two results cite. A source is told by its address; one with the same text at another address is the same.
pub(super) fn compare(from: &Side<'_>, to: &Side<'_>) -> SourceChanges {
    let (mut ours, mut theirs) = (collect(from), collect(to));
    let mut changes = SourceChanges::default();
    theirs.retain(|uri, source| {
        let Some(earlier) = ours.remove(uri) else { return true };
        if earlier.digests.is_disjoint(&source.digests) {
            changes.changed.push(SourceChange {
                source_uri: (*uri).to_owned(),
                title: source.title.to_owned(),
                from: join(&earlier.digests),
                to: join(&source.digests),
            });
        } else {
            changes.same += 1;
        }
        false
    });
    theirs.retain(|_, source| {
        let moved = ours.iter().find(|(_, earlier)| earlier.digests == source.digests);
        let moved = moved.map(|(uri, _)| *uri);
        changes.same += u64::from(moved.is_some());
        moved.is_none_or(|uri| ours.remove(uri).is_none())
    });
    changes.went = ours.iter().map(state).collect();
    changes.came = theirs.iter().map(state).collect();
    changes
}

fn state((uri, source): (&&str, &Cited<'_>)) -> SourceState {
    SourceState { source_uri: (*uri).to_owned(), title: source.title.to_owned() }
}

fn join(digests: &BTreeSet<&str>) -> String {
    Vec::from_iter(digests.iter().copied()).join(", ")
}

/// Returns the sources by address: those that the result cites, and those that its other claims cite.
fn collect<'a>(side: &Side<'a>) -> BTreeMap<&'a str, Cited<'a>> {
    let claims = side.result.pointer("/deliverable/claims").and_then(Value::as_array);
    let claimed = claims.into_iter().flatten().flat_map(|claim| list(claim, "citations"));
    let mut cited: BTreeMap<&'a str, Cited<'a>> = BTreeMap::new();
    for citation in list(side.result, "citations").iter().chain(claimed) {
        let fresh = || Cited { title: text(citation, "title"), digests: BTreeSet::new() };
        let source = cited.entry(side.address(text(citation, "source_uri"))).or_insert_with(fresh);
        source.digests.insert(text(citation, "source_sha256"));
    }
    cited
}
