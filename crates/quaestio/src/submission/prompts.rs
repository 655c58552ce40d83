//! The prompts that a run will use.

use run::entry::Hash;
use run::prompt::Prompts;

use super::Draft;
use crate::failure::Failure;
use crate::wire;

impl Draft {
    /// Returns a digest of the prompts of the run's agents and of their settings.
    pub(crate) fn prompts(&self) -> Result<Hash, Failure> {
        let config = self.config();
        let prompts = wire::prompts(config)?;
        let calls = self.wanted.calls(config, &self.question);
        digest(&prompts, calls.iter().map(|calls| &calls.agent))
    }
}

/// Returns a digest of the prompts of these agents and of their settings.
pub(crate) fn digest<'a>(
    prompts: &Prompts,
    agents: impl Iterator<Item = &'a run::Agent>,
) -> Result<Hash, Failure> {
    let mut digests = Vec::new();
    for agent in agents {
        let prompt = prompts
            .of(agent)
            .map_err(|error| Failure::usage(error.to_string(), "correct prompts.folder"))?;
        let settings = (prompt.tier, prompt.temperature, prompt.max_tokens);
        digests.push((agent.prompt, prompt.hash, settings));
    }
    Ok(Hash::of_json(&digests))
}
