//! The three depths of a report, and the size of each.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How far a report goes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Depth {
    /// A page: one round of research.
    Quick,
    /// A few pages for a decision.
    #[default]
    Standard,
    /// A survey of a field.
    Exhaustive,
}

impl Depth {
    pub const ALL: [Depth; 3] = [Depth::Quick, Depth::Standard, Depth::Exhaustive];

    pub fn name(self) -> &'static str {
        match self {
            Depth::Quick => "quick",
            Depth::Standard => "standard",
            Depth::Exhaustive => "exhaustive",
        }
    }
}

/// The sizes of reports of each depth.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ReportRules {
    pub depth: Depth,
    /// Maximum words; 0 = as many as the depth has.
    pub words: u32,
    pub quick: Measure,
    pub standard: Measure,
    pub exhaustive: Measure,
}

impl Default for ReportRules {
    fn default() -> ReportRules {
        let [quick, standard, exhaustive] = Depth::ALL.map(Measure::of);
        ReportRules { depth: Depth::default(), words: 0, quick, standard, exhaustive }
    }
}

impl ReportRules {
    /// Returns the size of a report of the chosen depth.
    pub fn measure(&self) -> Measure {
        let measure = match self.depth {
            Depth::Quick => self.quick,
            Depth::Standard => self.standard,
            Depth::Exhaustive => self.exhaustive,
        };
        Measure { words: if self.words > 0 { self.words } else { measure.words }, ..measure }
    }

    /// Returns a key that is out of range, with what it must be; `None` if all are valid.
    pub fn wrong(&self) -> Option<(String, &'static str)> {
        let of = |depth: Depth, measure: &Measure| {
            let key = |key: &str| format!("{}.{key}", depth.name());
            let wrong = [
                ("words", (50..=Measure::MOST_WORDS).contains(&measure.words), "50 to 20000"),
                ("questions", (1..=12).contains(&measure.questions), "1 to 12"),
                ("rounds", (1..=6).contains(&measure.rounds), "1 to 6"),
                ("passages", (1..=100).contains(&measure.passages), "1 to 100"),
                ("papers_read", measure.papers_read <= 200, "200 at most"),
                ("pages_read", measure.pages_read <= 100, "100 at most"),
                ("note_tokens", measure.note_tokens > 0, "above 0"),
                ("section_tokens", measure.section_tokens > 0, "above 0"),
            ];
            let wrong = wrong.into_iter().find(|(_, is_right, _)| !is_right);
            wrong.map(|(name, _, must)| (key(name), must))
        };
        of(Depth::Quick, &self.quick)
            .or_else(|| of(Depth::Standard, &self.standard))
            .or_else(|| of(Depth::Exhaustive, &self.exhaustive))
            .or_else(|| {
                let is_right = self.words == 0 || (50..=Measure::MOST_WORDS).contains(&self.words);
                (!is_right).then(|| ("words".to_owned(), "0, or 50 to 20000"))
            })
    }
}

/// The size of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Measure {
    /// Maximum words of the report.
    pub words: u32,
    /// Maximum questions that it answers.
    pub questions: u32,
    /// Maximum rounds of research for each of them.
    pub rounds: u32,
    /// Maximum passages read for a question in a round.
    pub passages: u32,
    /// Maximum papers and pages that one search reads.
    pub papers_read: u32,
    pub pages_read: u32,
    /// Whether to read the full text of papers with a free PDF.
    pub full_text: bool,
    /// Tokens of evidence in one call that takes notes.
    pub note_tokens: u32,
    /// Tokens of evidence in one call that writes a section.
    pub section_tokens: u32,
}

impl Measure {
    pub const MOST_WORDS: u32 = 20_000;

    /// Returns this size with a share (0 to 1) of the evidence and the words of its sections, with a minimum of both.
    pub(super) fn scaled(self, share: f64) -> Measure {
        const FEWEST_TOKENS: u32 = 400;
        const FEWEST_WORDS: u32 = 300;
        let scaled =
            |whole: u32, fewest: u32| ((f64::from(whole) * share) as u32).max(fewest).min(whole);
        Measure {
            section_tokens: scaled(self.section_tokens, FEWEST_TOKENS),
            words: scaled(self.words, FEWEST_WORDS),
            ..self
        }
    }

    fn of(depth: Depth) -> Measure {
        let standard = Measure {
            words: 3_000,
            questions: 8,
            rounds: 2,
            passages: 12,
            papers_read: 4,
            pages_read: 4,
            full_text: true,
            note_tokens: 6_000,
            section_tokens: 12_000,
        };
        match depth {
            Depth::Quick => Measure {
                words: 700,
                questions: 4,
                rounds: 1,
                passages: 8,
                full_text: false,
                section_tokens: 8_000,
                ..standard
            },
            Depth::Standard => standard,
            Depth::Exhaustive => Measure {
                words: 8_000,
                questions: 12,
                rounds: 3,
                passages: 24,
                papers_read: 8,
                pages_read: 8,
                note_tokens: 8_000,
                section_tokens: 24_000,
                ..standard
            },
        }
    }
}
