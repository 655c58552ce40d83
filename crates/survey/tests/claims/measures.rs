//! What a figure is of, what it is counted in, and what it is not.

use survey::claims::check;
use survey::figure::Rules;
use survey::project::Project;
use survey::read::{File, project};

use super::example::{all_hold, none_holds};
use super::filled;

const SPENT: &str = "mean(Q7)";
const HALF: &str = "median(Q7)";
const DRIVERS: &str = "mean(Q4_4)";
const NPS: &str = "nps(Q6)";
const ALL: &str = "share(Q5=top2)";
const UNHAPPY: &str = "share(Q5=bottom2)";
const UNWEIGHTED: &str = "share(Q5=top2, weight=none)";

// proves: B6
// proves: C13
#[test]
fn a_mean_is_in_the_unit_and_for_the_time_of_its_question() {
    none_holds(
        &[
            "On average, passengers spend {1.2} pounds a month on bus tickets.",
            "The mean spend on bus tickets is {1.2} dollars.",
            "The mean spend on bus tickets is {1.2} cents a month.",
            "On average, passengers spend {1.2} euros on bus tickets every week.",
            "The mean spend on bus tickets is {1.2} euros a day.",
            "The mean spend on bus tickets is {1.2} euros per ticket.",
            "On average, passengers spend {1.2} euros per person on bus tickets in a month.",
            "Passengers spend ${1.2} a month on bus tickets on average.",
            "Passengers spend an average of £{1.2} a month on bus tickets.",
            "The daily mean spend on bus tickets is {1.2} euros.",
            "The annual mean spend on bus tickets is {1.2} euros.",
            "The yearly average of euros spent on bus tickets is {1.2}.",
            "Passengers spend {1.2} hours a month on bus tickets on average.",
            "Passengers spend {1.2} points a month on bus tickets on average.",
            "Passengers spend {1.2} times a month on bus tickets on average.",
            "The mean spend on bus tickets is {1.2} euros per quarter.",
            "Passengers spend {1.2} bus tickets a month on average.",
            "Passengers spend {1.2} euros on average in two months on bus tickets.",
            "Passengers spend {1.2} euros on bus tickets over the year on average.",
            "Passengers spend {1.2} euros on bus tickets in one week on average.",
            "Passengers spend {1.2}k euros a month on bus tickets on average.",
        ]
        .map(|text| (text, &[SPENT][..])),
    );
    none_holds(&[
        ("The drivers are rated {1.2} days on average for satisfaction.", &[DRIVERS]),
        ("Satisfaction with the drivers averages {1.2} a week.", &[DRIVERS]),
        ("{1.1} % a month are satisfied with the city buses.", &[ALL]),
        ("{1.1} % per wave are satisfied with the city buses.", &[ALL]),
    ]);
    all_hold(
        &[
            "On average, passengers spend {1.2} euros a month on bus tickets.",
            "The average monthly spend on bus tickets is {1.2} euros.",
            "Passengers pay {1.2} euros per month for bus tickets on average.",
            "Passengers spent about €{1} on bus tickets in a month on average.",
            "The mean spend on bus tickets stands at {1.2} euros.",
            "Monthly spending on bus tickets averaged {1.2} euros.",
        ]
        .map(|text| (text, &[SPENT][..])),
    );
    all_hold(&[
        ("{1.1} % take a city bus about once a week.", &["share(Q1=3)"]),
        ("{1.1} % take a city bus several times a week.", &["share(Q1=2)"]),
    ]);
}

