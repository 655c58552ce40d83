//! Retrieval by meaning through the program: the embedder from the configuration, the manifest, the refusals.

use fakes::{Asks, FakeModel, Say};
use serde_json::Value;

use crate::stand::{QUESTION, Stand, examples};

const DIMENSIONS: usize = 64;

/// A server that makes vectors out of words.
fn start_server() -> FakeModel {
    FakeModel::start(|seen| match seen.asks() {
        Asks::Vectors => Say::Vectors { dimensions: DIMENSIONS },
        _ => Say::error(404, "only vectors here"),
    })
}

fn build_stand(server: &FakeModel) -> Stand {
    Stand::new()
        .variable("QUAESTIO_EMBEDDER", "fake/words")
        .variable("QUAESTIO_EMBEDDER__BASE_URL", &server.base_url())
        .variable("QUAESTIO_MODELS__RETRY_DELAY_MS", "1")
}

fn ingest(stand: &Stand, more: &[&str]) -> crate::stand::Told {
    let docs = examples();
    let mut args = vec!["ingest", docs.to_str().unwrap(), "--collection", "cholera"];
    args.extend(more);
    stand.run(&args)
}

// proves: A3, A7
#[test]
fn a_collection_with_vectors_names_its_embedder_and_is_searched_by_meaning() {
    let server = start_server();
    let stand = build_stand(&server);
    let told = ingest(&stand, &[]);
    assert_eq!(told.code, 0, "{told:?}");
    let shown = stand.run(&["collections", "show", "cholera", "--json"]).json();
    let embedder = &shown["collection"]["manifest"]["embedder"];
    assert_eq!(embedder["model"], "fake/words");
    assert_eq!(embedder["dimensions"], DIMENSIONS);
    let shown = stand.run(&["collections", "show", "cholera"]).out;
    assert!(shown.contains("embedder: fake/words (64 dimensions)"), "{shown}");

    let before = server.seen().len();
    let told = stand.run(&["ask", QUESTION, "--collection", "cholera", "--format", "json"]);
    assert_eq!(told.code, 0, "{told:?}");
    assert!(told.json()["answer"].as_str().unwrap().contains("8 September 1854"), "{told:?}");
    let asked = &server.seen()[before..];
    assert!(asked.iter().any(|seen| seen.body["input"][0] == QUESTION), "{asked:?}");
    // Without a model the foremost statements are compared with the question as well.
    let statements = asked.last().unwrap().body["input"].as_array().unwrap();
    let is_there = |one: &Value| one.as_str().unwrap().contains("8 September 1854");
    assert!(statements.len() > 3 && statements.iter().any(is_there), "{statements:?}");
    let retrieved = find_retrieval(&stand);
    assert!(retrieved["value"]["cosines"]["best"].as_f64().unwrap() > 0.3, "{retrieved}");
    assert!(retrieved["value"]["passages"][0]["score"].as_f64().unwrap() < 0.04, "{retrieved}");
    // What stood there is not embedded again, whatever is said of it once more.
    for more in [&[][..], &["--meta", "shelf=3"], &["--meta", "shelf=3"]] {
        let before = server.seen().len();
        let told = ingest(&stand, more);
        assert_eq!(told.code, 0, "{told:?}");
        let seen = &server.seen()[before..];
        let texts: usize =
            seen.iter().map(|seen| seen.body["input"].as_array().unwrap().len()).sum();
        let anew = told.out.contains("8 replaced");
        assert!(anew || told.out.contains("8 unchanged, 0 removed; 0 passages"), "{told:?}");
        assert_eq!(texts, 1, "the word that tells the dimensions");
    }
    assert!(ingest(&stand, &["--meta", "shelf=4"]).out.contains("8 replaced"));
}

// proves: A3
#[test]
fn a_question_in_other_words_is_answered_where_its_meaning_is_near() {
    // A server to whom an owl and a night bird are the same.
    let server = FakeModel::start(|seen| {
        let texts = seen.body["input"].as_array().unwrap();
        let vector = |text: &Value| {
            let text = text.as_str().unwrap().to_lowercase();
            let has = |words: &[&str]| words.iter().any(|word| text.contains(word));
            match (has(&["owl", "night bird"]), has(&["harbour", "ship"])) {
                (true, _) => [1.0, 0.0, 0.0],
                (_, true) => [0.0, 1.0, 0.0],
                _ => [0.0, 0.0, 1.0],
            }
        };
        let data: Vec<Value> =
            texts.iter().map(|text| serde_json::json!({ "embedding": vector(text) })).collect();
        Say::Status {
            status: 200,
            headers: vec![],
            content_type: "application/json",
            body: serde_json::json!({ "data": data }).to_string(),
        }
    });
    let stand = build_stand(&server);
    for number in 0..30 {
        let text = format!("# Harbour {number}\n\nShips come and go.");
        stand.file(&format!("docs/{number}.md"), text);
    }
    stand.file("docs/owls.md", "# Owls\n\nOwls hunt rodents after dusk and glide without a sound.");
    assert_eq!(stand.run(&["ingest", "docs"]).code, 0);
    let ask = |question: &str| {
        let told = stand.run(&["ask", question]);
        told.err.lines().find(|line| line.contains("found")).unwrap().to_owned() + &told.out
    };
    let near = ask("How does the night bird catch mice?");
    assert!(near.contains("cover 0 %") && near.contains("closest in meaning: 1.00"), "{near}");
    assert!(near.contains("it can answer from passages that put it differently"), "{near}");
    let far = ask("What did the emperor eat for breakfast?");
    assert!(
        far.contains("closest in meaning: 0.") && far.contains("is close enough to the question"),
        "{far}"
    );
}

