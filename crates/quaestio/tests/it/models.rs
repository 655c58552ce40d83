//! `quaestio models`: what there is, what it costs, and whether it does what runs need.

use std::net::TcpListener;

use fakes::{Asks, FakeModel, Judgement, Say, USAGE, is_reader, readings};
use serde_json::{Value, json};

use crate::stand::{QUESTION, Stand, honest};

const KEY: &str = "sk-canary-0123456789abcdef";
const OTHER_KEY: &str = "sk-other-9876543210fedcba";

/// A server with models that answers as it is asked to.
fn willing() -> FakeModel {
    FakeModel::start(|seen| match seen.asks() {
        Asks::Models => Say::Models(vec!["gull-small".into(), "gull-large".into()]),
        _ => Say::text(r#"{"answer": "ready"}"#),
    })
}

fn open_stand(provider: &str, server: &FakeModel) -> Stand {
    Stand::with_model(&server.base_url())
        .variable("QUAESTIO_MODEL", &format!("{provider}/gull-large"))
        .variable("QUAESTIO_API_KEY", KEY)
}

fn find_offer<'a>(offers: &'a Value, provider: &str) -> &'a Value {
    let offers = offers.as_array().unwrap();
    offers.iter().find(|offer| offer["provider"] == provider).unwrap()
}

// proves: C8
#[test]
fn a_list_names_what_the_configured_provider_offers_and_what_it_costs() {
    for provider in ["fake", "openai", "anthropic", "gemini"] {
        let server = willing();
        let variable = format!("QUAESTIO_PRICES__{}__GULL-SMALL", provider.to_uppercase());
        let stand = open_stand(provider, &server)
            .variable(&variable, "{input=2.0,cached_input=0.5,output=10.0}");
        let told = stand.run(&["models", "list", "--provider", provider]);
        assert_eq!(told.code, 0, "{told:?}");
        assert!(told.out.contains(&server.base_url()), "{told:?}");
        let line = |model: &str| {
            let name = format!("  {provider}/{model} ");
            told.out.lines().find(|line| line.starts_with(&name)).unwrap().to_owned()
        };
        assert!(line("gull-small").ends_with("2 in, 0.5 cached, 10 out"), "{told:?}");
        assert!(line("gull-large").ends_with("price unknown"), "{told:?}");
        let told = stand.run(&["models", "list", "--provider", provider, "--json"]);
        let listed = told.json();
        let models = &find_offer(&listed, provider)["models"];
        assert_eq!(models[0]["id"], format!("{provider}/gull-large"));
        assert_eq!(models[1]["price"], json!({"input": 2.0, "cached_input": 0.5, "output": 10.0}));
        for seen in server.seen() {
            assert!(!seen.path.contains("canary") && seen.headers.matches(KEY).count() == 1);
        }
        assert!(!format!("{told:?}").contains("canary"));
    }
    let server = willing();
    let told = Stand::new().variable("QUAESTIO_BASE_URL", &server.base_url()).run(&[
        "models",
        "list",
        "--provider",
        "ollama",
    ]);
    assert!(told.out.contains("free"), "{told:?}");
}

// proves: C8
#[test]
fn a_provider_that_cannot_be_asked_says_why_and_what_to_do() {
    let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let stand = Stand::new().variable("QUAESTIO_BASE_URL", &format!("http://{closed}/v1"));
    let told = stand.run(&["models", "list", "--provider", "vllm"]);
    assert_eq!(told.code, 1, "{told:?}");
    assert!(
        told.out.contains("not reachable") && told.out.contains("is the server running"),
        "{told:?}"
    );
    for (provider, variable) in [
        ("openai", "OPENAI_API_KEY"),
        ("anthropic", "ANTHROPIC_API_KEY"),
        ("gemini", "GEMINI_API_KEY"),
    ] {
        let told = Stand::new().run(&["models", "list", "--provider", provider]);
        assert_eq!(told.code, 1, "{told:?}");
        assert!(told.out.contains(&format!("no API key; set {variable}")), "{told:?}");
    }
    let told = Stand::new().run(&["models", "list", "--provider", "acme"]);
    assert!(told.code == 1 && told.out.contains("--base-url"), "{told:?}");
    for (status, advice) in
        [(401, "check the API key"), (404, "check the name"), (500, "try again")]
    {
        let server = FakeModel::start(move |_| Say::error(status, KEY));
        let told = stand_at(&server).run(&["models", "list", "--provider", "fake"]);
        assert_eq!(told.code, 1, "{told:?}");
        assert!(told.out.contains(advice), "{told:?}");
        assert!(!format!("{told:?}").contains("canary"), "{told:?}");
    }
}

