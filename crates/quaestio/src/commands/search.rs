//! `quaestio search`: papers, pages and texts, as the sources return them.

use std::fmt::Write as _;

use papers::{Kind, Paper, Source};
use render::{Block, Document, Line};
use run::error::PortError;
use run::grounding::clean;
use run::ledger::one_line;
use run::sources::{
    Answer, Bibliography, Hit, Outcome, Query, Searched, Served, ServedText, Sources,
};
use serde_json::json;

use crate::cli::{Common, ListFormat, SearchArgs};
use crate::config::{Config, Network};
use crate::failure::{Exit, Failure};
use crate::sink::Sink;
use crate::{Face, output, wire};

pub(super) async fn search(
    args: &SearchArgs,
    common: &Common,
    face: &Face,
) -> Result<Exit, Failure> {
    if args.style_list {
        face.out
            .put(&::sources::styles().iter().map(|style| format!("{style}\n")).collect::<String>());
        return Ok(Exit::Done);
    }
    let text = args.query.as_deref().unwrap_or_default().trim();
    let text: String = text.chars().filter(|c| !c.is_control()).collect();
    if !text.contains(char::is_alphanumeric) {
        return Err(Failure::usage(
            "the query contains no words",
            "write for example `quaestio search \"retrieval-augmented generation\"`",
        ));
    }
    if text.chars().count() > Query::LONGEST {
        return Err(Failure::usage(
            format!("the query is longer than {} characters", Query::LONGEST),
            "use a few keywords, or `quaestio ask --strategy search` for a whole question",
        ));
    }
    if let (Some(from), Some(to)) = (args.from, args.to)
        && from > to
    {
        return Err(Failure::usage(
            format!("--from {from} is later than --to {to}"),
            "write the earlier year first",
        ));
    }
    let config = wire::configure(common)?.config;
    let style = args.style.as_deref().unwrap_or(&config.bibliography.style);
    let bibliography = wire::bibliography(style)?;
    let outside = wire::sources(&config, wire::open_memory(&config).await?).await?;
    let named: Vec<Source> = args.sources.iter().map(|&source| source.into()).collect();
    let asked = wire::asked(&named, &config)?;
    wire::ready(&outside, &asked)?;
    let query = Query { from_year: args.from, to_year: args.to, ..Query::new(text, args.limit) };
    let web = asked.contains(&Source::Web);
    let servers: Vec<_> = asked.iter().filter_map(|source| source.server()).collect();
    let scholarly: Vec<Source> = asked.into_iter().filter(|source| source.is_scholarly()).collect();
    let papers = async {
        match scholarly.is_empty() {
            true => Ok(Searched::default()),
            false => outside.papers(&scholarly, &query).await,
        }
    };
    let pages = async {
        match web {
            false => Ok(vec![]),
            true => outside.pages(&query).await,
        }
    };
    let (papers, pages, served) = tokio::join!(papers, pages, outside.texts(&servers, &query));
    let Served { texts, answers: of_servers } = served?;
    let alone = of_servers.iter().all(|answer| answer.outcome.why_not().is_some());
    let (mut searched, pages) = match (papers, pages) {
        (Err(error), _) if alone && !web => return Err(unreached(error, &config)),
        (_, Err(error)) if alone && scholarly.is_empty() => {
            return Err(unreached(error, &config));
        }
        (Err(error), Err(_)) if alone => return Err(unreached(error, &config)),
        (papers, pages) => {
            let mut searched = papers.unwrap_or_else(|error| {
                let silent = |source: &Source| Answer::new(*source, Outcome::of(&error));
                Searched { papers: vec![], answers: scholarly.iter().map(silent).collect() }
            });
            if web {
                let outcome = match &pages {
                    Ok(pages) => Outcome::Found(pages.len() as u32),
                    Err(error) => Outcome::of(error),
                };
                searched.answers.push(Answer::new(Source::Web, outcome));
            }
            (searched, pages.unwrap_or_default())
        }
    };
    searched.answers.extend(of_servers);
    for answer in &searched.answers {
        if !common.quiet || answer.outcome.why_not().is_some() {
            face.err.line(&clean(&told(answer)));
        }
    }
    let out = &face.out;
    out.put(&list(out, args.format, &query.text, &searched, &pages, &texts, &bibliography));
    let complete = searched.answers.iter().all(|answer| answer.outcome.why_not().is_none());
    Ok(match (searched.papers.len() + pages.len() + texts.len(), complete) {
        (0, true) => Exit::NotEnoughEvidence,
        // A source that was not reached might have found something.
        (0, false) => Exit::Partial,
        _ => Exit::Done,
    })
}

/// Returns the failure if no source answered, with a hint on what to do.
fn unreached(error: PortError, config: &Config) -> Failure {
    match config.sources.network {
        Network::Cached => {
            Failure::new(error.to_string(), "leave out --no-network to ask the sources")
        }
        _ => error.into(),
    }
}

/// Returns in one line what a source answered.
fn told(Answer { source, outcome, in_place_of, as_of }: &Answer) -> String {
    let in_place = in_place_of
        .map_or_else(String::new, |other| format!(" (asked in the place of {})", other.title()));
    let said = match outcome {
        Outcome::Found(papers) => format!("{papers} found"),
        other => other.why_not().unwrap_or_default(),
    };
    let as_of = as_of.map_or_else(String::new, |as_of| {
        format!(" at {as_of}, from the cache; it could not be reached now")
    });
    format!("{}{in_place}: {said}{as_of}", source.title())
}

