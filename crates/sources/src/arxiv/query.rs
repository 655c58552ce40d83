//! Builds an arXiv query from a user's words.
//!
//! arXiv has its own query language, with fields, operators, brackets and wildcards. None of these are taken from the text: it is split
//! into words of letters and digits, and the query is built from these.

use unicode_normalization::UnicodeNormalization as _;

use run::sources::Query;
use text::{Language, is_stop_word};

/// Up to this many words must all occur; of more, a paper may lack some. A question of seven words that must all occur finds next to
/// nothing, and arXiv ranks papers by how many of them they have.
const ALL_OF: usize = 3;
/// The most terms in a query, not counting quoted phrases.
const MOST_TERMS: usize = 12;
const MOST_PHRASES: usize = 4;
/// The number of words in a text that may be a title.
const TITLE_WORDS: std::ops::RangeInclusive<usize> = 2..=20;
const LONGEST_WORD: usize = 40;

/// A condition that nothing meets: a day before arXiv existed.
const NOTHING: &str = "submittedDate:[190001010000 TO 190001012359]";

/// Returns a query in arXiv's language. Quoted phrases must occur, other words as [`ALL_OF`] says; papers whose title is the whole text
/// always match.
///
/// A text without a letter or digit asks for [`NOTHING`], whatever the years, since arXiv might read an empty condition in any way.
pub(super) fn search_query(query: &Query) -> String {
    let (phrases, loose) = parts(&query.text);
    let mut conditions: Vec<String> = phrases.iter().map(|words| phrase("all", words)).collect();
    let mut tokens: Vec<Vec<String>> = loose.iter().flat_map(|text| tokens(text)).collect();
    let title: Vec<String> = tokens.concat();
    let telling = |token: &Vec<String>| !token.iter().all(|word| is_grammar(word));
    if tokens.iter().any(telling) || !conditions.is_empty() {
        tokens.retain(telling);
    }
    let mut terms: Vec<String> = Vec::new();
    for token in tokens {
        let term = phrase("all", &token);
        if !terms.contains(&term) && terms.len() < MOST_TERMS {
            terms.push(term);
        }
    }
    let operator = if terms.len() <= ALL_OF { " AND " } else { " OR " };
    let is_question = query.text.trim_end().ends_with('?');
    let loose = match terms.len() {
        0 => None,
        1 => Some(terms.concat()),
        _ if phrases.is_empty() && !is_question && TITLE_WORDS.contains(&title.len()) => {
            Some(format!("({} OR ({}))", phrase("ti", &title), terms.join(operator)))
        }
        _ => Some(format!("({})", terms.join(operator))),
    };
    conditions.extend(loose);
    if conditions.is_empty() {
        return NOTHING.to_owned();
    }
    conditions.extend(years(query));
    conditions.join(" AND ")
}

/// Returns the phrases in quotation marks, split into words, and the texts around them. An unclosed mark is ignored.
fn parts(text: &str) -> (Vec<Vec<String>>, Vec<&str>) {
    let pieces: Vec<&str> = text.split(['"', '“', '”', '„', '«', '»']).collect();
    let unclosed = pieces.len().is_multiple_of(2);
    let mut phrases = Vec::new();
    let mut loose = Vec::new();
    for (index, piece) in pieces.iter().enumerate() {
        let quoted = index % 2 == 1 && !(unclosed && index + 1 == pieces.len());
        let words = if quoted { tokens(piece).concat() } else { Vec::new() };
        if !words.is_empty() && words.len() <= *TITLE_WORDS.end() && phrases.len() < MOST_PHRASES {
            phrases.push(words);
        } else {
            loose.push(*piece);
        }
    }
    (phrases, loose)
}

/// Returns the words of a text, in lower case; parts joined by a hyphen or a point stay together: `GPT-4`, `3.5`.
fn tokens(text: &str) -> Vec<Vec<String>> {
    let text: String = text.nfc().flat_map(char::to_lowercase).collect();
    text.split(|c: char| !c.is_alphanumeric() && !"-‐‑–.'’".contains(c))
        .map(|token| token.trim_end_matches("'s").trim_end_matches("’s"))
        .filter(|token| !is_stop_word(token, Language::English) || !token.contains(['\'', '’']))
        .map(|token| {
            token
                .split(|c: char| !c.is_alphanumeric())
                .filter(|word| !word.is_empty())
                .map(|word| word.chars().take(LONGEST_WORD).collect())
                .collect()
        })
        .filter(|words: &Vec<String>| !words.is_empty())
        .collect()
}

/// Returns whether a word says nothing about the subject: stop words, arXiv's own operators, and request phrases.
fn is_grammar(word: &str) -> bool {
    const ASKING: [&str; 12] = [
        "andnot", "article", "articles", "find", "latest", "list", "paper", "papers", "please",
        "recent", "show", "tell",
    ];
    is_stop_word(word, Language::English) || ASKING.contains(&word)
}

/// Returns a condition on a field. A single plain word stays unquoted, so that arXiv compares its stem; operators are quoted.
fn phrase(field: &str, words: &[String]) -> String {
    match words {
        [word] if field == "all" && !is_grammar(word) => format!("{field}:{word}"),
        words => format!("{field}:\"{}\"", words.join(" ")),
    }
}

