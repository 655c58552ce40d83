//! How survey data is read, and how its figures are computed and compared.

use serde::Deserialize;
use survey::figure::{Correction, Rules, Test};

/// The largest file that may be allowed.
const LARGEST_FILE: u64 = 16 << 30;

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SurveyConfig {
    pub(crate) file_bytes: u64,
    alpha: f64,
    strict_alpha: f64,
    low_base: u64,
    least_base: u64,
    test: Test,
    correction: Correction,
    confidence: f64,
}

impl SurveyConfig {
    /// Returns how figures are computed and compared.
    pub(crate) fn rules(&self) -> Rules {
        let SurveyConfig {
            alpha,
            strict_alpha,
            low_base,
            least_base,
            test,
            correction,
            confidence,
            ..
        } = *self;
        Rules { alpha, strict_alpha, low_base, least_base, test, correction, confidence }
    }

    /// Returns the first key that cannot be used, and what it must be.
    pub(super) fn wrong(&self) -> Option<(&'static str, String)> {
        let size = (1..=LARGEST_FILE).contains(&self.file_bytes);
        let size = (!size).then(|| ("file_bytes", format!("1 to {LARGEST_FILE}")));
        size.or_else(|| self.rules().wrong())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const USUAL: &str = "file_bytes = 1000\nalpha = 0.05\nstrict_alpha = 0.01\nlow_base = 100\nleast_base = 30\n\
                         test = \"effective_base\"\ncorrection = \"none\"\nconfidence = 0.95";

    // proves: B5
    #[test]
    fn rules_are_as_they_are_written_and_what_cannot_be_is_named() {
        let config: SurveyConfig = toml::from_str(USUAL).unwrap();
        assert_eq!((config.rules(), config.wrong()), (Rules::default(), None));
        for (from, to, key) in [
            ("= 1000", "= 0", "file_bytes"),
            ("= 0.05", "= 5.0", "alpha"),
            ("= 0.05", "= nan", "alpha"),
            ("= 0.01", "= 0.1", "strict_alpha"),
            ("= 0.95", "= 95.0", "confidence"),
            ("= 30", "= 0", "least_base"),
            ("= 100\n", "= 10\n", "low_base"),
        ] {
            let config: SurveyConfig = toml::from_str(&USUAL.replacen(from, to, 1)).unwrap();
            assert_eq!(config.wrong().map(|(key, _)| key), Some(key), "{to}");
        }
    }
}
