//! Starting a run, from the command line or over HTTP: an order is checked against the configuration and becomes settings, or one clear
//! error.
//!
//! Errors show as early as possible: [`sound`] needs only the order, a [`Draft`] the configuration, [`Draft::check`] examines
//! everything else but documents, and [`Draft::start`] those too.

mod ask;
mod brief;
mod catalog;
mod check;
mod cost;
mod debate;
mod earlier;
mod fitting;
mod hypothesize;
mod market;
mod models;
mod plain;
mod prompts;
mod wanted;
mod workflow;

use methods::order::Order;
use run::budget::{Budget, Spend};
use run::database::Database;
use run::settings::{Conversation, Expected, ModelChoice, Remark, Startup, Workflow};
use run::work::NewStart;
use run::{Method, Methods, Settings};

use crate::config::{Config, Layers};
use crate::failure::Failure;
use crate::wire::{self, Tools};

use catalog::Catalog;
pub(crate) use cost::{priced, unpriced, within};
pub(crate) use models::{another, list_models, wanted as wanted_models};
pub(crate) use prompts::digest;
use wanted::{Given, Wanted};
pub(crate) use wanted::{Kind, find_method};

/// Where an order comes from. Its errors use the same terms, flags or fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Origin {
    CommandLine,
    Http,
    /// A program that uses the engine as a library.
    Library,
}

impl Origin {
    /// Returns the wording for this origin: flags, or fields of an order.
    pub(crate) fn says(self, flags: &'static str, fields: &'static str) -> &'static str {
        match self {
            Origin::CommandLine => flags,
            Origin::Http | Origin::Library => fields,
        }
    }

    /// Returns the name of the configuration layer that an order forms.
    fn layer(self) -> &'static str {
        self.says("command line", "order")
    }
}

/// Checks what can be checked on the order alone, and returns its method.
pub(crate) fn sound<'m>(
    order: &Order,
    methods: &'m Methods,
    origin: Origin,
) -> Result<&'m Method, Failure> {
    let method = wanted::sound(order, methods, origin)?;
    if order.budget.any_zero() {
        return Err(Failure::usage(
            "a limit of 0 allows nothing",
            origin.says(
                "use --no-model to ask no model, or --estimate to run nothing",
                "leave the limit out, or set offline to ask no model",
            ),
        ));
    }
    Ok(method)
}

/// What an order is checked against, and for which user.
#[derive(Clone, Copy)]
pub(crate) struct Submitter<'a> {
    pub(crate) layers: &'a Layers,
    pub(crate) database: &'a Database,
    pub(crate) methods: &'a Methods,
    pub(crate) user: &'a str,
    pub(crate) origin: Origin,
}

/// An order that was checked against the configuration. Nothing has been opened for it yet.
pub(crate) struct Draft {
    layers: Layers,
    origin: Origin,
    method: String,
    question: String,
    models: Option<ModelChoice>,
    wanted: Box<dyn Wanted>,
    workflow: Option<Workflow>,
    /// What the question follows up on.
    history: Vec<Remark>,
}

