//! What a model's folder says about it: `config.json` and, if present, the files of sentence-transformers.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde::de::DeserializeOwned;

use run::embedding::Pooling;

use super::lanes::Activation;
use super::{LocalError, LocalSettings};

/// The maximum size of a settings file, in bytes.
const SETTINGS_LIMIT: u64 = 1024 * 1024;

/// Everything needed to compute as in training.
pub(super) struct Description {
    pub(super) config: Config,
    pub(super) activation: Activation,
    /// The position of the first token.
    pub(super) first_position: usize,
    /// The folder of the tokenizer and weights.
    pub(super) folder: PathBuf,
    pub(super) pooling: Pooling,
    pub(super) passage_prefix: String,
    pub(super) query_prefix: String,
    /// The number of tokens read per text, including special ones.
    pub(super) max_tokens: usize,
    /// Whether texts are lower-cased first.
    pub(super) lower_case: bool,
    /// The bytes of `config.json`, for the fingerprint.
    pub(super) config_json: Vec<u8>,
}

/// The part of `config.json` that the forward pass depends on.
#[derive(Deserialize)]
pub(super) struct Config {
    #[serde(default)]
    model_type: String,
    #[serde(default)]
    architectures: Option<Vec<String>>,
    #[serde(default, rename = "_name_or_path")]
    name_or_path: Option<String>,
    pub(super) hidden_size: usize,
    pub(super) intermediate_size: usize,
    pub(super) num_attention_heads: usize,
    pub(super) num_hidden_layers: usize,
    pub(super) vocab_size: usize,
    pub(super) max_position_embeddings: usize,
    pub(super) type_vocab_size: usize,
    #[serde(default = "usual_epsilon")]
    pub(super) layer_norm_eps: f32,
    #[serde(default)]
    hidden_act: Option<String>,
    #[serde(default)]
    position_embedding_type: Option<String>,
    #[serde(default)]
    pub(super) pad_token_id: Option<u32>,
    #[serde(default)]
    is_decoder: bool,
}

fn usual_epsilon() -> f32 {
    1e-12
}

#[derive(Deserialize)]
struct Module {
    #[serde(default)]
    path: String,
    #[serde(rename = "type")]
    kind: String,
}

#[derive(Deserialize, Default)]
struct Limits {
    #[serde(default)]
    max_seq_length: Option<usize>,
    #[serde(default)]
    do_lower_case: bool,
}

#[derive(Deserialize, Default)]
struct Prompts {
    #[serde(default)]
    prompts: BTreeMap<String, Option<String>>,
    #[serde(default)]
    default_prompt_name: Option<String>,
}

impl Description {
    pub(super) fn read(
        folder: &Path,
        name: &str,
        settings: &LocalSettings,
    ) -> Result<Description, LocalError> {
        let modules_path = folder.join("modules.json");
        let modules: Vec<Module> = read_json(&modules_path)?.unwrap_or_default();
        let prompts_path = folder.join("config_sentence_transformers.json");
        let prompts: Prompts = read_json(&prompts_path)?.unwrap_or_default();

        let (transformer, pooling) = parts(&modules, &modules_path)?;
        let home = folder.join(transformer);
        let config_path = home.join("config.json");
        let pooling_path = folder.join(pooling).join("config.json");
        let config_json = bytes_of(&config_path, SETTINGS_LIMIT)?.ok_or_else(|| {
            let looked = format!("{} is missing", config_path.display());
            LocalError::NotFound { model: name.to_owned(), looked }
        })?;
        let config: Config = parse(&config_json, &config_path)?;
        let limits_path = home.join("sentence_bert_config.json");
        let limits: Limits = read_json(&limits_path)?.unwrap_or_default();
        let pooled: Option<serde_json::Value> = read_json(&pooling_path)?;
        let pooled = match pooled {
            Some(value) => pooling_of(&value, &pooling_path)?,
            None => Pooling::Mean,
        };

        let first_position = config.check(&config_path)?;
        let activation = config.activation(&config_path)?;
        let positions = config.max_position_embeddings - first_position;
        let own = limits.max_seq_length.map_or(positions, |limit| limit.min(positions));
        let max_tokens = match settings.max_tokens {
            Some(limit) if (limit as usize) < own => limit as usize,
            _ => own,
        };
        let (passage_prefix, query_prefix) = prefixes(&config, name, &prompts);
        Ok(Description {
            config,
            activation,
            first_position,
            folder: home,
            pooling: settings.pooling.unwrap_or(pooled),
            passage_prefix: settings.passage_prefix.clone().unwrap_or(passage_prefix),
            query_prefix: settings.query_prefix.clone().unwrap_or(query_prefix),
            max_tokens,
            lower_case: limits.do_lower_case,
            config_json,
        })
    }
}

