//! Plain-text replies: a discussion under headings, and marker lines at its end.
//!
//! A model asked for an object may still answer in the documented plain-text form. Its markers are parsed leniently, but only at the very
//! end of its own reply: a marker further up, or in a quoted paper, is plain text.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Deserializer};

use ::grounding::address::cited;
use run::ledger::Written;

use super::payload::{Agreement, Answer, Validation, Viability};
use super::replies::{Code, Discussion, Objection, Proposal, Review};

/// The words before the colon of a marker line, in lower case.
const NAMES: [&str; 6] =
    ["agreement", "viability", "validation", "answer", "verification reason", "conclusion"];
/// Maximum number of sentences read from a reply.
const MOST_SENTENCES: usize = 60;

/// Reads a proposal; `None` if it has no ending.
pub(super) fn proposal(text: &str) -> Option<Proposal> {
    let (body, markers) = parted(text)?;
    let (body, code) = without_code(&body);
    Some(Proposal {
        discussion: discussion(&body),
        explanation: Vec::new(),
        code,
        agreement: value(&markers, "agreement").unwrap_or_default(),
        viability: value(&markers, "viability").unwrap_or_default(),
        conclusion: markers.get("conclusion").cloned().unwrap_or_default(),
    })
}

/// Reads a review; `None` if it has no ending that states a verdict.
pub(super) fn review(text: &str) -> Option<Review> {
    let (body, markers) = parted(text)?;
    let (body, _) = without_code(&body);
    let read = |name: &str| markers.get(name).cloned().unwrap_or_default();
    let review = Review {
        discussion: discussion(&body),
        agreement: value(&markers, "agreement").unwrap_or_default(),
        viability: value(&markers, "viability"),
        validation: value(&markers, "validation"),
        answer: value(&markers, "answer"),
        verification_reason: read("verification reason"),
        conclusion: read("conclusion"),
    };
    (review.viability.is_some() || review.answer.is_some()).then_some(review)
}

/// Splits a text from the markers at its end; `None` if there are none or two of them contradict each other.
fn parted(text: &str) -> Option<(String, BTreeMap<&'static str, String>)> {
    let text = run::grounding::clean(text);
    let lines: Vec<&str> = text.lines().collect();
    let mut markers: BTreeMap<&'static str, String> = BTreeMap::new();
    let (mut end, mut is_fenced) = (lines.len(), false);
    while let Some(line) = end.checked_sub(1).and_then(|last| lines.get(last)) {
        if is_fence(line) {
            match (is_fenced, markers.is_empty()) {
                (true, _) => is_fenced = false,
                (false, true) => is_fenced = true,
                // The end of an earlier fence.
                (false, false) => break,
            }
        } else if !line.trim().is_empty() {
            let Some((name, said)) = marker(line) else { break };
            match markers.get(name) {
                Some(known) if *known != said => return None,
                _ => markers.insert(name, said),
            };
        }
        end -= 1;
    }
    // Markers in a fence with other text are a quotation.
    if is_fenced {
        return None;
    }
    // A single marker line may be a sentence of the discussion.
    let telling = markers.contains_key("answer") || markers.len() >= 2;
    let body = lines.get(..end).unwrap_or_default().join("\n");
    telling.then_some((body, markers))
}

/// Reads a marker line, ignoring Markdown marks and bullets. A block quote is not the scientist's own.
fn marker(line: &str) -> Option<(&'static str, String)> {
    if line.trim_start().starts_with('>') {
        return None;
    }
    let bare = |text: &str| {
        text.trim_matches(|c: char| c.is_whitespace() || "*_`#>-•".contains(c)).to_owned()
    };
    let (name, said) = line.split_once([':', '：'])?;
    let name = bare(name).to_lowercase().replace('_', " ");
    let name = NAMES.into_iter().find(|known| *known == name)?;
    Some((name, bare(said)))
}

fn is_fence(line: &str) -> bool {
    let line = line.trim();
    line.starts_with("```") || line.starts_with("~~~")
}

/// Takes the fenced code out of a text: all blocks in Python or without a language as one file, otherwise the first block.
fn without_code(text: &str) -> (String, Code) {
    let (mut body, mut blocks) = (Vec::new(), Vec::new());
    let mut open: Option<(String, Vec<&str>)> = None;
    for line in text.lines() {
        match (&mut open, is_fence(line)) {
            (None, true) => {
                let language = line.trim().trim_matches(['`', '~', ' ']).to_lowercase();
                open = Some((language, Vec::new()));
            }
            (Some(_), true) => blocks.extend(open.take()),
            (Some((_, lines)), false) => lines.push(line),
            (None, false) => body.push(line),
        }
    }
    blocks.extend(open);
    let is_python = |language: &str| matches!(language, "" | "python" | "python3" | "py");
    let python: Vec<String> = blocks
        .iter()
        .filter(|(language, _)| is_python(language))
        .map(|(_, lines)| lines.join("\n"))
        .collect();
    let code = match (python.is_empty(), blocks.first()) {
        (false, _) => Code { language: "python".into(), source: python.join("\n\n") },
        (true, Some((language, lines))) => {
            Code { language: language.clone(), source: lines.join("\n") }
        }
        (true, None) => Code::default(),
    };
    (body.join("\n"), code)
}

/// The part of a discussion that a line belongs to.
#[derive(Clone, Copy)]
enum Part {
    Position,
    Synthesis,
    Critique,
    NextStep,
    /// Ignored: the program writes the references.
    References,
}

