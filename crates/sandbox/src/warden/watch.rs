//! Watches a program until it ends, or ends it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::MetadataExt;
use std::time::{Duration, Instant};

use run::sandbox::{Checks, End, Execution, Limits};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, Signal, WaitOptions, kill_process, pidfd_open, waitpid};

use super::room::Room;
use super::{Refusal, files, left, sys};
use crate::protocol::Request;

/// How long putting up the walls may take.
const BEFORE: Duration = Duration::from_secs(10);
/// How often storage and threads are checked if the kernel does not limit them.
const LOOK: Duration = Duration::from_millis(20);
/// The maximum number of a program's threads.
pub(crate) const THREADS: u64 = 64;
/// The maximum length of a line of a report, in bytes.
const LINE: usize = 128;

/// A running program, and the sources of its results.
pub(crate) struct Watch<'a> {
    pub(crate) child: Pid,
    pub(crate) limits: &'a Limits,
    pub(crate) room: &'a Room,
    pub(crate) token: &'a str,
    pub(crate) out: OwnedFd,
    pub(crate) err: OwnedFd,
    pub(crate) report: OwnedFd,
}

/// Why a program was ended.
#[derive(Clone, Copy, PartialEq)]
enum Cause {
    Program(End),
    /// No one is waiting for it any more.
    Forsaken,
}

/// One of a program's streams.
struct Stream {
    from: Option<OwnedFd>,
    kept: Vec<u8>,
}

impl Stream {
    fn new(from: OwnedFd) -> Stream {
        Stream { from: Some(from), kept: Vec::new() }
    }

    /// Reads what is available and returns it.
    fn read<'b>(&mut self, buffer: &'b mut [u8]) -> io::Result<&'b [u8]> {
        let Some(from) = &self.from else { return Ok(&[]) };
        match rustix::io::read(from, &mut *buffer) {
            Ok(0) => {
                self.from = None;
                Ok(&[])
            }
            Ok(read) => Ok(&buffer[..read]),
            Err(rustix::io::Errno::INTR | rustix::io::Errno::AGAIN) => Ok(&[]),
            Err(error) => Err(error.into()),
        }
    }

    /// Keeps what is available up to a limit, and returns whether there was more.
    fn keep(&mut self, buffer: &mut [u8], most: usize) -> io::Result<bool> {
        let read = self.read(buffer)?;
        let room = most.saturating_sub(self.kept.len());
        let more = read.len() > room;
        let taken = read.len().min(room);
        let taken = read[..taken].to_vec();
        self.kept.extend(taken);
        Ok(more)
    }
}

/// The driver's report on the program's checks.
struct Report<'a> {
    token: &'a str,
    line: Vec<u8>,
    found: Option<u32>,
    held: BTreeSet<u32>,
    /// How often each failed, minus how often that was expected.
    failed: BTreeMap<u32, i64>,
}

