//! `quaestio debate`.

use std::io::IsTerminal;
use std::path::Path;

use methods::debate::Remark;
use methods::order::Order;
use run::Methods;

use super::Shows;
use super::collect::bounded;
use super::start::{Asked, before, caps, collection, new_id, see_through, sources};
use crate::Face;
use crate::cli::{Common, DebateArgs};
use crate::failure::{Exit, Failure};

/// Bytes of a file with the earlier conversation, at most.
const MOST_BYTES: u64 = 32 << 20;

pub(super) async fn debate(
    args: &DebateArgs,
    common: &Common,
    methods: Methods,
    face: &Face,
) -> Result<Exit, Failure> {
    let run = new_id();
    let order = build_order(args, &run)?;
    let is_watched = face.terminal && std::io::stdout().is_terminal();
    let is_asked_for = args.output.format.is_some() || args.output.place.output.is_some();
    let is_told = is_watched && !is_asked_for && !common.quiet;
    let shows = if is_told { Shows::Telling } else { Shows::Result };
    let asked = Asked::of(&run, &args.docs, (&args.before, &args.caps), &args.output)?;
    let asked = Asked { shows, ..asked };
    see_through(&order, asked, common, methods, face).await
}

/// Builds an order from the arguments. Documents that are read for this run alone go into its own collection.
fn build_order(args: &DebateArgs, run: &str) -> Result<Order, Failure> {
    let order = Order {
        method: "debate".into(),
        question: args.question.clone(),
        max_turns: args.max_turns,
        url: args.url.clone(),
        history: args.history.as_deref().map(history).transpose()?.unwrap_or_default(),
        collection: collection(args.collection.as_ref(), &args.docs, run),
        sources: sources(&args.sources, args.own_documents),
        budget: caps(&args.caps),
        ..Order::default()
    };
    Ok(before(&args.before, order))
}

/// Reads the earlier conversation.
fn history(path: &Path) -> Result<Vec<Remark>, Failure> {
    let wrong = |why: String| {
        Failure::usage(
            format!("--history {}: {why}", path.display()),
            "write a JSON list, oldest first: [{\"role\": \"user\", \"content\": \"…\"}]",
        )
    };
    let text = bounded(path, MOST_BYTES).map_err(&wrong)?;
    serde_json::from_str(&text)
        .map_err(|error| wrong(format!("this is not a conversation: {error}")))
}
