//! Joins, compresses and embeds the files of the page.

use std::error::Error;
use std::path::Path;

use assets::Effort;

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=page");
    let out = std::env::var("OUT_DIR")?;
    // What is built with optimization is handed on.
    let effort = match std::env::var("OPT_LEVEL")?.as_str() {
        "0" | "1" => Effort::Little,
        _ => Effort::Most,
    };
    let page = assets::build(assets::read(Path::new("page"))?)?;
    Ok(assets::embed(&page, Path::new(&out), effort)?)
}
