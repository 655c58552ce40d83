//! Finds, where there is no model, the sentences that answer a question.
//!
//! Nothing here writes a word: what comes out stood in a passage, and says where. [`answer_sentences`] is what
//! methods call; the rest are the classic measures it is made of, each under the name it has in the literature.
//! All are plain functions: the same input gives the same output, and of equals the earlier comes first.
//!
//! ```
//! use run::analysis::Language;
//! use run::extract::answer_sentences;
//!
//! let passages = ["Gulls nest on cliffs. They feed mostly on small fish, and on what boats throw away."];
//! let picked = answer_sentences("What do gulls feed on?", &passages, Language::English, 1);
//! assert!(passages[0][picked[0].span.clone()].starts_with("They feed"));
//! ```

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use crate::analysis::{Language, is_stop_word, sentences, terms, words};

/// A sentence found in a passage.
#[derive(Debug, Clone, PartialEq)]
pub struct Picked {
    /// The index of the passage.
    pub passage: usize,
    /// Where in the passage the sentence stands, in bytes.
    pub span: Range<usize>,
    /// 0 to 1, where 1 is the most that a sentence of these passages could have had.
    pub score: f64,
}

/// How much each sign counts that a sentence answers the question; they add up to 1.
const RELEVANCE: f64 = 0.7;
const CENTRALITY: f64 = 0.15;
const PASSAGE_RANK: f64 = 0.15;

/// How much two neighbouring words of the question that are neighbours in the sentence count beside single words.
const PHRASES: f64 = 0.3;
/// What is left of the score of a sentence that leans on the one before it: "They do so because …".
const LEANING: f64 = 0.85;
/// The least share of the best score that is still an answer.
const WORTH_READING: f64 = 0.35;
/// From this cosine on a sentence says what another has said.
const SAME: f64 = 0.85;
/// The balance between relevance and novelty.
const LAMBDA: f64 = 0.7;
/// Only so many of the best sentences are compared with each other.
const POOL: usize = 200;

/// Returns the sentences of `passages` that best answer `question`, best first and at most `limit`.
///
/// Passages come best first, as retrieval returns them. Each sentence returned shares a content word with the
/// question and reads as prose: headings, list stubs, table rows, questions, fragments and lists of links are
/// left out. Where none does, none is returned.
pub fn answer_sentences(
    question: &str,
    passages: &[&str],
    language: Language,
    limit: usize,
) -> Vec<Picked> {
    let asked = subject(question, language);
    let candidates = prose(passages, language);
    let said: Vec<Vec<String>> =
        candidates.iter().map(|candidate| terms(candidate.text, language)).collect();

    let mut relevance = Bm25::new(&said).scores(&asked);
    let phrases: Vec<Vec<String>> = said.iter().map(|terms| pairs(terms)).collect();
    let together = Bm25::new(&phrases).scores(&pairs(&asked));
    for (score, phrase_score) in relevance.iter_mut().zip(together) {
        *score += PHRASES * phrase_score;
    }
    let answers: Vec<bool> = relevance.iter().map(|score| *score > 0.0).collect();
    let relevance = scaled(relevance);
    let central = scaled(centrality(&said));

    let mut pool: Vec<(usize, f64)> = Vec::new();
    for (index, candidate) in candidates.iter().enumerate().filter(|(index, _)| answers[*index]) {
        let rank = 1.0 / (candidate.passage as f64 + 2.0).log2();
        let score =
            RELEVANCE * relevance[index] + CENTRALITY * central[index] + PASSAGE_RANK * rank;
        pool.push((index, if leans(candidate.text, language) { LEANING * score } else { score }));
    }
    pool.sort_by(|(_, one), (_, other)| other.total_cmp(one));
    let mut seen = BTreeSet::new();
    pool.retain(|(index, _)| seen.insert(&said[*index]));
    let floor = pool.first().map_or(0.0, |(_, best)| WORTH_READING * best);
    pool.retain(|(_, score)| *score >= floor);
    pool.truncate(POOL);

    let scores: Vec<f64> = pool.iter().map(|(_, score)| *score).collect();
    let alike = |one: usize, other: usize| cosine(&said[pool[one].0], &said[pool[other].0]);
    let mut picked: Vec<usize> = Vec::new();
    for next in mmr(&scores, alike, LAMBDA, pool.len().min(limit.saturating_mul(3))) {
        if picked.len() < limit && picked.iter().all(|before| alike(*before, next) < SAME) {
            picked.push(next);
        }
    }
    picked.sort_unstable();
    let answer = |place: usize| {
        let (index, score) = pool[place];
        let Candidate { passage, start, text } = candidates[index];
        Picked { passage, span: start..start + text.len(), score }
    };
    picked.into_iter().map(answer).collect()
}