fn discussion(body: &str) -> Discussion {
    let mut said = Discussion::default();
    let mut part = Part::Position;
    let mut left = MOST_SENTENCES;
    for line in body.lines() {
        if let Some(next) = heading(line) {
            part = next;
            continue;
        }
        for written in marked(line) {
            if left == 0 {
                break;
            }
            left -= 1;
            match part {
                Part::Position => said.position.push(written),
                Part::Synthesis => said.synthesis.push(written),
                Part::NextStep => said.next_step.push(written),
                Part::Critique => {
                    let Written { text, cites, .. } = written;
                    said.critique.push(Objection { text, cites, ..Objection::default() });
                }
                Part::References => {}
            }
        }
    }
    said
}

/// Returns the sentences of a line with the addresses that they cite. A citation after a full stop belongs to the sentence before it.
fn marked(line: &str) -> Vec<Written> {
    let mut found: Vec<Written> = Vec::new();
    for span in text::sentences(line) {
        let sentence = line.get(span).unwrap_or_default();
        let text = plain_sentence(sentence);
        let mut cites = Vec::new();
        for citation in cited(sentence) {
            let before = sentence.get(..citation.span.start).unwrap_or_default();
            let leads = !plain_sentence(before).contains(char::is_alphanumeric);
            let addresses = citation.addresses.iter().map(ToString::to_string);
            match found.last_mut() {
                Some(last) if leads => last.cites.extend(addresses),
                _ => cites.extend(addresses),
            }
        }
        if text.contains(char::is_alphanumeric) {
            found.push(Written { text, cites, ..Written::default() });
        }
    }
    found
}

/// Returns a sentence without citations and leading list marks.
fn plain_sentence(sentence: &str) -> String {
    let text = crate::grounded::docket::plain(sentence);
    text.trim_start_matches(|c: char| c.is_whitespace() || "*-#>•".contains(c)).to_owned()
}

/// Returns the part that a heading begins.
fn heading(line: &str) -> Option<Part> {
    const LONGEST: usize = 60;
    let bare = |c: char| c.is_whitespace() || c.is_numeric() || "*_`#>-.:()".contains(c);
    let name = line.trim_matches(bare).to_lowercase();
    if name.len() > LONGEST {
        return None;
    }
    Some(match name.as_str() {
        "position" | "opinion" | "proposal" => Part::Position,
        "evidence synthesis" | "evidence" | "synthesis" => Part::Synthesis,
        "critique" | "criticism" | "review" => Part::Critique,
        "next verification step" | "next step" | "next steps" => Part::NextStep,
        "references" | "references (apa 7" | "references apa" | "references (apa" => {
            Part::References
        }
        _ => return None,
    })
}

/// Returns the value of a marker; `None` if it is missing or unknown.
fn value<T: Marker>(markers: &BTreeMap<&'static str, String>, name: &str) -> Option<T> {
    T::read(markers.get(name)?)
}

/// A marker with a fixed set of values.
trait Marker: Sized {
    /// Reads the variants that people and models write.
    fn read(said: &str) -> Option<Self>;
}

/// Normalises a value for comparison: lower case, single spaces, without anything after it.
fn plain(said: &str) -> String {
    let said = said.to_lowercase().replace(['_', '-'], " ");
    let said: Vec<&str> = said
        .split(|c: char| !(c.is_alphanumeric() || c == '/' || c == ' '))
        .next()
        .unwrap_or_default()
        .split_whitespace()
        .collect();
    said.join(" ")
}

impl Marker for Agreement {
    fn read(said: &str) -> Option<Agreement> {
        match plain(said).as_str() {
            "agree" | "agrees" | "yes" => Some(Agreement::Agree),
            "disagree" | "disagrees" | "no" => Some(Agreement::Disagree),
            _ => None,
        }
    }
}

impl Marker for Viability {
    fn read(said: &str) -> Option<Viability> {
        match plain(said).as_str() {
            "viable" | "yes" => Some(Viability::Viable),
            "not viable" | "notviable" | "nonviable" | "non viable" | "unviable" | "no" => {
                Some(Viability::NotViable)
            }
            _ => None,
        }
    }
}

impl Marker for Validation {
    fn read(said: &str) -> Option<Validation> {
        match plain(said).as_str() {
            "pass" | "passed" | "passes" => Some(Validation::Pass),
            "fail" | "failed" | "fails" => Some(Validation::Fail),
            "n/a" | "na" | "not applicable" | "none" => Some(Validation::NotApplicable),
            _ => None,
        }
    }
}

impl Marker for Answer {
    fn read(said: &str) -> Option<Answer> {
        match plain(said).as_str() {
            "verified" => Some(Answer::Verified),
            "unverified" | "not verified" => Some(Answer::Unverified),
            _ => None,
        }
    }
}

fn tolerant<'de, T: Marker, D: Deserializer<'de>>(
    deserializer: D,
    wanted: impl fmt::Display,
) -> Result<T, D::Error> {
    let said = String::deserialize(deserializer)?;
    T::read(&said).ok_or_else(|| {
        let said: String = said.chars().take(60).collect();
        serde::de::Error::custom(format!("'{said}' is not {wanted}"))
    })
}

impl<'de> Deserialize<'de> for Agreement {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Agreement, D::Error> {
        tolerant(deserializer, "AGREE or DISAGREE")
    }
}

impl<'de> Deserialize<'de> for Viability {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Viability, D::Error> {
        tolerant(deserializer, "VIABLE or NOT_VIABLE")
    }
}

impl<'de> Deserialize<'de> for Validation {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Validation, D::Error> {
        tolerant(deserializer, "PASS, FAIL or N/A")
    }
}

impl<'de> Deserialize<'de> for Answer {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Answer, D::Error> {
        tolerant(deserializer, "VERIFIED or UNVERIFIED")
    }
}

#[cfg(test)]
mod tests;
