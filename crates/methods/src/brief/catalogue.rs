//! The studies, questions and segments that can be queried, as stored in the log and shown to agents.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

use extract::Bm25;
use survey::expression::{self, Expression, Picked};
use survey::figure::{Measure, Rules, Spec, Weighting};
use survey::project::Project;
use survey::study::Kind;
use text::{Language, terms};

use super::payload::StudyTold;

/// Everything but the answers of the respondents.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Catalogue {
    pub(super) studies: Vec<Studied>,
    /// Questions that several studies asked: for each, the study and the question's id there.
    pub(super) shared: Vec<Vec<(String, String)>>,
    /// Whether the studies are in the order in which they were done; otherwise the order is unknown.
    #[serde(default)]
    pub(super) is_ordered: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Studied {
    pub(super) told: StudyTold,
    pub(super) questions: Vec<Asked>,
    /// The questions that divide respondents into segments, with their answers and the number of respondents of each.
    pub(super) segments: Vec<Divided>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Asked {
    pub(super) id: String,
    pub(super) text: String,
    pub(super) kind: Kind,
    pub(super) answers: Vec<String>,
    /// The labels of the nets: answers that are counted together.
    #[serde(default)]
    pub(super) nets: Vec<String>,
    /// The grid that the question is a row of; empty if it is not in a grid.
    pub(super) grid: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Divided {
    pub(super) question: String,
    pub(super) text: String,
    /// The label and number of respondents of each segment.
    pub(super) parts: Vec<(String, u64)>,
}

/// Weight of the score of a grid row, and of a question that divides respondents.
const BESIDE: f64 = 0.8;
/// Share of the best score that a question needs for a query to be about it.
const NEAR: f64 = 0.5;
/// Words in titles that say what kind of thing a segment is, but not which.
const KINDS: &str = "group type status level category band class range";
/// Words in queries that refer to a whole survey, or to nothing that a question would name.
const GENERAL: &str = "summary summarise summarize overview report brief executive survey surveys study studies wave waves data result results finding \
    findings insight insights main key top important overall general tell show give say says know learn happen happened change changed respondent \
    respondents answer answers question questions people everything anything most";
/// Maximum number of a question's answers that an agent is shown.
const ANSWERS_TOLD: usize = 12;

impl Catalogue {
    pub(super) fn of(project: &Project, rules: &Rules) -> Catalogue {
        let studies = (0..project.studies.len()).filter_map(|at| studied(project, at, rules));
        let member = |(study, question): &(usize, usize)| {
            let study = project.studies.get(*study)?;
            Some((study.id.clone(), study.questions.get(*question)?.id.clone()))
        };
        let shared = project.shared();
        let shared = shared.iter().map(|one| one.members.iter().filter_map(member).collect());
        Catalogue {
            studies: studies.collect(),
            shared: shared.collect(),
            is_ordered: project.is_ordered,
        }
    }

    fn study(&self, id: &str) -> Option<&Studied> {
        self.studies.iter().find(|one| one.told.id.eq_ignore_ascii_case(id))
    }

    /// Returns the segments that an expression of one figure covers, as `question:answer`.
    pub(super) fn segments_of(&self, study: &str, expression: &str) -> Vec<String> {
        let Ok(Expression::Figure(call)) = expression::parse(expression) else { return vec![] };
        let mut segments = Vec::new();
        for picking in &call.segment {
            let asked = picking.question.as_ref().and_then(|id| self.study(study)?.asked(id));
            let Some(asked) = asked else { continue };
            for picked in &picking.answers {
                let Picked::Named(name) = picked else { continue };
                let coded = asked.answers.iter().filter_map(|answer| answer.split_once('='));
                let label = coded.into_iter().find(|(code, label)| code == name || label == name);
                segments.push(segment(&asked.id, label.map_or(name, |(_, label)| label)));
            }
        }
        segments
    }

    /// Returns the names of all segments, as `question:answer`, each once.
    pub(super) fn segments(&self) -> Vec<String> {
        let mut seen = BTreeSet::new();
        let all = self.studies.iter().flat_map(|study| &study.segments);
        all.flat_map(|one| one.parts.iter().map(|(label, _)| segment(&one.question, label)))
            .filter(|name| seen.insert(name.clone()))
            .collect()
    }

    /// Returns the default study for a question: the latest that asked it.
    pub(super) fn latest_with(&self, question: &str) -> Option<&Studied> {
        self.studies.iter().rev().find(|study| study.asked(question).is_some())
    }

    /// Returns the question's id in every study that asked it, in the order of the studies.
    pub(super) fn members(&self, study: &str, question: &str) -> Vec<(String, String)> {
        let is_it = |member: &(String, String)| {
            member.0.eq_ignore_ascii_case(study) && member.1.eq_ignore_ascii_case(question)
        };
        let group = self.shared.iter().find(|group| group.iter().any(is_it));
        group.cloned().unwrap_or_else(|| vec![(study.to_owned(), question.to_owned())])
    }

    /// Returns the studies that asked a question in the same words, ignoring numbers, in their order and including `study` itself.
    pub(super) fn alike(&self, study: &str, question: &str) -> Vec<&Studied> {
        let members = self.members(study, question);
        let words = self.study(study).and_then(|one| Some(one.asked(question)?.wording()));
        let same = members.iter().filter_map(|(study, id)| {
            let study = self.study(study)?;
            (Some(study.asked(id)?.wording()) == words).then_some(study)
        });
        same.collect()
    }

    /// Returns the questions of other studies that are meant to be the same but cannot be compared with it, and why not.
    pub(super) fn apart(&self, study: &str, asked: &Asked) -> Vec<(&Studied, &Asked, Apart)> {
        let own = asked.wording();
        let members = self.members(study, &asked.id);
        let mut apart = Vec::new();
        for other in self.studies.iter().filter(|one| one.told.id != study) {
            for question in other.questions.iter().filter(|one| one.kind != Kind::Open) {
                let wording = question.wording();
                let both = own.intersection(&wording).count();
                let is_called = question.id.eq_ignore_ascii_case(&asked.id)
                    && 2 * both >= own.union(&wording).count();
                let is_shared =
                    members.iter().any(|(study, id)| *study == other.told.id && *id == question.id);
                let why = match () {
                    () if own == wording && is_shared => continue,
                    () if !is_shared && !is_called && own != wording => continue,
                    () if asked.kind != question.kind => Apart::Kinds,
                    () if !is_shared && asked.kind == Kind::Scale => Apart::Scales,
                    () => Apart::Words,
                };
                apart.push((other, question, why));
            }
        }
        apart
    }

    /// Returns the questions nearest to `words`, best first, each from the latest study that asked it. With `counted`, open-ended questions
    /// are left out. If no question has any of the words, all rank equally.
    pub(super) fn nearest(
        &self,
        words: &str,
        most: usize,
        counted: bool,
    ) -> Vec<(&Studied, &Asked)> {
        let ranked = self.ranked(&self.meant(words), counted);
        ranked.into_iter().take(most).map(|(_, found)| found).collect()
    }

    /// Returns the questions that a query is about, nearest first: those that score at least [`NEAR`] times the best score.
    ///
    /// A question that divides respondents says whom to compare. It is included only if no other question matches the remaining words.
    pub(super) fn about(&self, query: &str) -> Vec<(&Studied, &Asked)> {
        let wanted = self.meant(query);
        let mut rest = wanted.clone();
        while !rest.is_empty() {
            let mut ranked = self.ranked(&rest, true);
            let Some((score, (study, asked))) = ranked.first().copied() else { break };
            if score <= 0.0 {
                break;
            }
            if !study.divides_by(&asked.id) {
                ranked.retain(|(_, (study, asked))| !study.divides_by(&asked.id));
                return Catalogue::near(ranked);
            }
            let known: BTreeSet<String> = asked.terms().into_iter().collect();
            rest.retain(|term| !known.contains(term));
        }
        Catalogue::near(self.ranked(&wanted, true))
    }

    /// Returns the leading questions that are near enough.
    fn near<'a>(ranked: Vec<(f64, (&'a Studied, &'a Asked))>) -> Vec<(&'a Studied, &'a Asked)> {
        let least = ranked.first().map_or(0.0, |(score, _)| NEAR * score);
        let near = ranked.into_iter().take_while(|(score, _)| *score >= least);
        near.map(|(_, found)| found).collect()
    }

    /// Returns the terms that `words` mean among all questions.
    fn meant(&self, words: &str) -> Vec<String> {
        let questions = self.studies.iter().flat_map(|study| &study.questions);
        let known: Vec<String> = questions.flat_map(Asked::terms).collect();
        meant(words, known.iter())
    }

    /// Returns the questions with their scores for some terms, best first. Questions that score 0 are left out if any question scores more.
    fn ranked(&self, wanted: &[String], counted: bool) -> Vec<(f64, (&Studied, &Asked))> {
        let mut known: BTreeSet<(String, String)> = BTreeSet::new();
        let mut all: Vec<(&Studied, &Asked)> = Vec::new();
        for study in self.studies.iter().rev() {
            for question in &study.questions {
                if counted && question.kind == Kind::Open {
                    continue;
                }
                let own = (study.told.id.clone(), question.id.clone());
                if !known.contains(&own) {
                    known.extend(self.members(&own.0, &own.1));
                    known.insert(own);
                    all.push((study, question));
                }
            }
        }
        // A later study comes first; within a study, the order of its questionnaire holds.
        let texts: Vec<Vec<String>> = all.iter().map(|(_, question)| question.terms()).collect();
        let scores = Bm25::new(&texts).scores(wanted);
        // At equal scores, a question of its own says more than a row of a grid or a question about who the respondent is.
        let weighed = |score: f64, (study, asked): (&Studied, &Asked)| {
            let is_beside = study.divides_by(&asked.id) || !asked.grid.is_empty();
            if is_beside { score * BESIDE } else { score }
        };
        let ranked = scores.into_iter().zip(all);
        let mut ranked: Vec<(f64, (&Studied, &Asked))> =
            ranked.map(|(score, one)| (weighed(score, one), one)).collect();
        let divides = |(study, asked): (&Studied, &Asked)| study.divides_by(&asked.id);
        ranked.sort_by(|(one, first), (other, second)| {
            other.total_cmp(one).then(divides(*first).cmp(&divides(*second)))
        });
        if ranked.iter().any(|(score, _)| *score > 0.0) {
            ranked.retain(|(score, _)| *score > 0.0);
        }
        ranked
    }

    /// Returns the positions of the studies that a query names best: by the most words of their ids and titles that not all studies share.
    pub(super) fn studies_named(&self, query: &str) -> Vec<usize> {
        let names: Vec<BTreeSet<String>> =
            self.studies.iter().map(|one| segment_terms(&one.name())).collect();
        let wanted = segment_terms(query);
        let tells = |term: &&String| {
            wanted.contains(*term) && !names.iter().all(|name| name.contains(*term))
        };
        let counts: Vec<usize> =
            names.iter().map(|name| name.iter().filter(tells).count()).collect();
        let most = counts.iter().copied().max().unwrap_or_default();
        let named = counts.iter().enumerate().filter(|(_, count)| **count == most && most > 0);
        named.map(|(place, _)| place).collect()
    }

    /// Returns whether any question has one of the query's specific words (not general ones such as "summary"). Returns true if the query
    /// has no specific words.
    pub(super) fn is_about(&self, query: &str) -> bool {
        let general: BTreeSet<String> = terms(GENERAL, Language::English).into_iter().collect();
        let questions = self.studies.iter().flat_map(|study| &study.questions);
        let counted = questions.filter(|question| question.kind != Kind::Open);
        let known: BTreeSet<String> = counted.flat_map(Asked::terms).collect();
        let mut wanted = meant(query, known.iter());
        wanted.retain(|term| !general.contains(term));
        wanted.is_empty() || wanted.iter().any(|term| known.contains(term))
    }

    /// Returns the studies with their segments, as shown to agents.
    pub(super) fn told(&self) -> String {
        let mut told = String::new();
        for Studied { told: study, questions, segments } in &self.studies {
            let weight = study
                .weight
                .as_ref()
                .map_or("unweighted".to_owned(), |weight| format!("weighted by {weight}"));
            let _ = writeln!(
                told,
                "{}: {} ({} respondents, {weight}, {} questions)",
                study.id,
                study.title,
                study.respondents,
                questions.len()
            );
            for one in segments {
                let _ = writeln!(told, "  {}", one.told());
            }
        }
        told
    }

    /// Returns every question, as shown to agents.
    pub(super) fn all_told(&self) -> String {
        let all = self
            .studies
            .iter()
            .flat_map(|study| study.questions.iter().map(move |question| (study, question)));
        self.questions_told(&all.collect::<Vec<_>>())
    }

    /// Returns the given questions, as shown to agents.
    pub(super) fn questions_told(&self, found: &[(&Studied, &Asked)]) -> String {
        let mut told = String::new();
        for (study, question) in found {
            let members = self.members(&study.told.id, &question.id);
            let asked: Vec<String> =
                members.iter().map(|(study, id)| format!("{study} as {id}")).collect();
            let answers = &question.answers;
            let shown = answers.get(..ANSWERS_TOLD.min(answers.len())).unwrap_or_default();
            let more = if answers.len() > ANSWERS_TOLD { " | …" } else { "" };
            let _ = writeln!(
                told,
                "{} [{}] \"{}\" (asked in {}): {}{more}",
                question.id,
                question.kind.name(),
                question.text,
                asked.join(", "),
                shown.join(" | ")
            );
        }
        told
    }
}

impl Asked {
    fn terms(&self) -> Vec<String> {
        let (answers, nets) = (self.answers.join(" "), self.nets.join(" "));
        terms(&format!("{} {} {answers} {nets}", self.id, self.text), Language::English)
    }

    /// Returns the words of the question, without function words and numbers.
    fn wording(&self) -> BTreeSet<String> {
        let words = terms(&self.text, Language::English).into_iter();
        words.filter(|word| word.parse::<f64>().is_err()).collect()
    }

    /// Returns the answers or nets that a query is about: those it names, nets before answers; otherwise the affirmative answer of a yes/no
    /// question.
    pub(super) fn picked(&self, query: &str) -> Vec<&str> {
        let mut wanted = segment_terms(query);
        // Words of the question itself do not name an answer.
        wanted.retain(|term| !self.wording().contains(term));
        let is_named = |label: &&str| {
            let terms = segment_terms(label);
            !terms.is_empty() && terms.is_subset(&wanted)
        };
        let coded: Vec<(&str, &str)> =
            self.answers.iter().filter_map(|answer| answer.split_once('=')).collect();
        let nets = self.nets.iter().map(String::as_str).filter(is_named);
        if !matches!(self.kind, Kind::Single | Kind::Multi) {
            return nets.collect();
        }
        let answers = coded.iter().map(|(_, label)| *label).filter(is_named);
        let named: Vec<&str> = nets.chain(answers).collect();
        match named.is_empty() && self.kind == Kind::Single {
            true => affirmed(&coded).into_iter().collect(),
            false => named,
        }
    }
}

/// Why questions of two studies that are meant to be the same cannot be compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Apart {
    Scales,
    Kinds,
    Words,
}

