//! `quaestio init` at a terminal and in a script.

use fakes::{Asks, FakeModel, Say, Seen};
use serde_json::json;

use crate::stand::{Stand, Told, examples, honest, read_output};
#[cfg(unix)]
use crate::terminal::Terminal;

/// A model that passes its trial and answers.
fn willing(seen: &Seen) -> Say {
    match seen.asks() {
        Asks::Models => Say::Models(vec!["embed-text".into(), "gull".into(), "tern".into()]),
        _ if seen.prompt().contains("Are you there?") => Say::json(&json!({"answer": "ready"})),
        _ => honest(seen),
    }
}

fn settings(stand: &Stand) -> String {
    std::fs::read_to_string(stand.path(".config/quaestio/config.toml")).unwrap_or_default()
}

/// Runs the command that `init` ends with, in a shell.
fn first_question(stand: &Stand, told: &str) -> Told {
    let line = told.lines().map(str::trim).find(|line| line.starts_with("quaestio "));
    let line = line.unwrap_or_else(|| panic!("no command in {told}"));
    let program = env!("CARGO_BIN_EXE_quaestio");
    let script = line.replacen("quaestio", &format!("'{program}'"), 1);
    let plain = stand.command(&[]);
    let mut shell = std::process::Command::new("/bin/sh");
    shell.args(["-c", &script]).current_dir(plain.get_current_dir().unwrap()).env_clear();
    shell.envs(plain.get_envs().filter_map(|(name, value)| Some((name, value?))));
    read_output(&shell.stdin(std::process::Stdio::null()).output().unwrap())
}

// proves: F1
#[test]
fn with_nothing_at_all_the_first_question_is_answered_from_an_example() {
    let stand = Stand::new();
    let told = stand.run(&["init", "--yes", "--no-network"]);
    assert_eq!(told.code, 0, "{told:?}");
    for says in ["model: none", "an example in the collection example", "web search: none"] {
        assert!(told.out.contains(says), "{told:?}");
    }
    assert!(settings(&stand).starts_with("# Settings of Quaestio"), "{told:?}");
    assert_eq!(stand.run(&["config", "show"]).code, 0);
    let answer = first_question(&stand, &told.out);
    assert_eq!(answer.code, 0, "{answer:?}");
    assert!(answer.out.contains("8 September 1854"), "{answer:?}");
    // Again, it changes nothing.
    let before = settings(&stand);
    let told = stand.run(&["init", "--yes", "--no-network"]);
    assert!(told.code == 0 && told.err.contains("needs no change"), "{told:?}");
    assert_eq!(settings(&stand), before);
}

// proves: F1
#[test]
fn a_script_names_what_it_wants_and_what_it_wants_is_tried() {
    let model = FakeModel::start(willing);
    let web = FakeModel::start(|_| {
        Say::Raw(raw(
            r#"{"results": [{"url": "https://a.example/", "title": "A", "content": "a"}]}"#,
        ))
    });
    let stand = Stand::new();
    let docs = examples();
    let (model_url, web_url) = (model.base_url(), web.base_url());
    let args = ["init", "--yes", "--model", "fake/gull", "--base-url", &model_url, "--docs"];
    let more = [docs.to_str().unwrap(), "--web-search", "searxng", "--web-search-url", &web_url];
    let told = stand.run(&[&args[..], &more].concat());
    assert_eq!(told.code, 0, "{told:?}");
    assert!(told.err.contains("with one small call; its price is not known"), "{told:?}");
    for says in ["ok    model: fake/gull answered", "8 files read", "ok    web search: answered"] {
        assert!(told.out.contains(says), "{told:?}");
    }
    assert_eq!((model.seen().len(), web.seen().len()), (1, 1), "each is asked once");
    let written = settings(&stand);
    for line in ["[models]", "main = \"fake/gull\"", "[sources.web]", "engine = \"searxng\""] {
        assert!(written.lines().any(|has| has == line), "{line}: {written}");
    }
    let answer = first_question(&stand, &told.out);
    assert_eq!(answer.code, 0, "{answer:?} after {told:?}");
    assert!(model.seen().len() > 1, "the model wrote it");
}

/// A whole reply with a JSON body.
fn raw(body: &str) -> String {
    format!(
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
        body.len()
    )
}

