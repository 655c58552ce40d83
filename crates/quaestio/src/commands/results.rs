//! `quaestio validate` and `quaestio render`: a result that somebody has as a file, without the run that it came from.

use std::io::Read;
use std::path::Path;

use methods::validation::{self, Finding};
use papers::Paper;
use run::Methods;
use serde::Deserialize;
use serde_json::Value;

use crate::Face;
use crate::cli::{Format, RenderArgs, RenderFormat, ValidateArgs};
use crate::failure::{Exit, Failure};
use crate::output;

/// The largest file that is read.
const MOST_BYTES: u64 = 256 << 20;

/// Prints what is wrong with a result, a line for each finding.
pub(super) fn validate(
    args: &ValidateArgs,
    methods: &Methods,
    face: &Face,
) -> Result<Exit, Failure> {
    let result = read_object(&args.file)?;
    let findings = validation::validate(methods, &result);
    if args.json {
        face.out.line(&output::json(&findings));
    } else if findings.is_empty() {
        let count = |pointer: &str| {
            result.pointer(pointer).and_then(Value::as_array).map_or(0, Vec::len).to_string()
        };
        let text = |key: &str| result.get(key).and_then(Value::as_str).unwrap_or_default();
        let (method, status) = (text("method"), text("status"));
        let (claims, citations) = (count("/deliverable/claims"), count("/citations"));
        face.out.line(&run::grounding::clean(&format!(
            "nothing is wrong with this result of {method}: {status}, claims: {claims}, citations: {citations}"
        )));
    } else {
        for finding in &findings {
            face.out.line(&run::grounding::clean(&finding.to_string()));
        }
    }
    Ok(if findings.is_empty() { Exit::Done } else { Exit::NotEnoughEvidence })
}

/// Prints the report of a result, as the command of its run printed it.
pub(super) fn render(
    args: &RenderArgs,
    methods: &Methods,
    face: &Face,
    is_quiet: bool,
) -> Result<Exit, Failure> {
    let result = read_object(&args.file)?;
    if let Some(first) = validation::check_shape(&result).first() {
        return Err(no_result(&args.file, first));
    }
    let whole = |format: Format| output::render(methods, &result, format);
    let text = match args.format {
        RenderFormat::Md => whole(Format::Md),
        RenderFormat::Json => whole(Format::Json),
        RenderFormat::Html => whole(Format::Html),
        RenderFormat::Text => whole(Format::Text),
        RenderFormat::Jsonl if result.pointer("/deliverable/sentences").is_none() => {
            return Err(Failure::usage(
                "only a result of `check` has sentences to print one a line",
                "choose another --format, such as json",
            ));
        }
        RenderFormat::Jsonl => output::sentences(&result),
        RenderFormat::Bibtex => sources::bibtex(&read_works(&args.file, &result)?),
        RenderFormat::Ris => sources::ris(&read_works(&args.file, &result)?),
        RenderFormat::CslJson => sources::csl_json(&read_works(&args.file, &result)?),
    };
    face.out.put(&text);
    let count = validation::validate(methods, &result).len();
    if count > 0 && !is_quiet {
        face.err.line(&format!(
            "warning: this result does not hold together, findings: {count}; `quaestio validate` tells them"
        ));
    }
    Ok(Exit::Done)
}

/// Returns the works that a result cites.
fn read_works(file: &Path, result: &Value) -> Result<Vec<Paper>, Failure> {
    let references = result.get("references").and_then(Value::as_array);
    let works = references.into_iter().flatten().enumerate().map(|(index, reference)| {
        let work = reference.get("work").unwrap_or(&Value::Null);
        Paper::deserialize(work).map_err(|error| {
            let finding =
                Finding { at: format!("/references/{index}/work"), what: error.to_string() };
            no_result(file, &finding)
        })
    });
    works.collect()
}

fn no_result(file: &Path, finding: &Finding) -> Failure {
    unreadable(file, &format!("it is no result of Quaestio: {finding}"))
}

fn unreadable(file: &Path, why: &str) -> Failure {
    let shown = file.display();
    Failure::usage(
        run::grounding::clean(&format!("{shown} cannot be read: {why}")),
        "name a file that `--format json` or `quaestio runs export RUN` printed",
    )
}

/// Reads a file that is a JSON object; `-` is standard input.
fn read_object(file: &Path) -> Result<Value, Failure> {
    let mut bytes = Vec::new();
    let read = if file == Path::new("-") {
        std::io::stdin().lock().take(MOST_BYTES + 1).read_to_end(&mut bytes)
    } else {
        std::fs::File::open(file)
            .and_then(|opened| opened.take(MOST_BYTES + 1).read_to_end(&mut bytes))
    };
    read.map_err(|error| unreadable(file, &error.to_string()))?;
    if bytes.len() as u64 > MOST_BYTES {
        return Err(unreadable(file, &format!("it is larger than {MOST_BYTES} bytes")));
    }
    match serde_json::from_slice(&bytes) {
        Ok(object @ Value::Object(_)) => Ok(object),
        Ok(_) => Err(unreadable(file, "it is no JSON object")),
        Err(error) => Err(unreadable(file, &format!("it is no JSON: {error}"))),
    }
}
