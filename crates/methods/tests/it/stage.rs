//! A scripted world: a model that says what it is told to say, papers that are found, and a log in memory.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use fakes::{Exhibit, Judgement, readings_of};
use serde_json::{Value, json};
use tokio::sync::watch;

use papers::{Ids, Paper, PaperId, ServerName, Source};
use run::budget::{Budget, Price, Usage};
use run::entry::{Entry, Event};
use run::error::PortError;
use run::evidence::{EvidenceKind, Passage, Place};
use run::library::{Found, Library, Search};
use run::listener::{Listener, Signal};
use run::model::{ChatReply, ChatRequest, Model, Models, Words};
use run::settings::{Conversation, ModelChoice, Remark};
use run::sources::{Answer, Fetched, Hit, Outcome, Query, Searched, Served, Sources};
use run::work::{NewStart, start_and_work};
use run::world::{Reach, World};
use run::{Method, Mode, Settings};
use text::{Language, terms};

use crate::ports::{Finder, Memory, Shelf, Standstill};

/// What stands on the stage, and what was heard there.
pub(crate) struct Stage {
    /// Abstracts of the papers that are found.
    pub(crate) abstracts: Vec<String>,
    /// What the model says to whoever wants a reply of this name.
    pub(crate) says: Arc<dyn Fn(&str) -> String + Send + Sync>,
    /// What the second reader says of a claim.
    pub(crate) reads: Arc<Reads>,
}

pub(crate) type Reads = dyn Fn(&Exhibit) -> Judgement + Send + Sync;

/// A reader that says yes to everything.
pub(crate) fn always_yes() -> Arc<Reads> {
    Arc::new(|_| Judgement::Supported)
}

