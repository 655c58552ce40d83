use serde::Deserialize;

use super::*;

/// A reply that may be plain text.
#[derive(Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
struct Page {
    text: String,
}

impl Reply for Page {
    fn plain(text: &str) -> Option<Page> {
        (!text.trim().is_empty()).then(|| Page { text: text.to_owned() })
    }
}

fn read(text: &str, cut_off: bool) -> std::result::Result<String, String> {
    let reply = ChatReply { text: text.to_owned(), usage: Usage::default(), cut_off };
    understand::<Page>(&reply, false).map(|(_, page)| page.text)
}

// proves: C3
#[test]
fn a_text_without_json_is_taken_as_it_is() {
    for text in [
        "Question: Whether it is?\n\nObjections:\n1. No [1].\n\n---\n",
        "```markdown\nQuestion: Whether it is?\n\n1. No [1, 2].\n```",
        "```\nQuestion: Whether it is?\n[1] says so.\n```",
        "The set {x : x > 0} and \\frac{1}{2} are open [1].",
        "I would rather not.",
    ] {
        assert_eq!(read(text, false), Ok(text.to_owned()));
        assert!(read(text, true).is_err_and(|error| error.contains("cut off")));
    }
    assert_eq!(read("Here: {\"text\": \"It is.\"}", false), Ok("It is.".to_owned()));
}

// proves: C3
#[test]
fn json_that_cannot_be_read_is_no_plain_text() {
    for (text, told) in [
        ("{\"text\": \"a\"}\n{\"text\": \"b\"}", "2 JSON objects that differ"),
        (
            "Either {\"text\": \"a\"} or\n```json\n{\"text\": \"b\"}\n```",
            "2 JSON objects that differ",
        ),
        ("So: {\"text\" \"a\"}", "does not read"),
        ("So it is.\n{\"text\":", "cut off"),
        ("<html><body>Bad gateway</body></html>", "HTML"),
        ("", "empty"),
    ] {
        let error = read(text, false).expect_err(text);
        assert!(error.contains(told), "{text}: {error}");
    }
}

/// Prose, as a writer is asked for it.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
struct Letter {
    text: String,
}

impl Reply for Letter {
    const FORM: Form = Form::Prose;

    fn plain(text: &str) -> Option<Letter> {
        (!text.is_empty()).then(|| Letter { text: text.to_owned() })
    }

    fn from_object(value: &serde_json::Value) -> Option<Letter> {
        Some(Letter { text: value.get("text")?.as_str()?.to_owned() })
    }
}

// proves: C3
#[test]
fn prose_is_read_as_it_is_and_what_was_cut_off_up_to_its_last_sentence_at_last() {
    let read = |text: &str, cut_off: bool, is_last: bool| {
        let reply = ChatReply { text: text.to_owned(), usage: Usage::default(), cut_off };
        understand::<Letter>(&reply, is_last).map(|(_, letter)| letter.text)
    };
    assert_eq!(read("<think>so</think> It rose [1.2].", false, false).unwrap(), "It rose [1.2].");
    assert_eq!(read("{\"text\": \"It rose.\"}", false, false).unwrap(), "It rose.");
    let fenced = "Sure:\n```json\n{\"text\": \"It rose, and it fell again.\"}\n```";
    assert_eq!(read(fenced, false, false).unwrap(), "It rose, and it fell again.");
    assert!(read("{\"plan\": []}", false, false).unwrap_err().contains("prose was asked for"));
    assert_eq!(read("{\"plan\": []}", false, true).unwrap(), "{\"plan\": []}");
    assert!(read("{\"text\": \"It ro", false, false).unwrap_err().contains("cut off"));
    assert_eq!(read("{x} is a set.", false, false).unwrap(), "{x} is a set.");
    assert!(read("It rose. It fe", true, false).unwrap_err().contains("cut off"));
    assert_eq!(read("It rose. It fe", true, true).unwrap(), "It rose.");
    assert_eq!(read("  ", false, false).unwrap_err(), "the reply is empty");
    assert!(read("It fe", true, true).is_err());
}
