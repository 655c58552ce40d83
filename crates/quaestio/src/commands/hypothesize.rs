//! `quaestio hypothesize`.

use methods::order::Order;
use run::Methods;

use super::Shows;
use super::start::{Asked, before, caps, new_id, see_through, sources};
use crate::Face;
use crate::cli::{Common, HypothesizeArgs};
use crate::failure::{Exit, Failure};

pub(super) async fn hypothesize(
    args: &HypothesizeArgs,
    common: &Common,
    methods: Methods,
    face: &Face,
) -> Result<Exit, Failure> {
    let asked = Asked {
        run: &new_id(),
        docs: &[],
        data: &[],
        before: &args.before,
        estimate: args.caps.estimate,
        format: args.format,
        shows: Shows::Result,
        tables: None,
        afterwards: None,
    };
    see_through(&order(args), asked, common, methods, face).await
}

fn order(args: &HypothesizeArgs) -> Order {
    let order = Order {
        method: "hypothesize".into(),
        question: args.question.clone(),
        domain: args.domain.clone(),
        objective: args.objective.clone(),
        top: args.top,
        sources: sources(&args.sources),
        budget: caps(&args.caps),
        ..Order::default()
    };
    before(&args.before, order)
}
