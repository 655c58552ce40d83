//! What the server is asked, and what a reply counts.

use fakes::{FakeModel, Say, Seen, USAGE};
use models::{ChatModel, ConnectError, Connection, Structured};
use run::error::PortError;
use run::model::{ChatRequest, Model, Speaker, Turn};
use serde_json::{Value, json};

use crate::{
    HALF, Heard, KEY, NAMES, WAYS, WHOLE, always, build_connection, build_model, build_request,
    each_way, named, schema,
};

/// Asks a willing server and returns what it saw.
async fn capture_request(name: &str, path: &str, request: &ChatRequest) -> Seen {
    let server = always(Say::text(WHOLE));
    let base_url = server.base_url().replace("/v1/", path);
    let model = ChatModel::new(build_connection(name, &base_url)).unwrap();
    assert_eq!(model.chat(request, &()).await.unwrap().text, WHOLE);
    server.seen().remove(0)
}

// proves: C3
#[tokio::test]
async fn a_request_carries_the_schema_the_token_limit_and_every_turn() {
    for streamed in WAYS {
        let mut request = build_request(streamed);
        request.turns.push(Turn { speaker: Speaker::Model, text: "Grass.".into() });
        request.turns.push(Turn { speaker: Speaker::User, text: "Again.".into() });
        let body = capture_request("local/gull-7b", "/v1/", &request).await.body;
        let expected = json!({
            "model": "gull-7b", "stream": streamed, "temperature": 0.25, "max_tokens": 321,
            "messages": [{"role": "system", "content": "You know gulls."},
                         {"role": "user", "content": "What do gulls eat?"},
                         {"role": "assistant", "content": "Grass."},
                         {"role": "user", "content": "Again."}],
            "response_format": {"type": "json_schema",
                "json_schema": {"name": "Said", "strict": true, "schema": schema()}}});
        let mut expected = expected;
        if streamed {
            expected["stream_options"] = json!({"include_usage": true});
        }
        assert_eq!(body, expected);
    }
}

// proves: C3
#[tokio::test]
async fn a_model_name_arrives_whole_and_asks_for_no_effort() {
    let names =
        ["x-max", "x-xhigh", "x-high", "x-medium", "x-low", "x-minimal", "x-none", "x-zero"];
    let others =
        ["org/name:8b@q4", "gpt-5-mini", "gpt-5.2-codex", "o3-pro", "claude-x", "gemini-x"];
    for name in names.into_iter().chain(others) {
        for streamed in WAYS {
            let seen =
                capture_request(&format!("openai/{name}"), "/v1/", &build_request(streamed)).await;
            assert_eq!(seen.body["model"], name);
            assert_eq!(seen.body.get("reasoning_effort"), None, "{name}");
            // Newer models of OpenAI go by the same address; only the limit has another name there.
            assert_eq!(seen.path, "/v1/chat/completions", "{name}");
            let limits = [&seen.body["max_tokens"], &seen.body["max_completion_tokens"]];
            assert!(limits.contains(&&json!(321)), "{name}: {}", seen.body);
        }
    }
}

// proves: C3
#[test]
fn a_name_with_a_namespace_is_refused() {
    for name in ["openai/openai::gpt-4o", "local/::x", "local/a::"] {
        let refused = Connection::new(name, Some("http://localhost/v1"), None);
        assert!(matches!(refused, Err(ConnectError::Name { .. })), "{name}");
    }
}

// proves: C8
#[tokio::test]
async fn any_form_of_base_url_leads_to_the_same_place() {
    for (base, path) in [
        ("/v1/", "/v1/chat/completions"),
        ("/v1", "/v1/chat/completions"),
        ("/a/b", "/a/b/chat/completions"),
        ("/v1?api-version=2", "/v1/chat/completions?api-version=2"),
        ("/", "/chat/completions"),
        ("", "/chat/completions"),
    ] {
        for streamed in WAYS {
            assert_eq!(
                capture_request("local/m", base, &build_request(streamed)).await.path,
                path,
                "{base}"
            );
        }
    }
}

#[tokio::test]
async fn a_key_goes_into_one_header_and_a_keyless_server_needs_none() {
    for streamed in WAYS {
        let headers = capture_request("local/m", "/v1/", &build_request(streamed)).await.headers;
        assert_eq!(headers.matches(KEY).count(), 1);
        assert!(headers.to_lowercase().contains(&format!("authorization: bearer {KEY}")));
        let server = always(Say::text(WHOLE));
        let keyless = Connection::new("local/m", Some(&server.base_url()), None).unwrap();
        let reply =
            ChatModel::new(keyless).unwrap().chat(&build_request(streamed), &()).await.unwrap();
        assert_eq!(reply.text, WHOLE);
        assert!(!server.seen()[0].headers.to_lowercase().contains("authorization"));
    }
}

