//! `quaestio hypothesize`.

use methods::order::Order;
use run::Methods;

use super::start::{Asked, before, caps, collection, new_id, see_through, sources};
use crate::Face;
use crate::cli::{Common, HypothesizeArgs};
use crate::failure::{Exit, Failure};

pub(super) async fn hypothesize(
    args: &HypothesizeArgs,
    common: &Common,
    methods: Methods,
    face: &Face,
) -> Result<Exit, Failure> {
    let run = new_id();
    let asked = Asked::of(&run, &args.docs, (&args.before, &args.caps), &args.output)?;
    see_through(&build_order(args, &run), asked, common, methods, face).await
}

/// Builds an order from the arguments. Documents that are read for this run alone go into its own collection.
fn build_order(args: &HypothesizeArgs, run: &str) -> Order {
    let order = Order {
        method: "hypothesize".into(),
        question: args.question.clone(),
        domain: args.domain.clone(),
        objective: args.objective.clone(),
        top: args.top,
        collection: collection(args.collection.as_ref(), &args.docs, run),
        sources: sources(&args.sources, args.own_documents),
        budget: caps(&args.caps),
        ..Order::default()
    };
    before(&args.before, order)
}
