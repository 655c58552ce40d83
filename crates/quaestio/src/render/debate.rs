//! The report of `debate`: how it ended, then each turn with what it was read up from, what was said, run and decided.
//!
//! Every text of a model, a paper or a program that was run stands on one line of its own making, or as code: it opens no heading,
//! link or list.

mod proposal;
#[cfg(test)]
mod tests;
mod turn;

use methods::debate::payload::{Debate, Ending};
use serde::Deserialize as _;
use serde_json::Value;

use super::pages::{Page, WentWrong, render_title};
use super::plain::{block, unmarked};
use super::{COMMAND, PAGE, footer, list, safe_html, sources, text};

/// What the page of this method needs of style beside that of all pages.
pub(super) const STYLE: &str = "\
    main { overflow-wrap: anywhere; }\n\
    pre { padding: .5rem .75rem; border: 1px solid color-mix(in srgb, currentColor 25%, transparent); }\n\
    blockquote { margin-inline: 0; padding-inline-start: .75rem; \
    border-inline-start: 3px solid color-mix(in srgb, currentColor 40%, transparent); }\n";

/// Returns what the method delivered; none for another method, and where the run came to nothing that can be shown.
pub(super) fn read(envelope: &Value) -> Option<Debate> {
    if text(envelope, "method") != "debate" {
        return None;
    }
    Debate::deserialize(envelope.get("deliverable")?).ok()
}

/// Returns the report as Markdown, its title included.
pub(super) fn markdown(envelope: &Value, debate: &Debate, plain: fn(&str) -> String) -> String {
    let question = render_title(text(envelope, "question"), plain);
    format!("# {question}\n{}", report(envelope, debate, plain, COMMAND))
}

/// Returns the report as HTML without a title.
pub(super) fn html(envelope: &Value, debate: &Debate) -> String {
    safe_html(&report(envelope, debate, unmarked, COMMAND))
}

/// Returns the report as the page of the server takes it. Only marks that the program put stand in it unescaped.
pub(super) fn piece(envelope: &Value, debate: &Debate) -> String {
    report(envelope, debate, unmarked, PAGE)
}

fn report(envelope: &Value, debate: &Debate, plain: fn(&str) -> String, whole: &str) -> String {
    let mut page = Page::new(plain, plain);
    head(&mut page, envelope, debate);
    let answer = block(&debate.answer, plain);
    if !answer.is_empty() {
        page.heading("Conclusion");
        page.paragraph(&answer);
    }
    for turn in &debate.turns {
        turn::turn(&mut page, turn);
    }
    let mut text = page.text;
    sources(&mut text, list(envelope, "citations"), plain);
    if let Some(error) = envelope.get("error") {
        let mut last = Page::new(plain, plain);
        last.went_wrong(&WentWrong {
            stage: super::text(error, "stage"),
            message: super::text(error, "message"),
            retry_attempted: error.get("retry_attempted").and_then(Value::as_bool) == Some(true),
            came_back: format!("{whole} what each step returned."),
        });
        text.push_str(&last.text);
    }
    footer(&mut text, envelope, plain);
    run::grounding::clean(&text)
}

fn head(page: &mut Page, envelope: &Value, debate: &Debate) {
    let cycles = debate.turns.iter().map(|turn| turn.cycle).max().unwrap_or_default();
    let cycles = match cycles {
        1 => format!("after 1 cycle of at most {}", debate.max_turns),
        many => format!("after {many} cycles of at most {}", debate.max_turns),
    };
    page.paragraph(&match debate.ending {
        Ending::Viable => format!("**Viable solution reached** {cycles}: the reviewer found the proposal viable, and its code held."),
        Ending::MaxTurns => format!("**No viable solution** {cycles}: the debate went through all its turns."),
        Ending::NoEvidence => "**No evidence found**: there was nothing to debate on.".to_owned(),
        Ending::Interrupted if envelope.get("error").is_some() => {
            format!("**Stopped** {cycles}. Why stands at the end; what was said until then follows.")
        }
        Ending::Interrupted => format!("**Interrupted** {cycles}. What was said until then follows."),
    });
    if text(envelope, "mode") == "offline" {
        page.paragraph(
            "Offline: what the scientists say is quoted from what was found; no model was asked.",
        );
    }
    if !debate.grounded && !debate.turns.is_empty() {
        page.paragraph(
            "Not everything that the scientists cited held, or they cited nothing: what did not hold is left out.",
        );
    }
}
