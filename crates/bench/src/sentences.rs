//! Tests a brief on sentences about a survey that are known to be true or false: a table with a row per kind.
//!
//! A scripted model plays the worker: it asks for the figures that a sentence cites, and reports the sentence. Its second reader knows the
//! labels, or always says yes, which shows what the program refuses without it.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use clap::ValueEnum;
use fakes::{FakeModel, Judgement, Labelled, analyst, knowing, labelled};
use serde_json::Value;

use crate::Failure;

/// The number of sentences in one run.
const BATCH: usize = 10;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The folder of the survey.
    survey: PathBuf,
    sentences: PathBuf,
    #[arg(long, value_enum, default_value_t = Reader::Honest)]
    reader: Reader,
    /// The program that writes the briefs.
    #[arg(long, default_value = "quaestio")]
    program: PathBuf,
    /// Lists the sentences that came out wrong too.
    #[arg(long)]
    wrong: bool,
}

/// Who reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Reader {
    /// Knows the labels.
    Honest,
    /// Lets everything pass.
    Yes,
}

/// The outcome for a sentence.
struct Outcome {
    /// `None` if it does not stand.
    verdict: Option<String>,
    /// Why it was refused, if it was.
    why: String,
}

/// Returns the table.
pub(crate) fn check(args: &Args) -> Result<String, Failure> {
    let sentences = labelled(&fs::read_to_string(&args.sentences)?)?;
    let mut rows: Vec<(Labelled, Outcome)> = Vec::new();
    for batch in sentences.chunks(BATCH) {
        let result = brief(args, batch)?;
        rows.extend(batch.iter().map(|one| (one.clone(), outcome(&result, one))));
    }
    let mut table = render_table(&rows);
    if args.wrong {
        for (one, outcome) in &rows {
            if outcome.verdict.is_some() != one.is_true {
                let _ = write!(table, "\n{} {} {}: {}", one.id, one.kind, outcome.why, one.text);
            }
        }
    }
    Ok(table)
}

fn brief(args: &Args, batch: &[Labelled]) -> Result<Value, Failure> {
    let honest = knowing(batch.iter().map(|one| (one.text.as_str(), one.is_true)));
    let reader = args.reader;
    let server = FakeModel::start(analyst(batch.to_vec(), move |exhibit| match reader {
        Reader::Yes => Judgement::Supported,
        Reader::Honest => honest(exhibit),
    }));
    let data = tempfile::tempdir()?;
    let output = command(&args.program, &args.survey, data.path(), &server.base_url()).output()?;
    if !output.status.success() {
        return Err(format!("{} failed: {}", args.program.display(), output.status).into());
    }
    Ok(serde_json::from_slice(&output.stdout)?)
}

fn command(program: &Path, survey: &Path, data: &Path, base_url: &str) -> Command {
    let mut command = Command::new(program);
    command.args([
        "brief",
        "How satisfied are passengers with the city buses?",
        "--loop",
        "simple",
    ]);
    command.arg("--data").arg(survey).arg("--data-dir").arg(data);
    command.args([
        "--model",
        "openai/fake",
        "--base-url",
        base_url,
        "--format",
        "json",
        "--yes",
        "--quiet",
    ]);
    for set in ["brief.tool_calls=50", "brief.most_findings=50", "brief.most_words=5000"] {
        command.args(["--set", set]);
    }
    command.env("OPENAI_API_KEY", "none").stderr(Stdio::inherit());
    command
}

fn outcome(result: &Value, one: &Labelled) -> Outcome {
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let text = run::ledger::one_line(&one.text);
    let deliverable = &result["deliverable"];
    let found = list(&deliverable["finding_bank"]);
    let found = found.iter().find(|finding| finding["claim"] == text.as_str());
    let records = list(&deliverable["history"]);
    let refused = records.iter().flat_map(|record| list(&record["details"]["not_held"]));
    let mut why = refused.filter_map(|fault| {
        fault.as_str()?.strip_prefix(&format!("\"{text}\": ")).map(str::to_owned)
    });
    Outcome {
        verdict: found.and_then(|finding| finding["verdict"].as_str()).map(str::to_owned),
        why: why.next().unwrap_or_default(),
    }
}

fn render_table(rows: &[(Labelled, Outcome)]) -> String {
    let mut kinds: BTreeMap<(bool, &str), [usize; 3]> = BTreeMap::new();
    for (one, outcome) in rows {
        let verdict = outcome.verdict.as_deref();
        for key in [(!one.is_true, one.kind.as_str()), (!one.is_true, "\u{ff}all")] {
            let counts = kinds.entry(key).or_default();
            counts[0] += 1;
            counts[1] += usize::from(verdict.is_some());
            counts[2] += usize::from(verdict == Some("recomputed"));
        }
    }
    let mut table = String::from(
        "| Sentences | Kind | Tried | Stand | As recomputed |\n|---|---|---:|---:|---:|",
    );
    for ((is_false, kind), [tried, stand, recomputed]) in kinds {
        let label = if is_false { "false" } else { "true" };
        let kind = kind.trim_start_matches('\u{ff}');
        let _ = write!(table, "\n| {label} | {kind} | {tried} | {stand} | {recomputed} |");
    }
    table
}
