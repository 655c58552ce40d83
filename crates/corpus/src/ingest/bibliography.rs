//! Bibliographies that a reference manager exported together with its files.
//!
//! A bibliography of works alone is one document with a section for each. If files of the works lie beside it, each work is a document of
//! its own, and its files are titled and cited as the work is.

use std::collections::{HashMap, HashSet};
use std::path::{Component, Path, PathBuf};

use formats::Work;
use papers::{AttachedFile, Author, Date, Ids, Kind, Paper, Reference};
use percent_encoding::percent_decode_str;
use run::error::PortError;

use super::Report;
use super::catalogue::{Expected, attached, describe, part, written};
use super::filing::Source;
use super::stages::{self, CollectionWriter};
use crate::{Format, Found, Limits, load};

/// The most bytes of JSON that was named: reading it takes many times its size in memory.
const LARGEST_JSON: usize = 32 << 20;
/// The most bytes of JSON that was found in a folder.
const LARGEST_FOUND_JSON: usize = 4 << 20;

/// Returns whether a file with this name may be a bibliography.
pub(super) fn may_be_one(name: &str) -> bool {
    format_of(name).is_some()
}

fn format_of(name: &str) -> Option<Format> {
    let (_, ending) = name.rsplit_once('.')?;
    let format = Format::by_extension(ending)?;
    matches!(format, Format::Bibtex | Format::Ris | Format::Json).then_some(format)
}

/// Returns what documents are made of: files as they are, and bibliographies with files as their works.
///
/// `named`: what was asked for. A bibliography that was itself named may have its files anywhere, outside of hidden folders; one that was
/// found in a folder only in that folder, as links may.
pub(super) async fn expand(
    files: &[Found],
    named: &[PathBuf],
    limits: &Limits,
    writer: &CollectionWriter<'_>,
    report: &mut Report,
) -> Result<(Vec<Source>, Expected), PortError> {
    let mut expected = Expected::default();
    let places: HashMap<PathBuf, usize> =
        files.iter().enumerate().map(|(index, file)| (file.path.clone(), index)).collect();
    let is_named: HashSet<PathBuf> =
        named.iter().filter_map(|path| std::fs::canonicalize(path).ok()).collect();
    let mut sources: Vec<Option<Source>> =
        files.iter().map(|file| Some(Source::file(file.clone()))).collect();
    let mut more = Vec::new();
    for (index, file) in files.iter().enumerate() {
        let Some(format) = format_of(&file.name) else { continue };
        let bibliography =
            Bibliography { file, is_named: is_named.contains(&file.path), places: &places };
        let largest_json = if bibliography.is_named { LARGEST_JSON } else { LARGEST_FOUND_JSON };
        let (path, limits) = (file.path.clone(), limits.clone());
        let reading = stages::reading(move || {
            let bytes = load(&path, &limits)?;
            let is_export = names_files(format, &bytes);
            if is_export && format == Format::Json && bytes.len() > largest_json {
                return Ok(Err(bytes.len()));
            }
            let works = is_export.then(|| formats::read_works(format, &bytes)).flatten();
            Ok(Ok(works.unwrap_or_default()))
        });
        let works = match reading.await {
            Ok(Ok(works)) if works.iter().any(|work| !work.files.is_empty()) => works,
            Ok(Err(size)) => {
                let advice = if bibliography.is_named { "split it" } else { "name it itself" };
                let reason = format!(
                    "the files that it may name are not read, because it has {size} bytes and at most {largest_json} are searched; {advice} to read them"
                );
                report.incomplete.push(super::Problem { path: file.name.clone(), reason });
                continue;
            }
            // What is wrong with it is told when it is read as a file.
            _ => continue,
        };
        let found: Vec<Vec<AttachedFile>> =
            works.iter().map(|work| bibliography.find(work)).collect();
        let is_there = |file: &AttachedFile| file.problem.is_none() && file.path.is_file();
        let references = read_references(&works);
        // The disk of its files may be away: what was made of it before stays.
        if !found.iter().flatten().any(is_there) && !was_read(file, &references, writer).await? {
            if bibliography.is_named {
                let count = found.iter().map(Vec::len).sum::<usize>();
                let reason = format!(
                    "none of the {count} files that it names can be read; export it with its files, and keep them beside it"
                );
                report.incomplete.push(super::Problem { path: file.name.clone(), reason });
            }
            continue;
        }
        sources[index] = None;
        expected.opened.insert(file.name.clone());
        for (reference, found) in references.into_iter().zip(found) {
            let metadata = describe(&reference);
            let called = name_of_work(file, &reference);
            expected.there.insert(called.clone());
            more.extend(written(&reference, &called, &metadata));
            for found in found {
                let known = places.get(&found.path);
                let name = match known {
                    Some(place) => files[*place].name.clone(),
                    None => {
                        let name = found.path.file_name().map(|name| part(&name.to_string_lossy()));
                        let name = name.unwrap_or_default();
                        format!("{}/{}/{name}", file.name, part(&reference.key))
                    }
                };
                let at = Found { path: found.path.clone(), name };
                let source = attached(&reference, &found, at, &metadata, &mut expected, report);
                match known {
                    // A file of several works is cited as the first.
                    Some(place)
                        if sources[*place].as_ref().is_some_and(|it| it.about.is_none()) =>
                    {
                        sources[*place] = source;
                    }
                    Some(_) => {}
                    None => more.extend(source),
                }
            }
        }
    }
    let mut names = HashSet::new();
    let mut all: Vec<Source> = sources.into_iter().flatten().chain(more).collect();
    all.retain(|source| names.insert(source.found.name.clone()));
    Ok((all, expected))
}

