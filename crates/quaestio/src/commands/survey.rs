//! `quaestio survey`.

mod info;
mod tables;

use run::files::FileSet;
use run::library::is_of_a_run;
use serde_json::json;
use survey::project::Project;
use survey::read;

use crate::cli::{Common, SurveyCommand, SurveyData};
use crate::config::Config;
use crate::failure::{Exit, Failure};
use crate::names::check_name;
use crate::surveys::{collect, keep, kept, no_such, unread};
use crate::{Face, output, wire};

pub(super) async fn survey(
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
            let project = load_project(&data, config).await?;
            face.out.put(&info::info(&project, format));
        }
        SurveyCommand::Tables { data, banner, format, width, output } => {
            let way = tables::Way::of(format, output, width)?;
            let rules = tables::rules(&banner, config)?;
            let project = load_project(&data, config).await?;
            let made = tables::make(&project, &banner, &rules)?;
            made.remarks.iter().for_each(|remark| note(remark));
            tables::deliver(&made, &project, &rules, &way, face)?;
            if let Some(path) = &way.output {
                note(&format!("{} tables in {}", made.tables.len(), path.display()));
            }
        }
        SurveyCommand::Add { name, paths, json } => {
            let file_bytes = config.survey.file_bytes;
            let files = wire::open_files(config).await?;
            let kept = keep(&*files, &config.user, &name, &paths, file_bytes).await?;
            let what = if kept.replaced { "replaced" } else { "added" };
            let (files, studies) = (kept.files, kept.studies);
            face.out.line(&match json.is_wanted() {
                true => output::json_line(
                    &json!({ "survey": name, "state": what, "files": files, "studies": studies }),
                ),
                false => format!("{name} {what}: {files} files, {studies} studies"),
            });
        }
        SurveyCommand::List { json } => {
            let mut sets = wire::open_files(config).await?.sets(&config.user).await?;
            sets.retain(|set| !is_of_a_run(&set.name));
            if json.is_wanted() {
                face.out.line(&output::json(&sets));
                return Ok(Exit::Done);
            }
            if sets.is_empty() {
                note("no surveys yet; keep one with `quaestio survey add NAME PATH`");
            }
            for FileSet { name, files } in sets {
                let bytes: u64 = files.iter().map(|file| file.bytes).sum();
                let names: Vec<&str> = files.iter().map(|file| file.name.as_str()).collect();
                let line = format!("{name}  {bytes} bytes  {}", names.join(", "));
                face.out.line(&run::grounding::clean(&line));
            }
        }
        SurveyCommand::Remove { name, json } => {
            check_name("survey", &name)?;
            if !wire::open_files(config).await?.forget(&config.user, &name).await? {
                return Err(no_such(&name));
            }
            face.out.line(&match json.is_wanted() {
                true => output::json_line(&json!({ "survey": name, "state": "removed" })),
                false => format!("{name} removed"),
            });
        }
    }
    Ok(Exit::Done)
}

/// Reads the survey that a command names.
async fn load_project(data: &SurveyData, config: &Config) -> Result<Project, Failure> {
    let files = match &data.survey {
        Some(name) => kept(&*wire::open_files(config).await?, &config.user, name).await?,
        None => collect(&data.paths, config.survey.file_bytes)?,
    };
    read::read_project(&files).map_err(|error| unread(&error))
}
