//! Whole runs of a strong writer over invented sources: what is faithful stands at the first turn, and nothing that is planted among it.
//!
//! Each method has twenty faithful sentences in the writer's own words and twenty that are false or go beyond their source, of which
//! some only a reader can see. The writer cites addresses; the second reader knows which sentence is which.

use std::collections::BTreeMap;
use std::sync::Arc;

use fakes::{Exhibit, Judgement};
use grounding::locate::Finder;
use grounding::statement::Source;
use run::budget::Budget;
use run::entry::{Entry, Event};
use run::ledger::{Claim, Verdict};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::stage::{Reads, Stage, always_yes, ending};

#[derive(Deserialize)]
struct Scene {
    question: String,
    passages: Vec<Passage>,
    faithful: Vec<Sentence>,
    planted: Vec<Sentence>,
}

#[derive(Deserialize)]
struct Passage {
    title: String,
    text: String,
}

#[derive(Deserialize)]
struct Sentence {
    part: String,
    text: String,
    /// Counted from 1.
    passage: usize,
    quote: String,
    #[serde(default)]
    kind: String,
}

impl Scene {
    fn of(name: &str) -> Scene {
        let path = format!("{}/tests/planted/{name}.json", env!("CARGO_MANIFEST_DIR"));
        serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
    }

    fn texts(&self) -> Vec<String> {
        self.passages.iter().map(|one| format!("# {}\n\n{}", one.title, one.text)).collect()
    }

    /// Returns a sentence as its writer replies it, with the addresses of what it cites.
    fn written(&self, sentence: &Sentence) -> Value {
        let text = &self.texts()[sentence.passage - 1];
        let source = Source::of(text);
        let runs = Finder::of(&source).locate(&sentence.quote);
        assert!(!runs.is_empty(), "{}", sentence.quote);
        let address = |(first, last): &(usize, usize)| match first == last {
            true => format!("{}.{}", sentence.passage, first + 1),
            false => format!("{}.{}-{}", sentence.passage, first + 1, last + 1),
        };
        json!({"text": sentence.text, "cites": runs.iter().map(address).collect::<Vec<_>>()})
    }

    /// Returns the sentences of the parts whose names begin so, faithful and planted ones in turn.
    fn part(&self, name: &str) -> Vec<&Sentence> {
        let of = |list: &'_ [Sentence]| -> Vec<usize> {
            let fitting = list.iter().enumerate().filter(|(_, one)| one.part.starts_with(name));
            fitting.map(|(index, _)| index).collect()
        };
        let faithful = of(&self.faithful).into_iter().map(|index| &self.faithful[index]);
        let planted = of(&self.planted).into_iter().map(|index| &self.planted[index]);
        let (faithful, planted): (Vec<_>, Vec<_>) = (faithful.collect(), planted.collect());
        let most = faithful.len().max(planted.len());
        (0..most)
            .flat_map(|at| faithful.get(at).into_iter().chain(planted.get(at)).copied())
            .collect()
    }

    fn all(&self, name: &str) -> Value {
        self.part(name).into_iter().map(|one| self.written(one)).collect()
    }

    /// Returns a reader who knows which sentences are faithful, and holds no other for true.
    fn honest(&self) -> Arc<Reads> {
        let faithful: Vec<String> = self.faithful.iter().map(|one| one.text.clone()).collect();
        let planted: Vec<String> = self.planted.iter().map(|one| one.text.clone()).collect();
        Arc::new(move |exhibit: &Exhibit| {
            let has =
                |known: &[String]| known.iter().any(|one| exhibit.claim.ends_with(one.as_str()));
            // What names a row of a table is neither.
            if has(&planted) || !has(&faithful) && exhibit.claim.contains(". ") {
                Judgement::Partly(exhibit.claim.clone())
            } else {
                Judgement::Supported
            }
        })
    }
}

/// Returns what the market's agents reply.
fn market(scene: &Scene) -> BTreeMap<&'static str, Value> {
    let mut rows: Vec<Value> = Vec::new();
    for sentence in scene.part("cell:") {
        let mut part = sentence.part.split(':').skip(1);
        let (name, column) = (part.next().unwrap(), part.next().unwrap());
        let written = scene.written(sentence);
        let fitting =
            rows.iter_mut().find(|row| row["name"]["text"] == name && row[column].is_null());
        match fitting {
            Some(row) => row[column] = written,
            None => {
                // A second row of the same name would be left out.
                let known = rows.iter().any(|row| row["name"]["text"] == name);
                assert!(!known, "{name} has two cells {column}");
                let mut row = json!({"name": {"text": name, "cites": written["cites"]}});
                row[column] = written;
                rows.push(row);
            }
        }
    }
    [
        ("SizingReply", json!({"claims": scene.all("size")})),
        ("Compared", json!({"competitors": rows})),
        ("Described", json!({"segments": [{"name": "Customers", "claims": scene.all("segment")}]})),
        ("Advised", json!({"risks": scene.all("risk")})),
        ("Edited", json!({"title": "Dryers", "summary": []})),
    ]
    .into()
}

