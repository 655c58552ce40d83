//! Documents and passages by id, so that a citation can be opened at its span.

use std::ops::Range;

use axum::extract::State;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use run::library::StoredDocument;
use serde::{Deserialize, Serialize};
use text::{Block, Kind as BlockKind, split_blocks};
use utoipa::{IntoParams, ToSchema};

use super::collections::DocumentState;
use super::extract::{Id, Query, aside, json};
use super::{file_name, values};
use crate::guard::User;
use crate::problem::{Kind, Problem};
use crate::state::{App, Shared};

/// The default and the maximum number of bytes shown before and after a span.
const AROUND: u64 = 4_000;
const MOST_AROUND: u64 = 1_000_000;

/// Get the details of a document.
#[utoipa::path(get, path = "/api/documents/{document_id}", tag = "documents", operation_id = "get_document",
    params(("document_id" = String, Path)), responses((status = 200, body = DocumentState)))]
pub(crate) async fn get(
    State(app): State<Shared>,
    User(user): User,
    Id(id): Id,
) -> Result<Response, Problem> {
    Ok(json(&DocumentState::from(stored(&app, &user, &id).await?.0)))
}

async fn stored(app: &App, user: &str, id: &str) -> Result<(StoredDocument, String), Problem> {
    // The semaphore is never closed.
    let _turn = app.documents.acquire().await;
    app.library.document(user, id).await?.ok_or_else(|| Problem::no_such("document", id))
}

/// Delete a document. Reports that cite it keep their quotes.
#[utoipa::path(delete, path = "/api/documents/{document_id}", tag = "documents", operation_id = "remove_document",
    params(("document_id" = String, Path)), responses((status = 204)))]
pub(crate) async fn remove(
    State(app): State<Shared>,
    User(user): User,
    Id(id): Id,
) -> Result<Response, Problem> {
    match app.library.remove_document(&user, &id).await? {
        true => Ok(StatusCode::NO_CONTENT.into_response()),
        false => Err(Problem::no_such("document", &id)),
    }
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct TextQuery {
    /// The start and end of the span, in UTF-8 bytes of the document's text. The start defaults to 0. Without an end, the span is empty.
    start: Option<u64>,
    end: Option<u64>,
    /// How many bytes to show before and after the span.
    #[param(maximum = 1_000_000, default = 4_000)]
    around: Option<u64>,
}

impl TextQuery {
    /// Returns where the span begins and ends, and how much is shown around it.
    fn span(&self) -> Result<(u64, u64, u64), Problem> {
        let start = self.start.unwrap_or(0);
        let around = self.around.unwrap_or(AROUND);
        if around > MOST_AROUND {
            return Err(Problem::invalid(format!("around must be at most {MOST_AROUND}"), ""));
        }
        Ok((start, self.end.unwrap_or(start), around))
    }
}

fn no_span(text: &str, start: u64, end: u64) -> Problem {
    let detail = format!("{start}..{end} is not a valid span: the text has {} bytes", text.len());
    Problem::invalid(detail, "the span must start and end between characters")
}

/// A span of a document's text, with its context.
#[derive(Debug, PartialEq, Serialize, ToSchema)]
pub(crate) struct Window {
    document_id: String,
    title: String,
    source_uri: String,
    text_sha256: String,
    /// The length of the whole text in bytes.
    length: u64,
    /// The start of `before` and the end of `after`, in bytes.
    from: u64,
    to: u64,
    before: String,
    quote: String,
    after: String,
}

/// Get a span of a document's text with its context. Without a span, the text starts at the beginning.
#[utoipa::path(get, path = "/api/documents/{document_id}/text", tag = "documents", operation_id = "get_document_text",
    params(("document_id" = String, Path), TextQuery), responses((status = 200, body = Window)))]
pub(crate) async fn text(
    State(app): State<Shared>,
    User(user): User,
    Id(id): Id,
    Query(query): Query<TextQuery>,
) -> Result<Response, Problem> {
    let (start, end, around) = query.span()?;
    let (document, text) = stored(&app, &user, &id).await?;
    let cut = cut_span(&text, start, end, around).ok_or_else(|| no_span(&text, start, end))?;
    Ok(json(&Window {
        source_uri: document.kind.source_uri(&document.collection, &document.path),
        document_id: document.document_id,
        title: document.title,
        text_sha256: document.text_sha256,
        length: text.len() as u64,
        from: cut.from,
        to: cut.to,
        before: cut.before.to_owned(),
        quote: cut.quote.to_owned(),
        after: cut.after.to_owned(),
    }))
}

/// A span of a text and its surroundings.
pub(crate) struct Cut<'a> {
    from: u64,
    to: u64,
    pub(crate) before: &'a str,
    pub(crate) quote: &'a str,
    pub(crate) after: &'a str,
}

/// Cuts a span and its surroundings out of a text; returns `None` if the text has no such span.
pub(crate) fn cut_span(text: &str, start: u64, end: u64, around: u64) -> Option<Cut<'_>> {
    let at = |byte: u64| usize::try_from(byte).unwrap_or(usize::MAX);
    let quote = text.get(at(start)..at(end))?;
    let from = text.floor_char_boundary(at(start.saturating_sub(around)));
    let to = text.floor_char_boundary(at(end.saturating_add(around)));
    Some(Cut {
        from: from as u64,
        to: to as u64,
        before: text.get(from..at(start))?,
        quote,
        after: text.get(at(end)..to)?,
    })
}

