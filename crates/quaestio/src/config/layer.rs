//! One layer of the configuration: a file, a variable, the command line.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use figment2::value::{Dict, Map, Value};
use figment2::{Metadata, Profile, Provider};

use super::KEY_VARIABLE;
use super::documented::{self, Documented};
use super::explain::explain_toml;
use super::kept::KeptKeys;
use super::profiles::{self, PROFILE};
use crate::failure::Failure;

const PREFIX: &str = "QUAESTIO_";
/// Variables with a name of their own, and the key each sets.
pub(crate) const ALIASES: [(&str, &str); 9] = [
    ("QUAESTIO_PROFILE", PROFILE),
    ("QUAESTIO_USER", "user"),
    ("QUAESTIO_ARTIFACTS", "artifacts"),
    ("QUAESTIO_MODEL", "models.main"),
    ("QUAESTIO_LIGHT_MODEL", "models.light"),
    ("QUAESTIO_BASE_URL", "models.base_url"),
    ("QUAESTIO_DATA_DIR", "data_dir"),
    ("QUAESTIO_DATABASE", "database"),
    ("QUAESTIO_EMBEDDER", "embedder.model"),
];

/// Returns the variable with a name of its own that sets a key.
pub(crate) fn alias_of(key: &str) -> Option<&'static str> {
    ALIASES.iter().find(|(_, known)| *known == key).map(|(name, _)| *name)
}

/// One layer: named values.
#[derive(Clone)]
pub(super) struct Layer {
    pub(super) name: String,
    pub(super) values: Dict,
    /// The keys that it sets, in full.
    pub(super) keys: BTreeSet<String>,
    /// What it says of versions, which is none of its values.
    pub(super) versions: BTreeMap<&'static str, Layer>,
    /// The profiles that may be chosen, likewise.
    pub(super) profiles: BTreeMap<String, Layer>,
    /// The keys of services that it holds, which are none of its values either.
    pub(super) secrets: KeptKeys,
}

impl Layer {
    pub(super) fn new(name: impl Into<String>, mut values: Dict) -> Result<Layer, Failure> {
        let name = name.into();
        let versions = profiles::take_versions(&name, &mut values)?;
        let profiles = profiles::profiles(&name, &mut values)?;
        Ok(Layer { versions, profiles, ..Layer::plain(name, values) })
    }

    /// A layer of nothing but values.
    pub(super) fn plain(name: String, values: Dict) -> Layer {
        let mut leaves = Vec::new();
        walk("", &Value::from(values.clone()), &mut leaves);
        let keys = leaves.into_iter().map(|(key, _)| key).collect();
        Layer {
            name,
            values,
            keys,
            versions: BTreeMap::new(),
            profiles: BTreeMap::new(),
            secrets: KeptKeys::default(),
        }
    }

    /// Returns every key that it sets anywhere: as it is written, and as the configuration has it.
    pub(super) fn written(&self) -> Vec<(String, &str)> {
        let own = self.keys.iter().map(|key| (key.clone(), key.as_str()));
        let versions = self.versions.iter().map(|(name, own)| (format!("versions.{name}"), own));
        let profiles = self.profiles.iter().map(|(name, own)| (format!("profiles.{name}"), own));
        let beside = versions.chain(profiles).flat_map(|(table, layer)| {
            let keys = layer.written().into_iter();
            keys.map(move |(written, key)| (format!("{table}.{written}"), key))
        });
        own.chain(beside).collect()
    }
}

impl Provider for Layer {
    fn metadata(&self) -> Metadata {
        Metadata::named(self.name.clone())
    }

    fn data(&self) -> Result<Map<Profile, Dict>, figment2::Error> {
        Ok(Map::from([(Profile::Default, self.values.clone())]))
    }
}
pub(super) fn walk(prefix: &str, value: &Value, leaves: &mut Vec<(String, String)>) {
    match value {
        Value::Dict(_, fields) => {
            for (key, value) in fields {
                let key = if prefix.is_empty() { key.clone() } else { format!("{prefix}.{key}") };
                walk(&key, value, leaves);
            }
        }
        other => leaves.push((prefix.to_owned(), serde_json::to_string(other).unwrap_or_default())),
    }
}

pub(super) fn parse(name: &str, text: &str) -> Result<Dict, Failure> {
    toml::from_str(text).map_err(|error| {
        Failure::usage(
            format!("the {name} is not valid TOML: {}", explain_toml(text, &error)),
            "correct or remove the file",
        )
    })
}

