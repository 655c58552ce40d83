//! What the program does for its HTTP server.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ::corpus::{Named, TakeError, take_file};
use async_trait::async_trait;
use methods::order::Order;
use run::entry::Entry;
use run::library::Library;
use run::paper::Source;
use run::ports::{Listener, World};
use run::settings::ModelChoice;
use run::{Methods, Settings, views};
use serde_json::Value;
use server::{
    BudgetChoice, Changes, Choices, Estimate, Export, FormatChoice, House, Limits, MethodChoice,
    ModelName, Prepared, Refusal, RefusalKind, Report, SourceChoice, StrategyChoice, Taken,
};
use sources::Csl;
use store::Store;

use crate::cli::ExportFormat;
use crate::commands::new_id;
use crate::config::Layers;
use crate::export::{FORMATS, exported};
use crate::failure::{Exit, Failure};
use crate::forking::{altered, told};
use crate::names::check_name;
use crate::submission::{self, Channel, Draft, Office};
use crate::wire::{self, Tools};
use crate::{artifacts, render};

/// The program as its server sees it.
pub(crate) struct Program {
    layers: Layers,
    store: Store,
    methods: Methods,
    tools: Tools,
    bibliography: Csl,
    data: PathBuf,
}

impl Program {
    pub(crate) fn new(layers: Layers, store: Store, methods: Methods) -> Result<Program, Failure> {
        let tools = Tools::of(&layers.config)?;
        let bibliography = wire::bibliography(&layers.config.bibliography.style)?;
        let data = wire::data_folder(&layers.config)?;
        Ok(Program { layers, store, methods, tools, bibliography, data })
    }

    fn office<'a>(&'a self, user: &'a str) -> Office<'a> {
        let Program { layers, store, methods, .. } = self;
        Office { layers, store, methods, user, channel: Channel::Http }
    }
}

impl From<Failure> for Refusal {
    fn from(Failure { exit, what, hint }: Failure) -> Refusal {
        let kind = match exit {
            Exit::Usage | Exit::NotEnoughEvidence => RefusalKind::Invalid,
            _ => RefusalKind::Failed,
        };
        Refusal { kind, what, hint }
    }
}

fn invalid(what: impl Into<String>, hint: impl Into<String>) -> Refusal {
    Refusal::new(RefusalKind::Invalid, what, hint)
}

#[async_trait]
impl House for Program {
    fn new_id(&self) -> String {
        new_id()
    }

    async fn prepare(&self, user: &str, order: &Order) -> Result<Prepared, Refusal> {
        Ok(submission::prepare(&self.office(user), &self.tools, order).await?)
    }

    async fn estimate(&self, user: &str, order: &Order) -> Result<Estimate, Refusal> {
        Ok(Draft::of(&self.office(user), order).await?.estimate()?)
    }

    fn altered(
        &self,
        _method: &str,
        settings: &Settings,
        changes: &Changes,
    ) -> Result<Settings, Refusal> {
        let config = told(&self.layers, &changes.settings)?;
        let models = match (&changes.model, changes.offline) {
            (None, false) => settings.models.clone(),
            (model, offline) => {
                submission::wanted_models(model.as_deref(), offline, &self.layers.config)?
            }
        };
        let settings = altered(settings, models, &changes.settings, &config, Channel::Http)?;
        let models = settings.models.as_ref();
        let models = models.map(|choice| wire::connect(choice, &config)).transpose()?;
        submission::priced(models.as_ref(), &settings.budget, Channel::Http)?;
        Ok(settings)
    }

    fn world(
        &self,
        choice: Option<&ModelChoice>,
        listener: Arc<dyn Listener>,
    ) -> Result<World, Refusal> {
        let Program { layers, store, tools, .. } = self;
        Ok(wire::world(store, &layers.config, tools, choice, listener)?)
    }

