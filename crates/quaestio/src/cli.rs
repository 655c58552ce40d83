//! The command line.

mod bundles;
mod contexts;
mod db;
mod eval;
mod library;
mod method;
mod output;
mod results;
mod runs;
mod survey;

use std::ffi::{OsStr, OsString};
use std::num::NonZeroUsize;
use std::path::PathBuf;

use anstyle::AnsiColor;
use clap::builder::{
    PossibleValue, StringValueParser, Styles, TypedValueParser, ValueParserFactory,
};
use clap::{Args, Parser, Subcommand, ValueEnum};
use papers::Source;

pub(crate) use self::bundles::{AttachArgs, ReplayArgs, VerifyArgs, VerifyFormat};
pub(crate) use self::contexts::{ContextFields, ContextsCommand};
pub(crate) use self::db::DbCommand;
pub(crate) use self::eval::{EvalArgs, EvalCommand, EvalOrder, Printed, ReportArg};
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

/// Ask a hard question, get an answer you can check.
///
/// Every sentence of an answer over documents is bound to a quote that stands in its source, checked by
/// program. Without a model, answers are extractive and say so.
#[derive(Debug, Parser)]
#[command(name = "quaestio", version, propagate_version = true, after_help = EXIT_CODES, styles = STYLES)]
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

const EXIT_CODES: &str = "Exit codes: 0 done, 1 failure, 2 usage, 3 not enough evidence, 4 partial result, \
                          5 waiting for a person, 6 cancelled";

