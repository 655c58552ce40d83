//! From names to places in a project.

use super::naming::{fold_name, near};
use super::writing::{name, picked};
use super::{Call, Expression, Measured, Operator, Picked, Picking, Trend, Unit, Weighed, Wrong};
use crate::figure::alike::unlike;
use crate::figure::{Condition, Measure, Spec, Weighting};
use crate::project::Project;
use crate::study::{Kind, Question, Study};

/// A requested figure, with its canonical form.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Asked {
    pub(crate) spec: Spec,
    pub(crate) call: Call,
}

/// What an expression resolves to.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Resolved {
    One(Asked),
    Difference(Asked, Asked),
    Ratio(Asked, Asked),
    /// The later one first, and the call that requested both.
    Growth(Asked, Asked, Call),
}

impl Measured {
    pub(crate) fn unit(self) -> Unit {
        match self {
            Measured::Share => Unit::Share,
            Measured::Mean | Measured::Median | Measured::Sd => Unit::Mean,
            Measured::Nps => Unit::Nps,
            Measured::Base | Measured::WeightedBase | Measured::EffectiveBase => Unit::Count,
        }
    }
}

/// Looks up the names of an expression, and checks that it is meaningful.
pub(crate) fn resolve(project: &Project, expression: &Expression) -> Result<Resolved, Wrong> {
    match expression {
        Expression::Figure(call) => Ok(Resolved::One(asked(project, call)?)),
        Expression::Trend { kind, of, from, to } => {
            if of.study.is_some() {
                return Err(Wrong::StudyInTrend { kind: kind.name() });
            }
            let within =
                |study: &str| asked(project, &Call { study: Some(study.to_owned()), ..of.clone() });
            let (earlier, later) = (within(from)?, within(to)?);
            if earlier.spec.study == later.spec.study {
                let study = earlier.call.study.unwrap_or_default();
                return Err(Wrong::SameStudy { study });
            }
            comparable(project, &later, &earlier)?;
            Ok(match kind {
                Trend::Change => Resolved::Difference(later, earlier),
                Trend::Growth => {
                    divided(&later)?;
                    let alike = Call { study: earlier.call.study.clone(), ..later.call.clone() };
                    // If the studies have different codes, only the names that were used fit both.
                    let told = if alike == earlier.call { alike } else { of.clone() };
                    Resolved::Growth(later, earlier, Call { study: None, ..told })
                }
            })
        }
        Expression::Joined(one, operator, other) => {
            let single = |inner: &Expression| match resolve(project, inner)? {
                Resolved::One(asked) => Ok(asked),
                _ => Err(Wrong::Nested),
            };
            let (one, other) = (single(one)?, single(other)?);
            if *operator == Operator::Plus {
                return Ok(Resolved::One(added(project, &one, &other)?));
            }
            if one.call.measure != other.call.measure {
                let (one, other) = (one.call.measure.name(), other.call.measure.name());
                return Err(Wrong::NotAlike { one, other });
            }
            comparable(project, &one, &other)?;
            Ok(match operator {
                Operator::Over => {
                    divided(&one)?;
                    Resolved::Ratio(one, other)
                }
                Operator::Minus | Operator::Plus => Resolved::Difference(one, other),
            })
        }
    }
}

/// Checks that two studies asked alike enough for a meaningful difference or ratio.
fn comparable(project: &Project, one: &Asked, other: &Asked) -> Result<(), Wrong> {
    let told = |asked: &Asked| asked.call.to_string();
    match unlike(project, &one.spec, &other.spec) {
        Some(why) => Err(Wrong::Unlike { one: told(one), other: told(other), why }),
        None => Ok(()),
    }
}

/// Fails for a net promoter score: it goes from −100 to 100, so a ratio of two means nothing.
fn divided(asked: &Asked) -> Result<(), Wrong> {
    match asked.call.measure {
        Measured::Nps => Err(Wrong::NotDivided { expression: asked.call.to_string() }),
        _ => Ok(()),
    }
}

