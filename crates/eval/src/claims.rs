//! How well a check of claims does, on claims with a known label.
//!
//! ```
//! use eval::claims::{Labelled, Table, labelled, outcomes};
//!
//! let labels = labelled(
//!     r#"{"id": "a", "claim": "It rose.", "label": "faithful", "kind": "paraphrase"}
//!     {"id": "b", "claim": "It fell.", "label": "unfaithful", "kind": "wrong-number"}"#,
//! )?;
//! let came = outcomes(
//!     r#"{"id": "a", "verdict": "supported", "faults": []}
//!     {"id": "b", "verdict": "unsupported", "faults": [{"fault": "number_absent", "number": "3"}]}"#,
//! )?;
//! let table = Table::of(&labels, &came)?;
//! assert_eq!(table.refused(|one: &Labelled| one.kind == "wrong-number").share(), 1.0);
//! assert_eq!(table.refused(Labelled::should_stand).share(), 0.0);
//! # Ok::<(), String>(())
//! ```

use std::collections::BTreeMap;
use std::fmt;

use run::ledger::Verdict;
use serde::Deserialize;
use serde::de::DeserializeOwned;

/// Whether the cited source supports a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Label {
    Faithful,
    Unfaithful,
    /// The author's own conclusion; its kind says whether it is sound.
    Inference,
}

impl Label {
    fn name(self) -> &'static str {
        match self {
            Label::Faithful => "faithful",
            Label::Unfaithful => "unfaithful",
            Label::Inference => "inference",
        }
    }
}

/// The kind of a sound inference.
const SOUND: &str = "inference-sound";

/// A claim with a known label. Other fields of its line are not read.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Labelled {
    pub id: String,
    pub claim: String,
    pub label: Label,
    /// What makes it easy or hard, such as `wrong-number`.
    pub kind: String,
}

impl Labelled {
    pub fn should_stand(&self) -> bool {
        self.label == Label::Faithful || self.kind == SOUND
    }
}

/// A check's outcome for a claim: a line of `quaestio check --format jsonl`, as far as it is used here.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Outcome {
    pub id: String,
    pub verdict: Verdict,
    pub faults: Vec<Fault>,
}

/// A fault of a claim.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Fault {
    #[serde(rename = "fault")]
    pub name: String,
}

/// Reads labelled claims, one JSON object per line.
pub fn labelled(lines: &str) -> Result<Vec<Labelled>, String> {
    read(lines)
}

/// Reads a check's outcomes, one JSON object per line.
pub fn outcomes(lines: &str) -> Result<Vec<Outcome>, String> {
    read(lines)
}

fn read<T: DeserializeOwned>(lines: &str) -> Result<Vec<T>, String> {
    let numbered = lines.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let read = |(index, line): (usize, &str)| {
        serde_json::from_str(line).map_err(|error| format!("line {}: {error}", index + 1))
    };
    numbered.map(read).collect()
}

/// Claims with their outcomes.
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    rows: Vec<(Labelled, Outcome)>,
}

/// A count out of a total.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part {
    pub of: usize,
    pub count: usize,
}

impl Part {
    /// Returns the share, or 0 if the total is 0.
    pub fn share(self) -> f64 {
        if self.of == 0 { 0.0 } else { self.count as f64 / self.of as f64 }
    }
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {} ({:.1} %)", self.count, self.of, self.share() * 100.0)
    }
}

impl Table {
    /// Joins labels and outcomes by their ids.
    ///
    /// # Errors
    /// If a claim has no outcome; the first one is named.
    pub fn of(labels: &[Labelled], outcomes: &[Outcome]) -> Result<Table, String> {
        let by_id: BTreeMap<&str, &Outcome> =
            outcomes.iter().map(|outcome| (outcome.id.as_str(), outcome)).collect();
        let row = |label: &Labelled| match by_id.get(label.id.as_str()) {
            Some(outcome) => Ok((label.clone(), (*outcome).clone())),
            None => Err(format!("claim {} has no outcome", label.id)),
        };
        Ok(Table { rows: labels.iter().map(row).collect::<Result<_, _>>()? })
    }

    pub fn rows(&self) -> &[(Labelled, Outcome)] {
        &self.rows
    }

