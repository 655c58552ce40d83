//! What a face asks of the program behind it: whatever takes configuration or adapters.

use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use methods::order::Order;
use run::Settings;
use run::budget::Spend;
use run::entry::Entry;
use run::error::PortError;
use run::listener::Listener;
use run::settings::ModelChoice;
use run::views::{self, Start};
use run::work::{self, NewFork, NewStart};
use run::world::World;
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use crate::configuration::{Check, Configuration, ConfigurationChange, Trial, Tried};

/// The program behind a face that serves many.
#[async_trait]
pub trait Backend: Send + Sync + 'static {
    /// Returns what an order is started with, under an id that no run has and left to the queue; or why it cannot be.
    async fn prepare(&self, user: &str, order: &Order) -> Result<NewStart, Refusal>;
    /// Returns what the order would cost.
    async fn estimate(&self, user: &str, order: &Order) -> Result<Estimate, Refusal>;
    /// Returns the fork of a run, under an id that no run has and left to the queue: the settings of the run that it comes from, and
    /// what is said otherwise.
    fn prepare_fork(&self, forked: &Forked<'_>, changes: &Changes) -> Result<NewFork, Refusal>;
    /// Returns the world of a run that speaks with those models. What is dear to make (an embedder, whoever is asked outside) is
    /// made once and shared by all worlds.
    fn world(
        &self,
        choice: Option<&ModelChoice>,
        listener: Arc<dyn Listener>,
    ) -> Result<World, Refusal>;
    /// Reads an uploaded file into a collection, which is made if it is not there. `name` is a label and was given by the uploader.
    async fn take_in(
        &self,
        user: &str,
        collection: &str,
        file: &Path,
        name: &str,
    ) -> Result<Taken, Refusal>;
    /// Makes an empty collection.
    async fn make_collection(&self, user: &str, collection: &str) -> Result<(), Refusal>;
    /// Returns the surveys that a user keeps, by name.
    async fn surveys(&self, user: &str) -> Result<Vec<Survey>, Refusal>;
    /// Returns a survey and what it holds; none where nothing has that name.
    async fn survey(&self, user: &str, name: &str) -> Result<Option<SurveyState>, Refusal>;
    /// Keeps an uploaded file with the others of a survey, which begins with it if it is not there. `name` is a label and was given by
    /// the uploader; a file of the same name is replaced.
    async fn keep_survey(
        &self,
        user: &str,
        survey: &str,
        file: &Path,
        name: &str,
    ) -> Result<SurveyState, Refusal>;
    /// Forgets a survey; tells whether it was there.
    async fn forget_survey(&self, user: &str, name: &str) -> Result<bool, Refusal>;
    /// Returns the result as every method prints it.
    fn envelope(&self, run: &str, entries: &[Entry]) -> Value;
    /// Returns the result as a page shows it.
    fn report(&self, run: &str, entries: &[Entry]) -> Report;
    /// Returns the result as a file.
    async fn export(
        &self,
        run: &str,
        entries: &[Entry],
        wanted: &ExportOrder<'_>,
    ) -> Result<Export, Refusal>;
    /// Hears that a run has ended, and what stands in its log.
    async fn ended(&self, user: &str, run: &str, entries: &[Entry]);
    /// Hears that a run was removed: nothing of it is to be left.
    async fn removed(&self, user: &str, run: &str);
    /// Returns what a person may choose from.
    async fn choices(&self, user: &str) -> Result<Choices, Refusal>;
    /// Returns what a person may change of the configuration, and where each value comes from.
    fn configuration(&self) -> Configuration;
    /// Changes the configuration for what begins from now on; what is under way goes on as it began. Where anything of the change
    /// cannot be, nothing is changed.
    async fn configure(&self, change: &ConfigurationChange) -> Result<Configuration, Refusal>;
    /// Makes the smallest call that shows whether what is configured can be used; nothing where none is.
    async fn try_out(&self, what: Tried) -> Vec<Trial>;
    /// Checks everything that runs depend on; others on the network are asked only `over_network`.
    async fn examine(&self, over_network: bool) -> Vec<Check>;
    /// Checks that what the program depends on works.
    async fn ready(&self) -> Result<(), Refusal>;
    /// Returns what the program knows of its own state.
    async fn vitals(&self) -> Result<Vitals, Refusal> {
        Ok(Vitals::default())
    }
}

