//! One work, told of by several sources, becomes one paper.

use std::collections::{BTreeMap, HashMap};

use unicode_normalization::UnicodeNormalization as _;

use crate::paper::{ARXIV_DOI, Author, Kind, Paper, Source};

/// Returns the papers with every work once, each in the place where it was first told of.
///
/// Papers are one work if they share an id (a DOI, an arXiv id, or one source's own), or a title that is long enough to say something, the first
/// author's family name and the year, give or take two: a preprint is mostly printed later. Of each field the one
/// stands that the best-informed source has. Which papers are one work does not depend on their order.
pub fn merged(papers: Vec<Paper>) -> Vec<Paper> {
    let mut groups = Groups::of(papers.len());
    let mut by_key: HashMap<String, usize> = HashMap::new();
    for (index, paper) in papers.iter().enumerate() {
        for key in keys(paper) {
            groups.join(*by_key.entry(key).or_insert(index), index);
        }
    }
    let mut by_title: HashMap<String, Vec<usize>> = HashMap::new();
    for (index, paper) in papers.iter().enumerate() {
        let Some(title) = telling_title(&paper.title) else { continue };
        let alike = by_title.entry(title).or_default();
        for &other in alike.iter() {
            if may_be_one(paper, &papers[other]) {
                groups.join(other, index);
            }
        }
        alike.push(index);
    }
    let mut works: BTreeMap<usize, Vec<Paper>> = BTreeMap::new();
    for (index, paper) in papers.into_iter().enumerate() {
        works.entry(groups.first(index)).or_default().push(paper);
    }
    works.into_values().map(one).collect()
}

/// Returns the first of each list, then the second of each, and so on.
pub fn in_turn<T>(lists: Vec<Vec<T>>) -> Vec<T> {
    let mut lists: Vec<_> = lists.into_iter().map(Vec::into_iter).collect();
    let mut all = Vec::new();
    loop {
        let before = all.len();
        all.extend(lists.iter_mut().filter_map(Iterator::next));
        if all.len() == before {
            return all;
        }
    }
}

/// How many years may lie between a preprint and its printing.
const YEARS_APART: i16 = 2;
/// Words of a title that more than one work can hardly share; with fewer, as in "Editorial", it says nothing.
const TELLING_WORDS: usize = 4;

/// The ids by which a paper is the same as another.
fn keys(paper: &Paper) -> Vec<String> {
    let ids = &paper.ids;
    let of_arxiv = ids.doi.as_deref().and_then(|doi| doi.strip_prefix(ARXIV_DOI));
    let named = [
        ("doi", ids.doi.as_deref()),
        ("arxiv", ids.arxiv.as_deref().or(of_arxiv)),
        ("semantic-scholar", ids.semantic_scholar.as_deref()),
        ("openalex", ids.openalex.as_deref()),
        ("pubmed", ids.pubmed.as_deref()),
    ];
    named
        .into_iter()
        .filter_map(|(name, id)| Some(format!("{name}:{}", id?.to_lowercase())))
        .collect()
}

