//! The container of a bundle: a zip archive of which every byte is determined by its members.
//!
//! Members are stored as they are, one behind another in the order in which they are listed, and each field of a header has one form.
//! The comment of the archive is the SHA-256 of everything before it, so that a changed byte shows wherever it stands. Reading makes the
//! archive again from what was read and compares: nothing can stand between members, and no two readers of zip files find different
//! contents.

use std::collections::BTreeSet;

use run::entry::Hash;
use thiserror::Error;

/// The most bytes of an archive.
pub const MOST_BYTES: usize = 256 << 20;
/// The most members.
pub const MOST_MEMBERS: usize = 20_000;
/// Bytes of a digest as the comment spells it.
const DIGEST: usize = 64;

/// Signatures of the parts of a zip archive (PKWARE, APPNOTE.TXT 6.3.10, sections 4.3.7, 4.3.12 and 4.3.16).
const HEADER: [u8; 4] = *b"PK\x03\x04";
const ENTRY: [u8; 4] = *b"PK\x01\x02";
const END: [u8; 4] = *b"PK\x05\x06";
/// Bytes of a header before its name.
const HEADER_BYTES: usize = 30;
/// The first version of the format, which stores files as they are.
const VERSION: u16 = 10;
/// Made on Unix, by that version.
const MADE_BY: u16 = 3 << 8 | VERSION;
/// 1 January 1980, the first day that there is.
const DATE: u16 = 0x21;
/// A regular file that its owner writes and everybody reads.
const ATTRIBUTES: u32 = 0o100_644 << 16;

/// A file in a bundle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    /// With `/` between folders.
    pub name: String,
    pub bytes: Vec<u8>,
}

/// Why bytes are no container of a bundle.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ArchiveError {
    #[error("it is not a zip archive with a bundle")]
    NoArchive,
    #[error("it was changed after it was written: the digest at its end does not match")]
    Changed,
    #[error(
        "it is not packed the way bundles are, so other zip programs may read something else from it"
    )]
    OtherForm,
    #[error("\"{name}\" does not belong in a bundle, or is in it twice")]
    Name { name: String },
    #[error("it has more than {MOST_BYTES} bytes or {MOST_MEMBERS} files")]
    TooLarge,
}

/// Writes members into an archive. The same members give the same bytes.
///
/// # Errors
///
/// If two members have one name, a name is none of a file in a bundle, or the members are too large.
pub fn write(members: &[Member]) -> Result<Vec<u8>, ArchiveError> {
    let bytes = members.iter().fold(0_usize, |sum, one| sum.saturating_add(one.bytes.len()));
    if bytes > MOST_BYTES || members.len() > MOST_MEMBERS {
        return Err(ArchiveError::TooLarge);
    }
    let mut names = BTreeSet::new();
    let (mut archive, mut directory) = (Vec::with_capacity(bytes + (1 << 16)), Vec::new());
    for Member { name, bytes } in members {
        if !is_name(name) || !names.insert(name.to_ascii_lowercase()) {
            return Err(ArchiveError::Name { name: name.clone() });
        }
        let (at, size) = (small(archive.len())?, small(bytes.len())?);
        let length = u16::try_from(name.len()).map_err(|_| ArchiveError::TooLarge)?;
        let mut common = Vec::new();
        // Version, flags, method, time.
        for field in [VERSION, 0, 0, 0, DATE] {
            common.extend_from_slice(&field.to_le_bytes());
        }
        for field in [crc32fast::hash(bytes), size, size] {
            common.extend_from_slice(&field.to_le_bytes());
        }
        // The length of the name, and of what else may be told.
        for field in [length, 0] {
            common.extend_from_slice(&field.to_le_bytes());
        }
        archive.extend_from_slice(&HEADER);
        archive.extend_from_slice(&common);
        archive.extend_from_slice(name.as_bytes());
        archive.extend_from_slice(bytes);
        directory.extend_from_slice(&ENTRY);
        directory.extend_from_slice(&MADE_BY.to_le_bytes());
        directory.extend_from_slice(&common);
        // The length of its comment, its disk, whether it is text.
        directory.extend_from_slice(&[0; 6]);
        directory.extend_from_slice(&ATTRIBUTES.to_le_bytes());
        directory.extend_from_slice(&at.to_le_bytes());
        directory.extend_from_slice(name.as_bytes());
    }
    let count = u16::try_from(members.len()).map_err(|_| ArchiveError::TooLarge)?;
    let (at, size) = (small(archive.len())?, small(directory.len())?);
    archive.extend_from_slice(&directory);
    archive.extend_from_slice(&END);
    // Disks.
    archive.extend_from_slice(&[0; 4]);
    for field in [count, count] {
        archive.extend_from_slice(&field.to_le_bytes());
    }
    for field in [size, at] {
        archive.extend_from_slice(&field.to_le_bytes());
    }
    archive.extend_from_slice(&u16::try_from(DIGEST).unwrap_or_default().to_le_bytes());
    let digest = Hash::of(&archive).to_string();
    archive.extend_from_slice(digest.as_bytes());
    Ok(archive)
}

fn small(number: usize) -> Result<u32, ArchiveError> {
    u32::try_from(number).map_err(|_| ArchiveError::TooLarge)
}

/// Returns whether a file in a bundle may have that name: a path below the folder that it is unpacked to, of plain letters.
fn is_name(name: &str) -> bool {
    const LONGEST: usize = 200;
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    let is_part = |part: &str| {
        !part.is_empty()
            && !part.starts_with('.')
            && !part.ends_with('.')
            && part.chars().all(is_plain)
    };
    name.len() <= LONGEST && name.split('/').all(is_part)
}

