//! ZIP and tar archives and single gzip files: their members become files within the file.
//!
//! Folders, links, devices and hidden files are left out in silence; what cannot be read is named in the text, which is empty otherwise.

mod directory;

use std::io::{Cursor, Read, Seek};

use flate2::read::MultiGzDecoder;
use zip::ZipArchive;
use zip::result::ZipError;

use crate::members::{Members, clean, total_bytes};
use crate::{Bounds, Fault, Parsed, Writer};
use directory::{Member, Single};

/// The most members of an archive that are looked at.
const ENTRIES: usize = 100_000;
/// The size of the blocks of a tar archive, in bytes.
const BLOCK: usize = 512;

/// Returns the members of a ZIP archive.
pub(crate) fn parse_zip(bytes: &[u8], bounds: &Bounds) -> Result<Parsed, Fault> {
    let title = "ZIP archive";
    let damaged = |_| Fault::Damaged { format: title.to_owned() };
    let mut zip = ZipArchive::new(Cursor::new(bytes)).map_err(damaged)?;
    let mut unpacked = Unpacked { members: Members::new(bounds), files: 0, encrypted: 0 };
    let mut single = Single::default();
    let all = directory::members(bytes, &zip);
    for member in all.iter().take(ENTRIES) {
        match member {
            Member::Listed(index) => unpacked.take(&mut zip, *index),
            Member::Earlier(record) => match single.open(record, bytes, &zip) {
                Some(mut alone) => unpacked.take(&mut alone, 0),
                None => unpacked.members.leave_out("an earlier version of a member", "damaged"),
            },
        }
    }
    if all.len() > ENTRIES {
        let further = format!("the last {} members", all.len() - ENTRIES);
        unpacked.members.leave_out(&further, "beyond the limit of the archive");
    }
    if unpacked.encrypted > 0 && unpacked.encrypted == unpacked.files {
        return Err(Fault::Encrypted { format: title.to_owned() });
    }
    Ok(finish(unpacked.members, bounds))
}

/// What was unpacked of a ZIP archive.
struct Unpacked {
    members: Members,
    /// How many members are files that people see, and how many of these are encrypted.
    files: usize,
    encrypted: usize,
}

impl Unpacked {
    /// Reads a member, or notes why it is left out.
    fn take<R: Read + Seek>(&mut self, zip: &mut ZipArchive<R>, index: usize) {
        let stored = zip.name_for_index(index).unwrap_or_default().to_owned();
        let file = match zip.by_index(index) {
            Ok(file) => file,
            Err(error) => {
                let Some(name) = clean(&stored).filter(|_| !stored.ends_with('/')) else { return };
                self.files += 1;
                let is_encrypted =
                    matches!(error, ZipError::UnsupportedArchive(ZipError::PASSWORD_REQUIRED));
                self.encrypted += usize::from(is_encrypted);
                let why = match error {
                    _ if is_encrypted => "encrypted",
                    ZipError::UnsupportedArchive(_)
                    | ZipError::CompressionMethodNotSupported(_) => {
                        "compressed in a way that is not supported"
                    }
                    _ => "damaged",
                };
                return self.members.leave_out(&name, why);
            }
        };
        // Names in UTF-8 are often not marked as such.
        let name = std::str::from_utf8(file.name_raw()).map_or_else(|_| stored, str::to_owned);
        let Some(name) = clean(&name).filter(|_| !file.is_dir() && !file.is_symlink()) else {
            return;
        };
        self.files += 1;
        if self.members.is_full() {
            self.members.leave_out(&name, "beyond the limit of the archive");
        } else {
            self.members.read(&name, file);
        }
    }
}

/// Returns whether the bytes are a tar archive or compressed by gzip.
pub fn recognize_tar(bytes: &[u8]) -> bool {
    bytes.starts_with(&[0x1f, 0x8b, 8]) || is_tar(bytes)
}

/// Returns the members of a tar archive, which gzip may have compressed, or the one file that gzip compressed.
pub(crate) fn parse_tar(bytes: &[u8], bounds: &Bounds) -> Result<Parsed, Fault> {
    let mut members = Members::new(bounds);
    if !bytes.starts_with(&[0x1f, 0x8b]) {
        if !is_tar(bytes) {
            return Err(Fault::Damaged { format: "TAR archive".to_owned() });
        }
        unpack(Cursor::new(bytes), &mut members);
        return Ok(finish(members, bounds));
    }
    let decoder = MultiGzDecoder::new(bytes);
    let name = decoder.header().and_then(|header| header.filename());
    let name = name.and_then(|name| clean(&String::from_utf8_lossy(name)));
    // Bounds what a tar archive may make its reader hold, such as a name of gigabytes.
    let most = total_bytes(bounds);
    let mut decoder = decoder.take(most);
    let mut first = Vec::with_capacity(BLOCK);
    let read = decoder.by_ref().take(BLOCK as u64).read_to_end(&mut first);
    if read.is_err() && first.is_empty() {
        return Err(Fault::Damaged { format: "gzip file".to_owned() });
    }
    let is_archive = is_tar(&first);
    let mut whole = Cursor::new(first).chain(decoder);
    if is_archive {
        unpack(&mut whole, &mut members);
        if whole.get_ref().1.limit() == 0 {
            let what = format!("whatever comes after {most} bytes");
            members.leave_out(&what, "beyond the limit of the archive");
        }
    } else {
        members.read(name.as_deref().unwrap_or("content"), whole);
    }
    Ok(finish(members, bounds))
}

