//! The files of a page, made ready to be served while the program is built: modules and styles joined, everything compressed, and all of
//! it under one digest, so that a browser may keep it for good.
//!
//! The page stands in its folder as it is read and edited: `index.html`, styles in `css/`, modules in `js/`. A build script calls
//! [`build`], which changes three things:
//!
//! - The stylesheets that `index.html` links to become one, `style.css`, in their order.
//! - The module that `index.html` begins with takes in all modules that it imports, and keeps its path. A module that another one loads
//!   when it is needed, by `import("./name.js")`, takes in its own. See [`modules`] for the JavaScript that is known.
//! - Addresses below `/page/` in `index.html` get the digest of all files into their path: `/page/3f2a…/js/main.js`. Paths between files
//!   stay as they are.
//!
//! ```
//! # use assets::{Asset, build};
//! let index = r#"<link rel="stylesheet" href="/page/css/a.css" />
//! <script type="module" src="/page/js/main.js"></script>"#;
//! let page = build(vec![
//!     Asset::new("index.html", index),
//!     Asset::new("css/a.css", "p { margin: 0; }"),
//!     Asset::new("js/main.js", "import { hail } from \"./hail.js\";\nhail();\n"),
//!     Asset::new("js/hail.js", "export function hail() {}\n"),
//! ])?;
//! let paths: Vec<&str> = page.assets.iter().map(|asset| asset.path.as_str()).collect();
//! assert_eq!(paths, ["index.html", "js/main.js", "style.css"]);
//! # Ok::<(), assets::Error>(())
//! ```

mod compress;
mod embed;
mod markup;
pub mod modules;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

pub use compress::{brotli, gzip};
pub use embed::embed;

/// The page that names all others.
const INDEX: &str = "index.html";
/// The stylesheets, joined.
const STYLE: &str = "style.css";

/// A file of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asset {
    /// Below the folder of the page, with `/` between the parts.
    pub path: String,
    pub contents: Vec<u8>,
}

impl Asset {
    pub fn new(path: impl Into<String>, contents: impl Into<Vec<u8>>) -> Asset {
        Asset { path: path.into(), contents: contents.into() }
    }

    fn text(&self) -> Result<&str, Error> {
        std::str::from_utf8(&self.contents).map_err(|_| Error::Text { path: self.path.clone() })
    }
}

/// A page, ready to be served.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// The first 16 hex digits of the SHA-256 of all files; it changes with any of them.
    pub version: String,
    /// By path.
    pub assets: Vec<Asset>,
}

/// Why a page cannot be built.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("{}: {source}", path.display())]
    Io { path: PathBuf, source: std::io::Error },
    #[error("{path} is not UTF-8")]
    Text { path: String },
    #[error("{from} names {path}, which is not there")]
    Missing { from: String, path: String },
    #[error("{path}, line {line}: {what}")]
    Module { path: String, line: usize, what: String },
    #[error("modules import each other in a circle: {}", circle.join(" -> "))]
    Circle { circle: Vec<String> },
    #[error(
        "{part} is loaded when it is needed, and needs {path}, which {other} has: it would be there twice"
    )]
    Twice { part: String, path: String, other: String },
}

/// Reads the files of a folder and of the folders in it. Hidden ones are left out.
///
/// # Errors
///
/// Fails if a file or folder cannot be read, or has a name that is not UTF-8.
pub fn read(folder: &Path) -> Result<Vec<Asset>, Error> {
    let mut assets = vec![];
    read_into(folder, "", &mut assets)?;
    assets.sort_by(|one, other| one.path.cmp(&other.path));
    Ok(assets)
}

fn read_into(folder: &Path, prefix: &str, assets: &mut Vec<Asset>) -> Result<(), Error> {
    let io = |source| Error::Io { path: folder.to_path_buf(), source };
    for entry in std::fs::read_dir(folder).map_err(io)? {
        let entry = entry.map_err(io)?;
        let Ok(name) = entry.file_name().into_string() else {
            return Err(Error::Text { path: entry.path().display().to_string() });
        };
        if name.starts_with('.') {
            continue;
        }
        let path = format!("{prefix}{name}");
        if entry.file_type().map_err(io)?.is_dir() {
            read_into(&entry.path(), &format!("{path}/"), assets)?;
        } else {
            let contents = std::fs::read(entry.path())
                .map_err(|source| Error::Io { path: entry.path(), source })?;
            assets.push(Asset { path, contents });
        }
    }
    Ok(())
}

