//! Searches outside, for any method: asks the sources, and reads texts into a collection.

use std::collections::HashSet;

use futures::future::join_all;

use papers::{Paper, PaperId, ServerName, Source};
use run::evidence::Passage;
use run::library::{Found, of_run};
use run::sources::{Answer, Hit, Query, Reading, Searched, Served, ServedText, TakenIn, Target};
use run::{Mode, Result, Run, Stop, ledger};

/// Returns the queries as they are sent: on one line, each once, none empty, each cut to the longest that a search accepts.
pub(crate) fn distinct<'a>(queries: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut seen = HashSet::new();
    queries
        .map(|query| ledger::one_line(&run::grounding::clean(query)))
        .map(|query| query.chars().take(Query::LONGEST).collect::<String>())
        .filter(|query| !query.is_empty() && seen.insert(query.to_lowercase()))
        .collect()
}

/// Maximum search terms of an approved plan that are searched for.
const MOST_TERMS: usize = 20;

/// Returns the search terms of the approved plan as queries, in its order; empty if there are none.
pub(crate) fn approved(run: &Run) -> Vec<String> {
    let mut queries = distinct(run.refined().search_terms.iter().map(String::as_str));
    if queries.len() > MOST_TERMS {
        run.warn(format!(
            "only the first {MOST_TERMS} of {} search terms were searched",
            queries.len()
        ));
        queries.truncate(MOST_TERMS);
    }
    queries
}

/// Returns how many papers and pages may be read, so that the cap on steps leaves enough for the searches and `others`.
pub(crate) fn room(run: &Run, others: u64, queries: usize) -> usize {
    /// Steps for startups, clarifier, planner, and what they look at.
    const BEFORE: u64 = 5;
    let max = run.max_steps().unwrap_or(u64::MAX);
    let others = others + if run.settings().workflow.is_some() { BEFORE } else { 0 };
    let searches = 2 * queries as u64;
    // A narrow cap is reached anyway; then half of the steps after the searches are for reading.
    let left = max.saturating_sub(others + searches).max(max.saturating_sub(searches) / 2);
    usize::try_from(left).unwrap_or(usize::MAX)
}

/// The results of the searches.
pub(crate) struct Searches {
    pub(crate) papers: Vec<Searched>,
    pub(crate) pages: Vec<Vec<Hit>>,
    pub(crate) texts: Vec<Served>,
    /// Whether every requested source answered every query.
    pub(crate) complete: bool,
}

/// Runs every query against every source; `wanted` makes a query from its text. A failed search is an error only if none of them answered.
pub(crate) async fn search(
    run: &Run,
    queries: &[String],
    sources: &[Source],
    wanted: impl Fn(&str) -> Query,
) -> Result<Searches> {
    let scholarly: Vec<Source> =
        sources.iter().copied().filter(|source| source.is_scholarly()).collect();
    let web = sources.contains(&Source::Web);
    let servers: Vec<ServerName> = sources.iter().filter_map(|source| source.server()).collect();
    let names: Vec<_> = sources.iter().map(|source| source.title()).collect();
    for query in queries {
        run.say(format!("searching {} for: {query}", names.join(", ")));
    }
    let answered = join_all(queries.iter().enumerate().map(async |(index, text)| {
        let (run, query) = (run.scope(&format!("query-{}", index + 1)), wanted(text));
        let papers = async {
            if scholarly.is_empty() { None } else { Some(run.papers(&scholarly, &query).await) }
        };
        let pages = async { if web { Some(run.pages(&query).await) } else { None } };
        let texts = async {
            if servers.is_empty() { None } else { Some(run.texts(&servers, &query).await) }
        };
        futures::future::join3(papers, pages, texts).await
    }))
    .await;
    let (mut papers, mut pages, mut texts, mut failed) = (vec![], vec![], vec![], None);
    for (searched, hits, served) in answered {
        tried(run, searched, &mut papers, &mut failed)?;
        tried(run, hits, &mut pages, &mut failed)?;
        tried(run, served, &mut texts, &mut failed)?;
    }
    let mut complete = failed.is_none();
    for Answer { source, outcome, in_place_of, as_of } in answers(&papers, &texts) {
        let title = source.title();
        if let (Some(why), None) = (outcome.why_not(), in_place_of) {
            run.warn(match why.contains(title.as_ref()) {
                true => why,
                false => format!("{title} was not searched: {why}"),
            });
            complete = false;
        }
        if let Some(as_of) = as_of {
            run.warn(format!(
                "{title} could not be reached; its saved answer from {as_of} was used"
            ));
        }
    }
    match failed {
        Some(stop) if papers.is_empty() && pages.is_empty() && texts.is_empty() => Err(stop),
        _ => Ok(Searches { papers, pages, texts, complete }),
    }
}

/// Returns the answers of all sources but the web search, for each query in turn.
pub(crate) fn answers<'a>(
    papers: &'a [Searched],
    texts: &'a [Served],
) -> impl Iterator<Item = &'a Answer> {
    let of_papers = papers.iter().flat_map(|one| &one.answers);
    of_papers.chain(texts.iter().flat_map(|one| &one.answers))
}

/// Returns how many steps the MCP servers among `sources` take for so many queries.
pub(crate) fn steps_of_servers(sources: &[Source], queries: usize) -> u64 {
    if sources.iter().any(|source| source.server().is_some()) { queries as u64 } else { 0 }
}

