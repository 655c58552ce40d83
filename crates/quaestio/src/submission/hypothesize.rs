//! What `hypothesize` is started with.

use async_trait::async_trait;
use methods::Calls;
use methods::hypothesize::{self, Options};
use methods::order::Order;
use papers::Source;
use serde_json::{Value, json};

use super::Origin;
use super::catalog::Catalog;
use super::wanted::{Given, Kind, Wanted, json_of};
use crate::config::Config;
use crate::failure::Failure;
use crate::names::check_name;

struct Hypothesize(Options);

pub(super) const KIND: Kind = Kind {
    default_sources: |config| Some(config.hypothesize.asked.clone()),
    rename_option: |key, config| match key {
        "asked" => Some(("sources", json!(config.hypothesize.asked))),
        _ => None,
    },
    ..Kind::of("hypothesize", wanted)
};

pub(super) fn wanted(given: &Given<'_>) -> Result<Box<dyn Wanted>, Failure> {
    Ok(Box::new(Hypothesize(options(given.order, given.config, given.origin)?)))
}

#[async_trait]
impl Wanted for Hypothesize {
    fn sources(&self, _: &Config, _: Origin) -> Result<Vec<Source>, Failure> {
        Ok(self.0.sources.clone())
    }

    fn compares_vectors(&self) -> bool {
        true
    }

    fn calls(&self, _: &Config, question: &str) -> Vec<Calls> {
        hypothesize::calls(&self.0.rules, question)
    }

    async fn options(
        self: Box<Self>,
        _: &Config,
        _: Vec<Source>,
        catalog: &Catalog<'_>,
    ) -> Result<Value, Failure> {
        let Hypothesize(options) = *self;
        catalog.may_search(&options.collection, "hypothesize", options.rules.retrieval).await?;
        json_of(&options)
    }
}

/// Returns the configured options with the order applied.
fn options(order: &Order, config: &Config, origin: Origin) -> Result<Options, Failure> {
    let mut options = config.hypothesize.options();
    let said = |text: &Option<String>| text.clone().filter(|text| !text.trim().is_empty());
    options.domain = said(&order.domain).unwrap_or(options.domain);
    options.objective = said(&order.objective).unwrap_or(options.objective);
    options.top = order.top.unwrap_or(options.top);
    if let Some(collection) = &order.collection {
        check_name("collection", collection)?;
        options.collection.clone_from(collection);
    }
    if let Some(sources) = &order.sources {
        options.sources.clone_from(sources);
    }
    match options.wrong() {
        None => Ok(options),
        Some((key, what)) => Err(Failure::usage(
            format!("hypothesize.{key} {what}"),
            origin.says(
                "use --source with arxiv, crossref, openalex or semantic-scholar; --own-documents needs --docs or --collection; see the settings hypothesize.* with `quaestio config show`",
                "use arxiv, crossref, openalex or semantic-scholar; with a collection, sources may be empty",
            ),
        )),
    }
}
