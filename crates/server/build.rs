//! Joins, compresses and embeds the files of the page.

use std::error::Error;
use std::path::Path;

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=page");
    let out = std::env::var("OUT_DIR")?;
    let page = assets::build(assets::read(Path::new("page"))?)?;
    Ok(assets::embed(&page, Path::new(&out))?)
}