fn stand_at(server: &FakeModel) -> Stand {
    open_stand("fake", server)
}

// proves: C5
#[test]
fn a_key_goes_to_the_provider_it_is_for_and_to_no_other() {
    let server = willing();
    // A provider's own key is for its own address, and ours for the configured provider.
    let told = stand_at(&server).variable("OPENAI_API_KEY", OTHER_KEY).run(&[
        "models",
        "list",
        "--provider",
        "fake",
        "--json",
    ]);
    assert_eq!(told.code, 0, "{told:?}");
    let seen = server.seen();
    assert!(seen.iter().all(|seen| !seen.headers.contains(OTHER_KEY)));
    assert!(seen.iter().all(|seen| seen.headers.contains(KEY)));
    // A provider that is not configured is not asked with our key, wherever it is.
    let told = stand_at(&server).run(&["models", "list", "--provider", "mistral"]);
    assert!(told.out.contains("no API key; set MISTRAL_API_KEY"), "{told:?}");
    assert_eq!(server.seen().len(), seen.len());
    // Nor is any where none is configured and none is named.
    let stand = Stand::new().variable("QUAESTIO_API_KEY", KEY);
    let listed = stand.run(&["models", "list", "--json"]).json();
    for provider in ["openai", "anthropic", "gemini", "openrouter", "mistral", "groq", "deepseek"] {
        let offer = find_offer(&listed, provider);
        assert_eq!(offer["asked"], false);
        assert!(offer["reason"].as_str().unwrap().contains("no API key; set"), "{offer}");
    }
}

// proves: C3, C8
#[test]
fn a_test_says_what_works() {
    let (input, cached, output) = USAGE;
    for (provider, protocol) in [
        ("fake", "OpenAI chat completions"),
        ("anthropic", "Anthropic Messages"),
        ("gemini", "Gemini generateContent"),
    ] {
        let server = willing();
        let prices = format!("QUAESTIO_PRICES__{}__GULL-LARGE", provider.to_uppercase());
        let stand = open_stand(provider, &server)
            .variable(&prices, "{input=2.0,cached_input=1.0,output=10.0}");
        let told = stand.run(&["models", "test", "--json"]);
        assert_eq!(told.code, 0, "{told:?}");
        let report = &told.json()[0];
        assert_eq!(report["model"], format!("{provider}/gull-large"));
        assert_eq!((&report["reached"], &report["error"]), (&json!(true), &Value::Null));
        assert_eq!(report["protocol"], protocol);
        assert_eq!(report["structured_output"], "JSON Schema");
        assert_eq!(report["streaming"], true);
        assert!(report["first_word_ms"].as_u64() <= report["total_ms"].as_u64());
        assert_eq!(report["input_tokens"], input);
        assert_eq!(report["cached_tokens"], cached);
        assert_eq!(report["output_tokens"], output);
        let micros = (input - cached) * 2 + cached + output * 10;
        assert_eq!(report["cost_usd"], micros as f64 / 1e6);
        assert_eq!(server.seen().len(), 1, "one tiny call");
        let told = stand.run(&["models", "test"]);
        assert!(told.out.starts_with(&format!("ok    {provider}/gull-large")), "{told:?}");
        for part in [
            protocol,
            "JSON Schema",
            "yes, first word after",
            "100 in (40 cached), 20 out",
            "$0.000360",
        ] {
            assert!(told.out.contains(part), "{part} is not in {told:?}");
        }
    }
}

