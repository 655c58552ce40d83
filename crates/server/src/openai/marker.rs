//! What connects a message to the run that it answers: the line that names what an answer showed, and what was shown then.

use run::entry::{Entry, Event};
use run::log::Status;
use run::views::{self, Gate};

use crate::api::is_id;

/// The lines, blank ones aside, that may stand behind a marker: clients append remarks such as "[Stopped]".
const LINES_BEHIND: usize = 5;

/// The last line of an answer that asks: it names the run that the next message answers, and what of it was shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Marker {
    pub(super) run: String,
    /// The entries of the run's log when it was shown. As the log only grows, they determine what was shown ([`Shown`]).
    pub(super) at: u64,
}

impl Marker {
    /// Returns the line; `revision` is that of the plan that waits for approval, if one does.
    pub(super) fn line(&self, revision: Option<u32>) -> String {
        let Marker { run, at } = self;
        match revision {
            None => format!("Run `{run}` waits for your answer ({at})."),
            Some(revision) => {
                format!("Run `{run}` waits for your approval of revision {revision} ({at}).")
            }
        }
    }

    /// Finds the marker of an answer: among its last lines, outside quotes and code, or in a result as JSON.
    pub(super) fn find(answer: &str) -> Option<Marker> {
        let text = answer.trim_start();
        if text.starts_with('{') {
            return Marker::find_in_json(text);
        }
        let lines: Vec<&str> = answer.lines().collect();
        let shown = lines.iter().enumerate().rev().filter(|(_, line)| !line.trim().is_empty());
        let mut last = shown.take(LINES_BEHIND + 1);
        let (index, marker) = last.find_map(|(index, line)| Some((index, Marker::read(line)?)))?;
        (!ends_in_code(lines.get(..index)?)).then_some(marker)
    }

    fn find_in_json(text: &str) -> Option<Marker> {
        let mut values = serde_json::Deserializer::from_str(text).into_iter::<serde_json::Value>();
        let result = values.next()?.ok()?;
        let behind = text.get(values.byte_offset()..)?.lines();
        if behind.filter(|line| !line.trim().is_empty()).count() > LINES_BEHIND {
            return None;
        }
        let run = result.get("run_id")?.as_str().filter(|run| is_id(run))?;
        let at = result.get("entries")?.as_u64()?;
        let waits = result.get("status")?.as_str()? == Status::Waiting.name();
        waits.then(|| Marker { run: run.to_owned(), at })
    }

    /// Reads a line. One that is indented by four or more is code.
    fn read(line: &str) -> Option<Marker> {
        let line = line.trim_end();
        let bare = line.trim_start_matches(' ');
        if line.len() - bare.len() > 3 {
            return None;
        }
        let (run, asks) = bare.strip_prefix("Run `")?.split_once("` waits for your ")?;
        let (what, at) = asks.strip_suffix(").")?.split_once(" (")?;
        if what != "answer" {
            read_number(what.strip_prefix("approval of revision ")?)?;
        }
        let at = read_number(at)?;
        is_id(run).then(|| Marker { run: run.to_owned(), at })
    }
}

/// Returns whether a block of code that begins in these lines is still open behind them.
fn ends_in_code(lines: &[&str]) -> bool {
    let mut fence: Option<&str> = None;
    for line in lines.iter().map(|line| line.trim()) {
        let marks = line.len() - line.trim_start_matches(line.chars().next().unwrap_or(' ')).len();
        let (opening, info) = line.split_at(marks);
        let is_fence = marks >= 3 && opening.starts_with(['`', '~']);
        match fence {
            None if is_fence => fence = Some(opening),
            // It ends with a fence of the same kind that is at least as long, and nothing behind it.
            Some(open) if is_fence && info.is_empty() && opening.starts_with(open) => fence = None,
            _ => {}
        }
    }
    fence.is_some()
}

/// Reads a number that consists of digits alone.
pub(super) fn read_number(text: &str) -> Option<u64> {
    text.parse().ok().filter(|_| text.bytes().all(|byte| byte.is_ascii_digit()))
}

/// What an answer showed of a run, and what became of it since.
#[derive(Debug)]
pub(super) struct Shown<'a> {
    /// The gates that were open when it was shown.
    pub(super) gates: Vec<Gate<'a>>,
    /// The entries from the first on by which somebody said something to the run. If there are none, what was shown still stands.
    pub(super) since: &'a [Entry],
}

