//! The word overlap of texts.

use std::collections::{BTreeMap, BTreeSet};

/// Returns the cosine of the term counts of `a` and `b`, 0 (nothing in common, or one of them empty) to 1 (the
/// same words in the same proportions).
pub fn compute_cosine(a: &[String], b: &[String]) -> f64 {
    let (a, b) = (counts(a), counts(b));
    let dot: f64 = a
        .iter()
        .filter_map(|(term, count)| Some(f64::from(*count) * f64::from(*b.get(term)?)))
        .sum();
    let square = |counts: &BTreeMap<&str, u32>| {
        counts.values().map(|count| f64::from(*count).powi(2)).sum::<f64>()
    };
    if dot == 0.0 { 0.0 } else { (dot / (square(&a) * square(&b)).sqrt()).min(1.0) }
}

/// Returns the share, 0 to 1, of the weight of the query's terms that occur in the passages found.
///
/// Weights are IDF values; negative ones count as 0. The coverage of a query without weight is 0.
pub fn coverage(query: &[(String, f64)], found: &[Vec<String>]) -> f64 {
    share(query, found, |_, _| 0.0)
}

/// Returns the same share, where a term that does not occur counts for the share `otherwise` returns, 0 to 1.
pub(super) fn share(
    query: &[(String, f64)],
    found: &[Vec<String>],
    otherwise: impl Fn(&str, &BTreeSet<&str>) -> f64,
) -> f64 {
    let found: BTreeSet<&str> = found.iter().flatten().map(String::as_str).collect();
    let (mut covered, mut all) = (0.0, 0.0);
    for (term, weight) in query {
        let weight = weight.max(0.0);
        all += weight;
        covered +=
            if found.contains(term.as_str()) { weight } else { weight * otherwise(term, &found) };
    }
    if all > 0.0 && all.is_finite() { covered / all } else { 0.0 }
}

/// Returns how often each term occurs.
pub(super) fn counts(terms: &[String]) -> BTreeMap<&str, u32> {
    let mut counts = BTreeMap::new();
    for term in terms {
        *counts.entry(term.as_str()).or_insert(0_u32) += 1;
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::super::tests::{close, list};
    use super::*;

    // proves: C10
    #[test]
    fn cosine_and_coverage_are_shares() {
        close(
            &[
                compute_cosine(&list("a a b"), &list("a c")),
                compute_cosine(&list("a b"), &list("b a")),
                compute_cosine(&[], &list("a")),
            ],
            &[0.632_456, 1.0, 0.0],
        );
        let query = [("a".to_owned(), 1.0), ("b".to_owned(), 3.0), ("c".to_owned(), -1.0)];
        close(
            &[
                coverage(&query, &[list("b c"), list("b")]),
                coverage(&query, &[]),
                coverage(&[], &[list("a")]),
            ],
            &[0.75, 0.0, 0.0],
        );
    }
}
