//! What a person sees while a run works: each kind of work in words, the drafts, and on a terminal how long it has taken.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use run::Event;
use run::grounding::clean;
use run::listener::{Listener, Signal};

use crate::logs::{Level, Said};
use crate::sink::Sink;
use crate::steps;

/// How often the live line is drawn anew.
const TICK: Duration = Duration::from_millis(120);

/// Writes a line for each kind of work, and the draft as it arrives if `drafts` is set.
pub(crate) struct Progress {
    err: Sink,
    drafts: bool,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Whether a draft is being written on a line of its own.
    open_draft: bool,
    /// What is being done; work of one kind is told once.
    doing: String,
    /// The live line, on a terminal.
    bar: Option<ProgressBar>,
    /// When the first step began.
    since: Option<Instant>,
}

impl Progress {
    pub(crate) fn new(err: Sink, drafts: bool) -> Progress {
        let drafts = drafts && !err.is_json();
        Progress { err, drafts, state: Mutex::default() }
    }

    fn say(&self, run: &str, level: Level, event: &str, text: &str) {
        self.end_draft();
        self.err.say(Said::of(level, event, &clean(text)).about(run));
    }

    fn end_draft(&self) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if std::mem::take(&mut state.open_draft) {
            self.err.put("\n");
        }
    }

    /// Tells of a step that begins. A machine reads its name, a person what is done.
    fn begin(&self, run: &str, step: &str, model: Option<&str>) {
        if self.err.is_json() {
            let named = model.map_or_else(|| step.to_owned(), |model| format!("{step}: {model}"));
            self.say(run, Level::Info, "called", &named);
            return;
        }
        let doing = steps::describe_with(step, model);
        let is_new = {
            let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
            let is_new = state.doing != doing;
            state.doing.clone_from(&doing);
            is_new
        };
        if is_new {
            self.say(run, Level::Info, "called", &doing);
        }
        self.show(&clean(&doing));
    }

    /// Shows on a terminal what is being done, and for how long the run has worked.
    fn show(&self, doing: &str) {
        if !self.err.is_terminal() {
            return;
        }
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.bar.is_none() {
            let since = *state.since.get_or_insert_with(Instant::now);
            let bar = ProgressBar::new_spinner().with_elapsed(since.elapsed());
            let shape = "{spinner} {wide_msg} {elapsed}";
            if let Ok(style) = ProgressStyle::with_template(shape) {
                bar.set_style(style.tick_chars("⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏ "));
            }
            bar.enable_steady_tick(TICK);
            self.err.show_live(Some(bar.clone()));
            state.bar = Some(bar);
        }
        if let Some(bar) = &state.bar {
            bar.set_message(doing.to_owned());
        }
    }

    /// Takes the live line away: the run has ended, or asks something.
    fn rest(&self) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.doing.clear();
        if state.bar.take().is_some() {
            self.err.show_live(None);
        }
    }

    fn draft(&self, text: &str) {
        if !self.drafts {
            return;
        }
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if !std::mem::replace(&mut state.open_draft, true) {
            // A line that is still being written leaves no room for another below it.
            self.err.show_live(None);
            state.bar = None;
            self.err.put("  draft, not yet checked: ");
        }
        self.err.put(&clean(text).replace('\n', " "));
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.rest();
    }
}

impl Listener for Progress {
    fn hear(&self, run: &str, signal: Signal<'_>) {
        let entry = match signal {
            Signal::Words { text, .. } => return self.draft(text),
            Signal::Entry(entry) => entry,
        };
        let say = |level, event, text: &str| self.say(run, level, event, text);
        match &entry.event {
            Event::Started { .. } | Event::Forked { .. } => {
                say(Level::Info, "started", &format!("run {run}"));
            }
            Event::Resumed { attempt } => {
                say(Level::Info, "resumed", &format!("run {run} resumes (attempt {attempt})"));
            }
            Event::Called { step, asking, .. } => {
                self.begin(run, step, asking.as_ref().map(|asking| asking.model.as_str()));
            }
            Event::Failed { step, error, .. } => {
                let what = self.named(step);
                say(Level::Warning, "failed", &format!("{what}: failed: {error}"));
            }
            Event::Refused { step, cap, .. } => {
                let what = self.named(step);
                say(Level::Warning, "refused", &format!("{what}: not allowed: {cap}"));
            }
            Event::Said { line } => say(Level::Info, "said", &format!("  {line}")),
            Event::Asked { gate, ask } => {
                self.rest();
                // A person is asked, or told at the end how to answer.
                if self.err.is_json() {
                    say(Level::Info, "asked", &format!("asks at gate '{gate}': {}", ask.question));
                }
            }
            Event::Rejected { by, .. } => {
                self.rest();
                say(Level::Info, "rejected", &format!("{by} rejected the plan"));
            }
            Event::Cancelled { by, .. } => {
                self.rest();
                say(Level::Info, "cancelled", &format!("cancelled by {by}"));
            }
            Event::Stopped { stage, reason, .. } => {
                self.rest();
                say(
                    Level::Error,
                    "stopped",
                    &format!("stopped at {}: {reason}", self.named(stage)),
                );
            }
            Event::Finished { .. } => {
                self.rest();
                say(Level::Info, "finished", "done");
            }
            Event::Returned { .. }
            | Event::Cited { .. }
            | Event::Answered { .. }
            | Event::Revised { .. }
            | Event::Approved { .. } => {}
        }
    }
}

impl Progress {
    /// Returns what a step does; for a machine, its name.
    fn named(&self, step: &str) -> String {
        if self.err.is_json() { step.to_owned() } else { steps::describe(step) }
    }
}
