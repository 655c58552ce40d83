//! Names of grid items, what is alike, sizes of differences, ranks and orders, over the example survey.

use super::example::{all_hold, none_holds};

const PUNCTUALITY: &str = "share(Q4_1=top2, study=W2)";
const CLEANLINESS: &str = "share(Q4_2=top2, study=W2)";
const PRICE: &str = "share(Q4_3=top2, study=W2)";
const DRIVERS: &str = "share(Q4_4=top2, study=W2)";
const INFORMATION: &str = "share(Q4_5=top2, study=W2)";
const ALL: &str = "share(Q5=top2, study=W2)";
const BEFORE: &str = "share(Q5=top2, study=W1)";
const YOUNG: &str = "share(Q5=top2, segment=18-34, study=W2)";
const MIDDLE: &str = "share(Q5=top2, segment=35-54, study=W2)";
const OLD: &str = "share(Q5=top2, segment=55 and over, study=W2)";
const WOMEN: &str = "share(Q5=top2, segment=Female, study=W2)";
const MEN: &str = "share(Q5=top2, segment=Male, study=W2)";
const NORTH: &str = "share(Q5=top2, segment=North, study=W2)";
const WORK: &str = "share(Q2=Q2_1, study=W2)";
const SHOPPING: &str = "share(Q2=Q2_3, study=W2)";
const LEISURE: &str = "share(Q2=Q2_4, study=W2)";
const NO_CAR: &str = "share(Q2=Q2_5, study=W2)";
const GAP: &str =
    "share(Q5=top2, segment=35-54, study=W2) - share(Q5=top2, segment=18-34, study=W2)";

fn all_false(texts: &[&str], figures: &[&str]) {
    let sentences: Vec<(&str, &[&str])> = texts.iter().map(|text| (*text, figures)).collect();
    none_holds(&sentences);
}

fn all_true(texts: &[&str], figures: &[&str]) {
    let sentences: Vec<(&str, &[&str])> = texts.iter().map(|text| (*text, figures)).collect();
    all_hold(&sentences);
}

// proves: B6
// proves: C13
#[test]
fn a_number_stands_with_the_item_of_a_grid_that_it_is_of() {
    none_holds(&[
        (
            "In W2, satisfaction was {2.1} % with punctuality and {1.1} % with cleanliness.",
            &[PUNCTUALITY, CLEANLINESS],
        ),
        (
            "Satisfaction with punctuality was {2.1} % and with cleanliness {1.1} % in W2.",
            &[PUNCTUALITY, CLEANLINESS],
        ),
        (
            "In W2, {2.1} % are satisfied with the drivers and {1.1} % with the price of tickets.",
            &[DRIVERS, PRICE],
        ),
        ("Drivers and price of tickets: {2.1} % and {1.1} % satisfied in W2.", &[DRIVERS, PRICE]),
        (
            "Satisfaction with ticket prices is {1.1} % in W2, and with the bus drivers {2.1} %.",
            &[DRIVERS, PRICE],
        ),
        (
            "In W2, cleanliness ({3.1} %), punctuality ({2.1} %) and the drivers ({1.1} %) satisfy passengers.",
            &[PUNCTUALITY, CLEANLINESS, DRIVERS],
        ),
        (
            "Satisfaction in W2: punctuality {2.1} %, cleanliness {3.1} %, price of tickets {1.1} %.",
            &[PUNCTUALITY, CLEANLINESS, PRICE],
        ),
        (
            "In W2, passengers are satisfied with information ({1.1} %) and cleanliness ({2.1} %).",
            &[CLEANLINESS, INFORMATION],
        ),
        (
            "In W2, {1.1} % are satisfied with the city buses all in all and {2.1} % with punctuality.",
            &[PUNCTUALITY, ALL],
        ),
        (
            "Drivers ({1.1} %) are ahead of price ({2.1} %) in satisfaction in W2.",
            &[PRICE, DRIVERS],
        ),
    ]);
    all_hold(&[
        (
            "Satisfaction with punctuality was {1.1} % and with cleanliness {2.1} % in W2.",
            &[PUNCTUALITY, CLEANLINESS],
        ),
        (
            "In W2, a majority are satisfied with cleanliness ({1.1} %) and information ({2.1} %).",
            &[CLEANLINESS, INFORMATION],
        ),
        (
            "In W2, {1.1} % are satisfied with the drivers and {2.1} % with the price of tickets.",
            &[DRIVERS, PRICE],
        ),
        (
            "Punctuality, cleanliness and drivers reach {1.1} %, {2.1} % and {3.1} % satisfied in W2.",
            &[PUNCTUALITY, CLEANLINESS, DRIVERS],
        ),
        (
            "In W2, {1.1} % are satisfied with the city buses all in all and {2.1} % with punctuality.",
            &[ALL, PUNCTUALITY],
        ),
        (
            "Satisfaction with the drivers ({1.1} %) is higher than with ticket prices ({2.1} %) in W2.",
            &[DRIVERS, PRICE],
        ),
        (
            "The top-2 share for “How satisfied are you with the buses' … – Punctuality” was {1.1} % in W2.",
            &[PUNCTUALITY],
        ),
    ]);
}

