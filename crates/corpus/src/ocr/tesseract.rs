//! `tesseract`, a program that reads pictures of text: where it is, what it can read, and one page at a time.
//!
//! It runs as a process of its own, without a shell and with no variables but the folder of its languages. A page goes to its standard
//! input, a table of words comes from its standard output. It is killed with everything it started when its time is up.

use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use super::picture::Picture;

/// The most bytes of a page's table of words: a dense page has some hundred thousand.
const TABLE_BYTES: u64 = 16 << 20;
/// The most bytes of what it says about itself.
const SAID_BYTES: u64 = 256 << 10;
/// How long it may take to say what it is.
const ANSWER: Duration = Duration::from_secs(10);
/// The variable that names the folder of its languages.
const FOLDER_VARIABLE: &str = "TESSDATA_PREFIX";
/// What it calls its model of how a page lies.
const ORIENTATION: &str = "osd";
/// The resolutions that it believes.
const RESOLUTIONS: std::ops::RangeInclusive<u32> = 70..=2400;

/// Which program reads scans, and in which languages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OcrSettings {
    /// Its name, looked up in `PATH`, or its path.
    pub program: String,
    /// Codes as the program knows them, the likeliest first: `eng`, `deu`, `chi_sim`.
    pub languages: Vec<String>,
}

impl Default for OcrSettings {
    fn default() -> Self {
        Self { program: "tesseract".to_owned(), languages: vec!["eng".to_owned()] }
    }
}

/// Why scans cannot be read here, and what would help.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OcrError {
    #[error("OCR is off; set corpus.ocr = \"auto\" to read it")]
    Off,
    #[error(
        "there is no program '{program}' to read it; install tesseract (Debian and Ubuntu: apt install tesseract-ocr) or name it with corpus.ocr_program"
    )]
    Missing { program: String },
    #[error("'{program}' does not answer as tesseract does: {reason}; correct corpus.ocr_program")]
    Broken { program: String, reason: String },
    #[error(
        "tesseract lacks the language {language}; install it (Debian and Ubuntu: apt install tesseract-ocr-{package}) or correct corpus.ocr_languages. It has {known}"
    )]
    Language { language: String, package: String, known: String },
    #[error("corpus.ocr_languages names no language")]
    NoLanguage,
}

/// Why one page was not read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum PageError {
    #[error("it took longer than {seconds} s")]
    TookTooLong { seconds: u64 },
    #[error("the program for OCR failed: {reason}")]
    Failed { reason: String },
}

/// How the program looks at a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lies {
    /// As it is read.
    Upright,
    /// On a side or upside down, perhaps: the program finds out first.
    Anyhow,
}

/// An installed program that reads the languages that it is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tesseract {
    program: PathBuf,
    /// Such as `5.3.0`.
    pub version: String,
    /// Those that it is asked to read, as in its own command line: `eng+deu`.
    pub languages: String,
    knows_orientation: bool,
}

impl Tesseract {
    /// Finds the program and asks it what it can read.
    pub fn find(settings: &OcrSettings) -> Result<Tesseract, OcrError> {
        let languages: Vec<&str> = settings.languages.iter().map(|code| code.trim()).collect();
        if languages.is_empty() || languages.iter().any(|code| code.is_empty()) {
            return Err(OcrError::NoLanguage);
        }
        let named = &settings.program;
        let program = locate(named).ok_or_else(|| OcrError::Missing { program: named.clone() })?;
        let broken = |reason: String| OcrError::Broken { program: named.clone(), reason };
        let said = ask(&program, "--version").map_err(broken)?;
        let version = said.lines().find_map(|line| line.trim().strip_prefix("tesseract "));
        let version = version.and_then(|rest| rest.split_whitespace().next());
        let version = version.ok_or_else(|| broken("it tells no version".to_owned()))?;
        let listed = ask(&program, "--list-langs").map_err(broken)?;
        // The first line says where they are.
        let known: Vec<&str> = listed.lines().skip(1).map(str::trim).collect();
        if let Some(language) = languages.iter().find(|code| !known.contains(*code)) {
            let known: Vec<&str> =
                known.iter().copied().filter(|code| *code != ORIENTATION).collect();
            return Err(OcrError::Language {
                language: (*language).to_owned(),
                package: language.replace('_', "-").to_lowercase(),
                known: if known.is_empty() { "none".to_owned() } else { known.join(", ") },
            });
        }
        Ok(Tesseract {
            version: version.trim_start_matches('v').to_owned(),
            languages: languages.join("+"),
            knows_orientation: known.contains(&ORIENTATION),
            program,
        })
    }

