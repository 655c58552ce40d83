//! How many: quantifiers, answers told together and alone, Yes and No, and names of segments in other words.

use super::example::{all_hold, none_holds};

const PUNCTUAL: &str = "share(Q4_1=top2)";
const DRIVERS: &str = "share(Q4_4=top2)";
const ONLINE: &str = "share(Q3=Online)";
const ALL: &str = "share(Q5=top2)";
const EITHER: &str = "share(Q2=Q2_1|Q2_3)";
const HEARD: &str = "share(Q9=1)";
const UNHEARD: &str = "share(Q9=2)";
const SHOPPING: &str = "share(Q2=Q2_3)";
const WORK: &str = "share(Q2=Q2_1)";
const PROMOTERS: &str = "share(Q6=9|10)";
const DETRACTORS: &str = "share(Q6=0|1|2|3|4|5|6)";
const YOUNG: &str = "share(Q5=top2, segment=age_group:18-34)";
const MIDDLE: &str = "share(Q5=top2, segment=age_group:35-54)";
const OLD: &str = "share(Q5=top2, segment=age_group:55 and over)";
const STUDIES: &str = "share(Q2=Q2_2)";

// proves: B6
// proves: C13
#[test]
fn a_word_of_quantity_is_held_against_the_share_wherever_it_stands() {
    none_holds(&[
        ("Most passengers are satisfied with punctuality ({1.1} %).", &[PUNCTUAL]),
        ("Most riders are satisfied with punctuality ({1.1} %).", &[PUNCTUAL]),
        ("Most visitors are satisfied with punctuality ({1.1} %).", &[PUNCTUAL]),
        ("Most say they are satisfied with punctuality ({1.1} %).", &[PUNCTUAL]),
        ("The larger part is satisfied with punctuality ({1.1} %).", &[PUNCTUAL]),
        ("Passengers as a whole are satisfied with punctuality ({1.1} %).", &[PUNCTUAL]),
        ("Few passengers are satisfied with punctuality ({1.1} %).", &[PUNCTUAL]),
        ("Very few are satisfied with punctuality ({1.1} %).", &[PUNCTUAL]),
        ("Generally, passengers are satisfied with punctuality ({1.1} %).", &[PUNCTUAL]),
        ("In W2, most are satisfied with punctuality ({1.1} %).", &[PUNCTUAL]),
        ("The bulk of riders are satisfied with punctuality, {1.1} %.", &[PUNCTUAL]),
        ("Typically, riders are satisfied with punctuality ({1.1} %).", &[PUNCTUAL]),
        ("In general, people are satisfied with punctuality ({1.1} %).", &[PUNCTUAL]),
        ("On the whole, people are satisfied with punctuality ({1.1} %).", &[PUNCTUAL]),
        ("The greater share of riders is satisfied with punctuality ({1.1} %).", &[PUNCTUAL]),
        ("At {1.1} %, satisfaction with punctuality is what most passengers report.", &[PUNCTUAL]),
        ("Passengers are mostly satisfied with punctuality ({1.1} %).", &[PUNCTUAL]),
        ("With {1.1} %, nobody is satisfied with punctuality.", &[PUNCTUAL]),
        ("In W2 no passenger is satisfied with punctuality ({1.1} %).", &[PUNCTUAL]),
        ("A small part of passengers ({1.1} %) is satisfied with punctuality.", &[PUNCTUAL]),
        ("{1.1} %, and so most, are satisfied with punctuality.", &[PUNCTUAL]),
        ("{1.1} % are satisfied with punctuality, hence almost all residents.", &[PUNCTUAL]),
        ("Some passengers, in fact most, are satisfied with punctuality ({1.1} %).", &[PUNCTUAL]),
        ("Not many passengers are satisfied with punctuality ({1.1} %).", &[PUNCTUAL]),
        ("Not even a minority are satisfied with punctuality ({1.1} %).", &[PUNCTUAL]),
        ("{1.1} % are satisfied with punctuality, not a minority.", &[PUNCTUAL]),
        ("Satisfaction with punctuality is typical ({1.1} %).", &[PUNCTUAL]),
        ("Someone is satisfied with punctuality ({1.1} %).", &[PUNCTUAL]),
        ("Every passenger is satisfied with punctuality ({1.1} %).", &[PUNCTUAL]),
        ("Each passenger is satisfied with punctuality ({1.1} %).", &[PUNCTUAL]),
        ("{1.1} % of each age are satisfied with punctuality.", &[PUNCTUAL]),
        ("In W2 all respondents are satisfied with the drivers ({1.1} %).", &[DRIVERS]),
        ("All passengers are satisfied with the drivers ({1.1} %).", &[DRIVERS]),
        ("In W2 everybody is satisfied with the drivers ({1.1} %).", &[DRIVERS]),
        ("The entire sample is satisfied with the drivers ({1.1} %).", &[DRIVERS]),
        ("All riders are satisfied with the drivers ({1.1} %).", &[DRIVERS]),
        ("With {1.1} %, everyone is satisfied with the drivers.", &[DRIVERS]),
        ("The whole sample is satisfied with the drivers ({1.1} %).", &[DRIVERS]),
        ("Satisfaction with the drivers is shared by all passengers ({1.1} %).", &[DRIVERS]),
        ("Passengers all are satisfied with the drivers ({1.1} %).", &[DRIVERS]),
        ("Satisfaction with the drivers is told by everyone ({1.1} %).", &[DRIVERS]),
        ("People are consistently satisfied with the drivers ({1.1} %).", &[DRIVERS]),
        ("Passengers, all of them, are satisfied with the drivers ({1.1} %).", &[DRIVERS]),
        ("The drivers satisfy nearly all ({1.1} %).", &[DRIVERS]),
        ("Nearly all passengers are satisfied with the drivers ({1.1} %).", &[DRIVERS]),
        ("Every second passenger is satisfied with the drivers ({1.1} %).", &[DRIVERS]),
        ("{1.1} % are satisfied with the drivers, a minority.", &[DRIVERS]),
        ("Few are satisfied with the drivers ({1.1} %).", &[DRIVERS]),
        ("Above all, passengers are satisfied with the drivers ({1.1} %).", &[DRIVERS]),
        ("Passengers as a whole are satisfied with the drivers ({1.1} %).", &[DRIVERS]),
        ("Too few are satisfied with the drivers ({1.1} %).", &[DRIVERS]),
        ("Many passengers take the bus for school or studies (19.3 %).", &[STUDIES]),
        ("Many take the bus for school or studies ({1.1} %).", &[STUDIES]),
        ("Most usually buy online ({1.1} %).", &[ONLINE]),
        ("In W2, passengers mostly buy their ticket online ({1.1} %).", &[ONLINE]),
        ("Tickets are usually bought online ({1.1} %).", &[ONLINE]),
        ("Passengers usually buy their ticket online ({1.1} %).", &[ONLINE]),
        (
            "All respondents ({1.1} %) are more satisfied with the city buses than 18-34 ({2.1} %).",
            &[ALL, YOUNG],
        ),
        ("In W2, {1.1} % of all respondents are satisfied with the city buses, 18-34.", &[YOUNG]),
        ("Most passengers spend {1.1} euros on bus tickets in a month.", &["mean(Q7)"]),
        ("Everyone spends {1.1} euros on bus tickets in a month.", &["mean(Q7)"]),
        ("Passengers generally spend {1.1} euros on bus tickets in a month.", &["mean(Q7)"]),
        ("Few passengers spend {1.1} euros on bus tickets in a month.", &["mean(Q7)"]),
    ]);
}

