//! The members of a ZIP archive, also those whose name a later one has: an archive that files were added to keeps their earlier
//! versions, and its reader knows only the last of each name.

use std::collections::HashMap;
use std::io::{Cursor, Read, Seek};

use zip::ZipArchive;
use zip::read::{ArchiveOffset, Config};

/// What a record of the directory begins with, and how long it is without its names and comments.
const RECORD: &[u8] = b"PK\x01\x02";
const RECORD_LENGTH: usize = 46;

/// Where a member is read from.
#[derive(Debug, PartialEq)]
pub(super) enum Member<'a> {
    /// From the archive, by its index.
    Listed(usize),
    /// By its record, as a later member has its name.
    Earlier(&'a [u8]),
}

/// Returns the members in the order of the directory.
pub(super) fn members<'a, R: Read + Seek>(bytes: &'a [u8], zip: &ZipArchive<R>) -> Vec<Member<'a>> {
    let listed = || (0..zip.len()).map(Member::Listed).collect();
    let all = records(bytes, zip);
    if all.len() <= zip.len() {
        return listed();
    }
    // The archive has its members in the order in which their names come first.
    let mut names: HashMap<&[u8], (usize, usize)> = HashMap::new();
    for (at, (name, _)) in all.iter().enumerate() {
        let index = names.len();
        names.entry(name).or_insert((index, at)).1 = at;
    }
    if names.len() != zip.len() {
        return listed();
    }
    let member = |(at, (name, record)): (usize, &(&'a [u8], &'a [u8]))| match names.get(name) {
        Some((index, last)) if *last == at => Member::Listed(*index),
        _ => Member::Earlier(record),
    };
    all.iter().enumerate().map(member).collect()
}

/// Returns the names in the directory with their records.
fn records<'a, R: Read + Seek>(bytes: &'a [u8], zip: &ZipArchive<R>) -> Vec<(&'a [u8], &'a [u8])> {
    let mut found = Vec::new();
    let mut rest = start(zip).and_then(|at| bytes.get(at..)).unwrap_or_default();
    while rest.starts_with(RECORD) {
        let length = |at: usize| {
            let two = rest.get(at..at + 2).and_then(|two| two.try_into().ok());
            two.map(|two| usize::from(u16::from_le_bytes(two)))
        };
        let (Some(name), Some(extra), Some(comment)) = (length(28), length(30), length(32)) else {
            break;
        };
        let whole = RECORD_LENGTH + name + extra + comment;
        let (Some(record), Some(name)) =
            (rest.get(..whole), rest.get(RECORD_LENGTH..RECORD_LENGTH + name))
        else {
            break;
        };
        found.push((name, record));
        rest = &rest[whole..];
    }
    found
}

/// Returns where the directory begins.
fn start<R: Read + Seek>(zip: &ZipArchive<R>) -> Option<usize> {
    usize::try_from(zip.central_directory_start()).ok()
}

/// Opens members by their records, each as an archive of its own.
#[derive(Default)]
pub(super) struct Single {
    /// What comes before the directory, and the directory of one member.
    bytes: Vec<u8>,
}

impl Single {
    /// Returns an archive of nothing but the member with this record of the archive in `bytes`.
    pub(super) fn open<'s, R: Read + Seek>(
        &'s mut self,
        record: &[u8],
        bytes: &[u8],
        zip: &ZipArchive<R>,
    ) -> Option<ZipArchive<Cursor<&'s [u8]>>> {
        let end = start(zip)?;
        if self.bytes.is_empty() {
            self.bytes.extend_from_slice(bytes.get(..end)?);
        }
        self.bytes.truncate(end);
        self.bytes.extend_from_slice(record);
        let offset = zip.central_directory_start().checked_sub(zip.offset())?;
        self.bytes.extend_from_slice(b"PK\x05\x06\0\0\0\0\x01\0\x01\0");
        self.bytes.extend_from_slice(&u32::try_from(record.len()).ok()?.to_le_bytes());
        self.bytes.extend_from_slice(&u32::try_from(offset).ok()?.to_le_bytes());
        self.bytes.extend_from_slice(&[0, 0]);
        let config = Config { archive_offset: ArchiveOffset::Known(zip.offset()) };
        ZipArchive::with_config(config, Cursor::new(&*self.bytes)).ok()
    }
}
