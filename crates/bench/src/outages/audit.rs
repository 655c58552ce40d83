//! One run's log beside what the model server saw of it: which calls were lost, and whether any was made that must not have been.
//!
//! A call is written to the log before it is made, so each request has an entry of its own. A call is complete when what it returned is in
//! the log; one whose worker ended before that is lost, and may be made again.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};
use run::Event;
use run::entry::{Entry, Origin};

use super::model::Call;
use super::workers::History;

/// How long an answer may have been on its way to the log when its worker was killed or paused: the database may have been restarting.
const ON_ITS_WAY: SignedDuration = SignedDuration::from_secs(15);

/// What became of a run's calls.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Account {
    /// Requests that the model server saw.
    pub(super) requests: usize,
    /// Those of them that it answered completely.
    pub(super) answered: usize,
    /// Calls in the log.
    pub(super) called: usize,
    pub(super) returned: usize,
    pub(super) failed: usize,
    /// Calls of the log that were answered for a worker which was killed or paused before the answer was stored.
    pub(super) lost: usize,
    /// Calls of the log that were answered and not stored although nothing happened to their worker.
    pub(super) lost_without_fault: usize,
    /// Calls that were made again after what they returned was stored.
    pub(super) repeated: usize,
    /// Requests of a worker that had been paused between the call's entry and the request, while another one took the run up.
    pub(super) by_zombies: usize,
    /// Those of them for a step that another worker had completed by then.
    pub(super) by_zombies_in_vain: usize,
    /// How often another attempt took the run up.
    pub(super) takeovers: usize,
}

/// Compares a log with the calls of its run, which are in the order in which they came.
pub(super) fn audit(entries: &[Entry], calls: &[&Call], history: &History) -> Account {
    let mut account = Account {
        requests: calls.len(),
        answered: calls.iter().filter(|call| call.answered.is_some()).count(),
        ..Account::default()
    };
    let mut returned: BTreeMap<&str, Timestamp> = BTreeMap::new();
    let mut open: BTreeMap<&str, Timestamp> = BTreeMap::new();
    let mut unmade: Vec<&str> = Vec::new();
    for entry in entries {
        match &entry.event {
            Event::Called { step, asking: Some(asking), .. } if asking.model != "offline" => {
                account.called += 1;
                account.repeated += usize::from(returned.contains_key(step.as_str()));
                open.insert(step, entry.at);
            }
            Event::Returned { step, origin: Origin::Model, .. } => {
                account.returned += 1;
                open.remove(step.as_str());
                returned.insert(step, entry.at);
            }
            Event::Failed { step, .. } => {
                account.failed += usize::from(open.remove(step.as_str()).is_some());
            }
            Event::Resumed { .. } => {
                account.takeovers += 1;
                let left = std::mem::take(&mut open);
                unmade.extend(account.lose(left, entry.at, calls, history));
            }
            _ => {}
        }
    }
    for call in calls.iter().filter(|call| is_of_zombie(call, entries, history)) {
        account.by_zombies += 1;
        let is_complete =
            |step: &&str| returned.get(step).is_some_and(|returned_at| *returned_at < call.began);
        account.by_zombies_in_vain += usize::from(unmade.iter().any(is_complete));
    }
    account
}

impl Account {
    /// Notes the calls that an attempt left open when the next one began; returns the steps for which no request had come by then.
    fn lose<'a>(
        &mut self,
        left: BTreeMap<&'a str, Timestamp>,
        until: Timestamp,
        calls: &[&Call],
        history: &History,
    ) -> Vec<&'a str> {
        let mut taken: Vec<Timestamp> = Vec::new();
        let mut unmade = Vec::new();
        for (step, called_at) in left {
            let mut made = calls.iter().filter(|call| (called_at..until).contains(&call.began));
            let Some(call) = made.find(|call| !taken.contains(&call.began)) else {
                unmade.push(step);
                continue;
            };
            taken.push(call.began);
            let Some(answered) = call.answered else { continue };
            let is_fault = |at: Timestamp| {
                let is_on_its_way = at.duration_since(answered) <= ON_ITS_WAY;
                (called_at..=until).contains(&at) && is_on_its_way
            };
            let kills = history.kills.iter().map(|(worker, at)| (*worker, *at));
            let stops = history.stops.iter().map(|(worker, at, _)| (*worker, *at));
            match kills.chain(stops).any(|(worker, at)| worker == call.worker && is_fault(at)) {
                true => self.lost += 1,
                false => self.lost_without_fault += 1,
            }
        }
        unmade
    }

    /// Returns how many answers did not reach the log.
    pub(super) fn unstored(&self) -> usize {
        self.answered.saturating_sub(self.returned + self.failed)
    }
}

