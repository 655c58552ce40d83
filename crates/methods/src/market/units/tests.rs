use proptest::prelude::*;

use super::super::arithmetic::parse;
use super::*;

fn derived(expression: &str, units: &[(&str, &str)]) -> Result<String, String> {
    let named =
        |name: &str| units.iter().find(|(known, _)| *known == name).map(|(_, unit)| Unit::of(unit));
    Unit::derived(&parse(expression).unwrap(), &named).map(|unit| unit.written())
}

// proves: W4
#[test]
fn a_unit_is_one_however_it_is_written() {
    for (one, other) in [
        ("USD/lawyer/year", "dollars per lawyer per year"),
        ("USD/lawyer/year", "US$ a year per Lawyers"),
        ("USD/year", "US dollars annually"),
        ("USD/(lawyer*year)", "USD/year/lawyer"),
        ("companies", "company"),
        ("law firms", "number of law firms"),
        ("people", "person"),
        ("houses", "house"),
        ("movies", "Movie"),
        ("businesses", "business"),
        ("%", "per cent of lawyers"),
        ("% per year", "/year"),
        ("1/year", "/year"),
        ("share", "number"),
    ] {
        let (one, other) = (Unit::of(one), Unit::of(other));
        assert!(one.is(&other), "{one:?} {other:?}");
    }
    for (one, other) in [
        ("USD", "EUR"),
        ("USD/year", "USD/month"),
        ("USD/year", "USD"),
        ("operators", "operations"),
        ("lawyer", "/lawyer"),
        ("lawyers", ""),
        ("USD*firm", "USD/firm"),
    ] {
        let (one, other) = (Unit::of(one), Unit::of(other));
        assert!(!one.is(&other), "{one:?} {other:?}");
    }
    for (written, percent) in
        [("%", true), ("percent of firms", true), ("per cent", true), ("USD", false), ("", false)]
    {
        assert_eq!(is_percent(written), percent, "{written}");
    }
}

// proves: W4
#[test]
fn units_multiply_cancel_and_turn_months_into_years() {
    let units = [
        ("lawyers", "lawyers"),
        ("firms", "firms"),
        ("size", "lawyers/firm"),
        ("share", "%"),
        ("price", "USD/lawyer/year"),
        ("fee", "USD/lawyer/month"),
        ("euros", "EUR"),
        ("rate", "EUR/USD"),
        ("months", "months/year"),
    ];
    for (expression, unit) in [
        ("lawyers * price", "USD/year"),
        ("lawyers * share * fee", "USD/month"),
        ("12 * lawyers * fee", "USD/year"),
        ("lawyers * 12 * (fee * 2)", "USD/year"),
        ("lawyers * fee * months", "USD/year"),
        ("lawyers * price / 12", "USD/month"),
        ("lawyers * price * 12", "USD/year"),
        ("lawyers * (fee * 12 + price)", "USD/year"),
        ("lawyers * fee * 1,000,000", "USD/month"),
        ("firms * size", "lawyers"),
        ("lawyers / size", "firm"),
        ("firms * price", "USD*firms/lawyer/year"),
        ("1 / price", "lawyer*year/USD"),
        ("share + 5% - 1", ""),
        ("-lawyers * (1 - share)", "lawyers"),
        ("lawyers / lawyers", ""),
    ] {
        assert_eq!(derived(expression, &units).as_deref(), Ok(unit), "{expression}");
    }
    let high = ["lawyers"; 10].join(" * ");
    for (expression, why) in [
        ("lawyers + firms", "different units, 'lawyers' and 'firms'"),
        ("lawyers - 5", "different units, 'lawyers' and no unit"),
        ("lawyers * fee + lawyers * price", "'USD/month' and 'USD/year'"),
        ("lawyers * price + euros", "'USD/year' and 'EUR'"),
        ("price * euros", "two currencies, EUR and USD"),
        ("lawyers * price * rate", "two currencies, EUR and USD"),
        ("price / euros", "two currencies, EUR and USD"),
        (&high, "more units than mean anything"),
        ("unknown", "the unit of 'unknown' is unknown"),
    ] {
        let told = derived(expression, &units).unwrap_err();
        assert!(told.contains(why), "{expression}: {told}");
    }
}

/// Powers of dollars, lawyers, firms and years.
type Powers = [i32; 4];
const OPERANDS: [(&str, &str, Powers); 8] = [
    ("lawyers", "licensed lawyers", [0, 1, 0, 0]),
    ("price", "USD/licensed lawyer/year", [1, -1, 0, -1]),
    ("money", "dollars", [1, 0, 0, 0]),
    ("firms", "Firms", [0, 0, 1, 0]),
    ("size", "licensed lawyers per firm", [0, 1, -1, 0]),
    ("years", "years", [0, 0, 0, 1]),
    ("share", "%", [0; 4]),
    ("3", "", [0; 4]),
];

/// Generates an expression, and the reference powers of its unit; `None` if it combines units that must be equal.
fn any_sum() -> impl Strategy<Value = (String, Option<Powers>)> {
    let leaf = prop::sample::select(OPERANDS.to_vec())
        .prop_map(|(name, _, powers)| (name.to_owned(), Some(powers)));
    leaf.prop_recursive(4, 7, 2, |inner| {
        (inner.clone(), prop::sample::select(vec!['+', '-', '*', '/', '=']), inner).prop_map(
            |((one, of_one), sign, (other, of_other))| {
                // "=" subtracts an operand of certainly the same unit.
                if sign == '=' {
                    return (format!("(({one}) - 2 * ({one}))"), of_one);
                }
                let powers = of_one.zip(of_other).and_then(|(one, other)| match sign {
                    '*' => Some(std::array::from_fn(|at| one[at] + other[at])),
                    '/' => Some(std::array::from_fn(|at| one[at] - other[at])),
                    _ => (one == other).then_some(one),
                });
                (format!("({one} {sign} {other})"), powers)
            },
        )
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    // proves: W4
    #[test]
    fn the_unit_of_any_expression_is_that_of_a_reference((expression, powers) in any_sum()) {
        let units = OPERANDS.map(|(name, unit, _)| (name, unit));
        let own = derived(&expression, &units);
        let Some(powers) = powers else {
            prop_assert!(own.is_err(), "{}: {:?}", expression, own);
            return Ok(());
        };
        prop_assert!(own.is_ok(), "{}: {:?}", expression, own);
        let unit = Unit::of(&own.unwrap());
        for (key, power) in ["USD", "licensed lawyer", "firm", YEAR].into_iter().zip(powers) {
            prop_assert_eq!(unit.parts.get(key).map_or(0, |part| part.power), power, "{} in {}", expression, key);
        }
        prop_assert_eq!(unit.parts.len(), powers.iter().filter(|power| **power != 0).count());
    }

    // proves: W4
    #[test]
    fn any_text_is_a_unit_and_is_read_again_as_it_is_written(
        text in "(?s)(.|[a-z/*() %$€.1]| per | a |year|us|dollars|number|lawyers){0,12}",
    ) {
        let unit = Unit::of(&text);
        let written = unit.written();
        prop_assert!(Unit::of(&written).is(&unit), "{:?}: {} {:?}", text, written, unit);
        if let Ok(square) = unit.clone().by(&unit, 1) {
            prop_assert!(square.by(&unit, -1).is_ok_and(|back| back.is(&unit)));
        }
    }
}
