//! Nearest-neighbour search over vectors: one byte per number in memory, and exact vectors fetched at the end.
//!
//! Each vector is stored as integers from -127 to 127 with a scale of its own. A search compares the question with every vector or, in
//! a large index, with those whose sketch resembles the question's. It takes a few more rows than requested and orders them by the
//! exact vectors.

use super::best::Best;
use super::sketch::Sketches;
use super::{Scored, Vectors, kernels};

/// The extra rows that are compared exactly. The bytes separate neighbours only down to about 0.001, so one of the best `k` rows may
/// rank a few places too low.
pub(super) const SPARE: usize = 30;
/// Rows scored at once; their scores stay in the fastest memory.
const BLOCK: usize = 256;
/// The number of rows that the sketches are tried on, and of the near rows of each that must not be lost.
const PROBES: usize = 50;
const PROBED: usize = 10;
/// Beyond this a sum of products might overflow.
const MOST_DIMENSIONS: usize = 100_000;

/// Why the index rejects a vector.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum IndexError {
    #[error(
        "the vector of row {id} has {found} numbers, the index {wanted}. Ingest the collection again with one embedding model"
    )]
    Length { id: i64, found: usize, wanted: usize },
    #[error(
        "the vector of row {id} contains a value that is not a finite number. Ingest its document again"
    )]
    NotFinite { id: i64 },
    #[error(
        "the question's vector has {found} numbers, the index {wanted}. Use the embedding model that the collection was made \
         with"
    )]
    Query { found: usize, wanted: usize },
    #[error("the question's vector contains a value that is not a finite number")]
    QueryNotFinite,
    #[error("vectors of {found} numbers are too long; the limit is {MOST_DIMENSIONS}")]
    TooLong { found: usize },
    #[error("more than {} rows do not fit into one index", u32::MAX)]
    TooMany,
}

/// The vectors of a collection: one byte per number plus 16 bytes per row, and an eighth more if there are many rows.
pub struct Dense {
    dimensions: usize,
    ids: Vec<i64>,
    owners: Vec<u32>,
    codes: Vec<i8>,
    scales: Vec<f32>,
    /// The sum of all vectors.
    sum: Vec<f32>,
    sketches: Option<Sketches>,
}

impl Dense {
    /// Builds the index from rows of (id, owner, vector of length 1). Ids must be distinct; a zero vector is near nothing.
    pub fn build<V: AsRef<[f32]>>(
        dimensions: usize,
        rows: impl IntoIterator<Item = (i64, u32, V)>,
    ) -> Result<Self, IndexError> {
        if dimensions > MOST_DIMENSIONS {
            return Err(IndexError::TooLong { found: dimensions });
        }
        let rows = rows.into_iter();
        let expected = rows.size_hint().0;
        let mut index = Self {
            dimensions,
            ids: Vec::with_capacity(expected),
            owners: Vec::with_capacity(expected),
            codes: Vec::with_capacity(expected.saturating_mul(dimensions)),
            scales: Vec::with_capacity(expected),
            sum: vec![0.0; dimensions],
            sketches: None,
        };
        for (id, owner, vector) in rows {
            let vector = vector.as_ref();
            if vector.len() != dimensions {
                return Err(IndexError::Length { id, found: vector.len(), wanted: dimensions });
            }
            let scale = quantize(vector, &mut index.codes).ok_or(IndexError::NotFinite { id })?;
            for (sum, number) in index.sum.iter_mut().zip(vector) {
                *sum += number;
            }
            index.ids.push(id);
            index.owners.push(owner);
            index.scales.push(scale);
        }
        if u32::try_from(index.ids.len()).is_err() {
            return Err(IndexError::TooMany);
        }
        index.codes.shrink_to_fit();
        index.ids.shrink_to_fit();
        index.owners.shrink_to_fit();
        index.scales.shrink_to_fit();
        index.sketches =
            Sketches::build(dimensions, &index.codes, &index.scales).and_then(|sketches| {
                let needed = index.needed(&sketches);
                sketches.passing(needed)
            });
        Ok(index)
    }

    /// Returns how many rows must pass the sketch filter so that no near row is lost, as measured with [`PROBES`] rows and as many
    /// midpoints between two rows as questions.
    fn needed(&self, sketches: &Sketches) -> usize {
        let rows = self.len();
        let vector = |row: usize| -> Vec<f32> {
            let code = self.codes.chunks_exact(self.dimensions.max(1)).nth(row).unwrap_or_default();
            let scale = self.scales.get(row).copied().unwrap_or_default();
            code.iter().map(|value| f32::from(*value) * scale).collect()
        };
        let mut products = vec![0; rows];
        let mut needed = 0;
        for probe in 0..PROBES {
            let row = probe * rows / PROBES;
            let one = vector(row);
            let between = one.iter().zip(vector((row + rows / 2) % rows.max(1)));
            let between: Vec<f32> = between.map(|(a, b)| (a + b) / 2.0).collect();
            for query in [one, between] {
                let mut code = Vec::with_capacity(query.len());
                if quantize(&query, &mut code).is_none_or(|scale| scale == 0.0) {
                    continue;
                }
                kernels::dots(&code, &self.codes, &mut products);
                let mut best = Best::new(PROBED, rows);
                for (row, (product, scale)) in products.iter().zip(&self.scales).enumerate() {
                    let score = *product as f32 * scale;
                    if best.wants(score) {
                        best.offer(row as i64, score);
                    }
                }
                let best = best.into_sorted().into_iter().map(|scored| scored.id as usize);
                needed = needed.max(sketches.needed(&query, best));
            }
        }
        needed
    }

