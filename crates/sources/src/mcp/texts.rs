//! What a tool returned, as texts: a block of text is one; where a block is JSON that lists things, each of them is one.

use std::collections::HashSet;

use papers::ServerName;
use rmcp::model::{CallToolResult, ContentBlock, ResourceContents};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use run::grounding::clean;
use run::sources::ServedText;

/// Characters of the longest title.
const LONGEST_TITLE: usize = 200;

/// Characters up to which a value stands on the line of its name, unless it is a sentence.
const SHORT: usize = 60;

/// How deep JSON is read; what lies deeper is left as JSON.
const DEEPEST: usize = 4;

/// Fields that name a thing, the best first.
const TITLES: [&str; 6] = ["title", "name", "headline", "label", "path", "id"];

/// A text without its address.
struct Piece {
    title: Option<String>,
    text: String,
}

/// Returns the texts of a result, in its order. Pictures, sounds, files and links are left.
pub(super) fn read(server: ServerName, tool: &str, result: CallToolResult) -> Vec<ServedText> {
    let CallToolResult { content, structured_content, .. } = result;
    let mut pieces: Vec<Piece> = content.into_iter().flat_map(of_block).collect();
    if pieces.is_empty()
        && let Some(value) = &structured_content
    {
        pieces = of_json(value);
    }
    let named = |piece| named(server, tool, piece);
    pieces.into_iter().filter_map(named).collect()
}

/// Returns each text once.
pub(super) fn distinct(texts: Vec<ServedText>) -> Vec<ServedText> {
    let mut seen = HashSet::new();
    texts.into_iter().filter(|text| seen.insert(text.source_uri.clone())).collect()
}

fn of_block(block: ContentBlock) -> Vec<Piece> {
    match block {
        ContentBlock::Text(block) => of_text(None, block.text),
        ContentBlock::Resource(block) => match block.resource {
            ResourceContents::TextResourceContents { uri, text, .. } => of_text(Some(uri), text),
            _ => vec![],
        },
        _ => vec![],
    }
}

fn of_text(title: Option<String>, text: String) -> Vec<Piece> {
    let is_json = text.trim_start().starts_with(['{', '[']);
    match serde_json::from_str::<Value>(&text) {
        Ok(value) if is_json => of_json(&value),
        _ => vec![Piece { title: title.or_else(|| heading(&text)), text }],
    }
}

/// Returns the heading that a Markdown text begins with.
fn heading(text: &str) -> Option<String> {
    let line = text.lines().find(|line| !line.trim().is_empty())?;
    let title = line.strip_prefix("# ")?.trim();
    (!title.is_empty()).then(|| title.to_owned())
}

/// Returns the things that JSON lists, or all of it as one.
fn of_json(value: &Value) -> Vec<Piece> {
    let listed = match value {
        Value::Array(items) => Some(items),
        Value::Object(fields) => the_list(fields),
        _ => None,
    };
    match listed {
        Some(items) if items.iter().any(Value::is_object) => items.iter().map(of_thing).collect(),
        _ => vec![of_thing(value)],
    }
}

/// Returns the list of things in an object that has only one.
fn the_list(fields: &Map<String, Value>) -> Option<&Vec<Value>> {
    let lists = fields.values().filter_map(Value::as_array);
    let mut lists = lists.filter(|items| items.iter().any(Value::is_object));
    let list = lists.next()?;
    lists.next().is_none().then_some(list)
}

fn of_thing(value: &Value) -> Piece {
    let title = TITLES.iter().find_map(|name| value.get(name)?.as_str()).map(str::to_owned);
    let mut text = String::new();
    write(&mut text, value, 0);
    Piece { title, text }
}

/// Writes JSON as Markdown: short fields as a list, long ones below a heading of their own.
fn write(text: &mut String, value: &Value, depth: usize) {
    match value {
        Value::Null => {}
        Value::String(words) => {
            text.push_str(words.trim());
            text.push('\n');
        }
        Value::Object(fields) if depth < DEEPEST => {
            let (short, long): (Vec<_>, Vec<_>) = fields
                .iter()
                .filter(|(_, value)| !value.is_null())
                .partition(|(_, value)| is_short(value));
            for (name, value) in short {
                text.push_str(&format!("- {name}: {}\n", plain(value)));
            }
            for (name, value) in long {
                text.push_str(&format!("\n{} {name}\n\n", "#".repeat(depth + 2)));
                write(text, value, depth + 1);
            }
        }
        Value::Array(items) if depth < DEEPEST => {
            for item in items {
                match item {
                    short if is_short(short) => text.push_str(&format!("- {}\n", plain(short))),
                    long => {
                        text.push('\n');
                        write(text, long, depth + 1);
                    }
                }
            }
        }
        other => {
            text.push_str(&plain(other));
            text.push('\n');
        }
    }
}

