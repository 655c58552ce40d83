//! `quaestio validate` and `quaestio render`: a result that somebody has as a file, without the run that it came from.

use std::collections::BTreeSet;
use std::fmt;
use std::io::Read;
use std::path::Path;

use methods::validation::{self, Finding};
use papers::Paper;
use run::Methods;
use serde::de::{Error as _, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use super::delivery::no_text;
use super::runs::save_file;
use crate::Face;
use crate::cli::{Format, RenderArgs, ValidateArgs};
use crate::export::{ExportFormat, Exported};
use crate::failure::{Exit, Failure};
use crate::output;
use crate::pdf::{self, Order};
use crate::target::Target;

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
    if args.json.is_wanted() {
        face.out.line(&output::json(&findings));
    } else if findings.is_empty() {
        let count = |pointer: &str| {
            result.pointer(pointer).and_then(Value::as_array).map_or(0, Vec::len).to_string()
        };
        let text = |key: &str| result.get(key).and_then(Value::as_str).unwrap_or_default();
        let (method, status) = (text("method"), text("status"));
        let (claims, citations) = (count("/deliverable/claims"), count("/citations"));
        face.out.line(&run::grounding::clean(&format!(
            "valid result of {method}: {status}, claims: {claims}, citations: {citations}"
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
    let format = args.format.map(ExportFormat::from);
    let path = args.output.as_deref().filter(|path| *path != Path::new("-"));
    let target = path.map(|path| Target::read(path, format)).transpose()?;
    let format = match &target {
        Some(Target::File { format, .. }) => *format,
        Some(Target::Folder(_)) => {
            return Err(Failure::usage(
                "--output must name a file here, not a folder",
                "give a file name, such as --output report.docx",
            ));
        }
        None => format.unwrap_or(ExportFormat::Md),
    };
    if !format.spec().is_text && args.output.is_none() {
        return Err(no_text(format));
    }
    let is_shown = args.format.is_none() && args.output.is_none();
    if is_shown && (face.out.is_terminal() || face.out.is_styled()) {
        face.out.put(&output::shown(methods, &result, &face.out, Default::default()));
        return Ok(warn_of_findings(methods, &result, face, is_quiet));
    }
    let Exported { bytes, remarks } = make(args, methods, &result, format)?;
    match &target {
        Some(target) => save_file(target.path(), &bytes)?,
        None => {
            face.out.deliver_bytes(&bytes);
        }
    }
    for remark in remarks.iter().filter(|_| !is_quiet) {
        face.err.line(&run::grounding::clean(&format!("note: {remark}")));
    }
    Ok(warn_of_findings(methods, &result, face, is_quiet))
}

/// Warns of a result that is not what its method makes.
fn warn_of_findings(methods: &Methods, result: &Value, face: &Face, is_quiet: bool) -> Exit {
    let count = validation::validate(methods, result).len();
    if count > 0 && !is_quiet {
        face.err.line(&format!(
            "warning: this result has {count} faults; list them with `quaestio validate`"
        ));
    }
    Exit::Done
}

/// Makes the file of a format.
fn make(
    args: &RenderArgs,
    methods: &Methods,
    result: &Value,
    format: ExportFormat,
) -> Result<Exported, Failure> {
    let whole = |format: Format| output::render(methods, result, format);
    let text = match format {
        ExportFormat::Md => whole(Format::Md),
        ExportFormat::Json => whole(Format::Json),
        ExportFormat::Html => whole(Format::Html),
        ExportFormat::Text => whole(Format::Text),
        ExportFormat::Docx => return Ok(output::word_document(methods, result, None)?.into()),
        ExportFormat::Pdf => return pdf::write(Order::of(methods, result, None, args.paper)),
        ExportFormat::Jsonl if result.pointer("/deliverable/sentences").is_none() => {
            return Err(Failure::usage(
                "the format jsonl is only for results of `check`",
                "choose another --format, such as json",
            ));
        }
        ExportFormat::Jsonl => output::sentences(result),
        ExportFormat::Xlsx => {
            return Err(Failure::usage(
                "a workbook needs the data of the run, which this file does not contain",
                "use `quaestio runs export RUN --format xlsx` on the machine with the run",
            ));
        }
        ExportFormat::Bundle => {
            return Err(Failure::usage(
                "a bundle needs the log of the run, which this file does not contain",
                "use `quaestio runs export RUN --format bundle` on the machine with the run",
            ));
        }
        ExportFormat::Bibtex => sources::bibtex(&read_works(&args.file, result)?),
        ExportFormat::Ris => sources::ris(&read_works(&args.file, result)?),
        ExportFormat::CslJson => sources::csl_json(&read_works(&args.file, result)?),
    };
    Ok(text.into_bytes().into())
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

pub(super) fn no_result(file: &Path, finding: &Finding) -> Failure {
    unreadable(file, &format!("it is not a result of Quaestio: {finding}"))
}

fn unreadable(file: &Path, why: &str) -> Failure {
    let shown = file.display();
    Failure::usage(
        run::grounding::clean(&format!("could not read {shown}: {why}")),
        "give a file made with `--format json` or `quaestio runs export RUN`",
    )
}

/// Reads a file of at most so many bytes; `-` is standard input.
///
/// # Errors
///
/// Why it cannot be read.
pub(super) fn read_bytes(file: &Path, most: u64) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    let read = if file == Path::new("-") {
        std::io::stdin().lock().take(most + 1).read_to_end(&mut bytes)
    } else {
        std::fs::File::open(file).and_then(|opened| opened.take(most + 1).read_to_end(&mut bytes))
    };
    read.map_err(|error| error.to_string())?;
    if bytes.len() as u64 > most {
        return Err(format!("it is larger than {most} bytes"));
    }
    Ok(bytes)
}

/// Reads a file that is a JSON object; `-` is standard input.
pub(super) fn read_object(file: &Path) -> Result<Value, Failure> {
    let bytes = read_bytes(file, MOST_BYTES).map_err(|why| unreadable(file, &why))?;
    match serde_json::from_slice(&bytes) {
        // Of two fields with the same name a reader takes one and another reader the other.
        Ok(object @ Value::Object(_)) => match serde_json::from_slice::<NamedOnce>(&bytes) {
            Ok(NamedOnce) => Ok(object),
            Err(error) => Err(unreadable(file, &error.to_string())),
        },
        Ok(_) => Err(unreadable(file, "it is not a JSON object")),
        Err(error) => Err(unreadable(file, &format!("it is not JSON: {error}"))),
    }
}

/// Any JSON whose objects name each field once.
struct NamedOnce;

impl<'de> Deserialize<'de> for NamedOnce {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<NamedOnce, D::Error> {
        from.deserialize_any(NamedOnce)
    }
}

impl<'de> Visitor<'de> for NamedOnce {
    type Value = NamedOnce;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_bool<E>(self, _: bool) -> Result<NamedOnce, E> {
        Ok(self)
    }

    fn visit_i64<E>(self, _: i64) -> Result<NamedOnce, E> {
        Ok(self)
    }

    fn visit_u64<E>(self, _: u64) -> Result<NamedOnce, E> {
        Ok(self)
    }

    fn visit_f64<E>(self, _: f64) -> Result<NamedOnce, E> {
        Ok(self)
    }

    fn visit_str<E>(self, _: &str) -> Result<NamedOnce, E> {
        Ok(self)
    }

    fn visit_unit<E>(self) -> Result<NamedOnce, E> {
        Ok(self)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<NamedOnce, A::Error> {
        while items.next_element::<NamedOnce>()?.is_some() {}
        Ok(self)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<NamedOnce, A::Error> {
        let mut names = BTreeSet::new();
        while let Some(name) = fields.next_key::<String>()? {
            fields.next_value::<NamedOnce>()?;
            if let Some(twice) = names.replace(name) {
                return Err(A::Error::custom(format!("an object has the field \"{twice}\" twice")));
            }
        }
        Ok(self)
    }
}
