//! The layers of the configuration, and what comes of them together.

use std::path::{Path, PathBuf};

use figment2::Figment;
use figment2::value::Value;
use methods::ask::Rules;

use super::Config;
use super::explain::{explain_kind, nearest};
use super::kept::Kept;
use super::layer::{Layer, environment, file, nested, parse, walk};
use super::profiles::{self, DEFAULTS_LAYER};
use crate::failure::Failure;

/// The settings of the program with their comments.
pub(crate) const DEFAULTS: &str = include_str!("../defaults.toml");

/// Returns the name of every setting.
pub(crate) fn default_keys() -> Vec<String> {
    let defaults =
        parse(DEFAULTS_LAYER, DEFAULTS).and_then(|values| Layer::new(DEFAULTS_LAYER, values));
    defaults.map(|layer| layer.keys.into_iter().collect()).unwrap_or_default()
}

/// A value and the layer that set it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Origin {
    pub(crate) key: String,
    pub(crate) value: String,
    pub(crate) layer: String,
}

/// The configuration with the memory of its layers.
pub(crate) struct Layers {
    /// As they were read, lowest first.
    read: Vec<Layer>,
    /// With what they say of the version at hand, lowest first.
    layers: Vec<Layer>,
    figment: Figment,
    pub(crate) config: Config,
    /// What variables mean that are understood and set nothing here.
    pub(crate) remarks: Vec<String>,
}

/// Where the files of the lower layers are looked for.
#[derive(Debug, Clone, Default)]
pub(crate) struct Files {
    pub(crate) user: Option<PathBuf>,
    pub(crate) project: Option<PathBuf>,
}

impl Files {
    /// Returns the usual places; `given` takes the place of the user's file.
    pub(crate) fn usual(given: Option<&Path>) -> Files {
        let home = |variable: &str| {
            std::env::var_os(variable).filter(|value| !value.is_empty()).map(PathBuf::from)
        };
        let folder =
            home("XDG_CONFIG_HOME").or_else(|| home("HOME").map(|home| home.join(".config")));
        let user = given
            .map(Path::to_owned)
            .or_else(|| folder.map(|folder| folder.join("quaestio/config.toml")));
        Files { user, project: Some(PathBuf::from("quaestio.toml")) }
    }
}

impl Layers {
    /// Reads all layers. `flags` are the keys that the command line sets.
    pub(crate) fn read(
        files: &Files,
        given: bool,
        flags: Vec<(&str, Value)>,
    ) -> Result<Layers, Failure> {
        let variables = std::env::vars_os().filter_map(|(name, value)| {
            // A variable that is not UTF-8 is none of ours.
            Some((name.into_string().ok()?, value.into_string().ok()?))
        });
        Layers::under(files, given, variables, flags)
    }

    /// Reads all layers with these variables as the environment.
    pub(super) fn under(
        files: &Files,
        given: bool,
        variables: impl Iterator<Item = (String, String)>,
        flags: Vec<(&str, Value)>,
    ) -> Result<Layers, Failure> {
        let defaults = parse("defaults", DEFAULTS)?;
        let mut layers = vec![Layer::new(DEFAULTS_LAYER, defaults)?];
        if let Some(path) = &files.user {
            layers.extend(file("user file", path, given)?);
        }
        if let Some(path) = &files.project
            && let Some(layer) = file("project file", path, false)?
        {
            own_affairs(path, &layer)?;
            layers.push(layer);
        }
        let (mut above, mut remarks) = environment(variables)?;
        above.push(Layer::new("command line", nested(flags))?);
        let profile = profiles::chosen(&layers, &above)?;
        layers.extend(profile.into_iter().chain(above));
        let layers = Layers::of(layers, None)?;
        remarks.extend(layers.config.otlp.remark());
        Ok(Layers { remarks, ..layers })
    }

    /// Returns these layers with what they say of the version that `name` means.
    pub(crate) fn of_version(&self, name: &str) -> Result<Layers, Failure> {
        let version = profiles::version(name)
            .ok_or_else(|| profiles::no_such_version("command line", name))?;
        let layers = Layers::of(self.read.clone(), Some(version))?;
        Ok(Layers { remarks: self.remarks.clone(), ..layers })
    }