/// Options of `ask` over a collection.
pub(crate) fn rag() -> Value {
    json!({
        "strategy": "rag", "collection": "kb",
        "rules": {
            "top_k": 5, "score_threshold": 0.0, "coverage_threshold": 0.0, "context_tokens": 3000,
            "extractive_sentences": 4, "extractive_coverage": 0.1, "unsupported": "cut",
        },
    })
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

    /// The same with the model, within a budget.
    pub(crate) fn perform_within(
        self,
        budget: Budget,
        method: &Method,
        question: &str,
        options: Value,
        alter: impl FnOnce(&mut World),
    ) -> Vec<Entry> {
        let heard = Heard { budget, ..Heard::default() };
        self.perform_with(heard, method, question, options, Mode::Model, alter)
    }

    /// The same after a conversation.
    pub(crate) fn perform_after(
        self,
        history: Vec<Remark>,
        method: &Method,
        question: &str,
        mode: Mode,
    ) -> Vec<Entry> {
        let heard = Heard { history, ..Heard::default() };
        self.perform_with(heard, method, question, Value::Null, mode, |_| ())
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
        let models = ModelChoice::of("stage/m");
        let models = (mode == Mode::Model).then_some(models);
        let (budget, history) = (heard.budget, Conversation::of(heard.history.clone()));
        let settings = Settings { options, models, budget, history, ..Settings::default() };
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
        let Stage { abstracts, says, reads } = self;
        let model: Arc<dyn Model> = Arc::new(Scripted { says, reads });
        let papers = Papers(abstracts.into());
        let shelf = Arc::new(Shelf(papers.clone()));
        World {
            log: Arc::<Memory>::default(),
            clock: Arc::new(Standstill),
            models: Some(Models::new(Arc::clone(&model), model)),
            library: Some(Arc::clone(&shelf) as Arc<dyn Library>),
            embedder: None,
            sources: Some(Arc::new(papers)),
            intake: Some(shelf),
            contexts: None,
            bibliography: None,
            sandbox: None,
            files: None,
            prompts: Arc::default(),
            listener: heard,
            reach: Reach::Live,
            stream: false,
            call_deadline: Duration::from_secs(1),
            pause: run::world::Pause::default(),
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

/// Hears every entry, and cancels at one; the budget of what is heard, and what was said before.
#[derive(Default)]
struct Heard {
    entries: Mutex<Vec<Entry>>,
    at: Option<u64>,
    budget: Budget,
    history: Vec<Remark>,
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

struct Scripted {
    says: Arc<dyn Fn(&str) -> String + Send + Sync>,
    reads: Arc<Reads>,
}

#[async_trait]
impl Model for Scripted {
    fn id(&self) -> &str {
        "stage/m"
    }

    fn price(&self) -> Option<Price> {
        None
    }

    async fn chat(&self, request: &ChatRequest, _: &dyn Words) -> Result<ChatReply, PortError> {
        let asked_for = request.schema.as_ref().map_or("prose", |schema| schema.name.as_str());
        let text = match asked_for {
            "Readings" => read(request, &*self.reads),
            asked_for => (self.says)(asked_for),
        };
        Ok(counted(request, text))
    }
}

/// Returns a reply with what it used, at four bytes a token; it ends where no more is allowed.
fn counted(request: &ChatRequest, mut text: String) -> ChatReply {
    const BYTES_PER_TOKEN: usize = 4;
    let tokens = |bytes: usize| bytes.div_ceil(BYTES_PER_TOKEN) as u64;
    let schema = request.schema.as_ref().map_or(0, |schema| schema.bytes);
    let turns: usize = request.turns.iter().map(|turn| turn.text.len()).sum();
    let input_tokens = tokens(request.system.len() + schema + turns);
    let most = request.max_tokens as usize * BYTES_PER_TOKEN;
    let cut_off = text.len() > most;
    text.truncate(text.floor_char_boundary(most));
    let output_tokens = tokens(text.len());
    ChatReply { text, usage: Usage { input_tokens, cached_tokens: 0, output_tokens }, cut_off }
}

/// Answers a request of the second reader.
pub(crate) fn read(request: &ChatRequest, reads: &Reads) -> String {
    let prompt: String = request.turns.iter().map(|turn| turn.text.to_string()).collect();
    readings_of(&prompt, reads).to_string()
}

/// Papers that are found, and what was read of them.
#[derive(Clone)]
struct Papers(Arc<[String]>);

impl Papers {
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
impl Sources for Papers {
    async fn papers(&self, _: &[Source], _: &Query) -> Result<Searched, PortError> {
        let papers: Vec<Paper> = (0..self.0.len()).map(|index| self.paper(index)).collect();
        let found = Outcome::Found(papers.len() as u32);
        Ok(Searched { papers, answers: vec![Answer::new(Source::SemanticScholar, found)] })
    }

    async fn pages(&self, _: &Query) -> Result<Vec<Hit>, PortError> {
        Ok(vec![])
    }

    async fn texts(&self, _: &[ServerName], _: &Query) -> Result<Served, PortError> {
        Ok(Served::default())
    }

    async fn papers_named(&self, ids: &[PaperId]) -> Vec<Result<Option<Paper>, PortError>> {
        ids.iter().map(|_| Ok(None)).collect()
    }

    async fn fetch(&self, url: &str) -> Result<Fetched, PortError> {
        Err(PortError::Invalid { what: format!("nothing lies at {url}") })
    }
}

#[async_trait]
impl Finder for Papers {
    async fn find(&self, search: &Search) -> Result<Found, PortError> {
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
        let asked: BTreeSet<String> =
            terms(&search.question, Language::English).into_iter().collect();
        Ok(Found {
            passages: self.0.iter().enumerate().map(passage).collect(),
            terms: asked.into_iter().map(|term| (term, 1)).collect(),
            cosines: None,
            chunks: self.0.len() as u64,
            language: Language::English,
            ..Found::default()
        })
    }
}

/// Returns how a run ended.
pub(crate) fn ending(entries: &[Entry]) -> &Event {
    &entries.last().unwrap().event
}
