use proptest::prelude::*;

use super::*;

fn any_expression() -> impl Strategy<Value = Expression> {
    let leaf = prop_oneof![
        (0_u32..1_000_000, 0_u32..4).prop_map(|(digits, shift)| Expression::Number(
            f64::from(digits) / 10_f64.powi(shift as i32)
        )),
        (0_u32..2_000).prop_map(|digits| Expression::Percent(f64::from(digits) / 10.0)),
        "[a-z_][a-z0-9_]{0,6}".prop_map(Expression::Name),
    ];
    let operator = prop_oneof![
        Just(Operator::Plus),
        Just(Operator::Minus),
        Just(Operator::Times),
        Just(Operator::Over)
    ];
    leaf.prop_recursive(6, 60, 2, move |inner| {
        prop_oneof![
            1 => inner.clone().prop_map(|one| Expression::Negative(Box::new(one))),
            5 => (inner.clone(), operator.clone(), inner).prop_map(|(one, operator, other)| {
                Expression::Joined(Box::new(one), operator, Box::new(other))
            }),
        ]
    })
}

/// Evaluates a text with the shunting-yard algorithm, independently of the parser. Does not support signs before numbers.
fn by_shunting_yard(text: &str) -> Option<f64> {
    fn strength(operator: char) -> u8 {
        u8::from(matches!(operator, '*' | '/'))
    }
    fn apply(values: &mut Vec<f64>, operator: char) -> Option<()> {
        let (other, one) = (values.pop()?, values.pop()?);
        let value = match operator {
            '+' => one + other,
            '-' => one - other,
            '*' => one * other,
            _ if other == 0.0 => return None,
            _ => one / other,
        };
        values.push(value);
        Some(())
    }
    let (mut values, mut operators): (Vec<f64>, Vec<char>) = (vec![], vec![]);
    let spaced: String = text
        .chars()
        .map(|c| if "+-*/()".contains(c) { format!(" {c} ") } else { c.to_string() })
        .collect();
    for word in spaced.split_whitespace() {
        match word.chars().next()? {
            '(' => operators.push('('),
            ')' => {
                while let Some(operator) = operators.pop().filter(|one| *one != '(') {
                    apply(&mut values, operator)?;
                }
            }
            operator @ ('+' | '-' | '*' | '/') => {
                while operators
                    .last()
                    .is_some_and(|top| *top != '(' && strength(*top) >= strength(operator))
                {
                    apply(&mut values, operators.pop()?)?;
                }
                operators.push(operator);
            }
            _ => values.push(match word.strip_suffix('%') {
                Some(percent) => percent.parse::<f64>().ok()? / 100.0,
                None => word.parse().ok()?,
            }),
        }
    }
    while let Some(operator) = operators.pop() {
        apply(&mut values, operator)?;
    }
    values.pop().filter(|_| values.is_empty())
}

fn computed(text: &str) -> Result<f64, Wrong> {
    parse(text)?.value(&|_| None)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    // proves: W4
    #[test]
    fn what_is_written_is_read_as_the_same_expression(expression in any_expression()) {
        let written = expression.to_string();
        prop_assert_eq!(parse(&written), Ok(expression), "{}", written);
    }

    // proves: W4
    #[test]
    fn values_are_those_of_another_way_to_compute(
        first in 0_u32..1_000,
        rest in prop::collection::vec((prop::sample::select(vec!['+', '-', '*', '/']), 0_u32..1_000, 0_u8..4), 0..12),
    ) {
        let (mut text, mut open) = (first.to_string(), 0);
        for (operator, number, form) in rest {
            text = match form {
                0 => { open += 1; format!("{text} {operator} ({number}") }
                1 if open > 0 => { open -= 1; format!("{text} {operator} {number})") }
                2 => format!("{text}{operator}{number}%"),
                _ => format!("{text} {operator} {number}"),
            };
        }
        text.push_str(&")".repeat(open));
        let (own, other) = (computed(&text), by_shunting_yard(&text));
        match (own, other) {
            (Ok(own), Some(other)) => prop_assert!((own - other).abs() <= 1e-9 * other.abs().max(1.0), "{text}: {own} {other}"),
            (Err(Wrong::DividedByZero), None) => {}
            (Err(Wrong::TooLarge), Some(other)) => prop_assert!(other.abs() > 1e15, "{text}"),
            // An intermediate result may be too large before another error occurs.
            (Err(Wrong::TooLarge), None) => {}
            (own, other) => prop_assert!(false, "{text}: {own:?} {other:?}"),
        }
    }

    // proves: W4
    #[test]
    fn any_text_is_an_expression_or_an_error(text in "(?s)(.|[0-9a-z+*/%().,-]|\\(|-){0,60}") {
        if let Ok(expression) = parse(&text) {
            let value = expression.value(&|_| Some(2.0));
            prop_assert!(value.is_err() || value.is_ok_and(|value| value.is_finite()));
            prop_assert_eq!(parse(&expression.to_string()), Ok(expression));
        }
    }
}