// proves: C3, C16
#[test]
fn a_question_is_answered_alike_in_every_protocol() {
    let (input, cached, output) = USAGE;
    for provider in ["fake", "anthropic", "gemini"] {
        for stream in ["true", "false"] {
            let server = FakeModel::start(honest);
            let prices = format!("QUAESTIO_PRICES__{}__GULL-LARGE", provider.to_uppercase());
            let stand = open_stand(provider, &server)
                .variable("QUAESTIO_MODELS__STREAM", stream)
                .variable(&prices, "{input=2.0,cached_input=1.0,output=10.0}");
            let told = stand.ask(QUESTION, &["--format", "json"]);
            assert_eq!(told.code, 0, "{told:?}");
            let result = told.json();
            assert_eq!(
                result["grounding"],
                json!({"quoted": 2, "recomputed": 0, "supported": 0, "inferred": 0, "unsupported": 0})
            );
            assert_eq!(result["models"]["main"], format!("{provider}/gull-large"));
            for (key, count) in
                [("input_tokens", input), ("cached_tokens", cached), ("output_tokens", output)]
            {
                assert_eq!(result["usage"][key], count, "{provider}");
            }
            assert_eq!(
                result["cost_usd"],
                ((input - cached) * 2 + cached + output * 10) as f64 / 1e6
            );
            let seen = server.seen();
            assert_eq!((seen.len(), seen[0].streamed()), (1, stream == "true"));
        }
    }
}

// proves: C3
#[test]
fn a_test_tells_the_form_that_worked_and_tries_both_models() {
    let server = FakeModel::start(|seen| {
        match (seen.form(), seen.streamed()) {
        ("json_schema", _) => Say::error(400, "response_format json_schema is not supported"),
        _ if seen.model() == "gull-small" => Say::Status {
            status: 200,
            headers: vec![],
            content_type: "application/json",
            body: json!({"choices": [{"message": {"content": "{\"answer\": \"ready\"}"}, "finish_reason": "stop"}]}).to_string(),
        },
        _ => Say::text("```json\n{\"answer\": \"ready\"}\n```"),
    }
    });
    let told =
        stand_at(&server).run(&["models", "test", "--light-model", "fake/gull-small", "--json"]);
    assert_eq!(told.code, 0, "{told:?}");
    let reports = told.json();
    let of = |index: usize, key: &str| reports[index][key].clone();
    assert_eq!(
        (of(0, "model"), of(1, "model")),
        (json!("fake/gull-large"), json!("fake/gull-small"))
    );
    assert_eq!((of(0, "structured_output"), of(0, "streaming")), (json!("JSON mode"), json!(true)));
    assert_eq!((of(1, "streaming"), of(1, "cost_usd")), (json!(false), Value::Null));
}

