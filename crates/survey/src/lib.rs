//! Survey data: studies, tables, statistics, and expressions for figures.
//!
//! Plain functions over columns: they do not wait, make no requests, and read no clock. Files come in as bytes.
//!
//! ```text
//! files ─► read ─► Project ─► figure, compare, banner ─► tables
//!                     └─► expression ─► statement: a figure in words
//! ```
//!
//! # How it is made
//!
//! `crates/survey` knows nothing of runs: bytes in, figures out. Data takes one path through it, and each module uses those to its left:
//!
//! ```text
//! read ─► study, project ─► coded ─► figure, table ─► expression ─► statement        table ─► text, workbook
//! ```
//!
//! - **A study** is columns and questions. A column with few distinct numbers takes one byte per respondent
//!   (`Data::Few`), and each distinct text is stored once. A question names its columns, its answers, and which end of
//!   its scale is the top. `read` turns files into studies, and reports in `Study::notes` how it handled irregular
//!   data. `Project::shared` finds the same question in other studies, by id and text.
//! - **Figures** (`Project::figure`, `compare`, `table::banner`) are computed from weights, counts and squares of
//!   weights gathered in one pass. The rules (`figure::Rules`: test, alpha, low bases, correction) go into every call.
//!   The default is Kish's effective base with the pooled z test; the footer of every table names the test.
//! - **An expression** (`share(Q5=top2, segment=age:18-34, study=W2)`) is parsed, resolved against the project, written
//!   canonically and evaluated. A figure leaves the crate and comes back only in this form.
//! - **A statement** (`statement.rs`) is a finding in words. The finding is data: a kind (level, rank, order, alike,
//!   compare, change, trend, gap, ratio, growth), its figures with whom and what they measure, and how they compare.
//!   `wording.rs` builds the statement from that data and the questionnaire's words; a language is one table of
//!   templates (`languages.rs`). `labels.rs` says what each figure is of and what else it might have been (the other
//!   segments, answers, rows of the grid, studies). A sentence that cites the figure is checked against this.

pub mod adjust;
pub mod aggregate;

mod coded;
#[cfg_attr(not(feature = "read"), expect(dead_code, reason = "readers of files use the rest"))]
mod compact;
pub mod distributions;
pub mod expression;
pub mod figure;
pub mod project;
pub mod proportions;
pub mod rao_scott;
#[cfg(feature = "read")]
pub mod read;
pub mod statement;
pub mod study;
pub mod table;
pub mod text;
pub mod weighted;
#[cfg(feature = "workbook")]
pub mod workbook;