// proves: B6
// proves: C13
#[test]
fn what_differs_significantly_is_not_alike_however_it_is_put() {
    let about = "satisfaction with the city buses";
    let told = [
        "18-34 ({1.1} %) are about as satisfied with the city buses as 35-54 ({2.1} %)",
        "18-34 ({1.1} %) and 35-54 ({2.1} %) are as satisfied with the city buses",
        "just as many 18-34 ({1.1} %) as 35-54 ({2.1} %) are satisfied with the city buses",
        "nearly as many 18-34 ({1.1} %) as 35-54 ({2.1} %) are satisfied with the city buses",
        "ABOUT among 18-34 ({1.1} %) is in line with 35-54 ({2.1} %)",
        "ABOUT is close between 18-34 ({1.1} %) and 35-54 ({2.1} %)",
        "18-34 ({1.1} %) follow 35-54 ({2.1} %) closely in ABOUT",
        "18-34 ({1.1} %) match 35-54 ({2.1} %) in ABOUT",
        "18-34 ({1.1} %) are level with 35-54 ({2.1} %) in ABOUT",
        "ABOUT is on a par for 18-34 ({1.1} %) and 35-54 ({2.1} %)",
        "ABOUT is comparable among 18-34 ({1.1} %) and 35-54 ({2.1} %)",
        "ABOUT lies within a narrow range: {1.1} % among 18-34 and {2.1} % among 35-54",
        "there is little difference in ABOUT between 18-34 ({1.1} %) and 35-54 ({2.1} %)",
        "there is no gap in ABOUT between 18-34 ({1.1} %) and 35-54 ({2.1} %)",
        "18-34 ({1.1} %) and 35-54 ({2.1} %) are hardly apart in ABOUT",
        "ABOUT differs little between 18-34 ({1.1} %) and 35-54 ({2.1} %)",
    ];
    let texts = told.map(|text| format!("In W2, {}.", text.replace("ABOUT", about)));
    all_false(&texts.each_ref().map(String::as_str), &[YOUNG, MIDDLE]);
    none_holds(&[
        (
            "Satisfaction with the city buses barely moved from W1 ({1.1} %) to W2 ({2.1} %).",
            &[BEFORE, ALL],
        ),
        (
            "Satisfaction with the city buses was {1.1} % in W1 and {2.1} % in W2, almost as high.",
            &[BEFORE, ALL],
        ),
        (
            "Satisfaction with the city buses was {1.1} % in W1 and {2.1} % in W2, close to each other.",
            &[BEFORE, ALL],
        ),
        (
            "In W2, the drivers ({1.1} %) and the price of tickets ({2.1} %) come close in satisfaction.",
            &[DRIVERS, PRICE],
        ),
        (
            "In W2, women ({1.1} %) and men ({2.1} %) are not equally satisfied with the city buses.",
            &[WOMEN, MEN],
        ),
        (
            "In W2, men ({2.1} %) are not as satisfied with the city buses as women ({1.1} %).",
            &[WOMEN, MEN],
        ),
        (
            "In W2, women ({1.1} %) and men ({2.1} %) are exactly as satisfied with the city buses.",
            &[WOMEN, MEN],
        ),
        (
            "In W2, satisfaction with the city buses is identical among women ({1.1} %) and men ({2.1} %).",
            &[WOMEN, MEN],
        ),
    ]);
}

