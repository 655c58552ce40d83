//! Sentences that were written by hand, right and wrong.

#[path = "claims/bounds.rs"]
mod bounds;
#[path = "claims/example.rs"]
mod example;
#[path = "claims/measures.rs"]
mod measures;
#[path = "claims/names_and_order.rs"]
mod names_and_order;
#[path = "claims/quantities.rs"]
mod quantities;
mod synthetic;

use std::collections::BTreeMap;

use proptest::prelude::*;
use survey::claims::{Stated, check, check_opinion};
use survey::expression::evaluate;
use survey::figure::Rules;
use survey::project::Project;
use synthetic::project;

/// Fills `{1}`, `{1.1}`, `{b}` and the like: the value of a part of the figures, rounded, or a base.
fn filled(project: &Project, text: &str, figures: &[&str]) -> Stated {
    let mut values: BTreeMap<String, String> = BTreeMap::new();
    let mut number = 0;
    let mut whole = 0;
    for figure in figures {
        let found = evaluate(project, &Rules::default(), figure)
            .unwrap_or_else(|wrong| panic!("{figure}: {wrong}"));
        whole += 1;
        let scale = |value: f64, unit| match unit {
            survey::expression::Unit::Mean
            | survey::expression::Unit::Difference
            | survey::expression::Unit::Ratio
            | survey::expression::Unit::Count => value,
            _ => value * 100.0,
        };
        let value = scale(found.value, found.unit);
        values.insert(format!("d{whole}"), format!("{:.0}", value.abs()));
        values.insert(format!("d{whole}.1"), format!("{:.1}", value.abs()));
        for part in &found.parts {
            number += 1;
            let value = scale(part.figure.value, part.unit);
            values.insert(format!("{number}"), format!("{value:.0}"));
            values.insert(format!("{number}.1"), format!("{value:.1}"));
            values.insert(format!("{number}.2"), format!("{value:.2}"));
            values.insert(format!("b{number}"), part.figure.base.unweighted.to_string());
        }
    }
    let mut text = text.to_owned();
    for (name, value) in values {
        text = text.replace(&format!("{{{name}}}"), &value);
    }
    assert!(!text.contains('{'), "{text}");
    Stated { text, figures: figures.iter().map(|figure| (*figure).to_owned()).collect() }
}

const WOMEN: &str = "share(Q5=top2, segment=Female)";
const MEN: &str = "share(Q5=top2, segment=Male)";
const GAP: &str = "share(Q5=top2, segment=Female) - share(Q5=top2, segment=Male)";
const CHANGE: &str = "change(share(Q5=top2), from=W1, to=W2)";
const ALL: &str = "share(Q5=top2)";
const PRICE: &str = "share(Q3=Price)";
const QUALITY: &str = "share(Q3=Quality)";
const SERVICE: &str = "share(Q3=Service)";
const HOURS: &str = "mean(Q7, segment=18-34) - mean(Q7, segment=55+)";

