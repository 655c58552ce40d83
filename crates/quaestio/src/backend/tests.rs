use figment2::value::Value as Configured;
use run::library::Put;
use serde_json::json;
use tempfile::TempDir;

use super::*;
use crate::config::Files;

fn forked(settings: &Settings) -> Forked<'_> {
    Forked { user: "alice", run: "r", step: "s", method: "ask", settings, kept: &[] }
}

/// Builds a program with its own data folder, which lives as long as the returned guard.
async fn build_program(keys: &[(&str, &str)]) -> (Program, TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data").to_string_lossy().into_owned();
    let mut values = vec![("data_dir", Configured::from(data)), ("models.main", "".into())];
    values.extend(keys.iter().map(|(key, value)| (*key, value.parse().unwrap())));
    let layers = Layers::read(&Files::default(), false, vec![]).unwrap();
    let layers = layers.with(None, "test", values).unwrap();
    let database = wire::open(&layers.config).await.unwrap();
    let home = Program::new(layers, database, methods::all(), Sink::new(std::io::sink())).unwrap();
    (home, folder)
}

fn order(order: serde_json::Value) -> Order {
    serde_json::from_value(order).unwrap()
}

/// Uploads a text under a name.
async fn upload(
    home: &Program,
    folder: &TempDir,
    user: &str,
    name: &str,
    text: &str,
) -> Result<app::Taken, Refusal> {
    let file = folder.path().join("upload");
    std::fs::write(&file, text).unwrap();
    home.take_in(user, "notes", &file, name).await
}

const TEXT: &str =
    "# On pumps\n\nThe handle of the Broad Street pump was removed on 8 September 1854.\n";

// proves: A6, F2
#[tokio::test]
async fn an_upload_stands_under_its_label_and_its_text_is_the_file_s() {
    let (home, folder) = build_program(&[]).await;
    let taken = upload(&home, &folder, "alice", "..\\..\\C:\\pumps.md", TEXT).await.unwrap();
    let document = &taken.document;
    assert_eq!(
        (&*document.path, &*document.title, taken.put),
        ("pumps.md", "On pumps", Put::Added)
    );
    assert_eq!(document.kind.source_uri("notes", &document.path), "doc://notes/pumps.md");
    let (_, text) =
        home.database.library.document("alice", &document.document_id).await.unwrap().unwrap();
    assert_eq!(text, TEXT);
    let again = upload(&home, &folder, "alice", "pumps.md", TEXT).await.unwrap();
    assert_eq!((again.put, &again.document), (Put::Unchanged, document));
    let other = upload(&home, &folder, "alice", "pumps.md", "# Pumps\n\nAnother text.\n").await;
    assert_eq!(other.unwrap().put, Put::Replaced);
    assert_eq!(home.database.library.documents("alice", "notes").await.unwrap().len(), 1);
    assert!(home.database.library.document("bob", &document.document_id).await.unwrap().is_none());
}

// proves: A6, F2
#[tokio::test]
async fn an_upload_that_cannot_be_taken_says_why_and_leaves_nothing() {
    let (home, folder) = build_program(&[("server.upload_bytes", "200")]).await;
    let long = "word ".repeat(100);
    for (name, text, why) in [
        ("../../.bashrc", TEXT, "begins with a dot"),
        ("..", TEXT, "begins with a dot"),
        ("", TEXT, "no name"),
        ("fdp.\u{202e}exe.md", TEXT, "invisible characters"),
        ("a\0.md", TEXT, "control characters"),
        ("a.exe", TEXT, "files ending in .exe are not supported"),
        ("a.pdf", TEXT, "ends in .pdf"),
        ("a.md", "\n \n", "it contains no text"),
        ("a.md", &long, "more than the limit of 200"),
    ] {
        let refused = upload(&home, &folder, "alice", name, text).await.unwrap_err();
        assert_eq!(refused.kind, RefusalKind::Invalid, "{name:?}");
        assert!(refused.what.contains(why), "{name:?}: {refused:?}");
        let here = folder.path().to_string_lossy().into_owned();
        assert!(!refused.what.contains(&here), "a path of ours in {refused:?}");
    }
    assert!(home.database.library.documents("alice", "notes").await.unwrap().is_empty());
}