// proves: B6
#[test]
fn a_word_of_quantity_that_fits_the_share_holds() {
    all_hold(&[
        ("{1.1} % of all respondents are satisfied with the city buses.", &[ALL]),
        ("Most passengers are satisfied with the city buses ({1.1} %).", &[ALL]),
        ("Among all passengers, {1.1} % are satisfied with the city buses.", &[ALL]),
        ("In W2, a majority of riders ({1.1} %) are satisfied with the city buses.", &[ALL]),
        ("Most respondents ({1.1} %) say that they are satisfied with the city buses.", &[ALL]),
        ("For passengers as a whole, satisfaction with the city buses stands at {1.1} %.", &[ALL]),
        ("Across the whole sample, {1.1} % are satisfied with the city buses.", &[ALL]),
        ("Not all passengers are satisfied with the city buses ({1.1} %).", &[ALL]),
        ("The larger part of passengers ({1.1} %) is satisfied with the city buses.", &[ALL]),
        ("All in all, {1.1} % of passengers are satisfied with the city buses.", &[ALL]),
        ("Only a narrow majority ({1.1} %) is satisfied with the city buses.", &[ALL]),
        ("Overall, {1.1} % are satisfied with the city buses.", &[ALL]),
        ("Many passengers buy their ticket online ({1.1} %).", &[ONLINE]),
        ("Few take the bus for school or studies ({1.1} %).", &[STUDIES]),
        ("{1.1} % usually buy their ticket online.", &[ONLINE]),
        ("More than four in ten usually buy their ticket online ({1.1} %).", &[ONLINE]),
        (
            "18-34 ({1.1} %) are less satisfied with the city buses than all respondents ({2.1} %).",
            &[YOUNG, ALL],
        ),
        ("Most residents are satisfied with the drivers ({1.1} %).", &[DRIVERS]),
        (
            "Of all age groups, 18-34 are the least satisfied with the city buses ({1.1} %).",
            &[YOUNG],
        ),
        ("Only {1.1} % are satisfied with punctuality.", &[PUNCTUAL]),
        ("Just {1.1} % of 18-34 are satisfied with the city buses.", &[YOUNG]),
        ("Of all reasons, shopping is the most common to take the bus ({1.1} %).", &[SHOPPING]),
        ("{1.1} % of everybody asked are satisfied with the drivers.", &[DRIVERS]),
        (
            "Fewer than half of all passengers ({1.1} %) are satisfied with punctuality.",
            &[PUNCTUAL],
        ),
    ]);
}

