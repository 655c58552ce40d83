//! Enters what a scientist says: what cites is a claim of the ledger, what does not is an opinion, and what is neither goes back.

use std::collections::BTreeSet;

use run::analysis::tokens;
use run::evidence::Numbered;
use run::grounding;
use run::ledger::{self, Claim, Quoted, Verdict, Written};

use super::payload::Scientist;
use super::replies::{Discussion, Objection, Proposal, Review};
use crate::nearest;
use crate::opinion::{is_more, line, numbers};

/// Sentences taken of each part of a reply.
const MOST: usize = 40;

/// A sentence that was let in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Piece {
    pub(super) text: String,
    /// Its place among the claims; none for an opinion.
    pub(super) claim: Option<usize>,
}

/// What came of a reply.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Entered {
    pub(super) position: Vec<Piece>,
    pub(super) synthesis: Vec<Piece>,
    pub(super) critique: Vec<(String, Piece)>,
    pub(super) explanation: Vec<Piece>,
    pub(super) next_step: Vec<Piece>,
    pub(super) conclusion: String,
    pub(super) reason: String,
    pub(super) claims: Vec<Claim>,
    pub(super) failed: Vec<Claim>,
    /// What the scientist is told.
    pub(super) violations: Vec<String>,
}

impl Entered {
    /// Tells whether this is at least as good as what came of an earlier reply.
    pub(super) fn stands_beside(&self, earlier: &Entered) -> bool {
        let merit = |one: &Entered| one.claims.len() as i64 - one.violations.len() as i64;
        merit(self) >= merit(earlier)
    }
}

/// What a reply is held against.
pub(super) struct Bench<'a> {
    pub(super) evidence: &'a [Numbered],
    /// What the other scientist has said, turn by turn; empty before the first.
    pub(super) other: &'a [String],
    /// What else may be repeated: the question, the conversation before, code and its output.
    pub(super) given: &'a [&'a str],
    /// Of the response, at most.
    pub(super) tokens: usize,
}

/// A reply as it is entered.
pub(super) trait Speech {
    fn discussion(&self) -> &Discussion;
    fn explanation(&self) -> &[Written];
    fn code(&self) -> &str;
    fn conclusion(&self) -> &str;
    fn reason(&self) -> &str;
}

impl Speech for Proposal {
    fn discussion(&self) -> &Discussion {
        &self.discussion
    }

    fn explanation(&self) -> &[Written] {
        &self.explanation
    }

    fn code(&self) -> &str {
        &self.code.source
    }

    fn conclusion(&self) -> &str {
        &self.conclusion
    }

    fn reason(&self) -> &str {
        ""
    }
}

impl Speech for Review {
    fn discussion(&self) -> &Discussion {
        &self.discussion
    }

    fn explanation(&self) -> &[Written] {
        &[]
    }

    fn code(&self) -> &str {
        ""
    }

    fn conclusion(&self) -> &str {
        &self.conclusion
    }

    fn reason(&self) -> &str {
        &self.verification_reason
    }
}

/// Enters a reply.
pub(super) fn entered(speech: &impl Speech, bench: &Bench<'_>) -> Entered {
    let said = bench.evidence.iter().map(|one| one.evidence.text.as_str());
    let known = said
        .chain(bench.other.iter().map(String::as_str))
        .chain(bench.given.iter().copied())
        .chain([speech.code(), Scientist::Optimist.title(), Scientist::Pessimist.title()]);
    let mut clerk = Clerk {
        bench,
        known: known.flat_map(numbers).collect(),
        left: bench.tokens,
        is_over: false,
        entered: Entered::default(),
    };
    let Discussion { position, synthesis, critique, next_step } = speech.discussion();
    // A response without an end says nothing: there is always room for it.
    clerk.entered.conclusion = clerk.remark(speech.conclusion()).unwrap_or_default();
    clerk.entered.reason = clerk.remark(speech.reason()).unwrap_or_default();
    clerk.entered.position = clerk.pieces(position, false);
    clerk.entered.synthesis = clerk.pieces(synthesis, true);
    clerk.entered.critique = clerk.objections(critique);
    clerk.entered.explanation = clerk.pieces(speech.explanation(), false);
    clerk.entered.next_step = clerk.pieces(next_step, false);
    clerk.entered
}

