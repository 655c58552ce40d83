//! Splits personal names that a service returns as one string into the parts that references need.
//!
//! The last word is the family name, together with the particles before it: `Ludwig van Beethoven`. So is the part before a comma.
//! Groups, one-word names and names in Chinese, Japanese or Korean script stay whole, since nothing in them shows where the family name
//! ends. Nothing is guessed: in `Gabriel García Márquez` only `Márquez` counts as the family name, and a name written family-first
//! without a comma is read in the usual order, unless it ends in initials.

use crate::Author;

/// The longest name, in characters; longer names are cut.
const LONGEST: usize = 200;

/// Splits a name: `Ashish Vaswani`, `Vaswani, Ashish`, `A. Vaswani`, `Vaswani A`. Returns `None` if it contains no letters.
pub fn author(name: &str) -> Option<Author> {
    let name: String = name.chars().take(LONGEST).collect();
    let name = name.trim_start_matches(|c: char| !c.is_alphanumeric());
    let name = name.trim_end_matches(|c: char| !c.is_alphanumeric() && c != '.' && c != ')');
    let name = name.split_whitespace().collect::<Vec<_>>().join(" ");
    if !name.contains(char::is_alphabetic) {
        return None;
    }
    if name.contains(is_east_asian) || is_group(&name) {
        return Some(Author::Named { name });
    }
    let parts: Vec<&str> = name.split(',').map(str::trim).collect();
    let (parts, suffix) = without_titles(parts);
    let author = match parts.as_slice() {
        [whole] => parted(whole, suffix),
        [family, given] if !family.is_empty() => person(family, given, suffix),
        _ => Author::Named { name: name.clone() },
    };
    Some(author)
}

/// Strips degrees and suffixes from the end of a list: `King, Martin Luther, Jr.`, `Jane Doe, PhD`.
fn without_titles(mut parts: Vec<&str>) -> (Vec<&str>, Option<&str>) {
    let mut suffix = None;
    while let [_, .., last] = parts.as_slice() {
        if is_suffix(last) {
            suffix = Some(*last);
        } else if !(last.is_empty() || is_degree(last)) {
            break;
        }
        parts.pop();
    }
    (parts, suffix)
}

fn parted(name: &str, suffix: Option<&str>) -> Author {
    let mut words: Vec<&str> = name.split_whitespace().collect();
    let mut suffix = suffix;
    if let [_, _, .., last] = words.as_slice()
        && is_suffix(last)
    {
        suffix = Some(*last);
        words.pop();
    }
    match words.as_slice() {
        [] | [_] => Author::Named { name: name.to_owned() },
        [family @ .., last] if is_initials(last) && !family.iter().any(|word| is_initial(word)) => {
            let given: Vec<String> = last.chars().map(|letter| format!("{letter}.")).collect();
            person(&family.join(" "), &given.join(" "), suffix)
        }
        words => {
            let (given, family) = words.split_at(family_at(words));
            person(&family.join(" "), &given.join(" "), suffix)
        }
    }
}

/// Builds a person; a suffix follows the given names: `Martin Luther, Jr.`
fn person(family: &str, given: &str, suffix: Option<&str>) -> Author {
    let given = match suffix {
        Some(suffix) => format!("{given}, {suffix}"),
        None => given.to_owned(),
    };
    Author::Person { family: family.to_owned(), given }
}

/// Returns the index of the word that begins the family name.
fn family_at(words: &[&str]) -> usize {
    let last = words.len() - 1;
    let inner = || words.iter().enumerate().take(last);
    // Two family names joined by "and": Santiago Ramón y Cajal.
    if let Some((at, _)) = inner().skip(2).find(|(_, word)| matches!(**word, "y" | "e" | "i")) {
        return at - 1;
    }
    inner().find(|(at, word)| is_particle(word, *at, words)).map_or(last, |(at, _)| at)
}

/// Returns whether a word belongs to the family name that follows it.
fn is_particle(word: &str, at: usize, words: &[&str]) -> bool {
    const SMALL: &[&str] = &[
        "af", "al", "av", "bin", "binte", "da", "das", "de", "degli", "dei", "del", "della", "den",
        "der", "des", "di", "do", "dos", "du", "e", "el", "ibn", "in", "la", "las", "le", "lo",
        "los", "op", "t", "'t", "te", "ten", "ter", "van", "vom", "von", "zu", "zum", "zur",
    ];
    // When capitalised, the others are also given names: Di, Do, La, Le.
    const LARGE: &[&str] = &["De", "Del", "Della", "Van", "Vom", "Von"];
    const VIETNAMESE: &[&str] = &[
        "Nguyen", "Nguyễn", "Tran", "Trần", "Le", "Lê", "Pham", "Phạm", "Hoang", "Hoàng", "Vu",
        "Bui",
    ];
    let middle_name = || word == "Van" && words.last().is_some_and(|w| VIETNAMESE.contains(w));
    SMALL.contains(&word) || (at > 0 && LARGE.contains(&word) && !middle_name())
}

fn is_suffix(word: &str) -> bool {
    matches!(word.trim_end_matches('.'), "Jr" | "JR" | "jr" | "Sr" | "SR" | "II" | "III" | "IV")
}

