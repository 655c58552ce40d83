//! The user's startup contexts.

use super::{Result, Run};
use crate::contexts::{ContextError, StartupContext};
use crate::ports::PortError;

/// Contexts that a run looks at, at most; those that were used last.
const MOST: usize = 20;

impl Run {
    /// Returns the contexts that the user has, the last used first.
    pub async fn startups(&self) -> Result<Vec<StartupContext>> {
        self.step("startups", &(), async || {
            let Some(contexts) = &self.shared.world.contexts else { return Ok(vec![]) };
            let mut contexts = contexts.list(&self.shared.user).await.map_err(unreadable)?;
            contexts.truncate(MOST);
            Ok(contexts)
        })
        .await
    }

    /// Returns the context of this id as the one that the run begins with, and notes that it was used; none where `id` is none.
    pub async fn startup(&self, id: Option<&str>) -> Result<Option<StartupContext>> {
        self.step("startup", &id, async || {
            let (Some(contexts), Some(id)) = (&self.shared.world.contexts, id) else {
                return Ok(None);
            };
            let user = &self.shared.user;
            let Some(context) = contexts.get(user, id).await.map_err(unreadable)? else {
                return Err(unreadable(ContextError::NoSuchContext { id: id.to_owned() }));
            };
            let now = self.shared.world.clock.now();
            contexts.touch(user, id, now).await.map_err(unreadable)?;
            Ok(Some(context))
        })
        .await
    }
}

fn unreadable(error: ContextError) -> PortError {
    match error {
        ContextError::Store { action, reason } => PortError::Store { action, reason },
        other => PortError::Invalid { what: other.to_string() },
    }
}
