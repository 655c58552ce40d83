//! A run that waits for a person, in a chat: how it asks, and what the next message tells it.

use std::collections::BTreeMap;

use run::entry::{Entry, Event};
use run::log::{LogError, Status};
use run::plan::Plan;
use run::views::{self, Gate};
use run::work::{self, AnswerError, Seen};

use super::error::ApiError;
use super::marker::{Marker, Shown};
use crate::desk;
use crate::problem::{Kind, Problem};
use crate::state::App;

/// Returns what a waiting run asks, how to answer, and the line that names it.
pub(super) fn tell(run: &str, entries: &[Entry]) -> String {
    let gates = views::open_gates(entries);
    let asked = methods::report::chat::questions(&gates);
    let questions = gates.iter().filter(|gate| gate.plan.is_none()).count();
    let plan = gates.iter().find_map(|gate| gate.plan).filter(|_| questions == 0);
    let revision = plan.map(|plan| plan.revision);
    let how = match (revision, questions) {
        (Some(_), _) => {
            "Reply `approve`, `reject` (with a reason, if you like), or send the plan you want as JSON; \
             `cancel` stops the run."
        }
        (None, 0 | 1) => {
            "Answer in your next message. `skip` leaves the question open, `cancel` stops the run."
        }
        (None, _) => {
            "Answer with your next message: the first question, or several as lines that begin with their \
             numbers. `skip` leaves one open, `cancel` stops the run."
        }
    };
    let marker = Marker { run: run.to_owned(), at: entries.len() as u64 };
    format!("{asked}\n{how}\n\n{}\n", marker.line(revision))
}

/// What a message did to a waiting run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Heard {
    /// The entries of the run's log then.
    pub(super) entries: u64,
    /// What a person must know about it.
    pub(super) note: Option<String>,
    /// Whether the message was given to the run, so that it goes on.
    pub(super) is_given: bool,
}

/// Tells a run what a person says about what `marker` showed; returns `None` if the user has no such run.
///
/// A run that has moved on since is told nothing: either the same was said before, as when a message is sent again, or a note says that
/// nothing was done.
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
    let Some(shown) = Shown::of(&entries, marker.at) else { return Ok(None) };
    let meaning = Meaning::of(&shown.gates, said);
    let (note, is_given) = if shown.since.is_empty() {
        match give(app, user, run, &meaning).await {
            Ok(Given { note, goes_on }) => (note, goes_on),
            Err(problem) if matches!(problem.kind(), Kind::Conflict | Kind::Stale) => {
                // Perhaps somebody was faster.
                let entries = app.log.entries(user, run, 0).await?;
                match Shown::of(&entries, marker.at) {
                    Some(shown) if !shown.since.is_empty() => {
                        (note_late(run, &meaning, shown.since), false)
                    }
                    _ => return Err(problem.into()),
                }
            }
            Err(problem) => return Err(problem.into()),
        }
    } else {
        (note_late(run, &meaning, shown.since), false)
    };
    app.feeds.tell(user, run);
    let entries = app.log.summary(user, run).await?.entries;
    Ok(Some(Heard { entries, note, is_given }))
}

/// Returns what to tell about a message that comes after others were heard: nothing if it is one of them, sent again.
fn note_late(run: &str, meaning: &Meaning, since: &[Entry]) -> Option<String> {
    let note = || {
        format!(
            "Run {run} was answered or changed in the meantime, so nothing was done. This is its current state."
        )
    };
    (!meaning.was_given(since)).then(note)
}

/// What a message means to a run that shows certain gates.
enum Meaning {
    /// It waits for nothing.
    Nothing,
    /// The run shall stop.
    Cancel,
    /// Answers, by gate.
    Answers(Vec<(String, String)>),
    /// A decision about the plan that was seen.
    Plan { gate: String, seen: Seen, decision: Decision },
}

