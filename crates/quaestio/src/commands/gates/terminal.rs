//! Answers to a run that asks, from the terminal or given beforehand.

use std::collections::BTreeMap;

use anstyle::Style;
use render::Document;
use run::log::Status;
use run::views::{self, Gate, PlanState, Proposal};
use run::work::{self, AnswerError};
use run::world::World;
use run::{Entry, Method};

use super::page;
use crate::commands::CliContext;
use crate::commands::beforehand::{Answers, Beforehand};
use crate::commands::delivery::Delivery;
use crate::failure::{Exit, Failure};
use crate::{listing, output};

const QUESTION: Style = Style::new().bold();
const FAINT: Style = Style::new().dimmed();

/// What a person at the terminal decides on a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Said {
    Yes,
    No,
    /// Not now; the run goes on waiting.
    Later,
    Unclear,
}

impl Said {
    fn of(line: &str) -> Said {
        match line.trim().to_lowercase().as_str() {
            "" => Said::Later,
            "y" | "yes" => Said::Yes,
            "n" | "no" => Said::No,
            _ => Said::Unclear,
        }
    }
}

/// What a person at the terminal says to a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Answered<'a> {
    With(&'a str),
    Skip,
    /// This question and all others that are open.
    SkipAll,
    /// Not now; the run goes on waiting.
    Later,
}

impl Answered<'_> {
    fn of(line: &str) -> Answered<'_> {
        match line.trim() {
            "" | "-" => Answered::Skip,
            "/skip" => Answered::SkipAll,
            "/later" => Answered::Later,
            answer => Answered::With(answer),
        }
    }
}

impl CliContext<'_> {
    /// While the run has questions, gives the answers from beforehand and asks the person at the terminal for the rest; then delivers
    /// the result.
    pub(in crate::commands) async fn conclude(
        &self,
        world: &World,
        run: &str,
        mut status: Status,
        said: &Beforehand,
        delivery: &Delivery,
    ) -> Result<Exit, Failure> {
        let mut answers = said.answers.as_ref();
        while status == Status::Waiting {
            let entries = self.entries(run).await?;
            let open = views::open_gates(&entries);
            let Some(gate) = open.first() else { break };
            let heard = match (gate.plan, answers.take()) {
                (Some(proposal), kept) => {
                    answers = kept;
                    self.take_approval(run, gate, proposal, said.yes).await
                }
                (None, Some(answers)) => self.take_answers(run, &entries, answers).await,
                (None, None) if self.face.terminal => self.ask_for_answer(run, &open).await,
                (None, None) => Ok(false),
            };
            match heard {
                Ok(true) => {}
                Ok(false) => break,
                // Another person answered first; their answer counts.
                Err(error @ AnswerError::Stale { .. }) => self.note(&error.to_string()),
                Err(
                    error @ (AnswerError::NothingAsked { .. } | AnswerError::NoSuchGate { .. }),
                ) => {
                    self.note(&error.to_string());
                }
                Err(error) => return Err(error.into()),
            }
            status = self.database.log.summary(&self.config.user, run).await?.status;
            if matches!(status, Status::Queued | Status::Running) {
                let method = views::start(&entries).map_or("", |start| start.method);
                status = self.go_on(world, &self.method(method)?, run).await?;
            }
        }
        self.deliver(run, delivery).await
    }

    /// Continues a run that was put back into the queue, here or by following the process that took it.
    pub(super) async fn go_on(
        &self,
        world: &World,
        method: &Method,
        run: &str,
    ) -> Result<Status, Failure> {
        let taken = |owner: &str| {
            self.note(&format!("{owner} has taken the run up; waiting for what comes of it"));
        };
        let key = (self.config.user.as_str(), run);
        self.attend(run, self.worker.see_through(world, method, key, taken)).await
    }

    /// Answers all open questions with the answers given beforehand. Answers to other questions are not used.
    pub(super) async fn take_answers(
        &self,
        run: &str,
        entries: &[Entry],
        answers: &Answers,
    ) -> Result<bool, AnswerError> {
        let open = views::open_gates(entries);
        let (answers, surplus) = answers.to(entries, &open);
        for line in surplus {
            self.note(&run::grounding::clean(&line));
        }
        let (world, user) = (self.worker.world(), &self.config.user);
        work::answer_all(world, user, run, &answers, user).await?;
        for gate in open.iter().filter(|gate| gate.plan.is_none()) {
            let answer = answers.get(gate.name).map_or("", |answer| answer.trim());
            let told = if answer.is_empty() { "(passed by)" } else { answer };
            let line = format!("{}: {}\n> {told}", gate.name, gate.ask.question);
            self.note(&run::grounding::clean(&line));
        }
        Ok(true)
    }

    /// Takes an answer from the terminal; returns whether there was one.
    async fn ask_for_answer(&self, run: &str, open: &[Gate<'_>]) -> Result<bool, AnswerError> {
        let Some(gate) = open.first() else { return Ok(false) };
        let err = &self.face.err;
        let question = run::grounding::clean(&gate.ask.question);
        let mut asked = listing::styled(err.is_styled(), QUESTION, &question);
        if !gate.ask.context.is_empty() {
            asked.push_str(&run::grounding::clean(&format!("\n  ({})", gate.ask.context)));
        }
        let questions = open.iter().filter(|gate| gate.plan.is_none()).count();
        let told = match questions {
            0 | 1 => "  Type an answer, or press Enter to skip the question. /later: answer later."
                .to_owned(),
            _ => format!(
                "  Type an answer, or press Enter to skip the question ({} more follow{}).\n  \
                 /skip: skip all of them. /later: answer later.",
                questions - 1,
                if questions == 2 { "s" } else { "" },
            ),
        };
        let told = listing::styled(err.is_styled(), FAINT, &told);
        err.put(&format!("\n{asked}\n{told}\n> "));
        let Some(typed) = read_line().await else {
            err.put("\n");
            return Ok(false);
        };
        let (world, user) = (self.worker.world(), &self.config.user);
        match Answered::of(&typed) {
            Answered::Later => return Ok(false),
            Answered::SkipAll => {
                work::answer_all(world, user, run, &BTreeMap::new(), user).await?;
            }
            Answered::Skip => work::answer(world, user, run, Some(gate.name), "", user).await?,
            Answered::With(answer) => {
                work::answer(world, user, run, Some(gate.name), answer, user).await?;
            }
        }
        Ok(true)
    }

    /// Prints and approves a plan if `yes` is set, else asks the person at the terminal.
    async fn take_approval(
        &self,
        run: &str,
        gate: &Gate<'_>,
        proposal: Proposal<'_>,
        yes: bool,
    ) -> Result<bool, AnswerError> {
        if yes {
            self.show_plan(&page(&proposal, PlanState::Proposed));
            let (world, user) = (self.worker.world(), &self.config.user);
            let seen = Some(proposal.into());
            work::approve(world, user, run, Some(gate.name), seen, user).await?;
            self.note("approved: --yes");
            return Ok(true);
        }
        if !self.face.terminal {
            return Ok(false);
        }
        self.ask_for_approval(run, gate, proposal).await
    }

    /// Prints a plan, on a terminal as its width and colours allow.
    fn show_plan(&self, markdown: &str) {
        let err = &self.face.err;
        if !err.is_terminal() {
            err.put(&run::grounding::clean(markdown));
            return;
        }
        let document = Document { title: None, blocks: render::read::read(markdown, &[]) };
        err.put(&format!("\n{}", output::set(&document, err, Default::default())));
    }

    /// Shows a plan and takes its approval or rejection from the terminal; returns whether there was one.
    async fn ask_for_approval(
        &self,
        run: &str,
        gate: &Gate<'_>,
        proposal: Proposal<'_>,
    ) -> Result<bool, AnswerError> {
        self.show_plan(&page(&proposal, PlanState::Proposed));
        let question = run::grounding::clean(&gate.ask.question);
        let is_styled = self.face.err.is_styled();
        self.face.err.put(&format!("\n{}\n", listing::styled(is_styled, QUESTION, &question)));
        let (world, user) = (self.worker.world(), &self.config.user);
        loop {
            let told = format!(
                "  y: approve the plan and start. n: reject it and end the run. Enter: decide later.\n  \
                 To change it first: quaestio runs plan {run} --edit FILE.json"
            );
            let err = &self.face.err;
            err.put(&format!("{}\n> ", listing::styled(err.is_styled(), FAINT, &told)));
            let Some(line) = read_line().await else { return Ok(false) };
            match Said::of(&line) {
                Said::Yes => {
                    let seen = Some(proposal.into());
                    work::approve(world, user, run, Some(gate.name), seen, user).await?;
                    return Ok(true);
                }
                Said::No => {
                    work::reject(world, user, run, Some(gate.name), "", user).await?;
                    return Ok(true);
                }
                Said::Later => return Ok(false),
                Said::Unclear => {}
            }
        }
    }
}