// proves: B6
#[test]
fn a_sentence_that_is_right_holds_however_it_is_put() {
    let project = project();
    let mut refused = Vec::new();
    for (text, figures) in [
        (
            "Women are markedly happier with the app: {1} % are satisfied, versus {2} % of men.",
            &[WOMEN, MEN][..],
        ),
        ("Women outscore men on app satisfaction by {d1} points ({1} % versus {2} %).", &[GAP]),
        ("Fewer men ({2} %) than women ({1} %) are satisfied with the app.", &[GAP]),
        ("Men lag behind women in satisfaction with the app, {2.1}% to {1.1}%.", &[GAP]),
        (
            "Satisfaction with the app differs significantly between women and men ({1} % vs. {2} %).",
            &[GAP],
        ),
        ("App satisfaction has improved since the previous wave, from {2} % to {1} %.", &[CHANGE]),
        ("App satisfaction gained {d1} points wave on wave and now stands at {1} %.", &[CHANGE]),
        ("Up from {2} % in W1, {1} % are now satisfied with the app.", &[CHANGE]),
        ("More than half of all respondents are satisfied with the app ({1} %).", &[ALL]),
        ("A majority of women ({1} %) are satisfied with the app.", &[WOMEN]),
        ("Most women are satisfied with the app ({1} %).", &[WOMEN]),
        (
            "Women are above the overall level of satisfaction with the app, {1} % against {2} %.",
            &[WOMEN, ALL],
        ),
        ("{1} % of women are satisfied with the app, compared with {2} % overall.", &[WOMEN, ALL]),
        ("Price is the number one reason for choosing the provider at {1} %.", &[PRICE]),
        (
            "Price tops the list of reasons with {1} %, ahead of quality ({2} %) and service ({3} %).",
            &[PRICE, QUALITY, SERVICE],
        ),
        ("Quality is the second most common reason for choosing a provider ({1} %).", &[QUALITY]),
        (
            "The youngest respondents (18-34) watch films for {1.1} hours a week, {d1.1} hours more than those aged 55 and over ({2.1} hours).",
            &[HOURS],
        ),
        ("18-34s spend significantly more hours on films than the 55+ group.", &[HOURS]),
        ("In Q5, {1} per cent of women were satisfied with the app (n={b1}).", &[WOMEN]),
        (
            "Satisfaction with the app stands at {1} % among women, {2} % among men, and {3} % in total.",
            &[WOMEN, MEN, ALL],
        ),
        (
            "Price or quality were named by {1} % as reasons for choosing the provider.",
            &["share(Q3=Rational reasons)"],
        ),
        (
            "Together, price and quality are named by {1} % as reasons for choosing the provider.",
            &["share(Q3=Price|Quality)"],
        ),
        ("Heavy users give us an NPS of {1}.", &["nps(Q9, segment=Heavy users)"]),
        (
            "The NPS for recommending us is higher among heavy users ({1.1}) than among light users ({2.1}).",
            &["nps(Q9, segment=Heavy users)", "nps(Q9, segment=Light users)"],
        ),
        (
            "The NPS of heavy users is {d1} points higher than that of light users.",
            &["nps(Q9, segment=Heavy users) - nps(Q9, segment=Light users)"],
        ),
        (
            "Among young women aged 18-34, {1} % are satisfied with the app.",
            &["share(Q5=top2, segment=Female, segment=18-34)"],
        ),
        (
            "Intention to renew the contract dropped to {1} % in W2, down {d1} points from W1.",
            &["change(share(Q6=top2), from=W1, to=W2)"],
        ),
        (
            "Women and men alike watch films: {1.1} and {2.1} hours a week, respectively.",
            &["mean(Q7, segment=Female)", "mean(Q7, segment=Male)"],
        ),
        ("The mean satisfaction with the app is {1.1} out of 5.", &["mean(Q5)"]),
        ("Satisfaction with the app is lowest among men, at {1} %.", &[MEN]),
        ("Men are the least satisfied group: {1} % are satisfied with the app.", &[MEN]),
        (
            "Only a minority of men ({1} %) are dissatisfied with the app.",
            &["share(Q5=bottom2, segment=Male)"],
        ),
        ("While {1} % of women are satisfied with the app, only {2} % of men are.", &[GAP]),
        (
            "Just {2} % of men are satisfied with the app, {d1} percentage points fewer than women ({1} %).",
            &[GAP],
        ),
        ("Satisfaction with the app: women {1} %, men {2} %, total {3} %.", &[WOMEN, MEN, ALL]),
        (
            "Compared to W1 ({2} %), satisfaction with the app is up {d1} points at {1} %.",
            &[CHANGE],
        ),
        (
            "Satisfaction with the app increased significantly among men between spring 2024 and spring 2025 ({2} % to {1} %).",
            &["change(share(Q5=top2, segment=Male), from=W1, to=W2)"],
        ),
        (
            "In both waves a majority of women were satisfied with the app ({1} % in W1, {2} % in W2).",
            &["share(Q5=top2, segment=Female, study=W1)", WOMEN],
        ),
        (
            "The share of satisfied app users is {d1} percentage points lower among men than among women.",
            &[GAP],
        ),
        (
            "Online shopping for groceries is far more common among 18-34-year-olds ({1} %) than among those aged 55+ ({2} %).",
            &["share(Q8=Online shop, segment=18-34) - share(Q8=Online shop, segment=55+)"],
        ),
        (
            "{1} % of the youngest group (18-34) buy their groceries in an online shop.",
            &["share(Q8=Online shop, segment=18-34)"],
        ),
        (
            "Price matters more to women than to men as a reason for choosing a provider ({1} % vs {2} %).",
            &["share(Q3=Price, segment=Female) - share(Q3=Price, segment=Male)"],
        ),
        (
            "Price was given as a reason by {1} % of women, but by only {2} % of men.",
            &["share(Q3=Price, segment=Female)", "share(Q3=Price, segment=Male)"],
        ),
        (
            "The least common reason for choosing a provider is habit, at {1} %.",
            &["share(Q3=Habit)"],
        ),
        (
            "Respondents in the North and South are equally satisfied with the app ({1} % and {2} %).",
            &["share(Q5=top2, segment=North) - share(Q5=top2, segment=South)"],
        ),
        (
            "Those aged 55+ are the most likely to renew their contract ({1} %).",
            &["share(Q6=top2, segment=55+)"],
        ),
        (
            "On average, films are watched {1.1} hours a week, up from {2.1} hours in W1.",
            &["change(mean(Q7), from=W1, to=W2)"],
        ),
        ("Men's satisfaction with the app stands at {1} %.", &[MEN]),
        ("Around {1} % of men are satisfied with the app.", &[MEN]),
        (
            "{1} % of female respondents rate the app in the top two boxes on satisfaction.",
            &[WOMEN],
        ),
        (
            "Women aged 18-34 are more satisfied with the app ({1} %) than men of the same age ({2} %).",
            &[
                "share(Q5=top2, segment=Female, segment=18-34) - share(Q5=top2, segment=Male, segment=18-34)",
            ],
        ),
        ("Supermarkets lead as the place to buy groceries with {1} %.", &["share(Q8=Supermarket)"]),
    ] {
        let stated = filled(&project, text, figures);
        let checked = check(&project, &Rules::default(), &stated);
        if !checked.holds {
            refused.push(format!("{}\n  {:#?}", stated.text, checked.faults));
        }
    }
    assert!(refused.is_empty(), "{} refused:\n{}", refused.len(), refused.join("\n"));
}

