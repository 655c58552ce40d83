//! What a method without a file here is started with: the fields of the order that it names, and nothing else.

use async_trait::async_trait;
use methods::Calls;
use papers::Source;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::Origin;
use super::catalog::Catalog;
use super::wanted::{Given, Wanted, asked_outside, json_of};
use crate::commands::DEFAULT_COLLECTION;
use crate::config::Config;
use crate::failure::Failure;
use crate::names::check_name;

struct Plain {
    reads_documents: bool,
    asks_outside: bool,
    fields: Map<String, Value>,
}

pub(super) fn wanted(given: &Given<'_>) -> Result<Box<dyn Wanted>, Failure> {
    let Given { order, method, .. } = given;
    if let Some(collection) = &order.collection {
        check_name("collection", collection)?;
    }
    let has = |field: &str| method.fields.contains(&field);
    let mut fields = match serde_json::to_value(order) {
        Ok(Value::Object(fields)) => fields,
        _ => Map::new(),
    };
    fields.retain(|field, _| has(field));
    let (reads_documents, asks_outside) = (has("collection"), has("sources"));
    Ok(Box::new(Plain { reads_documents, asks_outside, fields }))
}

#[async_trait]
impl Wanted for Plain {
    fn sources(&self, config: &Config, origin: Origin) -> Result<Vec<Source>, Failure> {
        if !self.asks_outside {
            return Ok(vec![]);
        }
        let named = self.fields.get("sources").map(Vec::<Source>::deserialize);
        match named.and_then(Result::ok).as_deref() {
            Some([]) => Ok(vec![]),
            named => asked_outside(named.unwrap_or_default(), config, origin),
        }
    }

    fn is_estimable(&self) -> bool {
        false
    }

    fn calls(&self, _: &Config, _: &str) -> Vec<Calls> {
        vec![]
    }

    async fn options(
        self: Box<Self>,
        _: &Config,
        sources: Vec<Source>,
        catalog: &Catalog<'_>,
    ) -> Result<Value, Failure> {
        let Plain { reads_documents, asks_outside, mut fields } = *self;
        if reads_documents {
            let named = fields.get("collection").and_then(Value::as_str);
            let collection = named.unwrap_or(DEFAULT_COLLECTION).to_owned();
            catalog.must_exist(&collection).await?;
            fields.insert("collection".to_owned(), collection.into());
        }
        if asks_outside {
            fields.insert("sources".to_owned(), json_of(&sources)?);
        }
        Ok(Value::Object(fields))
    }
}
