//! From what the agents reply to hypotheses that hold together: every field filled, every citation looked up, objections and replies
//! in pairs. What the program supplied is marked as such.

use std::collections::BTreeSet;

use run::analysis::{Language, terms};
use run::evidence::Numbered;
use run::extract::Bm25;
use run::ledger::{self, Citation, Claim, Verdict, Written};
use run::{Mode, grounding};

use super::diversity::similarity;
use super::pairwise::Standing;
use super::payload::Origin;
use super::replies::{Contested, Critique, Generated, Proposed, Review};
use super::summa::FEWEST_OBJECTIONS;
use super::unbacked::{self, UNSUPPORTED};

/// Below this similarity a revision is another hypothesis (docs/decisions/diversity.md: other mechanisms on one question reach 0.14).
const ANOTHER: f64 = 0.15;
/// Characters of a text of an agent's.
const LONGEST: usize = 1_500;
/// More of a kind than this are not taken from an agent.
const MOST_OBJECTIONS: usize = 8;
const MOST_SENTENCES: usize = 8;

/// A hypothesis on its way through the stages.
#[derive(Debug, Clone)]
pub(super) struct Candidate {
    pub(super) id: String,
    pub(super) title: String,
    pub(super) statement: String,
    pub(super) mechanism: String,
    pub(super) novelty: String,
    pub(super) plausibility: String,
    pub(super) testability: String,
    pub(super) impact: String,
    pub(super) predictions: Vec<String>,
    pub(super) experiments: Vec<String>,
    /// What it rests on, as the ledger has it.
    pub(super) support: Vec<Claim>,
    pub(super) contests: Vec<Contest>,
    pub(super) origin: Origin,
    /// The fields that the program filled in.
    pub(super) fallbacks: Vec<&'static str>,
    /// Statement and mechanism as they were proposed, where the critic revised them.
    pub(super) proposed: Option<(String, String)>,
    /// None before the ranking.
    pub(super) standing: Option<Standing>,
}

/// An objection and its reply.
#[derive(Debug, Clone)]
pub(super) struct Contest {
    pub(super) objection: String,
    /// What the literature says for the objection, where the agent quoted some of it.
    pub(super) backing: Option<Claim>,
    pub(super) objection_origin: Origin,
    pub(super) reply: String,
    pub(super) reply_origin: Origin,
}

impl Contest {
    /// Returns the objection, marked where what it quotes does not bear it out.
    pub(super) fn objection(&self) -> String {
        let fails = |claim: &Claim| claim.verdict == Verdict::Unsupported;
        let mark = if self.backing.as_ref().is_some_and(fails) { UNSUPPORTED } else { "" };
        format!("{}{mark}", self.objection)
    }
}

impl Candidate {
    /// Returns the citations that a quote bears out, every place of the literature once, each with its claim.
    pub(super) fn supporting(&self) -> Vec<(&Claim, &Citation)> {
        let mut places = BTreeSet::new();
        let mut supporting = Vec::new();
        for claim in &self.support {
            for citation in claim.citations.iter().filter(|one| one.verdict == Verdict::Verified) {
                if places.insert((&citation.evidence_id, citation.start, citation.end)) {
                    supporting.push((claim, citation));
                }
            }
        }
        supporting
    }

    /// Takes the critic's wording back; tells whether there was one.
    pub(super) fn as_first_worded(&mut self) -> bool {
        let Some((statement, mechanism)) = self.proposed.take() else { return false };
        (self.statement, self.mechanism) = (statement, mechanism);
        self.refill();
        true
    }

    /// Makes what the program supplied anew from the statement.
    fn refill(&mut self) {
        for field in &self.fallbacks {
            match *field {
                "title" => self.title = beginning(&self.statement, TITLE),
                "falsifiable_predictions" => self.predictions = vec![prediction(&self.statement)],
                _ => {}
            }
        }
    }

    /// Returns what tells it from others.
    pub(super) fn core(&self) -> String {
        if self.fallbacks.contains(&"mechanism") {
            self.statement.clone()
        } else {
            format!("{} {}", self.statement, self.mechanism)
        }
    }
}

/// What the agents' texts are read against.
#[derive(Clone, Copy)]
pub(super) struct Reader<'a> {
    pub(super) evidence: &'a [Numbered],
    pub(super) mode: Mode,
}

