//! Proposed Python code, run where it can do no harm.
//!
//! Nothing holds the code but the kernel. Whoever executes it is another process of this program, the *warden*: it shuts itself into namespaces of its
//! own, and the interpreter that it starts there is bound by Landlock and by a list of the system calls that it may make. Where the kernel offers too little, nothing
//! is run, and the trial says why. What the code reports about its own checks is as honest as the code: a proposal that reaches into the interpreter
//! on purpose can forge it.
//!
//! A program hands over to [`serve`] first of all, before it has a second thread, and gives [`Confined`] the argument that leads there:
//!
//! ```no_run
//! use run::sandbox::{Limits, Program, Sandbox};
//! use sandbox::{COMMAND, Confined, Settings};
//!
//! fn main() -> std::process::ExitCode {
//!     if std::env::args_os().nth(1).is_some_and(|first| first == COMMAND) {
//!         return sandbox::serve();
//!     }
//!     let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
//!     let confined = Confined::new(Settings::default());
//!     let program = Program { source: "x = 1\nassert x + x == 2".into(), limits: Limits::default() };
//!     let trial = runtime.block_on(confined.execute(&program)).unwrap();
//!     println!("{}: {}", runtime.block_on(confined.state()).unwrap(), trial.passed());
//!     std::process::ExitCode::SUCCESS
//! }
//! ```

mod confined;
mod interpreter;
mod protocol;
#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
mod warden;

use std::process::ExitCode;

pub use confined::{Confined, Settings, State};
pub use protocol::Wall;

/// The first argument with which a program comes to [`serve`].
pub const COMMAND: &str = "execute-confined";

/// Executes one program as the parent asks for it on standard input, and answers on standard output: the warden's side.
///
/// Must be called while the process has one thread, before anything else is done. Standard input stays open as a lifeline: when it closes, what runs is ended.
pub fn serve() -> ExitCode {
    #[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
    let served = warden::serve();
    #[cfg(not(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64"))))]
    let served = protocol::put(
        &mut std::io::stdout(),
        &protocol::Answer::Refused { reason: confined::ELSEWHERE.to_owned() },
    );
    match served {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}
