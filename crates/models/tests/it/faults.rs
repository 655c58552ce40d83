//! Replies that are none, half a reply, or something else: never taken for a whole one.

use std::time::{Duration, Instant};

use fakes::{FakeModel, Say};
use models::ChatModel;
use run::error::PortError;
use run::model::Model;
use serde_json::json;

use crate::{
    ATTEMPTS, HALF, Heard, NAMES, WAYS, WHOLE, all_ways, always, build_connection, build_model,
    build_request, closes, delta, each_way, finish, named, sse, status,
};

/// Checks that a fault is this error, after so many attempts.
async fn check(say: Say, streamed: bool, error: &str, attempts: usize) {
    check_of("local/gull-7b", say, streamed, error, attempts).await;
}

async fn check_of(name: &str, say: Say, streamed: bool, error: &str, attempts: usize) {
    let server = always(say.clone());
    let outcome = named(name, &server).chat(&build_request(streamed), &()).await;
    let outcome = outcome.expect_err(&format!("{say:?} was taken for a reply")).to_string();
    assert_eq!(
        (outcome.strip_prefix(name).map(str::trim_start), server.seen().len()),
        (Some(error), attempts),
        "{outcome} (streamed: {streamed}) for {say:?}"
    );
}

async fn check_both(say: Say, error: &str, attempts: usize) {
    for streamed in WAYS {
        check(say.clone(), streamed, error, attempts).await;
    }
}

/// Checks it in every protocol.
async fn check_all(say: Say, error: &str, attempts: usize) {
    for (name, streamed) in all_ways() {
        check_of(name, say.clone(), streamed, error, attempts).await;
    }
}

