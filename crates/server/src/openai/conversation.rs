//! The conversation of a request: who said what, the question in it, and the run that a message answers.

use run::settings::Remark;
use serde_json::Value;

use super::error::ApiError;
use super::marker::Marker;

/// The latest remarks that are kept of a conversation, and the characters of each.
const MOST_REMARKS: usize = 100;
const MOST_CHARS: usize = 20_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    Instructions,
    User,
    Assistant,
    Tool,
}

impl Role {
    fn named(name: &str) -> Option<Role> {
        Some(match name {
            "system" | "developer" => Role::Instructions,
            "user" => Role::User,
            "assistant" => Role::Assistant,
            "tool" | "function" => Role::Tool,
            _ => return None,
        })
    }

    fn name(self) -> &'static str {
        match self {
            Role::Instructions => "system",
            Role::User => "user",
            Role::Assistant => "assistant",
            Role::Tool => "tool",
        }
    }
}

/// Something that was said, as text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Message {
    role: Role,
    text: String,
}

impl Message {
    /// Returns something that was said before a run; who is not known spoke for the user.
    pub(super) fn of(remark: &Remark) -> Message {
        let role = Role::named(&remark.role).unwrap_or(Role::User);
        Message { role, text: remark.content.clone() }
    }

    pub(super) fn user(text: &str) -> Message {
        Message { role: Role::User, text: text.to_owned() }
    }

    pub(super) fn assistant(text: String) -> Message {
        Message { role: Role::Assistant, text }
    }
}

/// Reads a list of messages. `param` names it in errors.
pub(super) fn read_messages(param: &str, messages: &Value) -> Result<Vec<Message>, ApiError> {
    let Some(messages) = messages.as_array() else {
        return Err(ApiError::invalid(param, format!("'{param}' must be a list of messages")));
    };
    let mut read = Vec::new();
    for (index, message) in messages.iter().enumerate() {
        read.extend(read_message(&format!("{param}[{index}]"), message)?);
    }
    Ok(read)
}

/// Reads a message; `None` for an item that says nothing, such as reasoning that a client sends back.
fn read_message(param: &str, message: &Value) -> Result<Option<Message>, ApiError> {
    if !message.is_object() {
        return Err(ApiError::invalid(param, format!("'{param}' must be an object")));
    }
    match message.get("type") {
        None | Some(Value::Null) => {}
        Some(kind) if kind == "message" => {}
        Some(kind) if kind == "reasoning" || kind == "function_call" => return Ok(None),
        // Another model of the conversation has called a tool.
        Some(kind) if kind == "function_call_output" => {
            let text = message.get("output").and_then(Value::as_str).unwrap_or_default();
            return Ok(Some(Message { role: Role::Tool, text: text.to_owned() }));
        }
        Some(_) => {
            let param = format!("{param}.type");
            return Err(ApiError::unsupported(&param, format!("'{param}' must be message")));
        }
    }
    let role = message.get("role").and_then(Value::as_str).and_then(Role::named);
    let Some(role) = role else {
        let param = format!("{param}.role");
        let message = format!("'{param}' must be system, developer, user, assistant or tool");
        return Err(ApiError::invalid(param, message));
    };
    let content = message.get("content").unwrap_or(&Value::Null);
    let text = read_content(&format!("{param}.content"), content, role)?;
    Ok(Some(Message { role, text }))
}

fn read_content(param: &str, content: &Value, role: Role) -> Result<String, ApiError> {
    match content {
        Value::String(text) => Ok(text.clone()),
        // An assistant that called tools said nothing.
        Value::Null if role == Role::Assistant => Ok(String::new()),
        Value::Array(parts) => {
            let parts = parts.iter().enumerate();
            let texts = parts.map(|(index, part)| read_part(&format!("{param}[{index}]"), part));
            Ok(texts.collect::<Result<Vec<&str>, ApiError>>()?.join("\n"))
        }
        _ => {
            let message = format!("'{param}' must be a text or a list of parts");
            Err(ApiError::invalid(param, message))
        }
    }
}

fn read_part<'a>(param: &str, part: &'a Value) -> Result<&'a str, ApiError> {
    let kind = part.get("type").and_then(Value::as_str);
    let field = match kind {
        Some("text" | "input_text" | "output_text") => "text",
        Some("refusal") => "refusal",
        Some(kind) => {
            let kind: String = run::grounding::clean(kind).chars().take(40).collect();
            let message =
                format!("messages must be text, not '{kind}'. Put documents into a collection");
            return Err(ApiError::unsupported(param, message));
        }
        None => return Err(ApiError::invalid(param, format!("'{param}.type' must be a text"))),
    };
    let wrong = || ApiError::invalid(param, format!("'{param}.{field}' must be a text"));
    part.get(field).and_then(Value::as_str).ok_or_else(wrong)
}

/// A conversation, taken apart.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Conversation {
    pub(super) question: String,
    /// What was said before, oldest first.
    pub(super) history: Vec<Remark>,
    /// The run that the question answers, and what it showed, if the last answer says that one waits.
    pub(super) marker: Option<Marker>,
    /// What of the conversation is not used, a sentence each.
    pub(super) notes: Vec<String>,
}

