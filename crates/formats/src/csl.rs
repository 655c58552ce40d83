//! The JSON of reference managers: CSL-JSON, and what Better BibTeX writes with its attachments.

use serde_json::{Map, Value};

use crate::tidy;
use crate::works::{MOST_FIELDS, Work, bare_doi};

/// Returns the works that a text lists; `None` if it is no such list.
///
/// A list counts if its entries have a type and a title or creators.
pub(crate) fn read(text: &str) -> Option<Vec<Work>> {
    let text = text.trim_start_matches('\u{feff}');
    if !(text.contains("\"type\"") || text.contains("\"itemType\"")) {
        return None;
    }
    let value: Value = serde_json::from_str(text).ok()?;
    let items = match &value {
        Value::Object(all) => all.get("items")?,
        list => list,
    };
    let items = items.as_array()?;
    let works: Option<Vec<Work>> = items.iter().map(|item| read_item(item.as_object()?)).collect();
    works.filter(|works| !works.is_empty())
}

fn read_item(item: &Map<String, Value>) -> Option<Work> {
    let said = |name: &str| match item.get(name) {
        Some(Value::String(text)) => text.trim().to_owned(),
        Some(Value::Number(number)) => number.to_string(),
        _ => String::new(),
    };
    let first = |names: &[&str]| {
        names.iter().map(|name| said(name)).find(|value| !value.is_empty()).unwrap_or_default()
    };
    let kind = first(&["itemType", "type"]);
    let (authors, editors) = (people(item, "author"), people(item, "editor"));
    let title = first(&["title", "caseName", "subject", "nameOfAct"]);
    let is_work = !kind.is_empty()
        && ["author", "editor", "creators", "issued", "date", "id", "itemKey"]
            .iter()
            .any(|name| item.contains_key(*name))
        && !(title.is_empty() && authors.is_empty());
    if !is_work {
        return None;
    }
    let key = first(&["citation-key", "citationKey", "id", "itemKey", "key"]);
    let mut work = Work { kind, key, title, authors, ..Work::default() };
    work.add("Editors", &editors.join(", "));
    work.add("Translators", &people(item, "translator").join(", "));
    work.add("Date", &item.get("issued").map_or_else(|| said("date"), read_date));
    for (label, names) in [
        ("In", &["container-title", "publicationTitle", "bookTitle", "proceedingsTitle"][..]),
        ("Series", &["collection-title", "series"]),
        ("Volume", &["volume"]),
        ("Issue", &["issue"]),
        ("Pages", &["page", "pages"]),
        ("Edition", &["edition"]),
        ("Type", &["genre", "thesisType", "reportType"]),
        ("Publisher", &["publisher", "university", "institution"]),
        ("Place", &["publisher-place", "place"]),
        ("ISBN", &["ISBN"]),
        ("ISSN", &["ISSN"]),
        ("Language", &["language"]),
        ("PubMed", &["PMID"]),
        ("Address", &["URL", "url"]),
    ] {
        work.add(label, &first(names));
    }
    work.doi = bare_doi(&said("DOI")).to_owned();
    let keywords = said("keyword");
    work.keywords = keywords.split([',', ';']).map(tidy).filter(|it| !it.is_empty()).collect();
    let tags = list(item, "tags").filter_map(|tag| tag.get("tag").unwrap_or(tag).as_str());
    work.keywords.extend(tags.map(tidy).filter(|it| !it.is_empty()));
    let notes = list(item, "notes").filter_map(|note| note.get("note").unwrap_or(note).as_str());
    work.summary = first(&["abstract", "abstractNote"]);
    let notes = std::iter::once(said("note")).chain(notes.map(str::to_owned));
    work.paragraphs = notes.filter(|text| !text.is_empty()).take(MOST_FIELDS).collect();
    for file in list(item, "attachments").chain(list(item, "file")) {
        let known = |name: &str| file.get(name).and_then(Value::as_str);
        let path = ["localPath", "path", "file"].iter().find_map(|name| known(name));
        let path = path.or(file.as_str()).unwrap_or_default();
        work.add_file(known("title").unwrap_or_default(), path);
    }
    work.add_file("", &said("file"));
    Some(work)
}

