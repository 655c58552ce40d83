//! What is set from the page: in force at once, kept with the data, below file and environment, and no key is ever told.

use std::path::Path;

use fakes::{FakeModel, Say};
use serde_json::{Value, json};

use crate::serve::Served;
use crate::stand::{QUESTION, Stand, honest};

const KEY: &str = "canary-key-0123456789";

fn of<'a>(told: &'a Value, list: &str, key: &str) -> &'a Value {
    let name = if list == "keys" { "name" } else { "key" };
    let list = told[list].as_array().unwrap();
    list.iter().find(|one| one[name] == key).unwrap_or_else(|| panic!("no {key} in {told}"))
}

fn setting<'a>(told: &'a Value, key: &str) -> &'a Value {
    of(told, "settings", key)
}

/// Returns every file below a folder whose bytes hold the key.
fn with_key(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for path in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        if path.is_dir() {
            found.extend(with_key(&path));
        } else if let Ok(bytes) = std::fs::read(&path)
            && bytes.windows(KEY.len()).any(|window| window == KEY.as_bytes())
        {
            found.push(path.file_name().unwrap().to_string_lossy().into_owned());
        }
    }
    found
}

// proves: F3, D8
#[test]
fn a_model_that_is_set_from_the_page_answers_the_next_question_and_its_key_is_nowhere() {
    let server = FakeModel::start(honest);
    let stand = Stand::new().variable("QUAESTIO_MODELS__RETRY_DELAY_MS", "1");
    let served = Served::on(&stand, &[]);
    served.upload("history/broad-street-outbreak-1854.md");
    assert_eq!(served.get("/api/settings")["default_model"], Value::Null);
    let change = json!({
        "values": {"models.main": "fake/model", "models.base_url": server.base_url(), "budget.max_tokens": 90_000},
        "keys": {"model": KEY},
    });
    let (status, told) = served.patch("/api/configuration", &change);
    assert_eq!(status, 200, "{told}");
    assert_eq!(setting(&told, "models.main")["set_by"], "page");
    assert_eq!(of(&told, "keys", "model")["set_by"], "page");
    assert_eq!(served.get("/api/settings")["default_model"], "fake/model");
    assert_eq!(served.get("/api/settings")["budget"]["max_tokens"], 90_000);

    let run = served.ask(QUESTION);
    served.follow(&run);
    let bearer = format!("Bearer {KEY}");
    assert_eq!(server.seen().pop().unwrap().header("authorization"), Some(bearer.as_str()));

    // In no answer, in no file of a run, in no bundle: in the file that keeps it, which is its owner's.
    let mut answers = vec![told.to_string()];
    for path in ["/api/configuration", "/api/settings", "/api/doctor", "/openapi.json", "/metrics"]
    {
        answers.push(served.text(&format!("GET {path}"), "text/plain", b"").1);
    }
    for part in ["", "/result", "/report", "/evidence", "/events", "/export?format=json"] {
        answers.push(served.text(&format!("GET /api/runs/{run}{part}"), "text/plain", b"").1);
    }
    assert!(answers.iter().all(|answer| !answer.contains("canary")), "{answers:#?}");
    let bundle = stand.path("run.bundle");
    let args = ["runs", "export", &run, "--format", "bundle", "--output", bundle.to_str().unwrap()];
    let told = stand.run(&args);
    assert_eq!(told.code, 0, "{told:?}");
    let (status, trials) = served.post("/api/configuration/try", &json!({"what": "model"}));
    assert_eq!((status, trials["trials"].as_array().unwrap().len()), (200, 1), "{trials}");
    drop(served);
    assert_eq!(with_key(stand.path("").as_path()), ["settings.json"]);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let kept = std::fs::metadata(stand.data().join("settings.json")).unwrap();
        assert_eq!(kept.permissions().mode() & 0o777, 0o600);
    }

    // The next start and the command line have it too, and say where it comes from.
    let shown = stand.run(&["config", "show"]);
    assert!(shown.out.contains("page settings"), "{shown:?}");
    assert!(!shown.out.contains("canary"), "{shown:?}");
    let served = Served::on(&stand, &["--quiet"]);
    assert_eq!(of(&served.get("/api/configuration"), "keys", "model")["set_by"], "page");
    let forgotten = json!({"values": {"models.main": null, "models.base_url": null}});
    let (status, told) = served.patch("/api/configuration", &forgotten);
    assert_eq!((status, &setting(&told, "models.main")["value"]), (200, &json!("")));
    assert_eq!(with_key(stand.path("").as_path()), Vec::<String>::new());
}

// proves: F3, D8
#[test]
fn what_is_set_elsewhere_wins_and_says_so() {
    let stand = Stand::new()
        .variable("QUAESTIO_SOURCES__CONTACT", "env@example.org")
        .variable("QUAESTIO_API_KEY", "canary-of-the-environment");
    stand.file(".config/quaestio/config.toml", "[budget]\nmax_tokens = 70000\n");
    let served = Served::on(&stand, &["--quiet", "--embedder", "hashing/words"]);
    let told = served.get("/api/configuration");
    for (key, set_by, place) in [
        ("sources.contact", "environment", "environment QUAESTIO_SOURCES__CONTACT"),
        ("budget.max_tokens", "file", "config.toml"),
        ("embedder.model", "command_line", "command line"),
    ] {
        let one = setting(&told, key);
        assert_eq!(one["set_by"], set_by, "{one}");
        assert!(one["place"].as_str().unwrap().contains(place), "{one}");
        assert!(one["fixed"].as_str().unwrap().contains(place), "{one}");
        let (status, refused) = served.patch("/api/configuration", &json!({"values": {key: "x"}}));
        assert_eq!(status, 409, "{refused}");
    }
    // A key of the environment is sent nowhere that the page says.
    let elsewhere =
        json!({"values": {"models.main": "openai/x", "models.base_url": "http://evil.example/v1"}});
    let (status, refused) = served.patch("/api/configuration", &elsewhere);
    assert_eq!(status, 409, "{refused}");
    assert!(
        refused["detail"].as_str().unwrap().contains("QUAESTIO_API_KEY is sent only"),
        "{refused}"
    );
    assert!(!refused.to_string().contains("canary"));
}

