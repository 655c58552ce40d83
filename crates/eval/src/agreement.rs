//! How far a judge agrees with itself, and whether its judgements are worth anything.
//!
//! The measure is Krippendorff's alpha ("Computing Krippendorff's alpha-reliability", 2011): 1 - observed disagreement / disagreement
//! expected by chance. It is 1 for perfect agreement, 0 for chance, and below 0 for judgements that contradict each other more than chance
//! would. Judgements may be missing; a unit that was judged once is ignored.
//!
//! - **Scores** of one answer are compared between rounds, at the interval level: the disagreement of two values is their difference
//!   squared. The compared value is the mean over the criteria.
//! - **Preferences** are compared between the two orders in which a pair was shown, at the nominal level, and never within one order: a
//!   judge that answers the same prompt the same way may only repeat itself. Which of two arms comes first is arbitrary, so expected
//!   disagreement counts either name equally often; otherwise a judge that rightly prefers one arm in every case would seem to agree by
//!   chance. A tie is a value of its own.
//!
//! - **Scores of two reports** are also compared between the orders: which report scores higher, as with preferences, and how far the
//!   relative score moves.
//!
//! Intervals are at 95 %, from resampling whole cases ([`crate::bootstrap`]), since judgements of one case are not independent.
//!
//! Agreement is not correctness: a judge that always prefers the longer answer agrees with itself. The reverse is more telling: a judge
//! that does not agree with itself distinguishes nothing.

mod verdict;

use std::cmp::Ordering;
use std::collections::BTreeMap;

use rand_core::SeedableRng;
use rand_pcg::Pcg64;

use crate::bootstrap::{self, Bounds};
use crate::report::{Agreement, JudgedPair, Mean, Orders, Preference, Scored, SideBySide};
use crate::report_judge::OVERALL;

pub use verdict::{NEAR_CHANCE, verdict};

#[cfg(test)]
mod tests;

/// How the disagreement of two values of a unit is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// 1 if they differ.
    Nominal,
    /// Their difference squared.
    Interval,
}

/// Something that was judged more than once.
#[derive(Debug, Clone, PartialEq)]
pub struct Unit {
    /// The case it belongs to.
    pub case: String,
    /// Its judgements, in sets: values are compared only with those of other sets.
    pub said: Vec<Vec<f64>>,
}

/// Returns alpha, or `None` if no two values can be compared or all are equal.
pub fn alpha(units: &[Unit], level: Level) -> Option<f64> {
    let tallies = Tallies::of(units, level);
    tallies.alpha(tallies.by_case.iter())
}

/// Returns how far a judge's scores of the same answer agree, or `None` if no answer was scored twice.
pub fn of_scores(scores: &[Scored]) -> Option<Agreement> {
    let mut answers: BTreeMap<(&str, &str), Vec<Vec<f64>>> = BTreeMap::new();
    for one in scores {
        let values: Vec<f64> =
            one.scores.values().copied().filter(|score| score.is_finite()).collect();
        if let Some(mean) = crate::metrics::mean(&values) {
            answers.entry((&one.case, &one.arm)).or_default().push(vec![mean]);
        }
    }
    let units = answers.into_iter().map(|((case, _), mut said)| {
        // Independent of the order of arrival.
        said.sort_by(|one, other| one.partial_cmp(other).unwrap_or(Ordering::Equal));
        Unit { case: case.to_owned(), said }
    });
    let units: Vec<Unit> = units.collect();
    agreement(&units, &[], Level::Interval)
}

/// Returns how far a judge's preferences agree when the order of a pair is swapped, or `None` if no pair was shown both ways.
pub fn of_preferences(pairs: &[JudgedPair]) -> Option<Agreement> {
    let mut units: BTreeMap<(&str, &str, &str), [Vec<f64>; 2]> = BTreeMap::new();
    for one in pairs {
        let [first, last] = units.entry((&one.case, &one.arm, &one.against)).or_default();
        let order = if one.arm_first { first } else { last };
        order.push(leaning(one));
    }
    units.values_mut().flatten().for_each(|order| order.sort_by(f64::total_cmp));
    let unit = |case: &str, said: &[Vec<f64>; 2], sign: f64| Unit {
        case: case.to_owned(),
        said: said
            .iter()
            .map(|order| order.iter().map(|value| value * sign + 0.0).collect())
            .collect(),
    };
    let named = units.iter().map(|((case, ..), said)| unit(case, said, 1.0)).collect::<Vec<_>>();
    let otherwise =
        units.iter().map(|((case, ..), said)| unit(case, said, -1.0)).collect::<Vec<_>>();
    agreement(&named, &otherwise, Level::Nominal)
}

