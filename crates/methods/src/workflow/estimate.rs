//! A plan's estimates of time and cost: what earlier runs took, at today's prices. Without earlier runs, it says so, and gives the expected
//! cost computed before the run began.

use run::budget::dollars;
use run::past::{PastRun, Range};
use run::settings::{Expected, Mode};
use run::{Method, Result, Run};

const NO_HISTORY: &str = "no history yet";

/// What earlier runs of a method took, and the limits of this one.
#[derive(Debug, Clone)]
pub(super) struct Estimated {
    past: Vec<PastRun>,
    mode: Mode,
    /// Maximum cost of the run, in millionths of a US dollar.
    cap: Option<u64>,
    /// Maximum number of tokens for the run.
    tokens: Option<u64>,
    expected: Option<Expected>,
}

impl Estimated {
    /// Reads the user's earlier runs of the method.
    pub(super) async fn of(run: &Run, method: &Method) -> Result<Estimated> {
        let past = run.past_runs(method).await?;
        let budget = run.settings().budget;
        let (cap, tokens) = (budget.max_cost_usd_micros, budget.max_tokens);
        let expected = run
            .settings()
            .workflow
            .as_ref()
            .and_then(|workflow| workflow.expected.as_deref().copied());
        Ok(Estimated { past, mode: run.mode(), cap, tokens, expected })
    }

    /// Returns the duration of the work.
    pub(super) fn duration(&self) -> String {
        self.ranged(self.past.iter().map(|run| run.milliseconds), time)
    }

    /// Returns the duration of a role's part. A role with nothing to do in an earlier run took no time in it.
    pub(super) fn duration_of(&self, role: &str) -> String {
        self.ranged(self.past.iter().map(|run| run.stages.get(role).copied().unwrap_or(0)), time)
    }

    /// Returns the cost of the run.
    pub(super) fn cost(&self) -> String {
        if self.mode == Mode::Offline {
            return "$0 (no model is used)".into();
        }
        let priced: Option<Vec<u64>> = self.past.iter().map(|run| run.cost_usd_micros).collect();
        let bound = match (self.cap, self.tokens) {
            (Some(cap), _) => format!("; limited to {}", money(cap)),
            (None, Some(tokens)) => format!("; limited to {tokens} tokens"),
            (None, None) => String::new(),
        };
        let estimate = match priced {
            Some(costs) if costs.is_empty() => self.expected(),
            Some(costs) => self.ranged(costs, money),
            None => {
                let tokens = self.past.iter().map(|run| run.tokens);
                let tokens = self.ranged(tokens, |tokens| format!("{tokens} tokens"));
                format!("{tokens}; price unknown")
            }
        };
        format!("{estimate}{bound}")
    }

    fn expected(&self) -> String {
        match self.expected {
            None => NO_HISTORY.into(),
            Some(Expected { cost_usd_micros: Some(micros), .. }) => {
                format!("estimated at {}; {NO_HISTORY}", money(micros))
            }
            Some(Expected { tokens, .. }) => {
                format!("estimated at {tokens} tokens; price unknown; {NO_HISTORY}")
            }
        }
    }

    fn ranged(&self, figures: impl IntoIterator<Item = u64>, written: fn(u64) -> String) -> String {
        let Some(Range { least, middle, most }) = Range::of(figures) else {
            return NO_HISTORY.into();
        };
        let [least, middle, most] = [least, middle, most].map(written);
        let about = if middle.starts_with("under") { middle } else { format!("about {middle}") };
        match self.past.len() {
            1 => format!("{about} (1 earlier run)"),
            runs if least == most => format!("{about} (in {runs} earlier runs)"),
            runs => format!("{about} ({least} to {most} in {runs} earlier runs)"),
        }
    }
}

/// Formats milliseconds for readers.
pub fn time(milliseconds: u64) -> String {
    match milliseconds {
        0..1_000 => "under 1 s".into(),
        1_000..120_000 => format!("{} s", (milliseconds + 500) / 1_000),
        _ => format!("{} min", (milliseconds + 30_000) / 60_000),
    }
}

/// Formats millionths of a US dollar as dollars, to a hundredth of a cent.
fn money(micros: u64) -> String {
    match micros {
        0 => "$0".into(),
        1..100 => "under $0.0001".into(),
        100..10_000 => format!("${:.4}", dollars(micros)),
        _ => format!("${:.2}", dollars(micros)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(past: Vec<PastRun>) -> Estimated {
        let (cap, tokens, expected) = (Some(1_000_000), None, None);
        Estimated { past, mode: Mode::Model, cap, tokens, expected }
    }

    fn took(milliseconds: u64, cost: Option<u64>, writer: Option<u64>) -> PastRun {
        let stages = writer.map(|taken| ("writer".to_owned(), taken)).into_iter().collect();
        PastRun { milliseconds, tokens: milliseconds, cost_usd_micros: cost, stages }
    }

    // proves: W3
    #[test]
    fn time_and_cost_come_from_earlier_runs_with_their_range() {
        let none = of(vec![]);
        assert_eq!(
            (none.duration(), none.duration_of("writer")),
            (NO_HISTORY.into(), NO_HISTORY.into())
        );
        assert_eq!(none.cost(), "no history yet; limited to $1.00");
        let expecting = |cost_usd_micros| Estimated {
            expected: Some(Expected { tokens: 23_000, cost_usd_micros }),
            ..none.clone()
        };
        assert_eq!(
            [expecting(Some(34_000)).cost(), expecting(None).cost()],
            [
                "estimated at $0.03; no history yet; limited to $1.00",
                "estimated at 23000 tokens; price unknown; no history yet; limited to $1.00",
            ]
        );
        let one = of(vec![took(42_400, Some(21_000), Some(900))]);
        assert_eq!(one.duration(), "about 42 s (1 earlier run)");
        assert_eq!(one.duration_of("writer"), "under 1 s (1 earlier run)");
        assert_eq!(one.cost(), "about $0.02 (1 earlier run); limited to $1.00");
        let three = of(vec![
            took(60_000, Some(5_000), Some(4_000)),
            took(300_000, Some(40_000), None),
            took(90_000, Some(8_000), Some(9_000)),
        ]);
        assert_eq!(three.duration(), "about 90 s (60 s to 5 min in 3 earlier runs)");
        assert_eq!(three.duration_of("writer"), "about 4 s (under 1 s to 9 s in 3 earlier runs)");
        assert!(three.cost().starts_with("about $0.0080 ($0.0050 to $0.04 in 3 earlier runs)"));
        let unpriced = of(vec![took(7, Some(1), None), took(9, None, None)]);
        assert!(
            unpriced.cost().starts_with(
                "about 7 tokens (7 tokens to 9 tokens in 2 earlier runs); price unknown"
            )
        );
        let offline = Estimated { mode: Mode::Offline, ..none };
        assert_eq!(offline.cost(), "$0 (no model is used)");
    }

    #[test]
    fn small_sums_and_short_times_are_written_as_such() {
        assert_eq!(
            [0, 99, 100, 12_345, 1_500_000].map(money),
            ["$0", "under $0.0001", "$0.0001", "$0.01", "$1.50"]
        );
        assert_eq!(
            [0, 999, 1_499, 119_999, 120_000].map(time),
            ["under 1 s", "under 1 s", "1 s", "120 s", "2 min"]
        );
    }
}
