//! The papers and the user's own documents: searched with the question and the refined query, read, and shown to the agents as evidence.

use std::collections::BTreeSet;

use futures::future::try_join_all;
use serde_json::json;

use papers::{Author, Paper};
use run::evidence::{EvidenceKind, Numbered};
use run::library::Search;
use run::sources::{Query, Target};
use run::{Result, Run, Stop};

use super::diversity;
use super::payload::{Diversity, FoundPaper, Retrieval};
use super::study::Study;
use crate::outside::{self, Read, Searches, Works};

/// Steps besides searches and readings, including one retry of each agent.
const OTHERS: u64 = 24;

/// Queries the sources concurrently, with the question and with the refined query or, under a plan, its terms; returns each work once.
pub(super) async fn searched(run: &Run, study: &mut Study<'_>) -> Result<()> {
    let approved = outside::approved(run);
    // A query invented by the framer is not part of an approved plan.
    let refined = (!run.is_planned()).then_some(study.framing.refined_query.as_str());
    let own = std::iter::once(study.question).chain(refined);
    let queries = outside::distinct(own.chain(approved.iter().map(String::as_str)));
    let options = study.options;
    let has_own = !options.collection.is_empty();
    let none = |complete| Searches { papers: vec![], pages: vec![], texts: vec![], complete };
    let answered = match options.sources.as_slice() {
        [] => none(true),
        sources => {
            let wanted = |text: &str| Query::new(text, options.rules.results);
            match outside::search(run, &queries, sources, wanted).await {
                // The user's own documents may suffice.
                Err(Stop::Stage { .. }) if has_own => none(false),
                answered => answered?,
            }
        }
    };
    let Searches { papers: searched, complete, .. } = answered;
    let answers =
        searched.iter().flat_map(|one| &one.answers).map(|answer| json!(answer)).collect();
    let Works { papers: works, left_out } = outside::works(run, searched);
    let without = works.iter().filter(|paper| paper.summary.is_none()).count();
    study.retrieval = Some(Retrieval {
        queries,
        answers,
        papers: works.iter().map(found).collect(),
        without_abstract: without as u32,
        complete,
    });
    if works.is_empty() && !has_own {
        let why = if left_out.is_empty() {
            "the sources found no paper on this question. Use broader words, or add documents with `--docs`"
        } else {
            "every paper found was left out; the warnings give the reasons"
        };
        return Err(study.failed(format!("no citations could be grounded: {why}")));
    }
    if without > 0 {
        run.warn(format!("{without} of the {} papers found came without an abstract", works.len()));
    }
    study.works = works;
    Ok(())
}

/// Reads those works that can be read into the run's collection.
pub(super) async fn read(run: &Run, study: &mut Study<'_>) -> Result<()> {
    let rules = &study.options.rules;
    let targets: Vec<Target> = study
        .works
        .iter()
        .filter(|paper| paper.summary.is_some() || (rules.full_text && paper.pdf_url.is_some()))
        .take(rules.papers_read as usize)
        .map(|paper| Target::Paper { paper: Box::new(paper.clone()), full_text: rules.full_text })
        .collect();
    let has_own = !study.options.collection.is_empty();
    if targets.is_empty() && has_own {
        return Ok(());
    }
    if targets.is_empty() {
        return Err(study.failed(format!(
            "no citations could be grounded: the sources gave only titles for all {} papers, and no abstracts",
            study.works.len()
        )));
    }
    let queries = study.retrieval.as_ref().map_or(0, |retrieval| retrieval.queries.len());
    let room = outside::room(run, OTHERS, queries);
    let collection = outside::collection(run).await?;
    let Read { taken, complete } = outside::read(run, &collection, &targets, room).await?;
    let kept: BTreeSet<&str> = taken
        .iter()
        .filter(|one| one.outcome.why_not().is_none())
        .map(|one| one.source_uri.as_str())
        .collect();
    if let Some(retrieval) = &mut study.retrieval {
        retrieval.complete &= complete;
        for paper in &mut retrieval.papers {
            paper.read = kept.contains(paper.paper_id.as_str());
        }
    }
    let any = !kept.is_empty();
    study.keep("retrieval", &json!({"read": taken}));
    if any {
        study.collection = collection;
    }
    match taken.as_slice() {
        _ if any || has_own => Ok(()),
        [] => {
            Err(study
                .failed("nothing was read: the limit on steps was reached. Raise it with `--max-steps`"))
        }
        _ => Err(study.failed(
            "none of the papers found could be read; the JSON result gives the reasons under stage_outputs.retrieval",
        )),
    }
}

