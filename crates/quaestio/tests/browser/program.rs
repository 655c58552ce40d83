//! The methods of the program under test: those that it ships, and some that do what a scene has to wait for.

mod debate;

use std::path::PathBuf;
use std::time::Duration;

use futures::future::BoxFuture;
use run::{Ask, Deliverable, Method, Methods, Outcome, Plan, PlanStep, Refined, Run, Stage};
use serde_json::json;

use debate::DEBATE;

/// While there is a file at the path in this variable, `ask` does not get beyond its first step, and
/// `debate` not beyond the point whose number stands in it.
pub(crate) const HOLD: &str = "BROWSER_HOLD";

pub(crate) fn methods() -> Methods {
    let shipped = ::methods::all();
    let others = shipped.iter().filter(|method| method.name != DEBATE.name);
    let others = others.map(|&method| match method.name {
        "ask" => Method { perform: held_ask, ..method },
        _ => method,
    });
    Methods::new(others.chain([GREET, TRAVEL, SCOUT, DEBATE]).collect::<Vec<_>>())
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
        agent_role: String::new(),
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

const SCOUT: Method =
    Method::new("scout", 1, |run| Box::pin(scout(run))).in_stages(|_| STAGES.into());

const STAGES: [Stage; 3] = [
    Stage {
        role: "sizer",
        name: "Size the market",
        description: "How many buy, and for how much.",
        steps: &["sizer/"],
        optional: false,
    },
    Stage {
        role: "rival_watcher",
        name: "Watch the rivals",
        description: "Who sells it already.",
        steps: &["rival_watcher/"],
        optional: true,
    },
    Stage {
        role: "strategist",
        name: "Think of a strategy",
        description: "What to do first.",
        steps: &["strategist/"],
        optional: false,
    },
];

/// Asks three questions at once, plans, and does a step for each stage of the plan that was approved; a question that holds
/// "overlooked" makes it plan without the last stage, which it cannot do without.
async fn scout(run: &Run) -> run::Result<Deliverable> {
    let ask = async |gate: &str, question: &str, context: &str| {
        run.ask(gate, Ask { question: question.into(), context: context.into(), plan: None }).await
    };
    let (who, what, place) = tokio::join!(
        ask(
            "q1",
            "Who is going to buy it?",
            "Firms and people are counted from different sources."
        ),
        ask("q2", "Which product?", ""),
        ask("q3", "Where is it sold?", "Prices and laws differ from place to place."),
    );
    let answers = [who?, what?, place?];
    let overlooks = run.question().contains("overlooked");
    let planned = STAGES.iter().take(if overlooks { 2 } else { 3 });
    let steps = planned.map(|stage| PlanStep {
        name: stage.name.into(),
        description: stage.description.into(),
        agent_role: stage.role.into(),
        estimated_duration: "no history yet".into(),
    });
    let plan = Plan {
        title: format!("The market: {}", run.question()),
        steps: steps.collect(),
        search_terms: vec!["legal AI".into(), "contract review".into()],
        geographical_scope: answers[2].clone(),
        focus_areas: vec!["small firms".into()],
        estimated_duration: "40 s to 2 min (3 runs)".into(),
        estimated_cost: "$0.01 to $0.04 (3 runs)".into(),
    };
    let ask = Ask {
        question: "Shall it be done like this?".into(),
        context: String::new(),
        plan: Some(Box::new(plan)),
    };
    let plan = run.propose("plan", ask).await?;
    let refined = Refined { search_terms: plan.search_terms.clone(), ..Refined::default() };
    let agreed = run.agreed(refined, Some((plan.clone(), STAGES.into())));
    for stage in &STAGES {
        if stage.optional && agreed.leaves_out(stage.role) {
            continue;
        }
        let part = agreed.scope(stage.role);
        if stage.role == "sizer" && run.question().contains("held") {
            held(&part).await?;
        }
        part.cosines(&[]).await?;
    }
    let fields = json!({
        "answer": format!("Scouted: {}. {}", plan.title, answers.join(" / ")),
        "learned": {
            "name": "Lex & Co", "description": "Reads contracts for small firms", "industry": "legal",
            "search_terms": plan.search_terms, "geographical_scope": plan.geographical_scope,
        },
    });
    let fields = fields.as_object().cloned().unwrap_or_default();
    Ok(Deliverable { outcome: Outcome::Answered, fields, ledger: vec![] })
}

/// Takes a step, and waits for as long as the scene wants.
async fn held(run: &Run) -> run::Result<()> {
    if let Some(hold) = std::env::var_os(HOLD).map(PathBuf::from)
        && hold.exists()
    {
        run.cosines(&[]).await?;
        while hold.exists() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
    Ok(())
}

fn done(answer: String) -> run::Result<Deliverable> {
    let fields = [("answer".to_owned(), answer.into())].into_iter().collect();
    Ok(Deliverable { outcome: Outcome::Answered, fields, ledger: vec![] })
}
