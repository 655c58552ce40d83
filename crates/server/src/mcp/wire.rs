//! Messages as they come: read as JSON-RPC, or answered with the error that fits.

use rmcp::ErrorData;
use rmcp::model::{ClientJsonRpcMessage, NumberOrString, RequestId, ServerJsonRpcMessage};
use serde_json::Value;

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
pub(super) fn read(bytes: &[u8]) -> Result<ClientJsonRpcMessage, Box<ServerJsonRpcMessage>> {
    let message = match serde_json::from_slice::<Value>(bytes) {
        Ok(message) => message,
        Err(error) => {
            return Err(answer(
                ErrorData::parse_error(format!("this is no JSON: {error}"), None),
                None,
            ));
        }
    };
    let Value::Object(fields) = &message else {
        let what = "a message is one object; lists of messages are not taken";
        return Err(answer(ErrorData::invalid_request(what, None), None));
    };
    let id = match fields.get("id") {
        Some(Value::String(id)) => Some(NumberOrString::String(id.as_str().into())),
        Some(Value::Number(id)) => id.as_i64().map(NumberOrString::Number),
        _ => None,
    };
    if let Some(method) = fields.get("method")
        && fields.contains_key("id")
    {
        let wrong = match (method, &id) {
            (_, None) => Some("the id of a request is a text or a whole number"),
            (Value::String(_), _) => None,
            _ => Some("a method is a text"),
        };
        if let Some(wrong) = wrong {
            return Err(answer(ErrorData::invalid_request(wrong, None), id));
        }
    }
    serde_json::from_value(message).map_err(|_| {
        answer(ErrorData::invalid_request("this is no message of JSON-RPC 2.0", None), id)
    })
}

fn answer(error: ErrorData, id: Option<RequestId>) -> Box<ServerJsonRpcMessage> {
    Box::new(ServerJsonRpcMessage::error(error, id))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn refused(bytes: &[u8]) -> (i64, Value) {
        let answer = serde_json::to_value(*read(bytes).unwrap_err()).unwrap();
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
        let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"}).to_string();
        assert!(read(ping.as_bytes()).is_ok());
    }
}
