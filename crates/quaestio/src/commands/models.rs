//! `quaestio models`: the models that providers offer and their prices, and whether a model does what runs need.

mod get;

use std::fmt::Write as _;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::task::JoinSet;

use app::TrialOutcome;

use ::models::{ChatModel, ConnectError, Connection, ListError, PROVIDERS, Prices, offered};
use run::budget::{Price, dollars};
use run::error::PortError;
use run::grounding;
use run::model::{ChatReply, ChatRequest, Model, Speaker, Turn, Words};
use run::settings::ModelChoice;
use text::tolerant;

use methods::calibration::{self, Measured};

use crate::calibrations;
use crate::cli::{Common, ModelsCommand};
use crate::config::{Config, KEY_VARIABLE};
use crate::failure::{Exit, Failure};
use crate::output;
use crate::{Face, wire};

/// How long to wait for a list of models, and the first delay between attempts.
const LIST_PATIENCE: Duration = Duration::from_secs(15);
const LIST_RETRY_DELAY: Duration = Duration::from_millis(100);

/// Room for the reasoning of a model that cannot switch it off; others use a few tokens of it.
pub(super) const TEST_TOKENS: u32 = 1_000;

pub(super) async fn models(
    common: &Common,
    command: ModelsCommand,
    face: &Face,
) -> Result<Exit, Failure> {
    let config = wire::configure(common)?.config;
    match command {
        ModelsCommand::List { provider, json } => {
            list(&config, provider, json.is_wanted(), face).await
        }
        ModelsCommand::Get(args) => Box::pin(get::get(&config, &args, common.quiet, face)).await,
        ModelsCommand::Test { model, reader: true, json } => {
            calibrate(&config, model, json.is_wanted(), face).await
        }
        ModelsCommand::Test { model, reader: false, json } => {
            test(&config, model, json.is_wanted(), face).await
        }
    }
}

/// The reply of one provider.
struct Offer {
    provider: String,
    connection: Result<Connection, ConnectError>,
    models: Result<Vec<String>, String>,
}

async fn list(
    config: &Config,
    only: Option<String>,
    as_json: bool,
    face: &Face,
) -> Result<Exit, Failure> {
    let choice = wire::choice(config);
    let prices = wire::prices(config)?;
    let names = match &only {
        Some(provider) => vec![provider.clone()],
        None => {
            let known = PROVIDERS.iter().map(|provider| provider.name);
            let mut names: Vec<String> = known.map(str::to_owned).collect();
            let configured = choice.iter().flat_map(|choice| [&choice.main, &choice.light]);
            for provider in configured.filter_map(|model| model.split('/').next()) {
                if !names.iter().any(|name| name == provider) {
                    names.push(provider.to_owned());
                }
            }
            names
        }
    };
    let mut asked = JoinSet::new();
    for (index, provider) in names.into_iter().enumerate() {
        let connection = wire::provider(&provider, only.is_some(), choice.as_ref(), config);
        asked.spawn(async move { (index, ask(provider, connection).await) });
    }
    let mut offers = asked.join_all().await;
    offers.sort_by_key(|(index, _)| *index);
    let failed = offers.iter().any(|(_, offer)| offer.models.is_err());
    let offers: Vec<Offer> = offers.into_iter().map(|(_, offer)| offer).collect();
    if as_json {
        let lines: Vec<Value> = offers.iter().map(|offer| offer.json(&prices)).collect();
        face.out.line(&output::json(&lines));
    } else {
        for offer in &offers {
            face.out.put(&grounding::clean(&offer.text(&prices)));
        }
        face.out.line("Prices are in US dollars per million tokens.");
    }
    // A provider that is not set up is only a failure if the user named it.
    Ok(if only.is_some() && failed { Exit::Failed } else { Exit::Done })
}

async fn ask(provider: String, connection: Result<Connection, ConnectError>) -> Offer {
    let models = match &connection {
        Err(ConnectError::NoKey { variable, .. }) => Err(format!("no API key; set {variable}")),
        Err(error) => Err(error.to_string()),
        Ok(connection) => {
            let mut connection = connection.clone();
            connection.retry_delay = LIST_RETRY_DELAY;
            let models = offered(&connection, LIST_PATIENCE).await;
            models.map_err(|error| match error {
                ListError::Port(PortError::Unreachable { reason, .. }) => {
                    format!("not reachable: {reason}; is the server running?")
                }
                ListError::Port(error) => format!("{error}; {}", help(&error, &connection)),
                ListError::Connect(error) => error.to_string(),
            })
        }
    };
    Offer { provider, connection, models }
}

