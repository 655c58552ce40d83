//! Resources: reports as `run://ID`, documents as `doc://COLLECTION/PATH`, surveys as `survey://NAME`.

use ::app::ExportOrder;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use rmcp::ErrorData;
use rmcp::model::{
    ListResourcesResult, ReadResourceResult, Resource, ResourceContents, ResourceTemplate,
};
use run::library::Part;
use run::log::{Listing, LogError};

use super::to_error;
use crate::problem::Problem;
use crate::state::App;

/// Resources of a page of the list.
const PAGE: u32 = 100;
/// The longest text that is read at once.
const LONGEST: usize = 4 << 20;

const RUN: &str = "run://";
const DOCUMENT: &str = "doc://";
const SURVEY: &str = "survey://";

/// What of an address stands for itself: the rest is percent-encoded, so that a path of any characters is a URI.
const PLAIN: &AsciiSet =
    &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~').remove(b'/').remove(b':');

/// Returns the address of a resource of ours as a URI.
pub(super) fn encode(address: &str) -> String {
    utf8_percent_encode(address, PLAIN).to_string()
}

/// Returns the forms of the resources.
pub(super) fn templates() -> Vec<ResourceTemplate> {
    let markdown = "text/markdown";
    vec![
        ResourceTemplate::new("run://{run_id}", "Report of a run").with_mime_type(markdown),
        ResourceTemplate::new("doc://{collection}/{+path}", "Text of a document")
            .with_mime_type("text/plain"),
        ResourceTemplate::new("survey://{name}", "Contents of a survey")
            .with_mime_type("application/json"),
    ]
}

/// Where a page of the list begins.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Cursor {
    /// Among the runs, newest first, before this one.
    Runs(Option<String>),
    Surveys,
    /// Among the documents of a collection, after this path; none for the first collection.
    Documents(Option<(String, Option<String>)>),
}

impl Cursor {
    fn read(text: Option<&str>) -> Result<Cursor, ErrorData> {
        let wrong = || ErrorData::invalid_params("the cursor is not valid", None);
        let Some(text) = text else { return Ok(Cursor::Runs(None)) };
        let (kind, rest) = text.split_once(':').ok_or_else(wrong)?;
        match (kind, rest) {
            ("runs", run) => Ok(Cursor::Runs(Some(run.to_owned()))),
            ("surveys", "") => Ok(Cursor::Surveys),
            ("documents", "") => Ok(Cursor::Documents(None)),
            ("documents", place) => {
                let (collection, path) = place.split_once('/').ok_or_else(wrong)?;
                let path = Some(path.to_owned()).filter(|path| !path.is_empty());
                Ok(Cursor::Documents(Some((collection.to_owned(), path))))
            }
            _ => Err(wrong()),
        }
    }

    fn write(&self) -> String {
        match self {
            Cursor::Runs(run) => format!("runs:{}", run.as_deref().unwrap_or_default()),
            Cursor::Surveys => "surveys:".into(),
            Cursor::Documents(None) => "documents:".into(),
            Cursor::Documents(Some((collection, path))) => {
                format!("documents:{collection}/{}", path.as_deref().unwrap_or_default())
            }
        }
    }
}

/// Returns a page of a user's resources: runs that have ended, then surveys, then documents.
pub(super) async fn list(
    app: &App,
    user: &str,
    cursor: Option<&str>,
) -> Result<ListResourcesResult, ErrorData> {
    let listed = match Cursor::read(cursor)? {
        Cursor::Runs(before) => runs(app, user, before).await,
        Cursor::Surveys => surveys(app, user).await,
        Cursor::Documents(place) => documents(app, user, place).await,
    };
    let (resources, next) = listed.map_err(|problem| to_error(&problem))?;
    let mut result = ListResourcesResult::with_all_items(resources);
    result.next_cursor = next.map(|next| next.write());
    Ok(result)
}

type Listed = Result<(Vec<Resource>, Option<Cursor>), Problem>;

async fn runs(app: &App, user: &str, before: Option<String>) -> Listed {
    let listing = Listing { before, limit: PAGE, ..Listing::default() };
    let runs = app.log.list(user, &listing).await?;
    let next = match runs.last().filter(|_| runs.len() >= PAGE as usize) {
        Some(last) => Cursor::Runs(Some(last.run_id.clone())),
        None => Cursor::Surveys,
    };
    let ended = runs.into_iter().filter(|run| run.status.is_final()).map(|run| {
        Resource::new(format!("{RUN}{}", run.run_id), run.question)
            .with_description(format!("{}, {}", run.method, run.status.name()))
            .with_mime_type("text/markdown")
    });
    Ok((ended.collect(), Some(next)))
}

async fn surveys(app: &App, user: &str) -> Listed {
    let surveys = app.backend.surveys(user).await?.into_iter().map(|survey| {
        Resource::new(format!("{SURVEY}{}", survey.name), survey.name)
            .with_mime_type("application/json")
    });
    Ok((surveys.collect(), Some(Cursor::Documents(None))))
}

