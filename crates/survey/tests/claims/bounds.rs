//! Who is left out, taken in and set against others, and when: over the example survey.

use super::example::{all_hold, none_holds};

const ALL: &str = "share(Q5=top2)";
const BEFORE: &str = "share(Q5=top2, study=W1)";
const YOUNG: &str = "share(Q5=top2, segment=18-34)";
const MIDDLE: &str = "share(Q5=top2, segment=35-54)";
const OLD: &str = "share(Q5=top2, segment=55 and over)";
const CHANGE: &str = "change(share(Q5=top2), from=W1, to=W2)";
const PUNCTUAL: &str = "change(share(Q4_1=top2), from=W1, to=W2)";
const NPS: &str = "change(nps(Q6), from=W1, to=W2)";
const SPENT: &str = "mean(Q7)";

// proves: B6
// proves: C13
#[test]
fn what_is_left_out_is_not_what_a_number_is_of() {
    none_holds(&[
        ("Apart from 18-34, {1.1} % were satisfied with the city buses.", &[YOUNG]),
        ("Everybody except 18-34 was satisfied with the city buses ({1.1} %).", &[YOUNG]),
        ("With 18-34 excluded, {1.1} % were satisfied with the city buses.", &[YOUNG]),
        ("18-34 aside, {1.1} % were satisfied with the city buses.", &[YOUNG]),
        ("All ages other than 18-34 were satisfied with the city buses ({1.1} %).", &[YOUNG]),
        ("{1.1} % were satisfied with the city buses beyond 18-34.", &[YOUNG]),
        ("Without 18-34, {1.1} % were satisfied with the city buses.", &[YOUNG]),
        ("{1.1} % were satisfied with the city buses, all but 18-34.", &[YOUNG]),
        ("{1.1} % are satisfied with the city buses rather than 18-34.", &[YOUNG]),
        ("Up to 35-54, {1.1} % were satisfied with the city buses.", &[MIDDLE]),
        ("{1.1} % were satisfied with the city buses, such as 35-54.", &[MIDDLE]),
        ("{1.1} % of at least 35-54 were satisfied with the city buses.", &[MIDDLE]),
        ("{1.1} % were satisfied with the city buses, 35-54 among them.", &[MIDDLE]),
        ("{1.1} % were satisfied with the city buses from W1 on.", &[BEFORE]),
        (
            "Outside the Centre, passengers spend {1.1} euros a month on bus tickets.",
            &["mean(Q7, segment=Centre)"],
        ),
    ]);
}

// proves: B6
// proves: C13
#[test]
fn what_is_set_against_another_has_its_own_number() {
    none_holds(&[
        ("Unlike 18-34, {1.1} % were satisfied with the city buses.", &[YOUNG]),
        ("Unlike 18-34, {1.1} % were satisfied with the city buses overall.", &[YOUNG, ALL]),
        ("In contrast to 18-34, {1.1} % were satisfied with the city buses.", &[YOUNG]),
        ("Compared with 18-34, {1.1} % were satisfied with the city buses.", &[YOUNG]),
        ("Versus 18-34, {1.1} % were satisfied with the city buses overall.", &[YOUNG, ALL]),
        ("Relative to W1, {1.1} % were satisfied with the city buses.", &[BEFORE]),
        ("Those above 18-34 were satisfied with the city buses at {1.1} %.", &[YOUNG]),
        ("Below 35-54, {1.1} % were satisfied with the city buses.", &[MIDDLE]),
        ("From 35-54 up, {1.1} % were satisfied with the city buses.", &[MIDDLE]),
        ("{1.1} % of 35-54 and above were satisfied with the city buses.", &[MIDDLE]),
        ("By contrast, {1.1} % were satisfied with the city buses.", &[ALL]),
        ("Compared with other towns, {1.1} % were satisfied with the city buses.", &[ALL]),
    ]);
    all_hold(&[
        (
            "{1.1} % of 35-54 were satisfied with the city buses, compared with {2.1} % of 18-34.",
            &[MIDDLE, YOUNG],
        ),
        (
            "Compared with 18-34 ({2.1} %), {1.1} % of 35-54 were satisfied with the city buses.",
            &[MIDDLE, YOUNG],
        ),
        (
            "{1.1} % of 18-34 were satisfied with the city buses, against {2.1} % overall.",
            &[YOUNG, ALL],
        ),
        (
            "Unlike 35-54 ({2.1} %), only {1.1} % of 18-34 were satisfied with the city buses.",
            &[YOUNG, MIDDLE],
        ),
        (
            "18-34 ({1.1} %) are below 35-54 ({2.1} %) in satisfaction with the city buses.",
            &[YOUNG, MIDDLE],
        ),
        (
            "35-54 were satisfied with the city buses at {1.1} %; by contrast, {2.1} % of 18-34 were.",
            &[MIDDLE, YOUNG],
        ),
    ]);
}

