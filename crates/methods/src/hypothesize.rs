//! Ranked, contested and grounded hypotheses from the literature.

pub mod bradley_terry;
pub mod diversity;
pub mod pairwise;
pub mod payload;
pub mod summa;
pub mod unbacked;
