//! Survey data: studies, tables, statistics, and expressions for figures.
//!
//! Plain functions over columns. Nothing here waits, asks anybody, or reads a clock; what is read from a file comes as bytes.
//!
//! ```text
//! files ─► read ─► Project ─► figure, compare, banner ─► tables
//!                     └─► expression ─► statement: a figure in words
//! ```

pub mod adjust;

mod coded;
mod compact;
pub mod distributions;
pub mod expression;
pub mod figure;
pub mod project;
pub mod proportions;
pub mod rao_scott;
pub mod read;
pub mod statement;
pub mod study;
pub mod table;
pub mod text;
pub mod weighted;
pub mod workbook;