fn list<'a>(item: &'a Map<String, Value>, name: &str) -> impl Iterator<Item = &'a Value> {
    item.get(name).and_then(Value::as_array).into_iter().flatten()
}

/// Returns the names of those with a role, first name first.
fn people(item: &Map<String, Value>, role: &str) -> Vec<String> {
    let of_role = list(item, "creators")
        .filter(|creator| creator.get("creatorType").and_then(Value::as_str) == Some(role));
    let people = list(item, role).chain(of_role);
    let names = people.map(|person| {
        let part = |names: &[&str]| {
            let found = names.iter().find_map(|name| person.get(*name)?.as_str());
            found.unwrap_or_default()
        };
        let whole = part(&["literal", "name"]);
        let given = part(&["given", "firstName"]);
        let family = part(&["family", "lastName"]);
        let before = part(&["non-dropping-particle", "dropping-particle"]);
        tidy(&format!("{whole} {given} {before} {family} {}", part(&["suffix"])))
    });
    names.filter(|name| !name.is_empty()).collect()
}

/// Returns a date as `2021-03-14`, as far as it is known.
fn read_date(issued: &Value) -> String {
    let parts = issued.pointer("/date-parts/0").and_then(Value::as_array);
    let parts = parts.into_iter().flatten().take(3);
    let parts: Vec<String> = parts
        .filter_map(|part| part.as_i64().or_else(|| part.as_str()?.parse().ok()))
        .map(|part| format!("{part:02}"))
        .collect();
    let told = ["raw", "literal"].iter().find_map(|name| issued.get(*name)?.as_str());
    if parts.is_empty() {
        told.or(issued.as_str()).unwrap_or_default().to_owned()
    } else {
        parts.join("-")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // proves: A6
    #[test]
    fn works_are_read_from_csl_and_from_better_bibtex() {
        let csl = r#"[{"id": "smith2021", "type": "article-journal", "title": "Lamps", "author": [{"family": "Smith", "given": "Ann"}, {"literal": "Lights Board"}],
            "issued": {"date-parts": [[2021, 3]]}, "container-title": "J. Lights", "DOI": "https://doi.org/10.1/x", "note": "Read.", "keyword": "lamps, oil",
            "attachments": [{"title": "PDF", "path": "files/1/a.pdf"}, {"path": "https://example.org/a"}]}]"#;
        let works = read(csl).unwrap();
        assert_eq!(works[0].authors, ["Ann Smith", "Lights Board"]);
        assert_eq!(works[0].field("Date"), Some("2021-03"));
        assert_eq!(works[0].files, [("PDF".to_owned(), "files/1/a.pdf".to_owned())]);
        assert_eq!((works[0].doi.as_str(), works[0].key.as_str()), ("10.1/x", "smith2021"));
        assert_eq!(works[0].keywords, ["lamps", "oil"]);
        let better = r#"{"config": {"id": "x"}, "items": [{"itemType": "thesis", "itemKey": "AB", "citationKey": "day1999", "title": "Fog", "creators":
            [{"creatorType": "author", "firstName": "Bo", "lastName": "Day"}], "date": "1999", "tags": [{"tag": "fog"}], "attachments": [{"localPath": "/z/a.pdf", "title": "A"}]}]}"#;
        let works = read(better).unwrap();
        assert_eq!(
            (works[0].key.as_str(), works[0].authors.as_slice()),
            ("day1999", &["Bo Day".to_owned()][..])
        );
        assert_eq!(works[0].files[0].1, "/z/a.pdf");
        for other in [
            "[]",
            "{}",
            "[1]",
            r#"[{"type": "a"}]"#,
            r#"{"type": "FeatureCollection", "features": []}"#,
            "no",
        ] {
            assert_eq!(read(other), None, "{other}");
        }
    }
}