/// Returns the works as references, each with a key of its own.
fn read_references(works: &[Work]) -> Vec<Reference> {
    let mut keys = HashSet::new();
    let read = works.iter().enumerate().map(|(number, work)| {
        let mut reference = read_reference(work);
        if reference.key.is_empty() || !keys.insert(reference.key.clone()) {
            reference.key = format!("{}{}", reference.key, number + 1);
        }
        reference
    });
    read.collect()
}

/// Returns the path of the document about a work.
fn name_of_work(bibliography: &Found, reference: &Reference) -> String {
    format!("{}/{}.md", bibliography.name, part(&reference.key))
}

/// Returns whether documents were made of the works before.
async fn was_read(
    bibliography: &Found,
    references: &[Reference],
    writer: &CollectionWriter<'_>,
) -> Result<bool, PortError> {
    let paths: Vec<String> = references.iter().map(|one| name_of_work(bibliography, one)).collect();
    for paths in paths.chunks(super::LOT) {
        if !writer.standing(paths).await?.is_empty() {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Returns whether a file has what a bibliography that names files has. Most JSON is none.
fn names_files(format: Format, bytes: &[u8]) -> bool {
    let has = |name: &str| memchr::memmem::find(bytes, name.as_bytes()).is_some();
    match format {
        Format::Json => {
            let is_of_works =
                has("\"itemType\"") || has("\"type\"") && (has("\"DOI\"") || has("\"title\""));
            is_of_works && (has("\"attachments\"") || has("\"file\""))
        }
        _ => true,
    }
}

/// A bibliography whose works have files.
struct Bibliography<'a> {
    file: &'a Found,
    is_named: bool,
    /// The files that are read with it.
    places: &'a HashMap<PathBuf, usize>,
}

impl Bibliography<'_> {
    /// Returns the files of a work.
    fn find(&self, work: &Work) -> Vec<AttachedFile> {
        let folder = self.file.path.parent().unwrap_or(Path::new("."));
        let found = work.files.iter().map(|(title, path)| {
            let decoded = percent_decode_str(path).decode_utf8_lossy();
            let ways = [path.clone(), path.replace('\\', "/"), decoded.into_owned()];
            let ways = ways.map(|path| folder.join(path));
            let whole = ways.iter().find_map(|path| std::fs::canonicalize(path).ok());
            let Some(whole) = whole else {
                return attach(title, ways[0].clone(), None);
            };
            // What both are in may be hidden.
            let shared = whole.components().zip(folder.components());
            let shared = shared.take_while(|(own, other)| own == other).count();
            let is_hidden = whole.components().skip(shared).any(|part| match part {
                Component::Normal(part) => part.as_encoded_bytes().starts_with(b"."),
                _ => false,
            });
            if self.places.contains_key(&whole) || self.is_named && !is_hidden {
                return attach(title, whole, None);
            }
            let path = whole.display();
            let problem = match self.is_named {
                true => format!("its file {path} lies in a hidden folder"),
                false => format!(
                    "its file {path} lies outside of the folder; name {} itself to read it",
                    self.file.name
                ),
            };
            attach(title, whole, Some(problem))
        });
        found.collect()
    }
}

fn attach(title: &str, path: PathBuf, problem: Option<String>) -> AttachedFile {
    AttachedFile { key: String::new(), path, problem, title: title.to_owned(), tags: Vec::new() }
}

/// Returns a work of a bibliography as a reference.
fn read_reference(work: &Work) -> Reference {
    let said = |label: &str| work.field(label).map(str::to_owned);
    let people = |names: &mut dyn Iterator<Item = &str>| -> Vec<Author> {
        names.filter(|name| *name != "et al.").filter_map(papers::author).collect()
    };
    let editors = work.field("Editors").unwrap_or_default();
    let date = work.field("Date").unwrap_or_default();
    let year = || date.split(|c: char| !c.is_ascii_digit()).find(|run| run.len() == 4);
    let published = Date::read(date)
        .filter(|date| date.year > 999)
        .or_else(|| Date::of_parts(&[year()?.parse().ok()?]));
    let list = |value: Option<String>| value.into_iter().collect::<Vec<_>>();
    let notes = work.paragraphs.iter().filter(|text| !text.trim().is_empty());
    let note = |note: &String| match note.contains("</") {
        true => note.clone(),
        false => format!("<p>{}</p>", note.replace('&', "&amp;").replace('<', "&lt;")),
    };
    let paper = Paper {
        kind: kind_of(&work.kind),
        title: work.title.clone(),
        authors: people(&mut work.authors.iter().map(String::as_str)),
        editors: people(&mut editors.split(", ").filter(|name| !name.is_empty())),
        published,
        venue: said("In"),
        series: said("Series"),
        volume: said("Volume"),
        issue: said("Issue"),
        pages: said("Pages"),
        edition: said("Edition"),
        publisher: said("Publisher").or(said("School")).or(said("Institution")),
        publisher_place: said("Place"),
        summary: Some(work.summary.clone()).filter(|summary| !summary.is_empty()),
        ids: Ids {
            doi: papers::doi(&work.doi),
            pubmed: said("PubMed"),
            isbn: list(said("ISBN")),
            issn: list(said("ISSN")),
            ..Ids::default()
        },
        url: said("Address"),
        language: said("Language"),
        ..Paper::default()
    };
    const TOLD: [&str; 17] = [
        "Editors",
        "Date",
        "In",
        "Series",
        "Volume",
        "Issue",
        "Pages",
        "Edition",
        "Publisher",
        "Place",
        "PubMed",
        "ISBN",
        "ISSN",
        "Address",
        "Language",
        "Key",
        "School",
    ];
    let details = work.fields.iter().filter(|(label, _)| !TOLD.contains(label));
    Reference {
        key: work.key.clone(),
        citation_key: Some(work.key.clone()).filter(|key| !key.is_empty()),
        item_type: work.kind.clone(),
        paper,
        details: details.map(|(label, value)| ((*label).to_owned(), value.clone())).collect(),
        tags: work.keywords.clone(),
        notes: notes.map(note).collect(),
        ..Reference::default()
    }
}

/// Returns the kind of a work by what BibTeX, RIS or CSL call it.
fn kind_of(kind: &str) -> Kind {
    match kind.to_ascii_lowercase().as_str() {
        "article" | "jour" | "article-journal" | "journalarticle" => Kind::Article,
        "inproceedings" | "conference" | "conf" | "cpaper" | "paper-conference"
        | "conferencepaper" => Kind::ProceedingsArticle,
        "book" | "collection" | "proceedings" => Kind::Book,
        "incollection" | "inbook" | "chap" | "chapter" | "booksection" => Kind::Chapter,
        "phdthesis" | "mastersthesis" | "thesis" | "thes" => Kind::Thesis,
        "techreport" | "report" | "rprt" => Kind::Report,
        "dataset" | "data" => Kind::Dataset,
        "software" | "comp" | "computerprogram" => Kind::Software,
        "news" | "article-newspaper" | "article-magazine" | "newspaperarticle" => Kind::NewsArticle,
        "online" | "webpage" | "elec" | "blogpost" | "post-weblog" => Kind::WebPage,
        "preprint" | "unpublished" => Kind::Preprint,
        _ => Kind::Other,
    }
}
