//! The worker's tools: finding questions, listing segments, running analyses. Statements report what an analysis found.

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

use run::{Result, Run};
use survey::expression::{
    self, Call, Evaluated, Expression, Measured, Operator, Part, Picked, Picking, Unit,
};
use survey::figure::{Level, Rules};
use survey::project::Project;
use survey::statement::{self, Finding, Language, Subject};
use survey::study::{Answer, Kind, Question};

use super::catalogue::{self, Catalogue, segment};
use super::data::Data;
use super::payload::FigureTold;
use super::replies::{Analysis, Tool, ToolCall};
use super::statements::Stated;

/// The result of a tool.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Analysed {
    pub(super) call: ToolCall,
    /// The subject: the words of the question, or the words searched for.
    pub(super) title: String,
    /// What the figures measure, in a few words.
    pub(super) measure: String,
    /// The single figure of a crosstab or a trend: an answer, or a [`Head::label`]. Empty for other analyses.
    #[serde(default)]
    pub(super) head: String,
    pub(super) study: String,
    pub(super) question: String,
    pub(super) unit: Unit,
    pub(super) lines: Vec<Line>,
    pub(super) differences: Vec<Difference>,
    /// The findings in words.
    pub(super) statements: Vec<Stated>,
    /// Further text for the agent.
    pub(super) text: String,
}

/// A figure of an analysis.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Line {
    /// The label of the answer, segment or study.
    pub(super) label: String,
    /// The segment, as `question:answer`.
    pub(super) segment: Option<String>,
    pub(super) figure: FigureTold,
    pub(super) subject: Subject,
}

/// The difference between two lines of an analysis.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Difference {
    /// The positions of the lines: the higher figure, then the lower one. For a trend: the later study, then the earlier one.
    pub(super) one: usize,
    pub(super) other: usize,
    pub(super) figure: FigureTold,
    pub(super) kind: statement::Kind,
    pub(super) unit: Unit,
    pub(super) p: Option<f64>,
}

/// Maximum number of lines in an analysis; if answers are left out, the result says so.
const MOST_LINES: usize = 24;

/// Calls a tool as a step of the run.
pub(super) async fn called(
    run: &Run,
    data: &Data,
    catalogue: &Catalogue,
    call: &ToolCall,
    questions_found: u32,
    language: Language,
) -> Result<Analysed> {
    match call.tool {
        Tool::SearchQuestions => {
            let found = catalogue.nearest(&call.query, questions_found as usize, false);
            let text = if found.is_empty() {
                "No question has any of these words.\n".to_owned()
            } else {
                catalogue.questions_told(&found)
            };
            let told = Analysed {
                call: call.clone(),
                title: format!("Questions for \"{}\"", call.query),
                text,
                ..Analysed::default()
            };
            let recorded = || std::future::ready(Ok(told.clone()));
            run.step("search_questions", call, recorded).await
        }
        Tool::SegmentMetadata => {
            let told = segments_told(catalogue, call);
            let recorded = || std::future::ready(Ok(told.clone()));
            run.step("segment_metadata", call, recorded).await
        }
        Tool::PerformAnalysis => {
            let work = || async {
                let (call, catalogue) = (call.clone(), catalogue.clone());
                data.work(move |project, rules| {
                    let mut analysed = run_analysis(project, rules, &catalogue, &call, language);
                    analysed.state(language);
                    analysed
                })
                .await
            };
            run.step("perform_analysis", call, work).await
        }
    }
}

fn segments_told(catalogue: &Catalogue, call: &ToolCall) -> Analysed {
    let wanted = |id: &str| call.study.is_empty() || id.eq_ignore_ascii_case(&call.study);
    let mut text = String::new();
    for study in catalogue.studies.iter().filter(|one| wanted(&one.told.id)) {
        for one in &study.segments {
            let _ = writeln!(text, "{} {}", study.told.id, one.told());
        }
    }
    if text.is_empty() {
        text = format!("there is no study '{}', or it has no segments\n", call.study);
    }
    Analysed { call: call.clone(), title: "Segments".into(), text, ..Analysed::default() }
}

