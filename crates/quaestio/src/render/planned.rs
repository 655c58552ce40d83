//! The approved plan against what was done, as every method's result shows it.

use std::fmt::Write as _;

use serde_json::Value;

use super::plain::inline;
use super::{list, text};

/// Writes what became of each step of the plan.
pub(super) fn planned(page: &mut String, envelope: &Value, plain: fn(&str) -> String) {
    let Some(plan) = envelope.get("plan") else { return };
    let number =
        |value: &Value, key: &str| value.get(key).and_then(Value::as_u64).unwrap_or_default();
    let _ = writeln!(
        page,
        "\n## Plan and execution\n\nApproved as revision {}: {}\n",
        number(plan, "revision"),
        inline(text(plan, "title"), plain)
    );
    for step in list(plan, "steps") {
        let [name, role, estimated] =
            ["name", "agent_role", "estimated_duration"].map(|key| inline(text(step, key), plain));
        let (steps, took) = (number(step, "steps"), number(step, "milliseconds"));
        let count = if steps == 1 { "1 step".to_owned() } else { format!("{steps} steps") };
        let done = match text(step, "state") {
            "done" => format!("done, {count} in {}", methods::workflow::time(took)),
            "failed" => format!("failed after {count}"),
            "begun" => format!("begun, {count}"),
            _ => "not begun".to_owned(),
        };
        let estimated =
            if estimated.is_empty() { String::new() } else { format!("; estimated: {estimated}") };
        let _ = writeln!(page, "- {name} ({role}): {done}{estimated}");
    }
    for amendment in list(plan, "amendments") {
        let roles = list(amendment, "roles").iter().filter_map(Value::as_str);
        let roles: Vec<&str> = roles.collect();
        let _ = writeln!(
            page,
            "- Added after the approval: {}, approved by {}",
            inline(&roles.join(", "), plain),
            inline(text(amendment, "approved_by"), plain)
        );
    }
}