// proves: B6
// proves: C13
#[test]
fn a_sentence_that_is_wrong_is_refused_however_it_is_put() {
    let project = project();
    let mut held = Vec::new();
    for (text, figures) in [
        ("Women ({2} %) are less satisfied with the app than men ({1} %).", &[GAP][..]),
        ("Men outscore women on app satisfaction ({2} % vs {1} %).", &[GAP]),
        ("{2} % of women and {1} % of men are satisfied with the app.", &[WOMEN, MEN]),
        ("Women and men: {2} % and {1} % are satisfied with the app.", &[WOMEN, MEN]),
        ("Men, at {1} %, are ahead of women ({2} %) in satisfaction with the app.", &[GAP]),
        ("{1} % are satisfied with the app.", &[WOMEN]),
        ("{1} % of women and of 18-34-year-olds are satisfied with the app.", &[WOMEN]),
        ("{1} % of women are very satisfied with the app.", &[WOMEN]),
        ("{1} % of women are dissatisfied with the app.", &[WOMEN]),
        ("{1} % of women are not satisfied with the app.", &[WOMEN]),
        ("{1} % of women aren't satisfied with the app.", &[WOMEN]),
        ("{1} % of women own a bicycle.", &[WOMEN]),
        ("{1} % of women are likely to renew their contract.", &[WOMEN]),
        ("{1} of women are satisfied with the app.", &[WOMEN]),
        ("{1} points of women are satisfied with the app.", &[WOMEN]),
        ("{1} % of women were satisfied with the app in W1.", &[WOMEN]),
        ("In W3, {1} % of women are satisfied with the app.", &[WOMEN]),
        ("In wave 3, {1} % of women are satisfied with the app.", &[WOMEN]),
        ("{1} % of women are satisfied with the app (Q15).", &[WOMEN]),
        ("{1} % of women are satisfied with the app, twice as many as men.", &[WOMEN, MEN]),
        ("All women are satisfied with the app ({1} %).", &[WOMEN]),
        ("The vast majority of women are satisfied with the app ({1} %).", &[WOMEN]),
        ("App satisfaction rose by {d1} % from W1 to W2.", &[CHANGE]),
        ("App satisfaction rose from {1} % to {2} %.", &[CHANGE]),
        ("App satisfaction fell from {2} % in W1 to {1} % in W2.", &[CHANGE]),
        ("App satisfaction is unchanged since W1 ({2} % and {1} %).", &[CHANGE]),
        ("App satisfaction rose to {1} %, but not significantly.", &[CHANGE]),
        ("App satisfaction rose to {1} %.", &[ALL]),
        ("App satisfaction doubled between W1 and W2.", &[CHANGE]),
        ("The new design led to app satisfaction of {1} %.", &[ALL]),
        ("{1} % of women are satisfied with the app because it is fast.", &[WOMEN]),
        ("Being a woman makes people more satisfied with the app ({1} % vs {2} % of men).", &[GAP]),
        ("Quality is the most common reason for choosing a provider ({1} %).", &[QUALITY]),
        ("Service is the top reason for choosing a provider ({1} %).", &[SERVICE]),
        ("Price leads, followed by service ({1} % and {2} % of reasons).", &[SERVICE, PRICE]),
        ("Satisfaction with the app is highest among men, at {1} %.", &[MEN]),
        ("{1} % cite price and habit as a reason for choosing the provider.", &[PRICE]),
        ("The mean satisfaction with the app is {1.1} on a ten-point scale.", &["mean(Q5)"]),
        ("The mean satisfaction with the app is {1.1} %.", &["mean(Q5)"]),
        (
            "{1} % of 1,600 respondents are satisfied with the app.",
            &["share(Q5=top2, segment=Female)"],
        ),
        (
            "Women watch significantly more films than men ({1.1} vs {2.1} hours a week).",
            &["mean(Q7, segment=Female) - mean(Q7, segment=Male)"],
        ),
        ("Two thirds of men are satisfied with the app.", &[MEN]),
        ("Nine in ten women are satisfied with the app.", &[WOMEN]),
        ("Half of women are satisfied with the app.", &[WOMEN]),
        ("{1} % of women and a third of men are satisfied with the app.", &[WOMEN, MEN]),
        ("While {2} % of women are satisfied with the app, {1} % of men are.", &[GAP]),
        ("Satisfaction with the app: women {2} %, men {1} %.", &[WOMEN, MEN]),
        (
            "The share of satisfied app users is {d1} percentage points lower among women than among men.",
            &[GAP],
        ),
        ("Women trail men by {d1} points in satisfaction with the app.", &[GAP]),
        (
            "Price matters more to men than to women as a reason for choosing a provider ({2} % vs {1} %).",
            &["share(Q3=Price, segment=Female) - share(Q3=Price, segment=Male)"],
        ),
        (
            "Those aged 18-34 are the most likely to renew their contract ({1} %).",
            &["share(Q6=top2, segment=18-34)"],
        ),
        ("Only {2} % of women but {1} % of men are satisfied with the app.", &[GAP]),
        ("No fewer than {1} % of men are satisfied with the app, more than women.", &[MEN]),
        (
            "Women prefer the app: {1} % are satisfied, the highest level of all age groups.",
            &[WOMEN],
        ),
        (
            "{1} % of women are satisfied with the app, proof of the strong brand driving loyalty.",
            &[WOMEN],
        ),
        ("Unlike men ({1} %), women ({2} %) are satisfied with the app.", &[GAP]),
        ("About {1} % of women are satisfied with the app, and 7 in 10 would buy again.", &[WOMEN]),
        ("{1} % of women in the North are satisfied with the app.", &[WOMEN]),
        ("{1} % of women are satisfied with the app, up from last year.", &[WOMEN]),
        ("{1} % of women are satisfied with the app, a record low.", &[WOMEN]),
        ("Nearly all women are satisfied with the app ({1} %).", &[WOMEN]),
        ("{1} % of women are satisfied with the app and {1} % of men.", &[WOMEN, MEN]),
        ("Satisfaction with the app ({1} %) exceeds that of competitors.", &[ALL]),
        ("Few women are satisfied with the app ({1} %).", &[WOMEN]),
        ("{1} % of women are extremely satisfied with the app.", &[WOMEN]),
        (
            "Satisfaction with the app fell among men and rose among women.",
            &[
                "change(share(Q5=top2, segment=Male), from=W1, to=W2)",
                "change(share(Q5=top2, segment=Female), from=W1, to=W2)",
            ],
        ),
        ("", &[WOMEN]),
    ] {
        let stated = filled(&project, text, figures);
        let checked = check(&project, &Rules::default(), &stated);
        assert_eq!(checked.holds, checked.faults.is_empty());
        if checked.holds {
            held.push(stated.text);
        }
    }
    assert!(held.is_empty(), "{} held:\n{}", held.len(), held.join("\n"));
}