// proves: C2
#[tokio::test]
async fn a_refusal_says_what_the_server_said() {
    let both = |code, body: &str| status(code, "application/json", body);
    for (code, verb, attempts) in [
        (400, "refused the request", 1),
        (401, "refused the request", 1),
        (500, "failed", ATTEMPTS),
    ] {
        for (body, reason) in [
            (
                r#"{"error": {"message": "the \"top\" gull\nis out", "code": null}}"#,
                "the \"top\" gull is out",
            ),
            (r#"[{"error": {"code": 400, "message": "a list"}}]"#, "a list"),
            (r#"{"error": "only a word"}"#, "only a word"),
            (r#"{"detail": [{"loc": ["body"], "msg": "field required"}]}"#, "field required"),
            (r#"{"object": "error", "message": "flat", "code": 40303}"#, "flat"),
            (r#"{"message": "unclosed"#, r#"{"message": "unclosed"#),
            ("just text", "just text"),
            ("", "an empty body"),
        ] {
            let error = format!("{verb} with status {code}: {reason}");
            check_all(both(code, body), &error, attempts).await;
        }
    }
    let page = "<!DOCTYPE html><html><head><title>502 Bad\nGateway</title></head></html>";
    let error = "failed with status 502: an HTML page titled '502 Bad Gateway'";
    check_all(status(502, "text/html", page), error, ATTEMPTS).await;
    check_all(Say::limited("0"), "is limiting requests and asks to wait 0 s", ATTEMPTS).await;
}

// proves: C3
#[tokio::test]
async fn something_that_is_no_reply_is_never_one() {
    let page = "<html><title>Log in</title><p>Welcome</p></html>";
    let not_whole = "sent an unusable answer: a reply that stopped before its end";
    let json = |body: &str| status(200, "application/json", body);
    let empty = json!({"choices": [{"message": {"content": " "}, "finish_reason": "stop"}]});
    for (say, error) in [
        (status(200, "text/html", page), "sent an unusable answer: an HTML page titled 'Log in'"),
        (json(""), "sent an unusable answer: nothing"),
        (
            json(r#"{"choices": [{"message": {"con"#),
            "sent an unusable answer: broken JSON: EOF while parsing a string at line 1 column 30",
        ),
        (json(r#"{"answer": 42}"#), "sent an unusable answer: JSON of another shape"),
        (json(r#"{"choices": []}"#), "sent an unusable answer: JSON of another shape"),
        (json("[]"), "sent an unusable answer: JSON of another shape"),
    ] {
        check_all(say, error, ATTEMPTS).await;
    }
    check_both(json(&empty.to_string()), "sent an unusable answer: an empty reply", ATTEMPTS).await;
    check(sse(&["{\"choi"]), false, "sent an unusable answer: data: {\"choi", ATTEMPTS).await;
    let not_json = "sent an unusable answer: a stream that is not JSON: EOF while parsing a string at line 1 column 6";
    check(sse(&["{\"choi"]), true, not_json, ATTEMPTS).await;
    let stop = finish("stop");
    for (events, error) in [
        (vec![delta(HALF)], not_whole),
        (vec![delta(HALF), "[DONE]".into()], not_whole),
        (vec![delta(HALF), finish("error"), "[DONE]".into()], not_whole),
        (vec![delta("Gulls eat fish.")], not_whole),
        (vec!["[DONE]".into()], "sent an unusable answer: an empty reply"),
        (vec![stop, "[DONE]".into()], "sent an unusable answer: an empty reply"),
        (vec![], "sent an unusable answer: an empty reply"),
    ] {
        let events: Vec<&str> = events.iter().map(String::as_str).collect();
        check(sse(&events), true, error, ATTEMPTS).await;
    }
}

// proves: C3
#[tokio::test]
async fn a_reply_that_stops_for_an_unknown_reason_is_only_taken_whole() {
    for finish in ["network_error", "insufficient_system_resource"] {
        let say = |text: &str| Say::Text { text: text.into(), finish };
        check_all(
            say(HALF),
            "sent an unusable answer: a reply that stopped before its end",
            ATTEMPTS,
        )
        .await;
        for (outcome, _) in each_way(say(WHOLE)).await {
            assert_eq!(outcome.unwrap().text, WHOLE);
        }
    }
}

// proves: C3
#[tokio::test]
async fn a_stream_without_its_end_is_taken_when_the_object_is_whole() {
    let server = always(Say::Unended(WHOLE.into()));
    assert_eq!(build_model(&server).chat(&build_request(true), &()).await.unwrap().text, WHOLE);
    // So is one that said why it ended, and what it counted stands.
    let counted = json!({"choices": [], "usage": {"prompt_tokens": 11, "completion_tokens": 7}});
    let server = always(sse(&[&delta(HALF), &finish("length"), &counted.to_string()]));
    let reply = build_model(&server).chat(&build_request(true), &()).await.unwrap();
    assert_eq!((reply.cut_off, reply.usage.input_tokens, reply.usage.output_tokens), (true, 11, 7));
    // Half of one is asked for again.
    let server = FakeModel::start(|seen| match seen.number {
        1 => Say::Unended(HALF.into()),
        _ => Say::text(WHOLE),
    });
    assert_eq!(build_model(&server).chat(&build_request(true), &()).await.unwrap().text, WHOLE);
    assert_eq!(server.seen().len(), 2);
}

// proves: C3
#[tokio::test]
async fn a_connection_that_breaks_is_never_a_whole_reply() {
    // Even where every word had come: the server did not say so.
    for text in [HALF, WHOLE, ""] {
        for (outcome, asked) in each_way(Say::Broken(text.into())).await {
            let error = outcome.unwrap_err();
            assert!(matches!(error, PortError::Malformed { .. }), "{error:?}");
            assert_eq!(asked, ATTEMPTS);
        }
    }
    let (head, body) =
        ("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n", "{\"choices\": [{");
    check(
        Say::Raw(format!("{head}\r\n{body}")),
        false,
        "sent an unusable answer: broken JSON: EOF while parsing an object at line 1 column 14",
        ATTEMPTS,
    )
    .await;
    for bytes in ["", "HTTP/1.1 200", head, "garbage\r\n\r\n"] {
        for (outcome, asked) in each_way(Say::Raw(bytes.into())).await {
            let error = outcome.unwrap_err();
            assert!(matches!(error, PortError::Malformed { .. }), "{bytes:?}: {error:?}");
            assert!(asked >= ATTEMPTS, "{bytes:?}");
        }
    }
}

// proves: C2
#[tokio::test]
async fn an_error_in_place_of_a_reply_is_what_its_code_says() {
    let said = |error: serde_json::Value| {
        let body = json!({"error": error}).to_string();
        [(sse(&[&delta(HALF), &body]), true), (status(200, "application/json", &body), false)]
    };
    for (error, expected, attempts) in [
        (
            json!({"message": "the gull fell over", "code": 502}),
            "failed with status 502: the gull fell over",
            ATTEMPTS,
        ),
        (json!({"message": "busy", "code": "429"}), "is limiting requests", ATTEMPTS),
        (
            json!({"message": "no credit", "code": 402}),
            "refused the request with status 402: no credit",
            1,
        ),
        (
            json!({"message": "overloaded", "type": "server_error", "code": null}),
            "sent an unusable answer: an error: overloaded",
            ATTEMPTS,
        ),
        (json!("gone"), "sent an unusable answer: an error: gone", ATTEMPTS),
    ] {
        for (say, streamed) in said(error) {
            check(say, streamed, expected, attempts).await;
        }
    }
}

// proves: C2
#[tokio::test]
async fn a_reply_that_was_withheld_is_refused() {
    let error = "refused the request with status 200: the provider's filter withheld the reply";
    check_all(Say::Text { text: HALF.into(), finish: "content_filter" }, error, 1).await;
    for finish in ["refusal", "SAFETY"] {
        check_both(Say::Text { text: HALF.into(), finish }, error, 1).await;
    }
    let refusal = json!({"choices": [{"message": {"content": null, "refusal": "I will not."}, "finish_reason": "stop"}]});
    let error = "refused the request with status 200: I will not.";
    check(status(200, "application/json", &refusal.to_string()), false, error, 1).await;
    let piece = |text: &str| json!({"choices": [{"delta": {"refusal": text}}]}).to_string();
    let events = [&piece("I will "), &piece("not."), &finish("stop"), "[DONE]"];
    check(sse(&events), true, error, 1).await;
}

// proves: C3
#[tokio::test]
async fn a_stream_is_read_however_it_is_cut_and_spaced() {
    let (one, two, end) = (delta("{\"text\":"), delta(" \"é\"}"), finish("stop"));
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";
    for body in [
        format!("data:{one}\n\ndata:{two}\n\ndata:{end}\n\ndata:[DONE]"),
        format!("data: {one}\r\n\r\ndata: {two}\r\n\r\ndata: {end}\r\n\r\ndata: [DONE]\r\n\r\n"),
        format!(
            ": waiting\n\nevent: x\ndata: {one}\n\n: still\n\ndata: {two}\n\n\n\ndata: {end}\n\ndata: [DONE]\n\n"
        ),
        format!("data: {one}\n\ndata: {}\n\ndata: [DONE]\n\n", two.replace("null", "\"stop\"")),
    ] {
        let server = always(Say::Raw(format!("{head}{body}")));
        let reply = build_model(&server).chat(&build_request(true), &()).await.unwrap();
        assert_eq!(reply.text, "{\"text\": \"é\"}", "{body}");
    }
}

// proves: C3
#[tokio::test]
async fn a_whole_reply_is_taken_where_a_stream_was_asked_for() {
    let message = json!({"role": "assistant", "content": WHOLE, "refusal": null});
    let body = json!({"error": null, "choices": [{"message": message, "finish_reason": "stop"}]});
    let server = always(status(200, "application/json", &body.to_string()));
    let heard = Heard::default();
    let reply = build_model(&server).chat(&build_request(true), &heard).await.unwrap();
    assert_eq!(
        (reply.text.as_str(), heard.0.into_inner().unwrap().concat().as_str()),
        (WHOLE, WHOLE)
    );
}

// proves: C3
#[tokio::test]
async fn an_error_that_is_null_is_none() {
    let piece = delta(WHOLE).replacen('{', "{\"error\": null, ", 1);
    let server = always(sse(&[&piece, &finish("stop"), "[DONE]"]));
    assert_eq!(build_model(&server).chat(&build_request(true), &()).await.unwrap().text, WHOLE);
}

// proves: C3
#[tokio::test]
async fn thoughts_are_not_part_of_the_reply() {
    let thought = json!({"choices": [{"delta": {"reasoning_content": "Hm. {\"text\": 1}"}}]});
    let server = always(sse(&[&thought.to_string(), &delta(WHOLE), &finish("stop"), "[DONE]"]));
    assert_eq!(build_model(&server).chat(&build_request(true), &()).await.unwrap().text, WHOLE);
    let message = json!({"content": WHOLE, "reasoning": "Hm.", "reasoning_details": [{"type": "reasoning.text", "text": "Hm."}]});
    let body = json!({"choices": [{"message": message, "finish_reason": "stop"}]}).to_string();
    let server = always(status(200, "application/json", &body));
    assert_eq!(build_model(&server).chat(&build_request(false), &()).await.unwrap().text, WHOLE);
}

// proves: C6
#[tokio::test]
async fn a_stream_that_stalls_is_given_up_and_asked_for_again() {
    for name in NAMES {
        let server = FakeModel::start(|seen| match seen.number {
            1 => Say::Hang,
            _ => Say::text(WHOLE),
        });
        let mut connection = build_connection(name, &server.base_url());
        connection.idle_timeout = Duration::from_millis(40);
        let mut request = build_request(true);
        request.deadline = Duration::from_secs(5);
        let reply = ChatModel::new(connection).unwrap().chat(&request, &()).await;
        assert_eq!(reply.unwrap().text, WHOLE);
        assert!(closes(&server, 1).await);
    }
}

// proves: C6
#[tokio::test]
async fn a_model_may_think_longer_than_a_stream_may_be_silent() {
    let late = Duration::from_millis(120);
    let server = always(Say::After(late, Box::new(Say::text(WHOLE))));
    let mut connection = build_connection("local/m", &server.base_url());
    connection.idle_timeout = Duration::from_millis(40);
    let reply = ChatModel::new(connection).unwrap().chat(&build_request(true), &()).await;
    assert_eq!((reply.unwrap().text.as_str(), server.seen().len()), (WHOLE, 1));
}

// proves: C6
#[tokio::test]
async fn a_server_that_hangs_is_left_at_the_deadline() {
    for (name, streamed) in all_ways() {
        for say in [Say::NoopListener, Say::Hang] {
            let server = always(say);
            let mut request = build_request(streamed);
            request.deadline = Duration::from_millis(60);
            let began = Instant::now();
            let error = named(name, &server).chat(&request, &()).await.unwrap_err();
            assert!(began.elapsed() < Duration::from_secs(2));
            let setting = "models.timeout_seconds";
            assert_eq!(error, PortError::TimedOut { service: name.into(), seconds: 0, setting });
            assert!(
                error.to_string().contains("raise models.timeout_seconds to wait longer"),
                "{error}"
            );
            assert!(closes(&server, 1).await);
            assert_eq!(server.seen().len(), 1);
        }
    }
}

// proves: C7
#[tokio::test]
async fn dropping_the_call_closes_the_connection() {
    for (name, streamed) in all_ways() {
        for say in [Say::NoopListener, Say::Hang] {
            let server = always(say);
            let model = named(name, &server);
            let asked = build_request(streamed);
            let call = tokio::spawn(async move { model.chat(&asked, &()).await });
            while server.seen().is_empty() {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
            assert_eq!(server.dropped(), 0);
            call.abort();
            assert!(call.await.unwrap_err().is_cancelled());
            assert!(closes(&server, 1).await);
            assert_eq!(server.seen().len(), 1, "nothing is asked after a cancellation");
        }
    }
}
