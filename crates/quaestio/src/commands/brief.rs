//! `quaestio brief`.

use std::path::Path;

use methods::brief::Way;
use methods::order::Order;
use run::Methods;

use super::start::{Asked, before, caps, new_id, see_through};
use crate::cli::{BriefArgs, Common, WayArg};
use crate::failure::{Exit, Failure};
use crate::{Face, saving};

pub(super) async fn brief(
    args: &BriefArgs,
    common: &Common,
    methods: Methods,
    face: &Face,
) -> Result<Exit, Failure> {
    let run = new_id();
    let order = build_order(args, &run);
    args.tables.as_deref().map_or(Ok(()), writable)?;
    let asked = Asked::of(&run, &[], (&args.before, &args.caps), &args.output)?;
    let asked = Asked { data: &args.data, tables: args.tables.as_deref(), ..asked };
    see_through(&order, asked, &limited(args, common), methods, face).await
}

/// Builds an order from the arguments. Files that are read for this run alone are stored under its own name.
fn build_order(args: &BriefArgs, run: &str) -> Order {
    let own = (!args.data.is_empty()).then(|| run::library::of_run(run));
    let way = args.way.map(|way| match way {
        WayArg::Pipeline => Way::Pipeline,
        WayArg::Simple => Way::Simple,
    });
    let order = Order {
        method: "brief".into(),
        question: args.question.clone(),
        survey: args.survey.clone().or(own),
        way,
        budget: caps(&args.caps),
        ..Order::default()
    };
    before(&args.before, order)
}

/// Returns the common arguments with the limits of the loops added as keys of the configuration.
fn limited(args: &BriefArgs, common: &Common) -> Common {
    let explored = args.max_explore.into_iter();
    let explored =
        explored.flat_map(|most| ["max_explore_iters", "max_iterations"].map(|key| (key, most)));
    let refined = args.max_refine.into_iter().map(|most| ("max_refine_iters", most));
    let limits = explored.chain(refined).map(|(key, most)| format!("brief.{key}={most}"));
    let mut common = common.clone();
    common.settings.extend(limits);
    common
}

/// Checks before the run that a workbook can be written there.
fn writable(path: &Path) -> Result<(), Failure> {
    let is_workbook = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("xlsx"));
    let why = if is_workbook {
        match saving::check_file(path) {
            Ok(()) => return Ok(()),
            Err(why) => why,
        }
    } else {
        "a workbook's name ends in .xlsx".to_owned()
    };
    let shown = run::grounding::clean(&path.display().to_string());
    Err(Failure::usage(
        format!("--tables {shown}: {why}"),
        "give a file in an existing folder, such as tables.xlsx",
    ))
}
