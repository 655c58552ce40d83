//! A local embedder against a forward pass that is written as the papers state it, over models made here.

#![expect(clippy::unwrap_used, reason = "a test ends at what it does not expect")]

mod damage;
mod naive;
mod tiny;

use models::{LocalEmbedder, LocalError, LocalSettings};
use run::embedding::{Embedder, Pooling, Purpose};
use run::error::PortError;
use safetensors::Dtype;
use serde_json::json;

use tiny::Tiny;

const TEXTS: [&str; 6] = [
    "a",
    "the handle of the pump",
    "",
    "water: cholera",
    "q",
    "one two three four five six seven eight",
];

fn settings() -> LocalSettings {
    LocalSettings { threads: Some(1), ..LocalSettings::default() }
}

fn open(tiny: &Tiny) -> LocalEmbedder {
    LocalEmbedder::open(tiny.folder(), &settings()).unwrap()
}

fn embed(embedder: &LocalEmbedder, texts: &[&str]) -> Vec<Vec<f32>> {
    embedder.embed_blocking(texts, Purpose::Passage).unwrap()
}

#[track_caller]
fn assert_near(vectors: &[Vec<f32>], right: &[Vec<f64>]) {
    assert_eq!(vectors.len(), right.len());
    for (index, (vector, right)) in vectors.iter().zip(right).enumerate() {
        assert_eq!(vector.len(), right.len());
        for (x, right) in vector.iter().zip(right) {
            assert!((f64::from(*x) - right).abs() < 2e-6, "text {index}: {x} instead of {right}");
        }
        let square: f64 = vector.iter().map(|x| f64::from(*x).powi(2)).sum();
        assert!((square - 1.0).abs() < 1e-6);
    }
}

#[test]
fn vectors_are_those_of_the_plain_formulas() {
    let plain = Tiny::new;
    let mut wide = plain();
    // Sizes that fill no register: heads of 11, a layer of 50.
    wide.set("hidden_size", json!(33)).set("num_attention_heads", json!(3));
    wide.set("intermediate_size", json!(50));
    let mut tanh = plain();
    tanh.set("hidden_act", json!("gelu_new"));
    let mut relu = plain();
    relu.set("hidden_act", json!("relu")).set("layer_norm_eps", json!(1e-5));
    let mut prefixed = plain();
    prefixed.prefix = "0.auto_model.bert.";
    let mut old = plain();
    old.old_names = true;
    let mut f16 = plain();
    f16.dtype = Dtype::F16;
    let mut bf16 = plain();
    bf16.dtype = Dtype::BF16;
    let mut cls = plain();
    cls.pooling = Some(Pooling::Cls);
    for mut tiny in [plain(), wide, tanh, relu, prefixed, old, f16, bf16, cls] {
        tiny.write();
        assert_near(&embed(&open(&tiny), &TEXTS), &naive::vectors(&tiny, &TEXTS, ""));
    }
}

#[test]
fn families_that_count_positions_from_the_padding_are_read_so() {
    for family in ["xlm-roberta", "roberta", "camembert"] {
        let mut tiny = Tiny::new();
        tiny.set("model_type", json!(family)).set("pad_token_id", json!(1));
        tiny.write();
        let embedder = open(&tiny);
        assert_near(&embed(&embedder, &TEXTS), &naive::vectors(&tiny, &TEXTS, ""));
        assert_eq!(embedder.embedding().max_tokens, Some(tiny::POSITIONS as u32 - 2));
    }
}

#[test]
fn a_vector_is_the_same_to_the_bit_in_any_company_and_on_any_number_of_threads() {
    let mut tiny = Tiny::new();
    tiny.write();
    let many: Vec<String> = (0..300).map(|n| "ab ".repeat(n % 9) + TEXTS[n % 6]).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    let one = open(&tiny);
    let alone: Vec<Vec<f32>> = many.iter().flat_map(|text| embed(&one, &[text])).collect();
    for threads in [1, 3] {
        let settings = LocalSettings { threads: Some(threads), ..LocalSettings::default() };
        let embedder = LocalEmbedder::open(tiny.folder(), &settings).unwrap();
        assert_eq!(embed(&embedder, &many), alone);
    }
    assert_eq!(embed(&open(&tiny), &[]), Vec::<Vec<f32>>::new());
}

#[tokio::test]
async fn waiting_for_vectors_gives_those_that_blocking_gives() {
    let mut tiny = Tiny::new();
    tiny.write();
    let embedder = open(&tiny);
    let waited = embedder.embed(&TEXTS, Purpose::Passage).await.unwrap();
    assert_eq!(waited, embed(&embedder, &TEXTS));
}