    pub fn dimensions(&self) -> usize {
        self.dimensions
    }

    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Returns the mean cosine between `query` and the rows of all owners; 0 if there are no rows.
    pub fn mean_cosine(&self, query: &[f32]) -> f32 {
        if query.len() != self.dimensions || self.is_empty() {
            return 0.0;
        }
        kernels::dot_f32(query, &self.sum) / self.len() as f32
    }

    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// Returns the bytes of memory that the index holds.
    pub fn bytes(&self) -> usize {
        self.codes.capacity()
            + self.scales.capacity() * 4
            + self.owners.capacity() * 4
            + self.ids.capacity() * 8
            + self.sketches.as_ref().map_or(0, Sketches::bytes)
    }

    /// Returns the `k` rows nearest to `query`, best first, ties by id, among those whose owner `keep` accepts. Scores are cosines.
    ///
    /// `exact` is called once for the vectors of up to `k` + 30 rows; a row whose vector comes back empty is left out.
    pub fn search<E: From<IndexError>>(
        &self,
        query: &[f32],
        k: usize,
        keep: impl Fn(u32) -> bool,
        exact: impl FnOnce(&[i64]) -> Result<Vec<Vec<f32>>, E>,
    ) -> Result<Vec<Scored<f32>>, E> {
        let mut ids = self.candidates(query, k.saturating_add(SPARE), keep)?;
        // A caller that reads them from a table reads them in table order.
        ids.sort_unstable();
        let vectors = exact(&ids)?;
        Ok(nearest(query, ids.into_iter().zip(vectors), k))
    }

    /// Returns the ids of the `count` rows that seem nearest to `query`, best first.
    pub fn candidates(
        &self,
        query: &[f32],
        count: usize,
        keep: impl Fn(u32) -> bool,
    ) -> Result<Vec<i64>, IndexError> {
        if query.len() != self.dimensions {
            return Err(IndexError::Query { found: query.len(), wanted: self.dimensions });
        }
        let mut code = Vec::with_capacity(query.len());
        quantize(query, &mut code).ok_or(IndexError::QueryNotFinite)?;
        let mut best = Best::new(count, self.len());
        let kept = |position: usize| self.owners.get(position).is_some_and(|owner| keep(*owner));
        // The score of the worst of the best: this one comparison rejects nearly all rows.
        let mut floor = f32::NEG_INFINITY;
        let mut offer = |position: usize, score: f32| {
            if score >= floor
                && kept(position)
                && let Some(id) = self.ids.get(position)
            {
                best.offer(*id, score);
                floor = best.floor().unwrap_or(floor);
            }
        };
        let mut products = [0; BLOCK];
        match self.sketches.as_ref().filter(|sketches| sketches.serve(count)) {
            Some(sketches) => {
                for positions in sketches.promising(query, kept).chunks(BLOCK) {
                    kernels::dots_at(&code, &self.codes, positions, &mut products);
                    for (position, product) in positions.iter().zip(products) {
                        let position = *position as usize;
                        let scale = self.scales.get(position).copied().unwrap_or_default();
                        offer(position, product as f32 * scale);
                    }
                }
            }
            None => {
                let blocks = self.codes.chunks(BLOCK * self.dimensions.max(1));
                for (block, (codes, scales)) in blocks.zip(self.scales.chunks(BLOCK)).enumerate() {
                    kernels::dots(&code, codes, &mut products);
                    for (row, (product, scale)) in products.iter().zip(scales).enumerate() {
                        offer(block * BLOCK + row, *product as f32 * scale);
                    }
                }
            }
        }
        Ok(best.into_sorted().into_iter().map(|scored| scored.id).collect())
    }
}

/// A vector index restricted to some owners.
pub struct KeepingVectors<'a, F> {
    index: &'a Dense,
    keep: F,
}

impl Dense {
    /// Returns the index restricted to the rows whose owner `keep` accepts. Its mean still covers all rows.
    pub fn keeping<F: Fn(u32) -> bool>(&self, keep: F) -> KeepingVectors<'_, F> {
        KeepingVectors { index: self, keep }
    }
}

impl<F: Fn(u32) -> bool> Vectors for KeepingVectors<'_, F> {
    type Error = IndexError;

    fn candidates(&mut self, query: &[f32], count: usize) -> Result<Vec<i64>, IndexError> {
        self.index.candidates(query, count, &self.keep)
    }

    fn mean_cosine(&self, query: &[f32]) -> f32 {
        self.index.mean_cosine(query)
    }
}

/// Returns the `k` vectors nearest to `query` by exact cosine, best first, ties by id. All have length 1 or 0. A vector with another
/// number of dimensions than the question is left out.
pub fn nearest<V: AsRef<[f32]>>(
    query: &[f32],
    vectors: impl IntoIterator<Item = (i64, V)>,
    k: usize,
) -> Vec<Scored<f32>> {
    let vectors = vectors.into_iter();
    let mut best = Best::new(k, vectors.size_hint().1.unwrap_or(k));
    for (id, vector) in vectors {
        let vector = vector.as_ref();
        if vector.len() == query.len() {
            best.offer(id, kernels::dot_f32(query, vector));
        }
    }
    best.into_sorted()
}

/// Appends `vector` rounded to integers and returns what 1 stands for; `None` if a value is not finite.
fn quantize(vector: &[f32], codes: &mut Vec<i8>) -> Option<f32> {
    let most = vector.iter().fold(0.0f32, |most, value| most.max(value.abs()));
    if !vector.iter().all(|value| value.is_finite()) {
        return None;
    }
    let scale = most / 127.0;
    let per_one = if scale > 0.0 { scale.recip() } else { 0.0 };
    // The smallest numbers have no finite reciprocal; such a vector is as good as zero.
    let per_one = if per_one.is_finite() { per_one } else { 0.0 };
    codes.extend(vector.iter().map(|value| (value * per_one).round() as i8));
    Some(scale)
}
