//! Fuses several rankings into one.

use std::collections::HashMap;

use super::Scored;

/// The constant from the original paper; on training questions, values from 10 to 100 rank alike within 0.006.
pub const RRF_K: f64 = 60.0;

/// Fuses rankings of ids by reciprocal rank fusion.
///
/// A row's score is the sum, over the rankings, of `1 / (k + rank)`, with ranks from 1 (Cormack, Clarke and Büttcher 2009, *Reciprocal
/// Rank Fusion Outperforms Condorcet and Individual Rank Learning Methods*). The first `depth` rows of each ranking count. Returns the
/// best first, ties by id.
pub fn fuse(rankings: &[&[i64]], k: f64, depth: usize) -> Vec<Scored<f64>> {
    let mut scores: HashMap<i64, f64> = HashMap::new();
    for ranking in rankings {
        for (index, id) in ranking.iter().take(depth).enumerate() {
            *scores.entry(*id).or_default() += 1.0 / (k + index as f64 + 1.0);
        }
    }
    let mut fused: Vec<Scored<f64>> =
        scores.into_iter().map(|(id, score)| Scored { id, score }).collect();
    fused.sort_unstable_by(|a, b| b.score.total_cmp(&a.score).then(a.id.cmp(&b.id)));
    fused
}
