//! What a layer says beside its own values: of versions, which hold for one strategy or method alone, and of profiles, which hold
//! where somebody chooses them.

use std::collections::{BTreeMap, BTreeSet};

use figment2::value::{Dict, Value};
use methods::ask::Strategy;

use super::layer::Layer;
use crate::failure::Failure;

/// The layer that ships.
pub(super) const DEFAULTS_LAYER: &str = "defaults";
const VERSIONS: &str = "versions";
const PROFILES: &str = "profiles";
/// The key that chooses a profile; empty means none.
pub(super) const PROFILE: &str = "profile";
/// What any version may set, and what one of a strategy may beside.
const OF_ANY: [&str; 4] = ["budget.", "models.main", "models.light", "models.reader"];
const OF_A_STRATEGY: [&str; 2] = ["ask.", "sources.asked"];

/// Returns the version that `name` means: a strategy of `ask`, by its name or number, or a method.
pub(super) fn version(name: &str) -> Option<&'static str> {
    let strategy = Strategy::named(name).map(Strategy::name);
    strategy.or_else(|| methods().find(|method| *method == name))
}

/// Returns the methods that have no strategies, the judges of evaluations among them.
fn methods() -> impl Iterator<Item = &'static str> {
    let names: Vec<&str> = methods::all().iter().map(|method| method.name).collect();
    let judges = [eval::judge::NAME, eval::report_judge::NAME];
    names.into_iter().filter(|name| *name != "ask").chain(judges)
}

/// Says that there is no such version, and which there are.
pub(super) fn no_such_version(who: &str, name: &str) -> Failure {
    let strategies = Strategy::ALL.map(|one| format!("{} ({})", one.name(), one.number()));
    let there: Vec<String> = strategies.into_iter().chain(methods().map(str::to_owned)).collect();
    Failure::usage(
        format!("{who}: there is no strategy or method '{}'", shown(name)),
        format!("strategies and methods: {}", there.join(", ")),
    )
}

fn shown(name: &str) -> String {
    run::grounding::clean(name).chars().take(64).collect()
}

/// Takes what a layer says of versions out of its values.
pub(super) fn take_versions(
    layer: &str,
    values: &mut Dict,
) -> Result<BTreeMap<&'static str, Layer>, Failure> {
    let mut versions = BTreeMap::new();
    for (written, values) in tables(layer, VERSIONS, values)? {
        let name = version(&written).ok_or_else(|| no_such_version(layer, &written))?;
        let own = Layer::plain(named(&format!("version {name}"), layer), values);
        if let Some(key) = own.keys.iter().find(|key| !may_set(name, key)) {
            return Err(Failure::usage(
                format!("{layer}: versions.{written} may not set {key}"),
                "a version may set budget.*, models.main and models.light; a version of a strategy may also set ask.* and sources.asked",
            ));
        }
        if versions.insert(name, own).is_some() {
            return Err(Failure::usage(
                format!(
                    "{layer}: versions.{written} and another table both set the version {name}"
                ),
                "merge them into one table",
            ));
        }
    }
    Ok(versions)
}

/// Tells whether a version may set a key: what goes into the settings of a run, so that it holds wherever that goes on.
fn may_set(version: &str, key: &str) -> bool {
    let begins = |prefixes: &[&str]| prefixes.iter().any(|prefix| key.starts_with(prefix));
    begins(&OF_ANY) || (Strategy::named(version).is_some() && begins(&OF_A_STRATEGY))
}

/// Takes the profiles of a layer out of its values. Each may say something of versions in its turn.
pub(super) fn profiles(layer: &str, values: &mut Dict) -> Result<BTreeMap<String, Layer>, Failure> {
    let profiles = tables(layer, PROFILES, values)?.into_iter().map(|(name, mut values)| {
        let called = named(&format!("profile {name}"), layer);
        let versions = take_versions(&called, &mut values)?;
        if values.contains_key(PROFILE) {
            return Err(Failure::usage(
                format!("{called}: a profile cannot choose another profile"),
                "remove its key `profile`",
            ));
        }
        Ok((name, Layer { versions, ..Layer::plain(called, values) }))
    });
    profiles.collect()
}

