//! What analyses taught about a startup: saved with its context, shown with its sources, and removable.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{Learned, MOST_TERMS, StartupContext};

/// The maximum number of lessons of a context; the oldest is dropped first.
const MOST_LESSONS: usize = 5;

/// What one analysis taught.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Lesson {
    pub run_id: String,
    /// When the analysis ended.
    pub at: Timestamp,
    /// What it found, a sentence each. No agent sees it.
    pub found: Vec<String>,
    /// The sources that support these findings.
    pub sources: Vec<String>,
    /// What it added to the context.
    pub added: Added,
}

impl Lesson {
    /// The metadata key of a context's lessons.
    pub const KEY: &'static str = "learned";
}

/// What an analysis added to a context, from what its user said.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Added {
    #[serde(skip_serializing_if = "String::is_empty")]
    pub description: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub industry: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub geographical_scope: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub search_terms: Vec<String>,
}

impl StartupContext {
    /// Returns the lessons of past analyses, oldest first.
    pub fn lessons(&self) -> Vec<Lesson> {
        let lessons = self.metadata.get(Lesson::KEY).map(Vec::deserialize);
        lessons.and_then(Result::ok).unwrap_or_default()
    }

    /// Returns the context with what an analysis taught: fills empty fields and adds search terms, without changing anything its user
    /// wrote. `None` if it has this lesson already, or has no room for it.
    pub fn taught(mut self, learned: &Learned, mut lesson: Lesson) -> Option<StartupContext> {
        let mut lessons = self.lessons();
        let is_foreign = lessons.is_empty() && self.metadata.contains_key(Lesson::KEY);
        if is_foreign || lessons.iter().any(|known| known.run_id == lesson.run_id) {
            return None;
        }
        let added = &mut lesson.added;
        for (place, said, added) in [
            (&mut self.description, &learned.description, &mut added.description),
            (&mut self.industry, &learned.industry, &mut added.industry),
            (
                &mut self.geographical_scope,
                &learned.geographical_scope,
                &mut added.geographical_scope,
            ),
        ] {
            if place.is_empty() && !said.is_empty() {
                place.clone_from(said);
                added.clone_from(said);
            }
        }
        for term in &learned.search_terms {
            let is_known = |known: &String| known.to_lowercase() == term.to_lowercase();
            if self.search_terms.len() < MOST_TERMS && !self.search_terms.iter().any(is_known) {
                self.search_terms.push(term.clone());
                added.search_terms.push(term.clone());
            }
        }
        lessons.push(lesson);
        lessons.drain(..lessons.len().saturating_sub(MOST_LESSONS));
        loop {
            self.write(&lessons);
            if self.wrong().is_none() {
                return Some(self);
            }
            if lessons.len() < 2 {
                return None;
            }
            lessons.remove(0);
        }
    }

    /// Returns the context without the last lesson; later changes stay. `None` if there is no lesson.
    pub fn untaught(mut self) -> Option<StartupContext> {
        let mut lessons = self.lessons();
        let lesson = lessons.pop()?;
        let Added { description, industry, geographical_scope, search_terms } = &lesson.added;
        for (place, added) in [
            (&mut self.description, description),
            (&mut self.industry, industry),
            (&mut self.geographical_scope, geographical_scope),
        ] {
            if !added.is_empty() && place == added {
                place.clear();
            }
        }
        self.search_terms.retain(|term| !search_terms.contains(term));
        self.write(&lessons);
        Some(self)
    }

    fn write(&mut self, lessons: &[Lesson]) {
        match serde_json::to_value(lessons) {
            Ok(value) if !lessons.is_empty() => self.metadata.insert(Lesson::KEY.to_owned(), value),
            Ok(_) | Err(_) => self.metadata.remove(Lesson::KEY),
        };
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn context(industry: &str, terms: &[&str]) -> StartupContext {
        let learned = Learned {
            name: "Legal AI".into(),
            industry: industry.into(),
            search_terms: terms.iter().map(|term| (*term).to_owned()).collect(),
            ..Learned::default()
        };
        let begun = StartupContext::begun("ada", learned, Timestamp::UNIX_EPOCH);
        StartupContext { id: "legal-ai".into(), ..begun }
    }

    fn lesson(run: &str) -> Lesson {
        Lesson {
            run_id: run.into(),
            at: Timestamp::UNIX_EPOCH,
            found: vec!["In 2025, 3,840 firms used it.".into()],
            sources: vec!["doc://market/law-firms.md".into()],
            added: Added::default(),
        }
    }

    fn said() -> Learned {
        Learned {
            name: "Other".into(),
            industry: "law".into(),
            search_terms: vec!["Legaltech".into(), "lease review".into()],
            geographical_scope: "Texas".into(),
            ..Learned::default()
        }
    }

    // proves: W5
    #[test]
    fn what_was_taught_is_kept_beside_what_was_there_and_can_be_taken_back() {
        let before = context("", &["legaltech"]);
        let after = before.clone().taught(&said(), lesson("r1")).unwrap();
        assert_eq!((after.name.as_str(), after.industry.as_str()), ("Legal AI", "law"));
        assert_eq!(after.search_terms, ["legaltech", "lease review"]);
        assert_eq!(after.lessons()[0].sources, ["doc://market/law-firms.md"]);
        assert_eq!(after.clone().taught(&said(), lesson("r1")), None, "once is enough");
        let changed = StartupContext { industry: "leases".into(), ..after.clone() };
        assert_eq!(changed.untaught().unwrap().industry, "leases", "its user knows better");
        let back = after.untaught().unwrap();
        assert_eq!(back, before);
        assert_eq!(back.untaught(), None);
    }

    // proves: W5
    #[test]
    fn lessons_make_room_for_newer_ones_and_never_for_what_its_user_keeps() {
        let mut taught = context("law", &[]);
        for run in 0..9 {
            taught = taught.taught(&said(), lesson(&format!("r{run}"))).unwrap();
        }
        let runs: Vec<String> = taught.lessons().into_iter().map(|one| one.run_id).collect();
        assert_eq!(runs, ["r4", "r5", "r6", "r7", "r8"]);
        let mut full = context("law", &[]);
        full.metadata.insert("notes".into(), json!("n".repeat(16_300)));
        assert_eq!(full.taught(&said(), lesson("r")), None);
        let mut own = context("law", &[]);
        own.metadata.insert(Lesson::KEY.into(), json!("by heart"));
        assert_eq!(own.clone().taught(&said(), lesson("r")), None);
        assert_eq!(own.untaught(), None);
    }

    proptest! {
        // proves: W5
        #[test]
        fn whatever_is_taught_is_taken_back_whole(
            industry in "[ab]{0,2}", terms in prop::collection::vec("[a-c]{1,2}", 0..6), learned in prop::collection::vec("[a-cA-C]{1,2}", 0..6),
        ) {
            let terms: Vec<&str> = terms.iter().map(String::as_str).collect();
            let before = context(&industry, &terms);
            let learned = Learned { search_terms: learned, ..said() };
            let after = before.clone().taught(&learned, lesson("r")).unwrap();
            prop_assert!(after.wrong().is_none());
            prop_assert_eq!(after.untaught().unwrap(), before);
        }
    }
}