/// Reads the members of an archive, in their order.
///
/// # Errors
///
/// If the bytes are not exactly what [`write()`] makes of some members.
pub fn read(archive: &[u8]) -> Result<Vec<Member>, ArchiveError> {
    if archive.len() > MOST_BYTES {
        return Err(ArchiveError::TooLarge);
    }
    let split = archive.len().checked_sub(DIGEST).and_then(|at| archive.split_at_checked(at));
    let (before, told) =
        split.filter(|_| archive.starts_with(&HEADER)).ok_or(ArchiveError::NoArchive)?;
    if Hash::of(before).to_string().as_bytes() != told {
        return Err(ArchiveError::Changed);
    }
    let mut members: Vec<Member> = Vec::new();
    let mut rest = archive;
    while rest.starts_with(&HEADER) {
        if members.len() >= MOST_MEMBERS {
            return Err(ArchiveError::TooLarge);
        }
        let (member, behind) = take(rest).ok_or(ArchiveError::OtherForm)?;
        members.push(member);
        rest = behind;
    }
    match write(&members)? == archive {
        true => Ok(members),
        false => Err(ArchiveError::OtherForm),
    }
}

/// Returns the member that bytes begin with, and the bytes behind it.
fn take(bytes: &[u8]) -> Option<(Member, &[u8])> {
    let (header, rest) = bytes.split_at_checked(HEADER_BYTES)?;
    let size = u32::from_le_bytes(header.get(18..22)?.try_into().ok()?);
    let length = u16::from_le_bytes(header.get(26..28)?.try_into().ok()?);
    let (name, rest) = rest.split_at_checked(length.into())?;
    let (bytes, rest) = rest.split_at_checked(usize::try_from(size).ok()?)?;
    let name = std::str::from_utf8(name).ok()?.to_owned();
    Some((Member { name, bytes: bytes.to_vec() }, rest))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn members() -> Vec<Member> {
        let member = |name: &str, bytes: &[u8]| Member { name: name.into(), bytes: bytes.into() };
        vec![
            member("manifest.json", b"{}"),
            member("log.jsonl", &b"a line\n".repeat(50)),
            member("sources/0a.txt", "Soho, 1854".as_bytes()),
            member("empty", b""),
        ]
    }

    // proves: C14
    #[test]
    fn what_was_written_is_read_and_always_written_alike() {
        let archive = write(&members()).unwrap();
        assert_eq!(read(&archive).unwrap(), members());
        assert_eq!(write(&members()).unwrap(), archive);
    }

    // proves: C14
    #[test]
    fn every_changed_byte_shows_and_so_does_every_lost_or_added_one() {
        let archive = write(&members()).unwrap();
        for at in 0..archive.len() {
            for flip in [0x01, 0x20, 0xff] {
                let mut changed = archive.clone();
                changed[at] ^= flip;
                assert!(read(&changed).is_err(), "byte {at} ^ {flip}");
            }
            assert!(read(&archive[..at]).is_err());
        }
        for added in [[&b"x"[..], &archive].concat(), [&archive, &b"x"[..]].concat()] {
            assert!(read(&added).is_err());
        }
    }

    /// Returns an archive with another digest at its end, as somebody who knows how it is made would write it.
    fn seal(mut archive: Vec<u8>) -> Vec<u8> {
        let end = archive.len() - DIGEST;
        let digest = Hash::of(&archive[..end]).to_string();
        archive.truncate(end);
        archive.extend_from_slice(digest.as_bytes());
        archive
    }

    // proves: C14
    #[test]
    fn no_byte_of_its_form_is_free() {
        let archive = write(&members()).unwrap();
        for at in 0..archive.len() - DIGEST {
            let mut changed = archive.clone();
            changed[at] ^= 1;
            if let Ok(members) = read(&seal(changed)) {
                panic!("byte {at}: {members:?}");
            }
        }
    }

    // proves: C14
    #[test]
    fn nothing_is_hidden_between_its_parts() {
        let archive = write(&members()).unwrap();
        for at in 0..=archive.len() - DIGEST {
            let hidden = [&archive[..at], b"PK\x01\x02hidden", &archive[at..]].concat();
            assert!(read(&seal(hidden)).is_err(), "at {at}");
        }
    }

    // proves: C14
    #[test]
    fn no_member_leaves_the_folder_that_it_is_unpacked_to() {
        for name in [
            "../a",
            "/a",
            "a/../b",
            "C:a",
            "a\\b",
            "a\0",
            "",
            "a//b",
            ".a",
            "\u{e9}",
            "a\u{1b}[8m",
            "a/",
        ] {
            let member = Member { name: name.into(), bytes: vec![] };
            assert_eq!(write(&[member]), Err(ArchiveError::Name { name: name.into() }), "{name:?}");
        }
        let twice = ["a", "A"].map(|name| Member { name: name.into(), bytes: vec![] });
        assert!(write(&twice).is_err(), "some systems tell them not apart");
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        // proves: C14
        #[test]
        fn whatever_is_read_is_what_was_written(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            let sealed = seal([b"PK\x03\x04".to_vec(), bytes, vec![b'0'; DIGEST]].concat());
            if let Ok(members) = read(&sealed) {
                prop_assert_eq!(write(&members).unwrap(), sealed);
            }
        }
    }
}
