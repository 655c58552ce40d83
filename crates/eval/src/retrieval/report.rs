//! The results of the ways to search, by collection and on average.

use std::collections::BTreeMap;

use run::entry::Hash;
use run::library::Retrieval;
use serde::{Deserialize, Serialize};

use super::{DEPTH, Way};
use crate::bootstrap::{self, Bounds};
use crate::metrics::ranking;
use crate::report::{Difference, Mean};

/// The format version of a stored report.
const VERSION: u32 = 1;

/// The scores of a ranking for one question. All are 0 to 1, and more is better.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scores {
    pub ndcg_at_10: f64,
    pub recall_at_100: f64,
    /// 1 / the rank of the first relevant document among the first 100; 0 if there is none.
    pub reciprocal_rank: f64,
}

/// Reads one of the scores.
type Score = fn(&Scores) -> f64;

/// The scores with their names.
pub const METRICS: [(&str, Score); 3] = [
    ("nDCG@10", |scores| scores.ndcg_at_10),
    ("recall@100", |scores| scores.recall_at_100),
    ("MRR", |scores| scores.reciprocal_rank),
];

/// The results of a measurement.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RetrievalReport {
    pub version: u32,
    /// The split of the questions: `train`, `test` or `all`.
    pub split: String,
    /// The settings that decided the rankings: embedder, language, chunks; named as in `config show`.
    pub parameters: BTreeMap<String, String>,
    pub collections: Vec<Collection>,
    /// The figures over all collections, with equal weight.
    pub mean: Figures,
}

/// A test collection and its results.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Collection {
    pub name: String,
    /// The digest of its questions, judgements and documents.
    pub digest: Hash,
    pub documents: u64,
    pub chunks: u64,
    /// The number of questions with relevant documents.
    pub questions: u64,
    pub figures: Figures,
    /// Notes on input that was not taken literally.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// The figures of all ways.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Figures {
    /// In the order in which they were requested.
    pub ways: Vec<WayLine>,
    /// `hybrid` less each of its parts that was measured, question by question.
    pub differences: Vec<Against>,
}

/// One way to search; its figures in the order of [`METRICS`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WayLine {
    pub retrieval: Retrieval,
    pub figures: Vec<Figure<Mean>>,
}

/// One way less another.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Against {
    pub retrieval: Retrieval,
    pub against: Retrieval,
    pub figures: Vec<Figure<Difference>>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Figure<F> {
    pub metric: String,
    #[serde(flatten)]
    pub value: F,
}

impl Scores {
    /// Scores a ranking against the graded documents, some of which are relevant. Documents without a grade are not.
    pub fn of(ranking: &[String], relevant: &BTreeMap<String, u32>) -> Scores {
        Scores {
            ndcg_at_10: ranking::compute_ndcg(ranking, relevant, 10).unwrap_or_default(),
            recall_at_100: ranking::recall(ranking, relevant, DEPTH).unwrap_or_default(),
            reciprocal_rank: ranking::reciprocal_rank(ranking, relevant, DEPTH).unwrap_or_default(),
        }
    }
}

impl Figures {
    /// Returns the figures of one collection.
    pub fn of(ways: &[Way]) -> Figures {
        let line = |way: &Way| WayLine {
            retrieval: way.retrieval,
            figures: figures(|score| {
                let values: Vec<f64> = way.scores.iter().map(score).collect();
                bootstrap::mean(&values, Bounds::SHARE)
            }),
        };
        let hybrid = ways.iter().find(|way| way.retrieval == Retrieval::Hybrid);
        let parts = ways.iter().filter(|way| way.retrieval != Retrieval::Hybrid);
        let differences = hybrid.into_iter().flat_map(|hybrid| {
            parts.clone().map(|part| Against {
                retrieval: hybrid.retrieval,
                against: part.retrieval,
                figures: figures(|score| {
                    let pairs = hybrid.scores.iter().zip(&part.scores);
                    let pairs: Vec<_> = pairs.map(|(a, b)| (score(a), score(b))).collect();
                    bootstrap::difference(&pairs, Bounds::SHARE)
                }),
            })
        });
        Figures { differences: differences.collect(), ways: ways.iter().map(line).collect() }
    }
}

