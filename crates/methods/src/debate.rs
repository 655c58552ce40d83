//! A debate between two scientists over living sources, in which proposed code is really run.

mod guard;
mod milestone;
mod options;
pub mod payload;
mod telling;

pub use milestone::Milestone;
pub use options::{Options, Remark, Rules};
pub use telling::{Teller, ending};