/// Returns whether a call came from a worker that was paused when the run was last taken up before the call.
fn is_of_zombie(call: &Call, entries: &[Entry], history: &History) -> bool {
    let resumed =
        |entry: &&Entry| matches!(entry.event, Event::Resumed { .. }) && entry.at < call.began;
    let Some(taken_up) = entries.iter().rfind(resumed) else { return false };
    let was_paused = |(worker, since, woken): &(usize, Timestamp, Timestamp)| {
        *worker == call.worker && (*since..*woken).contains(&taken_up.at)
    };
    history.stops.iter().any(was_paused)
}

#[cfg(test)]
mod tests {
    use run::budget::{Spend, Usage};
    use run::entry::{Asking, Hash, Head};

    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    fn called(step: &str) -> Event {
        let asking = Asking {
            model: "fake/1".into(),
            prompt: "p".into(),
            prompt_version: 1,
            prompt_hash: Hash::default(),
        };
        let (step, input, reserved) = (step.to_owned(), Hash::default(), Spend::default());
        Event::Called { step, input, asking: Some(asking), reserved, within: None }
    }

    fn returned(step: &str) -> Event {
        let (step, usage) = (step.to_owned(), Usage::default());
        Event::Returned {
            step,
            origin: Origin::Model,
            value: "v".into(),
            usage,
            cost_usd_micros: 0,
        }
    }

    fn log(events: Vec<(i64, Event)>) -> Vec<Entry> {
        let mut head = Head::default();
        let seal = |(second, event): (i64, Event)| {
            let (entry, _) = Entry::seal(&head, at(second), event);
            head = Head { seq: entry.seq, hash: entry.hash };
            entry
        };
        events.into_iter().map(seal).collect()
    }

    fn call(worker: usize, began: i64, answered: i64) -> Call {
        Call { order: 1, worker, began: at(began), answered: Some(at(answered)) }
    }

    #[test]
    fn a_call_whose_worker_was_killed_is_lost_and_one_that_is_made_again_for_nothing_is_repeated() {
        let killed = History { kills: vec![(1, at(3))], ..History::default() };
        let events = vec![
            (1, called("a")),
            (25, Event::Resumed { attempt: 2 }),
            (26, called("a")),
            (28, returned("a")),
        ];
        let calls = [call(1, 1, 2), call(2, 26, 27)];
        let all: Vec<&Call> = calls.iter().collect();
        let account = audit(&log(events.clone()), &all, &killed);
        assert_eq!((account.lost, account.lost_without_fault, account.unstored()), (1, 0, 1));
        assert_eq!((account.repeated, account.takeovers), (0, 1));
        let account = audit(&log(events.clone()), &all, &History::default());
        assert_eq!((account.lost, account.lost_without_fault), (0, 1));
        let again = [events, vec![(29, called("a"))]].concat();
        assert_eq!(audit(&log(again), &all, &killed).repeated, 1);
    }

    #[test]
    fn a_call_of_a_worker_that_slept_while_another_took_the_run_up_is_a_zombie_s() {
        let paused = History { stops: vec![(1, at(2), at(30))], ..History::default() };
        let mut events =
            vec![(1, called("a")), (25, Event::Resumed { attempt: 2 }), (26, called("a"))];
        let calls = [call(2, 26, 27), call(1, 30, 31)];
        let calls: Vec<&Call> = calls.iter().collect();
        let account = audit(&log(events.clone()), &calls, &paused);
        assert_eq!((account.by_zombies, account.by_zombies_in_vain), (1, 0));
        events.push((28, returned("a")));
        assert_eq!(audit(&log(events), &calls, &paused).by_zombies_in_vain, 1);
    }
}
