//! One entry of a run's log, and the events that it records.
//!
//! The log is appended to, never edited. Each entry's hash covers everything before it, so a log with a changed past no longer
//! verifies. Everything else about a run is a fold over its entries ([`crate::views`]).

use std::fmt;
use std::sync::Arc;

use jiff::Timestamp;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::budget::{CapMet, Spend, Usage};
use crate::canonical::canonical;
use crate::evidence::Evidence;
use crate::ledger::Claim;
use crate::plan::Plan;
use crate::settings::Settings;

/// A SHA-256 digest, written as 64 hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Hash(pub [u8; 32]);

impl Hash {
    /// Returns the digest of `bytes`.
    pub fn of(bytes: &[u8]) -> Hash {
        Hash(Sha256::digest(bytes).into())
    }

    /// Returns the digest of several parts, each preceded by its length, so that no other split has the same digest.
    pub fn of_parts(parts: &[&[u8]]) -> Hash {
        let mut digest = Sha256::new();
        for part in parts {
            digest.update((part.len() as u64).to_be_bytes());
            digest.update(part);
        }
        Hash(digest.finalize().into())
    }

    /// Returns the digest of the canonical JSON (RFC 8785) of `value`.
    pub fn of_json(value: &impl Serialize) -> Hash {
        Hash::of(&canonical(value))
    }
}

impl fmt::Display for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

impl std::str::FromStr for Hash {
    type Err = String;

    fn from_str(text: &str) -> Result<Hash, String> {
        let wrong = || format!("'{text}' is not a SHA-256 digest (64 hexadecimal digits)");
        if text.len() != 64 || !text.is_ascii() {
            return Err(wrong());
        }
        let mut bytes = [0; 32];
        for (byte, pair) in bytes.iter_mut().zip(text.as_bytes().chunks(2)) {
            let pair = std::str::from_utf8(pair).map_err(|_| wrong())?;
            *byte = u8::from_str_radix(pair, 16).map_err(|_| wrong())?;
        }
        Ok(Hash(bytes))
    }
}

impl Serialize for Hash {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Hash {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Hash, D::Error> {
        let text = std::borrow::Cow::<str>::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

/// One entry of a run's log: append-only, numbered from 1, chained by the hash of the previous one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    pub seq: u64,
    pub at: Timestamp,
    #[serde(flatten)]
    pub event: Event,
    /// SHA-256 of the previous hash (32 zero bytes for the first entry) and this entry's [`Entry::body`].
    pub hash: Hash,
}

/// The part of an entry that its hash covers.
#[derive(Serialize)]
struct Body<'a> {
    seq: u64,
    at: Timestamp,
    #[serde(flatten)]
    event: &'a Event,
}

impl Entry {
    /// Returns the entry that follows `previous`, and its body.
    pub fn seal(previous: &Head, at: Timestamp, event: Event) -> (Entry, Vec<u8>) {
        let seq = previous.seq + 1;
        let body = canonical(&Body { seq, at, event: &event });
        let hash = chain(previous.hash, &body);
        (Entry { seq, at, event, hash }, body)
    }

    /// Returns the canonical JSON that the hash covers: the entry without its hash.
    pub fn body(&self) -> Vec<u8> {
        canonical(&Body { seq: self.seq, at: self.at, event: &self.event })
    }

    /// Reads an entry from its body and its hash.
    pub fn read(body: &[u8], hash: Hash) -> Result<Entry, serde_json::Error> {
        #[derive(Deserialize)]
        struct Owned {
            seq: u64,
            at: Timestamp,
            #[serde(flatten)]
            event: Event,
        }
        let Owned { seq, at, event } = serde_json::from_slice(body)?;
        Ok(Entry { seq, at, event, hash })
    }
}

fn chain(previous: Hash, body: &[u8]) -> Hash {
    let mut digest = Sha256::new();
    digest.update(previous.0);
    digest.update(body);
    Hash(digest.finalize().into())
}

/// The end of a log: the number and hash of its last entry. The default is the empty log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Head {
    pub seq: u64,
    pub hash: Hash,
}

/// Returns the end of the log, or the number of the first entry that does not follow from the previous ones.
pub fn verify(entries: &[Entry]) -> Result<Head, u64> {
    verify_from(Head::default(), entries)
}

/// Returns the end of a log that was verified up to `head`, or the number of the first of these entries that does not follow.
pub fn verify_from(head: Head, entries: &[Entry]) -> Result<Head, u64> {
    entries.iter().try_fold(head, |head, entry| {
        let follows = entry.seq == head.seq + 1 && entry.hash == chain(head.hash, &entry.body());
        if follows { Ok(Head { seq: entry.seq, hash: entry.hash }) } else { Err(head.seq + 1) }
    })
}

/// The source of a step's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// A chat model.
    Model,
    /// The step's own extractive function: no model was called.
    Offline,
    /// A port that is not a model: retrieval.
    Port,
}

/// The prompt and model of a call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Asking {
    /// `provider/name` of the model, or `offline`.
    pub model: String,
    /// `<method>/<role>` of the prompt file.
    pub prompt: String,
    pub prompt_version: u32,
    /// The digest of the prompt file as used, front matter included.
    pub prompt_hash: Hash,
}