/// Returns 1 if the arm was preferred, -1 if the other was, 0 for a tie.
pub(crate) fn leaning(pair: &JudgedPair) -> f64 {
    match (pair.preferred, pair.arm_first) {
        (Preference::Tie, _) => 0.0,
        (Preference::First, true) | (Preference::Second, false) => 1.0,
        (Preference::First, false) | (Preference::Second, true) => -1.0,
    }
}

/// Returns how far a judge's relative scores of two reports agree when their order is swapped, or `None` if no pair was shown both ways.
pub fn of_orders(pairs: &[SideBySide]) -> Option<Orders> {
    let mut units: BTreeMap<(&str, &str), [Vec<f64>; 2]> = BTreeMap::new();
    for one in pairs {
        let [first, last] = units.entry((&one.case, &one.arm)).or_default();
        let order = if one.arm_first { first } else { last };
        order.extend(one.relative.get(OVERALL));
    }
    let mut cases: BTreeMap<&str, [Vec<f64>; 2]> = BTreeMap::new();
    let mut both_ways = 0;
    for ((case, _), [first, last]) in units {
        let means = crate::metrics::mean(&first).zip(crate::metrics::mean(&last));
        let Some((first, last)) = means else { continue };
        both_ways += 1;
        let [differences, turned] = cases.entry(case).or_default();
        differences.push((first - last).abs());
        turned.push(f64::from(u8::from((first - 0.5) * (last - 0.5) < 0.0)));
    }
    let over_cases = |values: fn(&[Vec<f64>; 2]) -> &Vec<f64>| {
        let means = cases.values().filter_map(|case| crate::metrics::mean(values(case)));
        bootstrap::mean(&means.collect::<Vec<f64>>(), Bounds::SHARE)
    };
    let [difference, turned] = [over_cases(|[one, _]| one), over_cases(|[_, other]| other)];
    Some(Orders { difference: difference?, turned: turned?, pairs: both_ways })
}

/// Returns which of two reports has the higher score, in the form of preferences.
pub fn preferences_of(pairs: &[SideBySide]) -> Vec<JudgedPair> {
    let preferred = |one: &SideBySide| {
        let own = one.relative.get(OVERALL).copied().unwrap_or(0.5);
        match (own.partial_cmp(&0.5), one.arm_first) {
            (Some(Ordering::Greater), true) | (Some(Ordering::Less), false) => Preference::First,
            (Some(Ordering::Greater), false) | (Some(Ordering::Less), true) => Preference::Second,
            _ => Preference::Tie,
        }
    };
    let pair = |one: &SideBySide| JudgedPair {
        case: one.case.clone(),
        arm: one.arm.clone(),
        against: one.against.clone(),
        round: one.round,
        arm_first: one.arm_first,
        preferred: preferred(one),
        run: one.run.clone(),
    };
    pairs.iter().map(pair).collect()
}

/// Returns how often the answer shown first was preferred, ties excluded: the mean over cases, or `None` if all were ties.
pub fn first_preferred(pairs: &[JudgedPair]) -> Option<Mean> {
    let mut cases: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for one in pairs {
        let first = match one.preferred {
            Preference::First => 1.0,
            Preference::Second => 0.0,
            Preference::Tie => continue,
        };
        cases.entry(&one.case).or_default().push(first);
    }
    let shares: Vec<f64> =
        cases.values().filter_map(|firsts| crate::metrics::mean(firsts)).collect();
    bootstrap::mean(&shares, Bounds::SHARE)
}

/// Returns alpha of the units, taken together with the same units under swapped names, and its interval.
fn agreement(units: &[Unit], otherwise: &[Unit], level: Level) -> Option<Agreement> {
    let all: Vec<Unit> = units.iter().chain(otherwise).cloned().collect();
    let tallies = Tallies::of(&all, level);
    let compared = units.iter().filter(|unit| is_compared(unit)).count() as u64;
    if compared == 0 {
        return None;
    }
    let alpha = tallies.alpha(tallies.by_case.iter());
    let (low, high) = match alpha {
        Some(alpha) => tallies.interval(alpha),
        None => (-1.0, 1.0),
    };
    Some(Agreement { alpha, low, high, units: compared })
}

fn is_compared(unit: &Unit) -> bool {
    unit.said.iter().filter(|set| !set.is_empty()).count() > 1
}