// proves: B6
// proves: C13
#[test]
fn who_is_taken_in_has_a_figure() {
    none_holds(&[
        (
            "In each age group, 35-54 included, {1.1} % were satisfied with the city buses.",
            &[MIDDLE],
        ),
        (
            "All age groups, including 35-54, were satisfied with the city buses ({1.1} %).",
            &[MIDDLE],
        ),
        ("{1.1} % were satisfied with the city buses, not only 35-54.", &[MIDDLE]),
        ("{1.1} % of 35-54 and others were satisfied with the city buses.", &[MIDDLE]),
        (
            "Across age groups, {1.1} % were satisfied with the city buses, as among 35-54.",
            &[MIDDLE],
        ),
        ("{1.1} % of 35-54 plus 18-34 were satisfied with the city buses.", &[MIDDLE, YOUNG]),
        (
            "Satisfaction with the city buses fell by {d1.1} points from W1 to W2 in every age group.",
            &[CHANGE],
        ),
        ("{1.1} % of 18-34 were satisfied with the city buses in all parts of town.", &[YOUNG]),
        (
            "{1.1} % of 18-34 were satisfied with the city buses, as were 35-54 ({2.1} %).",
            &[YOUNG, MIDDLE],
        ),
        (
            "Another {1.1} % were satisfied with the city buses, {2.1} % very satisfied.",
            &[ALL, "share(Q5=5)"],
        ),
    ]);
    all_hold(&[
        (
            "Of all age groups, {1.1} % of 18-34, {2.1} % of 35-54 and {3.1} % of 55 and over were satisfied with the city buses.",
            &[YOUNG, MIDDLE, OLD],
        ),
        (
            "{1.1} % were satisfied with the city buses, including {2.1} % very satisfied.",
            &[ALL, "share(Q5=5)"],
        ),
        (
            "{1.1} % were satisfied with the city buses, and a further {2.1} % were neither satisfied nor dissatisfied.",
            &[ALL, "share(Q5=3)"],
        ),
        (
            "Satisfaction with the city buses is lowest of all age groups among 18-34 ({1.1} %).",
            &[YOUNG],
        ),
    ]);
}

// proves: B6
// proves: C13
#[test]
fn seasons_and_spans_are_those_of_the_studies() {
    none_holds(&[
        ("{1.1} % were satisfied with the city buses in autumn 2026.", &[ALL]),
        ("{1.1} % were satisfied with the city buses in March 2026.", &[ALL]),
        ("In winter, {1.1} % were satisfied with the city buses.", &[ALL]),
        ("In May 2026, {1.1} % were satisfied with the city buses.", &[ALL]),
        ("{1.1} % were satisfied with the city buses in W2, the summer wave.", &[ALL]),
        ("A year ago, {1.1} % were satisfied with the city buses.", &[ALL]),
        (
            "Satisfaction with the city buses fell from {2.1} % in W1 to {1.1} % in W2, two years later.",
            &[CHANGE],
        ),
        (
            "Satisfaction with the city buses fell from {2.1} % in W1 to {1.1} % in W2 within six months.",
            &[CHANGE],
        ),
        (
            "Satisfaction with the city buses fell by {d1.1} points a month from W1 to W2.",
            &[CHANGE],
        ),
        (
            "Satisfaction with the city buses declined each month, from {2.1} % in W1 to {1.1} % in W2.",
            &[CHANGE],
        ),
        (
            "Satisfaction with the city buses fell steadily from {2.1} % in W1 to {1.1} % in W2.",
            &[CHANGE],
        ),
        ("Passengers spend {1.1} euros a week on bus tickets.", &[SPENT]),
        ("Passengers spent {1.1} euros a month on bus tickets last month.", &[SPENT]),
    ]);
    all_hold(&[
        ("In spring 2026, {1.1} % were satisfied with the city buses.", &[ALL]),
        (
            "Satisfaction with the city buses fell from {2.1} % in W1 to {1.1} % in W2, a year later.",
            &[CHANGE],
        ),
        (
            "Satisfaction with the city buses fell from {2.1} % in W1 to {1.1} % in W2 within a year.",
            &[CHANGE],
        ),
        (
            "Between spring 2025 and spring 2026, satisfaction with the city buses fell from {2.1} % to {1.1} %.",
            &[CHANGE],
        ),
        ("Passengers spend {1.1} euros a month on bus tickets.", &[SPENT]),
    ]);
}