/// Returns the condition on the submission date, if the query has years.
fn years(query: &Query) -> Option<String> {
    if query.from_year.is_none() && query.to_year.is_none() {
        return None;
    }
    let year = |year: Option<i16>, open: i16| year.unwrap_or(open).clamp(1_900, 2_999);
    let (from, to) = (year(query.from_year, 1_900), year(query.to_year, 2_999));
    Some(format!("submittedDate:[{from:04}01010000 TO {to:04}12312359]"))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn asked(text: &str) -> String {
        search_query(&Query::new(text, 10))
    }

    // proves: D2
    #[test]
    fn few_words_must_all_occur_and_of_many_a_paper_may_lack_some() {
        for (text, asks) in [
            ("gulls", "all:gulls"),
            ("sleeping gulls", "(ti:\"sleeping gulls\" OR (all:sleeping AND all:gulls))"),
            ("Do gulls sleep at sea?", "(all:gulls AND all:sleep AND all:sea)"),
            (
                "How does retrieval augmentation reduce hallucination in language models?",
                "(all:retrieval OR all:augmentation OR all:reduce OR all:hallucination OR all:language OR all:models)",
            ),
            (
                "Attention is all you need",
                "(ti:\"attention is all you need\" OR (all:attention AND all:need))",
            ),
            (
                "recent papers on GPT-4's 3.5 % error",
                "(ti:\"recent papers on gpt 4 3 5 error\" OR (all:\"gpt 4\" AND all:\"3 5\" AND all:error))",
            ),
            ("gulls gulls Gulls", "all:gulls"),
            ("\"chain of thought\" prompting", "all:\"chain of thought\" AND all:prompting"),
            ("“chain of thought” does it work", "all:\"chain of thought\" AND all:work"),
            ("what is it", "(ti:\"what is it\" OR (all:\"what\" AND all:\"is\" AND all:\"it\"))"),
            ("naïve Bayes", "(ti:\"naïve bayes\" OR (all:naïve AND all:bayes))"),
            ("???", NOTHING),
            ("\"…\" - “”", NOTHING),
            ("", NOTHING),
        ] {
            assert_eq!(asked(text), asks, "{text}");
        }
    }

    #[test]
    fn years_are_a_range_of_days() {
        let years = |from_year, to_year| {
            search_query(&Query { from_year, to_year, ..Query::new("gulls", 5) })
        };
        assert_eq!(
            years(Some(2019), Some(2021)),
            "all:gulls AND submittedDate:[201901010000 TO 202112312359]"
        );
        assert_eq!(
            years(Some(2019), None),
            "all:gulls AND submittedDate:[201901010000 TO 299912312359]"
        );
        assert_eq!(
            years(None, Some(-5)),
            "all:gulls AND submittedDate:[190001010000 TO 190012312359]"
        );
        let wordless = Query { from_year: Some(2019), ..Query::new("?", 5) };
        assert_eq!(search_query(&wordless), NOTHING);
    }

    #[test]
    fn arxivs_own_language_is_not_taken_from_the_text() {
        for (text, asks) in [
            (
                "gulls) OR (cat:cs.AI",
                "(ti:\"gulls or cat cs ai\" OR (all:gulls AND all:cat AND all:\"cs ai\"))",
            ),
            (
                "au:Tinbergen ANDNOT ti:gulls",
                "(ti:\"au tinbergen andnot ti gulls\" OR (all:au OR all:tinbergen OR all:ti OR all:gulls))",
            ),
            ("gulls\" OR \"terns", "all:\"or\" AND (all:gulls AND all:terns)"),
            ("\"gulls", "all:gulls"),
            (
                "submittedDate:[1 TO 2]",
                "(ti:\"submitteddate 1 to 2\" OR (all:submitteddate AND all:1 AND all:2))",
            ),
            (
                "gu* ?ulls \\ ~2 ^3",
                "(ti:\"gu ulls 2 3\" OR (all:gu OR all:ulls OR all:2 OR all:3))",
            ),
        ] {
            assert_eq!(asked(text), asks, "{text}");
        }
    }

    proptest! {
        #[test]
        fn whatever_the_text_the_query_is_well_formed(text in "(?s)[\\PC\\n]{0,200}|([a-z \"():AND*\\[\\]-]|OR |NOT |ti:){0,120}") {
            let asks = asked(&text);
            prop_assert!(!asks.contains("\"\"") && !asks.ends_with(':'), "{}", asks);
            if asks == NOTHING {
                prop_assert!(!text.contains(char::is_alphanumeric), "{}", text);
                return Ok(());
            }
            prop_assert_eq!(asks.matches('"').count() % 2, 0);
            let mut depth = 0_i32;
            for (index, piece) in asks.split('"').enumerate() {
                if index % 2 == 1 {
                    prop_assert!(piece.chars().all(|c| c.is_alphanumeric() || c == ' '), "{}", asks);
                    continue;
                }
                for c in piece.chars() {
                    depth += i32::from(c == '(') - i32::from(c == ')');
                    prop_assert!((0..=2).contains(&depth));
                }
                for word in piece.split([' ', '(', ')']).filter(|word| !word.is_empty()) {
                    let term = word.strip_prefix("all:").or(word.strip_prefix("ti:"));
                    let plain = term.is_some_and(|term| term.chars().all(char::is_alphanumeric));
                    prop_assert!(plain || word == "AND" || word == "OR", "{} in {}", word, asks);
                }
            }
            prop_assert_eq!(depth, 0);
            prop_assert!(asks.len() < 8_000);
        }
    }
}
