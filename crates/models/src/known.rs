//! Embedding models that can be downloaded: their files, pinned by size and SHA-256.

use serde::Deserialize;

/// The table that ships.
const TABLE: &str = include_str!("known.toml");

/// A model whose files are known to the byte.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KnownModel {
    /// `org/name`, as on the hub.
    pub name: String,
    pub licence: String,
    /// What it is good for, in a sentence.
    pub about: String,
    /// The address of its folder; ends in `/`.
    pub address: String,
    pub files: Vec<KnownFile>,
}

/// A file of a model.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KnownFile {
    /// Its path below the folder.
    pub path: String,
    /// In bytes.
    pub size: u64,
    /// In hexadecimal digits.
    pub sha256: String,
}

impl KnownModel {
    /// Returns the size of all files, in bytes.
    pub fn size(&self) -> u64 {
        self.files.iter().map(|file| file.size).sum()
    }
}

#[derive(Deserialize)]
struct Table {
    model: Vec<KnownModel>,
}

/// Returns the embedding models that can be downloaded.
///
/// ```
/// assert!(models::known_models().iter().all(|model| model.address.starts_with("https://")));
/// ```
pub fn known_models() -> Vec<KnownModel> {
    toml::from_str::<Table>(TABLE).map(|table| table.model).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    // proves: F1
    #[test]
    fn every_known_model_has_what_an_embedder_needs_and_a_digest_of_each_file() {
        let known = known_models();
        assert!(!known.is_empty());
        for model in known {
            for needed in ["config.json", "tokenizer.json", "model.safetensors"] {
                assert!(model.files.iter().any(|file| file.path == needed), "{needed}");
            }
            for KnownFile { path, size, sha256 } in &model.files {
                assert!(*size > 0 && !path.starts_with('/') && !path.contains(".."), "{path}");
                let is_digest = sha256.len() == 64
                    && sha256.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
                assert!(is_digest, "{path}");
            }
            assert!(model.address.starts_with("https://") && model.address.ends_with('/'));
        }
    }
}
