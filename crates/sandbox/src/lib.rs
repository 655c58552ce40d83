//! Runs proposed Python code where it can do no harm.
//!
//! Only the kernel holds the code. Another process of this program, the *warden*, executes it: it enters its own namespaces, and the
//! interpreter that it starts there is bound by Landlock and by a list of allowed system calls. If the kernel offers too little, nothing
//! is run, and the trial says why. The code's report about its own checks is only as honest as the code: a proposal that tampers with
//! the interpreter on purpose can forge it.
//!
//! A program must call [`serve`] first of all, before it has a second thread, and gives [`Confined`] the argument that leads there:
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
//! `run::sandbox` is the port, `crates/sandbox` the adapter. Another process of this program executes the code, the
//! *warden* (`sandbox::serve`, called before anything else in `main`, since a user namespace admits one thread). It reads a
//! request from standard input and writes the answer to standard output. Its standard input is also the lifeline: when the parent is
//! gone, the warden ends the code and then itself.
//!
//! - **Walls.** `room.rs` enters user, mount, process, network, IPC, host name and cgroup namespaces and makes a root in
//!   memory with the interpreter's folders, read-only, and one scratch folder, limited in size and number of files. In the child
//!   (`bounds.rs`): no capabilities, rlimits, Landlock as a hard requirement (execute only the interpreter and the
//!   loader), a list of system calls (`calls.rs`; everything else is `EPERM`), then the interpreter.
//! - **The ladder.** Namespaces and Landlock, else one of the two; seccomp and rlimits always. With neither wall, nothing
//!   is executed. Namespaces alone hold because there is nothing in them to open. Behind Landlock alone the code keeps
//!   the user's id and can learn whether a path exists (not its content). The warden checks every 20 ms how much is
//!   stored and how many threads there are, so a burst can overshoot. Calls that change files by path (chmod,
//!   utime, truncate) are refused there, since Landlock does not see them. A kernel before 6.2 is refused as well, since its
//!   Landlock does not see that a file is emptied. What cannot be inspected (a folder without access, or deeper than 32)
//!   counts as too much.
//! - **The self-test.** Before the first program, code of our own tries to get out. If any attempt succeeds, the sandbox is off
//!   for the process, and no lower rung is tried. A test that does not end in time says nothing: nothing is
//!   executed, and the next program tries again.
//! - **The driver** (`driver.py`) runs the code as `__main__`, counts its checks in the syntax tree, and reports each check
//!   reached on a descriptor, with a token: that it held, or that an exception left it, however the code handles
//!   that. A check that failed once has failed, and a trial with a failed check is no success. A failure inside
//!   `assertRaises` or `raises` is expected if its exception, or one that it led to, leaves the block; such a check has not
//!   failed. A failure that `try` or `suppress` swallows counts. A cancelled check has neither held nor failed. Code that
//!   tampers with the interpreter on purpose can forge the report; output cannot. The interpreter starts without `site`: it
//!   reads no `.pth` file and no package from the user's home.
//! - **What is left** is inspected once the code is dead: plain files get a digest; links and pipes are listed and never
//!   opened. Scratch folders on disk are locked; the next warden removes those left by a killed one.
//!
//! `crates/sandbox/benches/start.rs` measures the cost. It runs `python3 -c pass` alone and in the sandbox in turn, and fails
//! if the sandbox takes twice as long or more: medians of 100 starts on two cores, Debian's Python 3.11.2, 14.2 ms alone
//! and 22.6 ms behind all walls, 1.59 times.
//!
//! `crates/sandbox/tests/escape` is the corpus of escape attempts, each run on both rungs. Attempts that need no special rights
//! must succeed outside. Its `which` prints what holds code on a machine.

mod confined;
mod interpreter;
mod protocol;
#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
mod warden;

use std::process::ExitCode;

pub use confined::{Confined, Settings, State};
pub use protocol::Wall;

/// The first argument that makes a program call [`serve`].
pub const COMMAND: &str = "execute-confined";

/// Executes one program for the parent: reads the request from standard input and answers on standard output. The warden's side.
///
/// Must be called before anything else, while the process has one thread. Standard input is also a lifeline: if it closes,
/// the program is ended.
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
