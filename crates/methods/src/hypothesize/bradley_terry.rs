//! The strength of each hypothesis from the judgements of pairs, and the differences in rank that chance alone would explain.
//!
//! One pair is one observation, over both orders and all rounds and dimensions. A judge that has an opinion about two texts repeats it, so
//! its judgements of them are never counted as several.
//!
//! All random draws use seeded generators: the same judgements give the same numbers on every machine.

use rand_core::{Rng, SeedableRng};
use rand_pcg::Pcg64;

use super::payload::Interval;

#[cfg(test)]
mod tests;

/// A judge's verdict on one pair, over both orders and all rounds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Pair {
    /// The two hypotheses, as indexes below their number.
    pub(super) a: usize,
    pub(super) b: usize,
    /// 0 to 1: the weighted share of the dimensions that `a` won, counting a tie as half; the mean over its judgements.
    pub(super) share: f64,
    /// The number of its judgements.
    pub(super) judgements: f64,
}

/// The differences that chance alone would explain.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Apart {
    /// Scores further apart than this differ significantly: 0 to 4, on the scale of 1 to 5.
    pub(super) critical_difference: f64,
    /// The probability that a coin would put any hypothesis as far ahead of the second: above 0, at most 1.
    pub(super) p_value: f64,
    /// Runs of the ranked list without significant differences, best first, none within another.
    pub(super) groups: Vec<Vec<usize>>,
}

/// Maximum number of pairs for which all patterns of flips are enumerated.
const ALL_PATTERNS_UP_TO: usize = 12;

/// Differences in scores below this are rounding errors.
pub(super) const ROUNDING: f64 = 1e-9;

/// The range of the scores.
pub(super) const LOWEST: f64 = 1.0;
pub(super) const HIGHEST: f64 = 5.0;

/// Returns a score, 1 (lost everything) to 5 (won everything): 1 + 4 times the points per judgement.
///
/// A hypothesis without judgements has 3.
pub(super) fn score(points: f64, judgements: f64) -> f64 {
    let share = if judgements > 0.0 { points / judgements } else { 0.5 };
    LOWEST + (HIGHEST - LOWEST) * share
}

/// Returns the Bradley-Terry strengths, as natural logarithms with mean 0.
///
/// `a` is preferred to `b` with probability 1 / (1 + exp(strength of b - strength of a)). Fitted by the MM algorithm of Hunter, "MM
/// algorithms for generalized Bradley-Terry models", Annals of Statistics 32 (2004), 384-406, to shares as fractional wins; each pair
/// counts once, however often it was judged. Half a win and half a loss are added to every pair. Without them, there is no maximum if one
/// hypothesis won everything (Ford's condition); they also draw the strengths towards 0. Always finite.
pub(super) fn fit_strengths(pairs: &[Pair], n: usize) -> Vec<f64> {
    /// A change so small that further steps would not show in ten digits.
    const SETTLED: f64 = 1e-13;
    const MOST_STEPS: usize = 20_000;
    // Row by row: how often two met, including the pair's added win and loss.
    let mut met: Vec<Vec<f64>> = (0..n)
        .map(|one| (0..n).map(|other| if one == other { 0.0 } else { 1.0 }).collect())
        .collect();
    let mut wins = vec![0.5 * n.saturating_sub(1) as f64; n];
    for Pair { a, b, share, .. } in sound(pairs, n) {
        add(&mut wins, a, share);
        add(&mut wins, b, 1.0 - share);
        met.get_mut(a).into_iter().for_each(|row| add(row, b, 1.0));
        met.get_mut(b).into_iter().for_each(|row| add(row, a, 1.0));
    }
    let mut logs = vec![0.0; n];
    for _ in 0..MOST_STEPS {
        let powers: Vec<f64> = logs.iter().map(|log: &f64| log.exp()).collect();
        let next = powers.iter().zip(&met).zip(&wins).map(|((own, row), wins)| {
            let against: f64 =
                row.iter().zip(&powers).map(|(met, power)| met / (own + power)).sum();
            if against > 0.0 { (wins / against).ln() } else { 0.0 }
        });
        let next = centred(next.collect());
        let change = next.iter().zip(&logs).map(|(new, old)| (new - old).abs()).fold(0.0, f64::max);
        logs = next;
        if change < SETTLED {
            break;
        }
    }
    logs
}