    /// Returns whether it can tell how a page lies.
    pub(super) fn knows_orientation(&self) -> bool {
        self.knows_orientation
    }

    /// Returns the table of words on a page, as tab-separated values.
    pub(super) fn read(
        &self,
        picture: &Picture,
        lies: Lies,
        time: Duration,
        memory_bytes: u64,
    ) -> Result<String, PageError> {
        let segmentation = match lies {
            Lies::Upright => "3",
            Lies::Anyhow => "1",
        };
        let dpi = picture.dpi.clamp(*RESOLUTIONS.start(), *RESOLUTIONS.end()).to_string();
        let mut command = bare(&self.program);
        command.args(["stdin", "stdout", "-l", &self.languages, "--dpi", &dpi]);
        command.args(["--psm", segmentation, "-c", "tessedit_create_tsv=1"]);
        let head = format!("P5\n{} {}\n255\n", picture.width, picture.height);
        let input = [head.as_bytes(), &picture.grey].concat();
        let limits = Bounds { time, output: TABLE_BYTES, memory: Some(memory_bytes) };
        let ended = run(command, input, &limits).map_err(|failure| match failure {
            Failure::TookTooLong => PageError::TookTooLong { seconds: time.as_secs() },
            Failure::Other(reason) => PageError::Failed { reason },
        })?;
        if !ended.success {
            return Err(PageError::Failed { reason: ended.complaint() });
        }
        Ok(String::from_utf8_lossy(&ended.output).into_owned())
    }
}

/// Returns the path of a program: a path as it is, a name from `PATH`.
fn locate(named: &str) -> Option<PathBuf> {
    let named = Path::new(named.trim());
    if named.components().count() > 1 {
        let path = std::path::absolute(named).ok()?;
        return path.is_file().then_some(path);
    }
    let name = named.file_name()?;
    let paths = std::env::var_os("PATH")?;
    let file = [OsString::from(name), format!("{}.exe", name.display()).into()];
    let names = &file[..if cfg!(windows) { 2 } else { 1 }];
    std::env::split_paths(&paths)
        .filter(|folder| folder.is_absolute())
        .flat_map(|folder| names.iter().map(move |name| folder.join(name)))
        .find(|path| path.is_file())
}

/// Returns what the program says about itself. Old versions say it on standard error.
fn ask(program: &Path, question: &str) -> Result<String, String> {
    let mut command = bare(program);
    command.arg(question);
    let limits = Bounds { time: ANSWER, output: SAID_BYTES, memory: None };
    let ended = run(command, Vec::new(), &limits).map_err(|failure| match failure {
        Failure::TookTooLong => format!("no answer within {} s", ANSWER.as_secs()),
        Failure::Other(reason) => reason,
    })?;
    if !ended.success {
        return Err(ended.complaint());
    }
    let said = if ended.output.is_empty() { ended.said } else { ended.output };
    Ok(String::from_utf8_lossy(&said).into_owned())
}

/// Returns a command that is given as little as possible.
fn bare(program: &Path) -> Command {
    let mut command = Command::new(program);
    command.env_clear().current_dir(std::path::MAIN_SEPARATOR_STR);
    // Pages are read side by side, and each on one core.
    command.env("OMP_THREAD_LIMIT", "1");
    for name in [FOLDER_VARIABLE, "SystemRoot"] {
        command.envs(std::env::var_os(name).map(|value| (name, value)));
    }
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    command
}

struct Bounds {
    time: Duration,
    /// The most bytes on standard output.
    output: u64,
    memory: Option<u64>,
}

enum Failure {
    TookTooLong,
    Other(String),
}

