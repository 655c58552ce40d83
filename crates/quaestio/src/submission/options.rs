//! What a method is started with: its order, and what the configuration says of the rest.

use std::collections::BTreeMap;

use methods::Calls;
use methods::ask::deep::Earlier;
use methods::ask::{self, Strategy, Wishes};
use methods::order::Order;
use methods::{brief, check, debate, hypothesize, market};
use papers::Source;
use run::library::{Library, Part};
use run::ports::PortError;
use run::{Method, Methods};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use store::Store;

use super::{Origin, brief as ordered_brief, debate as ordered_debate};
use crate::commands::DEFAULT_COLLECTION;
use crate::config::Config;
use crate::failure::Failure;
use crate::names::check_name;
use crate::wire::{self, Tools};

/// Bytes of a text that is checked, at most.
const LONGEST_TEXT: usize = 2_000_000;

/// Collections that are named where one is missing, at most.
const NAMED: u32 = 20;

/// Characters of the name of a company, at most.
const LONGEST_COMPANY: usize = 200;

/// Characters of what is said of an answer's audience, form or language, at most.
const LONGEST_WISH: usize = 300;

/// What a method is to do, as far as that can be told without looking at documents.
pub(super) enum Wanted {
    Ask {
        strategy: Strategy,
        collection: Option<String>,
        filter: BTreeMap<String, String>,
        /// Empty where none was named.
        company: String,
        wishes: Box<Wishes>,
        earlier: Option<Box<Earlier>>,
        /// Those that were named; none where nothing was said of them, which leaves them to the configuration.
        sources: Option<Vec<Source>>,
    },
    Hypothesize(Box<hypothesize::Options>),
    Market(Box<market::Options>),
    Debate(Box<debate::Options>),
    Brief {
        /// The name of the survey, whose files are still to be found.
        survey: String,
        options: Box<brief::Options>,
    },
    Check {
        collection: Option<String>,
        text: String,
    },
    /// A method without options of a kind of its own: it is given the fields of the order that it names.
    Plain {
        reads_documents: bool,
        asks_outside: bool,
        fields: Map<String, Value>,
    },
}

/// Checks the parts of an order against each other.
pub(super) fn sound(order: &Order, methods: &Methods, origin: Origin) -> Result<(), Failure> {
    let Some(method) = methods.find(&order.method) else {
        return Err(no_such_method(&order.method, methods));
    };
    let example = method.example;
    if order.question.trim().is_empty() && order.goes_on_from.is_none() {
        let written = match origin {
            Origin::CommandLine => format!("quaestio {} \"{example}\"", order.method),
            Origin::Http => example.to_owned(),
        };
        return Err(Failure::usage(
            "the question is empty",
            format!("write for example: {written}"),
        ));
    }
    let given = order.fields_given();
    if let Some(field) = given.iter().find(|field| !method.fields.contains(&field.as_str())) {
        return Err(Failure::usage(
            format!("the method '{}' takes no {field}", order.method),
            "leave it out",
        ));
    }
    match order.method.as_str() {
        "debate" => return ordered_debate::sound(order, origin),
        "brief" => return ordered_brief::sound(order, origin),
        "check" => return readable(text(order)),
        "ask" => {}
        _ => return Ok(()),
    }
    let asks_outside = matches!(order.strategy, Some(Strategy::Search | Strategy::Deep));
    if order.sources.is_some() && !asks_outside {
        return Err(Failure::usage(
            origin.says(
                "--source and --own-documents belong to --strategy search and --strategy deep",
                "sources belong to the strategies 'search' and 'deep'",
            ),
            "the other strategies ask nobody outside",
        ));
    }
    if order.max_questions.is_some() && order.strategy != Some(Strategy::Deep) {
        return Err(Failure::usage(
            origin.says(
                "--max-questions belongs to --strategy deep",
                "max_questions belongs to the strategy 'deep'",
            ),
            "the other strategies ask nothing on the way; leave it out",
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
            format!("{}{field} belongs to the strategy deep", origin.says("--", "")),
            "the other strategies write no report; leave it out",
        ));
    }
    let narrowed = order.collection.is_some() || !order.filter.is_empty();
    if narrowed && order.strategy == Some(Strategy::Direct) {
        return Err(Failure::usage(
            origin.says(
                "--strategy direct excludes --collection and --where",
                "the strategy 'direct' excludes a collection and where",
            ),
            "the strategy 'direct' reads no documents",
        ));
    }
    let company = company(order, origin)?;
    let elsewhere = order
        .filter
        .iter()
        .find(|(key, value)| key.trim().eq_ignore_ascii_case("company") && value.trim() != company);
    if let (Some((_, other)), false) = (elsewhere, company.is_empty()) {
        let other: String = run::grounding::clean(other).chars().take(64).collect();
        return Err(Failure::usage(
            format!("the question is about '{company}', and where asks for documents about '{other}'"),
            origin.says(
                "--company NAME is short for --where company=NAME over documents; leave one of them out",
                "`company` says the same of documents as `where` with company; leave one of them out",
            ),
        ));
    }
    Ok(())
}