#[derive(Debug, Clone, Args)]
pub(crate) struct Common {
    /// Where runs and documents are kept.
    #[arg(long, global = true, value_name = "FOLDER")]
    pub(crate) data_dir: Option<PathBuf>,
    /// The PostgreSQL database for runs and documents in place of the data folder's own, as postgres://user@host/name.
    #[arg(long, global = true, value_name = "URL")]
    pub(crate) database: Option<String>,
    /// The model, as provider/name (openai/gpt-4.1-mini, ollama/qwen3:8b, …).
    #[arg(long, global = true, value_name = "PROVIDER/NAME")]
    pub(crate) model: Option<String>,
    /// The model of cheap work.
    #[arg(long, global = true, value_name = "PROVIDER/NAME")]
    pub(crate) light_model: Option<String>,
    /// Where the model's server listens, for example http://localhost:8000/v1.
    #[arg(long, global = true, value_name = "URL")]
    pub(crate) base_url: Option<String>,
    /// What turns texts into vectors: a model folder, its name in the hub's cache, or provider/name.
    #[arg(long, global = true, value_name = "NAME")]
    pub(crate) embedder: Option<String>,
    /// Speak extractively, whatever model is configured.
    #[arg(long, global = true, conflicts_with = "model")]
    pub(crate) no_model: bool,
    /// Ask sources again, whatever the cache holds.
    #[arg(long, global = true, conflicts_with = "no_network")]
    pub(crate) refresh: bool,
    /// Let sources answer from the cache alone; nothing but a configured model is reached.
    #[arg(long, global = true)]
    pub(crate) no_network: bool,
    /// The profile of the configuration that holds for this command: quick, thorough, or one of your own.
    #[arg(long, global = true, value_name = "NAME")]
    pub(crate) profile: Option<String>,
    /// Set a key of the configuration for this command.
    #[arg(long = "set", global = true, value_name = "KEY=VALUE")]
    pub(crate) settings: Vec<String>,
    /// Read this file in the place of the user's configuration.
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// Say nothing on the way; errors still come.
    #[arg(long, short, global = true)]
    pub(crate) quiet: bool,
    /// When to style output.
    #[arg(long, global = true, value_name = "WHEN", value_enum, default_value_t)]
    pub(crate) color: ColorArg,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Answer a question, from your documents, from papers and the web, or from the model alone.
    Ask(AskArgs),
    /// Plan tasks, look into your documents, papers and the web by them, ask you where it must, and answer; short for ask --strategy deep.
    Deep(QuestionArgs),
    /// Propose hypotheses from the literature, contest them, and rank them.
    Hypothesize(HypothesizeArgs),
    /// Ask what is open, plan, and once that is approved analyse a market.
    Market(MarketArgs),
    /// Let two scientists debate a question over papers, until a proposal whose code holds stands up.
    Debate(DebateArgs),
    /// Look at survey data, make banner tables, and keep surveys for later.
    #[command(subcommand)]
    Survey(Box<SurveyCommand>),
    /// Summarise survey data for whoever decides; every figure is computed again from the data.
    Brief(BriefArgs),
    /// Hold any text against documents: each sentence with its verdict, its statements and what is wrong with it.
    Check(CheckArgs),
    /// Check a result that is a file: its shape, its claims and citations, its totals, and what its method promises.
    Validate(ValidateArgs),
    /// Print the report of a result that is a file.
    Render(RenderArgs),
    /// Verify the bundle of a run: that nothing in it was changed, that all of it follows from its log, and that its quotes stand in its
    /// sources.
    Verify(VerifyArgs),
    /// Perform the method of a bundle's run once more, over its log alone, and print the result.
    Replay(ReplayArgs),
    /// Attach a signature or a time stamp to a bundle.
    Attach(AttachArgs),
    Eval(Box<EvalArgs>),
    /// Search for papers and web pages.
    Search(SearchArgs),
    /// Read files, folders, web pages and papers into a collection.
    Ingest(IngestArgs),
    /// List, show or remove collections.
    #[command(subcommand)]
    Collections(CollectionsCommand),
    /// List the documents of a collection, or show one.
    #[command(subcommand)]
    Documents(DocumentsCommand),
    /// Look at runs, and go on with them.
    #[command(subcommand)]
    Runs(RunsCommand),
    /// Keep what startups you explore, for the next analysis.
    #[command(subcommand)]
    Contexts(ContextsCommand),
    /// Copy the database, move it elsewhere, or check it.
    #[command(subcommand)]
    Db(DbCommand),
    /// Serve the page and the HTTP API.
    Serve(ServeArgs),
    /// Work on queued runs beside a server, on this machine or another one that shares its database.
    Worker(WorkerArgs),
    /// Serve one client of the Model Context Protocol over standard input and output: the methods as its tools.
    ///
    /// A program that works with such tools starts this command by itself. Runs that it orders are those of every other command, and
    /// go on when it is started again.
    Mcp,
    /// See which models there are and what they cost, and try them.
    #[command(subcommand)]
    Models(ModelsCommand),
    /// Try what turns texts into vectors.
    #[command(subcommand)]
    Embedders(EmbeddersCommand),
    /// Show the configuration and where each value comes from.
    #[command(subcommand)]
    Config(ConfigCommand),
    /// Check model, embedder, database and data folder.
    Doctor,
    /// A method that has no command of its own.
    #[command(skip)]
    Method(Box<MethodArgs>),
    /// Read files for another run of this program.
    #[command(name = READER_COMMAND, hide = true)]
    ReadFiles,
    /// Print shell completions.
    Completions {
        shell: clap_complete::Shell,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    Md,
    Json,
    Html,
    Text,
}

/// How what `check` found is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum CheckFormat {
    Md,
    Json,
    /// A JSON object a line, one for each sentence.
    Jsonl,
    Html,
    Text,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum StrategyArg {
    /// The model alone; the answer is marked as ungrounded (v001).
    #[value(alias = "v001")]
    Direct,
    /// Papers and web pages, looked up and read; every sentence is checked (v002).
    #[value(alias = "v002")]
    Search,
    /// Your documents; every sentence is checked (v003).
    #[value(alias = "v003")]
    Rag,
    /// Tasks that are planned first, over all of these and questions to you; every sentence is checked (v004).
    #[value(alias = "v004")]
    Deep,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum DepthArg {
    /// A page, after one round of research.
    Quick,
    /// A few pages, for a decision.
    Standard,
    /// A survey of a field.
    Exhaustive,
}

#[derive(Debug, Args)]
pub(crate) struct AskArgs {
    /// How to answer; the default is rag where there are documents, else direct.
    #[arg(long)]
    pub(crate) strategy: Option<StrategyArg>,
    #[command(flatten)]
    pub(crate) asked: QuestionArgs,
}

/// A question, and where its answer is looked for.
#[derive(Debug, Args)]
pub(crate) struct QuestionArgs {
    #[arg(required_unless_present = "goes_on_from")]
    pub(crate) question: Option<String>,
    /// A run that the strategy deep goes on from: its id, the beginning of one, or `last`. What that run cites is read first, and only what
    /// it leaves open is looked up. Without a question and with --refresh, its own is asked again, and what changed since is told.
    #[arg(long = "continue", value_name = "RUN")]
    pub(crate) goes_on_from: Option<String>,
    /// Whom the strategies search and deep ask; the default is sources.asked of the configuration.
    #[arg(long = "source", value_name = "SOURCE", value_delimiter = ',')]
    pub(crate) sources: Vec<SourceArg>,
    /// Ask nobody outside: what --docs or --collection holds is all that the strategy deep looks into.
    #[arg(long, conflicts_with = "sources")]
    pub(crate) own_documents: bool,
    /// Files and folders to answer from, in a collection of this run alone.
    #[arg(long, value_name = "PATH", num_args = 1.., conflicts_with = "collection")]
    pub(crate) docs: Vec<PathBuf>,
    /// The collection to answer from.
    #[arg(long, value_name = "NAME")]
    pub(crate) collection: Option<String>,
    /// The company that the question is about. Of documents only those about it are read, as with --where company=NAME; whoever
    /// plans, searches outside, or answers from the model alone, is told.
    #[arg(long, value_name = "NAME")]
    pub(crate) company: Option<String>,
    /// Only documents whose metadata has this value; may be given several times.
    #[arg(long = "where", value_name = "KEY=VALUE")]
    pub(crate) filter: Vec<String>,
    /// Questions of the strategy deep to you, at most, 0 for none; the default is ask.deep.max_questions of the configuration.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=10))]
    pub(crate) max_questions: Option<u32>,
    /// How far a report of the strategy deep goes; the default is ask.report.depth of the configuration.
    #[arg(long, value_enum)]
    pub(crate) depth: Option<DepthArg>,
    /// Whom the answer of the strategy deep is for: "a team lead who decides".
    #[arg(long, value_name = "WHOM")]
    pub(crate) audience: Option<String>,
    /// What it is to be: "a two-page memo", "a list to work through".
    #[arg(long = "as", value_name = "FORM")]
    pub(crate) form: Option<String>,
    /// The language that it is written in; the default is the question's.
    #[arg(long, value_name = "LANGUAGE")]
    pub(crate) language: Option<String>,
    /// Words of a report, at most; the default is what the depth has.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(50..=20_000))]
    pub(crate) words: Option<u32>,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
    #[command(flatten)]
    pub(crate) before: Before,
    #[command(flatten)]
    pub(crate) caps: Caps,
}

/// What comes before the method.
#[derive(Debug, Default, Args)]
pub(crate) struct Before {
    /// Ask first what the question leaves open.
    #[arg(long, overrides_with = "no_clarify")]
    pub(crate) clarify: bool,
    /// Ask nothing first.
    #[arg(long, overrides_with = "clarify")]
    pub(crate) no_clarify: bool,
    /// Propose a plan first; nothing is researched before it is approved.
    #[arg(long)]
    pub(crate) plan: bool,
    /// Begin with this startup context.
    #[arg(long, value_name = "ID")]
    pub(crate) startup: Option<String>,
    /// Begin without a startup context, whatever is stored.
    #[arg(long, conflicts_with = "startup")]
    pub(crate) no_startup: bool,
    #[command(flatten)]
    pub(crate) said: Said,
}

/// What is said beforehand to what a run will ask.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct Said {
    /// Approve every plan that is printed, without asking.
    #[arg(long)]
    pub(crate) yes: bool,
    /// Answers to what the run asks: a JSON object {"q1": "…"} or an array; questions that it leaves out are passed by.
    #[arg(long, value_name = "FILE.json")]
    pub(crate) answers: Option<PathBuf>,
}

/// What a run may cost.
#[derive(Debug, Args)]
pub(crate) struct Caps {
    /// Print what the run would cost, and do not run it.
    #[arg(long)]
    pub(crate) estimate: bool,
    /// The most the run may cost, in US dollars.
    #[arg(long, value_name = "USD")]
    pub(crate) max_cost: Option<f64>,
    /// The most tokens the run may use.
    #[arg(long, value_name = "N")]
    pub(crate) max_tokens: Option<u64>,
    /// The most steps the run may take.
    #[arg(long, value_name = "N")]
    pub(crate) max_steps: Option<u64>,
    /// The longest the run may work.
    #[arg(long, value_name = "SECONDS")]
    pub(crate) max_seconds: Option<u64>,
}

#[derive(Debug, Args)]
pub(crate) struct HypothesizeArgs {
    pub(crate) question: String,
    /// The field that the question belongs to; the default is hypothesize.domain of the configuration.
    #[arg(long, value_name = "TEXT")]
    pub(crate) domain: Option<String>,
    /// What the hypotheses are wanted for; the default is hypothesize.objective.
    #[arg(long, value_name = "TEXT")]
    pub(crate) objective: Option<String>,
    /// How many of the best are written up as a quaestio; the default is hypothesize.top.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=8))]
    pub(crate) top: Option<u32>,
    /// Whom to ask for papers; the default is hypothesize.asked.
    #[arg(long = "source", value_name = "SOURCE", value_delimiter = ',')]
    pub(crate) sources: Vec<SourceArg>,
    /// Ask nobody outside: what --docs or --collection holds is all there is.
    #[arg(long, conflicts_with = "sources")]
    pub(crate) own_documents: bool,
    /// Files and folders to read beside the papers, in a collection of this run alone.
    #[arg(long, value_name = "PATH", num_args = 1.., conflicts_with = "collection")]
    pub(crate) docs: Vec<PathBuf>,
    /// The collection of your own to search beside the papers.
    #[arg(long, value_name = "NAME")]
    pub(crate) collection: Option<String>,
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
    /// What the market is of, in your own words.
    pub(crate) message: String,
    /// Whom to ask for pages and papers; the default is market.asked of the configuration.
    #[arg(long = "source", value_name = "SOURCE", value_delimiter = ',')]
    pub(crate) sources: Vec<SourceArg>,
    /// Ask nobody outside: what --docs or --collection holds is all there is.
    #[arg(long, conflicts_with = "sources")]
    pub(crate) own_documents: bool,
    /// Files and folders to read beside what is looked up, in a collection of this run alone.
    #[arg(long, value_name = "PATH", num_args = 1.., conflicts_with = "collection")]
    pub(crate) docs: Vec<PathBuf>,
    /// The collection of your own to search beside what is looked up.
    #[arg(long, value_name = "NAME")]
    pub(crate) collection: Option<String>,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
    #[command(flatten)]
    pub(crate) before: Before,
    #[command(flatten)]
    pub(crate) caps: Caps,
}

#[derive(Debug, Args)]
pub(crate) struct DebateArgs {
    pub(crate) question: String,
    /// Cycles of proposal and review, at most; the default is debate.max_turns of the configuration.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=50))]
    pub(crate) max_turns: Option<u32>,
    /// A page to read before the first turn.
    #[arg(long, value_name = "URL")]
    pub(crate) url: Option<String>,
    /// What was said before, oldest first: a JSON list of {"role": "user", "content": "…"}.
    #[arg(long, value_name = "FILE.json")]
    pub(crate) history: Option<PathBuf>,
    /// Whom to ask for papers, arxiv or crossref; the default is both.
    #[arg(long = "source", value_name = "SOURCE", value_delimiter = ',')]
    pub(crate) sources: Vec<SourceArg>,
    /// Ask neither arXiv nor Crossref: what was read before, and what --docs, --collection or --url bring, is all there is.
    #[arg(long, conflicts_with = "sources")]
    pub(crate) own_documents: bool,
    /// Files and folders to search beside the papers, in a collection of this run alone.
    #[arg(long, value_name = "PATH", num_args = 1.., conflicts_with = "collection")]
    pub(crate) docs: Vec<PathBuf>,
    /// The collection of your own to search beside the papers.
    #[arg(long, value_name = "NAME")]
    pub(crate) collection: Option<String>,
    /// Without --format and --output, a terminal shows the debate as it comes.
    #[command(flatten)]
    pub(crate) output: OutputArgs,
    #[command(flatten)]
    pub(crate) before: Before,
    #[command(flatten)]
    pub(crate) caps: Caps,
}

#[derive(Debug, Args)]
pub(crate) struct BriefArgs {
    pub(crate) question: String,
    /// Survey files or a folder: SPSS, CSV, XLSX, Parquet or Triple-S, with codebooks and a survey.toml where there is one.
    #[arg(long, value_name = "PATH", num_args = 1.., required_unless_present = "survey", conflicts_with = "survey")]
    pub(crate) data: Vec<PathBuf>,
    /// A survey that `quaestio survey add` keeps.
    #[arg(long, value_name = "NAME")]
    pub(crate) survey: Option<String>,
    /// Explore, draft and refine, or a worker and a critic in turn; the default is brief.loop of the configuration.
    #[arg(long = "loop", value_name = "LOOP", value_enum)]
    pub(crate) way: Option<WayArg>,
    /// Rounds of exploration, at most, and of the simple loop.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=50))]
    pub(crate) max_explore: Option<u32>,
    /// Drafts, at most.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=20))]
    pub(crate) max_refine: Option<u32>,
    /// Beside the result, write the banner tables of the questions that the summary is about to this workbook.
    #[arg(long, value_name = "FILE.xlsx")]
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
    /// The text: Markdown, plain text, or JSON lines with `claim` and `quotes` or `cites`; - reads it from standard input.
    pub(crate) file: PathBuf,
    /// Files and folders to hold it against, in a collection of this run alone.
    #[arg(long, value_name = "PATH", num_args = 1.., conflicts_with = "collection")]
    pub(crate) docs: Vec<PathBuf>,
    /// The collection to hold it against.
    #[arg(long, value_name = "NAME")]
    pub(crate) collection: Option<String>,
    /// How it is printed, md if nothing is said; with --output, the format of a file whose name does not say it.
    #[arg(long, value_enum)]
    pub(crate) format: Option<CheckFormat>,
    #[command(flatten)]
    pub(crate) place: OutputPath,
    #[command(flatten)]
    pub(crate) caps: Caps,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum WayArg {
    /// Explore what was found, why it differs and how to act; then draft and refine.
    Pipeline,
    /// A worker and a critic in turn, until the critic has nothing to add.
    Simple,
}

/// The mode that the method's document names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ModeArg {
    V2,
}

/// A source, by its name. Those that need no configuration are listed in the help.
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
        let server = PossibleValue::new("mcp:NAME").help("A configured MCP server");
        let fixed = Source::FIXED.into_iter().map(|source| PossibleValue::new(source.to_string()));
        Some(Box::new(fixed.chain([server])))
    }
}