fn list(
    out: &Sink,
    format: ListFormat,
    query: &str,
    searched: &Searched,
    pages: &[Hit],
    texts: &[ServedText],
    bibliography: &dyn Bibliography,
) -> String {
    let works = || -> Vec<Paper> {
        searched.papers.iter().cloned().chain(pages.iter().map(as_work)).collect()
    };
    match format {
        ListFormat::Table => {
            let found = hits(&searched.papers, pages, texts);
            match out.is_terminal() || out.is_styled() {
                true => output::set(&document(&found), out, Default::default()),
                false => clean(&table(&found)),
            }
        }
        ListFormat::Json => {
            let mut page = json!({
                "query": query,
                "papers": searched.papers,
                "pages": pages,
                "answers": searched.answers,
            });
            if !texts.is_empty() {
                page["texts"] = json!(texts);
            }
            format!("{}\n", output::json(&page))
        }
        ListFormat::References => {
            let works = works();
            let references = bibliography.references(&works.iter().collect::<Vec<_>>());
            clean(&references.iter().map(|reference| format!("{reference}\n")).collect::<String>())
        }
        ListFormat::Bibtex => ::sources::bibtex(&works()),
        ListFormat::Ris => ::sources::ris(&works()),
        ListFormat::CslJson => ::sources::csl_json(&works()),
    }
}

/// Returns a page as a work for a reference list.
fn as_work(page: &Hit) -> Paper {
    Paper {
        kind: Kind::WebPage,
        title: page.title.clone(),
        url: Some(page.url.clone()),
        published: page.published.as_deref().and_then(papers::Date::read),
        found_by: vec![Source::Web],
        ..Paper::default()
    }
}

/// Characters of a page's snippet, or of a text, that a table shows.
const SNIPPET: usize = 200;
/// Authors that are named before "et al.".
const NAMED_AUTHORS: usize = 3;

/// Returns what was found, each a title and what is known of it, a line each.
fn hits(papers: &[Paper], pages: &[Hit], texts: &[ServedText]) -> Vec<Vec<String>> {
    let mut hits = Vec::new();
    for paper in papers {
        let mark = if paper.retracted == Some(true) { "RETRACTED: " } else { "" };
        let mut lines = vec![format!("{mark}{}", one_line(&paper.title))];
        let mut known = Vec::new();
        let mut authors: Vec<String> =
            paper.authors.iter().take(NAMED_AUTHORS).map(ToString::to_string).collect();
        if paper.authors.len() > NAMED_AUTHORS {
            authors.push("et al.".into());
        }
        known.extend((!authors.is_empty()).then(|| authors.join(", ")));
        known.extend(paper.year().map(|year| year.to_string()));
        known.extend(paper.venue.clone());
        known.extend(paper.citation_count.map(|count| format!("cited {count} times")));
        if !known.is_empty() {
            lines.push(one_line(&known.join(" · ")));
        }
        let found_by: Vec<_> = paper.found_by.iter().map(|source| source.title()).collect();
        let mut places = vec![paper.source_uri()];
        let doi = paper.ids.doi.as_ref().map(|doi| format!("doi:{doi}"));
        places.extend(doi.filter(|doi| !places.contains(doi)));
        places.extend(paper.pdf_url.clone());
        lines.push(format!("{}  [{}]", one_line(&places.join(" · ")), found_by.join(", ")));
        hits.push(lines);
    }
    for page in pages {
        let mut lines = vec![one_line(&page.title), format!("{}  [web]", one_line(&page.url))];
        lines.extend((!page.snippet.is_empty()).then(|| beginning(&page.snippet)));
        hits.push(lines);
    }
    for served in texts {
        let lines = [one_line(&served.title), one_line(&served.source_uri)];
        hits.push(lines.into_iter().chain([beginning(&served.text)]).collect());
    }
    hits
}

fn table(hits: &[Vec<String>]) -> String {
    let mut text = String::new();
    for (number, lines) in (1..).zip(hits) {
        for (index, line) in lines.iter().enumerate() {
            let _ = match index {
                0 => writeln!(text, "{number:>3}  {line}"),
                _ => writeln!(text, "     {line}"),
            };
        }
    }
    text
}

/// Returns the hits as a numbered list to read on a terminal.
fn document(hits: &[Vec<String>]) -> Document {
    let mut document = Document::default();
    for (number, lines) in (1..).zip(hits) {
        let mut lines = lines.iter();
        let title = lines.next().map(String::as_str).unwrap_or_default();
        let first = Line::from(format!("{number:>3} ")).strong(title);
        let others = lines.map(|line| Line::from(line.as_str()));
        document.blocks.push(Block::Hanging(std::iter::once(first).chain(others).collect()));
    }
    document
}

/// Returns the beginning of a text, on one line.
fn beginning(text: &str) -> String {
    let line = one_line(text);
    match line.char_indices().nth(SNIPPET) {
        Some((at, _)) => format!("{}…", line.get(..at).unwrap_or_default()),
        None => line,
    }
}
