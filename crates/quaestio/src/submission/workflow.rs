//! The workflow before the method: what an order wants of it, and what the user's own setting requires.

use methods::order::Order;
use run::Method;
use run::contexts::is_id;
use run::database::Database;
use run::settings::{Startup, Workflow};

use super::Origin;
use crate::config::Config;
use crate::failure::Failure;

/// Returns the workflow that the order wants before its method; `None` if the method begins at once.
pub(super) fn wanted(
    order: &Order,
    method: &Method,
    config: &Config,
    user: &str,
    origin: Origin,
) -> Result<Option<Workflow>, Failure> {
    let needed = method.plans_first && config.workflow.needs_approval(user);
    if needed && order.plan == Some(false) {
        return Err(Failure::usage(
            format!("a run of {} starts only when its plan is approved", method.name),
            origin.says(
                "approve it at once with --yes, or set workflow.enable_workflow_approval = false in your configuration",
                "approve its plan; the server's setting workflow.enable_workflow_approval decides this, for you or for everyone",
            ),
        ));
    }
    let clarify = order.clarify.unwrap_or(needed);
    let plan = order.plan.unwrap_or(needed);
    let startup = match order.startup.as_deref().map(str::trim) {
        None if method.plans_first => Startup::Stored,
        None | Some("") => Startup::None,
        Some(id) if is_id(id) => Startup::Named(id.to_owned()),
        Some(id) => {
            let shown: String = run::grounding::clean(id).chars().take(40).collect();
            return Err(Failure::usage(
                format!("'{shown}' is not the id of a startup context"),
                origin.says(
                    "list the startup contexts with `quaestio contexts list`",
                    "list the startup contexts with GET /api/contexts",
                ),
            ));
        }
    };
    if !clarify && !plan && startup == Startup::None {
        return Ok(None);
    }
    Ok(Some(Workflow {
        clarify,
        plan,
        questions: config.workflow.questions,
        startup,
        expected: None,
    }))
}

fn known(origin: Origin) -> &'static str {
    origin.says(
        "list the startup contexts with `quaestio contexts list`",
        "list the startup contexts with GET /api/contexts",
    )
}

/// Checks that the startup context that an order names exists, so that the run does not fail later.
pub(super) async fn must_exist(
    id: &str,
    database: &Database,
    user: &str,
    origin: Origin,
) -> Result<(), Failure> {
    let found = database.contexts.get(user, id).await;
    match found.map_err(|error| Failure::new(error.to_string(), ""))? {
        Some(_) => Ok(()),
        None => Err(Failure::usage(format!("there is no startup context '{id}'"), known(origin))),
    }
}
