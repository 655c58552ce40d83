//! Earlier answers, as a memory keeps them.
//!
//! An answer begins with the SHA-256 of the rest, so one that was truncated, changed or written by another version counts as missing.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use run::services::Memory;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// The mark of every answer; another number means another layout.
const MARK: &str = "quaestio answer 1";

/// The most bytes of an answer besides the body.
const BESIDE: u64 = 64 * 1024;

/// The key of a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Key(String);

impl Key {
    /// Returns the key of a question with these parts.
    pub(crate) fn of(parts: &[&[u8]]) -> Key {
        let mut hash = Sha256::new();
        for part in parts {
            // The length keeps two lists of parts from producing the same bytes.
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part);
        }
        Key(hex(&hash.finalize()))
    }
}

/// A kept answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Kept {
    pub(crate) head: Head,
    pub(crate) body: Vec<u8>,
}

/// An answer without its body.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Head {
    pub(crate) status: u16,
    /// The media type, in lower case and without parameters.
    pub(crate) media_type: String,
    pub(crate) charset: Option<String>,
    /// The address of a page after redirects.
    pub(crate) url: Option<String>,
    pub(crate) etag: Option<String>,
    pub(crate) last_modified: Option<String>,
    pub(crate) at: Timestamp,
}

impl Kept {
    /// Returns whether it is younger than `age`. An answer from the future, after a clock was set back, is not.
    pub(crate) fn younger_than(&self, age: Duration) -> bool {
        let passed = Duration::try_from(Timestamp::now().duration_since(self.head.at));
        passed.is_ok_and(|passed| passed < age)
    }

    /// Returns whether it has what was asked for, not an error such as "not found".
    pub(crate) fn is_success(&self) -> bool {
        (200..300).contains(&self.head.status)
    }

    /// Returns whether it is final: 202 is not finished yet, and 206 is only a part.
    pub(crate) fn is_final(&self) -> bool {
        !self.is_success() || matches!(self.head.status, 200 | 203)
    }

    /// Returns whether it contains one of `secrets`.
    pub(crate) fn holds(&self, secrets: &[String]) -> bool {
        secrets.iter().any(|secret| {
            let head = &self.head;
            let texts = [&head.url, &head.charset, &head.etag, &head.last_modified];
            head.media_type.contains(secret)
                || texts.into_iter().flatten().any(|text| text.contains(secret))
                || self.body.windows(secret.len().max(1)).any(|bytes| bytes == secret.as_bytes())
        })
    }

    fn encode(&self) -> io::Result<Vec<u8>> {
        let head = serde_json::to_vec(&self.head)?;
        let hash = digest(&head, &self.body);
        Ok([MARK.as_bytes(), b" ", hash.as_bytes(), b"\n", &head, b"\n", &self.body].concat())
    }

    fn decode(bytes: &[u8]) -> Option<Kept> {
        let rest = bytes.strip_prefix(MARK.as_bytes())?.strip_prefix(b" ")?;
        let (hash, rest) = line(rest)?;
        let (head, body) = line(rest)?;
        if digest(head, body).as_bytes() != hash {
            return None;
        }
        Some(Kept { head: serde_json::from_slice(head).ok()?, body: body.to_vec() })
    }
}

fn digest(head: &[u8], body: &[u8]) -> String {
    hex(&Sha256::new().chain_update(head).chain_update(b"\n").chain_update(body).finalize())
}

fn line(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let end = bytes.iter().position(|byte| *byte == b'\n')?;
    Some((bytes.get(..end)?, bytes.get(end + 1..)?))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The answers in a memory.
#[derive(Clone)]
pub(crate) struct Cache {
    memory: Arc<dyn Memory>,
    body_bytes: u64,
}

impl Cache {
    /// Returns the answers whose bodies have at most so many bytes.
    pub(crate) fn of(memory: Arc<dyn Memory>, body_bytes: usize) -> Cache {
        Cache { memory, body_bytes: body_bytes as u64 }
    }

    pub(crate) async fn find(&self, key: &Key) -> Option<Kept> {
        let answer = self.memory.answer(&key.0, self.body_bytes.saturating_add(BESIDE)).await?;
        Kept::decode(&answer)
    }

    pub(crate) async fn keep(&self, key: &Key, kept: &Kept) {
        if let Ok(answer) = kept.encode() {
            self.memory.keep_answer(&key.0, answer).await;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use proptest::prelude::*;

    use super::*;
    use crate::memory::FolderMemory;

    fn sample_kept(body: &[u8]) -> Kept {
        let head = Head {
            status: 200,
            media_type: "text/html".into(),
            charset: Some("utf-8".into()),
            url: Some("https://example.org/".into()),
            etag: Some("\"a\"".into()),
            last_modified: None,
            at: Timestamp::UNIX_EPOCH,
        };
        Kept { head, body: body.to_vec() }
    }

    fn key() -> Key {
        Key::of(&[b"GET", b"https://example.org/"])
    }

    fn cache_in(folder: &Path, body_bytes: usize) -> Cache {
        Cache::of(Arc::new(FolderMemory::open(folder).unwrap()), body_bytes)
    }

    // proves: A2
    #[tokio::test]
    async fn what_is_kept_is_found_again() {
        let folder = tempfile::tempdir().unwrap();
        let cache = cache_in(folder.path(), 1_000);
        assert_eq!(cache.find(&key()).await, None);
        for body in [&b"a\nb\0\xff"[..], b"", b"again"] {
            cache.keep(&key(), &sample_kept(body)).await;
            assert_eq!(cache.find(&key()).await, Some(sample_kept(body)));
        }
        assert_eq!(cache.find(&Key::of(&[b"GEThttps://example.org/"])).await, None);
    }

    #[tokio::test]
    async fn what_is_larger_than_anything_that_was_kept_is_not_read() {
        let folder = tempfile::tempdir().unwrap();
        let large = sample_kept(&vec![b'x'; 200_000]);
        cache_in(folder.path(), 200_000).keep(&key(), &large).await;
        assert_eq!(cache_in(folder.path(), 200_000).find(&key()).await, Some(large));
        assert_eq!(cache_in(folder.path(), 100_000).find(&key()).await, None);
    }

    #[test]
    fn an_answer_is_young_for_its_time_and_one_from_the_future_never() {
        let aged = |seconds: i64| {
            let mut kept = sample_kept(b"");
            kept.head.at = Timestamp::from_second(Timestamp::now().as_second() - seconds).unwrap();
            kept
        };
        assert!(aged(10).younger_than(Duration::from_secs(100)));
        assert!(!aged(101).younger_than(Duration::from_secs(100)));
        assert!(!aged(-10).younger_than(Duration::from_secs(100)));
    }

    proptest! {
        #[test]
        fn an_answer_that_was_cut_or_changed_anywhere_is_not_there(
            body in proptest::collection::vec(any::<u8>(), 0..60), at in any::<prop::sample::Index>(), flip in 1u8..,
        ) {
            let bytes = sample_kept(&body).encode().unwrap();
            prop_assert_eq!(Kept::decode(&bytes), Some(sample_kept(&body)));
            let at = at.index(bytes.len());
            prop_assert_eq!(Kept::decode(&bytes[..at]), None);
            let mut changed = bytes.clone();
            changed[at] ^= flip;
            prop_assert_eq!(Kept::decode(&changed), None);
            prop_assert_eq!(Kept::decode(&body), None);
        }
    }
}
