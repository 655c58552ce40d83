//! Sentences over the example survey: what was once accepted though it is false, and what must stay accepted.

use std::path::PathBuf;

use survey::claims::{check, check_opinion};
use survey::figure::Rules;
use survey::project::Project;
use survey::read::{File, project};

use super::filled;

pub(crate) fn example() -> Project {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples/survey");
    let files: Vec<File> =
        ["survey.toml", "wave1.csv", "wave1.codebook.csv", "wave2.csv", "wave2.codebook.csv"]
            .iter()
            .map(|name| File {
                name: (*name).to_owned(),
                bytes: std::fs::read(folder.join(name)).expect("the example is there"),
            })
            .collect();
    project(&files).expect("the example can be read")
}

pub(crate) type Sentences<'a> = &'a [(&'a str, &'a [&'a str])];

pub(crate) fn none_holds(sentences: Sentences<'_>) {
    let project = example();
    let mut held = Vec::new();
    for (text, figures) in sentences {
        let stated = filled(&project, text, figures);
        if check(&project, &Rules::default(), &stated).holds {
            held.push(stated.text);
        }
    }
    assert!(held.is_empty(), "{} held:\n{}", held.len(), held.join("\n"));
}

pub(crate) fn all_hold(sentences: Sentences<'_>) {
    let project = example();
    let mut refused = Vec::new();
    for (text, figures) in sentences {
        let stated = filled(&project, text, figures);
        let checked = check(&project, &Rules::default(), &stated);
        if !checked.holds {
            refused.push(format!("{}\n  {:#?}", stated.text, checked.faults));
        }
    }
    assert!(refused.is_empty(), "{} refused:\n{}", refused.len(), refused.join("\n"));
}

const ALL: &str = "share(Q5=top2)";
const MIDDLE: &str = "share(Q5=top2, segment=35-54)";
const YOUNG: &str = "share(Q5=top2, segment=18-34)";
const CHANGE: &str = "change(share(Q5=top2), from=W1, to=W2)";

// proves: B6
#[test]
fn what_is_right_over_the_example_holds() {
    all_hold(&[
        ("{1.1} % are satisfied with the city buses.", &[ALL]),
        ("{1.1} % of 35-54s are satisfied with the city buses.", &[MIDDLE]),
        ("{1.1} % of passengers are happy with the city buses.", &[ALL]),
        ("{1.1} % of respondents are rather or very satisfied with the city buses.", &[ALL]),
        ("{1.1} % are dissatisfied with the city buses.", &["share(Q5=bottom2)"]),
        ("{1.1} % are unhappy with the city buses.", &["share(Q5=bottom2)"]),
        ("Dissatisfaction with the city buses stands at {1.1} %.", &["share(Q5=bottom2)"]),
        ("{1.1} % are very satisfied with the city buses.", &["share(Q5=5)"]),
        (
            "{1.1} % are satisfied with the city buses, and {2.1} % are dissatisfied.",
            &[ALL, "share(Q5=bottom2)"],
        ),
        ("{1.1} % are not satisfied with the city buses.", &["share(Q5=1|2|3)"]),
        ("The top-2 share for satisfaction with the city buses is {1.1} %.", &[ALL]),
        ("{1.1} % are likely to recommend the city buses to a friend.", &["share(Q6=top2)"]),
        ("{1.1} % are satisfied with the buses' punctuality.", &["share(Q4_1=top2)"]),
        ("{1.1} % are satisfied with the drivers of the buses.", &["share(Q4_4=top2)"]),
        ("{1.1} % of people are satisfied with the bus drivers.", &["share(Q4_4=top2)"]),
        ("{1.1} % buy their ticket in the app.", &["share(Q3=3)"]),
        ("Satisfaction with the city buses fell from {2.1} % in W1 to {1.1} % in W2.", &[CHANGE]),
        ("Satisfaction with the city buses slid from {2.1} % in W1 to {1.1} % in W2.", &[CHANGE]),
        ("On average, passengers spend {1.1} euros on bus tickets in a month.", &["mean(Q7)"]),
    ]);
}

// proves: B6
// proves: C13
#[test]
fn a_share_on_a_scale_is_not_told_of_the_other_side() {
    none_holds(&[
        ("{1.1} % of 35-54s are dissatisfied with the city buses.", &[MIDDLE]),
        ("{1.1} % of 35-54s are unhappy with the city buses.", &[MIDDLE]),
        ("{1.1} % of 35-54s are fed up with the city buses.", &[MIDDLE]),
        ("{1.1} % of 35-54s lack satisfaction with the city buses.", &[MIDDLE]),
        ("Among 35-54s, dissatisfaction with the city buses stands at {1.1} %.", &[MIDDLE]),
        ("{1.1} % of 35-54s hate the city buses.", &[MIDDLE]),
        ("{1.1} % of 35-54s complain about the city buses.", &[MIDDLE]),
        ("{1.1} % of 35-54s disapprove of the city buses.", &[MIDDLE]),
        ("{1.1} % of 35-54s are critical of the city buses.", &[MIDDLE]),
        ("{1.1} % of 35-54s rate the city buses as poor.", &[MIDDLE]),
        ("{1.1} % of 35-54s are displeased with the city buses.", &[MIDDLE]),
        ("{1.1} % of 35-54s are more dissatisfied with the city buses.", &[MIDDLE]),
        ("{1.1} % are satisfied with the city buses.", &["share(Q5=bottom2)"]),
        ("{1.1} % are happy with the city buses.", &["share(Q5=bottom2)"]),
        ("{1.1} % are satisfied with the city buses.", &["share(Q5=5)"]),
        ("{1.1} % are satisfied with the city buses.", &["share(Q5=top3)"]),
        ("{1.1} % are dissatisfied with the city buses.", &["share(Q5=1|2|3)"]),
        ("{1.1} % are not satisfied with the city buses.", &["share(Q5=bottom2)"]),
        ("{1.1} % are not satisfied with the city buses.", &[ALL]),
        ("{1.1} % are not dissatisfied with the city buses.", &[ALL]),
        ("{1.1} % are unlikely to recommend the city buses.", &["share(Q6=top2)"]),
        ("{1.1} % have rated the city buses.", &[ALL]),
        (
            "{1.1} % are dissatisfied with the city buses, and {2.1} % are satisfied.",
            &[ALL, "share(Q5=bottom2)"],
        ),
        ("{1.1} % of 18-34s are not satisfied, more than overall ({2.1} %).", &[YOUNG, ALL]),
    ]);
}

// proves: B6
// proves: C13
#[test]
fn a_share_is_not_told_of_what_another_question_asks() {
    none_holds(&[
        ("{1.1} % are satisfied with the ticket prices of the city buses.", &[ALL]),
        ("{1.1} % are satisfied with the punctuality of the city buses.", &[ALL]),
        ("{1.1} % are satisfied with the cleanliness of the city buses.", &[ALL]),
        ("{1.1} % trust the city buses.", &[ALL]),
        ("{1.1} % are satisfied with the app of the city buses.", &[ALL]),
        ("{1.1} % are satisfied with the city buses' app.", &[ALL]),
        ("{1.1} % spend money on the city buses and are satisfied.", &[ALL]),
        ("{1.1} % are satisfied with the city buses and would recommend them.", &[ALL]),
        ("{1.1} % are satisfied with the city buses and love the night line.", &[ALL]),
        ("{1.1} % of commuters to work are satisfied with the city buses.", &[ALL]),
        ("On average, passengers spend {1.1} euros on cleanliness in a month.", &["mean(Q7)"]),
    ]);
}

// proves: B6
#[test]
fn what_can_be_below_zero_has_no_ratio_and_no_growth() {
    let project = example();
    for expression in
        ["growth(nps(Q6), from=W1, to=W2)", "nps(Q6, segment=18-34) / nps(Q6, segment=35-54)"]
    {
        let wrong = survey::expression::evaluate(&project, &Rules::default(), expression);
        assert!(wrong.unwrap_err().to_string().contains("below zero"), "{expression}");
    }
    let change = "change(nps(Q6), from=W1, to=W2)";
    assert!(survey::expression::evaluate(&project, &Rules::default(), change).is_ok());
}

// proves: B6
// proves: C13
#[test]
fn a_cause_is_refused_however_it_is_put() {
    let figures = &[CHANGE][..];
    none_holds(
        &[
            "Satisfaction with the city buses fell from {2.1} % in W1 to {1.1} % in W2, which is why passengers leave.",
            "In the wake of the tickets, satisfaction with the city buses fell from {2.1} % in W1 to {1.1} % in W2.",
            "The city buses lowered satisfaction from {2.1} % in W1 to {1.1} % in W2.",
        ]
        .map(|text| (text, figures)),
    );
    none_holds(&[("Age shapes satisfaction with the city buses ({1.1} %).", &[ALL])]);
}

// proves: B6
// proves: C13
#[test]
fn a_judgement_tells_no_cause_and_no_finding() {
    let project = example();
    for text in [
        "Punctuality raises satisfaction.",
        "The price lowers satisfaction.",
        "Late buses depress satisfaction.",
        "Age shapes satisfaction.",
        "The price deters the young.",
        "Buying online boosts satisfaction.",
        "The price hurts satisfaction.",
        "The price is why the young leave.",
        "Punctuality is what puts passengers off.",
        "Satisfaction suffered in the wake of the new prices.",
        "The price is behind the fall.",
        "Punctuality is a driver of satisfaction.",
        "The drivers of satisfaction are known.",
        "Passengers are deserting the buses.",
        "Satisfaction is collapsing among the young.",
        "Passengers love the new app.",
        "Passengers are unhappy.",
        "18-34 dislike the buses.",
        "Passengers abandon the buses in droves.",
        "The young have had enough of the buses.",
        "Ticket prices are the sore point of young passengers.",
        "Cut the price of tickets, which the young cannot bear any more.",
        "Stop the decline in satisfaction among 18-34.",
        "Win back the many passengers who left.",
        "Focus on women, who are far less happy than men.",
        "Since men are happier than women, ask women first.",
        "Improve punctuality, because it drives satisfaction.",
        "Satisfaction hinges on punctuality.",
        "The app wins over the driver as the place to buy tickets.",
        "Nobody in the Centre needs the night line N7.",
        "Hardly anybody knows the night line N7.",
        "Few have heard of the night line N7.",
        "Awareness of the night line N7 is universal.",
        "Women pay the bulk of bus tickets.",
        "Raise prices, as passengers accept them.",
        "Satisfaction is at an all-time low.",
        "The survey is representative of all passengers.",
        "Answers were collected online in May.",
        "The two waves asked the same people.",
        "Put more buses on the Harbour islands, where demand is highest.",
        "Drop the season pass, which passengers shun.",
        "Punctuality pulls the overall opinion down; the operator should act.",
        "Ask 18-34, the group that spends least.",
        "Invest in the app, the favourite way to buy tickets.",
    ] {
        assert!(!check_opinion(text, &project).holds, "{text}");
    }
    for text in [
        "Ask 18-34 first what they would change.",
        "Ask 18-34 first what they mean by their answers to “Price of tickets”.",
        "Plan for 18-34 on their own.",
        "Plan for 18-34 on their own where “Punctuality” matters.",
        "What lies behind these answers is not in the data.",
        "Train the drivers of the buses first.",
        "The drivers should be asked as well.",
        "The operator should talk to passengers who use the app.",
        "A cheaper ticket may raise satisfaction among the young.",
        "Segments were searched by rule, and only what stands after Holm's correction is told.",
        "No question of these studies could be counted for this query.",
        "Find out why passengers of the Harbour islands are unhappy.",
        "If punctuality is the issue, more buses could help.",
        "For 18-34, test cheaper tickets first.",
        "The survey does not ask why passengers are satisfied.",
        "Do not raise the price of tickets before the next wave.",
        "Talk to passengers who buy online.",
        "18-34 should be asked what they miss.",
        "“All in all, how satisfied are you with the city buses?” is asked with different scales in W1 and W2, so their figures are not compared.",
        "Why passengers are satisfied remains open.",
    ] {
        let checked = check_opinion(text, &project);
        assert!(checked.holds, "{text}: {:#?}", checked.faults);
    }
}

// proves: B6
// proves: C13
#[test]
fn a_change_is_told_with_a_word_of_its_direction() {
    let wrong = ["soared", "recovered", "rocketed", "rebounded", "zigzagged", "outgrew"];
    for verb in wrong {
        let text = format!(
            "Satisfaction with the city buses {verb} from {{2.1}} % in W1 to {{1.1}} % in W2."
        );
        none_holds(&[(&text, &[CHANGE])]);
        let text = format!(
            "The NPS for recommending the city buses {verb} from {{2}} in W1 to {{1}} in W2."
        );
        none_holds(&[(&text, &["change(nps(Q6), from=W1, to=W2)"])]);
    }
    for verb in ["plunged", "slid", "tumbled"] {
        let text = format!(
            "Satisfaction with the city buses {verb} from {{2.1}} % in W1 to {{1.1}} % in W2."
        );
        all_hold(&[(&text, &[CHANGE])]);
    }
    none_holds(&[
        ("Satisfaction with the city buses ({1.1} %) is above the benchmark.", &[ALL]),
        ("At {1.1} %, satisfaction with the city buses is below target.", &[ALL]),
        ("Satisfaction with the city buses beats the record at {1.1} %.", &[ALL]),
        ("At {1.1} %, 35-54s beat the others in satisfaction with the city buses.", &[MIDDLE]),
        ("Satisfaction with the city buses lags at {1.1} %.", &[ALL]),
        ("On average, passengers spend {1.1} euros on bus tickets, behind others.", &["mean(Q7)"]),
    ]);
}

// proves: B6
#[test]
fn an_interval_is_told_with_both_its_ends() {
    let project = example();
    let found = survey::expression::evaluate(&project, &Rules::default(), ALL).unwrap();
    let (low, high) = found.parts[0].figure.interval.unwrap();
    let (low, high) = (format!("{:.1}", low * 100.0), format!("{:.1}", high * 100.0));
    let text = |low: &str, high: &str| {
        format!("{{1.1}} % are satisfied with the city buses (95 % interval {low} to {high} %).")
    };
    all_hold(&[(&text(&low, &high), &[ALL])]);
    none_holds(&[
        (&text(&high, &low), &[ALL]),
        (&text(&low, &low), &[ALL]),
        (&text(&format!("-{low}"), &high), &[ALL]),
    ]);
}

// proves: B6
#[test]
fn nothing_is_added_that_no_figure_says() {
    none_holds(&[
        ("{1.1} % were satisfied with the city buses, a record.", &[ALL]),
        ("{1.1} % of commuters were satisfied with the city buses.", &[ALL]),
        ("{1.1} % of older passengers were satisfied with the city buses.", &[ALL]),
        ("In both waves, {1.1} % were satisfied with the city buses.", &[ALL]),
        ("Last year, {1.1} % were satisfied with the city buses.", &[ALL]),
        ("{1.1} % were far from satisfied with the city buses.", &[ALL]),
        ("Every third passenger was satisfied with the city buses.", &[ALL]),
        ("{1.1} % were satisfied with the city buses, according to the Times.", &[ALL]),
        ("Satisfaction with the city buses held at {2.1} % in W1 and {1.1} % in W2.", &[CHANGE]),
        (
            "Satisfaction with the city buses hardly changed between W1 ({2.1} %) and W2 ({1.1} %).",
            &[CHANGE],
        ),
        (
            "Age makes no difference: {1.1} % of 18-34 and {2.1} % of 35-54 are satisfied with the city buses.",
            &[YOUNG, MIDDLE],
        ),
        (
            "There is no gap: {1.1} % of 18-34 and {2.1} % of 35-54 are satisfied with the city buses.",
            &[YOUNG, MIDDLE],
        ),
    ]);
}
