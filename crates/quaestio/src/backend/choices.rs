//! The choices that a user has when ordering a run.

use app::{
    BudgetChoice, Choices, FormatChoice, Limits, MethodChoice, ModelName, SourceChoice,
    StrategyChoice,
};
use clap::ValueEnum;
use papers::Source;
use run::{Method, Methods};

use crate::config::{Config, Network};
use crate::export::ExportFormat;
use crate::submission::{self, Kind};
use crate::wire::{self, Tools};

/// Returns the choices of a user; the caller fills in the number of collections.
pub(super) async fn choices(
    config: &Config,
    methods: &Methods,
    tools: &Tools,
    user: &str,
) -> Choices {
    let models = submission::list_models(config);
    let models = models.into_iter().map(|(name, role)| ModelName { name, role: role.into() });
    let budget = config.budget.budget();
    let default_sources = |method: &Method| {
        let sources = (Kind::find(method.name).default_sources)(config)?;
        let sources = sources.into_iter().map(|source| source.to_string());
        Some((method.name.to_owned(), sources.collect()))
    };
    Choices {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        methods: methods.iter().map(|one| method(one, config, user)).collect(),
        models: models.collect(),
        default_model: wire::choice(config).map(|choice| choice.main),
        sources: sources(config, tools).await,
        network: config.sources.network != Network::Cached,
        default_sources: methods.iter().filter_map(default_sources).collect(),
        collections: 0,
        budget: BudgetChoice {
            max_cost_usd: budget.max_cost_usd_micros.map(run::budget::dollars),
            max_tokens: budget.max_tokens,
            max_steps: budget.max_steps,
            max_wall_seconds: budget.max_wall_seconds,
        },
        limits: Limits {
            upload_bytes: config.server.upload_bytes.min(config.corpus.file_bytes),
            question_chars: config.server.question_chars,
        },
        formats: formats(),
        default_style: config.bibliography.style.clone(),
        upload_formats: upload_formats(config),
        embedder: Some(config.embedder.model.clone()).filter(|name| !name.is_empty()),
    }
}

/// Returns the file name extensions of what can be added; pictures only if scans are read.
fn upload_formats(config: &Config) -> Vec<String> {
    let pictures = config.corpus.ocr().map(|_| corpus::Format::Image.extensions());
    let pictures = pictures.unwrap_or_default().iter().copied();
    corpus::endings().into_iter().chain(pictures).map(str::to_owned).collect()
}

async fn sources(config: &Config, tools: &Tools) -> Vec<SourceChoice> {
    let outside = tools.outside().await;
    let choice = |source: Source| {
        let why_not = match &outside {
            Err(failure) => Some(failure.what.clone()),
            Ok(outside) => wire::ready(outside, &[source]).err().map(|failure| failure.what),
        };
        SourceChoice {
            name: source.to_string(),
            title: source.title().into_owned(),
            available: why_not.is_none(),
            why_not,
        }
    };
    let servers = config.servers().map(|(name, _)| Source::Mcp(name));
    Source::FIXED.into_iter().chain(servers).map(choice).collect()
}

/// Describes the formats in which a result is exported.
fn formats() -> Vec<FormatChoice> {
    let choice = |format: &ExportFormat| {
        let spec = format.spec();
        FormatChoice {
            name: format.name(),
            title: spec.title.to_owned(),
            group: spec.group.name().to_owned(),
            media_type: spec.media_type.to_owned(),
            methods: spec.methods.iter().map(|one| (*one).to_owned()).collect(),
        }
    };
    let built = ExportFormat::value_variants().iter().filter(|format| format.is_built());
    built.map(choice).collect()
}

/// Describes a method for the user's choice.
fn method(method: &Method, config: &Config, user: &str) -> MethodChoice {
    let before = method.plans_first && config.workflow.needs_approval(user);
    MethodChoice {
        name: method.name.to_owned(),
        title: method.title.to_owned(),
        description: method.description.to_owned(),
        version: method.version,
        fields: method.fields.iter().map(|field| (*field).to_owned()).collect(),
        strategies: if method.fields.contains(&"strategy") { strategies() } else { vec![] },
        clarify: before,
        plan: before,
    }
}

fn strategies() -> Vec<StrategyChoice> {
    let strategy = |name: &str, title: &str, description: &str| StrategyChoice {
        name: name.to_owned(),
        title: title.to_owned(),
        description: description.to_owned(),
        needs_collection: name == "rag",
        asks_sources: matches!(name, "search" | "deep"),
        is_planned: name == "deep",
    };
    vec![
        strategy(
            "rag",
            "My documents",
            "Answers from your documents only, without asking outside sources.",
        ),
        strategy(
            "search",
            "Papers and the web",
            "Searches papers and the web, reads them, and answers from them.",
        ),
        strategy(
            "deep",
            "Planned",
            "Plans tasks over your documents, papers, the web and questions to you, and writes a report.",
        ),
        strategy(
            "direct",
            "The model alone",
            "Uses no evidence; the answer is marked as unchecked.",
        ),
    ]
}
