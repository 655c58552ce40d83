//! The command of a method that has none of its own.

use methods::order::Order;
use run::Methods;
use serde_json::Value;

use super::start::{Asked, before, caps, collection, new_id, see_through, sources};
use crate::Face;
use crate::cli::{Common, MethodArgs};
use crate::failure::{Exit, Failure};

pub(super) async fn method(
    args: &MethodArgs,
    common: &Common,
    methods: Methods,
    face: &Face,
) -> Result<Exit, Failure> {
    let run = new_id();
    let asked = Asked::of(&run, &args.docs, (&args.before, &args.caps), &args.output)?;
    see_through(&build_order(args, &run)?, asked, common, methods, face).await
}

/// Builds an order from the arguments. Documents that are read for this run alone go into its own collection.
fn build_order(args: &MethodArgs, run: &str) -> Result<Order, Failure> {
    let fields = Value::Object(args.fields.clone());
    let given: Order = serde_json::from_value(fields)
        .map_err(|error| Failure::usage(error.to_string(), "see the options with --help"))?;
    let order = Order {
        method: args.method.to_owned(),
        question: args.question.clone(),
        collection: collection(args.collection.as_ref(), &args.docs, run),
        sources: sources(&args.sources, args.own_documents),
        budget: caps(&args.caps),
        ..given
    };
    Ok(before(&args.before, order))
}
