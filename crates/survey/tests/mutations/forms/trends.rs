//! Two waves beside each other.

use survey::expression::Evaluated;

use super::*;

pub(crate) fn trend(mut maker: Maker<'_>, chance: &mut Chance) -> Option<Made> {
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

pub(crate) fn trend_of_segment(mut maker: Maker<'_>, chance: &mut Chance) -> Option<Made> {
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