impl Reader<'_> {
    fn origin(self) -> Origin {
        match self.mode {
            Mode::Model => Origin::Model,
            Mode::Offline => Origin::Extractive,
        }
    }

    /// Returns an agent's free text on one line, without marks of its own; a sentence that names a source is marked as unsupported.
    pub(super) fn text(self, said: &str) -> String {
        let text = ledger::without_marks(&grounding::clean(said));
        let words: Vec<&str> = text.split_whitespace().collect();
        let text = beginning(&words.join(" "), LONGEST);
        match self.mode {
            Mode::Model => unbacked::marked(&without_verdicts(&text)).0,
            // It is a sentence of a source, quoted as it stands.
            Mode::Offline => text,
        }
    }

    /// Enters claims, at most so many, every one once.
    pub(super) fn entered(self, written: &[Written], most: usize) -> Vec<Claim> {
        let mut claims: Vec<Claim> = Vec::new();
        for written in written {
            let citations = written.citations.iter().take(MOST_SENTENCES).cloned().collect();
            let written = Written { text: written.text.clone(), citations };
            let entered = ledger::enter(&[written], self.evidence);
            for claim in entered {
                if !claims.contains(&claim) {
                    claims.push(claim);
                }
            }
            if claims.len() == most {
                break;
            }
        }
        claims
    }

    fn texts(self, said: &[String]) -> Vec<String> {
        let texts = said.iter().map(|text| self.text(text));
        texts.filter(|text| !text.is_empty()).take(MOST_SENTENCES).collect()
    }

    /// Returns the hypotheses of a reply, at most so many, numbered in their order; what has no statement is none, and nothing is one twice.
    pub(super) fn proposed(self, generated: &Generated, most: usize) -> Vec<Candidate> {
        let mut candidates: Vec<Candidate> = Vec::new();
        for proposed in &generated.hypotheses {
            let statement = self.text(&proposed.statement);
            let same = |known: &Candidate| known.statement.eq_ignore_ascii_case(&statement);
            if statement.is_empty() || candidates.iter().any(same) || candidates.len() == most {
                continue;
            }
            let id = format!("H{}", candidates.len() + 1);
            candidates.push(self.candidate(id, statement, proposed));
        }
        candidates
    }

    fn candidate(self, id: String, statement: String, proposed: &Proposed) -> Candidate {
        let mut fallbacks = Vec::new();
        let mut field = |name: &'static str, said: &str, otherwise: &str| {
            let text = self.text(said);
            if text.is_empty() {
                fallbacks.push(name);
                return otherwise.to_owned();
            }
            text
        };
        let title = field("title", &proposed.title, &beginning(&statement, TITLE));
        let mechanism = field("mechanism", &proposed.mechanism, "No mechanism was given.");
        let novelty = field(
            "novelty_rationale",
            &proposed.novelty_rationale,
            "Why this is new was not said.",
        );
        let plausibility = field(
            "plausibility_rationale",
            &proposed.plausibility_rationale,
            "Why this may hold was not said, beyond what it cites.",
        );
        let testability = field(
            "testability_rationale",
            &proposed.testability_rationale,
            "How well this can be tested was not said.",
        );
        let impact =
            field("impact_rationale", &proposed.impact_rationale, "What follows was not said.");
        let mut list = |name: &'static str, said: &[String], otherwise: String| {
            let texts = self.texts(said);
            if texts.is_empty() {
                fallbacks.push(name);
                return vec![otherwise];
            }
            texts
        };
        let predictions = list(
            "falsifiable_predictions",
            &proposed.falsifiable_predictions,
            prediction(&statement),
        );
        let experiments = list(
            "minimal_experiments",
            &proposed.minimal_experiments,
            "Test the statement on data that none of the cited works used, with the result that would refute it fixed beforehand."
                .to_owned(),
        );
        Candidate {
            id,
            title,
            statement,
            mechanism,
            novelty,
            plausibility,
            testability,
            impact,
            predictions,
            experiments,
            support: self.entered(&proposed.support, MOST_SENTENCES),
            proposed: None,
            contests: Vec::new(),
            origin: self.origin(),
            fallbacks,
            standing: None,
        }
    }

    /// Enters the critic's reviews; returns how many were of no hypothesis, or of one a second time.
    pub(super) fn reviewed(self, candidates: &mut [Candidate], critique: &Critique) -> usize {
        let of = |id: &str| {
            let mut reviews = critique.reviews.iter();
            reviews.find(|review| review.hypothesis_id.trim().eq_ignore_ascii_case(id))
        };
        let mut used = 0;
        for candidate in candidates.iter_mut() {
            // What was brought against one that is not reviewed again stands.
            if let Some(review) = of(&candidate.id) {
                used += 1;
                self.review(candidate, review);
            }
        }
        contested(candidates);
        critique.reviews.len() - used
    }

    fn review(self, candidate: &mut Candidate, review: &Review) {
        let contests = review.objections.iter().filter_map(|contested| self.contest(contested));
        candidate.contests = contests.take(MOST_OBJECTIONS).collect();
        let [statement, mechanism] =
            [&review.revised_statement, &review.revised_mechanism].map(|text| self.text(text));
        let revised = |text: &String, now: &String| {
            let text = if text.is_empty() { now } else { text };
            text.clone()
        };
        let mut as_revised = candidate.clone();
        as_revised.statement = revised(&statement, &candidate.statement);
        as_revised.mechanism = revised(&mechanism, &candidate.mechanism);
        if !mechanism.is_empty() {
            as_revised.fallbacks.retain(|field| *field != "mechanism");
        }
        let (first, now) = (&candidate.statement, &as_revised.statement);
        // What shares next to nothing with it is another hypothesis, and what was quoted for this one is not for that.
        let is_another = now != first && similarity(first, now) < ANOTHER;
        if is_another || candidate.core() == as_revised.core() {
            return;
        }
        let proposed = (candidate.statement.clone(), candidate.mechanism.clone());
        as_revised.proposed = candidate.proposed.take().or(Some(proposed));
        as_revised.refill();
        *candidate = as_revised;
    }

    fn contest(self, contested: &Contested) -> Option<Contest> {
        let Contested { objection, citations, reply } = contested;
        let objection = self.text(objection);
        if objection.is_empty() {
            return None;
        }
        let backing = (!citations.is_empty()).then(|| {
            let citations = citations.iter().take(MOST_SENTENCES).cloned().collect();
            let written = Written { text: objection.clone(), citations };
            ledger::enter(&[written], self.evidence).into_iter().next()
        });
        let reply = self.text(reply);
        let (reply, reply_origin) = if reply.is_empty() {
            (NO_REPLY.to_owned(), Origin::Fallback)
        } else {
            (reply, self.origin())
        };
        Some(Contest {
            objection,
            backing: backing.flatten(),
            objection_origin: self.origin(),
            reply,
            reply_origin,
        })
    }
}