struct Clerk<'a> {
    bench: &'a Bench<'a>,
    /// Numbers that somebody has given.
    known: BTreeSet<String>,
    /// Tokens that are left for the response.
    left: usize,
    is_over: bool,
    entered: Entered,
}

impl Clerk<'_> {
    fn object(&mut self, violation: impl Into<String>) {
        self.entered.violations.push(format!("- {}", violation.into()));
    }

    /// Counts a sentence that nothing bears out.
    fn unsupported(&mut self, text: String) {
        let verdict = Verdict::Unsupported;
        self.entered.failed.push(Claim {
            text,
            verdict,
            citations: Vec::new(),
            ..Claim::default()
        });
    }

    /// Enters sentences, each once; where they must cite, those that do not are left out.
    fn pieces(&mut self, written: &[Written], must_cite: bool) -> Vec<Piece> {
        let mut pieces: Vec<Piece> = Vec::new();
        for one in written.iter().take(MOST) {
            let text = line(&one.text);
            if text.is_empty() || pieces.iter().any(|known| known.text == text) {
                continue;
            }
            if must_cite && one.citations.is_empty() {
                self.object(format!("\"{text}\" cites nothing"));
                self.unsupported(text);
                continue;
            }
            pieces.extend(self.piece(&text, &one.citations));
        }
        pieces
    }

    fn objections(&mut self, objections: &[Objection]) -> Vec<(String, Piece)> {
        let mut taken: Vec<(String, Piece)> = Vec::new();
        for one in objections.iter().take(MOST) {
            let (quotation, text) = (quotation(&one.quotation), line(&one.text));
            if text.is_empty() {
                continue;
            }
            if self.bench.other.is_empty() {
                self.object(format!(
                    "\"{text}\" answers somebody, and nobody has spoken before you"
                ));
                continue;
            }
            let words = match self.words_of_the_other(&quotation) {
                Some(words) => words,
                None => {
                    self.object(format!(
                        "the quotation \"{quotation}\" does not stand in what the other scientist said; copy it exactly, three words at least"
                    ));
                    continue;
                }
            };
            let left = self.left;
            let fits = words.is_empty() || self.fits(&words);
            match self.piece(&text, &one.citations).filter(|_| fits) {
                Some(piece) => taken.push((words, piece)),
                None => self.left = left,
            }
        }
        taken
    }

    /// Returns the other's own words at a quotation, as they were said; none where they were not.
    fn words_of_the_other(&self, quotation: &str) -> Option<String> {
        if quotation.is_empty() {
            return Some(String::new());
        }
        self.bench.other.iter().rev().find_map(|said| {
            let span = grounding::span_of(said, quotation)?;
            said.get(span).map(ledger::one_line)
        })
    }

    /// Enters a sentence: as a claim that holds, or as an opinion that is no more than one.
    fn piece(&mut self, text: &str, citations: &[Quoted]) -> Option<Piece> {
        if let Some(wrong) = self.wrong(text) {
            self.object(wrong);
            self.unsupported(text.to_owned());
            return None;
        }
        if citations.is_empty() {
            if let Some(why) = is_more(text, &self.known) {
                self.object(format!("\"{text}\": {why}"));
                self.unsupported(text.to_owned());
                return None;
            }
            return self.fits(text).then(|| Piece { text: text.to_owned(), claim: None });
        }
        let citations = citations.iter().map(|one| self.quoted(text, one)).collect();
        let written = Written { text: text.to_owned(), citations };
        let claim = ledger::enter(&[written], self.bench.evidence).into_iter().next()?;
        if claim.verdict != Verdict::Verified {
            let told = ledger::violations(std::slice::from_ref(&claim));
            self.entered.violations.push(told.trim_end().to_owned());
            self.entered.failed.push(claim);
            return None;
        }
        if !self.fits(text) {
            return None;
        }
        let index = self.entered.claims.len();
        let text = claim.text.clone();
        self.entered.claims.push(claim);
        Some(Piece { text, claim: Some(index) })
    }

    /// Takes a remark that nothing checks; none where it is more than that.
    fn remark(&mut self, text: &str) -> Option<String> {
        let text = line(text);
        if text.is_empty() {
            return None;
        }
        let wrong = self
            .wrong(&text)
            .or_else(|| is_more(&text, &self.known).map(|why| format!("\"{text}\": {why}")));
        match wrong {
            None => self.fits(&text).then_some(text),
            Some(wrong) => {
                self.object(wrong);
                self.unsupported(text);
                None
            }
        }
    }

    /// Returns what is wrong with a sentence whatever it cites: it speaks of somebody who has not spoken, or quotes what nobody has said.
    fn wrong(&self, text: &str) -> Option<String> {
        if self.bench.other.is_empty() && speaks_of_the_other(text) {
            return Some(format!(
                "\"{text}\" speaks of another scientist, and none has spoken yet"
            ));
        }
        let invented = quoted_words(text).into_iter().find(|words| !self.was_said(words))?;
        Some(format!("\"{text}\" quotes \"{invented}\", which nobody has said"))
    }

    fn was_said(&self, words: &str) -> bool {
        let evidence = self.bench.evidence.iter().map(|one| one.evidence.text.as_str());
        let other = self.bench.other.iter().map(String::as_str);
        let mut texts = evidence.chain(other).chain(self.bench.given.iter().copied());
        texts.any(|text| grounding::span_of(text, words).is_some())
    }

    /// Returns a citation with its quote: one that came without is held against the sentence of the passage that is nearest to it.
    fn quoted(&self, text: &str, quoted: &Quoted) -> Quoted {
        let passage = self.bench.evidence.iter().find(|one| one.number == quoted.evidence);
        let (true, Some(passage)) = (quoted.quote.trim().is_empty(), passage) else {
            return quoted.clone();
        };
        nearest::quoted(text, passage, &[])
    }

    /// Tells whether a sentence still has room in the response, and takes it.
    fn fits(&mut self, text: &str) -> bool {
        match self.left.checked_sub(tokens(text)) {
            Some(left) if !self.is_over => {
                self.left = left;
                true
            }
            _ => {
                if !std::mem::replace(&mut self.is_over, true) {
                    let most = self.bench.tokens;
                    self.object(format!("the response is longer than {most} tokens; be briefer"));
                }
                false
            }
        }
    }
}

