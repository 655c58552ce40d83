//! A page as Rust source, which a build script writes and a crate includes.

use std::fmt::Write as _;
use std::path::Path;

use crate::{Error, Page, brotli, gzip};

/// Writes the files of a page into `page/` in the folder of a build script's output, each as it is and compressed, and a Rust file
/// `page.rs` that includes them: `VERSION: &str`, and `FILES`, a slice of `File { path, contents, brotli, gzip }` in the order of their
/// paths. Where that is included, there is a struct `File` with these fields.
///
/// # Errors
///
/// Fails if a file cannot be written.
pub fn embed(page: &Page, folder: &Path) -> Result<(), Error> {
    let write = |path: &Path, contents: &[u8]| {
        let io = |source| Error::Io { path: path.to_path_buf(), source };
        path.parent().map_or(Ok(()), std::fs::create_dir_all).map_err(io)?;
        std::fs::write(path, contents).map_err(io)
    };
    let mut files = String::new();
    for asset in &page.assets {
        let include = |ending: &str, contents: &[u8]| {
            let path = format!("/page/{}{ending}", asset.path);
            write(&folder.join(path.trim_start_matches('/')), contents)?;
            Ok::<String, Error>(format!("include_bytes!(concat!(env!(\"OUT_DIR\"), {path:?}))"))
        };
        let plain = include("", &asset.contents)?;
        let optional = |ending: &str, contents: Option<Vec<u8>>| match contents {
            Some(contents) => Ok(format!("Some({})", include(ending, &contents)?)),
            None => Ok::<String, Error>("None".to_owned()),
        };
        let br = optional(".br", brotli(&asset.contents))?;
        let gz = optional(".gz", gzip(&asset.contents))?;
        let _ = writeln!(
            files,
            "    File {{ path: {:?}, contents: {plain}, brotli: {br}, gzip: {gz} }},",
            asset.path
        );
    }
    let source = format!(
        "const VERSION: &str = {:?};\nstatic FILES: &[File] = &[\n{files}];\n",
        page.version
    );
    write(&folder.join("page.rs"), source.as_bytes())
}