async fn documents(app: &App, user: &str, place: Option<(String, Option<String>)>) -> Listed {
    let (collection, after) = match place {
        Some(place) => place,
        None => match next_collection(app, user, None).await? {
            Some(first) => (first, None),
            None => return Ok((vec![], None)),
        },
    };
    let part = Part { after, limit: PAGE };
    let documents = app.library.documents_part(user, &collection, &part).await?;
    let next = match documents.last().filter(|_| documents.len() >= PAGE as usize) {
        Some(last) => Some((collection.clone(), Some(last.path.clone()))),
        None => next_collection(app, user, Some(collection)).await?.map(|next| (next, None)),
    };
    let resources = documents.into_iter().map(|document| {
        let uri = format!("{DOCUMENT}{}/{}", document.collection, document.path);
        Resource::new(encode(&uri), document.title).with_mime_type("text/plain")
    });
    Ok((resources.collect(), next.map(|place| Cursor::Documents(Some(place)))))
}

async fn next_collection(
    app: &App,
    user: &str,
    after: Option<String>,
) -> Result<Option<String>, Problem> {
    let part = Part { after, limit: 1 };
    let next = app.library.collections_part(user, false, &part).await?;
    Ok(next.into_iter().next().map(|collection| collection.name))
}

/// Reads a resource.
pub(super) async fn read(
    app: &App,
    user: &str,
    uri: &str,
) -> Result<ReadResourceResult, ErrorData> {
    let found = if let Some(run) = uri.strip_prefix(RUN) {
        report(app, user, run).await
    } else if let Some(place) = uri.strip_prefix(DOCUMENT) {
        document(app, user, place).await
    } else if let Some(name) = uri.strip_prefix(SURVEY) {
        survey(app, user, name).await
    } else {
        Ok(None)
    };
    let Some((text, media_type)) = found.map_err(|problem| to_error(&problem))? else {
        let uri: String = run::grounding::clean(uri).chars().take(200).collect();
        return Err(ErrorData::resource_not_found(format!("there is no resource '{uri}'"), None));
    };
    if text.len() > LONGEST {
        let what = format!("it has {} bytes; the limit is {LONGEST}", text.len());
        return Err(ErrorData::invalid_params(what, None));
    }
    let contents = ResourceContents::text(text, uri).with_mime_type(media_type);
    Ok(ReadResourceResult::new(vec![contents]))
}

type Text = Option<(String, &'static str)>;

async fn report(app: &App, user: &str, run: &str) -> Result<Text, Problem> {
    let summary = match app.log.summary(user, run).await {
        Err(LogError::NoSuchRun { .. }) => return Ok(None),
        summary => summary?,
    };
    if !summary.status.is_final() {
        let status = summary.status.name();
        return Err(Problem::invalid(
            format!("run {run} is {status}"),
            "read it when it has ended",
        ));
    }
    let entries = app.log.entries(user, run, 0).await?;
    let export = app.backend.export(run, &entries, &ExportOrder::of("md")).await?;
    Ok(Some((String::from_utf8_lossy(&export.bytes).into_owned(), "text/markdown")))
}

async fn document(app: &App, user: &str, place: &str) -> Result<Text, Problem> {
    let Some((collection, path)) = place.split_once('/') else { return Ok(None) };
    if app.library.collection(user, collection).await?.is_none() {
        return Ok(None);
    }
    // As it is listed, or as a citation has it.
    let decoded = percent_decode_str(path).decode_utf8();
    let paths = [decoded.map_or_else(|_| path.to_owned(), Into::into), path.to_owned()];
    let found = app.library.documents_at(user, collection, &paths).await?;
    let Some(found) = found.into_iter().next() else { return Ok(None) };
    // The semaphore is never closed.
    let _turn = app.documents.acquire().await;
    let document = app.library.document(user, &found.document_id).await?;
    Ok(document.map(|(_, text)| (text, "text/plain")))
}

async fn survey(app: &App, user: &str, name: &str) -> Result<Text, Problem> {
    let survey = app.backend.survey(user, name).await?;
    Ok(survey
        .and_then(|survey| Some((serde_json::to_string_pretty(&survey).ok()?, "application/json"))))
}

#[cfg(test)]
mod tests {
    use super::*;

    // proves: F4
    #[test]
    fn an_address_of_any_path_is_a_uri() {
        assert_eq!(encode("doc://zoo/a-b/1.md"), "doc://zoo/a-b/1.md");
        assert_eq!(encode("doc://zoo/sp ace ](ü).md"), "doc://zoo/sp%20ace%20%5D%28%C3%BC%29.md");
    }

    // proves: F4
    #[test]
    fn a_cursor_reads_back_as_it_was_written_and_another_is_refused() {
        for cursor in [
            Cursor::Runs(Some("r1".into())),
            Cursor::Surveys,
            Cursor::Documents(None),
            Cursor::Documents(Some(("manual".into(), None))),
            Cursor::Documents(Some(("manual".into(), Some("a/b: c.md".into())))),
        ] {
            assert_eq!(Cursor::read(Some(&cursor.write())), Ok(cursor));
        }
        assert_eq!(Cursor::read(None), Ok(Cursor::Runs(None)));
        for wrong in ["", "runs", "surveys:x", "documents:x", "others:"] {
            assert!(Cursor::read(Some(wrong)).is_err(), "{wrong}");
        }
    }
}
