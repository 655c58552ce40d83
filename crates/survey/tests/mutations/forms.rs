//! The forms of sentences.

use survey::claims::Stated;
use survey::expression::{Evaluated, evaluate};
use survey::figure::Rules;
use survey::project::Project;

use crate::synthetic::{Chance, REASONS};
use crate::topics::{OPINIONS, SEGMENTS, TOPICS, Topic, WAVES, words};
use crate::wording::{Piece, digits, written};

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

fn segments(mut maker: Maker<'_>, chance: &mut Chance) -> Option<Made> {
    let topic = topic(chance);
    let mut group = group(chance);
    let (one, other) = (group.remove(0), group.pop()?);
    let share = |segment: &Label| format!("share({}, segment={})", topic.share, segment.name);
    let difference = format!("{} - {}", share(&one), share(&other));
    let gap = value(maker.project, &difference);
    let significant = gap.comparison.as_ref().is_some_and(|comparison| comparison.significant);
    if chance.below(2) == 0 {
        maker.figure(difference);
    } else {
        maker.figure(share(&one));
        maker.figure(share(&other));
    }
    let (first, second) = (gap.parts[0].figure.value, gap.parts[1].figure.value);
    let up = first > second;
    let way = |right: &str, wrong: &str| {
        let (right, wrong) = if up { (right, wrong) } else { (wrong, right) };
        Piece::Direction { right: right.into(), wrong: wrong.into() }
    };
    let plain = [
        "{n} of {s} {does}, compared with {m} of {t}.",
        "{n} of {s} and {m} of {t} {does}.",
        "Among {s}, {n} {does}, against {m} among {t}.",
        "{noun}: {s} {n}, {t} {m}.",
        "{noun} stands at {n} among {s} and at {m} among {t}.",
        "{s} ({n}) and {t} ({m}) {does} to different degrees.",
        "{n} of {s} (n = {b}) and {m} of {t} (n = {c}) {does}.",
        "For {s} and {t}, {noun} is {n} and {m}, respectively.",
    ];
    let directed = [
        "{s} {more} {does} than {t} ({n} vs {m}).",
        "{noun} is {higher} among {s} ({n}) than among {t} ({m}).",
        "{noun} is significantly {higher} among {s} ({n}) than among {t} ({m}).",
        "At {n}, {s} are {ahead} {t} ({m}) on {noun}.",
        "Compared with {t} ({m}), {noun} is {higher} among {s} ({n}).",
        "{noun} is {higher} for {s} than for {t}: {n} versus {m}.",
        "{s} come in {higher} than {t} on {noun}, at {n} against {m}.",
        "While {m} of {t} {does}, the share is significantly {higher} among {s}, at {n}.",
    ];
    let form = if significant && chance.below(3) > 0 {
        *chance.pick(&directed)
    } else {
        *chance.pick(&plain)
    };
    let decimals = chance.below(2);
    maker.noun = form.contains("{noun}");
    let does = words(chance, topic.does);
    maker.form(
        &form.replace("{n}", "{n}{u}").replace("{m}", "{m}{u}"),
        &[
            ("n", percent(first, decimals)),
            ("m", percent(second, decimals)),
            ("u", unit(chance)),
            ("s", label(&one)),
            ("t", label(&other)),
            ("does", Piece::Topic(does.into())),
            ("noun", Piece::Topic(words(chance, topic.noun).into())),
            ("b", Piece::Base(gap.parts[0].figure.base.unweighted)),
            ("c", Piece::Base(gap.parts[1].figure.base.unweighted)),
            ("more", way("more often", "less often")),
            ("higher", way("higher", "lower")),
            ("ahead", way("ahead of", "behind")),
        ],
    );
    Some(maker.made())
}

