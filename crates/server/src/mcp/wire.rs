//! Messages as they come: read as JSON-RPC, or answered with the error that fits.

use rmcp::ErrorData;
use rmcp::model::ClientJsonRpcMessage;
use serde_json::{Value, json};

/// The largest message.
pub(super) const MESSAGE_BYTES: usize = 4 << 20;

/// The methods of the protocol that the SDK reads.
const KNOWN: [&str; 18] = [
    "initialize",
    "ping",
    "server/discover",
    "prompts/get",
    "prompts/list",
    "resources/list",
    "resources/read",
    "resources/subscribe",
    "resources/unsubscribe",
    "resources/templates/list",
    "subscriptions/listen",
    "tools/call",
    "tools/list",
    "completion/complete",
    "logging/setLevel",
    "tasks/get",
    "tasks/update",
    "tasks/cancel",
];

pub(super) fn is_known(method: &str) -> bool {
    KNOWN.contains(&method)
}

/// Reads a message; one that cannot be read is answered with an error.
pub(super) fn read(bytes: &[u8]) -> Result<ClientJsonRpcMessage, Value> {
    let message = serde_json::from_slice::<Value>(bytes).map_err(|error| {
        refuse(&ErrorData::parse_error(format!("this is not JSON: {error}"), None), &Value::Null)
    })?;
    let Value::Object(fields) = &message else {
        let what = "a message must be one object, not a list";
        return Err(refuse(&ErrorData::invalid_request(what, None), &Value::Null));
    };
    let id = fields.get("id").filter(|id| id.is_string() || id.as_i64().is_some());
    let method = fields.get("method");
    let wrong = match (method, id) {
        (Some(_), None) if fields.contains_key("id") => {
            Some("the id of a request must be a text or a whole number")
        }
        (Some(Value::String(_)) | None, _) => None,
        _ => Some("method must be a text"),
    };
    // A field that comes twice is refused here alone.
    match (wrong, serde_json::from_slice::<ClientJsonRpcMessage>(bytes)) {
        (None, Ok(message)) => Ok(message),
        (wrong, _) => {
            let wrong = wrong.unwrap_or("this is not a JSON-RPC 2.0 message");
            let id = id.cloned().unwrap_or_default();
            Err(refuse(&ErrorData::invalid_request(wrong, None), &id))
        }
    }
}

/// Returns an error as a message. It names the request, or null if that has no id that can be read.
pub(super) fn refuse(error: &ErrorData, id: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "error": error})
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn refused(bytes: &[u8]) -> (i64, Value) {
        let answer = read(bytes).unwrap_err();
        assert!(answer.get("id").is_some(), "{answer}");
        (answer["error"]["code"].as_i64().unwrap(), answer["id"].clone())
    }

    // proves: F4
    #[test]
    fn what_is_no_message_is_answered_with_its_error_and_its_id() {
        for text in ["", "{", "nul", "{\"a\":1", "\u{feff}x", "[1,"] {
            assert_eq!(refused(text.as_bytes()), (-32700, Value::Null), "{text}");
        }
        assert_eq!(refused(b"\xff\xfe"), (-32700, Value::Null));
        for (message, id) in [
            (json!([]), Value::Null),
            (json!([{"jsonrpc": "2.0", "id": 1, "method": "ping"}]), Value::Null),
            (json!(7), Value::Null),
            (json!({}), Value::Null),
            (json!({"jsonrpc": "1.0", "id": 3, "method": "ping"}), json!(3)),
            (json!({"id": "x", "method": "ping"}), json!("x")),
            (json!({"jsonrpc": "2.0", "id": 1.5, "method": "ping"}), Value::Null),
            (json!({"jsonrpc": "2.0", "id": null, "method": "ping"}), Value::Null),
            (json!({"jsonrpc": "2.0", "id": 4, "method": 5}), json!(4)),
        ] {
            assert_eq!(refused(message.to_string().as_bytes()), (-32600, id), "{message}");
        }
        let twice = br#"{"jsonrpc": "2.0", "id": 1, "id": 2, "method": "ping"}"#;
        assert_eq!(refused(twice).0, -32600);
        let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"}).to_string();
        assert!(read(ping.as_bytes()).is_ok());
    }
}
