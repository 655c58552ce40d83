use std::collections::BTreeMap;

use biblatex::ChunksExt;

use super::*;

/// What RIS readers do: lines of a tag and a value, a record from TY to ER.
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
        for entry in &read.entries {
            let names = entry.v.fields.iter().map(|field| field.key.v).collect::<Vec<_>>();
            prop_assert!(names.iter().all(|name| name.bytes().all(|b| b.is_ascii_lowercase())), "{}", text);
        }
        let read = biblatex::Bibliography::parse(&text).unwrap();
        for (entry, paper) in read.iter().zip(&papers) {
            let title = entry.title().map(|title| title.format_verbatim()).unwrap_or_default();
            prop_assert_eq!(title, normalise::plain(&paper.title), "{}", text);
            let names = entry.author().unwrap_or_default();
            prop_assert!(names.len() <= paper.authors.len(), "{}", text);
        }
    }
}