/// Returns a quotation without the marks around it.
fn quotation(text: &str) -> String {
    let text = ledger::one_line(&grounding::clean(text));
    text.trim_matches(|c: char| c.is_whitespace() || "\"“”„«»'‘’".contains(c)).to_owned()
}

/// Returns what a sentence puts between quotation marks, as far as it is more than a name or a term.
fn quoted_words(text: &str) -> Vec<&str> {
    const FEWEST_WORDS: usize = 4;
    const PAIRS: [(char, char); 4] = [('"', '"'), ('“', '”'), ('„', '“'), ('«', '»')];
    let mut found = Vec::new();
    for (open, close) in PAIRS {
        let mut rest = text;
        while let Some((_, after)) = rest.split_once(open) {
            let Some((words, behind)) = after.split_once(close) else { break };
            if words.split_whitespace().count() >= FEWEST_WORDS {
                found.push(words.trim_end_matches([',', '.', ';']));
            }
            rest = behind;
        }
    }
    found
}

/// Tells whether a sentence speaks of another scientist in the debate.
fn speaks_of_the_other(text: &str) -> bool {
    const NAMES: [&str; 10] = [
        "scientist 2",
        "my opponent",
        "the opponent",
        "my colleague",
        "the pessimist",
        "the reviewer",
        "other scientist",
        "previous speaker",
        "their critique",
        "your critique",
    ];
    let text = text.to_lowercase();
    NAMES.iter().any(|name| text.contains(name))
}

#[cfg(test)]
mod tests;