/// Returns the servers' texts whose address is new, the best of every query in turn, at most so many.
pub(crate) fn new_texts(
    served: Vec<Served>,
    mut is_new: impl FnMut(&str) -> bool,
    most: u32,
) -> Vec<Target> {
    let texts: Vec<Vec<ServedText>> = served.into_iter().map(|one| one.texts).collect();
    let texts = papers::in_turn(texts).into_iter();
    let new = texts.filter(|text| is_new(&text.source_uri)).take(most as usize);
    new.map(|text| Target::Text { text: Box::new(text) }).collect()
}

/// Keeps an answer. Warns of a search that failed, and keeps its error in case all of them fail.
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

/// The works found, each once, the best of every query in turn.
pub(crate) struct Works {
    pub(crate) papers: Vec<Paper>,
    /// Works that were retracted, or that cannot be cited for lack of an id or an address.
    pub(crate) left_out: Vec<Paper>,
}

/// Merges and sorts the works found, with a warning for each that is left out.
pub(crate) fn works(run: &Run, searched: Vec<Searched>) -> Works {
    let papers = papers::in_turn(searched.into_iter().map(|one| one.papers).collect());
    let mut works = Works { papers: Vec::new(), left_out: Vec::new() };
    for paper in papers::merged(papers) {
        let why = if is_retracted(&paper) {
            "it was retracted"
        } else if !can_be_cited(&paper.source_uri()) {
            "it has neither an id nor an address to cite"
        } else {
            works.papers.push(paper);
            continue;
        };
        run.warn(format!("not read because {why}: {}", title(&paper)));
        works.left_out.push(paper);
    }
    works
}

/// Returns whether a source says that a work was retracted, or its title does in a form that publishers write.
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

/// Returns a work's title on one line, or its source URI if it has no title.
pub(crate) fn title(paper: &Paper) -> String {
    let title = ledger::one_line(&run::grounding::clean(&paper.title));
    if title.is_empty() { paper.source_uri() } else { title }
}

/// The papers and pages that were read.
pub(crate) struct Read {
    pub(crate) taken: Vec<TakenIn>,
    /// Whether everything to be read could be reached.
    pub(crate) complete: bool,
}

/// Reads the targets into the collection concurrently, each in its own scope, as many as there is `room` for.
pub(crate) async fn read(
    run: &Run,
    collection: &str,
    targets: &[Target],
    room: usize,
) -> Result<Read> {
    let mut complete = true;
    if targets.len() > room {
        run.warn(format!(
            "{} of {} papers and pages were not read: the limit on steps was reached. Raise it with `--max-steps`",
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

/// Merges the passages of several searches: the best of each, then the second of each, and so on, each once.
pub(crate) fn together(found: Vec<Vec<Passage>>) -> Vec<Passage> {
    let mut seen = HashSet::new();
    let mut passages = papers::in_turn(found);
    passages.retain(|one| seen.insert((one.place.document_id.clone(), one.place.start)));
    passages
}

/// Merges the passages of several retrievals in the same way, without those that score 0.
pub(crate) fn together_of(found: Vec<Found>) -> Vec<Passage> {
    let passages = found.into_iter().map(|found| {
        let mut passages = found.passages;
        passages.retain(|one| one.score > 0.0);
        passages
    });
    together(passages.collect())
}

/// Returns the collection to read into. It is a step, so that a fork from a later step keeps the collection of the run it came from.
pub(crate) async fn collection(run: &Run) -> Result<String> {
    run.step("collection", &(), || std::future::ready(Ok(of_run(run.id())))).await
}

/// Returns as many passages, best first, as fit into `tokens` tokens, each with the rest of its section if there is room. Without a model
/// they are not extended, since sentences are picked from them.
pub(crate) async fn in_context(
    run: &Run,
    passages: Vec<Passage>,
    tokens: u32,
) -> Result<Vec<Passage>> {
    /// Fewer than usual, so that extended passages still fit.
    const BYTES_PER_TOKEN: usize = 3;
    let passages = packed(passages, tokens);
    if run.mode() == Mode::Offline || passages.is_empty() {
        return Ok(passages);
    }
    let used: usize = passages.iter().map(|one| one.text.len()).sum();
    let room = (tokens as usize * BYTES_PER_TOKEN).saturating_sub(used);
    Ok(packed(read_on(run, passages, room).await?, tokens))
}

/// Extends passages through their sections, within `room` bytes in all; returns them unchanged if that fails.
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

/// Takes passages, best first, until the token budget is spent; the first is always taken.
fn packed(passages: Vec<Passage>, tokens: u32) -> Vec<Passage> {
    packed_by(passages, tokens, |passage| &passage.text)
}

/// Takes anything that has a text, best first, until the token budget is spent; the first is always taken.
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

/// Returns the name of a reading's scope: what is read, on one line and shortened.
fn name_of(target: &Target) -> String {
    const LONGEST: usize = 80;
    let uri = ledger::one_line(&run::grounding::clean(&target.source_uri()));
    uri.chars().take(LONGEST).collect()
}

/// Returns the form in which addresses are compared: an arXiv id or a DOI if the address holds one, else the address without scheme,
/// `www.`, fragment and trailing slash.
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
