//! The names in a sentence: segments, answers, studies and questions.
//!
//! Labels are found by the stems of their words, the longest first; those that are a number alone where `claims/numerals.rs` says so. `women` and `men` mean the
//! labels Female and Male too, `18 to 34` the label 18-34, `55 and over` the label 55+. A study is called by its id, its title or a part of it, as `wave 2` where its id ends in 2, or as the
//! first, previous or latest wave. Everybody is called overall, total, all respondents, or the average where something is above or below it.

use std::collections::{BTreeMap, BTreeSet};

use super::parts::{Dimension, Measured, TOTAL, key};
use super::tokens::{Kind, Token, tokens};
use crate::project::Project;
use crate::study;
use crate::study::{Kind as Asked, Study};

/// A name in a sentence: the tokens `from..to`, and what they can mean.
#[derive(Debug, Clone)]
pub(super) struct Mention {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) means: BTreeMap<Dimension, BTreeSet<String>>,
    /// A box of a scale, such as top-2; or a net.
    pub(super) joint: bool,
    /// The whole text of a question: it names the question alone, whatever its words mean elsewhere.
    pub(super) quoted: bool,
    pub(super) told: String,
}

struct Known {
    pattern: Vec<String>,
    means: (Dimension, BTreeSet<String>),
    joint: bool,
    quoted: bool,
    /// Words that mean something else as often as not: only a capital makes a name of them.
    common: bool,
    told: String,
}

/// Labels of one word that are ordinary words.
const COMMON: &str = " yes no other others none all total any some more less same high low medium good well never always rest ";

/// Finds the names in a sentence, in order, none within another.
pub(super) fn mentions(
    project: &Project,
    parts: &[Measured<'_>],
    tokens: &[Token],
) -> Vec<Mention> {
    let known = known(project, parts);
    let mut found: Vec<Mention> = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let mut best = super::numerals::name(parts, tokens, at);
        for one in &known {
            let Some(to) = matched(tokens, at, &one.pattern) else { continue };
            let capital = tokens.get(at).is_some_and(|token| token.capital) && at > 0;
            let quoted = at > 0 && tokens.get(at - 1).is_some_and(|token| token.is(&["\"", "'"]));
            if one.common && !capital && !quoted {
                continue;
            }
            // A label that is a number is one only where no unit follows.
            let number = to == at + 1 && tokens.get(at).is_some_and(|token| !token.is_word());
            if number
                && tokens
                    .get(to)
                    .is_some_and(|next| next.is(&["%", "percent", "per", "points", "point"]))
            {
                continue;
            }
            let (dimension, labels) = one.means.clone();
            match &mut best {
                Some(best) if best.to > to => {}
                Some(best) if best.to == to => {
                    best.means.entry(dimension).or_default().extend(labels);
                    best.joint |= one.joint;
                }
                best => {
                    *best = Some(Mention {
                        from: at,
                        to,
                        means: BTreeMap::from([(dimension, labels)]),
                        joint: one.joint,
                        quoted: one.quoted,
                        told: one.told.clone(),
                    });
                }
            }
        }
        at = best.as_ref().map_or(at + 1, |best| best.to);
        found.extend(best);
    }
    found
}

/// Returns which tokens are part of a name.
pub(super) fn named(tokens: &[Token], mentions: &[Mention]) -> Vec<bool> {
    let mut named = vec![false; tokens.len()];
    for mention in mentions {
        named.iter_mut().take(mention.to).skip(mention.from).for_each(|one| *one = true);
    }
    named
}

/// Where a pattern that begins at a token ends.
fn matched(tokens: &[Token], from: usize, pattern: &[String]) -> Option<usize> {
    let mut at = from;
    for (place, wanted) in pattern.iter().enumerate() {
        let token = tokens.get(at)?;
        let same = token.stem == *wanted || (wanted == "-" && token.is(&["to", "through", "-"]));
        // "18- to 34-year-olds" is 18-34.
        let to = token.word == "-" && tokens.get(at + 1).is_some_and(|next| next.word == "to");
        if same && to {
            at += 1;
        }
        if !same {
            // "heavy-users" is "heavy users".
            let hyphen = place > 0 && token.word == "-" && token.joined;
            if !(hyphen && tokens.get(at + 1).is_some_and(|next| next.stem == *wanted)) {
                return None;
            }
            at += 1;
        }
        at += 1;
    }
    (at > from).then_some(at)
}