impl<'a> Report<'a> {
    fn new(token: &'a str) -> Report<'a> {
        let (held, failed) = (BTreeSet::new(), BTreeMap::new());
        Report { token, line: Vec::new(), found: None, held, failed }
    }

    fn hear(&mut self, bytes: &[u8]) {
        for byte in bytes {
            if *byte != b'\n' {
                // The driver writes no longer lines.
                if self.line.len() < LINE {
                    self.line.push(*byte);
                }
                continue;
            }
            let line = std::mem::take(&mut self.line);
            let Ok(line) = std::str::from_utf8(&line) else { continue };
            match (line.strip_prefix(self.token).map(str::trim), self.found) {
                (Some(said), None) => {
                    self.found = said.strip_prefix("found ").and_then(|count| count.parse().ok());
                }
                (Some(said), Some(found)) => {
                    let Some((what, site)) = said.split_once(' ') else { continue };
                    let Some(site) = site.parse().ok().filter(|site| *site < found) else {
                        continue;
                    };
                    match what {
                        "held" => self.held.extend([site]),
                        "failed" => *self.failed.entry(site).or_default() += 1,
                        "expected" => *self.failed.entry(site).or_default() -= 1,
                        _ => {}
                    }
                }
                (None, _) => {}
            }
        }
    }

    fn checks(&self) -> Checks {
        // A check that failed once has failed, however often it held.
        let fails = |site: &u32| self.failed.get(site).is_some_and(|times| *times > 0);
        let held = self.held.iter().filter(|site| !fails(site)).count();
        let failed = self.failed.keys().filter(|site| fails(site)).count();
        let counted = |count| u32::try_from(count).unwrap_or(u32::MAX);
        Checks { found: self.found.unwrap_or(0), held: counted(held), failed: counted(failed) }
    }
}

impl Watch<'_> {
    /// Lets the program begin, waits for its end, and returns the result, or why it could not begin.
    pub(crate) fn until_it_ends(
        self,
        request: &Request,
        trouble: OwnedFd,
        go: OwnedFd,
    ) -> io::Result<Result<Execution, Refusal>> {
        let guard = Guard { child: self.child, reaped: false };
        let pidfd = pidfd_open(self.child, PidfdFlags::empty())?;
        rustix::io::write(&go, &[1])?;
        if let Some(reason) = told(&trouble)? {
            return Ok(Err(reason));
        }
        drop((trouble, go));
        let began = Instant::now();
        let deadline = began + Duration::from_secs(self.limits.seconds);
        let most =
            usize::try_from(self.limits.output_kib.saturating_mul(1024)).unwrap_or(usize::MAX);
        let mut out = Stream::new(self.out);
        let mut err = Stream::new(self.err);
        let mut reported = Stream::new(self.report);
        let mut report = Report::new(self.token);
        let mut buffer = vec![0; 1 << 16];
        let mut cause = None;
        let mut over = false;
        while !(over && out.from.is_none() && err.from.is_none() && reported.from.is_none()) {
            let now = Instant::now();
            if now >= deadline && cause.is_none() {
                cause = Some(Cause::Program(End::TimedOut));
            }
            if cause.is_none() && self.room.is_watched() && !over {
                cause = stores_too_much(self.child, self.room, self.limits).map(Cause::Program);
            }
            if cause.is_some() && !over {
                kill_process(self.child, Signal::KILL)?;
            }
            let mut wait = if cause.is_some() { BEFORE } else { deadline - now };
            if self.room.is_watched() {
                wait = wait.min(LOOK);
            }
            let ready = await_ready(&pidfd, &out, &err, &reported, over, wait)?;
            over |= ready.child;
            if ready.lifeline && cause.is_none() {
                cause = Some(Cause::Forsaken);
            }
            // The report first, so that what was reported before there was too much output counts.
            if ready.report {
                report.hear(reported.read(&mut buffer)?);
            }
            if ready.out && out.keep(&mut buffer, most)? && cause.is_none() {
                cause = Some(Cause::Program(End::TooMuchOutput));
            }
            if ready.err && err.keep(&mut buffer, most)? && cause.is_none() {
                cause = Some(Cause::Program(End::TooMuchOutput));
            }
        }
        let duration = began.elapsed();
        let end = guard.reap(self.limits)?;
        let end = match cause {
            Some(Cause::Program(end)) => end,
            Some(Cause::Forsaken) => return Err(io::ErrorKind::BrokenPipe.into()),
            None => end,
        };
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let mut layers: Vec<String> =
            request.walls.iter().map(|wall| wall.name().to_owned()).collect();
        layers.extend(["seccomp", "rlimits"].map(str::to_owned));
        Ok(Ok(Execution {
            end,
            stdout: text(&out.kept),
            stderr: text(&err.kept),
            duration_ms: u64::try_from(duration.as_millis()).unwrap_or(u64::MAX),
            files: left::left(&self.room.scratch, self.limits),
            checks: report.checks(),
            interpreter: request.interpreter.title.clone(),
            layers,
        }))
    }
}

/// Ends the program when the warden's work ends, however that happens.
struct Guard {
    child: Pid,
    reaped: bool,
}

