//! Looks up claims of an external text in a collection: finds the statements that it cites, or those nearest to the claim.
//!
//! A citation in it is a name and perhaps a quote, as in footnotes, links and reference lists. The results are passages, whole blocks
//! around the statements, so that all later stages work on evidence as in any other run.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use ::grounding::check::Fault;
use ::grounding::locate::Finder;
use ::grounding::nearest::Nearest;
use ::grounding::statement::{Form, Source};
use serde::{Deserialize, Serialize};

use crate::error::PortError;
use crate::evidence::{Passage, Place};
use crate::library::{Library, Retrieval, Search, StoredDocument};
use text::Language;

/// A claim and its citations.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Wanted {
    pub claim: String,
    /// If empty, the nearest statements are looked up.
    pub cites: Vec<Cited>,
}

/// A citation in a text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Cited {
    /// Words that name a document: its path, file name, title or address, and perhaps more. Empty if none is named.
    pub document: String,
    /// Words quoted from the document; empty if there is no quote.
    pub quote: String,
}

/// The result of a lookup.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Consulted {
    /// Each passage once.
    pub passages: Vec<Passage>,
    /// One for each claim, in order.
    pub claims: Vec<Answered>,
}

/// The places of a claim's statements.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Answered {
    pub places: Vec<Found>,
    /// Citations that were not found.
    pub faults: Vec<Fault>,
}

/// A range of statements in a passage.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Found {
    /// The index of the passage.
    pub passage: usize,
    /// Counted from 1.
    pub first: u32,
    pub last: u32,
}

/// Looks up claims in a user's collection.
pub async fn consult(
    library: &dyn Library,
    user: &str,
    collection: &str,
    wanted: &[Wanted],
) -> Result<Consulted, PortError> {
    let documents = library.documents(user, collection).await?;
    let names = list_names(&documents);
    let catalog = Catalog { library, user, collection, documents, names };
    let mut texts: BTreeMap<usize, String> = BTreeMap::new();
    let mut sought: Vec<Vec<Result<Sought, Fault>>> = Vec::new();
    for one in wanted {
        let of_claim = catalog.seek(one).await?;
        for index in of_claim.iter().flatten().flat_map(Sought::documents) {
            catalog.read(index, &mut texts).await?;
        }
        sought.push(of_claim);
    }
    let sources: BTreeMap<usize, Source<'_>> =
        texts.iter().map(|(index, text)| (*index, Source::of(text))).collect();
    let mut lookup = Lookup {
        catalog: &catalog,
        sources: &sources,
        finders: BTreeMap::new(),
        ranks: HashMap::new(),
        found: Consulted::default(),
        windows: BTreeMap::new(),
    };
    for (one, of_claim) in wanted.iter().zip(sought) {
        let answered = lookup.answer(&one.claim, of_claim);
        lookup.found.claims.push(answered);
    }
    lookup.open();
    Ok(lookup.found)
}

/// Where to look for a citation.
enum Sought {
    /// A quote, in the first of these documents that holds it.
    Quote { quote: String, documents: Vec<usize>, called: String },
    /// The statements of a document nearest to the claim.
    Nearest(usize),
    /// The nearest statements in search results: documents with their passages.
    Anywhere(Vec<(usize, Passage)>),
}

impl Sought {
    fn documents(&self) -> Vec<usize> {
        match self {
            Sought::Quote { documents, .. } => documents.clone(),
            Sought::Nearest(index) => vec![*index],
            Sought::Anywhere(passages) => passages.iter().map(|(index, _)| *index).collect(),
        }
    }
}

/// The documents of a collection.
struct Catalog<'a> {
    library: &'a dyn Library,
    user: &'a str,
    collection: &'a str,
    documents: Vec<StoredDocument>,
    /// The possible names of documents in lower case, each with the document's index.
    names: Vec<(String, usize)>,
}