/// Returns the label of the answer that stands for a yes/no question: "yes" if the other is "no", or code 1 if the other is 0.
pub(super) fn affirmed<'a>(coded: &[(&'a str, &'a str)]) -> Option<&'a str> {
    let says = |label: &str, word: &str| {
        let first = label.split(|c: char| !c.is_alphanumeric()).next();
        first.is_some_and(|first| first.eq_ignore_ascii_case(word))
    };
    let has = |wanted: &str| coded.iter().any(|(code, _)| *code == wanted);
    let by_word = || {
        let yes: Vec<&str> =
            coded.iter().map(|(_, label)| *label).filter(|label| says(label, "yes")).collect();
        let no = coded.iter().filter(|(_, label)| says(label, "no")).count();
        <[&str; 1]>::try_from(yes).ok().filter(|_| no == 1).map(|[yes]| yes)
    };
    let by_code = || coded.iter().find(|(code, _)| *code == "1").map(|(_, label)| *label);
    by_word().or_else(|| by_code().filter(|_| coded.len() == 2 && has("0")))
}

impl Studied {
    fn name(&self) -> String {
        format!("{} {}", self.told.id.replace('_', " "), self.told.title)
    }

    /// Returns the segments that a query names in addition to its subject: by most words of their title, or all words of their id or of an
    /// answer.
    pub(super) fn segments_named(
        &self,
        query: &str,
        about: &[(&Studied, &Asked)],
    ) -> Vec<&Divided> {
        let mut wanted = segment_terms(query);
        wanted.retain(|term| !about.iter().any(|(_, asked)| asked.wording().contains(term)));
        let kinds = segment_terms(KINDS);
        let is_said = |text: &str| {
            let terms = segment_terms(text);
            !terms.is_empty() && terms.is_subset(&wanted)
        };
        let is_titled = |title: &str| {
            let mut terms = segment_terms(title);
            terms.retain(|term| !kinds.contains(term));
            2 * terms.intersection(&wanted).count() > terms.len()
        };
        let named = self.segments.iter().filter(|one| {
            is_said(&one.question)
                || is_titled(&one.text)
                || one.parts.iter().any(|(label, _)| is_said(label))
        });
        named.collect()
    }

