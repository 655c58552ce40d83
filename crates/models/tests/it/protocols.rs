//! What is particular to Anthropic's and Gemini's protocol.

use fakes::{FakeModel, Say, Seen};
use models::{ChatModel, Form, Structured};
use run::budget::{Price, Usage};
use run::error::PortError;
use run::model::{Model, Speaker, Turn};
use serde_json::{Value, json};

use crate::{
    ATTEMPTS, HALF, Heard, NAMES, WAYS, WHOLE, all_ways, always, build_connection, build_request,
    delta_of, named, schema, sse, status,
};

/// Asks a willing server and returns what it saw.
async fn capture_request(name: &str, streamed: bool) -> Seen {
    let server = always(Say::text(WHOLE));
    let mut request = build_request(streamed);
    request.turns.push(Turn { speaker: Speaker::Model, text: "".into() });
    request.turns.push(Turn { speaker: Speaker::Model, text: "Grass.".into() });
    request.turns.push(Turn { speaker: Speaker::User, text: "Again.".into() });
    assert_eq!(named(name, &server).chat(&request, &()).await.unwrap().text, WHOLE);
    server.seen().remove(0)
}

// proves: C3
#[tokio::test]
async fn a_request_is_what_the_provider_documents() {
    // Neither takes a bound on texts.
    let mut told = schema();
    told["properties"]["text"] = json!({"type": "string", "description": "(maxLength: 600)"});
    let mut in_order = told.clone();
    in_order["propertyOrdering"] = json!(["text"]);
    for streamed in WAYS {
        let seen = capture_request("anthropic/claude-sonnet-4-5", streamed).await;
        assert_eq!(seen.path, "/v1/messages");
        assert_eq!(seen.header("anthropic-version"), Some("2023-06-01"));
        let expected = json!({
            "model": "claude-sonnet-4-5", "max_tokens": 321, "stream": streamed, "temperature": 0.25,
            "system": "You know gulls.",
            "messages": [{"role": "user", "content": "What do gulls eat?"},
                         {"role": "assistant", "content": "Grass."},
                         {"role": "user", "content": "Again."}],
            "output_config": {"format": {"type": "json_schema", "schema": told}}});
        assert_eq!(seen.body, expected);
    }
    for streamed in WAYS {
        let seen = capture_request("gemini/gemini-2.5-flash", streamed).await;
        let method = if streamed { "streamGenerateContent?alt=sse" } else { "generateContent" };
        assert_eq!(seen.path, format!("/v1/models/gemini-2.5-flash:{method}"));
        let turn = |role: &str, text: &str| json!({"role": role, "parts": [{"text": text}]});
        let expected = json!({
            "systemInstruction": {"parts": [{"text": "You know gulls."}]},
            "contents": [turn("user", "What do gulls eat?"), turn("model", "Grass."), turn("user", "Again.")],
            "generationConfig": {"maxOutputTokens": 321, "temperature": 0.25,
                "responseMimeType": "application/json", "responseJsonSchema": in_order,
                "thinkingConfig": {"thinkingBudget": 0}}});
        assert_eq!(seen.body, expected);
    }
}

// proves: C3
#[tokio::test]
async fn a_model_that_thinks_is_asked_to_think_little() {
    for (name, pointer, expected) in [
        ("anthropic/claude-opus-5", "/thinking", json!({"type": "disabled"})),
        ("anthropic/claude-sonnet-5-5", "/thinking", json!({"type": "between_tools"})),
        ("anthropic/claude-opus-5-5", "/output_config/effort", json!("low")),
        (
            "gemini/gemini-2.5-pro",
            "/generationConfig/thinkingConfig",
            json!({"thinkingBudget": 128}),
        ),
        (
            "gemini/gemini-3-flash",
            "/generationConfig/thinkingConfig",
            json!({"thinkingLevel": "minimal"}),
        ),
        (
            "gemini/gemini-3-pro",
            "/generationConfig/thinkingConfig",
            json!({"thinkingLevel": "low"}),
        ),
    ] {
        let body = capture_request(name, true).await.body;
        assert_eq!(body.pointer(pointer), Some(&expected), "{name}: {body}");
        assert!(name.contains("2.5") || !body.to_string().contains("temperature"), "{name}");
    }
}

