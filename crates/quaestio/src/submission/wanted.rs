//! What a method is to do, as far as that is known without inspecting documents. Each method has its own file here, and a line in
//! [`KINDS`]; one without is started with the fields of the order that it names.

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

/// Remarks of a conversation, and characters of each remark, at most.
const MOST_REMARKS: usize = 200;
const MOST_CHARS: usize = 20_000;
/// Characters of a role, at most.
const MOST_ROLE_CHARS: usize = 64;
/// What an order wants of its method.
#[async_trait]
pub(super) trait Wanted: Send + Sync {
    /// Returns the outside sources that the run asks.
    fn sources(&self, _: &Config, _: Origin) -> Result<Vec<Source>, Failure> {
        Ok(vec![])
    }

    /// Returns whether a page is fetched, whatever sources are asked.
    fn reads_a_page(&self) -> bool {
        false
    }

    /// Returns whether vectors are made or compared, so that the embedder must be available.
    fn compares_vectors(&self) -> bool {
        false
    }

    /// Returns whether the calls that the run makes are known beforehand.
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

/// The input from which a [`Wanted`] is made.
pub(super) struct Given<'a> {
    pub(super) order: &'a Order,
    pub(super) method: &'a Method,
    pub(super) config: &'a Config,
    pub(super) origin: Origin,
    /// The run that the order continues.
    pub(super) earlier: Option<Box<Earlier>>,
}

/// How orders of a method are read, and what the configuration says of it.
#[derive(Clone, Copy)]
pub(crate) struct Kind {
    pub(super) method: &'static str,
    /// Checks what can be checked on the order alone.
    pub(super) sound: fn(&Order, Origin) -> Result<(), Failure>,
    pub(super) wanted: fn(&Given<'_>) -> Result<Box<dyn Wanted>, Failure>,
    /// Whether the configuration has a section of its name, whose keys a fork may change.
    pub(crate) has_section: bool,
    /// Returns whom it asks outside if nobody is named; `None` for a method that asks nobody.
    pub(crate) default_sources: fn(&Config) -> Option<Vec<Source>>,
    /// Returns the option and its value for a key of the section that is not the option itself.
    pub(crate) rename_option: fn(&str, &Config) -> Option<(&'static str, Value)>,
    /// Returns how many of its runs a user may have at work at the same time; `None` for any number.
    pub(crate) at_most: fn(&Config) -> Option<u32>,
    /// Whether the method itself reads what was said before; otherwise the question is worded so that it stands alone.
    pub(super) reads_history: bool,
}

/// Every method that has a file here.
const KINDS: [Kind; 6] =
    [ask::KIND, hypothesize::KIND, market::KIND, debate::KIND, brief::KIND, check::KIND];

impl Kind {
    /// A method that is started with the fields of the order that it names, and has no section.
    pub(super) const PLAIN: Kind = Kind {
        method: "",
        sound: |_, _| Ok(()),
        wanted: plain::wanted,
        has_section: false,
        default_sources: |_| None,
        rename_option: |_, _| None,
        at_most: |_| None,
        reads_history: false,
    };

    /// Returns a method that has a section, and is started with what `wanted` makes of it.
    pub(super) const fn of(
        method: &'static str,
        wanted: fn(&Given<'_>) -> Result<Box<dyn Wanted>, Failure>,
    ) -> Kind {
        Kind { method, wanted, has_section: true, ..Kind::PLAIN }
    }

    /// Returns the kind of a method.
    pub(crate) fn find(method: &str) -> &'static Kind {
        KINDS.iter().find(|kind| kind.method == method).unwrap_or(&Kind::PLAIN)
    }
}

/// Returns what an order wants of its method.
pub(super) fn wanted(given: &Given<'_>) -> Result<Box<dyn Wanted>, Failure> {
    (Kind::find(given.method.name).wanted)(given)
}

/// Checks the parts of an order against each other, and returns its method.
pub(super) fn sound<'m>(
    order: &Order,
    methods: &'m Methods,
    origin: Origin,
) -> Result<&'m Method, Failure> {
    let method = find_method(methods, &order.method)?;
    let example = method.example;
    if order.question.trim().is_empty() && order.goes_on_from.is_none() {
        let written = match origin {
            Origin::CommandLine => format!("quaestio {} \"{example}\"", order.method),
            Origin::Http | Origin::Library => example.to_owned(),
        };
        return Err(Failure::usage(
            "the question is empty",
            format!("write for example `{written}`"),
        ));
    }
    let given = order.fields_given();
    if let Some(field) = given.iter().find(|field| !method.fields.contains(&field.as_str())) {
        return Err(Failure::usage(
            format!("the method '{}' does not accept {field}", order.method),
            "leave it out",
        ));
    }
    check_history(order, origin)?;
    (Kind::find(method.name).sound)(order, origin)?;
    Ok(method)
}