/// Returns the interval of each score that reflects the judge's inconsistency: roughly the scores that a judge of the same opinions would
/// give if it decided every pair anew.
///
/// A parametric bootstrap (Efron and Tibshirani, "An Introduction to the Bootstrap", 1993, chapters 6 and 13): each pair is redrawn as one
/// toss with the fitted probability, as if all its judgements and dimensions agreed, which gives the greatest variance. The interval runs
/// from the `alpha` / 2 percentile of the scores to the 1 - `alpha` / 2 percentile, and always includes the observed score. It moves in
/// steps of whole pairs and so is wide for few hypotheses: the first of five in a perfect order lies between 2 and 5.
///
/// It is for one hypothesis at a time and covers only the judge's inconsistency: not whether the judge is right, nor whether it would say
/// the same of other words. [`told_apart`] decides whether two scores differ; overlapping intervals are no test.
pub(super) fn intervals(pairs: &[Pair], n: usize, alpha: f64, resamples: u32) -> Vec<Interval> {
    const SEED: u64 = 0x1952_0039_0324;
    let tally = Tally::of(pairs, n);
    let strengths = fit_strengths(pairs, n);
    let strength = |index: usize| strengths.get(index).copied().unwrap_or_default();
    let expected = |one: Pair| {
        let share = 1.0 / (1.0 + (strength(one.b) - strength(one.a)).exp());
        Pair { share, ..one }
    };
    let expected: Vec<Pair> = sound(pairs, n).map(expected).collect();
    let mut random = Pcg64::seed_from_u64(SEED);
    let mut drawn: Vec<Vec<f64>> = vec![Vec::with_capacity(resamples as usize); n];
    for _ in 0..resamples {
        let tossed = expected.iter().map(|one| {
            let share = if unit(&mut random) < one.share { 1.0 } else { 0.0 };
            Pair { share, ..*one }
        });
        let scores = tally.scores(tossed);
        drawn.iter_mut().zip(scores).for_each(|(all, score)| all.push(score));
    }
    let tail = ((f64::from(resamples) + 1.0) * alpha / 2.0).floor() as usize;
    let skipped = tail.saturating_sub(1);
    let interval = |(all, observed): (&mut Vec<f64>, f64)| {
        all.sort_by(f64::total_cmp);
        let low = all.get(skipped).map_or(observed, |low| low.min(observed));
        let high = all.iter().rev().nth(skipped).map_or(observed, |high| high.max(observed));
        Interval { low: low.clamp(LOWEST, HIGHEST), high: high.clamp(LOWEST, HIGHEST) }
    };
    drawn.iter_mut().zip(tally.observed()).map(interval).collect()
}

/// Returns which differences in scores a judge that tosses a coin would rarely produce.
///
/// A randomisation test: if a judge finds two hypotheses equal, all its judgements of them might as well be reversed, a share of s becoming
/// 1 - s. The test only assumes that the judge decides each pair independently of the others. It does not matter how far the judge
/// contradicts itself between orders and rounds, or whether it favours the first text shown. With up to 12 untied pairs, all patterns are
/// enumerated; otherwise `resamples` are drawn, and the p-value is (as far ahead + 1) / (draws + 1).
///
/// The critical difference is the lowest value that the range of all scores exceeds in at most `alpha` of the patterns, so a coin separates
/// any two with at most that probability, however many there are. It corresponds to Tukey's range test for means (for pairs: Starks and
/// David, "Significance tests for paired-comparison experiments", Biometrika 48 (1961), 95-108). With fewer than two hypotheses, or no
/// judgement, nothing is separated.
///
/// Few hypotheses have few patterns: three have 8, five have 1,024. In 320 of these, one hypothesis beats all others; in 120, the order is
/// perfect. With so few, a judge that repeats itself in every order and round reaches no significance (docs/decisions/ranking.md).
///
/// The p-value is for a coin over all pairs. If the best two are equally good and clearly better than the rest, it need not be the
/// probability that one of them comes out as the leader; the groups, which compare every two, still usually hold them together. So a
/// significant leader may share its group with the second.
pub(super) fn told_apart(pairs: &[Pair], n: usize, alpha: f64, resamples: u32) -> Apart {
    let tally = Tally::of(pairs, n);
    let observed = tally.observed();
    let mut ranked: Vec<(usize, f64)> = observed.iter().copied().enumerate().collect();
    ranked.sort_by(|(_, one), (_, other)| steady(*other).total_cmp(&steady(*one)));

    let ahead = lead(&observed) - ROUNDING;
    let (mut as_far, mut ranges) = (0_usize, Vec::new());
    let patterns = flipped(&tally, resamples, |scores| {
        as_far += usize::from(lead(scores) >= ahead);
        ranges.push(range(scores));
    });
    let critical_difference = patterns.exceeded_at_most(ranges, alpha);
    let groups = find_groups(&ranked, critical_difference + ROUNDING);
    Apart { critical_difference, p_value: patterns.share(as_far), groups }
}