// proves: B6
// proves: C13
#[test]
fn a_mean_and_nps_are_told_of_nobody_whom_no_figure_is_of() {
    none_holds(
        &[
            "The mean spend on bus tickets of students is {1.2} euros a month.",
            "The mean spend on bus tickets of poor households is {1.2} euros a month.",
            "On average, retired passengers spend {1.2} euros a month on bus tickets.",
            "On average, families spend {1.2} euros a month on bus tickets.",
            "On average, passengers with children spend {1.2} euros a month on bus tickets.",
            "On average, even teenagers spend {1.2} euros a month on bus tickets.",
            "On average, passengers spend {1.2} euros a month on bus tickets, before discounts.",
            "Passengers rarely spend {1.2} euros a month on bus tickets on average.",
            "The minimum spend on bus tickets was {1.2} euros a month.",
            "The typical spend on bus tickets was {1.2} euros a month.",
        ]
        .map(|text| (text, &[SPENT][..])),
    );
    none_holds(&[
        ("The mean satisfaction of tourists with the drivers is {1.2}.", &[DRIVERS]),
        ("The mean satisfaction of rural passengers with the drivers is {1.2}.", &[DRIVERS]),
        ("The NPS of the city buses among managers is {1.1}.", &[NPS]),
        ("The NPS of the city buses is {1.1} among loyal passengers.", &[NPS]),
        ("The NPS of the city buses is {1.1}, world class.", &[NPS]),
        ("The NPS of the trams is {1.1}.", &[NPS]),
    ]);
    all_hold(&[
        (
            "On average, 18-34 spend {1.2} euros a month on bus tickets.",
            &["mean(Q7, segment=18-34)"],
        ),
        ("The mean satisfaction with the drivers is {1.2} on a scale from 1 to 5.", &[DRIVERS]),
        ("The drivers score {1.2} out of 5 for satisfaction.", &[DRIVERS]),
        ("The NPS of the city buses is {1.1}.", &[NPS]),
        ("The net promoter score for recommending the city buses to a friend is {1.1}.", &[NPS]),
    ]);
}

// proves: B6
// proves: C13
#[test]
fn what_could_or_must_be_is_no_figure() {
    for word in ["must", "could", "should", "will", "may", "might", "would", "can", "ought to"] {
        let mean =
            format!("Passengers {word} spend {{1.2}} euros a month on bus tickets on average.");
        let share = format!("{{1.1}} % {word} be satisfied with the city buses.");
        none_holds(&[(&mean, &[SPENT]), (&share, &[ALL])]);
    }
    none_holds(&[
        ("Passengers want to spend {1.2} euros a month on bus tickets on average.", &[SPENT]),
        ("Passengers need to spend {1.2} euros a month on bus tickets on average.", &[SPENT]),
        ("Passengers save {1.2} euros a month on bus tickets on average.", &[SPENT]),
        ("{1.1} % would take the bus to work.", &["share(Q2=Q2_1)"]),
        ("{1.1} % are too satisfied with the city buses.", &[ALL]),
        ("Exactly {1.1} % are satisfied with the city buses.", &[ALL]),
        (
            "With 95 % confidence, {1.1} % is precisely the share satisfied with the city buses.",
            &[ALL],
        ),
    ]);
    all_hold(&[
        ("{1.1} % would recommend the city buses to a friend.", &["share(Q6=top2)"]),
        ("{1.1} % are satisfied with the city buses, too.", &[ALL]),
        ("{1.1} % take the bus to work.", &["share(Q2=Q2_1)"]),
    ]);
}

