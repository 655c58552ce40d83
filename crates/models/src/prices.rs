//! The price table: a data file, and the configuration's own prices.

use std::collections::BTreeMap;

use run::budget::Price;

/// The built-in table.
const TABLE: &str = include_str!("prices.toml");

/// Prices by provider and model name.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Prices(BTreeMap<String, BTreeMap<String, Price>>);

/// Why a price table cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("could not read the price table: {reason}")]
pub struct PriceError {
    pub reason: String,
}

impl Prices {
    /// Returns the built-in table with `own` merged over it.
    pub fn with(own: BTreeMap<String, BTreeMap<String, Price>>) -> Result<Prices, PriceError> {
        let mut table: BTreeMap<String, BTreeMap<String, Price>> =
            toml::from_str(TABLE).map_err(|error| PriceError { reason: error.to_string() })?;
        for (provider, models) in own {
            table.entry(provider).or_default().extend(models);
        }
        Ok(Prices(table))
    }

    /// Returns the price of `provider/name`; a dated name (`gpt-4o-2024-08-06`) has the price of the plain one.
    pub fn of(&self, model: &str) -> Option<Price> {
        let (provider, name) = model.split_once('/')?;
        let models = self.0.get(provider)?;
        let dated = || {
            let plain = models.keys().filter(|known| {
                name.strip_prefix(known.as_str())
                    .and_then(|rest| rest.strip_prefix('-'))
                    // `claude-opus-5-5` is not a dated name of `claude-opus-5`.
                    .is_some_and(|date| {
                        let year = date.get(..4);
                        year.is_some_and(|year| year.bytes().all(|byte| byte.is_ascii_digit()))
                    })
            });
            plain.max_by_key(|known| known.len()).and_then(|known| models.get(known))
        };
        models.get(name).or_else(dated).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // proves: C16
    #[test]
    fn the_configuration_lies_over_the_table() {
        let mine = Price { input: 9.0, cached_input: None, output: 9.0 };
        let own = BTreeMap::from([("acme".to_owned(), BTreeMap::from([("m".to_owned(), mine)]))]);
        let prices = Prices::with(own).unwrap();
        assert_eq!(prices.of("acme/m"), Some(mine));
        assert!(prices.of("openai/gpt-4o-mini").is_some());
        assert_eq!(prices.of("openai/gpt-4o-2024-08-06"), prices.of("openai/gpt-4o"));
        assert_eq!(prices.of("openai/gpt-4o-mini-2024-07-18"), prices.of("openai/gpt-4o-mini"));
        assert_eq!(
            prices.of("anthropic/claude-opus-5-20260724"),
            prices.of("anthropic/claude-opus-5")
        );
        for unknown in
            ["openai/unheard-of", "anthropic/claude-opus-5-7", "openai/gpt-4o-x", "openai/gpt-4o-é"]
        {
            assert_eq!(prices.of(unknown), None, "{unknown}");
        }
    }
}
