//! Fetching pages and papers into a collection, for `ingest`.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use ::sources::{SitePage, SitePages};
use corpus::{Problem, Report};
use futures::stream::{self, StreamExt};
use jiff::{Timestamp, ToSpan as _};
use papers::PaperId;
use run::grounding::clean;
use run::library::Put;
use run::sources::{Reading, Sources, TakenIn, Target, material};

use super::CliContext;
use super::git::{Revision, from_home};
use crate::failure::Failure;
use crate::names::check_name;
use crate::wire;

/// Pages and papers that are fetched at the same time.
const AT_ONCE: usize = 4;

/// The targets of `ingest`.
#[derive(Debug, Default)]
pub(super) struct Given {
    pub(super) paths: Vec<PathBuf>,
    /// Those of the paths that were named as Zotero libraries.
    pub(super) libraries: Vec<PathBuf>,
    outside: Vec<Outside>,
    /// How long to wait between two pages, as their site asks.
    pause: Duration,
    /// How many pages of sitemaps are as they were when they were read.
    unchanged: u64,
    pub(super) repositories: Vec<Revision>,
    /// Those of several that are neither a path nor an address nor a paper.
    pub(super) unknown: Vec<Problem>,
}

/// Something to fetch.
#[derive(Debug)]
enum Outside {
    Paper(PaperId),
    Page(String),
}

impl Outside {
    fn paper(&self) -> Option<PaperId> {
        match self {
            Outside::Paper(id) => Some(id.clone()),
            Outside::Page(_) => None,
        }
    }

    fn name(&self) -> String {
        match self {
            Outside::Paper(id) => id.to_string(),
            Outside::Page(url) => ::sources::without_userinfo(url),
        }
    }
}

impl Given {
    /// Sorts targets into papers, pages and paths. The addresses of pages of arXiv and the DOI system mean the papers.
    ///
    /// Fails if the only target is none of these; one of several is noted, so that the others are read.
    pub(super) fn of(targets: &[OsString]) -> Result<Given, Failure> {
        let mut given = Given::default();
        for target in targets {
            match given.sort(target) {
                Ok(()) => {}
                Err(failure) if targets.len() > 1 => {
                    let path = clean(&target.to_string_lossy());
                    let reason = format!("{}; {}", failure.what, failure.hint);
                    given.unknown.push(Problem { path, reason });
                }
                Err(failure) => return Err(failure),
            }
        }
        Ok(given)
    }

    fn sort(&mut self, target: &OsString) -> Result<(), Failure> {
        // A name that is not UTF-8 can only be a path.
        let Some(text) = target.to_str() else {
            self.paths.push(target.into());
            return Ok(());
        };
        if let Some(revision) = Revision::of(text) {
            self.repositories.push(revision);
            return Ok(());
        }
        if let Some(path) = library(text) {
            // One that cannot be read now is told of when it is read.
            if matches!(zotero::find(&path), Ok(None)) {
                return Err(Failure::usage(
                    format!("there is no Zotero library in {}", clean(&path.display().to_string())),
                    "give zotero:PATH, where PATH is Zotero's data folder or its zotero.sqlite; Zotero's settings name it under “Files and Folders”",
                ));
            }
            self.libraries.push(path.clone());
            self.paths.push(path);
            return Ok(());
        }
        let lower = text.to_ascii_lowercase();
        if lower.starts_with("arxiv:") || lower.starts_with("doi:") {
            let id = text.parse().map_err(|error: papers::NoPaper| {
                Failure::usage(
                    error.to_string(),
                    "correct it; if you mean a file, write ./ before its name",
                )
            })?;
            self.outside.push(Outside::Paper(id));
        } else if lower.starts_with("http://") || lower.starts_with("https://") {
            let paper = PaperId::of_address(text);
            self.outside.push(paper.map_or(Outside::Page(text.to_owned()), Outside::Paper));
        } else if let (false, Some(id)) = (Path::new(text).exists(), bare_id(text)) {
            return Err(Failure::usage(
                format!("there is no file or folder '{text}'"),
                format!("if you mean a paper, write {id}"),
            ));
        } else {
            self.paths.push(target.into());
        }
        Ok(())
    }

