//! arXiv's Atom feed, in the formats before and since 2026.
//!
//! The two differ in namespace declarations, element order, http or https, and wrapped lines. So elements are matched by local name, and
//! text is unwrapped.

use quick_xml::escape::resolve_predefined_entity;
use quick_xml::events::{BytesStart, Event};
use quick_xml::{Reader, XmlVersion};

use papers::{Date, Ids, Kind, Paper, Source, arxiv_id, author, doi};
use run::error::PortError;

use super::{NAME, format_id, withdrawal};
use crate::markup::{distinct, one_line, page_title};
use crate::service::Purpose;

/// The deepest nesting of elements.
const DEPTH: usize = 16;
/// The prefixes of the id of an error entry; the status is 400, or formerly 200.
const ERRORS: [&str; 2] = ["https://arxiv.org/api/errors", "http://arxiv.org/api/errors"];

/// The reason why a feed yields no papers.
#[derive(Debug, PartialEq)]
pub(super) enum Fault {
    /// A refusal, in arXiv's words.
    Refused(String),
    Malformed(String),
}

impl Fault {
    pub(super) fn error(self, status: u16) -> PortError {
        let service = NAME.to_owned();
        match (self, status) {
            (Fault::Refused(reason), _) => PortError::Refused { service, status: 400, reason },
            (Fault::Malformed(what), 200..300) => PortError::Malformed { service, what },
            (Fault::Malformed(reason), 400..500) => PortError::Refused { service, status, reason },
            (Fault::Malformed(reason), _) => PortError::Failed { service, status, reason },
        }
    }
}

/// Returns the papers of a feed. A truncated feed is an error, since it is unknown what is missing. So is a feed whose entries are all
/// unreadable, or one that counts papers but sends none. In a lookup by id, an entry with only an id means that the paper was not found.
pub(super) fn read(asked: Purpose, text: &str) -> Result<Vec<Paper>, Fault> {
    let malformed = |what: &str| Fault::Malformed(what.into());
    if text.trim().is_empty() {
        return Err(malformed("an empty body"));
    }
    if let Some(page) = page_title(text) {
        return Err(Fault::Malformed(page));
    }
    let mut reader = Reader::from_str(text);
    let mut path: Vec<String> = Vec::new();
    let mut said = String::new();
    let mut entry = Entry::default();
    let mut papers = Vec::new();
    let (mut entries, mut total) = (0_usize, 0_u64);
    let mut closed = false;
    loop {
        let event =
            reader.read_event().map_err(|_| match path.is_empty() && papers.is_empty() {
                true => not_a_feed(text),
                false => malformed("a feed that stops being XML"),
            })?;
        match event {
            Event::Start(start) => {
                path.push(start.local_name().as_ref().to_owned());
                said.clear();
                if path.len() > DEPTH {
                    return Err(malformed("a feed that is nested too deeply"));
                }
                match names_of(&path).as_slice() {
                    ["feed", "entry"] => entry = Entry::default(),
                    [first, ..] if *first != "feed" => return Err(not_a_feed(text)),
                    [_, "entry", "author"] => entry.people.push((String::new(), Vec::new())),
                    [_, "entry", name] => entry.note(name, &start),
                    _ => {}
                }
            }
            Event::Empty(start)
                if path.len() == 2 && path.last().is_some_and(|name| name == "entry") =>
            {
                entry.note(start.local_name().as_ref(), &start);
            }
            Event::End(_) => {
                match names_of(&path).as_slice() {
                    ["feed", "entry"] => {
                        if let Some(words) = entry.error() {
                            return Err(Fault::Refused(words));
                        }
                        let entry = std::mem::take(&mut entry);
                        entries += usize::from(asked == Purpose::Search || !entry.is_unknown());
                        papers.extend(entry.paper());
                    }
                    [_, "entry", names @ ..] => entry.say(names, &said),
                    [_, "totalResults"] => total = said.trim().parse().unwrap_or_default(),
                    ["feed"] => closed = true,
                    _ => {}
                }
                path.pop();
                said.clear();
            }
            Event::Text(part) => said.push_str(&part.xml10_content()),
            Event::CData(part) => said.push_str(&part.xml10_content()),
            Event::GeneralRef(entity) => {
                let name = entity.xml10_content();
                match (entity.resolve_char_ref().ok().flatten(), resolve_predefined_entity(&name)) {
                    (Some(character), _) => said.push(character),
                    (None, Some(known)) => said.push_str(known),
                    (None, None) => said.push_str(&format!("&{name};")),
                }
            }
            Event::Eof if closed && !papers.is_empty() => return Ok(papers),
            Event::Eof if closed && entries > 0 => {
                return Err(malformed("entries, none of them readable"));
            }
            Event::Eof if closed && asked == Purpose::Search && total > 0 => {
                return Err(Fault::Malformed(format!(
                    "a count of {total} results, but none of them"
                )));
            }
            Event::Eof if closed => return Ok(papers),
            Event::Eof if path.is_empty() => return Err(not_a_feed(text)),
            Event::Eof => return Err(malformed("a feed that breaks off")),
            _ => {}
        }
    }
}