/// Returns two shares of one question as the share of both.
fn added(project: &Project, one: &Asked, other: &Asked) -> Result<Asked, Wrong> {
    let apart = || Wrong::NotAdded { one: one.call.to_string(), other: other.call.to_string() };
    let (Measure::Share(answers), Measure::Share(more)) = (&one.spec.measure, &other.spec.measure)
    else {
        return Err(apart());
    };
    let question = question_at(project, &one.spec).ok_or_else(apart)?;
    let alike = Spec { measure: one.spec.measure.clone(), ..other.spec.clone() } == one.spec;
    if !alike {
        return Err(apart());
    }
    let mut together: Vec<usize> = answers.iter().chain(more).copied().collect();
    together.sort_unstable();
    let codes = |places: &[usize]| -> Vec<Picked> {
        places
            .iter()
            .filter_map(|place| question.answers.get(*place))
            .map(|answer| Picked::Named(answer.code.clone()))
            .collect()
    };
    if question.kind == Kind::Multi {
        together.dedup();
        let (question, answers) = (name(&question.id), picked(&codes(&together)));
        return Err(Wrong::Overlap { question, answers });
    }
    if together.windows(2).any(|pair| pair.first() == pair.last()) {
        return Err(Wrong::CountedTwice { question: question.id.clone() });
    }
    Ok(Asked {
        call: Call { answers: codes(&together), ..one.call.clone() },
        spec: Spec { measure: Measure::Share(together), ..one.spec.clone() },
    })
}

fn question_at<'a>(project: &'a Project, spec: &Spec) -> Option<&'a Question> {
    project.studies.get(spec.study)?.questions.get(spec.question)
}

fn asked(project: &Project, call: &Call) -> Result<Asked, Wrong> {
    let (place, study) = resolve_study(project, call)?;
    let (number, question) = resolve_question(study, &call.question)?;
    let (measure, answers) = resolve_measure(call, question)?;
    let mut segment = Vec::new();
    let mut conditions: Vec<Condition> = Vec::new();
    for picking in &call.segment {
        let Some((condition, canonical)) = resolve_condition(study, picking)? else { continue };
        let again = conditions.iter().any(|known| known.question == condition.question);
        let asked = study.questions.get(condition.question);
        let asked = asked.filter(|one| one.kind != Kind::Multi);
        if let Some(asked) = asked.filter(|_| again) {
            return Err(Wrong::Contradiction { question: asked.id.clone() });
        }
        let counts =
            matches!(measure, Measure::Base | Measure::WeightedBase | Measure::EffectiveBase);
        if let Some(asked) = asked.filter(|_| condition.question == number && !counts) {
            return Err(Wrong::ByItself { question: asked.id.clone() });
        }
        conditions.push(condition);
        segment.push(canonical);
    }
    let (weighting, weight) = resolve_weighting(study, call.weight.as_ref())?;
    Ok(Asked {
        spec: Spec { study: place, question: number, measure, segment: conditions, weighting },
        call: Call {
            measure: call.measure,
            question: question.id.clone(),
            answers,
            segment,
            study: Some(study.id.clone()),
            weight,
        },
    })
}

/// Returns the named study; if none is named, the latest that has the question.
fn resolve_study<'a>(project: &'a Project, call: &Call) -> Result<(usize, &'a Study), Wrong> {
    let unknown = |what, name: &str, near: String| Wrong::Unknown {
        what,
        name: name.to_owned(),
        place: String::new(),
        near,
    };
    if let Some(id) = &call.study {
        let found = project.study(id).or_else(|| {
            let wanted = fold_name(id);
            let mut titled =
                (0..).zip(&project.studies).filter(|(_, one)| fold_name(&one.title) == wanted);
            titled.next().filter(|_| titled.next().is_none()).map(|(place, _)| place)
        });
        return found.and_then(|place| Some((place, project.studies.get(place)?))).ok_or_else(
            || unknown("study", id, near(id, project.studies.iter().map(|one| one.id.as_str()))),
        );
    }
    let mut latest = (0..).zip(&project.studies).collect::<Vec<_>>();
    latest.reverse();
    latest.into_iter().find(|(_, study)| study.question(&call.question).is_some()).ok_or_else(
        || {
            let known = project.studies.iter().flat_map(|study| &study.questions);
            unknown(
                "question",
                &call.question,
                near(&call.question, known.map(|one| one.id.as_str())),
            )
        },
    )
}

