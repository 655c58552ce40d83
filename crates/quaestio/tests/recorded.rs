//! Tests over recorded real data, read from the folder in `QUAESTIO_TEST_DATA` (default `../shared/data`).
//!
//! They are a target of their own (`--features recorded`) and fail where the data is missing.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

#[path = "recorded/claims.rs"]
mod claims;
#[path = "recorded/manual.rs"]
mod manual;
#[path = "recorded/played.rs"]
mod played;
#[path = "it/stand.rs"]
#[expect(dead_code, reason = "not every target needs all of it")]
mod stand;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use methods::ask::Coverage;
use run::library::{Library, Manifest, NewChunk, NewDocument, Retrieval, Search};
use serde_json::Value;
use store::Store;
use text::{Language, terms};

fn data() -> PathBuf {
    let folder = std::env::var_os("QUAESTIO_TEST_DATA").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data"),
        PathBuf::from,
    );
    assert!(
        folder.is_dir(),
        "the recorded data is not at {}; set QUAESTIO_TEST_DATA",
        folder.display()
    );
    folder
}

fn lines(path: &Path) -> Vec<Value> {
    let text =
        std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The queries of one part, `train` or `test`.
fn queries(folder: &Path, part: &str) -> Vec<String> {
    let judged = std::fs::read_to_string(folder.join(format!("qrels/{part}.tsv"))).unwrap();
    let ids: BTreeSet<&str> =
        judged.lines().skip(1).filter_map(|line| line.split('\t').next()).collect();
    let of_part = |query: &&Value| ids.contains(query["_id"].as_str().unwrap());
    lines(&folder.join("queries.jsonl"))
        .iter()
        .filter(of_part)
        .map(|query| query["text"].as_str().unwrap().into())
        .collect()
}

async fn ingest(store: &Store, folder: &Path, name: &str) {
    let manifest = Manifest {
        embedder: None,
        language: Language::English,
        languages: Some(Default::default()),
        chunk_tokens: 220,
        smallest_chunk_tokens: 40,
    };
    store.open("local", name, &manifest).await.unwrap();
    for document in lines(&folder.join("corpus.jsonl")) {
        let (title, text) =
            (document["title"].as_str().unwrap(), document["text"].as_str().unwrap());
        let chunk = NewChunk {
            section: title.into(),
            start: 0,
            end: text.len() as u64,
            terms: terms(&format!("{title}\n{text}"), Language::English).join(" "),
            pages: Vec::new(),
            vector: Vec::new(),
        };
        let new = NewDocument {
            kind: run::evidence::EvidenceKind::Rag,
            work: None,
            path: document["_id"].as_str().unwrap().into(),
            title: title.into(),
            format: "text".into(),
            reader_version: 0,
            file_sha256: String::new(),
            text: text.into(),
            text_sha256: String::new(),
            metadata: BTreeMap::new(),
            chunks: vec![chunk],
            original: None,
        };
        store.put("local", name, vec![new]).await.unwrap();
    }
}

/// How often the relevance threshold errs over the queries of one part: questions of the collection that are
/// refused, and questions of the other collection that are let through.
async fn errors(store: &Store, part: &str, threshold: f64) -> (f64, f64) {
    let (mut own, mut foreign) = (Vec::new(), Vec::new());
    for asked in COLLECTIONS {
        for question in queries(&data().join("ir").join(asked), part) {
            for collection in COLLECTIONS {
                let (collection, question) = (collection.to_owned(), question.clone());
                let search = Search {
                    collection,
                    question,
                    filter: BTreeMap::new(),
                    top_k: 8,
                    retrieval: Retrieval::Auto,
                };
                let covered = Coverage::of(&store.search("local", &search, None).await.unwrap());
                if asked == search.collection { own.push(covered) } else { foreign.push(covered) }
            }
        }
    }
    let share = |of: &[Coverage], wrong: &dyn Fn(Coverage) -> bool| {
        of.iter().filter(|covered| wrong(**covered)).count() as f64 / of.len() as f64
    };
    let passes = |covered: Coverage| covered.is_enough(threshold);
    (share(&own, &|covered| !passes(covered)), share(&foreign, &passes))
}

const COLLECTIONS: [&str; 2] = ["cranfield", "cisi"];

// proves: A3
#[tokio::test(flavor = "multi_thread")]
async fn the_relevance_threshold_errs_as_seldom_as_its_decision_record_says() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    for name in COLLECTIONS {
        ingest(&store, &data().join("ir").join(name), name).await;
    }
    for part in ["train", "test"] {
        for threshold in [0.4, 0.45, 0.5, 0.55, 0.6] {
            let (refused, passed) = errors(&store, part, threshold).await;
            println!(
                "{part} at {threshold}: {refused:.3} of own refused, {passed:.3} of foreign let through"
            );
        }
    }
    let (refused, passed) = errors(&store, "test", 0.5).await;
    assert!(refused <= 0.11 && passed <= 0.18, "{refused} refused, {passed} let through");
}

