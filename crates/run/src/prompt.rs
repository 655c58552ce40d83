//! Prompt files: front matter, then Task, What you are given, What to return.
//!
//! They are compiled in, and each can be overridden by a file in a folder; the digest of the one used is in the log.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use serde::Deserialize;

use crate::entry::Hash;
use crate::settings::Tier;

/// A role and its prompt.
#[derive(Debug, Clone, Copy)]
pub struct Agent {
    /// The role; its steps are named after it.
    pub name: &'static str,
    /// `<method>/<role>`: the prompt file's path below the prompts folder, without `.md`.
    pub prompt: &'static str,
    /// The prompt file that is compiled in.
    pub text: &'static str,
}

/// A parsed prompt.
#[derive(Debug, Clone, PartialEq)]
pub struct Prompt {
    pub version: u32,
    pub tier: Tier,
    pub temperature: f64,
    pub max_tokens: u32,
    /// The text for the model: everything below the front matter.
    pub text: Arc<str>,
    pub hash: Hash,
}

/// Overrides of an agent from configuration (`[agents.<method>.<role>]`).
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct AgentSettings {
    pub tier: Option<Tier>,
    pub temperature: Option<f64>,
    pub max_tokens: Option<u32>,
}

/// Why a prompt file cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the prompt {prompt} is not usable: {reason}")]
pub struct PromptError {
    pub prompt: String,
    pub reason: String,
}

/// The prompts of a world, with the overrides of those that are compiled in.
#[derive(Debug, Default)]
pub struct Prompts {
    /// Files from a folder, by `<method>/<role>`.
    files: BTreeMap<String, String>,
    /// Settings from configuration, by `<method>/<role>`.
    agents: BTreeMap<String, AgentSettings>,
    /// Prompts already parsed, by `<method>/<role>`.
    read: Mutex<HashMap<&'static str, Arc<Prompt>>>,
}

impl Prompts {
    pub fn new(
        files: BTreeMap<String, String>,
        agents: BTreeMap<String, AgentSettings>,
    ) -> Prompts {
        Prompts { files, agents, read: Mutex::default() }
    }

    /// Returns the file that overrides the prompt of that name, `<method>/<role>`.
    pub fn find_file(&self, name: &str) -> Option<&str> {
        self.files.get(name).map(String::as_str)
    }

    /// Returns the prompt of `agent` with all overrides.
    pub fn of(&self, agent: &Agent) -> Result<Arc<Prompt>, PromptError> {
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(prompt) = read.get(agent.prompt) {
            return Ok(Arc::clone(prompt));
        }
        let text = self.files.get(agent.prompt).map_or(agent.text, String::as_str);
        let mut prompt = Prompt::read(text)
            .map_err(|reason| PromptError { prompt: agent.prompt.to_owned(), reason })?;
        if let Some(settings) = self.agents.get(agent.prompt) {
            prompt.tier = settings.tier.unwrap_or(prompt.tier);
            prompt.temperature = settings.temperature.unwrap_or(prompt.temperature);
            prompt.max_tokens = settings.max_tokens.unwrap_or(prompt.max_tokens);
        }
        let prompt = Arc::new(prompt);
        read.insert(agent.prompt, Arc::clone(&prompt));
        Ok(prompt)
    }
}

impl Prompt {
    /// Parses a prompt file.
    pub fn read(file: &str) -> Result<Prompt, String> {
        let file = file.trim_start_matches('\u{feff}');
        let rest = file
            .strip_prefix("---")
            .ok_or("it does not begin with a front matter between `---` lines")?;
        let (front, text) =
            rest.split_once("\n---").ok_or("its front matter has no closing `---` line")?;
        let mut prompt = Prompt {
            version: 0,
            tier: Tier::Main,
            temperature: 0.0,
            max_tokens: 0,
            text: text.trim_start_matches('-').trim().into(),
            hash: Hash::of(file.as_bytes()),
        };
        for line in front.lines().map(str::trim).filter(|line| !line.is_empty()) {
            let (key, value) =
                line.split_once(':').ok_or_else(|| format!("'{line}' is not `key: value`"))?;
            let value = value.trim();
            let wrong = |what: &str| format!("{} must be {what}, not '{value}'", key.trim());
            match key.trim() {
                "version" => prompt.version = value.parse().map_err(|_| wrong("a whole number"))?,
                "tier" => {
                    prompt.tier = match value {
                        "light" => Tier::Light,
                        "main" => Tier::Main,
                        "reader" => Tier::Reader,
                        _ => return Err(wrong("light, main or reader")),
                    }
                }
                "temperature" => {
                    prompt.temperature = value.parse().map_err(|_| wrong("a number"))?;
                }
                "max_tokens" => {
                    prompt.max_tokens = value.parse().map_err(|_| wrong("a whole number"))?;
                }
                other => return Err(format!("'{other}' is not a setting of a prompt")),
            }
        }
        if prompt.version == 0 || prompt.max_tokens == 0 {
            return Err(
                "its front matter must give `version` and `max_tokens`, both above 0".into()
            );
        }
        Ok(prompt)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str =
        "---\nversion: 2\ntier: light\ntemperature: 0.3\nmax_tokens: 400\n---\n\n# Task\nAnswer.\n";
    const AGENT: Agent = Agent { name: "critic", prompt: "test/critic", text: FILE };

    // proves: C9
    #[test]
    fn a_prompt_file_says_its_version_and_limits() {
        let prompt = Prompt::read(FILE).unwrap();
        assert_eq!((prompt.version, prompt.tier, prompt.max_tokens), (2, Tier::Light, 400));
        assert_eq!(&*prompt.text, "# Task\nAnswer.");
    }

    // proves: C8, C9
    #[test]
    fn a_folder_and_the_configuration_override_what_is_compiled_in() {
        let compiled_in = Prompts::default().of(&AGENT).unwrap();
        let files = [("test/critic".to_owned(), FILE.replace("Answer.", "Answer briefly."))];
        let settings = AgentSettings { max_tokens: Some(9), ..Default::default() };
        let prompts = Prompts::new(files.into(), [("test/critic".to_owned(), settings)].into());
        let overridden = prompts.of(&AGENT).unwrap();
        assert_eq!(&*overridden.text, "# Task\nAnswer briefly.");
        assert_eq!((overridden.max_tokens, overridden.temperature), (9, 0.3));
        assert_ne!(overridden.hash, compiled_in.hash);
    }

    #[test]
    fn a_broken_prompt_file_is_one_clear_error() {
        for (file, says) in [
            ("# Task", "front matter"),
            ("---\nversion: 1\n", "closing"),
            ("---\nversion: one\nmax_tokens: 5\n---\n", "whole number"),
            ("---\nversion: 1\n---\n", "max_tokens"),
            ("---\nversion: 1\nmax_tokens: 5\nmodel: x\n---\n", "not a setting"),
        ] {
            let error = Prompt::read(file).unwrap_err();
            assert!(error.contains(says), "{error}");
        }
    }
}
