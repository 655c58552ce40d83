//! How strong each hypothesis is by the judgements of pairs, and which ranks chance alone would explain.
//!
//! One judgement is one pair in one order in one round. Its dimensions come from one reading of two texts
//! and lean on one another, so together they count as one observation and never as five.
//!
//! Lots are drawn from seeded generators: the same judgements give the same numbers on every machine.

use rand_core::{Rng, SeedableRng};
use rand_pcg::Pcg64;

use super::payload::Interval;

#[cfg(test)]
mod tests;

/// What a judge said of one pair.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Judgement {
    /// Who was compared, as indexes below the number of hypotheses.
    pub a: usize,
    pub b: usize,
    /// 0 to 1: the weighted share of the dimensions that `a` won, a tie half.
    pub share: f64,
}

/// What chance alone would explain.
#[derive(Debug, Clone, PartialEq)]
pub struct Apart {
    /// Scores further apart than this are told apart: 0 to 4, on the scale of 1 to 5.
    pub critical_difference: f64,
    /// The chance that a coin would put somebody as far ahead of the second: above 0, at most 1.
    pub p_value: f64,
    /// The highest score; of equal ones the first.
    pub leader: usize,
    /// Runs of the ranked list that are not told apart, best first, none within another.
    pub groups: Vec<Vec<usize>>,
}

/// Up to so many judgements all patterns of flips are gone through.
const ALL_PATTERNS_UP_TO: usize = 14;

/// Differences of scores below this are rounding.
const ROUNDING: f64 = 1e-9;

/// The scale of the scores.
const LOWEST: f64 = 1.0;
const MIDDLE: f64 = 3.0;
const HIGHEST: f64 = 5.0;

/// Returns the scores, 1 (lost everything) to 5 (won everything): 1 + 4 times the mean share.
///
/// Who was never judged has 3.
pub fn scores(judgements: &[Judgement], n: usize) -> Vec<f64> {
    Tally::of(judgements, n).observed()
}

