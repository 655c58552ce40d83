//! The search of one collection: by words, by vectors, or by both, with the terms and cosines that tell how near the question came.

use std::collections::{BTreeMap, HashSet};
use std::convert::Infallible;

use text::Language;

use super::{
    AskedTerm, Feedback, Held, Hit, Order, Query, Rows, Rules, Vectors, Words, asked_in, search,
};

/// The maximum number of distinct terms of a question to look up, in reading order. A question may be a whole book, and its search
/// time must stay bounded.
const MOST_TERMS: usize = 256;
/// The id that no chunk has.
const NO_CHUNK: i64 = -1;

/// A question to a collection.
#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    pub question: &'a str,
    /// The languages of the documents, at least one; that of the question comes first if it is among them.
    pub languages: &'a [Language],
    /// The language of the question, if it is known.
    pub asked_in: Option<Language>,
    /// Whether words are compared.
    pub by_words: bool,
    /// Whether words of the first hits expand the question.
    pub feedback: bool,
    /// The question's vector, of length 1; `None` if vectors are not compared.
    pub vector: Option<&'a [f32]>,
    /// The maximum number of hits to return.
    pub top_k: usize,
}

/// The answer to a [`Request`].
#[derive(Debug, Clone, PartialEq)]
pub struct Ranked {
    /// The chunks by their ids, best first.
    pub hits: Vec<Hit>,
    /// The terms of the question, each with the number of chunks that hold it or a form of it.
    pub terms: Vec<(String, u64)>,
    /// The forms of terms in documents in other languages, each with its term.
    pub forms: BTreeMap<String, String>,
    /// How near the question came; `None` if vectors were not compared.
    pub nearness: Option<Nearness>,
}

/// How near a question is to a collection, in cosines.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Nearness {
    /// Of the nearest hit.
    pub best: f64,
    /// The mean over all chunks of the collection.
    pub mean: f64,
}

impl Held {
    /// Ranks the chunks of the allowed documents, or of all. Words are looked up in memory or, while they are not there, in `stored`,
    /// which returns positions in the order if there is one. `rows` takes the ids of chunks.
    pub fn rank<W: Words, R: Rows>(
        &self,
        request: &Request<'_>,
        allowed: Option<&HashSet<String>>,
        stored: Option<&mut W>,
        rows: &mut R,
    ) -> Result<Ranked, R::Error>
    where
        R::Error: From<W::Error> + From<Infallible>,
    {
        let order = self.order.as_deref();
        let allowed = order.zip(allowed).map(|(order, allowed)| order.owners_among(allowed));
        let keep = |owner: u32| {
            allowed.as_ref().is_none_or(|kept| kept.get(owner as usize) == Some(&true))
        };
        let mut rows = Placed { order, rows };
        let mut dense = self.dense.as_ref().map(|dense| dense.keeping(&keep));
        let mut ranked = match &self.lexical {
            Some(lexical) => {
                let mut words = lexical.keeping(&keep);
                rank(request, Some(&mut words), dense.as_mut(), &mut rows)?
            }
            None => rank(request, stored, dense.as_mut(), &mut rows)?,
        };
        ranked.hits.retain_mut(|hit| chunk(order, hit.id).map(|chunk| hit.id = chunk).is_some());
        Ok(ranked)
    }
}

/// Ranks the rows of any indexes. An error of the indexes becomes one of the rows.
pub fn rank<W: Words, V: Vectors, R: Rows>(
    request: &Request<'_>,
    mut words: Option<&mut W>,
    mut vectors: Option<&mut V>,
    rows: &mut R,
) -> Result<Ranked, R::Error>
where
    R::Error: From<W::Error> + From<V::Error>,
{
    let asked = asked_in(request.question, request.languages, request.asked_in, MOST_TERMS);
    let mut weighted: Vec<(String, f32)> = Vec::with_capacity(asked.len());
    for AskedTerm { term, others, weight } in &asked {
        weighted.extend([term].into_iter().chain(others).map(|form| (form.clone(), *weight)));
    }
    let all: Vec<&str> = weighted.iter().map(|(form, _)| form.as_str()).collect();
    let (holding, most) = match &mut words {
        Some(words) => (words.holding(&all)?, words.rows()),
        None => (vec![0; all.len()], 0),
    };
    let mut holding = holding.into_iter();
    let terms = asked.iter().map(|asked| {
        let forms = holding.by_ref().take(1 + asked.others.len());
        (asked.term.clone(), forms.sum::<usize>().min(most) as u64)
    });
    let terms = terms.collect();
    let forms = asked.iter().flat_map(|AskedTerm { term, others, .. }| {
        others.iter().map(|form| (form.clone(), term.clone()))
    });
    let forms = forms.collect();
    weighted.sort_unstable_by(|a, b| a.0.cmp(&b.0));
    let rules = Rules {
        feedback: Some(Feedback::default()).filter(|_| request.feedback),
        ..Rules::best(request.top_k)
    };
    let words = words.filter(|_| request.by_words);
    let query = Query { terms: &weighted, vector: request.vector };
    let hits = search(words, vectors.as_deref_mut(), query, &rules, rows)?;
    let nearness = find_nearness(request, vectors.as_deref(), &hits);
    Ok(Ranked { hits, terms, forms, nearness })
}

fn find_nearness<V: Vectors>(
    request: &Request<'_>,
    vectors: Option<&V>,
    hits: &[Hit],
) -> Option<Nearness> {
    let mean = f64::from(vectors?.mean_cosine(request.vector?));
    let best = hits.iter().filter_map(|hit| hit.cosine).map(f64::from).reduce(f64::max)?;
    Some(Nearness { best, mean })
}

/// Returns the chunk with index id `id`: its position if there is an order, otherwise its own id.
fn chunk(order: Option<&Order>, id: i64) -> Option<i64> {
    order.map_or(Some(id), |order| order.chunk(id))
}

/// The data of chunks, asked for by index id.
struct Placed<'a, R> {
    order: Option<&'a Order>,
    rows: &'a mut R,
}

impl<R> Placed<'_, R> {
    fn chunks(&self, ids: &[i64]) -> Vec<i64> {
        ids.iter().map(|id| chunk(self.order, *id).unwrap_or(NO_CHUNK)).collect()
    }
}

impl<R: Rows> Rows for Placed<'_, R> {
    type Error = R::Error;

    fn terms(&mut self, ids: &[i64]) -> Result<Vec<String>, R::Error> {
        let chunks = self.chunks(ids);
        self.rows.terms(&chunks)
    }

    fn vectors(&mut self, ids: &[i64]) -> Result<Vec<Vec<f32>>, R::Error> {
        let chunks = self.chunks(ids);
        self.rows.vectors(&chunks)
    }
}
