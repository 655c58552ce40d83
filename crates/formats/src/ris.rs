//! RIS, the exchange format of reference managers, becomes one section for each work.

use std::collections::HashSet;

use crate::works::{MOST_FIELDS, Work, bare_doi, written};
use crate::{Bounds, Fault, Parsed, tidy};

/// Returns whether the text is RIS: its first line gives the type of a work.
pub(crate) fn recognize(text: &str) -> bool {
    let first = text.trim_start_matches('\u{feff}').trim_start().lines().next();
    first.and_then(tagged).is_some_and(|(tag, kind)| {
        tag == "TY"
            && (2..=8).contains(&kind.len())
            && kind.bytes().all(|it| it.is_ascii_uppercase())
    })
}

/// Returns the works that the file lists, as Markdown.
pub(crate) fn parse(text: &str, bounds: &Bounds) -> Result<Parsed, Fault> {
    let works = read(text);
    if works.is_empty() {
        return Err(Fault::Damaged { format: "RIS".to_owned() });
    }
    Ok(written(&works, bounds))
}

/// Returns the works that a text lists.
pub(crate) fn read(text: &str) -> Vec<Work> {
    let mut works = Vec::new();
    let mut record: Vec<(&str, String)> = Vec::new();
    for line in text.trim_start_matches('\u{feff}').lines() {
        match tagged(line) {
            Some(("ER", _)) => works.extend(work(&std::mem::take(&mut record))),
            Some((tag, value)) => {
                if tag == "TY" {
                    works.extend(work(&std::mem::take(&mut record)));
                }
                record.push((tag, value.to_owned()));
            }
            // A value goes on in the next line.
            None => {
                if let Some((_, value)) = record.last_mut() {
                    value.push('\n');
                    value.push_str(line.trim());
                }
            }
        }
    }
    works.extend(work(&record));
    works
}

/// Returns the tag and the value of a line such as `TI  - Tea`.
fn tagged(line: &str) -> Option<(&str, &str)> {
    let (tag, rest) = line.split_at_checked(2)?;
    let mut letters = tag.bytes();
    let is_tag = letters.next().is_some_and(|first| first.is_ascii_uppercase())
        && letters.all(|it| it.is_ascii_uppercase() || it.is_ascii_digit());
    let mark = rest.trim_start_matches([' ', '\t']);
    let value = mark.strip_prefix('-').filter(|_| (1..=3).contains(&(rest.len() - mark.len())))?;
    let is_apart = value.is_empty() || value.starts_with([' ', '\t']);
    (is_tag && is_apart).then(|| (tag, value.trim()))
}

