//! The settings of a fork: those of the run it comes from, with the requested changes.

use app::Forked;
use figment2::value::Value as Configured;
use run::entry::Event;
use run::settings::{ModelChoice, Startup, Workflow};
use run::{Method, Settings};
use serde_json::{Value, json};

use crate::config::{Config, Layers};
use crate::failure::Failure;
use crate::submission::{Kind, Origin, within};

/// Returns the configuration for the version of a run, with keys of the run's own settings changed; other keys are refused.
pub(crate) fn change_config(
    layers: &Layers,
    forked: &Forked<'_>,
    changes: &[(String, String)],
) -> Result<Config, Failure> {
    let mut values = Vec::new();
    for (key, value) in changes {
        let section = key.split_once('.').map(|(section, _)| section);
        if !section.is_some_and(|name| name == "budget" || Kind::find(name).has_section) {
            return Err(refused(Origin::Http, key, value, NOT_ITS_OWN));
        }
        values.push((key.as_str(), configured(value)));
    }
    // A strategy is a version of its method.
    let strategy = forked.settings.options.get("strategy").and_then(Value::as_str);
    let version = strategy.or(Some(forked.method));
    let own = layers.with(version, "order", vec![])?.config;
    let told = layers.with(version, "order", values)?.config;
    within(&told, &own)?;
    Ok(told)
}

const NOT_ITS_OWN: &str = "a fork can change only the run's own settings";
const NO_SUCH_KEY: &str = "this run has no such setting";

fn configured(value: &str) -> Configured {
    value.parse().unwrap_or_else(|never| match never {})
}

fn refused(origin: Origin, key: &str, value: &str, why: &str) -> Failure {
    let said = match origin {
        Origin::CommandLine => format!("--set {key}={value}"),
        Origin::Http | Origin::Library => format!("{key} = {value}"),
    };
    Failure::usage(
        format!("{said}: {why}"),
        "a fork accepts budget.* and the settings of its method: ask.*, hypothesize.*, market.*, debate.* or brief.*",
    )
}

/// Returns the settings of a run with these models, the keys of `changes` set, and the approval of a plan that its user now
/// requires.
pub(crate) fn change_settings(
    forked: &Forked<'_>,
    method: &Method,
    models: Option<ModelChoice>,
    changes: &[(String, String)],
    config: &Config,
    origin: Origin,
) -> Result<Settings, Failure> {
    let mut settings = Settings { models, ..forked.settings.clone() };
    for (key, value) in changes {
        let refuse = |why: &str| refused(origin, key, value, why);
        match key.split_once('.') {
            Some((section, rule)) if Kind::find(section).has_section => {
                if section != method.name {
                    return Err(refuse(NO_SUCH_KEY));
                }
                let renamed = (Kind::find(section).rename_option)(rule, config);
                let (rule, value) = renamed.unwrap_or_else(|| (rule, json!(configured(value))));
                set(&mut settings.options, rule, value).map_err(|why| refuse(&why))?;
                (method.check_options)(&settings.options).map_err(|why| refuse(&why))?;
            }
            Some(("budget", cap)) => {
                let told = config.budget.budget();
                let budget = &mut settings.budget;
                match cap {
                    "max_steps" => budget.max_steps = told.max_steps,
                    "max_questions" => budget.max_questions = told.max_questions,
                    "max_tokens" => budget.max_tokens = told.max_tokens,
                    "max_cost_usd" => budget.max_cost_usd_micros = told.max_cost_usd_micros,
                    "max_wall_seconds" => budget.max_wall_seconds = told.max_wall_seconds,
                    _ => return Err(refuse("there is no such limit")),
                }
            }
            _ => return Err(refuse(NOT_ITS_OWN)),
        }
    }
    settings.workflow = approved_first(forked, method, config, origin)?;
    Ok(settings)
}

/// Returns the workflow before the method of the fork: that of the run, with the approval of a plan added if the user now requires one.
///
/// A fork that would then keep steps of the method is refused: they were done without a plan, and would differ under one.
fn approved_first(
    forked: &Forked<'_>,
    method: &Method,
    config: &Config,
    origin: Origin,
) -> Result<Option<Workflow>, Failure> {
    let workflow = forked.settings.workflow.clone();
    let needed = method.plans_first && config.workflow.needs_approval(forked.user);
    if !needed || workflow.as_ref().is_some_and(|workflow| workflow.plan) {
        return Ok(workflow);
    }
    let stages = (method.stages)(&forked.settings.options);
    let first = forked.kept.iter().find_map(|entry| match &entry.event {
        Event::Called { step, .. } | Event::Refused { step, .. } => {
            stages.iter().any(|stage| stage.holds(step)).then_some(step)
        }
        _ => None,
    });
    if let Some(first) = first {
        let setting = origin.says(
            "set workflow.enable_workflow_approval = false in your configuration to run without approval",
            "the server's setting workflow.enable_workflow_approval decides this, for you or for everyone",
        );
        return Err(Failure::usage(
            format!(
                "a run of {} needs an approved plan, and the steps that this fork keeps had none",
                method.name
            ),
            format!("fork it from '{first}' to approve a plan first; {setting}"),
        ));
    }
    let before = Workflow {
        clarify: false,
        plan: true,
        questions: config.workflow.questions,
        startup: Startup::None,
        expected: None,
    };
    Ok(Some(workflow.map_or(before, |workflow| Workflow { plan: true, ..workflow })))
}