/// Scores documents by the words they share with a query: Okapi BM25.
///
/// The score of a document is the sum, over the words of the query, of `idf · tf / (tf + k1 · (1 − b + b ·
/// length / average length))`, with k1 = 1.2 and b = 0.75 (Robertson and Zaragoza 2009, *The Probabilistic
/// Relevance Framework: BM25 and Beyond*). As in Lucene, idf is `ln(1 + (N − n + 0.5) / (n + 0.5))`, which is
/// never negative.
#[derive(Debug, Clone)]
pub struct Bm25 {
    /// For each term the documents it stands in, in order, and how often.
    postings: BTreeMap<String, Vec<(usize, u32)>>,
    lengths: Vec<usize>,
    average_length: f64,
}

impl Bm25 {
    const K1: f64 = 1.2;
    const B: f64 = 0.75;

    /// Counts the terms of `documents`.
    pub fn new(documents: &[Vec<String>]) -> Self {
        let mut postings: BTreeMap<String, Vec<(usize, u32)>> = BTreeMap::new();
        for (index, document) in documents.iter().enumerate() {
            for (term, count) in counts(document) {
                match postings.get_mut(term) {
                    Some(found) => found.push((index, count)),
                    None => drop(postings.insert(term.to_owned(), vec![(index, count)])),
                }
            }
        }
        let lengths: Vec<usize> = documents.iter().map(Vec::len).collect();
        let average_length = lengths.iter().sum::<usize>() as f64 / lengths.len().max(1) as f64;
        Self { postings, lengths, average_length }
    }

    /// Returns how much `term` tells the documents apart: more the fewer of them hold it.
    pub fn idf(&self, term: &str) -> f64 {
        inverse_frequency(self.lengths.len(), self.postings.get(term).map_or(0, Vec::len))
    }

    /// Returns the score of every document, in their order; 0 where none of the terms occurs. A term that
    /// stands twice in the query counts twice.
    pub fn scores(&self, query_terms: &[String]) -> Vec<f64> {
        let mut scores = vec![0.0; self.lengths.len()];
        for term in query_terms {
            let idf = self.idf(term);
            for &(document, count) in self.postings.get(term).into_iter().flatten() {
                let length = self.lengths[document] as f64 / self.average_length;
                let count = f64::from(count);
                scores[document] +=
                    idf * count / (count + Self::K1 * (1.0 - Self::B + Self::B * length));
            }
        }
        scores
    }
}

/// Returns how central each sentence is among all: continuous LexRank. The values add up to 1.
///
/// A sentence is central that resembles central sentences: the stationary distribution of a walk that follows,
/// with probability 0.85, the idf-modified cosine between sentences, and else jumps anywhere (Erkan and Radev
/// 2004, *LexRank: Graph-based Lexical Centrality as Salience in Text Summarization*). It stops when no value
/// moves by 1e-9, or after 100 rounds. The matrix of similarities is never built, so a round is linear in the
/// words.
pub fn centrality(sentences: &[Vec<String>]) -> Vec<f64> {
    const DAMPING: f64 = 0.85;
    const TOLERANCE: f64 = 1e-9;
    const MAX_ROUNDS: usize = 100;

    let (vectors, terms) = unit_vectors(sentences);
    let count = sentences.len() as f64;
    let mut central = vec![1.0 / count; sentences.len()];
    // The cosine of two sentences is the product of their vectors, so what flows along all of them can be
    // gathered in one vector of terms.
    let everything = gathered(&vectors, terms, |_| 1.0);
    let degrees: Vec<f64> = vectors.iter().map(|vector| product(vector, &everything)).collect();
    for _ in 0..MAX_ROUNDS {
        let flow = gathered(&vectors, terms, |index| {
            if degrees[index] > 0.0 { central[index] / degrees[index] } else { 0.0 }
        });
        let stranded: f64 = central
            .iter()
            .zip(&degrees)
            .filter(|(_, degree)| **degree <= 0.0)
            .map(|(value, _)| value)
            .sum();
        let jump = (1.0 - DAMPING + DAMPING * stranded) / count;
        let next: Vec<f64> =
            vectors.iter().map(|vector| jump + DAMPING * product(vector, &flow)).collect();
        let moved = next.iter().zip(&central).any(|(new, old)| (new - old).abs() > TOLERANCE);
        central = next;
        if !moved {
            break;
        }
    }
    central
}

