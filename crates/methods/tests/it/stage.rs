//! A scripted world: a model that says what it is told to say, papers that are found, and a log in memory.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use futures::future::BoxFuture;
use jiff::Timestamp;
use serde_json::Value;
use tokio::sync::watch;

use run::analysis::Language;
use run::budget::{Price, Usage};
use run::entry::{Entry, Event, Hash};
use run::evidence::{EvidenceKind, Passage, Place};
use run::library::{
    Collection, Found, Library, Manifest, NewDocument, Put, QueryVector, Search, StoredDocument,
};
use run::paper::{Ids, Paper, PaperId, Source};
use run::ports::{
    Append, CancelRequest, ChatReply, ChatRequest, Clock, Listener, Listing, Log, LogError, Model,
    Models, PortError, Reach, RunSummary, Signal, Words, World,
};
use run::settings::ModelChoice;
use run::sources::{
    Answer, Fetched, Hit, Intake, Material, Outcome, Query, Reading, Searched, Sources, TakenIn,
};
use run::work::{NewStart, start_and_work};
use run::{Method, Mode, Settings};

/// What stands on the stage, and what was heard there.
pub(crate) struct Stage {
    /// Abstracts of the papers that are found.
    pub(crate) abstracts: Vec<String>,
    /// What the model says to whoever wants a reply of this name.
    pub(crate) says: Arc<dyn Fn(&str) -> String + Send + Sync>,
}

impl Stage {
    /// Performs a method; returns its log.
    pub(crate) fn perform(self, name: &str, question: &str, options: Value) -> Vec<Entry> {
        let methods = methods::all();
        self.perform_method(methods.find(name).unwrap(), question, options, Mode::Model)
    }

    /// The same for any method, with the model or without it.
    pub(crate) fn perform_method(
        self,
        method: &Method,
        question: &str,
        options: Value,
        mode: Mode,
    ) -> Vec<Entry> {
        self.perform_in(method, question, options, mode, |_| ())
    }

    /// The same in a world that is `altered` before.
    pub(crate) fn perform_in(
        self,
        method: &Method,
        question: &str,
        options: Value,
        mode: Mode,
        alter: impl FnOnce(&mut World),
    ) -> Vec<Entry> {
        self.perform_with(Heard::default(), method, question, options, mode, alter)
    }

    /// The same with the model, until somebody cancels it at the entry number `at`.
    pub(crate) fn perform_until(
        self,
        method: &Method,
        question: &str,
        options: Value,
        at: u64,
        alter: impl FnOnce(&mut World),
    ) -> Vec<Entry> {
        let heard = Heard { at: Some(at), ..Heard::default() };
        self.perform_with(heard, method, question, options, Mode::Model, alter)
    }

    fn perform_with(
        self,
        heard: Heard,
        method: &Method,
        question: &str,
        options: Value,
        mode: Mode,
        alter: impl FnOnce(&mut World),
    ) -> Vec<Entry> {
        let models =
            ModelChoice { main: "stage/m".into(), light: "stage/m".into(), base_url: None };
        let models = (mode == Mode::Model).then_some(models);
        let settings = Settings { options, models, ..Settings::default() };
        let heard = Arc::new(heard);
        let cancelled = heard.cancel.subscribe();
        let mut world = self.world(Arc::clone(&heard));
        alter(&mut world);
        tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .build()
            .unwrap()
            .block_on(started(&world, method, question, settings, cancelled));
        let entries = heard.entries.lock().unwrap();
        entries.clone()
    }

    fn world(self, heard: Arc<Heard>) -> World {
        let Stage { abstracts, says } = self;
        let model: Arc<dyn Model> = Arc::new(Scripted(says));
        let outside = Arc::new(Shelf(abstracts));
        World {
            log: Arc::new(Nowhere),
            clock: Arc::new(Standstill),
            models: Some(Models { main: Arc::clone(&model), light: model }),
            library: Some(Arc::clone(&outside) as Arc<dyn Library>),
            embedder: None,
            sources: Some(Arc::clone(&outside) as Arc<dyn Sources>),
            intake: Some(outside),
            contexts: None,
            bibliography: None,
            sandbox: None,
            files: None,
            prompts: Arc::default(),
            listener: heard,
            reach: Reach::Live,
            stream: false,
            call_deadline: Duration::from_secs(1),
        }
    }
}