/// Returns a figure for each metric, except those for which `value` returns `None`.
fn figures<F>(value: impl Fn(fn(&Scores) -> f64) -> Option<F>) -> Vec<Figure<F>> {
    let figure = |(metric, score): &(&str, fn(&Scores) -> f64)| {
        Some(Figure { metric: (*metric).to_owned(), value: value(*score)? })
    };
    METRICS.iter().filter_map(figure).collect()
}

impl RetrievalReport {
    /// Builds the report over the collections.
    pub fn of(
        split: &str,
        parameters: BTreeMap<String, String>,
        collections: Vec<Collection>,
    ) -> RetrievalReport {
        let all: Vec<&Figures> = collections.iter().map(|one| &one.figures).collect();
        let mean = Figures::over(&all);
        RetrievalReport { version: VERSION, split: split.to_owned(), parameters, collections, mean }
    }
}

impl Figures {
    /// Returns the means of these figures, which must be of the same ways.
    fn over(all: &[&Figures]) -> Figures {
        let Some((first, _)) = all.split_first() else {
            return Figures { ways: Vec::new(), differences: Vec::new() };
        };
        let ways = first.ways.iter().enumerate().map(|(index, way)| {
            let same = all.iter().filter_map(|figures| figures.ways.get(index));
            let same: Vec<_> = same.map(|way| way.figures.as_slice()).collect();
            let figures = means(&same, |mean| (mean.value, mean.low, mean.high, mean.of));
            let figures = figures.map(|(metric, (value, low, high), of)| Figure {
                metric,
                value: Mean { value, low, high, of },
            });
            WayLine { retrieval: way.retrieval, figures: figures.collect() }
        });
        let differences = first.differences.iter().enumerate().map(|(index, against)| {
            let same = all.iter().filter_map(|figures| figures.differences.get(index));
            let same: Vec<_> = same.map(|against| against.figures.as_slice()).collect();
            let figures = means(&same, |one| (one.value, one.low, one.high, one.of));
            let figures = figures.map(|(metric, (value, low, high), of)| Figure {
                metric,
                value: Difference { value, low, high, of },
            });
            Against { figures: figures.collect(), ..*against }
        });
        Figures { differences: differences.collect(), ways: ways.collect() }
    }
}

/// Returns the mean of each metric over collections, and its number of questions.
fn means<F>(
    all: &[&[Figure<F>]],
    parts: impl Fn(&F) -> (f64, f64, f64, u64),
) -> impl Iterator<Item = (String, (f64, f64, f64), u64)> {
    METRICS.iter().enumerate().map(move |(index, (metric, _))| {
        let same = all.iter().filter_map(|figures| figures.get(index));
        let same: Vec<_> = same.map(|figure| parts(&figure.value)).collect();
        let of = same.iter().map(|(.., of)| of).sum();
        let same: Vec<_> =
            same.into_iter().map(|(value, low, high, _)| (value, low, high)).collect();
        ((*metric).to_owned(), over(&same), of)
    })
}

/// Returns the equally weighted mean of means of independent samples, with its interval: (value, low, high).
///
/// Variances add up, and so do the squared distances from a mean to an end of its interval.
fn over(all: &[(f64, f64, f64)]) -> (f64, f64, f64) {
    let count = all.len().max(1) as f64;
    let value = all.iter().map(|(value, ..)| value).sum::<f64>() / count;
    let spread = |end: fn(&(f64, f64, f64)) -> f64| {
        all.iter().map(|one| (end(one) - one.0).powi(2)).sum::<f64>().sqrt() / count
    };
    (value, value - spread(|one| one.1), value + spread(|one| one.2))
}
