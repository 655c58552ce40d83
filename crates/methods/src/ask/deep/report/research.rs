//! Rounds of research: looks each question up, reads what is found, and notes what it says, until nothing is left open or the rounds are
//! spent.
//!
//! A note is an existing statement: its address, and what it says in a few words. What two sources say in the same words is noted once,
//! from the one found first, for every question that it serves. An agent that sees the notes of a question judges whether it is answered,
//! and names what to look up next.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write as _;

use futures::future::join_all;
use grounding::address::cited;
use papers::in_turn;
use run::evidence::{Numbered, Passage};
use run::library::Search;
use run::material::{Material, Place};
use run::{Agent, Mode, Reply, Result, Run, Stop};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::depth::Measure;
use crate::ask::deep::Inquiry;
use crate::ask::deep::board::Board;
use crate::ask::deep::brief::SubQuestion;
use crate::ask::extractive::Looked;
use crate::ask::outside::look_up;
use crate::ask::relevance::relevant_of;
use crate::ask::{remarks, search_in};
use crate::grounded::docket::plain;
use crate::outside::{self, distinct, packed_by, together};

pub(super) const NOTE_TAKER: Agent = Agent {
    name: "note_taker",
    prompt: "ask/note_taker",
    text: include_str!("../../../../prompts/ask/note_taker.md"),
};
pub(super) const COVERAGE_JUDGE: Agent = Agent {
    name: "coverage_judge",
    prompt: "ask/coverage_judge",
    text: include_str!("../../../../prompts/ask/coverage_judge.md"),
};

/// What a note taker writes down.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Notes {
    #[schemars(length(max = 40))]
    pub notes: Vec<Noted>,
}

/// A statement that bears on a question.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Noted {
    /// Its address: `3.4`, of several in a row `3.4-6`.
    #[schemars(length(max = 40))]
    pub at: String,
    /// What it says to the question, in a few words.
    #[schemars(length(max = 240))]
    pub says: String,
}

impl Reply for Notes {}

/// How far the notes answer a question.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Judged {
    /// What is still open, one thing each.
    #[schemars(length(max = 6), inner(length(max = 240)))]
    pub missing: Vec<String>,
    /// What to look up next, a few words each.
    #[schemars(length(max = 3), inner(length(max = 200)))]
    pub queries: Vec<String>,
    /// Whether the notes answer the question.
    pub answered: bool,
}

impl Reply for Judged {}

/// A noted statement.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Note {
    #[serde(serialize_with = "address")]
    pub(super) place: Place,
    pub(super) says: String,
    /// The indices of the questions that it serves, first the one that it was taken for.
    pub(super) questions: Vec<usize>,
}

fn address<S: serde::Serializer>(place: &Place, to: S) -> std::result::Result<S::Ok, S::Error> {
    to.serialize_str(&place.address())
}

/// A question of the report, and its outcome.
#[derive(Debug, Serialize)]
pub struct Inquired {
    #[serde(flatten)]
    pub(super) asked: SubQuestion,
    /// Number of statements noted for it.
    pub(super) notes: usize,
    pub(super) answered: bool,
    pub(super) open: Vec<String>,
    /// Number of rounds that looked it up.
    pub(super) rounds: u32,
    /// Whether all of its notes were judged.
    #[serde(skip)]
    judged: bool,
    /// The terms to look up next.
    #[serde(skip)]
    terms: Vec<String>,
    #[serde(skip)]
    tried: BTreeSet<String>,
    /// The numbers of the evidence read for it.
    #[serde(skip)]
    read: BTreeSet<u32>,
}

impl Inquired {
    fn of(asked: &SubQuestion) -> Inquired {
        /// The question itself, and its search terms.
        const MOST_TERMS: usize = 4;
        let mut terms = asked.terms();
        terms.truncate(MOST_TERMS);
        Inquired {
            asked: asked.clone(),
            notes: 0,
            answered: false,
            open: vec![],
            rounds: 0,
            judged: false,
            terms,
            tried: BTreeSet::new(),
            read: BTreeSet::new(),
        }
    }

    fn is_open(&self) -> bool {
        !self.answered && !self.terms.is_empty()
    }
}

/// What was read and noted.
#[derive(Debug, Default)]
pub(in super::super) struct Research {
    pub(super) questions: Vec<Inquired>,
    pub(super) notes: Vec<Note>,
    /// In the order of its numbers.
    pub(super) evidence: Vec<Numbered>,
    /// The words of the noted statements, each with the index of its note, so that none is noted twice.
    said: HashMap<String, usize>,
    /// The collections of what was read outside.
    pub(super) collections: Vec<String>,
}

