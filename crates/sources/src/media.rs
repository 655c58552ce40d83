//! The media type that a server declares, and whether a document reader can use it.

use reqwest::header::{CONTENT_TYPE, HeaderMap};

/// Returns the media type, in lower case and without parameters, and the character encoding, if the server names them.
pub(crate) fn named(headers: &HeaderMap) -> (String, Option<String>) {
    let line = headers.get(CONTENT_TYPE).map(|value| String::from_utf8_lossy(value.as_bytes()));
    let line = line.unwrap_or_default();
    let mut parts = line.split(';').map(str::trim);
    let media_type = parts.next().unwrap_or_default().to_lowercase();
    let charset = parts.find_map(|part| {
        let (name, value) = part.split_once('=')?;
        let value = value.trim().trim_matches(['"', '\'']).trim();
        (name.trim().eq_ignore_ascii_case("charset") && !value.is_empty())
            .then(|| value.to_lowercase())
    });
    (media_type, charset)
}

/// Describes a media type that no document reader could use.
///
/// The reader judges everything else, since it also sees the first bytes and the address: servers have many names for documents.
pub(crate) fn unreadable(media_type: &str) -> Option<&'static str> {
    let (kind, of) = media_type.split_once('/').unwrap_or((media_type, ""));
    match kind {
        "image" => Some("an image"),
        "audio" => Some("a sound recording"),
        "video" => Some("a film"),
        "font" => Some("a font"),
        "application" if ARCHIVES.contains(&of) => Some("an archive"),
        _ => None,
    }
}

/// Names of archives, after `application/`, without documents that are zipped, such as `epub+zip`.
#[rustfmt::skip]
const ARCHIVES: &[&str] = &[
    "zip", "x-zip", "x-zip-compressed", "gzip", "x-gzip", "x-tar", "x-gtar", "x-compressed-tar", "vnd.rar", "x-rar",
    "x-rar-compressed", "x-7z-compressed", "x-bzip", "x-bzip2", "x-xz", "zstd", "x-lzma", "x-lzip", "x-compress",
    "x-compressed", "x-cpio", "java-archive", "vnd.android.package-archive",
];

/// Returns whether a body is HTML, by its media type or its beginning.
pub(crate) fn is_html(media_type: &str, body: &[u8]) -> bool {
    if matches!(media_type, "text/html" | "application/xhtml+xml") {
        return true;
    }
    let body = body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body).trim_ascii_start();
    [&b"<!doctype html"[..], b"<html"].iter().any(|beginning| {
        body.get(..beginning.len()).is_some_and(|body| body.eq_ignore_ascii_case(beginning))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_type_and_the_encoding_are_read_however_they_are_written() {
        let read =
            |line: &str| named(&HeaderMap::from_iter([(CONTENT_TYPE, line.parse().unwrap())]));
        let html = |charset: &str| ("text/html".to_owned(), Some(charset.to_owned()));
        assert_eq!(read("text/html; charset=utf-8"), html("utf-8"));
        assert_eq!(read("Text/HTML;x=y; CharSet = \"ISO-8859-1\" ;z"), html("iso-8859-1"));
        assert_eq!(read("text/html; charset='gbk'"), html("gbk"));
        assert_eq!(read("text/html;charset="), ("text/html".into(), None));
        assert_eq!(read(" application/pdf"), ("application/pdf".into(), None));
        assert_eq!(read(""), (String::new(), None));
        assert_eq!(named(&HeaderMap::new()), (String::new(), None));
    }

    #[test]
    fn what_holds_no_text_is_refused_early_and_the_reader_judges_the_rest() {
        for left_to_the_reader in [
            "",
            "*/*",
            "unknown/unknown",
            "binary/octet-stream",
            "text/html",
            "text/css",
            "application/pdf",
            "application/epub+zip",
            "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
            "application/octet-stream",
            "application/download",
            "application/x-download",
            "application/force-download",
            "application/save",
            "application/binary",
            "application/unknown",
            "application/json",
            "application/tar+xml",
            "nonsense",
        ] {
            assert_eq!(unreadable(left_to_the_reader), None, "{left_to_the_reader}");
        }
        for (media_type, what) in [
            ("video/mp4", "a film"),
            ("audio/mpeg", "a sound recording"),
            ("font/woff2", "a font"),
            ("image/svg+xml", "an image"),
            ("application/zip", "an archive"),
            ("application/x-tar", "an archive"),
            ("application/x-gzip", "an archive"),
        ] {
            assert_eq!(unreadable(media_type), Some(what), "{media_type}");
        }
    }

    #[test]
    fn a_page_is_known_by_its_name_or_its_beginning() {
        for body in ["<!DOCTYPE html><p>", "\n <html lang=en>", "\u{feff}<!doctype HTML>"] {
            assert!(is_html("application/pdf", body.as_bytes()), "{body}");
        }
        assert!(is_html("text/html", b"x"));
        for body in ["%PDF-1.7 <html>", "", "<htm", "<p>"] {
            assert!(!is_html("application/pdf", body.as_bytes()), "{body}");
        }
    }
}
