//! What a method is to do, as far as that can be told without looking at documents. Each method has a file beside this one, and a line
//! in [`KINDS`]; one that has none is started with the fields of the order that it names.

use async_trait::async_trait;
use methods::Calls;
use methods::ask::deep::Earlier;
use methods::order::Order;
use papers::Source;
use run::{Method, Methods};
use serde::Serialize;
use serde_json::Value;

use super::catalog::Catalog;
use super::{Origin, ask, brief, check, debate, hypothesize, market, plain};
use crate::config::Config;
use crate::failure::Failure;
use crate::wire;

/// What an order wants of its method.
#[async_trait]
pub(super) trait Wanted: Send + Sync {
    /// Returns whom the run asks outside.
    fn sources(&self, _: &Config, _: Origin) -> Result<Vec<Source>, Failure> {
        Ok(vec![])
    }

    /// Tells whether a page is fetched, whoever else is asked.
    fn reads_a_page(&self) -> bool {
        false
    }

    /// Tells whether vectors are made or compared, so that the embedder must be there.
    fn compares_vectors(&self) -> bool {
        false
    }

    /// Tells whether the calls that the run makes are known beforehand.
    fn is_estimable(&self) -> bool {
        true
    }

    /// Returns the calls that the run makes.
    fn calls(&self, config: &Config, question: &str) -> Vec<Calls>;

    /// Checks the documents, and returns the method's options.
    async fn options(
        self: Box<Self>,
        config: &Config,
        sources: Vec<Source>,
        catalog: &Catalog<'_>,
    ) -> Result<Value, Failure>;
}

/// What it is told from.
pub(super) struct Given<'a> {
    pub(super) order: &'a Order,
    pub(super) method: &'a Method,
    pub(super) config: &'a Config,
    pub(super) origin: Origin,
    /// The run that it goes on from.
    pub(super) earlier: Option<Box<Earlier>>,
}

/// How orders of a method are read.
struct Kind {
    method: &'static str,
    /// Checks what can be told from the order alone.
    sound: fn(&Order, Origin) -> Result<(), Failure>,
    wanted: fn(&Given<'_>) -> Result<Box<dyn Wanted>, Failure>,
}

const KINDS: [Kind; 6] = [
    Kind { method: "ask", sound: ask::sound, wanted: ask::wanted },
    Kind { method: "hypothesize", sound: |_, _| Ok(()), wanted: hypothesize::wanted },
    Kind { method: "market", sound: |_, _| Ok(()), wanted: market::wanted },
    Kind { method: "debate", sound: debate::sound, wanted: debate::wanted },
    Kind { method: "brief", sound: brief::sound, wanted: brief::wanted },
    Kind { method: "check", sound: check::sound, wanted: check::wanted },
];

const PLAIN: Kind = Kind { method: "", sound: |_, _| Ok(()), wanted: plain::wanted };

fn kind(method: &str) -> &'static Kind {
    KINDS.iter().find(|kind| kind.method == method).unwrap_or(&PLAIN)
}

/// Returns what an order wants of its method.
pub(super) fn wanted(given: &Given<'_>) -> Result<Box<dyn Wanted>, Failure> {
    (kind(given.method.name).wanted)(given)
}

/// Checks the parts of an order against each other, and returns its method.
pub(super) fn sound<'m>(
    order: &Order,
    methods: &'m Methods,
    origin: Origin,
) -> Result<&'m Method, Failure> {
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
    (kind(method.name).sound)(order, origin)?;
    Ok(method)
}

fn no_such_method(name: &str, methods: &Methods) -> Failure {
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

/// Returns whom a run asks that asks outside: those that were named, else those of the configuration.
pub(super) fn asked_outside(
    named: &[Source],
    config: &Config,
    origin: Origin,
) -> Result<Vec<Source>, Failure> {
    wire::asked(named, config).map_err(|failure| match origin {
        Origin::Http if failure.hint.contains("--source") => {
            Failure::usage(failure.what, "name some in `sources`")
        }
        _ => failure,
    })
}

/// Returns options as a run is started with them.
pub(super) fn json_of(options: &impl Serialize) -> Result<Value, Failure> {
    serde_json::to_value(options).map_err(|error| Failure::new(error.to_string(), ""))
}
