//! `quaestio survey`.

mod info;
mod tables;

use run::library::is_of_a_run;
use survey::project::Project;
use survey::read;

use crate::cli::{Common, SurveyCommand, SurveyData};
use crate::config::Config;
use crate::failure::{Exit, Failure};
use crate::file_store::Set;
use crate::surveys::{collect, keep, kept, unread};
use crate::{Face, output, wire};

pub(super) fn survey(
    command: SurveyCommand,
    config: &Config,
    common: &Common,
    face: &Face,
) -> Result<Exit, Failure> {
    let note = |text: &str| {
        if !common.quiet {
            face.err.line(&run::grounding::clean(text));
        }
    };
    match command {
        SurveyCommand::Info { data, format } => {
            let project = load_project(&data, config)?;
            face.out.put(&info::info(&project, format));
        }
        SurveyCommand::Tables { data, banner, format, width, output } => {
            let way = tables::Way::of(format, output, width)?;
            let rules = tables::rules(&banner, config)?;
            let project = load_project(&data, config)?;
            let made = tables::make(&project, &banner, &rules)?;
            made.remarks.iter().for_each(|remark| note(remark));
            tables::deliver(&made, &project, &rules, &way, face)?;
            if let Some(path) = &way.output {
                note(&format!("{} tables in {}", made.tables.len(), path.display()));
            }
        }
        SurveyCommand::Add { name, paths } => {
            let file_bytes = config.survey.file_bytes;
            let kept = keep(&wire::open_files(config)?, &config.user, &name, &paths, file_bytes)?;
            let what = if kept.replaced { "replaced" } else { "added" };
            let (files, studies) = (kept.files, kept.studies);
            face.out.line(&format!("{name} {what}: {files} files, {studies} studies"));
        }
        SurveyCommand::List { json } => {
            let mut sets = wire::open_files(config)?.sets(&config.user)?;
            sets.retain(|set| !is_of_a_run(&set.name));
            if json {
                face.out.line(&output::json(&sets));
                return Ok(Exit::Done);
            }
            if sets.is_empty() {
                note("no surveys yet; keep one with `quaestio survey add NAME PATH`");
            }
            for Set { name, files } in sets {
                let bytes: u64 = files.iter().map(|file| file.bytes).sum();
                let names: Vec<&str> = files.iter().map(|file| file.name.as_str()).collect();
                let line = format!("{name}  {bytes} bytes  {}", names.join(", "));
                face.out.line(&run::grounding::clean(&line));
            }
        }
        SurveyCommand::Remove { name } => {
            wire::open_files(config)?.forget(&config.user, &name)?;
            face.out.line(&format!("{name} removed"));
        }
    }
    Ok(Exit::Done)
}

/// Reads the survey that a command names.
fn load_project(data: &SurveyData, config: &Config) -> Result<Project, Failure> {
    let files = match &data.survey {
        Some(name) => kept(&wire::open_files(config)?, &config.user, name)?,
        None => collect(&data.paths, config.survey.file_bytes)?,
    };
    read::read_project(&files).map_err(|error| unread(&error))
}
