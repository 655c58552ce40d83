//! Splits text into blocks, sentences, words, and the terms used for comparison.
//!
//! Retrieval, coverage and the citation check all read text through this crate, so a word that counts in one counts in the others.
//! [`split_blocks`] finds paragraphs, headings, list items, table rows and code, and [`find_leads`] what leads into each; [`sentences`]
//! finds sentences; [`terms`] returns the terms to compare; [`count_tokens`] estimates the tokens a model counts.
//!
//! ```
//! use text::{Language, sentences, terms};
//!
//! let text = "Dr. Tinbergen watched the gulls. They fed 3.5 times an hour.";
//! let cut: Vec<&str> = sentences(text).into_iter().map(|range| &text[range]).collect();
//! assert_eq!(cut, ["Dr. Tinbergen watched the gulls.", "They fed 3.5 times an hour."]);
//! assert_eq!(terms("The gulls were feeding", Language::English), ["gull", "feed"]);
//! ```

mod blocks;
mod detect;
mod language;
mod leads;
mod sentences;
mod terms;
pub mod tolerant;

pub use blocks::{Block, Kind, split_blocks};
use detect::sample;
pub use detect::{asked_in, contradicts, detect};
pub use language::{Language, guess, is_stop_word};
pub use leads::{find_leads, is_emphasised, is_in_quotation};
pub use sentences::{sentences, sentences_of};
pub use terms::{Analyzer, count_tokens, fold_case, is_unspaced, raised_digit, terms, words};