impl Offer {
    fn address(&self) -> Option<&str> {
        self.connection.as_ref().ok().map(address)
    }

    /// Returns the offered models as they are named here, with their prices.
    fn priced<'a>(
        &'a self,
        prices: &'a Prices,
    ) -> impl Iterator<Item = (String, Option<Price>)> + 'a {
        let local = self.connection.as_ref().is_ok_and(Connection::is_local);
        self.models.iter().flatten().map(move |name| {
            let name = name.split_whitespace().collect::<Vec<_>>().join(" ");
            let id = format!("{}/{name}", self.provider);
            let price = prices.of(&id).or(local.then_some(wire::FREE));
            (id, price)
        })
    }

    fn json(&self, prices: &Prices) -> Value {
        let models: Vec<Value> =
            self.priced(prices).map(|(id, price)| json!({"id": id, "price": price})).collect();
        let protocol = self.connection.as_ref().ok().map(|connection| connection.protocol.name());
        json!({"provider": self.provider, "address": self.address(), "protocol": protocol,
               "asked": self.models.is_ok(), "reason": self.models.as_ref().err(), "models": models})
    }

    fn text(&self, prices: &Prices) -> String {
        let mut text = self.provider.clone();
        if let Some(address) = self.address() {
            let _ = write!(text, "  {address}");
        }
        text.push('\n');
        match &self.models {
            Err(reason) => {
                let _ = writeln!(text, "  not listed: {reason}");
            }
            Ok(models) if models.is_empty() => text.push_str("  offers no models\n"),
            Ok(_) => {
                let priced: Vec<_> = self.priced(prices).collect();
                let width = priced.iter().map(|(id, _)| id.chars().count()).max().unwrap_or(0);
                for (id, price) in priced {
                    let price = price.map_or_else(|| "price unknown".into(), written);
                    let _ = writeln!(text, "  {id:width$}  {price}", width = width.min(60));
                }
            }
        }
        text
    }
}

fn written(price: Price) -> String {
    if price == wire::FREE {
        return "free".into();
    }
    let cached = price.cached_input.map_or_else(String::new, |cached| format!(", {cached} cached"));
    format!("{} in{cached}, {} out", price.input, price.output)
}

/// Returns a server's address without its query.
fn address(connection: &Connection) -> &str {
    connection.base_url.split('?').next().unwrap_or_default()
}

/// What a model is asked to answer with.
#[derive(Serialize, Deserialize, JsonSchema)]
struct Ready {
    /// The word `ready`.
    answer: String,
}

/// The time until the first word.
struct FirstWord {
    began: Instant,
    after: OnceLock<Duration>,
}

impl Words for FirstWord {
    fn hear(&self, piece: &str) {
        if !piece.is_empty() {
            self.after.get_or_init(|| self.began.elapsed());
        }
    }
}

async fn test(
    config: &Config,
    model: Option<String>,
    as_json: bool,
    face: &Face,
) -> Result<Exit, Failure> {
    let choice = chosen(config, model)?;
    let mut names = vec![&choice.main];
    if choice.light != choice.main {
        names.push(&choice.light);
    }
    let mut exit = Exit::Done;
    let mut reports = Vec::new();
    for name in names {
        let (report, _) = try_out(name, &choice, config).await;
        if !report["error"].is_null() {
            exit = Exit::Failed;
        }
        if !as_json {
            face.out.put(&grounding::clean(&told(&report)));
        }
        reports.push(report);
    }
    if as_json {
        face.out.line(&output::json(&reports));
    }
    Ok(exit)
}

/// Returns the models to try: the named one, or the configured ones.
fn chosen(config: &Config, model: Option<String>) -> Result<ModelChoice, Failure> {
    let configured = wire::choice(config);
    match model {
        Some(model) => {
            let base_url = configured.and_then(|choice| choice.base_url);
            let given = || Some(config.models.base_url.clone()).filter(|url| !url.is_empty());
            Ok(ModelChoice { base_url: base_url.or_else(given), ..ModelChoice::of(&model) })
        }
        None => configured.ok_or_else(|| {
            Failure::usage(
                "no model is configured",
                "name one, as in `quaestio models test ollama/qwen3:8b`, or set QUAESTIO_MODEL",
            )
        }),
    }
}