// proves: C3
#[tokio::test]
async fn a_server_that_refuses_a_form_is_asked_with_the_next_and_it_is_remembered() {
    let refusals: [(u16, &str, &str); 4] = [
        (
            400,
            "Invalid parameter: 'response_format' of type 'json_schema' is not supported.",
            "'response_format' must be text",
        ),
        (
            422,
            "body has \"response_format.type\": \"json_schema\", which is not known",
            "\"response_format\" again",
        ),
        (400, "Structured Output is not available for this model", "guided decoding is off"),
        (501, "not implemented", "not implemented"),
    ];
    for (status, schema_refused, json_refused) in refusals {
        for streamed in WAYS {
            let server = FakeModel::start(move |seen| match seen.form() {
                "json_schema" => Say::error(status, schema_refused),
                "json_object" => Say::error(status, json_refused),
                _ => Say::text(WHOLE),
            });
            let model = build_model(&server);
            for _ in 0..2 {
                assert_eq!(model.chat(&build_request(streamed), &()).await.unwrap().text, WHOLE);
            }
            let seen = server.seen();
            let forms: Vec<&str> = seen.iter().map(Seen::form).collect();
            assert_eq!(forms, ["json_schema", "json_object", "", ""], "{schema_refused}");
            for seen in &seen {
                let in_prompt = seen.prompt().contains(&schema().to_string());
                assert_eq!(in_prompt, seen.form() != "json_schema");
                assert_eq!(seen.body["max_tokens"], 321);
            }
        }
    }
}

// proves: C3
#[tokio::test]
async fn a_refusal_of_something_else_is_not_taken_for_one_of_the_form() {
    for (status, message) in [
        (400, "maximum context length is 8192 tokens"),
        (404, "The model `gull-7b` does not exist"),
        (401, "invalid key for response_format"),
    ] {
        for (outcome, asked) in each_way(Say::error(status, message)).await {
            let PortError::Refused { status: said, reason, .. } = outcome.unwrap_err() else {
                panic!("{message} was taken for something else");
            };
            assert_eq!((said, reason.as_str()), (status, message));
            assert_eq!(asked, 1, "{message}");
        }
    }
}

// proves: C8
#[tokio::test]
async fn a_configured_form_is_the_first_that_is_asked() {
    for (structured, form) in [
        (Structured::Schema, "json_schema"),
        (Structured::Json, "json_object"),
        (Structured::Prompt, ""),
    ] {
        let server = always(Say::text(WHOLE));
        let mut connection = build_connection("local/m", &server.base_url());
        connection.structured = structured;
        ChatModel::new(connection).unwrap().chat(&build_request(false), &()).await.unwrap();
        assert_eq!(server.seen()[0].form(), form);
    }
}

// proves: C16
#[tokio::test]
async fn the_tokens_that_a_server_counts_are_reported_and_others_estimated() {
    for (outcome, _) in each_way(Say::text(WHOLE)).await {
        let usage = outcome.unwrap().usage;
        assert_eq!((usage.input_tokens, usage.cached_tokens, usage.output_tokens), USAGE);
    }
    let (reply, prompt) = (WHOLE.chars().count() as u64, "You know gulls.What do gulls eat?".len());
    for (outcome, _) in each_way(Say::Uncounted(WHOLE.into())).await {
        let usage = outcome.unwrap().usage;
        assert_eq!(usage.cached_tokens, 0);
        assert!(usage.input_tokens.abs_diff(prompt as u64 / 4) <= 2, "{usage:?}");
        assert!(usage.output_tokens.abs_diff(reply / 4) <= 2, "{usage:?}");
    }
    // Counts that cannot be are as good as none.
    let absurd = json!({"choices": [{"message": {"content": WHOLE}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": -5, "completion_tokens": -1}});
    let server = always(Say::Status {
        status: 200,
        headers: vec![],
        content_type: "application/json; charset=utf-8",
        body: absurd.to_string(),
    });
    let usage = build_model(&server).chat(&build_request(false), &()).await.unwrap().usage;
    assert!(usage.input_tokens > 0 && usage.output_tokens > 0, "{usage:?}");
}

// proves: C16
#[tokio::test]
async fn a_stream_may_count_in_its_last_piece_or_in_one_of_its_own() {
    let usage: Value = json!({"prompt_tokens": 11, "completion_tokens": 7});
    let (piece, end) = (crate::delta(WHOLE), crate::finish("stop"));
    let counted = json!({"choices": [], "usage": usage}).to_string();
    let with_end = json!({"choices": [{"delta": {}, "finish_reason": "stop"}], "usage": usage});
    for events in [
        vec![piece.as_str(), &end, &counted, "[DONE]"],
        vec![piece.as_str(), &with_end.to_string(), "[DONE]"],
    ] {
        let server = always(crate::sse(&events));
        let usage = build_model(&server).chat(&build_request(true), &()).await.unwrap().usage;
        assert_eq!((usage.input_tokens, usage.output_tokens), (11, 7));
    }
}

// proves: D5
#[tokio::test]
async fn the_words_of_a_stream_are_heard_as_they_come() {
    for name in NAMES {
        let heard = Heard::default();
        let server = always(Say::text(WHOLE));
        let model = named(name, &server);
        let reply = model.chat(&build_request(true), &heard).await.unwrap();
        let pieces = heard.0.into_inner().unwrap();
        assert!(pieces.len() > 3 && model.streams(), "{pieces:?}");
        assert_eq!(pieces.concat(), reply.text);
    }
}

// proves: C3
#[tokio::test]
async fn a_reply_that_used_up_its_tokens_is_cut_off() {
    // Whole, half, or nothing but hidden thoughts: what was paid for is counted, and not asked for again.
    for text in [WHOLE, HALF, ""] {
        for (outcome, asked) in each_way(Say::Text { text: text.into(), finish: "length" }).await {
            let reply = outcome.unwrap();
            assert!(reply.cut_off);
            assert_eq!((reply.text.as_str(), reply.usage.output_tokens), (text, USAGE.2));
            assert_eq!(asked, 1);
        }
    }
    for (outcome, _) in each_way(Say::text(WHOLE)).await {
        assert!(!outcome.unwrap().cut_off);
    }
}
