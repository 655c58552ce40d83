//! The format of a file by its first bytes, whatever its name says.

use formats::Format;

use crate::read::ReadError;

/// Signatures that no text begins with.
const BINARY: &[(&[u8], &str)] = &[
    (b"\x89PNG\r\n\x1a\n", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"II*\0", "a TIFF image"),
    (b"MM\0*", "a TIFF image"),
    (b"\0\0\x01\0", "an icon"),
    (b"\x7fELF", "a Linux program"),
    (b"\xcf\xfa\xed\xfe", "a macOS program"),
    (b"\xca\xfe\xba\xbe", "a macOS program or Java class"),
    (b"\0asm", "a WebAssembly program"),
    (b"\xfd7zXZ\0", "an xz archive"),
    (b"\x28\xb5\x2f\xfd", "a Zstandard archive"),
    (b"7z\xbc\xaf\x27\x1c", "a 7-Zip archive"),
    (b"Rar!\x1a\x07", "a RAR archive"),
    (b"SQLite format 3\0", "an SQLite database"),
    (b"\x1aE\xdf\xa3", "a Matroska film"),
];

/// Signatures that a text could also begin with; they count only if the file is not text.
const PERHAPS_BINARY: &[(&[u8], &str)] = &[
    (b"GIF87a", "a GIF image"),
    (b"GIF89a", "a GIF image"),
    (b"BM", "a bitmap image"),
    (b"RIFF", "a WebP, WAV or AVI file"),
    (b"MZ", "a Windows program"),
    (b"BZh", "a bzip2 archive"),
    (b"ID3", "an MP3 recording"),
    (b"OggS", "an Ogg recording"),
    (b"fLaC", "a FLAC recording"),
    (b"PAR1", "a Parquet table"),
    (b"$FL", "an SPSS table"),
];

const OLE2: &[u8] = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1";

/// Returns whether `bytes` may be packed, after a quick look. Never `false` for packed bytes.
pub(crate) fn may_be_packed(bytes: &[u8]) -> bool {
    let begins = |signature: &[u8]| bytes.starts_with(signature);
    holds(&bytes[..bytes.len().min(1024)], b"%PDF-")
        || begins(b"PK")
        || begins(RTF)
        || formats::is_tar(bytes)
}

const RTF: &[u8] = b"{\\rtf";

/// Returns the format that `bytes` are packed in, or `None` if they may be text. Fails if they are neither.
pub(crate) fn packed(bytes: &[u8]) -> Result<Option<Format>, ReadError> {
    let opening = &bytes[..bytes.len().min(1024)];
    let not_read_yet = |format: &str| Err(ReadError::NotReadYet { format: format.into() });
    let encrypted = |format: &str| Err(ReadError::Encrypted { format: format.into() });
    // An archive may hold a PDF as it is.
    if !bytes.starts_with(b"PK\x03\x04") && holds(opening, b"%PDF-") && pdf(bytes, opening) {
        return Ok(Some(Format::Pdf));
    }
    if bytes.starts_with(b"PK\x03\x04") {
        return match formats::names(bytes) {
            Ok(names) => Ok(Some(zip(bytes, &names))),
            Err(fault) => Err(fault.into()),
        };
    }
    if bytes.starts_with(b"PK\x05\x06") {
        return Err(ReadError::Empty);
    }
    if formats::is_tar(bytes) {
        return Ok(Some(Format::Tar));
    }
    if bytes.starts_with(OLE2) {
        if holds(bytes, &utf16("EncryptedPackage")) {
            return encrypted("Office file");
        }
        return Err(ReadError::Failed {
            what: "it is an Office file of before 2007 (.doc, .xls or .ppt); save it as .docx, .xlsx or .pptx"
                .into(),
        });
    }
    if bytes.starts_with(RTF) {
        return Ok(Some(Format::Rtf));
    }
    if bytes.starts_with(b"%!PS-Adobe") {
        return not_read_yet("PostScript");
    }
    let film = bytes.get(4..8) == Some(b"ftyp") && bytes[0] == 0;
    let sure = BINARY.iter().find(|(signature, _)| bytes.starts_with(signature));
    let perhaps = PERHAPS_BINARY.iter().find(|(signature, _)| bytes.starts_with(signature));
    match sure.or(perhaps.filter(|_| bytes.contains(&0))) {
        Some((_, what)) => Err(ReadError::Binary { looks_like: (*what).into() }),
        None if film => Err(ReadError::Binary { looks_like: "an MP4 film or HEIC image".into() }),
        None => Ok(None),
    }
}

/// A PDF may have some bytes before its signature; a text that only mentions the signature has words there.
fn pdf(bytes: &[u8], opening: &[u8]) -> bool {
    let start = opening.trim_ascii_start().strip_prefix(b"\xef\xbb\xbf").unwrap_or(opening);
    start.trim_ascii_start().starts_with(b"%PDF-") || std::str::from_utf8(bytes).is_err()
}

/// Returns the format of an archive with files of these `names`.
fn zip(bytes: &[u8], names: &[String]) -> Format {
    let below = |folder: &str| names.iter().any(|name| name.starts_with(folder));
    let opening = &bytes[..bytes.len().min(256)];
    let says = |media_type: &str| holds(opening, media_type.as_bytes());
    match () {
        () if says("application/epub+zip") => Format::Epub,
        () if says("application/vnd.oasis.opendocument.") => open_document(bytes),
        () if below("META-INF/container.xml") && !below("word/") => Format::Epub,
        () if below("content.xml") && below("META-INF/manifest.xml") => open_document(bytes),
        () if below("xl/workbook") => Format::Xlsx,
        () if below("ppt/presentation") => Format::Pptx,
        () if below("word/") || below("_rels/.rels") => Format::Docx,
        () => Format::Zip,
    }
}

