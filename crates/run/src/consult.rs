//! Looks claims up in a collection: the statements that a text by somebody else cites, or those nearest to what it says.
//!
//! A citation there is a name and perhaps a quote, as footnotes, links and reference lists have them. What is found is returned as
//! passages, whole blocks around the statements, so that everything that follows works on evidence as it does for any other run.

use std::collections::BTreeMap;
use std::ops::Range;

use ::grounding::check::Fault;
use ::grounding::locate::Finder;
use ::grounding::nearest::Nearest;
use ::grounding::statement::{Form, Source};
use serde::{Deserialize, Serialize};

use crate::evidence::{Passage, Place};
use crate::library::{Library, Retrieval, Search, StoredDocument};
use crate::ports::PortError;

/// A claim, and what it cites.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Wanted {
    pub claim: String,
    /// Empty: the nearest statements are looked up.
    pub cites: Vec<Cited>,
}

/// What a text cites.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Cited {
    /// Words that name a document: its path, file name, title or address, and perhaps more. Empty where none is named.
    pub document: String,
    /// Words that are said to stand there; empty where none are given.
    pub quote: String,
}

/// What was found.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Consulted {
    /// Each once.
    pub passages: Vec<Passage>,
    /// For each claim, in order.
    pub claims: Vec<Answered>,
}

/// Where a claim's statements stand.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Answered {
    pub places: Vec<Found>,
    /// What was cited and is not there.
    pub faults: Vec<Fault>,
}

/// Statements of a passage.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Found {
    /// The index of the passage.
    pub passage: usize,
    /// Counted from 1.
    pub first: u32,
    pub last: u32,
}

/// Looks claims up in a collection of a user's.
pub async fn consult(
    library: &dyn Library,
    user: &str,
    collection: &str,
    wanted: &[Wanted],
) -> Result<Consulted, PortError> {
    let documents = library.documents(user, collection).await?;
    let mut desk = Desk {
        library,
        user,
        collection,
        names: names(&documents),
        documents,
        texts: BTreeMap::new(),
        found: Consulted::default(),
        windows: BTreeMap::new(),
    };
    for one in wanted {
        let answered = desk.answer(one).await?;
        desk.found.claims.push(answered);
    }
    desk.open();
    Ok(desk.found)
}

/// What is known while claims are looked up.
struct Desk<'a> {
    library: &'a dyn Library,
    user: &'a str,
    collection: &'a str,
    documents: Vec<StoredDocument>,
    /// What a document may be called, in lower case, and its index.
    names: Vec<(String, usize)>,
    /// The texts that were read, by the index of their document.
    texts: BTreeMap<usize, String>,
    found: Consulted,
    /// The index of the passage of each window: of a document, and its bytes.
    windows: BTreeMap<(usize, usize, usize), usize>,
}

