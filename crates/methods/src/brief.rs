//! An executive summary of survey data: WHAT was found, WHY it differs, HOW to act; every figure computed again from the data.

pub mod options;
pub mod payload;

pub use options::{Options, Rules, Way};
