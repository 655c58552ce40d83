//! Reports of the strategy `deep`: many questions, read and noted at the same time, written and checked section by section.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use fakes::{Judgement, readings_of, statements};
use methods::ask::deep::Earlier;
use run::budget::{Price, Usage};
use run::entry::{Entry, Event, Origin};
use run::error::PortError;
use run::evidence::{EvidenceKind, Passage, Place};
use run::library::{Found, Search};
use run::model::{ChatReply, ChatRequest, Model, Words};
use serde_json::{Value, json};
use text::Language;
use tokio::time::{Instant, sleep};

use super::world::Scene;
use crate::ports::Finder;
use crate::stage::ending;

const QUESTION: &str = "How are harbours kept open? Compare dredging, barrages and piers.";

/// Subjects that there are documents of, each with so many passages.
const SUBJECTS: [&str; 12] = [
    "dredging", "barrages", "piers", "locks", "silt", "pumps", "buoys", "quays", "cranes",
    "ferries", "pilots", "tides",
];
const PASSAGES: usize = 5;

/// Says whatever is wanted as a strong writer would; what it says of gulls is nowhere.
#[derive(Default)]
struct Author {
    questions: usize,
    /// Whether all questions are looked up by the same words.
    alike: bool,
    /// Whether the notes answer every question, as the judge sees it.
    answered: bool,
    /// How long a reply takes.
    slowness: Duration,
    /// When calls began and ended.
    moments: Arc<Mutex<Vec<Instant>>>,
}

impl Author {
    fn says(&self, asked_for: &str, asked: &str) -> String {
        let value = match asked_for {
            "Drafted" => self.drafted(),
            "Notes" => {
                let note = |one: fakes::Statement| json!({"at": one.address, "says": one.text});
                json!({"notes": statements(asked).into_iter().map(note).collect::<Vec<_>>()})
            }
            "Judged" if self.answered => json!({"missing": [], "queries": [], "answered": true}),
            "Judged" => {
                json!({"missing": ["what it costs"], "queries": ["costs"], "answered": false})
            }
            "Outlined" => outlined(asked),
            "Readings" => readings_of(asked, |exhibit| match exhibit.claim.contains("gulls") {
                true => Judgement::Partly("gulls".into()),
                false => Judgement::Supported,
            }),
            _ => return prose(asked),
        };
        value.to_string()
    }

    fn drafted(&self) -> Value {
        let question = |(number, subject): (usize, &&str)| match self.alike {
            true => json!({"question": format!("Which {number}?"), "queries": [SUBJECTS[0]]}),
            false => {
                json!({"question": format!("What is known of {subject}?"), "queries": [subject]})
            }
        };
        let questions = SUBJECTS.iter().enumerate().take(self.questions).map(question);
        let questions: Vec<Value> = questions.collect();
        json!({
            "brief": {"asked": "How harbours are kept open.", "questions": questions},
            "plan": [
                {"id": "all", "type": "retrieve_rag", "inputs": {"query": "harbours"}},
                {"id": "end", "type": "synthesize"},
            ],
        })
    }
}

/// A section for each question that notes were taken for.
fn outlined(asked: &str) -> Value {
    let mut sections: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for line in asked.lines() {
        let Some((number, rest)) = line.split_once(". (q") else { continue };
        let (Ok(number), Some((questions, _))) = (number.parse(), rest.split_once(';')) else {
            continue;
        };
        let first = questions.split(',').next().unwrap();
        sections.entry(first.parse().unwrap()).or_default().push(number);
    }
    let section = |(question, notes): (usize, Vec<usize>)| json!({"heading": format!("On {}", SUBJECTS[question - 1]), "purpose": "", "form": "prose", "notes": notes});
    json!({"sections": sections.into_iter().map(section).collect::<Vec<_>>()})
}

