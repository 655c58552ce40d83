//! The forms of sentences.

mod pairs;
mod ranks;
mod trends;

use pairs::{gap, means, not_significant, ratio, segments};
use ranks::{ranked, top_answer, top_segment};
use survey::claims::Stated;
use survey::expression::{Evaluated, evaluate};
use survey::figure::Rules;
use survey::project::Project;

use crate::synthetic::{Chance, REASONS};
use crate::topics::{OPINIONS, SEGMENTS, TOPICS, Topic, WAVES, words};
use crate::wording::{Piece, digits, written};
use trends::{trend, trend_of_segment};

/// A sentence that is right.
pub(crate) struct Made {
    pub(crate) pieces: Vec<Piece>,
    pub(crate) figures: Vec<String>,
    /// Numbers are told with a reserve, so that a changed one can be true as well.
    pub(crate) loose: bool,
    /// What is asked is told as a noun.
    pub(crate) noun: bool,
}

impl Made {
    pub(crate) fn stated(&self) -> Stated {
        Stated { text: written(&self.pieces), figures: self.figures.clone() }
    }

    /// Whether two labels can be exchanged: two segments, two studies, two answers.
    pub(crate) fn swaps(&self, one: &str, other: &str) -> bool {
        let kind = |name: &str| name.split(':').next().unwrap_or_default().to_owned();
        kind(one) == kind(other)
    }

    /// Another segment of the same question.
    pub(crate) fn other_segment(
        &self,
        chance: &mut Chance,
        name: &str,
    ) -> Option<(String, String)> {
        let group = SEGMENTS.iter().find(|group| group.iter().any(|(known, _)| *known == name))?;
        let others: Vec<_> = group.iter().filter(|(known, _)| *known != name).collect();
        let (name, forms) = others[chance.below(others.len())];
        Some(((*name).to_owned(), words(chance, forms).to_owned()))
    }
}

struct Maker<'a> {
    project: &'a Project,
    pieces: Vec<Piece>,
    figures: Vec<String>,
    noun: bool,
}

/// A label with its name in expressions.
#[derive(Clone)]
struct Label {
    words: String,
    name: String,
}

fn value(project: &Project, figure: &str) -> Evaluated {
    evaluate(project, &Rules::default(), figure).unwrap_or_else(|wrong| panic!("{figure}: {wrong}"))
}

impl Maker<'_> {
    fn figure(&mut self, figure: String) -> Evaluated {
        let found = value(self.project, &figure);
        if !self.figures.contains(&figure) {
            self.figures.push(figure);
        }
        found
    }

    /// Appends a form; what stands between braces is taken from the pieces in order.
    fn form(&mut self, form: &str, pieces: &[(&str, Piece)]) {
        let mut rest = form;
        while let Some((text, after)) = rest.split_once('{') {
            self.pieces.push(Piece::Text(text.to_owned()));
            let (name, after) = after.split_once('}').expect("a form closes its braces");
            let piece = pieces.iter().find(|(known, _)| *known == name);
            self.pieces.push(piece.unwrap_or_else(|| panic!("{form}: no {name}")).1.clone());
            rest = after;
        }
        self.pieces.push(Piece::Text(rest.to_owned()));
    }

    fn made(self) -> Made {
        Made { pieces: self.pieces, figures: self.figures, loose: false, noun: self.noun }
    }
}

fn label(of: &Label) -> Piece {
    Piece::Label { words: of.words.clone(), name: of.name.clone() }
}

fn percent(value: f64, decimals: usize) -> Piece {
    Piece::Number { value: value * 100.0, decimals }
}

fn text(words: &str) -> Piece {
    Piece::Text(words.to_owned())
}

fn unit(chance: &mut Chance) -> Piece {
    text(chance.pick::<&str>(&[" %", "%", " percent", " per cent"]))
}

fn group(chance: &mut Chance) -> Vec<Label> {
    let group = SEGMENTS[chance.below(SEGMENTS.len())];
    let mut labels: Vec<Label> = group
        .iter()
        .map(|(name, forms)| Label {
            words: words(chance, forms).to_owned(),
            name: (*name).to_owned(),
        })
        .collect();
    if chance.below(2) == 0 {
        labels.reverse();
    }
    labels
}

