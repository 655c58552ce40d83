//! From the agents' replies to consistent hypotheses: every field filled, every citation looked up, objections and replies in pairs. What
//! the program supplied is marked.

use std::collections::BTreeSet;

use ::grounding::check::Shown;
use extract::Bm25;
use run::Mode;
use run::evidence::Numbered;
use run::ledger::{Citation, Claim, Written};
use text::{Language, terms};

use super::diversity::similarity;
use super::pairwise::Standing;
use super::payload::Origin;
use super::replies::{Contested, Critique, Generated, Proposed, Review};
use super::summa::FEWEST_OBJECTIONS;
use crate::grounded::docket::{Docket, Judged, Sentence, plain};
use crate::grounded::free::conjecture;

/// A revision less similar than this is another hypothesis (docs/decisions/diversity.md: other mechanisms on one question reach 0.14).
const ANOTHER: f64 = 0.15;
/// Maximum number of characters in an agent's text.
const LONGEST: usize = 1_500;
/// Maximum numbers of items taken from an agent.
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
    /// The claims that it rests on, as in the ledger.
    pub(super) support: Vec<Claim>,
    pub(super) contests: Vec<Contest>,
    /// Objections whose citations do not support them.
    pub(super) refused: Vec<Claim>,
    pub(super) origin: Origin,
    /// The fields that the program filled in.
    pub(super) fallbacks: Vec<&'static str>,
    /// The statement and mechanism as first proposed, if the critic revised them.
    pub(super) proposed: Option<(String, String)>,
    /// `None` before the ranking.
    pub(super) standing: Option<Standing>,
}

/// An objection and its reply.
#[derive(Debug, Clone)]
pub(super) struct Contest {
    pub(super) objection: String,
    /// The claim behind the objection, if the agent cited literature for it.
    pub(super) backing: Option<Claim>,
    pub(super) objection_origin: Origin,
    pub(super) reply: String,
    pub(super) reply_origin: Origin,
}

impl Candidate {
    /// Returns the citations that hold, each with its claim and each place of the literature once.
    pub(super) fn supporting(&self) -> Vec<(&Claim, &Citation)> {
        let mut places = BTreeSet::new();
        let mut supporting = Vec::new();
        for claim in &self.support {
            for citation in claim.citations.iter().filter(|one| one.verdict.holds()) {
                if places.insert((&citation.evidence_id, citation.start, citation.end)) {
                    supporting.push((claim, citation));
                }
            }
        }
        supporting
    }

    /// Restores the wording from before the critic's revision; returns whether there was one.
    pub(super) fn as_first_worded(&mut self) -> bool {
        let Some((statement, mechanism)) = self.proposed.take() else { return false };
        (self.statement, self.mechanism) = (statement, mechanism);
        self.refill();
        true
    }

    /// Regenerates what the program supplied from the statement.
    fn refill(&mut self) {
        for field in &self.fallbacks {
            match *field {
                "title" => self.title = beginning(&self.statement, TITLE),
                "falsifiable_predictions" => self.predictions = vec![prediction(&self.statement)],
                _ => {}
            }
        }
    }

    /// Returns the text that distinguishes it from other hypotheses.
    pub(super) fn core(&self) -> String {
        if self.fallbacks.contains(&"mechanism") {
            self.statement.clone()
        } else {
            format!("{} {}", self.statement, self.mechanism)
        }
    }
}

/// The context for reading the agents' texts.
#[derive(Clone, Copy)]
pub(super) struct Reader<'a> {
    /// Everything that the agent was shown.
    pub(super) shown: &'a Shown,
    pub(super) mode: Mode,
}

