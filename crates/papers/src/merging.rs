//! Merges what several sources report about one work into one paper.

use std::collections::{BTreeMap, BTreeSet};

use unicode_normalization::UnicodeNormalization as _;

use crate::{ARXIV_DOI, Author, Kind, Paper, Source};

/// Returns every work once, at the position of its first report.
///
/// Papers are one work if they share an id (a DOI, an arXiv id, or a source's own) and do not differ in both title and first author,
/// since deposited ids may be wrong. They are also one work if they share the first author and a title of some length, and together have
/// at most one printed DOI, at most one arXiv id, and dates no further apart than a preprint and its printing: two years. A preprint
/// whose printing is unclear stays separate. Each field comes from the best-informed source that has it. Which papers are one work does
/// not depend on their order.
pub fn merged(papers: Vec<Paper>) -> Vec<Paper> {
    let mut groups = Groups::of(papers.len());
    for members in by(&papers, keys).into_values() {
        join_by_id(&mut groups, &papers, &members);
    }
    for members in by(&papers, |paper| title_and_author(paper).into_iter().collect()).into_values()
    {
        let roots: BTreeSet<usize> = members.iter().map(|index| groups.first(*index)).collect();
        let all = (0..papers.len()).filter(|index| roots.contains(&groups.first(*index)));
        if may_be_one(all.map(|index| &papers[index])) {
            members.windows(2).for_each(|pair| groups.join(pair[0], pair[1]));
        }
    }
    let mut works: BTreeMap<usize, Vec<Paper>> = BTreeMap::new();
    for (index, paper) in papers.into_iter().enumerate() {
        works.entry(groups.first(index)).or_default().push(paper);
    }
    works.into_values().map(one).collect()
}

/// Groups the indexes of the papers by shared key.
fn by(papers: &[Paper], keys: impl Fn(&Paper) -> Vec<String>) -> BTreeMap<String, Vec<usize>> {
    let mut shared: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (index, paper) in papers.iter().enumerate() {
        for key in keys(paper) {
            shared.entry(key).or_default().push(index);
        }
    }
    shared
}

