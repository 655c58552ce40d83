//! Chance that can be repeated.

/// A generator of numbers (SplitMix64).
pub(super) struct Dice(u64);

impl Dice {
    pub(super) fn new(seed: u64) -> Dice {
        Dice(seed)
    }

    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// Returns a number from `least` on and below `beyond`.
    pub(super) fn between(&mut self, least: u64, beyond: u64) -> u64 {
        least + self.next() % (beyond - least).max(1)
    }

    /// Returns one of these; `None` if there is none.
    pub(super) fn pick<'a, T>(&mut self, among: &'a [T]) -> Option<&'a T> {
        let index = self.between(0, among.len() as u64);
        among.get(usize::try_from(index).unwrap_or_default())
    }

    pub(super) fn shuffle<T>(&mut self, all: &mut [T]) {
        for last in (1..all.len()).rev() {
            let other = self.between(0, last as u64 + 1);
            all.swap(last, usize::try_from(other).unwrap_or_default());
        }
    }
}
