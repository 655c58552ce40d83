//! Files are read in a separate process, which can be killed.
//!
//! A thread cannot be killed, and neither a stack overflow nor a failed allocation can be caught, so the PDF engines must not run in
//! this process. [`Worker`] is the parent's side, [`serve`] the child's: a program routes a hidden subcommand to [`serve`] and gives the
//! command that starts it to [`Worker::new`].
//!
//! A request on the child's standard input is a JSON header (label and limits) and the file's bytes, each preceded by its length in bytes
//! (eight bytes, little-endian). A reply on its standard output is one JSON value and, as they are, the text of the document or the
//! pixels of the pictures that it tells of, each preceded by its length.

use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender};
use std::thread;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::document::Document;
use crate::label::Label;
use crate::ocr::picture::{self, Pictures};
use crate::pdf;
use crate::read::{Limits, ReadError, read_as};

/// How many files one process reads before it is replaced.
const FILES: usize = 100;
/// How much longer than the file's time limit a process may take, to send the text.
const GRACE: Duration = Duration::from_secs(2);
/// The maximum length of a header or an error, in bytes.
const SMALL: u64 = 1 << 20;
/// The most bytes of JSON for each byte of text.
const JSON_FOR_TEXT: u64 = 8;

#[derive(Serialize, Deserialize)]
struct Request {
    task: Task,
    limits: Limits,
}

/// What to do with a file.
#[derive(Clone, Serialize, Deserialize)]
enum Task {
    Read(Label),
    /// Draw the pages of these numbers.
    Draw(Vec<u32>),
}

/// What came of it.
#[derive(Debug, Serialize, Deserialize)]
enum Answer {
    Read(Box<Document>),
    Drawn(Pictures),
}

#[derive(Debug, Serialize, Deserialize)]
struct Reply {
    result: Result<Answer, ReadError>,
    /// Whether the process must end because something in it is still running.
    retire: bool,
}

/// Reads files in another process, one after the other.
///
/// The process starts with the first file and is kept for the following ones. It is killed and replaced if it takes too long, and replaced
/// if it dies or has read a hundred files. It is always waited for, and ends by itself when this one does.
#[derive(Debug)]
pub struct Worker {
    program: PathBuf,
    arguments: Vec<String>,
    running: Option<Running>,
}

/// What may come back.
#[derive(Debug)]
struct Expected {
    /// The maximum length of the reply.
    most: u64,
    /// The maximum length of what comes beside it: a text, or pixels.
    beside: u64,
}

#[derive(Debug)]
struct Running {
    child: Child,
    to: Option<ChildStdin>,
    expected: Option<SyncSender<Expected>>,
    replies: Receiver<io::Result<Reply>>,
    files: usize,
}

impl Worker {
    /// Returns a worker whose process is `program` with `arguments`, which must call [`serve`] and write nothing to standard output.
    ///
    /// `program` is a path, never looked up by name. The process gets no environment variables and runs in the root of the file system.
    pub fn new(program: impl Into<PathBuf>, arguments: impl IntoIterator<Item = String>) -> Self {
        Self { program: program.into(), arguments: arguments.into_iter().collect(), running: None }
    }

    /// Returns the document in `bytes`, as [`read`](crate::read) does, and enforces all of `limits`.
    ///
    /// Blocks until the file is read, for at most the time limit and two more seconds.
    pub fn read(
        &mut self,
        name: &Path,
        bytes: &[u8],
        limits: &Limits,
    ) -> Result<Document, ReadError> {
        self.read_as(&Label::File { name: name.to_owned() }, bytes, limits)
    }

    /// Returns the document in `bytes`, as [`read_as`] does, and enforces all of `limits`.
    ///
    /// Blocks as [`Worker::read`] does.
    pub fn read_as(
        &mut self,
        label: &Label,
        bytes: &[u8],
        limits: &Limits,
    ) -> Result<Document, ReadError> {
        match self.ask(Task::Read(label.clone()), limits.text_bytes, bytes, limits)? {
            Answer::Read(document) => Ok(*document),
            Answer::Drawn(_) => Err(confused()),
        }
    }

