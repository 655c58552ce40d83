//! The time and cost of earlier runs of a method, on which a plan bases its estimates.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::budget::{Price, Usage};
use crate::entry::{Entry, Event};
use crate::journal::{at_work, milliseconds, spans};
use crate::stages::Stage;
use crate::views;

/// The time and cost of one completed run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct PastRun {
    /// Time at work, in milliseconds; waiting for people does not count.
    pub milliseconds: u64,
    pub tokens: u64,
    /// At today's prices, in millionths of a US dollar; `None` if a price is unknown.
    pub cost_usd_micros: Option<u64>,
    /// Time at work from the first step of a stage to the end of its last, in milliseconds, by role. A stage without a step is
    /// missing.
    pub stages: BTreeMap<String, u64>,
}

/// Today's prices of calls, by tier.
#[derive(Debug, Clone, Copy, Default)]
pub struct Prices {
    pub main: Option<Price>,
    pub light: Option<Price>,
}

impl PastRun {
    /// Folds the entries of a run that ended.
    pub fn of(entries: &[Entry], stages: &[Stage], prices: Prices) -> PastRun {
        let models = views::start(entries).and_then(|start| start.settings.models.clone());
        let light = |model: &str| {
            models.as_ref().is_some_and(|models| models.light == model && models.main != model)
        };
        let mut asked: BTreeMap<&str, &str> = BTreeMap::new();
        let mut past = PastRun { cost_usd_micros: Some(0), ..PastRun::default() };
        let spend = |past: &mut PastRun, model: Option<&&str>, usage: Usage| {
            past.tokens += usage.total();
            if usage.total() == 0 {
                return;
            }
            let price =
                if model.is_some_and(|model| light(model)) { prices.light } else { prices.main };
            let cost = price.map(|price| price.cost_usd_micros(usage));
            past.cost_usd_micros = past.cost_usd_micros.zip(cost).map(|(sum, cost)| sum + cost);
        };
        for entry in entries {
            match &entry.event {
                Event::Called { step, asking: Some(asking), .. } => {
                    asked.insert(step, &asking.model);
                }
                Event::Returned { step, usage, .. } | Event::Failed { step, usage, .. } => {
                    spend(&mut past, asked.get(step.as_str()), *usage);
                }
                _ => {}
            }
        }
        past.milliseconds = at_work(entries).last().map_or(0, |(_, worked)| milliseconds(worked));
        past.stages = spans(entries, |event| match event {
            Event::Called { step, .. }
            | Event::Returned { step, .. }
            | Event::Failed { step, .. } => {
                let stage = stages.iter().find(|stage| stage.holds(step));
                stage.map(|stage| stage.role.to_owned())
            }
            _ => None,
        });
        past
    }
}

/// The minimum, median and maximum of some figures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Range {
    pub least: u64,
    /// The median; for an even number of figures, the lower of the two in the middle.
    pub middle: u64,
    pub most: u64,
}

