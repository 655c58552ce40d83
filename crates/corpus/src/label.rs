//! What is known about bytes before they are inspected: a file's name, or what a server says about a response.

use std::path::{Path, PathBuf};

use formats::Format;
use percent_encoding::percent_decode_str;
use serde::{Deserialize, Serialize};

use crate::document::one_line;
use crate::read::ReadError;

/// What is known about some bytes from outside. It is used only if the bytes leave their format open.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Label {
    /// A file with this name; a path ending in the name works as well.
    File { name: PathBuf },
    /// The response from a URL.
    Fetched {
        url: String,
        /// As the server states it; empty if it does not.
        media_type: String,
        /// The character encoding that the server states.
        charset: Option<String>,
    },
}

/// The format that a label claims.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Called {
    A(Format),
    /// No claim.
    Unknown,
    /// A format that is not supported.
    Not(ReadError),
}

/// Media types that say no more than that there are bytes.
#[rustfmt::skip]
const ANY_BYTES: &[&str] = &[
    "", "*/*", "application/octet-stream", "application/binary", "application/download",
    "application/force-download", "application/save", "application/unknown",
    "application/x-download", "application/x-octet-stream", "binary/octet-stream",
    "unknown/unknown",
];

/// How the media types of Office files begin, after `application/`.
const OFFICE: &str = "vnd.openxmlformats-officedocument.";

impl Label {
    pub(crate) fn called(&self) -> Called {
        match self {
            Label::File { name } => {
                let extension = extract_extension(name);
                match Format::by_extension(&extension) {
                    Some(format) => Called::A(format),
                    None if extension.is_empty() => Called::A(Format::Text),
                    None => Called::Not(ReadError::UnknownFormat { extension }),
                }
            }
            Label::Fetched { url, media_type, .. } => by_media_type(
                &essence(media_type),
                Format::by_extension(&extract_extension(Path::new(last(url)))),
            ),
        }
    }

    /// Returns a title for a document without one.
    pub(crate) fn stem(&self) -> String {
        match self {
            Label::File { name } => {
                name.file_stem().unwrap_or(name.as_os_str()).to_string_lossy().into_owned()
            }
            Label::Fetched { url, .. } => {
                let segment = percent_decode_str(last(url)).decode_utf8_lossy();
                let stem = Path::new(&*segment).file_stem().map(|stem| stem.to_string_lossy());
                let stem = stem.map(|stem| one_line(&run::grounding::clean(&stem)));
                stem.filter(|stem| !stem.is_empty()).unwrap_or_else(|| one_line(host(url)))
            }
        }
    }

    /// Returns the name of the file, or the last part of the address.
    pub(crate) fn file_name(&self) -> String {
        match self {
            Label::File { name } => {
                name.file_name().unwrap_or(name.as_os_str()).to_string_lossy().into_owned()
            }
            Label::Fetched { url, .. } => last(url).to_owned(),
        }
    }

    /// Returns the character encoding that a server stated.
    pub(crate) fn charset(&self) -> Option<&str> {
        match self {
            Label::File { .. } => None,
            Label::Fetched { charset, .. } => charset.as_deref(),
        }
    }

    /// Returns the label's claim, with the metadata key that records it if the bytes turn out to be something else.
    pub(crate) fn mistaken(&self) -> Option<(&'static str, String)> {
        let said = match self {
            Label::File { name } => ("named", extract_extension(name)),
            Label::Fetched { media_type, .. } => {
                let said = essence(media_type);
                ("served_as", if ANY_BYTES.contains(&said.as_str()) { String::new() } else { said })
            }
        };
        Some(said).filter(|(_, said)| !said.is_empty())
    }

