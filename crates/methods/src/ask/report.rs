//! The report of an answer, and of the strategy `deep` beside it: where sources differ, what stays open, the plan, and the blackboard.
//!
//! A method without a report of its own, and a run that did not come to its end, are shown so as well.

use render::{Block, Document, Line, Table};
use serde_json::Value;

use crate::ask::deep::Condition;
use crate::report::{
    count, footer, list, number, on_page, ran_offline, references, sources, text, verdicts,
};

pub(crate) fn build(envelope: &Value) -> Document {
    let mut report = Document::default();
    let deliverable = envelope.get("deliverable").unwrap_or(&Value::Null);
    match text(envelope, "status") {
        "completed" => report.blocks.extend(answer(envelope, deliverable)),
        status => ended_early(&mut report, envelope, deliverable, status),
    }
    let is_deep = deliverable.get("blackboard").is_some();
    if is_deep {
        changes(&mut report, deliverable);
        contradictions(&mut report, deliverable);
    }
    let passages = list(deliverable, "closest");
    let assumptions = if is_deep { "Assumed" } else { "Assumed, in the writer's words" };
    let gaps = match passages {
        _ if is_deep => "Open",
        [] if has_writer(envelope) => "Not answered, in the writer's words",
        // Passages are listed if nobody wrote an answer.
        _ => "Not answered",
    };
    if is_deep {
        remarks(&mut report, gaps, list(deliverable, "open_questions"));
        remarks(&mut report, assumptions, list(deliverable, "assumptions"));
        research(&mut report, envelope, deliverable);
    }
    closest(&mut report, passages);
    if !is_deep {
        remarks(&mut report, gaps, list(deliverable, "gaps"));
        remarks(&mut report, assumptions, list(deliverable, "assumptions"));
    }
    sources(&mut report, envelope, list(envelope, "citations"));
    references(&mut report, list(envelope, "references"));
    work(&mut report, deliverable);
    footer(&mut report, envelope);
    report
}

/// Returns whether a model was asked for an answer, so that what stays open is in its words.
fn has_writer(envelope: &Value) -> bool {
    match list(envelope.get("usage").unwrap_or(&Value::Null), "by_agent") {
        // Former results do not say which agents were asked.
        [] => !ran_offline(envelope),
        agents => agents.iter().any(|agent| text(agent, "agent") == "writer"),
    }
}

fn answer(envelope: &Value, deliverable: &Value) -> Vec<Block> {
    if let Some(answer) = envelope.get("answer").and_then(Value::as_str) {
        return render::read::read(answer, &verdicts::find_signs(list(deliverable, "claims")));
    }
    // A method without an answer shows its fields.
    let mut fields = deliverable.clone();
    if let Value::Object(fields) = &mut fields {
        fields.remove("claims");
    }
    let text = serde_json::to_string_pretty(&fields).unwrap_or_default();
    vec![Block::Code { language: "json".to_owned(), text }]
}

fn ended_early(report: &mut Document, envelope: &Value, deliverable: &Value, status: &str) {
    report.paragraph(match status {
        "waiting" => "The run is waiting for you. Answer its questions or approve its plan, and it continues.".to_owned(),
        status => format!("The run is {status}."),
    });
    if let Some(error) = envelope.get("error") {
        let failed = Line::from("Step ").code(text(error, "stage"));
        report.paragraph(failed.text(format!(" failed: {}", text(error, "message"))));
    }
    let outputs = deliverable.get("stage_outputs").and_then(Value::as_object);
    if let Some(outputs) = outputs.filter(|outputs| !outputs.is_empty()) {
        let steps: Vec<&str> = outputs.keys().map(String::as_str).collect();
        report.paragraph(format!(
            "Finished so far: {}. The JSON result contains what they returned.",
            steps.join(", ")
        ));
    }
}

fn remarks(report: &mut Document, heading: &str, remarks: &[Value]) {
    if !remarks.is_empty() {
        report.heading(heading);
        report.items(remarks.iter().map(|one| one.as_str().unwrap_or_default()));
    }
}

