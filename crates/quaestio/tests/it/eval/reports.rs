//! Reports: what is told of them, and those of other programs as an arm.

use fakes::FakeModel;
use serde_json::{Value, json};

use super::*;

const OTHER: &str = "# The pump\n\nThe handle was removed on 8 September 1854.[^1] It stood in Broad Street ([a map](https://map.example/)).\n\n\
    ## Deaths\n\nThe table adds up to 616 deaths [2].\n\n## Sources\n\n1. Snow, *On the mode of communication of cholera*, 1855\n2. \
    [The table](https://table.example/snow_(1855))\n3. Not cited\n";

/// Reports to the first of the questions, whose ids are a01 and so on.
fn reports(stand: &Stand, number: usize) -> String {
    for case in 1..=number {
        stand.file(&format!("other/a0{case}.md"), OTHER);
    }
    format!("other={}", stand.path("other").display())
}

fn mean(report: &Value, arm: &str, metric: &str) -> Option<f64> {
    let arms = report["arms"].as_array().unwrap();
    let arm = arms.iter().find(|one| one["name"] == arm).unwrap();
    arm["means"][metric]["value"].as_f64()
}

// proves: A8, C18
#[test]
fn reports_of_another_program_are_an_arm() {
    let stand = Stand::new();
    let dataset = questions(&stand, 3);
    let folder = reports(&stand, 2);
    stand.file("other/b77.md", "No case has this name.");
    stand.file("other/readme.txt", "No report.");
    let told = evaluated(&stand, &dataset, &["--report", &folder, "--format", "json"]);
    assert_eq!(told.code, 0, "{told:?}");
    assert!(
        told.err.contains("files of no case are ignored: 1") && told.err.contains("b77.md"),
        "{told:?}"
    );
    let report = told.json();
    assert_eq!(arms(&report), ["rag", "other", "direct"]);
    let arm = &report["arms"][1];
    assert_eq!(
        (&arm["method"], &arm["completed"], &arm["not_run"]),
        (&json!("report"), &json!(2), &json!(1))
    );

    let all = observations(&report);
    let one = &all[&("a01".into(), "other".into())];
    assert_eq!(
        one["answer"],
        "# The pump\n\nThe handle was removed on 8 September 1854. It stood in Broad Street (a map).\n\n## Deaths\n\nThe table adds up to 616 deaths."
    );
    assert_eq!(
        one["cited"],
        json!([
            "Snow, *On the mode of communication of cholera*, 1855",
            "https://map.example",
            "https://table.example/snow_(1855)"
        ])
    );
    assert_eq!((&one["marks"], &one["claims"], &one["run"]), (&json!(3), &json!(0), &json!("")));
    for (metric, value) in [
        ("sections", Some(2.0)),
        ("sources_cited", Some(3.0)),
        ("groundedness", None),
        ("milliseconds", None),
    ] {
        assert_eq!(mean(&report, "other", metric), value, "{metric}");
    }
    assert!(mean(&report, "rag", "words").is_some(), "every arm is told beside it");
    let compared = report["comparisons"].as_array().unwrap();
    assert!(compared.iter().any(|one| one["arm"] == "other"), "{compared:?}");

    let shown = stand.run(&["eval", "show", "last"]).out;
    for part in [
        "Texts",
        "reading ease",
        "The reports of other were made by another program",
        "Under **other** there is no report",
    ] {
        assert!(shown.contains(part), "{part} in {shown}");
    }
    let page = stand.run(&["eval", "show", "last", "--format", "html"]).out;
    assert!(page.contains("Texts") && page.contains("</html>"), "{page}");
    // Without reports, nothing is told of the texts of short answers.
    let short = evaluated(&stand, &dataset, &[]);
    assert!(!short.out.contains("reading ease"), "{short:?}");
}

// proves: A8
#[test]
fn a_changed_report_is_another_arm_and_an_unchanged_one_is_not_judged_again() {
    let server = FakeModel::start(model(sensible));
    let stand = Stand::with_model(&server.base_url());
    let dataset = questions(&stand, 2);
    let folder = reports(&stand, 2);
    let all = || {
        let told = stand.run(&[
            "eval",
            dataset.to_str().unwrap(),
            "--report",
            &folder,
            "--format",
            "json",
        ]);
        assert_eq!(told.code, 0, "{told:?}");
        told.json()
    };
    let first = all();
    assert_eq!(arms(&first), ["other", "direct"], "it needs no documents");
    let compared = &first["comparisons"][0];
    let preferred = &compared["preferred"];
    let judged = ["wins", "losses", "ties"].map(|key| preferred[key].as_u64().unwrap());
    assert_eq!(judged.iter().sum::<u64>(), 2, "{first:#}");
    assert!(mean(&first, "other", "judge").is_some(), "{first:#}");
    let made = server.seen().len();
    let second = all();
    assert_eq!(server.seen().len(), made);
    assert_eq!(first["arms"][0]["settings"], second["arms"][0]["settings"]);

    stand.file("other/a02.md", "It was later.");
    let third = all();
    assert_ne!(first["arms"][0]["settings"], third["arms"][0]["settings"]);
    // In two rounds: the answer alone, and the pair in both orders.
    assert_eq!(server.seen().len(), made + 2 * 3);
}

// proves: A8, C13
#[test]
fn what_is_no_folder_of_reports_is_one_clear_error() {
    let stand = Stand::new();
    let dataset = questions(&stand, 2);
    stand.file("none/readme.md", "To no case.");
    stand.file("bytes/a01.md", [0xff, 0xfe, 0x00, 0x41]);
    stand.file("fine/a01.md", "It was so.");
    for (reports, what) in [
        (&["fine"][..], "write NAME=FOLDER"),
        (&["=fine"], "write NAME=FOLDER"),
        (&["a/b=fine"], "is not a valid name"),
        (&["direct=fine"], "taken by another arm"),
        (&["rag=fine"], "taken by another arm"),
        (&["judge=fine"], "taken by another arm"),
        (&["x=fine", "x=fine"], "taken by another arm"),
        (&["x=nowhere"], "could not read the folder nowhere"),
        (&["x=fine/a01.md"], "could not read the folder"),
        (&["x=none"], "no report of a case"),
        (&["x=bytes"], "UTF-8"),
    ] {
        let more: Vec<&str> = reports.iter().flat_map(|one| ["--report", one]).collect();
        let told = evaluated(&stand, &dataset, &more);
        told.fails(2, what);
        assert_eq!(told.out, "", "{reports:?}");
    }
    assert!(!stand.data().join("artifacts/evals").exists());
    let told = stand.run(&["eval", "tea", "--retrieval", "lexical", "--report", "x=fine"]);
    told.fails(2, "cannot be used with");
}