/// The sums that alpha is computed from, one row per case so that cases can be resampled.
///
/// A row holds the number of comparable values and the sum of each unit's mean disagreement times its number of values. At the nominal
/// level the count of each value follows; at the interval level, the sum of the values and of their squares.
struct Tallies {
    level: Level,
    by_case: Vec<Vec<f64>>,
}

impl Tallies {
    fn of(units: &[Unit], level: Level) -> Tallies {
        let compared: Vec<&Unit> = units.iter().filter(|unit| is_compared(unit)).collect();
        let values = || compared.iter().flat_map(|unit| unit.said.iter().flatten().copied());
        // Centred on the mean; otherwise squares of large values would drown the differences.
        let middle = crate::metrics::mean(&values().collect::<Vec<_>>()).unwrap_or_default();
        let mut kinds: Vec<f64> = values().collect();
        kinds.sort_by(f64::total_cmp);
        kinds.dedup();
        let moments = |value: f64| match level {
            Level::Nominal => {
                kinds.iter().map(|kind| f64::from(u8::from(*kind == value))).collect()
            }
            Level::Interval => vec![value - middle, (value - middle).powi(2)],
        };
        let mut by_case: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
        for unit in compared {
            let row = by_case.entry(&unit.case).or_default();
            let all: Vec<f64> = unit.said.iter().flatten().copied().collect();
            let n = all.len() as f64;
            add(row, &[n, n * disagreement(unit, level)]);
            for value in all {
                let moments = [vec![0.0; 2], moments(value)].concat();
                add(row, &moments);
            }
        }
        Tallies { level, by_case: by_case.into_values().collect() }
    }

    /// Returns alpha over these cases, which may repeat.
    fn alpha<'t>(&self, cases: impl Iterator<Item = &'t Vec<f64>>) -> Option<f64> {
        let mut sums = Vec::with_capacity(8);
        for case in cases {
            add(&mut sums, case);
        }
        let [n, disagreement, moments @ ..] = sums.as_slice() else { return None };
        // The sum over all pairs of values, across units.
        let pairs = match (self.level, moments) {
            (Level::Nominal, counts) => {
                n * n - counts.iter().map(|count| count * count).sum::<f64>()
            }
            (Level::Interval, [sum, squares]) => 2.0 * (n * squares - sum * sum),
            (Level::Interval, _) => 0.0,
        };
        let expected = pairs / (n * (n - 1.0));
        (expected.is_finite() && expected > 1e-12).then(|| 1.0 - disagreement / n / expected)
    }

    /// Returns the interval of alpha over resampled cases.
    fn interval(&self, alpha: f64) -> (f64, f64) {
        const DRAWINGS: usize = 1_000;
        let n = self.by_case.len();
        if n < bootstrap::FEWEST {
            return (-1.0, 1.0);
        }
        let mut random = Pcg64::seed_from_u64(bootstrap::seed(&self.by_case.concat()));
        let mut drawn: Vec<f64> = (0..DRAWINGS)
            .map(|_| {
                let cases = (0..n).filter_map(|_| self.by_case.get(bootstrap::lot(&mut random, n)));
                // If all drawn values are equal, they distinguish nothing.
                self.alpha(cases).unwrap_or(0.0)
            })
            .collect();
        drawn.sort_by(f64::total_cmp);
        let tail = bootstrap::expanded(n);
        let [low, high] = [tail, 1.0 - tail].map(|share| bootstrap::percentile(&drawn, share));
        (low.min(alpha).max(-1.0), high.max(alpha).min(1.0))
    }
}

/// Adds the values to the sums, extending them if needed.
fn add(sums: &mut Vec<f64>, values: &[f64]) {
    if sums.len() < values.len() {
        sums.resize(values.len(), 0.0);
    }
    for (sum, value) in sums.iter_mut().zip(values) {
        *sum += value;
    }
}

/// Returns the mean disagreement of two values of a unit from different sets.
fn disagreement(unit: &Unit, level: Level) -> f64 {
    let (mut sum, mut pairs) = (0.0, 0.0);
    for (index, set) in unit.said.iter().enumerate() {
        for other in unit.said.iter().skip(index + 1) {
            for (one, two) in set.iter().flat_map(|one| other.iter().map(move |two| (one, two))) {
                pairs += 1.0;
                sum += match level {
                    Level::Nominal => f64::from(u8::from(one != two)),
                    Level::Interval => (one - two) * (one - two),
                };
            }
        }
    }
    if pairs > 0.0 { sum / pairs } else { 0.0 }
}