async fn started(
    world: &World,
    method: &Method,
    question: &str,
    settings: Settings,
    cancelled: watch::Receiver<Option<String>>,
) {
    let new = NewStart {
        run: "r1".into(),
        user: "local".into(),
        question: question.to_owned(),
        settings,
        owner: Some("stage".into()),
        key: None,
        at_most: None,
    };
    Box::pin(start_and_work(world, method, new, cancelled)).await.unwrap();
}

/// Hears every entry, and cancels at one.
#[derive(Default)]
struct Heard {
    entries: Mutex<Vec<Entry>>,
    at: Option<u64>,
    cancel: watch::Sender<Option<String>>,
}

impl Listener for Heard {
    fn hear(&self, _: &str, signal: Signal<'_>) {
        if let Signal::Entry(entry) = signal {
            self.entries.lock().unwrap().push(entry.clone());
            if self.at == Some(entry.seq) {
                self.cancel.send_replace(Some("somebody".into()));
            }
        }
    }
}

struct Standstill;

impl Clock for Standstill {
    fn now(&self) -> Timestamp {
        Timestamp::UNIX_EPOCH
    }
}

struct Scripted(Arc<dyn Fn(&str) -> String + Send + Sync>);

#[async_trait]
impl Model for Scripted {
    fn id(&self) -> &str {
        "stage/m"
    }

    fn price(&self) -> Option<Price> {
        None
    }

    async fn chat(&self, request: &ChatRequest, _: &dyn Words) -> Result<ChatReply, PortError> {
        let text = (self.0)(&request.schema.name);
        Ok(ChatReply { text, usage: Usage::default(), cut_off: false })
    }
}

/// Papers that are found, and what was read of them.
struct Shelf(Vec<String>);

impl Shelf {
    fn paper(&self, index: usize) -> Paper {
        let doi = Some(format!("10.5555/{index}"));
        Paper {
            title: format!("Paper {index}"),
            summary: Some(self.0[index].clone()),
            ids: Ids { doi, ..Ids::default() },
            ..Paper::default()
        }
    }
}

#[async_trait]
impl Sources for Shelf {
    async fn papers(&self, _: &[Source], _: &Query) -> Result<Searched, PortError> {
        let papers: Vec<Paper> = (0..self.0.len()).map(|index| self.paper(index)).collect();
        let found = Outcome::Found(papers.len() as u32);
        Ok(Searched { papers, answers: vec![Answer::new(Source::SemanticScholar, found)] })
    }

    async fn pages(&self, _: &Query) -> Result<Vec<Hit>, PortError> {
        Ok(vec![])
    }

    async fn papers_named(&self, ids: &[PaperId]) -> Vec<Result<Option<Paper>, PortError>> {
        ids.iter().map(|_| Ok(None)).collect()
    }

    async fn fetch(&self, url: &str) -> Result<Fetched, PortError> {
        Err(PortError::Invalid { what: format!("nothing lies at {url}") })
    }
}

#[async_trait]
impl Intake for Shelf {
    async fn take_in(
        &self,
        _: &str,
        _: &str,
        materials: Vec<Material>,
    ) -> Result<Vec<TakenIn>, PortError> {
        let kept = |material: Material| TakenIn {
            source_uri: material.source_uri,
            outcome: Reading::Kept {
                title: String::new(),
                text_sha256: String::new(),
                text_bytes: 0,
                chunks: 1,
                put: Put::Added,
            },
        };
        Ok(materials.into_iter().map(kept).collect())
    }
}

#[async_trait]
impl Library for Shelf {
    async fn open(&self, _: &str, _: &str, _: &Manifest) -> Result<(), PortError> {
        Ok(())
    }

    async fn manifest(&self, _: &str, _: &str) -> Result<Manifest, PortError> {
        Ok(Manifest {
            embedder: None,
            language: Language::English,
            chunk_tokens: 200,
            smallest_chunk_tokens: 20,
        })
    }