fn resolve_question<'a>(study: &'a Study, id: &str) -> Result<(usize, &'a Question), Wrong> {
    let found = study.question(id).and_then(|place| Some((place, study.questions.get(place)?)));
    found.ok_or_else(|| Wrong::Unknown {
        what: "question",
        name: id.to_owned(),
        place: format!(" in study {}", study.id),
        near: near(id, study.questions.iter().map(|one| one.id.as_str())),
    })
}

fn resolve_measure(call: &Call, question: &Question) -> Result<(Measure, Vec<Picked>), Wrong> {
    let plain = match call.measure {
        Measured::Share => {
            if call.answers.is_empty() {
                let answers = near("", question.answers.iter().map(|one| one.label.as_str()));
                let answers = answers.split_once("are ").map_or("", |(_, names)| names).to_owned();
                return Err(Wrong::NoAnswers { question: question.id.clone(), answers });
            }
            let (places, answers) = resolve_answers(question, &call.answers)?;
            return Ok((Measure::Share(places), answers));
        }
        Measured::Mean => Measure::Mean,
        Measured::Median => Measure::Median,
        Measured::Sd => Measure::Sd,
        Measured::Nps => Measure::Nps,
        Measured::Base => Measure::Base,
        Measured::WeightedBase => Measure::WeightedBase,
        Measured::EffectiveBase => Measure::EffectiveBase,
    };
    if call.answers.is_empty() {
        return Ok((plain, Vec::new()));
    }
    Err(Wrong::NeedlessAnswers { measure: call.measure.name(), question: question.id.clone() })
}

/// What a name stands for.
enum Called {
    Answer(usize),
    Net(usize),
}

/// Returns the places of answers, in order and each once, and their canonical names.
fn resolve_answers(
    question: &Question,
    wanted: &[Picked],
) -> Result<(Vec<usize>, Vec<Picked>), Wrong> {
    let (mut places, mut plain, mut joined) = (Vec::new(), Vec::new(), Vec::new());
    for picked in wanted {
        match picked {
            Picked::Box { top, points } => {
                places.extend(boxed(question, *top, *points)?);
                joined.push(picked.clone());
            }
            Picked::Named(name) => match called(question, name)? {
                Called::Answer(place) => {
                    places.push(place);
                    plain.push(place);
                }
                Called::Net(net) => {
                    let Some(net) = question.nets.get(net) else { continue };
                    places.extend(&net.answers);
                    joined.push(Picked::Named(net.label.clone()));
                }
            },
        }
    }
    plain.sort_unstable();
    plain.dedup();
    let mut canonical: Vec<Picked> = plain
        .iter()
        .filter_map(|place| Some(Picked::Named(question.answers.get(*place)?.code.clone())))
        .collect();
    for one in joined {
        if !canonical.contains(&one) {
            canonical.push(one);
        }
    }
    places.sort_unstable();
    places.dedup();
    Ok((places, canonical))
}

fn boxed(question: &Question, top: bool, points: usize) -> Result<Vec<usize>, Wrong> {
    let scored = question.answers.iter().filter(|answer| answer.score.is_some()).count();
    if question.kind != Kind::Scale || scored == 0 {
        return Err(Wrong::NoBox { question: question.id.clone(), kind: question.kind.name() });
    }
    if points >= scored {
        let question = question.id.clone();
        return Err(Wrong::BoxTooLarge { question, points: scored, asked: points });
    }
    Ok(question.boxed(points, top))
}

