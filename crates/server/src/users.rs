//! The users of the server: bearer tokens, kept as digests and compared in constant time.

use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};

use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

/// The length of the shortest accepted token.
const SHORTEST_TOKEN: usize = 16;

/// The users and the digests of their tokens. If empty, there is one user and no authentication.
///
/// Clones share one list: replacing one replaces all.
#[derive(Clone, Default)]
pub struct Tokens(Arc<RwLock<Vec<Known>>>);

/// A user and the digest of one of their tokens.
type Known = (String, [u8; 32]);

/// Why a list of tokens is rejected. It never contains a token.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TokenError {
    #[error("line {line} is not in the form `user token`")]
    Malformed { line: usize },
    #[error(
        "line {line}: a user name must have up to 64 letters, digits, '.', '_', '@' and '-', starting with a letter or digit"
    )]
    BadUser { line: usize },
    #[error(
        "line {line}: a token must have {SHORTEST_TOKEN} to 256 letters, digits and -._~+/= characters"
    )]
    BadToken { line: usize },
    #[error("line {line}: another user has the same token")]
    Doubled { line: usize },
}

impl std::fmt::Debug for Tokens {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Tokens(***)")
    }
}

impl Tokens {
    /// Reads lines `user token`; empty lines and comments with `#` are skipped. A user may have several tokens.
    pub fn read(text: &str) -> Result<Tokens, TokenError> {
        let mut tokens: Vec<Known> = Vec::new();
        for (line, content) in (1..).zip(text.lines()) {
            let content = content.trim();
            if content.is_empty() || content.starts_with('#') {
                continue;
            }
            let mut words = content.split_whitespace();
            let (Some(user), Some(token), None) = (words.next(), words.next(), words.next()) else {
                return Err(TokenError::Malformed { line });
            };
            if !is_user(user) {
                return Err(TokenError::BadUser { line });
            }
            if !is_token(token) {
                return Err(TokenError::BadToken { line });
            }
            let digest = hash_token(token);
            if tokens.iter().any(|(known, taken)| *taken == digest && known != user) {
                return Err(TokenError::Doubled { line });
            }
            tokens.push((user.to_owned(), digest));
        }
        Ok(Tokens(Arc::new(RwLock::new(tokens))))
    }

    /// Replaces the list by that of `others` from the next request on.
    pub fn replace(&self, others: &Tokens) {
        let others = others.list().clone();
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = others;
    }

    fn list(&self) -> RwLockReadGuard<'_, Vec<Known>> {
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn is_empty(&self) -> bool {
        self.list().is_empty()
    }

    /// Tells whether nobody but this user has a token.
    pub(crate) fn is_only(&self, user: &str) -> bool {
        self.list().iter().all(|(known, _)| known == user)
    }

    /// Returns the owner of a token. Takes as long for a wrong one as for a right one.
    pub(crate) fn user_of(&self, token: &str) -> Option<String> {
        let given = hash_token(token);
        let list = self.list();
        let found = list.iter().fold(None, |found, (user, digest)| {
            if bool::from(digest.ct_eq(&given)) { Some(user) } else { found }
        });
        found.cloned()
    }
}

fn hash_token(token: &str) -> [u8; 32] {
    Sha256::digest(token.as_bytes()).into()
}

fn is_user(name: &str) -> bool {
    let fits = |c: char| c.is_ascii_alphanumeric() || ".-_@".contains(c);
    name.len() <= 64
        && name.starts_with(|c: char| c.is_ascii_alphanumeric())
        && name.chars().all(fits)
}

/// Returns whether a token fits into a header and a cookie unchanged.
fn is_token(token: &str) -> bool {
    let fits = |c: char| c.is_ascii_alphanumeric() || "-._~+/=".contains(c);
    (SHORTEST_TOKEN..=256).contains(&token.len()) && token.chars().all(fits)
}

#[cfg(test)]
mod tests {
    use super::*;

    // proves: F8
    #[test]
    fn a_token_belongs_to_one_user_and_a_user_may_have_several() {
        let text = "# people\nalice aaaaaaaaaaaaaaaa\n\nbob bbbbbbbbbbbbbbbbbbbb\nalice cccccccccccccccc\n";
        let tokens = Tokens::read(text).unwrap();
        let whose = |token: &str| tokens.user_of(token);
        assert_eq!(whose("aaaaaaaaaaaaaaaa").as_deref(), Some("alice"));
        assert_eq!(whose("cccccccccccccccc").as_deref(), Some("alice"));
        assert_eq!(whose("bbbbbbbbbbbbbbbbbbbb").as_deref(), Some("bob"));
        for wrong in ["", "aaaaaaaaaaaaaaa", "aaaaaaaaaaaaaaaaa", "AAAAAAAAAAAAAAAA"] {
            assert_eq!(tokens.user_of(wrong), None);
        }
        assert_eq!(format!("{tokens:?}"), "Tokens(***)");
    }

    // proves: F8
    #[test]
    fn a_list_that_cannot_be_meant_is_refused_by_its_line_and_without_its_tokens() {
        for (text, wrong) in [
            ("alice", TokenError::Malformed { line: 1 }),
            ("\nalice aaaaaaaaaaaaaaaa extra", TokenError::Malformed { line: 2 }),
            ("../alice aaaaaaaaaaaaaaaa", TokenError::BadUser { line: 1 }),
            ("alice short", TokenError::BadToken { line: 1 }),
            ("alice aaaaaaaaaaaaaaa;", TokenError::BadToken { line: 1 }),
            ("alice aaaaaaaaaaaaaaaa\nbob aaaaaaaaaaaaaaaa", TokenError::Doubled { line: 2 }),
        ] {
            let error = Tokens::read(text).unwrap_err();
            assert_eq!(error, wrong);
            assert!(!error.to_string().contains("aaaa"));
        }
        assert!(Tokens::read("# nobody\n").unwrap().is_empty());
    }
}