/// Refuses a conversation that is too long.
fn check_history(order: &Order, origin: Origin) -> Result<(), Failure> {
    let history = origin.says("--history", "history");
    if order.history.len() > MOST_REMARKS {
        return Err(Failure::usage(
            format!(
                "{history} has {} messages; at most {MOST_REMARKS} are allowed",
                order.history.len()
            ),
            "keep only the latest",
        ));
    }
    for (number, remark) in (1..).zip(&order.history) {
        let (role, content) = (remark.role.chars().count(), remark.content.chars().count());
        let too_long = [(role, MOST_ROLE_CHARS, "role"), (content, MOST_CHARS, "content")];
        if let Some((chars, most, what)) =
            too_long.into_iter().find(|(chars, most, _)| chars > most)
        {
            return Err(Failure::usage(
                format!(
                    "{history}: the {what} of message {number} has {chars} characters; at most {most} are allowed"
                ),
                "shorten it",
            ));
        }
    }
    Ok(())
}

/// Returns the method of a name.
pub(crate) fn find_method<'m>(methods: &'m Methods, name: &str) -> Result<&'m Method, Failure> {
    methods.find(name).ok_or_else(|| no_such_method(name, methods))
}

fn no_such_method(name: &str, methods: &Methods) -> Failure {
    let name: String = run::grounding::clean(name).chars().take(64).collect();
    let what = if name.is_empty() {
        "the request names no method".to_owned()
    } else {
        format!("there is no method '{name}'")
    };
    let names: Vec<&str> = methods.iter().map(|method| method.name).collect();
    Failure::usage(what, format!("methods: {}", names.join(", ")))
}

/// Refuses orders over HTTP whose texts have more than `most` characters in total. The command line has no such limit.
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
                "the question with its details has {chars} characters; at most {most} are allowed"
            ),
            "shorten it, or raise server.question_chars in the server's configuration",
        ));
    }
    Ok(())
}

/// Returns the sources of a run that asks outside: the named ones, else those of the configuration.
pub(super) fn asked_outside(
    named: &[Source],
    config: &Config,
    origin: Origin,
) -> Result<Vec<Source>, Failure> {
    wire::asked(named, config).map_err(|failure| match origin {
        Origin::Http | Origin::Library if failure.hint.contains("--source") => {
            Failure::usage(failure.what, "name `sources`")
        }
        _ => failure,
    })
}

/// Returns the sources that can be asked: the web only if a search is configured.
pub(super) fn reachable(sources: &[Source], config: &Config) -> Vec<Source> {
    let is_reachable = |one: &Source| *one != Source::Web || !config.sources.web.engine.is_empty();
    sources.iter().copied().filter(is_reachable).collect()
}

/// Returns options as JSON, in which form a run is started with them.
pub(super) fn json_of(options: &impl Serialize) -> Result<Value, Failure> {
    serde_json::to_value(options).map_err(|error| Failure::new(error.to_string(), ""))
}

#[cfg(test)]
mod tests {
    use methods::debate::Remark;

    use super::*;

    fn after(history: Vec<Remark>) -> Order {
        Order { method: "ask".into(), question: "q".into(), history, ..Order::default() }
    }

    // proves: D6, F4
    #[test]
    fn a_conversation_is_as_long_as_somebody_reads_and_no_longer() {
        let remark = |chars: usize| Remark { role: "user".into(), content: "ä".repeat(chars) };
        check_history(&after(vec![remark(20_000); 200]), Origin::Http).unwrap();
        let many = check_history(&after(vec![remark(1); 201]), Origin::Http).unwrap_err();
        assert!(many.what.contains("history has 201 messages; at most 200 are allowed"), "{many}");
        let long = check_history(&after(vec![remark(1), remark(20_001)]), Origin::CommandLine);
        let long = long.unwrap_err();
        assert!(long.what.contains("--history: the content of message 2 has 20001"), "{long}");
        let role = Remark { role: "x".repeat(65), content: String::new() };
        assert!(check_history(&after(vec![role]), Origin::Http).is_err());
    }
}
