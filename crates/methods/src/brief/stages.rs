//! The stages of a brief, as a plan lists them.

use serde_json::Value;

use run::Stage;

/// Returns the stages: four agents, of which a plan may leave out the last; two for the simple loop.
pub fn stages(options: &Value) -> Vec<Stage> {
    let worker = Stage {
        role: "explore_worker",
        name: "Explore",
        description: "Analyse the survey data in layers: WHAT was found, WHY it differs, HOW to act. Every figure is computed \
            again.",
        steps: &["studies", "explore_worker/"],
        optional: false,
    };
    let critic = Stage {
        role: "explore_critic",
        name: "Steer",
        description: "Say which layer needs more, and what to ask next.",
        steps: &["explore_critic", "feedback_critic"],
        optional: false,
    };
    if options.get("loop").and_then(Value::as_str) == Some("simple") {
        return vec![worker, critic];
    }
    let synthesizer = Stage {
        role: "synthesizer",
        name: "Draft",
        description: "Write the summary from the findings.",
        steps: &["synthesizer/"],
        optional: false,
    };
    let refine = Stage {
        role: "refine_critic",
        name: "Refine",
        description: "Score the draft, and send it back until it is good enough.",
        steps: &["refine_critic"],
        optional: true,
    };
    vec![worker, critic, synthesizer, refine]
}