// proves: B6
#[test]
fn what_differs_by_chance_is_alike() {
    all_true(
        &[
            "In W2, women ({1.1} %) are about as satisfied with the city buses as men ({2.1} %).",
            "In W2, nearly as many men ({2.1} %) as women ({1.1} %) are satisfied with the city buses.",
            "In W2, satisfaction with the city buses among women ({1.1} %) is in line with men ({2.1} %).",
            "In W2, satisfaction with the city buses is close between women ({1.1} %) and men ({2.1} %).",
            "In W2, women ({1.1} %) and men ({2.1} %) are on a par in satisfaction with the city buses.",
            "In W2, there is little difference in satisfaction with the city buses between women ({1.1} %) and men ({2.1} %).",
        ],
        &[WOMEN, MEN],
    );
    all_hold(&[
        (
            "In W2, 18-34 ({1.1} %) are not as satisfied with the city buses as 35-54 ({2.1} %).",
            &[YOUNG, MIDDLE],
        ),
        (
            "In W2, 18-34 ({1.1} %) and 35-54 ({2.1} %) are not equally satisfied with the city buses.",
            &[YOUNG, MIDDLE],
        ),
        (
            "Spending on bus tickets hardly changed between waves: {1.2} euros in W1, {2.2} euros in W2, no significant difference.",
            &["mean(Q7, study=W1)", "mean(Q7, study=W2)"],
        ),
        ("In W2, as many as {1.1} % of 35-54 are satisfied with the city buses.", &[MIDDLE]),
        (
            "In W2, no car ({1.1} %) and leisure and friends ({2.1} %) come close as reasons to take the bus.",
            &[NO_CAR, LEISURE],
        ),
    ]);
}

// proves: B6
// proves: C13
#[test]
fn a_difference_is_as_large_as_it_is_said_to_be() {
    all_false(
        &[
            "Satisfaction with the city buses fell slightly, from {1.1} % in W1 to {2.1} % in W2.",
            "Satisfaction with the city buses fell somewhat, from {1.1} % in W1 to {2.1} % in W2.",
            "Satisfaction with the city buses fell a little, from {1.1} % in W1 to {2.1} % in W2.",
            "Satisfaction with the city buses fell marginally from {1.1} % in W1 to {2.1} % in W2.",
            "Satisfaction with the city buses fell steadily from {1.1} % in W1 to {2.1} % in W2.",
        ],
        &[BEFORE, ALL],
    );
    all_false(
        &[
            "In W2, satisfaction with the city buses is slightly lower among 18-34 ({1.1} %) than among 35-54 ({2.1} %).",
            "In W2, 18-34 ({1.1} %) are a bit less satisfied with the city buses than 35-54 ({2.1} %).",
            "In W2, there is a slight gap in satisfaction with the city buses between 18-34 ({1.1} %) and 35-54 ({2.1} %).",
            "In W2, the difference in satisfaction with the city buses between 18-34 ({1.1} %) and 35-54 ({2.1} %) is small.",
            "In W2, the difference in satisfaction with the city buses between 18-34 ({1.1} %) and 35-54 ({2.1} %) is negligible.",
        ],
        &[YOUNG, MIDDLE],
    );
    all_false(
        &[
            "In W2, there is a clear gap in satisfaction with the city buses between women ({1.1} %) and men ({2.1} %).",
            "In W2, women ({1.1} %) and men ({2.1} %) differ strongly in satisfaction with the city buses.",
            "In W2, a large difference separates women ({1.1} %) and men ({2.1} %) in satisfaction with the city buses.",
            "In W2, gender matters for satisfaction with the city buses: women {1.1} %, men {2.1} %.",
            "In W2, women stand out: {1.1} % are satisfied with the city buses, against {2.1} % of men.",
            "In W2, women top men in satisfaction with the city buses ({1.1} %, {2.1} %).",
        ],
        &[WOMEN, MEN],
    );
    none_holds(&[
        ("In W2, a strong {1.1} % are satisfied with the city buses.", &[ALL]),
        ("In W2, {1.1} % were satisfied with the city buses, which is low.", &[ALL]),
        ("In W2, {1.1} % are clearly satisfied with the city buses.", &[ALL]),
        (
            "In W2, 35-54 stand out with {2.1} % satisfied with the city buses, against {1.1} % of 18-34 and {3.1} % of 55 and over.",
            &[YOUNG, MIDDLE, OLD],
        ),
        (
            "In W2, the drivers ({1.1} %) are only slightly ahead of the price of tickets ({2.1} %) in satisfaction.",
            &[DRIVERS, PRICE],
        ),
    ]);
    all_hold(&[
        (
            "Satisfaction with the city buses fell sharply, from {1.1} % in W1 to {2.1} % in W2.",
            &[BEFORE, ALL],
        ),
        (
            "In W2, 18-34 ({1.1} %) are much less satisfied with the city buses than 35-54 ({2.1} %).",
            &[YOUNG, MIDDLE],
        ),
        (
            "In W2, there is a clear gap in satisfaction with the city buses between 18-34 ({1.1} %) and 35-54 ({2.1} %).",
            &[YOUNG, MIDDLE],
        ),
        (
            "At {1.1} %, 18-34 are well below 35-54 ({2.1} %) in satisfaction with the city buses in W2.",
            &[YOUNG, MIDDLE],
        ),
        (
            "In W2, satisfaction with the city buses is slightly higher among women ({1.1} %) than among men ({2.1} %), but the difference is not significant.",
            &[WOMEN, MEN],
        ),
        (
            "In W2, 18-34 stand out with {1.1} % satisfied with the city buses, against {2.1} % of 35-54 and {3.1} % of 55 and over.",
            &[YOUNG, MIDDLE, OLD],
        ),
    ]);
}