/// The question to a person at a gate.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Ask {
    pub question: String,
    /// Why it is asked.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub context: String,
    /// The first revision of the proposed plan: the gate needs its approval. `None`: the gate needs an answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan: Option<Box<Plan>>,
}

/// The event of an entry.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Event {
    /// The run exists.
    Started { method: String, version: u32, question: String, settings: Settings, user: String },
    /// The entries up to here were copied from run `from`; the run diverges from step `step`.
    Forked { from: String, step: String },
    /// A worker took the run up again.
    Resumed { attempt: u32 },
    /// A step is about to make an external call; a lost call still shows in the cost.
    Called {
        step: String,
        input: Hash,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        asking: Option<Asking>,
        #[serde(default, skip_serializing_if = "Spend::is_zero")]
        reserved: Spend,
        /// The part of the approved plan that it belongs to: the `agent_role` of a plan step; `None` without a plan.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        within: Option<String>,
    },
    /// A step's value. The same step gets this value again after a restart.
    Returned { step: String, origin: Origin, value: Value, usage: Usage, cost_usd_micros: u64 },
    /// A try of a step that gave no usable value.
    Failed {
        step: String,
        /// Counts the tries of the step from 1.
        attempt: u32,
        fault: Fault,
        error: String,
        /// The model's reply.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reply: Option<String>,
        usage: Usage,
        cost_usd_micros: u64,
    },
    /// The budget did not allow the step, or its time ran out during it.
    Refused {
        step: String,
        input: Hash,
        cap: CapMet,
        /// As in `Called`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        within: Option<String>,
    },
    /// Evidence enters the run and may be cited by its number, counted from 1.
    Cited { number: u32, evidence: Arc<Evidence> },
    /// A person is asked; nothing is held while they think.
    Asked { gate: String, ask: Ask },
    /// A person answered.
    Answered { gate: String, answer: String, by: String },
    /// A person changed the plan at a gate. The plan first asked about is revision 1.
    Revised { gate: String, revision: u32, plan: Box<Plan>, by: String },
    /// A person approved this revision of the plan.
    Approved { gate: String, revision: u32, plan_hash: Hash, by: String },
    /// A person rejected the plan, which ends the run.
    Rejected {
        gate: String,
        #[serde(default, skip_serializing_if = "String::is_empty")]
        reason: String,
        by: String,
    },
    /// A status line.
    Said { line: String },
    /// The deliverable is complete.
    Finished { outcome: Outcome, deliverable: Value, ledger: Vec<Claim>, warnings: Vec<String> },
    /// The run ended before its deliverable was complete; earlier entries hold what it had.
    Stopped {
        stage: String,
        reason: String,
        retry_attempted: bool,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        partial: Option<Box<Partial>>,
    },
    /// A person stopped the run.
    Cancelled {
        by: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        partial: Option<Box<Partial>>,
    },
}

/// The partial result of a run that ended early.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Partial {
    /// The method's own fields so far; null if it collects none of its own.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub deliverable: Value,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ledger: Vec<Claim>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// Why a try gave no value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fault {
    /// The external service did not answer, after the transport's own attempts.
    Unreachable,
    /// The external service gave an invalid answer.
    Malformed,
}

/// The outcome of a finished run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    Answered,
    /// Nothing relevant enough was found for an answer.
    NotEnoughEvidence,
    /// As `NotEnoughEvidence`, but some sources that may hold it could not be reached.
    NotReached,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn log(lines: &[&str]) -> Vec<Entry> {
        let mut head = Head::default();
        lines
            .iter()
            .map(|line| {
                let event = Event::Said { line: (*line).to_owned() };
                let (entry, _) = Entry::seal(&head, Timestamp::UNIX_EPOCH, event);
                head = Head { seq: entry.seq, hash: entry.hash };
                entry
            })
            .collect()
    }

    // proves: C5
    #[test]
    fn a_log_whose_past_was_changed_no_longer_adds_up() {
        let entries = log(&["one", "two", "three"]);
        assert!(verify(&entries).is_ok());
        for index in 0..entries.len() {
            let mut changed = entries.clone();
            changed[index].event = Event::Said { line: "forged".into() };
            assert_eq!(verify(&changed), Err(index as u64 + 1));
            let mut missing = entries.clone();
            missing.remove(index);
            assert_eq!(
                verify(&missing).is_ok(),
                index == 2,
                "a cut end is for the reader's own digest to notice"
            );
        }
    }

    #[test]
    fn an_entry_reads_back_from_its_body() {
        let entries = log(&["naïve \u{1F600} \"quoted\""]);
        assert_eq!(Entry::read(&entries[0].body(), entries[0].hash).unwrap(), entries[0]);
    }

    #[test]
    fn a_line_of_the_log_reads_as_a_person_expects() {
        let line = serde_json::to_value(&log(&["hello"])[0]).unwrap();
        assert_eq!(line["event"], "said");
        assert_eq!(line["seq"], 1);
        assert_eq!(line["line"], "hello");
    }
}