// proves: B6
// proves: C13
#[test]
fn a_mean_says_nothing_of_how_many() {
    none_holds(
        &[
            "Everyone spends {1.2} euros a month on bus tickets.",
            "Nobody spends more than {1.2} euros a month on bus tickets.",
            "Most passengers spend {1.2} euros a month on bus tickets.",
            "All passengers spend {1.2} euros a month on bus tickets.",
            "Many passengers spend {1.2} euros a month on bus tickets.",
            "No passenger spends less than {1.2} euros a month on bus tickets.",
            "Passengers spend at least {1.2} euros a month on bus tickets.",
            "Passengers spend up to {1.2} euros a month on bus tickets.",
            "Passengers spend {1.2} euros or more a month on bus tickets.",
            "Passengers spend {1.2} euros a month or less on bus tickets.",
            "Passengers spend {1.2} euros and over a month on bus tickets.",
            "Passengers spend {1.2}+ euros a month on bus tickets on average.",
            "Passengers spend ≥ {1.2} euros a month on bus tickets on average.",
            "Passengers often spend {1.2} euros a month on bus tickets.",
            "The sum spent on bus tickets is {1.2} euros a month.",
            "Passengers jointly spend {1.2} euros a month on bus tickets.",
            "Half of passengers spend {1.2} euros or less a month on bus tickets.",
        ]
        .map(|text| (text, &[SPENT][..])),
    );
    none_holds(&[
        (
            "A third of passengers spend {1.2} euros or less a month on bus tickets (median).",
            &[HALF],
        ),
        ("Half of passengers spend {1.2} euros a month on bus tickets (median).", &[HALF]),
        (
            "More than half of passengers spend {1.2} euros or less a month on bus tickets (median).",
            &[HALF],
        ),
        ("With an NPS of {1.1}, most passengers recommend the city buses.", &[NPS]),
        ("The NPS of the city buses is {1.1}, so few recommend them to a friend.", &[NPS]),
        ("{1.1} % or more are satisfied with the city buses.", &[ALL]),
    ]);
    all_hold(&[
        ("Half of passengers spend {1.2} euros or less a month on bus tickets (median).", &[HALF]),
        (
            "Half of respondents spend {1.2} euros or more on bus tickets in a month, the median.",
            &[HALF],
        ),
        ("At the median, passengers spend {1.2} euros a month on bus tickets.", &[HALF]),
        ("Passengers spend more than 29 euros a month on bus tickets on average.", &[SPENT]),
    ]);
}

// proves: B6
// proves: C13
#[test]
fn nps_is_no_share_and_on_no_scale_of_answers() {
    none_holds(
        &[
            "Promoters of the city buses stand at {1.1}.",
            "{1.1} is the share of promoters of the city buses, less detractors.",
            "Detractors of the city buses come to {1.1} by NPS.",
            "The NPS of the city buses is {1.1} on a scale from 0 to 10.",
            "The NPS of the city buses is {1.1} out of 10.",
            "The NPS of the city buses is {1.1}, a negative one.",
            "Passengers are likely to recommend the city buses, with an NPS of {1.1}.",
        ]
        .map(|text| (text, &[NPS][..])),
    );
    all_hold(&[
        ("The NPS of the city buses is positive, at {1.1}.", &[NPS]),
        ("18-34 have a negative NPS ({1.1}) for the city buses.", &["nps(Q6, segment=18-34)"]),
        ("The net promoter score of the city buses stands at {1.1}.", &[NPS]),
    ]);
}

// proves: B6
// proves: C13
#[test]
fn a_mean_is_called_by_the_answer_that_it_is_nearest_to() {
    none_holds(&[
        ("Passengers are very satisfied with the drivers, with a mean of {1.2}.", &[DRIVERS]),
        ("Passengers are dissatisfied with the drivers, with a mean of {1.2}.", &[DRIVERS]),
        ("On average, the drivers are rated very dissatisfied ({1.2}).", &[DRIVERS]),
        ("Dissatisfaction with the drivers averages {1.2}.", &[DRIVERS]),
        ("Satisfaction with the drivers averages {1.2} of 4.", &[DRIVERS]),
        ("The drivers are rated good, {1.2} on average for satisfaction.", &[DRIVERS]),
        (
            "On average, passengers are satisfied with the price of tickets ({1.2}).",
            &["mean(Q4_3)"],
        ),
        ("On average, passengers are very satisfied with the city buses ({1.2}).", &["mean(Q5)"]),
        (
            "On average, passengers are neither satisfied nor dissatisfied with the drivers ({1.2}).",
            &[DRIVERS],
        ),
    ]);
    all_hold(&[
        ("On average, passengers are rather satisfied with the drivers ({1.2}).", &[DRIVERS]),
        ("On average, passengers are satisfied with the drivers ({1.2}).", &[DRIVERS]),
        ("The mean of how satisfied passengers are with the drivers is {1.2}.", &[DRIVERS]),
    ]);
}

