//! How close an answer is to the known answer.

use std::collections::HashMap;

use unicode_normalization::UnicodeNormalization;

/// Returns 1 if the answer is one of the references once both are normalised, else 0; `None` if no reference is known.
///
/// Normalised as in SQuAD's `evaluate-v1.1.py`: lower case, without punctuation and the articles *a*, *an*, *the*, white space collapsed.
/// Typographic quotes and dashes also count as punctuation. A reference that normalises to nothing ("A+") is compared as written, ignoring
/// case. An empty answer never matches.
pub fn exact_match(answer: &str, references: &[String]) -> Option<f64> {
    let same = |reference: &String| f64::from(u8::from(is_reference(answer, reference)));
    references.iter().map(same).reduce(f64::max)
}

fn is_reference(answer: &str, reference: &str) -> bool {
    let (said, known) = (normalised(answer), normalised(reference));
    let as_it_stands = || answer.trim().to_lowercase() == reference.trim().to_lowercase();
    said == known && (!known.is_empty() || as_it_stands()) && !answer.trim().is_empty()
}

/// Returns the harmonic mean of precision and recall of the answer's words, 0 to 1, against the closest reference; `None` if no reference
/// is known.
///
/// F1 = 2PR / (P + R), where P and R are the shared words, with repetition, over those of the answer and of the reference. If either has no
/// words, it is 1 if the answer is the reference ([`exact_match`]).
pub fn token_f1(answer: &str, references: &[String]) -> Option<f64> {
    let one = |reference: &String| match is_reference(answer, reference) {
        true => 1.0,
        false => f1(&normalised(answer), &normalised(reference)),
    };
    references.iter().map(one).reduce(f64::max)
}

fn f1(answer: &[String], reference: &[String]) -> f64 {
    if answer.is_empty() || reference.is_empty() {
        return 0.0;
    }
    let mut left: HashMap<&str, usize> = HashMap::new();
    for word in reference {
        *left.entry(word).or_default() += 1;
    }
    let mut shared = 0_usize;
    for word in answer {
        if let Some(left) = left.get_mut(word.as_str()).filter(|left| **left > 0) {
            *left -= 1;
            shared += 1;
        }
    }
    // 2PR / (P + R), simplified.
    2.0 * shared as f64 / (answer.len() + reference.len()) as f64
}

fn normalised(text: &str) -> Vec<String> {
    let lower: String = text.chars().flat_map(char::to_lowercase).collect();
    let plain: String = lower.chars().filter(|c| !is_punctuation(*c)).collect();
    let words = plain.split_whitespace().filter(|word| !matches!(*word, "a" | "an" | "the"));
    words.map(str::to_owned).collect()
}

fn is_punctuation(c: char) -> bool {
    c.is_ascii_punctuation()
        || matches!(c, '‘' | '’' | '“' | '”' | '„' | '«' | '»' | '‐'..='―' | '…' | '¿' | '¡')
}

/// Returns the share of the strings that the answer contains, 0 to 1; `None` if none is expected.
///
/// Both are folded: variants of case, compatibility letters, quotes, dashes and white space are equal, and commas between digits are
/// dropped, so that `14,137` is `14137`. A string that begins or ends with a digit is not found within a longer number.
pub fn expected(answer: &str, expects: &[String]) -> Option<f64> {
    let answer = folded(answer);
    let found = expects.iter().filter(|part| contains(&answer, &folded(part))).count();
    (!expects.is_empty()).then(|| found as f64 / expects.len() as f64)
}

fn folded(text: &str) -> String {
    let plain: String = text
        .nfkc()
        .flat_map(char::to_lowercase)
        .map(|c| match c {
            '‐'..='―' | '−' => '-',
            '‘' | '’' | '‚' => '\'',
            '“' | '”' | '„' | '«' | '»' => '"',
            other => other,
        })
        .collect();
    let line = plain.split_whitespace().collect::<Vec<_>>().join(" ");
    let characters: Vec<char> = line.chars().collect();
    let is_digit =
        |at: Option<usize>| at.and_then(|at| characters.get(at)).is_some_and(char::is_ascii_digit);
    let is_separator =
        |at: usize, c: char| c == ',' && is_digit(at.checked_sub(1)) && is_digit(Some(at + 1));
    let kept = characters.iter().enumerate().filter(|(at, c)| !is_separator(*at, **c));
    kept.map(|(_, c)| *c).collect()
}

/// Returns whether the text contains `part`; a number must match as a whole.
fn contains(text: &str, part: &str) -> bool {
    let [first, last] = [part.chars().next(), part.chars().next_back()]
        .map(|end| end.is_some_and(|end| end.is_ascii_digit()));
    text.match_indices(part).any(|(start, _)| {
        let before = text.get(..start).unwrap_or_default();
        let after = text.get(start + part.len()..).unwrap_or_default();
        !(first && ends_in_number(before) || last && goes_on_as_number(after))
    })
}

