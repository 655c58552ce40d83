//! `quaestio hypothesize`.

use methods::order::Order;
use run::Methods;

use super::Desk;
use super::start::{caps, estimated, new_id};
use crate::cli::{Common, HypothesizeArgs};
use crate::failure::{Exit, Failure};
use crate::submission::{self, Channel, Draft, Office};
use crate::{Face, wire};

pub(super) async fn hypothesize(
    args: &HypothesizeArgs,
    common: &Common,
    methods: Methods,
    face: &Face,
) -> Result<Exit, Failure> {
    let order = order(args);
    // What the order alone shows should show before anything is opened.
    submission::sound(&order, &methods, Channel::CommandLine)?;
    let layers = wire::configure(common)?;
    let store = wire::open(&layers.config)?;
    let user = &layers.config.user;
    let channel = Channel::CommandLine;
    let office = Office { layers: &layers, store: &store, methods: &methods, user, channel };
    let draft = Draft::of(&office, &order).await?;
    let desk = Desk::of(face, common, draft.config().clone(), store.clone(), methods.clone())?;
    if args.caps.estimate {
        face.out.put(&estimated(args.format, &draft.estimate(&desk.tools)?));
        return Ok(Exit::Done);
    }
    let ready = draft.ready(&desk.tools).await?;
    ready.notes.iter().for_each(|note| desk.note(&format!("note: {note}")));
    let prepared = ready.prepared(&store, &desk.tools, user).await?;
    desk.start(&new_id(), prepared, args.format).await
}

fn order(args: &HypothesizeArgs) -> Order {
    Order {
        method: "hypothesize".into(),
        question: args.question.clone(),
        domain: args.domain.clone(),
        objective: args.objective.clone(),
        top: args.top,
        sources: args.sources.iter().map(|&source| source.into()).collect(),
        budget: caps(&args.caps),
        ..Order::default()
    }
}
