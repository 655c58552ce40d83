//! The approved plan against what was done, as every method's report shows it.

use render::Document;
use serde_json::Value;

use super::{count, list, number, text};

/// Adds what became of each step of the plan.
pub(crate) fn planned(report: &mut Document, envelope: &Value) {
    let Some(plan) = envelope.get("plan") else { return };
    report.heading("Plan and execution");
    let (revision, title) = (number(plan, "revision"), text(plan, "title"));
    report.paragraph(format!("Approved (revision {revision}): {title}"));
    let mut items = Vec::new();
    for step in list(plan, "steps") {
        let [name, role, estimated] =
            ["name", "agent_role", "estimated_duration"].map(|key| text(step, key).trim());
        let took = crate::workflow::time(number(step, "milliseconds"));
        let steps = count(number(step, "steps"), "step", "steps");
        let done = match text(step, "state") {
            "done" => format!("done, {steps} in {took}"),
            "failed" => format!("failed after {steps}"),
            "begun" => format!("started, {steps}"),
            _ => "not started".to_owned(),
        };
        let estimated = match estimated {
            "" => String::new(),
            estimated => format!("; estimated: {estimated}"),
        };
        items.push(format!("{name} ({role}): {done}{estimated}"));
    }
    for amendment in list(plan, "amendments") {
        let roles = list(amendment, "roles").iter().filter_map(Value::as_str);
        let roles: Vec<&str> = roles.collect();
        let by = text(amendment, "approved_by");
        items.push(format!("Added later: {}, approved by {by}", roles.join(", ")));
    }
    report.items(items);
}