/// Picks up to `limit` indices that are relevant and unlike each other: maximal marginal relevance, in the
/// order of picking.
///
/// Each time it takes the greatest `λ · relevance − (1 − λ) · similarity to the nearest one picked` (Carbonell
/// and Goldstein 1998, *The Use of MMR, Diversity-Based Reranking for Reordering Documents and Producing
/// Summaries*). `lambda` is 0 (only novelty) to 1 (only relevance). `similarity` is called once for each index
/// and each one picked before it.
pub fn mmr(
    relevance: &[f64],
    similarity: impl Fn(usize, usize) -> f64,
    lambda: f64,
    limit: usize,
) -> Vec<usize> {
    let lambda = lambda.clamp(0.0, 1.0);
    let mut waiting: Vec<(usize, Option<f64>)> =
        (0..relevance.len()).map(|index| (index, None)).collect();
    let mut picked: Vec<usize> = Vec::new();
    while picked.len() < limit {
        if let Some(last) = picked.last() {
            for (index, nearest) in &mut waiting {
                let alike = similarity(*index, *last);
                *nearest = Some(nearest.map_or(alike, |before| before.max(alike)));
            }
        }
        let value = |(index, nearest): &(usize, Option<f64>)| {
            let value = lambda * relevance[*index] - (1.0 - lambda) * nearest.unwrap_or(0.0);
            if value.is_nan() { f64::NEG_INFINITY } else { value }
        };
        let places = 0..waiting.len();
        let best = places.reduce(|best, place| {
            if value(&waiting[place]) > value(&waiting[best]) { place } else { best }
        });
        let Some(best) = best else { break };
        picked.push(waiting.remove(best).0);
    }
    picked
}

/// Returns the cosine of the term counts of `a` and `b`, 0 (nothing in common, or one of them empty) to 1 (the
/// same words in the same proportions).
pub fn cosine(a: &[String], b: &[String]) -> f64 {
    let (a, b) = (counts(a), counts(b));
    let dot: f64 = a
        .iter()
        .filter_map(|(term, count)| Some(f64::from(*count) * f64::from(*b.get(term)?)))
        .sum();
    let square = |counts: &BTreeMap<&str, u32>| {
        counts.values().map(|count| f64::from(*count).powi(2)).sum::<f64>()
    };
    if dot == 0.0 { 0.0 } else { (dot / (square(&a) * square(&b)).sqrt()).min(1.0) }
}

/// Returns the share, 0 to 1, of the weight of the query's terms that occur in the passages found.
///
/// Weights are IDF values; one below 0 counts as 0. A query without weight is covered to 0.
pub fn coverage(query: &[(String, f64)], found: &[Vec<String>]) -> f64 {
    let found: BTreeSet<&str> = found.iter().flatten().map(String::as_str).collect();
    let (mut covered, mut all) = (0.0, 0.0);
    for (term, weight) in query {
        let weight = weight.max(0.0);
        all += weight;
        if found.contains(term.as_str()) {
            covered += weight;
        }
    }
    if all > 0.0 && all.is_finite() { covered / all } else { 0.0 }
}

/// A sentence that may be picked.
#[derive(Clone, Copy)]
struct Candidate<'a> {
    passage: usize,
    start: usize,
    text: &'a str,
}

