//! How far a report goes: three depths that people understand, and what each comes to.

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

/// What reports of each depth come to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ReportRules {
    pub depth: Depth,
    /// Words, at most; 0 = as many as the depth has.
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
    /// Returns what a report of the chosen depth comes to.
    pub fn measure(&self) -> Measure {
        let measure = match self.depth {
            Depth::Quick => self.quick,
            Depth::Standard => self.standard,
            Depth::Exhaustive => self.exhaustive,
        };
        Measure { words: if self.words > 0 { self.words } else { measure.words }, ..measure }
    }

    /// Returns a key that is out of range, with what it must be; none where all is well.
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

/// What a report comes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Measure {
    /// Of the report, at most.
    pub words: u32,
    /// Questions that it answers, at most.
    pub questions: u32,
    /// Rounds of research for each of them, at most.
    pub rounds: u32,
    /// Passages that are read for a question in a round, at most.
    pub passages: u32,
    /// Papers and pages that one search reads, at most.
    pub papers_read: u32,
    pub pages_read: u32,
    /// Whether papers are read whole where their PDF is free.
    pub full_text: bool,
    /// Tokens of evidence in one call that takes notes.
    pub note_tokens: u32,
    /// Tokens of evidence in one call that writes a section.
    pub section_tokens: u32,
}

impl Measure {
    pub const MOST_WORDS: u32 = 20_000;

    /// Returns the same with such a share (0 to 1) of the evidence and the words of its sections, and a little of both at least.
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
