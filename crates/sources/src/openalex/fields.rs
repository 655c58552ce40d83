//! The fate of every field that OpenAlex sends.

use serde_json::Value;

use crate::fields::Fate::{Dropped, Kept, KeptUnless};
use crate::fields::Table;

fn is(item: &Value, pointer: &str, text: &str) -> bool {
    item.pointer(pointer).and_then(Value::as_str) == Some(text)
}

fn is_closed(item: &Value) -> bool {
    item.pointer("/open_access/is_oa").and_then(Value::as_bool) != Some(true)
}

fn has_no_arxiv(item: &Value) -> bool {
    !item.pointer("/locations").is_some_and(|all| all.to_string().contains("//arxiv.org/"))
}

/// Fields around the works.
pub(crate) const AROUND: Table = &[
    ("meta.*", Dropped("counts and pages; only first pages are asked for")),
    ("group_by.*", Dropped("works are not asked for in groups")),
    ("error", Dropped("it becomes the error")),
    ("message", Dropped("it becomes the error")),
];

/// Fields of a work.
pub(crate) const WORK: Table = &[
    ("id", Kept("ids.openalex")),
    ("doi", Kept("ids.doi")),
    ("title", Kept("title")),
    ("display_name", Kept("title")),
    ("relevance_score", Dropped("works keep the order that it gave them")),
    ("publication_year", Kept("published")),
    ("publication_date", Kept("published")),
    ("ids.openalex", Kept("ids.openalex")),
    ("ids.doi", Kept("ids.doi")),
    ("ids.pmid", Kept("ids.pubmed")),
    ("ids.pmcid", Kept("ids.pubmed_central")),
    ("ids.mag", Dropped("an id of a graph that closed in 2021; its number is OpenAlex's own")),
    ("language", Kept("language")),
    ("primary_location.is_oa", Kept("open_access")),
    ("primary_location.landing_page_url", Kept("url")),
    (
        "primary_location.pdf_url",
        KeptUnless("pdf_url", is_closed, "only what is free to read is kept"),
    ),
    ("primary_location.source.display_name", Kept("venue")),
    ("primary_location.source.issn_l", Kept("ids.issn")),
    ("primary_location.source.issn[]", Kept("ids.issn")),
    (
        "primary_location.source.host_organization_name",
        KeptUnless(
            "publisher",
            |item| is(item, "/type", "preprint"),
            "a preprint server's host is no publisher",
        ),
    ),
    ("primary_location.source.type", Kept("kind")),
    ("primary_location.source.*", Dropped("ids and properties of the journal, not of the work")),
    ("primary_location.license", Kept("licence")),
    ("primary_location.license_id", Dropped("the address of the licence, which is kept by name")),
    (
        "primary_location.version",
        Dropped("which version lies there; the kind says preprint or article"),
    ),
    (
        "primary_location.is_accepted",
        Dropped("which version lies there; the kind says preprint or article"),
    ),
    (
        "primary_location.is_published",
        Dropped("which version lies there; the kind says preprint or article"),
    ),
    ("type", Kept("kind")),
    ("type_crossref", Kept("kind")),
    ("indexed_in[]", Dropped("where OpenAlex heard of it")),
    ("open_access.is_oa", Kept("open_access")),
    ("open_access.oa_url", Kept("pdf_url")),
    ("open_access.oa_status", Dropped("by which road it became free; that it is free is kept")),
    ("open_access.any_repository_has_fulltext", Dropped("that it is free is kept, and where")),
    ("authorships[].raw_author_name", Kept("authors")),
    ("authorships[].author.display_name", Kept("authors")),
    (
        "authorships[].author.*",
        Dropped("OpenAlex's own id of the author, and the ORCID, which no reference prints"),
    ),
    ("authorships[].author_position", Dropped("authors keep their order")),
    ("authorships[].institutions[].display_name", Kept("affiliations")),
    ("authorships[].institutions.*", Dropped("OpenAlex's ids of the institution, and its country")),
    ("authorships[].countries[]", Dropped("the institutions are kept by name")),
    ("authorships[].is_corresponding", Dropped("whom to write to is in no reference")),
    ("authorships[].raw_affiliation_strings[]", Kept("affiliations")),
    ("authorships[].affiliations.*", Dropped("the affiliations again, with ids")),
    ("is_authors_truncated", Kept("notes")),
    ("institution_assertions.*", Dropped("who else says where the authors work")),
    ("countries_distinct_count", Dropped("a count over affiliations")),
    ("institutions_distinct_count", Dropped("a count over affiliations")),
    ("corresponding_author_ids.*", Dropped("whom to write to is in no reference")),
    ("corresponding_institution_ids.*", Dropped("whom to write to is in no reference")),
    ("apc_list.*", Dropped("what publishing there costs")),
    ("apc_paid.*", Dropped("what publishing there cost")),
    ("fwci", Dropped("a measure of OpenAlex's own; the count of citations is kept")),
    ("has_fulltext", Dropped("whether OpenAlex holds the text")),
    ("fulltext_origin", Dropped("how OpenAlex came by the text")),
    ("cited_by_count", Kept("citation_count")),
    (
        "citation_normalized_percentile.*",
        Dropped("a measure of OpenAlex's own; the count of citations is kept"),
    ),
    (
        "cited_by_percentile_year.*",
        Dropped("a measure of OpenAlex's own; the count of citations is kept"),
    ),
    ("biblio.volume", Kept("volume")),
    ("biblio.issue", Kept("issue")),
    ("biblio.first_page", Kept("pages")),
    ("biblio.last_page", Kept("pages")),
    ("is_retracted", Kept("retracted")),
    ("is_paratext", Dropped("the kind of such works is other")),
    ("primary_topic.display_name", Kept("subjects")),
    ("primary_topic.*", Dropped("scores, and the wider fields of the topic")),
    ("topics[].display_name", Kept("subjects")),
    ("topics.*", Dropped("scores, and the wider fields of the topic")),
    ("keywords[].display_name", Kept("subjects")),
    ("keywords[].id", Dropped("OpenAlex's own id of the keyword")),
    ("keywords[].score", Dropped("subjects are not weighed")),
    ("concepts[].display_name", Kept("subjects")),
    ("concepts.*", Dropped("what topics replaced; their names serve where there are no topics")),
    ("mesh.*", Dropped("the vocabulary of PubMed; topics are kept")),
    ("locations_count", Dropped("a count of what is left out")),
    (
        "locations[].landing_page_url",
        KeptUnless("ids.arxiv", has_no_arxiv, "of copies only arXiv's are named"),
    ),
    ("locations[].pdf_url", KeptUnless("pdf_url", is_closed, "only what is free to read is kept")),
    ("locations.*", Dropped("where copies lie; the first place and the best free one are kept")),
    ("best_oa_location.pdf_url", Kept("pdf_url")),
    ("best_oa_location.landing_page_url", Kept("pdf_url")),
    ("best_oa_location.license", Kept("licence")),
    (
        "best_oa_location.*",
        Dropped("properties of the place; the address and the licence are kept"),
    ),
    ("sustainable_development_goals.*", Dropped("a model's guess at goals of the United Nations")),
    ("grants[].funder_display_name", Kept("funders")),
    ("grants.*", Dropped("OpenAlex's id of the funder, and the number of the award")),
    ("funders[].display_name", Kept("funders")),
    ("datasets.*", Dropped("other works; they are found by searching for them")),
    ("versions.*", Dropped("other works; they are found by searching for them")),
    ("referenced_works_count", Kept("reference_count")),
    ("referenced_works[]", Dropped("OpenAlex's ids of other works; their count is kept")),
    ("related_works[]", Dropped("OpenAlex's ids of other works")),
    ("abstract_inverted_index.*", Kept("abstract")),
    ("abstract_inverted_index_v3.*", Kept("abstract")),
    ("cited_by_api_url", Dropped("a request for other works")),
    ("counts_by_year.*", Dropped("the count of all years is kept")),
    ("updated_date", Dropped("when OpenAlex changed its record")),
    ("created_date", Dropped("when OpenAlex made its record")),
];
