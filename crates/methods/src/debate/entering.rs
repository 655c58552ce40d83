//! Enters a scientist's reply: a sentence that cites is a claim of the ledger, one that does not is a conclusion from what holds, and
//! anything else goes back.

use ::grounding::check::Shown;
use ::grounding::locate::Finder;
use ::grounding::statement::Source;
use run::evidence::{EvidenceKind, Numbered};
use run::ledger::{self, Claim, Verdict, Written};
use run::{Mode, grounding};
use text::count_tokens;

use super::payload::Scientist;
use super::replies::{Discussion, Objection, Proposal, Review};
use crate::grounded::docket::{Docket, Judged, Sentence, plain};
use crate::grounded::free::is_more;

/// Maximum number of sentences taken from each part of a reply.
const MOST: usize = 40;

/// A sentence that was admitted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Piece {
    pub(super) text: String,
    /// The index of its claim; `None` for a remark.
    pub(super) claim: Option<usize>,
}

/// The outcome of a reply.
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
    /// The violations to report to the scientist.
    pub(super) violations: Vec<String>,
}

impl Entered {
    /// Returns whether this is at least as good as the outcome of an earlier reply.
    pub(super) fn stands_beside(&self, earlier: &Entered) -> bool {
        let merit = |one: &Entered| one.claims.len() as i64 - one.violations.len() as i64;
        merit(self) >= merit(earlier)
    }
}

/// The context that a reply is checked against.
pub(super) struct ReplyCheck<'a> {
    pub(super) evidence: &'a [Numbered],
    /// What the other scientist has said: the number of each turn, and its sentences; empty if they have not spoken.
    pub(super) other: &'a [(usize, Vec<String>)],
    /// Other text that may be repeated: the question, the conversation before, code and its output.
    pub(super) given: &'a [&'a str],
    /// Maximum number of tokens in the response.
    pub(super) tokens: usize,
    pub(super) mode: Mode,
}

impl ReplyCheck<'_> {
    fn said_by_the_other(&self) -> impl Iterator<Item = &str> {
        self.other.iter().flat_map(|(_, sentences)| sentences).map(String::as_str)
    }
}

/// A reply that can be entered.
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
pub(super) fn entered(
    speech: &impl Speech,
    reply_check: &ReplyCheck<'_>,
    docket: &mut Docket<'_>,
) -> Entered {
    let said = reply_check.evidence.iter().map(|one| one.evidence.text.as_str());
    let known = said
        .chain(reply_check.said_by_the_other())
        .chain(reply_check.given.iter().copied())
        .chain([speech.code(), Scientist::Optimist.title(), Scientist::Pessimist.title()]);
    let mut clerk = Clerk {
        reply_check,
        docket,
        shown: Shown::of(known),
        basis: Vec::new(),
        concluded: Vec::new(),
        is_settled: true,
        left: reply_check.tokens,
        is_over: false,
        entered: Entered::default(),
    };
    let Discussion { position, synthesis, critique, next_step } = speech.discussion();
    clerk.found(position.iter().chain(synthesis).chain(speech.explanation()), critique);
    // The conclusion and the reason come first, so that there is always room for them.
    clerk.entered.conclusion = clerk.remark(speech.conclusion()).unwrap_or_default();
    clerk.entered.reason = clerk.remark(speech.reason()).unwrap_or_default();
    clerk.entered.position = clerk.pieces(position, Uncited::Concluded);
    clerk.entered.synthesis = clerk.pieces(synthesis, Uncited::Refused);
    clerk.entered.critique = clerk.objections(critique);
    clerk.entered.explanation = clerk.pieces(speech.explanation(), Uncited::Remark);
    clerk.entered.next_step = clerk.pieces(next_step, Uncited::Remark);
    clerk.name_grounds();
    clerk.entered
}

/// How to treat a sentence that cites nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Uncited {
    /// As a conclusion from what the scientist has stated.
    Concluded,
    /// As a remark on what a program does or what to do next, which states no facts.
    Remark,
    Refused,
}

struct Clerk<'a, 'd> {
    reply_check: &'a ReplyCheck<'a>,
    docket: &'a mut Docket<'d>,
    /// Everything that was shown or said.
    shown: Shown,
    /// The scientist's statements that hold, from which conclusions are drawn.
    basis: Vec<Claim>,
    /// The indices of the claims that are such conclusions.
    concluded: Vec<usize>,
    /// Whether `basis` is complete.
    is_settled: bool,
    /// Tokens left for the response.
    left: usize,
    is_over: bool,
    entered: Entered,
}

