//! The command line.

mod bundles;
mod config;
mod contexts;
mod db;
mod eval;
mod examples;
mod get;
mod init;
mod library;
mod method;
mod output;
mod overview;
mod results;
mod runs;
mod survey;
#[cfg(test)]
mod written;

use std::ffi::{OsStr, OsString};
use std::num::NonZeroUsize;
use std::path::PathBuf;

use anstyle::AnsiColor;
use clap::builder::{
    PossibleValue, StringValueParser, Styles, TypedValueParser, ValueParserFactory,
};
use clap::{ArgAction, Args, Parser, Subcommand, ValueEnum};
use papers::Source;

pub(crate) use self::bundles::{AttachArgs, ReplayArgs, VerifyArgs, VerifyFormat};
pub(crate) use self::config::{
    ConfigCommand, ConfigShowArgs, DoctorArgs, PromptsCommand, TextOrJson,
};
pub(crate) use self::contexts::{ContextFields, ContextsCommand};
pub(crate) use self::db::DbCommand;
pub(crate) use self::eval::{EvalArgs, EvalCommand, EvalOrder, Printed, ReportArg};
pub(crate) use self::get::GetArgs;
pub(crate) use self::init::{InitArgs, WebSearch};
pub(crate) use self::library::{
    CollectionsCommand, DocumentsCommand, IngestArgs, ListFormat, SearchArgs,
};
pub(crate) use self::method::{MethodArgs, build_command, parse};
pub(crate) use self::output::{Json, OutputArgs, OutputPath};
pub(crate) use self::results::{RenderArgs, ValidateArgs};
pub(crate) use self::runs::RunsCommand;
pub(crate) use self::survey::{
    Banner, CorrectionArg, InfoFormat, SurveyCommand, SurveyData, TableFormat, TestArg,
};

/// The headings under which `--help` lists options.
mod heading {
    pub(super) const QUESTION: &str = "Question";
    pub(super) const DOCUMENTS: &str = "Documents";
    pub(super) const SOURCES: &str = "Papers and web";
    pub(super) const REPORT: &str = "Report";
    pub(super) const OUTPUT: &str = "Output";
    pub(super) const APPROVAL: &str = "Approval";
    pub(super) const LIMITS: &str = "Cost and limits";
    pub(super) const JUDGE: &str = "Judging";
    pub(super) const MODEL: &str = "Model";
    pub(super) const GLOBAL: &str = "Global";
}

/// Ask a hard question. Get an answer you can check.
///
/// Quaestio binds every sentence of an answer to a quote in your sources, and checks the quote by program.
/// Without a model, it answers by quoting your documents.
#[derive(Debug, Parser)]
#[command(
    name = "quaestio",
    version = env!("QUAESTIO_VERSION"),
    propagate_version = true,
    disable_help_flag = true,
    disable_version_flag = true,
    after_help = examples::QUAESTIO,
    styles = STYLES
)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) common: Common,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// The command with which this program starts itself to read files.
pub(crate) const READER_COMMAND: &str = "read-files";

/// Returns the arguments with every `--set KEY=VALUE` moved to the end, in order.
///
/// A flag that every command has may stand before and after the command; the parser would keep those of one place only
/// and silently drop the others.
pub(crate) fn settings_last(args: Vec<OsString>) -> Vec<OsString> {
    let (mut rest, mut settings) = (Vec::with_capacity(args.len()), Vec::new());
    let mut args = args.into_iter();
    while let Some(arg) = args.next() {
        if arg == "--" {
            // What follows is not a flag, and stays where it is.
            rest.append(&mut settings);
            rest.push(arg);
            rest.extend(args);
            return rest;
        }
        if arg == "--set" {
            settings.push(arg);
            settings.extend(args.next());
        } else if arg.to_string_lossy().starts_with("--set=") {
            settings.push(arg);
        } else {
            rest.push(arg);
        }
    }
    rest.append(&mut settings);
    rest
}

