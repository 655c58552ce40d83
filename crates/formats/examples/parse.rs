//! Prints files as the Markdown that they are read as: `cargo run -p formats --example parse -- FILE…`
//!
//! It fails if a file cannot be read.

use std::path::Path;
use std::process::ExitCode;

use formats::{Bounds, Format};

#[expect(clippy::print_stdout, clippy::print_stderr, reason = "it is what the example is for")]
fn main() -> ExitCode {
    let mut code = ExitCode::SUCCESS;
    for path in std::env::args().skip(1) {
        let extension = Path::new(&path).extension().unwrap_or_default().to_string_lossy();
        let format = Format::by_extension(&extension).unwrap_or(Format::Text);
        let parsed = std::fs::read(&path).map_err(|error| error.to_string()).and_then(|bytes| {
            formats::parse_named(format, &path, &bytes, &Bounds::default())
                .map_err(|it| it.to_string())
        });
        match parsed {
            Ok(parsed) => {
                println!("{}", parsed.text);
                eprintln!("{path}: title {:?}, {:?}", parsed.title, parsed.metadata);
                for inner in parsed.inner {
                    eprintln!("  {}: {} bytes", inner.name, inner.bytes.len());
                }
            }
            Err(error) => {
                eprintln!("{path}: {error}");
                code = ExitCode::FAILURE;
            }
        }
    }
    code
}
