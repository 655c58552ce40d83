//! The command line of `quaestio survey`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use super::Json;

/// Inspect survey data, make banner tables, and store surveys.
///
/// Quaestio reads SPSS (.sav, .zsav), CSV with a codebook, XLSX, Parquet and Triple-S.
#[derive(Debug, Subcommand)]
pub(crate) enum SurveyCommand {
    /// Show studies: respondents, weight, questions, segments, and corrections made to the data.
    Info {
        #[command(flatten)]
        data: SurveyData,
        /// Output format.
        #[arg(long, value_enum, default_value = "text")]
        format: InfoFormat,
    },
    /// Make banner tables: answers in total and by segment, with bases and significance letters.
    Tables {
        #[command(flatten)]
        data: SurveyData,
        #[command(flatten)]
        banner: Banner,
        /// Output format [default: text, or the ending of the --output file].
        #[arg(long, value_enum)]
        format: Option<TableFormat>,
        /// Widest table of --format text before it is split.
        #[arg(long, value_name = "COLUMNS", default_value_t = 100, value_parser = clap::value_parser!(u16).range(40..=1000))]
        width: u16,
        /// Write to this file instead of standard output: .xlsx, .csv, .md, .json or .txt.
        #[arg(long, short, value_name = "FILE")]
        output: Option<PathBuf>,
    },
    /// Store survey files under a name. They replace earlier files of that name.
    Add {
        /// Name of the survey.
        name: String,
        /// Files or folders.
        #[arg(required = true, value_name = "PATH")]
        paths: Vec<PathBuf>,
        #[command(flatten)]
        json: Json,
    },
    /// List stored surveys.
    List {
        #[command(flatten)]
        json: Json,
    },
    /// Remove a survey's name. Its files stay, because runs may refer to them.
    Remove {
        /// Name of the survey.
        name: String,
        #[command(flatten)]
        json: Json,
    },
}

/// Which survey is meant.
#[derive(Debug, Args)]
pub(crate) struct SurveyData {
    /// Data files, or folders with data files, codebooks and an optional survey.toml.
    #[arg(value_name = "PATH", required_unless_present = "survey", conflicts_with = "survey")]
    pub(crate) paths: Vec<PathBuf>,
    /// A stored survey.
    #[arg(long, value_name = "NAME")]
    pub(crate) survey: Option<String>,
}

/// What tables are wanted, and how they are computed.
#[derive(Debug, Args)]
pub(crate) struct Banner {
    /// Use only this study; repeatable.
    #[arg(long = "study", value_name = "ID", value_delimiter = ',')]
    pub(crate) studies: Vec<String>,
    /// Show only this question; repeatable [default: all closed questions].
    #[arg(long = "question", short = 'Q', value_name = "ID", value_delimiter = ',')]
    pub(crate) questions: Vec<String>,
    /// Make columns from the answers to this question; repeatable [default: the study's segments].
    ///
    /// `none` shows the total only.
    #[arg(long = "by", value_name = "ID", value_delimiter = ',')]
    pub(crate) by: Vec<String>,
    /// Compare studies: one column per study, for questions that several studies asked.
    ///
    /// Each study is tested against the next one.
    #[arg(long, conflicts_with = "by")]
    pub(crate) waves: bool,
    /// Weight respondents by this column, or `none` [default: the study's weight].
    #[arg(long, value_name = "NAME")]
    pub(crate) weight: Option<String>,
    /// Significance level of lower-case letters [default: 0.05 (survey.alpha)].
    #[arg(long, value_name = "LEVEL")]
    pub(crate) alpha: Option<f64>,
    /// Significance level of capital letters [default: 0.01 (survey.strict_alpha)].
    ///
    /// A fifth of --alpha is used if that is lower.
    #[arg(long, value_name = "LEVEL")]
    pub(crate) strict_alpha: Option<f64>,
    /// Correction of p-values for multiple tests [default: none (survey.correction)].
    #[arg(long, value_enum)]
    pub(crate) correction: Option<CorrectionArg>,
    /// Sample size used by tests [default: effective-base (survey.test)].
    #[arg(long, value_enum)]
    pub(crate) test: Option<TestArg>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum InfoFormat {
    Text,
    Json,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum TableFormat {
    Text,
    Md,
    /// One line per cell, with all its figures.
    Csv,
    Json,
    /// An Excel workbook; needs --output.
    Xlsx,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum CorrectionArg {
    None,
    Holm,
    BenjaminiHochberg,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum TestArg {
    /// Kish's effective base, with a pooled z-test.
    EffectiveBase,
    /// Linearised (Taylor) variance.
    Linearised,
    /// Number of respondents, with a pooled z-test.
    UnweightedBase,
}
