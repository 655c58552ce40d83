//! Bytes as they come, never more of them than fit.
//!
//! Between pieces the reader yields: a server that always has more to say must not keep the deadline from being seen.

use reqwest::Response;
use tokio::task::yield_now;

use run::ports::PortError;

use crate::faults::{Service, TOO_LONG};

/// The bytes of an error that are read.
const BEGINNING: usize = 64 * 1024;

/// Returns the whole body, which may have `limit` bytes.
pub async fn whole(
    response: &mut Response,
    service: Service<'_>,
    limit: usize,
) -> Result<Vec<u8>, PortError> {
    let mut body = Vec::new();
    while let Some(bytes) = response.chunk().await.map_err(|error| service.network(&error))? {
        body.extend_from_slice(&bytes);
        if body.len() > limit {
            return Err(service.malformed(TOO_LONG));
        }
        yield_now().await;
    }
    Ok(body)
}

/// Returns the beginning of the body of an error, as far as it comes.
pub async fn beginning(response: &mut Response) -> String {
    let mut body = Vec::new();
    while let Ok(Some(bytes)) = response.chunk().await {
        body.extend_from_slice(&bytes);
        if body.len() > BEGINNING {
            body.truncate(BEGINNING);
            break;
        }
    }
    String::from_utf8_lossy(&body).into_owned()
}
