//! Responses.

use serde_json::{Value, json};

use super::{cut, parse, stream};
use crate::stage::{Stage, answer};

// proves: F4
#[tokio::test]
async fn responses_are_made_followed_answered_cancelled_and_removed() {
    let stage = Stage::open().await;
    let request = json!({ "model": "quaestio/cite", "input": "Who?", "metadata": { "chat": "7" } });
    let (status, whole) = stage.post("/v1/responses", request.clone()).await;
    assert_eq!(
        (status, &whole["status"], &whole["metadata"]["chat"]),
        (200, &"completed".into(), &"7".into())
    );
    let id = whole["id"].as_str().unwrap();
    assert_eq!(whole["output"][0]["type"], "reasoning");
    let part = &whole["output"][1]["content"][0];
    for annotation in part["annotations"].as_array().unwrap() {
        assert_eq!(
            cut(part["text"].as_str().unwrap(), annotation),
            format!("[{}]", annotation["number"])
        );
    }
    let (status, again) = stage.get(&format!("/v1/responses/{id}")).await;
    assert_eq!(
        (status, &again["output"], &again["model"]),
        (200, &whole["output"], &whole["model"])
    );

    let (status, error) = stage.get(&format!("/v1/responses/{id}?stream=true")).await;
    assert_eq!((status, &error["error"]["param"]), (400, &"stream".into()));

    let events = parse(&stream(&stage, "/v1/responses", request).await);
    let names: Vec<&str> = events.iter().map(|event| event["type"].as_str().unwrap()).collect();
    assert_eq!(&names[..2], ["response.created", "response.in_progress"]);
    assert_eq!(names.last(), Some(&"response.completed"));
    for (number, event) in events.iter().enumerate() {
        assert_eq!(event["sequence_number"], number);
    }
    let done = &events.last().unwrap()["response"];
    let deltas = events.iter().filter(|event| event["type"] == "response.output_text.delta");
    let text: String = deltas.map(|event| event["delta"].as_str().unwrap()).collect();
    assert_eq!(done["output"][1]["content"][0]["text"], text);
    let added = names.iter().filter(|name| name.ends_with("annotation.added")).count();
    assert_eq!(added, 6);

    let (_, asked) =
        stage.post("/v1/responses", json!({ "model": "greet", "input": "Hello" })).await;
    let next = |text: &str, before: &Value| {
        json!({ "model": "greet", "input": [{ "role": "user", "content": [{ "type": "input_text", "text": text }] }],
            "previous_response_id": before["id"] })
    };
    let (_, asked_again) = stage.post("/v1/responses", next("Ada", &asked)).await;
    let (_, told) = stage.post("/v1/responses", next("London", &asked_again)).await;
    assert_eq!(told["quaestio"]["run_id"], asked["quaestio"]["run_id"]);
    assert_eq!(told["previous_response_id"], asked_again["id"]);
    assert!(told["output"].to_string().contains("Hello, Ada of London!"), "{told}");

    stage.go(1);
    let (status, begun) = stage
        .post("/v1/responses", json!({ "model": "steps", "input": "3", "background": true }))
        .await;
    assert_eq!((status, begun["output"].as_array().map(Vec::len)), (200, Some(0)), "{begun}");
    let id = begun["id"].as_str().unwrap();
    let (status, error) = stage
        .post(
            "/v1/responses",
            json!({ "model": "steps", "input": "3", "previous_response_id": id }),
        )
        .await;
    assert_eq!((status, &error["error"]["code"]), (409, &"conflict".into()));
    let run = id.strip_prefix("resp_").unwrap();
    stage.until_step(run, 2).await;
    let target = format!("/v1/responses/{id}");
    let removed = answer(stage.client.delete(stage.url(&target))).await;
    assert_eq!(removed.0, 409, "{}", removed.1);
    let (status, cancelled) = stage.post(&format!("{target}/cancel"), json!({})).await;
    assert_eq!((status, &cancelled["status"]), (200, &"cancelled".into()), "{cancelled}");
    let removed = answer(stage.client.delete(stage.url(&target))).await;
    assert_eq!((removed.0, &removed.1["deleted"]), (200, &true.into()));
    assert_eq!(stage.get(&target).await.0, 404);
    for wrong in ["resp_none", "resp_", "nothing", "chatcmpl-x"] {
        let (status, error) = stage.get(&format!("/v1/responses/{wrong}")).await;
        assert_eq!((status, &error["error"]["code"]), (404, &"not_found".into()), "{wrong}");
    }
}
