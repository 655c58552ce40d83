//! The banner tables of a brief: the questions that its figures are about, by the segments of their studies.

use std::collections::{BTreeMap, BTreeSet};

use methods::brief::Options;
use methods::brief::payload::{Brief, FigureTold};
use run::entry::{Entry, Event};
use run::files::Files;
use run::views;
use serde::Deserialize as _;
use survey::figure::{Rules, Weighting};
use survey::project::Project;
use survey::study::{Kind, Study};
use survey::table::{Table, banners};
use survey::{expression, workbook as sheets};

use crate::failure::Failure;
use crate::surveys;

/// The method whose runs have tables.
pub(crate) const BRIEF: &str = "brief";

/// Returns the banner tables of a run as the bytes of a workbook. The same run gives the same bytes.
///
/// # Errors
///
/// If the run came to no figure, or its files are no longer there.
pub(crate) async fn build_workbook(
    store: &dyn Files,
    run: &str,
    entries: &[Entry],
) -> Result<Vec<u8>, Failure> {
    made(store, run, entries).await?.ok_or_else(|| {
        Failure::new(
            format!("run {run} came to no figure, so it has no banner tables"),
            "`quaestio survey tables PATH` makes some of any question",
        )
    })
}

/// Like [`build_workbook`], but returns `None` if the run is not a brief or has no figure.
pub(crate) async fn made(
    store: &dyn Files,
    run: &str,
    entries: &[Entry],
) -> Result<Option<Vec<u8>>, Failure> {
    if views::start(entries).is_none_or(|start| start.method != BRIEF) {
        return Ok(None);
    }
    let Some(brief) = delivered(entries) else { return Ok(None) };
    let options = read_options(run, entries)?;
    let files = read_files(store, run, entries).await?;
    let run = run.to_owned();
    let work = move || write_workbook(&run, &files, &brief, &options);
    let broken_off = |_| Failure::new("making the tables was interrupted", "");
    tokio::task::spawn_blocking(work).await.map_err(broken_off)?
}

fn read_options(run: &str, entries: &[Entry]) -> Result<Options, Failure> {
    let unreadable = |why: String| Failure::new(format!("could not read run {run}: {why}"), "");
    let start = views::start(entries).ok_or_else(|| unreadable("it has no start".into()))?;
    Options::deserialize(&start.settings.options).map_err(|error| unreadable(error.to_string()))
}

/// Returns the survey files of a brief.
///
/// # Errors
///
/// If the run is no brief, or its files are no longer there.
pub(crate) async fn read_files(
    store: &dyn Files,
    run: &str,
    entries: &[Entry],
) -> Result<Vec<survey::read::File>, Failure> {
    let options = read_options(run, entries)?;
    let user = views::start(entries).map(|start| start.user).unwrap_or_default();
    surveys::read(store, user, &options.files).await
}

/// Computes the tables and writes the workbook; `None` if there is no table.
fn write_workbook(
    run: &str,
    files: &[survey::read::File],
    brief: &Brief,
    options: &Options,
) -> Result<Option<Vec<u8>>, Failure> {
    let project = survey::read::read_project(files).map_err(|error| surveys::unread(&error))?;
    let tables = build_tables(&project, brief, &options.rules.figures)?;
    if tables.is_empty() {
        return Ok(None);
    }
    let title = Some(brief.summary.title.trim()).filter(|title| !title.is_empty());
    let notes = [
        format!("Question: {}", brief.question),
        format!("Run: {run}"),
        "The questions that its figures are about, by the segments of their studies.".to_owned(),
    ];
    let bytes = sheets::workbook(&tables, title.unwrap_or(&brief.question), &notes);
    bytes.map(Some).map_err(|error| Failure::new(error.to_string(), ""))
}

/// Returns the brief that a run delivered, whole or in part.
pub(crate) fn delivered(entries: &[Entry]) -> Option<Brief> {
    let deliverable = match &entries.last()?.event {
        Event::Finished { deliverable, .. } => deliverable,
        Event::Stopped { partial, .. } | Event::Cancelled { partial, .. } => {
            &partial.as_ref()?.deliverable
        }
        _ => return None,
    };
    Brief::deserialize(deliverable).ok()
}

/// Returns the tables of the questions that the summary's figures are about, or the findings' if it has none; study by study.
fn build_tables(project: &Project, brief: &Brief, rules: &Rules) -> Result<Vec<Table>, Failure> {
    let figures: Vec<&FigureTold> = brief.statements.iter().flat_map(|one| &one.figures).collect();
    let figures = if figures.is_empty() {
        brief.finding_bank.iter().flat_map(|one| &one.figures).collect()
    } else {
        figures
    };
    // An expression is evaluated once, however often it is used.
    let expressions: BTreeSet<&str> =
        figures.iter().map(|figure| figure.expression.as_str()).collect();
    let mut wanted: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
    for expression in expressions {
        let Ok(evaluated) = expression::evaluate(project, rules, expression) else { continue };
        for part in &evaluated.parts {
            let Some(study) = project.study(&part.study) else { continue };
            let asked = project.studies.get(study).and_then(|one| one.question(&part.question));
            wanted.entry(study).or_default().extend(asked);
        }
    }
    let mut tables = Vec::new();
    for (place, questions) in wanted {
        let Some(study) = project.studies.get(place) else { continue };
        let questions: Vec<usize> =
            questions.into_iter().filter(|question| is_tabled(study, *question)).collect();
        let columns = select_columns(study);
        let made = banners(project, place, &questions, &columns, Weighting::Study, rules);
        tables.extend(made.map_err(|error| Failure::new(error.to_string(), ""))?);
    }
    Ok(tables)
}

