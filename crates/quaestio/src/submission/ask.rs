//! What `ask` is started with: its strategy, and where it looks for the answer.

use std::collections::BTreeMap;

use async_trait::async_trait;
use methods::Calls;
use methods::ask::deep::Earlier;
use methods::ask::{self, Strategy, Wishes};
use methods::order::Order;
use papers::Source;
use run::database::Database;
use serde_json::Value;

use super::Origin;
use super::catalog::{Catalog, has_documents};
use super::wanted::{Given, Kind, Wanted, asked_outside, json_of, reachable};
use crate::commands::DEFAULT_COLLECTION;
use crate::config::Config;
use crate::failure::Failure;
use crate::names::check_name;

/// Characters of the name of a company, at most.
const LONGEST_COMPANY: usize = 200;

/// Characters of an answer's audience, form or language, at most.
const LONGEST_WISH: usize = 300;

struct Ask {
    strategy: Strategy,
    collection: Option<String>,
    filter: BTreeMap<String, String>,
    /// Empty if none was named.
    company: String,
    wishes: Wishes,
    earlier: Option<Box<Earlier>>,
    /// The named sources; `None` leaves them to the configuration.
    sources: Option<Vec<Source>>,
}

/// Checks the parts of an order against each other.
pub(super) fn sound(order: &Order, origin: Origin) -> Result<(), Failure> {
    let asks_outside = matches!(order.strategy, Some(Strategy::Search | Strategy::Deep));
    if order.sources.is_some() && !asks_outside {
        return Err(Failure::usage(
            origin.says(
                "--source and --own-documents work only with --strategy search or --strategy deep",
                "sources work only with the strategies 'search' and 'deep'",
            ),
            "choose another strategy, or leave the sources out",
        ));
    }
    if order.max_questions.is_some() && order.strategy != Some(Strategy::Deep) {
        return Err(Failure::usage(
            origin.says(
                "--max-questions works only with --strategy deep",
                "max_questions works only with the strategy 'deep'",
            ),
            "leave it out; the other strategies ask no questions on the way",
        ));
    }
    let of_a_report = [
        ("depth", order.depth.is_some()),
        ("words", order.words.is_some()),
        ("audience", order.audience.is_some()),
        ("as", order.form.is_some()),
        ("language", order.language.is_some()),
        ("continue", order.goes_on_from.is_some()),
    ];
    let of_a_report = of_a_report.into_iter().find(|(_, is_given)| *is_given);
    if let Some((field, _)) = of_a_report.filter(|_| order.strategy != Some(Strategy::Deep)) {
        return Err(Failure::usage(
            format!("{}{field} works only with the strategy deep", origin.says("--", "")),
            "leave it out, or use the strategy deep, which writes reports",
        ));
    }
    let narrowed = order.collection.is_some() || !order.filter.is_empty();
    if narrowed && order.strategy == Some(Strategy::Direct) {
        return Err(Failure::usage(
            origin.says(
                "--collection and --where cannot be used with --strategy direct",
                "a collection and where cannot be used with the strategy 'direct'",
            ),
            "leave out the strategy to answer from documents",
        ));
    }
    let company = read_company(order, origin)?;
    let elsewhere = order
        .filter
        .iter()
        .find(|(key, value)| key.trim().eq_ignore_ascii_case("company") && value.trim() != company);
    if let (Some((_, other)), false) = (elsewhere, company.is_empty()) {
        let other: String = run::grounding::clean(other).chars().take(64).collect();
        return Err(Failure::usage(
            format!("the company is '{company}', but where filters documents about '{other}'"),
            origin.says(
                "leave one out; --company NAME includes --where company=NAME",
                "leave one out; `company` includes `where` with company",
            ),
        ));
    }
    Ok(())
}

/// Returns the strategy of an order. If it names none, the user's documents are used if there are any.
pub(super) async fn strategy(
    order: &Order,
    database: &Database,
    user: &str,
) -> Result<Option<Strategy>, Failure> {
    if order.method != "ask" {
        return Ok(None);
    }
    let narrowed = order.collection.is_some() || !order.filter.is_empty();
    Ok(Some(match order.strategy {
        Some(strategy) => strategy,
        None if narrowed || has_documents(database, user, DEFAULT_COLLECTION).await? => {
            Strategy::Rag
        }
        None => Strategy::Direct,
    }))
}

/// Returns the company that an order names, on one line; empty if it names none.
fn read_company(order: &Order, origin: Origin) -> Result<String, Failure> {
    let Some(company) = &order.company else { return Ok(String::new()) };
    let company = run::ledger::one_line(&run::grounding::clean(company)).trim().to_owned();
    if company.is_empty() {
        return Err(Failure::usage(
            "the company name is empty",
            origin.says("write for example --company Acme", "leave `company` out"),
        ));
    }
    if company.chars().count() > LONGEST_COMPANY {
        return Err(Failure::usage(
            format!("the company name is longer than {LONGEST_COMPANY} characters"),
            "use the name that is in its documents",
        ));
    }
    Ok(company)
}