// proves: F2
#[tokio::test]
async fn an_order_becomes_settings_as_the_configuration_has_them() {
    let (home, folder) = build_program(&[("ask.top_k", "5")]).await;
    upload(&home, &folder, "alice", "pumps.md", TEXT).await.unwrap();
    let asked = order(json!({
        "method": "ask", "question": "  When?  ", "collection": "notes", "where": {" Year ": "1854"},
        "budget": {"max_steps": 7}
    }));
    let prepared = home.prepare("alice", &asked).await.unwrap();
    assert_eq!((&*prepared.user, &*prepared.question), ("alice", "When?"));
    let options = &prepared.settings.options;
    assert_eq!(options["strategy"], "rag");
    assert_eq!(options["collection"], "notes");
    assert_eq!(options["own_documents"], true);
    assert_eq!(options["filter"], json!({"year": "1854"}));
    assert_eq!(options["rules"]["top_k"], 5);
    assert_eq!(prepared.settings.budget.max_steps, Some(7));
    assert_eq!(prepared.settings.models, None);
    let estimate = home.estimate("alice", &asked).await.unwrap();
    assert_eq!((estimate.model, estimate.priced), (None, true));

    let wanted =
        json!({"method": "hypothesize", "question": "Why?", "top": 2, "sources": ["arxiv"]});
    let prepared = home.prepare("alice", &order(wanted)).await.unwrap();
    assert_eq!(prepared.settings.options["top"], 2);
    assert_eq!(prepared.settings.options["sources"], json!(["arxiv"]));
}

// proves: F2, F8
#[tokio::test]
async fn an_order_that_cannot_be_run_is_refused_in_the_words_of_an_order() {
    let (home, folder) =
        build_program(&[("server.question_chars", "40"), ("server.models", "ours/x")]).await;
    upload(&home, &folder, "alice", "pumps.md", TEXT).await.unwrap();
    for (wrong, why) in [
        (json!({}), "names no method"),
        (json!({"method": "guess", "question": "q"}), "no method 'guess'"),
        (json!({"method": "ask", "question": " \n"}), "the question is empty"),
        (
            json!({"method": "ask", "question": "q".repeat(41)}),
            "41 characters; at most 40 are allowed",
        ),
        (json!({"method": "ask", "question": "q", "top": 2}), "does not accept top"),
        (
            json!({"method": "hypothesize", "question": "q", "strategy": "rag"}),
            "does not accept strategy",
        ),
        (
            json!({"method": "hypothesize", "question": "q", "top": 9}),
            "hypothesize.top must be 1 to 8",
        ),
        (json!({"method": "hypothesize", "question": "q", "sources": ["web"]}), "scholarly"),
        (
            json!({"method": "hypothesize", "question": "q", "where": {"a": "b"}}),
            "does not accept where",
        ),
        (
            json!({"method": "ask", "question": "q", "sources": ["arxiv"]}),
            "strategies 'search' and 'deep'",
        ),
        (
            json!({"method": "ask", "question": "q", "strategy": "search", "sources": ["web"]}),
            "no web search",
        ),
        (
            json!({"method": "ask", "question": "q", "strategy": "direct", "collection": "notes"}),
            "cannot be used with the strategy",
        ),
        (
            json!({"method": "ask", "question": "q", "collection": "../notes"}),
            "is not a valid name",
        ),
        (json!({"method": "ask", "question": "q", "collection": "none"}), "collections: notes"),
        (json!({"method": "ask", "question": "q", "where": {" ": "x"}}), "no key"),
        (json!({"method": "ask", "question": "q", "budget": {"max_tokens": 0}}), "a limit of 0"),
        (
            json!({"method": "ask", "question": "q", "budget": {"max_cost_usd": -1.0}}),
            "budget.max_cost_usd",
        ),
        (
            json!({"method": "ask", "question": "q", "model": "openai/o1"}),
            "is not available; models: ours/x",
        ),
        (
            json!({"method": "ask", "question": "q", "model": "ours/x", "offline": true}),
            "cannot be combined with offline",
        ),
    ] {
        let refused = home.prepare("alice", &order(wrong.clone())).await.unwrap_err();
        assert_eq!(refused.kind, RefusalKind::Invalid, "{wrong}: {refused:?}");
        assert!(refused.what.contains(why), "{wrong}: {refused:?}");
        assert!(!refused.hint.contains("--"), "a flag in {refused:?}");
    }
    // Another user's collection is not there.
    let asked = order(json!({"method": "ask", "question": "q", "collection": "notes"}));
    let refused = home.prepare("bob", &asked).await.unwrap_err();
    assert!(refused.what.contains("there are no collections yet"), "{refused:?}");
}

