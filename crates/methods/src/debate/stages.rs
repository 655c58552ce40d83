//! The stages of a debate, as a plan lists them.

use serde_json::Value;

use run::Stage;

/// Returns the stages: two scientists, and the sandbox, which a plan may leave out.
pub fn stages(options: &Value) -> Vec<Stage> {
    let reader = Stage {
        role: "reader",
        name: "Read the page",
        description: "Read the page given with the question.",
        steps: &["reader/"],
        optional: false,
    };
    let optimist = Stage {
        role: "optimist",
        name: "Propose",
        description: "Search arXiv and Crossref, and propose a solution with code from what is found.",
        steps: &["optimist/"],
        optional: false,
    };
    let sandbox = Stage {
        role: "sandbox",
        name: "Run the code",
        description: "Run the proposed code in the sandbox.",
        steps: &["sandbox/"],
        optional: true,
    };
    let pessimist = Stage {
        role: "pessimist",
        name: "Review",
        description: "Search for evidence against the proposal, and review it with the outcome \
            of its code.",
        steps: &["pessimist/"],
        optional: false,
    };
    let has_page = options.get("url").and_then(Value::as_str).is_some_and(|url| !url.is_empty());
    let reader = has_page.then_some(reader);
    reader.into_iter().chain([optimist, sandbox, pessimist]).collect()
}
