//! What the program says of itself: its version, and its manual pages.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::stand::{Stand, read_output};

// What is tried here is what the build calls.
#[path = "../../build/commit.rs"]
mod commit;

fn git(folder: &Path, args: &[&str]) {
    let person = ["-c", "user.name=A", "-c", "user.email=a@example.org"];
    let told = Command::new("git").arg("-C").arg(folder).args(person).args(args).output();
    assert!(told.unwrap().status.success(), "git {args:?}");
}

// proves: F10
#[test]
fn the_version_is_that_of_the_package_with_the_commit_where_it_is_known() {
    let stand = Stand::new();
    for args in [&["--version"][..], &["ask", "--version"]] {
        let told = read_output(&stand.command(args).output().unwrap());
        assert_eq!(told.code, 0, "{told:?}");
        let told = told.out.trim_end();
        let (_, version) = told.split_once(' ').unwrap();
        let commit = version.strip_prefix(env!("CARGO_PKG_VERSION")).unwrap();
        let commit = commit.strip_prefix(" (").and_then(|rest| rest.strip_suffix(')'));
        assert!(commit.is_none_or(|commit| commit::shorten(commit).as_deref() == Some(commit)));
        assert!(commit.is_some() || version == env!("CARGO_PKG_VERSION"), "{told}");
    }
}

// proves: F10
#[test]
fn a_commit_is_that_of_the_sources_and_of_no_clone_around_them() {
    let around = tempfile::tempdir().unwrap();
    let manifest = around.path().join("crates/quaestio");
    fs::create_dir_all(&manifest).unwrap();
    assert_eq!(commit::find(&manifest), None);

    git(around.path(), &["init", "--quiet"]);
    assert_eq!(commit::find(&manifest), None, "nothing was committed yet");
    git(around.path(), &["commit", "--quiet", "--allow-empty", "--message", "one"]);
    let first = commit::find(&manifest).unwrap();
    assert_eq!(first.commit.len(), 12);
    assert_eq!(first.files.len(), 2, "{first:?}");
    let before: Vec<Vec<u8>> = first.files.iter().map(|file| fs::read(file).unwrap()).collect();
    git(around.path(), &["commit", "--quiet", "--allow-empty", "--message", "two"]);
    let second = commit::find(&manifest).unwrap();
    assert_ne!(second.commit, first.commit);
    let after: Vec<Vec<u8>> = second.files.iter().map(|file| fs::read(file).unwrap()).collect();
    assert_ne!(before, after, "nothing that the build watches has changed");

    // Unpacked sources in somebody's clone.
    let inside = around.path().join("unpacked/crates/quaestio");
    fs::create_dir_all(&inside).unwrap();
    assert_eq!(commit::find(&inside), None);
    fs::write(
        inside.join(".cargo_vcs_info.json"),
        r#"{"git": {"sha1": "0123456789abcdef0123456789abcdef01234567"}, "path_in_vcs": "crates/quaestio"}"#,
    )
    .unwrap();
    assert_eq!(commit::find(&inside).unwrap().commit, "0123456789ab");
    for none in ["", "main", "012345", "0123456z"] {
        assert_eq!(commit::shorten(none), None, "{none}");
    }
}

// proves: F10
#[test]
fn every_command_has_a_manual_page() {
    let stand = Stand::new();
    let printed = read_output(&stand.command(&["man"]).output().unwrap());
    assert_eq!(printed.code, 0, "{printed:?}");
    assert!(printed.out.contains(".TH quaestio 1"), "{printed:?}");

    let folder = tempfile::tempdir().unwrap();
    let pages = folder.path().join("share/man1");
    let told = read_output(&stand.command(&["man", pages.to_str().unwrap()]).output().unwrap());
    assert_eq!((told.code, told.out.as_str()), (0, ""), "{told:?}");
    assert_eq!(fs::read_to_string(pages.join("quaestio.1")).unwrap(), printed.out);
    for name in ["quaestio-ask", "quaestio-runs", "quaestio-runs-show", "quaestio-check"] {
        let page = fs::read_to_string(pages.join(format!("{name}.1"))).unwrap();
        assert!(page.contains(r"\-\-data\-dir"), "{name}");
        assert!(page.contains(&format!(".TH {name} 1")), "{name}");
    }
    // What a person does not call has none.
    assert!(!pages.join("quaestio-read-files.1").exists());

    // A folder that cannot be made is an error that names it.
    let file = folder.path().join("file");
    fs::write(&file, "").unwrap();
    let refused = read_output(&stand.command(&["man", file.to_str().unwrap()]).output().unwrap());
    assert_eq!(refused.code, 1, "{refused:?}");
    assert!(refused.err.contains(file.to_str().unwrap()), "{refused:?}");
}
