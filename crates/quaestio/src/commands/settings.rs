//! `quaestio config`: the settings that matter, any setting with its meaning, and a search by word.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use run::grounding::clean;
use serde_json::{Value, json};

use crate::cli::{Common, ConfigCommand, ConfigShowArgs, TextOrJson};
use crate::config::{self, ESSENTIAL, Files, Layers, Origin};
use crate::failure::{Exit, Failure};
use crate::{Face, output, wire};

/// The layer that ships.
const DEFAULTS: &str = "defaults";

/// The most characters of a meaning in a list.
const SHORT: usize = 100;

pub(super) fn config(
    command: &ConfigCommand,
    common: &Common,
    face: &Face,
) -> Result<Exit, Failure> {
    match command {
        ConfigCommand::Show(args) => show(args, common, face),
        ConfigCommand::Search { words, format } => search(words, *format, common, face),
    }
}

fn show(args: &ConfigShowArgs, common: &Common, face: &Face) -> Result<Exit, Failure> {
    let mut layers = wire::configure(common)?;
    if let Some(name) = &args.of {
        layers = layers.of_version(name)?;
    }
    let settings = Settings::of(&layers, common);
    let is_json = args.json || args.format == TextOrJson::Json;
    if !args.names.is_empty() {
        let found = settings.named(&args.names)?;
        if is_json {
            put_json(face, found.iter().map(|origin| settings.json(origin)));
        } else {
            let told: Vec<String> = found.iter().map(|origin| settings.detailed(origin)).collect();
            face.out.put(&clean(&told.join("\n")));
        }
    } else if is_json {
        // A program wants all of them.
        put_json(face, settings.origins.iter().map(|origin| settings.json(origin)));
    } else {
        let is_shown = |origin: &&Origin| {
            args.all || origin.layer != DEFAULTS || ESSENTIAL.contains(&origin.key.as_str())
        };
        let mut shown: Vec<&Origin> = settings.origins.iter().filter(is_shown).collect();
        if !args.all {
            let place = |origin: &&Origin| ESSENTIAL.iter().position(|key| *key == origin.key);
            shown.sort_by_key(|origin| place(origin).unwrap_or(usize::MAX));
        }
        put_lines(face, &shown);
        let rest = settings.origins.len() - shown.len();
        let more = match rest {
            0 => String::new(),
            rest => format!(
                "# {rest} more settings have their defaults. List them: `quaestio config show --all`.\n"
            ),
        };
        face.out.put(&format!(
            "\n{more}# Explain one: `quaestio config show SETTING`. Find one: `quaestio config search WORD`.\n"
        ));
    }
    layers.remarks.iter().for_each(|remark| face.err.line(remark));
    Ok(Exit::Done)
}

fn search(
    words: &[String],
    format: TextOrJson,
    common: &Common,
    face: &Face,
) -> Result<Exit, Failure> {
    let layers = wire::configure(common)?;
    let settings = Settings::of(&layers, common);
    let words: Vec<String> =
        words.iter().flat_map(|word| word.split_whitespace()).map(str::to_lowercase).collect();
    let found: Vec<&Origin> = settings
        .origins
        .iter()
        .filter(|origin| {
            let text = format!("{} {}", origin.key, settings.meaning(&origin.key)).to_lowercase();
            words.iter().all(|word| text.contains(word.as_str()))
        })
        .collect();
    if format == TextOrJson::Json {
        put_json(face, found.iter().map(|origin| settings.json(origin)));
        return Ok(if found.is_empty() { Exit::Failed } else { Exit::Done });
    }
    if found.is_empty() {
        return Err(Failure::new(
            format!("no setting mentions '{}'", clean(&words.join(" "))),
            "try another word, or list all with `quaestio config show --all`",
        ));
    }
    for origin in found {
        let meaning = settings.meaning(&origin.key);
        let short: String = meaning.chars().take(SHORT).collect();
        let cut = if short.len() < meaning.len() { "…" } else { "" };
        let line = format!("{} = {}\n    {short}{cut}", origin.key, origin.value);
        face.out.line(&clean(&line));
    }
    Ok(Exit::Done)
}

/// The settings as they are, with what they mean.
struct Settings<'a> {
    layers: &'a Layers,
    origins: Vec<Origin>,
    meanings: BTreeMap<String, String>,
    /// The user's file.
    file: String,
}