    /// Returns these layers with what they say of a version, and on top one more named `name`.
    pub(crate) fn with(
        &self,
        version: Option<&str>,
        name: &str,
        values: Vec<(&str, Value)>,
    ) -> Result<Layers, Failure> {
        let mut read = self.read.clone();
        read.push(Layer::new(name, nested(values))?);
        let layers = Layers::of(read, version.and_then(profiles::version))?;
        Ok(Layers { remarks: self.remarks.clone(), ..layers })
    }

    /// Returns these layers with what the page set, in the place of what it set before.
    pub(crate) fn with_kept(&self, kept: &Kept, folder: &Path) -> Result<Layers, Failure> {
        let mut read: Vec<Layer> = self.read.iter().filter(|one| !one.is_kept()).cloned().collect();
        if *kept != Kept::default() {
            let above_defaults = read.len().min(1);
            read.insert(above_defaults, kept.layer(folder)?);
        }
        let layers = Layers::of(read, None)?;
        Ok(Layers { remarks: self.remarks.clone(), ..layers })
    }

    fn of(read: Vec<Layer>, version: Option<&str>) -> Result<Layers, Failure> {
        known(&read)?;
        let with_version = |layer: &Layer| {
            let above = version.and_then(|version| layer.versions.get(version)).cloned();
            [Some(layer.clone()), above].into_iter().flatten()
        };
        let layers: Vec<Layer> = read.iter().flat_map(with_version).collect();
        let figment = layers.iter().cloned().fold(Figment::new(), Figment::merge);
        let mut config = figment.extract::<Config>().map_err(|error| {
            let layer =
                error.metadata.as_ref().map_or("the configuration", |metadata| &metadata.name);
            let key = error.path.join(".");
            Failure::usage(
                format!("{layer}: {key} {}", explain_kind(&error.kind)),
                "list the settings and their values with `quaestio config show`",
            )
        })?;
        if let Some(kept) = layers.iter().find(|layer| layer.is_kept()) {
            config.keys = kept.secrets.clone();
        }
        let layers = Layers { read, layers, figment, config, remarks: vec![] };
        layers.sane()?;
        Ok(layers)
    }

