//! The program: `quaestio --help`.

use std::process::ExitCode;

use quaestio::Face;

fn main() -> ExitCode {
    // First of all: only a process that has done nothing yet can set up the sandbox.
    if let Some(ended) = quaestio::serve_helper() {
        return ended;
    }
    let face = Face::of_process();
    let exit = quaestio::main(std::env::args_os(), methods::all(), &face);
    ExitCode::from(exit.code())
}