/// Returns the layers of the profile that is chosen, one for each of `files` that has it; the highest of all layers decides which.
pub(super) fn chosen(files: &[Layer], above: &[Layer]) -> Result<Vec<Layer>, Failure> {
    if let Some(other) = above.iter().find(|layer| !layer.profiles.is_empty()) {
        return Err(Failure::usage(
            format!("{}: a profile can only be defined in a file", other.name),
            "write [profiles.NAME] in your configuration file, and use it with --profile NAME",
        ));
    }
    let choice = |layer: &Layer| {
        let name = layer.values.get(PROFILE)?.as_str()?.to_owned();
        Some((layer.name.clone(), name))
    };
    let choice = files.iter().chain(above).rev().find_map(choice);
    let Some((layer, name)) = choice.filter(|(_, name)| !name.is_empty()) else {
        return Ok(vec![]);
    };
    let of_it: Vec<Layer> =
        files.iter().filter_map(|file| file.profiles.get(&name)).cloned().collect();
    if of_it.is_empty() {
        let there: BTreeSet<&str> =
            files.iter().flat_map(|file| file.profiles.keys()).map(String::as_str).collect();
        let there: Vec<&str> = there.into_iter().collect();
        return Err(Failure::usage(
            format!("{layer}: there is no profile '{}'", shown(&name)),
            format!(
                "profiles: {}; define your own as [profiles.NAME] in your configuration file",
                there.join(", ")
            ),
        ));
    }
    Ok(of_it)
}

/// Names a layer for what it is and where it stands.
fn named(what: &str, layer: &str) -> String {
    if layer == DEFAULTS_LAYER { what.to_owned() } else { format!("{what}, {layer}") }
}

/// Takes a table of tables out of a layer's values.
fn tables(layer: &str, key: &str, values: &mut Dict) -> Result<Vec<(String, Dict)>, Failure> {
    let no_table = |key: &str| {
        let hint = format!("write for example [{key}.NAME], and its settings below");
        Failure::usage(format!("{layer}: {key} must be a table of tables"), hint)
    };
    let tables = match values.remove(key) {
        None => return Ok(vec![]),
        Some(Value::Dict(_, tables)) => tables,
        Some(_) => return Err(no_table(key)),
    };
    let tables = tables.into_iter().map(|(name, value)| match value {
        Value::Dict(_, values) => Ok((name, values)),
        _ => Err(no_table(key)),
    });
    tables.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Files, Layers};

    fn under(profile: &str, version: &str) -> Layers {
        let flags = vec![(PROFILE, Value::from(profile))];
        Layers::read(&Files::default(), false, flags).unwrap().of_version(version).unwrap()
    }

    // proves: C8
    #[test]
    fn the_profiles_that_ship_can_be_used_with_every_version_and_do_what_their_names_say() {
        let versions = Strategy::ALL.map(Strategy::name).into_iter().chain(methods());
        for version in versions {
            let steps = |profile| under(profile, version).config.budget.budget().max_steps;
            assert!(steps("quick") <= steps("") && steps("") < steps("thorough"), "{version}");
            let read = |profile| under(profile, version).config.ask.search.papers_read;
            assert!(read("quick") < read("") && read("") < read("thorough"));
            let cost = |profile| under(profile, version).config.budget.budget().max_cost_usd_micros;
            assert!(cost("quick") == cost("") && cost("") == cost("thorough"), "{version}");
        }
        assert_eq!(under("thorough", "rag").origin("ask.top_k"), "profile thorough");
        let of_market = under("thorough", "market").origin("budget.max_steps");
        assert_eq!(of_market, "version market, profile thorough");
    }
}
