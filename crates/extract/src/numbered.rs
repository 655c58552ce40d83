//! Things that are told apart by a number: "Zone 412" is not "Zone 413".

use std::collections::BTreeSet;

use text::{Language, terms, words};

/// Returns whether a text speaks of things that are named as one in the question is, and only of those with other numbers: of "Zone 412"
/// where "Zone 413" is asked about.
///
/// ```
/// use extract::is_of_another_number;
/// use text::Language::English;
///
/// let asked = "Which crew inspected zone 413?";
/// assert!(is_of_another_number(asked, "Zone 412 was inspected by crew 20.", English));
/// assert!(!is_of_another_number(asked, "Zones 412 and 413 were inspected.", English));
/// assert!(!is_of_another_number(asked, "It was inspected by crew 20.", English));
/// ```
pub fn is_of_another_number(question: &str, text: &str, language: Language) -> bool {
    let asked = numbered(question, language);
    if asked.is_empty() {
        return false;
    }
    let numbers: BTreeSet<String> = words(text).map(|(_, word)| bare(word)).collect();
    let told = numbered(text, language);
    asked.iter().any(|(name, number)| {
        !numbers.contains(number) && told.iter().any(|(other, _)| other == name)
    })
}

/// Returns the words of a text that a number follows, as terms, each with its number.
fn numbered(text: &str, language: Language) -> Vec<(String, String)> {
    let all: Vec<(usize, &str)> = words(text).collect();
    let pairs = all.windows(2).filter_map(|pair| {
        let [(at, word), (next, number)] = pair else { return None };
        let between = text.get(at + word.len()..*next)?;
        let is_named = between.trim().is_empty() && word.chars().all(char::is_alphabetic);
        let is_number = number.starts_with(|c: char| c.is_ascii_digit());
        let name = terms(word, language).pop().filter(|_| is_named && is_number)?;
        Some((name, bare(number)))
    });
    pairs.collect()
}

/// Returns a number without the signs that group its digits.
fn bare(number: &str) -> String {
    number.to_lowercase().replace([',', '.', '\'', '\u{a0}'], "")
}

#[cfg(test)]
mod tests {
    use super::*;

    // proves: C10
    #[test]
    fn a_thing_with_another_number_is_another_thing() {
        let check = |question: &str, text: &str, expected: bool| {
            let found = is_of_another_number(question, text, Language::English);
            assert_eq!(found, expected, "{question} {text}");
        };
        check("When does flight BA 119 leave?", "Flight BA 117 leaves at 9.", true);
        check("How many seats has room 13?", "Room 12 has 30 seats. Room 14 has 8 seats.", true);
        check("How many seats has room 12?", "Room 12 has 30 seats. Room 14 has 8 seats.", false);
        check("Who inspected Zone 41?", "Zone 411 was inspected by Ann.", true);
        check("Who died in 1854?", "In 1855 Snow died.", false);
        check("What costs 20 euros?", "A day ticket costs 12 euros, a week ticket 20.", false);
        check("How many live in Zone 1,200?", "Zone 1200 has 80 people.", false);
        check("What is the default in PostgreSQL 15?", "The default is 10.", false);
        check("How many seats has room 12?", "", false);
    }
}