/// Joins papers that share an id. Two arXiv ids are always two works; which of them the other papers belong to is then unknown.
fn join_by_id(groups: &mut Groups, papers: &[Paper], members: &[usize]) {
    let arxiv = |index: usize| papers[index].ids.arxiv_id();
    let ids: BTreeSet<&str> = members.iter().filter_map(|index| arxiv(*index)).collect();
    for (at, &one) in members.iter().enumerate() {
        for &other in &members[at + 1..] {
            let apart = ids.len() > 1 && arxiv(one) != arxiv(other);
            if !apart && agree(&papers[one], &papers[other]) {
                groups.join(one, other);
            }
        }
    }
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

/// The most years between a preprint and its printing.
const YEARS_APART: i16 = 2;
/// The number of words from which a title is distinctive; a shorter one, such as "Editorial", says nothing.
const TELLING_WORDS: usize = 4;

/// Returns the ids that identify a paper across sources.
fn keys(paper: &Paper) -> Vec<String> {
    let ids = &paper.ids;
    let named = [
        ("doi", ids.doi.as_deref()),
        ("arxiv", ids.arxiv_id()),
        ("semantic-scholar", ids.semantic_scholar.as_deref()),
        ("openalex", ids.openalex.as_deref()),
        ("pubmed", ids.pubmed.as_deref()),
    ];
    named
        .into_iter()
        .filter_map(|(name, id)| Some(format!("{name}:{}", id?.to_lowercase())))
        .collect()
}

/// Returns the DOI of the printed work: neither arXiv's own nor that of a preprint elsewhere.
fn printed(paper: &Paper) -> Option<&str> {
    let doi = paper.ids.doi.as_deref().filter(|doi| !doi.starts_with(ARXIV_DOI))?;
    (paper.kind != Kind::Preprint || paper.ids.arxiv.is_some()).then_some(doi)
}

/// Folds a text for comparison: letters and digits only, in lower case, without diacritics.
pub(crate) fn fold_title(text: &str) -> String {
    text.nfkd().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Folds a title for comparison; returns `None` if it is too short to be distinctive.
fn telling_title(title: &str) -> Option<String> {
    let words = title.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let folded = fold_title(title);
    // Scripts without spaces write a title as one word.
    let telling =
        words.count() >= TELLING_WORDS || (!folded.is_ascii() && folded.chars().count() >= 12);
    telling.then_some(folded)
}

fn first_author(paper: &Paper) -> Option<String> {
    paper.authors.first().map(|author| match author {
        Author::Person { family, .. } => fold_title(family),
        Author::Named { name } => {
            fold_title(name.split_whitespace().next_back().unwrap_or_default())
        }
    })
}

/// Returns the title and the first author, or `None` if either is missing.
fn title_and_author(paper: &Paper) -> Option<String> {
    Some(format!("{} {}", telling_title(&paper.title)?, first_author(paper)?))
}

/// Returns whether two papers with one id may be one work. A work may be printed under another title, or its author's name be spelt
/// differently, but hardly both.
fn agree(one: &Paper, other: &Paper) -> bool {
    let same_author = match (first_author(one), first_author(other)) {
        (Some(one), Some(other)) => one == other,
        _ => true,
    };
    let (title, another) = (fold_title(&one.title), fold_title(&other.title));
    same_author || title.contains(&another) || another.contains(&title)
}

/// Returns whether all of these papers, which share a title and an author, may be one work.
fn may_be_one<'a>(papers: impl Iterator<Item = &'a Paper>) -> bool {
    let (mut dois, mut arxiv, mut years) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    for paper in papers {
        dois.extend(printed(paper));
        arxiv.extend(paper.ids.arxiv_id());
        years.extend(paper.year());
    }
    let apart = match (years.first(), years.last()) {
        (Some(first), Some(last)) => last - first,
        _ => 0,
    };
    dois.len() <= 1 && arxiv.len() <= 1 && apart <= YEARS_APART
}

/// Merges what several sources say about one work.
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

/// Ranks the best-informed first: printed works before preprints, publishers' deposits before aggregated records.
fn rank(paper: &Paper) -> (bool, usize, bool) {
    const INFORMED: [Source; 5] =
        [Source::Crossref, Source::Openalex, Source::SemanticScholar, Source::Arxiv, Source::Web];
    let place = INFORMED.iter().position(|source| paper.found_by.contains(source));
    (paper.kind == Kind::Preprint, place.unwrap_or(INFORMED.len()), paper.authors.is_empty())
}

/// Fills the gaps of `best` from `other`.
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
    // The place of publication comes from one source as a whole: another's volume belongs to another printing.
    if best.venue.is_none() {
        best.venue = other.venue;
        best.venue_short = other.venue_short;
        best.series = other.series;
        best.volume = other.volume;
        best.issue = other.issue;
        best.pages = other.pages;
        best.article_number = other.article_number;
        option(&mut best.publisher, other.publisher);
        option(&mut best.publisher_place, other.publisher_place);
    } else if best.venue.as_deref().map(fold_title) == other.venue.as_deref().map(fold_title) {
        option(&mut best.venue_short, other.venue_short);
        option(&mut best.series, other.series);
        option(&mut best.volume, other.volume);
        option(&mut best.issue, other.issue);
        option(&mut best.pages, other.pages);
        option(&mut best.article_number, other.article_number);
        option(&mut best.publisher, other.publisher);
        option(&mut best.publisher_place, other.publisher_place);
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
    // Sources spell the same institution differently, so the lists are not merged.
    if best.affiliations.is_empty() {
        best.affiliations = other.affiliations;
    }
    if best.funders.is_empty() {
        best.funders = other.funders;
    }
    option(&mut best.published, other.published);
    option(&mut best.updated, other.updated);
    option(&mut best.edition, other.edition);
    option(&mut best.summary, other.summary);
    option(&mut best.url, other.url);
    option(&mut best.pdf_url, other.pdf_url);
    option(&mut best.licence, other.licence);
    option(&mut best.language, other.language);
    option(&mut best.open_access, other.open_access);
    best.citation_count = best.citation_count.max(other.citation_count);
    best.reference_count = best.reference_count.max(other.reference_count);
    // One report of a retraction is enough.
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

/// Disjoint sets of indexes, each represented by its smallest member.
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
    use crate::{Date, Ids};

    fn build_paper(source: Source, title: &str, family: &str, year: i16) -> Paper {
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
        let mut preprint = build_paper(Source::Arxiv, RAG, "Lewis", 2020);
        preprint.kind = Kind::Preprint;
        preprint.summary = Some("Large language models…".into());
        preprint.ids = Ids { arxiv: Some("2005.11401".into()), ..Ids::default() };
        let mut printed = build_paper(
            Source::Crossref,
            "Retrieval‐augmented generation for knowledge‐intensive NLP tasks",
            "Lewis",
            2021,
        );
        printed.kind = Kind::Article;
        printed.venue = Some("Journal of Answers".into());
        printed.ids.doi = Some("10.1000/rag".into());
        let other =
            build_paper(Source::Crossref, "A survey of something else entirely", "Lewis", 2020);
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
                build_paper(Source::Crossref, "Editorial", "Smith", 2020),
                build_paper(Source::Openalex, "Editorial", "Smith", 2020),
            ),
            (
                build_paper(Source::Crossref, RAG, "Lewis", 2020),
                build_paper(Source::Openalex, RAG, "Sommers", 2020),
            ),
            (
                build_paper(Source::Crossref, RAG, "Lewis", 2010),
                build_paper(Source::Openalex, RAG, "Lewis", 2020),
            ),
        ];
        for (one, other) in pairs {
            assert_eq!(merged(vec![one, other]).len(), 2);
        }
        let record = |doi: &str| Paper {
            ids: Ids { doi: Some(doi.into()), ..Ids::default() },
            kind: Kind::Article,
            ..build_paper(Source::Crossref, RAG, "Lewis", 2020)
        };
        assert_eq!(merged(vec![record("10.1000/part-1"), record("10.1000/part-2")]).len(), 2);
    }

    // proves: H2
    #[test]
    fn a_preprint_is_no_bridge_between_two_printings() {
        let conference = Paper {
            ids: Ids { doi: Some("10.1000/conference".into()), ..Ids::default() },
            kind: Kind::ProceedingsArticle,
            ..build_paper(Source::Crossref, RAG, "Lewis", 2020)
        };
        let journal = Paper {
            ids: Ids { doi: Some("10.1000/journal".into()), ..Ids::default() },
            kind: Kind::Article,
            ..build_paper(Source::Openalex, RAG, "Lewis", 2021)
        };
        let preprint = |doi: Option<&str>| Paper {
            ids: Ids {
                arxiv: Some("2005.11401".into()),
                doi: doi.map(Into::into),
                ..Ids::default()
            },
            kind: Kind::Preprint,
            ..build_paper(Source::Arxiv, RAG, "Lewis", 2020)
        };
        let dois = |papers: Vec<Paper>| {
            let mut dois: Vec<String> =
                merged(papers).into_iter().filter_map(|paper| paper.ids.doi).collect();
            dois.sort();
            dois
        };
        // Nothing says which of the two it is a preprint of.
        let papers = vec![preprint(None), conference.clone(), journal.clone()];
        assert_eq!(merged(papers.clone()).len(), 3);
        assert_eq!(dois(papers), ["10.1000/conference", "10.1000/journal"]);
        // The preprint itself names its printing.
        let papers = vec![conference.clone(), preprint(Some("10.1000/journal")), journal];
        assert_eq!(merged(papers.clone()).len(), 2);
        assert_eq!(dois(papers), ["10.1000/conference", "10.1000/journal"]);
        let papers = vec![conference, preprint(Some("10.1000/journal"))];
        assert_eq!(dois(papers), ["10.1000/conference", "10.1000/journal"]);
    }

    // proves: H2
    #[test]
    fn a_wrong_id_does_not_make_two_works_one() {
        let named = |arxiv: &str, title: &str, family: &str, source| Paper {
            ids: Ids {
                arxiv: Some(arxiv).filter(|id| !id.is_empty()).map(Into::into),
                doi: Some("10.1000/x".into()),
                ..Ids::default()
            },
            ..build_paper(source, title, family, 2021)
        };
        let first =
            named("2104.00001", "Wind and the surge of the year", "Tidewell", Source::Arxiv);
        let second =
            named("2104.00002", "Pressure and the surge of the year", "Marsh", Source::Arxiv);
        let printed =
            named("", "On something else entirely, and its uses", "Lee", Source::Crossref);
        let retracted = Paper { retracted: Some(true), ..printed };
        assert_eq!(merged(vec![first.clone(), second.clone()]).len(), 2);
        let works = merged(vec![first, retracted, second]);
        assert_eq!(works.len(), 3);
        assert_eq!(works.iter().filter(|work| work.retracted == Some(true)).count(), 1);
        // It is the same work even if printed under another title.
        let preprint = named("2104.00003", "Surges, a first look at them", "Lee", Source::Arxiv);
        let printed = named("", "How surges rise", "Lee", Source::Crossref);
        assert_eq!(merged(vec![preprint, printed]).len(), 1);
    }

    #[test]
    fn years_do_not_chain() {
        let told = |year| build_paper(Source::Crossref, RAG, "Lewis", year);
        assert_eq!(merged(vec![told(2010), told(2012), told(2014)]).len(), 3);
    }

    #[test]
    fn a_publisher_travels_with_its_venue() {
        let ids = Ids { arxiv: Some("2005.11401".into()), ..Ids::default() };
        let printed = Paper {
            venue: Some("NeurIPS".into()),
            ids: ids.clone(),
            kind: Kind::ProceedingsArticle,
            ..build_paper(Source::SemanticScholar, RAG, "Lewis", 2020)
        };
        let preprint = Paper {
            publisher: Some("arXiv".into()),
            ids,
            kind: Kind::Preprint,
            ..build_paper(Source::Arxiv, RAG, "Lewis", 2020)
        };
        assert_eq!(merged(vec![preprint, printed])[0].publisher, None);
    }

    #[test]
    fn whoever_knows_of_a_retraction_is_heard() {
        let told = |source, retracted| Paper {
            retracted,
            ids: Ids { doi: Some("10.1000/x".into()), ..Ids::default() },
            ..build_paper(source, RAG, "Lewis", 2020)
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
            seeds in prop::collection::vec((0_u8..6, 0_u8..4, 0_u8..4, 0_u8..3, 0_u8..3, 0_u8..2), 0..24),
            swaps in prop::collection::vec((0_usize..24, 0_usize..24), 0..24),
        ) {
            let id = |name: &str, n: u8| (n > 0).then(|| format!("{name}{n}"));
            let mut papers: Vec<Paper> = seeds.iter().enumerate().map(|(index, (title, doi, arxiv, source, kind, family))| {
                let family = ["Lee", "Roe"][usize::from(*family)];
                let mut paper = build_paper([Source::Arxiv, Source::Crossref, Source::SemanticScholar][usize::from(*source)], &format!("One quite telling title {title}"), family, 2020 + i16::from(*kind));
                paper.kind = [Kind::Article, Kind::Preprint, Kind::ProceedingsArticle][usize::from(*kind)];
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
