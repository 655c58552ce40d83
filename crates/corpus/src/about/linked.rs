//! What a page says about itself in JSON-LD with the schema.org vocabulary. It is plain data: no link in it is followed or fetched.

use std::collections::HashMap;

use papers::{Author, Date};
use serde_json::{Map, Value};

use super::byline;
use super::date::date;
use crate::document::one_line;

/// The most scripts read per page.
const SCRIPTS: usize = 32;
/// The longest script read, in bytes; articles repeat their whole text in it.
const SCRIPT_BYTES: usize = 1 << 20;
/// The most things examined per page.
const THINGS: usize = 1000;

/// What the page's article says, or the page itself if it has no article.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Linked {
    pub(crate) title: Option<String>,
    pub(crate) authors: Vec<Author>,
    pub(crate) published: Option<Date>,
    pub(crate) site: Option<String>,
    pub(crate) language: Option<String>,
    /// Whether it calls itself a news article or a blog post.
    pub(crate) news: bool,
}

/// How well a thing describes the page.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    Article,
    Page,
}

/// Returns what a page's scripts say about it; a script that is not JSON is ignored.
pub(crate) fn parse_linked_data(scripts: impl Iterator<Item = String>) -> Linked {
    let values: Vec<Value> = scripts
        .take(SCRIPTS)
        .filter(|script| script.len() <= SCRIPT_BYTES)
        .filter_map(|script| serde_json::from_str(bare(&script)).ok())
        .collect();
    let things = list_things(&values);
    let named: HashMap<&str, &Map<String, Value>> = things
        .iter()
        .filter(|thing| thing.contains_key("name"))
        .filter_map(|thing| Some((thing.get("@id")?.as_str()?, *thing)))
        .collect();
    let ranked = things.iter().filter_map(|thing| Some((rank(thing)?, thing)));
    let Some((_, thing)) = ranked.min_by(|(one, _), (two, _)| one.cmp(two)) else {
        return Linked::default();
    };
    let mut authors = Vec::new();
    for author in each(thing.get("author").or(thing.get("creator"))) {
        for author in author_of(author, &named) {
            if !authors.contains(&author) && authors.len() < byline::AUTHORS {
                authors.push(author);
            }
        }
    }
    let publisher = each(thing.get("publisher")).next();
    Linked {
        title: text(thing.get("headline")).or_else(|| text(thing.get("name"))),
        authors,
        published: text(thing.get("datePublished")).and_then(|it| date(&it)),
        site: publisher.and_then(|publisher| resolve_name(publisher, &named)),
        language: text(thing.get("inLanguage")),
        news: kinds(thing).any(|kind| {
            kind.ends_with("NewsArticle") || matches!(kind, "BlogPosting" | "LiveBlogPosting")
        }),
    }
}

/// Returns a script without the comment markers that hide it from old browsers.
fn bare(script: &str) -> &str {
    let script = script.trim();
    let script = script.strip_prefix("<!--").unwrap_or(script).trim_start_matches(['/', ' ']);
    let script = script.strip_prefix("<![CDATA[").unwrap_or(script).trim();
    let script = script.strip_suffix("-->").unwrap_or(script).trim_end_matches(['/', ' ']);
    script.strip_suffix("]]>").unwrap_or(script).trim_end().trim_end_matches('/')
}

/// Lists the things that values hold: the values themselves and the members of their lists and graphs.
fn list_things(values: &[Value]) -> Vec<&Map<String, Value>> {
    let mut found = Vec::new();
    let mut open: Vec<&Value> = values.iter().rev().collect();
    while let Some(value) = open.pop() {
        match value {
            Value::Array(items) => open.extend(items.iter().take(THINGS).rev()),
            Value::Object(thing) => {
                found.push(thing);
                open.extend(thing.get("mainEntity"));
                open.extend(thing.get("@graph"));
            }
            _ => {}
        }
        if found.len() >= THINGS {
            break;
        }
    }
    found
}

fn rank(thing: &Map<String, Value>) -> Option<Rank> {
    kinds(thing).find_map(|kind| match kind {
        "BlogPosting" | "LiveBlogPosting" | "Report" => Some(Rank::Article),
        kind if kind.ends_with("Article") => Some(Rank::Article),
        "WebPage" | "ItemPage" | "AboutPage" | "FAQPage" | "QAPage" => Some(Rank::Page),
        _ => None,
    })
}

/// Returns the names of a thing's types, which may be written as URLs.
fn kinds(thing: &Map<String, Value>) -> impl Iterator<Item = &str> {
    let kinds = each(thing.get("@type")).filter_map(Value::as_str);
    kinds.map(|kind| kind.rsplit(['/', ':', '#']).next().unwrap_or_default())
}

