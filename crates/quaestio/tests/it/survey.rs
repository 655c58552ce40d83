//! `quaestio survey`, over the example that ships and over small surveys of a test's own.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::stand::{Stand, Told};

fn locate_example() -> String {
    examples().join("survey").to_string_lossy().into_owned()
}

fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").canonicalize().unwrap()
}

fn survey(stand: &Stand, args: &[&str]) -> Told {
    stand.run(&[&["survey"], args].concat())
}

/// Runs a command that succeeds; returns what it printed.
fn done(stand: &Stand, args: &[&str]) -> String {
    let told = survey(stand, args);
    assert_eq!(told.code, 0, "{args:?}: {told:?}");
    told.out
}

fn tables(stand: &Stand, args: &[&str]) -> Value {
    let example = locate_example();
    let all = [&["tables", &example, "--format", "json"], args].concat();
    serde_json::from_str(&done(stand, &all)).unwrap()
}

/// The cells of the row of a table that is called so.
fn row<'a>(table: &'a Value, label: &str) -> &'a Vec<Value> {
    let rows = table["rows"].as_array().unwrap();
    let row = rows.iter().find(|row| row["label"] == label).unwrap_or_else(|| panic!("{table}"));
    row["cells"].as_array().unwrap()
}

// proves: B9
#[test]
fn the_studies_of_the_example_are_shown_with_weight_questions_and_what_they_share() {
    let stand = Stand::new();
    insta::assert_snapshot!(done(&stand, &["info", &locate_example()]));
    let told: Value =
        serde_json::from_str(&done(&stand, &["info", &locate_example(), "--format", "json"]))
            .unwrap();
    let studies = told["studies"].as_array().unwrap();
    assert_eq!((&studies[0]["id"], &studies[1]["respondents"]), (&json!("W1"), &json!(650)));
    let weight = &studies[0]["weight"];
    assert_eq!(weight["respondents_without"], json!(0));
    assert!((weight["sum"].as_f64().unwrap() - 600.0).abs() < 0.1, "{weight}");
    let asked = |study: &str, id: &str| json!({"study": study, "question": id});
    let shared = told["shared"].as_array().unwrap();
    let of_q5 = shared.iter().find(|one| one["id"] == "Q5").unwrap();
    assert_eq!(of_q5["asked"], json!([asked("W1", "Q5"), asked("W2", "Q5")]));
    assert!(shared.iter().all(|one| one["id"] != "Q9"), "one wave alone asked it");
    // Nothing was made for it.
    assert!(!stand.data().exists());
}

// proves: B9
#[cfg(feature = "spss")]
#[test]
fn a_wave_from_spss_gives_the_tables_that_it_gives_from_csv() {
    let stand = Stand::new();
    let spss = examples().join("survey-sav").to_string_lossy().into_owned();
    let args = ["--study", "W2", "--format", "json", "--by", "gender,age_group"];
    let made = |path: &str| -> Value {
        let all = [&["tables", path][..], &args].concat();
        serde_json::from_str(&done(&stand, &all)).unwrap()
    };
    let (csv, sav) = (made(&locate_example()), made(&spss));
    assert_eq!(csv["tables"].as_array().unwrap().len(), 15);
    for (one, other) in
        csv["tables"].as_array().unwrap().iter().zip(sav["tables"].as_array().unwrap())
    {
        for key in ["study", "question", "kind", "columns", "rows", "weight"] {
            assert_eq!(one[key], other[key], "{key} of {}", one["question"]);
        }
    }
}

