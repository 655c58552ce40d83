//! The page: files embedded in the program.

use axum::extract::Path;
use axum::extract::rejection::PathRejection;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use include_dir::{Dir, include_dir};

use run::entry::Hash;

use crate::problem::Problem;

static FILES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/page");

pub(crate) async fn index(headers: HeaderMap) -> Response {
    file("index.html", &headers)
}

pub(crate) async fn asset(
    path: Result<Path<String>, PathRejection>,
    headers: HeaderMap,
) -> Response {
    match path {
        Ok(Path(path)) => file(&path, &headers),
        // No file has a name that is not UTF-8.
        Err(_) => Problem::no_such("page", "?").into_response(),
    }
}

/// Returns a file of the page, or a 304 if the browser already has it.
fn file(path: &str, headers: &HeaderMap) -> Response {
    // The files are a table in the program, so a path cannot lead anywhere else.
    let Some(file) = FILES.get_file(path) else {
        return Problem::no_such("page", path).into_response();
    };
    let digest: String = Hash::of(file.contents()).to_string().chars().take(16).collect();
    let tag = format!("\"{digest}\"");
    let media_type = match path.rsplit_once('.').map(|(_, ending)| ending) {
        Some("html") => "text/html; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("js" | "mjs") => "text/javascript; charset=utf-8",
        Some("svg") => "image/svg+xml",
        _ => "text/plain; charset=utf-8",
    };
    let known = headers.get(header::IF_NONE_MATCH).and_then(|known| known.to_str().ok());
    let mut response = if known.is_some_and(|known| known.split(',').any(|one| one.trim() == tag)) {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        file.contents().into_response()
    };
    let fields = response.headers_mut();
    fields.insert(header::CONTENT_TYPE, HeaderValue::from_static(media_type));
    // Revalidated each time; the file is sent only if it has changed.
    fields.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    if let Ok(tag) = HeaderValue::from_str(&tag) {
        fields.insert(header::ETAG, tag);
    }
    response
}
