//! An incoming file: kept on disk, limited in size, and removed once read.

use std::path::{Path, PathBuf};
use std::time::Duration;

use axum::body::{Body, HttpBody};
use http_body_util::BodyExt;
use sha2::{Digest, Sha256};
use tokio::fs::File;
use tokio::io::AsyncWriteExt;

use super::extract::{broken_off, linger};
use crate::problem::{Kind, Problem};
use crate::state::App;

/// How long an upload may be silent, and how long it may take in total.
const SILENCE: Duration = Duration::from_secs(60);
const UPLOAD: Duration = Duration::from_secs(3_600);

/// An incoming file under a generated name, removed once read or abandoned.
pub(super) struct Upload {
    path: PathBuf,
    digest: [u8; 32],
}

impl Upload {
    /// Receives a file of a user up to the upload limit and their quota; `limit` names the setting that also limits such files.
    pub(super) async fn received(
        app: &App,
        user: &str,
        body: Body,
        limit: &str,
    ) -> Result<Upload, Problem> {
        let expected = body.size_hint().lower();
        if let Err(problem) = app.quotas.check_upload(user, expected.max(1)).await {
            linger(body).await;
            return Err(problem);
        }
        let path = app.intake.place().map_err(|error| unwritten(&error))?;
        let mut file = Upload { path, digest: [0; 32] };
        let receiving = file.receive(body, app.config.upload_bytes, limit);
        let too_slow = |_| Problem::new(Kind::BadRequest, "the upload took too long", "split it");
        let (bytes, digest) = tokio::time::timeout(UPLOAD, receiving).await.map_err(too_slow)??;
        file.digest = digest;
        app.quotas.add_upload(user, bytes).await?;
        app.metrics.uploaded(bytes);
        Ok(file)
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the SHA-256 of the file.
    pub(super) fn digest(&self) -> [u8; 32] {
        self.digest
    }

    /// Writes the body to disk as it arrives; returns its length and digest.
    async fn receive(
        &self,
        mut body: Body,
        most: u64,
        limit: &str,
    ) -> Result<(u64, [u8; 32]), Problem> {
        let mut file = File::create(&self.path).await.map_err(|error| unwritten(&error))?;
        let (mut bytes, mut digest): (u64, _) = (0, Sha256::new());
        loop {
            let frame = match tokio::time::timeout(SILENCE, body.frame()).await {
                Ok(None) => break,
                Ok(Some(Ok(frame))) => frame,
                Ok(Some(Err(_))) => return Err(broken_off()),
                Err(_) => {
                    return Err(Problem::new(
                        Kind::BadRequest,
                        "the upload stalled",
                        "send it again",
                    ));
                }
            };
            let Ok(data) = frame.into_data() else { continue };
            bytes += data.len() as u64;
            if bytes > most {
                linger(body).await;
                let detail = format!("the file is larger than {most} bytes");
                let hint = format!("split it, or raise server.upload_bytes and {limit}");
                return Err(Problem::new(Kind::TooLarge, detail, hint));
            }
            digest.update(&data);
            file.write_all(&data).await.map_err(|error| unwritten(&error))?;
        }
        file.flush().await.map_err(|error| unwritten(&error))?;
        if bytes == 0 {
            return Err(Problem::invalid("the file is empty", ""));
        }
        Ok((bytes, digest.finalize().into()))
    }
}

impl Drop for Upload {
    fn drop(&mut self) {
        // A file that cannot be removed now is removed at the next start.
        let _ = std::fs::remove_file(&self.path);
    }
}

fn unwritten(error: &std::io::Error) -> Problem {
    let kind = match error.kind() {
        std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded => Kind::DiskFull,
        _ => Kind::Failed,
    };
    Problem::new(kind, "the upload could not be stored", "check the data folder")
}
