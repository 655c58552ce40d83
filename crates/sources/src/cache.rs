//! Earlier answers on disk, one file per question.
//!
//! A file begins with the SHA-256 of the rest, so one that was truncated, changed or written by another version counts as missing. If
//! writing fails, the question is just asked again.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// The mark of every file; another number means another layout.
const MARK: &str = "quaestio answer 1";

/// The most bytes of a file besides the body.
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

/// A directory of answers.
#[derive(Debug, Clone)]
pub(crate) struct Cache {
    folder: PathBuf,
    body_bytes: u64,
}

impl Cache {
    /// Opens the cache in `folder`, creating it with access for its owner only if it does not exist.
    pub(crate) fn open(folder: &Path, body_bytes: usize) -> io::Result<Cache> {
        private_folder(folder)?;
        Ok(Cache { folder: folder.join("answers"), body_bytes: body_bytes as u64 })
    }

    pub(crate) async fn find(&self, key: &Key) -> Option<Kept> {
        let (path, limit) = (self.path(key), self.body_bytes.saturating_add(BESIDE));
        tokio::task::spawn_blocking(move || read(&path, limit)).await.ok().flatten()
    }

    pub(crate) async fn keep(&self, key: &Key, kept: Kept) {
        let path = self.path(key);
        // If writing fails, the question is asked again.
        let _ = tokio::task::spawn_blocking(move || write(&path, &kept)).await;
    }

    fn path(&self, Key(key): &Key) -> PathBuf {
        let (folder, name) = key.split_at(2);
        self.folder.join(folder).join(name)
    }
}

/// Opens a regular file, and nothing else: opening or reading a pipe would wait for its other end.
pub(crate) fn open(options: &OpenOptions, path: &Path) -> io::Result<File> {
    match fs::metadata(path) {
        Ok(found) if !found.is_file() => Err(io::ErrorKind::InvalidInput.into()),
        Ok(_) | Err(_) => options.open(path),
    }
}

fn read(path: &Path, limit: u64) -> Option<Kept> {
    let file = open(OpenOptions::new().read(true), path).ok()?;
    let mut bytes = Vec::new();
    file.take(limit.saturating_add(1)).read_to_end(&mut bytes).ok()?;
    if bytes.len() as u64 > limit { None } else { Kept::decode(&bytes) }
}

fn write(path: &Path, kept: &Kept) -> io::Result<()> {
    let folder = path.parent().ok_or(io::ErrorKind::InvalidInput)?;
    private_folder(folder)?;
    // It has another name until it is complete, so that no one reads half of it.
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(&kept.encode()?)?;
    file.persist(path)?;
    Ok(())
}

fn private_folder(folder: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

#[cfg(test)]
pub(crate) mod tests {
    use proptest::prelude::*;

    use super::*;

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

    /// Makes a pipe that no one else has open.
    #[cfg(unix)]
    pub(crate) fn pipe(path: &Path) {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        assert!(std::process::Command::new("mkfifo").arg(path).status().unwrap().success());
    }

    /// Writes more into the pipe than anyone reads from it, so that a blocked reader continues.
    #[cfg(unix)]
    pub(crate) fn let_go(path: &Path) {
        let mut pipe = OpenOptions::new().read(true).write(true).open(path).unwrap();
        pipe.write_all(&[b' '; 10_000]).unwrap();
    }

    #[cfg(unix)]
    #[tokio::test]
    async fn a_pipe_in_the_place_of_an_answer_is_none_and_holds_nobody_up() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::open(folder.path(), 1_000).unwrap();
        let path = cache.path(&key());
        pipe(&path);
        let found = tokio::time::timeout(Duration::from_secs(20), cache.find(&key())).await;
        if found.is_err() {
            let_go(&path);
        }
        assert_eq!(found, Ok(None));
        cache.keep(&key(), sample_kept(b"x")).await;
        assert_eq!(cache.find(&key()).await, Some(sample_kept(b"x")));
    }

    // proves: A2
    #[tokio::test]
    async fn what_is_kept_is_found_again_and_belongs_to_its_owner_alone() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().join("a/cache");
        let cache = Cache::open(&folder, 1_000).unwrap();
        assert_eq!(cache.find(&key()).await, None);
        for body in [&b"a\nb\0\xff"[..], b"", b"again"] {
            cache.keep(&key(), sample_kept(body)).await;
            assert_eq!(cache.find(&key()).await, Some(sample_kept(body)));
        }
        assert_eq!(cache.find(&Key::of(&[b"GEThttps://example.org/"])).await, None);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            for path in [folder.clone(), cache.path(&key()).parent().unwrap().to_owned()] {
                assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o700);
            }
        }
    }

    #[tokio::test]
    async fn what_is_larger_than_anything_that_was_kept_is_not_read() {
        let folder = tempfile::tempdir().unwrap();
        let large = sample_kept(&vec![b'x'; 200_000]);
        Cache::open(folder.path(), 200_000).unwrap().keep(&key(), large.clone()).await;
        assert_eq!(Cache::open(folder.path(), 200_000).unwrap().find(&key()).await, Some(large));
        assert_eq!(Cache::open(folder.path(), 100_000).unwrap().find(&key()).await, None);
    }

    #[tokio::test]
    async fn a_cache_that_cannot_be_written_is_no_error() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("answers"), "a file in the way").unwrap();
        let cache = Cache::open(folder.path(), 1_000).unwrap();
        cache.keep(&key(), sample_kept(b"x")).await;
        assert_eq!(cache.find(&key()).await, None);
        assert!(Cache::open(&folder.path().join("answers/x"), 1_000).is_err());
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