impl<'a> Settings<'a> {
    fn of(layers: &'a Layers, common: &Common) -> Settings<'a> {
        let mut origins = layers.origins();
        for origin in &mut origins {
            origin.value = ::models::without_userinfo(&origin.value);
        }
        let file = Files::usual(common.config.as_deref()).user;
        let file = file.map_or_else(|| "your file".into(), |path| path.display().to_string());
        Settings { layers, origins, meanings: config::read_meanings(), file }
    }

    fn meaning(&self, key: &str) -> &str {
        self.meanings.get(key).map_or("", String::as_str)
    }

    /// Returns the settings of these names, and those below them.
    fn named(&self, names: &[String]) -> Result<Vec<&Origin>, Failure> {
        let mut found: Vec<&Origin> = Vec::new();
        for name in names {
            let name = name.trim_end_matches('.');
            let below = format!("{name}.");
            let is_meant = |origin: &&Origin| origin.key == name || origin.key.starts_with(&below);
            let before = found.len();
            found.extend(self.origins.iter().filter(is_meant));
            if found.len() == before {
                return Err(self.unknown(name));
            }
        }
        Ok(found)
    }

    fn unknown(&self, name: &str) -> Failure {
        let shown: String = clean(name).chars().take(64).collect();
        let last = shown.rsplit('.').next().unwrap_or_default().to_lowercase();
        let near: Vec<&str> = self
            .origins
            .iter()
            .map(|origin| origin.key.as_str())
            .filter(|key| !last.is_empty() && key.contains(&last))
            .take(5)
            .collect();
        let hint = match near.as_slice() {
            [] => "find one with `quaestio config search WORD`".to_owned(),
            near => format!("did you mean {}?", near.join(", ")),
        };
        Failure::usage(format!("there is no setting '{shown}'"), hint)
    }

    /// Returns the variable that sets a key.
    fn variable(key: &str) -> String {
        config::alias_of(key).map_or_else(
            || format!("QUAESTIO_{}", key.to_uppercase().replace('.', "__")),
            str::to_owned,
        )
    }

    fn default(&self, key: &str) -> Value {
        self.layers.usual(key)
    }

    fn json(&self, origin: &Origin) -> Value {
        let Origin { key, value, layer } = origin;
        json!({
            "key": key, "value": value, "origin": layer, "default": self.default(key),
            "meaning": self.meaning(key), "variable": Settings::variable(key),
        })
    }

    fn detailed(&self, origin: &Origin) -> String {
        let Origin { key, value, layer } = origin;
        let mut told = format!("{key} = {value}\n");
        let meaning = self.meaning(key);
        if !meaning.is_empty() {
            told.push_str(&wrapped(meaning, "  "));
        }
        let default = match self.default(key) {
            Value::Null => "none".to_owned(),
            default => default.to_string(),
        };
        let (table, name) = key.rsplit_once('.').unwrap_or(("", key));
        let under = if table.is_empty() { String::new() } else { format!(" under [{table}]") };
        let variable = Settings::variable(key);
        let _ = writeln!(told, "  default  {default}");
        let _ = writeln!(told, "  set by   {layer}");
        let _ = writeln!(told, "  change   {name} = …{under} in {}", self.file);
        let _ = writeln!(told, "           {variable}=… in the environment");
        let _ = writeln!(told, "           --set {key}=… for one command");
        told
    }
}

/// Breaks a text into lines of the terminal's width.
fn wrapped(text: &str, indent: &str) -> String {
    let width = output::width().saturating_sub(indent.len()).max(30);
    let (mut lines, mut length) = (String::from(indent), 0);
    for word in text.split_whitespace() {
        let longer = length + 1 + word.chars().count();
        if length > 0 && longer > width {
            let _ = write!(lines, "\n{indent}{word}");
            length = word.chars().count();
        } else {
            if length > 0 {
                lines.push(' ');
            }
            lines.push_str(word);
            length = if length > 0 { longer } else { word.chars().count() };
        }
    }
    lines.push('\n');
    lines
}

fn put_json(face: &Face, lines: impl Iterator<Item = Value>) {
    face.out.line(&output::json(&lines.collect::<Vec<_>>()));
}

/// Prints settings with their values and what set them.
fn put_lines(face: &Face, origins: &[&Origin]) {
    let width = origins
        .iter()
        .map(|origin| origin.key.len() + origin.value.len() + 3)
        .max()
        .unwrap_or(0)
        .min(60);
    for origin in origins {
        let pair = format!("{} = {}", origin.key, origin.value);
        face.out.line(&clean(&format!("{pair:width$}  # {}", origin.layer)));
    }
}
