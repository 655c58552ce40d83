//! The files within a file, under clean names and within limits.

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Read;

use crate::{Bounds, Inner, Writer};

/// The most files within a file.
const FILES: usize = 5_000;
/// The most bytes of all files within a file, in files of the largest size.
const TOTAL: u64 = 4;
/// The most files that are named for being left out.
const NAMED: usize = 20;
/// The most bytes of a part of a name.
const LONGEST: usize = 120;

/// Collects the files within a file.
pub(crate) struct Members {
    files: Vec<Inner>,
    /// How often each name came, in lower case.
    names: HashMap<String, usize>,
    /// The names that files have got, in lower case.
    taken: HashSet<String>,
    /// The files by the names that they came under and the hashes of their bytes.
    came: HashMap<(String, u64), usize>,
    each: u64,
    left: u64,
    left_out: Vec<String>,
    further: usize,
}

impl Members {
    pub(crate) fn new(bounds: &Bounds) -> Self {
        let (each, left) = (bounds.inner_bytes, total_bytes(bounds));
        Self {
            files: Vec::new(),
            names: HashMap::new(),
            taken: HashSet::new(),
            came: HashMap::new(),
            each,
            left,
            left_out: Vec::new(),
            further: 0,
        }
    }

    /// Reads a file to its end and adds it, or notes why it is left out. `name` is one that [`clean`] returned. A file that came before
    /// under the same name with the same bytes is not added again.
    ///
    /// Counts the bytes as they come, so that no header can promise fewer.
    pub(crate) fn read(&mut self, name: &str, from: impl Read) {
        if self.files.len() >= FILES {
            return self.leave_out(name, &format!("more than {FILES} files"));
        }
        let room = self.each.min(self.left);
        let mut bytes = Vec::new();
        match from.take(room.saturating_add(1)).read_to_end(&mut bytes) {
            Err(_) => self.leave_out(name, "damaged"),
            Ok(_) if bytes.len() as u64 > room => {
                // What was unpacked in vain counts too, or many such files take hours.
                self.left = self.left.saturating_sub(room / 4);
                self.leave_out(name, "too large");
            }
            // An empty file says nothing.
            Ok(_) if bytes.is_empty() => {}
            Ok(_) => {
                self.left -= bytes.len() as u64;
                let mut hasher = DefaultHasher::new();
                bytes.hash(&mut hasher);
                let key = (name.to_owned(), hasher.finish());
                let before = self.came.get(&key).and_then(|at| self.files.get(*at));
                if before.is_none_or(|before| before.bytes != bytes) {
                    self.came.insert(key, self.files.len());
                    let name = self.unique(name);
                    self.files.push(Inner { name, bytes });
                }
            }
        }
    }

    /// Returns whether no further byte may be added.
    pub(crate) fn is_full(&self) -> bool {
        self.left == 0 || self.files.len() >= FILES
    }

    /// Notes that a file was left out, and why.
    pub(crate) fn leave_out(&mut self, name: &str, why: &str) {
        if self.left_out.len() < NAMED {
            self.left_out.push(format!("{name} ({why})"));
        } else {
            self.further += 1;
        }
    }

    /// Writes a sentence that names what was left out, if anything was.
    pub(crate) fn tell(&self, page: &mut Writer) {
        let named = self.left_out.join(", ");
        let told = match (self.left_out.len(), self.further) {
            (0, _) => return,
            (_, 0) => named,
            (_, further) => format!("{named}, and {further} more"),
        };
        page.paragraph(&format!("Left out: {told}."));
        page.leave_out(told);
    }

    pub(crate) fn finish(self) -> Vec<Inner> {
        self.files
    }

