//! A digest that distinguishes a model's files without reading all of them.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use sha2::{Digest, Sha256};

use super::LocalError;
use super::description::Description;
use super::weights::Tensors;

/// The number of samples of the weights.
const SAMPLES: u64 = 64;
/// The size of a sample, in bytes.
const SAMPLE: u64 = 4096;

/// Returns the SHA-256, in hexadecimal, of everything that determines a vector and is not part of the embedding's other fields: the
/// configuration, the tokenizer and whether it lowers the case, the header and length of the weights, and evenly spaced samples of
/// their bytes.
/// Training changes every tensor, so the samples differ too. It is no defence against someone who wants two
/// models to look alike.
/// models to look alike.
pub(super) fn fingerprint(
    description: &Description,
    tokenizer: &[u8],
    tensors: &Tensors,
    weights: &Path,
) -> Result<String, LocalError> {
    let mut digest = Sha256::new();
    let mut part = |name: &str, bytes: &[u8]| {
        digest.update((name.len() as u64).to_le_bytes());
        digest.update(name);
        digest.update((bytes.len() as u64).to_le_bytes());
        digest.update(bytes);
    };
    part("config.json", &description.config_json);
    part("lower case", &[u8::from(description.lower_case)]);
    part("tokenizer.json", tokenizer);
    part("header", &tensors.header);
    part("length", &tensors.length.to_le_bytes());
    let mut file = File::open(weights).map_err(|error| tensors.unread(&error))?;
    let mut sample = Vec::with_capacity(SAMPLE as usize);
    let begin = 8 + tensors.header.len() as u64;
    let last = tensors.length.saturating_sub(SAMPLE).max(begin);
    for index in 0..SAMPLES {
        let at = begin + (last - begin) / (SAMPLES - 1) * index;
        sample.clear();
        file.seek(SeekFrom::Start(at)).map_err(|error| tensors.unread(&error))?;
        let read = (&mut file).take(SAMPLE).read_to_end(&mut sample);
        read.map_err(|error| tensors.unread(&error))?;
        part("sample", &sample);
    }
    Ok(digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
}
