//! Tests `quaestio check` on claims with known labels: a table with a row per kind.
//!
//! The folder holds `claims.jsonl`, with a claim, its label, kind and quotes per line, and `documents`. A scripted reader replaces the
//! model: one that knows the labels shows the effect of an honest reader; one that always says yes shows what the program refuses without
//! it.

use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use clap::ValueEnum;
use eval::claims::{Labelled, Table, labelled, outcomes};
use fakes::{FakeModel, Judgement, Say, is_reader, knowing, readings};
use run::ledger::Verdict;

use crate::Failure;

#[derive(clap::Args)]
pub(crate) struct Args {
    folder: PathBuf,
    #[arg(long, value_enum, default_value_t = Reader::None)]
    reader: Reader,
    /// The program that checks.
    #[arg(long, default_value = "quaestio")]
    program: PathBuf,
    /// Lists the claims that came out wrong too.
    #[arg(long)]
    wrong: bool,
}

/// Who reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Reader {
    None,
    /// Knows the labels.
    Honest,
    /// Lets everything pass.
    Yes,
}

/// Returns the table.
pub(crate) fn check(args: &Args) -> Result<String, Failure> {
    let claims = args.folder.join("claims.jsonl");
    let labels = labelled(&fs::read_to_string(&claims)?)?;
    let data = tempfile::tempdir()?;
    let mut command = Command::new(&args.program);
    command.arg("check").arg(&claims).arg("--docs").arg(args.folder.join("documents"));
    command.args(["--format", "jsonl", "--data-dir"]).arg(data.path());
    match server(args.reader, &labels) {
        None => {
            command.arg("--no-model");
        }
        Some(server) => {
            command.args(["--model", "fake/reader", "--base-url", &server.base_url()]);
        }
    }
    let output = command.stderr(Stdio::inherit()).output()?;
    // Exit code 3 only says that a claim is unsupported.
    if !matches!(output.status.code(), Some(0 | 3)) {
        return Err(format!("{} failed: {}", args.program.display(), output.status).into());
    }
    let told = String::from_utf8_lossy(&output.stdout);
    let table = Table::of(&labels, &outcomes(&told)?)?;
    Ok(if args.wrong { format!("{table}\n{}", wrong(&table)) } else { table.to_string() })
}

/// Starts a model server that judges as `reader` says.
fn server(reader: Reader, labels: &[Labelled]) -> Option<FakeModel> {
    if reader == Reader::None {
        return None;
    }
    let honest = knowing(labels.iter().map(|one| (one.claim.as_str(), one.should_stand())));
    Some(FakeModel::start(move |seen| {
        if !is_reader(seen) {
            return Say::error(400, "this server reads claims and does nothing else");
        }
        Say::json(&readings(seen, |exhibit| match reader {
            Reader::Yes => Judgement::Supported,
            _ => honest(exhibit),
        }))
    }))
}

/// Lists the claims with a wrong verdict, one per line.
fn wrong(table: &Table) -> String {
    let mut list = String::new();
    for (label, outcome) in table.rows() {
        let is_open = outcome.verdict == Verdict::Unread;
        if !is_open && outcome.verdict.holds() != label.should_stand() {
            let faults: Vec<&str> = outcome.faults.iter().map(|fault| &*fault.name).collect();
            let (verdict, why) = (outcome.verdict.name(), faults.join(", "));
            let _ =
                write!(list, "\n{} {} {verdict} ({why}): {}", label.id, label.kind, label.claim);
        }
    }
    list
}