fn called(question: &Question, wanted: &str) -> Result<Called, Wrong> {
    let folded_name = fold_name(wanted);
    let places = |test: &dyn Fn(&crate::study::Answer) -> bool| -> Vec<usize> {
        (0..).zip(&question.answers).filter(|(_, one)| test(one)).map(|(place, _)| place).collect()
    };
    let tests: [&dyn Fn(&crate::study::Answer) -> bool; 4] = [
        &|one| one.code == wanted,
        &|one| fold_name(&one.code) == folded_name,
        &|one| one.label == wanted,
        &|one| fold_name(&one.label) == folded_name,
    ];
    for test in tests {
        match places(test).as_slice() {
            [] => {}
            [one] => return Ok(Called::Answer(*one)),
            several => {
                let codes = several.iter().filter_map(|place| question.answers.get(*place));
                let codes: Vec<String> = codes.map(|one| format!("code {}", one.code)).collect();
                let (name, candidates) = (wanted.to_owned(), codes.join(" or "));
                return Err(Wrong::Ambiguous { name, candidates });
            }
        }
    }
    if let Some(net) = question.nets.iter().position(|net| fold_name(&net.label) == folded_name) {
        return Ok(Called::Net(net));
    }
    let labels = question.answers.iter().map(|one| one.label.as_str());
    let nets = question.nets.iter().map(|one| one.label.as_str());
    Err(Wrong::Unknown {
        what: "answer",
        name: wanted.to_owned(),
        place: format!(" to question {}", question.id),
        near: near(wanted, labels.chain(nets)),
    })
}

/// Returns the respondents that a segment stands for; `None` if these are all.
fn resolve_condition(
    study: &Study,
    wanted: &Picking,
) -> Result<Option<(Condition, Picking)>, Wrong> {
    let (place, asked) = match &wanted.question {
        Some(id) => resolve_question(study, id)?,
        None => match segment_question(study, &wanted.answers)? {
            Some(found) => found,
            None => return Ok(None),
        },
    };
    let (places, canonical) = resolve_answers(asked, &wanted.answers)?;
    // A label says more than a code if it leads to the same answer.
    let readable = canonical
        .into_iter()
        .map(|picked| {
            let Picked::Named(code) = &picked else { return picked };
            let answer = asked.answers.iter().find(|answer| answer.code == *code);
            let label = answer.map(|answer| &answer.label).filter(|label| {
                let found = called(asked, label);
                matches!(found, Ok(Called::Answer(at)) if asked.answers.get(at) == answer)
            });
            label.map_or(picked.clone(), |label| Picked::Named(label.clone()))
        })
        .collect();
    let canonical = Picking { question: Some(asked.id.clone()), answers: readable };
    Ok(Some((Condition { question: place, answers: places }, canonical)))
}

/// Returns the one segment question that has all these answers; `None` if they name all respondents.
fn segment_question<'a>(
    study: &'a Study,
    wanted: &[Picked],
) -> Result<Option<(usize, &'a Question)>, Wrong> {
    let asked = || {
        let places = study.segments.iter();
        places.filter_map(|place| Some((*place, study.questions.get(*place)?)))
    };
    let candidates: Vec<(usize, &Question)> =
        asked().filter(|(_, question)| resolve_answers(question, wanted).is_ok()).collect();
    let told = picked(wanted);
    match candidates.as_slice() {
        [one] => Ok(Some(*one)),
        [] => {
            if matches!(fold_name(&told).as_str(), "total" | "all" | "everybody" | "everyone") {
                return Ok(None);
            }
            let labels = asked().flat_map(|(_, question)| &question.answers);
            Err(Wrong::Unknown {
                what: "segment",
                name: told.clone(),
                place: format!(" in study {}", study.id),
                near: near(&told, labels.map(|answer| answer.label.as_str())),
            })
        }
        several => {
            let candidates: Vec<String> = several
                .iter()
                .map(|(_, question)| format!("{}:{told}", name(&question.id)))
                .collect();
            Err(Wrong::Ambiguous { name: told.clone(), candidates: candidates.join(" or ") })
        }
    }
}

fn resolve_weighting(
    study: &Study,
    wanted: Option<&Weighed>,
) -> Result<(Weighting, Option<Weighed>), Wrong> {
    match wanted {
        None => Ok((Weighting::Study, None)),
        Some(Weighed::Nobody) => Ok((Weighting::Nobody, Some(Weighed::Nobody))),
        Some(Weighed::By(column)) => {
            let found = study.column(column);
            let known = found.and_then(|place| Some((place, study.columns.get(place)?)));
            let (place, known) = known.ok_or_else(|| Wrong::Unknown {
                what: "column",
                name: column.clone(),
                place: format!(" in study {}", study.id),
                near: near(column, study.columns.iter().map(|one| one.name.as_str())),
            })?;
            Ok((Weighting::Column(place), Some(Weighed::By(known.name.clone()))))
        }
    }
}