fn is_short(value: &Value) -> bool {
    match value {
        Value::String(words) => {
            let is_sentence = words.contains(' ') && words.trim_end().ends_with(['.', '!', '?']);
            !words.contains('\n') && !is_sentence && words.chars().nth(SHORT).is_none()
        }
        Value::Array(_) | Value::Object(_) => false,
        _ => true,
    }
}

fn plain(value: &Value) -> String {
    match value {
        Value::String(words) => words.trim().to_owned(),
        other => other.to_string(),
    }
}

/// Returns a piece with its title and its address, which is made from its text; `None` if there is nothing in it.
fn named(server: ServerName, tool: &str, Piece { title, text }: Piece) -> Option<ServedText> {
    let text = clean(&text).trim().to_owned();
    if !text.contains(char::is_alphanumeric) {
        return None;
    }
    let title = title.map(|title| one_line(&title)).filter(|title| !title.is_empty());
    let title = title.unwrap_or_else(|| format!("{tool} of {server}"));
    let digest = Sha256::new().chain_update(&title).chain_update(b"\0").chain_update(&text);
    let digest = digest.finalize();
    let digest: String = digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    Some(ServedText { source_uri: format!("mcp://{server}/{}/{digest}", path(tool)), title, text })
}

fn one_line(text: &str) -> String {
    let line = clean(text).split_whitespace().collect::<Vec<_>>().join(" ");
    line.chars().take(LONGEST_TITLE).collect()
}

/// Returns the name of a tool as a part of an address.
fn path(tool: &str) -> String {
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    tool.chars().map(|c| if fits(c) { c } else { '-' }).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn texts(result: Value) -> Vec<ServedText> {
        read("wiki".parse().unwrap(), "search", serde_json::from_value(result).unwrap())
    }

    // proves: F5
    #[test]
    fn a_block_of_text_is_a_text_whatever_else_comes_with_it() {
        let told = texts(json!({"content": [
            {"type": "text", "text": "# Surges\n\nThe gauge recorded 3.42 metres."},
            {"type": "image", "data": "AAAA", "mimeType": "image/png"},
            {"type": "resource_link", "uri": "http://169.254.169.254/", "name": "more"},
            {"type": "resource", "resource": {"uri": "https://wiki.example/tides", "text": "Tides run twice a day."}},
            {"type": "text", "text": " \u{200b} \n"},
        ]}));
        assert_eq!(told.len(), 2);
        assert_eq!(told[0].title, "Surges");
        assert_eq!(told[1].title, "https://wiki.example/tides");
        // Whatever a server says, its text is cited as its own.
        assert!(told.iter().all(|one| one.source_uri.starts_with("mcp://wiki/search/")));
        assert_ne!(told[0].source_uri, told[1].source_uri);
    }

    // proves: F5
    #[test]
    fn what_json_lists_are_texts_of_their_own() {
        let found = json!({"total": 2, "results": [
            {"title": "Surge", "year": 2021, "body": "The surge was 3.42 metres.\nIt was wind.", "tags": ["tide", "wind"]},
            {"name": "Neap", "says": "It is half moon.", "deep": {"a": {"b": {"c": {"d": {"e": 1}}}}}, "none": null},
        ]});
        let as_text = texts(json!({"content": [{"type": "text", "text": found.to_string()}]}));
        let structured = texts(json!({"structuredContent": found}));
        assert_eq!(as_text, structured);
        let titles: Vec<&str> = as_text.iter().map(|one| one.title.as_str()).collect();
        assert_eq!(titles, ["Surge", "Neap"]);
        assert_eq!(
            as_text[0].text,
            "- title: Surge\n- year: 2021\n\n## body\n\nThe surge was 3.42 metres.\nIt was wind.\n\n## tags\n\n- tide\n- wind"
        );
        assert!(as_text[1].text.contains("## says\n\nIt is half moon."), "{}", as_text[1].text);
        assert!(as_text[1].text.contains(r#"{"d":{"e":1}}"#), "{}", as_text[1].text);
    }

    proptest::proptest! {
        #[test]
        fn any_text_becomes_at_most_what_it_holds(text in "\\PC{0,200}|[\\[\\]{}\",:0-9a-z ]{0,80}") {
            for one in texts(json!({"content": [{"type": "text", "text": text}]})) {
                proptest::prop_assert!(!one.text.is_empty() && !one.title.contains('\n'));
            }
        }
    }
}