/// Runs an analysis; if it cannot be run, the text says why.
fn run_analysis(
    project: &Project,
    rules: &Rules,
    catalogue: &Catalogue,
    call: &ToolCall,
    language: Language,
) -> Analysed {
    let run = match call.analysis {
        Analysis::Figure => figure(project, rules, call, language),
        Analysis::Trend => placed(project, catalogue, call)
            .and_then(|place| trend(project, rules, catalogue, call, &place)),
        Analysis::Crosstab => placed(project, catalogue, call)
            .and_then(|place| crosstab(project, rules, call, &place)),
        Analysis::Frequencies => placed(project, catalogue, call)
            .and_then(|place| frequencies(project, rules, call, &place)),
        Analysis::Mean => {
            one(project, rules, catalogue, call, |of| Head::new(Measured::Mean, of, "mean"))
        }
        Analysis::TopTwoBox => one(project, rules, catalogue, call, Head::top_two),
        Analysis::Nps => one(project, rules, catalogue, call, |of| {
            Head::new(Measured::Nps, of, "net promoter score")
        }),
    };
    let mut analysed = run.unwrap_or_else(|error| Analysed {
        text: format!("{error}\n"),
        title: if call.question.is_empty() { &call.expression } else { &call.question }.clone(),
        ..Analysed::default()
    });
    analysed.call = call.clone();
    analysed
}

/// A question and its study.
struct Placed<'a> {
    study: &'a str,
    question: &'a Question,
}

fn placed<'a>(
    project: &'a Project,
    catalogue: &Catalogue,
    call: &ToolCall,
) -> std::result::Result<Placed<'a>, String> {
    let id = match call.study.is_empty() {
        false => call.study.clone(),
        true => catalogue
            .latest_with(&call.question)
            .map_or_else(|| call.study.clone(), |study| study.told.id.clone()),
    };
    let study = project.study(&id).and_then(|at| project.studies.get(at));
    let question = study.and_then(|study| study.questions.get(study.question(&call.question)?));
    match (study, question) {
        (Some(study), Some(question)) => Ok(Placed { study: &study.id, question }),
        (None, _) if !id.is_empty() => Err(format!("there is no study '{id}'")),
        _ => Err(format!(
            "there is no question '{}'; search_questions finds their ids",
            call.question
        )),
    }
}

/// A way to measure a question, with its label.
struct Head {
    measure: Measured,
    question: String,
    /// The answers counted, for a share.
    answers: Vec<Picked>,
    label: String,
}

impl Head {
    fn new(measure: Measured, question: &Question, label: &str) -> Head {
        let question = question.id.clone();
        Head { measure, question, answers: vec![], label: label.to_owned() }
    }

    /// Returns the share of the two most favourable points of a scale.
    fn top_two(question: &Question) -> Head {
        let answers = vec![Picked::Box { top: true, points: 2 }];
        Head { answers, ..Head::new(Measured::Share, question, "top-2 share") }
    }

    /// Returns the share of each answer.
    fn shares(question: &Question) -> Vec<Head> {
        let share = |answer: &Answer| Head {
            answers: vec![Picked::Named(answer.code.clone())],
            ..Head::new(Measured::Share, question, &answer.label)
        };
        question.answers.iter().take(MOST_LINES).map(share).collect()
    }

    /// Returns the share of a net.
    fn net(question: &Question, label: &str) -> Option<Head> {
        let net = question.nets.iter().find(|net| net.label.eq_ignore_ascii_case(label))?;
        let answers = vec![Picked::Named(net.label.clone())];
        Some(Head { answers, ..Head::new(Measured::Share, question, &net.label) })
    }

    /// Returns the figure with this label: the share of a net or of an answer, or the headline figure.
    fn called(question: &Question, label: &str) -> Option<Head> {
        let named = |one: &Head| one.label.eq_ignore_ascii_case(label);
        let all = heads(question).into_iter().chain(Head::shares(question));
        Head::net(question, label).or_else(|| all.into_iter().find(named))
    }

    /// Returns the expression for a study, or for a segment of it.
    fn within(&self, study: &str, segment: Option<(&str, &str)>) -> Expression {
        let picking = |(question, code): (&str, &str)| Picking {
            question: Some(question.to_owned()),
            answers: vec![Picked::Named(code.to_owned())],
        };
        Expression::Figure(Call {
            measure: self.measure,
            question: self.question.clone(),
            answers: self.answers.clone(),
            segment: segment.map(picking).into_iter().collect(),
            study: Some(study.to_owned()),
            weight: None,
        })
    }

    fn unit(&self) -> Unit {
        match self.measure {
            Measured::Nps => Unit::Nps,
            Measured::Mean => Unit::Mean,
            _ => Unit::Share,
        }
    }
}

