//! `quaestio market`.

use methods::order::Order;
use run::Methods;

use super::start::{Asked, before, caps, collection, new_id, see_through, sources};
use crate::Face;
use crate::cli::{Common, MarketArgs};
use crate::failure::{Exit, Failure};

pub(super) async fn market(
    args: &MarketArgs,
    common: &Common,
    methods: Methods,
    face: &Face,
) -> Result<Exit, Failure> {
    let run = new_id();
    let order = build_order(args, &run);
    let afterwards = Some(format!(
        "keep what it learned of the startup with: quaestio contexts add --from-run {run}"
    ));
    let asked = Asked::of(&run, &args.docs, (&args.before, &args.caps), &args.output)?;
    let asked = Asked { afterwards, ..asked };
    see_through(&order, asked, common, methods, face).await
}

/// Builds an order from the arguments. Documents that are read for this run alone go into its own collection.
fn build_order(args: &MarketArgs, run: &str) -> Order {
    let order = Order {
        method: "market".into(),
        question: args.message.clone(),
        collection: collection(args.collection.as_ref(), &args.docs, run),
        sources: sources(&args.sources, args.own_documents),
        budget: caps(&args.caps),
        ..Order::default()
    };
    before(&args.before, order)
}