#[test]
fn an_opinion_holds_no_finding() {
    let project = project();
    for text in [
        "The product team should improve the app for men and test faster navigation.",
        "Consider raising awareness of the loyalty programme in the North.",
        "It might be that men use other features; a qualitative study could show.",
        "Renewal deserves attention before the next wave.",
        "We recommend talking to light users first.",
        "Focus more on service and less on price.",
    ] {
        let checked = check_opinion(text, &project);
        assert!(checked.holds, "{text}: {:#?}", checked.faults);
    }
    for text in [
        "Men make up 40 % of churn.",
        "Half of the customers want a better app.",
        "Women are more satisfied than men.",
        "Satisfaction has risen since the last wave.",
        "The majority wants a better app.",
        "Price is the most common reason.",
        "The difference is significant.",
        "Men leave because the app is slow.",
        "Question Q77 should be looked at.",
        "Satisfaction is highest in the North.",
        "One in four customers is at risk.",
    ] {
        assert!(!check_opinion(text, &project).holds, "{text}");
    }
}

// proves: B6
#[test]
fn what_is_wrong_is_told_with_the_value_that_is_right() {
    let project = project();
    let told = |text: &str, figures: &[&str]| {
        let stated = filled(&project, text, figures);
        check(&project, &Rules::default(), &stated).faults.join(" ")
    };
    let right = evaluate(&project, &Rules::default(), WOMEN).unwrap().text;
    let faults = told("99 % of women are satisfied with the app.", &[WOMEN]);
    assert!(faults.contains(&right) && faults.contains("99 %"), "{faults}");
    let faults = told("{2} % of women and {1} % of men are satisfied with the app.", &[WOMEN, MEN]);
    assert!(faults.contains("wrong label"), "{faults}");
    let rules = Rules { least_base: 5000, ..Rules::default() };
    let stated = filled(&project, "{1} % of women are satisfied with the app.", &[WOMEN]);
    let checked = check(&project, &rules, &stated);
    assert!(checked.faults.join(" ").contains("below 5000"), "{:?}", checked.faults);
    let stated = Stated { text: stated.text, figures: vec!["share(Q99=top2)".into()] };
    let checked = check(&project, &rules, &stated);
    assert!(checked.faults.join(" ").contains("no question 'Q99'"), "{:?}", checked.faults);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn no_text_panics(text in "\\PC{0,80}") {
        let project = project();
        let figures = vec![GAP.to_owned(), CHANGE.to_owned()];
        let _ = check(&project, &Rules::default(), &Stated { text: text.clone(), figures });
        let _ = check_opinion(&text, &project);
    }

    #[test]
    fn no_sentence_panics(
        text in "((women|men|W1|W2|62|48|%|points|half|a third|one in|ten|than|more|highest|most|rose|from|to|twice|as|n =|top|\\(|\\)|,|-|±|p <|scale|not|significantly|55 and over|both|,) ?){0,25}"
    ) {
        let project = project();
        let figures = vec![GAP.to_owned(), CHANGE.to_owned(), PRICE.to_owned()];
        let _ = check(&project, &Rules::default(), &Stated { text: text.clone(), figures });
        let _ = check_opinion(&text, &project);
    }
}

