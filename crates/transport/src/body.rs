//! Reads bodies piece by piece, within a size limit.
//!
//! The reader yields between pieces, so that a server that never stops sending cannot hide the deadline.

use reqwest::Response;
use tokio::task::yield_now;

use run::error::PortError;

use crate::faults::{Service, TOO_LONG};

/// The number of bytes read from an error's body.
const BEGINNING: usize = 64 * 1024;

/// Returns the whole body; fails if it has more than `limit` bytes.
pub async fn whole(
    response: &mut Response,
    service: Service<'_>,
    limit: usize,
) -> Result<Vec<u8>, PortError> {
    up_to(response, service, limit).await?.ok_or_else(|| service.malformed(TOO_LONG))
}

/// Returns the whole body, or `None` if it has more than `limit` bytes.
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
            // Double the capacity, as a vector does, but not beyond the limit.
            let capacity = length.max(body.capacity() * 2).min(limit);
            body.reserve_exact(capacity - body.len());
        }
        body.extend_from_slice(&bytes);
        yield_now().await;
    }
    Ok(Some(body))
}

/// Returns the beginning of an error's body, as far as it can be read.
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