/// What the last run's search returned.
fn find_retrieval(stand: &Stand) -> Value {
    let events = stand.run(&["runs", "events", "last"]).out;
    let mut entries = events.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    entries.find(|entry| entry["step"] == "retrieve #1" && entry["value"].is_object()).unwrap()
}

// proves: A7
#[test]
fn another_embedder_than_the_manifest_s_is_refused_and_words_still_find() {
    let server = start_server();
    let with = build_stand(&server);
    assert_eq!(ingest(&with, &[]).code, 0);
    let ask = ["ask", QUESTION, "--collection", "cholera"];
    let other = with.run(&[&ask[..], &["--embedder", "fake/others"]].concat());
    other.fails(2, "model 'fake/words' instead of 'fake/others'");
    let none = with.run(&[&ask[..], &["--embedder", ""]].concat());
    none.fails(2, "search by words with --set ask.retrieval=feedback");
    assert!(
        none.err.contains("made with the embedding model fake/words, and none is configured"),
        "{none:?}"
    );
    let by_words = ["--embedder", "", "--set", "ask.retrieval=feedback"];
    let told = with.run(&[&ask[..], &by_words].concat());
    assert!(told.code == 0 && told.out.contains("8 September 1854"), "{told:?}");
    ingest(&with, &["--embedder", ""]).fails(1, "the embedding model fake/words instead of none");
    let dense = ["--set", "ask.retrieval=dense"];
    ingest(&with, &["--set", "embedder.query_prefix=\"query: \""])
        .fails(1, "the embedding model's query prefix '' instead of 'query: '");
    let told = with.run(&[&ask[..], &dense].concat());
    assert_eq!(told.code, 0, "{told:?}");
}

// proves: A6
#[test]
fn a_server_that_makes_no_vectors_stops_the_ingest_with_one_error() {
    let server = FakeModel::start(|_| Say::error(401, "wrong key"));
    ingest(&build_stand(&server), &[]).fails(1, "wrong key");
    // Nor is a key that ran out half way the fault of every document, nor a server that will not have any.
    let told = ["--set", "embedder.dimensions=64"];
    ingest(&build_stand(&server), &told).fails(1, "wrong key");
    assert!(server.seen().len() <= 5, "{} requests", server.seen().len());
    let server = FakeModel::start(|_| Say::error(400, "no such model"));
    ingest(&build_stand(&server), &told).fails(1, "no such model");
    let told = build_stand(&server).run(&["doctor", "--no-network"]);
    assert!(told.code == 1 && told.out.contains("FAIL  embedder"), "{told:?}");
    let told = build_stand(&server).variable("QUAESTIO_EMBEDDER__BASE_URL", "");
    let told = told.run(&["embedders", "test", "no/such-model"]);
    told.fails(1, "could not find the local model 'no/such-model'");
    // A text that the server refuses costs only its own document.
    let server = FakeModel::start(|seen| {
        if seen.body.to_string().contains("Bongaon") {
            Say::error(400, "this text is not welcome")
        } else {
            Say::Vectors { dimensions: DIMENSIONS }
        }
    });
    let stand = build_stand(&server);
    let told = ingest(&stand, &[]);
    assert_eq!(told.code, 4, "{told:?}");
    assert!(told.err.contains("oral-rehydration.md: could not embed its text"), "{told:?}");
    assert!(told.out.contains("added") && !told.out.contains("0 added"), "{told:?}");
}

// proves: A7
#[test]
fn an_embedder_is_tried_before_it_is_trusted() {
    let server = start_server();
    let told = build_stand(&server).run(&["embedders", "test"]);
    assert_eq!(told.code, 0, "{told:?}");
    for part in ["fake/words", "dimensions: 64", "cosine of a question with its answer"] {
        assert!(told.out.contains(part), "{part} is not in {told:?}");
    }
    let told = build_stand(&server).run(&["embedders", "test", "--json"]).json();
    assert_eq!((&told["usable"], &told["embedder"]["dimensions"]), (&true.into(), &64.into()));
    assert!(
        build_stand(&server)
            .run(&["doctor", "--no-network"])
            .out
            .contains("fake/words with 64 dimensions")
    );
    Stand::new().run(&["embedders", "test"]).fails(2, "no embedding model is configured");
}

// proves: C8
#[test]
fn the_key_of_the_chat_model_is_not_sent_to_another_server() {
    let server = start_server();
    let stand = build_stand(&server)
        .variable("QUAESTIO_MODEL", "openai/gpt-4.1-mini")
        .variable("QUAESTIO_API_KEY", "sk-chat-canary");
    assert_eq!(stand.run(&["embedders", "test"]).code, 0);
    assert!(server.seen().iter().all(|seen| !seen.headers.contains("canary")));
    let stand = stand.variable("QUAESTIO_EMBEDDER_API_KEY", "sk-words-canary");
    assert_eq!(stand.run(&["embedders", "test"]).code, 0);
    assert!(server.seen().last().unwrap().headers.contains("sk-words-canary"));
}
