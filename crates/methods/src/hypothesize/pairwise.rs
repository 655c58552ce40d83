//! From the judgements of pairs to scores and ranks.
//!
//! A judge is shown every pair in both orders and says, dimension by dimension, which one it prefers. What it
//! wrote is put in order, what it left out is a tie and reported; points become scores, and what chance
//! would explain is said beside the ranks.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

use super::bradley_terry::{self, Judgement};
use super::payload::{
    ByDimension, Comparison, Dimension, Interval, Leader, MissingPair, PairCoverage,
    PairwiseRecord, PositionBias, Ranking, Scores, Winner,
};

#[cfg(test)]
mod tests;
#[cfg(test)]
mod trials;

/// How the ranking is made.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rules {
    /// How much each dimension counts; only their proportions matter.
    pub weights: ByDimension<f64>,
    /// How often every pair is judged in each order.
    pub rounds: u32,
    /// The chance of calling one best though the judge tosses a coin, at most.
    pub alpha: f64,
    /// Draws of the bootstrap and of the randomisation test.
    pub resamples: u32,
}

/// More rounds than this would cost more than they tell.
const MOST_ROUNDS: u32 = 5;

impl Rules {
    /// Fails with what is wrong and what would do.
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

/// The judgement of one pair.
// As a model writes it: nothing in it can be relied on.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Record {
    /// The id of the hypothesis that was shown first.
    #[serde(deserialize_with = "text")]
    pub hypothesis_a_id: String,
    /// The id of the hypothesis that was shown second.
    #[serde(deserialize_with = "text")]
    pub hypothesis_b_id: String,
    /// Which one says more that is not known yet: a, b, or tie.
    #[serde(deserialize_with = "text")]
    #[schemars(extend("enum" = ["a", "b", "tie"]))]
    pub winner_novelty: String,
    /// Which one is more likely to hold, by what is known: a, b, or tie.
    #[serde(deserialize_with = "text")]
    #[schemars(extend("enum" = ["a", "b", "tie"]))]
    pub winner_plausibility: String,
    /// Which one could sooner be shown wrong by an experiment that can be done: a, b, or tie.
    #[serde(deserialize_with = "text")]
    #[schemars(extend("enum" = ["a", "b", "tie"]))]
    pub winner_testability: String,
    /// Of which one more would follow if it held: a, b, or tie.
    #[serde(deserialize_with = "text")]
    #[schemars(extend("enum" = ["a", "b", "tie"]))]
    pub winner_impact: String,
    /// Which one its citations bear out better: a, b, or tie.
    #[serde(deserialize_with = "text")]
    #[schemars(extend("enum" = ["a", "b", "tie"]))]
    pub winner_grounding: String,
    /// What decided, in a sentence.
    #[serde(deserialize_with = "text")]
    pub reason: String,
}

impl Record {
    fn winner(&self, dimension: Dimension) -> &str {
        match dimension {
            Dimension::Novelty => &self.winner_novelty,
            Dimension::Plausibility => &self.winner_plausibility,
            Dimension::Testability => &self.winner_testability,
            Dimension::Impact => &self.winner_impact,
            Dimension::Grounding => &self.winner_grounding,
        }
    }
}

/// Reads a text; null is an empty one.
fn text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}

/// Which one of a pair is shown first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// The one that stands first among the ids.
    InOrder,
    /// The other one.
    Reversed,
}

/// One call of the judge.
#[derive(Debug, Clone, Copy)]
pub struct Call<'a> {
    pub order: Order,
    /// From 1.
    pub round: u32,
    pub records: &'a [Record],
}

/// Where a hypothesis stands.
#[derive(Debug, Clone, PartialEq)]
pub struct Standing {
    pub id: String,
    /// From 1.
    pub rank: u32,
    pub scores: Scores,
    /// Where the overall score may lie, were the judge asked again.
    pub interval: Interval,
    /// Bradley-Terry: a natural logarithm; the mean over all is 0.
    pub strength: f64,
    pub record: PairwiseRecord,
}

/// Returns the pairs of a call in the order in which they are asked, the one that is shown first first.
///
/// The reversed call goes through the list from its end as well, so that no pair always comes early.
pub fn asked(ids: &[String], order: Order) -> Vec<(String, String)> {
    let name = |index: usize| ids.get(index).cloned().unwrap_or_default();
    pairs(ids.len(), order).into_iter().map(|(a, b)| (name(a), name(b))).collect()
}

fn pairs(n: usize, order: Order) -> Vec<(usize, usize)> {
    let in_order = (0..n).flat_map(|one| (one + 1..n).map(move |other| (one, other)));
    match order {
        Order::InOrder => in_order.collect(),
        Order::Reversed => {
            let mut reversed: Vec<_> = in_order.map(|(one, other)| (other, one)).collect();
            reversed.reverse();
            reversed
        }
    }
}

