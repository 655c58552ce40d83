//! What `market` is started with.

use async_trait::async_trait;
use methods::Calls;
use methods::market::{self, Options};
use methods::order::Order;
use papers::Source;
use serde_json::{Value, json};

use super::Origin;
use super::catalog::Catalog;
use super::wanted::{Given, Kind, Wanted, json_of, reachable};
use crate::config::Config;
use crate::failure::Failure;
use crate::names::check_name;

struct Market(Options);

pub(super) const KIND: Kind = Kind {
    default_sources: |config| Some(reachable(&config.market.asked, config)),
    rename_option: |key, config| match key {
        "asked" => Some(("sources", json!(reachable(&config.market.asked, config)))),
        _ => None,
    },
    ..Kind::of("market", wanted)
};

pub(super) fn wanted(given: &Given<'_>) -> Result<Box<dyn Wanted>, Failure> {
    Ok(Box::new(Market(options(given.order, given.config, given.origin)?)))
}

#[async_trait]
impl Wanted for Market {
    fn sources(&self, _: &Config, _: Origin) -> Result<Vec<Source>, Failure> {
        Ok(self.0.sources.clone())
    }

    fn compares_vectors(&self) -> bool {
        true
    }

    fn calls(&self, _: &Config, question: &str) -> Vec<Calls> {
        market::calls(&self.0.rules, question)
    }

    async fn options(
        self: Box<Self>,
        _: &Config,
        _: Vec<Source>,
        catalog: &Catalog<'_>,
    ) -> Result<Value, Failure> {
        let Market(options) = *self;
        catalog.may_search(&options.collection, "market", options.rules.retrieval).await?;
        json_of(&options)
    }
}

/// Returns the configured options with the order applied.
fn options(order: &Order, config: &Config, origin: Origin) -> Result<Options, Failure> {
    let mut options = config.market.options();
    if let Some(collection) = &order.collection {
        check_name("collection", collection)?;
        options.collection.clone_from(collection);
    }
    options.sources = reachable(&options.sources, config);
    if let Some(sources) = &order.sources {
        options.sources.clone_from(sources);
    }
    match options.wrong() {
        None => Ok(options),
        Some((key, what)) => Err(Failure::usage(
            format!("market.{key} {what}"),
            origin.says(
                "add sources with --source, or documents with --docs or --collection; see the settings market.* with `quaestio config show`",
                "name `sources`, or a collection",
            ),
        )),
    }
}
