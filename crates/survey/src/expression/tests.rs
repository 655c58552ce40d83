use proptest::prelude::*;

use super::*;

fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-zA-Z][a-zA-Z0-9_]{0,6}",
        "[0-9]{1,2}-[0-9]{1,2}",
        "(top|bottom)[ -]?[0-9]{0,2}(box)?",
        "none|None|\"|\\\\|\\\\\"| x|x |'|a, b|a=b|(c)|d\\|e|f:g|é ü",
        "\\PC{1,12}",
    ]
}

fn picked() -> impl Strategy<Value = Vec<Picked>> {
    let one = prop_oneof![
        4 => name().prop_map(Picked::Named),
        1 => (any::<bool>(), 1usize..99).prop_map(|(top, points)| Picked::Box { top, points }),
    ];
    prop::collection::vec(one, 1..4)
}

fn call() -> impl Strategy<Value = Call> {
    let measure = prop_oneof![
        Just(Measured::Share),
        Just(Measured::Mean),
        Just(Measured::Nps),
        Just(Measured::EffectiveBase)
    ];
    let segment = (prop::option::of(name()), picked())
        .prop_map(|(question, answers)| Picking { question, answers });
    let weight = prop_oneof![
        Just(None),
        Just(Some(Weighed::Nobody)),
        name().prop_map(|name| Some(Weighed::By(name)))
    ];
    (
        measure,
        name(),
        prop_oneof![Just(Vec::new()), picked()],
        prop::collection::vec(segment, 0..3),
        prop::option::of(name()),
        weight,
    )
        .prop_map(|(measure, question, answers, segment, study, weight)| Call {
            measure,
            question,
            answers,
            segment,
            study,
            weight,
        })
}

fn expression() -> impl Strategy<Value = Expression> {
    let kind = prop_oneof![Just(Trend::Change), Just(Trend::Growth)];
    let leaf = prop_oneof![
        4 => call().prop_map(Expression::Figure),
        1 => (kind, call(), name(), name())
            .prop_map(|(kind, of, from, to)| Expression::Trend { kind, of, from, to }),
    ];
    leaf.prop_recursive(4, 12, 2, |inner| {
        let operator =
            prop_oneof![Just(Operator::Plus), Just(Operator::Minus), Just(Operator::Over)];
        (inner.clone(), operator, inner).prop_map(|(one, operator, other)| {
            Expression::Joined(Box::new(one), operator, Box::new(other))
        })
    })
}

proptest! {
    #[test]
    fn what_is_written_is_read_as_it_was(expression in expression()) {
        let text = expression.to_string();
        prop_assume!(text.chars().count() <= LONGEST);
        let read = parse(&text);
        prop_assert!(read.is_ok(), "{text}: {read:?}");
        prop_assert_eq!(read.unwrap(), expression, "{}", text);
    }

    #[test]
    fn no_text_is_too_odd_to_be_refused(text in "\\PC{0,60}") {
        let _ = parse(&text);
    }

    #[test]
    fn nothing_like_an_expression_is_too_odd(
        text in "((share|mean|change|growth)|[(),=|:\"+/ -]|Q5|top2|segment|study|from|to|\\\\){0,40}"
    ) {
        if let Ok(read) = parse(&text) {
            prop_assert_eq!(parse(&read.to_string()).unwrap(), read);
        }
    }
}

#[test]
fn what_is_nested_too_deep_or_too_long_is_refused() {
    let deep = format!("{}mean(Q1){}", "(".repeat(900), ")".repeat(900));
    assert!(matches!(parse(&deep), Err(Wrong::TooDeep)));
    assert!(matches!(parse(&"(".repeat(100_000)), Err(Wrong::TooLong)));
    let many = vec!["mean(Q1)"; 50].join(" - ");
    assert!(matches!(parse(&many), Err(Wrong::TooMany)));
}

#[test]
fn values_are_rounded_half_away_from_zero() {
    use super::shown::rounded;
    for (value, decimals, wanted) in [
        (0.5, 0, 1.0),
        (-0.5, 0, -1.0),
        (2.5, 0, 3.0),
        (47.4, 0, 47.0),
        (0.285 * 100.0, 0, 29.0),
        (1.005, 2, 1.01),
        (61.949_999, 1, 61.9),
        (0.0, 1, 0.0),
    ] {
        assert_eq!(rounded(value, decimals), wanted, "{value}");
    }
}
