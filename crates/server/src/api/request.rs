//! Request ids, which connect the log lines of one request.

use std::future::Future;

use axum::http::{HeaderMap, HeaderName, header};
use uuid::Uuid;

/// The header with the id, in requests and responses.
pub(crate) const HEADER: HeaderName = HeaderName::from_static("x-request-id");
/// The length of the longest id accepted from a sender.
const LONGEST: usize = 64;

tokio::task_local! {
    static CURRENT: String;
}

/// Returns the sender's id of the request, or a generated one if that is missing or malformed.
pub(super) fn id_of(headers: &HeaderMap) -> String {
    let fits = |id: &&str| {
        (1..=LONGEST).contains(&id.len())
            && id.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c))
    };
    let given = headers.get(HEADER).and_then(|id| id.to_str().ok()).filter(fits);
    given.map_or_else(|| Uuid::new_v4().simple().to_string(), str::to_owned)
}

/// Does the work of the request with this id.
pub(super) async fn within<T>(id: String, work: impl Future<Output = T>) -> T {
    CURRENT.scope(id, work).await
}

/// Returns the id of the request being answered here.
pub(crate) fn current() -> Option<String> {
    CURRENT.try_with(Clone::clone).ok()
}

/// Returns the run of a request, from its path or the location of what it created.
pub(super) fn run_of(route: &str, path: &str, headers: &HeaderMap) -> Option<String> {
    let named = route.split('/').zip(path.split('/')).find_map(|(pattern, part)| {
        ["{run_id}", "{workflow_id}"].contains(&pattern).then_some(part)
    });
    let made = || {
        let address = headers.get(header::LOCATION)?.to_str().ok()?;
        ["/api/runs/", "/api/workflows/"].iter().find_map(|folder| address.strip_prefix(folder))
    };
    named.or_else(made).map(str::to_owned)
}