/// What a monitor wants to know and the server cannot see.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Vitals {
    /// Runs of all users that have not ended.
    pub queued: u64,
    pub running: u64,
    pub waiting: u64,
    /// How long the run has stood in the queue that has stood there longest.
    pub oldest_queued_seconds: f64,
    /// Of the database and what is not yet merged into it.
    pub database_bytes: u64,
    /// How often calls were tried again, by the service that was called.
    pub retries: Vec<(String, u64)>,
}

/// Why something was not done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    pub kind: RefusalKind,
    pub what: String,
    /// What to do about it; empty where there is nothing to say.
    pub hint: String,
}

/// What a caller does differently about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RefusalKind {
    /// The request cannot be carried out as it is.
    Invalid,
    NotFound,
    Conflict,
    /// It would have worked at another time.
    Unavailable,
    DiskFull,
    /// The program's own fault.
    Failed,
}

impl Refusal {
    pub fn new(kind: RefusalKind, what: impl Into<String>, hint: impl Into<String>) -> Refusal {
        Refusal { kind, what: what.into(), hint: hint.into() }
    }
}

impl From<PortError> for Refusal {
    fn from(error: PortError) -> Refusal {
        let (kind, hint) = match &error {
            PortError::Invalid { .. } => (RefusalKind::Invalid, ""),
            PortError::TimedOut { .. }
            | PortError::Unreachable { .. }
            | PortError::Limited { .. }
            | PortError::Failed { .. } => (RefusalKind::Unavailable, "try again later"),
            PortError::DiskFull { .. } => {
                (RefusalKind::DiskFull, "free some space; no confirmed data is lost")
            }
            PortError::Store { .. } | PortError::Refused { .. } | PortError::Malformed { .. } => {
                (RefusalKind::Failed, "check the connections with `quaestio doctor`")
            }
        };
        Refusal::new(kind, error.to_string(), hint)
    }
}

/// What a run is expected to cost, and the most it can.
#[derive(Debug, Clone, PartialEq)]
pub struct Estimate {
    /// `provider/name`; none offline.
    pub model: Option<String>,
    pub expected: Spend,
    pub worst_case: Spend,
    /// Whether the prices of all models are known.
    pub priced: bool,
    pub notes: Vec<String>,
}

/// Survey files that belong together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct Survey {
    pub name: String,
    pub files: Vec<SurveyFile>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct SurveyFile {
    pub name: String,
    pub bytes: u64,
    pub sha256: String,
}

/// A survey and its contents.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct SurveyState {
    #[serde(flatten)]
    pub survey: Survey,
    /// Its studies, in order. Empty if they cannot be read.
    pub studies: Vec<SurveyStudy>,
    /// Why the files cannot be read, for example because a codebook is missing. Null if they can.
    pub problem: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct SurveyStudy {
    /// The name used in expressions, such as `W1`.
    pub id: String,
    pub title: String,
    pub respondents: u64,
    pub questions: u64,
    /// The column with respondent weights. Null if the data is unweighted.
    pub weight: Option<String>,
    /// The questions that define its segments.
    pub segments: Vec<String>,
    /// How faulty data was handled, one sentence each.
    pub notes: Vec<String>,
}

/// What a fork is made of.
#[derive(Debug, Clone, Copy)]
pub struct Forked<'a> {
    pub user: &'a str,
    /// The run that it comes from.
    pub run: &'a str,
    /// The first step that is done anew.
    pub step: &'a str,
    /// The method of that run, and what it was started with.
    pub method: &'a str,
    pub settings: &'a Settings,
    /// The entries that it keeps.
    pub kept: &'a [Entry],
}

impl<'a> Forked<'a> {
    /// Returns what the fork of a run from a step is made of; none where the log does not begin with a start. From a step that
    /// there is not nothing is kept.
    pub fn of(
        (user, run): (&'a str, &'a str),
        entries: &'a [Entry],
        step: &'a str,
    ) -> Option<Forked<'a>> {
        let Start { method, settings, .. } = views::start(entries)?;
        let kept = entries.get(..work::beginning(entries, step).unwrap_or_default());
        Some(Forked { user, run, step, method, settings, kept: kept.unwrap_or_default() })
    }
}

