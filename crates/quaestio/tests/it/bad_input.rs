//! Bad input gets one clear error: what, where, what to do.

use crate::stand::{QUESTION, Stand, examples};

// proves: F1
#[test]
fn wrong_words_on_the_command_line_are_errors_of_usage() {
    let stand = Stand::new();
    let docs = examples();
    let docs = docs.to_str().unwrap();
    let long = "x".repeat(65);
    let cases: &[(&[&str], &str)] = &[
        (&["ask"], "required"),
        (&["ask", QUESTION, "--nonsense"], "--nonsense"),
        (&["ask", ""], "question is empty"),
        (&["ask", "  \n\t"], "question is empty"),
        (&["ask", QUESTION, "--strategy", "wild"], "wild"),
        (&["ask", QUESTION, "--format", "pdf"], "pdf"),
        (&["ask", QUESTION, "--docs", "/nowhere/at/all"], "/nowhere/at/all"),
        (&["ask", QUESTION, "--docs", docs, "--collection", "x"], "cannot be used with"),
        (&["ask", QUESTION, "--docs", docs, "--where", "topic"], "key=value"),
        (
            &["ask", QUESTION, "--docs", docs, "--strategy", "direct"],
            "cannot be used with --strategy direct",
        ),
        (&["ask", QUESTION, "--collection", "../../etc"], "is not a valid name"),
        (&["ask", QUESTION, "--collection", &long], "is not a valid name"),
        (&["ask", QUESTION, "--collection", "missing"], "there are no collections yet"),
        (&["ask", QUESTION, "--model", "gpt"], "provider/name"),
        (&["ask", QUESTION, "--model", "acme/gpt"], "acme"),
        (&["ask", QUESTION, "--model", "openai/gpt-4o"], "OPENAI_API_KEY"),
        (&["ask", QUESTION, "--model", "a/b", "--base-url", "gopher://x"], "http"),
        (&["ask", QUESTION, "--max-cost", "NaN"], "an amount in US dollars"),
        (&["ingest"], "required"),
        (&["ingest", docs, "--meta", "=x"], "key=value"),
        (&["runs", "events", "x", "--after=-1"], "--after"),
        (&["frobnicate"], "frobnicate"),
    ];
    for (args, says) in cases {
        let told = stand.run(args);
        told.fails(2, says);
        assert_eq!(told.out, "", "{args:?}");
    }
    let told = stand.run(&["runs", "show", "last"]);
    told.fails(1, "no runs yet");
    stand.run(&["documents", "show", "d0000000000000000"]).fails(1, "no document");
    stand.run(&["documents", "show", "../x"]).fails(2, "is not a valid name");
}

#[test]
fn a_document_that_is_not_utf8_is_read_as_what_it_is() {
    let stand = Stand::new();
    let file = stand.file(
        "latin.txt",
        b"Caf\xe9 culture\n\nThe caf\xe9 opened its doors in the year 1686 in Paris.\n",
    );
    let told =
        stand.run(&["ask", "In which year did the café open?", "--docs", file.to_str().unwrap()]);
    assert_eq!(told.code, 0, "{told:?}");
    assert!(told.out.contains("café opened its doors in the year 1686"), "{told:?}");
}

#[test]
fn a_data_folder_that_cannot_be_used_is_said_so() {
    let stand = Stand::new();
    let file = stand.file("not-a-folder", "x");
    stand.run(&["runs", "list", "--data-dir", file.to_str().unwrap()]).fails(1, "not-a-folder");
    std::fs::create_dir_all(stand.data()).unwrap();
    std::fs::write(
        stand.data().join("quaestio.db"),
        "this is no database at all, but long enough to be one".repeat(50),
    )
    .unwrap();
    let told = stand.run(&["runs", "list"]);
    told.fails(1, "quaestio.db");
    told.fails(1, "restore it from a backup");
}

#[cfg(unix)]
#[test]
fn a_variable_that_is_not_utf8_is_none_of_ours() {
    use std::os::unix::ffi::OsStrExt;
    let stand = Stand::new();
    let mut command = stand.command(&["config", "show"]);
    command.env("ODD", std::ffi::OsStr::from_bytes(b"\xff"));
    assert!(command.output().unwrap().status.success());
}

#[cfg(target_os = "linux")]
#[test]
fn a_result_that_cannot_be_written_is_no_success() {
    let stand = Stand::new();
    let docs = examples();
    let mut command = stand.command(&["ask", QUESTION, "--docs", docs.to_str().unwrap()]);
    command.stdout(std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap());
    let told = crate::stand::read_output(&command.output().unwrap());
    told.fails(1, "could not write");
}

#[test]
fn a_database_of_a_newer_version_is_left_alone() {
    let stand = Stand::new();
    stand.run(&["runs", "list"]);
    let database = rusqlite::Connection::open(stand.data().join("quaestio.db")).unwrap();
    database.pragma_update(None, "user_version", 999).unwrap();
    let told = stand.run(&["runs", "list"]);
    told.fails(1, "newer version");
    assert!(!told.err.contains("permissions"), "{told:?}");
}
