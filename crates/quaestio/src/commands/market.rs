//! `quaestio market`.

use methods::order::Order;
use run::Methods;

use super::ask::read_documents;
use super::beforehand::Beforehand;
use super::start::{before, caps, new_id, ordered, sources};
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
    let order = order(args, &run);
    let said = Beforehand::of(&args.before.said)?;
    let asked = (args.caps.estimate, args.format);
    let Some((desk, ready)) = ordered(&order, asked, common, methods, face).await? else {
        return Ok(Exit::Done);
    };
    if let (Some(collection), false) = (&order.collection, args.docs.is_empty()) {
        read_documents(&desk, &args.docs, collection).await?;
    }
    let exit = desk.carry_out(&run, ready, &said, args.format).await?;
    if exit == Exit::Done {
        desk.note(&format!(
            "keep what it learned of the startup with: quaestio contexts add --from-run {run}"
        ));
    }
    Ok(exit)
}

/// Reads the arguments as an order. Documents that are read for this run alone go into a collection of its own.
fn order(args: &MarketArgs, run: &str) -> Order {
    let own = (!args.docs.is_empty()).then(|| format!("run-{run}"));
    let order = Order {
        method: "market".into(),
        question: args.message.clone(),
        collection: args.collection.clone().or(own),
        sources: if args.own_documents { Some(vec![]) } else { sources(&args.sources) },
        budget: caps(&args.caps),
        ..Order::default()
    };
    before(&args.before, order)
}
