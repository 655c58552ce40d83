//! From a finding to its statement.

use super::languages::Words;
use super::{Difference, Finding, Kind, Language, Subject, Together};
use crate::expression::{Measured, Unit};
use crate::figure::Level;

/// Returns a finding in words: always the same for the same finding, but not for all findings of one kind.
pub(super) fn of(finding: &Finding, language: Language) -> String {
    let Some(first) = finding.figures.first() else { return String::new() };
    let wording = Wording { words: language.words(), finding, first };
    let statement = wording.told();
    let mut letters = statement.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// A finding that is put into words.
struct Wording<'a> {
    words: &'static Words,
    finding: &'a Finding,
    first: &'a Subject,
}

impl Wording<'_> {
    fn told(&self) -> String {
        let words = self.words;
        let all = || self.finding.figures.iter();
        let is_of_studies = all().any(|one| one.study != self.first.study);
        match self.finding.kind {
            Kind::Level if self.first.measure == Measured::Share => {
                self.filled(self.pick(&words.level_of_share))
            }
            Kind::Level if self.first.unit == Unit::Count => {
                self.filled(self.pick(&words.level_of_count))
            }
            Kind::Level => self.filled(self.pick(&words.level)),
            Kind::Rank => {
                let all = all().map(|one| {
                    let (answers, value) = (self.answers(one), self.value(one));
                    fill(words.ranked, &[("answers", &answers), ("value", &value)])
                });
                self.beside(
                    self.pick(&words.rank),
                    &Wording::joined(&all.collect::<Vec<_>>(), words.and),
                )
            }
            Kind::Order => self.beside(self.pick(&words.order), &self.each(is_of_studies)),
            Kind::Alike => self.alike(is_of_studies),
            Kind::Compare if self.significant() == Some(false) => self.alike(is_of_studies),
            Kind::Compare => {
                let templates = match (is_of_studies, self.significant().is_some()) {
                    (false, true) => &words.higher,
                    (true, true) => &words.higher_in_study,
                    (false, false) => &words.untested_segments,
                    (true, false) => &words.untested_studies,
                };
                self.filled(self.pick(templates))
            }
            Kind::Change => {
                let is_more = self.difference().is_some_and(|one| one.value > 0.0);
                let templates = match (self.significant(), is_more) {
                    (Some(true), true) => &words.rose,
                    (Some(true), false) => &words.fell,
                    (Some(false), _) => &words.stayed,
                    (None, _) => &words.went,
                };
                self.filled(self.pick(templates))
            }
            Kind::Trend => {
                let is_more = self.difference().is_some_and(|one| one.value > 0.0);
                let template = match (self.significant(), is_more) {
                    (Some(true), true) => words.trend_rose,
                    (Some(true), false) => words.trend_fell,
                    (Some(false), _) => words.trend_stayed,
                    (None, _) => words.trend,
                };
                self.beside(template, &self.each(true))
            }
            Kind::Gap | Kind::Ratio => {
                let template = if self.finding.kind == Kind::Gap { words.gap } else { words.ratio };
                self.apart(template)
            }
            Kind::Growth => {
                let is_more = self.difference().is_none_or(|one| one.value >= 0.0);
                self.filled(if is_more { words.grew } else { words.shrank })
            }
        }
    }

    /// Says that figures do not differ significantly.
    fn alike(&self, is_of_studies: bool) -> String {
        let words = self.words;
        let templates = if is_of_studies { &words.alike_studies } else { &words.alike_segments };
        self.beside(self.pick(templates), &self.each(is_of_studies))
    }

    /// Picks one of several wordings, the same for the same figures.
    fn pick(&self, templates: &'static [&'static str; 2]) -> &'static str {
        // FNV-1a, so that the choice is the same everywhere.
        let bytes = self.finding.figures.iter().flat_map(|one| one.expression.bytes());
        let hash = bytes.fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        templates[(hash >> 32) as usize % templates.len()]
    }

    fn difference(&self) -> Option<&Difference> {
        self.finding.difference.as_ref()
    }

    fn significant(&self) -> Option<bool> {
        self.difference().and_then(|one| one.significant)
    }

    /// Fills a template about the first two figures.
    fn filled(&self, template: &str) -> String {
        self.beside(template, "")
    }

    /// Fills a template with figures side by side.
    fn beside(&self, template: &str, all: &str) -> String {
        let (first, second) = (self.first, self.finding.figures.get(1).unwrap_or(self.first));
        fill(
            template,
            &[
                ("study", &first.study),
                ("other_study", &second.study),
                ("asked", &self.quoted(&first.wording)),
                ("what", &self.what(first)),
                ("value", &self.value(first)),
                ("other", &self.value(second)),
                ("whom", &self.whom(first)),
                ("other_whom", &self.whom_beside(second)),
                ("among", &self.among(first)),
                ("said", self.said()),
                ("answers", &self.answers(first)),
                ("by", &self.by()),
                ("base", &self.bases()),
                ("all", all),
            ],
        )
    }

    /// Fills a template about two figures of different things.
    fn apart(&self, template: &str) -> String {
        let words = self.words;
        let second = self.finding.figures.get(1).unwrap_or(self.first);
        let within = |one: &Subject| {
            let (what, whom) = (self.what(one), self.whom(one));
            fill(words.within, &[("what", &what), ("whom", &whom), ("study", &one.study)])
        };
        let tested = match self.significant() {
            Some(true) => words.gap_significant,
            Some(false) => words.gap_not_significant,
            None => words.gap_untested,
        };
        fill(
            template,
            &[
                ("one", &within(self.first)),
                ("two", &within(second)),
                ("value", &self.value(self.first)),
                ("other", &self.value(second)),
                ("by", &self.by()),
                ("tested", tested),
                ("base", &self.bases()),
            ],
        )
    }

    /// Returns each figure with its segment or its study.
    fn each(&self, is_of_studies: bool) -> String {
        let template = if is_of_studies { self.words.of_study } else { self.words.of_segment };
        let each = self.finding.figures.iter().enumerate().map(|(place, one)| {
            let whom = if place == 0 { self.whom(one) } else { self.whom_beside(one) };
            let value = self.value(one);
            fill(template, &[("value", &value), ("whom", &whom), ("study", &one.study)])
        });
        Wording::joined(&each.collect::<Vec<_>>(), self.words.and)
    }

    /// Returns the respondents of a figure after the first. What divides both is already stated.
    fn whom_beside(&self, of: &Subject) -> String {
        let questions = |one: &Subject| -> Vec<String> {
            one.segment.iter().map(|segment| segment.question.clone()).collect()
        };
        if of.segment.is_empty() || questions(of) != questions(self.first) {
            return self.whom(of);
        }
        let labels = of.segment.iter().map(|one| self.labels(&one.answers));
        Wording::joined(&labels.collect::<Vec<_>>(), self.words.and)
    }

    fn labels(&self, labels: &[String]) -> String {
        let labels: Vec<String> = labels.iter().map(|label| self.quoted(label)).collect();
        Wording::joined(&labels, self.words.or)
    }

    fn quoted(&self, text: &str) -> String {
        let [open, close] = self.words.quotes;
        format!("{open}{}{close}", harmless(text))
    }

    fn joined(all: &[String], last: &str) -> String {
        match all {
            [] => String::new(),
            [one] => one.clone(),
            [first @ .., end] => format!("{}{last}{end}", first.join(", ")),
        }
    }

    fn answers(&self, of: &Subject) -> String {
        let labels = self.labels(&of.answers);
        match &of.together {
            Some(Together::Net(net)) => format!("{labels} ({})", self.quoted(net)),
            _ => labels,
        }
    }

    fn said(&self) -> &'static str {
        if self.first.is_multi { self.words.named } else { self.words.said }
    }

    /// Returns what is measured.
    fn what(&self, of: &Subject) -> String {
        let words = self.words;
        let template = match of.measure {
            Measured::Share if of.is_multi => words.share_named,
            Measured::Share => words.share,
            Measured::Mean => words.mean,
            Measured::Median => words.median,
            Measured::Sd => words.deviation,
            Measured::Nps => words.nps,
            Measured::Base => words.count,
            Measured::WeightedBase => words.weighted_count,
            Measured::EffectiveBase => words.effective_count,
        };
        let (asked, answers) = (self.quoted(&of.wording), self.answers(of));
        fill(template, &[("asked", &asked), ("answers", &answers)])
    }

    fn whom(&self, of: &Subject) -> String {
        if of.segment.is_empty() {
            return self.words.everybody.to_owned();
        }
        let each = of.segment.iter().map(|one| {
            let label = self.labels(&one.answers);
            fill(self.words.segment, &[("label", &label), ("of", &harmless(&one.question))])
        });
        Wording::joined(&each.collect::<Vec<_>>(), self.words.and)
    }

    fn among(&self, of: &Subject) -> String {
        let whom = self.whom(of);
        if of.segment.is_empty() {
            String::new()
        } else {
            fill(self.words.among, &[("whom", &whom)])
        }
    }

    fn value(&self, of: &Subject) -> String {
        let value = self.number(&of.shown);
        match of.unit {
            Unit::Nps => fill(self.words.score, &[("value", &value)]),
            _ => value,
        }
    }

    fn number(&self, shown: &str) -> String {
        shown.replace('.', self.words.decimal)
    }

    /// Returns the difference without its sign; words give its direction.
    fn by(&self) -> String {
        let Some(difference) = self.difference() else { return String::new() };
        let bare = self.number(difference.shown.trim_start_matches(['+', '-', '−']));
        let digits = bare.split_whitespace().next().unwrap_or_default();
        let of = |template: &str| fill(template, &[("value", digits)]);
        match difference.unit {
            Unit::Points if self.first.unit == Unit::Nps => of(self.words.score_points),
            Unit::Points => of(self.words.points),
            Unit::Ratio if self.finding.kind == Kind::Ratio && self.words.decimal == "," => {
                digits.to_owned()
            }
            Unit::Ratio => of(self.words.times),
            _ => bare,
        }
    }

    /// Returns the numbers of respondents behind it, in the order of the figures.
    fn bases(&self) -> String {
        let mut bases: Vec<String> = Vec::new();
        let is_one = self.finding.kind == Kind::Rank;
        for one in self.finding.figures.iter().take(if is_one { 1 } else { usize::MAX }) {
            let low = if one.level == Level::Fine { "" } else { self.words.low };
            bases.push(format!("{low}{}", one.base));
        }
        let template = if bases.len() == 1 { self.words.base } else { self.words.bases };
        let all = Wording::joined(&bases, self.words.and);
        fill(template, &[("base", &all)])
    }
}

/// Returns words of a questionnaire on one line, without brackets that could be read as the address of a statement.
fn harmless(text: &str) -> String {
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    words.replace('[', "(").replace(']', ")")
}

/// Fills a template. Placeholders in the inserted text are not expanded.
fn fill(template: &str, parts: &[(&str, &str)]) -> String {
    let mut filled = String::with_capacity(template.len() * 2);
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        filled.push_str(before);
        let (name, behind) = after.split_once('}').unwrap_or((after, ""));
        let part = parts.iter().find(|(known, _)| *known == name);
        filled.push_str(part.map_or("", |(_, text)| text));
        rest = behind;
    }
    filled.push_str(rest);
    filled
}
