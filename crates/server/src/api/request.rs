//! What a request is called, so that a line of a log leads to those of the same request.

use std::future::Future;

use axum::http::{HeaderMap, HeaderName, header};
use uuid::Uuid;

/// Where a sender says what a request is called, and is told.
pub(crate) const HEADER: HeaderName = HeaderName::from_static("x-request-id");
/// The longest id that is taken from a sender.
const LONGEST: usize = 64;

tokio::task_local! {
    static CURRENT: String;
}

/// Returns what the sender calls the request, or a name of ours where that is none or odd.
pub(super) fn id_of(headers: &HeaderMap) -> String {
    let fits = |id: &&str| {
        (1..=LONGEST).contains(&id.len())
            && id.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c))
    };
    let given = headers.get(HEADER).and_then(|id| id.to_str().ok()).filter(fits);
    given.map_or_else(|| Uuid::new_v4().simple().to_string(), str::to_owned)
}

/// Does the work of a request of that name.
pub(super) async fn within<T>(id: String, work: impl Future<Output = T>) -> T {
    CURRENT.scope(id, work).await
}

/// Returns what the request is called that is being answered here.
pub(crate) fn current() -> Option<String> {
    CURRENT.try_with(Clone::clone).ok()
}

/// Returns the run that a request was about: its path names it, or the address of what it made.
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