// proves: B6
// proves: C13
#[test]
fn what_is_told_of_two_times_has_figures_of_both() {
    none_holds(&[
        ("Satisfaction with the city buses still stands at {1.1} %.", &[ALL]),
        ("Satisfaction with the city buses was again {1.1} %.", &[ALL]),
        (
            "Satisfaction with the city buses remained at {1.1} % in W2, from {2.1} % in W1.",
            &[CHANGE],
        ),
        ("Satisfaction with the city buses stayed at {1.1} % in W2 ({2.1} % in W1).", &[CHANGE]),
        ("{1.1} % are still satisfied with the city buses in W2, {2.1} % in W1.", &[CHANGE]),
        ("{1.1} % already were satisfied with the city buses in W2, and {2.1} % in W1.", &[CHANGE]),
        ("{1.1} % now take a city bus less often.", &["share(Q1=4)"]),
        ("In the earliest survey, {1.1} % were satisfied with the city buses.", &[ALL]),
        ("Earlier, {1.1} % were satisfied with the city buses.", &[ALL]),
        ("Currently, {1.1} % were satisfied with the city buses in W1.", &[BEFORE]),
        ("Satisfaction with the city buses has since fallen to {1.1} %.", &[ALL]),
        ("Since they are young, {1.1} % of 18-34 were satisfied with the city buses.", &[YOUNG]),
        ("Satisfaction with the city buses was {2.1} % in W1 after {1.1} % in W2.", &[CHANGE]),
        (
            "Satisfaction with the city buses was {2.1} % in W1, up from the previous {1.1} %.",
            &[CHANGE],
        ),
        ("The NPS for recommending the city buses still is {1}.", &["nps(Q6)"]),
        ("Even 18-34 were satisfied with the city buses ({1.1} %).", &[YOUNG]),
    ]);
    all_hold(&[
        (
            "Satisfaction with punctuality remained at {1.1} % in W2, after {2.1} % in W1.",
            &[PUNCTUAL],
        ),
        (
            "Satisfaction with punctuality still stands at {1.1} % in W2 ({2.1} % in W1).",
            &[PUNCTUAL],
        ),
        (
            "Satisfaction with the city buses has fallen since W1, from {2.1} % to {1.1} %.",
            &[CHANGE],
        ),
        (
            "Satisfaction with the city buses now stands at {1.1} %, down from {2.1} % in W1.",
            &[CHANGE],
        ),
        ("Satisfaction with the city buses fell to {1.1} % in W2, after {2.1} % in W1.", &[CHANGE]),
        ("Currently, {1.1} % are satisfied with the city buses.", &[ALL]),
        ("The NPS for recommending the city buses fell from {2} in W1 to {1} in W2.", &[NPS]),
    ]);
}

// proves: B6
#[test]
fn age_groups_and_changes_go_by_what_they_are() {
    none_holds(&[
        ("Older passengers (18-34) were satisfied with the city buses at {1.1} %.", &[YOUNG]),
        ("Older passengers (35-54) were satisfied with the city buses at {1.1} %.", &[MIDDLE]),
        ("Younger passengers (55 and over) were satisfied with the city buses at {1.1} %.", &[OLD]),
        ("Older passengers were satisfied with the city buses at {1.1} %.", &[ALL]),
        ("Seniors (35-54) were satisfied with the city buses at {1.1} %.", &[MIDDLE]),
        (
            "Satisfaction with the city buses barely moved from W1 ({2.1} %) to W2 ({1.1} %).",
            &[CHANGE],
        ),
    ]);
    all_hold(&[
        ("{1.1} % of older passengers (55 and over) were satisfied with the city buses.", &[OLD]),
        ("{1.1} % of younger passengers (18-34) were satisfied with the city buses.", &[YOUNG]),
        (
            "Satisfaction with punctuality hardly changed between W1 ({2.1} %) and W2 ({1.1} %).",
            &[PUNCTUAL],
        ),
    ]);
}
