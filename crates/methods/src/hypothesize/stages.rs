//! The steps of a plan of `hypothesize`.

use run::Stage;
use serde_json::Value;

/// Returns the stages, which do not depend on the options.
pub fn stages(_: &Value) -> Vec<Stage> {
    let stage =
        |role, name, description, steps| Stage { role, name, description, steps, optional: false };
    vec![
        stage(
            "problem_framer",
            "Frame the problem",
            "States the question precisely.",
            &["problem_framer"],
        ),
        stage(
            "retrieval",
            "Search the literature",
            "Searches for papers, reads them, and picks the relevant passages.",
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
            "Raises objections to every hypothesis, with a reply to each.",
            &["critic", "critic/"],
        ),
        stage(
            "ranker",
            "Rank",
            "Compares the hypotheses in pairs, in both orders, and ranks them.",
            &["ranker"],
        ),
        stage(
            "summa_composer",
            "Write up",
            "Writes up the best in the form of a quaestio: question, objections, answer, replies.",
            &["summa_composer", "summa_composer/"],
        ),
    ]
}
