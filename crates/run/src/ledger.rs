//! The claims of a deliverable, each bound to the statements that support it, with its verdict.

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

use ::grounding::check::Fault;
use ::grounding::derive::Derivation;
pub use ::grounding::marks::without_marks;

/// A claim as a writer states it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
// A missing field reads as empty: such a claim breaks nothing, and its writer learns of it.
#[serde(default)]
pub struct Written {
    /// One sentence, without citation marks.
    pub text: String,
    /// The addresses of the statements that bear it out: `3.4`, `3.4-6`. A sentence without any is not shown as fact.
    #[serde(deserialize_with = "addresses")]
    #[schemars(inner(length(max = 40)))]
    pub cites: Vec<String>,
    /// Quotes of a writer that copied them in the place of addresses.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(skip)]
    pub citations: Vec<Quoted>,
}

/// Deserializes addresses as models write them: a list or a single one, with or without brackets.
pub fn addresses<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum One {
        Text(String),
        Number(serde_json::Number),
    }
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Either {
        List(Vec<One>),
        Single(One),
        Nothing(()),
    }
    let text = |one| match one {
        One::Text(text) => text,
        One::Number(number) => number.to_string(),
    };
    Ok(match Either::deserialize(from)? {
        Either::List(list) => list.into_iter().map(text).collect(),
        Either::Single(one) => vec![text(one)],
        Either::Nothing(()) => vec![],
    })
}

/// A citation as a writer gives it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Quoted {
    /// The number of the evidence.
    pub evidence: u32,
    /// The words of the evidence that bear the sentence out, copied exactly, three words at least.
    pub quote: String,
}

/// What a check came to. These are different promises, and are never added up under one word.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// It says what its statement says, word for word.
    Quoted,
    /// A number evaluated again from data.
    Recomputed,
    /// The hard checks hold, and a second reader says that its statements bear out all of it.
    Supported,
    /// A conclusion from claims or statements that hold, shown as the author's own.
    Inferred,
    /// Of runs of former versions: the quote stands in the source at the span, and the claim agrees with it by rules over words.
    Verified,
    /// The hard checks hold, and nobody has read it.
    Unread,
    #[default]
    Unsupported,
}

impl Verdict {
    /// Returns whether a claim with this verdict may be shown as one that holds.
    pub fn holds(self) -> bool {
        !matches!(self, Verdict::Unread | Verdict::Unsupported)
    }

    /// Returns the name that is stored and printed.
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Quoted => "quoted",
            Verdict::Recomputed => "recomputed",
            Verdict::Supported => "supported",
            Verdict::Inferred => "inferred",
            Verdict::Verified => "verified",
            Verdict::Unread => "unread",
            Verdict::Unsupported => "unsupported",
        }
    }
}

/// A claim in the ledger.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Claim {
    pub text: String,
    pub verdict: Verdict,
    pub citations: Vec<Citation>,
    /// Why it does not hold; empty if it does.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub faults: Vec<Fault>,
    /// The claims that a conclusion rests on, counted from 1 in the ledger.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rests_on: Vec<u32>,
    /// The derivations of its numbers that are not in its statements.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub derivations: Vec<Derivation>,
    /// Its place in the deliverable's text, marks included; `None` if it is not shown there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shown: Option<Shown>,
}

/// A stretch of a deliverable's text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Shown {
    /// UTF-8 bytes.
    pub start: u64,
    pub end: u64,
}

impl Claim {
    /// Returns the marks that it is shown with, in order and without duplicates.
    pub fn numbers(&self) -> Vec<u32> {
        let mut numbers: Vec<u32> =
            self.citations.iter().filter_map(|citation| citation.number).collect();
        numbers.sort_unstable();
        numbers.dedup();
        numbers
    }
}

/// A citation in the ledger.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Citation {
    /// The mark in the deliverable, from 1; none for a citation that is not shown.
    #[serde(default)]
    pub number: Option<u32>,
    pub evidence_id: String,
    pub source_uri: String,
    pub title: String,
    pub section: String,
    /// The page of the source on which the quote begins, where it has pages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page: Option<u32>,
    /// The source's own words where they were found, else what the writer gave for them.
    pub quote: String,
    /// UTF-8 bytes into the source's extracted text; none where the quote was not found.
    pub start: Option<u64>,
    pub end: Option<u64>,
    /// SHA-256 of the source's extracted text.
    pub source_sha256: String,
    pub verdict: Verdict,
    /// Of runs of former versions: why it does not hold.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub faults: Vec<String>,
    /// The address of the statements: `3.4`, `3.4-6`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
}

/// What happens to an unsupported claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Unsupported {
    /// It is cut; the ledger keeps it.
    #[default]
    Cut,
    /// It is shown and marked.
    Mark,
}

/// The number of claims of a deliverable by verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Grounding {
    /// For a method with the full set of verdicts.
    Verdicts {
        quoted: u64,
        recomputed: u64,
        supported: u64,
        inferred: u64,
        /// Present only if not zero: an answer shows none.
        #[serde(default, skip_serializing_if = "is_none")]
        unread: u64,
        unsupported: u64,
    },
    /// For runs of former versions, whose claims were checked by rules over words.
    Rules { verified: u64, recomputed: u64, unsupported: u64 },
}

fn is_none(count: &u64) -> bool {
    *count == 0
}

/// The set of verdicts of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    Verdicts,
    Rules,
}

impl Layout {
    /// Returns the layout for a version of a method: `Rules` for former versions of methods that are older than verdicts.
    pub fn of(method: &str, version: u32) -> Layout {
        match (method, version) {
            ("ask", ..3) | ("hypothesize" | "market" | "debate" | "brief", ..2) => Layout::Rules,
            _ => Layout::Verdicts,
        }
    }
}

impl Grounding {
    pub fn of(ledger: &[Claim], layout: Layout) -> Grounding {
        let count = |verdict| ledger.iter().filter(|claim| claim.verdict == verdict).count() as u64;
        let recomputed = count(Verdict::Recomputed);
        let unsupported = count(Verdict::Unsupported);
        match layout {
            Layout::Verdicts => Grounding::Verdicts {
                quoted: count(Verdict::Quoted),
                recomputed,
                supported: count(Verdict::Supported),
                inferred: count(Verdict::Inferred),
                unread: count(Verdict::Unread),
                unsupported,
            },
            Layout::Rules => {
                Grounding::Rules { verified: count(Verdict::Verified), recomputed, unsupported }
            }
        }
    }
}

/// Numbers the citations that hold, in the order of appearance: one number, one quote.
pub fn number(ledger: &mut [Claim]) {
    let mut shown: Vec<(String, Option<u64>, Option<u64>)> = Vec::new();
    let holds = |citation: &&mut Citation| citation.verdict.holds();
    for citation in ledger.iter_mut().flat_map(|claim| &mut claim.citations).filter(holds) {
        let place = (citation.evidence_id.clone(), citation.start, citation.end);
        let index = shown.iter().position(|known| *known == place).unwrap_or_else(|| {
            shown.push(place);
            shown.len() - 1
        });
        citation.number = Some(index as u32 + 1);
    }
}

/// Returns `text` on one line, cut to a readable length.
pub fn one_line(text: &str) -> String {
    const LONGEST: usize = 1_000;
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    line.chars().take(LONGEST).collect()
}
