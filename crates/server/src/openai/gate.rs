//! A run that waits for a person, in a chat: how it asks, and what the next message tells it.

use std::collections::BTreeMap;

use run::entry::Entry;
use run::log::{LogError, Status};
use run::plan::Plan;
use run::views::{self, Gate};
use run::work::{self, AnswerError, Seen};

use super::error::ApiError;
use crate::api::is_id;
use crate::desk;
use crate::state::App;

/// The last line of an answer that asks: it names the run that the next message answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Marker {
    pub(super) run: String,
    /// The revision of the plan that was shown.
    pub(super) revision: Option<u32>,
}

impl Marker {
    fn of(run: &str, gates: &[Gate<'_>]) -> Marker {
        let asks = gates.iter().any(|gate| gate.plan.is_none());
        let plan = gates.iter().find_map(|gate| gate.plan).filter(|_| !asks);
        Marker { run: run.to_owned(), revision: plan.map(|plan| plan.revision) }
    }

    fn line(&self) -> String {
        let run = &self.run;
        match self.revision {
            None => format!("Run `{run}` waits for your answer."),
            Some(revision) => {
                format!("Run `{run}` waits for your approval of revision {revision}.")
            }
        }
    }

    /// Finds the marker at the end of an answer: its last line, or the state in a result as JSON.
    pub(super) fn find(answer: &str) -> Option<Marker> {
        let text = answer.trim();
        if text.starts_with('{') {
            let result: serde_json::Value = serde_json::from_str(text).ok()?;
            let run = result.get("run_id")?.as_str().filter(|run| is_id(run))?;
            let waits = result.get("status")?.as_str()? == Status::Waiting.name();
            return waits.then(|| Marker { run: run.to_owned(), revision: None });
        }
        let line = text.lines().last()?.trim();
        let (run, asks) = line.strip_prefix("Run `")?.split_once("` waits for your ")?;
        let revision = match asks {
            "answer." => None,
            asks => {
                let number = asks.strip_prefix("approval of revision ")?.strip_suffix('.')?;
                Some(number.parse().ok()?)
            }
        };
        is_id(run).then(|| Marker { run: run.to_owned(), revision })
    }
}

/// Returns what a waiting run asks, how to answer, and the line that names it.
pub(super) fn tell(run: &str, entries: &[Entry]) -> String {
    let gates = views::open_gates(entries);
    let marker = Marker::of(run, &gates);
    let asked = methods::report::chat::questions(&gates);
    let questions = gates.iter().filter(|gate| gate.plan.is_none()).count();
    let how = match (marker.revision, questions) {
        (Some(_), _) => {
            "Say `approve`, `reject` (with a reason, if you like), or send the plan as JSON as you want it; \
             `cancel` stops the run."
        }
        (None, 0 | 1) => {
            "Answer with your next message. `skip` leaves it open, `cancel` stops the run."
        }
        (None, _) => {
            "Answer with your next message: the first question, or several as lines that begin with their \
             numbers. `skip` leaves one open, `cancel` stops the run."
        }
    };
    format!("{asked}\n{how}\n\n{}\n", marker.line())
}

/// What a message did to a waiting run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Heard {
    /// The entries of the run's log then.
    pub(super) entries: u64,
    /// What a person must know about it.
    pub(super) note: Option<String>,
}

