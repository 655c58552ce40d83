//! The authors of a page, from its byline.

use papers::Author;

use crate::document::one_line;

/// What a byline may begin with.
#[rustfmt::skip]
const OPENINGS: &[&str] = &[
    "by", "by:", "written by", "posted by", "published by", "reported by", "story by", "words by",
    "text by", "author:", "authors:", "von", "par",
];
/// What may follow the names.
#[rustfmt::skip]
const ENDINGS: &[&str] = &[
    " | ", " • ", " · ", " — ", " – ", " on ", " published ", " updated ", " last updated ",
    " posted ", " for ", " at ", " via ",
];
/// Words that appear in the names of groups but not of persons.
#[rustfmt::skip]
const GROUPS: &[&str] = &[
    "agency", "association", "associates", "blog", "board", "bureau", "centers", "center",
    "centre", "college", "commission", "committee", "community", "company", "consortium",
    "contributors", "corporation", "corp", "council", "department", "developers", "editorial",
    "editors", "federation", "foundation", "gmbh", "group", "inc", "initiative", "institute",
    "institution", "journal", "laboratory", "library", "llc", "ltd", "magazine", "ministry",
    "museum", "network", "news", "newsroom", "observatory", "office", "organisation",
    "organization", "press", "project", "research", "service", "services", "society", "staff",
    "studio", "team", "times", "trust", "union", "university", "wikipedia",
];
/// Titles and degrees that follow a name and are not part of it.
#[rustfmt::skip]
const TITLES: &[&str] = &[
    "phd", "ph.d", "ph.d.", "md", "m.d.", "m.d", "msc", "m.sc.", "mph", "mba", "rn", "jd", "dds",
    "esq", "esq.", "frs", "dphil",
];
/// Words that name a person's job.
#[rustfmt::skip]
const ROLES: &[&str] = &[
    "editor", "correspondent", "reporter", "writer", "contributor", "columnist", "journalist",
    "author", "producer", "analyst", "fellow", "professor", "director", "photographer",
];
/// Particles that a family name may begin with.
#[rustfmt::skip]
const PARTICLES: &[&str] = &[
    "al", "bin", "da", "de", "del", "della", "den", "der", "di", "dos", "du", "el", "ibn", "la",
    "le", "st.", "te", "ten", "ter", "van", "vom", "von", "zu", "zum", "zur",
];
const SUFFIXES: &[&str] = &["jr", "jr.", "sr", "sr.", "ii", "iii", "iv"];
/// The most words in a name.
const WORDS: usize = 8;
/// The most authors kept.
pub(crate) const AUTHORS: usize = 1000;

/// Returns the authors that a byline names: "By Jane Doe and John Smith", "Doe, Jane", "The Guardian".
///
/// Empty if it names none: an address, a date, a sentence.
pub(crate) fn authors(byline: &str) -> Vec<Author> {
    let line = one_line(byline);
    let line = named(&line);
    if is_group(line) && !several(line) {
        return group(line).into_iter().collect();
    }
    if inverted(line) {
        return person(line).into_iter().collect();
    }
    let parts = line.split([',', ';', '&']).flat_map(|part| split_word(part, "and"));
    let parts = parts.flat_map(|part| split_word(part, "und")).map(str::trim);
    let mut found: Vec<Author> = Vec::new();
    for part in parts.filter(|part| !part.is_empty()) {
        let lower = part.to_lowercase();
        if SUFFIXES.contains(&&*lower) {
            if let Some(Author::Person { given, .. }) = found.last_mut() {
                given.push_str(", ");
                given.push_str(part);
            }
        } else if !TITLES.contains(&&*lower) && !is_role(&lower) {
            found.extend(person(part).filter(|author| !found.contains(author)));
        }
    }
    found.truncate(AUTHORS);
    found
}

/// Returns the author with this name: `Jane Doe`, `Doe, Jane`, a group; `None` if it cannot be a name.
pub(crate) fn person(name: &str) -> Option<Author> {
    let mut name = one_line(name);
    // A full stop at the end of a sentence, not of an initial or a suffix.
    if name.strip_suffix('.').and_then(|it| it.rsplit(' ').next()).is_some_and(|it| it.len() > 3) {
        name.pop();
    }
    let bare = name.trim_matches(|c: char| !c.is_alphabetic()).to_lowercase();
    if !is_name(&name) || TITLES.contains(&&*bare) {
        return None;
    }
    if !name.contains(',') && is_group(&name) {
        return Some(Author::Named { name });
    }
    papers::author(&name)
}

