//! Survey data: studies, tables, statistics, and expressions for figures.
//!
//! Plain functions over columns. Nothing here waits, asks anybody, or reads a clock; what is read from a file comes as bytes.
//!
//! ```text
//! files ─► read ─► Project ─► figure, compare, banner ─► tables
//!                     └─► expression ─► statement: a figure in words
//! ```
//!
//! # How it is made
//!
//! `crates/survey` knows nothing of runs: bytes in, figures out. One way through it, each module using those to its left:
//!
//! ```text
//! read ─► study, project ─► coded ─► figure, table ─► expression ─► statement        table ─► text, workbook
//! ```
//!
//! - **A study** is columns and questions. Numbers of which there are few take a byte for each respondent (`Data::Few`),
//!   texts stand once; a question names its columns, its answers, and which end of its scale is the top. `read` turns
//!   files into that, and says in `Study::notes` what it did with data that is not as it should be. `Project::shared`
//!   finds questions again in other studies, by id and text.
//! - **Figures** (`Project::figure`, `compare`, `table::banner`) are computed from weights, counts and squares of weights
//!   gathered in one pass. The rules (`figure::Rules`: test, alpha, low bases, correction) go into every call; the
//!   default is Kish's effective base with the pooled z test, and every table's footer names it.
//! - **An expression** (`share(Q5=top2, segment=age:18-34, study=W2)`) is parsed, resolved against the project, written
//!   canonically and evaluated. It is the only form in which a figure leaves the crate and comes back.
//! - **A statement** (`statement.rs`) is a finding in words. The finding is data: a kind (level, rank, order, alike,
//!   compare, change, trend, gap, ratio, growth), its figures with whom and what they are of, and how they compare.
//!   `wording.rs` puts it together from that and the questionnaire's words; a language is one table of templates
//!   (`languages.rs`). `labels.rs` says of each figure what it is of and what else it might have been (the other
//!   segments, answers, rows of the grid, studies): what a sentence that cites it is held against.

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