/// Returns the items of a list, or a single value as its only item.
fn each(value: Option<&Value>) -> impl Iterator<Item = &Value> {
    match value {
        Some(Value::Array(items)) => items.iter(),
        Some(value) => std::slice::from_ref(value).iter(),
        None => [].iter(),
    }
}

fn text(value: Option<&Value>) -> Option<String> {
    let text = one_line(&run::grounding::clean(each(value).next()?.as_str()?));
    (!text.is_empty()).then_some(text)
}

type Named<'a> = HashMap<&'a str, &'a Map<String, Value>>;

/// Returns the name of a thing, or of the thing that it refers to.
fn resolve_name(value: &Value, named: &Named<'_>) -> Option<String> {
    let Value::Object(thing) = value else { return text(Some(value)) };
    text(thing.get("name")).or_else(|| {
        let id = thing.get("@id")?.as_str()?;
        text(named.get(id)?.get("name"))
    })
}

fn author_of(value: &Value, named: &Named<'_>) -> Vec<Author> {
    let Some(name) = resolve_name(value, named) else { return Vec::new() };
    let kind = value.get("@type").or_else(|| named.get(value.get("@id")?.as_str()?)?.get("@type"));
    let group = each(kind).filter_map(Value::as_str).any(|kind| kind.ends_with("Organization"));
    if group { byline::group(&name).into_iter().collect() } else { byline::authors(&name) }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn said(script: &str) -> Linked {
        parse_linked_data(std::iter::once(script.to_owned()))
    }

    fn shown(linked: &Linked) -> Vec<String> {
        linked.authors.iter().map(ToString::to_string).collect()
    }

    // proves: A2
    #[test]
    fn an_article_says_who_wrote_it_and_when() {
        let article = said(
            r#"<![CDATA[ {"@context": {"@vocab": "http://schema.org"}, "@type": "NewsArticle",
            "headline": "Tea  is drunk", "datePublished": "2024-12-06T22:00:40.000Z", "inLanguage": "en-GB",
            "author": [{"@type": "Person", "name": "Jane Doe"}, {"@type": "Person", "name": "Ann Lee"}],
            "publisher": {"@type": "Organization", "name": "The Tea Times"}} ]]>"#,
        );
        assert_eq!(article.title.as_deref(), Some("Tea is drunk"));
        assert_eq!(shown(&article), ["Jane Doe", "Ann Lee"]);
        assert_eq!(article.published.map(|date| date.to_string()).as_deref(), Some("2024-12-06"));
        assert_eq!(article.site.as_deref(), Some("The Tea Times"));
        assert_eq!(article.language.as_deref(), Some("en-GB"));
    }

    // proves: A2
    #[test]
    fn an_article_is_found_among_the_things_of_a_graph() {
        let article = said(
            r##"{"@context": "https://schema.org", "@graph": [
            {"@type": "WebSite", "@id": "#site", "name": "A site", "datePublished": "1999"},
            {"@type": ["WebPage"], "name": "A page", "datePublished": "2001"},
            {"@type": ["Thing", "https://schema.org/Article"], "name": "An article", "author": {"@id": "#team"},
             "publisher": {"@id": "#site"}},
            {"@type": "Organization", "@id": "#team", "name": "Leaf and Cup"}]}"##,
        );
        assert_eq!(article.title.as_deref(), Some("An article"));
        assert_eq!(article.authors, [Author::Named { name: "Leaf and Cup".into() }]);
        assert_eq!(article.site.as_deref(), Some("A site"));
        assert_eq!(article.published, None);
        assert_eq!(said(r#"[{"@type": "VideoObject", "name": "A film"}]"#), Linked::default());
    }

    // proves: A2
    #[test]
    fn what_is_no_article_or_no_json_says_nothing() {
        let deep = "[".repeat(100_000);
        let long = format!(r#"{{"@type": "Article", "name": "{}"}}"#, "x".repeat(SCRIPT_BYTES));
        for script in
            ["", "{", "alert(1)", "null", "[[[]]]", r#"{"@type": 1, "author": {}}"#, &deep, &long]
        {
            assert_eq!(said(script), Linked::default());
        }
        let odd = said(
            r#"{"@type": "Article", "author": [1, null, {"name": {"x": 1}}], "publisher": []}"#,
        );
        assert_eq!(odd, Linked::default());
    }

    proptest! {
        #[test]
        fn any_script_gives_something_or_nothing(
            parts in prop::collection::vec(prop::sample::select(&[
                "{", "}", "[", "]", ",", ":", "\"@type\"", "\"Article\"", "\"author\"", "\"name\"", "\"@id\"",
                "\"@graph\"", "\"publisher\"", "\"x\"", "<![CDATA[", "]]>", "<!--", "-->", "//", "null", "1",
            ][..]), 0..40),
        ) {
            said(&parts.concat());
        }
    }
}