fn gap(mut maker: Maker<'_>, chance: &mut Chance) -> Option<Made> {
    let topic = topic(chance);
    let mut group = group(chance);
    let (one, other) = (group.remove(0), group.pop()?);
    let share = |segment: &Label| format!("share({}, segment={})", topic.share, segment.name);
    let found = maker.figure(format!("{} - {}", share(&one), share(&other)));
    if !found.comparison.as_ref()?.significant {
        return None;
    }
    let up = found.value > 0.0;
    let way = |right: &str, wrong: &str| {
        let (right, wrong) = if up { (right, wrong) } else { (wrong, right) };
        Piece::Direction { right: right.into(), wrong: wrong.into() }
    };
    let form = *chance.pick(&[
        "The gap between {s} and {t} on {noun} is {g} percentage points.",
        "{noun} is {g} points {higher} among {s} than among {t}.",
        "On {noun}, {s} are {g} percentage points {ahead} {t} ({n}{u} vs {m}{u}).",
        "{s} score {g} points {higher} than {t} on {noun}.",
        "There is a {g}-point difference between {s} ({n}{u}) and {t} ({m}{u}) in {noun}.",
        "{noun} among {s} is {n}{u}, {g} points {above} the level of {t} ({m}{u}).",
    ]);
    let decimals = chance.below(2);
    maker.noun = true;
    maker.form(
        form,
        &[
            ("g", Piece::Number { value: found.value.abs() * 100.0, decimals }),
            ("n", percent(found.parts[0].figure.value, decimals)),
            ("m", percent(found.parts[1].figure.value, decimals)),
            ("u", unit(chance)),
            ("s", label(&one)),
            ("t", label(&other)),
            ("noun", Piece::Topic(words(chance, topic.noun).into())),
            ("higher", way("higher", "lower")),
            ("ahead", way("ahead of", "behind")),
            ("above", way("above", "below")),
        ],
    );
    Some(maker.made())
}

fn trend(mut maker: Maker<'_>, chance: &mut Chance) -> Option<Made> {
    let topic = topic(chance);
    let change = format!("change(share({}), from=W1, to=W2)", topic.share);
    let found = value(maker.project, &change);
    let significant = found.comparison.as_ref()?.significant;
    let up = found.value > 0.0;
    if chance.below(3) == 0 {
        maker.figure(format!("share({}, study=W1)", topic.share));
        maker.figure(format!("share({}, study=W2)", topic.share));
    }
    maker.figure(change);
    let way = |right: &str, wrong: &str| {
        let (right, wrong) = if up { (right, wrong) } else { (wrong, right) };
        Piece::Direction { right: right.into(), wrong: wrong.into() }
    };
    let rose = ["rose", "climbed", "increased", "grew", "went up", "has risen"][chance.below(6)];
    let fell =
        ["fell", "declined", "decreased", "dropped", "went down", "slipped"][chance.below(6)];
    let form = *chance.pick(if significant {
        &[
            "{noun} {rose} from {n}{u} in {v} to {m}{u} in {w}.",
            "{noun} {rose} significantly, from {n}{u} to {m}{u} between {v} and {w}.",
            "Between {v} and {w}, {noun} {rose} by {g} percentage points to {m}{u}.",
            "In {w}, {m}{u} {does}, {up} from {n}{u} in {v}.",
            "{noun} {rose} by {g} points since {v}.",
            "{noun} stood at {n}{u} in {v} and {rose} to {m}{u} in {w}.",
            "At {m}{u}, {noun} is {higher} in {w} than in {v} ({n}{u}).",
            "Since {v}, {noun} {rose} from {n}{u} to {m}{u}.",
            "{m}{u} {does} in {w}, {g} points {more} than in {v}.",
        ][..]
    } else {
        &[
            "{noun} is stable: {n}{u} in {v}, {m}{u} in {w}.",
            "{noun} remains unchanged at {m}{u} ({v}: {n}{u}).",
            "There is no significant change in {noun} between {v} ({n}{u}) and {w} ({m}{u}).",
            "{noun} did not change significantly from {v} ({n}{u}) to {w} ({m}{u}).",
        ][..]
    });
    let (earlier, later) = waves(chance);
    let decimals = chance.below(2);
    maker.noun = form.contains("{noun}");
    maker.form(
        form,
        &[
            ("g", Piece::Number { value: found.value.abs() * 100.0, decimals }),
            ("m", percent(found.parts[0].figure.value, decimals)),
            ("n", percent(found.parts[1].figure.value, decimals)),
            ("u", unit(chance)),
            ("v", label(&earlier)),
            ("w", label(&later)),
            ("does", Piece::Topic(words(chance, topic.does).into())),
            ("noun", Piece::Topic(words(chance, topic.noun).into())),
            ("rose", way(rose, fell)),
            ("up", way("up", "down")),
            ("higher", way("higher", "lower")),
            ("more", way("more", "less")),
        ],
    );
    Some(maker.made())
}

