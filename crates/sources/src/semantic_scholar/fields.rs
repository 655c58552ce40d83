//! The fate of every field that Semantic Scholar sends.

use serde_json::Value;

use crate::fields::Fate::{Dropped, Kept, KeptUnless};
use crate::fields::Table;

fn holds(item: &Value, pointer: &str, start: &str) -> bool {
    item.pointer(pointer).and_then(Value::as_str).is_some_and(|text| text.starts_with(start))
}

/// Fields around the papers.
pub(crate) const AROUND: Table = &[
    ("total", Dropped("papers beyond the asked ones are not fetched")),
    ("offset", Dropped("only first pages are asked for")),
    ("next", Dropped("only first pages are asked for")),
    ("token", Dropped("only first pages are asked for")),
    ("retrievalVersion", Dropped("the service's own version")),
    ("error", Dropped("it becomes the error")),
    ("message", Dropped("it becomes the error")),
    ("code", Dropped("it becomes the error")),
];

/// Fields of a paper.
pub(crate) const PAPER: Table = &[
    ("paperId", Kept("ids.semantic_scholar")),
    ("corpusId", Dropped("a second id of its own; paperId is the one that its addresses hold")),
    ("externalIds.DOI", Kept("ids.doi")),
    ("externalIds.ArXiv", Kept("ids.arxiv")),
    ("externalIds.PubMed", Kept("ids.pubmed")),
    ("externalIds.PubMedCentral", Kept("ids.pubmed_central")),
    (
        "externalIds.CorpusId",
        Dropped("a second id of its own; paperId is the one that its addresses hold"),
    ),
    ("externalIds.MAG", Dropped("an id of a graph that closed in 2021")),
    ("externalIds.DBLP", Dropped("an index of papers that DOI and title find as well")),
    ("externalIds.ACL", Dropped("an archive in which the DOI finds the paper as well")),
    ("url", Kept("url")),
    ("title", Kept("title")),
    ("abstract", Kept("abstract")),
    ("venue", Kept("venue")),
    ("publicationVenue.name", Kept("venue")),
    ("publicationVenue.type", Kept("kind")),
    ("publicationVenue.issn", Kept("ids.issn")),
    ("publicationVenue.alternate_issns[]", Kept("ids.issn")),
    ("publicationVenue.id", Dropped("its own id of the venue")),
    ("publicationVenue.url", Dropped("the venue's page, not the paper's")),
    ("publicationVenue.alternate_names[]", Dropped("other names of the venue")),
    ("publicationVenue.alternate_urls[]", Dropped("the venue's pages, not the paper's")),
    ("year", Kept("published")),
    ("publicationDate", Kept("published")),
    ("publicationTypes[]", Kept("kind")),
    ("journal.name", Kept("venue")),
    (
        "journal.volume",
        KeptUnless(
            "volume",
            |item| holds(item, "/journal/volume", "abs/"),
            "arXiv's volumes are its ids",
        ),
    ),
    ("journal.pages", Kept("pages")),
    ("authors[].name", Kept("authors")),
    ("authors[].authorId", Dropped("its own id of the author")),
    ("citationCount", Kept("citation_count")),
    ("referenceCount", Kept("reference_count")),
    ("influentialCitationCount", Dropped("its own judgement of citations; it is not asked for")),
    ("isOpenAccess", Kept("open_access")),
    ("openAccessPdf.url", Kept("pdf_url")),
    ("openAccessPdf.license", Kept("licence")),
    ("openAccessPdf.status", Dropped("by which road it became free; that it is free is kept")),
    ("openAccessPdf.disclaimer", Dropped("the service's notice, the same on every paper")),
    ("fieldsOfStudy[]", Kept("subjects")),
    ("s2FieldsOfStudy[].category", Kept("subjects")),
    ("s2FieldsOfStudy[].source", Dropped("who named the field: the service or its model")),
    ("tldr.text", Kept("notes")),
    ("tldr.model", Dropped("the version of the model that wrote the sentence")),
    (
        "citationStyles.bibtex",
        Dropped("made of the other fields, which references are written from; it is not asked for"),
    ),
    ("matchScore", Dropped("papers keep the order that it gave them")),
];
