//! All ports of a run together.

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use tokio::sync::watch;

use crate::contexts::Contexts;
use crate::embedding::Embedders;
use crate::files::Files;
use crate::library::Library;
use crate::listener::{Listener, NoopListener};
use crate::log::Log;
use crate::model::Models;
use crate::prompt::Prompts;
use crate::sandbox::Sandbox;
use crate::sources::{Bibliography, Intake, Sources};

/// The clock. A run reads the time here and nowhere else.
pub trait Clock: Send + Sync {
    fn now(&self) -> Timestamp;
}

/// How far a run may reach.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// Steps that are not in the log are executed.
    Live,
    /// Steps that are not in the log are an error: a replay.
    Recorded,
}

/// All ports together.
#[derive(Clone)]
pub struct World {
    pub log: Arc<dyn Log>,
    pub clock: Arc<dyn Clock>,
    /// `None`: agents answer extractively.
    pub models: Option<Models>,
    pub library: Option<Arc<dyn Library>>,
    /// `None`: questions are searched by their words alone.
    pub embedder: Option<Arc<dyn Embedders>>,
    /// `None`: a run calls nothing external but its models.
    pub sources: Option<Arc<dyn Sources>>,
    pub intake: Option<Arc<dyn Intake>>,
    /// `None`: there are no startup contexts.
    pub contexts: Option<Arc<dyn Contexts>>,
    /// Writes the references of a text in a run; `None`: works are cited by their titles.
    pub bibliography: Option<Arc<dyn Bibliography>>,
    /// `None`: proposed code is not run.
    pub sandbox: Option<Arc<dyn Sandbox>>,
    /// `None`: there are no files that methods read whole.
    pub files: Option<Arc<dyn Files>>,
    pub prompts: Arc<Prompts>,
    pub listener: Arc<dyn Listener>,
    pub reach: Reach,
    /// Whether models are asked to stream.
    pub stream: bool,
    /// The time for one model call, the transport's retries included.
    pub call_deadline: Duration,
    pub pause: Pause,
}

/// Whether runs pause before their next step because the program is about to end: no new call begins, and calls under way finish.
#[derive(Debug, Clone, Default)]
pub struct Pause(Option<watch::Receiver<bool>>);

impl Pause {
    /// Pauses runs as soon as `paused` turns true.
    pub fn when(paused: watch::Receiver<bool>) -> Pause {
        Pause(Some(paused))
    }

    pub(crate) fn is_wanted(&self) -> bool {
        self.0.as_ref().is_some_and(|paused| *paused.borrow())
    }
}

impl World {
    /// Returns a world with a log and a clock only.
    pub fn of(log: Arc<dyn Log>, clock: Arc<dyn Clock>) -> World {
        World {
            log,
            clock,
            models: None,
            library: None,
            embedder: None,
            sources: None,
            intake: None,
            contexts: None,
            bibliography: None,
            sandbox: None,
            files: None,
            prompts: Arc::default(),
            listener: Arc::new(NoopListener),
            reach: Reach::Live,
            stream: false,
            call_deadline: crate::CALL_DEADLINE,
            pause: Pause::default(),
        }
    }
}
