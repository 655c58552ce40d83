//! The answer of a run as a message: its text, its citations with their places, and what it cost.

use std::collections::BTreeMap;
use std::sync::Arc;

use run::entry::{Entry, Event};
use run::log::Status;
use run::views::{self, Cost};
use serde_json::{Map, Value, json};

use super::body::Format;
use super::error::ApiError;
use super::gate;
use crate::api::{aside, placed};
use crate::state::App;

/// A run as it stands, as a message.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Content {
    pub(super) status: Status,
    /// Empty while the run is at work.
    pub(super) text: String,
    pub(super) citations: Vec<Cited>,
    pub(super) cost: Cost,
    /// Seconds since 1970.
    pub(super) created: i64,
    /// Why it ended before its result was whole.
    pub(super) error: Option<EndedEarly>,
}

/// Why a run ended before its result was whole.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct EndedEarly {
    /// The step and the reason.
    pub(super) message: String,
    /// Whether its budget was met; otherwise a step failed.
    pub(super) is_capped: bool,
}

/// A citation, and its place in the text.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Cited {
    /// Code points of the text: exactly the mark, such as `[3]` or `[7a]`.
    start: usize,
    end: usize,
    url: String,
    title: String,
    /// What the protocol has no field for.
    more: Map<String, Value>,
}

impl Cited {
    /// Returns it as OpenAI's `url_citation`, with the source's words beside it.
    pub(super) fn fields(&self) -> Map<String, Value> {
        let mut fields = self.more.clone();
        fields.insert("start_index".into(), self.start.into());
        fields.insert("end_index".into(), self.end.into());
        fields.insert("url".into(), self.url.clone().into());
        fields.insert("title".into(), self.title.clone().into());
        fields
    }
}

/// Reads a run of the user as it stands. `preface` comes before what a waiting run asks.
pub(super) async fn read(
    app: &App,
    user: &str,
    run: &str,
    format: Format,
    preface: Option<&str>,
) -> Result<Content, ApiError> {
    let entries = app.log.entries(user, run, 0).await?;
    let (backend, methods) = (Arc::clone(&app.backend), app.methods.clone());
    let (run, preface) = (run.to_owned(), preface.map(str::to_owned));
    let read = move || {
        let status = views::status(&entries);
        let mut envelope = placed(&*backend, &run, &entries);
        let (text, citations) = match (format, status) {
            (_, Status::Queued | Status::Running) => (String::new(), vec![]),
            (Format::Json, _) => {
                if status == Status::Waiting {
                    envelope["gates"] = describe_gates(&entries);
                    // By this the next message is held against what was shown.
                    envelope["entries"] = entries.len().into();
                    if let Some(preface) = preface {
                        envelope["note"] = preface.into();
                    }
                }
                (envelope.to_string(), vec![])
            }
            (Format::Markdown, Status::Waiting) => {
                let preface = preface.map_or_else(String::new, |preface| format!("{preface}\n\n"));
                (preface + &gate::tell(&run, &entries), vec![])
            }
            (Format::Markdown, _) => {
                let (text, marks) = methods::report::chat::message(&methods, &envelope);
                let citations = find_citations(&envelope, &text, &marks);
                (text, citations)
            }
        };
        Content {
            status,
            text,
            citations,
            cost: views::cost(&entries),
            created: entries.first().map_or(0, |first| first.at.as_second()),
            error: find_end(&entries),
        }
    };
    Ok(aside(read).await?)
}

/// Returns why a run ended before its result was whole; `None` of any other.
fn find_end(entries: &[Entry]) -> Option<EndedEarly> {
    let Event::Stopped { stage, reason, .. } = &entries.last()?.event else { return None };
    let is_capped = entries
        .iter()
        .any(|entry| matches!(&entry.event, Event::Refused { step, .. } if step == stage));
    Some(EndedEarly { message: format!("{stage}: {reason}"), is_capped })
}

/// Returns what a waiting run asks, for a program.
fn describe_gates(entries: &[Entry]) -> Value {
    let gates = views::open_gates(entries).into_iter().map(|gate| {
        json!({
            "gate": gate.name, "question": gate.ask.question, "context": gate.ask.context,
            "plan": gate.plan.map(|plan| plan.plan), "revision": gate.plan.map(|plan| plan.revision),
            "plan_hash": gate.plan.map(|plan| plan.plan_hash),
        })
    });
    gates.collect()
}