/// Returns the ways to measure a question by one figure; each answer of a closed question is one.
fn heads(question: &Question) -> Vec<Head> {
    match question.kind {
        Kind::Scale if question.is_nps() => {
            vec![Head::new(Measured::Nps, question, "net promoter score")]
        }
        Kind::Scale => vec![Head::top_two(question)],
        Kind::Numeric => vec![Head::new(Measured::Mean, question, "mean")],
        Kind::Single | Kind::Multi => Head::shares(question),
        Kind::Open => vec![],
    }
}

/// Evaluates an expression into a labelled line.
fn told(
    project: &Project,
    rules: &Rules,
    expression: &Expression,
    label: &str,
    segment: Option<String>,
) -> std::result::Result<Line, String> {
    let evaluated = expression::evaluate(project, rules, &expression.to_string())
        .map_err(|error| error.to_string())?;
    told_at_all(&evaluated, rules)?;
    let part = evaluated.parts.first().ok_or("it is not a figure")?;
    let subject = Subject::of(project, part);
    Ok(Line { label: label.to_owned(), segment, figure: figure_told(&evaluated), subject })
}

/// Checks that no base of a figure is too low to report it.
fn told_at_all(evaluated: &Evaluated, rules: &Rules) -> std::result::Result<(), String> {
    let low = evaluated.parts.iter().find(|part| part.figure.level == Level::TooLow);
    match low {
        None => Ok(()),
        Some(part) => Err(format!(
            "{} respondents are fewer than the smallest base of {}, so no figure is reported",
            part.figure.base.carrying(),
            rules.least_base
        )),
    }
}

/// Returns a figure as shown to readers.
pub(super) fn figure_told(evaluated: &Evaluated) -> FigureTold {
    FigureTold {
        expression: evaluated.expression.clone(),
        value: evaluated.value,
        shown: evaluated.text.clone(),
        interval: match evaluated.parts.as_slice() {
            [part] => part.figure.interval,
            _ => evaluated.comparison.as_ref().and_then(|one| one.interval),
        },
        studies: studies(evaluated),
        bases: evaluated.parts.iter().map(|part| part.figure.base.unweighted).collect(),
        low_base: evaluated.parts.iter().any(|part| part.figure.level != Level::Fine),
        significant: evaluated
            .comparison
            .as_ref()
            .and_then(|comparison| comparison.p.map(|_| comparison.significant)),
    }
}

/// Returns one of several figures as shown to readers.
fn part_told(part: &Part) -> FigureTold {
    FigureTold {
        expression: part.expression.clone(),
        value: part.figure.value,
        shown: part.text.clone(),
        interval: part.figure.interval,
        studies: vec![part.study.clone()],
        bases: vec![part.figure.base.unweighted],
        low_base: part.figure.level != Level::Fine,
        significant: None,
    }
}

/// Returns the ids of the studies behind a figure, each once.
fn studies(evaluated: &Evaluated) -> Vec<String> {
    let mut studies: Vec<String> = Vec::new();
    for part in &evaluated.parts {
        if !studies.contains(&part.study) {
            studies.push(part.study.clone());
        }
    }
    studies
}

fn figure(
    project: &Project,
    rules: &Rules,
    call: &ToolCall,
    language: Language,
) -> std::result::Result<Analysed, String> {
    let evaluated =
        expression::evaluate(project, rules, &call.expression).map_err(|e| e.to_string())?;
    told_at_all(&evaluated, rules)?;
    let mut figures: Vec<FigureTold> = evaluated.parts.iter().map(part_told).collect();
    let first = evaluated.parts.first();
    let label = evaluated.text.clone();
    let mut analysed = Analysed {
        title: evaluated.expression.clone(),
        measure: "figure".into(),
        study: first.map(|part| part.study.clone()).unwrap_or_default(),
        question: first.map(|part| part.question.clone()).unwrap_or_default(),
        unit: evaluated.unit,
        ..Analysed::default()
    };
    let finding = Finding::of(project, &evaluated);
    for (part, figure) in evaluated.parts.iter().zip(&figures) {
        let (label, figure) = (label.clone(), figure.clone());
        let subject = Subject::of(project, part);
        analysed.lines.push(Line { label, segment: None, figure, subject });
    }
    if evaluated.parts.len() > 1 {
        figures.push(figure_told(&evaluated));
    }
    analysed.statements.push(Stated::of(finding, figures, language));
    Ok(analysed)
}

