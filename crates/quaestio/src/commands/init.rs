//! `quaestio init`: three questions, a file of settings, and a try of what was chosen.
//!
//! A model, documents, web search: each question has a suggestion, which Enter accepts. What suggests it is looked up first: keys in the
//! environment, model servers on this machine, a folder `docs`. A key is never asked for and never written.

mod detect;
mod questions;
mod settle;
mod trial;

use run::Methods;

use self::questions::Chosen;
use crate::cli::{Common, InitArgs};
use crate::config::{Files, UserFile};
use crate::failure::{Exit, Failure};
use crate::{Face, wire};

/// The collection with the example, for a person who has no documents at hand.
const EXAMPLE: &str = "example";

pub(super) async fn init(
    args: &InitArgs,
    common: &Common,
    methods: Methods,
    face: &Face,
) -> Result<Exit, Failure> {
    if !args.yes && !face.terminal {
        return Err(Failure::usage(
            "`quaestio init` asks three questions, and there is no terminal to ask at",
            "accept the suggestions with `quaestio init --yes`, or name your own: --model, --docs, --web-search",
        ));
    }
    let Some(path) = Files::usual(common.config.as_deref()).user else {
        return Err(Failure::usage(
            "there is no place for your settings: neither HOME nor XDG_CONFIG_HOME is set",
            "name a file with --config FILE",
        ));
    };
    let file = UserFile::read(&path)?;
    let plain = without_choices(common);
    let layers = wire::configure_new(&plain)?;
    let Some(chosen) = questions::ask(args, common, &layers.config, face).await? else {
        face.err.line("\nNothing was written.");
        return Ok(Exit::Cancelled);
    };
    if !settle::write(file, &chosen, &layers, args.yes, face).await? {
        face.err.line("Nothing was written.");
        return Ok(Exit::Cancelled);
    }
    let layers = wire::configure_new(&plain)?;
    settle::tell_what_wins(&chosen, &layers, face);
    trial::run(args, &chosen, layers.config, &plain, methods, face).await
}

/// Returns the flags without those that choose what `init` writes.
fn without_choices(common: &Common) -> Common {
    Common {
        model: None,
        light_model: None,
        base_url: None,
        embedder: None,
        no_model: false,
        ..common.clone()
    }
}

/// Writes a path or a question for a POSIX shell.
fn quoted(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=@%+,".contains(c);
    match !text.is_empty() && text.chars().all(plain) {
        true => text.to_owned(),
        false => format!("'{}'", text.replace('\'', r"'\''")),
    }
}