/// Returns the longest runs of the list in which no two scores differ by more than `widest`.
fn find_groups(ranked: &[(usize, f64)], widest: f64) -> Vec<Vec<usize>> {
    let mut groups = Vec::new();
    let mut reached = 0;
    for (start, (_, best)) in ranked.iter().enumerate() {
        let run = ranked.iter().skip(start).take_while(|(_, score)| best - score <= widest);
        let run: Vec<usize> = run.map(|(index, _)| *index).collect();
        if start + run.len() > reached {
            reached = start + run.len();
            groups.push(run);
        }
    }
    groups
}

/// How the patterns of flips were generated.
enum Patterns {
    /// All possible patterns.
    All(usize),
    /// A random sample: the observed pattern counts as one more.
    Drawn(usize),
}

impl Patterns {
    /// Returns the p-value of an event that occurred in `seen` of them.
    fn share(&self, seen: usize) -> f64 {
        match self {
            Patterns::All(all) => seen as f64 / (*all).max(1) as f64,
            Patterns::Drawn(draws) => (seen + 1) as f64 / (draws + 1) as f64,
        }
    }

    /// Returns the lowest value that at most a share `alpha` of the patterns exceeds.
    fn exceeded_at_most(&self, mut values: Vec<f64>, alpha: f64) -> f64 {
        values.sort_by(|one, other| other.total_cmp(one));
        let allowed = match self {
            Patterns::All(all) => Some((alpha * *all as f64).floor() as usize),
            Patterns::Drawn(draws) => {
                ((alpha * (draws + 1) as f64).floor() as usize).checked_sub(1)
            }
        };
        let value = allowed.and_then(|allowed| values.get(allowed).copied());
        value.unwrap_or(HIGHEST - LOWEST)
    }
}

/// Calls `show` with the scores of each pattern of flipped and unflipped pairs.
///
/// A pair with a share of one half is unchanged by a flip and adds no patterns.
fn flipped(tally: &Tally, resamples: u32, mut show: impl FnMut(&[f64])) -> Patterns {
    let leans = |one: &&Pair| (2.0 * one.share - 1.0).abs() > ROUNDING;
    let (leaning, even): (Vec<Pair>, Vec<Pair>) = tally.pairs.iter().partition(|one| leans(one));
    let turned = |bits: &[u64]| {
        let bit =
            |place: usize| bits.get(place / 64).is_some_and(|bits| bits >> (place % 64) & 1 == 1);
        let turn = |(place, one): (usize, &Pair)| {
            let share = if bit(place) { 1.0 - one.share } else { one.share };
            Pair { share, ..*one }
        };
        tally.scores(leaning.iter().enumerate().map(turn).chain(even.iter().copied()))
    };
    if leaning.len() <= ALL_PATTERNS_UP_TO {
        let all = 1_usize << leaning.len();
        (0..all).for_each(|pattern| show(&turned(&[pattern as u64])));
        return Patterns::All(all);
    }
    let mut random = Pcg64::seed_from_u64(seed(&tally.pairs));
    let mut bits = vec![0; leaning.len().div_ceil(64)];
    for _ in 0..resamples {
        bits.iter_mut().for_each(|bits| *bits = random.next_u64());
        show(&turned(&bits));
    }
    Patterns::Drawn(resamples as usize)
}