impl<'a> Shown<'a> {
    /// Returns what was shown when the log had `at` entries, or what the run came to show then before anybody said anything; `None` if
    /// the log never had as many.
    pub(super) fn of(entries: &'a [Entry], at: u64) -> Option<Shown<'a>> {
        if at > entries.len() as u64 {
            return None;
        }
        // What was said to the run that a fork was copied from was not said to the fork.
        let forked = entries.iter().rev().find(|entry| matches!(entry.event, Event::Forked { .. }));
        let at = forked.map_or(at, |forked| at.max(forked.seq));
        let said = entries.iter().position(|entry| entry.seq > at && is_said(&entry.event));
        let (before, since) = entries.split_at(said.unwrap_or(entries.len()));
        Some(Shown { gates: views::open_gates(before), since })
    }
}

/// Returns whether an event is something that a person said to the run.
fn is_said(event: &Event) -> bool {
    matches!(
        event,
        Event::Answered { .. }
            | Event::Revised { .. }
            | Event::Approved { .. }
            | Event::Rejected { .. }
            | Event::Cancelled { .. }
    )
}

#[cfg(test)]
mod tests {
    use run::Ask;
    use run::entry::Head;

    use super::*;

    fn marker(run: &str, at: u64) -> Marker {
        Marker { run: run.into(), at }
    }

    // proves: F4
    #[test]
    fn a_marker_is_found_in_the_last_lines_of_an_answer_and_nowhere_else() {
        for (marker, revision) in [(marker("r-1", 4), None), (marker("0192_x", 12), Some(3))] {
            let line = marker.line(revision);
            for found in [
                format!("**Who?**\n\n{line}\n"),
                line.clone(),
                format!("{line}\n\n[Stopped]"),
                format!("{line}\r\n\r\n1\n2\n3\n4\n5\n\n"),
                format!("```\ncode\n```\n{line}"),
                format!("~~~ text\n```\n~~~~\nä\n{line}"),
                format!("Run `other` waits for your answer (2).\n{line}"),
            ] {
                assert_eq!(Marker::find(&found).as_ref(), Some(&marker), "{found}");
            }
            for hidden in [
                format!("{line}\n1\n2\n3\n4\n5\n6"),
                format!("> {line}"),
                format!("    {line}"),
                format!("\t{line}"),
                format!("- {line}"),
                format!("```\n{line}\n```"),
                format!("```\n{line}"),
                format!("~~~ text\n{line}\n[Stopped]"),
                format!("````\n```\n{line}\n````"),
                format!("~~~\n```\n{line}"),
                format!("So: {line}"),
                format!("{line} Or so."),
            ] {
                assert_eq!(Marker::find(&hidden), None, "{hidden}");
            }
        }
        for other in [
            "",
            "Run `r` waits.",
            "Run `r` waits for your answer.",
            "Run `r` waits for your answer ().",
            "Run `r` waits for your answer (+1).",
            "Run `r` waits for your answer (99999999999999999999).",
            "Run `a b` waits for your answer (1).",
            "Run `../r` waits for your answer (1).",
            "Run `r` waits for your approval of revision x (1).",
            "{\"run_id\": \"r\", \"status\": \"completed\", \"entries\": 3}",
            "{\"run_id\": \"r\", \"status\": \"waiting\"}",
            "{\"run_id\": 7, \"status\": \"waiting\", \"entries\": 3}",
            "{",
        ] {
            assert_eq!(Marker::find(other), None, "{other}");
        }
        let json = "{\"run_id\": \"r\", \"status\": \"waiting\", \"entries\": 3}";
        assert_eq!(Marker::find(json), Some(marker("r", 3)));
        assert_eq!(Marker::find(&format!("{json}\n\n[Stopped]")), Some(marker("r", 3)));
    }

    // proves: F4
    #[test]
    fn what_was_shown_is_what_stood_before_anybody_said_more() {
        let asked = |gate: &str| Event::Asked { gate: gate.into(), ask: Ask::default() };
        let answered = |gate: &str| Event::Answered {
            gate: gate.into(),
            answer: "yes".into(),
            by: "ada".into(),
        };
        let said = || Event::Said { line: "so".into() };
        let log = |events: Vec<Event>| {
            let mut head = Head::default();
            let sealed = events.into_iter().map(|event| {
                let (entry, _) = Entry::seal(&head, jiff::Timestamp::UNIX_EPOCH, event);
                head = Head { seq: entry.seq, hash: entry.hash };
                entry
            });
            sealed.collect::<Vec<Entry>>()
        };
        let entries = log(vec![said(), asked("a"), said(), answered("a"), asked("b"), said()]);
        let shown = |entries: &[Entry], at: u64| {
            let shown = Shown::of(entries, at)?;
            let gates: Vec<&str> = shown.gates.iter().map(|gate| gate.name).collect();
            Some((gates.join(" "), shown.since.len()))
        };
        for at in 0..=3 {
            assert_eq!(shown(&entries, at), Some(("a".into(), 3)), "{at}");
        }
        for at in 4..=6 {
            assert_eq!(shown(&entries, at), Some(("b".into(), 0)), "{at}");
        }
        assert_eq!(shown(&entries, 7), None);
        let forked = Event::Forked { from: "r".into(), step: "s".into() };
        let entries = log(vec![asked("a"), answered("a"), forked, asked("b"), answered("b")]);
        assert_eq!(shown(&entries, 0), Some(("b".into(), 1)));
        assert_eq!(shown(&entries, 5), Some((String::new(), 0)));
    }
}