// proves: B6
// proves: C13
#[test]
fn answers_of_one_figure_are_not_told_as_given_by_the_same_people_or_alone() {
    none_holds(&[
        ("{1.1} % take the bus for both shopping and the way to work.", &[EITHER]),
        ("{1.1} % take the bus for shopping and the way to work.", &[EITHER]),
        ("{1.1} % take the bus for shopping as well as the way to work.", &[EITHER]),
        ("{1.1} % take the bus for shopping together with the way to work.", &[EITHER]),
        ("{1.1} % take the bus for shopping along with the way to work.", &[EITHER]),
        ("{1.1} % take the bus for shopping and for the way to work alike.", &[EITHER]),
        ("Shopping plus the way to work are reasons of {1.1} % to take the bus.", &[EITHER]),
        ("For {1.1} %, both the way to work and shopping are reasons to take the bus.", &[EITHER]),
        ("{1.1} % take the bus for shopping & the way to work.", &[EITHER]),
        ("{1.1} % take the bus for shopping and also for the way to work.", &[EITHER]),
        ("{1.1} % take the bus for shopping combined with the way to work.", &[EITHER]),
        ("{1.1} % take the bus for shopping only.", &[SHOPPING]),
        ("{1.1} % take the bus only for shopping.", &[SHOPPING]),
        ("{1.1} % take the bus for shopping alone.", &[SHOPPING]),
        ("{1.1} % take the bus solely for shopping.", &[SHOPPING]),
        ("{1.1} % take the bus exclusively for shopping.", &[SHOPPING]),
        ("{1.1} % take the bus for nothing but shopping.", &[SHOPPING]),
        ("{1.1} % take the bus just for shopping.", &[SHOPPING]),
        ("Shopping alone is the reason of {1.1} % to take the bus.", &[SHOPPING]),
        ("{1.1} % take the bus merely for shopping.", &[SHOPPING]),
        ("Only shopping is a reason to take the bus ({1.1} %).", &[SHOPPING]),
        ("{1.1} % take the bus simply for shopping.", &[SHOPPING]),
        ("{1.1} % take the bus purely for shopping.", &[SHOPPING]),
        (
            "{1.1} % and {2.1} % take the bus for both shopping and the way to work.",
            &[SHOPPING, WORK],
        ),
        (
            "Passengers take the bus either for shopping ({1.1} %) or for the way to work ({2.1} %).",
            &[SHOPPING, WORK],
        ),
        (
            "{1.1} % take the bus for shopping and {2.1} % for the way to work, and nobody for both.",
            &[SHOPPING, WORK],
        ),
        ("Only 18-34 are satisfied with the city buses ({1.1} %).", &[YOUNG]),
        ("{1.1} % of 18-34 alone are satisfied with the city buses.", &[YOUNG]),
    ]);
}

