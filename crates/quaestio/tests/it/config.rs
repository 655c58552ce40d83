//! Configuration in layers, and where each value came from.

use serde_json::Value;

use crate::stand::{QUESTION, Stand};

fn find_origin(shown: &Value, key: &str) -> (String, String) {
    let lines = shown.as_array().unwrap();
    let line = lines
        .iter()
        .find(|line| line["key"] == key)
        .unwrap_or_else(|| panic!("{key} is not in {shown}"));
    let text = |field: &str| line[field].as_str().unwrap().to_owned();
    (text("value"), text("origin"))
}

// proves: C8
#[test]
fn each_value_tells_which_layer_set_it_and_the_highest_wins() {
    let stand = Stand::new()
        .variable("QUAESTIO_ASK__CONTEXT_TOKENS", "900")
        .variable("QUAESTIO_MODEL", "ollama/m");
    stand.file(".config/quaestio/config.toml", "[ask]\ntop_k = 5\nscore_threshold = 0.3\ncontext_tokens = 1\n[agents.ask.writer]\ntemperature = 0.7\n");
    stand.file("quaestio.toml", "[ask]\ntop_k = 6\n");
    let shown =
        stand.run(&["config", "show", "--json", "--set", "ask.extractive_sentences=2"]).json();
    for (key, value, layer) in [
        ("ask.coverage_threshold", "0.5", "defaults"),
        ("ask.score_threshold", "0.3", "user file"),
        ("ask.top_k", "6", "project file"),
        ("ask.context_tokens", "900", "environment QUAESTIO_ASK__CONTEXT_TOKENS"),
        ("models.main", "\"ollama/m\"", "environment QUAESTIO_MODEL"),
        ("agents.ask.writer.temperature", "0.7", "user file"),
        ("ask.extractive_sentences", "2", "command line"),
    ] {
        let (found, origin) = find_origin(&shown, key);
        assert_eq!(found, value, "{key}");
        assert!(origin.starts_with(layer), "{key}: {origin}");
    }
    assert!(stand.run(&["config", "show"]).out.contains("ask.top_k = 6"));
}

// proves: C8
#[test]
fn a_wrong_setting_names_its_layer_and_key() {
    let stand = Stand::new();
    stand.run(&["config", "show", "--set", "ask.top_k=many"]).fails(2, "command line: ask.top_k");
    stand.run(&["config", "show", "--set", "ask.coverage_threshold=2"]).fails(2, "between 0 and 1");
    stand.run(&["config", "show", "--set", "ask.tpo_k=2"]).fails(2, "tpo_k");
    for (key, must) in [
        ("ask.deep.max_steps=1", "2 to 100"),
        ("ask.deep.max_questions=11", "at most 10"),
        ("ask.deep.recall_threshold=1.5", "between 0 and 1"),
        ("ask.deep.papers_read=201", "at most 200"),
        ("ask.deep.pages_read=101", "at most 100"),
    ] {
        let says = format!("command line: {} must be {must}", key.split('=').next().unwrap());
        stand.run(&["config", "show", "--set", key]).fails(2, &says);
    }
    stand.run(&["config", "show", "--set", "nonsense"]).fails(2, "key=value");
    stand.file("quaestio.toml", "[ask\n");
    stand.run(&["config", "show"]).fails(2, "not valid TOML");
    stand.run(&["config", "show", "--config", "/nowhere.toml"]).fails(2, "/nowhere.toml");
}

#[test]
fn the_folder_one_works_in_cannot_say_where_the_keys_are_sent() {
    let stand = Stand::new().variable("OPENAI_API_KEY", "sk-canary");
    stand.file(
        "quaestio.toml",
        "[models]\nmain = \"openai/gpt-4o\"\nbase_url = \"http://127.0.0.1:9/v1\"\n",
    );
    let told = stand.ask(QUESTION, &[]);
    told.fails(2, "base_url");
    stand.file("quaestio.toml", "[budget]\nmax_cost_usd = 0\n");
    stand.ask(QUESTION, &[]).fails(2, "budget.max_cost_usd");
}

