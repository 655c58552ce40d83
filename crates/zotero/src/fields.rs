//! The fields of an item as a work.

use std::collections::HashMap;

use papers::{Author, Date, Ids, Kind, Paper};

/// Somebody who had a part in a work.
#[derive(Debug, Clone)]
pub(crate) struct Creator {
    pub(crate) role: String,
    /// Empty for a name that is not split.
    pub(crate) given: String,
    pub(crate) family: String,
}

/// An item as a work.
pub(crate) struct Described {
    pub(crate) paper: Paper,
    pub(crate) citation_key: Option<String>,
    pub(crate) details: Vec<(String, String)>,
}

/// The roles of those whose work it is, other than authors.
const MAKERS: [&str; 11] = [
    "artist",
    "cartographer",
    "composer",
    "director",
    "inventor",
    "interviewee",
    "performer",
    "podcaster",
    "presenter",
    "programmer",
    "sponsor",
];
const TITLES: [&str; 4] = ["title", "caseName", "subject", "nameOfAct"];
const VENUES: [&str; 10] = [
    "publicationTitle",
    "bookTitle",
    "proceedingsTitle",
    "encyclopediaTitle",
    "dictionaryTitle",
    "websiteTitle",
    "blogTitle",
    "forumTitle",
    "programTitle",
    "conferenceName",
];
const PUBLISHERS: [&str; 9] = [
    "publisher",
    "university",
    "institution",
    "company",
    "studio",
    "network",
    "label",
    "distributor",
    "repository",
];
/// Fields that a reader may ask for, and how they are called.
const DETAILS: [(&str, &str); 19] = [
    ("shortTitle", "Short title"),
    ("thesisType", "Type"),
    ("reportType", "Type"),
    ("manuscriptType", "Type"),
    ("presentationType", "Type"),
    ("letterType", "Type"),
    ("genre", "Type"),
    ("type", "Type"),
    ("reportNumber", "Number"),
    ("number", "Number"),
    ("patentNumber", "Patent number"),
    ("billNumber", "Bill number"),
    ("publicLawNumber", "Public law number"),
    ("docketNumber", "Docket number"),
    ("court", "Court"),
    ("meetingName", "Meeting"),
    ("section", "Section"),
    ("numPages", "Number of pages"),
    ("versionNumber", "Version"),
];

/// Describes an item of this type by its fields and creators.
pub(crate) fn describe(
    kind: &str,
    fields: &HashMap<String, String>,
    creators: Vec<Creator>,
) -> Described {
    let said = |name: &str| {
        let value = fields.get(name).map(|value| value.trim());
        value.filter(|value| !value.is_empty()).map(str::to_owned)
    };
    let first = |names: &[&str]| names.iter().find_map(|name| said(name));
    let extra = said("extra").unwrap_or_default();
    let (known, rest) = read_extra(&extra);
    let mentioned = |name: &str| known.get(name).cloned();
    let doi = said("DOI").or_else(|| mentioned("doi"));
    let url = said("url");
    let arxiv = [&doi, &url, &said("archiveID"), &mentioned("arxiv")]
        .into_iter()
        .flatten()
        .find_map(|text| papers::arxiv_id(text));
    let (authors, editors, others) = sort(creators);
    let mut details: Vec<(String, String)> = others;
    for (name, label) in DETAILS {
        details.extend(said(name).map(|value| (label.to_owned(), value)));
    }
    details.extend((!rest.is_empty()).then(|| ("Extra".to_owned(), rest)));
    let date = first(&["date", "dateDecided", "dateEnacted", "issueDate"]);
    let list = |value: Option<String>| value.into_iter().collect::<Vec<_>>();
    let paper = Paper {
        kind: kind_of(kind),
        title: plain(&first(&TITLES).unwrap_or_default()),
        authors,
        editors,
        published: date.as_deref().and_then(read_date),
        venue: first(&VENUES).map(|venue| plain(&venue)),
        venue_short: said("journalAbbreviation"),
        series: first(&["series", "seriesTitle"]),
        volume: first(&["volume", "reporterVolume", "codeVolume"]),
        issue: said("issue"),
        pages: first(&["pages", "codePages", "firstPage"]),
        edition: said("edition"),
        publisher: first(&PUBLISHERS),
        publisher_place: said("place"),
        summary: said("abstractNote").map(|summary| plain(&summary)),
        ids: Ids {
            doi: doi.as_deref().and_then(papers::doi),
            arxiv: arxiv.as_ref().map(|(id, _)| id.clone()),
            arxiv_version: arxiv.and_then(|(_, version)| version),
            pubmed: mentioned("pmid"),
            pubmed_central: mentioned("pmcid"),
            issn: list(said("ISSN")),
            isbn: list(said("ISBN")),
            ..Ids::default()
        },
        url,
        language: said("language"),
        ..Paper::default()
    };
    let citation_key = said("citationKey").or_else(|| mentioned("citation key"));
    Described { paper, citation_key, details }
}