/// Returns every expected pair in both orders and all rounds once, and what became of the records.
///
/// `ids` are all different. A pair that no record judges is a tie. A record may name its pair the other way
/// round; the first record of a pair in a call counts. Ids and winners are read without regard to case and
/// surrounding blanks; a winner is `a`, `b`, a tie, or the id itself. Rounds count up to the latest
/// call's, 5 at most.
pub fn normalised(calls: &[Call<'_>], ids: &[String]) -> (Vec<Comparison>, PairCoverage) {
    let known = Known::of(ids);
    let round_of = |call: &Call<'_>| call.round.clamp(1, MOST_ROUNDS);
    let rounds = calls.iter().map(round_of).max().unwrap_or(1);
    let (mut comparisons, mut coverage) = (Vec::new(), PairCoverage::default());
    for round in 1..=rounds {
        for order in [Order::InOrder, Order::Reversed] {
            let of_this =
                calls.iter().filter(|call| round_of(call) == round && call.order == order);
            let records = of_this.flat_map(|call| call.records);
            let mut judged = known.read(records, order, &mut coverage);
            let expected = asked(ids, order).into_iter().zip(pairs(ids.len(), order));
            comparisons.extend(expected.map(|((a, b), pair)| {
                let winners = judged.remove(&pair);
                if winners.is_none() {
                    coverage.missing.push(MissingPair {
                        hypothesis_a_id: a.clone(),
                        hypothesis_b_id: b.clone(),
                        round,
                    });
                }
                comparison(a, b, round, winners)
            }));
        }
    }
    coverage.expected = number(comparisons.len());
    coverage.judged = number(comparisons.iter().filter(|one| one.judged).count());
    (comparisons, coverage)
}

fn comparison(
    a: String,
    b: String,
    round: u32,
    winners: Option<ByDimension<Winner>>,
) -> Comparison {
    let judged = winners.is_some();
    let winners = winners.unwrap_or_default();
    Comparison {
        hypothesis_a_id: a,
        hypothesis_b_id: b,
        round,
        winner_novelty: winners.novelty,
        winner_plausibility: winners.plausibility,
        winner_testability: winners.testability,
        winner_impact: winners.impact,
        winner_grounding: winners.grounding,
        judged,
    }
}

/// The ids as a judge may write them.
struct Known(Vec<String>);

impl Known {
    fn of(ids: &[String]) -> Known {
        Known(ids.iter().map(|id| plain(id)).collect())
    }

    fn index(&self, id: &str) -> Option<usize> {
        let id = plain(id);
        self.0.iter().position(|known| *known == id)
    }

    /// Returns who won, by the pairs of the call; counts what is ignored.
    fn read<'a>(
        &self,
        records: impl Iterator<Item = &'a Record>,
        order: Order,
        coverage: &mut PairCoverage,
    ) -> BTreeMap<(usize, usize), ByDimension<Winner>> {
        let mut judged = BTreeMap::new();
        for record in records {
            let (a, b) = (&record.hypothesis_a_id, &record.hypothesis_b_id);
            let (Some(a), Some(b)) = (self.index(a), self.index(b)) else {
                coverage.foreign = coverage.foreign.saturating_add(1);
                continue;
            };
            if a == b {
                coverage.self_paired = coverage.self_paired.saturating_add(1);
                continue;
            }
            let pair = match order {
                Order::InOrder => (a.min(b), a.max(b)),
                Order::Reversed => (a.max(b), a.min(b)),
            };
            if judged.contains_key(&pair) {
                coverage.doubled = coverage.doubled.saturating_add(1);
                continue;
            }
            let winners = ByDimension::of(|dimension| {
                let winner = winner(record, dimension).unwrap_or_else(|| {
                    coverage.unreadable_winners = coverage.unreadable_winners.saturating_add(1);
                    Winner::Tie
                });
                if pair == (a, b) { winner } else { turned(winner) }
            });
            judged.insert(pair, winners);
        }
        judged
    }
}

/// Returns the winner that a record names, `a` being the one that it names first.
fn winner(record: &Record, dimension: Dimension) -> Option<Winner> {
    let said = plain(record.winner(dimension));
    match said.as_str() {
        "a" => Some(Winner::A),
        "b" => Some(Winner::B),
        "tie" | "draw" | "equal" | "both" => Some(Winner::Tie),
        _ if said == plain(&record.hypothesis_a_id) => Some(Winner::A),
        _ if said == plain(&record.hypothesis_b_id) => Some(Winner::B),
        _ => None,
    }
}

fn turned(winner: Winner) -> Winner {
    match winner {
        Winner::A => Winner::B,
        Winner::B => Winner::A,
        Winner::Tie => Winner::Tie,
    }
}

fn plain(text: &str) -> String {
    text.trim().to_lowercase()
}

