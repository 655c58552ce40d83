//! What a program left in its scratch folder. It is dead when somebody looks.

use std::fs;
use std::io::{self, Read};
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt};
use std::path::Path;

use run::sandbox::{Left, Limits};
use sha2::{Digest, Sha256};

use super::{files, hexadecimal};

/// How many files are named, and how many characters of a path.
const MOST: usize = 1_000;
const LONGEST: usize = 200;

/// Returns the files in a folder, in the order of their paths.
///
/// Whatever is not a plain file of its own (a link of either kind, a pipe, a socket) is named without being opened: it has no digest.
pub(crate) fn left(folder: &Path, limits: &Limits) -> Vec<Left> {
    files::open_up(folder, 0);
    let most = usize::try_from(limits.files).unwrap_or(MOST).min(MOST);
    let mut found = Vec::new();
    walk(folder, "", 0, most, &mut found);
    found.sort_by(|one: &Left, other| one.path.cmp(&other.path));
    let mut bytes = limits.scratch_mib.saturating_mul(1 << 20);
    for file in &mut found {
        bytes = bytes.saturating_sub(file.bytes);
    }
    found
}

fn walk(folder: &Path, above: &str, depth: usize, most: usize, found: &mut Vec<Left>) {
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
        let kind = about.file_type();
        let is_plain = kind.is_file() && about.nlink() == 1;
        debug_assert!(!(is_plain && kind.is_fifo()));
        let digest = is_plain.then(|| digest(&entry.path(), about.len()));
        let sha256 = digest.and_then(Result::ok).unwrap_or_default();
        let path = path.chars().take(LONGEST).collect();
        found.push(Left { path, bytes: if kind.is_file() { about.len() } else { 0 }, sha256 });
    }
}

/// Returns a name in which nothing ends a line or hides.
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
