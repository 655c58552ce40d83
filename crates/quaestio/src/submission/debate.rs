//! What `debate` is started with: what may be read and remembered, and how the collections are searched.

use async_trait::async_trait;
use methods::Calls;
use methods::debate::{self, Options};
use methods::order::Order;
use papers::Source;
use run::library::Retrieval;
use serde_json::{Value, json};
use url::Url;

use super::Origin;
use super::catalog::Catalog;
use super::wanted::{Given, Kind, Wanted, json_of};
use crate::config::Config;
use crate::failure::Failure;
use crate::names::check_name;

/// Bytes of an address, at most.
const LONGEST_URL: usize = 2_048;

/// Checks what can be checked on the order alone.
pub(super) fn sound(order: &Order, origin: Origin) -> Result<(), Failure> {
    if let Some(url) = order.url.as_deref().map(str::trim).filter(|url| !url.is_empty()) {
        page(url)?;
    }
    if let Some(source) = order.sources.iter().flatten().find(|one| !ASKED.contains(one)) {
        return Err(Failure::usage(
            format!("a debate cannot use {}", source.title()),
            origin.says(
                "use --source arxiv, --source crossref or both",
                "use arxiv, crossref or both",
            ),
        ));
    }
    Ok(())
}

/// The sources that a debate can ask.
const ASKED: [Source; 2] = [Source::Arxiv, Source::Crossref];

/// Checks the address of a page that is to be evidence. Where it leads is checked when it is fetched.
fn page(url: &str) -> Result<(), Failure> {
    let refused = |why: &str| {
        let url = ::sources::without_userinfo(url);
        let shown: String = run::grounding::clean(&url).chars().take(100).collect();
        Failure::usage(
            format!("'{shown}' cannot be used as evidence: {why}"),
            "give an https:// address of a page by a named author or publisher, or add a file with `quaestio ingest` and name its collection",
        )
    };
    if url.len() > LONGEST_URL {
        return Err(refused(&format!("it is longer than {LONGEST_URL} bytes")));
    }
    let read = Url::parse(url).map_err(|error| refused(&error.to_string()))?;
    if !matches!(read.scheme(), "http" | "https") {
        return Err(refused("it must start with http:// or https://"));
    }
    if !read.username().is_empty() || read.password().is_some() {
        return Err(refused("it contains a user name or a password"));
    }
    match methods::debate::is_scholarly(read.as_str()) {
        true => Ok(()),
        false => Err(refused("anyone may change it; cite the works that it refers to")),
    }
}

/// Returns the configured options with the order applied.
fn build_options(order: &Order, config: &Config, origin: Origin) -> Result<Options, Failure> {
    let mut options = config.debate_options();
    if let Some(collection) = &order.collection {
        check_name("collection", collection)?;
        options.collection.clone_from(collection);
    }
    if let Some(sources) = &order.sources {
        options.outside = !sources.is_empty();
        let rules = &mut options.rules;
        for (source, results) in [
            (Source::Arxiv, &mut rules.arxiv_results),
            (Source::Crossref, &mut rules.crossref_results),
        ] {
            if options.outside && !sources.contains(&source) {
                *results = 0;
            }
        }
    }
    options.rules.max_turns = order.max_turns.unwrap_or(options.rules.max_turns);
    options.url = order.url.as_deref().map(str::trim).unwrap_or_default().to_owned();
    options.history.clone_from(&order.history);
    match options.wrong() {
        None => Ok(options),
        Some((key, what)) => Err(Failure::usage(
            format!("debate.{key} {what}"),
            origin.says(
                "see the settings debate.* with `quaestio config show`",
                "the server's settings debate.* apply to what the request leaves out",
            ),
        )),
    }
}

/// Returns the sources that the debate asks.
fn sources(options: &Options) -> Vec<Source> {
    let rules = &options.rules;
    let results = [rules.arxiv_results, rules.crossref_results];
    let asked =
        ASKED.into_iter().zip(results).filter(|(_, results)| options.outside && *results > 0);
    asked.map(|(source, _)| source).collect()
}

/// Checks the collections, and sets how they are searched if the configuration leaves that open: by meaning alone if there are
/// vectors, else by words.
async fn shelved(
    options: &mut Options,
    config: &Config,
    catalog: &Catalog<'_>,
) -> Result<(), Failure> {
    let mut is_mixed = false;
    let has_embedder = !config.embedder.model.is_empty();
    if !options.collection.is_empty() {
        catalog.must_exist(&options.collection).await?;
        let manifest = catalog.database.library.manifest(catalog.user, &options.collection).await?;
        is_mixed = has_embedder && manifest.embedder.is_none();
    }
    // If the corpus has vectors and the user's own collection has none, each is searched in the way it supports.
    if options.rules.retrieval == Retrieval::Auto && !is_mixed {
        options.rules.retrieval = if has_embedder { Retrieval::Dense } else { Retrieval::Feedback };
    }
    if !options.collection.is_empty() {
        catalog.must_compare(&options.collection, "debate", options.rules.retrieval).await?;
    }
    Ok(())
}

struct Debate(Options);

pub(super) const KIND: Kind = Kind {
    sound,
    default_sources: |_| Some(ASKED.to_vec()),
    // Its embedder is in the name of the corpus.
    rename_option: |key, config| match key {
        "corpus" => Some(("corpus", json!(config.debate_options().corpus))),
        _ => None,
    },
    at_most: |config| config.debate.at_most(),
    reads_history: true,
    ..Kind::of("debate", wanted)
};

