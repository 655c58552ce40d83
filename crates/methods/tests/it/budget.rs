//! Budgets of every size: something is delivered, and no cap is gone over.

use run::budget::Budget;
use run::entry::{Entry, Event, Origin};
use serde_json::Value;

use crate::stage::ending;
use crate::{brief, planted};

struct Trial {
    name: &'static str,
    /// Performs the method within a budget, with a strong writer and an honest reader.
    perform: fn(Budget) -> Vec<Entry>,
    schema: fn() -> Value,
}

const TRIALS: [Trial; 4] = [
    Trial {
        name: "market",
        perform: |budget| planted::honest_within("market", budget),
        schema: methods::market::schema,
    },
    Trial {
        name: "hypothesize",
        perform: |budget| planted::honest_within("hypothesize", budget),
        schema: methods::hypothesize::schema,
    },
    Trial {
        name: "debate",
        perform: |budget| planted::honest_within("debate", budget),
        schema: methods::debate::schema,
    },
    Trial { name: "brief", perform: brief::by_rule_within, schema: methods::brief::schema },
];

fn of_tokens(cap: u64) -> Budget {
    Budget { max_tokens: Some(cap), ..Budget::default() }
}

/// Returns the tokens that a run used.
fn used(entries: &[Entry]) -> u64 {
    let of = |entry: &Entry| match &entry.event {
        Event::Returned { usage, .. } | Event::Failed { usage, .. } => usage.total(),
        _ => 0,
    };
    entries.iter().map(of).sum()
}

/// Returns how many replies came from the model, and how many were made without it.
fn replies(entries: &[Entry]) -> (usize, usize) {
    let by = |wanted: Origin| {
        let is_by = |entry: &&Entry| matches!(&entry.event, Event::Returned { origin, .. } if *origin == wanted);
        entries.iter().filter(is_by).count()
    };
    (by(Origin::Model), by(Origin::Offline))
}

fn deliverable(entries: &[Entry]) -> &Value {
    match ending(entries) {
        Event::Finished { deliverable, .. } => deliverable,
        Event::Stopped { partial: Some(partial), .. } => &partial.deliverable,
        other => panic!("nothing is delivered: {other:?}"),
    }
}

// proves: C6, C16
#[test]
fn a_cap_from_a_fifth_of_the_usual_cost_upward_is_kept_and_delivers() {
    for Trial { name, perform, schema } in TRIALS {
        let whole = perform(Budget::default());
        let (usual, all) = (used(&whole), replies(&whole));
        for percent in (20..=200).step_by(30) {
            let cap = usual * percent / 100;
            let entries = perform(of_tokens(cap));
            let (used, (by_model, by_rule)) = (used(&entries), replies(&entries));
            let at = format!("{name} at {percent} %: {used} of {cap}, {by_model} and {by_rule}");
            assert!(used <= cap, "{at}");
            let delivered = deliverable(&entries);
            assert!(jsonschema::is_valid(&schema(), delivered), "{at}: {delivered}");
            assert!(by_model + by_rule > 0, "{at}");
            if percent >= 110 {
                // The most of what is allowed is not kept for nothing.
                assert!(used * 5 >= usual * 2, "{at}");
            }
            if percent == 200 {
                assert_eq!((used, (by_model, by_rule)), (usual, all), "{at}");
            }
        }
    }
}
