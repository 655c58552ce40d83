//! The warden: puts up the walls, starts the interpreter behind them, watches it, and tells what came of it.
//!
//! It has one thread from its first instruction to its last, since a user namespace admits no other, and what is forked from it may do all that it can.

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

/// How long a request may be, in bytes.
const LONGEST: u64 = 16 << 20;
/// How much longer than the program's time a warden may live, in seconds.
const GRACE: u64 = 30;
/// Where a child's descriptors lie until they are put in place.
const ABOVE: i32 = 16;
/// What our part of the interpreter's work is.
const DRIVER: &str = include_str!("driver.py");

/// Something that the kernel, or this system, does not allow.
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
    // A warden that hangs, whatever it is for, ends with what it watches.
    sys::alarm(request.program.limits.seconds.saturating_add(GRACE));
    request.walls.dedup();
    let answer = match execute(&request)? {
        Ok(execution) => Answer::Executed(Box::new(execution)),
        Err(reason) => Answer::Refused { reason },
    };
    put(&mut io::stdout().lock(), &answer)
}

/// Both ends of a pipe, neither of which takes a place that a child's descriptors are put in.
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

/// Returns digits that nobody can guess, so that what a program prints by chance is no report.
fn generate_token() -> io::Result<String> {
    let mut bytes = [0_u8; 16];
    getrandom(&mut bytes, GetRandomFlags::empty())?;
    Ok(hexadecimal(&bytes))
}

pub(crate) fn hexadecimal(bytes: &[u8]) -> String {
    let digit = |value: u8| char::from_digit(value.into(), 16).unwrap_or('0');
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

/// Returns a file in memory with the token and the code, which the driver reads from its standard input.
fn write_code(token: &str, source: &str) -> io::Result<OwnedFd> {
    let file = memfd_create("code", MemfdFlags::CLOEXEC)?;
    let mut file = std::fs::File::from(fcntl_dupfd_cloexec(file, ABOVE)?);
    writeln!(file, "{token}")?;
    file.write_all(source.as_bytes())?;
    io::Seek::rewind(&mut file)?;
    Ok(file.into())
}

/// Returns a path as the kernel takes it.
pub(crate) fn c_path(path: &Path) -> Result<std::ffi::CString, Refusal> {
    std::ffi::CString::new(path.as_os_str().as_bytes())
        .map_err(|_| format!("{} is no path", path.display()))
}
