//! From the command line to the arms of an evaluation: ways to answer, each checked against the configuration as an order is.

use eval::observation::CONTROL;
use eval::runner::Arm;
use methods::ask::Strategy;
use methods::order::Order;
use papers::Source;
use run::budget::Spend;
use run::entry::Hash;
use run::{Methods, Settings};
use serde_json::Value;

use super::super::CliContext;
use super::super::start::sources;
use crate::cli::EvalOrder;
use crate::config::{Config, Layers};
use crate::failure::Failure;
use crate::submission::{Draft, Origin, Submitter};

/// A way to answer that the user chose.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Chosen {
    pub(super) name: String,
    method: String,
    strategy: Option<Strategy>,
}

impl Chosen {
    fn strategy(strategy: Strategy) -> Chosen {
        let name = strategy.name().to_owned();
        Chosen { name, method: "ask".into(), strategy: Some(strategy) }
    }

    /// Returns whether it answers from the user's documents.
    pub(super) fn reads_documents(&self) -> bool {
        match self.strategy {
            Some(strategy) => !matches!(strategy, Strategy::Direct | Strategy::Search),
            None => matches!(self.method.as_str(), "market" | "debate"),
        }
    }

    /// Returns the outside sources that it asks; `None` leaves them to the configuration.
    fn sources(&self, order: &EvalOrder) -> Option<Vec<Source>> {
        let asks_outside = match self.strategy {
            Some(strategy) => matches!(strategy, Strategy::Search | Strategy::Deep),
            None => true,
        };
        // Only an arm that reads documents can do without outside sources.
        let alone = order.own_documents && self.reads_documents();
        let named = sources(&order.sources, alone);
        named.filter(|_| asks_outside)
    }

    /// Returns the order for a case: the same for all but for the question.
    pub(super) fn order(&self, order: &EvalOrder, question: &str, place: Option<&str>) -> Order {
        let collection = place.filter(|_| self.reads_documents()).map(str::to_owned);
        Order {
            method: self.method.clone(),
            question: question.to_owned(),
            strategy: self.strategy,
            collection,
            sources: self.sources(order),
            // No one is there to answer or to approve.
            max_questions: (self.strategy == Some(Strategy::Deep)).then_some(0),
            clarify: Some(false),
            plan: Some(false),
            startup: Some(String::new()),
            ..Order::default()
        }
    }
}

/// Returns the ways to answer, each once, in the order of the command line; the control is always there, and last.
pub(super) fn choose_arms(order: &EvalOrder, has_documents: bool) -> Result<Vec<Chosen>, Failure> {
    let mut chosen: Vec<Chosen> = Vec::new();
    chosen.extend(order.strategies.iter().map(|one| Chosen::strategy(Strategy::from(*one))));
    for method in &order.methods {
        if method == "ask" {
            return Err(Failure::usage(
                "--method cannot be 'ask'",
                "choose its strategies instead, for example --strategy rag,search",
            ));
        }
        chosen.push(Chosen { name: method.clone(), method: method.clone(), strategy: None });
    }
    // Reports of other programs can be compared with the model alone, without further arms.
    if chosen.is_empty() && (has_documents || order.reports.is_empty()) {
        if !has_documents {
            return Err(Failure::usage(
                "no documents to answer from, and nothing else to compare with the model alone",
                "add --docs PATH or --collection NAME, or choose --strategy search",
            ));
        }
        chosen.push(Chosen::strategy(Strategy::Rag));
    }
    chosen.retain(|one| one.name != CONTROL);
    chosen.push(Chosen::strategy(Strategy::Direct));
    let mut once: Vec<Chosen> = Vec::new();
    for one in chosen {
        if !once.contains(&one) {
            once.push(one);
        }
    }
    if once.iter().any(|one| one.strategy == Some(Strategy::Rag)) && !has_documents {
        return Err(Failure::usage(
            "the strategy 'rag' needs documents",
            "add --docs PATH or --collection NAME",
        ));
    }
    Ok(once)
}

/// An arm that was checked against the configuration.
pub(super) struct Drafted {
    chosen: Chosen,
    version: u32,
    pub(super) config: Config,
    prompts: Hash,
    expected: Spend,
    /// What a run of it may cost at most, by its calls and prompts, before the caps of its budget.
    worst_case: Spend,
    notes: Vec<String>,
    draft: Draft,
}