fn waves(chance: &mut Chance) -> (Label, Label) {
    let mut wave = |place: usize| {
        let (name, forms) = WAVES[place];
        Label { words: words(chance, forms).to_owned(), name: name.to_owned() }
    };
    (wave(0), wave(1))
}

fn topic(chance: &mut Chance) -> &'static Topic {
    &TOPICS[chance.below(TOPICS.len())]
}

pub(crate) fn opinion(chance: &mut Chance) -> Made {
    let text = OPINIONS[chance.below(OPINIONS.len())];
    Made { pieces: vec![Piece::Text(text.to_owned())], figures: vec![], loose: false, noun: false }
}

/// One sentence that is right.
pub(crate) fn sentence(project: &Project, chance: &mut Chance) -> Made {
    loop {
        let maker = Maker { project, pieces: vec![], figures: vec![], noun: false };
        let forms = [
            single,
            single,
            total,
            segments,
            segments,
            gap,
            trend,
            trend,
            mean,
            means,
            nps,
            top_answer,
            top_segment,
            based,
            ranked,
            ratio,
            rounded_words,
            interval,
            not_significant,
            trend_of_segment,
        ];
        if let Some(made) = forms[chance.below(forms.len())](maker, chance) {
            return made;
        }
    }
}

fn single(mut maker: Maker<'_>, chance: &mut Chance) -> Option<Made> {
    let topic = topic(chance);
    let segment = group(chance).remove(0);
    let found = maker.figure(format!("share({}, segment={})", topic.share, segment.name));
    let decimals = chance.below(2);
    let form = *chance.pick(&[
        "{n}{u} of {s} {does}.",
        "Among {s}, {n}{u} {does}.",
        "In the latest wave, {n}{u} of {s} {does}.",
        "Of {s}, {n}{u} {does} (n = {b}).",
        "Only {n}{u} of {s} {does}, on a base of {b}.",
        "For {s}, {noun} stands at {n}{u}.",
        "Among {s}, {noun} reaches {n}{u} (base: {b}).",
        "{noun} comes to {n}{u} among {s}.",
        "We find that {n}{u} of {s} {does}.",
        "Among {s} ({b} respondents), {n}{u} {does}.",
        "As Q-code shows, {n}{u} of {s} {does}.",
    ]);
    if form.contains("Q-code") {
        let id = topic.share.split('=').next()?;
        let form = form.replace("Q-code", id);
        maker.form(
            &form,
            &[
                ("n", percent(found.value, decimals)),
                ("u", unit(chance)),
                ("s", label(&segment)),
                ("does", Piece::Topic(words(chance, topic.does).into())),
            ],
        );
        return Some(maker.made());
    }
    maker.noun = form.contains("{noun}");
    maker.form(
        form,
        &[
            ("n", percent(found.value, decimals)),
            ("u", unit(chance)),
            ("s", label(&segment)),
            ("does", Piece::Topic(words(chance, topic.does).into())),
            ("noun", Piece::Topic(words(chance, topic.noun).into())),
            ("b", Piece::Base(found.parts[0].figure.base.unweighted)),
        ],
    );
    Some(maker.made())
}

fn total(mut maker: Maker<'_>, chance: &mut Chance) -> Option<Made> {
    let topic = topic(chance);
    let found = maker.figure(format!("share({})", topic.share));
    let decimals = chance.below(2);
    let majority = if found.value > 0.5 { "A majority" } else { "A minority" };
    let form = *chance.pick(&[
        "Overall, {n}{u} {does}.",
        "{n}{u} of all respondents {does}.",
        "{m} of respondents ({n}{u}) {does}.",
        "In W2, {n}{u} of respondents {does}.",
        "{noun} now stands at {n}{u} (n={b}).",
        "Based on {b} respondents, {n}{u} {does}.",
        "Some {n}{u} {does}.",
        "{n}{u} {does}, with an unweighted base of {b}.",
        "With a share of {n}{u}, {m} {does}.",
    ]);
    let form = form
        .replace("With a share of {n}{u}, {m}", "At {n}{u}, respondents who")
        .replace("respondents who {does}", "{noun} is unremarkable");
    maker.noun = form.contains("{noun}");
    maker.form(
        &form,
        &[
            ("n", percent(found.value, decimals)),
            ("u", unit(chance)),
            (
                "m",
                Piece::Direction {
                    right: majority.into(),
                    wrong: if majority == "A majority" { "A minority" } else { "A majority" }
                        .into(),
                },
            ),
            ("does", Piece::Topic(words(chance, topic.does).into())),
            ("noun", Piece::Topic(words(chance, topic.noun).into())),
            ("b", Piece::Base(found.parts[0].figure.base.unweighted)),
        ],
    );
    let mut made = maker.made();
    made.loose = form.starts_with("Some");
    Some(made)
}

