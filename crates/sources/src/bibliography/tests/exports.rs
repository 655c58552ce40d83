use std::collections::BTreeMap;

use biblatex::ChunksExt;

use super::*;

/// Reads RIS as its readers do: lines of a tag and a value, a record from TY to ER.
fn read_ris(text: &str) -> Vec<BTreeMap<String, Vec<String>>> {
    let mut records = Vec::new();
    let mut record: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for line in text.split("\r\n").filter(|line| !line.is_empty()) {
        let (tag, value) = line.split_once("  - ").unwrap_or_else(|| panic!("no tag: {line:?}"));
        assert!(
            tag.len() == 2 && tag.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit())
        );
        assert!(!value.contains(char::is_control), "{line:?}");
        assert_eq!(tag == "TY", record.is_empty(), "{line:?}");
        if tag == "ER" {
            records.push(std::mem::take(&mut record));
        } else {
            record.entry(tag.to_owned()).or_default().push(value.to_owned());
        }
    }
    assert!(record.is_empty());
    records
}

/// Reads BibTeX as BibTeX does: it counts braces even after a backslash, and takes an at sign outside them for another entry. Returns the
/// fields of each entry.
fn read_bibtex(text: &str) -> Vec<BTreeMap<String, String>> {
    fn split_value(text: &str) -> (&str, &str) {
        let mut depth = 0;
        for (at, c) in text.char_indices() {
            depth += i32::from(c == '{') - i32::from(c == '}');
            if depth == 0 {
                return (&text[1..at], &text[at + 1..]);
            }
        }
        panic!("never closed: {text:?}")
    }
    let mut entries = Vec::new();
    let mut rest = text;
    while let Some((between, entry)) = rest.split_once('@') {
        assert!(between.trim().is_empty(), "{between:?}");
        let (_, entry) = entry.split_once('{').unwrap();
        let (key, mut fields) = entry.split_at(entry.find([',', '}']).unwrap());
        assert!(key.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-'), "{key:?}");
        let mut read = BTreeMap::new();
        while let Some(field) = fields.strip_prefix(',') {
            let (name, written) = field.split_once(" = ").unwrap();
            assert!(written.starts_with('{'), "{written:?}");
            let (value, after) = split_value(written);
            assert_eq!(read.insert(name.trim().to_owned(), value.to_owned()), None, "{name}");
            fields = after;
        }
        rest = fields.strip_prefix("\n}").unwrap_or_else(|| panic!("no end: {fields:?}"));
        entries.push(read);
    }
    assert!(rest.trim().is_empty(), "{rest:?}");
    entries
}

// proves: D3
#[test]
fn no_text_breaks_out_of_its_value() {
    for (title, written) in [
        ("x}} @article(evil, title=\"Forged\")", "{x @article(evil, title=\"Forged\")}"),
        ("x { y", "{x y}"),
        ("}{", "{}"),
        ("a } {b} { {c", "{a \\{b\\} c}"),
        ("\\} \\{ {d\\}", "{\\textbackslash{} \\textbackslash{} \\{d\\textbackslash{}\\}}"),
        ("-}-", "{-{}-}"),
        ("the {E. coli} set {a, {b}}", "{the \\{E. coli\\} set \\{a, \\{b\\}\\}}"),
    ] {
        let mut paper = article(title, vec![person("O{and, x", "A } and B"), group("T } { U")]);
        paper.venue = some("Journal {");
        paper.pages = some("1}-{2");
        let entries = read_bibtex(&bibtex(&[paper.clone(), paper]));
        assert_eq!(entries.len(), 2);
        let entry = &entries[0];
        assert_eq!(entry.get("title").map_or("{}", String::as_str), written, "{title}");
        assert_eq!(entry["author"], "{Oand,} x, A {and} B and {T U}");
        assert_eq!((entry["journal"].as_str(), entry["pages"].as_str()), ("Journal", "1--2"));
        assert_eq!(entry["year"], "2020");
    }
}

// proves: D3
#[test]
fn all_exports_and_the_reference_say_the_same_of_a_preprint_that_was_printed() {
    let mut paper = preprint();
    paper.ids.doi = some("10.1000/printed");
    paper.ids.issn = vec!["0000-0019".into()];
    paper.url = some("https://doi.org/10.1000/printed");
    (paper.venue, paper.publisher) = (some("Journal of Things"), some("Thing Press"));
    (paper.volume, paper.pages) = (some("4"), some("10-19"));
    let papers = [paper];
    let (doi, url) = ("10.48550/arXiv.1706.03762", "https://arxiv.org/abs/1706.03762");

    assert!(apa(&papers[0]).ends_with(&format!(" arXiv. https://doi.org/{doi}")));
    let item: Item = serde_json::from_value(
        serde_json::from_str::<serde_json::Value>(&csl_json(&papers)).unwrap()[0].clone(),
    )
    .unwrap();
    assert_eq!((item.doi.as_deref(), item.url.as_deref()), (Some(doi), Some(url)));
    assert_eq!(item.publisher.as_deref(), Some("arXiv"));
    let entry = read_bibtex(&bibtex(&papers)).remove(0);
    assert_eq!((entry["doi"].as_str(), entry["url"].as_str()), (doi, url));
    assert_eq!((entry["publisher"].as_str(), entry["eprint"].as_str()), ("arXiv", "1706.03762"));
    let record = read_ris(&ris(&papers)).remove(0);
    assert_eq!((record["DO"].join("|"), record["UR"].join("|")), (doi.into(), url.into()));
    assert_eq!((record["PB"].join("|"), record["TY"].join("|")), ("arXiv".into(), "UNPB".into()));
    // No data of the printing appears with arXiv's DOI.
    for text in [apa(&papers[0]), csl_json(&papers), bibtex(&papers), ris(&papers)] {
        for printed in ["10.1000", "Thing", "0000-0019", "10-", "10–"] {
            assert!(!text.contains(printed), "{printed} in {text}");
        }
    }
}

// proves: D3
#[test]
fn a_page_without_authors_is_its_sites_in_every_export() {
    let page = Paper {
        kind: Kind::WebPage,
        title: "Tea and sleep".into(),
        venue: some("National Tea Board"),
        url: some("https://tea.example/sleep"),
        ..Paper::default()
    };
    let entry = read_bibtex(&bibtex(std::slice::from_ref(&page))).remove(0);
    assert_eq!(entry["author"], "{National Tea Board}");
    assert_eq!(entry.get("howpublished"), None);
    let record = read_ris(&ris(&[page])).remove(0);
    assert_eq!((record["AU"].join("|"), record.get("T2")), ("National Tea Board".into(), None));
}

#[test]
fn exports_are_read_back_as_they_were_written() {
    let mut paper = article(
        "Costs of 5% & {more}: C#_x ~ a^b \\ $",
        vec![person("Müller", "Jörg"), group("Tea and Sleep, Inc.")],
    );
    paper.ids = doi("10.1000/a_b");
    paper.url = some("https://x.example/a_b?c=%20&d={e}");
    paper.summary = some("One.\n\nTwo.");
    let papers = [paper, preprint(), preprint()];

    let text = bibtex(&papers);
    assert!(
        text.starts_with(
            "@article{muller2020costs,\n  title = {{Costs of 5\\% \\& \\{more\\}: C\\#\\_x "
        ),
        "{text}"
    );
    assert!(text.contains("  author = {Müller, Jörg and {Tea and Sleep, Inc.}},"), "{text}");
    assert!(text.contains("  pages = {10--19},"), "{text}");
    assert!(text.contains("  eprint = {1706.03762},\n  archiveprefix = {arXiv},"), "{text}");
    let read = biblatex::Bibliography::parse(&text).unwrap();
    let keys: Vec<&str> = read.iter().map(|entry| entry.key.as_str()).collect();
    assert_eq!(keys, ["muller2020costs", "vaswani2017attention", "vaswani2017attention-2"]);
    let entry = read.get("muller2020costs").unwrap();
    let authors = entry.author().unwrap();
    assert_eq!((authors[0].name.as_str(), authors[0].given_name.as_str()), ("Müller", "Jörg"));
    assert_eq!((authors[1].name.as_str(), authors.len()), ("Tea and Sleep, Inc.", 2));
    assert_eq!(entry.doi().unwrap(), "10.1000/a_b");

    let items: Vec<Item> = serde_json::from_str(&csl_json(&papers)).unwrap();
    assert_eq!(items[0], Item::of(&papers[0], "muller2020costs"));
    assert_eq!(items[2], Item::of(&papers[2], "vaswani2017attention-2"));

    let records = read_ris(&ris(&papers));
    assert_eq!(records.len(), 3);
    let value = |tag: &str| records[0][tag].join("|");
    assert_eq!(value("TY"), "JOUR");
    assert_eq!(value("TI"), papers[0].title);
    assert_eq!(value("AU"), "Müller, Jörg|Tea and Sleep, Inc.");
    assert_eq!(
        (value("SP"), value("EP"), value("AB")),
        ("10".into(), "19".into(), "One. Two.".into())
    );
    assert_eq!(records[1]["M1"], ["arXiv:1706.03762"]);
    assert_eq!(records[1]["DA"], ["2017/06/12/"]);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn whatever_sources_deposit_exports_keep_their_form(papers in prop::collection::vec(any_paper(), 1..4)) {
        let items: Vec<Item> = serde_json::from_str(&csl_json(&papers)).unwrap();
        prop_assert_eq!(items.len(), papers.len());
        prop_assert_eq!(read_ris(&ris(&papers)).len(), papers.len());
        let text = bibtex(&papers);
        let read = biblatex::RawBibliography::parse(&text).unwrap();
        prop_assert_eq!(read.entries.len(), papers.len(), "{}", text);
        let counted = read_bibtex(&text);
        prop_assert_eq!(counted.len(), papers.len(), "{}", text);
        for (entry, counted) in read.entries.iter().zip(&counted) {
            let mut names = entry.v.fields.iter().map(|field| field.key.v).collect::<Vec<_>>();
            prop_assert!(names.iter().all(|name| name.bytes().all(|b| b.is_ascii_lowercase())), "{}", text);
            names.sort_unstable();
            let found: Vec<&str> = counted.keys().map(String::as_str).collect();
            prop_assert_eq!(names, found, "{}", text);
        }
        let read = biblatex::Bibliography::parse(&text).unwrap();
        for (entry, paper) in read.iter().zip(&papers) {
            let title = entry.title().map(|title| title.format_verbatim()).unwrap_or_default();
            let bare = |text: &str| normalise::plain(&text.replace(['{', '}'], ""));
            prop_assert_eq!(bare(&title), bare(&paper.title), "{}", text);
            if !paper.title.contains(['{', '}']) {
                prop_assert_eq!(title, normalise::plain(&paper.title), "{}", text);
            }
            let names = entry.author().unwrap_or_default();
            // A page without authors has its site as the author.
            prop_assert!(names.len() <= paper.authors.len().max(1), "{}", text);
        }
    }
}