// proves: C3
#[tokio::test]
async fn what_a_model_does_not_take_is_left_out_and_that_is_remembered() {
    let server = FakeModel::start(|seen| {
        if !seen.body["temperature"].is_null() {
            return Say::error(400, "`temperature` is deprecated for this model.");
        }
        match seen.body["thinking"]["type"].as_str() {
            Some(_) => Say::error(
                400,
                "\"thinking.type.disabled\" is not supported for this model. Use \"thinking.type.adaptive\" and \"output_config.effort\" to control thinking behavior.",
            ),
            None if !seen.body["output_config"]["effort"].is_null() => {
                Say::error(400, "This model does not support the effort parameter.")
            }
            None => Say::text(WHOLE),
        }
    });
    let model = named("anthropic/claude-haiku-7", &server);
    for _ in 0..2 {
        assert_eq!(model.chat(&build_request(true), &()).await.unwrap().text, WHOLE);
    }
    assert_eq!(server.seen().len(), 4, "two refusals, then two replies");
    assert_eq!(model.form(), Form::JsonSchema, "the form of output was not what was refused");
    let model = named("anthropic/gull", &server);
    assert_eq!(model.chat(&build_request(true), &()).await.unwrap().text, WHOLE);
    let server =
        FakeModel::start(|seen| match seen.body["generationConfig"]["thinkingConfig"].is_null() {
            true => Say::text(WHOLE),
            false => {
                Say::error(400, "Budget 0 is invalid. This model only works in thinking mode.")
            }
        });
    let model = named("gemini/gemini-2.5-flash", &server);
    assert_eq!(model.chat(&build_request(true), &()).await.unwrap().text, WHOLE);
    assert_eq!(server.seen().len(), 3);
}

/// A form in the protocol's word and in ours, and how a server refuses it.
type Refused = (&'static str, Form, &'static str);

// proves: C3
#[tokio::test]
async fn each_refused_form_leads_to_the_next_and_the_best_is_remembered() {
    let forms: [(&str, &[Refused]); 2] = [
        (
            "anthropic/gull-7b",
            &[
                (
                    "output_config",
                    Form::JsonSchema,
                    "output_config: Extra inputs are not permitted",
                ),
                ("tool", Form::Tool, "tool_choice forces tool use, which is not supported"),
                ("", Form::Prompt, ""),
            ],
        ),
        (
            "gemini/gull-7b",
            &[
                ("responseJsonSchema", Form::JsonSchema, "Unknown name \"responseJsonSchema\""),
                ("responseSchema", Form::OpenApiSchema, "response_schema has too many states"),
                ("responseMimeType", Form::JsonMode, "JSON mode is not enabled for this model"),
                ("", Form::Prompt, ""),
            ],
        ),
    ];
    for (name, forms) in forms {
        for works in 0..forms.len() {
            for streamed in WAYS {
                let refused: Vec<(&str, &str)> =
                    forms[..works].iter().map(|(word, _, message)| (*word, *message)).collect();
                let server = FakeModel::start(move |seen| {
                    match refused.iter().find(|(word, _)| *word == seen.form()) {
                        Some((_, message)) => Say::error(400, message),
                        None => Say::text(WHOLE),
                    }
                });
                let model = named(name, &server);
                let heard = Heard::default();
                for _ in 0..2 {
                    let reply = model.chat(&build_request(streamed), &heard).await.unwrap();
                    let read: Value = serde_json::from_str(&reply.text).unwrap();
                    assert_eq!(read, serde_json::from_str::<Value>(WHOLE).unwrap());
                }
                let (word, form, _) = forms[works];
                assert_eq!(model.form(), form);
                let seen = server.seen();
                assert_eq!(seen.len(), works + 2, "the refusals are remembered");
                assert_eq!(seen.last().unwrap().form(), word);
                let in_prompt = seen.last().unwrap().prompt().contains(&schema().to_string());
                assert_eq!(in_prompt, matches!(form, Form::JsonMode | Form::Prompt));
                assert!(!heard.0.into_inner().unwrap().is_empty());
            }
        }
    }
    let mut connection = build_connection("anthropic/m", "http://127.0.0.1:9/");
    connection.structured = Structured::Json;
    assert_eq!(ChatModel::new(connection).unwrap().form(), Form::Tool);
}

