//! The sources' answers to a section's queries: searched for, read into the run's collection, and cited as evidence.

use futures::future::try_join_all;
use serde_json::json;

use run::evidence::{Numbered, Passage};
use run::library::Search;
use run::sources::{Hit, Query, Searched as Found, Served, Target};
use run::{Result, Run, Stop};

use super::payload::{Searched, Section};
use super::scope;
use super::study::Study;
use crate::outside::{self, Read, Searches, Works, address, addresses};

/// The steps of an agent besides its searches and readings: its tries, its return, the collection.
const OTHERS: u64 = 6;

/// The evidence for a section's agent.
pub(super) struct Material {
    /// Includes the user's answers.
    pub(super) evidence: Vec<Numbered>,
    /// Whether anything was found, apart from the user's answers.
    pub(super) found: bool,
}

/// Warns about approved subjects that are not searched for.
pub(super) fn remark(run: &Run, question: &str) {
    let (_, rest) = scope::choose_subjects(question, run.refined());
    if !rest.is_empty() && !list_sections(run).is_empty() {
        let rest: Vec<String> = rest.iter().map(|one| format!("'{one}'")).collect();
        run.warn(format!(
            "only the first {} of the plan's search terms and focus areas are searched, not {}",
            scope::MOST_SUBJECTS,
            rest.join(", ")
        ));
    }
}

/// Returns the sections that the plan does not leave out.
fn list_sections(run: &Run) -> Vec<Section> {
    Section::ALL.into_iter().filter(|section| !run.leaves_out(section.role())).collect()
}

/// Researches a section. `run` is in the section's scope.
pub(super) async fn material(
    run: &Run,
    study: &mut Study<'_>,
    section: Section,
) -> Result<Material> {
    let rules = &study.options.rules;
    let sections = list_sections(run);
    let queries =
        scope::queries(study.question, run.refined(), (section, &sections), rules.queries);
    let mut searched = Searched {
        section: section.role().into(),
        queries: queries.clone(),
        complete: true,
        ..Searched::default()
    };
    if !study.options.sources.is_empty() {
        looked_up(run, study, &queries, &mut searched).await?;
    }
    let passages = retrieved(run, study, &queries).await?;
    searched.passages = passages.len() as u32;
    study.analysis.searched.push(searched);
    let found = !passages.is_empty();
    let answers = scope::build_passages(run.refined());
    let evidence = run.cite(passages.into_iter().chain(answers).collect())?;
    study.take_in(&evidence);
    Ok(Material { evidence, found })
}

/// Queries the sources, and reads what no earlier section has read.
async fn looked_up(
    run: &Run,
    study: &mut Study<'_>,
    queries: &[String],
    searched: &mut Searched,
) -> Result<()> {
    let (options, rules) = (study.options, &study.options.rules);
    let found =
        outside::search(run, queries, &options.sources, |text| Query::new(text, rules.results))
            .await;
    let Searches { papers, pages, texts, complete } = match found {
        Ok(found) => found,
        // Other sections may still be written from what is available.
        Err(Stop::Stage { .. }) => {
            searched.complete = false;
            return Ok(());
        }
        Err(stop) => return Err(stop),
    };
    searched.complete = complete;
    searched.answers = outside::answers(&papers, &texts).map(|answer| json!(answer)).collect();
    let targets = chosen(run, study, papers, pages, texts);
    if targets.is_empty() {
        return Ok(());
    }
    let collection = study.collection(run).await?;
    let room = compute_room(run, study, queries.len());
    let Read { taken, complete } = outside::read(run, &collection, &targets, room).await?;
    searched.complete &= complete;
    study.any_read |= taken.iter().any(|one| one.outcome.why_not().is_none());
    searched.read = taken.iter().map(|one| json!(one)).collect();
    Ok(())
}

/// Returns how much may be read for a section so that the step cap leaves as much for each of the others.
fn compute_room(run: &Run, study: &Study<'_>, queries: usize) -> usize {
    let sections = list_sections(run).len().max(1);
    // Each query is searched for in two places and retrieved from two.
    let own = OTHERS
        + 4 * u64::from(study.options.rules.queries).max(queries as u64)
        + outside::steps_of_servers(&study.options.sources, queries);
    outside::room(run, own * sections as u64 + OTHERS, queries) / sections
}

/// Chooses what to read: the best results of every query in turn, each work, page and text once per run.
fn chosen(
    run: &Run,
    study: &mut Study<'_>,
    searched: Vec<Found>,
    hits: Vec<Vec<Hit>>,
    served: Vec<Served>,
) -> Vec<Target> {
    let rules = &study.options.rules;
    let Works { papers, left_out } = outside::works(run, searched);
    let known = &mut study.read;
    known.extend(left_out.iter().flat_map(addresses));
    let mut targets = Vec::new();
    for paper in papers {
        let own = addresses(&paper);
        let readable = paper.summary.is_some() || (rules.full_text && paper.pdf_url.is_some());
        let is_known = own.iter().any(|address| known.contains(address));
        if readable && !is_known && targets.len() < rules.papers_read as usize {
            known.extend(own);
            targets.push(Target::Paper { paper: Box::new(paper), full_text: rules.full_text });
        }
    }
    let pages = papers::in_turn(hits)
        .into_iter()
        .filter(|hit| !known.contains(&address(&hit.url)))
        .collect::<Vec<Hit>>();
    let mut taken = 0;
    for hit in pages {
        if taken < rules.pages_read && known.insert(address(&hit.url)) {
            taken += 1;
            targets.push(Target::Page { url: hit.url });
        }
    }
    let is_new = |uri: &str| known.insert(uri.to_owned());
    targets.extend(outside::new_texts(served, is_new, rules.pages_read));
    targets
}

/// Returns the passages nearest to the queries, from the run's collection and the user's own.
async fn retrieved(run: &Run, study: &Study<'_>, queries: &[String]) -> Result<Vec<Passage>> {
    let rules = &study.options.rules;
    let mut places: Vec<(&'static str, &str)> = Vec::new();
    if let Some(collection) = study.collection.as_deref().filter(|_| study.any_read) {
        places.push(("read", collection));
    }
    if !study.options.collection.is_empty() {
        places.push(("own", study.options.collection.as_str()));
    }
    let asked = queries.iter().enumerate().flat_map(|(index, query)| {
        let at = |(place, collection): &(&'static str, &str)| {
            let search = Search {
                collection: (*collection).to_owned(),
                question: query.clone(),
                filter: Default::default(),
                top_k: rules.passages,
                retrieval: rules.retrieval,
            };
            (format!("{place}-{}", index + 1), search)
        };
        places.iter().map(at).collect::<Vec<_>>()
    });
    let found =
        try_join_all(asked.map(async |(scope, search)| run.scope(&scope).retrieve(&search).await))
            .await?;
    outside::in_context(run, outside::together_of(found), rules.context_tokens).await
}
