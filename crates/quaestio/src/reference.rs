//! The reference pages of the manual, made from the program itself: commands, settings, exit codes, the HTTP API and the schemas of
//! results. `quaestio reference FOLDER` writes them when the manual is built, so they cannot fall behind.

mod api;
mod commands;
mod exits;
mod markdown;
mod schemas;
mod settings;
mod shapes;
mod variables;

use std::path::Path;

use run::Methods;

use crate::Face;
use crate::failure::{Exit, Failure};

/// Writes the pages into a folder.
pub(crate) fn reference(folder: &Path, methods: &Methods, face: &Face) -> Result<Exit, Failure> {
    for (name, text) in build_files(methods) {
        let path = folder.join(&name);
        let written = path
            .parent()
            .map_or(Ok(()), std::fs::create_dir_all)
            .and_then(|()| std::fs::write(&path, text));
        written.map_err(|error| {
            Failure::new(
                format!("could not write {}: {error}", path.display()),
                "choose a folder that you may write to",
            )
        })?;
        face.out.line(&path.display().to_string());
    }
    Ok(Exit::Done)
}

/// Returns the pages and the files that they link to, by name.
fn build_files(methods: &Methods) -> Vec<(String, String)> {
    let described = server::describe(methods);
    let page = |name: &str, text: String| (format!("{name}.md"), text);
    let mut files = vec![
        page("commands", commands::page(methods)),
        page("settings", settings::page()),
        page("exit-codes", exits::page()),
        page("api", api::page(&described)),
        page("schemas", schemas::page(methods)),
        ("openapi.json".to_owned(), format!("{described:#}\n")),
    ];
    files.extend(schemas::files(methods));
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(name: &str) -> String {
        let files = build_files(&methods::all());
        files.into_iter().find(|(known, _)| known == name).unwrap().1
    }

    // proves: F10
    #[test]
    fn every_command_every_setting_and_every_operation_has_its_place() {
        let commands = page("commands.md");
        for part in [
            "## quaestio ask",
            "### quaestio runs export",
            "`--max-cost <USD>`",
            "## Options of every command",
        ] {
            assert!(commands.contains(part), "{part}");
        }
        assert!(!commands.contains("read-files"));
        let settings = page("settings.md");
        for key in crate::config::default_keys() {
            let is_there = settings.contains(&format!("<a id=\"{key}\"></a>"));
            assert!(is_there, "settings.md has no {key}");
        }
        let (api, openapi) = (page("api.md"), page("openapi.json"));
        let openapi: serde_json::Value = serde_json::from_str(&openapi).unwrap();
        for (path, operations) in openapi["paths"].as_object().unwrap() {
            for method in operations.as_object().unwrap().keys() {
                assert!(
                    api.contains(&format!("### {} {path} {{#", method.to_uppercase())),
                    "{path}"
                );
            }
        }
        assert!(page("schemas.md").contains("## market"));
        assert!(page("exit-codes.md").contains("| 6 |"));
    }

    // proves: F10
    #[test]
    fn every_link_within_the_reference_leads_somewhere() {
        let files = build_files(&methods::all());
        let anchors = |text: &str| -> Vec<String> {
            let ids = text.split("<a id=\"").skip(1).filter_map(|rest| rest.split('"').next());
            let headings = text.split("{#").skip(1).filter_map(|rest| rest.split('}').next());
            ids.chain(headings).map(str::to_owned).collect()
        };
        for (name, text) in files.iter().filter(|(name, _)| name.ends_with(".md")) {
            for link in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
                let (target, anchor) = link.split_once('#').unwrap_or((link, ""));
                let target = if target.is_empty() { name } else { target };
                if target.starts_with("http") || target.starts_with("..") {
                    continue;
                }
                let found = files.iter().find(|(known, _)| known == target);
                let (_, found) = found.unwrap_or_else(|| panic!("{name}: no page {link}"));
                let is_there = anchor.is_empty() || anchors(found).iter().any(|one| one == anchor);
                assert!(is_there, "{name}: nothing at {link}");
            }
        }
    }
}
