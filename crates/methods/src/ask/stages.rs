//! The stages of a plan of `ask`.

use run::Stage;
use serde_json::Value;

const ANSWERER: Stage = Stage {
    role: "answerer",
    name: "Answer",
    description: "Answers from the model's memory; nothing is searched and nothing is checked.",
    steps: &["answerer"],
    optional: false,
};
const SEARCHER: Stage = Stage {
    role: "searcher",
    name: "Search",
    description: "Searches papers and the web for the search terms.",
    steps: &["searcher", "papers", "pages", "texts"],
    optional: false,
};
const READER: Stage = Stage {
    role: "reader",
    name: "Read",
    description: "Reads the best of what was found.",
    steps: &["read"],
    optional: false,
};
const RETRIEVER: Stage = Stage {
    role: "retriever",
    name: "Retrieve",
    description: "Finds the passages that are relevant to the question and the search terms.",
    steps: &["retrieve", "read_on"],
    optional: false,
};
const WRITER: Stage = Stage {
    role: "writer",
    name: "Write",
    description: "Writes the answer from the passages, every sentence checked against its source.",
    steps: &["writer", "reader"],
    optional: false,
};

/// Returns the stages of a run with these options.
pub fn stages(options: &Value) -> Vec<Stage> {
    match options.get("strategy").and_then(Value::as_str) {
        Some("direct") => vec![ANSWERER],
        Some("deep") => super::deep::stages(options),
        Some("search") => vec![SEARCHER, READER, RETRIEVER, WRITER],
        _ => vec![RETRIEVER, WRITER],
    }
}
