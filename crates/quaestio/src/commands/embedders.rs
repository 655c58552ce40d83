//! `quaestio embedders`: whether the embedder does what retrieval needs.

use std::time::Instant;

use serde_json::json;

use run::embedding::{Embedder, Purpose};
use run::error::PortError;

use crate::cli::{Common, EmbeddersCommand};
use crate::failure::{Exit, Failure};
use crate::output;
use crate::{Face, wire};

/// A question, a passage that answers it in other words, and a passage that does not.
const QUESTION: &str = "How do plants turn sunlight into food?";
const ANSWER: &str =
    "Photosynthesis lets leaves store the energy of light as sugar, from carbon dioxide and water.";
const OTHER: &str = "The ferry to the island leaves at noon and comes back in the evening.";

pub(super) async fn embedders(
    common: &Common,
    command: EmbeddersCommand,
    face: &Face,
) -> Result<Exit, Failure> {
    let EmbeddersCommand::Test { model, json } = command;
    let mut config = wire::configure(common)?.config;
    config.embedder.model = model.unwrap_or(config.embedder.model);
    let embedders = wire::embedder(&config).ok_or_else(|| {
        Failure::usage(
            "no embedding model is configured",
            "name one, as in `quaestio embedders test sentence-transformers/all-MiniLM-L6-v2`, or set embedder.model",
        )
    })?;
    let began = Instant::now();
    let embedder = embedders.open().await?;
    let opened = began.elapsed();
    let began = Instant::now();
    let trial = Trial::of(&*embedder).await?;
    let embedded = began.elapsed();
    let made = embedder.embedding();
    if json.is_wanted() {
        let page = json!({
            "embedder": made, "opened_ms": opened.as_millis() as u64, "embedded_ms": embedded.as_millis() as u64,
            "cosine_of_an_answer": trial.answer, "cosine_of_another_text": trial.other, "usable": trial.usable(),
        });
        face.out.line(&output::json(&page));
    } else {
        let or_unknown = |value: Option<String>| value.unwrap_or_else(|| "not told".into());
        let prefix = |prefix: &str| {
            if prefix.is_empty() { "none".to_owned() } else { format!("'{prefix}'") }
        };
        let page = format!(
            "{}\ndimensions: {}, numbers: {}, pooling: {}, tokens read: {}\nprefix of a passage: {}, of a query: {}\n\
             opened in {} ms, three texts embedded in {} ms\ncosine of a question with its answer {:.3}, with another text {:.3}",
            made.model,
            made.dimensions,
            or_unknown(made.dtype.clone()),
            made.pooling.map_or("not told", run::embedding::Pooling::name),
            or_unknown(made.max_tokens.map(|tokens| tokens.to_string())),
            prefix(&made.passage_prefix),
            prefix(&made.query_prefix),
            opened.as_millis(),
            embedded.as_millis(),
            trial.answer,
            trial.other
        );
        face.out.line(&run::grounding::clean(&page));
    }
    if trial.usable() {
        return Ok(Exit::Done);
    }
    Err(Failure::new(
        "the embeddings cannot tell an answer from an unrelated text",
        "use a model made for retrieval, or correct embedder.query_prefix and embedder.passage_prefix",
    ))
}

/// The similarity of a question's vector to those of two passages.
pub(crate) struct Trial {
    answer: f32,
    other: f32,
}

impl Trial {
    pub(crate) async fn of(embedder: &dyn Embedder) -> Result<Trial, PortError> {
        let queries = embedder.embed(&[QUESTION], Purpose::Query).await?;
        let passages = embedder.embed(&[ANSWER, OTHER], Purpose::Passage).await?;
        let cosine = |passage: Option<&Vec<f32>>| -> f32 {
            let pairs = queries.first().into_iter().flatten().zip(passage.into_iter().flatten());
            pairs.map(|(one, two)| one * two).sum()
        };
        Ok(Trial { answer: cosine(passages.first()), other: cosine(passages.get(1)) })
    }

    /// Returns whether the answer is more similar than the other text, by more than chance would make it.
    pub(crate) fn usable(&self) -> bool {
        const LEAST: f32 = 0.05;
        self.answer - self.other >= LEAST
    }
}
