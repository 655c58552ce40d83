//! The claims of a deliverable, each bound to the place that bears it out.
//!
//! A writer states claims and quotes for each the evidence it rests on. The ledger looks every quote
//! up in that evidence and checks the claim against it ([`crate::grounding`]). What does not hold
//! goes back to the writer once; what still fails is cut, or shown as unsupported, and counted.

use std::fmt::Write as _;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::evidence::Numbered;
use crate::grounding::{self, Passage};
use ::grounding::check::Fault;
use ::grounding::derive::Derivation;
pub use ::grounding::marks::without_marks;

/// A claim as a writer states it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
// What is missing reads as empty: such a claim holds nothing up, and its writer hears of it.
#[serde(default)]
pub struct Written {
    /// One sentence of the answer, without citation marks.
    pub text: String,
    /// What the sentence rests on. A sentence without citations is not shown as fact.
    pub citations: Vec<Quoted>,
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
    /// The quote stands in the source at the span, and the claim agrees with it by rules over words.
    Verified,
    /// The hard checks hold, and nobody has read it.
    Unread,
    #[default]
    Unsupported,
}

impl Verdict {
    /// Tells whether a claim of this verdict may be shown as one that holds.
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
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Claim {
    pub text: String,
    pub verdict: Verdict,
    pub citations: Vec<Citation>,
    /// Why it does not hold; empty where it does.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub faults: Vec<Fault>,
    /// The claims that a conclusion rests on, counted from 1 in the ledger.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rests_on: Vec<u32>,
    /// How its numbers come about that do not stand in its statements.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub derivations: Vec<Derivation>,
    /// Where it stands in the deliverable's text, marks included; none where it is not shown there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shown: Option<Shown>,
}

/// A stretch of a deliverable's text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shown {
    /// UTF-8 bytes.
    pub start: u64,
    pub end: u64,
}

impl Claim {
    /// Returns the marks that it is shown with, each once, in their order.
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
    /// Why it is not verified.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub faults: Vec<String>,
    /// The address of the statements: `3.4`, `3.4-6`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
}

/// What becomes of a claim that nothing bears out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Unsupported {
    /// It is left out; the ledger keeps it.
    #[default]
    Cut,
    /// It is shown and marked.
    Mark,
}

/// How many claims of a deliverable came to which verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Grounding {
    /// Of a method that tells five verdicts apart.
    Verdicts {
        quoted: u64,
        recomputed: u64,
        supported: u64,
        inferred: u64,
        /// Told only where there are such: an answer shows none.
        #[serde(default, skip_serializing_if = "is_none")]
        unread: u64,
        unsupported: u64,
    },
    /// Of one whose claims are checked by rules over words, and of every run before there were five.
    Rules { verified: u64, recomputed: u64, unsupported: u64 },
}

fn is_none(count: &u64) -> bool {
    *count == 0
}

/// Which verdicts a run tells apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    Verdicts,
    Rules,
}

