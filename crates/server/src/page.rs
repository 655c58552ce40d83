//! The page: files embedded in the program, joined and compressed while it is built (see the crate `assets`).
//!
//! All but the first have an address with the digest of all files in it, so a browser keeps them for good and never asks again.

use axum::extract::Path;
use axum::extract::rejection::PathRejection;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};

use crate::problem::Problem;

/// A file of the page.
struct File {
    path: &'static str,
    contents: &'static [u8],
    /// Compressed, where that saves something.
    brotli: Option<&'static [u8]>,
    gzip: Option<&'static [u8]>,
}

include!(concat!(env!("OUT_DIR"), "/page.rs"));

const FOR_GOOD: &str = "public, max-age=31536000, immutable";
/// Asked for again each time, and sent only if it has changed.
const REVALIDATED: &str = "no-cache";

pub(crate) async fn index(headers: HeaderMap) -> Response {
    find("index.html").map_or_else(
        || Problem::no_such("page", "index.html").into_response(),
        |file| send(file, &headers, REVALIDATED),
    )
}

/// Sends the file at `VERSION/PATH`. A page of another version of this program, still open, gets what there is now.
pub(crate) async fn asset(
    path: Result<Path<String>, PathRejection>,
    headers: HeaderMap,
) -> Response {
    // No file has a name that is not UTF-8.
    let path = path.map_or_else(|_| "?".to_owned(), |Path(path)| path);
    let (version, rest) = path.split_once('/').unwrap_or(("", &path));
    match find(rest).filter(|_| is_version(version)) {
        Some(file) => send(file, &headers, if version == VERSION { FOR_GOOD } else { REVALIDATED }),
        None => Problem::no_such("page", &path).into_response(),
    }
}

fn is_version(text: &str) -> bool {
    text.len() == VERSION.len() && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// The files are a table in the program, so a path cannot lead anywhere else.
fn find(path: &str) -> Option<&'static File> {
    let index = FILES.binary_search_by_key(&path, |file| file.path).ok()?;
    FILES.get(index)
}

/// Returns a file as compressed as the browser takes it, or a 304 if it has it already.
fn send(file: &'static File, headers: &HeaderMap, keep: &'static str) -> Response {
    let takes = accepted(headers);
    let (encoding, contents) = match (file.brotli, file.gzip) {
        (Some(brotli), _) if takes.brotli => (Some("br"), brotli),
        (_, Some(gzip)) if takes.gzip => (Some("gzip"), gzip),
        _ => (None, file.contents),
    };
    // Each encoding is a representation of its own.
    let tag = format!("\"{VERSION}{}\"", encoding.map_or(String::new(), |name| format!("-{name}")));
    let known = headers.get(header::IF_NONE_MATCH).and_then(|known| known.to_str().ok());
    let mut response = if known.is_some_and(|known| known.split(',').any(|one| one.trim() == tag)) {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        contents.into_response()
    };
    let fields = response.headers_mut();
    fields.insert(header::CONTENT_TYPE, HeaderValue::from_static(media_type(file.path)));
    fields.insert(header::CACHE_CONTROL, HeaderValue::from_static(keep));
    fields.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
    if let Some(encoding) = encoding {
        fields.insert(header::CONTENT_ENCODING, HeaderValue::from_static(encoding));
    }
    if let Ok(tag) = HeaderValue::from_str(&tag) {
        fields.insert(header::ETAG, tag);
    }
    response
}

fn media_type(path: &str) -> &'static str {
    match path.rsplit_once('.').map(|(_, ending)| ending) {
        Some("html") => "text/html; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("js" | "mjs") => "text/javascript; charset=utf-8",
        Some("svg") => "image/svg+xml",
        Some("wasm") => "application/wasm",
        Some("bcmap" | "icc" | "pfb" | "ttf") => "application/octet-stream",
        _ => "text/plain; charset=utf-8",
    }
}

/// The encodings that a browser takes.
struct Accepted {
    brotli: bool,
    gzip: bool,
}

fn accepted(headers: &HeaderMap) -> Accepted {
    let takes = |wanted: &str| {
        let lines = headers.get_all(header::ACCEPT_ENCODING).iter();
        let mut codings =
            lines.filter_map(|line| line.to_str().ok()).flat_map(|line| line.split(','));
        codings.any(|coding| {
            let mut parts = coding.split(';').map(str::trim);
            let named = parts.next().is_some_and(|name| name.eq_ignore_ascii_case(wanted));
            let weight = parts.find_map(|part| part.strip_prefix("q="));
            named
                && weight.is_none_or(|weight| weight.parse().is_ok_and(|weight: f32| weight > 0.0))
        })
    };
    Accepted { brotli: takes("br"), gzip: takes("gzip") }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn taken(line: &str) -> (bool, bool) {
        let mut headers = HeaderMap::new();
        if let Ok(value) = HeaderValue::from_str(line) {
            headers.insert(header::ACCEPT_ENCODING, value);
        }
        let Accepted { brotli, gzip } = accepted(&headers);
        (brotli, gzip)
    }

    #[test]
    fn a_browser_gets_the_encodings_that_it_takes() {
        for (line, wanted) in [
            ("gzip, deflate, br, zstd", (true, true)),
            ("gzip;q=1.0, br;q=0", (false, true)),
            ("BR", (true, false)),
            ("br;q=0.5", (true, false)),
            ("br;q=x", (false, false)),
            ("brotli, gzipped", (false, false)),
            ("", (false, false)),
        ] {
            assert_eq!(taken(line), wanted, "{line}");
        }
    }

    #[test]
    fn every_file_is_found_by_its_path_alone() {
        assert!(FILES.iter().all(|file| find(file.path).is_some()));
        assert!(find("").is_none() && find("js/dom.js").is_none() && find("../page.rs").is_none());
        assert!(is_version(VERSION) && !is_version("js") && !is_version(""));
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn no_header_is_too_odd(line in "\\PC{0,60}") {
            let _ = taken(&line);
        }
    }
}
