//! What takes somebody in, leaves somebody out, or sets somebody against others.
//!
//! - *Except, apart from, outside, other than*, and *up to, such as, like* a segment: no figure is told as that of those who are meant. Always a fault.
//! - *Unlike, compared with, versus, against, above, below*: a label behind them needs a figure, and so does one that it is held against. A number is of
//!   that label only where it stands right with it, `versus men (48 %)`, `against 48 % of men`.
//! - *Included, each, every, all* of a kind of groups: figures of all of them; *including* also of a part of the answers of another figure.
//! - *Not only* and *as among* a label: a figure of another one too; *as* means that the two do not differ significantly.
//! - *Others, plus*, and a label with *up* or *and above*: a fault.
//! - *A further* and *another* before a number: answers that no other figure has, of a question with one answer each.
//! - *Apart* of points: the difference is significant.

use std::collections::BTreeSet;

use super::binding::{Labels, one};
use super::mentions::Mention;
use super::numbers::{Said, Told, What};
use super::parts::{Dimension, Measured, key};
use super::sentence::{Sentence, everybody};
use super::tokens::{Token, tokens};
use super::values::{same_unit, tells};
use crate::figure::{Condition, Level, Measure, Spec};
use crate::study::{Kind, Question};

/// Phrases that leave somebody out.
const OUT: &[&str] = &[
    "except",
    "excepting",
    "exception",
    "excluding",
    "exclude",
    "excludes",
    "excluded",
    "exclusive of",
    "apart from",
    "aside",
    "outside",
    "beyond",
    "other than",
    "rather than",
    "instead",
    "barring",
    "save for",
    "but for",
    "all but",
    "everyone but",
    "everybody but",
    "nobody but",
    "none but",
    "leaving out",
    "left out",
    "not counting",
    "not including",
    "omitting",
    "disregarding",
    "ignoring",
    "rest",
    "resting",
];
/// Words that leave out the label right behind them.
const WITHOUT: &[&str] = &["without", "minus", "bar"];
/// Phrases that set against the label behind them.
const AGAINST: &[&str] = &[
    "unlike",
    "contrast to",
    "contrast with",
    "contrasted with",
    "compared to",
    "compared with",
    "compared against",
    "comparison to",
    "comparison with",
    "relative to",
    "opposed to",
    "versus",
    "vs",
    "against",
];
/// Words that set against a label right behind them.
const BESIDE: &[&str] = &["above", "below", "under", "over"];
/// Phrases that make a label an example, or an end, of what is meant.
const BEYOND: &[&str] = &["up to", "at least", "at most", "such as", "like", "until"];
/// Words that go on from a label.
const ONWARD: &[&str] = &[
    "upward",
    "upwards",
    "onward",
    "onwards",
    "up",
    "above",
    "below",
    "under",
    "over",
    "older",
    "younger",
    "beyond",
    "downward",
    "downwards",
];
/// Words of this module that say nothing of what a sentence is about.
const WORDS: &[&str] = &[
    "without",
    "within",
    "compared",
    "comparison",
    "relative",
    "versus",
    "vs",
    "against",
    "further",
    "contrast",
    "including",
    "include",
    "includes",
    "included",
    "excluding",
    "except",
    "apart",
    "rest",
    "beyond",
    "unlike",
];

/// Tells whether a word takes in, leaves out or sets against.
pub(super) fn reads(word: &str) -> bool {
    WORDS.contains(&word)
}

/// Appends what is wrong with whom a sentence takes in, leaves out and sets against others.
pub(super) fn check(sentence: &Sentence<'_>, asked: &BTreeSet<String>, faults: &mut Vec<String>) {
    let topical = |at: usize| {
        sentence.tokens.get(at).is_some_and(|token| asked.contains(&token.stem))
            && label_from(sentence, at + 1, 3).is_none()
    };
    let mut against: Vec<Against<'_>> = Vec::new();
    for at in 0..sentence.tokens.len() {
        if !sentence.free(at) {
            continue;
        }
        // A word of the question may stand alone, but in no phrase of this module: "all in all", and "all but".
        let left = out(sentence, at).filter(|phrase| phrase.contains(' ') || !topical(at));
        if left.is_none() && topical(at) {
            continue;
        }
        if let Some(phrase) = left {
            faults.push(format!(
                "'{phrase}' speaks of others than the label beside it, and no figure is told of these: name those who are meant, with their figure."
            ));
        } else if let Some(end) = against_from(sentence, at) {
            against.extend(set_against(sentence, at, end, faults));
        } else {
            taken_in(sentence, at, faults);
        }
    }
    for one in &against {
        numbers(sentence, one, &against, faults);
    }
}

