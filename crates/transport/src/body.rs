//! Bytes as they come, never more of them than fit.
//!
//! Between pieces the reader yields: a server that always has more to say must not keep the deadline from being seen.

use reqwest::Response;
use tokio::task::yield_now;

use run::error::PortError;

use crate::faults::{Service, TOO_LONG};

/// The bytes of an error that are read.
const BEGINNING: usize = 64 * 1024;

/// Returns the whole body, which may have `limit` bytes.
pub async fn whole(
    response: &mut Response,
    service: Service<'_>,
    limit: usize,
) -> Result<Vec<u8>, PortError> {
    up_to(response, service, limit).await?.ok_or_else(|| service.malformed(TOO_LONG))
}

/// Returns the whole body, none where it has more than `limit` bytes.
pub async fn up_to(
    response: &mut Response,
    service: Service<'_>,
    limit: usize,
) -> Result<Option<Vec<u8>>, PortError> {
    let mut body = Vec::new();
    while let Some(bytes) = response.chunk().await.map_err(|error| service.network(&error))? {
        let length = body.len() + bytes.len();
        if length > limit {
            return Ok(None);
        }
        if length > body.capacity() {
            // Doubled, as a vector grows, but not beyond the limit.
            let capacity = length.max(body.capacity() * 2).min(limit);
            body.reserve_exact(capacity - body.len());
        }
        body.extend_from_slice(&bytes);
        yield_now().await;
    }
    Ok(Some(body))
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