/// A section from its notes, a summary from what stands in the report, and mended sentences.
fn prose(asked: &str) -> String {
    if asked.contains("that do not hold") {
        return "1. –".into();
    }
    let mut text = String::new();
    if asked.contains("The report, sentence by sentence") {
        let said = asked
            .lines()
            .filter_map(|line| line.split_once(". "))
            .filter(|(number, said)| number.parse::<usize>().is_ok() && said.ends_with(']'));
        for (_, said) in said.take(3) {
            let (words, address) = said.rsplit_once(" [").unwrap();
            let _ = write!(text, "In short, {words} [{address} ");
        }
        // Every third sentence, where there are too many.
        if asked.contains("Words that are too many") {
            let numbers: Vec<String> =
                (1..60).step_by(3).map(|number| number.to_string()).collect();
            let _ = write!(text, "\n\nCut: {}", numbers.join(", "));
        }
        return text;
    }
    let notes = asked.lines().filter_map(|line| line.strip_prefix("- ["));
    for note in notes {
        let Some((address, says)) = note.split_once("] ") else { continue };
        let _ = write!(text, "As is known, {says} [{address}] ");
        if address.ends_with(".2") {
            let _ = write!(text, "The gulls like it [{address}]. ");
        }
    }
    text
}

#[async_trait]
impl Model for Author {
    fn id(&self) -> &str {
        "stage/m"
    }

    fn price(&self) -> Option<Price> {
        None
    }

    async fn chat(&self, request: &ChatRequest, _: &dyn Words) -> Result<ChatReply, PortError> {
        const BYTES_PER_TOKEN: usize = 4;
        self.moments.lock().unwrap().push(Instant::now());
        sleep(self.slowness).await;
        self.moments.lock().unwrap().push(Instant::now());
        let asked: String = request.turns.iter().map(|turn| turn.text.to_string()).collect();
        let asked_for = request.schema.as_ref().map_or("prose", |schema| schema.name.as_str());
        let mut text = self.says(asked_for, &asked);
        let most = request.max_tokens as usize * BYTES_PER_TOKEN;
        let cut_off = text.len() > most;
        text.truncate(text.floor_char_boundary(most));
        let tokens = |bytes: usize| bytes.div_ceil(BYTES_PER_TOKEN) as u64;
        let usage = Usage {
            input_tokens: tokens(request.system.len() + asked.len()),
            cached_tokens: 0,
            output_tokens: tokens(text.len()),
        };
        Ok(ChatReply { text, usage, cut_off })
    }
}

/// Finds the passages of the subjects that a search names.
#[derive(Clone)]
struct Harbours;

#[async_trait]
impl Finder for Harbours {
    async fn find(&self, search: &Search) -> Result<Found, PortError> {
        let named = SUBJECTS.iter().enumerate().filter(|(_, one)| search.question.contains(*one));
        let passages: Vec<Passage> = named
            .flat_map(|(index, subject)| {
                (0..PASSAGES).map(move |part| passage(index, subject, part))
            })
            .collect();
        let terms = SUBJECTS.iter().flat_map(|word| text::terms(word, Language::English));
        Ok(Found {
            passages,
            terms: terms.map(|term| (term, 5)).collect(),
            cosines: None,
            chunks: 60,
            language: Language::English,
            ..Found::default()
        })
    }
}

fn passage(index: usize, subject: &str, part: usize) -> Passage {
    let year = 1900 + 10 * index + part;
    let text = format!(
        "# {subject}\n\nThe account of {year} says that {subject} kept harbour {part} open for {year} days. It was costly, and {subject} had to be renewed after {} winters. Nobody found a cheaper way in {year}.",
        part + 2
    );
    let name = format!("{subject}-{part}.md");
    Passage {
        source_uri: format!("doc://kb/{name}"),
        kind: EvidenceKind::Rag,
        chunk_id: name.clone(),
        score: 1.0 - part as f64 / 100.0,
        metadata: BTreeMap::new(),
        work: None,
        place: Place {
            document_id: name.clone(),
            title: format!("Account {year}"),
            section: format!("On {subject}"),
            start: 0,
            end: text.len() as u64,
            source_sha256: run::entry::Hash::of(name.as_bytes()).to_string(),
            pages: vec![],
        },
        text,
    }
}