// proves: C2, C8
#[test]
fn a_test_that_fails_says_what_to_do() {
    for (say, error, advice) in [
        (
            Say::error(401, KEY),
            "status 401",
            "check the API key in QUAESTIO_API_KEY or ANTHROPIC_API_KEY",
        ),
        (
            Say::error(404, "no such model"),
            "no such model",
            "quaestio models list --provider anthropic",
        ),
        (Say::limited("3600"), "is limiting requests", "wait a while"),
        (Say::error(529, "Overloaded"), "Overloaded", "try again later"),
        (Say::text("I am ready."), "is not the requested object", "structured replies"),
        (
            Say::Text { text: "{\"answer\":".into(), finish: "length" },
            "was cut off",
            "structured replies",
        ),
        (
            Say::Unended("{\"answer\": \"ready\"}".into()),
            "stopped before its end",
            "check the name",
        ),
    ] {
        let server = FakeModel::start(move |_| say.clone());
        let stand = open_stand("anthropic", &server);
        let told = stand.run(&["models", "test"]);
        assert_eq!(told.code, 1, "{told:?}");
        assert!(told.out.starts_with("FAIL") && told.out.contains(error), "{told:?}");
        assert!(told.out.contains(advice), "{told:?}");
        let told = stand.run(&["models", "test", "--json"]);
        assert_eq!(told.code, 1, "{told:?}");
        assert!(told.json()[0]["error"].as_str().unwrap().contains(error));
        assert!(!format!("{told:?}").contains("canary"), "{told:?}");
    }
    let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let nobody = Stand::with_model(&format!("http://{closed}/v1/")).run(&["models", "test"]);
    assert_eq!(nobody.code, 1, "{nobody:?}");
    assert!(
        nobody.out.contains("could not reach fake/model") && nobody.out.contains("--base-url"),
        "{nobody:?}"
    );
    let told = Stand::new().run(&["models", "test", "gemini/gemini-2.5-flash"]);
    assert_eq!(told.code, 1, "{told:?}");
    assert!(told.out.contains("Set GEMINI_API_KEY"), "{told:?}");
    Stand::new().run(&["models", "test"]).fails(2, "no model is configured");
}

/// The claims of the set that readers are measured with, each with whether it holds.
fn labelled() -> Vec<(String, bool)> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../methods/calibration/claims.jsonl");
    let lines = std::fs::read_to_string(path).unwrap();
    lines
        .lines()
        .map(|line| {
            let line: Value = serde_json::from_str(line).unwrap();
            (line["claim"].as_str().unwrap().to_owned(), line["label"] != "refuse")
        })
        .collect()
}

/// A server whose models write an answer from the pump's document; `judge` says what a reader of this name says of a claim.
fn readers(
    judge: impl Fn(&str, &fakes::Exhibit) -> Judgement + Send + Sync + 'static,
) -> (FakeModel, Stand) {
    let server = FakeModel::start(move |seen| match is_reader(seen) {
        true => Say::json(&readings(seen, |exhibit| judge(&seen.model(), exhibit))),
        false => Say::text("They took the handle off on 8 September 1854. [1.3]"),
    });
    let stand = Stand::with_model(&server.base_url());
    let file = stand.file(
        "docs/kb/pump.md",
        "# The pump\n\nThe parish met. The handle was removed on 8 September 1854.\n",
    );
    stand.run(&["ingest", file.to_str().unwrap(), "--collection", "kb"]);
    (server, stand)
}

fn answered(stand: &Stand) -> Value {
    let asked = ["ask", "When was the handle removed?", "--collection", "kb", "--format", "json"];
    stand.run(&asked).json()
}

// proves: C20
#[test]
fn a_reader_is_measured_and_every_result_says_how_well_it_reads() {
    let known = labelled();
    let honest = fakes::knowing(known.iter().map(|(claim, holds)| (claim.as_str(), *holds)));
    let (_server, stand) = readers(move |_, exhibit| match honest(exhibit) {
        _ if exhibit.claim.starts_with("They took") => Judgement::Supported,
        judgement => judgement,
    });
    let before = answered(&stand);
    assert_eq!(before["deliverable"]["reader"]["calibration"], "not calibrated");
    let told = stand.run(&["models", "test", "--reader"]);
    assert_eq!(told.code, 0, "{told:?}");
    assert!(told.out.contains("ok    fake/model let 0 of 132 (0.0 %"), "{}", told.out);
    assert!(told.out.contains("      de: let 0 of 42"), "{}", told.out);
    let after = answered(&stand);
    let reader = &after["deliverable"]["reader"];
    assert!(reader["calibration"].as_str().unwrap().starts_with("let 0 of 132"), "{reader}");
    assert_eq!(reader["figures"]["fake/model"]["false_passes"], 0, "{reader}");
    assert_eq!(after["grounding"]["supported"], 1);
    assert!(after["usage"]["reading"]["input_tokens"].as_u64() > Some(0), "{}", after["usage"]);
    let shown = stand.run(&["ask", "When was the handle removed?", "--collection", "kb"]).out;
    assert!(shown.contains("Second reader: fake/model, let 0 of 132"), "{shown}");
    assert!(shown.contains("Of which checking claims: "), "{shown}");
}

