//! A second reader with scripted judgements that works out numbers honestly.

use std::collections::BTreeMap;

use grounding::check::{Cited, Context, Gazetteer, Ground};
use grounding::derive::{Derivation, Relation, evaluate};
use serde_json::{Value, json};

use crate::Seen;

/// A claim as shown to a reader.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Exhibit {
    /// Counted from 1 in its call.
    pub number: u32,
    pub claim: String,
    /// Whether it is the writer's own conclusion, or a heading.
    pub is_conclusion: bool,
    /// Numbers that it must account for.
    pub missing: Vec<String>,
    /// Those of them that the question gave.
    pub asked: Vec<String>,
    /// What leads into its statements.
    pub leads: Vec<String>,
    /// The statements it cites and the claims it rests on.
    pub statements: Vec<String>,
}

/// A reader's judgement of a claim.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Judgement {
    Supported,
    Follows,
    /// With the words that go beyond the sources.
    Partly(String),
    Contradicted,
    Unrelated,
}

/// Returns whether a request comes from the second reader.
pub fn is_reader(seen: &Seen) -> bool {
    seen.prompt().contains("You are a second reader.")
}

/// Returns the claims of a reader's prompt, in order.
pub fn exhibits(prompt: &str) -> Vec<Exhibit> {
    let mut found: Vec<Exhibit> = Vec::new();
    let mut lines = prompt.lines();
    let mut wants_claim = false;
    for line in lines.by_ref() {
        if let Some(rest) = line.strip_prefix("### Claim ") {
            let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
            let is_conclusion = rest.contains("(a conclusion)") || rest.contains("(a heading)");
            let number = digits.parse().unwrap_or_default();
            found.push(Exhibit { number, is_conclusion, ..Exhibit::default() });
            wants_claim = true;
            continue;
        }
        let Some(exhibit) = found.last_mut() else { continue };
        if wants_claim {
            line.clone_into(&mut exhibit.claim);
            wants_claim = false;
        } else if let Some(missing) = line.strip_prefix("Numbers to account for: ") {
            exhibit.missing = missing.split("; ").map(str::to_owned).collect();
        } else if let Some(asked) = line.strip_prefix("The asker gave: ") {
            exhibit.asked = asked.split("; ").map(str::to_owned).collect();
        } else if let Some(basis) = line.strip_prefix("- ") {
            exhibit.statements.push(basis.to_owned());
        } else if let Some(statement) = line.trim().strip_prefix("« ") {
            exhibit.statements.push(statement.trim_end_matches(" »").to_owned());
        } else if let Some(lead) = line.trim().strip_prefix("led into by: ") {
            exhibit.leads.push(lead.to_owned());
        } else if let Some(heads) = line.trim().strip_prefix("heads: ") {
            exhibit.statements.push(heads.to_owned());
        }
    }
    found
}

/// Returns a reader that knows which claims stand; it lets no unknown claim pass.
pub fn knowing<'a>(
    claims: impl IntoIterator<Item = (&'a str, bool)>,
) -> impl Fn(&Exhibit) -> Judgement + Send + Sync + 'static {
    let known: BTreeMap<String, bool> =
        claims.into_iter().map(|(claim, stands)| (on_one_line(claim), stands)).collect();
    move |exhibit| match known.get(&on_one_line(&exhibit.claim)) {
        Some(true) => Judgement::Supported,
        _ => Judgement::Partly(exhibit.claim.clone()),
    }
}

fn on_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Answers a reader's request: `judge` gives the judgement of each claim, and numbers are worked out if possible.
pub fn readings(seen: &Seen, judge: impl Fn(&Exhibit) -> Judgement) -> Value {
    readings_of(&seen.prompt(), judge)
}

