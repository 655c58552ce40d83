//! How proposed code is executed, and how far it may go.

use run::sandbox::Limits;
use serde::Deserialize;

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SandboxConfig {
    pub(crate) enabled: bool,
    pub(crate) interpreter: String,
    seconds: u64,
    memory_mib: u64,
    output_kib: u64,
    scratch_mib: u64,
    files: u64,
}

impl SandboxConfig {
    /// Returns how far a program may go.
    pub(crate) fn limits(&self) -> Limits {
        let SandboxConfig { seconds, memory_mib, output_kib, scratch_mib, files, .. } = *self;
        Limits { seconds, memory_mib, output_kib, scratch_mib, files }
    }

    /// Returns the first key that cannot be used, and what it must be.
    pub(super) fn wrong(&self) -> Option<(&'static str, String)> {
        let between = |key: &'static str, value: u64, least: u64, most: u64| {
            (!(least..=most).contains(&value)).then(|| (key, format!("{least} to {most}")))
        };
        let named = !self.interpreter.trim().is_empty();
        (!named)
            .then(|| ("interpreter", "the name or path of a Python interpreter".to_owned()))
            .or_else(|| between("seconds", self.seconds, 1, 600))
            .or_else(|| between("memory_mib", self.memory_mib, 64, 1 << 16))
            .or_else(|| between("output_kib", self.output_kib, 1, 16 << 10))
            .or_else(|| between("scratch_mib", self.scratch_mib, 1, 1 << 10))
            .or_else(|| between("files", self.files, 1, 10_000))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // proves: D4
    #[test]
    fn limits_are_as_they_are_written_and_never_none() {
        let text = "enabled = true\ninterpreter = \"python3\"\nseconds = 20\nmemory_mib = 1024\noutput_kib = 1024\nscratch_mib = 16\nfiles = 256";
        let config: SandboxConfig = toml::from_str(text).unwrap();
        assert_eq!((config.limits(), config.wrong()), (Limits::default(), None));
        for (from, to) in [("20", "0"), ("16\n", "0\n"), ("python3", " "), ("256", "1000000")] {
            let config: SandboxConfig = toml::from_str(&text.replace(from, to)).unwrap();
            assert!(config.wrong().is_some(), "{to}");
        }
    }
}
