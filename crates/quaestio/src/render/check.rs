//! What a check found, sentence by sentence: those that nothing bears out first.

use std::fmt::Write as _;

use serde_json::Value;

use super::plain::inline;
use super::{footer, list, text, verdicts};

/// Returns the sentences, where the envelope is of a check that came to its end.
pub(super) fn read(envelope: &Value) -> Option<Vec<Value>> {
    let deliverable = envelope.get("deliverable")?;
    let is_check = text(envelope, "method") == "check" && deliverable.get("sentences").is_some();
    is_check.then(|| list(deliverable, "sentences").to_vec())
}

pub(super) fn markdown(envelope: &Value, sentences: &[Value], plain: fn(&str) -> String) -> String {
    let mut page = String::new();
    let failed: Vec<&Value> =
        sentences.iter().filter(|sentence| text(sentence, "verdict") == "unsupported").collect();
    let count = sentences.len();
    match failed.len() {
        0 => {
            let _ = writeln!(page, "Of {count} sentences none is unsupported.");
        }
        1 => {
            let _ = writeln!(page, "Of {count} sentences 1 is unsupported.");
        }
        failed => {
            let _ = writeln!(page, "Of {count} sentences {failed} are unsupported.");
        }
    }
    if !failed.is_empty() {
        page.push_str("\n## Unsupported\n");
        for sentence in &failed {
            put(&mut page, sentence, plain);
        }
    }
    let others: Vec<&Value> =
        sentences.iter().filter(|sentence| text(sentence, "verdict") != "unsupported").collect();
    if !others.is_empty() {
        page.push_str("\n## The other sentences\n");
        for sentence in others {
            put(&mut page, sentence, plain);
        }
    }
    footer(&mut page, envelope, plain);
    run::grounding::clean(&page)
}

fn put(page: &mut String, sentence: &Value, plain: fn(&str) -> String) {
    let verdict = text(sentence, "verdict");
    let id = inline(text(sentence, "id"), plain);
    let _ = writeln!(page, "\n**{id}** {}  ", inline(text(sentence, "claim"), plain));
    let mark = verdicts::mark(verdict);
    let space = if mark.is_empty() { "" } else { " " };
    let _ = writeln!(page, "    {mark}{space}{verdict}: {}  ", verdicts::says(verdict));
    for fault in verdicts::faults(sentence) {
        let _ = writeln!(page, "    - {}  ", inline(fault, plain));
    }
    for statement in list(sentence, "statements") {
        let (uri, quote) = (text(statement, "source_uri"), text(statement, "quote"));
        let _ = writeln!(page, "    {}: \"{}\"  ", inline(uri, plain), inline(quote, plain));
    }
}