impl Catalog<'_> {
    /// Returns where to look for a claim's citations.
    async fn seek(&self, wanted: &Wanted) -> Result<Vec<Result<Sought, Fault>>, PortError> {
        let mut sought = Vec::new();
        for cited in &wanted.cites {
            sought.push(self.seek_cited(&wanted.claim, cited).await?);
        }
        if wanted.cites.is_empty() {
            sought.push(Ok(Sought::Anywhere(self.search(&wanted.claim).await?)));
        }
        Ok(sought)
    }

    async fn seek_cited(
        &self,
        claim: &str,
        cited: &Cited,
    ) -> Result<Result<Sought, Fault>, PortError> {
        let named = self.named(&cited.document);
        let says_name = cited.document.chars().any(char::is_alphanumeric);
        let quote = || cited.quote.clone();
        Ok(match (named, cited.quote.is_empty()) {
            (Some(index), false) => {
                let called = self.documents.get(index).map(|one| one.path.clone());
                let called = called.unwrap_or_default();
                Ok(Sought::Quote { quote: quote(), documents: vec![index], called })
            }
            (Some(index), true) => Ok(Sought::Nearest(index)),
            (None, false) => {
                let called =
                    if says_name { cited.document.clone() } else { "the documents".into() };
                let mut documents: Vec<usize> = Vec::new();
                for (index, _) in self.search(&cited.quote).await? {
                    if !documents.contains(&index) {
                        documents.push(index);
                    }
                }
                Ok(Sought::Quote { quote: quote(), documents, called })
            }
            (None, true) if says_name => {
                Err(Fault::NoSuchDocument { document: cited.document.clone() })
            }
            (None, true) => Ok(Sought::Anywhere(self.search(claim).await?)),
        })
    }

    /// Returns the document that `words` name: the one with the longest name in them.
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

    /// Reads a document unless it was read before.
    async fn read(
        &self,
        index: usize,
        texts: &mut BTreeMap<usize, String>,
    ) -> Result<(), PortError> {
        let Some(document) = self.documents.get(index) else { return Ok(()) };
        if !texts.contains_key(&index)
            && let Some((_, text)) = self.library.document(self.user, &document.document_id).await?
        {
            texts.insert(index, text);
        }
        Ok(())
    }

    async fn search(&self, words: &str) -> Result<Vec<(usize, Passage)>, PortError> {
        let search = Search {
            collection: self.collection.to_owned(),
            question: words.to_owned(),
            filter: BTreeMap::new(),
            top_k: 5,
            retrieval: Retrieval::Lexical,
        };
        let found = self.library.search(self.user, &search, None).await?.passages;
        let index_of = |id: &str| self.documents.iter().position(|one| one.document_id == id);
        Ok(found
            .into_iter()
            .filter_map(|passage| Some((index_of(&passage.place.document_id)?, passage)))
            .collect())
    }
}

/// The state of a lookup of claims in documents already read.
struct Lookup<'a> {
    catalog: &'a Catalog<'a>,
    /// By document index.
    sources: &'a BTreeMap<usize, Source<'a>>,
    finders: BTreeMap<usize, Finder<'a>>,
    /// The rankable statements of a document for claims in a language, and their indices.
    ranks: HashMap<(usize, Language), (Vec<usize>, Nearest)>,
    found: Consulted,
    /// The index of each window's passage, by document and byte range.
    windows: BTreeMap<(usize, usize, usize), usize>,
}

/// The maximum number of statements bound to a claim without a citation.
const MOST_NEAREST: usize = 2;

impl<'a> Lookup<'a> {
    fn answer(&mut self, claim: &str, sought: Vec<Result<Sought, Fault>>) -> Answered {
        let mut answered = Answered::default();
        for one in sought {
            match one.and_then(|sought| self.look_up(claim, sought)) {
                Ok(places) => answered.places.extend(places),
                Err(fault) => answered.faults.push(fault),
            }
        }
        let mut seen: Vec<Found> = Vec::new();
        answered.places.retain(|place| {
            let is_new = !seen.contains(place);
            seen.push(*place);
            is_new
        });
        answered
    }

    fn look_up(&mut self, claim: &str, sought: Sought) -> Result<Vec<Found>, Fault> {
        match sought {
            Sought::Quote { quote, documents, called } => {
                let found = documents
                    .iter()
                    .map(|index| self.quoted(*index, &quote))
                    .find(|found| !found.is_empty());
                found.ok_or(Fault::QuoteAbsent { document: called })
            }
            Sought::Nearest(index) => Ok(self.nearest_in(index, claim)),
            Sought::Anywhere(passages) => Ok(self.nearest(&passages, claim)),
        }
    }

    fn quoted(&mut self, index: usize, quote: &str) -> Vec<Found> {
        let Some(source) = self.sources.get(&index) else { return vec![] };
        let finder = self.finders.entry(index).or_insert_with(|| Finder::of(source));
        let runs = finder.locate(quote);
        runs.into_iter().filter_map(|(first, last)| self.enter(index, first, last)).collect()
    }