pub(super) fn file(kind: &str, path: &Path, required: bool) -> Result<Option<Layer>, Failure> {
    let name = format!("{kind} {}", path.display());
    match std::fs::read_to_string(path) {
        Ok(text) => {
            let values = parse(&name, &text)?;
            Ok(Some(Layer::new(name, values)?))
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound && !required => Ok(None),
        Err(error) => Err(Failure::usage(
            format!("could not read the {name}: {error}"),
            "check the path and its permissions",
        )),
    }
}

/// Reads `QUAESTIO_…` and what the documents name, one layer a variable, so that each keeps its name.
///
/// Beside the layers, what is to be said of variables that are understood and set nothing here.
pub(super) fn environment(
    variables: impl Iterator<Item = (String, String)>,
) -> Result<(Vec<Layer>, Vec<String>), Failure> {
    let (mut layers, mut remarks) = (Vec::new(), Vec::new());
    for (name, value) in variables.filter(|(name, value)| !value.is_empty() && name != KEY_VARIABLE)
    {
        let (ours, key, value) = match documented::read(&name, &value)? {
            Some(Documented::Sets(key, value)) => (false, key.to_owned(), value),
            Some(Documented::Means(remark)) => {
                remarks.push(remark);
                continue;
            }
            Some(Documented::Nothing) => continue,
            None => {
                let alias = ALIASES.iter().find(|(known, _)| *known == name);
                let key = alias.map(|(_, key)| (*key).to_owned()).or_else(|| {
                    let rest = name.strip_prefix(PREFIX)?;
                    rest.contains("__").then(|| rest.to_lowercase().replace("__", "."))
                });
                let Some(key) = key else { continue };
                (true, key, value)
            }
        };
        let values = nested(vec![(key.as_str(), parse_value(&value))]);
        layers.push((ours, Layer::new(format!("environment {name}"), values)?));
    }
    layers.sort_by(|(ours, one), (others, other)| (ours, &one.name).cmp(&(others, &other.name)));
    remarks.sort();
    Ok((layers.into_iter().map(|(_, layer)| layer).collect(), remarks))
}

pub(super) fn nested(pairs: Vec<(&str, Value)>) -> Dict {
    let mut root = Dict::new();
    for (key, value) in pairs {
        let mut parts: Vec<&str> = key.split('.').collect();
        let Some(last) = parts.pop() else { continue };
        let mut dict = &mut root;
        for part in parts {
            let next = dict.entry(part.to_owned()).or_insert_with(|| Value::from(Dict::new()));
            if !matches!(next, Value::Dict(..)) {
                *next = Value::from(Dict::new());
            }
            let Value::Dict(_, inner) = next else { return root };
            dict = inner;
        }
        dict.insert(last.to_owned(), value);
    }
    root
}

/// Reads `key=value` of `--set` the way environment variables are read.
pub(crate) fn setting(text: &str) -> Result<(String, Value), Failure> {
    let wrong = || {
        Failure::usage(
            format!("'{text}' is not key=value"),
            "write KEY=VALUE, for example --set ask.top_k=12",
        )
    };
    let (key, value) = text.split_once('=').ok_or_else(wrong)?;
    if key.is_empty() || key.split('.').any(str::is_empty) {
        return Err(wrong());
    }
    Ok((key.to_owned(), parse_value(value)))
}

/// Parses a value: a number, a boolean, a quoted text, a list or a table is read as one; anything else is text.
fn parse_value(text: &str) -> Value {
    let spelled = spell_out(text);
    match spelled.parse::<Value>().unwrap_or_else(|never| match never {}) {
        // It could be read as nothing else.
        Value::String(tag, whole) if whole == spelled => Value::String(tag, text.to_owned()),
        value => value,
    }
}

/// Writes characters beyond ASCII in quotes as escape sequences, where figment would take their number for their bytes: before another
/// escape sequence.
fn spell_out(text: &str) -> Cow<'_, str> {
    let is_quoted = text.trim_start().starts_with(['"', '[', '{']);
    if text.is_ascii() || !is_quoted || !text.contains('\\') {
        return Cow::Borrowed(text);
    }
    let (mut in_quotes, mut is_escaped) = (false, false);
    let mut spelled = String::with_capacity(text.len() * 2);
    for c in text.chars() {
        match c {
            '"' if !is_escaped => in_quotes = !in_quotes,
            c if in_quotes && !is_escaped && !c.is_ascii() => {
                spelled.push_str(&format!("\\U{:08x}", u32::from(c)));
                continue;
            }
            _ => {}
        }
        is_escaped = in_quotes && c == '\\' && !is_escaped;
        spelled.push(c);
    }
    Cow::Owned(spelled)
}

#[cfg(test)]
mod tests {
    use super::*;

    // proves: D8
    #[test]
    fn a_quoted_text_is_read_whatever_it_is_written_in() {
        for (text, read) in [
            (r#""Wörter\nzwei""#, "Wörter\nzwei"),
            (r#""Zwölf 🦊\tlaufen \"so\" \\ é""#, "Zwölf 🦊\tlaufen \"so\" \\ é"),
            (r#""kein Ende \ä""#, r#""kein Ende \ä""#),
            (r"ohne\n ä", r"ohne\n ä"),
            ("\"ூײ豈𐡗0 \\ \"", "\"ூײ豈𐡗0 \\ \""),
        ] {
            assert_eq!(parse_value(text).as_str(), Some(read), "{text}");
        }
        let list = parse_value(r#"["ä\n", "b"]"#);
        let texts: Vec<&str> = list.as_array().unwrap().iter().filter_map(Value::as_str).collect();
        assert_eq!(texts, ["ä\n", "b"]);
    }
}