/// Ranks the hypotheses, best first, and says how much the ranks can be relied on.
///
/// By the overall score, then by strength, then in the order of `ids`; differences below 1e-9 are rounding
/// and count as none. Without hypotheses the leader has no id.
pub fn rank(
    comparisons: &[Comparison],
    coverage: PairCoverage,
    ids: &[String],
    rules: &Rules,
) -> (Vec<Standing>, Ranking) {
    let n = ids.len();
    let weights = &rules.weights;
    let strengths = bradley_terry::strengths(&judgements(comparisons, ids, weights), n);
    let mut standings: Vec<Standing> = ids
        .iter()
        .zip(strengths)
        .map(|(id, strength)| Standing {
            id: id.clone(),
            rank: 0,
            scores: scores(comparisons, id, weights),
            interval: Interval { low: NOT_JUDGED, high: NOT_JUDGED },
            strength,
            record: record(comparisons, id),
        })
        .collect();
    standings.sort_by(better);

    // By rank from here on, so that what is drawn by lot does not depend on names or on who was proposed first.
    let ranked: Vec<String> = standings.iter().map(|standing| standing.id.clone()).collect();
    let mut judgements = judgements(comparisons, &ranked, weights);
    judgements.sort_by(|one, other| {
        (one.a, one.b).cmp(&(other.a, other.b)).then(one.share.total_cmp(&other.share))
    });
    let apart = bradley_terry::told_apart(&judgements, n, rules.alpha, rules.resamples);
    let intervals = bradley_terry::intervals(&judgements, n, rules.alpha, rules.resamples);
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
    use bradley_terry::steady;
    let by_score = steady(other.scores.overall).total_cmp(&steady(one.scores.overall));
    by_score.then(steady(other.strength).total_cmp(&steady(one.strength)))
}

/// A score of whom nobody was compared with.
const NOT_JUDGED: f64 = 3.0;

/// Returns the scores of a hypothesis, each 1 (lost every judgement) to 5 (won every one).
///
/// In each dimension 1 + 4 times its points, divided by the judgements in which it took part; a judgement gives
/// the winner 1 point and each of a tie one half. Who took part in none has 3. Overall is the mean by
/// the weights; weights that are not above 0 weigh nothing, and if none is all weigh the same.
pub fn scores(comparisons: &[Comparison], id: &str, weights: &ByDimension<f64>) -> Scores {
    let record = record(comparisons, id);
    let judgements = record.comparisons.len() as f64;
    let by_dimension = ByDimension::of(|dimension| {
        let points = record.points_by_dimension.get(dimension);
        if judgements > 0.0 { 1.0 + 4.0 * points / judgements } else { NOT_JUDGED }
    });
    let overall = mean(weights, |dimension| *by_dimension.get(dimension));
    Scores {
        novelty: by_dimension.novelty,
        plausibility: by_dimension.plausibility,
        testability: by_dimension.testability,
        impact: by_dimension.impact,
        grounding: by_dimension.grounding,
        overall: overall.clamp(1.0, 5.0),
    }
}

/// Returns the mean over the dimensions by the weights.
fn mean(weights: &ByDimension<f64>, value: impl Fn(Dimension) -> f64) -> f64 {
    let usable = |weight: f64| if weight.is_finite() && weight > 0.0 { weight } else { 0.0 };
    let weights = Dimension::ALL.map(|dimension| usable(*weights.get(dimension)));
    let highest = weights.into_iter().fold(0.0, f64::max);
    // Divided by the highest first, for the sum of huge weights is infinite.
    let weights = weights.map(|weight| if highest > 0.0 { weight / highest } else { 1.0 });
    let sum: f64 = weights.iter().sum();
    let weighed = Dimension::ALL.iter().zip(weights);
    weighed.map(|(dimension, weight)| weight * value(*dimension)).sum::<f64>() / sum
}

/// Returns the judgements in which a hypothesis took part, with its wins and points.
fn record(comparisons: &[Comparison], id: &str) -> PairwiseRecord {
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

/// Returns the points of the one that was shown first.
fn first_points(winner: Winner) -> f64 {
    match winner {
        Winner::A => 1.0,
        Winner::Tie => 0.5,
        Winner::B => 0.0,
    }
}

/// Returns one observation for each comparison of two of the ids.
fn judgements(
    comparisons: &[Comparison],
    ids: &[String],
    weights: &ByDimension<f64>,
) -> Vec<Judgement> {
    let index = |id: &str| ids.iter().position(|one| one == id);
    let judgement = |one: &Comparison| {
        let (a, b) = (index(&one.hypothesis_a_id)?, index(&one.hypothesis_b_id)?);
        let share = |points: fn(Winner) -> f64| mean(weights, |each| points(one.winner(each)));
        // The lower index first, so that whom a record names first changes nothing.
        Some(if a < b {
            Judgement { a, b, share: share(first_points) }
        } else {
            Judgement { a: b, b: a, share: share(|winner| first_points(turned(winner))) }
        })
    };
    comparisons.iter().filter_map(judgement).collect()
}

/// Tells whether the judge favours what it is shown first.
///
/// What was not judged is left out. A pair counts as reversed in a dimension where each order has a winner
/// and they are two; from a tie nothing can be reversed.
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
            // The same letter in both orders is another hypothesis.
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
