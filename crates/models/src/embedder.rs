//! Vectors from a server that speaks OpenAI's embeddings protocol.
//!
//! Texts are sent in batches, a few of them concurrently. Vectors are requested in base64: decoding 64 vectors of 1,536 numbers takes
//! 0.4 ms, and 8.5 ms if they are written as JSON numbers, which are accepted as well.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use futures::{StreamExt, TryStreamExt, stream};
use reqwest::header::{CONTENT_TYPE, HeaderMap};
use reqwest::{Client, Url};
use serde::de::{Error, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

use run::embedding::{Embedder, Embedding, Purpose};
use run::error::PortError;
use transport::{Attempts, Service, body};

use crate::{ConnectError, Connection, Protocol, http};

/// The maximum bytes of a number in a reply, written as text.
const BYTES_PER_NUMBER: usize = 32;

/// The most dimensions expected of a model whose dimensions are unknown.
const MOST_DIMENSIONS: usize = 16_384;

/// The bytes of a reply besides its vectors.
const ROOM: usize = 64 * 1024;

/// The settings of an embedder.
#[derive(Debug, Clone, PartialEq)]
pub struct EmbedderSettings {
    /// The maximum number of texts in a request.
    pub texts_per_request: usize,
    /// The maximum bytes of text in a request; a longer text is sent alone.
    pub bytes_per_request: usize,
    /// The number of concurrent requests.
    pub in_flight: usize,
    /// The dimensions to request; `None` for the model's own.
    pub dimensions: Option<u32>,
    pub passage_prefix: String,
    pub query_prefix: String,
    /// How many tokens of a text the model reads, if known. Nothing is truncated here.
    pub max_tokens: Option<u32>,
    /// The time limit for one request, including retries.
    pub deadline: Duration,
}

impl Default for EmbedderSettings {
    fn default() -> EmbedderSettings {
        EmbedderSettings {
            texts_per_request: 64,
            // Below OpenAI's limit of 300,000 tokens, however many tokens a byte is.
            bytes_per_request: 256 * 1024,
            in_flight: 4,
            dimensions: None,
            passage_prefix: String::new(),
            query_prefix: String::new(),
            max_tokens: None,
            deadline: Duration::from_secs(120),
        }
    }
}

/// Why an embedder cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EmbedderError {
    #[error(transparent)]
    Connect(#[from] ConnectError),
    #[error(
        "the provider of {model} offers no embeddings that quaestio can use. Choose an embedding model on a server that \
         speaks OpenAI's protocol"
    )]
    NoVectors { model: String },
    #[error("the embedding model does not answer: {0}")]
    Port(#[from] PortError),
}

/// An embedder behind the port.
pub struct HttpEmbedder {
    connection: Connection,
    settings: EmbedderSettings,
    client: Client,
    headers: HeaderMap,
    url: Url,
    embedding: Embedding,
    /// Whether base64 is requested; `false` once the server has refused it.
    in_base64: AtomicBool,
}

#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    input: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    encoding_format: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    dimensions: Option<u32>,
}

#[derive(Deserialize)]
struct Reply {
    data: Vec<Item>,
}

#[derive(Deserialize)]
struct Item {
    #[serde(default)]
    index: Option<usize>,
    embedding: Numbers,
}

/// A vector in a reply: a list of numbers, or their little-endian bytes in base64.
struct Numbers(Vec<f32>);

impl HttpEmbedder {
    /// Returns the embedder of a connection. Embeds one word to learn its dimensions, unless the settings give them.
    pub async fn connect(
        connection: Connection,
        settings: EmbedderSettings,
    ) -> Result<HttpEmbedder, EmbedderError> {
        let settings = EmbedderSettings {
            dimensions: settings.dimensions.filter(|dimensions| *dimensions > 0),
            ..settings
        };
        if connection.protocol != Protocol::OpenAi {
            return Err(EmbedderError::NoVectors { model: connection.id });
        }
        let embedding = Embedding {
            model: connection.id.clone(),
            fingerprint: None,
            dimensions: settings.dimensions.unwrap_or_default(),
            dtype: None,
            pooling: None,
            passage_prefix: settings.passage_prefix.clone(),
            query_prefix: settings.query_prefix.clone(),
            max_tokens: settings.max_tokens,
        };
        let mut embedder = HttpEmbedder {
            client: http::client(&connection)?,
            headers: http::headers(&connection)?,
            url: http::url(&connection, &["embeddings"])?,
            in_base64: AtomicBool::new(true),
            connection,
            settings,
            embedding,
        };
        if embedder.embedding.dimensions == 0 {
            let learned = embedder.batch(vec!["dimensions".to_owned()]).await?;
            embedder.embedding.dimensions = learned.first().map_or(0, Vec::len) as u32;
        }
        Ok(embedder)
    }

