//! Looks things up outside, for any method: what the sources say to some queries, and texts into a collection.

use std::collections::HashSet;

use futures::future::join_all;

use papers::{Paper, PaperId, Source};
use run::evidence::Passage;
use run::library::{Found, of_run};
use run::sources::{Answer, Hit, Query, Reading, Searched, TakenIn, Target};
use run::{Mode, Result, Run, Stop, ledger};

/// Returns the queries as they are sent: on one line, every one once, none empty, none longer than a search takes in.
pub(crate) fn distinct<'a>(queries: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut seen = HashSet::new();
    queries
        .map(|query| ledger::one_line(&run::grounding::clean(query)))
        .map(|query| query.chars().take(Query::LONGEST).collect::<String>())
        .filter(|query| !query.is_empty() && seen.insert(query.to_lowercase()))
        .collect()
}

/// Search terms of an approved plan that are searched for, at most.
const MOST_TERMS: usize = 20;

/// Returns the search terms of the approved plan as queries, in its order; empty where there are none.
pub(crate) fn approved(run: &Run) -> Vec<String> {
    let mut queries = distinct(run.refined().search_terms.iter().map(String::as_str));
    if queries.len() > MOST_TERMS {
        run.warn(format!(
            "of {} search terms the first {MOST_TERMS} were searched for",
            queries.len()
        ));
        queries.truncate(MOST_TERMS);
    }
    queries
}

/// Returns how many papers and pages may be read, so that the cap of steps leaves enough of them for `others` beside the searches.
pub(crate) fn room(run: &Run, others: u64, queries: usize) -> usize {
    /// Startups, clarifier, planner, and what they look at.
    const BEFORE: u64 = 5;
    let max = run.max_steps().unwrap_or(u64::MAX);
    let others = others + if run.settings().workflow.is_some() { BEFORE } else { 0 };
    let searches = 2 * queries as u64;
    // A narrow cap is met anyway; half of it is for reading then.
    let left = max.saturating_sub(others + searches).max(max.saturating_sub(searches) / 2);
    usize::try_from(left).unwrap_or(usize::MAX)
}

/// What the searches brought.
pub(crate) struct Searches {
    pub(crate) papers: Vec<Searched>,
    pub(crate) pages: Vec<Vec<Hit>>,
    /// Whether every source that was wanted answered every query.
    pub(crate) complete: bool,
}

/// Asks every source for every query, as `wanted` makes one of a text. An error only where not one of them answered.
pub(crate) async fn search(
    run: &Run,
    queries: &[String],
    sources: &[Source],
    wanted: impl Fn(&str) -> Query,
) -> Result<Searches> {
    let scholarly: Vec<Source> =
        sources.iter().copied().filter(|source| *source != Source::Web).collect();
    let web = sources.contains(&Source::Web);
    let names: Vec<&str> = sources.iter().map(|source| source.title()).collect();
    for query in queries {
        run.say(format!("searching {} for: {query}", names.join(", ")));
    }
    let answered = join_all(queries.iter().enumerate().map(async |(index, text)| {
        let (run, query) = (run.scope(&format!("query-{}", index + 1)), wanted(text));
        let papers = async {
            if scholarly.is_empty() { None } else { Some(run.papers(&scholarly, &query).await) }
        };
        let pages = async { if web { Some(run.pages(&query).await) } else { None } };
        futures::future::join(papers, pages).await
    }))
    .await;
    let (mut papers, mut pages, mut failed) = (Vec::new(), Vec::new(), None);
    for (searched, hits) in answered {
        tried(run, searched, &mut papers, &mut failed)?;
        tried(run, hits, &mut pages, &mut failed)?;
    }
    let mut complete = failed.is_none();
    for Answer { source, outcome, in_place_of, as_of } in papers.iter().flat_map(|one| &one.answers)
    {
        let title = source.title();
        if let (Some(why), None) = (outcome.why_not(), in_place_of) {
            run.warn(format!("{title} was not searched: {why}"));
            complete = false;
        }
        if let Some(as_of) = as_of {
            run.warn(format!("{title} could not be asked; what it said at {as_of} was used"));
        }
    }
    match failed {
        Some(stop) if papers.is_empty() && pages.is_empty() => Err(stop),
        _ => Ok(Searches { papers, pages, complete }),
    }
}

