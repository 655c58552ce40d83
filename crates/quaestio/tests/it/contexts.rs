//! `quaestio contexts`, over both places where they are kept.

use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;

use run::{Deliverable, Method, Methods, Outcome, Run, Settings};
use serde_json::{Value, json};

use quaestio::Exit;

use crate::in_process::run_command;
use crate::stand::{Stand, read_output};

fn of_both_kinds() -> [Stand; 2] {
    [Stand::new(), Stand::new().variable("QUAESTIO_CONTEXTS__STORE", "files")]
}

/// Runs a command that succeeds; returns what it printed.
fn done(stand: &Stand, args: &[&str]) -> String {
    let told = stand.run(&[&["contexts"], args].concat());
    assert_eq!(told.code, 0, "{args:?}: {told:?}");
    told.out
}

fn fails(stand: &Stand, args: &[&str], code: i32, what: &str) {
    stand.run(&[&["contexts"], args].concat()).fails(code, what);
}

fn listed(stand: &Stand) -> Vec<Value> {
    serde_json::from_str(&done(stand, &["list", "--json"])).unwrap()
}

fn ids(stand: &Stand) -> Vec<String> {
    let mut ids: Vec<String> =
        listed(stand).iter().map(|context| context["id"].as_str().unwrap().into()).collect();
    ids.sort();
    ids
}

fn shown(stand: &Stand, id: &str) -> Value {
    serde_json::from_str(&done(stand, &["show", id, "--json"])).unwrap()
}

const LEGAL: [&str; 16] = [
    "add",
    "--name",
    "Legal AI",
    "--description",
    "Contracts, read by a machine.",
    "--industry",
    "law",
    "--search-term",
    "legaltech",
    "--search-term",
    "contract review",
    "--where",
    "Texas",
    "--meta",
    "stage=seed",
    "--meta=Round=A=1",
];

// proves: W5
#[test]
fn a_context_is_kept_shown_changed_and_removed() {
    for stand in of_both_kinds() {
        let told = stand.run(&["contexts", "list"]);
        assert_eq!((told.code, told.out.as_str()), (0, ""));
        assert!(told.err.contains("contexts add --name"), "{told:?}");
        assert_eq!(done(&stand, &LEGAL), "legal-ai added\n");
        let context = shown(&stand, "legal-ai");
        assert_eq!(json!(listed(&stand)), json!([context]));
        let mut plain = context.clone();
        for time in ["created_at", "last_accessed"] {
            plain.as_object_mut().unwrap().remove(time);
        }
        let expected = json!({
            "id": "legal-ai", "user_id": "local", "name": "Legal AI", "industry": "law",
            "description": "Contracts, read by a machine.", "geographical_scope": "Texas",
            "search_terms": ["legaltech", "contract review"], "metadata": {"stage": "seed", "Round": "A=1"},
        });
        assert_eq!(plain, expected);
        let page = done(&stand, &["show", "legal-ai"]);
        let (said, times) = page.split_once("created ").unwrap();
        assert_eq!(
            said,
            "legal-ai: Legal AI\ndescription: Contracts, read by a machine.\nindustry: law\n\
             search terms: legaltech, contract review\nwhere: Texas\nRound = A=1\nstage = seed\n"
        );
        assert!(times.contains(", last used "), "{times}");
        assert!(done(&stand, &["list"]).contains("\nlegal-ai  "));
        // Only what is given changes; an empty value clears.
        let edit =
            ["edit", "legal-ai", "--industry", "", "--search-term", "lawyers", "--meta", "Round="];
        assert_eq!(done(&stand, &edit), "legal-ai changed\n");
        let changed = shown(&stand, "legal-ai");
        for (key, value) in [
            ("name", &context["name"]),
            ("created_at", &context["created_at"]),
            ("industry", &json!("")),
            ("search_terms", &json!(["lawyers"])),
            ("metadata", &json!({"stage": "seed"})),
        ] {
            assert_eq!(&changed[key], value, "{key}");
        }
        let last_used = |context: &Value| -> jiff::Timestamp {
            context["last_accessed"].as_str().unwrap().parse().unwrap()
        };
        assert!(last_used(&changed) >= last_used(&context));
        done(&stand, &["edit", "legal-ai", "--search-term", ""]);
        assert_eq!(shown(&stand, "legal-ai")["search_terms"], json!([]));
        fails(&stand, &["edit", "legal-ai", "--name", ""], 1, "it has no name");
        fails(&stand, &["edit", "legal-ai"], 2, "nothing to change");
        assert_eq!(done(&stand, &["remove", "legal-ai"]), "legal-ai removed\n");
        for args in [
            &["remove", "legal-ai"][..],
            &["show", "legal-ai"],
            &["edit", "legal-ai", "--name", "x"],
        ] {
            fails(&stand, args, 1, "there is no startup context 'legal-ai'");
        }
    }
}