fn mean(mut maker: Maker<'_>, chance: &mut Chance) -> Option<Made> {
    let segment = group(chance).remove(0);
    let (scale, figure) = (chance.below(2) == 0, ["mean", "median"][chance.below(2)]);
    let decimals = 1 + chance.below(2);
    if scale {
        let found = maker.figure(format!("mean(Q5, segment={})", segment.name));
        let form = *chance.pick(&[
            "On a five-point scale, {s} rate their satisfaction with the mobile app at {n} on average.",
            "The mean {noun} among {s} is {n} (n = {b}).",
            "{s} give {noun} a mean score of {n} on a scale from 1 to 5.",
            "With a mean of {n} out of 5, {s} are described well on {noun}.",
        ]);
        maker.noun = true;
        maker.form(
            form,
            &[
                ("n", Piece::Number { value: found.value, decimals }),
                ("s", label(&segment)),
                ("noun", Piece::Topic("satisfaction with the mobile app".into())),
                ("b", Piece::Base(found.parts[0].figure.base.unweighted)),
            ],
        );
    } else {
        let found = maker.figure(format!("{figure}(Q7, segment={})", segment.name));
        let average = if figure == "mean" { "On average" } else { "At the median" };
        let form = *chance.pick(&[
            "{a}, {s} watch {topic} for {n} hours a week.",
            "{s} spend {n} hours a week on {topic} ({a}).",
            "Among {s}, {topic} are watched for {n} hours a week {a} (n = {b}).",
        ]);
        maker.noun = true;
        maker.form(
            form,
            &[
                ("a", text(&average.to_lowercase())),
                ("n", Piece::Number { value: found.value, decimals }),
                ("s", label(&segment)),
                ("topic", Piece::Topic("films".into())),
                ("b", Piece::Base(found.parts[0].figure.base.unweighted)),
            ],
        );
    }
    Some(maker.made())
}

fn nps(mut maker: Maker<'_>, chance: &mut Chance) -> Option<Made> {
    let segment = group(chance).remove(0);
    let found = maker.figure(format!("nps(Q9, segment={})", segment.name));
    let shown = digits(found.value * 100.0, 0);
    if shown == "0" || shown == "-0" {
        return None;
    }
    let form = *chance.pick(&[
        "The NPS among {s} is {n}.",
        "{s} have an NPS of {n} (n = {b}).",
        "With an NPS of {n}, {s} would recommend the brand to a friend or colleague to a moderate degree.",
        "Among {s}, the net promoter score stands at {n}.",
    ]);
    maker.noun = true;
    maker.form(
        form,
        &[
            ("n", Piece::Number { value: found.value * 100.0, decimals: 0 }),
            ("s", label(&segment)),
            ("b", Piece::Base(found.parts[0].figure.base.unweighted)),
        ],
    );
    Some(maker.made())
}