impl Config {
    /// Refuses what is not implemented here, and returns the position of the first token.
    fn check(&self, path: &Path) -> Result<usize, LocalError> {
        const SUPPORTED: &str = "the families bert, xlm-roberta, roberta and camembert";
        let unsupported = |found: String, supported| LocalError::Unsupported {
            path: path.to_owned(),
            found,
            supported,
        };
        let malformed = |what: &str| {
            Err(LocalError::Malformed { path: path.to_owned(), what: what.to_owned() })
        };
        let architecture = self.architectures.iter().flatten().next().map_or("", String::as_str);
        let family = match (self.model_type.as_str(), architecture) {
            ("", "BertModel") => "bert",
            ("", "XLMRobertaModel") => "xlm-roberta",
            ("", other) => other,
            (family, _) => family,
        };
        let first_position = match family {
            "bert" => 0,
            // Positions start after the padding id.
            "xlm-roberta" | "roberta" | "camembert" => self.pad_token_id.unwrap_or(1) as usize + 1,
            other => {
                return Err(unsupported(format!("a model of the family '{other}'"), SUPPORTED));
            }
        };
        let positions = self.position_embedding_type.as_deref().unwrap_or("absolute");
        if positions != "absolute" {
            let found = format!("position embeddings of type '{positions}'");
            return Err(unsupported(found, "absolute positions"));
        }
        if self.is_decoder {
            return Err(unsupported("a decoder".into(), "encoders"));
        }
        if self.hidden_size == 0
            || self.intermediate_size == 0
            || self.num_attention_heads == 0
            || self.num_hidden_layers == 0
            || self.vocab_size == 0
            || self.type_vocab_size == 0
        {
            return malformed("a size is 0");
        }
        if !self.hidden_size.is_multiple_of(self.num_attention_heads) {
            return malformed("hidden_size is not a multiple of num_attention_heads");
        }
        if self.hidden_size.checked_mul(3).is_none() {
            return malformed("hidden_size is too large");
        }
        if !(self.layer_norm_eps >= 0.0 && self.layer_norm_eps.is_finite()) {
            return malformed("layer_norm_eps is not a small positive number");
        }
        if self.max_position_embeddings <= first_position {
            return malformed("max_position_embeddings leaves no position for a token");
        }
        Ok(first_position)
    }

    fn activation(&self, path: &Path) -> Result<Activation, LocalError> {
        match self.hidden_act.as_deref().unwrap_or("gelu") {
            "gelu" => Ok(Activation::Gelu),
            "gelu_new" | "gelu_fast" | "gelu_pytorch_tanh" => Ok(Activation::GeluTanh),
            "relu" => Ok(Activation::Relu),
            other => Err(LocalError::Unsupported {
                path: path.to_owned(),
                found: format!("the activation '{other}'"),
                supported: "gelu, gelu_new, gelu_fast, gelu_pytorch_tanh and relu",
            }),
        }
    }
}

/// Returns the bytes of a file, or `None` if there is no such file.
pub(super) fn bytes_of(path: &Path, limit: u64) -> Result<Option<Vec<u8>>, LocalError> {
    let unreadable = |error: &dyn std::fmt::Display| LocalError::Unreadable {
        path: path.to_owned(),
        reason: error.to_string(),
    };
    // Reading a pipe or a device could block.
    if path.metadata().is_ok_and(|found| !found.is_file()) {
        return Err(unreadable(&"it is not a regular file"));
    }
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(unreadable(&error)),
    };
    let mut bytes = Vec::new();
    file.take(limit + 1).read_to_end(&mut bytes).map_err(|error| unreadable(&error))?;
    if bytes.len() as u64 > limit {
        return Err(unreadable(&format!("it has more than {limit} bytes")));
    }
    Ok(Some(bytes))
}

