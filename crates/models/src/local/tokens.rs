//! Turns a text into its token ids.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use tokenizers::{Tokenizer, TruncationParams};

use super::LocalError;

/// Splits texts into the tokens of a model.
pub(super) struct Tokens {
    tokenizer: Tokenizer,
    lower_case: bool,
}

impl Tokens {
    /// Reads `tokenizer.json`. Texts are truncated to `max_tokens`, including special tokens.
    pub(super) fn new(
        bytes: &[u8],
        path: &Path,
        max_tokens: usize,
        lower_case: bool,
    ) -> Result<Tokens, LocalError> {
        let malformed = |what: String| LocalError::Malformed { path: path.to_owned(), what };
        // The parser expects files written by its own program and may panic on others.
        let tokenizer = catch_unwind(AssertUnwindSafe(|| Tokenizer::from_bytes(bytes)))
            .map_err(|_| malformed("the tokenizer could not be parsed".into()))?
            .map_err(|error| malformed(error.to_string()))?;
        let mut tokens = Tokens { tokenizer, lower_case };
        tokens.tokenizer.with_padding(None);
        tokens.cut_to(None).map_err(malformed)?;
        let special = tokens.of("").map_err(malformed)?.len();
        if max_tokens <= special {
            return Err(LocalError::Setting {
                what: format!(
                    "a text has {special} special tokens, so max_tokens must be more than {max_tokens}"
                ),
            });
        }
        tokens.cut_to(Some(max_tokens)).map_err(malformed)?;
        Ok(tokens)
    }

    fn cut_to(&mut self, max_tokens: Option<usize>) -> Result<(), String> {
        let cut = max_tokens
            .map(|max_length| TruncationParams { max_length, ..TruncationParams::default() });
        self.tokenizer.with_truncation(cut).map(drop).map_err(|error| error.to_string())
    }

    /// Returns the number of distinct tokens.
    pub(super) fn vocabulary(&self) -> usize {
        self.tokenizer.get_vocab_size(true)
    }

    /// Returns the tokens of `text` without surrounding white space; an error says what is wrong with the tokenizer.
    pub(super) fn of(&self, text: &str) -> Result<Vec<u32>, String> {
        let lower;
        let text = if self.lower_case {
            lower = text.to_lowercase();
            lower.trim()
        } else {
            text.trim()
        };
        let encoding = catch_unwind(AssertUnwindSafe(|| self.tokenizer.encode_fast(text, true)))
            .map_err(|_| "the tokenizer failed on a text".to_owned())?
            .map_err(|error| format!("the tokenizer refused a text: {error}"))?;
        Ok(encoding.get_ids().to_vec())
    }
}