    async fn take_in(
        &self,
        user: &str,
        collection: &str,
        file: &Path,
        name: &str,
    ) -> Result<Taken, Refusal> {
        check_name("collection", collection)?;
        let corpus = &self.layers.config.corpus;
        let embedder = match &self.tools.embedder {
            Some(embedders) => Some(embedders.open().await.map_err(Failure::from)?),
            None => None,
        };
        let embedding = embedder.as_ref().map(|embedder| embedder.embedding().clone());
        let named = Named {
            user,
            collection,
            path: file,
            name,
            manifest: corpus.manifest(embedding),
            limits: corpus.limits(),
            reader: Arc::clone(&self.tools.reader),
            metadata: BTreeMap::new(),
        };
        let taken = take_file(&self.store, embedder.as_deref(), &named).await;
        match taken {
            Ok(taken) => Ok(Taken { document: taken.document, put: taken.put }),
            Err(TakeError::Port(error)) => Err(Failure::from(error).into()),
            Err(error @ (TakeError::Name(_) | TakeError::Unreadable { .. })) => Err(invalid(
                error.to_string(),
                "formats read: text, Markdown, HTML, PDF, DOCX, EPUB",
            )),
        }
    }

    async fn make_collection(&self, user: &str, collection: &str) -> Result<(), Refusal> {
        check_name("collection", collection)?;
        let embedding = match &self.tools.embedder {
            Some(embedders) => {
                let embedder = embedders.open().await.map_err(Failure::from)?;
                Some(embedder.embedding().clone())
            }
            None => None,
        };
        let manifest = self.layers.config.corpus.manifest(embedding);
        let opened = self.store.open(user, collection, &manifest).await;
        Ok(opened.map_err(Failure::from)?)
    }

    fn envelope(&self, run: &str, entries: &[Entry]) -> Value {
        views::envelope(run, entries, &self.bibliography)
    }

    fn report(&self, run: &str, entries: &[Entry]) -> Report {
        render::report(&self.envelope(run, entries), &views::evidence(entries))
    }

    fn export(
        &self,
        run: &str,
        entries: &[Entry],
        format: &str,
        style: Option<&str>,
    ) -> Result<Export, Refusal> {
        let format = ExportFormat::named(format).ok_or_else(|| {
            let names: Vec<String> = FORMATS.into_iter().map(ExportFormat::name).collect();
            invalid("there is no such format", format!("formats: {}", names.join(", ")))
        })?;
        let bibliography = match style {
            Some(style) => wire::bibliography(style)?,
            None => self.bibliography.clone(),
        };
        Ok(Export {
            bytes: exported(run, entries, &bibliography, format).into_bytes(),
            media_type: format.media_type(),
            extension: format.extension(),
        })
    }

    async fn ended(&self, user: &str, run: &str, entries: &[Entry]) {
        // Ids are each user's own; the folder of plain files is one, and belongs to whoever runs the program.
        let config = &self.layers.config;
        if !config.artifacts || user != config.user {
            return;
        }
        let (data, run, entries) = (self.data.clone(), run.to_owned(), entries.to_vec());
        let envelope = self.envelope(&run, &entries);
        let written =
            tokio::task::spawn_blocking(move || artifacts::write(&data, &run, &entries, &envelope));
        // The log holds everything; the files are a convenience.
        let _ = written.await;
    }

