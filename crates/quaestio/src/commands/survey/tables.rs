//! `quaestio survey tables`: banner tables.

use std::path::PathBuf;

use run::grounding::clean;
use serde_json::json;

use survey::figure::{Correction, Rules, Test, Weighting};
use survey::project::Project;
use survey::study::{Data, Kind, Study};
use survey::table::{self, Table, banner, banners};
use survey::{text, workbook};

use crate::cli::{Banner, CorrectionArg, TableFormat, TestArg};
use crate::config::Config;
use crate::failure::Failure;
use crate::{Face, output};

/// Given instead of a name if none is wanted.
const NONE: &str = "none";

/// How tables are delivered.
pub(super) struct Way {
    format: TableFormat,
    width: usize,
    pub(super) output: Option<PathBuf>,
}

impl Way {
    pub(super) fn of(
        format: Option<TableFormat>,
        output: Option<PathBuf>,
        width: u16,
    ) -> Result<Way, Failure> {
        let ending = output.as_ref().and_then(|path| path.extension()?.to_str());
        let ending = ending.map(str::to_ascii_lowercase);
        let format = match (format, ending.as_deref()) {
            (Some(format), _) => format,
            (None, Some("xlsx")) => TableFormat::Xlsx,
            (None, Some("csv")) => TableFormat::Csv,
            (None, Some("md")) => TableFormat::Md,
            (None, Some("json")) => TableFormat::Json,
            (None, Some("txt")) => TableFormat::Text,
            (None, _) if output.is_none() => TableFormat::Text,
            (None, _) => {
                return Err(Failure::usage(
                    "the ending of the --output file does not name a format",
                    "use .xlsx, .csv, .md, .json or .txt, or add --format",
                ));
            }
        };
        if format == TableFormat::Xlsx && output.is_none() {
            return Err(Failure::usage(
                "a workbook is not text and cannot be printed",
                "write it to a file, such as --output tables.xlsx",
            ));
        }
        Ok(Way { format, output, width: usize::from(width) })
    }
}

/// Returns the configured rules with the command line's changes.
pub(super) fn rules(wanted: &Banner, config: &Config) -> Result<Rules, Failure> {
    let mut rules = config.survey.rules();
    if let Some(alpha) = wanted.alpha {
        rules.alpha = alpha;
        // Keeps the two levels apart.
        rules.strict_alpha = rules.strict_alpha.min(alpha / 5.0);
    }
    rules.strict_alpha = wanted.strict_alpha.unwrap_or(rules.strict_alpha);
    rules.correction = wanted.correction.map_or(rules.correction, |correction| match correction {
        CorrectionArg::None => Correction::None,
        CorrectionArg::Holm => Correction::Holm,
        CorrectionArg::BenjaminiHochberg => Correction::BenjaminiHochberg,
    });
    rules.test = wanted.test.map_or(rules.test, |test| match test {
        TestArg::EffectiveBase => Test::EffectiveBase,
        TestArg::Linearised => Test::Linearised,
        TestArg::UnweightedBase => Test::UnweightedBase,
    });
    match rules.wrong() {
        None => Ok(rules),
        Some((key, must)) => Err(Failure::usage(
            format!("--{} must be {must}", key.replace('_', "-")),
            "leave it out to use the setting; see `quaestio config show`",
        )),
    }
}

/// Tables and remarks on them.
pub(super) struct Made {
    pub(super) tables: Vec<Table>,
    pub(super) remarks: Vec<String>,
}