/// Whether a phrase stands at a place, and where it ends.
fn phrase(sentence: &Sentence<'_>, at: usize, words: &str) -> Option<usize> {
    let mut end = at;
    for word in words.split(' ') {
        if !sentence.free(end) || sentence.word(end) != word {
            return None;
        }
        end += 1;
    }
    Some(end)
}

/// The segment or study that is named so many tokens from a place on, before any mark.
fn label_from<'s>(sentence: &'s Sentence<'_>, at: usize, by: usize) -> Option<&'s Mention> {
    let near = (at..=at + by)
        .take_while(|at| sentence.tokens.get(*at).is_some_and(|token| !stops(token)))
        .last()?;
    sentence.mentions.iter().find(|one| (at..=near).contains(&one.from) && groups(one))
}

fn groups(mention: &Mention) -> bool {
    mention
        .means
        .keys()
        .any(|dimension| matches!(dimension, Dimension::Segment(_) | Dimension::Study))
}

fn stops(token: &Token) -> bool {
    token.is(&[",", ";", ":", ".", "—", ")", "]", "while", "whereas", "but"])
}

/// The phrase at a place that leaves somebody out, or makes a label an example of those who are meant.
fn out(sentence: &Sentence<'_>, at: usize) -> Option<String> {
    let found = OUT.iter().find(|words| phrase(sentence, at, words).is_some());
    if let Some(words) = found {
        return Some((*words).to_owned());
    }
    let word = sentence.word(at);
    // "Without women"; "18-34 apart".
    if WITHOUT.contains(&word) && label_from(sentence, at + 1, 1).is_some() {
        return Some(word.to_owned());
    }
    let points = sentence.said.iter().any(|said| said.to == at && said.unit == Told::Points);
    // "Up to 35-54"; "35-54 among them".
    let widened = BEYOND.iter().find(|words| {
        phrase(sentence, at, words).is_some_and(|end| {
            sentence.mentions.iter().any(|one| {
                (end..end + 2).contains(&one.from)
                    && one.means.keys().any(|key| matches!(key, Dimension::Segment(_)))
            })
        })
    });
    if let Some(words) = widened {
        return Some((*words).to_owned());
    }
    if phrase(sentence, at, "among them").is_some() {
        return Some("among them".to_owned());
    }
    (word == "apart" && !points).then(|| word.to_owned())
}

/// A label that something is set against.
struct Against<'s> {
    /// The tokens from the phrase on to the end of what is told of it.
    from: usize,
    to: usize,
    mention: &'s Mention,
}

/// Where a phrase that sets against ends.
fn against_from(sentence: &Sentence<'_>, at: usize) -> Option<usize> {
    if let Some(end) = AGAINST.iter().find_map(|words| phrase(sentence, at, words)) {
        let point = sentence.word(at) == "vs" && sentence.word(end) == ".";
        return Some(if point { end + 1 } else { end });
    }
    if !BESIDE.contains(&sentence.word(at)) {
        return None;
    }
    let label = label_from(sentence, at + 1, 2)?;
    let small = ["the", "those", "aged", "age", "that", "of", "all"];
    let right_behind = (at + 1..label.from).all(|at| small.contains(&sentence.word(at)));
    right_behind.then_some(at + 1)
}

