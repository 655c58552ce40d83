//! Extractors for handlers, with problem documents for invalid requests.

use std::time::Duration;

use axum::body::Body;
use axum::extract::{FromRequest, FromRequestParts, Path, Request};
use axum::http::request::Parts;
use axum::http::{HeaderMap, header};
use http_body_util::{BodyExt, Limited};
use serde::de::{DeserializeOwned, IgnoredAny};

use crate::guard::User;
use crate::problem::{Kind, Problem};
use crate::state::Shared;

/// The largest JSON body.
const JSON_BYTES: usize = 1 << 20;
/// How long a JSON body may take.
const JSON_TIME: Duration = Duration::from_secs(30);
/// How long, and for how many bytes, a refused body is read on.
const LINGER_TIME: Duration = Duration::from_secs(5);
const LINGER_BYTES: usize = 64 << 20;

impl FromRequestParts<Shared> for User {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &Shared) -> Result<User, Problem> {
        let user = parts.extensions.get::<User>().cloned();
        user.ok_or_else(|| Problem::new(Kind::Unauthorised, "you are not signed in", "sign in"))
    }
}

/// A JSON body.
pub(crate) struct Json<T>(pub(crate) T);

impl<T: DeserializeOwned> FromRequest<Shared> for Json<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, _: &Shared) -> Result<Json<T>, Problem> {
        if let Err(problem) = must_be(request.headers(), "application/json") {
            leave_unread(request).await;
            return Err(problem);
        }
        read(&whole(request.into_body()).await?).map(Json)
    }
}

/// An optional JSON body.
pub(crate) struct MaybeJson<T>(pub(crate) Option<T>);

impl<T: DeserializeOwned> FromRequest<Shared> for MaybeJson<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, _: &Shared) -> Result<MaybeJson<T>, Problem> {
        let type_fits = must_be(request.headers(), "application/json");
        // A form of another site never has this type, even if it is empty.
        if request.headers().contains_key(header::CONTENT_TYPE)
            && let Err(problem) = type_fits
        {
            leave_unread(request).await;
            return Err(problem);
        }
        let bytes = whole(request.into_body()).await?;
        if [&b""[..], b"null"].contains(&bytes.trim_ascii()) {
            return Ok(MaybeJson(None));
        }
        type_fits?;
        read(&bytes).map(|value| MaybeJson(Some(value)))
    }
}

/// Reads a body to its end.
pub(crate) async fn whole(mut body: Body) -> Result<bytes::Bytes, Problem> {
    let whole = Limited::new(&mut body, JSON_BYTES).collect();
    match tokio::time::timeout(JSON_TIME, whole).await {
        Ok(Ok(body)) => Ok(body.to_bytes()),
        Ok(Err(error)) if error.is::<http_body_util::LengthLimitError>() => {
            linger(body).await;
            let detail = format!("the body is larger than {JSON_BYTES} bytes");
            Err(Problem::new(Kind::TooLarge, detail, "send less"))
        }
        Ok(Err(_)) => Err(broken_off()),
        Err(_) => Err(Problem::new(Kind::BadRequest, "the body did not arrive in time", "")),
    }
}

/// Reads a JSON object.
fn read<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Problem> {
    let wrong = |kind: Kind, error: &str| {
        Problem::new(kind, run::grounding::clean(error), "/openapi.json describes the body")
    };
    let error = match serde_json::from_slice(bytes) {
        // A list would be read as the fields in their order, which is not part of the API.
        Ok(_) if bytes.trim_ascii_start().starts_with(b"[") => {
            return Err(wrong(Kind::Invalid, "the body must be an object, not a list"));
        }
        Ok(value) => return Ok(value),
        Err(error) => error,
    };
    // The first error in a malformed body may be one of type.
    if !error.is_data() {
        return Err(wrong(Kind::BadRequest, &error.to_string()));
    }
    Err(match serde_json::from_slice::<IgnoredAny>(bytes) {
        Ok(_) => wrong(Kind::Invalid, &error.to_string()),
        Err(broken) => wrong(Kind::BadRequest, &broken.to_string()),
    })
}

