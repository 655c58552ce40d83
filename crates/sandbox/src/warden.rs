//! The warden: puts up the walls, starts the interpreter behind them, watches it, and reports the result.
//!
//! It has one thread from start to end, since a user namespace admits no other and a forked child may then do all that it can.

mod bounds;
mod calls;
mod files;
mod left;
mod room;
mod sys;
mod watch;

use std::io::{self, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use rustix::fs::{MemfdFlags, memfd_create};
use rustix::io::fcntl_dupfd_cloexec;
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::DumpableBehavior;
use rustix::rand::{GetRandomFlags, getrandom};

use crate::protocol::{Answer, Request, Wall, put, take};

use bounds::Bounds;
use room::Room;
use watch::Watch;

/// The maximum length of a request, in bytes.
const LONGEST: u64 = 16 << 20;
/// How much longer than the program's time limit a warden may live, in seconds.
const GRACE: u64 = 30;
/// The lowest number of a child's descriptors before they are put in place.
const ABOVE: i32 = 16;
/// Our part of what the interpreter runs.
const DRIVER: &str = include_str!("driver.py");

/// Why the kernel, or this system, does not allow something.
pub(crate) type Refusal = String;

pub(crate) fn refused(what: &str) -> impl Fn(io::Error) -> Refusal + '_ {
    move |error| format!("{what}: {error}")
}

pub(crate) fn serve() -> io::Result<()> {
    std::panic::set_hook(Box::new(|_| {}));
    sys::close_from(3)?;
    rustix::process::umask(rustix::fs::Mode::from_raw_mode(0o077));
    rustix::thread::set_no_new_privs(true)?;
    let mut request: Request = take(&mut io::stdin().lock(), LONGEST)?;
    // A warden that hangs for any reason is killed, and its program with it.
    sys::alarm(request.program.limits.seconds.saturating_add(GRACE));
    request.walls.dedup();
    let answer = match execute(&request)? {
        Ok(execution) => Answer::Executed(Box::new(execution)),
        Err(reason) => Answer::Refused { reason },
    };
    put(&mut io::stdout().lock(), &answer)
}

/// Returns both ends of a pipe, at numbers that none of a child's descriptors will take.
fn pipe() -> io::Result<(OwnedFd, OwnedFd)> {
    let (from, to) = pipe_with(PipeFlags::CLOEXEC)?;
    Ok((fcntl_dupfd_cloexec(from, ABOVE)?, fcntl_dupfd_cloexec(to, ABOVE)?))
}

fn execute(request: &Request) -> io::Result<Result<run::sandbox::Execution, Refusal>> {
    let has = |wall| request.walls.contains(&wall);
    let limits = &request.program.limits;
    let entered = if has(Wall::Namespaces) {
        room::enter(&request.interpreter, limits)
    } else {
        Room::temporary(&request.temporary)
    };
    let room = match entered {
        Ok(room) => room,
        Err(reason) => return Ok(Err(reason)),
    };
    rustix::process::set_dumpable_behavior(DumpableBehavior::NotDumpable)?;
    let token = generate_token()?;
    let code = write_code(&token, &request.program.source)?;
    let (out, child_out) = pipe()?;
    let (err, child_err) = pipe()?;
    let (report, child_report) = pipe()?;
    let (trouble, child_trouble) = pipe()?;
    let (child_go, go) = pipe()?;
    match sys::fork()? {
        None => {
            drop(go);
            let bounds = Bounds { request, room: &room };
            let places = [code.as_fd(), child_out.as_fd(), child_err.as_fd(), child_report.as_fd()];
            let Err(reason) = bounds.become_it(places, child_go.as_fd());
            let _ = rustix::io::write(&child_trouble, reason.as_bytes());
            sys::end(1)
        }
        Some(child) => {
            drop((code, child_out, child_err, child_report, child_trouble, child_go));
            let watch = Watch { child, limits, room: &room, token: &token, out, err, report };
            watch.until_it_ends(request, trouble, go)
        }
    }
}

/// Returns unpredictable digits, so that what a program prints by chance is not taken for a report.
fn generate_token() -> io::Result<String> {
    let mut bytes = [0_u8; 16];
    getrandom(&mut bytes, GetRandomFlags::empty())?;
    Ok(hexadecimal(&bytes))
}

pub(crate) fn hexadecimal(bytes: &[u8]) -> String {
    let digit = |value: u8| char::from_digit(value.into(), 16).unwrap_or('0');
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

/// Returns an in-memory file with the token and the code, which the driver reads from its standard input.
fn write_code(token: &str, source: &str) -> io::Result<OwnedFd> {
    let file = memfd_create("code", MemfdFlags::CLOEXEC)?;
    let mut file = std::fs::File::from(fcntl_dupfd_cloexec(file, ABOVE)?);
    writeln!(file, "{token}")?;
    file.write_all(source.as_bytes())?;
    io::Seek::rewind(&mut file)?;
    Ok(file.into())
}

/// Returns a path as a C string.
pub(crate) fn c_path(path: &Path) -> Result<std::ffi::CString, Refusal> {
    std::ffi::CString::new(path.as_os_str().as_bytes())
        .map_err(|_| format!("{} is not a path", path.display()))
}