fn one(
    project: &Project,
    rules: &Rules,
    catalogue: &Catalogue,
    call: &ToolCall,
    head: impl FnOnce(&Question) -> Head,
) -> std::result::Result<Analysed, String> {
    let place = placed(project, catalogue, call)?;
    let head = head(place.question);
    if !call.by.is_empty() {
        return cut(project, rules, call, &place, &head);
    }
    let line = told(project, rules, &head.within(place.study, None), &head.label, None)?;
    let mut analysed = place.begun(&head.label, head.unit());
    analysed.lines.push(line);
    Ok(analysed)
}

fn frequencies(
    project: &Project,
    rules: &Rules,
    call: &ToolCall,
    place: &Placed<'_>,
) -> std::result::Result<Analysed, String> {
    let question = place.question;
    let (mut wanted, label) = match question.kind {
        Kind::Open => {
            return Err(format!(
                "'{}' is an open question; its answers are not counted",
                question.id
            ));
        }
        Kind::Numeric => (heads(question), "mean"),
        Kind::Multi => (heads(question), "share of every answer; answers overlap"),
        Kind::Single => (heads(question), "share of every answer"),
        Kind::Scale => {
            let mut wanted = Head::shares(question);
            wanted.extend(heads(question));
            (wanted, "share of every answer")
        }
    };
    wanted.extend(Head::net(question, &call.answer));
    let unit = if question.kind == Kind::Numeric { Unit::Mean } else { Unit::Share };
    let mut analysed = place.begun(label, unit);
    for head in wanted {
        let expression = head.within(place.study, None);
        analysed.lines.push(told(project, rules, &expression, &head.label, None)?);
    }
    if question.answers.len() > MOST_LINES {
        analysed.measure.push_str(&format!("; the first {MOST_LINES} answers"));
    }
    Ok(analysed)
}

fn crosstab(
    project: &Project,
    rules: &Rules,
    call: &ToolCall,
    place: &Placed<'_>,
) -> std::result::Result<Analysed, String> {
    if call.by.is_empty() {
        return Err("a crosstab needs `by`, a segment question".into());
    }
    cut(project, rules, call, place, &headline(project, rules, call, place)?)
}

/// Returns the single figure that stands for a question: the requested one, otherwise "yes" of a yes/no question, otherwise the most common
/// answer.
fn headline(
    project: &Project,
    rules: &Rules,
    call: &ToolCall,
    place: &Placed<'_>,
) -> std::result::Result<Head, String> {
    let question = place.question;
    if !call.answer.is_empty() {
        let none = || format!("'{}' has no answer or net '{}'", question.id, call.answer);
        return Head::called(question, &call.answer).ok_or_else(none);
    }
    let coded: Vec<(&str, &str)> = question
        .answers
        .iter()
        .map(|answer| (answer.code.as_str(), answer.label.as_str()))
        .collect();
    let yes = catalogue::affirmed(&coded).filter(|_| question.kind == Kind::Single);
    if let Some(yes) = yes.and_then(|label| Head::called(question, label)) {
        return Ok(yes);
    }
    let mut most: Option<(f64, Head)> = None;
    for head in heads(place.question) {
        let line = told(project, rules, &head.within(place.study, None), &head.label, None)?;
        // On a tie, the last answer wins.
        if most.as_ref().is_none_or(|(known, _)| line.figure.value >= *known) {
            most = Some((line.figure.value, head));
        }
    }
    let open =
        || format!("'{}' is an open question; its answers are not counted", place.question.id);
    most.map(|(_, head)| head).ok_or_else(open)
}

/// Returns a figure in every segment of a question, with the differences between them, most significant first.
fn cut(
    project: &Project,
    rules: &Rules,
    call: &ToolCall,
    place: &Placed<'_>,
    head: &Head,
) -> std::result::Result<Analysed, String> {
    let by = segment_question(project, place.study, &call.by)?;
    let mut analysed = place.begun(&format!("{} by {}", head.label, by.text), head.unit());
    analysed.head = head.label.clone();
    let mut left_out = Vec::new();
    for answer in by.answers.iter().take(MOST_LINES) {
        let expression = head.within(place.study, Some((&by.id, &answer.code)));
        let name = segment(&by.id, &answer.label);
        match told(project, rules, &expression, &answer.label, Some(name)) {
            Ok(line) => analysed.lines.push(line),
            Err(why) => left_out.push(format!("{}: {why}", answer.label)),
        }
    }
    // Answers of a multiple-response question overlap: people would be compared with themselves.
    if by.kind != Kind::Multi {
        analysed.compare(project, rules, 0, false);
    }
    for why in left_out {
        let _ = writeln!(analysed.text, "left out: {why}");
    }
    Ok(analysed)
}

