//! The command line of `quaestio eval`.

use std::path::PathBuf;
use std::str::FromStr;

use clap::{Args, Subcommand, ValueEnum};
use eval::dataset::Split;
use run::library::Retrieval;

use super::{Format, Json, SourceArg, StrategyArg, heading};

/// Run a dataset through a method and measure the answers.
///
/// A dataset is a file with one JSON object per line ({"question": …, "answer": …, "expects": […], "relevant": …, "rubric": …}), or a
/// folder in BEIR's layout. Every method is compared with the model alone (the strategy direct), to show whether it is worth its cost.
/// Answers from an earlier evaluation with the same documents and settings are reused.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(crate) struct EvalArgs {
    #[command(subcommand)]
    pub(crate) command: Option<EvalCommand>,
    #[command(flatten)]
    pub(crate) order: EvalOrder,
}

/// List, show or compare evaluations.
#[derive(Debug, Subcommand)]
pub(crate) enum EvalCommand {
    /// List the evaluations, newest first.
    List {
        #[command(flatten)]
        json: Json,
    },
    /// Print the report of an evaluation.
    Show {
        /// The evaluation: its id, or `last`.
        evaluation: String,
        #[command(flatten)]
        printed: Printed,
    },
    /// Compare two evaluations over their common cases, with paired intervals.
    Compare {
        /// The first evaluation: its id, `last`, or the path of a report.json.
        a: String,
        /// The second evaluation, named in the same way.
        b: String,
        /// Arms to compare: one per evaluation, or one that both have [default: all common arms].
        #[arg(long, value_name = "ARM", value_delimiter = ',', num_args = 1..=2)]
        arms: Vec<String>,
        #[command(flatten)]
        printed: Printed,
    },
}