/// The log of a report on several questions.
pub(crate) fn performed() -> Vec<Entry> {
    scene(4).performed(&[])
}

fn scene(questions: usize) -> Scene {
    scene_of(Author { questions, ..Author::default() })
}

fn scene_of(author: Author) -> Scene {
    Scene::over(QUESTION, Arc::new(author), Harbours, build_options())
}

fn build_options() -> Value {
    json!({
        "strategy": "deep", "collection": "kb", "own_documents": true,
        "rules": {
            "top_k": 8, "score_threshold": 0.2, "coverage_threshold": 0.5, "context_tokens": 500,
            "extractive_sentences": 4, "extractive_coverage": 0.2, "unsupported": "cut",
            "deep": {"max_steps": 12, "max_questions": 0, "recall_threshold": 0.9, "replan": true,
                "papers_read": 2, "pages_read": 2},
            // One passage is read in one call.
            "report": {"standard": {
                "words": 3000, "questions": 12, "rounds": 2, "passages": PASSAGES, "papers_read": 2,
                "pages_read": 2, "full_text": false, "note_tokens": 10, "section_tokens": 12_000,
            }},
        },
    })
}

/// A scene that goes on from a run, or brings it up to date.
fn after(author: Author, earlier: &[Entry], refresh: bool) -> Scene {
    let earlier = Earlier::of("r0", earlier, refresh).unwrap();
    let mut options = build_options();
    options["earlier"] = json!(earlier);
    Scene::over(&earlier.question, Arc::new(author), Harbours, options)
}

fn delivered(entries: &[Entry]) -> (&Value, &Vec<run::ledger::Claim>) {
    match ending(entries) {
        Event::Finished { deliverable, ledger, .. } => (deliverable, ledger),
        other => panic!("nothing is delivered: {other:?}"),
    }
}

/// Returns the steps at which the model replied, in the order of their replies.
fn replied(entries: &[Entry]) -> Vec<&str> {
    let by_model = entries.iter().filter_map(|entry| match &entry.event {
        Event::Returned { step, origin: Origin::Model, .. } => Some(step.as_str()),
        _ => None,
    });
    by_model.collect()
}

// proves: A10, C4
#[test]
fn several_questions_are_answered_by_a_report_of_which_every_sentence_is_accounted_for() {
    let entries = scene(4).performed(&[]);
    let (deliverable, ledger) = delivered(&entries);
    let answer = deliverable["answer"].as_str().unwrap();
    assert!(answer.starts_with("## Summary\n\nIn short, "), "{answer}");
    for subject in SUBJECTS.iter().take(4) {
        assert!(
            answer.contains(&format!("\n\n## On {subject}\n\nAs is known, ")),
            "{subject}: {answer}"
        );
    }
    assert!(!answer.contains("gulls"), "what nobody says is cut: {answer}");
    let report = &deliverable["report"];
    assert_eq!(report["depth"], "standard");
    assert_eq!(report["sources_read"], 4 * PASSAGES);
    assert_eq!(report["sources_cited"], 4 * PASSAGES);
    assert!(report["words"].as_u64().unwrap() > 400, "{}", report["words"]);
    assert_eq!(report["questions"].as_array().unwrap().len(), 4);
    let open = deliverable["open_questions"].to_string();
    assert!(open.contains("what it costs"), "what the judge misses stays open: {open}");
    // Each claim stands where the ledger says, with its marks, and those of the summary come first.
    let shown = |claim: &run::ledger::Claim| {
        let shown = claim.shown?;
        answer.get(shown.start as usize..shown.end as usize).map(str::to_owned)
    };
    for claim in ledger.iter().filter(|claim| claim.verdict.holds()) {
        let shown = shown(claim).unwrap();
        assert!(shown.starts_with(&claim.text), "{shown} / {}", claim.text);
        assert!(
            claim.numbers().iter().all(|number| shown.contains(&format!("[{number}]"))),
            "{shown}"
        );
    }
    let unsupported = ledger.iter().filter(|claim| !claim.verdict.holds());
    assert!(
        unsupported.clone().count() > 0
            && unsupported.clone().all(|one| one.text.contains("gulls"))
    );
    assert!(ledger[0].numbers().contains(&1));
    assert!(scene(4).replays(&entries));
}