// proves: A7
#[test]
fn a_text_is_cut_inside_its_special_tokens() {
    let mut tiny = Tiny::new();
    tiny.limits = Some(json!({"max_seq_length": 7}));
    tiny.write();
    let embedder = open(&tiny);
    assert_eq!(embedder.embedding().max_tokens, Some(7));
    let [long, short] = [embed(&embedder, &["abcdefghij"]), embed(&embedder, &["abcde"])];
    assert_eq!(long, short);
    assert_ne!(long, embed(&embedder, &["abcd"]));

    let settings = |limit| LocalSettings { max_tokens: Some(limit), ..settings() };
    let open = |limit| LocalEmbedder::open(tiny.folder(), &settings(limit));
    assert_eq!(open(5).unwrap().embedding().max_tokens, Some(5));
    assert_eq!(embed(&open(5).unwrap(), &["abcdef"]), embed(&embedder, &["abc"]));
    assert_eq!(open(1000).unwrap().embedding().max_tokens, Some(7));
    for too_low in [0, 2] {
        assert!(matches!(open(too_low), Err(LocalError::Setting { .. })));
    }
}

// proves: A7
#[test]
fn prefixes_are_the_settings_or_the_prompts_or_those_of_the_family() {
    let prefixes = |embedder: &LocalEmbedder| {
        let embedding = embedder.embedding();
        (embedding.passage_prefix.clone(), embedding.query_prefix.clone())
    };
    let pair = |passage: &str, query: &str| (passage.to_owned(), query.to_owned());
    let mut none = Tiny::new();
    none.write();
    assert_eq!(prefixes(&open(&none)), pair("", ""));

    let mut e5 = Tiny::new();
    e5.set("_name_or_path", json!("intfloat/multilingual-e5-small"));
    e5.write();
    let embedder = open(&e5);
    assert_eq!(prefixes(&embedder), pair("passage: ", "query: "));
    assert_near(&embed(&embedder, &TEXTS), &naive::vectors(&e5, &TEXTS, "passage: "));
    let queries = embedder.embed_blocking(&TEXTS, Purpose::Query).unwrap();
    assert_near(&queries, &naive::vectors(&e5, &TEXTS, "query: "));

    let mut follows = Tiny::new();
    follows.set("_name_or_path", json!("intfloat/multilingual-e5-large-instruct"));
    follows.write();
    assert_eq!(prefixes(&open(&follows)), pair("", ""));

    let mut prompts = Tiny::new();
    prompts.set("_name_or_path", json!("acme/e5"));
    prompts.prompts = Some(json!({"prompts": {"query": "find: ", "document": ""}}));
    prompts.write();
    assert_eq!(prefixes(&open(&prompts)), pair("", "find: "));

    let given = LocalSettings { query_prefix: Some("q ".into()), ..settings() };
    let embedder = LocalEmbedder::open(prompts.folder(), &given).unwrap();
    assert_eq!(prefixes(&embedder), pair("", "q "));
}

