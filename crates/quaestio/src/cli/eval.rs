//! The command line of `quaestio eval`.

use std::path::PathBuf;
use std::str::FromStr;

use clap::{Args, Subcommand, ValueEnum};
use eval::dataset::Split;
use run::library::Retrieval;

use super::{Format, Json, SourceArg, StrategyArg};

/// Run a dataset through a method, beside the model alone, and measure what came of it.
///
/// A dataset is a file with one JSON object a line ({"question": …, "answer": …, "expects": […], "relevant": …, "rubric": …}), or a
/// folder in BEIR's layout. The strategy direct, the model alone, is always there: a method must be worth what it costs. What an
/// earlier evaluation asked of the same documents with the same settings is not asked again.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(crate) struct EvalArgs {
    #[command(subcommand)]
    pub(crate) command: Option<EvalCommand>,
    #[command(flatten)]
    pub(crate) order: EvalOrder,
}

/// Evaluations are named by their id, or as `last`.
#[derive(Debug, Subcommand)]
pub(crate) enum EvalCommand {
    /// List the evaluations, newest first.
    List {
        #[command(flatten)]
        json: Json,
    },
    /// Print the report of an evaluation.
    Show {
        evaluation: String,
        #[command(flatten)]
        printed: Printed,
    },
    /// Compare two evaluations over the cases that both have, with paired intervals.
    Compare {
        /// The id of an evaluation, `last`, or the path of a report.json.
        a: String,
        /// Likewise.
        b: String,
        /// The arms to compare, one of each, or one that both have; the default is every arm that both have.
        #[arg(long, value_name = "ARM", value_delimiter = ',', num_args = 1..=2)]
        arms: Vec<String>,
        #[command(flatten)]
        printed: Printed,
    },
}

/// What an evaluation is of.
#[derive(Debug, Args)]
pub(crate) struct EvalOrder {
    /// A file with one question a line, as JSON, or a folder in BEIR's layout.
    #[arg(required = true)]
    pub(crate) dataset: Option<PathBuf>,
    /// The strategies of `ask` to compare with the model alone; the default is rag.
    #[arg(long = "strategy", value_name = "STRATEGY", value_delimiter = ',')]
    pub(crate) strategies: Vec<StrategyArg>,
    /// Other methods to compare with the model alone, such as hypothesize.
    #[arg(long = "method", value_name = "METHOD", value_delimiter = ',')]
    pub(crate) methods: Vec<String>,
    /// Reports that another program made, as an arm of that name: the folder holds <case id>.md for each case, Markdown with marks
    /// ([1], footnotes or links) and a list of sources; may be given several times.
    #[arg(long = "report", value_name = "NAME=FOLDER")]
    pub(crate) reports: Vec<ReportArg>,
    /// Whom search, deep and the other methods ask; the default is the configuration's.
    #[arg(long = "source", value_name = "SOURCE", value_delimiter = ',')]
    pub(crate) sources: Vec<SourceArg>,
    /// Ask nobody outside, as far as a method can do without: what --docs or --collection holds is all there is.
    #[arg(long, conflicts_with = "sources")]
    pub(crate) own_documents: bool,
    /// Files and folders to answer from; they are read into a collection of their own.
    #[arg(long, value_name = "PATH", num_args = 1.., conflicts_with = "collection")]
    pub(crate) docs: Vec<PathBuf>,
    /// The collection to answer from.
    #[arg(long, value_name = "NAME")]
    pub(crate) collection: Option<String>,
    /// Measure how well these ways to search find what is judged relevant, and run no method; of a folder in BEIR's layout, or of
    /// each such folder in one.
    #[arg(long, value_enum, value_name = "WAY", value_delimiter = ',', conflicts_with_all = [
        "strategies", "methods", "reports", "docs", "collection", "concurrency", "judge_rounds", "no_judge", "judge_reports",
        "judge_model", "max_cost", "max_tokens", "estimate", "fresh", "name", "mlflow", "yes",
    ])]
    pub(crate) retrieval: Vec<WayArg>,
    /// Which judgements of a folder in BEIR's layout count; the default is all there are.
    #[arg(long, value_name = "train|dev|test|all")]
    pub(crate) split: Option<Split>,
    /// Only the first so many cases.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) limit: Option<u64>,
    /// Cases that are worked on at the same time; the default is eval.concurrency of the configuration.
    #[arg(long, value_name = "N")]
    pub(crate) concurrency: Option<u32>,
    /// How often everything is judged; the default is eval.judge_rounds.
    #[arg(long, value_name = "N")]
    pub(crate) judge_rounds: Option<u32>,
    /// Have whole reports judged as well: criteria are drawn up for each question before any report is seen, and every report is scored
    /// by them beside that of the model alone, in both orders.
    #[arg(long)]
    pub(crate) judge_reports: bool,
    /// Let nobody judge.
    #[arg(long, conflicts_with_all = ["judge_model", "judge_rounds", "judge_reports"])]
    pub(crate) no_judge: bool,
    /// The model that judges, as provider/name; the default is eval.judge_model, else the model that is evaluated.
    #[arg(long, value_name = "PROVIDER/NAME")]
    pub(crate) judge_model: Option<String>,
    /// The most the evaluation may cost, the judge included, in US dollars; the default is eval.max_cost_usd.
    #[arg(long, value_name = "USD")]
    pub(crate) max_cost: Option<f64>,
    /// The most tokens the evaluation may use; the default is eval.max_tokens.
    #[arg(long, value_name = "N")]
    pub(crate) max_tokens: Option<u64>,
    /// Print what the evaluation would cost, and do not run it.
    #[arg(long)]
    pub(crate) estimate: bool,
    /// Ask everything anew, whatever was asked before.
    #[arg(long)]
    pub(crate) fresh: bool,
    /// The id of the evaluation; the default is made from the day.
    #[arg(long, value_name = "ID")]
    pub(crate) name: Option<String>,
    /// Mirror the evaluation to the MLflow server at this address.
    #[arg(long, value_name = "URL")]
    pub(crate) mlflow: Option<String>,
    /// Begin without asking, whatever it may cost.
    #[arg(long)]
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
            _ => Err("write a name and a folder, such as other=reports/other".to_owned()),
        }
    }
}

/// A way to search a collection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum WayArg {
    /// By words: BM25.
    Lexical,
    /// By words, and by those that stand out in what the question's own words find: BM25 with RM3.
    Feedback,
    /// By meaning: the cosine of vectors.
    Dense,
    /// By words with feedback and by meaning, fused.
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
    #[arg(long, value_enum, default_value = "md")]
    pub(crate) format: Format,
    /// Write to this file instead of standard output.
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}