fn set_against<'s>(
    sentence: &'s Sentence<'_>,
    at: usize,
    end: usize,
    faults: &mut Vec<String>,
) -> Vec<Against<'s>> {
    let told = (at..end).map(|at| sentence.word(at)).collect::<Vec<_>>().join(" ");
    let number = sentence.said.iter().any(|said| (end..end + 4).contains(&said.from));
    // "39 % against 18 % in W2", where all is of W2.
    let of_one_study = |label: &&Mention| {
        sentence.said.iter().any(|said| (end..label.from).contains(&said.from))
            && label.means.contains_key(&Dimension::Study)
            && !sentence.varying.contains(&Dimension::Study)
    };
    let first = label_from(sentence, end, 8).filter(|label| !of_one_study(label));
    let Some(first) = first else {
        // Labels may stand elsewhere: "women and men (62 % versus 48 %)".
        let answer =
            sentence.mentions.iter().any(|one| (end..end + 6).contains(&one.from) && !one.quoted);
        if !number && (!answer || sentence.varying.is_empty()) {
            faults.push(format!(
                "'{told}' compares with what no figure is of: name a segment or a study, with its figure."
            ));
        }
        return Vec::new();
    };
    let alone = first.means.iter().all(|(dimension, labels)| {
        sentence
            .parts
            .iter()
            .all(|part| part.of.get(dimension).is_none_or(|own| !own.is_disjoint(labels)))
    });
    if alone {
        faults.push(format!(
            "'{told} {}' sets something against it, and every figure is of it: give the figure of the others and name them.",
            first.told
        ));
        return Vec::new();
    }
    let mut all = vec![Against { from: at, to: reach(sentence, first.to), mention: first }];
    // "Compared with women and men": both.
    while let Some(last) = all.last() {
        let joined = matches!(sentence.word(last.to), "and" | "or");
        let next = label_from(sentence, last.to + 1, 1).filter(|_| joined);
        let same = next.filter(|next| next.means.keys().eq(first.means.keys()));
        let Some(next) = same else { break };
        all.push(Against { from: last.to, to: reach(sentence, next.to), mention: next });
    }
    all
}

/// Where ends what is told with a label that ends at a place: brackets right behind it, or its part of the sentence.
fn reach(sentence: &Sentence<'_>, to: usize) -> usize {
    let end = sentence.tokens.len();
    if matches!(sentence.word(to), "(" | "[") {
        let closed = (to..end).find(|at| matches!(sentence.word(*at), ")" | "]"));
        return closed.map_or(end, |at| at + 1);
    }
    (to..end)
        .find(|at| {
            sentence.tokens.get(*at).is_some_and(|token| stops(token) || token.is(&["and", "or"]))
        })
        .unwrap_or(end)
}

/// A number is not of a label that it is set against.
fn numbers(
    sentence: &Sentence<'_>,
    against: &Against<'_>,
    all: &[Against<'_>],
    faults: &mut Vec<String>,
) {
    let values: Vec<&Said> = sentence
        .said
        .iter()
        .filter(|said| said.what == What::Value && said.unit != Told::Times)
        .collect();
    for (dimension, labels) in &against.mention.means {
        if !sentence.varying.contains(dimension) {
            continue;
        }
        let known = sentence.labels(dimension);
        let mut run: Vec<&BTreeSet<String>> = known.at.iter().map(|(_, _, one)| *one).collect();
        run.dedup();
        let first = values.first().map_or(0, |said| said.at);
        let last = values.last().map_or(0, |said| said.at);
        let aside = known.at.iter().all(|(from, _, _)| *from < first)
            || known.at.iter().all(|(from, _, _)| *from > last);
        // "Compared with men, women are ahead: 48 % and 62 %."
        if values.len() > 1 && run.len() == values.len() && aside {
            continue;
        }
        let elsewhere = Labels {
            at: known
                .at
                .iter()
                .filter(|(from, _, _)| !all.iter().any(|one| (one.from..one.to).contains(from)))
                .copied()
                .collect(),
        };
        for said in &values {
            if own_number(sentence, against, said)
                || one(said.at, &elsewhere, &sentence.tokens, &sentence.clauses)
                    .is_some_and(|label| !label.is_disjoint(labels))
            {
                continue;
            }
            let told = |part: &Measured<'_>| {
                same_unit(said, part.part.unit)
                    && tells(said, part.part.figure.value, part.part.unit)
            };
            let (of_it, of_others): (Vec<_>, Vec<_>) =
                sentence.parts.iter().partition(|part| part.is_of(dimension, labels));
            let compared = sentence.figures.iter().any(|(asked, one)| {
                asked.len() > 1 && same_unit(said, one.unit) && tells(said, one.value, one.unit)
            });
            if of_it.iter().any(|part| told(part))
                && !of_others.iter().any(|part| told(part))
                && !compared
            {
                faults.push(format!(
                    "{} is the figure of {}, which the sentence sets something against: put it right behind that label, or give the figure of the others.",
                    said.shown, against.mention.told
                ));
            }
        }
    }
}

