//! Continuing from an earlier run: what it asked and cited, and what its order says that the new one leaves open.

use std::borrow::Cow;

use methods::ask::Options;
use methods::ask::deep::Earlier;
use methods::order::Order;
use run::database::Database;
use run::views;
use serde::Deserialize;

use crate::failure::Failure;

/// Fills what an order leaves open from the run that it continues, and returns it with what that run asked and cited. Without a
/// question, that run's is asked again.
pub(super) async fn taken_up<'o>(
    order: &'o Order,
    database: &Database,
    user: &str,
) -> Result<(Cow<'o, Order>, Option<Box<Earlier>>), Failure> {
    let Some(run) = &order.goes_on_from else { return Ok((Cow::Borrowed(order), None)) };
    let entries = database.log.entries(user, run, 0).await?;
    let again = order.question.trim().is_empty();
    let earlier = Earlier::of(run, &entries, again).map_err(|what| {
        Failure::usage(
            format!("it cannot be continued: {what}"),
            "name a finished run of `ask` or `deep`",
        )
    })?;
    let options = views::start(&entries).map(|start| Options::deserialize(&start.settings.options));
    let options = match options {
        Some(Ok(options)) => options,
        _ => {
            return Err(Failure::usage(
                format!("could not read how run {run} was started"),
                "name a run made with this version",
            ));
        }
    };
    let order = filled(order.clone(), options, &earlier.question);
    Ok((Cow::Owned(order), Some(Box::new(earlier))))
}

fn filled(order: Order, earlier: Options, question: &str) -> Order {
    let Options { collection, own_documents, sources, filter, company, wishes, rules, .. } =
        earlier;
    let again = order.question.trim().is_empty();
    let said = |text: String| Some(text).filter(|text| !text.is_empty());
    let own = said(collection).filter(|_| own_documents);
    let new_documents = order.collection.is_some();
    let filled = Order {
        collection: order.collection.or(own),
        sources: order.sources.or(Some(sources)),
        audience: order.audience.or(said(wishes.audience)),
        language: order.language.or(said(wishes.language)),
        ..order
    };
    let filled = if new_documents {
        filled
    } else {
        // Conditions on metadata were meant for the earlier documents.
        let filter = if filled.filter.is_empty() { filter } else { filled.filter };
        Order { filter, company: filled.company.or(said(company)), ..filled }
    };
    if !again {
        return filled;
    }
    Order {
        question: question.to_owned(),
        form: filled.form.or(said(wishes.form)),
        depth: filled.depth.or(Some(rules.report.depth)),
        words: filled.words.or(Some(rules.report.words).filter(|words| *words > 0)),
        ..filled
    }
}