// proves: B6
#[test]
fn a_figure_is_called_what_it_is_and_weighed_as_its_study_is() {
    let project = project();
    let holds = |text: &str, figure: &str| {
        let stated = Stated { text: text.into(), figures: vec![figure.into()] };
        let checked = check(&project, &Rules::default(), &stated);
        (checked.holds, checked.faults)
    };
    let shown = |figure: &str| evaluate(&project, &Rules::default(), figure).unwrap().text;
    let told = |what: &str, figure: &str| format!("The {what} of hours was {}.", shown(figure));
    for (what, figure) in [
        ("mean", "median(Q7)"),
        ("median", "mean(Q7)"),
        ("mean", "sd(Q7)"),
        ("standard deviation", "mean(Q7)"),
        ("total", "mean(Q7)"),
    ] {
        let text = told(what, figure);
        assert!(!holds(&text, figure).0, "{text}");
    }
    let text = format!(
        "{} of respondents are satisfied with the app.",
        shown("share(Q5=top2, weight=none)")
    );
    let (held, faults) = holds(&text, "share(Q5=top2, weight=none)");
    assert!(!held && faults.iter().any(|fault| fault.contains("unweighted")), "{faults:?}");
    for figure in ["share(Q5=top2, segment=Q5:top2)", "mean(Q7, segment=Q7:1)"] {
        assert!(evaluate(&project, &Rules::default(), figure).is_err(), "{figure}");
    }
    for text in [
        "９９ % are satisfied with the app.",
        "¾ are satisfied with the app.",
        "⑨ in ten are satisfied.",
    ] {
        assert!(!holds(text, "share(Q5=top2)").0, "{text}");
        assert!(!check_opinion(text, &project).holds, "{text}");
    }
}
