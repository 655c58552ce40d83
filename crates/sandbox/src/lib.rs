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
//!
//! # How it is made
//!
//! `run::sandbox` is the port, `crates/sandbox` the adapter. Code is executed by another run of this program, the
//! *warden* (`sandbox::serve`, reached before anything else in `main`, since a user namespace admits one thread). A
//! request goes in on its standard input, an answer comes out of its standard output, and its standard input is the
//! lifeline: when whoever asked is gone, the warden ends the code and then itself.
//!
//! - **Walls.** `room.rs` takes user, mount, process, network, IPC, host name and cgroup namespaces and makes a root in
//!   memory with the interpreter's folders, read-only, and one scratch folder, limited in size and files. In the child
//!   (`bounds.rs`): no capabilities, rlimits, Landlock as a hard requirement (execute only the interpreter and the
//!   loader), a list of system calls (`calls.rs`; everything else is `EPERM`), then the interpreter.
//! - **The ladder.** Namespaces and Landlock, else one of the two; seccomp and rlimits always; with neither wall nothing
//!   is executed. Namespaces alone hold because there is nothing in them to open. Behind Landlock alone the code keeps
//!   the user's number, can learn whether a path exists (not what it holds), and the warden looks every 20 ms how much is
//!   stored and how many threads there are, so that a burst can overshoot. What changes files by their path (chmod,
//!   utime, truncate) is refused there, since Landlock does not see it, and so is a kernel before 6.2, whose Landlock
//!   does not see that a file is emptied. What cannot be looked at (a folder that lets nobody in, or deeper than 32)
//!   counts as too much.
//! - **The self-test.** Before the first program code of our own tries to get out. What succeeds switches the sandbox off
//!   for the process; a lower rung is not tried then. A trial that does not end in time says nothing: nothing is
//!   executed, and the next program asks again.
//! - **The driver** (`driver.py`) runs the code as `__main__`, counts its checks in the syntax tree and reports on a
//!   descriptor, with a token, each that is reached: that it held, or that an exception came out of it, whatever the code
//!   makes of that. A check that failed once has failed, and nothing with a failed check is a success. What fails inside
//!   `assertRaises` or `raises`, with the exception that comes out there or one that led to it, is expected and no
//!   failure; what `try` or `suppress` swallows is one. A check that is cancelled has neither held nor failed. Code that
//!   reaches into the interpreter on purpose can forge that; output cannot. The interpreter starts without `site`: no
//!   `.pth` file and no package of the user's home is read.
//! - **What is left** is looked at when the code is dead: plain files get a digest, links and pipes are named and never
//!   opened. Scratch folders on disk are locked; the next warden removes those that a killed one left.
//!
//! What it costs is measured by `crates/sandbox/benches/start.rs`, which runs `python3 -c pass` and the same in the
//! sandbox in turn, and fails from twice on: medians of 100 starts on two cores, Debian's Python 3.11.2, 14.2 ms alone
//! and 22.6 ms behind all walls, 1.59 times.
//!
//! `crates/sandbox/tests/escape` is the corpus of attempts, each in both rungs; where the same code needs no rights it
//! must succeed outside. Its `which` prints what holds code on a machine.

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