/// Makes the wanted tables, study by study.
pub(super) fn make(project: &Project, wanted: &Banner, rules: &Rules) -> Result<Made, Failure> {
    let studies = select_studies(project, wanted)?;
    let mut made = Made { tables: vec![], remarks: vec![] };
    for (what, ids) in [("question", &wanted.questions), ("question", &wanted.by)] {
        for id in ids.iter().filter(|id| *id != NONE) {
            known(project, &studies, what, id)?;
        }
    }
    if wanted.waves {
        return waves(project, &studies, wanted, rules);
    }
    for &place in &studies {
        let Some(study) = project.studies.get(place) else { continue };
        let weighting = choose_weighting(study, wanted.weight.as_deref())?;
        let notes = study.notes_for(weighting);
        made.remarks.extend(notes.iter().map(|note| format!("{}: {note}", study.id)));
        let by = columns(study, wanted, &mut made.remarks);
        let questions = select_questions(study, wanted, &mut made.remarks);
        let failed = match banners(project, place, &questions, &by, weighting, rules) {
            Ok(tables) => {
                made.tables.extend(tables);
                continue;
            }
            Err(error) => error,
        };
        // A question that cannot be a table does not hold back the others, unless questions were named.
        let before = made.tables.len();
        for &question in questions.iter().filter(|_| wanted.questions.is_empty()) {
            match banner(project, place, question, &by, weighting, rules) {
                Ok(table) => made.tables.push(table),
                Err(error) => {
                    let id = study.questions.get(question).map_or("", |question| &question.id);
                    made.remarks.push(format!("{}: no table of {id}: {error}", study.id));
                }
            }
        }
        if made.tables.len() == before {
            return Err(Failure::new(format!("{}: {failed}", clean(&study.id)), ""));
        }
    }
    if made.tables.is_empty() {
        return Err(Failure::new(
            "no question to make a table of",
            "list the questions with `quaestio survey info`",
        ));
    }
    Ok(made)
}

/// Makes the tables of the questions that studies share, with a column for each study.
fn waves(
    project: &Project,
    studies: &[usize],
    wanted: &Banner,
    rules: &Rules,
) -> Result<Made, Failure> {
    let mut made = Made { tables: vec![], remarks: vec![] };
    let mut weightings = Vec::new();
    for &place in studies {
        let Some(study) = project.studies.get(place) else { continue };
        let weighting = choose_weighting(study, wanted.weight.as_deref())?;
        let notes = study.notes_for(weighting);
        made.remarks.extend(notes.iter().map(|note| format!("{}: {note}", study.id)));
        weightings.push((place, weighting));
    }
    for shared in project.shared() {
        let asked: Vec<(usize, usize, Weighting)> = weightings
            .iter()
            .filter_map(|(study, weighting)| {
                let member = shared.members.iter().find(|(of, _)| of == study)?;
                Some((*study, member.1, *weighting))
            })
            .collect();
        let question =
            |(study, place, _): &(usize, usize, Weighting)| project.question_at((*study, *place));
        let is_wanted = wanted.questions.is_empty()
            || asked
                .iter()
                .filter_map(question)
                .any(|one| wanted.questions.iter().any(|id| id.eq_ignore_ascii_case(&one.id)));
        let is_open = asked.iter().filter_map(question).any(|one| one.kind == Kind::Open);
        if asked.len() < 2 || !is_wanted || is_open {
            continue;
        }
        match table::waves(project, &asked, rules) {
            Ok(table) => made.tables.push(table),
            Err(error) => made.remarks.push(format!("no table of {}: {error}", shared.id)),
        }
    }
    if made.tables.is_empty() {
        return Err(Failure::new(
            "no question was asked in two of the studies",
            "see what studies share with `quaestio survey info`",
        ));
    }
    Ok(made)
}

/// Returns the places of the wanted studies.
fn select_studies(project: &Project, wanted: &Banner) -> Result<Vec<usize>, Failure> {
    if wanted.studies.is_empty() {
        return Ok((0..project.studies.len()).collect());
    }
    let place = |id: &String| {
        project.study(id).ok_or_else(|| {
            let all: Vec<&str> = project.studies.iter().map(|study| study.id.as_str()).collect();
            Failure::usage(
                format!("there is no study '{}'", clean(id)),
                format!("studies: {}", clean(&all.join(", "))),
            )
        })
    };
    wanted.studies.iter().map(place).collect()
}

/// Checks that one of the studies has the question.
fn known(project: &Project, studies: &[usize], what: &str, id: &str) -> Result<(), Failure> {
    let wanted = || studies.iter().filter_map(|place| project.studies.get(*place));
    if wanted().any(|study| study.question(id).is_some()) {
        return Ok(());
    }
    let near: Vec<&str> = wanted()
        .flat_map(|study| &study.questions)
        .map(|question| question.id.as_str())
        .filter(|known| alike(known, id))
        .take(5)
        .collect();
    let hint = match near.is_empty() {
        true => "list the questions with `quaestio survey info`".to_owned(),
        false => format!("did you mean {}?", clean(&near.join(", "))),
    };
    Err(Failure::usage(format!("there is no {what} '{}'", clean(id)), hint))
}

