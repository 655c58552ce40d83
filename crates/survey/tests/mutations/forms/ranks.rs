//! The most and the least, and lists.

use survey::expression::Evaluated;

use super::*;

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

pub(crate) fn top_answer(mut maker: Maker<'_>, chance: &mut Chance) -> Option<Made> {
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

pub(crate) fn top_segment(mut maker: Maker<'_>, chance: &mut Chance) -> Option<Made> {
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

pub(crate) fn ranked(mut maker: Maker<'_>, chance: &mut Chance) -> Option<Made> {
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
