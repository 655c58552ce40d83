//! Conversations over the OpenAI-compatible face, with the whole program behind it.

use fakes::{FakeModel, Say};
use serde_json::{Value, json};

use crate::serve::Served;
use crate::stand::{QUESTION, Stand, honest};

const MODEL: &str = "quaestio/rag@notes";

fn message(role: &str, content: &str) -> Value {
    json!({ "role": role, "content": content })
}

/// Returns the content of the next answer.
fn chat(served: &Served, messages: &[Value]) -> Value {
    let body = json!({ "model": MODEL, "messages": messages });
    let (status, completion) = served.post("/v1/chat/completions", &body);
    assert_eq!(status, 200, "{completion}");
    completion
}

fn content(completion: &Value) -> &str {
    completion["choices"][0]["message"]["content"].as_str().unwrap()
}

// proves: F4
#[test]
fn a_follow_up_in_a_chat_is_looked_up_as_what_it_means() {
    let model =
        FakeModel::start(|seen| match seen.prompt().contains("Conversation before the message") {
            true => Say::json(&json!({ "question": QUESTION })),
            false => honest(seen),
        });
    let stand = Stand::with_model(&model.base_url());
    let served = Served::on(&stand, &["--quiet"]);
    served.upload("history/broad-street-outbreak-1854.md");
    let first = chat(&served, &[message("user", "What is the Broad Street pump?")]);
    let text = content(&first).to_owned();
    let messages = [
        message("user", "What is the Broad Street pump?"),
        message("assistant", &text),
        message("user", "And when was its handle removed?"),
    ];
    let second = chat(&served, &messages);
    let run = second["quaestio"]["run_id"].as_str().unwrap();
    let steps = served.get(&format!("/api/runs/{run}"))["steps"].to_string();
    assert!(steps.contains("rewriter #1"), "{steps}");
    let told = format!("the question was understood as: {QUESTION}");
    assert!(content(&second).contains(&told), "{}", content(&second));
    let asked: Vec<String> = model.seen().iter().map(fakes::Seen::prompt).collect();
    let of_form = |what: &str| asked.iter().filter(|prompt| prompt.contains(what)).count();
    assert_eq!(of_form("And when was its handle removed?"), 1, "only the rewriter sees it");
    assert!(of_form(QUESTION) >= 1, "the writer is asked what was meant");
    let (_, estimate) = served.post(
        "/api/estimates",
        &json!({ "method": "ask", "question": "And then?", "collection": "notes",
            "history": [{ "role": "user", "content": "Hello" }] }),
    );
    let (_, without) = served.post(
        "/api/estimates",
        &json!({ "method": "ask", "question": "And then?", "collection": "notes" }),
    );
    let tokens = |estimate: &Value| estimate["worst_case"]["tokens"].as_u64().unwrap();
    assert!(tokens(&estimate) > tokens(&without), "{estimate} {without}");
}

// proves: F4
#[test]
fn without_a_model_a_follow_up_stands_as_it_is_and_the_answer_says_so() {
    let stand = Stand::new();
    let served = Served::on(&stand, &["--quiet"]);
    served.upload("history/broad-street-outbreak-1854.md");
    let messages =
        [message("user", "Hello"), message("assistant", "Good day."), message("user", QUESTION)];
    let answer = chat(&served, &messages);
    let text = content(&answer);
    assert!(text.contains("8 September 1854"), "{text}");
    assert!(text.contains("was not used, and the question was taken as it is: understanding a follow-up needs a model"), "{text}");
    let annotations = answer["choices"][0]["message"]["annotations"].as_array().unwrap();
    assert!(!annotations.is_empty());
    for annotation in annotations {
        let cited = &annotation["url_citation"];
        let at = |name: &str| usize::try_from(cited[name].as_u64().unwrap()).unwrap();
        let cut: String = text
            .chars()
            .skip(at("start_index"))
            .take(at("end_index") - at("start_index"))
            .collect();
        let label = cited["label"].as_str().unwrap();
        let source = label.trim_end_matches(char::is_alphabetic);
        // Over the statements of a source its own number stands.
        assert!([label, source].contains(&cut.trim_matches(['[', ']'])), "{cut} for {label}");
        assert!(text.contains(cited["quote"].as_str().unwrap()));
    }
    let (status, wrong) = served.post(
        "/v1/chat/completions",
        &json!({ "model": "quaestio/rag@nothing", "messages": [message("user", QUESTION)] }),
    );
    assert!((400..500).contains(&status), "{wrong}");
    assert!(wrong["error"]["message"].as_str().unwrap().contains("nothing"), "{wrong}");
    let (status, wrong) = served.post(
        "/v1/chat/completions",
        &json!({ "model": "quaestio/check@notes", "messages": messages }),
    );
    assert_eq!(status, 200, "{wrong}");
    let reasoning = wrong["choices"][0]["message"]["reasoning_content"].as_str().unwrap();
    assert!(reasoning.contains("The 2 earlier messages are not used"), "{reasoning}");
}