/// Adds the passages that come closest to a question that none of them answers.
fn closest(report: &mut Document, passages: &[Value]) {
    if passages.is_empty() {
        return;
    }
    report.heading("Closest passages");
    let item = |one: &Value| {
        // Words of the question are between stars.
        let parts = text(one, "marked").split("**").enumerate();
        let passage = parts.fold(Line::new(), |line, (index, part)| match index % 2 {
            0 => line.text(part),
            _ => line.strong(part),
        });
        let (heading, uri) = (text(one, "heading"), text(one, "source_uri"));
        let place = format!("{heading} ({uri}{})", on_page(one));
        vec![Block::Paragraph(passage.line_break().text(place))]
    };
    let items = passages.iter().map(item).collect();
    report.blocks.push(Block::List(render::List { start: None, is_tight: false, items }));
}

/// Adds statements that contradict each other, each side with the mark of its source.
fn contradictions(report: &mut Document, deliverable: &Value) {
    let contradictions = list(deliverable, "contradictions");
    if contradictions.is_empty() {
        return;
    }
    report.heading("Where sources differ");
    report.paragraph(
        "These sentences are quoted from their sources. Judge for yourself whether they contradict each other.",
    );
    report.items(contradictions.iter().map(|contradiction| {
        let sides = list(contradiction, "sides").iter().map(|side| {
            let numbers = list(side, "numbers").iter().filter_map(Value::as_u64);
            let numbers: Vec<u32> =
                numbers.filter_map(|number| u32::try_from(number).ok()).collect();
            Line::from(format!("\"{}\"", text(side, "quote"))).marks(&numbers)
        });
        let about = Line::from(format!("{}: ", text(contradiction, "about")));
        about.then(Line::join(sides, &" — ".into()))
    }));
}

/// Adds what became of what an earlier report cited, if this one brings it up to date.
fn changes(report: &mut Document, deliverable: &Value) {
    let Some(changes) = deliverable.get("changes") else { return };
    let day: String = text(changes, "ended_at").chars().take(10).collect();
    let gone = list(changes, "gone");
    let (stand, unread) = (number(changes, "stand"), number(changes, "unread"));
    report.heading(format!("What changed since {day}"));
    let unread_again = match unread {
        0 => String::new(),
        unread => format!("; the sources of {unread} were not read again"),
    };
    report.paragraph(format!(
        "Of {} in the report of run {}, {stand} {} still in their sources{unread_again}.",
        count(stand + gone.len() as u64 + unread, "quote", "quotes"),
        text(changes, "run"),
        if stand == 1 { "is" } else { "are" },
    ));
    if !gone.is_empty() {
        report.paragraph("No longer in their sources:");
    }
    report.items(
        gone.iter()
            .map(|quoted| format!("\"{}\" ({})", text(quoted, "quote"), text(quoted, "title"))),
    );
    for (told, key) in
        [("Cited now, not before", "new_sources"), ("Cited before, not now", "left_sources")]
    {
        let sources = list(changes, key).iter().map(|uri| uri.as_str().unwrap_or_default());
        let sources: Vec<&str> = sources.collect();
        if !sources.is_empty() {
            report.paragraph(format!("{told}: {}.", sources.join(", ")));
        }
    }
}

/// Adds what a report was made of: what had to be answered, what came of each, how much was read for it, and what that used.
fn research(report: &mut Document, envelope: &Value, deliverable: &Value) {
    let Some(told) = deliverable.get("report") else { return };
    report.heading("How it was researched");
    report.paragraph(format!(
        "Depth {}: {} words and {} citations. {} of {} sources read are cited; {} notes were taken.",
        text(told, "depth"),
        number(told, "words"),
        number(told, "citations"),
        number(told, "sources_cited"),
        number(told, "sources_read"),
        list(told, "notes").len(),
    ));
    let earlier = text(told, "goes_on_from");
    if !earlier.is_empty() {
        report.paragraph(format!("It continues run {earlier}."));
    }
    report.items(list(told, "questions").iter().map(|question| {
        let notes = match number(question, "notes") {
            0 => "nothing was found".to_owned(),
            notes => count(notes, "note", "notes"),
        };
        let rounds = count(number(question, "rounds"), "round", "rounds");
        let is_answered = question.get("answered").and_then(Value::as_bool).unwrap_or_default();
        let answered = if is_answered { "; answered" } else { "" };
        format!("{} — {notes} in {rounds}{answered}", text(question, "question"))
    }));
    let agents = envelope.pointer("/usage/by_agent").and_then(Value::as_array);
    let mut table = Table::with(["Agent", "Calls", "Tokens in", "Tokens out", "Cost"]);
    for agent in agents.into_iter().flatten() {
        let [calls, read, written] =
            ["calls", "input_tokens", "output_tokens"].map(|key| number(agent, key).to_string());
        let cost = agent.get("cost_usd").and_then(Value::as_f64).unwrap_or_default();
        let name = text(agent, "agent").to_owned();
        table.row([name, calls, read, written, format!("${cost:.6}")].map(Line::from));
    }
    report.table(table);
}

