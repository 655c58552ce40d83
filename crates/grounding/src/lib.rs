//! Statements and their addresses.
//!
//! # From a text to a ledger
//!
//! `docs/decisions/verdicts.md` defines the five verdicts and who gives them. How a text becomes a ledger:
//!
//! ```text
//! evidence ─► statement::Source ─► addresses in the prompt        (run::evidence::fenced_statements)
//! prose ─► prose::Prose ─► claims ─► places ─► check ─► reader ─► Entry ─► print: the same prose with marks
//!          sentences, items,     material      hard    reading      mending where it fails
//!          cells, conclusions    locate        checks  derive
//! ```
//!
//! - **`grounding`** is plain functions over text, so the same code checks a live run, a stored one and someone else's report:
//!   `statement` splits, `address` reads `[3.4-6, 5.1]`, `prose` splits Markdown into claims and prints it again, `locate` finds a copied
//!   quote, `quantity` reads numbers, units, dates and times in words and digits, `names` finds proper names without a list of them,
//!   `check` compares a claim with statement, neighbours, headings and head row, `verbatim` decides whether it is a quote, `derive`
//!   evaluates the reader's arithmetic. The only English words that decide anything are those of quantities.
//! - **`run::material`** is a run's evidence as statements; `run::consult` looks up claims in a collection for a text that cites
//!   documents by name, by quote or not at all.

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

pub use quantity::{Of, find_amounts};