impl Conversation {
    /// Takes a conversation apart. Its last message must be the user's.
    pub(super) fn of(param: &str, mut messages: Vec<Message>) -> Result<Conversation, ApiError> {
        let all = messages.len();
        messages.retain(|message| message.role != Role::Instructions);
        let mut notes = Vec::new();
        if messages.len() < all {
            notes.push(
                "The instructions (system messages) are not used: a method has its own.".into(),
            );
        }
        let question = match messages.pop() {
            Some(Message { role: Role::User, text }) => text,
            Some(_) => {
                let message = "the last message must be the user's question";
                return Err(ApiError::invalid(param, message));
            }
            None => return Err(ApiError::invalid(param, format!("'{param}' has no question"))),
        };
        if question.trim().is_empty() {
            return Err(ApiError::invalid(
                param,
                "the last message, which is the question, is empty",
            ));
        }
        if is_housekeeping(&question) {
            return Err(ApiError::wrong(
                Some("not_a_question"),
                "this asks for a title, tags or the like about a chat, and each would be a run that costs: \
                 choose another model for such tasks in the chat front end",
            ));
        }
        // An assistant that only called tools, or was stopped before its first word, said nothing.
        let says =
            |message: &&Message| message.role == Role::Assistant && !message.text.trim().is_empty();
        let last = messages.iter().rev().find(says);
        let marker = last.and_then(|message| Marker::find(&message.text));
        let mut history: Vec<Remark> = messages
            .into_iter()
            .filter(|message| !message.text.trim().is_empty())
            .map(|Message { role, text }| Remark { role: role.name().into(), content: text })
            .collect();
        let too_many = history.len().saturating_sub(MOST_REMARKS);
        if too_many > 0 {
            history.drain(..too_many);
            notes.push(format!("The {too_many} oldest messages are not used."));
        }
        let mut is_cut = false;
        for remark in &mut history {
            if let Some((end, _)) = remark.content.char_indices().nth(MOST_CHARS) {
                remark.content.truncate(end);
                is_cut = true;
            }
        }
        if is_cut {
            notes.push(format!("Only {MOST_CHARS} characters of each earlier message are used."));
        }
        Ok(Conversation { question, history, marker, notes })
    }
}

/// Returns whether a message is a prompt with which Open WebUI has titles, tags, follow-ups and the like made of a chat. It sends them as
/// ordinary chat completions, without saying so but in these words.
fn is_housekeeping(message: &str) -> bool {
    let message = message.trim();
    message.starts_with("### Task:")
        && message.contains("<chat_history>")
        && message.contains("</chat_history>")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(messages: &Value) -> Result<Conversation, ApiError> {
        Conversation::of("messages", read_messages("messages", messages)?)
    }

    // proves: F4
    #[test]
    fn the_last_message_is_the_question_and_what_is_not_used_is_named() {
        let conversation = read(&json!([
            {"role": "system", "content": "You are a pirate."},
            {"role": "user", "content": [{"type": "text", "text": "Who was John"}, {"type": "text", "text": "Snow?"}]},
            {"role": "assistant", "content": null, "tool_calls": []},
            {"role": "assistant", "content": "A physician."},
            {"role": "user", "content": "And in 1854?"},
        ]))
        .unwrap();
        assert_eq!(conversation.question, "And in 1854?");
        let said: Vec<&str> =
            conversation.history.iter().map(|remark| remark.content.as_str()).collect();
        assert_eq!(said, ["Who was John\nSnow?", "A physician."]);
        assert_eq!(conversation.notes.len(), 1);
        let long: Vec<Value> = (0..2 * MOST_REMARKS + 1)
            .map(|_| json!({"role": "user", "content": "ä".repeat(MOST_CHARS + 1)}))
            .collect();
        let conversation = read(&Value::from(long)).unwrap();
        assert_eq!(conversation.history.len(), MOST_REMARKS);
        assert_eq!(conversation.history[0].content.chars().count(), MOST_CHARS);
        assert_eq!(conversation.notes.len(), 2);
    }

    // proves: F4, F8
    #[test]
    fn what_is_no_conversation_is_refused_and_the_place_named() {
        for (messages, place) in [
            (json!("Who?"), "messages"),
            (json!([]), "messages"),
            (json!([{"role": "system", "content": "x"}]), "messages"),
            (json!([{"role": "user", "content": " \n"}]), "messages"),
            (
                json!([{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]),
                "messages",
            ),
            (json!(["Who?"]), "messages[0]"),
            (json!([{"role": "wizard", "content": "x"}]), "messages[0].role"),
            (json!([{"content": "x"}]), "messages[0].role"),
            (json!([{"role": "user", "content": 7}]), "messages[0].content"),
            (json!([{"role": "user"}]), "messages[0].content"),
            (json!([{"role": "user", "content": [7]}]), "messages[0].content[0]"),
            (json!([{"role": "user", "content": [{"type": "text"}]}]), "messages[0].content[0]"),
            (
                json!([{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "data:"}}]}]),
                "messages[0].content[0]",
            ),
            (json!([{"type": "item_reference", "id": "x"}]), "messages[0].type"),
        ] {
            let error = format!("{:?}", read(&messages).unwrap_err());
            assert!(error.contains(&format!("param: Some({place:?})")), "{messages}: {error}");
        }
    }

    // proves: F4
    #[test]
    fn a_front_ends_own_prompts_are_no_questions() {
        let title = "### Task:\nGenerate a title.\n<chat_history>\nUSER: hi\n</chat_history>";
        let error =
            format!("{:?}", read(&json!([{"role": "user", "content": title}])).unwrap_err());
        assert!(error.contains("not_a_question"), "{error}");
        let own = "### Task:\nCompare both maps.";
        assert!(read(&json!([{"role": "user", "content": own}])).is_ok());
    }
}
