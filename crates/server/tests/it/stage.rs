//! A server of our own over a folder of its own: methods that wait, ask and propose when a test wants them to, and a model that speaks
//! when it is told.

use std::collections::{BTreeMap, BTreeSet};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use app::{
    Backend, BudgetChoice, Changes, Check, CheckState, Choices, Configuration, ConfigurationChange,
    ConfigurationSetting, Estimate, Export, ExportOrder, Forked, Limits, Refusal, RefusalKind,
    Report, SetBy, Survey, SurveyFile, SurveyState, Taken, Trial, TrialOutcome, Tried, Vitals,
};
use async_trait::async_trait;
use methods::order::Order;
use run::entry::{Entry, Event, Head};
use run::error::PortError;
use run::evidence::EvidenceKind;
use run::ledger::{Citation, Claim, Verdict};
use run::library::{Manifest, NewChunk, NewDocument, Original};
use run::listener::Listener;
use run::log::{Append, Fence, NewRun, Sealed, Status, Wait};
use run::model::{ChatReply, ChatRequest, Model, Models, Words};
use run::plan::{Plan, PlanStep};
use run::settings::{ModelChoice, Startup, Workflow};
use run::work::{NewFork, NewStart};
use run::world::{Clock, Reach, World};
use run::{Agent, Ask, Deliverable, Method, Methods, Outcome, Reply, Run, Settings, views};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use server::{Answered, Bound, Config, Happened, Quotas, Served, Tokens, Witness};
use text::{Analyzer, Language};
use tokio::sync::oneshot;

use crate::home::{Home, Kept};
use crate::patience::{PATIENCE, until, within};
use crate::scientists::{self, debate};

pub(crate) const ALICE: &str = "alice-s-token-0123456789";
pub(crate) const BOB: &str = "bob-s-token-0123456789ab";

/// What a run of this stage is started with: its question says what is to happen.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Script {
    pub(crate) folder: PathBuf,
    #[serde(default)]
    workflow: Option<Workflow>,
    /// What a debate was ordered with.
    #[serde(default)]
    pub(crate) order: Option<Order>,
}

fn methods() -> Methods {
    let methods = [
        Method::new("steps", 1, |run| Box::pin(steps(run))),
        Method::new("weighty", 1, |run| Box::pin(weighty(run))),
        Method::new("greet", 1, |run| Box::pin(greet(run))),
        Method::new("planned", 1, |run| Box::pin(planned(run))),
        Method::new("market", 1, |run| Box::pin(market(run))),
        Method::new("talk", 1, |run| Box::pin(talk(run))),
        Method::new("learn", 1, |run| Box::pin(learn(run))),
        Method::new("debate", 1, |run| Box::pin(debate(run))),
        Method::new("cite", 1, |run| Box::pin(cite(run))).reading(&[
            "strategy",
            "collection",
            "budget",
        ]),
    ];
    Methods::new(
        methods.map(|method| method.described(method.name, "What the stage does.", "Who was it?")),
    )
}

fn said(answer: String) -> Deliverable {
    let fields = [("answer".to_owned(), Value::from(answer))].into_iter().collect();
    Deliverable { outcome: Outcome::Answered, fields, ledger: vec![] }
}

