//! A change to a startup context that never undoes another one.

use super::{ContextError, Contexts, StartupContext, shown};

/// The maximum number of tries of an edit. Each failed try means that someone else's edit was saved.
pub const MOST_TRIES: usize = 100;

impl StartupContext {
    /// Returns what to save instead of `stored`, if `self` was made from `read`.
    ///
    /// The comparison ignores the time of the last access, because using a context does not change it. The later time is kept. If
    /// anything else differs, it returns [`ContextError::Changed`].
    pub fn in_place_of(
        mut self,
        stored: &StartupContext,
        read: &StartupContext,
    ) -> Result<StartupContext, ContextError> {
        let touched = StartupContext { last_accessed: stored.last_accessed, ..read.clone() };
        if *stored != touched {
            return Err(ContextError::Changed { id: shown(&self.id) });
        }
        self.last_accessed = self.last_accessed.max(stored.last_accessed);
        Ok(self)
    }
}

/// Changes a context and returns it as saved.
///
/// If others change it meanwhile, it is read again and `change` is called again, in [`MOST_TRIES`] tries at most; then it fails with
/// [`ContextError::Changed`]. If `change` returns an error, nothing is saved.
pub async fn edit<E: From<ContextError>>(
    contexts: &dyn Contexts,
    user: &str,
    id: &str,
    change: impl Fn(StartupContext) -> Result<StartupContext, E>,
) -> Result<StartupContext, E> {
    for _ in 0..MOST_TRIES {
        let read = contexts.get(user, id).await?.ok_or_else(|| ContextError::no_such(id))?;
        let context = change(read.clone())?;
        match contexts.exchange(&read, &context).await {
            Err(ContextError::Changed { .. }) => {}
            done => return Ok(done?),
        }
    }
    Err(ContextError::Changed { id: shown(id) }.into())
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use async_trait::async_trait;
    use jiff::Timestamp;
    use serde_json::Map;

    use super::super::Existing;
    use super::*;

    /// Holds one context that someone else changes before each of the first exchanges.
    struct Restless {
        kept: Mutex<StartupContext>,
        others: Mutex<usize>,
    }

    #[async_trait]
    impl Contexts for Restless {
        async fn list(&self, _: &str) -> Result<Vec<StartupContext>, ContextError> {
            Ok(vec![self.kept.lock().unwrap().clone()])
        }
        async fn get(&self, _: &str, _: &str) -> Result<Option<StartupContext>, ContextError> {
            Ok(Some(self.kept.lock().unwrap().clone()))
        }
        async fn keep(&self, _: &[StartupContext], _: Existing) -> Result<(), ContextError> {
            Ok(())
        }
        async fn replace(&self, _: &StartupContext) -> Result<(), ContextError> {
            Ok(())
        }
        async fn exchange(
            &self,
            read: &StartupContext,
            context: &StartupContext,
        ) -> Result<StartupContext, ContextError> {
            let (mut kept, mut others) = (self.kept.lock().unwrap(), self.others.lock().unwrap());
            if let Some(left) = others.checked_sub(1) {
                *others = left;
                kept.description.push('o');
            }
            *kept = context.clone().in_place_of(&kept, read)?;
            Ok(kept.clone())
        }
        async fn touch(&self, _: &str, _: &str, _: Timestamp) -> Result<(), ContextError> {
            Ok(())
        }
        async fn remove(&self, _: &str, _: &str) -> Result<(), ContextError> {
            Ok(())
        }
    }

    fn context() -> StartupContext {
        StartupContext {
            id: "legal".into(),
            user_id: "ada".into(),
            name: "Legal AI".into(),
            description: String::new(),
            industry: String::new(),
            search_terms: vec![],
            geographical_scope: String::new(),
            created_at: Timestamp::UNIX_EPOCH,
            last_accessed: Timestamp::UNIX_EPOCH,
            metadata: Map::new(),
        }
    }

    // proves: W5
    #[tokio::test]
    async fn an_edit_is_tried_anew_on_what_others_have_made_and_given_up_in_the_end() {
        let changed = || ContextError::Changed { id: "legal".into() };
        for (others, expected) in
            [(0, Ok(())), (MOST_TRIES - 1, Ok(())), (MOST_TRIES, Err(changed()))]
        {
            let contexts = Restless { kept: Mutex::new(context()), others: Mutex::new(others) };
            let done = edit(&contexts, "ada", "legal", |context| {
                Ok::<_, ContextError>(StartupContext { industry: "law".into(), ..context })
            });
            let done = done.await;
            let kept = contexts.kept.into_inner().unwrap();
            assert_eq!(kept.description, "o".repeat(others), "what others did is there");
            assert_eq!(kept.industry, if expected.is_ok() { "law" } else { "" });
            assert_eq!(done, expected.map(|()| kept));
        }
    }

    // proves: W5
    #[test]
    fn only_when_it_was_last_accessed_may_differ_and_the_later_time_is_kept() {
        let at = |second| Timestamp::from_second(second).unwrap();
        let touched = |second| StartupContext { last_accessed: at(second), ..context() };
        for (stored, new, later) in [(5, 3, 5), (5, 9, 9), (0, 0, 0)] {
            let kept = touched(new).in_place_of(&touched(stored), &context());
            assert_eq!(kept, Ok(touched(later)));
        }
        let metadata = || [("key".to_owned(), "value".into())].into_iter().collect();
        for stored in [
            StartupContext { id: "other".into(), ..context() },
            StartupContext { user_id: "bob".into(), ..context() },
            StartupContext { name: "x".into(), ..context() },
            StartupContext { description: "x".into(), ..context() },
            StartupContext { industry: "x".into(), ..context() },
            StartupContext { search_terms: vec!["x".into()], ..context() },
            StartupContext { geographical_scope: "x".into(), ..context() },
            StartupContext { created_at: at(1), ..context() },
            StartupContext { metadata: metadata(), ..context() },
        ] {
            let refused = context().in_place_of(&stored, &context());
            assert_eq!(refused, Err(ContextError::Changed { id: "legal".into() }));
        }
    }
}