    async fn put(&self, _: &str, _: &str, _: Vec<NewDocument>) -> Result<Vec<Put>, PortError> {
        Ok(vec![])
    }

    async fn remove_paths(&self, _: &str, _: &str, _: &[String]) -> Result<u64, PortError> {
        Ok(0)
    }

    async fn remove_document(&self, _: &str, _: &str) -> Result<bool, PortError> {
        Ok(false)
    }

    async fn remove(&self, _: &str, _: &str) -> Result<bool, PortError> {
        Ok(false)
    }

    async fn collections(&self, _: &str) -> Result<Vec<Collection>, PortError> {
        Ok(vec![])
    }

    async fn documents(&self, _: &str, _: &str) -> Result<Vec<StoredDocument>, PortError> {
        Ok(vec![])
    }

    async fn document(
        &self,
        _: &str,
        _: &str,
    ) -> Result<Option<(StoredDocument, String)>, PortError> {
        Ok(None)
    }

    async fn passage(&self, _: &str, _: &str) -> Result<Option<Passage>, PortError> {
        Ok(None)
    }

    async fn search(
        &self,
        _: &str,
        _: &Search,
        _: Option<&QueryVector>,
    ) -> Result<Found, PortError> {
        let passage = |(index, text): (usize, &String)| Passage {
            text: text.clone(),
            source_uri: format!("doi:10.5555/{index}"),
            kind: EvidenceKind::Scholarly,
            chunk_id: "1".into(),
            score: 1.0,
            metadata: BTreeMap::new(),
            work: Some(Box::new(self.paper(index))),
            place: Place {
                document_id: format!("d{index}"),
                title: format!("Paper {index}"),
                section: format!("Paper {index}"),
                start: 0,
                end: text.len() as u64,
                source_sha256: format!("{index:064x}"),
                pages: vec![],
            },
        };
        Ok(Found {
            passages: self.0.iter().enumerate().map(passage).collect(),
            terms: vec![],
            cosines: None,
            chunks: self.0.len() as u64,
            language: Language::English,
        })
    }
}

/// A log that keeps nothing: what was appended, the listener heard.
struct Nowhere;

#[async_trait]
impl Log for Nowhere {
    fn append(&self, _: Append) -> BoxFuture<'static, Result<(), LogError>> {
        Box::pin(std::future::ready(Ok(())))
    }

    async fn page(&self, _: &str, _: &str, _: u64, _: u32) -> Result<Vec<Entry>, LogError> {
        Ok(vec![])
    }

    async fn summary(&self, _: &str, run: &str) -> Result<RunSummary, LogError> {
        Err(LogError::NoSuchRun { run: run.to_owned() })
    }

    async fn list(&self, _: &str, _: &Listing) -> Result<Vec<RunSummary>, LogError> {
        Ok(vec![])
    }

    async fn unfinished(&self, _: u32) -> Result<Vec<(String, String)>, LogError> {
        Ok(vec![])
    }

    async fn keyed(&self, _: &str, _: &str) -> Result<Option<(String, Hash)>, LogError> {
        Ok(None)
    }

    async fn find(&self, _: &str, _: &str) -> Result<Vec<String>, LogError> {
        Ok(vec![])
    }

    async fn claim(&self, _: &str, run: &str, _: &str) -> Result<u32, LogError> {
        Err(LogError::NoSuchRun { run: run.to_owned() })
    }

    async fn release(&self, _: &str, _: &str, _: &str) -> Result<(), LogError> {
        Ok(())
    }
    async fn request_cancel(&self, _: &str, _: &str, _: &str) -> Result<(), LogError> {
        Ok(())
    }

    async fn cancel_requests(&self, _: &str) -> Result<Vec<CancelRequest>, LogError> {
        Ok(vec![])
    }

    async fn renew(&self, _: &str) -> Result<(), LogError> {
        Ok(())
    }
}

/// Returns how a run ended.
pub(crate) fn ending(entries: &[Entry]) -> &Event {
    &entries.last().unwrap().event
}