// proves: B5
#[test]
fn a_banner_table_shows_what_was_planted_in_the_example() {
    let stand = Stand::new();
    let told = tables(&stand, &["--question", "Q5", "--by", "age_group"]);
    let [first, second] = told["tables"].as_array().unwrap().as_slice() else { panic!("{told}") };
    let young = |table: &Value| row(table, "Top 2 box")[1].clone();
    assert_eq!(first["columns"][1]["label"], "18-34");
    let (before, after) =
        (young(first)["value"].as_f64().unwrap(), young(second)["value"].as_f64().unwrap());
    assert!((before - 0.674).abs() < 0.001 && (after - 0.384).abs() < 0.001, "{before} {after}");
    // Both others are higher at the stricter level, and say so.
    for place in [2, 3] {
        assert_eq!(row(second, "Top 2 box")[place]["letters"], "A");
    }
    let told = tables(&stand, &["--question", "Q6", "--by", "Q3", "--study", "w2"]);
    let nps = row(&told["tables"][0], "NPS");
    let of = |place: usize| nps[place]["value"].as_f64().unwrap();
    assert!(of(3) > of(1) + 0.2, "those who buy in the app recommend the buses more: {nps:?}");
    // A base below 30 is told by nobody and tested by nothing.
    let told = tables(&stand, &["--question", "Q5", "--by", "gender"]);
    let column = &told["tables"][0]["columns"][3];
    assert_eq!(
        (&column["label"], &column["level"]),
        (&json!("Another description"), &json!("too_low"))
    );
    assert_eq!(row(&told["tables"][0], "Mean")[3]["value"], Value::Null);
}

// proves: B5
#[test]
fn weight_levels_test_and_correction_are_chosen_and_named() {
    let stand = Stand::new();
    let base = |table: &Value| table["columns"][0]["base"].clone();
    let weighted = tables(&stand, &["--question", "Q5", "--study", "W1"]);
    let plain = tables(&stand, &["--question", "Q5", "--study", "W1", "--weight", "none"]);
    assert_eq!(weighted["tables"][0]["weight"], "weight");
    assert_eq!(plain["tables"][0]["weight"], Value::Null);
    let plain = base(&plain["tables"][0]);
    assert_eq!(plain["unweighted"].as_f64(), plain["effective"].as_f64());
    assert!(base(&weighted["tables"][0])["effective"].as_f64() < plain["effective"].as_f64());
    let told = tables(
        &stand,
        &[
            "-Q",
            "Q5",
            "--alpha",
            "0.1",
            "--correction",
            "benjamini-hochberg",
            "--test",
            "linearised",
        ],
    );
    let rules = &told["rules"];
    assert_eq!((&rules["alpha"], &rules["strict_alpha"]), (&json!(0.1), &json!(0.01)));
    assert_eq!(
        (&rules["correction"], &rules["test"]),
        (&json!("benjamini_hochberg"), &json!("linearised"))
    );
    let footer = told["tables"][0]["footer"].to_string();
    assert!(footer.contains("0.1") && footer.contains("Benjamini"), "{footer}");
    // The configuration says what is usual.
    let stand = stand.variable("QUAESTIO_SURVEY__LEAST_BASE", "90");
    let told = tables(&stand, &["-Q", "Q5", "--by", "region", "--study", "W2"]);
    assert_eq!(told["tables"][0]["columns"][4]["level"], "too_low");
}

// proves: F6, B7
#[test]
fn tables_are_written_as_text_markdown_lines_and_a_workbook() {
    let stand = Stand::new();
    let example = locate_example();
    let asked = ["tables", &example, "--study", "W2", "-Q", "Q3", "--by", "age_group"];
    insta::assert_snapshot!("table_as_text", done(&stand, &asked));
    let with = |more: &[&str]| done(&stand, &[&asked, more].concat());
    assert!(
        with(&["--format", "md"]).starts_with("### W2 · Q3: How do you usually buy your ticket?")
    );
    let lines = with(&["--format", "csv"]);
    assert!(lines.starts_with("study,question,text,row,row_kind,"), "{lines}");
    assert_eq!(
        lines.lines().count(),
        1 + 4 * 8,
        "four columns, five answers, a net, sigma, no answer"
    );
    let book = stand.path("tables.xlsx");
    let path = book.to_str().unwrap();
    let told = survey(&stand, &["tables", &example, "--output", path]);
    assert_eq!((told.code, told.out.as_str()), (0, ""));
    assert!(told.err.contains("29 tables in"), "{told:?}");
    let bytes = std::fs::read(&book).unwrap();
    assert!(bytes.starts_with(b"PK\x03\x04"));
    survey(&stand, &["tables", &example, "--output", path]);
    assert_eq!(std::fs::read(&book).unwrap(), bytes, "the same tables are the same bytes");
    for (name, begins) in [("t.csv", "study,"), ("t.md", "### "), ("t.json", "{"), ("t.txt", "W1 ")]
    {
        let path = stand.path(name);
        done(&stand, &["tables", &example, "-o", path.to_str().unwrap()]);
        assert!(std::fs::read_to_string(path).unwrap().starts_with(begins), "{name}");
    }
}