/// The changes a fork makes.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Changes {
    pub model: Option<String>,
    pub offline: bool,
    /// Keys of the configuration and their values, as `--set` takes them.
    pub settings: Vec<(String, String)>,
}

/// A file added to a collection.
#[derive(Debug, Clone, PartialEq)]
pub struct Taken {
    /// Its document; of an archive, the first of those within.
    pub document: run::library::StoredDocument,
    pub put: run::library::Put,
    /// The documents within: attachments of an e-mail, members of an archive.
    pub within: Vec<run::library::StoredDocument>,
    /// What is missing: files within that were left out, and parts of documents.
    pub left_out: Vec<LeftOut>,
}

/// Something missing: a file within a file, or a part of a document.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct LeftOut {
    /// The name of the document: the one that lacks it, or the one that the file would have become.
    pub path: String,
    pub reason: String,
}

/// A result for a page: sanitised HTML and its headings.
#[derive(Debug, Clone, Default, PartialEq, Serialize, ToSchema)]
pub struct Report {
    /// A sanitised HTML fragment.
    pub html: String,
    pub outline: Vec<Heading>,
}

#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct Heading {
    /// 2 for the top headings of the report, 3 and more for headings below.
    pub level: u8,
    /// The `id` of the element in the HTML.
    pub id: String,
    pub text: String,
}

/// What is wanted of a result as a file.
#[derive(Debug, Clone, Copy)]
pub struct ExportOrder<'a> {
    pub format: &'a str,
    /// The style of its references.
    pub style: Option<&'a str>,
    /// Of a bundle: whether it has no texts of sources beside the passages in its log.
    pub passages_only: bool,
}

impl ExportOrder<'_> {
    /// Returns an order of a format as it is usually made.
    pub fn of(format: &str) -> ExportOrder<'_> {
        ExportOrder { format, style: None, passages_only: false }
    }
}

/// A file to save.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Export {
    pub bytes: Vec<u8>,
    pub media_type: &'static str,
    /// Without the dot.
    pub extension: &'static str,
}

/// The choices available when starting a run.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct Choices {
    pub version: String,
    pub methods: Vec<MethodChoice>,
    /// Empty if no model is configured. Every run is then offline.
    pub models: Vec<ModelName>,
    pub default_model: Option<String>,
    pub sources: Vec<SourceChoice>,
    /// Whether sources are reached over the network. If not, only stored responses are used.
    pub network: bool,
    /// The default sources of each method.
    pub default_sources: std::collections::BTreeMap<String, Vec<String>>,
    /// The number of collections, not counting those that belong to a single run.
    pub collections: u64,
    pub budget: BudgetChoice,
    pub limits: Limits,
    pub formats: Vec<FormatChoice>,
    /// The default citation style.
    pub default_style: String,
    /// File extensions that can be read.
    pub upload_formats: Vec<String>,
    /// The embedding model. Null if documents are searched by words only.
    pub embedder: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct MethodChoice {
    pub name: String,
    pub title: String,
    pub description: String,
    pub version: u32,
    /// The request fields it uses, besides question, model and budget.
    pub fields: Vec<String>,
    pub strategies: Vec<StrategyChoice>,
    /// Whether it asks clarifying questions by default.
    pub clarify: bool,
    /// Whether it always needs an approved plan. A request without one is refused.
    pub plan: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct StrategyChoice {
    pub name: String,
    pub title: String,
    pub description: String,
    pub needs_collection: bool,
    pub asks_sources: bool,
    /// Whether it plans its research first, over sources, a collection or both.
    pub is_planned: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct ModelName {
    pub name: String,
    /// `main`, `light` or `other`.
    pub role: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct SourceChoice {
    pub name: String,
    pub title: String,
    pub available: bool,
    pub why_not: Option<String>,
}

/// The default limits of a run. Null means no limit.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct BudgetChoice {
    pub max_cost_usd: Option<f64>,
    pub max_tokens: Option<u64>,
    pub max_steps: Option<u64>,
    pub max_wall_seconds: Option<u64>,
}

#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct Limits {
    pub upload_bytes: u64,
    pub question_chars: u64,
}

#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct FormatChoice {
    pub name: String,
    pub title: String,
    /// The group of the format: `report`, `data`, `references` or `proof`.
    pub group: String,
    pub media_type: String,
    /// The methods that offer this format. Empty if all do.
    pub methods: Vec<String>,
}
