//! Reads files as `ingest` does, with OCR, and prints their metadata and texts.
//!
//! ```sh
//! cargo run -p corpus --example read -- FILE…
//! ```

use std::io::Write;
use std::path::PathBuf;

use corpus::{Label, Limits, OcrSettings, Reader, Workers, load, worker};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    const SERVE: &str = "--serve";
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let limits = Limits::default();
    if arguments == [SERVE] {
        return Ok(worker::serve(&limits)?);
    }
    let workers = Workers::new(std::env::current_exe()?, [SERVE.to_owned()]);
    let workers = workers.with_ocr(OcrSettings::default());
    let mut out = std::io::stdout();
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
            Err(error) => writeln!(out, "error: {error}")?,
        }
    }
    Ok(())
}