// proves: B6
// proves: C13
#[test]
fn a_gap_changes_between_two_studies_alone() {
    let told = [
        "widened to",
        "narrowed to",
        "grew to",
        "shrank to",
        "closed to",
        "increased to",
        "has fallen to",
        "is up to",
        "rose by",
    ];
    let texts = told.map(|verb| {
        format!("The gap in satisfaction with the city buses between 35-54 and 18-34 {verb} {{d1.1}} points in W2.")
    });
    all_false(&texts.each_ref().map(String::as_str), &[GAP]);
    all_false(
        &[
            "In W2, 35-54 extended their lead over 18-34 in satisfaction with the city buses to {d1.1} points.",
            "18-34 reduced the gap to 35-54 in satisfaction with the city buses to {d1.1} points in W2.",
        ],
        &[GAP],
    );
    let price =
        |segment: &str, study: &str| format!("share(Q4_3=top2, segment={segment}, study={study})");
    let four =
        [price("18-34", "W1"), price("35-54", "W1"), price("18-34", "W2"), price("35-54", "W2")];
    let four = four.each_ref().map(String::as_str);
    let text = |verb: &str| {
        format!(
            "The gap between 18-34 and 35-54 in satisfaction with the price of tickets {verb}: among 18-34 from {{1.1}} % in W1 to {{3.1}} % in W2, among 35-54 from {{2.1}} % in W1 to {{4.1}} % in W2."
        )
    };
    all_true(&[&text("widened"), &text("grew")], &four);
    all_false(&[&text("narrowed"), &text("shrank"), &text("closed")], &four);
    all_true(
        &[
            "The gap in satisfaction with the city buses between 35-54 and 18-34 is {d1.1} points in W2.",
            "In W2, the difference between 35-54 and 18-34 in satisfaction with the city buses is {d1.1} points.",
        ],
        &[GAP],
    );
}

// proves: B6
// proves: C13
#[test]
fn what_comes_first_is_the_highest_of_all() {
    all_false(
        &[
            "The way to work is the number one reason to take the bus in W2 ({1.1} %).",
            "The way to work is the No. 1 reason to take the bus in W2 ({1.1} %).",
            "The way to work is the main reason to take the bus in W2 ({1.1} %).",
            "The way to work is the chief reason to take the bus in W2 ({1.1} %).",
            "The way to work is the primary reason to take the bus in W2 ({1.1} %).",
            "The leading reason to take the bus in W2 is the way to work ({1.1} %).",
            "The key reason to take the bus in W2 is the way to work ({1.1} %).",
            "The favourite reason to take the bus in W2 is the way to work ({1.1} %).",
            "The way to work is the foremost reason to take the bus in W2 ({1.1} %).",
            "The way to work is in first place among the reasons to take the bus in W2 ({1.1} %).",
            "The way to work leads the reasons to take the bus in W2 ({1.1} %).",
            "The way to work tops the reasons to take the bus in W2 ({1.1} %).",
        ],
        &[WORK],
    );
    none_holds(&[
        (
            "The main reasons to take the bus in W2 are shopping ({1.1} %) and no car ({2.1} %).",
            &[SHOPPING, NO_CAR],
        ),
        (
            "The two main reasons to take the bus in W2 are shopping ({1.1} %) and no car ({2.1} %).",
            &[SHOPPING, NO_CAR],
        ),
        (
            "The top reasons to take the bus in W2 are shopping ({1.1} %) and no car ({2.1} %).",
            &[SHOPPING, NO_CAR],
        ),
        ("In W2, passengers are least satisfied with punctuality ({1.1} %).", &[PUNCTUALITY]),
        (
            "In W2, the highest satisfaction of the five aspects is with cleanliness ({1.1} %).",
            &[CLEANLINESS],
        ),
    ]);
    all_hold(&[
        ("Shopping is the main reason to take the bus in W2 ({1.1} %).", &[SHOPPING]),
        ("Shopping is the number one reason to take the bus in W2 ({1.1} %).", &[SHOPPING]),
        ("Shopping leads the reasons to take the bus in W2 with {1.1} %.", &[SHOPPING]),
        (
            "The main reasons to take the bus in W2 are shopping ({1.1} %) and the way to work ({2.1} %).",
            &[SHOPPING, WORK],
        ),
        (
            "Passengers are most satisfied with the drivers ({1.1} %) and least satisfied with the price of tickets ({2.1} %) in W2.",
            &[DRIVERS, PRICE],
        ),
        (
            "In W2, {1.1} % of passengers are satisfied with the drivers, the highest of the five aspects.",
            &[DRIVERS],
        ),
        ("The drivers are the aspect with the highest satisfaction in W2 ({1.1} %).", &[DRIVERS]),
    ]);
}

