//! Inspects the files that a program left in its scratch folder, once it is dead.

use std::fs;
use std::io::{self, Read};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use run::sandbox::{Left, Limits};
use sha2::{Digest, Sha256};

use super::{files, hexadecimal};

/// The most files listed, and the most characters of a path.
const MOST: usize = 1_000;
const LONGEST: usize = 200;

/// Returns the files in a folder, ordered by path.
///
/// Anything but a plain file with one name (a link of either kind, a pipe, a socket) is listed without being opened and has no digest.
pub(crate) fn left(folder: &Path, limits: &Limits) -> Vec<Left> {
    files::open_up(folder, 0);
    let most = usize::try_from(limits.files).unwrap_or(MOST).min(MOST);
    let mut found = Vec::new();
    walk(folder, "", 0, most, &mut found);
    found.sort_by(|one, other| one.0.path.cmp(&other.0.path));
    // Sparse files may seem larger than all that can be stored; no more is read then.
    let mut bytes = limits.scratch_mib.saturating_mul(1 << 20);
    let found = found.into_iter().map(|(mut file, plain)| {
        if let Some(path) = plain.filter(|_| file.bytes <= bytes) {
            bytes -= file.bytes;
            file.sha256 = digest(&path, file.bytes).unwrap_or_default();
        }
        file
    });
    found.collect()
}

/// A file without its digest, and its full path if it is a plain file.
type Found = (Left, Option<PathBuf>);

fn walk(folder: &Path, above: &str, depth: usize, most: usize, found: &mut Vec<Found>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if found.len() >= most {
            return;
        }
        let Ok(about) = fs::symlink_metadata(entry.path()) else { continue };
        let path = format!("{above}{}", shown(&entry.file_name().to_string_lossy()));
        if about.is_dir() {
            if depth < files::DEEPEST {
                walk(&entry.path(), &format!("{path}/"), depth + 1, most, found);
            }
            continue;
        }
        let bytes = if about.is_file() { about.len() } else { 0 };
        let is_plain = about.is_file() && about.nlink() == 1;
        let path = path.chars().take(LONGEST).collect();
        let left = Left { path, bytes, sha256: String::new() };
        found.push((left, is_plain.then(|| entry.path())));
    }
}

/// Returns a name without characters that end a line or hide.
fn shown(name: &str) -> String {
    name.chars().map(|c| if c.is_control() { char::REPLACEMENT_CHARACTER } else { c }).collect()
}

fn digest(path: &Path, bytes: u64) -> io::Result<String> {
    let flags = libc::O_NOFOLLOW | libc::O_NONBLOCK;
    let mut options = fs::OpenOptions::new();
    let mut file = options.read(true).custom_flags(flags).open(path)?.take(bytes);
    let (mut hasher, mut buffer) = (Sha256::new(), vec![0; 1 << 16]);
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok(hexadecimal(&hasher.finalize())),
            read => hasher.update(&buffer[..read]),
        }
    }
}
