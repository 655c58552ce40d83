//! The steps of a plan of `hypothesize`.

use run::Stage;
use serde_json::Value;

/// Returns the stages, which do not depend on the options.
pub fn stages(_: &Value) -> Vec<Stage> {
    let stage =
        |role, name, description, steps| Stage { role, name, description, steps, optional: false };
    vec![
        stage("problem_framer", "Frame the problem", "Says what is asked.", &["problem_framer"]),
        stage(
            "retrieval",
            "Look the literature up",
            "Searches for papers, reads them, and picks the passages that bear on the question.",
            &["papers", "pages", "collection", "read", "retrieve", "read_on"],
        ),
        stage(
            "literature_scout",
            "Survey",
            "Says what the papers find and what they leave open.",
            &["literature_scout", "literature_scout/"],
        ),
        stage(
            "hypothesis_generator",
            "Propose",
            "Proposes hypotheses that differ from each other.",
            &["hypothesis_generator", "hypothesis_generator/", "cosines"],
        ),
        stage(
            "critic",
            "Contest",
            "Brings objections against every hypothesis, with a reply to each.",
            &["critic", "critic/"],
        ),
        stage("ranker", "Rank", "Judges them in pairs, in both orders.", &["ranker"]),
        stage(
            "summa_composer",
            "Write up",
            "Writes the best up as a quaestio.",
            &["summa_composer", "summa_composer/"],
        ),
    ]
}