    /// Returns a name that no file has yet: `name`, or with a number that sets it apart.
    fn unique(&mut self, name: &str) -> String {
        let folder = name.rfind('/').map_or(0, |at| at + 1);
        let end =
            name[folder..].rfind('.').filter(|at| *at > 0).map_or(name.len(), |at| folder + at);
        let count = self.names.entry(name.to_lowercase()).or_insert(0);
        loop {
            *count += 1;
            let unique = match *count {
                1 => name.to_owned(),
                count => format!("{} ({count}){}", &name[..end], &name[end..]),
            };
            if self.taken.insert(unique.to_lowercase()) {
                return unique;
            }
        }
    }
}

/// Returns the most bytes of all files within a file.
pub(crate) fn total_bytes(bounds: &Bounds) -> u64 {
    bounds.inner_bytes.saturating_mul(TOTAL)
}

/// Returns a path within an archive as a relative one that never leads out, or `None` for a file that people do not see: a hidden one,
/// or one that an operating system keeps for itself.
pub(crate) fn clean(path: &str) -> Option<String> {
    let mut parts: Vec<String> = Vec::new();
    for part in path.split(['/', '\\']) {
        let part: String = part.chars().filter(|c| !c.is_control()).collect();
        let part = part.trim();
        let is_drive = part.len() == 2 && part.ends_with(':');
        match part {
            "" | "." | ".." => {}
            _ if is_drive && parts.is_empty() => {}
            "__MACOSX" | "Thumbs.db" | "desktop.ini" => return None,
            _ if part.starts_with('.') => return None,
            part => parts.push(shortened(part)),
        }
    }
    (!parts.is_empty()).then(|| parts.join("/"))
}

/// Returns a name within [`LONGEST`] bytes, with its extension.
fn shortened(name: &str) -> String {
    if name.len() <= LONGEST {
        return name.to_owned();
    }
    let end = name.rsplit_once('.').map_or("", |(_, end)| end);
    if end.is_empty() || end.len() > 16 {
        return name[..name.floor_char_boundary(LONGEST)].to_owned();
    }
    format!("{}.{end}", &name[..name.floor_char_boundary(LONGEST - 1 - end.len())])
}

#[cfg(test)]
mod tests {
    use super::*;

    // proves: A6
    #[test]
    fn a_name_never_leads_out_and_hidden_files_have_none() {
        let check = |path: &str, name: Option<&str>| {
            assert_eq!(clean(path).as_deref(), name, "{path}");
        };
        check("a/b.txt", Some("a/b.txt"));
        check("/etc/passwd", Some("etc/passwd"));
        check("../../a\\..\\b", Some("a/b"));
        check("C:\\notes\\tea.txt", Some("notes/tea.txt"));
        check("./a//b\u{0}\n", Some("a/b"));
        check("__MACOSX/a.txt", None);
        check("a/.git/config", None);
        check("..", None);
        let long = clean(&format!("{}.pdf", "é".repeat(200))).unwrap();
        assert!(long.len() <= LONGEST && long.ends_with(".pdf"), "{long}");
    }

    // proves: A6
    #[test]
    fn files_come_within_the_limits_under_different_names() {
        let mut members = Members::new(&Bounds { inner_bytes: 4, ..Bounds::default() });
        members.read("a.txt", &b"1234"[..]);
        members.read("A.txt", &b"12"[..]);
        members.read("A.txt", &b"12"[..]);
        members.read("a (3).txt", &b"3"[..]);
        members.read("a.txt", &b"4"[..]);
        members.read(".a", &b"5"[..]);
        members.read(".a", &b"6"[..]);
        members.read("empty", &b""[..]);
        members.read("b", &b"12345"[..]);
        let mut page = Writer::new(100);
        members.tell(&mut page);
        let told = ("left_out".to_owned(), "b (too large)".to_owned());
        assert_eq!(page.left_out(), Some(told));
        assert_eq!(page.finish(), "Left out: b (too large).");
        let names: Vec<String> = members.finish().into_iter().map(|file| file.name).collect();
        assert_eq!(names, ["a.txt", "A (2).txt", "a (3).txt", "a (4).txt", ".a", ".a (2)"]);
    }
}