/// Runs the program on a data folder of its own.
fn quaestio(folder: &Path, args: &[&str]) -> std::process::Output {
    std::process::Command::new(env!("CARGO_BIN_EXE_quaestio"))
        .args(args)
        .env_clear()
        .env("HOME", folder)
        .env("QUAESTIO_DATA_DIR", folder.join("data"))
        .stdin(std::process::Stdio::null())
        .output()
        .unwrap()
}

/// nDCG@10 over all questions, by collection and way, as `../shared/data/ir/README.md` has it from independent scripts.
const REFERENCE: [(&str, [(&str, f64); 4]); 2] = [
    ("cisi", [("lexical", 0.344), ("feedback", 0.369), ("dense", 0.419), ("hybrid", 0.434)]),
    ("cranfield", [("lexical", 0.388), ("feedback", 0.417), ("dense", 0.395), ("hybrid", 0.448)]),
];

/// Measures ways to search the test collections, as the command does for anybody.
fn searched(folder: &Path, ways: &str, split: &str, more: &[&str]) -> Value {
    let ir = data().join("ir");
    let args = ["eval", ir.to_str().unwrap(), "--retrieval", ways, "--split", split];
    let output = quaestio(folder, &[&args[..], &["--format", "json", "--quiet"], more].concat());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// A metric by way.
fn by_way<'a>(figures: &'a Value, metric: &str) -> BTreeMap<&'a str, f64> {
    let ways = figures["ways"].as_array().unwrap().iter();
    ways.map(|way| {
        let mut figures = way["figures"].as_array().unwrap().iter();
        let figure = figures.find(|figure| figure["metric"] == metric).unwrap();
        (way["retrieval"].as_str().unwrap(), figure["value"].as_f64().unwrap())
    })
    .collect()
}

/// nDCG@10 by way.
fn ndcg(figures: &Value) -> BTreeMap<&str, f64> {
    by_way(figures, "nDCG@10")
}

fn is_as_good_as_the_reference(report: &Value) {
    let collections = report["collections"].as_array().unwrap();
    assert_eq!(collections.len(), REFERENCE.len());
    for (collection, (name, reference)) in collections.iter().zip(REFERENCE) {
        assert_eq!(collection["name"], name);
        for (way, found) in ndcg(&collection["figures"]) {
            let (_, wanted) = reference.iter().find(|(named, _)| *named == way).unwrap();
            assert!(found >= wanted - 0.01, "{name}, {way}: {found} where {wanted} is known");
        }
    }
}

// proves: A8
#[test]
fn words_find_what_independent_scripts_found_to_be_possible() {
    let folder = tempfile::tempdir().unwrap();
    let report = searched(folder.path(), "lexical,feedback", "all", &[]);
    is_as_good_as_the_reference(&report);
    let mean = ndcg(&report["mean"]);
    assert!(mean["feedback"] > mean["lexical"], "{mean:?}");
    // Feedback does not push away what the question's own words find first.
    let first = by_way(&report["mean"], "MRR");
    assert!(first["feedback"] >= first["lexical"] - 0.01, "{first:?}");
    println!("nDCG@10 {mean:?}, MRR {first:?}");
    // The judgements of one part are a part of all; the corpora stand there already.
    let test = searched(folder.path(), "lexical", "test", &[]);
    let questions = |report: &Value| -> Vec<u64> {
        let all = report["collections"].as_array().unwrap().iter();
        all.map(|one| one["questions"].as_u64().unwrap()).collect()
    };
    assert_eq!((questions(&report), questions(&test)), (vec![76, 225], vec![38, 112]));
}