/// Returns the citations of a text: one for each number of each mark.
fn find_citations(
    envelope: &Value,
    text: &str,
    marks: &[methods::report::chat::PlacedMark],
) -> Vec<Cited> {
    let known = envelope.get("citations").and_then(Value::as_array);
    let known: BTreeMap<u64, &Value> = known
        .into_iter()
        .flatten()
        .filter_map(|citation| Some((citation.get("number")?.as_u64()?, citation)))
        .collect();
    let mut cited = Vec::new();
    let (mut bytes, mut points) = (0, 0);
    for mark in marks {
        let mut point_of = |at: usize| {
            points += text.get(bytes..at).map_or(0, |part| part.chars().count());
            bytes = at;
            points
        };
        let (start, end) = (point_of(mark.span.start), point_of(mark.span.end));
        for number in &mark.numbers {
            let Some(citation) = known.get(&u64::from(*number)) else { continue };
            let field = |name: &str| citation.get(name).and_then(Value::as_str).unwrap_or_default();
            let title = [field("title"), field("section"), field("source_uri")];
            let title = title.into_iter().find(|title| !title.is_empty()).unwrap_or_default();
            let mut more = Map::new();
            for name in
                ["label", "number", "quote", "section", "page", "verdict", "source_uri", "address"]
            {
                if let Some(value) = citation.get(name).filter(|value| !value.is_null()) {
                    more.insert(name.to_owned(), value.clone());
                }
            }
            let url = web_address(field("source_uri"));
            cited.push(Cited { start, end, url, title: title.to_owned(), more });
        }
    }
    cited
}

/// Returns where a browser finds a source; a document of the user's keeps its own address.
fn web_address(source_uri: &str) -> String {
    match source_uri.split_once(':') {
        Some(("doi", doi)) => format!("https://doi.org/{doi}"),
        Some(("arxiv", id)) => format!("https://arxiv.org/abs/{id}"),
        _ => source_uri.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use run::entry::Head;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        // proves: F4
        #[test]
        fn the_code_points_of_a_citation_are_its_mark(
            pieces in prop::collection::vec(("[a-zäß„🦊𝔘\\\\\\[\\]*|#>`\n ]{0,12}", 1..5_u64), 0..8),
            is_one_source in any::<bool>(),
        ) {
            let answer: String =
                pieces.iter().map(|(text, number)| format!("{text} so [{number}]. ")).collect();
            let citation = |number: usize| {
                let (uri, label) = match is_one_source {
                    true => ("doi:10.1/x".to_owned(), ["1a", "1b", "1c"][number - 1].to_owned()),
                    false => (format!("doi:10.1/{number}"), number.to_string()),
                };
                json!({ "number": number, "title": "T", "source_uri": uri, "label": label })
            };
            let citations: Vec<Value> = (1..4).map(citation).collect();
            let envelope = json!({
                "status": "completed", "answer": answer, "citations": citations,
                "deliverable": { "claims": [] },
            });
            let (text, marks) = methods::report::chat::message(&methods::all(), &envelope);
            for cited in find_citations(&envelope, &text, &marks) {
                let shown: String =
                    text.chars().skip(cited.start).take(cited.end - cited.start).collect();
                let label = cited.more["label"].as_str().unwrap();
                // Over the statements of a source its own number stands, which leads to the first of them.
                let is_mark = shown == format!("[{label}]") || (shown == "[1]" && label == "1a");
                prop_assert!(is_mark, "{} for {}", shown, label);
            }
        }
    }

    // proves: F4
    #[test]
    fn a_budget_that_is_met_is_told_from_a_step_that_failed() {
        let log = |events: Vec<Event>| {
            let mut head = Head::default();
            let sealed = events.into_iter().map(|event| {
                let (entry, _) = Entry::seal(&head, jiff::Timestamp::UNIX_EPOCH, event);
                head = Head { seq: entry.seq, hash: entry.hash };
                entry
            });
            sealed.collect::<Vec<Entry>>()
        };
        let refused = Event::Refused {
            step: "writer #1".into(),
            input: run::entry::Hash::default(),
            cap: run::budget::CapMet::Steps { cap: 1 },
            within: None,
        };
        let stopped = Event::Stopped {
            stage: "writer #1".into(),
            reason: "why".into(),
            retry_attempted: false,
            partial: None,
        };
        let capped = find_end(&log(vec![refused, stopped.clone()])).unwrap();
        assert_eq!((capped.message.as_str(), capped.is_capped), ("writer #1: why", true));
        assert!(!find_end(&log(vec![stopped.clone()])).unwrap().is_capped);
        assert!(find_end(&log(vec![stopped, Event::Said { line: "more".into() }])).is_none());
    }

    // proves: F4
    #[test]
    fn sources_are_addresses_that_a_browser_opens() {
        for (uri, url) in [
            ("doi:10.1000/a", "https://doi.org/10.1000/a"),
            ("arxiv:2401.00001", "https://arxiv.org/abs/2401.00001"),
            ("https://example.org/a", "https://example.org/a"),
            ("doc://manual/a.md", "doc://manual/a.md"),
            ("", ""),
        ] {
            assert_eq!(web_address(uri), url);
        }
    }
}
