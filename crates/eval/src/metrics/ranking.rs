//! Quality of a ranking: recall, reciprocal rank and discounted cumulative gain, over the first `k` documents.
//!
//! A repeated document counts at its first position, and its repetitions take no rank. Grades are used directly as gains; a document with
//! grade 0 or none is not relevant. If no document is relevant, the result is `None`.
//!
//! ```
//! use std::collections::BTreeMap;
//! use eval::metrics::ranking;
//!
//! let relevant = BTreeMap::from([("tides.md".to_owned(), 2), ("moon.md".to_owned(), 1)]);
//! let ranked = ["waves.md", "tides.md"];
//! assert_eq!(ranking::recall(&ranked, &relevant, 10), Some(0.5));
//! assert_eq!(ranking::reciprocal_rank(&ranked, &relevant, 10), Some(0.5));
//! ```

use std::collections::{BTreeMap, HashSet};

/// Returns the share of the relevant documents that are among the first `k`, 0 to 1.
///
/// recall@k = |relevant among the first k| / |relevant|, even if more than `k` are relevant, as in BEIR and trec_eval.
pub fn recall<D: AsRef<str>>(
    ranked: &[D],
    relevant: &BTreeMap<String, u32>,
    k: usize,
) -> Option<f64> {
    let all = relevant.values().filter(|grade| **grade > 0).count();
    let found = gains(ranked, relevant, k).filter(|gain| *gain > 0).count();
    (all > 0).then(|| found as f64 / all as f64)
}

/// Returns 1 / the rank of the first relevant document, or 0 if none is among the first `k`.
///
/// Its mean over questions is MRR@k (Voorhees, "The TREC-8 question answering track report", 1999).
pub fn reciprocal_rank<D: AsRef<str>>(
    ranked: &[D],
    relevant: &BTreeMap<String, u32>,
    k: usize,
) -> Option<f64> {
    relevant.values().find(|grade| **grade > 0)?;
    let first = gains(ranked, relevant, k).position(|gain| gain > 0);
    Some(first.map_or(0.0, |place| 1.0 / (place + 1) as f64))
}

/// Returns the discounted cumulative gain as a share of that of the best possible ranking, 0 to 1.
///
/// nDCG@k = DCG@k / ideal DCG@k, where DCG@k is the sum of grade / log2(rank + 1) over the first `k` (Järvelin and Kekäläinen,
/// "Cumulated gain-based evaluation of IR techniques", ACM TOIS 20 (2002), 422-446, with the discount of trec_eval's `ndcg_cut`, which
/// starts at rank 2; the gain is the grade itself, not 2^grade - 1).
pub fn compute_ndcg<D: AsRef<str>>(
    ranked: &[D],
    relevant: &BTreeMap<String, u32>,
    k: usize,
) -> Option<f64> {
    let mut ideal: Vec<u32> = relevant.values().copied().collect();
    ideal.sort_unstable_by(|one, other| other.cmp(one));
    let best = discounted(ideal.into_iter().take(k));
    if k == 0 {
        return relevant.values().any(|grade| *grade > 0).then_some(0.0);
    }
    // Rounding may put the best ranking slightly above 1.
    (best > 0.0).then(|| (discounted(gains(ranked, relevant, k)) / best).min(1.0))
}

fn discounted(gains: impl Iterator<Item = u32>) -> f64 {
    gains.enumerate().map(|(place, gain)| f64::from(gain) / ((place + 2) as f64).log2()).sum()
}