// proves: C16
#[tokio::test]
async fn the_cache_is_counted_as_the_provider_counts_it_and_costs_what_it_costs() {
    let message = json!({"type": "message", "content": [{"type": "text", "text": WHOLE}], "stop_reason": "end_turn",
        "usage": {"input_tokens": 100, "cache_creation_input_tokens": 20, "cache_read_input_tokens": 1000, "output_tokens": 50}});
    let candidate = json!({"content": {"parts": [{"text": WHOLE}]}, "finishReason": "STOP"});
    let reply = json!({"candidates": [candidate], "usageMetadata": {"promptTokenCount": 1120,
        "cachedContentTokenCount": 1000, "candidatesTokenCount": 20, "thoughtsTokenCount": 30}});
    let price = Price { input: 2.0, cached_input: Some(0.2), output: 8.0 };
    for (name, body) in [("anthropic/m", message), ("gemini/m", reply)] {
        let server = always(status(200, "application/json", &body.to_string()));
        let usage = named(name, &server).chat(&build_request(false), &()).await.unwrap().usage;
        let expected = Usage { input_tokens: 1120, cached_tokens: 1000, output_tokens: 50 };
        assert_eq!(usage, expected, "{name}");
        assert_eq!(price.cost_usd_micros(usage), 120 * 2 + 200 + 50 * 8);
    }
}

/// Checks what comes of a stream of these events, streamed, and after how many attempts.
async fn outcome(name: &str, events: &[Value]) -> (Result<String, String>, usize) {
    let events: Vec<String> = events.iter().map(Value::to_string).collect();
    let events: Vec<&str> = events.iter().map(String::as_str).collect();
    let server = always(sse(&events));
    let reply = named(name, &server).chat(&build_request(true), &()).await;
    let said = reply.map(|reply| format!("{}{}", reply.text, if reply.cut_off { "…" } else { "" }));
    (said.map_err(|error| error.to_string()), server.seen().len())
}

fn words(name: &str, text: &str) -> Value {
    serde_json::from_str(&delta_of(name, text)).unwrap()
}

fn stop(reason: &str) -> [Value; 2] {
    [
        json!({"type": "message_delta", "delta": {"stop_reason": reason}}),
        json!({"type": "message_stop"}),
    ]
}

