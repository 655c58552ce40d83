//! What a model can read of the evidence in its prompt.

/// A passage as the prompt shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shown {
    /// The number by which it is cited.
    pub number: u32,
    pub text: String,
}

impl Shown {
    /// Returns the first sentence of prose: what ends at a full stop and is no heading.
    pub fn first_sentence(&self) -> &str {
        let prose = self
            .text
            .lines()
            .find(|line| line.contains(". ") || line.ends_with('.'))
            .unwrap_or(&self.text);
        prose.find(". ").map_or(prose, |end| &prose[..=end])
    }
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
