//! Collections: create, list, fill, remove.

use std::sync::Arc;

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
    /// The bytes of the files that are kept of its documents.
    original_bytes: u64,
    /// What makes its vectors; none where it is searched by words alone.
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
    /// What to give as `after` to see the next ones; none at the end.
    next: Option<String>,
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct CollectionsQuery {
    /// With the collections that belong to single runs.
    #[serde(default)]
    all: bool,
    /// How many, at most.
    #[param(minimum = 1, maximum = 200, default = 200)]
    limit: Option<u32>,
    /// Only collections after this name.
    after: Option<String>,
}

/// The most items of a list page.
const LONGEST_LIST: u32 = 200;

/// Returns the requested part of a list, plus one item that shows whether there are more.
fn parse_part(limit: Option<u32>, after: Option<String>) -> Result<Part, Problem> {
    let limit = limit.unwrap_or(LONGEST_LIST);
    if !(1..=LONGEST_LIST).contains(&limit) {
        return Err(Problem::invalid(format!("limit is from 1 to {LONGEST_LIST}"), ""));
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
    /// Up to 64 letters, digits, - and _, beginning with a letter or digit.
    #[schema(pattern = "^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$")]
    name: String,
}

/// Make an empty collection.
#[utoipa::path(post, path = "/api/collections", tag = "collections", operation_id = "create_collection", request_body = NewCollection,
    responses((status = 201, body = CollectionState)))]
pub(crate) async fn create(
    State(app): State<Shared>,
    User(user): User,
    Json(new): Json<NewCollection>,
) -> Result<Response, Problem> {
    let name = named(&new.name)?;
    if is_of_a_run(name) {
        let detail = "names that begin with run- are for the collections of single runs";
        return Err(Problem::invalid(detail, "choose another name"));
    }
    if app.library.collection(&user, name).await?.is_some() {
        let detail = format!("there is a collection '{name}' already");
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
        format!("'{shown}' cannot be the name of a collection"),
        "use up to 64 letters, digits, - and _, beginning with a letter or digit",
    ))
}

/// Remove a collection with everything in it.
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
    /// The name of the file, or where it was fetched from.
    path: String,
    title: String,
    /// `rag` for a file of the user's own.
    #[schema(schema_with = values::evidence_kind)]
    r#type: &'static str,
    format: String,
    /// As it is cited.
    source_uri: String,
    chunks: u64,
    /// The size of the file, where the file is kept and can be had at `/api/documents/{document_id}/file`.
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
    /// How many there are in the collection.
    total: u64,
    /// What to give as `after` to see the next ones; none at the end.
    next: Option<String>,
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct DocumentsQuery {
    /// How many, at most.
    #[param(minimum = 1, maximum = 200, default = 200)]
    limit: Option<u32>,
    /// Only documents after this path.
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
    /// What the document is called: a label, with an ending that tells its format. It never becomes a path.
    #[param(pattern = r"[^/\\.\s][^/\\]*$")]
    name: String,
}

/// A file that was read into a collection.
#[derive(Serialize, ToSchema)]
pub(crate) struct Uploaded {
    document: DocumentState,
    #[schema(schema_with = values::put)]
    put: Put,
}

/// Read a file into a collection, which is made if it is not there. A document of the same name is replaced.
#[utoipa::path(post, path = "/api/collections/{collection}/documents", tag = "collections", operation_id = "upload_document",
    params(("collection" = String, Path), UploadQuery, ("Idempotency-Key" = Option<String>, Header, pattern = "^[!-~]{1,200}$",
        description = "Makes the same file with the same key be read once, however often it is sent, for as long as the server runs; 1 to 200 visible ASCII characters.")),
    request_body(content = Vec<u8>, content_type = "application/octet-stream"),
    responses(
        (status = 201, body = Uploaded),
        (status = 200, description = "That key has brought this file already.", body = Uploaded)))]
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
        Ok(Uploaded { document: DocumentState::from(taken.document), put: taken.put })
    };
    let (uploaded, status) = app.uploads.once(&user, key, taking).await?;
    let mut response = json(&uploaded);
    *response.status_mut() = status;
    Ok(response)
}