impl Desk<'_> {
    async fn answer(&mut self, wanted: &Wanted) -> Result<Answered, PortError> {
        let mut answered = Answered::default();
        for cited in &wanted.cites {
            match self.look_up(&wanted.claim, cited).await? {
                Ok(places) => answered.places.extend(places),
                Err(fault) => answered.faults.push(fault),
            }
        }
        if wanted.cites.is_empty() {
            answered.places = self.nearest(&wanted.claim).await?;
        }
        let mut seen: Vec<Found> = Vec::new();
        answered.places.retain(|place| {
            let is_new = !seen.contains(place);
            seen.push(*place);
            is_new
        });
        Ok(answered)
    }

    async fn look_up(
        &mut self,
        claim: &str,
        cited: &Cited,
    ) -> Result<Result<Vec<Found>, Fault>, PortError> {
        let named = self.named(&cited.document);
        let says_name = cited.document.chars().any(char::is_alphanumeric);
        match (named, cited.quote.is_empty()) {
            (Some(index), false) => {
                let places = self.quoted(index, &cited.quote).await?;
                let document =
                    self.documents.get(index).map_or_else(String::new, |one| one.path.clone());
                Ok(if places.is_empty() {
                    Err(Fault::QuoteAbsent { document })
                } else {
                    Ok(places)
                })
            }
            (Some(index), true) => Ok(Ok(self.nearest_in(index, claim).await?)),
            (None, false) => {
                for index in self.likely(&cited.quote).await? {
                    let places = self.quoted(index, &cited.quote).await?;
                    if !places.is_empty() {
                        return Ok(Ok(places));
                    }
                }
                let document =
                    if says_name { cited.document.clone() } else { "the documents".into() };
                Ok(Err(Fault::QuoteAbsent { document }))
            }
            (None, true) if says_name => {
                Ok(Err(Fault::NoSuchDocument { document: cited.document.clone() }))
            }
            (None, true) => Ok(Ok(self.nearest(claim).await?)),
        }
    }

    /// Returns the document that words name: the one whose longest name stands in them.
    fn named(&self, words: &str) -> Option<usize> {
        let lower = words.to_lowercase();
        let is_free = |at: usize, length: usize| {
            let edge =
                |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric() && c != '-' && c != '_');
            edge(lower.get(..at).and_then(|left| left.chars().next_back()))
                && edge(lower.get(at + length..).and_then(|right| right.chars().next()))
        };
        let stands = |name: &str| lower.match_indices(name).any(|(at, _)| is_free(at, name.len()));
        let fitting = self.names.iter().filter(|(name, _)| stands(name));
        fitting
            .max_by_key(|(name, index)| (name.len(), std::cmp::Reverse(*index)))
            .map(|(_, index)| *index)
    }

    async fn read(&mut self, index: usize) -> Result<(), PortError> {
        let Some(document) = self.documents.get(index) else { return Ok(()) };
        if !self.texts.contains_key(&index)
            && let Some((_, text)) = self.library.document(self.user, &document.document_id).await?
        {
            self.texts.insert(index, text);
        }
        Ok(())
    }

    async fn quoted(&mut self, index: usize, quote: &str) -> Result<Vec<Found>, PortError> {
        self.read(index).await?;
        let Some(text) = self.texts.get(&index).cloned() else { return Ok(vec![]) };
        let source = Source::of(&text);
        let runs = Finder::of(&source).locate(quote);
        Ok(runs
            .into_iter()
            .filter_map(|(first, last)| self.enter(index, &source, first, last))
            .collect())
    }

    /// Returns the statements of a document that are nearest to a claim.
    async fn nearest_in(&mut self, index: usize, claim: &str) -> Result<Vec<Found>, PortError> {
        const MOST: usize = 2;
        self.read(index).await?;
        let Some(text) = self.texts.get(&index).cloned() else { return Ok(vec![]) };
        let source = Source::of(&text);
        let indices: Vec<usize> = source
            .statements
            .iter()
            .enumerate()
            .filter(|(_, statement)| !matches!(statement.form, Form::Heading(_)))
            .map(|(index, _)| index)
            .collect();
        let texts = indices.iter().filter_map(|index| source.run(*index, *index));
        let language = ::text::guess(claim);
        let ranked = Nearest::of(texts, language).rank(claim);
        let best = ranked.first().map_or(0.0, |(_, share)| *share);
        let near = ranked.into_iter().filter(|(_, share)| *share >= best * 0.8).take(MOST);
        let chosen: Vec<usize> =
            near.filter_map(|(place, _)| indices.get(place).copied()).collect();
        Ok(chosen.into_iter().filter_map(|one| self.enter(index, &source, one, one)).collect())
    }

    /// Returns the statements of the collection that are nearest to a claim; none that hold too little of it.
    async fn nearest(&mut self, claim: &str) -> Result<Vec<Found>, PortError> {
        /// The share of the claim's words, weighed by how rare they are in what was found.
        const LEAST: f64 = 0.4;
        const MOST: usize = 2;
        let found = self.search(claim).await?;
        let mut statements: Vec<(usize, Range<usize>)> = Vec::new();
        let mut texts: Vec<String> = Vec::new();
        for passage in &found {
            let Some(index) = self.index_of(&passage.place.document_id) else { continue };
            let source = Source::of(&passage.text);
            for statement in
                source.statements.iter().filter(|one| !matches!(one.form, Form::Heading(_)))
            {
                let start = usize::try_from(passage.place.start).unwrap_or_default();
                let words = passage.text.get(statement.span.clone()).unwrap_or_default();
                statements.push((index, start + statement.span.start..start + statement.span.end));
                texts.push(format!("{}\n{words}", passage.place.section));
            }
        }
        let ranked =
            Nearest::of(texts.iter().map(String::as_str), ::text::guess(claim)).rank(claim);
        let best = ranked.first().map_or(0.0, |(_, share)| *share);
        let near =
            ranked.into_iter().filter(|(_, share)| *share >= LEAST.max(best * 0.8)).take(MOST);
        let mut places = Vec::new();
        for (place, _) in near {
            let Some((index, span)) = statements.get(place).cloned() else { continue };
            self.read(index).await?;
            let Some(text) = self.texts.get(&index).cloned() else { continue };
            let source = Source::of(&text);
            if let Some((first, last)) = source.touched(&span) {
                places.extend(self.enter(index, &source, first, last));
            }
        }
        Ok(places)
    }

    /// Returns the documents that a quote may stand in, the likeliest first.
    async fn likely(&self, quote: &str) -> Result<Vec<usize>, PortError> {
        let mut found: Vec<usize> = Vec::new();
        for passage in self.search(quote).await? {
            if let Some(index) = self.index_of(&passage.place.document_id)
                && !found.contains(&index)
            {
                found.push(index);
            }
        }
        Ok(found)
    }

    async fn search(&self, words: &str) -> Result<Vec<Passage>, PortError> {
        let search = Search {
            collection: self.collection.to_owned(),
            question: words.to_owned(),
            filter: BTreeMap::new(),
            top_k: 5,
            retrieval: Retrieval::Lexical,
        };
        Ok(self.library.search(self.user, &search, None).await?.passages)
    }

    fn index_of(&self, document_id: &str) -> Option<usize> {
        self.documents.iter().position(|document| document.document_id == document_id)
    }

    /// Enters the passage around statements; returns where they stand in it.
    fn enter(
        &mut self,
        index: usize,
        source: &Source<'_>,
        first: usize,
        last: usize,
    ) -> Option<Found> {
        let span = source.span(first, last)?;
        let known = self.windows.iter().find(|((document, start, end), _)| {
            *document == index && *start <= span.start && span.end <= *end
        });
        let (window, passage) = match known {
            Some(((_, start, end), passage)) => (*start..*end, *passage),
            None => {
                let window = source.window(first, last);
                let passage = self.passage(index, source, first, &window)?;
                self.found.passages.push(passage);
                let number = self.found.passages.len() - 1;
                self.windows.insert((index, window.start, window.end), number);
                (window, number)
            }
        };
        let within = Source::of(source.text.get(window.clone())?);
        let (first, last) =
            within.touched(&(span.start - window.start..span.end - window.start))?;
        let counted = |index: usize| u32::try_from(index + 1).ok();
        Some(Found { passage, first: counted(first)?, last: counted(last)? })
    }

    fn passage(
        &self,
        index: usize,
        source: &Source<'_>,
        first: usize,
        window: &Range<usize>,
    ) -> Option<Passage> {
        let document = self.documents.get(index)?;
        let text = source.text.get(window.clone())?.to_owned();
        let mut section: Vec<&str> = source.headings(first);
        if section.first() != Some(&document.title.as_str()) {
            section.insert(0, &document.title);
        }
        Some(Passage {
            text,
            source_uri: document.kind.source_uri(self.collection, &document.path),
            kind: document.kind,
            chunk_id: format!("{}:{}-{}", document.document_id, window.start, window.end),
            score: 0.0,
            metadata: document.metadata.clone(),
            work: document.work.clone(),
            place: Place {
                document_id: document.document_id.clone(),
                title: document.title.clone(),
                section: section.join(" > "),
                start: window.start as u64,
                end: window.end as u64,
                source_sha256: document.text_sha256.clone(),
                pages: vec![],
            },
        })
    }

    /// Enters the first lines of every document that was read: they say whom and what it is about.
    fn open(&mut self) {
        let read: Vec<(usize, String)> =
            self.texts.iter().map(|(index, text)| (*index, text.clone())).collect();
        for (index, text) in read {
            let source = Source::of(&text);
            let is_used = self.windows.keys().any(|(document, _, _)| *document == index);
            let opening = source.opening();
            let is_new = !self.windows.contains_key(&(index, opening.start, opening.end));
            if is_used && is_new && !opening.is_empty() {
                self.found.passages.extend(self.passage(index, &source, 0, &opening));
            }
        }
    }
}

/// Returns what documents may be called, in lower case: by path, file name, file name without its ending, title and address.
fn names(documents: &[StoredDocument]) -> Vec<(String, usize)> {
    /// A shorter name is a word like any other.
    const SHORTEST: usize = 4;
    let mut names = Vec::new();
    for (index, document) in documents.iter().enumerate() {
        let path = document.path.to_lowercase();
        let file = path.rsplit('/').next().unwrap_or_default().to_owned();
        let stem = |name: &str| name.rsplit_once('.').map(|(stem, _)| stem.to_owned());
        let all =
            [stem(&path), stem(&file), Some(document.title.to_lowercase()), Some(file), Some(path)];
        names.extend(all.into_iter().flatten().map(|name| (name, index)));
    }
    names.retain(|(name, _)| name.len() >= SHORTEST);
    names
}