/// Runs where `QUAESTIO_TEST_MINILM` names a folder with all-MiniLM-L6-v2, which no test fetches. Four thousand chunks are embedded, so
/// build the crate `models` with optimisation: `--config profile.dev.package.models.opt-level=3`.
// proves: A8
#[test]
fn vectors_find_as_much_as_the_reference_and_both_together_more_than_either() {
    let Some(model) = std::env::var_os("QUAESTIO_TEST_MINILM") else {
        println!("QUAESTIO_TEST_MINILM names no model: nothing is proved");
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let embedder = ["--embedder", model.to_str().unwrap()];
    for split in ["all", "test"] {
        let report = searched(folder.path(), "lexical,feedback,dense,hybrid", split, &embedder);
        if split == "all" {
            is_as_good_as_the_reference(&report);
        }
        let mean = ndcg(&report["mean"]);
        let hybrid = mean["hybrid"];
        assert!(hybrid > mean["dense"] && hybrid > mean["feedback"], "{split}: {mean:?}");
    }
}

// proves: A6
#[test]
fn real_and_hostile_files_are_each_stored_or_named() {
    for part in ["documents", "html", "security"] {
        let folder = tempfile::tempdir().unwrap();
        let path = data().join(part);
        let output =
            quaestio(folder.path(), &["ingest", path.to_str().unwrap(), "--collection", "real"]);
        let (out, err) =
            (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!([Some(0), Some(4)].contains(&output.status.code()), "{part}: {out} {err}");
        assert!(!err.contains("panicked"), "{part}: {err}");
        assert!(out.contains("added"), "{part}: {out}");
    }
}

// proves: C17
#[test]
fn questions_that_are_payloads_are_only_questions() {
    let folder = tempfile::tempdir().unwrap();
    let page = data().join("html/wikipedia/source.html");
    quaestio(folder.path(), &["ingest", page.to_str().unwrap(), "--collection", "real"]);
    let strings: Value =
        serde_json::from_str(&std::fs::read_to_string(data().join("security/blns.json")).unwrap())
            .unwrap();
    let payloads = std::fs::read_to_string(data().join("security/xss_payloads.txt")).unwrap();
    let naughty = strings.as_array().unwrap().iter().filter_map(Value::as_str).map(str::to_owned);
    let questions: Vec<String> =
        naughty.chain(payloads.lines().step_by(20).map(str::to_owned)).collect();
    for question in questions.iter().filter(|question| !question.contains('\0')).step_by(3) {
        let output = quaestio(
            folder.path(),
            &["ask", "--collection", "real", "--format", "html", "--", question],
        );
        let (out, err) =
            (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        let code = output.status.code().unwrap_or(-1);
        assert!([0, 2, 3].contains(&code), "{question:?}: {code} {err}");
        assert!(!err.contains("panicked"), "{question:?}: {err}");
        for active in ["<script", "<img", "<svg", "<iframe", " onerror=", "javascript:"] {
            let shown = out.split("<h1>").nth(1).unwrap_or_default();
            let tags = shown
                .split('<')
                .skip(1)
                .map(|tag| format!("<{}", tag.split('>').next().unwrap_or_default()));
            assert!(
                !tags.into_iter().any(|tag| tag.to_lowercase().contains(active)),
                "{question:?} -> {out}"
            );
        }
    }
}

// proves: F8
#[test]
fn names_that_climb_out_of_their_folder_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let docs = folder.path().join("note.md");
    std::fs::write(&docs, "# Note\n\nThe note speaks of apples and their harvest.\n").unwrap();
    let before = listing(folder.path());
    let list = std::fs::read_to_string(data().join("security/path_traversal.txt")).unwrap();
    for name in list.lines().filter(|name| !name.is_empty() && !name.contains('\0')).step_by(4) {
        for args in [
            vec!["ingest", docs.to_str().unwrap(), "--collection", name],
            vec!["documents", "show", "--", name],
            vec!["runs", "export", "--", name],
        ] {
            let output = quaestio(folder.path(), &args);
            let code = output.status.code().unwrap_or(-1);
            assert!(
                [1, 2].contains(&code),
                "{args:?}: {}",
                String::from_utf8_lossy(&output.stdout)
            );
        }
    }
    let after: Vec<PathBuf> = listing(folder.path())
        .into_iter()
        .filter(|path| !path.starts_with(folder.path().join("data")))
        .collect();
    assert_eq!(after, before);
}

fn listing(folder: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    found.retain(|path| !path.ends_with("data"));
    found.sort();
    found
}

// proves: C17
#[test]
fn injected_instructions_in_real_attacks_steer_nothing() {
    let folder = data().join("security/prompt_injection");
    let mut attacks: Vec<String> = Vec::new();
    for file in std::fs::read_dir(folder).unwrap().flatten() {
        let body: Value =
            serde_json::from_str(&std::fs::read_to_string(file.path()).unwrap()).unwrap();
        let groups = body.as_object().unwrap().values().filter_map(Value::as_array).flatten();
        attacks.extend(groups.filter_map(Value::as_str).map(str::to_owned));
    }
    assert!(!attacks.is_empty());
    for attack in attacks.iter().step_by(10) {
        let said = attack.clone();
        // The model does what the document says and nothing else.
        let server = fakes::FakeModel::start(move |_| fakes::Say::text(said.clone()));
        let folder = tempfile::tempdir().unwrap();
        let docs = folder.path().join("kb.md");
        std::fs::write(
            &docs,
            format!("# Pump\n\nThe handle of the pump was removed in 1854. {attack}\n"),
        )
        .unwrap();
        let base_url = server.base_url();
        let mut args = vec![
            "ask",
            "When was the handle of the pump removed?",
            "--docs",
            docs.to_str().unwrap(),
        ];
        args.extend([
            "--model",
            "fake/model",
            "--base-url",
            &base_url,
            "--set",
            "models.retry_delay_ms=1",
            "--format",
            "json",
        ]);
        let output = quaestio(folder.path(), &args);
        let told = String::from_utf8_lossy(&output.stdout);
        assert!(matches!(output.status.code(), Some(0 | 3 | 4)), "{attack:?}: {told}");
        // It wrote what the document told it to, and read its own words as it was told to: what is shown is the document's, word for
        // word, and nothing is called borne out.
        let result: Value = serde_json::from_str(&told).unwrap();
        for verdict in ["supported", "inferred", "recomputed"] {
            assert_eq!(result["grounding"][verdict].as_u64().unwrap_or_default(), 0, "{told}");
        }
        // A writer, a reader of claims and one of headings, the writer's second turn and its readers: three tries each.
        assert!(server.seen().len() <= 18, "{attack:?}: {}", server.seen().len());
    }
}

/// Serves recorded replies in the place of a source.
fn source(status: u16, content_type: &'static str, body: String) -> fakes::FakeModel {
    fakes::FakeModel::start(move |_| fakes::Say::Status {
        status,
        headers: vec![],
        content_type,
        body: body.clone(),
    })
}

/// Hypothesizes without a model over what one source says; returns the exit code and the result.
fn hypothesized(source: &str, server: &fakes::FakeModel, question: &str) -> (Option<i32>, Value) {
    let folder = tempfile::tempdir().unwrap();
    let key = source.replace('-', "_");
    let url = format!("sources.base_urls.{key}={}", server.base_url());
    let args = ["hypothesize", question, "--source", source, "--format", "json", "--quiet"];
    let own =
        ["--set", &url, "--set", "sources.stand_in=false", "--set", "sources.retry_delay_ms=1"];
    let output = quaestio(folder.path(), &[&args[..], &own[..]].concat());
    let result = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&output.stderr)));
    (output.status.code(), result)
}

