//! The user's own file, changed key by key: comments, order and unknown keys stay as they are.

use std::path::{Path, PathBuf};

use toml_edit::{DocumentMut, Item, Table, TableLike, Value, value};

use crate::failure::Failure;
use crate::saving;

/// The head of a file that is new.
const HEAD: &str = "# Settings of Quaestio. `quaestio config show` lists the ones that matter,\n\
                    # `quaestio config show --all` the rest.\n";

/// The user's file, and what becomes of it.
pub(crate) struct UserFile {
    pub(crate) path: PathBuf,
    is_new: bool,
    document: DocumentMut,
    changes: Vec<Change>,
}

/// A setting that gets another value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Change {
    pub(crate) key: &'static str,
    /// As the file has it now; `None` if it does not set it.
    pub(crate) from: Option<String>,
    pub(crate) to: String,
}

impl UserFile {
    /// Reads the file; a file that does not exist is empty.
    pub(crate) fn read(path: &Path) -> Result<UserFile, Failure> {
        let text = match std::fs::read_to_string(path) {
            Ok(text) => Some(text),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
            Err(error) => {
                return Err(Failure::usage(
                    format!("could not read {}: {error}", path.display()),
                    "check the path and its permissions",
                ));
            }
        };
        let is_new = text.is_none();
        let document = text.unwrap_or_default().parse::<DocumentMut>().map_err(
            |error: toml_edit::TomlError| {
                Failure::usage(
                    format!("{} is not valid TOML: {}", path.display(), error.message()),
                    "correct the file, or move it away",
                )
            },
        )?;
        Ok(UserFile { path: path.to_owned(), is_new, document, changes: Vec::new() })
    }

    /// Returns whether the file does not exist yet.
    pub(crate) fn is_new(&self) -> bool {
        self.is_new
    }

    pub(crate) fn changes(&self) -> &[Change] {
        &self.changes
    }

    /// Sets a text. A comment beside the earlier value stays.
    pub(crate) fn set(&mut self, key: &'static str, to: &str) -> Result<(), Failure> {
        let (tables, last) = key.rsplit_once('.').unwrap_or(("", key));
        let mut table: &mut dyn TableLike = self.document.as_table_mut();
        for name in tables.split('.').filter(|name| !name.is_empty()) {
            let item = table.entry(name).or_insert_with(|| {
                // A table that holds tables alone needs no header.
                let mut table = Table::new();
                table.set_implicit(true);
                Item::Table(table)
            });
            table = item.as_table_like_mut().ok_or_else(|| {
                Failure::usage(
                    format!("{}: '{name}' is not a table", self.path.display()),
                    format!("correct it, so that {key} can be set"),
                )
            })?;
        }
        let mut written = value(to);
        let mut from = None;
        if let Some(earlier) = table.get(last).and_then(Item::as_value) {
            from = Some(shown(earlier));
            if let Some(new) = written.as_value_mut() {
                *new.decor_mut() = earlier.decor().clone();
            }
        }
        let to = written.as_value().map(shown).unwrap_or_default();
        if from.as_ref() == Some(&to) {
            return Ok(());
        }
        match table.get_mut(last) {
            Some(item) => *item = written,
            None => drop(table.insert(last, written)),
        }
        self.changes.push(Change { key, from, to });
        Ok(())
    }

    /// Writes the file; a crash on the way leaves the earlier one.
    pub(crate) fn save(&self) -> Result<(), Failure> {
        let text = self.document.to_string();
        let text = match (self.is_new, text.trim_start()) {
            (false, _) => text,
            (true, "") => HEAD.to_owned(),
            (true, text) => format!("{HEAD}\n{text}"),
        };
        let folder = self.path.parent().filter(|folder| !folder.as_os_str().is_empty());
        folder
            .map_or(Ok(()), std::fs::create_dir_all)
            .and_then(|()| saving::save(&self.path, text.as_bytes()))
            .map_err(|error| {
                Failure::new(
                    format!("could not write {}: {error}", self.path.display()),
                    "check the folder's permissions, or name another file with --config",
                )
            })
    }
}

fn shown(value: &Value) -> String {
    let mut plain = value.clone();
    plain.decor_mut().clear();
    ::models::without_userinfo(&plain.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changed(text: &str, set: &[(&'static str, &str)]) -> (String, Vec<Change>) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("config.toml");
        std::fs::write(&path, text).unwrap();
        let mut file = UserFile::read(&path).unwrap();
        for (key, to) in set {
            file.set(key, to).unwrap();
        }
        file.save().unwrap();
        (std::fs::read_to_string(&path).unwrap(), file.changes)
    }

    // proves: F1
    #[test]
    fn a_setting_changes_and_everything_else_stays_as_it_is_written() {
        let text = "# mine\nuser = 'me'   # who\n\n[models]\n# slow\nmain = \"a/b\"  # the old one\ntimeout_seconds = 9\n\n[mcp.wiki]\nurl = \"http://x\"\n";
        let set = [("models.main", "c/d"), ("sources.web.engine", "brave")];
        let (now, changes) = changed(text, &set);
        let expected = text.replace("\"a/b\"", "\"c/d\"") + "\n[sources.web]\nengine = \"brave\"\n";
        assert_eq!(now, expected);
        assert_eq!(changes[0].from.as_deref(), Some("\"a/b\""));
        assert_eq!(changes[1].from, None);
        assert_eq!(changed(text, &[("models.main", "a/b")]).1, []);
    }

    // proves: F1
    #[test]
    fn tables_may_be_written_in_any_way() {
        for (text, expected) in [
            ("models = { main = 'a/b' }\n", "models = { main = \"c/d\" }\n"),
            ("models.main = 'a/b'\n", "models.main = \"c/d\"\n"),
            ("", "[models]\nmain = \"c/d\"\n"),
            ("[sources]\ncontact = ''\n", "[sources]\ncontact = ''\n\n[models]\nmain = \"c/d\"\n"),
        ] {
            assert_eq!(changed(text, &[("models.main", "c/d")]).0, expected, "{text}");
        }
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("config.toml");
        std::fs::write(&path, "models = 3\n").unwrap();
        let refused = UserFile::read(&path).unwrap().set("models.main", "c/d").unwrap_err();
        assert!(refused.what.ends_with("'models' is not a table"), "{refused}");
    }
}