fn known(project: &Project, parts: &[Measured<'_>]) -> Vec<Known> {
    let mut known = Vec::new();
    let used: BTreeSet<usize> = parts.iter().map(|part| part.asked.spec.study).collect();
    let mut segments: BTreeSet<(usize, usize)> = BTreeSet::new();
    for (place, study) in (0..).zip(&project.studies) {
        segments.extend(study.segments.iter().map(|question| (place, *question)));
    }
    for part in parts {
        let conditions = part.asked.spec.segment.iter();
        segments.extend(conditions.map(|one| (part.asked.spec.study, one.question)));
    }
    for (study, question) in segments {
        let study = project.studies.get(study);
        let Some(question) = study.and_then(|study| study.questions.get(question)) else {
            continue;
        };
        let dimension = Dimension::Segment(question.id.to_lowercase());
        for answer in &question.answers {
            let labels = BTreeSet::from([key(&answer.label)]);
            add(&mut known, &answer.label, &(dimension.clone(), labels), false);
        }
        for net in &question.nets {
            let answers = net.answers.iter().filter_map(|place| question.answers.get(*place));
            let labels = answers.map(|answer| key(&answer.label)).collect();
            add(&mut known, &net.label, &(dimension.clone(), labels), true);
        }
    }
    for part in parts {
        let question = part.question;
        for answer in &question.answers {
            let labels = BTreeSet::from([key(&answer.label)]);
            // The points of a scale are numbers; the answers of another question may be, such as "35-54".
            let is_name = question.kind == study::Kind::Single;
            if is_name || answer.label.chars().any(char::is_alphabetic) {
                add(&mut known, &answer.label, &(Dimension::Answers, labels), false);
            }
        }
        for net in &question.nets {
            let answers = net.answers.iter().filter_map(|place| question.answers.get(*place));
            let labels = answers.map(|answer| key(&answer.label)).collect();
            add(&mut known, &net.label, &(Dimension::Answers, labels), true);
        }
        boxes(&mut known, part);
        let id = BTreeSet::from([question.id.to_lowercase()]);
        // With the text of its grid, and without.
        for text in BTreeSet::from([question.text.clone(), question.words()]) {
            let text: Vec<String> = tokens(&text).into_iter().map(|one| one.stem).collect();
            let text = text.strip_suffix(&["?".to_owned()]).unwrap_or(&text).to_vec();
            known.push(Known {
                pattern: text,
                means: (Dimension::Question, id.clone()),
                joint: false,
                quoted: true,
                common: false,
                told: question.id.clone(),
            });
        }
    }
    for (place, study) in (0..).zip(&project.studies) {
        for question in &study.questions {
            if question.id.chars().any(|sign| sign.is_ascii_digit()) {
                let id = BTreeSet::from([question.id.to_lowercase()]);
                add(&mut known, &question.id, &(Dimension::Question, id), false);
            }
        }
        for name in study_names(project, place, study, &used) {
            let id = BTreeSet::from([study.id.clone()]);
            add(&mut known, &name, &(Dimension::Study, id), false);
        }
    }
    let dimensions: BTreeSet<&Dimension> = parts
        .iter()
        .flat_map(|part| part.of.keys())
        .filter(|dimension| matches!(dimension, Dimension::Segment(_)))
        .collect();
    for name in [
        "overall",
        "total",
        "in total",
        "everyone",
        "everybody",
        "all respondents",
        "all participants",
        "all people",
        "all customers",
        "all those asked",
        "the whole sample",
        "the total sample",
        "the average of",
        "above average",
        "below average",
        "than average",
        "above the average",
        "below the average",
        "than the average",
        "all adults",
        "all consumers",
        "respondents as a whole",
        "the sample as a whole",
        "respondents overall",
        "all who answered",
    ] {
        let pattern: Vec<String> = tokens(name).into_iter().map(|token| token.stem).collect();
        for dimension in &dimensions {
            known.push(Known {
                pattern: pattern.clone(),
                means: ((*dimension).clone(), BTreeSet::from([TOTAL.to_owned()])),
                joint: false,
                quoted: false,
                common: false,
                told: name.to_owned(),
            });
        }
    }
    known.retain(|one| !one.pattern.is_empty());
    known
}

/// Adds a label in the forms in which sentences have it.
fn add(known: &mut Vec<Known>, label: &str, means: &(Dimension, BTreeSet<String>), joint: bool) {
    let whole = tokens(label);
    let segment = matches!(means.0, Dimension::Segment(_));
    let mut forms = vec![whole.clone()];
    if let Some(open) = whole.iter().position(|token| token.word == "(").filter(|at| *at > 0) {
        forms.push(whole.iter().take(open).cloned().collect());
    }
    if segment {
        let plain: Vec<Token> = whole
            .iter()
            .filter(|token| {
                !token.is(&["age", "aged", "ages", "years", "year", "yrs", "old", "olds"])
            })
            .cloned()
            .collect();
        forms.push(plain);
    }
    let mut patterns: BTreeSet<Vec<String>> = BTreeSet::new();
    for form in forms {
        let stems: Vec<String> = form.iter().map(|token| token.stem.clone()).collect();
        if let [age, plus] = form.as_slice()
            && plus.word == "+"
        {
            for words in [
                ["and", "over"],
                ["and", "older"],
                ["or", "older"],
                ["and", "above"],
                ["or", "over"],
                ["plus", ""],
            ] {
                let mut pattern = vec![age.stem.clone()];
                pattern.extend(words.iter().filter(|word| !word.is_empty()).map(|word| key(word)));
                patterns.insert(pattern);
            }
        }
        patterns.insert(stems);
    }
    for pattern in patterns {
        let one_word = pattern.len() == 1;
        let number =
            one_word && whole.first().is_some_and(|token| matches!(token.kind, Kind::Number(..)));
        let small = number
            && whole.first().and_then(Token::number).is_some_and(|(value, _)| value < 1000.0);
        if pattern.is_empty() || small {
            continue;
        }
        let common = one_word && COMMON.contains(&format!(" {} ", label.trim().to_lowercase()));
        let told = label.to_owned();
        known.push(Known { pattern, means: means.clone(), joint, quoted: false, common, told });
    }
}

/// The names of a scale's boxes.
fn boxes(known: &mut Vec<Known>, part: &Measured<'_>) {
    let question = part.question;
    if question.kind != Asked::Scale {
        return;
    }
    let words = ["", "one", "two", "three", "four", "five"];
    for (points, word) in (1..question.answers.len().min(6)).zip(words.iter().skip(1)) {
        for (top, name) in [(true, "top"), (false, "bottom")] {
            let places = question.boxed(points, top);
            let answers = places.iter().filter_map(|place| question.answers.get(*place));
            let labels: BTreeSet<String> = answers.map(|answer| key(&answer.label)).collect();
            let letter = name.chars().next().unwrap_or_default();
            for form in [
                format!("{name}-{points} box"),
                format!("{name}{points} box"),
                format!("{name} {points} box"),
                format!("{name}-{points}-box"),
                format!("{name}-{points}"),
                format!("{name}{points}"),
                format!("{name} {word} box"),
                format!("{name}-{word} box"),
                format!("{letter}{points}b"),
                if points == 1 { format!("{name} box") } else { String::new() },
            ] {
                let pattern: Vec<String> = tokens(&form).into_iter().map(|one| one.stem).collect();
                known.push(Known {
                    pattern,
                    means: (Dimension::Answers, labels.clone()),
                    joint: true,
                    quoted: false,
                    common: false,
                    told: form,
                });
            }
        }
    }
}

fn study_names(
    project: &Project,
    place: usize,
    study: &Study,
    used: &BTreeSet<usize>,
) -> Vec<String> {
    const ORDINALS: [&str; 6] = ["first", "second", "third", "fourth", "fifth", "sixth"];
    const NUMBERS: [&str; 6] = ["one", "two", "three", "four", "five", "six"];
    let mut names = vec![study.id.clone(), study.title.clone()];
    let years = |title: &str| -> Vec<String> {
        let years = tokens(title).into_iter().filter(|token| token.word.len() == 4);
        years
            .filter(|token| matches!(token.kind, Kind::Number(..)))
            .map(|token| token.word)
            .collect()
    };
    let others = || project.studies.iter().enumerate().filter(|(other, _)| *other != place);
    let alone = |name: &str| others().all(|(_, other)| !key(&other.title).contains(&key(name)));
    names.extend(
        study.title.split(',').map(str::trim).filter(|part| alone(part)).map(str::to_owned),
    );
    names.extend(years(&study.title).into_iter().filter(|year| alone(year)));
    let digits = study.id.trim_start_matches(|sign: char| !sign.is_ascii_digit());
    let lead = study.id.strip_suffix(digits).unwrap_or_default().to_lowercase();
    if matches!(lead.trim_end_matches(['_', '-', ' ']), "w" | "wave" | "") && !digits.is_empty() {
        names.push(format!("wave {digits}"));
        let number =
            digits.parse::<usize>().ok().and_then(|number| NUMBERS.get(number.checked_sub(1)?));
        names.extend(number.map(|word| format!("wave {word}")));
    }
    for noun in ["wave", "study", "survey"] {
        names.extend(ORDINALS.get(place).map(|ordinal| format!("{ordinal} {noun}")));
        if place + 1 == project.studies.len() {
            for word in ["latest", "last", "most recent", "current", "newest", "final"] {
                names.push(format!("{word} {noun}"));
            }
        }
        let earlier = used.len() == 2 && used.first() == Some(&place)
            || used.len() == 1 && place + 2 == project.studies.len() && !used.contains(&place);
        if earlier {
            for word in ["previous", "prior", "earlier", "preceding"] {
                names.push(format!("{word} {noun}"));
            }
        }
    }
    names
}