/// Returns a text as it is compared: letters and digits alone, in lower case, without their marks.
pub(crate) fn folded(text: &str) -> String {
    text.nfkd().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Returns a title as titles are compared; none where it is too short to tell works apart.
fn telling_title(title: &str) -> Option<String> {
    let words = title.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let folded = folded(title);
    // Scripts without spaces write a title in one piece.
    let telling =
        words.count() >= TELLING_WORDS || (!folded.is_ascii() && folded.chars().count() >= 12);
    telling.then_some(folded)
}

/// Tells whether nothing but a shared title would speak against two papers being one work.
fn may_be_one(one: &Paper, other: &Paper) -> bool {
    let family = |paper: &Paper| {
        paper.authors.first().map(|author| match author {
            Author::Person { family, .. } => folded(family),
            Author::Named { name } => {
                folded(name.split_whitespace().next_back().unwrap_or_default())
            }
        })
    };
    let authors = match (family(one), family(other)) {
        (Some(one), Some(other)) => one == other,
        _ => false,
    };
    let years = match (one.year(), other.year()) {
        (Some(one), Some(other)) => one.abs_diff(other) <= YEARS_APART.unsigned_abs(),
        _ => true,
    };
    // A version of record has one DOI; its preprints have others.
    let printed = |paper: &Paper| {
        paper
            .ids
            .doi
            .as_deref()
            .filter(|doi| !doi.starts_with(ARXIV_DOI) && paper.kind != Kind::Preprint)
            .map(str::to_owned)
    };
    let records = match (printed(one), printed(other)) {
        (Some(one), Some(other)) => one == other,
        _ => true,
    };
    authors && years && records
}

/// Puts what several sources say of one work together.
fn one(mut told: Vec<Paper>) -> Paper {
    let mut found_by: Vec<Source> = Vec::new();
    for source in told.iter().flat_map(|paper| &paper.found_by) {
        if !found_by.contains(source) {
            found_by.push(*source);
        }
    }
    told.sort_by_key(rank);
    let mut told = told.into_iter();
    let Some(mut best) = told.next() else { return Paper::default() };
    for paper in told {
        fill(&mut best, paper);
    }
    best.found_by = found_by;
    best
}

/// The best-informed first: what was printed before what is about to be, what is deposited by publishers before what is gathered.
fn rank(paper: &Paper) -> (bool, usize, bool) {
    const INFORMED: [Source; 5] =
        [Source::Crossref, Source::Openalex, Source::SemanticScholar, Source::Arxiv, Source::Web];
    let place = INFORMED.iter().position(|source| paper.found_by.contains(source));
    (paper.kind == Kind::Preprint, place.unwrap_or(INFORMED.len()), paper.authors.is_empty())
}

/// Takes from `other` what `best` does not have.
fn fill(best: &mut Paper, other: Paper) {
    fn option<T>(mine: &mut Option<T>, theirs: Option<T>) {
        if mine.is_none() {
            *mine = theirs;
        }
    }
    fn list<T: PartialEq>(mine: &mut Vec<T>, theirs: Vec<T>) {
        for one in theirs {
            if !mine.contains(&one) {
                mine.push(one);
            }
        }
    }
    // Where it stands is told by one source or not at all: another's volume belongs to another printing.
    if best.venue.is_none() {
        best.venue = other.venue;
        best.venue_short = other.venue_short;
        best.series = other.series;
        best.volume = other.volume;
        best.issue = other.issue;
        best.pages = other.pages;
        best.article_number = other.article_number;
    } else if best.venue.as_deref().map(folded) == other.venue.as_deref().map(folded) {
        option(&mut best.venue_short, other.venue_short);
        option(&mut best.series, other.series);
        option(&mut best.volume, other.volume);
        option(&mut best.issue, other.issue);
        option(&mut best.pages, other.pages);
        option(&mut best.article_number, other.article_number);
    }
    if best.kind == Kind::Other {
        best.kind = other.kind;
    }
    if best.title.is_empty() {
        best.title = other.title;
    }
    if best.authors.is_empty() {
        best.authors = other.authors;
    }
    if best.editors.is_empty() {
        best.editors = other.editors;
    }
    // Two sources spell the same place differently.
    if best.affiliations.is_empty() {
        best.affiliations = other.affiliations;
    }
    if best.funders.is_empty() {
        best.funders = other.funders;
    }
    option(&mut best.published, other.published);
    option(&mut best.updated, other.updated);
    option(&mut best.edition, other.edition);
    option(&mut best.publisher, other.publisher);
    option(&mut best.publisher_place, other.publisher_place);
    option(&mut best.summary, other.summary);
    option(&mut best.url, other.url);
    option(&mut best.pdf_url, other.pdf_url);
    option(&mut best.licence, other.licence);
    option(&mut best.language, other.language);
    option(&mut best.open_access, other.open_access);
    best.citation_count = best.citation_count.max(other.citation_count);
    best.reference_count = best.reference_count.max(other.reference_count);
    // Whoever knows of a retraction is right.
    best.retracted = match (best.retracted, other.retracted) {
        (Some(one), Some(other)) => Some(one || other),
        (one, other) => one.or(other),
    };
    list(&mut best.subjects, other.subjects);
    list(&mut best.notes, other.notes);
    let ids = other.ids;
    // arXiv's own DOI gives way to the publisher's.
    let ours = best.ids.doi.as_deref().is_some_and(|doi| doi.starts_with(ARXIV_DOI));
    if best.ids.doi.is_none() || (ours && ids.doi.is_some()) {
        best.ids.doi = ids.doi;
    }
    if best.ids.arxiv.is_none() {
        best.ids.arxiv = ids.arxiv;
        best.ids.arxiv_version = ids.arxiv_version;
    }
    option(&mut best.ids.semantic_scholar, ids.semantic_scholar);
    option(&mut best.ids.openalex, ids.openalex);
    option(&mut best.ids.pubmed, ids.pubmed);
    option(&mut best.ids.pubmed_central, ids.pubmed_central);
    list(&mut best.ids.issn, ids.issn);
    list(&mut best.ids.isbn, ids.isbn);
}

/// Sets of indexes, each named by its smallest member.
struct Groups(Vec<usize>);

impl Groups {
    fn of(count: usize) -> Groups {
        Groups((0..count).collect())
    }

    fn first(&mut self, mut index: usize) -> usize {
        while self.0[index] != index {
            self.0[index] = self.0[self.0[index]];
            index = self.0[index];
        }
        index
    }

    fn join(&mut self, one: usize, other: usize) {
        let (one, other) = (self.first(one), self.first(other));
        self.0[one.max(other)] = one.min(other);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::paper::{Date, Ids};

    fn paper(source: Source, title: &str, family: &str, year: i16) -> Paper {
        Paper {
            title: title.into(),
            authors: vec![Author::Person { family: family.into(), given: "A.".into() }],
            published: Some(Date { year, month: None, day: None }),
            found_by: vec![source],
            ..Paper::default()
        }
    }

    const RAG: &str = "Retrieval-Augmented Generation for Knowledge-Intensive NLP Tasks";

    // proves: H2
    #[test]
    fn a_preprint_and_its_printing_are_one_work_with_the_best_of_both() {
        let mut preprint = paper(Source::Arxiv, RAG, "Lewis", 2020);
        preprint.kind = Kind::Preprint;
        preprint.summary = Some("Large language models…".into());
        preprint.ids = Ids { arxiv: Some("2005.11401".into()), ..Ids::default() };
        let mut printed = paper(
            Source::Crossref,
            "Retrieval‐augmented generation for knowledge‐intensive NLP tasks",
            "Lewis",
            2021,
        );
        printed.kind = Kind::Article;
        printed.venue = Some("Journal of Answers".into());
        printed.ids.doi = Some("10.1000/rag".into());
        let other = paper(Source::Crossref, "A survey of something else entirely", "Lewis", 2020);
        let papers = merged(vec![preprint, other, printed]);
        assert_eq!(papers.len(), 2);
        let work = &papers[0];
        assert_eq!(work.kind, Kind::Article);
        assert_eq!(work.ids.doi.as_deref(), Some("10.1000/rag"));
        assert_eq!(work.ids.arxiv.as_deref(), Some("2005.11401"));
        assert_eq!(work.summary.as_deref(), Some("Large language models…"));
        assert_eq!(work.found_by, [Source::Arxiv, Source::Crossref]);
        assert_eq!(work.source_uri(), "arxiv:2005.11401");
    }

    // proves: H2
    #[test]
    fn a_shared_title_alone_does_not_make_two_works_one() {
        let pairs = [
            (
                paper(Source::Crossref, "Editorial", "Smith", 2020),
                paper(Source::Openalex, "Editorial", "Smith", 2020),
            ),
            (
                paper(Source::Crossref, RAG, "Lewis", 2020),
                paper(Source::Openalex, RAG, "Sommers", 2020),
            ),
            (
                paper(Source::Crossref, RAG, "Lewis", 2010),
                paper(Source::Openalex, RAG, "Lewis", 2020),
            ),
        ];
        for (one, other) in pairs {
            assert_eq!(merged(vec![one, other]).len(), 2);
        }
        let record = |doi: &str| Paper {
            ids: Ids { doi: Some(doi.into()), ..Ids::default() },
            kind: Kind::Article,
            ..paper(Source::Crossref, RAG, "Lewis", 2020)
        };
        assert_eq!(merged(vec![record("10.1000/part-1"), record("10.1000/part-2")]).len(), 2);
    }

    #[test]
    fn whoever_knows_of_a_retraction_is_heard() {
        let told = |source, retracted| Paper {
            retracted,
            ids: Ids { doi: Some("10.1000/x".into()), ..Ids::default() },
            ..paper(source, RAG, "Lewis", 2020)
        };
        let papers =
            merged(vec![told(Source::Crossref, Some(false)), told(Source::Openalex, Some(true))]);
        assert_eq!(papers[0].retracted, Some(true));
    }

    #[test]
    fn the_best_of_every_list_comes_first() {
        assert_eq!(in_turn(vec![vec![1, 4, 6], vec![2], vec![3, 5]]), [1, 2, 3, 4, 5, 6]);
    }

    proptest! {
        // proves: H2
        #[test]
        fn which_papers_are_one_work_does_not_depend_on_their_order(
            seeds in prop::collection::vec((0_u8..6, 0_u8..4, 0_u8..4, 0_u8..3), 0..24),
            swaps in prop::collection::vec((0_usize..24, 0_usize..24), 0..24),
        ) {
            let id = |name: &str, n: u8| (n > 0).then(|| format!("{name}{n}"));
            let mut papers: Vec<Paper> = seeds.iter().enumerate().map(|(index, (title, doi, arxiv, source))| {
                let mut paper = paper(Source::ALL[usize::from(*source)], &format!("One quite telling title {title}"), "Lee", 2020);
                paper.ids.doi = id("10.1000/", *doi);
                paper.ids.arxiv = id("2001.0000", *arxiv);
                paper.notes = vec![index.to_string()];
                paper
            }).collect();
            let groups = |papers: &[Paper]| {
                let mut groups: Vec<Vec<String>> = merged(papers.to_vec()).into_iter().map(|mut paper| {
                    paper.notes.sort();
                    paper.notes
                }).collect();
                groups.sort();
                groups
            };
            let before = groups(&papers);
            prop_assert_eq!(before.iter().map(Vec::len).sum::<usize>(), papers.len());
            for (one, other) in swaps {
                if one < papers.len() && other < papers.len() {
                    papers.swap(one, other);
                }
            }
            prop_assert_eq!(groups(&papers), before);
        }
    }
}