fn prose<'a>(passages: &[&'a str], language: Language) -> Vec<Candidate<'a>> {
    let mut found = Vec::new();
    for (passage, whole) in passages.iter().enumerate() {
        for span in sentences(whole) {
            for (offset, text) in at_spaced_stops(&whole[span.clone()]) {
                let start = span.start + offset;
                if reads_as_prose(text, language) && !is_heading(&whole[..start]) {
                    found.push(Candidate { passage, start, text });
                }
            }
        }
    }
    found
}

/// Cuts at ` . `, which ends a sentence in texts whose words have been set apart, and nowhere else.
fn at_spaced_stops(sentence: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut start = 0;
    let ends = sentence.match_indices(" . ").map(|(at, _)| at + 2).chain([sentence.len()]);
    ends.filter_map(move |end| {
        let part = &sentence[start..end];
        let text = part.trim();
        let offset = start + part.len() - part.trim_start().len();
        start = end;
        (!text.is_empty()).then_some((offset, text))
    })
}

/// Does the line that `before` ends in begin a heading?
fn is_heading(before: &str) -> bool {
    before.rsplit('\n').next().is_some_and(|line| line.trim_start().starts_with('#'))
}

/// Is this a sentence that can be read by itself: not a table row, a question, a fragment or a list of links?
fn reads_as_prose(text: &str, language: Language) -> bool {
    const FEWEST_WORDS: usize = 5;
    const FEWEST_WORDS_WITHOUT_STOP: usize = 12;
    const BOILERPLATE: [&str; 6] = [
        "all rights reserved",
        "skip to content",
        "click here",
        "sign up",
        "subscribe to",
        "accept cookies",
    ];

    let length = words(text).count();
    let small = words(text).filter(|(_, word)| is_stop_word(word, language)).count();
    let body = body(text);
    // Running text is full of small words; names, keywords and menus are not.
    let complete = if body.ends_with(['?', '？']) {
        false
    } else if body.ends_with(['.', '!', '…', '。', '！', '｡']) {
        length < FEWEST_WORDS_WITHOUT_STOP
            || small * 10 >= length
            || language == Language::Other
            || !text.is_ascii()
    } else {
        length >= FEWEST_WORDS_WITHOUT_STOP && small * 5 >= length
    };
    let marks = [" | ", " · ", " » ", " > ", " • ", "\t", "](", "http"];
    let marked = marks.into_iter().map(|mark| text.matches(mark).count()).max().unwrap_or(0);
    let is_row = text.starts_with('|') || marked * 8 > length.max(8);
    let visible = text.chars().filter(|c| !c.is_whitespace()).count();
    let letters = text.chars().filter(|c| c.is_alphabetic()).count();
    let lower = text.to_lowercase();
    length >= FEWEST_WORDS
        && complete
        && !is_row
        && letters * 10 >= visible * 7
        && !BOILERPLATE.into_iter().any(|phrase| lower.contains(phrase))
}

/// The sentence up to its last stop, without the brackets, quotation marks and reference numbers that follow it.
fn body(text: &str) -> &str {
    let closing = ['"', '\'', '”', '’', '»', ')', '」', '』', '）', '*', '_', '`', ' '];
    let mut body = text.trim_end_matches(closing);
    while let Some(at) = body.rfind('[').filter(|at| is_reference(&body[*at..])) {
        body = body[..at].trim_end_matches(closing);
    }
    body
}

/// Is this `[3]`, `[3, 4]` or `[3-5]`?
fn is_reference(text: &str) -> bool {
    let numbers = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    numbers.is_some_and(|numbers| {
        numbers.chars().all(|c| c.is_ascii_digit() || matches!(c, ',' | ' ' | '-' | '–'))
    })
}

/// The terms a question is about, without the words that only ask: "describe", "give examples".
fn subject(question: &str, language: Language) -> Vec<String> {
    const ASKING: &str = "describe explain discuss define give list name state outline identify summarise summarize \
        tell show find please possible example examples definition definitions";

    let asked = terms(question, language);
    let asking = if language == Language::English { terms(ASKING, language) } else { Vec::new() };
    let subject: Vec<String> =
        asked.iter().filter(|term| !asking.contains(term)).cloned().collect();
    if subject.is_empty() { asked } else { subject }
}

