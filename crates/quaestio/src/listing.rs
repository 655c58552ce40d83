//! Lists for a person: columns that line up, times without nanoseconds, and on a terminal no line that is too long.

use std::path::Path;

use anstyle::{AnsiColor, Style};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use run::grounding::clean;
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

use crate::output;
use crate::sink::Sink;

/// Between two columns.
const GAP: &str = "  ";
/// No column is cut below this, though the line be longer than the terminal.
const LEAST_ROOM: usize = 8;

const HEAD: Style = Style::new().bold();
const LINK: Style = Style::new().underline();

/// Rows of texts under titles. A title that ends in `#` heads a column of numbers.
pub(crate) struct Listing<const N: usize> {
    titles: [&'static str; N],
    rows: Vec<[String; N]>,
}

impl<const N: usize> Listing<N> {
    pub(crate) fn new(titles: [&'static str; N]) -> Listing<N> {
        Listing { titles, rows: vec![] }
    }

    pub(crate) fn row(&mut self, cells: [String; N]) {
        self.rows.push(cells.map(|cell| clean(&run::ledger::one_line(&cell))));
    }

    /// Writes the list under its titles. On a terminal the broadest columns are cut where the line would be too long, the first never.
    pub(crate) fn write(&self, out: &Sink) {
        let room = out.is_terminal().then(output::width);
        for line in self.lines(room, out.is_styled()) {
            out.line(&line);
        }
    }

    fn lines(&self, room: Option<usize>, is_styled: bool) -> Vec<String> {
        let titles = self.titles.map(|title| title.trim_end_matches('#'));
        let is_number = self.titles.map(|title| title.ends_with('#'));
        let mut widths = [0; N];
        let heads = titles.map(str::to_owned);
        for row in std::iter::once(&heads).chain(&self.rows) {
            for (width, cell) in widths.iter_mut().zip(row) {
                *width = (*width).max(cell.width());
            }
        }
        if let Some(room) = room {
            let gaps = GAP.len() * N.saturating_sub(1);
            while widths.iter().sum::<usize>() + gaps > room {
                let rest = widths.iter_mut().skip(1).filter(|width| **width > LEAST_ROOM);
                let Some(broadest) = rest.max_by_key(|width| **width) else { break };
                *broadest -= 1;
            }
        }
        let line = |row: &[String; N]| {
            let cells = row.iter().zip(widths).zip(is_number).map(|((cell, width), is_number)| {
                let cell = cut(cell, width);
                let spaces = " ".repeat(width.saturating_sub(cell.width()));
                if is_number { format!("{spaces}{cell}") } else { format!("{cell}{spaces}") }
            });
            cells.collect::<Vec<_>>().join(GAP).trim_end().to_owned()
        };
        let mut lines = Vec::new();
        if !self.rows.is_empty() {
            lines.push(styled(is_styled, HEAD, &line(&heads)));
        }
        lines.extend(self.rows.iter().map(line));
        lines
    }
}

/// Returns the beginning of a text that fits into so many columns.
fn cut(text: &str, room: usize) -> String {
    if text.width() <= room {
        return text.to_owned();
    }
    let mut taken = 1;
    let fits = |c: &char| {
        taken += c.width().unwrap_or_default();
        taken <= room
    };
    let begin: String = text.chars().take_while(fits).collect();
    format!("{}…", begin.trim_end())
}

/// Returns a text in a style, if styles are wanted.
pub(crate) fn styled(is_styled: bool, style: Style, text: &str) -> String {
    match is_styled {
        true => format!("{style}{text}{style:#}"),
        false => text.to_owned(),
    }
}

/// Returns a path as a text that a click opens, where links are wanted.
pub(crate) fn path(sink: &Sink, path: &Path) -> String {
    let shown = clean(&path.display().to_string());
    match file_url(path).filter(|_| sink.is_styled()) {
        Some(url) => format!("\u{1b}]8;;{url}\u{1b}\\{LINK}{shown}{LINK:#}\u{1b}]8;;\u{1b}\\"),
        None => shown,
    }
}

/// Returns the address of a file or folder.
pub(crate) fn file_url(path: &Path) -> Option<String> {
    let absolute = std::path::absolute(path).ok()?;
    url::Url::from_file_path(absolute).ok().map(String::from)
}

/// Returns an instant as the clock here shows it, to the minute: `2026-11-27 14:03`.
pub(crate) fn time(at: Timestamp) -> String {
    time_in(at, TimeZone::system())
}

fn time_in(at: Timestamp, zone: TimeZone) -> String {
    at.to_zoned(zone).strftime("%Y-%m-%d %H:%M").to_string()
}

/// Returns how long ago an instant was: `5 min ago`, `3 h ago`, `12 days ago`.
pub(crate) fn age(at: Timestamp, now: Timestamp) -> String {
    let passed: SignedDuration = now.duration_since(at);
    match (passed.as_mins(), passed.as_hours()) {
        (..1, _) => "just now".to_owned(),
        (minutes @ 1..60, _) => format!("{minutes} min ago"),
        (_, hours @ 0..48) => format!("{hours} h ago"),
        (_, hours) => format!("{} days ago", hours / 24),
    }
}

/// Returns a duration in words: `8 s`, `3 min 20 s`, `2 h 5 min`.
pub(crate) fn duration(seconds: u64) -> String {
    let (minutes, hours) = (seconds / 60, seconds / 3600);
    match (hours, minutes) {
        (0, 0) if seconds == 0 => "less than 1 s".to_owned(),
        (0, 0) => format!("{seconds} s"),
        (0, _) => format!("{minutes} min {} s", seconds % 60),
        (_, _) => format!("{hours} h {} min", minutes % 60),
    }
}

/// Returns the style of a state of a run.
pub(crate) fn of_state(name: &str) -> Style {
    let colour = match name {
        "completed" => AnsiColor::Green,
        "running" | "queued" => AnsiColor::Cyan,
        "waiting" => AnsiColor::Yellow,
        _ => AnsiColor::Red,
    };
    Style::new().fg_color(Some(colour.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listing() -> Listing<3> {
        let mut listing = Listing::new(["Name", "Documents#", "Question"]);
        listing.row(["a".into(), "7".into(), "What is a collection of 漢字 for?".into()]);
        listing.row(["notes\u{1b}[2J".into(), "1200".into(), "Why?\nNow".into()]);
        listing
    }

    // proves: F1
    #[test]
    fn columns_line_up_and_on_a_terminal_no_line_is_too_long() {
        assert_eq!(
            listing().lines(None, false),
            [
                "Name      Documents  Question",
                "a                 7  What is a collection of 漢字 for?",
                "notes[2J       1200  Why? Now",
            ]
        );
        let shown = listing().lines(Some(40), true);
        assert_eq!(
            shown,
            [
                "\u{1b}[1mName      Documents  Question\u{1b}[0m",
                "a                 7  What is a collecti…",
                "notes[2J       1200  Why? Now",
            ]
        );
        assert!(Listing::<1>::new(["Name"]).lines(Some(40), true).is_empty());
    }

    // proves: F1
    #[test]
    fn a_time_is_to_the_minute_and_an_age_in_its_largest_unit() {
        let at: Timestamp = "2026-11-27T14:03:59.123456789Z".parse().unwrap();
        assert_eq!(time_in(at, TimeZone::UTC), "2026-11-27 14:03");
        let after = |seconds| age(at, at + SignedDuration::from_secs(seconds));
        assert_eq!(
            [-5, 30, 60, 3_599, 3_600, 47 * 3_600, 49 * 3_600, 1_000_000].map(after),
            [
                "just now",
                "just now",
                "1 min ago",
                "59 min ago",
                "1 h ago",
                "47 h ago",
                "2 days ago",
                "11 days ago"
            ]
        );
    }
}