// proves: W5
#[test]
fn of_twelve_processes_that_edit_one_context_at_once_none_loses_anything() {
    for stand in of_both_kinds() {
        done(&stand, &["add", "--name", "Same"]);
        let edit = |number: u32| {
            let pair = format!("k{number}=v");
            let mut command = stand.command(&["contexts", "edit", "same", "--meta", &pair]);
            command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
        };
        let processes: Vec<_> = (0..12).map(edit).collect();
        for process in processes {
            let told = read_output(&process.wait_with_output().unwrap());
            assert_eq!((told.code, told.out.as_str()), (0, "same changed\n"), "{told:?}");
        }
        let expected: serde_json::Map<String, Value> =
            (0..12).map(|number| (format!("k{number}"), json!("v"))).collect();
        assert_eq!(shown(&stand, "same")["metadata"], Value::Object(expected));
    }
}

// proves: W5
#[test]
fn an_id_is_made_from_the_name_and_a_given_one_is_taken_as_it_is() {
    for stand in of_both_kinds() {
        for id in ["legal-ai", "legal-ai-2", "legal-ai-3"] {
            assert_eq!(done(&stand, &["add", "--name", "Legal  AI!"]), format!("{id} added\n"));
        }
        assert_eq!(done(&stand, &["add", "--name", "Any", "--id", "own_1"]), "own_1 added\n");
        fails(&stand, &["add", "--name", "Any", "--id", "own_1"], 1, "'own_1' exists already");
        let long = "x".repeat(10_000);
        for id in ["", "..", "../any", "a/b", "C:\\any", "A", "con", "é", "e\u{301}", "-a", &long]
        {
            let id_is = format!("--id={id}");
            let why = if id == "con" { "is reserved by" } else { "invalid id" };
            fails(&stand, &["add", "--name", "Any", &id_is], 1, why);
            fails(&stand, &["show", "--", id], 1, "there is no startup context");
            fails(&stand, &["remove", "--", id], 1, "there is no startup context");
        }
        for id in ["con", "nul", "com1", "CON"] {
            let add = ["add", "--name", "Any", "--id", id];
            fails(&stand, &add, 1, "is reserved by operating systems");
        }
        assert_eq!(ids(&stand), ["legal-ai", "legal-ai-2", "legal-ai-3", "own_1"]);
        fails(&stand, &["add"], 2, "--name");
        fails(&stand, &["add", "--name", "Any", "--meta", "stage"], 2, "'stage' is not key=value");
    }
}

// proves: W5
#[test]
fn what_is_exported_is_imported_elsewhere_all_or_none() {
    for (from, to) in of_both_kinds().into_iter().zip(of_both_kinds().into_iter().rev()) {
        done(&from, &LEGAL);
        done(&from, &["add", "--name", "Solar \u{202e}roofs"]);
        let all = from.path("all.json");
        done(&from, &["export", "-o", all.to_str().unwrap()]);
        let one = from.file("one.json", done(&from, &["export", "legal-ai"]));
        assert_eq!(
            serde_json::from_slice::<Value>(&std::fs::read(&all).unwrap()).unwrap(),
            json!(listed(&from))
        );
        let import = |file: &Path, more: &[&str]| {
            to.run(&[&["contexts", "import", file.to_str().unwrap()], more].concat())
        };
        let told = import(&one, &[]);
        assert_eq!((told.code, told.out.as_str()), (0, "1 imported\n"), "{told:?}");
        assert_eq!(shown(&to, "legal-ai"), shown(&from, "legal-ai"));
        // One of the two is there already.
        done(&to, &["edit", "legal-ai", "--industry", "changed"]);
        import(&all, &[])
            .fails(1, "the startup context 'legal-ai' exists already; nothing was imported");
        assert_eq!(ids(&to), ["legal-ai"]);
        assert_eq!(import(&all, &["--replace"]).out, "2 imported\n");
        assert_eq!(listed(&to), listed(&from));
        // What was another's is one's own here.
        let foreign = std::fs::read_to_string(&one).unwrap().replace("\"local\"", "\"eve\"");
        let told = import(&to.file("foreign.json", foreign.replace("legal-ai", "hers")), &[]);
        assert_eq!((told.code, told.out.as_str()), (0, "1 imported\n"), "{told:?}");
        assert!(told.err.contains("hers: belonged to eve, now belongs to local"), "{told:?}");
        assert_eq!(shown(&to, "hers")["user_id"], "local");
    }
}