/// Keeps an answer; a search that failed is told, and remembered for the case that all of them did.
fn tried<T>(
    run: &Run,
    answer: Option<Result<T>>,
    answers: &mut Vec<T>,
    failed: &mut Option<Stop>,
) -> Result<()> {
    match answer {
        None => {}
        Some(Ok(answer)) => answers.push(answer),
        Some(Err(stop @ (Stop::Stage { .. } | Stop::Budget { .. }))) => {
            run.warn(stop.to_string());
            failed.get_or_insert(stop);
        }
        Some(Err(stop)) => return Err(stop),
    }
    Ok(())
}

/// The works that were found, every one once, the best of every query in turn.
pub(crate) struct Works {
    pub(crate) papers: Vec<Paper>,
    /// What was retracted, or cannot be cited for want of an id or an address.
    pub(crate) left_out: Vec<Paper>,
}

/// Sorts what was found; what is left out is told.
pub(crate) fn works(run: &Run, searched: Vec<Searched>) -> Works {
    let papers = papers::in_turn(searched.into_iter().map(|one| one.papers).collect());
    let mut works = Works { papers: Vec::new(), left_out: Vec::new() };
    for paper in papers::merged(papers) {
        let why = if is_retracted(&paper) {
            "it was retracted"
        } else if !can_be_cited(&paper.source_uri()) {
            "it has neither an id nor an address to be cited by"
        } else {
            works.papers.push(paper);
            continue;
        };
        run.warn(format!("not read, since {why}: {}", title(&paper)));
        works.left_out.push(paper);
    }
    works
}

/// Tells whether a source says so, or the title does as publishers write it there.
fn is_retracted(paper: &Paper) -> bool {
    let title = paper.title.trim_start().to_lowercase();
    paper.retracted == Some(true)
        || ["retracted:", "retracted article", "retraction:", "[retracted", "withdrawn:"]
            .iter()
            .any(|mark| title.starts_with(mark))
}

fn can_be_cited(source_uri: &str) -> bool {
    ["arxiv:", "doi:", "https://", "http://"].iter().any(|scheme| source_uri.starts_with(scheme))
}

/// Returns a work's title on one line; one without a title is called by what it is cited as.
pub(crate) fn title(paper: &Paper) -> String {
    let title = ledger::one_line(&run::grounding::clean(&paper.title));
    if title.is_empty() { paper.source_uri() } else { title }
}

/// What was read.
pub(crate) struct Read {
    pub(crate) taken: Vec<TakenIn>,
    /// Whether everything that was to be read could be reached.
    pub(crate) complete: bool,
}

/// Reads into the collection what there is steps for, each in a scope of its own, at the same time.
pub(crate) async fn read(
    run: &Run,
    collection: &str,
    targets: &[Target],
    room: usize,
) -> Result<Read> {
    let mut complete = true;
    if targets.len() > room {
        run.warn(format!(
            "{} of {} papers and pages were not read: the cap of steps leaves no room for them (--max-steps)",
            targets.len() - room,
            targets.len()
        ));
        complete = false;
    }
    let targets = &targets[..targets.len().min(room)];
    let readings = join_all(
        targets
            .iter()
            .map(async |target| run.scope(&name_of(target)).read(collection, target).await),
    );
    let mut taken: Vec<TakenIn> = Vec::new();
    for reading in readings.await {
        match reading {
            Ok(one) => taken.push(one),
            Err(stop @ (Stop::Budget { .. } | Stop::Stage { .. })) => {
                run.warn(format!("not read: {stop}"));
                complete = false;
            }
            Err(stop) => return Err(stop),
        }
    }
    for TakenIn { source_uri, outcome } in &taken {
        if let Some(reason) = outcome.why_not() {
            run.say(format!("left out: {}: {reason}", ledger::one_line(source_uri)));
        }
        complete &= !matches!(outcome, Reading::Unreached { .. });
    }
    let kept = taken.iter().filter(|one| one.outcome.why_not().is_none()).count();
    run.say(format!("read {kept} of {} papers and pages", targets.len()));
    Ok(Read { taken, complete })
}

/// Puts the passages of several searches together: the best of each, then the second of each, and so on, every one once.
pub(crate) fn together(found: Vec<Vec<Passage>>) -> Vec<Passage> {
    let mut seen = HashSet::new();
    let mut passages = papers::in_turn(found);
    passages.retain(|one| seen.insert((one.place.document_id.clone(), one.place.start)));
    passages
}