#[derive(Debug, Args)]
pub(crate) struct ServeArgs {
    /// Where to listen; the default is server.listen of the configuration.
    #[arg(long, value_name = "ADDRESS:PORT")]
    pub(crate) listen: Option<std::net::SocketAddr>,
}

#[derive(Debug, Args)]
pub(crate) struct WorkerArgs {
    /// Work on this many runs at the same time; the default is server.max_running of the configuration.
    #[arg(long, value_name = "N")]
    pub(crate) runs: Option<NonZeroUsize>,
    /// Where to answer monitors, at /metrics and /health; the default is server.metrics_listen of the configuration.
    #[arg(long, value_name = "ADDRESS:PORT")]
    pub(crate) metrics: Option<std::net::SocketAddr>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ModelsCommand {
    /// Ask the providers that have a key, and the servers of this machine, what they offer.
    List {
        /// Ask this provider alone.
        #[arg(long, value_name = "PROVIDER")]
        provider: Option<String>,
        #[command(flatten)]
        json: Json,
    },
    /// Make one tiny call to each configured model, or to MODEL.
    Test {
        #[arg(value_name = "MODEL")]
        model: Option<String>,
        /// Measure how well the configured readers, or MODEL, read claims against their sources, and keep the figures.
        #[arg(long)]
        reader: bool,
        #[command(flatten)]
        json: Json,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum EmbeddersCommand {
    /// Open the configured embedder, or MODEL, and see whether it tells an answer from another text.
    Test {
        #[arg(value_name = "MODEL")]
        model: Option<String>,
        #[command(flatten)]
        json: Json,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum ConfigCommand {
    /// List every key with its value and the layer that set it.
    Show {
        /// As it holds for this strategy of `ask` (direct or v001, …) or this method, with the layers of its version.
        #[arg(long = "for", visible_alias = "strategy", value_name = "NAME")]
        of: Option<String>,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
}