/// Answers a reader's prompt.
pub fn readings_of(prompt: &str, judge: impl Fn(&Exhibit) -> Judgement) -> Value {
    let readings: Vec<Value> = exhibits(prompt)
        .iter()
        .map(|exhibit| {
            let judgement = judge(exhibit);
            let (verdict, beyond) = match &judgement {
                Judgement::Supported => ("supported", ""),
                Judgement::Follows => ("follows", ""),
                Judgement::Partly(words) => ("partly", words.as_str()),
                Judgement::Contradicted => ("contradicted", ""),
                Judgement::Unrelated => ("unrelated", ""),
            };
            let holds = matches!(judgement, Judgement::Supported | Judgement::Follows);
            let derivations: Vec<Derivation> = if holds { derivations(exhibit) } else { vec![] };
            json!({"claim": exhibit.number, "reason": "as it was told to say", "derivations": derivations,
                "beyond": beyond, "verdict": verdict})
        })
        .collect();
    json!({ "readings": readings })
}

/// Works out the numbers that a claim must account for, as far as simple arithmetic goes.
fn derivations(exhibit: &Exhibit) -> Vec<Derivation> {
    let statements = exhibit
        .statements
        .iter()
        .map(|text| Cited { text: text.clone(), head: String::new() })
        .collect();
    let grounds = [Ground { statements, ..Ground::default() }];
    let gazetteer = Gazetteer::default();
    let context = Context { grounds: &grounds, question: "", gazetteer: &gazetteer };
    let statements = exhibit.statements.join("\n");
    let (standing, expressions) = (find_numbers(&statements).len(), expressions(&statements));
    let derive = |number: &String| {
        if exhibit.asked.contains(number) {
            let (number, expression) = (number.clone(), format!("asked({number})"));
            return Some(Derivation { number, expression, relation: Relation::Equal });
        }
        let relations = [Relation::Equal, Relation::About, Relation::MoreThan, Relation::LessThan];
        // As for a human reader, a number in the text comes before a computed one.
        let (standing, worked_out) = expressions.split_at(standing);
        [standing, worked_out].into_iter().find_map(|expressions| {
            let each = relations.iter().flat_map(|relation| {
                expressions.iter().map(|expression| Derivation {
                    number: number.clone(),
                    expression: expression.clone(),
                    relation: *relation,
                })
            });
            each.into_iter()
                .find(|derivation| evaluate(derivation, &exhibit.claim, &context).is_ok())
        })
    };
    exhibit.missing.iter().filter_map(derive).collect()
}

/// Returns simple expressions over the numbers of a text: one or two of them, percentage changes, and counts of its words.
fn expressions(text: &str) -> Vec<String> {
    let numbers = find_numbers(text);
    let mut found: Vec<String> = numbers.clone();
    for one in &numbers {
        for other in &numbers {
            found.push(format!("{one} - {other}"));
            found.push(format!("{one} / {other}"));
            found.push(format!("{one} - {other} + 1"));
            found.push(format!("({one} - {other}) / {other} * 100"));
            found.push(format!("{one} / {other} * 100"));
        }
    }
    for one in &numbers {
        for other in &numbers {
            found.push(format!("{one} + {other}"));
            found.push(format!("{one} * {other}"));
            for third in &numbers {
                found.push(format!("{one} * {other} / {third}"));
            }
        }
    }
    let words: Vec<&str> =
        text.split(|c: char| !c.is_alphabetic()).filter(|word| word.len() > 4).collect();
    let mut distinct: Vec<String> = Vec::new();
    for word in words {
        let word = word.to_lowercase();
        if !distinct.contains(&word) {
            distinct.push(word);
        }
        let count: Vec<String> = distinct.iter().map(|word| format!("\"{word}\"")).collect();
        if (2..=6).contains(&count.len()) {
            found.push(format!("count({})", count.join(", ")));
        }
    }
    found
}

/// Returns the numbers of a text with their units, as written.
fn find_numbers(text: &str) -> Vec<String> {
    const MOST: usize = 16;
    let mut found: Vec<String> = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find(|c: char| c.is_ascii_digit()) {
        let after = &rest[at..];
        let length = after
            .find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | ',' | ':')))
            .unwrap_or(after.len());
        let digits = after[..length].trim_end_matches(['.', ',', ':']);
        let behind = &after[digits.len()..];
        let unit =
            [" million", " %", "%"].iter().find(|unit| behind.starts_with(**unit)).unwrap_or(&"");
        let number = format!("{digits}{unit}");
        if !found.contains(&number) && found.len() < MOST {
            found.push(number);
        }
        rest = &rest[at + digits.len().max(1)..];
    }
    found
}