/// Returns a prediction that any statement makes.
fn prediction(statement: &str) -> String {
    format!(
        "Data that none of the cited works used would show it again; it is refuted if they do not: {}",
        beginning(statement, INSERTED)
    )
}

/// Takes out what an agent writes as if the program had checked it: `[verified]`, `(verified by …)`.
pub(super) fn without_verdicts(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(open) = rest.find(['[', '(']) {
        let (before, from) = rest.split_at(open);
        let inside = from[1..].split([']', ')']).next().unwrap_or_default();
        let word = inside.trim_start().get(.."verified".len()).unwrap_or_default();
        let is_verdict = word.eq_ignore_ascii_case("verified") && from.len() > inside.len() + 1;
        kept.push_str(if is_verdict { before.trim_end() } else { before });
        let end = if is_verdict { inside.len() + 2 } else { 1 };
        if !is_verdict {
            kept.push_str(&from[..1]);
        }
        rest = &from[end..];
    }
    kept.push_str(rest);
    kept
}

const NO_REPLY: &str = "No reply was given; the test plan says what would decide.";
/// Characters of a title made from a statement, and of a text put into another.
const TITLE: usize = 80;
const INSERTED: usize = 300;

/// Returns the beginning of a text, cut between words where it is longer than so many characters.
pub(super) fn beginning(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let cut: String = text.chars().take(most).collect();
    let whole = cut.rsplit_once(' ').map_or(cut.as_str(), |(whole, _)| whole);
    format!("{}…", whole.trim_end_matches([',', ';', ':', '.']))
}