    /// Returns the pages of a PDF or a picture with these `numbers` as pictures; those that the file lacks are left out.
    ///
    /// Blocks as [`Worker::read`] does.
    pub(crate) fn draw(
        &mut self,
        bytes: &[u8],
        numbers: &[u32],
        limits: &Limits,
    ) -> Result<Pictures, ReadError> {
        let pixels = u64::from(picture::PIXELS).saturating_mul(numbers.len() as u64);
        match self.ask(Task::Draw(numbers.to_vec()), pixels, bytes, limits)? {
            Answer::Drawn(pictures) => Ok(pictures),
            Answer::Read(_) => Err(confused()),
        }
    }

    fn ask(
        &mut self,
        task: Task,
        beside: u64,
        bytes: &[u8],
        limits: &Limits,
    ) -> Result<Answer, ReadError> {
        let length = bytes.len() as u64;
        if length > limits.file_bytes {
            return Err(ReadError::TooLarge { bytes: length, limit: limits.file_bytes });
        }
        let failed = |error: io::Error| ReadError::Failed {
            what: format!("could not start the process that reads files: {error}"),
        };
        let request = Request { task, limits: limits.clone() };
        let header = serde_json::to_vec(&request).map_err(|error| failed(error.into()))?;
        let most = limits.text_bytes.saturating_mul(JSON_FOR_TEXT).saturating_add(SMALL);
        let mut running = self.ready().map_err(failed)?;
        running.files += 1;
        if let Some(expected) = &running.expected {
            // If no one reads the channel any more, the reply shows it.
            let _ = expected.send(Expected { most, beside });
        }
        let Some(mut to) = running.to.take() else {
            return Err(failed(io::Error::other("it has no pipes")));
        };
        let time = Duration::from_secs(limits.time_seconds).saturating_add(GRACE);
        let (reply, to) = thread::scope(|scope| {
            // A process that takes nothing from its pipe must not hold up this thread. What is sent is lent, as it may be large.
            let sending = thread::Builder::new().name("request".to_owned());
            let sending =
                sending.spawn_scoped(scope, || send(&mut to, &header, bytes).map(|()| to));
            let sending = sending.map_err(failed)?;
            let reply = match running.replies.recv_timeout(time) {
                Ok(Ok(reply)) => Ok(reply),
                Err(RecvTimeoutError::Timeout) => {
                    running.end();
                    Err(ReadError::TookTooLong { seconds: limits.time_seconds })
                }
                Ok(Err(_)) | Err(RecvTimeoutError::Disconnected) => {
                    Err(why_ended(running.end(), limits))
                }
            };
            // Once there is a reply or the process has ended, nothing is sent any more.
            Ok::<_, ReadError>((reply?, sending.join().ok().and_then(Result::ok)))
        })?;
        if !reply.retire && running.files < FILES && to.is_some() {
            running.to = to;
            self.running = Some(running);
        }
        reply.result
    }

    /// Returns the id of the running process, or `None` if none is running.
    pub fn process(&self) -> Option<u32> {
        self.running.as_ref().map(|running| running.child.id())
    }

    /// Takes the running process, or a new one if there is none or it has ended.
    fn ready(&mut self) -> io::Result<Running> {
        if let Some(mut running) = self.running.take() {
            if running.child.try_wait()?.is_none() {
                return Ok(running);
            }
            running.end();
        }
        // A file that takes over the process must find neither keys nor the user's working directory in it.
        let mut command = Command::new(std::path::absolute(&self.program)?);
        command.args(&self.arguments).env_clear().current_dir(std::path::MAIN_SEPARATOR_STR);
        if cfg!(windows) {
            // The system's own libraries are not found without it.
            command.envs(std::env::var_os("SystemRoot").map(|root| ("SystemRoot", root)));
        }
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
        let (Some(to), Some(mut from)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(io::Error::other("it has no pipes"));
        };
        let (expected, awaited) = mpsc::sync_channel::<Expected>(1);
        let (answer, replies) = mpsc::sync_channel(1);
        // Ends with the channel or the process, whichever ends first; the pipe closes with it.
        thread::Builder::new().name("worker".to_owned()).spawn(move || {
            for expected in awaited {
                let reply = receive(&mut from, &expected);
                let over = reply.is_err();
                if answer.send(reply).is_err() || over {
                    break;
                }
            }
        })?;
        Ok(Running { child, to: Some(to), expected: Some(expected), replies, files: 0 })
    }
}

