//! From the judgements of pairs to scores and ranks.
//!
//! A judge is shown every pair in both orders and states its preference in each dimension. Its records are normalised; what it left out
//! counts as a tie and is reported. Points become scores, and the ranks come with the differences that chance would explain.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::bradley_terry::{self, HIGHEST, LOWEST, Pair, score, steady};
use super::payload::{
    ByDimension, Comparison, Dimension, Interval, Leader, PairCoverage, PairwiseRecord,
    PositionBias, Ranking, Scores, Winner,
};

#[cfg(test)]
mod properties;
mod records;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod trials;

use records::turned;
pub(super) use records::{Call, Order, Record, asked, normalised};

/// The rules of the ranking.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rules {
    /// The weight of each dimension; only the proportions matter.
    pub weights: ByDimension<f64>,
    /// How often every pair is judged in each order.
    pub rounds: u32,
    /// Maximum probability of calling one best if the judge tosses a coin.
    pub alpha: f64,
    /// Draws of the bootstrap and of the randomisation test.
    pub resamples: u32,
}

/// Further rounds would cost more than they reveal.
const MOST_ROUNDS: u32 = 5;

impl Rules {
    /// Checks the rules; the error says what is wrong and which values are allowed.
    pub fn check(&self) -> Result<(), String> {
        let Rules { weights, rounds, alpha, resamples } = self;
        for dimension in Dimension::ALL {
            let weight = *weights.get(dimension);
            if !weight.is_finite() || weight < 0.0 {
                let name = dimension.name();
                return Err(format!("the weight of {name} is {weight}: give 0 or more"));
            }
        }
        if Dimension::ALL.iter().all(|dimension| *weights.get(*dimension) == 0.0) {
            return Err("all weights are 0: give one dimension at least a weight above 0".into());
        }
        if !(1..=MOST_ROUNDS).contains(rounds) {
            return Err(format!("rounds is {rounds}: give 1 to {MOST_ROUNDS}"));
        }
        if !(*alpha > 0.0 && *alpha <= 0.5) {
            return Err(format!("alpha is {alpha}: give more than 0 and at most 0.5"));
        }
        if !(100..=100_000).contains(resamples) {
            return Err(format!("resamples is {resamples}: give 100 to 100000"));
        }
        Ok(())
    }
}

/// The standing of a hypothesis.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Standing {
    pub id: String,
    /// From 1.
    pub rank: u32,
    pub scores: Scores,
    /// The range in which the overall score may lie if the judge were asked again.
    pub interval: Interval,
    /// Bradley-Terry: a natural logarithm; the mean over all is 0.
    pub strength: f64,
    pub record: PairwiseRecord,
}

/// Ranks the hypotheses, best first, and quantifies how reliable the ranks are.
///
/// Sorts by the overall score, then by strength, then in the order of `ids`; differences below 1e-9 are rounding errors and count as none.
/// Without hypotheses the leader has no id.
pub(super) fn rank(
    comparisons: &[Comparison],
    coverage: PairCoverage,
    ids: &[String],
    rules: &Rules,
) -> (Vec<Standing>, Ranking) {
    let n = ids.len();
    let weights = &rules.weights;
    let strengths = bradley_terry::fit_strengths(&tally_pairs(comparisons, ids, weights), n);
    let mut standings: Vec<Standing> = ids
        .iter()
        .zip(strengths)
        .map(|(id, strength)| {
            let scores = compute_scores(comparisons, id, weights);
            let interval = Interval { low: scores.overall, high: scores.overall };
            let record = build_record(comparisons, id);
            Standing { id: id.clone(), rank: 0, scores, interval, strength, record }
        })
        .collect();
    standings.sort_by(better);

    // From here on by rank, so that random draws do not depend on names or on the order of proposal.
    let ranked: Vec<String> = standings.iter().map(|standing| standing.id.clone()).collect();
    let pairs = tally_pairs(comparisons, &ranked, weights);
    let apart = bradley_terry::told_apart(&pairs, n, rules.alpha, rules.resamples);
    let intervals = bradley_terry::intervals(&pairs, n, rules.alpha, rules.resamples);
    for (index, (standing, interval)) in standings.iter_mut().zip(intervals).enumerate() {
        standing.rank = number(index + 1);
        let overall = standing.scores.overall;
        standing.interval =
            Interval { low: interval.low.min(overall), high: interval.high.max(overall) };
    }
    let named = |mut group: Vec<usize>| {
        group.sort_unstable();
        group.into_iter().filter_map(|index| ranked.get(index).cloned()).collect()
    };
    let ranking = Ranking {
        weights: rules.weights,
        rounds: comparisons.iter().map(|one| one.round).max().unwrap_or(1).max(1),
        pair_coverage: coverage,
        position_bias: position_bias(comparisons),
        alpha: rules.alpha,
        resamples: rules.resamples,
        critical_difference: apart.critical_difference,
        leader: Leader {
            hypothesis_id: ranked.first().cloned().unwrap_or_default(),
            p_value: apart.p_value,
            significant: apart.p_value <= rules.alpha,
        },
        groups: apart.groups.into_iter().map(named).collect(),
    };
    (standings, ranking)
}

fn better(one: &Standing, other: &Standing) -> Ordering {
    let by_score = steady(other.scores.overall).total_cmp(&steady(one.scores.overall));
    by_score.then(steady(other.strength).total_cmp(&steady(one.strength)))
}

