//! A question over a real manual: sentences as a strong writer wrote them, and a report that was written by hand.
//!
//! The manual is the folder `html` of Debian's package `postgresql-doc-15`, named by `QUAESTIO_TEST_MANUAL`.

use std::collections::BTreeSet;
use std::path::PathBuf;

use fakes::{Exhibit, FakeModel, Judgement, Say, Seen, is_reader, passages, readings, statements};
use serde::Deserialize;
use serde_json::Value;

use crate::data;
use crate::stand::Stand;

pub(crate) const QUESTION: &str = "How should a team design zero-downtime major-version upgrades of a large PostgreSQL database? Compare \
    pg_upgrade, logical replication and dump/restore: limits, risks, downtime, and what must be checked before and after.";

/// A sentence of the writer's.
#[derive(Debug, Clone, Deserialize)]
struct Sentence {
    claim: String,
    quotes: Vec<Quote>,
    label: String,
    why: String,
}

#[derive(Debug, Clone, Deserialize)]
struct Quote {
    document: String,
    quote: String,
}

fn sentences() -> Vec<Sentence> {
    let lines = std::fs::read_to_string(data().join("manual-case/claims.jsonl")).unwrap();
    lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn manual() -> PathBuf {
    let folder = std::env::var_os("QUAESTIO_TEST_MANUAL").map(PathBuf::from);
    let folder = folder.expect(
        "QUAESTIO_TEST_MANUAL names no folder: unpack postgresql-doc-15 (`apt-get download`, `dpkg-deb -x`) and name its folder html",
    );
    assert!(folder.join("upgrading.html").is_file(), "{} is not the manual", folder.display());
    folder
}

/// Its letters and digits alone, for a passage is laid out in other lines than its quote.
pub(crate) fn letters(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Returns the address of the statements that hold a quote, as a writer cites them.
fn address(seen: &Seen, quote: &str) -> Option<String> {
    let wanted = letters(quote);
    for passage in passages(&seen.prompt()) {
        let mut text = String::new();
        let mut ends: Vec<usize> = Vec::new();
        let own: Vec<_> = statements(&seen.prompt())
            .into_iter()
            .filter(|statement| statement.passage() == passage.number.to_string())
            .collect();
        for statement in &own {
            text.push_str(&letters(&statement.text));
            ends.push(text.len());
        }
        let Some(start) = text.find(&wanted) else { continue };
        let of = |at: usize| own.get(ends.partition_point(|end| *end <= at));
        let (first, last) = (of(start)?, of(start + wanted.len() - 1)?);
        return Some(if first.address == last.address {
            format!("[{}]", first.address)
        } else {
            let last = last.address.split('.').nth(1)?;
            format!("[{}-{last}]", first.address)
        });
    }
    None
}

/// The words that go beyond, of `beyond: 'slowest'`.
fn beyond(sentence: &Sentence) -> String {
    sentence.why.trim_start_matches("beyond: ").trim_matches('\'').to_owned()
}

// proves: C4, C13, C20
#[test]
fn what_a_strong_writer_says_of_a_manual_stands_at_the_first_turn() {
    let known = sentences();
    let server = FakeModel::start(move |seen| {
        if is_reader(seen) {
            let judge = |exhibit: &Exhibit| {
                let one = known.iter().find(|one| exhibit.claim.ends_with(&one.claim));
                match one {
                    Some(one) if one.label == "unfaithful" => Judgement::Partly(beyond(one)),
                    Some(_) => Judgement::Supported,
                    None => Judgement::Unrelated,
                }
            };
            return Say::json(&readings(seen, judge));
        }
        if seen.prompt().contains("Sentences of your answer that do not hold") {
            return Say::text("1.\n2.\n3.\n");
        }
        let line = |one: &Sentence| {
            let cites: String = one
                .quotes
                .iter()
                .map(|quote| {
                    address(seen, &quote.quote)
                        .unwrap_or_else(|| panic!("{quote:?} is not in the prompt"))
                })
                .collect();
            let mark = if one.label == "inference" { "→ " } else { "" };
            format!("{mark}{} {cites}", one.claim)
        };
        Say::text(known.iter().map(line).collect::<Vec<_>>().join("\n\n"))
    });
    let stand = Stand::with_model(&server.base_url());
    let pages: BTreeSet<String> = sentences()
        .into_iter()
        .flat_map(|one| one.quotes.into_iter().map(|quote| quote.document))
        .collect();
    for page in &pages {
        stand.file(&format!("manual/{page}"), std::fs::read(manual().join(page)).unwrap());
    }
    let folder = stand.path("manual");
    let told = stand.run(&[
        "ask",
        QUESTION,
        "--docs",
        folder.to_str().unwrap(),
        "--set",
        "ask.top_k=200",
        "--set",
        "ask.context_tokens=60000",
        "--set",
        "ask.score_threshold=0",
        "--set",
        "ask.coverage_threshold=0.3",
        "--max-tokens",
        "4000000",
        "--format",
        "json",
    ]);
    assert_eq!(told.code, 0, "{told:?}");
    let claims = told.json()["deliverable"]["claims"].as_array().unwrap().clone();
    let verdict = |one: &Sentence| {
        let is_it = |claim: &&Value| claim["text"].as_str().unwrap().ends_with(&one.claim);
        let claim = claims.iter().find(is_it);
        claim.map_or("cut", |claim| claim["verdict"].as_str().unwrap()).to_owned()
    };
    let known = sentences();
    let of = |label: &str| {
        known.iter().filter(|one| one.label == label).map(verdict).collect::<Vec<String>>()
    };
    let (faithful, inferences, unfaithful) = (of("faithful"), of("inference"), of("unfaithful"));
    let supported = faithful.iter().filter(|verdict| *verdict == "supported").count();
    assert!(supported >= 12, "{faithful:?}");
    assert_eq!(inferences, ["inferred"]);
    assert!(unfaithful.iter().all(|verdict| verdict != "supported" && verdict != "quoted"));
    // One call of the writer, and one turn about the three that go beyond, each with its words.
    let writers: Vec<Seen> = server.seen().into_iter().filter(|seen| !is_reader(seen)).collect();
    assert_eq!(writers.len(), 2);
    let again = writers[1].prompt();
    let (_, again) = again.split_once("Sentences of your answer that do not hold").unwrap();
    for one in known.iter().filter(|one| one.label == "unfaithful") {
        assert!(again.contains(&one.claim) && again.contains(&beyond(one)), "{one:?}: {again}");
    }
}

/// A stand with the whole manual in the collection `manual`, whose reader holds all for true but for what has these words.
fn library(false_words: &'static [&'static str]) -> (Stand, FakeModel) {
    let server = FakeModel::start(move |seen| {
        assert!(is_reader(seen), "nobody but the reader is asked: {}", seen.prompt());
        Say::json(&readings(seen, |exhibit| {
            if false_words.iter().any(|words| exhibit.claim.contains(words)) {
                Judgement::Contradicted
            } else {
                Judgement::Supported
            }
        }))
    });
    let stand = Stand::with_model(&server.base_url());
    library_of(&stand);
    (stand, server)
}

/// Takes the whole manual into the collection `manual`.
pub(crate) fn library_of(stand: &Stand) {
    let folder = manual();
    let told = stand.run(&["ingest", folder.to_str().unwrap(), "--collection", "manual"]);
    // Pictures and a style sheet are left out.
    assert_eq!(told.code, 4, "{told:?}");
}

fn report() -> String {
    std::fs::read_to_string(data().join("manual-case/reference-report.md")).unwrap()
}

fn checked(stand: &Stand, report: &str) -> (i32, Vec<Value>) {
    let file = stand.file("report.md", report);
    let told = stand.run(&[
        "check",
        file.to_str().unwrap(),
        "--collection",
        "manual",
        "--format",
        "jsonl",
    ]);
    let lines = told.out.lines().map(|line| serde_json::from_str(line).unwrap());
    (told.code, lines.collect())
}

/// The sentences with this verdict.
fn of<'a>(lines: &'a [Value], verdict: &str) -> Vec<&'a str> {
    let is_it = |line: &&Value| line["verdict"] == verdict;
    lines.iter().filter(is_it).map(|line| line["claim"].as_str().unwrap()).collect()
}

