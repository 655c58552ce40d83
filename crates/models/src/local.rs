//! Vectors made on this machine by a BERT-family model in a folder.
//!
//! Nothing is downloaded: a model is a folder with `config.json`, `tokenizer.json` and `model.safetensors`, or a name
//! whose download the hub's own tools left in their cache. The additional files of sentence-transformers
//! (pooling, prompts, limits) are honoured.

mod description;
mod fingerprint;
mod forward;
mod lanes;
mod matrix;
mod place;
mod tokens;
mod weights;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use async_trait::async_trait;
use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

use run::embedding::{Embedder, Embedding, Pooling, Purpose};
use run::error::PortError;

use description::Description;
use forward::Bert;
use tokens::Tokens;
use weights::Tensors;

/// The maximum size of a tokenizer file in bytes; the largest multilingual ones have 17 million.
const TOKENIZER_LIMIT: u64 = 128 * 1024 * 1024;
/// How many tokens go through the model at once on one thread: their numbers fit the caches, and more gain nothing.
const BATCH_TOKENS: usize = 512;

/// Settings that override the model's folder.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LocalSettings {
    /// The hub's cache; `None` for its usual place: `$HF_HUB_CACHE`, `$HF_HOME/hub`, `~/.cache/huggingface/hub`.
    pub hub: Option<PathBuf>,
    /// Written before a passage; `None` for the prefix that the model was trained with.
    pub passage_prefix: Option<String>,
    /// Written before a query; `None` for the prefix that the model was trained with.
    pub query_prefix: Option<String>,
    pub pooling: Option<Pooling>,
    /// Lowers the number of tokens read per text.
    pub max_tokens: Option<u32>,
    /// The number of compute threads; `None` for one per core.
    pub threads: Option<usize>,
}

/// Why a local model cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LocalError {
    #[error(
        "could not find the local model '{model}': {looked}. Give a folder with config.json, tokenizer.json and \
         model.safetensors; nothing is downloaded by itself"
    )]
    NotFound { model: String, looked: String },
    #[error("could not read {}: {reason}", path.display())]
    Unreadable { path: PathBuf, reason: String },
    #[error("{} is not usable as part of a model: {what}", path.display())]
    Malformed { path: PathBuf, what: String },
    #[error("{} needs {found}, which is not supported. Supported are {supported}", path.display())]
    Unsupported { path: PathBuf, found: String, supported: &'static str },
    #[error("{what}")]
    Setting { what: String },
}

/// A BERT model and its tokenizer, in memory.
///
/// All numbers are f32, whatever the file holds. It computes on its own threads, so that it neither waits for nor blocks other
/// work. On one kind of machine, a text's vector is the same to the bit in any batch and with any number of threads.
/// Machines with other registers differ in the seventh digit.
pub struct LocalEmbedder {
    inner: Arc<Inner>,
    embedding: Embedding,
}

struct Inner {
    tokens: Tokens,
    bert: Bert,
    pool: ThreadPool,
}

impl LocalEmbedder {
    /// Reads the model in the folder `place`, or with that name (`org/name`) in the hub's cache, entirely into memory.
    ///
    /// Fails if the folder has no such model, if one of its files is damaged or does not fit the others, or if the model needs something
    /// that is not implemented here. No damaged file causes a panic.
    pub fn open(
        place: impl AsRef<Path>,
        settings: &LocalSettings,
    ) -> Result<LocalEmbedder, LocalError> {
        let place = place::find(place.as_ref(), settings.hub.as_deref())?;
        let description = Description::read(&place.folder, &place.name, settings)?;
        let threads = settings.threads.unwrap_or(0);
        let pool = ThreadPoolBuilder::new()
            .num_threads(threads)
            .thread_name(|index| format!("embed-{index}"))
            .build()
            .map_err(|error| LocalError::Setting {
                what: format!("could not start {threads} threads: {error}"),
            })?;
        let tokenizer_path = description.folder.join("tokenizer.json");
        let weights_path = description.folder.join("model.safetensors");
        let needed = |path: &Path| LocalError::NotFound {
            model: place.name.clone(),
            looked: format!("{} is missing", path.display()),
        };
        if !weights_path.is_file() {
            return Err(needed(&weights_path));
        }
        let tokenizer = description::bytes_of(&tokenizer_path, TOKENIZER_LIMIT)?
            .ok_or_else(|| needed(&tokenizer_path))?;
        let tensors = Tensors::open(&weights_path)?;
        let (tokens, read) = pool.install(|| {
            rayon::join(
                || {
                    let (limit, lower) = (description.max_tokens, description.lower_case);
                    Tokens::new(&tokenizer, &tokenizer_path, limit, lower)
                },
                || {
                    let print = fingerprint::fingerprint(
                        &description,
                        &tokenizer,
                        &tensors,
                        &weights_path,
                    )?;
                    Ok::<_, LocalError>((Bert::read(&tensors, &description)?, print))
                },
            )
        });
        let (tokens, (bert, fingerprint)) = (tokens?, read?);
        let (vocabulary, rows) = (tokens.vocabulary(), description.config.vocab_size);
        if vocabulary > rows {
            return Err(LocalError::Malformed {
                path: tokenizer_path,
                what: format!(
                    "it has {vocabulary} tokens, but the model has embeddings for {rows}"
                ),
            });
        }
        let embedding = Embedding {
            model: format!("local/{}", place.name),
            fingerprint: Some(fingerprint),
            dimensions: description.config.hidden_size.try_into().unwrap_or(u32::MAX),
            dtype: Some("f32".into()),
            pooling: Some(description.pooling),
            passage_prefix: description.passage_prefix,
            query_prefix: description.query_prefix,
            max_tokens: Some(description.max_tokens.try_into().unwrap_or(u32::MAX)),
        };
        Ok(LocalEmbedder { inner: Arc::new(Inner { tokens, bert, pool }), embedding })
    }

