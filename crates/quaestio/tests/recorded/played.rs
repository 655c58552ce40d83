//! A whole report over a real manual, from replies of a model that was played by hand.
//!
//! The replies are kept as they were written, each address as a digest of the statement that it stands for: what is retrieved and in which
//! order may change, and a sentence still cites the statement that its writer meant, as long as the model is shown it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};

use fakes::{Exhibit, FakeModel, Judgement, Say, Seen, addressed, is_reader, passages, readings};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::manual::{QUESTION, library_of};
use crate::stand::Stand;

const PLAYED: &str = include_str!("played.json");

/// What the model said.
#[derive(Debug, Clone, Deserialize)]
struct Played {
    plan: Value,
    notes: Vec<Note>,
    judgements: Vec<Judged>,
    outline: Outline,
    sections: Vec<Section>,
    summary: Summary,
    mended: Vec<Mended>,
    readings: Readings,
}

#[derive(Debug, Clone, Deserialize)]
struct Note {
    /// The question that it serves.
    of: String,
    at: String,
    says: String,
}

#[derive(Debug, Clone, Deserialize)]
struct Judged {
    of: String,
    goes_on: bool,
    says: Value,
}

#[derive(Debug, Clone, Deserialize)]
struct Outline {
    sections: Vec<Outlined>,
}

#[derive(Debug, Clone, Deserialize)]
struct Outlined {
    heading: String,
    purpose: String,
    form: String,
    /// What its notes say.
    notes: Vec<String>,
}

#[derive(Debug, Clone, Deserialize)]
struct Section {
    heading: String,
    text: String,
}

#[derive(Debug, Clone, Deserialize)]
struct Summary {
    text: String,
    /// The sentences that only repeat another.
    cut: Vec<String>,
}

#[derive(Debug, Clone, Deserialize)]
struct Mended {
    sentence: String,
    instead: String,
}

#[derive(Debug, Clone, Deserialize)]
struct Readings {
    supported: BTreeSet<String>,
    follows: BTreeSet<String>,
    refused: Vec<Refused>,
}

#[derive(Debug, Clone, Deserialize)]
struct Refused {
    claim: String,
    beyond: String,
}

/// The statements of a prompt, in order: where they stand, and the digests of what they say.
#[derive(Debug, Default)]
struct Shown(Vec<(u32, u32, String)>);

impl Shown {
    fn of(prompt: &str) -> Shown {
        let mut shown: Vec<(u32, u32, String)> = Vec::new();
        for passage in passages(prompt) {
            let mut texts: Vec<(u32, String)> = Vec::new();
            for line in passage.text.lines() {
                match addressed(line) {
                    Some((address, text)) => {
                        let (_, number) = address.split_once('.').unwrap();
                        texts.push((number.parse().unwrap(), text.to_owned()));
                    }
                    None => texts.last_mut().into_iter().for_each(|(_, text)| text.push_str(line)),
                }
            }
            shown
                .extend(texts.iter().map(|(number, text)| (passage.number, *number, digest(text))));
        }
        Shown(shown)
    }

    /// Returns the address that an anchor stands for, `d1` or `d1-d2` of the first and the last of a run.
    fn address(&self, anchor: &str) -> Option<String> {
        let (first, last) = anchor.split_once('-').unwrap_or((anchor, anchor));
        self.0.iter().enumerate().filter(|(_, (.., digest))| digest == first).find_map(
            |(place, (passage, from, _))| {
                let run = self.0.get(place..)?.iter().take_while(|(other, ..)| other == passage);
                let to = run.filter(|(.., digest)| digest == last).map(|(_, to, _)| to).next()?;
                Some(if from == to {
                    format!("{passage}.{from}")
                } else {
                    format!("{passage}.{from}-{to}")
                })
            },
        )
    }

