//! Reports and questions as messages of a chat.

pub use render::placed::PlacedMark;
use render::{Block, Document, Line, List};
use run::Methods;
use run::plan::{Plan, PlanStep};
use run::views::Gate;
use serde_json::Value;

/// Returns the report of a run as Markdown, and where its citations stand in it.
pub fn message(methods: &Methods, envelope: &Value) -> (String, Vec<PlacedMark>) {
    render::placed::write(&super::build(methods, envelope))
}

/// Returns what a run asks a person, as Markdown: its questions, numbered, or else the first plan that waits for approval.
pub fn questions(gates: &[Gate<'_>]) -> String {
    let mut page = Document::default();
    let open: Vec<&Gate<'_>> = gates.iter().filter(|gate| gate.plan.is_none()).collect();
    match gates.iter().find_map(|gate| Some((gate, gate.plan.as_ref()?))) {
        Some((gate, proposal)) if open.is_empty() => {
            page.paragraph(Line::new().strong(gate.ask.question.as_str()));
            if !gate.ask.context.trim().is_empty() {
                page.paragraph(gate.ask.context.as_str());
            }
            plan(&mut page, proposal.plan);
        }
        _ => {
            let item = |gate: &&Gate<'_>| {
                let line = Line::new().strong(gate.ask.question.as_str());
                let context = gate.ask.context.trim();
                let line = if context.is_empty() { line } else { line.text(format!(" {context}")) };
                vec![Block::Paragraph(line)]
            };
            let items = open.iter().map(item).collect();
            page.blocks.push(Block::List(List { start: Some(1), is_tight: true, items }));
        }
    }
    render::markdown::write(&page)
}

fn plan(page: &mut Document, plan: &Plan) {
    page.paragraph(plan.title.as_str());
    let item = |step: &PlanStep| {
        let mut line = Line::new().strong(step.name.as_str());
        let role = Some(&step.agent_role).filter(|role| !role.is_empty());
        if let Some(role) = role {
            line = line.text(format!(" ({role})"));
        }
        let more = [&step.description, &step.estimated_duration];
        for text in more.into_iter().filter(|text| !text.trim().is_empty()) {
            line = line.text(format!(". {}", text.trim().trim_end_matches('.')));
        }
        vec![Block::Paragraph(line)]
    };
    let items = plan.steps.iter().map(item).collect();
    page.blocks.push(Block::List(List { start: Some(1), is_tight: true, items }));
    let lines = [
        ("Search terms", plan.search_terms.join("; ")),
        ("Where", plan.geographical_scope.clone()),
        ("Above all", plan.focus_areas.join("; ")),
        ("Time", plan.estimated_duration.clone()),
        ("Cost", plan.estimated_cost.clone()),
    ];
    let told = lines.into_iter().filter(|(_, text)| !text.trim().is_empty());
    page.items(told.map(|(what, text)| format!("{what}: {text}")));
}
