//! The state machine of a workflow over the command line: random sequences of what people do, legal or not, each in a process of its
//! own, against a reference.

use proptest::prelude::*;
use serde_json::Value;

use crate::stand::{QUESTION, Stand, Told, examples};

/// Where a workflow stands, as the reference has it.
#[derive(Debug, Clone, PartialEq)]
enum Phase {
    /// The questions that are open.
    Clarify(Vec<&'static str>),
    /// The latest revision.
    Plan(u32),
    Completed,
    Cancelled,
}

/// What somebody does.
#[derive(Debug, Clone)]
enum Act {
    /// Answers one question.
    Answer(&'static str),
    /// Answers all that are open from a file that names these.
    AnswerAll(Vec<&'static str>),
    /// Approves a plan: the latest, or as it was so many revisions ago, with its hash or another's.
    Approve {
        back: Option<u32>,
        right_hash: bool,
    },
    Reject,
    /// Edits the latest revision, or one of so many revisions ago.
    Edit {
        back: u32,
    },
    Cancel,
    Resume,
    /// What a foreign user does.
    AsEve(Box<Act>),
}

fn act() -> impl Strategy<Value = Act> {
    let gate = prop_oneof![Just("q1"), Just("q2"), Just("q3"), Just("plan"), Just("q9")];
    let own = prop_oneof![
        4 => gate.clone().prop_map(Act::Answer),
        3 => proptest::collection::vec(gate, 0..3).prop_map(Act::AnswerAll),
        3 => (proptest::option::of(0_u32..2), any::<bool>())
            .prop_map(|(back, right_hash)| Act::Approve { back, right_hash }),
        1 => Just(Act::Reject),
        3 => (0_u32..2).prop_map(|back| Act::Edit { back }),
        1 => Just(Act::Cancel),
        2 => Just(Act::Resume),
    ];
    prop_oneof![
        6 => own.clone(),
        1 => own.prop_map(|act| Act::AsEve(Box::new(act))),
    ]
}

/// A run, its reference, and every revision of its plan.
struct Machine {
    stand: Stand,
    run: String,
    phase: Phase,
    /// The plan with its revision and hash, as it was printed, oldest first.
    plans: Vec<Value>,
}

impl Machine {
    fn start(stand: Stand) -> Machine {
        stand.run(&["ask", QUESTION, "--clarify", "--plan"]).fails(5, "asks at gate 'q1'");
        let run = stand.run(&["runs", "list", "--json"]).json()[0]["run_id"].clone();
        let run = run.as_str().unwrap().to_owned();
        Machine { stand, run, phase: Phase::Clarify(vec!["q1", "q2"]), plans: vec![] }
    }

    fn log(&self) -> String {
        self.stand.run(&["runs", "events", &self.run]).out
    }

    /// The plan as it is printed now.
    fn plan(&self) -> Value {
        self.stand.run(&["runs", "plan", &self.run, "--json"]).json()
    }

    /// The phase as the log tells it.
    fn told(&self) -> Phase {
        let entries: Vec<Value> =
            self.log().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let of = |event: &str, gate: &str| {
            entries.iter().any(|entry| entry["event"] == event && entry["gate"] == gate)
        };
        if entries.iter().any(|entry| entry["event"] == "cancelled") {
            return Phase::Cancelled;
        }
        if entries.iter().any(|entry| entry["event"] == "finished") {
            return Phase::Completed;
        }
        if of("asked", "plan") {
            let revisions = entries.iter().filter(|entry| entry["event"] == "revised").count();
            return Phase::Plan(revisions as u32 + 1);
        }
        let open = ["q1", "q2"].into_iter().filter(|gate| !of("answered", gate));
        Phase::Clarify(open.collect())
    }

    /// Does it, and returns what the program said.
    fn perform(&self, act: &Act, user: &str) -> Option<Told> {
        let run = self.run.as_str();
        let mut args: Vec<String> = vec!["runs".into()];
        let seen = |back: u32| {
            let index = self.plans.len().checked_sub(1 + back as usize)?;
            self.plans.get(index)
        };
        match act {
            Act::Answer(gate) => {
                args.extend(["answer", run, "London", "--gate", gate].map(str::to_owned));
            }
            Act::AnswerAll(gates) => {
                let answers: Value =
                    gates.iter().map(|gate| ((*gate).to_owned(), Value::from("London"))).collect();
                let file = self.stand.file("answers.json", answers.to_string());
                args.extend(
                    ["answer", run, "--answers", file.to_str().unwrap()].map(str::to_owned),
                );
            }
            Act::Approve { back, right_hash } => {
                args.extend(["approve", run].map(str::to_owned));
                if let Some(back) = back {
                    let plan = seen(*back)?;
                    let hash = plan["plan_hash"].as_str().unwrap().to_owned();
                    let hash = if *right_hash { hash } else { "0".repeat(64) };
                    args.extend([
                        "--revision".into(),
                        plan["revision"].to_string(),
                        "--plan-hash".into(),
                        hash,
                    ]);
                }
            }
            Act::Reject => args.extend(["reject", run].map(str::to_owned)),
            Act::Edit { back } => {
                let mut plan = seen(*back)?.clone();
                plan["plan"]["focus_areas"] =
                    Value::from(vec![format!("edit {}", self.plans.len())]);
                let file = self.stand.file("edited.json", plan.to_string());
                args.extend(
                    ["plan", run, "--json", "--edit", file.to_str().unwrap()].map(str::to_owned),
                );
            }
            Act::Cancel => args.extend(["cancel", run].map(str::to_owned)),
            Act::Resume => args.extend(["resume", run].map(str::to_owned)),
            Act::AsEve(act) => return self.perform(act, "eve"),
        }
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let mut command = self.stand.command(&args);
        Some(crate::stand::read_output(&command.env("QUAESTIO_USER", user).output().unwrap()))
    }

    /// What the reference makes of it: the phase then, and whether it is refused.
    fn expected(&self, act: &Act) -> Result<Phase, &'static str> {
        let phase = self.phase.clone();
        match (act, &phase) {
            (Act::AsEve(_), _) => Err("no run"),
            (Act::Answer(gate), Phase::Clarify(open)) if open.contains(gate) => {
                let rest: Vec<_> = open.iter().copied().filter(|one| one != gate).collect();
                Ok(if rest.is_empty() { Phase::Plan(1) } else { Phase::Clarify(rest) })
            }
            (Act::AnswerAll(gates), Phase::Clarify(open))
                if gates.iter().all(|gate| open.contains(gate)) =>
            {
                Ok(Phase::Plan(1))
            }
            (Act::Approve { back: None, .. }, Phase::Plan(_)) => Ok(Phase::Completed),
            (Act::Approve { back: Some(0), right_hash: true }, Phase::Plan(_)) => {
                Ok(Phase::Completed)
            }
            (Act::Edit { back: 0 }, Phase::Plan(revision)) => Ok(Phase::Plan(revision + 1)),
            (Act::Reject, Phase::Plan(_)) => Ok(Phase::Cancelled),
            (Act::Cancel, Phase::Clarify(_) | Phase::Plan(_)) => Ok(Phase::Cancelled),
            (Act::Answer(_) | Act::AnswerAll(_), Phase::Clarify(_)) => Err("open"),
            (Act::Answer(_) | Act::AnswerAll(_), _) => {
                Err("'answer_questions' is not possible in phase")
            }
            (Act::Approve { .. }, Phase::Plan(_)) => Err("Read it again before you approve it"),
            (Act::Approve { .. }, _) => Err("'approve_plan' is not possible in phase"),
            (Act::Reject, _) => Err("'reject_plan' is not possible in phase"),
            (Act::Edit { .. }, Phase::Plan(_)) => Err("Read it again before you approve it"),
            (Act::Edit { .. }, _) => Err("'edit_plan' is not possible in phase"),
            (Act::Cancel, Phase::Completed) => Err("is already completed"),
            (Act::Cancel, Phase::Cancelled) => Err("is already cancelled"),
            (Act::Resume, Phase::Clarify(_) | Phase::Plan(_)) => Err("is waiting"),
            (Act::Resume, Phase::Completed) => Err("is completed"),
            (Act::Resume, Phase::Cancelled) => Err("is cancelled"),
        }
    }

    /// Does what must be refused once a run has ended, or was: a plan that was seen is edited, the run is stopped and taken up.
    fn end(&mut self) -> Result<(), TestCaseError> {
        if matches!(self.phase, Phase::Clarify(_)) {
            self.step(&Act::AnswerAll(vec![]))?;
        }
        if matches!(self.phase, Phase::Plan(_)) {
            self.step(&Act::Approve { back: None, right_hash: true })?;
        }
        for act in [Act::Edit { back: 0 }, Act::Cancel, Act::Resume, Act::Reject] {
            self.step(&act)?;
        }
        Ok(())
    }

    fn step(&mut self, act: &Act) -> Result<(), TestCaseError> {
        let before = self.log();
        let Some(told) = self.perform(act, "local") else { return Ok(()) };
        prop_assert!(!told.err.contains("panicked"), "{act:?}: {told:?}");
        match self.expected(act) {
            Ok(phase) => {
                prop_assert!([0, 5].contains(&told.code), "{act:?} in {:?}: {told:?}", self.phase);
                self.phase = phase;
            }
            Err(what) => {
                prop_assert!(
                    told.code == 1 || told.code == 2,
                    "{act:?} in {:?}: {told:?}",
                    self.phase
                );
                prop_assert!(told.err.contains(what) && told.err.starts_with("error"), "{told:?}");
                prop_assert_eq!(self.log(), before, "a refusal changes nothing: {:?}", act);
            }
        }
        prop_assert_eq!(self.told(), self.phase.clone(), "after {:?}", act);
        if let Phase::Plan(revision) = self.phase {
            let plan = self.plan();
            prop_assert_eq!(&plan["revision"], revision);
            if self.plans.len() < revision as usize {
                self.plans.push(plan);
            }
        }
        Ok(())
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 10, max_shrink_iters: 40, failure_persistence: None, ..ProptestConfig::default() })]

    // proves: W1, W3, C11
    #[test]
    fn whatever_people_do_at_the_command_line_a_workflow_moves_as_the_reference_does(acts in proptest::collection::vec(act(), 4..14)) {
        let stand = Stand::new();
        let docs = examples();
        stand.run(&["ingest", docs.to_str().unwrap()]);
        let mut machine = Machine::start(stand);
        for act in &acts {
            machine.step(act)?;
        }
        machine.end()?;
    }
}
