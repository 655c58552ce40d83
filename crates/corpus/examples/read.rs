//! Reads files as `ingest` does, with OCR, and prints their metadata and texts. It fails if a file cannot be read.
//!
//! ```sh
//! cargo run -p corpus --example read -- FILE…
//! ```

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use corpus::{Label, Limits, OcrSettings, Reader, Workers, load, worker};

fn main() -> Result<ExitCode, Box<dyn std::error::Error>> {
    const SERVE: &str = "--serve";
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let limits = Limits::default();
    if arguments == [SERVE] {
        worker::serve(&limits)?;
        return Ok(ExitCode::SUCCESS);
    }
    let workers = Workers::new(std::env::current_exe()?, [SERVE.to_owned()]);
    let workers = workers.with_ocr(OcrSettings::default());
    let mut out = std::io::stdout();
    let mut code = ExitCode::SUCCESS;
    for name in arguments.iter().map(PathBuf::from) {
        writeln!(out, "=== {}", name.display())?;
        let read = load(&name, &limits)
            .and_then(|bytes| workers.read(&Label::File { name: name.clone() }, &bytes, &limits));
        match read {
            Ok(document) => {
                for (key, value) in &document.metadata {
                    writeln!(out, "{key}: {value}")?;
                }
                writeln!(out, "---\n{}", document.text)?;
            }
            Err(error) => {
                writeln!(out, "error: {error}")?;
                code = ExitCode::FAILURE;
            }
        }
    }
    Ok(code)
}
