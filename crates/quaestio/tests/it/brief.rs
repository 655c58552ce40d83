//! `quaestio brief`, over the example that ships: what it is given, and what a reader gets.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use fakes::{FakeModel, Judgement, Say, Seen, address_of, is_reader, readings};
use serde_json::{Value, json};

use crate::stand::{Stand, Told};

const QUESTION: &str = "How satisfied are riders, and what should we do?";

fn data() -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/survey");
    folder.canonicalize().unwrap().to_string_lossy().into_owned()
}

fn brief(stand: &Stand, args: &[&str]) -> Told {
    stand.run(&[&["brief", QUESTION], args].concat())
}

/// Returns the folder of plain files that the last run left.
fn artifacts(stand: &Stand) -> PathBuf {
    let runs = stand.data().join("artifacts/runs");
    let mut folders: Vec<PathBuf> =
        std::fs::read_dir(runs).unwrap().map(|entry| entry.unwrap().path()).collect();
    folders.sort_by_key(|folder| std::fs::metadata(folder).unwrap().modified().unwrap());
    folders.pop().unwrap()
}

fn read(path: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

// proves: B6, B7, B9
#[test]
fn without_a_model_the_data_is_summarised_and_every_figure_is_shown() {
    let stand = Stand::new();
    let told = brief(&stand, &["--data", &data(), "--tables", "tables.xlsx"]);
    assert_eq!(told.code, 0, "{told:?}");
    for part in [
        "Offline: no model was asked.",
        "## Key findings",
        "| share(Q5=top2, study=W2) | 53.1 % | 49.1 % to 57.1 % | 635 | W2 |",
        "## Studies",
        "## How this summary was made",
        "Mode: offline. No model was asked; the sentences come from templates",
    ] {
        assert!(told.out.contains(part), "{part} in {told:?}");
    }
    let workbook = std::fs::read(stand.path("tables.xlsx")).unwrap();
    assert!(workbook.starts_with(b"PK"), "a workbook is a ZIP file");
    let left = artifacts(&stand);
    assert_eq!(std::fs::read(left.join("tables.xlsx")).unwrap(), workbook);
    let result = stand.run(&["runs", "export", "last", "--format", "json"]).json();
    let deliverable = &result["deliverable"];
    assert_eq!((&result["mode"], &result["status"]), (&json!("offline"), &json!("completed")));
    let summary = read(&left.join("summary.json"));
    for part in [
        "title",
        "overview",
        "key_findings",
        "strategic_implications",
        "risks_and_caveats",
        "recommended_actions",
    ] {
        assert_eq!(summary[part], deliverable[part], "{part}");
    }
    assert_eq!(summary.as_object().unwrap().len(), 6);
    assert_eq!(read(&left.join("pipeline_stats.json")), deliverable["pipeline_stats"]);
    let trail = read(&left.join("audit_trail.json"));
    assert_eq!(trail, deliverable["history"]);
    let steps: Vec<&str> =
        trail.as_array().unwrap().iter().map(|line| line["step"].as_str().unwrap()).collect();
    for agent in ["explore_worker", "explore_critic", "synthesizer"] {
        assert!(steps.contains(&agent), "{agent} in {steps:?}");
    }
    // Every sentence that states a figure was computed again.
    let statements = deliverable["statements"].as_array().unwrap();
    let computed = |one: &&Value| !one["figures"].as_array().unwrap().is_empty();
    assert!(statements.iter().filter(computed).count() >= 3, "{statements:?}");
    assert!(statements.iter().filter(computed).all(|one| one["verdict"] == "recomputed"));
    assert_eq!(stand.run(&["runs", "replay", "last"]).code, 0);
}

// proves: B7, F6
#[test]
fn a_brief_is_exported_as_a_page_with_charts_and_as_a_workbook() {
    let stand = Stand::new();
    assert_eq!(brief(&stand, &["--data", &data(), "--quiet"]).code, 0);
    let page = stand.run(&["runs", "export", "last", "--format", "html"]).out;
    assert!(page.matches("<figure class=\"chart\">").count() >= 2, "{page}");
    assert!(page.contains("<title>All in all, how satisfied are you with the city buses?</title>"));
    for active in ["<script", "<img", "href=\"http", "src="] {
        assert!(!page.contains(active), "{active} in {page}");
    }
    let export = |more: &[&str]| {
        stand.run(&[&["runs", "export", "last", "--format", "xlsx"], more].concat())
    };
    export(&[]).fails(2, "xlsx is not text and cannot be printed");
    assert_eq!(export(&["--output", "t.xlsx"]).code, 0);
    assert!(std::fs::read(stand.path("t.xlsx")).unwrap().starts_with(b"PK"));
    // What has no tables says so.
    assert_eq!(stand.run(&["ask", "Who was John Snow?"]).code, 3);
    export(&["--output", "u.xlsx"]).fails(2, "a result of ask has no format xlsx");
    assert!(!stand.path("u.xlsx").exists());
}

// proves: B4, B7
#[test]
fn a_query_that_no_question_is_about_has_no_tables_and_ends_as_it_does_without() {
    let stand = Stand::new();
    let told = stand.run(&[
        "brief",
        "Tell me about quantum chromodynamics.",
        "--data",
        &data(),
        "--tables",
        "none.xlsx",
    ]);
    assert_eq!(told.code, 3, "{told:?}");
    assert!(told.err.contains("no tables: the run came to no figure"), "{told:?}");
    assert!(!stand.path("none.xlsx").exists());
}

// proves: B8, B9
#[test]
fn a_survey_that_is_kept_is_summarised_by_its_name_in_either_loop() {
    let stand = Stand::new();
    assert_eq!(stand.run(&["survey", "add", "bus", &data()]).code, 0);
    let told = brief(&stand, &["--survey", "bus", "--loop", "simple", "--max-explore", "1"]);
    assert_eq!(told.code, 0, "{told:?}");
    let stats = read(&artifacts(&stand).join("pipeline_stats.json"));
    assert_eq!((&stats["loop"], &stats["explore_iterations"]), (&json!("simple"), &json!(1)));
    // What was read for one run alone is no survey of the user's.
    assert_eq!(brief(&stand, &["--data", &data(), "--quiet"]).code, 0);
    let kept = stand.run(&["survey", "list"]).out;
    assert!(kept.starts_with("bus ") && !kept.contains("run-"), "{kept}");
    let settings = read(&artifacts(&stand).join("manifest.json"))["settings"].clone();
    assert_eq!(settings["options"]["files"].as_array().unwrap().len(), 5);
}

// proves: B9
#[test]
fn what_is_no_survey_is_one_clear_error_before_anything_runs() {
    let stand = Stand::new();
    let wrong = |args: &[&str], code: i32, what: &str| {
        brief(&stand, args).fails(code, what);
    };
    wrong(&[], 2, "--data");
    wrong(&["--data", "x", "--survey", "y"], 2, "cannot be used with");
    wrong(&["--data", "nowhere.csv"], 2, "could not read nowhere.csv");
    stand.file("notes.md", "No survey.");
    wrong(&["--data", "notes.md"], 1, "there is no data file among them");
    stand.file("broken.sav", "$FL2 and no more");
    wrong(&["--data", "broken.sav"], 1, "broken.sav");
    wrong(&["--survey", "bus"], 2, "there is no survey 'bus'; there are no surveys yet");
    wrong(&["--survey", "../bus"], 2, "is not a valid name for a survey");
    wrong(&["--survey", "bus", "--loop", "endless"], 2, "endless");
    wrong(&["--survey", "bus", "--tables", "tables.csv"], 2, "a workbook's name ends in .xlsx");
    wrong(&["--survey", "bus", "--tables", "nowhere/t.xlsx"], 2, "its folder is not there");
    stand.run(&["brief", " ", "--data", &data()]).fails(2, "the question is empty");
    assert_eq!(stand.run(&["runs", "list", "--json"]).json(), json!([]));
}

// proves: B2
#[test]
fn what_a_brief_would_cost_is_told_without_running_it() {
    let server = FakeModel::start(|_| Say::error(500, "nobody asks for an estimate"));
    let stand = Stand::with_model(&server.base_url());
    let told = brief(&stand, &["--data", &data(), "--estimate"]);
    assert_eq!(told.code, 0, "{told:?}");
    let fewer =
        ["--data", &data(), "--estimate", "--model", "openai/gpt-4.1-mini", "--max-explore", "1"];
    let tokens = |told: &Told| -> u64 {
        let worst = told.out.split("Worst case: ").nth(1).unwrap();
        worst.split(' ').next().unwrap().parse().unwrap()
    };
    assert!(tokens(&brief(&stand, &fewer)) < tokens(&told), "fewer rounds cost less");
    assert_eq!(stand.run(&["runs", "list", "--json"]).json(), json!([]));
    assert!(!stand.data().join("surveys").exists(), "nothing is kept for an estimate");
    assert!(server.seen().is_empty());
}

/// Plays the agents of a brief: WHAT, WHY and HOW, a round each, and one draft. `stated` is what the draft says of satisfied riders.
fn agents(stated: &'static str) -> impl Fn(&Seen) -> Say + Send + Sync {
    let steered = AtomicUsize::new(0);
    move |seen| {
        if is_reader(seen) {
            return Say::json(&readings(seen, |_| Judgement::Supported));
        }
        let has = |field: &str| seen.schema()["properties"].get(field).is_some();
        let said = if has("query_answered") {
            found(&seen.prompt())
        } else if has("has_new_angle") {
            match steered.fetch_add(1, Ordering::SeqCst) {
                0 => {
                    json!({"has_new_angle": true, "next_stage": "why", "follow_up_query": "Who is less satisfied?"})
                }
                1 => {
                    json!({"has_new_angle": true, "next_stage": "how", "follow_up_query": "What follows?"})
                }
                _ => json!({"has_new_angle": false}),
            }
        } else if has("key_findings") {
            drafted(stated)
        } else {
            json!({"approved": true, "score": 9, "factual_grounding": 9, "clarity": 9, "completeness": 9, "tone": 9})
        };
        Say::json(&said)
    }
}

const ALL: &str = "share(Q5=top2, study=W2)";
const YOUNG: &str = "share(Q5=top2, segment=age_group:18-34, study=W2)";
const YOUNG_SAID: &str = "In W2, 38.4 % of those aged 18-34 are satisfied with the city buses.";

fn found(prompt: &str) -> Value {
    let depth = prompt.split("## Depth\n").nth(1).unwrap_or_default();
    let (claim, depth, figure) = match depth.get(..3) {
        Some("WHA") => ("In W2, 53.1 % are satisfied with the city buses.", "what", ALL),
        Some("WHY") => (YOUNG_SAID, "why", YOUNG),
        _ => ("Young riders should be asked what they miss.", "how", YOUNG),
    };
    let Some(address) = address_of(prompt, figure) else {
        let call = json!({"tool": "perform_analysis", "analysis": "figure", "expression": figure});
        return json!({ "calls": [call] });
    };
    let finding =
        json!({"claim": claim, "depth": depth, "confidence": "high", "rests_on": [address]});
    json!({"query_answered": QUESTION, "findings": [finding]})
}

fn drafted(stated: &str) -> Value {
    let said = |text: &str, on: &str| json!([{"text": text, "rests_on": [on]}]);
    let overview = format!("In W2, {stated} are satisfied with the city buses.");
    json!({
        "title": "Satisfaction with the city buses",
        "overview": said(&overview, "C1"),
        "key_findings": said(YOUNG_SAID, "C2"),
        "strategic_implications": said("Young riders deserve attention.", "C3"),
        "recommended_actions": said("Ask young riders what they miss.", "C3"),
    })
}

// proves: B1, B6
#[test]
fn four_agents_write_a_summary_whose_marks_lead_to_figures() {
    let server = FakeModel::start(agents("53.1 %"));
    let stand = Stand::with_model(&server.base_url());
    let told = brief(&stand, &["--data", &data()]);
    assert_eq!(told.code, 0, "{told:?}");
    assert!(told.out.contains("In W2, 53.1 % are satisfied with the city buses. [1]≈"), "{told:?}");
    assert!(told.out.contains("| share(Q5=top2, study=W2) | 53.1 % |"), "{told:?}");
    assert!(told.out.contains("- → Young riders deserve attention. [2]"), "{told:?}");
    let result = stand.run(&["runs", "export", "last", "--format", "json"]).json();
    assert_eq!(result["deliverable"]["verdict"]["approved"], json!(true), "{result}");
    assert_eq!(result["grounding"]["unsupported"], json!(0), "{result}");
}

// proves: B3, B6
#[test]
fn a_wrong_number_never_reaches_the_summary_whatever_the_critic_says() {
    let server = FakeModel::start(agents("73.1 %"));
    let stand = Stand::with_model(&server.base_url());
    let told = brief(&stand, &["--data", &data(), "--max-refine", "2"]);
    assert!([0, 4].contains(&told.code), "{told:?}");
    assert!(!told.out.contains("73.1 %"), "{told:?}");
    assert!(told.out.contains(YOUNG_SAID), "{told:?}");
    let summary = read(&artifacts(&stand).join("summary.json"));
    assert!(!summary.to_string().contains("73.1"), "{summary}");
}