/// Returns the group with this name; `None` if it cannot be a name.
pub(crate) fn group(name: &str) -> Option<Author> {
    let name = one_line(name);
    is_name(&name).then_some(Author::Named { name })
}

/// Returns the part of a line that holds the names.
fn named(line: &str) -> &str {
    let mut line = line;
    while let Some(rest) = OPENINGS.iter().find_map(|opening| after(line, opening)) {
        line = rest;
    }
    let lower = line.to_ascii_lowercase();
    let end = ENDINGS.iter().filter_map(|ending| lower.find(ending)).min();
    // The "for" may be part of a group's name.
    let end = end.filter(|end| !is_group(&line[..*end]));
    line[..end.unwrap_or(line.len())].trim().trim_end_matches([',', ':', '|', '-']).trim()
}

fn after<'a>(line: &'a str, opening: &str) -> Option<&'a str> {
    let start = line.get(..opening.len())?;
    let rest = line.get(opening.len()..)?;
    let ends = opening.ends_with(':') || rest.starts_with([' ', ':']);
    (start.eq_ignore_ascii_case(opening) && ends)
        .then(|| rest.trim_start_matches([' ', ':']))
        .filter(|rest| !rest.is_empty())
}

/// Returns whether a text may be a name: a few words, not an address, a number or a sentence.
fn is_name(text: &str) -> bool {
    let words = text.split(' ').count();
    let plain = |c: char| c.is_alphabetic() || " .,'’‘`´-‐‑()&/·:+!".contains(c) || is_mark(c);
    let named = text.chars().any(char::is_alphabetic) && text.chars().all(plain);
    let opening = OPENINGS.contains(&&*text.to_lowercase());
    let address = opening || text.contains("://") || text.contains("www.");
    named && !address && (words <= WORDS || is_group(text) && words <= 2 * WORDS)
}

/// Returns whether `c` is a combining mark that stands above or below a letter.
fn is_mark(c: char) -> bool {
    ('\u{300}'..='\u{36f}').contains(&c) || ('\u{900}'..='\u{dff}').contains(&c)
}

fn words(text: &str) -> impl Iterator<Item = String> {
    let words = text.split([' ', ',', '/']).map(|word| word.trim_matches(['.', '(', ')']));
    words.filter(|word| !word.is_empty()).map(str::to_lowercase)
}

fn is_group(text: &str) -> bool {
    let the = text.get(..4).is_some_and(|start| start.eq_ignore_ascii_case("the "));
    the || words(text).any(|word| GROUPS.contains(&&*word))
}

fn is_role(lower: &str) -> bool {
    let of_role = |word: &str| ROLES.contains(&word) || word == "staff";
    words(lower).any(|word| ROLES.contains(&&*word)) || words(lower).all(|word| of_role(&word))
}

/// Returns whether a line that names a group or a job also names other authors.
fn several(line: &str) -> bool {
    let all = || line.split([',', ';', '&']).flat_map(|part| split_word(part, "and"));
    let beside = |part: &&str| {
        let lower = part.trim().to_lowercase();
        !TITLES.contains(&&*lower) && !is_role(&lower)
    };
    let parts: Vec<&str> = all().filter(beside).collect();
    // "Department of Health and Human Services", "Food and Agriculture Organization".
    let long = |part: &&str| part.split_whitespace().count() >= 2;
    let opens = parts.first().is_some_and(|first| {
        is_group(first) && words(first).any(|word| matches!(&*word, "of" | "for" | "on"))
    });
    all().count() > 1 && !parts.is_empty() && !opens && parts.iter().all(long)
}

/// Returns whether a line is a single name, family name first: "Doe, Jane", "van der Berg, J. A.".
fn inverted(line: &str) -> bool {
    let mut parts = line.split(',');
    let (Some(family), Some(given), None) = (parts.next(), parts.next(), parts.next()) else {
        return false;
    };
    let family: Vec<&str> = family.split_whitespace().collect();
    let given: Vec<&str> = given.split_whitespace().collect();
    let particle = |word: &&str| PARTICLES.contains(&&*word.to_lowercase());
    let one = family.split_last().is_some_and(|(_, before)| before.iter().all(particle));
    let other = given.first().map(|word| word.to_lowercase()).unwrap_or_default();
    one && (1..=3).contains(&given.len())
        && !given.contains(&"and")
        && !SUFFIXES.contains(&&*other)
        && !TITLES.contains(&&*other)
}