    fn sane(&self) -> Result<(), Failure> {
        let Rules {
            top_k,
            score_threshold,
            coverage_threshold,
            context_tokens,
            extractive_coverage,
            extractive_sureness,
            nearness_threshold,
            near_enough,
            search,
            deep,
            report,
            ..
        } = &self.config.ask;
        let share = |key: &str, value: f64| {
            (!(0.0..=1.0).contains(&value)).then(|| (key.to_owned(), "between 0 and 1".to_owned()))
        };
        let positive =
            |key: &str, value: u64| (value == 0).then(|| (key.to_owned(), "above 0".to_owned()));
        let most = |key: &str, value: u32, most: u32| {
            (value > most).then(|| (key.to_owned(), format!("at most {most}")))
        };
        let wrong = share("ask.score_threshold", *score_threshold)
            .or_else(|| share("ask.coverage_threshold", *coverage_threshold))
            .or_else(|| share("ask.extractive_coverage", *extractive_coverage))
            .or_else(|| share("ask.extractive_sureness", *extractive_sureness))
            .or_else(|| share("ask.nearness_threshold", *nearness_threshold))
            .or_else(|| share("ask.near_enough", *near_enough))
            .or_else(|| positive("ask.top_k", u64::from(*top_k)))
            .or_else(|| positive("ask.context_tokens", u64::from(*context_tokens)))
            .or_else(|| {
                let seconds = self.config.sources.service_seconds;
                (seconds.is_nan() || seconds <= 0.0)
                    .then(|| ("sources.service_seconds".into(), "above 0".into()))
            })
            .or_else(|| positive("sources.page_bytes", self.config.sources.page_bytes))
            .or_else(|| most("ask.search.queries", search.queries, 10))
            .or_else(|| most("ask.search.results", search.results, 100))
            .or_else(|| most("ask.search.papers_read", search.papers_read, 200))
            .or_else(|| most("ask.search.pages_read", search.pages_read, 100))
            .or_else(|| {
                (!(2..=100).contains(&deep.max_steps))
                    .then(|| ("ask.deep.max_steps".to_owned(), "2 to 100".to_owned()))
            })
            .or_else(|| most("ask.deep.max_questions", deep.max_questions, 10))
            .or_else(|| share("ask.deep.recall_threshold", deep.recall_threshold))
            .or_else(|| most("ask.deep.papers_read", deep.papers_read, 200))
            .or_else(|| most("ask.deep.pages_read", deep.pages_read, 100))
            .or_else(|| {
                let (key, must) = report.wrong()?;
                Some((format!("ask.report.{key}"), must.to_owned()))
            })
            .or_else(|| {
                let contact = &self.config.sources.contact;
                (!contact.is_empty() && !contact.contains('@'))
                    .then(|| ("sources.contact".to_owned(), "an email address".to_owned()))
            })
            .or_else(|| positive("corpus.chunk_tokens", u64::from(self.config.corpus.chunk_tokens)))
            .or_else(|| {
                let (key, must) = self.config.corpus.wrong_ocr()?;
                Some((format!("corpus.{key}"), must.to_owned()))
            })
            .or_else(|| {
                let cost = self.config.budget.max_cost_usd;
                (!cost.is_finite() || cost < 0.0).then(|| {
                    ("budget.max_cost_usd".to_owned(), "0 or an amount in US dollars".to_owned())
                })
            })
            .or_else(|| {
                let (key, must) = self.config.server.wrong()?;
                Some((format!("server.{key}"), must))
            })
            .or_else(|| {
                let (key, must) = self.config.quotas.wrong()?;
                Some((format!("quotas.{key}"), must))
            })
            .or_else(|| {
                let (key, must) = self.config.eval.wrong()?;
                Some((format!("eval.{key}"), must))
            })
            .or_else(|| {
                let (key, must) = self.config.workflow.wrong()?;
                Some((format!("workflow.{key}"), must))
            })
            .or_else(|| {
                let (key, must) = self.config.otlp.wrong()?;
                Some((format!("otlp.{key}"), must))
            })
            .or_else(|| {
                let (key, must) = self.config.sandbox.wrong()?;
                Some((format!("sandbox.{key}"), must))
            })
            .or_else(|| self.config.wrong_server());
        // Before the methods that compute with it.
        let of_surveys = self.config.survey.wrong();
        let of_surveys =
            of_surveys.map(|(key, must)| (format!("survey.{key}"), format!("must be {must}")));
        let of_a_method = of_surveys.or_else(|| {
            let (key, what) = self.config.hypothesize.options().wrong()?;
            Some((format!("hypothesize.{key}"), what))
        });
        let of_a_method = of_a_method.or_else(|| {
            let (key, what) = self.config.market.options().wrong()?;
            Some((format!("market.{key}"), what))
        });
        let of_a_method = of_a_method.or_else(|| {
            let (key, what) = self.config.debate_options().wrong()?;
            Some((format!("debate.{key}"), what))
        });
        let of_a_method = of_a_method.or_else(|| {
            let (key, what) = self.config.brief_options().wrong()?;
            Some((format!("brief.{key}"), what))
        });
        if let Some((key, what)) = of_a_method {
            return Err(Failure::usage(
                format!("{}: {key} {what}", self.origin(&key)),
                "list the settings and their values with `quaestio config show`",
            ));
        }
        match wrong {
            None => Ok(()),
            Some((key, must)) => Err(Failure::usage(
                format!("{}: {key} must be {must}", self.origin(&key)),
                "list the settings and their values with `quaestio config show`",
            )),
        }
    }