/// Sets a key of a method's options, either top-level or in its `rules`.
fn set(options: &mut Value, key: &str, value: Value) -> Result<(), String> {
    let pointer = format!("/{}", key.replace('.', "/"));
    let own = options.pointer(&pointer).is_some_and(|known| !known.is_object());
    let pointer = if own { pointer } else { format!("/rules{pointer}") };
    let known = options.pointer_mut(&pointer).filter(|known| !known.is_object());
    *known.ok_or(NO_SUCH_KEY)? = value;
    Ok(())
}

#[cfg(test)]
mod tests {
    use run::Entry;

    use super::*;
    use crate::config::Files;

    fn build_layers(settings: &[(&str, Configured)]) -> Layers {
        Layers::read(&Files::default(), false, settings.to_vec()).unwrap()
    }

    fn build_forked<'a>(method: &'a str, settings: &'a Settings, kept: &'a [Entry]) -> Forked<'a> {
        Forked { user: "ada", run: "r", step: "s", method, settings, kept }
    }

    fn named(method: &str) -> Method {
        *methods::all().find(method).unwrap()
    }

    fn market(layers: &Layers) -> Settings {
        let options = serde_json::to_value(layers.config.market.options()).unwrap();
        Settings { options, ..Settings::default() }
    }

    fn changed_of(
        method: &str,
        settings: &Settings,
        changes: &[(&str, &str)],
    ) -> Result<Settings, Failure> {
        let layers = build_layers(&[("workflow.enable_workflow_approval", false.into())]);
        let owned = |(key, value): &(&str, &str)| ((*key).to_owned(), (*value).to_owned());
        let changes: Vec<(String, String)> = changes.iter().map(owned).collect();
        let forked = build_forked(method, settings, &[]);
        let config = change_config(&layers, &forked, &changes)?;
        change_settings(&forked, &named(method), None, &changes, &config, Origin::Http)
    }

    fn changed(changes: &[(&str, &str)]) -> Result<Settings, Failure> {
        let rules = build_layers(&[]).config.ask.clone();
        let options = json!({"strategy": "rag", "collection": "default", "rules": rules});
        changed_of("ask", &Settings { options, ..Settings::default() }, changes)
    }

    // proves: C9
    #[test]
    fn a_fork_takes_its_own_settings_and_no_others() {
        let settings = changed(&[("ask.top_k", "12"), ("budget.max_steps", "9")]).unwrap();
        assert_eq!(settings.options["rules"]["top_k"], 12);
        assert_eq!(settings.budget.max_steps, Some(9));
        let settings = changed(&[("ask.deep.max_questions", "0")]).unwrap();
        assert_eq!(settings.options["rules"]["deep"]["max_questions"], 0);
        for (key, value, why) in [
            ("models.base_url", "http://127.0.0.1", "only the run's own settings"),
            ("server.listen", "0.0.0.0:1", "only the run's own settings"),
            ("ask.collection", "other", "no setting ask.collection"),
            ("ask.top_k", "many", "ask.top_k"),
            ("ask.top_k", "0", "above 0"),
            ("ask.search", "1", "ask.search"),
            ("ask.deep.max_steps", "1", "must be 2 to 100"),
            ("ask.deep.luck", "1", "no setting ask.deep.luck"),
            ("hypothesize.top", "2", "no such setting"),
            ("budget.max_luck", "2", "no setting budget.max_luck"),
            ("ask", "2", "only the run's own settings"),
            ("", "", "only the run's own settings"),
        ] {
            let refused = changed(&[(key, value)]).unwrap_err();
            assert!(refused.what.contains(why), "{key}: {refused}");
        }
    }

    // proves: C12
    #[test]
    fn a_fork_of_a_market_analysis_takes_the_keys_of_its_method() {
        let settings = market(&build_layers(&[]));
        let changed = |key, value| changed_of("market", &settings, &[(key, value)]);
        assert_eq!(changed("market.passages", "2").unwrap().options["rules"]["passages"], 2);
        let asked = changed("market.asked", "arxiv,web").unwrap();
        assert_eq!(asked.options["sources"], json!(["arxiv"]), "no web search is configured");
        for (key, value, why) in [
            ("market.passages", "0", "market.passages must be 1 to 100"),
            ("market.passages", "many", "must be a whole number"),
            ("market.luck", "2", "no setting market.luck"),
            ("market.asked", "web", "must name a source"),
            ("hypothesize.top", "2", "no such setting"),
            ("ask.top_k", "2", "no such setting"),
        ] {
            let refused = changed(key, value).unwrap_err();
            assert!(refused.what.contains(why), "{key}: {refused}");
        }
    }

    // proves: C12
    #[test]
    fn a_fork_of_a_debate_takes_the_keys_of_its_method_and_finds_its_corpus() {
        let with = build_layers(&[("embedder.model", "ollama/nomic-embed-text".into())]);
        let options = serde_json::to_value(with.config.debate_options()).unwrap();
        let settings = Settings { options, ..Settings::default() };
        let changed = |key, value| changed_of("debate", &settings, &[(key, value)]);
        assert_eq!(changed("debate.max_turns", "2").unwrap().options["rules"]["max_turns"], 2);
        assert_eq!(changed("debate.corpus", "other").unwrap().options["corpus"], "other");
        let of_it = build_forked("debate", &settings, &[]);
        let told =
            change_config(&with, &of_it, &[("debate.corpus".into(), "other".into())]).unwrap();
        assert!(told.debate_options().corpus.starts_with("other-"));
        for (key, value, why) in [
            ("debate.max_turns", "0", "must be 1 to 50"),
            ("debate.max_turns", "many", "must be a whole number"),
            ("debate.concurrent", "0", "no such setting"),
            ("debate.url", "https://example.org", "no setting debate.url"),
            ("market.passages", "2", "no such setting"),
        ] {
            let refused = changed(key, value).unwrap_err();
            assert!(refused.what.contains(why), "{key}: {refused}");
        }
    }

    // proves: B2
    #[test]
    fn a_fork_of_a_brief_takes_the_keys_of_its_method_and_no_other_files() {
        let options = serde_json::to_value(build_layers(&[]).config.brief_options()).unwrap();
        let settings = Settings { options, ..Settings::default() };
        let changed = |key, value| changed_of("brief", &settings, &[(key, value)]);
        let settings = changed("brief.max_refine_iters", "1").unwrap();
        assert_eq!(settings.options["rules"]["max_refine_iters"], 1);
        assert_eq!(changed("brief.loop", "simple").unwrap().options["loop"], "simple");
        for (key, value, why) in [
            ("brief.least_score", "11", "must be 1 to 10"),
            ("brief.loop", "endless", "must be one of pipeline, simple"),
            ("brief.files", "other.csv", "no setting brief.files"),
            ("debate.max_turns", "2", "no such setting"),
        ] {
            let refused = changed(key, value).unwrap_err();
            assert!(refused.what.contains(why), "{key}: {refused}");
        }
    }

    fn called(steps: &[&str]) -> Vec<Entry> {
        let mut head = run::entry::Head::default();
        let events = steps.iter().map(|step| Event::Called {
            step: (*step).to_owned(),
            input: run::entry::Hash::of_json(&()),
            asking: None,
            reserved: run::budget::Spend::default(),
            within: None,
        });
        let sealed = events.map(|event| {
            let (entry, _) = Entry::seal(&head, jiff::Timestamp::UNIX_EPOCH, event);
            head = run::entry::Head { seq: entry.seq, hash: entry.hash };
            entry
        });
        sealed.collect()
    }

    // proves: W4
    #[test]
    fn a_fork_waits_for_its_plan_where_its_user_wants_one_by_now() {
        let needed = build_layers(&[]).config;
        let own = build_layers(&[("workflow.questions", 2.into())]).config;
        let unneeded = build_layers(&[("workflow.enable_workflow_approval", false.into())]).config;
        let settings = market(&build_layers(&[]));
        let entries = called(&["startups #1", "market_sizing/retrieve #1", "editor/editor #1"]);
        let fork = |method, settings: &Settings, step, config: &Config| {
            let at = run::work::beginning(&entries, step).unwrap();
            let forked = build_forked(method, settings, &entries[..at]);
            let altered =
                change_settings(&forked, &named(method), None, &[], config, Origin::Http)?;
            Ok::<_, Failure>(altered.workflow)
        };
        let plan = |clarify, questions, startup| {
            Some(Workflow { clarify, plan: true, questions, startup, expected: None })
        };
        let first = "market_sizing/retrieve #1";
        let told = fork("market", &settings, first, &own).unwrap();
        assert_eq!(told, plan(false, 2, Startup::None));
        // The fork keeps the run's workflow, and the plan is added to it.
        let before = Workflow {
            clarify: true,
            plan: false,
            questions: 1,
            startup: Startup::Stored,
            expected: None,
        };
        let asked = Settings { workflow: Some(before.clone()), ..settings.clone() };
        let told = fork("market", &asked, "market_sizing", &needed).unwrap();
        assert_eq!(told, plan(true, 1, Startup::Stored));
        // The kept steps of the method had no plan.
        for settings in [&settings, &asked] {
            let refused = fork("market", settings, "editor", &needed).unwrap_err();
            assert!(refused.what.contains("needs an approved plan"), "{refused}");
            assert!(refused.hint.contains(first), "{refused}");
        }
        let planned = Workflow { plan: true, ..before };
        let planned = Settings { workflow: Some(planned), ..settings.clone() };
        assert_eq!(fork("market", &planned, "editor", &needed).unwrap(), planned.workflow);
        // No other method or user needs one.
        assert_eq!(fork("ask", &settings, "editor", &needed).unwrap(), None);
        assert_eq!(fork("market", &settings, "editor", &unneeded).unwrap(), None);
    }
}
