//! The forward pass of a BERT: from tokens to one vector for each text (Devlin et al. 2018, arXiv:1810.04805).
//!
//! The tokens of all texts of a batch are rows of one matrix, without padding; only attention knows where a text begins
//! and ends.

use std::ops::Range;

use pulp::Arch;
use rayon::prelude::*;
use run::embedding::Pooling;

use super::LocalError;
use super::description::Description;
use super::lanes::{Norm, Normalise};
use super::matrix::{self, Attend, Linear, Room, Then};
use super::weights::{Reader, Tensors};

/// A model with all its weights.
pub(super) struct Bert {
    words: Vec<f32>,
    positions: Vec<f32>,
    /// The type embedding of all tokens: a text is always the first of a pair.
    kind: Vec<f32>,
    norm: Norm,
    layers: Vec<Layer>,
    hidden: usize,
    heads: usize,
    first_position: usize,
    /// The token that takes no position, in families that count that way.
    padding: Option<u32>,
    pooling: Pooling,
}

struct Layer {
    /// Query, key and value in one layer.
    look: Linear,
    mix: Linear,
    mix_norm: Norm,
    widen: Linear,
    narrow: Linear,
    norm: Norm,
    activation: Then,
}

impl Bert {
    /// Reads the weights, several tensors in parallel on the current pool.
    pub(super) fn read(tensors: &Tensors, description: &Description) -> Result<Bert, LocalError> {
        let config = &description.config;
        let hidden = config.hidden_size;
        let (layers, tables) = rayon::join(
            || {
                let layers = 0..config.num_hidden_layers;
                let layers = layers.into_par_iter().map(|n| Layer::read(tensors, description, n));
                layers.collect::<Result<Vec<Layer>, LocalError>>()
            },
            || {
                let mut reader = tensors.reader()?;
                let mut table = |name: &str, rows| {
                    reader.read(&format!("embeddings.{name}_embeddings.weight"), &[rows, hidden])
                };
                let words = table("word", config.vocab_size)?;
                let positions = table("position", config.max_position_embeddings)?;
                let mut kind = table("token_type", config.type_vocab_size)?;
                kind.truncate(hidden);
                let norm = read_norm(&mut reader, "embeddings.LayerNorm", description)?;
                Ok::<_, LocalError>((words, positions, kind, norm))
            },
        );
        let (words, positions, kind, norm) = tables?;
        Ok(Bert {
            words,
            positions,
            kind,
            norm,
            layers: layers?,
            hidden,
            heads: config.num_attention_heads,
            first_position: description.first_position,
            padding: match description.first_position {
                0 => None,
                _ => Some(config.pad_token_id.unwrap_or(1)),
            },
            pooling: description.pooling,
        })
    }

    /// Returns one vector of length 1 for each text, which must have tokens. `None` if the weights give no finite vector, or if a text has
    /// a token that the model does not know.
    pub(super) fn vectors(&self, texts: &[&[u32]]) -> Vec<Option<Vec<f32>>> {
        let hidden = self.hidden;
        let tokens = texts.iter().map(|text| text.len()).sum::<usize>();
        let mut spans: Vec<Range<usize>> = Vec::with_capacity(texts.len());
        let mut known = Vec::with_capacity(texts.len());
        let mut rows = Vec::with_capacity(tokens * hidden);
        for text in texts {
            let begin = rows.len() / hidden;
            known.push(self.begin(text, &mut rows));
            rows.resize((begin + text.len()) * hidden, 0.0);
            spans.push(begin..begin + text.len());
        }
        normalise(&mut rows, &self.norm);
        let mut given = vec![0.0; tokens * 3 * hidden];
        let mut mixed = vec![0.0; tokens * hidden];
        let mut room = Room::default();
        let widest = self.layers.iter().map(|layer| layer.widen.outputs()).max().unwrap_or(0);
        let mut wide = vec![0.0; widest * matrix::block_rows().min(tokens)];
        for layer in &self.layers {
            layer.look.apply(&rows, &mut given, Then::Store);
            for span in &spans {
                Arch::new().dispatch(Attend {
                    given: &given[span.start * 3 * hidden..span.end * 3 * hidden],
                    output: &mut mixed[span.start * hidden..span.end * hidden],
                    hidden,
                    heads: self.heads,
                    room: &mut room,
                });
            }
            let blocks = matrix::blocks(&mut rows, hidden).zip(matrix::blocks(&mut mixed, hidden));
            for (rows, mixed) in blocks {
                layer.mix.apply(mixed, rows, Then::Add);
                normalise(rows, &layer.mix_norm);
                let wide = &mut wide[..rows.len() / hidden * layer.widen.outputs()];
                layer.widen.apply(rows, wide, layer.activation);
                layer.narrow.apply(wide, rows, Then::Add);
                normalise(rows, &layer.norm);
            }
        }
        let vectors = spans.into_iter().zip(known);
        vectors
            .map(|(span, known)| {
                let rows = &rows[span.start * hidden..span.end * hidden];
                known.then(|| pool(rows, hidden, self.pooling)).flatten()
            })
            .collect()
    }