// proves: B6
// proves: C13
#[test]
fn a_figure_is_unweighted_only_where_it_weighs_nobody() {
    none_holds(&[
        ("Unweighted, {1.1} % were satisfied with the city buses.", &[ALL]),
        ("{1.1} % were satisfied with the city buses (unweighted).", &[ALL]),
        ("The unweighted share satisfied with the city buses is {1.1} %.", &[ALL]),
        ("On unweighted data, {1.1} % were satisfied with the city buses.", &[ALL]),
        ("Unweighted, passengers spend {1.2} euros a month on bus tickets on average.", &[SPENT]),
        ("The unweighted NPS of the city buses is {1.1}.", &[NPS]),
        ("{1.1} % were satisfied with the city buses (unweighted share, n = {b1}).", &[ALL]),
        ("{1.1} % unweighted respondents were satisfied with the city buses.", &[ALL]),
        ("Weighted, {1.1} % were satisfied with the city buses.", &[UNWEIGHTED]),
        ("The weighted share satisfied with the city buses is {1.1} %.", &[UNWEIGHTED]),
        ("{1.1} % were satisfied with the city buses (unweighted base: {b1}).", &[UNWEIGHTED]),
    ]);
    all_hold(&[
        ("{1.1} % were satisfied with the city buses (unweighted base: {b1}).", &[ALL]),
        ("{1.1} % were satisfied with the city buses (n = {b1}, unweighted).", &[ALL]),
        ("{1.1} % were satisfied with the city buses, with {b1} unweighted respondents.", &[ALL]),
        ("The weighted share satisfied with the city buses is {1.1} %.", &[ALL]),
        ("Unweighted, {1.1} % were satisfied with the city buses.", &[UNWEIGHTED]),
    ]);
}

// proves: B6
// proves: C13
#[test]
fn a_degree_and_a_prefix_are_part_of_what_is_told() {
    none_holds(&[
        ("{1.1} % were rather satisfied with the city buses.", &[ALL]),
        ("{1.1} % were rather dissatisfied with the city buses.", &[UNHAPPY]),
        ("{1.1} % were very dissatisfied with the city buses.", &[UNHAPPY]),
        ("{1.1} % were un-satisfied with the city buses.", &[ALL]),
        ("{1.1} % were dis-satisfied with the city buses.", &[ALL]),
        ("{1.1} % were Un‑satisfied with the city buses.", &[ALL]),
        ("{1.1} % of non-passengers were satisfied with the city buses.", &[ALL]),
        ("{1.1} % of non-users were satisfied with the city buses.", &[ALL]),
        ("{1.1} % were less satisfied with the city buses.", &[ALL]),
        ("{1.1} % were more satisfied with the city buses.", &[ALL]),
        ("{1.1} % were close to satisfied with the city buses.", &[ALL]),
        ("{1.1} % were nearly satisfied with the city buses.", &[ALL]),
        ("{1.1} % were little satisfied with the city buses.", &[ALL]),
        ("{1.1} % were often satisfied with the city buses.", &[ALL]),
        ("{1.1} % came to be satisfied with the city buses.", &[ALL]),
        ("A weak {1.1} % were satisfied with the city buses.", &[ALL]),
        ("{1.1} % were satisfied with the city buses, which is low.", &[ALL]),
        ("{1.1} %oo were satisfied with the city buses.", &[ALL]),
        ("{1.1} %% were satisfied with the city buses.", &[ALL]),
    ]);
    all_hold(&[
        ("{1.1} % were rather or very satisfied with the city buses.", &[ALL]),
        ("{1.1} % were at least rather satisfied with the city buses.", &[ALL]),
        ("{1.1} % were rather satisfied with the city buses.", &["share(Q5=4)"]),
        (
            "{1.1} % were rather satisfied and {2.1} % very satisfied with the city buses.",
            &["share(Q5=4)", "share(Q5=5)"],
        ),
        ("{1.1} % were dis-satisfied with the city buses.", &[UNHAPPY]),
        ("{1.1} percent of the passengers were satisfied with the city buses.", &[ALL]),
    ]);
}