/// Makes a page of its files.
///
/// # Errors
///
/// Fails if a file that is named is not there, and for JavaScript that is not known (see [`modules`]).
pub fn build(files: Vec<Asset>) -> Result<Page, Error> {
    let mut files: BTreeMap<String, Asset> =
        files.into_iter().map(|asset| (asset.path.clone(), asset)).collect();
    let take = |files: &BTreeMap<String, Asset>, path: &str| {
        files
            .get(path)
            .cloned()
            .ok_or_else(|| Error::Missing { from: INDEX.to_owned(), path: path.to_owned() })
    };
    let index = take(&files, INDEX)?;
    let markup = markup::read(index.text()?);

    let mut style = String::new();
    for path in &markup.styles {
        style.push_str(take(&files, path)?.text()?);
        files.remove(path);
    }
    if !style.is_empty() {
        files.insert(STYLE.to_owned(), Asset::new(STYLE, style));
    }
    if let Some(first) = &markup.module {
        let mut sources = BTreeMap::new();
        for asset in files.values() {
            if is_module(&asset.path) {
                sources.insert(asset.path.clone(), asset.text()?.to_owned());
            }
        }
        let joined = modules::join(first, &sources)?;
        let classic: BTreeSet<&String> = markup.scripts.iter().collect();
        files.retain(|path, _| !is_module(path) || classic.contains(path));
        files.extend(joined.into_iter().map(|(path, text)| (path.clone(), Asset::new(path, text))));
    }

    let version = digest(files.values());
    let text = markup::rewrite(index.text()?, &version, STYLE);
    files.insert(INDEX.to_owned(), Asset::new(INDEX, text));
    Ok(Page { version, assets: files.into_values().collect() })
}

/// Whether a file is one of our modules: what others made stays as it is.
fn is_module(path: &str) -> bool {
    path.starts_with("js/") && path.ends_with(".js")
}

fn digest<'a>(assets: impl Iterator<Item = &'a Asset>) -> String {
    let mut digest = Sha256::new();
    for asset in assets {
        for part in [asset.path.as_bytes(), &asset.contents] {
            digest.update((part.len() as u64).to_le_bytes());
            digest.update(part);
        }
    }
    digest.finalize().iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(files: &[(&str, &str)]) -> Result<Page, Error> {
        build(files.iter().map(|(path, contents)| Asset::new(*path, *contents)).collect())
    }

    const INDEX_TEXT: &str = r#"<head>
    <link rel="icon" href="/page/icon.svg" type="image/svg+xml" />
    <link rel="stylesheet" href="/page/css/a.css" />
    <link rel="stylesheet" href="/page/css/b.css" />
    <script src="/page/js/early.js"></script>
    <script type="module" src="/page/js/main.js"></script>
</head>"#;

    // proves: F3
    #[test]
    fn what_is_linked_is_joined_and_what_is_not_is_left() {
        let built = page(&[
            ("index.html", INDEX_TEXT),
            ("icon.svg", "<svg/>"),
            ("css/b.css", "b {}\n"),
            ("css/a.css", "a {}\n"),
            ("js/early.js", "(() => {})();\n"),
            ("js/main.js", "import { a } from \"./a.js\";\na();\n"),
            ("js/a.js", "export const a = () => import(\"./b.js\");\n"),
            ("js/b.js", "export const words = {};\n"),
            ("vendor/pdf/pdf.mjs", "export default 1;\n"),
        ])
        .unwrap();
        let text = |path: &str| {
            let asset = built.assets.iter().find(|asset| asset.path == path).unwrap();
            std::str::from_utf8(&asset.contents).unwrap()
        };
        let paths: Vec<&str> = built.assets.iter().map(|asset| asset.path.as_str()).collect();
        assert_eq!(
            paths,
            [
                "icon.svg",
                "index.html",
                "js/b.js",
                "js/early.js",
                "js/main.js",
                "style.css",
                "vendor/pdf/pdf.mjs"
            ]
        );
        assert_eq!(text("style.css"), "a {}\nb {}\n");
        assert_eq!(text("vendor/pdf/pdf.mjs"), "export default 1;\n");
        let version = &built.version;
        assert_eq!(
            text("index.html"),
            format!(
                r#"<head>
    <link rel="icon" href="/page/{version}/icon.svg" type="image/svg+xml" />
    <link rel="stylesheet" href="/page/{version}/style.css" />
    <script src="/page/{version}/js/early.js"></script>
    <script type="module" src="/page/{version}/js/main.js"></script>
</head>"#
            )
        );
    }

    #[test]
    fn any_change_of_any_file_is_another_version() {
        let with = |icon: &str, module: &str| {
            let files = [
                ("index.html", "<script type=\"module\" src=\"/page/js/main.js\"></script>"),
                ("icon.svg", icon),
                ("js/main.js", module),
            ];
            page(&files).unwrap().version
        };
        assert_eq!(with("a", "b();\n"), with("a", "b();\n"));
        assert_ne!(with("a", "b();\n"), with("b", "b();\n"));
        assert_ne!(with("a", "b();\n"), with("a", "c();\n"));
    }

    #[test]
    fn what_is_not_there_is_named() {
        let told = page(&[("index.html", INDEX_TEXT)]).unwrap_err().to_string();
        assert_eq!(told, "index.html names css/a.css, which is not there");
        let told = page(&[("icon.svg", "")]).unwrap_err().to_string();
        assert_eq!(told, "index.html names index.html, which is not there");
    }
}