// proves: C3
#[tokio::test]
async fn anthropics_events_come_to_what_they_say() {
    let name = "anthropic/m";
    let thought = json!({"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", "thinking": "Hm."}});
    let other = json!({"type": "something_new"});
    let ping = json!({"type": "ping"});
    let [delta, end] = stop("end_turn");
    let events = [
        ping.clone(),
        thought,
        other,
        words(name, WHOLE),
        ping.clone(),
        delta.clone(),
        end.clone(),
    ];
    assert_eq!(outcome(name, &events).await, (Ok(WHOLE.into()), 1));
    // What comes after the end mark is not part of it.
    let events = [words(name, WHOLE), delta.clone(), end.clone(), words(name, "more")];
    assert_eq!(outcome(name, &events).await, (Ok(WHOLE.into()), 1));
    let broke = Err(format!("{name} sent an unusable answer: a reply that stopped before its end"));
    for events in [
        vec![words(name, WHOLE)],
        vec![words(name, WHOLE), delta],
        vec![words(name, HALF), end.clone()],
        [vec![words(name, HALF)], stop("pause_turn").to_vec()].concat(),
    ] {
        assert_eq!(outcome(name, &events).await, (broke.clone(), ATTEMPTS), "{events:?}");
    }
    for reason in ["max_tokens", "model_context_window_exceeded"] {
        let events = [vec![words(name, HALF)], stop(reason).to_vec()].concat();
        assert_eq!(outcome(name, &events).await, (Ok(format!("{HALF}…")), 1));
    }
    let events = [vec![words(name, HALF)], stop("refusal").to_vec()].concat();
    let withheld = "refused the request with status 200: the provider's filter withheld the reply";
    assert_eq!(outcome(name, &events).await, (Err(format!("{name} {withheld}")), 1));
    for (kind, expected, attempts) in [
        ("overloaded_error", "failed with status 529: no", ATTEMPTS),
        ("api_error", "failed with status 500: no", ATTEMPTS),
        ("rate_limit_error", "is limiting requests", ATTEMPTS),
        ("invalid_request_error", "refused the request with status 400: no", 1),
        ("unheard_of", "sent an unusable answer: an error: no", ATTEMPTS),
    ] {
        let error = json!({"type": "error", "error": {"type": kind, "message": "no"}});
        let expected = (Err(format!("{name} {expected}")), attempts);
        assert_eq!(outcome(name, &[words(name, HALF), error.clone()]).await, expected);
        let server = always(status(200, "application/json", &error.to_string()));
        let told = named(name, &server).chat(&build_request(false), &()).await.unwrap_err();
        assert_eq!((Err(told.to_string()), server.seen().len()), expected);
    }
}

// proves: C3
#[tokio::test]
async fn geminis_events_come_to_what_they_say() {
    let name = "gemini/m";
    let end = |reason: &str| json!({"candidates": [{"finishReason": reason}]});
    let thought = json!({"candidates": [{"content": {"parts": [{"text": "Hm.", "thought": true}, {"text": "{\"text\":"}]}}]});
    let counted = json!({"usageMetadata": {"promptTokenCount": 5}});
    let events = [thought, words(name, " 1}"), end("STOP"), counted];
    assert_eq!(outcome(name, &events).await, (Ok("{\"text\": 1}".into()), 1));
    let broke = Err(format!("{name} sent an unusable answer: a reply that stopped before its end"));
    for events in [vec![words(name, WHOLE)], vec![words(name, HALF), end("OTHER")]] {
        assert_eq!(outcome(name, &events).await, (broke.clone(), ATTEMPTS), "{events:?}");
    }
    let events = [words(name, HALF), end("MAX_TOKENS")];
    assert_eq!(outcome(name, &events).await, (Ok(format!("{HALF}…")), 1));
    for reason in ["SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII"] {
        let withheld =
            "refused the request with status 200: the provider's filter withheld the reply";
        let events = [words(name, HALF), end(reason)];
        assert_eq!(outcome(name, &events).await, (Err(format!("{name} {withheld}")), 1));
    }
    let blocked = json!({"promptFeedback": {"blockReason": "SAFETY"}, "usageMetadata": {"promptTokenCount": 5}});
    let told =
        "refused the request with status 200: the provider's filter refused the prompt: SAFETY";
    assert_eq!(outcome(name, &[blocked]).await, (Err(format!("{name} {told}")), 1));
    let error = json!({"error": {"code": 503, "message": "The model is overloaded.", "status": "UNAVAILABLE"}});
    let told = "failed with status 503: The model is overloaded.";
    assert_eq!(
        outcome(name, &[words(name, HALF), error]).await,
        (Err(format!("{name} {told}")), ATTEMPTS)
    );
}

// proves: C3
#[tokio::test]
async fn a_list_of_pieces_is_taken_where_a_stream_was_asked_for() {
    let name = "gemini/m";
    let end = json!({"candidates": [{"finishReason": "STOP"}]});
    let pieces = json!([words(name, "{\"text\":"), words(name, " 1}"), end]);
    let server = always(status(200, "application/json", &pieces.to_string()));
    let model = named(name, &server);
    let reply = model.chat(&build_request(true), &()).await.unwrap();
    assert_eq!((reply.text.as_str(), model.streams()), ("{\"text\": 1}", false));
}