/// Returns authors and editors, and the others with their roles.
fn sort(creators: Vec<Creator>) -> (Vec<Author>, Vec<Author>, Vec<(String, String)>) {
    let (mut authors, mut editors, mut others) = (Vec::new(), Vec::new(), Vec::new());
    let has_author = creators.iter().any(|creator| creator.role == "author");
    for Creator { role, given, family } in creators {
        let author = match (given.trim(), family.trim()) {
            ("", "") => continue,
            ("", name) | (name, "") => Author::Named { name: name.to_owned() },
            (given, family) => {
                Author::Person { family: family.to_owned(), given: given.to_owned() }
            }
        };
        match role.as_str() {
            "author" => authors.push(author),
            "editor" => editors.push(author),
            role if !has_author && MAKERS.contains(&role) => authors.push(author),
            role => others.push((words_of(role), author.to_string())),
        }
    }
    (authors, editors, others)
}

/// Returns `seriesEditor` as `Series editor`.
fn words_of(role: &str) -> String {
    let mut words = String::new();
    for letter in role.chars() {
        match letter {
            _ if words.is_empty() => words.extend(letter.to_uppercase()),
            letter if letter.is_uppercase() => {
                words.push(' ');
                words.extend(letter.to_lowercase());
            }
            letter => words.push(letter),
        }
    }
    words
}

/// Returns the `Key: value` lines of the field that takes everything else, keys in lower case, and what is left of it.
fn read_extra(extra: &str) -> (HashMap<String, String>, String) {
    const KNOWN: [&str; 5] = ["doi", "citation key", "pmid", "pmcid", "arxiv"];
    let (mut known, mut rest) = (HashMap::new(), Vec::new());
    for line in extra.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let pair = line.split_once(':').map(|(key, value)| (key.trim().to_lowercase(), value));
        match pair.filter(|(key, _)| KNOWN.contains(&key.as_str())) {
            Some((key, value)) => {
                known.entry(key).or_insert_with(|| value.trim().to_owned());
            }
            None => rest.push(line),
        }
    }
    (known, rest.join("; "))
}

/// Reads a date as Zotero keeps it: `2021-03-00 March 2021`, in which zeros stand for what is not known, or whatever was typed.
fn read_date(text: &str) -> Option<Date> {
    let known = text.split(' ').next().and_then(Date::read);
    known.or_else(|| {
        let mut runs = text.split(|c: char| !c.is_ascii_digit());
        let year = runs.find(|run| run.len() == 4)?;
        Date::of_parts(&[year.parse().ok()?])
    })
}

/// Returns a title without the tags by which Zotero sets words in italics and the like.
pub(crate) fn plain(text: &str) -> String {
    const TAGS: [&str; 5] = ["i", "b", "sub", "sup", "span"];
    const LONGEST_TAG: usize = 100;
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('<') {
        out.push_str(before);
        let near = &after[..after.floor_char_boundary(LONGEST_TAG)];
        let tag = near.split_once('>').map(|(tag, _)| tag);
        let is_known = |tag: &&str| {
            let name = tag.trim_start_matches('/').split(' ').next().unwrap_or_default();
            TAGS.contains(&name)
        };
        rest = match tag.filter(is_known) {
            Some(tag) => &after[tag.len() + 1..],
            None => {
                out.push('<');
                after
            }
        };
    }
    out.push_str(rest);
    out.trim().to_owned()
}

fn kind_of(kind: &str) -> Kind {
    match kind {
        "journalArticle" => Kind::Article,
        "preprint" => Kind::Preprint,
        "conferencePaper" => Kind::ProceedingsArticle,
        "book" => Kind::Book,
        "bookSection" | "encyclopediaArticle" | "dictionaryEntry" => Kind::Chapter,
        "thesis" => Kind::Thesis,
        "report" => Kind::Report,
        "dataset" => Kind::Dataset,
        "computerProgram" => Kind::Software,
        "magazineArticle" | "newspaperArticle" => Kind::NewsArticle,
        "webpage" | "blogPost" | "forumPost" => Kind::WebPage,
        _ => Kind::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // proves: A6
    #[test]
    fn dates_are_read_as_zotero_keeps_them() {
        for (kept, read) in [
            ("2021-03-00 March 2021", Some("2021-03")),
            ("2021-03-14 14 March 2021", Some("2021-03-14")),
            ("2021-00-00 2021", Some("2021")),
            ("c. 1853, winter", Some("1853")),
            ("forthcoming", None),
        ] {
            assert_eq!(read_date(kept).map(|date| date.to_string()).as_deref(), read, "{kept}");
        }
    }

    // proves: A6
    #[test]
    fn the_field_for_everything_else_tells_what_has_no_field() {
        let extra = "Citation Key: smith2021\nDOI: 10.1/x\nRead twice\nPMID:7";
        let (known, rest) = read_extra(extra);
        assert_eq!((known["citation key"].as_str(), known["pmid"].as_str()), ("smith2021", "7"));
        assert_eq!(rest, "Read twice");
        assert_eq!(
            plain("On <i>E. coli</i> at 3 < 4 and <sub>2</sub>"),
            "On E. coli at 3 < 4 and 2"
        );
        assert_eq!(words_of("seriesEditor"), "Series editor");
    }
}