impl Research {
    fn of(questions: &[SubQuestion]) -> Research {
        Research { questions: questions.iter().map(Inquired::of).collect(), ..Research::default() }
    }

    /// Returns whether anything is still to be looked up.
    pub(in super::super) fn is_open(&self) -> bool {
        self.questions.iter().any(Inquired::is_open)
    }

    /// Returns the evidence with this number.
    pub(super) fn evidence_of(&self, number: u32) -> Option<&Numbered> {
        let at = self.evidence.binary_search_by_key(&number, |one| one.number).ok()?;
        self.evidence.get(at)
    }

    /// Returns the note with this number, from 1.
    pub(super) fn note_of(&self, number: u32) -> Option<&Note> {
        self.notes.get((number as usize).checked_sub(1)?)
    }

    /// Returns the title of a note's source.
    pub(super) fn title(&self, note: &Note) -> String {
        let source = self.evidence_of(note.place.evidence);
        source.map(|one| plain(&one.evidence.provenance.place.title)).unwrap_or_default()
    }

    /// Returns the notes of a question, with their numbers, from 1.
    pub(super) fn notes_of(&self, question: usize) -> impl Iterator<Item = (u32, &Note)> {
        (1..).zip(&self.notes).filter(move |(_, note)| note.questions.contains(&question))
    }

    /// Takes over the judgement of each question.
    pub(super) fn judge(&mut self, judged: Vec<Option<Judged>>) {
        for (inquired, judged) in self.questions.iter_mut().zip(judged) {
            let Some(judged) = judged else { continue };
            inquired.judged = true;
            inquired.answered = judged.answered && inquired.notes > 0;
            inquired.open = remarks(&judged.missing);
            let terms = distinct(judged.queries.iter().map(String::as_str)).into_iter();
            inquired.terms =
                terms.filter(|term| !inquired.tried.contains(&term.to_lowercase())).collect();
        }
    }

    fn add_evidence(&mut self, evidence: &[Numbered]) {
        for one in evidence {
            if let Err(at) = self.evidence.binary_search_by_key(&one.number, |known| known.number) {
                self.evidence.insert(at, one.clone());
            }
        }
    }

    /// Takes over the notes of a question whose statements exist. What is noted already serves this question as well.
    fn note(&mut self, question: usize, noted: &Notes, evidence: &[Numbered]) {
        let material = Material::of(evidence);
        for one in &noted.notes {
            // Brackets are often left out.
            let written = format!("[{}]", one.at.trim().trim_matches(['[', ']']));
            let addresses = cited(&written).into_iter().flat_map(|cited| cited.addresses);
            for address in addresses {
                let Ok(place) = material.place(address, &one.says) else { continue };
                let words = same_words(material.words(place).unwrap_or_default());
                let same = self.notes.iter().position(|note| lies_within(place, note.place));
                let index = same.or(self.said.get(&words).copied()).unwrap_or(self.notes.len());
                let is_new_here = match self.notes.get_mut(index) {
                    Some(note) if note.questions.contains(&question) => false,
                    Some(note) => {
                        note.questions.push(question);
                        true
                    }
                    None => {
                        let says = plain(&one.says);
                        self.notes.push(Note { place, says, questions: vec![question] });
                        true
                    }
                };
                self.said.entry(words).or_insert(index);
                if let Some(inquired) = self.questions.get_mut(question).filter(|_| is_new_here) {
                    inquired.notes += 1;
                }
            }
        }
    }
}

fn lies_within(place: Place, other: Place) -> bool {
    place.evidence == other.evidence && other.first <= place.first && place.last <= other.last
}

/// What follows a judgement.
#[derive(Debug, Clone, Copy)]
pub(super) enum Next {
    Round,
    Report,
}

impl Next {
    fn told(self) -> &'static str {
        match self {
            Next::Round => "yes, one more round",
            Next::Report => "no, the report is written from what there is",
        }
    }
}

/// Returns the form in which words are compared with those of another source.
pub(super) fn same_words(words: &str) -> String {
    text::words(words).map(|(_, word)| word.to_lowercase()).collect::<Vec<_>>().join(" ")
}