/// Does the sentence begin with a word that points back to one the reader will not see?
fn leans(text: &str, language: Language) -> bool {
    const POINTING: [&str; 22] = [
        "it",
        "its",
        "he",
        "she",
        "his",
        "her",
        "they",
        "them",
        "their",
        "this",
        "these",
        "those",
        "such",
        "however",
        "therefore",
        "thus",
        "hence",
        "moreover",
        "furthermore",
        "but",
        "and",
        "also",
    ];
    let first = words(text).next().map(|(_, word)| word.to_lowercase());
    language == Language::English && first.is_some_and(|word| POINTING.contains(&word.as_str()))
}

/// The words that follow each other, two by two.
fn pairs(terms: &[String]) -> Vec<String> {
    terms.windows(2).map(|pair| pair.join(" ")).collect()
}

/// Divides by the greatest, so that the greatest is 1.
fn scaled(values: Vec<f64>) -> Vec<f64> {
    let greatest = values.iter().copied().fold(0.0, f64::max);
    if greatest > 0.0 { values.into_iter().map(|value| value / greatest).collect() } else { values }
}

fn counts(terms: &[String]) -> BTreeMap<&str, u32> {
    let mut counts = BTreeMap::new();
    for term in terms {
        *counts.entry(term.as_str()).or_insert(0_u32) += 1;
    }
    counts
}

fn inverse_frequency(documents: usize, holding: usize) -> f64 {
    let (documents, holding) = (documents as f64, holding as f64);
    (1.0 + (documents - holding + 0.5) / (holding + 0.5)).ln()
}

/// The tf-idf vectors of the sentences, of length 1 or empty, and how many terms there are.
fn unit_vectors(sentences: &[Vec<String>]) -> (Vec<Vec<(usize, f64)>>, usize) {
    let mut numbers: BTreeMap<&str, usize> = BTreeMap::new();
    let mut holding: Vec<usize> = Vec::new();
    let mut vectors: Vec<Vec<(usize, f64)>> = Vec::new();
    for sentence in sentences {
        let mut vector = Vec::new();
        for (term, count) in counts(sentence) {
            let number = *numbers.entry(term).or_insert(holding.len());
            if number == holding.len() {
                holding.push(0);
            }
            holding[number] += 1;
            vector.push((number, f64::from(count)));
        }
        vectors.push(vector);
    }
    for vector in &mut vectors {
        for (number, weight) in vector.iter_mut() {
            *weight *= inverse_frequency(sentences.len(), holding[*number]);
        }
        let length = vector.iter().map(|(_, weight)| weight * weight).sum::<f64>().sqrt();
        vector.iter_mut().for_each(|(_, weight)| *weight /= length);
    }
    (vectors, holding.len())
}

/// The sum of the vectors, each times its share.
fn gathered(vectors: &[Vec<(usize, f64)>], terms: usize, share: impl Fn(usize) -> f64) -> Vec<f64> {
    let mut sum = vec![0.0; terms];
    for (index, vector) in vectors.iter().enumerate() {
        let share = share(index);
        for (number, weight) in vector {
            sum[*number] += share * weight;
        }
    }
    sum
}

