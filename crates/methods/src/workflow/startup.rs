//! The choice of the user's startup context that a run begins with.

use run::contexts::{Learned, StartupContext};
use run::settings::{Startup, Workflow};
use run::views::citations;
use run::{Deliverable, Outcome, Refined, Result, Run, Stop};
use serde::Deserialize;
use serde_json::Value;

use super::agents::Question;
use super::line;
use crate::grounded::docket::plain;

/// Maximum number of contexts to choose from: the most recently used ones.
const MOST: usize = 20;
/// The answer for no context.
const NONE: &str = "none";

/// The candidate contexts.
pub(super) enum Startups {
    None,
    Only(Box<StartupContext>),
    Several(Vec<StartupContext>),
}

impl Startups {
    pub(super) async fn of(run: &Run, workflow: &Workflow) -> Result<Startups> {
        Ok(match &workflow.startup {
            Startup::None => Startups::None,
            Startup::Named(id) => Startups::Only(Box::new(run.begin_with_named(id).await?)),
            Startup::Stored => {
                let mut contexts = match run.startups().await {
                    Ok(contexts) => contexts,
                    Err(Stop::Stage { message, .. }) => {
                        run.warn(format!("the run starts without a startup context: {message}"));
                        return Ok(Startups::None);
                    }
                    Err(stop) => return Err(stop),
                };
                let several = contexts.len();
                contexts.truncate(MOST);
                match (several, workflow.clarify) {
                    (0, _) => Startups::None,
                    (1, _) => Startups::Only(Box::new(run.begin_with(contexts.remove(0)).await?)),
                    (_, true) => Startups::Several(contexts),
                    (several, false) => {
                        run.say(format!(
                            "{several} startup contexts are stored and none was named, so the run starts without one"
                        ));
                        Startups::None
                    }
                }
            }
        })
    }

    /// Returns the only context, for which no question is needed.
    pub(super) fn only(&self) -> Option<StartupContext> {
        match self {
            Startups::Only(context) => Some((**context).clone()),
            Startups::None | Startups::Several(_) => None,
        }
    }

    /// Returns the question that asks for the context, if there are several.
    pub(super) fn question(&self) -> Option<Question> {
        let Startups::Several(contexts) = self else { return None };
        let listed = contexts.iter().zip(1..).map(|(context, number)| {
            let name: String = line(&context.name).chars().take(80).collect();
            format!("{number}. {name} ({})", context.id)
        });
        let listed: Vec<String> = listed.collect();
        Some(Question {
            question: format!("Which startup is this about: {}; or {NONE}?", listed.join(", ")),
            context: "Its description, industry and place focus the research.".into(),
        })
    }

    /// Returns the context that the user chose, or the only one.
    pub(super) async fn chosen(
        self,
        run: &Run,
        said: Option<&str>,
    ) -> Result<Option<StartupContext>> {
        let contexts = match self {
            Startups::None => return Ok(None),
            Startups::Only(context) => return Ok(Some(*context)),
            Startups::Several(contexts) => contexts,
        };
        let said = said.unwrap_or_default().trim();
        match meant(&contexts, said) {
            Some(context) => run.begin_with(context.clone()).await.map(Some),
            None => {
                let none = said.is_empty() || said.eq_ignore_ascii_case(NONE);
                if !none {
                    run.warn(format!(
                        "there is no startup context '{}', so the run continues without one",
                        line(said)
                    ));
                }
                Ok(None)
            }
        }
    }
}

/// Stores what a finished run learned in the startup context that it began with. If that fails, the run warns but does not fail.
pub(super) async fn taught(run: &Run, refined: &Refined, deliverable: &Deliverable) -> Result<()> {
    /// Maximum number of sentences, of sources, and of characters in each.
    const FOUND: usize = 3;
    const SOURCES: usize = 12;
    const LONGEST: usize = 300;
    let (Some(startup), Outcome::Answered) = (&refined.startup, deliverable.outcome) else {
        return Ok(());
    };
    let Some(learned) = deliverable.fields.get("learned") else { return Ok(()) };
    let Ok(learned) = Learned::deserialize(learned) else { return Ok(()) };
    let short = |text: &str| plain(text).chars().take(LONGEST).collect::<String>();
    let summary = deliverable.fields.get("summary").and_then(Value::as_array);
    let summary = summary.into_iter().flatten().filter_map(|one| one.get("text")?.as_str());
    let found: Vec<String> = summary.take(FOUND).map(short).collect();
    let mut sources: Vec<String> = Vec::new();
    for citation in citations(&deliverable.ledger) {
        let source = short(&citation.source_uri);
        if sources.len() < SOURCES && !sources.contains(&source) {
            sources.push(source);
        }
    }
    let id = &startup.id;
    match run.teach(id, &learned, &found, &sources).await {
        Ok(true) => run.say(format!(
            "what this run learned was added to the startup context '{id}'. Undo it with `quaestio contexts undo {id}`"
        )),
        Ok(false) => {}
        Err(stop @ (Stop::Budget { .. } | Stop::Stage { .. })) => {
            run.warn(format!("the startup context '{id}' was not changed: {stop}"));
        }
        Err(stop) => return Err(stop),
    }
    Ok(())
}

/// Returns the context that an answer names: by its id, its number in the question, its name, or a unique part of its name.
fn meant<'a>(contexts: &'a [StartupContext], said: &str) -> Option<&'a StartupContext> {
    if said.is_empty() || said.eq_ignore_ascii_case(NONE) {
        return None;
    }
    let lower = said.to_lowercase();
    let name = |context: &StartupContext| line(&context.name).to_lowercase();
    let only = |fits: &dyn Fn(&StartupContext) -> bool| {
        let mut fitting = contexts.iter().filter(|context| fits(context));
        fitting.next().filter(|_| fitting.next().is_none())
    };
    let number = |text: &str| text.trim_end_matches('.').parse::<usize>().ok();
    let by_number = || contexts.get(number(said)?.checked_sub(1)?);
    only(&|context| context.id == lower)
        .or_else(|| only(&|context| name(context) == lower))
        .or_else(by_number)
        .or_else(|| only(&|context| name(context).contains(&lower)))
        .or_else(|| {
            only(&|context| {
                lower.contains(&name(context)) || lower.contains(&format!("({})", context.id))
            })
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn context(id: &str, name: &str) -> StartupContext {
        StartupContext {
            id: id.into(),
            user_id: "u".into(),
            name: name.into(),
            description: String::new(),
            industry: String::new(),
            search_terms: vec![],
            geographical_scope: String::new(),
            created_at: jiff::Timestamp::UNIX_EPOCH,
            last_accessed: jiff::Timestamp::UNIX_EPOCH,
            metadata: Default::default(),
        }
    }

    // proves: W2
    #[test]
    fn an_answer_names_a_startup_by_id_number_or_name() {
        let contexts = [
            context("legal-ai", "Legal AI"),
            context("2", "Pet Food"),
            context("pets", "Pet Care"),
        ];
        let of = |said: &str| meant(&contexts, said).map(|context| context.id.as_str());
        for (said, id) in [
            ("legal-ai", Some("legal-ai")),
            ("LEGAL AI", Some("legal-ai")),
            ("1", Some("legal-ai")),
            ("1.", Some("legal-ai")),
            // An id takes precedence over a number.
            ("2", Some("2")),
            ("3", Some("pets")),
            ("care", Some("pets")),
            ("the legal AI one", Some("legal-ai")),
            ("pet", None),
            ("none", None),
            ("0", None),
            ("4", None),
            ("", None),
            ("something new", None),
        ] {
            assert_eq!(of(said), id, "{said:?}");
        }
    }
}
