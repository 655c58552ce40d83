//! What `check` is started with: a text, and the collection that it is checked against.

use async_trait::async_trait;
use methods::Calls;
use methods::check::{self, Options};
use methods::order::Order;
use papers::Source;
use serde_json::Value;

use super::Origin;
use super::catalog::Catalog;
use super::wanted::{Given, Kind, Wanted, json_of};
use crate::commands::DEFAULT_COLLECTION;
use crate::config::Config;
use crate::failure::Failure;
use crate::names::check_name;

/// Bytes of a text that is checked, at most.
const LONGEST_TEXT: usize = 2_000_000;

struct Check(Options);

/// Checks what can be checked on the order alone.
pub(super) fn sound(order: &Order, _: Origin) -> Result<(), Failure> {
    readable(select_text(order))
}

/// Returns the text that an order wants checked.
fn select_text(order: &Order) -> &str {
    order.text.as_deref().unwrap_or(&order.question)
}

/// Checks that a text has sentences to check, and not too many of them.
fn readable(text: &str) -> Result<(), Failure> {
    if text.len() > LONGEST_TEXT {
        return Err(Failure::usage(
            format!(
                "the text has {} bytes; at most {LONGEST_TEXT} can be checked at once",
                text.len()
            ),
            "split the text and check the parts",
        ));
    }
    check::sound(text).map_err(|what| {
        Failure::usage(
            what,
            "write Markdown, plain text, or one JSON object per line: {\"id\", \"claim\", \"quotes\": [{\"document\", \"quote\"}]}",
        )
    })
}

pub(super) const KIND: Kind = Kind { method: "check", sound, wanted, ..Kind::PLAIN };

pub(super) fn wanted(given: &Given<'_>) -> Result<Box<dyn Wanted>, Failure> {
    let order = given.order;
    if let Some(collection) = &order.collection {
        check_name("collection", collection)?;
    }
    let collection = order.collection.clone().unwrap_or_else(|| DEFAULT_COLLECTION.to_owned());
    Ok(Box::new(Check(Options { collection, text: select_text(order).to_owned() })))
}

#[async_trait]
impl Wanted for Check {
    fn calls(&self, _: &Config, _: &str) -> Vec<Calls> {
        check::calls(&self.0.text)
    }

    async fn options(
        self: Box<Self>,
        _: &Config,
        _: Vec<Source>,
        catalog: &Catalog<'_>,
    ) -> Result<Value, Failure> {
        catalog.must_exist(&self.0.collection).await?;
        json_of(&self.0)
    }
}
