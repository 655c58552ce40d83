//! One line of a run's log, and what it can say.
//!
//! The log is appended, never edited. Each entry holds the hash of everything before it, so that a
//! log whose past was changed no longer adds up. Whatever else there is to know about a run is a
//! fold over its entries ([`crate::views`]).

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

    /// Returns the digest of several parts, each with its length before it, so that no other parts share it.
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
        let wrong = || format!("'{text}' is not a SHA-256 digest of 64 hexadecimal digits");
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

/// One line of a run's log: append only, numbered from 1, each holding the hash of the one before.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    pub seq: u64,
    pub at: Timestamp,
    #[serde(flatten)]
    pub event: Event,
    /// SHA-256 of the hash before (32 zero bytes for the first entry) and this entry's [`Entry::body`].
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

    /// Reads an entry back from its body and its hash.
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

/// Where a log ends: the number and hash of its last entry. The default is the empty log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Head {
    pub seq: u64,
    pub hash: Hash,
}

/// Returns where the log ends, or the number of the first entry that does not follow from the ones before.
pub fn verify(entries: &[Entry]) -> Result<Head, u64> {
    verify_from(Head::default(), entries)
}

/// Returns where the log ends whose entries up to `head` were verified before, or the number of the first of these entries that does not follow.
pub fn verify_from(head: Head, entries: &[Entry]) -> Result<Head, u64> {
    entries.iter().try_fold(head, |head, entry| {
        let follows = entry.seq == head.seq + 1 && entry.hash == chain(head.hash, &entry.body());
        if follows { Ok(Head { seq: entry.seq, hash: entry.hash }) } else { Err(head.seq + 1) }
    })
}

/// Who gave a step its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// A chat model.
    Model,
    /// The step's own extractive function: no model was asked.
    Offline,
    /// A port that is not a model: retrieval.
    Port,
}

/// The prompt and model that a call used.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Asking {
    /// `provider/name` of the model, or `offline`.
    pub model: String,
    /// `<method>/<role>` of the prompt file.
    pub prompt: String,
    pub prompt_version: u32,
    /// Digest of the prompt file as used, front matter included.
    pub prompt_hash: Hash,
}

/// What a person is asked at a gate.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Ask {
    pub question: String,
    /// Why it is asked.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub context: String,
    /// The plan that is proposed, in its first revision: the gate wants its approval. None: it wants an answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan: Option<Box<Plan>>,
}

/// What an entry says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Event {
    /// The run exists.
    Started { method: String, version: u32, question: String, settings: Settings, user: String },
    /// The entries up to here were copied from run `from`; the run goes its own way from step `step`.
    Forked { from: String, step: String },
    /// A worker took the run up again.
    Resumed { attempt: u32 },
    /// A step is about to reach outside; a call that is lost still shows in the cost.
    Called {
        step: String,
        input: Hash,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        asking: Option<Asking>,
        #[serde(default, skip_serializing_if = "Spend::is_zero")]
        reserved: Spend,
        /// Whose part of the approved plan it is: the `agent_role` of a step of it; none where there is no plan.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        within: Option<String>,
    },
    /// A step's value. The same step asked again after a restart gets this value.
    Returned { step: String, origin: Origin, value: Value, usage: Usage, cost_usd_micros: u64 },
    /// A try of a step that brought no usable value.
    Failed {
        step: String,
        /// Counts the tries of the step from 1.
        attempt: u32,
        fault: Fault,
        error: String,
        /// What the model said instead.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reply: Option<String>,
        usage: Usage,
        cost_usd_micros: u64,
    },
    /// The budget did not allow the step, or its time ran out in the middle of it.
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
    /// A person changed the plan at a gate. The one that was asked about is revision 1.
    Revised { gate: String, revision: u32, plan: Box<Plan>, by: String },
    /// A person approved the plan as this revision has it.
    Approved { gate: String, revision: u32, plan_hash: Hash, by: String },
    /// A person does not want what is planned; the run ends with it.
    Rejected {
        gate: String,
        #[serde(default, skip_serializing_if = "String::is_empty")]
        reason: String,
        by: String,
    },
    /// A status line.
    Said { line: String },
    /// The deliverable stands.
    Finished { outcome: Outcome, deliverable: Value, ledger: Vec<Claim>, warnings: Vec<String> },
    /// The run ended before its deliverable was whole; what it had stands in the entries before.
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

/// What a run that ended early has to show.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Partial {
    /// The method's own fields, as far as it came; none where it gathers nothing of its own.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub deliverable: Value,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ledger: Vec<Claim>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// Why a try brought no value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fault {
    /// The outside did not answer, after the transport's own attempts.
    Unreachable,
    /// The outside answered with something that is not what was asked for.
    Malformed,
}

/// What a finished run came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    Answered,
    /// Nothing relevant enough was found to answer from.
    NotEnoughEvidence,
    /// The same, and not everything that may hold it could be reached.
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