    /// Returns the statements of a document nearest to a claim.
    fn nearest_in(&mut self, index: usize, claim: &str) -> Vec<Found> {
        let Some(source) = self.sources.get(&index) else { return vec![] };
        let language = ::text::guess(claim);
        let (indices, nearest) = self.ranks.entry((index, language)).or_insert_with(|| {
            let statements = source.statements.iter().enumerate();
            let indices: Vec<usize> = statements
                .filter(|(_, statement)| !matches!(statement.form, Form::Heading(_)))
                .map(|(index, _)| index)
                .collect();
            let texts = indices.iter().filter_map(|index| source.run(*index, *index));
            let nearest = Nearest::of(texts, language);
            (indices, nearest)
        });
        let chosen: Vec<usize> = near(nearest.rank(claim), 0.0)
            .filter_map(|place| indices.get(place).copied())
            .collect();
        chosen.into_iter().filter_map(|one| self.enter(index, one, one)).collect()
    }

    /// Returns the statements of these passages nearest to a claim, except those that hold too little of it.
    fn nearest(&mut self, passages: &[(usize, Passage)], claim: &str) -> Vec<Found> {
        /// The least share of the claim's words, weighted by their rarity in the results.
        const LEAST: f64 = 0.4;
        let mut statements: Vec<(usize, Range<usize>)> = Vec::new();
        let mut texts: Vec<String> = Vec::new();
        for (index, passage) in passages {
            let source = Source::of(&passage.text);
            for statement in
                source.statements.iter().filter(|one| !matches!(one.form, Form::Heading(_)))
            {
                let start = usize::try_from(passage.place.start).unwrap_or_default();
                let words = passage.text.get(statement.span.clone()).unwrap_or_default();
                statements.push((*index, start + statement.span.start..start + statement.span.end));
                texts.push(format!("{}\n{words}", passage.place.section));
            }
        }
        let ranked =
            Nearest::of(texts.iter().map(String::as_str), ::text::guess(claim)).rank(claim);
        let chosen: Vec<(usize, usize, usize)> = near(ranked, LEAST)
            .filter_map(|place| {
                let (index, span) = statements.get(place)?;
                let (first, last) = self.sources.get(index)?.touched(span)?;
                Some((*index, first, last))
            })
            .collect();
        chosen
            .into_iter()
            .filter_map(|(index, first, last)| self.enter(index, first, last))
            .collect()
    }

    /// Adds the passage around these statements; returns their place in it.
    fn enter(&mut self, index: usize, first: usize, last: usize) -> Option<Found> {
        let source = self.sources.get(&index)?;
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
        let document = self.catalog.documents.get(index)?;
        let text = source.text.get(window.clone())?.to_owned();
        let mut section: Vec<&str> = source.headings(first);
        if section.first() != Some(&document.title.as_str()) {
            section.insert(0, &document.title);
        }
        Some(Passage {
            text,
            source_uri: document.kind.source_uri(self.catalog.collection, &document.path),
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

    /// Adds the first lines of every cited document: they tell who and what it is about.
    fn open(&mut self) {
        for (index, source) in self.sources {
            let is_used = self.windows.keys().any(|(document, _, _)| document == index);
            let opening = source.opening();
            let is_new = !self.windows.contains_key(&(*index, opening.start, opening.end));
            if is_used && is_new && !opening.is_empty() {
                self.found.passages.extend(self.passage(*index, source, 0, &opening));
            }
        }
    }
}

/// Returns the top of a ranking that scores close to the best and at least `least`.
fn near(ranked: Vec<(usize, f64)>, least: f64) -> impl Iterator<Item = usize> {
    /// The share of the best score.
    const BESIDE_THE_BEST: f64 = 0.8;
    let best = ranked.first().map_or(0.0, |(_, share)| *share);
    let enough = least.max(best * BESIDE_THE_BEST);
    ranked
        .into_iter()
        .filter(move |(_, share)| *share >= enough)
        .take(MOST_NEAREST)
        .map(|(place, _)| place)
}

/// Returns the possible names of documents in lower case: path or address, file name (each also without its extension) and title.
fn list_names(documents: &[StoredDocument]) -> Vec<(String, usize)> {
    /// A shorter name is too common a word.
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
