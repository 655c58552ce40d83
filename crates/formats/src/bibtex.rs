//! BibTeX and BibLaTeX become one section for each work.
//!
//! Each entry is read on its own, so that one that is broken loses no other. `biblatex`, the kept crate, fails the whole file then, and
//! overflows the stack on deep braces or an abbreviation that contains itself.

mod names;
mod scan;
mod tex;

use std::collections::HashMap;

use names::people;
use scan::Scan;
use tex::{plain, verbatim};

use crate::works::{Work, bare_doi, written};
use crate::{Bounds, Fault, Parsed, tidy};

/// The most bytes of what an abbreviation stands for.
const LONGEST_ABBREVIATION: usize = 2_000;
/// The most entries from which one takes fields, and the most fields of each.
const MOST_PARENTS: usize = 32;

/// An entry as it is written, with names in lower case and abbreviations resolved.
struct Entry {
    /// Whether it only holds fields for other entries.
    is_shared: bool,
    kind: String,
    key: String,
    fields: HashMap<String, String>,
}

/// Returns whether the text is BibTeX: its first `@` outside of comments begins an entry with a key or a field.
pub(crate) fn recognize(text: &str) -> bool {
    let text = text.trim_start_matches('\u{feff}');
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let Some(line) = lines.find(|line| !line.starts_with('%')) else { return false };
    let Some((kind, rest)) = opened(line) else { return false };
    let next = lines.next().unwrap_or_default();
    match kind.as_str() {
        "comment" | "preamble" => {
            lines.filter_map(opened).any(|(kind, _)| kind == "article" || kind == "book")
        }
        "string" => rest.contains('='),
        _ => {
            let (key, after) = rest.split_once(',').unwrap_or((rest, ""));
            let is_key = !key.contains(char::is_whitespace);
            is_key
                && rest.contains(',')
                && (after.contains('=') || next.contains('=') || next.starts_with('}'))
        }
    }
}

/// Returns the kind of the entry that a line opens, in lower case, and what follows its brace.
fn opened(line: &str) -> Option<(String, &str)> {
    let rest = line.trim_start().strip_prefix('@')?;
    let letters = rest.bytes().take_while(u8::is_ascii_alphabetic).count();
    let (kind, rest) = rest.split_at(letters);
    let rest = rest.trim_start().strip_prefix(['{', '('])?;
    (!kind.is_empty()).then(|| (kind.to_ascii_lowercase(), rest))
}

/// Returns the works that the file lists, as Markdown.
pub(crate) fn parse(text: &str, bounds: &Bounds) -> Result<Parsed, Fault> {
    let works = read(text, bounds.text_bytes);
    let works = works.ok_or_else(|| Fault::Damaged { format: "BibTeX".to_owned() })?;
    Ok(written(&works, bounds))
}

/// Returns the works that a text lists; `None` if it is no BibTeX. `most`: how many bytes abbreviations may add.
pub(crate) fn read(text: &str, most: u64) -> Option<Vec<Work>> {
    let mut entries = Vec::new();
    let mut abbreviations: HashMap<String, String> = HashMap::new();
    // Bounds what abbreviations may add.
    let mut left = most;
    let text = text.trim_start_matches('\u{feff}');
    let mut is_bibtex = false;
    for written in pieces(text) {
        let Some((kind, body)) = opened(written) else { continue };
        is_bibtex = true;
        let mut scan = Scan { rest: body, abbreviations: &abbreviations, left: &mut left };
        match kind.as_str() {
            "comment" | "preamble" => {}
            "string" => {
                if let Some((name, mut value)) = scan.field() {
                    value.truncate(value.floor_char_boundary(LONGEST_ABBREVIATION));
                    abbreviations.insert(name, value);
                }
            }
            _ => {
                let key = scan.key();
                let mut fields = HashMap::new();
                while let Some((name, value)) = scan.field() {
                    fields.entry(name).or_insert(value);
                }
                if !fields.is_empty() {
                    let is_shared = matches!(kind.as_str(), "xdata" | "set");
                    entries.push(Entry { is_shared, kind, key, fields });
                }
            }
        }
    }
    inherit(&mut entries);
    let works = entries.iter().filter(|entry| !entry.is_shared).map(work).collect();
    is_bibtex.then_some(works)
}