/// "Versus men (48 %)", "against 48 % of men".
fn own_number(sentence: &Sentence<'_>, against: &Against<'_>, said: &Said) -> bool {
    if !(against.from..against.to).contains(&said.at) {
        return false;
    }
    let everybody = against.mention.means.values().any(everybody);
    said.at < against.mention.from
        || everybody
        || matches!(
            sentence.back(said.from, 1),
            "(" | "["
                | "at"
                | "with"
                | "on"
                | "of"
                | ":"
                | "="
                | "is"
                | "was"
                | "were"
                | "are"
                | "n"
        )
        || (said.from > against.mention.to
            && matches!(sentence.word(against.mention.to), "(" | "["))
}

/// What takes more people in than a figure has, and what joins two statements.
fn taken_in(sentence: &Sentence<'_>, at: usize, faults: &mut Vec<String>) {
    let next = sentence.word(at + 1);
    let told = sentence.word(at);
    let number = |from: usize| sentence.said.iter().find(|said| said.from == from);
    let wrong = match told {
        "included" | "including" | "includes" | "include" | "inclusive" => {
            !partial(sentence) && !beside_all(sentence, at)
        }
        "not" if matches!(next, "only" | "just" | "merely" | "solely" | "simply" | "alone") => {
            label_from(sentence, at + 2, 3).is_some_and(|label| !has_another(sentence, label))
        }
        "others" => true,
        "plus" => {
            let signed =
                number(at + 1).or_else(|| sentence.said.iter().find(|said| said.at == at + 1));
            signed.is_none_or(|said| said.unit == Told::Percent)
        }
        "each" | "every" | "all" | "any" | "across" | "both" => !all_of_kind(sentence, at),
        "as" => !alike(sentence, at),
        "further" | "another" => match number(at + 1) {
            Some(said) => !adds(sentence, said),
            None => told == "further" && !(at == 0 && next == ","),
        },
        "within" => {
            label_from(sentence, at + 1, 4).is_none()
                && !matches!(sentence.word(at + 2), "margin" | "error")
                && next != "sampling"
                && !(at + 1..at + 4).any(|at| super::times::is_period(sentence.word(at)))
        }
        "apart" => !significant(sentence),
        "compared" | "comparison" | "contrast" => sentence.varying.is_empty(),
        "relative" => true,
        _ => extended(sentence, at),
    };
    if !wrong {
        return;
    }
    faults.push(match told {
        "further" | "another" => format!(
            "'{told}' adds to what no figure is of: leave it out, or give the figures of answers that exclude each other."
        ),
        "apart" => "'apart' tells a difference that is not significant: say so, or leave it out.".to_owned(),
        "as" => "'as' says that two figures do not differ, and they do or one is missing: give both figures, or leave it out.".to_owned(),
        "compared" | "comparison" | "contrast" | "relative" | "within" => format!(
            "'{told}' compares, and the figures hold nothing to compare: give both figures and name both sides, or leave it out."
        ),
        _ => format!(
            "'{told}' takes in more than the figures are of: give the figures of all who are meant and name them, or leave it out."
        ),
    });
}

/// Whether a figure is of some of the answers of another.
fn partial(sentence: &Sentence<'_>) -> bool {
    let answers =
        |part: &Measured<'_>| part.of.get(&Dimension::Answers).cloned().unwrap_or_default();
    sentence.parts.iter().any(|one| {
        sentence.parts.iter().any(|other| {
            let (own, whole) = (answers(one), answers(other));
            own.len() < whole.len()
                && own.is_subset(&whole)
                && one.asked.spec.question == other.asked.spec.question
                && one.asked.spec.segment == other.asked.spec.segment
                && one.asked.spec.study == other.asked.spec.study
        })
    })
}