    /// Counts the refused claims among those that `is_meant` selects.
    pub fn refused(&self, is_meant: impl Fn(&Labelled) -> bool) -> Part {
        self.part(is_meant, |verdict| verdict == Verdict::Unsupported)
    }

    /// Counts the claims with a verdict that `is_wanted` among those that `is_meant` selects.
    pub fn part(
        &self,
        is_meant: impl Fn(&Labelled) -> bool,
        is_wanted: impl Fn(Verdict) -> bool,
    ) -> Part {
        let meant = self.rows.iter().filter(|(label, _)| is_meant(label));
        let (mut of, mut count) = (0, 0);
        for (_, outcome) in meant {
            of += 1;
            count += usize::from(is_wanted(outcome.verdict));
        }
        Part { of, count }
    }
}

/// A Markdown table with a row per kind, and the refused claims of each label.
impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const VERDICTS: [Verdict; 6] = [
            Verdict::Quoted,
            Verdict::Recomputed,
            Verdict::Supported,
            Verdict::Inferred,
            Verdict::Unread,
            Verdict::Unsupported,
        ];
        let mut kinds: BTreeMap<(Label, &str), usize> = BTreeMap::new();
        for (label, _) in &self.rows {
            *kinds.entry((label.label, &label.kind)).or_default() += 1;
        }
        let names: Vec<&str> = VERDICTS.iter().map(|verdict| verdict.name()).collect();
        writeln!(f, "| label | kind | claims | {} |", names.join(" | "))?;
        writeln!(f, "|---|---|---|{}", "---|".repeat(VERDICTS.len()))?;
        for ((label, kind), count) in kinds {
            let is_meant = |one: &Labelled| one.label == label && one.kind == kind;
            let cells: Vec<String> = VERDICTS
                .iter()
                .map(|wanted| self.part(is_meant, |verdict| verdict == *wanted).count.to_string())
                .collect();
            writeln!(f, "| {} | {kind} | {count} | {} |", label.name(), cells.join(" | "))?;
        }
        writeln!(f)?;
        writeln!(
            f,
            "Refused of those that should stand: {}",
            self.refused(Labelled::should_stand)
        )?;
        writeln!(f, "Refused of the others: {}", self.refused(|one| !one.should_stand()))?;
        let quoted = self.part(|one| !one.should_stand(), |verdict| verdict == Verdict::Quoted);
        write!(f, "Quoted of the others: {quoted}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_cannot_be_read_is_named() {
        let error = labelled("\n{\"id\": \"a\"}").unwrap_err();
        assert!(error.starts_with("line 2: missing field `claim`"), "{error}");
    }

    #[test]
    fn a_claim_without_an_outcome_is_named() {
        let labels = labelled(r#"{"id": "a", "claim": "x", "label": "inference", "kind": "k"}"#);
        assert_eq!(Table::of(&labels.unwrap(), &[]).unwrap_err(), "claim a has no outcome");
    }

    #[test]
    fn the_table_counts_by_kind() {
        let labels = labelled(
            "{\"id\": \"a\", \"claim\": \"x\", \"label\": \"faithful\", \"kind\": \"list\"}
             {\"id\": \"b\", \"claim\": \"y\", \"label\": \"inference\", \"kind\": \"inference-sound\"}
             {\"id\": \"c\", \"claim\": \"z\", \"label\": \"inference\", \"kind\": \"inference-overreach\"}",
        );
        let came = outcomes(
            "{\"id\": \"c\", \"verdict\": \"unsupported\", \"faults\": [], \"claim\": \"z\"}
             {\"id\": \"a\", \"verdict\": \"quoted\", \"faults\": []}
             {\"id\": \"b\", \"verdict\": \"inferred\", \"faults\": []}",
        );
        let table = Table::of(&labels.unwrap(), &came.unwrap()).unwrap().to_string();
        let rows: Vec<&str> = table.lines().collect();
        assert_eq!(rows[2], "| faithful | list | 1 | 1 | 0 | 0 | 0 | 0 | 0 |");
        assert_eq!(rows[3], "| inference | inference-overreach | 1 | 0 | 0 | 0 | 0 | 0 | 1 |");
        assert_eq!(rows[6], "Refused of those that should stand: 0 of 2 (0.0 %)");
        assert_eq!(rows[7], "Refused of the others: 1 of 1 (100.0 %)");
    }
}
