//! `quaestio db`.

use store::BackupError;

use crate::cli::DbCommand;
use crate::config::Config;
use crate::failure::{Exit, Failure};
use crate::{Face, wire};

pub(super) fn db(command: &DbCommand, config: &Config, face: &Face) -> Result<Exit, Failure> {
    let DbCommand::Backup { file } = command;
    if wire::is_elsewhere(config) {
        return Err(Failure::usage(
            "a PostgreSQL database is backed up by its own tools",
            "`pg_dump --format custom --file FILE URL` copies it as it stands at one moment; docs/operating.md tells more",
        ));
    }
    let bytes = store::backup(&wire::data_folder(config)?, file).map_err(|error| {
        let hint = match error {
            BackupError::Missing { .. } => "give the data folder with --data-dir FOLDER",
            BackupError::Exists { .. } => "choose another name; nothing is written over",
            BackupError::Failed { .. } => "check the permissions of its folder, and the free space",
        };
        Failure::new(run::grounding::clean(&error.to_string()), hint)
    })?;
    let shown = run::grounding::clean(&file.display().to_string());
    face.out.line(&format!("{shown}: {bytes} bytes"));
    Ok(Exit::Done)
}