// proves: B5, B9
#[test]
fn waves_stand_side_by_side() {
    let stand = Stand::new();
    let told = tables(&stand, &["--waves", "-Q", "Q5"]);
    let all = told["tables"].as_array().unwrap();
    assert_eq!((all.len(), &all[0]["study"]), (1, &json!("W1, W2")));
    let of_study = |id: &str| tables(&stand, &["-Q", "Q5", "--study", id, "--by", "none"]);
    for (place, id) in ["W1", "W2"].into_iter().enumerate() {
        assert_eq!(all[0]["columns"][place]["label"], id);
        let alone = of_study(id);
        assert_eq!(
            row(&all[0], "Mean")[place]["value"],
            row(&alone["tables"][0], "Mean")[0]["value"]
        );
    }
    let every = tables(&stand, &["--waves"]);
    assert!(every["tables"].as_array().unwrap().len() > 5);
    let text = done(&stand, &["tables", &locate_example(), "--waves", "-Q", "Q5"]);
    assert!(text.starts_with("W1, W2 · Q5: "), "{text}");
    let both = survey(&stand, &["tables", &locate_example(), "--waves", "--by", "region"]);
    assert_eq!(both.code, 2, "{both:?}");
    let alone = survey(&stand, &["tables", &locate_example(), "--waves", "--study", "W1"]);
    assert!(alone.err.contains("no question was asked in two of the studies"), "{alone:?}");
}

// proves: B9
#[test]
fn a_survey_is_kept_under_a_name_and_read_from_there() {
    let stand = Stand::new();
    let told = survey(&stand, &["list"]);
    assert_eq!((told.code, told.out.as_str()), (0, ""));
    assert!(told.err.contains("survey add NAME PATH"), "{told:?}");
    assert_eq!(
        done(&stand, &["add", "buses", &locate_example()]),
        "buses added: 5 files, 2 studies\n"
    );
    assert_eq!(
        done(&stand, &["add", "buses", &locate_example()]),
        "buses replaced: 5 files, 2 studies\n"
    );
    let sets: Value = serde_json::from_str(&done(&stand, &["list", "--json"])).unwrap();
    let files = sets[0]["files"].as_array().unwrap();
    let names: Vec<&str> = files.iter().map(|file| file["name"].as_str().unwrap()).collect();
    assert_eq!(
        names,
        ["survey.toml", "wave1.codebook.csv", "wave1.csv", "wave2.codebook.csv", "wave2.csv"]
    );
    assert_eq!(
        done(&stand, &["info", "--survey", "buses"]),
        done(&stand, &["info", &locate_example()]),
        "what is kept is what was given"
    );
    // Another user has none of it.
    let other = ["--set", "user=ada"];
    assert_eq!(survey(&stand, &[&["list"], &other[..]].concat()).out, "");
    let told = survey(&stand, &[&["info", "--survey", "buses"], &other[..]].concat());
    told.fails(1, "there is no survey 'buses'");
    // A file that somebody changed is not read.
    let digest = files[2]["sha256"].as_str().unwrap();
    let kept = stand.data().join("files/local").join(digest);
    std::fs::write(&kept, "id,Q5\n1,5\n").unwrap();
    survey(&stand, &["info", "--survey", "buses"])
        .fails(1, "its content was changed after it was kept");
    done(&stand, &["add", "buses", &locate_example()]);
    done(&stand, &["info", "--survey", "buses"]);
    assert_eq!(done(&stand, &["remove", "buses"]), "buses removed\n");
    survey(&stand, &["remove", "buses"]).fails(1, "there is no survey 'buses'");
    assert!(kept.exists(), "a run may name it");
}

