//! Two segments beside each other.

use super::*;

pub(crate) fn segments(mut maker: Maker<'_>, chance: &mut Chance) -> Option<Made> {
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

pub(crate) fn gap(mut maker: Maker<'_>, chance: &mut Chance) -> Option<Made> {
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

pub(crate) fn means(mut maker: Maker<'_>, chance: &mut Chance) -> Option<Made> {
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

pub(crate) fn ratio(mut maker: Maker<'_>, chance: &mut Chance) -> Option<Made> {
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

pub(crate) fn not_significant(mut maker: Maker<'_>, chance: &mut Chance) -> Option<Made> {
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