/// Returns whether a question can be a table.
fn is_tabled(study: &Study, question: usize) -> bool {
    study.questions.get(question).is_some_and(|question| question.kind != Kind::Open)
}

/// Returns the questions whose answers form the columns.
fn select_columns(study: &Study) -> Vec<usize> {
    let has_answers = |place: &usize| {
        study.questions.get(*place).is_some_and(|question| !question.answers.is_empty())
    };
    study.segments.iter().copied().filter(has_answers).collect()
}

#[cfg(test)]
mod tests {
    use methods::brief::payload::Statement;
    use run::entry::Head;
    use run::files::StoredFiles as _;
    use run::{Outcome, Settings};
    use serde_json::json;
    use store::FileStore;

    use super::*;
    use crate::config::{Files, Layers};

    const DATA: &[u8] = b"gender,Q5,Q6\n1,1,2\n2,2,1\n1,2,2\n2,1,1\n";
    const CODEBOOK: &[u8] = b"variable,label,type,values,missing,top,role,set,grid\n\
        gender,Gender,single,1=Men|2=Women,,,segment,,\n\
        Q5,Are you satisfied?,single,1=Yes|2=No,,,,,\n\
        Q6,Do you ride daily?,single,1=Yes|2=No,,,,,\n";

    fn sealed(events: Vec<Event>) -> Vec<Entry> {
        let mut head = Head::default();
        let sealed = events.into_iter().map(|event| {
            let (entry, _) = Entry::seal(&head, jiff::Timestamp::UNIX_EPOCH, event);
            head = Head { seq: entry.seq, hash: entry.hash };
            entry
        });
        sealed.collect()
    }

    /// Returns the log of a run that delivered figures of these expressions.
    async fn log(method: &str, store: &FileStore, expressions: &[&str]) -> Vec<Entry> {
        let mut files = Vec::new();
        for (name, bytes) in [("wave.csv", DATA), ("wave.codebook.csv", CODEBOOK)] {
            files.push(store.put("ada", name, bytes.to_vec()).await.unwrap());
        }
        let mut options =
            Layers::read(&Files::default(), false, vec![]).unwrap().config.brief_options();
        options.files = files;
        options.rules.figures.least_base = 1;
        let figure = |expression: &&str| FigureTold {
            expression: (*expression).to_owned(),
            value: 0.5,
            shown: "50.0 %".into(),
            interval: None,
            studies: vec![],
            bases: vec![4],
            low_base: true,
            significant: None,
        };
        let statement = Statement {
            part: methods::brief::payload::Part::Overview,
            text: "Half of them are satisfied.".into(),
            numbers: vec![],
            verdict: None,
            rests_on: vec![],
            figures: expressions.iter().map(figure).collect(),
        };
        let brief = Brief { question: "q".into(), statements: vec![statement], ..Brief::default() };
        let settings = Settings { options: json!(options), ..Settings::default() };
        sealed(vec![
            Event::Started {
                method: method.into(),
                version: 1,
                question: "q".into(),
                settings,
                user: "ada".into(),
            },
            Event::Finished {
                deliverable: json!(brief),
                ledger: vec![],
                outcome: Outcome::Answered,
                warnings: vec![],
            },
        ])
    }

    // proves: B7, F6
    #[tokio::test]
    async fn a_brief_has_the_tables_of_the_questions_that_its_figures_are_about() {
        let folder = tempfile::tempdir().unwrap();
        let store = FileStore::new(folder.path());
        let entries =
            log("brief", &store, &["share(Q5=1, study=wave)", "share(Q5=2, study=wave)"]).await;
        let brief = delivered(&entries).unwrap();
        let files = [("wave.csv", DATA), ("wave.codebook.csv", CODEBOOK)]
            .map(|(name, bytes)| survey::read::File { name: name.into(), bytes: bytes.into() });
        let project = survey::read::read_project(&files).unwrap();
        let rules = Rules { least_base: 1, ..Rules::default() };
        let tables = build_tables(&project, &brief, &rules).unwrap();
        let told: Vec<(&str, usize)> =
            tables.iter().map(|table| (table.question.as_str(), table.columns.len())).collect();
        assert_eq!(told, [("Q5", 3)], "everybody, men and women");
        let workbook = build_workbook(&store, "RUN", &entries).await.unwrap();
        assert!(workbook.starts_with(b"PK"));
        assert_eq!(super::build_workbook(&store, "RUN", &entries).await.unwrap(), workbook);
    }

    // proves: F6
    #[tokio::test]
    async fn what_has_no_tables_says_so() {
        let folder = tempfile::tempdir().unwrap();
        let store = FileStore::new(folder.path());
        let told = async |entries: &[Entry]| {
            build_workbook(&store, "RUN", entries).await.unwrap_err().what
        };
        assert!(told(&log("brief", &store, &[]).await).await.contains("came to no figure"));
        let mut running = log("brief", &store, &[]).await;
        running.pop();
        assert!(told(&running).await.contains("came to no figure"));
        let entries = log("brief", &store, &["share(Q5=1)"]).await;
        let elsewhere = FileStore::new(folder.path().join("elsewhere"));
        let lost = build_workbook(&elsewhere, "RUN", &entries).await.unwrap_err();
        assert!(lost.what.contains("is missing from the data folder"), "{lost}");
    }
}