pub(super) fn wanted(given: &Given<'_>) -> Result<Box<dyn Wanted>, Failure> {
    Ok(Box::new(Debate(build_options(given.order, given.config, given.origin)?)))
}

#[async_trait]
impl Wanted for Debate {
    fn sources(&self, _: &Config, _: Origin) -> Result<Vec<Source>, Failure> {
        Ok(sources(&self.0))
    }

    fn reads_a_page(&self) -> bool {
        !self.0.url.is_empty()
    }

    fn compares_vectors(&self) -> bool {
        true
    }

    fn calls(&self, _: &Config, question: &str) -> Vec<Calls> {
        debate::calls(&self.0.rules, question)
    }

    async fn options(
        self: Box<Self>,
        config: &Config,
        _: Vec<Source>,
        catalog: &Catalog<'_>,
    ) -> Result<Value, Failure> {
        let Debate(mut options) = *self;
        shelved(&mut options, config, catalog).await?;
        json_of(&options)
    }
}

#[cfg(test)]
mod tests {
    use figment2::value::Value;
    use proptest::prelude::*;

    use super::*;
    use crate::config::{Files, Layers};

    fn config(keys: &[(&str, &str)]) -> Config {
        let keys = keys.iter().map(|(key, value)| (*key, Value::from(*value))).collect();
        let layers = Layers::read(&Files::default(), false, vec![]).unwrap();
        layers.with(None, "test", keys).unwrap().config
    }

    // proves: D2, D6
    #[test]
    fn nothing_unsourced_is_read_as_evidence_however_it_is_written() {
        for fine in [
            "https://example.org/report",
            "http://example.org",
            "https://notwikipedia.org/",
            "https://wikipedia.org.example/",
            "https://example.org/?from=https://en.wikipedia.org/",
            "http://127.0.0.1:9/",
        ] {
            page(fine).unwrap();
        }
        for wrong in [
            "https://en.wikipedia.org/wiki/Tide",
            "HTTPS://EN.WIKIPEDIA.ORG/wiki/Tide",
            "https://wikipedia.org",
            "https://de.m.wikipedia.org./wiki",
            "https://en.wikipedi%61.org/wiki",
            "https://en.ｗikipedia.org/wiki",
            "https://user@en.wikipedia.org/",
            "https:\\\\en.wikipedia.org\\wiki",
            "\thttps://en.wikipedia.org/",
            "https://en.wiki\npedia.org/",
            "file:///etc/passwd",
            "ftp://example.org/",
            "javascript:alert(1)",
            "example.org",
            "https://",
            "https://user:secret@example.org/",
        ] {
            let refused = page(wrong).unwrap_err();
            assert!(refused.what.contains("cannot be used as evidence"), "{wrong}: {refused}");
            assert!(!refused.what.contains("secret"), "{refused}");
        }
        assert!(page(&format!("https://example.org/{}", "x".repeat(3_000))).is_err());
    }

    fn debate() -> Order {
        Order { method: "debate".into(), question: "q".into(), ..Order::default() }
    }

    // proves: D2
    #[test]
    fn an_order_says_whom_to_ask_and_the_configuration_the_rest() {
        let asked = |sources: Option<Vec<Source>>| {
            let order = Order { sources, max_turns: Some(2), ..debate() };
            sound(&order, Origin::Http)?;
            let options = build_options(&order, &config(&[]), Origin::Http)?;
            Ok::<_, Failure>((options.outside, options.rules.max_turns, super::sources(&options)))
        };
        assert_eq!(asked(None).unwrap(), (true, 2, ASKED.to_vec()));
        assert_eq!(asked(Some(vec![])).unwrap(), (false, 2, vec![]));
        let one = asked(Some(vec![Source::Crossref])).unwrap();
        assert_eq!(one, (true, 2, vec![Source::Crossref]));
        assert!(asked(Some(vec![Source::Web])).unwrap_err().what.contains("a debate cannot use"));
        let far = Order { max_turns: Some(51), ..debate() };
        let refused = build_options(&far, &config(&[]), Origin::Http).unwrap_err();
        assert!(refused.what.contains("debate.max_turns must be 1 to 50"), "{refused}");
        let nobody = Order { url: Some(" ".into()), ..debate() };
        sound(&nobody, Origin::Http).unwrap();
        assert_eq!(build_options(&nobody, &config(&[]), Origin::Http).unwrap().url, "");
    }

    proptest! {
        #[test]
        fn any_address_is_read_or_refused(url in any::<String>()) {
            let _ = page(&url);
        }

        // proves: D2
        #[test]
        fn no_way_of_writing_its_host_brings_wikipedia_in(
            before in "[a-z]{0,5}",
            port in prop::option::of(1_u16..),
            path in "[a-zA-Z0-9/%?#@:._-]{0,20}",
        ) {
            let dot = if before.is_empty() { "" } else { "." };
            let port = port.map(|port| format!(":{port}")).unwrap_or_default();
            let url = format!("https://{before}{dot}wikipedia.org{port}/{path}");
            prop_assert!(page(&url).is_err(), "{}", url);
        }
    }
}
