//! What a plan must come to, worked out one task after another from the plan alone.

use std::collections::BTreeSet;

use serde_json::Value;

use super::Plan;

/// What it came to.
pub(super) struct Outcome {
    /// Each task in the order in which it was settled, its state, and the documents that it brought.
    pub(super) board: Vec<(String, String, Vec<String>)>,
    /// Questions put to a person.
    pub(super) asked: usize,
}

pub(super) struct Reference<'a> {
    plan: &'a Plan,
    words: Vec<&'a str>,
    tasks: Vec<Value>,
    steps: usize,
    questions: usize,
    outcome: Outcome,
}

/// What a query finds, by its words alone.
pub(super) enum Finds<'a> {
    Words(Vec<&'a str>),
    Nothing,
    Failure,
}

/// Returns what a query finds.
pub(super) fn finds(query: &str) -> Finds<'_> {
    if query.contains("fails") {
        Finds::Failure
    } else if query.contains("nothing") {
        Finds::Nothing
    } else {
        Finds::Words(query.split(' ').collect())
    }
}

impl<'a> Reference<'a> {
    pub(super) fn of(plan: &'a Plan, question: &'a str) -> Reference<'a> {
        let number = |key: &str| plan.first["budgets"][key].as_u64().unwrap() as usize;
        let mut tasks = plan.first["plan"].as_array().unwrap().clone();
        tasks.pop();
        Reference {
            plan,
            words: question.split(' ').collect(),
            tasks,
            steps: number("max_steps"),
            questions: number("max_questions"),
            outcome: Outcome { board: vec![], asked: 0 },
        }
    }

    pub(super) fn carried_out(mut self) -> Outcome {
        let mut again = true;
        loop {
            let ready: Vec<usize> =
                (0..self.tasks.len()).filter(|index| self.is_ready(*index)).collect();
            if !ready.is_empty() {
                self.wave(&ready);
            } else if std::mem::take(&mut again) && self.left() > 0 && self.is_thin() {
                self.tasks.extend(self.plan.again["plan"].as_array().unwrap().iter().cloned());
            } else {
                return self.outcome;
            }
        }
    }

    fn id(&self, index: usize) -> &str {
        self.tasks[index]["id"].as_str().unwrap()
    }

    fn is_settled(&self, id: &str) -> bool {
        self.outcome.board.iter().any(|(known, ..)| known == id)
    }

    fn is_ready(&self, index: usize) -> bool {
        let task = &self.tasks[index];
        let explicit = task["after"].as_array().cloned().unwrap_or_default();
        let waits = task["when"].is_string() || task["type"] == "ask_user";
        let before: Vec<&str> = if explicit.is_empty() && waits {
            let gathers = |other: &&Value| other["type"] != "ask_user";
            let earlier = self.tasks[..index].iter().filter(gathers);
            earlier.map(|other| other["id"].as_str().unwrap()).collect()
        } else {
            explicit.iter().map(|id| id.as_str().unwrap()).collect()
        };
        !self.is_settled(self.id(index)) && before.iter().all(|id| self.is_settled(id))
    }

    fn left(&self) -> usize {
        let is_done = |(_, state, _): &&(String, String, Vec<String>)| {
            state != "skipped" && state != "refused"
        };
        let done = self.outcome.board.iter().filter(is_done).count();
        self.steps.saturating_sub(done + 1)
    }

    fn wave(&mut self, ready: &[usize]) {
        let mut left = self.left();
        let (mut begun, mut asking) = (vec![], vec![]);
        let mut undone = vec![];
        for &index in ready {
            let task = &self.tasks[index];
            let when = task["when"].as_str();
            let asks = task["type"] == "ask_user";
            let holds = when.is_none_or(|when| (asks && when == "ambiguity") || self.holds(when));
            if !holds {
                undone.push((self.id(index).to_owned(), "skipped"));
            } else if left == 0 {
                undone.push((self.id(index).to_owned(), "refused"));
            } else {
                left -= 1;
                if asks { asking.push(index) } else { begun.push(index) }
            }
        }
        for (id, state) in undone {
            self.outcome.board.push((id, state.into(), vec![]));
        }
        for index in begun {
            let task = &self.tasks[index];
            let (state, brought) = match finds(task["inputs"]["query"].as_str().unwrap()) {
                Finds::Failure => ("failed", vec![]),
                Finds::Nothing => ("done", vec![]),
                Finds::Words(words) => ("done", vec![format!("doc://kb/{}", words.join("-"))]),
            };
            self.outcome.board.push((self.id(index).to_owned(), state.into(), brought));
        }
        for index in asking {
            let id = self.id(index).to_owned();
            let blocks = self.tasks[index]["inputs"]["question"] == "BLOCKS?";
            let mut said = "";
            if blocks && self.outcome.asked < self.questions {
                said = self.plan.answers.get(self.outcome.asked).copied().unwrap_or_default();
                self.outcome.asked += 1;
            }
            let (state, brought) = match said {
                "" => ("assumed", vec![]),
                _ => ("answered", vec![format!("user://{id}")]),
            };
            self.outcome.board.push((id, state.into(), brought));
        }
    }

    /// The documents that stand on the board.
    fn documents(&self) -> BTreeSet<&str> {
        self.outcome.board.iter().flat_map(|(_, _, brought)| brought).map(String::as_str).collect()
    }

    fn has(&self, word: &str) -> bool {
        // What differs in a figure speaks of the first two words, whoever it is about.
        let differs = ["clash", "acme", "globex"];
        self.documents().iter().any(|document| {
            let name = document.rsplit('/').next().unwrap();
            let of_two = differs.iter().any(|one| name.contains(one));
            name.split('-').any(|known| known == word)
                || (of_two
                    && !document.starts_with("user:")
                    && ["alpha", "bravo", "charlie"].contains(&word))
        })
    }

    fn is_thin(&self) -> bool {
        !self.words.iter().all(|word| self.has(word))
    }

    fn both(&self, one: &str, other: &str) -> bool {
        let documents = self.documents();
        [one, other].iter().all(|name| documents.contains(format!("doc://kb/{name}").as_str()))
    }

    fn holds(&self, when: &str) -> bool {
        match when {
            "recall_low" => self.is_thin(),
            "if sources disagree" => self.both("clash-five", "clash-seven"),
            "ambiguity" => {
                let said = self.outcome.board.iter().any(|(_, state, _)| state == "answered");
                !said && self.both("acme", "globex")
            }
            "missing(delta)" => !self.has("delta"),
            "charlie is missing" => !self.has("charlie"),
            other => panic!("{other}"),
        }
    }
}