    /// Returns the name of the layer that set `key`.
    pub(crate) fn origin(&self, key: &str) -> String {
        // A table was set by whoever set one of its keys last.
        let below = format!("{key}.");
        let sets = |layer: &&Layer| {
            layer.keys.contains(key) || layer.keys.iter().any(|set| set.starts_with(&below))
        };
        let set = self.layers.iter().rev().find(sets);
        set.map_or_else(|| "unset".into(), |layer| layer.name.clone())
    }

    /// Returns the value of a key, as JSON; null where there is none.
    pub(crate) fn value(&self, key: &str) -> serde_json::Value {
        value_in(&self.figment, key)
    }

    /// Returns the value that a key has by default, as JSON.
    pub(crate) fn usual(&self, key: &str) -> serde_json::Value {
        let defaults = self.read.first().cloned();
        defaults.map_or(serde_json::Value::Null, |layer| value_in(&Figment::from(layer), key))
    }

    /// Returns the value of a key that nobody set.
    pub(crate) fn default_of<T: serde::de::DeserializeOwned>(&self, key: &str) -> Option<T> {
        let is_unset = self.origin(key) == DEFAULTS_LAYER;
        is_unset.then(|| self.figment.extract_inner(key).ok()).flatten()
    }

    /// Returns every key with its value and the layer that set it. Keys of models never are among them.
    pub(crate) fn origins(&self) -> Vec<Origin> {
        let mut leaves = Vec::new();
        if let Ok(root) = self.figment.find_value("") {
            walk("", &root, &mut leaves);
        } else if let Ok(data) = self.figment.extract::<Value>() {
            walk("", &data, &mut leaves);
        }
        let leaves = leaves.into_iter();
        leaves.map(|(key, value)| Origin { layer: self.origin(&key), key, value }).collect()
    }
}
fn value_in(figment: &Figment, key: &str) -> serde_json::Value {
    let found = figment.find_value(key).ok();
    found.and_then(|value| serde_json::to_value(value).ok()).unwrap_or_default()
}

/// Checks that a project file sets only what concerns its own folder.
///
/// Whoever wrote the folder must not decide which models the user's keys and documents are sent to, what
/// they may cost, or where data is kept.
fn own_affairs(path: &Path, layer: &Layer) -> Result<(), Failure> {
    let foreign = |(_, key): &(String, &str)| {
        let own = ["ask.", "corpus.", "agents."].iter().any(|own| key.starts_with(own));
        // What reading a file may cost, the program that reads scans, and how much is done and looked up outside, are caps, and the
        // folder is the stranger's.
        let caps = [
            "corpus.file_",
            "corpus.ocr",
            "corpus.large_chunks",
            "corpus.keep_originals",
            "ask.search.",
            "ask.deep.",
            "ask.report.",
        ];
        !own || caps.iter().any(|cap| key.starts_with(cap))
    };
    match layer.written().into_iter().find(foreign) {
        None => Ok(()),
        Some((key, _)) => Err(Failure::usage(
            format!("the project file {} may not set {key}", path.display()),
            "use your own file, the environment or the command line instead. A project file may set only ask.*, agents.* and corpus.*, without corpus.file_*, corpus.ocr*, corpus.large_chunks, corpus.keep_originals, ask.search.*, ask.deep.* and ask.report.*",
        )),
    }
}

/// Checks that the layers set only keys that the defaults have, or that name an agent, a price or an MCP server.
fn known(layers: &[Layer]) -> Result<(), Failure> {
    let open = ["agents.", "mcp.", "prices.", "workflow.users."];
    let is_default = |key: &str| layers.first().is_some_and(|layer| layer.keys.contains(key));
    for layer in layers {
        for (written, key) in layer.written() {
            if !is_default(key) && !open.iter().any(|prefix| key.starts_with(prefix)) {
                let keys = layers.iter().take(1).flat_map(|defaults| &defaults.keys);
                let meant = nearest(key, keys.map(String::as_str));
                let meant = meant.map(|meant| format!("did you mean {meant}? "));
                return Err(Failure::usage(
                    format!("{}: there is no setting {written}", layer.name),
                    format!(
                        "{}list the settings with `quaestio config show`",
                        meant.unwrap_or_default()
                    ),
                ));
            }
        }
    }
    Ok(())
}