// proves: W5
#[test]
fn a_file_that_cannot_be_imported_is_named_and_nothing_comes_of_it() {
    for stand in of_both_kinds() {
        done(&stand, &LEGAL);
        let good = shown(&stand, "legal-ai");
        let with = |key: &str, value: Value| {
            let mut context = good.clone();
            context[key] = value;
            context
        };
        let before = listed(&stand);
        for (content, what) in [
            ("".to_owned(), "EOF"),
            ("{".to_owned(), "EOF"),
            ("3".to_owned(), "invalid type"),
            ("{}".to_owned(), "missing field `id`"),
            (json!([with("id", json!("b")), {}]).to_string(), "entry 2: missing field"),
            (
                json!([with("id", json!("b")), with("id", json!("../c"))]).to_string(),
                "invalid id '../c'",
            ),
            (json!([with("id", json!("b")), with("id", json!("b"))]).to_string(), "is used twice"),
            (with("name", json!("")).to_string(), "it has no name"),
            (with("more", json!(1)).to_string(), "unknown field `more`"),
            (with("created_at", json!("yesterday")).to_string(), "could not import"),
            ("[".repeat(100_000), "recursion limit"),
        ] {
            let file = stand.file("wrong.json", content);
            let args = ["import", file.to_str().unwrap(), "--replace"];
            fails(&stand, &args, 2, what);
            fails(&stand, &args, 2, "wrong.json");
            assert_eq!(listed(&stand), before, "{what}");
        }
        fails(&stand, &["import", "nowhere.json"], 2, "could not read nowhere.json");
    }
}

// proves: W5
#[test]
fn files_lie_in_the_data_folder_or_where_they_are_wanted_and_a_broken_one_is_named() {
    let stand = Stand::new().variable("QUAESTIO_CONTEXTS__STORE", "files");
    done(&stand, &LEGAL);
    let file = stand.data().join("contexts/local/legal-ai.json");
    let kept: Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    assert_eq!(kept, shown(&stand, "legal-ai"));
    std::fs::write(&file, "{").unwrap();
    fails(&stand, &["list"], 1, "contexts/local/legal-ai.json");
    fails(&stand, &["edit", "legal-ai", "--name", "x"], 1, "contexts/local/legal-ai.json");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "{");
    // Others are not held up, and it can be removed.
    assert_eq!(done(&stand, &["add", "--name", "Other", "--id", "other"]), "other added\n");
    assert_eq!(done(&stand, &["edit", "other", "--industry", "law"]), "other changed\n");
    assert_eq!(done(&stand, &["remove", "other"]), "other removed\n");
    assert_eq!(done(&stand, &["remove", "legal-ai"]), "legal-ai removed\n");
    assert!(!file.exists() && listed(&stand).is_empty());
    let elsewhere = stand.path("else where");
    let stand = stand.variable("QUAESTIO_CONTEXTS__FOLDER", elsewhere.to_str().unwrap());
    let stand = stand.variable("QUAESTIO_USER", "Ada");
    done(&stand, &LEGAL);
    assert!(elsewhere.join("=ada/legal-ai.json").is_file());
    let stand = stand.variable("QUAESTIO_CONTEXTS__STORE", "cloud");
    fails(&stand, &["list"], 2, "contexts.store");
}

// proves: W5
#[test]
fn a_project_file_does_not_say_where_contexts_are_kept() {
    let stand = Stand::new();
    stand.file("quaestio.toml", "[contexts]\nstore = \"files\"\nfolder = \"/tmp/elsewhere\"\n");
    fails(&stand, &["list"], 2, "quaestio.toml may not set contexts.");
}