impl Clerk<'_, '_> {
    /// Collects the cited statements that hold.
    fn found<'w>(&mut self, written: impl Iterator<Item = &'w Written>, critique: &[Objection]) {
        let objections = critique.iter().map(Objection::written);
        let sentences = written.cloned().chain(objections).map(|one| self.sentence(&one));
        let cited: Vec<Sentence> = sentences.filter(is_cited).collect();
        for sentence in cited {
            match self.docket.judged(&sentence) {
                None => self.is_settled = false,
                Some(judged) if judged.holds() && !self.basis.contains(&judged.claim) => {
                    self.basis.push(judged.claim);
                }
                Some(_) => {}
            }
        }
    }

    /// Returns a sentence ready to be judged; `X1` stands for the execution of the code.
    fn sentence(&self, written: &Written) -> Sentence {
        let mut evidence = self.reply_check.evidence.iter().rev();
        let execution = evidence.find(|one| one.evidence.kind == EvidenceKind::Execution);
        let number = execution.map_or(0, |one| one.number);
        let meant = |cite: &String| {
            let bare = cite.trim().trim_matches(['[', ']']);
            match bare.strip_prefix(['X', 'x']) {
                Some(rest) => {
                    let behind =
                        rest.split_once('.').map_or(String::new(), |(_, at)| format!(".{at}"));
                    format!("{number}{behind}")
                }
                None => cite.clone(),
            }
        };
        let sentence = Sentence::of(written);
        let cites = sentence.cites.iter().take(MOST).map(meant).collect();
        Sentence { cites, ..sentence }
    }

    /// Sets the claims of this response that each conclusion rests on, counted from 1.
    fn name_grounds(&mut self) {
        let Clerk { basis, concluded, entered, .. } = self;
        let numbered = entered.claims.iter().zip(1_u32..);
        let grounds: Vec<u32> =
            numbered.filter(|(claim, _)| basis.contains(claim)).map(|(_, number)| number).collect();
        for index in concluded {
            if let Some(claim) = entered.claims.get_mut(*index) {
                claim.rests_on.clone_from(&grounds);
            }
        }
    }

    fn object(&mut self, violation: impl Into<String>) {
        self.entered.violations.push(format!("- {}", violation.into()));
    }

    /// Records a sentence that nothing supports.
    fn unsupported(&mut self, text: String) {
        let verdict = Verdict::Unsupported;
        self.entered.failed.push(Claim {
            text,
            verdict,
            citations: Vec::new(),
            ..Claim::default()
        });
    }

    /// Enters sentences, skipping duplicates.
    fn pieces(&mut self, written: &[Written], uncited: Uncited) -> Vec<Piece> {
        let mut texts: Vec<String> = Vec::new();
        let mut pieces: Vec<Piece> = Vec::new();
        for one in written.iter().take(MOST) {
            let sentence = self.sentence(one);
            if sentence.words.is_empty() || texts.contains(&sentence.words) {
                continue;
            }
            texts.push(sentence.words.clone());
            pieces.extend(self.piece(sentence, uncited, &[]));
        }
        pieces
    }

    fn objections(&mut self, objections: &[Objection]) -> Vec<(String, Piece)> {
        let mut taken: Vec<(String, Piece)> = Vec::new();
        for one in objections.iter().take(MOST) {
            let sentence = self.sentence(&one.written());
            let text = sentence.words.clone();
            if text.is_empty() {
                continue;
            }
            if self.reply_check.other.is_empty() {
                self.object(format!(
                    "\"{text}\" answers somebody, and nobody has spoken before you"
                ));
                continue;
            }
            let quotation = strip_quotes(&one.quotation);
            let words = match self.words_of_the_other(&quotation) {
                Some(words) => words,
                None => {
                    self.object(format!(
                        "\"{quotation}\" is no sentence of the other scientist: give its address in the debate so far"
                    ));
                    continue;
                }
            };
            let left = self.left;
            let fits = words.is_empty() || self.fits(&words);
            // That the other said it is a fact, whether or not they are right.
            let said = (!words.is_empty()).then(|| Claim {
                text: words.clone(),
                verdict: Verdict::Quoted,
                ..Claim::default()
            });
            match self.piece(sentence, Uncited::Concluded, said.as_slice()).filter(|_| fits) {
                Some(piece) => taken.push((words, piece)),
                None => self.left = left,
            }
        }
        taken
    }

    /// Returns the other's exact words at an address or in a quotation; `None` if they did not say them.
    fn words_of_the_other(&self, quotation: &str) -> Option<String> {
        if quotation.is_empty() {
            return Some(String::new());
        }
        if let Some((turn, at)) = turn_address(quotation) {
            let (_, said) = self.reply_check.other.iter().find(|(number, _)| *number == turn)?;
            return said.get(at.checked_sub(1)?).cloned();
        }
        self.reply_check.other.iter().rev().find_map(|(_, said)| {
            let text = said.join("\n\n");
            let source = Source::of(&text);
            let (first, last) = Finder::of(&source).exactly(quotation)?;
            source.run(first, last).map(ledger::one_line)
        })
    }

    /// Enters a sentence as a claim that holds, a conclusion from such claims, or a mere remark.
    fn piece(&mut self, sentence: Sentence, uncited: Uncited, also: &[Claim]) -> Option<Piece> {
        let text = sentence.words.clone();
        if let Some(wrong) = self.wrong(&text) {
            self.object(wrong);
            self.unsupported(text);
            return None;
        }
        let is_concluded = !is_cited(&sentence);
        let sentence = match (is_concluded, uncited) {
            (false, _) => sentence,
            (true, Uncited::Remark) => {
                let text = self.remark(&text)?;
                return Some(Piece { text, claim: None });
            }
            (true, Uncited::Refused) => {
                self.object(format!("\"{text}\" cites nothing"));
                self.unsupported(text);
                return None;
            }
            // Its basis is not known yet.
            (true, Uncited::Concluded) if !self.is_settled => return None,
            (true, Uncited::Concluded) => {
                let basis: Vec<Claim> = self.basis.iter().chain(also).cloned().collect();
                if basis.is_empty() || self.reply_check.mode == Mode::Offline {
                    self.object(format!(
                        "\"{text}\" cites nothing, and nothing that you cite holds"
                    ));
                    self.unsupported(text);
                    return None;
                }
                Sentence::from_claims(&text, basis)
            }
        };
        let Judged { claim, words } = self.docket.judged(&sentence)?;
        if !claim.verdict.holds() {
            self.entered.failed.push(claim);
            return None;
        }
        // A replacement must meet the same rules.
        if let Some(wrong) = (words != text).then(|| self.wrong(&words)).flatten() {
            self.object(wrong);
            self.unsupported(words);
            return None;
        }
        if !self.fits(&words) {
            return None;
        }
        let index = self.entered.claims.len();
        if is_concluded && claim.verdict == Verdict::Inferred {
            self.concluded.push(index);
        }
        self.entered.claims.push(claim);
        Some(Piece { text: words, claim: Some(index) })
    }

    /// Accepts a remark without checking it; `None` if it is more than a remark.
    fn remark(&mut self, text: &str) -> Option<String> {
        let text = plain(text);
        if text.is_empty() {
            return None;
        }
        let wrong = self
            .wrong(&text)
            .or_else(|| is_more(&text, &self.shown).map(|why| format!("\"{text}\": {why}")));
        match wrong {
            None => self.fits(&text).then_some(text),
            Some(wrong) => {
                self.object(wrong);
                self.unsupported(text);
                None
            }
        }
    }

    /// Returns what is wrong with a sentence whatever it cites: it mentions a scientist who has not spoken, or quotes words that were never
    /// said.
    fn wrong(&self, text: &str) -> Option<String> {
        if self.reply_check.other.is_empty() && speaks_of_the_other(text) {
            return Some(format!(
                "\"{text}\" speaks of another scientist, and none has spoken yet"
            ));
        }
        let invented = quoted_words(text).into_iter().find(|words| !self.was_said(words))?;
        Some(format!("\"{text}\" quotes \"{invented}\", which nobody has said"))
    }

    fn was_said(&self, words: &str) -> bool {
        let evidence = self.reply_check.evidence.iter().map(|one| one.evidence.text.as_str());
        let said =
            self.reply_check.said_by_the_other().chain(self.reply_check.given.iter().copied());
        evidence.chain(said).any(|text| Finder::of(&Source::of(text)).exactly(words).is_some())
    }

    /// Reserves room for a sentence in the response; returns whether there was enough.
    fn fits(&mut self, text: &str) -> bool {
        match self.left.checked_sub(count_tokens(text)) {
            Some(left) if !self.is_over => {
                self.left = left;
                true
            }
            _ => {
                if !std::mem::replace(&mut self.is_over, true) {
                    let most = self.reply_check.tokens;
                    self.object(format!("the response is longer than {most} tokens; be briefer"));
                }
                false
            }
        }
    }
}

impl Objection {
    /// Returns the objection as a sentence that cites.
    fn written(&self) -> Written {
        let Objection { text, cites, citations, .. } = self;
        Written { text: text.clone(), cites: cites.clone(), citations: citations.clone() }
    }
}

fn is_cited(sentence: &Sentence) -> bool {
    !sentence.cites.is_empty() || !sentence.quotes.is_empty()
}

/// Returns a quotation without the surrounding quotation marks.
fn strip_quotes(text: &str) -> String {
    let text = ledger::one_line(&grounding::clean(text));
    text.trim_matches(|c: char| c.is_whitespace() || "\"“”„«»'‘’[]".contains(c)).to_owned()
}

/// Reads the address of a sentence of the debate: `T2.3` is sentence 3 of turn 2.
fn turn_address(text: &str) -> Option<(usize, usize)> {
    let (turn, at) = text.strip_prefix(['T', 't'])?.split_once('.')?;
    Some((turn.parse().ok()?, at.parse().ok()?))
}

/// Returns the quotations in a sentence that are longer than a name or a term.
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

/// Returns whether a sentence mentions the other scientist.
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