/// Returns the seed of the random draws.
///
/// Different shares have different seeds. With a fixed seed, the test would be too lenient or too strict for every ranking of a given size;
/// this way its level is alpha on average, however few patterns are drawn.
fn seed(pairs: &[Pair]) -> u64 {
    const START: u64 = 0x1961_0048_0095;
    // From splitmix64: Steele, Lea and Flood, OOPSLA 2014.
    const STEP: u64 = 0x9E37_79B9_7F4A_7C15;
    let stirred = |seed: u64, word: u64| {
        let seed = (seed ^ word).wrapping_mul(STEP);
        seed ^ (seed >> 32)
    };
    pairs.iter().fold(START, |seed, one| {
        let words = [one.a as u64, one.b as u64, steady(one.share) as u64];
        words.into_iter().fold(seed, stirred)
    })
}

/// The number of judgements of each hypothesis, and the outcomes of its pairs.
struct Tally {
    judged: Vec<f64>,
    pairs: Vec<Pair>,
}

impl Tally {
    fn of(pairs: &[Pair], n: usize) -> Tally {
        let mut judged = vec![0.0; n];
        let pairs: Vec<Pair> = sound(pairs, n).collect();
        for one in &pairs {
            add(&mut judged, one.a, one.judgements);
            add(&mut judged, one.b, one.judgements);
        }
        Tally { judged, pairs }
    }

    fn observed(&self) -> Vec<f64> {
        self.scores(self.pairs.iter().copied())
    }

    /// Returns the scores for the given outcomes of the pairs.
    fn scores(&self, pairs: impl Iterator<Item = Pair>) -> Vec<f64> {
        let mut points = vec![0.0; self.judged.len()];
        for one in pairs {
            add(&mut points, one.a, one.judgements * one.share);
            add(&mut points, one.b, one.judgements * (1.0 - one.share));
        }
        points.iter().zip(&self.judged).map(|(points, judged)| score(*points, *judged)).collect()
    }
}

/// Returns the valid pairs, those of two different existing hypotheses, with shares clamped to 0 to 1.
fn sound(pairs: &[Pair], n: usize) -> impl Iterator<Item = Pair> + '_ {
    let there = move |one: &&Pair| one.a < n && one.b < n && one.a != one.b;
    pairs.iter().filter(there).map(|one| {
        let share = if one.share.is_finite() { one.share.clamp(0.0, 1.0) } else { 0.5 };
        Pair { share, ..*one }
    })
}

fn add(values: &mut [f64], index: usize, amount: f64) {
    if let Some(value) = values.get_mut(index) {
        *value += amount;
    }
}

fn centred(mut values: Vec<f64>) -> Vec<f64> {
    let mean = values.iter().sum::<f64>() / values.len().max(1) as f64;
    values.iter_mut().for_each(|value| *value -= mean);
    values
}

/// Returns the lead of the highest score over the second; 0 if there are fewer than two.
fn lead(scores: &[f64]) -> f64 {
    let (mut first, mut second) = (f64::NEG_INFINITY, f64::NEG_INFINITY);
    for score in scores {
        second = second.max(first.min(*score));
        first = first.max(*score);
    }
    if second.is_finite() { first - second } else { 0.0 }
}

fn range(scores: &[f64]) -> f64 {
    let highest = scores.iter().copied().fold(LOWEST, f64::max);
    highest - scores.iter().copied().fold(highest, f64::min)
}

/// Returns the value in units of [`ROUNDING`], for comparison without rounding errors.
pub(super) fn steady(value: f64) -> f64 {
    (value / ROUNDING).round() + 0.0
}

/// Returns a number from 0 to below 1, uniform over the multiples of 2^-53.
fn unit(random: &mut Pcg64) -> f64 {
    (random.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
}
