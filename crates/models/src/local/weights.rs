//! The weights of a model, read tensor by tensor from a safetensors file.
//!
//! A file is eight bytes of length, that many bytes of JSON (name, dtype, shape and position of each tensor), then
//! the numbers (<https://huggingface.co/docs/safetensors/index#format>). It is never in memory as a whole.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::LocalError;

/// The maximum bytes of JSON; the largest models have under a million.
const HEADER_LIMIT: u64 = 16 * 1024 * 1024;
/// The number of bytes read at once.
const PIECE: usize = 256 * 1024;

/// A safetensors file: its tensors and their positions.
pub(super) struct Tensors {
    path: PathBuf,
    /// The size of the file, in bytes.
    pub(super) length: u64,
    /// The raw JSON header.
    pub(super) header: Vec<u8>,
    table: BTreeMap<String, Tensor>,
    /// The prefix of `embeddings.` and `encoder.` in the names.
    prefix: String,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Line {
    Tensor(Tensor),
    Other(IgnoredAny),
}

#[derive(Deserialize)]
struct Tensor {
    dtype: String,
    shape: Vec<u64>,
    data_offsets: [u64; 2],
}

/// The number types that can be read; all become f32.
#[derive(Clone, Copy)]
enum Dtype {
    F32,
    F16,
    Bf16,
}

impl Tensors {
    pub(super) fn open(path: &Path) -> Result<Tensors, LocalError> {
        let unread = |error: std::io::Error| LocalError::Unreadable {
            path: path.to_owned(),
            reason: error.to_string(),
        };
        let malformed = |what: String| LocalError::Malformed { path: path.to_owned(), what };
        let mut file = File::open(path).map_err(unread)?;
        let length = file.metadata().map_err(unread)?.len();
        let mut size = [0; 8];
        file.read_exact(&mut size).map_err(unread)?;
        let size = u64::from_le_bytes(size);
        if size > HEADER_LIMIT || size > length.saturating_sub(8) {
            return Err(malformed(format!("its header would have {size} bytes")));
        }
        let mut header = Vec::new();
        file.take(size).read_to_end(&mut header).map_err(unread)?;
        let lines: BTreeMap<String, Line> = serde_json::from_slice(&header)
            .map_err(|error| malformed(format!("its header is not a table of tensors: {error}")))?;
        let table: BTreeMap<String, Tensor> = lines
            .into_iter()
            .filter_map(|(name, line)| match line {
                Line::Tensor(tensor) => Some((name, tensor)),
                Line::Other(_) => None,
            })
            .collect();
        const WORDS: &str = "embeddings.word_embeddings.weight";
        let prefix = table
            .keys()
            .filter_map(|name| name.strip_suffix(WORDS))
            .min_by_key(|prefix| prefix.len())
            .map(str::to_owned);
        let Some(prefix) = prefix else {
            let some: Vec<&str> = table.keys().take(3).map(String::as_str).collect();
            return Err(malformed(format!(
                "no tensor '{WORDS}', as a BERT has; it begins with [{}]",
                some.join(", ")
            )));
        };
        Ok(Tensors { path: path.to_owned(), length, header, table, prefix })
    }

    /// Returns an independent reader; several may read concurrently.
    pub(super) fn reader(&self) -> Result<Reader<'_>, LocalError> {
        let file = File::open(&self.path).map_err(|error| self.unread(&error))?;
        Ok(Reader { tensors: self, file, piece: vec![0; PIECE] })
    }

    pub(super) fn unread(&self, error: &std::io::Error) -> LocalError {
        LocalError::Unreadable { path: self.path.clone(), reason: error.to_string() }
    }

    fn malformed(&self, what: String) -> LocalError {
        LocalError::Malformed { path: self.path.clone(), what }
    }
}

pub(super) struct Reader<'a> {
    tensors: &'a Tensors,
    file: File,
    piece: Vec<u8>,
}