impl Reader<'_> {
    fn origin(self) -> Origin {
        match self.mode {
            Mode::Model => Origin::Model,
            Mode::Offline => Origin::Extractive,
        }
    }

    /// Returns an agent's free text on one line, without marks; a sentence that names a source is marked as unsupported.
    pub(super) fn text(self, said: &str) -> String {
        let text = match self.mode {
            Mode::Model => conjecture(said, self.shown),
            // A sentence of a source, quoted verbatim.
            Mode::Offline => plain(said),
        };
        beginning(&text, LONGEST)
    }

    /// Enters up to `most` claims, without duplicates.
    pub(super) fn entered(
        self,
        written: &[Written],
        most: usize,
        docket: &mut Docket<'_>,
    ) -> Vec<Claim> {
        let mut claims: Vec<Claim> = Vec::new();
        let sentences = written.iter().map(Sentence::of).map(capped);
        for sentence in sentences.filter(|one| !one.words.is_empty()).take(most) {
            if let Some(Judged { claim, .. }) = docket.judged(&sentence)
                && !claims.contains(&claim)
            {
                claims.push(claim);
            }
        }
        claims
    }

    fn texts(self, said: &[String]) -> Vec<String> {
        let texts = said.iter().map(|text| self.text(text));
        texts.filter(|text| !text.is_empty()).take(MOST_SENTENCES).collect()
    }

    /// Returns up to `most` hypotheses of a reply, numbered in order, without duplicates and those without a statement.
    pub(super) fn proposed(
        self,
        generated: &Generated,
        most: usize,
        docket: &mut Docket<'_>,
    ) -> Vec<Candidate> {
        let mut candidates: Vec<Candidate> = Vec::new();
        for proposed in &generated.hypotheses {
            let statement = self.text(&proposed.statement);
            let same = |known: &Candidate| known.statement.eq_ignore_ascii_case(&statement);
            if statement.is_empty() || candidates.iter().any(same) || candidates.len() == most {
                continue;
            }
            let id = format!("H{}", candidates.len() + 1);
            candidates.push(self.candidate(id, statement, proposed, docket));
        }
        candidates
    }

    fn candidate(
        self,
        id: String,
        statement: String,
        proposed: &Proposed,
        docket: &mut Docket<'_>,
    ) -> Candidate {
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
            "No reason why this is new was given.",
        );
        let plausibility = field(
            "plausibility_rationale",
            &proposed.plausibility_rationale,
            "No reason why this may be true was given, beyond what it cites.",
        );
        let testability = field(
            "testability_rationale",
            &proposed.testability_rationale,
            "How well this can be tested was not stated.",
        );
        let impact =
            field("impact_rationale", &proposed.impact_rationale, "What follows was not stated.");
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
            "Test the statement on new data that none of the cited works used. Say beforehand which result would refute it."
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
            support: self.entered(&proposed.support, MOST_SENTENCES, docket),
            proposed: None,
            contests: Vec::new(),
            refused: Vec::new(),
            origin: self.origin(),
            fallbacks,
            standing: None,
        }
    }

    /// Enters the critic's reviews; returns the number of reviews of unknown hypotheses or repeated ones.
    pub(super) fn reviewed(
        self,
        candidates: &mut [Candidate],
        critique: &Critique,
        docket: &mut Docket<'_>,
    ) -> usize {
        let of = |id: &str| {
            let mut reviews = critique.reviews.iter();
            reviews.find(|review| review.hypothesis_id.trim().eq_ignore_ascii_case(id))
        };
        let mut used = 0;
        for candidate in candidates.iter_mut() {
            // A hypothesis that is not reviewed again keeps its objections.
            if let Some(review) = of(&candidate.id) {
                used += 1;
                self.review(candidate, review, docket);
            }
        }
        contested(candidates);
        critique.reviews.len() - used
    }

    fn review(self, candidate: &mut Candidate, review: &Review, docket: &mut Docket<'_>) {
        candidate.contests.clear();
        for contested in review.objections.iter().take(MOST_OBJECTIONS) {
            match self.contest(contested, docket) {
                Some(Ok(contest)) => candidate.contests.push(contest),
                Some(Err(refused)) => candidate.refused.push(refused),
                None => {}
            }
        }
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
        // A revision with almost nothing in common is another hypothesis, to which these quotes do not apply.
        let is_another = now != first && similarity(first, now) < ANOTHER;
        if is_another || candidate.core() == as_revised.core() {
            return;
        }
        let proposed = (candidate.statement.clone(), candidate.mechanism.clone());
        as_revised.proposed = candidate.proposed.take().or(Some(proposed));
        as_revised.refill();
        *candidate = as_revised;
    }

    /// Enters an objection; `None` if it is empty or its citations have not been judged yet. An objection that its citations do not support
    /// is returned as the failed claim.
    fn contest(
        self,
        contested: &Contested,
        docket: &mut Docket<'_>,
    ) -> Option<Result<Contest, Claim>> {
        let Contested { objection, cites, citations, reply } = contested;
        let (objection, backing) = if cites.is_empty() && citations.is_empty() {
            (self.text(objection), None)
        } else {
            let (text, cites) = (objection.clone(), cites.clone());
            let citations = citations.clone();
            let sentence = capped(Sentence::of(&Written { text, cites, citations }));
            let judged =
                (!sentence.words.is_empty()).then(|| docket.judged(&sentence)).flatten()?;
            if !judged.holds() {
                return Some(Err(judged.claim));
            }
            (judged.words, Some(judged.claim))
        };
        if objection.is_empty() {
            return None;
        }
        let reply = self.text(reply);
        let (reply, reply_origin) = if reply.is_empty() {
            (NO_REPLY.to_owned(), Origin::Fallback)
        } else {
            (reply, self.origin())
        };
        Some(Ok(Contest {
            objection,
            backing,
            objection_origin: self.origin(),
            reply,
            reply_origin,
        }))
    }
}