// proves: C6, F2
#[tokio::test]
async fn a_cost_cap_that_somebody_sets_needs_a_price_and_the_default_one_is_lifted_with_a_note() {
    let (home, _folder) = build_program(&[
        ("server.models", "ours/x"),
        ("models.base_url", "https://models.example/v1"),
    ])
    .await;
    let asked = json!({"method": "ask", "question": "q", "strategy": "direct", "model": "ours/x"});
    let prepared = home.prepare("alice", &order(asked.clone())).await.unwrap();
    let setup = home.setup();
    let submitter = home.submitter(&setup, "alice");
    let draft = Draft::of(&submitter, &order(asked.clone())).await.unwrap();
    let notes = draft.check(&setup.tools).await.unwrap();
    assert!(notes[0].contains("the price of ours/x is not known"), "{notes:?}");
    assert_eq!(prepared.settings.budget.max_cost_usd_micros, None);
    let choice = prepared.settings.models.clone().unwrap();
    assert_eq!(choice.base_url.as_deref(), Some("https://models.example/v1"));
    let estimate = home.estimate("alice", &order(asked.clone())).await.unwrap();
    assert!(!estimate.priced && estimate.expected.tokens > 0 && !estimate.notes.is_empty());
    let mut capped = asked;
    capped["budget"] = json!({"max_cost_usd": 0.5});
    let refused = home.prepare("alice", &order(capped)).await.unwrap_err();
    assert!(refused.what.contains("cost limit from the order cannot be enforced"), "{refused:?}");

    let changes = |model: Option<&str>, offline, settings: &[(&str, &str)]| Changes {
        model: model.map(str::to_owned),
        offline,
        settings: settings.iter().map(|(key, value)| ((*key).into(), (*value).into())).collect(),
    };
    let settings = prepared.settings;
    let altered = home.altered(&forked(&settings), &changes(None, true, &[("ask.top_k", "3")]));
    let altered = altered.unwrap();
    assert_eq!((altered.models, &altered.options["rules"]["top_k"]), (None, &json!(3)));
    assert_eq!(home.altered(&forked(&settings), &changes(None, false, &[])).unwrap(), settings);
    for (wrong, why) in [
        (changes(Some("openai/o1"), false, &[]), "is not available"),
        (changes(None, false, &[("models.base_url", "http://127.0.0.1")]), "only the run's own"),
        (changes(None, false, &[("budget.max_cost_usd", "1")]), "the price of"),
    ] {
        let refused = home.altered(&forked(&settings), &wrong).unwrap_err();
        assert!(refused.what.contains(why), "{refused:?}");
    }
}

// proves: F2, F6
#[tokio::test]
async fn choices_and_exports_name_the_same_formats() {
    let (home, _folder) = build_program(&[]).await;
    let choices = home.choices("alice").await.unwrap();
    for format in &choices.formats {
        let export = home.export("r", &[], &ExportOrder::of(&format.name)).await;
        // A bundle is of a run that has ended.
        match format.methods.is_empty() && format.name != "bundle" {
            true => assert_eq!(export.unwrap().media_type, format.media_type),
            false => assert_eq!(export.unwrap_err().kind, RefusalKind::Invalid, "{}", format.name),
        }
    }
    for wanted in
        [ExportOrder::of("odt"), ExportOrder { style: Some("../x"), ..ExportOrder::of("md") }]
    {
        let refused = home.export("r", &[], &wanted).await.unwrap_err();
        assert_eq!(refused.kind, RefusalKind::Invalid);
    }
    // What may be chosen can be ordered.
    for (method, sources) in &choices.default_sources {
        let mut asked = json!({"method": method, "question": "q", "sources": sources});
        if method == "ask" {
            asked["strategy"] = "search".into();
        }
        home.prepare("alice", &order(asked)).await.unwrap();
    }
    let names: Vec<&str> = choices.methods.iter().map(|method| &*method.name).collect();
    assert_eq!(names, methods::all().iter().map(|method| method.name).collect::<Vec<_>>());
    home.ready().await.unwrap();
}

