//! What starting a run takes, whatever its method.

use figment2::value::Value;
use methods::Calls;
use run::budget::{Spend, dollars};
use run::settings::ModelChoice;

use super::{Desk, unpriced};
use crate::cli::{Caps, Format};
use crate::config::Layers;
use crate::failure::{Exit, Failure};
use crate::operations::Engine;
use crate::{render, wire};

/// Returns the question without the blanks around it; where nothing is left, `example` shows what to write.
pub(super) fn asked<'a>(question: &'a str, example: &str) -> Result<&'a str, Failure> {
    match question.trim() {
        "" => Err(Failure::usage("the question is empty", format!("write for example: {example}"))),
        question => Ok(question),
    }
}

/// The keys of the configuration that have flags.
pub(super) fn flags(caps: &Caps) -> Vec<(&'static str, Value)> {
    let mut flags: Vec<(&str, Value)> = Vec::new();
    flags.extend(caps.max_cost.map(|usd| ("budget.max_cost_usd", Value::from(usd))));
    flags.extend(caps.max_tokens.map(|tokens| ("budget.max_tokens", Value::from(tokens))));
    flags.extend(caps.max_steps.map(|steps| ("budget.max_steps", Value::from(steps))));
    flags.extend(caps.max_seconds.map(|seconds| ("budget.max_wall_seconds", Value::from(seconds))));
    flags
}

/// Zero lifts a cap in the configuration; on the command line it would say the opposite of what it does.
pub(super) fn no_zero_caps(caps: &Caps) -> Result<(), Failure> {
    let zero = [caps.max_tokens, caps.max_steps, caps.max_seconds].contains(&Some(0));
    if zero || caps.max_cost == Some(0.0) {
        return Err(Failure::usage(
            "a cap of 0 allows nothing",
            "--no-model asks no model; --estimate runs nothing",
        ));
    }
    Ok(())
}

/// A cost cap needs a price: a cap that somebody set is refused without one, the default one is lifted.
pub(super) fn uncapped(
    desk: &Desk<'_>,
    engine: &Engine,
    layers: &Layers,
    budget: &mut run::budget::Budget,
) -> Result<(), Failure> {
    let Some(model) = unpriced(engine, budget) else { return Ok(()) };
    let origin = layers.origin("budget.max_cost_usd");
    if origin != "defaults" {
        return Err(without_price(&model, &format!("set by the {origin}")));
    }
    desk.note(&format!(
        "note: no price is known for {model}; the token cap holds, the default cost cap cannot"
    ));
    budget.max_cost_usd_micros = None;
    Ok(())
}

pub(super) fn without_price(model: &str, cap: &str) -> Failure {
    Failure::usage(
        format!("no price is known for {model}, so the cost cap {cap} cannot hold"),
        "add its price under [prices] in your configuration, or cap tokens with --max-tokens",
    )
}

/// Returns a new run id: the day and eight random letters and digits.
pub(super) fn new_id() -> String {
    const LETTERS: &[u8; 32] = b"abcdefghijkmnpqrstuvwxyz23456789";
    let random = uuid::Uuid::new_v4();
    let tail: String = random
        .as_bytes()
        .iter()
        .take(8)
        .map(|byte| char::from(LETTERS[usize::from(byte % 32)]))
        .collect();
    let day = jiff::Timestamp::now().to_string();
    let day: String = day.chars().take(10).filter(char::is_ascii_digit).collect();
    format!("{day}-{tail}")
}

/// Prints what a run would cost, from the prompt, the context budget and the price table.
pub(super) fn estimate(
    desk: &Desk<'_>,
    format: Format,
    choice: Option<&ModelChoice>,
    calls: &[Calls],
    question: &str,
) -> Result<Exit, Failure> {
    let Some(choice) = choice else {
        desk.face.out.put(&estimated(format, "offline", Spend::default(), Spend::default(), true));
        return Ok(Exit::Done);
    };
    let models = wire::connect(choice, &desk.config)?;
    let prompts = wire::prompts(&desk.config)?;
    let (mut expected, mut worst, mut priced) = (Spend::default(), Spend::default(), true);
    for calls in calls {
        let prompt = prompts
            .of(&calls.agent)
            .map_err(|error| Failure::usage(error.to_string(), "correct prompts.folder"))?;
        let price = models.of(prompt.tier).price();
        priced &= price.is_some();
        let read = run::analysis::tokens(&prompt.text)
            + run::analysis::tokens(question)
            + calls.evidence_tokens as usize;
        let usage = run::budget::Usage {
            input_tokens: read as u64,
            cached_tokens: 0,
            output_tokens: u64::from(calls.reply_tokens.min(prompt.max_tokens)),
        };
        let cost_usd_micros = price.map_or(0, |price| price.cost_usd_micros(usage));
        for _ in 0..calls.usual {
            expected = expected + Spend { tokens: usage.total(), cost_usd_micros };
        }
        for _ in 0..calls.most {
            worst = worst + Spend::worst_case(calls.prompt_bytes, prompt.max_tokens, price);
        }
    }
    desk.face.out.put(&estimated(format, models.main.id(), expected, worst, priced));
    Ok(Exit::Done)
}

fn estimated(format: Format, model: &str, expected: Spend, worst: Spend, priced: bool) -> String {
    let cost = |spend: Spend| {
        if priced {
            format!("${:.6}", dollars(spend.cost_usd_micros))
        } else {
            "no price known".into()
        }
    };
    match format {
        Format::Json => {
            let line = |spend: Spend| {
                let usd = priced.then(|| dollars(spend.cost_usd_micros));
                serde_json::json!({ "tokens": spend.tokens, "cost_usd": usd })
            };
            let page = serde_json::json!({ "model": model, "expected": line(expected), "worst_case": line(worst) });
            format!("{}\n", render::json(&page))
        }
        Format::Md | Format::Html => format!(
            "Model: {model}\nExpected: {} tokens, {}\nWorst case: {} tokens, {}\n",
            expected.tokens,
            cost(expected),
            worst.tokens,
            cost(worst)
        ),
    }
}
