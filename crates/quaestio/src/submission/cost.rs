//! What a run may cost, and what it is expected to cost.

use std::sync::Arc;

use app::Estimate;
use figment2::value::Value;
use methods::order::Caps;
use run::budget::{Budget, Price, Spend, dollars};
use run::model::{Model, Models};
use run::settings::Tier;
use run::tokens::most_tokens_of_prose;
use text::count_tokens;

use super::{Draft, Origin};
use crate::config::{Config, Layers};
use crate::failure::Failure;
use crate::wire;

/// Returns the caps of an order as keys of the configuration.
pub(super) fn caps(caps: &Caps) -> Vec<(&'static str, Value)> {
    let mut keys: Vec<(&str, Value)> = Vec::new();
    keys.extend(caps.max_cost_usd.map(|usd| ("budget.max_cost_usd", Value::from(usd))));
    keys.extend(caps.max_tokens.map(|tokens| ("budget.max_tokens", Value::from(tokens))));
    keys.extend(caps.max_steps.map(|steps| ("budget.max_steps", Value::from(steps))));
    keys.extend(
        caps.max_wall_seconds.map(|seconds| ("budget.max_wall_seconds", Value::from(seconds))),
    );
    keys
}

/// Checks that no cap is above the configured one: over HTTP, the client is not the one who pays.
pub(crate) fn within(wanted: &Config, configured: &Config) -> Result<(), Failure> {
    let (wanted, own) = (wanted.budget.budget(), configured.budget.budget());
    let above = |wanted: Option<u64>, own: Option<u64>| {
        own.is_some_and(|own| wanted.is_none_or(|wanted| wanted > own))
    };
    let caps = [
        ("max_cost_usd", wanted.max_cost_usd_micros, own.max_cost_usd_micros),
        ("max_tokens", wanted.max_tokens, own.max_tokens),
        ("max_steps", wanted.max_steps, own.max_steps),
        ("max_questions", wanted.max_questions, own.max_questions),
        ("max_wall_seconds", wanted.max_wall_seconds, own.max_wall_seconds),
    ];
    match caps.into_iter().find(|(_, wanted, own)| above(*wanted, *own)) {
        None => Ok(()),
        Some((cap, _, own)) => {
            let own = own.unwrap_or_default();
            let most =
                if cap == "max_cost_usd" { dollars(own).to_string() } else { own.to_string() };
            Err(Failure::usage(
                format!("{cap} is at most {most} on this server"),
                format!("ask for less, or have budget.{cap} raised in the server's configuration"),
            ))
        }
    }
}

/// Returns the first model without a known price, if the budget caps the cost.
pub(crate) fn unpriced(models: Option<&Models>, budget: &Budget) -> Option<String> {
    let models = models?;
    let of = |model: &Arc<dyn Model>| (model.id().to_owned(), model.price());
    first_unpriced([of(&models.main), of(&models.light)], budget)
}

/// Returns the name of the first of these models without a known price, if the budget caps the cost.
fn first_unpriced<const N: usize>(
    models: [(String, Option<Price>); N],
    budget: &Budget,
) -> Option<String> {
    budget.max_cost_usd_micros?;
    models.into_iter().find(|(_, price)| price.is_none()).map(|(name, _)| name)
}

/// Lifts the default cost cap, with a note, if a price is unknown. A cap that was set is refused instead.
pub(super) fn uncapped(
    models: Option<&Models>,
    layers: &Layers,
    budget: &mut Budget,
    origin: Origin,
) -> Result<Vec<String>, Failure> {
    let Some(model) = unpriced(models, budget) else { return Ok(vec![]) };
    let layer = layers.origin("budget.max_cost_usd");
    if layer != "defaults" {
        return Err(without_price(&model, &format!("from the {layer}"), origin));
    }
    budget.max_cost_usd_micros = None;
    Ok(vec![cap_lifted(&model)])
}

fn cap_lifted(model: &str) -> String {
    format!(
        "the price of {model} is not known; the token limit applies, the default cost limit cannot"
    )
}

/// Checks that the cost cap of an earlier run can hold for the models that continue it.
pub(crate) fn priced(
    models: Option<&Models>,
    budget: &Budget,
    origin: Origin,
) -> Result<(), Failure> {
    match unpriced(models, budget) {
        Some(model) => Err(without_price(&model, "from the start of the run", origin)),
        None => Ok(()),
    }
}

fn without_price(model: &str, cap: &str, origin: Origin) -> Failure {
    Failure::usage(
        format!("the price of {model} is not known, so the cost limit {cap} cannot be enforced"),
        origin.says(
            "add the price under [prices] in your configuration, or limit tokens with --max-tokens",
            "add the price under [prices] in the server's configuration, or limit tokens instead of cost",
        ),
    )
}

impl Draft {
    /// Estimates the cost of the run from the prompts, the context budget and the price table. Makes no request, so it needs no key.
    pub(crate) fn estimate(&self) -> Result<Estimate, Failure> {
        let Some(choice) = &self.models else {
            return Ok(Estimate {
                model: None,
                expected: Spend::default(),
                worst_case: Spend::default(),
                priced: true,
                notes: vec![],
            });
        };
        let config: &Config = &self.layers.config;
        let price = |name: &str| wire::price_of(name, choice, config);
        let reader = choice.all_readers().first().copied().unwrap_or(&choice.light);
        let (main, light, reader) = (price(&choice.main)?, price(&choice.light)?, price(reader)?);
        let prompts = wire::prompts(config)?;
        let (mut expected, mut worst_case, mut priced) = (Spend::default(), Spend::default(), true);
        let before = self.workflow.iter();
        let before = before.flat_map(|workflow| methods::workflow::calls(workflow, &self.question));
        let follow_up = methods::workflow::follow_up_calls(&self.history, &self.question);
        let before = follow_up.into_iter().chain(before);
        for calls in before.chain(self.wanted.calls(config, &self.question)) {
            let prompt = prompts
                .of(&calls.agent)
                .map_err(|error| Failure::usage(error.to_string(), "correct prompts.folder"))?;
            let price = match prompt.tier {
                Tier::Main => main,
                Tier::Light => light,
                Tier::Reader => reader,
            };
            priced &= price.is_some();
            let read = count_tokens(&prompt.text)
                + count_tokens(&self.question)
                + calls.evidence_tokens as usize;
            let usual = Spend::of(read as u64, calls.reply_tokens.min(prompt.max_tokens), price);
            for _ in 0..calls.usual {
                expected = expected + usual;
            }
            let most =
                Spend::of(most_tokens_of_prose(calls.prompt_bytes), prompt.max_tokens, price);
            for _ in 0..calls.most {
                worst_case = worst_case + most;
            }
        }
        let models = [(choice.main.clone(), main), (choice.light.clone(), light)];
        let unpriced = first_unpriced(models, &config.budget.budget());
        let mut notes: Vec<String> = unpriced.iter().map(|name| cap_lifted(name)).collect();
        if !self.wanted.is_estimable() {
            notes.push(format!(
                "the cost of {} cannot be estimated in advance; its limits apply",
                self.method
            ));
        }
        Ok(Estimate { model: Some(choice.main.clone()), expected, worst_case, priced, notes })
    }
}