/// Returns the format of an OpenDocument file. One that was packed anew need not begin with what it is.
fn open_document(bytes: &[u8]) -> Format {
    let archive = formats::Archive::open(bytes, "OpenDocument", &formats::Bounds::default());
    let said = archive.and_then(|mut archive| archive.file("mimetype"));
    match said {
        Ok(Some(said)) if holds(&said, b"opendocument.spreadsheet") => Format::Ods,
        _ => Format::Odt,
    }
}

fn utf16(text: &str) -> Vec<u8> {
    text.encode_utf16().flat_map(u16::to_le_bytes).collect()
}

fn holds(bytes: &[u8], part: &[u8]) -> bool {
    bytes.windows(part.len()).any(|window| window == part)
}

/// Returns whether `text` begins as an HTML page does, after comments and an XML declaration.
pub(crate) fn opens_as_html(text: &str) -> bool {
    let mut rest = text.trim_start();
    for _ in 0..20 {
        let ending = match rest {
            _ if rest.starts_with("<!--") => "-->",
            _ if rest.starts_with("<?xml") => "?>",
            _ => break,
        };
        let Some(at) = rest.find(ending) else { return false };
        rest = rest[at + ending.len()..].trim_start();
    }
    let opening = rest.as_bytes();
    let begins = |mark: &str| {
        opening.get(..mark.len()).is_some_and(|part| part.eq_ignore_ascii_case(mark.as_bytes()))
    };
    begins("<!doctype html") || begins("<html")
}

/// Returns whether `text` has a tag anywhere.
pub(crate) fn holds_tags(text: &str) -> bool {
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        rest = &rest[at + 1..];
        if rest.starts_with(|c: char| c.is_ascii_alphabetic() || c == '!' || c == '/') {
            return rest.contains('>');
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(bytes: &[u8]) -> String {
        match packed(bytes) {
            Ok(None) => "text".to_owned(),
            Ok(Some(format)) => format!("{format:?}"),
            Err(error) => error.to_string(),
        }
    }

    fn holding(names: &[&str], content: &str) -> Vec<u8> {
        let files: Vec<(&str, &str)> = names.iter().map(|name| (*name, content)).collect();
        crate::zipped::zipped(&files)
    }

    // proves: A6
    #[test]
    fn a_file_is_known_by_its_bytes_not_its_name() {
        assert_eq!(said(b"%PDF-1.7\n1 0 obj"), "Pdf");
        assert_eq!(said(&holding(&["word/document.xml"], "x")), "Docx");
        assert_eq!(
            said(&holding(&["word/document.xml", "word/embeddings/xl/workbook"], "x")),
            "Docx"
        );
        assert_eq!(said(&holding(&["mimetype", "a"], "application/epub+zip")), "Epub");
        assert_eq!(said(&holding(&["META-INF/container.xml"], "x")), "Epub");
        assert_eq!(said(&holding(&["xl/workbook.xml"], "x")), "Xlsx");
        assert_eq!(said(&holding(&["ppt/presentation.xml"], "x")), "Pptx");
        assert_eq!(said(&holding(&["mimetype"], "application/vnd.oasis.opendocument.text")), "Odt");
        let again = ["META-INF/manifest.xml", "content.xml", "mimetype"];
        let says = "application/vnd.oasis.opendocument.spreadsheet";
        assert_eq!(said(&holding(&again, says)), "Ods");
        assert_eq!(said(&holding(&["readme"], "x")), "Zip");
        let stored =
            [b"PK\x03\x04", &holding(&["mimetype"], "%PDF-1.4 \u{fffd}\u{80}")[4..]].concat();
        assert_eq!(said(&stored), "Zip", "a PDF that is stored in an archive");
        assert_eq!(said(b"\x1f\x8b\x08\0"), "Tar");
        assert_eq!(said(b"{\\rtf1 tea}"), "Rtf");
        assert!(said(b"PK\x03\x04\x14\0\0\0..word/document.xml").contains("damaged"));
        // Its flags say that it is encrypted, but it is no archive.
        assert!(said(b"PK\x03\x04\x14\0\x01\0..readme").contains("the ZIP archive is damaged"));
        let locked = [OLE2, &utf16("EncryptedPackage")].concat();
        assert!(said(&locked).contains("the Office file is encrypted; save it without a password"));
        assert!(said(OLE2).contains("save it as .docx, .xlsx or .pptx"));
        assert!(said(b"\x89PNG\r\n\x1a\n").contains("PNG"));
        assert!(said(b"GIF89a\0\0").contains("GIF"));
    }

    #[test]
    fn a_text_that_speaks_of_a_signature_is_still_text() {
        for text in ["BMW sells cars.", "MZ is a mark.", "How files begin: %PDF-", "GIF89a, 1989"] {
            assert_eq!(said(text.as_bytes()), "text", "{text}");
        }
    }

    #[test]
    fn a_page_is_known_after_comments_and_declarations() {
        assert!(opens_as_html(" <?xml version='1.0'?><!-- x -->\n<!DOCTYPE HTML>"));
        assert!(!opens_as_html("Notes on <html>"));
        assert!(holds_tags("a < b <p>c</p>"));
        assert!(!holds_tags("a < b > c"));
    }
}
