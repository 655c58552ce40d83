//! New startup contexts, empty or with what a finished analysis learned, and their ids.

use std::collections::BTreeSet;

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{ContextError, Contexts, LONGEST_ID, StartupContext, is_id, shown};
use crate::entry::{Entry, Event};

/// The id of a context whose name has no letter or digit allowed in an id.
const NAMELESS: &str = "startup";

/// What a startup context can be made of: said by the user, never by a source.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
// A deliverable has all of these fields; JSON from elsewhere may lack some.
#[serde(default)]
#[schemars(!default)]
pub struct Learned {
    pub name: String,
    pub description: String,
    pub industry: String,
    pub search_terms: Vec<String>,
    pub geographical_scope: String,
}

impl Learned {
    /// Returns what a run learned. If the run has not finished or its method learns nothing, fails with [`ContextError::Wrong`].
    pub fn of(run: &str, entries: &[Entry]) -> Result<Learned, ContextError> {
        let run = shown(run);
        let wrong = |what: String| ContextError::Wrong { what };
        let Some(Event::Finished { deliverable, .. }) = entries.last().map(|entry| &entry.event)
        else {
            return Err(wrong(format!("run {run} has not finished")));
        };
        match deliverable.get("learned") {
            Some(learned @ Value::Object(_)) => Learned::deserialize(learned)
                .map_err(|error| wrong(format!("could not read what run {run} learned: {error}"))),
            _ => Err(wrong(format!("run {run} learned nothing about a startup"))),
        }
    }
}

impl StartupContext {
    /// Returns a new context without an id.
    pub fn begun(user: &str, learned: Learned, now: Timestamp) -> StartupContext {
        let Learned { name, description, industry, search_terms, geographical_scope } = learned;
        StartupContext {
            id: String::new(),
            user_id: user.to_owned(),
            name,
            description,
            industry,
            search_terms,
            geographical_scope,
            created_at: now,
            last_accessed: now,
            metadata: Map::new(),
        }
    }

    /// Saves a new context under `id`, or, without one, under an id made from its name. Returns the id.
    pub async fn keep_new(
        mut self,
        contexts: &dyn Contexts,
        id: Option<String>,
    ) -> Result<String, ContextError> {
        let is_named = id.is_some();
        self.id = id.unwrap_or_default();
        let mut taken = BTreeSet::new();
        loop {
            if !is_named {
                let there = contexts.list(&self.user_id).await?;
                taken.extend(there.into_iter().map(|context| context.id));
                self.id = id_of(&self.name, |id| taken.contains(id));
            }
            match contexts.add(&self).await {
                Ok(()) => return Ok(self.id),
                // Someone else took the same id meanwhile.
                Err(ContextError::Taken { id }) if !is_named => taken.insert(id),
                Err(error) => return Err(error),
            };
        }
    }
}

/// Returns an unused id made from a name: ASCII letters in lower case, digits, `-` for each stretch of anything else, and `-2`, `-3`,
/// … at the end if needed.
pub fn id_of(name: &str, is_taken: impl Fn(&str) -> bool) -> String {
    let fits = |c: char| c.is_ascii_alphanumeric();
    let words = name.split(|c| !fits(c)).filter(|word| !word.is_empty());
    let mut plain = words.collect::<Vec<_>>().join("-").to_ascii_lowercase();
    if plain.is_empty() {
        NAMELESS.clone_into(&mut plain);
    }
    let mut number = 1_u64;
    loop {
        let end = if number == 1 { String::new() } else { format!("-{number}") };
        // All of it is ASCII.
        let begin = plain.get(..LONGEST_ID.saturating_sub(end.len())).unwrap_or(&plain);
        let id = format!("{}{end}", begin.trim_end_matches('-'));
        // A device name is not a valid id; with a number it is.
        if is_id(&id) && !is_taken(&id) {
            return id;
        }
        number += 1;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::Outcome;
    use crate::entry::Head;

    fn finished(deliverable: Value) -> Vec<Entry> {
        let event = Event::Finished {
            deliverable,
            outcome: Outcome::Answered,
            ledger: vec![],
            warnings: vec![],
        };
        vec![Entry::seal(&Head::default(), Timestamp::UNIX_EPOCH, event).0]
    }

    // proves: W5
    #[test]
    fn what_a_finished_run_learned_is_read_from_its_log() {
        let told = json!({"learned": {
            "name": "Legal AI", "search_terms": ["legaltech"], "geographical_scope": "Texas", "confidence": 3,
        }});
        let learned = Learned::of("r", &finished(told)).unwrap();
        let expected = Learned {
            name: "Legal AI".into(),
            search_terms: vec!["legaltech".into()],
            geographical_scope: "Texas".into(),
            ..Learned::default()
        };
        assert_eq!(learned, expected);
        for (entries, said) in [
            (vec![], "run r has not finished"),
            (finished(json!({})), "run r learned nothing about a startup"),
            (finished(json!({"learned": "much"})), "run r learned nothing about a startup"),
            (
                finished(json!({"learned": {"name": 3}})),
                "could not read what run r learned: invalid type",
            ),
        ] {
            let error = Learned::of("r", &entries).unwrap_err().to_string();
            assert!(error.contains(said), "{error}");
        }
    }

    // proves: W5
    #[test]
    fn an_id_is_made_from_a_name() {
        let taken: BTreeSet<&str> = ["legal-ai", "legal-ai-2"].into();
        for (name, id) in [
            ("Solar roofs", "solar-roofs"),
            ("  B2B: Generative AI (2026)! ", "b2b-generative-ai-2026"),
            ("Legal AI", "legal-ai-3"),
            ("CON", "con-2"),
            ("Café", "caf"),
            ("Ｌｅｇａｌ", "startup"),
            ("../../etc/passwd", "etc-passwd"),
            ("", "startup"),
            ("_x_", "x"),
        ] {
            assert_eq!(id_of(name, |id| taken.contains(id)), id, "{name}");
        }
        let long = "a b".repeat(40);
        assert_eq!(id_of(&long, |_| false).len(), LONGEST_ID);
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        // proves: W5
        #[test]
        fn whatever_the_names_are_their_ids_are_ids_and_never_the_same(
            names in prop::collection::vec(prop_oneof!["\\PC{0,80}", "[a-cA-C .-]{0,6}", "(con|COM1|nul|x{60,70})"], 1..30)
        ) {
            let mut ids = BTreeSet::new();
            for name in names {
                let id = id_of(&name, |id| ids.contains(id));
                prop_assert!(is_id(&id), "{id}");
                prop_assert!(ids.insert(id));
            }
        }
    }
}