/// Measures how well models read, and stores the results.
async fn calibrate(
    config: &Config,
    model: Option<String>,
    as_json: bool,
    face: &Face,
) -> Result<Exit, Failure> {
    let choice = chosen(config, model)?;
    let folder = wire::data_folder(config)?;
    let prompts = wire::prompts(config)?;
    let models = wire::connect(&choice, config)?;
    let (claims, calls) = calibration::size();
    let mut exit = Exit::Done;
    let mut reports = Vec::new();
    for (name, reader) in choice.all_readers().into_iter().zip(&models.readers) {
        face.err.line(&format!("{name} reads {claims} claims in {calls} calls"));
        let heard = |done: usize| face.err.line(&format!("{done} of {calls}"));
        let deadline = config.models.timeout();
        let measured = calibration::measure(&**reader, &prompts, deadline, heard).await;
        let measured = measured.map_err(|error| {
            Failure::new(
                format!("could not measure {name}: {error}"),
                "nothing was stored; try a single call with `quaestio models test`",
            )
        })?;
        let reads = measured.calibration.reads();
        if !reads {
            exit = Exit::Failed;
        }
        calibrations::keep(&folder, name, measured.calibration.clone())?;
        if as_json {
            reports.push(json!({"model": name, "reads": reads, "measured": measured}));
        } else {
            face.out.put(&grounding::clean(&figures(name, &measured)));
        }
    }
    if as_json {
        face.out.line(&output::json(&reports));
    }
    Ok(exit)
}

/// Returns in words how well a model reads.
fn figures(name: &str, measured: &Measured) -> String {
    const MOST_TOLD: usize = 20;
    let verdict = if measured.calibration.reads() { "ok  " } else { "FAIL" };
    let mut told = format!("{verdict}  {name} {}\n", measured.calibration.told());
    for (language, calibration) in &measured.languages {
        let _ = writeln!(told, "      {language}: {}", calibration.told());
    }
    for misread in measured.misread.iter().take(MOST_TOLD) {
        let what = if misread.passed { "let pass" } else { "refused" };
        let _ = writeln!(told, "      {what} {} ({}): {}", misread.id, misread.kind, misread.claim);
    }
    let more = measured.misread.len().saturating_sub(MOST_TOLD);
    if more > 0 {
        let _ = writeln!(told, "      and {more} more; --json lists them all");
    }
    if !measured.calibration.reads() {
        told.push_str(
            "      It is no better than chance, so Quaestio will not use it as a reader.\n",
        );
    }
    told
}

/// Makes one tiny call in the way that runs make theirs, and returns a report of it.
pub(crate) async fn try_out(
    name: &str,
    choice: &ModelChoice,
    config: &Config,
) -> (Value, TrialOutcome) {
    let failed = |error: String, help: String| {
        let report = json!({"model": name, "reached": false, "error": error, "help": help});
        (report, TrialOutcome::Misconfigured)
    };
    let connection = match wire::build_connection(name, choice, config) {
        Ok(connection) => connection,
        Err(failure) => return failed(failure.what, failure.hint),
    };
    let model = match ChatModel::new(connection.clone()) {
        Ok(model) => model,
        Err(error) => {
            return failed(error.to_string(), "correct the API key or the base URL".into());
        }
    };
    let request = ChatRequest {
        system: "Answer with a JSON object whose field `answer` is the word ready.".into(),
        turns: vec![Turn { speaker: Speaker::User, text: "Are you there?".into() }],
        schema: Some(run::schema::of::<Ready>()),
        temperature: 0.0,
        max_tokens: TEST_TOKENS,
        streamed: true,
        deadline: config.models.timeout().min(Duration::from_secs(60)),
    };
    let first = FirstWord { began: Instant::now(), after: OnceLock::new() };
    let outcome = model.chat(&request, &first).await;
    let milliseconds = |time: Duration| time.as_millis() as u64;
    let mut report = json!({
        "model": name,
        "address": address(&connection),
        "protocol": model.protocol().name(),
        "structured_output": model.form().name(),
        "total_ms": milliseconds(first.began.elapsed()),
        "error": null,
    });
    let class = match outcome {
        Err(error) => {
            let reached =
                !matches!(error, PortError::Unreachable { .. } | PortError::TimedOut { .. });
            report["reached"] = json!(reached);
            report["help"] = json!(help(&error, &connection));
            report["error"] = json!(error.to_string());
            classify(&error)
        }
        Ok(ChatReply { text, usage, cut_off }) => {
            report["reached"] = json!(true);
            report["streaming"] = json!(model.streams());
            report["first_word_ms"] = json!(first.after.get().copied().map(milliseconds));
            report["input_tokens"] = json!(usage.input_tokens);
            report["cached_tokens"] = json!(usage.cached_tokens);
            report["output_tokens"] = json!(usage.output_tokens);
            let cost = model.price().map(|price| dollars(price.cost_usd_micros(usage)));
            report["cost_usd"] = json!(cost);
            let fits = tolerant::read(&text)
                .is_ok_and(|read| serde_json::from_value::<Ready>(read.value).is_ok());
            if cut_off || !fits {
                let why = if cut_off { "was cut off" } else { "is not the requested object" };
                report["error"] = json!(format!("{name} answered, but its reply {why}"));
                report["help"] = json!(
                    "use a model that supports structured replies, or change models.structured"
                );
                TrialOutcome::Unsuitable
            } else {
                TrialOutcome::Works
            }
        }
    };
    (report, class)
}