// proves: B6
#[test]
fn answers_of_one_figure_are_told_as_any_of_them() {
    all_hold(&[
        ("{1.1} % take the bus for shopping, the way to work or both.", &[EITHER]),
        ("{1.1} % take the bus for shopping or the way to work.", &[EITHER]),
        ("{1.1} % take the bus for either shopping or the way to work.", &[EITHER]),
        ("{1.1} % take the bus for at least one of shopping and the way to work.", &[EITHER]),
        ("{1.1} % name shopping or the way to work as a reason to take the bus.", &[EITHER]),
        ("Shopping or the way to work is a reason to take the bus for {1.1} %.", &[EITHER]),
        (
            "Together, shopping and the way to work are named by {1.1} % as reasons to take the bus.",
            &[EITHER],
        ),
        ("Only {1.1} % take the bus for shopping.", &[SHOPPING]),
        (
            "Shopping ({1.1} %) and the way to work ({2.1} %) are reasons to take the bus.",
            &[SHOPPING, WORK],
        ),
        ("Just {1.1} % take the bus for school or studies.", &[STUDIES]),
        ("{1.1} % take the bus for shopping and {2.1} % for the way to work.", &[SHOPPING, WORK]),
        ("{1.1} % buy their ticket in the app or on the website.", &["share(Q3=3|4)"]),
        (
            "Both women ({1.1} %) and men ({2.1} %) are asked about the city buses and satisfied.",
            &["share(Q5=top2, segment=gender:Female)", "share(Q5=top2, segment=gender:Male)"],
        ),
    ]);
}

// proves: B6
// proves: C13
#[test]
fn yes_is_not_told_with_a_negation_nor_no_without_one() {
    none_holds(&[
        ("{1.1} % have not heard of the new night line N7.", &[HEARD]),
        ("{1.1} % haven't heard of the new night line N7.", &[HEARD]),
        ("{1.1} % have heard of the new night line N7.", &[UNHEARD]),
        ("{1.1} % have never heard of the new night line N7.", &[HEARD]),
        ("In W2, {1.1} % have yet to hear of the new night line N7.", &[HEARD]),
        ("Of the new night line N7, {1.1} % have not heard.", &[HEARD]),
        ("The majority ({1.1} %) have heard of the new night line N7.", &[UNHEARD]),
        ("{1.1} % have heard of the new night line N7 and {2.1} % have not.", &[UNHEARD, HEARD]),
        ("Six in ten passengers have heard of the new night line N7.", &[UNHEARD]),
        ("{1.1} % said Yes, they have not heard of the new night line N7.", &[HEARD]),
        ("{1.1} % say no, they have heard of the new night line N7.", &[UNHEARD]),
        ("{1.1} % answered No when asked about the new night line N7.", &[HEARD]),
        ("{1.1} % of passengers ask about the new night line N7.", &[UNHEARD]),
        ("{1.1} % use the new night line N7, having heard of it.", &[HEARD]),
        (
            "{1.1} % of 18-34 have not heard of the new night line N7.",
            &["share(Q9=1, segment=age_group:18-34)"],
        ),
        ("{1.1} % would have heard of the new night line N7.", &[HEARD]),
        ("No one has heard of the new night line N7 ({1.1} %).", &[HEARD]),
        ("{1.1} % have heard of no new night line N7.", &[HEARD]),
        ("The new night line N7 is new to {1.1} %, who had not heard of it.", &[HEARD]),
    ]);
}