impl Layout {
    /// Returns the layout that runs of a version of a method have.
    pub fn of(method: &str, version: u32) -> Layout {
        match (method, version) {
            ("ask", 3..) | ("check", _) => Layout::Verdicts,
            _ => Layout::Rules,
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

/// Enters the claims: every quote is looked up in its evidence, every claim checked against it.
pub fn enter(written: &[Written], evidence: &[Numbered]) -> Vec<Claim> {
    written
        .iter()
        .filter_map(|claim| {
            let text = one_line(&without_marks(&grounding::clean(&claim.text)));
            if text.is_empty() {
                return None;
            }
            let citations: Vec<Citation> =
                claim.citations.iter().map(|quoted| look_up(&text, quoted, evidence)).collect();
            let holds = citations.iter().any(|citation| citation.verdict == Verdict::Verified);
            let verdict = if holds { Verdict::Verified } else { Verdict::Unsupported };
            Some(Claim { text, verdict, citations, ..Claim::default() })
        })
        .collect()
}

fn look_up(claim: &str, quoted: &Quoted, evidence: &[Numbered]) -> Citation {
    let Some(Numbered { evidence, .. }) = evidence.iter().find(|one| one.number == quoted.evidence)
    else {
        return Citation {
            number: None,
            evidence_id: String::new(),
            source_uri: String::new(),
            title: String::new(),
            section: String::new(),
            page: None,
            quote: grounding::clean(&quoted.quote),
            start: None,
            end: None,
            source_sha256: String::new(),
            verdict: Verdict::Unsupported,
            faults: vec![format!("there is no evidence [{}]", quoted.evidence)],
            address: None,
        };
    };
    let place = &evidence.provenance.place;
    // Read word by word: a title may have been brought onto one line, or stand in Markdown.
    let plain = |text: &str| {
        let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        words.map(str::to_lowercase).collect::<Vec<String>>()
    };
    let work = evidence.provenance.work.as_ref();
    let is_title = work.is_some_and(|work| plain(&work.title) == plain(&place.section));
    let passage = Passage { text: &evidence.text, section: &place.section, is_title };
    let checked = grounding::check(claim, &passage, &quoted.quote);
    let found = checked.span.clone().and_then(|span| evidence.text.get(span));
    let start = checked.span.as_ref().map(|span| place.start + span.start as u64);
    Citation {
        number: None,
        evidence_id: evidence.evidence_id.clone(),
        source_uri: evidence.source_uri.clone(),
        title: place.title.clone(),
        section: place.section.clone(),
        page: start.and_then(|start| place.page_at(start)),
        quote: found.map_or_else(|| grounding::clean(&quoted.quote), str::to_owned),
        start,
        end: checked.span.as_ref().map(|span| place.start + span.end as u64),
        source_sha256: place.source_sha256.clone(),
        verdict: if checked.verified() { Verdict::Verified } else { Verdict::Unsupported },
        faults: checked.faults.iter().map(ToString::to_string).collect(),
        address: None,
    }
}

/// Returns what does not hold, as the writer is told it; empty when every claim stands.
pub fn violations(ledger: &[Claim]) -> String {
    let mut told = String::new();
    for claim in ledger.iter().filter(|claim| claim.verdict == Verdict::Unsupported) {
        let _ = writeln!(told, "- \"{}\"", claim.text);
        if claim.citations.is_empty() {
            told.push_str("  it cites nothing\n");
        }
        // The quote itself may be the source's own words, which enter a prompt only between their marks.
        for (index, citation) in claim.citations.iter().enumerate() {
            let _ = writeln!(told, "  citation {}: {}", index + 1, citation.faults.join("; "));
        }
    }
    told
}

/// Numbers the citations that hold, in the order in which they are shown: one number, one quote.
pub fn number(ledger: &mut [Claim]) {
    let mut shown: Vec<(String, Option<u64>, Option<u64>)> = Vec::new();
    let verified = |citation: &&mut Citation| citation.verdict == Verdict::Verified;
    for citation in ledger.iter_mut().flat_map(|claim| &mut claim.citations).filter(verified) {
        let place = (citation.evidence_id.clone(), citation.start, citation.end);
        let index = shown.iter().position(|known| *known == place).unwrap_or_else(|| {
            shown.push(place);
            shown.len() - 1
        });
        citation.number = Some(index as u32 + 1);
    }
}

/// Returns the claims as running Markdown text, each followed by its marks `[n]`.
///
/// A claim that begins with a list mark or a heading keeps a line of its own.
pub fn text(ledger: &[Claim], unsupported: Unsupported) -> String {
    let mut page = String::new();
    for claim in ledger {
        if claim.verdict == Verdict::Unsupported && unsupported == Unsupported::Cut {
            continue;
        }
        if !page.is_empty() {
            page.push_str(if is_line(&claim.text) { "\n" } else { " " });
        }
        page.push_str(&claim.text);
        for number in claim.numbers() {
            let _ = write!(page, " [{number}]");
        }
        if claim.verdict == Verdict::Unsupported {
            page.push_str(" [unsupported]");
        }
    }
    page
}

/// Returns `text` on one line, and no longer than a reader takes in.
pub fn one_line(text: &str) -> String {
    const LONGEST: usize = 1_000;
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    line.chars().take(LONGEST).collect()
}

fn is_line(text: &str) -> bool {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    text.starts_with("- ")
        || text.starts_with("* ")
        || (digits > 0 && text[digits..].starts_with(". "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::tests::evidence;

    fn written(text: &str, number: u32, quote: &str) -> Written {
        Written {
            text: text.into(),
            citations: vec![Quoted { evidence: number, quote: quote.into() }],
        }
    }

    fn two_pieces() -> Vec<Numbered> {
        vec![
            evidence(
                1,
                "Tides",
                "Springs",
                "Spring tides come twice each lunar month. They follow the new moon by 2 days.",
            ),
            evidence(
                2,
                "Waves",
                "Swell",
                "Swell from distant storms can travel 10,000 km across the Pacific.",
            ),
        ]
    }

    // proves: C4, C13
    #[test]
    fn a_claim_that_its_quote_bears_out_is_bound_to_the_span_in_the_source() {
        let evidence = two_pieces();
        let claims = [written(
            "Spring tides come twice each lunar month. [1]",
            1,
            "Spring tides come twice each lunar month",
        )];
        let mut ledger = enter(&claims, &evidence);
        number(&mut ledger);
        let citation = &ledger[0].citations[0];
        assert_eq!(ledger[0].verdict, Verdict::Verified, "{:?}", citation.faults);
        assert_eq!(
            (citation.start, citation.end),
            (Some(10), Some(50)),
            "the passage begins at byte 10 of its source"
        );
        assert_eq!(
            text(&ledger, Unsupported::Cut),
            "Spring tides come twice each lunar month. [1]"
        );
    }

    // proves: C4, C13
    #[test]
    fn what_does_not_hold_is_cut_or_marked_and_counted() {
        let evidence = two_pieces();
        let claims = [
            written(
                "Swell can travel 10,000 km across the Pacific.",
                2,
                "Swell from distant storms can travel 10,000 km across the Pacific",
            ),
            written(
                "Swell can travel 20,000 km across the Pacific.",
                2,
                "Swell from distant storms can travel 10,000 km across the Pacific",
            ),
            written(
                "Swell can travel 10,000 km across the Pacific.",
                1,
                "Swell from distant storms can travel 10,000 km across the Pacific",
            ),
            written("Swell can travel far.", 7, "Swell from distant storms"),
            Written { text: "Waves are fun.".into(), citations: vec![] },
        ];
        let mut ledger = enter(&claims, &evidence);
        number(&mut ledger);
        assert_eq!(
            Grounding::of(&ledger, Layout::Rules),
            Grounding::Rules { verified: 1, recomputed: 0, unsupported: 4 }
        );
        assert_eq!(
            text(&ledger, Unsupported::Cut),
            "Swell can travel 10,000 km across the Pacific. [1]"
        );
        assert_eq!(text(&ledger, Unsupported::Mark).matches("[unsupported]").count(), 4);
        let told = violations(&ledger);
        assert!(told.contains("no evidence [7]") && told.contains("cites nothing"), "{told}");
    }
}
