//! Statements and their addresses.

pub mod address;
pub mod check;
pub mod derive;
mod disguise;
pub mod fold;
pub mod locate;
pub mod marks;
mod names;
pub mod nearest;
pub mod prose;
mod quantity;
pub mod statement;
mod verbatim;

pub use quantity::{Of, amounts};