    /// Puts addresses in the place of anchors; those that are not shown are left out.
    fn addressed(&self, text: &str) -> String {
        let mut page = String::new();
        let mut rest = text;
        while let Some((before, (inside, after))) =
            rest.split_once('[').and_then(|(before, from)| Some((before, from.split_once(']')?)))
        {
            page.push_str(before);
            let anchors: Vec<&str> = inside.split(", ").collect();
            let is_anchors = anchors.iter().all(|anchor| is_anchor(anchor));
            let found: Vec<String> =
                anchors.iter().filter_map(|anchor| self.address(anchor)).collect();
            match (is_anchors, found.is_empty()) {
                (true, true) => {}
                (true, false) => page.push_str(&format!("[{}]", found.join(", "))),
                (false, _) => page.push_str(&format!("[{inside}]")),
            }
            rest = after;
        }
        page + rest
    }
}

fn is_anchor(text: &str) -> bool {
    text.len() >= 10 && text.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-')
}

/// Of its letters and digits alone, for it is laid out in other lines elsewhere.
fn digest(text: &str) -> String {
    let mut digest = corpus::sha256(crate::manual::letters(text).as_bytes());
    digest.truncate(10);
    digest
}

/// Returns what stands in a prompt below a heading, on the first line.
fn below<'a>(prompt: &'a str, heading: &str) -> &'a str {
    let (_, rest) = prompt.split_once(heading).unwrap_or_default();
    rest.trim_start().lines().next().unwrap_or_default()
}

/// Returns the numbered lines of a prompt behind a heading, each with its number.
fn lines_below<'a>(prompt: &'a str, heading: &str) -> Vec<(&'a str, &'a str)> {
    let (_, rest) = prompt.split_once(heading).unwrap_or_default();
    let lines = rest.lines().filter_map(|line| line.split_once(". "));
    lines.filter(|(number, _)| number.bytes().all(|byte| byte.is_ascii_digit())).collect()
}

impl Played {
    fn reply(&self, seen: &Seen, known: &Mutex<Shown>) -> Say {
        const FAILING: &str = "Sentences of your answer that do not hold, each with the reason";
        let prompt = seen.prompt();
        let shown = Shown::of(&prompt);
        let mut known = known.lock().unwrap_or_else(PoisonError::into_inner);
        if is_reader(seen) {
            return Say::json(&readings(seen, |exhibit| self.reading(exhibit)));
        }
        let task = below(&prompt, "# Task");
        let is = |begins: &str| task.starts_with(begins);
        // Who sums up is shown addresses and no statements.
        let places = if is("Write the summary") { &*known } else { &shown };
        let (_, asked) = prompt.rsplit_once("## Question").unwrap();
        let reply = if asked.contains(FAILING) {
            let failing = lines_below(asked, FAILING);
            let mend = |(number, sentence): &(&str, &str)| {
                let known = self.mended.iter().find(|one| sentence.starts_with(&one.sentence))?;
                Some(format!("{number}. {}", places.addressed(&known.instead)))
            };
            Say::text(failing.iter().filter_map(mend).collect::<Vec<_>>().join("\n"))
        } else if is("Plan how") {
            Say::json(&self.plan)
        } else if is("Take notes") {
            let of = below(asked, "## What notes are wanted for");
            let notes = self.notes.iter().filter(|note| note.of == of);
            let notes: Vec<Value> = notes
                .filter_map(|note| Some(json!({"at": shown.address(&note.at)?, "says": note.says})))
                .collect();
            Say::json(&json!({ "notes": notes }))
        } else if is("Judge whether notes") {
            let of = below(asked, "## What must be answered");
            let goes_on = asked.contains("yes, one more round");
            let judged = self.judgements.iter().find(|one| one.of == of && one.goes_on == goes_on);
            let nothing = json!({"missing": [], "queries": [], "answered": false});
            Say::json(judged.map_or(&nothing, |judged| &judged.says))
        } else if is("Outline") {
            let notes = lines_below(asked, "## The notes");
            let number = |says: &String| {
                let note = notes.iter().find(|(_, note)| note.ends_with(says.as_str()))?;
                note.0.parse::<u32>().ok()
            };
            let section = |one: &Outlined| {
                let notes: Vec<u32> = one.notes.iter().filter_map(number).collect();
                json!({"heading": one.heading, "purpose": one.purpose, "form": one.form, "notes": notes})
            };
            let sections: Vec<Value> = self.outline.sections.iter().map(section).collect();
            Say::json(&json!({ "sections": sections }))
        } else if is("Write one section") {
            let heading = below(asked, "Heading:");
            let section = self.sections.iter().find(|one| one.heading == heading);
            Say::text(section.map(|one| shown.addressed(&one.text)).unwrap_or_default())
        } else if is("Write the summary") {
            let sentences = lines_below(asked, "## The report, sentence by sentence");
            let cut: Vec<&str> = sentences
                .iter()
                .filter(|(_, said)| self.summary.cut.iter().any(|cut| said.starts_with(cut)))
                .map(|(number, _)| *number)
                .collect();
            let text = known.addressed(&self.summary.text);
            Say::text(format!("{text}\nCut: {}", cut.join(", ")))
        } else {
            Say::error(400, &format!("nobody plays '{task}'"))
        };
        known.0.extend(shown.0);
        reply
    }