    /// Appends the embeddings of a text's tokens to `rows`, and returns whether all of them are known.
    fn begin(&self, text: &[u32], rows: &mut Vec<f32>) -> bool {
        let row = |table: &[f32], index: usize| -> Option<Range<usize>> {
            let begin = index.checked_mul(self.hidden)?;
            let range = begin..begin.checked_add(self.hidden)?;
            (range.end <= table.len()).then_some(range)
        };
        let mut position = self.first_position;
        for token in text {
            let place = if self.padding == Some(*token) {
                self.first_position - 1
            } else {
                position += 1;
                position - 1
            };
            let word = row(&self.words, *token as usize);
            let (Some(word), Some(place)) = (word, row(&self.positions, place)) else {
                return false;
            };
            let sum = self.words[word].iter().zip(&self.positions[place]).zip(&self.kind);
            rows.extend(sum.map(|((word, place), kind)| word + kind + place));
        }
        true
    }
}

impl Layer {
    fn read(
        tensors: &Tensors,
        description: &Description,
        number: usize,
    ) -> Result<Layer, LocalError> {
        let config = &description.config;
        let (hidden, wide) = (config.hidden_size, config.intermediate_size);
        let mut reader = tensors.reader()?;
        let name = |part: &str| format!("encoder.layer.{number}.{part}");
        let mut linear = |parts: &[&str], inputs: usize, outputs: usize| {
            let parts: Result<Vec<_>, LocalError> = parts
                .iter()
                .map(|part| {
                    let weight =
                        reader.read(&name(&format!("{part}.weight")), &[outputs, inputs])?;
                    let bias = reader.read(&name(&format!("{part}.bias")), &[outputs])?;
                    Ok((weight, bias))
                })
                .collect();
            Ok::<_, LocalError>(Linear::new(inputs, &parts?))
        };
        let look = ["attention.self.query", "attention.self.key", "attention.self.value"];
        let look = linear(&look, hidden, hidden)?;
        let mix = linear(&["attention.output.dense"], hidden, hidden)?;
        let widen = linear(&["intermediate.dense"], hidden, wide)?;
        let narrow = linear(&["output.dense"], wide, hidden)?;
        let mix_norm = read_norm(&mut reader, &name("attention.output.LayerNorm"), description)?;
        let norm = read_norm(&mut reader, &name("output.LayerNorm"), description)?;
        let activation = Then::Activate(description.activation);
        Ok(Layer { look, mix, mix_norm, widen, narrow, norm, activation })
    }
}

fn read_norm(
    reader: &mut Reader<'_>,
    name: &str,
    description: &Description,
) -> Result<Norm, LocalError> {
    let hidden = [description.config.hidden_size];
    Ok(Norm {
        weight: reader.read(&format!("{name}.weight"), &hidden)?,
        bias: reader.read(&format!("{name}.bias"), &hidden)?,
        epsilon: description.config.layer_norm_eps,
    })
}

fn normalise(rows: &mut [f32], norm: &Norm) {
    Arch::new().dispatch(Normalise { rows, norm });
}

/// Pools the token vectors of a text into one; `None` if it has no direction.
fn pool(rows: &[f32], hidden: usize, pooling: Pooling) -> Option<Vec<f32>> {
    let mut vector = vec![0.0; hidden];
    let rows = match pooling {
        Pooling::Mean => rows,
        Pooling::Cls => rows.get(..hidden)?,
    };
    for row in rows.chunks_exact(hidden) {
        for (sum, x) in vector.iter_mut().zip(row) {
            *sum += x;
        }
    }
    let square: f64 = vector.iter().map(|x| f64::from(*x) * f64::from(*x)).sum();
    let length = square.sqrt() as f32;
    if !(length > 0.0 && length.is_finite()) {
        return None;
    }
    for x in &mut vector {
        *x /= length;
    }
    Some(vector)
}