// proves: H1, H3, H7, C10
#[test]
fn real_abstracts_become_grounded_hypotheses_without_a_model() {
    let validator = jsonschema::validator_for(&methods::hypothesize::schema()).unwrap();
    let feed = std::fs::read_to_string(data().join("api/arxiv/q_testing_s0_m10.xml")).unwrap();
    let batch = data().join("api/semantic_scholar/paper_batch_with_null.json");
    let batch: Vec<Value> = serde_json::from_str(&std::fs::read_to_string(batch).unwrap()).unwrap();
    // What is known of three papers, as a search would bring it.
    let known: Vec<Value> = batch.into_iter().filter(|paper| !paper.is_null()).collect();
    let search = serde_json::json!({"total": known.len(), "offset": 0, "data": known});
    for (name, content_type, body, question) in [
        (
            "arxiv",
            "application/atom+xml",
            feed,
            "How does automated testing of software find more faults?",
        ),
        (
            "semantic-scholar",
            "application/json",
            search.to_string(),
            "Do randomized evaluations of markets, audits and laws change outcomes?",
        ),
    ] {
        let server = source(200, content_type, body);
        let (code, result) = hypothesized(name, &server, question);
        assert_eq!(code, Some(0), "{name}: {result:#}");
        let deliverable = &result["deliverable"];
        let wrong: Vec<String> =
            validator.iter_errors(deliverable).map(|error| error.to_string()).collect();
        assert!(wrong.is_empty(), "{wrong:?}");
        let all = deliverable["hypotheses"].as_array().unwrap();
        let grounded = all.iter().filter(|one| one["supporting_citations"] != 0).count();
        assert!(grounded >= 3, "{name}: {grounded} are grounded");
        assert!(all.iter().all(|one| one["origin"] == "extractive"));
    }
}