// proves: B6
#[test]
fn yes_and_no_are_told_by_the_verb_of_the_question() {
    all_hold(&[
        ("{1.1} % have heard of the night line N7.", &[HEARD]),
        ("Four in ten have heard of the night line N7.", &[HEARD]),
        ("Four in ten passengers ({1.1} %) have heard of the new night line N7 in W2.", &[HEARD]),
        ("{1.1} % have not heard of the new night line N7.", &[UNHEARD]),
        ("{1.1} % haven't heard of it, the new night line N7.", &[UNHEARD]),
        ("The majority ({1.1} %) have not heard of the new night line N7 in W2.", &[UNHEARD]),
        ("{1.1} % have heard of the new night line N7, {2.1} % have not.", &[HEARD, UNHEARD]),
        ("{1.1} % said Yes, they have heard of the new night line N7.", &[HEARD]),
        ("{1.1} % said No when asked about the new night line N7.", &[UNHEARD]),
        ("Six in ten passengers have not heard of the new night line N7 ({1.1} %).", &[UNHEARD]),
        (
            "The share of 18-34 who have heard of the new night line N7 is {1.1} %.",
            &["share(Q9=1, segment=age_group:18-34)"],
        ),
        (
            "{1.1} % of 18-34 have heard of the new night line N7, compared with {2.1} % of 35-54.",
            &["share(Q9=1, segment=age_group:18-34)", "share(Q9=1, segment=age_group:35-54)"],
        ),
        (
            "In W2, {1.1} % of women had never heard of the new night line N7.",
            &["share(Q9=2, segment=gender:Female)"],
        ),
        ("Those who have heard of the new night line N7 are a minority ({1.1} %).", &[HEARD]),
        ("Most passengers have not heard of the new night line N7 ({1.1} %).", &[UNHEARD]),
        ("{1.1} % of passengers said yes, they have heard of the new night line N7.", &[HEARD]),
    ]);
}

// proves: B6
// proves: C13
#[test]
fn a_segment_is_not_called_what_its_label_is_not() {
    none_holds(&[
        ("{1.1} % are detractors.", &[PROMOTERS]),
        ("A third ({1.1} %) are detractors.", &[PROMOTERS]),
        ("{1.1} % are promoters.", &[DETRACTORS]),
        (
            "{1.1} % promoters and {2.1} % detractors, NPS +7.9.",
            &[DETRACTORS, PROMOTERS, "nps(Q6)"],
        ),
        ("{1.1} % are promoters.", &["share(Q6=8|9|10)"]),
        ("{1.1} % are not promoters.", &[PROMOTERS]),
        ("Most passengers are promoters ({1.1} %).", &[PROMOTERS]),
        ("Older passengers (18-34) are less satisfied with the city buses ({1.1} %).", &[YOUNG]),
        ("{1.1} % of older passengers (35-54) are satisfied with the city buses.", &[MIDDLE]),
        ("{1.1} % of younger passengers (55 and over) are satisfied with the city buses.", &[OLD]),
        (
            "{1.1} % of older passengers, 55 and over and more, are satisfied with the city buses.",
            &[OLD],
        ),
        ("{1.1} % of 18- to 35-year-olds are satisfied with the city buses.", &[YOUNG]),
        (
            "{1.1} % of Harbour islands residents are satisfied with punctuality.",
            &["share(Q4_1=top2, segment=region:Centre)"],
        ),
        ("{1.1} % of young passengers (55 and over) are satisfied with the city buses.", &[OLD]),
        (
            "{1.1} % of elderly women (Female) are satisfied with the city buses.",
            &["share(Q5=top2, segment=gender:Female)"],
        ),
    ]);
}

// proves: B6
#[test]
fn a_segment_is_called_by_words_that_its_label_explains() {
    all_hold(&[
        ("A third ({1.1} %) are promoters.", &[PROMOTERS]),
        (
            "{1.1} % promoters and {2.1} % detractors, NPS {3.1}.",
            &[PROMOTERS, DETRACTORS, "nps(Q6)"],
        ),
        ("{1.1} % of 18- to 34-year-olds are satisfied with the city buses.", &[YOUNG]),
        (
            "Harbour islands residents are less satisfied with punctuality ({1.1} %) than those in the Centre ({2.1} %).",
            &[
                "share(Q4_1=top2, segment=region:Harbour islands)",
                "share(Q4_1=top2, segment=region:Centre)",
            ],
        ),
        ("{1.1} % of older passengers (55 and over) are satisfied with the city buses.", &[OLD]),
        ("{1.1} % of younger passengers (18-34) are satisfied with the city buses.", &[YOUNG]),
        (
            "Older passengers (55 and over) are more satisfied with the city buses ({1.1} %) than 18-34 ({2.1} %).",
            &[OLD, YOUNG],
        ),
        ("In W2, {1.1} % are promoters and {2.1} % detractors.", &[PROMOTERS, DETRACTORS]),
        ("The NPS is {1.1}: {2.1} % are promoters.", &["nps(Q6)", PROMOTERS]),
        (
            "{1.1} % of Harbour islands residents are satisfied with punctuality.",
            &["share(Q4_1=top2, segment=region:Harbour islands)"],
        ),
    ]);
}
