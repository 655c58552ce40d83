//! What `brief` is started with where its order says nothing of it.

use methods::brief;
use serde::Deserialize;

use super::Config;

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct BriefConfig {
    #[serde(rename = "loop")]
    way: brief::Way,
    max_explore_iters: u32,
    max_refine_iters: u32,
    max_iterations: u32,
    tool_rounds: u32,
    tool_calls: u32,
    questions_found: u32,
    most_findings: u32,
    most_words: u32,
    least_score: u32,
}

impl Config {
    /// Returns what a brief is started with, its files apart.
    pub(crate) fn brief_options(&self) -> brief::Options {
        let brief = &self.brief;
        let rules = brief::Rules {
            max_explore_iters: brief.max_explore_iters,
            max_refine_iters: brief.max_refine_iters,
            max_iterations: brief.max_iterations,
            tool_rounds: brief.tool_rounds,
            tool_calls: brief.tool_calls,
            questions_found: brief.questions_found,
            most_findings: brief.most_findings,
            most_words: brief.most_words,
            least_score: brief.least_score,
            figures: self.survey.rules(),
        };
        brief::Options { files: vec![], way: brief.way, rules }
    }
}

#[cfg(test)]
mod tests {
    use figment2::value::Value;
    use methods::brief::Way;

    use crate::config::{Files, Layers};

    // proves: B2, B8
    #[test]
    fn the_loops_have_the_documented_limits_unless_somebody_sets_others() {
        let of = |keys: Vec<(&str, Value)>| Layers::read(&Files::default(), false, keys);
        let usual = of(vec![]).unwrap().config.brief_options();
        assert_eq!(usual.way, Way::Pipeline);
        let rules = usual.rules;
        let iterations = (rules.max_explore_iters, rules.max_refine_iters, rules.max_iterations);
        assert_eq!((iterations, rules.least_score, rules.most_words), ((4, 3, 4), 8, 300));
        let simple = of(vec![("brief.loop", "simple".into())]).unwrap().config.brief_options();
        assert_eq!(simple.way, Way::Simple);
        for (key, value) in [("brief.max_explore_iters", 0), ("brief.least_score", 11)] {
            let refused = of(vec![(key, value.into())]).map(drop).unwrap_err();
            assert!(refused.what.contains(key), "{refused}");
        }
    }
}