// proves: W4
#[test]
fn products_bind_more_than_sums_and_equals_go_from_left_to_right() {
    for (text, value) in [
        ("2 + 3 * 4", 14.0),
        ("(2 + 3) * 4", 20.0),
        ("20 - 5 - 3", 12.0),
        ("20 - (5 - 3)", 18.0),
        ("100 / 10 / 2", 5.0),
        ("100 / (10 / 2)", 20.0),
        ("-2 * -3", 6.0),
        ("10 - -2", 12.0),
        ("1,200,000 × 30 % ÷ 2", 180_000.0),
        (".5 * 4", 2.0),
        ("0 * -1", 0.0),
    ] {
        let own = computed(text).unwrap();
        assert!((own - value).abs() < 1e-9 && own.is_sign_positive() == (value >= 0.0), "{text}");
    }
}

// proves: W4
#[test]
fn what_cannot_be_computed_says_why() {
    let long = "1+".repeat(5_000);
    let deep = format!("{}1{}", "(".repeat(900), ")".repeat(900));
    let signs = format!("{}1", "-".repeat(900));
    let many = format!("1{}", "+1".repeat(300));
    let huge = ["1,000,000,000,000"; 3].join("*");
    for (text, wrong) in [
        (long.as_str(), Wrong::TooLong),
        (&deep, Wrong::TooDeep),
        (&signs, Wrong::TooDeep),
        (&many, Wrong::TooManyOperands),
        (&huge, Wrong::TooLarge),
        ("", Wrong::Empty),
        (" \n", Wrong::Empty),
        ("1 / 0", Wrong::DividedByZero),
        ("1 / (2 - 2)", Wrong::DividedByZero),
        ("price * 2", Wrong::Unknown { name: "price".into() }),
        ("2 *", Wrong::Unfinished),
        ("(2", Wrong::Unfinished),
        ("2 2", Wrong::Unexpected { what: "2".into(), at: 3 }),
        ("2 ^ 3", Wrong::Unexpected { what: "^".into(), at: 3 }),
        ("1,20 + 1", Wrong::Unexpected { what: "1,20".into(), at: 1 }),
        ("1.2.3", Wrong::Unexpected { what: "1.2.3".into(), at: 1 }),
        ("5%%", Wrong::Unexpected { what: "%".into(), at: 3 }),
        ("price%", Wrong::Unexpected { what: "%".into(), at: 6 }),
        ("system('rm')", Wrong::Unexpected { what: "'".into(), at: 8 }),
        ("99999999999999999999", Wrong::Unexpected { what: "99999999999999999999".into(), at: 1 }),
    ] {
        let shown: String = text.chars().take(40).collect();
        assert_eq!(computed(text), Err(wrong), "{shown}");
    }
    assert!(Wrong::Unknown { name: "x".into() }.to_string().contains("'x'"));
}

#[test]
fn an_expression_is_shown_with_what_its_names_stand_for() {
    let expression = parse("lawyers * 30% * (price - 1200.5) / -2").unwrap();
    assert_eq!(expression.names(), ["lawyers", "price"]);
    let shown = expression.shown(&|name| format!("<{name}>"));
    assert_eq!(shown, "<lawyers> × 30 % × (<price> − 1,200.5) ÷ −2");
}