/// Returns the strengths by Bradley and Terry, as natural logarithms with mean 0.
///
/// `a` is preferred to `b` with the chance 1 / (1 + exp(strength of b - strength of a)). Fitted by the MM
/// algorithm of Hunter, "MM algorithms for generalized Bradley-Terry models", Annals of Statistics 32
/// (2004), 384-406, to shares as fractional wins. Half a win and half a loss are added to every pair: else
/// there is no maximum where somebody won everything (Ford's condition), and the strengths are drawn
/// towards 0 a little. Always finite.
pub fn strengths(judgements: &[Judgement], n: usize) -> Vec<f64> {
    /// So little change that the next steps would not show in ten digits.
    const SETTLED: f64 = 1e-13;
    const MOST_STEPS: usize = 20_000;
    let sound = sound(judgements, n);
    // Rows of: how often two met, the pair's added win and loss included.
    let mut met: Vec<Vec<f64>> = (0..n)
        .map(|one| (0..n).map(|other| if one == other { 0.0 } else { 1.0 }).collect())
        .collect();
    let mut wins = vec![0.5 * n.saturating_sub(1) as f64; n];
    for Judgement { a, b, share } in sound {
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

/// Returns where each score may lie, for all that the judge wavers: about what it would come to if the same
/// judge were asked about the same pairs again and again.
///
/// A parametric bootstrap (Efron and Tibshirani, "An Introduction to the Bootstrap", 1993, chapters 6 and
/// 13): each judgement is drawn anew as one toss with the fitted chance, as if all its dimensions went one
/// way, which wavers most. The interval runs from the percentile `alpha` / 2 of the scores to that of
/// 1 - `alpha` / 2. Since the fit draws everybody towards the middle, it reaches as far as the same interval
/// set around the observed score, and always to that score.
///
/// It is for one hypothesis at a time, and knows only the judge's wavering: not whether the judge is right,
/// nor whether it would say the same of other words. Whether two scores differ is for [`told_apart`] to
/// say; that intervals overlap or not is no test.
pub fn intervals(judgements: &[Judgement], n: usize, alpha: f64, resamples: u32) -> Vec<Interval> {
    const SEED: u64 = 0x1952_0039_0324;
    let tally = Tally::of(judgements, n);
    let strengths = strengths(judgements, n);
    let strength = |index: usize| strengths.get(index).copied().unwrap_or_default();
    let chances: Vec<(Judgement, f64)> = sound(judgements, n)
        .map(|one| (one, 1.0 / (1.0 + (strength(one.b) - strength(one.a)).exp())))
        .collect();
    let mut random = Pcg64::seed_from_u64(SEED);
    let mut drawn: Vec<Vec<f64>> = vec![Vec::with_capacity(resamples as usize); n];
    for _ in 0..resamples {
        let tossed = chances.iter().map(|(one, chance)| {
            let lean = if unit(&mut random) < *chance { 1.0 } else { -1.0 };
            (one.a, one.b, lean)
        });
        let scores = tally.scores(tossed);
        drawn.iter_mut().zip(scores).for_each(|(all, score)| all.push(score));
    }
    let tail = ((f64::from(resamples) + 1.0) * alpha / 2.0).floor() as usize;
    let observed = tally.observed();
    let fitted = tally.scores(chances.iter().map(|(one, chance)| (one.a, one.b, lean(*chance))));
    let interval = |(all, (observed, fitted)): (&mut Vec<f64>, (f64, f64))| {
        all.sort_by(f64::total_cmp);
        let skipped = tail.saturating_sub(1);
        let moved = observed - fitted;
        let low = all.get(skipped).map_or(observed, |low| low.min(low + moved).min(observed));
        let high = all.iter().rev().nth(skipped);
        let high = high.map_or(observed, |high| high.max(high + moved).max(observed));
        Interval { low: low.clamp(LOWEST, HIGHEST), high: high.clamp(LOWEST, HIGHEST) }
    };
    drawn.iter_mut().zip(observed.into_iter().zip(fitted)).map(interval).collect()
}

/// Tells which scores a judge that tosses a coin would seldom bring about.
///
/// A randomisation test: to such a judge a share of s might as well have been 1 - s, for each judgement by
/// itself. With 14 judgements that are no ties or fewer all patterns are gone through, else `resamples` are
/// drawn, and the p-value is (as far ahead + 1) / (draws + 1).
///
/// The critical difference is the lowest that the range of all scores exceeds in at most `alpha` of the
/// patterns, so a coin tells any two apart with at most that chance, however many there are: what Tukey's
/// range test is to means (for pairs: Starks and David, "Significance tests for paired-comparison
/// experiments", Biometrika 48 (1961), 95-108). With fewer than two hypotheses, or no judgement, nothing
/// is told apart.
///
/// The p-value is for a coin over all pairs. Where the best two are equally good and clearly better than the rest,
/// one of them comes out as a significant leader more often than `alpha` (docs/decisions/ranking.md); the
/// groups, which ask about every two, still hold them together as a rule. So a significant leader
/// may share its group with the second.
pub fn told_apart(judgements: &[Judgement], n: usize, alpha: f64, resamples: u32) -> Apart {
    let tally = Tally::of(judgements, n);
    let observed = tally.observed();
    let mut ranked: Vec<(usize, f64)> = observed.iter().copied().enumerate().collect();
    ranked.sort_by(|(_, one), (_, other)| steady(*other).total_cmp(&steady(*one)));

    let ahead = lead(&observed) - ROUNDING;
    let (mut as_far, mut ranges) = (0_usize, Vec::new());
    let patterns = flipped(judgements, n, resamples, |scores| {
        as_far += usize::from(lead(scores) >= ahead);
        ranges.push(range(scores));
    });
    let critical_difference = patterns.exceeded_at_most(ranges, alpha);
    let widest = critical_difference + ROUNDING;
    Apart {
        critical_difference,
        p_value: patterns.share(as_far),
        leader: ranked.first().map_or(0, |(leader, _)| *leader),
        groups: groups(&ranked, widest),
    }
}

/// Returns the longest runs of the list within which no two scores are further apart than `widest`.
fn groups(ranked: &[(usize, f64)], widest: f64) -> Vec<Vec<usize>> {
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

/// How the patterns of flips came about.
enum Patterns {
    /// All that there are.
    All(usize),
    /// Some, by lot: the observed pattern counts as one more.
    Drawn(usize),
}

impl Patterns {
    /// Returns the chance of what was seen in so many of them.
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

/// Shows the scores of each pattern in which judgements are turned round or not.
///
/// A judgement of one half is the same turned round, and makes no patterns.
fn flipped(
    judgements: &[Judgement],
    n: usize,
    resamples: u32,
    mut show: impl FnMut(&[f64]),
) -> Patterns {
    let tally = Tally::of(judgements, n);
    let leaning: Vec<(usize, usize, f64)> = sound(judgements, n)
        .map(|one| (one.a, one.b, lean(one.share)))
        .filter(|(_, _, lean)| lean.abs() > ROUNDING)
        .collect();
    let turned = |bits: &[u64]| {
        let bit =
            |place: usize| bits.get(place / 64).is_some_and(|bits| bits >> (place % 64) & 1 == 1);
        let turn = |(place, (a, b, lean)): (usize, &(usize, usize, f64))| {
            (*a, *b, if bit(place) { -lean } else { *lean })
        };
        tally.scores(leaning.iter().enumerate().map(turn))
    };
    if leaning.len() <= ALL_PATTERNS_UP_TO {
        let all = 1_usize << leaning.len();
        (0..all).for_each(|pattern| show(&turned(&[pattern as u64])));
        return Patterns::All(all);
    }
    let mut random = Pcg64::seed_from_u64(seed(judgements));
    let mut bits = vec![0; leaning.len().div_ceil(64)];
    for _ in 0..resamples {
        bits.iter_mut().for_each(|bits| *bits = random.next_u64());
        show(&turned(&bits));
    }
    Patterns::Drawn(resamples as usize)
}

/// Returns where the lots begin.
///
/// Other judgements have other lots. Were they the same for all, they would be too lenient or too strict
/// for every ranking of a size alike; like this they are alpha on average however few are drawn.
fn seed(judgements: &[Judgement]) -> u64 {
    const START: u64 = 0x1961_0048_0095;
    // From splitmix64: Steele, Lea and Flood, OOPSLA 2014.
    const STEP: u64 = 0x9E37_79B9_7F4A_7C15;
    let stirred = |seed: u64, word: u64| {
        let seed = (seed ^ word).wrapping_mul(STEP);
        seed ^ (seed >> 32)
    };
    judgements.iter().fold(START, |seed, one| {
        let words = [one.a as u64, one.b as u64, steady(one.share) as u64];
        words.into_iter().fold(seed, stirred)
    })
}

/// How often each hypothesis was judged, and how the judgements went.
struct Tally {
    judged: Vec<f64>,
    leaning: Vec<(usize, usize, f64)>,
}

impl Tally {
    fn of(judgements: &[Judgement], n: usize) -> Tally {
        let mut judged = vec![0.0; n];
        let leaning = sound(judgements, n).map(|one| (one.a, one.b, lean(one.share))).collect();
        for one in sound(judgements, n) {
            add(&mut judged, one.a, 1.0);
            add(&mut judged, one.b, 1.0);
        }
        Tally { judged, leaning }
    }

    fn observed(&self) -> Vec<f64> {
        self.scores(self.leaning.iter().copied())
    }

    /// Returns the scores where judgements lean as given: 1 to the first, -1 to the second, 0 to neither.
    fn scores(&self, leaning: impl Iterator<Item = (usize, usize, f64)>) -> Vec<f64> {
        let mut scores = vec![0.0; self.judged.len()];
        for (a, b, lean) in leaning {
            add(&mut scores, a, lean);
            add(&mut scores, b, -lean);
        }
        for (score, judged) in scores.iter_mut().zip(&self.judged) {
            *score = MIDDLE + if *judged > 0.0 { 2.0 * *score / judged } else { 0.0 };
        }
        scores
    }
}

/// Returns the judgements of two different hypotheses that there are, their shares within 0 to 1.
fn sound(judgements: &[Judgement], n: usize) -> impl Iterator<Item = Judgement> + '_ {
    let there = move |one: &&Judgement| one.a < n && one.b < n && one.a != one.b;
    judgements.iter().filter(there).map(|one| {
        let share = if one.share.is_finite() { one.share.clamp(0.0, 1.0) } else { 0.5 };
        Judgement { share, ..*one }
    })
}

fn lean(share: f64) -> f64 {
    2.0 * share - 1.0
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

/// Returns how far the highest score is ahead of the second; 0 where there are not two.
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

/// Returns the value without what rounding may have added, for comparing.
pub(super) fn steady(value: f64) -> f64 {
    (value / ROUNDING).round() + 0.0
}

/// Returns a number from 0 to below 1, each multiple of 2^-53 as likely as another.
fn unit(random: &mut Pcg64) -> f64 {
    (random.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
}
