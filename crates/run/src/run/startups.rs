//! The user's startup contexts.

use super::{Result, Run};
use crate::contexts::{ContextError, Learned, Lesson, StartupContext, edit};
use crate::error::PortError;

/// The step that reads the context with which the run begins.
const STARTUP: &str = "startup";

impl Run {
    /// Returns the user's contexts, the last used first.
    pub async fn startups(&self) -> Result<Vec<StartupContext>> {
        self.step("startups", &(), async || {
            let Some(contexts) = &self.shared.world.contexts else { return Ok(vec![]) };
            contexts.list(&self.shared.user).await.map_err(unreadable)
        })
        .await
    }

    /// Begins with this context, and records that it was used. It does not matter if it was removed since it was read.
    pub async fn begin_with(&self, startup: StartupContext) -> Result<StartupContext> {
        self.step(STARTUP, &startup.id, async || match self.touch(&startup.id).await {
            Ok(()) | Err(ContextError::NoSuchContext { .. }) => Ok(startup.clone()),
            Err(error) => Err(unreadable(error)),
        })
        .await
    }

    /// Begins with the context of this id, and records that it was used.
    pub async fn begin_with_named(&self, id: &str) -> Result<StartupContext> {
        self.step(STARTUP, &id, async || {
            let missing = || unreadable(ContextError::no_such(id));
            let Some(contexts) = &self.shared.world.contexts else { return Err(missing()) };
            let found = contexts.get(&self.shared.user, id).await.map_err(unreadable)?;
            let found = found.ok_or_else(missing)?;
            self.touch(id).await.map_err(unreadable)?;
            Ok(found)
        })
        .await
    }

    /// Saves what the run learned in the context of this id, with its findings and the sources that support them. Returns whether
    /// there was anything to save and room for it.
    pub async fn teach(
        &self,
        id: &str,
        learned: &Learned,
        found: &[String],
        sources: &[String],
    ) -> Result<bool> {
        self.step("lesson", &(id, learned, found, sources), async || {
            let Some(contexts) = &self.shared.world.contexts else { return Ok(false) };
            let lesson = Lesson {
                run_id: self.id().to_owned(),
                at: self.shared.world.clock.now(),
                found: found.to_vec(),
                sources: sources.to_vec(),
                added: Default::default(),
            };
            let taught = |context: StartupContext| {
                let taught = context.taught(learned, lesson.clone());
                taught.ok_or(NotTaught::Nothing)
            };
            match edit(&**contexts, &self.shared.user, id, taught).await {
                Ok(_) => Ok(true),
                Err(NotTaught::Nothing) => Ok(false),
                Err(NotTaught::Failed(error)) => Err(unreadable(error)),
            }
        })
        .await
    }

    async fn touch(&self, id: &str) -> std::result::Result<(), ContextError> {
        let Some(contexts) = &self.shared.world.contexts else { return Ok(()) };
        contexts.touch(&self.shared.user, id, self.shared.world.clock.now()).await
    }
}

/// Why a context was left as it was.
enum NotTaught {
    Nothing,
    Failed(ContextError),
}

impl From<ContextError> for NotTaught {
    fn from(error: ContextError) -> NotTaught {
        NotTaught::Failed(error)
    }
}

fn unreadable(error: ContextError) -> PortError {
    match error {
        ContextError::Store { action, reason } => PortError::Store { action, reason },
        ContextError::DiskFull => PortError::DiskFull { action: "keep a startup context".into() },
        other => PortError::Invalid { what: other.to_string() },
    }
}
