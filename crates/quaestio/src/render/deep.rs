//! What the strategy `deep` shows beside its answer: where sources differ, what stays open, the plan, and the blackboard.

use std::fmt::Write as _;

use serde_json::Value;

use super::plain::{block, inline};
use super::{list, text};

/// What answers with tables need of style beside that of all pages.
pub(super) const STYLE: &str = "\
    table { border-collapse: collapse; font-size: .875rem; line-height: 1.4; }\n\
    th, td { padding: .3rem .75rem .3rem 0; border-bottom: 1px solid color-mix(in srgb, currentColor 25%, transparent); \
    vertical-align: top; text-align: left; }\n";

/// Tells whether a result is of this strategy.
pub(super) fn is(deliverable: &Value) -> bool {
    deliverable.get("blackboard").is_some()
}

/// Writes what a reader must know with the answer. Each side of a contradiction bears the mark of its source.
pub(super) fn beside(page: &mut String, deliverable: &Value, plain: fn(&str) -> String) {
    let contradictions = list(deliverable, "contradictions");
    if !contradictions.is_empty() {
        page.push_str("\n## Where sources differ\n\nEach sentence as it stands in its source; whether they exclude each other is yours to judge.\n\n");
    }
    for contradiction in contradictions {
        let sides = list(contradiction, "sides").iter().map(|side| {
            let numbers = list(side, "numbers").iter().filter_map(Value::as_u64);
            let marks: String = numbers.map(|number| format!(" [{number}]")).collect();
            format!("\"{}\"{marks}", inline(text(side, "quote"), plain))
        });
        let sides: Vec<String> = sides.collect();
        let about = block(text(contradiction, "about"), plain);
        let _ = writeln!(page, "- {about}: {}", sides.join(" — "));
    }
    for (heading, key) in [("Open", "open_questions"), ("Assumed", "assumptions")] {
        let items = list(deliverable, key);
        if !items.is_empty() {
            let _ = writeln!(page, "\n## {heading}\n");
            for item in items {
                let _ = writeln!(page, "- {}", block(item.as_str().unwrap_or_default(), plain));
            }
        }
    }
}

/// Writes what became of what an earlier report cited, where this one brings it up to date.
pub(super) fn changes(page: &mut String, deliverable: &Value, plain: fn(&str) -> String) {
    let Some(changes) = deliverable.get("changes") else { return };
    let day: String = text(changes, "ended_at").chars().take(10).collect();
    let gone = list(changes, "gone");
    let (stand, unread) = (count(changes, "stand"), count(changes, "unread"));
    let quotes =
        |count: u64| if count == 1 { "1 quote".to_owned() } else { format!("{count} quotes") };
    let run = inline(text(changes, "run"), plain);
    let _ = write!(
        page,
        "\n## What changed since {day}\n\nOf {} in the report of run {run}, {stand} still {} in their sources",
        quotes(stand + gone.len() as u64 + unread),
        if stand == 1 { "stands" } else { "stand" },
    );
    if unread > 0 {
        let _ = write!(page, "; the sources of {unread} were not read again");
    }
    page.push_str(".\n");
    if !gone.is_empty() {
        page.push_str("\nNo longer there:\n\n");
    }
    for quoted in gone {
        let [quote, title] = ["quote", "title"].map(|key| inline(text(quoted, key), plain));
        let _ = writeln!(page, "- \"{quote}\" ({title})");
    }
    for (told, key) in
        [("Cited now and not then", "new_sources"), ("Cited then and not now", "left_sources")]
    {
        let sources: Vec<String> = list(changes, key)
            .iter()
            .map(|uri| inline(uri.as_str().unwrap_or_default(), plain))
            .collect();
        if !sources.is_empty() {
            let _ = writeln!(page, "\n{told}: {}.", sources.join(", "));
        }
    }
}

fn count(of: &Value, key: &str) -> u64 {
    of.get(key).and_then(Value::as_u64).unwrap_or_default()
}