/// Tells a run what a person says; returns `None` if the user has no such run. A run that does not wait any longer is told nothing.
pub(super) async fn hear(
    app: &App,
    user: &str,
    marker: &Marker,
    said: &str,
) -> Result<Option<Heard>, ApiError> {
    let run = &marker.run;
    let entries = match app.log.entries(user, run, 0).await {
        Err(LogError::NoSuchRun { .. }) => return Ok(None),
        entries => entries?,
    };
    let gates = views::open_gates(&entries);
    let questions: Vec<&Gate<'_>> = gates.iter().filter(|gate| gate.plan.is_none()).collect();
    let plan = gates.iter().find_map(|gate| Some((gate.name, gate.plan?)));
    let word = read_word(said);
    let mut note = None;
    if gates.is_empty() {
        note = Some(format!("Run {run} does not wait any longer: this is how it stands."));
    } else if word == "cancel" {
        desk::stop(app, user, run).await?;
    } else if !questions.is_empty() {
        for (gate, answer) in read_answers(&questions, said) {
            work::answer(app.world(), user, run, Some(&gate), &answer, user).await?;
        }
        app.heard(user, run);
    } else if let Some((gate, proposal)) = plan {
        let seen = Seen { revision: proposal.revision, plan_hash: proposal.plan_hash };
        let is_stale = marker.revision.is_some_and(|shown| shown != seen.revision);
        note = match decide(&word, said) {
            _ if is_stale => {
                Some("The plan was changed meanwhile: look at it again, nothing was done.".into())
            }
            Decision::Approve => {
                work::approve(app.world(), user, run, Some(gate), Some(seen), user).await?;
                app.heard(user, run);
                None
            }
            Decision::Reject(reason) => {
                work::reject(app.world(), user, run, Some(gate), &reason, user).await?;
                app.ended(user, run, Status::Cancelled).await;
                None
            }
            Decision::Edit(plan) => {
                match work::revise(app.world(), user, run, Some(gate), seen, *plan, user).await {
                    Ok(seen) => Some(format!("The plan is saved as revision {}.", seen.revision)),
                    Err(AnswerError::WrongPlan { what }) => {
                        Some(format!("That plan cannot be taken: {what}."))
                    }
                    Err(error) => return Err(error.into()),
                }
            }
            Decision::Unclear => Some(
                "That is neither an approval nor a rejection, and no plan: nothing was done."
                    .into(),
            ),
        };
    }
    app.feeds.tell(user, run);
    let entries = app.log.summary(user, run).await?.entries;
    Ok(Some(Heard { entries, note }))
}

/// What a message says about a plan.
enum Decision {
    Approve,
    Reject(String),
    Edit(Box<Plan>),
    Unclear,
}

fn decide(word: &str, said: &str) -> Decision {
    if matches!(word, "approve" | "approved" | "i approve" | "yes" | "ok" | "okay" | "go ahead") {
        return Decision::Approve;
    }
    let said_bare = said.trim_matches(|c: char| !c.is_alphanumeric());
    let reason = said_bare.split_at_checked("reject".len()).filter(|(verb, rest)| {
        verb.eq_ignore_ascii_case("reject") && !rest.starts_with(char::is_alphanumeric)
    });
    if word == "no" || word == "rejected" || reason.is_some() {
        let reason = reason.map_or("", |(_, reason)| reason);
        let reason = reason.trim_start_matches(|c: char| !c.is_alphanumeric());
        return Decision::Reject(reason.to_owned());
    }
    let object = said.find('{').zip(said.rfind('}')).and_then(|(from, to)| said.get(from..=to));
    match object.map(serde_json::from_str) {
        Some(Ok(plan)) => Decision::Edit(plan),
        _ => Decision::Unclear,
    }
}

/// Returns a message as a command: in lower case, without what surrounds it.
fn read_word(said: &str) -> String {
    let around = |c: char| !c.is_alphanumeric();
    said.trim_matches(around).to_lowercase()
}