/// Returns the grades of the first `k` documents, in their order.
fn gains<'r, D: AsRef<str>>(
    ranked: &'r [D],
    relevant: &'r BTreeMap<String, u32>,
    k: usize,
) -> impl Iterator<Item = u32> + 'r {
    let mut seen = HashSet::new();
    let once = ranked.iter().map(AsRef::as_ref).filter(move |name| seen.insert(*name));
    once.take(k).map(|name| relevant.get(name).copied().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn graded(grades: &[(&str, u32)]) -> BTreeMap<String, u32> {
        grades.iter().map(|(name, grade)| ((*name).to_owned(), *grade)).collect()
    }

    fn near(value: Option<f64>, expected: f64) -> bool {
        value.is_some_and(|value| (value - expected).abs() < 5e-5)
    }

    // proves: A8
    #[test]
    fn rankings_come_out_as_worked_by_hand() {
        let relevant = graded(&[("a", 3), ("b", 2), ("c", 3), ("d", 0), ("e", 1), ("f", 2)]);
        let ranked = ["a", "b", "c", "d", "e", "f"];
        // 3 + 2/1.58496 + 3/2 + 0 + 1/2.58496 + 2/2.80735 = 6.86113; ideal 3 + 3/1.58496 + 2/2 + 2/2.32193 + 1/2.58496 = 7.14100
        assert!(
            near(compute_ndcg(&ranked, &relevant, 6), 0.96081),
            "{:?}",
            compute_ndcg(&ranked, &relevant, 6)
        );
        // 3 + 2/1.58496 = 4.26186; ideal 3 + 3/1.58496 = 4.89279
        assert!(near(compute_ndcg(&ranked, &relevant, 2), 0.87105));
        assert_eq!(recall(&ranked, &relevant, 2), Some(0.4));
        assert_eq!(recall(&ranked, &relevant, 99), Some(1.0));
        let late = ["x", "d", "y", "e", "a"];
        assert_eq!(reciprocal_rank(&late, &relevant, 10), Some(0.25));
        assert_eq!(reciprocal_rank(&late, &relevant, 3), Some(0.0));
        // (1/2.32193 + 3/2.58496) / 7.14100
        assert!(near(compute_ndcg(&late, &relevant, 10), 0.22283));
        assert!(near(compute_ndcg(&["x", "a"], &graded(&[("a", 1)]), 10), 0.63093));
    }

    #[test]
    fn where_nothing_is_relevant_there_is_nothing_to_measure() {
        for relevant in [graded(&[]), graded(&[("a", 0)])] {
            assert_eq!(recall(&["a"], &relevant, 5), None);
            assert_eq!(reciprocal_rank(&["a"], &relevant, 5), None);
            assert_eq!(compute_ndcg(&["a"], &relevant, 5), None);
        }
        let relevant = graded(&[("a", 1)]);
        assert_eq!(compute_ndcg::<&str>(&[], &relevant, 5), Some(0.0));
        assert_eq!(compute_ndcg(&["a"], &relevant, 0), Some(0.0));
    }

    #[test]
    fn a_document_counts_where_it_stands_first() {
        let relevant = graded(&[("a", 1), ("b", 1)]);
        assert_eq!(compute_ndcg(&["a", "a", "b"], &relevant, 2), Some(1.0));
        assert_eq!(recall(&["a", "a", "b"], &relevant, 2), Some(1.0));
    }

    fn rankings() -> impl Strategy<Value = (Vec<String>, BTreeMap<String, u32>)> {
        let name = || prop::sample::select(('a'..='k').map(String::from).collect::<Vec<_>>());
        let ranked =
            prop::sample::subsequence(('a'..='k').map(String::from).collect::<Vec<_>>(), 0..=11);
        (ranked.prop_shuffle(), prop::collection::btree_map(name(), 0_u32..5, 1..8))
    }

    proptest! {
        // proves: A8
        #[test]
        fn figures_of_rankings_are_shares_and_grow_with_what_is_looked_at(
            (ranked, relevant) in rankings(),
            k in 1_usize..12,
        ) {
            for metric in [recall::<String>, reciprocal_rank::<String>] {
                if let (Some(less), Some(more)) = (metric(&ranked, &relevant, k), metric(&ranked, &relevant, k + 1)) {
                    prop_assert!((0.0..=1.0).contains(&less) && less <= more);
                }
            }
            if let Some(ndcg) = compute_ndcg(&ranked, &relevant, k) {
                prop_assert!((0.0..=1.0).contains(&ndcg));
            }
        }

        #[test]
        fn bringing_a_better_document_forward_never_lowers_a_figure(
            (ranked, relevant) in rankings(),
            k in 1_usize..12,
            place in 0_usize..10,
        ) {
            let grade = |at: usize| ranked.get(at).map(|name| relevant.get(name).copied().unwrap_or(0));
            if let (Some(before), Some(after)) = (grade(place), grade(place + 1)) && after >= before {
                let mut better = ranked.clone();
                better.swap(place, place + 1);
                for metric in [recall::<String>, reciprocal_rank::<String>, compute_ndcg::<String>] {
                    let (was, is) = (metric(&ranked, &relevant, k), metric(&better, &relevant, k));
                    prop_assert!(was.zip(is).is_none_or(|(was, is)| is >= was - 1e-12));
                }
            }
        }

        #[test]
        fn the_best_order_is_1_and_names_do_not_matter((ranked, relevant) in rankings(), k in 1_usize..12) {
            let mut best: Vec<(&String, &u32)> = relevant.iter().collect();
            best.sort_by_key(|(_, grade)| std::cmp::Reverse(**grade));
            let best: Vec<&String> = best.into_iter().map(|(name, _)| name).collect();
            prop_assert!(compute_ndcg(&best, &relevant, k).is_none_or(|ndcg| (ndcg - 1.0).abs() < 1e-12));
            // Reversed names change the order of the map.
            let other = |name: &String| name.chars().map(|c| char::from(b'a' + b'k' - c as u8)).collect::<String>();
            let renamed: Vec<String> = ranked.iter().map(other).collect();
            let same: BTreeMap<String, u32> = relevant.iter().map(|(name, grade)| (other(name), *grade)).collect();
            for metric in [recall::<String>, reciprocal_rank::<String>, compute_ndcg::<String>] {
                prop_assert_eq!(metric(&ranked, &relevant, k), metric(&renamed, &same, k));
            }
        }
    }
}
