//! A model that plays the analyst of a brief: it asks for figures, and says about them what it was told to say, right or wrong.

use serde_json::{Value, json};

use crate::{Exhibit, Judgement, Say, Seen, is_reader, readings};

/// A sentence about a survey that is known to be true or false.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Labelled {
    pub id: String,
    pub text: String,
    /// The expressions that its writer cites.
    pub figures: Vec<String>,
    pub is_true: bool,
    /// What is wrong with a false one.
    pub kind: String,
}

/// Reads sentences, one JSON object per line.
///
/// # Errors
///
/// If a line is not a sentence; the error names the line.
pub fn labelled(lines: &str) -> Result<Vec<Labelled>, String> {
    let read = |(index, line): (usize, &str)| {
        let wrong = |why: &str| format!("line {}: {why}", index + 1);
        let value: Value = serde_json::from_str(line).map_err(|error| wrong(&error.to_string()))?;
        let text = |key: &str| value[key].as_str().unwrap_or_default().to_owned();
        let figures = value["figures"].as_array().into_iter().flatten();
        let one = Labelled {
            id: text("id"),
            text: text("text"),
            figures: figures.filter_map(Value::as_str).map(str::to_owned).collect(),
            is_true: value["is_true"].as_bool().ok_or_else(|| wrong("it has no `is_true`"))?,
            kind: text("kind"),
        };
        if one.text.is_empty() || one.figures.is_empty() {
            return Err(wrong("it has no `text`, or cites no `figures`"));
        }
        Ok(one)
    };
    lines.lines().filter(|line| !line.trim().is_empty()).enumerate().map(read).collect()
}

/// Plays the worker of the simple loop, which reports these sentences once, and the second reader.
pub fn analyst(
    sentences: Vec<Labelled>,
    reads: impl Fn(&Exhibit) -> Judgement + Send + Sync + 'static,
) -> impl Fn(&Seen) -> Say + Send + Sync + 'static {
    move |seen| {
        if is_reader(seen) {
            return Say::json(&readings(seen, &reads));
        }
        let prompt = seen.prompt();
        match seen.body["response_format"]["json_schema"]["name"].as_str() {
            Some("ExplorationOutput") => {
                let figures: Vec<&str> = list_figures(&sentences).collect();
                // The prompt shows an unavailable figure by its expression.
                let told = |line| address(line).or(figures.contains(&line).then_some(""));
                let shown: Vec<&str> = prompt.lines().filter_map(told).collect();
                match shown.is_empty() {
                    true => Say::json(&json!({ "calls": calls(&figures) })),
                    false if shown.len() != figures.len() => Say::error(
                        400,
                        &format!("{} figures and {} statements", figures.len(), shown.len()),
                    ),
                    false => Say::json(&report(&sentences, &shown)),
                }
            }
            Some("Feedback") => Say::json(&json!({"feedback": ""})),
            // Sentences that did not hold stay unchanged.
            _ => Say::text("None of them can be mended."),
        }
    }
}

/// Returns the address of the statement above the line of its expression in a prompt: `F3`.
pub fn address_of(prompt: &str, expression: &str) -> Option<String> {
    let begins = format!("    {expression} = ");
    let mut last = None;
    for line in prompt.lines() {
        last = address(line).or(last);
        if line.starts_with(&begins) {
            return last.map(|number| format!("F{number}"));
        }
    }
    None
}

fn list_figures(sentences: &[Labelled]) -> impl Iterator<Item = &str> {
    sentences.iter().flat_map(|one| one.figures.iter().map(String::as_str))
}

/// Returns the address of a line that is a statement.
fn address(line: &str) -> Option<&str> {
    let (address, _) = line.strip_prefix("[F")?.split_once("] ")?;
    address.bytes().all(|byte| byte.is_ascii_digit()).then_some(address)
}

fn calls(figures: &[&str]) -> Vec<Value> {
    let call = |figure: &&str| json!({"tool": "perform_analysis", "analysis": "figure", "expression": figure});
    figures.iter().map(call).collect()
}

/// Every call brought one statement or none, in order.
fn report(sentences: &[Labelled], shown: &[&str]) -> Value {
    let mut statements = shown.iter();
    let findings: Vec<Value> = sentences
        .iter()
        .map(|one| {
            let cited = statements.by_ref().take(one.figures.len());
            let cited = cited.filter(|number| !number.is_empty());
            let rests_on: Vec<String> = cited.map(|number| format!("F{number}")).collect();
            json!({"claim": one.text, "depth": "what", "confidence": "medium", "rests_on": rests_on})
        })
        .collect();
    json!({"query_answered": "", "findings": findings, "data_gaps": [], "calls": []})
}
