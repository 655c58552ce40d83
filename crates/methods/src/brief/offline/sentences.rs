//! Sentences by rule: each states figures of one analysis, and how they stand to each other.

use super::super::catalogue::{Apart, Asked, Studied};
use super::super::payload::{Confidence, ExploreStage};
use super::super::replies::{Analysis, Found};
use super::super::tools::{Analysed, Difference, Line};

/// What is said where nobody knows the order of the studies.
pub(super) const UNORDERED: &str =
    "Nothing says in which order the studies were done, so no change between them is told.";

fn found(claim: &str, depth: ExploreStage, lines: &[&Line]) -> Found {
    let confidence = Confidence::Medium;
    let figures = lines.iter().map(|line| line.figure.expression.clone()).collect();
    Found { claim: capital(claim), depth, figures, confidence, ..Found::default() }
}

/// Returns what an analysis says in one sentence, for a layer of top lines; the best first.
pub(super) fn top_line(analysed: &Analysed) -> Vec<Found> {
    const MEASURES: [&str; 3] = ["net promoter score", "top-2 share", "mean"];
    let (title, study) = (&analysed.title, &analysed.study);
    let line = |label: &str| analysed.lines.iter().find(|line| line.label == label);
    let one = |text: String, line: &Line| vec![found(&text, ExploreStage::What, &[line])];
    let picked = line(&analysed.call.answer).map(|line| (share_of(&line.label), line));
    let measured = || MEASURES.iter().find_map(|name| Some(((*name).to_owned(), line(name)?)));
    if let Some((what, line)) = picked.or_else(measured) {
        let shown = marked(line);
        return one(format!("The {what} for “{title}” was {shown} in {study}."), line);
    }
    let highest = analysed.lines.iter().map(|line| line.figure.value).max_by(f64::total_cmp);
    let most: Vec<&Line> =
        analysed.lines.iter().filter(|line| Some(line.figure.value) == highest).collect();
    match most.as_slice() {
        [] => Vec::new(),
        [most] => {
            let (label, shown) = (&most.label, marked(most));
            let mut told = one(
                format!(
                    "The most common answer to “{title}” in {study} was “{label}”, with {shown}."
                ),
                most,
            );
            // A label that reads as a number of its own cannot be told beside one.
            told.extend(one(
                format!("The largest share of an answer for “{title}” was {shown} in {study}."),
                most,
            ));
            told
        }
        [first, ..] => {
            let labels: Vec<String> =
                most.iter().map(|line| format!("“{}” ({})", line.label, marked(line))).collect();
            let labels = joined(&labels);
            let text = format!("The most common answers to “{title}” in {study} were {labels}.");
            let mut told = vec![found(&text, ExploreStage::What, &most)];
            let (label, shown) = (&first.label, marked(first));
            told.extend(one(
                format!("The share of “{label}” for “{title}” was {shown} in {study}."),
                first,
            ));
            told
        }
    }
}

/// Returns what became of a figure from one study to a later one.
pub(super) fn stepped(
    analysed: &Analysed,
    step: &Difference,
    is_significant: bool,
) -> Option<Found> {
    let (later, earlier) = (analysed.lines.get(step.one)?, analysed.lines.get(step.other)?);
    let became = match (is_significant, later.figure.value > earlier.figure.value) {
        (true, true) => "rose significantly",
        (true, false) => "fell significantly",
        (false, _) => "did not change significantly",
    };
    let (first, second) = (study(earlier)?, study(later)?);
    let (what, from, to) = (called(analysed), marked(earlier), marked(later));
    let among = among(later);
    let claim = format!("{among}{what} {became}, from {from} in {first} to {to} in {second}.");
    Some(found(&claim, depth(analysed), &[earlier, later]))
}

/// Returns which of two segments or studies has the higher figure.
pub(super) fn apart(analysed: &Analysed, difference: &Difference) -> Option<Found> {
    let (one, other) = (analysed.lines.get(difference.one)?, analysed.lines.get(difference.other)?);
    let (high, low) =
        if one.figure.value < other.figure.value { (other, one) } else { (one, other) };
    let what = called(analysed);
    let (first, second) = (marked(high), marked(low));
    let claim = if analysed.call.analysis == Analysis::Trend {
        format!(
            "{}{what} was significantly higher in {} ({first}) than in {} ({second}).",
            among(high),
            study(high)?,
            study(low)?
        )
    } else {
        format!(
            "In {}, {what} was significantly higher among “{}” ({first}) than among “{}” ({second}).",
            analysed.study, high.label, low.label
        )
    };
    Some(found(&claim, depth(analysed), &[high, low]))
}