impl Inquiry<'_> {
    /// Begins with the questions, and with what the report that this one continues says to them.
    pub(in super::super) async fn looked_back(
        &self,
        questions: &[SubQuestion],
    ) -> Result<Research> {
        let mut research = Research::of(questions);
        let Some(passages) = self.gone_on_from() else { return Ok(research) };
        let measure = self.options.rules.report.measure();
        let evidence = self.run.cite(passages.to_vec())?;
        self.run.say(format!("reading again {} passages of the earlier report", evidence.len()));
        research.add_evidence(&evidence);
        let most = measure.passages as usize;
        let reading: Vec<(usize, Vec<Numbered>)> = (0..)
            .zip(questions)
            .map(|(index, asked)| (index, nearest(asked, &evidence, most)))
            .collect();
        self.note(0, &reading, &mut research, &measure).await?;
        let own: Vec<Vec<String>> =
            research.questions.iter().map(|inquired| inquired.terms.clone()).collect();
        for inquired in &mut research.questions {
            // A question without notes need not be judged.
            inquired.judged = inquired.notes == 0;
        }
        let judged = self.judged(&research, Next::Round).await?;
        research.judge(judged);
        for (inquired, own) in research.questions.iter_mut().zip(own) {
            inquired.terms = distinct(own.iter().chain(&inquired.terms).map(String::as_str));
        }
        Ok(research)
    }

    /// Runs the rounds of research, all open questions of a round concurrently.
    pub(super) async fn research(
        &self,
        research: &mut Research,
        board: &Board,
        measure: &Measure,
    ) -> Result<()> {
        research.collections = self.read_into(board);
        for round in 1..=measure.rounds {
            let open: Vec<usize> = (0..research.questions.len())
                .filter(|index| research.questions.get(*index).is_some_and(Inquired::is_open))
                .collect();
            if open.is_empty() {
                break;
            }
            let count = crate::grounded::counted(open.len(), "question", "questions");
            self.run.say(format!("round {round}: searching for {count}"));
            self.round(round, &open, research, measure).await?;
            // What the last round leaves open is judged while the report is outlined.
            if round < measure.rounds {
                let judged = self.judged(research, Next::Round).await?;
                research.judge(judged);
            }
        }
        Ok(())
    }

    /// Looks the open questions up, reads what is found, and notes what it says.
    async fn round(
        &self,
        round: u32,
        open: &[usize],
        research: &mut Research,
        measure: &Measure,
    ) -> Result<()> {
        let found = join_all(open.iter().map(async |index| {
            let Some(inquired) = research.questions.get(*index) else { return Ok(vec![]) };
            let run = self.run.scope(&format!("question-{}-{round}", index + 1));
            let mut collections = research.collections.clone();
            if round > 1 {
                collections.extend(self.read_for(&run, *index, inquired, open.len()).await?);
            }
            self.looked_up(&run, &inquired.terms, &collections, measure).await
        }))
        .await;
        // Numbered in the order of the questions, whichever lookup was faster.
        let mut reading: Vec<(usize, Vec<Numbered>)> = Vec::new();
        for (index, found) in open.iter().zip(found) {
            let evidence = self.run.cite(found?)?;
            research.add_evidence(&evidence);
            let Some(inquired) = research.questions.get_mut(*index) else { continue };
            (inquired.rounds, inquired.judged) = (round, false);
            inquired.tried.extend(inquired.terms.drain(..).map(|term| term.to_lowercase()));
            let fresh = evidence.into_iter().filter(|one| !inquired.read.contains(&one.number));
            reading.push((*index, fresh.collect()));
        }
        self.note(round, &reading, research, measure).await
    }

    /// Has the evidence found for questions read, and takes over the notes.
    async fn note(
        &self,
        round: u32,
        reading: &[(usize, Vec<Numbered>)],
        research: &mut Research,
        measure: &Measure,
    ) -> Result<()> {
        let noted = join_all(reading.iter().map(async |(index, evidence)| {
            let Some(inquired) = research.questions.get(*index) else { return Ok(vec![]) };
            let run = self.run.scope(&format!("question-{}-{round}", index + 1));
            self.noted(&run, &inquired.asked, evidence, measure).await
        }))
        .await;
        for ((index, evidence), noted) in reading.iter().zip(noted) {
            if let Some(inquired) = research.questions.get_mut(*index) {
                inquired.read.extend(evidence.iter().map(|one| one.number));
            }
            for notes in noted? {
                research.note(*index, &notes, evidence);
            }
        }
        Ok(())
    }

    /// Returns the collections of what the plan's tasks read outside.
    fn read_into(&self, board: &Board) -> Vec<String> {
        let read = board
            .tasks
            .iter()
            .filter(|task| task.searched.as_ref().is_some_and(|searched| searched.read_any()));
        read.map(|task| format!("{}-{}", self.own_collection, task.id)).collect()
    }

    /// Searches outside for what is still open of a question, and reads it; returns the collection if anything was read. Does nothing under
    /// an approved plan, which has its own search terms and no others.
    async fn read_for(
        &self,
        run: &Run,
        index: usize,
        inquired: &Inquired,
        beside: usize,
    ) -> Result<Option<String>> {
        if self.run.is_planned() || self.searches == 0 {
            return Ok(None);
        }
        let collection = format!("{}-question-{}", self.own_collection, index + 1);
        let room = outside::room(run, self.other_steps, beside) / beside.max(1);
        let terms: Vec<String> = inquired.terms.iter().map(|term| self.about(term)).collect();
        let looked_up =
            look_up(run, terms, &self.options.sources, &self.reading, &collection, room.max(1))
                .await;
        match looked_up {
            Ok(looked_up) => Ok(looked_up.read_any().then_some(collection)),
            Err(Stop::Stage { .. }) => Ok(None),
            Err(Stop::Budget { cap, .. }) => {
                self.run.warn(format!("some open questions were not searched: {cap}"));
                Ok(None)
            }
            Err(stop) => Err(stop),
        }
    }

    /// Looks terms up in the user's documents and in what was read outside; returns the best of each in turn.
    async fn looked_up(
        &self,
        run: &Run,
        terms: &[String],
        collections: &[String],
        measure: &Measure,
    ) -> Result<Vec<Passage>> {
        let mut searches: Vec<Search> = Vec::new();
        for term in terms {
            let search = |collection: &str| Search {
                top_k: measure.passages,
                ..search_in(collection, term, self.options)
            };
            if self.options.own_documents {
                searches.push(search(&self.options.collection));
            }
            // Fetched documents do not have the user's metadata.
            let fetched = collections
                .iter()
                .map(|collection| Search { filter: BTreeMap::new(), ..search(collection) });
            searches.extend(fetched);
        }
        let mut passages: Vec<Vec<Passage>> = Vec::new();
        for search in searches {
            match run.retrieve(&search).await {
                Ok(found) => {
                    passages.push(relevant_of(found, &self.options.rules, run.mode()));
                }
                Err(Stop::Stage { message, .. }) => {
                    self.run.warn(format!("a question of the report was not searched: {message}"));
                }
                Err(Stop::Budget { cap, .. }) => {
                    self.run.warn(format!("some questions of the report were not searched: {cap}"));
                    break;
                }
                Err(stop) => return Err(stop),
            }
        }
        let mut passages = together(passages);
        passages.truncate(measure.passages as usize * 2);
        if run.mode() == Mode::Offline || passages.is_empty() {
            return Ok(passages);
        }
        // A passage that breaks off before its list hides the list.
        outside::read_on(run, passages, usize::MAX).await
    }

    /// Has notes taken of what the evidence says to a question, its parts concurrently.
    async fn noted(
        &self,
        run: &Run,
        asked: &SubQuestion,
        evidence: &[Numbered],
        measure: &Measure,
    ) -> Result<Vec<Notes>> {
        let parts = match run.mode() {
            Mode::Model => in_parts(evidence, measure.note_tokens),
            Mode::Offline => vec![evidence],
        };
        let noted = join_all(parts.iter().enumerate().filter(|(_, part)| !part.is_empty()).map(
            async |(number, part)| {
                let run = run.scope(&format!("part-{}", number + 1));
                let by_rule = || noted_by_rule(asked, part, most_by_rule(measure));
                let noted = self
                    .options
                    .asking(&run, &NOTE_TAKER, self.question)
                    .given("What notes are wanted for", told(asked))
                    .citing_statements(part)
                    .even_if_unusable()
                    .offline(by_rule)
                    .reply::<Notes>()
                    .await;
                match noted {
                    Ok(notes) => Ok(notes),
                    Err(Stop::Stage { message, .. }) => {
                        self.run
                            .warn(format!("notes were taken by rule, without a model: {message}"));
                        Ok(by_rule())
                    }
                    Err(Stop::Budget { cap, .. }) => {
                        self.run.warn(format!("notes were taken by rule, without a model: {cap}"));
                        Ok(by_rule())
                    }
                    Err(stop) => Err(stop),
                }
            },
        ))
        .await;
        noted.into_iter().collect()
    }

    /// Has the coverage judge say, for each question with notes that were not judged yet, what they leave open and what to look up next.
    pub(super) async fn judged(
        &self,
        research: &Research,
        next: Next,
    ) -> Result<Vec<Option<Judged>>> {
        let judged =
            join_all(research.questions.iter().enumerate().map(async |(index, inquired)| {
                if inquired.judged || self.run.mode() == Mode::Offline {
                    return Ok(None);
                }
                let run = self.run.scope(&format!("question-{}-{}", index + 1, inquired.rounds));
                let notes = listed(research, index);
                let tried: Vec<&str> = inquired.tried.iter().map(String::as_str).collect();
                let judged = self
                    .options
                    .asking(&run, &COVERAGE_JUDGE, self.question)
                    .given("What must be answered", told(&inquired.asked))
                    .given("Looked up so far", tried.join("\n"))
                    .given("Whether anything else will be looked up", next.told())
                    .showing("The notes", notes)
                    .reply::<Judged>()
                    .await;
                match judged {
                    Ok(judged) => Ok(Some(judged)),
                    Err(stop @ (Stop::Budget { .. } | Stop::Stage { .. })) => {
                        self.run.warn(format!("no model judged what is still open: {stop}"));
                        Ok(None)
                    }
                    Err(stop) => Err(stop),
                }
            }))
            .await;
        judged.into_iter().collect()
    }
}

