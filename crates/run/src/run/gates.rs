//! Gates, where a method stops until a person has answered.

use super::{Result, Run, Stop};
use crate::entry::{Ask, Event};
use crate::journal::Journal;
use crate::log::{Status, Wait};
use crate::plan::Plan;

impl Run {
    /// Asks a person. Returns the answer if the log has it; otherwise the run waits and the method unwinds.
    pub async fn ask(&self, gate: &str, ask: Ask) -> Result<String> {
        let gate = self.name(gate);
        if ask.plan.is_some() {
            return Err(wrong(gate, "a plan is proposed, not asked about"));
        }
        self.at(gate, ask, |journal, gate| journal.answers.get(gate).cloned()).await
    }

    /// Proposes the plan of `ask` to a person, who may edit it before approving it. Returns the approved plan if the log has it;
    /// otherwise the run waits and the method unwinds. A rejection ends the run.
    pub async fn propose(&self, gate: &str, ask: Ask) -> Result<Plan> {
        self.proposed(gate, ask, Plan::wrong).await
    }

    /// Does the same as [`Run::propose`] with another validity check.
    pub(super) async fn proposed(
        &self,
        gate: &str,
        ask: Ask,
        wrong_with: fn(&Plan) -> Option<String>,
    ) -> Result<Plan> {
        let gate = self.name(gate);
        let Some(plan) = &ask.plan else {
            return Err(wrong(gate, "it proposes a plan, and none is given"));
        };
        let fault = wrong_with(plan);
        {
            let mut journal = self.journal();
            let asked = journal.was_asked(&gate, &ask);
            if let Some(by) = journal.rejected.get(&gate) {
                return Err(Stop::Cancelled { by: by.clone() });
            }
            // A logged plan was valid by the rules of its time.
            if let Some(fault) = fault.filter(|_| !asked) {
                return Err(wrong(gate, &format!("could not propose the plan: {fault}")));
            }
        }
        self.at(gate, ask, |journal, gate| journal.approved.get(gate).cloned()).await
    }

    /// Returns what a person said at the gate; if nothing yet, asks them, once.
    async fn at<T>(
        &self,
        gate: String,
        ask: Ask,
        said: impl Fn(&Journal, &str) -> Option<T>,
    ) -> Result<T> {
        let wait = {
            let mut journal = self.journal();
            let asked = journal.was_asked(&gate, &ask);
            if let Some(said) = said(&journal, &gate) {
                return Ok(said);
            }
            self.not_cancelled()?;
            if asked {
                None
            } else {
                if ask.plan.is_none() {
                    // The cap comes first, so that a replay meets it as the run did.
                    let cap = journal.account.ask(&self.shared.settings.budget);
                    cap.map_err(|cap| Stop::Budget { step: gate.clone(), cap })?;
                }
                self.only_live(&gate)?;
                journal.asked.insert(gate.clone(), ask.clone());
                let event = Event::Asked { gate: gate.clone(), ask };
                Some(self.append(&mut journal, vec![event], Status::Running, Wait::Durable))
            }
        };
        if let Some(wait) = wait {
            wait.await?;
        }
        Err(Stop::Waiting { gate })
    }
}

fn wrong(gate: String, message: &str) -> Stop {
    Stop::Stage { stage: gate, message: message.to_owned(), retry_attempted: false }
}
