//! The files in a ZIP archive, counted as they are unpacked and not by the sizes in its headers.

use std::collections::HashMap;
use std::io::{Cursor, Read};

use zip::ZipArchive;
use zip::result::ZipError;

use crate::{Bounds, Fault};

/// The most files in an archive.
const ENTRIES: usize = 20_000;
/// The most unpacked bytes for each byte of text that is allowed.
const UNPACKED_FOR_TEXT: u64 = 8;

/// An open archive.
pub struct Archive<'a> {
    zip: ZipArchive<Cursor<&'a [u8]>>,
    format: &'static str,
    /// How many more bytes may be unpacked, for all its files together.
    left: u64,
    most: u64,
    /// Case-insensitive names, as Office looks them up.
    folded: HashMap<String, usize>,
}

impl<'a> Archive<'a> {
    pub fn open(bytes: &'a [u8], format: &'static str, bounds: &Bounds) -> Result<Self, Fault> {
        let zip = opened(bytes, format)?;
        let names = zip.file_names().map(str::to_lowercase);
        let folded = names.enumerate().map(|(index, name)| (name, index)).collect();
        let most = bounds.text_bytes.saturating_mul(UNPACKED_FOR_TEXT);
        Ok(Self { zip, format, left: most, most, folded })
    }

    /// Returns the bytes of the file called `name`, or `None` if there is no such file.
    ///
    /// Fails if more bytes are unpacked than the limits allow, whatever the header says.
    pub fn file(&mut self, name: &str) -> Result<Option<Vec<u8>>, Fault> {
        let name = name.trim_start_matches('/');
        let index = self.zip.index_for_name(name);
        let Some(index) = index.or(self.folded.get(&name.to_lowercase()).copied()) else {
            return Ok(None);
        };
        let damaged = || Fault::Damaged { format: self.format.to_owned() };
        let file = match self.zip.by_index(index) {
            Ok(file) if file.encrypted() => {
                return Err(Fault::Encrypted { format: self.format.to_owned() });
            }
            Ok(file) => file,
            Err(ZipError::UnsupportedArchive(ZipError::PASSWORD_REQUIRED)) => {
                return Err(Fault::Encrypted { format: self.format.to_owned() });
            }
            Err(_) => return Err(damaged()),
        };
        let mut bytes = Vec::new();
        file.take(self.left.saturating_add(1)).read_to_end(&mut bytes).map_err(|_| damaged())?;
        let taken = bytes.len() as u64;
        if taken > self.left {
            let what = format!("it unpacks to more than {} bytes", self.most);
            return Err(Fault::TooComplex { what });
        }
        self.left -= taken;
        Ok(Some(bytes))
    }

    /// Returns the bytes of a file that the document cannot do without.
    pub fn needed(&mut self, name: &str) -> Result<Vec<u8>, Fault> {
        self.file(name)?.ok_or_else(|| Fault::Damaged { format: self.format.to_owned() })
    }
}

/// Returns the names of the files in an archive.
pub fn names(bytes: &[u8]) -> Result<Vec<String>, Fault> {
    Ok(opened(bytes, "ZIP archive")?.file_names().map(str::to_owned).collect())
}

fn opened<'a>(
    bytes: &'a [u8],
    format: &'static str,
) -> Result<ZipArchive<Cursor<&'a [u8]>>, Fault> {
    let zip = ZipArchive::new(Cursor::new(bytes))
        .map_err(|_| Fault::Damaged { format: format.to_owned() })?;
    if zip.len() > ENTRIES {
        return Err(Fault::TooComplex { what: format!("more than {ENTRIES} files in it") });
    }
    Ok(zip)
}

/// Returns the name within the archive that `target` resolves to, relative to the file `from`.
///
/// A path that would climb out of the archive stays at its top.
pub fn resolved(from: &str, target: &str) -> String {
    let target = target.split(['#', '?']).next().unwrap_or_default();
    let mut parts: Vec<String> = Vec::new();
    if !target.starts_with('/') {
        parts.extend(from.split('/').map(str::to_owned));
        parts.pop();
    }
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(unescaped(part)),
        }
    }
    parts.join("/")
}

/// Returns `part` of an address with percent-encoding decoded.
fn unescaped(part: &str) -> String {
    let mut bytes = Vec::with_capacity(part.len());
    let mut rest = part.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let escaped = after.get(..2).filter(|_| *first == b'%');
        let escaped = escaped.and_then(|two| std::str::from_utf8(two).ok());
        match escaped.and_then(|two| u8::from_str_radix(two, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = &after[2..];
            }
            None => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    String::from_utf8(bytes).unwrap_or_else(|_| part.to_owned())
}

#[cfg(test)]
pub(crate) mod tests {
    use std::io::Write;

    use zip::ZipWriter;
    use zip::write::SimpleFileOptions;

    use super::*;

    /// Returns an archive of these files; `mimetype` is stored uncompressed.
    pub(crate) fn zipped(files: &[(&str, &str)]) -> Vec<u8> {
        let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
        for (name, content) in files {
            let method = if *name == "mimetype" {
                zip::CompressionMethod::Stored
            } else {
                zip::CompressionMethod::Deflated
            };
            let options = SimpleFileOptions::default().compression_method(method);
            zip.start_file(*name, options).unwrap();
            zip.write_all(content.as_bytes()).unwrap();
        }
        zip.finish().unwrap().into_inner()
    }

    #[test]
    fn names_are_resolved_and_never_lead_out() {
        assert_eq!(resolved("OEBPS/text/a.opf", "../b%20c.xhtml#d"), "OEBPS/b c.xhtml");
        assert_eq!(resolved("word/document.xml", "/word/notes.xml"), "word/notes.xml");
        assert_eq!(resolved("a", "../../../etc/passwd"), "etc/passwd");
        assert_eq!(resolved("a/b", "100%"), "a/100%");
    }

    // proves: A6
    #[test]
    fn what_comes_out_is_counted_not_what_the_header_says() {
        let large = "tea ".repeat(100_000);
        let mut bytes = zipped(&[("a", &large), ("b", "x")]);
        let bounds = Bounds { text_bytes: 40_000, ..Bounds::default() };
        let mut archive = Archive::open(&bytes, "DOCX", &bounds).unwrap();
        assert_eq!(archive.file("B").unwrap().unwrap(), b"x");
        assert!(archive.file("none").unwrap().is_none());
        let refused = archive.file("a").unwrap_err();
        assert!(matches!(refused, Fault::TooComplex { .. }), "{refused}");
        // The central directory now says that the file is one byte long.
        let at = bytes.windows(4).position(|four| four == b"PK\x01\x02").unwrap() + 24;
        bytes[at..at + 4].copy_from_slice(&1_u32.to_le_bytes());
        if let Ok(mut archive) = Archive::open(&bytes, "DOCX", &bounds) {
            let came = archive.file("a").map(|file| file.map(|file| file.len()));
            assert!(came.as_ref().map_or(true, |came| came.unwrap_or(0) <= 320_000), "{came:?}");
        }
    }
}