/// Returns the scores of a hypothesis, each 1 (lost every judgement) to 5 (won every one).
///
/// In each dimension: 1 + 4 times its points, divided by the number of its judgements. A judgement gives the winner 1 point, or each one
/// half for a tie. A hypothesis without judgements has 3. Overall is the weighted mean; weights that are not above 0 count as 0, and if all
/// do, all dimensions weigh the same.
pub(super) fn compute_scores(
    comparisons: &[Comparison],
    id: &str,
    weights: &ByDimension<f64>,
) -> Scores {
    let record = build_record(comparisons, id);
    let judgements = record.comparisons.len() as f64;
    let by_dimension =
        ByDimension::of(|dimension| score(*record.points_by_dimension.get(dimension), judgements));
    let overall = mean(weights, |dimension| *by_dimension.get(dimension));
    Scores {
        novelty: by_dimension.novelty,
        plausibility: by_dimension.plausibility,
        testability: by_dimension.testability,
        impact: by_dimension.impact,
        grounding: by_dimension.grounding,
        overall: overall.clamp(LOWEST, HIGHEST),
    }
}

/// Returns the weighted mean over the dimensions.
fn mean(weights: &ByDimension<f64>, value: impl Fn(Dimension) -> f64) -> f64 {
    let usable = |weight: f64| if weight.is_finite() && weight > 0.0 { weight } else { 0.0 };
    let weights = Dimension::ALL.map(|dimension| usable(*weights.get(dimension)));
    let highest = weights.into_iter().fold(0.0, f64::max);
    // Scaled by the highest first, as the sum of huge weights is infinite.
    let weights = weights.map(|weight| if highest > 0.0 { weight / highest } else { 1.0 });
    let sum: f64 = weights.iter().sum();
    let weighed = Dimension::ALL.iter().zip(weights);
    weighed.map(|(dimension, weight)| weight * value(*dimension)).sum::<f64>() / sum
}

/// Returns the judgements of a hypothesis, with its wins and points.
fn build_record(comparisons: &[Comparison], id: &str) -> PairwiseRecord {
    let own =
        comparisons.iter().filter(|one| one.hypothesis_a_id == id || one.hypothesis_b_id == id);
    let own: Vec<Comparison> = own.cloned().collect();
    let points = |one: &Comparison, dimension| {
        let first = first_points(one.winner(dimension));
        if one.hypothesis_a_id == id { first } else { 1.0 - first }
    };
    PairwiseRecord {
        wins_by_dimension: ByDimension::of(|dimension| {
            number(own.iter().filter(|one| points(one, dimension) == 1.0).count())
        }),
        points_by_dimension: ByDimension::of(|dimension| {
            own.iter().map(|one| points(one, dimension)).sum()
        }),
        comparisons: own,
    }
}

/// Returns the points of the hypothesis that was shown first.
fn first_points(winner: Winner) -> f64 {
    match winner {
        Winner::A => 1.0,
        Winner::Tie => 0.5,
        Winner::B => 0.0,
    }
}

/// Returns the judgements of every two of the ids that were compared, in their order.
fn tally_pairs(
    comparisons: &[Comparison],
    ids: &[String],
    weights: &ByDimension<f64>,
) -> Vec<Pair> {
    let index = |id: &str| ids.iter().position(|one| one == id);
    let mut shares: BTreeMap<(usize, usize), Vec<f64>> = BTreeMap::new();
    for one in comparisons {
        let (a, b) = (index(&one.hypothesis_a_id), index(&one.hypothesis_b_id));
        let (Some(a), Some(b)) = (a, b) else { continue };
        let share = |points: fn(Winner) -> f64| mean(weights, |each| points(one.winner(each)));
        // The lower index first, so that the order within a record does not matter.
        let share =
            if a < b { share(first_points) } else { share(|winner| first_points(turned(winner))) };
        shares.entry((a.min(b), a.max(b))).or_default().push(share);
    }
    let pair = |((a, b), mut shares): ((usize, usize), Vec<f64>)| {
        // Sorted, so that the order of the comparisons does not affect rounding.
        shares.sort_by(f64::total_cmp);
        let judgements = shares.len() as f64;
        Pair { a, b, share: shares.iter().sum::<f64>() / judgements, judgements }
    };
    shares.into_iter().map(pair).collect()
}

/// Measures whether the judge favours the text that is shown first.
///
/// Unjudged comparisons are left out. A pair counts as reversed in a dimension if both orders have a winner and the winners differ; a tie
/// cannot be reversed.
fn position_bias(comparisons: &[Comparison]) -> PositionBias {
    let judged = || comparisons.iter().filter(|one| one.judged);
    let mut by_pair: BTreeMap<(u32, &str, &str), &Comparison> = BTreeMap::new();
    for one in judged() {
        by_pair.insert((one.round, &one.hypothesis_a_id, &one.hypothesis_b_id), one);
    }
    let mut bias = PositionBias::default();
    for ((round, a, b), one) in &by_pair {
        let Some(other) = by_pair.get(&(*round, *b, *a)).filter(|_| a < b) else { continue };
        for dimension in Dimension::ALL {
            bias.compared += 1;
            // The same letter in both orders means different hypotheses.
            let same = one.winner(dimension) == other.winner(dimension);
            bias.reversed += u32::from(same && one.winner(dimension) != Winner::Tie);
        }
    }
    let winners = || judged().flat_map(|one| Dimension::ALL.map(|each| one.winner(each)));
    let firsts = winners().filter(|winner| *winner == Winner::A).count() as f64;
    let decided = winners().filter(|winner| *winner != Winner::Tie).count() as f64;
    bias.first_won = if decided > 0.0 { firsts / decided } else { 0.5 };
    bias
}

fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