fn unpack(from: impl Read, members: &mut Members) {
    let mut archive = tar::Archive::new(from);
    let Ok(entries) = archive.entries() else { return };
    for (index, entry) in entries.enumerate() {
        if index == ENTRIES {
            return members.leave_out("the rest of the archive", "beyond the limit of the archive");
        }
        let Ok(entry) = entry else {
            return members.leave_out("the rest of the archive", "damaged");
        };
        let kind = entry.header().entry_type();
        if !(kind.is_file() || kind.is_contiguous() || kind.is_gnu_sparse()) {
            continue;
        }
        let stored = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
        // A file whose name ends like a folder's is one in archives of before 1988.
        let Some(name) = clean(&stored).filter(|_| !stored.ends_with('/')) else { continue };
        if members.is_full() {
            members.leave_out(&name, "beyond the limit of the archive");
        } else {
            members.read(&name, entry);
        }
    }
}

/// Returns whether the first block is a tar header: by its mark, or else by its checksum.
fn is_tar(bytes: &[u8]) -> bool {
    let Some(block) = bytes.get(..BLOCK) else { return false };
    let Some(field) = block.get(148..156) else { return false };
    if block.get(257..262) == Some(b"ustar") {
        return true;
    }
    let stored = std::str::from_utf8(field).unwrap_or_default();
    let stored = u64::from_str_radix(stored.trim_matches(['\0', ' ']), 8);
    let sum: u64 = block.iter().map(|byte| u64::from(*byte)).sum();
    let own: u64 = field.iter().map(|byte| u64::from(*byte)).sum();
    block.first().is_some_and(|byte| *byte != 0) && stored == Ok(sum - own + 8 * u64::from(b' '))
}