// proves: F1
#[test]
fn what_does_not_work_is_said_with_what_to_do_and_the_question_works_without_it() {
    let model = FakeModel::start(|_| Say::error(401, "no such key"));
    let stand = Stand::new();
    let url = model.base_url();
    let told = stand.run(&["init", "--yes", "--model", "fake/gull", "--base-url", &url]);
    assert_eq!(told.code, 1, "{told:?}");
    assert!(
        told.out.contains("FAIL  model: ") && told.out.contains("check the API key"),
        "{told:?}"
    );
    let answer = first_question(&stand, &told.out);
    assert_eq!(answer.code, 0, "{answer:?}");
    for (args, why) in [
        (&["--docs", "nowhere"][..], "could not read nowhere"),
        (&["--model", "gull"], "is not a model"),
        (&["--web-search", "searxng"], "needs the address"),
        (&["--web-search", "searxng", "--web-search-url", "ftp://x"], "must begin with http"),
        (&["--web-search", "gopher"], "invalid value 'gopher'"),
    ] {
        stand.run(&[&["init", "--yes", "--no-network"], args].concat()).fails(2, why);
    }
    // Nobody is there to ask.
    let told = stand.run(&["init"]);
    told.fails(2, "there is no terminal to ask at");
    assert!(told.err.contains("quaestio init --yes"), "{told:?}");
}

// proves: F1, D8
#[test]
fn a_key_is_used_where_it_is_and_written_nowhere() {
    let stand = Stand::new().variable("OPENAI_API_KEY", "sk-canary");
    let told = stand.run(&["init", "--yes", "--no-network", "--no-test"]);
    assert_eq!(told.code, 0, "{told:?}");
    assert!(settings(&stand).contains("main = \"openai/gpt-4.1-mini\""), "{told:?}");
    let all = format!("{told:?}{}", settings(&stand));
    assert!(!all.contains("canary"), "{all}");
    let stand = Stand::new();
    let told = stand.run(&["init", "--yes", "--no-network", "--model", "groq/llama"]);
    assert!(told.code == 1 && told.out.contains("GROQ_API_KEY"), "{told:?}");
}

// proves: F1
#[cfg(unix)]
#[test]
fn a_person_answers_three_questions_and_enter_takes_the_suggestions() {
    let model = FakeModel::start(willing);
    let stand = Stand::new();
    stand.file("docs/pump.md", "# The old pump\n\nThe old pump was painted green in 1921.\n");
    stand.file(".config/quaestio/config.toml", "# mine\n[models]\nmain = \"\"  # none yet\n");
    let url = model.base_url();
    let mut terminal = Terminal::run(stand.command(&["init", "--base-url", &url]));
    terminal.wait_for("1 of 3. A model?");
    terminal.wait_for("local/gull");
    terminal.wait_for("none");
    terminal.wait_for("> ");
    terminal.type_line("99");
    terminal.wait_for("Type 1 to");
    terminal.wait_for("> ");
    terminal.type_line("");
    terminal.wait_for("./docs has 1 file.");
    terminal.wait_for("> ");
    terminal.type_line("");
    terminal.wait_for("3 of 3. Web search?");
    terminal.wait_for("> ");
    terminal.type_line("none");
    terminal.wait_for("main = \"local/gull\"  (was \"\")");
    terminal.wait_for("> ");
    terminal.type_line("y");
    terminal.wait_for("Ask a first question:");
    assert!(terminal.end().success(), "{}", terminal.screen);
    assert!(!terminal.screen.contains("embed-text"), "it does not chat: {}", terminal.screen);
    let written = settings(&stand);
    assert!(
        written.starts_with("# mine\n[models]\nmain = \"local/gull\"  # none yet\n"),
        "{written}"
    );
    let answer = first_question(&stand, &terminal.screen);
    assert!(answer.code == 0 && answer.out.contains("green"), "{answer:?}");
}

// proves: F1
#[cfg(unix)]
#[test]
fn without_a_yes_a_file_stays_as_it_is() {
    let stand = Stand::new();
    let text = "[models]\nmain = \"fake/one\"\n";
    stand.file(".config/quaestio/config.toml", text);
    let args = ["init", "--no-network", "--model", "fake/two", "--base-url", "http://127.0.0.1:9"];
    let command = stand.command(&[&args[..], &["--no-docs", "--web-search", "none"]].concat());
    let mut terminal = Terminal::run(command);
    terminal.wait_for("(was \"fake/one\")");
    terminal.wait_for("> ");
    terminal.type_line("");
    terminal.wait_for("Nothing was written.");
    assert_eq!(terminal.end().code(), Some(6), "{}", terminal.screen);
    assert_eq!(settings(&stand), text);
}

// proves: F1
#[test]
fn what_the_environment_sets_is_told_and_left_to_it() {
    let stand = Stand::new().variable("QUAESTIO_MODEL", "fake/env");
    let args = ["init", "--yes", "--no-network", "--no-test", "--no-model"];
    let told = stand.run(&args);
    assert!(told.err.contains("models.main is set by environment QUAESTIO_MODEL"), "{told:?}");
    assert!(!settings(&stand).contains("main"), "{told:?}");
}
