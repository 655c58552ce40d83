//! The key stays between this process and the host it was given for.

use fakes::Say;
use run::model::Model;
use serde_json::json;

use crate::{
    HALF, KEY, NAMES, WHOLE, all_ways, always, build_connection, build_request, delta, named, sse,
    status,
};

/// Everything that can go wrong, with the key in the server's own words wherever it has any.
fn build_faults() -> Vec<Say> {
    let message = format!("Incorrect key provided: {KEY}. You can find yours at …");
    let error = json!({"error": {"message": message, "type": KEY, "code": KEY}}).to_string();
    let page = format!("<!DOCTYPE html><title>Bad key {KEY}</title><p>{KEY}</p>");
    let long = format!("{}{KEY}", "x ".repeat(148));
    let reply = |message: serde_json::Value, finish: &str| {
        let body = json!({"choices": [{"message": message, "finish_reason": finish}]}).to_string();
        status(200, "application/json", &body)
    };
    let mut faults: Vec<Say> =
        [400, 401, 403, 404, 408, 422, 429, 500, 503].map(|code| Say::error(code, &message)).into();
    faults.extend([
        status(401, "text/html", &page),
        status(200, "text/html", &page),
        status(200, "text/plain", &message),
        status(200, "application/json", KEY),
        status(200, "application/json", &format!("\"{KEY}\"")),
        status(200, "application/json", &format!("{{\"{KEY}\": \"{KEY}")),
        status(200, "application/json", &error),
        status(500, "text/plain", KEY),
        status(500, "text/plain", &long),
        status(500, "application/json", &json!({KEY: KEY}).to_string()),
        status(500, "application/json", &json!([[{"error": KEY}]]).to_string()),
        status(500, "application/json", &json!({"detail": [{"msg": message}]}).to_string()),
        status(500, KEY, &message),
        status(307, "text/plain", &message),
        sse(&[&error]),
        sse(&[&json!({"error": {"message": message, "code": 401}}).to_string()]),
        sse(&[KEY]),
        sse(&[&format!("{{\"{KEY}")]),
        sse(&[&delta(HALF), &crate::finish(KEY), "[DONE]"]),
        reply(json!({"content": null, "refusal": message}), "stop"),
        reply(json!({"content": HALF}), KEY),
        reply(json!({"content": [KEY]}), "stop"),
        reply(json!({"content": "", "tool_calls": [{"id": KEY}]}), "tool_calls"),
        Say::Raw(format!("HTTP/1.1 {KEY}\r\n\r\n")),
        Say::Raw(format!("{KEY}\r\n\r\n")),
        Say::Broken(KEY.into()),
        Say::Unended(HALF.into()),
    ]);
    faults
}

// proves: C5
#[tokio::test]
async fn no_error_holds_the_key() {
    let mut stars = 0;
    let faults = build_faults();
    assert!(faults.len() > 30);
    for fault in faults {
        for (name, streamed) in all_ways() {
            let server = always(fault.clone());
            let error = named(name, &server).chat(&build_request(streamed), &()).await;
            let error = error.expect_err(&format!("{fault:?} was taken for a reply"));
            let told = format!("{error} {error:?} {error:#?}");
            assert!(!told.contains("canary"), "{told} (streamed: {streamed}) for {fault:?}");
            assert!(!told.contains("127.0.0.1"), "{told}");
            stars += usize::from(told.contains("***"));
        }
    }
    assert!(stars > 30 * NAMES.len(), "the server's words are shown without the key: {stars}");
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    let elsewhere = always(Say::text(WHOLE));
    for code in [301, 302, 303, 307, 308] {
        for (name, streamed) in all_ways() {
            let location = format!("{}chat/completions", elsewhere.base_url());
            let server = always(Say::Status {
                status: code,
                headers: vec![("location", location)],
                content_type: "text/plain",
                body: String::new(),
            });
            let error = named(name, &server).chat(&build_request(streamed), &()).await.unwrap_err();
            let expected = format!("{name} refused the request with status {code}: an empty body");
            assert_eq!(error.to_string(), expected);
            assert_eq!(server.seen().len(), 1);
        }
    }
    assert!(elsewhere.seen().is_empty(), "the key went to another host");
}

#[test]
fn a_connection_is_shown_without_its_key() {
    let connection = build_connection("local/m", "http://localhost/v1");
    assert!(!format!("{connection:?} {connection:#?}").contains("canary"));
}

/// A key is in one header of each request, and not in its path or body.
// proves: C5
#[tokio::test]
async fn the_key_is_in_one_header_and_nowhere_else() {
    for (name, streamed) in all_ways() {
        let server = always(Say::text(WHOLE));
        named(name, &server).chat(&build_request(streamed), &()).await.unwrap();
        for seen in server.seen() {
            assert_eq!(seen.headers.matches(KEY).count(), 1, "{}", seen.headers);
            assert!(!seen.path.contains("canary") && !seen.body.to_string().contains("canary"));
            let header = match name {
                "anthropic/gull-7b" => "x-api-key",
                "gemini/gull-7b" => "x-goog-api-key",
                _ => "authorization",
            };
            assert!(seen.header(header).unwrap().ends_with(KEY));
        }
    }
}
