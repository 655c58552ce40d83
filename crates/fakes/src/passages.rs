//! Parses the evidence in a model's prompt.

/// A passage as shown in the prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shown {
    /// Its citation number.
    pub number: u32,
    pub text: String,
}

impl Shown {
    /// Returns the first sentence of prose: text that ends at a full stop and is not a heading.
    pub fn first_sentence(&self) -> &str {
        let mut lines =
            self.text.lines().map(|line| addressed(line).map_or(line, |(_, text)| text));
        let prose =
            lines.find(|line| line.contains(". ") || line.ends_with('.')).unwrap_or(&self.text);
        prose.find(". ").map_or(prose, |end| &prose[..=end])
    }
}

/// Returns the address at the beginning of a line, `3.4` of `[3.4] So it is.`, and the text after it.
pub fn addressed(line: &str) -> Option<(&str, &str)> {
    let (address, text) = line.strip_prefix('[')?.split_once("] ")?;
    let (passage, statement) = address.split_once('.')?;
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    (is_number(passage) && is_number(statement)).then_some((address, text))
}

/// Returns the passages of a prompt, in order.
pub fn passages(prompt: &str) -> Vec<Shown> {
    let mut shown = Vec::new();
    let mut lines = prompt.lines();
    while let Some(line) = lines.next() {
        let Some((mark, rest)) = line.strip_prefix("<<<").and_then(|rest| rest.split_once(" ["))
        else {
            continue;
        };
        let Some(number) = rest.split(']').next().and_then(|number| number.parse().ok()) else {
            continue;
        };
        let end = format!("{mark}>>>");
        let text: Vec<&str> = lines.by_ref().take_while(|line| *line != end).collect();
        shown.push(Shown { number, text: text.join("\n") });
    }
    shown
}

/// A statement as shown in the prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Statement {
    /// Its address, without brackets: `3.4`.
    pub address: String,
    pub text: String,
}

impl Statement {
    /// Returns the number of its passage, `3` of `3.4`.
    pub fn passage(&self) -> &str {
        self.address.split('.').next().unwrap_or_default()
    }
}

/// Returns the statements of a prompt, in order.
pub fn statements(prompt: &str) -> Vec<Statement> {
    let mut found: Vec<Statement> = Vec::new();
    for passage in passages(prompt) {
        for line in passage.text.lines() {
            if let Some((address, text)) = addressed(line) {
                found.push(Statement { address: address.to_owned(), text: text.to_owned() });
            }
        }
    }
    found
}