/// Reads an optional settings file.
fn read_json<T: DeserializeOwned>(path: &Path) -> Result<Option<T>, LocalError> {
    let bytes = bytes_of(path, SETTINGS_LIMIT)?;
    bytes.map(|bytes| parse(&bytes, path)).transpose()
}

fn parse<T: DeserializeOwned>(bytes: &[u8], path: &Path) -> Result<T, LocalError> {
    serde_json::from_slice(bytes)
        .map_err(|error| LocalError::Malformed { path: path.to_owned(), what: error.to_string() })
}

/// Returns the folders of the transformer and of the pooling.
fn parts<'a>(modules: &'a [Module], path: &Path) -> Result<(&'a str, &'a str), LocalError> {
    let (mut transformer, mut pooling) = ("", "1_Pooling");
    for module in modules {
        let outside = module.path.contains(['/', '\\', ':']) || module.path.starts_with('.');
        if outside {
            return Err(LocalError::Malformed {
                path: path.to_owned(),
                what: format!("the module path '{}' is not a folder beside it", module.path),
            });
        }
        match module.kind.rsplit('.').next().unwrap_or_default() {
            "Transformer" => transformer = &module.path,
            "Pooling" => pooling = &module.path,
            "Normalize" => {}
            _ => {
                return Err(LocalError::Unsupported {
                    path: path.to_owned(),
                    found: format!("a module of type '{}'", module.kind),
                    supported: "Transformer, Pooling and Normalize",
                });
            }
        }
    }
    Ok((transformer, pooling))
}

fn pooling_of(config: &serde_json::Value, path: &Path) -> Result<Pooling, LocalError> {
    let unsupported = |found: String| LocalError::Unsupported {
        path: path.to_owned(),
        found,
        supported: "pooling by mean or cls, the prompt included",
    };
    if config.get("include_prompt").and_then(serde_json::Value::as_bool) == Some(false) {
        return Err(unsupported("pooling that leaves the prompt out".into()));
    }
    let mut modes: Vec<&str> = config
        .as_object()
        .into_iter()
        .flatten()
        .filter(|(_, on)| on.as_bool() == Some(true))
        .filter_map(|(key, _)| key.strip_prefix("pooling_mode_"))
        .collect();
    modes.extend(config.get("pooling_mode").and_then(serde_json::Value::as_str));
    match modes.as_slice() {
        ["mean_tokens" | "mean"] => Ok(Pooling::Mean),
        ["cls_token" | "cls"] => Ok(Pooling::Cls),
        [] => Err(unsupported("no mode of pooling".into())),
        other => Err(unsupported(format!("pooling by {}", other.join(" and ")))),
    }
}

/// Returns the prefixes of passages and of queries.
fn prefixes(config: &Config, name: &str, prompts: &Prompts) -> (String, String) {
    let prompt = |names: &[&str]| {
        let usual = prompts.default_prompt_name.as_deref();
        let mut names = names.iter().copied().chain(usual);
        names.find_map(|name| prompts.prompts.get(name)?.clone())
    };
    let names = [name, config.name_or_path.as_deref().unwrap_or_default()];
    let e5 = names.iter().any(|name| is_e5(name));
    let usual = |text: &str| if e5 { text.to_owned() } else { String::new() };
    (
        prompt(&["document", "passage", "corpus"]).unwrap_or_else(|| usual("passage: ")),
        prompt(&["query"]).unwrap_or_else(|| usual("query: ")),
    )
}

/// Returns whether a name is of the e5 family, whose models were trained with prefixes (arXiv:2212.03533). Its instruction-tuned
/// models use others.
fn is_e5(name: &str) -> bool {
    let name = name.to_lowercase();
    let words: Vec<&str> = name.split(|c: char| !c.is_alphanumeric()).collect();
    words.contains(&"e5") && !words.contains(&"instruct")
}