fn based(mut maker: Maker<'_>, chance: &mut Chance) -> Option<Made> {
    let topic = topic(chance);
    let segment = group(chance).remove(0);
    let id = topic.share.split('=').next()?;
    let found = maker.figure(format!("share({}, segment={})", topic.share, segment.name));
    let base = found.parts[0].figure.base;
    if chance.below(2) == 0 {
        maker.figure(format!("base({id}, segment={})", segment.name));
    }
    let form = *chance.pick(&[
        "{n}{u} of {s} {does} (unweighted base: {b}).",
        "{n}{u} of {b} {s} {does}.",
        "The {b} {s} {does} in {n}{u} of cases.",
        "{n}{u} of {s} {does}; this rests on {b} respondents.",
        "{n}{u} of {s} {does} (n={b}, weighted base {k}).",
        "{n}{u} of {s} {does} (n = {b}, effective base {e}).",
    ]);
    if form.contains("{b} {s}") && !segment.words.starts_with(['w', 'm', 'f', 'h', 'l', 'r']) {
        return None;
    }
    maker.form(
        form,
        &[
            ("n", percent(found.value, chance.below(2))),
            ("u", unit(chance)),
            ("s", label(&segment)),
            ("b", Piece::Base(base.unweighted)),
            ("k", text(&digits(base.weighted, 1))),
            ("e", text(&digits(base.effective, 1))),
            ("does", Piece::Topic(words(chance, topic.does).into())),
        ],
    );
    Some(maker.made())
}

fn rounded_words(mut maker: Maker<'_>, chance: &mut Chance) -> Option<Made> {
    let topic = topic(chance);
    let segment = group(chance).remove(0);
    let found = maker.figure(format!("share({}, segment={})", topic.share, segment.name));
    let share = found.value * 100.0;
    let near = |to: f64, by: f64| (share - to).abs() < by;
    let words_for = if near(50.0, 1.5) {
        "about half"
    } else if share > 50.0 && share < 59.0 {
        "more than half"
    } else if share < 50.0 && share > 41.0 {
        "less than half"
    } else if near(66.67, 1.5) {
        "two thirds"
    } else if near(33.33, 1.5) {
        "a third"
    } else if near(25.0, 1.5) {
        "one in four"
    } else if near(60.0, 1.5) {
        "six in ten"
    } else if near(40.0, 1.5) {
        "four in ten"
    } else if near(20.0, 1.5) {
        "one in five"
    } else if (71.0..=74.9).contains(&share) {
        "nearly three quarters"
    } else {
        return None;
    };
    let form = *chance.pick(&[
        "{q} of {s} {does}.",
        "{q} of {s} ({n}{u}) {does}.",
        "Among {s}, {q} {does}.",
    ]);
    let wrong = if words_for == "more than half" {
        "less than half"
    } else if words_for == "less than half" {
        "more than half"
    } else if share > 50.0 {
        "a quarter"
    } else {
        "nine in ten"
    };
    maker.form(
        form,
        &[
            ("q", Piece::Direction { right: words_for.into(), wrong: wrong.into() }),
            ("n", percent(found.value, 1)),
            ("u", unit(chance)),
            ("s", label(&segment)),
            ("does", Piece::Topic(words(chance, topic.does).into())),
        ],
    );
    let mut made = maker.made();
    made.loose = !form.contains("{n}");
    // A reserve leaves room for another segment to be right as well.
    if made.loose {
        made.pieces.iter_mut().for_each(|piece| {
            if let Piece::Label { words, .. } = piece {
                *piece = Piece::Text(words.clone());
            }
        });
    }
    Some(made)
}

fn interval(mut maker: Maker<'_>, chance: &mut Chance) -> Option<Made> {
    let topic = topic(chance);
    let segment = group(chance).remove(0);
    let found = maker.figure(format!("share({}, segment={})", topic.share, segment.name));
    let (low, high) = found.parts[0].figure.interval?;
    let form = *chance.pick(&[
        "{n}{u} of {s} {does} (95 % confidence interval: {l} to {h} %).",
        "{n}{u} of {s} {does}, with a 95% confidence interval from {l}% to {h}%.",
        "{n}{u} of {s} {does} (95 % CI {l}–{h} %).",
    ]);
    maker.form(
        form,
        &[
            ("n", percent(found.value, 1)),
            ("u", unit(chance)),
            ("l", text(&digits(low * 100.0, 1))),
            ("h", text(&digits(high * 100.0, 1))),
            ("s", label(&segment)),
            ("does", Piece::Topic(words(chance, topic.does).into())),
        ],
    );
    Some(maker.made())
}
