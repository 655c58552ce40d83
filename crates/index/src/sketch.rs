//! Sketches that filter many vectors: one bit per number.
//!
//! How well a bit discriminates depends on the vectors. Vectors of texts form clusters, and few rows need a closer look; of vectors
//! spread evenly in all directions, so many do that the filter is left out. So the index measures it at build time, on the rows
//! themselves.

use super::kernels;

/// With fewer rows the filter costs more than it saves.
const FROM: usize = PASS_AT_LEAST * PASS_ONE_OF;
/// Differing bits are counted in 16 bits, and the highest count marks an excluded row.
const MOST_DIMENSIONS: usize = 60_000;
/// The filter passes at least `PASS_AT_LEAST` rows and at most one in `PASS_ONE_OF`; otherwise every row is compared. Tests have fewer
/// rows.
const PASS_AT_LEAST: usize = if cfg!(test) { 320 } else { 2_048 };
const PASS_ONE_OF: usize = 12;

/// For each row, which of its numbers exceed their mean.
pub(super) struct Sketches {
    mean: Vec<f32>,
    words: usize,
    bits: Vec<u64>,
    /// The number of rows that pass.
    passes: usize,
}

impl Sketches {
    /// Returns `None` if there are too few rows for a filter, or an unsupported number of dimensions.
    pub(super) fn build(dimensions: usize, codes: &[i8], scales: &[f32]) -> Option<Self> {
        if scales.len() < FROM || dimensions == 0 || dimensions > MOST_DIMENSIONS {
            return None;
        }
        let mut sums = vec![0.0f64; dimensions];
        for (code, scale) in codes.chunks_exact(dimensions).zip(scales) {
            for (sum, value) in sums.iter_mut().zip(code) {
                *sum += f64::from(f32::from(*value) * scale);
            }
        }
        let mean: Vec<f32> = sums.iter().map(|sum| (sum / scales.len() as f64) as f32).collect();
        let words = dimensions.div_ceil(64);
        let mut bits = Vec::with_capacity(words * scales.len());
        for (code, scale) in codes.chunks_exact(dimensions).zip(scales) {
            sketch(code.iter().map(|value| f32::from(*value) * scale), &mean, &mut bits);
        }
        Some(Self { mean, words, bits, passes: PASS_AT_LEAST })
    }

    /// Returns how many rows resemble `query` at least as much as the rows at `positions` do.
    pub(super) fn needed(&self, query: &[f32], positions: impl Iterator<Item = usize>) -> usize {
        let differences = self.differences(query);
        let furthest = positions.filter_map(|position| differences.get(position)).max();
        furthest.map_or(0, |limit| differences.iter().filter(|found| *found <= limit).count())
    }

    /// Lets twice as many rows pass as were `needed`; `None` if that is as expensive as comparing all rows.
    pub(super) fn passing(mut self, needed: usize) -> Option<Self> {
        self.passes = PASS_AT_LEAST.max(needed.saturating_mul(2));
        (self.passes <= self.bits.len() / self.words / PASS_ONE_OF).then_some(self)
    }

    /// Returns whether `count` is so small that none of these rows is likely to be lost.
    pub(super) fn serve(&self, count: usize) -> bool {
        count <= self.passes / 8
    }

    fn differences(&self, query: &[f32]) -> Vec<u16> {
        let mut asked = Vec::with_capacity(self.words);
        sketch(query.iter().copied(), &self.mean, &mut asked);
        let mut differences = vec![0; self.bits.len() / self.words];
        kernels::differences(&asked, &self.bits, &mut differences);
        differences
    }

    /// Returns the positions of the rows that `keep` accepts and that most resemble `query`, in order of position.
    ///
    /// Rows with the same difference pass together, so near copies of one text do not crowd each other out.
    pub(super) fn promising(&self, query: &[f32], keep: impl Fn(usize) -> bool) -> Vec<u32> {
        let mut differences = self.differences(query);
        // Four tallies: a single one would stall on its own last write, since most rows differ in about as many bits.
        let mut tallies = vec![[0usize; 4]; self.words * 64 + 1];
        for (position, difference) in differences.iter_mut().enumerate() {
            if keep(position) {
                if let Some(tally) = tallies.get_mut(usize::from(*difference)) {
                    tally[position % 4] += 1;
                }
            } else {
                *difference = u16::MAX;
            }
        }
        let mut passed = 0;
        let reached = |tally: &[usize; 4]| {
            passed += tally.iter().sum::<usize>();
            passed >= self.passes
        };
        let limit = tallies.iter().position(reached).unwrap_or(self.words * 64);
        let mut passing = vec![0; passed + 1];
        kernels::passing(&differences, limit as u16, &mut passing);
        passing.truncate(passed);
        passing
    }

    pub(super) fn bytes(&self) -> usize {
        self.bits.capacity() * 8 + self.mean.capacity() * 4
    }
}

fn sketch(values: impl Iterator<Item = f32>, mean: &[f32], bits: &mut Vec<u64>) {
    let mut word = 0;
    for (index, (value, mean)) in values.zip(mean).enumerate() {
        word |= u64::from(value > *mean) << (index % 64);
        if index % 64 == 63 {
            bits.push(std::mem::take(&mut word));
        }
    }
    if !mean.len().is_multiple_of(64) {
        bits.push(word);
    }
}