/// How help and errors of usage look on a terminal.
const STYLES: Styles = Styles::styled()
    .header(AnsiColor::Cyan.on_default().bold())
    .usage(AnsiColor::Cyan.on_default().bold())
    .literal(AnsiColor::Green.on_default().bold())
    .placeholder(AnsiColor::Green.on_default())
    .error(AnsiColor::Red.on_default().bold())
    .valid(AnsiColor::Green.on_default())
    .invalid(AnsiColor::Yellow.on_default());

/// When output is styled and has links.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum ColorArg {
    /// On a terminal, unless `NO_COLOR` or `TERM=dumb` is set; everywhere if `CLICOLOR_FORCE` is set.
    #[default]
    Auto,
    Always,
    Never,
}

impl ColorArg {
    /// Returns what arguments ask for that cannot be read otherwise.
    pub(crate) fn wanted(args: &[OsString]) -> ColorArg {
        let mut wanted = ColorArg::Auto;
        let words = args.iter().map(|arg| arg.to_string_lossy()).take_while(|arg| arg != "--");
        let mut is_next = false;
        for word in words {
            let value = if is_next { Some(&*word) } else { word.strip_prefix("--color=") };
            wanted = value.and_then(|one| ColorArg::from_str(one, true).ok()).unwrap_or(wanted);
            is_next = word == "--color";
        }
        wanted
    }
}

