//! Ranks statements by how many words they share with a claim.

use std::collections::HashMap;

use text::{Analyzer, Language};

/// Ranks texts by the words that they share with a claim, weighted by how rare each word is among them. Numbers weigh double: a sentence
/// with figures has a source with figures.
pub struct Nearest {
    analyzer: Analyzer,
    texts: Vec<Vec<String>>,
    /// The number of texts that contain each term.
    known: HashMap<String, usize>,
}

impl Nearest {
    /// Reads the texts once. A text may include words from its surroundings, such as headings.
    pub fn of<'a>(texts: impl IntoIterator<Item = &'a str>, language: Language) -> Nearest {
        let mut analyzer = Analyzer::new(language);
        let mut known: HashMap<String, usize> = HashMap::new();
        let texts: Vec<Vec<String>> = texts
            .into_iter()
            .map(|text| {
                let mut terms = analyzer.terms(text);
                terms.sort_unstable();
                terms.dedup();
                for term in &terms {
                    *known.entry(term.clone()).or_default() += 1;
                }
                terms
            })
            .collect();
        Nearest { analyzer, texts, known }
    }

    /// Returns the texts nearest to the claim, best first, each with the share of the claim that it covers, 0 to 1; omits texts that
    /// share nothing.
    pub fn rank(&mut self, claim: &str) -> Vec<(usize, f64)> {
        let mut wanted = self.analyzer.terms(claim);
        wanted.sort_unstable();
        wanted.dedup();
        let count = self.texts.len() as f64;
        let weight = |term: &String| {
            let with = self.known.get(term).copied().unwrap_or_default() as f64;
            let is_number = term.contains(|c: char| c.is_numeric());
            (1.0 + count / (1.0 + with)).ln() * if is_number { 2.0 } else { 1.0 }
        };
        let whole: f64 = wanted.iter().map(weight).sum();
        let mut found: Vec<(usize, f64)> = self
            .texts
            .iter()
            .enumerate()
            .filter_map(|(index, terms)| {
                let held = wanted.iter().filter(|term| terms.binary_search(term).is_ok());
                let share = held.map(weight).sum::<f64>() / whole;
                (share > 0.0).then_some((index, share))
            })
            .collect();
        // The sort is stable: the earlier of two equals comes first.
        found.sort_by(|one, other| other.1.total_cmp(&one.1));
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rare_words_count_more_and_what_shares_nothing_is_left_out() {
        let texts = ["Gulls lay eggs.", "Gulls eat fish.", "The moon pulls."];
        let mut nearest = Nearest::of(texts, Language::English);
        let ranked = nearest.rank("Which fish do gulls eat?");
        assert_eq!(ranked.iter().map(|(index, _)| *index).collect::<Vec<_>>(), [1, 0]);
        assert!((ranked[0].1 - 1.0).abs() < 1e-9 && ranked[1].1 < 0.5);
        let texts = ["John Snow counted them.", "Snow's table adds up to 616 deaths.", "Moons."];
        let ranked = Nearest::of(texts, Language::English).rank("John Snow counted 616 deaths.");
        assert_eq!(ranked[0].0, 1);
        assert_eq!(nearest.rank("penguins"), []);
        assert_eq!(nearest.rank(""), []);
    }
}