/// Returns the class of an error of a provider.
pub(crate) fn classify(error: &PortError) -> TrialOutcome {
    match error {
        PortError::Unreachable { .. } | PortError::TimedOut { .. } => TrialOutcome::Unreachable,
        PortError::Refused { status: 401 | 403, .. } => TrialOutcome::KeyRefused,
        PortError::Refused { status: 402, .. } | PortError::Limited { .. } => TrialOutcome::Limited,
        PortError::Refused { status: 404, .. } => TrialOutcome::UnknownModel,
        PortError::Invalid { .. } => TrialOutcome::Misconfigured,
        PortError::Malformed { .. } => TrialOutcome::Unsuitable,
        _ => TrialOutcome::Failed,
    }
}

fn told(report: &Value) -> String {
    let text = |key: &str| report[key].as_str().unwrap_or_default();
    let number = |key: &str| report[key].as_u64();
    let mut told = match report["error"].as_str() {
        None => format!("ok    {}\n", text("model")),
        Some(error) => {
            format!("FAIL  {}\n      {error}\n      help: {}\n", text("model"), text("help"))
        }
    };
    let mut line = |name: &str, value: String| {
        let _ = writeln!(told, "      {name:18} {value}");
    };
    if report["protocol"].is_string() {
        line("protocol", format!("{} at {}", text("protocol"), text("address")));
    }
    if let (Some(read), Some(cached), Some(generated)) =
        (number("input_tokens"), number("cached_tokens"), number("output_tokens"))
    {
        line("structured output", text("structured_output").to_owned());
        let first = number("first_word_ms")
            .map_or_else(String::new, |ms| format!(", first word after {ms} ms"));
        let streams = if report["streaming"] == true { "yes" } else { "no" };
        line("streaming", format!("{streams}{first}"));
        line("tokens", format!("{read} in ({cached} cached), {generated} out"));
        let cost = report["cost_usd"].as_f64();
        line("cost", cost.map_or_else(|| "not known".into(), |cost| format!("${cost:.6}")));
    }
    told
}

/// Returns what to do about an error of a provider.
fn help(error: &PortError, connection: &Connection) -> String {
    let provider = connection.id.split('/').next().unwrap_or_default();
    let variable = ::models::provider_of(provider).and_then(|provider| provider.key_variable);
    match error {
        PortError::Unreachable { .. } => {
            format!("start a server at {}, or give another address with --base-url", address(connection))
        }
        PortError::Refused { status: 401 | 403, .. } => match variable {
            Some(variable) => format!("check the API key in {KEY_VARIABLE} or {variable}"),
            None => format!("check the API key in {KEY_VARIABLE}"),
        },
        PortError::Refused { status: 402, .. } => "add credit to your account".into(),
        PortError::Refused { status: 404, .. } => format!(
            "check the name and the base URL; list the models with `quaestio models list --provider {provider}`"
        ),
        PortError::Limited { .. } => "wait a while, or check the limits of your account".into(),
        PortError::TimedOut { .. } => "try again, or raise models.timeout_seconds".into(),
        PortError::Failed { .. } => "the provider has a problem; try again later".into(),
        _ => "check the name, the API key and the base URL; `quaestio config show` shows where they come from".into(),
    }
}