impl Meaning {
    fn of(gates: &[Gate<'_>], said: &str) -> Meaning {
        let word = read_word(said);
        let questions: Vec<&Gate<'_>> = gates.iter().filter(|gate| gate.plan.is_none()).collect();
        let plan = gates.iter().find_map(|gate| Some((gate.name, gate.plan?)));
        match plan {
            _ if gates.is_empty() => Meaning::Nothing,
            _ if word == "cancel" => Meaning::Cancel,
            Some((gate, plan)) if questions.is_empty() => {
                let decision = decide(&word, said);
                Meaning::Plan { gate: gate.to_owned(), seen: plan.into(), decision }
            }
            _ => Meaning::Answers(read_answers(&questions, said)),
        }
    }

    /// Returns whether this was said before, by what was said to the run since.
    fn was_given(&self, since: &[Entry]) -> bool {
        let mut events = since.iter().map(|entry| &entry.event);
        match self {
            Meaning::Nothing => false,
            Meaning::Cancel => events.any(|event| matches!(event, Event::Cancelled { .. })),
            Meaning::Answers(answers) => answers.iter().all(|(name, said)| {
                let first = since.iter().find_map(|entry| match &entry.event {
                    Event::Answered { gate, answer, .. } if gate == name => Some(answer),
                    _ => None,
                });
                first == Some(said)
            }),
            Meaning::Plan { gate: name, seen, decision } => events.any(|event| match event {
                Event::Approved { gate, revision, plan_hash, .. } => {
                    let approved = Seen { revision: *revision, plan_hash: *plan_hash };
                    matches!(decision, Decision::Approve) && gate == name && approved == *seen
                }
                Event::Rejected { gate, reason: given, .. } => {
                    gate == name && matches!(decision, Decision::Reject(reason) if reason == given)
                }
                Event::Revised { gate, revision, plan: given, .. } => {
                    let is_next = gate == name && *revision == seen.revision.saturating_add(1);
                    is_next && matches!(decision, Decision::Edit(plan) if plan == given)
                }
                _ => false,
            }),
        }
    }
}

/// What came of a message that was given to a run.
struct Given {
    note: Option<String>,
    /// Whether the run goes on by it.
    goes_on: bool,
}

impl Given {
    fn noted(note: impl Into<String>) -> Given {
        Given { note: Some(note.into()), goes_on: false }
    }
}

/// Gives a run a message about what it shows now.
async fn give(app: &App, user: &str, run: &str, meaning: &Meaning) -> Result<Given, Problem> {
    let world = app.world();
    match meaning {
        Meaning::Nothing => Ok(Given::noted(format!(
            "Run {run} is not waiting for you. This is its current state."
        ))),
        Meaning::Cancel => {
            desk::stop(app, user, run).await?;
            Ok(Given { note: None, goes_on: false })
        }
        Meaning::Answers(answers) => {
            for (gate, answer) in answers {
                work::answer(world, user, run, Some(gate), answer, user).await?;
                app.heard(user, run);
            }
            Ok(Given { note: None, goes_on: true })
        }
        Meaning::Plan { gate, seen, decision } => match decision {
            Decision::Approve => {
                work::approve(world, user, run, Some(gate), Some(*seen), user).await?;
                app.heard(user, run);
                Ok(Given { note: None, goes_on: true })
            }
            Decision::Reject(reason) => {
                work::reject(world, user, run, Some(gate), reason, user).await?;
                app.ended(user, run, Status::Cancelled).await;
                Ok(Given { note: None, goes_on: false })
            }
            Decision::Edit(plan) => {
                let plan = Plan::clone(plan);
                match work::revise(world, user, run, Some(gate), *seen, plan, user).await {
                    Ok(seen) => {
                        let note = format!("The plan is saved as revision {}.", seen.revision);
                        Ok(Given::noted(note))
                    }
                    Err(AnswerError::WrongPlan { what }) => {
                        Ok(Given::noted(format!("That plan is not valid: {what}.")))
                    }
                    Err(error) => Err(error.into()),
                }
            }
            Decision::Unclear => Ok(Given::noted(
                "That is neither an approval, a rejection nor a plan, so nothing was done.",
            )),
        },
    }
}

/// Returns whether a message is a word to a run that waits, and no question. `was_asked`: it follows an answer that asked, so that it may
/// also be any other word of consent or refusal.
pub(super) fn is_command(said: &str, was_asked: bool) -> bool {
    let word = read_word(said);
    if matches!(word.as_str(), "approve" | "cancel" | "skip") {
        return true;
    }
    let is_question = said.trim_end().ends_with('?');
    let is_reject = word.starts_with("reject") && !is_question;
    let is_decided = matches!(decide(&word, said), Decision::Approve | Decision::Reject(_));
    is_decided && (was_asked || is_reject)
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
    fn words_to_a_run_are_no_questions() {
        for said in [
            "approve",
            " `Approve`! ",
            "cancel",
            "Skip.",
            "reject",
            "Reject: too dear",
            "reject that",
        ] {
            assert!(is_command(said, false), "{said}");
        }
        for said in ["yes", "ok", "no", "Go ahead!"] {
            assert!(is_command(said, true) && !is_command(said, false), "{said}");
        }
        for said in [
            "Who approves drugs?",
            "Approve of what?",
            "rejections of grafts",
            "Reject the null hypothesis at 0.04?",
            "cancel culture",
            "Ada",
            "",
        ] {
            assert!(!is_command(said, false), "{said}");
        }
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