    /// Adds the pages of sitemaps and feeds, `most` in all, and says what was left out. Pages in `collection` that have not changed since,
    /// as the site says, are not fetched again.
    pub(super) async fn add_sitemaps(
        &mut self,
        context: &CliContext<'_>,
        collection: &str,
        sitemaps: &[String],
        most: usize,
    ) -> Result<(), Failure> {
        if sitemaps.is_empty() {
            return Ok(());
        }
        check_name("collection", collection)?;
        let mut left = most;
        for sitemap in sitemaps {
            let outside = context.tools.outside().await?;
            let listed = ::sources::list_pages(outside, sitemap, left).await;
            let SitePages { pages, pause, beyond, disallowed, elsewhere, unread } = match listed {
                Ok(listed) => listed,
                Err(error) => {
                    let path = ::sources::without_userinfo(sitemap);
                    self.unknown.push(Problem { path, reason: error.to_string() });
                    continue;
                }
            };
            let mut told = format!("{sitemap}: {} pages", pages.len());
            let urls: Vec<String> = pages.iter().map(|page| page.url.clone()).collect();
            let (library, user) = (&context.database.library, &context.config.user);
            let is_there = library.collection(user, collection).await?.is_some();
            let stored = match is_there {
                true => library.documents_at(user, collection, &urls).await?,
                false => Vec::new(),
            };
            let read_at: BTreeMap<String, Timestamp> =
                stored.into_iter().map(|known| (known.path, known.ingested_at)).collect();
            let count = pages.len();
            let stands = |page: &SitePage| {
                read_at.get(&page.url).is_some_and(|read_at| is_older(page, *read_at))
            };
            let pages: Vec<SitePage> = pages.into_iter().filter(|page| !stands(page)).collect();
            let unchanged = count - pages.len();
            self.unchanged += unchanged as u64;
            if unchanged > 0 {
                told.push_str(&format!("; {unchanged} unchanged since they were read"));
            }
            if !pause.is_zero() {
                self.pause = self.pause.max(pause);
                told.push_str(&format!(
                    "; {} s between two, as the site asks",
                    pause.as_secs_f64()
                ));
            }
            for (count, what) in [
                (beyond, "beyond --most-pages"),
                (disallowed, "closed by robots.txt"),
                (elsewhere, "on other hosts"),
            ] {
                if count > 0 {
                    told.push_str(&format!("; {count} left out, {what}"));
                }
            }
            context.note(&clean(&told));
            self.unknown.extend(unread.into_iter().map(|(path, reason)| Problem { path, reason }));
            left = left.saturating_sub(count);
            self.outside.extend(pages.into_iter().map(|page| Outside::Page(page.url)));
        }
        Ok(())
    }

    pub(super) fn anything_outside(&self) -> bool {
        !self.outside.is_empty() || self.unchanged > 0
    }

    /// Fetches and ingests the papers and pages, and adds the results to the report.
    pub(super) async fn fetch(
        self,
        context: &CliContext<'_>,
        collection: &str,
        abstracts: bool,
        report: &mut Report,
    ) -> Result<(), Failure> {
        check_name("collection", collection)?;
        report.unchanged += self.unchanged;
        let pause = self.pause;
        let sources = context.tools.outside().await?;
        let intake = wire::intake(&context.database, &context.config, &context.tools);
        let ids: Vec<PaperId> = self.outside.iter().filter_map(Outside::paper).collect();
        let mut papers = sources.papers_named(&ids).await.into_iter();
        let targets: Vec<(String, Result<Target, String>)> = self
            .outside
            .into_iter()
            .map(|outside| {
                let name = outside.name();
                let target = match outside {
                    Outside::Page(url) => Ok(Target::Page { url }),
                    Outside::Paper(_) => match papers.next() {
                        Some(Ok(Some(paper))) => {
                            Ok(Target::Paper { paper: Box::new(paper), full_text: !abstracts })
                        }
                        Some(Err(error)) => Err(error.to_string()),
                        Some(Ok(None)) | None => Err("no source has this paper".to_owned()),
                    },
                };
                (name, target)
            })
            .collect();
        let mut fetched = stream::iter(targets.into_iter().enumerate())
            .map(|(index, (name, target))| async move {
                if index > 0 && !pause.is_zero() {
                    tokio::time::sleep(pause).await;
                }
                let found = match target {
                    Ok(target) => {
                        material(sources, &target).await.map_err(|error| error.to_string())
                    }
                    Err(reason) => Err(reason),
                };
                (name, found)
            })
            .buffered(if pause.is_zero() { AT_ONCE } else { 1 });
        while let Some((name, found)) = fetched.next().await {
            let material = match found {
                Ok(material) => material,
                Err(reason) => {
                    report.problems.push(Problem { path: name, reason });
                    continue;
                }
            };
            let lacking = material.lacking.clone();
            let taken = intake.take_in(&context.config.user, collection, vec![material]).await?;
            for TakenIn { source_uri, outcome } in taken {
                if let (Some(reason), Reading::Kept { .. }) = (&lacking, &outcome) {
                    let path = source_uri.clone();
                    let reason = format!(
                        "without its full text: {reason}; the same command fetches it later"
                    );
                    report.incomplete.push(Problem { path, reason });
                }
                match outcome {
                    Reading::Kept { put: Put::Unchanged, .. } => report.unchanged += 1,
                    Reading::Kept { put, title, text_bytes, chunks, .. } => {
                        let count = match put {
                            Put::Added => &mut report.added,
                            Put::Replaced | Put::Unchanged => &mut report.replaced,
                        };
                        *count += 1;
                        report.chunks += chunks;
                        context.note(&clean(&format!(
                            "{source_uri}: {title} ({text_bytes} bytes of text)"
                        )));
                    }
                    Reading::Unreadable { reason } | Reading::Unreached { reason } => {
                        report.problems.push(Problem { path: source_uri, reason });
                    }
                }
            }
        }
        Ok(())
    }
}