    /// Returns the texts' vectors as [`Embedder::embed`] does, blocking the thread.
    pub fn embed_blocking(
        &self,
        texts: &[&str],
        purpose: Purpose,
    ) -> Result<Vec<Vec<f32>>, PortError> {
        self.inner.embed(&self.prefixed(texts, purpose), &AtomicBool::new(false))
    }

    fn prefixed(&self, texts: &[&str], purpose: Purpose) -> Vec<String> {
        let prefix = match purpose {
            Purpose::Passage => &self.embedding.passage_prefix,
            Purpose::Query => &self.embedding.query_prefix,
        };
        texts.iter().map(|text| format!("{prefix}{text}")).collect()
    }
}

impl std::fmt::Debug for LocalEmbedder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LocalEmbedder").field("embedding", &self.embedding).finish_non_exhaustive()
    }
}

#[async_trait]
impl Embedder for LocalEmbedder {
    fn embedding(&self) -> &Embedding {
        &self.embedding
    }

    async fn embed(&self, texts: &[&str], purpose: Purpose) -> Result<Vec<Vec<f32>>, PortError> {
        let texts = self.prefixed(texts, purpose);
        let inner = Arc::clone(&self.inner);
        let given_up = GiveUp(Arc::new(AtomicBool::new(false)));
        let flag = Arc::clone(&given_up.0);
        let vectors = tokio::task::spawn_blocking(move || inner.embed(&texts, &flag)).await;
        drop(given_up);
        vectors.map_err(|error| invalid(format!("the local model stopped: {error}")))?
    }
}

/// Stops the work after the current batch once the caller no longer waits for the vectors.
struct GiveUp(Arc<AtomicBool>);

impl Drop for GiveUp {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

fn invalid(what: String) -> PortError {
    PortError::Invalid { what }
}

impl Inner {
    fn embed(&self, texts: &[String], given_up: &AtomicBool) -> Result<Vec<Vec<f32>>, PortError> {
        let tokens: Vec<Vec<u32>> = self
            .pool
            .install(|| texts.par_iter().map(|text| self.tokens.of(text)).collect::<Result<_, _>>())
            .map_err(invalid)?;
        let batches = group_by_length(&tokens, self.pool.current_num_threads());
        let done: Vec<(usize, Option<Vec<f32>>)> = self.pool.install(|| {
            batches
                .par_iter()
                .with_max_len(1)
                .flat_map_iter(|batch| {
                    let texts: Vec<&[u32]> = match given_up.load(Ordering::Relaxed) {
                        true => Vec::new(),
                        false => batch.iter().map(|index| tokens[*index].as_slice()).collect(),
                    };
                    batch.iter().copied().zip(self.bert.vectors(&texts))
                })
                .collect()
        });
        let mut vectors = vec![None; texts.len()];
        for (index, vector) in done {
            vectors[index] = vector;
        }
        let numbered = vectors.into_iter().enumerate();
        numbered
            .map(|(index, vector)| {
                vector.ok_or_else(|| {
                    invalid(format!(
                        "the local model gives no vector for text {} of {}: its weights give values that are not numbers, or \
                         its tokenizer does not fit",
                        index + 1,
                        texts.len()
                    ))
                })
            })
            .collect()
    }
}

/// Groups texts of similar length, longest first, so that every thread has work and batches keep their size.
fn group_by_length(tokens: &[Vec<u32>], threads: usize) -> Vec<Vec<usize>> {
    let mut order: Vec<usize> = (0..tokens.len()).collect();
    order.sort_by_key(|index| std::cmp::Reverse(tokens[*index].len()));
    let all: usize = tokens.iter().map(Vec::len).sum();
    let limit = all.div_ceil(threads.max(1)).min(BATCH_TOKENS);
    let mut batches: Vec<Vec<usize>> = Vec::new();
    let mut room = 0;
    for index in order {
        let length = tokens[index].len();
        match batches.last_mut() {
            Some(batch) if length <= room => {
                batch.push(index);
                room -= length;
            }
            _ => {
                batches.push(vec![index]);
                room = limit.saturating_sub(length);
            }
        }
    }
    batches
}