// proves: F3, D8
#[test]
fn what_cannot_be_is_refused_as_a_configuration_file_would_be_and_changes_nothing() {
    let stand = Stand::new();
    let served = Served::on(&stand, &["--quiet"]);
    for (values, why) in [
        (json!({"models.main": "gpt"}), "is not a model"),
        (json!({"models.main": "nobody/x"}), "unknown provider 'nobody'"),
        (json!({"models.main": "openai/x"}), "needs an API key"),
        (json!({"models.main": "ollama/x", "models.base_url": "no address"}), "invalid base URL"),
        (json!({"sources.contact": "nobody"}), "sources.contact must be an email address"),
        (json!({"sources.web.engine": "gopher"}), "unknown web search engine"),
        (json!({"sources.web.engine": "brave"}), "needs an API key"),
        (json!({"budget.max_cost_usd": -1}), "budget.max_cost_usd must be"),
        (json!({"budget.max_tokens": "many"}), "budget.max_tokens"),
        (json!({"budget.max_tokens": {"a": 1}}), "must be a text or a number"),
        (json!({"sources.contact": "a@b\nX: y"}), "control characters"),
        (json!({"data_dir": "/"}), "there is no setting 'data_dir'"),
        (json!({"server.tokens": "/etc/passwd"}), "there is no setting"),
    ] {
        let (status, refused) = served.patch("/api/configuration", &json!({ "values": values }));
        assert_eq!(status, 422, "{values}: {refused}");
        assert!(refused["detail"].as_str().unwrap().contains(why), "{values}: {refused}");
    }
    for (key, why) in [("", "is empty"), ("two words", "is not an API key"), ("k", "needs a model")]
    {
        let (status, refused) =
            served.patch("/api/configuration", &json!({"keys": {"model": key}}));
        let detail = refused["detail"].as_str().unwrap();
        assert!(
            status == 422 && (detail.contains(why) || detail.contains("needs a model")),
            "{refused}"
        );
    }
    assert!(!stand.data().join("settings.json").exists());
    // A key that is kept is forgotten with the service it is for.
    let set = json!({"values": {"models.main": "openai/x"}, "keys": {"model": KEY}});
    assert_eq!(served.patch("/api/configuration", &set).0, 200);
    let (status, told) = served.patch("/api/configuration", &json!({"keys": {"model": null}}));
    assert_eq!((status, &of(&told, "keys", "model")["set_by"]), (200, &Value::Null), "{told}");
    assert_eq!(served.patch("/api/configuration", &set).0, 200);
    let other = json!({"values": {"models.main": "groq/x"}});
    let (status, refused) = served.patch("/api/configuration", &other);
    assert!(status == 422 && refused.to_string().contains("needs an API key"), "{refused}");
    assert_eq!(served.get("/api/settings")["default_model"], "openai/x");
    let (status, told) =
        served.patch("/api/configuration", &json!({"values": {"models.main": "ollama/x"}}));
    assert_eq!((status, &of(&told, "keys", "model")["set_by"]), (200, &Value::Null), "{told}");
    assert_eq!(with_key(&stand.data()), Vec::<String>::new());
}

// proves: F3
#[test]
fn a_trial_says_plainly_what_came_and_masks_the_key_that_a_service_repeats() {
    let server = FakeModel::start(|_| Say::error(401, &format!("no such key: {KEY}")));
    let stand = Stand::new().without_services().variable("QUAESTIO_MODELS__RETRY_DELAY_MS", "1");
    let served = Served::on(&stand, &["--quiet"]);
    let (_, none) = served.post("/api/configuration/try", &json!({"what": "model"}));
    assert_eq!(none["trials"], json!([]));
    let change = json!({
        "values": {"models.main": "fake/model", "models.base_url": server.base_url()},
        "keys": {"model": KEY},
    });
    assert_eq!(served.patch("/api/configuration", &change).0, 200);
    let (_, told) = served.post("/api/configuration/try", &json!({"what": "model"}));
    let trial = &told["trials"][0];
    assert_eq!((&trial["outcome"], &trial["name"]), (&json!("key_refused"), &json!("fake/model")));
    assert!(trial["error"].as_str().unwrap().contains("***"), "{told}");
    assert!(!told.to_string().contains("canary"), "{told}");

    let checks = |told: &Value, name: &str| {
        let checks = told["checks"].as_array().unwrap();
        checks.iter().find(|one| one["name"] == name).unwrap().clone()
    };
    let seen = server.seen().len();
    let here = served.get("/api/doctor");
    for (name, state) in
        [("data folder", "ok"), ("database", "ok"), ("embedder", "warn"), ("model", "ok")]
    {
        assert_eq!(checks(&here, name)["state"], state, "{here}");
    }
    assert_eq!(server.seen().len(), seen, "nobody is asked");
    let (status, there) = served.post("/api/doctor", &json!({"network": true}));
    assert_eq!((status, &checks(&there, "model")["state"]), (200, &json!("fail")), "{there}");
    assert!(!there.to_string().contains("canary"), "{there}");
}
