//! Chance that can be repeated: the same seed draws the same numbers everywhere.

use super::scenario::{Micros, SECOND};

/// A generator of numbers (SplitMix64).
pub(super) struct Chance(u64);

impl Chance {
    pub(super) fn new(seed: u64) -> Chance {
        Chance(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// Returns a number above 0 and up to 1.
    pub(super) fn draw(&mut self) -> f64 {
        ((self.next() >> 11) + 1) as f64 / (1_u64 << 53) as f64
    }

    /// Returns an index below `count`; 0 if there is none.
    pub(super) fn draw_index(&mut self, count: usize) -> usize {
        (self.next() % count.max(1) as u64) as usize
    }

    /// Returns a time below `most`.
    pub(super) fn draw_time(&mut self, most: Micros) -> Micros {
        self.next() % most.max(1)
    }

    /// Returns the time to the next event of a Poisson process of this many events a second.
    pub(super) fn draw_interval(&mut self, per_second: f64) -> Micros {
        (-self.draw().ln() / per_second.max(1e-12) * SECOND as f64) as Micros
    }

    /// Returns a number whose logarithm is normal: `median` times e to the power of `spread` times a standard normal number.
    pub(super) fn draw_log_normal(&mut self, median: f64, spread: f64) -> f64 {
        let radius = (-2.0 * self.draw().ln()).sqrt();
        let normal = radius * (std::f64::consts::TAU * self.draw()).cos();
        median * (spread * normal).exp()
    }
}
