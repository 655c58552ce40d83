//! What the program does for its HTTP server: everything that needs configuration, adapters or renderings.

mod choices;
mod configuration;
mod refusal;
mod surveys;

use std::path::Path;
use std::sync::{Arc, PoisonError, RwLock};

use app::{
    Backend, Changes, Check, CheckState, Choices, Configuration, ConfigurationChange, Estimate,
    Export, ExportOrder, Forked, LeftOut, Refusal, RefusalKind, Report, Survey, SurveyState, Taken,
    Trial, Tried, Vitals,
};
use async_trait::async_trait;
use bundle::Extent;
use corpus::{Limits, Named, Problem};
use jiff::Timestamp;
use methods::order::Order;
use run::database::Database;
use run::embedding::Embedder;
use run::entry::Entry;
use run::library::{Manifest, Part};
use run::listener::Listener;
use run::log::LogError;
use run::settings::ModelChoice;
use run::work::{NewFork, NewStart};
use run::world::World;
use run::{Methods, Settings, views};
use serde_json::Value;
use server::{Answered, Happened, Witness};
use sources::Csl;
use tokio::sync::{Mutex, Semaphore};

use crate::commands::new_id;
use crate::config::{Config, Layers};
use crate::doctor::{self, Network};
use crate::export::{ExportFormat, Exporter};
use crate::failure::Failure;
use crate::names::check_name;
use crate::pdf::PaperSize;
use crate::sink::Sink;
use crate::submission::{self, Draft, Kind, Origin, Submitter};
use crate::wire::Tools;
use crate::{artifacts, forking, logs, output, wire};
use refusal::{refused, unreadable};

/// Uploads that are read at the same time: each may take as much memory as corpus.file_memory_bytes allows.
const READING: usize = 4;

/// The program as its server sees it.
pub(crate) struct Program {
    /// In force for whatever begins from now on; what is under way keeps the one that it began with.
    setup: RwLock<Arc<Setup>>,
    /// Held while the configuration is changed.
    changing: Mutex<()>,
    database: Database,
    methods: Methods,
    reading: Semaphore,
    /// Takes what cannot be reported in the response to a request.
    err: Sink,
}

/// A configuration and what was made of it.
struct Setup {
    layers: Layers,
    tools: Tools,
    bibliography: Csl,
}

impl Setup {
    fn of(layers: Layers, database: &Database) -> Result<Setup, Failure> {
        let tools = Tools::of(&layers.config, Arc::clone(&database.memory))?;
        let bibliography = wire::bibliography(&layers.config.bibliography.style)?;
        // Faults in prompts or prices should show before the first request is served.
        wire::prompts(&layers.config)?;
        wire::prices(&layers.config)?;
        Ok(Setup { layers, tools, bibliography })
    }

    fn config(&self) -> &Config {
        &self.layers.config
    }

    /// Returns the limits for reading an upload.
    fn limits(&self) -> Limits {
        let limits = self.config().corpus.limits();
        Limits { file_bytes: limits.file_bytes.min(self.config().server.upload_bytes), ..limits }
    }

    /// Opens the embedder, and returns it with the manifest of collections that are made with it.
    async fn manifest(&self) -> Result<(Option<Arc<dyn Embedder>>, Manifest), Refusal> {
        let embedder = match &self.tools.embedder {
            Some(embedders) => Some(embedders.open().await.map_err(Refusal::from)?),
            None => None,
        };
        let embedding = embedder.as_ref().map(|embedder| embedder.embedding().clone());
        Ok((embedder, self.config().corpus.manifest(embedding)))
    }

    fn envelope(&self, run: &str, entries: &[Entry]) -> Value {
        views::envelope(run, entries, &self.bibliography)
    }
}

impl Program {
    pub(crate) fn new(
        layers: Layers,
        database: Database,
        methods: Methods,
        err: Sink,
    ) -> Result<Program, Failure> {
        let setup = RwLock::new(Arc::new(Setup::of(layers, &database)?));
        let (changing, reading) = (Mutex::default(), Semaphore::new(READING));
        Ok(Program { setup, changing, database, methods, reading, err })
    }

    fn setup(&self) -> Arc<Setup> {
        Arc::clone(&self.setup.read().unwrap_or_else(PoisonError::into_inner))
    }

    fn put_in_force(&self, setup: Setup) {
        *self.setup.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(setup);
    }

    /// Returns the settings of a fork.
    fn altered(&self, forked: &Forked<'_>, changes: &Changes) -> Result<Settings, Failure> {
        let setup = self.setup();
        let models = match (&changes.model, changes.offline) {
            (None, false) => forked.settings.models.clone(),
            (model, offline) => {
                submission::wanted_models(model.as_deref(), offline, setup.config())?
            }
        };
        let config = forking::change_config(&setup.layers, forked, &changes.settings)?;
        let method = submission::find_method(&self.methods, forked.method)?;
        let (changes, origin) = (&changes.settings, Origin::Http);
        let altered = forking::change_settings(forked, method, models, changes, &config, origin)?;
        let models = altered.models.as_ref();
        let models =
            models.map(|choice| setup.tools.connected(choice, setup.config())).transpose()?;
        submission::priced(models.as_ref(), &altered.budget, Origin::Http)?;
        Ok(altered)
    }