fn names_of(path: &[String]) -> Vec<&str> {
    path.iter().map(String::as_str).collect()
}

fn not_a_feed(text: &str) -> Fault {
    let start: String =
        one_line(&text.chars().take(400).collect::<String>()).chars().take(120).collect();
    Fault::Malformed(format!("no feed but '{start}'"))
}

#[derive(Debug, Default)]
struct Entry {
    id: String,
    title: String,
    summary: String,
    published: String,
    updated: String,
    comment: String,
    journal: String,
    doi: String,
    /// The name and affiliations of each person.
    people: Vec<(String, Vec<String>)>,
    primary: Option<String>,
    categories: Vec<String>,
    links: Vec<Link>,
}

#[derive(Debug, Default)]
struct Link {
    href: String,
    rel: String,
    title: String,
    media_type: String,
}

impl Entry {
    /// Records what an element's attributes say.
    fn note(&mut self, name: &str, start: &BytesStart<'_>) {
        let attribute = |wanted: &str| {
            let found = start
                .attributes()
                .with_checks(false)
                .flatten()
                .find(|attribute| attribute.key.local_name().as_ref() == wanted)?;
            let value = one_line(&found.normalized_value(XmlVersion::Implicit1_0).ok()?);
            (!value.is_empty()).then_some(value)
        };
        match name {
            "category" => self.categories.extend(attribute("term")),
            "primary_category" => self.primary = attribute("term"),
            "link" => self.links.push(Link {
                href: attribute("href").unwrap_or_default(),
                rel: attribute("rel").unwrap_or_default(),
                title: attribute("title").unwrap_or_default(),
                media_type: attribute("type").unwrap_or_default(),
            }),
            _ => {}
        }
    }

    /// Records what an element's text says.
    fn say(&mut self, names: &[&str], said: &str) {
        let place = match names {
            ["id"] => &mut self.id,
            ["title"] => &mut self.title,
            ["summary"] => {
                self.summary = unwrapped(said);
                return;
            }
            ["published"] => &mut self.published,
            ["updated"] => &mut self.updated,
            ["comment"] => &mut self.comment,
            ["journal_ref"] => &mut self.journal,
            ["doi"] => &mut self.doi,
            ["author", what] => {
                let Some((name, affiliations)) = self.people.last_mut() else { return };
                match *what {
                    "name" => *name = one_line(said),
                    "affiliation" => affiliations.push(one_line(said)),
                    _ => {}
                }
                return;
            }
            _ => return,
        };
        *place = one_line(said);
    }