    /// Returns the vectors of one request, retrying if necessary.
    async fn batch(&self, texts: Vec<String>) -> Result<Vec<Vec<f32>>, PortError> {
        let Connection { id, retry_delay, .. } = &self.connection;
        let mut attempts = Attempts::new(id, self.settings.deadline, *retry_delay);
        loop {
            let in_base64 = self.in_base64.load(Ordering::Relaxed);
            match attempts.make(self.once(&texts, in_base64)).await {
                Ok(vectors) => return Ok(vectors),
                Err(error) if in_base64 && is_about_format(&error) => {
                    self.in_base64.store(false, Ordering::Relaxed);
                }
                Err(error) => attempts.after(error).await?,
            }
        }
    }

    async fn once(&self, texts: &[String], in_base64: bool) -> Result<Vec<Vec<f32>>, PortError> {
        let service = Service { name: &self.connection.id, key: self.connection.key.as_ref() };
        let body = Body {
            model: self.connection.name(),
            input: texts,
            encoding_format: in_base64.then_some("base64"),
            dimensions: self.settings.dimensions,
        };
        let body = serde_json::to_vec(&body).map_err(|error| PortError::Invalid {
            what: format!("could not write the request: {error}"),
        })?;
        let mut response =
            http::post(&self.client, &self.url, &self.headers, body, service).await?;
        let content_type = response.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
        let content_type = content_type.unwrap_or_default().to_owned();
        let dimensions = match self.embedding.dimensions {
            0 => MOST_DIMENSIONS,
            known => known as usize,
        };
        let limit = texts.len() * (dimensions * BYTES_PER_NUMBER + 1024) + ROOM;
        let body = body::whole(&mut response, service, limit).await?;
        match serde_json::from_slice::<Reply>(&body) {
            Ok(reply) => vectors(reply, texts.len(), self.embedding.dimensions as usize)
                .map_err(|what| service.malformed(&what)),
            Err(cause) => Err(match serde_json::from_slice::<serde_json::Value>(&body) {
                Err(_) => service.not_json(&body, &content_type, &cause),
                Ok(body) => match body.get("error").filter(|error| !error.is_null()) {
                    Some(error) => service.in_band(error),
                    None => service.malformed("JSON without vectors"),
                },
            }),
        }
    }

    /// Returns the texts to send, with their prefix, in batches.
    fn batches(&self, texts: &[&str], prefix: &str) -> Vec<Vec<String>> {
        let most = self.settings.texts_per_request.max(1);
        let mut batches: Vec<Vec<String>> = Vec::new();
        let mut bytes = 0;
        for text in texts {
            let text = format!("{prefix}{text}");
            let full = bytes + text.len() > self.settings.bytes_per_request;
            match batches.last_mut().filter(|batch| batch.len() < most && !full) {
                Some(batch) => {
                    bytes += text.len();
                    batch.push(text);
                }
                None => {
                    bytes = text.len();
                    batches.push(vec![text]);
                }
            }
        }
        batches
    }
}

#[async_trait]
impl Embedder for HttpEmbedder {
    fn embedding(&self) -> &Embedding {
        &self.embedding
    }

    async fn embed(&self, texts: &[&str], purpose: Purpose) -> Result<Vec<Vec<f32>>, PortError> {
        if let Some(index) = texts.iter().position(|text| text.trim().is_empty()) {
            let what = format!("text {} of {} is empty and has no vector", index + 1, texts.len());
            return Err(PortError::Invalid { what });
        }
        let prefix = match purpose {
            Purpose::Passage => &self.settings.passage_prefix,
            Purpose::Query => &self.settings.query_prefix,
        };
        let batches = self.batches(texts, prefix).into_iter().map(|batch| self.batch(batch));
        let vectors: Vec<Vec<Vec<f32>>> =
            stream::iter(batches).buffered(self.settings.in_flight.max(1)).try_collect().await?;
        Ok(vectors.into_iter().flatten().collect())
    }
}