/// Options that every command accepts.
#[derive(Debug, Clone, Args)]
pub(crate) struct Common {
    /// Use this model, such as ollama/qwen3:8b [default: models.main].
    ///
    /// Write provider/name, for example openai/gpt-4.1-mini. The API key comes from the provider's own variable, such as OPENAI_API_KEY, or from QUAESTIO_API_KEY. `quaestio models list`
    /// shows the models you can use.
    #[arg(long, global = true, value_name = "PROVIDER/NAME", help_heading = heading::MODEL)]
    pub(crate) model: Option<String>,
    /// Use no model: answer by quoting documents.
    #[arg(long, global = true, conflicts_with = "model", help_heading = heading::MODEL)]
    pub(crate) no_model: bool,
    /// Address of the model server, such as http://localhost:8000/v1.
    ///
    /// [default: the provider's own address]
    #[arg(long, global = true, value_name = "URL", help_heading = heading::MODEL)]
    pub(crate) base_url: Option<String>,
    /// Use this model for simple steps, to save cost [default: the main model].
    #[arg(long, global = true, value_name = "PROVIDER/NAME", hide_short_help = true, help_heading = heading::MODEL)]
    pub(crate) light_model: Option<String>,
    /// Embedding model for search by meaning [default: none].
    ///
    /// Give a model folder, the name of a model in the Hugging Face cache, or provider/name for a server. Nothing is downloaded.
    #[arg(long, global = true, value_name = "NAME", hide_short_help = true, help_heading = heading::MODEL)]
    pub(crate) embedder: Option<String>,
    /// Use a profile: quick, thorough, or your own.
    #[arg(long, global = true, value_name = "NAME", help_heading = heading::GLOBAL)]
    pub(crate) profile: Option<String>,
    /// Change a setting for this command; repeatable.
    ///
    /// `quaestio config show --all` lists the settings.
    #[arg(long = "set", global = true, value_name = "KEY=VALUE", help_heading = heading::GLOBAL)]
    pub(crate) settings: Vec<String>,
    /// Keep runs and documents in this folder [default: see `quaestio doctor`].
    #[arg(long, global = true, value_name = "FOLDER", help_heading = heading::GLOBAL)]
    pub(crate) data_dir: Option<PathBuf>,
    /// Contact no paper or web source; use cached results only.
    ///
    /// A configured model is still contacted.
    #[arg(long, global = true, help_heading = heading::GLOBAL)]
    pub(crate) no_network: bool,
    /// Ignore cached results and ask the sources again.
    #[arg(long, global = true, conflicts_with = "no_network", hide_short_help = true, help_heading = heading::GLOBAL)]
    pub(crate) refresh: bool,
    /// Keep runs and documents in a PostgreSQL database, such as postgres://user@host/name.
    #[arg(long, global = true, value_name = "URL", hide_short_help = true, help_heading = heading::GLOBAL)]
    pub(crate) database: Option<String>,
    /// Read this configuration file instead of your own.
    #[arg(long, global = true, value_name = "FILE", hide_short_help = true, help_heading = heading::GLOBAL)]
    pub(crate) config: Option<PathBuf>,
    /// Read environment variables from this file of NAME=value lines.
    ///
    /// Variables that are already set take precedence.
    #[arg(long = "env-file", global = true, value_name = "FILE", hide_short_help = true, help_heading = heading::GLOBAL)]
    pub(crate) env_files: Vec<PathBuf>,
    /// Show no progress; errors still appear.
    #[arg(long, short, global = true, help_heading = heading::GLOBAL)]
    pub(crate) quiet: bool,
    /// When to style output.
    #[arg(long, global = true, value_name = "WHEN", value_enum, default_value_t, hide_short_help = true, help_heading = heading::GLOBAL)]
    pub(crate) color: ColorArg,
    /// Show help: `-h` in short, `--help` in full.
    #[arg(long, short, global = true, action = ArgAction::Help, help_heading = heading::GLOBAL)]
    pub(crate) help: Option<bool>,
    /// Show the version.
    #[arg(long, short = 'V', global = true, action = ArgAction::Version, hide_short_help = true, help_heading = heading::GLOBAL)]
    pub(crate) version: Option<bool>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Set up a model, your documents and web search.
    ///
    /// Quaestio asks three questions, tests what you choose, and ends with a first question to try.
    Init(InitArgs),
    /// Answer a question from documents, papers, the web or a model.
    #[command(after_help = examples::ASK)]
    Ask(AskArgs),
    /// Research a question step by step and write a cited report.
    ///
    /// Quaestio plans tasks, searches your documents, papers and the web, asks you where it must, and writes the report. This is short
    /// for `quaestio ask --strategy deep`.
    #[command(after_help = examples::DEEP)]
    Deep(QuestionArgs),
    /// Propose hypotheses from the literature and rank them.
    ///
    /// Each hypothesis is criticised, compared with the others, and the best are written up with their evidence.
    #[command(after_help = examples::HYPOTHESIZE)]
    Hypothesize(HypothesizeArgs),
    /// Analyse a market: questions, a plan, your approval, a report.
    ///
    /// Quaestio asks what is unclear, proposes a plan, and starts the research when you approve it.
    #[command(after_help = examples::MARKET)]
    Market(MarketArgs),
    /// Let two scientists debate until a proposal with code stands.
    ///
    /// The optimist proposes a solution with code. The code is run, and the pessimist criticises the proposal.
    #[command(after_help = examples::DEBATE)]
    Debate(DebateArgs),
    /// Inspect survey data, make banner tables, and store surveys.
    #[command(subcommand)]
    Survey(Box<SurveyCommand>),
    /// Summarise survey data, with every figure recomputed.
    #[command(after_help = examples::BRIEF)]
    Brief(BriefArgs),
    /// Check any text against documents, sentence by sentence.
    #[command(after_help = examples::CHECK)]
    Check(CheckArgs),
    /// Validate a result file: its shape, claims, citations, totals.
    Validate(ValidateArgs),
    /// Turn a result file into a report.
    Render(RenderArgs),
    /// Verify that a bundle is unchanged and follows from its log.
    ///
    /// Quaestio also looks up every quote of the result in its source.
    Verify(VerifyArgs),
    /// Repeat the run in a bundle from its log alone.
    Replay(ReplayArgs),
    /// Attach a signature or a timestamp to a bundle.
    Attach(AttachArgs),
    #[command(after_help = examples::EVAL)]
    Eval(Box<EvalArgs>),
    /// Search for papers and web pages.
    Search(SearchArgs),
    /// Add files, folders, web pages and papers to a collection.
    #[command(after_help = examples::INGEST)]
    Ingest(IngestArgs),
    /// List, show or remove collections.
    #[command(subcommand)]
    Collections(CollectionsCommand),
    /// List the documents of a collection, or show one.
    #[command(subcommand)]
    Documents(DocumentsCommand),
    /// List, show, resume, answer, approve, compare or export runs.
    #[command(subcommand)]
    Runs(RunsCommand),
    /// Store what you know about a startup, for market analyses.
    #[command(subcommand)]
    Contexts(ContextsCommand),
    /// Back up, copy or check the database.
    #[command(subcommand)]
    Db(DbCommand),
    /// Serve the web page and the HTTP API.
    #[command(after_help = examples::SERVE)]
    Serve(ServeArgs),
    /// Work on queued runs of a server that uses the same database.
    Worker(WorkerArgs),
    /// Offer the methods as tools over the Model Context Protocol.
    ///
    /// The command speaks over standard input and output. An MCP client starts this command itself. Its runs are ordinary runs: they appear in `quaestio runs list`, and resume when the
    /// client starts the command again.
    Mcp,
    /// List models and their prices, or test them.
    #[command(subcommand)]
    Models(ModelsCommand),
    /// Test the embedding model.
    #[command(subcommand)]
    Embedders(EmbeddersCommand),
    /// List, show or export the prompts.
    #[command(subcommand)]
    Prompts(PromptsCommand),
    /// Show, explain and find settings.
    #[command(subcommand)]
    Config(ConfigCommand),
    /// Check the models, sources, database and data folder.
    ///
    /// Each source is asked one small question, unless you add --no-network.
    Doctor(DoctorArgs),
    /// A method that has no command of its own.
    #[command(skip)]
    Method(Box<MethodArgs>),
    /// Read files for another run of this program.
    #[command(name = READER_COMMAND, hide = true)]
    ReadFiles,
    /// Ask a running server or worker whether it is ready.
    ///
    /// The exit code is 0 if it is ready, else 1.
    Health {
        /// Where it serves metrics: server.metrics_listen, or --metrics of a worker.
        #[arg(value_name = "ADDRESS")]
        address: std::net::SocketAddr,
    },
    /// Write the reference pages of the manual.
    #[command(hide = true)]
    Reference { folder: PathBuf },
    /// Print shell completions.
    Completions {
        /// Your shell.
        shell: clap_complete::Shell,
    },
    /// Print the manual page, or write all manual pages.
    Man {
        /// Folder for the pages: quaestio.1, quaestio-ask.1 and so on.
        folder: Option<PathBuf>,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Markdown.
    Md,
    Json,
    Html,
    /// Plain text.
    Text,
}

/// How what `check` found is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum CheckFormat {
    /// Markdown.
    Md,
    Json,
    /// One JSON object per sentence.
    Jsonl,
    Html,
    /// Plain text.
    Text,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum StrategyArg {
    /// The model alone. The answer is marked as unchecked (v001).
    #[value(alias = "v001")]
    Direct,
    /// Papers and web pages; every sentence is checked (v002).
    #[value(alias = "v002")]
    Search,
    /// Your documents; every sentence is checked (v003).
    #[value(alias = "v003")]
    Rag,
    /// A planned report over your documents, papers and the web; every sentence is checked (v004).
    #[value(alias = "v004")]
    Deep,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum DepthArg {
    /// One page, after one round of research.
    Quick,
    /// A few pages, to decide on.
    Standard,
    /// A survey of the field.
    Exhaustive,
}

#[derive(Debug, Args)]
pub(crate) struct AskArgs {
    /// How to answer [default: rag if there are documents, otherwise direct].
    #[arg(long, help_heading = heading::QUESTION)]
    pub(crate) strategy: Option<StrategyArg>,
    #[command(flatten)]
    pub(crate) asked: QuestionArgs,
}

/// A question, and where its answer is looked for.
#[derive(Debug, Args)]
pub(crate) struct QuestionArgs {
    /// Your question, in quotation marks.
    #[arg(required_unless_present = "goes_on_from")]
    pub(crate) question: Option<String>,
    /// Build on an earlier deep run: its id, the beginning of its id, or `last`.
    ///
    /// Quaestio reads what that run cites first, and searches only for what it leaves open. Without a question but with --refresh, it
    /// asks the earlier question again and reports what has changed.
    #[arg(long = "continue", value_name = "RUN", help_heading = heading::QUESTION)]
    pub(crate) goes_on_from: Option<String>,
    /// Answer from these files and folders.
    ///
    /// They are read for this run only. Use `quaestio ingest` to keep documents for later questions.
    #[arg(long, value_name = "PATH", num_args = 1.., conflicts_with = "collection", help_heading = heading::DOCUMENTS)]
    pub(crate) docs: Vec<PathBuf>,
    /// Answer from this collection [default: `default`, if it exists].
    #[arg(long, value_name = "NAME", help_heading = heading::DOCUMENTS)]
    pub(crate) collection: Option<String>,
    /// Use only documents with this metadata; repeatable.
    #[arg(long = "where", value_name = "KEY=VALUE", help_heading = heading::DOCUMENTS)]
    pub(crate) filter: Vec<String>,
    /// Name the company that the question is about.
    ///
    /// Only documents about it are used, as with --where company=NAME. Planning, web searches and the model see the name too.
    #[arg(long, value_name = "NAME", help_heading = heading::DOCUMENTS)]
    pub(crate) company: Option<String>,
    /// Search these sources; for the strategies search and deep [default: sources.asked].
    #[arg(long = "source", value_name = "SOURCE", value_delimiter = ',', help_heading = heading::SOURCES)]
    pub(crate) sources: Vec<SourceArg>,
    /// Search no papers and no web: use only --docs or --collection.
    #[arg(long, conflicts_with = "sources", help_heading = heading::SOURCES)]
    pub(crate) own_documents: bool,
    /// Length and effort of a deep report [default: standard (ask.report.depth)].
    #[arg(long, value_enum, help_heading = heading::REPORT)]
    pub(crate) depth: Option<DepthArg>,
    /// Longest report, in words [default: set by --depth].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(50..=20_000), help_heading = heading::REPORT)]
    pub(crate) words: Option<u32>,
    /// Language of the report [default: the language of the question].
    #[arg(long, value_name = "LANGUAGE", help_heading = heading::REPORT)]
    pub(crate) language: Option<String>,
    /// Readers of the report, such as "a team lead who decides".
    #[arg(long, value_name = "READERS", help_heading = heading::REPORT)]
    pub(crate) audience: Option<String>,
    /// Form of the report, such as "a two-page memo" or "a checklist".
    #[arg(long = "as", value_name = "FORM", help_heading = heading::REPORT)]
    pub(crate) form: Option<String>,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
    #[command(flatten)]
    pub(crate) before: Before,
    /// Most questions a deep run may ask you; 0 for none [default: 3 (ask.deep.max_questions)].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=10), help_heading = heading::APPROVAL)]
    pub(crate) max_questions: Option<u32>,
    #[command(flatten)]
    pub(crate) caps: Caps,
}

/// What comes before the method.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = heading::APPROVAL)]
pub(crate) struct Before {
    /// Show a plan first, and start only when you approve it.
    #[arg(long)]
    pub(crate) plan: bool,
    /// Ask you first about anything the question leaves unclear.
    #[arg(long, overrides_with = "no_clarify")]
    pub(crate) clarify: bool,
    /// Ask you nothing first.
    #[arg(long, overrides_with = "clarify")]
    pub(crate) no_clarify: bool,
    #[command(flatten)]
    pub(crate) said: Said,
    /// Start from this startup context; `quaestio contexts list` shows them.
    #[arg(long, value_name = "ID")]
    pub(crate) startup: Option<String>,
    /// Start without a startup context.
    #[arg(long, conflicts_with = "startup")]
    pub(crate) no_startup: bool,
}

/// What is said beforehand to what a run will ask.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = heading::APPROVAL)]
pub(crate) struct Said {
    /// Approve every plan without asking.
    #[arg(long)]
    pub(crate) yes: bool,
    /// Answer the run's questions from a JSON file: {"q1": "…"} or a list.
    ///
    /// Questions without an answer in the file are skipped.
    #[arg(long, value_name = "FILE.json")]
    pub(crate) answers: Option<PathBuf>,
}

/// What a run may cost.
#[derive(Debug, Args)]
#[command(next_help_heading = heading::LIMITS)]
pub(crate) struct Caps {
    /// Show what the run would cost, and stop there.
    #[arg(long)]
    pub(crate) estimate: bool,
    /// Spend at most this much, in US dollars [default: 1.00 (budget.max_cost_usd)].
    #[arg(long, value_name = "USD", value_parser = amount, allow_negative_numbers = true)]
    pub(crate) max_cost: Option<f64>,
    /// Use at most this many tokens [default: budget.max_tokens].
    #[arg(long, value_name = "N", value_parser = whole_number)]
    pub(crate) max_tokens: Option<u64>,
    /// Take at most this many steps [default: budget.max_steps].
    #[arg(long, value_name = "N", value_parser = whole_number)]
    pub(crate) max_steps: Option<u64>,
    /// Work at most this long, in seconds [default: budget.max_wall_seconds].
    #[arg(long, value_name = "SECONDS", value_parser = whole_number)]
    pub(crate) max_seconds: Option<u64>,
}

/// Reads an amount of money.
fn amount(text: &str) -> Result<f64, String> {
    let read = text.parse().ok().filter(|amount: &f64| amount.is_finite() && *amount >= 0.0);
    read.ok_or_else(|| "write an amount in US dollars, such as 0.50".to_owned())
}

fn whole_number(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| "write a whole number, such as 1000".to_owned())
}

/// Reads where to listen.
fn address(text: &str) -> Result<std::net::SocketAddr, String> {
    text.parse().map_err(|_| "write an address and a port, such as 127.0.0.1:8400".to_owned())
}

#[derive(Debug, Args)]
pub(crate) struct HypothesizeArgs {
    /// Your question, in quotation marks.
    pub(crate) question: String,
    /// Field of research [default: "general science" (hypothesize.domain)].
    #[arg(long, value_name = "TEXT", help_heading = heading::QUESTION)]
    pub(crate) domain: Option<String>,
    /// What the hypotheses are for [default: hypothesize.objective].
    #[arg(long, value_name = "TEXT", help_heading = heading::QUESTION)]
    pub(crate) objective: Option<String>,
    /// Write up this many of the best hypotheses [default: 3 (hypothesize.top)].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=8), help_heading = heading::QUESTION)]
    pub(crate) top: Option<u32>,
    /// Read these files and folders as well as papers, for this run only.
    #[arg(long, value_name = "PATH", num_args = 1.., conflicts_with = "collection", help_heading = heading::DOCUMENTS)]
    pub(crate) docs: Vec<PathBuf>,
    /// Search this collection as well as papers.
    #[arg(long, value_name = "NAME", help_heading = heading::DOCUMENTS)]
    pub(crate) collection: Option<String>,
    /// Search these sources for papers [default: semantic-scholar (hypothesize.asked)].
    #[arg(long = "source", value_name = "SOURCE", value_delimiter = ',', help_heading = heading::SOURCES)]
    pub(crate) sources: Vec<SourceArg>,
    /// Search no papers: use only --docs or --collection.
    #[arg(long, conflicts_with = "sources", help_heading = heading::SOURCES)]
    pub(crate) own_documents: bool,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
    /// Accepted for the sake of scripts: there is one mode.
    #[arg(long, value_name = "MODE", hide = true)]
    pub(crate) mode: Option<ModeArg>,
    #[command(flatten)]
    pub(crate) before: Before,
    #[command(flatten)]
    pub(crate) caps: Caps,
}

#[derive(Debug, Args)]
pub(crate) struct MarketArgs {
    /// Your product and market, in your own words.
    pub(crate) message: String,
    /// Read these files and folders as well, for this run only.
    #[arg(long, value_name = "PATH", num_args = 1.., conflicts_with = "collection", help_heading = heading::DOCUMENTS)]
    pub(crate) docs: Vec<PathBuf>,
    /// Search this collection as well.
    #[arg(long, value_name = "NAME", help_heading = heading::DOCUMENTS)]
    pub(crate) collection: Option<String>,
    /// Search these sources for pages and papers [default: web, openalex (market.asked)].
    #[arg(long = "source", value_name = "SOURCE", value_delimiter = ',', help_heading = heading::SOURCES)]
    pub(crate) sources: Vec<SourceArg>,
    /// Search no papers and no web: use only --docs or --collection.
    #[arg(long, conflicts_with = "sources", help_heading = heading::SOURCES)]
    pub(crate) own_documents: bool,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
    #[command(flatten)]
    pub(crate) before: Before,
    #[command(flatten)]
    pub(crate) caps: Caps,
}

#[derive(Debug, Args)]
pub(crate) struct DebateArgs {
    /// Your question, in quotation marks.
    pub(crate) question: String,
    /// Most rounds of proposal and review [default: 4 (debate.max_turns)].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=50), help_heading = heading::QUESTION)]
    pub(crate) max_turns: Option<u32>,
    /// Read this web page before the first round.
    #[arg(long, value_name = "URL", help_heading = heading::QUESTION)]
    pub(crate) url: Option<String>,
    /// Earlier conversation, oldest first: a JSON list of {"role": "user", "content": "…"}.
    #[arg(long, value_name = "FILE.json", help_heading = heading::QUESTION)]
    pub(crate) history: Option<PathBuf>,
    /// Search these files and folders as well as papers, for this run only.
    #[arg(long, value_name = "PATH", num_args = 1.., conflicts_with = "collection", help_heading = heading::DOCUMENTS)]
    pub(crate) docs: Vec<PathBuf>,
    /// Search this collection as well as papers.
    #[arg(long, value_name = "NAME", help_heading = heading::DOCUMENTS)]
    pub(crate) collection: Option<String>,
    /// Search arxiv, crossref or both for papers [default: both].
    #[arg(long = "source", value_name = "SOURCE", value_delimiter = ',', help_heading = heading::SOURCES)]
    pub(crate) sources: Vec<SourceArg>,
    /// Search neither arXiv nor Crossref: use --docs, --collection, --url and papers read before.
    #[arg(long, conflicts_with = "sources", help_heading = heading::SOURCES)]
    pub(crate) own_documents: bool,
    // Without --format and --output, a terminal shows the debate as it comes.
    #[command(flatten)]
    pub(crate) output: OutputArgs,
    #[command(flatten)]
    pub(crate) before: Before,
    #[command(flatten)]
    pub(crate) caps: Caps,
}

#[derive(Debug, Args)]
pub(crate) struct BriefArgs {
    /// Your question about the survey, in quotation marks.
    pub(crate) question: String,
    /// Survey files or a folder: SPSS, CSV, XLSX, Parquet or Triple-S.
    ///
    /// Codebooks and a survey.toml in the folder are read too.
    #[arg(long, value_name = "PATH", num_args = 1.., required_unless_present = "survey", conflicts_with = "survey", help_heading = heading::DOCUMENTS)]
    pub(crate) data: Vec<PathBuf>,
    /// A survey stored with `quaestio survey add`.
    #[arg(long, value_name = "NAME", help_heading = heading::DOCUMENTS)]
    pub(crate) survey: Option<String>,
    /// How to work [default: pipeline (brief.loop)].
    #[arg(long = "loop", value_name = "LOOP", value_enum, help_heading = heading::QUESTION)]
    pub(crate) way: Option<WayArg>,
    /// Most rounds of exploration, or of the simple loop [default: 4 (brief.max_explore_iters)].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=50), help_heading = heading::QUESTION)]
    pub(crate) max_explore: Option<u32>,
    /// Most drafts [default: 3 (brief.max_refine_iters)].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=20), help_heading = heading::QUESTION)]
    pub(crate) max_refine: Option<u32>,
    /// Also write the banner tables behind the summary to this workbook.
    #[arg(long, value_name = "FILE.xlsx", help_heading = heading::OUTPUT)]
    pub(crate) tables: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
    #[command(flatten)]
    pub(crate) before: Before,
    #[command(flatten)]
    pub(crate) caps: Caps,
}

#[derive(Debug, Args)]
pub(crate) struct CheckArgs {
    /// The text to check; - reads standard input.
    ///
    /// Markdown, plain text, or JSON lines with `claim` and either `quotes` or `cites`.
    pub(crate) file: PathBuf,
    /// Check against these files and folders.
    #[arg(long, value_name = "PATH", num_args = 1.., conflicts_with = "collection", help_heading = heading::DOCUMENTS)]
    pub(crate) docs: Vec<PathBuf>,
    /// Check against this collection [default: `default`, if it exists].
    #[arg(long, value_name = "NAME", help_heading = heading::DOCUMENTS)]
    pub(crate) collection: Option<String>,
    /// Output format [default: md, or the ending of the --output file].
    #[arg(long, value_enum, help_heading = heading::OUTPUT)]
    pub(crate) format: Option<CheckFormat>,
    #[command(flatten)]
    pub(crate) place: OutputPath,
    #[command(flatten)]
    pub(crate) caps: Caps,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum WayArg {
    /// Explore what the data shows, why, and how to act; then draft and refine.
    Pipeline,
    /// Let a worker and a critic take turns until the critic has nothing to add.
    Simple,
}

/// The mode that the method's document names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ModeArg {
    V2,
}

/// A source, by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SourceArg(Source);

impl From<SourceArg> for Source {
    fn from(source: SourceArg) -> Source {
        source.0
    }
}

impl ValueParserFactory for SourceArg {
    type Parser = SourceParser;