/// Cuts the text before each `@` that opens an entry at the start of a line, or after a brace that ends another one: `}, @book{`.
fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let mut starts = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if opened(line).is_some() || is_opened_below(line, &text[at + line.len()..]) {
            starts.push(at);
        }
        for (inner, _) in line.match_indices('@') {
            let (before, rest) = line.split_at(inner);
            let is_after_entry = before.trim_end_matches([' ', '\t', ',']).ends_with(['}', ')']);
            if is_after_entry && opened(rest).is_some() {
                starts.push(at + inner);
            }
        }
        at += line.len();
    }
    let ends: Vec<usize> = starts.iter().skip(1).copied().chain([text.len()]).collect();
    starts.into_iter().zip(ends).filter_map(|(start, end)| text.get(start..end))
}

/// Returns whether a line is only the kind of an entry, whose brace is in the next line.
fn is_opened_below(line: &str, below: &str) -> bool {
    let kind = line.trim().strip_prefix('@').unwrap_or_default();
    let below = below.split('\n').next().unwrap_or_default();
    !kind.is_empty()
        && kind.bytes().all(|it| it.is_ascii_alphabetic())
        && below.trim_start().starts_with(['{', '('])
}

/// Gives entries the fields of those that their `xdata` and `crossref` name.
fn inherit(entries: &mut [Entry]) {
    let keys: HashMap<String, usize> = entries
        .iter()
        .enumerate()
        .map(|(index, entry)| (entry.key.to_lowercase(), index))
        .collect();
    let shared: Vec<usize> = (0..entries.len()).filter(|index| entries[*index].is_shared).collect();
    // Shared fields may come from entries that share those of others, a few levels deep.
    let twice = shared.iter().chain(&shared).copied().collect::<Vec<_>>();
    for index in twice.into_iter().chain(0..entries.len()) {
        let Some(list) = entries[index].fields.get("xdata").cloned() else { continue };
        for key in list.split(',').take(MOST_PARENTS) {
            let Some(parent) = keys.get(&key.trim().to_lowercase()) else { continue };
            take_fields(entries, index, *parent, None);
        }
    }
    const PARENT: [&str; 8] =
        ["title", "booktitle", "year", "date", "publisher", "editor", "series", "journal"];
    for index in 0..entries.len() {
        let parent = entries[index].fields.get("crossref").map(|key| key.trim().to_lowercase());
        if let Some(parent) = parent.and_then(|key| keys.get(&key)) {
            take_fields(entries, index, *parent, Some(&PARENT));
        }
    }
}

/// Gives an entry the fields that it lacks and another has; the title of a parent is that of the book.
fn take_fields(entries: &mut [Entry], index: usize, parent: usize, names: Option<&[&str]>) {
    let mut taken: Vec<(String, String)> = entries[parent]
        .fields
        .iter()
        .filter(|(name, _)| names.is_none_or(|names| names.contains(&name.as_str())))
        .filter(|(name, value)| *name != "xdata" && value.len() <= LONGEST_ABBREVIATION)
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect();
    // In a fixed order, in which the title of the book comes before the title.
    taken.sort_unstable();
    taken.truncate(MOST_PARENTS);
    for (name, value) in taken {
        let name = if names.is_some() && name == "title" { "booktitle".to_owned() } else { name };
        entries[index].fields.entry(name).or_insert(value);
    }
}