/// Fills up the objections of every hypothesis, each with its reply.
pub(super) fn contested(candidates: &mut [Candidate]) {
    let rivals: Vec<String> = (0..candidates.len())
        .map(|index| rival_of(candidates, index).unwrap_or_default())
        .collect();
    for (candidate, rival) in candidates.iter_mut().zip(rivals) {
        supply(candidate, &rival);
    }
}

/// Returns the statement that another hypothesis sets against this one: the first other one's.
fn rival_of(candidates: &[Candidate], index: usize) -> Option<String> {
    let mut others = candidates.iter().enumerate().filter(|(other, _)| *other != index);
    others.next().map(|(_, other)| beginning(&other.statement, INSERTED))
}

/// Fills up the objections of a hypothesis, each with its reply.
fn supply(candidate: &mut Candidate, rival: &str) {
    let experiment = beginning(candidate.experiments.first().map_or("", String::as_str), INSERTED);
    let prediction = beginning(candidate.predictions.first().map_or("", String::as_str), INSERTED);
    let behind = match candidate.supporting().len() {
        0 => "No sentence of the literature that was found bears it out.".to_owned(),
        1 => "A single sentence of the literature that was found bears it out.".to_owned(),
        several => {
            format!("Only {several} sentences of the literature that was found bear it out.")
        }
    };
    let other = if rival.is_empty() {
        "What is observed may have a cause that its mechanism does not name.".to_owned()
    } else {
        format!("What is observed may have another explanation: {rival}")
    };
    let supplied = [
        (
            behind,
            "It is put forward as a conjecture, and what it predicts can refute it.".to_owned(),
        ),
        (other, format!("The test plan is to decide between them: {experiment}")),
        (
            "A result in its favour might be expected without it as well.".to_owned(),
            format!("The result that would refute it is therefore fixed beforehand: {prediction}"),
        ),
    ];
    let missing = FEWEST_OBJECTIONS.saturating_sub(candidate.contests.len());
    candidate.contests.extend(supplied.into_iter().take(missing).map(|(objection, reply)| {
        let backing = None;
        let (objection_origin, reply_origin) = (Origin::Fallback, Origin::Fallback);
        Contest { objection, backing, objection_origin, reply, reply_origin }
    }));
}

/// Returns the passage of the evidence whose words are nearest to the text; none where none shares a word.
pub(super) fn nearest<'a>(text: &str, evidence: &'a [Numbered]) -> Option<&'a Numbered> {
    let said: Vec<Vec<String>> =
        evidence.iter().map(|one| terms(&one.evidence.text, Language::English)).collect();
    let scores = Bm25::new(&said).scores(&terms(text, Language::English));
    let best = scores
        .iter()
        .enumerate()
        .max_by(|(first, one), (second, other)| one.total_cmp(other).then(second.cmp(first)));
    best.filter(|(_, score)| **score > 0.0).and_then(|(index, _)| evidence.get(index))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    // proves: C4
    #[test]
    fn no_mark_and_no_verdict_of_an_agents_own_is_kept() {
        let reader = Reader { evidence: &[], mode: Mode::Model };
        for (said, kept) in [
            ("It holds [1; 2] (verified).", "It holds."),
            ("It holds. [Verified by the program] So.", "It holds. So."),
            ("It holds (verify it) [sic].", "It holds (verify it) [sic]."),
            ("It holds [evidence 1].", "It holds [evidence 1]. [unsupported]"),
        ] {
            assert_eq!(reader.text(said), kept);
        }
        let long = reader.text(&"word ".repeat(1_000));
        assert!(long.ends_with('…') && long.chars().count() <= LONGEST + 1, "{long}");
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        // proves: C4, H3
        #[test]
        fn no_text_of_an_agents_keeps_a_mark(said in r"(?s)([\[\](),;0-9 a-z\n–^．【】]|verified|H2|.){0,40}") {
            let reader = Reader { evidence: &[], mode: Mode::Model };
            let text = reader.text(&said);
            prop_assert!(run::marks::marks(&text).is_empty(), "{:?} of {:?}", text, said);
        }
    }
}
