//! The stages of a plan of the strategy `deep`.

use papers::Source;
use run::Stage;
use serde_json::Value;

const fn stage(
    role: &'static str,
    name: &'static str,
    description: &'static str,
    steps: &'static [&'static str],
    optional: bool,
) -> Stage {
    Stage { role, name, description, steps, optional }
}

const PLANNER: Stage = stage(
    "deep_planner",
    "Plan the tasks",
    "Splits the question and the search terms into tasks: what to search, where, and when.",
    &["deep_planner", "collection"],
    false,
);
const RETRIEVER: Stage = stage(
    "retriever",
    "Retrieve",
    "Finds the relevant passages in your documents and in what was read.",
    &["retrieve", "read_on"],
    false,
);
const SEARCHER: Stage = stage(
    "searcher",
    "Search",
    "Searches papers and the web for what the documents do not cover.",
    &["papers", "pages", "texts"],
    true,
);
const READER: Stage = stage("reader", "Read", "Reads the best of what was found.", &["read"], true);
const DIALOGUE: Stage = stage(
    "dialogue_manager",
    "Ask you",
    "Asks you when the answer depends on how the question is meant, or states what it assumes.",
    &["dialogue_manager"],
    true,
);
const NOTE_TAKER: Stage = stage(
    "note_taker",
    "Take notes",
    "If you ask several things: notes what the sources say about each, and searches for what is still open.",
    &["note_taker", "coverage_judge"],
    false,
);
const SYNTHESIZER: Stage = stage(
    "synthesizer",
    "Write",
    "Writes the answer, or a report section by section, and checks every sentence against its source. Says what is still open \
     and where sources differ.",
    &["synthesizer", "outliner", "section_writer", "report_editor", "reader"],
    false,
);

/// Returns the stages of a run with these options.
pub(in crate::ask) fn stages(options: &Value) -> Vec<Stage> {
    let sources = options.get("sources").and_then(Value::as_array);
    let outside = sources.is_some_and(|sources| {
        sources.iter().any(|source| serde_json::from_value::<Source>(source.clone()).is_ok())
    });
    let questions = options.pointer("/rules/deep/max_questions").and_then(Value::as_u64);
    let mut stages = vec![PLANNER];
    if outside {
        stages.extend([SEARCHER, READER]);
    }
    stages.push(RETRIEVER);
    if questions.unwrap_or_default() > 0 {
        stages.push(DIALOGUE);
    }
    stages.extend([NOTE_TAKER, SYNTHESIZER]);
    stages
}
