//! What is said beforehand, on the command line or in a file, to what a run will ask.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;

use crate::cli;
use crate::failure::Failure;

/// Bytes of a file with answers, at most.
const MOST_BYTES: u64 = 1_000_000;

/// What a run is told at its gates without anybody being asked.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Said {
    /// Whether every plan that is printed is approved.
    pub(super) yes: bool,
    /// Answers by the name of their gate; none leaves the questions to whoever sits at the terminal.
    pub(super) answers: Option<BTreeMap<String, String>>,
}

impl Said {
    pub(super) fn of(args: &cli::Said) -> Result<Said, Failure> {
        let answers = args.answers.as_deref().map(read).transpose()?;
        Ok(Said { yes: args.yes, answers })
    }
}

/// Answers as a file has them.
#[derive(Deserialize)]
#[serde(untagged)]
enum Written {
    Named(BTreeMap<String, String>),
    /// Those of q1, q2, … in turn.
    InTurn(Vec<String>),
}

fn read(path: &Path) -> Result<BTreeMap<String, String>, Failure> {
    let wrong = |why: String| {
        Failure::usage(
            format!("{}: {why}", path.display()),
            "write a JSON object such as {\"q1\": \"businesses\", \"q3\": \"Texas\"}, or an array of answers",
        )
    };
    let bytes = std::fs::metadata(path).map_err(|error| wrong(error.to_string()))?.len();
    if bytes > MOST_BYTES {
        return Err(wrong(format!("it has {bytes} bytes, and {MOST_BYTES} are allowed")));
    }
    let text = std::fs::read_to_string(path).map_err(|error| wrong(error.to_string()))?;
    parsed(&text).map_err(|error| wrong(format!("these are no answers: {error}")))
}

fn parsed(text: &str) -> Result<BTreeMap<String, String>, serde_json::Error> {
    Ok(match serde_json::from_str(text)? {
        Written::Named(answers) => answers,
        Written::InTurn(answers) => {
            (1..).zip(answers).map(|(number, answer)| (format!("q{number}"), answer)).collect()
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
        assert_eq!(named.get("q3").map(String::as_str), Some("Texas"));
        let in_turn = parsed(r#"["businesses", "", "Texas"]"#).unwrap();
        assert_eq!(in_turn.get("q3").map(String::as_str), Some("Texas"));
        assert_eq!(in_turn.len(), 3);
        for wrong in ["", "7", "\"Texas\"", r#"{"q1": 7}"#, r#"[["Texas"]]"#, "{"] {
            assert!(parsed(wrong).is_err(), "{wrong}");
        }
    }
}
