//! `quaestio-verify`: verifies the bundle of a run, with nothing else at hand.
//!
//! It opens the file that it is given, and a key if one is named; it reaches nothing else. The same program, built for WebAssembly, is
//! the page that verifies a file in a browser.

use std::ffi::OsString;
use std::io::{Read as _, Write as _};
use std::path::PathBuf;
use std::process::ExitCode;

use lexopt::prelude::*;

/// The largest file that is read.
const MOST_BYTES: u64 = 1 << 30;

const HELP: &str = "\
Verify a bundle of a Quaestio run: nothing in it was changed, everything follows from its log, and its quotes
are in its sources. No network, model, database or other file is needed.

Usage: quaestio-verify [OPTIONS] FILE

Arguments:
  FILE  The bundle, as written by `quaestio runs export --format bundle`. Use - to read standard input.

Options:
      --key KEY        The minisign public key of its signer, or a file with that key.
      --format FORMAT  text or json [default: text]
  -h, --help           Print this help.
  -V, --version        Print the version.

Exit codes: 0 verified, 1 not verified, 2 usage
";

struct Arguments {
    file: PathBuf,
    key: Option<String>,
    is_json: bool,
}

enum Wanted {
    Verification(Arguments),
    Text(String),
}

fn main() -> ExitCode {
    match parse(std::env::args_os().skip(1)).and_then(run) {
        Ok(code) => code,
        Err(error) => {
            // Nobody hears it if standard error is closed.
            let _ = writeln!(std::io::stderr(), "error: {error}");
            ExitCode::from(2)
        }
    }
}

fn parse(arguments: impl Iterator<Item = OsString>) -> Result<Wanted, String> {
    let mut parser = lexopt::Parser::from_args(arguments);
    let (mut file, mut key, mut is_json) = (None, None, false);
    let told = |error: lexopt::Error| format!("{error}. See `quaestio-verify --help`");
    while let Some(argument) = parser.next().map_err(told)? {
        match argument {
            Short('h') | Long("help") => return Ok(Wanted::Text(HELP.into())),
            Short('V') | Long("version") => {
                let version = concat!("quaestio-verify ", env!("CARGO_PKG_VERSION"), "\n");
                return Ok(Wanted::Text(version.into()));
            }
            Long("key") => key = Some(parser.value().and_then(|key| key.string()).map_err(told)?),
            Long("format") => {
                let format = parser.value().map_err(told)?;
                is_json = match format.to_str() {
                    Some("json") => true,
                    Some("text") => false,
                    _ => return Err("--format must be text or json".into()),
                };
            }
            Value(path) if file.is_none() => file = Some(PathBuf::from(path)),
            other => return Err(told(other.unexpected())),
        }
    }
    let file = file.ok_or("name the bundle to verify. See `quaestio-verify --help`")?;
    Ok(Wanted::Verification(Arguments { file, key, is_json }))
}

fn run(wanted: Wanted) -> Result<ExitCode, String> {
    let (text, code) = match wanted {
        Wanted::Text(text) => (text, ExitCode::SUCCESS),
        Wanted::Verification(arguments) => verify(&arguments)?,
    };
    let written = std::io::stdout().write_all(text.as_bytes());
    written.map_err(|error| format!("could not print the result: {error}"))?;
    Ok(code)
}

/// Returns what verifying came to, printed, and the exit code.
fn verify(arguments: &Arguments) -> Result<(String, ExitCode), String> {
    let Arguments { file, key, is_json } = arguments;
    let key = key.as_deref().map(find_key).transpose()?;
    let bytes = read(file)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build();
    let runtime = runtime.map_err(|error| format!("could not start the verification: {error}"))?;
    let methods = methods::all();
    let verification = runtime.block_on(bundle::verify(&bytes, &methods, key.as_deref()));
    let text = match is_json {
        true => serde_json::to_string_pretty(&verification).unwrap_or_default() + "\n",
        false => verification.to_string(),
    };
    Ok((text, if verification.holds { ExitCode::SUCCESS } else { ExitCode::FAILURE }))
}

/// Returns a public key: the text itself if it is one, else what the file of that name holds.
fn find_key(told: &str) -> Result<String, String> {
    if bundle::is_key(told).is_ok() {
        return Ok(told.to_owned());
    }
    let text = std::fs::read_to_string(told).map_err(|error| {
        format!("{told} is neither a minisign public key nor a file with one: {error}")
    })?;
    bundle::is_key(&text).map_err(|error| format!("{told}: {error}"))?;
    Ok(text)
}

fn read(file: &PathBuf) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    let read = if file.as_os_str() == "-" {
        std::io::stdin().lock().take(MOST_BYTES + 1).read_to_end(&mut bytes)
    } else {
        std::fs::File::open(file)
            .and_then(|opened| opened.take(MOST_BYTES + 1).read_to_end(&mut bytes))
    };
    read.map_err(|error| format!("could not read {}: {error}", file.display()))?;
    if bytes.len() as u64 > MOST_BYTES {
        return Err(format!("{} is larger than the limit of {MOST_BYTES} bytes", file.display()));
    }
    Ok(bytes)
}