/// Returns the vectors in the order of their texts, each normalised to length 1, or an error that says what is wrong with them.
fn vectors(reply: Reply, texts: usize, dimensions: usize) -> Result<Vec<Vec<f32>>, String> {
    let came = reply.data.len();
    if came != texts {
        return Err(format!("{came} vectors for {texts} texts"));
    }
    let mut vectors: Vec<Vec<f32>> = vec![Vec::new(); texts];
    let mut expected = dimensions;
    for (position, Item { index, embedding: Numbers(mut vector) }) in
        reply.data.into_iter().enumerate()
    {
        let index = index.unwrap_or(position);
        if vector.is_empty() {
            return Err("a vector without numbers".into());
        }
        if expected == 0 {
            expected = vector.len();
        }
        if vector.len() != expected {
            return Err(format!("a vector of {} numbers instead of {expected}", vector.len()));
        }
        normalise(&mut vector)?;
        match vectors.get_mut(index) {
            Some(place) if place.is_empty() => *place = vector,
            Some(_) => return Err(format!("two vectors for text {index}")),
            None => return Err(format!("a vector for text {index} of {texts}")),
        }
    }
    Ok(vectors)
}

/// Scales a vector to length 1.
fn normalise(vector: &mut [f32]) -> Result<(), String> {
    let square: f64 = vector.iter().map(|number| f64::from(*number) * f64::from(*number)).sum();
    if !square.is_finite() {
        return Err("a vector with values that are not numbers".into());
    }
    // The square of the smallest `f32` is far above this.
    if square < 1e-100 {
        return Err("a vector of zeros".into());
    }
    let length = square.sqrt();
    vector.iter_mut().for_each(|number| *number = (f64::from(*number) / length) as f32);
    Ok(())
}

/// Returns whether the server refused base64 and not the texts.
fn is_about_format(error: &PortError) -> bool {
    match error {
        PortError::Refused { status: 400 | 404 | 415 | 422 | 501, reason, .. } => {
            let reason = reason.to_lowercase();
            reason.contains("encoding") || reason.contains("base64")
        }
        PortError::Failed { status: 501, .. } => true,
        _ => false,
    }
}

impl<'de> Deserialize<'de> for Numbers {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Numbers, D::Error> {
        deserializer.deserialize_any(NumbersVisitor)
    }
}

struct NumbersVisitor;

impl<'de> Visitor<'de> for NumbersVisitor {
    type Value = Numbers;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("numbers, or their bytes in base64")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Numbers, E> {
        let bytes = STANDARD.decode(text).map_err(|_| E::custom("not base64"))?;
        let (numbers, rest) = bytes.as_chunks::<4>();
        if !rest.is_empty() {
            return Err(E::custom("base64 of something other than numbers"));
        }
        Ok(Numbers(numbers.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<Numbers, A::Error> {
        let mut numbers = Vec::with_capacity(sequence.size_hint().unwrap_or(1024));
        while let Some(number) = sequence.next_element::<f32>()? {
            numbers.push(number);
        }
        Ok(Numbers(numbers))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(embedding: &serde_json::Value) -> Option<Vec<f32>> {
        serde_json::from_value(embedding.clone()).ok().map(|Numbers(numbers)| numbers)
    }

    proptest! {
        // proves: C3
        #[test]
        fn a_vector_is_the_same_in_either_form(vector in prop::collection::vec(-1e30_f32..1e30, 1..40)) {
            let bytes: Vec<u8> = vector.iter().flat_map(|number| number.to_le_bytes()).collect();
            let text = serde_json::Value::from(STANDARD.encode(bytes));
            prop_assert_eq!(read(&text), Some(vector.clone()));
            prop_assert_eq!(read(&serde_json::json!(vector)), Some(vector));
        }

        // proves: C3
        #[test]
        fn whatever_is_taken_has_length_one(
            vectors in prop::collection::vec(prop::collection::vec(any::<f32>(), 0..5), 0..5),
            indexes in prop::collection::vec(prop::option::of(0_usize..6), 5),
            texts in 0_usize..5,
        ) {
            let data = vectors.into_iter().zip(indexes);
            let data = data.map(|(vector, index)| Item { index, embedding: Numbers(vector) }).collect();
            if let Ok(taken) = super::vectors(Reply { data }, texts, 0) {
                prop_assert_eq!(taken.len(), texts);
                for vector in taken {
                    let length: f32 = vector.iter().map(|number| number * number).sum();
                    prop_assert!((length - 1.0).abs() < 1e-4, "{vector:?}");
                }
            }
        }
    }
}
