//! Upper bounds on the tokens of a text, for any model.
//!
//! Only the model's own tokenizer knows the exact number, but a budget has to reserve before the call. The weights are above the
//! counts of six families' vocabularies for prose, tables, code, JSON and other scripts (`docs/decisions/budgets.md` has the figures).

/// Weights are in sixths of a token.
const SIXTHS: u64 = 6;

/// Returns an upper bound on the tokens of `text`: never more than its bytes, and for prose about one per two and a half bytes.
pub fn most_tokens(text: &str) -> u64 {
    let mut sixths = 0;
    let mut letters = 0;
    // The first byte of a character gives its length.
    for byte in text.bytes() {
        if byte.is_ascii_alphabetic() {
            letters += 1;
            continue;
        }
        sixths += of_word(letters);
        letters = 0;
        sixths += match byte {
            b' ' => 1,
            b'0'..=b'9' => 7,
            0..=0x7f => 6,
            0x80..=0xbf => 0,
            0xc0..=0xdf => 9,
            0xe0..=0xef => 13,
            0xf0.. => 24,
        };
    }
    sixths += of_word(letters);
    sixths.div_ceil(SIXTHS).min(text.len() as u64)
}

/// Returns the usual upper bound on the tokens of prose of this length.
pub fn most_tokens_of_prose(bytes: usize) -> u64 {
    (bytes as u64 * 5).div_ceil(12)
}

/// Returns the weight of a word: a token for every three letters, and at least one.
fn of_word(letters: u64) -> u64 {
    if letters == 0 { 0 } else { (2 * letters).max(SIXTHS) }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    // proves: C16
    #[test]
    fn more_tokens_are_reckoned_with_than_any_common_vocabulary_makes_of_a_text() {
        // The highest counts of each in the vocabularies o200k, cl100k, Llama 2, Llama 3, Mistral and Claude 2.
        let counted = [
            ("Explain how oral rehydration works and how many lives it saved.", 18),
            ("Die Rückversicherungsgesellschaften veröffentlichten ihre Quartalsergebnisse.", 24),
            ("{\"claim\": 3, \"verdict\": \"supported\", \"share\": 0.4375}", 25),
            ("研究人员利用大型语言模型阅读文献、提出假设并设计实验。", 37),
            ("Учёные используют языковые модели, чтобы читать литературу.", 30),
            ("8f14e45fceea167a5a36dedd4bea2543 1,204.75 63.2 %", 42),
        ];
        for (text, tokens) in counted {
            assert!(most_tokens(text) >= tokens, "{text}: {}", most_tokens(text));
        }
    }

    // proves: C16
    #[test]
    fn prose_is_not_taken_for_a_token_a_byte() {
        let prose = "A map of deaths showed that they lay around one pump, and that the people who drank elsewhere were spared.";
        assert!(most_tokens(prose) * 2 < prose.len() as u64);
    }

    proptest! {
        #[test]
        fn no_text_has_more_tokens_than_bytes_and_none_that_says_something_has_none(text in ".*") {
            let tokens = most_tokens(&text);
            prop_assert!(tokens <= text.len() as u64);
            prop_assert_eq!(tokens == 0, text.is_empty());
        }
    }
}
