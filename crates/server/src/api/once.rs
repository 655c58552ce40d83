//! Requests with an idempotency key: each is carried out once, however often it is sent.
//!
//! A run is found by its row. The results of uploads are remembered here until the server stops; after that, a repeated file counts as one
//! that exists already.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};

use axum::http::{HeaderMap, StatusCode};
use run::entry::Hash;
use run::log::RequestKey;
use serde::Serialize;
use serde_json::Value;

use crate::desk::other_request;
use crate::problem::{Kind, Problem};
use ::app::Refusal;

/// The longest idempotency key.
const KEY_CHARS: usize = 200;
/// The most uploads that are remembered.
const MOST: usize = 10_000;

/// Returns the key of a request; `request` is its content.
pub(crate) fn request_key(
    headers: &HeaderMap,
    request: &impl Serialize,
) -> Result<Option<RequestKey>, Problem> {
    let Some(key) = headers.get("idempotency-key") else { return Ok(None) };
    let fits = |key: &&str| {
        (1..=KEY_CHARS).contains(&key.len()) && key.chars().all(|c| c.is_ascii_graphic())
    };
    let key = key.to_str().ok().filter(fits).ok_or_else(|| {
        let detail =
            format!("an idempotency key must have 1 to {KEY_CHARS} visible ASCII characters");
        Problem::invalid(detail, "use a UUID, for example")
    })?;
    Ok(Some(RequestKey { key: key.to_owned(), request: Hash::of_json(request) }))
}

/// The result of one key's upload; the lock's holder is working on that upload.
type Slot = Arc<tokio::sync::Mutex<Option<(Hash, Value)>>>;

/// The user and the key.
type Name = (String, String);

/// The results of uploads with a key.
#[derive(Default)]
pub(crate) struct Uploads(Mutex<Kept>);

#[derive(Default)]
struct Kept {
    /// Names, oldest first.
    order: VecDeque<Name>,
    slots: HashMap<Name, Slot>,
}

impl Uploads {
    fn slot(&self, user: &str, key: &str) -> Slot {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let name = (user.to_owned(), key.to_owned());
        if let Some(slot) = kept.slots.get(&name) {
            return Arc::clone(slot);
        }
        if kept.order.len() >= MOST
            && let Some(oldest) = kept.order.pop_front()
        {
            kept.slots.remove(&oldest);
        }
        kept.order.push_back(name.clone());
        Arc::clone(kept.slots.entry(name).or_default())
    }

    /// Performs an upload unless its key shows that it was done; returns its result, with 200 instead of 201 if it had been done before.
    ///
    /// A client that disconnects does not interrupt it.
    pub(super) async fn once<T: Serialize>(
        &self,
        user: &str,
        key: Option<RequestKey>,
        taking: impl Future<Output = Result<T, Refusal>> + Send + 'static,
    ) -> Result<(Value, StatusCode), Problem> {
        let slot = key.map(|key| (self.slot(user, &key.key), key.request));
        let taken = tokio::spawn(async move {
            let Some((slot, request)) = slot else {
                return taken(taking).await.map(|value| (value, StatusCode::CREATED));
            };
            let mut kept = slot.lock().await;
            match &*kept {
                Some((before, value)) if *before == request => {
                    return Ok((value.clone(), StatusCode::OK));
                }
                Some(_) => return Err(other_request()),
                None => {}
            }
            let value = taken(taking).await?;
            *kept = Some((request, value.clone()));
            Ok((value, StatusCode::CREATED))
        });
        taken.await.map_err(|_| Problem::new(Kind::Failed, "the reader failed", ""))?
    }
}

async fn taken<T: Serialize>(
    taking: impl Future<Output = Result<T, Refusal>>,
) -> Result<Value, Problem> {
    let unwritable = |_| Problem::new(Kind::Failed, "the outcome is unknown", "");
    serde_json::to_value(taking.await?).map_err(unwritable)
}