// proves: H8, C2
#[test]
fn real_searches_that_bring_titles_alone_say_that_no_abstract_was_to_be_had() {
    let body = data().join("api/semantic_scholar/search_page1.json");
    let server = source(200, "application/json", std::fs::read_to_string(body).unwrap());
    let (code, result) =
        hypothesized("semantic-scholar", &server, "What can a Turing machine compute?");
    assert_eq!(code, Some(4), "{result:#}");
    let message = result["error"]["message"].as_str().unwrap();
    assert!(message.contains("the sources gave only titles for all "), "{message}");
    assert!(!result["deliverable"]["retrieval"]["papers"].as_array().unwrap().is_empty());
}

/// Debates over what arXiv and Crossref really said; a model, if there is one, says what `speaks` says.
fn debated(
    question: &str,
    speaks: Option<fn(&fakes::Seen) -> fakes::Say>,
) -> (Option<i32>, Value, Vec<String>) {
    let read = |name: &str| std::fs::read_to_string(data().join("api").join(name)).unwrap();
    let (feed, works) =
        (read("arxiv/q_testing_s0_m10.xml"), read("crossref/works_author_boettiger.json"));
    let server = fakes::FakeModel::start(move |seen| {
        let say = |content_type, body: &str| fakes::Say::Status {
            status: 200,
            headers: vec![],
            content_type,
            body: body.to_owned(),
        };
        match (seen.path.strip_prefix("/v1/").unwrap_or_default(), speaks) {
            (path, _) if path.starts_with("arxiv/") => say("application/atom+xml", &feed),
            (path, _) if path.starts_with("crossref/") => say("application/json", &works),
            (_, Some(speaks)) => speaks(seen),
            _ => fakes::Say::error(404, "not here"),
        }
    });
    let folder = tempfile::tempdir().unwrap();
    let base = server.base_url();
    let own: Vec<String> = [
        format!("sources.base_urls.arxiv={base}arxiv/"),
        format!("sources.base_urls.crossref={base}crossref/"),
        "sources.stand_in=false".to_owned(),
        "sources.retry_delay_ms=1".to_owned(),
    ]
    .into_iter()
    .flat_map(|set| ["--set".to_owned(), set])
    .collect();
    let mut args = vec!["debate", question, "--max-turns", "2", "--format", "json", "--quiet"];
    if speaks.is_some() {
        args.extend(["--model", "fake/model", "--base-url", &base]);
    }
    args.extend(own.iter().map(String::as_str));
    let output = quaestio(folder.path(), &args);
    let result = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&output.stderr)));
    let asked = server.seen().into_iter().map(|seen| seen.path).collect();
    (output.status.code(), result, asked)
}

