//! What was set from the page: values and keys in a file of the data folder, which lie right above the defaults.
//!
//! Files of the configuration, the environment and the command line win over it. A key is kept with the service and the address that
//! it was given for, and is never handed out for another one.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use app::KeyName;
use figment2::value::{Dict, Value};
use models::Secret;
use serde::{Deserialize, Serialize};

use super::layer::{Layer, nested};
use crate::failure::Failure;
use crate::saving;

/// The name of its layer, before the path of the file.
const LAYER: &str = "page settings";

/// What the page set.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Kept {
    /// By the keys of the configuration.
    #[serde(default)]
    pub(crate) values: BTreeMap<String, serde_json::Value>,
    #[serde(default)]
    pub(crate) keys: BTreeMap<KeyName, KeptKey>,
}

/// A key, and where it may be sent.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct KeptKey {
    key: String,
    /// A provider of models, or an engine.
    service: String,
    /// Empty means the service's own address.
    base_url: String,
}

impl std::fmt::Debug for KeptKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "KeptKey(*** for {})", self.service)
    }
}

impl KeptKey {
    pub(crate) fn new(key: &str, service: &str, base_url: &str) -> KeptKey {
        let [key, service, base_url] = [key, service, base_url].map(str::to_owned);
        KeptKey { key, service, base_url }
    }

    /// Tells whether it is for a service at an address.
    pub(crate) fn is_for(&self, service: &str, base_url: &str) -> bool {
        let plain = |url: &str| url.trim_end_matches('/').to_owned();
        self.service == service && plain(&self.base_url) == plain(base_url)
    }
}

/// The keys that the page keeps, as a configuration holds them.
#[derive(Debug, Clone, Default)]
pub(crate) struct KeptKeys(Arc<BTreeMap<KeyName, KeptKey>>);

impl KeptKeys {
    /// Returns the key for a service at an address; an empty address is the service's own.
    pub(crate) fn find(&self, name: KeyName, service: &str, base_url: &str) -> Option<Secret> {
        let kept = self.0.get(&name).filter(|kept| kept.is_for(service, base_url))?;
        Some(Secret::from(kept.key.clone()))
    }

    /// Returns the key for a model, whose provider is the service.
    pub(crate) fn for_model(&self, model: &str, base_url: &str) -> Option<Secret> {
        self.find(KeyName::Model, service_of(model), base_url)
    }
}

/// Returns the provider of a model or an embedder; empty where it names none.
pub(crate) fn service_of(model: &str) -> &str {
    model.split_once('/').map_or("", |(provider, _)| provider)
}

impl Kept {
    /// Returns where it is kept.
    pub(crate) fn path(folder: &Path) -> PathBuf {
        folder.join("settings.json")
    }

    /// Reads what is kept in a data folder; nothing where there is no file.
    pub(crate) fn read(folder: &Path) -> Result<Kept, Failure> {
        use std::io::ErrorKind::{NotADirectory, NotFound};
        let path = Kept::path(folder);
        let unusable = |why: String| {
            Failure::usage(
                format!("{LAYER} {}: {why}", path.display()),
                "correct or remove the file; without it, settings made on the page are lost",
            )
        };
        match std::fs::read(&path) {
            // The error of the parser may hold a piece of the text, and so of a key.
            Ok(bytes) => serde_json::from_slice(&bytes)
                .map_err(|error| unusable(format!("line {} is not valid", error.line()))),
            // A data folder that is none is told by whatever needs one.
            Err(error) if matches!(error.kind(), NotFound | NotADirectory) => Ok(Kept::default()),
            Err(error) => Err(unusable(format!("could not read it: {error}"))),
        }
    }

    /// Keeps it for the user of the program alone. A crash on the way leaves what was there before.
    pub(crate) fn save(&self, folder: &Path) -> Result<(), Failure> {
        let path = Kept::path(folder);
        let text = serde_json::to_string_pretty(self).unwrap_or_default() + "\n";
        std::fs::create_dir_all(folder)
            .and_then(|()| saving::save_private(&path, text.as_bytes()))
            .map_err(|error| {
                Failure::new(
                    format!("could not write {}: {error}", path.display()),
                    "check the folder's permissions and free space",
                )
            })
    }

    /// Returns its layer, kept in that data folder.
    pub(super) fn layer(&self, folder: &Path) -> Result<Layer, Failure> {
        let name = format!("{LAYER} {}", Kept::path(folder).display());
        let mut pairs = Vec::new();
        for (key, value) in &self.values {
            let value = Value::serialize(value).map_err(|error| {
                Failure::usage(format!("{name}: {key}: {error}"), "write a text or a number")
            })?;
            pairs.push((key.as_str(), value));
        }
        let values: Dict = nested(pairs);
        let secrets = KeptKeys(Arc::new(self.keys.clone()));
        Ok(Layer { secrets, ..Layer::new(name, values)? })
    }
}

impl Layer {
    /// Tells whether the page set it.
    pub(super) fn is_kept(&self) -> bool {
        is_kept(&self.name)
    }
}

/// Tells whether a layer of that name was set from the page.
pub(crate) fn is_kept(layer: &str) -> bool {
    layer.strip_prefix(LAYER).is_some_and(|rest| rest.starts_with(' '))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept() -> Kept {
        let keys = [(KeyName::Model, KeptKey::new("canary-key", "openai", "https://a.org/v1"))];
        let values = [("models.main".to_owned(), serde_json::json!("openai/small"))];
        Kept { values: values.into(), keys: keys.into() }
    }

    // proves: F3
    #[test]
    fn a_key_goes_to_the_service_and_the_address_it_was_given_for_alone() {
        let keys = KeptKeys(Arc::new(kept().keys));
        for (model, base_url, is_theirs) in [
            ("openai/small", "https://a.org/v1", true),
            ("openai/large", "https://a.org/v1/", true),
            ("openai/small", "", false),
            ("openai/small", "https://b.org/v1", false),
            ("groq/small", "https://a.org/v1", false),
            ("small", "https://a.org/v1", false),
        ] {
            assert_eq!(keys.for_model(model, base_url).is_some(), is_theirs, "{model} {base_url}");
        }
        assert!(keys.find(KeyName::Web, "openai", "https://a.org/v1").is_none());
    }

    // proves: F3
    #[test]
    fn it_is_kept_for_one_user_and_printed_nowhere() {
        let folder = tempfile::tempdir().unwrap();
        kept().save(folder.path()).unwrap();
        assert_eq!(Kept::read(folder.path()).unwrap(), kept());
        assert!(!format!("{:?}", kept()).contains("canary"));
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let file = std::fs::metadata(Kept::path(folder.path())).unwrap();
            assert_eq!(file.permissions().mode() & 0o777, 0o600);
        }
        std::fs::write(Kept::path(folder.path()), "{\"keys\": \"canary-key\"}").unwrap();
        let refused = Kept::read(folder.path()).unwrap_err();
        assert!(refused.what.contains("settings.json: line 1"), "{refused}");
        assert!(!refused.to_string().contains("canary"), "{refused}");
    }
}