    fn submitter<'a>(&'a self, setup: &'a Setup, user: &'a str) -> Submitter<'a> {
        let (layers, Program { database, methods, .. }) = (&setup.layers, self);
        Submitter { layers, database, methods, user, origin: Origin::Http }
    }
}

#[async_trait]
impl Backend for Program {
    async fn prepare(&self, user: &str, order: &Order) -> Result<NewStart, Refusal> {
        let setup = self.setup();
        let prepare = async || {
            let draft = Draft::of(&self.submitter(&setup, user), order).await?;
            draft.check(&setup.tools).await?;
            draft.start(new_id(), &self.database, &setup.tools, user).await
        };
        prepare().await.map_err(refused)
    }

    async fn estimate(&self, user: &str, order: &Order) -> Result<Estimate, Refusal> {
        let setup = self.setup();
        let draft = Draft::of(&self.submitter(&setup, user), order).await.map_err(refused)?;
        draft.estimate().map_err(refused)
    }

    fn prepare_fork(&self, forked: &Forked<'_>, changes: &Changes) -> Result<NewFork, Refusal> {
        let setup = self.setup();
        let settings = self.altered(forked, changes).map_err(refused)?;
        Ok(NewFork {
            run: new_id(),
            user: forked.user.to_owned(),
            from: forked.run.to_owned(),
            step: forked.step.to_owned(),
            version: self.methods.find(forked.method).map(|method| method.version),
            settings,
            owner: None,
            key: None,
            at_most: (Kind::find(forked.method).at_most)(setup.config()),
        })
    }

    fn world(
        &self,
        choice: Option<&ModelChoice>,
        listener: Arc<dyn Listener>,
    ) -> Result<World, Refusal> {
        let setup = self.setup();
        wire::world(&self.database, setup.config(), &setup.tools, choice, listener).map_err(refused)
    }

    async fn take_in(
        &self,
        user: &str,
        collection: &str,
        file: &Path,
        name: &str,
    ) -> Result<Taken, Refusal> {
        check_name("collection", collection).map_err(refused)?;
        // The name is checked first: that is cheap.
        corpus::label_of(name).map_err(|error| unreadable(error.into()))?;
        let setup = self.setup();
        let (embedder, manifest) = setup.manifest().await?;
        let named = Named {
            user,
            collection,
            path: file,
            name,
            manifest,
            limits: setup.limits(),
            reader: Arc::clone(&setup.tools.reader),
            metadata: Default::default(),
            keep_originals: setup.config().corpus.keep_originals,
        };
        let _turn = self.reading.acquire().await;
        let taken = corpus::take_file(&*self.database.library, embedder.as_deref(), &named).await;
        let taken = taken.map_err(unreadable)?;
        let corpus::TakenFile { document, put, within, problems } = taken;
        let left_out =
            problems.into_iter().map(|Problem { path, reason }| LeftOut { path, reason });
        Ok(Taken { document, put, within, left_out: left_out.collect() })
    }

    async fn make_collection(&self, user: &str, collection: &str) -> Result<(), Refusal> {
        check_name("collection", collection).map_err(refused)?;
        let (_, manifest) = self.setup().manifest().await?;
        self.database.library.open(user, collection, &manifest).await.map_err(Refusal::from)
    }

    async fn surveys(&self, user: &str) -> Result<Vec<Survey>, Refusal> {
        surveys::all(&*self.database.files, user).await
    }

    async fn survey(&self, user: &str, name: &str) -> Result<Option<SurveyState>, Refusal> {
        let _turn = self.reading.acquire().await;
        surveys::one(&*self.database.files, user, name).await
    }

    async fn keep_survey(
        &self,
        user: &str,
        survey: &str,
        file: &Path,
        name: &str,
    ) -> Result<SurveyState, Refusal> {
        check_name("survey", survey).map_err(refused)?;
        let _turn = self.reading.acquire().await;
        let bytes = surveys::uploaded(file, name, self.setup().config().survey.file_bytes).await?;
        surveys::keep(&*self.database.files, user, survey, (name, bytes)).await
    }

    async fn forget_survey(&self, user: &str, name: &str) -> Result<bool, Refusal> {
        self.database.files.forget(user, name).await.map_err(Refusal::from)
    }

    fn envelope(&self, run: &str, entries: &[Entry]) -> Value {
        self.setup().envelope(run, entries)
    }

    fn report(&self, run: &str, entries: &[Entry]) -> Report {
        output::report(&self.methods, &self.envelope(run, entries), &views::evidence(entries))
    }