// proves: B9
#[test]
fn what_is_wrong_is_told_with_a_way_out() {
    let stand = Stand::new();
    let example = locate_example();
    stand.file("empty/notes.md", "nothing");
    stand.file("broken/wave.csv", "");
    stand.file("torn/wave.xlsx", "PK\x03\x04 torn");
    let fails = |args: &[&str], code: i32, what: &str| survey(&stand, args).fails(code, what);
    fails(&["info", "nowhere"], 2, "could not read nowhere");
    fails(&["info", "empty"], 1, "empty contains no survey data");
    fails(&["info", "broken"], 1, "wave.csv");
    fails(&["info", "torn"], 1, "wave.xlsx");
    fails(&["info"], 2, "PATH");
    fails(&["info", &example, "--survey", "x"], 2, "cannot be used with");
    fails(&["add", "a/b", &example], 2, "is not a valid name for a survey");
    fails(&["add", "broken", "broken"], 1, "wave.csv");
    assert!(!stand.data().join("surveys").exists(), "what cannot be read is not kept");
    let of = |args: &[&str], code: i32, what: &str| {
        fails(&[&["tables", example.as_str()], args].concat(), code, what);
    };
    of(&["--study", "W9"], 2, "there is no study 'W9'");
    of(&["--study", "W9"], 2, "studies: W1, W2");
    of(&["--question", "Q4"], 2, "did you mean Q4_1, Q4_2");
    of(&["--by", "shoe"], 2, "there is no question 'shoe'");
    of(&["--by", "Q7", "-Q", "Q5"], 1, "Q7 is numeric");
    of(&["--by", "Q7"], 1, "W1: question Q7 is numeric");
    of(&["-Q", "Q8"], 1, "Q8");
    of(&["-Q", "Q9", "--study", "W1"], 2, "there is no question 'Q9'");
    of(&["--weight", "Q8"], 2, "no numeric column 'Q8'");
    of(&["--weight", "heavy"], 2, "no numeric column 'heavy'");
    of(&["--alpha", "5"], 2, "--alpha must be above 0 and below 1");
    of(&["--alpha", "0.05", "--strict-alpha", "0.2"], 2, "--strict-alpha must be");
    of(&["--format", "xlsx"], 2, "is not text and cannot be printed");
    of(&["--output", "tables.doc"], 2, "use .xlsx");
    of(&["--output", "nowhere/tables.xlsx"], 1, "could not write");
    let told = survey(&stand, &["info", &example, "--set", "survey.file_bytes=100"]);
    told.fails(1, "is larger than 100 bytes");
    assert!(told.err.contains("survey.file_bytes"), "{told:?}");
    survey(&stand, &["info", &example, "--set", "survey.alpha=5"])
        .fails(2, "survey.alpha must be above 0 and below 1");
}

#[test]
fn what_labels_hold_steers_no_terminal_and_no_spreadsheet() {
    let stand = Stand::new();
    stand.file("s/w.csv", "sex,q1\n1,1\n2,2\n1,2\n");
    stand.file(
        "s/w.codebook.csv",
        "variable,label,type,values\nsex,Sex,single,1=M|2=F\nq1,\"\u{1b}[2J\u{202e}=1+1 \u{7}\",single,\"1==HYPERLINK(\"\"x\"\")|2=+2\u{1b}]0;x\u{7}\"\n",
    );
    for args in [
        &["info", "s"][..],
        &["tables", "s"],
        &["tables", "s", "--format", "csv"],
        &["tables", "s", "--format", "md"],
    ] {
        let told = survey(&stand, args);
        assert_eq!(told.code, 0, "{told:?}");
        assert!(!told.out.contains(['\u{1b}', '\u{7}', '\u{202e}']), "{args:?}: {told:?}");
    }
    let lines = done(&stand, &["tables", "s", "-Q", "q1", "--by", "none", "--format", "csv"]);
    assert!(lines.contains(",\"'=HYPERLINK(\"\"x\"\")\",answer,"), "{lines}");
}

#[cfg(unix)]
#[test]
fn the_example_is_what_its_script_makes() {
    let stand = Stand::new();
    let here = examples().join("survey");
    let script = stand.file("survey/make.py", std::fs::read(here.join("make.py")).unwrap());
    let made = std::process::Command::new("python3").arg("-I").arg(&script).output();
    let made = made.unwrap_or_else(|error| panic!("this test needs python3: {error}"));
    assert!(made.status.success(), "{made:?}");
    for name in ["wave1.csv", "wave1.codebook.csv", "wave2.csv", "wave2.codebook.csv"] {
        let (one, other) = (here.join(name), stand.path("survey").join(name));
        assert!(std::fs::read(one).unwrap() == std::fs::read(other).unwrap(), "{name} differs");
    }
}
