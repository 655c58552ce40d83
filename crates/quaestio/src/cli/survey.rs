//! The command line of `quaestio survey`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use super::Json;

/// Survey data: SPSS (.sav, .zsav), CSV with a codebook, XLSX, Parquet, Triple-S.
#[derive(Debug, Subcommand)]
pub(crate) enum SurveyCommand {
    /// Show studies: respondents, weight, questions, segments, what they share, and what was done with data that is not as it should be.
    Info {
        #[command(flatten)]
        data: SurveyData,
        #[arg(long, value_enum, default_value = "text")]
        format: InfoFormat,
    },
    /// Make banner tables: a question's answers for everybody and for segments beside each other, with bases and significance letters.
    Tables {
        #[command(flatten)]
        data: SurveyData,
        #[command(flatten)]
        banner: Banner,
        /// The default is text; with --output what its ending says.
        #[arg(long, value_enum)]
        format: Option<TableFormat>,
        /// How wide the tables of --format text become before they are broken.
        #[arg(long, value_name = "COLUMNS", default_value_t = 100, value_parser = clap::value_parser!(u16).range(40..=1000))]
        width: u16,
        /// Write to this file instead of standard output: .xlsx, .csv, .md, .json or .txt.
        #[arg(long, short, value_name = "FILE")]
        output: Option<PathBuf>,
    },
    /// Keep the files of a survey under a name; they take the place of those that had it before.
    Add {
        name: String,
        /// Files, or folders that hold them.
        #[arg(required = true, value_name = "PATH")]
        paths: Vec<PathBuf>,
    },
    /// List the surveys that are kept.
    List {
        #[command(flatten)]
        json: Json,
    },
    /// Forget a survey's name. Its files stay: a run may name them.
    Remove { name: String },
}

/// Which survey is meant.
#[derive(Debug, Args)]
pub(crate) struct SurveyData {
    /// Data files, or folders with data files, codebooks and perhaps a survey.toml.
    #[arg(value_name = "PATH", required_unless_present = "survey", conflicts_with = "survey")]
    pub(crate) paths: Vec<PathBuf>,
    /// A survey that is kept, by its name.
    #[arg(long, value_name = "NAME")]
    pub(crate) survey: Option<String>,
}

/// What tables are wanted, and how they are computed.
#[derive(Debug, Args)]
pub(crate) struct Banner {
    /// Only this study; may be given several times.
    #[arg(long = "study", value_name = "ID", value_delimiter = ',')]
    pub(crate) studies: Vec<String>,
    /// Only this question; may be given several times. The default is every question but those answered in own words.
    #[arg(long = "question", short = 'Q', value_name = "ID", value_delimiter = ',')]
    pub(crate) questions: Vec<String>,
    /// The question whose answers divide respondents into the columns; may be given several times, and `none` means everybody alone. The
    /// default is the segments of the study.
    #[arg(long = "by", value_name = "ID", value_delimiter = ',')]
    pub(crate) by: Vec<String>,
    /// Tables of the questions that two studies or more have asked, with a column for each study, tested against the next one.
    #[arg(long, conflicts_with = "by")]
    pub(crate) waves: bool,
    /// The column that weighs respondents, or `none`; the default is what the study says.
    #[arg(long, value_name = "NAME")]
    pub(crate) weight: Option<String>,
    /// The level of significance of small letters; the default is survey.alpha of the configuration.
    #[arg(long, value_name = "LEVEL")]
    pub(crate) alpha: Option<f64>,
    /// The level of significance of capital letters; the default is survey.strict_alpha, or a fifth of --alpha where that is less.
    #[arg(long, value_name = "LEVEL")]
    pub(crate) strict_alpha: Option<f64>,
    /// How p-values of a banner question are adjusted; the default is survey.correction.
    #[arg(long, value_enum)]
    pub(crate) correction: Option<CorrectionArg>,
    /// What a test takes for the size of a sample; the default is survey.test.
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
    /// A line for each cell, with everything that is known of it.
    Csv,
    Json,
    /// A workbook; needs --output.
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
    /// Kish's effective base, with the pooled z test.
    EffectiveBase,
    /// The linearised (Taylor) variance.
    Linearised,
    /// The respondents, with the pooled z test.
    UnweightedBase,
}