// proves: F2, F5
#[tokio::test]
async fn a_configured_mcp_server_can_be_chosen_and_ordered() {
    let keys = [
        ("mcp.wiki.url", "http://127.0.0.1:9/mcp"),
        ("mcp.wiki.tools", "{search = \"q\"}"),
        ("mcp.shut.url", "http://127.0.0.1:9/mcp"),
        ("mcp.shut.token", "NO_SUCH_VARIABLE_OF_OURS"),
        ("mcp.shut.tools", "{search = \"q\"}"),
        ("sources.asked", "[\"arxiv\", \"mcp:wiki\"]"),
    ];
    let (home, _folder) = build_program(&keys).await;
    let choices = home.choices("alice").await.unwrap();
    let choice = |name: &str| choices.sources.iter().find(|source| source.name == name).unwrap();
    assert_eq!(choice("mcp:wiki").title, "the MCP server wiki");
    assert!(choice("mcp:wiki").available);
    assert!(choice("mcp:shut").why_not.as_ref().unwrap().contains("NO_SUCH_VARIABLE_OF_OURS"));
    assert_eq!(choices.default_sources["ask"], ["arxiv", "mcp:wiki"]);
    let ordered = |sources: serde_json::Value| {
        order(json!({"method": "ask", "question": "q", "strategy": "search", "sources": sources}))
    };
    let prepared = home.prepare("alice", &ordered(json!(["mcp:wiki"]))).await.unwrap();
    assert_eq!(prepared.settings.options["sources"], json!(["mcp:wiki"]));
    for sources in [json!(["mcp:shut"]), json!(["mcp:other"])] {
        let refused = home.prepare("alice", &ordered(sources)).await.unwrap_err();
        assert_eq!(refused.kind, RefusalKind::Invalid);
    }
}

// proves: F2
#[tokio::test]
async fn a_method_of_somebody_else_s_is_ordered_by_its_name_and_question() {
    let (mut home, _folder) = build_program(&[]).await;
    let greet =
        run::Method::new("greet", 1, |_| Box::pin(async { unreachable!("nobody starts it") }));
    home.methods = Methods::new([greet]);
    let wanted = order(json!({"method": "greet", "question": "Greet me"}));
    let prepared = home.prepare("alice", &wanted).await.unwrap();
    assert_eq!(prepared.settings.options, json!({}));
    let choices = home.choices("alice").await.unwrap();
    assert_eq!((choices.methods.len(), &*choices.methods[0].name), (1, "greet"));
    let asked = order(json!({"method": "ask", "question": "q"}));
    assert!(home.prepare("alice", &asked).await.is_err());
}

// proves: C6, F8
#[tokio::test]
async fn over_http_a_cap_is_lowered_and_never_raised() {
    let (home, _folder) =
        build_program(&[("budget.max_tokens", "1000"), ("budget.max_steps", "0")]).await;
    let direct = |budget: serde_json::Value| {
        order(json!({"method": "ask", "question": "Who?", "strategy": "direct", "budget": budget}))
    };
    let lowered = direct(json!({"max_tokens": 900, "max_cost_usd": 0.5, "max_steps": 7}));
    let settings = home.prepare("alice", &lowered).await.unwrap().settings;
    let budget = settings.budget;
    assert_eq!(
        (budget.max_tokens, budget.max_cost_usd_micros, budget.max_steps),
        (Some(900), Some(500_000), Some(7)),
        "where there is no cap any is lower"
    );
    for raised in [
        json!({"max_tokens": 1001}),
        json!({"max_cost_usd": 1.000_001}),
        json!({"max_wall_seconds": 901}),
    ] {
        let refused = home.prepare("alice", &direct(raised.clone())).await.unwrap_err();
        assert_eq!(refused.kind, RefusalKind::Invalid, "{raised}: {refused:?}");
        assert!(refused.what.contains("at most"), "{refused:?}");
        assert!(home.estimate("alice", &direct(raised)).await.is_err());
    }
    for (key, value) in [("budget.max_tokens", "1001"), ("budget.max_tokens", "0")] {
        let raised = Changes { settings: vec![(key.into(), value.into())], ..Changes::default() };
        let refused = home.altered(&forked(&settings), &raised).unwrap_err();
        assert!(refused.what.contains("max_tokens is at most 1000"), "{refused:?}");
    }
}

