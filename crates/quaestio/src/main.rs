//! The program: `quaestio --help`.

use std::io::IsTerminal;
use std::process::ExitCode;

use quaestio::{Face, Sink};

fn main() -> ExitCode {
    // First of all: only a process that has done nothing yet can set up the sandbox.
    if let Some(ended) = quaestio::serve_helper() {
        return ended;
    }
    let face = Face {
        out: Sink::new(std::io::stdout()),
        err: Sink::new(std::io::stderr()),
        terminal: std::io::stdin().is_terminal() && std::io::stderr().is_terminal(),
    };
    let exit = quaestio::main(std::env::args_os(), methods::all(), &face);
    ExitCode::from(exit.code())
}
