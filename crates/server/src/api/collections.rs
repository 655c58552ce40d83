//! Collections: create, list, fill, remove.

use std::sync::Arc;

use app::{LeftOut, Taken};
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use run::library::{Collection, Part, Put, StoredDocument, is_name, is_of_a_run};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::extract::{Id, Json, Query, json, leave_unread, must_be};
use super::once::request_key;
use super::upload::Upload;
use super::values;
use crate::guard::User;
use crate::problem::{Kind, Problem};
use crate::state::Shared;

/// A named set of documents.
#[derive(Serialize, ToSchema)]
pub(crate) struct CollectionState {
    name: String,
    documents: u64,
    chunks: u64,
    /// The total size of its stored original files, in bytes.
    original_bytes: u64,
    /// The embedding model of the collection. Null if it is searched by words only.
    embedder: Option<String>,
    #[schema(format = DateTime)]
    created_at: String,
    #[schema(format = DateTime)]
    updated_at: String,
}

impl From<Collection> for CollectionState {
    fn from(collection: Collection) -> CollectionState {
        CollectionState {
            name: collection.name,
            documents: collection.documents,
            chunks: collection.chunks,
            original_bytes: collection.original_bytes,
            embedder: collection.manifest.embedder.map(|embedder| embedder.model),
            created_at: collection.created_at.to_string(),
            updated_at: collection.updated_at.to_string(),
        }
    }
}

#[derive(Serialize, ToSchema)]
pub(crate) struct CollectionList {
    collections: Vec<CollectionState>,
    /// The value of `after` for the next page. Null on the last page.
    next: Option<String>,
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct CollectionsQuery {
    /// Include the collections that belong to single runs.
    #[serde(default)]
    all: bool,
    /// The maximum number of results.
    #[param(minimum = 1, maximum = 200, default = 200)]
    limit: Option<u32>,
    /// List only collections after this name.
    after: Option<String>,
}

/// The most items of a list page.
const LONGEST_LIST: u32 = 200;

/// Returns the requested part of a list, plus one item that shows whether there are more.
fn parse_part(limit: Option<u32>, after: Option<String>) -> Result<Part, Problem> {
    let limit = limit.unwrap_or(LONGEST_LIST);
    if !(1..=LONGEST_LIST).contains(&limit) {
        return Err(Problem::invalid(format!("limit must be from 1 to {LONGEST_LIST}"), ""));
    }
    Ok(Part { after: after.filter(|name| !name.is_empty()), limit: limit + 1 })
}

/// Removes the extra item of a part; returns the name to continue after, if there are more.
fn take_next<T>(found: &mut Vec<T>, part: &Part, name: impl Fn(&T) -> &str) -> Option<String> {
    let more = found.len() >= part.limit as usize;
    found.truncate(part.limit as usize - 1);
    found.last().filter(|_| more).map(|last| name(last).to_owned())
}

/// List collections, by name.
#[utoipa::path(get, path = "/api/collections", tag = "collections", operation_id = "list_collections", params(CollectionsQuery),
    responses((status = 200, body = CollectionList)))]
pub(crate) async fn list(
    State(app): State<Shared>,
    User(user): User,
    Query(query): Query<CollectionsQuery>,
) -> Result<Response, Problem> {
    let part = parse_part(query.limit, query.after)?;
    let mut collections = app.library.collections_part(&user, query.all, &part).await?;
    let next = take_next(&mut collections, &part, |collection| &collection.name);
    let collections = collections.into_iter().map(CollectionState::from).collect();
    Ok(json(&CollectionList { collections, next }))
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewCollection {
    /// Up to 64 letters, digits, - and _, starting with a letter or digit.
    #[schema(pattern = "^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$")]
    name: String,
}

/// Create an empty collection.
#[utoipa::path(post, path = "/api/collections", tag = "collections", operation_id = "create_collection", request_body = NewCollection,
    responses((status = 201, body = CollectionState)))]
pub(crate) async fn create(
    State(app): State<Shared>,
    User(user): User,
    Json(new): Json<NewCollection>,
) -> Result<Response, Problem> {
    let name = named(&new.name)?;
    if is_of_a_run(name) {
        let detail = "names starting with run- are reserved for collections of single runs";
        return Err(Problem::invalid(detail, "choose another name"));
    }
    if app.library.collection(&user, name).await?.is_some() {
        let detail = format!("the collection '{name}' already exists");
        return Err(Problem::new(Kind::Conflict, detail, "choose another name"));
    }
    app.backend.make_collection(&user, name).await?;
    let made = app.library.collection(&user, name).await?;
    let made = made.ok_or_else(|| Problem::no_such("collection", name))?;
    let mut response = json(&CollectionState::from(made));
    *response.status_mut() = StatusCode::CREATED;
    Ok(response)
}

fn named(name: &str) -> Result<&str, Problem> {
    if is_name(name) {
        return Ok(name);
    }
    let shown: String = run::grounding::clean(name).chars().take(64).collect();
    Err(Problem::invalid(
        format!("'{shown}' is not a valid collection name"),
        "use up to 64 letters, digits, - and _, starting with a letter or digit",
    ))
}

/// Delete a collection and its documents.
#[utoipa::path(delete, path = "/api/collections/{collection}", tag = "collections", operation_id = "remove_collection",
    params(("collection" = String, Path)), responses((status = 204)))]
pub(crate) async fn remove(
    State(app): State<Shared>,
    User(user): User,
    Id(name): Id,
) -> Result<Response, Problem> {
    match app.library.remove(&user, &name).await? {
        true => Ok(StatusCode::NO_CONTENT.into_response()),
        false => Err(Problem::no_such("collection", &name)),
    }
}

