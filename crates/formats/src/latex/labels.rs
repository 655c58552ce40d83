//! The numbers that labels stand for: of sections, figures, tables, equations and theorems.
//!
//! They are counted before the text is written, since a text refers to what follows. Only what something refers to shows its number. Where
//! the count is not known, as after a file that is input, a label stands for nothing.

use std::collections::{HashMap, HashSet};

use super::Theorem;
use super::environments::is_usual_theorem;
use super::reader::Reader;

/// The most labels of a file.
const MOST: usize = 20_000;
/// How deep environments may be nested.
const DEEPEST: usize = 64;

/// What a preamble has if it counts otherwise: by sections, or within macros that are not expanded here.
const COUNTED_OTHERWISE: &[&str] = &[
    "\\numberwithin",
    "\\counterwithin",
    "\\renewcommand{\\the",
    "\\renewcommand\\the",
    "\\begin{equation",
    "\\begin{align",
    "\\label",
    "\\refstepcounter",
    "\\stepcounter",
];

/// What a label stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Target {
    /// What it is called: `Section`, `Figure`, `Theorem`.
    pub(super) kind: String,
    pub(super) number: String,
    /// Whether something refers to it.
    pub(super) is_used: bool,
}

/// Returns what the labels of a text stand for. `theorems` are the names that environments of theorems print.
pub(super) fn find(
    preamble: &str,
    body: &str,
    theorems: HashMap<String, Theorem>,
    top: usize,
) -> HashMap<String, Target> {
    let is_lost = COUNTED_OTHERWISE.iter().any(|it| preamble.contains(it));
    let mut counter = Counter { top, theorems, is_lost, ..Counter::default() };
    let mut reader = Reader::new(body);
    while let Some(c) = reader.next() {
        if c == '\\' {
            counter.command(&mut reader);
        }
    }
    let used = counter.used;
    let mut found = counter.found;
    for (label, target) in &mut found {
        target.is_used = used.contains(label);
    }
    found
}

/// Returns whether a command refers to labels.
pub(super) fn is_reference(name: &str) -> bool {
    matches!(
        name,
        "ref" | "eqref" | "pageref" | "cref" | "Cref" | "autoref" | "nameref" | "vref" | "Vref"
    )
}

#[derive(Default)]
struct Counter {
    found: HashMap<String, Target>,
    used: HashSet<String>,
    theorems: HashMap<String, Theorem>,
    top: usize,
    /// The numbers of the open chapter, section, subsection and so on.
    sections: [usize; 5],
    is_appendix: bool,
    /// Whether the count was lost.
    is_lost: bool,
    counts: HashMap<String, usize>,
    /// What a label stands for here, and in the environments around.
    kind: String,
    number: String,
    open: Vec<(String, String, String)>,
}

impl Counter {
    fn command(&mut self, reader: &mut Reader) {
        let (name, is_starred) = reader.starred_command();
        match name.as_str() {
            "chapter" | "section" | "subsection" | "subsubsection" if !is_starred => {
                self.section(&name);
            }
            // What it holds is counted too.
            "input" | "include" | "subfile" | "addtocounter" | "stepcounter" | "refstepcounter"
            | "numberwithin" | "counterwithin" => self.is_lost = true,
            "setcounter" => {
                let (counter, value) = (reader.argument(), reader.argument());
                match (level_of(counter.trim()), value.trim().parse()) {
                    (Some(level), Ok(value)) => self.sections[level] = value,
                    (None, Ok(value)) => {
                        let kind = counter.trim().to_owned();
                        let mut letters = kind.chars();
                        let kind =
                            letters.next().map(|c| c.to_uppercase().chain(letters).collect());
                        self.counts.insert(kind.unwrap_or_default(), value);
                    }
                    (_, Err(_)) => self.is_lost = true,
                }
            }
            "newtheorem" => {
                if let Some((environment, theorem)) = Theorem::read(reader)
                    && self.theorems.len() < MOST
                {
                    self.theorems.insert(environment, theorem);
                }
            }
            "appendix" => {
                self.is_appendix = true;
                self.sections = [0; 5];
            }
            "begin" => {
                let environment = reader.argument();
                self.is_lost |= environment.trim() == "subequations";
                self.begin(environment.trim());
            }
            "end" => {
                let environment = reader.argument();
                if let Some(at) =
                    self.open.iter().rposition(|(name, ..)| name == environment.trim())
                {
                    let outer = self.open.drain(at..).next();
                    (_, self.kind, self.number) = outer.unwrap_or_default();
                }
            }
            "caption" if !is_starred => {
                let float = self.open.iter().rev().find_map(|(name, ..)| float(name));
                if let Some(float) = float {
                    self.count(float);
                }
            }
            // Each line of aligned equations has a number.
            "\\" if self.open.last().is_some_and(|(name, ..)| is_aligned(name)) => {
                self.count("Equation");
            }
            "nonumber" | "notag" => {
                if let Some(count) = self.counts.get_mut("Equation") {
                    *count = count.saturating_sub(1);
                }
            }
            "item" => {
                if let Some((name, ..)) = self.open.last()
                    && name == "enumerate"
                    && reader.peek() != Some('[')
                {
                    let key = format!("Item {}", self.open.len());
                    let count = self.counts.entry(key).or_default();
                    *count += 1;
                    (self.kind, self.number) = ("Item".to_owned(), count.to_string());
                }
            }
            "label" => {
                let label = reader.argument();
                if self.found.len() < MOST && !self.number.is_empty() && !self.is_lost {
                    let (kind, number) = (self.kind.clone(), self.number.clone());
                    let target = Target { kind, number, is_used: false };
                    self.found.insert(label.trim().to_owned(), target);
                }
            }
            name if is_reference(name) && name != "pageref" => {
                let labels = reader.argument();
                let labels = labels.split(',').map(|label| label.trim().to_owned());
                self.used.extend(labels.take(MOST.saturating_sub(self.used.len())));
            }
            _ => {}
        }
    }