/// An arm with what its runs may cost.
pub(super) struct Made {
    pub(super) arm: Arm,
    pub(super) config: Config,
    pub(super) expected: Spend,
    pub(super) worst_case: Spend,
}

impl Drafted {
    /// Checks everything but documents.
    pub(super) async fn of(
        chosen: Chosen,
        order: &Order,
        context: &CliContext<'_>,
        layers: &Layers,
        methods: &Methods,
    ) -> Result<Drafted, Failure> {
        let (user, origin) = (&context.config.user, Origin::CommandLine);
        let submitter = Submitter { layers, database: &context.database, methods, user, origin };
        let draft = Draft::of(&submitter, order).await?;
        let version = methods.find(&order.method).map_or(0, |method| method.version);
        let estimate = draft.estimate()?;
        let (config, prompts) = (draft.config().clone(), draft.prompts()?);
        let notes = draft.check(&context.tools).await?;
        let (expected, worst_case) = (estimate.expected, estimate.worst_case);
        Ok(Drafted { chosen, version, config, prompts, expected, worst_case, notes, draft })
    }

    pub(super) fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Checks the documents as well. `documents` is a digest of them.
    pub(super) async fn made(
        self,
        context: &CliContext<'_>,
        documents: Option<Hash>,
    ) -> Result<Made, Failure> {
        let Drafted { chosen, version, config, prompts, expected, worst_case, draft, .. } = self;
        let user = &context.config.user;
        let new = draft.start(String::new(), &context.database, &context.tools, user).await?;
        let mut settings = new.settings;
        // No one is there to answer.
        settings.budget.max_questions = Some(0);
        let documents = documents.filter(|_| chosen.reads_documents());
        // A question of an evaluation stands alone.
        let Settings { options, budget, models, workflow, history: _ } = &settings;
        let options = without_collection(options);
        let decides = Hash::of_json(&(
            ("evaluation", 1, &chosen.method, version),
            (options, budget, models, workflow),
            (documents, prompts),
        ));
        let Chosen { name, method, .. } = chosen;
        let arm = Arm { name, method, settings, decides, needs: expected };
        Ok(Made { arm, config, expected, worst_case })
    }
}

/// Returns options without the documents that they name, for which their digest stands.
fn without_collection(options: &Value) -> Value {
    let mut options = options.clone();
    if let Value::Object(options) = &mut options {
        options.remove("collection");
        options.remove("own_documents");
    }
    options
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        order: EvalOrder,
    }

    fn names(args: &[&str], has_documents: bool) -> Result<Vec<String>, Failure> {
        let line = Line::try_parse_from([&["eval", "q.jsonl"], args].concat()).unwrap();
        let chosen = choose_arms(&line.order, has_documents)?;
        Ok(chosen.into_iter().map(|one| one.name).collect())
    }

    // proves: C18
    #[test]
    fn the_control_is_always_there_once_and_last() {
        for (args, expected) in [
            (vec![], vec!["rag", "direct"]),
            (vec!["--strategy", "direct"], vec!["direct"]),
            (vec!["--strategy", "direct,rag,search,rag"], vec!["rag", "search", "direct"]),
            (vec!["--strategy", "direct", "--strategy", "direct"], vec!["direct"]),
            (vec!["--method", "hypothesize"], vec!["hypothesize", "direct"]),
            (
                vec!["--strategy", "rag", "--method", "hypothesize"],
                vec!["rag", "hypothesize", "direct"],
            ),
        ] {
            assert_eq!(names(&args, true).unwrap(), expected, "{args:?}");
        }
    }

    #[test]
    fn without_documents_only_what_reads_none_is_evaluated() {
        assert_eq!(names(&["--strategy", "search"], false).unwrap(), ["search", "direct"]);
        assert!(names(&[], false).unwrap_err().hint.contains("--docs"));
        assert!(names(&["--strategy", "rag"], false).unwrap_err().what.contains("'rag'"));
        assert!(names(&["--method", "ask"], true).unwrap_err().hint.contains("--strategy"));
    }

    // proves: A8
    #[test]
    fn the_name_of_a_collection_decides_nothing() {
        let options = |name: &str| serde_json::json!({"collection": name, "rules": {"top_k": 8}});
        assert_eq!(without_collection(&options("a")), without_collection(&options("b")));
        assert_eq!(without_collection(&options("a"))["rules"]["top_k"], 8);
    }
}
