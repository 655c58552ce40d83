//! Models that are written here: random weights, and a tokenizer that spells.

use std::collections::BTreeMap;
use std::path::Path;

use run::embedding::Pooling;
use safetensors::Dtype;
use safetensors::tensor::TensorView;
use serde_json::{Value, json};
use tempfile::TempDir;

pub(crate) const POSITIONS: usize = 64;
pub(crate) const ROWS: usize = 60;

/// A model with two layers, and what is special about it.
pub(crate) struct Tiny {
    folder: TempDir,
    pub(crate) config: Value,
    pub(crate) dtype: Dtype,
    pub(crate) prefix: &'static str,
    /// Whether normalisations have `gamma` and `beta`.
    pub(crate) old_names: bool,
    pub(crate) pooling: Option<Pooling>,
    pub(crate) limits: Option<Value>,
    pub(crate) prompts: Option<Value>,
    /// The weights as they stand in the file, rounded to its numbers.
    pub(crate) tensors: BTreeMap<String, (Vec<usize>, Vec<f32>)>,
}

impl Tiny {
    pub(crate) fn new() -> Tiny {
        let config = json!({
            "model_type": "bert", "hidden_act": "gelu", "layer_norm_eps": 1e-12, "pad_token_id": 0,
            "hidden_size": 32, "intermediate_size": 64, "num_attention_heads": 4, "num_hidden_layers": 2,
            "vocab_size": ROWS, "max_position_embeddings": POSITIONS, "type_vocab_size": 2,
        });
        Tiny {
            folder: tempfile::tempdir().unwrap(),
            config,
            dtype: Dtype::F32,
            prefix: "",
            old_names: false,
            pooling: None,
            limits: None,
            prompts: None,
            tensors: BTreeMap::new(),
        }
    }

    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn set(&mut self, key: &str, value: Value) -> &mut Tiny {
        self.config[key] = value;
        self
    }

    pub(crate) fn size(&self, key: &str) -> usize {
        self.config[key].as_u64().unwrap() as usize
    }

    pub(crate) fn write(&mut self) {
        let put = |name: &str, value: &Value| {
            std::fs::write(self.folder().join(name), value.to_string()).unwrap();
        };
        put("config.json", &self.config);
        put("tokenizer.json", &tokenizer());
        if let Some(limits) = &self.limits {
            put("sentence_bert_config.json", limits);
        }
        if let Some(prompts) = &self.prompts {
            put("config_sentence_transformers.json", prompts);
        }
        if let Some(pooling) = self.pooling {
            std::fs::create_dir_all(self.folder().join("1_Pooling")).unwrap();
            put(
                "modules.json",
                &json!([
                    {"idx": 0, "path": "", "type": "sentence_transformers.models.Transformer"},
                    {"idx": 1, "path": "1_Pooling", "type": "sentence_transformers.models.Pooling"},
                    {"idx": 2, "path": "2_Normalize", "type": "sentence_transformers.models.Normalize"},
                ]),
            );
            put(
                "1_Pooling/config.json",
                &json!({
                    "pooling_mode_cls_token": pooling == Pooling::Cls,
                    "pooling_mode_mean_tokens": pooling == Pooling::Mean,
                }),
            );
        }
        self.tensors = self.random();
        self.write_tensors();
    }

    /// Fills a tensor with one number.
    pub(crate) fn set_tensor(&mut self, name: &str, value: f32) {
        self.tensors.get_mut(name).unwrap().1.fill(value);
        self.write_tensors();
    }

    pub(crate) fn edit(&self, file: &str, change: impl FnOnce(&mut Vec<u8>)) {
        let path = self.folder().join(file);
        let mut bytes = std::fs::read(&path).unwrap();
        change(&mut bytes);
        std::fs::write(path, bytes).unwrap();
    }