// proves: C20
#[test]
fn a_reader_that_is_no_better_than_chance_is_not_asked_and_the_result_says_so() {
    for judgement in [Judgement::Supported, Judgement::Unrelated] {
        let (server, stand) = readers(move |_, _| judgement.clone());
        let told = stand.run(&["models", "test", "--reader", "--json"]);
        assert_eq!((told.code, &told.json()[0]["reads"]), (1, &json!(false)), "{told:?}");
        let before = server.seen().iter().filter(|seen| is_reader(seen)).count();
        let result = answered(&stand);
        let asked = server.seen().iter().filter(|seen| is_reader(seen)).count();
        assert_eq!(asked, before, "nobody is asked who does not read");
        assert_eq!(result["grounding"]["supported"], 0);
        let warnings = result["warnings"].to_string();
        assert!(warnings.contains("no second reader checked the sentences"), "{warnings}");
    }
}

// proves: C20
#[test]
fn of_several_readers_the_majority_counts() {
    for (lenient, supported) in [(1, 0), (2, 1)] {
        let (server, stand) = readers(move |model, _| {
            let number: u32 = model.trim_start_matches('r').parse().unwrap();
            if number <= lenient { Judgement::Supported } else { Judgement::Unrelated }
        });
        let stand = stand.variable("QUAESTIO_MODELS__READERS", "fake/r1,fake/r2,fake/r3");
        let result = answered(&stand);
        assert_eq!(result["grounding"]["supported"], supported, "{result:#}");
        assert_eq!(result["deliverable"]["reader"]["model"], "fake/r1, fake/r2, fake/r3");
        let models: std::collections::BTreeSet<String> =
            server.seen().iter().filter(|seen| is_reader(seen)).map(fakes::Seen::model).collect();
        assert_eq!(models.len(), 3);
    }
}

// proves: C20
#[test]
fn those_who_read_no_better_than_chance_have_no_vote_as_long_as_their_figures_are_of_now() {
    let known = labelled();
    let honest = fakes::knowing(known.iter().map(|(claim, holds)| (claim.as_str(), *holds)));
    let (_server, stand) = readers(move |model, exhibit| match model {
        "r3" => honest(exhibit),
        _ => Judgement::Supported,
    });
    let stand = stand.variable("QUAESTIO_MODELS__READERS", "fake/r1,fake/r2,fake/r3");
    let outvoted = answered(&stand);
    assert_eq!(outvoted["grounding"]["supported"], 1, "{outvoted:#}");
    for model in ["fake/r1", "fake/r2", "fake/r3"] {
        stand.run(&["models", "test", model, "--reader"]);
    }
    let result = answered(&stand);
    assert_eq!(result["grounding"]["supported"], 0, "{result:#}");
    let told = "not asked as a second reader: fake/r1, fake/r2 read no better than chance";
    assert!(result["warnings"].to_string().contains(told), "{}", result["warnings"]);
    // Figures of another set say nothing of now.
    let kept = stand.data().join("readers.json");
    let mut figures: Value = serde_json::from_slice(&std::fs::read(&kept).unwrap()).unwrap();
    for figure in figures.as_object_mut().unwrap().values_mut() {
        figure["set"] = "another".into();
    }
    std::fs::write(&kept, figures.to_string()).unwrap();
    let result = answered(&stand);
    assert_eq!(result["grounding"]["supported"], 1, "{result:#}");
    let calibration = result["deliverable"]["reader"]["calibration"].to_string();
    assert!(calibration.contains("not calibrated"), "{calibration}");
}
