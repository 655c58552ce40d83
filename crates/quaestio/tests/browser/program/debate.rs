//! A debate as the shipped method tells it, with a model that says what the scene wants and code that is never run.
//!
//! It goes as far as the number in the file of [`HOLD`] allows: two points a turn, before its scientist speaks and before the response
//! is checked. What stands in a file `hostile` beside it stands in every text of every turn.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use ::methods::debate::Milestone;
use ::methods::debate::payload::{
    Agreement, Answer, Critique, Debate, Ending, Ingested, Listed, Markers, Proposed, Scientist,
    Sentence, Turn, Validation, Viability,
};
use run::entry::Hash;
use run::evidence::{EvidenceKind, Numbered, Passage, Place};
use run::ledger::{Citation, Claim, Verdict};
use run::sandbox::{Checks, End, Execution, Left, Trial};
use run::{Agent, Deliverable, Method, Outcome, Reply, Run};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::HOLD;

pub(super) const DEBATE: Method = Method::new("debate", 2, |run| Box::pin(debate(run)));

const PROMPT: &str =
    "---\nversion: 1\ntier: main\ntemperature: 0.1\nmax_tokens: 500\n---\nSpeak.\n";
const OPTIMIST: Agent = Agent { name: "optimist", prompt: "debate/optimist", text: PROMPT };
const PESSIMIST: Agent = Agent { name: "pessimist", prompt: "debate/pessimist", text: PROMPT };

const CLAIM: &str = "A counter of primes that begins at one counts one too many.";

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
struct Spoken {
    sentences: Vec<Said>,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
struct Said {
    text: String,
}

impl Reply for Spoken {
    const DRAFT: Option<&'static str> = Some("text");
}

/// What a scene says about how the debate goes.
struct Script {
    hold: Option<PathBuf>,
    hostile: Option<String>,
}

impl Script {
    fn read() -> Script {
        let hold = std::env::var_os(HOLD).map(PathBuf::from);
        let beside = hold.as_ref().map(|hold| hold.with_file_name("hostile"));
        Script { hostile: beside.and_then(|path| std::fs::read_to_string(path).ok()), hold }
    }