/// Returns a line from standard input; `None` if an interrupt or the end of input comes first.
pub(in crate::commands) async fn read_line() -> Option<String> {
    let asked = tokio::task::spawn_blocking(|| {
        let mut line = String::new();
        std::io::stdin().read_line(&mut line).map(|read| (read > 0).then_some(line))
    });
    tokio::select! {
        Ok(Ok(line)) = asked => line,
        // There is no answer now; the run goes on waiting.
        _ = tokio::signal::ctrl_c() => None,
        else => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // proves: F1
    #[test]
    fn an_empty_line_skips_one_question_and_two_words_mean_all_and_later() {
        for (line, answered) in [
            ("\n", Answered::Skip),
            (" - \n", Answered::Skip),
            ("/skip\n", Answered::SkipAll),
            (" /later\r\n", Answered::Later),
            ("skip\n", Answered::With("skip")),
            ("law firms\n", Answered::With("law firms")),
            ("- of law firms\n", Answered::With("- of law firms")),
        ] {
            assert_eq!(Answered::of(line), answered, "{line:?}");
        }
    }

    #[test]
    fn only_a_clear_word_approves_or_rejects() {
        for (line, said) in [
            ("y\n", Said::Yes),
            (" YES \r\n", Said::Yes),
            ("n", Said::No),
            ("No\n", Said::No),
            ("\n", Said::Later),
            ("", Said::Later),
            ("yn", Said::Unclear),
            ("maybe", Said::Unclear),
            ("yes, but", Said::Unclear),
        ] {
            assert_eq!(Said::of(line), said, "{line:?}");
        }
    }
}
