//! The calls of tools in progress, so that one that is cancelled takes its run with it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rmcp::model::RequestId;

/// A user and a run of theirs.
type Place = (String, String);

#[derive(Default)]
struct State {
    run: Option<Place>,
    is_cancelled: bool,
    /// Whether the call has ended before its cancellation was heard.
    has_ended: bool,
}

/// The calls of one connection.
#[derive(Clone, Default)]
pub(super) struct Calls(Arc<Mutex<HashMap<RequestId, State>>>);

/// A call in progress; it ends on drop.
pub(super) struct Call {
    calls: Calls,
    id: RequestId,
}

impl Calls {
    fn states(&self) -> MutexGuard<'_, HashMap<RequestId, State>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn begin(&self, id: RequestId) -> Call {
        self.states().insert(id.clone(), State::default());
        Call { calls: self.clone(), id }
    }

    /// Cancels a call; returns the run to stop, if it has started one.
    pub(super) fn cancel(&self, id: &RequestId) -> Option<Place> {
        let mut states = self.states();
        let state = states.get_mut(id)?;
        state.is_cancelled = true;
        let run = state.run.clone();
        if state.has_ended {
            states.remove(id);
        }
        run
    }
}

impl Call {
    /// Notes the run that the call has started; returns whether the call was cancelled before.
    pub(super) fn has_started(&self, user: &str, run: &str) -> bool {
        let mut states = self.calls.states();
        let Some(state) = states.get_mut(&self.id) else { return false };
        state.run = Some((user.to_owned(), run.to_owned()));
        state.is_cancelled
    }

    /// Ends a call that was cancelled: it learns of that before the handler of the cancellation does, which needs to know its run.
    pub(super) fn end_cancelled(self) {
        let mut states = self.calls.states();
        if let Some(state) = states.get_mut(&self.id).filter(|state| !state.is_cancelled) {
            state.has_ended = true;
        }
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        let mut states = self.calls.states();
        if states.get(&self.id).is_some_and(|state| !state.has_ended) {
            states.remove(&self.id);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // proves: F4
    #[test]
    fn a_call_is_cancelled_with_its_run_whichever_comes_first() {
        let calls = Calls::default();
        let id = |number| RequestId::Number(number);
        let first = calls.begin(id(1));
        assert!(!first.has_started("ada", "r1"));
        assert_eq!(calls.cancel(&id(1)), Some(("ada".into(), "r1".into())));
        let second = calls.begin(id(2));
        assert_eq!(calls.cancel(&id(2)), None);
        assert!(second.has_started("ada", "r2"), "it was cancelled before it had a run");
        drop(first);
        assert_eq!(calls.cancel(&id(1)), None);
        let third = calls.begin(id(3));
        third.has_started("ada", "r3");
        third.end_cancelled();
        assert_eq!(calls.cancel(&id(3)), Some(("ada".into(), "r3".into())), "it is heard late");
        assert_eq!(calls.cancel(&id(3)), None);
    }
}
