//! The fate of every field that the web search engines send.

use crate::fields::Fate::{Dropped, Kept};
use crate::fields::Table;

pub(crate) const SEARXNG_AROUND: Table = &[
    ("query", Dropped("what was asked for")),
    ("number_of_results", Dropped("hits beyond the asked ones are not fetched")),
    ("answers.*", Dropped("words of an engine, not of a page")),
    ("corrections.*", Dropped("other ways to spell the query")),
    ("infoboxes.*", Dropped("words of an engine, not of a page")),
    ("suggestions.*", Dropped("other queries; what is asked is ours to say")),
    ("unresponsive_engines.*", Dropped("where nothing was found it becomes the error")),
];

pub(crate) const SEARXNG: Table = &[
    ("title", Kept("title")),
    ("url", Kept("url")),
    ("content", Kept("snippet")),
    ("publishedDate", Kept("published")),
    ("pubdate", Kept("published")),
    ("engine", Dropped("which engine found it")),
    ("engines[]", Dropped("which engines found it")),
    ("category", Dropped("the shelf of SearXNG that it lay on")),
    ("score", Dropped("hits keep the order that it gave them")),
];

pub(crate) const TAVILY_AROUND: Table = &[
    ("query", Dropped("what was asked for")),
    ("answer", Dropped("a model's words, not a page's; it is not asked for")),
    ("follow_up_questions", Dropped("other queries; what is asked is ours to say")),
    ("images.*", Dropped("pictures are not read; they are not asked for")),
    ("response_time", Dropped("how long the search took")),
    ("request_id", Dropped("the service's own id of the request")),
    ("detail.error", Dropped("it becomes the error")),
];

pub(crate) const TAVILY: Table = &[
    ("title", Kept("title")),
    ("url", Kept("url")),
    ("content", Kept("snippet")),
    ("published_date", Kept("published")),
    ("raw_content", Dropped("pages are fetched and read here; it is not asked for")),
    ("score", Dropped("hits keep the order that it gave them")),
];

pub(crate) const BRAVE_AROUND: Table = &[
    ("type", Dropped("that it is a search")),
    ("query.*", Dropped("what was asked for, and from where")),
    ("mixed.*", Dropped("how a page of results is laid out")),
    ("web.type", Dropped("that it is a search")),
    ("web.family_friendly", Dropped("that nothing of it offends")),
];

pub(crate) const BRAVE: Table = &[
    ("title", Kept("title")),
    ("url", Kept("url")),
    ("description", Kept("snippet")),
    ("page_age", Kept("published")),
    ("age", Kept("published")),
    ("profile.*", Dropped("the name and picture of the site")),
    ("meta_url.*", Dropped("the address in pieces")),
    ("thumbnail.*", Dropped("pictures are not read")),
    ("language", Dropped("a page says its own language when it is read")),
    ("family_friendly", Dropped("that nothing of it offends")),
    ("type", Dropped("that it is a result")),
    ("subtype", Dropped("what sort of page the engine takes it for")),
    ("is_source_local", Dropped("whether it lies near the one who asks")),
    ("is_source_both", Dropped("whether it lies near the one who asks")),
    ("is_live", Dropped("whether it is a broadcast under way")),
];

pub(crate) const SERPER_AROUND: Table = &[
    ("searchParameters.*", Dropped("what was asked for")),
    ("relatedSearches.*", Dropped("other queries; what is asked is ours to say")),
];

pub(crate) const SERPER: Table = &[
    ("title", Kept("title")),
    ("link", Kept("url")),
    ("snippet", Kept("snippet")),
    ("date", Kept("published")),
    ("position", Dropped("hits keep their order")),
    ("imageUrl", Dropped("pictures are not read")),
    ("sitelinks.*", Dropped("other pages of the same site")),
];
