//! Runs that wait for a person, in a conversation.

use serde_json::{Value, json};

use super::{chat, content, list_runs};
use crate::stage::{Stage, plan};

/// A conversation, as a front end keeps it.
struct Talk<'a> {
    stage: &'a Stage,
    model: &'a str,
    messages: Vec<Value>,
}

impl Talk<'_> {
    async fn say(&mut self, text: &str) -> String {
        self.messages.push(json!({ "role": "user", "content": text }));
        let body = json!({ "model": self.model, "messages": self.messages });
        let said = content(&chat(self.stage, &body).await).to_owned();
        self.messages.push(json!({ "role": "assistant", "content": said }));
        said
    }
}

// proves: F4, W1
#[tokio::test]
async fn a_run_that_waits_asks_in_the_chat_and_the_next_message_answers_it() {
    let stage = Stage::open().await;
    let mut talk = Talk { stage: &stage, model: "quaestio/greet", messages: vec![] };
    let asked = talk.say("Hello").await;
    assert!(
        asked.contains("What is your name?") && asked.contains("waits for your answer."),
        "{asked}"
    );
    let asked = talk.say("Ada").await;
    assert!(asked.contains("Where do you live?"), "{asked}");
    let told = talk.say("London").await;
    assert!(told.contains("Hello, Ada of London!"), "{told}");
    assert_eq!(list_runs(&stage).await.len(), 1);
    // Sent again, as on a click on "regenerate", nothing is answered twice and nothing new is started.
    talk.messages.truncate(4);
    let told = talk.say("Paris").await;
    assert!(told.contains("Hello, Ada of London!"), "{told}");
    assert_eq!(list_runs(&stage).await.len(), 1);
    // A conversation goes on with a run of its own.
    talk.say("And you?").await;
    assert_eq!(list_runs(&stage).await.len(), 2);

    let mut all = Talk { stage: &stage, model: "quaestio/market", messages: vec![] };
    let body = json!({ "model": "quaestio/market", "quaestio": { "clarify": true },
        "messages": [{ "role": "user", "content": "Tea" }] });
    let asked = content(&chat(&stage, &body).await).to_owned();
    assert!(asked.contains("1. **Who buys?** because of q1"), "{asked}");
    all.messages =
        vec![body["messages"][0].clone(), json!({ "role": "assistant", "content": asked })];
    let asked = all.say("1. Law firms\n3: Texas").await;
    assert!(asked.contains("What?") && !asked.contains("Where?"), "{asked}");
    let told = all.say("skip").await;
    assert!(told.contains("Law firms /  / Texas"), "{told}");
}

// proves: F4, W3
#[tokio::test]
async fn a_plan_is_shown_edited_approved_and_rejected_in_words() {
    let stage = Stage::open().await;
    let mut talk = Talk { stage: &stage, model: "quaestio/planned", messages: vec![] };
    let asked = talk.say("Look").await;
    assert!(asked.contains("Look around") && asked.contains("approval of revision 1."), "{asked}");
    let asked = talk.say("Hm, what is that?").await;
    assert!(asked.contains("nothing was done") && asked.contains("Look around"), "{asked}");
    let mut edited = serde_json::to_value(plan()).unwrap();
    edited["title"] = "Look twice".into();
    let asked = talk.say(&format!("```json\n{edited}\n```")).await;
    assert!(asked.contains("Look twice") && asked.contains("approval of revision 2."), "{asked}");
    edited["steps"] = json!([]);
    let asked = talk.say(&edited.to_string()).await;
    assert!(
        asked.contains("cannot be taken") && asked.contains("approval of revision 2."),
        "{asked}"
    );
    // What was shown before the edit cannot be approved any more.
    let late = Talk { messages: talk.messages[..4].to_vec(), ..Talk { stage: &stage, ..talk } };
    let mut late = Talk { model: "quaestio/planned", ..late };
    let whole = late.messages.clone();
    let asked = late.say("approve").await;
    assert!(
        asked.contains("changed meanwhile") && asked.contains("approval of revision 2."),
        "{asked}"
    );
    let told = late.say("Approve.").await;
    assert!(told.contains("did: Look twice"), "{told}");
    assert_eq!(whole.len(), 4);

    let mut other = Talk { stage: &stage, model: "planned", messages: vec![] };
    other.say("Look").await;
    let told = other.say("Reject: too dear").await;
    assert!(told.contains("cancelled"), "{told}");
    let mut other = Talk { stage: &stage, model: "greet", messages: vec![] };
    other.say("Hello").await;
    let told = other.say("cancel").await;
    assert!(told.contains("cancelled"), "{told}");
}