// proves: B9, F2
#[tokio::test]
async fn survey_files_come_one_by_one_and_are_ordered_by_their_name() {
    let (home, folder) = build_program(&[]).await;
    let bring = async |name: &str, text: &str| {
        let file = folder.path().join("upload");
        std::fs::write(&file, text).unwrap();
        home.keep_survey("alice", "bus", &file, name).await
    };
    let brief = |survey: &str| order(json!({"method": "brief", "question": "q", "survey": survey}));
    let refused = home.prepare("alice", &brief("bus")).await.unwrap_err();
    assert!(
        refused.what.contains("there is no survey 'bus'; there are no surveys yet"),
        "{refused:?}"
    );
    assert!(refused.hint.contains("POST /api/surveys/{name}"), "{refused:?}");
    // A codebook alone is no survey, yet.
    let codebook = "variable,label,type,values\nQ1,Are you satisfied?,single,1=Yes|2=No\n";
    let first = bring("wave1.codebook.csv", codebook).await.unwrap();
    assert!(first.studies.is_empty() && first.problem.is_some(), "{first:?}");
    let refused = home.prepare("alice", &brief("bus")).await.unwrap_err();
    assert_eq!(refused.kind, RefusalKind::Invalid);
    assert!(refused.what.contains("could not read the survey 'bus'"), "{refused:?}");
    let whole = bring("wave1.csv", "Q1\n1\n2\n1\n").await.unwrap();
    assert_eq!((whole.problem, whole.studies.len()), (None, 1));
    assert_eq!((whole.studies[0].respondents, whole.studies[0].questions), (3, 1));
    let prepared = home.prepare("alice", &brief("bus")).await.unwrap();
    let files = prepared.settings.options["files"].as_array().unwrap();
    let names: Vec<&str> = files.iter().map(|file| file["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["wave1.codebook.csv", "wave1.csv"]);
    // What is replaced later changes nothing of what was prepared; another user has nothing.
    let replaced = bring("wave1.csv", "Q1\n1\n").await.unwrap();
    assert_eq!((replaced.survey.files.len(), replaced.studies[0].respondents), (2, 1));
    assert!(home.surveys("bob").await.unwrap().is_empty());
    assert!(home.prepare("bob", &brief("bus")).await.is_err());
    for (name, text, why) in [
        ("../wave1.csv", "Q1\n1\n", "is not a valid name for a survey file"),
        ("wave1.exe", "Q1\n1\n", "is not a valid name for a survey file"),
        ("", "Q1\n1\n", "is not a valid name for a survey file"),
    ] {
        let refused = bring(name, text).await.unwrap_err();
        assert_eq!(refused.kind, RefusalKind::Invalid);
        assert!(refused.what.contains(why), "{name}: {refused:?}");
    }
    assert!(home.forget_survey("alice", "bus").await.unwrap());
    assert!(!home.forget_survey("alice", "bus").await.unwrap());
    // The files stay for the runs that name them.
    assert_eq!(home.survey("alice", "bus").await.unwrap(), None);
}

// proves: B9
#[tokio::test]
async fn files_that_come_at_once_are_all_kept() {
    let (home, folder) = build_program(&[]).await;
    let bring = |number: u32| {
        let file = folder.path().join(format!("upload-{number}"));
        std::fs::write(&file, format!("Q{number}\n1\n")).unwrap();
        let (home, name) = (&home, format!("wave{number}.csv"));
        async move { home.keep_survey("alice", "bus", &file, &name).await.unwrap() }
    };
    futures::future::join_all((0..12).map(bring)).await;
    assert_eq!(home.surveys("alice").await.unwrap()[0].files.len(), 12);
}
