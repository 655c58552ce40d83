//! `quaestio hypothesize`.

use methods::order::Order;
use run::Methods;

use super::beforehand::Beforehand;
use super::start::{before, caps, new_id, ordered, sources};
use crate::Face;
use crate::cli::{Common, HypothesizeArgs};
use crate::failure::{Exit, Failure};

pub(super) async fn hypothesize(
    args: &HypothesizeArgs,
    common: &Common,
    methods: Methods,
    face: &Face,
) -> Result<Exit, Failure> {
    let order = order(args);
    let said = Beforehand::of(&args.before.said)?;
    let asked = (args.caps.estimate, args.format);
    let Some((desk, ready)) = ordered(&order, asked, common, methods, face).await? else {
        return Ok(Exit::Done);
    };
    desk.carry_out(&new_id(), ready, &said, args.format).await
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