impl Draft {
    pub(crate) async fn of(submitter: &Submitter<'_>, order: &Order) -> Result<Draft, Failure> {
        let Submitter { layers, database, methods, user, origin } = *submitter;
        let known = sound(order, methods, origin)?;
        wanted::short_enough(order, layers.config.server.question_chars, origin)?;
        let (order, earlier) = earlier::taken_up(order, database, user).await?;
        let strategy = ask::strategy(&order, database, user).await?;
        let version = strategy.map_or(known.name, |strategy| strategy.name());
        let strategy = strategy.or(order.strategy);
        let order = &Order { strategy, ..order.into_owned() };
        let own = layers.with(Some(version), origin.layer(), vec![])?;
        let mut keys = cost::caps(&order.budget);
        keys.extend(order.max_questions.map(|most| ("ask.deep.max_questions", most.into())));
        keys.extend(order.depth.map(|depth| ("ask.report.depth", depth.name().into())));
        keys.extend(order.words.map(|words| ("ask.report.words", words.into())));
        let layers = layers.with(Some(version), origin.layer(), keys)?;
        if origin == Origin::Http {
            cost::within(&layers.config, &own.config)?;
        }
        let models = models::wanted(order.model.as_deref(), order.offline, &layers.config)?;
        let layers = fitting::fitted(layers, version, origin.layer(), models.as_ref())?;
        let given = Given { order, method: known, config: &layers.config, origin, earlier };
        let wanted = wanted::wanted(&given)?;
        let workflow = workflow::wanted(order, known, &layers.config, user, origin)?;
        let (method, question) = (order.method.clone(), order.question.trim().to_owned());
        let reads_itself = Kind::find(&method).reads_history;
        let history = if reads_itself { vec![] } else { order.history.clone() };
        Ok(Draft { layers, origin, method, question, models, wanted, workflow, history })
    }

    /// Returns the configuration with the order applied.
    pub(crate) fn config(&self) -> &Config {
        &self.layers.config
    }

    /// Checks that everything the run needs is there, except documents; returns notes for the user.
    pub(crate) async fn check(&self, tools: &Tools) -> Result<Vec<String>, Failure> {
        let config = &self.layers.config;
        let sources = self.wanted.sources(config, self.origin)?;
        if !sources.is_empty() || self.wanted.reads_a_page() {
            wire::ready(tools.outside().await?, &sources)?;
        }
        // Faults of the model should show before documents are read.
        let (_, notes) = self.budget(tools)?;
        wire::prompts(config)?;
        if let (true, Some(embedders)) = (self.wanted.compares_vectors(), &tools.embedder) {
            embedders.open().await?;
        }
        Ok(notes)
    }

    /// Connects the models, and returns the budget with notes on it.
    fn budget(&self, tools: &Tools) -> Result<(Budget, Vec<String>), Failure> {
        let config = &self.layers.config;
        let models =
            self.models.as_ref().map(|choice| tools.connected(choice, config)).transpose()?;
        let mut budget = config.budget.budget();
        let notes = cost::uncapped(models.as_ref(), &self.layers, &mut budget, self.origin)?;
        Ok((budget, notes))
    }

    /// Checks the documents, and returns the start of a run, without an owner so that the queue takes it.
    pub(crate) async fn start(
        self,
        run: String,
        database: &Database,
        tools: &Tools,
        user: &str,
    ) -> Result<NewStart, Failure> {
        let (budget, _) = self.budget(tools)?;
        let workflow = self.workflow.as_ref().filter(|_| self.wanted.is_estimable());
        let expected = workflow.map(|_| self.estimate()).transpose()?;
        let expected = expected.filter(|estimate| estimate.model.is_some()).map(|estimate| {
            let Spend { tokens, cost_usd_micros } = estimate.expected;
            let cost_usd_micros = estimate.priced.then_some(cost_usd_micros);
            Box::new(Expected { tokens, cost_usd_micros })
        });
        let Draft { layers, origin, method, question, models, wanted, workflow, history } = self;
        let sources = wanted.sources(&layers.config, origin)?;
        let catalog = Catalog { database, tools, user, origin };
        let options = wanted.options(&layers.config, sources, &catalog).await?;
        if let Some(Workflow { startup: Startup::Named(id), .. }) = &workflow {
            workflow::must_exist(id, database, user, origin).await?;
        }
        let workflow = workflow.map(|workflow| Workflow { expected, ..workflow });
        let history = Conversation::of(history);
        let settings = Settings { options, budget, models, workflow, history };
        let at_most = (Kind::find(&method).at_most)(&layers.config);
        Ok(NewStart {
            run,
            user: user.to_owned(),
            question,
            settings,
            owner: None,
            key: None,
            at_most,
        })
    }
}
