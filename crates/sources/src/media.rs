//! What a server says that it sends, and whether a reader of documents can use it.

use reqwest::header::{CONTENT_TYPE, HeaderMap};

/// Returns the media type, lower case and without parameters, and the character encoding, where the server named them.
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

/// Returns what the server sends where it cannot be read as a document.
///
/// What the server does not name, or names "bytes", may be anything; its first bytes will tell whoever reads it.
pub(crate) fn unreadable(media_type: &str) -> Option<&'static str> {
    let (kind, of) = media_type.split_once('/').unwrap_or((media_type, ""));
    match (kind, of) {
        ("" | "binary", _) => None,
        ("text", "css" | "javascript" | "ecmascript" | "x-javascript") => Some("a part of a page"),
        ("text", "event-stream") => Some("a stream of events"),
        ("text", _) => None,
        ("image", _) => Some("an image"),
        ("audio", _) => Some("a sound recording"),
        ("video", _) => Some("a film"),
        ("font", _) => Some("a font"),
        (
            "application",
            "xhtml+xml"
            | "xml"
            | "pdf"
            | "x-pdf"
            | "vnd.openxmlformats-officedocument.wordprocessingml.document"
            | "epub+zip"
            | "markdown"
            | "x-markdown"
            | "octet-stream"
            | "x-octet-stream"
            | "force-download"
            | "x-download",
        ) => None,
        ("application", of) if of.ends_with("+xml") => None,
        ("application", of) if of == "json" || of.ends_with("json") => Some("JSON"),
        ("application", of) if is_archive(of) => Some("an archive"),
        _ => Some("a kind of file"),
    }
}

fn is_archive(of: &str) -> bool {
    let names = ["zip", "gzip", "tar", "rar", "7z", "bzip", "xz", "zstd", "compress"];
    names.iter().any(|name| of.contains(name))
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
    fn documents_are_taken_and_what_holds_no_text_is_not() {
        for readable in [
            "",
            "text/html",
            "text/plain",
            "text/markdown",
            "text/xml",
            "application/xhtml+xml",
            "application/rss+xml",
            "application/pdf",
            "application/epub+zip",
            "application/octet-stream",
            "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        ] {
            assert_eq!(unreadable(readable), None, "{readable}");
        }
        for (media_type, what) in [
            ("video/mp4", "a film"),
            ("image/svg+xml", "an image"),
            ("application/zip", "an archive"),
            ("application/x-tar", "an archive"),
            ("application/json", "JSON"),
            ("application/ld+json", "JSON"),
            ("text/css", "a part of a page"),
            ("nonsense", "a kind of file"),
            ("application/wasm", "a kind of file"),
            ("multipart/x-mixed-replace", "a kind of file"),
        ] {
            assert_eq!(unreadable(media_type), Some(what), "{media_type}");
        }
    }
}
