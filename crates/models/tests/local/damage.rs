//! Files as a broken download or an unkind person leaves them.

use models::{LocalEmbedder, LocalError};
use proptest::prelude::*;
use run::embedding::Purpose;
use serde_json::{Value, json};

use crate::settings;
use crate::tiny::Tiny;

#[track_caller]
fn refused(tiny: &Tiny, said: &str) {
    let error = LocalEmbedder::open(tiny.folder(), &settings()).unwrap_err();
    assert!(error.to_string().contains(said), "'{said}' is not in: {error}");
}

/// Changes the header of the weights, whose numbers stay where they are.
fn edit_header(tiny: &Tiny, change: impl FnOnce(&mut Value)) {
    tiny.edit("model.safetensors", |bytes| {
        let size = u64::from_le_bytes(bytes[..8].try_into().unwrap()) as usize;
        let mut header: Value = serde_json::from_slice(&bytes[8..8 + size]).unwrap();
        change(&mut header);
        let header = header.to_string().into_bytes();
        let mut file = (header.len() as u64).to_le_bytes().to_vec();
        file.extend(header);
        file.extend(&bytes[8 + size..]);
        *bytes = file;
    });
}

fn tiny() -> Tiny {
    let mut tiny = Tiny::new();
    tiny.write();
    tiny
}

#[test]
fn a_damaged_model_is_refused_with_the_file_and_what_is_wrong() {
    for file in ["config.json", "tokenizer.json", "model.safetensors"] {
        let model = tiny();
        std::fs::remove_file(model.folder().join(file)).unwrap();
        refused(&model, &format!("{file} is missing"));
        let model = tiny();
        model.edit(file, Vec::clear);
        refused(&model, file);
        let model = tiny();
        model.edit(file, |bytes| bytes.truncate(bytes.len() / 2));
        refused(&model, file);
    }
    const QUERY: &str = "encoder.layer.1.attention.self.query.weight";
    let model = tiny();
    edit_header(&model, |header| drop(header.as_object_mut().unwrap().remove(QUERY)));
    refused(&model, &format!("'{QUERY}' is missing"));
    let model = tiny();
    edit_header(&model, |header| header[QUERY]["shape"] = json!([31, 32]));
    refused(&model, "has the shape [31, 32], but config.json says [32, 32]");
    let model = tiny();
    edit_header(&model, |header| header[QUERY]["dtype"] = json!("F64"));
    refused(&model, "numbers of type F64, which is not supported. Supported are F32, F16 and BF16");
    for offsets in [json!([0, 4]), json!([9, 5]), json!([u64::MAX - 4095, u64::MAX])] {
        let model = tiny();
        edit_header(&model, |header| header[QUERY]["data_offsets"] = offsets.clone());
        refused(&model, "model.safetensors is not usable as part of a model");
    }
    let model = tiny();
    edit_header(&model, |header| *header = json!({"vision.patch": header[QUERY]}));
    refused(&model, "as a BERT has; it begins with [vision.patch]");
    let model = tiny();
    model.edit("model.safetensors", |bytes| bytes[..8].fill(0xff));
    refused(&model, "its header would have 18446744073709551615 bytes");
}

#[test]
fn a_vocabulary_larger_than_the_embeddings_is_refused() {
    let mut model = tiny();
    model.edit("tokenizer.json", |bytes| {
        let mut tokenizer: Value = serde_json::from_slice(bytes).unwrap();
        for extra in 57..70 {
            tokenizer["model"]["vocab"][format!("w{extra}")] = json!(extra);
        }
        *bytes = tokenizer.to_string().into_bytes();
    });
    refused(&model, "it has 70 tokens, but the model has embeddings for 60");
    // As many tokens as rows may still have numbers beyond them.
    model.write();
    model.edit("tokenizer.json", |bytes| {
        let mut tokenizer: Value = serde_json::from_slice(bytes).unwrap();
        tokenizer["model"]["vocab"]["a"] = json!(4_000_000_000u32);
        *bytes = tokenizer.to_string().into_bytes();
    });
    let embedder = LocalEmbedder::open(model.folder(), &settings()).unwrap();
    assert!(embedder.embed_blocking(&["b"], Purpose::Query).is_ok());
    let error = embedder.embed_blocking(&["b", "a"], Purpose::Query).unwrap_err();
    assert!(error.to_string().contains("text 2 of 2"), "{error}");
}

/// Opens and uses what may be damaged; a panic fails the test.
fn use_it(tiny: &Tiny) {
    match LocalEmbedder::open(tiny.folder(), &settings()) {
        Ok(embedder) => drop(embedder.embed_blocking(&["pump", "", "a: b"], Purpose::Query)),
        Err(LocalError::NotFound { looked, .. }) => panic!("all files are there: {looked}"),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

fn any_number() -> impl Strategy<Value = Value> {
    prop_oneof![
        any::<u64>().prop_map(Value::from),
        any::<u32>().prop_map(Value::from),
        (0u64..100).prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(|x| json!(x)),
        Just(Value::Null),
        Just(json!("x")),
        Just(json!([])),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn flipped_bytes_never_panic(
        file in 0usize..3,
        flips in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
    ) {
        let model = tiny();
        let file = ["config.json", "tokenizer.json", "model.safetensors"][file];
        model.edit(file, |bytes| {
            // Of the weights only the header is a format.
            let end = if file == "model.safetensors" { 4000 } else { bytes.len() };
            for (index, byte) in &flips {
                bytes[index.index(end)] = *byte;
            }
        });
        use_it(&model);
    }

    #[test]
    fn odd_numbers_in_the_config_never_panic(
        key in prop::sample::select(vec![
            "hidden_size", "intermediate_size", "num_attention_heads", "num_hidden_layers", "vocab_size",
            "max_position_embeddings", "type_vocab_size", "layer_norm_eps", "pad_token_id", "model_type",
        ]),
        value in any_number(),
        family in prop::sample::select(vec!["bert", "roberta"]),
    ) {
        let mut model = Tiny::new();
        model.write();
        model.set("model_type", json!(family)).set(key, value);
        std::fs::write(model.folder().join("config.json"), model.config.to_string()).unwrap();
        use_it(&model);
    }

    #[test]
    fn odd_places_of_tensors_never_panic(
        which in any::<prop::sample::Index>(),
        key in prop::sample::select(vec!["shape", "data_offsets", "dtype"]),
        values in prop::collection::vec(any_number(), 0..4),
    ) {
        let model = tiny();
        edit_header(&model, |header| {
            let names: Vec<String> = header.as_object().unwrap().keys().cloned().collect();
            header[which.get(&names)][key] = Value::Array(values);
        });
        use_it(&model);
    }
}