/// Returns what the agents of `hypothesize` reply.
fn hypothesize(scene: &Scene) -> BTreeMap<&'static str, Value> {
    let support = scene.part("support");
    let (one, other) = support.split_at(support.len() / 2);
    let written =
        |list: &[&Sentence]| -> Value { list.iter().map(|one| scene.written(one)).collect() };
    let proposed = |statement: &str, support: &[&Sentence]| json!({"title": "A", "statement": statement, "mechanism": statement, "support": written(support)});
    let objections = scene.part("objection");
    let (against, others) = objections.split_at(objections.len() / 2);
    let contested = |list: &[&Sentence]| -> Value {
        let contest = |one: &&Sentence| {
            let written = scene.written(one);
            json!({"objection": written["text"], "cites": written["cites"], "reply": "A test would tell."})
        };
        list.iter().map(contest).collect()
    };
    [
        ("Framing", json!({"restatement": scene.question, "refined_query": "queens fungus"})),
        ("Survey", json!({"findings": scene.all("finding")})),
        (
            "Generated",
            json!({"hypotheses": [
                proposed("The fungus starves larvae of protein.", one),
                proposed("Drained ground keeps the nests too dry for queens.", other),
            ]}),
        ),
        (
            "Critique",
            json!({"reviews": [
                {"hypothesis_id": "H1", "objections": contested(against)},
                {"hypothesis_id": "H2", "objections": contested(others)},
            ]}),
        ),
        (
            "Judgements",
            json!({"comparisons": [{"hypothesis_a_id": "H1", "hypothesis_b_id": "H2"}]}),
        ),
        ("Composed", json!({"summa_rendering": "nothing"})),
    ]
    .into()
}

/// Returns what the scientists reply: the optimist takes one half of the sentences, the pessimist the other.
fn debate(scene: &Scene) -> BTreeMap<&'static str, Value> {
    let synthesis = scene.part("synthesis");
    let (one, other) = synthesis.split_at(synthesis.len() / 2);
    let written =
        |list: &[&Sentence]| -> Value { list.iter().map(|one| scene.written(one)).collect() };
    [
        (
            "Proposal",
            json!({"position": scene.all("position"), "synthesis": written(one), "explanation": scene.all("explanation"),
                "code": {"language": "python", "source": "assert 1 < 2"}, "agreement": "DISAGREE", "viability": "VIABLE",
                "conclusion": "It should be tried."}),
        ),
        (
            "Review",
            json!({"synthesis": written(other), "critique": scene.all("critique"), "agreement": "AGREE",
                "viability": "NOT_VIABLE", "validation": "N/A", "answer": "UNVERIFIED", "conclusion": "It is not shown."}),
        ),
    ]
    .into()
}

fn options(method: &str) -> Value {
    match method {
        "market" => json!({
            "collection": "", "sources": ["semantic-scholar"],
            "rules": {
                "queries": 2, "results": 9, "papers_read": 9, "pages_read": 9, "full_text": false, "retrieval": "auto",
                "passages": 9, "context_tokens": 9000, "most_claims": 20, "summary_sentences": 5,
            },
        }),
        "hypothesize" => json!({
            "domain": "ecology", "objective": "", "top": 1, "sources": ["semantic-scholar"],
            "rules": {
                "hypotheses": 2, "fewest_hypotheses": 2, "results": 9, "papers_read": 9, "full_text": false,
                "retrieval": "auto", "passages": 9, "context_tokens": 9000,
                "diversity": {"measure": "shingles", "shingles_threshold": 0.9, "embeddings_threshold": 0.9},
                "ranking": {
                    "weights": {"novelty": 1.0, "plausibility": 1.0, "testability": 1.0, "impact": 1.0, "grounding": 1.0},
                    "rounds": 1, "alpha": 0.05, "resamples": 100,
                },
            },
        }),
        _ => json!({
            "corpus": "papers", "collection": "", "outside": true, "url": "", "history": [],
            "rules": {
                "max_turns": 1, "arxiv_results": 9, "crossref_results": 9, "full_text": false, "retrieval": "auto", "passages": 9,
                "context_tokens": 9000, "max_new_tokens": 4000, "history_tokens": 500, "limits": run::sandbox::Limits::default(),
            },
        }),
    }
}

fn performed(method: &str, reads: Arc<Reads>) -> (Scene, Vec<Entry>) {
    let scene = Scene::of(method);
    let entries = performed_within(&scene, method, reads, Budget::default());
    (scene, entries)
}