    async fn choices(&self, user: &str) -> Result<Choices, Refusal> {
        let config = &self.layers.config;
        let models = submission::allowed(config);
        let web = !config.sources.web.engine.is_empty();
        let source = |source: Source| SourceChoice {
            name: name_of(source),
            title: source.title().to_owned(),
            available: source != Source::Web || web,
            why_not: (source == Source::Web && !web)
                .then(|| "no web search is configured: sources.web.engine".to_owned()),
        };
        let all = [
            Source::Arxiv,
            Source::Crossref,
            Source::Openalex,
            Source::SemanticScholar,
            Source::Web,
        ];
        let asked = |asked: &[Source]| -> Vec<String> {
            let asked = asked.iter().filter(|&&source| source != Source::Web || web);
            asked.map(|&source| name_of(source)).collect()
        };
        let budget = config.budget.budget();
        let server = &config.server;
        let collections = self.store.collections(user).await.map_err(Failure::from)?;
        let collections = collections.iter().filter(|known| !known.name.starts_with("run-"));
        Ok(Choices {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            methods: self.methods.iter().map(method).collect(),
            default_model: wire::choice(config).map(|choice| choice.main),
            models: models
                .into_iter()
                .map(|(name, role)| ModelName { name, role: role.to_owned() })
                .collect(),
            sources: all.into_iter().map(source).collect(),
            default_sources: BTreeMap::from([
                ("ask".to_owned(), asked(&config.sources.asked)),
                ("hypothesize".to_owned(), asked(&config.hypothesize.asked)),
            ]),
            collections: collections.count() as u64,
            budget: BudgetChoice {
                max_cost_usd: budget.max_cost_usd_micros.map(run::budget::dollars),
                max_tokens: budget.max_tokens,
                max_steps: budget.max_steps,
                max_wall_seconds: budget.max_wall_seconds,
            },
            limits: Limits {
                upload_bytes: server.upload_bytes.min(config.corpus.file_bytes),
                question_chars: server.question_chars,
            },
            formats: FORMATS
                .into_iter()
                .map(|format| FormatChoice {
                    name: format.name(),
                    title: format.title().to_owned(),
                    media_type: format.media_type().to_owned(),
                })
                .collect(),
            default_style: config.bibliography.style.clone(),
            upload_formats: ["txt", "md", "html", "pdf", "docx", "epub"].map(str::to_owned).into(),
            embedder: (!config.embedder.model.is_empty()).then(|| config.embedder.model.clone()),
        })
    }

    async fn ready(&self) -> Result<(), Refusal> {
        let listed = self.store.collections(&self.layers.config.user).await;
        listed.map(drop).map_err(|error| {
            Refusal::new(
                RefusalKind::Unavailable,
                error.to_string(),
                "`quaestio doctor` looks closer",
            )
        })
    }
}

/// Returns the name by which an order asks a source.
fn name_of(source: Source) -> String {
    let name = serde_json::to_value(source).ok();
    name.and_then(|name| name.as_str().map(str::to_owned)).unwrap_or_default()
}

/// Describes a method to whoever chooses one.
fn method(method: &run::Method) -> MethodChoice {
    let (title, description, fields, strategies): (&str, &str, &[&str], Vec<StrategyChoice>) =
        match method.name {
            "ask" => (
                "Ask",
                "A question, answered with every sentence checked against its source.",
                &["strategy", "collection", "where", "sources"],
                vec![
                    strategy(
                        "rag",
                        "My documents",
                        "From your documents alone; no request leaves for sources.",
                        true,
                        false,
                    ),
                    strategy(
                        "search",
                        "Papers and the web",
                        "Looked up outside, read, and answered from.",
                        false,
                        true,
                    ),
                    strategy(
                        "direct",
                        "The model alone",
                        "No evidence; the answer is marked as ungrounded.",
                        false,
                        false,
                    ),
                ],
            ),
            "hypothesize" => (
                "Hypothesize",
                "Testable hypotheses from the literature, contested and ranked.",
                &["domain", "objective", "top", "sources"],
                vec![],
            ),
            name => (name, "", &[], vec![]),
        };
    MethodChoice {
        name: method.name.to_owned(),
        title: title.to_owned(),
        description: description.to_owned(),
        version: method.version,
        fields: fields.iter().map(|&field| field.to_owned()).collect(),
        strategies,
    }
}

fn strategy(
    name: &str,
    title: &str,
    description: &str,
    needs_collection: bool,
    asks_sources: bool,
) -> StrategyChoice {
    StrategyChoice {
        name: name.to_owned(),
        title: title.to_owned(),
        description: description.to_owned(),
        needs_collection,
        asks_sources,
    }
}