/// Whether the figures are of every answer of the question that the nearest segment is of.
fn beside_all(sentence: &Sentence<'_>, at: usize) -> bool {
    let near =
        sentence.mentions.iter().filter(|one| groups(one)).min_by_key(|one| {
            if one.from > at { one.from - at } else { at.saturating_sub(one.to) }
        });
    near.is_some_and(|near| near.means.keys().any(|dimension| all_there(sentence, dimension)))
}

fn has_another(sentence: &Sentence<'_>, label: &Mention) -> bool {
    label.means.iter().any(|(dimension, labels)| {
        sentence.mentions.iter().any(|other| {
            other.means.get(dimension).is_some_and(|own| {
                own.is_disjoint(labels)
                    && sentence
                        .parts
                        .iter()
                        .any(|part| part.of.get(dimension).is_some_and(|of| !of.is_disjoint(own)))
            })
        })
    })
}

/// Whether there is a figure of every segment of a kind that may be told, or of every study.
fn all_there(sentence: &Sentence<'_>, dimension: &Dimension) -> bool {
    let known: BTreeSet<&String> =
        sentence.parts.iter().filter_map(|part| part.of.get(dimension)).flatten().collect();
    let Dimension::Segment(id) = dimension else {
        return *dimension == Dimension::Study && known.len() == sentence.project.studies.len();
    };
    !known.is_empty()
        && sentence.parts.iter().all(|part| {
            let spec = &part.asked.spec;
            let by = part.study.questions.iter().position(|one| one.id.to_lowercase() == *id);
            let Some((by, question)) = by.and_then(|by| Some((by, part.study.questions.get(by)?)))
            else {
                return false;
            };
            question.answers.iter().enumerate().all(|(place, answer)| {
                let mut segment: Vec<Condition> =
                    spec.segment.iter().filter(|one| one.question != by).cloned().collect();
                segment.push(Condition { question: by, answers: vec![place] });
                let spec = Spec { segment, ..spec.clone() };
                let figure = sentence.project.figure(&spec, sentence.rules);
                known.contains(&key(&answer.label))
                    || !figure.is_ok_and(|figure| figure.level != Level::TooLow)
            })
        })
}

/// Kinds of groups and of studies.
const KINDS: &[&str] = &[
    "group",
    "groups",
    "segment",
    "segments",
    "subgroup",
    "subgroups",
    "category",
    "categories",
    "part",
    "parts",
    "ages",
    "age",
    "gender",
    "genders",
    "region",
    "regions",
    "wave",
    "waves",
    "study",
    "studies",
    "surveys",
];

/// Where a kind of groups or studies stands behind a word such as *all* or *each*: what it takes in is decided here.
pub(super) fn kind_after(sentence: &Sentence<'_>, at: usize) -> Option<usize> {
    (at + 1..=at + 4)
        .take_while(|at| sentence.tokens.get(*at).is_some_and(Token::is_word))
        .find(|at| sentence.free(*at) && KINDS.contains(&sentence.word(*at)))
}

/// "In each age group", "all parts of town", "both waves": figures of all; after a superlative, the ranks are held against them.
fn all_of_kind(sentence: &Sentence<'_>, at: usize) -> bool {
    let Some(noun) = kind_after(sentence, at) else { return true };
    let ranked =
        (at.saturating_sub(6)..at).any(|at| super::ranks::superlative(sentence, at).is_some());
    if ranked {
        return true;
    }
    let studies = ["wave", "waves", "study", "studies", "surveys"];
    if studies.contains(&sentence.word(noun)) {
        let two = sentence.word(at) == "both" && sentence.order.len() == 2;
        return two || all_there(sentence, &Dimension::Study);
    }
    // "The whole of one age group": a word between may say which kind.
    let words: BTreeSet<&str> = (at + 1..=noun + 2)
        .filter_map(|at| sentence.tokens.get(at))
        .map(|token| token.stem.as_str())
        .filter(|stem| !matches!(*stem, "group" | "of" | "in" | "the" | "part"))
        .collect();
    let by = |question: &Question| {
        let id = question.id.to_lowercase().replace('_', " ");
        let text = question.text.to_lowercase();
        tokens(&format!("{id} {text}")).iter().any(|token| words.contains(token.stem.as_str()))
    };
    let segments =
        sentence.project.studies.iter().flat_map(|study| {
            study.segments.iter().filter_map(|place| study.questions.get(*place))
        });
    let meant: BTreeSet<Dimension> = segments
        .filter(|question| by(question))
        .map(|question| Dimension::Segment(question.id.to_lowercase()))
        .collect();
    let own = sentence.parts.iter().flat_map(|part| part.of.keys());
    let own = own.filter(|one| matches!(one, Dimension::Segment(_)));
    own.filter(|one| meant.is_empty() || meant.contains(*one))
        .any(|dimension| all_there(sentence, dimension))
}

