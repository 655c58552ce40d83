//! What all adapters of the library do alike: ids, names, checks and their errors.

use crate::entry::Hash;
use crate::error::PortError;
use crate::library::{Manifest, NewChunk, NewDocument, QueryVector, Search};

/// Returns the error for a missing collection.
pub fn none_such(collection: &str) -> PortError {
    PortError::Invalid {
        what: format!(
            "there is no collection '{collection}'. Make it with `quaestio ingest PATH --collection {collection}`"
        ),
    }
}

/// Returns the id of the document at this path; it stays the same when the content changes.
pub fn document_id(collection_id: i64, path: &str) -> String {
    format!("d{}", &Hash::of_json(&(collection_id, path)).to_string()[..16])
}

/// Returns the name of a chunk: its document's id and its number in it, counted from 1.
pub fn chunk_name(document_id: &str, number: i64) -> String {
    format!("{document_id}-{number}")
}

/// Parses a name exactly as [`chunk_name`] writes it, into the document's id and the chunk's number.
pub fn parse_chunk_name(name: &str) -> Option<(&str, i64)> {
    let (document_id, number) = name.rsplit_once('-')?;
    let number = number.parse().ok()?;
    (chunk_name(document_id, number) == name).then_some((document_id, number))
}

/// Encodes a vector as it is stored: little-endian f32.
pub fn vector_bytes(vector: &[f32]) -> Vec<u8> {
    vector.iter().flat_map(|number| number.to_le_bytes()).collect()
}

/// Decodes a stored vector.
pub fn floats(bytes: &[u8]) -> Vec<f32> {
    let (numbers, _) = bytes.as_chunks::<4>();
    numbers.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect()
}

impl Manifest {
    /// Returns an error unless the collection, which was made this way, is wanted the same way. One of an earlier version goes on as it
    /// was made.
    pub fn same(&self, collection: &str, wanted: &Manifest) -> Result<(), PortError> {
        let differences = self.differences(wanted);
        if differences.is_empty() {
            return Ok(());
        }
        let what = format!(
            "the collection '{collection}' was made with {}. Use those settings, or remove the collection and ingest again",
            differences.join(", ")
        );
        Err(PortError::Invalid { what })
    }

    /// Describes how the manifest differs from the wanted one.
    fn differences(&self, wanted: &Manifest) -> Vec<String> {
        let mut differences = match (&self.embedder, &wanted.embedder) {
            (Some(made), Some(wanted)) => made
                .differences(wanted)
                .into_iter()
                .map(|difference| format!("the embedding model's {difference}"))
                .collect(),
            (Some(made), None) => {
                vec![format!("the embedding model {} instead of none", made.model)]
            }
            (None, Some(wanted)) => vec![format!("no embedding model instead of {}", wanted.model)],
            (None, None) => Vec::new(),
        };
        if self.language != wanted.language {
            differences
                .push(format!("language {:?} instead of {:?}", self.language, wanted.language));
        }
        if self.chunk_tokens != wanted.chunk_tokens {
            differences.push(format!(
                "passages of {} tokens instead of {}",
                self.chunk_tokens, wanted.chunk_tokens
            ));
        }
        if self.smallest_chunk_tokens != wanted.smallest_chunk_tokens {
            differences.push(format!(
                "passages of at least {} tokens instead of {}",
                self.smallest_chunk_tokens, wanted.smallest_chunk_tokens
            ));
        }
        differences
    }

    /// Returns the number of dimensions of the collection's vectors; 0 if it has none.
    pub fn dimensions(&self) -> usize {
        self.embedder.as_ref().map_or(0, |embedder| embedder.dimensions as usize)
    }

    /// Rejects a document with chunks outside its text, or with vectors that do not fit the collection.
    pub fn check(&self, document: &NewDocument) -> Result<(), PortError> {
        let dimensions = self.dimensions();
        let fault = |chunk: &NewChunk| {
            let (start, end) = (chunk.start, chunk.end);
            if document.text.get(start as usize..end as usize).is_none() {
                Some(format!(
                    "bytes {start} to {end} are not a valid span of the text of '{}'",
                    document.path
                ))
            } else if chunk.vector.len() != dimensions {
                Some(format!(
                    "a vector of '{}' has {} dimensions; the collection's have {dimensions}",
                    document.path,
                    chunk.vector.len()
                ))
            } else if !chunk.vector.iter().all(|number| number.is_finite()) {
                Some(format!(
                    "a vector of '{}' contains a value that is not a number",
                    document.path
                ))
            } else {
                None
            }
        };
        match document.chunks.iter().find_map(fault) {
            None => Ok(()),
            Some(what) => Err(PortError::Invalid { what }),
        }
    }
}

impl Search {
    /// Returns the question's vector if the retrieval compares vectors in a collection that was made this way. One that was made in
    /// another way than the collection's is refused.
    pub fn vector<'q>(
        &self,
        manifest: &Manifest,
        query: Option<&'q QueryVector>,
    ) -> Result<Option<&'q [f32]>, PortError> {
        if !self.retrieval.in_a(manifest).needs_vectors() {
            return Ok(None);
        }
        manifest.comparable(&self.collection, query.map(|query| &query.embedding))?;
        Ok(query.map(|query| query.vector.as_slice()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // proves: A6
    #[test]
    fn a_chunk_s_name_is_read_only_as_it_is_written() {
        assert_eq!(parse_chunk_name(&chunk_name("d0a", 12)), Some(("d0a", 12)));
        for name in ["", "d", "d-", "d-01", "d-+1", "d- 1", "d-1 ", "d-99999999999999999999"] {
            assert_eq!(parse_chunk_name(name), None, "{name:?}");
        }
    }

    // proves: A7
    #[test]
    fn a_vector_comes_back_from_its_bytes() {
        let vector = [0.0, -1.5, f32::MIN_POSITIVE, f32::MAX];
        assert_eq!(floats(&vector_bytes(&vector)), vector);
        assert_eq!(floats(&[1, 2, 3]), Vec::<f32>::new());
    }
}
