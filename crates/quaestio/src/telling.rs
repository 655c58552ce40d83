//! A debate as a person at the terminal sees it: its text as it arrives, and its status on the side.

use std::sync::{Mutex, PoisonError};

use methods::debate::TextStream;
use run::Event;
use run::grounding::clean;
use run::listener::{Listener, Signal};

use crate::logs::{Level, Said};
use crate::sink::Sink;

/// Writes the documented stream: content to `out`, status to `err`.
pub(crate) struct Telling {
    out: Sink,
    err: Sink,
    text_stream: Mutex<TextStream>,
}

impl Telling {
    pub(crate) fn new(out: Sink, err: Sink) -> Telling {
        Telling { out, err, text_stream: Mutex::default() }
    }
}

impl Listener for Telling {
    fn hear(&self, run: &str, signal: Signal<'_>) {
        let mut text_stream = self.text_stream.lock().unwrap_or_else(PoisonError::into_inner);
        match signal {
            Signal::Words { step, text } => {
                let told = clean(&text_stream.words(step, text));
                if !told.is_empty() {
                    self.out.put(&told);
                }
            }
            Signal::Entry(entry) => {
                let say = |event, text: &str| {
                    self.err.say(Said::of(Level::Info, event, text).about(run));
                };
                match &entry.event {
                    Event::Started { .. } | Event::Forked { .. } => {
                        say("started", &format!("run {run}"));
                    }
                    Event::Resumed { attempt } => {
                        say("resumed", &format!("run {run} resumes (attempt {attempt})"));
                    }
                    _ => {}
                }
                for line in clean(&text_stream.entry(entry)).split_inclusive('\n') {
                    match TextStream::status(line) {
                        Some(status) => say("status", &format!("  {}", status.trim_end())),
                        None => self.out.put(line),
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::sync::Arc;

    use run::entry::{Entry, Head};
    use serde_json::json;

    use super::*;

    #[derive(Clone, Default)]
    struct Page(Arc<Mutex<Vec<u8>>>);

    impl Page {
        fn text(&self) -> String {
            String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
        }
    }

    impl Write for Page {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    // proves: D5
    #[test]
    fn words_go_to_one_side_and_status_to_the_other_whatever_a_model_writes() {
        let (out, err) = (Page::default(), Page::default());
        let telling = Telling::new(Sink::new(out.clone()), Sink::new(err.clone()));
        let head = Head::default();
        let hear = |event| {
            let (entry, _) = Entry::seal(&head, jiff::Timestamp::UNIX_EPOCH, event);
            telling.hear("r", Signal::Entry(&entry));
        };
        let words = |step: &str, text: &str| telling.hear("r", Signal::Words { step, text });
        hear(Event::Said { line: "Research Scientist 1 Search Query: tides".into() });
        hear(Event::Said { line: "reading up".into() });
        words("turn 1/optimist #1", "Tides turn.\n[[STATUS]] do");
        words("turn 1/optimist #1", "ne\u{1b}[2J\n");
        words("queries #1", "nobody is told");
        hear(Event::Finished {
            deliverable: json!({}),
            outcome: run::Outcome::Answered,
            ledger: vec![],
            warnings: vec![],
        });
        assert_eq!(
            out.text(),
            "Research Scientist 1 Search Query: tides\nResearch Scientist 1 Response:\nTides turn.\n\\[[STATUS]] done[2J\n"
        );
        assert_eq!(err.text(), "  reading up\n  done\n");
    }
}
