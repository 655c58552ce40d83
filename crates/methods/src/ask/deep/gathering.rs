//! Gathers the evidence of a task: from the user's documents, or outside.

use papers::Source;
use run::evidence::Passage;
use run::library::{Found, Search};
use run::{Result, Run};

use super::graph::{Task, TaskKind};
use super::{Inquiry, of_papers, of_the_web};
use crate::ask::outside::{LookedUp, look_up};
use crate::ask::relevance::{Coverage, measure_nearness, relevant};
use crate::ask::search_in;
use crate::outside;

/// What a task searched for and found, before it is evidence.
#[derive(Default)]
pub(super) struct Gathered {
    /// The passages that bear on the query, best first.
    pub(super) passages: Vec<Passage>,
    pub(super) found: Option<Found>,
    pub(super) near: bool,
    pub(super) searched: Option<LookedUp>,
}

impl Inquiry<'_> {
    pub(super) async fn gathered(&self, task: &Task) -> Result<Gathered> {
        let run = self.run.scope(&task.id);
        match task.kind {
            TaskKind::SearchWeb => self.searched(&run, task, &of_the_web(self.options)).await,
            TaskKind::SearchScholarly => self.searched(&run, task, &of_papers(self.options)).await,
            _ => {
                let own = search_in(&self.options.collection, &task.inputs.query, self.options);
                self.retrieved(&run, own, None).await
            }
        }
    }

    /// Searches, reads what is found into a collection of the task's own, and looks the query up there, so that concurrent tasks do not see
    /// each other's results.
    async fn searched(&self, run: &Run, task: &Task, sources: &[Source]) -> Result<Gathered> {
        let collection = format!("{}-{}", self.own_collection, task.id);
        let queries = vec![task.inputs.query.clone()];
        let servers = outside::steps_of_servers(&self.options.sources, self.searches);
        let room = outside::room(run, self.other_steps + servers, self.searches);
        let room = room / self.searches.max(1);
        let looked_up =
            look_up(run, queries, sources, &self.reading, &collection, room.max(1)).await?;
        if !looked_up.read_any() {
            return Ok(Gathered { searched: Some(looked_up), ..Gathered::default() });
        }
        let mut fetched = search_in(&collection, &task.inputs.query, self.options);
        // Fetched documents do not have the user's metadata.
        fetched.filter.clear();
        self.retrieved(run, fetched, Some(looked_up)).await
    }

    async fn retrieved(
        &self,
        run: &Run,
        search: Search,
        searched: Option<LookedUp>,
    ) -> Result<Gathered> {
        let found = run.retrieve(&search).await?;
        let rules = &self.options.rules;
        let (coverage, nearness) = (Coverage::of(&found), measure_nearness(&found));
        let near = nearness.is_some_and(|near| near >= rules.near_enough);
        let passages = relevant(found.clone(), coverage, nearness, rules, run.mode());
        Ok(Gathered { passages, found: Some(found), near, searched })
    }
}