/// Returns whether a page was last changed before it was read, as its site says.
fn is_older(page: &SitePage, read_at: Timestamp) -> bool {
    let Some(said) = &page.changed_at else { return false };
    // A date alone is over when its day is, wherever that is.
    let end_of_day = || {
        let day = said.parse::<jiff::civil::Date>().ok()?;
        let next = day.checked_add(2.days()).ok()?;
        Some(next.to_zoned(jiff::tz::TimeZone::UTC).ok()?.timestamp())
    };
    let changed_at = said.parse::<Timestamp>().ok().or_else(end_of_day);
    changed_at.is_some_and(|changed_at| changed_at < read_at)
}

/// Reads `zotero:PATH`, or `zotero:` for the folder where Zotero keeps its data by default; `None` for other targets.
fn library(target: &str) -> Option<PathBuf> {
    match target.strip_prefix("zotero:")? {
        "" => Some(from_home("~/Zotero")),
        path => Some(from_home(path)),
    }
}

/// Returns the paper that a text would name if it had a scheme.
fn bare_id(text: &str) -> Option<PaperId> {
    ["arxiv", "doi"].iter().find_map(|scheme| format!("{scheme}:{text}").parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    // proves: A6
    #[test]
    fn a_page_is_fetched_again_unless_it_was_read_since_it_changed() {
        let read_at: Timestamp = "2024-05-10T12:00:00Z".parse().unwrap();
        for (changed_at, is_old) in [
            (Some("2024-05-08"), true),
            (Some("2024-05-10"), false),
            (Some("2024-05-10T11:59:00+00:00"), true),
            (Some("2024-05-10T13:59:00+02:00"), true),
            (Some("2024-05-10T12:00:01Z"), false),
            (Some("lately"), false),
            (None, false),
        ] {
            let changed_at = changed_at.map(str::to_owned);
            let page = SitePage { url: "https://a.org/1".to_owned(), changed_at };
            assert_eq!(is_older(&page, read_at), is_old, "{page:?}");
        }
    }

    // proves: A6
    #[test]
    fn papers_pages_and_paths_are_told_apart() {
        let targets = [
            "arXiv:2005.11401",
            "https://arxiv.org/abs/1706.03762v2",
            "https://doi.org/10.1000/x",
            "http://example.org/a",
            "notes/doi.md",
        ];
        let given = Given::of(&targets.map(OsString::from)).unwrap();
        let names: Vec<String> = given.outside.iter().map(Outside::name).collect();
        assert_eq!(
            names,
            ["arxiv:2005.11401", "arxiv:1706.03762v2", "doi:10.1000/x", "http://example.org/a"]
        );
        assert_eq!(given.paths, [PathBuf::from("notes/doi.md")]);
        assert!(Given::of(&["arxiv:nothing".into()]).is_err());
        for bare in ["2005.11401", "10.1000/x"] {
            assert!(Given::of(&[bare.into()]).unwrap_err().hint.contains(bare), "{bare}");
        }
        let given = Given::of(&["notes".into(), "arxiv:nothing".into()]).unwrap();
        assert_eq!((given.paths.len(), given.unknown.len()), (1, 1));
        assert_eq!(given.unknown[0].path, "arxiv:nothing");
    }
}
