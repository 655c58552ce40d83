//! The judge's task, and the normalisation of its records.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

use super::super::payload::{
    ByDimension, Comparison, Dimension, MissingPair, PairCoverage, Winner,
};
use super::{MOST_ROUNDS, number};

/// The judgement of one pair.
// As written by a model: nothing in it can be trusted.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub(crate) struct Record {
    /// The id of the hypothesis that was shown first.
    #[serde(deserialize_with = "text")]
    pub hypothesis_a_id: String,
    /// The id of the hypothesis that was shown second.
    #[serde(deserialize_with = "text")]
    pub hypothesis_b_id: String,
    /// What decides, in a sentence.
    #[serde(deserialize_with = "text")]
    #[schemars(length(max = 300))]
    pub reason: String,
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

/// Reads a text; null reads as empty.
fn text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}

/// Which hypothesis of a pair is shown first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order {
    /// The one that comes first in the ids.
    InOrder,
    /// The other one.
    Reversed,
}

/// One call of the judge.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Call<'a> {
    pub order: Order,
    /// From 1.
    pub round: u32,
    pub records: &'a [Record],
}

/// Returns the pairs of a call in the order in which they are asked; within a pair, the first one is shown first.
///
/// The reversed call also goes through the list from its end, so that no pair always comes early.
pub(crate) fn asked(ids: &[String], order: Order) -> Vec<(String, String)> {
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

/// Returns every expected pair once per order and round, and what became of the records.
///
/// `ids` must be distinct. A pair without a record is a tie. A record may name its pair in reverse; the first record of a pair in a call
/// counts. Ids and winners are read ignoring case and surrounding whitespace; a winner is `a`, `b`, a tie, or the id itself. Rounds count
/// up to that of the latest call, at most 5.
pub(crate) fn normalised(calls: &[Call<'_>], ids: &[String]) -> (Vec<Comparison>, PairCoverage) {
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

/// The ids, normalised for lookup as a judge may write them.
struct Known(Vec<String>);

impl Known {
    fn of(ids: &[String]) -> Known {
        Known(ids.iter().map(|id| plain(id)).collect())
    }

    fn index(&self, id: &str) -> Option<usize> {
        let id = plain(id);
        self.0.iter().position(|known| *known == id)
    }

    /// Returns the winners by the pairs of the call; counts the ignored records.
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
                let winner = parse_winner(record, dimension).unwrap_or_else(|| {
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

/// Returns the winner that a record names; `a` is the hypothesis that it names first.
fn parse_winner(record: &Record, dimension: Dimension) -> Option<Winner> {
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

pub(super) fn turned(winner: Winner) -> Winner {
    match winner {
        Winner::A => Winner::B,
        Winner::B => Winner::A,
        Winner::Tie => Winner::Tie,
    }
}

fn plain(text: &str) -> String {
    text.trim().to_lowercase()
}