/// Adds the plan with what became of each task, and what stands on the blackboard.
fn work(report: &mut Document, deliverable: &Value) {
    let Some(board) = deliverable.get("blackboard") else { return };
    let settled = list(board, "tasks");
    report.heading("Plan");
    report.items(list(deliverable, "plan").iter().map(|task| {
        let inputs = task.get("inputs").unwrap_or(&Value::Null);
        let asked = ["query", "question"].map(|key| text(inputs, key).trim());
        let asked = asked.into_iter().filter(|text| !text.is_empty());
        let asked: String = asked.map(|text| format!(": {text}")).collect();
        let when = match text(task, "when").trim() {
            "" => String::new(),
            when => {
                let known = Condition::read(when).map(|condition| condition.describe());
                format!(", if {}", known.as_deref().unwrap_or(when))
            }
        };
        let became = match settled.iter().find(|one| text(one, "id") == text(task, "id")) {
            Some(one) => became_of(one),
            None if text(task, "type") == "synthesize" => "the answer above".to_owned(),
            None => "not begun".to_owned(),
        };
        let rest = format!(" ({}{when}){asked} — {became}", describe_task(text(task, "type")));
        Line::new().code(text(task, "id")).text(rest)
    }));
    let evidence = list(board, "evidence");
    let coverage = board.get("coverage").and_then(Value::as_f64).unwrap_or_default();
    report.heading("Evidence found");
    report.paragraph(format!(
        "{} pieces of evidence. The best of them contain {:.0} % of the question's words, counting rare words more.",
        evidence.len(),
        coverage * 100.0
    ));
    report.items(evidence.iter().map(|one| {
        let known = |number: &Value| number.as_u64() == one.get("number").and_then(Value::as_u64);
        let by = settled.iter().filter(|task| list(task, "evidence").iter().any(known));
        let by = by.map(|task| Line::new().code(text(task, "id")));
        let section = one.pointer("/provenance/section").and_then(Value::as_str);
        let (kind, uri) = (describe_evidence(text(one, "type")), text(one, "source_uri"));
        let what = format!("{kind}: {} ({uri}), found by ", section.unwrap_or_default());
        Line::from(what).then(Line::join(by, &", ".into()))
    }));
}

/// Says what a task of a type does.
fn describe_task(kind: &str) -> &str {
    match kind {
        "retrieve_rag" => "search your documents",
        "search_web" => "search the web",
        "search_scholarly" => "search papers",
        "ask_user" => "ask you",
        "synthesize" => "write the answer",
        other => other,
    }
}

/// Says what sort of source a piece of evidence is from.
fn describe_evidence(kind: &str) -> &str {
    match kind {
        "rag" => "document",
        "web" => "web page",
        "scholarly" => "paper",
        "user" => "your answer",
        other => other,
    }
}

/// Says what became of a task.
fn became_of(task: &Value) -> String {
    let said = |key: &str| text(task, key);
    match text(task, "state") {
        "done" => match list(task, "evidence").len() {
            0 => "done; found nothing relevant".to_owned(),
            1 => "done; 1 piece of evidence".to_owned(),
            many => format!("done; {many} pieces of evidence"),
        },
        "skipped" => format!("not needed: {}", said("why")),
        "answered" => format!("answered: {}", said("answer")),
        "assumed" => format!("assumed ({}): {}", said("why"), said("assumption")),
        "refused" => format!("not done: {}", said("why")),
        _ => format!("failed: {}", said("why")),
    }
}