    /// Returns whether a question divides the respondents into segments.
    fn divides_by(&self, question: &str) -> bool {
        self.segments.iter().any(|one| one.question == question)
    }

    pub(super) fn asked(&self, id: &str) -> Option<&Asked> {
        self.questions.iter().find(|one| one.id.eq_ignore_ascii_case(id))
    }
}

impl Divided {
    pub(super) fn told(&self) -> String {
        let parts: Vec<String> =
            self.parts.iter().map(|(label, base)| format!("{label} ({base})")).collect();
        format!("segment {} \"{}\": {}", self.question, self.text, parts.join(" | "))
    }
}

/// Returns the terms that a query means: its own and, for a term that no question has, those of the same family, such as *satisfied* for
/// *satisfaction*.
fn meant<'a>(query: &str, known: impl Iterator<Item = &'a String>) -> Vec<String> {
    let known: BTreeSet<&String> = known.collect();
    let mut meant = Vec::new();
    for term in terms(query, Language::English) {
        match term.as_str() {
            "nps" | "promot" => meant.push("recommend".to_owned()),
            _ if known.contains(&term) => {}
            _ => {
                let family = known.iter().filter(|other| akin(other, &term));
                meant.extend(family.map(|other| (*other).clone()));
            }
        }
        meant.push(term);
    }
    meant
}

