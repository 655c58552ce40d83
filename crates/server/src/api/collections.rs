//! Collections: make, list, fill, remove.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use run::library::{Collection, Put, StoredDocument, is_name, is_of_a_run};
use run::ports::PortError;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::extract::{Id, Json, Query, json, leave_unread, must_be};
use super::upload::Upload;
use crate::app::{App, Shared};
use crate::guard::User;
use crate::problem::{Kind, Problem};

/// A named set of documents.
#[derive(Serialize, ToSchema)]
pub(crate) struct CollectionState {
    name: String,
    documents: u64,
    chunks: u64,
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
            embedder: collection.manifest.embedder.map(|embedder| embedder.model),
            created_at: collection.created_at.to_string(),
            updated_at: collection.updated_at.to_string(),
        }
    }
}

#[derive(Serialize, ToSchema)]
pub(crate) struct CollectionList {
    collections: Vec<CollectionState>,
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct CollectionsQuery {
    /// With the collections that belong to single runs.
    #[serde(default)]
    all: bool,
}

/// List collections.
#[utoipa::path(get, path = "/api/collections", tag = "collections", operation_id = "list_collections", params(CollectionsQuery),
    responses((status = 200, body = CollectionList)))]
pub(crate) async fn list(
    State(app): State<Shared>,
    User(user): User,
    Query(query): Query<CollectionsQuery>,
) -> Result<Response, Problem> {
    let mut collections = app.library.collections(&user).await?;
    collections.retain(|collection| query.all || !is_of_a_run(&collection.name));
    let collections = collections.into_iter().map(CollectionState::from).collect();
    Ok(json(&CollectionList { collections }))
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
    if find(&app, &user, name).await?.is_some() {
        let detail = format!("there is a collection '{name}' already");
        return Err(Problem::new(Kind::Conflict, detail, "choose another name"));
    }
    app.house.make_collection(&user, name).await?;
    let made = find(&app, &user, name).await?;
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

async fn find(app: &App, user: &str, name: &str) -> Result<Option<Collection>, PortError> {
    let collections = app.library.collections(user).await?;
    Ok(collections.into_iter().find(|collection| collection.name == name))
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
    /// rag for a file of the user's own, web, scholarly, survey or user.
    r#type: &'static str,
    format: String,
    /// As it is cited.
    source_uri: String,
    chunks: u64,
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
}

/// List the documents of a collection.
#[utoipa::path(get, path = "/api/collections/{collection}/documents", tag = "collections", operation_id = "list_documents",
    params(("collection" = String, Path)), responses((status = 200, body = DocumentList)))]
pub(crate) async fn documents(
    State(app): State<Shared>,
    User(user): User,
    Id(name): Id,
) -> Result<Response, Problem> {
    if find(&app, &user, &name).await?.is_none() {
        return Err(Problem::no_such("collection", &name));
    }
    let documents = app.library.documents(&user, &name).await?;
    Ok(json(&DocumentList { documents: documents.into_iter().map(DocumentState::from).collect() }))
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct UploadQuery {
    /// What the document is called: a label, with an ending that tells its format. It never becomes a path.
    name: String,
}

/// A file that was read into a collection.
#[derive(Serialize, ToSchema)]
pub(crate) struct Uploaded {
    document: DocumentState,
    /// added, replaced or unchanged.
    #[schema(value_type = String)]
    put: Put,
}

/// Read a file into a collection, which is made if it is not there. A document of the same name is replaced.
#[utoipa::path(post, path = "/api/collections/{collection}/documents", tag = "collections", operation_id = "upload_document",
    params(("collection" = String, Path), UploadQuery),
    request_body(content = Vec<u8>, content_type = "application/octet-stream"),
    responses((status = 201, body = Uploaded)))]
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
    let file = Upload::received(&app, request.into_body(), "corpus.file_bytes").await?;
    // Whoever goes away does not stop the reading in its middle: what it holds, it holds until it is done.
    let (house, collection) = (Arc::clone(&app.house), collection.to_owned());
    let taking =
        tokio::spawn(
            async move { house.take_in(&user, &collection, file.path(), &query.name).await },
        );
    let broke = |_| Problem::new(Kind::Failed, "its reader broke down", "");
    let taken = taking.await.map_err(broke)??;
    let mut response =
        json(&Uploaded { document: DocumentState::from(taken.document), put: taken.put });
    *response.status_mut() = StatusCode::CREATED;
    Ok(response)
}