/// Returns the text that an order has checked.
fn text(order: &Order) -> &str {
    order.text.as_deref().unwrap_or(&order.question)
}

/// Checks that a text has sentences that can be checked, and no more of them than is sensible.
fn readable(text: &str) -> Result<(), Failure> {
    if text.len() > LONGEST_TEXT {
        return Err(Failure::usage(
            format!("the text has {} bytes, and {LONGEST_TEXT} can be checked at once", text.len()),
            "check it in parts",
        ));
    }
    check::sound(text).map_err(|what| {
        Failure::usage(
            what,
            "write Markdown, plain text, or a JSON object a line: {\"id\", \"claim\", \"quotes\": [{\"document\", \"quote\"}]}",
        )
    })
}

/// Returns the company that an order names, on one line; empty where it names none.
fn company(order: &Order, origin: Origin) -> Result<String, Failure> {
    let Some(company) = &order.company else { return Ok(String::new()) };
    let company = run::ledger::one_line(&run::grounding::clean(company)).trim().to_owned();
    if company.is_empty() {
        return Err(Failure::usage(
            "the name of the company is empty",
            origin.says("write for example --company Acme", "leave `company` out for none"),
        ));
    }
    if company.chars().count() > LONGEST_COMPANY {
        return Err(Failure::usage(
            format!("the name of the company has more than {LONGEST_COMPANY} characters"),
            "name it as its documents do",
        ));
    }
    Ok(company)
}

