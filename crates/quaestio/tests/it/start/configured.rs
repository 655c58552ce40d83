//! `config show`, `config search` and `doctor`, as a person meets them.

use fakes::{FakeModel, Say};

use crate::stand::Stand;

// proves: C8, F1
#[test]
fn the_settings_that_matter_come_first_and_the_rest_is_found() {
    let stand = Stand::new().variable("QUAESTIO_MODEL", "ollama/m");
    stand.file(".config/quaestio/config.toml", "[ask]\ntop_k = 5\n");
    let told = stand.run(&["config", "show"]);
    let lines: Vec<&str> = told.out.lines().filter(|line| line.contains(" = ")).collect();
    assert_eq!(lines.len(), 13, "twelve, and the one that was set: {told:?}");
    assert!(lines[0].starts_with("models.main = \"ollama/m\""), "{told:?}");
    assert!(told.out.contains("ask.top_k = 5"), "{told:?}");
    assert!(told.out.contains("`quaestio config show --all`"), "{told:?}");
    let all = stand.run(&["config", "show", "--all"]).out;
    let keys = stand.run(&["config", "show", "--format", "json"]).json();
    assert_eq!(
        all.lines().filter(|line| line.contains(" = ")).count(),
        keys.as_array().unwrap().len()
    );

    for one in keys.as_array().unwrap() {
        assert!(one["meaning"].as_str().is_some_and(|text| text.len() > 12), "{one}");
    }
    let told = stand.run(&["config", "show", "ask.top_k"]);
    for says in [
        "ask.top_k = 5\n  Passages to retrieve.",
        "default  8",
        "set by   user file",
        "top_k = … under [ask]",
        "QUAESTIO_ASK__TOP_K=…",
        "--set ask.top_k=…",
    ] {
        assert!(told.out.contains(says), "{says}: {told:?}");
    }
    let told = stand.run(&["config", "show", "ask.report.quick"]);
    assert!(told.out.contains("ask.report.quick.rounds = 1"), "{told:?}");
    assert!(!told.out.contains("ask.report.standard.rounds = "), "{told:?}");
    let told = stand.run(&["config", "show", "models.main", "--json"]).json();
    assert_eq!(told.as_array().unwrap().len(), 1);
    assert_eq!((&told[0]["default"], &told[0]["variable"]), (&"".into(), &"QUAESTIO_MODEL".into()));
    let told = stand.run(&["config", "show", "tpo_k"]);
    told.fails(2, "there is no setting 'tpo_k'");
    let told = stand.run(&["config", "show", "answer.top_k"]);
    told.fails(2, "did you mean ask.top_k");

    let told = stand.run(&["config", "search", "mail", "address"]);
    assert!(told.code == 0 && told.out.contains("sources.contact = "), "{told:?}");
    stand.run(&["config", "search", "gulls"]).fails(1, "no setting mentions 'gulls'");
}

// proves: F1
#[test]
fn the_doctor_asks_each_source_once_and_says_what_to_do() {
    let limited = FakeModel::start(|_| Say::limited("30"));
    let refused = FakeModel::start(|_| Say::error(403, "who are you"));
    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let stand = Stand::new()
        .variable("QUAESTIO_SOURCES__ASKED", "crossref,openalex,arxiv")
        .variable("QUAESTIO_HYPOTHESIZE__ASKED", "crossref")
        .variable("QUAESTIO_MARKET__ASKED", "crossref")
        .variable("QUAESTIO_SOURCES__BASE_URLS__CROSSREF", &limited.base_url())
        .variable("QUAESTIO_SOURCES__BASE_URLS__OPENALEX", &refused.base_url())
        .variable("QUAESTIO_SOURCES__BASE_URLS__ARXIV", &format!("http://{closed}"));
    let told = stand.run(&["doctor"]);
    assert_eq!(told.code, 1, "{told:?}");
    for says in [
        "warn  crossref: Crossref is limiting requests and asks to wait 30 s; wait",
        "FAIL  openalex: OpenAlex refused the request",
        "warn  arxiv: could not reach arXiv",
    ] {
        assert!(told.out.contains(says), "{says}: {told:?}");
    }
    assert_eq!((limited.seen().len(), refused.seen().len()), (1, 1));
    let told = stand.run(&["doctor", "--no-network", "--format", "json"]);
    let page = told.json();
    assert_eq!((told.code, &page["healthy"]), (0, &true.into()), "{page:#}");
    let checks = page["checks"].as_array().unwrap();
    let sources = checks.iter().find(|check| check["name"] == "sources").unwrap();
    assert!(sources["found"].as_str().unwrap().ends_with("not tried"), "{page:#}");
    assert_eq!((limited.seen().len(), refused.seen().len()), (1, 1), "nobody is asked");

    // One network that is not there is told once.
    let closed = format!("http://{closed}");
    let mut stand = Stand::new().variable("QUAESTIO_HYPOTHESIZE__ASKED", "crossref");
    for name in ["CROSSREF", "OPENALEX", "ARXIV"] {
        stand = stand.variable(&format!("QUAESTIO_SOURCES__BASE_URLS__{name}"), &closed);
    }
    let told = stand.run(&["doctor"]);
    assert_eq!(told.code, 0, "{told:?}");
    assert_eq!(told.out.matches("could not reach").count(), 1, "{told:?}");
    assert!(told.out.contains("warn  sources: none could be reached"), "{told:?}");
}
