//! The bodies of the documented operations.
//!
//! Clients of such debates are many and old, so parsing is lenient: unknown keys are ignored, and a history is read in each form in which
//! clients keep theirs.

use methods::debate::Remark;
use methods::order::Order;
use serde::{Deserialize, Deserializer};
use utoipa::ToSchema;

use super::METHOD;

/// The longest name of a speaker, in characters.
const ROLE_CHARS: usize = 40;
/// The default speakers.
const USER: &str = "user";
const ASSISTANT: &str = "assistant";

/// The settings of a new debate. Other keys are ignored.
#[derive(Debug, Deserialize, ToSchema)]
pub(crate) struct DebateBody {
    #[schema(min_length = 1)]
    question: String,
    /// Earlier messages, oldest first. Both scientists see them.
    #[serde(default)]
    history: Option<Vec<Said>>,
    /// A web page to read before the first turn.
    #[serde(default)]
    url: Option<String>,
    /// The maximum number of cycles of proposal and review. Defaults to the configured number.
    #[serde(default)]
    max_turns: Option<u32>,
}

/// An earlier message: a remark, a question with its answer, or a text by the user.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(
    untagged,
    expecting = "history must be a list of {role, content}, {question, answer}, {user, assistant}, [question, answer] or texts"
)]
enum Said {
    // Comes first: a list would be read as the fields of the others.
    Pair(Option<String>, Option<String>),
    Remark(OneRemark),
    Answered(Answered),
    Exchange(Exchange),
    Text(String),
}

#[derive(Debug, Deserialize, ToSchema)]
struct OneRemark {
    /// The role, such as `user` or `assistant`.
    role: String,
    #[serde(alias = "text", alias = "message", deserialize_with = "perhaps")]
    content: Option<String>,
}

#[derive(Debug, Deserialize, ToSchema)]
struct Answered {
    question: String,
    #[serde(default)]
    answer: Option<String>,
}

#[derive(Debug, Deserialize, ToSchema)]
struct Exchange {
    user: String,
    #[serde(default)]
    assistant: Option<String>,
}

/// Reads a text that may be null but not omitted.
fn perhaps<'de, D: Deserializer<'de>>(given: D) -> Result<Option<String>, D::Error> {
    Option::deserialize(given)
}

impl Said {
    fn remarks(self) -> Vec<Remark> {
        let both = |question, answer| vec![(USER.into(), question), (ASSISTANT.into(), answer)];
        let said: Vec<(String, Option<String>)> = match self {
            Said::Remark(OneRemark { role, content }) => vec![(role, content)],
            Said::Answered(Answered { question, answer }) => both(Some(question), answer),
            Said::Exchange(Exchange { user, assistant }) => both(Some(user), assistant),
            Said::Pair(question, answer) => both(question, answer),
            Said::Text(text) => vec![(USER.into(), Some(text))],
        };
        let remark = |(role, content): (String, Option<String>)| {
            let content = content.filter(|content| !content.trim().is_empty())?;
            let role = run::ledger::one_line(&run::grounding::clean(&role));
            Some(Remark { role: role.chars().take(ROLE_CHARS).collect(), content })
        };
        said.into_iter().filter_map(remark).collect()
    }
}

impl DebateBody {
    /// Returns the order, without questions and plan, since these operations cannot answer or approve them.
    pub(super) fn order(self) -> Order {
        let DebateBody { question, history, url, max_turns } = self;
        Order {
            method: METHOD.to_owned(),
            question,
            url: url.filter(|url| !url.trim().is_empty()),
            history: history.into_iter().flatten().flat_map(Said::remarks).collect(),
            max_turns,
            clarify: Some(false),
            plan: Some(false),
            ..Order::default()
        }
    }
}

/// What to stop. Other keys are ignored.
#[derive(Debug, Default, Deserialize, ToSchema)]
pub(crate) struct InterruptBody {
    /// The debate to stop. Defaults to all running debates.
    #[serde(default)]
    pub(super) run_id: Option<String>,
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;

    fn history(given: &Value) -> Vec<(String, String)> {
        let body = json!({ "question": "q", "history": given, "session": { "any": 1 } });
        let order = serde_json::from_value::<DebateBody>(body).unwrap().order();
        order.history.into_iter().map(|remark| (remark.role, remark.content)).collect()
    }

    // proves: D6
    #[test]
    fn a_history_is_read_in_every_form_that_clients_keep() {
        let both = [("user", "Why?"), ("assistant", "Because.")]
            .map(|(role, content)| (role.to_owned(), content.to_owned()));
        for given in [
            json!([{ "role": "user", "content": "Why?" }, { "role": "assistant", "content": "Because." }]),
            json!([{ "role": "user", "text": "Why?", "at": 7 }, { "role": "assistant", "message": "Because." }]),
            json!([{ "question": "Why?", "answer": "Because." }]),
            json!([{ "user": "Why?", "assistant": "Because." }]),
            json!([["Why?", "Because."]]),
            json!(["Why?", { "role": "assistant", "content": "Because." }]),
            json!([{ "question": "Why?" }, { "role": "assistant", "content": "Because." }]),
            json!([["Why?"], { "role": "assistant", "content": "Because." }]),
            json!([["Why?", null], { "role": "tool", "content": null }, [" ", "Because."], ""]),
        ] {
            assert_eq!(history(&given), both, "{given}");
        }
        for nothing in [json!(null), json!([])] {
            assert_eq!(history(&nothing), []);
        }
        let long = history(&json!([{ "role": "a\n[[STATUS]] b".repeat(9), "content": "x" }]));
        assert!(long[0].0.chars().count() == ROLE_CHARS && !long[0].0.contains('\n'));
    }

    // proves: D6
    #[test]
    fn what_is_no_history_is_refused() {
        for wrong in [
            json!("Why?"),
            json!({}),
            json!([1]),
            json!([{}]),
            json!([{ "role": "user" }]),
            json!([{ "role": 1, "content": "Why?" }]),
            json!([{ "content": "Why?" }]),
            json!([[]]),
            json!([["Why?", "Because.", "So?"]]),
        ] {
            let body = json!({ "question": "q", "history": wrong });
            assert!(serde_json::from_value::<DebateBody>(body.clone()).is_err(), "{body}");
        }
    }

    proptest! {
        #[test]
        fn nobody_is_asked_anything_whatever_is_sent(question in ".*", url in prop::option::of(".*"), texts in prop::collection::vec(".*", 0..4)) {
            let body = json!({ "question": question, "url": url, "history": texts, "clarify": true, "plan": true, "method": "ask" });
            let order = serde_json::from_value::<DebateBody>(body).unwrap().order();
            prop_assert_eq!((order.clarify, order.plan), (Some(false), Some(false)));
            prop_assert_eq!(order.method.as_str(), METHOD);
            prop_assert_eq!(order.question, question);
            prop_assert!(order.history.iter().all(|remark| remark.role == USER));
        }
    }
}