/// Returns the evidence that comes closest to a question, at most `most` pieces.
fn nearest(asked: &SubQuestion, evidence: &[Numbered], most: usize) -> Vec<Numbered> {
    let looked = Looked::over(&asked.question, evidence);
    let material = Material::of(evidence);
    let places = looked.nearest(&asked.question, evidence, &material, most * 4);
    let mut seen = BTreeSet::new();
    let numbers = places.into_iter().map(|place| place.evidence).filter(|one| seen.insert(*one));
    let at = |number| evidence.iter().find(|one| one.number == number).cloned();
    numbers.take(most).filter_map(at).collect()
}

/// Returns a question with what would count as its answer.
fn told(asked: &SubQuestion) -> String {
    let SubQuestion { question, answer, .. } = asked;
    if answer.is_empty() { question.clone() } else { format!("{question}\nAn answer: {answer}") }
}

/// Lists the notes of a question with their sources.
fn listed(research: &Research, question: usize) -> String {
    let mut page = String::new();
    for (_, note) in research.notes_of(question) {
        let _ = writeln!(page, "- {} ({})", note.says, research.title(note));
    }
    if page.is_empty() { "none".into() } else { page }
}

/// Returns how many statements to note for a question without a model, so that a report of them keeps to its words.
fn most_by_rule(measure: &Measure) -> usize {
    const WORDS_OF_A_STATEMENT: u32 = 25;
    let most = measure.words / (measure.questions * WORDS_OF_A_STATEMENT).max(1);
    most.clamp(3, 14) as usize
}

