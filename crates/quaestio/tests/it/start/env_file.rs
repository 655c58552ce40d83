//! `--env-file`: variables for one command.

use crate::stand::{Stand, Told};

fn shown(stand: &Stand, args: &[&str], key: &str) -> String {
    let told: Told = stand.run(&[&["config", "show", "--json"], args].concat());
    assert_eq!(told.code, 0, "{told:?}");
    let lines = told.json();
    let line = lines.as_array().unwrap().iter().find(|line| line["key"] == key).unwrap().clone();
    format!("{} by {}", line["value"].as_str().unwrap(), line["origin"].as_str().unwrap())
}

// proves: F1, C8
#[test]
fn a_file_of_variables_holds_for_a_command_and_the_environment_wins() {
    let stand = Stand::new().variable("QUAESTIO_USER", "me");
    stand.file("one.env", "# mine\nexport QUAESTIO_MODEL='ollama/a$b'\nQUAESTIO_USER=you\n");
    stand.file("two.env", "QUAESTIO_MODEL=ollama/other\nQUAESTIO_ASK__TOP_K=5\n");
    let one = &["--env-file", "one.env"][..];
    let by = "by environment QUAESTIO_MODEL";
    assert_eq!(shown(&stand, one, "models.main"), format!("\"ollama/a$b\" {by}"));
    assert_eq!(shown(&stand, one, "user"), "\"me\" by environment QUAESTIO_USER");
    let both = &["--env-file", "one.env", "--env-file=two.env"][..];
    assert_eq!(shown(&stand, both, "models.main"), format!("\"ollama/other\" {by}"));
    assert!(shown(&stand, both, "ask.top_k").starts_with("5 "));
    assert!(shown(&stand, &[], "models.main").starts_with("\"\" by defaults"));
    let before = stand.run(&["--env-file", "two.env", "config", "show"]);
    assert!(before.out.contains("ollama/other"), "{before:?}");
}

// proves: F1, D8
#[test]
fn a_wrong_file_is_one_clear_error_without_its_text() {
    let stand = Stand::new();
    stand.file("wrong.env", "A=1\n\nsk-canary\n");
    let told = stand.run(&["--env-file", "wrong.env", "config", "show"]);
    told.fails(2, "wrong.env, line 3: it has no `=`");
    assert!(!told.err.contains("canary"), "{told:?}");
    stand
        .run(&["config", "show", "--env-file", "nowhere.env"])
        .fails(2, "could not read nowhere.env");
    stand.file("bytes.env", [0xff, 0xfe, 0x00]);
    stand.run(&["config", "show", "--env-file", "bytes.env"]).fails(2, "is not UTF-8");
    stand.run(&["config", "show", "--env-file"]).fails(2, "a value is required");
}

// proves: F1, D8
#[cfg(unix)]
#[test]
fn a_file_with_keys_that_others_can_read_is_warned_about() {
    use std::os::unix::fs::PermissionsExt as _;
    let stand = Stand::new();
    let path = stand.file("keys.env", "OPENAI_API_KEY=sk-canary\n");
    let mode = |mode| {
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
        stand.run(&["config", "show", "--env-file", "keys.env"])
    };
    let told = mode(0o644);
    assert!(told.code == 0 && told.err.contains("chmod 600 keys.env"), "{told:?}");
    assert!(!format!("{told:?}").contains("canary"), "{told:?}");
    assert!(!mode(0o600).err.contains("warning"));
}
