//! The output of a run: its result, report, evidence and files.

use std::sync::Arc;

use axum::extract::State;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use methods::difference::{self, Side};
use run::entry::Entry;
use run::views;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::{IntoParams, ToSchema};

use super::extract::{Id, Ids, Query, aside, json};
use super::{file_name, values};
use crate::guard::User;
use crate::problem::Problem;
use crate::state::Shared;
use ::app::{Backend, ExportOrder};

/// Get a run's result in the form the command line prints.
#[utoipa::path(get, path = "/api/runs/{run_id}/result", tag = "runs", operation_id = "get_result", params(("run_id" = String, Path)),
    responses((status = 200, body = ref("#/components/schemas/RunResult"))))]
pub(crate) async fn result(
    State(app): State<Shared>,
    User(user): User,
    Id(run): Id,
) -> Result<Response, Problem> {
    let entries = app.log.entries(&user, &run, 0).await?;
    let backend = Arc::clone(&app.backend);
    Ok(json(&aside(move || placed(&*backend, &run, &entries)).await?))
}

/// Returns the result of a run, with the document that each citation's span refers to.
pub(crate) fn placed(backend: &dyn Backend, run: &str, entries: &[Entry]) -> Value {
    let mut envelope = backend.envelope(run, entries);
    place(&mut envelope, entries);
    envelope
}

/// Adds to each citation the document its span refers to.
fn place(envelope: &mut Value, entries: &[Entry]) {
    let evidence = views::evidence(entries);
    let citations = envelope.get_mut("citations").and_then(Value::as_array_mut);
    for citation in citations.into_iter().flatten() {
        let id = citation.get("evidence_id").and_then(Value::as_str);
        let known = evidence.iter().find(|known| Some(known.evidence.evidence_id.as_str()) == id);
        let document = known.map(|known| known.evidence.provenance.place.document_id.clone());
        if let Value::Object(fields) = citation {
            fields.insert("document_id".into(), json!(document));
        }
    }
}

/// Get a run's result as sanitised HTML, with its headings.
#[utoipa::path(get, path = "/api/runs/{run_id}/report", tag = "runs", operation_id = "get_report", params(("run_id" = String, Path)),
    responses((status = 200, body = ::app::Report)))]
pub(crate) async fn report(
    State(app): State<Shared>,
    User(user): User,
    Id(run): Id,
) -> Result<Response, Problem> {
    let entries = app.log.entries(&user, &run, 0).await?;
    let backend = Arc::clone(&app.backend);
    Ok(json(&aside(move || backend.report(&run, &entries)).await?))
}

#[derive(Serialize, ToSchema)]
pub(crate) struct EvidenceList {
    evidence: Vec<EvidenceState>,
}

/// A passage used by the run.
#[derive(Serialize, ToSchema)]
struct EvidenceState {
    number: u32,
    evidence_id: String,
    #[schema(schema_with = values::evidence_kind)]
    r#type: &'static str,
    text: String,
    source_uri: String,
    title: String,
    section: String,
    document_id: String,
    /// Offsets into the document's text, in UTF-8 bytes.
    start: u64,
    end: u64,
    source_sha256: String,
    page: Option<u32>,
    score: f64,
    /// Whether the result cites it.
    cited: bool,
}

/// List the evidence of a run.
#[utoipa::path(get, path = "/api/runs/{run_id}/evidence", tag = "runs", operation_id = "get_evidence", params(("run_id" = String, Path)),
    responses((status = 200, body = EvidenceList)))]
pub(crate) async fn evidence(
    State(app): State<Shared>,
    User(user): User,
    Id(run): Id,
) -> Result<Response, Problem> {
    let entries = app.log.entries(&user, &run, 0).await?;
    let cited = views::citations(views::ledger(&entries));
    let evidence = views::evidence(&entries).into_iter().map(|numbered| {
        let evidence = Arc::unwrap_or_clone(numbered.evidence);
        let place = evidence.provenance.place;
        EvidenceState {
            number: numbered.number,
            cited: cited.iter().any(|one| one.evidence_id == evidence.evidence_id),
            evidence_id: evidence.evidence_id,
            r#type: evidence.kind.name(),
            text: evidence.text,
            source_uri: evidence.source_uri,
            page: place.page_at(place.start),
            title: place.title,
            section: place.section,
            document_id: place.document_id,
            start: place.start,
            end: place.end,
            source_sha256: place.source_sha256,
            score: evidence.score,
        }
    });
    Ok(json(&EvidenceList { evidence: evidence.collect() }))
}

/// Compare the results of two runs.
#[utoipa::path(get, path = "/api/runs/{run_id}/diff/{other_id}", tag = "runs", operation_id = "diff_runs",
    params(("run_id" = String, Path), ("other_id" = String, Path, description = "The run to compare with, usually the later one.")),
    responses((status = 200, body = ref("#/components/schemas/RunDifference"))))]
pub(crate) async fn diff(
    State(app): State<Shared>,
    User(user): User,
    Ids(run, other): Ids,
) -> Result<Response, Problem> {
    let entries = app.log.entries(&user, &run, 0).await?;
    let others = app.log.entries(&user, &other, 0).await?;
    let backend = Arc::clone(&app.backend);
    let compare = move || {
        let from = backend.envelope(&run, &entries);
        let to = backend.envelope(&other, &others);
        difference::compare(&Side::of_run(&from, &entries), &Side::of_run(&to, &others))
    };
    Ok(json(&aside(compare).await?))
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct ExportQuery {
    /// A format listed in the settings for the run's method.
    format: String,
    /// The citation style.
    style: Option<String>,
    /// For a bundle: leave out the full texts of its sources and keep only the passages in the log.
    #[serde(default)]
    passages_only: bool,
}

/// Get a run's result as a file.
#[utoipa::path(get, path = "/api/runs/{run_id}/export", tag = "runs", operation_id = "export_run",
    params(("run_id" = String, Path), ExportQuery),
    responses((status = 200, description = "The file.", content(
        (String = "text/markdown"), (String = "text/html"), (String = "text/plain"), (Object = "application/json"), (String = "application/jsonl"),
        (String = "application/x-bibtex"),
        (String = "application/x-research-info-systems"), (Vec<Value> = "application/vnd.citationstyles.csl+json"),
        (Vec<u8> = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"), (Vec<u8> = "application/pdf"),
        (Vec<u8> = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"), (Vec<u8> = "application/zip")))))]
pub(crate) async fn export(
    State(app): State<Shared>,
    User(user): User,
    Id(run): Id,
    Query(query): Query<ExportQuery>,
) -> Result<Response, Problem> {
    let entries = app.log.entries(&user, &run, 0).await?;
    let question =
        views::start(&entries).map_or_else(String::new, |start| start.question.to_owned());
    let (backend, id) = (Arc::clone(&app.backend), run.clone());
    // Most of it is computed.
    let here = tokio::runtime::Handle::current();
    let exported = move || {
        let (format, style) = (query.format.as_str(), query.style.as_deref());
        let wanted = ExportOrder { format, style, passages_only: query.passages_only };
        here.block_on(backend.export(&id, &entries, &wanted))
    };
    let export = aside(exported).await??;
    let disposition = file_name::disposition(&question, &run, export.extension);
    let mut response = export.bytes.into_response();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(export.media_type));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    if let Some(disposition) = disposition {
        headers.insert(header::CONTENT_DISPOSITION, disposition);
    }
    Ok(response)
}