impl Range {
    /// Returns the range of the figures; `None` if there are none.
    pub fn of(figures: impl IntoIterator<Item = u64>) -> Option<Range> {
        let mut figures: Vec<u64> = figures.into_iter().collect();
        figures.sort_unstable();
        let middle = *figures.get(figures.len().checked_sub(1)? / 2)?;
        Some(Range { least: *figures.first()?, middle, most: *figures.last()? })
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;
    use crate::budget::Spend;
    use crate::entry::{Asking, Hash, Head, Origin};
    use crate::settings::{ModelChoice, Settings};

    fn at(second: i64, event: Event) -> (Timestamp, Event) {
        (Timestamp::from_second(second).unwrap(), event)
    }

    fn log(events: Vec<(Timestamp, Event)>) -> Vec<Entry> {
        let mut head = Head::default();
        let seal = |(at, event)| {
            let (entry, _) = Entry::seal(&head, at, event);
            head = Head { seq: entry.seq, hash: entry.hash };
            entry
        };
        events.into_iter().map(seal).collect()
    }

    fn called(step: &str, model: &str) -> Event {
        let asking = Asking {
            model: model.into(),
            prompt: "m/a".into(),
            prompt_version: 1,
            prompt_hash: Hash::default(),
        };
        let (step, input, reserved) = (step.to_owned(), Hash::default(), Spend::default());
        Event::Called { step, input, asking: Some(asking), reserved, within: None }
    }

    fn returned(step: &str, tokens: u64) -> Event {
        let usage = Usage { input_tokens: tokens, cached_tokens: 0, output_tokens: 0 };
        let (step, value) = (step.to_owned(), serde_json::Value::Null);
        Event::Returned { step, origin: Origin::Model, value, usage, cost_usd_micros: 9 }
    }

    // proves: W3
    #[test]
    fn a_past_run_is_counted_at_work_by_stage_and_at_todays_prices() {
        let models = ModelChoice { light: "p/small".into(), ..ModelChoice::of("p/big") };
        let settings = Settings { models: Some(models), ..Settings::default() };
        let (method, question, user) = ("m".to_owned(), "q".to_owned(), "u".to_owned());
        let entries = log(vec![
            at(0, Event::Started { method, version: 1, question, settings, user }),
            at(1, called("asker #1", "p/small")),
            at(3, returned("asker #1", 100)),
            at(3, Event::Asked { gate: "g".into(), ask: crate::Ask::default() }),
            at(903, Event::Answered { gate: "g".into(), answer: "a".into(), by: "u".into() }),
            at(904, called("a/writer #1", "p/big")),
            at(908, called("b/writer #1", "p/big")),
            at(909, returned("b/writer #1", 10)),
            at(914, returned("a/writer #1", 10)),
        ]);
        let stage = |role, steps| Stage { role, name: "", description: "", steps, optional: false };
        let stages =
            [stage("asking", &["asker"]), stage("writing", &["writer"]), stage("idle", &["x"])];
        let price = |input| Some(Price { input, cached_input: None, output: 0.0 });
        let prices = Prices { main: price(3.0), light: price(0.5) };
        let past = PastRun::of(&entries, &stages, prices);
        assert_eq!((past.milliseconds, past.tokens), (14_000, 120));
        assert_eq!(past.cost_usd_micros, Some(50 + 60));
        let stages_at: Vec<(&str, u64)> =
            past.stages.iter().map(|(role, taken)| (&**role, *taken)).collect();
        assert_eq!(stages_at, [("asking", 2_000), ("writing", 10_000)]);
        let unpriced = PastRun::of(&entries, &stages, Prices { main: None, ..prices });
        assert_eq!(unpriced.cost_usd_micros, None);
    }

    // proves: W3
    #[test]
    fn a_stage_that_waited_for_a_person_or_a_process_is_counted_without_the_wait() {
        let entries = log(vec![
            at(0, called("writer #1", "p/big")),
            at(5, returned("writer #1", 1)),
            at(5, Event::Asked { gate: "g".into(), ask: crate::Ask::default() }),
            at(86_405, Event::Answered { gate: "g".into(), answer: "a".into(), by: "u".into() }),
            at(86_406, called("writer #2", "p/big")),
            at(99_000, Event::Resumed { attempt: 2 }),
            at(99_003, returned("writer #2", 1)),
        ]);
        let stage = Stage {
            role: "writing",
            name: "",
            description: "",
            steps: &["writer"],
            optional: false,
        };
        let past = PastRun::of(&entries, &[stage], Prices::default());
        assert_eq!((past.milliseconds, past.stages["writing"]), (9_000, 9_000));
    }

    #[test]
    fn a_range_has_its_middle_among_its_figures() {
        assert_eq!(Range::of([]), None);
        assert_eq!(Range::of([7]), Some(Range { least: 7, middle: 7, most: 7 }));
        assert_eq!(Range::of([9, 1, 4, 2]), Some(Range { least: 1, middle: 2, most: 9 }));
    }
}