/// A document.
#[derive(Serialize, ToSchema)]
pub(crate) struct DocumentState {
    document_id: String,
    collection: String,
    /// The file name, or the address it was fetched from.
    path: String,
    title: String,
    /// `rag` for a file of the user's own.
    #[schema(schema_with = values::evidence_kind)]
    r#type: &'static str,
    format: String,
    /// The title used in citations.
    source_uri: String,
    chunks: u64,
    /// The size of the original file, if it is stored. Get it at `/api/documents/{document_id}/file`.
    original_bytes: Option<u64>,
    file_sha256: String,
    text_sha256: String,
    metadata: std::collections::BTreeMap<String, String>,
    #[schema(format = DateTime)]
    ingested_at: String,
}

impl From<StoredDocument> for DocumentState {
    fn from(document: StoredDocument) -> DocumentState {
        DocumentState {
            source_uri: document.kind.source_uri(&document.collection, &document.path),
            document_id: document.document_id,
            collection: document.collection,
            path: document.path,
            title: document.title,
            r#type: document.kind.name(),
            format: document.format,
            chunks: document.chunks,
            original_bytes: document.original_bytes,
            file_sha256: document.file_sha256,
            text_sha256: document.text_sha256,
            metadata: document.metadata,
            ingested_at: document.ingested_at.to_string(),
        }
    }
}

#[derive(Serialize, ToSchema)]
pub(crate) struct DocumentList {
    documents: Vec<DocumentState>,
    /// The number of documents in the collection.
    total: u64,
    /// The value of `after` for the next page. Null on the last page.
    next: Option<String>,
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct DocumentsQuery {
    /// The maximum number of results.
    #[param(minimum = 1, maximum = 200, default = 200)]
    limit: Option<u32>,
    /// List only documents after this path.
    after: Option<String>,
}

/// List the documents of a collection, by path.
#[utoipa::path(get, path = "/api/collections/{collection}/documents", tag = "collections", operation_id = "list_documents",
    params(("collection" = String, Path), DocumentsQuery), responses((status = 200, body = DocumentList)))]
pub(crate) async fn documents(
    State(app): State<Shared>,
    User(user): User,
    Id(name): Id,
    Query(query): Query<DocumentsQuery>,
) -> Result<Response, Problem> {
    let part = parse_part(query.limit, query.after)?;
    let collection = app.library.collection(&user, &name).await?;
    let total = collection.ok_or_else(|| Problem::no_such("collection", &name))?.documents;
    let mut documents = app.library.documents_part(&user, &name, &part).await?;
    let next = take_next(&mut documents, &part, |document| &document.path);
    let documents = documents.into_iter().map(DocumentState::from).collect();
    Ok(json(&DocumentList { documents, total, next }))
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct UploadQuery {
    /// The name of the document, with the file extension of its format. It is never used as a path.
    #[param(pattern = r"[^/\\.\s][^/\\]*$")]
    name: String,
}

/// A file added to a collection.
#[derive(Serialize, ToSchema)]
pub(crate) struct Uploaded {
    /// The document of the file. For an archive, the first document within.
    document: DocumentState,
    #[schema(schema_with = values::put)]
    put: Put,
    /// The documents within the file: attachments of an e-mail, members of an archive.
    within: Vec<DocumentState>,
    /// What is missing: files within that could not be read, and parts of documents, such as rows of a long table.
    left_out: Vec<LeftOut>,
}

/// Add a file to a collection. The collection is created if needed, and a document of the same name is replaced.
#[utoipa::path(post, path = "/api/collections/{collection}/documents", tag = "collections", operation_id = "upload_document",
    params(("collection" = String, Path), UploadQuery, ("Idempotency-Key" = Option<String>, Header, pattern = "^[!-~]{1,200}$",
        description = "Sending the same file again with the same key does not add it twice, until the server restarts. 1 to 200 visible ASCII characters.")),
    request_body(content = Vec<u8>, content_type = "application/octet-stream"),
    responses(
        (status = 201, body = Uploaded),
        (status = 200, description = "A request with this key has already added this file.", body = Uploaded)))]
pub(crate) async fn upload(
    State(app): State<Shared>,
    User(user): User,
    Id(collection): Id,
    Query(query): Query<UploadQuery>,
    request: Request,
) -> Result<Response, Problem> {
    let fits = must_be(request.headers(), "application/octet-stream");
    let collection = match fits.and_then(|()| named(&collection)) {
        Ok(collection) => collection,
        Err(problem) => {
            leave_unread(request).await;
            return Err(problem);
        }
    };
    let (headers, body) = (request.headers().clone(), request.into_body());
    let file = Upload::received(&app, &user, body, "corpus.file_bytes").await?;
    let key = request_key(&headers, &("document", collection, &query.name, file.digest()))?;
    let (backend, whose, collection) =
        (Arc::clone(&app.backend), user.clone(), collection.to_owned());
    let taking = async move {
        let taken = backend.take_in(&whose, &collection, file.path(), &query.name).await?;
        let Taken { document, put, within, left_out } = taken;
        let within = within.into_iter().map(DocumentState::from).collect();
        Ok(Uploaded { document: DocumentState::from(document), put, within, left_out })
    };
    let (uploaded, status) = app.uploads.once(&user, key, taking).await?;
    let mut response = json(&uploaded);
    *response.status_mut() = status;
    Ok(response)
}
