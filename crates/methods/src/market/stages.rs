//! The stages of the method, as a plan lists them, and their search words.

use serde_json::Value;

use run::Stage;

use super::payload::Section;

/// Returns the stages: four agents that a plan may leave out, and the editor.
pub fn stages(_options: &Value) -> Vec<Stage> {
    let stage = |role, name, description, steps, optional| Stage {
        role,
        name,
        description,
        steps,
        optional,
    };
    vec![
        stage(
            "market_sizing",
            "Size the market",
            "Find out how large the market is, and estimate it top-down and bottom-up with every figure shown.",
            &["market_sizing/"],
            true,
        ),
        stage(
            "competitors",
            "Compare competitors",
            "Find out who is in the market, what they offer to which customers, at what price, and how they are placed.",
            &["competitors/"],
            true,
        ),
        stage(
            "customers",
            "Describe customers",
            "Find out who buys, in which segments, and what each segment needs.",
            &["customers/"],
            true,
        ),
        stage(
            "strategy",
            "Weigh strategy and risks",
            "Find risks and barriers, and recommend what to do from what the other sections found.",
            &["strategy/"],
            true,
        ),
        stage(
            "editor",
            "Write the analysis",
            "Put the sections together and sum them up from sentences that passed the check.",
            &["editor/"],
            false,
        ),
    ]
}

impl Section {
    /// Returns the words that the section adds to the subject, for one query after another.
    pub(super) fn words(self) -> &'static [&'static str] {
        match self {
            Section::MarketSizing => &[
                "market size revenue",
                "number of customers average price",
                "market growth forecast",
            ],
            Section::Competitors => &[
                "competitors vendors companies",
                "product pricing comparison",
                "market share leaders",
            ],
            Section::Customers => {
                &["customer segments adoption", "customer needs survey", "buyers purchasing"]
            }
            Section::Strategy => {
                &["risks barriers regulation", "go to market strategy", "challenges adoption"]
            }
        }
    }
}
