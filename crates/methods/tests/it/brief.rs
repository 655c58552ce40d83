//! Briefs over the example survey: without a model, and with models that say anything.

use std::collections::{BTreeMap, VecDeque};
use std::path::Path;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use serde_json::{Value, json};

use methods::brief::payload::Brief;
use run::Mode;
use run::budget::Budget;
use run::entry::{Entry, Event, Hash, Origin};
use run::error::PortError;
use run::files::{FileRef, Files};
use run::ledger::Verdict;
use run::world::World;

use crate::stage::{Stage, always_yes};

pub(crate) const QUESTION: &str = "How satisfied are passengers with the buses, and who is not?";

/// A study: the name of its file, its codebook, and its lines, each with how often it stands there.
type Counted<'a> = (&'a str, &'a str, &'a [(usize, &'a str)]);

/// The files of a survey.
struct Shelf(Vec<(FileRef, Vec<u8>)>);

impl Shelf {
    fn of_the_example() -> Shelf {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/survey");
        let names =
            ["survey.toml", "wave1.csv", "wave1.codebook.csv", "wave2.csv", "wave2.codebook.csv"];
        let files = names.map(|name| {
            let bytes = std::fs::read(folder.join(name)).unwrap();
            let sha256 = Hash::of(&bytes).to_string();
            (FileRef { name: name.into(), sha256, bytes: bytes.len() as u64 }, bytes)
        });
        Shelf(files.into())
    }

    fn of_studies(studies: &[Counted<'_>]) -> Shelf {
        let mut files = Vec::new();
        for (name, codebook, lines) in studies {
            let columns = codebook.lines().filter_map(|line| line.split(',').next());
            let mut data = columns.collect::<Vec<_>>().join(",") + "\n";
            for (count, line) in *lines {
                data.push_str(&format!("{line}\n").repeat(*count));
            }
            let codebook = format!("variable,label,type,values,role\n{codebook}");
            files.push((format!("{name}.csv"), data));
            files.push((format!("{name}.codebook.csv"), codebook));
        }
        let files = files.into_iter().map(|(name, text)| {
            let bytes = text.into_bytes();
            let sha256 = Hash::of(&bytes).to_string();
            (FileRef { name, sha256, bytes: bytes.len() as u64 }, bytes)
        });
        Shelf(files.collect())
    }

    fn refs(&self) -> Vec<FileRef> {
        self.0.iter().map(|(file, _)| file.clone()).collect()
    }
}

#[async_trait]
impl Files for Shelf {
    async fn read(&self, _: &str, file: &FileRef) -> Result<Vec<u8>, PortError> {
        let found = self.0.iter().find(|(known, _)| known == file);
        found
            .map(|(_, bytes)| bytes.clone())
            .ok_or(PortError::Invalid { what: "no such file".into() })
    }
}

fn build_options(files: &[FileRef], more: &Value) -> Value {
    let mut options = json!({
        "files": files, "loop": "pipeline",
        "rules": {
            "max_explore_iters": 4, "max_refine_iters": 3, "max_iterations": 4, "tool_rounds": 2, "tool_calls": 8,
            "questions_found": 6, "most_findings": 8, "most_words": 300, "least_score": 8,
            "figures": survey::figure::Rules::default(),
        },
    });
    for (key, value) in more.as_object().unwrap() {
        match options["rules"].get(key) {
            Some(_) => options["rules"][key] = value.clone(),
            None => options[key] = value.clone(),
        }
    }
    options
}

pub(crate) fn performed(
    question: &str,
    mode: Mode,
    more: &Value,
    says: impl Fn(&str) -> String + Send + Sync + 'static,
) -> Vec<Entry> {
    performed_over(Shelf::of_the_example(), question, mode, more, says)
}

fn performed_over(
    shelf: Shelf,
    question: &str,
    mode: Mode,
    more: &Value,
    says: impl Fn(&str) -> String + Send + Sync + 'static,
) -> Vec<Entry> {
    let options = build_options(&shelf.refs(), more);
    let methods = methods::all();
    let stage = Stage { abstracts: vec![], says: Arc::new(says), reads: always_yes() };
    let method = methods.find("brief").unwrap();
    stage.perform_in(method, question, options, mode, |world| world.files = Some(Arc::new(shelf)))
}

/// Performs a brief within a budget, with a model that says what is said by rule.
pub(crate) fn by_rule_within(budget: Budget) -> Vec<Entry> {
    let by_rule = performed(QUESTION, Mode::Offline, &json!({}), |_| String::new());
    let mut said: BTreeMap<&str, VecDeque<String>> = BTreeMap::new();
    for entry in &by_rule {
        if let Event::Returned { step, origin: Origin::Offline, value, .. } = &entry.event {
            let agents = [
                ("explore_critic", "CriticDirective"),
                ("explore_worker", "ExplorationOutput"),
                ("synthesizer", "Drafted"),
            ];
            let name = step.rsplit('/').next().unwrap();
            let agent = agents.iter().find(|(agent, _)| name.starts_with(agent)).unwrap();
            said.entry(agent.1).or_default().push_back(value.to_string());
        }
    }
    let said = Mutex::new(said);
    let says = move |name: &str| {
        let approved = || {
            json!({"approved": true, "score": 9, "factual_grounding": 9, "clarity": 9, "completeness": 9, "tone": 9}).to_string()
        };
        let mut said = said.lock().unwrap();
        said.get_mut(name).and_then(VecDeque::pop_front).unwrap_or_else(approved)
    };
    let shelf = Shelf::of_the_example();
    let options = build_options(&shelf.refs(), &json!({}));
    let stage = Stage { abstracts: vec![], says: Arc::new(says), reads: always_yes() };
    let methods = methods::all();
    let method = methods.find("brief").unwrap();
    let alter = |world: &mut World| world.files = Some(Arc::new(shelf));
    stage.perform_within(budget, method, QUESTION, options, alter)
}

fn delivered(entries: &[Entry]) -> Brief {
    let last = entries.last().unwrap();
    let Event::Finished { deliverable, .. } = &last.event else { panic!("{last:#?}") };
    serde_json::from_value(deliverable.clone()).unwrap()
}

fn offline(question: &str, more: &Value) -> Brief {
    delivered(&performed(question, Mode::Offline, more, |_| String::new()))
}

/// Returns the sentences of a brief by rule, of which all hold.
fn run_brief(studies: &[Counted<'_>], question: &str) -> Vec<String> {
    let shelf = Shelf::of_studies(studies);
    let brief =
        delivered(&performed_over(shelf, question, Mode::Offline, &json!({}), |_| String::new()));
    assert_eq!(brief.pipeline_stats.findings_rejected, 0, "{:#?}", brief.history);
    brief.statements.into_iter().map(|one| one.text).collect()
}

#[track_caller]
fn has(said: &[String], wanted: &str) {
    assert!(said.iter().any(|one| one == wanted), "{wanted}\n{said:#?}");
}

#[track_caller]
fn has_none(said: &[String], unwanted: &str) {
    assert!(said.iter().all(|one| !one.contains(unwanted)), "{unwanted}\n{said:#?}");
}

// proves: B4, B5, B6
#[test]
fn without_a_model_every_sentence_by_rule_checks_out() {
    for question in [
        QUESTION,
        "Would people recommend the buses?",
        "What do people spend on tickets?",
        "Why do people take the bus, and where do they buy tickets?",
        "Who has heard of the night line?",
        "Give me a summary of the main findings.",
        "Where do people buy their tickets?",
        "What is the age of the passengers, and which gender?",
    ] {
        let brief = offline(question, &json!({}));
        for record in &brief.history {
            assert_eq!(
                record.details.get("not_held").unwrap_or(&json!([])),
                &json!([]),
                "{record:#?}"
            );
        }
        assert!(brief.pipeline_stats.findings_what > 0, "{question}");
        assert_eq!(brief.pipeline_stats.sentences_cut, 0, "{brief:#?}");
        assert!(brief.pipeline_stats.words < 300);
        let facts = brief.statements.iter().filter(|one| !one.figures.is_empty());
        assert!(facts.clone().count() > 1, "{question}");
        for fact in facts {
            assert_eq!(fact.verdict, Some(Verdict::Recomputed));
        }
    }
}

// proves: B4
#[test]
fn a_query_that_no_question_is_about_is_told_so() {
    let entries =
        performed("Tell me about quantum chromodynamics.", Mode::Offline, &json!({}), |_| {
            String::new()
        });
    let Event::Finished { outcome, .. } = &entries.last().unwrap().event else { panic!() };
    assert_eq!(*outcome, run::Outcome::NotEnoughEvidence);
    let brief = delivered(&entries);
    assert!(brief.finding_bank.is_empty());
    assert_eq!(
        brief.data_gaps[0].text,
        "No question in these studies contains a word of your question."
    );
}

const AWARE: &str = "aware,Aware of the campaign,single,0=No|1=Yes,\n";

// proves: B4, B5
#[test]
fn a_trend_is_told_from_the_first_study_to_the_last_or_from_the_one_that_is_named() {
    let waves: [Counted<'_>; 4] = [
        ("2022", AWARE, &[(280, "0"), (120, "1")]),
        ("2023", AWARE, &[(240, "0"), (160, "1")]),
        ("2024", AWARE, &[(200, "0"), (200, "1")]),
        ("2025", AWARE, &[(198, "0"), (202, "1")]),
    ];
    let whole = run_brief(&waves, "How has awareness of the campaign developed?");
    has(
        &whole,
        "The share that said “Yes” to “Aware of the campaign” rose significantly, by 20.5 percentage points, from 30.0 % in 2022 to 50.5 % in 2025 (bases 400 and 400).",
    );
    has(
        &whole,
        "The share that said “Yes” to “Aware of the campaign” did not change significantly: it was 50.0 % in 2024 and 50.5 % in 2025, a difference of 0.5 percentage points (bases 400 and 400).",
    );
    let since = run_brief(&waves, "How has awareness of the campaign developed since 2023?");
    has(
        &since,
        "The share that said “Yes” to “Aware of the campaign” rose significantly, by 10.5 percentage points, from 40.0 % in 2023 to 50.5 % in 2025 (bases 400 and 400).",
    );
    has_none(&since, "2022");
    let between = run_brief(&waves, "Did awareness of the campaign change between 2022 and 2023?");
    has(
        &between,
        "The share that said “Yes” to “Aware of the campaign” rose significantly, by 10.0 percentage points, from 30.0 % in 2022 to 40.0 % in 2023 (bases 400 and 400).",
    );
}

// proves: B4, B5
#[test]
fn the_highest_segment_is_told_against_the_lowest_and_not_the_surest_pair() {
    let codebook = "school,Schooling,single,1=Basic|2=Middle|3=Higher,segment\n\
        aware,Aware of the campaign,single,0=No|1=Yes,\n";
    let study: Counted<'_> = (
        "s",
        codebook,
        &[(280, "1,0"), (120, "1,1"), (200, "2,0"), (200, "2,1"), (45, "3,0"), (55, "3,1")],
    );
    let said = run_brief(&[study], "Who is aware of the campaign?");
    has(
        &said,
        "The share that said “Yes” to “Aware of the campaign” was significantly higher among “Higher” (Schooling), at 55.0 %, than among “Basic”, at 30.0 %, in s: a difference of 25.0 percentage points (bases 100 and 400).",
    );
}

// proves: B4, B5
#[test]
fn segments_that_a_query_names_are_compared_and_are_not_what_it_is_about() {
    let codebook = "area,Part of town,single,1=East|2=West|3=Harbour,segment\n\
        trust,Trust in the council,single,1=Yes|2=No,\n";
    let study: Counted<'_> = (
        "s",
        codebook,
        &[(60, "1,1"), (60, "1,2"), (62, "2,1"), (58, "2,2"), (61, "3,1"), (59, "3,2")],
    );
    for query in [
        "Who trusts the council, and does it differ between East and West?",
        "Which part of town has least trust?",
    ] {
        let said = run_brief(&[study], query);
        assert_eq!(
            said.first().unwrap(),
            "In s, 50.8 % of all respondents said “Yes” when asked “Trust in the council” (base 360)."
        );
        has(
            &said,
            "The share that said “Yes” to “Trust in the council” was much the same in s, 50.0 % among “East” (Part of town), 51.7 % among “West” and 50.8 % among “Harbour”, without a significant difference (bases 120, 120 and 120).",
        );
        has_none(&said, "“Part of town”");
    }
    // Nothing else is asked for.
    let said = run_brief(&[study], "Which part of town do they live in?");
    assert!(said.first().unwrap().contains("“Part of town”"), "{said:#?}");
}

// proves: B4
#[test]
fn a_question_that_is_hardly_near_pads_no_brief() {
    let codebook = "kit,Which sports equipment does your household own?,single,1=Racket|2=Ball,\n\
        shop,Which shop did your household visit first?,single,1=Mall|2=Market,\n\
        fish,Do you eat fish?,single,1=Yes|2=No,\n";
    let study: Counted<'_> = ("s", codebook, &[(90, "1,1,1"), (60, "2,2,2"), (10, "1,2,2")]);
    let said = run_brief(&[study], "Which sports equipment do households own?");
    has(
        &said,
        "Asked “Which sports equipment does your household own?”, all respondents in s said most often “Racket” (62.5 %) and “Ball” (37.5 %) (base 160).",
    );
    has_none(&said, "asked “Which shop");
    has_none(&said, "to “Which shop");
}

// proves: B4, B6
#[test]
fn answers_that_most_gave_are_told_beside_each_other() {
    let codebook = "lounge,Place of waiting,single,1=Lounge|2=Bar|3=Street,\n\
        rooms,Number of rooms,single,1=1|2=2|3=3,\n";
    let study: Counted<'_> = ("s", codebook, &[(80, "1,1"), (80, "2,2"), (40, "3,2")]);
    has(
        &run_brief(&[study], "What is the place of waiting?"),
        "Asked “Place of waiting”, all respondents in s said most often “Lounge” (40.0 %), “Bar” (40.0 %) and “Street” (20.0 %) (base 200).",
    );
    let said = run_brief(&[study], "How many rooms are there?");
    assert!(said.first().unwrap().contains("“2” (60.0 %), “1” (40.0 %)"), "{said:#?}");
}

// proves: B6
#[test]
fn a_query_in_german_is_answered_in_german() {
    let said = offline("Wie zufrieden sind die Fahrgäste mit Drivers und Price?", &json!({}));
    let first = &said.statements[0].text;
    assert!(first.contains(" % ") && first.contains("W2"), "{first}");
    assert!(first.contains("Anteil") || first.contains("allen Befragten"), "{first}");
}

// proves: B4, B9
#[test]
fn studies_that_ask_with_other_scales_or_words_are_said_not_to_be_compared() {
    let five = "sat,How satisfied are you overall?,scale,1=Bad|2=2|3=3|4=4|5=Good,\n";
    let seven = "sat,How satisfied are you overall?,scale,1=Bad|2=2|3=3|4=4|5=5|6=6|7=Good,\n";
    let price = "sat,How satisfied are you with the price?,scale,1=Bad|2=2|3=3|4=4|5=Good,\n";
    let lines: &[(usize, &str)] = &[(60, "1"), (50, "3"), (90, "5")];
    let scales = run_brief(&[("w1", five, lines), ("w2", seven, lines)], "How satisfied are they?");
    has(
        &scales,
        "“How satisfied are you overall?” is asked with different scales in w1 and w2, so their figures are not compared.",
    );
    has(
        &scales,
        "Asked “How satisfied are you overall?”, 45.0 % of all respondents said “4” or “Good” in w1 (base 200).",
    );
    has_none(&scales, "change significantly");
    let words = run_brief(&[("w1", five, lines), ("w2", price, lines)], "How satisfied are they?");
    has(
        &words,
        "w1 and w2 word a question differently, as “How satisfied are you overall?” and as “How satisfied are you with the price?”, so their figures are not compared.",
    );
    has(
        &words,
        "Asked “How satisfied are you overall?”, 45.0 % of all respondents said “4” or “Good” in w1 (base 200).",
    );
    has(
        &words,
        "Asked “How satisfied are you with the price?”, 45.0 % of all respondents said “4” or “Good” in w2 (base 200).",
    );
    has_none(&words, "change significantly");
}

// proves: B4, B9
#[test]
fn nothing_rises_between_studies_without_an_order() {
    let studies: [Counted<'_>; 2] = [
        ("austria", AWARE, &[(180, "0"), (220, "1")]),
        ("germany", AWARE, &[(260, "0"), (140, "1")]),
    ];
    let said = run_brief(&studies, "Who is aware of the campaign?");
    has(
        &said,
        "The share that said “Yes” to “Aware of the campaign” was significantly higher in austria, at 55.0 %, than in germany, at 35.0 %: a difference of 20.0 percentage points (bases 400 and 400).",
    );
    for word in ["rose", "fell"] {
        has_none(&said, word);
    }
}

// proves: B4
#[test]
fn a_net_that_a_query_names_is_told() {
    let brief = offline("How many people buy their ticket online?", &json!({}));
    let first = &brief.statements[0].text;
    assert_eq!(
        first,
        "The share that said “In the app” or “On the website” (“Online”) to “How do you usually buy your ticket?” did not change significantly: it was 37.8 % in W1 and 42.6 % in W2, a difference of 4.8 percentage points (bases 600 and 650)."
    );
    assert!(brief.charts.iter().any(|chart| chart.measure == "Online by study"));
}
