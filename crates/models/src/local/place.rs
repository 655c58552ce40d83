//! The location of a model: a folder, or a snapshot in the hub's cache.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use super::LocalError;

/// A folder with a model, and the model's name.
pub(super) struct Place {
    pub(super) folder: PathBuf,
    /// `org/name` on the hub, otherwise the name of the folder.
    pub(super) name: String,
}

/// Finds the model: `place` is a folder, or a name on the hub with a snapshot in the cache `hub`.
pub(super) fn find(place: &Path, hub: Option<&Path>) -> Result<Place, LocalError> {
    if place.is_dir() {
        return Ok(Place { folder: place.to_owned(), name: folder_name(place) });
    }
    let name = place.to_string_lossy();
    let none = |looked: String| LocalError::NotFound { model: name.clone().into_owned(), looked };
    if !is_hub_name(&name) {
        return Err(none(
            "there is no such folder, and names on the model hub look like org/name".into(),
        ));
    }
    let Some(hub) = hub.map(Path::to_owned).or_else(usual_hub) else {
        return Err(none("there is no such folder, and no home folder with a hub cache".into()));
    };
    let repository = hub.join(format!("models--{}", name.replace('/', "--")));
    let snapshots = repository.join("snapshots");
    let revision = match fs::read_to_string(repository.join("refs").join("main")) {
        Ok(revision) => revision.trim().to_owned(),
        Err(_) => only_snapshot(&snapshots).unwrap_or_default(),
    };
    let folder = snapshots.join(&revision);
    if revision.is_empty() || !revision.bytes().all(is_plain) || !folder.is_dir() {
        return Err(none(format!("it is neither a folder nor in {}", repository.display())));
    }
    Ok(Place { folder, name: name.into_owned() })
}

/// Returns the folder where the hub's own tools keep their downloads.
fn usual_hub() -> Option<PathBuf> {
    let variable = |name| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    variable("HF_HUB_CACHE").or_else(|| variable("HF_HOME").map(|home| home.join("hub"))).or_else(
        || {
            let cache = variable("XDG_CACHE_HOME")
                .or_else(|| env::home_dir().map(|home| home.join(".cache")))?;
            Some(cache.join("huggingface").join("hub"))
        },
    )
}

fn folder_name(folder: &Path) -> String {
    let full = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    full.file_name().map_or_else(|| "model".into(), |name| name.to_string_lossy().into_owned())
}

fn is_hub_name(name: &str) -> bool {
    let parts: Vec<&str> = name.split('/').collect();
    let plain = |part: &&str| {
        !part.is_empty()
            && !part.starts_with('.')
            && !part.contains("--")
            && part.bytes().all(is_plain)
    };
    parts.len() <= 2 && parts.iter().all(plain)
}

fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.')
}

/// Returns the name of the snapshot if there is only one.
fn only_snapshot(snapshots: &Path) -> Option<String> {
    let mut names = fs::read_dir(snapshots).ok()?.filter_map(Result::ok);
    let only = names.next()?.file_name().to_string_lossy().into_owned();
    names.next().is_none().then_some(only)
}