// proves: B6
#[test]
fn one_of_so_many_may_have_its_noun_between() {
    none_holds(&[
        ("One passenger in three was dissatisfied with the city buses.", &[UNHAPPY]),
        ("One passenger in seven was dissatisfied with the city buses.", &[UNHAPPY]),
        ("Two passengers in five were dissatisfied with the city buses.", &[UNHAPPY]),
        ("One respondent out of ten was dissatisfied with the city buses.", &[UNHAPPY]),
        ("Three passengers in ten were satisfied with the city buses.", &[ALL]),
        ("Nine passengers in ten were satisfied with the city buses.", &[ALL]),
    ]);
    all_hold(&[
        ("One passenger in five was dissatisfied with the city buses.", &[UNHAPPY]),
        ("One respondent out of five was dissatisfied with the city buses ({1.1} %).", &[UNHAPPY]),
        ("Four passengers in five were satisfied with the drivers.", &["share(Q4_4=top2)"]),
    ]);
}

/// A survey whose answers are numbers.
fn cars() -> Project {
    let codebook = "variable,label,type,values,missing,top,role,set,grid\n\
        home,Rooms at home,single,1=1|2=2|3=3,,,segment,,\n\
        cars,How many cars do you have?,single,0=0|1=1|2=2|3=3,,,,,\n\
        price,How much did your last car cost?,numeric,,,,,,\n";
    let mut data = String::from("home,cars,price\n");
    for row in 0..400 {
        let cars = if row % 100 < 54 { 1 } else { row % 4 };
        data.push_str(&format!("{},{cars},{}\n", row % 3 + 1, row % 7));
    }
    let toml = "[[study]]\nid = \"W1\"\ntitle = \"Cars\"\nfile = \"w1.csv\"\n\
        codebook = \"w1.codebook.csv\"\n";
    let files = [("survey.toml", toml), ("w1.csv", data.as_str()), ("w1.codebook.csv", codebook)];
    let files = files.map(|(name, text)| File { name: name.into(), bytes: text.into() });
    project(&files).expect("the survey can be read")
}

// proves: B6
// proves: C13
#[test]
fn a_label_that_is_a_number_is_a_name_where_it_is_called_one() {
    let project = cars();
    let one = "share(cars=1)";
    let holds = |text: &str, figures: &[&str]| {
        let stated = filled(&project, text, figures);
        let checked = check(&project, &Rules::default(), &stated);
        (checked.holds, stated.text, checked.faults)
    };
    for (text, figures) in [
        (
            "The most common answer to “How many cars do you have?” in W1 was 1, with {1.1} %.",
            [one],
        ),
        ("To “How many cars do you have?”, {1.1} % answered “1”.", [one]),
        ("Asked “How many cars do you have?”, {1.1} % answered 0.", ["share(cars=0)"]),
        (
            "The least common answer to “How many cars do you have?” was 0, with {1.1} %.",
            ["share(cars=0)"],
        ),
        ("{1.1} % answered “1” to “How many cars do you have?”.", [one]),
    ] {
        let (held, text, faults) = holds(text, &figures);
        assert!(held, "{text}: {faults:#?}");
    }
    for (text, figures) in [
        (
            "The most common answer to “How many cars do you have?” in W1 was 2, with {1.1} %.",
            [one],
        ),
        ("To “How many cars do you have?”, {1.1} % answered “3”.", [one]),
        ("To “How many cars do you have?”, {1.1} % answered “7”.", [one]),
        ("{1.1} % answered “1”, and 1 % have no car.", [one]),
        ("{1.1} % have a car, 1 in two.", [one]),
        ("The base of “How many cars do you have?” was 1, with {1.1} %.", [one]),
        ("The share of “How many cars do you have?” was 1, with {1.1} %.", [one]),
        ("{1.1} % answered 1 or 2 to “How many cars do you have?”.", [one]),
        ("{1.1} % answered 1 % to “How many cars do you have?”.", [one]),
        ("The last car cost 1, the mean being {1.2}.", ["mean(price)"]),
        ("The mean cost of the last car is “1”, or {1.2}.", ["mean(price)"]),
    ] {
        let (held, text, _) = holds(text, &figures);
        assert!(!held, "{text}");
    }
}