// proves: W5, F8
#[test]
fn each_user_has_contexts_of_their_own() {
    for stand in of_both_kinds() {
        done(&stand, &["add", "--name", "Same"]);
        let other =
            |args: &[&str]| stand.run(&[&["--set", "user=Local", "contexts"], args].concat());
        assert_eq!(other(&["list", "--json"]).json(), json!([]));
        other(&["show", "same"]).fails(1, "there is no startup context 'same'");
        assert_eq!(other(&["add", "--name", "Same"]).out, "same added\n");
        assert_eq!(other(&["remove", "same"]).code, 0);
        assert_eq!(ids(&stand), ["same"]);
    }
}

const LEARN: Method = Method::new("learn", 1, |run| Box::pin(learn(run)));

/// Delivers what its question says that it learned.
async fn learn(run: &Run) -> run::Result<Deliverable> {
    let learned: Value = serde_json::from_str(run.question()).unwrap_or(Value::Null);
    let fields = [("learned".to_owned(), learned)].into_iter().collect();
    Ok(Deliverable { outcome: Outcome::Answered, fields, ledger: vec![] })
}

fn learned(folder: &Path, run: &str, question: &str) {
    struct Now;
    impl run::world::Clock for Now {
        fn now(&self) -> jiff::Timestamp {
            jiff::Timestamp::now()
        }
    }
    let store = store::Store::open(folder).unwrap();
    let world = run::world::World::of(Arc::new(store.clone()), Arc::new(Now));
    let new = run::work::NewStart {
        run: run.into(),
        user: "local".into(),
        question: question.into(),
        settings: Settings::default(),
        owner: Some(store.owner().to_owned()),
        key: None,
        at_most: None,
    };
    let (_cancel, never) = tokio::sync::watch::channel(None);
    let work = run::work::start_and_work(&world, &LEARN, new, never);
    tokio::runtime::Runtime::new().unwrap().block_on(work).unwrap();
}

/// Runs the program's own command in this process, with the method that learns.
fn quaestio(folder: &Path, args: &[&str]) -> (Exit, String, String) {
    let common = ["--data-dir", folder.to_str().unwrap(), "--no-model", "contexts"];
    run_command(Methods::new([LEARN]), &[&common, args].concat())
}

// proves: W5
#[test]
fn what_a_finished_run_learned_becomes_a_context() {
    let folder = tempfile::tempdir().unwrap();
    let told = json!({
        "name": "Legal AI", "description": "Read by a machine.", "industry": "law",
        "search_terms": ["legaltech"], "geographical_scope": "Texas",
    });
    learned(folder.path(), "market-1", &told.to_string());
    let (exit, out, err) = quaestio(folder.path(), &["add", "--from-run", "last"]);
    assert_eq!((exit, out.as_str()), (Exit::Done, "legal-ai added\n"), "{err}");
    let shown = |id: &str| -> Value {
        serde_json::from_str(&quaestio(folder.path(), &["show", id, "--json"]).1).unwrap()
    };
    let context = shown("legal-ai");
    for (key, value) in told.as_object().unwrap() {
        assert_eq!(&context[key], value, "{key}");
    }
    let more = ["--name", "Second", "--id", "two", "--where", "", "--search-term", "lawyers"];
    let (exit, _, err) =
        quaestio(folder.path(), &[&["add", "--from-run", "market"], &more[..]].concat());
    assert_eq!(exit, Exit::Done, "{err}");
    let context = shown("two");
    assert_eq!((&context["name"], &context["industry"]), (&json!("Second"), &json!("law")));
    assert_eq!(
        (&context["search_terms"], &context["geographical_scope"]),
        (&json!(["lawyers"]), &json!(""))
    );
    learned(folder.path(), "nothing", "no JSON");
    learned(folder.path(), "strange", "{\"name\": [1]}");
    learned(folder.path(), "nameless", "{\"industry\": \"law\"}");
    for (run, what) in [
        ("nothing", "run nothing learned nothing about a startup"),
        ("strange", "could not read what run strange learned"),
        ("nameless", "it has no name"),
        ("nobody", "there is no run 'nobody'"),
    ] {
        let (exit, out, err) = quaestio(folder.path(), &["add", "--from-run", run]);
        assert_eq!((exit, out.as_str()), (Exit::Failed, ""));
        assert!(err.contains(what), "{err}");
    }
}
