//! How far the reading of documents is: a live line on a terminal, a line every few seconds elsewhere.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use corpus::Progress;
use indicatif::{ProgressBar, ProgressStyle};
use run::grounding::clean;

use crate::listing::duration;
use crate::sink::Sink;

/// How often a line is written where there is no terminal.
const PACE: Duration = Duration::from_secs(5);
/// How often the live line is drawn anew.
const TICK: Duration = Duration::from_millis(250);

/// Says what is being read.
pub(crate) struct ReadingLine<'a> {
    err: &'a Sink,
    is_quiet: bool,
    began: Instant,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    progress: Progress,
    bar: Option<ProgressBar>,
    /// How many lines were written.
    lines: u32,
}

impl<'a> ReadingLine<'a> {
    pub(crate) fn of(err: &'a Sink, is_quiet: bool) -> ReadingLine<'a> {
        ReadingLine { err, is_quiet, began: Instant::now(), state: Mutex::default() }
    }

    pub(crate) fn hear(&self, progress: &Progress) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.progress.clone_from(progress);
        if let Some(bar) = &state.bar {
            bar.set_length(progress.all as u64);
            bar.set_position(progress.done as u64);
            bar.set_message(clean(&describe(progress, self.began.elapsed())));
        }
    }

    /// Waits for the reading, and tells meanwhile how far it is.
    pub(crate) async fn beside<T>(&self, reading: impl Future<Output = T>) -> T {
        let mut reading = std::pin::pin!(reading);
        self.show();
        let pace = if self.err.is_terminal() { TICK } else { PACE };
        let mut ticks = tokio::time::interval_at(tokio::time::Instant::now() + pace, pace);
        let read = loop {
            tokio::select! {
                biased;
                read = &mut reading => break read,
                _ = ticks.tick() => self.tick(),
            }
        };
        self.end();
        read
    }

    fn show(&self) {
        if self.is_quiet || !self.err.is_terminal() {
            return;
        }
        let bar = ProgressBar::new(0);
        if let Ok(style) = ProgressStyle::with_template("{bar:20} {wide_msg}") {
            bar.set_style(style.progress_chars("━╸─"));
        }
        self.err.show_live(Some(bar.clone()));
        self.state.lock().unwrap_or_else(PoisonError::into_inner).bar = Some(bar);
    }

    fn tick(&self) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let told = clean(&describe(&state.progress, self.began.elapsed()));
        if let Some(bar) = &state.bar {
            bar.set_message(told);
        } else if !self.is_quiet && state.progress.all > 0 {
            state.lines += 1;
            self.err.line(&told);
        }
    }

    /// Takes the live line away; where lines were written, the last one says what it came to.
    fn end(&self) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.bar.take().is_some() {
            self.err.show_live(None);
        }
        let Progress { done, all, passages, .. } = state.progress;
        if state.lines > 0 {
            let taken = duration(self.began.elapsed().as_secs());
            self.err.line(&format!("read {done} of {all} files, {passages} passages, in {taken}"));
        }
    }
}

impl Drop for ReadingLine<'_> {
    /// An interrupt drops the reading, and the line with it.
    fn drop(&mut self) {
        self.err.show_live(None);
    }
}

/// Returns how far the reading is, in words.
fn describe(progress: &Progress, taken: Duration) -> String {
    let Progress { done, all, passages, file } = progress;
    let seconds = taken.as_secs();
    let mut told = format!("reading {done} of {all} files");
    if *passages > 0 {
        told.push_str(&format!(", {passages} passages"));
        if let Some(rate) = passages.checked_div(seconds).filter(|rate| *rate > 0) {
            told.push_str(&format!(" ({rate}/s)"));
        }
    }
    if *done > 0 && done < all && seconds >= 2 {
        let left = seconds * (all - done) as u64 / *done as u64;
        told.push_str(&format!(", about {} left", duration(left.max(1))));
    }
    if !file.is_empty() && done < all {
        told.push_str(&format!(": {file}"));
    }
    told
}

#[cfg(test)]
mod tests {
    use super::*;

    // proves: F1
    #[test]
    fn the_line_says_what_is_read_how_far_it_is_and_how_long_it_takes() {
        let at = |done, passages, seconds| {
            let file = "notes/a.pdf".to_owned();
            describe(&Progress { done, all: 40, passages, file }, Duration::from_secs(seconds))
        };
        assert_eq!(at(0, 0, 0), "reading 0 of 40 files: notes/a.pdf");
        assert_eq!(at(0, 0, 90), "reading 0 of 40 files: notes/a.pdf");
        assert_eq!(
            at(10, 600, 20),
            "reading 10 of 40 files, 600 passages (30/s), about 1 min 0 s left: notes/a.pdf"
        );
        assert_eq!(at(10, 3, 1), "reading 10 of 40 files, 3 passages (3/s): notes/a.pdf");
        assert_eq!(at(40, 900, 30), "reading 40 of 40 files, 900 passages (30/s)");
    }
}