/// A part of a document as HTML, with a span highlighted.
#[derive(Debug, PartialEq, Serialize, ToSchema)]
pub(crate) struct RenderedPage {
    document_id: String,
    title: String,
    source_uri: String,
    text_sha256: String,
    /// The length of the whole text in bytes.
    length: u64,
    /// The start and end of the part, in bytes. It consists of whole blocks of text.
    from: u64,
    to: u64,
    quote: String,
    /// The part as sanitised HTML: no scripts, images or styles, and only http and https links.
    html: String,
    /// `exactly` if the `mark` elements hold the span's characters and no others, `around` if they hold the lines that it is in, `nothing` if
    /// the span is empty or cannot be seen. The first `mark` has the id `span`.
    #[schema(schema_with = values::marked)]
    marked: &'static str,
}

/// Get a part of a document's text as HTML, with a span highlighted. Without a span, the part starts at the beginning.
#[utoipa::path(get, path = "/api/documents/{document_id}/page", tag = "documents", operation_id = "get_document_page",
    params(("document_id" = String, Path), TextQuery), responses((status = 200, body = RenderedPage)))]
pub(crate) async fn page(
    State(app): State<Shared>,
    User(user): User,
    Id(id): Id,
    Query(query): Query<TextQuery>,
) -> Result<Response, Problem> {
    let (start, end, around) = query.span()?;
    let (document, text) = stored(&app, &user, &id).await?;
    // A document may have millions of blocks.
    let rendered = aside(move || {
        let cut = cut_span(&text, start, end, around).ok_or_else(|| no_span(&text, start, end))?;
        let part = whole_blocks(&split_blocks(&text), cut.from as usize..cut.to as usize);
        let shown = text.get(part.clone()).unwrap_or_default();
        let span = (start as usize).max(part.start) - part.start;
        let page = render::source::write(shown, span..span + cut.quote.len());
        Ok(RenderedPage {
            source_uri: document.kind.source_uri(&document.collection, &document.path),
            document_id: document.document_id,
            title: document.title,
            text_sha256: document.text_sha256,
            length: text.len() as u64,
            from: part.start as u64,
            to: part.end as u64,
            quote: cut.quote.to_owned(),
            html: page.html,
            marked: match page.marked {
                render::source::Marked::Exactly => "exactly",
                render::source::Marked::Around => "around",
                render::source::Marked::Nothing => "nothing",
            },
        })
    });
    let rendered: Result<RenderedPage, Problem> = rendered.await?;
    Ok(json(&rendered?))
}

/// Widens a range of a text so that it cuts no block of it; a table comes with its head.
fn whole_blocks(blocks: &[Block], range: Range<usize>) -> Range<usize> {
    let first = blocks.partition_point(|block| block.lines.end <= range.start);
    let behind = blocks.partition_point(|block| block.lines.start < range.end);
    let start = blocks.get(first).map_or(range.start, |block| {
        let head = match block.kind {
            BlockKind::Row { head } => head.and_then(|head| blocks.get(head)),
            _ => None,
        };
        head.unwrap_or(block).lines.start
    });
    let end = behind.checked_sub(1).and_then(|last| blocks.get(last)).map_or(0, |b| b.lines.end);
    start.min(range.start)..end.max(range.end)
}

/// Get the original file of a document. Only uploaded and ingested files are stored, and only if `corpus.keep_originals` is set.
#[utoipa::path(get, path = "/api/documents/{document_id}/file", tag = "documents", operation_id = "get_document_file",
    params(("document_id" = String, Path)),
    responses((status = 200, description = "The file.", content((Vec<u8> = "application/pdf"), (Vec<u8> = "application/octet-stream")))))]
pub(crate) async fn file(
    State(app): State<Shared>,
    User(user): User,
    Id(id): Id,
) -> Result<Response, Problem> {
    let (document, _) = stored(&app, &user, &id).await?;
    let turn = app.documents.acquire().await;
    let original = app.library.original(&user, &id).await?;
    drop(turn);
    let Some(original) = original else {
        let detail = format!("the original file of document '{}' is not stored", document.title);
        let hint = "set corpus.keep_originals and add the file again";
        return Err(Problem::new(Kind::NotFound, detail, hint));
    };
    let mut response = original.into_response();
    let headers = response.headers_mut();
    // Whatever else it is, a browser saves it and does not open it.
    let media_type =
        if document.format == "pdf" { "application/pdf" } else { "application/octet-stream" };
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(media_type));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    let policy = HeaderValue::from_static("default-src 'none'; sandbox; frame-ancestors 'none'");
    headers.insert(header::CONTENT_SECURITY_POLICY, policy);
    if let Some(disposition) = file_name::disposition_of(&document.path) {
        headers.insert(header::CONTENT_DISPOSITION, disposition);
    }
    Ok(response)
}

/// Get a passage.
#[utoipa::path(get, path = "/api/passages/{chunk_id}", tag = "documents", operation_id = "get_passage",
    params(("chunk_id" = String, Path)), responses((status = 200, body = Object)))]
pub(crate) async fn passage(
    State(app): State<Shared>,
    User(user): User,
    Id(id): Id,
) -> Result<Response, Problem> {
    let passage = app.library.passage(&user, &id).await?;
    Ok(json(&passage.ok_or_else(|| Problem::no_such("passage", &id))?))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        // proves: F2
        #[test]
        fn a_span_is_cut_out_whole_with_its_neighbourhood_or_not_at_all(text in "\\PC{0,40}", start in 0..60_u64, length in 0..20_u64, around in 0..30_u64) {
            let end = start + length;
            let within = text.get(start as usize..end as usize);
            match cut_span(&text, start, end, around) {
                None => prop_assert!(within.is_none()),
                Some(cut) => {
                    prop_assert_eq!(Some(cut.quote), within);
                    let all = [cut.before, cut.quote, cut.after].concat();
                    prop_assert_eq!(text.get(cut.from as usize..cut.to as usize), Some(&*all));
                    prop_assert!(cut.before.len() as u64 <= around + 3 && cut.after.len() as u64 <= around);
                }
            }
        }
    }
}
