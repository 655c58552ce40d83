//! What starting a run takes on the command line, whatever its method.

use methods::order;
use run::budget::{Spend, dollars};
use server::{Estimate, Prepared};

use super::Desk;
use crate::cli::{Caps, Format};
use crate::failure::{Exit, Failure};
use crate::render;

/// Returns the caps as an order has them.
pub(super) fn caps(caps: &Caps) -> order::Caps {
    order::Caps {
        max_cost_usd: caps.max_cost,
        max_tokens: caps.max_tokens,
        max_steps: caps.max_steps,
        max_wall_seconds: caps.max_seconds,
    }
}

/// Returns a new run id: the day and eight random letters and digits.
pub(crate) fn new_id() -> String {
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

impl Desk<'_> {
    /// Starts a run, sees it through and prints what came of it.
    pub(super) async fn start(
        &self,
        run: &str,
        prepared: Prepared,
        format: Format,
    ) -> Result<Exit, Failure> {
        let Prepared { method, question, settings, .. } = prepared;
        let engine = self.engine(settings.models.as_ref())?;
        let status = engine.start(&method, run, &question, settings).await?;
        self.conclude(&engine, run, status, format).await
    }
}

/// Returns what a run would cost, to be printed.
pub(super) fn estimated(format: Format, estimate: &Estimate) -> String {
    let Estimate { expected, worst_case, priced, .. } = *estimate;
    let model = estimate.model.as_deref().unwrap_or("offline");
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
            let page = serde_json::json!({ "model": model, "expected": line(expected), "worst_case": line(worst_case) });
            format!("{}\n", render::json(&page))
        }
        Format::Md | Format::Html => format!(
            "Model: {model}\nExpected: {} tokens, {}\nWorst case: {} tokens, {}\n",
            expected.tokens,
            cost(expected),
            worst_case.tokens,
            cost(worst_case)
        ),
    }
}