    fn reading(&self, exhibit: &Exhibit) -> Judgement {
        let Readings { supported, follows, refused } = &self.readings;
        if supported.contains(&exhibit.claim) {
            return Judgement::Supported;
        }
        if follows.contains(&exhibit.claim) {
            return Judgement::Follows;
        }
        let refused = refused.iter().find(|one| one.claim == exhibit.claim);
        Judgement::Partly(refused.map_or(exhibit.claim.clone(), |one| one.beyond.clone()))
    }
}

/// How many claims of a deliverable have each verdict.
fn verdicts(deliverable: &Value) -> BTreeMap<String, usize> {
    let mut counted = BTreeMap::new();
    for claim in deliverable["claims"].as_array().unwrap() {
        *counted.entry(claim["verdict"].as_str().unwrap().to_owned()).or_default() += 1;
    }
    counted
}

// proves: A10, C4, C20
#[test]
fn a_report_that_was_played_by_hand_is_a_report_to_buy() {
    let played: Played = serde_json::from_str(PLAYED).unwrap();
    let known = Mutex::new(Shown::default());
    let server = FakeModel::start(move |seen| played.reply(seen, &known));
    let stand = Stand::with_model(&server.base_url());
    library_of(&stand);
    let told = stand.run(&[
        "deep",
        QUESTION,
        "--own-documents",
        "--collection",
        "manual",
        "--depth",
        "standard",
        "--set",
        "models.window=128000",
        "--format",
        "json",
    ]);
    assert_eq!(told.code, 0, "{told:?}");
    let envelope = told.json();
    let deliverable = &envelope["deliverable"];
    let report = &deliverable["report"];
    let counted = verdicts(deliverable);
    let of = |verdict: &str| counted.get(verdict).copied().unwrap_or_default();
    let written: usize = counted.values().sum();
    let standing = written - of("unsupported");
    let figure = |name: &str| report[name].as_u64().unwrap();
    println!("{} words, {counted:?}, {}", report["words"], report["citations"]);
    assert!((1_200..=3_300).contains(&figure("words")), "{report}");
    assert!(report["sections"].as_array().unwrap().len() >= 5);
    assert!(figure("citations") >= 40 && figure("sources_cited") >= 10, "{report}");
    assert!(standing * 10 >= written * 9, "{counted:?}");
    assert!(of("supported") >= 100 && of("inferred") >= 30, "{counted:?}");
    let answer = deliverable["answer"].as_str().unwrap();
    assert!(answer.contains("|---|"), "{answer}");
    // What nobody could read out of the manual is not there.
    for gone in ["more often than in its window", "the simplest of the three"] {
        assert!(!answer.contains(gone), "{gone}");
    }
    let run = envelope["run_id"].as_str().unwrap();
    for (format, wanted) in [
        ("md", ["## Summary", "≈", "→ Let the outage"]),
        ("html", ["<table>", "≈", "→ Let the outage"]),
    ] {
        let printed = stand.run(&["runs", "export", run, "--format", format]).out;
        for one in wanted {
            assert!(printed.contains(one), "{format} lacks {one}");
        }
    }
}