/// Collects the passages nearest to the question and the refined query as evidence.
pub(super) async fn cited(run: &Run, study: &mut Study<'_>) -> Result<()> {
    let rules = &study.options.rules;
    let queries = study.retrieval.as_ref().map_or(&[][..], |retrieval| &retrieval.queries);
    // In a run with documents of its own, papers are read into the same collection.
    let (read, users) = (study.collection.as_str(), study.options.collection.as_str());
    let places = [("query", read), ("own", if users == read { "" } else { users })];
    let places = places.into_iter().filter(|(_, collection)| !collection.is_empty());
    let asked = places.flat_map(|(scope, collection)| {
        let search = |(number, query): (usize, &String)| {
            let search = Search {
                collection: collection.to_owned(),
                question: query.clone(),
                filter: Default::default(),
                top_k: rules.passages,
                retrieval: rules.retrieval,
            };
            (format!("{scope}-{number}"), search)
        };
        (1..).zip(queries).map(search).collect::<Vec<_>>()
    });
    let found =
        try_join_all(asked.map(async |(scope, search)| run.scope(&scope).retrieve(&search).await))
            .await?;
    let passages =
        outside::in_context(run, outside::together_of(found), rules.context_tokens).await?;
    if passages.is_empty() {
        let what = match study.options.sources.as_slice() {
            [] => "no document is relevant to the question",
            _ => "nothing that was read is relevant to the question",
        };
        return Err(study.failed(what));
    }
    study.evidence = run.cite(passages)?;
    let own: Vec<FoundPaper> = study.evidence.iter().filter_map(own).collect();
    if let Some(retrieval) = &mut study.retrieval {
        for document in own {
            if retrieval.papers.iter().all(|known| known.paper_id != document.paper_id) {
                retrieval.papers.push(document);
            }
        }
    }
    Ok(())
}

/// Returns the user's document that the evidence comes from, in citable form; `None` if it comes from a paper.
fn own(evidence: &Numbered) -> Option<FoundPaper> {
    let evidence = &evidence.evidence;
    let title = &evidence.provenance.place.title;
    (evidence.kind == EvidenceKind::Rag).then(|| FoundPaper {
        paper_id: evidence.source_uri.clone(),
        doi: None,
        title: if title.is_empty() { evidence.source_uri.clone() } else { title.clone() },
        authors: vec![],
        year: None,
        has_abstract: false,
        read: true,
    })
}

fn found(paper: &Paper) -> FoundPaper {
    FoundPaper {
        paper_id: paper.source_uri(),
        doi: paper.ids.doi.clone(),
        title: outside::title(paper),
        authors: names(paper),
        year: paper.published.as_ref().map(|date| date.year),
        has_abstract: paper.summary.is_some(),
        read: false,
    }
}

/// Returns the authors' names for display.
pub(super) fn names(paper: &Paper) -> Vec<String> {
    paper.authors.iter().map(Author::to_string).collect()
}

/// Measures the similarity of the hypotheses, by vectors if available.
pub(super) async fn alike(run: &Run, study: &Study<'_>, stage: &str) -> Result<Diversity> {
    let rules = &study.options.rules.diversity;
    let ids: Vec<String> = study.candidates.iter().map(|one| one.id.clone()).collect();
    let texts: Vec<String> = study.candidates.iter().map(|one| one.core()).collect();
    let cosines = match rules.measure {
        diversity::Choice::Shingles => None,
        diversity::Choice::Embeddings => match run.cosines(&texts).await {
            Ok(None) => {
                run.warn("the hypotheses were compared by their words, because no embedding model is configured");
                None
            }
            Ok(cosines) => cosines,
            Err(Stop::Stage { message, .. }) => {
                run.warn(format!("the hypotheses were compared by their words: {message}"));
                None
            }
            Err(stop) => return Err(stop),
        },
    };
    Ok(diversity::measured(stage, &ids, &texts, cosines.as_deref(), rules))
}