/// What an evaluation is of.
#[derive(Debug, Args)]
pub(crate) struct EvalOrder {
    /// A file with one JSON object per line, or a folder in BEIR's layout.
    #[arg(required = true)]
    pub(crate) dataset: Option<PathBuf>,
    /// Strategies of `ask` to evaluate [default: rag].
    #[arg(long = "strategy", value_name = "STRATEGY", value_delimiter = ',', help_heading = heading::QUESTION)]
    pub(crate) strategies: Vec<StrategyArg>,
    /// Other methods to evaluate, such as hypothesize.
    #[arg(long = "method", value_name = "METHOD", value_delimiter = ',', help_heading = heading::QUESTION)]
    pub(crate) methods: Vec<String>,
    /// Reports by another program, evaluated under NAME; repeatable.
    ///
    /// The folder contains <case id>.md for each case: Markdown with citations ([1], footnotes or links) and a list of sources.
    #[arg(long = "report", value_name = "NAME=FOLDER", help_heading = heading::QUESTION)]
    pub(crate) reports: Vec<ReportArg>,
    /// Search these sources [default: the settings of each method].
    #[arg(long = "source", value_name = "SOURCE", value_delimiter = ',', help_heading = heading::SOURCES)]
    pub(crate) sources: Vec<SourceArg>,
    /// Search no papers and no web where a method can do without: use only --docs or --collection.
    #[arg(long, conflicts_with = "sources", help_heading = heading::SOURCES)]
    pub(crate) own_documents: bool,
    /// Answer from these files and folders.
    #[arg(long, value_name = "PATH", num_args = 1.., conflicts_with = "collection", help_heading = heading::DOCUMENTS)]
    pub(crate) docs: Vec<PathBuf>,
    /// Answer from this collection.
    #[arg(long, value_name = "NAME", help_heading = heading::DOCUMENTS)]
    pub(crate) collection: Option<String>,
    /// Measure retrieval only: how well these ways to search find the relevant documents.
    ///
    /// The dataset must be a folder in BEIR's layout, or a folder of such folders. No method is run.
    #[arg(long, value_enum, value_name = "WAY", value_delimiter = ',', help_heading = heading::QUESTION, conflicts_with_all = [
        "strategies", "methods", "reports", "docs", "collection", "concurrency", "judge_rounds", "no_judge", "judge_reports",
        "judge_model", "max_cost", "max_tokens", "estimate", "fresh", "name", "mlflow", "yes",
    ])]
    pub(crate) retrieval: Vec<WayArg>,
    /// With --retrieval, measure the first N passages, as a reader gets them [default: as many as 100 documents need].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000), help_heading = heading::QUESTION)]
    pub(crate) passages: Option<u32>,
    /// Use these relevance judgements of a BEIR folder [default: all].
    #[arg(long, value_name = "train|dev|test|all", help_heading = heading::QUESTION)]
    pub(crate) split: Option<Split>,
    /// Use only the first N cases.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), help_heading = heading::QUESTION)]
    pub(crate) limit: Option<u64>,
    /// Work on this many cases at once [default: 4 (eval.concurrency)].
    #[arg(long, value_name = "N", help_heading = heading::LIMITS)]
    pub(crate) concurrency: Option<u32>,
    /// Judge everything this many times [default: 2 (eval.judge_rounds)].
    #[arg(long, value_name = "N", help_heading = heading::JUDGE)]
    pub(crate) judge_rounds: Option<u32>,
    /// Judge whole reports as well.
    ///
    /// The judge writes criteria for each question before it sees any report. It then scores every report beside that of the model
    /// alone, in both orders.
    #[arg(long, help_heading = heading::JUDGE)]
    pub(crate) judge_reports: bool,
    /// Use no judge.
    #[arg(long, conflicts_with_all = ["judge_model", "judge_rounds", "judge_reports"], help_heading = heading::JUDGE)]
    pub(crate) no_judge: bool,
    /// Model that judges [default: eval.judge_model, or the evaluated model].
    #[arg(long, value_name = "PROVIDER/NAME", help_heading = heading::JUDGE)]
    pub(crate) judge_model: Option<String>,
    /// Spend at most this much, judge included, in US dollars [default: 5.00 (eval.max_cost_usd)].
    #[arg(long, value_name = "USD", value_parser = super::amount, allow_negative_numbers = true, help_heading = heading::LIMITS)]
    pub(crate) max_cost: Option<f64>,
    /// Use at most this many tokens [default: eval.max_tokens].
    #[arg(long, value_name = "N", value_parser = super::whole_number, help_heading = heading::LIMITS)]
    pub(crate) max_tokens: Option<u64>,
    /// Show what the evaluation would cost, and stop there.
    #[arg(long, help_heading = heading::LIMITS)]
    pub(crate) estimate: bool,
    /// Reuse no earlier answers.
    #[arg(long, help_heading = heading::LIMITS)]
    pub(crate) fresh: bool,
    /// Id of the evaluation [default: made from the date].
    #[arg(long, value_name = "ID", help_heading = heading::OUTPUT)]
    pub(crate) name: Option<String>,
    /// Also record the evaluation on this MLflow server [default: none (eval.mlflow)].
    #[arg(long, value_name = "URL", help_heading = heading::OUTPUT)]
    pub(crate) mlflow: Option<String>,
    /// Start without asking you to confirm the cost.
    #[arg(long, help_heading = heading::LIMITS)]
    pub(crate) yes: bool,
    #[command(flatten)]
    pub(crate) printed: Printed,
}

/// The reports of another program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ReportArg {
    pub(crate) name: String,
    pub(crate) folder: PathBuf,
}

impl FromStr for ReportArg {
    type Err = String;

    fn from_str(arg: &str) -> Result<ReportArg, String> {
        match arg.split_once('=') {
            Some((name, folder)) if !name.is_empty() && !folder.is_empty() => {
                Ok(ReportArg { name: name.to_owned(), folder: folder.into() })
            }
            _ => Err("write NAME=FOLDER, such as other=reports/other".to_owned()),
        }
    }
}

/// A way to search a collection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum WayArg {
    /// By words: BM25.
    Lexical,
    /// By words, with more words from the first hits: BM25 with RM3.
    Feedback,
    /// By meaning: cosine of embeddings.
    Dense,
    /// By words and by meaning, fused.
    Hybrid,
}

impl From<WayArg> for Retrieval {
    fn from(way: WayArg) -> Retrieval {
        match way {
            WayArg::Lexical => Retrieval::Lexical,
            WayArg::Feedback => Retrieval::Feedback,
            WayArg::Dense => Retrieval::Dense,
            WayArg::Hybrid => Retrieval::Hybrid,
        }
    }
}

/// How a report is printed.
#[derive(Debug, Args)]
pub(crate) struct Printed {
    /// Output format.
    #[arg(long, value_enum, default_value = "md", help_heading = heading::OUTPUT)]
    pub(crate) format: Format,
    /// Write to this file instead of standard output.
    #[arg(long, short, value_name = "FILE", help_heading = heading::OUTPUT)]
    pub(crate) output: Option<PathBuf>,
}