fn trend(
    project: &Project,
    rules: &Rules,
    catalogue: &Catalogue,
    call: &ToolCall,
    place: &Placed<'_>,
) -> std::result::Result<Analysed, String> {
    let members = catalogue.members(place.study, &place.question.id);
    if members.len() < 2 {
        return Err(format!("only {} asked '{}'", place.study, place.question.id));
    }
    let head = headline(project, rules, call, place)?;
    let mut analysed = place.begun(&format!("{} by study", head.label), head.unit());
    analysed.head = head.label.clone();
    let by = match call.by.is_empty() {
        true => vec![None],
        false => {
            let by = segment_question(project, place.study, &call.by)?;
            by.answers.iter().take(MOST_LINES).map(|answer| Some((by, answer))).collect()
        }
    };
    let mut left_out = Vec::new();
    for within in by {
        let mut lines = Vec::new();
        for (study, id) in &members {
            let found = project.study(study).and_then(|at| project.studies.get(at));
            let question = found.and_then(|study| study.questions.get(study.question(id)?));
            let same = question.and_then(|question| Head::called(question, &head.label));
            let Some(same) = same else { continue };
            let cut = within.map(|(by, answer)| (by.id.as_str(), answer.code.as_str()));
            let name = within.map(|(by, answer)| segment(&by.id, &answer.label));
            let label = match within {
                Some((_, answer)) => format!("{}, {study}", answer.label),
                None => study.clone(),
            };
            match told(project, rules, &same.within(study, cut), &label, name) {
                Ok(line) => lines.push(line),
                Err(why) if within.is_some() => left_out.push(format!("{label}: {why}")),
                Err(why) => return Err(why),
            }
        }
        let first = analysed.lines.len();
        analysed.lines.extend(lines);
        analysed.compare(project, rules, first, true);
    }
    for why in left_out {
        let _ = writeln!(analysed.text, "left out: {why}");
    }
    Ok(analysed)
}

/// Returns a question that divides the respondents of a study.
fn segment_question<'a>(
    project: &'a Project,
    study: &str,
    by: &str,
) -> std::result::Result<&'a Question, String> {
    let found = project.study(study).and_then(|at| project.studies.get(at));
    let question = found.and_then(|study| study.questions.get(study.question(by)?));
    question
        .filter(|question| !question.answers.is_empty())
        .ok_or_else(|| format!("there is no segment question '{by}' in {study}"))
}

/// Returns the expression for one figure minus another.
fn difference(one: &str, other: &str) -> Option<Expression> {
    let read = |text: &str| expression::parse(text).ok().map(Box::new);
    Some(Expression::Joined(read(one)?, Operator::Minus, read(other)?))
}

impl Placed<'_> {
    fn begun(&self, measure: &str, unit: Unit) -> Analysed {
        Analysed {
            title: self.question.words(),
            measure: measure.to_owned(),
            study: self.study.to_owned(),
            question: self.question.id.clone(),
            unit,
            ..Analysed::default()
        }
    }
}

impl Analysed {
    /// Compares the lines from `first` on with each other. In a trend, each line is first compared with the previous one, then the last
    /// with the first, then the remaining pairs.
    fn compare(&mut self, project: &Project, rules: &Rules, first: usize, is_trend: bool) {
        let count = self.lines.len();
        let mut pairs: Vec<(usize, usize)> =
            (first..count).flat_map(|at| (first..at).map(move |other| (at, other))).collect();
        if is_trend {
            let is_whole = |(one, other): (usize, usize)| one + 1 == count && other == first;
            pairs.sort_by_key(|pair| (pair.0 != pair.1 + 1, !is_whole(*pair)));
        }
        for (mut one, mut other) in pairs {
            let value = |at: usize| self.lines.get(at).map_or(0.0, |line| line.figure.value);
            if !is_trend && value(one) < value(other) {
                (one, other) = (other, one);
            }
            let (Some(first), Some(second)) = (self.lines.get(one), self.lines.get(other)) else {
                continue;
            };
            let expression = difference(&first.figure.expression, &second.figure.expression);
            // A difference that cannot be computed is not reported.
            let Some(expression) = expression else { continue };
            let evaluated = expression::evaluate(project, rules, &expression.to_string());
            let Ok(evaluated) = evaluated else { continue };
            let p = evaluated.comparison.as_ref().and_then(|comparison| comparison.p);
            let kind = statement::Kind::of(project, &first.subject, &second.subject);
            let (figure, unit) = (figure_told(&evaluated), evaluated.unit);
            self.differences.push(Difference { one, other, figure, kind, unit, p });
        }
        if !is_trend {
            let key = |one: &Difference| one.p.unwrap_or(f64::INFINITY);
            self.differences.sort_by(|one, other| key(one).total_cmp(&key(other)));
        }
    }