/// Returns whom an order's answer is for and how it is to be written, each on one line.
fn wishes(order: &Order) -> Result<Wishes, Failure> {
    let line = |field: &str, wish: &Option<String>| -> Result<String, Failure> {
        let wish = wish.as_deref().unwrap_or_default();
        let wish = run::ledger::one_line(&run::grounding::clean(wish)).trim().to_owned();
        if wish.chars().count() > LONGEST_WISH {
            return Err(Failure::usage(
                format!("{field} has more than {LONGEST_WISH} characters"),
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

pub(super) fn no_such_method(name: &str, methods: &Methods) -> Failure {
    let name: String = run::grounding::clean(name).chars().take(64).collect();
    let what = if name.is_empty() {
        "the order names no method".to_owned()
    } else {
        format!("there is no method '{name}'")
    };
    let names: Vec<&str> = methods.iter().map(|method| method.name).collect();
    Failure::usage(what, format!("there are: {}", names.join(", ")))
}

/// Refuses texts of strangers that are longer than somebody writes by hand. Whoever sits at the command line may.
pub(super) fn short_enough(order: &Order, most: u64, origin: Origin) -> Result<(), Failure> {
    if origin == Origin::CommandLine {
        return Ok(());
    }
    let filter = order.filter.iter().flat_map(|(key, value)| [key, value]);
    let Order { domain, objective, company, audience, form, language, .. } = order;
    let texts = [domain, objective, company, audience, form, language].map(Option::as_ref);
    let texts = texts.into_iter().chain([Some(&order.question)]);
    let texts = texts.flatten().chain(filter);
    let chars: u64 = texts.map(|text| text.chars().count() as u64).sum();
    if chars > most {
        return Err(Failure::usage(
            format!(
                "the question and what belongs to it have {chars} characters, and {most} are allowed"
            ),
            "write less; server.question_chars of the configuration is the limit",
        ));
    }
    Ok(())
}

/// Returns the strategy of an order: without a word about it, documents are used where there are some.
pub(super) async fn strategy(
    order: &Order,
    store: &Store,
    user: &str,
) -> Result<Option<Strategy>, Failure> {
    if order.method != "ask" {
        return Ok(None);
    }
    let narrowed = order.collection.is_some() || !order.filter.is_empty();
    Ok(Some(match order.strategy {
        Some(strategy) => strategy,
        None if narrowed || has_documents(store, user, DEFAULT_COLLECTION).await? => Strategy::Rag,
        None => Strategy::Direct,
    }))
}

impl Wanted {
    /// `strategy` is none for a method that has none.
    pub(super) fn of(
        order: &Order,
        method: &Method,
        strategy: Option<Strategy>,
        config: &Config,
        origin: Origin,
    ) -> Result<Wanted, Failure> {
        let strategy = match strategy {
            Some(strategy) => strategy,
            None if order.method == "hypothesize" => {
                return Ok(Wanted::Hypothesize(Box::new(hypotheses(order, config, origin)?)));
            }
            None if order.method == "market" => {
                return Ok(Wanted::Market(Box::new(analysis(order, config, origin)?)));
            }
            None if order.method == "debate" => {
                let options = ordered_debate::options(order, config, origin)?;
                return Ok(Wanted::Debate(Box::new(options)));
            }
            None if order.method == "brief" => {
                let options = Box::new(ordered_brief::options(order, config, origin)?);
                return Ok(Wanted::Brief {
                    survey: order.survey.clone().unwrap_or_default(),
                    options,
                });
            }
            None if order.method == "check" => {
                if let Some(collection) = &order.collection {
                    check_name("collection", collection)?;
                }
                let text = text(order).to_owned();
                return Ok(Wanted::Check { collection: order.collection.clone(), text });
            }
            None => return Wanted::plain(order, method),
        };
        if let Some(collection) = &order.collection {
            check_name("collection", collection)?;
        }
        let mut filter = BTreeMap::new();
        for (key, value) in &order.filter {
            let key = key.trim().to_lowercase();
            if key.is_empty() {
                return Err(Failure::usage(
                    "a condition of where has no key",
                    "name what the documents' metadata must have, for example company",
                ));
            }
            filter.insert(key, value.trim().to_owned());
        }
        let (sources, collection) = (order.sources.clone(), order.collection.clone());
        let company = company(order, origin)?;
        let wishes = Box::new(wishes(order)?);
        let earlier = None;
        Ok(Wanted::Ask { strategy, collection, filter, company, wishes, earlier, sources })
    }

    /// Returns what a method is to do that says no more of its options than which fields of an order it reads.
    fn plain(order: &Order, method: &Method) -> Result<Wanted, Failure> {
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
        Ok(Wanted::Plain { reads_documents, asks_outside, fields })
    }

    /// Returns the same where an earlier run is taken up.
    pub(super) fn going_on_from(mut self, run: Option<Box<Earlier>>) -> Wanted {
        if let Wanted::Ask { earlier, .. } = &mut self {
            *earlier = run;
        }
        self
    }

    /// Returns whom the run asks outside.
    pub(super) fn sources(&self, config: &Config, origin: Origin) -> Result<Vec<Source>, Failure> {
        let asked = |named: &[Source]| {
            wire::asked(named, config).map_err(|failure| match origin {
                Origin::Http if failure.hint.contains("--source") => {
                    Failure::usage(failure.what, "name some in `sources`")
                }
                _ => failure,
            })
        };
        match self {
            Wanted::Ask { strategy: Strategy::Search, sources, .. } => {
                asked(sources.as_deref().unwrap_or_default())
            }
            Wanted::Ask { strategy: Strategy::Deep, sources, .. } => match sources.as_deref() {
                // It may look into documents alone.
                Some([]) => Ok(vec![]),
                None if !asks_somebody(config) => Ok(vec![]),
                named => asked(named.unwrap_or_default()),
            },
            Wanted::Plain { asks_outside: true, fields, .. } => {
                let named = fields.get("sources").map(Vec::<Source>::deserialize);
                match named.and_then(Result::ok).as_deref() {
                    Some([]) => Ok(vec![]),
                    named => asked(named.unwrap_or_default()),
                }
            }
            Wanted::Ask { .. }
            | Wanted::Brief { .. }
            | Wanted::Check { .. }
            | Wanted::Plain { .. } => Ok(vec![]),
            Wanted::Hypothesize(options) => Ok(options.sources.clone()),
            Wanted::Market(options) => Ok(options.sources.clone()),
            Wanted::Debate(options) => Ok(ordered_debate::sources(options)),
        }
    }

    /// Tells whether a page is fetched, whoever else is asked.
    pub(super) fn reads_a_page(&self) -> bool {
        matches!(self, Wanted::Debate(options) if !options.url.is_empty())
    }

    /// Returns the calls that the run makes.
    pub(super) fn calls(&self, config: &Config, question: &str) -> Vec<Calls> {
        match self {
            Wanted::Ask { strategy, company, earlier, .. } => {
                ask::calls(&config.ask, &[question, company].concat(), *strategy, earlier.is_some())
            }
            Wanted::Hypothesize(options) => hypothesize::calls(&options.rules, question),
            Wanted::Market(options) => market::calls(&options.rules, question),
            Wanted::Debate(options) => debate::calls(&options.rules, question),
            Wanted::Brief { options, .. } => brief::calls(&options.rules, options.way, question),
            Wanted::Check { text, .. } => check::calls(text),
            Wanted::Plain { .. } => vec![],
        }
    }

    /// Checks the documents, and returns the method's options.
    pub(super) async fn options(
        self,
        config: &Config,
        sources: Vec<Source>,
        catalog: &Catalog<'_>,
    ) -> Result<Value, Failure> {
        let (strategy, collection, filter, company, wishes, earlier) = match self {
            Wanted::Ask { strategy, collection, filter, company, wishes, earlier, .. } => {
                (strategy, collection, filter, company, *wishes, earlier)
            }
            Wanted::Hypothesize(options) => {
                let retrieval = options.rules.retrieval;
                catalog.may_search(&options.collection, "hypothesize", retrieval).await?;
                return written(&options);
            }
            Wanted::Market(options) => {
                let retrieval = options.rules.retrieval;
                catalog.may_search(&options.collection, "market", retrieval).await?;
                return written(&options);
            }
            Wanted::Debate(mut options) => {
                ordered_debate::shelved(&mut options, config, catalog).await?;
                return written(&options);
            }
            Wanted::Brief { survey, mut options } => {
                options.files = ordered_brief::files(&survey, config, catalog).await?;
                return written(&options);
            }
            Wanted::Check { collection, text } => {
                let collection = collection.unwrap_or_else(|| DEFAULT_COLLECTION.to_owned());
                catalog.must_exist(&collection).await?;
                return written(&check::Options { collection, text });
            }
            Wanted::Plain { reads_documents, asks_outside, mut fields } => {
                if reads_documents {
                    let named = fields.get("collection").and_then(Value::as_str);
                    let collection = named.unwrap_or(DEFAULT_COLLECTION).to_owned();
                    catalog.must_exist(&collection).await?;
                    fields.insert("collection".to_owned(), collection.into());
                }
                if asks_outside {
                    fields.insert("sources".to_owned(), written(&sources)?);
                }
                return Ok(Value::Object(fields));
            }
        };
        let must_exist = match strategy {
            Strategy::Rag => true,
            Strategy::Deep => collection.is_some(),
            Strategy::Direct | Strategy::Search => false,
        };
        let collection = match collection {
            Some(name) => name,
            // What is looked up is read into a collection of the run's own.
            None if strategy == Strategy::Search => String::new(),
            None => DEFAULT_COLLECTION.to_owned(),
        };
        let rules = config.ask.clone();
        if must_exist {
            catalog.must_exist(&collection).await?;
        }
        let own_documents = has_documents(catalog.store, catalog.user, &collection).await?;
        if must_exist || (own_documents && strategy == Strategy::Deep) {
            catalog.must_compare(&collection, "ask", rules.retrieval).await?;
        }
        if strategy == Strategy::Deep && !own_documents && sources.is_empty() {
            return Err(Failure::usage(
                "there is nothing to look into: no source is asked, and there are no documents",
                catalog.origin.says(
                    "name sources with --source, or give --docs or --collection",
                    "name some in `sources`, or a collection with documents",
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
        written(&options)
    }
}

fn written(options: &impl Serialize) -> Result<Value, Failure> {
    serde_json::to_value(options).map_err(|error| Failure::new(error.to_string(), ""))
}

/// Returns what `hypothesize` is started with: the configuration, and what the order says of it.
fn hypotheses(
    order: &Order,
    config: &Config,
    origin: Origin,
) -> Result<hypothesize::Options, Failure> {
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
                "--source takes arxiv, crossref, openalex and semantic-scholar, --own-documents wants --docs or --collection; `quaestio config show` lists hypothesize.*",
                "sources takes arxiv, crossref, openalex and semantic-scholar, and may be empty beside a collection",
            ),
        )),
    }
}

/// Returns what `market` is started with: the configuration, and what the order says of it.
fn analysis(order: &Order, config: &Config, origin: Origin) -> Result<market::Options, Failure> {
    let mut options = config.market.options();
    if let Some(collection) = &order.collection {
        check_name("collection", collection)?;
        options.collection.clone_from(collection);
    }
    // A web search that is not configured is nobody's wish.
    options.sources.retain(|one| *one != Source::Web || !config.sources.web.engine.is_empty());
    if let Some(sources) = &order.sources {
        options.sources.clone_from(sources);
    }
    match options.wrong() {
        None => Ok(options),
        Some((key, what)) => Err(Failure::usage(
            format!("market.{key} {what}"),
            origin.says(
                "name some with --source, or give --docs or --collection; `quaestio config show` lists market.*",
                "name some in `sources`, or a collection",
            ),
        )),
    }
}

/// Tells whether the configuration names a source that can be asked: a web search that is not configured is nobody.
fn asks_somebody(config: &Config) -> bool {
    let is_there = |one: &Source| *one != Source::Web || !config.sources.web.engine.is_empty();
    config.sources.asked.iter().any(is_there)
}

async fn has_documents(store: &Store, user: &str, name: &str) -> Result<bool, Failure> {
    Ok(store.collection(user, name).await?.is_some_and(|collection| collection.documents > 0))
}

/// Where documents are looked for.
pub(super) struct Catalog<'a> {
    pub(super) store: &'a Store,
    pub(super) tools: &'a Tools,
    pub(super) user: &'a str,
    pub(super) origin: Origin,
}

impl Catalog<'_> {
    pub(super) async fn must_exist(&self, collection: &str) -> Result<(), Failure> {
        if self.store.collection(self.user, collection).await?.is_some() {
            return Ok(());
        }
        let first = Part { after: None, limit: NAMED };
        let collections = self.store.collections_part(self.user, false, &first).await?;
        let names: Vec<&str> = collections.iter().map(|known| known.name.as_str()).collect();
        let there = if names.is_empty() {
            "there is none yet".to_owned()
        } else {
            format!("there are: {}", names.join(", "))
        };
        let hint = match self.origin {
            Origin::CommandLine => format!(
                "make it with `quaestio ingest PATH --collection {collection}`, or give --docs PATH"
            ),
            Origin::Http => "upload documents first, or choose another collection".to_owned(),
        };
        Err(Failure::usage(format!("there is no collection '{collection}'; {there}"), hint))
    }

    /// Checks a collection that a method searches beside what it looks up; an empty name is none.
    async fn may_search(
        &self,
        collection: &str,
        method: &str,
        retrieval: run::library::Retrieval,
    ) -> Result<(), Failure> {
        if collection.is_empty() {
            return Ok(());
        }
        self.must_exist(collection).await?;
        self.must_compare(collection, method, retrieval).await
    }

    /// Checks that the search can compare vectors, where it is to: better before the run than as its failure.
    pub(super) async fn must_compare(
        &self,
        collection: &str,
        method: &str,
        retrieval: run::library::Retrieval,
    ) -> Result<(), Failure> {
        let manifest = match self.store.manifest(self.user, collection).await {
            // It was removed since it was looked for.
            Err(PortError::Invalid { .. }) => {
                self.must_exist(collection).await?;
                self.store.manifest(self.user, collection).await?
            }
            manifest => manifest?,
        };
        if !retrieval.in_a(&manifest).needs_vectors() {
            return Ok(());
        }
        let embedder = match &self.tools.embedder {
            Some(embedders) => Some(embedders.open().await?),
            None => None,
        };
        let embedding = embedder.as_ref().map(|embedder| embedder.embedding());
        manifest.comparable(collection, embedding).map_err(|error| {
            Failure::usage(
                error.to_string(),
                match self.origin {
                    Origin::CommandLine => format!("--embedder NAME gives the embedder; --set {method}.retrieval=feedback searches by words alone"),
                    Origin::Http => format!("embedder.model of the configuration names the embedder; {method}.retrieval = \"feedback\" searches by words alone"),
                },
            )
        })
    }
}