fn is_degree(word: &str) -> bool {
    const DEGREES: &[&str] =
        &["phd", "md", "dr", "msc", "ma", "ms", "mph", "bsc", "mbbs", "frcp", "rn", "esq"];
    let letters: String = word.chars().filter(|c| c.is_alphabetic()).collect();
    DEGREES.contains(&letters.to_lowercase().as_str())
}

/// Returns whether a word is a given name cut to its first letter: `A.`, `J.-P.`, `A`.
fn is_initial(word: &str) -> bool {
    word.contains('.') || word.chars().count() == 1
}

/// Returns whether a last word consists of initials in PubMed style: one letter, or up to three without a vowel.
fn is_initials(word: &str) -> bool {
    let letters = word.chars().count();
    word.chars().all(char::is_uppercase)
        && (letters == 1 || (letters <= 3 && !word.contains(['A', 'E', 'I', 'O', 'U', 'Y'])))
}

/// Returns whether a name is that of a group or an institution.
fn is_group(name: &str) -> bool {
    const WORDS: &[&str] = &[
        "agency",
        "association",
        "bureau",
        "center",
        "centre",
        "collaboration",
        "collaborators",
        "college",
        "commission",
        "committee",
        "company",
        "consortium",
        "corporation",
        "council",
        "department",
        "foundation",
        "group",
        "inc",
        "initiative",
        "institute",
        "institution",
        "investigators",
        "laboratory",
        "ltd",
        "ministry",
        "network",
        "organisation",
        "organization",
        "program",
        "programme",
        "project",
        "society",
        "team",
        "union",
        "university",
        "universität",
    ];
    let mut words = name.split(|c: char| !c.is_alphanumeric()).map(str::to_lowercase);
    let joined = |word: &str| matches!(word, "and" | "of" | "for" | "the" | "&");
    name.split_whitespace().any(joined) || words.any(|word| WORDS.contains(&word.as_str()))
}

/// Returns whether a letter is Han, kana or Hangul.
fn is_east_asian(letter: char) -> bool {
    matches!(letter,
        '\u{1100}'..='\u{11ff}' | '\u{3005}'..='\u{3007}' | '\u{3040}'..='\u{30ff}'
        | '\u{3130}'..='\u{318f}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}'
        | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{323af}')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_name_is_parted_as_a_reference_needs_it() {
        for (name, given, family) in [
            ("Ashish Vaswani", "Ashish", "Vaswani"),
            ("A. Vaswani", "A.", "Vaswani"),
            ("Vaswani, Ashish", "Ashish", "Vaswani"),
            ("  Andrew  D. White ", "Andrew D.", "White"),
            ("Ludwig van Beethoven", "Ludwig", "van Beethoven"),
            ("Laurens van der Maaten", "Laurens", "van der Maaten"),
            ("van der Maaten, Laurens", "Laurens", "van der Maaten"),
            ("Guido Van Rossum", "Guido", "Van Rossum"),
            ("Thanh Van Nguyen", "Thanh Van", "Nguyen"),
            ("Nando de Freitas", "Nando", "de Freitas"),
            ("Santiago Ramón y Cajal", "Santiago", "Ramón y Cajal"),
            ("Gabriel García Márquez", "Gabriel García", "Márquez"),
            ("Quoc V. Le", "Quoc V.", "Le"),
            ("Xiao Di Wang", "Xiao Di", "Wang"),
            ("Martin Luther King Jr.", "Martin Luther, Jr.", "King"),
            ("King, Martin Luther, Jr.", "Martin Luther, Jr.", "King"),
            ("Jane Doe, PhD", "Jane", "Doe"),
            ("Odhran O'Donoghue", "Odhran", "O'Donoghue"),
            ("J.-P. Serre", "J.-P.", "Serre"),
            ("Smith J", "J.", "Smith"),
            ("de Souza JP", "J. P.", "de Souza"),
            ("Wei XU", "Wei", "XU"),
            ("J. K. B", "J. K.", "B"),
            ("van Beethoven", "", "van Beethoven"),
        ] {
            let expected = Author::Person { given: given.into(), family: family.into() };
            assert_eq!(author(name), Some(expected), "{name}");
        }
    }

    #[test]
    fn what_has_no_family_name_stays_whole() {
        for name in [
            "OpenAI",
            "王小明",
            "山田 太郎",
            "김철수",
            "ATLAS Collaboration",
            "Gemini Team",
            "World Health Organization",
            "Office of Naval Research",
            "Department of Physics, University of Somewhere",
            "Doe, Jane, Roe, Richard",
        ] {
            assert_eq!(author(name), Some(Author::Named { name: name.into() }), "{name}");
        }
        assert_eq!(author("Plato*"), Some(Author::Named { name: "Plato".into() }));
        for nothing in ["", "  ", "---", "1, 2", ",,,"] {
            assert_eq!(author(nothing), None, "{nothing}");
        }
    }

    proptest! {
        #[test]
        fn no_name_is_lost(name in r"\PC{0,40}") {
            let letters = |text: &str| text.chars().filter(|c| c.is_alphabetic()).count();
            match author(&name) {
                None => prop_assert_eq!(letters(&name), 0),
                Some(author) => prop_assert!(letters(&author.to_string()) > 0),
            }
        }

        #[test]
        fn a_parted_name_put_together_is_the_name(
            words in prop::collection::vec("[A-Z][a-z]{2,8}", 2..5),
        ) {
            let name = words.join(" ");
            prop_assert_eq!(author(&name).unwrap().to_string(), name);
        }
    }
}