impl Reader<'_> {
    /// Returns the numbers of the tensor, which must have this shape.
    pub(super) fn read(&mut self, name: &str, shape: &[usize]) -> Result<Vec<f32>, LocalError> {
        let (tensor, dtype) = self.find(name, shape)?;
        let [begin, end] = tensor.data_offsets;
        // The header's own length is at most the file's, so this does not overflow.
        let data = 8 + self.tensors.header.len() as u64;
        let bytes = end.checked_sub(begin);
        let numbers = shape.iter().try_fold(1usize, |product, size| product.checked_mul(*size));
        let width = if matches!(dtype, Dtype::F32) { 4 } else { 2 };
        let right = numbers.and_then(|numbers| numbers.checked_mul(width));
        let (Some(bytes), Some(right)) = (bytes, right) else {
            return Err(self.tensors.malformed(format!("the position of '{name}' is not valid")));
        };
        if bytes != right as u64 || end > self.tensors.length - data {
            return Err(self.tensors.malformed(format!(
                "'{name}' is at bytes {begin} to {end}, but it needs {right} bytes and the file has {}",
                self.tensors.length - data
            )));
        }
        self.file
            .seek(SeekFrom::Start(data + begin))
            .map_err(|error| self.tensors.unread(&error))?;
        let mut floats = Vec::with_capacity(right / width);
        let mut left = right;
        while left > 0 {
            let piece = &mut self.piece[..left.min(PIECE)];
            self.file.read_exact(piece).map_err(|error| self.tensors.unread(&error))?;
            left -= piece.len();
            match dtype {
                Dtype::F32 => floats.extend(
                    piece.as_chunks::<4>().0.iter().map(|bytes| f32::from_le_bytes(*bytes)),
                ),
                Dtype::F16 => {
                    floats.extend(halves(piece).map(f32_of_f16));
                }
                Dtype::Bf16 => {
                    floats.extend(halves(piece).map(|bits| f32::from_bits(u32::from(bits) << 16)));
                }
            }
        }
        Ok(floats)
    }

    fn find(&self, name: &str, shape: &[usize]) -> Result<(&Tensor, Dtype), LocalError> {
        let full = format!("{}{name}", self.tensors.prefix);
        // The first checkpoints used these names for the scale and shift of a normalisation.
        let old = match full.rsplit_once("LayerNorm.") {
            Some((before, "weight")) => format!("{before}LayerNorm.gamma"),
            Some((before, "bias")) => format!("{before}LayerNorm.beta"),
            _ => String::new(),
        };
        let table = &self.tensors.table;
        let Some(tensor) = table.get(&full).or_else(|| table.get(&old)) else {
            return Err(self.tensors.malformed(format!("the tensor '{full}' is missing")));
        };
        if !tensor.shape.iter().copied().eq(shape.iter().map(|size| *size as u64)) {
            return Err(self.tensors.malformed(format!(
                "'{full}' has the shape {:?}, but config.json says {shape:?}",
                tensor.shape
            )));
        }
        let dtype = match tensor.dtype.as_str() {
            "F32" => Dtype::F32,
            "F16" => Dtype::F16,
            "BF16" => Dtype::Bf16,
            other => {
                return Err(LocalError::Unsupported {
                    path: self.tensors.path.clone(),
                    found: format!("numbers of type {other}"),
                    supported: "F32, F16 and BF16",
                });
            }
        };
        Ok((tensor, dtype))
    }
}

fn halves(bytes: &[u8]) -> impl Iterator<Item = u16> + '_ {
    bytes.as_chunks::<2>().0.iter().map(|bytes| u16::from_le_bytes(*bytes))
}

/// Returns the number with these bits in IEEE 754 binary16.
fn f32_of_f16(bits: u16) -> f32 {
    /// 2^(127 - 15), the difference of the exponent biases.
    const BIAS: f32 = f32::from_bits((127 + 127 - 15) << 23);
    let sign = u32::from(bits & 0x8000) << 16;
    let rest = u32::from(bits & 0x7fff) << 13;
    let size = if rest >= 0x0f80_0000 {
        rest | 0x7f80_0000
    } else {
        (f32::from_bits(rest) * BIAS).to_bits()
    };
    f32::from_bits(sign | size)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_half_is_the_number_that_its_bits_write() {
        for bits in 0..=u16::MAX {
            let sign = if bits >> 15 == 1 { -1.0 } else { 1.0 };
            let (exponent, fraction) = (i32::from(bits >> 10 & 31), f64::from(bits & 1023));
            let right = match exponent {
                0 => sign * fraction * 2f64.powi(-24),
                31 if fraction == 0.0 => sign * f64::INFINITY,
                31 => f64::NAN,
                _ => sign * (1.0 + fraction / 1024.0) * 2f64.powi(exponent - 15),
            };
            let got = f64::from(f32_of_f16(bits));
            assert!(got == right || got.is_nan() && right.is_nan(), "{bits:x}: {got} {right}");
        }
    }
}