/// Returns the answers that a message holds, by gate. Lines that begin with the numbers of questions answer those; any other message
/// answers the first question.
fn read_answers(questions: &[&Gate<'_>], said: &str) -> Vec<(String, String)> {
    let answer = |text: &str| {
        let text = text.trim();
        if read_word(text) == "skip" { String::new() } else { text.to_owned() }
    };
    let numbered = (questions.len() > 1).then(|| read_numbered(said, questions.len())).flatten();
    match numbered {
        Some(texts) => {
            let gates = texts.into_iter().filter_map(|(index, text)| {
                Some((questions.get(index)?.name.to_owned(), answer(&text)))
            });
            gates.collect()
        }
        None => {
            questions.first().map(|gate| (gate.name.to_owned(), answer(said))).into_iter().collect()
        }
    }
}

/// Reads lines that begin with numbers from 1 to `most`, by index; `None` if the message is not of that kind.
fn read_numbered(said: &str, most: usize) -> Option<BTreeMap<usize, String>> {
    let mut texts: BTreeMap<usize, String> = BTreeMap::new();
    let mut last = None;
    for line in said.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let after = line.trim_start_matches(|c: char| c.is_ascii_digit());
        let number = line.get(..line.len() - after.len()).and_then(|number| number.parse().ok());
        let text = after.strip_prefix(['.', ')', ':']);
        let index = number.and_then(|number: usize| number.checked_sub(1));
        match (index.filter(|index| *index < most), text, last) {
            (Some(index), Some(text), _) if !texts.contains_key(&index) => {
                texts.insert(index, text.trim().to_owned());
                last = Some(index);
            }
            (_, _, Some(index)) => {
                let text = texts.entry(index).or_default();
                text.push('\n');
                text.push_str(line);
            }
            _ => return None,
        }
    }
    Some(texts).filter(|texts| !texts.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    // proves: F4
    #[test]
    fn a_marker_is_found_at_the_end_of_an_answer_and_nowhere_else() {
        for marker in [
            Marker { run: "r-1".into(), revision: None },
            Marker { run: "0192_x".into(), revision: Some(3) },
        ] {
            let line = marker.line();
            assert_eq!(Marker::find(&format!("**Who?**\n\n{line}\n")), Some(marker));
            assert_eq!(Marker::find(&format!("{line}\n\nmore")), None);
        }
        for other in [
            "",
            "Run `r` waits.",
            "Run `a b` waits for your answer.",
            "Run `../r` waits for your answer.",
            "Run `r` waits for your approval of revision x.",
            "{\"run_id\": \"r\", \"status\": \"completed\"}",
            "{\"run_id\": 7, \"status\": \"waiting\"}",
            "{",
        ] {
            assert_eq!(Marker::find(other), None, "{other}");
        }
        let json = "{\"run_id\": \"r\", \"status\": \"waiting\"}";
        assert_eq!(Marker::find(json), Some(Marker { run: "r".into(), revision: None }));
    }

    // proves: F4
    #[test]
    fn numbered_lines_answer_their_questions_and_other_text_the_first() {
        let ask = run::Ask::default();
        let gate = |name| Gate { name, ask: &ask, plan: None };
        let gates = [gate("q1"), gate("q2"), gate("q3")];
        let all: Vec<&Gate<'_>> = gates.iter().collect();
        let answers = |many: usize, said: &str| -> Vec<String> {
            let read = read_answers(&all[..many], said).into_iter();
            read.map(|(gate, answer)| format!("{gate}={answer}")).collect()
        };
        assert_eq!(
            answers(3, "1. Law firms\n\n3) Texas,\n and beyond"),
            ["q1=Law firms", "q3=Texas,\nand beyond"]
        );
        assert_eq!(answers(3, "2: skip"), ["q2="]);
        assert_eq!(answers(3, "Law firms\n2. no"), ["q1=Law firms\n2. no"]);
        assert_eq!(answers(2, "3. what"), ["q1=3. what"]);
        assert_eq!(answers(1, "1. of all"), ["q1=1. of all"]);
        assert_eq!(answers(2, "1. one\n1. two"), ["q1=one\n1. two"]);
        assert_eq!(answers(2, "99999999999999999999999. x"), ["q1=99999999999999999999999. x"]);
    }

    // proves: F4
    #[test]
    fn a_plan_is_decided_by_clear_words_only() {
        let decided = |said: &str| match decide(&read_word(said), said) {
            Decision::Approve => "approve".to_owned(),
            Decision::Reject(reason) => format!("reject: {reason}"),
            Decision::Edit(plan) => format!("edit: {}", plan.title),
            Decision::Unclear => "unclear".to_owned(),
        };
        for (said, wanted) in [
            ("Approve!", "approve"),
            (" `approve` ", "approve"),
            ("Yes.", "approve"),
            ("reject", "reject: "),
            ("`reject` - too dear.", "reject: too dear"),
            ("Reject: too dear", "reject: too dear"),
            ("no", "reject: "),
            ("rejections are fine", "unclear"),
            ("yes, but what about Mars?", "unclear"),
            ("I do not approve", "unclear"),
            ("```json\n{\"title\": \"New\", \"steps\": []}\n```", "edit: New"),
            ("{\"title\": 7}", "unclear"),
            ("} {", "unclear"),
            ("ſ reject", "unclear"),
        ] {
            assert_eq!(decided(said), wanted, "{said}");
        }
    }
}