// proves: B6
// proves: C13
#[test]
fn an_order_is_that_of_the_values() {
    none_holds(&[
        (
            "In W2, no car ({1.1} %) is followed by the way to work ({2.1} %) as a reason to take the bus.",
            &[NO_CAR, WORK],
        ),
        (
            "In W2, the reasons to take the bus are no car ({1.1} %), the way to work ({2.1} %) and shopping ({3.1} %), in this order.",
            &[NO_CAR, WORK, SHOPPING],
        ),
        (
            "Ranked, the reasons to take the bus in W2 are no car ({1.1} %), the way to work ({2.1} %) and shopping ({3.1} %).",
            &[NO_CAR, WORK, SHOPPING],
        ),
        (
            "In descending order, the reasons to take the bus in W2 are the way to work ({1.1} %), shopping ({2.1} %) and no car ({3.1} %).",
            &[WORK, SHOPPING, NO_CAR],
        ),
        (
            "In ascending order, the reasons to take the bus in W2 are shopping ({1.1} %), the way to work ({2.1} %) and no car ({3.1} %).",
            &[SHOPPING, WORK, NO_CAR],
        ),
        (
            "In W2, people take the bus for the way to work ({1.1} %), then for shopping ({2.1} %).",
            &[WORK, SHOPPING],
        ),
        (
            "Shopping ({1.1} %) leads as a reason to take the bus in W2, followed by no car ({2.1} %) and the way to work ({3.1} %).",
            &[SHOPPING, NO_CAR, WORK],
        ),
        (
            "In W2, satisfaction is ranked: cleanliness {1.1} %, information {2.1} %, drivers {3.1} %.",
            &[CLEANLINESS, INFORMATION, DRIVERS],
        ),
    ]);
    all_hold(&[
        (
            "Shopping ({1.1} %) leads as a reason to take the bus in W2, followed by the way to work ({2.1} %) and no car ({3.1} %).",
            &[SHOPPING, WORK, NO_CAR],
        ),
        (
            "Ranked, the reasons to take the bus in W2 are shopping ({1.1} %), the way to work ({2.1} %) and no car ({3.1} %).",
            &[SHOPPING, WORK, NO_CAR],
        ),
        (
            "In ascending order, the reasons to take the bus in W2 are no car ({1.1} %), the way to work ({2.1} %) and shopping ({3.1} %).",
            &[NO_CAR, WORK, SHOPPING],
        ),
        (
            "In W2, satisfaction with the drivers ({1.1} %) comes first, followed by information ({2.1} %) and cleanliness ({3.1} %).",
            &[DRIVERS, INFORMATION, CLEANLINESS],
        ),
    ]);
}

