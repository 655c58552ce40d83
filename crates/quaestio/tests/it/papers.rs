//! A local stand-in for Semantic Scholar, with papers of our own in its shape.

use fakes::{FakeModel, Say, Seen};
use serde_json::{Value, json};

use crate::outside::say;
use crate::stand::Stand;

pub(crate) const QUESTION: &str = "Why do honey bee colonies die in winter?";

/// What each paper found, in its abstract's own words.
pub(crate) const FOUND: [&str; 5] = [
    "Colonies with more than 3 mites per 100 bees in October were four times as likely to die in winter as treated colonies.",
    "Winter losses of honey bee colonies increase when autumn forage holds less than 20 percent protein, because the fat body of winter bees stays small.",
    "We show that colonies exposed to imidacloprid in August form looser winter clusters and lose heat faster.",
    "Deformed wing virus titres in autumn predict which honey bee colonies die in winter better than mite counts do.",
    "Warm spells in February reduce the survival of colonies, since queens resume brood rearing before pollen can be gathered.",
];

/// The server, and how to reach it.
pub(crate) struct Papers {
    pub(crate) server: FakeModel,
}

impl Papers {
    /// Five papers with abstracts, and one of which only the title is known.
    pub(crate) fn start() -> Papers {
        Papers::with(works())
    }

    pub(crate) fn with(works: Vec<Value>) -> Papers {
        Papers::answering(move |_| {
            let page = json!({"total": works.len(), "offset": 0, "data": works});
            say(200, "application/json", &page.to_string())
        })
    }

    /// The same, whatever a search is to bring.
    pub(crate) fn answering(search: impl Fn(&Seen) -> Say + Send + Sync + 'static) -> Papers {
        let server = FakeModel::start(move |seen| {
            if seen.path.starts_with("/v1/s2/graph/v1/paper/search") {
                return search(seen);
            }
            say(404, "application/json", r#"{"error":"not here"}"#)
        });
        Papers { server }
    }

    /// Makes the program of a stand ask this server, and no other in its place.
    pub(crate) fn at(&self, stand: Stand) -> Stand {
        let base = self.server.base_url();
        stand
            .variable("QUAESTIO_SOURCES__BASE_URLS__SEMANTIC_SCHOLAR", &format!("{base}s2/"))
            .variable("QUAESTIO_SOURCES__STAND_IN", "false")
            .variable("QUAESTIO_SOURCES__RETRY_DELAY_MS", "1")
    }

    pub(crate) fn stand(&self) -> Stand {
        self.at(Stand::new())
    }

    /// The queries that were searched for.
    pub(crate) fn queries(&self) -> Vec<String> {
        let seen = self.server.seen();
        let asked = seen.iter().filter_map(|seen| seen.path.split_once("query="));
        let queries = asked.map(|(_, rest)| rest.split('&').next().unwrap_or_default());
        let mut queries: Vec<String> =
            queries.map(|query| query.replace('+', " ").replace("%20", " ")).collect();
        queries.sort();
        queries.dedup();
        queries
    }
}

/// Five papers with abstracts, and one without.
pub(crate) fn works() -> Vec<Value> {
    let titles = [
        "Autumn mite loads and winter mortality",
        "Protein in autumn forage and the fat body of winter bees",
        "Neonicotinoids and the winter cluster",
        "Virus titres as predictors of colony death",
        "February warmth and early brood",
    ];
    let authors = ["Ada Tidewell", "Bo Marsh", "Cora Lee", "Dan Okoro", "Eva Lind"];
    let more = [
        "However, untreated colonies in the north survived as often as treated ones.",
        "Supplementary pollen did not improve survival in the second year.",
        "No effect was found in colonies with more than eight frames of bees.",
        "Mite counts alone explain little of the variation between apiaries.",
        "Colonies in insulated hives were not affected, although they too raised brood.",
    ];
    let mut works: Vec<Value> = (0..5)
        .map(|index| {
            let title = titles[index];
            paper(
                index,
                title,
                authors[index],
                Some(&format!("Winter losses have many causes. {} {}", FOUND[index], more[index])),
            )
        })
        .collect();
    works.push(paper(5, "Colony losses: a title without an abstract", "Fay Noon", None));
    works
}

pub(crate) fn paper(index: usize, title: &str, author: &str, summary: Option<&str>) -> Value {
    json!({
        "paperId": format!("{index:040x}"),
        "externalIds": {"DOI": format!("10.5555/bees.{index}"), "CorpusId": 1000 + index},
        "url": format!("https://www.semanticscholar.org/paper/{index:040x}"),
        "title": title, "abstract": summary, "venue": "Journal of Apiaries", "year": 2015 + index,
        "publicationDate": format!("{}-03-01", 2015 + index),
        "publicationTypes": ["JournalArticle"],
        "journal": {"name": "Journal of Apiaries", "volume": "7", "pages": format!("{}-{}", 10 * index + 1, 10 * index + 9)},
        "authors": [{"authorId": "1", "name": author}],
        "citationCount": 10 * index, "referenceCount": 20, "isOpenAccess": false, "openAccessPdf": null,
        "fieldsOfStudy": ["Biology"], "s2FieldsOfStudy": [{"category": "Biology", "source": "external"}],
        "tldr": null,
    })
}