    /// Returns the error for bytes that are not of the packed format that the label claims.
    pub(crate) fn broken(&self) -> ReadError {
        let what = match self {
            Label::File { name } => format!("its name ends in .{}", extract_extension(name)),
            Label::Fetched { media_type, .. } if ANY_BYTES.contains(&&*essence(media_type)) => {
                "its address ends like that of a document".to_owned()
            }
            Label::Fetched { media_type, .. } => {
                format!("its server labels it {}", essence(media_type))
            }
        };
        ReadError::Failed { what: format!("{what}, but it is not one; it may be damaged") }
    }
}

fn extract_extension(name: &Path) -> String {
    name.extension().map(|end| end.to_string_lossy().to_lowercase()).unwrap_or_default()
}

/// Returns the last segment of a URL's path, which may be empty.
fn last(url: &str) -> &str {
    let path = strip_url(url).split_once('/').map_or("", |(_, path)| path);
    path.trim_end_matches('/').rsplit('/').next().unwrap_or_default()
}

fn host(url: &str) -> &str {
    strip_url(url).split('/').next().unwrap_or_default()
}

/// Returns a URL without its scheme, query and fragment.
fn strip_url(url: &str) -> &str {
    let url = url.split(['?', '#']).next().unwrap_or_default();
    url.split_once("://").map_or(url, |(_, rest)| rest)
}

/// Returns a media type in lower case, without parameters and cut to the maximum length.
fn essence(media_type: &str) -> String {
    let essence = media_type.split(';').next().unwrap_or_default().trim();
    essence.chars().filter(|c| c.is_ascii_graphic()).take(100).collect::<String>().to_lowercase()
}

fn by_media_type(media_type: &str, by_extension: Option<Format>) -> Called {
    let not_yet = |format: &str| Called::Not(ReadError::NotReadYet { format: format.to_owned() });
    let binary = |what: &str| Called::Not(ReadError::Binary { looks_like: what.to_owned() });
    if ANY_BYTES.contains(&media_type) {
        return by_extension.map_or(Called::Unknown, Called::A);
    }
    let (kind, name) = media_type.split_once('/').unwrap_or((media_type, ""));
    match (kind, name) {
        ("text", "html") | ("application", "xhtml+xml") => Called::A(Format::Html),
        ("text", "markdown" | "x-markdown") => Called::A(Format::Markdown),
        // Servers that know no type for a text format send it as plain text.
        ("text", "plain") => {
            Called::A(by_extension.filter(|it| !it.is_packed()).unwrap_or(Format::Text))
        }
        (_, "json") => Called::A(Format::Json),
        (_, "x-ndjson" | "jsonlines" | "json-lines" | "jsonl") => Called::A(Format::JsonLines),
        (_, "csv") => Called::A(Format::Csv),
        (_, "tab-separated-values") => Called::A(Format::Tsv),
        (_, "yaml" | "x-yaml") => Called::A(Format::Yaml),
        (_, "toml") => Called::A(Format::Toml),
        (_, "rtf") => Called::A(Format::Rtf),
        (_, "vtt" | "x-subrip") => Called::A(Format::Subtitles),
        (_, "x-bibtex") => Called::A(Format::Bibtex),
        (_, "x-research-info-systems") => Called::A(Format::Ris),
        (_, "x-ipynb+json") => Called::A(Format::Notebook),
        (_, "x-latex" | "x-tex") => Called::A(Format::Latex),
        ("message", "rfc822") => Called::A(Format::Mail),
        ("application", "mbox") => Called::A(Format::Mailbox),
        (_, "javascript" | "x-javascript" | "ecmascript") => not_yet("JavaScript"),
        (_, "css") => not_yet("a style sheet"),
        ("image", _) => binary("an image"),
        ("audio", _) => binary("a recording"),
        ("video", _) => binary("a film"),
        ("font", _) => binary("a font"),
        (_, "zip" | "gzip" | "x-gzip" | "x-tar" | "x-bzip2" | "x-xz" | "x-7z-compressed") => {
            not_yet("an archive")
        }
        ("application", "pdf" | "x-pdf") => Called::A(Format::Pdf),
        ("application", "epub+zip") => Called::A(Format::Epub),
        ("application", name) if name.starts_with(OFFICE) => office(name),
        ("application", "vnd.oasis.opendocument.text") => Called::A(Format::Odt),
        ("application", "vnd.oasis.opendocument.spreadsheet") => Called::A(Format::Ods),
        (_, name) if name.ends_with("+json") => Called::A(Format::Json),
        (_, name) if name == "xml" || name.ends_with("+xml") => Called::A(Format::Xml),
        ("text", _) => {
            Called::A(by_extension.filter(|it| *it == Format::Code).unwrap_or(Format::Text))
        }
        _ => Called::Not(ReadError::UnknownMediaType { media_type: media_type.to_owned() }),
    }
}

