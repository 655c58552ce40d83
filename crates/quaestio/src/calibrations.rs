//! How well models read, as measured: a file in the data folder, keyed by model.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use run::settings::Calibration;

use crate::failure::Failure;

fn locate_file(folder: &Path) -> PathBuf {
    folder.join("readers.json")
}

/// Returns the stored calibrations; empty if there are none, or if they cannot be read.
pub(crate) fn read(folder: &Path) -> BTreeMap<String, Calibration> {
    let text = std::fs::read_to_string(locate_file(folder)).unwrap_or_default();
    serde_json::from_str(&text).unwrap_or_default()
}

/// Stores the calibration of a model, replacing the one before.
pub(crate) fn keep(folder: &Path, model: &str, calibration: Calibration) -> Result<(), Failure> {
    let mut all = read(folder);
    all.insert(model.to_owned(), calibration);
    let path = locate_file(folder);
    let fail = |error: std::io::Error| {
        Failure::new(
            format!("could not write {}: {error}", path.display()),
            "check the folder's permissions and free space, or use another folder with --data-dir",
        )
    };
    std::fs::create_dir_all(folder).map_err(fail)?;
    let text = serde_json::to_string_pretty(&all).unwrap_or_default() + "\n";
    // A reader never sees half a file: the rename replaces it whole.
    let draft = path.with_extension("json.new");
    std::fs::write(&draft, text).map_err(fail)?;
    std::fs::rename(&draft, &path).map_err(fail)
}