/// Cuts evidence into parts of at most `tokens` tokens, each with at least one piece.
fn in_parts(evidence: &[Numbered], tokens: u32) -> Vec<&[Numbered]> {
    let mut parts = Vec::new();
    let mut rest = evidence;
    while !rest.is_empty() {
        let count = packed_by(rest.iter().collect(), tokens, |one| &one.evidence.text).len();
        let (part, behind) = rest.split_at(count.max(1));
        parts.push(part);
        rest = behind;
    }
    parts
}

/// Notes the statements closest to a question and to its search terms, without a model, at most `most`.
fn noted_by_rule(asked: &SubQuestion, evidence: &[Numbered], most: usize) -> Notes {
    let looked = Looked::over(&asked.question, evidence);
    let material = Material::of(evidence);
    let mut terms = asked.terms();
    // Search terms say what is asked in fewer words, so they go first.
    terms.reverse();
    let nearest = |term: &String| looked.nearest(term, evidence, &material, most);
    let mut places = in_turn(terms.iter().map(nearest).collect());
    let mut seen = BTreeSet::new();
    places.retain(|place| seen.insert(*place));
    places.truncate(most);
    let note = |place: Place| Noted {
        at: place.address(),
        says: material.words(place).map(plain).unwrap_or_default(),
    };
    Notes { notes: places.into_iter().map(note).collect() }
}