/// Writes what a report was made of: what had to be answered, what came of each, how much was read for it, and what that used.
pub(super) fn research(
    page: &mut String,
    envelope: &Value,
    deliverable: &Value,
    plain: fn(&str) -> String,
) {
    let Some(report) = deliverable.get("report") else { return };
    let _ = writeln!(
        page,
        "\n## How it was researched\n\nDepth {}: {} words, {} citations of {} of the {} sources that were read, from {} notes.\n",
        inline(text(report, "depth"), plain),
        count(report, "words"),
        count(report, "citations"),
        count(report, "sources_cited"),
        count(report, "sources_read"),
        list(report, "notes").len(),
    );
    let earlier = text(report, "goes_on_from");
    if !earlier.is_empty() {
        let _ = writeln!(page, "It goes on from run {}.\n", inline(earlier, plain));
    }
    for question in list(report, "questions") {
        let (notes, rounds) = (count(question, "notes"), count(question, "rounds"));
        let notes = match notes {
            0 => "nothing was found".to_owned(),
            1 => "1 note".to_owned(),
            notes => format!("{notes} notes"),
        };
        let rounds = if rounds == 1 { "1 round".to_owned() } else { format!("{rounds} rounds") };
        let is_answered = question.get("answered").and_then(Value::as_bool).unwrap_or_default();
        let answered = if is_answered { "; answered" } else { "" };
        let asked = inline(text(question, "question"), plain);
        let _ = writeln!(page, "- {asked} — {notes} in {rounds}{answered}");
    }
    let agents = envelope.pointer("/usage/by_agent").and_then(Value::as_array);
    let agents = agents.map(Vec::as_slice).unwrap_or_default();
    if !agents.is_empty() {
        page.push_str(
            "\n| Agent | Calls | Tokens in | Tokens out | Cost |\n|---|---|---|---|---|\n",
        );
    }
    for agent in agents {
        let [calls, read, written] =
            ["calls", "input_tokens", "output_tokens"].map(|key| count(agent, key));
        let cost = agent.get("cost_usd").and_then(Value::as_f64).unwrap_or_default();
        let name = inline(text(agent, "agent"), plain);
        let _ = writeln!(page, "| {name} | {calls} | {read} | {written} | ${cost:.6} |");
    }
}

/// Returns words as code on one line, in which nothing is escaped.
fn code(words: &str) -> String {
    format!("`{}`", run::ledger::one_line(&run::grounding::clean(words)).replace('`', "'"))
}

/// Writes the plan with what became of each task, and what stands on the blackboard.
pub(super) fn work(page: &mut String, deliverable: &Value, plain: fn(&str) -> String) {
    let Some(board) = deliverable.get("blackboard") else { return };
    let settled = list(board, "tasks");
    page.push_str("\n## Plan\n\n");
    for task in list(deliverable, "plan") {
        let id = code(text(task, "id"));
        let [kind, when] = ["type", "when"].map(|key| inline(text(task, key), plain));
        let inputs = task.get("inputs").unwrap_or(&Value::Null);
        let asked = ["query", "question"].map(|key| inline(text(inputs, key), plain));
        let asked: Vec<String> = asked
            .into_iter()
            .filter(|text| !text.is_empty())
            .map(|text| format!(": {text}"))
            .collect();
        let when = if when.is_empty() { String::new() } else { format!(", when {when}") };
        let became = settled.iter().find(|one| text(one, "id") == text(task, "id"));
        let became = match became {
            Some(one) => became_of(one, plain),
            None if text(task, "type") == "synthesize" => "the answer above".to_owned(),
            None => "not begun".to_owned(),
        };
        let _ = writeln!(page, "- {id} ({kind}{when}){} — {became}", asked.concat());
    }
    let evidence = list(board, "evidence");
    let coverage = board.get("coverage").and_then(Value::as_f64).unwrap_or_default();
    let _ = writeln!(
        page,
        "\n## Blackboard\n\n{} pieces of evidence; the best of them hold {:.0} % of the question's words, weighted by rarity.",
        evidence.len(),
        coverage * 100.0
    );
    if !evidence.is_empty() {
        page.push('\n');
    }
    for one in evidence {
        let number = one.get("number").and_then(Value::as_u64).unwrap_or_default();
        let by = settled.iter().filter(|task| {
            list(task, "evidence").iter().any(|known| known.as_u64() == Some(number))
        });
        let by: Vec<String> = by.map(|task| code(text(task, "id"))).collect();
        let section = one.pointer("/provenance/section").and_then(Value::as_str);
        let _ = writeln!(
            page,
            "- {}: {} ({}), by {}",
            text(one, "type"),
            block(section.unwrap_or_default(), plain),
            inline(text(one, "source_uri"), plain),
            by.join(", ")
        );
    }
}

/// Says what became of a task.
fn became_of(task: &Value, plain: fn(&str) -> String) -> String {
    let said = |key: &str| inline(text(task, key), plain);
    match text(task, "state") {
        "done" => match list(task, "evidence").len() {
            0 => "done; nothing that bears on it".to_owned(),
            1 => "done; 1 piece of evidence".to_owned(),
            many => format!("done; {many} pieces of evidence"),
        },
        "skipped" => format!("not needed: {}", said("why")),
        "answered" => format!("answered: {}", said("answer")),
        "assumed" => format!("assumed, since {}: {}", said("why"), said("assumption")),
        "refused" => format!("not done: {}", said("why")),
        _ => format!("failed: {}", said("why")),
    }
}