/// Returns that segments or studies do not differ.
pub(super) fn alike(analysed: &Analysed, pairs: &[&Difference]) -> Option<Found> {
    let is_in = |place: usize| pairs.iter().any(|pair| pair.one == place || pair.other == place);
    let lines: Vec<&Line> = analysed
        .lines
        .iter()
        .enumerate()
        .filter(|(place, _)| is_in(*place))
        .map(|(_, line)| line)
        .collect();
    let between = if lines.len() > 2 { "among" } else { "between" };
    let what = called(analysed);
    let claim = if analysed.call.analysis == Analysis::Trend {
        let each: Option<Vec<String>> =
            lines.iter().map(|line| Some(format!("{} ({})", study(line)?, marked(line)))).collect();
        let each = joined(&each?);
        format!("{what} did not differ significantly {between} {each}.")
    } else {
        let each: Vec<String> =
            lines.iter().map(|line| format!("“{}” ({})", line.label, marked(line))).collect();
        let each = joined(&each);
        format!("In {}, {what} did not differ significantly {between} {each}.", analysed.study)
    };
    Some(found(&claim, depth(analysed), &lines))
}

/// Returns the figures of segments; none where there are none.
pub(super) fn listed(table: &Analysed, lines: &[&Line]) -> Option<Found> {
    let low = |line: &Line| if line.figure.low_base { " (on a low base)" } else { "" };
    let one = |line: &&Line| {
        let shown = &line.figure.shown;
        format!("{shown} among “{}”{}", line.label, low(line))
    };
    let each: Vec<String> = lines.iter().map(one).collect();
    let (study, what) = (&table.study, called(table));
    let claim = format!("In {study}, {what} was {}.", joined(&each));
    (!lines.is_empty()).then(|| found(&claim, ExploreStage::Why, lines))
}

/// Returns why the figures of two studies, the earlier one first, are not compared.
pub(super) fn not_compared(both: [(&Studied, &Asked); 2], why: Apart) -> String {
    let [(first, asked), (second, other)] = both;
    let (first, second) = (&first.told.id, &second.told.id);
    let (text, reworded) = (&asked.text, &other.text);
    let ways = match why {
        Apart::Scales => "with different scales",
        Apart::Kinds => "in different ways",
        Apart::Words => {
            return format!(
                "{first} and {second} word a question differently, as “{text}” and as “{reworded}”, so their figures are not compared."
            );
        }
    };
    format!("“{text}” is asked {ways} in {first} and {second}, so their figures are not compared.")
}

/// Returns the layer of a finding: what divides respondents says why.
fn depth(analysed: &Analysed) -> ExploreStage {
    if analysed.call.by.is_empty() { ExploreStage::What } else { ExploreStage::Why }
}

/// Returns the study of a line.
fn study(line: &Line) -> Option<&str> {
    line.figure.studies.first().map(String::as_str)
}

/// Returns whom a line of a trend is of, as a sentence begins with it; empty where everybody.
fn among(line: &Line) -> String {
    let of = study(line).and_then(|study| line.label.strip_suffix(&format!(", {study}")));
    of.map_or_else(String::new, |segment| format!("Among “{segment}”, "))
}

/// Returns what the figure of a crosstab or a trend is called in a sentence.
fn called(analysed: &Analysed) -> String {
    let title = &analysed.title;
    match analysed.head.as_str() {
        measure @ ("top-2 share" | "net promoter score" | "mean") => {
            format!("the {measure} for “{title}”")
        }
        answer => format!("the {} for “{title}”", share_of(answer)),
    }
}

fn share_of(answer: &str) -> String {
    format!("share of “{answer}”")
}

/// Returns a figure as a sentence states it.
fn marked(line: &Line) -> String {
    let low = if line.figure.low_base { ", on a low base" } else { "" };
    format!("{}{low}", line.figure.shown)
}

fn joined(all: &[String]) -> String {
    match all {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

fn capital(text: &str) -> String {
    let mut rest = text.chars();
    rest.next().map_or_else(String::new, |first| first.to_uppercase().chain(rest).collect())
}