/// What a process left behind.
struct Ended {
    success: bool,
    output: Vec<u8>,
    /// What it wrote to standard error.
    said: Vec<u8>,
}

impl Ended {
    /// Returns the last thing that a failed process said, on one line.
    fn complaint(&self) -> String {
        let said = String::from_utf8_lossy(&self.said);
        let last = said.lines().map(str::trim).rfind(|line| !line.is_empty());
        let last = run::grounding::clean(last.unwrap_or("it ended early and said nothing"));
        crate::document::one_line(&last)
    }
}

/// Runs a command to its end, and never longer than its time.
fn run(mut command: Command, input: Vec<u8>, limits: &Bounds) -> Result<Ended, Failure> {
    let other = |error: io::Error| Failure::Other(error.to_string());
    let until = Instant::now() + limits.time;
    let pipes = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = Running(pipes.spawn().map_err(other)?);
    child.confine(limits);
    let (Some(mut to), Some(from), Some(said)) =
        (child.0.stdin.take(), child.0.stdout.take(), child.0.stderr.take())
    else {
        return Err(Failure::Other("it has no pipes".to_owned()));
    };
    let (sender, received) = mpsc::sync_channel(2);
    let spawn = |name: &str| thread::Builder::new().name(name.to_owned());
    // A process that wants no more input is no error; its exit status tells whether it was content.
    let writer = spawn("ocr-in").spawn(move || drop(to.write_all(&input)));
    let listener = spawn("ocr-out").spawn({
        let (sender, most) = (sender.clone(), limits.output);
        move || drop(sender.send((true, drain(from, most))))
    });
    let complaints =
        spawn("ocr-err").spawn(move || drop(sender.send((false, drain(said, SAID_BYTES)))));
    writer.and(listener).and(complaints).map_err(other)?;
    let (mut output, mut said) = (Vec::new(), Vec::new());
    for _ in 0..2 {
        let left = until.saturating_duration_since(Instant::now());
        match received.recv_timeout(left) {
            Ok((true, Some(bytes))) => output = bytes,
            Ok((true, None)) => return Err(Failure::Other("it wrote too much".to_owned())),
            Ok((false, bytes)) => said = bytes.unwrap_or_default(),
            Err(_) => return Err(Failure::TookTooLong),
        }
    }
    loop {
        match child.0.try_wait().map_err(other)? {
            Some(status) => return Ok(Ended { success: status.success(), output, said }),
            None if Instant::now() >= until => return Err(Failure::TookTooLong),
            None => thread::sleep(Duration::from_millis(5)),
        }
    }
}

/// Returns all bytes of a stream, or `None` if there are more than `most`.
fn drain(from: impl Read, most: u64) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let _ = from.take(most + 1).read_to_end(&mut bytes);
    (bytes.len() as u64 <= most).then_some(bytes)
}

/// A process that ends with this value, together with those that it started.
struct Running(Child);

impl Running {
    /// Limits what the process may use, where the system can.
    fn confine(&self, limits: &Bounds) {
        #[cfg(target_os = "linux")]
        {
            use rustix::process::{Pid, Resource, Rlimit, prlimit};
            let Some(pid) = i32::try_from(self.0.id()).ok().and_then(Pid::from_raw) else { return };
            let seconds = limits.time.as_secs().saturating_add(1);
            let most = [
                (Resource::Core, Some(0)),
                (Resource::Cpu, Some(seconds)),
                (Resource::Data, limits.memory),
            ];
            for (resource, most) in most {
                if most.is_some() {
                    // It may be over already.
                    let _ = prlimit(Some(pid), resource, Rlimit { current: most, maximum: most });
                }
            }
        }
        #[cfg(not(target_os = "linux"))]
        let _ = limits;
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if !matches!(self.0.try_wait(), Ok(Some(_))) {
            #[cfg(unix)]
            if let Some(group) =
                i32::try_from(self.0.id()).ok().and_then(rustix::process::Pid::from_raw)
            {
                let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
            }
            let _ = self.0.kill();
            let _ = self.0.wait();
        }
    }
}

#[cfg(test)]
#[cfg(unix)]
pub(crate) mod tests;