/// Returns the format of an Office file by the end of its media type.
fn office(name: &str) -> Called {
    match name.strip_prefix(OFFICE) {
        Some("wordprocessingml.document") => Called::A(Format::Docx),
        Some("presentationml.presentation") => Called::A(Format::Pptx),
        Some("spreadsheetml.sheet") => Called::A(Format::Xlsx),
        _ => Called::Not(ReadError::NotReadYet { format: "this kind of Office file".to_owned() }),
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) fn fetched(url: &str, media_type: &str, charset: Option<&str>) -> Label {
        Label::Fetched {
            url: url.to_owned(),
            media_type: media_type.to_owned(),
            charset: charset.map(str::to_owned),
        }
    }

    // proves: A2
    #[test]
    fn what_was_fetched_is_called_what_its_server_says_or_else_its_address() {
        let called = |url: &str, media_type: &str| fetched(url, media_type, None).called();
        for (url, media_type, format) in [
            ("https://a.org/x", "text/html", Format::Html),
            ("https://a.org/x", "Text/HTML; charset=utf-8", Format::Html),
            ("https://a.org/x.pdf", "application/xhtml+xml", Format::Html),
            ("https://a.org/README.md", "text/plain", Format::Markdown),
            ("https://a.org/README.txt", "text/markdown", Format::Markdown),
            ("https://a.org/x.py", "text/x-python", Format::Code),
            ("https://a.org/x", "application/pdf", Format::Pdf),
            ("https://a.org/x.pdf?download=1#page=2", "application/octet-stream", Format::Pdf),
            ("https://a.org/x.HTM", "", Format::Html),
            (
                "https://a.org/x",
                "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
                Format::Docx,
            ),
            ("https://a.org/x", "application/ld+json", Format::Json),
            ("https://a.org/x", "text/xml", Format::Xml),
            ("https://a.org/x.csv", "text/plain", Format::Csv),
        ] {
            assert_eq!(called(url, media_type), Called::A(format), "{url} {media_type}");
        }
        // The end of a host name is not a file extension.
        for url in ["https://a.md", "https://a.md/", "https://a.md?x=a.pdf", "https://a.org/x.php"]
        {
            assert_eq!(called(url, ""), Called::Unknown, "{url}");
        }
        for (media_type, said) in [
            ("image/svg+xml", "an image"),
            ("application/zip", "an archive"),
            ("application/x-shockwave-flash", "application/x-shockwave-flash"),
        ] {
            let Called::Not(error) = called("https://a.org/x", media_type) else {
                panic!("{media_type}");
            };
            assert!(error.to_string().contains(said), "{error}");
        }
    }

    #[test]
    fn what_has_no_title_is_called_by_the_end_of_its_address() {
        for (url, stem) in [
            ("https://a.org/b/The%20tea%20study.pdf?x=1", "The tea study"),
            ("https://a.org/b/", "b"),
            ("https://a.org/", "a.org"),
            ("https://a.org", "a.org"),
            ("https://a.org/%00%ff", "\u{fffd}"),
            ("", ""),
        ] {
            assert_eq!(fetched(url, "", None).stem(), stem, "{url}");
        }
    }
}