/// The same with the honest reader, within a budget.
pub(crate) fn honest_within(method: &str, budget: Budget) -> Vec<Entry> {
    let scene = Scene::of(method);
    performed_within(&scene, method, scene.honest(), budget)
}

fn performed_within(scene: &Scene, method: &str, reads: Arc<Reads>, budget: Budget) -> Vec<Entry> {
    let replies = match method {
        "market" => market(scene),
        "hypothesize" => hypothesize(scene),
        _ => debate(scene),
    };
    let says = move |name: &str| {
        // Nothing is mended: what counts is the first turn.
        replies.get(name).map_or_else(|| "Nothing can be saved.".to_owned(), Value::to_string)
    };
    let stage = Stage { abstracts: scene.texts(), says: Arc::new(says), reads };
    let methods = methods::all();
    let of = methods.find(method).unwrap();
    stage.perform_within(budget, of, &scene.question, options(method), |_| ())
}

fn read_ledger(entries: &[Entry]) -> Vec<Claim> {
    match ending(entries) {
        Event::Finished { ledger, .. } => ledger.clone(),
        Event::Stopped { partial: Some(partial), stage, reason, .. } => {
            panic!("{stage}: {reason}: {}", partial.deliverable)
        }
        other => panic!("{other:?}"),
    }
}

/// Returns the claim of a sentence.
fn claim_of<'a>(ledger: &'a [Claim], sentence: &Sentence) -> Option<&'a Claim> {
    ledger.iter().find(|claim| claim.text.ends_with(sentence.text.trim()))
}

const METHODS: [&str; 3] = ["market", "hypothesize", "debate"];

// proves: C4, C13, C20, W4, H3, D3
#[test]
fn a_strong_writers_faithful_sentences_stand_at_the_first_turn_and_nothing_planted_does() {
    for method in METHODS {
        let (scene, entries) = performed(method, Scene::of(method).honest());
        let ledger = read_ledger(&entries);
        let stands = |sentence: &Sentence| {
            claim_of(&ledger, sentence).is_some_and(|claim| claim.verdict.holds())
        };
        let lost: Vec<String> = scene
            .faithful
            .iter()
            .filter(|one| !stands(one))
            .map(|one| {
                format!("{}: {:?}", one.text, claim_of(&ledger, one).map(|claim| &claim.faults))
            })
            .collect();
        assert!(lost.len() <= 1, "{method}: {lost:#?}");
        let unseen: Vec<&str> = scene
            .planted
            .iter()
            .filter(|one| claim_of(&ledger, one).is_none())
            .map(|one| one.text.as_str())
            .collect();
        assert!(unseen.is_empty(), "{method}: nobody judged {unseen:#?}");
        let passed: Vec<&str> =
            scene.planted.iter().filter(|one| stands(one)).map(|one| one.text.as_str()).collect();
        assert!(passed.is_empty(), "{method}: {passed:#?}");
    }
}

// proves: C20
#[test]
fn a_reader_that_always_says_yes_makes_nothing_a_quote_and_no_figure_or_name_of_its_own_hold() {
    for method in METHODS {
        let (scene, entries) = performed(method, always_yes());
        let ledger = read_ledger(&entries);
        let of = |sentence: &Sentence| claim_of(&ledger, sentence).map(|claim| claim.verdict);
        for sentence in &scene.planted {
            let verdict = of(sentence);
            assert!(
                !matches!(verdict, Some(Verdict::Quoted | Verdict::Recomputed)),
                "{method}: {}",
                sentence.text
            );
        }
        // What is not there, is worked out for all to see, or does not hold.
        let exact = ["wrong-number", "wrong-unit", "wrong-name"];
        let exact: Vec<&Sentence> =
            scene.planted.iter().filter(|one| exact.contains(&one.kind.as_str())).collect();
        let passed: Vec<&str> = exact
            .iter()
            .filter_map(|one| claim_of(&ledger, one))
            .filter(|claim| claim.verdict.holds() && claim.derivations.is_empty())
            .map(|claim| claim.text.as_str())
            .collect();
        // A price for a day that is one for a week is a reader's to see.
        assert!(exact.len() >= 8 && passed.len() <= 1, "{method}: {passed:#?}");
    }
}

// proves: C20
#[test]
fn a_reader_that_always_says_no_leaves_nothing_that_was_not_quoted_or_computed() {
    for method in METHODS {
        let (_, entries) = performed(method, Arc::new(|_: &Exhibit| Judgement::Unrelated));
        let ledger = read_ledger(&entries);
        let holding: Vec<&Claim> = ledger.iter().filter(|claim| claim.verdict.holds()).collect();
        let is_exact =
            |claim: &&&Claim| matches!(claim.verdict, Verdict::Quoted | Verdict::Recomputed);
        assert_eq!(
            holding.iter().filter(is_exact).count(),
            holding.len(),
            "{method}: {holding:#?}"
        );
    }
}
