//! One file of a model: resumed where it broke off, and kept only if it has its digest.

use std::fs::{self, File};
use std::io::{self, BufReader, Read as _, Write as _};
use std::path::{Path, PathBuf};

use ::models::KnownFile;
use ::sources::{Outside, Receiver};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use run::error::PortError;
use run::grounding::clean;
use sha2::{Digest as _, Sha256};

use super::unfinished;
use crate::Face;
use crate::failure::Failure;

/// A file that is to be downloaded.
pub(super) struct Fetch<'a> {
    pub(super) url: String,
    /// Where it comes to lie.
    pub(super) path: PathBuf,
    pub(super) file: &'a KnownFile,
    /// The most bytes that it may have.
    pub(super) most: u64,
}

/// An unfinished file and the digest of what it holds.
struct Part {
    path: PathBuf,
    file: Option<File>,
    digest: Sha256,
    length: u64,
    bar: ProgressBar,
}

impl Receiver for Part {
    fn begin(&mut self, at: u64) -> io::Result<()> {
        if at == 0 || at != self.length {
            self.file = Some(File::create(&self.path)?);
            (self.digest, self.length) = (Sha256::new(), 0);
        } else {
            self.file = Some(File::options().append(true).open(&self.path)?);
        }
        self.bar.set_position(self.length);
        Ok(())
    }

    fn take(&mut self, bytes: &[u8]) -> io::Result<()> {
        let file = self.file.as_mut().ok_or_else(|| io::Error::other("nothing was begun"))?;
        file.write_all(bytes)?;
        self.digest.update(bytes);
        self.length += bytes.len() as u64;
        self.bar.set_position(self.length);
        Ok(())
    }
}

impl Part {
    /// Opens what an earlier download left.
    fn open(path: PathBuf, most: u64, bar: ProgressBar) -> io::Result<Part> {
        let (mut digest, mut length) = (Sha256::new(), 0);
        if let Some((read, bytes)) = digest_of(&path)? {
            // Nothing can follow a file of full length: it is wrong.
            if bytes < most {
                (digest, length) = (read, bytes);
            }
        }
        Ok(Part { path, file: None, digest, length, bar })
    }
}

impl Fetch<'_> {
    /// Downloads the file, unless it is there already.
    pub(super) async fn run(
        &self,
        outside: &Outside,
        quiet: bool,
        face: &Face,
    ) -> Result<(), Failure> {
        let kept = |error: io::Error| super::not_written(&self.path, &error);
        if let Some((digest, _)) = digest_of(&self.path).map_err(kept)?
            && hex(&digest.finalize()) == self.file.sha256
        {
            return Ok(());
        }
        if let Some(folder) = self.path.parent() {
            fs::create_dir_all(folder).map_err(kept)?;
        }
        let mut part =
            Part::open(unfinished(&self.path), self.most, self.bar(quiet, face)).map_err(kept)?;
        if !quiet {
            let resumed = if part.length > 0 { ", resumed" } else { "" };
            face.err.line(&clean(&format!("{}{resumed}", self.file.path)));
        }
        let from = part.length;
        let mut ended = outside.download(&self.url, from, self.most, &mut part).await;
        if from > 0 && matches!(ended, Err(PortError::Malformed { .. })) {
            // What was kept is of another file.
            ended = outside.download(&self.url, 0, self.most, &mut part).await;
        }
        part.bar.finish_and_clear();
        ended.map_err(|error| {
            let hint = match error {
                // The error says what to do.
                PortError::Invalid { .. } => "",
                PortError::Refused { .. } => {
                    "check the name of the model, or name its address with --from"
                }
                _ => "run the same command again: it resumes the download",
            };
            Failure::new(format!("could not download {}: {error}", self.file.path), hint)
        })?;
        self.finish(part)
    }

    /// Gives the file its name, if it is the right one.
    fn finish(&self, part: Part) -> Result<(), Failure> {
        let kept = |error: io::Error| super::not_written(&self.path, &error);
        let Part { path, file, digest, length, .. } = part;
        let found = hex(&digest.finalize());
        if found != self.file.sha256 {
            fs::remove_file(&path).map_err(kept)?;
            let short = if self.file.size > length { " It ended early." } else { "" };
            return Err(Failure::new(
                format!(
                    "{} is not the expected file: its SHA-256 is {found}, not {}.{short} It was removed",
                    self.file.path, self.file.sha256
                ),
                "try again; if that does not help, the address has another version of the model",
            ));
        }
        if let Some(file) = file {
            file.sync_all().map_err(kept)?;
        }
        fs::rename(&path, &self.path).map_err(kept)
    }

    fn bar(&self, quiet: bool, face: &Face) -> ProgressBar {
        let target = match face.terminal && !quiet {
            true => ProgressDrawTarget::stderr(),
            false => ProgressDrawTarget::hidden(),
        };
        let bar =
            ProgressBar::with_draw_target((self.file.size > 0).then_some(self.file.size), target);
        let style =
            ProgressStyle::with_template("{bytes} of {total_bytes}, {bytes_per_sec}, {eta} left");
        style.map_or(bar.clone(), |style| bar.with_style(style))
    }
}

/// Returns the running digest and the length of a file; `None` if it does not exist.
fn digest_of(path: &Path) -> io::Result<Option<(Sha256, u64)>> {
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    let (mut reader, mut digest, mut length) = (BufReader::new(file), Sha256::new(), 0);
    let mut buffer = vec![0; 1 << 16];
    loop {
        let read = reader.read(&mut buffer)?;
        let Some(bytes) = buffer.get(..read).filter(|bytes| !bytes.is_empty()) else { break };
        digest.update(bytes);
        length += bytes.len() as u64;
    }
    Ok(Some((digest, length)))
}

/// Writes a digest in hexadecimal digits.
pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