/// Returns a sentence with at most as many citations as are checked.
fn capped(mut sentence: Sentence) -> Sentence {
    sentence.cites.truncate(MOST_SENTENCES);
    sentence.quotes.truncate(MOST_SENTENCES);
    sentence
}

/// Returns a generic prediction for any statement.
fn prediction(statement: &str) -> String {
    format!(
        "New data, used by none of the cited works, show the same; if they do not, this is refuted: {}",
        beginning(statement, INSERTED)
    )
}

const NO_REPLY: &str = "No reply was written; the test plan says what would decide.";
/// Characters of a title made from a statement, and of a text inserted into another.
const TITLE: usize = 80;
const INSERTED: usize = 300;

/// Returns the beginning of a text, cut between words if it is longer than `most` characters.
pub(super) fn beginning(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let cut: String = text.chars().take(most).collect();
    let whole = cut.rsplit_once(' ').map_or(cut.as_str(), |(whole, _)| whole);
    format!("{}…", whole.trim_end_matches([',', ';', ':', '.']))
}

/// Adds the missing objections of every hypothesis, each with its reply.
pub(super) fn contested(candidates: &mut [Candidate]) {
    let rivals: Vec<String> = (0..candidates.len())
        .map(|index| rival_of(candidates, index).unwrap_or_default())
        .collect();
    for (candidate, rival) in candidates.iter_mut().zip(rivals) {
        supply(candidate, &rival);
    }
}

/// Returns the statement of the rival hypothesis: the first other one.
fn rival_of(candidates: &[Candidate], index: usize) -> Option<String> {
    let mut others = candidates.iter().enumerate().filter(|(other, _)| *other != index);
    others.next().map(|(_, other)| beginning(&other.statement, INSERTED))
}

/// Adds the missing objections of a hypothesis, each with its reply.
fn supply(candidate: &mut Candidate, rival: &str) {
    let experiment = beginning(candidate.experiments.first().map_or("", String::as_str), INSERTED);
    let prediction = beginning(candidate.predictions.first().map_or("", String::as_str), INSERTED);
    let behind = match candidate.supporting().len() {
        0 => "No sentence in the literature found bears it out.".to_owned(),
        1 => "Only one sentence in the literature found bears it out.".to_owned(),
        several => {
            format!("Only {several} sentences in the literature found bear it out.")
        }
    };
    let other = if rival.is_empty() {
        "What is observed may have a cause that its mechanism does not name.".to_owned()
    } else {
        format!("What is observed may have another explanation: {rival}")
    };
    let supplied = [
        (behind, "It is a conjecture, and its predictions can refute it.".to_owned()),
        (other, format!("The test plan is to decide between them: {experiment}")),
        (
            "A result in its favour might also be expected without it.".to_owned(),
            format!("The result that would refute it is therefore stated beforehand: {prediction}"),
        ),
    ];
    let missing = FEWEST_OBJECTIONS.saturating_sub(candidate.contests.len());
    candidate.contests.extend(supplied.into_iter().take(missing).map(|(objection, reply)| {
        let backing = None;
        let (objection_origin, reply_origin) = (Origin::Fallback, Origin::Fallback);
        Contest { objection, backing, objection_origin, reply, reply_origin }
    }));
}

/// Returns the passage of the evidence whose words are nearest to the text; `None` if no passage shares a word.
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
    fn a_text_of_an_agents_is_no_longer_than_anybody_reads() {
        let reader = Reader { shown: &Shown::default(), mode: Mode::Model };
        let long = reader.text(&"word ".repeat(1_000));
        assert!(long.chars().count() <= LONGEST + 1, "{long}");
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        // proves: C4, H3
        #[test]
        fn no_text_of_an_agents_keeps_a_mark(said in r"(?s)([\[\](),;0-9 a-z\n–^．【】]|supported|H2|.){0,40}") {
            let reader = Reader { shown: &Shown::default(), mode: Mode::Model };
            let text = reader.text(&said);
            prop_assert!(run::marks::marks(&text).is_empty(), "{:?} of {:?}", text, said);
        }
    }
}