/// Splits `text` at `word` where it stands between spaces.
fn split_word<'a>(text: &'a str, word: &'static str) -> impl Iterator<Item = &'a str> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let text = rest?;
        let at = text.match_indices(word).map(|(at, _)| at).find(|at| {
            let before = text[..*at].chars().next_back().is_none_or(|c| c == ' ');
            before && text[at + word.len()..].starts_with(' ')
        });
        rest = at.map(|at| &text[at + word.len()..]);
        Some(&text[..at.unwrap_or(text.len())])
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The authors of a byline, persons as `family/given`.
    fn shown(byline: &str) -> Vec<String> {
        let show = |author: &Author| match author {
            Author::Person { family, given } => format!("{family}/{given}"),
            Author::Named { name } => name.clone(),
        };
        authors(byline).iter().map(show).collect()
    }

    // proves: A2
    #[test]
    fn a_byline_names_persons() {
        for (byline, expected) in [
            ("By Jane Doe and John Smith", &["Doe/Jane", "Smith/John"][..]),
            ("Jane Doe, John Smith", &["Doe/Jane", "Smith/John"]),
            ("Jane Doe, John Q. Smith, and Ann Lee", &["Doe/Jane", "Smith/John Q.", "Lee/Ann"]),
            ("Written by Jane Doe | May 8, 2024", &["Doe/Jane"]),
            ("by Jane Doe on 8 May 2024", &["Doe/Jane"]),
            ("Doe, Jane", &["Doe/Jane"]),
            ("van der Berg, J. A.", &["van der Berg/J. A."]),
            ("Ludwig van Beethoven", &["van Beethoven/Ludwig"]),
            ("Charles de la Vallée Poussin", &["de la Vallée Poussin/Charles"]),
            ("Martin Luther King Jr.", &["King/Martin Luther, Jr."]),
            ("Martin Luther King, Jr.", &["King/Martin Luther, Jr."]),
            ("Jane Doe, PhD, Staff Writer", &["Doe/Jane"]),
            ("Jane Doe; Jane Doe", &["Doe/Jane"]),
            ("Andrew Hayden", &["Hayden/Andrew"]),
            ("Jane Doe & Sandy Andersen", &["Doe/Jane", "Andersen/Sandy"]),
            ("Plato", &["Plato"]),
            ("村上春樹", &["村上春樹"]),
        ] {
            assert_eq!(shown(byline), expected, "{byline}");
        }
    }

    // proves: A2
    #[test]
    fn a_byline_names_groups() {
        for (byline, expected) in [
            ("The Associated Press", &["The Associated Press"][..]),
            ("Jane Doe, Reuters", &["Doe/Jane", "Reuters"]),
            ("Jane Doe and BBC News", &["Doe/Jane", "BBC News"]),
            ("Posted by Android Developers", &["Android Developers"]),
            ("Food and Agriculture Organization", &["Food and Agriculture Organization"]),
            (
                "Centers for Disease Control and Prevention",
                &["Centers for Disease Control and Prevention"],
            ),
            (
                "U.S. Department of Health and Human Services",
                &["U.S. Department of Health and Human Services"],
            ),
        ] {
            assert_eq!(shown(byline), expected, "{byline}");
        }
    }

    #[test]
    fn what_names_nobody_gives_no_author() {
        for byline in [
            "",
            "By",
            "https://www.facebook.com/janedoe",
            "@janedoe",
            ". PhD",
            "2024-05-08",
            "May 8, 2024 3:00 PM",
            "jane@example.org",
            "In this article we would like to show you how tea came to England",
        ] {
            assert_eq!(shown(byline), [""; 0], "{byline}");
        }
    }

    proptest! {
        #[test]
        fn any_byline_gives_authors_with_names(
            byline in "\\PC{0,80}|((by|and|von|Doe|Jane|,|;|&|\\.|the|of|PhD|Jr\\.) ?){0,12}",
        ) {
            for author in authors(&byline) {
                prop_assert!(!author.to_string().trim().is_empty());
                prop_assert!(author.to_string().chars().any(char::is_alphabetic));
            }
        }
    }
}