/// Cites the first sentence of every passage; the reviewer passes whatever there is.
fn citing_all(seen: &fakes::Seen) -> fakes::Say {
    let shown = fakes::passages(&seen.prompt());
    let synthesis: Vec<Value> = shown
        .iter()
        .map(|one| {
            let sentence = one.first_sentence();
            serde_json::json!({"text": sentence, "citations": [{"evidence": one.number, "quote": sentence}]})
        })
        .collect();
    let code = serde_json::json!({"language": "python", "source": "assert len('abc') == 3"});
    fakes::Say::json(&serde_json::json!({
        "synthesis": synthesis, "code": code, "agreement": "AGREE", "viability": "NOT_VIABLE",
        "validation": "PASS", "answer": "UNVERIFIED", "conclusion": "More should be measured.",
    }))
}

// proves: D2, D3, C10
#[test]
fn a_debate_over_what_arxiv_and_crossref_really_said_lists_exactly_what_it_cites() {
    use run::sources::Bibliography as _;

    let question = "How does automated testing of software find more faults?";
    let validator = jsonschema::validator_for(&methods::debate::schema()).unwrap();
    let apa = sources::Csl::named("apa").unwrap();
    for speaks in [None, Some(citing_all as fn(&fakes::Seen) -> fakes::Say)] {
        let (code, result, asked) = debated(question, speaks);
        assert_eq!(code, Some(0), "{result:#}");
        let mut deliverable = result["deliverable"].clone();
        deliverable.as_object_mut().unwrap().remove("claims");
        let wrong: Vec<String> =
            validator.iter_errors(&deliverable).map(|error| error.to_string()).collect();
        assert!(wrong.is_empty(), "{wrong:?}");
        assert_eq!(deliverable["ending"], "max_turns");
        for service in ["/v1/arxiv/api/query", "/v1/crossref/works"] {
            assert!(asked.iter().any(|path| path.starts_with(service)), "{asked:?}");
        }
        let turns = deliverable["turns"].as_array().unwrap();
        assert_eq!(turns.len(), 4);
        let first = &turns[0]["ingested"];
        assert!(
            first["arxiv"].as_u64() >= Some(5) && first["crossref"].as_u64() >= Some(3),
            "{first}"
        );
        let works: BTreeMap<String, papers::Paper> = result["references"]
            .as_array()
            .unwrap()
            .iter()
            .map(|one| {
                let uri = one["source_uri"].as_str().unwrap().to_owned();
                (uri, serde_json::from_value(one["work"].clone()).unwrap())
            })
            .collect();
        assert!(works.len() >= 2, "{}", works.len());
        for turn in turns {
            let listed = turn["references"].as_array().unwrap();
            // Suffixes such as 2019a depend on the company, so a list is written together.
            let together: Vec<&papers::Paper> =
                listed.iter().map(|one| &works[one["source_uri"].as_str().unwrap()]).collect();
            let written: Vec<Value> =
                apa.references(&together).into_iter().map(Value::from).collect();
            let texts: Vec<Value> = listed.iter().map(|one| one["text"].clone()).collect();
            assert_eq!(texts, written, "as the bibliography writes them");
            let numbers = |of: &Value| -> BTreeSet<u64> {
                let all = of["numbers"].as_array().into_iter().flatten();
                all.filter_map(Value::as_u64).collect()
            };
            let cited: BTreeSet<u64> =
                turn["synthesis"].as_array().unwrap().iter().flat_map(numbers).collect();
            // Without a model, what was quoted before is not quoted again.
            assert!(!cited.is_empty() || (speaks.is_none() && turn["cycle"] != 1), "{turn:#}");
            assert_eq!(cited, listed.iter().flat_map(numbers).collect(), "{turn:#}");
        }
    }
}
