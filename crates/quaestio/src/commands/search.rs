//! `quaestio search`: papers and pages, as the sources give them.

use std::fmt::Write as _;

use run::grounding::clean;
use run::paper::{Kind, Paper, Source};
use run::sources::{Answer, Bibliography, Hit, Outcome, Query, Searched, Sources};
use serde_json::json;

use crate::cli::{Common, ListFormat, SearchArgs};
use crate::failure::{Exit, Failure};
use crate::{Face, wire};

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
    if text.is_empty() {
        return Err(Failure::usage(
            "the query is empty",
            "write for example: quaestio search \"retrieval-augmented generation\"",
        ));
    }
    let config = wire::configure(common, None, vec![])?.config;
    let style = args.style.as_deref().unwrap_or(&config.bibliography.style);
    let bibliography = wire::bibliography(style)?;
    let outside = wire::sources(&config)?;
    let asked = wire::asked(&args.sources, &config)?;
    let query =
        Query { text: text.to_owned(), limit: args.limit, from_year: args.from, to_year: args.to };
    let (scholarly, web): (Vec<Source>, Vec<Source>) =
        asked.into_iter().partition(|source| *source != Source::Web);
    let papers = async {
        match scholarly.is_empty() {
            true => Ok(Searched { papers: vec![], answers: vec![] }),
            false => outside.papers(&scholarly, &query).await,
        }
    };
    let pages = async {
        match web.is_empty() {
            true => Ok(vec![]),
            false => outside.pages(&query).await,
        }
    };
    let (papers, pages) = tokio::join!(papers, pages);
    let mut complete = true;
    let tell = |line: String| face.err.line(&clean(&line));
    let (searched, pages) = match (papers, pages) {
        (Ok(searched), Ok(pages)) => (searched, pages),
        (Err(error), Ok(pages)) if !web.is_empty() => {
            (complete, _) = (false, tell(format!("the scholarly sources: {error}")));
            (Searched { papers: vec![], answers: vec![] }, pages)
        }
        (Ok(searched), Err(error)) if !scholarly.is_empty() => {
            (complete, _) = (false, tell(format!("the web search: {error}")));
            (searched, vec![])
        }
        (Err(error), _) | (_, Err(error)) => return Err(error.into()),
    };
    for answer in &searched.answers {
        complete &= matches!(answer.outcome, Outcome::Found(_));
        if !common.quiet || !matches!(answer.outcome, Outcome::Found(_)) {
            tell(told(answer));
        }
    }
    if !web.is_empty() && complete && !common.quiet {
        tell(format!("the web search: {} found", pages.len()));
    }
    face.out.put(&list(args.format, text, &searched, &pages, &bibliography));
    Ok(match (searched.papers.len() + pages.len(), complete) {
        (0, true) => Exit::NotEnoughEvidence,
        // Whoever was not reached may know of something.
        (0, false) => Exit::Partial,
        _ => Exit::Done,
    })
}

/// Says in a line what a source answered.
fn told(Answer { source, outcome, in_place_of }: &Answer) -> String {
    let in_place = in_place_of
        .map_or_else(String::new, |other| format!(" (asked in the place of {})", other.title()));
    let said = match outcome {
        Outcome::Found(papers) => format!("{papers} found"),
        Outcome::Limited { retry_after: Some(after) } => {
            format!("limits its callers and asks to wait {} s", after.as_secs())
        }
        Outcome::Limited { retry_after: None } => "limits its callers".to_owned(),
        Outcome::Failed { reason } => reason.clone(),
    };
    format!("{}{in_place}: {said}", source.title())
}

fn list(
    format: ListFormat,
    query: &str,
    searched: &Searched,
    pages: &[Hit],
    bibliography: &dyn Bibliography,
) -> String {
    let works = || -> Vec<Paper> {
        searched.papers.iter().cloned().chain(pages.iter().map(as_work)).collect()
    };
    match format {
        ListFormat::Table => clean(&table(&searched.papers, pages)),
        ListFormat::Json => {
            let page = json!({
                "query": query,
                "papers": searched.papers,
                "pages": pages,
                "answers": searched.answers,
            });
            format!("{}\n", serde_json::to_string_pretty(&page).unwrap_or_default())
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

/// Returns a page as a reference list knows it.
fn as_work(page: &Hit) -> Paper {
    Paper {
        kind: Kind::WebPage,
        title: page.title.clone(),
        url: Some(page.url.clone()),
        published: page.published.as_deref().and_then(run::paper::Date::read),
        found_by: vec![Source::Web],
        ..Paper::default()
    }
}

/// Characters of a page's snippet that a table shows.
const SNIPPET: usize = 200;
/// Authors that are named before "et al.".
const NAMED_AUTHORS: usize = 3;

fn table(papers: &[Paper], pages: &[Hit]) -> String {
    let mut text = String::new();
    for (index, paper) in papers.iter().enumerate() {
        let mark = if paper.retracted == Some(true) { "RETRACTED: " } else { "" };
        let _ = writeln!(text, "{:>3}  {mark}{}", index + 1, one_line(&paper.title));
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
            let _ = writeln!(text, "     {}", one_line(&known.join(" · ")));
        }
        let found_by: Vec<&str> = paper.found_by.iter().map(|source| source.title()).collect();
        let mut places = vec![paper.source_uri()];
        let doi = paper.ids.doi.as_ref().map(|doi| format!("doi:{doi}"));
        places.extend(doi.filter(|doi| !places.contains(doi)));
        places.extend(paper.pdf_url.clone());
        let _ = writeln!(text, "     {}  [{}]", one_line(&places.join(" · ")), found_by.join(", "));
    }
    for (index, page) in pages.iter().enumerate() {
        let _ = writeln!(text, "{:>3}  {}", papers.len() + index + 1, one_line(&page.title));
        let _ = writeln!(text, "     {}  [web]", one_line(&page.url));
        if !page.snippet.is_empty() {
            let snippet = one_line(&page.snippet);
            let cut = snippet.char_indices().nth(SNIPPET).map(|(at, _)| at);
            let shown = snippet.get(..cut.unwrap_or(snippet.len())).unwrap_or_default();
            let more = if cut.is_some() { "…" } else { "" };
            let _ = writeln!(text, "     {shown}{more}");
        }
    }
    text
}

fn one_line(text: &str) -> String {
    run::ledger::one_line(text)
}