// proves: A2
#[tokio::test]
async fn gemini_says_in_the_body_how_long_to_wait() {
    let body = |delay: &str| {
        json!({"error": {"code": 429, "message": "quota", "status": "RESOURCE_EXHAUSTED", "details": [
            {"@type": "type.googleapis.com/google.rpc.QuotaFailure"},
            {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": delay}]}})
        .to_string()
    };
    for (body, attempts) in [
        (body("0.01s"), ATTEMPTS),
        (format!("[{}]", body("0s")), ATTEMPTS),
        (body("3600s"), 1),
        (body("soon"), ATTEMPTS),
        (body("-1s"), ATTEMPTS),
    ] {
        for streamed in WAYS {
            let server = always(status(429, "application/json", &body));
            let error =
                named("gemini/m", &server).chat(&build_request(streamed), &()).await.unwrap_err();
            assert!(matches!(error, PortError::Limited { .. }), "{error:?}");
            assert_eq!(server.seen().len(), attempts, "{body}");
        }
    }
}

// proves: C2
#[tokio::test]
async fn an_error_in_the_providers_own_words_is_readable() {
    for (name, streamed) in all_ways() {
        let server = always(Say::error(403, "the \"top\" gull is out"));
        let error = named(name, &server).chat(&build_request(streamed), &()).await.unwrap_err();
        let expected =
            format!("{name} refused the request with status 403: the \"top\" gull is out");
        assert_eq!(error.to_string(), expected);
    }
}

// proves: C3
#[tokio::test]
async fn no_reply_of_any_shape_brings_the_client_down() {
    let odd = [
        "null",
        "1",
        "\"x\"",
        "[[]]",
        "[null]",
        "{}",
        "{\"type\": 1}",
        "{\"type\": \"message_start\"}",
    ];
    let odder = [
        r#"{"type": "content_block_delta", "delta": 3}"#,
        r#"{"content": [1, null, {"type": "text"}, {"type": "tool_use"}], "stop_reason": 7, "usage": []}"#,
        r#"{"candidates": [{"content": {"parts": {"text": "x"}}, "finishReason": []}], "usageMetadata": 1}"#,
        r#"{"candidates": {}, "promptFeedback": {"blockReason": 3}}"#,
        r#"{"usageMetadata": {"promptTokenCount": 18446744073709551615, "toolUsePromptTokenCount": 18446744073709551615}}"#,
        r#"{"type": "message_delta", "usage": {"input_tokens": 18446744073709551615, "cache_read_input_tokens": 9}}"#,
    ];
    for name in NAMES {
        for text in odd.into_iter().chain(odder) {
            let server = always(status(200, "application/json", text));
            assert!(named(name, &server).chat(&build_request(false), &()).await.is_err(), "{text}");
            let server = always(sse(&[text]));
            assert!(named(name, &server).chat(&build_request(true), &()).await.is_err(), "{text}");
        }
    }
}

// proves: C3
#[tokio::test]
async fn a_model_is_named_in_the_path_and_cannot_leave_it() {
    for (name, path) in [
        ("gemini/gemini-2.5-flash", "/v1/models/gemini-2.5-flash:generateContent"),
        ("gemini/models/m", "/v1/models/m:generateContent"),
        ("gemini/tunedModels/mine-7", "/v1/tunedModels/mine-7:generateContent"),
        ("gemini/a/../../b?key=c#d", "/v1/models/a%2F..%2F..%2Fb%3Fkey=c%23d:generateContent"),
    ] {
        let server = FakeModel::start(|_| Say::text(WHOLE));
        let _ = ChatModel::new(build_connection(name, &server.base_url()))
            .unwrap()
            .chat(&build_request(false), &())
            .await;
        assert_eq!(server.seen()[0].path, path);
    }
}