    /// Waits before this point for as long as the scene holds the debate there.
    async fn reach(&self, point: usize) {
        let Some(hold) = &self.hold else { return };
        while let Ok(passed) = std::fs::read_to_string(hold) {
            if passed.trim().parse::<usize>().is_ok_and(|passed| passed >= point) {
                return;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// Returns the text, or what stands in the place of all texts.
    fn text(&self, text: &str) -> String {
        self.hostile.clone().unwrap_or_else(|| text.to_owned())
    }

    /// A sentence that cites evidence; without numbers an opinion.
    fn sentence(&self, text: &str, numbers: &[u32]) -> Sentence {
        let verdict = (!numbers.is_empty()).then_some(Verdict::Supported);
        Sentence { text: self.text(text), numbers: numbers.to_vec(), verdict }
    }
}

/// Two cycles: the first proposal's code fails, which the reviewer passes over; the second holds.
async fn debate(run: &Run) -> run::Result<Deliverable> {
    let script = Script::read();
    let mut turns: Vec<Turn> = Vec::new();
    let mut cited: Vec<Numbered> = Vec::new();
    for cycle in 1..=2 {
        for who in [Scientist::Optimist, Scientist::Pessimist] {
            let scope = run.scope(who.role()).scope(&format!("turn-{cycle}"));
            let point = turns.len() * 2;
            let query = script.text(&format!("{} {}", run.question(), who.role()));
            run.say(script.text("reading up"));
            run.say(Milestone::Query(who, query.clone()).to_string());
            let ingested = Ingested { arxiv: 4, crossref: 3 };
            run.say(Milestone::Ingested(who, ingested).to_string());
            let found = run.cite(passages(&script, cycle))?;
            run.say(Milestone::Retrieved(who, found.len() as u32).to_string());
            let evidence: Vec<u32> = found.iter().map(|one| one.number).collect();
            for one in found {
                if cited.iter().all(|known| known.number != one.number) {
                    cited.push(one);
                }
            }
            script.reach(point + 1).await;
            let agent = if who == Scientist::Optimist { OPTIMIST } else { PESSIMIST };
            let _: Spoken = scope.agent(&agent).given("Question", run.question()).reply().await?;
            let mut turn = match who {
                Scientist::Optimist => {
                    let trial = execute(run, &script, cycle, point + 2).await?;
                    proposal(&script, cycle, trial)
                }
                Scientist::Pessimist => {
                    script.reach(point + 2).await;
                    review(&script, cycle)
                }
            };
            turn.query = query;
            turn.retrieved = evidence.len() as u32;
            turn.evidence = evidence;
            turn.ingested = ingested;
            turn.citations = citations(&cited);
            let turn = scope.step("response", &turn, async || Ok(turn.clone())).await?;
            turns.push(turn);
            run.keep(delivered(&script, &turns, Ending::Interrupted, &cited));
        }
    }
    Ok(delivered(&script, &turns, Ending::Viable, &cited))
}

/// Says what would have come of running the code.
async fn execute(run: &Run, script: &Script, cycle: u32, point: usize) -> run::Result<Trial> {
    let holds = cycle > 1;
    let trial = Trial::Executed(Execution {
        end: match script.hostile {
            Some(_) => End::TimedOut,
            None => End::Exited { code: i32::from(!holds) },
        },
        stdout: script.text("\u{1b}[32mcounting\u{1b}[0m\nprimes below 100: 25\n"),
        stderr: script.text(if holds {
            ""
        } else {
            "Traceback (most recent call last):\nAssertionError: 26\n"
        }),
        duration_ms: 128,
        files: vec![Left {
            path: script.text("primes.csv"),
            bytes: 71,
            sha256: Hash::of(b"").to_string(),
        }],
        checks: Checks { found: 2, held: if holds { 2 } else { 1 }, failed: 0 },
        interpreter: script.text("Python 3.13.1"),
        layers: vec!["namespaces".into(), "landlock".into(), script.text("seccomp")],
    });
    let trial = match &script.hostile {
        Some(text) if holds => Trial::NotExecuted { reason: text.clone() },
        _ => trial,
    };
    let scope = run.scope("sandbox").scope(&format!("turn-{cycle}"));
    let waited = async || {
        script.reach(point).await;
        Ok(trial.clone())
    };
    scope.step("execute", &cycle, waited).await
}

fn proposal(script: &Script, cycle: u32, trial: Trial) -> Turn {
    let code = (0..12).map(|line| format!("    # step {line} of a proposal that goes on for a while, so that a page has to scroll\n"));
    let code = format!(
        "def primes(most):\n{}    return [n for n in range(2, most) if all(n % d for d in range(2, n))]\n\nassert len(primes(100)) == 25\n",
        code.collect::<String>()
    );
    Turn {
        critique: match cycle {
            1 => vec![],
            _ => vec![Critique {
                quotation: script.text("The count begins at one"),
                remark: script.sentence("It begins at two now.", &[]),
            }],
        },
        proposal: Some(Proposed {
            explanation: vec![script.sentence("Trial division is slow and plainly right.", &[1])],
            language: script.text("python"),
            code: script.text(&code),
            trial,
        }),
        ..turn(script, cycle, Scientist::Optimist)
    }
}

fn review(script: &Script, cycle: u32) -> Turn {
    let holds = cycle > 1;
    Turn {
        critique: vec![Critique {
            quotation: script.text(CLAIM),
            remark: script.sentence("The count begins at one, and the assertion says so.", &[2]),
        }],
        markers: Markers {
            agreement: if holds { Agreement::Agree } else { Agreement::Disagree },
            viability: if holds { Viability::Viable } else { Viability::NotViable },
            validation: if holds { Validation::Pass } else { Validation::Fail },
            answer: Some(if holds { Answer::Verified } else { Answer::Unverified }),
            verification_reason: script.text("The assertions were looked at."),
            conclusion: script.text("The count is as the papers have it."),
        },
        overruled: if holds {
            String::new()
        } else {
            script.text("PASS was said of code that ended with exit code 1")
        },
        ..turn(script, cycle, Scientist::Pessimist)
    }
}

fn turn(script: &Script, cycle: u32, scientist: Scientist) -> Turn {
    Turn {
        cycle,
        scientist,
        query: String::new(),
        ingested: Ingested::default(),
        retrieved: 0,
        evidence: vec![],
        position: vec![script.sentence(CLAIM, &[1]), script.sentence("That is how I see it.", &[])],
        synthesis: vec![
            script.sentence("There are 25 primes below 100, and 168 below 1,000.", &[1, 2]),
        ],
        critique: vec![],
        next_step: vec![script.sentence("Count them up to a million.", &[])],
        proposal: None,
        markers: Markers {
            agreement: Agreement::Agree,
            viability: Viability::Viable,
            validation: Validation::NotApplicable,
            answer: None,
            verification_reason: String::new(),
            conclusion: script.text("Trial division answers it."),
        },
        overruled: String::new(),
        citations: vec![],
        references: vec![
            Listed {
                numbers: vec![1],
                source_uri: script.text("https://doi.example/10.1000/primes"),
                text: script
                    .text("Doe, A. (2019). On counting primes. Journal of Counting, 7, 1–25."),
            },
            Listed {
                numbers: vec![2],
                source_uri: "arxiv:1901.00001".into(),
                text: script.text("Roe, B. (2019). Tables of primes. arXiv."),
            },
        ],
        response: script.text(CLAIM),
    }
}

fn passages(script: &Script, cycle: u32) -> Vec<Passage> {
    let passage = |number: u32, uri: &str, title: &str, text: &str| Passage {
        text: script.text(text),
        source_uri: script.text(uri),
        kind: EvidenceKind::Scholarly,
        chunk_id: format!("c{cycle}-{number}"),
        score: 0.9,
        metadata: BTreeMap::new(),
        work: None,
        place: Place {
            document_id: format!("d{number}"),
            title: script.text(title),
            section: script.text("Results"),
            start: 10,
            end: 10 + text.len() as u64,
            source_sha256: Hash::of(text.as_bytes()).to_string(),
            pages: vec![],
        },
    };
    let mut all = vec![
        passage(
            1,
            "https://doi.example/10.1000/primes",
            "On counting primes",
            "There are 25 primes below 100; a count that begins at one has 26.",
        ),
        passage(2, "arxiv:1901.00001", "Tables of primes", "There are 168 primes below 1,000."),
    ];
    if cycle > 1 {
        all.push(passage(
            3,
            "arxiv:1901.00002",
            "Sieves",
            "A sieve is faster than trial division.",
        ));
    }
    all
}

fn delivered(script: &Script, turns: &[Turn], ending: Ending, cited: &[Numbered]) -> Deliverable {
    let debate = Debate {
        ending,
        answer: script.text(match ending {
            Ending::Viable => {
                "Research Scientist 2 found the proposal of turn 2 viable.\nIts code held."
            }
            _ => "It was interrupted. The last proposal was not found viable.",
        }),
        grounded: true,
        turns: turns.to_vec(),
        max_turns: 2,
        reader: None,
    };
    let claim = Claim {
        text: script.text(CLAIM),
        verdict: Verdict::Supported,
        citations: citations(cited),
        ..Claim::default()
    };
    let fields = serde_json::to_value(&debate).unwrap();
    Deliverable {
        outcome: Outcome::Answered,
        fields: fields.as_object().cloned().unwrap_or_default(),
        ledger: vec![claim],
    }
}

/// What the marks of every turn stand for.
fn citations(cited: &[Numbered]) -> Vec<Citation> {
    let citation = |Numbered { number, evidence }: &Numbered| Citation {
        number: Some(*number),
        address: None,
        evidence_id: evidence.evidence_id.clone(),
        source_uri: evidence.source_uri.clone(),
        title: evidence.provenance.place.title.clone(),
        section: evidence.provenance.place.section.clone(),
        page: None,
        quote: evidence.text.clone(),
        start: Some(10),
        end: Some(20),
        source_sha256: evidence.provenance.place.source_sha256.clone(),
        verdict: Verdict::Supported,
        faults: vec![],
    };
    cited.iter().take(2).map(citation).collect()
}
