//! How strong each hypothesis is by the judgements of pairs, and which ranks chance alone would explain.
//!
//! One pair is one observation: in both orders, in all rounds and dimensions. A judge that has made up its
//! mind about two texts says the same of them again, so what it says of them is never counted as several.
//!
//! Lots are drawn from seeded generators: the same judgements give the same numbers on every machine.

use rand_core::{Rng, SeedableRng};
use rand_pcg::Pcg64;

use super::payload::Interval;

#[cfg(test)]
mod tests;

/// What a judge said of one pair, in both orders and all rounds together.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Pair {
    /// Who was compared, as indexes below the number of hypotheses.
    pub(super) a: usize,
    pub(super) b: usize,
    /// 0 to 1: the weighted share of the dimensions that `a` won, a tie half; the mean over its judgements.
    pub(super) share: f64,
    /// How often it was judged.
    pub(super) judgements: f64,
}

/// What chance alone would explain.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Apart {
    /// Scores further apart than this are told apart: 0 to 4, on the scale of 1 to 5.
    pub(super) critical_difference: f64,
    /// The chance that a coin would put somebody as far ahead of the second: above 0, at most 1.
    pub(super) p_value: f64,
    /// Runs of the ranked list that are not told apart, best first, none within another.
    pub(super) groups: Vec<Vec<usize>>,
}

/// Up to so many pairs all patterns of flips are gone through.
const ALL_PATTERNS_UP_TO: usize = 12;

/// Differences of scores below this are rounding.
pub(super) const ROUNDING: f64 = 1e-9;

/// The scale of the scores.
pub(super) const LOWEST: f64 = 1.0;
pub(super) const HIGHEST: f64 = 5.0;

/// Returns a score, 1 (lost everything) to 5 (won everything): 1 + 4 times the points a judgement.
///
/// Who was never judged has 3.
pub(super) fn score(points: f64, judgements: f64) -> f64 {
    let share = if judgements > 0.0 { points / judgements } else { 0.5 };
    LOWEST + (HIGHEST - LOWEST) * share
}

/// Returns the strengths by Bradley and Terry, as natural logarithms with mean 0.
///
/// `a` is preferred to `b` with the chance 1 / (1 + exp(strength of b - strength of a)). Fitted by the MM
/// algorithm of Hunter, "MM algorithms for generalized Bradley-Terry models", Annals of Statistics 32
/// (2004), 384-406, to shares as fractional wins, each pair once however often it was judged. Half a win and
/// half a loss are added to every pair: else there is no maximum where somebody won everything (Ford's
/// condition), and the strengths are drawn towards 0. Always finite.
pub(super) fn fit_strengths(pairs: &[Pair], n: usize) -> Vec<f64> {
    /// So little change that the next steps would not show in ten digits.
    const SETTLED: f64 = 1e-13;
    const MOST_STEPS: usize = 20_000;
    // Rows of: how often two met, the pair's added win and loss included.
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

/// Returns where each score may lie, for all that the judge wavers: about what it would come to if a judge of
/// the same opinions made up its mind about every pair anew.
///
/// A parametric bootstrap (Efron and Tibshirani, "An Introduction to the Bootstrap", 1993, chapters 6 and
/// 13): each pair is drawn anew as one toss with the fitted chance, as if all its judgements and all their
/// dimensions went one way, which wavers most. The interval runs from the percentile `alpha` / 2 of the
/// scores to that of 1 - `alpha` / 2, and always to the observed score. It steps by whole pairs, and so is
/// wide where there are few: who is the first of five in a perfect order lies between 2 and 5.
///
/// It is for one hypothesis at a time, and knows only the judge's wavering: not whether the judge is right,
/// nor whether it would say the same of other words. Whether two scores differ is for [`told_apart`] to
/// say; that intervals overlap or not is no test.
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

/// Tells which scores a judge that tosses a coin would seldom bring about.
///
/// A randomisation test: to a judge to whom two are equal, all that it said of them might as well have been
/// said the other way round, a share of s being 1 - s. It is enough that it makes up its mind about each
/// pair apart from the others; in how far it contradicts itself from order to order and from round to round,
/// and whether it favours what it is shown first, is all one. With 12 pairs that are no ties or fewer all
/// patterns are gone through, else `resamples` are drawn, and the p-value is (as far ahead + 1) / (draws + 1).
///
/// The critical difference is the lowest that the range of all scores exceeds in at most `alpha` of the
/// patterns, so a coin tells any two apart with at most that chance, however many there are: what Tukey's
/// range test is to means (for pairs: Starks and David, "Significance tests for paired-comparison
/// experiments", Biometrika 48 (1961), 95-108). With fewer than two hypotheses, or no judgement, nothing
/// is told apart.
///
/// Few hypotheses make few patterns: three make 8, five 1,024, in 320 of which somebody beats all others and
/// in 120 of which the order is perfect. A judge that says the same whatever the order and the round
/// leads to no significance among so few (docs/decisions/ranking.md).
///
/// The p-value is for a coin over all pairs. Where the best two are equally good and clearly better than the
/// rest, it need not be the chance that one of them comes out as the leader; the groups, which ask about
/// every two, still hold them together as a rule. So a significant leader may share its group with the
/// second.
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

/// Returns the longest runs of the list within which no two scores are further apart than `widest`.
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

/// Shows the scores of each pattern in which pairs are turned round or not.
///
/// A pair of one half is the same turned round, and makes no patterns.
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

/// Returns where the lots begin.
///
/// Other shares have other lots. Were they the same for all, they would be too lenient or too strict
/// for every ranking of a size alike; like this they are alpha on average however few are drawn.
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

/// How often each hypothesis was judged, and how its pairs went.
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

    /// Returns the scores where the pairs go as given.
    fn scores(&self, pairs: impl Iterator<Item = Pair>) -> Vec<f64> {
        let mut points = vec![0.0; self.judged.len()];
        for one in pairs {
            add(&mut points, one.a, one.judgements * one.share);
            add(&mut points, one.b, one.judgements * (1.0 - one.share));
        }
        points.iter().zip(&self.judged).map(|(points, judged)| score(*points, *judged)).collect()
    }
}

/// Returns the pairs of two different hypotheses that there are, their shares within 0 to 1.
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