    fn section(&mut self, name: &str) {
        let Some(level) = level_of(name) else { return };
        self.sections[level] += 1;
        self.sections[level + 1..].fill(0);
        self.number = self.sections_to(level);
        self.kind = if level == 0 { "Chapter" } else { "Section" }.to_owned();
        if level == 0 {
            // These are counted within chapters.
            for kind in ["Figure", "Table", "Equation"] {
                self.counts.remove(kind);
            }
        }
    }

    /// Returns the number of the open section of a level: `2.1`.
    fn sections_to(&self, level: usize) -> String {
        let first = self.top.min(level);
        let numbers = self.sections[first..=level].iter().enumerate();
        let numbers = numbers.map(|(at, number)| match u32::try_from(*number) {
            Ok(number @ 1..=26) if at == 0 && self.is_appendix => {
                char::from_u32('A' as u32 + number - 1).map(String::from).unwrap_or_default()
            }
            _ => number.to_string(),
        });
        numbers.collect::<Vec<_>>().join(".")
    }

    /// Counts what a label stands for from here on.
    fn count(&mut self, kind: &str) {
        let count = self.counts.entry(kind.to_owned()).or_default();
        *count += 1;
        let number = count.to_string();
        let in_chapter = self.top == 0 && matches!(kind, "Figure" | "Table" | "Equation");
        self.number = if in_chapter { format!("{}.{number}", self.sections[0]) } else { number };
        kind.clone_into(&mut self.kind);
    }

    fn begin(&mut self, environment: &str) {
        if self.open.len() >= DEEPEST {
            return;
        }
        self.open.push((environment.to_owned(), self.kind.clone(), self.number.clone()));
        if matches!(environment, "equation" | "multline") || is_aligned(environment) {
            self.count("Equation");
        } else if environment == "enumerate" {
            self.counts.remove(&format!("Item {}", self.open.len()));
        } else if let Some(theorem) = self.theorems.get(environment).cloned() {
            self.theorem(&theorem, environment);
        } else if is_usual_theorem(environment) {
            // Its class counts it.
            self.number.clear();
        }
    }
}

impl Counter {
    fn theorem(&mut self, theorem: &Theorem, environment: &str) {
        let shared = theorem.counted_with.as_deref();
        let base = shared.and_then(|name| self.theorems.get(name)).unwrap_or(theorem);
        let level = base.within.as_deref().and_then(level_of);
        let prefix = level.map(|level| self.sections_to(level)).unwrap_or_default();
        let count = self.counts.entry(format!("{} {prefix}", shared.unwrap_or(environment)));
        let count = count.or_default();
        *count += 1;
        self.number =
            if prefix.is_empty() { count.to_string() } else { format!("{prefix}.{count}") };
        theorem.printed.clone_into(&mut self.kind);
    }
}

fn is_aligned(environment: &str) -> bool {
    matches!(environment, "align" | "gather" | "eqnarray" | "flalign" | "alignat")
}

/// Returns the level of a kind of section, 0 for chapters.
fn level_of(name: &str) -> Option<usize> {
    ["chapter", "section", "subsection", "subsubsection", "paragraph"]
        .iter()
        .position(|it| *it == name)
}

/// Returns what a float is called.
fn float(environment: &str) -> Option<&'static str> {
    Some(match environment.trim_end_matches('*') {
        "figure" | "wrapfigure" | "sidewaysfigure" => "Figure",
        "table" | "wraptable" | "sidewaystable" | "longtable" => "Table",
        "algorithm" => "Algorithm",
        "lstlisting" | "listing" => "Listing",
        _ => return None,
    })
}