/// Begins with a startup, asks three questions at once, proposes a plan and executes it in one step, when the file `go` says that
/// it may: what of it is wanted.
async fn market(run: &Run) -> run::Result<Deliverable> {
    let Script { folder, workflow, .. } = run.options()?;
    let wanted = workflow.as_ref();
    if let Some(Startup::Named(id)) = wanted.map(|workflow| &workflow.startup) {
        let id = id.clone();
        let _: Value = run.step("startup", &id, async || Ok(startup(&id))).await?;
    }
    let mut told = String::new();
    if wanted.is_some_and(|workflow| workflow.clarify) {
        let ask = async |gate: &str, question: &str| {
            let (question, context) = (question.to_owned(), format!("because of {gate}"));
            run.ask(gate, Ask { question, context, plan: None }).await
        };
        let (who, what, place) =
            tokio::join!(ask("q1", "Who buys?"), ask("q2", "What?"), ask("q3", "Where?"));
        told = format!("{} / {} / {}", who?, what?, place?);
    }
    let mut title = plan().title;
    if wanted.is_some_and(|workflow| workflow.plan) {
        let (question, context) = ("Shall I?".into(), String::new());
        let ask = Ask { question, context, plan: Some(Box::new(plan())) };
        title = run.propose("plan", ask).await?.title;
    }
    run.step("execute", &title, async || {
        leave_a_line(&folder, &format!("{} begun", run.id()));
        while allowed(&folder) < 1 {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
        leave_a_line(&folder, &format!("{} executed", run.id()));
        Ok(())
    })
    .await?;
    Ok(said(format!("{told}: {title}")))
}

fn startup(id: &str) -> Value {
    json!({
        "id": id, "user_id": "local", "name": "Lex", "description": "Reads contracts", "industry": "legal",
        "search_terms": ["legal AI"], "geographical_scope": "Texas", "created_at": "2026-01-01T00:00:00Z",
        "last_accessed": "2026-01-01T00:00:00Z", "metadata": {},
    })
}

/// What `cite` answers: marks beside what is none, in letters of one to four bytes.
pub(crate) const CITED: &str =
    "Zwölf 🦊 liefen [1]. \\[2] is no mark.\n\n- Ein „Zaun“ [1][2] stand da, 𝔘 [2].";

/// Answers with citations.
async fn cite(run: &Run) -> run::Result<Deliverable> {
    run.say("looking it up");
    let citation = |number: u32, source_uri: &str| Citation {
        number: Some(number),
        evidence_id: format!("e{number}"),
        source_uri: source_uri.into(),
        title: format!("Title {number}"),
        quote: format!("The source's own words, {number}."),
        verdict: Verdict::Quoted,
        ..Citation::default()
    };
    let claim = Claim {
        text: CITED.into(),
        verdict: Verdict::Quoted,
        citations: vec![citation(1, "doi:10.1000/a"), citation(2, "doc://manual/a.md")],
        ..Claim::default()
    };
    Ok(Deliverable { ledger: vec![claim], ..said(CITED.into()) })
}

/// Does as many steps as its question says, each when the file `go` says that it may; every doing leaves a line behind.
async fn steps(run: &Run) -> run::Result<Deliverable> {
    let Script { folder, .. } = run.options()?;
    let count: u32 = run.question().trim().parse().unwrap_or(3);
    for number in 1..=count {
        let done: u32 = run
            .step("work", &number, async || {
                while allowed(&folder) < number {
                    tokio::time::sleep(Duration::from_millis(2)).await;
                }
                leave_a_line(&folder, &format!("{} {number}", run.id()));
                Ok(number)
            })
            .await?;
        run.say(format!("step {done} of {count} is done"));
    }
    Ok(said(format!("{count} steps")))
}

/// Bytes that a step of the method `weighty` returns.
pub(crate) const WEIGHT: usize = 64 << 10;

/// Does as `steps` does, and each step returns as much as a long page of text.
async fn weighty(run: &Run) -> run::Result<Deliverable> {
    let Script { folder, .. } = run.options()?;
    let count: u32 = run.question().trim().parse().unwrap_or(3);
    for number in 1..=count {
        let _: String = run
            .step("work", &number, async || {
                while allowed(&folder) < number {
                    tokio::time::sleep(Duration::from_millis(2)).await;
                }
                Ok(format!("{number:>8}").repeat(WEIGHT / 8))
            })
            .await?;
    }
    Ok(said(format!("{count} weighty steps")))
}

pub(crate) fn allowed(folder: &Path) -> u32 {
    let text = std::fs::read_to_string(folder.join("go")).unwrap_or_default();
    text.trim().parse().unwrap_or(u32::MAX)
}

fn leave_a_line(folder: &Path, line: &str) {
    use std::io::Write;
    let path = folder.join("done");
    let mut file = std::fs::OpenOptions::new().create(true).append(true).open(path).unwrap();
    file.write_all(format!("{line}\n").as_bytes()).unwrap();
}

async fn greet(run: &Run) -> run::Result<Deliverable> {
    let ask =
        |question: &str| Ask { question: question.into(), context: String::new(), plan: None };
    let name = run.ask("name", ask("What is your name?")).await?;
    let town = run.ask("town", ask("Where do you live?")).await?;
    Ok(said(format!("Hello, {name} of {town}!")))
}

pub(crate) fn plan() -> Plan {
    let step = |name: &str| PlanStep { name: name.into(), ..PlanStep::default() };
    Plan {
        title: "Look around".into(),
        steps: vec![step("look"), step("tell")],
        search_terms: vec!["around".into()],
        ..Plan::default()
    }
}

async fn planned(run: &Run) -> run::Result<Deliverable> {
    let ask =
        Ask { question: "Shall I?".into(), context: String::new(), plan: Some(Box::new(plan())) };
    let approved = run.propose("plan", ask).await?;
    let Script { folder, .. } = run.options()?;
    let title = approved.title.clone();
    run.step("execute", &title, async || {
        leave_a_line(&folder, &format!("{} executed", run.id()));
        Ok(())
    })
    .await?;
    Ok(said(format!("did: {title}")))
}

#[derive(Debug, Clone, Serialize, Deserialize, schemars::JsonSchema)]
pub(crate) struct Speech {
    pub(crate) text: String,
}

impl Reply for Speech {
    const DRAFT: Option<&'static str> = Some("text");
}

const SPEAKER: Agent = Agent {
    name: "speaker",
    prompt: "talk/speaker",
    text: "---\nversion: 1\ntier: main\ntemperature: 0.0\nmax_tokens: 500\n---\nSpeak.\n",
};

async fn talk(run: &Run) -> run::Result<Deliverable> {
    let speech: Speech = run
        .agent(&SPEAKER)
        .given("Question", run.question())
        .offline(|| Speech { text: "Nobody speaks.".into() })
        .reply()
        .await?;
    Ok(said(speech.text))
}

/// Learns of a startup what its question says.
async fn learn(run: &Run) -> run::Result<Deliverable> {
    let learned = json!({
        "name": run.question(), "description": "Read by a machine.", "industry": "law",
        "search_terms": ["legaltech"], "geographical_scope": "Texas",
    });
    let fields = [("learned".to_owned(), learned)].into_iter().collect();
    Ok(Deliverable { outcome: Outcome::Answered, fields, ledger: vec![] })
}

/// A model that says word after word, each when the file `go` says that it may.
struct Speaker {
    folder: PathBuf,
    calls: Arc<AtomicU32>,
    dropped: Arc<AtomicU32>,
}

struct NotesDrop(Arc<AtomicU32>);

impl Drop for NotesDrop {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

#[async_trait]
impl Model for Speaker {
    fn id(&self) -> &str {
        "stage/speaker"
    }
    fn price(&self) -> Option<run::budget::Price> {
        Some(run::budget::Price { input: 1.0, cached_input: None, output: 2.0 })
    }
    async fn chat(&self, request: &ChatRequest, words: &dyn Words) -> Result<ChatReply, PortError> {
        let calls = self.calls.fetch_add(1, Ordering::SeqCst);
        let _dropped = NotesDrop(Arc::clone(&self.dropped));
        let falters = request.turns.iter().any(|turn| turn.text.contains("Falter"));
        if falters && calls == 0 {
            words.hear("{\"text\": \"Ein Anfang");
            let service = "stage/speaker".to_owned();
            return Err(PortError::Unreachable { service, reason: "it fell silent".into() });
        }
        let mut text = String::new();
        let swims = request.turns.iter().any(|turn| turn.text.contains("Swim"));
        let pieces = match swims {
            false => ["{\"text\": \"", "Zwölf 🦊 ", "laufen ", "über ", "das ", "Eis.", "\"}"],
            true => ["{\"text\": \"", "Neun 🐟 ", "schwimmen ", "unter ", "dem ", "Eis.", "\"}"],
        };
        let scientist = scientists::pieces(request);
        let (first, pieces) = scientist.unwrap_or((1, pieces.map(str::to_owned).into()));
        for (number, piece) in (first..).zip(pieces) {
            while allowed(&self.folder) < number {
                tokio::time::sleep(Duration::from_millis(2)).await;
            }
            words.hear(&piece);
            text.push_str(&piece);
        }
        let usage = run::budget::Usage { input_tokens: 10, cached_tokens: 0, output_tokens: 20 };
        Ok(ChatReply { text, usage, cut_off: false })
    }
}

struct Now;

impl Clock for Now {
    fn now(&self) -> jiff::Timestamp {
        jiff::Timestamp::now()
    }
}

/// The program behind the server.
struct Troupe {
    folder: PathBuf,
    kept: Kept,
    ids: AtomicU32,
    calls: Arc<AtomicU32>,
    dropped: Arc<AtomicU32>,
    /// What a log would tell.
    told: Arc<Mutex<Vec<String>>>,
    /// By their users and names.
    surveys: Mutex<BTreeMap<(String, String), Survey>>,
    /// The last change of the configuration.
    changed: Mutex<ConfigurationChange>,
}

impl Troupe {
    fn new_id(&self) -> String {
        let number = self.ids.fetch_add(1, Ordering::SeqCst);
        format!("run-{}-{number}", self.kept.storage.owner())
    }
}

fn at_most(method: &str) -> Option<u32> {
    (method == "debate").then_some(1)
}

fn manifest() -> Manifest {
    Manifest {
        embedder: None,
        language: Language::English,
        languages: Some(Default::default()),
        chunk_tokens: 220,
        smallest_chunk_tokens: 40,
    }
}

#[expect(clippy::needless_pass_by_value, reason = "errors are handed over whole")]
fn refused(error: impl ToString) -> Refusal {
    Refusal::new(RefusalKind::Invalid, error.to_string(), "")
}

#[async_trait]
impl Backend for Troupe {
    async fn prepare(&self, user: &str, order: &Order) -> Result<NewStart, Refusal> {
        if order.question.trim().is_empty() {
            return Err(Refusal::new(
                RefusalKind::Invalid,
                "the question is empty",
                "ask something",
            ));
        }
        let flags = [order.clarify, order.plan].map(|flag| flag == Some(true));
        let workflow = (order.startup.is_some() || flags.contains(&true)).then(|| Workflow {
            clarify: flags[0],
            plan: flags[1],
            questions: 3,
            startup: order.startup.clone().map_or(Startup::Stored, Startup::Named),
            expected: None,
        });
        let (folder, before) = (self.folder.clone(), workflow.clone());
        let wanted = (order.method == "debate").then(|| order.clone());
        let options = json!(Script { folder, workflow: before, order: wanted });
        // The documented operations name no model; a page stands for one.
        let model = order.model.clone().or(order.url.as_ref().map(|_| "stage/speaker".into()));
        let models = model.map(|model| ModelChoice::of(&model));
        let settings = Settings { options, models, workflow, ..Settings::default() };
        Ok(NewStart {
            run: self.new_id(),
            user: user.to_owned(),
            question: order.question.clone(),
            settings,
            owner: None,
            key: None,
            at_most: at_most(&order.method),
        })
    }
    async fn estimate(&self, _: &str, _: &Order) -> Result<Estimate, Refusal> {
        let spend = run::budget::Spend { tokens: 30, cost_usd_micros: 50 };
        Ok(Estimate {
            model: Some("stage/speaker".into()),
            expected: spend,
            worst_case: spend + spend,
            priced: true,
            notes: vec![],
        })
    }
    fn prepare_fork(&self, forked: &Forked<'_>, _: &Changes) -> Result<NewFork, Refusal> {
        Ok(NewFork {
            run: self.new_id(),
            user: forked.user.to_owned(),
            from: forked.run.to_owned(),
            step: forked.step.to_owned(),
            version: methods().find(forked.method).map(|method| method.version),
            settings: forked.settings.clone(),
            owner: None,
            key: None,
            at_most: at_most(forked.method),
        })
    }
    fn world(
        &self,
        choice: Option<&ModelChoice>,
        listener: Arc<dyn Listener>,
    ) -> Result<World, Refusal> {
        let speaker = || -> Arc<dyn Model> {
            let (calls, dropped) = (Arc::clone(&self.calls), Arc::clone(&self.dropped));
            Arc::new(Speaker { folder: self.folder.clone(), calls, dropped })
        };
        Ok(World {
            log: Arc::clone(&self.kept.log),
            clock: Arc::new(Now),
            models: choice.map(|_| Models::new(speaker(), speaker())),
            library: Some(Arc::clone(&self.kept.library)),
            embedder: None,
            sources: None,
            intake: None,
            contexts: Some(Arc::clone(&self.kept.contexts)),
            bibliography: None,
            sandbox: None,
            files: None,
            prompts: Arc::default(),
            listener,
            reach: Reach::Live,
            stream: true,
            call_deadline: run::CALL_DEADLINE,
            pause: run::world::Pause::default(),
        })
    }
    async fn take_in(
        &self,
        user: &str,
        collection: &str,
        file: &Path,
        name: &str,
    ) -> Result<Taken, Refusal> {
        let text = std::fs::read_to_string(file).map_err(refused)?;
        let digest = run::entry::Hash::of(text.as_bytes()).to_string();
        let chunk = NewChunk {
            section: String::new(),
            start: 0,
            end: text.len() as u64,
            terms: Analyzer::new(Language::English).terms(&text).join(" "),
            pages: vec![],
            vector: vec![],
        };
        let document = NewDocument {
            path: name.to_owned(),
            kind: EvidenceKind::Rag,
            work: None,
            title: name.to_owned(),
            format: "text".into(),
            reader_version: 0,
            file_sha256: digest.clone(),
            text_sha256: digest,
            metadata: BTreeMap::new(),
            chunks: vec![chunk],
            original: Some(Original::Text),
            text,
        };
        self.kept.library.open(user, collection, &manifest()).await.map_err(refused)?;
        let put = self.kept.library.put(user, collection, vec![document]).await.map_err(refused)?;
        let paths = [name.to_owned()];
        let mut documents =
            self.kept.library.documents_at(user, collection, &paths).await.map_err(refused)?;
        let document = documents.remove(0);
        Ok(Taken { document, put: put[0], within: Vec::new(), left_out: Vec::new() })
    }
    async fn surveys(&self, user: &str) -> Result<Vec<Survey>, Refusal> {
        let kept = self.surveys.lock().unwrap();
        let own = kept.iter().filter(|((owner, _), _)| owner == user);
        Ok(own.map(|(_, survey)| survey.clone()).collect())
    }
    async fn survey(&self, user: &str, name: &str) -> Result<Option<SurveyState>, Refusal> {
        let kept = self.surveys.lock().unwrap();
        let found = kept.get(&(user.to_owned(), name.to_owned())).cloned();
        Ok(found.map(|survey| SurveyState { survey, studies: vec![], problem: None }))
    }
    async fn keep_survey(
        &self,
        user: &str,
        survey: &str,
        file: &Path,
        name: &str,
    ) -> Result<SurveyState, Refusal> {
        let bytes = std::fs::read(file).map_err(refused)?;
        let file = SurveyFile {
            name: name.to_owned(),
            bytes: bytes.len() as u64,
            sha256: run::entry::Hash::of(&bytes).to_string(),
        };
        let mut kept = self.surveys.lock().unwrap();
        let key = (user.to_owned(), survey.to_owned());
        let survey =
            kept.entry(key).or_insert_with(|| Survey { name: survey.to_owned(), files: vec![] });
        survey.files.push(file);
        Ok(SurveyState { survey: survey.clone(), studies: vec![], problem: None })
    }
    async fn forget_survey(&self, user: &str, name: &str) -> Result<bool, Refusal> {
        let mut kept = self.surveys.lock().unwrap();
        Ok(kept.remove(&(user.to_owned(), name.to_owned())).is_some())
    }
    async fn make_collection(&self, user: &str, collection: &str) -> Result<(), Refusal> {
        self.kept.library.open(user, collection, &manifest()).await.map_err(refused)
    }
    fn configuration(&self) -> Configuration {
        let main = self.changed.lock().unwrap().values.get("models.main").cloned();
        let set_by = if main.is_some() { SetBy::Page } else { SetBy::Default };
        let setting = ConfigurationSetting {
            key: "models.main".into(),
            value: main.unwrap_or_else(|| "".into()),
            default: "".into(),
            set_by,
            place: None,
            fixed: None,
        };
        Configuration { may_change: true, settings: vec![setting], ..Configuration::default() }
    }
    async fn configure(&self, change: &ConfigurationChange) -> Result<Configuration, Refusal> {
        if let Some(key) = change.values.keys().find(|key| *key != "models.main") {
            return Err(refused(format!("there is no setting '{key}' that is changed here")));
        }
        *self.changed.lock().unwrap() = change.clone();
        Ok(self.configuration())
    }
    async fn try_out(&self, _: Tried) -> Vec<Trial> {
        let (outcome, advice) = (TrialOutcome::KeyRefused, Some("check the key".into()));
        let error = Some("the speaker refused the key".into());
        vec![Trial { name: "stage/speaker".into(), outcome, error, advice, milliseconds: 3 }]
    }
    async fn examine(&self, over_network: bool) -> Vec<Check> {
        let check = |name: &str, state| Check {
            name: name.to_owned(),
            state,
            found: "looked at".into(),
            advice: None,
        };
        let mut checks =
            vec![check("database", CheckState::Ok), check("embedder", CheckState::Warn)];
        checks.extend(over_network.then(|| check("model", CheckState::Fail)));
        checks
    }
    fn envelope(&self, run: &str, entries: &[Entry]) -> Value {
        struct NoBibliography;
        impl run::sources::Bibliography for NoBibliography {
            fn references(&self, works: &[&papers::Paper]) -> Vec<String> {
                works.iter().map(|work| work.title.clone()).collect()
            }
        }
        views::envelope(run, entries, &NoBibliography)
    }
    fn report(&self, _: &str, _: &[Entry]) -> Report {
        Report { html: "<p>report</p>".into(), outline: vec![] }
    }
    async fn export(
        &self,
        run: &str,
        entries: &[Entry],
        wanted: &ExportOrder<'_>,
    ) -> Result<Export, Refusal> {
        match wanted.format {
            "json" => Ok(Export {
                bytes: self.envelope(run, entries).to_string().into_bytes(),
                media_type: "application/json",
                extension: "json",
            }),
            "md" => Ok(Export {
                bytes: self.envelope(run, entries)["answer"].to_string().into_bytes(),
                media_type: "text/markdown",
                extension: "md",
            }),
            _ => Err(Refusal::new(RefusalKind::Invalid, "there is no such format", "json")),
        }
    }
    async fn ended(&self, _: &str, run: &str, _: &[Entry]) {
        leave_a_line(&self.folder, &format!("{run} ended"));
    }
    async fn removed(&self, _: &str, run: &str) {
        leave_a_line(&self.folder, &format!("{run} removed"));
    }
    async fn choices(&self, _: &str) -> Result<Choices, Refusal> {
        Ok(Choices {
            version: "0".into(),
            methods: vec![],
            models: vec![],
            default_model: None,
            sources: vec![],
            network: true,
            default_sources: BTreeMap::new(),
            collections: 0,
            budget: BudgetChoice {
                max_cost_usd: None,
                max_tokens: None,
                max_steps: None,
                max_wall_seconds: None,
            },
            limits: Limits { upload_bytes: 1_000_000, question_chars: 20_000 },
            formats: vec![],
            default_style: "apa".into(),
            upload_formats: vec!["txt".into()],
            embedder: None,
        })
    }
    async fn ready(&self) -> Result<(), Refusal> {
        Ok(())
    }
    async fn vitals(&self) -> Result<Vitals, Refusal> {
        let tally = self.kept.storage.tally().await.map_err(refused)?;
        let (queued, running, waiting) = (tally.queued, tally.running, tally.waiting);
        Ok(Vitals {
            queued,
            running,
            waiting,
            database_bytes: self.kept.storage.bytes().await.map_err(refused)?,
            ..Vitals::default()
        })
    }
}

impl Witness for Troupe {
    fn answered(&self, it: &Answered<'_>) {
        let line = format!(
            "{} {} {} {} {}",
            it.request,
            it.user.unwrap_or("-"),
            it.run.unwrap_or("-"),
            it.method,
            it.path
        );
        self.told.lock().unwrap().push(line);
    }
    fn happened(&self, it: &Happened<'_>) {
        let line = format!("{} {} {} {}", it.request.unwrap_or("-"), it.user, it.run, it.event);
        self.told.lock().unwrap().push(line);
    }
}

/// How a server is wanted.
#[derive(Clone)]
pub(crate) struct Wanted {
    pub(crate) tokens: String,
    pub(crate) hosts: Vec<String>,
    pub(crate) requests_per_second: u32,
    pub(crate) max_running: usize,
    pub(crate) max_queued: u32,
    pub(crate) keep_ended: Option<Duration>,
    pub(crate) metrics_alone: bool,
    pub(crate) metrics_tokens: String,
    pub(crate) drain: Duration,
    pub(crate) quotas: Quotas,
    pub(crate) sharing: bool,
}

impl Default for Wanted {
    fn default() -> Wanted {
        Wanted {
            tokens: String::new(),
            hosts: vec![],
            requests_per_second: 100_000,
            max_running: 200,
            max_queued: 10_000,
            keep_ended: None,
            metrics_alone: false,
            metrics_tokens: String::new(),
            drain: Duration::ZERO,
            quotas: Quotas::default(),
            sharing: true,
        }
    }
}

impl Wanted {
    /// With the users alice and bob.
    pub(crate) fn with_users() -> Wanted {
        Wanted { tokens: format!("alice {ALICE}\nbob {BOB}\n"), ..Wanted::default() }
    }
}

/// A server that runs until it is dropped or stopped; its folder can be served again.
pub(crate) struct Stage {
    pub(crate) folder: Arc<Home>,
    pub(crate) address: SocketAddr,
    /// Where the metrics are, if not there.
    pub(crate) metrics: Option<SocketAddr>,
    pub(crate) tokens: Tokens,
    pub(crate) told: Arc<Mutex<Vec<String>>>,
    pub(crate) client: reqwest::Client,
    pub(crate) calls: Arc<AtomicU32>,
    /// Calls to the model that have ended, one way or the other.
    pub(crate) dropped: Arc<AtomicU32>,
    stop: Option<oneshot::Sender<()>>,
    served: tokio::task::JoinHandle<()>,
}

impl Stage {
    pub(crate) async fn open() -> Stage {
        Stage::with(Wanted::default()).await
    }

    pub(crate) async fn with(wanted: Wanted) -> Stage {
        Stage::over(Arc::new(Home::make().await), wanted).await
    }

    /// Serves a folder, as another process would.
    pub(crate) async fn over(folder: Arc<Home>, wanted: Wanted) -> Stage {
        let kept = folder.open().await;
        let (calls, dropped) = (Arc::<AtomicU32>::default(), Arc::<AtomicU32>::default());
        let told = Arc::<Mutex<Vec<String>>>::default();
        let troupe = Arc::new(Troupe {
            told: Arc::clone(&told),
            changed: Mutex::default(),
            surveys: Mutex::default(),
            folder: folder.path().to_owned(),
            kept: kept.clone(),
            ids: AtomicU32::default(),
            calls: Arc::clone(&calls),
            dropped: Arc::clone(&dropped),
        });
        let tokens = Tokens::read(&wanted.tokens).unwrap();
        let config = Config {
            listen: Some("127.0.0.1:0".parse().unwrap()),
            hosts: wanted.hosts,
            user: "local".into(),
            tokens: tokens.clone(),
            max_connections: 4_000,
            max_running: wanted.max_running,
            max_queued: wanted.max_queued,
            requests_per_second: wanted.requests_per_second.try_into().unwrap(),
            upload_bytes: 1_000_000,
            question_chars: 20_000,
            uploads: folder.path().join("uploads"),
            keep_ended: wanted.keep_ended,
            metrics_listen: wanted.metrics_alone.then(|| "127.0.0.1:0".parse().unwrap()),
            metrics_tokens: Tokens::read(&wanted.metrics_tokens).unwrap(),
            drain: wanted.drain,
            quotas: wanted.quotas,
            sharing: wanted.sharing,
        };
        let bound = Bound::bind(config).await.unwrap();
        let (address, metrics) = (bound.address().unwrap(), bound.metrics_address());
        let served = Served {
            client: None,
            backend: Arc::<Troupe>::clone(&troupe),
            witness: troupe,
            owner: kept.storage.owner().to_owned(),
            log: kept.log,
            library: kept.library,
            usage: kept.usage,
            history: kept.history,
            methods: methods(),
        };
        let (stop, stopped) = oneshot::channel();
        let served = tokio::spawn(async move {
            bound.serve(served, async { drop(stopped.await) }).await.unwrap();
        });
        let client = reqwest::Client::builder().no_proxy().build().unwrap();
        Stage {
            folder,
            address,
            metrics,
            tokens,
            told,
            client,
            calls,
            dropped,
            stop: Some(stop),
            served,
        }
    }

    /// Stops the server at once, as a kill would: whatever is under way is dropped where it is.
    pub(crate) async fn kill(self) -> Arc<Home> {
        self.served.abort();
        let _ = within("the server is dead", self.served).await;
        self.folder
    }

    /// Stops the server in good order.
    pub(crate) async fn stop(mut self) -> Arc<Home> {
        drop(self.stop.take());
        within("the server has stopped", self.served).await.unwrap();
        self.folder
    }

    /// Lets every run of the stage go as far as step `number`.
    pub(crate) fn go(&self, number: u32) {
        go(self.folder.path(), number);
    }

    /// Returns the lines that steps have left behind.
    pub(crate) fn done(&self) -> Vec<String> {
        let text = std::fs::read_to_string(self.folder.path().join("done")).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    pub(crate) async fn get(&self, path: &str) -> (u16, Value) {
        answer(self.client.get(self.url(path))).await
    }

    pub(crate) async fn post(&self, path: &str, body: Value) -> (u16, Value) {
        answer(self.client.post(self.url(path)).json(&body)).await
    }

    /// Starts a run; returns its id.
    pub(crate) async fn start(&self, method: &str, question: &str) -> String {
        let order = json!({ "method": method, "question": question });
        let (status, run) = self.post("/api/runs", order).await;
        assert_eq!(status, 201, "{run}");
        run["run_id"].as_str().unwrap().to_owned()
    }

    /// Leaves a run to the queue whose id is chosen, for a user who is named.
    pub(crate) async fn submit(&self, user: &str, id: &str, order: &Order) {
        let folder = self.folder.path().to_owned();
        let options = json!(Script { folder, workflow: None, order: None });
        let models = order.model.as_ref().map(|model| ModelChoice::of(model));
        let started = Event::Started {
            method: order.method.clone(),
            version: 1,
            question: order.question.clone(),
            settings: Settings { options, models, ..Settings::default() },
            user: user.to_owned(),
        };
        let at = jiff::Timestamp::now();
        let (first, body) = Entry::seal(&Head::default(), at, started);
        let (method, question) = (order.method.clone(), order.question.clone());
        let kept = self.folder.open().await;
        let append = Append {
            user: user.to_owned(),
            run: id.to_owned(),
            entries: vec![Sealed { seq: first.seq, hash: first.hash, body }],
            at,
            status: Status::Queued,
            spent: run::budget::Spend::default(),
            fence: Fence::New(NewRun { method, question, owner: None, key: None, at_most: None }),
            wait: Wait::Durable,
        };
        kept.log.append(append).await.unwrap();
    }

    /// Waits until the run is as it is wanted.
    pub(crate) async fn until(&self, run: &str, wanted: impl Fn(&Value) -> bool) -> Value {
        until(&format!("run {run} is as it is wanted"), async || {
            let (status, state) = self.get(&format!("/api/runs/{run}")).await;
            assert_eq!(status, 200, "{state}");
            if wanted(&state) { Ok(state) } else { Err(state) }
        })
        .await
    }

    /// Waits until the model was called so many times.
    pub(crate) async fn until_calls(&self, wanted: u32) {
        until(&format!("the model is called {wanted} times"), async || {
            let calls = self.calls.load(Ordering::SeqCst);
            if calls >= wanted { Ok(()) } else { Err(calls) }
        })
        .await;
    }

    /// Waits until the run does its step number `step`.
    pub(crate) async fn until_step(&self, run: &str, step: u32) {
        let name = format!("work #{step}");
        self.until(run, |state| {
            state["steps"].as_array().unwrap().iter().any(|line| line["step"] == name)
        })
        .await;
    }

    pub(crate) async fn until_status(&self, run: &str, status: &str) -> Value {
        self.until(run, |state| state["status"] == status).await
    }
}

pub(crate) fn go(folder: &Path, number: u32) {
    // In one move, so that nobody reads half a number.
    let next = folder.join("go-next");
    std::fs::write(&next, number.to_string()).unwrap();
    std::fs::rename(next, folder.join("go")).unwrap();
}

pub(crate) async fn answer(request: reqwest::RequestBuilder) -> (u16, Value) {
    let response = request.timeout(PATIENCE).send().await.unwrap();
    let status = response.status().as_u16();
    let bytes = response.bytes().await.unwrap();
    (status, serde_json::from_slice(&bytes).unwrap_or(Value::Null))
}

/// Every file and folder below a folder.
pub(crate) fn tree(folder: &Path) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path.clone());
            }
            found.insert(path.strip_prefix(folder).unwrap().display().to_string());
        }
    }
    found
}