/// Returns whether one id begins with the other, or `known` contains `id`, ignoring case.
fn alike(known: &str, id: &str) -> bool {
    let (known, id) = (known.to_lowercase(), id.to_lowercase());
    !id.is_empty() && (known.starts_with(&id) || id.starts_with(&known) || known.contains(&id))
}

fn choose_weighting(study: &Study, wanted: Option<&str>) -> Result<Weighting, Failure> {
    let Some(name) = wanted else { return Ok(Weighting::Study) };
    if name.eq_ignore_ascii_case(NONE) {
        return Ok(Weighting::Nobody);
    }
    let numbers = |place: &usize| {
        let column = study.columns.get(*place);
        column.is_some_and(|column| !matches!(column.data, Data::Texts { .. }))
    };
    let place = study.column(name).filter(numbers).ok_or_else(|| {
        Failure::usage(
            format!("{} has no numeric column '{}' for the weight", clean(&study.id), clean(name)),
            "give a numeric column, or `none`",
        )
    })?;
    Ok(Weighting::Column(place))
}

/// Returns the questions whose answers form the columns.
fn columns(study: &Study, wanted: &Banner, remarks: &mut Vec<String>) -> Vec<usize> {
    if wanted.by.is_empty() {
        return study.segments.clone();
    }
    let mut places = Vec::new();
    for id in wanted.by.iter().filter(|id| *id != NONE) {
        match study.question(id) {
            Some(place) if places.contains(&place) => {}
            Some(place) => places.push(place),
            None => {
                remarks.push(format!("{}: there is no question {id} for the columns", study.id));
            }
        }
    }
    places
}

/// Returns the questions that become tables.
fn select_questions(study: &Study, wanted: &Banner, remarks: &mut Vec<String>) -> Vec<usize> {
    if wanted.questions.is_empty() {
        let tabled = study.questions.iter().enumerate();
        return tabled
            .filter(|(_, question)| question.kind != Kind::Open)
            .map(|(place, _)| place)
            .collect();
    }
    let mut places = Vec::new();
    for id in &wanted.questions {
        match study.question(id) {
            Some(place) => places.push(place),
            None => remarks.push(format!("{}: there is no question {id}", study.id)),
        }
    }
    places
}

/// Prints tables, or writes them to a file.
pub(super) fn deliver(
    made: &Made,
    project: &Project,
    rules: &Rules,
    way: &Way,
    face: &Face,
) -> Result<(), Failure> {
    let tables = &made.tables;
    let joined =
        |page: &dyn Fn(&Table) -> String| tables.iter().map(page).collect::<Vec<_>>().join("\n\n");
    let bytes = match way.format {
        TableFormat::Text => joined(&|table| text::plain(table, way.width)).into_bytes(),
        TableFormat::Md => joined(&text::markdown).into_bytes(),
        TableFormat::Csv => text::lines(tables).into_bytes(),
        TableFormat::Json => {
            format!("{}\n", output::json(&json!({ "rules": rules, "tables": tables }))).into_bytes()
        }
        TableFormat::Xlsx => {
            let studies = project.studies.iter();
            // A table of several studies names them all.
            let is_of = |table: &Table, id: &str| {
                table.study == id || table.study.split(", ").any(|one| one == id)
            };
            let tabled = studies.filter(|study| tables.iter().any(|table| is_of(table, &study.id)));
            let title = tabled.map(|study| study.title.as_str()).collect::<Vec<_>>().join(" · ");
            workbook::workbook(tables, &title, &made.remarks)
                .map_err(|error| Failure::new(error.to_string(), ""))?
        }
    };
    match &way.output {
        Some(path) => crate::saving::save(path, &bytes).map_err(|error| {
            Failure::new(
                format!("could not write {}: {error}", clean(&path.display().to_string())),
                "choose another file with --output",
            )
        }),
        None => {
            // Labels must not send control characters to a terminal.
            face.out.put(&clean(&String::from_utf8_lossy(&bytes)));
            Ok(())
        }
    }
}
