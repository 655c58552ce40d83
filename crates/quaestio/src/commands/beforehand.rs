//! Answers given beforehand, on the command line or in a file, to what a run will ask.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use run::Entry;
use run::entry::Event;
use run::views::Gate;
use serde::Deserialize;

use super::collect::bounded;
use crate::cli;
use crate::failure::Failure;

/// Bytes of a file of answers, at most.
const MOST_BYTES: u64 = 1_000_000;

/// What is answered at the gates of a run without asking a person.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Beforehand {
    /// Whether every plan is approved once it is printed.
    pub(super) yes: bool,
    /// Answers by the name of their gate; `None` leaves the questions to the person at the terminal.
    pub(super) answers: Option<Answers>,
}

impl Beforehand {
    pub(super) fn of(args: &cli::Said) -> Result<Beforehand, Failure> {
        let answers = args.answers.as_deref().map(read).transpose()?;
        Ok(Beforehand { yes: args.yes, answers })
    }
}

/// Answers to what a run may ask.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Answers {
    /// The answers by the names of their gates.
    pub(super) by_gate: BTreeMap<String, String>,
    /// Whether they came as a list, for q1, q2, … in turn, without naming gates.
    pub(super) in_turn: bool,
}

impl Answers {
    /// Returns the answers to open gates, and lines about the others.
    pub(super) fn to(
        &self,
        entries: &[Entry],
        open: &[Gate<'_>],
    ) -> (BTreeMap<String, String>, Vec<String>) {
        let is_open = |name: &str| open.iter().any(|gate| gate.plan.is_none() && gate.name == name);
        let (taken, rest): (BTreeMap<_, _>, BTreeMap<_, _>) =
            self.by_gate.clone().into_iter().partition(|(name, _)| is_open(name));
        let answered = entries.iter().filter_map(|entry| match &entry.event {
            Event::Answered { gate, .. } => Some(gate.as_str()),
            _ => None,
        });
        let answered: BTreeSet<&str> = answered.collect();
        let (before, never): (Vec<&str>, Vec<&str>) =
            rest.keys().map(String::as_str).partition(|name| answered.contains(name));
        let lines = [("answered already", before), ("not asked", never)];
        let lines = lines.into_iter().filter(|(_, names)| !names.is_empty());
        let lines = lines.map(|(what, names)| format!("{what}: {}", names.join(", ")));
        (taken, lines.collect())
    }
}

/// Answers as a file holds them.
#[derive(Deserialize)]
#[serde(untagged)]
enum Written {
    Named(BTreeMap<String, String>),
    /// For q1, q2, … in turn.
    InTurn(Vec<String>),
}

fn read(path: &Path) -> Result<Answers, Failure> {
    let wrong = |why: String| {
        Failure::usage(
            format!("{}: {why}", path.display()),
            "write a JSON object such as {\"q1\": \"businesses\", \"q3\": \"Texas\"}, or a list of answers",
        )
    };
    let text = bounded(path, MOST_BYTES).map_err(&wrong)?;
    parsed(&text).map_err(|error| wrong(format!("these are not answers: {error}")))
}

fn parsed(text: &str) -> Result<Answers, serde_json::Error> {
    Ok(match serde_json::from_str(text)? {
        Written::Named(by_gate) => Answers { by_gate, in_turn: false },
        Written::InTurn(answers) => {
            let named = |(number, answer): (u32, String)| (format!("q{number}"), answer);
            Answers { by_gate: (1..).zip(answers).map(named).collect(), in_turn: true }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    // proves: W3
    #[test]
    fn answers_without_an_id_are_those_of_q1_q2_and_so_on() {
        let named = parsed(r#"{"q1": "businesses", "q3": "Texas"}"#).unwrap();
        assert_eq!(named.by_gate.get("q3").map(String::as_str), Some("Texas"));
        assert!(!named.in_turn);
        let in_turn = parsed(r#"["businesses", "", "Texas"]"#).unwrap();
        assert_eq!(in_turn.by_gate.get("q3").map(String::as_str), Some("Texas"));
        assert!(in_turn.in_turn && in_turn.by_gate.len() == 3);
        for wrong in ["", "7", "\"Texas\"", r#"{"q1": 7}"#, r#"[["Texas"]]"#, "{"] {
            assert!(parsed(wrong).is_err(), "{wrong}");
        }
    }
}