// proves: A10
#[test]
fn what_private_documents_say_is_never_searched_for_outside() {
    let mut options = build_options();
    options["sources"] = json!(["crossref"]);
    options["rules"]["report"]["standard"]["rounds"] = json!(4);
    let author = Author { questions: 2, ..Author::default() };
    let scene = Scene::over(QUESTION, Arc::new(author), Harbours, options);
    let entries = scene.performed(&[]);
    let read = delivered(&entries).0["report"]["questions"].clone();
    assert!(read.as_array().unwrap().iter().all(|one| one["rounds"] == 2), "{read}");
    // The judge, who reads the notes, wants "costs"; the terms of the questions are older than any note.
    let searched = scene.searched();
    assert!(!searched.is_empty() && !searched.iter().any(|one| one == "costs"), "{searched:?}");
    let once: BTreeSet<&String> = searched.iter().collect();
    assert_eq!(once.len(), searched.len(), "{searched:?}");
}

// proves: A10
#[test]
fn words_above_the_ceiling_are_cut_by_the_editor_or_told() {
    let of = |words: u32| {
        let author = Author { questions: 4, ..Author::default() };
        let mut options = build_options();
        options["rules"]["report"]["words"] = json!(words);
        let entries = Scene::over(QUESTION, Arc::new(author), Harbours, options).performed(&[]);
        let Event::Finished { warnings, deliverable, .. } = ending(&entries) else {
            panic!("{:?}", ending(&entries))
        };
        (deliverable["report"]["words"].as_u64().unwrap(), warnings.join("\n"))
    };
    let (whole, warnings) = of(0);
    assert!(!warnings.contains("words; the limit was"), "{whole}: {warnings}");
    let (cut, warnings) = of(whole as u32 * 3 / 4);
    assert!(cut < whole * 3 / 4 && !warnings.contains("words; the limit was"), "{cut} of {whole}");
    // A third is the most that this editor finds.
    let (cut, warnings) = of(whole as u32 / 4);
    assert!(
        warnings.contains(&format!("the report has {cut} words; the limit was")),
        "{cut}: {warnings}"
    );
}

// proves: A10
#[test]
fn a_statement_is_noted_once_and_serves_every_question_that_it_answers() {
    let author = Author { questions: 2, alike: true, ..Author::default() };
    let entries = scene_of(author).performed(&[]);
    let report = &delivered(&entries).0["report"];
    let notes = report["notes"].as_array().unwrap();
    assert!(!notes.is_empty() && notes.iter().all(|note| note["questions"] == json!([0, 1])));
    for question in report["questions"].as_array().unwrap() {
        assert_eq!(question["notes"], notes.len(), "{question}");
    }
}

// proves: A10
#[test]
fn what_an_earlier_report_answers_is_written_from_what_it_cites_and_nothing_is_looked_up() {
    let first = scene(4).performed(&[]);
    let author = Author { questions: 2, answered: true, ..Author::default() };
    let scene = after(author, &first, false);
    let entries = scene.performed(&[]);
    let (deliverable, ledger) = delivered(&entries);
    let steps = entries.iter().filter_map(|entry| match &entry.event {
        Event::Called { step, .. } => Some(step.as_str()),
        _ => None,
    });
    let looked_up: Vec<&str> = steps.filter(|step| step.contains("retrieve")).collect();
    assert!(looked_up.is_empty(), "{looked_up:?}");
    let report = &deliverable["report"];
    assert_eq!(report["goes_on_from"], "r0");
    assert_eq!(report["questions"].as_array().unwrap().len(), 2);
    let task = &deliverable["blackboard"]["tasks"][0];
    assert_eq!((&task["id"], &task["state"]), (&json!("all"), &json!("skipped")));
    let cites = |ledger: &[run::ledger::Claim]| -> BTreeSet<String> {
        let holding = ledger.iter().filter(|claim| claim.verdict.holds());
        holding.flat_map(|claim| &claim.citations).map(|one| one.evidence_id.clone()).collect()
    };
    let (now, then) = (cites(ledger), cites(delivered(&first).1));
    assert!(!now.is_empty() && now.is_subset(&then), "only what was cited is cited");
    assert!(scene.replays(&entries));
}