    fn value_parser() -> SourceParser {
        SourceParser
    }
}

/// Reads the name of a source.
#[derive(Debug, Clone)]
pub(crate) struct SourceParser;

impl TypedValueParser for SourceParser {
    type Value = SourceArg;

    fn parse_ref(
        &self,
        command: &clap::Command,
        arg: Option<&clap::Arg>,
        value: &OsStr,
    ) -> Result<SourceArg, clap::Error> {
        let read = StringValueParser::new().try_map(|name| name.parse().map(SourceArg));
        read.parse_ref(command, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        let server = PossibleValue::new("mcp:NAME").help("An MCP server from your configuration");
        let fixed = Source::FIXED.into_iter().map(|source| PossibleValue::new(source.to_string()));
        Some(Box::new(fixed.chain([server])))
    }
}

#[derive(Debug, Args)]
pub(crate) struct ServeArgs {
    /// Listen on this address [default: 127.0.0.1:8400 (server.listen)].
    #[arg(long, value_name = "ADDRESS:PORT", value_parser = address)]
    pub(crate) listen: Option<std::net::SocketAddr>,
}

#[derive(Debug, Args)]
pub(crate) struct WorkerArgs {
    /// Work on this many runs at once [default: 64 (server.max_running)].
    #[arg(long, value_name = "N")]
    pub(crate) runs: Option<NonZeroUsize>,
    /// Serve /metrics and /health on this address [default: none (server.metrics_listen)].
    #[arg(long, value_name = "ADDRESS:PORT", value_parser = address)]
    pub(crate) metrics: Option<std::net::SocketAddr>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ModelsCommand {
    /// List the models of local servers and of providers whose API key is set.
    List {
        /// List the models of this provider only.
        #[arg(long, value_name = "PROVIDER")]
        provider: Option<String>,
        #[command(flatten)]
        json: Json,
    },
    /// Download an embedding model after you say yes, checked byte for byte.
    ///
    /// Without NAME, it lists the known models.
    Get(GetArgs),
    /// Make one small call to each configured model, or to MODEL.
    Test {
        /// A model, as provider/name.
        #[arg(value_name = "MODEL")]
        model: Option<String>,
        /// Measure how well the model checks claims against sources, and keep the figures.
        ///
        /// Without MODEL, the configured readers are measured.
        #[arg(long)]
        reader: bool,
        #[command(flatten)]
        json: Json,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum EmbeddersCommand {
    /// Load the embedding model, and check that it can tell an answer from an unrelated text.
    Test {
        /// A folder, a cached model's name, or provider/name [default: embedder.model].
        #[arg(value_name = "MODEL")]
        model: Option<String>,
        #[command(flatten)]
        json: Json,
    },
}
