//! What the sentences are about, in the words of people who write summaries.

use crate::synthetic::Chance;

pub(crate) struct Topic {
    /// The answers of a share, as an expression has them.
    pub(crate) share: &'static str,
    /// After "62 % of women".
    pub(crate) does: &'static [&'static str],
    /// As the subject of a sentence, before "stands at 62 %".
    pub(crate) noun: &'static [&'static str],
}

pub(crate) const TOPICS: &[Topic] = &[
    Topic {
        share: "Q5=top2",
        does: &[
            "are satisfied with the mobile app",
            "say that they are satisfied with the mobile app",
            "are satisfied or very satisfied with the mobile app",
            "give the mobile app a top-2 box rating for satisfaction",
            "report being satisfied with the app",
        ],
        noun: &[
            "satisfaction with the mobile app",
            "the top-2 box for the mobile app",
            "app satisfaction",
        ],
    },
    Topic {
        share: "Q6=top2",
        does: &[
            "are likely to renew their contract",
            "say they are rather or very likely to renew the contract",
            "intend to renew their contract",
        ],
        noun: &[
            "the likelihood to renew the contract",
            "intention to renew the contract",
            "contract renewal (top 2 box)",
        ],
    },
    Topic {
        share: "Q5=bottom2",
        does: &[
            "are dissatisfied with the mobile app",
            "are dissatisfied or very dissatisfied with the app",
        ],
        noun: &["dissatisfaction with the mobile app", "the bottom-2 box for the mobile app"],
    },
    Topic {
        share: "Q3=Price",
        does: &[
            "name price as a reason for choosing their provider",
            "cite price as a reason",
            "chose their provider for its price",
        ],
        noun: &[
            "price as a reason for choosing the provider",
            "the share naming price as a reason",
        ],
    },
    Topic {
        share: "Q3=Q3_1|Q3_2",
        does: &[
            "name price or quality as a reason for choosing their provider",
            "mention rational reasons for choosing a provider",
        ],
        noun: &[
            "the net of rational reasons for choosing a provider",
            "the share naming price or quality as a reason",
        ],
    },
    Topic {
        share: "Q8=Supermarket",
        does: &[
            "usually buy their groceries in a supermarket",
            "go to the supermarket for their groceries",
        ],
        noun: &[
            "the supermarket as the usual place for groceries",
            "the supermarket share in buying groceries",
        ],
    },
    Topic {
        share: "Q8=3",
        does: &[
            "usually buy their groceries in an online shop",
            "use an online shop for their groceries",
        ],
        noun: &[
            "buying groceries in an online shop",
            "the online shop as the place to buy groceries",
        ],
    },
];

/// Segments, each with the words for it.
pub(crate) const SEGMENTS: &[&[(&str, &[&str])]] = &[
    &[
        ("gender:Female", &["women", "female respondents", "the women in the sample"]),
        ("gender:Male", &["men", "male respondents", "the men in the sample"]),
    ],
    &[
        (
            "age:18-34",
            &[
                "18-34-year-olds",
                "respondents aged 18 to 34",
                "those aged 18–34",
                "the 18-34 age group",
            ],
        ),
        (
            "age:35-54",
            &[
                "35-54-year-olds",
                "respondents aged 35 to 54",
                "those aged 35–54",
                "the 35-54 age group",
            ],
        ),
        ("age:55+", &["those aged 55+", "respondents aged 55 and over", "people aged 55 or older"]),
    ],
    &[
        ("region:North", &["respondents in the North", "people living in the North"]),
        ("region:South", &["respondents in the South", "people living in the South"]),
        ("region:East", &["respondents in the East", "those in the East"]),
        ("region:West", &["respondents in the West", "those in the West"]),
    ],
    &[("usage:Heavy users", &["heavy users"]), ("usage:Light users", &["light users"])],
];

pub(crate) const WAVES: &[(&str, &[&str])] = &[
    ("W1", &["W1", "wave 1", "the first wave", "spring 2024", "wave one"]),
    ("W2", &["W2", "wave 2", "the latest wave", "spring 2025", "the second wave"]),
];

pub(crate) const OPINIONS: &[&str] = &[
    "The team should focus on the needs of men in the next release of the app.",
    "It may be worth testing whether a simpler checkout would help.",
    "We recommend investing more in service, above all in the North.",
    "A follow-up study could explore why light users hold back.",
    "Marketing should raise awareness among those aged 55+.",
    "The next wave should ask about the reasons in more detail.",
    "Price could be tested as a lever with heavy users first.",
    "What lies behind this pattern remains open.",
    "Retention deserves the attention of the management.",
    "Consider a loyalty offer for customers who are at risk.",
    "Two options should be weighed against each other before the launch.",
    "Improve the onboarding and make help easier to find.",
];

pub(crate) fn words(chance: &mut Chance, of: &'static [&'static str]) -> &'static str {
    of[chance.below(of.len())]
}
