//! The words of statements, in one table per language.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The language of statements.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Language {
    #[default]
    English,
    German,
}

/// The templates that put figures into words in a language. `{name}` is replaced by that part of a finding:
///
/// - `{study}` and `{other_study}`: the ids of studies; `{asked}`: the words of a question;
/// - `{what}`: what is measured, such as the share that gave some answers; `{value}`: a figure; `{answers}`: labels of
///   answers;
/// - `{whom}`: the respondents of a figure, as in "among {whom}"; `{among}`: the same as [`Words::among`] says it, or
///   nothing if they are all respondents;
/// - `{base}`: [`Words::base`] or [`Words::bases`] in brackets; `{by}`: a difference; `{all}`: figures side by side.
pub(super) struct Words {
    pub(super) quotes: [&'static str; 2],
    pub(super) decimal: &'static str,
    pub(super) and: &'static str,
    pub(super) or: &'static str,
    /// Stands before a low base.
    pub(super) low: &'static str,
    pub(super) base: &'static str,
    pub(super) bases: &'static str,
    pub(super) everybody: &'static str,
    /// `{label}`, and `{of}`, the question that divides them; stated once if it divides several figures.
    pub(super) segment: &'static str,
    pub(super) among: &'static str,
    pub(super) within: &'static str,
    pub(super) said: &'static str,
    pub(super) named: &'static str,
    pub(super) points: &'static str,
    /// A net promoter score, and a difference of two.
    pub(super) score: &'static str,
    pub(super) score_points: &'static str,
    pub(super) times: &'static str,

    pub(super) share: &'static str,
    pub(super) share_named: &'static str,
    pub(super) mean: &'static str,
    pub(super) median: &'static str,
    pub(super) deviation: &'static str,
    pub(super) nps: &'static str,
    pub(super) count: &'static str,
    pub(super) weighted_count: &'static str,
    pub(super) effective_count: &'static str,

    pub(super) level_of_share: [&'static str; 2],
    pub(super) level: [&'static str; 2],
    /// For a number of respondents, which has no base of its own.
    pub(super) level_of_count: [&'static str; 2],
    pub(super) rank: [&'static str; 2],
    /// An answer with its share.
    pub(super) ranked: &'static str,
    pub(super) order: [&'static str; 2],
    /// A figure of a segment, and of a study.
    pub(super) of_segment: &'static str,
    pub(super) of_study: &'static str,
    pub(super) alike_segments: [&'static str; 2],
    pub(super) alike_studies: [&'static str; 2],
    pub(super) higher: [&'static str; 2],
    pub(super) higher_in_study: [&'static str; 2],
    pub(super) untested_segments: [&'static str; 2],
    pub(super) untested_studies: [&'static str; 2],
    pub(super) rose: [&'static str; 2],
    pub(super) fell: [&'static str; 2],
    pub(super) stayed: [&'static str; 2],
    pub(super) went: [&'static str; 2],
    pub(super) trend_rose: &'static str,
    pub(super) trend_fell: &'static str,
    pub(super) trend_stayed: &'static str,
    pub(super) trend: &'static str,
    pub(super) gap: &'static str,
    pub(super) gap_significant: &'static str,
    pub(super) gap_not_significant: &'static str,
    pub(super) gap_untested: &'static str,
    pub(super) ratio: &'static str,
    pub(super) grew: &'static str,
    pub(super) shrank: &'static str,
}

impl Language {
    pub(super) fn words(self) -> &'static Words {
        match self {
            Language::English => &ENGLISH,
            Language::German => &GERMAN,
        }
    }
}

static ENGLISH: Words = Words {
    quotes: ["“", "”"],
    decimal: ".",
    and: " and ",
    or: " or ",
    low: "only ",
    base: "base {base}",
    bases: "bases {base}",
    everybody: "all respondents",
    segment: "{label} ({of})",
    among: " among {whom}",
    within: "{what} among {whom} in {study}",
    said: "said",
    named: "named",
    points: "{value} percentage points",
    score: "{value} points",
    score_points: "{value} points",
    times: "{value} times",
    share: "the share that said {answers} to {asked}",
    share_named: "the share that named {answers} to {asked}",
    mean: "the mean for {asked}",
    median: "the median for {asked}",
    deviation: "the standard deviation for {asked}",
    nps: "the net promoter score (NPS) for {asked}",
    count: "the number that answered {asked}",
    weighted_count: "the weighted base of {asked}",
    effective_count: "the effective base of {asked}",
    level_of_share: [
        "In {study}, {value} of {whom} {said} {answers} when asked {asked} ({base}).",
        "Asked {asked}, {value} of {whom} {said} {answers} in {study} ({base}).",
    ],
    level: [
        "In {study}, {what} was {value} among {whom} ({base}).",
        "{what} was {value} among {whom} in {study} ({base}).",
    ],
    level_of_count: [
        "In {study}, {what} was {value} among {whom}.",
        "{what} was {value} among {whom} in {study}.",
    ],
    rank: [
        "In {study}, asked {asked}, {whom} {said} most often {all} ({base}).",
        "Asked {asked}, {whom} in {study} {said} most often {all} ({base}).",
    ],
    ranked: "{answers} ({value})",
    order: [
        "In {study}, {what} was, from the highest to the lowest, {all} ({base}).",
        "From the highest to the lowest, {what} was {all} in {study} ({base}).",
    ],
    of_segment: "{value} among {whom}",
    of_study: "{value} in {study}",
    alike_segments: [
        "In {study}, {what} did not differ significantly: it was {all} ({base}).",
        "{what} was much the same in {study}, {all}, without a significant difference ({base}).",
    ],
    alike_studies: [
        "{what}{among} did not differ significantly: it was {all} ({base}).",
        "{what}{among} was much the same, {all}, without a significant difference ({base}).",
    ],
    higher: [
        "In {study}, {what} was significantly higher among {whom} than among {other_whom}: {value} against {other}, a difference of {by} ({base}).",
        "{what} was significantly higher among {whom}, at {value}, than among {other_whom}, at {other}, in {study}: a difference of {by} ({base}).",
    ],
    higher_in_study: [
        "{what}{among} was significantly higher in {study} ({value}) than in {other_study} ({other}), by {by} ({base}).",
        "{what}{among} was significantly higher in {study}, at {value}, than in {other_study}, at {other}: a difference of {by} ({base}).",
    ],
    untested_segments: [
        "In {study}, {what} was {value} among {whom} and {other} among {other_whom}, a difference of {by} that was not tested ({base}).",
        "In {study}, {what} was {value} among {whom} and {other} among {other_whom}; the difference of {by} was not tested ({base}).",
    ],
    untested_studies: [
        "{what}{among} was {value} in {study} and {other} in {other_study}, a difference of {by} that was not tested ({base}).",
        "{what}{among} was {value} in {study} and {other} in {other_study}; the difference of {by} was not tested ({base}).",
    ],
    rose: [
        "{what}{among} rose significantly, by {by}, from {value} in {study} to {other} in {other_study} ({base}).",
        "From {study} to {other_study}, {what}{among} rose significantly from {value} to {other}, by {by} ({base}).",
    ],
    fell: [
        "{what}{among} fell significantly, by {by}, from {value} in {study} to {other} in {other_study} ({base}).",
        "From {study} to {other_study}, {what}{among} fell significantly from {value} to {other}, by {by} ({base}).",
    ],
    stayed: [
        "{what}{among} did not change significantly: it was {value} in {study} and {other} in {other_study}, a difference of {by} ({base}).",
        "From {study} to {other_study}, {what}{among} did not change significantly, from {value} to {other}, a difference of {by} ({base}).",
    ],
    went: [
        "{what}{among} was {value} in {study} and {other} in {other_study}, a change of {by} that was not tested ({base}).",
        "{what}{among} went from {value} in {study} to {other} in {other_study}, a change of {by} that was not tested ({base}).",
    ],
    trend_rose: "{what}{among} rose significantly from the first study to the last, by {by}: it was {all} ({base}).",
    trend_fell: "{what}{among} fell significantly from the first study to the last, by {by}: it was {all} ({base}).",
    trend_stayed: "{what}{among} did not change significantly from the first study to the last: it was {all} ({base}).",
    trend: "{what}{among} was {all} ({base}); whether that is a change was not tested.",
    gap: "{one} was {value}, and {two} was {other}: a difference of {by}{tested} ({base}).",
    gap_significant: ", which is significant",
    gap_not_significant: ", which is not significant",
    gap_untested: ", which was not tested",
    ratio: "{one} was {value}, and {two} was {other}: the first is {by} the second ({base}).",
    grew: "{what}{among} grew by {by}, from {value} in {study} to {other} in {other_study} ({base}).",
    shrank: "{what}{among} shrank by {by}, from {value} in {study} to {other} in {other_study} ({base}).",
};

static GERMAN: Words = Words {
    quotes: ["„", "“"],
    decimal: ",",
    and: " und ",
    or: " oder ",
    low: "nur ",
    base: "Basis {base}",
    bases: "Basen {base}",
    everybody: "allen Befragten",
    segment: "{label} ({of})",
    among: " unter {whom}",
    within: "{what} unter {whom} in {study}",
    said: "antworteten",
    named: "nannten",
    points: "{value} Prozentpunkte",
    score: "{value}",
    score_points: "{value} Punkte",
    times: "{value}-mal",
    share: "der Anteil, der auf {asked} mit {answers} antwortete,",
    share_named: "der Anteil, der auf {asked} {answers} nannte,",
    mean: "der Mittelwert zu {asked}",
    median: "der Median zu {asked}",
    deviation: "die Standardabweichung zu {asked}",
    nps: "der Net Promoter Score (NPS, in Punkten) zu {asked}",
    count: "die Zahl der Antworten auf {asked}",
    weighted_count: "die gewichtete Basis von {asked}",
    effective_count: "die effektive Basis von {asked}",
    level_of_share: [
        "In {study} {said} {value} von {whom} auf die Frage {asked}: {answers} ({base}).",
        "Auf die Frage {asked} {said} {value} von {whom} in {study}: {answers} ({base}).",
    ],
    level: [
        "In {study} lag unter {whom} {what} bei {value} ({base}).",
        "Unter {whom} in {study} lag {what} bei {value} ({base}).",
    ],
    level_of_count: [
        "In {study} lag unter {whom} {what} bei {value}.",
        "Unter {whom} in {study} lag {what} bei {value}.",
    ],
    rank: [
        "In {study} waren unter {whom} die häufigsten Antworten auf {asked} {all} ({base}).",
        "Unter {whom} in {study} waren die häufigsten Antworten auf {asked} {all} ({base}).",
    ],
    ranked: "{answers} ({value})",
    order: [
        "In {study} lag {what} vom höchsten zum niedrigsten Wert bei {all} ({base}).",
        "Vom höchsten zum niedrigsten Wert lag {what} bei {all} in {study} ({base}).",
    ],
    of_segment: "{value} unter {whom}",
    of_study: "{value} in {study}",
    alike_segments: [
        "In {study} unterschied sich {what} nicht signifikant: {all} ({base}).",
        "{what} war in {study} ohne signifikanten Unterschied {all} ({base}).",
    ],
    alike_studies: [
        "{what}{among} unterschied sich nicht signifikant: {all} ({base}).",
        "{what}{among} war ohne signifikanten Unterschied {all} ({base}).",
    ],
    higher: [
        "In {study} lag {what} unter {whom} signifikant höher als unter {other_whom}: {value} gegenüber {other}, {by} Unterschied ({base}).",
        "{what} lag in {study} unter {whom} mit {value} signifikant höher als unter {other_whom} mit {other}; der Unterschied beträgt {by} ({base}).",
    ],
    higher_in_study: [
        "{what}{among} lag in {study} ({value}) signifikant höher als in {other_study} ({other}), um {by} ({base}).",
        "{what}{among} lag in {study} mit {value} signifikant höher als in {other_study} mit {other}; der Unterschied beträgt {by} ({base}).",
    ],
    untested_segments: [
        "In {study} lag {what} unter {whom} bei {value} und unter {other_whom} bei {other}; der Unterschied um {by} wurde nicht getestet ({base}).",
        "In {study} lag {what} bei {value} unter {whom} und bei {other} unter {other_whom}, ein Unterschied um {by}, der nicht getestet wurde ({base}).",
    ],
    untested_studies: [
        "{what}{among} lag in {study} bei {value} und in {other_study} bei {other}; der Unterschied um {by} wurde nicht getestet ({base}).",
        "{what}{among} lag bei {value} in {study} und bei {other} in {other_study}, ein Unterschied um {by}, der nicht getestet wurde ({base}).",
    ],
    rose: [
        "{what}{among} stieg signifikant, um {by}, von {value} in {study} auf {other} in {other_study} ({base}).",
        "Von {study} zu {other_study} stieg {what}{among} signifikant von {value} auf {other}, um {by} ({base}).",
    ],
    fell: [
        "{what}{among} fiel signifikant, um {by}, von {value} in {study} auf {other} in {other_study} ({base}).",
        "Von {study} zu {other_study} fiel {what}{among} signifikant von {value} auf {other}, um {by} ({base}).",
    ],
    stayed: [
        "{what}{among} änderte sich nicht signifikant: {value} in {study} und {other} in {other_study}, ein Unterschied um {by} ({base}).",
        "Von {study} zu {other_study} änderte sich {what}{among} nicht signifikant, von {value} auf {other}, ein Unterschied um {by} ({base}).",
    ],
    went: [
        "{what}{among} lag in {study} bei {value} und in {other_study} bei {other}; die Änderung um {by} wurde nicht getestet ({base}).",
        "{what}{among} ging von {value} in {study} auf {other} in {other_study}; die Änderung um {by} wurde nicht getestet ({base}).",
    ],
    trend_rose: "{what}{among} stieg von der ersten zur letzten Studie signifikant, um {by}: {all} ({base}).",
    trend_fell: "{what}{among} fiel von der ersten zur letzten Studie signifikant, um {by}: {all} ({base}).",
    trend_stayed: "{what}{among} änderte sich von der ersten zur letzten Studie nicht signifikant: {all} ({base}).",
    trend: "{what}{among} lag bei {all} ({base}); ob das eine Änderung ist, wurde nicht getestet.",
    gap: "{one} lag bei {value}, {two} bei {other}: ein Unterschied um {by}{tested} ({base}).",
    gap_significant: ", der signifikant ist",
    gap_not_significant: ", der nicht signifikant ist",
    gap_untested: ", der nicht getestet wurde",
    ratio: "{one} lag bei {value}, {two} bei {other}: Der erste Wert ist das {by}-Fache des zweiten ({base}).",
    grew: "{what}{among} wuchs um {by}, von {value} in {study} auf {other} in {other_study} ({base}).",
    shrank: "{what}{among} sank um {by}, von {value} in {study} auf {other} in {other_study} ({base}).",
};
