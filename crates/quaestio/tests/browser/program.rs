//! The methods of the program under test: those that it ships, and some that do what a scene has to wait for.

use std::path::PathBuf;
use std::time::Duration;

use futures::future::BoxFuture;
use run::{Ask, Deliverable, Method, Methods, Outcome, Plan, PlanStep, Run};

/// While there is a file at the path in this variable, `ask` does not get beyond its first step.
pub(crate) const HOLD: &str = "BROWSER_HOLD";

pub(crate) fn methods() -> Methods {
    let shipped = ::methods::all();
    let others = shipped.iter().map(|&method| match method.name {
        "ask" => Method { perform: held_ask, ..method },
        _ => method,
    });
    Methods::new(others.chain([GREET, TRAVEL]).collect::<Vec<_>>())
}

/// Asks as ever, but for a step in front of it and a pause behind that, as long as the scene wants.
fn held_ask(run: &Run) -> BoxFuture<'_, run::Result<Deliverable>> {
    Box::pin(async move {
        if let Some(hold) = std::env::var_os(HOLD).map(PathBuf::from)
            && hold.exists()
        {
            run.say("held until the scene goes on");
            run.cosines(&[]).await?;
            while hold.exists() {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        }
        let shipped = ::methods::all();
        let ask = shipped.find("ask").expect("the program answers questions");
        (ask.perform)(run).await
    })
}

const GREET: Method = Method::new("greet", 1, |run| Box::pin(greet(run)));

/// Asks twice, one after the other.
async fn greet(run: &Run) -> run::Result<Deliverable> {
    let ask = |question: &str, context: &str| Ask {
        question: question.into(),
        context: context.into(),
        ..Ask::default()
    };
    let name = run.ask("name", ask("What is your name?", "A greeting needs one.")).await?;
    let town = run.ask("town", ask("Where do you live?", "")).await?;
    done(format!("Hello, {name} of {town}!"))
}

const TRAVEL: Method = Method::new("travel", 1, |run| Box::pin(travel(run)));

/// Proposes a plan named after the question, and tells what was approved.
async fn travel(run: &Run) -> run::Result<Deliverable> {
    let step = |name: &str, description: &str| PlanStep {
        name: name.into(),
        description: description.into(),
        agent_role: "traveller".into(),
        estimated_duration: "an hour".into(),
    };
    let plan = Plan {
        title: run.question().into(),
        steps: vec![step("Pack", "Only what is needed."), step("Go", run.question())],
        search_terms: vec!["tides".into(), run.question().into()],
        geographical_scope: "the coast".into(),
        focus_areas: vec!["weather".into()],
        estimated_duration: "a day".into(),
        estimated_cost: "a ticket".into(),
    };
    let ask = Ask {
        question: "Shall we go?".into(),
        context: run.question().into(),
        plan: Some(Box::new(plan)),
    };
    let plan = run.propose("plan", ask).await?;
    let steps: Vec<&str> = plan.steps.iter().map(|step| step.name.as_str()).collect();
    done(format!("Went: {}. {}", plan.title, steps.join(", ")))
}

fn done(answer: String) -> run::Result<Deliverable> {
    let fields = [("answer".to_owned(), answer.into())].into_iter().collect();
    Ok(Deliverable { outcome: Outcome::Answered, fields, ledger: vec![] })
}