fn work(record: &[(&str, String)]) -> Option<Work> {
    if !record.iter().any(|(tag, _)| *tag == "TY") {
        return None;
    }
    let all = |tags: &[&str]| -> Vec<String> {
        let mut found = Vec::new();
        for tag in tags {
            let values = record.iter().filter(|(known, _)| known == tag);
            found.extend(values.map(|(_, value)| value.trim().to_owned()));
        }
        found.retain(|value| !value.is_empty());
        found
    };
    let first = |tags: &[&str]| all(tags).into_iter().next().unwrap_or_default();
    let kind = first(&["TY"]);
    let mut work = Work { kind: kind.clone(), key: first(&["ID", "LB"]), ..Work::default() };
    for path in all(&["L1", "L2", "L3", "L4"]) {
        work.add_file("", &path);
    }
    let mut titles = all(&["TI", "T1", "CT"]);
    // A whole book may have only the title of the book.
    if titles.is_empty() {
        titles = all(&["BT"]);
    }
    work.title = titles.first().cloned().unwrap_or_default();
    for other in titles.iter().skip(1) {
        if *other != work.title {
            work.add("Other title", other);
        }
    }
    // Some programs give the authors under both tags.
    let authors = all(&["AU"]);
    let known: HashSet<&String> = authors.iter().collect();
    let more = all(&["A1"]).into_iter().filter(|name| !known.contains(name));
    work.authors = authors.iter().cloned().chain(more).map(|name| named(&name)).collect();
    let people =
        |tags: &[&str]| all(tags).iter().map(|name| named(name)).collect::<Vec<_>>().join(", ");
    work.add("Editors", &people(&["ED", "A2", "A3"]));
    work.add("Translators", &people(&["A4"]));
    for date in all(&["PY", "Y1", "DA"]) {
        let date = tidy(date.trim_matches('/').replace('/', "-").trim_matches('-'));
        let is_known = |known: &(&str, String)| known.1 == date || known.1.starts_with(&date);
        if !work.fields.iter().filter(|known| known.0 == "Date").any(is_known) {
            work.add("Date", &date);
        }
    }
    for venue in all(&["JO", "JF", "JA", "J1", "J2", "T2"]) {
        work.add("In", &venue);
    }
    for title in all(&["BT"]) {
        if title != work.title {
            work.add("In", &title);
        }
    }
    work.add("Series", &first(&["T3"]));
    work.add("Volume", &first(&["VL"]));
    work.add("Issue", &first(&["IS", "CP"]));
    let (start, end) = (first(&["SP"]), first(&["EP"]));
    work.add("Pages", &if end.is_empty() { start } else { format!("{start}–{end}") });
    work.add("Edition", &first(&["ET"]));
    work.add("Publisher", &all(&["PB"]).join(", "));
    work.add("Place", &all(&["CY", "PP"]).join(", "));
    for number in all(&["SN"]) {
        work.add(if kind == "BOOK" { "ISBN" } else { "ISSN or ISBN" }, &number);
    }
    work.add("Language", &first(&["LA"]));
    for address in all(&["UR", "L1", "L2"]) {
        if !work.files.iter().any(|(_, path)| *path == address) {
            work.add("Address", &address);
        }
    }
    work.doi = bare_doi(&first(&["DO", "DI"])).to_owned();
    let split = |words: &String| words.split(['\n', ';']).map(tidy).collect::<Vec<_>>();
    work.keywords = all(&["KW"]).iter().flat_map(split).filter(|it| !it.is_empty()).collect();
    let flowing = |text: &str| text.split('\n').map(tidy).collect::<Vec<_>>().join(" ");
    work.summary = flowing(&first(&["AB", "N2"]));
    for text in all(&["AB", "N2", "N1", "RN"]) {
        let text = flowing(&text);
        if text == work.summary {
            continue;
        }
        if work.paragraphs.len() < MOST_FIELDS && !work.paragraphs.contains(&text) {
            work.paragraphs.push(text);
        }
    }
    Some(work)
}

/// Returns `Last, First, Suffix` as `First Last Suffix`.
fn named(name: &str) -> String {
    let mut parts = name.split(',').map(str::trim);
    let last = parts.next().unwrap_or_default();
    let first = parts.next().unwrap_or_default();
    let suffix = parts.collect::<Vec<_>>().join(" ");
    tidy(&format!("{first} {last} {suffix}"))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    // proves: A6
    #[test]
    fn each_work_is_a_section() {
        let text = "TY  - JOUR\r\nAU  - Lee, Ann\r\nAU  - Bo, C., Jr.\r\nTI  - Tea and\r\nsleep\r\nJO  - J. Tea\r\nVL  - 3\r\nSP  - 1\r\nEP  - 9\r\nPY  - 2001/05//\r\nDO  - https://doi.org/10.1/x\r\nKW  - tea\r\nKW  - sleep\r\nAB  - We drank.\r\nThen slept.\r\nER  - \r\n\r\nTY  - BOOK\r\nBT  - Leaves\r\nER  -\r\n";
        assert!(recognize(text));
        let parsed = parse(text, &Bounds::default()).unwrap();
        assert_eq!(
            parsed.text,
            "## Tea and sleep\n\n- Authors: Ann Lee, C. Bo Jr.\n- Date: 2001-05\n- In: J. Tea\n- Volume: 3\n- Pages: 1–9\n- DOI: [10.1/x](https://doi.org/10.1/x)\n- Keywords: tea, sleep\n\nWe drank. Then slept.\n\n## Leaves"
        );
        assert_eq!(parsed.metadata["works"], "2");
        assert_eq!(parsed.title.as_deref(), Some("Bibliography of 2 works"));
        assert!(!recognize("TY  - a tag of RIS\nis explained here"));
        assert!(parse("no works", &Bounds::default()).is_err());
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        // proves: A6
        #[test]
        fn any_text_is_read_or_refused(text in "(TY|AU|ER|PY|KW|é|  - |\n|[a-zA-Z/,; ]{1,4}|(?s).){0,60}") {
            let _ = recognize(&text);
            let _ = parse(&text, &Bounds::default());
        }
    }
}
