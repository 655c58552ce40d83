//! A method that this program has never heard of: an async function and what it says of itself is all that it takes.

use std::collections::BTreeMap;
use std::path::Path;

use quaestio::Exit;
use run::library::{Retrieval, Search};
use run::{Deliverable, Method, Methods, Outcome, Run};
use serde::Deserialize;
use serde_json::Value;

use crate::in_process::run_command;

const NEAREST: Method = Method::new("nearest", 1, |run| Box::pin(nearest(run)))
    .described("Nearest", "Shows what stands nearest to a question.", "Who was John Snow?")
    .reading(&["collection", "top", "language", "history"]);

#[derive(Deserialize)]
struct Options {
    collection: String,
    top: Option<u32>,
    language: Option<String>,
}

async fn nearest(run: &Run) -> run::Result<Deliverable> {
    let Options { collection, top, language } = run.options()?;
    let search = Search {
        collection,
        question: run.question().to_owned(),
        filter: BTreeMap::new(),
        top_k: top.unwrap_or(1),
        retrieval: Retrieval::Auto,
    };
    let passages = run.retrieve(&search).await?.passages;
    let texts: Vec<&str> = passages.iter().map(|passage| passage.text.as_str()).collect();
    let answer = format!("{}: {}", language.unwrap_or_default(), texts.join(" / "));
    let fields = [("answer".to_owned(), answer.into())].into_iter().collect();
    Ok(Deliverable { outcome: Outcome::Answered, fields, ledger: vec![] })
}

/// Runs the program's own command in this process, with its own methods and that one.
fn quaestio(folder: &Path, args: &[&str]) -> (Exit, String, String) {
    quaestio_with(folder, &["--no-model"], args)
}

fn quaestio_with(folder: &Path, model: &[&str], args: &[&str]) -> (Exit, String, String) {
    let common = ["--data-dir", folder.to_str().unwrap()];
    let all = methods::all();
    let methods = Methods::new(all.iter().copied().chain([NEAREST]));
    run_command(methods, &[&common, model, args].concat())
}

// proves: C8, F1
#[test]
fn a_method_has_a_command_that_is_made_from_what_it_says_of_itself() {
    let folder = tempfile::tempdir().unwrap();
    let notes = folder.path().join("notes");
    std::fs::create_dir(&notes).unwrap();
    std::fs::write(notes.join("pump.md"), "The handle was removed on 8 September.\n").unwrap();
    std::fs::write(notes.join("beer.md"), "The brewers drank beer, and no brewer died.\n").unwrap();
    let (data, notes) = (folder.path().join("data"), notes.to_str().unwrap());

    let (exit, out, _) = quaestio(&data, &["--help"]);
    assert_eq!(exit, Exit::Done);
    assert!(out.contains("nearest") && out.contains("Shows what stands nearest"), "{out}");
    let (_, out, _) = quaestio(&data, &["nearest", "--help"]);
    for flag in ["--docs", "--collection", "--top", "--language", "--estimate", "--plan"] {
        assert!(out.contains(flag), "{flag}: {out}");
    }
    for flag in ["--source", "--history", "--survey"] {
        assert!(!out.contains(flag), "{flag}: {out}");
    }

    let question = "Which brewer died?";
    let asked = ["nearest", question, "--docs", notes, "--language", "en"];
    let (exit, out, err) = quaestio(&data, &asked);
    assert_eq!(exit, Exit::Done, "{err}");
    assert!(out.contains("en: The brewers drank beer") && !out.contains("handle"), "{out}");
    let both = ["nearest", "The brewers, the handle?", "--docs", notes, "--top", "2"];
    let (exit, out, err) = quaestio(&data, &[&both[..], &["--format", "json"]].concat());
    assert_eq!(exit, Exit::Done, "{err}");
    let envelope: Value = serde_json::from_str(&out).unwrap();
    let answer = envelope["answer"].as_str().unwrap();
    assert!(answer.contains("beer") && answer.contains("handle"), "{answer}");

    // What goes wrong is told as it is of every method.
    for (args, exit, told) in [
        (&["nearest", question][..], Exit::Usage, "there is no collection 'default'"),
        (&["nearest", question, "--collection", "../x"], Exit::Usage, "is not a valid name"),
        (&["nearest", question, "--top", "many"], Exit::Usage, "not a valid value for --top"),
        (&["nearest", question, "--source", "arxiv"], Exit::Usage, "--source"),
        (
            &["nearest", " ", "--docs", notes],
            Exit::Usage,
            "quaestio nearest \"Who was John Snow?\"",
        ),
        (&["nearest"], Exit::Usage, "<QUESTION>"),
        (&["nearer", question], Exit::Usage, "nearest"),
    ] {
        let (ended, _, err) = quaestio(&data, args);
        assert_eq!(ended, exit, "{args:?}: {err}");
        assert!(err.contains(told), "{args:?}: {err}");
    }
    let estimate = ["nearest", question, "--docs", notes, "--estimate"];
    let model = ["--model", "ours/x", "--base-url", "http://127.0.0.1:9/v1"];
    let (exit, out, err) = quaestio_with(&data, &model, &estimate);
    assert!(exit == Exit::Done && out.contains("ours/x"), "{out}{err}");
    assert!(err.contains("cannot be estimated in advance"), "{err}");
    let (exit, out, _) = quaestio(&data, &["completions", "bash"]);
    assert!(exit == Exit::Done && out.contains("nearest"));
}