// proves: C19, C20
#[test]
fn a_report_with_footnotes_holds_and_three_false_sentences_of_a_copy_are_named() {
    const FALSE: [(&str, &str); 3] = [
        ("Copying is the default", "Linking is the default"),
        ("read servers back to 9.2", "read servers back to 9.6"),
        ("Large objects* are not replicated", "Large objects* are replicated"),
    ];
    let (stand, _server) =
        library(&["Linking is the default", "back to 9.6", "Large objects are replicated"]);
    let (code, lines) = checked(&stand, &report());
    assert_eq!(of(&lines, "unsupported"), [""; 0]);
    assert_eq!(of(&lines, "unread"), [""; 0]);
    assert_eq!(code, 0);
    let inferred = of(&lines, "inferred");
    for conclusion in
        ["Find tables without a primary key before", "Where the file system can clone"]
    {
        assert!(inferred.iter().any(|one| one.starts_with(conclusion)), "{inferred:#?}");
    }
    let supported = of(&lines, "supported").len() + of(&lines, "quoted").len();
    assert!(supported >= 50, "{supported}");

    let copy = FALSE.iter().fold(report(), |copy, (was, is)| {
        assert!(copy.contains(was), "{was}");
        copy.replacen(was, is, 1)
    });
    let (code, lines) = checked(&stand, &copy);
    assert_eq!(code, 3);
    let refused = of(&lines, "unsupported");
    assert_eq!(refused.len(), 3, "{refused:#?}");
    for (_, is) in FALSE {
        let words = is.replace('*', "");
        assert!(refused.iter().any(|one| one.contains(&words)), "{words}: {refused:#?}");
    }
}
