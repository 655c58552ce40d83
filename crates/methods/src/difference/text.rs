//! A difference as text for a person. No text of a result steers a terminal.

use std::fmt::Write as _;

use run::grounding::clean;
use run::ledger::one_line;
use serde_json::Value;

use super::{ClaimChange, ClaimState, Compared, Difference, NumberChange, SourceState, Spent};
use crate::report::count;

/// The most characters of a value that are shown.
const LONGEST_VALUE: usize = 160;

/// Returns a difference in words, grouped, a line for each part of it.
pub fn describe(difference: &Difference) -> String {
    let Difference { from, to, started, claims, sources, cost, remarks } = difference;
    let mut page = Page::default();
    let differing: Vec<&str> =
        [("methods", from.method != to.method), ("questions", from.question != to.question)]
            .into_iter()
            .filter_map(|(what, differs)| differs.then_some(what))
            .collect();
    if !differing.is_empty() {
        page.line(&format!(
            "These runs have different {}. They are compared anyway.",
            differing.join(" and ")
        ));
    }
    page.line(&format!("from {}", headline(from)));
    page.line(&format!("to   {}", headline(to)));

    if !started.is_empty() {
        page.heading("Settings");
        for change in started {
            page.line(&format!(
                "  {}: {} → {}",
                change.what,
                value(&change.from),
                value(&change.to)
            ));
        }
    }

    let (verdicts, reworded): (Vec<&ClaimChange>, Vec<&ClaimChange>) =
        claims.changed.iter().partition(|change| change.has_other_verdict);
    page.heading(&format!(
        "Claims: {} the same, {} with another verdict, {} reworded, {} new, {} gone",
        claims.same,
        verdicts.len(),
        reworded.len(),
        claims.came.len(),
        claims.went.len()
    ));
    page.changes("Another verdict", &verdicts);
    page.changes("Reworded", &reworded);
    page.claims("New", '+', &claims.came);
    page.claims("Gone", '-', &claims.went);

    page.heading(&format!(
        "Sources: {} the same, {} changed, {} new, {} gone",
        sources.same,
        sources.changed.len(),
        sources.came.len(),
        sources.went.len()
    ));
    for change in &sources.changed {
        let [from, to] =
            [&change.from, &change.to].map(|digest| digest.chars().take(12).collect::<String>());
        page.line(&format!("  ~ {}: its text changed, sha256 {from}… → {to}…", change.source_uri));
    }
    page.sources('+', &sources.came);
    page.sources('-', &sources.went);

    page.heading(&match cost.from == cost.to {
        true => format!("Cost: {}", spent(&cost.from)),
        false => format!("Cost: {} → {}", spent(&cost.from), spent(&cost.to)),
    });
    if difference.is_empty() {
        page.heading("Nothing else differs.");
    }
    for remark in remarks {
        page.heading(&format!("Note: {remark}"));
    }
    page.0
}

#[derive(Default)]
struct Page(String);

impl Page {
    fn line(&mut self, line: &str) {
        let _ = writeln!(self.0, "{}", clean(line).replace(['\n', '\t'], " "));
    }

    fn heading(&mut self, line: &str) {
        self.0.push('\n');
        self.line(line);
    }

    fn changes(&mut self, title: &str, changes: &[&ClaimChange]) {
        if changes.is_empty() {
            return;
        }
        self.line(&format!("  {title}"));
        for ClaimChange { from, to, is_reworded, has_other_verdict, numbers } in changes {
            let verdict = match has_other_verdict {
                true => format!("{} → {}", from.verdict.name(), to.verdict.name()),
                false => to.verdict.name().to_owned(),
            };
            if *is_reworded {
                let numbers: Vec<String> = numbers.iter().map(number).collect();
                let numbers = if numbers.is_empty() {
                    String::new()
                } else {
                    format!(", {}", numbers.join(", "))
                };
                self.line(&format!("  ~ {verdict}{numbers}"));
                self.line(&format!("    - {}", one_line(&from.text)));
                self.line(&format!("    + {}", one_line(&to.text)));
            } else {
                self.line(&format!("  ~ {verdict}: {}", one_line(&to.text)));
            }
        }
    }

    fn claims(&mut self, title: &str, sign: char, claims: &[ClaimState]) {
        if claims.is_empty() {
            return;
        }
        self.line(&format!("  {title}"));
        for claim in claims {
            self.line(&format!("  {sign} {}: {}", claim.verdict.name(), one_line(&claim.text)));
        }
    }

    fn sources(&mut self, sign: char, sources: &[SourceState]) {
        for source in sources {
            let title = one_line(&source.title);
            let title = if title.is_empty() { title } else { format!(" ({title})") };
            self.line(&format!("  {sign} {}{title}", one_line(&source.source_uri)));
        }
    }
}

fn headline(side: &Compared) -> String {
    let Compared { run_id, method, question, status } = side;
    let question: String = one_line(question).chars().take(LONGEST_VALUE).collect();
    one_line(&format!("{run_id}: {question} ({method}, {status})"))
}

fn number(change: &NumberChange) -> String {
    match (&change.from, &change.to) {
        (Some(from), Some(to)) => format!("{from} → {to}"),
        (Some(from), None) => format!("without {from}"),
        (None, to) => format!("with {}", to.as_deref().unwrap_or_default()),
    }
}

fn value(value: &Value) -> String {
    let text = match value {
        Value::Null => "nothing".to_owned(),
        Value::String(text) => one_line(text),
        other => one_line(&other.to_string()),
    };
    let shown: String = text.chars().take(LONGEST_VALUE).collect();
    if shown.len() < text.len() { format!("{shown}…") } else { shown }
}

fn spent(spent: &Spent) -> String {
    if spent.calls == 0 {
        return "nothing, no model was called".to_owned();
    }
    let calls = count(spent.calls, "call", "calls");
    format!("${:.6}, {} tokens in {calls}", spent.cost_usd, spent.tokens)
}