/// Returns whether two words are of one family: they share a prefix of at least six characters.
fn akin(one: &str, other: &str) -> bool {
    const ENOUGH: usize = 6;
    one.chars().zip(other.chars()).take_while(|(one, other)| one == other).count() >= ENOUGH
}

/// Returns the terms that name a segment, with one word for each gender.
pub(super) fn segment_terms(text: &str) -> BTreeSet<String> {
    let one_word = |term: String| match term.as_str() {
        "women" | "woman" => "femal".to_owned(),
        "men" | "man" => "male".to_owned(),
        _ => term,
    };
    terms(text, Language::English).into_iter().map(one_word).collect()
}

/// Returns the name of a segment.
pub(super) fn segment(question: &str, label: &str) -> String {
    format!("{question}:{label}")
}

fn studied(project: &Project, at: usize, rules: &Rules) -> Option<Studied> {
    let study = project.studies.get(at)?;
    let questions = study.questions.iter().map(|question| Asked {
        id: question.id.clone(),
        text: question.words(),
        kind: question.kind,
        nets: question.nets.iter().map(|net| net.label.clone()).collect(),
        grid: question.grid.as_ref().map(|grid| grid.id.clone()).unwrap_or_default(),
        answers: question
            .answers
            .iter()
            .map(|answer| format!("{}={}", answer.code, answer.label))
            .collect(),
    });
    let segments = study.segments.iter().filter_map(|place| {
        let question = study.questions.get(*place)?;
        let parts = (0..question.answers.len()).filter_map(|answer| {
            let spec = Spec {
                study: at,
                question: *place,
                measure: Measure::Share(vec![answer]),
                segment: vec![],
                weighting: Weighting::Nobody,
            };
            let figure = project.figure(&spec, rules).ok()?;
            let label = question.answers.get(answer)?.label.clone();
            Some((label, (figure.value * figure.base.unweighted as f64).round() as u64))
        });
        Some(Divided {
            question: question.id.clone(),
            text: question.text.clone(),
            parts: parts.collect(),
        })
    });
    Some(Studied {
        told: StudyTold {
            id: study.id.clone(),
            title: study.title.clone(),
            file: study.origin.file.clone(),
            sha256: study.origin.sha256.clone(),
            respondents: study.respondents as u64,
            weight: study
                .weight
                .and_then(|weight| study.columns.get(weight))
                .map(|column| column.name.clone()),
            notes: study.notes.clone(),
        },
        questions: questions.collect(),
        segments: segments.collect(),
    })
}