    fn random(&self) -> BTreeMap<String, (Vec<usize>, Vec<f32>)> {
        let (hidden, wide) = (self.size("hidden_size"), self.size("intermediate_size"));
        let mut shapes = vec![
            ("embeddings.word_embeddings.weight".to_owned(), vec![ROWS, hidden]),
            ("embeddings.position_embeddings.weight".to_owned(), vec![POSITIONS, hidden]),
            ("embeddings.token_type_embeddings.weight".to_owned(), vec![2, hidden]),
            ("embeddings.LayerNorm.weight".to_owned(), vec![hidden]),
            ("embeddings.LayerNorm.bias".to_owned(), vec![hidden]),
        ];
        for layer in 0..self.size("num_hidden_layers") {
            for (part, outputs, inputs) in [
                ("attention.self.query", hidden, hidden),
                ("attention.self.key", hidden, hidden),
                ("attention.self.value", hidden, hidden),
                ("attention.output.dense", hidden, hidden),
                ("intermediate.dense", wide, hidden),
                ("output.dense", hidden, wide),
                ("attention.output.LayerNorm", hidden, 0),
                ("output.LayerNorm", hidden, 0),
            ] {
                let weight = if inputs == 0 { vec![outputs] } else { vec![outputs, inputs] };
                shapes.push((format!("encoder.layer.{layer}.{part}.weight"), weight));
                shapes.push((format!("encoder.layer.{layer}.{part}.bias"), vec![outputs]));
            }
        }
        let mut state = 0x2545_f491_4f6c_dd1d_u64;
        let mut next = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 40) as f32 / (1 << 24) as f32 - 0.5
        };
        shapes
            .into_iter()
            .map(|(name, shape)| {
                let centre = if name.ends_with("LayerNorm.weight") { 1.0 } else { 0.0 };
                let numbers = shape.iter().product();
                let numbers = (0..numbers).map(|_| round(next() + centre, self.dtype)).collect();
                (name, (shape, numbers))
            })
            .collect()
    }

    fn write_tensors(&self) {
        let bytes: Vec<(String, Vec<usize>, Vec<u8>)> = self
            .tensors
            .iter()
            .map(|(name, (shape, numbers))| {
                let mut name = format!("{}{name}", self.prefix);
                if self.old_names {
                    name = name.replace("LayerNorm.weight", "LayerNorm.gamma");
                    name = name.replace("LayerNorm.bias", "LayerNorm.beta");
                }
                let bytes = numbers.iter().flat_map(|x| match self.dtype {
                    Dtype::F16 => half::f16::from_f32(*x).to_le_bytes().to_vec(),
                    Dtype::BF16 => half::bf16::from_f32(*x).to_le_bytes().to_vec(),
                    _ => x.to_le_bytes().to_vec(),
                });
                (name, shape.clone(), bytes.collect())
            })
            .collect();
        let views = bytes.iter().map(|(name, shape, bytes)| {
            (name, TensorView::new(self.dtype, shape.clone(), bytes).unwrap())
        });
        let file = safetensors::serialize(views, None).unwrap();
        std::fs::write(self.folder().join("model.safetensors"), file).unwrap();
    }
}

fn round(x: f32, dtype: Dtype) -> f32 {
    match dtype {
        Dtype::F16 => half::f16::from_f32(x).to_f32(),
        Dtype::BF16 => half::bf16::from_f32(x).to_f32(),
        _ => x,
    }
}

/// A tokenizer that knows letters, within a word and at its beginning, and the colon.
fn tokenizer() -> Value {
    let special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"];
    let mut vocabulary: BTreeMap<String, usize> =
        special.iter().enumerate().map(|(id, token)| ((*token).to_owned(), id)).collect();
    for (index, letter) in ('a'..='z').enumerate() {
        vocabulary.insert(letter.to_string(), 4 + index);
        vocabulary.insert(format!("##{letter}"), 30 + index);
    }
    vocabulary.insert(":".into(), 56);
    let added: Vec<Value> = special
        .iter()
        .enumerate()
        .map(|(id, token)| {
            json!({
                "id": id, "content": token, "special": true, "single_word": false,
                "lstrip": false, "rstrip": false, "normalized": false,
            })
        })
        .collect();
    json!({
        "version": "1.0",
        "truncation": {"max_length": 5, "strategy": "LongestFirst", "stride": 0, "direction": "Right"},
        "padding": {
            "strategy": {"Fixed": 9}, "direction": "Right", "pad_to_multiple_of": null,
            "pad_id": 0, "pad_type_id": 0, "pad_token": "[PAD]",
        },
        "added_tokens": added,
        "normalizer": {
            "type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true,
            "strip_accents": null, "lowercase": true,
        },
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "post_processor": {
            "type": "TemplateProcessing",
            "single": [
                {"SpecialToken": {"id": "[CLS]", "type_id": 0}},
                {"Sequence": {"id": "A", "type_id": 0}},
                {"SpecialToken": {"id": "[SEP]", "type_id": 0}},
            ],
            "pair": [
                {"Sequence": {"id": "A", "type_id": 0}},
                {"Sequence": {"id": "B", "type_id": 1}},
            ],
            "special_tokens": {
                "[CLS]": {"id": "[CLS]", "ids": [2], "tokens": ["[CLS]"]},
                "[SEP]": {"id": "[SEP]", "ids": [3], "tokens": ["[SEP]"]},
            },
        },
        "decoder": null,
        "model": {
            "type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
            "max_input_chars_per_word": 100, "vocab": vocabulary,
        },
    })
}

/// Returns the tokens of a text of small letters, spaces and colons.
pub(crate) fn tokens(text: &str) -> Vec<usize> {
    let mut tokens = vec![2];
    let mut within = false;
    for c in text.chars() {
        match c {
            'a'..='z' => tokens.push(c as usize - 'a' as usize + if within { 30 } else { 4 }),
            ':' => tokens.push(56),
            _ => {}
        }
        within = c.is_ascii_lowercase();
    }
    tokens.push(3);
    tokens
}