// proves: B6
// proves: C13
#[test]
fn only_one_label_does_what_no_other_does() {
    let south = "share(Q5=top2, segment=South, study=W2)";
    let price =
        |segment: &str, study: &str| format!("share(Q4_3=top2, segment={segment}, study={study})");
    let (before, after) = (price("35-54", "W1"), price("35-54", "W2"));
    let young = ["W1", "W2"].map(|study| format!("share(Q5=top2, segment=18-34, study={study})"));
    none_holds(&[
        (
            "The North is the only part of town where over half are satisfied with the city buses, at {1.1} % in W2.",
            &[NORTH],
        ),
        (
            "In W2, only the North is above 55 % in satisfaction with the city buses, at {1.1} %.",
            &[NORTH],
        ),
        (
            "In W2, only in the North are more than half satisfied with the city buses ({1.1} %).",
            &[NORTH],
        ),
        (
            "In W2, the South is the only part of town with a majority satisfied with the city buses ({1.1} %).",
            &[south],
        ),
        (
            "The only age group over half is 55 and over, with {1.1} % satisfied with the city buses in W2.",
            &[OLD],
        ),
        (
            "Only shopping is named by over 35 % as a reason to take the bus in W2 ({1.1} %).",
            &[SHOPPING],
        ),
        ("In W2, only 35-54 are satisfied with the city buses ({1.1} %).", &[MIDDLE]),
        (
            "Satisfaction with the price of tickets fell only among 35-54, from {1.1} % in W1 to {2.1} % in W2.",
            &[&before, &after],
        ),
    ]);
    all_hold(&[
        (
            "In W2, only 18-34 are below 40 % in satisfaction with the city buses, at {1.1} %.",
            &[YOUNG],
        ),
        (
            "In W2, 18-34 are the only age group where less than 40 % are satisfied with the city buses ({1.1} %).",
            &[YOUNG],
        ),
        (
            "Only shopping is named by over 40 % as a reason to take the bus in W2 ({1.1} %).",
            &[SHOPPING],
        ),
        ("In W2, only {1.1} % of 18-34 are satisfied with the city buses.", &[YOUNG]),
        (
            "Satisfaction with the city buses fell only among 18-34, from {1.1} % in W1 to {2.1} % in W2.",
            &[&young[0], &young[1]],
        ),
    ]);
}

// proves: B6
// proves: C13
#[test]
fn a_change_goes_from_the_earlier_study_to_the_later_one() {
    all_false(
        &[
            "Satisfaction with the city buses went to {1.1} % in W1 from {2.1} % in W2.",
            "Satisfaction with the city buses moved from {2.1} % in W2 to {1.1} % in W1.",
            "Satisfaction with the city buses was {1.1} % in W1, up from {2.1} % in W2.",
            "Satisfaction with the city buses rose to {1.1} % in W1 from {2.1} % in W2.",
            "From W2 to W1, satisfaction with the city buses rose from {2.1} % to {1.1} %.",
            "Satisfaction with the city buses reached {1.1} % in W1 after {2.1} % in W2.",
            "Satisfaction with the city buses came to {1.1} % in spring 2025, from {2.1} % in spring 2026.",
        ],
        &[BEFORE, ALL],
    );
    all_true(
        &[
            "Satisfaction with the city buses fell to {2.1} % in W2 from {1.1} % in W1.",
            "Satisfaction with the city buses went from {1.1} % in W1 to {2.1} % in W2.",
            "Satisfaction with the city buses was {2.1} % in W2, after {1.1} % in W1.",
            "Since W1, satisfaction with the city buses fell from {1.1} % to {2.1} %.",
        ],
        &[BEFORE, ALL],
    );
    all_hold(&[(
        "Ticket purchases at machines have lost ground: {2.1} % in W2 after {1.1} % in W1.",
        &["share(Q3=2, study=W1)", "share(Q3=2, study=W2)"],
    )]);
}

// proves: B6
// proves: C13
#[test]
fn a_clause_of_reason_is_a_cause() {
    all_false(
        &[
            "Since they are young, {1.1} % of 18-34 were satisfied with the city buses in W2.",
            "As they are young, {1.1} % of 18-34 were satisfied with the city buses in W2.",
            "Given their age, {1.1} % of 18-34 were satisfied with the city buses in W2.",
            "In W2, {1.1} % of 18-34 were satisfied with the city buses, for they have no car.",
        ],
        &[YOUNG],
    );
    all_false(
        &[
            "Age makes the difference: in W2, {1.1} % of 18-34 and {2.1} % of 35-54 were satisfied with the city buses.",
            "Age makes all the difference: in W2, {1.1} % of 18-34 and {2.1} % of 35-54 were satisfied with the city buses.",
            "Age plays a role: in W2, {1.1} % of 18-34 and {2.1} % of 35-54 were satisfied with the city buses.",
        ],
        &[YOUNG, MIDDLE],
    );
}
