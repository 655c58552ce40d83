//! The container of a bundle: a zip archive of which every byte is determined by its members.
//!
//! Members lie one behind another in the order in which they are listed, without gaps, extra fields or comments of their own. The
//! comment of the archive is the SHA-256 of everything before it, so that a changed byte shows wherever it stands.

use std::collections::BTreeSet;
use std::io::{Cursor, Read, Write};

use run::entry::Hash;
use thiserror::Error;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

/// The most bytes of all members together, unpacked: more is refused before it is unpacked.
pub const MOST_BYTES: u64 = 1 << 30;
/// The most members.
pub const MOST_MEMBERS: usize = 20_000;
/// Bytes of a digest as the comment spells it.
const DIGEST: usize = 64;
/// Bytes of a member's header before its name.
const HEADER: u64 = 30;

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
    #[error("it is no zip archive: {reason}")]
    NoArchive { reason: String },
    #[error("its bytes are not those that were written: the digest at its end differs")]
    Changed,
    #[error("it does not end in the digest of its bytes")]
    NoDigest,
    #[error("{name}: {reason}")]
    Member { name: String, reason: String },
    #[error("unpacked it has more than {MOST_BYTES} bytes or {MOST_MEMBERS} members")]
    TooLarge,
}

/// Writes members into an archive. The same members give the same bytes.
///
/// # Errors
///
/// If two members have one name, or the members are too large.
pub fn write(members: &[Member]) -> Result<Vec<u8>, ArchiveError> {
    let bytes: u64 = members.iter().map(|member| member.bytes.len() as u64).sum();
    if bytes > MOST_BYTES || members.len() > MOST_MEMBERS {
        return Err(ArchiveError::TooLarge);
    }
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default()
        .compression_method(CompressionMethod::Deflated)
        .last_modified_time(zip::DateTime::default());
    for Member { name, bytes } in members {
        let failed = |reason: String| ArchiveError::Member { name: name.clone(), reason };
        writer.start_file(name.as_str(), options).map_err(|error| failed(error.to_string()))?;
        writer.write_all(bytes).map_err(|error| failed(error.to_string()))?;
    }
    writer.set_raw_comment(Box::from([b'0'; DIGEST])).map_err(no_archive)?;
    let mut archive = writer.finish().map_err(no_archive)?.into_inner();
    let digest = Hash::of(archive.get(..archive.len() - DIGEST).unwrap_or_default()).to_string();
    archive.truncate(archive.len() - DIGEST);
    archive.extend_from_slice(digest.as_bytes());
    Ok(archive)
}

#[expect(clippy::needless_pass_by_value, reason = "it is what `map_err` passes")]
fn no_archive(error: zip::result::ZipError) -> ArchiveError {
    ArchiveError::NoArchive { reason: error.to_string() }
}

/// Reads the members of an archive, in their order.
///
/// # Errors
///
/// If the bytes are not exactly what [`write`] made of some members.
pub fn read(archive: &[u8]) -> Result<Vec<Member>, ArchiveError> {
    let mut reader = ZipArchive::new(Cursor::new(archive)).map_err(no_archive)?;
    check_digest(archive, reader.comment())?;
    if reader.len() > MOST_MEMBERS {
        return Err(ArchiveError::TooLarge);
    }
    let mut members = Vec::with_capacity(reader.len());
    let (mut names, mut next, mut left) = (BTreeSet::new(), 0, MOST_BYTES);
    for index in 0..reader.len() {
        let mut file = reader.by_index(index).map_err(no_archive)?;
        let name = file.name().to_owned();
        let wrong =
            |reason: &str| ArchiveError::Member { name: name.clone(), reason: reason.into() };
        if !names.insert(name.clone()) {
            return Err(wrong("it is there twice"));
        }
        let begins = file.header_start();
        let data = file.data_start().ok_or_else(|| wrong("it has no place in the archive"))?;
        // Two readers of the archive must not find two contents: what one takes from the list, another takes from the headers.
        if begins != next || data != begins + HEADER + name.len() as u64 {
            return Err(wrong("it does not begin where the member before it ends"));
        }
        let heading = usize::try_from(begins + HEADER).ok();
        let spelled = heading.and_then(|from| archive.get(from..from + name.len()));
        if spelled != Some(name.as_bytes()) {
            return Err(wrong("its header spells another name"));
        }
        let packed = [CompressionMethod::Deflated, CompressionMethod::Stored];
        if !packed.contains(&file.compression()) || file.encrypted() {
            return Err(wrong("it is packed in a way that bundles are not"));
        }
        next = data + file.compressed_size();
        let mut bytes = Vec::new();
        let read = (&mut file).take(left + 1).read_to_end(&mut bytes);
        read.map_err(|error| wrong(&error.to_string()))?;
        left = left.checked_sub(bytes.len() as u64).ok_or(ArchiveError::TooLarge)?;
        members.push(Member { name, bytes });
    }
    if reader.central_directory_start() != next || reader.offset() != 0 {
        return Err(ArchiveError::NoArchive {
            reason: "there are bytes that belong to no member".into(),
        });
    }
    Ok(members)
}

/// Checks that an archive ends in the digest of everything before it.
fn check_digest(archive: &[u8], comment: &[u8]) -> Result<(), ArchiveError> {
    let split = archive.len().checked_sub(DIGEST).and_then(|at| archive.split_at_checked(at));
    let (before, told) = split.ok_or(ArchiveError::NoDigest)?;
    if comment.len() != DIGEST || comment != told {
        return Err(ArchiveError::NoDigest);
    }
    match Hash::of(before).to_string().as_bytes() == told {
        true => Ok(()),
        false => Err(ArchiveError::Changed),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn members() -> Vec<Member> {
        let member = |name: &str, bytes: &[u8]| Member { name: name.into(), bytes: bytes.into() };
        vec![
            member("manifest.json", b"{}"),
            member("log.jsonl", &b"a line\n".repeat(500)),
            member("sources/\u{e9}.txt", "Soho, 1854".as_bytes()),
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
    fn sealed(mut archive: Vec<u8>) -> Vec<u8> {
        let end = archive.len() - DIGEST;
        let digest = Hash::of(&archive[..end]).to_string();
        archive.truncate(end);
        archive.extend_from_slice(digest.as_bytes());
        archive
    }

    // proves: C14
    #[test]
    fn an_archive_that_two_readers_would_read_differently_is_refused() {
        let archive = write(&members()).unwrap();
        let at =
            |needle: &[u8]| archive.windows(needle.len()).position(|one| one == needle).unwrap();
        let mut other_name = archive.clone();
        other_name[at(b"log.jsonl")] = b'L';
        assert!(matches!(read(&sealed(other_name)), Err(ArchiveError::Member { .. })));
        let padded =
            [&archive[..at(b"PK\x01\x02")], b"hidden", &archive[at(b"PK\x01\x02")..]].concat();
        assert!(read(&sealed(padded)).is_err());
        assert!(read(&sealed([b"hidden", &archive[..]].concat())).is_err());
    }
}