// proves: C9
#[test]
fn a_prompts_folder_replaces_what_is_compiled_in_and_the_log_tells() {
    let server = fakes::FakeModel::start(crate::stand::honest);
    let stand = Stand::with_model(&server.base_url());
    stand.file(
        "prompts/ask/writer.md",
        "---\nversion: 9\nmax_tokens: 77\n---\n# Task\nAnswer like a pirate.\n",
    );
    let told = stand.ask(QUESTION, &["--set", "prompts.folder=prompts"]);
    assert_eq!(told.code, 0, "{told:?}");
    let seen = server.seen().pop().unwrap();
    assert!(seen.prompt().contains("like a pirate"));
    assert_eq!(seen.body["max_tokens"], 77);
    assert!(stand.run(&["runs", "events", "last"]).out.contains("\"prompt_version\":9"));
    stand.file("prompts/ask/writer.md", "Answer like a pirate.");
    stand.ask(QUESTION, &["--set", "prompts.folder=prompts"]).fails(2, "front matter");
}

#[test]
fn the_doctor_says_what_is_wrong_and_what_to_do() {
    let well = Stand::new().run(&["doctor"]);
    assert_eq!(well.code, 0, "{well:?}");
    for part in ["data folder", "database", "embedder", "model", "answers quote your documents"] {
        assert!(well.out.contains(part), "{part} is not in {well:?}");
    }
    let server = fakes::FakeModel::start(|_| fakes::Say::text(r#"{"answer": "ready"}"#));
    let told = Stand::with_model(&server.base_url()).run(&["doctor"]);
    assert_eq!(told.code, 0, "{told:?}");
    let server = fakes::FakeModel::start(|_| fakes::Say::error(401, "wrong key"));
    let told = Stand::with_model(&server.base_url()).run(&["doctor"]);
    assert_eq!(told.code, 1, "{told:?}");
    assert!(told.out.contains("FAIL") && told.out.contains("wrong key"), "{told:?}");
}

// proves: C3, C8
#[test]
fn an_agent_on_the_light_tier_speaks_with_the_light_model() {
    let server = fakes::FakeModel::start(crate::stand::honest);
    let stand = Stand::with_model(&server.base_url());
    let asked = |more: &[&str]| {
        let mut args = vec!["--light-model", "fake/small"];
        args.extend(more);
        assert_eq!(stand.ask(QUESTION, &args).code, 0);
        server.seen().pop().unwrap().body["model"].as_str().unwrap().to_owned()
    };
    assert_eq!(asked(&[]), "model");
    assert_eq!(asked(&["--set", "agents.ask.writer.tier=light"]), "small");
}

// proves: C8
#[test]
fn settings_hold_before_the_command_as_well_as_after_it() {
    let stand = Stand::new();
    let args = ["--set", "ask.top_k=5", "config", "--set=budget.max_steps=7", "show", "--set"];
    let told = stand.run(&[&args[..], &["ask.context_tokens=99", "--json"]].concat());
    let shown = told.json();
    for (key, value) in
        [("ask.top_k", "5"), ("budget.max_steps", "7"), ("ask.context_tokens", "99")]
    {
        let line = shown.as_array().unwrap().iter().find(|line| line["key"] == key).unwrap();
        assert_eq!((&line["value"], &line["origin"]), (&value.into(), &"command line".into()));
    }
}

// proves: C8
#[test]
fn a_stranger_s_folder_does_not_lift_what_reading_a_file_may_cost() {
    let stand = Stand::new();
    stand.file("quaestio.toml", "[corpus]\nfile_memory_bytes = 99999999999999\n");
    stand.run(&["config", "show"]).fails(2, "quaestio.toml may not set corpus.file_memory_bytes");
    stand.file("quaestio.toml", "[corpus]\nlarge_chunks = 1\n");
    stand.run(&["config", "show"]).fails(2, "quaestio.toml may not set corpus.large_chunks");
}

// proves: C8
#[test]
fn a_password_in_a_url_is_not_shown() {
    let url = "embedder.base_url=http://user:sekret@localhost/v1";
    let told = Stand::new().run(&["config", "show", "--set", url]);
    assert!(
        told.out.contains("http://***@localhost/v1") && !told.out.contains("sekret"),
        "{told:?}"
    );
}

// proves: C8
#[test]
fn what_a_file_says_of_a_strategy_holds_for_it_alone_and_right_above_the_file() {
    let stand = Stand::new().variable("QUAESTIO_VERSIONS__SEARCH__ASK__SEARCH__QUERIES", "5");
    stand.file(
        ".config/quaestio/config.toml",
        "[ask]\ntop_k = 4\n[versions.v003]\nask = { top_k = 5, context_tokens = 700 }\n[versions.market.budget]\nmax_steps = 9\n",
    );
    stand.file("quaestio.toml", "[ask]\ntop_k = 6\n[versions.rag.ask]\ntop_k = 7\n");
    let shown = |more: &[&str]| {
        let told = stand.run(&[&["config", "show", "--json"], more].concat());
        assert_eq!(told.code, 0, "{told:?}");
        told.json()
    };
    let usual = shown(&[]);
    let rag = shown(&["--for", "v003"]);
    let market = shown(&["--for", "market"]);
    let search = shown(&["--strategy", "search"]);
    for (shown, key, value, layer) in [
        (&usual, "ask.top_k", "6", "project file"),
        (&usual, "budget.max_steps", "50", "defaults"),
        (&rag, "ask.top_k", "7", "version rag, project file"),
        (&rag, "ask.context_tokens", "700", "version rag, user file"),
        (&market, "budget.max_steps", "9", "version market, user file"),
        (&market, "budget.max_tokens", "400000", "version market"),
        (&search, "ask.top_k", "6", "project file"),
        (&search, "ask.search.queries", "5", "version search, environment QUAESTIO_VERSIONS__"),
    ] {
        let (found, origin) = find_origin(shown, key);
        assert_eq!(found, value, "{key} of {layer}");
        assert!(origin.starts_with(layer), "{key}: {origin}");
    }
    assert!(!usual.to_string().contains("versions."), "{usual}");
}

// proves: C8
#[test]
fn a_version_that_is_none_or_sets_what_it_may_not_is_one_clear_error() {
    let stand = Stand::new();
    let told = stand.run(&["config", "show", "--for", "raj"]);
    told.fails(2, "there is no strategy or method 'raj'");
    assert!(told.err.contains("rag (v003)") && told.err.contains("market"), "{told:?}");
    for (file, says) in [
        ("[versions.raj]\n", "no strategy or method 'raj'"),
        ("[versions.ask]\n", "no strategy or method 'ask'"),
        ("[versions]\nrag = 3\n", "versions must be a table of tables"),
        ("[versions.rag.ask]\ntpo_k = 3\n", "no setting versions.rag.ask.tpo_k"),
        ("[versions.rag]\nuser = \"x\"\n", "versions.rag may not set user"),
        ("[versions.rag.versions.rag.ask]\ntop_k = 3\n", "may not set versions.rag.ask.top_k"),
        ("[versions.market.ask]\ntop_k = 3\n", "versions.market may not set ask.top_k"),
        ("[versions.rag]\n[versions.v003]\n", "both set the version rag"),
    ] {
        stand.file(".config/quaestio/config.toml", file);
        stand.run(&["config", "show"]).fails(2, says);
    }
    stand.file(".config/quaestio/config.toml", "[versions.rag.ask]\ntop_k = 0\n");
    assert_eq!(stand.run(&["config", "show"]).code, 0);
    stand.run(&["config", "show", "--for", "rag"]).fails(2, "version rag, user file");
    stand.ask(QUESTION, &["--strategy", "v003"]).fails(2, "ask.top_k must be above 0");
}

// proves: C8
#[test]
fn a_stranger_s_folder_may_set_no_more_for_a_strategy_than_for_all() {
    let stand = Stand::new();
    for key in [
        "budget.max_steps = 999",
        "ask.search.papers_read = 99",
        "ask.deep.max_steps = 99",
        "models.main = \"a/b\"",
    ] {
        stand.file("quaestio.toml", format!("[versions.rag]\n{key}\n"));
        let key = key.split(' ').next().unwrap();
        stand
            .run(&["config", "show"])
            .fails(2, &format!("quaestio.toml may not set versions.rag.{key}"));
    }
}

// proves: C8
#[test]
fn a_profile_lies_above_the_files_and_below_the_environment() {
    let stand = Stand::new().variable("QUAESTIO_ASK__CONTEXT_TOKENS", "901");
    let own = "profile = \"mine\"\n[ask]\ntop_k = 4\n[profiles.mine.ask]\ntop_k = 5\ncontext_tokens = 9\n\
               [profiles.mine.versions.rag.ask]\nextractive_sentences = 3\n[profiles.quick.ask]\ntop_k = 11\n";
    stand.file(".config/quaestio/config.toml", own);
    stand.file("quaestio.toml", "[ask]\ntop_k = 6\n[profiles.theirs.ask]\ntop_k = 7\n[profiles.mine.ask]\ncoverage_threshold = 0.4\n");
    let shown = |stand: &Stand, more: &[&str]| {
        let told = stand.run(&[&["config", "show", "--json"], more].concat());
        assert_eq!(told.code, 0, "{told:?}");
        told.json()
    };
    let mine = shown(&stand, &["--for", "rag"]);
    let quick = shown(&stand, &["--profile", "quick"]);
    let none = shown(&stand, &["--profile", "", "--set", "ask.extractive_coverage=0.2"]);
    let stand = stand.variable("QUAESTIO_PROFILE", "theirs");
    let theirs = shown(&stand, &[]);
    for (shown, key, value, layer) in [
        (&mine, "profile", "\"mine\"", "user file"),
        (&mine, "ask.top_k", "5", "profile mine, user file"),
        (&mine, "ask.coverage_threshold", "0.4", "profile mine, project file"),
        (&mine, "ask.context_tokens", "901", "environment QUAESTIO_ASK__CONTEXT_TOKENS"),
        (&mine, "ask.extractive_sentences", "3", "version rag, profile mine, user file"),
        (&quick, "profile", "\"quick\"", "command line"),
        (&quick, "ask.top_k", "11", "profile quick, user file"),
        (&quick, "ask.search.queries", "1", "profile quick"),
        (&none, "ask.top_k", "6", "project file"),
        (&none, "ask.extractive_coverage", "0.2", "command line"),
        (&theirs, "profile", "\"theirs\"", "environment QUAESTIO_PROFILE"),
        (&theirs, "ask.top_k", "7", "profile theirs, project file"),
    ] {
        let (found, origin) = find_origin(shown, key);
        assert_eq!(found, value, "{key} of {layer}");
        assert!(origin.starts_with(layer), "{key}: {origin}");
    }
}

// proves: C8
#[test]
fn a_profile_that_is_none_is_one_clear_error_that_lists_those_there_are() {
    let stand = Stand::new();
    stand.file(".config/quaestio/config.toml", "[profiles.mine]\n");
    for args in [&["config", "show", "--profile", "mien"][..], &["--profile", "mien", "doctor"]] {
        let told = stand.run(args);
        told.fails(2, "command line: there is no profile 'mien'");
        assert!(told.err.contains("mine, quick, thorough"), "{told:?}");
    }
    for (file, says) in [
        ("[profiles]\nmine = 3\n", "profiles must be a table of tables"),
        ("[profiles.mine.ask]\ntpo_k = 3\n", "no setting profiles.mine.ask.tpo_k"),
        ("[profiles.mine]\nprofile = \"quick\"\n", "a profile cannot choose another profile"),
        (
            "[profiles.mine.profiles.x.ask]\ntop_k = 3\n",
            "no setting profiles.mine.profiles.x.ask.top_k",
        ),
        ("[profiles.mine.versions.raj]\n", "no strategy or method 'raj'"),
        ("profile = 5\n", "profile must be a text"),
        ("profile = \"gone\"\n", "config.toml: there is no profile 'gone'"),
    ] {
        stand.file(".config/quaestio/config.toml", file);
        stand.run(&["config", "show"]).fails(2, says);
    }
    stand.file(".config/quaestio/config.toml", "[profiles.mine.ask]\ntop_k = 0\n");
    stand.run(&["ask", QUESTION, "--profile", "mine"]).fails(2, "profile mine, user file");
    let set = ["config", "show", "--set", "profiles.mine.ask.top_k=3"];
    stand.run(&set).fails(2, "a profile can only be defined in a file");
}

// proves: C8
#[test]
fn a_stranger_s_folder_may_set_no_more_in_a_profile_and_chooses_none() {
    let stand = Stand::new();
    for (file, key) in [
        ("profile = \"thorough\"\n", "profile"),
        (
            "[profiles.quick.models]\nbase_url = \"http://127.0.0.1:9\"\n",
            "profiles.quick.models.base_url",
        ),
        (
            "[profiles.quick.versions.rag.budget]\nmax_steps = 9\n",
            "profiles.quick.versions.rag.budget.max_steps",
        ),
        ("[profiles.x.ask.search]\nqueries = 9\n", "profiles.x.ask.search.queries"),
    ] {
        stand.file("quaestio.toml", file);
        stand.run(&["config", "show"]).fails(2, &format!("quaestio.toml may not set {key}"));
    }
}