    /// Words the results for the worker: the figures, then the first of their differences.
    fn state(&mut self, language: Language) {
        /// Maximum number of differences to state.
        const MOST: usize = 8;
        // A single expression already has its statement.
        if self.call.analysis == Analysis::Figure || self.lines.is_empty() {
            return;
        }
        let mut stated = Vec::new();
        match self.call.analysis {
            Analysis::Trend if self.call.by.is_empty() && self.lines.len() > 2 => {
                stated.push(self.trend(language));
            }
            // For two studies, the difference already gives both figures.
            Analysis::Trend => {}
            _ if self.head.is_empty() => stated.extend(self.frequencies(language)),
            _ => stated.push(self.listed(&self.lines.iter().collect::<Vec<_>>(), language)),
        }
        let differences = self.differences.iter().take(MOST);
        stated.extend(differences.map(|one| self.stated(one, language)));
        self.statements = stated;
    }

    /// Returns the shares of answers in one statement, and each other figure in its own.
    fn frequencies(&self, language: Language) -> Vec<Stated> {
        let (answers, others): (Vec<&Line>, Vec<&Line>) = self.lines.iter().partition(|line| {
            line.subject.measure == Measured::Share && line.subject.together.is_none()
        });
        let mut stated = Vec::new();
        if answers.len() > 1 {
            let subjects = answers.iter().map(|line| line.subject.clone()).collect();
            let figures = answers.iter().map(|line| line.figure.clone()).collect();
            stated.push(Stated::of(Finding::rank(subjects), figures, language));
        } else {
            stated.extend(answers.into_iter().map(|line| line.stated(language)));
        }
        stated.extend(others.into_iter().map(|line| line.stated(language)));
        stated
    }

    /// Returns one figure across several segments or studies, in one statement.
    pub(super) fn listed(&self, lines: &[&Line], language: Language) -> Stated {
        match lines {
            [line] => line.stated(language),
            lines => Stated::beside(lines, Finding::order, language),
        }
    }

    fn trend(&self, language: Language) -> Stated {
        let last = self.lines.len().saturating_sub(1);
        let whole = self.differences.iter().find(|one| (one.one, one.other) == (last, 0));
        let difference = whole.and_then(|one| self.finding(one).difference);
        let lines: Vec<&Line> = self.lines.iter().collect();
        Stated::beside(&lines, |subjects| Finding::trend(subjects, difference.clone()), language)
    }

    /// Returns a difference in words.
    pub(super) fn stated(&self, difference: &Difference, language: Language) -> Stated {
        let figures = self.compared(difference).map(|line| line.figure.clone());
        let figures = figures.chain([difference.figure.clone()]).collect();
        Stated::of(self.finding(difference), figures, language)
    }

    fn finding(&self, difference: &Difference) -> Finding {
        let subjects = self.compared(difference).map(|line| line.subject.clone()).collect();
        let Difference { kind, unit, figure, .. } = difference;
        Finding::between(*kind, subjects, figure.value, *unit, figure.significant)
    }

    /// Returns the two lines of a difference.
    fn compared(&self, difference: &Difference) -> impl Iterator<Item = &Line> {
        let places = [difference.one, difference.other].into_iter();
        places.filter_map(|at| self.lines.get(at))
    }

    /// Returns the subject of the analysis, on one line.
    pub(super) fn heading(&self) -> String {
        match self.study.is_empty() {
            true => self.title.clone(),
            false => format!("\"{}\" in {}: {}", self.title, self.study, self.measure),
        }
    }
}

impl Line {
    /// Returns its figure in words.
    pub(super) fn stated(&self, language: Language) -> Stated {
        let finding = Finding {
            kind: statement::Kind::Level,
            figures: vec![self.subject.clone()],
            difference: None,
        };
        Stated::of(finding, vec![self.figure.clone()], language)
    }
}

impl Stated {
    /// Returns the figures of several lines in one statement.
    pub(super) fn beside(
        lines: &[&Line],
        finding: impl Fn(Vec<Subject>) -> Finding,
        language: Language,
    ) -> Stated {
        let subjects = lines.iter().map(|line| line.subject.clone()).collect();
        let figures = lines.iter().map(|line| line.figure.clone()).collect();
        Stated::of(finding(subjects), figures, language)
    }
}