/// "As among men", "as in W1", "as men do": the two do not differ significantly.
fn alike(sentence: &Sentence<'_>, at: usize) -> bool {
    // "1.3 times as high among women as among men".
    let compares = (at.saturating_sub(14)..at)
        .rev()
        .take_while(|at| sentence.tokens.get(*at).is_some_and(|token| !stops(token)))
        .any(|at| {
            matches!(sentence.word(at), "as" | "same" | "similar" | "such" | "twice" | "half")
        });
    let behind = matches!(
        sentence.word(at + 1),
        "among" | "in" | "for" | "with" | "at" | "are" | "were" | "is" | "was" | "do" | "did"
    );
    let Some(label) = label_from(sentence, at + 1, 2) else { return true };
    let does = matches!(sentence.word(label.to), "do" | "did" | "does" | "are" | "were" | "have");
    if compares || !(behind || does) || matches!(sentence.back(at, 1), "well") {
        return true;
    }
    let all: Vec<&Measured<'_>> = sentence.parts.iter().collect();
    let mut pairs = Vec::new();
    for (dimension, labels) in &label.means {
        pairs.extend(sentence.pairs(dimension, labels, None, &all));
    }
    !pairs.is_empty()
        && pairs.iter().all(|(one, other)| {
            !sentence.compared(*one, *other).is_some_and(|found| found.significant)
        })
}

/// "A further 26 % are undecided": of a question with one answer each, of answers that no other figure has.
fn adds(sentence: &Sentence<'_>, said: &Said) -> bool {
    let told = |part: &&Measured<'_>| {
        same_unit(said, part.part.unit) && tells(said, part.part.figure.value, part.part.unit)
    };
    sentence.parts.iter().filter(told).any(|part| {
        let Measure::Share(places) = &part.asked.spec.measure else { return false };
        let others = sentence.parts.iter().filter(|other| !std::ptr::eq(*other, part));
        matches!(part.question.kind, Kind::Single | Kind::Scale)
            && others.filter(|other| other.question.id == part.question.id).all(|other| {
                matches!(&other.asked.spec.measure, Measure::Share(own) if own.iter().all(|one| !places.contains(one)))
            })
    })
}

/// Whether what the figures compare is significant, or the sentence speaks of that itself.
fn significant(sentence: &Sentence<'_>) -> bool {
    let said = sentence
        .tokens
        .iter()
        .any(|token| token.word.contains("significan") || token.word.starts_with("directional"));
    let pairs = sentence.own_pairs();
    said || !pairs.is_empty()
        && pairs.iter().all(|(one, other)| {
            sentence.compared(*one, *other).is_some_and(|found| found.significant)
        })
}

/// "From 18-34 up", "35-54 and above": more than the label says.
fn extended(sentence: &Sentence<'_>, at: usize) -> bool {
    let word = sentence.word(at);
    if !ONWARD.contains(&word) {
        return false;
    }
    let joined = matches!(sentence.back(at, 1), "and" | "or");
    let end = if joined { at.saturating_sub(1) } else { at };
    let label = sentence.mentions.iter().find(|one| {
        one.to == end && one.means.keys().any(|key| matches!(key, Dimension::Segment(_)))
    });
    let Some(label) = label else { return false };
    let from = matches!(sentence.back(label.from, 1), "from" | "of" | "age" | "aged");
    let goes_on = sentence.said.iter().any(|said| (at..at + 2).contains(&said.from))
        || matches!(sentence.word(at + 1), "from" | "by" | "on" | "to" | "since");
    let firm = word.starts_with("upward") || word.starts_with("onward");
    firm || (joined && !goes_on && label_from(sentence, at + 1, 3).is_none()) || (from && !goes_on)
}