/// Returns the audience, form and language that an order wants, each on one line.
fn wishes(order: &Order) -> Result<Wishes, Failure> {
    let line = |field: &str, wish: &Option<String>| -> Result<String, Failure> {
        let wish = wish.as_deref().unwrap_or_default();
        let wish = run::ledger::one_line(&run::grounding::clean(wish)).trim().to_owned();
        if wish.chars().count() > LONGEST_WISH {
            return Err(Failure::usage(
                format!("{field} is longer than {LONGEST_WISH} characters"),
                "say it in a few words",
            ));
        }
        Ok(wish)
    };
    Ok(Wishes {
        audience: line("audience", &order.audience)?,
        form: line("as", &order.form)?,
        language: line("language", &order.language)?,
    })
}

/// Returns whether the configuration names a source that can be asked: a web search that is not configured cannot.
fn asks_somebody(config: &Config) -> bool {
    let is_there = |one: &Source| *one != Source::Web || !config.sources.web.engine.is_empty();
    config.sources.asked.iter().any(is_there)
}

pub(super) const KIND: Kind = Kind {
    sound,
    default_sources: |config| Some(reachable(&config.sources.asked, config)),
    ..Kind::of("ask", wanted)
};

/// Returns what the order wants. Its strategy is already set.
pub(super) fn wanted(given: &Given<'_>) -> Result<Box<dyn Wanted>, Failure> {
    let Given { order, origin, earlier, .. } = given;
    if let Some(collection) = &order.collection {
        check_name("collection", collection)?;
    }
    let mut filter = BTreeMap::new();
    for (key, value) in &order.filter {
        let key = key.trim().to_lowercase();
        if key.is_empty() {
            return Err(Failure::usage(
                "a condition in where has no key",
                "name a metadata key, for example company",
            ));
        }
        filter.insert(key, value.trim().to_owned());
    }
    Ok(Box::new(Ask {
        strategy: order.strategy.unwrap_or(Strategy::Direct),
        collection: order.collection.clone(),
        filter,
        company: read_company(order, *origin)?,
        wishes: wishes(order)?,
        earlier: earlier.clone(),
        sources: order.sources.clone(),
    }))
}

#[async_trait]
impl Wanted for Ask {
    fn sources(&self, config: &Config, origin: Origin) -> Result<Vec<Source>, Failure> {
        let named = self.sources.as_deref();
        match self.strategy {
            Strategy::Search => asked_outside(named.unwrap_or_default(), config, origin),
            Strategy::Deep => match named {
                // Deep research over documents alone is allowed.
                Some([]) => Ok(vec![]),
                None if !asks_somebody(config) => Ok(vec![]),
                named => asked_outside(named.unwrap_or_default(), config, origin),
            },
            Strategy::Direct | Strategy::Rag => Ok(vec![]),
        }
    }

    fn calls(&self, config: &Config, question: &str) -> Vec<Calls> {
        let asked = [question, &self.company].concat();
        ask::calls(&config.ask, &asked, self.strategy, self.earlier.is_some())
    }

    async fn options(
        self: Box<Self>,
        config: &Config,
        sources: Vec<Source>,
        catalog: &Catalog<'_>,
    ) -> Result<Value, Failure> {
        let Ask { strategy, collection, filter, company, wishes, earlier, .. } = *self;
        let must_exist = match strategy {
            Strategy::Rag => true,
            Strategy::Deep => collection.is_some(),
            Strategy::Direct | Strategy::Search => false,
        };
        let collection = match collection {
            Some(name) => name,
            // Search results are read into the run's own collection.
            None if strategy == Strategy::Search => String::new(),
            None => DEFAULT_COLLECTION.to_owned(),
        };
        let rules = config.ask.clone();
        if must_exist {
            catalog.must_exist(&collection).await?;
        }
        let own_documents = has_documents(catalog.database, catalog.user, &collection).await?;
        if must_exist || (own_documents && strategy == Strategy::Deep) {
            catalog.must_compare(&collection, "ask", rules.retrieval).await?;
        }
        if strategy == Strategy::Deep && !own_documents && sources.is_empty() {
            return Err(Failure::usage(
                "there is nothing to search: no sources and no documents",
                catalog.origin.says(
                    "add sources with --source, or documents with --docs or --collection",
                    "name `sources`, or a collection with documents",
                ),
            ));
        }
        let options = ask::Options {
            strategy,
            collection,
            own_documents,
            sources,
            filter,
            company,
            wishes,
            earlier,
            rules,
        };
        json_of(&options)
    }
}
