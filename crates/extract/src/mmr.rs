//! Maximal marginal relevance.

/// Picks up to `limit` indices that are relevant and unlike each other (maximal marginal relevance), in the
/// order of picking.
///
/// Each step takes the index with the greatest `λ · relevance − (1 − λ) · similarity to the nearest one picked` (Carbonell
/// and Goldstein 1998, *The Use of MMR, Diversity-Based Reranking for Reordering Documents and Producing
/// Summaries*). `lambda` ranges from 0 (only novelty) to 1 (only relevance). `similarity` is called once for each index
/// and each one picked before it.
pub fn mmr(
    relevance: &[f64],
    similarity: impl Fn(usize, usize) -> f64,
    lambda: f64,
    limit: usize,
) -> Vec<usize> {
    let lambda = lambda.clamp(0.0, 1.0);
    let mut waiting: Vec<(usize, Option<f64>)> =
        (0..relevance.len()).map(|index| (index, None)).collect();
    let mut picked: Vec<usize> = Vec::new();
    while picked.len() < limit {
        if let Some(last) = picked.last() {
            for (index, nearest) in &mut waiting {
                let alike = similarity(*index, *last);
                *nearest = Some(nearest.map_or(alike, |before| before.max(alike)));
            }
        }
        let value = |(index, nearest): &(usize, Option<f64>)| {
            let value = lambda * relevance[*index] - (1.0 - lambda) * nearest.unwrap_or(0.0);
            if value.is_nan() { f64::NEG_INFINITY } else { value }
        };
        let places = 0..waiting.len();
        let best = places.reduce(|best, place| {
            if value(&waiting[place]) > value(&waiting[best]) { place } else { best }
        });
        let Some(best) = best else { break };
        picked.push(waiting.remove(best).0);
    }
    picked
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    // proves: C10
    #[test]
    fn a_repetition_is_picked_after_what_is_new() {
        let alike = |one: usize, other: usize| if one + other == 1 { 1.0 } else { 0.0 };
        assert_eq!(mmr(&[1.0, 0.9, 0.5], alike, 0.5, 9), [0, 2, 1]);
        assert_eq!(mmr(&[1.0, 0.9, 0.5], alike, 1.0, 2), [0, 1]);
        assert_eq!(mmr(&[0.5, f64::NAN, 0.5], |_, _| 0.0, 0.5, 9), [0, 2, 1]);
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        // proves: C10
        #[test]
        fn every_index_is_picked_once(relevance in prop::collection::vec(any::<f64>(), 0..9), alike in any::<f64>(), lambda in any::<f64>(), limit in 0..12_usize) {
            let mut picked = mmr(&relevance, |_, _| alike, lambda, limit);
            prop_assert_eq!(picked.len(), limit.min(relevance.len()));
            picked.sort_unstable();
            picked.dedup();
            prop_assert_eq!(picked.len(), limit.min(relevance.len()));
        }
    }
}