    async fn export(
        &self,
        run: &str,
        entries: &[Entry],
        wanted: &ExportOrder<'_>,
    ) -> Result<Export, Refusal> {
        let ExportOrder { format, style, passages_only } = *wanted;
        let extent = if passages_only { Extent::Passages } else { Extent::Sources };
        let Some(format) = ExportFormat::named(format) else {
            let shown: String = run::grounding::clean(format).chars().take(40).collect();
            return Err(Refusal::new(
                RefusalKind::Invalid,
                format!("there is no format '{shown}'"),
                format!("formats: {}", ExportFormat::names()),
            ));
        };
        let styled = style.map(Csl::named).transpose().map_err(|error| {
            let hint =
                "examples are apa, ieee and nature; the default is the setting bibliography.style";
            Refusal::new(RefusalKind::Invalid, error.to_string(), hint)
        })?;
        let setup = self.setup();
        let bibliography = styled.as_ref().unwrap_or(&setup.bibliography);
        let (methods, files) = (&self.methods, &*self.database.files);
        let exporter = Exporter {
            methods,
            bibliography,
            files,
            library: &*self.database.library,
            config: setup.config(),
            extent,
            paper: PaperSize::default(),
        };
        let exported = exporter.export(run, entries, format).await.map_err(refused)?;
        for remark in &exported.remarks {
            let line = format!("note: {} of run {run}: {remark}", format.name());
            self.err.line_about(run, &run::grounding::clean(&line));
        }
        let (media_type, extension) = (format.spec().media_type, format.extension());
        Ok(Export { bytes: exported.bytes, media_type, extension })
    }

    async fn ended(&self, user: &str, run: &str, entries: &[Entry]) {
        // Run ids are unique per user only; the one folder of artifacts belongs to the user who runs the program.
        let setup = self.setup();
        if !setup.config().server.artifacts || user != setup.config().user {
            return;
        }
        let written = match wire::data_folder(setup.config()) {
            Err(failure) => Err(failure.to_string()),
            Ok(data) => {
                let envelope = setup.envelope(run, entries);
                let (methods, files) = (&self.methods, &*self.database.files);
                match artifacts::write(&data, methods, files, run, entries, &envelope).await {
                    Ok(left) => left.remark.map_or(Ok(()), Err),
                    Err(error) => Err(error.to_string()),
                }
            }
        };
        if let Err(why) = written {
            let line = format!("warning: could not write the artifacts of run {run}: {why}");
            self.err.line_about(run, &run::grounding::clean(&line));
        }
    }

    async fn removed(&self, user: &str, run: &str) {
        let setup = self.setup();
        if user != setup.config().user {
            return;
        }
        if let Ok(data) = wire::data_folder(setup.config())
            && let Err(error) = artifacts::remove(&data, run)
        {
            let line = format!("warning: could not remove the artifacts of run {run}: {error}");
            self.err.line_about(run, &run::grounding::clean(&line));
        }
    }

    async fn vitals(&self) -> Result<Vitals, Refusal> {
        let tally = self.database.storage.tally().await.map_err(Refusal::from)?;
        let waited = tally.oldest_queued_at.map(|since| Timestamp::now().duration_since(since));
        Ok(Vitals {
            queued: tally.queued,
            running: tally.running,
            waiting: tally.waiting,
            oldest_queued_seconds: waited.map_or(0.0, |waited| waited.as_secs_f64().max(0.0)),
            database_bytes: self.database.storage.bytes().await.map_err(Refusal::from)?,
            retries: transport::retries(),
        })
    }

    async fn choices(&self, user: &str) -> Result<Choices, Refusal> {
        let all = Part { after: None, limit: u32::MAX };
        let collections = self.database.library.collections_part(user, false, &all).await;
        let collections = collections.map_err(Refusal::from)?.len() as u64;
        let setup = self.setup();
        let choices = choices::choices(setup.config(), &self.methods, &setup.tools, user).await;
        Ok(Choices { collections, ..choices })
    }

    fn configuration(&self) -> Configuration {
        configuration::describe(&self.setup().layers)
    }

    async fn configure(&self, change: &ConfigurationChange) -> Result<Configuration, Refusal> {
        self.change(change).await
    }

    async fn try_out(&self, what: Tried) -> Vec<Trial> {
        self.trials(what).await
    }

    async fn examine(&self, over_network: bool) -> Vec<Check> {
        let network = if over_network { Network::Asked } else { Network::LeftAlone };
        let setup = self.setup();
        let checks = doctor::examine(&setup.layers, &self.database, network).await;
        checks.unwrap_or_else(|Failure { what, hint, .. }| {
            let (name, state) = ("database".to_owned(), CheckState::Fail);
            vec![Check { name, state, found: what, advice: Some(hint) }]
        })
    }

    async fn ready(&self) -> Result<(), Refusal> {
        // Checking the whole file takes as long as the file is large.
        self.database.storage.writable().await.map_err(|error| {
            let hint = match error {
                LogError::DiskFull => "free some space; no confirmed data is lost",
                _ => "check the data folder with `quaestio doctor`",
            };
            Refusal::new(RefusalKind::Unavailable, error.to_string(), hint)
        })
    }
}

impl Witness for Program {
    fn answered(&self, answered: &Answered<'_>) {
        logs::answered(&self.err, answered);
    }

    fn happened(&self, happened: &Happened<'_>) {
        logs::happened(&self.err, happened);
    }
}

#[cfg(test)]
mod tests;