impl Running {
    /// Kills the process if it is still running, waits for it, and returns its exit status if it ended by itself.
    fn end(&mut self) -> Option<ExitStatus> {
        self.expected = None;
        // A process that has closed its pipes is about to end.
        for _ in 0..20 {
            match self.child.try_wait() {
                Ok(Some(status)) => return Some(status),
                Ok(None) if self.disconnected() => thread::sleep(Duration::from_millis(10)),
                _ => break,
            }
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
        None
    }

    fn disconnected(&self) -> bool {
        matches!(self.replies.try_recv(), Err(mpsc::TryRecvError::Disconnected))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.expected = None;
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(unix)]
fn out_of_time(status: ExitStatus) -> bool {
    use std::os::unix::process::ExitStatusExt;
    status.signal() == Some(rustix::process::Signal::XCPU.as_raw())
}

#[cfg(not(unix))]
fn out_of_time(_: ExitStatus) -> bool {
    false
}

/// Returns why a process that ended in this way gave no reply.
fn why_ended(ended: Option<ExitStatus>, limits: &Limits) -> ReadError {
    match ended {
        Some(status) if out_of_time(status) => {
            ReadError::TookTooLong { seconds: limits.time_seconds }
        }
        Some(status) if status.code().is_some() => ReadError::Failed {
            what: format!("the process that reads files ended early, with {status}"),
        },
        _ => ReadError::BrokeReader { mebibytes: limits.memory_bytes >> 20 },
    }
}

fn send(to: &mut impl Write, header: &[u8], bytes: &[u8]) -> io::Result<()> {
    put(to, header)?;
    put(to, bytes)?;
    to.flush()
}

fn receive(from: &mut impl Read, expected: &Expected) -> io::Result<Reply> {
    let reply = take(from, expected.most)?.ok_or(ErrorKind::UnexpectedEof)?;
    let mut reply: Reply = serde_json::from_slice(&reply)?;
    let beside = take(from, expected.beside)?.ok_or(ErrorKind::UnexpectedEof)?;
    match &mut reply.result {
        Ok(Answer::Read(document)) => {
            document.text = String::from_utf8(beside).map_err(|_| ErrorKind::InvalidData)?;
        }
        Ok(Answer::Drawn(pictures)) => {
            pictures.give_pixels(&beside).ok_or(ErrorKind::UnexpectedEof)?;
        }
        Err(_) => {}
    }
    Ok(reply)
}

/// The error for a process that answers another question.
fn confused() -> ReadError {
    ReadError::Failed { what: "the process that reads files gave another answer".to_owned() }
}

fn put(to: &mut impl Write, bytes: &[u8]) -> io::Result<()> {
    to.write_all(&(bytes.len() as u64).to_le_bytes())?;
    to.write_all(bytes)
}

/// Returns the next part of a stream, or `None` at its end.
fn take(from: &mut impl Read, most: u64) -> io::Result<Option<Vec<u8>>> {
    let mut length = [0; 8];
    if from.read(&mut length[..1])? == 0 {
        return Ok(None);
    }
    from.read_exact(&mut length[1..])?;
    let length = u64::from_le_bytes(length);
    if length > most {
        return Err(io::Error::new(ErrorKind::InvalidData, "more than was allowed"));
    }
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(usize::try_from(length).unwrap_or(usize::MAX))?;
    from.take(length).read_to_end(&mut bytes)?;
    if bytes.len() as u64 != length {
        return Err(ErrorKind::UnexpectedEof.into());
    }
    Ok(Some(bytes))
}

/// Answers the requests of a [`Worker`] on standard input until it closes: the child's side.
///
/// Before it reads a file, this process gives up what it does not need: it can write no bytes to files, leaves no core dump, and its
/// memory and processor time are limited to those of `limits`, or of the request if they are lower. `limits` also bound the request.
/// Writes only replies to standard output, and nothing to standard error.
pub fn serve(limits: &Limits) -> io::Result<()> {
    std::panic::set_hook(Box::new(|_| {}));
    let mut to = confine::own_output()?;
    confine::forever()?;
    let (sender, requests) = mpsc::sync_channel::<io::Result<(Vec<u8>, Vec<u8>)>>(1);
    let most = limits.file_bytes;
    thread::Builder::new().name("requests".to_owned()).spawn(move || {
        let mut from = io::stdin();
        loop {
            let request = take(&mut from, SMALL).and_then(|header| {
                let Some(header) = header else { return Ok(None) };
                Ok(take(&mut from, most)?.map(|bytes| (header, bytes)))
            });
            match request {
                Ok(Some(request)) => {
                    if sender.send(Ok(request)).is_err() {
                        return;
                    }
                }
                Err(error) if error.kind() == ErrorKind::InvalidData => {
                    let _ = sender.send(Err(error));
                    return;
                }
                // The parent is gone, so no one needs the result.
                Ok(None) | Err(_) => std::process::exit(0),
            }
        }
    })?;
    for request in requests {
        let (header, bytes) = request?;
        let request: Request = serde_json::from_slice(&header)?;
        let lower = Limits {
            file_bytes: request.limits.file_bytes.min(limits.file_bytes),
            text_bytes: request.limits.text_bytes.min(limits.text_bytes),
            time_seconds: request.limits.time_seconds.min(limits.time_seconds),
            memory_bytes: request.limits.memory_bytes.min(limits.memory_bytes),
        };
        confine::for_file(&lower)?;
        let work = std::panic::AssertUnwindSafe(|| match &request.task {
            Task::Read(label) => read_as(label, &bytes, &lower).map(Box::new).map(Answer::Read),
            Task::Draw(numbers) => picture::draw(&bytes, numbers).map(Answer::Drawn),
        });
        let broke = ReadError::BrokeReader { mebibytes: lower.memory_bytes >> 20 };
        let mut result = std::panic::catch_unwind(work).unwrap_or(Err(broke));
        let beside = match &mut result {
            Ok(Answer::Read(document)) => std::mem::take(&mut document.text).into_bytes(),
            Ok(Answer::Drawn(pictures)) => pictures.take_pixels(),
            Err(_) => Vec::new(),
        };
        let retire = pdf::left_behind();
        put(&mut to, &serde_json::to_vec(&Reply { result, retire })?)?;
        put(&mut to, &beside)?;
        to.flush()?;
    }
    Ok(())
}

#[cfg(unix)]
mod confine {
    //! Limits that the system enforces on this process.

    use std::fs::File;
    use std::io;

    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    use rustix::time::{ClockId, clock_gettime};

    use crate::read::Limits;

    /// The address space of a process besides the memory it asks for: its code, its stacks, an allocator's reserve.
    const BESIDES: u64 = 1 << 30;

    /// Returns standard output, and redirects all other writes to it to `/dev/null`.
    pub(super) fn own_output() -> io::Result<File> {
        let own = rustix::io::dup(rustix::stdio::stdout())?;
        let nowhere = File::options().write(true).open("/dev/null")?;
        rustix::stdio::dup2_stdout(&nowhere)?;
        Ok(File::from(own))
    }

    pub(super) fn forever() -> io::Result<()> {
        for resource in [Resource::Core, Resource::Fsize] {
            setrlimit(resource, Rlimit { current: Some(0), maximum: Some(0) })?;
        }
        Ok(())
    }

    pub(super) fn for_file(limits: &Limits) -> io::Result<()> {
        let memory = limits.memory_bytes;
        lower(Resource::Data, memory)?;
        lower(Resource::As, memory.saturating_add(BESIDES))?;
        let used = clock_gettime(ClockId::ProcessCPUTime).tv_sec;
        let used = u64::try_from(used).unwrap_or(0);
        // Two engines may run at once if the first was given up.
        let allowed = limits.time_seconds.saturating_mul(2).saturating_add(used).saturating_add(1);
        lower(Resource::Cpu, allowed)
    }

    /// Sets the limit from now on, never above the maximum of this process.
    fn lower(resource: Resource, to: u64) -> io::Result<()> {
        let maximum = getrlimit(resource).maximum;
        let current = Some(maximum.map_or(to, |maximum| maximum.min(to)));
        Ok(setrlimit(resource, Rlimit { current, maximum })?)
    }
}

#[cfg(not(unix))]
mod confine {
    //! On systems without such limits, only the time limit is enforced, by the parent.

    use std::io;

    use crate::read::Limits;

    pub(super) fn own_output() -> io::Result<io::Stdout> {
        Ok(io::stdout())
    }
    pub(super) fn forever() -> io::Result<()> {
        Ok(())
    }
    pub(super) fn for_file(_: &Limits) -> io::Result<()> {
        Ok(())
    }
}
