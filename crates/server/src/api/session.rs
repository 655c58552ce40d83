//! Signing in and out in a browser: the token becomes a cookie that no script can read.

use axum::extract::{ConnectInfo, State};
use axum::http::{Extensions, HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::extract::{Json, json};
use crate::guard::{COOKIE, Ends, FORGET, User};
use crate::problem::{Kind, Problem};
use crate::state::Shared;

/// The user who is signed in.
#[derive(Serialize, ToSchema)]
pub(crate) struct Session {
    user: Option<String>,
    /// `none`: no sign-in is needed. `token`: every user signs in with a token.
    authentication: &'static str,
    signed_in: bool,
}

/// Get the signed-in user.
#[utoipa::path(get, path = "/api/session", tag = "session", operation_id = "get_session", responses((status = 200, body = Session)))]
pub(crate) async fn get(State(app): State<Shared>, extensions: Extensions) -> Response {
    let user = extensions.get::<User>().map(|user| user.0.clone());
    let authentication = if app.config.tokens.is_empty() { "none" } else { "token" };
    json(&Session { signed_in: user.is_some(), user, authentication })
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SignIn {
    token: String,
}

/// Sign in with a token.
#[utoipa::path(post, path = "/api/session", tag = "session", operation_id = "sign_in", request_body = SignIn,
    responses((status = 204, headers(("Set-Cookie" = String)))))]
pub(crate) async fn sign_in(
    State(app): State<Shared>,
    ConnectInfo(ends): ConnectInfo<Ends>,
    headers: HeaderMap,
    Json(SignIn { token }): Json<SignIn>,
) -> Result<Response, Problem> {
    if app.config.tokens.is_empty() {
        return Err(Problem::new(Kind::Conflict, "this server has no sign-in", ""));
    }
    if app.config.tokens.user_of(&token).is_none() {
        app.limiter.guesses(ends.remote.ip())?;
        return Err(Problem::new(Kind::Unauthorised, "that token is not valid here", ""));
    }
    // A known token fits into a cookie unchanged.
    let origin = headers.get(header::ORIGIN).and_then(|origin| origin.to_str().ok());
    let secure =
        if origin.is_some_and(|origin| origin.starts_with("https://")) { "; Secure" } else { "" };
    with_cookie(&format!(
        "{COOKIE}={token}; Path=/; HttpOnly; SameSite=Strict; Max-Age=2592000{secure}"
    ))
}

/// Sign out.
#[utoipa::path(delete, path = "/api/session", tag = "session", operation_id = "sign_out", responses((status = 204)))]
pub(crate) async fn sign_out() -> Result<Response, Problem> {
    with_cookie(FORGET)
}

fn with_cookie(cookie: &str) -> Result<Response, Problem> {
    let mut cookie = HeaderValue::from_str(cookie)
        .map_err(|_| Problem::new(Kind::Failed, "the cookie could not be set", ""))?;
    cookie.set_sensitive(true);
    let mut response = StatusCode::NO_CONTENT.into_response();
    response.headers_mut().insert(header::SET_COOKIE, cookie);
    Ok(response)
}
