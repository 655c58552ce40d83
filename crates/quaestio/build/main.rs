//! Says in `QUAESTIO_VERSION` what `quaestio --version` prints: the version and, where it is known, the commit.

#![expect(clippy::print_stdout, reason = "a build script speaks to Cargo through it")]

mod commit;

use std::env;
use std::path::{Path, PathBuf};

/// Names the commit where the sources have no history: a container, an archive.
const COMMIT: &str = "QUAESTIO_COMMIT";

fn main() {
    println!("cargo::rerun-if-changed=build");
    println!("cargo::rerun-if-env-changed={COMMIT}");
    let manifest = env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from).unwrap_or_default();
    // While one develops, the program is not built again only because something was committed.
    let is_release = env::var("PROFILE").is_ok_and(|profile| profile == "release");
    let commit = match env::var(COMMIT) {
        Ok(given) if !given.is_empty() => commit::shorten(&given),
        _ if is_release => of_sources(&manifest),
        _ => None,
    };
    let version = env::var("CARGO_PKG_VERSION").unwrap_or_default();
    let version = commit.map_or(version.clone(), |commit| format!("{version} ({commit})"));
    println!("cargo::rustc-env=QUAESTIO_VERSION={version}");
}

/// Returns the commit of the sources in a folder, and asks for another build when it changes.
fn of_sources(manifest: &Path) -> Option<String> {
    let sources = commit::find(manifest)?;
    for file in &sources.files {
        println!("cargo::rerun-if-changed={}", file.display());
    }
    Some(sources.commit)
}
