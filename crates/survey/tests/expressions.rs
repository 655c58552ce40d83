//! Expressions over a survey of two waves.

mod synthetic;

use survey::expression::{Unit, canonical, evaluate, parse};
use survey::figure::Rules;
use synthetic::build_project;

#[test]
fn an_expression_is_written_with_the_names_of_the_study() {
    let project = build_project();
    for (text, wanted) in [
        (
            "SHARE( q5 = Top-2 box , segment = female )",
            "share(Q5=top2, segment=gender:Female, study=W2)",
        ),
        ("share(Q5=satisfied|very satisfied, study=w1)", "share(Q5=4|5, study=W1)"),
        (
            "share(Q3=quality|PRICE, segment=18–34)",
            "share(Q3=Q3_1|Q3_2, segment=age:18-34, study=W2)",
        ),
        ("share(Q3=rational reasons)", "share(Q3=Rational reasons, study=W2)"),
        ("share(Q8=1) + share(Q8=\"Online shop\")", "share(Q8=1|3, study=W2)"),
        ("mean(Q7, weight=WEIGHT, segment=all)", "mean(Q7, study=W2, weight=weight)"),
        ("nps(Q9, weight=none, study=tracker, spring 2024)", ""),
        ("nps(Q9, weight=none, study=\"tracker, spring 2024\")", "nps(Q9, study=W1, weight=none)"),
        (
            "change(share(Q5=top2), from=w1, to=w2)",
            "share(Q5=top2, study=W2) - share(Q5=top2, study=W1)",
        ),
        ("growth(mean(Q7, segment=1|age:2), from=W1, to=W2)", ""),
        (
            "growth(mean(Q7, segment=age:1|2), from=W1, to=W2)",
            "growth(mean(Q7, segment=age:18-34|35-54), from=W1, to=W2)",
        ),
    ] {
        let read = parse(text).and_then(|read| canonical(&project, &read));
        let Ok(read) = read else {
            assert_eq!(wanted, "", "{text}: {read:?}");
            continue;
        };
        assert_eq!(read.to_string(), wanted);
        let again = canonical(&project, &parse(wanted).unwrap()).unwrap();
        assert_eq!(again.to_string(), wanted);
    }
}

#[test]
fn what_means_nothing_is_refused_with_the_way_out() {
    let project = build_project();
    let rules = Rules::default();
    for (text, part) in [
        ("share(Q3=1|4)", "no answer '1'"),
        ("share(Q3=Price) + share(Q3=Quality)", "write share(Q3=Q3_1|Q3_2)"),
        ("share(Q5=top2) + share(Q6=top2)", "can be added"),
        ("share(Q5=4) + share(Q5=top2)", "count twice"),
        ("share(Q5=4) + mean(Q5)", "can be added"),
        ("mean(Q5) - share(Q5=top2)", "mean and share are not alike"),
        ("share(Q5=1) - share(Q5=2) - share(Q5=3)", "as its own expression"),
        ("share(Q5=top2, segment=1)", "gender:1 or age:1"),
        ("share(Q5=top2, segment=Nord)", "'North'"),
        ("share(Q5=top2, segment=gender:Femail)", "'Female'"),
        ("share(Q55=top2)", "'Q5'"),
        ("share(Q5=top2, study=W3)", "'W1'"),
        ("share(Q8=top2)", "has no boxes"),
        ("share(Q5=top7)", "has 5 points"),
        ("share(Q5)", "'Very satisfied'"),
        ("mean(Q5=1)", "without answers"),
        ("mean(Q8)", "Q8"),
        ("nps(Q5)", "Q5"),
        ("share(Q5=top2, weight=wait)", "'weight'"),
        ("share(Q5=top2, segment=Female, segment=Male)", "join segments with |"),
        ("change(mean(Q7), from=W1, to=w1)", "two studies"),
        ("change(mean(Q7, study=W1), from=W1, to=W2)", "leave study out"),
        ("change(mean(Q7), from=W1)", "to=…"),
        ("average(Q7)", "'average' is not a measure"),
        ("mean(Q7, filter=x)", "'filter' is not a setting"),
        ("mean(Q7", "',' or ')'"),
        ("", "empty"),
    ] {
        let told = evaluate(&project, &rules, text).expect_err(text).to_string();
        assert!(told.contains(part), "{text}: {told}");
    }
}

// proves: B6
#[test]
fn an_expression_has_the_value_of_its_figures() {
    let project = build_project();
    let rules = Rules::default();
    let value = |text: &str| evaluate(&project, &rules, text).unwrap();
    let women = value("share(Q5=top2, segment=Female)");
    let men = value("share(Q5=top2, segment=Male)");
    assert_eq!(women.unit, Unit::Share);
    assert!(women.parts[0].figure.base.unweighted > 700);
    assert_eq!(women.parts[0].answers, ["Satisfied", "Very satisfied"]);
    assert_eq!(women.parts[0].segment[0].answers, ["Female"]);
    let gap = value("share(Q5=top2, segment=Female) - share(Q5=top2, segment=Male)");
    assert_eq!(gap.unit, Unit::Points);
    assert!((gap.value - (women.value - men.value)).abs() < 1e-12);
    assert!(gap.comparison.as_ref().unwrap().significant);
    assert!(gap.text.starts_with('+') && gap.text.ends_with(" points"), "{}", gap.text);
    let ratio = value("share(Q5=top2, segment=Female) / share(Q5=top2, segment=Male)");
    assert_eq!(ratio.unit, Unit::Ratio);
    assert!((ratio.value - women.value / men.value).abs() < 1e-12);
    let growth = value("growth(mean(Q7), from=W1, to=W2)");
    let (before, after) = (value("mean(Q7, study=W1)"), value("mean(Q7)"));
    assert!((growth.value - (after.value / before.value - 1.0)).abs() < 1e-12);
    assert_eq!(growth.parts[0].study, "W2");
    let written = serde_json::to_string(&gap).unwrap();
    let again: survey::expression::Evaluated = serde_json::from_str(&written).unwrap();
    assert_eq!(again, gap);
}