fn finish(members: Members, bounds: &Bounds) -> Parsed {
    let mut page = Writer::new(bounds.text_bytes);
    members.tell(&mut page);
    let metadata = page.left_out().into_iter().collect();
    Parsed { text: page.finish(), metadata, inner: members.finish(), ..Parsed::default() }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::{Compression, GzBuilder};
    use proptest::prelude::*;

    use super::*;
    use crate::archive::tests::zipped;

    fn tarred(files: &[(&str, &[u8])]) -> Vec<u8> {
        let mut tar = tar::Builder::new(Vec::new());
        for (name, bytes) in files {
            let mut header = tar::Header::new_gnu();
            header.as_gnu_mut().unwrap().name[..name.len()].copy_from_slice(name.as_bytes());
            header.set_size(bytes.len() as u64);
            header.set_mode(0o644);
            header.set_cksum();
            tar.append(&header, *bytes).unwrap();
        }
        tar.into_inner().unwrap()
    }

    fn gzipped(name: &str, bytes: &[u8]) -> Vec<u8> {
        let mut gz = GzBuilder::new().filename(name).write(Vec::new(), Compression::fast());
        gz.write_all(bytes).unwrap();
        gz.finish().unwrap()
    }

    fn listed(parsed: &Parsed) -> Vec<(&str, &[u8])> {
        parsed.inner.iter().map(|file| (&*file.name, &*file.bytes)).collect()
    }

    // proves: A6
    #[test]
    fn the_members_of_an_archive_are_files_of_their_own() {
        let bounds = Bounds::default();
        let zip = zipped(&[("a/tea.txt", "Tea."), ("../b.md", "# B"), ("__MACOSX/._a", "x")]);
        let parsed = parse_zip(&zip, &bounds).unwrap();
        assert_eq!(listed(&parsed), [("a/tea.txt", &b"Tea."[..]), ("b.md", b"# B")]);
        assert_eq!(parsed.text, "");

        let tar = tarred(&[("./tea.txt", b"Tea."), (".hidden", b"x"), ("/abs/b.md", b"# B")]);
        assert!(recognize_tar(&tar));
        let expected = [("tea.txt", &b"Tea."[..]), ("abs/b.md", b"# B")];
        assert_eq!(listed(&parse_tar(&tar, &bounds).unwrap()), expected);
        assert_eq!(listed(&parse_tar(&gzipped("x.tar", &tar), &bounds).unwrap()), expected);

        let one = gzipped("notes.txt", b"Tea.");
        assert!(recognize_tar(&one));
        assert_eq!(listed(&parse_tar(&one, &bounds).unwrap()), [("notes.txt", &b"Tea."[..])]);
        assert!(!recognize_tar(b"ustar is a format of archives"));
        assert!(parse_tar(&b"no archive ".repeat(100), &bounds).is_err());
    }

    /// Returns an archive in which each name is the same, with other bytes.
    fn of_one_name(name: &str, versions: &[&str]) -> Vec<u8> {
        let names: Vec<String> =
            (0..versions.len()).map(|index| format!("{index}{}", &name[1..])).collect();
        let files: Vec<(&str, &str)> =
            names.iter().map(String::as_str).zip(versions.iter().copied()).collect();
        let mut zip = zipped(&files);
        for at in 0..zip.len() - name.len() {
            if zip[at + 1..].starts_with(&name.as_bytes()[1..]) {
                zip[at] = name.as_bytes()[0];
            }
        }
        zip
    }

    // proves: A6
    #[test]
    fn members_of_one_name_are_all_read() {
        let bounds = Bounds::default();
        let zip = of_one_name("rates.csv", &["old rates", "new rates", "old rates", "newest"]);
        let expected = [
            ("rates.csv", &b"old rates"[..]),
            ("rates (2).csv", b"new rates"),
            ("rates (3).csv", b"newest"),
        ];
        assert_eq!(listed(&parse_zip(&zip, &bounds).unwrap()), expected);
        // Behind a program that unpacks it, offsets count from the archive or from the program.
        let behind = [&b"#!/bin/sh\n"[..], &zip].concat();
        assert_eq!(listed(&parse_zip(&behind, &bounds).unwrap()), expected);
        let tar = tarred(&[
            ("rates.csv", b"old rates"),
            ("rates (2).csv", b"other"),
            ("rates.csv", b"new rates"),
            ("rates.csv", b"old rates"),
        ]);
        assert_eq!(
            listed(&parse_tar(&tar, &bounds).unwrap()),
            [
                ("rates.csv", &b"old rates"[..]),
                ("rates (2).csv", b"other"),
                ("rates (3).csv", b"new rates"),
            ]
        );
    }

    // proves: A6
    #[test]
    fn only_what_its_flags_say_is_encrypted() {
        let bounds = Bounds::default();
        let mut zip = zipped(&[("a.txt", "some tea"), ("b.txt", "more tea")]);
        assert!(matches!(parse_zip(&zip[..zip.len() / 2], &bounds), Err(Fault::Damaged { .. })));
        let marks = |zip: &[u8], mark: &[u8]| -> Vec<usize> {
            (0..zip.len()).filter(|at| zip[*at..].starts_with(mark)).collect()
        };
        let (own, listed) = (marks(&zip, b"PK\x03\x04"), marks(&zip, b"PK\x01\x02"));
        (zip[own[0] + 6], zip[listed[0] + 8]) = (1, 1);
        assert_eq!(parse_zip(&zip, &bounds).unwrap().text, "Left out: a.txt (encrypted).");
        (zip[own[1] + 6], zip[listed[1] + 8]) = (1, 1);
        assert!(matches!(parse_zip(&zip, &bounds), Err(Fault::Encrypted { .. })));
    }

    // proves: A6
    #[test]
    fn what_unpacks_to_more_than_the_limit_is_named() {
        let bounds = Bounds { inner_bytes: 1_000, ..Bounds::default() };
        let large = "tea ".repeat(100_000);
        let parsed = parse_zip(&zipped(&[("a", &large), ("b", "x")]), &bounds).unwrap();
        assert_eq!(listed(&parsed), [("b", &b"x"[..])]);
        assert_eq!(parsed.text, "Left out: a (too large).");
        let tar = gzipped("", &tarred(&[("a", large.as_bytes()), ("b", b"x")]));
        let parsed = parse_tar(&tar, &bounds).unwrap();
        assert!(parsed.text.starts_with("Left out: a (too large)"), "{}", parsed.text);
        let parsed = parse_tar(&gzipped("", large.as_bytes()), &bounds).unwrap();
        assert_eq!(parsed.text, "Left out: content (too large).");
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        // proves: A6
        #[test]
        fn a_damaged_archive_is_read_or_refused(
            flips in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..8),
            cut in any::<prop::sample::Index>(),
            kind in 0..4,
        ) {
            let mut bytes = match kind {
                0 => zipped(&[("a.txt", "some tea"), ("b.txt", "more tea")]),
                1 => tarred(&[("a.txt", b"some tea"), ("b.txt", b"more tea")]),
                2 => of_one_name("a.txt", &["some tea", "more tea"]),
                _ => gzipped("a", &tarred(&[("a.txt", b"some tea")])),
            };
            for (at, byte) in flips {
                let at = at.index(bytes.len());
                bytes[at] = byte;
            }
            bytes.truncate(cut.index(bytes.len() * 2).max(1));
            let bounds = Bounds { text_bytes: 10_000, inner_bytes: 1_000 };
            for parsed in [parse_zip(&bytes, &bounds), parse_tar(&bytes, &bounds)].into_iter().flatten() {
                prop_assert!(parsed.inner.iter().all(|file| file.bytes.len() <= 1_000));
            }
        }
    }
}
