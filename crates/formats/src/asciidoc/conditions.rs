//! Conditions: `ifdef::name[]` … `endif::[]`.

use std::collections::HashSet;

/// Returns the lines whose conditions hold, without the conditions.
///
/// What is set is told by the attributes that the lines before define; a comparison (`ifeval`) holds.
pub(super) fn kept(lines: Vec<String>) -> Vec<String> {
    let mut set: HashSet<String> = HashSet::new();
    // Whether each open condition holds.
    let mut open: Vec<bool> = Vec::new();
    let mut hidden = 0_usize;
    let mut found = Vec::with_capacity(lines.len());
    for line in lines {
        match condition(&line) {
            Some(("endif", _, _)) => hidden -= usize::from(open.pop() == Some(false)),
            Some((name, names, content)) => {
                let holds = does_hold(name, names, &set);
                if content.is_empty() || name == "ifeval" {
                    open.push(holds);
                    hidden += usize::from(!holds);
                } else if holds && hidden == 0 {
                    found.push(content.to_owned());
                }
            }
            None if hidden == 0 => {
                if let Some((name, _)) =
                    line.strip_prefix(':').and_then(|rest| rest.split_once(':'))
                {
                    let plain = name.trim_matches('!').to_lowercase();
                    let _ = if name.contains('!') { set.remove(&plain) } else { set.insert(plain) };
                }
                found.push(line);
            }
            None => {}
        }
    }
    found
}

/// Returns the name, the attributes and the content of a condition.
fn condition(line: &str) -> Option<(&str, &str, &str)> {
    let (name, rest) = line.split_once("::")?;
    let (names, content) = rest.strip_suffix(']')?.split_once('[')?;
    matches!(name, "ifdef" | "ifndef" | "ifeval" | "endif").then_some((name, names, content))
}

fn does_hold(name: &str, names: &str, set: &HashSet<String>) -> bool {
    let is_set = |name: &str| set.contains(&name.to_lowercase());
    let any = if names.contains('+') {
        names.split('+').all(is_set)
    } else {
        names.split(',').any(is_set)
    };
    match name {
        "ifdef" => any,
        "ifndef" => !any,
        _ => true,
    }
}
