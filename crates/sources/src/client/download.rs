//! Downloads a large file piece by piece: every address on the way is judged as that of a page, and nothing is kept in memory.

use std::io;

use reqwest::header::{ACCEPT, ACCEPT_ENCODING, CONTENT_RANGE, HeaderValue, RANGE};
use reqwest::{Response, StatusCode, Url};

use run::error::PortError;
use transport::Service;

use super::Client;
use super::attempt::failure;
use super::page::{MOST_REDIRECTS, is_redirect, leads_nowhere_public, next_address};
use crate::address;

/// Receives a file.
pub trait Receiver: Send {
    /// Is told at which byte the pieces begin: where was asked, or 0 if the server cannot resume.
    fn begin(&mut self, at: u64) -> io::Result<()>;
    fn take(&mut self, bytes: &[u8]) -> io::Result<()>;
}

impl Client {
    /// Downloads `url` from byte `from` on. Fails if the whole has more than `most` bytes.
    ///
    /// The content is not judged: compare its digest.
    pub(crate) async fn download(
        &self,
        url: &str,
        from: u64,
        most: u64,
        receiver: &mut dyn Receiver,
    ) -> Result<(), PortError> {
        let mut url = self.guard.read(url)?;
        for _ in 0..=MOST_REDIRECTS {
            let mut response = self.ask_for_file(&url, from).await?;
            let host = url.host_str().unwrap_or_default();
            let service = Service { name: host, key: None };
            let at = match response.status() {
                StatusCode::OK => 0,
                StatusCode::PARTIAL_CONTENT if begins_at(&response, from) => from,
                StatusCode::PARTIAL_CONTENT | StatusCode::RANGE_NOT_SATISFIABLE => {
                    return Err(
                        service.malformed("another part of the file than the one asked for")
                    );
                }
                status if is_redirect(status) => {
                    let next = next_address(&url, &response);
                    url = next.map_err(|reason| PortError::Refused {
                        service: host.to_owned(),
                        status: status.as_u16(),
                        reason: reason.to_owned(),
                    })?;
                    continue;
                }
                _ => return Err(failure(&mut response, service).await),
            };
            return receive(&mut response, service, at, most, receiver).await;
        }
        Err(PortError::Invalid {
            what: format!("the address leads through more than {MOST_REDIRECTS} redirects"),
        })
    }

    async fn ask_for_file(&self, url: &Url, from: u64) -> Result<Response, PortError> {
        let way = self.guard.judge(url)?;
        let host = url.host_str().unwrap_or_default();
        let mut asked = self.http.pages(way)?.get(url.clone());
        asked = asked.header(ACCEPT, HeaderValue::from_static("*/*"));
        // A part of a compressed file is no part of the file.
        asked = asked.header(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
        if from > 0 {
            asked = asked.header(RANGE, format!("bytes={from}-"));
        }
        asked.send().await.map_err(|error| {
            if leads_nowhere_public(&error) {
                address::private(host)
            } else {
                Service { name: host, key: None }.network(&error)
            }
        })
    }
}

/// Returns whether a part begins at that byte.
fn begins_at(response: &Response, from: u64) -> bool {
    let range = response.headers().get(CONTENT_RANGE).and_then(|range| range.to_str().ok());
    let begin = range.and_then(|range| range.strip_prefix("bytes ")?.split('-').next());
    begin.and_then(|begin| begin.trim().parse().ok()) == Some(from)
}

async fn receive(
    response: &mut Response,
    service: Service<'_>,
    at: u64,
    most: u64,
    receiver: &mut dyn Receiver,
) -> Result<(), PortError> {
    let kept = |error: io::Error| PortError::Store {
        action: "keep the download".into(),
        reason: error.to_string(),
    };
    receiver.begin(at).map_err(kept)?;
    let mut length = at;
    while let Some(bytes) = response.chunk().await.map_err(|error| service.network(&error))? {
        length = length.saturating_add(bytes.len() as u64);
        if length > most {
            return Err(service.malformed(&format!("more than the expected {most} bytes")));
        }
        receiver.take(&bytes).map_err(kept)?;
        tokio::task::yield_now().await;
    }
    Ok(())
}