fn trend_of_segment(mut maker: Maker<'_>, chance: &mut Chance) -> Option<Made> {
    let topic = topic(chance);
    let mut group = group(chance);
    let (one, other) = (group.remove(0), group.pop()?);
    let change = |segment: &Label| {
        format!("change(share({}, segment={}), from=W1, to=W2)", topic.share, segment.name)
    };
    let (first, second) =
        (value(maker.project, &change(&one)), value(maker.project, &change(&other)));
    for found in [&first, &second] {
        if !found.comparison.as_ref()?.significant {
            return None;
        }
    }
    let way = |found: &Evaluated| {
        let (right, wrong) = if found.value > 0.0 { ("rose", "fell") } else { ("fell", "rose") };
        Piece::Direction { right: right.into(), wrong: wrong.into() }
    };
    maker.figure(change(&one));
    let both = chance.below(2) == 0;
    let form = if both {
        maker.figure(change(&other));
        *chance.pick(&[
            "Between {v} and {w}, {noun} {rose} from {n} to {m} among {s} and {fell} from {k} to {l} among {t}.",
            "{noun} {rose} among {s} from {n} in {v} to {m} in {w}, and {fell} among {t} from {k} in {v} to {l} in {w}.",
        ])
    } else {
        *chance.pick(&[
            "Among {s}, {noun} {rose} from {n} in {v} to {m} in {w}.",
            "{noun} {rose} to {m} among {s} in {w}, from {n} in {v}.",
            "For {s}, {noun} {rose} by {g} points between {v} and {w}.",
        ])
    };
    let (earlier, later) = waves(chance);
    let decimals = chance.below(2);
    maker.noun = true;
    let form = ["n", "m", "k", "l"].iter().fold(form.to_owned(), |form, name| {
        form.replace(&format!("{{{name}}}"), &format!("{{{name}}} %"))
    });
    maker.form(
        &form,
        &[
            ("g", Piece::Number { value: first.value.abs() * 100.0, decimals }),
            ("m", percent(first.parts[0].figure.value, decimals)),
            ("n", percent(first.parts[1].figure.value, decimals)),
            ("l", percent(second.parts[0].figure.value, decimals)),
            ("k", percent(second.parts[1].figure.value, decimals)),
            ("v", label(&earlier)),
            ("w", label(&later)),
            ("s", label(&one)),
            ("t", label(&other)),
            ("noun", Piece::Topic(words(chance, topic.noun).into())),
            ("rose", way(&first)),
            ("fell", way(&second)),
        ],
    );
    Some(maker.made())
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
            "Among {s}, {topic} are watched for {n} hours a week (n = {b}).",
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

fn means(mut maker: Maker<'_>, chance: &mut Chance) -> Option<Made> {
    let mut group = group(chance);
    let (one, other) = (group.remove(0), group.pop()?);
    let figure = |segment: &Label| format!("mean(Q7, segment={})", segment.name);
    let found = maker.figure(format!("{} - {}", figure(&one), figure(&other)));
    let significant = found.comparison.as_ref()?.significant;
    let up = found.value > 0.0;
    let way = |right: &str, wrong: &str| {
        let (right, wrong) = if up { (right, wrong) } else { (wrong, right) };
        Piece::Direction { right: right.into(), wrong: wrong.into() }
    };
    let form = *chance.pick(if significant {
        &[
            "{s} watch {topic} for {n} hours a week, {more} than {t} ({m} hours).",
            "{s} watch {more} {topic} than {t}: {n} against {m} hours a week.",
            "Weekly hours of {topic} are {higher} among {s} ({n}) than among {t} ({m}).",
        ][..]
    } else {
        &[
            "{s} watch {topic} for {n} hours a week and {t} for {m} hours.",
            "Weekly hours of {topic} do not differ significantly between {s} ({n}) and {t} ({m}).",
        ][..]
    });
    maker.noun = true;
    maker.form(
        form,
        &[
            ("n", Piece::Number { value: found.parts[0].figure.value, decimals: 2 }),
            ("m", Piece::Number { value: found.parts[1].figure.value, decimals: 2 }),
            ("s", label(&one)),
            ("t", label(&other)),
            ("topic", Piece::Topic("films".into())),
            ("more", way("more", "less")),
            ("higher", way("higher", "lower")),
        ],
    );
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

fn reasons(maker: &Maker<'_>) -> Vec<(String, f64)> {
    let mut all: Vec<(String, f64)> = REASONS
        .iter()
        .map(|reason| {
            ((*reason).to_owned(), value(maker.project, &format!("share(Q3={reason})")).value)
        })
        .collect();
    all.sort_by(|(_, one), (_, other)| other.total_cmp(one));
    all
}

fn answer(name: &str) -> Label {
    Label { words: name.to_lowercase(), name: format!("answer:{name}") }
}

fn top_answer(mut maker: Maker<'_>, chance: &mut Chance) -> Option<Made> {
    let all = reasons(&maker);
    let first = chance.below(2) == 0;
    let (name, share) = if first { all.first()? } else { all.last()? };
    maker.figure(format!("share(Q3={name})"));
    let way = |right: &str, wrong: &str| {
        let (right, wrong) = if first { (right, wrong) } else { (wrong, right) };
        Piece::Direction { right: right.into(), wrong: wrong.into() }
    };
    let form = *chance.pick(&[
        "{a} is the {most} common reason for choosing a provider, named by {n}{u}.",
        "The {most} frequently mentioned {topic} is {a} ({n}{u}).",
        "With {n}{u}, {a} is the {most} often cited {topic}.",
        "{n}{u} name {a}, the {most} common {topic}.",
        "At {n}{u}, {a} has the {highest} share of all reasons for choosing a provider.",
    ]);
    maker.noun = true;
    maker.form(
        form,
        &[
            ("a", label(&answer(name))),
            ("n", percent(*share, chance.below(2))),
            ("u", unit(chance)),
            ("most", way("most", "least")),
            ("highest", way("highest", "lowest")),
            ("topic", Piece::Topic("reason for choosing a provider".into())),
        ],
    );
    Some(maker.made())
}

fn top_segment(mut maker: Maker<'_>, chance: &mut Chance) -> Option<Made> {
    let topic = topic(chance);
    let group = group(chance);
    let mut all: Vec<(Label, Evaluated)> = group
        .into_iter()
        .map(|segment| {
            let found =
                value(maker.project, &format!("share({}, segment={})", topic.share, segment.name));
            (segment, found)
        })
        .collect();
    all.sort_by(|(_, one), (_, other)| other.value.total_cmp(&one.value));
    let high = chance.below(2) == 0;
    let (segment, found) = if high { all.first()? } else { all.last()? };
    maker.figure(format!("share({}, segment={})", topic.share, segment.name));
    let (right, wrong) = if high { ("highest", "lowest") } else { ("lowest", "highest") };
    let form = *chance.pick(&[
        "{noun} is {highest} among {s}, at {n}{u}.",
        "{s} show the {highest} level of {noun} ({n}{u}).",
        "The {highest} share, {n}{u}, is found among {s} for {noun}.",
        "At {n}{u}, {noun} is {highest} among {s}.",
    ]);
    maker.noun = true;
    maker.form(
        form,
        &[
            ("s", label(segment)),
            ("n", percent(found.value, chance.below(2))),
            ("u", unit(chance)),
            ("highest", Piece::Direction { right: right.into(), wrong: wrong.into() }),
            ("noun", Piece::Topic(words(chance, topic.noun).into())),
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

fn ranked(mut maker: Maker<'_>, chance: &mut Chance) -> Option<Made> {
    let all = reasons(&maker);
    let pieces: Vec<(String, Piece)> = all
        .iter()
        .take(3)
        .enumerate()
        .flat_map(|(place, (name, share))| {
            [(format!("a{place}"), label(&answer(name))), (format!("n{place}"), percent(*share, 0))]
        })
        .collect();
    for (name, _) in all.iter().take(3) {
        maker.figure(format!("share(Q3={name})"));
    }
    let form = *chance.pick(&[
        "The top three {topic} are {a0} ({n0} %), {a1} ({n1} %) and {a2} ({n2} %).",
        "{a0} leads the {topic} with {n0} %, followed by {a1} with {n1} % and {a2} with {n2} %.",
        "{n0} % name {a0}, {n1} % {a1} and {n2} % {a2} among the {topic}.",
        "Among the {topic}, {a0}, {a1} and {a2} reach {n0} %, {n1} % and {n2} %, respectively.",
        "The {topic} are {a0}: {n0} %, {a1}: {n1} %, {a2}: {n2} %.",
    ]);
    let mut known: Vec<(&str, Piece)> =
        pieces.iter().map(|(name, piece)| (name.as_str(), piece.clone())).collect();
    known.push(("topic", Piece::Topic("reasons for choosing a provider".into())));
    maker.noun = true;
    maker.form(form, &known);
    Some(maker.made())
}

fn ratio(mut maker: Maker<'_>, chance: &mut Chance) -> Option<Made> {
    let topic = topic(chance);
    let mut group = group(chance);
    let (one, other) = (group.remove(0), group.pop()?);
    let share = |segment: &Label| format!("share({}, segment={})", topic.share, segment.name);
    let found = value(maker.project, &format!("{} / {}", share(&one), share(&other)));
    if !found.comparison.as_ref()?.significant || found.value < 1.15 {
        return None;
    }
    maker.figure(format!("{} / {}", share(&one), share(&other)));
    let form = *chance.pick(&[
        "{noun} is {r} times as high among {s} as among {t}.",
        "{noun} among {s} is {r} times the level of {t} ({n}{u} vs {m}{u}).",
        "{s} are {r} times as likely as {t} to be counted under {noun}.",
    ]);
    maker.noun = true;
    maker.form(
        form,
        &[
            ("r", Piece::Number { value: found.value, decimals: 1 + chance.below(2) }),
            ("n", percent(found.parts[0].figure.value, 0)),
            ("m", percent(found.parts[1].figure.value, 0)),
            ("u", unit(chance)),
            ("s", label(&one)),
            ("t", label(&other)),
            ("noun", Piece::Topic(words(chance, topic.noun).into())),
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

fn not_significant(mut maker: Maker<'_>, chance: &mut Chance) -> Option<Made> {
    let topic = topic(chance);
    let mut group = group(chance);
    let (one, other) = (group.remove(0), group.pop()?);
    let share = |segment: &Label| format!("share({}, segment={})", topic.share, segment.name);
    let found = maker.figure(format!("{} - {}", share(&one), share(&other)));
    if found.comparison.as_ref()?.significant || found.value.abs() < 0.003 {
        return None;
    }
    let (right, wrong) = if found.value > 0.0 { ("higher", "lower") } else { ("lower", "higher") };
    let form = *chance.pick(&[
        "{noun} is directionally {higher} among {s} ({n}{u}) than among {t} ({m}{u}).",
        "There is no significant difference in {noun} between {s} ({n}{u}) and {t} ({m}{u}).",
        "{s} ({n}{u}) and {t} ({m}{u}) do not differ significantly on {noun}.",
        "{noun} is slightly {higher} among {s} ({n}{u}) than {t} ({m}{u}), but the difference is not statistically significant.",
        "{noun} is similar among {s} ({n}{u}) and {t} ({m}{u}).",
    ]);
    maker.noun = true;
    maker.form(
        form,
        &[
            ("n", percent(found.parts[0].figure.value, 1)),
            ("m", percent(found.parts[1].figure.value, 1)),
            ("u", unit(chance)),
            ("s", label(&one)),
            ("t", label(&other)),
            ("noun", Piece::Topic(words(chance, topic.noun).into())),
            ("higher", Piece::Direction { right: right.into(), wrong: wrong.into() }),
        ],
    );
    Some(maker.made())
}
