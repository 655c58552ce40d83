//! Rules of style that no lint of the compiler holds.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Returns the Rust files of some crates, below folders of these names.
fn rust_files(crates: Option<&[&str]>, folders: &[&str]) -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut open: Vec<PathBuf> = Vec::new();
    for folder in fs::read_dir(root).unwrap().map(|entry| entry.unwrap()) {
        let name = folder.file_name().to_string_lossy().into_owned();
        if crates.is_none_or(|crates| crates.contains(&name.as_str())) {
            open.extend(folders.iter().map(|below| folder.path().join(below)));
        }
    }
    let mut files = Vec::new();
    while let Some(path) = open.pop() {
        if path.is_dir() {
            open.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    assert!(!files.is_empty());
    files
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty())
}

/// Returns the names of the functions that a file defines or imports by their own name.
fn functions(text: &str) -> BTreeSet<&str> {
    let defined = text.match_indices("fn ").filter_map(|(at, _)| words(&text[at + 3..]).next());
    let imports = text.split("use ").skip(1).filter_map(|rest| rest.split(';').next());
    defined.chain(imports.flat_map(words)).collect()
}

/// Returns the variables that take the name of the function that is called for their value: `let state = state(..)`.
fn shadowing(text: &str) -> Vec<&str> {
    let known = functions(text);
    let mut found = Vec::new();
    for (at, _) in text.match_indices("let ") {
        let Some((pattern, value)) = text[at + 4..].split_once('=') else { continue };
        let value = value.trim_start();
        let end = value.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(0);
        let (called, rest) = value.split_at(end);
        let is_call = rest.starts_with('(') && known.contains(called);
        if is_call && !pattern.contains(';') && words(pattern).any(|word| word == called) {
            found.push(called);
        }
    }
    found
}

#[test]
fn no_variable_has_the_name_of_the_function_that_made_it() {
    assert_eq!(shadowing("fn state() {} fn f() { let state = state(); }"), ["state"]);
    assert_eq!(shadowing("fn a() {} fn f() { let (b, a) =\n    a(1); }"), ["a"]);
    assert!(
        shadowing("fn a() {} fn f() { let a = x.a(); let b = a(); let a = b::a(); }").is_empty()
    );
    let mut shadowed = Vec::new();
    let files = rust_files(None, &["src", "tests", "benches"]).into_iter();
    // This one says what is not to be.
    for file in files.filter(|file| !file.ends_with("words.rs")) {
        let text = fs::read_to_string(&file).unwrap();
        shadowed
            .extend(shadowing(&text).into_iter().map(|name| format!("{}: {name}", file.display())));
    }
    assert!(shadowed.is_empty(), "call the function by what it does:\n{}", shadowed.join("\n"));
}

#[test]
fn what_only_computes_reaches_neither_files_nor_network() {
    let pure =
        ["text", "grounding", "extract", "papers", "index", "render", "run", "methods", "app"];
    let is_test = |file: &PathBuf| {
        file.components().any(|part| part.as_os_str().to_string_lossy().starts_with("tests"))
    };
    for file in rust_files(Some(&pure), &["src"]).into_iter().filter(|file| !is_test(file)) {
        let text = fs::read_to_string(&file).unwrap();
        for reach in ["std::fs", "tokio::fs", "std::net", "tokio::net", "std::env", "std::process"]
        {
            assert!(!text.contains(reach), "{}: {reach}", file.display());
        }
    }
}
