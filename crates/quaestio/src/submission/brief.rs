//! What `brief` is started with: the survey that it reads, and the loop that it uses.

use async_trait::async_trait;
use methods::Calls;
use methods::brief::{self, Options};
use methods::order::Order;
use papers::Source;
use run::files::FileRef;
use run::library::is_of_a_run;
use serde_json::Value;

use super::Origin;
use super::catalog::Catalog;
use super::wanted::{Given, Kind, Wanted, json_of};
use crate::config::Config;
use crate::failure::Failure;
use crate::names::check_name;
use crate::surveys;

/// Checks what can be checked on the order alone.
pub(super) fn sound(order: &Order, origin: Origin) -> Result<(), Failure> {
    match &order.survey {
        Some(name) => check_name("survey", name),
        None => Err(Failure::usage(
            "a brief needs survey data",
            origin.says(
                "give files or a folder with --data, or a stored survey with --survey",
                "name a stored survey in `survey`; GET /api/surveys lists them",
            ),
        )),
    }
}

/// Returns the configured options with the order applied; the files are still to be found.
fn build_options(order: &Order, config: &Config, origin: Origin) -> Result<Options, Failure> {
    let mut options = config.brief_options();
    options.way = order.way.unwrap_or(options.way);
    match options.wrong() {
        None => Ok(options),
        Some((key, what)) => Err(Failure::usage(
            format!("brief.{key} {what}"),
            origin.says(
                "see the settings brief.* and survey.* with `quaestio config show`",
                "the server's settings brief.* and survey.* apply to what the request leaves out",
            ),
        )),
    }
}

/// Returns the files of a survey after reading them as one, so that faults show before the run.
async fn files(name: &str, catalog: &Catalog<'_>) -> Result<Vec<FileRef>, Failure> {
    let store = &*catalog.database.files;
    let files = store.set(catalog.user, name).await?;
    let Some(files) = files else { return Err(no_such(name, catalog).await?) };
    // Files of this run alone were read a moment ago.
    if !is_of_a_run(name) {
        let (named, read) = (name.to_owned(), surveys::read(store, catalog.user, &files).await?);
        let read = move || {
            survey::read::read_project(&read).map(drop).map_err(|error| {
                let hint = "repair its files and add it again with `quaestio survey add`";
                Failure::usage(format!("could not read the survey '{named}': {error}"), hint)
            })
        };
        let broken = |_| Failure::new("reading the survey was interrupted", "");
        tokio::task::spawn_blocking(read).await.map_err(broken)??;
    }
    Ok(files)
}

async fn no_such(name: &str, catalog: &Catalog<'_>) -> Result<Failure, Failure> {
    let sets = catalog.database.files.sets(catalog.user).await?;
    let known: Vec<&str> =
        sets.iter().map(|set| set.name.as_str()).filter(|name| !is_of_a_run(name)).collect();
    let there = match known.as_slice() {
        [] => "there are no surveys yet".to_owned(),
        known => format!("surveys: {}", known.join(", ")),
    };
    let hint = catalog.origin.says(
        "add one with `quaestio survey add NAME PATH`, or give --data PATH",
        "upload one with POST /api/surveys/{name}, or name another",
    );
    Ok(Failure::usage(format!("there is no survey '{name}'; {there}"), hint))
}

struct Brief {
    /// The name of the survey; its files are still to be found.
    survey: String,
    options: Options,
}

pub(super) const KIND: Kind = Kind { sound, ..Kind::of("brief", wanted) };

pub(super) fn wanted(given: &Given<'_>) -> Result<Box<dyn Wanted>, Failure> {
    let options = build_options(given.order, given.config, given.origin)?;
    Ok(Box::new(Brief { survey: given.order.survey.clone().unwrap_or_default(), options }))
}

#[async_trait]
impl Wanted for Brief {
    fn calls(&self, _: &Config, question: &str) -> Vec<Calls> {
        brief::calls(&self.options.rules, self.options.way, question)
    }

    async fn options(
        self: Box<Self>,
        _: &Config,
        _: Vec<Source>,
        catalog: &Catalog<'_>,
    ) -> Result<Value, Failure> {
        let Brief { survey, options } = *self;
        json_of(&Options { files: files(&survey, catalog).await?, ..options })
    }
}

#[cfg(test)]
mod tests {
    use methods::brief::Way;

    use super::*;
    use crate::config::{Files, Layers};

    fn brief(survey: Option<&str>, way: Option<Way>) -> Order {
        let survey = survey.map(str::to_owned);
        Order { method: "brief".into(), question: "q".into(), survey, way, ..Order::default() }
    }

    // proves: B8, B9
    #[test]
    fn an_order_names_a_survey_and_a_loop_and_the_configuration_the_rest() {
        let config = Layers::read(&Files::default(), false, vec![]).unwrap().config;
        let order = brief(Some("bus"), Some(Way::Simple));
        sound(&order, Origin::Http).unwrap();
        let told = build_options(&order, &config, Origin::Http).unwrap();
        assert_eq!((told.way, told.rules.max_iterations, told.files.len()), (Way::Simple, 4, 0));
        let usual = build_options(&brief(Some("bus"), None), &config, Origin::Http).unwrap();
        assert_eq!(usual.way, Way::Pipeline);
        assert_eq!(usual.rules.figures, config.survey.rules());
    }

    // proves: B9
    #[test]
    fn an_order_without_data_is_refused_in_the_words_in_which_it_came() {
        let refused = |survey, origin| sound(&brief(survey, None), origin).unwrap_err();
        assert!(refused(None, Origin::CommandLine).hint.contains("with --data"));
        assert!(refused(None, Origin::Http).hint.contains("GET /api/surveys"));
        let wrong = refused(Some("../bus"), Origin::Http);
        assert!(wrong.what.contains("is not a valid name for a survey"), "{wrong}");
    }
}