impl Guard {
    fn reap(mut self, limits: &Limits) -> io::Result<End> {
        let status = waitpid(Some(self.child), WaitOptions::empty())?.map(|(_, status)| status);
        self.reaped = true;
        let status = status.ok_or(io::ErrorKind::NotFound)?;
        if let Some(code) = status.exit_status() {
            return Ok(End::Exited { code });
        }
        let signal = status.terminating_signal().unwrap_or(0);
        // The kernel checks the limit in whole ticks, which on a busy machine exceed the time really used.
        let limit = Duration::from_secs(limits.seconds);
        let by_time = [Signal::KILL.as_raw(), Signal::XCPU.as_raw()].contains(&signal)
            && sys::processor_time() * 4 >= limit * 3;
        Ok(if by_time { End::TimedOut } else { End::Killed { signal } })
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        if !self.reaped {
            let _ = kill_process(self.child, Signal::KILL);
            let _ = waitpid(Some(self.child), WaitOptions::empty());
        }
    }
}

/// Returns what went wrong before the program began.
fn told(trouble: &OwnedFd) -> io::Result<Option<Refusal>> {
    let mut text = Vec::new();
    let mut buffer = [0; 512];
    let until = Instant::now() + BEFORE;
    loop {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            // Not a refusal: a lower rung does not help on a busy machine.
            return Err(io::ErrorKind::TimedOut.into());
        }
        let mut fds = [PollFd::new(trouble, PollFlags::IN)];
        await_any(&mut fds, left)?;
        if fds[0].revents().is_empty() {
            continue;
        }
        match rustix::io::read(trouble, &mut buffer)? {
            0 => break,
            read => text.extend_from_slice(&buffer[..read]),
        }
    }
    Ok((!text.is_empty()).then(|| String::from_utf8_lossy(&text).into_owned()))
}

#[derive(Default)]
struct Ready {
    child: bool,
    lifeline: bool,
    out: bool,
    err: bool,
    report: bool,
}

fn await_ready(
    pidfd: &OwnedFd,
    out: &Stream,
    err: &Stream,
    report: &Stream,
    over: bool,
    wait: Duration,
) -> io::Result<Ready> {
    let lifeline = rustix::stdio::stdin();
    let mut asked: Vec<(u8, BorrowedFd<'_>)> = vec![(1, lifeline)];
    if !over {
        asked.push((0, pidfd.as_fd()));
    }
    for (which, stream) in [(2, out), (3, err), (4, report)] {
        asked.extend(stream.from.as_ref().map(|from| (which, from.as_fd())));
    }
    let mut fds: Vec<PollFd<'_>> =
        asked.iter().map(|(_, fd)| PollFd::from_borrowed_fd(*fd, PollFlags::IN)).collect();
    await_any(&mut fds, wait)?;
    let mut ready = Ready::default();
    for ((which, _), fd) in asked.iter().zip(&fds) {
        let is_ready = !fd.revents().is_empty();
        match which {
            0 => ready.child = is_ready,
            // Nothing more is sent there, so readiness means that it closed.
            1 => ready.lifeline = is_ready,
            2 => ready.out = is_ready,
            3 => ready.err = is_ready,
            _ => ready.report = is_ready,
        }
    }
    Ok(ready)
}

fn await_any(fds: &mut [PollFd<'_>], wait: Duration) -> io::Result<()> {
    let wait = Timespec::try_from(wait).map_err(|_| io::ErrorKind::InvalidInput)?;
    match poll(fds, Some(&wait)) {
        Ok(_) | Err(rustix::io::Errno::INTR) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// Returns the end of a program that has stored too much or has too many threads, if the kernel does not limit that.
fn stores_too_much(child: Pid, room: &Room, limits: &Limits) -> Option<End> {
    let most = limits.scratch_mib.saturating_mul(1 << 20);
    // What cannot be inspected may be anything.
    let Some((bytes, files)) = files::stored(&room.scratch, limits.files) else {
        return Some(End::TooMuchStored);
    };
    let held = format!("/proc/{}", child.as_raw_nonzero());
    // Deleted files that are still open take up space.
    let unnamed = fs::read_dir(format!("{held}/fd")).into_iter().flatten().flatten();
    let unnamed: u64 = unnamed
        .filter_map(|entry| fs::metadata(entry.path()).ok())
        .filter(|about| about.is_file() && about.nlink() == 0)
        .map(|about| about.len())
        .sum();
    if files > limits.files || bytes.saturating_add(unnamed) > most {
        return Some(End::TooMuchStored);
    }
    let threads = fs::read_dir(format!("{held}/task")).map_or(0, |tasks| tasks.count() as u64);
    (threads > THREADS).then_some(End::Killed { signal: Signal::KILL.as_raw() })
}