// proves: A10
#[test]
fn what_an_earlier_report_leaves_open_is_looked_up() {
    let first = scene(2).performed(&[]);
    let entries = after(Author { questions: 4, ..Author::default() }, &first, false).performed(&[]);
    let (deliverable, _) = delivered(&entries);
    let questions = deliverable["report"]["questions"].as_array().unwrap();
    let notes: Vec<u64> = questions.iter().map(|one| one["notes"].as_u64().unwrap()).collect();
    assert!(notes.iter().all(|notes| *notes > 0), "two were never looked up before: {notes:?}");
    let answer = deliverable["answer"].as_str().unwrap();
    assert!(answer.contains("locks") && answer.contains("dredging"), "{answer}");
}

// proves: A10
#[test]
fn a_report_that_is_brought_up_to_date_has_the_questions_that_it_had() {
    let first = scene(3).performed(&[]);
    let author = Author { questions: 1, ..Author::default() };
    let entries = after(author, &first, true).performed(&[]);
    let (deliverable, _) = delivered(&entries);
    let asked = |deliverable: &Value| -> Vec<Value> {
        let questions = deliverable["report"]["questions"].as_array().unwrap();
        questions.iter().map(|one| one["question"].clone()).collect()
    };
    assert_eq!(asked(deliverable), asked(delivered(&first).0));
    // The shelf of this stage keeps no texts: nothing can be said to stand.
    assert_eq!(deliverable["changes"]["stand"], 0, "{}", deliverable["changes"]);
    assert_eq!(deliverable["changes"]["run"], "r0");
}

// proves: A10
#[test]
fn nothing_goes_on_from_a_run_that_has_no_answer() {
    let whole = scene(2).performed(&[]);
    let why = |entries: &[Entry]| Earlier::of("r0", entries, false).unwrap_err();
    assert!(why(&whole[..whole.len() - 1]).contains("has not finished yet"));
    assert!(why(&[]).contains("was not made by the method 'ask'"));
}

// proves: A10
#[test]
fn it_is_told_what_each_agent_used() {
    let entries = scene(3).performed(&[]);
    let cost = run::views::cost(&entries);
    let by_agent = run::views::cost_by_agent(&entries);
    let agents: Vec<&str> = by_agent.iter().map(|one| one.agent.as_str()).collect();
    for agent in [
        "deep_planner",
        "note_taker",
        "coverage_judge",
        "outliner",
        "section_writer",
        "report_editor",
        "reader",
    ] {
        assert!(agents.contains(&agent), "{agents:?}");
    }
    assert_eq!(by_agent.iter().map(|one| one.calls).sum::<u64>(), cost.calls);
    let tokens = by_agent.iter().map(|one| one.usage.total()).sum::<u64>();
    assert_eq!(tokens, cost.usage.total());
}

// proves: A10, C16
#[test]
fn what_goes_on_from_a_report_is_estimated_with_reading_it_again() {
    let rules: methods::ask::Rules =
        serde_json::from_value(build_options()["rules"].clone()).unwrap();
    let of = |goes_on: bool, agent: &str| {
        let calls = methods::ask::calls(&rules, QUESTION, methods::ask::Strategy::Deep, goes_on);
        calls.into_iter().filter(|one| one.agent.name == agent).map(|one| one.usual).sum::<u32>()
    };
    // Two rounds, and one before them.
    for agent in ["note_taker", "coverage_judge"] {
        assert_eq!(of(true, agent), of(false, agent) / 2 * 3, "{agent}");
    }
    assert_eq!(of(true, "report_editor"), of(false, "report_editor"));
}