/// Refuses a body of another type: a page of another origin can send only a few types, and not these.
pub(crate) fn must_be(headers: &HeaderMap, wanted: &'static str) -> Result<(), Problem> {
    let given = headers.get(header::CONTENT_TYPE).and_then(|given| given.to_str().ok());
    let given = given.and_then(|given| given.split(';').next()).unwrap_or_default();
    if given.trim().eq_ignore_ascii_case(wanted) {
        return Ok(());
    }
    let hint = format!("send it with `content-type: {wanted}`");
    Err(Problem::new(Kind::Unsupported, format!("the body must be {wanted}"), hint))
}

/// Refuses a request with a body that is ignored if it has another type than JSON: a form of another site is never that.
pub(crate) async fn refuse_forms(request: Request) -> Result<(), Problem> {
    if !request.headers().contains_key(header::CONTENT_TYPE) {
        return Ok(());
    }
    let fits = must_be(request.headers(), "application/json");
    if fits.is_err() {
        leave_unread(request).await;
    }
    fits
}

/// Reads on from a refused body: a client cut off while sending sees a broken connection instead of the refusal.
pub(crate) async fn linger(mut body: Body) {
    let read = async {
        let mut left = LINGER_BYTES;
        while left > 0
            && let Some(Ok(frame)) = body.frame().await
        {
            left = left.saturating_sub(frame.data_ref().map_or(0, bytes::Bytes::len));
        }
    };
    // Clients that send for longer are cut off.
    let _ = tokio::time::timeout(LINGER_TIME, read).await;
}

/// Handles the unread body of a refused request.
pub(crate) async fn leave_unread(request: Request) {
    // A client that sent `Expect` has sent no body, and will not.
    if !request.headers().contains_key(header::EXPECT) {
        linger(request.into_body()).await;
    }
}

pub(crate) fn broken_off() -> Problem {
    Problem::new(Kind::BadRequest, "the body ended early", "send it again")
}

/// The query of a URL.
pub(crate) struct Query<T>(pub(crate) T);

impl<T: DeserializeOwned> FromRequestParts<Shared> for Query<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &Shared) -> Result<Query<T>, Problem> {
        axum::extract::Query::try_from_uri(&parts.uri)
            .map(|axum::extract::Query(query)| Query(query))
            .map_err(|error| {
                let detail = run::grounding::clean(&error.body_text());
                Problem::invalid(detail, "/openapi.json describes the query")
            })
    }
}

/// An id in a path. An invalid one is reported as not found.
pub(crate) struct Id(pub(crate) String);

impl FromRequestParts<Shared> for Id {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &Shared) -> Result<Id, Problem> {
        let nothing = || Problem::new(Kind::NotFound, "nothing has that id", "");
        let Path(id) =
            Path::<String>::from_request_parts(parts, app).await.map_err(|_| nothing())?;
        if is_id(&id) { Ok(Id(id)) } else { Err(Problem::no_such("thing", &id)) }
    }
}

/// Two ids of a path.
pub(crate) struct Ids(pub(crate) String, pub(crate) String);

impl FromRequestParts<Shared> for Ids {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &Shared) -> Result<Ids, Problem> {
        let nothing = || Problem::new(Kind::NotFound, "nothing has these ids", "");
        let Path((one, other)) = Path::<(String, String)>::from_request_parts(parts, app)
            .await
            .map_err(|_| nothing())?;
        if let Some(wrong) = [&one, &other].into_iter().find(|id| !is_id(id)) {
            return Err(Problem::no_such("thing", wrong));
        }
        Ok(Ids(one, other))
    }
}

/// Returns whether a text has the form of an id or of a collection's name.
pub(crate) fn is_id(text: &str) -> bool {
    let fits = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    text.len() <= 128
        && text.starts_with(|c: char| c.is_ascii_alphanumeric())
        && text.chars().all(fits)
}

/// Returns JSON as a response.
pub(crate) fn json(value: &impl serde::Serialize) -> axum::response::Response {
    let bytes = serde_json::to_vec(value).unwrap_or_default();
    let mut response = axum::response::Response::new(Body::from(bytes));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, axum::http::HeaderValue::from_static("application/json"));
    headers.insert(header::CACHE_CONTROL, axum::http::HeaderValue::from_static("no-store"));
    response
}

/// Runs blocking work on a thread of its own.
pub(crate) async fn aside<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Problem> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|_| Problem::new(Kind::Failed, "the server failed to process this request", ""))
}
