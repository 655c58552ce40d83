//! The stream of a debate as plain text, for the documented client.
//!
//! A fold over the log, with the words of drafts between its entries. Content is passed on as it is; what the client shows in its status
//! field comes on separate lines, `[[STATUS]] …`. Text by models is guarded ([`super::guard`]), so only the program writes control lines.

use run::entry::{Entry, Event};
use run::stages::own_name;

use super::guard::{Guard, guarded, steering};
use super::milestone::Milestone;
use super::payload::{Debate, Ending, Scientist, Turn};

/// The prefix of a line that is meant for the status field.
const STATUS: &str = "[[STATUS]] ";
/// The own name of the step that holds a turn as delivered.
pub(super) const RESPONSE: &str = "response";

/// Renders a debate, entry by entry.
#[derive(Debug, Default)]
pub struct TextStream {
    /// The step whose draft is arriving.
    draft: Option<(String, Guard)>,
    /// Whether words of the current turn have been shown.
    is_drafted: bool,
    /// Whether the current line already has text.
    in_line: bool,
    ended: bool,
}

impl TextStream {
    /// Returns what an entry adds to the stream; empty if nothing.
    pub fn entry(&mut self, entry: &Entry) -> String {
        let mut told = String::new();
        match &entry.event {
            Event::Started { .. } => push_line(&mut told, &status("the debate begins")),
            Event::Resumed { .. } => {
                self.close(&mut told);
                push_line(&mut told, &status("the debate continues"));
            }
            Event::Said { line } => {
                self.close(&mut told);
                let shown = one_line(line);
                match Milestone::read(line) {
                    Some(_) => push_line(&mut told, &shown),
                    None => push_line(&mut told, &status(&shown)),
                }
            }
            Event::Called { step, asking: Some(_), .. } => {
                if let Some(who) = speaker(step) {
                    self.close(&mut told);
                    push_line(&mut told, &status(&format!("{} is writing", who.title())));
                }
            }
            Event::Returned { step, value, .. } if own_name(step) == RESPONSE => {
                self.close(&mut told);
                if let Ok(turn) = serde_json::from_value::<Turn>(value.clone()) {
                    let title = turn.scientist.title();
                    if std::mem::take(&mut self.is_drafted) {
                        let line = format!("{title}: checked; this is the response as it stands");
                        push_line(&mut told, &status(&line));
                    }
                    push_line(&mut told, &format!("{title} Response:"));
                    // The markers are the program's own; any other lookalike is escaped.
                    told.push_str(steering(turn.response.trim_end()).trim_end());
                    told.push_str("\n\n");
                }
            }
            Event::Failed { error, .. } => {
                self.close(&mut told);
                push_line(&mut told, &status(&format!("a step failed: {}", one_line(error))));
            }
            Event::Asked { .. } => {
                self.close(&mut told);
                push_line(&mut told, &status("waiting for an answer"));
            }
            Event::Finished { deliverable, .. } => {
                self.close(&mut told);
                self.ended = true;
                if let Ok(debate) = serde_json::from_value::<Debate>(deliverable.clone()) {
                    push_line(&mut told, ending(debate.ending));
                    push_line(&mut told, &guarded(&debate.answer));
                }
                push_line(&mut told, &status("done"));
            }
            Event::Cancelled { by, partial } => {
                let why = format!("interrupted by {by}");
                self.broke_off(&mut told, &why, ending(Ending::Interrupted), partial.as_deref());
            }
            Event::Stopped { reason, partial, .. } => {
                // It was not interrupted.
                let why = format!("stopped: {reason}");
                self.broke_off(&mut told, &why, "=== Debate Stopped ===", partial.as_deref());
            }
            _ => {}
        }
        told
    }

    /// Returns what words of a draft add to the stream.
    pub fn words(&mut self, step: &str, text: &str) -> String {
        let mut told = String::new();
        let Some(who) = speaker(step) else { return told };
        if !matches!(&self.draft, Some((open, _)) if open == step) {
            self.close(&mut told);
            push_line(&mut told, &format!("{} Response:", who.title()));
            self.draft = Some((step.to_owned(), Guard::default()));
            self.is_drafted = true;
        }
        if let Some((_, guard)) = &mut self.draft {
            let shown = guard.push(text);
            told.push_str(&shown);
            if let Some(last) = shown.chars().last() {
                self.in_line = last != '\n';
            }
        }
        told
    }

    /// Returns a status line that belongs to no entry; empty if it would interrupt a line of content.
    pub fn aside(&self, line: &str) -> String {
        match self.in_line {
            true => String::new(),
            false => format!("{}\n", status(&one_line(line))),
        }
    }

    /// Returns the text of a status line; `None` if it is content.
    pub fn status(line: &str) -> Option<&str> {
        line.strip_prefix(STATUS)
    }

    /// Returns whether the debate is over and nothing follows.
    pub fn has_ended(&self) -> bool {
        self.ended
    }

    fn broke_off(
        &mut self,
        told: &mut String,
        why: &str,
        ending: &str,
        partial: Option<&run::entry::Partial>,
    ) {
        self.close(told);
        self.ended = true;
        push_line(told, &status(&one_line(why)));
        push_line(told, ending);
        let debate =
            partial.and_then(|one| serde_json::from_value::<Debate>(one.deliverable.clone()).ok());
        if let Some(debate) = debate {
            push_line(told, &guarded(&debate.answer));
        }
    }

    /// Ends the current draft and its line.
    fn close(&mut self, told: &mut String) {
        if let Some((_, mut guard)) = self.draft.take() {
            let rest = guard.end();
            if self.in_line || !rest.is_empty() {
                told.push_str(&rest);
                told.push('\n');
            }
            self.in_line = false;
        }
    }
}

/// Returns the documented line that ends a debate.
pub fn ending(ending: Ending) -> &'static str {
    match ending {
        Ending::Viable => "=== Viable Solution Reached ===",
        Ending::MaxTurns => "=== Max Turns Reached ===",
        Ending::NoEvidence => "=== No Evidence Found ===",
        Ending::Interrupted => "=== Debate Interrupted ===",
    }
}

fn status(line: &str) -> String {
    format!("{STATUS}{line}")
}

fn push_line(told: &mut String, line: &str) {
    told.push_str(line);
    told.push('\n');
}

fn one_line(text: &str) -> String {
    run::ledger::one_line(&run::grounding::clean(text))
}

/// Returns the scientist whose words a step streams.
fn speaker(step: &str) -> Option<Scientist> {
    [Scientist::Optimist, Scientist::Pessimist].into_iter().find(|who| own_name(step) == who.role())
}

#[cfg(test)]
mod tests;
