//! BM25: how much a term that a row holds says.

const K1: f64 = 1.2;
const B: f64 = 0.75;
/// The idf of a term in half of all rows or more.
const LEAST_IDF: f64 = 1e-6;

/// The parts of the score that depend on the collection as a whole.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bm25 {
    rows: f64,
    /// The average number of terms of a row.
    average: f64,
}

impl Bm25 {
    /// Takes the number of rows and that of the terms of all rows together.
    pub(super) fn new(rows: u64, terms: u64) -> Self {
        Self { rows: rows as f64, average: terms as f64 / rows.max(1) as f64 }
    }

    /// Returns the idf of a term that `holding` rows hold, times its weight in the question.
    pub(super) fn idf(self, weight: f32, holding: usize) -> f64 {
        let holding = holding as f64;
        let idf = ((self.rows - holding + 0.5) / (holding + 0.5)).ln();
        f64::from(weight) * if idf > 0.0 { idf } else { LEAST_IDF }
    }

    /// Returns `k1 · (1 − b + b · length / average length)` of a row.
    pub(super) fn norm(self, length: u32) -> f64 {
        K1 * (1.0 - B + B * f64::from(length) / self.average)
    }

    /// Returns what a term adds to the score of a row that holds it `count` times.
    pub(super) fn part(idf: f64, count: u16, norm: f64) -> f64 {
        let count = f64::from(count);
        idf * ((count * (K1 + 1.0)) / (count + norm))
    }
}

/// Calls `each` with every term of a row, in order. As in the full-text tables, a term has no ASCII capitals and ends at white space or
/// a control character.
pub(super) fn each_term(text: &str, mut each: impl FnMut(&str)) {
    let folded;
    let text = if text.bytes().any(|byte| byte.is_ascii_uppercase()) {
        folded = text.to_ascii_lowercase();
        &folded
    } else {
        text
    };
    let terms = text.split(|c: char| c.is_ascii() && !c.is_ascii_graphic());
    terms.filter(|term| !term.is_empty()).for_each(&mut each);
}