fn work(entry: &Entry) -> Work {
    let raw = |name: &str| entry.fields.get(name).map_or("", String::as_str);
    let said = |name: &str| tidy(&plain(raw(name)));
    let first = |names: &[&str]| {
        names.iter().map(|name| said(name)).find(|value| !value.is_empty()).unwrap_or_default()
    };
    let (kind, key) = (entry.kind.clone(), entry.key.clone());
    let (title, authors) = (said("title"), people(raw("author")));
    let mut work = Work { kind, key, title, authors, ..Work::default() };
    let subtitle = said("subtitle");
    if !subtitle.is_empty() {
        work.title = format!("{}: {subtitle}", work.title);
    }
    if work.title.is_empty() {
        work.title = first(&["booktitle", "shorttitle", "howpublished", "key"]);
    }
    for (label, name) in [("Editors", "editor"), ("Translators", "translator")] {
        work.add(label, &people(raw(name)).join(", "));
    }
    let (date, month) = (first(&["date", "year"]), said("month"));
    let is_whole = month.is_empty() || !raw("date").is_empty();
    work.add("Date", &if is_whole { date } else { format!("{month} {date}") });
    for name in ["journal", "journaltitle", "booktitle", "maintitle", "eventtitle"] {
        if said(name) != work.title {
            work.add("In", &said(name));
        }
    }
    for (label, name) in [
        ("Series", "series"),
        ("Volume", "volume"),
        ("Issue", "number"),
        ("Issue", "issue"),
        ("Chapter", "chapter"),
        ("Pages", "pages"),
        ("Edition", "edition"),
        ("Type", "type"),
        ("Publisher", "publisher"),
        ("Institution", "institution"),
        ("School", "school"),
        ("Organization", "organization"),
        ("Place", "address"),
        ("Place", "location"),
        ("Published as", "howpublished"),
        ("ISBN", "isbn"),
        ("ISSN", "issn"),
        ("Language", "language"),
    ] {
        work.add(label, &said(name));
    }
    let archive = first(&["archiveprefix", "eprinttype"]);
    let eprint = verbatim(raw("eprint"));
    let is_arxiv = archive.eq_ignore_ascii_case("arxiv") && !eprint.contains(char::is_whitespace);
    if is_arxiv && !eprint.is_empty() {
        work.add("Preprint", &format!("[arXiv:{eprint}](https://arxiv.org/abs/{eprint})"));
    } else if !eprint.is_empty() {
        work.add("Preprint", &format!("{archive} {eprint}"));
    }
    work.add("PubMed", &said("pmid"));
    work.add("Address", &verbatim(raw("url")));
    work.add("Key", &entry.key);
    work.doi = bare_doi(&verbatim(raw("doi"))).to_owned();
    let keywords = first(&["keywords", "keyword"]);
    work.keywords = keywords.split([',', ';']).map(tidy).filter(|it| !it.is_empty()).collect();
    work.summary = said("abstract");
    for name in ["note", "annote", "annotation", "addendum"] {
        work.paragraphs.push(said(name));
    }
    for file in listed(raw("file"), ';') {
        let (title, path) = read_file(file);
        work.add_file(&title, &path);
    }
    work
}

/// Cuts a list at the marks that are not escaped.
fn listed(list: &str, mark: char) -> Vec<&str> {
    let (mut parts, mut start, mut escaped) = (Vec::new(), 0, false);
    for (at, c) in list.char_indices() {
        if c == mark && !escaped {
            parts.push(&list[start..at]);
            start = at + 1;
        }
        escaped = c == '\\' && !escaped;
    }
    parts.push(&list[start..]);
    parts
}