// proves: A10
#[test]
fn a_single_question_is_answered_without_a_report() {
    let entries = scene(1).performed(&[]);
    let (deliverable, _) = delivered(&entries);
    assert!(deliverable.get("report").is_none(), "{deliverable}");
}

// proves: A10, C1
#[test]
fn a_report_of_sixty_parallel_readings_that_is_killed_repeats_no_finished_call() {
    let whole = scene(12).performed(&[]);
    let expected = delivered(&whole).0;
    let readings = replied(&whole).iter().filter(|step| step.contains("note_taker")).count();
    assert_eq!(readings, 12 * PASSAGES);
    // Twenty points of a run, spread by a step that shares no factor with its length.
    let all = whole.len() as u64;
    for number in 0..20_u64 {
        let at = 2 + (number * 37 + 11) % (all - 3);
        let entries = scene(12).performed(&[at]);
        assert_eq!(delivered(&entries).0, expected, "killed after {at} of {all}");
        let mut steps = replied(&entries);
        steps.sort_unstable();
        let calls = steps.len();
        steps.dedup();
        assert_eq!(steps.len(), calls, "killed after {at}: a finished call was made again");
    }
}

// proves: A10, C6, C16
#[test]
fn at_every_cap_a_report_is_delivered_from_the_notes_that_there_are() {
    let whole = scene(6).performed(&[]);
    let usual = run::views::cost(&whole).usage.total();
    for step in 1..=20_u64 {
        let cap = usual * step * 8 / 100;
        let entries = scene(6).within(cap).performed(&[]);
        let used = run::views::cost(&entries).usage.total();
        let at = format!("{used} of {cap}, {usual} usually");
        assert!(used <= cap, "{at}");
        let (deliverable, ledger) = delivered(&entries);
        let answer = deliverable["answer"].as_str().unwrap();
        assert!(ledger.iter().any(|claim| claim.verdict.holds()), "{at}: {answer}");
        let written =
            replied(&entries).iter().filter(|step| step.contains("section_writer")).count();
        if cap >= usual * 3 / 5 {
            assert!(written > 0, "{at}: nothing was written");
            assert!(used * 2 >= cap.min(usual), "{at}: most was kept for nothing");
        }
    }
}

// proves: A10, C6
#[test]
fn no_cap_of_steps_is_exceeded_and_where_it_is_narrow_the_answer_is_no_report() {
    for max_steps in [8, 16, 31, 32, 40, 80] {
        let entries = scene(4).capped(max_steps, 1_000_000).performed(&[]);
        let steps = super::called(&entries);
        assert!(steps.len() as u64 <= max_steps, "{} of {max_steps}: {steps:?}", steps.len());
        let (deliverable, _) = delivered(&entries);
        assert_eq!(deliverable.get("report").is_some(), max_steps >= 32, "{max_steps}");
    }
}

// proves: A10
#[test]
fn however_many_questions_and_sources_a_report_takes_no_more_than_twelve_calls_one_after_another() {
    let slowness = Duration::from_secs(2);
    for questions in [3, 12] {
        let moments = Arc::<Mutex<Vec<Instant>>>::default();
        let moments_of = Arc::clone(&moments);
        let author = Author { questions, slowness, moments: moments_of, ..Author::default() };
        let entries = scene_of(author).performed(&[]);
        assert!(replied(&entries).len() > questions * PASSAGES);
        let moments = moments.lock().unwrap();
        let took = *moments.last().unwrap() - moments[0];
        assert!(took <= slowness * 12, "{questions} questions: {took:?}");
    }
}

// proves: A10, C10
#[test]
fn without_a_model_a_report_quotes_what_there_is_under_each_question() {
    let entries = scene(3).offline().performed(&[]);
    let (deliverable, ledger) = delivered(&entries);
    let answer = deliverable["answer"].as_str().unwrap();
    for heading in ["## dredging", "## barrages", "## piers", "### Account 19"] {
        assert!(answer.contains(heading), "{heading}: {answer}");
    }
    assert!(ledger.iter().all(|claim| claim.verdict == run::ledger::Verdict::Quoted), "{answer}");
}
