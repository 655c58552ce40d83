//! What the program reports besides its results, as lines for a person or as JSON for a machine.
//!
//! With `log.format = "json"` every line of standard error is one object: `at` (RFC 3339, UTC), `level`, `run` if it is known, `event`,
//! `message`, and further fields of the event. The program then asks nothing, as if there were no terminal.

use jiff::Timestamp;
use serde_json::{Map, Value};
use server::{Answered, Happened};

use crate::cli::Common;
use crate::config::LogFormat;
use crate::{Face, Sink, wire};

/// The variable that decides the format if the configuration itself cannot be read.
const VARIABLE: &str = "QUAESTIO_LOG__FORMAT";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Level {
    Info,
    Warning,
    Error,
}

/// A message.
#[derive(Debug, Clone)]
pub(crate) struct Said<'a> {
    pub(crate) level: Level,
    /// The run it is about, if known.
    pub(crate) run: Option<&'a str>,
    /// What happened, in one word: `called`, `failed`, `request`.
    pub(crate) event: &'a str,
    pub(crate) message: &'a str,
    pub(crate) more: Map<String, Value>,
}

impl<'a> Said<'a> {
    pub(crate) fn of(level: Level, event: &'a str, message: &'a str) -> Said<'a> {
        Said { level, run: None, event, message, more: Map::new() }
    }

    /// Reads a text written for a person: its prefix gives the level.
    pub(crate) fn told(text: &'a str) -> Said<'a> {
        let text = text.trim();
        match (text.strip_prefix("error: "), text.strip_prefix("warning: ")) {
            (Some(text), _) => Said::of(Level::Error, "error", text),
            (_, Some(text)) => Said::of(Level::Warning, "warning", text),
            _ => Said::of(Level::Info, "told", text),
        }
    }

    pub(crate) fn about(self, run: &'a str) -> Said<'a> {
        Said { run: Some(run), ..self }
    }

    /// Returns the message as a line of JSON.
    pub(crate) fn json(self) -> String {
        let level = match self.level {
            Level::Info => "info",
            Level::Warning => "warning",
            Level::Error => "error",
        };
        let mut fields = self.more;
        let mut put = |name: &str, value: Value| fields.insert(name.to_owned(), value);
        put("at", Timestamp::now().to_string().into());
        put("level", level.into());
        if let Some(run) = self.run {
            put("run", run.into());
        }
        put("event", self.event.into());
        put("message", self.message.into());
        format!("{}\n", Value::Object(fields))
    }
}

/// Returns the face with the configured log format.
pub(crate) fn face(face: &Face, common: Option<&Common>) -> Face {
    let configured = common.and_then(|common| wire::configure(common).ok());
    let is_json = match configured {
        Some(layers) => layers.config.log.format == LogFormat::Json,
        None => std::env::var_os(VARIABLE).is_some_and(|format| format == "json"),
    };
    if !is_json {
        return face.clone();
    }
    let err = face.err.as_json();
    told_of_panics(err.clone());
    Face { out: face.out.clone(), err, terminal: false }
}

/// Logs a request to the server, if the format is JSON.
pub(crate) fn answered(err: &Sink, answered: &Answered<'_>) {
    if !err.is_json() {
        return;
    }
    let Answered { request, user, run, method, path, status, milliseconds } = *answered;
    let level = if status >= 500 { Level::Error } else { Level::Info };
    let message = format!("{method} {path}: {status}");
    let more = [
        ("request", Value::from(request)),
        ("user", user.into()),
        ("method", method.into()),
        ("path", path.into()),
        ("status", status.into()),
        ("milliseconds", milliseconds.into()),
    ];
    let more = more.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
    err.say(Said { run, more, ..Said::of(level, "request", &message) });
}

/// Logs an event of one of the server's runs, if the format is JSON.
pub(crate) fn happened(err: &Sink, happened: &Happened<'_>) {
    if !err.is_json() {
        return;
    }
    let Happened { user, run, request, event, message } = *happened;
    let level = if event == "hindered" { Level::Warning } else { Level::Info };
    let more = [("request", Value::from(request)), ("user", user.into())];
    let more = more.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
    err.say(Said { more, ..Said::of(level, event, message) }.about(run));
}

/// Installs a hook that logs panics, which should not happen, like everything else.
fn told_of_panics(err: Sink) {
    std::panic::set_hook(Box::new(move |panic| {
        let message = panic.to_string();
        err.say(Said::of(Level::Error, "panicked", &run::grounding::clean(&message)));
    }));
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn how_a_text_begins_says_how_bad_it_is() {
        let read = |text| {
            let said = Said::told(text);
            (said.level, said.message.to_owned())
        };
        assert_eq!(read("error: no\n  help: yes\n"), (Level::Error, "no\n  help: yes".into()));
        assert_eq!(read("warning: hm"), (Level::Warning, "hm".into()));
        assert_eq!(read("  an error: no"), (Level::Info, "an error: no".into()));
    }

    proptest! {
        #[test]
        fn whatever_is_said_is_one_line_that_reads_back(message in any::<String>(), run in any::<String>()) {
            let line = Said::of(Level::Info, "told", &message).about(&run).json();
            prop_assert_eq!(line.matches('\n').count(), 1);
            let read: Value = serde_json::from_str(&line).unwrap();
            prop_assert_eq!(read["message"].as_str(), Some(message.as_str()));
            prop_assert_eq!(read["run"].as_str(), Some(run.as_str()));
            prop_assert!(read["at"].as_str().unwrap().parse::<Timestamp>().is_ok());
        }
    }
}