// proves: A7
#[test]
fn a_fingerprint_tells_weights_and_tokenizers_apart_and_not_folders() {
    let mut tiny = Tiny::new();
    tiny.write();
    let told = open(&tiny).embedding().clone();
    assert_eq!((told.dimensions, told.dtype.as_deref()), (32, Some("f32")));
    assert_eq!(told.pooling, Some(Pooling::Mean));
    assert!(told.model.starts_with("local/"));
    let mut copy = Tiny::new();
    copy.write();
    assert_ne!(open(&copy).embedding().model, told.model);
    assert_eq!(open(&copy).embedding().fingerprint, told.fingerprint);

    for file in ["model.safetensors", "tokenizer.json", "config.json"] {
        let mut other = Tiny::new();
        other.write();
        other.edit(file, |bytes| match bytes.len().checked_sub(4) {
            // One bit of the last number.
            Some(last) if file == "model.safetensors" => bytes[last] ^= 1,
            _ => bytes.push(b'\n'),
        });
        assert_ne!(open(&other).embedding().fingerprint, told.fingerprint, "{file}");
    }
    // What the embedding names by itself is no part of it; what nothing else names is.
    for (settings, same) in
        [(r#"{"max_seq_length": 8}"#, true), (r#"{"do_lower_case": true}"#, false)]
    {
        let mut other = Tiny::new();
        other.write();
        std::fs::write(other.folder().join("sentence_bert_config.json"), settings).unwrap();
        let other = open(&other).embedding().clone();
        assert_eq!(other.fingerprint == told.fingerprint, same, "{settings}");
        assert!(same || !other.differences(&told).is_empty());
    }
}

#[test]
fn a_model_is_found_by_its_name_in_the_hubs_cache() {
    let mut tiny = Tiny::new();
    tiny.write();
    let cache = tempfile::tempdir().unwrap();
    let repository = cache.path().join("models--acme--tiny-e5");
    let snapshot = repository.join("snapshots").join("0123abcd");
    std::fs::create_dir_all(&snapshot).unwrap();
    for file in std::fs::read_dir(tiny.folder()).unwrap() {
        let file = file.unwrap();
        if file.path().is_file() {
            std::fs::copy(file.path(), snapshot.join(file.file_name())).unwrap();
        }
    }
    let settings = LocalSettings { hub: Some(cache.path().to_owned()), ..settings() };
    let open = || LocalEmbedder::open("acme/tiny-e5", &settings);
    let by_only_snapshot = open().unwrap();
    assert_eq!(by_only_snapshot.embedding().model, "local/acme/tiny-e5");
    assert_eq!(by_only_snapshot.embedding().query_prefix, "query: ");

    std::fs::create_dir_all(repository.join("refs")).unwrap();
    std::fs::write(repository.join("refs/main"), "0123abcd\n").unwrap();
    std::fs::create_dir_all(repository.join("snapshots/ffff")).unwrap();
    assert_eq!(embed(&open().unwrap(), &["a"]), embed(&by_only_snapshot, &["a"]));
    std::fs::write(repository.join("refs/main"), "../../../etc").unwrap();
    assert!(matches!(open(), Err(LocalError::NotFound { .. })));

    for absent in ["acme/none", "none", "../acme", "a/b/c", "", "/nowhere", "acme/../tiny-e5"] {
        let error = LocalEmbedder::open(absent, &settings).unwrap_err();
        assert!(matches!(error, LocalError::NotFound { .. }), "{absent}: {error}");
    }
}

#[test]
fn what_is_computed_otherwise_is_refused_by_name() {
    for (key, value, said) in [
        ("model_type", json!("mpnet"), "'mpnet'"),
        ("hidden_act", json!("silu"), "'silu'"),
        ("position_embedding_type", json!("relative_key"), "'relative_key'"),
        ("is_decoder", json!(true), "a decoder"),
    ] {
        let mut tiny = Tiny::new();
        tiny.set(key, value);
        tiny.write();
        let error = LocalEmbedder::open(tiny.folder(), &settings()).unwrap_err();
        assert!(matches!(error, LocalError::Unsupported { .. }), "{error}");
        assert!(error.to_string().contains(said), "{error}");
    }
    for (file, content, said) in [
        (
            "modules.json",
            r#"[{"path":"2_Dense","type":"sentence_transformers.models.Dense"}]"#,
            "Dense",
        ),
        (
            "modules.json",
            r#"[{"path":"../x","type":"sentence_transformers.models.Pooling"}]"#,
            "../x",
        ),
        ("1_Pooling/config.json", r#"{"pooling_mode_max_tokens":true}"#, "max_tokens"),
        (
            "1_Pooling/config.json",
            r#"{"pooling_mode_mean_tokens":true,"pooling_mode_cls_token":true}"#,
            "cls_token and mean_tokens",
        ),
        (
            "1_Pooling/config.json",
            r#"{"pooling_mode_mean_tokens":true,"include_prompt":false}"#,
            "prompt",
        ),
    ] {
        let mut tiny = Tiny::new();
        tiny.pooling = Some(Pooling::Mean);
        tiny.write();
        std::fs::write(tiny.folder().join(file), content).unwrap();
        let error = LocalEmbedder::open(tiny.folder(), &settings()).unwrap_err();
        assert!(error.to_string().contains(said), "{error}");
    }
}

#[test]
fn weights_that_give_no_numbers_are_an_error_and_not_a_vector() {
    let mut tiny = Tiny::new();
    tiny.write();
    // The scale of the last normalisation of every token becomes NaN.
    tiny.set_tensor("encoder.layer.1.output.LayerNorm.weight", f32::NAN);
    let error = open(&tiny).embed_blocking(&["a"], Purpose::Query).unwrap_err();
    assert!(
        matches!(&error, PortError::Invalid { what } if what.contains("text 1 of 1")),
        "{error}"
    );
}