fn ends_in_number(before: &str) -> bool {
    let mut back = before.chars().rev();
    match back.next() {
        Some('.') => back.next().is_some_and(|c| c.is_ascii_digit()),
        Some(c) => c.is_ascii_digit(),
        None => false,
    }
}

fn goes_on_as_number(after: &str) -> bool {
    let mut next = after.chars();
    match next.next() {
        Some('.') => next.next().is_some_and(|c| c.is_ascii_digit()),
        Some(c) => c.is_ascii_digit(),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn references(texts: &[&str]) -> Vec<String> {
        texts.iter().map(|text| (*text).to_owned()).collect()
    }

    // proves: A8
    #[test]
    fn words_are_compared_as_squad_compares_them() {
        for (answer, known, exact, f1) in [
            ("The Broad Street pump!", &["broad street pump"][..], 1.0, 1.0),
            // 3 of 5 words, 3 of 3: 2 * 0.6 * 1 / 1.6
            ("It was the broad street pump", &["Broad Street pump"], 0.0, 0.75),
            // The better of two: 1 of 1 and 1 of 2.
            ("Soho", &["Mayfair", "Soho, London"], 0.0, 2.0 / 3.0),
            // Counted with repetition: 2 of 3, 2 of 2.
            ("no no no", &["no, no"], 0.0, 0.8),
            ("Snow’s “map”", &["snows map"], 1.0, 1.0),
            ("", &["x"], 0.0, 0.0),
            ("The", &["a"], 0.0, 0.0),
            ("a+", &["A+"], 1.0, 1.0),
            // An abstention matches no reference, even one that normalises to nothing.
            ("", &["The"], 0.0, 0.0),
        ] {
            let known = references(known);
            assert_eq!(exact_match(answer, &known), Some(exact), "{answer}");
            let got = token_f1(answer, &known).unwrap();
            assert!((got - f1).abs() < 1e-12, "{answer}: {got}");
        }
        assert_eq!((exact_match("x", &[]), token_f1("x", &[])), (None, None));
    }

    // proves: A8
    #[test]
    fn expected_strings_are_found_folded_and_numbers_whole() {
        for (answer, part, found) in [
            ("It fell on 8 September  1854.", "8 september 1854", true),
            ("On 18 September 1854", "8 September 1854", false),
            ("14137 people died", "14,137", true),
            ("14,137 people, at least", "14137", true),
            ("3.65 per cent", "3.6", false),
            ("3.6 per cent", "3.6", true),
            ("by 90%.", "90", true),
            ("in 1990", "90", false),
            ("0.90", "90", false),
            ("3 million pounds", "3 million", true),
            ("The reservoirs at Old Ford", "reservoir", true),
            ("the people’s well", "people's", true),
            ("2010–2020", "2010-2020", true),
            ("on days 1, 2", "1, 2", true),
        ] {
            let got = expected(answer, &references(&[part]));
            assert_eq!(got, Some(f64::from(u8::from(found))), "{part:?} in {answer:?}");
        }
        let two = references(&["315", "37"]);
        assert_eq!(expected("315 and 370", &two), Some(0.5));
        assert_eq!(expected("anything", &[]), None);
    }

    proptest! {
        // proves: A8
        #[test]
        fn figures_of_answers_are_shares_and_the_order_of_references_is_all_one(
            answer in "[a-d ,.'0-9]{0,20}",
            mut known in prop::collection::vec("[a-d ,.'0-9]{0,12}", 1..4),
        ) {
            let all = |known: &[String]| {
                [exact_match(&answer, known), token_f1(&answer, known), expected(&answer, known)]
                    .map(|value| value.unwrap())
            };
            let was = all(&known);
            prop_assert!(was.iter().all(|value| (0.0..=1.0).contains(value)));
            // Whatever matches exactly shares all its words.
            prop_assert!(was[0] <= was[1]);
            known.reverse();
            prop_assert_eq!(was, all(&known));
            known.push(answer.clone());
            let with_itself = all(&known);
            prop_assert!(answer.trim().is_empty() || with_itself[..2] == [1.0, 1.0]);
        }

        #[test]
        fn f1_is_the_same_from_either_side(one in "[a-c ]{0,12}", other in "[a-c ]{0,12}") {
            prop_assert_eq!(token_f1(&one, std::slice::from_ref(&other)), token_f1(&other, &[one]));
        }

        #[test]
        fn no_text_breaks_the_folding(answer in "\\PC{0,40}", part in "\\PC{0,8}") {
            let _ = expected(&answer, std::slice::from_ref(&part));
            let _ = token_f1(&answer, &[part]);
        }
    }
}
