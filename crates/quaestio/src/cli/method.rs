//! The command of a method that has none of its own, built from the method's description of itself.

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::builder::NonEmptyStringValueParser;
use clap::error::ErrorKind;
use clap::{Arg, ArgMatches, Args, CommandFactory, FromArgMatches};
use methods::order::Order;
use run::{Method, Methods};
use serde_json::{Map, Value};

use super::{Before, Caps, Cli, Command, Common, OutputArgs, SourceArg, heading, overview};

/// What every such command takes.
#[derive(Debug, Args)]
struct Asked {
    /// Your question, in quotation marks.
    question: String,
    #[command(flatten)]
    output: OutputArgs,
    #[command(flatten)]
    before: Before,
    #[command(flatten)]
    caps: Caps,
}

/// What the command of a method takes that reads documents.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = heading::DOCUMENTS)]
struct Documents {
    /// Read these files and folders, for this run only.
    #[arg(long, value_name = "PATH", num_args = 1.., conflicts_with = "collection")]
    docs: Vec<PathBuf>,
    /// Read this collection [default: `default`, if it exists].
    #[arg(long, value_name = "NAME")]
    collection: Option<String>,
}

/// What the command of a method takes that asks outside.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = heading::SOURCES)]
struct Outside {
    /// Search these sources for papers and pages [default: sources.asked].
    #[arg(long = "source", value_name = "SOURCE", value_delimiter = ',')]
    sources: Vec<SourceArg>,
    /// Search no papers and no web.
    #[arg(long, conflicts_with = "sources")]
    own_documents: bool,
}

/// The command of a method, as the user gave it.
#[derive(Debug)]
pub(crate) struct MethodArgs {
    pub(crate) method: &'static str,
    pub(crate) question: String,
    pub(crate) docs: Vec<PathBuf>,
    pub(crate) collection: Option<String>,
    pub(crate) sources: Vec<SourceArg>,
    pub(crate) own_documents: bool,
    /// Other fields of the order.
    pub(crate) fields: Map<String, Value>,
    pub(crate) output: OutputArgs,
    pub(crate) before: Before,
    pub(crate) caps: Caps,
}

/// Returns the command line, with a command for each method that has none of its own.
pub(crate) fn build_command(methods: &Methods) -> clap::Command {
    build(methods).0
}

/// Returns the command line, and the methods for which it got a command.
fn build(methods: &Methods) -> (clap::Command, Vec<&Method>) {
    let command = Cli::command();
    let is_missing = |method: &&Method| command.find_subcommand(method.name).is_none();
    let missing: Vec<&Method> = methods.iter().filter(is_missing).collect();
    let command = missing.iter().fold(command, |command, method| command.subcommand(of(method)));
    (overview::grouped(command), missing)
}

/// Reads the arguments of the program.
pub(crate) fn parse(args: Vec<std::ffi::OsString>, methods: &Methods) -> Result<Cli, clap::Error> {
    let (mut command, made) = build(methods);
    let mut matches = command.try_get_matches_from_mut(args)?;
    if let Some((name, given)) = matches.subcommand()
        && let Some(method) = made.into_iter().find(|one| one.name == name)
    {
        let common = Common::from_arg_matches(&matches);
        let args = MethodArgs::of(method, given);
        return common
            .and_then(|common| Ok(Cli { common, command: Command::Method(Box::new(args?)) }))
            .map_err(|error| error.format(&mut command));
    }
    Cli::from_arg_matches_mut(&mut matches).map_err(|error| error.format(&mut command))
}

/// Returns the command of a method.
fn of(method: &Method) -> clap::Command {
    let about = if method.description.is_empty() { method.title } else { method.description };
    let mut command = clap::Command::new(method.name);
    if method.fields.contains(&"collection") {
        command = Documents::augment_args(command);
    }
    if method.fields.contains(&"sources") {
        command = Outside::augment_args(command);
    }
    let command = Asked::augment_args(command);
    let described = describe_fields();
    let others = method.fields.iter().filter_map(|field| described.get_key_value(*field));
    // The doc comments of the parts are not help for users.
    let command = command.about(about).long_about(None);
    others.fold(command, |command, (field, (help, _))| {
        let arg = Arg::new(field.clone()).long(field.replace('_', "-")).help(help.clone());
        command.arg(arg.value_name("VALUE").value_parser(NonEmptyStringValueParser::new()))
    })
}

/// Returns the fields of an order that take a single word or number, each with its description and whether it is a number.
fn describe_fields() -> BTreeMap<String, (String, bool)> {
    let schema = serde_json::to_value(schemars::schema_for!(Order)).unwrap_or_default();
    let properties = schema.get("properties").and_then(Value::as_object).cloned();
    let one = |(name, schema): (String, Value)| {
        let types = schema.get("type").map(Value::to_string).unwrap_or_default();
        let is_number = types.contains("\"integer\"");
        // Fields of a named type are words.
        let is_word = types.contains("\"string\"") || schema.get("anyOf").is_some();
        let help = schema.get("description").and_then(Value::as_str).unwrap_or_default();
        let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
        ((is_number || is_word) && !["collection", "method", "question"].contains(&&*name))
            .then_some((name, (help, is_number)))
    };
    properties.unwrap_or_default().into_iter().filter_map(one).collect()
}

impl MethodArgs {
    fn of(method: &Method, given: &ArgMatches) -> Result<MethodArgs, clap::Error> {
        let Asked { question, output, before, caps } = Asked::from_arg_matches(given)?;
        let has = |field: &str| method.fields.contains(&field);
        let Documents { docs, collection } = match has("collection") {
            true => Documents::from_arg_matches(given)?,
            false => Documents::default(),
        };
        let Outside { sources, own_documents } = match has("sources") {
            true => Outside::from_arg_matches(given)?,
            false => Outside::default(),
        };
        let described = describe_fields();
        let mut fields = Map::new();
        for (field, (_, is_number)) in described.iter().filter(|(field, _)| has(field)) {
            let Some(text) = given.get_one::<String>(field) else { continue };
            let value = match (is_number, text.parse::<u64>()) {
                (false, _) => Value::from(text.as_str()),
                (true, Ok(number)) => Value::from(number),
                (true, Err(error)) => {
                    let what = format!(
                        "'{text}' is not a valid value for --{}: {error}",
                        field.replace('_', "-")
                    );
                    return Err(clap::Error::raw(ErrorKind::ValueValidation, what));
                }
            };
            fields.insert(field.clone(), value);
        }
        let method = method.name;
        Ok(MethodArgs {
            method,
            question,
            docs,
            collection,
            sources,
            own_documents,
            fields,
            output,
            before,
            caps,
        })
    }
}