    fn error(&self) -> Option<String> {
        let is_error = ERRORS.iter().any(|prefix| self.id.starts_with(prefix));
        let words = [&self.summary, &self.title].into_iter().find(|words| !words.is_empty());
        is_error.then(|| words.map_or("no reason given".into(), |words| one_line(words)))
    }

    /// Returns whether an entry holds only an arXiv id.
    fn is_unknown(&self) -> bool {
        arxiv_id(&self.id).is_some() && self.is_bare()
    }

    fn is_bare(&self) -> bool {
        self.title.is_empty() && self.people.is_empty()
    }

    /// Returns the paper, or `None` if the id is not arXiv's or the entry holds only an id.
    fn paper(self) -> Option<Paper> {
        let (id, version) = arxiv_id(&self.id)?;
        if self.is_bare() {
            return None;
        }
        // arXiv keeps withdrawn papers, and says so in the comment or instead of the abstract.
        let withdrawn = withdrawal::in_comment(&self.comment)
            || withdrawal::in_place_of_abstract(&self.summary);
        let link = |wanted: fn(&Link) -> bool| {
            let link = self.links.iter().find(|link| wanted(link) && link.href.starts_with("http"));
            link.map(|link| secure(&link.href))
        };
        let named = format_id(&id, version);
        let pdf = link(|link| link.title == "pdf" || link.media_type == "application/pdf");
        let page = link(|link| link.rel == "alternate");
        // Some authors give more than one DOI.
        let dois = self.doi.split([' ', ',', ';']).find_map(doi);
        let doi = dois.or_else(|| link(|link| link.title == "doi").as_deref().and_then(doi));
        let affiliations = self.people.iter().flat_map(|(_, affiliations)| affiliations.clone());
        let affiliations = distinct(affiliations.filter(|affiliation| !affiliation.is_empty()));
        let people = self.people.iter().map(|(name, _)| name).filter(|name| !name.is_empty());
        Some(Paper {
            kind: Kind::Preprint,
            title: self.title,
            authors: people.filter_map(|name| author(name)).collect(),
            affiliations,
            published: Date::read(&self.published).or_else(|| Date::read(&self.updated)),
            updated: Date::read(&self.updated),
            publisher: Some(NAME.to_owned()),
            summary: Some(self.summary).filter(|summary| !summary.is_empty()),
            url: page.or_else(|| Some(format!("https://arxiv.org/abs/{named}"))),
            pdf_url: pdf
                .or_else(|| Some(format!("https://arxiv.org/pdf/{named}")))
                .filter(|_| !withdrawn),
            ids: Ids { doi, arxiv: Some(id), arxiv_version: version, ..Ids::default() },
            open_access: Some(true),
            retracted: withdrawn.then_some(true),
            subjects: distinct(self.primary.into_iter().chain(self.categories)),
            notes: [self.journal, self.comment]
                .into_iter()
                .filter(|note| !note.is_empty())
                .collect(),
            found_by: vec![Source::Arxiv],
            ..Paper::default()
        })
    }
}

/// Changes arXiv addresses to https, which older feeds do not use.
fn secure(url: &str) -> String {
    match url.strip_prefix("http://") {
        Some(rest) if rest.starts_with("arxiv.org/") => format!("https://{rest}"),
        _ => url.to_owned(),
    }
}

/// Returns an abstract without its line breaks; an empty or indented line begins a paragraph.
fn unwrapped(text: &str) -> String {
    let mut paragraphs: Vec<String> = Vec::new();
    for (number, line) in text.trim().lines().enumerate() {
        let begins = line.trim().is_empty() || line.starts_with([' ', '\t']);
        let line = one_line(line);
        match paragraphs.last_mut() {
            Some(paragraph) if number > 0 && !begins => {
                if !paragraph.is_empty() && !line.is_empty() {
                    paragraph.push(' ');
                }
                paragraph.push_str(&line);
            }
            _ => paragraphs.push(line),
        }
    }
    paragraphs.retain(|paragraph| !paragraph.is_empty());
    paragraphs.join("\n\n")
}