/// The same of everything that was found, as far as it has anything of what was searched for.
pub(crate) fn together_of(found: Vec<Found>) -> Vec<Passage> {
    let passages = found.into_iter().map(|found| {
        let mut passages = found.passages;
        passages.retain(|one| one.score > 0.0);
        passages
    });
    together(passages.collect())
}

/// Returns the collection of what is read: a fork from a later step goes on with that of the run it came from.
pub(crate) async fn collection(run: &Run) -> Result<String> {
    run.step("collection", &(), || std::future::ready(Ok(of_run(run.id())))).await
}

/// Returns passages, best first, as an agent reads them within so many tokens: as many as fit, each with the rest of its section as far
/// as there is room. Without a model they stay as they were found, since sentences are picked from them.
pub(crate) async fn in_context(
    run: &Run,
    passages: Vec<Passage>,
    tokens: u32,
) -> Result<Vec<Passage>> {
    /// Fewer than usual: what was read on should still fit.
    const BYTES_PER_TOKEN: usize = 3;
    let passages = packed(passages, tokens);
    if run.mode() == Mode::Offline || passages.is_empty() {
        return Ok(passages);
    }
    let used: usize = passages.iter().map(|one| one.text.len()).sum();
    let room = (tokens as usize * BYTES_PER_TOKEN).saturating_sub(used);
    Ok(packed(read_on(run, passages, room).await?, tokens))
}

/// Reads passages on through their sections, as far as there is room, in bytes; where that cannot be done they are read as they are.
pub(crate) async fn read_on(
    run: &Run,
    passages: Vec<Passage>,
    room: usize,
) -> Result<Vec<Passage>> {
    match run.read_on(&passages, room).await {
        Err(Stop::Budget { .. } | Stop::Stage { .. }) => Ok(passages),
        read => read,
    }
}

/// Takes passages, best first, until the token budget is used up; the first always fits.
fn packed(passages: Vec<Passage>, tokens: u32) -> Vec<Passage> {
    packed_by(passages, tokens, |passage| &passage.text)
}

/// The same of anything that has a text.
pub(crate) fn packed_by<T>(best_first: Vec<T>, tokens: u32, text: impl Fn(&T) -> &str) -> Vec<T> {
    let mut left = tokens as usize;
    let mut pack = Vec::new();
    for one in best_first {
        let needed = text::count_tokens(text(&one));
        if needed > left && !pack.is_empty() {
            break;
        }
        left = left.saturating_sub(needed);
        pack.push(one);
    }
    pack
}

/// Names the scope of a reading by what is read.
fn name_of(target: &Target) -> String {
    const LONGEST: usize = 80;
    let uri = ledger::one_line(&run::grounding::clean(&target.source_uri()));
    uri.chars().take(LONGEST).collect()
}

/// Returns an address as addresses are compared: an arXiv id or a DOI where it holds one, else without scheme, `www.`, fragment and
/// slash at its end.
pub(crate) fn address(url: &str) -> String {
    match PaperId::of_address(url) {
        Some(PaperId::Arxiv { id, .. }) => return format!("arxiv:{id}"),
        Some(id) => return id.to_string(),
        None => {}
    }
    let url = url.split('#').next().unwrap_or_default();
    let url = url.split_once("://").map_or(url, |(_, rest)| rest);
    url.strip_prefix("www.").unwrap_or(url).trim_end_matches('/').to_owned()
}

pub(crate) fn addresses(paper: &Paper) -> Vec<String> {
    let ids = &paper.ids;
    let arxiv = ids.arxiv.iter().map(|id| format!("arxiv:{id}"));
    let doi = ids.doi.iter().map(|doi| format!("doi:{doi}"));
    let urls = paper.url.iter().chain(&paper.pdf_url).map(|url| address(url));
    arxiv.chain(doi).chain(urls).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_address_is_one_however_it_is_written() {
        let same =
            ["https://www.example.org/a/", "http://example.org/a", "https://example.org/a#part"];
        assert!(same.iter().all(|url| address(url) == "example.org/a"));
        assert_eq!(address("https://arxiv.org/pdf/2005.11401v4"), "arxiv:2005.11401");
        assert_eq!(address("https://doi.org/10.1000/ABC"), "doi:10.1000/abc");
    }
}
