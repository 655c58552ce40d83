//! Names that are known in one piece, taken apart.

use run::paper::Author;

/// What stands before a family name and belongs to it.
const PARTICLES: &str = "af al auf av bin d da dal das de degli dei del dela della den der des di do dos du e el het ibn in la las le les lo \
    los op 't te ten ter tom van vande vanden vander vom von y zu zum zur";
/// Those that are also written with a capital, and are hardly ever given names.
const CAPITAL_PARTICLES: &str =
    "Al Da De Del Della Den Der Des Di Dos Du El La Le Van Vande Vanden Vander Von";
const SUFFIXES: &str = "Jr Sr II III IV";
/// Words of groups.
const GROUPS: &str = "collaboration collaborations consortium team group network project initiative institute university laboratory society \
    committee council foundation alliance association center centre working force survey observatory";

/// Returns the author whose name is written given names first. A group, and a person with one name, stay whole.
pub(super) fn author(name: &str) -> Author {
    let named = || Author::Named { name: name.to_owned() };
    let words: Vec<&str> = name.split_whitespace().collect();
    let one_of = |list: &str, word: &str| list.split_whitespace().any(|known| known == word);
    let is_group = words.iter().any(|word| {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
        one_of(GROUPS, &word) || word.contains(|c: char| c.is_ascii_digit())
    });
    if is_group || words.len() < 2 || words.len() > 8 || name.contains(['&', ':', ';', '(', '/']) {
        return named();
    }
    if let Some((family, given)) = name.split_once(',') {
        let (family, given) = (family.trim(), given.trim());
        if !family.is_empty() && !given.is_empty() && !is_suffix(given) {
            return Author::Person { family: family.to_owned(), given: given.to_owned() };
        }
    }
    let suffix = words.last().filter(|word| words.len() > 2 && is_suffix(word));
    let names = words.get(..words.len() - usize::from(suffix.is_some())).unwrap_or_default();
    let last = names.len() - 1;
    let family = (1..last)
        .find(|index| {
            names.get(*index).is_some_and(|word| {
                one_of(PARTICLES, word)
                    || one_of(CAPITAL_PARTICLES, word)
                    || word.starts_with("d'")
                    || word.starts_with("d’")
            })
        })
        .unwrap_or(last);
    let (given, family) = names.split_at(family);
    let family = family.join(" ");
    let mut given = given.join(" ");
    if let Some(suffix) = suffix {
        given = format!("{given}, {suffix}");
    }
    Author::Person { family: family.trim_end_matches(',').to_owned(), given }
}

fn is_suffix(word: &str) -> bool {
    SUFFIXES.split_whitespace().any(|suffix| suffix == word.trim_end_matches('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_taken_apart_where_its_family_begins() {
        for (name, family, given) in [
            ("Aurora Ramírez", "Ramírez", "Aurora"),
            ("Achim J. Lilienthal", "Lilienthal", "Achim J."),
            ("Willem-Jan van den Heuvel", "van den Heuvel", "Willem-Jan"),
            ("Andre de Gouvea", "de Gouvea", "Andre"),
            ("Vânia de Oliveira Neves", "de Oliveira Neves", "Vânia"),
            ("Pascale Le Gall", "Le Gall", "Pascale"),
            ("Quoc V. Le", "Le", "Quoc V."),
            ("Kyoo il Kim", "Kim", "Kyoo il"),
            ("C. Lämmerzahl", "Lämmerzahl", "C."),
            ("John Hora Jr.", "Hora", "John, Jr."),
            ("John Hora, Jr.", "Hora", "John, Jr."),
            ("Hora, John", "Hora", "John"),
            ("Van Nguyen", "Nguyen", "Van"),
        ] {
            let wanted = Author::Person { family: family.into(), given: given.into() };
            assert_eq!(author(name), wanted, "{name}");
        }
        for name in [
            "The ATLAS Collaboration",
            "Plato",
            "Gulls & Terns",
            "LIGO Scientific Collaboration",
            "Team 5",
            "",
            ",",
        ] {
            assert_eq!(author(name), Author::Named { name: name.into() });
        }
    }
}