fn product(vector: &[(usize, f64)], dense: &[f64]) -> f64 {
    vector.iter().map(|(number, weight)| weight * dense[*number]).sum()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn list(text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_owned).collect()
    }

    fn close(found: &[f64], expected: &[f64]) {
        let near = |(one, other): (&f64, &f64)| (one - other).abs() < 1e-5;
        assert!(
            found.len() == expected.len() && found.iter().zip(expected).all(near),
            "{found:?} is not {expected:?}"
        );
    }

    fn answers<'a>(question: &str, passages: &[&'a str], limit: usize) -> Vec<&'a str> {
        let picked = answer_sentences(question, passages, Language::English, limit);
        picked.into_iter().map(|picked| &passages[picked.passage][picked.span]).collect()
    }

    const PAGE: &str = "# What do herring gulls eat?\n\n\
        [Home](/) | [Birds](/birds) | [Gulls](/birds/gulls) | [Fish](/fish)\n\n\
        Herring gulls are large and noisy birds of the coast. They eat fish, crabs and whatever boats throw away.[2] \
        What else do gulls eat? In towns, herring gulls eat a lot of kitchen waste, which makes up to half of their food \
        in winter. Gulls eat:\n\n- fish\n- gulls' eggs and chicks\n\n| food | share eaten by gulls |\n|---|---|\n| fish | 0.4 |\n\n\
        The nest is built on a cliff or on a flat roof. Gulls eat fish. All rights reserved by the friends of herring gulls who eat.";

    // proves: C10
    #[test]
    fn an_answer_is_made_of_sentences_and_of_nothing_else_on_the_page() {
        let found = answers("What do herring gulls eat?", &[PAGE], 9);
        let towns = "In towns, herring gulls eat a lot of kitchen waste, which makes up to half of their food in winter.";
        let birds = "Herring gulls are large and noisy birds of the coast.";
        let boats = "They eat fish, crabs and whatever boats throw away.[2]";
        assert_eq!(found[0], towns);
        assert!(found.iter().all(|sentence| [towns, birds, boats].contains(sentence)), "{found:?}");
    }

    // proves: C10
    #[test]
    fn what_has_been_said_is_not_said_again() {
        let first =
            "The reactor was shut down after the cooling pump had failed twice in one week.";
        let again =
            "After the cooling pump had failed twice in one week, the reactor was shut down.";
        let other = "The second reactor was shut down in spring, when its licence ran out.";
        assert_eq!(
            answers("Why was the reactor shut down?", &[first, again, first, other], 3),
            [first, other]
        );
    }

    // proves: C10
    #[test]
    fn without_a_word_of_the_question_there_is_no_answer() {
        assert!(answers("How deep is the Baltic Sea?", &[PAGE], 3).is_empty());
        assert!(answers("What is it?", &[PAGE], 3).is_empty());
        assert!(answers("", &[], 3).is_empty());
        assert!(answers("What do gulls eat?", &[PAGE], 0).is_empty());
    }

    // proves: C10
    #[test]
    fn the_words_that_only_ask_are_not_looked_for() {
        let passages = [
            "Examples are given to describe and explain the whole method of this book.",
            "Photosynthesis turns light into sugar within the leaves of plants.",
        ];
        assert_eq!(
            answers("Describe photosynthesis and give examples.", &passages, 1),
            [passages[1]]
        );
        assert_eq!(answers("Explain!", &passages, 1), [passages[0]]);
    }

    // proves: C10
    #[test]
    fn texts_whose_stops_are_set_apart_are_cut_there() {
        let text = "the wing was tested in a slipstream . the lift was found to rise with the speed of the jet .";
        assert_eq!(
            answers("how does lift depend on jet speed", &[text], 1),
            ["the lift was found to rise with the speed of the jet ."]
        );
    }

    // proves: C10
    #[test]
    fn bm25_scores_are_those_of_the_formula() {
        let documents = ["a b", "a", "c c"].map(list);
        let index = Bm25::new(&documents);
        assert!((index.idf("c") - 0.980_829).abs() < 1e-5);
        assert!((index.idf("a") - 0.470_004).abs() < 1e-5);
        close(&index.scores(&list("c")), &[0.0, 0.0, 0.580_372]);
        close(
            &index.scores(&list("a a x")),
            &[2.0 * 0.470_004 / 2.38, 2.0 * 0.470_004 / 1.84, 0.0],
        );
        close(&Bm25::new(&[]).scores(&list("a")), &[]);
        close(&Bm25::new(&[vec![], vec![]]).scores(&list("a")), &[0.0, 0.0]);
    }

    // proves: C10
    #[test]
    fn the_sentence_that_shares_words_with_all_others_is_most_central() {
        close(&centrality(&["a b", "a", "b"].map(list)), &[0.402_082, 0.298_959, 0.298_959]);
        close(&centrality(&["a", "b", "c"].map(list)), &[1.0 / 3.0; 3]);
        close(&centrality(&["", ""].map(list)), &[0.5; 2]);
        close(&centrality(&[]), &[]);
    }

    // proves: C10
    #[test]
    fn a_repetition_is_picked_after_what_is_new() {
        let alike = |one: usize, other: usize| if one + other == 1 { 1.0 } else { 0.0 };
        assert_eq!(mmr(&[1.0, 0.9, 0.5], alike, 0.5, 9), [0, 2, 1]);
        assert_eq!(mmr(&[1.0, 0.9, 0.5], alike, 1.0, 2), [0, 1]);
        assert_eq!(mmr(&[0.5, f64::NAN, 0.5], |_, _| 0.0, 0.5, 9), [0, 2, 1]);
    }

    // proves: C10
    #[test]
    fn cosine_and_coverage_are_shares() {
        close(
            &[
                cosine(&list("a a b"), &list("a c")),
                cosine(&list("a b"), &list("b a")),
                cosine(&[], &list("a")),
            ],
            &[0.632_456, 1.0, 0.0],
        );
        let query = [("a".to_owned(), 1.0), ("b".to_owned(), 3.0), ("c".to_owned(), -1.0)];
        close(
            &[
                coverage(&query, &[list("b c"), list("b")]),
                coverage(&query, &[]),
                coverage(&[], &[list("a")]),
            ],
            &[0.75, 0.0, 0.0],
        );
    }

    fn any_terms() -> impl Strategy<Value = Vec<Vec<String>>> {
        prop::collection::vec(prop::collection::vec("[a-f]", 0..8), 0..9)
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        // proves: C10
        #[test]
        fn answers_are_pieces_of_the_passages_in_order_of_score(passages in prop::collection::vec("([A-Z]?(the|gulls?|eat|fish|of|é|海)[ ,.?!|#\n]{1,2}){0,60}|.{0,60}", 0..5), limit in 0..5_usize) {
            let passages: Vec<&str> = passages.iter().map(String::as_str).collect();
            let picked = answer_sentences("What fish do gulls eat, 海?", &passages, Language::English, limit);
            prop_assert!(picked.len() <= limit);
            prop_assert!(picked.windows(2).all(|two| two[0].score >= two[1].score));
            for one in &picked {
                prop_assert!((0.0..=1.0).contains(&one.score));
                prop_assert!(passages[one.passage].get(one.span.clone()).is_some_and(|text| text.trim() == text && !text.is_empty()));
            }
            prop_assert_eq!(picked, answer_sentences("What fish do gulls eat, 海?", &passages, Language::English, limit));
        }

        // proves: C10
        #[test]
        fn measures_stay_within_their_bounds(documents in any_terms(), query in prop::collection::vec("[a-h]", 0..5)) {
            prop_assert!(Bm25::new(&documents).scores(&query).into_iter().all(|score| score >= 0.0 && score.is_finite()));
            let central = centrality(&documents);
            prop_assert!(documents.is_empty() || (central.iter().sum::<f64>() - 1.0).abs() < 1e-6);
            prop_assert!(central.iter().all(|value| *value > 0.0));
            for one in &documents {
                for other in &documents {
                    let cosine = cosine(one, other);
                    prop_assert!((0.0..=1.0).contains(&cosine));
                }
            }
            let index = Bm25::new(&documents);
            let weighted: Vec<(String, f64)> = query.iter().map(|term| (term.clone(), index.idf(term))).collect();
            prop_assert!((0.0..=1.0).contains(&coverage(&weighted, &documents)));
        }

        // proves: C10
        #[test]
        fn every_index_is_picked_once(relevance in prop::collection::vec(any::<f64>(), 0..9), alike in any::<f64>(), lambda in any::<f64>(), limit in 0..12_usize) {
            let mut picked = mmr(&relevance, |_, _| alike, lambda, limit);
            prop_assert_eq!(picked.len(), limit.min(relevance.len()));
            picked.sort_unstable();
            picked.dedup();
            prop_assert_eq!(picked.len(), limit.min(relevance.len()));
        }
    }
}
