//! What other programs show of the command line: completions for shells, and manual pages.

use std::fs;
use std::io;
use std::path::Path;

use clap_complete::Shell;
use clap_mangen::Man;
use run::Methods;

use crate::Face;
use crate::cli::build_command;
use crate::failure::{Exit, Failure};

/// Prints a script that completes commands and flags.
pub(super) fn complete(shell: Shell, methods: &Methods, face: &Face) -> Exit {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut build_command(methods), "quaestio", &mut script);
    face.out.put(&String::from_utf8_lossy(&script));
    Exit::Done
}

/// Prints the manual page of the program.
pub(super) fn print_page(methods: &Methods, face: &Face) -> Result<Exit, Failure> {
    let mut page = Vec::new();
    let command = build_command(methods).disable_help_subcommand(true);
    Man::new(command)
        .render(&mut page)
        .map_err(|error| Failure::new(format!("could not make the manual page: {error}"), ""))?;
    face.out.put(&String::from_utf8_lossy(&page));
    Ok(Exit::Done)
}

/// Writes the manual pages of the program and of its commands to a folder, which is made if it is missing.
pub(super) fn write_pages(methods: &Methods, folder: &Path) -> Result<Exit, Failure> {
    let write = || -> io::Result<()> {
        fs::create_dir_all(folder)?;
        clap_mangen::generate_to(build_command(methods), folder)
    };
    write().map(|()| Exit::Done).map_err(|error| {
        let what = format!("could not write manual pages to {}: {error}", folder.display());
        Failure::new(what, "name a folder that you may write to")
    })
}
