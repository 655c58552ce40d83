//! Which claims of two results are the same claim.

use std::collections::{BTreeMap, BTreeSet};

use run::ledger::{Claim, without_marks};

use super::wording::{Wording, compare_numbers};
use super::{ClaimChange, ClaimChanges, ClaimState};

/// How close the wording of two claims is that are the same one, 0 to 1, at least.
const CLOSE: f64 = 0.6;

/// The most pairs of claims whose wording is compared.
const MOST_COMPARED: usize = 1_000_000;

/// A claim as it is compared.
struct Entry<'a> {
    claim: &'a Claim,
    /// Its text without marks, on one line.
    text: String,
}

/// Compares the claims of two results.
pub(super) fn compare(from: &[Claim], to: &[Claim], remarks: &mut Vec<String>) -> ClaimChanges {
    let [from, to] = [from, to].map(|claims| claims.iter().map(Entry::of).collect::<Vec<_>>());
    let mut pairs = pair_same_texts(&from, &to);
    let left_from = unpaired(from.len(), pairs.iter().map(|pair| pair.0));
    let left_to = unpaired(to.len(), pairs.iter().map(|pair| pair.1));
    pairs.extend(pair_close_texts((&from, &left_from), (&to, &left_to), remarks));
    pairs.sort_unstable_by_key(|pair| (pair.1, pair.0));

    let mut changes = ClaimChanges::default();
    for &(one, other) in &pairs {
        let (Some(one), Some(other)) = (from.get(one), to.get(other)) else { continue };
        let is_reworded = one.text != other.text;
        let has_other_verdict = one.claim.verdict != other.claim.verdict;
        if is_reworded || has_other_verdict {
            changes.changed.push(ClaimChange {
                from: one.state(),
                to: other.state(),
                is_reworded,
                has_other_verdict,
                numbers: compare_numbers(&one.text, &other.text),
            });
        } else {
            changes.same += 1;
        }
    }
    let states = |entries: &[Entry<'_>], left: Vec<usize>| -> Vec<ClaimState> {
        left.iter().filter_map(|index| entries.get(*index)).map(Entry::state).collect()
    };
    changes.went = states(&from, unpaired(from.len(), pairs.iter().map(|pair| pair.0)));
    changes.came = states(&to, unpaired(to.len(), pairs.iter().map(|pair| pair.1)));
    changes
}

/// Returns the places from 0 to `count` that are in no pair.
fn unpaired(count: usize, paired: impl Iterator<Item = usize>) -> Vec<usize> {
    let paired: BTreeSet<usize> = paired.collect();
    (0..count).filter(|place| !paired.contains(place)).collect()
}

impl Entry<'_> {
    fn of(claim: &Claim) -> Entry<'_> {
        let text = without_marks(&claim.text);
        Entry { claim, text: text.split_whitespace().collect::<Vec<_>>().join(" ") }
    }

    fn state(&self) -> ClaimState {
        let mut sources: Vec<String> = Vec::new();
        for citation in &self.claim.citations {
            if !sources.contains(&citation.source_uri) {
                sources.push(citation.source_uri.clone());
            }
        }
        ClaimState { text: self.text.clone(), verdict: self.claim.verdict, sources }
    }

    /// Returns what it cites, by address and by digest; an empty text for a claim that cites nothing.
    fn keys(&self) -> BTreeSet<&str> {
        let cited = self.claim.citations.iter();
        let cited = cited.flat_map(|one| [one.source_uri.as_str(), one.source_sha256.as_str()]);
        let keys: BTreeSet<&str> = cited.filter(|key| !key.is_empty()).collect();
        if keys.is_empty() { BTreeSet::from([""]) } else { keys }
    }
}

/// Pairs the claims with the same text; of several those with the same verdict first, else in order.
fn pair_same_texts(from: &[Entry<'_>], to: &[Entry<'_>]) -> Vec<(usize, usize)> {
    let mut by_text: BTreeMap<&str, (Vec<usize>, Vec<usize>)> = BTreeMap::new();
    for (index, entry) in from.iter().enumerate() {
        by_text.entry(&entry.text).or_default().0.push(index);
    }
    for (index, entry) in to.iter().enumerate() {
        by_text.entry(&entry.text).or_default().1.push(index);
    }
    let mut pairs = Vec::new();
    for (mut ours, mut theirs) in by_text.into_values() {
        ours.retain(|&one| {
            let verdict = from.get(one).map(|entry| entry.claim.verdict);
            let is_same =
                |&other: &usize| to.get(other).map(|entry| entry.claim.verdict) == verdict;
            let found = theirs.iter().position(is_same);
            pairs.extend(found.map(|place| (one, theirs.remove(place))));
            found.is_none()
        });
        pairs.extend(ours.into_iter().zip(theirs));
    }
    pairs
}

/// Pairs claims that cite the same source and are worded alike, the closest first.
fn pair_close_texts(
    (from, left_from): (&[Entry<'_>], &[usize]),
    (to, left_to): (&[Entry<'_>], &[usize]),
    remarks: &mut Vec<String>,
) -> Vec<(usize, usize)> {
    if left_from.len().saturating_mul(left_to.len()) > MOST_COMPARED {
        remarks.push(
            "Too many claims differ to compare their wording. Reworded claims are listed as gone and new.".into(),
        );
        return Vec::new();
    }
    let read = |entries: &[Entry<'_>], left: &[usize]| -> Vec<Wording> {
        let left = left.iter().filter_map(|index| entries.get(*index));
        left.map(|entry| Wording::of(&entry.text)).collect()
    };
    let (ours, theirs) = (read(from, left_from), read(to, left_to));
    let mut close = Vec::new();
    for (&one, wording) in left_from.iter().zip(&ours) {
        let keys = from.get(one).map(Entry::keys).unwrap_or_default();
        for (&other, other_wording) in left_to.iter().zip(&theirs) {
            let closeness = wording.closeness(other_wording);
            let shares = || to.get(other).is_some_and(|entry| !entry.keys().is_disjoint(&keys));
            if closeness >= CLOSE && shares() {
                close.push((closeness, one, other));
            }
        }
    }
    // The order is the same when the sides are exchanged, so that the pairs are, too.
    close.sort_by(|one, other| {
        let place = |pair: &(f64, usize, usize)| (pair.1 + pair.2, pair.1.abs_diff(pair.2));
        other.0.total_cmp(&one.0).then_with(|| place(one).cmp(&place(other)))
    });
    let (mut taken_from, mut taken_to) = (BTreeSet::new(), BTreeSet::new());
    close.retain(|&(_, one, other)| {
        let is_free = !taken_from.contains(&one) && !taken_to.contains(&other);
        if is_free {
            taken_from.insert(one);
            taken_to.insert(other);
        }
        is_free
    });
    close.into_iter().map(|(_, one, other)| (one, other)).collect()
}