/// Reads a file as reference managers write it, `title:path:type`, or only its path.
fn read_file(file: &str) -> (String, String) {
    let parts = listed(file, ':');
    let (title, path) = match parts.as_slice() {
        [] => return (String::new(), String::new()),
        [path] => ("", (*path).to_owned()),
        // A drive is no title.
        [drive, path] if drive.trim().len() == 1 => ("", format!("{drive}:{path}")),
        [title, path] => (*title, (*path).to_owned()),
        [title, path @ .., _] => (*title, path.join(":")),
    };
    let plain = |text: &str| {
        let (mut out, mut escaped) = (String::new(), false);
        for c in text.chars() {
            if c == '\\' && !escaped {
                escaped = true;
                continue;
            }
            // A backslash before a letter parts folders.
            if escaped && c.is_alphanumeric() {
                out.push('\\');
            }
            out.push(c);
            escaped = false;
        }
        out
    };
    (plain(title), plain(&path))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    // proves: A6
    #[test]
    fn each_work_is_a_section_and_a_broken_entry_loses_no_other() {
        let text = r#"% a comment
@string{jt = "J. of Tea"}
@preamble{"\def\x{y}"}
@comment{@article{hidden, title={Hidden}}}
@Article{lee2001,
  author = {Lee, Ann and {\"O}z, B. and {World Tea and Health Org} and others},
  title = {{Tea} and the {S}leep of {G}{\"o}del},
  journal = jt # ", " # {Part A},
  year = 2001, month = may, pages = {1--9},
  doi = {https://doi.org/10.1/x\_y},
  keywords = {tea; sleep},
  abstract = {We drank.
    We slept 5\% more.},
  file = {:home/me/x.pdf:PDF},
}
@book{broken, title = {Never closed
@inproceedings{bo, title = "A ""quoted"" word", crossref = {proc} }
@proceedings{proc, title = {Tea 99}, booktitle = {Proc. of Tea}, year = 1999, xdata = {house}}
@xdata{house, publisher = {Tea House}}
"#;
        assert!(recognize(text));
        let parsed = parse(text, &Bounds::default()).unwrap();
        assert_eq!(parsed.metadata["works"], "4");
        assert!(
            parsed.text.starts_with(
                "## Tea and the Sleep of Gödel\n\n- Authors: Ann Lee, B. Öz, World Tea and Health Org, et al.\n- Date: May 2001\n- In: J. of Tea, Part A\n- Pages: 1–9\n- Key: lee2001\n- DOI: [10.1/x_y](https://doi.org/10.1/x_y)\n- Keywords: tea, sleep\n\nWe drank. We slept 5% more.\n\n## Never closed\n"
            ),
            "{}",
            parsed.text
        );
        assert!(parsed.text.contains("- In: Proc. of Tea\n"), "{}", parsed.text);
        assert_eq!(parsed.text.matches("- Publisher: Tea House\n").count(), 2, "{}", parsed.text);
        assert!(!parsed.text.contains("Hidden") && !parsed.text.contains("home"));
    }

    // proves: A6
    #[test]
    fn only_bibliographies_are_recognized() {
        assert!(recognize("@book{a,\n title={B}\n}"));
        assert!(recognize("\u{feff}% Encoding: UTF-8\n\n@misc{a:b, title = {T}}"));
        assert!(!recognize("@media (max-width: 3em) { a { b: c } }"));
        assert!(!recognize("# Notes\n\n@article{a, title={B}}"));
        assert!(!recognize("@dataclass(frozen=True)\nclass A:"));
        assert!(!recognize("@everyone {hello, all}\nmore"));
    }

    // proves: A6
    #[test]
    fn entries_on_one_line_are_all_read() {
        let text = "@misc{a,\n title = {Tea},\n}, @misc{b,\n title = {Fog} }@misc{c, title = {Ice}} , @misc{d, title = {Sea, i@sea.org}}\n";
        let titles: Vec<String> =
            read(text, 1000).unwrap().into_iter().map(|work| work.title).collect();
        assert_eq!(titles, ["Tea", "Fog", "Ice", "Sea, i@sea.org"]);
    }

    // proves: A6
    #[test]
    fn abbreviations_and_braces_cannot_explode() {
        let mut text = "@string{a = \"aaaaaaaaaaaaaaaa\"}\n".to_owned();
        for _ in 0..100 {
            text.push_str("@string{a = a # a # a # a}\n");
        }
        text.push_str("@misc{x, title = a # a}\n@misc{y, title = {");
        text.push_str(&"{".repeat(200_000));
        let bounds = Bounds { text_bytes: 300_000, ..Bounds::default() };
        assert!(parse(&text, &bounds).unwrap().text.len() < 400_000);
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        // proves: A6
        #[test]
        fn any_text_is_read_or_refused(text in "(@article|@string|\\{|\\}|,|=|\"|#|\\\\|title|author| and |\n|é|[\\\\a-z'\"^]{1,3}|(?s).){0,60}") {
            let _ = recognize(&text);
            let _ = parse(&text, &Bounds::default());
        }
    }
}
